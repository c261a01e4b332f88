//! # Body: what moves, how it may move, and where it starts
//!
//! - **in**: shape, mass, mobility, pose and velocity at time 0
//! - **out**: the pose and velocity of a body whose motion is given; the motions that a restricted body keeps
//! - **not here**: forces ([`load`](crate::model::load)); checks ([`check`](crate::model::check))
//! - **start at** [`Body`], then [`Mobility`]

use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::Shape;
use nalgebra::{Isometry3, Matrix3, Point3, Translation3, Unit, UnitQuaternion, Vector3};
use std::f64::consts::TAU;
use std::sync::Arc;

/// A body of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyId(pub usize);

/// A rigid body.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its name, for messages.
    pub name: String,
    /// Its surface, in body axes.
    pub shape: Arc<Shape>,
    /// What it is made of, as far as contact laws tell: an index of [`Interactions`](crate::Interactions).
    pub class: usize,
    /// How it may move.
    pub mobility: Mobility,
    /// Mass (kg); not used where the body does not answer to forces.
    pub mass: f64,
    /// Centre of mass, in the body (m).
    pub p_BoBcm: Point3<f64>,
    /// Inertia about the centre of mass, in body axes (kg·m²).
    pub I_BBcm_B: Matrix3<f64>,
    /// Pose of the body frame at time 0.
    pub X_WB: Isometry3<f64>,
    /// Velocity of the centre of mass at time 0, in the world; not used where the motion is given.
    pub V_WBcm: SpatialVelocity,
    /// Whether it has a surface that others touch. A link of a robot that is a mass and a frame alone has none; its shape
    /// tells how large it is.
    pub touches: bool,
    /// The body whose further surface this is: one is fixed to the other, and reports name that body.
    pub part_of: Option<BodyId>,
}

/// How a body may move.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Mobility {
    /// By the forces on it.
    Free,
    /// Not at all.
    Fixed,
    /// By the forces on it, in some directions: sliders, hinges.
    Restricted(Restriction),
    /// As told, whatever the forces on it.
    Prescribed(Prescribed),
    /// With the coordinates of a tree of joints. A model makes links of the bodies that its joints name: give them as
    /// [`Mobility::Free`].
    Link {
        /// Which tree of the model.
        tree: usize,
        /// Which of its links.
        link: usize,
    },
}

/// The motions that are left to a body.
///
/// F is a frame at rest in the world. P is the point of the body that is at the origin of F at time 0; it may slide along
/// some axes of F, and the body may turn about some axes of F through P: none, one, or all three.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Restriction {
    /// The frame F.
    pub X_WF: Isometry3<f64>,
    /// Along which axes of F the body slides.
    pub slides: [bool; 3],
    /// About which axes of F it turns.
    pub turns: [bool; 3],
}

/// A motion that is given.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Prescribed {
    /// Turns about an axis through a point, steadily.
    Turning {
        /// A point of the axis, in the world.
        p_WQ: Point3<f64>,
        /// The axis.
        axis_W: Unit<Vector3<f64>>,
        /// Rate (rad/s).
        rate: f64,
    },
    /// Swings about its pose at time 0: d(t) = amplitude (sin(2π f t + phase) − sin(phase)).
    Shaking {
        /// Direction and size (m).
        amplitude_W: Vector3<f64>,
        /// Frequency (Hz).
        frequency: f64,
        /// Phase at time 0 (rad).
        phase: f64,
    },
    /// Moves along, steadily.
    Moving {
        /// Velocity (m/s).
        v_W: Vector3<f64>,
    },
    /// Stays where it is while its surface moves, as the belt of a conveyor.
    Conveying {
        /// Velocity of the surface (m/s).
        v_W: Vector3<f64>,
    },
}

impl Body {
    /// A body that does not move, at the origin.
    pub fn fixed(name: &str, shape: Shape) -> Self {
        Self::free(name, shape, 0.0, Matrix3::zeros()).with(Mobility::Fixed)
    }

    /// A body of class 0 at rest at the origin, its centre of mass at the origin of its frame. Mass (kg), inertia (kg·m²).
    pub fn free(name: &str, shape: Shape, mass: f64, I_BBcm_B: Matrix3<f64>) -> Self {
        Self {
            name: name.to_string(),
            shape: Arc::new(shape),
            class: 0,
            mobility: Mobility::Free,
            mass,
            p_BoBcm: Point3::origin(),
            I_BBcm_B,
            X_WB: Isometry3::identity(),
            V_WBcm: SpatialVelocity::zero(),
            touches: true,
            part_of: None,
        }
    }

    /// The same with another mobility.
    pub fn with(self, mobility: Mobility) -> Self {
        Self { mobility, ..self }
    }

    /// The same at another pose.
    pub fn at(self, X_WB: Isometry3<f64>) -> Self {
        Self { X_WB, ..self }
    }

    /// The same with another velocity of the centre of mass.
    pub fn moving(self, V_WBcm: SpatialVelocity) -> Self {
        Self { V_WBcm, ..self }
    }
}

impl Mobility {
    /// Whether the body answers to forces.
    pub fn is_moved_by_forces(&self) -> bool {
        matches!(self, Self::Free | Self::Restricted(_) | Self::Link { .. })
    }

    /// Whether the body rides on a tree of joints.
    pub fn is_link(&self) -> bool {
        matches!(self, Self::Link { .. })
    }
}

impl Prescribed {
    /// Pose of the body frame at a time, from that at time 0.
    pub fn pose(&self, start: &Isometry3<f64>, t: f64) -> Isometry3<f64> {
        match self {
            Self::Turning { p_WQ, axis_W, rate } => {
                let turn = UnitQuaternion::from_axis_angle(axis_W, rate * t);
                let p = p_WQ + turn * (start.translation.vector - p_WQ.coords);
                Isometry3::from_parts(Translation3::from(p), turn * start.rotation)
            }
            Self::Shaking { amplitude_W, frequency, phase } => {
                let d = amplitude_W * ((TAU * frequency * t + phase).sin() - phase.sin());
                Isometry3::from_parts(Translation3::from(start.translation.vector + d), start.rotation)
            }
            Self::Moving { v_W } => {
                Isometry3::from_parts(Translation3::from(start.translation.vector + v_W * t), start.rotation)
            }
            Self::Conveying { .. } => *start,
        }
    }

    /// Velocity of the body at a point of the world, at a time.
    pub fn velocity_at(&self, p_WQ: &Point3<f64>, t: f64) -> SpatialVelocity {
        match self {
            Self::Turning { p_WQ: on_axis, axis_W, rate } => {
                let w = axis_W.into_inner() * *rate;
                SpatialVelocity::new(w, w.cross(&(p_WQ - on_axis)))
            }
            Self::Shaking { amplitude_W, frequency, phase } => {
                let pulse = TAU * frequency;
                SpatialVelocity::new(Vector3::zeros(), amplitude_W * (pulse * (pulse * t + phase).cos()))
            }
            Self::Moving { v_W } => SpatialVelocity::new(Vector3::zeros(), *v_W),
            Self::Conveying { .. } => SpatialVelocity::zero(),
        }
    }

    /// Acceleration of the body at its point that is at a point of the world, at a time (rad/s²; m/s²).
    pub(crate) fn acceleration_at(&self, p_WQ: &Point3<f64>, t: f64) -> SpatialVelocity {
        let v = match self {
            Self::Turning { axis_W, rate, .. } => (axis_W.into_inner() * *rate).cross(&self.velocity_at(p_WQ, t).v),
            Self::Shaking { amplitude_W, frequency, phase } => {
                let pulse = TAU * frequency;
                amplitude_W * (-pulse * pulse * (pulse * t + phase).sin())
            }
            Self::Moving { .. } | Self::Conveying { .. } => Vector3::zeros(),
        };
        SpatialVelocity::new(Vector3::zeros(), v)
    }

    /// A quarter of its period (s), within which steps should look at it; infinite where it has none.
    pub(crate) fn quarter(&self) -> f64 {
        match self {
            Self::Turning { rate, .. } => 0.25 * TAU / rate.abs(),
            Self::Shaking { frequency, .. } => 0.25 / frequency,
            Self::Moving { .. } | Self::Conveying { .. } => f64::INFINITY,
        }
    }

    /// Velocity of the surface over the body (m/s).
    pub fn surface_velocity(&self) -> Vector3<f64> {
        if let Self::Conveying { v_W } = self { *v_W } else { Vector3::zeros() }
    }
}

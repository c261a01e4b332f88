//! # Spatial impedance: springs and dampers between frames, and a reference that moves as it is told
//!
//! pose over time, frames on bodies ──▶ **here** ──(six rows a spring)──▶ rows of the steppers
//!
//! - **in**: frames on bodies, stiffness and damping of translation and rotation, a pose over time
//! - **out**: rows along the joints for each step (`rows`), forces and powers at an instant (`instant`), poses that a
//!   controller commands (`command`)
//! - **not here**: the equations that they enter (`coordinates::motion`, `steppers`)
//! - **start at** [`Impedance`], then [`SpatialSpring`]
//!
//! The controller of Stramigioli, Duindam and Visser ("Modeling of geometric compliant contacts for grasping applications",
//! sect. 8, and S. Stramigioli, "Modeling and IPC control of interactive mechanical systems", 2001): a virtual object hangs on
//! the reference by one spatial spring and on each fingertip by another. The virtual object is a body of the model that
//! touches nothing. All elements are springs and dampers, so that only the moving reference brings energy: it is passive.
//!
//! A spring goes from a frame A (the reference, or on a body) to a frame B on a body. With η, ε the quaternion of B in A, η ≥ 0:
//!
//! ```text
//! x = R_Aᵀ (p_B − p_A)     V = ½ k |x|²       translation, force at p_B on both sides
//! y = 2 ε                  V = ½ κ |y|² = 2 κ sin²(θ/2)
//! y′ = (η 1 − [ε]×) R_Aᵀ (w_B − w_A)
//! ```

mod command;
mod instant;
mod place;
mod reference;
mod rows;

pub(crate) use command::Told;
pub use command::{ImpedanceState, PoseCommand};
pub(crate) use instant::stored;
pub(crate) use place::{PlacedSpring, bodies, check, place, settle};
pub use reference::PoseTimeline;
pub(crate) use rows::SpringRows;

use crate::drive::Gains;
use crate::model::body::BodyId;
use nalgebra::Isometry3;

/// An impedance of a model: an index of [`Parts::impedances`](crate::Parts::impedances).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ImpedanceId(pub usize);

/// Where a spatial spring begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SpringStart {
    /// At a frame that moves with the reference: its pose there.
    Reference(Isometry3<f64>),
    /// At a frame of a body: its pose there.
    Body(BodyId, Isometry3<f64>),
}

/// A spring and a damper between two frames; nothing is stored where they meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpatialSpring {
    /// The frame A.
    pub from: SpringStart,
    /// The body and the pose of the frame B in it.
    pub to: (BodyId, Isometry3<f64>),
    /// Stiffness of translation (N/m) and of rotation (N·m/rad).
    pub stiffness: [f64; 2],
    /// Damping of translation (N·s/m) and of rotation (N·m·s/rad).
    pub damping: [f64; 2],
}

/// Spatial springs that follow one reference.
#[derive(Clone, Debug, PartialEq)]
pub struct Impedance {
    /// Its name, for messages.
    pub name: String,
    /// The springs.
    pub springs: Vec<SpatialSpring>,
    /// Where the reference is.
    pub reference: PoseTimeline,
    /// Whether the reference begins at the frame B of the first spring, where that is at the start: the model then finds
    /// `reference.X_WR`.
    pub held: bool,
}

/// The first spring of an impedance in a state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpedanceNow {
    /// Where its frame A is.
    pub X_WA: Isometry3<f64>,
    /// Where its frame B is.
    pub X_WB: Isometry3<f64>,
    /// Stored in all springs of the impedance (J).
    pub stored: f64,
}

impl ImpedanceNow {
    /// Way from A to B (m).
    pub fn distance(&self) -> f64 {
        (self.X_WB.translation.vector - self.X_WA.translation.vector).norm()
    }

    /// Angle from A to B (rad).
    pub fn angle(&self) -> f64 {
        self.X_WA.rotation.angle_to(&self.X_WB.rotation)
    }
}

impl SpatialSpring {
    fn gains(&self) -> [Gains; 2] {
        [0, 1].map(|i| Gains { stiffness: self.stiffness[i], damping: self.damping[i], limit: f64::INFINITY })
    }
}

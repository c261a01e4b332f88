//! # Flat contact: the exact limit of a polygon under linear pressure
//!
//! `linear_pressure` ──(region, p)──▶ **here** ──([`FrictionLimit`])──▶ `law`
//!
//! - **in**: [`LinearPressure`], coefficient of friction
//! - **out**: load against a twist, gauge, projection; the point about which a pure moment turns it
//! - **not here**: how the pressure came about (`linear_pressure`)
//! - **start at** [`FlatContact::new`]
//!
//! Loads and twists are about the origin of the polygon's coordinates. The sums over the edges are in `fan`.
//!
//! **A pure moment** turns the contact about the pressure-weighted geometric median, where ∇H = 0, not about the centre of
//! pressure: for p = 1 + 0.8 x on the unit disc the centre is at 0.2000, the median at 0.2501, and a turn about the centre
//! leaves a force of 5.6 % of μP. (Ciocarlie, above eq. 14) says the centre, true for symmetric pressure only.

use super::fan::Fan;
use super::image::{Image, Inner};
use super::linear_pressure::LinearPressure;
use super::polygon::MOST_VERTICES;
use super::turning::Turning;
use super::{FrictionLimit, Projection, TangentialStiffness};
use nalgebra::{Matrix2, Vector2, Vector3};

/// Why a flat contact cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum FlatError {
    /// Too few or too many vertices.
    #[error("a flat contact has 3 to {MOST_VERTICES} vertices, got {given}")]
    Vertices {
        /// How many were given.
        given: usize,
    },
    /// The outline turns inward, or around twice.
    #[error("the outline of a flat contact must be convex, it is not at vertex {vertex}")]
    NotConvex {
        /// Index of the vertex.
        vertex: usize,
    },
    /// Points on one line, or values that are no numbers.
    #[error("a flat contact must have an area, its vertices do not span one")]
    NoArea,
    /// Nothing to carry.
    #[error("the load on a flat contact must be positive and finite, got {load} N")]
    Load {
        /// Load (N).
        load: f64,
    },
    /// No pressure without tension has its centre there.
    #[error("the centre of load must be inside the outline, ({x}, {y}) m is {beyond} m beyond it")]
    CentreOutside {
        /// Centre (m).
        x: f64,
        /// Centre (m).
        y: f64,
        /// Distance beyond the nearest edge line (m).
        beyond: f64,
    },
    /// The centre is so near the rim that rounding decides which part is in contact.
    #[error("no pressure found for a load at ({x}, {y}) m, {beyond} m beyond the outline")]
    NotFound {
        /// Centre (m).
        x: f64,
        /// Centre (m).
        y: f64,
        /// Distance beyond the nearest edge line (m), negative inside.
        beyond: f64,
    },
}

/// The exact limit of a flat contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlatContact {
    pressure: LinearPressure,
    mu: f64,
    image: Image,
    fan: Fan,
}

impl FlatContact {
    /// Pressure and coefficient of friction, which must be positive for anything to hold.
    pub fn new(pressure: LinearPressure, mu: f64) -> Self {
        let size = pressure.region.vertices().iter().map(|v| v.norm()).fold(0.0, f64::max);
        let load = pressure.load();
        let fan = Fan::new(&pressure, size, load);
        let map = Matrix2::identity() * mu;
        // The radius of gyration stands for the eccentricity, which the search starts from.
        let torsion = (fan.second().trace() - fan.first().norm_squared()).sqrt();
        let image =
            Image { load, length: mu * size, map, inverse: Matrix2::identity() / mu, torsion, inner: Inner::Unknown };
        Self { pressure, mu, image, fan }
    }

    /// The pressure it was made with.
    pub fn pressure(&self) -> &LinearPressure {
        &self.pressure
    }

    /// The pressure-weighted geometric median (m): the centre of rotation under a pure moment.
    ///
    /// Newton on the convex H from the centre of pressure, halved until H does not rise.
    pub fn median(&self) -> Vector2<f64> {
        let mut c = self.fan.first();
        let mut turn = self.fan.turn(&c);
        for _ in 0..50 {
            let Some(inverse) = turn.hessian.try_inverse() else { break };
            let mut step = -(inverse * turn.gradient);
            let mut next = self.fan.turn(&(c + step));
            while next.value > turn.value && step.norm() > 1e-16 {
                step *= 0.5;
                next = self.fan.turn(&(c + step));
            }
            (c, turn) = (c + step, next);
            if step.norm() <= 1e-15 || step.iter().any(|s| s.is_nan()) {
                break;
            }
        }
        c * (self.image.length / self.mu)
    }

    /// Largest moment about the origin without force (N·m): μ P H at the median.
    pub fn max_moment(&self) -> f64 {
        let size = self.image.length / self.mu;
        self.image.load * self.image.length * self.fan.turn(&(self.median() / size)).value
    }

    /// Power that friction takes from a twist (W).
    pub fn dissipation(&self, twist: &Vector3<f64>) -> f64 {
        if self.is_smooth() { 0.0 } else { self.image.dissipation(&self.fan, twist) }
    }

    /// [`FrictionLimit::project`] with a slip to start from.
    pub fn project_from(
        &self,
        trial: &Vector3<f64>,
        stiffness: &TangentialStiffness,
        guess: &Vector3<f64>,
    ) -> Projection {
        if self.is_smooth() {
            return super::Ellipsoid::isotropic(1.0, 0.0, 0.0).project(trial, stiffness);
        }
        self.image.project(&self.fan, trial, stiffness, Some(guess))
    }

    /// No friction at all.
    fn is_smooth(&self) -> bool {
        self.mu.is_nan() || self.mu <= 0.0
    }
}

impl FrictionLimit for FlatContact {
    fn gauge(&self, load: &Vector3<f64>) -> f64 {
        if self.is_smooth() {
            return if *load == Vector3::zeros() { 0.0 } else { f64::INFINITY };
        }
        self.image.gauge(&self.fan, load)
    }

    fn load_against(&self, twist: &Vector3<f64>) -> Vector3<f64> {
        if self.is_smooth() { Vector3::zeros() } else { self.image.load_against(&self.fan, twist) }
    }

    fn project(&self, trial: &Vector3<f64>, stiffness: &TangentialStiffness) -> Projection {
        self.project_from(trial, stiffness, &Vector3::zeros())
    }
}

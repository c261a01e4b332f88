//! # Friction limit: which loads along a contact patch hold, and where a load that does not hold goes
//!
//! `patch` ──(a, b, p(x, y))──▶ **here** ──(limit, slip)──▶ `law`
//!
//! - **in**: patch with its pressure, friction coefficients, normal load (N)
//! - **out**: for a load (f1, f2, τ): how much of the limit it uses, the nearest load that holds, the slip that leads there
//! - **not here**: how the load came about (`law`); the pressure itself (`patch`)
//! - **assumes**: Coulomb friction at every point of the patch, pressure fixed while it slips
//! - **start at** [`FrictionLimit`], then [`Ellipsoid`] (fast), [`LimitSurface`] (exact for elliptic patches),
//!   [`FlatContact`] (exact for polygons), [`Polyhedral`] (columns for a complementarity problem)
//!
//! Loads and twists are triples in one tangent frame with the origin at the centre of pressure: (f1, f2, τ) in N, N,
//! N·m and (v1, v2, w) in m/s, m/s, rad/s; their product is a power. A load on B opposes the twist of B relative to A.

mod chords;
pub mod ellipsoid;
mod fan;
pub mod flat;
mod hertzian;
pub mod hull;
mod image;
pub mod limit_surface;
pub mod linear_pressure;
mod lines;
mod nearest;
pub mod polygon;
pub mod polyhedral;
pub mod return_map;
mod turning;

pub use ellipsoid::Ellipsoid;
pub use flat::{FlatContact, FlatError};
pub use hull::SphereSampling;
pub use limit_surface::LimitSurface;
pub use linear_pressure::LinearPressure;
pub use polygon::Polygon;
pub use polyhedral::Polyhedral;

use nalgebra::{Matrix2, Matrix3, Vector3};

/// Stiffness of a contact along its tangent plane: how the elastic load grows with displacement and turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TangentialStiffness {
    /// Force per displacement in the tangent axes, symmetric and positive (N/m).
    pub k: Matrix2<f64>,
    /// Moment about the normal per turn, positive (N·m/rad).
    pub k_theta: f64,
}

impl TangentialStiffness {
    /// The same stiffness in all directions.
    pub fn isotropic(k_t: f64, k_theta: f64) -> Self {
        Self { k: Matrix2::identity() * k_t, k_theta }
    }

    /// Nothing resists.
    pub fn none() -> Self {
        Self { k: Matrix2::zeros(), k_theta: 0.0 }
    }

    /// Whether nothing resists.
    #[inline]
    pub fn is_none(&self) -> bool {
        self.k_theta == 0.0 && self.k == Matrix2::zeros()
    }

    /// K times a displacement and turn.
    #[inline]
    pub fn times(&self, d: &Vector3<f64>) -> Vector3<f64> {
        let k = &self.k;
        Vector3::new(k[(0, 0)] * d.x + k[(0, 1)] * d.y, k[(1, 0)] * d.x + k[(1, 1)] * d.y, self.k_theta * d.z)
    }

    /// As one 3 × 3 matrix on (displacement, turn).
    pub fn matrix(&self) -> Matrix3<f64> {
        let k = &self.k;
        Matrix3::new(k[(0, 0)], k[(0, 1)], 0.0, k[(1, 0)], k[(1, 1)], 0.0, 0.0, 0.0, self.k_theta)
    }
}

/// Where a load that does not hold goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projection {
    /// The nearest load that holds (N, N, N·m), nearest in the energy of the springs.
    pub load: Vector3<f64>,
    /// The slip (m, m, rad) by which the springs relax: K slip = trial − load; zero where the trial holds.
    pub slip: Vector3<f64>,
    /// Iterations taken.
    pub iterations: u32,
}

/// A convex set of loads that friction can hold.
pub trait FrictionLimit {
    /// How much of the limit a load uses: 0 without load, 1 on the limit; the least s for which load/s holds.
    fn gauge(&self, load: &Vector3<f64>) -> f64;

    /// Whether the load holds.
    fn contains(&self, load: &Vector3<f64>) -> bool {
        self.gauge(load) <= 1.0
    }

    /// What is left, as a share of the limit: 1 without load, 0 on the limit, negative beyond.
    fn margin(&self, load: &Vector3<f64>) -> f64 {
        1.0 - self.gauge(load)
    }

    /// The load on B while B slips over A with this twist (any length but zero): the one of largest dissipation.
    fn load_against(&self, twist: &Vector3<f64>) -> Vector3<f64>;

    /// The nearest load that holds, in the energy metric: least (F − F_trial)ᵀ K⁻¹ (F − F_trial) / 2.
    ///
    /// It is the return of associated plasticity inside the section of fixed normal load: the slip is normal to the
    /// limit at the returned load, so that the dissipation is never negative.
    fn project(&self, trial: &Vector3<f64>, stiffness: &TangentialStiffness) -> Projection;
}

//! # Image: any friction on a patch as unit friction on another patch of unit load
//!
//! - **in**: friction tensor N (|N v| is the friction per pressure against a sliding velocity v), patch, load
//! - **out**: loads, twists and stiffness carried to and from the image
//! - **start at** [`Image`]
//!
//! ```text
//! |N (v + w J r)| = |N v + w J ρ|,   ρ = JᵀN J r     ⇒     unit friction on the patch of points Uᵀρ, twist (UᵀN v, w)
//! ```
//!
//! since J turns through N as Jᵀ(…)J and U, a rotation, commutes with J. The load on every piece of the patch stays. An
//! ellipse goes to an ellipse with the same exponent of its pressure; loads come back by the transpose. One coefficient is
//! the case N = μ: the patch grows by μ.

use super::nearest::{gauge, slip};
use super::turning::{Turning, support};
use super::{Projection, TangentialStiffness};
use nalgebra::{Matrix2, Matrix3, Vector2, Vector3};

/// Scales between a contact and its image: unit load, unit friction, unit size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Image {
    /// Normal load (N), positive.
    pub load: f64,
    /// Size of the image (m), positive.
    pub length: f64,
    /// UᵀN, invertible.
    pub map: Matrix2<f64>,
    /// Its inverse.
    pub inverse: Matrix2<f64>,
    /// Largest moment in units of load · length.
    pub torsion: f64,
    /// What is known to lie inside the limit.
    pub inner: Inner,
}

/// A set inside the limit that is cheap to test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Inner {
    /// The ellipsoid shrunk to [`INNER`].
    Ellipsoid,
    /// The hull of the disc of sliding forces and the two largest moments: all of it on or inside any convex limit.
    Cones,
    /// Nothing but the origin.
    Unknown,
}

/// The ellipsoid with the exact largest moment, scaled by this, lies inside the limit of an elliptic patch with
/// a/b ≤ 10 and 0 ≤ k ≤ 1: the limit is at most 11.91 % inside the ellipsoid, for k = 0 and a/b = 10 (`tests/limit_surface.rs`
/// scans directions, aspects and exponents).
const INNER: f64 = 0.88;

impl Image {
    fn unit_load(&self, load: &Vector3<f64>) -> Vector3<f64> {
        let f = self.inverse.tr_mul(&load.xy()) / self.load;
        Vector3::new(f.x, f.y, load.z / (self.load * self.length))
    }

    fn unit_twist(&self, twist: &Vector3<f64>) -> Vector3<f64> {
        let v = self.map * twist.xy() / self.length;
        Vector3::new(v.x, v.y, twist.z)
    }

    fn twist(&self, unit: &Vector3<f64>) -> Vector3<f64> {
        let v = self.inverse * unit.xy() * self.length;
        Vector3::new(v.x, v.y, unit.z)
    }

    fn unit_stiffness(&self, stiffness: &TangentialStiffness) -> Matrix3<f64> {
        let k = self.inverse.tr_mul(&stiffness.k) * self.inverse * (self.length / self.load);
        let turn = stiffness.k_theta / (self.load * self.length);
        Matrix3::new(k[(0, 0)], k[(0, 1)], 0.0, k[(1, 0)], k[(1, 1)], 0.0, 0.0, 0.0, turn)
    }

    /// h (W) of a twist.
    pub fn dissipation<T: Turning>(&self, patch: &T, twist: &Vector3<f64>) -> f64 {
        self.load * self.length * support(patch, &self.unit_twist(twist)).value
    }

    /// −∇h.
    pub fn load_against<T: Turning>(&self, patch: &T, twist: &Vector3<f64>) -> Vector3<f64> {
        let g = support(patch, &self.unit_twist(twist)).gradient;
        let f = self.map.tr_mul(&g.xy()) * -self.load;
        Vector3::new(f.x, f.y, -self.load * self.length * g.z)
    }

    /// ∇²h.
    pub fn curvature<T: Turning>(&self, patch: &T, twist: &Vector3<f64>) -> Matrix3<f64> {
        let h = support(patch, &self.unit_twist(twist)).hessian;
        let m = self.map / self.length;
        let full = Matrix3::new(m[(0, 0)], m[(0, 1)], 0.0, m[(1, 0)], m[(1, 1)], 0.0, 0.0, 0.0, 1.0);
        full.transpose() * h * full * (self.load * self.length)
    }

    /// The twist that the ellipsoid about the centre of pressure pairs with a load: (f, τ_c/e²) at that centre.
    fn first_guess<T: Turning>(&self, patch: &T, load: &Vector3<f64>) -> Vector3<f64> {
        let s = patch.first();
        let moment = load.z - (s.x * load.y - s.y * load.x);
        let w = moment / (self.torsion * self.torsion);
        Vector3::new(load.x + w * s.y, load.y - w * s.x, w)
    }

    pub fn gauge<T: Turning>(&self, patch: &T, load: &Vector3<f64>) -> f64 {
        if *load == Vector3::zeros() {
            return 0.0;
        }
        let unit = self.unit_load(load);
        // The gauge has degree one: a load of size one keeps the search away from under- and overflow.
        let size = unit.norm();
        let unit = unit / size;
        size * gauge(patch, &unit, &self.first_guess(patch, &unit), f64::INFINITY).merit
    }

    pub fn project<T: Turning>(
        &self,
        patch: &T,
        trial: &Vector3<f64>,
        stiffness: &TangentialStiffness,
        guess: Option<&Vector3<f64>>,
    ) -> Projection {
        let held = |iterations| Projection { load: *trial, slip: Vector3::zeros(), iterations };
        let unit = self.unit_load(trial);
        let turning = unit.z / self.torsion;
        let form = unit.x * unit.x + unit.y * unit.y;
        let holds = match self.inner {
            Inner::Ellipsoid => form + turning * turning <= INNER * INNER,
            Inner::Cones => form.sqrt() + turning.abs() <= 1.0,
            Inner::Unknown => false,
        };
        if holds {
            return held(0);
        }
        let k = self.unit_stiffness(stiffness);
        let mut rounds = 0;
        if let Some(guess) = guess.filter(|g| **g != Vector3::zeros()) {
            let found = slip(patch, &unit, &k, &self.unit_twist(guess));
            if found.merit > 0.0 {
                return self.slipped(trial, stiffness, &found.twist, found.rounds);
            }
            rounds = found.rounds;
        }
        // A twist t with F·t > h(t) shows that the load does not hold; the search for one either ends there or at the gauge.
        let shown = gauge(patch, &unit, &self.first_guess(patch, &unit), 1.0);
        rounds += shown.rounds;
        if shown.merit <= 1.0 {
            return held(rounds);
        }
        let found = slip(patch, &unit, &k, &shown.twist);
        self.slipped(trial, stiffness, &found.twist, rounds + found.rounds)
    }

    /// The springs relax by the slip: load = trial − K slip.
    fn slipped(
        &self,
        trial: &Vector3<f64>,
        stiffness: &TangentialStiffness,
        unit: &Vector3<f64>,
        rounds: u32,
    ) -> Projection {
        let slip = self.twist(unit);
        let f = trial.xy() - stiffness.k * slip.xy();
        let load = Vector3::new(f.x, f.y, trial.z - stiffness.k_theta * slip.z);
        Projection { load, slip, iterations: rounds }
    }
}

/// Image of an ellipse: rotation into its axes, semi-axes in falling order.
///
/// With Q = JᵀN J the image is the ellipse of the form Q diag(a², b²) Qᵀ.
pub(super) fn ellipse(friction: &Matrix2<f64>, a: f64, b: f64) -> (Matrix2<f64>, f64, f64) {
    let q = Matrix2::new(friction[(1, 1)], -friction[(0, 1)], -friction[(1, 0)], friction[(0, 0)]);
    let (u, v) = (q.column(0) * a, q.column(1) * b);
    let off = u.x * u.y + v.x * v.y;
    let axes = crate::symmetric::eigen(&Matrix2::new(u.x * u.x + v.x * v.x, off, off, u.y * u.y + v.y * v.y));
    // First axis: that of the larger eigenvalue, (−y, x) of the other turned by half a turn if need be.
    let first = Vector2::new(axes.axis.y, -axes.axis.x);
    let into = Matrix2::new(first.x, first.y, -first.y, first.x);
    let long = axes.high.max(0.0).sqrt();
    // The area carries the small axis without loss: a′ b′ = a b |det N|.
    let short = if long > 0.0 { (a * b * friction.determinant().abs() / long).min(long) } else { 0.0 };
    (into * friction, long, short)
}

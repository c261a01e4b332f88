//! # Inertia of rigid sets about the common origin, and products of spatial vectors
//!
//! - **in**: spatial vectors in world axes about one origin O
//! - **out**: [`RigidInertia`]: I V; `V × S` and `V ×* F`
//! - **start at** [`RigidInertia::of`], [`cross`], [`cross_force`]
//!
//! (Featherstone, §2.9, §2.13), rotation first:
//!
//! ```text
//! V × S  = (w × s_w,  w × s_v + v × s_w)          rate of a motion S carried along by V
//! V ×* F = (w × t + v × f,  w × f)                rate of an action F carried along by V
//! I V    = (I_O w + mc × v,  m v − mc × w)        mc: mass times the centre of mass from O
//! ```

use fingerpad_contact::spatial::{SpatialForce, SpatialVelocity};
use nalgebra::{Matrix3, Vector3};
use std::ops::AddAssign;

/// Mass, first and second moments about O, world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidInertia {
    /// Mass (kg).
    pub m: f64,
    /// Mass times the centre of mass from O (kg·m).
    pub mc: Vector3<f64>,
    /// Inertia about O as xx, yy, zz, xy, xz, yz (kg·m²).
    pub I: [f64; 6],
}

impl RigidInertia {
    /// Nothing.
    pub fn zero() -> Self {
        Self { m: 0.0, mc: Vector3::zeros(), I: [0.0; 6] }
    }

    /// A body of mass m whose centre of mass is at c from O, its inertia about that point in axes that R turns into the
    /// world's.
    #[inline]
    pub fn placed(m: f64, c: &Vector3<f64>, I_cm: &[f64; 6], R: &Matrix3<f64>) -> Self {
        let I = turned(I_cm, R);
        let (x, y, z) = (c.x, c.y, c.z);
        let mc = c * m;
        Self {
            m,
            mc,
            I: [
                I[0] + mc.y * y + mc.z * z,
                I[1] + mc.x * x + mc.z * z,
                I[2] + mc.x * x + mc.y * y,
                I[3] - mc.x * y,
                I[4] - mc.x * z,
                I[5] - mc.y * z,
            ],
        }
    }

    /// I V: momentum of a velocity, or the action for an acceleration.
    #[inline]
    pub fn of(&self, V: &SpatialVelocity) -> SpatialForce {
        let [xx, yy, zz, xy, xz, yz] = self.I;
        let w = &V.w;
        let turned = Vector3::new(
            xx * w.x + xy * w.y + xz * w.z,
            xy * w.x + yy * w.y + yz * w.z,
            xz * w.x + yz * w.y + zz * w.z,
        );
        SpatialForce { t: turned + self.mc.cross(&V.v), f: V.v * self.m - self.mc.cross(w) }
    }
}

impl AddAssign for RigidInertia {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.m += other.m;
        self.mc += other.mc;
        for k in 0..6 {
            self.I[k] += other.I[k];
        }
    }
}

/// R I Rᵀ of a symmetric tensor.
#[inline]
pub(super) fn turned(I: &[f64; 6], R: &Matrix3<f64>) -> [f64; 6] {
    let (a, b, c) = (R.column(0), R.column(1), R.column(2));
    // Columns of R I; then the six products that are wanted.
    let u = a * I[0] + b * I[3] + c * I[4];
    let v = a * I[3] + b * I[1] + c * I[5];
    let w = a * I[4] + b * I[5] + c * I[2];
    let entry = |i: usize, j: usize| u[i] * a[j] + v[i] * b[j] + w[i] * c[j];
    [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)]
}

/// The six numbers of a symmetric tensor.
pub(super) fn packed(I: &Matrix3<f64>) -> [f64; 6] {
    [I[(0, 0)], I[(1, 1)], I[(2, 2)], I[(0, 1)], I[(0, 2)], I[(1, 2)]]
}

/// V × S: how a motion changes that is carried along.
#[inline]
pub(super) fn cross(V: &SpatialVelocity, S: &SpatialVelocity) -> SpatialVelocity {
    SpatialVelocity { w: V.w.cross(&S.w), v: V.w.cross(&S.v) + V.v.cross(&S.w) }
}

/// V ×* F: how an action changes that is carried along.
#[inline]
pub(super) fn cross_force(V: &SpatialVelocity, F: &SpatialForce) -> SpatialForce {
    SpatialForce { t: V.w.cross(&F.t) + V.v.cross(&F.f), f: V.w.cross(&F.f) }
}

/// V += S x.
#[inline]
pub(super) fn add_scaled(V: &mut SpatialVelocity, S: &SpatialVelocity, x: f64) {
    V.w += S.w * x;
    V.v += S.v * x;
}

/// F += G.
#[inline]
pub(super) fn add_force(F: &mut SpatialForce, G: &SpatialForce) {
    F.t += G.t;
    F.f += G.f;
}

/// V + U.
#[inline]
pub(super) fn sum(V: &SpatialVelocity, U: &SpatialVelocity) -> SpatialVelocity {
    SpatialVelocity { w: V.w + U.w, v: V.v + U.v }
}

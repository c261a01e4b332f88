//! # Spatial velocity and force: how a body moves and what acts on it, at a point, in some axes
//!
//! - **in / out**: angular velocity (rad/s) and the velocity (m/s) of one point of the body; moment (N·m) about a point
//!   and force (N)
//! - **not here**: poses (nalgebra's `Isometry3`)
//! - **start at** [`SpatialVelocity`], [`SpatialForce`]
//!
//! The two are different types: adding them does not compile, multiplying them is a power.
//!
//! The dictionary to (Stramigioli, §2.2): `T_i^{k,j}` is `V_JIko_K`, whose linear part belongs to the
//! point of body I passing through the origin of K. Moving to another point is [`SpatialVelocity::shift`],
//! to other axes [`SpatialVelocity::re_express`]; both are written here and nowhere else.

use nalgebra::{Rotation3, Vector3};
use std::ops::{Add, Neg, Sub};

/// Velocity of a body: angular part first, then the velocity of one named point of it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SpatialVelocity {
    /// Angular velocity (rad/s).
    pub w: Vector3<f64>,
    /// Velocity of the body's point at the stated origin (m/s).
    pub v: Vector3<f64>,
}

impl SpatialVelocity {
    /// No motion.
    #[inline]
    pub fn zero() -> Self {
        Self { w: Vector3::zeros(), v: Vector3::zeros() }
    }

    /// A velocity from its angular (rad/s) and linear (m/s) parts.
    #[inline]
    pub fn new(w: Vector3<f64>, v: Vector3<f64>) -> Self {
        Self { w, v }
    }

    /// The same motion, told at another point: `p_PQ` leads from the present point P to the new point Q (m).
    #[inline]
    pub fn shift(&self, p_PQ: Vector3<f64>) -> Self {
        Self { w: self.w, v: self.v + self.w.cross(&p_PQ) }
    }

    /// The same motion in other axes: `R_NE` turns components in the present axes E into those in N.
    #[inline]
    pub fn re_express(&self, R_NE: &Rotation3<f64>) -> Self {
        Self { w: R_NE * self.w, v: R_NE * self.v }
    }
}

/// `V_WB − V_WA` is `V_AB`, if both are told at the same point and in the same axes.
impl Sub for SpatialVelocity {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self { w: self.w - other.w, v: self.v - other.v }
    }
}

/// What acts on a body: the moment about one named point, then the force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpatialForce {
    /// Moment about the stated point (N·m).
    pub t: Vector3<f64>,
    /// Force (N).
    pub f: Vector3<f64>,
}

impl SpatialForce {
    /// Nothing acts.
    #[inline]
    pub fn zero() -> Self {
        Self { t: Vector3::zeros(), f: Vector3::zeros() }
    }

    /// A force from its moment (N·m) and its resultant (N).
    #[inline]
    pub fn new(t: Vector3<f64>, f: Vector3<f64>) -> Self {
        Self { t, f }
    }

    /// The same action, told at another point: `p_PQ` leads from the present point P to the new point Q (m).
    #[inline]
    pub fn shift(&self, p_PQ: Vector3<f64>) -> Self {
        Self { t: self.t - p_PQ.cross(&self.f), f: self.f }
    }

    /// The same action in other axes: `R_NE` turns components in the present axes E into those in N.
    #[inline]
    pub fn re_express(&self, R_NE: &Rotation3<f64>) -> Self {
        Self { t: R_NE * self.t, f: R_NE * self.f }
    }

    /// Power (W) on a body whose velocity is told at the same point and in the same axes.
    #[inline]
    pub fn power(&self, V: &SpatialVelocity) -> f64 {
        self.t.dot(&V.w) + self.f.dot(&V.v)
    }
}

impl Add for SpatialForce {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self { t: self.t + other.t, f: self.f + other.f }
    }
}

impl Neg for SpatialForce {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self { t: -self.t, f: -self.f }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wheel that rolls at unit speed: hub 1 m/s, ground point 0, top 2 m/s. Would catch a sign slip in `shift`.
    #[test]
    fn rolling_wheel_stands_still_at_the_ground_and_doubles_at_the_top() {
        let hub = SpatialVelocity::new(Vector3::new(0.0, 2.0, 0.0), Vector3::new(1.0, 0.0, 0.0));
        let ground = hub.shift(Vector3::new(0.0, 0.0, -0.5));
        let top = hub.shift(Vector3::new(0.0, 0.0, 0.5));
        assert_eq!(ground.v, Vector3::zeros());
        assert_eq!(top.v, Vector3::new(2.0, 0.0, 0.0));
    }

    /// Power does not depend on the point at which motion and action are told. Would catch a sign slip in either shift.
    #[test]
    fn power_is_the_same_at_every_point() {
        let V = SpatialVelocity::new(Vector3::new(0.3, -1.0, 2.0), Vector3::new(1.0, 2.0, -0.5));
        let F = SpatialForce::new(Vector3::new(-2.0, 0.7, 0.1), Vector3::new(3.0, -1.0, 4.0));
        let p = Vector3::new(0.2, 0.5, -1.0);
        assert!((F.power(&V) - F.shift(p).power(&V.shift(p))).abs() < 1e-14);
    }

    /// Changing axes and changing point commute when the lever turns with the axes.
    #[test]
    fn shift_and_re_express_commute() {
        let V = SpatialVelocity::new(Vector3::new(0.3, -1.0, 2.0), Vector3::new(1.0, 2.0, -0.5));
        let R = Rotation3::from_euler_angles(0.4, -0.7, 1.9);
        let p = Vector3::new(0.2, 0.5, -1.0);
        let one = V.shift(p).re_express(&R);
        let two = V.re_express(&R).shift(R * p);
        assert!((one.v - two.v).norm() < 1e-15 && (one.w - two.w).norm() < 1e-15);
    }
}

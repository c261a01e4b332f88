//! # Spatial velocity: how a body moves, at a point, in some axes
//!
//! - **in / out**: angular velocity (rad/s) and the velocity (m/s) of one point of the body
//! - **not here**: poses (nalgebra's `Isometry3`)
//! - **start at** [`SpatialVelocity`]
//!
//! The dictionary to (Stramigioli, §2.2): `T_i^{k,j}` is `V_JIko_K`, whose linear part belongs to the
//! point of body I passing through the origin of K. Moving to another point is [`SpatialVelocity::shift`],
//! to other axes [`SpatialVelocity::re_express`]; both are written here and nowhere else.

use nalgebra::{Rotation3, Vector3};
use std::ops::Sub;

/// Velocity of a body: angular part first, then the velocity of one named point of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpatialVelocity {
    /// Angular velocity (rad/s).
    pub w: Vector3<f64>,
    /// Velocity of the body's point at the stated origin (m/s).
    pub v: Vector3<f64>,
}

impl SpatialVelocity {
    /// No motion.
    pub fn zero() -> Self {
        Self { w: Vector3::zeros(), v: Vector3::zeros() }
    }

    /// A velocity from its angular (rad/s) and linear (m/s) parts.
    pub fn new(w: Vector3<f64>, v: Vector3<f64>) -> Self {
        Self { w, v }
    }

    /// The same motion, told at another point: `p_PQ` leads from the present point P to the new point Q (m).
    pub fn shift(&self, p_PQ: Vector3<f64>) -> Self {
        Self { w: self.w, v: self.v + self.w.cross(&p_PQ) }
    }

    /// The same motion in other axes: `R_NE` turns components in the present axes E into those in N.
    pub fn re_express(&self, R_NE: &Rotation3<f64>) -> Self {
        Self { w: R_NE * self.w, v: R_NE * self.v }
    }
}

/// `V_WB − V_WA` is `V_AB`, if both are told at the same point and in the same axes.
impl Sub for SpatialVelocity {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { w: self.w - other.w, v: self.v - other.v }
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

//! # Motion: how far can a gap have changed since some pose?
//!
//! - **in**: the pose at a start, and now
//! - **out**: a bound of the distance that any point of the smaller body has moved against the other
//! - **not here**: what is concluded from it ([`Tracker`](super::Tracker), [`contacts`](super::contacts))
//! - **start at** [`Motion`]
//!
//! Signed distances change by at most that much, wherever on the bodies they are measured.

use crate::surface::Shape;
use nalgebra::Isometry3;

/// Two bodies and the pose from which their motion is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Motion {
    start: Isometry3<f64>,
    last: Isometry3<f64>,
    /// Radius around its origin of the smaller body (m); 0 for a ball.
    arm: f64,
    arm_is_A: bool,
}

impl Motion {
    /// Starts measuring at this pose.
    pub fn new(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>) -> Self {
        let (ra, rb) = (a.reach(), b.reach());
        // Turning a ball moves its points, not its surface.
        let smaller = if ra < rb { a } else { b };
        let arm = if matches!(smaller, Shape::Sphere(_)) { 0.0 } else { ra.min(rb) };
        Self { start: *X_AB, last: *X_AB, arm, arm_is_A: ra < rb }
    }

    /// The farthest that any point of the smaller body has moved against the other since the start (m).
    #[inline]
    pub fn since_start(&self, X_AB: &Isometry3<f64>) -> f64 {
        self.between(&self.start, X_AB)
    }

    /// The same since the last step (m).
    pub fn since_last(&self, X_AB: &Isometry3<f64>) -> f64 {
        self.between(&self.last, X_AB)
    }

    /// The same from the start to the last step (m).
    pub fn traveled(&self) -> f64 {
        self.between(&self.start, &self.last)
    }

    /// Takes the pose as that of the last step.
    pub fn step_to(&mut self, X_AB: &Isometry3<f64>) {
        self.last = *X_AB;
    }

    #[inline]
    fn between(&self, then: &Isometry3<f64>, now: &Isometry3<f64>) -> f64 {
        // A point at radius R moves by 2 R sin(angle/2) when turned; that sine is the turn's vector part.
        let turn = 2.0 * now.rotation.rotation_to(&then.rotation).vector().norm();
        let shift = if self.arm_is_A {
            // Points of A, seen from B.
            (now.inverse().translation.vector - then.inverse().translation.vector).norm()
        } else {
            (now.translation.vector - then.translation.vector).norm()
        };
        // Without a turn the arm does not matter, even if it is infinite.
        if turn == 0.0 { shift } else { shift + turn * self.arm }
    }
}

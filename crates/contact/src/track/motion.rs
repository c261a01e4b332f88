//! # Motion: how far can a gap have changed since some pose?
//!
//! - **in**: the pose at a start, and now
//! - **out**: a bound of the distance that any point of the smaller body has moved against the other
//! - **not here**: what is concluded from it ([`Tracker`](super::Tracker), [`contacts`](super::contacts))
//! - **start at** [`Motion`]
//!
//! Signed distances change by at most that much, wherever on the bodies they are measured. Over a half-space a body may
//! slide and spin as it likes: only heights count ([`Motion::since_start`]).

use crate::surface::Shape;
use nalgebra::{Isometry3, Vector3};

/// Two bodies and the pose from which their motion is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Motion {
    start: Isometry3<f64>,
    last: Isometry3<f64>,
    /// Radius around its origin of the smaller body (m); 0 for a ball.
    arm: f64,
    arm_is_A: bool,
    /// Whether the other body is a half-space.
    on_plane: bool,
}

impl Motion {
    /// Starts measuring at this pose.
    pub fn new(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>) -> Self {
        let (ra, rb) = (a.reach(), b.reach());
        // Turning a ball moves its points, not its surface.
        let smaller = if ra < rb { a } else { b };
        let arm = if matches!(smaller, Shape::Sphere(_)) { 0.0 } else { ra.min(rb) };
        let on_plane = matches!(if ra < rb { b } else { a }, Shape::HalfSpace(_));
        Self { start: *X_AB, last: *X_AB, arm, arm_is_A: ra < rb, on_plane }
    }

    /// Starts anew at this pose.
    pub fn restart(&mut self, X_AB: &Isometry3<f64>) {
        (self.start, self.last) = (*X_AB, *X_AB);
    }

    /// The most that any gap has changed since the start (m).
    #[inline]
    pub fn since_start(&self, X_AB: &Isometry3<f64>) -> f64 {
        self.nearer(&self.start, X_AB)
    }

    /// The same since the last step (m).
    pub fn nearer_since_last(&self, X_AB: &Isometry3<f64>) -> f64 {
        self.nearer(&self.last, X_AB)
    }

    /// The farthest that any point of the smaller body has moved against the other since the last step (m).
    pub fn since_last(&self, X_AB: &Isometry3<f64>) -> f64 {
        self.between(&self.last, X_AB)
    }

    /// The most that any gap has changed from the start to the last step (m).
    pub fn traveled(&self) -> f64 {
        self.nearer(&self.start, &self.last)
    }

    /// Takes the pose as that of the last step.
    pub fn step_to(&mut self, X_AB: &Isometry3<f64>) {
        self.last = *X_AB;
    }

    /// How far gaps have changed at most. Over a half-space the height of a point is z + up·p, `up` being the normal seen from
    /// its body.
    #[inline]
    fn nearer(&self, then: &Isometry3<f64>, now: &Isometry3<f64>) -> f64 {
        if !self.on_plane {
            return self.between(then, now);
        }
        let heights = |X: &Isometry3<f64>| {
            if self.arm_is_A {
                // A over the half-space B.
                let up_A = X.rotation * Vector3::z();
                (-up_A.dot(&X.translation.vector), up_A)
            } else {
                (X.translation.z, X.rotation.inverse_transform_vector(&Vector3::z()))
            }
        };
        let ((z0, up0), (z1, up1)) = (heights(then), heights(now));
        let turned = if self.arm == 0.0 { 0.0 } else { self.arm * (up1 - up0).norm() };
        (z1 - z0).abs() + turned
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::{HalfSpace, RoundedBox};
    use nalgebra::{Point3, UnitQuaternion};

    /// A box slides and spins over a plane, then tilts: against the heights of its corners. In both orders of the bodies.
    #[test]
    fn over_a_plane_only_heights_count() {
        let plane = Shape::HalfSpace(HalfSpace);
        let half = Vector3::new(0.3, 0.2, 0.1);
        let body = Shape::RoundedBox(RoundedBox::new(half, 0.01).unwrap());
        let start = Isometry3::new(Vector3::new(0.1, 0.2, 0.5), Vector3::new(0.2, 0.1, 0.0));
        let spin = Isometry3::from_parts(
            Vector3::new(-3.0, 1.0, 0.5).into(),
            UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 1.0) * start.rotation,
        );
        let tilt = Isometry3::new(Vector3::new(0.1, 0.2, 0.48), Vector3::new(0.3, 0.1, 0.0));
        for (end, still) in [(spin, true), (tilt, false)] {
            let corners = (0..8)
                .map(|k| Point3::from_slice(&[0, 1, 2].map(|i| if k >> i & 1 == 0 { -half[i] } else { half[i] })));
            let moved = corners.map(|p| ((end * p).z - (start * p).z).abs()).fold(0.0, f64::max);
            let bounds = [
                Motion::new(&plane, &body, &start).since_start(&end),
                Motion::new(&body, &plane, &start.inverse()).since_start(&end.inverse()),
            ];
            assert!((bounds[0] - bounds[1]).abs() < 1e-15, "{bounds:?}");
            assert!(bounds[0] >= moved - 1e-15 && (bounds[0] < 1e-15) == still, "{bounds:?} {moved}");
        }
    }
}

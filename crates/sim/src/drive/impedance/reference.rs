//! # A pose over time
//!
//! - **in**: a pose at time 0, timelines of three displacements and of a rotation vector, in world axes
//! - **out**: pose and velocity at a time
//! - **start at** [`PoseTimeline::at`]

use crate::drive::Timeline;
use fingerpad_contact::spatial::SpatialVelocity;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

/// A pose that moves as it is told: p = p0 + d(t), R = exp(φ(t)) R0.
#[derive(Clone, Debug, PartialEq)]
pub struct PoseTimeline {
    /// The pose where nothing has moved.
    pub X_WR: Isometry3<f64>,
    /// Displacement along the axes of the world (m).
    pub moved: [Timeline; 3],
    /// Rotation vector φ, in the world (rad).
    pub turned: [Timeline; 3],
}

impl PoseTimeline {
    /// A pose that stays.
    pub fn still(X_WR: Isometry3<f64>) -> Self {
        let rest = || [0, 1, 2].map(|_| Timeline::constant(0.0));
        Self { X_WR, moved: rest(), turned: rest() }
    }

    /// Pose, and velocity of its origin, at a time (s).
    pub fn at(&self, t: f64) -> (Isometry3<f64>, SpatialVelocity) {
        let of = |lines: &[Timeline; 3]| {
            let both = [0, 1, 2].map(|i: usize| lines[i].at(t));
            (Vector3::from(both.map(|(value, _)| value)), Vector3::from(both.map(|(_, rate)| rate)))
        };
        let ((d, d_rate), (phi, phi_rate)) = (of(&self.moved), of(&self.turned));
        let p = Translation3::from(self.X_WR.translation.vector + d);
        let R = UnitQuaternion::from_scaled_axis(phi) * self.X_WR.rotation;
        (Isometry3::from_parts(p, R), SpatialVelocity::new(left_jacobian(&phi, &phi_rate), d_rate))
    }

    /// The next time at which it stops being smooth.
    pub fn next_break(&self, t: f64) -> Option<f64> {
        self.moved.iter().chain(&self.turned).filter_map(|line| line.next_break(t)).reduce(f64::min)
    }

    pub(super) fn is_finite(&self) -> bool {
        self.moved.iter().chain(&self.turned).all(|line| line.largest().is_finite())
            && self.X_WR.translation.vector.iter().all(|x| x.is_finite())
            && self.X_WR.rotation.coords.iter().all(|x| x.is_finite())
    }
}

/// Angular velocity in the world of exp(φ) where φ has the rate φ′: φ′ + (1 − cos θ)/θ² φ×φ′ + (θ − sin θ)/θ³ φ×(φ×φ′).
fn left_jacobian(phi: &Vector3<f64>, rate: &Vector3<f64>) -> Vector3<f64> {
    let theta = phi.norm();
    let (a, b) = if theta < 1e-3 {
        let square = theta * theta;
        (0.5 - square / 24.0, 1.0 / 6.0 - square / 120.0)
    } else {
        // 1 − cos θ by the half angle keeps its digits.
        let half = (0.5 * theta).sin() / theta;
        (2.0 * half * half, (theta - theta.sin()) / (theta * theta * theta))
    };
    let once = phi.cross(rate);
    rate + once * a + phi.cross(&once) * b
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::Smooth;

    /// Differences of poses are the opinion on velocities.
    #[test]
    fn velocities_are_the_slopes_of_poses() {
        let line = |a: f64, b: f64| Timeline::stops(&[[0.0, a], [0.6, b], [1.0, a - b]], Smooth::Quintic).unwrap();
        let X_WR = Isometry3::new(Vector3::new(0.1, -0.2, 0.3), Vector3::new(0.4, 0.9, -1.1));
        let moved = [line(0.0, 0.2), line(0.1, -0.3), line(0.0, 0.05)];
        let pose = PoseTimeline { X_WR, moved, turned: [line(0.0, 1.2), line(0.0, -2.0), line(0.0, 0.7)] };
        for i in 1..99 {
            let (t, d) = (0.0101 * f64::from(i), 1e-6);
            let ((_, V), (X0, _), (X1, _)) = (pose.at(t), pose.at(t - d), pose.at(t + d));
            let v = (X1.translation.vector - X0.translation.vector) / (2.0 * d);
            let w = (X1.rotation * X0.rotation.inverse()).scaled_axis() / (2.0 * d);
            assert!((v - V.v).norm() < 1e-8 && (w - V.w).norm() < 1e-8, "{t}: {w} {}", V.w);
        }
    }
}

//! # Increments: q ⊕ δ, and how increments grow while a joint moves
//!
//! - **in**: q, a motion δ in the axes of v
//! - **out**: q ⊕ δ; rates of increments for integrators of high order
//! - **start at** [`Tree::add_motion`]
//!
//! ```text
//! scalar coordinates: q + δ      ball: quaternion · exp(δ)      twist: X · Exp(δ_w, δ_v), the exponential of SE(3)
//! ```
//!
//! A ball's velocity is told in axes of B, so that its rotation vector θ (R = R₀ exp θ) grows by the inverse of the
//! RIGHT derivative of exp: `vector_rate` of −θ. With the left one steps of any order become of first order.

use super::frame::matrix;
use super::node::Motion;
use super::tree::Tree;
use crate::coordinates::rotation::vector_rate;
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

impl Tree {
    /// q1 = q0 ⊕ scale·δ.
    pub fn add_motion(&self, q0: &[f64], delta: &[f64], scale: f64, q1: &mut [f64]) {
        for node in &self.nodes {
            let (at, k) = (node.first_q as usize, node.first_v as usize);
            let d = &delta[k..k + node.motion.nv()];
            match node.motion {
                Motion::Turn | Motion::Slide | Motion::Plane | Motion::Space => {
                    d.iter().enumerate().for_each(|(j, d)| q1[at + j] = q0[at + j] + scale * d);
                }
                Motion::Ball => {
                    let turned = turned(&q0[at..at + 4], &(Vector3::new(d[0], d[1], d[2]) * scale));
                    q1[at..at + 4].copy_from_slice(&turned);
                }
                Motion::Twist => {
                    let (theta, u) = (Vector3::new(d[0], d[1], d[2]) * scale, Vector3::new(d[3], d[4], d[5]) * scale);
                    let slid = matrix(&q0[at + 3..at + 7]) * drawn_along(&theta, &u);
                    (0..3).for_each(|j| q1[at + j] = q0[at + j] + slid[j]);
                    let turned = turned(&q0[at + 3..at + 7], &theta);
                    q1[at + 3..at + 7].copy_from_slice(&turned);
                }
            }
        }
    }

    /// q after increments y since q0, where those of a twist are a rotation vector and a shift along F's axes.
    pub(crate) fn drift(&self, q0: &[f64], y: &[f64], q: &mut [f64]) {
        self.add_motion(q0, y, 1.0, q);
        for node in self.nodes.iter().filter(|node| node.motion == Motion::Twist) {
            let (at, k) = (node.first_q as usize, node.first_v as usize);
            (0..3).for_each(|j| q[at + j] = q0[at + j] + y[k + 3 + j]);
        }
    }

    /// The increments that lead from q0 to q, as [`Self::drift`] takes them.
    pub(crate) fn drifted(&self, q0: &[f64], q: &[f64], y: &mut [f64]) {
        let turn = |from: &[f64], to: &[f64]| {
            let unit = |x: &[f64]| UnitQuaternion::new_unchecked(Quaternion::new(x[0], x[1], x[2], x[3]));
            (unit(from).inverse() * unit(to)).scaled_axis()
        };
        for node in &self.nodes {
            let (at, k) = (node.first_q as usize, node.first_v as usize);
            match node.motion {
                Motion::Turn | Motion::Slide | Motion::Plane | Motion::Space => {
                    (0..node.motion.nv()).for_each(|j| y[k + j] = q[at + j] - q0[at + j]);
                }
                Motion::Ball => y[k..k + 3].copy_from_slice(turn(&q0[at..at + 4], &q[at..at + 4]).as_slice()),
                Motion::Twist => {
                    y[k..k + 3].copy_from_slice(turn(&q0[at + 3..at + 7], &q[at + 3..at + 7]).as_slice());
                    (0..3).for_each(|j| y[k + 3 + j] = q[at + j] - q0[at + j]);
                }
            }
        }
    }

    /// Whether a column is an angle; the others are lengths.
    pub(crate) fn turns(&self, column: usize) -> bool {
        let node = &self.nodes[self.node_of[column] as usize];
        match node.motion {
            Motion::Turn | Motion::Ball => true,
            Motion::Slide | Motion::Plane | Motion::Space => false,
            Motion::Twist => column < node.first_v as usize + 3,
        }
    }

    /// Rates of such increments, at q with velocities v.
    pub(crate) fn drift_rate(&self, q: &[f64], y: &[f64], v: &[f64], rate: &mut [f64]) {
        rate.copy_from_slice(v);
        for node in &self.nodes {
            let (at, k) = (node.first_q as usize, node.first_v as usize);
            if matches!(node.motion, Motion::Ball | Motion::Twist) {
                let three = |x: &[f64]| Vector3::new(x[k], x[k + 1], x[k + 2]);
                rate[k..k + 3].copy_from_slice(vector_rate(&-three(y), &three(v)).as_slice());
            }
            if node.motion == Motion::Twist {
                let slid = matrix(&q[at + 3..at + 7]) * Vector3::new(v[k + 3], v[k + 4], v[k + 5]);
                rate[k + 3..k + 6].copy_from_slice(slid.as_slice());
            }
        }
    }

    /// Makes quaternions unit again; false where one is too far from it (1e-3) to be meant so.
    pub fn normalise(&self, q: &mut [f64]) -> bool {
        let mut good = true;
        for node in &self.nodes {
            let at = match node.motion {
                Motion::Ball => node.first_q as usize,
                Motion::Twist => node.first_q as usize + 3,
                _ => continue,
            };
            let part = &mut q[at..at + 4];
            let norm = part.iter().map(|x| x * x).sum::<f64>().sqrt();
            good &= (norm - 1.0).abs() < 1e-3;
            part.iter_mut().for_each(|x| *x /= norm);
        }
        good
    }
}

/// quaternion · exp(θ), unit again.
#[inline]
fn turned(q: &[f64], theta: &Vector3<f64>) -> [f64; 4] {
    let half = 0.5 * theta.norm();
    let squared = half * half;
    // sin(x)/x by its series where the quotient loses digits; the next term is below 1e-17.
    let (c, s) = if half < 1e-2 {
        (half.cos(), 1.0 - squared / 6.0 * (1.0 - squared / 20.0 * (1.0 - squared / 42.0)))
    } else {
        (half.cos(), half.sin() / half)
    };
    let (x, y, z) = (0.5 * s * theta.x, 0.5 * s * theta.y, 0.5 * s * theta.z);
    let (qw, qx, qy, qz) = (q[0], q[1], q[2], q[3]);
    let product = [
        qw * c - qx * x - qy * y - qz * z,
        qw * x + qx * c + qy * z - qz * y,
        qw * y - qx * z + qy * c + qz * x,
        qw * z + qx * y - qy * x + qz * c,
    ];
    let norm = product.iter().map(|x| x * x).sum::<f64>().sqrt();
    product.map(|x| x / norm)
}

/// The shift of Exp(θ, u) in SE(3): u + (1 − cos φ)/φ² θ × u + (φ − sin φ)/φ³ θ × (θ × u).
fn drawn_along(theta: &Vector3<f64>, u: &Vector3<f64>) -> Vector3<f64> {
    let squared = theta.norm_squared();
    let (a, b) = if squared < 1e-3 {
        // Series; the next terms are below 1e-16.
        (
            0.5 - squared / 24.0 * (1.0 - squared / 30.0 * (1.0 - squared / 56.0)),
            1.0 / 6.0 - squared / 120.0 * (1.0 - squared / 42.0 * (1.0 - squared / 72.0)),
        )
    } else {
        let phi = squared.sqrt();
        ((1.0 - phi.cos()) / squared, (phi - phi.sin()) / (squared * phi))
    };
    let turned = theta.cross(u);
    u + turned * a + theta.cross(&turned) * b
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coordinates::{Joint, Link};
    use nalgebra::{Isometry3, Matrix3, Point3};

    /// Increments of every kind of joint lead back to where they came from.
    #[test]
    fn increments_lead_from_one_place_to_the_other() {
        let joints = [
            Joint::FreeTwist,
            Joint::Ball,
            Joint::Planar,
            Joint::Revolute(Vector3::y_axis()),
            Joint::Prismatic(Vector3::x_axis()),
        ];
        let link = |(i, joint): (usize, Joint)| Link {
            name: format!("{i}"),
            parent: i.checked_sub(1),
            joint,
            X_PF: Isometry3::new(Vector3::new(0.1, 0.2, -0.1), Vector3::new(0.3, -0.2, 0.5)),
            mass: 1.0,
            p_BoBcm: Point3::new(0.1, 0.0, 0.2),
            I_BBcm_B: Matrix3::identity() * 0.1,
            armature: 0.0,
            laws: Vec::new(),
        };
        let tree = Tree::new(joints.into_iter().enumerate().map(link).collect(), Vector3::zeros()).unwrap();
        let n = tree.nv();
        let wave = |seed: f64| -> Vec<f64> { (0..n).map(|k| 0.4 * (seed + 1.7 * k as f64).sin()).collect() };
        let (mut q0, mut q1, mut found) = (tree.rest(), tree.rest(), vec![0.0; n]);
        tree.add_motion(&tree.rest(), &wave(0.3), 1.0, &mut q0);
        tree.drift(&q0, &wave(1.1), &mut q1);
        tree.drifted(&q0, &q1, &mut found);
        let off = found.iter().zip(wave(1.1)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-14, "{off:e}");
    }
}

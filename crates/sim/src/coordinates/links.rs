//! # Links: poses, velocities, Jacobians and accelerations of what rides on nodes
//!
//! - **in**: a [`Frame`] with velocities
//! - **out**: `X_WB`, `V_WB` at Bo, its Jacobian, and J′v; all in world axes, rotation first
//! - **start at** [`Frame::pose`]

use super::frame::Frame;
use super::tree::Tree;
use fingerpad_contact::spatial::SpatialVelocity;
use nalgebra::{Isometry3, Matrix3, Quaternion, UnitQuaternion, Vector3};

impl Frame {
    /// Pose of a link.
    pub fn pose(&self, tree: &Tree, link: usize) -> Isometry3<f64> {
        let ride = &tree.rides[link];
        let R_NB = ride.X_NB.rotation.to_rotation_matrix();
        let R_WB = match ride.node {
            None => (self.base.X_WP.rotation.to_rotation_matrix() * R_NB).into_inner(),
            Some(node) => self.R[node as usize] * R_NB.matrix(),
        };
        Isometry3::from_parts((self.p_WO + self.reach(tree, link)).into(), quaternion(&R_WB))
    }

    /// A place in a node, from O (m).
    #[inline]
    pub(crate) fn in_node(&self, node: usize, p_N: &Vector3<f64>) -> Vector3<f64> {
        self.p[node] + self.R[node] * p_N
    }

    /// Axes that are fixed in a node, in the world.
    #[inline]
    pub(crate) fn turned_in_node(&self, node: usize, R_NB: &Matrix3<f64>) -> UnitQuaternion<f64> {
        quaternion(&(self.R[node] * R_NB))
    }

    /// Velocity of a node about O.
    #[inline]
    pub(crate) fn velocity_of_node(&self, node: usize) -> &SpatialVelocity {
        &self.V[node]
    }

    /// Bo of a link from O (m).
    fn reach(&self, tree: &Tree, link: usize) -> Vector3<f64> {
        let ride = &tree.rides[link];
        match ride.node {
            None => (self.base.X_WP * ride.X_NB).translation.vector - self.p_WO,
            Some(node) => self.p[node as usize] + self.R[node as usize] * ride.X_NB.translation.vector,
        }
    }

    /// Velocity of a link at Bo.
    pub fn velocity(&self, tree: &Tree, link: usize) -> SpatialVelocity {
        let V = tree.rides[link].node.map_or_else(|| self.base_velocity(), |node| self.V[node as usize]);
        V.shift(self.reach(tree, link))
    }

    /// Columns of the Jacobian of a link's velocity at Bo, through `put(column, V)`; columns off its path are zero.
    pub fn jacobian(&self, tree: &Tree, link: usize, mut put: impl FnMut(usize, SpatialVelocity)) {
        let Some(node) = tree.rides[link].node else { return };
        let p = self.reach(tree, link);
        for k in tree.path_of_node(node as usize) {
            put(*k as usize, self.S[*k as usize].shift(p));
        }
    }

    /// Accelerations of all nodes with v′ = 0 and without gravity; [`Frame::acceleration`] tells those of links then.
    pub fn set_velocity_accelerations(&mut self, tree: &Tree, v: &[f64]) {
        self.accelerate(tree, v, None, &Vector3::zeros());
    }

    /// Accelerations of all nodes with v′, without gravity.
    pub fn set_accelerations(&mut self, tree: &Tree, v: &[f64], vdot: &[f64]) {
        self.accelerate(tree, v, Some(vdot), &Vector3::zeros());
    }

    /// Angular acceleration of a link and acceleration of Bo, by the last `set_…accelerations`: J v′ + J′v.
    ///
    /// The point of B at O has the acceleration A.v + w × v; Bo adds A.w × p and w × (w × p).
    pub fn acceleration(&self, tree: &Tree, link: usize) -> SpatialVelocity {
        let (p, node) = (self.reach(tree, link), tree.rides[link].node);
        let A = node.map_or_else(|| self.base_acceleration(), |node| self.A[node as usize]);
        let V = self.velocity(tree, link);
        SpatialVelocity::new(A.w, A.v + A.w.cross(&p) + V.w.cross(&V.v))
    }
}

/// The quaternion of a rotation (Shepperd). Its sign depends on the rotation alone: w is positive where the trace is, else
/// the largest of x, y and z, as Eigen and Pinocchio have it.
#[inline]
fn quaternion(R: &Matrix3<f64>) -> UnitQuaternion<f64> {
    let trace = R.trace();
    let q = if trace > 0.0 {
        Quaternion::new(1.0 + trace, R[(2, 1)] - R[(1, 2)], R[(0, 2)] - R[(2, 0)], R[(1, 0)] - R[(0, 1)])
    } else {
        let (x, y, z) = (R[(0, 0)], R[(1, 1)], R[(2, 2)]);
        let (xy, xz, yz) = (R[(1, 0)] + R[(0, 1)], R[(2, 0)] + R[(0, 2)], R[(2, 1)] + R[(1, 2)]);
        if z > x.max(y) {
            Quaternion::new(R[(1, 0)] - R[(0, 1)], xz, yz, 1.0 + z - x - y)
        } else if y > x {
            Quaternion::new(R[(0, 2)] - R[(2, 0)], xy, 1.0 + y - z - x, yz)
        } else {
            Quaternion::new(R[(2, 1)] - R[(1, 2)], 1.0 + x - y - z, xy, xz)
        }
    };
    UnitQuaternion::from_quaternion(q)
}

//! # Newton–Euler: forces from accelerations, and accelerations from forces
//!
//! - **in**: a [`Frame`] with velocities; v′ or tau
//! - **out**: bias, inverse dynamics, gravity's force, forward dynamics
//! - **start at** [`Frame::bias`], [`Frame::inverse_dynamics`]
//!
//! (Featherstone, §5.3), told about O in world axes. Gravity is an acceleration −g of the base.

use super::frame::Frame;
use super::mass::Factor;
use super::rigid::{add_force, add_scaled, cross, cross_force};
use super::tree::Tree;
use fingerpad_contact::spatial::{SpatialForce, SpatialVelocity};
use nalgebra::Vector3;

impl Frame {
    /// bias = C(q, v) v + gravity's part: tau that keeps v′ at zero.
    pub fn bias(&mut self, tree: &Tree, v: &[f64], tau: &mut [f64]) {
        self.accelerate(tree, v, None, &tree.gravity_W);
        self.collect(tree, None, tau);
    }

    /// The force along each coordinate that holds the tree still against gravity. Velocities of the frame are not used.
    pub fn gravity_force(&self, tree: &Tree, tau: &mut [f64]) {
        tau.fill(0.0);
        for (i, node) in tree.nodes.iter().enumerate() {
            let inertia = &self.inertia[i];
            let weight = tree.gravity_W * -inertia.m;
            let F = SpatialForce { t: -inertia.mc.cross(&tree.gravity_W), f: weight };
            let path = tree.path(node.first_v as usize + node.motion.nv() - 1);
            path.iter().for_each(|k| tau[*k as usize] += F.power(&self.S[*k as usize]));
        }
    }

    /// tau = M v′ + bias.
    pub fn inverse_dynamics(&mut self, tree: &Tree, v: &[f64], vdot: &[f64], tau: &mut [f64]) {
        self.accelerate(tree, v, Some(vdot), &tree.gravity_W);
        self.collect(tree, Some(vdot), tau);
    }

    /// v′ = M⁻¹ (tau − bias), in place of tau; `scratch` holds the bias.
    pub fn forward_dynamics(&mut self, tree: &Tree, factor: &Factor, v: &[f64], tau: &mut [f64], scratch: &mut [f64]) {
        self.bias(tree, v, scratch);
        tau.iter_mut().zip(&*scratch).for_each(|(tau, bias)| *tau -= bias);
        factor.solve(tree, tau);
    }

    /// Accelerations of nodes: with v′ or without, under gravity or without.
    pub(super) fn accelerate(&mut self, tree: &Tree, v: &[f64], vdot: Option<&[f64]>, gravity_W: &Vector3<f64>) {
        let mut base = self.base_acceleration();
        base.v -= gravity_W;
        for (i, node) in tree.nodes.iter().enumerate() {
            let mut A = node.parent.map_or(base, |parent| self.A[parent as usize]);
            let first = node.first_v as usize;
            let mut own = SpatialVelocity::zero();
            for k in first..first + node.motion.nv() {
                add_scaled(&mut own, &self.S[k], v[k]);
                if let Some(vdot) = vdot {
                    add_scaled(&mut A, &self.S[k], vdot[k]);
                }
            }
            add_scaled(&mut A, &cross(&self.V[i], &own), 1.0);
            self.A[i] = A;
        }
    }

    /// Actions on nodes from their accelerations, added up towards the roots; their parts along the coordinates.
    fn collect(&mut self, tree: &Tree, vdot: Option<&[f64]>, tau: &mut [f64]) {
        for i in 0..tree.nodes.len() {
            let inertia = &self.inertia[i];
            let mut F = inertia.of(&self.A[i]);
            add_force(&mut F, &cross_force(&self.V[i], &inertia.of(&self.V[i])));
            self.F[i] = F;
        }
        for i in (0..tree.nodes.len()).rev() {
            let node = &tree.nodes[i];
            let F = self.F[i];
            if let Some(parent) = node.parent {
                add_force(&mut self.F[parent as usize], &F);
            }
            let first = node.first_v as usize;
            for k in first..first + node.motion.nv() {
                tau[k] = F.power(&self.S[k]) + vdot.map_or(0.0, |vdot| tree.armature[k] * vdot[k]);
            }
        }
    }
}

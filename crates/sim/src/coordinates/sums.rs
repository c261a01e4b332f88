//! # Sums: energies, momenta and the centre of mass
//!
//! - **in**: a [`Frame`] with velocities
//! - **out**: kinetic and potential energy (J), momentum, centre of mass, momenta of subtrees
//! - **start at** [`Frame::kinetic`], [`Frame::potential`]

use super::frame::Frame;
use super::rigid::add_force;
use super::tree::Tree;
use fingerpad_contact::spatial::SpatialForce;
use nalgebra::{Point3, Vector3};

impl Frame {
    /// Kinetic energy of a node, without armature (J).
    #[inline]
    pub fn kinetic_of_node(&self, node: usize) -> f64 {
        0.5 * self.inertia[node].of(&self.V[node]).power(&self.V[node])
    }

    /// Kinetic energy with armature (J).
    pub fn kinetic(&self, tree: &Tree, v: &[f64]) -> f64 {
        (0..tree.nodes.len()).map(|i| self.kinetic_of_node(i)).sum::<f64>() + self.kinetic_of_armature(tree, v)
    }

    /// Kinetic energy of drives (J).
    pub fn kinetic_of_armature(&self, tree: &Tree, v: &[f64]) -> f64 {
        tree.armature.iter().zip(v).map(|(a, v)| 0.5 * a * v * v).sum()
    }

    /// Potential energy −Σ m g·c of all links, those fixed to the base included, from the world's origin (J).
    pub fn potential(&self, tree: &Tree) -> f64 {
        let (m, mc_W) = self.first_moment(tree);
        // Without links there is no mass and nothing to weigh.
        if m > 0.0 { -tree.gravity_W.dot(&mc_W) } else { 0.0 }
    }

    /// Centre of mass of all links, those fixed to the base included; NaN without mass.
    pub fn centre_of_mass(&self, tree: &Tree) -> Point3<f64> {
        let (m, mc_W) = self.first_moment(tree);
        Point3::from(mc_W / m)
    }

    /// Mass (kg), and mass times place from the world's origin (kg·m).
    fn first_moment(&self, tree: &Tree) -> (f64, Vector3<f64>) {
        let X = &self.base.X_WP;
        let mut m = tree.fixed.m;
        let mut mc_W = X.rotation * tree.fixed.mc + X.translation.vector * tree.fixed.m;
        for inertia in &self.inertia {
            m += inertia.m;
            mc_W += inertia.mc + self.p_WO * inertia.m;
        }
        (m, mc_W)
    }

    /// Angular momentum about the world's origin and linear momentum of the links, without armature; what is fixed to
    /// the base does not count.
    pub fn momentum(&self) -> SpatialForce {
        let mut sum = SpatialForce::zero();
        for (inertia, V) in self.inertia.iter().zip(&self.V) {
            add_force(&mut sum, &inertia.of(V));
        }
        sum.shift(-self.p_WO)
    }

    /// p = M v from momenta of subtrees: p_k = S_k · Σ_subtree I V + armature_k v_k. The frame's forces are overwritten.
    pub fn momenta(&mut self, tree: &Tree, v: &[f64], p: &mut [f64]) {
        for i in 0..tree.nodes.len() {
            self.F[i] = self.inertia[i].of(&self.V[i]);
        }
        for i in (0..tree.nodes.len()).rev() {
            let (node, F) = (&tree.nodes[i], self.F[i]);
            if let Some(parent) = node.parent {
                add_force(&mut self.F[parent as usize], &F);
            }
            let first = node.first_v as usize;
            for k in first..first + node.motion.nv() {
                p[k] = F.power(&self.S[k]) + tree.armature[k] * v[k];
            }
        }
    }

    /// Mass times place of a node's centre of mass from O (kg·m).
    #[inline]
    pub(super) fn first_moment_of_node(&self, node: usize) -> Vector3<f64> {
        self.inertia[node].mc
    }
}

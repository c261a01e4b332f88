//! # Derivatives of inverse dynamics with respect to q and v
//!
//! frame with velocities, v′ ──▶ **here** ──(∂tau/∂q, ∂tau/∂v)──▶ `query tree`, implicit steppers
//!
//! - **in**: a [`Frame`] whose velocities are set, v′
//! - **out**: dense ∂tau/∂q (q ⊕ δ, δ in the axes of v) and ∂tau/∂v
//! - **start at** [`Derivatives::compute`]
//!
//! In the form of (Carpentier), derived here for columns that are fixed in their nodes. Moving coordinate j carries
//! everything at or below its node along S_j. With P the parent of j's node,
//!
//! ```text
//! ψ_j = S_j × V_P        ξ_j = S_j × A_P − ψ_j × V_P        φ_j = (V_j + V_P) × S_j
//! ∂F_i/∂q_j = S_j ×* F_i − B_i ψ_j − I_i ξ_j                ∂F_i/∂v_j = B_i S_j + I_i φ_j
//! B_i X = X ×* I_i V_i + V_i ×* (I_i X) − I_i (V_i × X)
//! ```
//!
//! for every node i at or below j's; others do not change. F, B and I add up over subtrees, and tau_k = S_k · F^c_k with
//! (S_j × S_k) · F + S_k · (S_j ×* F) = 0, so that
//!
//! ```text
//! ∂tau_k/∂q_j = −S_k · (B^c_k ψ_j + I^c_k ξ_j)                    k at or below j's node
//! ∂tau_k/∂q_j = S_k · (S_j ×* F^c_j − B^c_j ψ_j − I^c_j ξ_j)      k above it
//! ```
//!
//! A_P of the base holds −g. Armature adds nothing: its part of tau depends on v′ alone.

use super::frame::Frame;
use super::rigid::{RigidInertia, add_force, cross, cross_force, sum};
use super::tree::Tree;
use fingerpad_contact::spatial::{SpatialForce, SpatialVelocity};
use nalgebra::{DMatrix, Matrix6, Vector6};

/// Both derivatives and their scratch.
#[derive(Clone, Debug)]
pub struct Derivatives {
    /// ∂tau/∂q: rows tau, columns δ, in the tree's order of v.
    pub dtau_dq: DMatrix<f64>,
    /// ∂tau/∂v.
    pub dtau_dv: DMatrix<f64>,
    inertia: Vec<RigidInertia>,
    /// B of subtrees.
    b: Vec<Matrix6<f64>>,
    tau: Vec<f64>,
}

impl Derivatives {
    /// Scratch for a tree.
    pub fn new(tree: &Tree) -> Self {
        let (n, nodes) = (tree.nv(), tree.nodes.len());
        Self {
            dtau_dq: DMatrix::zeros(n, n),
            dtau_dv: DMatrix::zeros(n, n),
            inertia: vec![RigidInertia::zero(); nodes],
            b: vec![Matrix6::zeros(); nodes],
            tau: vec![0.0; n],
        }
    }

    /// Both derivatives at the frame's configuration and velocities, for v′.
    pub fn compute(&mut self, tree: &Tree, frame: &mut Frame, v: &[f64], vdot: &[f64]) {
        frame.inverse_dynamics(tree, v, vdot, &mut self.tau);
        self.compose(tree, frame);
        self.dtau_dq.fill(0.0);
        self.dtau_dv.fill(0.0);
        let (V_base, mut A_base) = (frame.base_velocity(), frame.base_acceleration());
        A_base.v -= tree.gravity_W;
        for j in 0..tree.nv() {
            let own = tree.node_of[j] as usize;
            let node = &tree.nodes[own];
            let (V_P, A_P) = node.parent.map_or((V_base, A_base), |p| (frame.V[p as usize], frame.A[p as usize]));
            let S_j = frame.S[j];
            let psi = cross(&S_j, &V_P);
            let xi = cross(&S_j, &A_P) - cross(&psi, &V_P);
            let phi = cross(&sum(&frame.V[own], &V_P), &S_j);
            // Rows at or below the node of j, which are one range.
            let end = self.end_of_subtree(tree, own);
            for k in node.first_v as usize..end {
                let at = tree.node_of[k] as usize;
                let S_k = &frame.S[k];
                self.dtau_dq[(k, j)] = -self.rate(at, &psi, &xi).power(S_k);
                self.dtau_dv[(k, j)] = self.rate(at, &S_j, &phi).power(S_k);
            }
            // Rows above it.
            let moved = cross_force(&S_j, &frame.F[own]);
            let held = self.rate(own, &psi, &xi);
            let quicker = self.rate(own, &S_j, &phi);
            for k in tree.path(j).iter().map(|k| *k as usize).filter(|k| *k < node.first_v as usize) {
                let S_k = &frame.S[k];
                self.dtau_dq[(k, j)] = moved.power(S_k) - held.power(S_k);
                self.dtau_dv[(k, j)] = quicker.power(S_k);
            }
        }
    }

    /// B^c X + I^c Y of a node's subtree.
    #[inline]
    fn rate(&self, node: usize, X: &SpatialVelocity, Y: &SpatialVelocity) -> SpatialForce {
        let BX = self.b[node] * Vector6::new(X.w.x, X.w.y, X.w.z, X.v.x, X.v.y, X.v.z);
        let mut F = self.inertia[node].of(Y);
        F.t += BX.fixed_rows::<3>(0);
        F.f += BX.fixed_rows::<3>(3);
        F
    }

    /// Inertias and B of subtrees.
    fn compose(&mut self, tree: &Tree, frame: &Frame) {
        for i in (0..tree.nodes.len()).rev() {
            (self.inertia[i], self.b[i]) = (frame.inertia[i], b_of(&frame.inertia[i], &frame.V[i]));
        }
        for i in (0..tree.nodes.len()).rev() {
            if let Some(parent) = tree.nodes[i].parent {
                let (inertia, b) = (self.inertia[i], self.b[i]);
                self.inertia[parent as usize] += inertia;
                self.b[parent as usize] += b;
            }
        }
    }

    /// The column after the last one below a node.
    fn end_of_subtree(&self, tree: &Tree, node: usize) -> usize {
        let first = tree.nodes[node].first_v;
        let below = |k: usize| tree.path(k).contains(&(first as u16));
        (first as usize..tree.nv()).find(|k| !below(*k)).unwrap_or(tree.nv())
    }
}

/// B of one inertia that moves with V, column by column.
fn b_of(inertia: &RigidInertia, V: &SpatialVelocity) -> Matrix6<f64> {
    let h = inertia.of(V);
    let mut b = Matrix6::zeros();
    for k in 0..6 {
        let mut X = SpatialVelocity::zero();
        if k < 3 {
            X.w[k] = 1.0;
        } else {
            X.v[k - 3] = 1.0;
        }
        let mut column = cross_force(&X, &h);
        add_force(&mut column, &cross_force(V, &inertia.of(&X)));
        add_force(&mut column, &-inertia.of(&cross(V, &X)));
        b.fixed_view_mut::<3, 1>(0, k).copy_from(&column.t);
        b.fixed_view_mut::<3, 1>(3, k).copy_from(&column.f);
    }
    b
}

//! # Fixed steps of a tree: midpoint with an energy correction along the motion, and a last touch of the velocity
//!
//! state ──(prediction)──▶ M, bias at mid-step ──(rounds)──▶ v_s ──(touch)──▶ state, [`FixedReport`]
//!
//! - **in**: a tree, its state, a step h, forces along the coordinates, springs and dampers of the joints
//! - **out**: the state after the step; what was corrected, touched and lost
//! - **not here**: contacts: they add rows to the same residual
//! - **start at** [`Fixed::advance`]
//!
//! ```text
//! Δv = s − M⁻¹ w s,   v_s = v0 + s/2,   q1 = q0 ⊕ h v_s,   v1 = v0 + Δv
//! I  = M Δv + h b(q_m, v_s)                        M, b at q_m = q0 ⊕ (h/2) v_s of the prediction
//! ε  = ΔT + ΔU + ½ Δv·(w s) − v_s·I                energy that the rows of inertia and gravity do not explain
//! r  = I + ε a/(a·v_s) − h (f + tau) = 0,          a = M ṽ
//! M̃ = M − w + (h²/2) θ k + (h/2) d                 s ← s − M̃⁻¹ r
//! ```
//!
//! The correction is a discrete gradient (Gonzalez): along the motion it makes the step's work that of the energies, and
//! being O(h³) it leaves the order at two. ṽ is v_s, but for a floating root, whose part is chosen so that a is zero
//! there: internal forces alone correct, and momentum is not touched by them.
//!
//! **What this shows and what not.** The energy is right by construction, also with a wrong bias: the correction absorbs
//! it. `corrected` = |ε|, which falls as h³ a step for right equations and stays for wrong ones, is the evidence.

use super::rows::JointRows;
use crate::coordinates::{Factor, Frame, Mass, NotPositive, Tree, TreeState};
use nalgebra::Vector3;

/// Errors of energies below this share of their scale are rounding.
const ROUNDING: f64 = 1e-14;

/// Settings of fixed steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fixed {
    /// Most rounds of the equations.
    pub rounds: usize,
    /// A round that changes s by less than this share of it is the last.
    ///
    /// What is left unsolved has an order of its own: two rounds that end at 1e-3 gave order 1.8 on a floating tree, and
    /// 1.5 on a top at 120 rad/s (2.5 to 1.25 ms), with the energy correction and without it.
    pub enough: f64,
    /// Whether energy is corrected along the motion.
    pub correct: bool,
    /// Whether the velocity is touched at the end.
    pub touch: bool,
}

impl Default for Fixed {
    fn default() -> Self {
        Self { rounds: 3, enough: 1e-5, correct: true, touch: true }
    }
}

/// What one step did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FixedReport {
    /// |ε|: energy that the rows did not explain by themselves (J).
    pub corrected: f64,
    /// |T* − T1| before the touch (J).
    pub touched: f64,
    /// T* − T1 after it (J).
    pub E_inertia: f64,
    /// Lost in dampers of joints (J).
    pub E_joint: f64,
    /// Lost by the blend of stiff rows (J).
    pub E_num: f64,
    /// Work of `tau` (J).
    pub work: f64,
    /// Rounds taken.
    pub rounds: usize,
    /// The touch would have changed the velocity by more than 1e-3 of it: the step is too long for the motion.
    pub refused: bool,
}

/// Scratch of fixed steps.
#[derive(Clone, Debug)]
pub struct FixedWork {
    /// Springs and dampers of the joints.
    pub joints: JointRows,
    /// The tree at the predicted mid-step.
    pub(crate) mid: Frame,
    pub(crate) end: Frame,
    pub(crate) mass: Mass,
    /// M = LᵀL at mid-step.
    pub(crate) factor: Factor,
    /// The factor of M̃.
    pub(crate) soft: Factor,
    pub(super) start: Ends,
    /// Kinetic energy of each node at the end, and what the tree gained (J), as last told.
    pub(super) ending: Vec<f64>,
    pub(super) gain: f64,
    pub(crate) q: Vec<f64>,
    pub(super) v: Vec<f64>,
    /// The unknown of a step.
    pub(crate) s: Vec<f64>,
    /// v0 + s/2: what moves the joints.
    pub(crate) v_s: Vec<f64>,
    pub(super) dv: Vec<f64>,
    /// Σ Jᵀ w J s of contacts: their share of the blend.
    pub(crate) extra: Vec<f64>,
    /// M s, for a scale of residuals.
    pub(crate) momenta_of_s: Vec<f64>,
    /// I, then r.
    pub(crate) residual: Vec<f64>,
    pub(crate) bias: Vec<f64>,
    pub(crate) force: Vec<f64>,
    pub(super) direction: Vec<f64>,
    pub(super) a: Vec<f64>,
    pub(super) momenta: Vec<f64>,
    #[cfg(test)]
    pub(super) mutation: super::tests::Mutation,
}

/// Energies at the start of a step, by node: differences keep more digits than totals.
#[derive(Clone, Debug)]
pub(super) struct Ends {
    pub(super) q: Vec<f64>,
    pub(super) v: Vec<f64>,
    pub(super) kinetic: Vec<f64>,
    pub(super) mc: Vec<Vector3<f64>>,
    pub(super) p_WO: Vector3<f64>,
}

impl FixedWork {
    /// Scratch for a tree.
    pub fn new(tree: &Tree) -> Self {
        let (n, nodes) = (tree.nv(), tree.nodes().len());
        let zeros = || vec![0.0; n];
        let start = Ends {
            q: vec![f64::NAN; tree.nq()],
            v: zeros(),
            kinetic: vec![0.0; nodes],
            mc: vec![Vector3::zeros(); nodes],
            p_WO: Vector3::zeros(),
        };
        Self {
            joints: JointRows::new(tree),
            mid: Frame::new(tree),
            end: Frame::new(tree),
            mass: Mass::new(tree),
            factor: Factor::new(tree),
            soft: Factor::new(tree),
            start,
            ending: vec![0.0; nodes],
            gain: 0.0,
            q: vec![0.0; tree.nq()],
            v: zeros(),
            s: zeros(),
            v_s: zeros(),
            dv: zeros(),
            extra: zeros(),
            momenta_of_s: zeros(),
            residual: zeros(),
            bias: zeros(),
            force: zeros(),
            direction: zeros(),
            a: zeros(),
            momenta: zeros(),
            #[cfg(test)]
            mutation: super::tests::Mutation::None,
        }
    }
}

impl FixedWork {
    /// The factor of M̃, for rows along one coordinate each.
    fn soften(&mut self, tree: &Tree, h: f64) -> Result<(), NotPositive> {
        if self.joints.rows.is_empty() {
            return Ok(());
        }
        let diagonal = &mut self.momenta;
        diagonal.fill(0.0);
        self.joints.slopes(&self.v_s, h, |i, _, slope| diagonal[i] += slope);
        self.soft.compute_with(tree, &self.mass, diagonal)
    }
}

impl Fixed {
    /// One step of h under forces `tau` along the coordinates (empty: none).
    pub fn advance(
        &self,
        tree: &Tree,
        state: &mut TreeState,
        work: &mut FixedWork,
        tau: &[f64],
        h: f64,
    ) -> Result<FixedReport, NotPositive> {
        let mut report = FixedReport::default();
        work.begin(tree, state);
        work.predict(state);
        work.at_mid_step(tree, state, h)?;
        work.soften(tree, h)?;
        let first = state.energy_scale == 0.0;
        for round in 1..=self.rounds {
            work.end_of_step(tree, state, h);
            if first {
                work.gained(tree);
                state.energy_scale = work.scale(tree);
            }
            work.inertia(tree, h);
            let energy = work.gained(tree) + work.blend();
            let unexplained = energy - dot(&work.v_s, &work.residual);
            report.corrected = unexplained.abs();
            if self.correct && unexplained.abs() > ROUNDING * state.energy_scale {
                work.correct(tree, unexplained);
            }
            work.forces(tau, h);
            (0..tree.nv()).for_each(|k| work.residual[k] -= h * work.force[k]);
            let factor = if work.joints.rows.is_empty() { &work.factor } else { &work.soft };
            factor.solve(tree, &mut work.residual);
            (0..tree.nv()).for_each(|k| work.s[k] -= work.residual[k]);
            report.rounds = round;
            if largest(&work.residual) <= self.enough * largest(&work.s) {
                break;
            }
        }
        work.end_of_step(tree, state, h);
        let losses = work.account(tau, h, |_, _| {});
        let blend = work.blend();
        report.E_joint = losses.viscous;
        report.E_num = losses.numerical + blend;
        report.work = tau.iter().zip(&work.v_s).map(|(tau, v)| h * tau * v).sum();
        // What the rows supplied, less what the tree has; debts of the last step are paid here.
        let mut missing = h * dot(&work.v_s, &work.force) - blend - work.gained(tree) + state.owed;
        report.touched = missing.abs();
        if self.touch {
            report.refused = !work.touch(tree, &mut missing, ROUNDING * state.energy_scale);
        }
        report.E_inertia = missing;
        state.owed = if report.refused || !self.touch { 0.0 } else { missing };
        work.commit(tree, state);
        Ok(report)
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(super) fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x| m.max(x.abs()))
}

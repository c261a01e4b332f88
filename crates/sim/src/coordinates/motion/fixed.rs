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
use crate::coordinates::{Base, Factor, Frame, Mass, NotPositive, Tree, TreeState};
use nalgebra::{Matrix6, Vector3, Vector6};

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
    end: Frame,
    mass: Mass,
    /// M = LᵀL at mid-step.
    pub(crate) factor: Factor,
    /// The factor of M̃.
    pub(crate) soft: Factor,
    start: Ends,
    q: Vec<f64>,
    v: Vec<f64>,
    /// The unknown of a step.
    pub(crate) s: Vec<f64>,
    /// v0 + s/2: what moves the joints.
    pub(crate) v_s: Vec<f64>,
    dv: Vec<f64>,
    /// I, then r.
    pub(crate) residual: Vec<f64>,
    bias: Vec<f64>,
    force: Vec<f64>,
    direction: Vec<f64>,
    a: Vec<f64>,
    momenta: Vec<f64>,
    #[cfg(test)]
    pub(super) mutation: super::tests::Mutation,
}

/// Energies at the start of a step, by node: differences keep more digits than totals.
#[derive(Clone, Debug)]
struct Ends {
    q: Vec<f64>,
    v: Vec<f64>,
    kinetic: Vec<f64>,
    mc: Vec<Vector3<f64>>,
    p_WO: Vector3<f64>,
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
            q: vec![0.0; tree.nq()],
            v: zeros(),
            s: zeros(),
            v_s: zeros(),
            dv: zeros(),
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
        let first = state.energy_scale == 0.0;
        for round in 1..=self.rounds {
            work.end_of_step(tree, state, h);
            if first {
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
        work.forces(tau, h);
        let losses = work.joints.losses(&work.v_s, h);
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

/// Phases of a step. [`Fixed::advance`] shows their order; steppers with contacts add rows to `residual` between them.
impl FixedWork {
    /// Energies at the start: those of the end of the last step, unless the state was changed in between.
    pub(crate) fn begin(&mut self, tree: &Tree, state: &TreeState) {
        if self.start.q != state.q || self.start.v != state.v {
            self.q.copy_from_slice(&state.q);
            self.v.copy_from_slice(&state.v);
            self.end.place(tree, &self.q, &Base::default());
            self.end.set_velocities(tree, &self.v);
            self.keep(tree);
        }
    }

    /// Keeps the end as the start of the next step.
    fn keep(&mut self, tree: &Tree) {
        self.start.q.copy_from_slice(&self.q);
        self.start.v.copy_from_slice(&self.v);
        self.start.p_WO = self.end.p_WO;
        for i in 0..tree.nodes().len() {
            self.start.kinetic[i] = self.end.kinetic_of_node(i);
            self.start.mc[i] = self.end.first_moment_of_node(i);
        }
    }

    /// s from the last two steps.
    pub(crate) fn predict(&mut self, state: &TreeState) {
        let [last, before] = &state.last;
        for k in 0..self.s.len() {
            self.s[k] = match state.known {
                0 => 0.0,
                1 => last[k],
                _ => 2.0 * last[k] - before[k],
            };
        }
    }

    /// M, its factors and the weights of stiff rows at the predicted mid-step.
    pub(crate) fn at_mid_step(&mut self, tree: &Tree, state: &TreeState, h: f64) -> Result<(), NotPositive> {
        (0..tree.nv()).for_each(|k| self.v_s[k] = state.v[k] + 0.5 * self.s[k]);
        tree.add_motion(&state.q, &self.v_s, 0.5 * h, &mut self.q);
        self.mid.place(tree, &self.q, &Base::default());
        #[cfg(test)]
        self.mutation.of_frame(&mut self.mid);
        self.mass.compute(tree, &self.mid);
        self.factor.compute(tree, &self.mass)?;
        if !self.joints.rows.is_empty() {
            self.joints.weigh(tree, &self.factor, &state.q, h);
            self.soft.compute_with(tree, &self.mass, &self.joints.slope)?;
        }
        Ok(())
    }

    /// v_s, Δv, q1, v1 and everything at the end, from s.
    pub(crate) fn end_of_step(&mut self, tree: &Tree, state: &TreeState, h: f64) {
        let n = tree.nv();
        if self.joints.any_w {
            (0..n).for_each(|k| self.dv[k] = self.joints.w[k] * self.s[k]);
            self.factor.solve(tree, &mut self.dv);
            (0..n).for_each(|k| self.dv[k] = self.s[k] - self.dv[k]);
        } else {
            self.dv.copy_from_slice(&self.s);
        }
        for k in 0..n {
            self.v_s[k] = state.v[k] + 0.5 * self.s[k];
            self.v[k] = state.v[k] + self.dv[k];
        }
        tree.add_motion(&state.q, &self.v_s, h, &mut self.q);
        self.end.place(tree, &self.q, &Base::default());
        self.end.set_velocities(tree, &self.v);
    }

    /// I = M Δv + h b.
    pub(crate) fn inertia(&mut self, tree: &Tree, h: f64) {
        self.mass.multiply(tree, &self.dv, &mut self.residual);
        self.mid.set_velocities(tree, &self.v_s);
        self.mid.bias(tree, &self.v_s, &mut self.bias);
        #[cfg(test)]
        self.mutation.of_bias(tree, &self.mid, &mut self.bias);
        (0..tree.nv()).for_each(|k| self.residual[k] += h * self.bias[k]);
    }

    /// ΔT + ΔU over the step, node by node (J).
    pub(crate) fn gained(&self, tree: &Tree) -> f64 {
        let mut sum = 0.0;
        let shift = self.end.p_WO - self.start.p_WO;
        for (i, node) in tree.nodes().iter().enumerate() {
            let fallen = self.end.first_moment_of_node(i) - self.start.mc[i] + shift * node.mass;
            sum += self.end.kinetic_of_node(i) - self.start.kinetic[i] - tree.gravity_W().dot(&fallen);
        }
        for k in 0..tree.nv() {
            let (v0, v1) = (self.start.v[k], self.v[k]);
            sum += 0.5 * tree.armature(k) * (v1 - v0) * (v1 + v0);
        }
        sum
    }

    /// ½ Δv·(w s): what the blend of stiff rows takes (J).
    pub(crate) fn blend(&self) -> f64 {
        if !self.joints.any_w {
            return 0.0;
        }
        (0..self.s.len()).map(|k| 0.5 * self.dv[k] * self.joints.w[k] * self.s[k]).sum()
    }

    /// The scale of the energies: kinetic, and weights times their reach.
    fn scale(&self, tree: &Tree) -> f64 {
        let g = tree.gravity_W().norm();
        let reach: f64 = self.start.mc.iter().map(|mc| g * mc.norm()).sum();
        self.end.kinetic(tree, &self.v) + reach + self.joints.stored(&self.q) + f64::MIN_POSITIVE
    }

    /// Adds ε a/(a·v_s) to the residual.
    pub(crate) fn correct(&mut self, tree: &Tree, unexplained: f64) {
        self.internal_direction(tree);
        self.mass.multiply(tree, &self.direction, &mut self.a);
        let along = dot(&self.a, &self.v_s);
        // Only a root moves: nothing inside can correct.
        self.mass.multiply(tree, &self.v_s, &mut self.momenta);
        let whole = dot(&self.momenta, &self.v_s);
        if along > 1e-12 * whole {
            (0..tree.nv()).for_each(|k| self.residual[k] += unexplained * self.a[k] / along);
        }
    }

    /// ṽ: v_s, with floating roots moved so that M ṽ is zero on them.
    fn internal_direction(&mut self, tree: &Tree) {
        self.direction.copy_from_slice(&self.v_s);
        if tree.floating.is_empty() {
            return;
        }
        self.mass.multiply(tree, &self.v_s, &mut self.a);
        for first in tree.floating.iter().map(|first| *first as usize) {
            let entry = |i: usize, j: usize| self.mass.entry(tree, first + i, first + j);
            let M = Matrix6::from_fn(entry);
            let p = Vector6::from_fn(|i, _| self.a[first + i]);
            if let Some(root) = M.cholesky() {
                let z = root.solve(&p);
                (0..6).for_each(|i| self.direction[first + i] -= z[i]);
            }
        }
    }

    /// Mean forces over the step: springs, dampers and `tau`.
    pub(crate) fn forces(&mut self, tau: &[f64], h: f64) {
        self.force.fill(0.0);
        self.force.iter_mut().zip(tau).for_each(|(force, tau)| *force += tau);
        self.joints.add_forces(&self.v_s, h, &mut self.force);
    }

    /// Moves v1 along ṽ until the kinetic energy is what the work left; false where that would be more than a touch.
    pub(crate) fn touch(&mut self, tree: &Tree, missing: &mut f64, rounding: f64) -> bool {
        if missing.abs() <= rounding {
            return true;
        }
        self.internal_direction(tree);
        for _ in 0..2 {
            self.end.momenta(tree, &self.v, &mut self.momenta);
            let slope = dot(&self.direction, &self.momenta);
            let alpha = *missing / slope;
            let change = alpha.abs() * largest(&self.direction);
            if change > 1e-3 * largest(&self.v) || change.is_nan() {
                return false;
            }
            let before = self.gained(tree);
            for k in 0..tree.nv() {
                self.v[k] += alpha * self.direction[k];
            }
            self.end.set_velocities(tree, &self.v);
            *missing -= self.gained(tree) - before;
            if missing.abs() <= rounding {
                break;
            }
        }
        true
    }

    /// The end becomes the state.
    pub(crate) fn commit(&mut self, tree: &Tree, state: &mut TreeState) {
        state.q.copy_from_slice(&self.q);
        state.v.copy_from_slice(&self.v);
        state.last.swap(0, 1);
        state.last[0].copy_from_slice(&self.s);
        state.known = (state.known + 1).min(2);
        self.keep(tree);
        let kinetic: f64 = self.start.kinetic.iter().sum();
        state.energy_scale = state.energy_scale.max(kinetic);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x| m.max(x.abs()))
}

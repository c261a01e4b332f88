//! # Phases of a fixed step
//!
//! - **in**: a tree, the state at the start, s
//! - **out**: M and bias at mid-step, the end of the step, residual, corrections; the state moved on
//! - **not here**: their order and the equations (`fixed`)
//! - **start at** [`FixedWork::at_mid_step`], [`FixedWork::end_of_step`]

use super::fixed::{FixedWork, dot, largest};
use super::rows::Losses;
use crate::coordinates::{Base, NotPositive, Tree, TreeState};
use crate::drive::DriveStep;
use nalgebra::{Matrix6, Vector6};

/// Phases of a step. [`Fixed::advance`] shows their order; steppers with contacts add rows to `residual` between them.
impl FixedWork {
    /// Energies at the start: those of the end of the last step, unless the state was changed in between.
    pub(crate) fn begin(&mut self, tree: &Tree, state: &TreeState) {
        if self.start.q != state.q || self.start.v != state.v {
            self.q.copy_from_slice(&state.q);
            self.v.copy_from_slice(&state.v);
            self.end.place(tree, &self.q, &Base::default());
            self.end.set_velocities(tree, &self.v);
            (0..tree.nodes().len()).for_each(|i| self.ending[i] = self.end.kinetic_of_node(i));
            self.keep(tree);
        }
    }

    /// Keeps the end as the start of the next step, with its energies as last told.
    fn keep(&mut self, tree: &Tree) {
        self.start.q.copy_from_slice(&self.q);
        self.start.v.copy_from_slice(&self.v);
        self.start.p_WO = self.end.p_WO;
        for i in 0..tree.nodes().len() {
            self.start.kinetic[i] = self.ending[i];
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

    /// M, its factor and the weights of stiff rows at the predicted mid-step.
    pub(crate) fn at_mid_step(&mut self, tree: &Tree, state: &TreeState, h: f64) -> Result<(), NotPositive> {
        (0..tree.nv()).for_each(|k| self.v_s[k] = state.v[k] + 0.5 * self.s[k]);
        tree.add_motion(&state.q, &self.v_s, 0.5 * h, &mut self.q);
        self.mid.place(tree, &self.q, &Base::default());
        #[cfg(test)]
        self.mutation.of_frame(&mut self.mid);
        self.mass.compute(tree, &self.mid);
        self.factor.compute(tree, &self.mass)?;
        if !self.joints.rows.is_empty() {
            self.joints.weigh(tree, (&self.factor, &self.mid), &state.q, &self.v_s, h);
        }
        Ok(())
    }

    /// v_s, Δv, q1, v1 and everything at the end, from s.
    pub(crate) fn end_of_step(&mut self, tree: &Tree, state: &TreeState, h: f64) {
        let n = tree.nv();
        if self.blends() {
            self.dv.copy_from_slice(&self.extra);
            self.joints.add_blend(&self.s, &mut self.dv);
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

    /// ΔT + ΔU over the step, node by node (J); kept beside what it is a sum of.
    pub(crate) fn gained(&mut self, tree: &Tree) -> f64 {
        let mut sum = 0.0;
        let shift = self.end.p_WO - self.start.p_WO;
        for (i, node) in tree.nodes().iter().enumerate() {
            let fallen = self.end.first_moment_of_node(i) - self.start.mc[i] + shift * node.mass;
            self.ending[i] = self.end.kinetic_of_node(i);
            sum += self.ending[i] - self.start.kinetic[i] - tree.gravity_W().dot(&fallen);
        }
        for k in 0..tree.nv() {
            let (v0, v1) = (self.start.v[k], self.v[k]);
            sum += 0.5 * tree.armature(k) * (v1 - v0) * (v1 + v0);
        }
        self.gain = sum;
        sum
    }

    /// ½ Δv·(w s + Σ Jᵀ w J s): what the blend of stiff rows takes (J).
    pub(crate) fn blend(&self) -> f64 {
        if !self.blends() {
            return 0.0;
        }
        0.5 * (dot(&self.dv, &self.extra) + self.joints.blended(&self.s, &self.dv))
    }

    /// Whether stiff rows are blended, of joints or of contacts.
    fn blends(&self) -> bool {
        self.joints.any_w || self.extra.iter().any(|x| *x != 0.0)
    }

    /// The scale of the energies: kinetic, as last told, and weights times their reach.
    pub(crate) fn scale(&self, tree: &Tree) -> f64 {
        let g = tree.gravity_W().norm();
        let reach: f64 = self.start.mc.iter().map(|mc| g * mc.norm()).sum();
        let kinetic = self.ending.iter().sum::<f64>() + self.end.kinetic_of_armature(tree, &self.v);
        kinetic + reach + self.joints.stored(&self.q) + f64::MIN_POSITIVE
    }

    /// Adds ε a/(a·v_s) to the residual.
    pub(crate) fn correct(&mut self, tree: &Tree, unexplained: f64) {
        self.internal_direction(tree);
        self.mass.multiply(tree, &self.direction, &mut self.a);
        let along = dot(&self.a, &self.v_s);
        let mut whole = along;
        if !tree.floating.is_empty() {
            // Only a root moves: nothing inside can correct.
            self.mass.multiply(tree, &self.v_s, &mut self.momenta);
            whole = dot(&self.momenta, &self.v_s);
        }
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

    /// The same, and what the joints lost; steps of drives are told one by one.
    pub(crate) fn account(&mut self, tau: &[f64], h: f64, tell: impl FnMut(usize, DriveStep)) -> Losses {
        self.force.fill(0.0);
        self.force.iter_mut().zip(tau).for_each(|(force, tau)| *force += tau);
        self.joints.account(&self.v_s, h, &mut self.force, tell)
    }

    /// Moves v1 along ṽ until the kinetic energy is what the work left; false where that would be more than a touch. `missing` is
    /// by the last [`Self::gained`].
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
            // As last told, of the velocity at hand.
            let before = self.gain;
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

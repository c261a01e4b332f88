//! # Rows of joints in a fixed step: limits, dry friction, equations; and the end of a tree's step
//!
//! - **in**: a tree with its state, s and the impulses λ of its rows
//! - **out**: rows A over s with their offsets and intervals; the state at the end, with what each row lost
//! - **not here**: solving for λ (`solve`)
//! - **start at** [`TreeStep::list_rows`], then [`TreeStep::finish`]
//!
//! ```text
//! limit        sign s_j + 2 (sign v0_j + gap/h) ≥ 0 ⊥ λ ≥ 0        the coordinate ends within its limit: h v_s ≥ −gap
//! dry friction |λ| ≤ h loss,  s_j + v0_j = 0 inside                 it comes to rest at the end of the step
//! equation     A s + 2 A v0 + 2 ∂g/∂t = 0                           A v_s + ∂g/∂t = 0, A of mid-step, ∂g/∂t the mean of both ends
//! ```
//!
//! A limit that pushed leaves the velocity of the midpoint rule, which would throw the joint back. So v1 is set to −e v0 there
//! by the least change (`E_limit`). What equations miss at the end is brought together by the least motion (`E_project`).

use super::TreeStep;
use crate::coordinates::motion::FixedWork;
use crate::coordinates::{Base, Equations, TreeState};
use crate::drive::DriveState;
use crate::model::trees::ModelTree;

/// How well equations hold at the end of a step (m, rad).
const CLOSED: f64 = 1e-13;
/// Approaches of a limit slower than this (rad/s or m/s) do not bounce.
const SLOW: f64 = 1e-6;
/// Velocities as near as this (rad/s or m/s) are those aimed at.
const MET: f64 = 1e-14;

/// A row of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointRow {
    /// A limit: +1 the lower, −1 the upper; its gap.
    Limit { column: usize, sign: f64, gap: f64 },
    /// Dry friction.
    Friction { column: usize, loss: f64 },
    /// A row of the equations.
    Equation(usize),
}

impl TreeStep {
    /// Which rows may act in a step of length h.
    pub fn list_rows(&mut self, made: &ModelTree, now: &TreeState, h: f64) {
        let tree = &made.tree;
        self.rows.clear();
        self.rows.reserve(3 * tree.nv() + Equations::count(&made.equations));
        for column in 0..tree.nv() {
            let (law, Some(q)) = (tree.law(column), tree.scalar_q(column)) else { continue };
            if let Some([low, high]) = law.limit {
                // Contacts may push harder than the last step shows: whoever comes near is listed.
                let way = 4.0 * h * (now.v[column].abs() + self.work.s[column].abs()) + 0.05 * (high - low);
                for (sign, gap) in [(1.0, now.q[q] - low), (-1.0, high - now.q[q])] {
                    if gap <= way {
                        self.rows.push(JointRow::Limit { column, sign, gap });
                    }
                }
            }
            if law.friction_loss > 0.0 {
                self.rows.push(JointRow::Friction { column, loss: law.friction_loss });
            }
        }
        self.rows.extend((0..Equations::count(&made.equations)).map(JointRow::Equation));
        self.lambda.clear();
        self.lambda.reserve(self.rows.capacity());
        if now.forces.len() == self.rows.len() {
            self.lambda.extend(now.forces.iter().map(|f| f * h));
        } else {
            self.lambda.resize(self.rows.len(), 0.0);
        }
    }

    /// Rows that there can be.
    pub fn most_rows(&self) -> usize {
        self.rows.capacity()
    }

    /// A row over s, added to `row`; its offset and interval.
    pub fn row(&self, i: usize, v0: &[f64], h: f64, row: &mut [f64]) -> (f64, f64, f64) {
        let n = v0.len();
        match self.rows[i] {
            JointRow::Limit { column, sign, gap } => {
                row[column] = sign;
                (2.0 * (sign * v0[column] + gap / h), 0.0, f64::INFINITY)
            }
            JointRow::Friction { column, loss } => {
                row[column] = 1.0;
                (v0[column], -h * loss, h * loss)
            }
            JointRow::Equation(k) => {
                let a = &self.equations.a[k * n..(k + 1) * n];
                row.copy_from_slice(a);
                let along: f64 = a.iter().zip(v0).map(|(a, v)| a * v).sum();
                // Rows are those of mid-step, g is closed at both ends: what it is there bends by.
                (2.0 * (along + self.equations.rate[k]), f64::NEG_INFINITY, f64::INFINITY)
            }
        }
    }

    /// Adds −Aᵀ λ.
    pub fn subtract_rows(&self, residual: &mut [f64]) {
        let n = residual.len();
        for (row, lambda) in self.rows.iter().zip(&self.lambda) {
            match row {
                JointRow::Limit { column, sign, .. } => residual[*column] -= sign * lambda,
                JointRow::Friction { column, .. } => residual[*column] -= lambda,
                JointRow::Equation(k) => {
                    let a = &self.equations.a[k * n..(k + 1) * n];
                    residual.iter_mut().zip(a).for_each(|(r, a)| *r -= a * lambda);
                }
            }
        }
    }

    /// The end of the step: books, the touch of the velocity, limits and equations; the state moved on. What bodies that move
    /// as told have supplied (J).
    pub fn finish(
        &mut self,
        made: &ModelTree,
        now: &mut TreeState,
        drives: &mut [DriveState],
        (time, h): (f64, f64),
        touches: bool,
    ) -> f64 {
        let mut given = 0.0;
        let (tree, n) = (&made.tree, made.tree.nv());
        let work = &mut self.work;
        let losses = work.account(&self.tau, h, |i, step| drives[made.drives[i].drive].last = step);
        now.sums.E_geo += work.joints.misfit(tree, &work.end, &work.v_s, h);
        let blend = work.blend();
        now.sums.E_joint += losses.viscous;
        now.sums.E_drive += losses.driven;
        now.sums.W_drive += losses.supplied;
        // The blend of a tree that touches others is told with theirs.
        now.sums.E_num += losses.numerical + self.alone;
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mut supplied = h * dot(&work.v_s, &work.force) - dot(&work.v_s, &self.pushed) - blend;
        for (row, lambda) in self.rows.iter().zip(&self.lambda) {
            match row {
                JointRow::Limit { column, sign, .. } => {
                    let done = lambda * sign * work.v_s[*column];
                    now.sums.E_limit -= done;
                    supplied += done;
                }
                JointRow::Friction { column, .. } => {
                    let done = lambda * work.v_s[*column];
                    now.sums.E_joint += (-done).max(0.0);
                    now.sums.E_num += (-done).min(0.0);
                    supplied += done;
                }
                JointRow::Equation(k) => {
                    let done = lambda * dot(&self.equations.a[k * n..(k + 1) * n], &work.v_s);
                    let by_guides = -lambda * self.equations.rate[*k];
                    now.sums.E_num -= done - by_guides;
                    given += by_guides;
                    supplied += done;
                }
            }
        }
        let mut missing = supplied - work.gained(tree) + now.owed;
        let rounding = 1e-14 * self.scale;
        if touches {
            work.touch(tree, &mut missing, rounding);
        }
        // What a touch leaves is owed to the next step, below rounding; else it is told.
        let (told, owed) = if missing.abs() <= rounding { (0.0, missing) } else { (missing, 0.0) };
        now.sums.E_inertia += told;
        now.owed = owed;
        now.forces.clear();
        now.forces.reserve(self.rows.capacity());
        now.forces.extend(self.lambda.iter().map(|f| f / h));
        self.aims.clear();
        self.aims.extend(pushing(&self.rows, &self.lambda).map(|(column, sign)| {
            let v0 = now.v[column];
            let fast = sign * v0 < -SLOW;
            (column, if fast { -tree.law(column).restitution * v0 } else { 0.0 })
        }));
        work.commit(tree, now);
        self.land(made, now, time + h);
        self.close(made, now, time + h);
        given
    }

    /// Newton's rule at limits that pushed: v1 = −e v0, or rest.
    fn land(&mut self, made: &ModelTree, now: &mut TreeState, t: f64) {
        let tree = &made.tree;
        if self.aims.iter().all(|(column, aim)| (now.v[*column] - aim).abs() <= MET) {
            return;
        }
        let work = &mut self.work;
        work.end.set_velocities(tree, &now.v);
        let before = work.end.kinetic(tree, &now.v);
        work.mass.compute(tree, &work.end);
        if work.factor.compute(tree, &work.mass).is_err() {
            return;
        }
        let landed = self.impact.meet(tree, made.held(t), (&work.end, &work.factor), &now.q, &mut now.v, &self.aims);
        work.end.set_velocities(tree, &now.v);
        now.sums.E_limit += before - work.end.kinetic(tree, &now.v);
        // Whatever was smooth is not any more.
        now.known = if landed { 0 } else { now.known };
    }

    /// Couplings and loops at the end of the step.
    fn close(&mut self, made: &ModelTree, now: &mut TreeState, t: f64) {
        if made.equations.is_empty() {
            return;
        }
        let (tree, work) = (&made.tree, &mut self.work);
        work.end.place(tree, &now.q, &Base::default());
        work.end.set_velocities(tree, &now.v);
        let energy = |work: &FixedWork, now: &TreeState| {
            let springs = work.joints.stored(&now.q) + work.joints.stored_in_springs(tree, &work.end);
            work.end.kinetic(tree, &now.v) + work.end.potential(tree) + springs
        };
        let before = energy(work, now);
        let rooms = (&mut work.end, &mut work.mass, &mut work.factor);
        self.closing.close(tree, made.held(t), &mut now.q, rooms, CLOSED, 4);
        work.mass.compute(tree, &work.end);
        if work.factor.compute(tree, &work.mass).is_ok() {
            self.closing.settle(tree, made.held(t), &now.q, &mut now.v, &work.end, &work.factor);
        }
        work.end.set_velocities(tree, &now.v);
        now.sums.E_project += before - energy(work, now);
    }
}

/// Limits that pushed in this step: columns and signs.
fn pushing<'a>(rows: &'a [JointRow], lambda: &'a [f64]) -> impl Iterator<Item = (usize, f64)> + 'a {
    rows.iter().zip(lambda).filter_map(|(row, lambda)| match row {
        JointRow::Limit { column, sign, .. } if *lambda > 0.0 => Some((*column, *sign)),
        _ => None,
    })
}

//! # A tree by itself: limits and dry friction are locked columns of a sparse factor
//!
//! - **in**: a tree that touches nothing and has neither equations nor tendons, at mid-step
//! - **out**: s, the impulses of its rows, the end of the step; or that another way must be gone
//! - **not here**: trees that touch something, or have equations or tendons (`solve`)
//! - **start at** [`TreeStep::solve_alone`]
//!
//! Newton's step has the same matrix M̃ each time, as sparse as the tree ([`LockedColumns`]); only sides of limits and
//! friction, and drives that reach their largest force, change it.

use super::super::Tally;
use super::TreeStep;
use super::joint_rows::JointRow;
use crate::coordinates::TreeState;
use crate::model::trees::ModelTree;

/// Newton steps before another way is tried.
const STEPS: usize = 12;
/// A Newton step shorter than this share of s, where the mass is 1, is the last: what it leaves is shorter by h |v| again.
const ENOUGH: f64 = 1e-6;
/// As is one below this share of the speeds that the tree's energies stand for.
const ROUNDING: f64 = 1e-14;

impl TreeStep {
    /// Solves a tree that touches nothing; false where another way must be gone, from s as it is.
    pub fn solve_alone(&mut self, made: &ModelTree, now: &TreeState, h: f64, tally: &mut Tally) -> bool {
        let tree = &made.tree;
        if !made.equations.is_empty() || self.work.joints.rows.iter().any(|row| row.is_tendon()) {
            return false;
        }
        self.work.extra.fill(0.0);
        self.pushed.fill(0.0);
        self.list_columns(now, h);
        let bounded = self.work.joints.rows.iter().any(|row| row.gains.limit.is_finite());
        let mut slope = 0.0;
        for step in 0..STEPS {
            self.residual(tree, now, h);
            let (columns, work) = (&mut self.columns, &mut self.work);
            if step > 0 && bounded && columns.slope_along(&work.residual) > 0.5 * f64::abs(slope) {
                return false;
            }
            columns.diagonal.fill(0.0);
            work.joints.slopes(&work.v_s, h, |i, _, slope| columns.diagonal[i] += slope);
            if !columns.solve(tree, &work.mass, &work.s, &work.residual) {
                return false;
            }
            tally.newton += 1;
            slope = columns.slope_along(&work.residual);
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let (moved, whole) = (dot(&columns.d, &columns.product), dot(&work.s, &work.momenta_of_s));
            work.s.iter_mut().zip(&columns.d).for_each(|(s, d)| *s += d);
            if !moved.is_finite() {
                return false;
            }
            if moved <= (ENOUGH * ENOUGH * whole).max(2.0 * ROUNDING * ROUNDING * self.scale) {
                self.tell_rows();
                self.work.end_of_step(tree, now, h);
                tally.rounds += 1;
                return true;
            }
        }
        false
    }

    /// Graphs of the columns over s, with the forces of the last step.
    fn list_columns(&mut self, now: &TreeState, h: f64) {
        self.columns.begin();
        for (row, lambda) in self.rows.iter().zip(&self.lambda) {
            match row {
                JointRow::Limit { column, sign, gap } => {
                    let at = sign * -2.0 * (sign * now.v[*column] + gap / h);
                    self.columns.add_limit(*column, *sign, at, *lambda);
                }
                JointRow::Friction { column, loss } => {
                    self.columns.add_friction(*column, -now.v[*column], h * loss, *lambda);
                }
                JointRow::Equation(_) => {}
            }
        }
    }

    /// Forces of columns as impulses of rows.
    fn tell_rows(&mut self) {
        for (row, lambda) in self.rows.iter().zip(&mut self.lambda) {
            match row {
                JointRow::Limit { column, sign, .. } => *lambda = self.columns.limit(*column, *sign),
                JointRow::Friction { column, .. } => *lambda = self.columns.friction(*column),
                JointRow::Equation(_) => {}
            }
        }
    }
}

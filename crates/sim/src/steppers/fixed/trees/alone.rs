//! # A tree by itself: limits and dry friction are locked columns of a sparse factor
//!
//! - **in**: a tree that touches nothing and has no equations, at mid-step
//! - **out**: s, the impulses of its rows, the end of the step; or that another way must be gone
//! - **not here**: trees that touch something or have equations, or tendons between joints of which neither carries the other
//!   (`solve`)
//! - **start at** [`TreeStep::solve_alone`]
//!
//! Newton's step has the same matrix M̃ each time, as sparse as the tree ([`LockedColumns`]); only sides of limits and
//! friction, and drives that reach their largest force, change it.

use super::super::Tally;
use super::TreeStep;
use super::joint_rows::JointRow;
use crate::coordinates::{LockedColumns, Softened, Tree, TreeState};
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
        if !made.equations.is_empty() {
            return false;
        }
        self.work.extra.fill(0.0);
        self.pushed.fill(0.0);
        let mut columns = std::mem::take(&mut self.columns);
        columns.begin(now.v.len());
        self.add_columns(0, &now.v, h, &mut columns);
        let found = self.solve_columns(tree, now, h, &mut columns, tally);
        self.columns = columns;
        found
    }

    fn solve_columns(
        &mut self,
        tree: &Tree,
        now: &TreeState,
        h: f64,
        columns: &mut LockedColumns,
        tally: &mut Tally,
    ) -> bool {
        let bounded = self.work.joints.rows.iter().any(|row| row.gains.limit.is_finite());
        let mut slope = 0.0;
        for step in 0..STEPS {
            self.residual(tree, now, h);
            let Self { work, diagonal, ties, driven, .. } = self;
            if step > 0 && bounded && columns.slope_along(&work.residual) > 0.5 * f64::abs(slope) {
                return false;
            }
            diagonal.fill(0.0);
            ties.clear();
            work.joints.slopes(&work.v_s, h, |i, j, slope| {
                if i == j {
                    diagonal[i] += slope;
                } else {
                    ties.push((i, j, slope));
                }
            });
            if *diagonal != self.factored || *ties != self.tied {
                self.factored.copy_from_slice(diagonal);
                columns.renew();
            }
            if !ties.is_empty() && (step == 0 || *ties != self.tied) {
                driven.copy_from(&work.mass);
                if !ties.iter().all(|(i, j, slope)| driven.add(tree, *i, *j, *slope)) {
                    return false;
                }
            }
            self.tied.clone_from(ties);
            let mass = if ties.is_empty() { &work.mass } else { &*driven };
            let mut matrix = Softened { tree, mass, diagonal, factor: &mut work.soft };
            if !columns.solve(&mut matrix, &work.s, &work.residual) {
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
                self.take_columns(0, columns);
                self.work.end_of_step(tree, now, h);
                tally.rounds += 1;
                return true;
            }
        }
        false
    }

    /// Graphs of the columns over s, with the forces of the last step.
    pub fn add_columns(&self, base: usize, v0: &[f64], h: f64, columns: &mut LockedColumns) {
        for (row, lambda) in self.rows.iter().zip(&self.lambda) {
            match row {
                JointRow::Limit { column, sign, gap } => {
                    let at = sign * -2.0 * (sign * v0[*column] + gap / h);
                    columns.add_limit(base + column, *sign, at, *lambda);
                }
                JointRow::Friction { column, loss } => {
                    columns.add_friction(base + column, -v0[*column], h * loss, *lambda);
                }
                JointRow::Equation(_) => {}
            }
        }
    }

    /// Forces of columns as impulses of rows.
    pub fn take_columns(&mut self, base: usize, columns: &LockedColumns) {
        for (row, lambda) in self.rows.iter().zip(&mut self.lambda) {
            match row {
                JointRow::Limit { column, sign, .. } => *lambda = columns.limit(base + column, *sign),
                JointRow::Friction { column, .. } => *lambda = columns.friction(base + column),
                JointRow::Equation(_) => {}
            }
        }
    }
}

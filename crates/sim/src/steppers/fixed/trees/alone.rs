//! # A tree by itself: limits and dry friction are locked columns of a sparse factor
//!
//! - **in**: a tree that touches nothing and has neither equations nor tendons, at mid-step
//! - **out**: s, the impulses of its rows, the end of the step; or that another way must be gone
//! - **not here**: trees that touch something, or have equations or tendons (`solve`)
//! - **start at** [`TreeStep::solve_alone`]
//!
//! Limits and dry friction act along one coordinate each, so that their force on column k is a graph over s_k that falls:
//!
//! ```text
//! s_k = low: [±loss, ∞)     s_k < rest: loss     s_k = rest: [−loss, loss]     s_k > rest: −loss     s_k = high: (−∞, ±loss]
//! ```
//!
//! A column is either locked at a corner of its graph, or free under a given force. With sides known, Newton's step is that of
//! M̃ without the locked columns: these come out of the rows of others, and no entry is filled in. Sides are told by the
//! resolvent of the graph at s_k − F_k/M̃_kk, and chosen again until none changes (a semismooth Newton method, as
//! [`Intervals`](crate::coordinates::Intervals) has it for rows along any direction; that one takes over where sides go round).

use super::super::Tally;
use super::TreeStep;
use super::joint_rows::JointRow;
use crate::coordinates::{Tree, TreeState};
use crate::model::trees::ModelTree;

/// Newton steps before another way is tried.
const STEPS: usize = 12;
/// Choices of sides before it is.
const CHOICES: usize = 24;
/// A Newton step shorter than this share of s, where the mass is 1, is the last: what it leaves is shorter by h |v| again.
const ENOUGH: f64 = 1e-6;
/// As is one below this share of the speeds that the tree's energies stand for.
const ROUNDING: f64 = 1e-14;

/// What acts along a column beside springs and drives, and on which side it is.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    low: f64,
    high: f64,
    rest: f64,
    loss: f64,
    /// The corner of the graph that s_k is locked at.
    locked: Option<f64>,
    /// Force over the step (an impulse).
    force: f64,
}

impl Column {
    const FREE: Self =
        Self { low: f64::NEG_INFINITY, high: f64::INFINITY, rest: 0.0, loss: 0.0, locked: None, force: 0.0 };

    /// Chooses the side for a value of s_k with the present force; whether it is another.
    fn choose(&mut self, s: f64, give: f64) -> bool {
        let trial = s - give * self.force;
        let (mut at, mut force) = (trial, 0.0);
        let mut locked = None;
        if self.loss > 0.0 {
            if trial > self.rest + give * self.loss {
                (at, force) = (trial - give * self.loss, -self.loss);
            } else if trial < self.rest - give * self.loss {
                (at, force) = (trial + give * self.loss, self.loss);
            } else {
                (at, locked) = (self.rest, Some(self.rest));
            }
        }
        if at <= self.low {
            locked = Some(self.low);
        } else if at >= self.high {
            locked = Some(self.high);
        }
        let changed = locked != self.locked || (locked.is_none() && force != self.force);
        self.locked = locked;
        if locked.is_none() {
            self.force = force;
        }
        changed
    }

    /// Its force as that of friction and that of a limit.
    fn parts(&self) -> (f64, f64) {
        match self.locked {
            Some(at) if at == self.low || at == self.high => {
                let friction = if self.loss == 0.0 {
                    0.0
                } else if at < self.rest {
                    self.loss
                } else if at > self.rest {
                    -self.loss
                } else {
                    self.force.clamp(-self.loss, self.loss)
                };
                (friction, self.force - friction)
            }
            _ => (self.force, 0.0),
        }
    }
}

/// Scratch.
#[derive(Clone, Debug, Default)]
pub struct Alone {
    columns: Vec<Column>,
    /// What M̃ has more than M on its diagonal; that of the factor at hand, with the columns that it leaves out.
    diagonal: Vec<f64>,
    factored: Vec<f64>,
    locked: Vec<bool>,
    d: Vec<f64>,
    /// M̃ d.
    product: Vec<f64>,
    known: bool,
}

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
            if step > 0 && bounded && self.slope_along() > 0.5 * f64::abs(slope) {
                return false;
            }
            if !self.find_sides(tree, h) {
                return false;
            }
            tally.newton += 1;
            slope = self.slope_along();
            let (alone, work) = (&self.alone_work, &mut self.work);
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let (moved, whole) = (dot(&alone.d, &alone.product), dot(&work.s, &work.momenta_of_s));
            work.s.iter_mut().zip(&alone.d).for_each(|(s, d)| *s += d);
            if !moved.is_finite() {
                return false;
            }
            let enough = (ENOUGH * ENOUGH * whole).max(2.0 * ROUNDING * ROUNDING * self.scale);
            if moved <= enough {
                self.tell_rows();
                self.work.end_of_step(tree, now, h);
                tally.rounds += 1;
                return true;
            }
        }
        false
    }

    /// Graphs of the columns, with the forces of the last step.
    fn list_columns(&mut self, now: &TreeState, h: f64) {
        let n = now.v.len();
        let Alone { columns, diagonal, factored, locked, d, product, known } = &mut self.alone_work;
        columns.clear();
        columns.resize(n, Column::FREE);
        for list in [diagonal, factored, d, product] {
            list.resize(n, 0.0);
        }
        locked.resize(n, false);
        *known = false;
        for (row, lambda) in self.rows.iter().zip(&self.lambda) {
            match row {
                JointRow::Limit { column, sign, gap } => {
                    let of = &mut columns[*column];
                    if *sign > 0.0 {
                        of.low = -2.0 * (now.v[*column] + gap / h);
                    } else {
                        of.high = 2.0 * (gap / h - now.v[*column]);
                    }
                    of.force += sign * lambda;
                }
                JointRow::Friction { column, loss } => {
                    let of = &mut columns[*column];
                    (of.rest, of.loss) = (-now.v[*column], h * loss);
                    of.force += lambda;
                }
                JointRow::Equation(_) => {}
            }
        }
    }

    /// Sides, the forces of locked columns and d, for the residual at hand; whether all sides were found.
    fn find_sides(&mut self, tree: &Tree, h: f64) -> bool {
        let (work, Alone { columns, diagonal, factored, locked, d, product, known }) =
            (&mut self.work, &mut self.alone_work);
        diagonal.fill(0.0);
        work.joints.slopes(&work.v_s, h, |i, _, slope| diagonal[i] += slope);
        d.fill(0.0);
        for choice in 0..CHOICES {
            let mut changed = false;
            for (k, column) in columns.iter_mut().enumerate() {
                let own = work.mass.diagonal(tree, k) + diagonal[k];
                changed |= column.choose(work.s[k] + d[k], 1.0 / own);
            }
            if choice > 0 && !changed {
                return true;
            }
            let same = columns.iter().zip(&*locked).all(|(column, locked)| column.locked.is_some() == *locked);
            if !*known || !same || diagonal != factored {
                factored.copy_from_slice(diagonal);
                locked.iter_mut().zip(&*columns).for_each(|(locked, column)| *locked = column.locked.is_some());
                *known = work.soft.compute_without(tree, &work.mass, diagonal, locked).is_ok();
                if !*known {
                    return false;
                }
            }
            // Locked columns go where they are locked; what that asks of the others.
            let mut goes = false;
            for (k, column) in columns.iter().enumerate() {
                d[k] = column.locked.map_or(0.0, |at| at - work.s[k]);
                goes |= d[k] != 0.0;
            }
            product.fill(0.0);
            if goes {
                work.mass.multiply(tree, d, product);
            }
            for (k, column) in columns.iter().enumerate() {
                product[k] = if column.locked.is_some() { 0.0 } else { column.force - work.residual[k] - product[k] };
            }
            work.soft.solve(tree, product);
            for (k, column) in columns.iter().enumerate() {
                d[k] = if column.locked.is_some() { d[k] } else { product[k] };
            }
            work.mass.multiply(tree, d, product);
            for (k, column) in columns.iter_mut().enumerate() {
                product[k] += diagonal[k] * d[k];
                if column.locked.is_some() {
                    column.force = product[k] + work.residual[k];
                }
            }
        }
        false
    }

    /// d·(r − F).
    fn slope_along(&self) -> f64 {
        let Alone { columns, d, .. } = &self.alone_work;
        columns.iter().zip(d).zip(&self.work.residual).map(|((column, d), r)| d * (r - column.force)).sum()
    }

    /// Forces of columns as impulses of rows.
    fn tell_rows(&mut self) {
        for (row, lambda) in self.rows.iter().zip(&mut self.lambda) {
            match row {
                JointRow::Limit { column, sign, .. } => {
                    let of = &self.alone_work.columns[*column];
                    let at = if *sign > 0.0 { of.low } else { of.high };
                    *lambda = if of.locked == Some(at) { (sign * of.parts().1).max(0.0) } else { 0.0 };
                }
                JointRow::Friction { column, .. } => *lambda = self.alone_work.columns[*column].parts().0,
                JointRow::Equation(_) => {}
            }
        }
    }
}

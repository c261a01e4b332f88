//! # Delassus operator: what an impulse of one contact does to the velocities of all
//!
//! - **in**: a [`ConeProblem`]
//! - **out**: [`Delassus`]: velocity of a contact, change by an impulse, blocks of A
//! - **not here**: friction
//! - **start at** [`Delassus::set_up`]
//!
//! With blocks of unit mass, contacts meet only in the blocks' velocities x: a visit costs two products of 4 × 6 an arm,
//! whatever the number of contacts, and A = Ĵ Ĵᵀ is never formed. A dense A keeps the velocities of all contacts instead.

use super::local::Four;
use super::problem::{Arm, ConeOperator, ConeProblem};

/// Velocities caused by impulses so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Delassus {
    /// x of each block (with [`ConeOperator::Blocks`]).
    blocks: Vec<[f64; 6]>,
    /// Velocities of all rows (with [`ConeOperator::Dense`]).
    rows: Vec<f64>,
}

impl Delassus {
    /// Makes a problem ready, with no impulses.
    pub(crate) fn set_up(&mut self, problem: &ConeProblem) {
        self.blocks.clear();
        self.rows.clear();
        match &problem.operator {
            ConeOperator::Dense(_) => self.rows.resize(4 * problem.contacts.len(), 0.0),
            ConeOperator::Blocks { count, .. } => self.blocks.resize(*count, [0.0; 6]),
        }
    }

    /// Forgets all impulses.
    pub(crate) fn clear(&mut self) {
        self.blocks.fill([0.0; 6]);
        self.rows.fill(0.0);
    }

    /// A f at one contact.
    #[inline]
    pub(crate) fn velocity(&self, problem: &ConeProblem, i: usize) -> Four {
        match &problem.operator {
            ConeOperator::Dense(_) => [0, 1, 2, 3].map(|r| self.rows[4 * i + r]),
            ConeOperator::Blocks { arms, spans, .. } => {
                let mut v = [0.0; 4];
                if !problem.contacts[i].set.is_contact() {
                    let own = &arms[spans[i].range()];
                    v[0] = own.iter().map(|arm| dot6(&arm.rows[0], &self.blocks[arm.block as usize])).sum();
                    return v;
                }
                for arm in &arms[spans[i].range()] {
                    let x = &self.blocks[arm.block as usize];
                    (0..4).for_each(|r| v[r] += dot6(&arm.rows[r], x));
                }
                v
            }
        }
    }

    /// Adds impulse f (rows, not ball coordinates) at a contact.
    #[inline]
    pub(crate) fn add(&mut self, problem: &ConeProblem, i: usize, f: &Four) {
        match &problem.operator {
            ConeOperator::Dense(a) => {
                // A is symmetric: its rows are its columns.
                let n = self.rows.len();
                for r in 0..4 {
                    if f[r] != 0.0 {
                        crate::kernel::axpy(f[r], &a[(4 * i + r) * n..(4 * i + r + 1) * n], &mut self.rows);
                    }
                }
            }
            ConeOperator::Blocks { arms, spans, .. } if !problem.contacts[i].set.is_contact() => {
                for Arm { block, rows: y } in &arms[spans[i].range()] {
                    let x = &mut self.blocks[*block as usize];
                    (0..6).for_each(|c| x[c] += y[0][c] * f[0]);
                }
            }
            ConeOperator::Blocks { arms, spans, .. } => {
                for Arm { block, rows: y } in &arms[spans[i].range()] {
                    let x = &mut self.blocks[*block as usize];
                    for c in 0..6 {
                        x[c] += (y[0][c] * f[0] + y[1][c] * f[1]) + (y[2][c] * f[2] + y[3][c] * f[3]);
                    }
                }
            }
        }
    }

    /// Block (i, j) of A.
    pub(crate) fn block(&self, problem: &ConeProblem, i: usize, j: usize) -> [Four; 4] {
        let mut out = [[0.0; 4]; 4];
        match &problem.operator {
            ConeOperator::Dense(a) => {
                let n = self.rows.len();
                for r in 0..4 {
                    for s in 0..4 {
                        out[r][s] = a[(4 * i + r) * n + 4 * j + s];
                    }
                }
            }
            ConeOperator::Blocks { arms, spans, .. } => {
                let rows = |k: usize| if problem.contacts[k].set.is_contact() { 4 } else { 1 };
                for one in &arms[spans[i].range()] {
                    for two in arms[spans[j].range()].iter().filter(|two| two.block == one.block) {
                        for r in 0..rows(i) {
                            for s in 0..rows(j) {
                                out[r][s] += dot6(&one.rows[r], &two.rows[s]);
                            }
                        }
                    }
                }
            }
        }
        out
    }
}

#[inline]
fn dot6(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5])
}

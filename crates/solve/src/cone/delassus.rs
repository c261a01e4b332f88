//! # Delassus operator: what an impulse of one contact does to the velocities of all
//!
//! - **in**: a [`ConeProblem`]
//! - **out**: [`Delassus`]: velocity of a contact, change by an impulse, blocks of A
//! - **not here**: friction
//! - **start at** [`Delassus::set_up`]
//!
//! With bodies, contacts meet only in the bodies' velocities: a visit costs four products of 4 × 6, whatever the
//! number of contacts, and A is never formed. A dense A keeps the velocities of all contacts instead.

use super::local::Four;
use super::problem::{ConeOperator, ConeProblem};

/// Velocities caused by impulses so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Delassus {
    /// V of each body (with [`ConeOperator::Bodies`]).
    bodies: Vec<[f64; 6]>,
    /// W Jᵀ of each contact and body, by rows of the contact.
    response: Vec<[[[f64; 6]; 4]; 2]>,
    /// Velocities of all rows (with [`ConeOperator::Dense`]).
    rows: Vec<f64>,
}

impl Delassus {
    /// Makes a problem ready, with no impulses.
    pub(crate) fn set_up(&mut self, problem: &ConeProblem) {
        self.bodies.clear();
        self.response.clear();
        self.rows.clear();
        match &problem.operator {
            ConeOperator::Dense(_) => self.rows.resize(4 * problem.contacts.len(), 0.0),
            ConeOperator::Bodies { inverse_mass, links } => {
                self.bodies.resize(inverse_mass.len(), [0.0; 6]);
                self.response.extend(links.iter().map(|link| {
                    [0, 1].map(|side| match link.bodies[side] {
                        None => [[0.0; 6]; 4],
                        Some(body) => {
                            let w = &inverse_mass[body];
                            link.jacobian[side].map(|row| [0, 1, 2, 3, 4, 5].map(|i| dot6(&w[i], &row)))
                        }
                    })
                }));
            }
        }
    }

    /// Forgets all impulses.
    pub(crate) fn clear(&mut self) {
        self.bodies.fill([0.0; 6]);
        self.rows.fill(0.0);
    }

    /// A f at one contact.
    #[inline]
    pub(crate) fn velocity(&self, problem: &ConeProblem, i: usize) -> Four {
        match &problem.operator {
            ConeOperator::Dense(_) => [0, 1, 2, 3].map(|r| self.rows[4 * i + r]),
            ConeOperator::Bodies { links, .. } => {
                let link = &links[i];
                let mut v = [0.0; 4];
                for side in 0..2 {
                    if let Some(body) = link.bodies[side] {
                        let V = &self.bodies[body];
                        (0..4).for_each(|r| v[r] += dot6(&link.jacobian[side][r], V));
                    }
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
            ConeOperator::Bodies { links, .. } => {
                for side in 0..2 {
                    if let Some(body) = links[i].bodies[side] {
                        let V = &mut self.bodies[body];
                        let y = &self.response[i][side];
                        for c in 0..6 {
                            V[c] += (y[0][c] * f[0] + y[1][c] * f[1]) + (y[2][c] * f[2] + y[3][c] * f[3]);
                        }
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
            ConeOperator::Bodies { links, .. } => {
                for si in 0..2 {
                    for sj in 0..2 {
                        if links[i].bodies[si].is_none() || links[i].bodies[si] != links[j].bodies[sj] {
                            continue;
                        }
                        for r in 0..4 {
                            for s in 0..4 {
                                out[r][s] += dot6(&links[i].jacobian[si][r], &self.response[j][sj][s]);
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

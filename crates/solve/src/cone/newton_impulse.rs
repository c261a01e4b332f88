//! # Newton on impulses: the last digits of a cone problem
//!
//! - **in**: impulses that sweeps have brought near a solution
//! - **out**: a step of all impulses at once
//! - **not here**: whether the step is taken (`solver` looks at the residual)
//! - **start at** [`NewtonImpulse::step`]
//!
//! The natural map of every contact is linear on each of its pieces (open, stuck) or smooth (sliding); its derivative there, in
//! velocity units and ball coordinates:
//!
//! ```text
//! open     δn dP                                   δ dȳ
//! closed   dv_n                                    and one row that is held
//! slips    δn dλ                                   one row at its limit
//! stuck    dū
//! sliding  δ (I − β T) dȳ − δ m ŷ dP + β T dū      T = I − ŷŷᵀ, y = ȳ − ū/δ, β = m P/|y|
//! ```
//!
//! Redundant contacts make the matrix singular but consistent: a little is added to its diagonal, which the next
//! step corrects.

use super::delassus::Delassus;
use super::local::{Block, Four};
use super::problem::ConeProblem;
use super::sets::Mode;
use crate::lu::Lu;

/// Added to the diagonal, as a share of each contact's own block.
const SOFT: f64 = 1e-10;

/// Storage of Newton steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewtonImpulse {
    lu: Lu,
    /// Contacts that are closed.
    closed: Vec<usize>,
    rhs: Vec<f64>,
    step: Vec<f64>,
}

impl NewtonImpulse {
    /// Changes of the impulses g (ball coordinates); `None` where the matrix cannot be factored. Contacts that stay open
    /// get minus their impulse.
    pub(crate) fn step(
        &mut self,
        problem: &ConeProblem,
        delassus: &Delassus,
        blocks: &[Block],
        g: &[Four],
        v: &[Four],
        out: &mut [Four],
    ) -> Option<()> {
        self.closed.clear();
        self.closed.extend((0..g.len()).filter(|i| blocks[*i].mode(&g[*i], &v[*i]) != Mode::Open));
        let n = 4 * self.closed.len();
        self.rhs.clear();
        for &i in &self.closed {
            self.rhs.extend(blocks[i].residual(&g[i], &v[i]).iter().map(|r| -r));
        }
        // What open contacts lose acts on the others.
        for (i, out) in out.iter_mut().enumerate() {
            *out = [0, 1, 2, 3].map(|r| -g[i][r]);
        }
        let closed = &self.closed;
        let whole = self.lu.factor(n, |k| {
            for (p, &i) in closed.iter().enumerate() {
                let rows = pieces(&blocks[i], &g[i], &v[i]);
                for (c, &j) in closed.iter().enumerate() {
                    let a = coupled(problem, delassus, blocks, i, j);
                    if i != j && a == [[0.0; 4]; 4] {
                        continue;
                    }
                    for r in 0..4 {
                        for s in 0..4 {
                            let mut sum = (0..4).map(|q| rows.velocity[r][q] * a[q][s]).sum::<f64>();
                            if i == j {
                                sum += rows.impulse[r][s];
                            }
                            k[(4 * p + r) * n + 4 * c + s] = sum;
                        }
                    }
                }
            }
        });
        if !whole {
            return None;
        }
        // Open contacts that still carry something change the right side.
        for j in (0..g.len()).filter(|j| g[*j] != [0.0; 4]) {
            if self.closed.binary_search(&j).is_ok() {
                continue;
            }
            for (p, &i) in self.closed.iter().enumerate() {
                let rows = pieces(&blocks[i], &g[i], &v[i]);
                let a = coupled(problem, delassus, blocks, i, j);
                let change = [0, 1, 2, 3].map(|q| -(0..4).map(|s| a[q][s] * g[j][s]).sum::<f64>());
                for r in 0..4 {
                    self.rhs[4 * p + r] -= (0..4).map(|q| rows.velocity[r][q] * change[q]).sum::<f64>();
                }
            }
        }
        self.step.clear();
        self.step.resize(n, 0.0);
        self.lu.solve(&self.rhs, &mut self.step);
        for (p, &i) in self.closed.iter().enumerate() {
            out[i] = [0, 1, 2, 3].map(|r| self.step[4 * p + r]);
        }
        self.step.iter().all(|x| x.is_finite()).then_some(())
    }
}

/// Block of the operator in ball coordinates; the contact's own with compliance and the little that is added.
fn coupled(problem: &ConeProblem, delassus: &Delassus, blocks: &[Block], i: usize, j: usize) -> [Four; 4] {
    if i == j {
        let mut d = blocks[i].d;
        d[0][0] *= 1.0 + SOFT;
        (1..4).for_each(|r| d[r][r] += SOFT * blocks[i].delta);
        return d;
    }
    let mut a = delassus.block(problem, i, j);
    for r in 0..4 {
        for s in 0..4 {
            a[r][s] *= blocks[i].t[r] * blocks[j].t[s];
        }
    }
    a
}

/// Derivative of a contact's residual: by its velocity and by its impulse.
struct Pieces {
    velocity: [Four; 4],
    impulse: [Four; 4],
}

fn pieces(block: &Block, g: &Four, v: &Four) -> Pieces {
    let mut pieces = Pieces { velocity: [[0.0; 4]; 4], impulse: [[0.0; 4]; 4] };
    // Open constraints are not asked for.
    match block.mode(g, v) {
        Mode::Slips(_) => pieces.impulse[0][0] = block.d[0][0],
        Mode::Open | Mode::Contact | Mode::Held => pieces.velocity[0][0] = 1.0,
    }
    let delta = if block.delta > 0.0 { block.delta } else { 1.0 };
    let y = [1, 2, 3].map(|k| g[k] - v[k] / delta);
    let size = y.iter().map(|x| x * x).sum::<f64>().sqrt();
    let radius = block.m * g[0].max(0.0);
    let still = block.m <= 0.0 || block.delta <= 0.0;
    for r in 0..3 {
        if still {
            pieces.impulse[r + 1][r + 1] = delta;
        } else if block.t[r + 1] == 0.0 {
            // A frictionless axis moves nothing and carries nothing.
            pieces.impulse[r + 1][r + 1] = delta;
        } else if size <= radius {
            pieces.velocity[r + 1][r + 1] = 1.0;
        } else {
            let beta = radius / size;
            pieces.impulse[r + 1][0] = -delta * block.m * y[r] / size;
            for s in 0..3 {
                let across = f64::from(u8::from(r == s)) - y[r] * y[s] / (size * size);
                pieces.velocity[r + 1][s + 1] = beta * across;
                pieces.impulse[r + 1][s + 1] = delta * (f64::from(u8::from(r == s)) - beta * across);
            }
        }
    }
    pieces
}

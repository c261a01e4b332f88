//! # Proximal: steps with held slips by conjugate gradients
//!
//! - **in**: impulses g (ball coordinates), slips, a softness ε
//! - **out**: the impulses of the next proximal step, inexact
//! - **not here**: when to stop, and the slips themselves (`solver`); the same with factors, exact (`newton_velocity`, which has the equations)
//! - **assumes**: blocks (a dense operator has none: sweeps and Newton serve it)
//! - **start at** [`Proximal::step`]
//!
//! Kept beside `newton_velocity`: being inexact it goes elsewhere, and some bodies of very uneven mass are solved from there alone. Newton
//! with a line search on the value; its matrix is never formed: conjugate gradients, with the 6 × 6 diagonal blocks as
//! preconditioner.

use super::local::{Block, Four};
use super::newton_velocity::Rows;
use super::problem::{Arm, ConeContact, ConeProblem};
use crate::sparse::{Six, invert};

/// Storage of proximal steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Proximal {
    rows: Rows,
    e: Vec<f64>,
    shift: Vec<Four>,
    /// Velocities in units of mass 1, and vectors of the same kind.
    x: Vec<Six>,
    gradient: Vec<Six>,
    direction: Vec<Six>,
    residual: Vec<Six>,
    preconditioned: Vec<Six>,
    search: Vec<Six>,
    product: Vec<Six>,
    /// Inverses of the diagonal blocks.
    diagonal: Vec<[Six; 6]>,
    new: Vec<Four>,
    derivative: Vec<[Four; 4]>,
}

impl Proximal {
    /// Makes a problem ready; false for a dense operator.
    pub(crate) fn set_up(&mut self, problem: &ConeProblem, blocks: &[Block]) -> bool {
        if !self.rows.set_up(problem, blocks) {
            return false;
        }
        let n = self.rows.count;
        for list in [
            &mut self.x,
            &mut self.gradient,
            &mut self.direction,
            &mut self.residual,
            &mut self.preconditioned,
            &mut self.search,
            &mut self.product,
        ] {
            list.clear();
            list.resize(n, [0.0; 6]);
        }
        self.diagonal.resize(n, [[0.0; 6]; 6]);
        true
    }

    /// One proximal step from impulses g, with the slips of velocities v: g is replaced.
    pub(crate) fn step(&mut self, contacts: &[ConeContact], blocks: &[Block], g: &mut [Four], v: &[Four], soft: f64) {
        let k = g.len();
        self.e.clear();
        self.shift.clear();
        for (i, block) in blocks.iter().enumerate() {
            let own = block.d[0][0].max(block.delta);
            self.e.push(if own > 0.0 { soft * own } else { 1.0 });
            let (t, c) = (block.t, &contacts[i]);
            let slip = block.m * (v[i][1] * v[i][1] + v[i][2] * v[i][2] + v[i][3] * v[i][3]).sqrt();
            // Compliance acts with the impulses before the step.
            let b = [0, 1, 2, 3].map(|r| t[r] * (c.b[r] + c.compliance[r] * t[r] * g[i][r]));
            self.shift.push([b[0] + slip, b[1], b[2], b[3]]);
        }
        self.new.resize(k, [0.0; 4]);
        self.derivative.resize(k, [[0.0; 4]; 4]);
        self.new.truncate(k);
        self.derivative.truncate(k);
        // Starts where these impulses put the blocks.
        self.x.fill([0.0; 6]);
        for i in 0..k {
            self.rows.scatter(i, &g[i], &mut self.x);
        }
        let mut value = self.evaluate(blocks, g);
        let first = norm(&self.gradient);
        for _ in 0..30 {
            let size = norm(&self.gradient);
            if size <= 1e-14 * (1.0 + norm(&self.x)) || size <= 1e-5 * first {
                break;
            }
            self.conjugate_gradients((0.1 * size / first).clamp(1e-4, 0.1));
            let slope = dot(&self.gradient, &self.direction);
            let (mut share, mut moved) = (1.0, 0.0);
            let mut lowered = false;
            for _ in 0..20 {
                add(share - moved, &self.direction, &mut self.x);
                moved = share;
                let new = self.evaluate(blocks, g);
                if new <= value + 1e-4 * share * slope + 1e-15 * value.abs() {
                    (value, lowered) = (new, true);
                    break;
                }
                share *= 0.5;
            }
            if !lowered {
                break;
            }
        }
        g.copy_from_slice(&self.new);
    }

    /// Value of the function at x; its gradient, the impulses and their derivatives on the way.
    fn evaluate(&mut self, blocks: &[Block], g: &[Four]) -> f64 {
        let mut value = 0.5 * dot(&self.x, &self.x);
        self.gradient.copy_from_slice(&self.x);
        for i in 0..g.len() {
            let v = self.rows.gather(i, &self.x);
            let e = self.e[i];
            let tau = [0, 1, 2, 3].map(|r| g[i][r] - (v[r] + self.shift[i][r]) / e);
            let (p, slope) = blocks[i].project(&tau);
            value += 0.5 * e * (0..4).map(|r| p[r] * (2.0 * tau[r] - p[r])).sum::<f64>();
            self.derivative[i] = slope.map(|row| row.map(|x| x / e));
            self.new[i] = p;
            self.rows.scatter(i, &p.map(|x| -x), &mut self.gradient);
        }
        value
    }

    /// Direction with (I + Σ Ĵᵀ Π′ Ĵ/E) direction = −gradient, to a share of its size.
    fn conjugate_gradients(&mut self, share: f64) {
        self.invert_diagonal();
        self.direction.fill([0.0; 6]);
        for (r, g) in self.residual.iter_mut().zip(&self.gradient) {
            *r = g.map(|x| -x);
        }
        let wanted = share * norm(&self.residual);
        precondition(&self.diagonal, &self.residual, &mut self.preconditioned);
        self.search.copy_from_slice(&self.preconditioned);
        let mut rho = dot(&self.residual, &self.preconditioned);
        for _ in 0..500 {
            apply(&self.rows, &self.derivative, &self.search, &mut self.product);
            let curvature = dot(&self.search, &self.product);
            if curvature <= 0.0 || !curvature.is_finite() {
                break;
            }
            let alpha = rho / curvature;
            add(alpha, &self.search, &mut self.direction);
            add(-alpha, &self.product, &mut self.residual);
            if norm(&self.residual) <= wanted {
                break;
            }
            precondition(&self.diagonal, &self.residual, &mut self.preconditioned);
            let new = dot(&self.residual, &self.preconditioned);
            let beta = new / rho;
            rho = new;
            for (s, p) in self.search.iter_mut().zip(&self.preconditioned) {
                (0..6).for_each(|c| s[c] = p[c] + beta * s[c]);
            }
        }
    }

    /// Inverses of the diagonal blocks of the matrix.
    fn invert_diagonal(&mut self) {
        for d in &mut self.diagonal {
            *d = [[0.0; 6]; 6];
            (0..6).for_each(|c| d[c][c] = 1.0);
        }
        for i in 0..self.new.len() {
            let d = &self.derivative[i];
            for Arm { block, rows: j } in self.rows.of(i) {
                let own = &mut self.diagonal[*block as usize];
                for r in 0..4 {
                    let row: Six = [0, 1, 2, 3, 4, 5].map(|c| (0..4).map(|s| d[r][s] * j[s][c]).sum::<f64>());
                    for a in 0..6 {
                        (0..6).for_each(|b| own[a][b] += j[r][a] * row[b]);
                    }
                }
            }
        }
        self.diagonal.iter_mut().for_each(|block| {
            invert(block);
        });
    }
}

/// out = x + Ĵᵀ H Ĵ x.
fn apply(rows: &Rows, derivative: &[[Four; 4]], x: &[Six], out: &mut [Six]) {
    out.copy_from_slice(x);
    for (i, d) in derivative.iter().enumerate() {
        // Open contacts.
        if d[0][0] == 0.0 {
            continue;
        }
        let v = rows.gather(i, x);
        let f = [0, 1, 2, 3].map(|r| (d[r][0] * v[0] + d[r][1] * v[1]) + (d[r][2] * v[2] + d[r][3] * v[3]));
        rows.scatter(i, &f, out);
    }
}

fn precondition(diagonal: &[[Six; 6]], x: &[Six], out: &mut [Six]) {
    for ((out, x), d) in out.iter_mut().zip(x).zip(diagonal) {
        *out = [0, 1, 2, 3, 4, 5].map(|r| (0..6).map(|c| d[r][c] * x[c]).sum());
    }
}

fn dot(a: &[Six], b: &[Six]) -> f64 {
    crate::kernel::dot(a.as_flattened(), b.as_flattened())
}

fn norm(a: &[Six]) -> f64 {
    dot(a, a).sqrt()
}

fn add(factor: f64, a: &[Six], out: &mut [Six]) {
    crate::kernel::axpy(factor, a.as_flattened(), out.as_flattened_mut());
}

//! # Proximal: steps with held slips by conjugate gradients
//!
//! - **in**: impulses g (ball coordinates), slips, a softness ε
//! - **out**: the impulses of the next proximal step, inexact
//! - **not here**: when to stop, and the slips themselves (`solver`); the same with factors, exact (`newton_velocity`, which has the equations)
//! - **assumes**: bodies (a dense operator has no bodies: sweeps and Newton serve it)
//! - **start at** [`Proximal::step`]
//!
//! Kept beside `newton_velocity`: being inexact it goes elsewhere, and some bodies of very uneven mass are solved from there alone. Newton
//! with a line search on the value; its matrix is never formed: conjugate gradients, with the 6 × 6 blocks of the bodies as
//! preconditioner.

use super::local::{Block, Four};
use super::newton_velocity::{project, root, rows};
use super::problem::{ConeContact, ConeOperator, ConeProblem};
use crate::sparse::invert;

type Six = [f64; 6];

/// Storage of proximal steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Proximal {
    /// Ĵ in ball coordinates, per contact and side.
    jacobian: Vec<[[Six; 4]; 2]>,
    bodies: Vec<[Option<usize>; 2]>,
    roots: Vec<[Six; 6]>,
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
    /// Inverses of the bodies' own blocks.
    diagonal: Vec<[Six; 6]>,
    new: Vec<Four>,
    derivative: Vec<[Four; 4]>,
}

impl Proximal {
    /// Makes a problem ready; false for a dense operator.
    pub(crate) fn set_up(&mut self, problem: &ConeProblem, blocks: &[Block]) -> bool {
        let ConeOperator::Bodies { inverse_mass, links } = &problem.operator else { return false };
        self.roots.clear();
        self.roots.extend(inverse_mass.iter().map(root));
        self.jacobian.clear();
        self.bodies.clear();
        for (link, block) in links.iter().zip(blocks) {
            self.bodies.push(link.bodies);
            self.jacobian.push(rows(link, block, &self.roots));
        }
        let n = inverse_mass.len();
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
        // Starts where these impulses put the bodies.
        self.x.fill([0.0; 6]);
        for i in 0..k {
            scatter(&self.bodies[i], &self.jacobian[i], &g[i], &mut self.x);
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
            let v = gather(&self.bodies[i], &self.jacobian[i], &self.x);
            let e = self.e[i];
            let tau = [0, 1, 2, 3].map(|r| g[i][r] - (v[r] + self.shift[i][r]) / e);
            let (p, slope) = project(blocks[i].m, &tau);
            value += 0.5 * e * p.iter().map(|x| x * x).sum::<f64>();
            self.derivative[i] = slope.map(|row| row.map(|x| x / e));
            self.new[i] = p;
            scatter(&self.bodies[i], &self.jacobian[i], &p.map(|x| -x), &mut self.gradient);
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
            apply(&self.bodies, &self.jacobian, &self.derivative, &self.search, &mut self.product);
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

    /// Inverses of the bodies' own blocks of the matrix.
    fn invert_diagonal(&mut self) {
        for d in &mut self.diagonal {
            *d = [[0.0; 6]; 6];
            (0..6).for_each(|c| d[c][c] = 1.0);
        }
        for i in 0..self.new.len() {
            for side in 0..2 {
                let Some(body) = self.bodies[i][side] else { continue };
                let (j, d) = (&self.jacobian[i][side], &self.derivative[i]);
                for r in 0..4 {
                    let row: Six = [0, 1, 2, 3, 4, 5].map(|c| (0..4).map(|s| d[r][s] * j[s][c]).sum::<f64>());
                    for a in 0..6 {
                        (0..6).for_each(|b| self.diagonal[body][a][b] += j[r][a] * row[b]);
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
fn apply(
    bodies: &[[Option<usize>; 2]],
    jacobian: &[[[Six; 4]; 2]],
    derivative: &[[Four; 4]],
    x: &[Six],
    out: &mut [Six],
) {
    out.copy_from_slice(x);
    for i in 0..bodies.len() {
        let d = &derivative[i];
        // Open contacts.
        if d[0][0] == 0.0 {
            continue;
        }
        let v = gather(&bodies[i], &jacobian[i], x);
        let f = [0, 1, 2, 3].map(|r| (d[r][0] * v[0] + d[r][1] * v[1]) + (d[r][2] * v[2] + d[r][3] * v[3]));
        scatter(&bodies[i], &jacobian[i], &f, out);
    }
}

fn precondition(diagonal: &[[Six; 6]], x: &[Six], out: &mut [Six]) {
    for ((out, x), d) in out.iter_mut().zip(x).zip(diagonal) {
        *out = [0, 1, 2, 3, 4, 5].map(|r| (0..6).map(|c| d[r][c] * x[c]).sum());
    }
}

#[inline]
fn gather(bodies: &[Option<usize>; 2], jacobian: &[[Six; 4]; 2], x: &[Six]) -> Four {
    let mut v = [0.0; 4];
    for side in 0..2 {
        if let Some(body) = bodies[side] {
            let x = &x[body];
            for r in 0..4 {
                let j = &jacobian[side][r];
                v[r] += (j[0] * x[0] + j[1] * x[1]) + (j[2] * x[2] + j[3] * x[3]) + (j[4] * x[4] + j[5] * x[5]);
            }
        }
    }
    v
}

#[inline]
fn scatter(bodies: &[Option<usize>; 2], jacobian: &[[Six; 4]; 2], f: &Four, out: &mut [Six]) {
    for side in 0..2 {
        if let Some(body) = bodies[side] {
            let (j, out) = (&jacobian[side], &mut out[body]);
            for c in 0..6 {
                out[c] += (j[0][c] * f[0] + j[1][c] * f[1]) + (j[2][c] * f[2] + j[3][c] * f[3]);
            }
        }
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

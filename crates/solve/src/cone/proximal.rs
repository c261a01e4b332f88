//! # Proximal: all contacts at once, in the velocities of the bodies
//!
//! - **in**: impulses g (ball coordinates), slips, a softness ε
//! - **out**: the impulses of the next proximal step
//! - **not here**: when to stop, and the slips themselves (`solver`)
//! - **assumes**: bodies (a dense operator has no bodies: sweeps and Newton serve it)
//! - **start at** [`Proximal::step`]
//!
//! With the slip m|ū| of every contact held and added to its normal velocity, friction is a convex problem on cones K (Acary): v + slip
//! in the dual cone, g in K, orthogonal. A proximal step softens each contact by E = ε δ around the last impulses,
//!
//! ```text
//! g⁺ = Π_K(τ),   τ = g − (Ĵ x + b̄ + slip)/E,   x minimises  ½|x|² + Σ ½E |Π_K(τ)|²
//! ```
//!
//! where x are velocities of the bodies in units that make their mass 1 (W = L Lᵀ, Ĵ = J L). The function is convex with a continuous
//! slope: Newton with a line search always arrives, whatever the number of redundant contacts. Its matrix I + Σ Ĵᵀ Π′ Ĵ/E is
//! never formed: conjugate gradients, with the 6 × 6 blocks of the bodies as preconditioner.
//!
//! Not chosen: the same with the slips free. The matrix is then not symmetric, nothing guides the line search, and Newton cycled in
//! piles.

use super::local::{Block, Four};
use super::problem::{ConeContact, ConeOperator, ConeProblem};

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
            self.jacobian.push([0, 1].map(|side| match link.bodies[side] {
                None => [[0.0; 6]; 4],
                Some(body) => [0, 1, 2, 3].map(|r| {
                    let row = &link.jacobian[side][r];
                    // Row times L, in ball coordinates.
                    [0, 1, 2, 3, 4, 5]
                        .map(|c| block.t[r] * (0..6).map(|i| row[i] * self.roots[body][i][c]).sum::<f64>())
                }),
            }));
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
        self.diagonal.iter_mut().for_each(invert);
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

/// Inverse in place, by Gauss and Jordan with pivots from the rows below.
fn invert(a: &mut [Six; 6]) {
    let mut b = [[0.0; 6]; 6];
    (0..6).for_each(|k| b[k][k] = 1.0);
    for k in 0..6 {
        let best = (k..6).max_by(|r, s| a[*r][k].abs().total_cmp(&a[*s][k].abs())).unwrap_or(k);
        a.swap(k, best);
        b.swap(k, best);
        let inverse = 1.0 / a[k][k];
        (0..6).for_each(|c| (a[k][c], b[k][c]) = (a[k][c] * inverse, b[k][c] * inverse));
        for r in (0..6).filter(|r| *r != k) {
            let factor = a[r][k];
            (0..6).for_each(|c| (a[r][c], b[r][c]) = (a[r][c] - factor * a[k][c], b[r][c] - factor * b[k][c]));
        }
    }
    *a = b;
}

/// Nearest point of the cone |y| ≤ m p, and the derivative of that.
fn project(m: f64, tau: &Four) -> (Four, [Four; 4]) {
    let (p, y) = (tau[0], [tau[1], tau[2], tau[3]]);
    let mut slope = [[0.0; 4]; 4];
    if m <= 0.0 {
        slope[0][0] = f64::from(u8::from(p > 0.0));
        return ([p.max(0.0), 0.0, 0.0, 0.0], slope);
    }
    let r = (y[0] * y[0] + y[1] * y[1] + y[2] * y[2]).sqrt();
    if r <= m * p {
        (0..4).for_each(|k| slope[k][k] = 1.0);
        return (*tau, slope);
    }
    if m * r <= -p {
        return ([0.0; 4], slope);
    }
    let weight = 1.0 / (1.0 + m * m);
    let new = (p + m * r) * weight;
    let hat = y.map(|y| y / r);
    let across = m * new / r;
    slope[0][0] = weight;
    for a in 0..3 {
        slope[0][a + 1] = m * hat[a] * weight;
        slope[a + 1][0] = m * hat[a] * weight;
        for b in 0..3 {
            let same = f64::from(u8::from(a == b));
            slope[a + 1][b + 1] = m * m * weight * hat[a] * hat[b] + across * (same - hat[a] * hat[b]);
        }
    }
    ([new, m * new * hat[0], m * new * hat[1], m * new * hat[2]], slope)
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

/// L with L Lᵀ = W, zero columns where W has none.
fn root(w: &[Six; 6]) -> [Six; 6] {
    let mut l = [[0.0; 6]; 6];
    for a in 0..6 {
        for b in 0..=a {
            let sum = w[a][b] - (0..b).map(|k| l[a][k] * l[b][k]).sum::<f64>();
            if a == b {
                l[a][a] = if sum > 1e-14 * w[a][a] { sum.sqrt() } else { 0.0 };
            } else if l[b][b] > 0.0 {
                l[a][b] = sum / l[b][b];
            }
        }
    }
    l
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Slopes of projections against differences; the rest of a projected point is orthogonal to it.
    #[test]
    fn slopes_of_projections_match_differences() {
        for m in [0.0, 0.3, 1.0, 2.0] {
            for tau in [[1.0, 0.1, 0.1, 0.0], [0.2, 1.0, -0.4, 0.3], [-1.0, 0.2, 0.1, 0.0], [-0.1, 1.0, 1.0, 1.0]] {
                let (p, slope) = project(m, &tau);
                for k in 0..4 {
                    let mut other = tau;
                    other[k] += 1e-7;
                    let (q, _) = project(m, &other);
                    (0..4).for_each(|r| {
                        assert!(((q[r] - p[r]) / 1e-7 - slope[r][k]).abs() < 1e-5, "{m} {tau:?} {r} {k}")
                    });
                }
                let along: f64 = (0..4).map(|k| (tau[k] - p[k]) * p[k]).sum();
                assert!(along.abs() < 1e-15, "{m} {tau:?}");
            }
        }
    }

    /// A inverse times A is 1, with a zero on the diagonal.
    #[test]
    fn blocks_are_inverted() {
        let mut a = [[0.0; 6]; 6];
        for r in 0..6 {
            for c in 0..6 {
                a[r][c] = ((3 * r + 5 * c) as f64).sin() + f64::from(u8::from((r + 1) % 6 == c)) * 3.0;
            }
        }
        a[0][0] = 0.0;
        let mut b = a;
        invert(&mut b);
        for r in 0..6 {
            for c in 0..6 {
                let sum: f64 = (0..6).map(|k| b[r][k] * a[k][c]).sum();
                assert!((sum - f64::from(u8::from(r == c))).abs() < 1e-13);
            }
        }
    }
}

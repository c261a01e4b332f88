//! # One constraint: the impulse on its set, the others held
//!
//! `solver` ──(velocity without this contact's impulse)──▶ **here** ──(impulse)──▶ `solver`
//!
//! - **in**: the contact's own block, made ready once ([`Block`]); the velocity that the others leave it with
//! - **out**: P and ȳ with v_n ≥ 0 ⊥ P ≥ 0 and maximum dissipation, to round-off; λ of one row in closed form
//! - **not here**: coupling between contacts (`delassus`); residuals and projections (`sets`)
//! - **start at** [`Block::solve`]
//!
//! In coordinates where the section is a ball of radius m P (see [`cone`](super)): open if the contact opens without impulse; stuck
//! if the impulse that stops it is inside; else it slides against ū = −κ ȳ. With P taken out by v_n = 0,
//!
//! ```text
//! (S + κ) ȳ = −s,   S = D_tt − D_tn D_nt/D_nn,   P = −(b_n + D_nt ȳ)/D_nn,   m P(κ)/|ȳ(κ)| = 1
//! ```
//!
//! The left side of the last is nearly a line in κ, from below 1 at κ = 0 to infinity: Newton within a bracket. S is brought to
//! its axes once.

use super::problem::{ConeContact, Set};
use super::sets::{ball, interval, nearest};

/// An impulse or velocity of a contact: n, t1, t2, s.
pub(crate) type Four = [f64; 4];

/// What one contact needs to be solved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(super) set: Set,
    /// From ball coordinates to rows: f = t∘g, ū = t∘v; 1 for the first, a/m for the others.
    pub(crate) t: Four,
    /// m: largest semi-axis per unit of normal impulse.
    pub(crate) m: f64,
    /// The contact's own block in ball coordinates, compliance included.
    pub(crate) d: [Four; 4],
    /// Largest diagonal entry of the tangential part.
    pub(crate) delta: f64,
    /// Axes of S (columns) and its eigenvalues.
    axes: [[f64; 3]; 3],
    values: [f64; 3],
    /// D_tn/D_nn along the axes.
    tilt: [f64; 3],
    /// κ of the last solve.
    kappa: f64,
}

impl Block {
    /// Makes a contact ready; `own` is its block of A.
    pub(crate) fn new(contact: &ConeContact, own: &[Four; 4]) -> Self {
        let (m, t) = ball(&contact.set);
        let mut d = [[0.0; 4]; 4];
        for r in 0..4 {
            for s in 0..4 {
                let c = if r == s { contact.compliance[r] } else { 0.0 };
                d[r][s] = t[r] * (own[r][s] + c) * t[s];
            }
        }
        let delta = d[1][1].max(d[2][2]).max(d[3][3]);
        let (axes, values, tilt) = ([[0.0; 3]; 3], [0.0; 3], [0.0; 3]);
        let mut block = Block { set: contact.set, t, m, d, delta, axes, values, tilt, kappa: 0.0 };
        if d[0][0] > 0.0 && interval(&contact.set).is_none() {
            block.turn();
        }
        block
    }

    /// S, its axes and what depends on them.
    fn turn(&mut self) {
        let mut s = [[0.0; 3]; 3];
        for r in 0..3 {
            for c in 0..3 {
                s[r][c] = self.d[r + 1][c + 1] - self.d[r + 1][0] * self.d[0][c + 1] / self.d[0][0];
            }
        }
        (self.values, self.axes) = eigen(s);
        // Directions in which nothing moves (frictionless axes, spin of a point) carry no impulse.
        let least = 1e-13 * self.delta;
        self.values.iter_mut().for_each(|v| *v = if *v <= least { 0.0 } else { *v });
        for k in 0..3 {
            self.tilt[k] = (0..3).map(|r| self.axes[r][k] * self.d[r + 1][0]).sum::<f64>() / self.d[0][0];
        }
    }

    /// The impulse in ball coordinates, where `b` is the velocity (ball coordinates) with this constraint's impulse taken out.
    pub(crate) fn solve(&mut self, b: &Four) -> Four {
        let nn = self.d[0][0];
        match interval(&self.set) {
            None => self.solve_contact(b),
            Some((low, high)) if nn > 0.0 => [nearest(-b[0] / nn, low, high), 0.0, 0.0, 0.0],
            Some(_) => [0.0; 4],
        }
    }

    fn solve_contact(&mut self, b: &Four) -> Four {
        let nn = self.d[0][0];
        if b[0] >= 0.0 || nn <= 0.0 {
            return [0.0; 4];
        }
        let p0 = -b[0] / nn;
        if self.m <= 0.0 || self.delta <= 0.0 {
            return [p0, 0.0, 0.0, 0.0];
        }
        // s along the axes of S.
        let full = [0, 1, 2].map(|k| b[k + 1] + self.d[k + 1][0] * p0);
        let s = [0, 1, 2].map(|k| (0..3).map(|r| self.axes[r][k] * full[r]).sum::<f64>());
        let (p, y) = self.at(0.0, p0, &s);
        // A direction without stiffness cannot be stopped: it slides if it moves.
        let stuck = (0..3).all(|k| self.values[k] > 0.0 || s[k].abs() <= 1e-300);
        let (p, y) = if stuck && p >= 0.0 && length(&y) <= self.m * p { (p, y) } else { self.slide(p0, &s) };
        let t = [0, 1, 2].map(|r| (0..3).map(|k| self.axes[r][k] * y[k]).sum::<f64>());
        [p.max(0.0), t[0], t[1], t[2]]
    }

    /// P and ȳ (along the axes of S) at one κ.
    #[inline]
    fn at(&self, kappa: f64, p0: f64, s: &[f64; 3]) -> (f64, [f64; 3]) {
        let y = [0, 1, 2].map(|k| {
            let slope = self.values[k] + kappa;
            if slope > 0.0 { -s[k] / slope } else { 0.0 }
        });
        (p0 - (0..3).map(|k| self.tilt[k] * y[k]).sum::<f64>(), y)
    }

    /// κ > 0 with |ȳ| = m P.
    fn slide(&mut self, p0: f64, s: &[f64; 3]) -> (f64, [f64; 3]) {
        let (mut low, mut high) = (0.0f64, f64::INFINITY);
        let mut kappa = if self.kappa > 0.0 { self.kappa } else { 0.1 * self.delta };
        let mut last = self.at(kappa, p0, s);
        for _ in 0..100 {
            let (p, y) = last;
            let r = length(&y);
            if r == 0.0 {
                break;
            }
            let h = self.m * p / r - 1.0;
            if h.abs() <= 4.0 * f64::EPSILON {
                break;
            }
            if h < 0.0 {
                low = kappa
            } else {
                high = kappa
            }
            let (mut dp, mut dr) = (0.0, 0.0);
            for k in 0..3 {
                let share = y[k] / (self.values[k] + kappa);
                dp += self.tilt[k] * share;
                dr -= y[k] * share / r;
            }
            let slope = self.m * (dp / r - p * dr / (r * r));
            let newton = kappa - h / slope;
            let next = if newton > low && newton < high && slope > 0.0 {
                newton
            } else if high.is_finite() {
                0.5 * (low + high)
            } else {
                4.0 * kappa
            };
            if next == kappa || (high.is_finite() && high - low <= f64::EPSILON * high) {
                break;
            }
            kappa = next;
            last = self.at(kappa, p0, s);
        }
        self.kappa = kappa;
        // On the ball exactly: the last digits of κ go to the length.
        let (p, mut y) = last;
        let r = length(&y);
        if r > 0.0 && p > 0.0 {
            y = y.map(|x| x * self.m * p / r);
        }
        (p, y)
    }
}

fn length(y: &[f64; 3]) -> f64 {
    (y[0] * y[0] + y[1] * y[1] + y[2] * y[2]).sqrt()
}

/// Eigenvalues and axes (columns) of a symmetric 3 × 3 matrix, by Jacobi's rotations.
fn eigen(mut a: [[f64; 3]; 3]) -> ([f64; 3], [[f64; 3]; 3]) {
    let mut q = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..30 {
        let off = a[0][1].abs() + a[0][2].abs() + a[1][2].abs();
        if off <= 1e-17 * (a[0][0].abs() + a[1][1].abs() + a[2][2].abs()) {
            break;
        }
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            if a[i][j] == 0.0 {
                continue;
            }
            let theta = (a[j][j] - a[i][i]) / (2.0 * a[i][j]);
            let tan = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let tan = if theta == 0.0 { 1.0 } else { tan };
            let c = 1.0 / (tan * tan + 1.0).sqrt();
            let s = tan * c;
            for k in 0..3 {
                (a[k][i], a[k][j]) = (c * a[k][i] - s * a[k][j], s * a[k][i] + c * a[k][j]);
            }
            for k in 0..3 {
                (a[i][k], a[j][k]) = (c * a[i][k] - s * a[j][k], s * a[i][k] + c * a[j][k]);
            }
            for row in &mut q {
                (row[i], row[j]) = (c * row[i] - s * row[j], s * row[i] + c * row[j]);
            }
        }
    }
    ([a[0][0], a[1][1], a[2][2]], q)
}

#[cfg(test)]
mod tests {
    use super::super::sets::size;
    use super::*;

    /// A Q = Q Λ on a matrix with two equal eigenvalues and one zero.
    #[test]
    fn axes_are_axes() {
        for a in
            [[[2.0, 1.0, 0.5], [1.0, 3.0, -0.2], [0.5, -0.2, 1.0]], [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 2.0]]]
        {
            let (values, q) = eigen(a);
            for k in 0..3 {
                for r in 0..3 {
                    let left: f64 = (0..3).map(|c| a[r][c] * q[c][k]).sum();
                    assert!((left - values[k] * q[r][k]).abs() < 1e-14, "{a:?}");
                }
            }
        }
    }

    /// Random blocks, b in all directions: the answer has residual 0, and open, stuck and sliding all occur.
    #[test]
    fn one_contact_is_solved_to_round_off() {
        let mut seed = 7u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        let mut kinds = [0; 3];
        for k in 0..2000 {
            let g: Vec<f64> = (0..24).map(|_| random()).collect();
            let mut own = [[0.0; 4]; 4];
            for r in 0..4 {
                for s in 0..4 {
                    own[r][s] = (0..6).map(|i| g[r * 6 + i] * g[s * 6 + i]).sum();
                }
            }
            let friction = [[0.5, 0.5, 0.01], [1.0, 0.2, 0.0], [0.0, 0.0, 0.0], [2.0, 2.0, 0.5]][k % 4];
            let contact = ConeContact {
                set: Set::Ellipsoid { friction },
                b: [0.0; 4],
                compliance: [0.0, 0.0, 0.0, 1e-3 * (k % 3) as f64],
            };
            let mut block = Block::new(&contact, &own);
            let b = [random(), random(), random(), random()];
            let b = [0, 1, 2, 3].map(|r| block.t[r] * b[r]);
            let g = block.solve(&b);
            let v = [0, 1, 2, 3].map(|r| b[r] + (0..4).map(|s| block.d[r][s] * g[s]).sum::<f64>());
            let off = size(&block.residual(&g, &v));
            // Impulses grow with the condition of the block.
            let most = 1.0 + block.delta * g.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            assert!(off <= 2e-13 * most, "{k}: {off} {g:?} {v:?} {block:?}");
            let moves = v[1..].iter().any(|v| v.abs() > 1e-9);
            kinds[if g[0] == 0.0 { 0 } else { 1 + usize::from(moves) }] += 1;
        }
        assert!(kinds.iter().all(|k| *k > 100), "{kinds:?}");
    }
}

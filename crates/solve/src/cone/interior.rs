//! # Interior: all constraints at once along a path through the inside of their sets
//!
//! - **in**: impulses g (ball coordinates) to start near, the problem made ready in `newton_velocity`
//! - **out**: impulses near a solution, from which stiff Newton steps arrive
//! - **not here**: whether their residual is small enough (`solver`); factors (`sparse`)
//! - **start at** [`Interior::run`]
//!
//! Which contacts open, stick and slide is never guessed: every condition holds with a product κ > 0 that falls to zero,
//!
//! ```text
//! P w = κ,   w = v_n              limits alike
//! (m P, ȳ) ∘ (ψ, ū) = (κ, 0)      i.e.  m P ψ + ȳ·ū = κ,   m P ū + ψ ȳ = 0;  dry friction with its limit in place of m P
//! ```
//!
//! with P, w > 0 and both brackets inside the cone. ψ, which goes to |ū|, makes friction smooth, so that friction against the slip
//! is met as it is, without a convex problem in between (Howell et al., "Dojo", 2022). Newton steps on these equations with
//! Mehrotra's predictor and corrector; what is left of a constraint after its own unknowns are taken out is dg = c − D dv, and the
//! matrix is that of `newton_velocity`.

use super::local::{Block, Four};
use super::newton_velocity::NewtonVelocity;
use super::problem::{ConeContact, Set};

/// Share of the way to the boundary that is gone at most.
const INSIDE: f64 = 0.995;
/// Softness of closed and sticking contacts, so that redundant ones do no harm.
const SOFT: f64 = 1e-8;

/// What a constraint has besides its impulse.
#[derive(Clone, Copy, Debug, Default)]
struct Slack {
    /// w, at v_n in the end.
    w: f64,
    /// ψ, at |ū| in the end, and what ū is taken to be until then.
    psi: f64,
    u: [f64; 3],
}

/// Which conditions a constraint has.
#[derive(Clone, Copy, Debug, Default)]
struct Kind {
    normal: bool,
    tangential: bool,
    /// κ is counted in units of this: 1/D, so that D P w is the square of a velocity.
    unit: f64,
}

/// Storage of the path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interior {
    kind: Vec<Kind>,
    g: Vec<Four>,
    v: Vec<Four>,
    slack: Vec<Slack>,
    /// A direction.
    dg: Vec<Four>,
    dv: Vec<Four>,
    change: Vec<Slack>,
}

impl Interior {
    /// Whether all constraints are known here: neither equations (a path with them went astray) nor compliance along tangents.
    pub(crate) fn knows(contacts: &[ConeContact]) -> bool {
        contacts.iter().all(|c| c.compliance[1..] == [0.0; 3] && c.set != Set::Free)
    }

    /// Starts near impulses g, with all products at `velocity`² (m/s)²; false where a constraint is not
    /// known here.
    pub(crate) fn start(
        &mut self,
        newton: &mut NewtonVelocity,
        contacts: &[ConeContact],
        blocks: &[Block],
        (g, v): (&[Four], &[Four]),
        velocity: f64,
    ) -> bool {
        if !Self::knows(contacts) {
            return false;
        }
        self.g.clear();
        self.kind.clear();
        self.slack.clear();
        for ((g, v), block) in g.iter().zip(v).zip(blocks) {
            let nn = block.d[0][0];
            let (mut g, mut kind, mut slack) = (*g, Kind::default(), Slack::default());
            if nn > 0.0 {
                kind.unit = 1.0 / nn;
                (kind.normal, kind.tangential) = match block.set {
                    Set::Ellipsoid { .. } => (true, block.m > 0.0 && block.delta > 0.0),
                    Set::AtLeast => (true, false),
                    Set::Within(limit) => (false, limit > 0.0),
                    Set::Free => (false, false),
                };
            }
            let kappa = velocity * velocity * kind.unit;
            if kind.normal {
                // P w = κ at the same D P − w.
                let z = nn * g[0] - v[0];
                let root = (z * z + 4.0 * kappa * nn).sqrt();
                let (p, w) = if z > 0.0 { (0.5 * (z + root), 0.0) } else { (0.0, 0.5 * (root - z)) };
                (g[0], slack.w) = if z > 0.0 { (p / nn, kappa * nn / p) } else { (kappa / w, w) };
            }
            if kind.tangential {
                let first = usize::from(kind.normal);
                let own = if kind.normal { block.delta } else { nn };
                let q = limit(block, &g);
                let (y, u) = (along(&kind, &g), along(&kind, v));
                let z = [0, 1, 2].map(|k| own * y[k] - u[k]);
                (slack.psi, slack.u) = central(q, own, &z, kappa);
                let rows = if kind.normal { 3 } else { 1 };
                (0..rows).for_each(|k| g[first + k] = -q * slack.u[k] / slack.psi);
            }
            self.g.push(g);
            self.kind.push(kind);
            self.slack.push(slack);
        }
        newton.velocities_of(contacts, blocks, &self.g, &mut self.v);
        for list in [&mut self.dg, &mut self.dv] {
            list.clear();
            list.resize(g.len(), [0.0; 4]);
        }
        self.change.clear();
        self.change.resize(g.len(), Slack::default());
        true
    }

    /// Impulses at hand.
    pub(crate) fn impulses(&self) -> &[Four] {
        &self.g
    }

    /// Mean of all products at a share of the direction, as the square of a velocity.
    fn products(&self, blocks: &[Block], share: f64) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0);
        for (i, kind) in self.kind.iter().enumerate() {
            let g = [0, 1, 2, 3].map(|r| self.g[i][r] + share * self.dg[i][r]);
            let (slack, change) = (&self.slack[i], &self.change[i]);
            if kind.normal {
                (sum, count) = (sum + g[0] * (slack.w + share * change.w) / kind.unit, count + 1.0);
            }
            if kind.tangential {
                let u = [0, 1, 2].map(|k| slack.u[k] + share * change.u[k]);
                let product = limit(&blocks[i], &g) * (slack.psi + share * change.psi) + dot(&along(kind, &g), &u);
                (sum, count) = (sum + product / kind.unit, count + 1.0);
            }
        }
        if count > 0.0 { sum / count } else { 0.0 }
    }

    /// One step of predictor and corrector; the mean product afterwards (m²/s²), and the share of the step. `None` where the
    /// matrix is singular.
    pub(crate) fn step(
        &mut self,
        newton: &mut NewtonVelocity,
        contacts: &[ConeContact],
        blocks: &[Block],
    ) -> Option<(f64, f64)> {
        self.change.fill(Slack::default());
        self.dg.fill([0.0; 4]);
        let mean = self.products(blocks, 0.0);
        self.linearise(newton, contacts, blocks, 0.0);
        if !newton.factor() {
            return None;
        }
        self.solve(newton, contacts, blocks, 0.0);
        let share = self.longest(blocks).min(1.0);
        let there = self.products(blocks, share).max(0.0);
        let least = (1.0 - share).powi(2).clamp(1e-4, 0.5);
        let centre = if mean > 0.0 { (there / mean).powi(3).clamp(least, 1.0) * mean } else { 0.0 };
        self.linearise(newton, contacts, blocks, centre);
        self.solve(newton, contacts, blocks, centre);
        let share = (INSIDE * self.longest(blocks)).min(1.0);
        if share.is_nan() || share <= 0.0 {
            return None;
        }
        for i in 0..self.g.len() {
            let (slack, change) = (&mut self.slack[i], &self.change[i]);
            (0..4).for_each(|r| self.g[i][r] += share * self.dg[i][r]);
            slack.w += share * change.w;
            slack.psi += share * change.psi;
            (0..3).for_each(|k| slack.u[k] += share * change.u[k]);
        }
        newton.velocities_of(contacts, blocks, &self.g, &mut self.v);
        self.change.fill(Slack::default());
        Some((self.products(blocks, 0.0), share))
    }

    /// Answers of all constraints, for products of κ (m²/s²) less those of the direction at hand.
    fn linearise(&mut self, newton: &mut NewtonVelocity, contacts: &[ConeContact], blocks: &[Block], kappa: f64) {
        for i in 0..self.g.len() {
            let (c, d) = self.answer(i, &contacts[i], &blocks[i], kappa);
            newton.set(i, c, d);
        }
    }

    /// Rest of the conditions of a constraint: normal, along and across of the tangential one.
    fn rests(&self, i: usize, block: &Block, kappa: f64) -> (f64, f64, [f64; 3]) {
        let (kind, slack, change) = (&self.kind[i], &self.slack[i], &self.change[i]);
        let (g, dg) = (&self.g[i], &self.dg[i]);
        let kappa = kappa * kind.unit;
        let normal = kappa - g[0] * slack.w - dg[0] * change.w;
        if !kind.tangential {
            return (normal, 0.0, [0.0; 3]);
        }
        let (q, y) = (limit(block, g), along(kind, g));
        let (dq, dy) = (if kind.normal { block.m * dg[0] } else { 0.0 }, along(kind, dg));
        let a = kappa - q * slack.psi - dot(&y, &slack.u) - dq * change.psi - dot(&dy, &change.u);
        let b = [0, 1, 2].map(|k| -q * slack.u[k] - slack.psi * y[k] - dq * change.u[k] - change.psi * dy[k]);
        (normal, a, b)
    }

    /// What a constraint answers to a change of velocity: dg = c − D dv.
    fn answer(&self, i: usize, contact: &ConeContact, block: &Block, kappa: f64) -> (Four, [Four; 4]) {
        let (g, v, slack, kind) = (&self.g[i], &self.v[i], &self.slack[i], &self.kind[i]);
        let (mut c, mut d) = ([0.0; 4], [[0.0; 4]; 4]);
        let (normal, a, b) = self.rests(i, block, kappa);
        if kind.normal {
            // w dP + P dw = rest,   dw = dv_n + C dP + v_n − w
            let own = 1.0 / (slack.w + g[0] * (contact.compliance[0] + SOFT * block.d[0][0]));
            (c[0], d[0][0]) = ((normal - g[0] * (v[0] - slack.w)) * own, g[0] * own);
        }
        if kind.tangential {
            let (q, y, psi, u) = (limit(block, g), along(kind, g), slack.psi, &slack.u);
            let missing = along(kind, v);
            let missing = [0, 1, 2].map(|k| missing[k] - u[k]);
            let over = 1.0 / psi;
            let less = 1.0 / (1.0 + SOFT * block.delta.max(block.d[0][0]) * q * over);
            // dψ = a0 + aq dq + au·dū,   dȳ = (b − q dū − ū dq − ȳ dψ)/ψ
            let den = 1.0 / (q - dot(u, &y) * over);
            let a0 = (a - dot(u, &b) * over) * den;
            let aq = (square_of(u) * over - psi) * den;
            let au = [0, 1, 2].map(|k| (q * over * u[k] - y[k]) * den);
            let (m, first) = (if kind.normal { block.m } else { 0.0 }, usize::from(kind.normal));
            let rows = if kind.normal { 3 } else { 1 };
            for r in 0..rows {
                let eq = -(u[r] + y[r] * aq) * over * m;
                c[first + r] =
                    (b[r] - y[r] * a0 - q * missing[r] - y[r] * dot(&au, &missing)) * over * less + eq * c[0];
                if kind.normal {
                    d[first + r][0] = eq * d[0][0];
                }
                for s in 0..rows {
                    let same = f64::from(u8::from(r == s));
                    d[first + r][first + s] = (q * same + y[r] * au[s]) * over * less;
                }
            }
            for r in (1..4).filter(|r| block.t[*r] == 0.0) {
                c[r] = -g[r];
                d[r] = [0.0; 4];
                d.iter_mut().for_each(|row| row[r] = 0.0);
            }
        }
        (c, d)
    }

    /// The direction to products of κ (m²/s²), by the factors at hand.
    fn solve(&mut self, newton: &mut NewtonVelocity, contacts: &[ConeContact], blocks: &[Block], kappa: f64) {
        // Rests are those before the direction changes.
        for i in 0..self.g.len() {
            let (normal, a, _) = self.rests(i, &blocks[i], kappa);
            let change = &mut self.change[i];
            (change.w, change.psi) = (normal, a);
        }
        newton.back_substitute(&mut self.dg, &mut self.dv);
        for (i, kind) in self.kind.iter().enumerate() {
            let (block, slack, change) = (&blocks[i], &self.slack[i], &mut self.change[i]);
            let (g, dg) = (&self.g[i], &self.dg[i]);
            self.dv[i][0] += contacts[i].compliance[0] * dg[0];
            let (v, dv) = (&self.v[i], &self.dv[i]);
            if kind.normal {
                change.w = dv[0] + v[0] - slack.w;
            }
            if kind.tangential {
                let (q, y) = (limit(block, g), along(kind, g));
                let (dq, dy) = (if kind.normal { block.m * dg[0] } else { 0.0 }, along(kind, dg));
                let (v, dv) = (along(kind, v), along(kind, dv));
                let du = [0, 1, 2].map(|k| dv[k] + v[k] - slack.u[k]);
                change.psi = (change.psi - slack.psi * dq - dot(&y, &du) - dot(&slack.u, &dy)) / q;
                change.u = du;
            }
        }
    }

    /// The longest step along the direction that stays inside.
    fn longest(&self, blocks: &[Block]) -> f64 {
        let mut least = f64::INFINITY;
        for (i, kind) in self.kind.iter().enumerate() {
            let (slack, change) = (&self.slack[i], &self.change[i]);
            let (g, dg) = (&self.g[i], &self.dg[i]);
            if kind.normal {
                least = least.min(until_zero(g[0], dg[0])).min(until_zero(slack.w, change.w));
            }
            if kind.tangential {
                let (q, y) = (limit(&blocks[i], g), along(kind, g));
                let (dq, dy) = (if kind.normal { blocks[i].m * dg[0] } else { 0.0 }, along(kind, dg));
                least = least.min(until_out(q, &y, dq, &dy));
                least = least.min(until_out(slack.psi, &slack.u, change.psi, &change.u));
            }
        }
        least
    }
}

/// ψ and ū with friction ȳ = −q ū/ψ, ψ² − |ū|² = κ ψ/q and D ȳ − ū = z.
fn central(q: f64, own: f64, z: &[f64; 3], kappa: f64) -> (f64, [f64; 3]) {
    let size = square_of(z).sqrt();
    // |ū| = |z| ψ/(q D + ψ): ψ − κ/q − |ū|²/ψ rises with ψ.
    let slip = |psi: f64| size / (q * own + psi) * psi;
    let (mut low, mut high) = (kappa / q, kappa / q + size);
    for _ in 0..40 {
        let psi = (low * high).sqrt();
        let off = psi * psi - slip(psi) * slip(psi) - kappa * psi / q;
        if off > 0.0 {
            high = psi;
        } else {
            low = psi;
        }
        if high <= 1.001 * low {
            break;
        }
    }
    let share = -high / (q * own + high);
    let (u, half) = (z.map(|z| share * z), 0.5 * kappa / q);
    (half + (half * half + square_of(&u)).sqrt(), u)
}

/// Limit of friction of a contact, or of dry friction.
#[inline]
fn limit(block: &Block, g: &Four) -> f64 {
    if let Set::Within(limit) = block.set { limit } else { block.m * g[0] }
}

/// The tangential part of a contact, or one row of dry friction.
#[inline]
fn along(kind: &Kind, x: &Four) -> [f64; 3] {
    if kind.normal { [x[1], x[2], x[3]] } else { [x[0], 0.0, 0.0] }
}

#[inline]
fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline]
fn square_of(a: &[f64; 3]) -> f64 {
    dot(a, a)
}

#[inline]
fn until_zero(x: f64, dx: f64) -> f64 {
    if dx < 0.0 { -x / dx } else { f64::INFINITY }
}

/// Until |y + a dy| = q + a dq, from inside.
#[inline]
fn until_out(q: f64, y: &[f64; 3], dq: f64, dy: &[f64; 3]) -> f64 {
    // a² A + 2 a B + C = 0 with C > 0: the least positive root.
    let (aa, bb, cc) = (dq * dq - square_of(dy), q * dq - dot(y, dy), q * q - square_of(y));
    let tip = until_zero(q, dq);
    if cc <= 0.0 {
        return if bb < 0.0 { 0.0 } else { tip };
    }
    let disc = bb * bb - aa * cc;
    if disc < 0.0 {
        return tip;
    }
    // Root as C/(−B ± √): no cancellation.
    let root = disc.sqrt();
    let den = -bb + root;
    let out = if den > 0.0 { cc / den } else { f64::INFINITY };
    out.min(tip)
}

#[cfg(test)]
mod tests {
    use super::super::problem::{Arm, ConeOperator, ConeProblem, Span};
    use super::super::solver::{ConeOptions, ConeReport, ConeSolver};
    use super::*;
    use crate::answer::Status;

    fn random(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    }

    /// Forty constraints of all kinds but equations on twenty blocks: from no impulses, by the path alone, to residuals of 1e-9 m/s in at least
    /// nine problems of ten, as the solver's own residual has them.
    #[test]
    fn paths_arrive_from_nothing() {
        let (mut seed, mut arrived) = (5u64, 0);
        for _ in 0..100 {
            let (mut arms, mut spans, mut contacts) = (Vec::new(), Vec::new(), Vec::new());
            for k in 0..40u32 {
                let blocks = [k % 20, (k * 7 + 3) % 20];
                let first = arms.len() as u32;
                for block in &blocks[..if blocks[0] == blocks[1] { 1 } else { 2 }] {
                    let rows = [[0.0; 6]; 4].map(|row: [f64; 6]| row.map(|_| random(&mut seed)));
                    arms.push(Arm { block: *block, rows });
                }
                spans.push(Span { first, count: arms.len() as u32 - first });
                let b = [random(&mut seed) - 0.2, random(&mut seed), random(&mut seed), random(&mut seed)];
                contacts.push(match k % 10 {
                    7 => ConeContact::row(Set::AtLeast, b[0]),
                    8 => ConeContact::row(Set::Within(0.2), b[0]),
                    5 => ConeContact::new(0.0, 0.0, b),
                    _ => ConeContact::new(0.4, 0.3, b),
                });
            }
            let problem = ConeProblem { operator: ConeOperator::Blocks { count: 20, arms, spans }, contacts };
            let mut solver = ConeSolver::new(ConeOptions { tolerance: 1e-9, ..ConeOptions::default() });
            solver.set_up(&problem, &[]);
            let mut best = solver.renew(&problem);
            solver.best.clone_from(&solver.g);
            assert!(solver.newton_velocity.set_up(&problem, &solver.blocks));
            let mut report = ConeReport { status: Status::NotFound, residual: 0.0, sweeps: 0, newton: 0, proximal: 0 };
            if solver.interior_path(&problem, &mut best, &mut report, 60) {
                arrived += 1;
                solver.return_to_best(&problem);
                let mut impulses = Vec::new();
                solver.hand_over(&mut impulses);
                let residual = ConeSolver::default().residual(&problem, &impulses).unwrap();
                assert!(residual <= 1.001e-9, "{residual}");
            }
        }
        assert!(arrived >= 90, "{arrived} of 100");
    }
}

//! # One contact: impulse on its cone, the others held
//!
//! `solver` ──(velocity without this contact's impulse)──▶ **here** ──(impulse)──▶ `solver`
//!
//! - **in**: the contact's own block, made ready once ([`Block`]); the velocity that the others leave it with
//! - **out**: P and ȳ with v_n ≥ 0 ⊥ P ≥ 0 and maximum dissipation, to round-off; the residual of any impulse
//! - **not here**: coupling between contacts
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

/// An impulse or velocity of a contact: n, t1, t2, s.
pub(crate) type Four = [f64; 4];

/// What one contact needs to be solved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    set: Set,
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
        match contact.set {
            Set::Ellipsoid { .. } if d[0][0] > 0.0 => block.turn(),
            Set::Ellipsoid { .. } | Set::AtLeast | Set::Within(_) | Set::Free => {}
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
        let stops = if nn > 0.0 { -b[0] / nn } else { 0.0 };
        match self.set {
            Set::Ellipsoid { .. } => self.solve_contact(b),
            Set::AtLeast => [stops.max(0.0), 0.0, 0.0, 0.0],
            Set::Within(limit) => [nearest(stops, -limit, limit), 0.0, 0.0, 0.0],
            Set::Free => [stops, 0.0, 0.0, 0.0],
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

    /// Residual of impulse g at velocity v, both in ball coordinates: normal and tangential parts (m/s).
    pub(crate) fn residual(&self, g: &Four, v: &Four) -> Four {
        violation(&self.set, self.m, self.d[0][0], self.delta, g, v)
    }

    /// Where the constraint is, as its residual has it, at impulse g and velocity v in ball coordinates.
    #[inline]
    pub(crate) fn mode(&self, g: &Four, v: &Four) -> Mode {
        let nn = self.d[0][0];
        match self.set {
            _ if nn <= 0.0 => Mode::Open,
            Set::AtLeast if nn * g[0] <= v[0] => Mode::Open,
            Set::Ellipsoid { .. } if nn * g[0] <= v[0] => Mode::Open,
            Set::Ellipsoid { .. } => Mode::Contact,
            Set::Within(limit) => {
                let trial = g[0] - v[0] / nn;
                if trial.abs() <= limit { Mode::Held } else { Mode::Slips(limit.copysign(trial)) }
            }
            Set::AtLeast | Set::Free => Mode::Held,
        }
    }

    /// The impulse on its set: contacts P ≥ 0 and ȳ within its ball, radially; zeros where it is not a number.
    pub(crate) fn onto_set(&self, mut g: Four) -> Four {
        if g[0].is_nan() {
            return [0.0; 4];
        }
        match self.set {
            Set::Ellipsoid { .. } => {}
            Set::AtLeast => return [g[0].max(0.0), 0.0, 0.0, 0.0],
            Set::Within(limit) => return [nearest(g[0], -limit, limit), 0.0, 0.0, 0.0],
            Set::Free => return [g[0], 0.0, 0.0, 0.0],
        }
        if g[0] <= 0.0 {
            return [0.0; 4];
        }
        let size = (g[1] * g[1] + g[2] * g[2] + g[3] * g[3]).sqrt();
        let radius = self.m * g[0];
        if size > radius {
            let share = radius / size;
            (1..4).for_each(|r| g[r] *= share);
        }
        (1..4).for_each(|r| g[r] = if self.t[r] == 0.0 { 0.0 } else { g[r] });
        g
    }

    /// Nearest point of the set to τ, and the derivative of that.
    pub(crate) fn project(&self, tau: &Four) -> (Four, [Four; 4]) {
        let one = |p: f64, moves: bool| {
            let mut slope = [[0.0; 4]; 4];
            slope[0][0] = f64::from(u8::from(moves));
            ([p, 0.0, 0.0, 0.0], slope)
        };
        let p = tau[0];
        match self.set {
            Set::Ellipsoid { .. } if self.m > 0.0 => project(self.m, tau),
            Set::Ellipsoid { .. } | Set::AtLeast => one(p.max(0.0), p > 0.0),
            Set::Within(limit) => one(nearest(p, -limit, limit), p.abs() < limit),
            Set::Free => one(p, true),
        }
    }
}

/// Where a constraint is: which equation Newton's method solves for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mode {
    /// No impulse.
    Open,
    /// A contact that presses: stuck or sliding.
    Contact,
    /// One row whose velocity is zero.
    Held,
    /// One row at its limit: the impulse there.
    Slips(f64),
}

/// The number between two that is nearest to x; NaN stays so, which `clamp` would not bear in its bounds.
#[inline]
fn nearest(x: f64, low: f64, high: f64) -> f64 {
    if x < low {
        low
    } else if x > high {
        high
    } else {
        x
    }
}

/// m and t of a set: rows that it does not have are zero.
#[inline]
fn ball(set: &Set) -> (f64, Four) {
    let none = (0.0, [1.0, 0.0, 0.0, 0.0]);
    match set {
        Set::Ellipsoid { friction: a } => {
            let m = a[0].max(a[1]).max(a[2]);
            if m > 0.0 { (m, [1.0, a[0] / m, a[1] / m, a[2] / m]) } else { none }
        }
        Set::AtLeast | Set::Within(_) | Set::Free => none,
    }
}

/// Nearest point of the cone |y| ≤ m p, m > 0, and the derivative of that.
fn project(m: f64, tau: &Four) -> (Four, [Four; 4]) {
    let (p, y) = (tau[0], [tau[1], tau[2], tau[3]]);
    let mut slope = [[0.0; 4]; 4];
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

/// Residual of impulse g at velocity v, both in ball coordinates.
#[inline]
fn violation(set: &Set, m: f64, nn: f64, delta: f64, g: &Four, v: &Four) -> Four {
    match set {
        Set::Ellipsoid { .. } => contact_violation(m, nn, delta, g, v),
        Set::AtLeast => [(nn * g[0]).min(v[0]), 0.0, 0.0, 0.0],
        // λ − clamp(λ − v/G), times G, with no division.
        Set::Within(limit) => [nearest(v[0], nn * (g[0] - limit), nn * (g[0] + limit)), 0.0, 0.0, 0.0],
        Set::Free => [v[0], 0.0, 0.0, 0.0],
    }
}

#[inline]
fn contact_violation(m: f64, nn: f64, delta: f64, g: &Four, v: &Four) -> Four {
    let normal = (nn * g[0]).min(v[0]);
    if m <= 0.0 || delta <= 0.0 {
        return [normal, delta * g[1], delta * g[2], delta * g[3]];
    }
    let over = 1.0 / delta;
    let trial = [g[1] - v[1] * over, g[2] - v[2] * over, g[3] - v[3] * over];
    let square = trial[0] * trial[0] + trial[1] * trial[1] + trial[2] * trial[2];
    let radius = m * g[0].max(0.0);
    if square <= radius * radius {
        return [normal, v[1], v[2], v[3]];
    }
    let share = radius / square.sqrt();
    let part = |k: usize| (g[k + 1] - share * trial[k]) * delta;
    [normal, part(0), part(1), part(2)]
}

/// What a residual needs to know of a contact, without its block: for impulses that may be good as they are.
#[derive(Clone, Copy, Debug)]
pub struct Gauge {
    set: Set,
    /// From ball coordinates to rows.
    t: Four,
    m: f64,
    nn: f64,
    delta: f64,
}

impl Gauge {
    /// A constraint whose unit impulses change its own velocities by `own`, compliance included.
    #[inline]
    pub fn new(set: &Set, own: &Four) -> Self {
        let (m, t) = ball(set);
        let side = |r: usize| t[r] * t[r] * own[r];
        Self { set: *set, t, m, nn: own[0], delta: side(1).max(side(2)).max(side(3)) }
    }

    /// Impulses (rows) on the set, contacts radially; zeros where they are not finite.
    #[inline]
    pub fn onto_set(&self, f: &Four) -> Four {
        if !f.iter().all(|f| f.is_finite()) {
            return [0.0; 4];
        }
        match self.set {
            Set::Ellipsoid { .. } => {}
            Set::AtLeast => return [f[0].max(0.0), 0.0, 0.0, 0.0],
            Set::Within(limit) => return [nearest(f[0], -limit, limit), 0.0, 0.0, 0.0],
            Set::Free => return [f[0], 0.0, 0.0, 0.0],
        }
        if f[0] <= 0.0 {
            return [0.0; 4];
        }
        let y = [1, 2, 3].map(|r| if self.t[r] > 0.0 { f[r] / self.t[r] } else { 0.0 });
        let (size, radius) = (y[0] * y[0] + y[1] * y[1] + y[2] * y[2], self.m * f[0]);
        let share = if size > radius * radius { radius / size.sqrt() } else { 1.0 };
        let part = |r: usize| if self.t[r] > 0.0 { share * f[r] } else { 0.0 };
        [f[0], part(1), part(2), part(3)]
    }

    /// Residual (m/s) of impulses on the set at velocities, both as rows.
    #[inline]
    pub fn residual(&self, f: &Four, v: &Four) -> f64 {
        let (mut g, mut u) = ([f[0], 0.0, 0.0, 0.0], [v[0], 0.0, 0.0, 0.0]);
        for r in 1..4 {
            u[r] = self.t[r] * v[r];
            g[r] = if self.t[r] > 0.0 { f[r] / self.t[r] } else { 0.0 };
        }
        size(&violation(&self.set, self.m, self.nn, self.delta, &g, &u))
    }
}

fn length(y: &[f64; 3]) -> f64 {
    (y[0] * y[0] + y[1] * y[1] + y[2] * y[2]).sqrt()
}

/// Size of a residual: the larger of its normal and tangential parts; infinity for NaN.
#[inline]
pub(crate) fn size(r: &Four) -> f64 {
    let tangential = (r[1] * r[1] + r[2] * r[2] + r[3] * r[3]).sqrt();
    let both = r[0].abs() + tangential;
    if both.is_nan() { f64::INFINITY } else { r[0].abs().max(tangential) }
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

    /// A gauge, which knows the diagonal of a block alone, grades impulses as the block does; on the cone it leaves them alone.
    #[test]
    fn a_gauge_grades_as_its_block() {
        let mut seed = 11u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        for k in 0..2000 {
            let rows: Vec<f64> = (0..24).map(|_| random()).collect();
            let mut own = [[0.0; 4]; 4];
            for r in 0..4 {
                for s in 0..4 {
                    own[r][s] = (0..6).map(|i| rows[r * 6 + i] * rows[s * 6 + i]).sum();
                }
            }
            let friction = [[0.5, 0.5, 0.01], [1.0, 0.2, 0.0], [0.0, 0.0, 0.0], [2.0, 2.0, 0.5]][k % 4];
            let compliance = [1e-3, 0.0, 2e-3, 0.0];
            let contact = ConeContact { set: Set::Ellipsoid { friction }, b: [0.0; 4], compliance };
            let block = Block::new(&contact, &own);
            let gauge = Gauge::new(&contact.set, &[0, 1, 2, 3].map(|r| own[r][r] + compliance[r]));
            let (f, v) = ([0.0; 4].map(|_: f64| random()), [0.0; 4].map(|_: f64| random()));
            let f = gauge.onto_set(&f);
            let g = [0, 1, 2, 3].map(|r| if block.t[r] > 0.0 { f[r] / block.t[r] } else { 0.0 });
            assert!(length(&[g[1], g[2], g[3]]) <= block.m * g[0] * (1.0 + 1e-15));
            let expected = size(&block.residual(&g, &[0, 1, 2, 3].map(|r| block.t[r] * v[r])));
            assert!((gauge.residual(&f, &v) - expected).abs() <= 1e-15, "{k}");
            let again = gauge.onto_set(&f);
            assert!((0..4).all(|r| (again[r] - f[r]).abs() <= 1e-16), "{k}");
        }
    }

    /// Slopes of projections against differences; the rest of a projected point is orthogonal to it.
    #[test]
    fn slopes_of_projections_match_differences() {
        let sets = [0.0, 0.3, 1.0, 2.0].map(|mu| Set::Ellipsoid { friction: [mu; 3] });
        for set in sets.into_iter().chain([Set::AtLeast, Set::Within(0.5), Set::Free]) {
            let block = Block::new(&ConeContact::row(set, 0.0), &[[0.0; 4]; 4]);
            for tau in [[1.0, 0.1, 0.1, 0.0], [0.2, 1.0, -0.4, 0.3], [-1.0, 0.2, 0.1, 0.0], [-0.1, 1.0, 1.0, 1.0]] {
                let (p, slope) = block.project(&tau);
                for k in 0..4 {
                    let mut other = tau;
                    other[k] += 1e-7;
                    let (q, _) = block.project(&other);
                    (0..4).for_each(|r| {
                        assert!(((q[r] - p[r]) / 1e-7 - slope[r][k]).abs() < 1e-5, "{set:?} {tau:?} {r} {k}")
                    });
                }
                let along: f64 = (0..4).map(|k| (tau[k] - p[k]) * p[k]).sum();
                // Cones alone.
                assert!(along.abs() < 1e-15 || matches!(set, Set::Within(_)), "{set:?} {tau:?}");
            }
        }
    }
}

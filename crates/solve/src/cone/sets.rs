//! # Sets: what residuals, projections and Newton's method ask of a constraint
//!
//! [`Set`] ──▶ **here** ──(modes, nearest points, residuals)──▶ `solver`, `newton_velocity`, `newton_impulse`, `proximal`
//!
//! - **in**: the set of a constraint; impulse and velocity
//! - **out**: [`Block::residual`], [`Block::mode`], [`Block::onto_set`], [`Block::project`]; [`Gauge`] for callers
//! - **not here**: the impulse that solves a constraint alone (`local`)
//! - **start at** [`interval`]: the one place where sets are told apart
//!
//! A contact has its cone. Every other set is an interval of λ, and the same formulas serve all of them: the residual is
//! G (λ − Π(λ − v/G)) with Π onto the interval, which is v clamped between G (λ − high) and G (λ − low).

use super::local::{Block, Four};
use super::problem::Set;

/// Where a constraint is: which equation Newton's method solves for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mode {
    /// No impulse.
    Open,
    /// A contact that presses: stuck or sliding.
    Contact,
    /// One row whose velocity is zero.
    Held,
    /// One row at an end of its interval other than zero: the impulse there.
    Slips(f64),
}

/// The impulses that a constraint of one row may give; none for a contact, which has a cone.
#[inline]
pub(super) fn interval(set: &Set) -> Option<(f64, f64)> {
    match set {
        Set::Ellipsoid { .. } => None,
        Set::AtLeast => Some((0.0, f64::INFINITY)),
        Set::Within(limit) => Some((-limit, *limit)),
        Set::Free => Some((f64::NEG_INFINITY, f64::INFINITY)),
    }
}

/// The number between two that is nearest to x; NaN stays so, and a bound that is NaN (0 · ∞) is none.
#[inline]
pub(super) fn nearest(x: f64, low: f64, high: f64) -> f64 {
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
pub(super) fn ball(set: &Set) -> (f64, Four) {
    if let Set::Ellipsoid { friction: a } = set {
        let m = a[0].max(a[1]).max(a[2]);
        if m > 0.0 {
            return (m, [1.0, a[0] / m, a[1] / m, a[2] / m]);
        }
    }
    (0.0, [1.0, 0.0, 0.0, 0.0])
}

impl Block {
    /// Residual of impulse g at velocity v, both in ball coordinates: normal and tangential parts (m/s).
    pub(crate) fn residual(&self, g: &Four, v: &Four) -> Four {
        violation(&self.set, self.m, self.d[0][0], self.delta, g, v)
    }

    /// Where the constraint is, as its residual has it, at impulse g and velocity v in ball coordinates.
    #[inline]
    pub(crate) fn mode(&self, g: &Four, v: &Four) -> Mode {
        let nn = self.d[0][0];
        if nn <= 0.0 {
            return Mode::Open;
        }
        let Some((low, high)) = interval(&self.set) else {
            return if nn * g[0] <= v[0] { Mode::Open } else { Mode::Contact };
        };
        let trial = g[0] - v[0] / nn;
        let end = nearest(trial, low, high);
        if trial <= low && end == 0.0 {
            Mode::Open
        } else if end == trial {
            Mode::Held
        } else {
            Mode::Slips(end)
        }
    }

    /// The impulse on its set: contacts P ≥ 0 and ȳ within its ball, radially; zeros where it is not a number.
    pub(crate) fn onto_set(&self, mut g: Four) -> Four {
        if g[0].is_nan() {
            return [0.0; 4];
        }
        if let Some((low, high)) = interval(&self.set) {
            return [nearest(g[0], low, high), 0.0, 0.0, 0.0];
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
        let interval = match interval(&self.set) {
            None if self.m > 0.0 => return onto_cone(self.m, tau),
            // Without friction a contact is a limit.
            None => (0.0, f64::INFINITY),
            Some(interval) => interval,
        };
        let mut slope = [[0.0; 4]; 4];
        slope[0][0] = f64::from(u8::from(interval.0 < tau[0] && tau[0] < interval.1));
        ([nearest(tau[0], interval.0, interval.1), 0.0, 0.0, 0.0], slope)
    }
}

/// Nearest point of the cone |y| ≤ m p, m > 0, and the derivative of that.
fn onto_cone(m: f64, tau: &Four) -> (Four, [Four; 4]) {
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
    match interval(set) {
        None => contact_violation(m, nn, delta, g, v),
        Some((low, high)) => [nearest(v[0], nn * (g[0] - high), nn * (g[0] - low)), 0.0, 0.0, 0.0],
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
        if let Some((low, high)) = interval(&self.set) {
            return [nearest(f[0], low, high), 0.0, 0.0, 0.0];
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

/// Size of a residual: the larger of its normal and tangential parts; infinity for NaN.
#[inline]
pub(crate) fn size(r: &Four) -> f64 {
    let tangential = (r[1] * r[1] + r[2] * r[2] + r[3] * r[3]).sqrt();
    let both = r[0].abs() + tangential;
    if both.is_nan() { f64::INFINITY } else { r[0].abs().max(tangential) }
}

#[cfg(test)]
mod tests {
    use super::super::problem::ConeContact;
    use super::*;

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
            assert!((g[1] * g[1] + g[2] * g[2] + g[3] * g[3]).sqrt() <= block.m * g[0] * (1.0 + 1e-15));
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

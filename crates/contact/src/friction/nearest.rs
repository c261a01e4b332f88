//! # Nearest: loads inside and outside a limit that is known by its dissipation
//!
//! `turning` ──(h(t), ∇h, ∇²h)──▶ **here** ──(gauge, slip)──▶ `limit_surface`, `flat`
//!
//! - **in**: support function h of the limit, a load, a stiffness, a twist to start from
//! - **out**: how much of the limit a load uses; the slip by which a load outside returns
//! - **start at** [`gauge`], [`slip`]
//!
//! Both are convex problems in the twist, smooth where the answer is not zero:
//!
//! ```text
//! gauge:       least ½h(t)² − F·t            answer h∇h = F, so that F/h is on the limit and h is the gauge
//! projection:  least h(Δ) + ½ΔᵀKΔ − F·Δ     answer ∇h(Δ) + KΔ = F: the load ∇h is on the limit, Δ normal to it
//! ```
//!
//! (Moreau, the two are proximal maps.) h has degree one, so the best length along a direction is closed: λ = F·t/h² and
//! λ = (F·t − h)/tᵀKt. Each round sets the length, then takes Newton's step; a step is halved until the merit that is left,
//! F·t/h or (F·t − h)/√(tᵀKt), does not fall.

use super::turning::{Support, Turning, support};
use nalgebra::{Matrix3, Vector3};

/// Rounds before giving up; Newton takes 2 to 8. What is not a number ends at once.
const MOST_ROUNDS: u32 = 40;

/// Relative noise of the quadrature under h: a fall of the merit below it is none.
const NOISE: f64 = 1e-7;

/// A residual (in units of the load) that is small enough.
const SMALL: f64 = 1e-11;

/// One of the two problems.
trait Problem {
    /// Merit of a direction, to be made large.
    fn merit(&self, t: &Vector3<f64>, s: &Support) -> f64;
    /// The best length along t, minus the gradient there, and the Hessian there.
    fn newton(&self, t: &Vector3<f64>, s: &Support) -> (f64, Vector3<f64>, Matrix3<f64>);
}

struct Gauge {
    load: Vector3<f64>,
}

impl Problem for Gauge {
    fn merit(&self, t: &Vector3<f64>, s: &Support) -> f64 {
        self.load.dot(t) / s.value
    }

    fn newton(&self, t: &Vector3<f64>, s: &Support) -> (f64, Vector3<f64>, Matrix3<f64>) {
        let length = self.load.dot(t) / (s.value * s.value);
        let g = &s.gradient;
        (length, self.load - g * (length * s.value), s.hessian * s.value + g * g.transpose())
    }
}

struct Slip {
    load: Vector3<f64>,
    stiffness: Matrix3<f64>,
}

impl Problem for Slip {
    fn merit(&self, t: &Vector3<f64>, s: &Support) -> f64 {
        (self.load.dot(t) - s.value) / t.dot(&(self.stiffness * t)).sqrt()
    }

    fn newton(&self, t: &Vector3<f64>, s: &Support) -> (f64, Vector3<f64>, Matrix3<f64>) {
        let kt = self.stiffness * t;
        let length = (self.load.dot(t) - s.value) / t.dot(&kt);
        (length, self.load - s.gradient - kt * length, s.hessian / length + self.stiffness)
    }
}

/// What the search ended with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    /// Twist of the best length.
    pub twist: Vector3<f64>,
    /// Merit of it.
    pub merit: f64,
    /// Evaluations of h.
    pub rounds: u32,
}

/// Newton's method from `start`, whose merit must be positive; stops early when the merit passes `enough`.
fn search<T: Turning>(patch: &T, problem: &impl Problem, start: &Vector3<f64>, enough: f64) -> Found {
    let mut t = *start;
    let mut s = support(patch, &t);
    let mut merit = problem.merit(&t, &s);
    let mut rounds = 1;
    loop {
        let (length, residual, hessian) = problem.newton(&t, &s);
        let here = t * length;
        let found = Found { twist: here, merit, rounds };
        if merit.is_nan() || merit <= 0.0 || merit > enough || rounds >= MOST_ROUNDS || residual.amax() <= SMALL {
            return found;
        }
        let Some(mut step) = solve(&hessian, &residual) else { return found };
        // Newton squares the relative step: one of 3e-6 needs no look at where it ends.
        if step.norm_squared() <= SMALL * here.norm_squared() {
            return Found { twist: here + step, merit, rounds };
        }
        loop {
            let next = here + step;
            let there = support(patch, &next);
            let reached = problem.merit(&next, &there);
            rounds += 1;
            if reached >= merit - NOISE * merit.abs() {
                (t, s, merit) = (next, there, reached);
                break;
            }
            if rounds >= MOST_ROUNDS {
                return Found { twist: here, merit, rounds };
            }
            step *= 0.5;
        }
    }
}

/// Cholesky without square roots; a pivot lost to rounding (a direction in which h is straight) gets a small one.
#[inline]
fn solve(h: &Matrix3<f64>, r: &Vector3<f64>) -> Option<Vector3<f64>> {
    let least = 1e-14 * (h[(0, 0)] + h[(1, 1)] + h[(2, 2)]);
    let d0 = h[(0, 0)].max(least);
    let (l1, l2) = (h[(1, 0)] / d0, h[(2, 0)] / d0);
    let d1 = (h[(1, 1)] - l1 * h[(1, 0)]).max(least);
    let l3 = (h[(2, 1)] - l2 * h[(1, 0)]) / d1;
    let d2 = (h[(2, 2)] - l2 * h[(2, 0)] - l3 * l3 * d1).max(least);
    let y1 = r.y - l1 * r.x;
    let y2 = r.z - l2 * r.x - l3 * y1;
    let z = y2 / d2;
    let y = y1 / d1 - l3 * z;
    let x = r.x / d0 - l1 * y - l2 * z;
    let step = Vector3::new(x, y, z);
    if step.iter().all(|c| c.is_finite()) { Some(step) } else { None }
}

/// The gauge of a load, and the twist that shows it; stops early with a lower bound once that exceeds `enough`.
pub(super) fn gauge<T: Turning>(patch: &T, load: &Vector3<f64>, start: &Vector3<f64>, enough: f64) -> Found {
    search(patch, &Gauge { load: *load }, start, enough)
}

/// The slip Δ with ∇h(Δ) + KΔ = F, from a twist with F·t > h(t).
pub(super) fn slip<T: Turning>(
    patch: &T,
    load: &Vector3<f64>,
    stiffness: &Matrix3<f64>,
    start: &Vector3<f64>,
) -> Found {
    search(patch, &Slip { load: *load, stiffness: *stiffness }, start, f64::INFINITY)
}

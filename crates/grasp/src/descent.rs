//! # Descent: least value of a support function on the unit sphere, from many starts
//!
//! `support` ──▶ **here** ──(direction, value)──▶ `epsilon`
//!
//! - **in**: a support function, directions to start from
//! - **out**: the best local minimum found; its value is exact for its direction, hence never below the least
//! - **not here**: bounds from below (`polytope`)
//! - **start at** [`best_of`]
//!
//! h has kinks where contacts share the lead and where friction changes sign; its least value often lies on one. So h is
//! replaced by smooth functions within δ of it, and Newton steps on the sphere follow the minimum while δ falls from
//! a tenth of h to 3e-12 of it.

use crate::support::Reach;
use nalgebra::{Cholesky, Matrix6, Vector6};

/// A unit direction and h there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Local {
    pub direction: Vector6<f64>,
    pub value: f64,
}

/// Newton steps on the sphere for one δ.
fn settle(reach: &Reach, mut u: Vector6<f64>, delta: f64, steps: usize) -> Vector6<f64> {
    let mut at = reach.smooth(&u, delta);
    for _ in 0..steps {
        let lambda = at.gradient.dot(&u);
        let slope = at.gradient - u * lambda;
        if slope.norm() <= 1e-13 * at.gradient.norm() {
            break;
        }
        // Hessian on the sphere: the curvature of h less its value, along the tangent space.
        let mut b = at.hessian;
        for k in 0..6 {
            b[(k, k)] -= lambda;
        }
        let bu = b * u;
        let ubu = u.dot(&bu);
        let scale = lambda.abs().max(1e-300);
        b -= bu * u.transpose() + u * bu.transpose() - u * u.transpose() * (ubu + scale);
        let step = -positive(b, scale).solve(&slope);
        let fall = slope.dot(&step);
        let mut length = 1.0;
        let mut moved = None;
        for _ in 0..24 {
            let next = (u + step * length).normalize();
            let there = reach.smooth(&next, delta);
            if there.value <= at.value + 1e-4 * length * fall {
                moved = Some((next, there));
                break;
            }
            length *= 0.5;
        }
        let Some((next, there)) = moved else { break };
        let gain = at.value - there.value;
        (u, at) = (next, there);
        if gain <= 1e-3 * delta.min(1e-3 * scale) {
            break;
        }
    }
    u
}

/// Factors of b, shifted where it is not positive.
fn positive(b: Matrix6<f64>, scale: f64) -> Cholesky<f64, nalgebra::U6> {
    let mut shift = 0.0;
    loop {
        let mut shifted = b;
        for k in 0..6 {
            shifted[(k, k)] += shift;
        }
        if let Some(factors) = Cholesky::new(shifted) {
            return factors;
        }
        shift = if shift == 0.0 { 0.1 * scale } else { 4.0 * shift };
        if !shift.is_finite() || !b.norm().is_finite() {
            // Nothing finite to go by: the identity makes a plain descent step.
            return Cholesky::new_unchecked(Matrix6::identity());
        }
    }
}

/// The best of many starts.
pub fn best_of(reach: &Reach, starts: &[Vector6<f64>]) -> Option<Local> {
    // Coarse: few distinct places remain.
    let mut coarse: Vec<Local> = Vec::new();
    for start in starts {
        let value = reach.value(start);
        let u = settle(reach, *start, 0.1 * value.max(1e-300), 4);
        let u = settle(reach, u, 0.02 * reach.value(&u).max(1e-300), 6);
        let value = reach.value(&u);
        match coarse.iter_mut().find(|c| c.direction.dot(&u) > 0.998) {
            Some(same) if value < same.value => *same = Local { direction: u, value },
            Some(_) => {}
            None => coarse.push(Local { direction: u, value }),
        }
    }
    coarse.sort_by(|a, b| a.value.total_cmp(&b.value));
    let least = coarse.first()?.value;
    let near = coarse.iter().filter(|c| c.value <= 1.1 * least).take(12);
    near.map(|c| fine(reach, c.direction)).min_by(|a, b| a.value.total_cmp(&b.value))
}

/// δ falls to 3e-12 of h, by factors that Newton's steps can follow.
pub fn fine(reach: &Reach, mut u: Vector6<f64>) -> Local {
    let mut best = Local { direction: u, value: reach.value(&u) };
    for level in 4..=23 {
        u = settle(reach, u, 10f64.powf(-0.5 * f64::from(level)) * best.value.max(1e-300), 20);
        let value = reach.value(&u);
        if value < best.value {
            best = Local { direction: u, value };
        }
    }
    best
}

/// Directions that turn with the grasp: both ends of the axes of its columns, and of their pairs.
pub fn own_starts(reach: &Reach) -> Vec<Vector6<f64>> {
    let eigen = reach.moments().symmetric_eigen();
    let axes: Vec<Vector6<f64>> = (0..6).map(|k| eigen.eigenvectors.column(k).into_owned()).collect();
    axes.iter().flat_map(|a| [*a, -a]).collect()
}

/// Seeded directions, spread by chance.
pub fn random_starts(count: usize) -> Vec<Vector6<f64>> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut uniform = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mut x = state;
        x ^= x >> 33;
        x = x.wrapping_mul(0xff51_afd7_ed55_8ccd);
        x ^= x >> 33;
        (x >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut normal = move || (-2.0 * uniform().max(1e-300).ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos();
    (0..count).map(|_| Vector6::from_fn(|_, _| normal()).normalize()).collect()
}

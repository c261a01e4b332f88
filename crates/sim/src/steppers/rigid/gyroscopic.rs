//! # Turning without torque, by a step that keeps energy
//!
//! - **in**: inertia and angular velocity in body axes, a step
//! - **out**: the angular velocity in body axes after it
//! - **start at** [`turned`]
//!
//! ```text
//! I (ω⁺ − ω) = −h ω̄ × I ω̄,   ω̄ = (ω + ω⁺)/2
//! ```
//!
//! Dot products with ω̄ and I ω̄ show that ωᵀIω and |Iω| stay. Newton from ω; where it does not settle, as with turns of
//! several rad per step, ω stays as it is, which keeps the same two.

use nalgebra::{Matrix3, Vector3};

/// Whether the inertia is that of a ball, which no turning changes.
pub(super) fn is_even(I: &Matrix3<f64>) -> bool {
    let size = I.amax();
    (I - Matrix3::identity() * I[(0, 0)]).amax() <= 1e-12 * size
}

/// ω after a step of length h (s).
pub(super) fn turned(I: &Matrix3<f64>, w: &Vector3<f64>, h: f64) -> Vector3<f64> {
    let mut next = *w;
    for _ in 0..20 {
        let mean = (w + next) * 0.5;
        let momentum = I * mean;
        let miss = I * (next - w) + mean.cross(&momentum) * h;
        let slope = I + (mean.cross_matrix() * I - momentum.cross_matrix()) * (0.5 * h);
        let Some(inverse) = slope.try_inverse() else { return *w };
        let change = inverse * miss;
        next -= change;
        if change.norm() <= 1e-15 * w.norm() {
            return next;
        }
    }
    if next.iter().all(|x| x.is_finite()) && (next - w).norm() < w.norm() { next } else { *w }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Energy and the size of angular momentum stay over 1000 steps of a tumbling body, to rounding of as many sums.
    #[test]
    fn turning_keeps_energy_and_momentum() {
        let I = Matrix3::new(0.5, 0.05, -0.02, 0.05, 0.9, 0.04, -0.02, 0.04, 0.2);
        let mut w = Vector3::new(3.0, -5.0, 2.0);
        let (energy, momentum) = (w.dot(&(I * w)), (I * w).norm());
        let start = w;
        for _ in 0..1000 {
            w = turned(&I, &w, 1e-2);
        }
        assert!((w - start).norm() > 0.1);
        assert!((w.dot(&(I * w)) / energy - 1.0).abs() < 1e-12 && ((I * w).norm() / momentum - 1.0).abs() < 1e-12);
    }
}

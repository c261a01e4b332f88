//! # Rotation within a step: a rotation vector that starts at zero
//!
//! - **in**: rotation vector θ since the start of the step, angular velocity w, both in the world
//! - **out**: θ′, and the attitude exp(θ) q₀
//! - **start at** [`vector_rate`]

use nalgebra::{UnitQuaternion, Vector3};

/// θ′ for R = exp(θ) R₀ that turns with w:
///
/// ```text
/// θ′ = w − ½ θ × w + c θ × (θ × w),    c = (1 − (φ/2) cot(φ/2))/φ²,   φ = |θ|
/// ```
pub fn vector_rate(theta: &Vector3<f64>, w: &Vector3<f64>) -> Vector3<f64> {
    let squared = theta.norm_squared();
    let c = if squared < 1e-2 {
        // Series; the next term is below 1e-15 here.
        1.0 / 12.0
            + squared * (1.0 / 720.0 + squared * (1.0 / 30240.0 + squared * (1.0 / 1209600.0 + squared / 47900160.0)))
    } else {
        let half = 0.5 * squared.sqrt();
        (1.0 - half / half.tan()) / squared
    };
    let turned = theta.cross(w);
    w - turned * 0.5 + theta.cross(&turned) * c
}

/// The attitude after a rotation vector: exp(θ) q₀.
pub fn turned(theta: &Vector3<f64>, q0: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
    UnitQuaternion::from_scaled_axis(*theta) * q0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against a difference of exp: w is the rate of exp(θ + θ′ h) exp(θ)⁻¹. Both branches; would catch the sign of ½.
    #[test]
    fn rate_is_the_inverse_of_the_exponentials_slope() {
        for size in [0.03, 0.099, 0.101, 0.9, 2.5] {
            let theta = Vector3::new(0.6, -0.5, 0.7).normalize() * size;
            let w = Vector3::new(-1.0, 0.3, 2.0);
            let rate = vector_rate(&theta, &w);
            let h = 1e-5;
            let at = |s: f64| UnitQuaternion::from_scaled_axis(theta + rate * (s * h));
            let found = (at(1.0) * at(-1.0).inverse()).scaled_axis() / (2.0 * h);
            // h² and rounding/h.
            assert!((found - w).norm() < 1e-9, "{size}: {found}");
        }
    }
}

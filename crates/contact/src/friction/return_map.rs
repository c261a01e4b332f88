//! # Return map: the point of an ellipsoid nearest to one outside
//!
//! - **in**: what each axis of the trial load uses of the limit, and how stiff each axis is
//! - **out**: the multiplier λ of the return
//! - **start at** [`multiplier`]
//!
//! With energy coordinates (load over root of stiffness) along the axes of the limit, the nearest point is
//!
//! ```text
//! y_i = y_i,trial / (1 + w_i λ),    Σ c_i / (1 + w_i λ)² = 1,    c_i = share of the limit's square used by axis i
//! ```
//!
//! one equation for λ ≥ 0. Newton on g^(−1/2) − 1 (g the left side), which is nearly straight in λ, from λ = 0; the
//! secular equation of trust regions (Moré). Chebyshev's method takes fewer but dearer steps and gained nothing. For equal weights it is linear and the return radial.

/// The multiplier of the return and the iterations taken. `shares` must sum to more than 1; `weights` are positive.
///
/// Weights are relative: λ is in units of 1/w. With w₁ = w₂ = 1 and w₃ = ρ = k_θ/(k_t e_n²) it is the λ of
/// `query slip`.
#[inline]
pub fn multiplier(shares: &[f64; 3], weights: &[f64; 3]) -> (f64, u32) {
    // At λ = 0 nothing shrinks.
    let g0 = shares[0] + shares[1] + shares[2];
    let slope0 = weights[0] * shares[0] + weights[1] * shares[1] + weights[2] * shares[2];
    let mut lambda = g0 * (g0.sqrt() - 1.0) / slope0;
    for iteration in 2..=MOST_ITERATIONS {
        let mut g = 0.0;
        let mut slope = 0.0;
        for i in 0..3 {
            let shrink = 1.0 / (1.0 + weights[i] * lambda);
            let term = shares[i] * shrink * shrink;
            g += term;
            slope += weights[i] * term * shrink;
        }
        // φ = g^(−1/2) − 1 and φ′ = g^(−3/2) Σ w c/(1 + w λ)³; the step is −φ/φ′.
        let step = g * (g.sqrt() - 1.0) / slope;
        // The iterates rise to the root, where rounding may turn them back.
        if step <= 0.0 || step.is_nan() {
            return (lambda, iteration);
        }
        lambda += step;
        // Newton doubles the digits: after a step of 1e-8 the next would be one of 1e-16.
        if step <= 1e-8 * lambda {
            return (lambda, iteration);
        }
    }
    (lambda, MOST_ITERATIONS)
}

/// 8 suffice for ratios of the weights in 0.03–30, tens for 1e12.
const MOST_ITERATIONS: u32 = 100;

#[cfg(test)]
mod tests {
    use super::*;

    /// Equal weights: the return is radial and λ has a closed form.
    #[test]
    fn equal_weights_return_along_the_ray() {
        let (lambda, iterations) = multiplier(&[4.0, 3.0, 2.0], &[1.0; 3]);
        assert!((lambda - 2.0).abs() < 1e-15 && iterations <= 2, "{lambda} {iterations}");
    }

    /// The equation holds after the return for ratios of stiffness of 1e-6 to 1e6; bisection is the second opinion.
    #[test]
    fn equation_is_met_for_any_ratio_of_weights() {
        for rho in [1e-6, 1e-3, 0.03, 0.5, 3.27, 30.0, 1e3, 1e6] {
            for (a, b) in [(2.0, 0.1), (0.3, 0.9), (1e6, 1e-3), (1e-3, 1e6), (0.999, 0.0011)] {
                let g = |l: f64| a / (1.0 + l) / (1.0 + l) + b / (1.0 + rho * l) / (1.0 + rho * l);
                let (lambda, _) = multiplier(&[a, 0.0, b], &[1.0, 1.0, rho]);
                let (mut low, mut high) = (0.0_f64, 1e16_f64);
                for _ in 0..200 {
                    let middle = 0.5 * (low + high);
                    if g(middle) > 1.0 { low = middle } else { high = middle }
                }
                // Rounding of g itself (1e-16) moves λ by as much.
                assert!((lambda - low).abs() <= 1e-12 * low + 1e-15, "ρ {rho}: {lambda} against {low}");
            }
        }
    }
}

//! # Torsion: the largest moment of an elliptic patch, and the integrals it needs
//!
//! - **in**: exponent of the pressure, axes of the patch
//! - **out**: T_k, perimeter, chord factor B_k; complete elliptic integrals
//! - **start at** [`torsion_factor`]

use std::f64::consts::{FRAC_PI_2, PI};

/// T_k of the largest moment per load, e_n = T_k L / 2π, for a pressure p0 (1 − s²)^k.
///
/// ```text
/// ∫ r p dA = a b L ∫₀¹ s² p ds  (x = a s cos f, y = b s sin f)   ⇒   T_k = (√π/2) Γ(k + 2) / Γ(k + 5/2)
/// ```
///
/// 2/3 uniform, 3π/16 (Hertz), 8/15 (Winkler). (Ciocarlie, eq. 9) has √(ab) in place of L/2π.
pub fn torsion_factor(k: f64) -> f64 {
    if k == 0.5 {
        3.0 * PI / 16.0
    } else if k == 1.0 {
        8.0 / 15.0
    } else if k == 0.0 {
        2.0 / 3.0
    } else {
        0.5 * PI.sqrt() * (ln_gamma(k + 2.0) - ln_gamma(k + 2.5)).exp()
    }
}

/// Perimeter of an ellipse with semi-axes a ≥ b (m): 4 a E(1 − b²/a²).
pub fn perimeter(a: f64, b: f64) -> f64 {
    if a == 0.0 { 0.0 } else { 4.0 * a * complete_elliptic(b / a).1 }
}

/// B_k = ∫₋₁¹ (1 − t²)^k dt = 2 T_k (k + 3/2)/(k + 1), since B_{k+1} = 2 T_k and B_{k+1}/B_k = (k + 1)/(k + 3/2).
pub(super) fn chord_factor(k: f64, torsion: f64) -> f64 {
    2.0 * torsion * (k + 1.5) / (k + 1.0)
}

/// K and E with parameter m = 1 − β², by the arithmetic-geometric mean (Abramowitz-Stegun, 17.6).
///
/// ```text
/// a₀ = 1, b₀ = β, c₀² = 1 − β²;   K = π/2a_∞,   E = K (1 − Σ 2^{n−1} c_n²)
/// ```
pub(super) fn complete_elliptic(beta: f64) -> (f64, f64) {
    let (mut a, mut b) = (1.0, beta);
    let mut sum = 0.5 * (1.0 - beta * beta);
    let mut power = 0.5;
    // Quadratic: 8 rounds reach rounding from β = 1e-300.
    for _ in 0..12 {
        let c = 0.5 * (a - b);
        if c.abs() <= 1e-16 * a {
            break;
        }
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
        power *= 2.0;
        sum += power * c * c;
    }
    if beta == 0.0 {
        return (f64::INFINITY, 1.0);
    }
    let k = FRAC_PI_2 / a;
    (k, k * (1.0 - sum))
}

/// ln Γ(x) for x > 0, (Lanczos) with g = 7 and nine terms, to 1e-14.
fn ln_gamma(x: f64) -> f64 {
    const TERMS: [f64; 8] = [
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    let x = x - 1.0;
    let mut sum = 0.999_999_999_999_809_9;
    for (i, term) in TERMS.iter().enumerate() {
        sum += term / (x + i as f64 + 1.0);
    }
    let t = x + 7.5;
    0.5 * (2.0 * PI).ln() + (x + 0.5) * t.ln() - t + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The general formula meets the three closed values from both sides, and Γ at half-integers.
    #[test]
    fn torsion_factor_is_continuous_through_the_closed_values() {
        for k in [0.0, 0.5, 1.0] {
            let mean = 0.5 * (torsion_factor(k + 1e-4) + torsion_factor(k - 1e-4));
            // Second difference of a function with curvature below 1: 1e-8.
            assert!((mean - torsion_factor(k)).abs() < 1e-8);
        }
        assert!((ln_gamma(0.5) - 0.5 * PI.ln()).abs() < 1e-14 && (ln_gamma(7.0) - 720f64.ln()).abs() < 1e-14);
        // k = 2 by hand: ∫₀¹ s²(1 − s²)² ds · 2 (k + 1) = 8/105 · 6.
        assert!((torsion_factor(2.0) - 48.0 / 105.0).abs() < 1e-14);
    }

    /// E and K against the series in the nome and printed values (Abramowitz-Stegun, table 17.1: m = ½).
    #[test]
    fn complete_integrals_match_printed_values() {
        let (k, e) = complete_elliptic(0.5f64.sqrt());
        assert!((k - 1.854_074_677_301_372).abs() < 1e-15 && (e - 1.350_643_881_047_675_5).abs() < 1e-15);
        assert_eq!(complete_elliptic(0.0).1, 1.0);
        assert!((complete_elliptic(1e-9).1 - 1.0).abs() < 1e-14);
        assert!((perimeter(2.0, 2.0) - 4.0 * PI).abs() < 1e-15 && perimeter(3.0, 0.0) == 12.0);
    }
}

//! # Foundation: a thin layer on a stiff core, every point for itself (Winkler)
//!
//! - **in**: relative curvature, layer modulus K (Pa) and depth h (m), exponent k of its law, load or approach
//! - **out**: semi-axes, approach or load, peak pressure
//! - **assumes**: the layer is thin against the patch; points do not pull on their neighbours
//! - **start at** [`Foundation`]
//!
//! A layer whose pressure grows as p = K (d/h)^k with its compression d carries, under two surfaces that leave each
//! other as x²/2R′ + y²/2R″,
//!
//! ```text
//! d = δ (1 − s²),  a² = 2δR′,  b² = 2δR″,  p = p₀ (1 − s²)^k,  p₀ = K (δ/h)^k
//! P = π a b p₀/(k + 1),   V = P δ/(k + 2),   a ∝ P^γ with γ = 1/(2(k + 1))
//! ```
//!
//! k = 1 is Winkler's layer ((Ciocarlie, eqs 11–13); γ = 1/4); k = 1/2 loads and spreads like Hertz (γ = 1/3); between
//! them lie the soft fingers that (Xydas) measured, a = c Pᵞ with 0 ≤ γ ≤ 1/3.

use std::f64::consts::PI;

/// The law of a layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Foundation {
    /// Pressure at full compression d = h (Pa).
    pub modulus: f64,
    /// Depth of the layer (m).
    pub depth: f64,
    /// Exponent k > 0 of the pressure in the compression; 1 for a linear layer.
    pub exponent: f64,
}

impl Foundation {
    /// Peak pressure under an approach δ (Pa).
    #[inline]
    pub fn peak_pressure(&self, approach: f64) -> f64 {
        let strain = approach / self.depth;
        self.modulus * if self.exponent == 1.0 { strain } else { strain.powf(self.exponent) }
    }

    /// Load under an approach δ (N) with relative curvatures l₁, l₂ (1/m).
    #[inline]
    pub fn load(&self, low: f64, high: f64, approach: f64) -> f64 {
        2.0 * PI * approach / (low * high).sqrt() * self.peak_pressure(approach) / (self.exponent + 1.0)
    }

    /// Approach under a load (m).
    pub fn approach(&self, low: f64, high: f64, load: f64) -> f64 {
        // δ^(k+1) = P (k+1) hᵏ √(l₁l₂)/(2πK), root by root: neither 1e300 N nor 1e-12 m overflows.
        let k1 = self.exponent + 1.0;
        let pressed = load / (2.0 * PI * self.modulus * self.depth) * k1;
        let curved = (low * high).sqrt();
        let root = |x: f64| if self.exponent == 1.0 { x.sqrt() } else { x.powf(1.0 / k1) };
        self.depth * root(pressed) * root(curved)
    }
}

/// T_k = (largest moment)/(μ P) · 2π/perimeter for the pressure (1 − s²)^k: T_0 = 2/3, T_½ = 3π/16, T_1 = 8/15.
///
/// ```text
/// T_k = (√π/2) Γ(k + 2)/Γ(k + 5/2)
/// ```
///
/// With x = a s cos f, y = b s sin f, ∬ r p dA = a b L ∫ s² p ds: the moment follows the perimeter L of the patch.
/// (Ciocarlie, eqs 9, 10, 15, 16) have √(ab) for L/2π, exact only for a round patch: 8 % short at a/b = 2, 51 % at 10.
#[inline]
pub fn torsion_factor(exponent: f64) -> f64 {
    if exponent == 0.5 {
        3.0 * PI / 16.0
    } else if exponent == 1.0 {
        8.0 / 15.0
    } else {
        0.5 * PI.sqrt() * gamma_ratio(exponent + 2.0)
    }
}

/// Γ(x)/Γ(x + 1/2) for x > 0, from its asymptotic series after stepping x up.
pub(super) fn gamma_ratio(x: f64) -> f64 {
    // Γ(x)/Γ(x+½) = (x+½)/x · Γ(x+1)/Γ(x+3/2).
    let mut factor = 1.0;
    let mut x = x;
    while x < 60.0 {
        factor *= (x + 0.5) / x;
        x += 1.0;
    }
    // ln Γ(x+½) − ln Γ(x) = ½ ln x − 1/(8x) + 1/(192x³) − 1/(640x⁵) + 17/(14336x⁷) − … (DLMF §5.11(iii)).
    let r = 1.0 / (x * x);
    let log = 0.5 * x.ln() - (1.0 / x) * (1.0 / 8.0 - r * (1.0 / 192.0 - r * (1.0 / 640.0 - r * 17.0 / 14336.0)));
    factor * (-log).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T_0, T_½, T_1 in closed form.
    #[test]
    fn torsion_factors_of_the_known_pressures() {
        assert!((torsion_factor(0.0) - 2.0 / 3.0).abs() < 1e-15);
        assert!((torsion_factor(0.5) - 3.0 * PI / 16.0).abs() < 1e-15);
        assert!((torsion_factor(1.0) - 8.0 / 15.0).abs() < 1e-15);
        // The general formula at the same places, and k = 2 by hand: 6 ∫₀¹ s²(1 − s²)² ds = 48/105.
        assert!((0.5 * PI.sqrt() * gamma_ratio(2.5) - 3.0 * PI / 16.0).abs() < 1e-15);
        assert!((0.5 * PI.sqrt() * gamma_ratio(3.0) - 8.0 / 15.0).abs() < 1e-15);
        assert!((torsion_factor(2.0) - 48.0 / 105.0).abs() < 1e-15);
    }

    /// Load against the sum of p over the patch; approach undoes load.
    #[test]
    fn load_is_the_sum_of_the_pressure_and_approach_undoes_it() {
        for exponent in [0.5, 0.8, 1.0, 2.3] {
            let layer = Foundation { modulus: 2e5, depth: 4e-3, exponent };
            let (low, high, approach) = (40.0_f64, 110.0_f64, 3e-4_f64);
            let (a, b) = ((2.0 * approach / low).sqrt(), (2.0 * approach / high).sqrt());
            let n = 1500;
            let mut sum = 0.0;
            for i in 0..n {
                for j in 0..n {
                    let (x, y) = (
                        a * (2.0 * i as f64 + 1.0 - n as f64) / n as f64,
                        b * (2.0 * j as f64 + 1.0 - n as f64) / n as f64,
                    );
                    let d = approach - 0.5 * (low * x * x + high * y * y);
                    if d > 0.0 {
                        sum += layer.modulus * (d / layer.depth).powf(exponent) * 4.0 * a * b / (n * n) as f64;
                    }
                }
            }
            let load = layer.load(low, high, approach);
            // Midpoints over a rim where the pressure rises as d^k: 1e-4 for n = 1500 at k = ½.
            assert!((sum / load - 1.0).abs() < 2e-5, "{exponent}: {sum} {load}");
            assert!((layer.approach(low, high, load) / approach - 1.0).abs() < 1e-14);
        }
    }

    /// Golden 7: exact cap volume of a sphere, N = (K/h)πδ²(R − δ/3): the paraboloid is its limit, δ/3R above.
    #[test]
    fn golden_7_sphere_on_a_layer() {
        let layer = Foundation { modulus: 1e6, depth: 1e-3, exponent: 1.0 };
        let (radius, approach) = (10e-3, 1e-6);
        let cap = 1e9 * PI * approach * approach * (radius - approach / 3.0);
        let load = layer.load(1.0 / radius, 1.0 / radius, approach);
        assert!((load / cap - 1.0 - approach / (3.0 * radius)).abs() < 1e-8);
    }
}

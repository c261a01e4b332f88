//! # Hertz pressure: the mean distance to a point of the patch is a polynomial
//!
//! - **in**: aspect β of the patch
//! - **out**: H(c) for k = ½ and c inside, exact
//! - **start at** [`Hertzian::turn`]
//!
//! With k = ½ the sums of `chords` hold no root of c. In θ, e = (cos θ, β sin θ), q = 1, Δ = |e|, A = 1 − X² − Y²,
//! X = c_x, Y = c_y/β:
//!
//! ```text
//! H = (3/16) ∫₀^π Δ (A² + 6 A n² + 5 n⁴) dθ,    n = X cos θ + Y sin θ
//! ```
//!
//! a polynomial of degree four in c: the |r| companion of the quadratic displacement under Hertz pressure (Johnson, §3.5).
//! Its coefficients are moments of Δ, complete elliptic integrals.

use super::lines::{Family, rule};
use super::turning::Turn;
use crate::patch::elliptic::complete_elliptic;
use nalgebra::{Matrix2, Vector2};

/// Coefficients of 1, U, V, U², UV, V² with U = X², V = Y².
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hertzian {
    coefficients: [f64; 6],
}

impl Hertzian {
    pub fn new(beta: f64) -> Self {
        let [c0, s1, s2] = moments(beta);
        // ∫Δ cos², sin², cos⁴, cos² sin², sin⁴.
        let (c2, cs) = (c0 - s1, s1 - s2);
        let c4 = c2 - cs;
        let scale = 3.0 / 16.0;
        Self {
            coefficients: [
                scale * c0,
                scale * (6.0 * c2 - 2.0 * c0),
                scale * (6.0 * s1 - 2.0 * c0),
                scale * (c0 - 6.0 * c2 + 5.0 * c4),
                scale * (30.0 * cs - 4.0 * c0),
                scale * (c0 - 6.0 * s1 + 5.0 * s2),
            ],
        }
    }

    /// The polynomial and its derivatives with respect to c, at (X, Y); also outside, where it is not H.
    #[inline]
    pub fn turn(&self, at: &Vector2<f64>, beta: f64) -> Turn {
        let [h, hu, hv, huu, huv, hvv] = self.coefficients;
        let (x, y) = (at.x, at.y);
        let (u, v) = (x * x, y * y);
        let (du, dv) = (hu + 2.0 * huu * u + huv * v, hv + huv * u + 2.0 * hvv * v);
        let value = h + 0.5 * (u * (hu + du) + v * (hv + dv));
        let over = 1.0 / beta;
        let gradient = Vector2::new(2.0 * x * du, 2.0 * y * dv * over);
        let xy = 4.0 * x * y * huv * over;
        let xx = 2.0 * du + 8.0 * huu * u;
        let yy = (2.0 * dv + 8.0 * hvv * v) * (over * over);
        Turn { value, gradient, hessian: Matrix2::new(xx, xy, xy, yy) }
    }
}

/// ∫₀^π Δ (1, sin²θ, sin⁴θ) dθ with Δ² = cos²θ + β² sin²θ.
///
/// From E and K with m = 1 − β² (s₁: Abramowitz-Stegun, 17.1; s₂ from d(sin θ cos θ Δ³) integrated over a period); the
/// division by m loses digits for round patches, which take midpoints in ψ (`chords`): 24 leave exp(−42).
fn moments(beta: f64) -> [f64; 3] {
    if beta < 0.5 {
        let m = 1.0 - beta * beta;
        let (k, e) = complete_elliptic(beta);
        let s1 = ((2.0 * m - 1.0) * e + (1.0 - m) * k) / (3.0 * m);
        let s2 = ((2.0 + 4.0 * m) * s1 - e) / (5.0 * m);
        return [2.0 * e, 2.0 * s1, 2.0 * s2];
    }
    let rule = rule(Family::Midpoints, 24.0);
    let root = beta.sqrt();
    let mut sums = [0.0; 3];
    for j in 0..rule.sine.len() {
        let (s, c) = (rule.sine[j], rule.cosine[j]);
        // e ∝ (cos θ, β sin θ) ∝ (cos ψ, √β sin ψ): cos²θ = β cos²ψ/f, sin²θ = sin²ψ/f, dθ = √β dψ/f.
        let form = beta * c * c + s * s;
        let sine2 = s * s / form;
        let weight = root / form * (beta * (c * c + beta * s * s) / form).sqrt() * rule.weight[j];
        sums[0] += weight;
        sums[1] += weight * sine2;
        sums[2] += weight * sine2 * sine2;
    }
    sums
}

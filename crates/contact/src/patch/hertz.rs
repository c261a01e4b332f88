//! # Hertz contact of elastic half-spaces, round or elliptic
//!
//! - **in**: relative curvature, E* (Pa), and the load (N) or the approach (m)
//! - **out**: semi-axes, approach or load, peak pressure
//! - **assumes**: the patch is small against the radii; linear elasticity; no friction in the normal problem
//! - **start at** [`Shape::exact`] (set-up and queries), [`Shape::tabled`] (inside steps)
//!
//! With κ = b/a ≤ 1 and the complete integrals K, D of m = 1 − κ² (Johnson, §4.2; here in Carlson's forms, which do
//! not cancel):
//!
//! ```text
//! R_D(0, 1, κ²)/R_D(0, κ², 1) = R′/R″            → κ
//! a² = 2 (D/K) R′ δ,   P = (2π/3) (E*/K) a δ,   p₀ = 3P/(2πab),   V = (2/5) P δ
//! ```
//!
//! Everything but two factors depends on R′/R″ alone, so one table over ln(R″/R′) serves all loads and materials.
//! The common estimate a/b ≈ (R′/R″)^(2/3) is 3 % high at a ratio of 10, 8 % at 25.

use super::elliptic::{Complete, carlson_rd};
use super::relative_curvature::LINE_RATIO;
use std::sync::LazyLock;

/// What follows from the ratio of curvatures alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// κ = b/a.
    pub kappa: f64,
    /// Complete elliptic integrals of the patch.
    pub integrals: Complete,
}

/// κ for a ratio of curvatures l₁/l₂ = R″/R′ in (0, 1].
///
/// Newton on ln κ, safeguarded by bisection: the left side falls monotonically with κ.
pub fn axis_ratio(ratio: f64) -> f64 {
    if ratio >= 1.0 {
        return 1.0;
    }
    let target = -ratio.ln();
    let side = |u: f64| {
        let kk = (2.0 * u).exp();
        (carlson_rd(0.0, 1.0, kk) / carlson_rd(0.0, kk, 1.0)).ln() - target
    };
    let (mut low, mut high) = (-target - 0.1, 0.0);
    let mut u = -(2.0 / 3.0) * target;
    for _ in 0..100 {
        let value = side(u);
        if value > 0.0 {
            low = u
        } else {
            high = u
        }
        // The slope by a difference: it only sets the speed of convergence.
        let step = 1e-6;
        let slope = (side(u + step) - side(u - step)) / (2.0 * step);
        let mut next = u - value / slope;
        if !(next > low && next < high) {
            next = 0.5 * (low + high);
        }
        if (next - u).abs() <= 1e-16 * (1.0 + u.abs()) {
            u = next;
            break;
        }
        u = next;
    }
    u.exp()
}

impl Shape {
    /// Round patch.
    pub fn round() -> Self {
        Self { kappa: 1.0, integrals: Complete::new(1.0) }
    }

    /// By Carlson's integrals, to rounding; some microseconds.
    pub fn exact(ratio: f64) -> Self {
        let kappa = axis_ratio(ratio);
        Self { kappa, integrals: Complete::new(kappa) }
    }

    /// From a table of polynomials, right to 1e-12; some tens of nanoseconds. `ratio` in [1e-9, 1].
    #[inline]
    pub fn tabled(ratio: f64) -> Self {
        // Rounding of equal curvatures must not cost a look-up; the integrals change by as little as the ratio.
        if ratio > 1.0 - 1e-13 { ROUND } else { TABLE.look_up(ratio) }
    }

    /// a²/(R′ δ) = 2D/K: 1 for a round patch.
    #[inline]
    pub fn spread(&self) -> f64 {
        2.0 * self.integrals.d / self.integrals.k
    }

    /// P/(E* a δ) = 2π/(3K): 4/3 for a round patch.
    #[inline]
    pub fn stiffness(&self) -> f64 {
        2.0 * std::f64::consts::PI / (3.0 * self.integrals.k)
    }

    /// Semi-axis a (m) under an approach δ (m), with l₁ and l₂ the relative curvatures (1/m).
    #[inline]
    pub fn semi_axis(&self, low: f64, approach: f64) -> f64 {
        (self.spread() * approach / low).sqrt()
    }

    /// Semi-axis a (m) under a load P (N): a³ = 3 P R′ D/(π E*).
    pub fn semi_axis_under_load(&self, low: f64, load: f64, e_star: f64) -> f64 {
        // Factor by factor, so that neither a load of 1e300 N nor a radius of 1e12 m overflows.
        (load / e_star).cbrt() * (3.0 * self.integrals.d / std::f64::consts::PI).cbrt() / low.cbrt()
    }
}

const QUARTER_PI: f64 = std::f64::consts::FRAC_PI_4;

/// K = E = π/2, D = J₂ = π/4, J₄ = 3π/16.
const ROUND: Shape = Shape {
    kappa: 1.0,
    integrals: Complete {
        k: 2.0 * QUARTER_PI,
        e: 2.0 * QUARTER_PI,
        d: QUARTER_PI,
        j2: QUARTER_PI,
        j4: 0.75 * QUARTER_PI,
    },
};

/// Width of one piece of the table in ln(R′/R″).
const WIDTH: f64 = 0.25;
/// Pieces from R′/R″ = 1 to 1e9.
const PIECES: usize = 83;
/// Coefficients of one polynomial.
const TERMS: usize = 8;
/// Quantities in the table: κ, K, D, J₂, J₄, and E.
const COLUMNS: usize = 6;

/// Polynomials in ln(R′/R″), piece by piece.
struct Table {
    pieces: Vec<[[f64; COLUMNS]; TERMS]>,
}

static TABLE: LazyLock<Table> = LazyLock::new(Table::new);

impl Table {
    /// Interpolates the exact values at Chebyshev nodes of each piece.
    fn new() -> Self {
        debug_assert!((PIECES as f64) * WIDTH > -LINE_RATIO.ln());
        let pieces = (0..PIECES).map(|i| Self::piece(i as f64 * WIDTH)).collect();
        Self { pieces }
    }

    fn piece(start: f64) -> [[f64; COLUMNS]; TERMS] {
        // Newton's divided differences at Chebyshev nodes x in [−1, 1], then expanded into powers of x.
        let node = |j: usize| (std::f64::consts::PI * (j as f64 + 0.5) / TERMS as f64).cos();
        let mut table = [[0.0; COLUMNS]; TERMS];
        for (j, row) in table.iter_mut().enumerate() {
            let t = start + 0.5 * WIDTH * (1.0 + node(j));
            let shape = Shape::exact((-t).exp());
            let c = &shape.integrals;
            *row = [shape.kappa, c.k, c.d, c.j2, c.j4, c.e];
        }
        for order in 1..TERMS {
            for j in (order..TERMS).rev() {
                for c in 0..COLUMNS {
                    table[j][c] = (table[j][c] - table[j - 1][c]) / (node(j) - node(j - order));
                }
            }
        }
        let mut powers = [[0.0; COLUMNS]; TERMS];
        for j in (0..TERMS).rev() {
            // powers ← powers · (x − node_j) + table[j]
            for degree in (0..TERMS).rev() {
                for c in 0..COLUMNS {
                    let shifted = if degree > 0 { powers[degree - 1][c] } else { 0.0 };
                    powers[degree][c] = shifted - node(j) * powers[degree][c];
                }
            }
            for c in 0..COLUMNS {
                powers[0][c] += table[j][c];
            }
        }
        powers
    }

    #[inline]
    fn look_up(&self, ratio: f64) -> Shape {
        let t = -ratio.ln();
        let index = ((t * (1.0 / WIDTH)) as usize).min(PIECES - 1);
        let x = (t - index as f64 * WIDTH) * (2.0 / WIDTH) - 1.0;
        let rows = &self.pieces[index];
        // Pairs of terms first: half the depth of Horner's chain.
        let x2 = x * x;
        let x4 = x2 * x2;
        let mut sum = [0.0; COLUMNS];
        for c in 0..COLUMNS {
            let low = (rows[0][c] + rows[1][c] * x) + (rows[2][c] + rows[3][c] * x) * x2;
            let high = (rows[4][c] + rows[5][c] * x) + (rows[6][c] + rows[7][c] * x) * x2;
            sum[c] = low + high * x4;
        }
        Shape { kappa: sum[0], integrals: Complete { k: sum[1], d: sum[2], j2: sum[3], j4: sum[4], e: sum[5] } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (Johnson, eqs 4.26–4.29) as tabulated in golden number 6: a/b, F1, F2 from R′/R″. F1, F2 scale a round contact.
    #[test]
    fn golden_6_elliptic_contacts() {
        let table = [
            (2.0, 1.585802, 0.993436, 0.993393),
            (3.0, 2.071990, 0.983899, 0.983642),
            (5.0, 2.890181, 0.966886, 0.965815),
            (10.0, 4.499447, 0.937098, 0.933330),
            (25.0, 7.943951, 0.890592, 0.879687),
        ];
        for (ratio, a_over_b, f1, f2) in table {
            let shape = Shape::exact(1.0 / ratio);
            assert!((1.0 / shape.kappa - a_over_b).abs() < 5e-7, "{} {a_over_b}", 1.0 / shape.kappa);
            // E* = R_e = 1, P = 1: c = (3/4)^(1/3) F1, δ = (9/16)^(1/3) F2.
            let (long, low) = (ratio.sqrt(), 1.0 / ratio.sqrt());
            let a = shape.semi_axis_under_load(low, 1.0, 1.0);
            let approach = a * a / (shape.spread() * long);
            assert!((a * shape.kappa.sqrt() / 0.75_f64.cbrt() - f1).abs() < 5e-7);
            assert!((approach / (9.0_f64 / 16.0).cbrt() - f2).abs() < 5e-7);
        }
    }

    /// a/b of mechanics to ratios of 1e6, and the equation itself at 1e9.
    #[test]
    fn axis_ratio_holds_to_1e6_and_beyond() {
        for (ratio, a_over_b, digits) in
            [(100.0, 18.187, 5e-4), (1e3, 67.872, 5e-4), (1e4, 242.43, 5e-3), (1e6, 2890.6, 5e-2)]
        {
            assert!((1.0 / axis_ratio(1.0 / ratio) - a_over_b).abs() < digits);
        }
        for ratio in [1.0001_f64, 3.0, 1e6, 1e9] {
            let kk = axis_ratio(1.0 / ratio).powi(2);
            let back = carlson_rd(0.0, 1.0, kk) / carlson_rd(0.0, kk, 1.0);
            assert!((back / ratio - 1.0).abs() < 2e-14, "{ratio} {back}");
        }
    }

    /// The table against Carlson's integrals at 3000 ratios between 1 and 1e9: 1e-12 relative.
    #[test]
    fn table_agrees_with_carlson() {
        let mut worst = [0.0_f64; 6];
        for i in 0..3000 {
            let ratio = (-20.7 * (i as f64 + 0.37) / 3000.0).exp();
            let (exact, tabled) = (Shape::exact(ratio), Shape::tabled(ratio));
            let (e, t) = (&exact.integrals, &tabled.integrals);
            let pairs = [(exact.kappa, tabled.kappa), (e.k, t.k), (e.d, t.d), (e.j2, t.j2), (e.j4, t.j4), (e.e, t.e)];
            for (w, (exact, tabled)) in worst.iter_mut().zip(pairs) {
                *w = w.max((tabled / exact - 1.0).abs());
            }
        }
        assert!(worst.iter().all(|w| *w < 1e-12), "{worst:?}");
    }
}

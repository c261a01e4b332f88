//! # Lines: rules of integration over a half turn
//!
//! - **in**: how many lines
//! - **out**: their directions u in (−π/2, π/2) as sine and cosine, and weights
//! - **start at** [`rule`]
//!
//! Two families: midpoints, which converge geometrically on functions of period π, and (Gauss), which does the same on
//! functions of sin u that are smooth but not periodic. All tables are made once, at the first use, without the heap.

use std::f64::consts::PI;
use std::sync::LazyLock;

/// Which family of directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Family {
    /// u_j = π (j + ½)/n − π/2, equal weights: for functions of period π.
    Midpoints,
    /// Gauss–Legendre in x = sin u, weights over cos u: for cos u du times a function smooth in x.
    Gauss,
}

/// Directions and weights.
#[derive(Clone, Copy)]
pub(super) struct Rule {
    /// sin u.
    pub sine: &'static [f64],
    /// cos u, positive.
    pub cosine: &'static [f64],
    /// Weights of du.
    pub weight: &'static [f64],
}

/// Numbers of lines on offer, multiples of four.
const SIZES: [usize; 15] = [8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 128, 256];
const TOTAL: usize = 908;

/// The largest number of lines on offer.
pub(super) const MOST_LINES: usize = SIZES[SIZES.len() - 1];

struct Table {
    sine: [f64; TOTAL],
    cosine: [f64; TOTAL],
    weight: [f64; TOTAL],
}

impl Table {
    fn of(node: impl Fn(usize, usize) -> (f64, f64)) -> Self {
        let mut table = Self { sine: [0.0; TOTAL], cosine: [0.0; TOTAL], weight: [0.0; TOTAL] };
        let mut at = 0;
        for n in SIZES {
            for j in 0..n {
                let (u, weight) = node(n, j);
                (table.sine[at], table.cosine[at], table.weight[at]) = (u.sin(), u.cos(), weight);
                at += 1;
            }
        }
        table
    }
}

static MIDPOINTS: LazyLock<Table> =
    LazyLock::new(|| Table::of(|n, j| (PI * ((j as f64 + 0.5) / n as f64 - 0.5), PI / n as f64)));
static GAUSS: LazyLock<Table> = LazyLock::new(|| Table::of(gauss));

/// Node x = sin u and weight of Gauss–Legendre, over cos u: Newton on P_n from the asymptotic root (Abramowitz-Stegun, 22.16.6).
fn gauss(n: usize, j: usize) -> (f64, f64) {
    let order = n as f64;
    let mut x = -(PI * (j as f64 + 0.75) / (order + 0.5)).cos();
    let mut slope = 1.0;
    for _ in 0..6 {
        // Three-term recurrence: i P_i = (2i − 1) x P_{i−1} − (i − 1) P_{i−2}.
        let (mut before, mut p) = (1.0, x);
        for i in 2..=n {
            let i = i as f64;
            (before, p) = (p, ((2.0 * i - 1.0) * x * p - (i - 1.0) * before) / i);
        }
        slope = order * (x * p - before) / (x * x - 1.0);
        x -= p / slope;
    }
    let cosine = (1.0 - x * x).sqrt();
    (x.asin(), 2.0 / (cosine * cosine * cosine * slope * slope))
}

/// The smallest rule with at least this many lines, or the largest there is.
#[inline]
pub(super) fn rule(family: Family, lines: f64) -> Rule {
    let mut at = 0;
    let mut size = SIZES[0];
    for n in SIZES {
        size = n;
        if n as f64 >= lines || n == MOST_LINES {
            break;
        }
        at += n;
    }
    let table = match family {
        Family::Midpoints => &*MIDPOINTS,
        Family::Gauss => &*GAUSS,
    };
    let range = at..at + size;
    Rule { sine: &table.sine[range.clone()], cosine: &table.cosine[range.clone()], weight: &table.weight[range] }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Closed forms: ∫ cos⁴ u du = 3π/8 (periodic), ∫ cos³ u du = 4/3 (not periodic over π), for every size.
    #[test]
    fn both_families_integrate_powers_of_the_cosine() {
        for n in SIZES {
            let sum = |family, power: i32| {
                let r = rule(family, n as f64);
                assert_eq!(r.sine.len(), n);
                (0..n).map(|j| r.weight[j] * r.cosine[j].powi(power)).sum::<f64>()
            };
            // Rounding of n terms; Gauss is exact for cos u · (1 − sin²u).
            assert!((sum(Family::Midpoints, 4) - 3.0 * PI / 8.0).abs() < 1e-14 * n as f64);
            assert!((sum(Family::Gauss, 3) - 4.0 / 3.0).abs() < 1e-13, "{n}");
        }
        assert_eq!(rule(Family::Midpoints, 1e9).sine.len(), MOST_LINES);
        assert_eq!(rule(Family::Midpoints, f64::NAN).sine.len(), MOST_LINES);
    }
}

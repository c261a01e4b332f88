//! # Definiteness: what kind of matrix a problem has
//!
//! - **in**: an [`Lcp`]
//! - **out**: [`Definiteness`] of the symmetric part ½(M + Mᵀ), and how far M is from symmetric
//! - **not here**: what follows for solvers: M positive definite, one solution for every q; semidefinite, a solution wherever z ≥ 0,
//!   w ≥ 0 is possible; otherwise anything
//! - **start at** [`Lcp::definiteness`]

use crate::kernel::max_abs;
use crate::lcp::Lcp;

/// The sign of zᵀ M z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Definiteness {
    /// Positive for every z ≠ 0.
    Positive,
    /// Never negative, to round-off.
    PositiveSemi,
    /// Of both signs, or negative.
    Not,
}

impl Lcp {
    /// Largest |M − Mᵀ| over the largest |M|; 0 for symmetric matrices.
    pub fn asymmetry(&self) -> f64 {
        let n = self.n();
        let most = max_abs(self.columns());
        let pairs = (0..n).flat_map(|j| (0..j).map(move |i| (i, j)));
        let gap = pairs.fold(0.0, |gap: f64, (i, j)| gap.max((self.entry(i, j) - self.entry(j, i)).abs()));
        if most > 0.0 { gap / most } else { 0.0 }
    }

    /// Definiteness of the symmetric part: Cholesky with the largest pivot first. Pivots below 1e-12 of the largest count as zero.
    pub fn definiteness(&self) -> Definiteness {
        let n = self.n();
        let mut a: Vec<f64> = (0..n * n).map(|k| 0.5 * (self.entry(k / n, k % n) + self.entry(k % n, k / n))).collect();
        let scale = max_abs(&a);
        let small = 1e-12 * scale * (n as f64).max(1.0);
        for k in 0..n {
            let pivot = (k..n).max_by(|i, j| a[i * n + i].total_cmp(&a[j * n + j])).unwrap_or(k);
            for c in 0..n {
                a.swap(k * n + c, pivot * n + c);
            }
            for r in 0..n {
                a.swap(r * n + k, r * n + pivot);
            }
            let d = a[k * n + k];
            if d <= small {
                // Nothing positive is left on the diagonal: semidefinite only if nothing is left at all.
                let rest = (k..n)
                    .flat_map(|r| (k..n).map(move |c| (r, c)))
                    .fold(0.0, |m: f64, (r, c)| m.max(a[r * n + c].abs()));
                return if rest <= small { Definiteness::PositiveSemi } else { Definiteness::Not };
            }
            for r in k + 1..n {
                let factor = a[r * n + k] / d;
                for c in k + 1..n {
                    a[r * n + c] -= factor * a[k * n + c];
                }
            }
        }
        Definiteness::Positive
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known matrices: 2·1 and a plane turn, a Gram matrix of rank 1, a saddle, zeros.
    #[test]
    fn kinds_are_told() {
        let kind = |rows: &[[f64; 2]; 2]| Lcp::from_rows(rows, vec![0.0; 2]).unwrap().definiteness();
        assert_eq!(kind(&[[2.0, 1.0], [-1.0, 2.0]]), Definiteness::Positive);
        assert_eq!(kind(&[[1.0, 2.0], [2.0, 4.0]]), Definiteness::PositiveSemi);
        assert_eq!(kind(&[[0.0, 3.0], [-3.0, 0.0]]), Definiteness::PositiveSemi);
        assert_eq!(kind(&[[0.0, 1.0], [1.0, 0.0]]), Definiteness::Not);
        assert_eq!(kind(&[[1.0, 2.0], [2.0, 1.0]]), Definiteness::Not);
        assert_eq!(Lcp::from_columns(Vec::new(), Vec::new()).unwrap().definiteness(), Definiteness::Positive);
        let lcp = Lcp::from_rows(&[[2.0, 1.0], [-1.0, 2.0]], vec![0.0; 2]).unwrap();
        assert_eq!(lcp.asymmetry(), 1.0);
    }
}

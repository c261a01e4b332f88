//! # Scaling: rows and columns brought to like size by powers of two
//!
//! - **in**: an [`Lcp`]
//! - **out**: [`Scaling`]: factors of rows and columns, and of q
//! - **not here**: the scaled matrix, which is never formed
//!
//! With R, C positive diagonal, (R M C, R q) is the same problem: z = C z′, w = R⁻¹ w′. Powers of two keep every
//! digit.

use crate::kernel::{larger, max_abs, max_abs_product};
use crate::lcp::Lcp;

/// Lines whose largest entries stay within this factor of each other are left alone.
const EVEN: f64 = 256.0;

/// Factors that even out a problem.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scaling {
    /// Factor of each row.
    pub(crate) row: Vec<f64>,
    /// Factor of each column.
    pub(crate) column: Vec<f64>,
    /// Factor of q.
    pub(crate) q: f64,
    /// Whether all factors of rows and columns are 1.
    pub(crate) even: bool,
    /// Largest entries of rows.
    most: Vec<f64>,
}

impl Scaling {
    pub(crate) fn reserve(&mut self, n: usize) {
        self.row.resize(n, 1.0);
        self.column.resize(n, 1.0);
        self.most.resize(n, 0.0);
    }

    /// Factors for a problem: two rounds of dividing lines by the root of their largest entry, if they are uneven.
    pub(crate) fn measure(&mut self, lcp: &Lcp) {
        let n = lcp.n();
        self.row.clear();
        self.row.resize(n, 0.0);
        self.column.clear();
        self.column.resize(n, 0.0);
        for j in 0..n {
            let column = lcp.column(j);
            self.row.iter_mut().zip(column).for_each(|(row, x)| *row = larger(*row, x.abs()));
            self.column[j] = max_abs(column);
        }
        let filled = || self.row.iter().chain(&self.column).copied().filter(|x| *x > 0.0);
        let (least, most) = (filled().fold(f64::INFINITY, f64::min), filled().fold(0.0, f64::max));
        self.even = most <= EVEN * least && (1.0 / EVEN..=EVEN).contains(&most);
        if self.even || most == 0.0 {
            self.even = true;
            self.row.fill(1.0);
            self.column.fill(1.0);
        } else {
            self.even_out(lcp);
        }
        self.measure_q(lcp);
    }

    fn even_out(&mut self, lcp: &Lcp) {
        let root = |x: &f64| if *x > 0.0 { power_of_two(1.0 / x.sqrt()) } else { 1.0 };
        self.row.iter_mut().for_each(|x| *x = root(x));
        // Columns so that the largest entry is about 1, rows likewise with those columns, and both once more.
        let inverse = |most: f64| if most > 0.0 { power_of_two(1.0 / most) } else { 1.0 };
        for _ in 0..2 {
            self.most.clear();
            self.most.resize(lcp.n(), 0.0);
            for j in 0..lcp.n() {
                let column = lcp.column(j);
                let factor = inverse(max_abs_product(column, &self.row));
                self.column[j] = factor;
                self.most.iter_mut().zip(column).for_each(|(most, x)| *most = larger(*most, (x * factor).abs()));
            }
            self.row.iter_mut().zip(&self.most).for_each(|(row, most)| *row = inverse(*most));
        }
    }

    /// The factor of q alone, for another q with the same matrix.
    pub(crate) fn measure_q(&mut self, lcp: &Lcp) {
        let most = if self.even {
            max_abs(lcp.q())
        } else {
            lcp.q().iter().zip(&self.row).fold(0.0, |m: f64, (q, r)| m.max((q * r).abs()))
        };
        self.q = if most > 0.0 { power_of_two(1.0 / most) } else { 1.0 };
    }
}

/// The power of two next below a positive number, kept where its products with doubles stay doubles.
fn power_of_two(x: f64) -> f64 {
    f64::from_bits(x.clamp(1e-150, 1e150).to_bits() & 0x7ff0_0000_0000_0000)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes from 1e-12 to 1e12 come within a factor of ten or so; powers of two have no mantissa.
    #[test]
    fn lines_become_even() {
        let d = [1e-6, 1.0, 1e6];
        let rows: Vec<Vec<f64>> = d.iter().map(|a| d.iter().map(|b| 3.0 * a * b).collect()).collect();
        let lcp = Lcp::from_rows(&rows, vec![1e-6, -1.0, 1e6]).unwrap();
        let mut scaling = Scaling::default();
        scaling.measure(&lcp);
        for i in 0..3 {
            for j in 0..3 {
                let x = lcp.entry(i, j) * scaling.row[i] * scaling.column[j];
                assert!((0.1..10.0).contains(&x), "{x}");
            }
            assert_eq!(scaling.row[i].to_bits() & 0x000f_ffff_ffff_ffff, 0);
        }
    }
}

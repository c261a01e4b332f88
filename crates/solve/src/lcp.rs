//! # Linear complementarity problems: plain data and the one residual that grades every answer
//!
//! numbers ──▶ **here** ──(`Lcp`)──▶ `lemke`, `enumerate`, `linear`
//!
//! - **in**: a square matrix M and a vector q, finite
//! - **out**: [`Lcp`]; w = M z + q and the residual of any z; [`farkas_defect`](Lcp::farkas_defect)
//! - **not here**: finding z
//! - **start at** [`Lcp`]
//!
//! ```text
//! w = M z + q,   z ≥ 0,   w ≥ 0,   z·w = 0
//! ```

use crate::kernel::{accumulate, max_abs};

/// Why numbers do not make a problem.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum InputError {
    /// q and the matrix disagree, or the matrix is not square.
    #[error("expected {expected} numbers in {what}, got {got}")]
    Length {
        /// Which part.
        what: String,
        /// How many it should have.
        expected: usize,
        /// How many it has.
        got: usize,
    },
    /// NaN or infinity.
    #[error("expected finite numbers in {what}, got {value} at {at}")]
    NotFinite {
        /// Which part.
        what: &'static str,
        /// Where.
        at: String,
        /// What stands there.
        value: f64,
    },
    /// A number out of its range.
    #[error("expected {expected} for {what}, got {value}")]
    Range {
        /// Which number.
        what: String,
        /// Its range in words.
        expected: &'static str,
        /// What came.
        value: f64,
    },
    /// More than a method can take on.
    #[error("expected at most {most} rows, got {got}")]
    TooLarge {
        /// Rows that the method takes.
        most: usize,
        /// Rows that came.
        got: usize,
    },
}

/// A linear complementarity problem. The matrix is kept by columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Lcp {
    n: usize,
    columns: Vec<f64>,
    q: Vec<f64>,
}

impl Lcp {
    /// From a matrix given column after column.
    pub fn from_columns(columns: Vec<f64>, q: Vec<f64>) -> Result<Self, InputError> {
        let n = q.len();
        if columns.len() != n * n {
            return Err(InputError::Length { what: "the matrix".into(), expected: n * n, got: columns.len() });
        }
        let lcp = Lcp { n, columns, q };
        lcp.check()?;
        Ok(lcp)
    }

    /// From a matrix given row after row.
    pub fn from_rows<R: AsRef<[f64]>>(rows: &[R], q: Vec<f64>) -> Result<Self, InputError> {
        let n = q.len();
        if rows.len() != n {
            return Err(InputError::Length { what: "the matrix (rows)".into(), expected: n, got: rows.len() });
        }
        let mut columns = vec![0.0; n * n];
        for (i, row) in rows.iter().enumerate() {
            let row = row.as_ref();
            if row.len() != n {
                return Err(InputError::Length { what: format!("row {i} of the matrix"), expected: n, got: row.len() });
            }
            for (j, x) in row.iter().enumerate() {
                columns[j * n + i] = *x;
            }
        }
        Self::from_columns(columns, q)
    }

    fn check(&self) -> Result<(), InputError> {
        if let Some(k) = self.columns.iter().position(|x| !x.is_finite()) {
            let at = format!("row {}, column {}", k % self.n, k / self.n);
            return Err(InputError::NotFinite { what: "the matrix", at, value: self.columns[k] });
        }
        match self.q.iter().position(|x| !x.is_finite()) {
            Some(k) => Err(InputError::NotFinite { what: "q", at: format!("place {k}"), value: self.q[k] }),
            None => Ok(()),
        }
    }

    /// Number of rows.
    pub fn n(&self) -> usize {
        self.n
    }

    /// One entry of M.
    pub fn entry(&self, row: usize, column: usize) -> f64 {
        self.columns[column * self.n + row]
    }

    /// One column of M.
    pub fn column(&self, j: usize) -> &[f64] {
        &self.columns[j * self.n..(j + 1) * self.n]
    }

    /// M, column after column.
    pub fn columns(&self) -> &[f64] {
        &self.columns
    }

    /// q.
    pub fn q(&self) -> &[f64] {
        &self.q
    }

    /// w = M z + q, into `w`.
    pub fn w_into(&self, z: &[f64], w: &mut [f64]) {
        w.copy_from_slice(&self.q);
        accumulate(&self.columns, self.n, z.iter().enumerate().map(|(j, zj)| (j, *zj)), w);
    }

    /// w = M z + q.
    pub fn w(&self, z: &[f64]) -> Vec<f64> {
        let mut w = vec![0.0; self.n];
        self.w_into(z, &mut w);
        w
    }

    /// How far z is from a solution: max |min(zᵢ, wᵢ)|, which is 0 only for solutions and counts negative z and w too.
    pub fn residual(&self, z: &[f64]) -> f64 {
        natural(z, &self.w(z))
    }

    /// The residual below which an answer counts as solved: 1e-10·(1 + max|q|).
    pub fn tolerance(&self) -> f64 {
        1e-10 * (1.0 + max_abs(&self.q))
    }

    /// How far y ≥ 0 with q·y = −1 is from proving that no z ≥ 0 has M z + q ≥ 0: the largest (Mᵀy)ⱼ over max|M_j|·Σy,
    /// infinity if y has a negative entry or q·y is not −1 to 1e-9.
    ///
    /// With all (Mᵀy)ⱼ ≤ 0 any feasible z would give 0 ≤ y·(M z + q) = (Mᵀy)·z − 1 < 0.
    pub fn farkas_defect(&self, y: &[f64]) -> f64 {
        let sum: f64 = y.iter().sum();
        let along: f64 = y.iter().zip(&self.q).map(|(y, q)| y * q).sum();
        let whole = y.len() == self.n && y.iter().all(|y| *y >= 0.0) && (along + 1.0).abs() <= 1e-9 && sum.is_finite();
        if !whole {
            return f64::INFINITY;
        }
        let defect = |j: usize| {
            let column = self.column(j);
            let rise: f64 = column.iter().zip(y).map(|(m, y)| m * y).sum();
            if rise <= 0.0 { 0.0 } else { rise / (max_abs(column) * sum) }
        };
        (0..self.n).map(defect).fold(0.0, f64::max)
    }
}

/// Largest |min(z, w)|; NaN anywhere gives infinity.
pub(crate) fn natural(z: &[f64], w: &[f64]) -> f64 {
    z.iter().zip(w).fold(0.0, |most: f64, (z, w)| {
        let both = if z.is_nan() || w.is_nan() { f64::INFINITY } else { z.min(*w).abs() };
        most.max(both)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Would catch rows taken for columns: M = [[1, 2], [0, 1]], z = (0, 1) gives w = q + (2, 1).
    #[test]
    fn rows_are_rows() {
        let lcp = Lcp::from_rows(&[[1.0, 2.0], [0.0, 1.0]], vec![-2.0, -1.0]).unwrap();
        assert_eq!(lcp.w(&[0.0, 1.0]), [0.0, 0.0]);
        assert_eq!(lcp.residual(&[0.0, 1.0]), 0.0);
        assert_eq!(lcp.residual(&[0.0, 0.0]), 2.0);
        assert_eq!(lcp.residual(&[f64::NAN, 0.0]), f64::INFINITY);
    }

    /// Ragged, not square, not finite: each is told with its place.
    #[test]
    fn bad_numbers_are_told() {
        let ragged = Lcp::from_rows(&[vec![1.0, 2.0], vec![0.0]], vec![0.0; 2]).unwrap_err();
        assert_eq!(ragged.to_string(), "expected 2 numbers in row 1 of the matrix, got 1");
        let tall = Lcp::from_rows(&[[1.0], [2.0]], vec![0.0]).unwrap_err();
        assert_eq!(tall.to_string(), "expected 1 numbers in the matrix (rows), got 2");
        let nan = Lcp::from_rows(&[[1.0, f64::NAN], [0.0, 1.0]], vec![0.0; 2]).unwrap_err();
        assert_eq!(nan.to_string(), "expected finite numbers in the matrix, got NaN at row 0, column 1");
        assert!(Lcp::from_rows(&[[1.0]], vec![f64::INFINITY]).is_err());
        assert!(Lcp::from_columns(Vec::new(), Vec::new()).is_ok());
    }

    /// x − 1 ≥ 0 cannot be reached by −x: y = 1 proves w = −z − 1 infeasible; for w = z − 1 it proves nothing.
    #[test]
    fn certificates_are_checked() {
        let never = Lcp::from_rows(&[[-1.0]], vec![-1.0]).unwrap();
        assert_eq!(never.farkas_defect(&[1.0]), 0.0);
        assert_eq!(never.farkas_defect(&[2.0]), f64::INFINITY);
        let fine = Lcp::from_rows(&[[1.0]], vec![-1.0]).unwrap();
        assert_eq!(fine.farkas_defect(&[1.0]), 1.0);
    }
}

//! # Mixed problems: some variables free, their rows equations
//!
//! `MixedLcp` ──▶ **here** ──(`Lcp`)──▶ `lemke` ──▶ **here** ──▶ all variables
//!
//! - **in**: an [`Lcp`] and which of its rows are equations
//! - **out**: x with w = 0 in free rows (x of any sign there) and complementarity in the others
//! - **not here**: the pivots
//! - **start at** [`MixedLcp::solve`]
//!
//! ```text
//! (0)   (A C)(u)   (a)                          w = (B − D A⁻¹ C) v + (b − D A⁻¹ a)
//! (w) = (D B)(v) + (b),   w, v ≥ 0, w·v = 0:    u = −A⁻¹ (C v + a)
//! ```
//!
//! Where A is singular in working precision, u = u⁺ − u⁻ and every equation is two inequalities: a larger LCP, with no inverse.

use crate::answer::{Answer, Status};
use crate::lcp::{InputError, Lcp};
use crate::lu::Lu;
use crate::solve::solve;

/// A complementarity problem with equations.
#[derive(Clone, Debug, PartialEq)]
pub struct MixedLcp {
    lcp: Lcp,
    free: Vec<bool>,
}

impl MixedLcp {
    /// The rows of `lcp` marked in `free` are equations with variables of any sign.
    pub fn new(lcp: Lcp, free: Vec<bool>) -> Result<Self, InputError> {
        if free.len() == lcp.n() {
            Ok(MixedLcp { lcp, free })
        } else {
            Err(InputError::Length { what: "the marks of free rows".into(), expected: lcp.n(), got: free.len() })
        }
    }

    /// How far x is from a solution: |w| in free rows, |min(x, w)| in the others; the largest.
    pub fn residual(&self, x: &[f64]) -> f64 {
        let w = self.lcp.w(x);
        (0..x.len()).fold(0.0, |most: f64, i| {
            let off = if self.free[i] { w[i].abs() } else { x[i].min(w[i]).abs() };
            if off.is_nan() { f64::INFINITY } else { most.max(off) }
        })
    }

    /// Solves; `farkas`, where there is one, belongs to the problem without equations and is not handed on.
    pub fn solve(&self) -> Answer {
        let n = self.lcp.n();
        let equations: Vec<usize> = (0..n).filter(|i| self.free[*i]).collect();
        let others: Vec<usize> = (0..n).filter(|i| !self.free[*i]).collect();
        let found = self.by_elimination(&equations, &others).or_else(|| self.by_splitting(&equations));
        let mut answer = found.unwrap_or_else(|| self.graded(vec![0.0; n], Status::NotFound, 0));
        answer.farkas = None;
        answer
    }

    fn graded(&self, x: Vec<f64>, status: Status, pivots: usize) -> Answer {
        let residual = self.residual(&x);
        let status = match status {
            Status::Infeasible => Status::Infeasible,
            _ if residual <= self.lcp.tolerance() => Status::Solved,
            _ => Status::NotFound,
        };
        Answer { status, w: self.lcp.w(&x), z: x, residual, farkas: None, proved_no_solution: false, pivots }
    }

    fn by_elimination(&self, equations: &[usize], others: &[usize]) -> Option<Answer> {
        let (n, k, m) = (self.lcp.n(), equations.len(), others.len());
        let mut lu = Lu::with_capacity(k);
        let whole = lu.factor(k, |a| {
            for (p, &i) in equations.iter().enumerate() {
                for (c, &j) in equations.iter().enumerate() {
                    a[p * k + c] = self.lcp.entry(i, j);
                }
            }
        });
        if !whole || lu.ratio() < 1e-11 {
            return None;
        }
        // A⁻¹ (C a), column by column.
        let mut solved = vec![0.0; k * (m + 1)];
        for c in 0..=m {
            let b: Vec<f64> = match others.get(c) {
                Some(&j) => equations.iter().map(|i| self.lcp.entry(*i, j)).collect(),
                None => equations.iter().map(|i| self.lcp.q()[*i]).collect(),
            };
            lu.solve(&b, &mut solved[c * k..(c + 1) * k]);
        }
        let less = |i: usize, c: usize| {
            equations.iter().enumerate().map(|(p, j)| self.lcp.entry(i, *j) * solved[c * k + p]).sum::<f64>()
        };
        let columns: Vec<f64> = (0..m)
            .flat_map(|c| others.iter().map(move |i| (c, *i)))
            .map(|(c, i)| self.lcp.entry(i, others[c]) - less(i, c))
            .collect();
        let q = others.iter().map(|i| self.lcp.q()[*i] - less(*i, m)).collect();
        let reduced = solve(&Lcp::from_columns(columns, q).ok()?);
        let mut x = vec![0.0; n];
        others.iter().zip(&reduced.z).for_each(|(i, z)| x[*i] = *z);
        for (p, &i) in equations.iter().enumerate() {
            x[i] = -(solved[m * k + p] + (0..m).map(|c| solved[c * k + p] * reduced.z[c]).sum::<f64>());
        }
        let mut answer = self.graded(x, reduced.status, reduced.pivots);
        answer.proved_no_solution = reduced.proved_no_solution && answer.status == Status::NotFound;
        Some(answer)
    }

    /// u⁺ in the place of u, u⁻ behind; the rows of u⁻ are minus those of u.
    fn by_splitting(&self, equations: &[usize]) -> Option<Answer> {
        let (n, k) = (self.lcp.n(), equations.len());
        let source = |i: usize| if i < n { (i, 1.0) } else { (equations[i - n], -1.0) };
        let size = n + k;
        let columns: Vec<f64> = (0..size)
            .flat_map(|j| (0..size).map(move |i| (i, j)))
            .map(|(i, j)| {
                let ((i, si), (j, sj)) = (source(i), source(j));
                si * sj * self.lcp.entry(i, j)
            })
            .collect();
        let q = (0..size).map(|i| source(i).1 * self.lcp.q()[source(i).0]).collect();
        let whole = solve(&Lcp::from_columns(columns, q).ok()?);
        let mut x = whole.z[..n].to_vec();
        equations.iter().enumerate().for_each(|(p, i)| x[*i] -= whole.z[n + p]);
        Some(self.graded(x, whole.status, whole.pivots))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// min ½|x|² over x1 + x2 = 1 with x2 ≥ 0.8: multipliers free for the equation. Rows: x1, x2 free, equation, inequality.
    #[test]
    fn a_quadratic_program_is_solved() {
        let rows = [[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, -1.0, -1.0], [1.0, 1.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]];
        let lcp = Lcp::from_rows(&rows, vec![0.0, 0.0, -1.0, -0.8]).unwrap();
        let mixed = MixedLcp::new(lcp, vec![true, true, true, false]).unwrap();
        let answer = mixed.solve();
        assert_eq!(answer.status, Status::Solved);
        // x = (0.2, 0.8), multipliers 0.2 and 0.6.
        let want = [0.2, 0.8, 0.2, 0.6];
        assert!(answer.z.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-14), "{answer:?}");
    }

    /// A singular block of equations that agree with each other: u1 + u2 = 1 twice; and one that does not.
    #[test]
    fn singular_equations_are_split() {
        let rows = [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let free = vec![true, true, false];
        let agree = Lcp::from_rows(&rows, vec![-1.0, -1.0, -2.0]).unwrap();
        let answer = MixedLcp::new(agree, free.clone()).unwrap().solve();
        assert!(answer.status == Status::Solved && (answer.z[2] - 2.0).abs() < 1e-14, "{answer:?}");
        let differ = Lcp::from_rows(&rows, vec![-1.0, -2.0, -2.0]).unwrap();
        assert_ne!(MixedLcp::new(differ, free).unwrap().solve().status, Status::Solved);
    }
}

//! # Enumeration: every solution of a small problem, support by support
//!
//! - **in**: an [`Lcp`] with n ≤ 16
//! - **out**: [`Enumeration`]: a solution for each support that has one
//! - **not here**: large problems (`lemke`)
//! - **start at** [`enumerate`]
//!
//! The judge of the other solvers: all 2ⁿ choices of who is zero. Where the chosen rows are independent the support has one candidate;
//! where they are not, a linear program finds a member or proves that there is none.

use crate::lcp::{InputError, Lcp, natural};
use crate::linear::{Feasibility, feasible};
use crate::lu::Lu;

/// Largest problem that is enumerated.
pub const MOST_ROWS: usize = 16;

/// All supports of a problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Enumeration {
    /// Solutions, one per support that has any, without repetitions.
    pub solutions: Vec<Vec<f64>>,
    /// Supports that could not be decided in double precision.
    pub undecided: usize,
}

/// Solutions on every support.
pub fn enumerate(lcp: &Lcp) -> Result<Enumeration, InputError> {
    let n = lcp.n();
    if n > MOST_ROWS {
        return Err(InputError::TooLarge { most: MOST_ROWS, got: n });
    }
    let mut lu = Lu::with_capacity(n);
    let mut found = Enumeration { solutions: Vec::new(), undecided: 0 };
    let tolerance = lcp.tolerance();
    for support in 0u32..1 << n {
        let rows: Vec<usize> = (0..n).filter(|i| support >> i & 1 == 1).collect();
        match on_support(lcp, &rows, &mut lu) {
            Found::Candidate(z) => {
                let z: Vec<f64> = z.into_iter().map(|z| z.max(0.0)).collect();
                let size = 1.0 + crate::kernel::max_abs(&z);
                let known = |other: &Vec<f64>| z.iter().zip(other).all(|(a, b)| (a - b).abs() <= 1e-9 * size);
                if natural(&z, &lcp.w(&z)) <= tolerance && !found.solutions.iter().any(known) {
                    found.solutions.push(z);
                }
            }
            Found::Nothing => {}
            Found::Undecided => found.undecided += 1,
        }
    }
    Ok(found)
}

enum Found {
    Candidate(Vec<f64>),
    Nothing,
    Undecided,
}

fn on_support(lcp: &Lcp, rows: &[usize], lu: &mut Lu) -> Found {
    let (n, m) = (lcp.n(), rows.len());
    let regular = lu.factor(m, |k| {
        for (p, &i) in rows.iter().enumerate() {
            for (c, &j) in rows.iter().enumerate() {
                k[p * m + c] = lcp.entry(i, j);
            }
        }
    });
    let mut z = vec![0.0; n];
    if regular && lu.ratio() > 1e-10 {
        let b: Vec<f64> = rows.iter().map(|i| -lcp.q()[*i]).collect();
        let mut x = vec![0.0; m];
        lu.solve(&b, &mut x);
        rows.iter().zip(&x).for_each(|(i, x)| z[*i] = *x);
        return Found::Candidate(z);
    }
    // Rows of the support are equations, twice an inequality.
    let all: Vec<usize> = (0..n).chain(rows.iter().copied()).collect();
    let sign = |k: usize| if k < n { 1.0 } else { -1.0 };
    let g: Vec<f64> =
        rows.iter().flat_map(|j| all.iter().enumerate().map(|(k, i)| sign(k) * lcp.entry(*i, *j))).collect();
    let h: Vec<f64> = all.iter().enumerate().map(|(k, i)| sign(k) * lcp.q()[*i]).collect();
    match feasible(m, &g, &h) {
        Feasibility::Point(x) => {
            rows.iter().zip(&x).for_each(|(i, x)| z[*i] = *x);
            Found::Candidate(z)
        }
        Feasibility::Never(y) if proves(&g, &h, &y) => Found::Nothing,
        _ => Found::Undecided,
    }
}

/// Whether y proves that G x + h ≥ 0 has no x ≥ 0, up to round-off.
fn proves(g: &[f64], h: &[f64], y: &[f64]) -> bool {
    let rows = h.len();
    let sum: f64 = y.iter().sum();
    let along: f64 = h.iter().zip(y).map(|(h, y)| h * y).sum();
    let down = g.chunks_exact(rows.max(1)).all(|column| {
        let rise: f64 = column.iter().zip(y).map(|(g, y)| g * y).sum();
        rise <= 1e-10 * crate::kernel::max_abs(column) * sum
    });
    down && along < -1e-10 * crate::kernel::max_abs(h) * sum && y.iter().all(|y| *y >= 0.0)
}

//! # Linear inequalities: a point, or a proof that there is none
//!
//! - **in**: G (by columns) and h
//! - **out**: [`Feasibility`]: x ≥ 0 with G x + h ≥ 0, or y ≥ 0 with Gᵀy ≤ 0 and h·y < 0
//! - **not here**: complementarity
//! - **start at** [`feasible`]
//!
//! The program min Σx over G x + h ≥ 0, x ≥ 0 is the LCP
//!
//! ```text
//! (s)   (0  −Gᵀ)(x)   (1)
//! (t) = (G   0 )(y) + (h)
//! ```
//!
//! whose matrix is skew, hence copositive-plus: Lemke ends at a solution, or on a ray (x̃, ỹ) ≥ 0 with −Gᵀỹ ≥ 0 and
//! Σx̃ + h·ỹ < 0, which makes ỹ the proof (Cottle, §4.4).

use crate::lcp::Lcp;
use crate::lemke::Lemke;

/// What inequalities allow.
#[derive(Clone, Debug, PartialEq)]
pub enum Feasibility {
    /// x ≥ 0 with G x + h ≥ 0 up to round-off.
    Point(Vec<f64>),
    /// y ≥ 0 with Gᵀy ≤ 0 up to round-off and h·y < 0; its length is arbitrary and the caller checks it.
    Never(Vec<f64>),
    /// Numbers too bad to tell.
    Unknown,
}

/// A point or a proof for G x + h ≥ 0, x ≥ 0; G has `columns` columns, one after the other, each as long as h.
pub fn feasible(columns: usize, g: &[f64], h: &[f64]) -> Feasibility {
    let rows = h.len();
    let n = rows + columns;
    let mut m = vec![0.0; n * n];
    for j in 0..columns {
        for i in 0..rows {
            let x = g[j * rows + i];
            m[j * n + columns + i] = x;
            m[(columns + i) * n + j] = -x;
        }
    }
    let mut q = vec![1.0; columns];
    q.extend_from_slice(h);
    let Ok(lcp) = Lcp::from_columns(m, q) else { return Feasibility::Unknown };
    if h.iter().all(|h| *h >= 0.0) {
        return Feasibility::Point(vec![0.0; columns]);
    }
    let mut lemke = Lemke::new(n);
    let mut ray = Vec::new();
    match lemke.decide(&lcp, &mut ray) {
        Some(true) => Feasibility::Point(lemke.z()[..columns].to_vec()),
        Some(false) => Feasibility::Never(ray[columns..].to_vec()),
        None => Feasibility::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x + y ≤ 1 with x ≥ 2 has no point and the proof (1, 1); with x ≥ 0.5 it has one.
    #[test]
    fn points_and_proofs() {
        let g = [-1.0, 1.0, -1.0, 0.0];
        let Feasibility::Never(y) = feasible(2, &g, &[1.0, -2.0]) else { panic!() };
        assert!((y[0] - y[1]).abs() < 1e-15 && y[0] > 0.0);
        let Feasibility::Point(x) = feasible(2, &g, &[1.0, -0.5]) else { panic!() };
        assert!(x[0] >= 0.5 - 1e-15 && x[0] + x[1] <= 1.0 + 1e-15);
    }
}

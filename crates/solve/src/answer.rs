//! # Answers: solved, infeasible or not found, never an unverified z
//!
//! - **in**: what solvers found
//! - **out**: [`Status`], [`Answer`]
//! - **not here**: the residual ([`Lcp::residual`](crate::Lcp::residual))

/// What became of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The residual is within its tolerance.
    Solved,
    /// No z ≥ 0 has M z + q ≥ 0, and a checked vector proves it.
    Infeasible,
    /// Neither; the residual says how far it got.
    NotFound,
}

/// A whole answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Solved, infeasible or not found.
    pub status: Status,
    /// The solution, or the best that was found.
    pub z: Vec<f64>,
    /// w = M z + q.
    pub w: Vec<f64>,
    /// Residual of z.
    pub residual: f64,
    /// With [`Status::Infeasible`]: y ≥ 0, Mᵀy ≤ 0, q·y = −1.
    pub farkas: Option<Vec<f64>>,
    /// With [`Status::NotFound`]: all supports were looked at, and none has a solution.
    pub proved_no_solution: bool,
    /// Pivots that it took.
    pub pivots: usize,
}

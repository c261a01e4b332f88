//! # Second-order cone programs: few equations, many small cones
//!
//! rows and blocks ([`Socp`]) ──▶ **here** ──(x, multipliers, or a certificate)──▶ `fingerpad-grasp`
//!
//! - **in**: a linear cost, equations with dense small blocks, variables in second-order cones or free
//! - **out**: [`SocpAnswer`]: solved, infeasible or unbounded with a certificate, or stalled; always with a grade that
//!   is computed from the program anew, not taken from the iteration
//! - **not here**: friction (`fingerpad-grasp`); complementarity problems ([`crate::cone`])
//! - **assumes**: equations that are independent over the cone variables; finite numbers of similar size
//! - **start at** [`Socp`], then [`InteriorPoint`] (ours); `Clarabel` (feature `clarabel`) answers the same
//!
//! ```text
//! min c·x   so that   A x = b,   each block of x in its cone {x₀ ≥ |x₁|} (a block of one: x ≥ 0), the rest free
//! max b·y   so that   z = c − Aᵀy,   each block of z in its cone, z = 0 for free variables
//! ```

#[cfg(feature = "clarabel")]
mod clarabel;
mod factor;
mod interior;
mod packed;
mod program;
mod scaling;

#[cfg(feature = "clarabel")]
pub use clarabel::Clarabel;
pub use interior::{InteriorPoint, SocpOptions};
pub use program::{Grade, Socp};

/// How a program came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SocpStatus {
    /// x and y meet the tolerances.
    Solved,
    /// No x exists: y with b·y = 1 and −Aᵀy in the cones proves it.
    Infeasible,
    /// The cost falls without end: x with c·x = −1 and A x = 0 proves it.
    Unbounded,
    /// The iteration ended before the tolerances; the grade says how far it got.
    Stalled,
}

/// What a solver found.
#[derive(Clone, Debug)]
pub struct SocpAnswer {
    /// How it came out.
    pub status: SocpStatus,
    /// Variables in cones, block after block; the ray of an unbounded program.
    pub x: Vec<f64>,
    /// Free variables.
    pub free: Vec<f64>,
    /// Multipliers of the equations; the certificate of an infeasible program.
    pub y: Vec<f64>,
    /// c·x.
    pub value: f64,
    /// How well the answer meets the conditions, computed from the program.
    pub grade: Grade,
    /// Iterations taken.
    pub iterations: usize,
}

/// Anything that solves second-order cone programs.
pub trait SocpSolver {
    /// Solves a program; never panics on finite numbers.
    fn solve(&mut self, program: &Socp) -> SocpAnswer;
}

//! # fingerpad-solve: complementarity, with no physics in it
//!
//! plain data ([`Lcp`]) ──▶ **here** ──(solved | infeasible | not found)──▶ `fingerpad-sim`, `fingerpad-planar`
//!
//! - **in**: matrices and vectors; operators as sparse blocks
//! - **out**: answers that are checked: *solved* (residual within tolerance), *infeasible* (with a certificate that is
//!   checked) or *not found* (with how far it got)
//! - **not here**: bodies, contacts, time (`fingerpad-sim`)
//! - **assumes**: finite numbers in double precision
//! - **start at** [`solve()`], then [`Lemke`] (many problems, warm starts), [`enumerate()`] (every solution of small ones),
//!   [`MixedLcp`] (with equations);
//!   [`cone`] has contacts on the exact friction ellipsoid; [`socp`] second-order cone programs;
//!   [`sparse`] matrices of blocks

mod answer;
pub mod cone;
mod definite;
mod enumerate;
mod kernel;
mod lcp;
mod lemke;
mod linear;
mod lu;
mod mixed;
pub mod socp;
mod solve;
pub mod sparse;

pub use answer::{Answer, Status};
pub use definite::Definiteness;
pub use enumerate::{Enumeration, MOST_ROWS, enumerate};
pub use lcp::{InputError, Lcp};
pub use lemke::{Lemke, LemkeOptions, Report};
pub use linear::{Feasibility, feasible};
pub use mixed::MixedLcp;
pub use solve::solve;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadMe;

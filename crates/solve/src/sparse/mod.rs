//! # Sparse: matrices of 6 × 6 blocks with the zeros of a graph, factored and solved
//!
//! which blocks meet ──([`Pattern`])──▶ **here** ──(factors, solutions)──▶ `cone`, the fixed step of `fingerpad-sim`
//!
//! - **in**: pairs of nodes that share a block; numbers of the blocks
//! - **out**: an order of elimination by least degree, the blocks that it fills in; factors; solutions
//! - **not here**: what the blocks are made of (the callers); conjugate gradients and threads (the fixed step)
//! - **start at** [`Pattern::analyse`], then [`cholesky`] (symmetric matrices) or [`BlockLu`] (any regular one)
//!
//! A node stands for six unknowns. Both factors follow one [`Pattern`]: the order is found once per graph, and the numbers
//! then only follow its lists.

pub mod block;
pub mod cholesky;
mod lu;
mod pattern;

pub use block::{Block, Six};
pub use lu::BlockLu;
pub(crate) use lu::invert;
pub use pattern::{Domains, Fill, NONE, Pattern, Structure};

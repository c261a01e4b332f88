//! # Motion of a tree by itself: accurately, and by fixed steps
//!
//! tree, state ──▶ **here** ──▶ state at a later time, what the step had to correct
//!
//! - **in**: a [`Tree`](super::Tree), a [`TreeState`](super::TreeState), forces along coordinates
//! - **out**: the state moved on; [`FixedReport`]
//! - **not here**: contacts, limits, friction loss: rows that steppers add to the same equations
//! - **assumes**: roots hang on a base at rest
//! - **start at** [`Accurate::advance`], [`Fixed::advance`]

mod accurate;
mod fixed;
mod phases;
mod rows;
#[cfg(test)]
mod tests;

pub use accurate::{Accurate, AccurateWork, TooManySteps};
pub use fixed::{Fixed, FixedReport, FixedWork};
pub(crate) use rows::Losses;
pub use rows::{JointRow, JointRows};

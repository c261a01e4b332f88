//! # fingerpad-planar: what a rigid planar body with several frictional contacts can do
//!
//! numbers ──(`Case`)──▶ `contact` ──▶ `cspace` ──(gap and slip planes, cone edges)──▶ `modes` ──▶ `solve` ──▶ `Answer`
//!
//! - **in**: [`Case`]: mass, radius of gyration, applied force, velocity, contacts (SI, exact rationals)
//! - **out**: [`Answer`]: every acceleration (ax, ay, α) the laws of Newton and Coulomb allow, as closed convex
//!   polyhedra with exact corners; [`Reaction`]: the contact forces that produce one of them
//! - **not here**: files and JSON (the program), shapes in space, impacts (they are said, not solved)
//! - **assumes**: one rigid body among fixed rigid obstacles, Coulomb friction with one coefficient per contact
//! - **start at** [`solve`], then [`feasible_modes`], [`strict_modes`], [`reactions`]; [`paper`] asks the same
//!   question the way (Erdmann) does, [`lcp`] the way a simulator does, and [`part`] makes a case from outlines
//!
//! The body is the moving one, normals point from the obstacle to the body, and the slip tangent of a normal
//! (nx, ny) is ts = (ny, −nx). Letters of a mode, one per contact: `-` already separating by velocity, `S` separating,
//! `P` sliding along +ts, `N` sliding along −ts, `F` sticking.

mod contact;
pub mod cspace;
pub mod lcp;
mod modes;
mod number;
pub mod paper;
pub mod part;
mod polytope;
mod reaction;
mod relaxed;
mod solve;

pub use contact::{Case, Contact, Error, Kind, Warning};
pub use modes::{FeasibleMode, Letter, Listing, Mode, StrictMode, feasible_modes, strict_modes};
pub use number::{NumberError, Rational};
pub use reaction::{ContactForce, Range, Reaction, reactions, set_reactions};
pub use solve::{AccelerationSet, Answer, Approach, Options, Region, Status, solve};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadMe;

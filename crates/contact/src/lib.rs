//! # What happens between one pair of surfaces
//!
//! ```text
//! surface ──(points, normals, curvatures)──▶ track ──(closest points, gap, rates)──▶ site
//!     site ──(frame, motion)──▶ law ◀──(patch, limit)── patch, friction ◀── material
//! ```
//!
//! - [`surface`]: shapes with exact normals and shape operators, elevation maps and smoothed meshes included
//! - [`track`]: where two of them are closest, and how those points move
//! - [`material`], [`patch`]: from curvature and load to the contact patch and its stiffness
//! - [`friction`]: which loads a patch holds, and where a load goes that it does not
//! - [`site`], [`law`]: from where bodies are and how they move to the wrench between them
//! - [`spatial`]: velocities and forces, with shift and change of axes
//!
//! Units are SI and radians throughout. Names carry frames (`docs/style.md`): `p_ACa` is the position
//! of point Ca from the origin of A, in the axes of A.

pub mod friction;
pub mod law;
pub mod material;
pub mod patch;
mod quadrature;
pub mod site;
pub mod spatial;
pub mod surface;
pub mod symmetric;
pub mod track;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadMe;

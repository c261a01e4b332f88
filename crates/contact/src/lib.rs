//! # What happens between one pair of surfaces
//!
//! ```text
//! surface ──(points, normals, curvatures)──▶ track ──(closest points, gap, rates)──▶ …
//! ```
//!
//! - [`surface`]: shapes with exact normals and shape operators, elevation maps included
//! - [`track`]: where two of them are closest, and how those points move
//! - [`spatial`]: velocities of bodies, with shift and change of axes
//!
//! Units are SI and radians throughout. Names carry frames (`docs/style.md`): `p_ACa` is the position
//! of point Ca from the origin of A, in the axes of A.

pub mod friction;
pub mod law;
pub mod material;
pub mod patch;
pub mod site;
pub mod spatial;
pub mod surface;
pub mod symmetric;
pub mod track;

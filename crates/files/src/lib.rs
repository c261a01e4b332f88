//! # Files: what the bytes on a disk mean
//!
//! disk ──▶ **here** ──([`terrain::Terrain`]: grid, heights, projection, warnings)──▶ `fingerpad_contact::surface`
//!
//! - **in**: scenes in TOML; elevation maps as ESRI ASCII grids, GeoTIFF and 16-bit PNG; triangle meshes as STL, OBJ and
//!   COLLADA; robots as URDF and MJCF
//! - **out**: plain structs in SI units, or an error which says which file, where, and what was expected
//! - **not here**: what a surface does between its nodes (`fingerpad_contact::surface::elevation`)
//! - **assumes**: nothing of the files: any bytes give an answer or an error, in memory bounded by their number
//! - **start at** [`scene::Scene::read`], [`terrain::read`], [`mesh::read`] and [`robot::read`]; [`units`] reads quantities, [`input`] whole files

#![warn(missing_docs)]

pub mod input;
pub mod mesh;
pub mod nearest;
pub mod recording;
pub mod robot;
pub mod scene;
pub mod terrain;
pub mod units;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadMe;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/rust-api.md")]
struct Tour;

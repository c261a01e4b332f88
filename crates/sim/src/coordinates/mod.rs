//! # Coordinates: what moves, apart from what touches
//!
//! - **out**: how bodies answer to forces ([`inertia`]), the poses and velocities that are left to them ([`restriction`])
//! - **not here**: forces of contacts

pub(crate) mod inertia;
pub(crate) mod restriction;
pub(crate) mod rotation;

//! # Through: a contact that changes to the opposite side of a thin body
//!
//! - **in**: depth and normal of a pressed contact before, place and normal now
//! - **out**: nothing, or a [`Stop`] that names the pair, the place and the depth
//! - **assumes**: steps are so short ([`advancement`](super::advancement)) that each body that goes through another is seen on
//!   both sides of the middle
//! - **start at** [`check`]

use crate::model::Model;
use crate::model::interactions::Pair;
use crate::run::Stop;
use nalgebra::{Point3, Vector3};

/// Cosine below which a normal is that of the opposite side.
pub(crate) const OPPOSITE: f64 = -0.5;
/// Share of the thinner body's half thickness beyond which a contact that changes sides has gone through.
const THROUGH: f64 = 0.4;

/// Whether a contact that was pressed in by `depth` (m) along one normal, and now overlaps along another, has gone through.
#[inline]
pub(crate) fn check(
    model: &Model,
    pair: Pair,
    depth: f64,
    normals: (&Vector3<f64>, &Vector3<f64>),
    p_W: impl Fn() -> Point3<f64>,
) -> Result<(), Stop> {
    if normals.0.dot(normals.1) >= OPPOSITE {
        return Ok(());
    }
    let thin = [pair.a.0, pair.b.0].map(|i| model.extents()[i].thickness).into_iter().fold(f64::INFINITY, f64::min);
    if depth > THROUGH * thin { Err(Stop::Through { pair, p_W: p_W(), depth, thin }) } else { Ok(()) }
}

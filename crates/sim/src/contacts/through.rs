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

/// Whether a pressed contact has gone through: it is deeper than the thinner body is thick, or it was pressed in deep along
/// one normal and now overlaps along the opposite one. Depth before and now, the larger of both (m); normals before and now.
#[inline]
pub(crate) fn check(
    model: &Model,
    pair: Pair,
    depth: f64,
    normals: (&Vector3<f64>, &Vector3<f64>),
    p_W: impl Fn() -> Point3<f64>,
) -> Result<(), Stop> {
    let [a, b] = [pair.a.0, pair.b.0].map(|i| model.extents()[i].thickness);
    let thin = a.min(b);
    // Nothing comes out on the other side of a ground.
    let whole = if a.max(b) < f64::INFINITY { 2.0 } else { f64::INFINITY };
    let most = if normals.0.dot(normals.1) < OPPOSITE { THROUGH } else { whole };
    if depth > most * thin { Err(Stop::Through { pair, p_W: p_W(), depth, thin }) } else { Ok(()) }
}

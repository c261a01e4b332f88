//! # Through: a contact that changes to the opposite side of a thin body
//!
//! - **in**: depth and normal of a pressed contact before, place and normal now
//! - **out**: nothing, or a [`Stop`] that names the pair, the place and the depth
//! - **assumes**: steps are so short ([`advancement`](super::advancement)) that each body that goes through another is seen on
//!   both sides of the middle
//! - **start at** [`check`], [`check_faces`]

use crate::model::Model;
use crate::model::body::BodyId;
use crate::model::interactions::Pair;
use crate::run::Stop;
use fingerpad_contact::surface::Shape;
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
    let thin = thinner(model, pair);
    if depth > THROUGH * thin { Err(Stop::Through { pair, p_W: p_W(), depth, thin }) } else { Ok(()) }
}

/// Whether a contact that is pressed in by `depth` (m) where it was followed to, and is found no more, has gone through: bodies
/// that part leave no depth behind. Where nothing comes out behind (grounds) there is no other side.
pub(crate) fn check_gone(model: &Model, pair: Pair, depth: f64, p_W: impl Fn() -> Point3<f64>) -> Result<(), Stop> {
    let thin = thinner(model, pair);
    if depth > THROUGH * thin { Err(Stop::Through { pair, p_W: p_W(), depth, thin }) } else { Ok(()) }
}

/// Whether two faces, whose normals stay, overlap by more than the thinner body is thick. Only where that is known exactly:
/// the thickness of meshes and bodies of revolution is an estimate from below, and nothing comes out behind a ground.
pub(crate) fn check_faces(model: &Model, pair: Pair, depth: f64, p_W: impl Fn() -> Point3<f64>) -> Result<(), Stop> {
    let exact = |body: BodyId| matches!(*model.bodies()[body.0].shape, Shape::RoundedBox(_) | Shape::Cylinder(_));
    let thin = thinner(model, pair);
    let through = depth > 2.0 * thin && exact(pair.a) && exact(pair.b);
    if through { Err(Stop::Through { pair, p_W: p_W(), depth, thin }) } else { Ok(()) }
}

/// Half of the least way through the thinner body (m).
fn thinner(model: &Model, pair: Pair) -> f64 {
    [pair.a.0, pair.b.0].map(|i| model.extents()[i].thickness).into_iter().fold(f64::INFINITY, f64::min)
}

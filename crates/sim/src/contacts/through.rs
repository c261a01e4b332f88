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
use fingerpad_contact::surface::{Shape, Surface};
use fingerpad_contact::track::ClosestPair;
use nalgebra::{Isometry3, Point3, Vector3};

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

/// Whether two faces, whose normals stay, overlap by more than the thinner body is thick. Where its thickness is an estimate from
/// below (meshes, bodies of revolution), it must have come out behind as well: the face of the one, at this pose of B in A, is
/// then outside of the other. Nothing comes out behind a ground.
pub(crate) fn check_faces(
    model: &Model,
    pair: Pair,
    depth: f64,
    points: &ClosestPair,
    X_AB: impl Fn() -> Isometry3<f64>,
    p_W: impl Fn() -> Point3<f64>,
) -> Result<(), Stop> {
    let thin = thinner(model, pair);
    if depth <= 2.0 * thin {
        return Ok(());
    }
    let [shape_A, shape_B] = [pair.a, pair.b].map(|body: BodyId| &*model.bodies()[body.0].shape);
    let exact = |shape: &Shape| matches!(shape, Shape::RoundedBox(_) | Shape::Cylinder(_));
    let estimated = |shape: &Shape| matches!(shape, Shape::Mesh(_) | Shape::Revolution(_));
    let outside = |shape: &Shape, p: Point3<f64>| {
        estimated(shape) && shape.closest_point(&p).is_ok_and(|foot| foot.distance >= 0.0)
    };
    let X_AB = X_AB();
    let through = exact(shape_A) && exact(shape_B)
        || outside(shape_A, X_AB * points.p_BCb)
        || outside(shape_B, X_AB.inverse_transform_point(&points.p_ACa));
    if through { Err(Stop::Through { pair, p_W: p_W(), depth, thin }) } else { Ok(()) }
}

/// Half of the least way through the thinner body (m).
fn thinner(model: &Model, pair: Pair) -> f64 {
    [pair.a.0, pair.b.0].map(|i| model.extents()[i].thickness).into_iter().fold(f64::INFINITY, f64::min)
}

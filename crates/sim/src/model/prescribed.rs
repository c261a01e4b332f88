//! # Prescribed motion: where driven bodies are
//!
//! - **in**: a model, a time
//! - **out**: pose and velocity of a driven body, never integrated; how fast a surface moves over its body
//! - **not here**: the motions themselves ([`Prescribed`](crate::Prescribed))
//! - **start at** [`prescribed_state`]

use crate::model::Model;
use crate::model::body::{BodyId, Mobility};
use crate::model::interactions::Pair;
use crate::run::Stop;
use crate::state::BodyState;
use nalgebra::{Isometry3, Translation3, Vector3};

/// A body that forces do not move, at a time; `now` is where it is if it never moves.
pub(crate) fn prescribed_state(model: &Model, i: usize, now: &BodyState, t: f64) -> Result<BodyState, Stop> {
    let body = &model.bodies()[i];
    let Mobility::Prescribed(motion) = &body.mobility else { return Ok(*now) };
    let X_WB = motion.pose(&body.X_WB, t);
    let p_WBcm = X_WB * body.p_BoBcm;
    let V_WBcm = motion.velocity_at(&p_WBcm, t);
    let finite = |v: &Vector3<f64>| v.iter().all(|x| x.is_finite());
    if !(finite(&p_WBcm.coords) && finite(&V_WBcm.v) && X_WB.rotation.coords.iter().all(|x| x.is_finite())) {
        return Err(Stop::Given { body: i });
    }
    Ok(BodyState { X_WBcm: Isometry3::from_parts(Translation3::from(p_WBcm), X_WB.rotation), V_WBcm })
}

/// Velocity of a body's surface over the body (m/s).
pub(crate) fn surface_of(model: &Model, id: BodyId) -> Vector3<f64> {
    match &model.bodies()[id.0].mobility {
        Mobility::Prescribed(motion) => motion.surface_velocity(),
        _ => Vector3::zeros(),
    }
}

/// Velocity of the surface of B over its body less that of A (m/s).
pub(crate) fn surface_velocity(model: &Model, pair: &Pair) -> Vector3<f64> {
    surface_of(model, pair.b) - surface_of(model, pair.a)
}

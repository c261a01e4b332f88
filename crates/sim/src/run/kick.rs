//! # Kicks: momentum that changes at once
//!
//! - **in**: a state at the time of a kick
//! - **out**: the state just after, with the work booked
//! - **start at** [`give`], [`next`]

use super::Stop;
use crate::coordinates::inertia::answer;
use crate::model::Model;
use crate::model::load::Kick;
use crate::state::State;
use fingerpad_contact::spatial::{SpatialForce, SpatialVelocity};
use nalgebra::Vector3;

/// The time of the next kick (s); infinite after the last.
pub(crate) fn next(model: &Model, state: &State) -> f64 {
    model.kicks().get(state.kicks_done).map_or(f64::INFINITY, |kick| kick.time)
}

/// Gives all kicks that are due, in order; each once. Springs and friction limits of contacts are the stepper's to look after.
pub(crate) fn give(model: &Model, state: &mut State) -> Result<(), Stop> {
    while next(model, state) <= state.time {
        strike(model, state, &model.kicks()[state.kicks_done])?;
        state.kicks_done += 1;
    }
    Ok(())
}

/// V += W p, and ΔKE = p·(V + ½ W p) goes to the work put in.
pub(crate) fn strike(model: &Model, state: &mut State, kick: &Kick) -> Result<(), Stop> {
    let (i, now) = (kick.body.0, &mut state.bodies[kick.body.0]);
    let arm = kick.p_BoQ.map_or_else(Vector3::zeros, |p_BoQ| {
        (model.frame(i, &now.X_WBcm) * p_BoQ).coords - now.X_WBcm.translation.vector
    });
    let momentum = SpatialForce::new(kick.L_W + arm.cross(&kick.p_W), kick.p_W);
    let change = answer(model, i, now, state.time).of(&momentum);
    let V = now.V_WBcm;
    let halfway = SpatialVelocity::new(V.w + change.w * 0.5, V.v + change.v * 0.5);
    let work = momentum.power(&halfway);
    if !work.is_finite() {
        return Err(Stop::Kick { body: i });
    }
    state.W_injected += work;
    now.V_WBcm = SpatialVelocity::new(V.w + change.w, V.v + change.v);
    Ok(())
}

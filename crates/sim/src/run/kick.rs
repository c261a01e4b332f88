//! # Kicks: momentum that changes at once
//!
//! - **in**: a state at the time of a kick
//! - **out**: the state just after, with the work booked
//! - **start at** [`give`], [`next`]

use super::Stop;
use crate::coordinates::inertia::answer;
use crate::coordinates::{AtLimit, Base, Factor, Frame, Impact, Mass};
use crate::model::Model;
use crate::model::body::Mobility;
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
    if let Mobility::Link { tree, link } = model.bodies()[i].mobility {
        return strike_link(model, state, (tree, link), &momentum);
    }
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

/// The whole tree answers: v += M⁻¹ Jᵀ p, equations and limits that it lies at hold.
fn strike_link(
    model: &Model,
    state: &mut State,
    (tree, link): (usize, usize),
    momentum: &SpatialForce,
) -> Result<(), Stop> {
    let (made, now) = (&model.trees()[tree], &mut state.trees[tree]);
    let (tree, body) = (&made.tree, made.bodies[link].0);
    let Some(node) = tree.ride(link).node else { return Ok(()) };
    let (mut frame, mut mass, mut factor) = (Frame::new(tree), Mass::new(tree), Factor::new(tree));
    frame.place(tree, &now.q, &Base::default());
    frame.set_velocities(tree, &now.v);
    mass.compute(tree, &frame);
    factor.compute(tree, &mass).map_err(|_| Stop::Kick { body })?;
    let before = made.body_at(model.bodies(), &frame, link);
    let mut change = vec![0.0; tree.nv()];
    let F = frame.about_origin(momentum, &before.X_WBcm.translation.vector.into());
    frame.add_wrench(tree, node as usize, &F, &mut change);
    factor.solve(tree, &mut change);
    now.v.iter_mut().zip(&change).for_each(|(v, dv)| *v += dv);
    let at = |k: usize| {
        let ([low, high], q) = (tree.law(k).limit?, now.q[tree.scalar_q(k)?]);
        let sign = if q <= low {
            1.0
        } else if q >= high {
            -1.0
        } else {
            return None;
        };
        Some(AtLimit { column: k, sign, restitution: tree.law(k).restitution })
    };
    let limits: Vec<AtLimit> = (0..tree.nv()).filter_map(at).collect();
    let placed = (&frame, &factor);
    let mut impact = Impact::default();
    now.sums.E_limit += impact.act(tree, made.held(state.time), placed, &now.q, &mut now.v, &limits);
    now.known = 0;
    frame.set_velocities(tree, &now.v);
    let after = made.body_at(model.bodies(), &frame, link);
    let halfway =
        SpatialVelocity::new((before.V_WBcm.w + after.V_WBcm.w) * 0.5, (before.V_WBcm.v + after.V_WBcm.v) * 0.5);
    let work = momentum.power(&halfway);
    if !work.is_finite() {
        return Err(Stop::Kick { body });
    }
    state.W_injected += work + impact.supplied;
    let bodies = &mut state.bodies;
    made.write(model.bodies(), &frame, |i, body| bodies[i] = body);
    Ok(())
}

//! # Kicks: momentum that changes at once
//!
//! - **in**: a state at the time of a kick
//! - **out**: the state just after, with the work booked
//! - **start at** [`give`], [`next`]
//!
//! Springs along a patch do not jump with the momentum. Where dampers make the normal force jump, a patch that slips is not
//! on its limit any more: it sticks with the springs it had, and what is beyond a lower limit slips at once.

use crate::accurate::{Event, EventKind, Stop};
use crate::inertia::answer;
use crate::interactions::Pair;
use crate::load::Kick;
use crate::model::Model;
use crate::state::{ContactMode, ContactState, State, Stride};
use crate::workspace::Workspace;
use fingerpad_contact::spatial::{SpatialForce, SpatialVelocity};
use nalgebra::Vector3;

/// The time of the next kick (s); infinite after the last.
pub(crate) fn next(model: &Model, state: &State) -> f64 {
    model.kicks().get(state.kicks_done).map_or(f64::INFINITY, |kick| kick.time)
}

/// Gives all kicks that are due, in order; each once.
pub(crate) fn give(model: &Model, state: &mut State, work: &mut Workspace) -> Result<(), Stop> {
    while next(model, state) <= state.time {
        let kick = &model.kicks()[state.kicks_done];
        let slips = state.contacts.iter().any(|contact| concerns(kick, contact));
        if slips {
            keep_springs(model, state, work, kick)?;
        }
        strike(model, state, kick)?;
        state.kicks_done += 1;
        if slips {
            leave_limits(model, state, work, kick)?;
        }
        // Whatever was smooth is not any more.
        state.stride = Stride { h: state.stride.h.min(1e-4), column: 4 };
    }
    Ok(())
}

/// The same between fixed steps, which keep springs and limits apart by themselves or have none.
pub(crate) fn give_between_steps(model: &Model, state: &mut State) -> Result<(), Stop> {
    while next(model, state) <= state.time {
        strike(model, state, &model.kicks()[state.kicks_done])?;
        state.kicks_done += 1;
    }
    Ok(())
}

/// Whether a contact of the kicked body slips.
fn concerns(kick: &Kick, contact: &ContactState) -> bool {
    contact.mode == ContactMode::Slip && (contact.pair.a == kick.body || contact.pair.b == kick.body)
}

/// Notes the springs of slipping patches as they are before the kick.
fn keep_springs(model: &Model, state: &mut State, work: &mut Workspace, kick: &Kick) -> Result<(), Stop> {
    let views = work.look(model, state)?;
    for (contact, view) in state.contacts.iter_mut().zip(views) {
        if let (true, Some(touch)) = (concerns(kick, contact), &view.touch) {
            let x = touch.x();
            contact.memory.x_W = x.xyz();
            contact.memory.x_theta = x.w;
            contact.memory.nhat_W = view.site.nhat_W;
        }
    }
    Ok(())
}

/// Slipping patches whose limit jumped stick, with the springs that were noted.
fn leave_limits(model: &Model, state: &mut State, work: &mut Workspace, kick: &Kick) -> Result<(), Stop> {
    work.look(model, state)?;
    let Workspace { scratch, events, .. } = work;
    for (contact, view) in state.contacts.iter_mut().zip(&scratch.views) {
        let Some(touch) = &view.touch else { continue };
        let (x, kept) = (touch.x(), &contact.memory);
        let jumped = (x.xyz() - kept.x_W).norm() + (x.w - kept.x_theta).abs() > 1e-12 * x.norm();
        if concerns(kick, contact) && jumped {
            let Pair { a, b, .. } = contact.pair;
            let from = std::mem::replace(&mut contact.mode, ContactMode::Stick);
            contact.ceiling = 1.0;
            events.push(Event { time: state.time, a, b, id: contact.id, from, kind: EventKind::Stick });
        }
    }
    Ok(())
}

/// V += W p, and ΔKE = p·(V + ½ W p) goes to the work put in.
fn strike(model: &Model, state: &mut State, kick: &Kick) -> Result<(), Stop> {
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

//! # Kicks of slipping contacts: springs stay, limits jump
//!
//! - **in**: a state at the time of a kick
//! - **out**: the state just after, with modes that fit the forces after it
//! - **not here**: the change of momentum and its work ([`kick`](crate::run::kick))
//! - **start at** [`give`]
//!
//! Springs along a patch do not jump with the momentum. Where dampers make the normal force jump, a patch that slips is not
//! on its limit any more: it sticks with the springs it had, and what is beyond a lower limit slips at once.

use super::workspace::Workspace;
use crate::model::Model;
use crate::model::interactions::Pair;
use crate::model::load::Kick;
use crate::run::kick::{next, strike};
use crate::run::{Event, EventKind, Stop};
use crate::state::{ContactMode, ContactState, State, Stride};

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
        state.accurate.stride = Stride { h: state.accurate.stride.h.min(1e-4), column: 4 };
    }
    Ok(())
}

/// Whether a contact of the kicked body slips.
fn concerns(kick: &Kick, contact: &ContactState) -> bool {
    contact.mode == ContactMode::Slip && (contact.pair.a == kick.body || contact.pair.b == kick.body)
}

/// Notes the springs of slipping patches as they are before the kick.
fn keep_springs(model: &Model, state: &mut State, work: &mut Workspace, kick: &Kick) -> Result<(), Stop> {
    let views = work.view(model, state)?;
    for (contact, view) in state.contacts.iter_mut().zip(views) {
        if let (true, Some(touch)) = (concerns(kick, contact), &view.touch) {
            let x = touch.x();
            contact.memory.x_W = x.xyz();
            contact.memory.x_theta = x.w;
            contact.memory.nhat_W = view.shown.site.nhat_W;
        }
    }
    Ok(())
}

/// Slipping patches whose limit jumped stick, with the springs that were noted.
fn leave_limits(model: &Model, state: &mut State, work: &mut Workspace, kick: &Kick) -> Result<(), Stop> {
    work.view(model, state)?;
    let Workspace { scratch, events, .. } = work;
    for (contact, view) in state.contacts.iter_mut().zip(&scratch.views) {
        let Some(touch) = &view.touch else { continue };
        let (x, kept) = (touch.x(), &contact.memory);
        let jumped = (x.xyz() - kept.x_W).norm() + (x.w - kept.x_theta).abs() > 1e-12 * x.norm();
        if concerns(kick, contact) && jumped {
            let Pair { a, b, .. } = contact.pair;
            let from = std::mem::replace(&mut contact.mode, ContactMode::Stick);
            contact.accurate.ceiling = 1.0;
            events.push(Event { time: state.time, a, b, id: contact.id, from, kind: EventKind::Stick });
        }
    }
    Ok(())
}

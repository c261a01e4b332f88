//! # Forgiven depth: a bound on what contacts do not press for
//!
//! - **in**: a state after a step
//! - **out**: nothing, or a [`Stop`] that names the pair, the place and the depth
//! - **not here**: how a rest offset comes to be (`near::renew`, `fast::books`)
//! - **start at** [`check`]
//!
//! A contact that is found late overlaps without having been pressed. Its depth is forgiven, lest it brings energy
//! ([`ContactState::rest_offset`](crate::ContactState::rest_offset)): a body that sinks in unseen, and a thousandth of its
//! size is enough to stop for. A contact that takes over from others of its pair, a face from corners say, has no more
//! energy than they leave, and forgives the depth for which its own law would ask more: the bodies were held all the time,
//! by another law. That is told by the column `rest_offset`; it stops a run only where it is a good part of the body, as
//! where one hand-over after the other lets a body sink.

use crate::accurate::Stop;
use crate::model::Model;
use crate::state::{ContactState, State};
use fingerpad_contact::track::FaceContact;
use nalgebra::{Isometry3, Point3};

/// Share of the smaller body's size that may be forgiven to a contact that was found late.
const FOUND_LATE: f64 = 1e-3;
/// The same for one that took over from others.
const TOOK_OVER: f64 = 0.05;

/// Whether all contacts forgive little.
#[inline]
pub(crate) fn check(model: &Model, state: &State) -> Result<(), Stop> {
    state
        .contacts
        .iter()
        .filter(|contact| contact.rest_offset > 0.0)
        .try_for_each(|contact| judge(model, state, contact))
}

#[cold]
fn judge(model: &Model, state: &State, contact: &ContactState) -> Result<(), Stop> {
    let (pair, depth) = (contact.pair, contact.rest_offset);
    let share = if contact.took_over { TOOK_OVER } else { FOUND_LATE };
    let most = share * model.size(pair.a.0).min(model.size(pair.b.0));
    if depth <= most {
        return Ok(());
    }
    let frame = |i: usize| model.frame(i, &state.bodies[i].X_WBcm);
    let (X_WA, X_WB) = (frame(pair.a.0), frame(pair.b.0));
    let p_ACa = on_A(state, contact, &X_WA.inv_mul(&X_WB));
    Err(Stop::Forgiven { pair, p_W: X_WA * p_ACa, depth, most })
}

/// Where a contact is on A.
fn on_A(state: &State, contact: &ContactState, X_AB: &Isometry3<f64>) -> Point3<f64> {
    if let Some(pair) = contact.place.pair() {
        return pair.p_ACa;
    }
    let order = contact.pair.order();
    let set = state.near.iter().find(|near| near.order() == order).and_then(|near| near.set());
    let mut face = FaceContact::default();
    if let (crate::place::Place::Face(faces), Some(set)) = (&contact.place, set) {
        set.follow_face(*faces, X_AB, &mut face);
    }
    face.pair.p_ACa
}

//! # Forgiven depth: a bound on what contacts do not press for
//!
//! - **in**: a state after a step
//! - **out**: nothing, or a [`Stop`] that names the pair, the place and the depth
//! - **not here**: how a rest offset comes to be (`contacts::update`, `fixed::commit`)
//! - **start at** [`check`]
//!
//! A contact that is found late overlaps without having been pressed. Its depth is forgiven, lest it brings energy
//! ([`ContactState::rest_offset`](crate::ContactState::rest_offset)): a body that sinks in unseen. Where bodies have one place
//! to touch, a thousandth of their size is enough to stop for. Where they have several, a contact may take over from
//! others or appear beside them, a face from corners say: it has no more energy than they leave and forgives the depth for
//! which its own law would ask more, though the bodies were held all the time. That is told by the column `rest_offset` and
//! by the run's quality; it stops a run where it is a twentieth of the body, as where one hand-over after the other lets a
//! body sink.

use crate::contacts::place::Place;
use crate::model::Model;
use crate::run::Stop;
use crate::state::{ContactState, State};
use fingerpad_contact::track::FaceContact;
use nalgebra::{Isometry3, Point3};

/// Share of the smaller body's size that may be forgiven where there is one place to touch.
const FOUND_LATE: f64 = 1e-3;
/// The same where contacts may take over from each other.
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
    // Bodies with one place to touch have nothing that could take over.
    let share = if matches!(contact.place, Place::Closest(_)) { FOUND_LATE } else { TOOK_OVER };
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
    if let (Place::Face(faces), Some(set)) = (&contact.place, set) {
        set.follow_face(*faces, X_AB, &mut face);
    }
    face.pair.p_ACa
}

//! # Look: one contact of a state, where its bodies are now
//!
//! - **in**: a state, scratch that began at it
//! - **out**: gap, site and motion there; what the patch offers where it is pressed
//! - **not here**: loads, which are each stepper's own
//! - **start at** [`look`]

use super::place::{Carrier, Meeting, meet};
use super::scratch::ContactScratch;
use crate::model::Model;
use crate::model::prescribed::surface_velocity;
use crate::run::Stop;
use crate::state::State;
use fingerpad_contact::law::Grip;

/// Follows the contact of this index to the poses of the state; its grip where it is pressed.
pub(crate) fn look(
    model: &Model,
    state: &State,
    at: &mut ContactScratch,
    contact: usize,
) -> Result<(Meeting, Option<Grip>), Stop> {
    let ContactScratch { starts, places, sets, faces, .. } = at;
    let (pair, rest_offset) = (state.contacts[contact].pair, state.contacts[contact].rest_offset);
    let law = model.law(&pair);
    let [a, b] = [pair.a.0, pair.b.0].map(|i| {
        let now = &state.bodies[i];
        let V_WB = now.V_WBcm.shift(starts[i].translation.vector - now.X_WBcm.translation.vector);
        Carrier { shape: &model.bodies()[i].shape, X_WB: starts[i], V_WB }
    });
    let set = sets[contact].and_then(|near| state.near[near].set());
    let (place, face) = (&mut places[contact], &mut faces[contact]);
    let followed = place.follow(set, (a.shape, b.shape), &a.X_WB.inv_mul(&b.X_WB), face);
    followed.map_err(|error| Stop::Track { pair, error })?;
    let stop = |error| Stop::Law { pair, error };
    let mut meeting = meet(place, face, rest_offset, law, &a, &b).map_err(stop)?;
    meeting.site.v_t += meeting.site.E_W.tr_mul(&surface_velocity(model, &pair));
    if meeting.gap >= 0.0 {
        return Ok((meeting, None));
    }
    let grip = match &meeting.offer {
        Some(offer) => offer.grip,
        None => law.law.stiffness.grip(&meeting.site).map_err(stop)?,
    };
    Ok((meeting, Some(grip)))
}

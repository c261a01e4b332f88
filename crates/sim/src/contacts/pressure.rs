//! # Pressure image of one contact of a state
//!
//! `state` ──(contact, poses)──▶ **here** ──([`PressureCell`]s in the world)──▶ tactile sensors, pictures
//!
//! - **in**: a model, a state that any compliant stepper left, the index of a contact in `state.contacts`
//! - **out**: cells with place, area and elastic pressure; Σ p A is the elastic normal load of the contact
//! - **not here**: pressure over a patch, a curve, a face (`fingerpad_contact::law`); dampers, which have no area of their own
//! - **start at** [`pressure_image`]

use super::look::look;
use super::place::Place;
use super::scratch::ContactScratch;
use crate::model::Model;
use crate::run::Stop;
use crate::state::State;
use fingerpad_contact::law::{PressureCell, PressureError};

/// Why there is no image.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PressureImageError {
    /// No contact of that index.
    #[error("the state has {count} contacts, there is no contact {index}")]
    NoContact {
        /// What was asked for.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// The law has no area, or no answer.
    #[error(transparent)]
    Pressure(#[from] PressureError),
    /// The contact cannot be followed to the poses of the state.
    #[error("{0}")]
    Contact(Stop),
}

/// Pressure over one contact, as cells in the world; none where nothing is pressed. `fineness` is the number of rings of a point's
/// patch, of strips on either side of a curve, of squares along the longer side of a face. Allocates: meant for rows and
/// sensors, not for every contact of every step.
pub fn pressure_image(
    model: &Model,
    state: &State,
    index: usize,
    fineness: usize,
) -> Result<Vec<PressureCell>, PressureImageError> {
    let count = state.contacts.len();
    let contact = state.contacts.get(index).ok_or(PressureImageError::NoContact { index, count })?;
    let mut at = ContactScratch::with_room(state.bodies.len(), count);
    at.begin(model, state);
    let (meeting, grip) = look(model, state, &mut at, index).map_err(PressureImageError::Contact)?;
    let mut image = Vec::new();
    let Some(grip) = grip else { return Ok(image) };
    let law = &model.law(&contact.pair).law;
    let [a, b] = [contact.pair.a.0, contact.pair.b.0];
    let [X_WA, X_WB] = [a, b].map(|body| at.starts[body]);
    match &at.places[index] {
        Place::Closest(_) | Place::Point(_) => law.patch_pressure(&meeting.site, &grip, fineness, &mut image)?,
        Place::Face(_) => law.face_pressure(&at.faces[index], &X_WA, fineness, &mut image)?,
        Place::Strand(strand) => {
            let mut room = law.strand_room();
            let [a, b] = [a, b].map(|body| &model.bodies()[body].shape);
            strand.find(a, b, &X_WA.inv_mul(&X_WB), 0.0, &mut room);
            law.strand_pressure(strand, &room, &X_WA, &X_WB, fineness, &mut image)?;
        }
    }
    Ok(image)
}

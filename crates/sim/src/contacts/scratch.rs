//! # Scratch: where the contacts of a state are while a stepper looks at them
//!
//! - **in**: a model and a state
//! - **out**: places that can be followed from pose to pose without touching the state
//! - **start at** [`ContactScratch::begin`]

use super::Tracked;
use super::place::Place;
use crate::model::Model;
use crate::state::State;
use fingerpad_contact::track::FaceContact;
use nalgebra::Isometry3;

/// Copies of the places of a state's contacts; losing them loses nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactScratch {
    /// Poses of the body frames at the start of the step.
    pub starts: Vec<Isometry3<f64>>,
    /// Where contacts are.
    pub places: Vec<Place>,
    /// Where they go back to within a step: its start, or a search made since.
    pub anchors: Vec<Place>,
    /// Near pair of each contact that is one of several.
    pub sets: Vec<Option<usize>>,
    /// Room for the faces of each contact.
    pub faces: Vec<FaceContact>,
}

impl ContactScratch {
    /// Scratch for so many bodies and contacts.
    pub fn with_room(bodies: usize, contacts: usize) -> Self {
        Self {
            starts: Vec::with_capacity(bodies),
            places: Vec::with_capacity(contacts),
            anchors: Vec::with_capacity(contacts),
            sets: Vec::with_capacity(contacts),
            faces: vec![FaceContact::default(); contacts],
        }
    }

    /// A step begins at this state; what follows depends on it alone.
    pub fn begin(&mut self, model: &Model, state: &State) {
        self.starts.clear();
        self.starts.extend(state.bodies.iter().enumerate().map(|(i, body)| model.frame(i, &body.X_WBcm)));
        self.anchors.clear();
        self.anchors.extend(state.contacts.iter().map(|contact| contact.place));
        self.places.clone_from(&self.anchors);
        let count = state.contacts.len();
        if self.faces.len() < count {
            self.faces.resize_with(count, FaceContact::default);
        }
        // Both lists are in order of the bodies.
        let mut at = 0;
        self.sets.clear();
        self.sets.extend(state.contacts.iter().map(|contact| {
            let order = contact.pair.order();
            while state.near.get(at).is_some_and(|near| near.order() < order) {
                at += 1;
            }
            let near = state.near.get(at).filter(|near| near.order() == order)?;
            matches!(near.tracked, Tracked::Several(_)).then_some(at)
        }));
    }
}

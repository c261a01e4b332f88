//! # Renewal: near pairs and contacts after a step
//!
//! - **in**: a state whose bodies have moved; what its contacts store
//! - **out**: the same state with its lists renewed
//! - **start at** [`renew`]
//!
//! Contacts that end leave their sums to [`Spent`](crate::state::Spent). What they still hold along the patch is let go;
//! what they, and those born pressed, change of the energy of pressing is no motion's doing and has a line of its own.

use super::{Broad, NearPair, Tracked, is_closest, limits};
use crate::accurate::Stop;
use crate::contact::{books_modulation, pressed_mode};
use crate::interactions::Pair;
use crate::model::Model;
use crate::place::{Carrier, Place, meet};
use crate::state::{ContactMode, ContactState, Spent, State};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::track::{Contact, ContactSet, FaceContact, TrackError, Tracker};
use nalgebra::Isometry3;

/// Renews near pairs and contacts at the present poses. `held` says what the contact of an index in the list so far
/// stores by pressing and along the patch (J), at these poses.
///
/// Allocates only where lists grow beyond what they were, where pairs with several contacts become near, and where those
/// are searched for.
pub(crate) fn renew(
    model: &Model,
    state: &mut State,
    broad: &mut Broad,
    held: impl Fn(usize, &ContactState) -> (f64, f64),
) -> Result<(), Stop> {
    broad.look(model, &state.bodies);
    renew_pairs(model, state, broad)?;
    renew_contacts(model, state, broad, held)
}

fn renew_pairs(model: &Model, state: &mut State, broad: &mut Broad) -> Result<(), Stop> {
    std::mem::swap(&mut state.near, &mut broad.near);
    state.near.clear();
    let mut old = broad.near.drain(..).peekable();
    for &(i, j, within) in &broad.found {
        // Both lists are in order of the bodies.
        while old.next_if(|near| near.order() < (i, j)).is_some() {}
        let before = old.next_if(|near| near.order() == (i, j));
        if !within && before.is_none() {
            continue;
        }
        let Some(pair) = model.between(i, j) else { continue };
        let (a, b) = (&model.bodies()[pair.a.0].shape, &model.bodies()[pair.b.0].shape);
        let X_AB = broad.frames[pair.a.0].inv_mul(&broad.frames[pair.b.0]);
        let stop = |error: TrackError| Stop::Track { pair, error };
        let tracked = match before.map(|near| near.tracked) {
            Some(Tracked::Several(mut set)) => {
                set.update(a, b, &X_AB).map_err(stop)?;
                Tracked::Several(set)
            }
            Some(Tracked::Closest) => Tracked::Closest,
            None if is_closest(model.law(&pair).places, a, b) => Tracked::Closest,
            None => Tracked::Several(Box::new(ContactSet::new(a, b, &X_AB, limits(a, b)).map_err(stop)?)),
        };
        state.near.push(NearPair { pair, tracked });
    }
    Ok(())
}

fn renew_contacts(
    model: &Model,
    state: &mut State,
    broad: &mut Broad,
    held: impl Fn(usize, &ContactState) -> (f64, f64),
) -> Result<(), Stop> {
    let State { near, contacts, spent, .. } = state;
    let Broad { frames, contacts: last, room, .. } = broad;
    std::mem::swap(contacts, last);
    contacts.clear();
    let mut old = last.drain(..).enumerate().peekable();
    let end = |spent: &mut Spent, (i, contact): (usize, ContactState)| {
        let law = &model.law(&contact.pair).law;
        spent.take(&contact, held(i, &contact), books_modulation(law, &contact.place));
    };
    for near in near.iter() {
        let (a, b) = near.order();
        for (id, place) in Listed::of(near) {
            while let Some(ended) = old.next_if(|(_, c)| c.order() < (a, b, id)) {
                end(spent, ended);
            }
            let before = old.next_if(|(_, c)| c.order() == (a, b, id));
            contacts.push(match (before, place) {
                // Followed by its own tracker.
                (Some((_, contact)), None) => contact,
                (Some((i, mut contact)), Some(place)) => {
                    contact.place = place;
                    if contact.mode != ContactMode::Free {
                        // The set found what was followed, but for rounding and places that were lost on the way.
                        let jump = pressing(model, frames, near, &place, room)?.1 - held(i, &contact).0;
                        contact.stored += jump;
                        spent.E_num -= jump;
                    }
                    contact
                }
                (None, place) => {
                    let place = place.map_or_else(|| closest(model, frames, &near.pair), Ok)?;
                    let mut contact = ContactState::free(near.pair, id, place);
                    let (gap, energy) = pressing(model, frames, near, &place, room)?;
                    if gap < 0.0 {
                        contact.mode = pressed_mode(&model.law(&near.pair).law);
                        contact.stored = energy;
                        spent.E_num -= energy;
                    }
                    contact
                }
            });
        }
    }
    old.for_each(|ended| end(spent, ended));
    Ok(())
}

fn closest(model: &Model, frames: &[Isometry3<f64>], pair: &Pair) -> Result<Place, Stop> {
    let (a, b) = (&model.bodies()[pair.a.0].shape, &model.bodies()[pair.b.0].shape);
    let X_AB = frames[pair.a.0].inv_mul(&frames[pair.b.0]);
    Tracker::new(a, b, &X_AB).map(Place::Closest).map_err(|error| Stop::Track { pair: *pair, error })
}

/// Gap (m) and energy of pressing (J) at a place that belongs to these poses.
fn pressing(
    model: &Model,
    frames: &[Isometry3<f64>],
    near: &NearPair,
    place: &Place,
    room: &mut FaceContact,
) -> Result<(f64, f64), Stop> {
    let pair = near.pair;
    let [a, b] = [pair.a.0, pair.b.0].map(|i| Carrier {
        shape: &model.bodies()[i].shape,
        X_WB: frames[i],
        V_WB: SpatialVelocity::zero(),
    });
    if let (Place::Face(_), Some(set)) = (place, near.set()) {
        let mut place = *place;
        place
            .follow(Some(set), (a.shape, b.shape), &a.X_WB.inv_mul(&b.X_WB), room)
            .map_err(|error| Stop::Track { pair, error })?;
    }
    let law = model.law(&pair);
    let stop = |error| Stop::Law { pair, error };
    let meeting = meet(place, room, law, &a, &b).map_err(stop)?;
    if meeting.gap >= 0.0 {
        return Ok((meeting.gap, 0.0));
    }
    let grip = meeting.offer.map_or_else(|| law.law.stiffness.grip(&meeting.site), |offer| Ok(offer.grip));
    Ok((meeting.gap, grip.map_err(stop)?.energy))
}

/// The contacts of a near pair in order of their identities; no place for the one that has its own tracker.
struct Listed<'a> {
    single: bool,
    points: &'a [Contact],
    faces: &'a [FaceContact],
}

impl<'a> Listed<'a> {
    fn of(near: &'a NearPair) -> Self {
        match &near.tracked {
            Tracked::Closest => Self { single: true, points: &[], faces: &[] },
            Tracked::Several(set) => Self { single: false, points: set.contacts(), faces: set.faces() },
        }
    }
}

impl Iterator for Listed<'_> {
    type Item = (u64, Option<Place>);

    fn next(&mut self) -> Option<Self::Item> {
        if std::mem::take(&mut self.single) {
            return Some((0, None));
        }
        let take_point = match (self.points.first(), self.faces.first()) {
            (Some(point), Some(face)) => point.id < face.id,
            (point, _) => point.is_some(),
        };
        if take_point {
            let (point, rest) = self.points.split_first()?;
            self.points = rest;
            return Some((point.id, Some(Place::Point(*point))));
        }
        let (face, rest) = self.faces.split_first()?;
        self.faces = rest;
        Some((face.id, Some(Place::Face(face.faces))))
    }
}

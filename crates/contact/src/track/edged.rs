//! # Edged: the point contacts of bodies with corners
//!
//! - **in**: two of half-space, rounded box, cylinder, capsule, at least one of them with faces
//! - **out**: every place where a corner or rim of one stands on a face of the other, and the closest pair
//! - **not here**: identity and hysteresis ([`contacts`](super::contacts)); faces on faces ([`faces`](super::faces))
//! - **start at** [`Edged`]

use super::faces::{Bumper, LiveFaces, bumpers_of, stand, touch};
use super::{ClosestPair, Contact, TrackError, Tracker, TrackerEvent};
use crate::surface::Shape;
use nalgebra::Isometry3;

/// What touches at a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Key {
    /// A local minimum of the distance.
    Smooth,
    /// A corner or rim of body 0 (A) or 1 (B) on a face of the other.
    Corner { body: u8, bumper: u32, face: u32 },
    /// The closest pair of all.
    Closest,
    /// A corner or rim of body 0 (A) or 1 (B) anywhere on the other.
    Tip { body: u8, tip: u32 },
    /// The lowest vertex of body 0 (A) or 1 (B), a mesh, over the other, a half-space, where its surface has no lowest point.
    Low { body: u8, vertex: u32 },
}

/// A place that may be a contact.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub key: Key,
    pub pair: ClosestPair,
}

/// Corners of two bodies, and what of them touches.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Edged {
    bumpers: [Vec<Bumper>; 2],
    /// The closest pair; none while a face is live, or where flat on flat has none that Newton accepts.
    closest: Option<Tracker>,
    /// Found by the last update.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub found: Vec<Place>,
    /// Contacts whose corner is gone, and how far their place can have moved (m).
    #[cfg_attr(feature = "serde", serde(skip))]
    pub ended: Vec<(Contact, f64)>,
}

impl PartialEq for Edged {
    /// What the last update found on its way does not count.
    fn eq(&self, other: &Self) -> bool {
        self.bumpers == other.bumpers && self.closest == other.closest
    }
}

impl Edged {
    /// The corners of a pair, if both bodies are of the kinds this room knows and one of them has faces.
    pub fn new(a: &Shape, b: &Shape, faces: &LiveFaces) -> Option<Self> {
        let known = |s: &Shape| {
            matches!(s, Shape::HalfSpace(_) | Shape::RoundedBox(_) | Shape::Cylinder(_) | Shape::Capsule(_))
        };
        let bumpers = [bumpers_of(a), bumpers_of(b)];
        let stands = |k: usize| !bumpers[k].is_empty() && !faces.faces[1 - k].is_empty();
        if !known(a) || !known(b) || !(stands(0) || stands(1)) {
            return None;
        }
        Some(Self { bumpers, closest: None, found: Vec::new(), ended: Vec::new() })
    }

    /// A known corner at a pose, as long as there is one.
    pub fn stand(
        &self,
        (body, bumper, face): (u8, u32, u32),
        X_AB: &Isometry3<f64>,
        faces: &LiveFaces,
    ) -> Option<ClosestPair> {
        let bumper = &self.bumpers[usize::from(body)][bumper as usize];
        let face = &faces.faces[usize::from(1 - body)][face as usize];
        if body == 1 {
            return stand(face, bumper, X_AB);
        }
        let X_BA = X_AB.inverse();
        stand(face, bumper, &X_BA).map(|pair| pair.swapped(&X_BA))
    }

    /// Finds every place at a pose; says whether the closest pair had to be searched for.
    pub fn update(
        &mut self,
        a: &Shape,
        b: &Shape,
        X_AB: &Isometry3<f64>,
        faces: &LiveFaces,
        size: f64,
        merge: f64,
    ) -> Result<bool, TrackError> {
        self.found.clear();
        let X_BA = X_AB.inverse();
        for body in 0..2 {
            let (other, X) = if body == 1 { (a, X_AB) } else { (b, &X_BA) };
            for (i, face) in faces.faces[1 - body].iter().enumerate() {
                for (k, bumper) in self.bumpers[body].iter().enumerate() {
                    let Some(pair) = touch(other, face, bumper, X, size) else { continue };
                    let pair = if body == 1 { pair } else { pair.swapped(X) };
                    let key = Key::Corner { body: body as u8, bumper: k as u32, face: i as u32 };
                    // A corner on a corner is seen from both sides.
                    let new = |other: &Place| (other.pair.p_ACa - pair.p_ACa).norm() > merge;
                    if self.found.iter().all(new) {
                        self.found.push(Place { key, pair });
                    }
                }
            }
        }
        // On a face the closest pair is any of an area, and Newton has nothing to follow.
        if !faces.contacts.is_empty() {
            self.closest = None;
            return Ok(false);
        }
        let followed = match &mut self.closest {
            Some(tracker) => tracker.update(a, b, X_AB).map(|event| event == TrackerEvent::Followed),
            None => Tracker::new(a, b, X_AB).map(|tracker| {
                self.closest = Some(tracker);
                false
            }),
        };
        let followed = match followed {
            // Faces near each other but not in contact, say: the corners are all there is.
            Err(TrackError::NoPair { .. }) => {
                self.closest = None;
                return Ok(true);
            }
            other => other?,
        };
        let Some(pair) = self.closest.as_ref().map(|tracker| *tracker.pair()) else { return Ok(true) };
        let new = self.found.iter().all(|place| (place.pair.p_ACa - pair.p_ACa).norm() > merge);
        // In the middle of a line or an area whose ends are there already it adds nothing.
        if new && (self.found.is_empty() || pair.is_isolated()) {
            self.found.push(Place { key: Key::Closest, pair });
        }
        Ok(!followed)
    }
}

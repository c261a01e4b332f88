//! # Follow: what becomes of the contacts of a pair at a new pose
//!
//! - **in**: the set as it was, a new pose
//! - **out**: contacts that went on, ended, merged or were born
//! - **not here**: where else the bodies may touch ([`search`](super::search)); one place ([`contact`](super::contact))
//! - **start at** `follow_smooth`; `follow_tips` for corners and rims, `follow_edged` for bodies with corners on faces

use super::contact::{Contact, Followed, travel};
use super::search::{Held, Waiting};
use super::{ContactChanges, ContactLimits, ContactSet};
use crate::surface::Shape;
use crate::track::edged::{Edged, Key, Place};
use crate::track::local::EXPLAINED;
use crate::track::refine::{Tolerance, refine};
use crate::track::tips::{Counts, Tips, is_clear};
use crate::track::{ClosestPair, TrackError, hollow};
use nalgebra::Isometry3;

/// How far a ball that rolls freely goes before that is proven again, as a share of its radius.
const FREE: f64 = 0.15;

/// What lies within this share of the smaller body's radius of a lowest vertex is the same place.
pub(super) const LOW_REACH: f64 = 0.06;

impl ContactSet {
    /// A corner or rim at a pose, and whether it counts; looked for near the place where it `was`.
    pub(super) fn tip(
        &self,
        body: u8,
        tip: u32,
        was: Option<&ClosestPair>,
        a: &Shape,
        b: &Shape,
        X_AB: &Isometry3<f64>,
    ) -> Option<(ClosestPair, Counts)> {
        let tips = &self.tips[usize::from(body)];
        if body == 1 {
            let placed = tips.place(tip as usize, a, X_AB, was.map(|pair| &pair.p_ACa))?;
            return Some((placed.pair, placed.counts));
        }
        let X_BA = X_AB.inverse();
        let placed = tips.place(tip as usize, b, &X_BA, was.map(|pair| &pair.p_BCb))?;
        Some((placed.pair.swapped(&X_BA), placed.counts))
    }

    /// Corners and rims at a new pose, bodies having moved by `moved` (m): those that stand go on, others end, and new ones
    /// are born. Whether something else must be there now: one ended that did not leave the surface.
    pub(super) fn follow_tips(
        &mut self,
        a: &Shape,
        b: &Shape,
        X_AB: &Isometry3<f64>,
        moved: f64,
    ) -> (ContactChanges, bool) {
        let mut changes = ContactChanges::default();
        if self.tips.iter().all(Tips::is_empty) {
            return (changes, false);
        }
        let ContactLimits { birth, death, merge, .. } = self.within();
        let mut standing = std::mem::take(&mut self.standing);
        standing.list.clear();
        for body in 0..2_u8 {
            let (other, X) = if body == 1 { (a, *X_AB) } else { (b, X_AB.inverse()) };
            let tips = &self.tips[usize::from(body)];
            for tip in 0..tips.len() {
                if tips.centre(tip).is_some_and(|(centre, radius)| is_clear(other, &(X * centre), radius + death)) {
                    continue;
                }
                let key = Key::Tip { body, tip: tip as u32 };
                let was = self.contacts.iter().find(|contact| contact.key == key).map(|contact| &contact.pair);
                let found = self.tip(body, tip as u32, was, a, b, X_AB);
                standing.list.extend(found.map(|(pair, counts)| (Place { key, pair }, counts)));
            }
        }
        let found = &mut standing.list;
        let (faces, strands) = (&self.faces, &self.strands);
        found.retain(|(place, counts)| {
            place.pair.gap <= death
                && *counts >= Counts::Still
                && !faces.hold_corner(&place.pair, merge)
                && !strands.hold(&place.pair, X_AB)
        });

        let (before, mut exposed) = (self.contacts.len(), false);
        self.contacts.retain_mut(|contact| {
            if !matches!(contact.key, Key::Tip { .. }) {
                return true;
            }
            let same = found.iter().position(|(place, _)| place.key == contact.key);
            if let Some(k) = same {
                contact.pair = found.swap_remove(k).0.pair;
            }
            exposed |= same.is_none() && contact.pair.gap <= birth;
            same.is_some()
        });
        changes.dropped = before - self.contacts.len();
        found.retain(|(place, counts)| place.pair.gap <= birth && *counts == Counts::Yes);
        found.sort_unstable_by_key(|(place, _)| place.key);
        for (place, _) in found.iter() {
            // A place on an edge that has come to its corner goes on as the corner.
            let heir = self.contacts.iter_mut().find(|old| {
                let reach = travel(&old.pair, moved).min(0.1 * self.size) + merge;
                old.key == Key::Smooth && (old.pair.p_ACa - place.pair.p_ACa).norm() <= reach
            });
            if let Some(old) = heir {
                *old = Contact::new(old.id, place.pair, place.key);
                continue;
            }
            self.contacts.push(Contact::new(self.next_id, place.pair, place.key));
            self.next_id += 1;
            changes.born += 1;
        }
        self.contacts.sort_unstable_by_key(|contact| contact.id);
        self.standing = standing;
        (changes, exposed)
    }

    /// Contacts of bodies without corners of their own; `exposed`: a face contact has ended.
    pub(super) fn follow_smooth(
        &mut self,
        a: &Shape,
        b: &Shape,
        X_AB: &Isometry3<f64>,
        exposed: bool,
    ) -> Result<ContactChanges, TrackError> {
        let merge = self.limits.merge;
        let moved = self.motion.since_last(X_AB);
        self.path += self.motion.nearer_since_last(X_AB);
        let (mut changes, left) = self.follow_tips(a, b, X_AB, moved);
        let (path, limits, faces, strands) = (self.path, self.within(), &self.faces, &self.strands);

        // Follow contacts, and those waiting pairs that may have become contacts.
        let mut lost = exposed || left;
        let tips = Held { tips: &self.tips, least: self.known(), slack: EXPLAINED * self.size };
        self.waiting.retain_mut(|waiting| {
            if waiting.touch - limits.birth > path {
                return true;
            }
            match refine(a, b, X_AB, waiting.pair.p_ACa, waiting.pair.p_BCb, Tolerance::default()) {
                Ok(pair) => {
                    *waiting = Waiting { pair, touch: path + pair.gap };
                    true
                }
                Err(_) => {
                    // Corners stand for it, on a line or an area.
                    lost |= !tips.hold(&waiting.pair, X_AB);
                    false
                }
            }
        });
        let before = self.contacts.len();
        let (waiting, size) = (&mut self.waiting, self.size);
        self.contacts.retain_mut(|contact| match contact.follow(a, b, X_AB, moved, size) {
            Followed::Tip => true,
            Followed::Low((key, pair)) => {
                *contact = Contact::new(contact.id, pair, key);
                pair.gap <= limits.death && !faces.hold(&pair, merge) && !strands.hold(&pair, X_AB)
            }
            Followed::To(pair) => {
                // A jump to another place is not this contact any more.
                let near = (pair.p_ACa - contact.pair.p_ACa).norm() <= travel(&contact.pair, moved) + merge;
                contact.step_to(pair);
                lost |= !near;
                if near && pair.gap > limits.death {
                    // Still a local pair: it may come back before the next search.
                    waiting.push(Waiting { pair, touch: path + pair.gap });
                }
                near && pair.gap <= limits.death
                    && !faces.hold(&pair, merge)
                    && !strands.hold(&pair, X_AB)
                    && !tips.hold(&pair, X_AB)
            }
            Followed::Lost => {
                lost = true;
                false
            }
        });
        changes.dropped += before - self.contacts.len();
        changes.merged = self.merge();
        changes.born += self.offer_edges(a, b, X_AB);

        // A waiting pair that has come close enough is born; else a search, when something new could be near.
        let due = lost || self.motion.since_start(X_AB) >= self.seen;
        if due && !lost && self.is_alone(a, b) {
            // Nothing else can be near, wherever it has come to and goes.
            self.motion.restart(X_AB);
            self.seen = FREE * self.size;
        } else if due {
            changes.born += self.search(a, b, X_AB)?;
            changes.searched = true;
        } else {
            changes.born += self.admit(a, b, X_AB);
        }
        Ok(changes)
    }

    /// Points that have come to lie along an edge are one contact with it; how many were born.
    fn offer_edges(&mut self, a: &Shape, b: &Shape, X_AB: &Isometry3<f64>) -> usize {
        if !self.strands.edges {
            return 0;
        }
        let (near, before) = (self.near(), self.strands.contacts.len());
        for contact in self.contacts.iter().filter(|contact| contact.key == Key::Smooth) {
            self.strands.offer((a, b), X_AB, &contact.pair, near, &mut self.next_id);
        }
        let (born, strands) = (self.strands.contacts.len() - before, &self.strands);
        if born > 0 {
            self.contacts.retain(|contact| !strands.hold(&contact.pair, X_AB));
        }
        born
    }

    /// Whether the only contact is certainly the only place until the bodies have moved by [`FREE`]: a ball on a height whose
    /// hollows are wider than the ball.
    fn is_alone(&mut self, a: &Shape, b: &Shape) -> bool {
        let [Contact { pair, key: Key::Smooth, .. }] = &self.contacts[..] else { return false };
        let (hollows, way) = (&mut self.hollows, FREE * self.size);
        let (ground, ball, p) = match (a, b) {
            (ground, Shape::Sphere(_)) => (ground, b, &pair.p_ACa),
            (Shape::Sphere(_), ground) => (ground, a, &pair.p_BCb),
            _ => return false,
        };
        match ground {
            Shape::Elevation(map) => hollow::rolls_freely(map, ball, p, pair.gap, way, hollows),
            Shape::Graph(graph) => hollow::rolls_freely_on(graph, ball, p, pair.gap, way),
            _ => false,
        }
    }

    /// Contacts that have run into an older one are one with it; returns how many. A vertex that lies lowest is one with
    /// whatever is near it: it has come downhill.
    fn merge(&mut self) -> usize {
        let (before, merge) = (self.contacts.len(), self.limits.merge);
        let reach = |contact: &Contact| if contact.is_low() { LOW_REACH * self.size } else { merge };
        let mut kept = 0;
        for k in 0..before {
            let contact = self.contacts[k];
            let within = reach(&contact);
            let apart = |other: &Contact| (other.pair.p_ACa - contact.pair.p_ACa).norm() > within.max(reach(other));
            if self.contacts[..kept].iter().all(apart) {
                self.contacts[kept] = contact;
                kept += 1;
            }
        }
        self.contacts.truncate(kept);
        before - kept
    }

    /// Contacts of bodies with corners: every corner on a face, and the closest pair if that is something else.
    pub(super) fn follow_edged(
        &mut self,
        edged: &mut Edged,
        a: &Shape,
        b: &Shape,
        X_AB: &Isometry3<f64>,
    ) -> Result<ContactChanges, TrackError> {
        let mut changes = ContactChanges::default();
        let merge = self.limits.merge;
        let moved = self.motion.since_last(X_AB);
        changes.searched = edged.update(a, b, X_AB, &self.faces, self.size, merge)?;
        let near = self.near();
        for place in edged.found.iter().filter(|place| place.key == Key::Closest) {
            changes.born += usize::from(self.strands.offer((a, b), X_AB, &place.pair, near, &mut self.next_id));
        }
        let faces = &self.faces;
        let held = |Place { key, pair }: &Place| match key {
            Key::Corner { .. } => faces.hold_corner(pair, merge),
            _ => faces.hold(pair, merge),
        };
        edged.found.retain(|place| !held(place) && !self.strands.hold(&place.pair, X_AB));

        // Known corners go on; the others end, but whatever is found at the same place may take over.
        let ContactLimits { birth, death, .. } = self.within();
        let (before, mut points) = (self.contacts.len(), 0);
        edged.ended.clear();
        let (found, ended) = (&mut edged.found, &mut edged.ended);
        self.contacts.retain_mut(|contact| {
            let reach = travel(&contact.pair, moved) + merge;
            let same = found
                .iter()
                .position(|place| place.key == contact.key && (place.pair.p_ACa - contact.pair.p_ACa).norm() <= reach);
            if let Some(k) = same {
                let place = found.swap_remove(k);
                contact.pair = place.pair;
                return place.pair.gap <= death;
            }
            ended.push((*contact, reach));
            false
        });
        found.sort_unstable_by_key(|place| place.key);
        for place in found.iter().filter(|place| place.pair.gap <= death) {
            let heir = ended.iter().position(|(old, reach)| (old.pair.p_ACa - place.pair.p_ACa).norm() <= *reach);
            let id = match heir {
                Some(k) => ended.swap_remove(k).0.id,
                None if place.pair.gap <= birth => {
                    self.next_id += 1;
                    points += 1;
                    self.next_id - 1
                }
                None => continue,
            };
            self.contacts.push(Contact::new(id, place.pair, place.key));
        }
        self.contacts.sort_unstable_by_key(|contact| contact.id);
        changes.dropped = before + points - self.contacts.len();
        changes.born += points;
        Ok(changes)
    }
}

/// Room for an update: corners and rims that stand on the other body.
#[derive(Clone, Debug, Default)]
pub(super) struct Standing {
    list: Vec<(Place, Counts)>,
}

impl PartialEq for Standing {
    /// Room for an update does not count.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

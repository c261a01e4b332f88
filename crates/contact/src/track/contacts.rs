//! # Contacts: all places where two bodies touch, followed with their identity
//!
//! - **in**: two shapes, their pose, and how near counts as a contact
//! - **out**: a list of [`Contact`]s, each with an identity that lives as long as the contact
//! - **not here**: the single closest pair ([`Tracker`](super::Tracker)); what the contacts do (laws)
//! - **assumes**: bodies move little between updates
//! - **start at** [`ContactSet::new`], then [`ContactSet::update`]
//!
//! A ball in a groove, a peg in a ring, a handle on a bar: bodies with hollows touch in several places at once.
//! Every place is a local minimum of the distance and is followed by Newton. New ones are searched for, but not at
//! every update: a search finds all local pairs with gaps up to the birth distance *plus a look-ahead*; no other
//! pair can come down to the birth distance before some point of the smaller body has moved by the look-ahead.
//!
//! Contacts are born at a gap below `birth` and dropped above `death` > `birth`, so that a contact at the limit does
//! not flicker.
//!
//! **Faces.** Where flat parts lie on each other, within a few degrees, the contact is their shared region
//! ([`ContactSet::faces`]), and points inside it are not listed. Tilted further, bodies with corners (half-space, rounded
//! box, cylinder, capsule) touch at each corner or rim that stands on a face; an edge along a face is its two ends. Beyond
//! that their closest pair counts, if it is isolated. The angle has a hysteresis ([`FaceLimits`]).

use super::edged::{Edged, Key};
use super::faces::{FaceContact, FaceLimits, LiveFaces, Near};
use super::motion::Motion;
use super::refine::{Tolerance, refine};
use super::seed::{body_size, closest_points, local_pairs};
use super::{ClosestPair, TrackError, direct, finite_pose};
use crate::surface::Shape;
use nalgebra::{Isometry3, Vector3};

/// One place where two bodies touch or nearly touch.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Contact {
    /// Counts up from 0 within a set, together with the face contacts; never used twice.
    pub id: u64,
    /// The local closest pair.
    pub pair: ClosestPair,
    /// What touches, for bodies with corners.
    pub(super) key: Key,
    /// How both points moved over their bodies in the last two updates.
    strides: [[Vector3<f64>; 2]; 2],
}

impl Contact {
    fn new(id: u64, pair: ClosestPair, key: Key) -> Self {
        Self { id, pair, key, strides: [[Vector3::zeros(); 2]; 2] }
    }

    /// The local pair at a new pose, bodies having moved by `moved` (m): Newton from where the last points lead, or else
    /// from the points themselves.
    fn follow(&self, a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, moved: f64) -> Option<ClosestPair> {
        let [p, q] = [0, 1].map(|k| self.strides[k][0] * 2.0 - self.strides[k][1]);
        // A gap changes by no more than the bodies move; what changes more is another place.
        let most = moved * (1.0 + 1e-6) + 1e-12;
        let from = |p_A, p_B| {
            let found = refine(a, b, X_AB, p_A, p_B, Tolerance::default()).ok();
            found.filter(|pair| (pair.gap - self.pair.gap).abs() <= most)
        };
        from(self.pair.p_ACa + p, self.pair.p_BCb + q).or_else(|| from(self.pair.p_ACa, self.pair.p_BCb))
    }

    /// Takes the next pair.
    fn step_to(&mut self, pair: ClosestPair) {
        for (strides, stride) in
            self.strides.iter_mut().zip([pair.p_ACa - self.pair.p_ACa, pair.p_BCb - self.pair.p_BCb])
        {
            let last = strides[0];
            *strides = if last == Vector3::zeros() {
                [stride; 2]
            } else if (stride - last).norm() > 0.5 * last.norm() {
                // Over a ridge, or the bodies turned round: nothing to go by.
                [Vector3::zeros(); 2]
            } else {
                [stride, last]
            };
        }
        self.pair = pair;
    }
}

/// A local pair that is not a contact, and when to look at it again.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Waiting {
    pair: ClosestPair,
    /// Length of the bodies' path from which on the gap may be below birth (m).
    wake: f64,
}

/// When contacts begin and end.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactLimits {
    /// A pair with a smaller gap becomes a contact (m).
    pub birth: f64,
    /// A contact with a larger gap is dropped (m); above `birth`.
    pub death: f64,
    /// How far beyond `birth` a search looks, so that it need not be repeated soon (m).
    pub look_ahead: f64,
    /// Contacts closer together than this are one (m).
    pub merge: f64,
}

impl ContactLimits {
    /// Limits for bodies of this size (m): born at contact, dropped at 0.1 % of the size.
    pub fn for_size(size: f64) -> Self {
        Self { birth: 0.0, death: 1e-3 * size, look_ahead: 0.05 * size, merge: 1e-4 * size }
    }
}

/// What an update did to the set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContactChanges {
    /// Contacts born.
    pub born: usize,
    /// Contacts dropped: too far apart, or no longer a local minimum.
    pub dropped: usize,
    /// Contacts that ran into an older one and are one with it now.
    pub merged: usize,
    /// Whether new contacts were searched for.
    pub searched: bool,
}

/// All contacts of one pair of bodies.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactSet {
    limits: ContactLimits,
    contacts: Vec<Contact>,
    faces: LiveFaces,
    /// Corners and rims, if that is what these bodies touch with.
    edged: Option<Edged>,
    /// Local pairs seen by the last search that are not (or no longer) contacts.
    waiting: Vec<Waiting>,
    /// Length of the bodies' path since the beginning, as far as any point of the smaller body has moved (m).
    path: f64,
    next_id: u64,
    motion: Motion,
    /// How far the bodies may move before the next search (m).
    seen: f64,
    size: f64,
}

impl ContactSet {
    /// The contacts at a first pose.
    pub fn new(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, limits: ContactLimits) -> Result<Self, TrackError> {
        Self::with_face_limits(a, b, X_AB, limits, FaceLimits::default())
    }

    /// The same with other angles for faces.
    pub fn with_face_limits(
        a: &Shape,
        b: &Shape,
        X_AB: &Isometry3<f64>,
        limits: ContactLimits,
        face_limits: FaceLimits,
    ) -> Result<Self, TrackError> {
        finite_pose(X_AB)?;
        let faces = LiveFaces::new(a, b, face_limits);
        let mut set = Self {
            limits,
            contacts: Vec::new(),
            edged: Edged::new(a, b, &faces),
            faces,
            waiting: Vec::new(),
            path: 0.0,
            next_id: 0,
            motion: Motion::new(a, b, X_AB),
            seen: limits.look_ahead,
            size: body_size(a, b),
        };
        set.faces.update(a, b, X_AB, set.near(), &mut set.next_id);
        if set.edged.is_some() {
            set.update(a, b, X_AB)?;
        } else {
            set.search(a, b, X_AB)?;
        }
        Ok(set)
    }

    /// The point contacts now, oldest first. Places inside a face contact are not among them.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// The face contacts now, oldest first.
    pub fn faces(&self) -> &[FaceContact] {
        &self.faces.contacts
    }

    /// When contacts begin and end.
    pub fn limits(&self) -> &ContactLimits {
        &self.limits
    }

    /// Follows a copy of one contact of this set to a pose nearby, the set staying as it is: for methods that look at
    /// many poses before they settle on one. A corner is followed over the plane of its face, so that its gap is smooth
    /// beyond the face's end too. `false`, and the contact as it was, where the place is lost.
    pub fn follow_point(&self, contact: &mut Contact, a: &Shape, b: &Shape, X_AB: &Isometry3<f64>) -> bool {
        let newton = || refine(a, b, X_AB, contact.pair.p_ACa, contact.pair.p_BCb, Tolerance::default()).ok();
        let found = match (contact.key, &self.edged) {
            (Key::Corner { body, bumper, face }, Some(edged)) => edged.stand((body, bumper, face), X_AB, &self.faces),
            (Key::Closest, _) => direct::closest(a, b, X_AB).map_or_else(newton, Result::ok),
            _ => newton(),
        };
        // Elsewhere on the bodies is another place.
        let near = |pair: &ClosestPair| {
            pair.nhat_AB_A.dot(&contact.pair.nhat_AB_A) > 0.8
                && (pair.p_ACa - contact.pair.p_ACa).norm() < 0.2 * self.size
        };
        let found = found.filter(near);
        if let Some(pair) = found {
            contact.pair = pair;
        }
        found.is_some()
    }

    /// The contact of two faces of this set (as numbered by [`faces_of`](super::faces_of)) at a pose, whatever their gap,
    /// made in place; `false` if they share nothing or are far from parallel. Allocates only where `room` grows.
    pub fn follow_face(&self, faces: [usize; 2], X_AB: &Isometry3<f64>, room: &mut FaceContact) -> bool {
        room.faces = faces;
        room.follow(&self.faces.faces[0][faces[0]], &self.faces.faces[1][faces[1]], X_AB, 0.2)
    }

    /// Whether faces of this set that are no contact come near to parallel on the way from one pose to another: then the
    /// list is out of date.
    pub fn faces_turn_to(&self, from: &Isometry3<f64>, to: &Isometry3<f64>) -> bool {
        self.faces.turn_to(from, to)
    }

    /// Lets go of contacts whose place is about to vanish, and searches anew; whether there were any.
    ///
    /// A local minimum of the distance ends where a saddle runs into it: det M falls to zero as the square root of the time
    /// left, and the points run ever faster. Whoever follows them in time cannot come nearer; here they end where det M is
    /// below `share` of tr(A + B)². Rings that lie on uneven ground do this.
    pub fn let_go(&mut self, a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, share: f64) -> Result<bool, TrackError> {
        let stays = |pair: &ClosestPair| {
            let sum = pair.curvature_A.trace() + pair.curvature_B.trace();
            pair.matrix().determinant() > share * sum * sum
        };
        let vanishes = |contact: &Contact| contact.key == Key::Smooth && !stays(&contact.pair);
        if !self.contacts.iter().any(vanishes) {
            return Ok(false);
        }
        let limit = self.limits.birth + self.limits.look_ahead;
        let mut found = local_pairs(a, b, X_AB, limit)?;
        found.extend(closest_points(a, b, X_AB));
        for contact in self.contacts.iter().filter(|contact| vanishes(contact)) {
            found.extend(self.downhill(&contact.pair, a, b, X_AB));
        }
        self.contacts.retain(|contact| !vanishes(contact));
        self.renew_waiting(found.into_iter().filter(|pair| stays(pair) && pair.gap <= limit), a, b, X_AB);
        self.admit();
        Ok(true)
    }

    /// Pairs that a vanishing one leaves to: along the direction in which it is flat.
    fn downhill(&self, from: &ClosestPair, a: &Shape, b: &Shape, X_AB: &Isometry3<f64>) -> Vec<ClosestPair> {
        let M = from.matrix();
        let eigen = (0.5 * (M + M.transpose())).symmetric_eigen();
        let flat_A = from.E_A * eigen.eigenvectors.column(eigen.eigenvalues.iamin());
        let shares = [0.02, 0.05, 0.1, 0.2].into_iter().flat_map(|share| [share, -share]);
        let starts = shares.map(|share| flat_A * (share * self.size));
        let settle = |d_A: Vector3<f64>| {
            let (p_A, p_B) = (from.p_ACa + d_A, from.p_BCb + X_AB.rotation.inverse() * d_A);
            refine(a, b, X_AB, p_A, p_B, Tolerance::default()).ok()
        };
        starts.filter_map(settle).filter(|pair| pair.gap < from.gap).collect()
    }

    fn near(&self) -> Near {
        Near { birth: self.limits.birth, death: self.limits.death, size: self.size }
    }

    /// Follows all contacts to a new pose, drops, merges and finds.
    ///
    /// Allocates only where it searches, or when there are more contacts than ever before.
    pub fn update(&mut self, a: &Shape, b: &Shape, X_AB: &Isometry3<f64>) -> Result<ContactChanges, TrackError> {
        finite_pose(X_AB)?;
        let near = self.near();
        let faces = self.faces.update(a, b, X_AB, near, &mut self.next_id);
        let mut changes = match self.edged.take() {
            Some(mut edged) => {
                let followed = self.follow_edged(&mut edged, a, b, X_AB);
                self.edged = Some(edged);
                followed?
            }
            None => self.follow_smooth(a, b, X_AB, faces.dropped > 0)?,
        };
        changes.born += faces.born;
        changes.dropped += faces.dropped;
        self.motion.step_to(X_AB);
        Ok(changes)
    }

    /// Contacts of bodies without corners of their own; `exposed`: a face contact has ended.
    fn follow_smooth(
        &mut self,
        a: &Shape,
        b: &Shape,
        X_AB: &Isometry3<f64>,
        exposed: bool,
    ) -> Result<ContactChanges, TrackError> {
        let mut changes = ContactChanges::default();
        let merge = self.limits.merge;
        let moved = self.motion.since_last(X_AB);
        self.path += moved;
        let (path, limits, faces) = (self.path, self.limits, &self.faces);

        // Follow contacts, and those waiting pairs that may have become contacts.
        let mut lost = exposed;
        self.waiting.retain_mut(|waiting| {
            if waiting.wake > path {
                return true;
            }
            match refine(a, b, X_AB, waiting.pair.p_ACa, waiting.pair.p_BCb, Tolerance::default()) {
                Ok(pair) => {
                    *waiting = Waiting { pair, wake: path + pair.gap - limits.birth };
                    true
                }
                Err(_) => {
                    lost = true;
                    false
                }
            }
        });
        let before = self.contacts.len();
        let waiting = &mut self.waiting;
        self.contacts.retain_mut(|contact| match contact.follow(a, b, X_AB, moved) {
            Some(pair) => {
                // A jump to another place is not this contact any more.
                let near = (pair.p_ACa - contact.pair.p_ACa).norm() <= travel(&contact.pair, moved) + merge;
                contact.step_to(pair);
                lost |= !near;
                if near && pair.gap > limits.death {
                    // Still a local pair: it may come back before the next search.
                    waiting.push(Waiting { pair, wake: path + pair.gap - limits.birth });
                }
                near && pair.gap <= limits.death && !faces.hold(&pair, merge)
            }
            None => {
                lost = true;
                false
            }
        });
        changes.dropped = before - self.contacts.len();
        changes.merged = self.merge();

        // A waiting pair that has come close enough is born; else a search, when something new could be near.
        if lost || self.motion.since_start(X_AB) >= self.seen {
            changes.born = self.search(a, b, X_AB)?;
            changes.searched = true;
        } else {
            changes.born = self.admit();
        }
        Ok(changes)
    }

    /// Contacts that have run into an older one are one with it; returns how many.
    fn merge(&mut self) -> usize {
        let (before, merge) = (self.contacts.len(), self.limits.merge);
        let mut kept = 0;
        for k in 0..before {
            let contact = self.contacts[k];
            let apart = |other: &Contact| (other.pair.p_ACa - contact.pair.p_ACa).norm() > merge;
            if self.contacts[..kept].iter().all(apart) {
                self.contacts[kept] = contact;
                kept += 1;
            }
        }
        self.contacts.truncate(kept);
        before - kept
    }

    /// Finds all local pairs up to birth plus look-ahead; returns how many contacts were born.
    fn search(&mut self, a: &Shape, b: &Shape, X_AB: &Isometry3<f64>) -> Result<usize, TrackError> {
        let found = local_pairs(a, b, X_AB, self.limits.birth + self.limits.look_ahead)?;
        self.renew_waiting(found.into_iter(), a, b, X_AB);
        Ok(self.admit())
    }

    /// Local pairs of a search at this pose replace those of the last.
    fn renew_waiting(&mut self, found: impl Iterator<Item = ClosestPair>, a: &Shape, b: &Shape, X_AB: &Isometry3<f64>) {
        self.motion = Motion::new(a, b, X_AB);
        self.seen = self.limits.look_ahead;
        let mut found = found.peekable();
        if found.peek().is_none() {
            // Far apart: one more question saves many searches on the way.
            let gap = closest_points(a, b, X_AB).map_or(0.0, |pair| pair.gap);
            self.seen = self.seen.max(0.8 * (gap - self.limits.birth));
        }
        self.waiting.clear();
        let (path, birth) = (self.path, self.limits.birth);
        self.waiting.extend(found.map(|pair| Waiting { pair, wake: path + pair.gap - birth }));
    }

    /// Makes contacts of waiting pairs that are near enough and new; drops those that are contacts already.
    fn admit(&mut self) -> usize {
        let before = self.contacts.len();
        let (contacts, next_id, faces) = (&mut self.contacts, &mut self.next_id, &self.faces);
        let (ContactLimits { birth, merge, .. }, path) = (self.limits, self.path);
        self.waiting.retain(|waiting| {
            // Not looked at in this update: still above birth.
            if waiting.wake > path {
                return true;
            }
            let pair = &waiting.pair;
            if contacts.iter().any(|c| (c.pair.p_ACa - pair.p_ACa).norm() <= merge) {
                return false;
            }
            if pair.gap > birth || faces.hold(pair, merge) {
                return true;
            }
            contacts.push(Contact::new(*next_id, *pair, Key::Smooth));
            *next_id += 1;
            false
        });
        contacts.len() - before
    }

    /// Contacts of bodies with corners: every corner on a face, and the closest pair if that is something else.
    fn follow_edged(
        &mut self,
        edged: &mut Edged,
        a: &Shape,
        b: &Shape,
        X_AB: &Isometry3<f64>,
    ) -> Result<ContactChanges, TrackError> {
        let mut changes = ContactChanges::default();
        let merge = self.limits.merge;
        let moved = self.motion.since_last(X_AB);
        let angle_on = self.faces.limits.angle_on;
        changes.searched = edged.update(a, b, X_AB, &self.faces, self.size, merge)?;
        edged.found.retain(|place| !self.faces.hold(&place.pair, merge));

        // Known corners go on; the others end, but whatever is found at the same place may take over.
        let (before, death) = (self.contacts.len(), self.limits.death);
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
                None if place.pair.gap <= self.limits.birth && place.missed <= angle_on => {
                    self.next_id += 1;
                    changes.born += 1;
                    self.next_id - 1
                }
                None => continue,
            };
            self.contacts.push(Contact::new(id, place.pair, place.key));
        }
        self.contacts.sort_unstable_by_key(|contact| contact.id);
        changes.dropped = before + changes.born - self.contacts.len();
        Ok(changes)
    }
}

/// How far a contact can travel over the bodies while they move by `moved` (m): contact kinematics with room to spare.
///
/// The points move by M⁻¹(a + B s): the flatter the relative curvature, the further.
fn travel(pair: &ClosestPair, moved: f64) -> f64 {
    let M = pair.matrix();
    let bend = pair.curvature_A.amax().max(pair.curvature_B.amax()).max(M.amax());
    let least = M.determinant().abs() / M.amax().max(f64::MIN_POSITIVE);
    3.0 * moved * (1.0 + bend / least.max(1e-6 * bend.max(f64::MIN_POSITIVE)))
}

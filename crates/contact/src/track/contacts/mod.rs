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

mod contact;
mod follow;
mod low;
mod search;

pub use contact::Contact;

use super::edged::{Edged, Key};
use super::faces::{FaceContact, FaceLimits, LiveFaces, Near};
use super::motion::Motion;
use super::seed::body_size;
use super::strand::{LiveStrands, StrandContact};
use super::tips::Tips;
use super::{ClosestPair, TrackError, direct, finite_pose, hollow};
use crate::surface::Shape;
use follow::Standing;
use nalgebra::Isometry3;
use search::Waiting;

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
    strands: LiveStrands,
    /// Corners and rims on faces, if that is what these bodies touch with.
    edged: Option<Edged>,
    /// Corners and rims of A on the surface of B, and of B on that of A, where `edged` has none.
    tips: [Tips; 2],
    /// Where they stand, while the set is updated.
    #[cfg_attr(feature = "serde", serde(skip))]
    standing: Standing,
    /// Local pairs seen by the last search that are not (or no longer) contacts.
    waiting: Vec<Waiting>,
    /// Length of the bodies' path since the beginning, as far as gaps may have changed (m).
    path: f64,
    next_id: u64,
    motion: Motion,
    /// How far the bodies may move before the next search (m).
    seen: f64,
    /// How far they may move before a place may have come away from a corner (m): see `unfolding`.
    unfolds: f64,
    size: f64,
    /// The part of a map last asked for its hollows.
    hollows: Option<hollow::Known>,
    /// How much further apart contacts begin than the limits say, at least (m).
    ahead: f64,
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
        Self::looking_further(a, b, X_AB, limits, face_limits, 0.0)
    }

    /// The same for bodies that come near fast: see [`look_further`](Self::look_further).
    pub fn looking_further(
        a: &Shape,
        b: &Shape,
        X_AB: &Isometry3<f64>,
        limits: ContactLimits,
        face_limits: FaceLimits,
        ahead: f64,
    ) -> Result<Self, TrackError> {
        finite_pose(X_AB)?;
        let faces = LiveFaces::new(a, b, face_limits);
        let strands = if face_limits.strands { LiveStrands::new(a, b) } else { LiveStrands::default() };
        let edged = Edged::new(a, b, &faces);
        let on = |body: &Shape, other: &Shape| {
            if edged.is_none() && (is_ground(other) || has_flats(other)) { Tips::of(body) } else { Tips::default() }
        };
        let mut set = Self {
            limits,
            contacts: Vec::new(),
            tips: [on(a, b), on(b, a)],
            standing: Standing::default(),
            edged,
            faces,
            strands,
            waiting: Vec::new(),
            path: 0.0,
            next_id: 0,
            motion: Motion::new(a, b, X_AB),
            seen: limits.look_ahead,
            unfolds: f64::INFINITY,
            size: body_size(a, b),
            hollows: None,
            ahead,
        };
        set.faces.update(a, b, X_AB, set.near(), &mut set.next_id);
        if set.edged.is_some() || set.strands.are_all() {
            set.update(a, b, X_AB)?;
        } else {
            set.strands.update(a, b, X_AB, set.near(), &mut set.next_id);
            set.follow_tips(a, b, X_AB, 0.0);
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

    /// The contacts along curves now, oldest first. Points that are part of them are not among the point contacts.
    pub fn strands(&self) -> &[StrandContact] {
        &self.strands.contacts
    }

    /// When contacts begin and end.
    pub fn limits(&self) -> &ContactLimits {
        &self.limits
    }

    /// Radius of the smaller body (m).
    pub fn size(&self) -> f64 {
        self.size
    }

    /// Contacts begin and end this much further apart (m) from the next update on, where that is more than the limits say:
    /// for bodies that come near fast, whose contacts must be known before they touch.
    pub fn look_further(&mut self, ahead: f64) {
        self.ahead = ahead;
    }

    /// How near the bodies may come, from the pose of the last update on, before something touches that is not listed (m).
    /// `reserve` is what the caller keeps of it: it looks again before less is left (m).
    pub fn clearance(&self, reserve: f64) -> f64 {
        let birth = self.within().birth;
        if self.edged.is_some() || self.strands.are_all() {
            return birth;
        }
        // Curves are looked at anew at every update: they are known up to birth.
        let strands = if self.strands.is_empty() { f64::INFINITY } else { birth };
        // Corners are looked at anew at every update: they are known up to birth.
        let tips = if self.tips.iter().all(Tips::is_empty) { f64::INFINITY } else { birth };
        // Those nearer than birth were looked at, and something else stands for them.
        let waiting = self.waiting.iter().map(|waiting| waiting.touch - self.path).filter(|gap| *gap > birth);
        let flat = if self.faces.faces.iter().all(|faces| !faces.is_empty()) { birth } else { f64::INFINITY };
        let unseen = (self.seen - self.motion.traveled()).max(0.0);
        // Where a bulge may unfold from a corner that is a contact already, there is no birth to be ahead of.
        let unseen = if self.unfolds < f64::INFINITY { reserve.min(birth) + unseen } else { birth + unseen };
        waiting.fold(tips.min(flat).min(unseen).min(strands), f64::min)
    }

    /// The limits in force.
    fn within(&self) -> ContactLimits {
        let ContactLimits { birth, death, .. } = self.limits;
        ContactLimits { birth: birth.max(self.ahead), death: death.max(1.5 * self.ahead), ..self.limits }
    }

    /// Follows a copy of one contact of this set to a pose nearby, the set staying as it is: for methods that look at
    /// many poses before they settle on one. A corner is followed over the plane of its face, so that its gap is smooth
    /// beyond the face's end too. `false`, and the contact as it was, where the place is lost.
    pub fn follow_point(&self, contact: &mut Contact, a: &Shape, b: &Shape, X_AB: &Isometry3<f64>) -> bool {
        // Elsewhere on the bodies is another place.
        let was = contact.pair;
        let near = |pair: &ClosestPair| {
            pair.nhat_AB_A.dot(&was.nhat_AB_A) > 0.8 && (pair.p_ACa - was.p_ACa).norm() < 0.2 * self.size
        };
        // What rolls goes on as it did from look to look.
        let rolls = contact.key == Key::Smooth && (matches!(a, Shape::Sphere(_)) || matches!(b, Shape::Sphere(_)));
        if rolls && let Some(pair) = contact.settle(a, b, X_AB, true).filter(near) {
            contact.step_to(pair);
            return true;
        }
        let newton = || contact.settle(a, b, X_AB, false);
        let found = match (contact.key, &self.edged) {
            (Key::Corner { body, bumper, face }, Some(edged)) => edged.stand((body, bumper, face), X_AB, &self.faces),
            (Key::Closest, _) => direct::closest(a, b, X_AB).map_or_else(newton, Result::ok),
            (Key::Low { vertex, .. }, _) => {
                low::follow((a, b), X_AB, vertex, Some(&contact.pair), self.size).map(|(_, pair)| pair)
            }
            (Key::Tip { body, tip }, _) => self.tip(body, tip, Some(&contact.pair), a, b, X_AB).map(|(pair, _)| pair),
            _ => newton(),
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
        room.follow(
            &self.faces.faces[0][faces[0]],
            &self.faces.faces[1][faces[1]],
            X_AB,
            self.faces.limits.angle_off.max(0.15) + 0.05,
        )
    }

    /// Whether faces and corners may be there together, from the next update on: for contacts that store energy. In rigid
    /// ones faces stand for their corners.
    pub fn join_corners(&mut self, join: bool) {
        self.faces.join(join);
    }

    /// Whether faces and corners of this set are there together at every tilt: their energy is that of the pose.
    pub fn is_joined(&self) -> bool {
        self.faces.joined
    }

    /// Whether a face contact of this set goes on at its tilt.
    pub fn face_goes_on(&self, face: &FaceContact) -> bool {
        self.faces.goes_on(face)
    }

    /// Whether faces of this set that are no contact come near to parallel on the way from one pose to another: then the
    /// list is out of date.
    pub fn faces_turn_to(&self, from: &Isometry3<f64>, to: &Isometry3<f64>) -> bool {
        self.faces.turn_to(from, to)
    }

    fn near(&self) -> Near {
        let ContactLimits { birth, death, .. } = self.within();
        Near { birth, death, size: self.size }
    }

    /// Follows all contacts to a new pose, drops, merges and finds.
    ///
    /// Allocates only where it searches, or when there are more contacts than ever before.
    pub fn update(&mut self, a: &Shape, b: &Shape, X_AB: &Isometry3<f64>) -> Result<ContactChanges, TrackError> {
        finite_pose(X_AB)?;
        let near = self.near();
        let faces = self.faces.update(a, b, X_AB, near, &mut self.next_id);
        let (born, dropped) = self.strands.update(a, b, X_AB, near, &mut self.next_id);
        if self.strands.are_all() {
            self.motion.step_to(X_AB);
            return Ok(ContactChanges { born, dropped, ..ContactChanges::default() });
        }
        let mut changes = match self.edged.take() {
            Some(mut edged) => {
                let followed = self.follow_edged(&mut edged, a, b, X_AB);
                self.edged = Some(edged);
                followed?
            }
            None => self.follow_smooth(a, b, X_AB, faces.dropped + dropped > 0)?,
        };
        changes.born += faces.born + born;
        changes.dropped += faces.dropped + dropped;
        self.motion.step_to(X_AB);
        Ok(changes)
    }
}

/// Whether a body has flat parts that a ring can lie on.
fn has_flats(shape: &Shape) -> bool {
    matches!(shape, Shape::RoundedBox(_) | Shape::Cylinder(_))
}

/// Whether corners of another body may stand anywhere on a surface: all but small convex bodies.
pub(super) fn is_ground(shape: &Shape) -> bool {
    matches!(
        shape,
        Shape::HalfSpace(_)
            | Shape::Graph(_)
            | Shape::Elevation(_)
            | Shape::Mesh(_)
            | Shape::Revolution(_)
            | Shape::Torus(_)
    )
}

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

use super::edged::{Edged, Key, Place};
use super::faces::{FaceContact, FaceLimits, LiveFaces, Near};
use super::hollow;
use super::local::{EXPLAINED, Nearby};
use super::motion::Motion;
use super::refine::{Tolerance, refine};
use super::seed::{all_near, body_size, closest_points};
use super::strand::{LiveStrands, StrandContact};
use super::tips::{Counts, Tips, is_clear};
use super::{ClosestPair, TrackError, direct, finite_pose};
use crate::surface::height::HeightFunction;
use crate::surface::{Shape, Surface};
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
    fn follow(&self, a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, moved: f64) -> Followed {
        if self.key != Key::Smooth {
            return Followed::Tip;
        }
        let [p, q] = [0, 1].map(|k| self.strides[k][0] * 2.0 - self.strides[k][1]);
        // A gap changes by no more than the bodies move; what changes more is another place.
        let most = moved * (1.0 + 1e-6) + 1e-12;
        let from = |p_A, p_B| {
            let found = refine(a, b, X_AB, p_A, p_B, Tolerance::default()).ok();
            found.filter(|pair| (pair.gap - self.pair.gap).abs() <= most)
        };
        let found = from(self.pair.p_ACa + p, self.pair.p_BCb + q);
        found.or_else(|| from(self.pair.p_ACa, self.pair.p_BCb)).map_or(Followed::Lost, Followed::To)
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

/// Where a contact came to.
#[allow(clippy::large_enum_variant)] // lives for one line
enum Followed {
    /// A local minimum, followed.
    To(ClosestPair),
    /// A local minimum that is no more, or not where it could be.
    Lost,
    /// A corner or rim, which is found in another way.
    Tip,
}

/// A local pair that is not a contact, and when to look at it again.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Waiting {
    pair: ClosestPair,
    /// Length of the bodies' path from which on the gap may be below 0 (m).
    touch: f64,
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

/// How far a ball that rolls freely goes before that is proven again, as a share of its radius.
const FREE: f64 = 0.15;

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
    /// Length of the bodies' path since the beginning, as far as any point of the smaller body has moved (m).
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
            ahead: 0.0,
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
    pub fn clearance(&self) -> f64 {
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
        // Where a bulge may unfold from a corner that is a contact already, there is no birth to be ahead of: half of it is
        // what callers keep in reserve.
        let unseen = if self.unfolds < f64::INFINITY { 0.5 * birth + unseen } else { birth + unseen };
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
        let newton = || refine(a, b, X_AB, contact.pair.p_ACa, contact.pair.p_BCb, Tolerance::default()).ok();
        let found = match (contact.key, &self.edged) {
            (Key::Corner { body, bumper, face }, Some(edged)) => edged.stand((body, bumper, face), X_AB, &self.faces),
            (Key::Closest, _) => direct::closest(a, b, X_AB).map_or_else(newton, Result::ok),
            (Key::Tip { body, tip }, _) => self.tip(body, tip, Some(&contact.pair), a, b, X_AB).map(|(pair, _)| pair),
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
        let within = self.within();
        let limit = within.birth + within.look_ahead;
        let mut found = all_near(a, b, X_AB, limit, self.known())?;
        found.pairs.extend(closest_points(a, b, X_AB));
        for contact in self.contacts.iter().filter(|contact| vanishes(contact)) {
            found.pairs.extend(self.downhill(&contact.pair, a, b, X_AB));
        }
        self.contacts.retain(|contact| !vanishes(contact));
        found.pairs.retain(|pair| stays(pair) && pair.gap <= limit);
        self.renew_waiting(found, a, b, X_AB);
        self.admit(X_AB);
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

    /// A corner or rim at a pose, and whether it counts; looked for near the place where it `was`.
    fn tip(
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
    fn follow_tips(&mut self, a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, moved: f64) -> (ContactChanges, bool) {
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
                && !faces.hold(&place.pair, merge)
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
    fn follow_smooth(
        &mut self,
        a: &Shape,
        b: &Shape,
        X_AB: &Isometry3<f64>,
        exposed: bool,
    ) -> Result<ContactChanges, TrackError> {
        let merge = self.limits.merge;
        let moved = self.motion.since_last(X_AB);
        self.path += moved;
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
        let waiting = &mut self.waiting;
        self.contacts.retain_mut(|contact| match contact.follow(a, b, X_AB, moved) {
            Followed::Tip => true,
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

        // A waiting pair that has come close enough is born; else a search, when something new could be near.
        let due = lost || self.motion.since_start(X_AB) >= self.seen;
        if due && !lost && self.is_alone(a, b) {
            // Nothing else can be near, wherever it has come to and goes.
            self.motion = Motion::new(a, b, X_AB);
            self.seen = FREE * self.size;
        } else if due {
            changes.born += self.search(a, b, X_AB)?;
            changes.searched = true;
        } else {
            changes.born += self.admit(X_AB);
        }
        Ok(changes)
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
        let within = self.within();
        let found = all_near(a, b, X_AB, within.birth + within.look_ahead, self.known())?;
        self.renew_waiting(found, a, b, X_AB);
        Ok(self.admit(X_AB))
    }

    /// The least gap of contacts that no search finds (m): corners, rims, faces.
    fn known(&self) -> f64 {
        let tips = self.contacts.iter().filter(|contact| contact.key != Key::Smooth).map(|contact| contact.pair.gap);
        let strands = self.strands.contacts.iter().map(|strand| strand.gap);
        let faces = self.faces.contacts.iter().map(FaceContact::least_gap);
        tips.chain(faces).chain(strands).fold(f64::INFINITY, f64::min)
    }

    /// Local pairs of a search at this pose replace those of the last.
    fn renew_waiting(&mut self, found: Nearby, a: &Shape, b: &Shape, X_AB: &Isometry3<f64>) {
        self.motion = Motion::new(a, b, X_AB);
        // Nothing else is nearer than what was looked for; where nothing was found, than what is proven.
        let within = self.within();
        self.seen = within.look_ahead;
        if found.pairs.is_empty() {
            self.seen = self.seen.max(found.apart - within.birth);
        }
        self.unfolds = f64::INFINITY;
        if !(found.pairs.is_empty() && self.contacts.is_empty()) {
            let X_BA = X_AB.inverse();
            let [on_A, on_B] = [(1, a, b, *X_AB), (0, b, a, X_BA)].map(|(body, ground, other, X): (usize, _, _, _)| {
                if self.tips[body].is_empty() { f64::INFINITY } else { unfolding(ground, other, &X, self.size) }
            });
            self.unfolds = on_A.min(on_B);
            self.seen = self.seen.min(self.unfolds);
        }
        self.waiting.clear();
        let path = self.path;
        self.waiting.extend(found.pairs.into_iter().map(|pair| Waiting { pair, touch: path + pair.gap }));
    }

    /// Makes contacts of waiting pairs that are near enough and new; drops those that are contacts already.
    fn admit(&mut self, X_AB: &Isometry3<f64>) -> usize {
        let before = self.contacts.len();
        let (ContactLimits { birth, merge, .. }, path) = (self.within(), self.path);
        let tips = Held { tips: &self.tips, least: self.known(), slack: EXPLAINED * self.size };
        let (contacts, next_id, faces, strands) = (&mut self.contacts, &mut self.next_id, &self.faces, &self.strands);
        self.waiting.retain(|waiting| {
            // Not looked at in this update: still above birth.
            if waiting.touch - birth > path {
                return true;
            }
            let pair = &waiting.pair;
            if contacts.iter().any(|c| (c.pair.p_ACa - pair.p_ACa).norm() <= merge) {
                return false;
            }
            if pair.gap > birth || faces.hold(pair, merge) || strands.hold(pair, X_AB) || tips.hold(pair, X_AB) {
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
        changes.searched = edged.update(a, b, X_AB, &self.faces, self.size, merge)?;
        edged.found.retain(|place| !self.faces.hold(&place.pair, merge) && !self.strands.hold(&place.pair, X_AB));

        // Known corners go on; the others end, but whatever is found at the same place may take over.
        let ContactLimits { birth, death, .. } = self.within();
        let before = self.contacts.len();
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

/// What corners and rims stand for.
struct Held<'a> {
    tips: &'a [Tips; 2],
    /// The least gap of those that stand, and of faces (m).
    least: f64,
    /// Depths that differ by less are explained by each other (m).
    slack: f64,
}

impl Held<'_> {
    /// Whether corners and rims stand for a pair of smooth places: one of a line or an area of equally close points that
    /// has an end as near, or on a ring that lies flat. A line whose ends hang over is a place of its own.
    fn hold(&self, pair: &ClosestPair, X_AB: &Isometry3<f64>) -> bool {
        if self.least > pair.gap + self.slack || self.tips.iter().all(Tips::is_empty) {
            return false;
        }
        let down_B = X_AB.rotation.inverse() * -pair.nhat_AB_A;
        let [on_A, on_B] = self.tips;
        !pair.is_isolated() || on_A.hold(&pair.p_ACa, &pair.nhat_AB_A) || on_B.hold(&pair.p_BCb, &down_B)
    }
}

/// Whether a body has flat parts that a ring can lie on.
fn has_flats(shape: &Shape) -> bool {
    matches!(shape, Shape::RoundedBox(_) | Shape::Cylinder(_))
}

/// How far a body with edges and flats may move on a height, some part of it being near, before a place may have come away
/// from a corner by 1e-4 of its size (m); infinite where the ground does not bulge by that under it.
///
/// A bulge of curvature c under an edge has no least gap of its own while the edge is steeper than the bulge: the corner is
/// nearest. As the edge turns by θ beyond that, the least gap leaves the corner and is lower than it by θ²/(2c). No search
/// before could list it. Curvature is looked at on a lattice under the body; a bulge between its places is narrower than the
/// body and has a least gap of its own at most attitudes.
fn unfolding(ground: &Shape, body: &Shape, X_GB: &Isometry3<f64>, size: f64) -> f64 {
    const PLACES: i32 = 4;
    let (middle, reach) = (X_GB * body.bounds().centre(), body.bounds().radius());
    let mut bulge = 0.0_f64;
    for i in -PLACES..=PLACES {
        for j in -PLACES..=PLACES {
            let at = |c: f64, k: i32| c + reach * f64::from(k) / f64::from(PLACES);
            let (x, y) = (at(middle.x, i), at(middle.y, j));
            let jet = match ground {
                Shape::Elevation(map) => map.jet(x, y),
                Shape::Graph(graph) => HeightFunction::jet(graph, x, y),
                _ => return f64::INFINITY,
            };
            let Ok(jet) = jet else { continue };
            // The least eigenvalue of the second derivatives.
            let (mean, off) = (0.5 * (jet.zxx + jet.zyy), (0.5 * (jet.zxx - jet.zyy)).hypot(jet.zxy));
            bulge = bulge.max(off - mean);
        }
    }
    let most = 1e-4 * size;
    if 0.5 * bulge * size * size <= most { f64::INFINITY } else { size * (2.0 * bulge * most).sqrt() }
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

/// Room for an update: corners and rims that stand on the other body.
#[derive(Clone, Debug, Default)]
struct Standing {
    list: Vec<(Place, Counts)>,
}

impl PartialEq for Standing {
    /// Room for an update does not count.
    fn eq(&self, _: &Self) -> bool {
        true
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

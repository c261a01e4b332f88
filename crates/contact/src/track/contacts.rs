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

use super::motion::Motion;
use super::refine::{Tolerance, refine};
use super::seed::local_pairs;
use super::{ClosestPair, TrackError, finite_pose};
use crate::surface::Shape;
use nalgebra::Isometry3;

/// One place where two bodies touch or nearly touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Counts up from 0 within a set; never used twice.
    pub id: u64,
    /// The local closest pair.
    pub pair: ClosestPair,
}

/// When contacts begin and end.
#[derive(Clone, Copy, Debug, PartialEq)]
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
#[derive(Clone, Debug)]
pub struct ContactSet {
    limits: ContactLimits,
    contacts: Vec<Contact>,
    /// Local pairs seen by the last search that are not (or no longer) contacts.
    waiting: Vec<ClosestPair>,
    next_id: u64,
    motion: Motion,
}

impl ContactSet {
    /// The contacts at a first pose.
    pub fn new(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, limits: ContactLimits) -> Result<Self, TrackError> {
        let mut set =
            Self { limits, contacts: Vec::new(), waiting: Vec::new(), next_id: 0, motion: Motion::new(a, b, X_AB) };
        set.search(a, b, X_AB)?;
        Ok(set)
    }

    /// The contacts now, oldest first.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// Follows all contacts to a new pose, drops, merges and finds.
    pub fn update(&mut self, a: &Shape, b: &Shape, X_AB: &Isometry3<f64>) -> Result<ContactChanges, TrackError> {
        finite_pose(X_AB)?;
        let mut changes = ContactChanges::default();
        let follow = |pair: &ClosestPair| refine(a, b, X_AB, pair.p_ACa, pair.p_BCb, Tolerance::default()).ok();
        let merge = self.limits.merge;
        let moved = self.motion.since_last(X_AB);

        // Follow contacts, and the pairs that may become contacts.
        self.waiting = self.waiting.iter().filter_map(follow).collect();
        let mut lost = false;
        let before = self.contacts.len();
        let (waiting, limits) = (&mut self.waiting, self.limits);
        self.contacts.retain_mut(|contact| match follow(&contact.pair) {
            Some(pair) => {
                // A jump to another place is not this contact any more.
                let near = (pair.p_ACa - contact.pair.p_ACa).norm() <= travel(&contact.pair, moved) + merge;
                contact.pair = pair;
                lost |= !near;
                if near && pair.gap > limits.death {
                    // Still a local pair: it may come back before the next search.
                    waiting.push(pair);
                }
                near && pair.gap <= limits.death
            }
            None => {
                lost = true;
                false
            }
        });
        changes.dropped = before - self.contacts.len();
        let mut kept: Vec<Contact> = Vec::with_capacity(self.contacts.len());
        for contact in &self.contacts {
            if kept.iter().all(|other| (other.pair.p_ACa - contact.pair.p_ACa).norm() > merge) {
                kept.push(*contact);
            }
        }
        changes.merged = self.contacts.len() - kept.len();
        self.contacts = kept;

        // A waiting pair that has come close enough is born; else a search, when something new could be near.
        if lost || self.motion.since_start(X_AB) >= self.limits.look_ahead {
            changes.born = self.search(a, b, X_AB)?;
            changes.searched = true;
        } else {
            let waiting = std::mem::take(&mut self.waiting);
            changes.born = self.admit(waiting);
        }
        self.motion.step_to(X_AB);
        Ok(changes)
    }

    /// Finds all local pairs up to birth plus look-ahead; returns how many contacts were born.
    fn search(&mut self, a: &Shape, b: &Shape, X_AB: &Isometry3<f64>) -> Result<usize, TrackError> {
        let found = local_pairs(a, b, X_AB, self.limits.birth + self.limits.look_ahead)?;
        self.motion = Motion::new(a, b, X_AB);
        self.waiting.clear();
        Ok(self.admit(found))
    }

    /// Makes contacts of pairs that are near enough and new; the others wait.
    fn admit(&mut self, pairs: Vec<ClosestPair>) -> usize {
        let mut born = 0;
        for pair in pairs {
            let known = self.contacts.iter().any(|c| (c.pair.p_ACa - pair.p_ACa).norm() <= self.limits.merge);
            if known {
                continue;
            }
            if pair.gap <= self.limits.birth {
                self.contacts.push(Contact { id: self.next_id, pair });
                self.next_id += 1;
                born += 1;
            } else {
                self.waiting.push(pair);
            }
        }
        born
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

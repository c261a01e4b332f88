//! # Contacts: which bodies are close enough to touch soon, and where
//!
//! `model`, poses ──▶ **here** ──(near pairs, places)──▶ any stepper
//!
//! - **in**: shapes, poses at the end of a step
//! - **out**: [`NearPair`]s in order of their bodies; the list of contacts, born, kept and dropped
//! - **not here**: what contacts do ([`touch`](crate::steppers::accurate::touch)); where within a step they are ([`place`](crate::contacts::place))
//! - **assumes**: between two renewals no body moves further than its room (`State::rooms`), and no two bodies with
//!   several contacts come nearer to each other than by their budget ([`NearPair::budget`]); steppers renew before that, and
//!   keep their steps so short that nothing passes through anything ([`advancement::safe_time`])
//! - **start at** [`update_contacts`](update::update_contacts), then [`BroadPhase`]
//!
//! **One place or several.** A ball against a convex body or a half-space, an ellipsoid against ellipsoids, balls and
//! half-spaces have one closest pair and no other place to touch: a [`Tracker`](fingerpad_contact::track::Tracker)
//! follows it. All others get a [`ContactSet`]; that of a ball on a map whose hollows are wider than the ball searches
//! only where it has lost its place.

pub(crate) mod advancement;
mod broad_phase;
mod extent;
pub(crate) mod look;
pub(crate) mod place;
pub(crate) mod pressure;
pub(crate) mod rest_offset;
pub(crate) mod rules;
pub(crate) mod scratch;
pub(crate) mod through;
pub(crate) mod update;

pub(crate) use broad_phase::BroadPhase;
pub(crate) use extent::Extent;

use crate::model::interactions::{Pair, Places};
use fingerpad_contact::surface::Shape;
use fingerpad_contact::track::seed::body_size;
use fingerpad_contact::track::{ContactLimits, ContactSet};

/// Two bodies that may touch soon.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NearPair {
    /// The bodies, and what acts between them.
    pub pair: Pair,
    /// How their contacts are found.
    pub tracked: Tracked,
    /// How much nearer they may come before contacts must be looked for again (m); no matter where one tracker does.
    pub budget: f64,
    /// During a renewal: whether it looked at them.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) fresh: bool,
}

/// How the contacts of two bodies are found.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Tracked {
    /// One contact, at the closest points: its place has the tracker.
    Closest,
    /// All places where they touch.
    Several(Box<ContactSet>),
}

impl NearPair {
    /// Indices of the bodies, the lower first.
    pub fn order(&self) -> (usize, usize) {
        self.pair.order()
    }

    /// What is known of their contacts is out of date: they are looked at before the next step.
    pub(crate) fn forget(&mut self) {
        self.budget = f64::NEG_INFINITY;
    }

    /// The places, where there may be several.
    pub fn set(&self) -> Option<&ContactSet> {
        match &self.tracked {
            Tracked::Closest => None,
            Tracked::Several(set) => Some(set),
        }
    }

    /// The same, to change it.
    fn set_mut(&mut self) -> Option<&mut ContactSet> {
        match &mut self.tracked {
            Tracked::Closest => None,
            Tracked::Several(set) => Some(set),
        }
    }
}

/// Whether two shapes can touch at their closest points alone.
fn has_one_place(a: &Shape, b: &Shape) -> bool {
    let ordered = |a: &Shape, b: &Shape| match (a, b) {
        (Shape::Sphere(_), Shape::HalfSpace(_)) => true,
        (Shape::Sphere(_), other) => other.as_convex().is_some(),
        (Shape::Ellipsoid(_), Shape::Ellipsoid(_) | Shape::HalfSpace(_)) => true,
        _ => false,
    };
    ordered(a, b) || ordered(b, a)
}

/// Whether one tracker does for a pair.
fn is_closest(places: Places, a: &Shape, b: &Shape) -> bool {
    places == Places::Closest || has_one_place(a, b)
}

/// When contacts of a pair begin and end. They are known before they touch: born at 2 % of the smaller body's size.
fn limits(a: &Shape, b: &Shape) -> ContactLimits {
    let size = body_size(a, b);
    ContactLimits { birth: 0.02 * size, death: 0.03 * size, look_ahead: 0.05 * size, merge: 1e-4 * size }
}

//! # Events: what happened to contacts on the way
//!
//! - **out**: [`Event`]s, which every stepper tells in order of time
//! - **not here**: when a stepper says that one happened (`steppers`)
//! - **start at** [`Event`]

use crate::model::body::BodyId;
use crate::state::ContactMode;

/// A contact changed its mode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// When (s).
    pub time: f64,
    /// Body A of the contact.
    pub a: BodyId,
    /// Body B.
    pub b: BodyId,
    /// Which of the contacts of A and B.
    pub id: u64,
    /// What it was doing.
    pub from: ContactMode,
    /// What happened.
    pub kind: EventKind,
}

/// What happened to a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// Touchdown.
    On,
    /// Release.
    Off,
    /// The normal force reached zero while the bodies overlap.
    Clamp,
    /// It became positive again.
    Unclamp,
    /// Slip began.
    Slip,
    /// Slip ended.
    Stick,
    /// Rigid contacts: slip drove an impulse that does not vanish with the step (Painlevé).
    Painleve,
}

impl EventKind {
    /// The name in event lists.
    pub fn name(self) -> &'static str {
        match self {
            EventKind::On => "on",
            EventKind::Off => "off",
            EventKind::Clamp => "clamp",
            EventKind::Unclamp => "unclamp",
            EventKind::Slip => "slip",
            EventKind::Stick => "stick",
            EventKind::Painleve => "painleve",
        }
    }
}

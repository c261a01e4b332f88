//! # State: all that changes in time, and exactly what a recording stores
//!
//! - **start at** [`State`]
//!
//! A run continued from a stored state is bit-equal to one that was not interrupted: tracked points, the length of the
//! next step and the order of the method belong to it.

mod memory;

pub use memory::{
    AccurateContact, AccurateMemory, FixedContact, FixedMemory, FixedSums, ImplicitMemory, RigidContact, RigidMemory,
    ShortImpact, Stride,
};

use crate::contacts::NearPair;
use crate::contacts::place::Place;
use crate::coordinates::TreeState;
use crate::drive::{DriveState, ImpedanceState};
use crate::model::interactions::Pair;
use fingerpad_contact::law::Memory;
use fingerpad_contact::spatial::SpatialVelocity;
use nalgebra::Isometry3;

/// All that changes.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct State {
    /// Time (s).
    pub time: f64,
    /// One for each body of the model.
    pub bodies: Vec<BodyState>,
    /// One for each tree of joints; poses and velocities of its links follow from it.
    #[cfg_attr(feature = "serde", serde(default))]
    pub trees: Vec<TreeState>,
    /// One for each drive of the model.
    #[cfg_attr(feature = "serde", serde(default))]
    pub drives: Vec<DriveState>,
    /// One for each impedance of the model.
    #[cfg_attr(feature = "serde", serde(default))]
    pub impedances: Vec<ImpedanceState>,
    /// Pairs of bodies that may touch soon, in order of the lower and the higher body of each.
    pub near: Vec<NearPair>,
    /// Their contacts, in the same order, then by identity. Those of bodies that are near but apart are among them.
    pub contacts: Vec<ContactState>,
    /// What contacts that are no more have left in the ledger.
    pub spent: Spent,
    /// Work done by loads, kicks and given motions (J).
    pub W_injected: f64,
    /// How many of the model's kicks have been given.
    pub kicks_done: usize,
    /// By body: how far it may move, from the last look at who is near, before the next (m).
    pub rooms: Vec<f64>,
    /// What the accurate stepper keeps for itself.
    pub accurate: AccurateMemory,
    /// What fixed steps keep for themselves.
    pub fixed: FixedMemory,
    /// What the stepper of rigid contacts keeps for itself.
    pub rigid: RigidMemory,
}

impl State {
    /// Whether a body sleeps: its island is left alone until something happens to it.
    pub fn sleeps(&self, body: usize) -> bool {
        self.fixed.still.get(body) == Some(&f64::INFINITY)
    }
}

/// Pose and velocity of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyState {
    /// Body axes at the centre of mass, in the world.
    pub X_WBcm: Isometry3<f64>,
    /// Velocity of the centre of mass, in the world.
    pub V_WBcm: SpatialVelocity,
}

/// What a contact remembers.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactState {
    /// The bodies, and what acts between them.
    pub pair: Pair,
    /// Which of the contacts of this pair; lives as long as the contact, 0 where there is one only.
    pub id: u64,
    /// What the contact is doing.
    pub mode: ContactMode,
    /// Elastic state along the patch.
    pub memory: Memory,
    /// Lost in dampers (J).
    pub E_visc: f64,
    /// Lost to slip (J).
    pub E_slip: f64,
    /// Tangential energy let go where contacts ended (J).
    pub E_release: f64,
    /// What the motion put into the springs, less what slip and releases took (J): ∫ (f_el δ′ + load·v − slip) dt.
    pub stored: f64,
    /// Path of slip (m): ∫ slip power/(μP) dt, turning counted by the moment it takes.
    pub slid: f64,
    /// Rest offset (m): the overlap at which the springs along the normal are at rest, so that the law forgives it. A
    /// contact that takes over from others, a corner from a face say, is never born with more energy than they leave. It
    /// comes back to 0 when the bodies part. A run in which it exceeds 1e-3 of the smaller body's size stops.
    pub rest_offset: f64,
    /// Where it is.
    pub place: Place,
    /// What the accurate stepper keeps.
    pub accurate: AccurateContact,
    /// What fixed steps keep.
    pub fixed: FixedContact,
    /// What it carried over the last step of rigid contacts; empty under the compliant law.
    pub rigid: RigidContact,
}

impl ContactState {
    /// A bound of its gap from below, at the pose of the state (m); infinite for faces, whose gap is the list's.
    pub(crate) fn gap_at_least(&self) -> f64 {
        // Left aside, its place is older than the state, and `far` what is left of its gap.
        let far = self.fixed.far;
        if far > 0.0 { far } else { self.place.pair().map_or(f64::INFINITY, |pair| pair.gap) }
    }
}

/// The sums of contacts that are no more.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Spent {
    /// Lost in dampers (J).
    pub E_visc: f64,
    /// Lost to slip (J).
    pub E_slip: f64,
    /// Tangential energy let go where contacts ended (J).
    pub E_release: f64,
    /// What lists of contacts that change take of the energy of pressing, old less new (J): a face that takes over from
    /// corners, contacts that merge. No motion's doing; not negative but for rounding. With rigid contacts: what impacts
    /// take, and what integration leaves.
    pub E_num: f64,
    /// Lost to impulses of rigid contacts that do not vanish with the step (J).
    pub E_painleve: f64,
    /// Given to the springs by changing curvature and changing faces (J).
    pub modulation: f64,
    /// Path of slip (m).
    pub slid: f64,
}

impl ContactState {
    /// A contact without history, apart.
    pub(crate) fn free(pair: Pair, id: u64, place: Place) -> Self {
        Self {
            pair,
            id,
            mode: ContactMode::Free,
            memory: Memory::default(),
            E_visc: 0.0,
            E_slip: 0.0,
            E_release: 0.0,
            stored: 0.0,
            slid: 0.0,
            rest_offset: 0.0,
            place,
            accurate: AccurateContact::default(),
            fixed: FixedContact::default(),
            rigid: RigidContact::default(),
        }
    }

    /// What it is doing, for tables. Fixed steps have one law for stick and slip, and tell by the last step.
    pub fn doing(&self) -> ContactMode {
        if self.mode == ContactMode::Stick && self.fixed.slips { ContactMode::Slip } else { self.mode }
    }

    /// Its place in lists.
    pub fn order(&self) -> (usize, usize, u64) {
        let (low, high) = self.pair.order();
        (low, high, self.id)
    }
}

impl Spent {
    /// Takes over the sums of a contact that ends while it holds (V_n, V_t) (J).
    pub(crate) fn take(&mut self, contact: &ContactState, (V_n, V_t): (f64, f64), has_modulation: bool) {
        self.E_visc += contact.E_visc;
        self.E_slip += contact.E_slip;
        self.E_release += contact.E_release + V_t;
        self.E_num += V_n;
        self.slid += contact.slid;
        if has_modulation {
            self.modulation += V_n + V_t - contact.stored;
        }
    }
}

/// What a contact is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ContactMode {
    /// Apart.
    Free,
    /// The patch holds, up to its friction limit.
    Stick,
    /// The patch slides.
    Slip,
    /// Overlapping without a normal force: dampers would pull.
    Clamped,
    /// In contact without friction or without limit.
    Contact,
}

impl ContactMode {
    /// The code in tables.
    pub fn code(self) -> u8 {
        match self {
            ContactMode::Free => 0,
            ContactMode::Stick => 1,
            ContactMode::Slip => 2,
            ContactMode::Clamped => 3,
            ContactMode::Contact => 4,
        }
    }

    /// The name in event lists.
    pub fn name(self) -> &'static str {
        match self {
            ContactMode::Free => "free",
            ContactMode::Stick => "stick",
            ContactMode::Slip => "slip",
            ContactMode::Clamped => "clamped",
            ContactMode::Contact => "contact",
        }
    }
}

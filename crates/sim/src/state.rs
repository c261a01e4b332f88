//! # State: all that changes in time, and exactly what a recording stores
//!
//! - **start at** [`State`]
//!
//! A run continued from a stored state is bit-equal to one that was not interrupted: tracked points, the length of the
//! next step and the order of the method belong to it.

use crate::fast::{FastMemory, FastSums};
use crate::interactions::Pair;
use fingerpad_contact::law::Memory;
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::track::Tracker;
use nalgebra::{Isometry3, Vector4};

/// All that changes.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Time (s).
    pub time: f64,
    /// One for each body of the model.
    pub bodies: Vec<BodyState>,
    /// One for each pair of the model.
    pub contacts: Vec<ContactState>,
    /// Work done by loads, kicks and given motions (J).
    pub W_injected: f64,
    /// The next step.
    pub stride: Stride,
    /// Events before this time (s) wait for it: whatever happens, time goes on.
    pub quiet_until: f64,
    /// How long that was after the last event (s).
    pub quiet: f64,
    /// Sums of fixed steps.
    pub fast: FastSums,
}

/// Pose and velocity of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyState {
    /// Body axes at the centre of mass, in the world.
    pub X_WBcm: Isometry3<f64>,
    /// Velocity of the centre of mass, in the world.
    pub V_WBcm: SpatialVelocity,
}

/// What a contact remembers.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactState {
    /// The bodies, and what acts between them.
    pub pair: Pair,
    /// Which of the contacts of this pair.
    pub id: u64,
    /// What the contact is doing.
    pub mode: ContactMode,
    /// Elastic state along the patch.
    pub memory: Memory,
    /// While slipping: the load over its limit, a unit vector; tangential part in the world, then about the normal.
    pub slip: Vector4<f64>,
    /// Lost in dampers (J).
    pub E_visc: f64,
    /// Lost to slip (J).
    pub E_slip: f64,
    /// Tangential energy let go where contacts ended (J).
    pub E_release: f64,
    /// What the motion put into the springs, less what slip and releases took (J): ∫ (f_el δ′ + load·v − slip) dt.
    pub stored: f64,
    /// How much of the friction limit may be used before the contact slips: 1, and what rounding left above it.
    pub ceiling: f64,
    /// Closest points.
    pub tracker: Tracker,
    /// What fixed steps keep.
    pub fast: FastMemory,
}

/// What a contact is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// The step that an error-controlled method makes next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stride {
    /// Length (s).
    pub h: f64,
    /// Column of the extrapolation that is expected to suffice.
    pub column: usize,
}

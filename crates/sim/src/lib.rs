//! # fingerpad-sim: many bodies in time
//!
//! ```text
//! model (frozen) ──┐               ┌─ accurate ─┐ compliant, error-controlled
//! state ───────────┼─▶ contacts ──▶┼─ fixed ────┼─ compliant, steps of one length ──▶ state, events, contact results, ledger
//! coordinates ─────┘               └─ rigid ────┘ rigid, by complementarity
//! ```
//!
//! - **in**: [`Model`]: bodies (free, restricted, driven, fixed), what acts between them, gravity, loads, kicks;
//!   [`State`]: time, poses, velocities, contacts
//! - **out**: the state at a later time, the events on the way, the [`Ledger`] of energy
//! - **not here**: what one pair of surfaces does (`fingerpad-contact`); files
//! - **start at** [`Model::new`], [`Model::start`], then [`Stepper::advance`] of [`Switching`] (or [`Accurate`] by
//!   itself), [`FixedStep`] or [`Rigid`]
//!
//! Units are SI and radians; names carry frames (`docs/style.md`). `Bcm` is the centre of mass of B.

mod contacts;
pub mod coordinates;
mod drive;
mod energy;
mod extrapolate;
mod model;
mod run;
mod state;
mod steppers;
mod switching;

/// Vectors, rotations and poses of the interface.
pub use nalgebra;

pub use contacts::place::Place;
pub use contacts::pressure::{PressureImageError, pressure_image};
pub use contacts::{NearPair, Tracked};
pub use drive::{
    Command, Commands, Controller, Drive, DriveId, DriveKind, DriveState, DriveStep, Gains, GripState, Impedance,
    ImpedanceId, ImpedanceNow, ImpedanceState, PoseCommand, PoseTimeline, Smooth, SpatialSpring, SpringStart, Timeline,
    TimelineError,
};
pub use energy::{Ledger, ledger};
pub use model::body::{Body, BodyId, Mobility, Prescribed, Restriction};
pub use model::check::ModelError;
pub use model::interactions::{Interactions, LawId, Pair, PairLaw, Places};
pub use model::joints::{Coupling, CouplingLaw, JointId, Loop, LoopKind, ModelJoint};
pub use model::load::{Kick, Load, Profile};
pub use model::trees::ModelTree;
pub use model::{Model, Parts};
pub use run::{ContactResult, Event, EventKind, Report, RunError, Stepper, Stop, Subject};
pub use state::{
    AccurateContact, AccurateMemory, BodyState, ContactMode, ContactState, FixedContact, FixedMemory, FixedSums,
    ImplicitMemory, RigidContact, RigidMemory, ShortImpact, Spent, State, Stride,
};
pub use steppers::accurate::{Accurate, AccurateReport, Workspace};
pub use steppers::fixed::{FixedReport, FixedStep, FixedWorkspace, Increments};
pub use steppers::rigid::{Rigid, RigidReport, RigidWorkspace, Solver, polyhedral};
pub use switching::{ImplicitReport, Switching, SwitchingReport, SwitchingWorkspace};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadMe;

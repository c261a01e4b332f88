//! # fingerpad-sim: many bodies in time
//!
//! ```text
//! model (frozen) ──┐
//! state ───────────┼─▶ field ──(rates in frozen modes)──▶ accurate ──(steps, events)──▶ state, energy
//!                  ├─▶ fast ──(fixed steps)──────────────────────────────────────────────▶ state, energy
//!                  └─▶ complementarity ──(impulses of rigid contacts)──────────────────▶ state, energy
//! ```
//!
//! - **in**: [`Model`]: bodies (free, restricted, driven, fixed), what acts between them, gravity, loads, kicks;
//!   [`State`]: time, poses, velocities, contacts
//! - **out**: the state at a later time, the events on the way, the [`Ledger`] of energy
//! - **not here**: what one pair of surfaces does (`fingerpad-contact`); files
//! - **start at** [`Model::new`], [`Model::start`], then [`Accurate::advance`] or [`FixedStep::advance`] (compliant),
//!   [`Rigid::advance`] (rigid)
//!
//! Units are SI and radians; names carry frames (`docs/style.md`). `Bcm` is the centre of mass of B.

mod contacts;
mod coordinates;
mod energy;
mod model;
mod run;
mod state;
mod steppers;

pub use contacts::place::Place;
pub use contacts::{NearPair, Tracked};
pub use energy::{Ledger, ledger};
pub use model::body::{Body, BodyId, Mobility, Prescribed, Restriction};
pub use model::check::ModelError;
pub use model::interactions::{Interactions, LawId, Pair, PairLaw, Places};
pub use model::load::{Kick, Load, Profile};
pub use model::{Model, Parts};
pub use run::{ContactResult, Event, EventKind, Report, RunError, Stepper, Stop, Subject};
pub use state::{
    AccurateContact, AccurateMemory, BodyState, ContactMode, ContactState, FixedContact, FixedMemory, FixedSums,
    RigidContact, RigidMemory, Spent, State, Stride,
};
pub use steppers::accurate::{Accurate, AccurateReport, Workspace};
pub use steppers::fixed::{FixedReport, FixedStep, FixedWorkspace, Increments};
pub use steppers::rigid::{Rigid, RigidReport, RigidWorkspace, Solver, polyhedral};

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
//! - **start at** [`Model::new`], [`Model::start`], then [`Accurate::advance`] or [`Fast::advance`] (compliant),
//!   [`Complementarity::advance`] (rigid)
//!
//! Units are SI and radians; names carry frames (`docs/style.md`). `Bcm` is the centre of mass of B.

mod accurate;
mod body;
mod check;
mod complementarity;
mod contact;
pub mod coordinates;
mod energy;
mod extrapolate;
mod fast;
mod field;
mod forgiven;
mod given;
mod inertia;
mod interactions;
mod kick;
mod load;
mod model;
mod near;
mod place;
mod restriction;
mod rotation;
mod state;
mod workspace;

pub use accurate::{Accurate, Event, EventKind, Report, RunError, Stop};
pub use body::{Body, BodyId, Mobility, Prescribed, Restriction};
pub use check::ModelError;
pub use complementarity::{Complementarity, Solver, StepReport, polyhedral};
pub use energy::{Ledger, ledger};
pub use fast::{Fast, FastMemory, FastReport, FastSums, FastWorkspace, Increments};
pub use interactions::{Interactions, LawId, Pair, PairLaw, Places};
pub use load::{Kick, Load, Profile};
pub use model::{Model, Parts};
pub use near::{NearPair, Tracked};
pub use place::Place;
pub use state::{BodyState, ContactMode, ContactState, Impulse, Spent, State, Stride};
pub use workspace::{ContactView, Workspace};

//! # Run: what every stepper answers and every reader reads
//!
//! `steppers` ──(steps, events, forces)──▶ **here** ──▶ programs, recordings, controllers
//!
//! - **out**: [`Stepper`], the one frame in which a state is carried through time; [`Event`]s; [`ContactResult`]s;
//!   [`Stop`] and [`RunError`], why a run cannot go on
//! - **not here**: how a step is made (`steppers`)
//! - **start at** [`Stepper::advance`]

pub(crate) mod event;
pub(crate) mod kick;
pub(crate) mod results;
pub(crate) mod stepper;
pub(crate) mod stop;

pub use event::{Event, EventKind};
pub use results::ContactResult;
pub use stepper::{Report, Stepper};
pub use stop::{RunError, Stop, Subject};

//! # Accurate stepper: motion to 1e-12, events located
//!
//! `field` ──(rates)──▶ **here** ──(state at a later time, events)──▶ whoever asked
//!
//! - **in**: a model, a state, a time to reach
//! - **out**: the state then; [`Event`]s on the way; a [`Report`]
//! - **not here**: rates (`field`), one step of a differential equation (`extrapolate`)
//! - **assumes**: between events the motion is smooth; contacts shorter than the longest step may be passed over unless
//!   some part of a step sees them
//! - **start at** [`Accurate::advance`]
//!
//! Within a step contact modes are frozen and the field is smooth beyond the end of a mode. A step that ends beyond is
//! made again, shorter, until its end is the event: a bracketed secant on the length of the step.

mod events;
mod field;
mod kick;
mod step;
mod touch;
mod trees;
mod workspace;

pub use workspace::Workspace;

use crate::contacts::rest_offset;
use crate::energy::{Ledger, ledger};
use crate::model::Model;
use crate::model::check::ModelError;
use crate::run::{self, ContactResult, Event, Stepper, Stop};
use crate::state::State;

/// Settings of the accurate stepper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accurate {
    /// Error of one step relative to each number.
    pub relative: f64,
    /// Error of one step in SI units, added to it.
    pub absolute: f64,
    /// Longest step (s).
    pub longest: f64,
    /// Steps after which a single `advance` gives up.
    pub most_steps: u64,
}

impl Default for Accurate {
    fn default() -> Self {
        Self { relative: 1e-12, absolute: 1e-13, longest: 5e-3, most_steps: 10_000_000 }
    }
}

/// What an advance of the accurate stepper cost, and how far off it may be.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AccurateReport {
    /// Steps made.
    pub steps: u64,
    /// Steps given up and made shorter.
    pub rejected: u64,
    /// Rates asked for.
    pub evaluations: u64,
    /// Sum over all steps of the estimated error that each made in a position, the largest of all bodies (m). Errors of
    /// velocity, rounding, and motions that part from their neighbours (impacts at an angle, tops) come on top.
    pub position_error: f64,
}

impl run::Report for AccurateReport {
    fn steps(&self) -> u64 {
        self.steps
    }

    fn count_step(&mut self) {
        self.steps += 1;
    }

    fn add(&mut self, other: &Self) {
        self.steps += other.steps;
        self.rejected += other.rejected;
        self.evaluations += other.evaluations;
        self.position_error += other.position_error;
    }

    fn effort(&self) -> u64 {
        self.evaluations
    }

    fn unsolved(&self) -> u64 {
        0
    }
}

impl Stepper for Accurate {
    type Workspace = Workspace;
    type Report = AccurateReport;

    fn workspace(&self, model: &Model, state: &State) -> Result<Workspace, ModelError> {
        Ok(Workspace::new(model, state))
    }

    fn take_over(&self, model: &Model, state: &mut State, work: &mut Workspace) -> Result<(), Stop> {
        work.scratch.evaluations = 0;
        trees::take_over(model, state);
        Ok(())
    }

    fn step_towards(
        &self,
        model: &Model,
        state: &mut State,
        work: &mut Workspace,
        end: f64,
        report: &mut AccurateReport,
    ) -> Result<(), Stop> {
        match step::step(self, model, state, work, end, report) {
            Err(cause @ Stop::TooShort { .. }) => step::let_go(model, state, work, cause)?,
            made => made?,
        }
        rest_offset::check(model, state)
    }

    fn kick(&self, model: &Model, state: &mut State, work: &mut Workspace) -> Result<(), Stop> {
        kick::give(model, state, work)
    }

    fn finish(&self, work: &mut Workspace, report: &mut AccurateReport) {
        report.evaluations = work.scratch.evaluations;
    }

    fn ends_at_breaks(&self) -> bool {
        true
    }

    fn most_steps(&self) -> u64 {
        self.most_steps
    }

    fn events(work: &Workspace) -> &[Event] {
        &work.events
    }

    fn events_mut(work: &mut Workspace) -> &mut Vec<Event> {
        &mut work.events
    }

    fn contact_results<'a>(
        &self,
        model: &Model,
        state: &State,
        work: &'a mut Workspace,
    ) -> Result<&'a [ContactResult], Stop> {
        work.look(model, state)
    }

    fn ledger(&self, model: &Model, state: &State, work: &mut Workspace) -> Result<Ledger, Stop> {
        ledger(model, state, work)
    }
}

impl Accurate {
    /// Near pairs and contacts anew, for a state that others left and [`Workspace::view`] has looked at.
    pub(crate) fn renew(&self, model: &Model, state: &mut State, work: &mut Workspace) -> Result<(), Stop> {
        step::refresh(model, state, work)
    }
}

impl Workspace {
    /// Rates asked for since the advance began.
    pub(crate) fn evaluations(&self) -> u64 {
        self.scratch.evaluations
    }

    /// Events of the last advance, in order.
    pub fn events(&self) -> &[Event] {
        &self.events
    }
}

//! # Stepper: the one frame in which every stepper carries a state through time
//!
//! - **in**: a model, a state, a time to reach
//! - **out**: the state then; events, contact results, ledger, report
//! - **not here**: how one step is made (`steppers`)
//! - **start at** [`Stepper::advance`]

use super::Event;
use super::kick;
use super::results::ContactResult;
use super::stop::{RunError, Stop, name};
use crate::drive::{self, Commands, Controller, DriveKind};
use crate::energy::Ledger;
use crate::model::Model;
use crate::model::check::ModelError;
use crate::state::State;

/// What an advance cost, and how well it went: fields that every stepper has.
pub trait Report: Default {
    /// Steps made.
    fn steps(&self) -> u64;
    /// A step was made.
    fn count_step(&mut self);
    /// Takes in the report of a further advance.
    fn add(&mut self, other: &Self);
    /// How often the work that a step consists of was done: evaluations of rates, Newton steps, solves.
    fn effort(&self) -> u64;
    /// Solutions that missed their tolerance.
    fn unsolved(&self) -> u64;
}

/// A way to carry a state through time.
pub trait Stepper {
    /// Scratch of this stepper, sized from a model; losing it loses nothing.
    type Workspace;
    /// What an advance cost.
    type Report: Report;

    /// Scratch for a model, warmed by a state of it. Fails where the model has something that this stepper does not know.
    fn workspace(&self, model: &Model, state: &State) -> Result<Self::Workspace, ModelError>;

    /// One step, not beyond `end`. After an error the state is the last good one.
    fn step_towards(
        &self,
        model: &Model,
        state: &mut State,
        work: &mut Self::Workspace,
        end: f64,
        report: &mut Self::Report,
    ) -> Result<(), Stop>;

    /// Takes over a state that another stepper may have left.
    fn take_over(&self, model: &Model, state: &mut State, work: &mut Self::Workspace) -> Result<(), Stop>;

    /// Gives the kicks that are due.
    fn kick(&self, model: &Model, state: &mut State, work: &mut Self::Workspace) -> Result<(), Stop> {
        let _ = work;
        kick::give(model, state)
    }

    /// An advance ends.
    fn finish(&self, work: &mut Self::Workspace, report: &mut Self::Report) {
        let _ = (work, report);
    }

    /// Whether steps end where loads stop being smooth.
    fn ends_at_breaks(&self) -> bool;

    /// Steps after which a single advance gives up.
    fn most_steps(&self) -> u64;

    /// Events of the last advance, in order.
    fn events(work: &Self::Workspace) -> &[Event];

    /// Room for events, emptied when an advance begins.
    fn events_mut(work: &mut Self::Workspace) -> &mut Vec<Event>;

    /// What contacts do in a state, in the order of [`State::contacts`]: forces are those that the stepper used.
    fn contact_results<'a>(
        &self,
        model: &Model,
        state: &State,
        work: &'a mut Self::Workspace,
    ) -> Result<&'a [ContactResult], Stop>;

    /// The ledger of a state.
    fn ledger(&self, model: &Model, state: &State, work: &mut Self::Workspace) -> Result<Ledger, Stop>;

    /// Carries the state to a time, exactly; kicks at that time are given. Events on the way are in
    /// [`Stepper::events`]. After an error the state is the last good one.
    #[allow(clippy::result_large_err)] // once in a run
    fn advance(
        &self,
        model: &Model,
        state: &mut State,
        work: &mut Self::Workspace,
        until: f64,
    ) -> Result<Self::Report, RunError> {
        self.advance_while(model, state, work, until, &mut || true)
    }

    /// Advances as long as `go_on` says so; it is asked before each step.
    #[allow(clippy::result_large_err)] // once in a run
    fn advance_while(
        &self,
        model: &Model,
        state: &mut State,
        work: &mut Self::Workspace,
        until: f64,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Self::Report, RunError> {
        Self::events_mut(work).clear();
        let mut report = Self::Report::default();
        self.take_over(model, state, work).map_err(|cause| name(model, state, cause))?;
        self.kick(model, state, work).map_err(|cause| name(model, state, cause))?;
        while state.time < until && go_on() {
            if report.steps() >= self.most_steps() {
                return Err(name(model, state, Stop::TooMany { steps: report.steps() }));
            }
            let end = if self.ends_at_breaks() { next_break(model, state.time, until) } else { until };
            let end = end.min(kick::next(model, state));
            if model.drives().iter().any(|drive| matches!(drive.kind, DriveKind::Grip { .. })) {
                let felt = self.contact_results(model, state, work).map_err(|cause| name(model, state, cause))?;
                drive::sense(model, state, felt);
            }
            self.step_towards(model, state, work, end, &mut report).map_err(|cause| name(model, state, cause))?;
            report.count_step();
            self.kick(model, state, work).map_err(|cause| name(model, state, cause))?;
        }
        self.finish(work, &mut report);
        Ok(report)
    }

    /// Advances with a controller that is asked at the start and then every `period` (s). A command that cannot be, such as
    /// one that is not a number, stops the run with its cause.
    #[allow(clippy::result_large_err)] // once in a run
    fn advance_controlled(
        &self,
        model: &Model,
        state: &mut State,
        work: &mut Self::Workspace,
        until: f64,
        period: f64,
        controller: &mut dyn Controller,
    ) -> Result<Self::Report, RunError> {
        let mut report = Self::Report::default();
        let mut commands = Commands::default();
        let (start, mut asked) = (state.time, 0_u64);
        while state.time < until {
            commands.clear();
            controller.control(model, state, &mut commands);
            let given = commands.give(model, state);
            given.map_err(|cause| name(model, state, Stop::Command { cause: Box::new(cause) }))?;
            asked += 1;
            // A period that is no positive number asks once.
            let next = if period > 0.0 { (start + period * asked as f64).min(until) } else { until };
            report.add(&self.advance(model, state, work, next)?);
        }
        Ok(report)
    }
}

/// The next time at which forces stop being smooth, or the end.
fn next_break(model: &Model, t: f64, until: f64) -> f64 {
    let ends = model.loads().iter().flat_map(|load| load.profile.breaks());
    let knots = model.drives().iter().filter_map(|drive| drive.reference.next_break(t));
    let poses = model.impedances().iter().filter_map(|one| one.reference.next_break(t));
    ends.filter(|end| *end > t).chain(knots).chain(poses).fold(until, f64::min)
}

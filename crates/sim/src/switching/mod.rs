//! # Switching: explicit steps while they go on, implicit ones where they do not
//!
//! `steppers::accurate`, `steppers::fixed` ──▶ **here** ──(a run that comes to its end)──▶ whoever asked
//!
//! - **in**: a model, a state, a time to reach, a tolerance
//! - **out**: the state then; a [`SwitchingReport`] that says for how long implicit steps carried
//! - **not here**: explicit steps with located events ([`Accurate`]); one implicit step ([`FixedStep`]); how these are made
//!   accurate ([`implicit`])
//! - **assumes**: both steppers solve the same equations, and either goes on from the state that the other leaves
//! - **start at** [`Switching::step_towards`](Stepper::step_towards)
//!
//! Explicit steps end where no step is short enough (events that crowd, forces whose direction is lost as they vanish), and
//! crawl where stability and not accuracy limits them (a box that lies or slides on stiff springs). There implicit steps
//! of the same error take over for a spell, and give back. After the idea of LSODA (Petzold, SIAM J. Sci. Stat. Comput. 4
//! (1983) 136): whichever costs less per time carries; explicit steps have their turn again after each spell. Costs are counted
//! in evaluations, not in seconds, so that runs repeat bit by bit. [Decision 0011](../../../../docs/decisions/0011-switching.md).

mod columns;
mod implicit;
mod joints;

use crate::contacts::rest_offset;
use crate::energy::Ledger;
use crate::model::Model;
use crate::model::check::ModelError;
use crate::run::{ContactResult, Event, Report, Stepper, Stop};
use crate::state::{BodyState, ContactMode, ImplicitMemory, State, Stride};
use crate::steppers::accurate::{Accurate, AccurateReport, Workspace};
use crate::steppers::fixed::FixedWorkspace;
use columns::Columns;
use implicit::Carried;

/// Rates after which explicit steps are judged.
const WINDOW: f64 = 20_000.0;
/// Rates per second (of the motion) up to which nobody asks whether implicit steps would cost less.
const CHEAP: f64 = 1e7;
/// Implicit steps stay where they cost less than this share of explicit ones: they locate no events, and their ledger closes
/// only as well as their tolerance.
const GAIN: f64 = 0.1;
/// Speed (m/s) from which on nothing takes over from explicit steps that fail: that of light.
const FASTEST: f64 = 3e8;
/// What a trial of implicit steps may cost, in rates.
const TRIAL: f64 = 4_000.0;
/// The first spell after explicit steps failed, after they crawled, and the longest (s).
const SPELLS: [f64; 3] = [1e-3, 1e-2, 0.1];

/// The accurate stepper as programs run it: it does not give up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Switching {
    /// Explicit steps, and the tolerance of both.
    pub accurate: Accurate,
}

/// What an advance cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SwitchingReport {
    /// Of explicit steps; `steps` and `position_error` are those of both.
    pub accurate: AccurateReport,
    /// Of implicit steps.
    pub implicit: ImplicitReport,
}

/// What implicit steps carried.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ImplicitReport {
    /// For how long (s).
    pub time: f64,
    /// How often they took over because no explicit step was short enough.
    pub failed: u64,
    /// … and because explicit steps crawled.
    pub crawled: u64,
    /// Steps accepted, each of several columns.
    pub steps: u64,
    /// Steps made again, shorter.
    pub rejected: u64,
    /// Steps that are as short as may be and above the tolerance.
    pub rough: u64,
    /// Fixed steps in all columns.
    pub parts: u64,
}

impl ImplicitReport {
    fn add(&mut self, other: &Self) {
        self.time += other.time;
        self.failed += other.failed;
        self.crawled += other.crawled;
        self.steps += other.steps;
        self.rejected += other.rejected;
        self.rough += other.rough;
        self.parts += other.parts;
    }
}

impl Report for SwitchingReport {
    fn steps(&self) -> u64 {
        self.accurate.steps
    }

    fn count_step(&mut self) {
        self.accurate.count_step();
    }

    fn add(&mut self, other: &Self) {
        self.accurate.add(&other.accurate);
        self.implicit.add(&other.implicit);
    }

    fn effort(&self) -> u64 {
        self.accurate.effort()
    }

    fn unsolved(&self) -> u64 {
        0
    }
}

/// Scratch of both steppers; losing it loses nothing.
#[derive(Clone, Debug)]
pub struct SwitchingWorkspace {
    accurate: Workspace,
    /// None where the model has something that implicit steps do not know.
    fixed: Option<FixedWorkspace>,
    columns: Columns,
}

impl Switching {
    /// Explicit steps as they are, implicit ones where these fail or crawl.
    fn explicit(
        &self,
        model: &Model,
        state: &mut State,
        work: &mut SwitchingWorkspace,
        end: f64,
        report: &mut SwitchingReport,
    ) -> Result<(), Stop> {
        let before = work.accurate.evaluations();
        let began = state.time;
        let made = self.accurate.step_towards(model, state, &mut work.accurate, end, &mut report.accurate);
        if work.fixed.is_none() {
            return made;
        }
        let memory = &mut state.accurate.implicit;
        memory.rates += (work.accurate.evaluations() - before) as f64;
        match made {
            Err(cause @ (Stop::TooShort { .. } | Stop::Track { .. } | Stop::Law { .. })) => {
                report.implicit.failed += 1;
                begin_spell(model, state, (began, SPELLS[0]))?;
                match implicit::carry(&self.accurate, model, state, work, end, f64::INFINITY, report) {
                    Ok(_) if !state.bodies.iter().all(is_slow) => Err(cause),
                    Ok(_) => self.give_back_if_due(model, state, work),
                    // They know no better: the first cause stands.
                    Err(_) if state.time <= began => Err(cause),
                    Err(other) => Err(other),
                }
            }
            Err(other) => Err(other),
            Ok(()) => {
                if memory.rates < WINDOW {
                    return Ok(());
                }
                let cost = memory.rates / (state.time - memory.since).max(f64::MIN_POSITIVE);
                (memory.since, memory.rates) = (state.time, 0.0);
                // What was found of implicit steps is forgotten by and by.
                memory.cost[1] *= 0.7;
                let crawls = cost > CHEAP.max(memory.cost[1]);
                memory.cost[0] = cost;
                if crawls && presses(model, state) && state.time < end {
                    return self.try_implicit(model, state, work, end, report);
                }
                Ok(())
            }
        }
    }

    /// Some implicit steps on trial: they stay if they cost less than explicit ones.
    fn try_implicit(
        &self,
        model: &Model,
        state: &mut State,
        work: &mut SwitchingWorkspace,
        end: f64,
        report: &mut SwitchingReport,
    ) -> Result<(), Stop> {
        let saved = state.clone();
        let (events, counted) = (work.accurate.events.len(), *report);
        begin_spell(model, state, (saved.time, SPELLS[1]))?;
        let carried = implicit::carry(&self.accurate, model, state, work, end, TRIAL, report);
        if let Ok(Carried { cost, rough: 0 }) = carried {
            let per_time = cost / (state.time - saved.time).max(f64::MIN_POSITIVE);
            if per_time < GAIN * saved.accurate.implicit.cost[0] {
                state.accurate.implicit.cost[1] = per_time;
                report.implicit.crawled += 1;
                return self.give_back_if_due(model, state, work);
            }
            *state = saved;
            state.accurate.implicit.cost[1] = 2.0 * per_time;
        } else {
            let cost = saved.accurate.implicit.cost[0];
            *state = saved;
            state.accurate.implicit.cost[1] = 4.0 * cost;
        }
        work.accurate.events.truncate(events);
        *report = counted;
        Ok(())
    }

    /// Explicit steps again, where the spell is over or nothing is pressed any more.
    fn give_back_if_due(&self, model: &Model, state: &mut State, work: &mut SwitchingWorkspace) -> Result<(), Stop> {
        if state.time < state.accurate.implicit.until && presses(model, state) {
            return Ok(());
        }
        let memory = &mut state.accurate.implicit;
        *memory = ImplicitMemory { until: state.time, since: state.time, rates: 0.0, ..*memory };
        state.accurate.stride = Stride { h: memory.h.min(1e-5), column: 4 };
        state.accurate.quiet = 0.0;
        state.accurate.quiet_until = state.time;
        columns::settle(model, state)?;
        work.accurate.view(model, state)?;
        self.accurate.renew(model, state, &mut work.accurate)
    }
}

impl Stepper for Switching {
    type Workspace = SwitchingWorkspace;
    type Report = SwitchingReport;

    fn workspace(&self, model: &Model, state: &State) -> Result<SwitchingWorkspace, ModelError> {
        Ok(SwitchingWorkspace {
            accurate: self.accurate.workspace(model, state)?,
            fixed: FixedWorkspace::new(model).ok(),
            columns: Columns::default(),
        })
    }

    fn take_over(&self, model: &Model, state: &mut State, work: &mut SwitchingWorkspace) -> Result<(), Stop> {
        self.accurate.take_over(model, state, &mut work.accurate)
    }

    fn step_towards(
        &self,
        model: &Model,
        state: &mut State,
        work: &mut SwitchingWorkspace,
        end: f64,
        report: &mut SwitchingReport,
    ) -> Result<(), Stop> {
        if state.time < state.accurate.implicit.until && work.fixed.is_some() {
            implicit::carry(&self.accurate, model, state, work, end, 0.0, report)?;
            self.give_back_if_due(model, state, work)?;
        } else {
            self.explicit(model, state, work, end, report)?;
        }
        rest_offset::check(model, state)
    }

    fn kick(&self, model: &Model, state: &mut State, work: &mut SwitchingWorkspace) -> Result<(), Stop> {
        self.accurate.kick(model, state, &mut work.accurate)
    }

    fn finish(&self, work: &mut SwitchingWorkspace, report: &mut SwitchingReport) {
        self.accurate.finish(&mut work.accurate, &mut report.accurate);
    }

    fn ends_at_breaks(&self) -> bool {
        true
    }

    fn most_steps(&self) -> u64 {
        u64::MAX
    }

    fn events(work: &SwitchingWorkspace) -> &[Event] {
        work.accurate.events()
    }

    fn events_mut(work: &mut SwitchingWorkspace) -> &mut Vec<Event> {
        &mut work.accurate.events
    }

    fn contact_results<'a>(
        &self,
        model: &Model,
        state: &State,
        work: &'a mut SwitchingWorkspace,
    ) -> Result<&'a [ContactResult], Stop> {
        self.accurate.contact_results(model, state, &mut work.accurate)
    }

    fn ledger(&self, model: &Model, state: &State, work: &mut SwitchingWorkspace) -> Result<Ledger, Stop> {
        self.accurate.ledger(model, state, &mut work.accurate)
    }
}

/// Implicit steps begin: spells that follow soon on each other become longer.
fn begin_spell(model: &Model, state: &mut State, (time, least): (f64, f64)) -> Result<(), Stop> {
    columns::settle(model, state)?;
    let h = state.accurate.stride.h;
    let memory = &mut state.accurate.implicit;
    let soon = memory.spell > 0.0 && time - memory.until <= 2.0 * memory.spell;
    memory.spell = if soon { (2.0 * memory.spell).clamp(least, SPELLS[2]) } else { least };
    memory.until = time + memory.spell;
    if memory.h <= 0.0 {
        memory.h = h.clamp(1e-7, 1e-4);
    }
    Ok(())
}

/// Whether a body is slow enough for its motion to mean anything.
fn is_slow(body: &BodyState) -> bool {
    body.V_WBcm.v.norm() < FASTEST
}

/// Whether anything is pressed, or joints may be stiff.
fn presses(model: &Model, state: &State) -> bool {
    model.trees().iter().any(joints::may_be_stiff)
        || state.contacts.iter().any(|contact| contact.mode != ContactMode::Free)
}

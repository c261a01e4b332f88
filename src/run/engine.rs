//! # Engine: the stepper that a scene asks for
//!
//! - **in**: `[solver]` of a scene
//! - **out**: a state carried on; events; what it cost, for the summary
//! - **start at** [`Engine::new`], then [`Engine::advance`]

use crate::outcome::Failure;
use fingerpad_files::scene::{Formulation, Solver, Stepper};
use fingerpad_sim::{
    Accurate, Complementarity, ContactView, Event, Fast, FastReport, FastWorkspace, Ledger, Model, Report, RunError,
    Solver as Impulses, State, StepReport, Workspace, ledger,
};
use serde_json::{Value, json};

/// Step of fixed steps where a scene says nothing (s).
const STEP: f64 = 1e-3;

/// A stepper with its scratch and what it has cost so far.
pub enum Engine {
    /// Error-controlled, events located.
    Accurate {
        /// Its settings.
        stepper: Accurate,
        /// What it cost.
        report: Report,
    },
    /// Rigid contacts, one impulse a step.
    Rigid {
        /// Its settings.
        stepper: Complementarity,
        /// What it cost.
        report: StepReport,
    },
    /// Fixed steps.
    Fast {
        /// Its settings.
        stepper: Fast,
        /// Its scratch.
        work: Box<FastWorkspace>,
        /// What it cost.
        report: FastReport,
    },
}

impl Engine {
    /// The stepper that a scene asks for; the fast one uses up to this many threads.
    pub fn new(solver: &Solver, model: &Model, threads: usize) -> Result<Self, Failure> {
        if solver.formulation == Formulation::Complementarity {
            let mut stepper = Complementarity::with_step(solver.step.unwrap_or(STEP));
            stepper.restitution.clone_from(&solver.restitution);
            stepper.threshold = solver.bounce_threshold.unwrap_or(stepper.threshold);
            if let Some((around, up)) = solver.hull {
                stepper.solver = Impulses::Lemke { around, up };
            }
            return Ok(Self::Rigid { stepper, report: StepReport::default() });
        }
        Ok(match solver.stepper {
            Stepper::Accurate => {
                let mut stepper = Accurate::default();
                if let Some(tolerance) = solver.tolerance {
                    stepper.relative = tolerance;
                    stepper.absolute = 0.1 * tolerance;
                }
                stepper.longest = solver.longest_step.unwrap_or(stepper.longest);
                Self::Accurate { stepper, report: Report::default() }
            }
            Stepper::Fast => {
                let work = FastWorkspace::new(model).map_err(|e| Failure(e.to_string()))?.with_threads(threads);
                let stepper = Fast { step: solver.step.unwrap_or(STEP), sleep: solver.sleep, ..Fast::default() };
                Self::Fast { stepper, work: Box::new(work), report: FastReport::default() }
            }
        })
    }

    /// Carries a state on, as long as `go_on` says so. `view` is scratch for looking at states.
    #[allow(clippy::result_large_err)] // once in a run
    pub fn advance(
        &mut self,
        model: &Model,
        state: &mut State,
        view: &mut Workspace,
        until: f64,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), RunError> {
        match self {
            Self::Accurate { stepper, report } => {
                report.add(&stepper.advance_while(model, state, view, until, go_on)?);
            }
            Self::Rigid { stepper, report } => {
                report.add(&stepper.advance_while(model, state, view, until, go_on)?);
            }
            Self::Fast { stepper, work, report } => {
                report.add(&stepper.advance_while(model, state, work, until, go_on)?);
            }
        }
        Ok(())
    }

    /// Events of the last advance; `view` is what it was given.
    pub fn events<'a>(&'a self, view: &'a Workspace) -> &'a [Event] {
        match self {
            Self::Accurate { .. } | Self::Rigid { .. } => view.events(),
            Self::Fast { work, .. } => work.events(),
        }
    }

    /// The ledger of a state.
    pub fn ledger(&self, model: &Model, state: &State, view: &mut Workspace) -> Result<Ledger, Failure> {
        match self {
            Self::Rigid { stepper, .. } => Ok(stepper.ledger(model, state)),
            _ => ledger(model, state, view).map_err(|e| Failure(e.to_string())),
        }
    }

    /// What the contacts of a state look like.
    pub fn views<'a>(
        &self,
        model: &Model,
        state: &State,
        view: &'a mut Workspace,
    ) -> Result<&'a [ContactView], Failure> {
        let found = match self {
            Self::Rigid { stepper, .. } => stepper.views(model, state, view),
            _ => view.look(model, state),
        };
        found.map_err(|e| Failure(e.to_string()))
    }

    /// Length of fixed steps whose springs must be resolved (s).
    pub fn step(&self) -> Option<f64> {
        match self {
            Self::Accurate { .. } | Self::Rigid { .. } => None,
            Self::Fast { stepper, .. } => Some(stepper.step),
        }
    }

    /// What it has cost so far.
    pub fn costs(&self) -> Costs {
        match self {
            Self::Accurate { stepper, report } => Costs::Accurate { tolerance: stepper.relative, report: *report },
            Self::Rigid { stepper, report } => Costs::Rigid { step: stepper.step, report: *report },
            Self::Fast { stepper, report, .. } => Costs::Fast { step: stepper.step, report: *report },
        }
    }
}

/// What a stepper has cost so far.
#[derive(Clone, Copy, Debug)]
pub enum Costs {
    /// Of the accurate stepper.
    Accurate {
        /// Error allowed in a step, relative.
        tolerance: f64,
        /// Counts.
        report: Report,
    },
    /// Of rigid contacts.
    Rigid {
        /// Length of a step (s).
        step: f64,
        /// Counts.
        report: StepReport,
    },
    /// Of fixed steps.
    Fast {
        /// Length of a step (s).
        step: f64,
        /// Counts.
        report: FastReport,
    },
}

impl Costs {
    /// Steps made.
    pub fn steps(&self) -> u64 {
        match self {
            Self::Accurate { report, .. } => report.steps,
            Self::Rigid { report, .. } => report.steps,
            Self::Fast { report, .. } => report.steps,
        }
    }

    /// The counts by name.
    pub fn fields(&self) -> Value {
        match self {
            Self::Accurate { tolerance, report } => json!({
                "steps": report.steps,
                "rejected_steps": report.rejected,
                "evaluations": report.evaluations,
                "tolerance": tolerance,
                "position_error_estimate": report.position_error,
            }),
            Self::Rigid { step, report } => json!({
                "steps": report.steps,
                "step": step,
                "shortened_steps": report.shortened,
                "solves": report.solves,
                "unsolved": report.unsolved,
                "unsettled": report.unsettled,
                "residual": report.residual,
                "fallbacks": report.fallbacks,
                "calmed": report.calmed,
                "penetration": report.penetration,
                "painleve": report.painleve,
                "E_impacts": report.impacts,
                "E_projected": report.projected,
            }),
            Self::Fast { step, report } => json!({
                "steps": report.steps,
                "step": step,
                "repeated_steps": report.repeated,
                "newton_steps": report.newton,
                "unconverged": report.unconverged,
                "friction_limits_open": report.open,
                "least_loss": report.least_loss,
            }),
        }
    }

    /// The counts in two lines: name and text of each.
    pub fn lines(&self, wall: f64) -> [(&'static str, String); 2] {
        let rate = self.steps() as f64 / wall;
        match self {
            Self::Accurate { tolerance, report } => [
                (
                    "steps",
                    format!(
                        "{} ({} rejected), {rate:.0} steps/s, {} rates",
                        report.steps, report.rejected, report.evaluations
                    ),
                ),
                (
                    "accuracy",
                    format!(
                        "tolerance {:e} a step; estimated error of positions {:.1e} m",
                        tolerance, report.position_error
                    ),
                ),
            ],
            Self::Rigid { step, report } => [
                ("steps", format!("{} of {:e} s, {rate:.0} steps/s, {} solves", report.steps, step, report.solves)),
                (
                    "accuracy",
                    format!(
                        "worst residual {:.1e} m/s, {} unsolved; deepest overlap {:.1e} m; impacts took {:.6} J",
                        report.residual, report.unsolved, report.penetration, report.impacts
                    ),
                ),
            ],
            Self::Fast { step, report } => [
                (
                    "steps",
                    format!(
                        "{} of {:e} s ({} repeated), {rate:.0} steps/s, {} Newton steps",
                        report.steps, step, report.repeated, report.newton
                    ),
                ),
                (
                    "accuracy",
                    format!(
                        "{} searches unconverged, {} friction limits open; least loss of a step {:.1e} J",
                        report.unconverged, report.open, report.least_loss
                    ),
                ),
            ],
        }
    }
}

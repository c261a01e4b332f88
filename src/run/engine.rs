//! # Engine: the stepper that a scene asks for
//!
//! - **in**: `[solver]` of a scene
//! - **out**: a state carried on; events, contact results, ledger; what it cost, for the summary
//! - **start at** [`Engine::new`], then [`Engine::advance`]

use crate::outcome::Failure;
use fingerpad_files::scene::{Formulation, Solver, Stepper as Asked};
use fingerpad_sim::{
    ContactResult, Event, FixedReport, FixedStep, ImplicitReport, Ledger, Model, Report, Rigid, RigidReport, RunError,
    Solver as Impulses, State, Stepper, Switching, SwitchingReport,
};
use serde_json::{Value, json};

/// Step of fixed steps where a scene says nothing (s).
const STEP: f64 = 1e-3;
/// Longest step of fixed steps with a tolerance where a scene says nothing (s).
const LONGEST: f64 = 5e-3;

/// A stepper with its scratch and what it has cost so far.
pub struct Drive<S: Stepper> {
    stepper: S,
    work: S::Workspace,
    report: S::Report,
}

impl<S: Stepper> Drive<S> {
    fn new(stepper: S, model: &Model, state: &State) -> Result<Self, Failure> {
        let work = stepper.workspace(model, state).map_err(|e| Failure(e.to_string()))?;
        Ok(Self { stepper, work, report: S::Report::default() })
    }

    #[allow(clippy::result_large_err)] // once in a run
    fn advance(
        &mut self,
        model: &Model,
        state: &mut State,
        until: f64,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), RunError> {
        self.report.add(&self.stepper.advance_while(model, state, &mut self.work, until, go_on)?);
        Ok(())
    }
}

/// The stepper that a scene asks for.
pub enum Engine {
    /// Error-controlled, events located; implicit steps where explicit ones fail.
    Accurate(Box<Drive<Switching>>),
    /// Rigid contacts, one impulse a step.
    Rigid(Box<Drive<Rigid>>),
    /// Fixed steps.
    Fixed(Box<Drive<FixedStep>>),
}

/// The same of whichever stepper it is.
macro_rules! each {
    ($engine:expr, $drive:ident => $answer:expr) => {
        match $engine {
            Engine::Accurate($drive) => $answer,
            Engine::Rigid($drive) => $answer,
            Engine::Fixed($drive) => $answer,
        }
    };
}

impl Engine {
    /// The stepper that a scene asks for; fixed steps use up to this many threads.
    pub fn new(solver: &Solver, model: &Model, state: &State, threads: usize) -> Result<Self, Failure> {
        if solver.formulation == Formulation::Complementarity {
            let mut stepper = Rigid::with_step(solver.step.unwrap_or(STEP));
            stepper.restitution.clone_from(&solver.restitution);
            stepper.threshold = solver.bounce_threshold.unwrap_or(stepper.threshold);
            if let Some((around, up)) = solver.hull {
                stepper.solver = Impulses::Lemke { around, up };
            }
            return Ok(Self::Rigid(Box::new(Drive::new(stepper, model, state)?)));
        }
        Ok(match solver.stepper {
            Asked::Accurate => {
                let mut stepper = Switching::default();
                let explicit = &mut stepper.accurate;
                if let Some(tolerance) = solver.tolerance {
                    explicit.relative = tolerance;
                    explicit.absolute = 0.1 * tolerance;
                }
                explicit.longest = solver.longest_step.unwrap_or(explicit.longest);
                Self::Accurate(Box::new(Drive::new(stepper, model, state)?))
            }
            Asked::Fast => {
                // A step that is given stays; a tolerance takes its place, up to the longest step.
                let tolerance = solver.tolerance.filter(|_| solver.step.is_none());
                let longest = if tolerance.is_some() { solver.longest_step.unwrap_or(LONGEST) } else { STEP };
                let step = solver.step.unwrap_or(longest);
                let stepper = FixedStep { step, sleep: solver.sleep, tolerance, ..FixedStep::default() };
                let Drive { stepper, work, report } = Drive::new(stepper, model, state)?;
                Self::Fixed(Box::new(Drive { stepper, work: work.with_threads(threads), report }))
            }
        })
    }

    /// Carries a state on, as long as `go_on` says so.
    #[allow(clippy::result_large_err)] // once in a run
    pub fn advance(
        &mut self,
        model: &Model,
        state: &mut State,
        until: f64,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), RunError> {
        each!(self, drive => drive.advance(model, state, until, go_on))
    }

    /// Events of the last advance.
    pub fn events(&self) -> &[Event] {
        match self {
            Self::Accurate(drive) => Switching::events(&drive.work),
            Self::Rigid(drive) => Rigid::events(&drive.work),
            Self::Fixed(drive) => FixedStep::events(&drive.work),
        }
    }

    /// The ledger of a state.
    pub fn ledger(&mut self, model: &Model, state: &State) -> Result<Ledger, Failure> {
        each!(self, drive => Stepper::ledger(&drive.stepper, model, state, &mut drive.work))
            .map_err(|e| Failure(e.to_string()))
    }

    /// What the contacts of a state do, by the forces that the stepper used.
    pub fn results(&mut self, model: &Model, state: &State) -> Result<&[ContactResult], Failure> {
        each!(self, drive => drive.stepper.contact_results(model, state, &mut drive.work))
            .map_err(|e| Failure(e.to_string()))
    }

    /// Length of fixed steps whose springs must be resolved (s).
    pub fn step(&self) -> Option<f64> {
        match self {
            Self::Accurate(_) | Self::Rigid(_) => None,
            Self::Fixed(drive) => Some(drive.stepper.step).filter(|_| drive.stepper.tolerance.is_none()),
        }
    }

    /// What it has cost so far.
    pub fn costs(&self) -> Costs {
        match self {
            Self::Accurate(drive) => {
                Costs::Accurate { tolerance: drive.stepper.accurate.relative, report: drive.report }
            }
            Self::Rigid(drive) => Costs::Rigid { step: drive.stepper.step, report: drive.report },
            Self::Fixed(drive) => {
                let FixedStep { step, tolerance, .. } = drive.stepper;
                Costs::Fixed { step, tolerance, report: drive.report }
            }
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
        report: SwitchingReport,
    },
    /// Of rigid contacts.
    Rigid {
        /// Length of a step (s).
        step: f64,
        /// Counts.
        report: RigidReport,
    },
    /// Of fixed steps.
    Fixed {
        /// Length of a step, or of the longest (s).
        step: f64,
        /// Error allowed in a step, where steps are chosen by it.
        tolerance: Option<f64>,
        /// Counts.
        report: FixedReport,
    },
}

impl Costs {
    /// Steps made.
    pub fn steps(&self) -> u64 {
        self.effort()[0]
    }

    /// Steps made, and what [`Costs::work`] counts.
    pub fn effort(&self) -> [u64; 2] {
        match self {
            Self::Accurate { report, .. } => [report.steps(), report.effort()],
            Self::Rigid { report, .. } => [report.steps(), report.effort()],
            Self::Fixed { report, .. } => [report.steps(), report.effort()],
        }
    }

    /// Name of the work that steps consist of.
    pub fn work(&self) -> &'static str {
        match self {
            Self::Accurate { .. } => "evaluations of rates",
            Self::Rigid { .. } => "solves",
            Self::Fixed { .. } => "Newton steps",
        }
    }

    /// The counts by name.
    pub fn fields(&self) -> Value {
        match self {
            Self::Accurate { tolerance, report } => json!({
                "steps": report.accurate.steps,
                "rejected_steps": report.accurate.rejected,
                "evaluations": report.accurate.evaluations,
                "tolerance": tolerance,
                "position_error_estimate": report.accurate.position_error,
                "implicit_time": report.implicit.time,
                "implicit_steps": report.implicit.steps,
                "implicit_steps_rough": report.implicit.rough,
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
            Self::Fixed { step, tolerance, report } => {
                let mut fields = json!({
                    "steps": report.steps,
                    "step": step,
                    "repeated_steps": report.repeated,
                    "newton_steps": report.newton,
                    "unconverged": report.unconverged,
                    "friction_limits_open": report.open,
                    "least_loss": report.least_loss,
                    "short_impacts": report.impacts,
                    "impact_parts": report.impact_parts,
                    "crowded_steps": report.crowded,
                });
                if let Some(tolerance) = tolerance {
                    fields["tolerance"] = json!(tolerance);
                    fields["rejected_steps"] = json!(report.rejected);
                    fields["rough_steps"] = json!(report.rough);
                }
                fields
            }
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
                        "{} ({} rejected), {rate:.0} steps/s, {} rates{}",
                        report.accurate.steps,
                        report.accurate.rejected,
                        report.accurate.evaluations,
                        implicit(&report.implicit)
                    ),
                ),
                (
                    "accuracy",
                    format!(
                        "tolerance {:e} a step; estimated error of positions {:.1e} m",
                        tolerance, report.accurate.position_error
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
            Self::Fixed { step, tolerance, report } => [
                (
                    "steps",
                    format!(
                        "{} of {}{:e} s ({} repeated{}), {rate:.0} steps/s, {} Newton steps{}",
                        report.steps,
                        if tolerance.is_some() { "at most " } else { "" },
                        step,
                        report.repeated,
                        tolerance.map_or_else(String::new, |_| format!(", {} rejected", report.rejected)),
                        report.newton,
                        impacts(report)
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

/// Impacts that steps were cut for, if there were any.
fn impacts(report: &FixedReport) -> String {
    let FixedReport { impacts, impact_parts, .. } = report;
    if *impacts > 0 { format!("; {impacts} short impacts in {impact_parts} parts") } else { String::new() }
}

/// For how long implicit steps carried, if they did.
fn implicit(report: &ImplicitReport) -> String {
    let ImplicitReport { time, steps, rough, .. } = report;
    let above = if *rough > 0 { format!(", {rough} above the tolerance") } else { String::new() };
    if *steps > 0 { format!("; implicit for {time:.3} s ({steps} steps{above})") } else { String::new() }
}

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
pub(crate) mod step;

use crate::body::BodyId;
use crate::forgiven;
use crate::interactions::Pair;
use crate::kick;
use crate::model::Model;
use crate::state::{ContactMode, State};
use crate::workspace::Workspace;
use fingerpad_contact::law::LawError;
use fingerpad_contact::track::TrackError;
use nalgebra::Point3;

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

/// A contact changed its mode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// When (s).
    pub time: f64,
    /// Body A of the contact.
    pub a: BodyId,
    /// Body B.
    pub b: BodyId,
    /// Which of the contacts of A and B.
    pub id: u64,
    /// What it was doing.
    pub from: ContactMode,
    /// What happened.
    pub kind: EventKind,
}

/// What happened to a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// Touchdown.
    On,
    /// Release.
    Off,
    /// The normal force reached zero while the bodies overlap.
    Clamp,
    /// It became positive again.
    Unclamp,
    /// Slip began.
    Slip,
    /// Slip ended.
    Stick,
    /// Rigid contacts: slip drove an impulse that does not vanish with the step (Painlevé).
    Painleve,
}

impl EventKind {
    /// The name in event lists.
    pub fn name(self) -> &'static str {
        match self {
            EventKind::On => "on",
            EventKind::Off => "off",
            EventKind::Clamp => "clamp",
            EventKind::Unclamp => "unclamp",
            EventKind::Slip => "slip",
            EventKind::Stick => "stick",
            EventKind::Painleve => "painleve",
        }
    }
}

/// What an advance cost, and how far off it may be.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
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

impl Report {
    /// Takes in the report of a further advance.
    pub fn add(&mut self, other: &Self) {
        self.steps += other.steps;
        self.rejected += other.rejected;
        self.evaluations += other.evaluations;
        self.position_error += other.position_error;
    }
}

/// Why a state cannot be carried on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Stop {
    /// Closest points were lost.
    #[error("{error}")]
    Track {
        /// Which pair.
        pair: Pair,
        /// Why.
        error: TrackError,
    },
    /// A law could not answer.
    #[error("{error}")]
    Law {
        /// Which pair.
        pair: Pair,
        /// Why.
        error: LawError,
    },
    /// No step is short enough.
    #[error("no step down to {h:.1e} s keeps the error within tolerance; the motion diverges or is not smooth")]
    TooShort {
        /// The shortest step tried (s).
        h: f64,
        /// The number with the greatest error.
        number: usize,
    },
    /// A motion that is given leaves double precision.
    #[error("the motion that is given to it is not finite any more")]
    Given {
        /// Which body.
        body: usize,
    },
    /// A kick leaves double precision.
    #[error("its velocity is not finite after a kick")]
    Kick {
        /// Which body.
        body: usize,
    },
    /// Numbers beyond double precision.
    #[error("a pose is no longer a finite number; the motion diverges")]
    NotFinite,
    /// A friction rule of the user's own, where friction must be an ellipsoid.
    #[error(
        "its slip rule is no friction ellipsoid, which complementarity needs; expected a coefficient, two, or none"
    )]
    NoEllipsoid {
        /// Which pair.
        pair: Pair,
    },
    /// A contact overlaps by more than may be forgiven.
    #[error(
        "at ({}) the law forgives {depth:.3e} m of the overlap, above 1e-3 of the smaller body's size, {most:.3e} m: the \
         contact was found too late, or its place jumped",
        [p_W.x, p_W.y, p_W.z].map(|x| format!("{x:.6}")).join(", ")
    )]
    Forgiven {
        /// Which pair.
        pair: Pair,
        /// Where, in the world.
        p_W: Point3<f64>,
        /// Rest offset (m).
        depth: f64,
        /// What it may be (m).
        most: f64,
    },
    /// Velocities leave double precision.
    #[error("its velocity is not finite any more")]
    Diverged {
        /// Which body.
        body: usize,
    },
    /// Bodies that move too fast for their thickness.
    #[error(
        "bodies move so fast that parts of a step down to {h:.1e} s do not keep them from passing each other; shorten the step"
    )]
    TooFast {
        /// The length of the last part (s).
        h: f64,
    },
    /// Too many steps.
    #[error("{steps} steps did not reach the time asked for")]
    TooMany {
        /// Steps made.
        steps: u64,
    },
}

/// A run that stopped: whose motion, when, and why.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{body} at t = {time} s: {cause}")]
pub struct RunError {
    /// The body or pair.
    pub body: String,
    /// When (s).
    pub time: f64,
    /// Why.
    #[source]
    pub cause: Stop,
}

impl Accurate {
    /// Carries the state to a time, exactly; kicks at that time are given. Events on the way are in
    /// [`Workspace::events`]. After an error the state is the last good one.
    #[allow(clippy::result_large_err)] // once in a run
    pub fn advance(
        &self,
        model: &Model,
        state: &mut State,
        work: &mut Workspace,
        until: f64,
    ) -> Result<Report, RunError> {
        self.advance_while(model, state, work, until, &mut || true)
    }

    /// The same, as long as `go_on` says so; it is asked before each step.
    #[allow(clippy::result_large_err)] // once in a run
    pub fn advance_while(
        &self,
        model: &Model,
        state: &mut State,
        work: &mut Workspace,
        until: f64,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Report, RunError> {
        work.events.clear();
        let before = work.scratch.evaluations;
        let mut report = Report::default();
        kick::give(model, state, work).map_err(|cause| name(model, state, cause))?;
        while state.time < until && go_on() {
            if report.steps >= self.most_steps {
                return Err(name(model, state, Stop::TooMany { steps: report.steps }));
            }
            let end = next_break(model, state.time, until).min(kick::next(model, state));
            let made = match step::step(self, model, state, work, end, &mut report) {
                Err(cause @ Stop::TooShort { .. }) => step::let_go(model, state, work, cause),
                made => made,
            };
            made.and_then(|()| forgiven::check(model, state)).map_err(|cause| name(model, state, cause))?;
            report.steps += 1;
            kick::give(model, state, work).map_err(|cause| name(model, state, cause))?;
        }
        report.evaluations = work.scratch.evaluations - before;
        Ok(report)
    }
}

impl Workspace {
    /// Events of the last advance, in order.
    pub fn events(&self) -> &[Event] {
        &self.events
    }
}

/// The next time at which forces stop being smooth, or the end.
pub(crate) fn next_break(model: &Model, t: f64, until: f64) -> f64 {
    let ends = model.loads().iter().flat_map(|load| load.profile.breaks());
    ends.filter(|end| *end > t).fold(until, f64::min)
}

/// Names the body behind a cause.
pub(crate) fn name(model: &Model, state: &State, cause: Stop) -> RunError {
    let body = match &cause {
        Stop::Track { pair, .. }
        | Stop::Law { pair, .. }
        | Stop::NoEllipsoid { pair }
        | Stop::Forgiven { pair, .. } => {
            format!("pair {}", model.pair_name(pair))
        }
        Stop::TooShort { number, .. } => {
            let place = number / crate::workspace::PER_BODY;
            let found = model.places().iter().position(|p| *p == Some(place));
            let contact =
                number.saturating_sub(crate::workspace::PER_BODY * model.free_count()) / crate::workspace::PER_CONTACT;
            match found {
                Some(body) => format!("body `{}`", model.bodies()[body].name),
                None => match state.contacts.get(contact) {
                    Some(contact) => format!("pair {}", model.pair_name(&contact.pair)),
                    None => "the work of loads".to_string(),
                },
            }
        }
        Stop::Given { body } | Stop::Kick { body } | Stop::Diverged { body } => {
            format!("body `{}`", model.bodies()[*body].name)
        }
        Stop::TooMany { .. } | Stop::NotFinite | Stop::TooFast { .. } => "the run".to_string(),
    };
    RunError { body, time: state.time, cause }
}

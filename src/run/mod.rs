//! # A run: a scene carried through its time, with rows, files, checks
//!
//! `fingerpad_files::scene` ──(model, settings)──▶ **here** ──▶ `summary.json`, CSV files, verdicts, `run.mcap`, `report.html`
//!
//! - **in**: a [`Request`]: what a scene was built to, where files go, perhaps a state to go on from
//! - **out**: [`Ended`]: status, summary, table
//! - **not here**: options (`cli::run`); how bodies move (`fingerpad_sim`)
//! - **start at** [`run`]
//!
//! A row every `[record] period`: whole multiples of it, and the end. Steps end at rows, so that a run continued from a
//! row makes the same steps as one that was not interrupted.

pub mod clock;
mod engine;
mod frame;
pub mod held;
mod history;
pub mod kept;
mod lost;
mod mechanism;
pub mod paused;
mod quality;
pub mod recorded;
pub mod row;
pub mod saved;
pub mod shipped;
mod summary;

use crate::grasp::touching::Sight;
use crate::outcome::{self, Failure};
use crate::report::run as report;
use clock::Stopwatch;
use engine::{Costs, Engine};
use fingerpad_contact::surface::Surface;
use fingerpad_contact::track::FaceContact;
use fingerpad_files::recording::{Frame, Recorder};
use fingerpad_files::scene::Built;
use fingerpad_sim::{Body, BodyState, ContactMode, Event, Ledger, Mobility, Model, RunError, State, Stop};
use held::Held;
use history::History;
use kept::Kept;
use lost::{Lookout, lost_bodies};
use quality::Gauge;
pub use quality::Grade;
use row::{Files, Row, Touches, energies};
use saved::{Header, Measure, Origin, Saved};
use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What to run.
pub struct Request {
    /// The scene.
    pub built: Built,
    /// Hash of the scene and its overrides.
    pub hash: String,
    /// Where the scene came from.
    pub source: recorded::Source,
    /// Where to go on from.
    pub from: Option<Saved>,
    /// Folder of the files.
    pub out: PathBuf,
    /// Where the last state goes, and what it is from.
    pub save_state: Option<(PathBuf, Origin)>,
    /// Whether stdout is to have `summary.json` instead of a table.
    pub json: bool,
    /// Whether progress is shown.
    pub shown: bool,
    /// Most threads to use.
    pub threads: usize,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It reached its end.
    Completed,
    /// Ctrl-C.
    Interrupted,
    /// The motion could not be carried on.
    Diverged,
    /// It was not carried on: the next numbers would have been wrong.
    Stopped,
}

impl Status {
    /// The name in summaries.
    pub fn name(self) -> &'static str {
        match self {
            Status::Completed => "completed",
            Status::Interrupted => "interrupted",
            Status::Diverged => "diverged",
            Status::Stopped => "stopped",
        }
    }
}

/// A run that is over.
pub struct Ended {
    /// How.
    pub status: Status,
    /// Checks that failed.
    pub failed: usize,
    /// How far the result can be trusted.
    pub grade: Grade,
    /// `summary.json`.
    pub summary: Value,
    /// The same for people.
    pub table: String,
    /// What should be known before the numbers are used.
    pub warnings: Vec<String>,
}

impl Ended {
    /// What goes to stdout.
    pub fn printed(&self, json: bool) -> String {
        if json { crate::json::document::text(&self.summary) } else { self.table.clone() }
    }
}

/// A run as far as it has come: all that a summary is made of.
#[derive(Clone, Debug)]
struct Seen {
    time: f64,
    bodies: Vec<BodyState>,
    /// Contacts now.
    touching: usize,
    /// Counts of events by name.
    events: Vec<(&'static str, u64)>,
    first: Ledger,
    last: Ledger,
    measure: Measure,
    rows: u64,
    costs: Costs,
}

impl Seen {
    /// Largest error of the ledger so far, relative to the largest energy so far.
    fn ledger_error(&self) -> f64 {
        relative(&self.measure)
    }
}

fn relative(measure: &Measure) -> f64 {
    if measure.scale > 0.0 { measure.error / measure.scale } else { measure.error }
}

/// Energy below which nothing is told apart (J): what lifts the bodies by a ten-thousandth of their size (a hundredth of
/// which, the limit of a good run, is a millionth of their size), and what rounding makes of their height. Without it the
/// settling of bodies put down at rest would be measured by itself.
fn noticeable(model: &Model, first: &Ledger) -> f64 {
    1e-4 * lift(model) + 1e-8 * first.PE.abs()
}

/// What lifts all bodies by their size (J).
fn lift(model: &Model) -> f64 {
    let lift = |body: &Body| {
        let bounds = body.shape.bounds();
        let size = (bounds.max - bounds.min).max();
        if body.mobility != Mobility::Fixed && size.is_finite() { body.mass * size } else { 0.0 }
    };
    model.gravity_W().norm() * model.bodies().iter().map(lift).sum::<f64>()
}

/// Energy at work in a run that began at the height `PE` (J): what moves, is stored, was lost or lifted, or what came from
/// above or from outside. These are two sides of one book, so that the larger counts and nothing counts twice.
fn largest(now: &Ledger, PE: f64) -> f64 {
    let stored = now.KE + now.V_normal + now.V_tangential + now.V_drive + now.V_limit;
    let lost = now.E_visc + now.E_slip + now.E_release + now.E_painleve + now.E_drive + now.E_joint + now.E_limit;
    let lifted = now.PE - PE;
    (stored + lost + lifted.max(0.0)).max(lifted.abs()).max((now.W_injected + now.W_drive).abs())
}

/// What stays the same while a run is under way.
struct Setting {
    built: Built,
    hash: String,
    out: PathBuf,
    save_state: Option<(PathBuf, Origin)>,
    start: f64,
    watch: Stopwatch,
}

/// What is on record: files up to a row, and what a summary of them says.
struct Log {
    files: Option<Files>,
    /// The recording.
    recorder: Option<Recorder>,
    seen: Seen,
    /// The state at the row, where it is to be saved.
    state: Option<State>,
    gauge: Gauge,
    /// What the report needs.
    kept: Kept,
}

/// A run under way.
struct Course {
    state: State,
    engine: Engine,
    touches: Vec<Touches>,
    lookout: Lookout,
    /// Counts of events by name.
    events: Vec<(&'static str, u64)>,
    first: Ledger,
    last: Ledger,
    measure: Measure,
    rows: u64,
    /// The last row, and scratch for it.
    frame: Frame,
    face: FaceContact,
}

/// Runs, writes the files, tells how it ended.
pub fn run(request: Request) -> Result<Ended, Failure> {
    let Request { built, hash, source, from, out, save_state, json, shown, threads } = request;
    if let Some((path, _)) = &save_state {
        outcome::expect_writable(path)?;
    }
    let mut history = History::new(&built.model, built.checks.iter().flat_map(|check| check.expression.paths()))
        .map_err(|e| Failure(format!("[[check]]: {e}")))?;
    let mut course = Course::new(&built, from, threads)?;
    std::fs::create_dir_all(&out).map_err(|e| Failure::of_file(&out, format_args!("cannot be made: {e}")))?;
    let files = Files::new(&out, &built.record, &built.model)?;
    let start = course.state.time;
    let recorder = recorded::begin(&out, &built, &hash, &source, start)?;
    let setting = Arc::new(Setting { built, hash, out, save_state, start, watch: Stopwatch::start() });
    let model = &setting.built.model;
    let log = Arc::new(Mutex::new(Log {
        files: Some(files),
        recorder: Some(recorder),
        seen: course.seen(),
        state: None,
        gauge: Gauge::new(model),
        kept: Kept::new(row::ENERGY.len()),
    }));
    rescue(&setting, &log, json);
    outcome::listen_for_interrupt();
    let mut meter = Meter::new(shown, start, setting.built.duration);
    let mut status = Status::Completed;
    let mut stopped: Option<RunError> = None;
    course.row(&setting, &mut log.lock().unwrap_or_else(PoisonError::into_inner), &mut history)?;
    for until in times(setting.built.record.period, start, setting.built.duration) {
        match course.advance(model, until) {
            Ok(()) => {}
            Err(Pause::Stopped(error)) => {
                status = match error.cause {
                    Stop::Forgiven { .. } | Stop::Through { .. } | Stop::Squeezed { .. } => Status::Stopped,
                    _ => Status::Diverged,
                };
                stopped = Some(error);
            }
            Err(Pause::Interrupted) => status = Status::Interrupted,
        }
        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(files) = &mut log.files {
            files.events(model, course.engine.events())?;
        }
        course.book_events(model, &mut log)?;
        if status != Status::Completed {
            break;
        }
        course.row(&setting, &mut log, &mut history)?;
        meter.show(course.state.time, course.engine.costs().steps());
    }
    drop(meter);
    outcome::need_no_rescue();
    let seen = course.seen();
    let warnings = course.coarse(model).into_iter().collect();
    let views = course.engine.results(model, &course.state)?;
    let held = held::held(Sight { model, state: &course.state, views }, &history.held());
    let verdicts = summary::verdicts(&setting.built, &history, &held, status);
    let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
    let Log { files, recorder, gauge, kept, .. } = &mut *log;
    if let (Some(error), Some(recorder)) = (&stopped, recorder.as_mut()) {
        recorder.log(course.state.time, true, &error.to_string())?;
    }
    let ending = Ending { status, stopped, verdicts, held, warnings, gauge, kept };
    finish(&setting, files.take(), recorder.take(), &seen, Some(&course.state), ending)
}

/// How a run ends, for its summary and its report.
struct Ending<'a> {
    status: Status,
    stopped: Option<RunError>,
    verdicts: Vec<summary::Verdict>,
    /// Grasps that checks ask about.
    held: Vec<Held>,
    warnings: Vec<String>,
    gauge: &'a Gauge,
    kept: &'a mut Kept,
}

/// Puts the files of a run into their places and tells how it ended.
fn finish(
    setting: &Setting,
    files: Option<Files>,
    recorder: Option<Recorder>,
    seen: &Seen,
    state: Option<&State>,
    ending: Ending,
) -> Result<Ended, Failure> {
    let Setting { built, hash, out, .. } = setting;
    if let Some(files) = files {
        files.finish()?;
    }
    if let (Some((path, origin)), Some(state)) = (&setting.save_state, state) {
        let version = env!("CARGO_PKG_VERSION").to_string();
        let header = Header { version, origin: origin.clone(), measure: seen.measure };
        saved::write(path, &header, state)?;
    }
    let recorded = recorder.map(Recorder::finish).transpose()?.unwrap_or_default();
    let mut warnings = built.warnings.clone();
    warnings.extend(ending.warnings);
    if recorded.waited > 0.1 {
        warnings.push(format!("the simulation waited {:.1} s for the disk to take the recording", recorded.waited));
    }
    let mut quality = ending.gauge.grade(&built.model, &seen.costs, seen.ledger_error(), seen.measure.scale);
    if let Some(error) = &ending.stopped {
        quality.stopped(&error.to_string());
    }
    warnings.extend(quality.warnings.iter().cloned());
    let failed = ending.verdicts.iter().filter(|verdict| verdict.ok == Some(false)).count();
    let facts = summary::Facts {
        built,
        hash,
        status: ending.status,
        stopped: ending.stopped.as_ref(),
        start: setting.start,
        seen,
        verdicts: &ending.verdicts,
        held: &ending.held,
        quality: &quality,
        watch: &setting.watch,
        out,
    };
    let document = summary::document(&facts, &mut warnings)?;
    outcome::write_whole(&out.join("summary.json"), &crate::json::document::text(&document))?;
    let table = summary::table(&facts);
    ending.kept.finish();
    let report = report::Facts {
        summary: &document,
        description: built.description.as_deref(),
        kept: ending.kept,
        held: &ending.held,
        model: &built.model,
        work: seen.costs.work(),
    };
    outcome::write_whole(&out.join("report.html"), &report::page(&report))?;
    Ok(Ended { status: ending.status, failed, grade: quality.verdict, summary: document, table, warnings })
}

/// Ends the run at its last row should Ctrl-C find it in a step that takes long.
fn rescue(setting: &Arc<Setting>, log: &Arc<Mutex<Log>>, json: bool) {
    let (setting, log) = (Arc::clone(setting), Arc::clone(log));
    outcome::rescue_with(move || {
        // Never let go: the run must not write beside this.
        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
        let Log { files, recorder, seen, state, gauge, kept } = &mut *log;
        let verdicts = summary::not_judged(&setting.built);
        let ending = Ending {
            status: Status::Interrupted,
            stopped: None,
            verdicts,
            held: Vec::new(),
            warnings: Vec::new(),
            gauge,
            kept,
        };
        match finish(&setting, files.take(), recorder.take(), seen, state.as_ref(), ending) {
            Ok(ended) => {
                let _ = outcome::print(&ended.printed(json));
            }
            Err(failure) => outcome::tell(&format!("error: {failure}")),
        }
        std::mem::forget(log);
    });
}

/// Contacts that last fewer fixed steps than this lose restitution.
const FEW_STEPS: f64 = 6.0;
/// … and the share of the energy that must be lost for it: restitution off by a hundredth. Steps are cut into parts for short
/// impacts, but not for those that are slower than a fall of one step.
const LOST: f64 = 0.02;

/// Why an advance ended early.
enum Pause {
    Stopped(RunError),
    Interrupted,
}

impl Course {
    fn new(built: &Built, from: Option<Saved>, threads: usize) -> Result<Self, Failure> {
        let model = &built.model;
        let (state, header) = match from {
            Some(saved) => (saved.state, Some(saved.header)),
            None => (model.start().map_err(|e| Failure(e.to_string()))?, None),
        };
        if state.time > built.duration {
            let told = format!("the saved state is at t = {} s, after the end at {} s", state.time, built.duration);
            return Err(Failure(told));
        }
        let mut engine = Engine::new(&built.solver, model, &state, threads)?;
        let first = engine.ledger(model, &state)?;
        let fresh = Measure { total: first.total(), PE: first.PE, scale: noticeable(model, &first), error: 0.0 };
        let measure = header.map_or(fresh, |header| header.measure);
        Ok(Self {
            state,
            engine,
            touches: Vec::new(),
            lookout: Lookout::new(model),
            events: Vec::new(),
            first,
            last: first,
            measure,
            rows: 0,
            frame: Frame::default(),
            face: FaceContact::default(),
        })
    }

    #[allow(clippy::result_large_err)] // once in a run
    fn advance(&mut self, model: &Model, until: f64) -> Result<(), Pause> {
        let mut go_on = || !outcome::is_interrupted();
        let Self { engine, state, .. } = self;
        engine.advance(model, state, until, &mut go_on).map_err(Pause::Stopped)?;
        if self.state.time < until { Err(Pause::Interrupted) } else { Ok(()) }
    }

    fn book_events(&mut self, model: &Model, log: &mut Log) -> Result<(), Failure> {
        for event in self.engine.events() {
            Touches::book(&mut self.touches, model, event);
            log.kept.event(event.time, model.owner(event.a.0), model.owner(event.b.0), event.kind.name());
            let Event { kind, .. } = event;
            if let Some(recorder) = &mut log.recorder {
                let name = |body: usize| model.name(body);
                recorder.log(
                    event.time,
                    false,
                    &format!("{}–{}: {}", name(event.a.0), name(event.b.0), kind.name()),
                )?;
            }
            match self.events.iter_mut().find(|(name, _)| *name == kind.name()) {
                Some((_, count)) => *count += 1,
                None => self.events.push((kind.name(), 1)),
            }
        }
        Ok(())
    }

    /// Looks at the state and writes it down.
    fn row(&mut self, setting: &Setting, log: &mut Log, history: &mut History) -> Result<(), Failure> {
        let model = &setting.built.model;
        let now = self.engine.ledger(model, &self.state)?;
        self.measure(&now);
        self.last = now;
        let ledger_error = relative(&self.measure);
        let costs = self.engine.costs();
        let results = self.engine.results(model, &self.state)?;
        let row =
            Row { model, state: &self.state, results, energy: energies(&now), ledger_error, touches: &self.touches };
        if let Some(files) = &mut log.files {
            files.push(&row)?;
        }
        history.push(&row);
        frame::take(&mut self.frame, &row, &mut self.face);
        if let Some(recorder) = &mut log.recorder {
            if self.rows == 0 {
                recorded::draw(recorder, model, &self.frame)?;
            }
            recorder.push(&self.frame)?;
        }
        log.kept.push(&self.frame, costs.effort());
        log.gauge.row(&row, &now, &costs);
        self.lookout.look(model, &self.state);
        for (body, warning) in lost_bodies(&self.lookout, model).into_iter().zip(self.lookout.warnings(model)) {
            log.gauge.lost(body, warning);
        }
        self.rows += 1;
        log.seen = self.seen();
        log.state = setting.save_state.is_some().then(|| self.state.clone());
        Ok(())
    }

    /// Takes a ledger into account.
    fn measure(&mut self, now: &Ledger) {
        let measure = &mut self.measure;
        measure.scale = measure.scale.max(largest(now, measure.PE));
        measure.error = measure.error.max((now.total() - measure.total).abs());
    }

    /// The run as far as it has come.
    fn seen(&self) -> Seen {
        Seen {
            time: self.state.time,
            bodies: self.state.bodies.clone(),
            touching: self.touching(),
            events: self.events.clone(),
            first: self.first,
            last: self.last,
            measure: self.measure,
            rows: self.rows,
            costs: self.engine.costs(),
        }
    }

    /// What to know of impacts that last only a few fixed steps: their loss is in E_num.
    fn coarse(&self, model: &Model) -> Option<String> {
        let step = self.engine.step()?;
        let brief = self.touches.iter().filter_map(|touch| Some((touch, touch.mean()?)));
        let (touch, mean) = brief.min_by(|a, b| a.1.total_cmp(&b.1))?;
        let lost = self.last.E_num / self.measure.scale.max(f64::MIN_POSITIVE);
        (mean < FEW_STEPS * step && lost > LOST).then(|| {
            let name = |body: usize| model.name(body);
            format!(
                "contacts of `{}` and `{}` last {:.1} steps: fixed steps of {step:e} s took {:.2} % of the energy (E_num); \
                 steps of {:.1e} s, or stepper = \"accurate\", would keep their restitution",
                name(touch.a),
                name(touch.b),
                mean / step,
                100.0 * lost,
                mean / 20.0
            )
        })
    }

    /// Contacts now.
    fn touching(&self) -> usize {
        self.state.contacts.iter().filter(|contact| contact.mode != ContactMode::Free).count()
    }
}

/// Times of rows after `start`: whole multiples of the period, and the end.
fn times(period: f64, start: f64, end: f64) -> impl Iterator<Item = f64> {
    let first = (start / period * (1.0 + 1e-12)).floor() as u64 + 1;
    let whole = (first..).map(move |k| k as f64 * period).take_while(move |t| *t < end * (1.0 - 1e-12));
    whole.chain((end > start).then_some(end))
}

/// A line on the terminal: simulated time and rate.
struct Meter {
    shown: bool,
    start: f64,
    end: f64,
    began: Instant,
    last: Instant,
    written: bool,
}

impl Meter {
    fn new(shown: bool, start: f64, end: f64) -> Self {
        let now = Instant::now();
        Self { shown, start, end, began: now, last: now, written: false }
    }

    fn show(&mut self, t: f64, steps: u64) {
        if !self.shown || self.last.elapsed() < Duration::from_millis(100) {
            return;
        }
        self.last = Instant::now();
        self.written = true;
        let wall = self.began.elapsed().as_secs_f64();
        let rate = (t - self.start) / wall;
        let left = (self.end - t) / rate;
        // A terminal that is gone needs no line.
        let _ = write!(
            std::io::stderr(),
            "\rt = {t:.3} of {} s, {rate:.3} × real time, {:.0} steps/s, {left:.0} s left\x1b[K",
            self.end,
            steps as f64 / wall
        );
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        if self.written {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fall of 2 J counts as 2 J while it lasts, when it has been damped, and when a hand lowered it.
    #[test]
    fn energy_counts_once() {
        let before = Ledger { PE: 5.0, ..Ledger::default() };
        let falls = Ledger { PE: 3.0, KE: 2.0, ..before };
        let damped = Ledger { PE: 3.0, E_visc: 1.5, E_joint: 0.5, ..before };
        let lowered = Ledger { PE: 3.0, W_drive: -2.0, ..before };
        let lifted = Ledger { PE: 7.0, W_injected: 2.0, ..before };
        assert_eq!([before, falls, damped, lowered, lifted].map(|now| largest(&now, 5.0)), [0.0, 2.0, 2.0, 2.0, 2.0]);
    }

    /// Rows fall on whole multiples whether the run starts at 0 or goes on from a row; the end is not doubled.
    #[test]
    fn rows_fall_on_multiples_of_the_period() {
        let all: Vec<f64> = times(0.1, 0.0, 1.0).collect();
        assert_eq!(all.len(), 10);
        assert_eq!(all.last(), Some(&1.0));
        for k in 1..10_u32 {
            let from = f64::from(k) * 0.1;
            assert_eq!(times(0.1, from, 1.0).collect::<Vec<_>>(), all[k as usize..], "from {from}");
        }
        assert_eq!(times(0.4, 0.0, 1.0).collect::<Vec<_>>(), [0.4, 0.8, 1.0]);
    }
}

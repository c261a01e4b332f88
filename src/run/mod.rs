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
mod history;
pub mod kept;
pub mod recorded;
pub mod row;
pub mod saved;
pub mod shipped;
mod summary;

use crate::outcome::{self, Failure};
use crate::report::run as report;
use clock::Stopwatch;
use engine::Engine;
use fingerpad_contact::track::FaceContact;
use fingerpad_files::recording::{Frame, Recorder};
use fingerpad_files::scene::Built;
use fingerpad_sim::{ContactMode, Event, Ledger, Model, RunError, State, Workspace};
use history::History;
use kept::Kept;
use row::{Files, Row, Touches, energies};
use saved::{Header, Saved};
use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;
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
    /// Where the last state goes.
    pub save_state: Option<PathBuf>,
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
}

impl Status {
    /// The name in summaries.
    pub fn name(self) -> &'static str {
        match self {
            Status::Completed => "completed",
            Status::Interrupted => "interrupted",
            Status::Diverged => "diverged",
        }
    }
}

/// A run that is over.
pub struct Ended {
    /// How.
    pub status: Status,
    /// Checks that failed.
    pub failed: usize,
    /// `summary.json`.
    pub summary: Value,
    /// The same for people.
    pub table: String,
    /// What should be known before the numbers are used.
    pub warnings: Vec<String>,
}

/// A run under way.
struct Course {
    state: State,
    work: Workspace,
    engine: Engine,
    touches: Vec<Touches>,
    /// Counts of events by name.
    events: Vec<(&'static str, u64)>,
    first: Ledger,
    last: Ledger,
    /// Energy total at the start (J).
    total: f64,
    /// The largest energy so far (J).
    scale: f64,
    /// The largest error of the ledger so far (J).
    error: f64,
    rows: u64,
    /// The last row, and scratch for it.
    frame: Frame,
    face: FaceContact,
    /// What the report needs.
    kept: Kept,
    /// The recording, where one is made.
    recorder: Option<Recorder>,
}

/// Runs, writes the files, tells how it ended.
pub fn run(request: Request) -> Result<Ended, Failure> {
    let Request { built, hash, source, from, out, save_state, shown, threads } = request;
    let mut warnings = built.warnings.clone();
    let model = &built.model;
    let mut history = History::new(model, built.checks.iter().flat_map(|check| check.expression.paths()))
        .map_err(|e| Failure(format!("[[check]]: {e}")))?;
    let mut course = Course::new(&built, from, threads)?;
    std::fs::create_dir_all(&out).map_err(|e| Failure::of_file(&out, format_args!("cannot be made: {e}")))?;
    let mut files = Files::new(&out, &built.record, model)?;
    outcome::listen_for_interrupt();
    let watch = Stopwatch::start();
    let start = course.state.time;
    course.recorder = Some(recorded::begin(&out, &built, &hash, &source, start)?);
    let mut meter = Meter::new(shown, start, built.duration);
    let mut status = Status::Completed;
    let mut stopped: Option<RunError> = None;
    course.row(model, &mut files, &mut history)?;
    for until in times(built.record.period, start, built.duration) {
        match course.advance(model, until) {
            Ok(()) => {}
            Err(Pause::Stopped(error)) => {
                status = Status::Diverged;
                stopped = Some(error);
            }
            Err(Pause::Interrupted) => status = Status::Interrupted,
        }
        files.events(model, course.engine.events(&course.work))?;
        course.book_events(model)?;
        if status != Status::Completed {
            break;
        }
        course.row(model, &mut files, &mut history)?;
        meter.show(course.state.time, course.engine.steps());
    }
    drop(meter);
    files.finish()?;
    if let Some(error) = &stopped {
        course.log(course.state.time, true, &error.to_string())?;
    }
    let recorded = course.recorder.take().map(Recorder::finish).transpose()?.unwrap_or_default();
    if recorded.waited > 0.1 {
        warnings.push(format!("the simulation waited {:.1} s for the disk to take the recording", recorded.waited));
    }
    if let Some(path) = &save_state {
        let header = Header {
            scene: built.name.clone(),
            version: env!("CARGO_PKG_VERSION").to_string(),
            hash: hash.clone(),
            total: course.total,
            scale: course.scale,
            error: course.error,
        };
        saved::write(path, &header, &course.state)?;
    }
    warnings.extend(course.coarse(model));
    let verdicts = summary::verdicts(&built, &history, status);
    let failed = verdicts.iter().filter(|verdict| !verdict.ok).count();
    let facts = summary::Facts {
        built: &built,
        hash: &hash,
        status,
        stopped: stopped.as_ref(),
        start,
        course: &course,
        verdicts: &verdicts,
        watch: &watch,
        out: &out,
    };
    let document = summary::document(&facts, &mut warnings)?;
    outcome::write_whole(&out.join("summary.json"), &crate::json::document::text(&document))?;
    let table = summary::table(&facts);
    course.kept.finish();
    let report = report::Facts {
        summary: &document,
        description: built.description.as_deref(),
        kept: &course.kept,
        model,
        work: course.engine.work(),
    };
    outcome::write_whole(&out.join("report.html"), &report::page(&report))?;
    Ok(Ended { status, failed, summary: document, table, warnings })
}

/// Contacts that last fewer fixed steps than this lose restitution.
const FEW_STEPS: f64 = 6.0;

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
        let engine = Engine::new(&built.solver, model, threads)?;
        let mut work = Workspace::new(model, &state);
        let first = engine.ledger(model, &state, &mut work)?;
        let (total, scale, error) =
            header.map_or((first.total(), 0.0, 0.0), |header| (header.total, header.scale, header.error));
        Ok(Self {
            state,
            work,
            engine,
            touches: Vec::new(),
            events: Vec::new(),
            first,
            last: first,
            total,
            scale,
            error,
            rows: 0,
            frame: Frame::default(),
            face: FaceContact::default(),
            kept: Kept::new(row::ENERGY.len()),
            recorder: None,
        })
    }

    #[allow(clippy::result_large_err)] // once in a run
    fn advance(&mut self, model: &Model, until: f64) -> Result<(), Pause> {
        let mut go_on = || !outcome::is_interrupted();
        let Self { engine, state, work, .. } = self;
        engine.advance(model, state, work, until, &mut go_on).map_err(Pause::Stopped)?;
        if self.state.time < until { Err(Pause::Interrupted) } else { Ok(()) }
    }

    /// A line of the recording's log.
    fn log(&mut self, t: f64, warning: bool, words: &str) -> Result<(), Failure> {
        Ok(self.recorder.as_mut().map_or(Ok(()), |recorder| recorder.log(t, warning, words))?)
    }

    fn book_events(&mut self, model: &Model) -> Result<(), Failure> {
        for event in self.engine.events(&self.work) {
            Touches::book(&mut self.touches, event);
            self.kept.event(event.time, event.a.0, event.b.0, event.kind.name());
            let Event { kind, .. } = event;
            if let Some(recorder) = &mut self.recorder {
                let name = |body: usize| &model.bodies()[body].name;
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
    fn row(&mut self, model: &Model, files: &mut Files, history: &mut History) -> Result<(), Failure> {
        let now = self.engine.ledger(model, &self.state, &mut self.work)?;
        self.measure(&now);
        self.last = now;
        let ledger_error = self.ledger_error();
        let views = self.engine.views(model, &self.state, &mut self.work)?;
        let row =
            Row { model, state: &self.state, views, energy: energies(&now), ledger_error, touches: &self.touches };
        files.push(&row)?;
        history.push(&row);
        frame::take(&mut self.frame, &row, &mut self.face);
        if let Some(recorder) = &mut self.recorder {
            if self.rows == 0 {
                recorded::draw(recorder, model, &self.frame)?;
            }
            recorder.push(&self.frame)?;
        }
        self.kept.push(&self.frame, self.engine.effort());
        self.rows += 1;
        Ok(())
    }

    /// Takes a ledger into account.
    fn measure(&mut self, now: &Ledger) {
        let moved = now.KE + (now.PE - self.first.PE).abs() + now.V_normal + now.V_tangential;
        let lost = now.E_visc + now.E_slip + now.E_release + now.W_injected.abs();
        self.scale = self.scale.max(moved + lost);
        self.error = self.error.max((now.total() - self.total).abs());
    }

    /// Largest error of the ledger so far, relative to the largest energy so far.
    fn ledger_error(&self) -> f64 {
        if self.scale > 0.0 { self.error / self.scale } else { self.error }
    }

    /// What to know of impacts that last only a few fixed steps: their loss is in E_num.
    fn coarse(&self, model: &Model) -> Option<String> {
        let step = self.engine.step()?;
        let brief = self.touches.iter().filter_map(|touch| Some((touch, touch.mean()?)));
        let (touch, mean) = brief.min_by(|a, b| a.1.total_cmp(&b.1))?;
        let lost = self.last.E_num / self.scale.max(f64::MIN_POSITIVE);
        (mean < FEW_STEPS * step && lost > 1e-6).then(|| {
            let name = |body: usize| &model.bodies()[body].name;
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

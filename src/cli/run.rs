//! # `fingerpad run`: simulate a scene
//!
//! - **in**: a scene file or the name of a shipped scene, overrides, a state to go on from
//! - **out**: a table or `summary.json` on stdout; `summary.json`, `bodies.csv`, `contacts.csv`, `events.csv`,
//!   `energy.csv`, `joints.csv`, `drives.csv`, `run.mcap`, `report.html` in a folder; exit 1 if a check fails, the motion diverges or the quality is
//!   bad, 130 after Ctrl-C with whole files
//! - **not here**: what a scene means (`fingerpad_files::scene`), the run itself ([`crate::run`])
//! - **start at** [`run()`]

use crate::outcome::{self, Failure, Outcome};
use crate::run::saved::{self, Origin};
use crate::run::{self, Ended, Request, shipped};
use clap::Args;
use fingerpad_files::input;
use fingerpad_files::nearest::nearest;
use fingerpad_files::scene::{Built, LONGEST, Scene, SceneError};
use std::io::{IsTerminal, stderr};
use std::path::{Component, Path, PathBuf};

/// Options of `run`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Run {
    /// A scene file, or the name of a shipped scene (`--list`).
    #[arg(required_unless_present_any = ["list", "verify"])]
    pub scene: Option<String>,
    /// List the shipped scenes and do nothing else.
    #[arg(long)]
    pub list: bool,
    /// Print the text of the scene and do nothing else.
    #[arg(long)]
    pub show: bool,
    /// Folder for the files of the run; `out/NAME` if not given.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Changes a value of the scene, e.g. `body.ball.velocity=[1,0,0]`; may be repeated.
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub sets: Vec<String>,
    /// Simulated time of the end (s), instead of the scene's.
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub duration: Option<String>,
    /// How contacts are put together, instead of the scene's choice; `rigid` is `complementarity`.
    #[arg(long, value_parser = ["compliant", "complementarity", "rigid"])]
    pub formulation: Option<String>,
    /// Print summary.json instead of a table.
    #[arg(long)]
    pub json: bool,
    /// Most threads to use, one if not given; the result is the same with any number. The fast stepper uses them, in scenes of
    /// some hundred contacts.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Writes the state at the end, to go on from.
    #[arg(long, value_name = "FILE")]
    pub save_state: Option<PathBuf>,
    /// Goes on from a state of the same scene.
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    /// Simulates a recorded run again and compares every recorded state bit for bit; nothing is written.
    #[arg(long, value_name = "RUN.mcap")]
    pub verify: Option<PathBuf>,
}

const EXAMPLE: &str = "\
Examples:
  fingerpad run bowl-map
  fingerpad run scene.toml --out out/trial --set body.ball.velocity=[1,0,0] --duration 2s
  fingerpad run bowl-roll --duration 5s --save-state half.state
  fingerpad run bowl-roll --from half.state --duration 10s
  fingerpad run --verify out/bowl-map/run.mcap

The folder gets summary.json, CSV files, run.mcap (for Foxglove, Rerun, Python) and report.html: open it in any browser.

A state saved at the time of a row (a multiple of [record] period) goes on bit by bit as the whole run does.
Exit codes: 0 every check holds, 1 a check failed, the motion diverged or the quality is bad, 2 nothing done, 130 interrupted.";

/// Simulates.
pub fn run(options: &Run, quiet: bool) -> Result<Outcome, Failure> {
    if options.list {
        outcome::print(&shipped::listing())?;
        return Ok(Outcome::AllGood);
    }
    if let Some(recording) = &options.verify {
        return super::verify::verify(options, recording);
    }
    let name = options.scene.as_deref().unwrap_or_default();
    let (text, file, folder) = source(name)?;
    if options.show {
        outcome::print(&text)?;
        return Ok(Outcome::AllGood);
    }
    let mut sets = options.sets.clone();
    let formulation = options.formulation.as_deref().map(|f| if f == "rigid" { "complementarity" } else { f });
    sets.extend(formulation.map(|f| format!("solver.formulation=\"{f}\"")));
    let scene = shipped::parse(&text, &file, &folder, &sets).map_err(told)?;
    let shown = !quiet && stderr().is_terminal();
    let mut built = build(&scene, shown)?;
    if let Some(duration) = &options.duration {
        built.set_duration(time(duration)?).map_err(|why| Failure(format!("--duration: {why}")))?;
    }
    let hash = saved::hash(scene.source(), &sets);
    let kept = options.from.is_some() || options.save_state.is_some();
    let origin = kept.then(|| Origin::new(&built, &text, &sets)).transpose()?;
    let from = options.from.as_deref().zip(origin.as_ref());
    let from = from.map(|(file, origin)| saved::read(file, origin, &built.model)).transpose()?;
    let out = options.out.clone().map_or_else(|| folder_of(&built.name), Ok)?;
    let threads = options.threads.map_or(1, usize::from);
    let save_state = options.save_state.clone().zip(origin);
    let source = run::recorded::Source { text, folder, sets };
    let request = Request { source, built, hash, from, out, save_state, json: options.json, shown, threads };
    let ended = run::run(request)?;
    if !quiet {
        ended.warnings.iter().for_each(|warning| outcome::tell(&format!("warning: {warning}")));
    }
    outcome::print(&ended.printed(options.json))?;
    finish(&ended)
}

fn finish(ended: &Ended) -> Result<Outcome, Failure> {
    match ended.status {
        run::Status::Interrupted => Ok(Outcome::Interrupted),
        run::Status::Diverged | run::Status::Stopped => Ok(Outcome::SomeFailed),
        run::Status::Completed => Ok(Outcome::of(ended.failed + usize::from(ended.grade == run::Grade::Bad))),
    }
}

/// The folder of a run that names none: `out/NAME`, where the name of the scene is that of one folder.
fn folder_of(name: &str) -> Result<PathBuf, Failure> {
    let mut parts = Path::new(name).components();
    let plain = matches!((parts.next(), parts.next()), (Some(Component::Normal(part)), None) if part == name);
    if plain && !name.contains(['/', '\\', '\0']) {
        return Ok(Path::new("out").join(name));
    }
    Err(Failure(format!("the name of the scene, {name:?}, cannot be the name of a folder: give `--out DIR`")))
}

/// An error of a scene as commands tell it.
pub(super) fn told(e: SceneError) -> Failure {
    Failure(e.to_string().trim_start_matches("error: ").to_string())
}

/// Builds a scene; its stages are told where progress is shown.
pub(super) fn build(scene: &Scene, shown: bool) -> Result<Built, Failure> {
    let stages = &mut |stage: &str| {
        if shown {
            outcome::tell(stage);
        }
    };
    scene.build(stages).map_err(told)
}

/// Text of a scene, the name for messages, and the folder that its files are relative to.
pub(super) fn source(name: &str) -> Result<(String, String, PathBuf), Failure> {
    if let Some(text) = shipped::text(name) {
        return Ok((text.to_string(), format!("{name}.toml"), PathBuf::from(shipped::FOLDER)));
    }
    let path = Path::new(name);
    let text = input::read_text(path, LONGEST).map_err(|e| {
        let known = shipped::names();
        let hint = nearest(name, known).map(|near| format!("; did you mean the shipped scene `{near}`?"));
        let bare = !name.contains(['/', '.']);
        let list = if bare { "; `fingerpad run --list` shows the shipped scenes" } else { "" };
        Failure::of_file(path, format!("cannot be read: {e}{}", hint.unwrap_or_else(|| list.to_string())))
    })?;
    Ok((text, name.to_string(), path.parent().map_or_else(PathBuf::new, Path::to_path_buf)))
}

fn time(text: &str) -> Result<f64, Failure> {
    let found = fingerpad_files::units::parse(text, fingerpad_files::units::Dimension::Time);
    let seconds = found.map_err(|e| Failure(format!("--duration: {e}")))?;
    if seconds > 0.0 {
        Ok(seconds)
    } else {
        Err(Failure(format!("--duration: expected a positive time (s), got {text}")))
    }
}

//! # `fingerpad reproduce`: the papers' figures and statements against ours
//!
//! - **in**: names of rows, or none for all
//! - **out**: a table or JSON on stdout; `reproduce.html`, `reproduce.json`, figures, and the runs of rows that are motions
//!   (`replays/SCENE`) in a folder; exit 1 if a verdict fails
//! - **not here**: the experiments (`crate::reproduce`), the page (`report`)
//! - **start at** [`run()`]

use crate::cli::table::aligned;
use crate::json::document;
use crate::outcome::{self, Failure, Outcome};
use crate::report;
use crate::reproduce::{self, Experiment, Finding, Motion, Quantity};
use crate::run::{self, Request, Status, saved, shipped};
use clap::Args;
use fingerpad_files::nearest;
use serde_json::{Value, json};
use std::io::{IsTerminal, stderr};
use std::path::{Path, PathBuf};

/// Options of `reproduce`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Reproduce {
    /// Rows to run; all if none is named.
    pub names: Vec<String>,
    /// List the rows and do nothing else.
    #[arg(long)]
    pub list: bool,
    /// Folder for reproduce.html, reproduce.json, figures and replays.
    #[arg(long, value_name = "DIR", default_value = "out/reproduce")]
    pub out: PathBuf,
    /// Print one JSON document instead of a table.
    #[arg(long)]
    pub json: bool,
}

const EXAMPLE: &str = "\
Examples:
  fingerpad reproduce --list
  fingerpad reproduce --out out/reproduce
  fingerpad reproduce rolling-printed rolling-corrected --json

Rows that are motions link a 3-D replay: the report of a run in DIR/replays/SCENE.
Verdicts: agrees; corrects the paper (as printed it does not hold, ours does); extends the paper; fails (exit 1).";

/// Runs rows and writes their report.
pub fn run(options: &Reproduce, quiet: bool) -> Result<Outcome, Failure> {
    let chosen = choose(&options.names)?;
    if options.list {
        outcome::print(&if options.json { document::text(&listed(&chosen)) } else { listing(&chosen) })?;
        return Ok(Outcome::AllGood);
    }
    let mut findings = Vec::new();
    for experiment in chosen {
        if !quiet && stderr().is_terminal() {
            outcome::tell(&format!("running {} …", experiment.name));
        }
        findings.push((experiment, experiment.run()));
    }
    let rows: Vec<Value> = findings.iter().map(|(e, f)| row(e, f)).collect();
    if replays(options, &findings, quiet)? == Status::Interrupted {
        return Ok(Outcome::Interrupted);
    }
    write(options, &findings, &rows)?;
    if options.json {
        outcome::print(&document::text(&rows))?;
    } else {
        outcome::print(&table(&findings))?;
    }
    if !quiet {
        outcome::tell(&format!("report: {}", options.out.join("reproduce.html").display()));
    }
    Ok(Outcome::of(findings.iter().filter(|(_, f)| f.verdict.failed()).count()))
}

/// The rows with these names, in the order of the registry.
fn choose(names: &[String]) -> Result<Vec<&'static Experiment>, Failure> {
    let all = reproduce::all();
    let known: Vec<&str> = all.iter().map(|e| e.name).collect();
    if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(Failure(nearest::unknown("row", name, &known)));
    }
    Ok(all.into_iter().filter(|e| names.is_empty() || names.iter().any(|n| n == e.name)).collect())
}

fn listed(chosen: &[&Experiment]) -> Vec<Value> {
    let entry =
        |e: &&Experiment| json!({"name": e.name, "paper": e.paper, "figure": e.figure, "statement": e.statement});
    chosen.iter().map(entry).collect()
}

fn listing(chosen: &[&Experiment]) -> String {
    let rows: Vec<Vec<String>> =
        chosen.iter().map(|e| vec![e.name.into(), e.paper.into(), e.figure.into(), e.statement.into()]).collect();
    aligned(&["name", "paper", "figure", "statement"], &rows)
}

/// One row as files and machines get it.
fn row(experiment: &Experiment, finding: &Finding) -> Value {
    json!({
        "name": experiment.name,
        "paper": experiment.paper,
        "figure": experiment.figure,
        "theirs": finding.theirs.to_json(),
        "ours": finding.ours.to_json(),
        "unit": finding.unit,
        "tolerance": finding.tolerance,
        "verdict": finding.verdict.words(),
    })
}

fn table(findings: &[(&Experiment, Finding)]) -> String {
    let rows: Vec<Vec<String>> = findings
        .iter()
        .map(|(e, f)| {
            vec![
                e.name.to_string(),
                e.paper.to_string(),
                e.figure.to_string(),
                f.theirs.shown(),
                f.ours.shown(),
                f.unit.to_string(),
                f.tolerance.map_or(String::new(), |t| Quantity::Number(t).shown()),
                f.verdict.words().to_string(),
            ]
        })
        .collect();
    aligned(&["name", "paper", "figure", "theirs", "ours", "unit", "tolerance", "verdict"], &rows)
}

/// Runs the scenes that show the motions of these rows, each once.
fn replays(options: &Reproduce, findings: &[(&Experiment, Finding)], quiet: bool) -> Result<Status, Failure> {
    let mut done: Vec<&str> = Vec::new();
    for motion in findings.iter().filter_map(|(e, _)| reproduce::motion_of(e.name)) {
        if done.contains(&motion.scene) {
            continue;
        }
        done.push(motion.scene);
        if !quiet && stderr().is_terminal() {
            outcome::tell(&format!("replay of {} …", motion.scene));
        }
        if replay(motion, &options.out.join("replays").join(motion.scene))? == Status::Interrupted {
            return Ok(Status::Interrupted);
        }
    }
    Ok(Status::Completed)
}

/// Runs a shipped scene into a folder.
fn replay(motion: &Motion, out: &Path) -> Result<Status, Failure> {
    let told = |e: fingerpad_files::scene::SceneError| Failure(e.to_string().trim_start_matches("error: ").to_string());
    let text = shipped::text(motion.scene).unwrap_or_default().to_string();
    let sets: Vec<String> = motion.sets.iter().map(ToString::to_string).collect();
    let folder = PathBuf::from(shipped::FOLDER);
    let scene = shipped::parse(&text, &format!("{}.toml", motion.scene), &folder, &sets).map_err(told)?;
    let built = scene.build(&mut |_| {}).map_err(told)?;
    let hash = saved::hash(scene.source(), &sets);
    let source = run::recorded::Source { text, folder, sets };
    let out = out.to_path_buf();
    let request =
        Request { built, hash, source, from: None, out, save_state: None, json: false, shown: false, threads: 1 };
    Ok(run::run(request)?.status)
}

fn write(options: &Reproduce, findings: &[(&Experiment, Finding)], rows: &[Value]) -> Result<(), Failure> {
    let folder = &options.out;
    std::fs::create_dir_all(folder).map_err(|e| Failure::of_file(folder, format_args!("cannot be made: {e}")))?;
    for (_, finding) in findings {
        for figure in &finding.figures {
            if let Some(name) = figure.file {
                outcome::write_whole(&folder.join(name), &figure.svg)?;
            }
        }
    }
    outcome::write_whole(&folder.join("reproduce.json"), &document::text(&rows))?;
    outcome::write_whole(&folder.join("reproduce.html"), &report::page(findings))
}

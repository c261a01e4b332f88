//! # `fingerpad planar`: every motion that a planar part with frictional contacts can have
//!
//! `cases: [{m, rho2, F, vel, contacts}]`, a part file (JSON, TOML), or a name ──▶ **here** ──▶ `answer {status, accel_sets, …}`
//!
//! - **in**: a document with a list `cases`, one record alone, or the name of a ready case
//! - **out**: text, or the document with its answers; a picture with `--svg`
//! - **not here**: records and drawings (`planar`), mechanics (`fingerpad_planar`)
//! - **start at** [`run`]

use super::query::label;
use super::table::aligned;
use crate::json::FieldError;
use crate::json::document::Document;
use crate::outcome::{self, Failure, Outcome};
use crate::planar::record::{self, Wanted};
use crate::planar::toml_file::{self, Lines};
use crate::planar::{Answered, picture, ready, text};
use clap::Args;
use fingerpad_files::scene::LONGEST;
use fingerpad_files::{input, nearest};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// Options of `planar`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Planar {
    /// JSON or TOML document with a list `cases`, one case or part alone, or the name of a ready case; `-` reads JSON
    /// from stdin.
    #[arg(value_name = "FILE|NAME")]
    pub file: PathBuf,
    /// Print one JSON document instead of text.
    #[arg(long)]
    pub json: bool,
    /// List the strict kinematic modes as well.
    #[arg(long)]
    pub modes: bool,
    /// Find the contact forces as well.
    #[arg(long)]
    pub forces: bool,
    /// Run the paper's own procedure as well, and say whether it agrees.
    #[arg(long)]
    pub paper: bool,
    /// Ask the same question as an LCP, and say which of the answers a simulator's solver would have picked.
    #[arg(long)]
    pub lcp: bool,
    /// Draw the part, its contacts and motions, and the friction cone into this file (one case only).
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Follow a part with outlines for this many steps, while its motion is the only one.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub steps: Option<u32>,
    /// Length of a step (s).
    #[arg(long, value_name = "SECONDS", default_value = "0.001", value_parser = seconds, requires = "steps")]
    pub dt: f64,
    /// Most threads to use; results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
}

const EXAMPLE: &str = "\
Examples:
  fingerpad planar three-point --forces
  fingerpad planar peg-between-walls --svg peg.svg
  fingerpad planar block-on-incline --steps 10 --dt 0.01
  fingerpad planar part.toml --paper
  fingerpad planar peg-between-walls --lcp
  fingerpad planar cases.json --json > answered.json

Ready cases: three-point, peg-between-walls, wedge, block-on-incline, peg-in-hole, v-feeder, painleve-rod.
Fields of a case and of a part: docs/formats.md. The method: docs/planar.md.";

fn seconds(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|e| format!("{e}"))?;
    if (1e-9..=1e3).contains(&value) { Ok(value) } else { Err("expected seconds from 1e-9 to 1000".to_string()) }
}

/// What came in: many records in a document, or one alone.
struct Input {
    document: Document,
    alone: bool,
    /// Where the fields stand, for TOML.
    lines: Option<Lines>,
}

/// Answers every case.
pub fn run(options: &Planar, quiet: bool) -> Result<Outcome, Failure> {
    let mut input = read(&options.file)?;
    let name = input.document.name.clone();
    let mut records = match input.alone {
        true => vec![Value::Object(std::mem::take(&mut input.document.root))],
        false => std::mem::take(input.document.list("cases")?),
    };
    if let Some(lines) = input.lines.as_ref().filter(|_| !quiet) {
        for (k, record) in records.iter().enumerate() {
            let slips = toml_file::slips(record, &path(input.alone, k), &name, lines);
            slips.iter().for_each(|slip| outcome::tell(&format!("warning: {slip}")));
        }
    }
    if options.svg.is_some() && records.len() != 1 {
        return Err(Failure(format!("--svg draws one case, got {} in {name}", records.len())));
    }
    let steps = options.steps.map(|n| (n as usize, options.dt));
    let wanted = Wanted { modes: options.modes, forces: options.forces, paper: options.paper, lcp: options.lcp, steps };
    let outcomes = in_threads(&records, wanted, options.json, threads(options.threads, records.len()));
    let single = records.len() == 1;
    let mut said = Vec::new();
    let mut failed = 0;
    for (k, (record, found)) in records.iter_mut().zip(outcomes).enumerate() {
        let error = found.as_ref().err().cloned();
        if let (Some(path), Ok((solved, ..))) = (&options.svg, &found) {
            outcome::write_whole(path, &picture::svg(&label(record, k), solved))?;
        }
        if let Some(error) = &error {
            failed += 1;
            // A table shows its errors itself.
            let tell = if options.json { !quiet && failed <= TOLD } else { single };
            if tell {
                outcome::tell(&match &input.lines {
                    Some(lines) => toml_file::with_line(error, &path(input.alone, k), &name, lines),
                    None => format!("{name}: {}: {error}", place(input.alone, k)),
                });
            }
        }
        let (solved, answer) = match found {
            Ok((solved, answer, warnings)) => (Some((solved, warnings.clone())), Ok((answer, warnings))),
            Err(error) => (None, Err(error)),
        };
        said.push((label(record, k), solved, error.clone()));
        if options.json {
            record::fill(record, answer);
            let found = input.lines.as_ref().zip(error.as_ref());
            let line = found.and_then(|(lines, e)| toml_file::line(e, &path(input.alone, k), lines));
            if let (Some(line), Some(Value::Object(error))) = (line, record.get_mut("error")) {
                error.insert("line".to_string(), line.into());
            }
        }
    }
    if options.json && !quiet && failed > TOLD {
        outcome::tell(&format!("{name}: {failed} of {} cases have errors", records.len()));
    }
    if options.json {
        match (input.alone, records) {
            (true, mut one) => {
                if let Some(Value::Object(root)) = one.pop() {
                    input.document.root = root;
                }
            }
            (false, many) => *input.document.list("cases")? = many,
        }
        outcome::print(&input.document.to_text())?;
    } else {
        outcome::print(&shown(&said))?;
    }
    Ok(Outcome::of(failed))
}

/// Errors told one by one on stderr beside JSON.
const TOLD: usize = 20;

fn place(alone: bool, k: usize) -> String {
    if alone { "the case".to_string() } else { format!("cases[{k}]") }
}

/// Path of a record in its document.
fn path(alone: bool, k: usize) -> String {
    if alone { String::new() } else { format!("cases[{k}]") }
}

fn read(path: &Path) -> Result<Input, Failure> {
    let name = path.to_string_lossy();
    if let Some(record) = ready::named(&name).filter(|_| !path.exists()) {
        let root = record.as_object().cloned().unwrap_or_default();
        return Ok(Input {
            document: Document { root, name: name.to_string(), folder: PathBuf::new() },
            alone: true,
            lines: None,
        });
    }
    // A word without dot or slash that is no file was meant as a name.
    if !path.exists() && path != Path::new("-") && !name.contains(['.', '/', '\\']) {
        let names: Vec<&str> = ready::NAMES.iter().map(|n| n.0).collect();
        return Err(Failure(format!("no such file, and {}", nearest::unknown("ready case", &name, &names))));
    }
    let is_toml = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml"));
    let (document, lines) = if is_toml { read_toml(path)? } else { (Document::read(path)?, None) };
    let alone =
        !document.root.contains_key("cases") && ["contacts", "body"].iter().any(|k| document.root.contains_key(*k));
    Ok(Input { document, alone, lines })
}

fn read_toml(path: &Path) -> Result<(Document, Option<Lines>), Failure> {
    let text = input::read_text(path, LONGEST).map_err(|e| Failure::of_file(path, e))?;
    let name = path.display().to_string();
    let (root, lines) = toml_file::read(&text, &name)?;
    let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
    Ok((Document { root, name, folder }, Some(lines)))
}

type Found = Result<(Answered, Map<String, Value>, Vec<String>), FieldError>;

/// Solves one record; the JSON, with every closed mode in it, only where it is wanted. A panic becomes its error.
fn one(record: &Value, wanted: Wanted, json: bool) -> Found {
    let work = || {
        let solved = record::solved(record::question(record)?, wanted)?;
        let (answer, warnings) = match json {
            true => record::answer(&solved)?,
            false => {
                let spoken = solved.answer.warnings.iter().map(ToString::to_string);
                (Map::new(), solved.question.warnings.iter().cloned().chain(spoken).collect())
            }
        };
        Ok((solved, answer, warnings))
    };
    outcome::guarded(work).unwrap_or_else(|bug| Err(FieldError::new("", bug)))
}

/// Few cases are not worth a thread.
const CASES_PER_THREAD: usize = 4;

fn threads(wanted: Option<u16>, cases: usize) -> usize {
    let most = wanted.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from);
    most.min(cases.div_ceil(CASES_PER_THREAD)).max(1)
}

fn in_threads(records: &[Value], wanted: Wanted, json: bool, threads: usize) -> Vec<Found> {
    let each = |part: &[Value]| -> Vec<Found> { part.iter().map(|r| one(r, wanted, json)).collect() };
    if threads == 1 {
        return each(records);
    }
    std::thread::scope(|scope| {
        let parts: Vec<_> =
            records.chunks(records.len().div_ceil(threads)).map(|part| scope.spawn(move || each(part))).collect();
        parts.into_iter().flat_map(|p| p.join().unwrap_or_else(|e| std::panic::resume_unwind(e))).collect()
    })
}

type Said = (String, Option<(Answered, Vec<String>)>, Option<FieldError>);

/// One case in full, several as a table.
fn shown(said: &[Said]) -> String {
    let mut out = String::new();
    if let [(label, Some((solved, _)), _)] = said {
        out.push_str(&text::details(label, solved));
    } else if said.len() > 1 {
        let rows: Vec<Vec<String>> = said
            .iter()
            .map(|(label, solved, error)| match (solved, error) {
                (Some((solved, _)), _) => text::row(label.clone(), solved),
                (None, error) => {
                    vec![label.clone(), format!("error: {}", error.as_ref().map_or(String::new(), ToString::to_string))]
                }
            })
            .collect();
        out.push_str(&aligned(&text::HEADER, &rows));
    }
    for (label, solved, _) in said {
        for warning in solved.iter().flat_map(|s| &s.1) {
            out.push_str(&format!("warning ({label}): {warning}\n"));
        }
    }
    out
}

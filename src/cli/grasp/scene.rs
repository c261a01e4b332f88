//! # `fingerpad grasp SCENE --object BODY`: the grasp that a run has come to
//!
//! - **in**: a scene, the body that is held, a time or a saved state
//! - **out**: what touches the body and what each contact carries, then the answers of any grasp; nothing is written but
//!   `--out` and `--svg`
//! - **not here**: records (`super`); contacts of a state (`grasp::touching`); the simulation (`run::paused`)
//! - **start at** [`run`]

use super::{GRAVITY, Grasp, fill, read_task};
use crate::cli::run::{build, source, told};
use crate::cli::table::{aligned, short};
use crate::grasp::answer::answered;
use crate::grasp::touching::{Touching, body, record, touching};
use crate::grasp::{picture, text};
use crate::json::document::Document;
use crate::outcome::{self, Failure, Outcome};
use crate::run::paused::{Options, Paused};
use crate::run::saved::{self, Origin};
use crate::run::shipped;
use nalgebra::Vector3;
use serde_json::{Map, Value, json};
use std::io::{IsTerminal, stderr};
use std::path::Path;

/// Whether a file is meant as a scene: its name ends in `.toml`, or it is not there and a shipped scene has its name.
pub fn is_one(file: &Path) -> bool {
    let toml = file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
    toml || (!file.exists() && file.to_str().is_some_and(|name| shipped::text(name).is_some()))
}

/// Simulates to the time and answers for what touches the body then.
pub fn run(options: &Grasp, object: &str, quiet: bool) -> Result<Outcome, Failure> {
    let task = options.task.as_deref().map(read_task).transpose()?;
    let name = options.file.to_str().ok_or_else(|| Failure::of_file(&options.file, "the name is not UTF-8"))?;
    let (text, file, folder) = source(name)?;
    let scene = shipped::parse(&text, &file, &folder, &options.sets).map_err(told)?;
    let shown = !quiet && stderr().is_terminal();
    let built = build(&scene, shown)?;
    // Told before the run, which may take long.
    let held = body(&built.model, object).map_err(|why| Failure(format!("--object: {why}")))?;
    let from = options.from.as_deref().map(|saved| {
        let origin = Origin::new(&built, &text, &options.sets)?;
        saved::read(saved, &origin, &built.model)
    });
    let warnings = built.warnings.clone();
    let threads = options.threads.map_or(1, usize::from);
    let Some(mut paused) = Paused::at(built, from.transpose()?, Options { at: options.at, threads, shown })? else {
        return Ok(Outcome::Interrupted);
    };
    let scene_name = paused.built().name.clone();
    let sight = paused.sight()?;
    let mut found = touching(sight, held).map_err(Failure)?;
    let gravity = Some(sight.model.gravity_W()).filter(|g| g.norm() > 0.0);
    let gravity = gravity.unwrap_or(Vector3::new(0.0, 0.0, -GRAVITY));
    options.apply(&mut found.question, task.as_deref(), &gravity);
    let wanted = options.wanted();
    let mut answer = answered(&found.question, &wanted);
    if found.question.wrench.is_none() {
        answer
            .warnings
            .push("the scene has no gravity, so no grip is asked for: give --wrench or --weight".to_string());
    }
    if !quiet {
        warnings.iter().for_each(|warning| outcome::tell(&format!("warning: {warning}")));
    }
    if let Some(path) = &options.svg {
        outcome::write_whole(path, &picture::svg(object, &found.question, &answer))?;
    }
    let time = sight.state.time;
    let table = format!("{}\n{}", now(object, &scene_name, time, &found), text::one(object, &found.question, &answer));
    let mut root = Map::new();
    for (key, value) in [("scene", json!(scene_name)), ("object", json!(object)), ("t", json!(time))] {
        root.insert(key.to_string(), value);
    }
    root.extend(record(&found));
    let mut record = Value::Object(root);
    fill(&mut record, &Ok((found.question, answer)), &wanted);
    let Value::Object(root) = record else { return Err(Failure("internal error, please report it".to_string())) };
    options.answers.deliver(&Document::of_options(root), || table, 0)
}

/// What touches the body and what each contact carries at the time.
fn now(object: &str, scene: &str, time: f64, found: &Touching) -> String {
    let question = &found.question;
    let row = |k: usize| {
        let c = &question.grasp.contacts[k];
        let patch = if c.patch.lives() { "grows with the load" } else { "fixed" };
        let mut row = vec![question.names[k].clone()];
        match &found.now[k] {
            Some(now) => row.extend([short(now.normal), short(1e3 * now.e_n), format!("{:.0} %", 100.0 * now.used)]),
            None => row.extend(["-".to_string(), short(1e3 * c.patch.e_n(1.0)), "-".to_string()]),
        }
        row.extend([short(c.friction[0]), patch.to_string()]);
        row
    };
    let rows: Vec<Vec<String>> = (0..question.names.len()).map(row).collect();
    let header = ["touches", "P now [N]", "e_n now [mm]", "used now", "friction", "patch"];
    format!("{object} at t = {} s of {scene}\n{}", short(time), aligned(&header, &rows))
}

//! # `fingerpad run --verify`: does a recorded run come out again?
//!
//! - **in**: a recording; perhaps the scene file, for the folder of its maps and meshes
//! - **out**: one line; exit 0 if every recorded state comes out bit for bit, 1 with the first that does not, 2 if the
//!   recording cannot be used
//! - **start at** [`verify`]

use super::run::Run;
use crate::json::document;
use crate::outcome::{self, Failure, Outcome};
use crate::run::recorded::{self, Verified};
use crate::run::saved::{self, Origin};
use crate::run::shipped;
use fingerpad_files::input;
use fingerpad_files::recording::{LONGEST, Recording};
use serde_json::{Map, json};
use std::path::{Path, PathBuf};

/// Simulates what a recording is of and compares.
pub fn verify(options: &Run, path: &Path) -> Result<Outcome, Failure> {
    let told = |e: &dyn std::fmt::Display| Failure::of_file(path, e);
    let bytes = input::read(path, LONGEST).map_err(|e| told(&format!("cannot be read: {e}")))?;
    let recording = Recording::read(&bytes).map_err(|e| told(&e))?;
    let fact = |name: &str| recording.fact(name).map_err(|e| told(&e));
    let (version, ours) = (fact("version")?, env!("CARGO_PKG_VERSION"));
    if version != ours {
        return Err(told(&format!(
            "recorded by version {version}, this is {ours}: states are the same only within a version"
        )));
    }
    let text = recording.scene.as_deref().ok_or_else(|| told(&"no scene in it"))?;
    let sets: Vec<String> = serde_json::from_str(fact("sets")?).map_err(|e| told(&format!("its overrides: {e}")))?;
    let folder = match &options.scene {
        Some(scene) => Path::new(scene).parent().map_or_else(PathBuf::new, Path::to_path_buf),
        None => PathBuf::from(fact("folder")?),
    };
    let scene =
        |e: fingerpad_files::scene::SceneError| Failure(e.to_string().trim_start_matches("error: ").to_string());
    let parsed = shipped::parse(text, "scene.toml", &folder, &sets).map_err(scene)?;
    let hash = saved::hash(parsed.source(), &sets);
    if hash != fact("hash")? {
        return Err(told(&"the scene in it is not the one it was recorded from"));
    }
    let mut built = parsed.build(&mut |_| {}).map_err(scene)?;
    let number = |name: &str| fact(name)?.parse::<f64>().map_err(|e| told(&format!("{name}: {e}")));
    built.set_duration(number("duration")?).map_err(|why| told(&format!("duration: {why}")))?;
    let from = options.from.as_deref().map(|file| {
        let origin = Origin::new(&built, text, &sets)?;
        saved::read(file, &origin, &built.model)
    });
    let from = from.transpose()?;
    let start = number("start")?;
    if start != 0.0 && from.is_none() {
        return Err(told(&format!("it goes on from a state at t = {start} s: give that with --from")));
    }
    outcome::listen_for_interrupt();
    let verified = recorded::verify(&recording, &built, from, options.threads.map_or(1, usize::from))?;
    let mut answer = Map::new();
    answer.insert("file".to_string(), json!(path.display().to_string()));
    answer.insert("scene".to_string(), json!(built.name));
    answer.insert("states".to_string(), json!(recording.frames.len()));
    answer.insert("complete".to_string(), json!(recording.broken.is_none()));
    let (line, outcome) = match &verified {
        Verified::Same(count) => {
            answer.insert("ok".to_string(), json!(true));
            (format!("{}: {count} recorded states come out bit for bit\n", built.name), Outcome::AllGood)
        }
        Verified::Different(t, what) => {
            answer.insert("ok".to_string(), json!(false));
            answer.insert("t".to_string(), json!(t));
            answer.insert("differs".to_string(), json!(what));
            (format!("{}: differs at t = {t} s: {what}\n", built.name), Outcome::SomeFailed)
        }
    };
    outcome::print(&if options.json { document::text(&answer) } else { line })?;
    Ok(outcome)
}

//! # What is in a recording
//!
//! - **in**: `run.mcap`, whole or cut
//! - **out**: scene, version, hashes, topics with counts, times, whether it ends as it should
//! - **start at** [`describe`]

use crate::outcome::Failure;
use fingerpad_files::input;
use fingerpad_files::recording::{LONGEST, Recording};
use serde_json::{Map, Value, json};
use std::path::Path;

/// The facts of a recording.
pub fn describe(path: &Path) -> Result<Map<String, Value>, Failure> {
    let bytes = input::read(path, LONGEST).map_err(|e| Failure::of_file(path, e))?;
    let recording = Recording::read(&bytes).map_err(|e| Failure::of_file(path, e))?;
    let mut facts = Map::new();
    facts.insert("file".into(), json!(path.display().to_string()));
    facts.insert("kind".into(), json!("recording"));
    for (name, value) in &recording.facts {
        facts.insert(name.clone(), json!(value));
    }
    let (first, last) = recording.span.unwrap_or((0, 0));
    let seconds = |ns: u64| ns as f64 * 1e-9;
    facts.insert("t_first".into(), json!(recording.span.map(|_| seconds(first))));
    facts.insert("t_last".into(), json!(recording.span.map(|_| seconds(last))));
    facts.insert("states".into(), json!(recording.frames.len()));
    let bodies = recording.frames.last().map_or(0, |frame| frame.poses.len());
    facts.insert("moving_bodies".into(), json!(bodies));
    for (topic, schema, count) in &recording.topics {
        facts.insert(topic.clone(), json!(format!("{count} × {schema}")));
    }
    facts.insert("bytes".into(), json!(bytes.len()));
    facts.insert("complete".into(), json!(recording.broken.is_none()));
    let mut warnings = Vec::new();
    if let Some(why) = &recording.broken {
        warnings.push(format!("not whole ({why}); `fingerpad recover` makes a whole file of what is there"));
    }
    let (version, ours) = (recording.facts.get("version"), env!("CARGO_PKG_VERSION"));
    match version {
        None => warnings.push("not made by fingerpad: no scene in it".to_string()),
        Some(version) if version != ours => warnings.push(format!("recorded by version {version}, this is {ours}")),
        _ => {}
    }
    facts.insert("warnings".into(), json!(warnings));
    Ok(facts)
}

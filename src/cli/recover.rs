//! # `fingerpad recover`: a recording that a crash left, made whole
//!
//! - **in**: an MCAP file without its end
//! - **out**: a new file with all that can be read and a summary; a line on what that was
//! - **start at** [`run`]

use crate::json::document;
use crate::outcome::{self, Failure, Outcome};
use clap::Args;
use fingerpad_files::{input, recording};
use serde_json::{Map, json};
use std::io::Cursor;
use std::path::PathBuf;

/// Options of `recover`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Recover {
    /// The recording.
    pub file: PathBuf,
    /// Where the whole one goes; beside it, as `NAME.recovered.mcap`, if not given. May be the same file.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Print one JSON document.
    #[arg(long)]
    pub json: bool,
}

const EXAMPLE: &str = "\
Example:
  fingerpad recover out/grasp/run.mcap

A run that was killed leaves a recording without its end, which most readers refuse. All that was flushed (every 100 ms) is
in it. Exit codes: 0 written, 2 not a recording or not writable.";

/// Recovers.
pub fn run(options: &Recover) -> Result<Outcome, Failure> {
    let path = &options.file;
    let out = options.out.clone().unwrap_or_else(|| path.with_extension("recovered.mcap"));
    let bytes =
        input::read(path, recording::LONGEST).map_err(|e| Failure::of_file(path, format!("cannot be read: {e}")))?;
    let mut whole = Cursor::new(Vec::with_capacity(bytes.len()));
    let (messages, broken) = recording::recover(&bytes, &mut whole).map_err(|e| Failure::of_file(path, e))?;
    outcome::write_bytes_whole(&out, whole.get_ref())?;
    let was = broken.as_deref().unwrap_or("nothing: it was whole");
    let mut answer = Map::new();
    answer.insert("file".to_string(), json!(out.display().to_string()));
    answer.insert("messages".to_string(), json!(messages));
    answer.insert("broken".to_string(), json!(broken));
    let text = format!("{messages} messages in {}; what was wrong: {was}\n", out.display());
    outcome::print(&if options.json { document::text(&answer) } else { text })?;
    Ok(Outcome::AllGood)
}

//! # Saved states: a run that goes on bit by bit
//!
//! - **in**: a state, what it is of
//! - **out**: a file: one line that says what it is, one line of JSON, then the state in binary
//! - **start at** [`write()`], [`read`]
//!
//! Numbers are stored as their bits (`postcard`), so that nothing is rounded. A state belongs to one scene (its hash,
//! without the duration) and one version of the program.

use crate::outcome::{self, Failure};
use fingerpad_sim::State;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::Path;

/// First line of the file.
pub const MAGIC: &str = "fingerpad state 1";

/// What is known of a saved state besides the state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Name of the scene.
    pub scene: String,
    /// Version of the program.
    pub version: String,
    /// Hash of the scene and its overrides.
    pub hash: String,
    /// Energy total at the start of the first run (J).
    pub total: f64,
    /// The largest energy so far (J), against which the ledger is measured.
    pub scale: f64,
    /// The largest error of the ledger so far (J).
    pub error: f64,
}

/// A state and what is known of it.
#[derive(Debug)]
pub struct Saved {
    /// What it is of.
    pub header: Header,
    /// The state.
    pub state: State,
}

/// Hash of a scene's text and its overrides, as hexadecimal digits.
pub fn hash(text: &str, sets: &[String]) -> String {
    let mut sha = Sha256::new();
    sha.update(text.as_bytes());
    for set in sets {
        sha.update([0]);
        sha.update(set.as_bytes());
    }
    sha.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes a state, whole or not at all.
pub fn write(path: &Path, header: &Header, state: &State) -> Result<(), Failure> {
    let told = |e: &dyn std::fmt::Display| Failure::of_file(path, format!("state cannot be written: {e}"));
    let mut bytes = format!("{MAGIC}\n{}\n", serde_json::to_string(header).map_err(|e| told(&e))?).into_bytes();
    bytes.extend(postcard::to_stdvec(state).map_err(|e| told(&e))?);
    outcome::write_bytes_whole(path, &bytes)
}

/// Reads a state that belongs to the scene of this hash.
pub fn read(path: &Path, hash: &str) -> Result<Saved, Failure> {
    let saved = open(path)?;
    if saved.header.hash != hash {
        let why = format!(
            "saved from another scene or other overrides (`{}`, hash {}…; this one has {}…)",
            saved.header.scene,
            saved.header.hash.get(..12).unwrap_or_default(),
            &hash[..12]
        );
        return Err(Failure::of_file(path, why));
    }
    Ok(saved)
}

/// Reads a state of any scene.
pub fn open(path: &Path) -> Result<Saved, Failure> {
    let told = |why: String| Failure::of_file(path, why);
    let bytes = std::fs::read(path).map_err(|e| told(format!("cannot be read: {e}")))?;
    let mut parts = bytes.splitn(3, |byte| *byte == b'\n');
    let (magic, json, body) = (parts.next(), parts.next(), parts.next());
    if magic != Some(MAGIC.as_bytes()) {
        return Err(told(format!("not a saved state (expected `{MAGIC}` in its first line)")));
    }
    let header: Header = serde_json::from_slice(json.unwrap_or_default())
        .map_err(|e| told(format!("the second line of a saved state must describe it: {e}")))?;
    let version = env!("CARGO_PKG_VERSION");
    if header.version != version {
        return Err(told(format!("saved by version {}, this is {version}: states do not carry over", header.version)));
    }
    let state =
        postcard::from_bytes(body.unwrap_or_default()).map_err(|e| told(format!("the state in it is damaged: {e}")))?;
    Ok(Saved { header, state })
}

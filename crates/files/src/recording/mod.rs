//! # Recordings: rows of a run as plain numbers, and the file they go into
//!
//! `fingerpad run` ──([`Frame`])──▶ **here** ──▶ `run.mcap`, `report.html`
//!
//! - **in**: one [`Frame`] a row
//! - **out**: an MCAP file that Foxglove, Rerun and Python read; what is in such a file, also after a crash
//! - **not here**: how frames come about (`fingerpad run`); pictures (the report)
//! - **start at** [`Frame`], [`Recorder`], [`Recording`]; then `messages`, `schema` and `wire` (protobuf by hand)

mod frame;
mod messages;
mod reader;
mod schema;
mod wire;
mod writer;

pub use frame::{BodyFrame, ContactFrame, Frame, Mode};
pub use messages::{Model, Transforms, digest};
pub use reader::{Recorded, Recording, RecordingError, is_mcap, recover};
pub use schema::descriptor;
pub use writer::{About, Cost, Late, Recorder, RecorderError, TOPICS};

/// Longest recording that is read (bytes).
pub const LONGEST: u64 = 1 << 36;

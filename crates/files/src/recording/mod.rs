//! # Recordings: rows of a run as plain numbers, and the file they go into
//!
//! `fingerpad run` ──([`Frame`])──▶ **here** ──▶ `run.mcap`, `report.html`
//!
//! - **in**: one [`Frame`] a row
//! - **not here**: how frames come about (`fingerpad run`); pictures (the report)
//! - **start at** [`Frame`]

mod frame;

pub use frame::{BodyFrame, ContactFrame, Frame, Mode};

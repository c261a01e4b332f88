//! # The program `fingerpad`
//!
//! command line ──▶ [`cli`] ──(records)──▶ `fingerpad_contact`, `fingerpad_files` ──▶ tables, JSON, HTML
//!
//! - **in**: arguments, JSON files, elevation maps
//! - **out**: a table or one JSON document on stdout, messages on stderr, an exit code ([`outcome`])
//! - **not here**: mechanics (`fingerpad_contact`); file formats of maps (`fingerpad_files`)
//! - **start at** [`cli`] (what can be asked), then [`json`] (records), [`run`] (scenes in time),
//!   [`reproduce`] (the papers), [`report`] (pages)

mod cli;
mod grasp;
mod json;
mod outcome;
mod planar;
mod progress;
mod report;
mod reproduce;
mod run;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    outcome::tell_panics_briefly();
    outcome::exit_130_on_interrupt();
    // Usage errors and --help end inside clap: exit 2 and 0.
    let cli = cli::Cli::parse();
    let result = outcome::guarded(|| cli::run(cli)).unwrap_or_else(|bug| Err(outcome::Failure(bug)));
    outcome::exit_code(result)
}

//! # `fingerpad query`: one stage alone, on a batch of records
//!
//! - **in**: a JSON document with a list of records, or options for one record
//! - **out**: the same document with answers, or a table
//! - **not here**: reading shapes and bodies (`json`)
//! - **start at** [`closest`], [`elevation`] or [`fit`] (where surfaces are); [`patch`], [`slip`] or [`limit_surface`]
//!   (what they do), which share [`batch`]; [`lcp`] (complementarity alone); [`bowl`] (how a body moves);
//!   [`tree`] (dynamics of joints)

pub mod batch;
pub mod bowl;
pub mod closest;
pub mod elevation;
pub mod fit;
pub mod lcp;
pub mod limit_surface;
pub mod patch;
pub mod slip;
pub mod tree;

use crate::cli::table::aligned;
use crate::json::document::Document;
use crate::outcome::{self, Failure, Outcome};
use clap::{Args, Subcommand};
use serde_json::Value;
use std::path::PathBuf;

/// Examples of the whole family; each query has its own.
pub const EXAMPLE: &str = "\
Examples:
  fingerpad query patch --radius 10mm --load 1N..20N:20 --young 0.3MPa
  fingerpad query closest --shape1 'sphere radius=10mm' --shape2 half_space --pos2 0,0,-12mm
  fingerpad query lcp cases.json --json";

/// What can be queried.
#[derive(Debug, Subcommand)]
pub enum Query {
    /// Closest points of pairs of bodies, their gap, normal and rates.
    Closest(closest::Closest),
    /// Height, slopes and second derivatives of an elevation map.
    Elevation(elevation::Elevation),
    /// Class, normal and principal curvatures of a mesh at points.
    Fit(fit::Fit),
    /// Contact patches under load: size, pressure, approach, stiffness, largest moment.
    Patch(patch::Patch),
    /// The load that friction lets a sliding and turning patch carry, exactly and by the ellipsoid.
    LimitSurface(limit_surface::LimitSurface),
    /// Elastic displacements that slip back to the friction limit, and the energy it costs.
    Slip(slip::Slip),
    /// Linear complementarity problems: solutions, or proofs that there is none.
    Lcp(lcp::LcpQuery),
    /// A ball in a bowl, followed accurately: motion, contact, energy ledger, events.
    Bowl(bowl::Bowl),
    /// Dynamics of trees of joints: mass matrix, bias, accelerations, derivatives, frames, energies.
    Tree(tree::TreeQuery),
}

/// How answers leave, the same for all queries.
#[derive(Debug, Args)]
pub struct Answers {
    /// Print one JSON document instead of a table.
    #[arg(long)]
    pub json: bool,
    /// Write the JSON document to this file as well.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

impl Answers {
    /// Hands over an answered document: file, stdout, exit code.
    pub(super) fn deliver(
        &self,
        document: &Document,
        table: impl FnOnce() -> String,
        failed: usize,
    ) -> Result<Outcome, Failure> {
        let text = if self.json || self.out.is_some() { document.to_text() } else { String::new() };
        if let Some(path) = &self.out {
            outcome::write_whole(path, &text)?;
        }
        outcome::print(&if self.json { text } else { table() })?;
        Ok(Outcome::of(failed))
    }
}

/// Errors told one by one on stderr; a batch of thousands that are all wrong is told of once.
const TOLD: usize = 20;

/// How many records carry an error; beside JSON they are told on stderr too (tables show them).
pub(super) fn count_errors(name: &str, key: &str, list: &[Value], tell: bool) -> usize {
    let mut failed = 0;
    for (k, record) in list.iter().enumerate() {
        let Some(error) = record.get("error") else { continue };
        failed += 1;
        if tell && failed <= TOLD {
            let text = |part: &str| error[part].as_str().unwrap_or_default().to_string();
            outcome::tell(&format!("{name}: {key}[{k}] {}: {}", text("field"), text("message")));
        }
    }
    if tell && failed > TOLD {
        outcome::tell(&format!("{name}: {failed} of {} {key} have errors", list.len()));
    }
    failed
}

/// The label of a record in a table: its id, or its place in the list.
pub(super) fn label(record: &Value, k: usize) -> String {
    match record.get("id") {
        Some(Value::String(id)) => id.clone(),
        Some(id) if !id.is_null() => id.to_string(),
        _ => k.to_string(),
    }
}

/// Records as a table for people: a row each, errors in their words, warnings below.
fn plain_table(list: &[Value], header: &[&str], row: impl Fn(&Value, String) -> Vec<String>) -> String {
    let rows: Vec<Vec<String>> = list
        .iter()
        .enumerate()
        .map(|(k, record)| match record.get("error") {
            Some(error) => {
                let part = |name: &str| error[name].as_str().unwrap_or_default();
                vec![label(record, k), format!("error: {}: {}", part("field"), part("message"))]
            }
            None => row(record, label(record, k)),
        })
        .collect();
    let mut text = aligned(header, &rows);
    for (k, record) in list.iter().enumerate() {
        for warning in record["warnings"].as_array().into_iter().flatten() {
            text.push_str(&format!("warning ({}): {}\n", label(record, k), warning.as_str().unwrap_or_default()));
        }
    }
    text
}

//! # `fingerpad query lcp`: linear complementarity problems, solved, disproved or given up honestly
//!
//! `cases: [{id, n, M, q}]`, or a text of numbers ──▶ **here** ──▶ `status` and what proves it, in each case
//!
//! - **in**: M (rows) and q
//! - **out**: `solved` with z and w, `infeasible` with a certificate, or `not_found` with the best z
//! - **not here**: how (`fingerpad_solve`)
//! - **start at** [`run`], then [`answer`]
//!
//! ```text
//! w = M z + q,   z ≥ 0,   w ≥ 0,   z·w = 0
//! ```

use super::Answers;
use super::batch::{Answer, Batch, cell};
use crate::json::document::{self, Document};
use crate::json::{Field, FieldError, lcp};
use crate::outcome::{Failure, Outcome};
use clap::Args;
use fingerpad_solve::{Status, solve};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Options of `query lcp`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct LcpQuery {
    /// JSON document with a list `cases`, or a text: n, the rows of M, q; `-` reads stdin.
    pub file: PathBuf,
    /// How answers leave.
    #[command(flatten)]
    pub answers: Answers,
}

const EXAMPLE: &str = "\
Examples:
  fingerpad query lcp cases.json --json > answered.json
  echo '{\"cases\": [{\"n\": 2, \"M\": [[2, 1], [1, 2]], \"q\": [-5, -6]}]}' | fingerpad query lcp - --json
  echo '2  2 1  1 2  -5 -6' | fingerpad query lcp -

w = M z + q with z, w not negative and z·w = 0. Answers: solved (z, w, residual), infeasible (farkas_y proves
that no z has w ≥ 0), not_found (best z; proved_no_solution where all supports of a small problem were tried).
Fields: docs/formats.md.";

const BATCH: Batch = Batch {
    lists: &["cases", "queries"],
    answers: &["status", "z", "w", "residual", "farkas_y", "proved_no_solution"],
    optional: &[],
    answer,
    header: &["n", "status", "residual", "z"],
    rows,
};

/// Answers every case of the document.
pub fn run(options: &LcpQuery, quiet: bool) -> Result<Outcome, Failure> {
    BATCH.run(read(&options.file)?, &options.answers, quiet)
}

/// A document, or a text that stands for one.
fn read(path: &Path) -> Result<Document, Failure> {
    let (bytes, name) = match path == Path::new("-") {
        true => (document::standard_input()?, "standard input".to_string()),
        false => (document::file(path)?, path.display().to_string()),
    };
    if lcp::is_text(&bytes) {
        return lcp::document(&bytes, &name);
    }
    let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
    Document::parse(&bytes, &name, folder)
}

fn answer(record: &Field) -> Result<Answer, FieldError> {
    let problem = lcp::read(record)?;
    let found = solve(&problem);
    let mut fields = Map::new();
    let mut put = |key: &str, value: Value| drop(fields.insert(key.to_string(), value));
    match found.status {
        Status::Solved => {
            put("status", json!("solved"));
            put("z", json!(found.z));
            put("w", json!(found.w));
            put("residual", json!(found.residual));
        }
        Status::Infeasible => {
            put("status", json!("infeasible"));
            put("farkas_y", json!(found.farkas.unwrap_or_default()));
        }
        Status::NotFound => {
            put("status", json!("not_found"));
            put("z", json!(found.z));
            put("residual", json!(found.residual));
            if found.proved_no_solution {
                put("proved_no_solution", json!(true));
            }
        }
    }
    Ok((fields, Vec::new()))
}

fn rows(record: &Value) -> Vec<Vec<String>> {
    let size = record["q"].as_array().map_or(0, Vec::len);
    let status = match record["proved_no_solution"].as_bool() {
        Some(true) => "has no solution",
        _ => record["status"].as_str().unwrap_or("-"),
    };
    // Long answers are for --json.
    let z = match record["z"].as_array() {
        Some(z) if z.len() <= 8 => z.iter().map(|x| cell(x, 1.0)).collect::<Vec<_>>().join(" "),
        Some(z) => format!("({} numbers)", z.len()),
        None => "-".to_string(),
    };
    vec![vec![size.to_string(), status.replace('_', " "), cell(&record["residual"], 1.0), z]]
}

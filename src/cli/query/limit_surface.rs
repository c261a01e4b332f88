//! # `fingerpad query limit-surface`: what friction carries while a patch slides and turns
//!
//! `cases: [{a, b, k, mu, P, twist}]` ──▶ **here** ──▶ `f`, `tau`, `e_n`, `ellipsoid {f, tau}` in each case
//!
//! - **in**: semi-axes (m), exponent k of the pressure (1 − s²)^k, friction, load (N), twist of 2 relative to 1
//! - **out**: force (N) and moment (N·m) on body 2, exact and by the ellipsoid with the same largest force and moment
//! - **not here**: how they are found (`fingerpad_contact::friction::LimitSurface`)
//! - **start at** [`run`], then [`answer`]; x is along a, the moment about the centre of the patch

use super::Answers;
use super::batch::{Answer, Batch, cell};
use crate::json::document::Document;
use crate::json::{self, Field, FieldError};
use crate::outcome::{Failure, Outcome};
use clap::Args;
use fingerpad_contact::friction::{FrictionLimit, LimitSurface as Exact};
use nalgebra::Vector3;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// Options of `query limit-surface`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct LimitSurface {
    /// JSON document with a list `cases`; `-` reads stdin.
    pub file: PathBuf,
    /// How answers leave.
    #[command(flatten)]
    pub answers: Answers,
}

const EXAMPLE: &str = "\
Examples:
  fingerpad query limit-surface cases.json --json > answered.json
  echo '{\"cases\": [{\"id\": 1, \"a\": 0.004, \"b\": 0.002, \"k\": 0.5, \"mu\": 0.8, \"P\": 5, \"twist\": [0.01, 0, 3]}]}' \\
     | fingerpad query limit-surface -

k: 0.5 Hertz, 1 Winkler, 0 uniform pressure. Fields: docs/formats.md.";

const BATCH: Batch = Batch {
    lists: &["cases", "limit_surface", "queries"],
    answers: &["f", "tau", "e_n", "ellipsoid"],
    optional: &[],
    answer,
    header: &["f [N]", "tau [N·m]", "e_n [m]", "ellipsoid f [N]", "ellipsoid tau [N·m]"],
    rows,
};

/// Answers every case of the document.
pub fn run(options: &LimitSurface, quiet: bool) -> Result<Outcome, Failure> {
    BATCH.run(Document::read(&options.file)?, &options.answers, quiet)
}

fn answer(record: &Field) -> Result<Answer, FieldError> {
    let (a, b) = (record.require("a")?.not_negative()?, record.require("b")?.not_negative()?);
    let k = record.require("k")?;
    let exponent = k.number()?;
    if exponent <= -1.0 {
        return Err(k.expected("a number above -1 (below it the pressure (1 - s²)^k has no finite sum)"));
    }
    let mu = record.require("mu")?.not_negative()?;
    let load = record.require("P")?.not_negative()?;
    let twist = record.require("twist")?;
    let motion = Vector3::from(twist.numbers::<3>()?);
    if motion == Vector3::zeros() {
        return Err(FieldError::new(
            &twist.path,
            "expected a motion, got none: friction at rest may be any load within its limit",
        ));
    }
    let exact = Exact::new(a, b, exponent, mu, load);
    let mut warnings = Vec::new();
    if a.max(b) > MOST_SLENDER * a.min(b) {
        warnings.push(format!(
            "a patch longer than {MOST_SLENDER} times its width is counted as that long in `f` and `tau`; its e_n is exact"
        ));
    }
    if exponent < 0.0 {
        warnings.push(
            "for k below 0 the pressure has no bound at the rim: `f` and `tau` are right to 1e-3 of the largest"
                .to_string(),
        );
    }
    let (f, tau) = parts("", &exact.load_against(&motion), &mut warnings);
    let (f_ellipsoid, tau_ellipsoid) = parts("ellipsoid.", &exact.ellipsoid().load_against(&motion), &mut warnings);
    // e_n belongs to the patch: the same without friction.
    let e_n = json::finite("e_n", Exact::new(a, b, exponent, 1.0, 1.0).e_n(), &mut warnings);
    let fields = [("f", f), ("tau", tau), ("e_n", e_n), ("ellipsoid", json!({"f": f_ellipsoid, "tau": tau_ellipsoid}))];
    Ok((Map::from_iter(fields.map(|(key, value)| (key.to_string(), value))), warnings))
}

/// Slenderness at which the library stops following the patch.
const MOST_SLENDER: f64 = 1e3;

/// Force and moment for JSON.
fn parts(prefix: &str, load: &Vector3<f64>, warnings: &mut Vec<String>) -> (Value, Value) {
    let f = [load.x, load.y].map(|x| json::finite(&format!("{prefix}f"), x, warnings));
    (f.into_iter().collect(), json::finite(&format!("{prefix}tau"), load.z, warnings))
}

fn rows(record: &Value) -> Vec<Vec<String>> {
    let vector = |value: &Value| {
        let parts: Vec<String> = value.as_array().into_iter().flatten().map(|x| cell(x, 1.0)).collect();
        format!("({})", parts.join(", "))
    };
    let ellipsoid = &record["ellipsoid"];
    vec![vec![
        vector(&record["f"]),
        cell(&record["tau"], 1.0),
        cell(&record["e_n"], 1.0),
        vector(&ellipsoid["f"]),
        cell(&ellipsoid["tau"], 1.0),
    ]]
}

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
use crate::json::{self, Field, FieldError, words};
use crate::outcome::{Failure, Outcome};
use clap::Args;
use fingerpad_contact::friction::{FrictionLimit, LimitSurface as Exact};
use fingerpad_files::units::{self, Dimension};
use nalgebra::Vector3;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// Options of `query limit-surface`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct LimitSurface {
    /// JSON document with a list `cases`; `-` reads stdin.
    #[arg(required_unless_present = "semi_axes")]
    pub file: Option<PathBuf>,
    /// Semi-axes of the patch along x and y (m, cm, mm, um).
    #[arg(long, value_name = "A,B", conflicts_with = "file", requires_all = ["load", "twist"], value_parser = words::lengths::<2>)]
    pub semi_axes: Option<[f64; 2]>,
    /// Pressure over the patch: hertz, winkler, uniform, or the exponent k of (1 − s²)^k.
    #[arg(long, value_name = "KIND", requires = "semi_axes", default_value = "hertz", allow_hyphen_values = true, value_parser = exponent)]
    pub pressure: f64,
    /// Coefficient of friction.
    #[arg(long, value_name = "NUMBER", requires = "semi_axes", default_value = "1", value_parser = number)]
    pub friction: f64,
    /// Normal load.
    #[arg(long, value_name = "FORCE", requires = "semi_axes", value_parser = force)]
    pub load: Option<f64>,
    /// How body 2 slides (m/s) and turns (rad/s) on body 1, e.g. `10mm/s,0,3`.
    #[arg(long, value_name = "VX,VY,WN", requires = "semi_axes", allow_hyphen_values = true, value_parser = twist)]
    pub twist: Option<[f64; 3]>,
    /// How answers leave.
    #[command(flatten)]
    pub answers: Answers,
}

const EXAMPLE: &str = "\
Examples:
  fingerpad query limit-surface --semi-axes 4mm,2mm --friction 0.8 --load 5N --twist 10mm/s,0,3
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
    let document = match (&options.file, options.semi_axes) {
        (Some(path), _) => Document::read(path)?,
        (None, axes) => {
            let [a, b] = axes.unwrap_or_default();
            let LimitSurface { pressure, friction, load, twist, .. } = options;
            let case = json!({"a": a, "b": b, "k": pressure, "mu": friction, "P": load, "twist": twist});
            Document::of_options(Map::from_iter([("cases".to_string(), json!([case]))]))
        }
    };
    BATCH.run(document, &options.answers, quiet)
}

fn number(text: &str) -> Result<f64, units::UnitError> {
    units::parse(text, Dimension::Number)
}

fn force(text: &str) -> Result<f64, units::UnitError> {
    units::parse(text, Dimension::Force)
}

/// The exponent of a pressure, by name or as a number.
fn exponent(text: &str) -> Result<f64, units::UnitError> {
    match text {
        "hertz" => Ok(0.5),
        "winkler" => Ok(1.0),
        "uniform" => Ok(0.0),
        _ => number(text),
    }
}

/// Two speeds and a rate of turning.
fn twist(text: &str) -> Result<[f64; 3], String> {
    let parts: Vec<&str> = text.split(',').collect();
    let [vx, vy, wn] = parts[..] else { return Err(format!("expected vx,vy,wn, got `{text}`")) };
    let read = |text: &str, dimension| units::parse(text, dimension).map_err(|e| e.to_string());
    Ok([read(vx, Dimension::Speed)?, read(vy, Dimension::Speed)?, read(wn, Dimension::AngularVelocity)?])
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

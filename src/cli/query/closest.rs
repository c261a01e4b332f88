//! # `fingerpad query closest`: closest points of pairs of bodies, and how they move
//!
//! `pairs: [{body1, body2}]` ──▶ **here** ──▶ `expected {Delta, …}` in each record
//!
//! - **in**: bodies with shape, pose and twist (`json::body`)
//! - **out**: points, gap, normal, rates, and the depth at which the closest points stop moving smoothly
//! - **not here**: how they are found (`fingerpad_contact::track`)
//! - **start at** [`run`], then [`answer`]; body1 is A, body2 is B

use super::{Answers, count_errors, plain_table};
use crate::cli::table::short;
use crate::json::body::{self, Body};
use crate::json::document::Document;
use crate::json::shape::Sources;
use crate::json::{self, Field, FieldError, words};
use crate::outcome::{self, Failure, Outcome};
use clap::Args;
use fingerpad_contact::track::{ClosestPair, closest_points, rates, rolling};
use nalgebra::{Isometry3, Vector3};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// Options of `query closest`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Closest {
    /// JSON document with a list `pairs`; `-` reads stdin.
    #[arg(required_unless_present = "shape1")]
    pub file: Option<PathBuf>,
    /// First body, at the origin: a kind and its sizes (m, cm, mm, um).
    #[arg(long, value_name = "SHAPE", requires = "shape2", conflicts_with = "file", value_parser = words::shape)]
    pub shape1: Option<Value>,
    /// Second body.
    #[arg(long, value_name = "SHAPE", requires = "shape1", value_parser = words::shape)]
    pub shape2: Option<Value>,
    /// Position of the second body (m).
    #[arg(long, value_name = "X,Y,Z", requires = "shape2", allow_hyphen_values = true, value_parser = words::lengths::<3>)]
    pub pos2: Option<[f64; 3]>,
    /// Rotation of the second body, body to world.
    #[arg(long, value_name = "W,X,Y,Z", requires = "shape2", allow_hyphen_values = true, value_parser = words::lengths::<4>)]
    pub quat2: Option<[f64; 4]>,
    /// How answers leave.
    #[command(flatten)]
    pub answers: Answers,
    /// Most threads to use; results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
}

const EXAMPLE: &str = "\
Examples:
  fingerpad query closest pairs.json --json > answered.json
  echo '{\"pairs\": [{\"body1\": {\"shape\": \"sphere\", \"radius\": 0.1},
     \"body2\": {\"shape\": \"half_space\", \"pos\": [0, 0, -0.2]}}]}' | fingerpad query closest - --json
  fingerpad query closest --shape1 'sphere radius=10mm' --shape2 'torus major_radius=5cm minor_radius=1cm' --pos2 0,0,8cm

Shapes: half_space, sphere, ellipsoid, cylinder, capsule, torus, rounded_box, revolution, graph, elevation, mesh.
Their sizes, and the answer's fields: docs/formats.md.";

/// Answers every pair of the document.
pub fn run(options: &Closest, quiet: bool) -> Result<Outcome, Failure> {
    let mut document = match &options.file {
        Some(path) => Document::read(path)?,
        None => of_options(options),
    };
    let mut sources = Sources::new(&document.folder);
    sources.meshes.quiet = quiet;
    let name = document.name.clone();
    let records = document.list("pairs")?;
    // Shapes first and in order, since maps and meshes are shared; then the work, in parts that do not know of each other.
    let asked: Vec<Result<Question, FieldError>> =
        records.iter().map(|r| careful("", || question(r, &mut sources))).collect();
    let answers = in_threads(&asked, threads(options.threads, records.len()));
    for (record, answer) in records.iter_mut().zip(answers) {
        fill(record, answer);
    }
    if options.file.is_none()
        && let Some(wrong) = records.iter().find_map(of_option)
    {
        return Err(wrong);
    }
    let failed = count_errors(&name, "pairs", records, options.answers.json && !quiet);
    options.answers.deliver(&document, || table(&document), failed)
}

/// The document that the options stand for.
fn of_options(options: &Closest) -> Document {
    let mut second = json!({"shape": options.shape2});
    if let Some(pos) = options.pos2 {
        second["pos"] = json!(pos);
    }
    if let Some(quat) = options.quat2 {
        second["quat_wxyz"] = json!(quat);
    }
    let record = json!({"body1": {"shape": options.shape1}, "body2": second});
    Document::of_options(Map::from_iter([("pairs".to_string(), json!([record]))]))
}

/// What is wrong with an option, if the record that the options stand for could not be read.
fn of_option(record: &Value) -> Option<Failure> {
    let error = record.get("error")?;
    let (field, message) = (error["field"].as_str()?, error["message"].as_str()?);
    let known =
        [("body1.shape", "--shape1"), ("body2.shape", "--shape2"), ("body2.pos", "--pos2"), ("body2.quat", "--quat2")];
    let (part, option) = known.iter().find(|(part, _)| field.starts_with(part))?;
    let size = field.strip_prefix(part).and_then(|rest| rest.strip_prefix('.')).map(|size| format!("`{size}`: "));
    Some(Failure(format!("{option}: {}{message}", size.unwrap_or_default())))
}

/// Two bodies.
type Question = (Body, Body);
/// The fields of `expected`, and warnings.
type Answer = (Map<String, Value>, Vec<String>);

fn question(record: &Value, sources: &mut Sources) -> Result<Question, FieldError> {
    let record = Field::root(record);
    record.object()?;
    Ok((body::read(&record, "body1", sources)?, body::read(&record, "body2", sources)?))
}

/// The work of one record; should it panic, the record gets an error and the others go on.
fn careful<T>(field: &str, work: impl FnOnce() -> Result<T, FieldError>) -> Result<T, FieldError> {
    outcome::guarded(work).unwrap_or_else(|bug| Err(FieldError::new(field, bug)))
}

/// Few pairs are not worth a thread.
const PAIRS_PER_THREAD: usize = 8;

fn threads(wanted: Option<u16>, pairs: usize) -> usize {
    let most = wanted.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from);
    most.min(pairs.div_ceil(PAIRS_PER_THREAD)).max(1)
}

fn in_threads(asked: &[Result<Question, FieldError>], threads: usize) -> Vec<Result<Answer, FieldError>> {
    let each = |part: &[Result<Question, FieldError>]| -> Vec<Result<Answer, FieldError>> {
        part.iter().map(|q| careful("body2", || answer(q.as_ref().map_err(Clone::clone)?))).collect()
    };
    if threads == 1 {
        return each(asked);
    }
    std::thread::scope(|scope| {
        let parts: Vec<_> =
            asked.chunks(asked.len().div_ceil(threads)).map(|part| scope.spawn(move || each(part))).collect();
        // A panic in a part is a bug, not an answer: it goes on to the caller.
        parts.into_iter().flat_map(|p| p.join().unwrap_or_else(|e| std::panic::resume_unwind(e))).collect()
    })
}

/// A warning about a value that only JSON has.
const NO_LIMIT: &str = "Delta_min_at_these_curvatures is null: there is no limit at these curvatures";

/// Closest points of one pair, with rates.
fn answer((a, b): &Question) -> Result<Answer, FieldError> {
    let mut warnings: Vec<String> = a.warnings.iter().chain(&b.warnings).cloned().collect();
    let X_AB = a.X_WB.inv_mul(&b.X_WB);
    let pair = closest_points(&a.shape, &b.shape, &X_AB).map_err(|e| FieldError::new("body2", e))?;
    let V_AB = rolling::relative_velocity(&a.X_WB, &a.V_WB, &b.X_WB, &b.V_WB)
        .map_err(|e| FieldError::new("body2.omega_world", e))?;
    let R_WA = a.X_WB.rotation;
    let nhat_W = R_WA * pair.nhat_AB_A;
    let (p_WCa, p_WCb) = (a.X_WB * pair.p_ACa, b.X_WB * pair.p_BCb);
    let moving = rates(&pair, &X_AB, &V_AB);
    warnings.extend(doubts(&pair, &X_AB));
    // The normal turns with A, and over A with the point.
    let nhat_dot_W = moving.map(|r| R_WA * r.nhat_dot_A + a.V_WB.w.cross(&nhat_W));

    let limit = pair.validity().min;
    if limit == f64::NEG_INFINITY {
        warnings.push(NO_LIMIT.to_string());
    }
    let limit = if limit == f64::NEG_INFINITY { Value::Null } else { json::finite("Delta_min", limit, &mut warnings) };
    let mut vector =
        |name: &str, v: Vector3<f64>| -> Value { v.iter().map(|x| json::finite(name, *x, &mut warnings)).collect() };
    let mut fields: Vec<(&str, Value)> = vec![
        ("normal_world_1to2", vector("normal_world_1to2", nhat_W)),
        ("p1_world", vector("p1_world", p_WCa.coords)),
        ("p2_world", vector("p2_world", p_WCb.coords)),
        ("p1_body1", vector("p1_body1", pair.p_ACa.coords)),
        ("p2_body2", vector("p2_body2", pair.p_BCb.coords)),
    ];
    let rates = [
        ("p1dot_body1", moving.map(|r| r.p_ACa_dot)),
        ("p2dot_body2", moving.map(|r| r.p_BCb_dot)),
        ("normal_dot_world", nhat_dot_W),
    ];
    for (name, rate) in rates {
        fields.push((name, rate.map_or(Value::Null, |v| vector(name, v))));
    }
    fields.push(("Delta_min_at_these_curvatures", limit));
    let gap_dot = rolling::gap_rate(&pair, &X_AB, &V_AB);
    let head = [
        ("Delta", json::finite("Delta", pair.gap, &mut warnings)),
        ("Delta_dot", json::finite("Delta_dot", gap_dot, &mut warnings)),
    ];
    let expected = head.into_iter().chain(fields).map(|(name, value)| (name.to_string(), value)).collect();
    Ok((expected, warnings))
}

/// What should be known before the numbers are used.
fn doubts(pair: &ClosestPair, X_AB: &Isometry3<f64>) -> Vec<String> {
    let mut doubts = Vec::new();
    let interval = pair.validity();
    let gap = pair.gap;
    if !interval.contains(gap) {
        doubts.push(format!(
            "Delta = {gap} m is outside ({}, {}) m, where closest points move smoothly at these curvatures; their rates are null",
            interval.min, interval.max
        ));
    } else if !pair.is_isolated() {
        doubts.push(
            "the closest points form a line or an area, of which one place is given; p1dot_body1, p2dot_body2 and normal_dot_world are null"
                .to_string(),
        );
    } else if interval.max.is_finite() {
        doubts.push(format!("in this hollow the closest points move smoothly only below Delta = {} m", interval.max));
    }
    let between = X_AB * pair.p_BCb - pair.p_ACa;
    let aside = (between - pair.nhat_AB_A * gap).norm();
    let size = 1.0 + pair.p_ACa.coords.amax() + X_AB.translation.vector.amax();
    if aside > 1e-9 * size {
        doubts.push(format!("the points miss a common normal by {aside:.1e} m"));
    }
    doubts
}

/// Puts an answer, or the error, into its record.
fn fill(record: &mut Value, answer: Result<Answer, FieldError>) {
    let Value::Object(fields) = record else {
        *record = json!({"record": record, "error": FieldError::new("", "expected an object").to_json()});
        return;
    };
    match answer {
        Ok((expected, warnings)) => {
            fields.shift_remove("error");
            json::put(fields, "expected", expected);
            json::warn(fields, &warnings);
        }
        Err(error) => json::refuse(fields, &["expected"], &error),
    }
}

/// The answers for people.
fn table(document: &Document) -> String {
    let mut list = document.root["pairs"].as_array().cloned().unwrap_or_default();
    for warnings in list.iter_mut().filter_map(|record| record.get_mut("warnings")?.as_array_mut()) {
        warnings.retain(|warning| warning != NO_LIMIT);
    }
    let header = ["id", "Delta [m]", "Delta_dot [m/s]", "normal 1→2", "p1 world [m]", "p2 world [m]", "warnings"];
    plain_table(&list, &header, row)
}

fn row(record: &Value, label: String) -> Vec<String> {
    let number = |v: &Value| v.as_f64().map_or("-".to_string(), short);
    let expected = &record["expected"];
    let vector = |name: &str| {
        let parts: Vec<String> = expected[name].as_array().into_iter().flatten().map(number).collect();
        format!("({})", parts.join(", "))
    };
    vec![
        label,
        number(&expected["Delta"]),
        number(&expected["Delta_dot"]),
        vector("normal_world_1to2"),
        vector("p1_world"),
        vector("p2_world"),
        record["warnings"].as_array().filter(|w| !w.is_empty()).map_or(String::new(), |w| w.len().to_string()),
    ]
}

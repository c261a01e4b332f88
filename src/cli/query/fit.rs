//! # `fingerpad query fit`: curvature of a mesh at points
//!
//! `{mesh, unit, cases: [{point, radius?}]}` ──▶ **here** ──▶ `class`, `normal`, `k1`, `k2`, … in each case
//!
//! - **in**: a mesh file, and points on or near it (m)
//! - **out**: what the place looks like, its principal curvatures, and how well they fit
//! - **not here**: the fit (`fingerpad_contact::surface::mesh::fit`)
//! - **start at** [`run`]; `radius` on input is where the region starts, on output what was used

use super::{Answers, count_errors, plain_table};
use crate::cli::table::short;
use crate::json::document::Document;
use crate::json::{self, Field, FieldError, mesh, words};
use crate::outcome::{self, Failure, Outcome};
use clap::{Args, ValueEnum};
use fingerpad_contact::surface::mesh::fit::{FitClass, FitMesh, FitOptions, FitTerms, LocalFit};
use nalgebra::Point3;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// Options of `query fit`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Fit {
    /// JSON document with `mesh`, `unit` and a list `cases`; `-` reads stdin.
    #[arg(required_unless_present = "mesh")]
    pub file: Option<PathBuf>,
    /// A mesh: STL, OBJ or COLLADA.
    #[arg(long, value_name = "FILE", requires = "at", conflicts_with = "file")]
    pub mesh: Option<String>,
    /// A point on or near the mesh (m).
    #[arg(long, value_name = "X,Y,Z", requires = "mesh", allow_hyphen_values = true, value_parser = words::lengths::<3>)]
    pub at: Option<[f64; 3]>,
    /// Unit of the mesh: m, cm, mm, in, or metres per unit.
    #[arg(long, value_name = "UNIT", requires = "mesh", value_parser = mesh::unit_word)]
    pub unit: Option<f64>,
    /// Radius of the region to start with; it grows until the fit is sound.
    #[arg(long, value_name = "LENGTH", requires = "mesh", value_parser = words::length)]
    pub radius: Option<f64>,
    /// Terms of the fitted surface.
    #[arg(long, value_name = "N", default_value = "6")]
    pub terms: Terms,
    /// How answers leave.
    #[command(flatten)]
    pub answers: Answers,
}

/// Terms of the fitted surface, on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Terms {
    /// Curvature only, as printed in paper B.
    #[value(name = "3")]
    Three,
    /// Curvature, tilt and height.
    #[value(name = "6")]
    Six,
}

const EXAMPLE: &str = "\
Examples:
  fingerpad query fit --mesh finger.stl --unit mm --at 0,0,12mm
  fingerpad query fit --mesh finger.stl --unit mm --at 0,0,12mm --radius 5mm --terms 3
  echo '{\"mesh\": \"finger.stl\", \"unit\": \"mm\", \"cases\": [{\"id\": 1, \"point\": [0, 0, 0.012]}]}' \\
     | fingerpad query fit - --json

Points and radii are in metres, whatever the unit of the mesh. Fields: docs/formats.md.";

/// Keys of an answer. `radius` belongs to the question too and stays where there is no answer.
const ANSWERS: [&str; 8] = ["class", "normal", "k1", "k2", "dir1", "vertices", "std", "condition"];

/// Answers every case of the document.
pub fn run(options: &Fit, quiet: bool) -> Result<Outcome, Failure> {
    let mut document = match &options.file {
        Some(path) => Document::read(path)?,
        None => of_options(options),
    };
    document.list("cases")?;
    let root = Value::Object(std::mem::take(&mut document.root));
    let read = mesh::read(&Field::root(&root), &document.folder, quiet);
    if let Value::Object(fields) = root {
        document.root = fields;
    }
    let name = document.name.clone();
    let mesh::Read { mesh, warnings, .. } = read.map_err(|e| Failure(format!("{name}: {e}")))?;
    json::warn(&mut document.root, &warnings);
    if !quiet {
        warnings.iter().for_each(|w| outcome::tell(&format!("warning: {w}")));
    }
    let mesh = FitMesh::new(mesh.vertices(), mesh.faces());
    let terms = match options.terms {
        Terms::Three => FitTerms::Three,
        Terms::Six => FitTerms::Six,
    };
    let records = document.list("cases")?;
    for record in records.iter_mut() {
        let answer = outcome::guarded(|| answer(record, &mesh, terms));
        fill(record, answer.unwrap_or_else(|bug| Err(FieldError::new("point", bug))));
    }
    let failed = count_errors(&name, "cases", records, options.answers.json && !quiet);
    options.answers.deliver(&document, || table(&document), failed)
}

/// The document that the options stand for.
fn of_options(options: &Fit) -> Document {
    let mut case = json!({"point": options.at});
    if let Some(radius) = options.radius {
        case["radius"] = json!(radius);
    }
    let mut root = Map::from_iter([("mesh".to_string(), json!(options.mesh))]);
    if let Some(unit) = options.unit {
        root.insert("unit".to_string(), json!(unit));
    }
    root.insert("cases".to_string(), json!([case]));
    Document::of_options(root)
}

/// A fit, and how far from the given point it is (m).
type Answer = (LocalFit, f64);

fn answer(record: &Value, mesh: &FitMesh, terms: FitTerms) -> Result<Answer, FieldError> {
    let record = Field::root(record);
    record.object()?;
    let point = Point3::from(record.require("point")?.coordinates::<3>()?);
    let radius = record.get("radius").map(|f| f.size()).transpose()?;
    let options = FitOptions { radius, terms, ..FitOptions::default() };
    let fit = mesh.at(&point, &options).map_err(|e| FieldError::new("point", e))?;
    Ok((fit, (fit.point - point).norm()))
}

/// Puts an answer, or the error, into its record.
fn fill(record: &mut Value, answer: Result<Answer, FieldError>) {
    let Value::Object(fields) = record else {
        *record = json!({"record": record, "error": FieldError::new("", "expected an object").to_json()});
        return;
    };
    let (fit, away) = match answer {
        Ok(answer) => answer,
        Err(error) => return json::refuse(fields, &ANSWERS, &error),
    };
    fields.shift_remove("error");
    let mut warnings = Vec::new();
    if fit.class == FitClass::Edge {
        warnings
            .push("an edge of the body lies within the radius: k1, k2, dir1, std and condition are null".to_string());
    } else if fit.condition.is_none() {
        warnings.push("the place is flat as meshed: nothing was fitted, condition is null".to_string());
    }
    if away > fit.radius {
        warnings.push(format!("the point is {away} m from the mesh; the fit is at the place closest to it"));
    }
    let normal = fit.normal.map(|x| json::finite("normal", x, &mut warnings));
    let dir1 = fit.dir1.map(|d| d.map(|x| json::finite("dir1", x, &mut warnings)));
    let mut number = |name: &str, x: Option<f64>| x.map_or(Value::Null, |x| json::finite(name, x, &mut warnings));
    let parts = [
        ("class", json!(class(fit.class))),
        ("normal", normal.iter().cloned().collect()),
        ("k1", number("k1", fit.k1)),
        ("k2", number("k2", fit.k2)),
        ("dir1", dir1.map_or(Value::Null, |d| d.iter().cloned().collect())),
        ("radius", number("radius", Some(fit.radius))),
        ("vertices", json!(fit.vertices)),
        ("std", number("std", fit.std)),
        ("condition", number("condition", fit.condition)),
    ];
    fields.extend(parts.map(|(key, value)| (key.to_string(), value)));
    json::warn(fields, &warnings);
}

/// A class as files spell it.
fn class(class: FitClass) -> &'static str {
    match class {
        FitClass::Smooth => "smooth",
        FitClass::Flat => "flat",
        FitClass::Edge => "edge",
        FitClass::LineLike => "line_like",
        FitClass::Conforming => "conforming",
    }
}

/// The answers for people.
fn table(document: &Document) -> String {
    let list = document.root["cases"].as_array().map(Vec::as_slice).unwrap_or_default();
    let header = ["id", "class", "k1 [1/m]", "k2 [1/m]", "normal", "radius [m]", "vertices", "std [m]", "condition"];
    plain_table(list, &header, row)
}

fn row(record: &Value, label: String) -> Vec<String> {
    let number = |v: &Value| v.as_f64().map_or("-".to_string(), short);
    let normal: Vec<String> = record["normal"].as_array().into_iter().flatten().map(number).collect();
    vec![
        label,
        record["class"].as_str().unwrap_or_default().to_string(),
        number(&record["k1"]),
        number(&record["k2"]),
        format!("({})", normal.join(", ")),
        number(&record["radius"]),
        record["vertices"].to_string(),
        number(&record["std"]),
        number(&record["condition"]),
    ]
}

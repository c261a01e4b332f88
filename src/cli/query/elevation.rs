//! # `fingerpad query elevation`: heights and derivatives of a map
//!
//! `{dx, dy, x0, y0, z | map, queries}` ──▶ **here** ──▶ `cubic`, `quintic_corrected`, `quintic_6x6` in each query
//!
//! - **in**: a map, and places: `{cell: [i, j], s, t}` or georeferenced `{x, y}` (m)
//! - **out**: `{z, zx, zy, zxx, zxy, zyy}` by each interpolation
//! - **not here**: the patches (`fingerpad_contact::surface::elevation`)
//! - **start at** [`run`]

use super::{Answers, count_errors, label};
use crate::cli::table::{aligned, short};
use crate::json::document::Document;
use crate::json::map;
use crate::json::{self, Field, FieldError, words};
use crate::outcome::{self, Failure, Outcome};
use clap::{Args, ValueEnum};
use fingerpad_contact::surface::SurfaceError;
use fingerpad_contact::surface::elevation::{ElevationMap, Interpolation};
use fingerpad_contact::surface::height::HeightJet;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// Options of `query elevation`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Elevation {
    /// JSON document with a map and a list `queries`; `-` reads stdin.
    #[arg(required_unless_present = "map")]
    pub file: Option<PathBuf>,
    /// A map: ESRI ASCII grid or GeoTIFF (a PNG needs a JSON document).
    #[arg(long, value_name = "FILE", requires = "at", conflicts_with = "file")]
    pub map: Option<String>,
    /// A place on the map, georeferenced (m).
    #[arg(long, value_name = "X,Y", requires = "map", allow_hyphen_values = true, value_parser = words::lengths::<2>)]
    pub at: Option<[f64; 2]>,
    /// Show only this interpolation in the table.
    #[arg(long, value_name = "NAME")]
    pub interpolation: Option<Kind>,
    /// Take a map in degrees as metres around its centre.
    #[arg(long, requires = "map")]
    pub local_degrees: bool,
    /// How answers leave.
    #[command(flatten)]
    pub answers: Answers,
}

/// Names of interpolations on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Kind {
    /// Cubic patches: C1.
    Cubic,
    /// Quintic patches with the corrected second derivative: C2.
    #[value(alias = "quintic_corrected")]
    Quintic,
    /// Quintic patches on 6×6 nodes: C2, degree 4.
    #[value(name = "quintic_6x6", alias = "quintic-6x6")]
    Quintic6x6,
}

const EXAMPLE: &str = "\
Examples:
  fingerpad query elevation --map dem.asc --at 512034.5,4401200
  fingerpad query elevation queries.json --json > answered.json
  echo '{\"dx\": 1, \"dy\": 1, \"x0\": 0, \"y0\": 0, \"z\": [[0, 1, 4], [1, 2, 5], [4, 5, 8]],
     \"queries\": [{\"x\": 0.5, \"y\": 1.5}, {\"cell\": [1, 0], \"s\": 0.5, \"t\": 0.5}]}' | fingerpad query elevation - --json

Row 0 of z lies in the south, at y0; null marks a node without data. Fields: docs/formats.md.";

/// Answer keys, in the order of records.
const ANSWERS: [(&str, Interpolation); 3] = [
    ("cubic", Interpolation::Cubic),
    ("quintic_corrected", Interpolation::Quintic),
    ("quintic_6x6", Interpolation::Quintic6),
];

/// Answers every query of the document.
pub fn run(options: &Elevation, quiet: bool) -> Result<Outcome, Failure> {
    let mut document = match &options.file {
        Some(path) => Document::read(path)?,
        None => of_options(options),
    };
    document.list("queries")?;
    let root = Value::Object(std::mem::take(&mut document.root));
    let read = map::read(&Field::root(&root), &document.folder, Interpolation::default());
    if let Value::Object(fields) = root {
        document.root = fields;
    }
    let name = document.name.clone();
    let map::Read { map, warnings } = read.map_err(|e| Failure(format!("{name}: {e}")))?;
    json::warn(&mut document.root, &warnings);
    if !quiet {
        warnings.iter().for_each(|w| outcome::tell(&format!("warning: {w}")));
    }
    let records = document.list("queries")?;
    answer(records, map);
    let failed = count_errors(&name, "queries", records, options.answers.json && !quiet);
    options.answers.deliver(&document, || table(&document, options.interpolation), failed)
}

/// The document that the options stand for.
fn of_options(options: &Elevation) -> Document {
    let [x, y] = options.at.unwrap_or_default();
    let mut root = Map::from_iter([("map".to_string(), json!(options.map))]);
    if options.local_degrees {
        root.insert("degrees".to_string(), json!("local"));
    }
    root.insert("queries".to_string(), json!([{"x": x, "y": y}]));
    Document::of_options(root)
}

/// Fills every record. One map serves the interpolations in turn: a large one is not held three times.
fn answer(records: &mut [Value], mut map: ElevationMap) {
    let places: Vec<Result<Place, FieldError>> = records.iter().map(|r| place(&Field::root(r))).collect();
    let mut jets: Vec<Result<Vec<HeightJet>, FieldError>> = vec![Ok(Vec::new()); places.len()];
    for (_, interpolation) in ANSWERS {
        map = map.with_interpolation(interpolation);
        for (found, place) in jets.iter_mut().zip(&places) {
            let Ok(list) = found else { continue };
            match place.clone().and_then(|place| place.jet(&map)) {
                Ok(jet) => list.push(jet),
                Err(error) => *found = Err(error),
            }
        }
    }
    for (record, jets) in records.iter_mut().zip(jets) {
        fill(record, jets);
    }
}

/// Where a query looks.
#[derive(Clone, Copy, Debug)]
enum Place {
    Cell { i: usize, j: usize, s: f64, t: f64 },
    Map { x: f64, y: f64 },
}

fn place(record: &Field) -> Result<Place, FieldError> {
    record.object()?;
    let Some(cell) = record.get("cell") else {
        if record.get("x").is_none() && record.get("y").is_none() {
            return Err(FieldError::new("cell", "expected `cell` with `s` and `t`, or `x` and `y`, got neither"));
        }
        return Ok(Place::Map { x: record.require("x")?.number()?, y: record.require("y")?.number()? });
    };
    let parts = cell.list("a cell [i, j]")?;
    let [i, j] = parts.as_slice() else { return Err(cell.expected("a cell [i, j]")) };
    let within = |key: &str| -> Result<f64, FieldError> {
        let field = record.require(key)?;
        let x = field.number()?;
        if (0.0..=1.0).contains(&x) { Ok(x) } else { Err(field.expected("a place within the cell, 0 to 1")) }
    };
    Ok(Place::Cell { i: i.whole()?, j: j.whole()?, s: within("s")?, t: within("t")? })
}

impl Place {
    fn jet(&self, map: &ElevationMap) -> Result<HeightJet, FieldError> {
        match *self {
            Place::Cell { i, j, s, t } => {
                let grid = map.grid();
                if i + 1 >= grid.nx || j + 1 >= grid.ny {
                    let message = format!(
                        "cell ({i}, {j}) is off the map, whose cells are (0, 0) to ({}, {})",
                        grid.nx - 2,
                        grid.ny - 2
                    );
                    return Err(FieldError::new("cell", message));
                }
                map.jet_in_cell(i, j, s, t).map_err(|e| FieldError::new("cell", e))
            }
            Place::Map { x, y } => map.jet_georeferenced(x, y).map_err(|e| on_map(e, map, x, y)),
        }
    }
}

/// The error in the coordinates of the query, with the field to blame.
fn on_map(error: SurfaceError, map: &ElevationMap, x: f64, y: f64) -> FieldError {
    let (grid, (width, height)) = (map.grid(), map.extent());
    match error {
        SurfaceError::OffMap { x: local, .. } => {
            let field = if (0.0..=width).contains(&local) { "y" } else { "x" };
            let (x0, y0) = (grid.x0, grid.y0);
            let message = format!(
                "({x}, {y}) m is off the map, which covers x {x0} to {} m and y {y0} to {} m",
                x0 + width,
                y0 + height
            );
            FieldError::new(field, message)
        }
        other => FieldError::new("x, y", other),
    }
}

/// Puts the answers, or the error, into a record.
fn fill(record: &mut Value, jets: Result<Vec<HeightJet>, FieldError>) {
    let Value::Object(fields) = record else {
        *record = json!({"record": record, "error": FieldError::new("", "expected an object").to_json()});
        return;
    };
    let jets = match jets {
        Ok(jets) => jets,
        Err(error) => return json::refuse(fields, &ANSWERS.map(|(key, _)| key), &error),
    };
    fields.shift_remove("error");
    let mut warnings = Vec::new();
    for ((key, _), jet) in ANSWERS.iter().zip(jets) {
        let HeightJet { z, zx, zy, zxx, zxy, zyy } = jet;
        let parts = [("z", z), ("zx", zx), ("zy", zy), ("zxx", zxx), ("zxy", zxy), ("zyy", zyy)];
        let parts = parts.map(|(name, x)| {
            let value = json::finite(&format!("{key}.{name}"), x, &mut warnings);
            (name.to_string(), value)
        });
        json::put(fields, key, Map::from_iter(parts));
    }
    json::warn(fields, &warnings);
}

/// The answers for people.
fn table(document: &Document, only: Option<Kind>) -> String {
    let wanted = only.map(|kind| match kind {
        Kind::Cubic => Interpolation::Cubic,
        Kind::Quintic => Interpolation::Quintic,
        Kind::Quintic6x6 => Interpolation::Quintic6,
    });
    let list = document.root["queries"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut rows = Vec::new();
    for (k, record) in list.iter().enumerate() {
        if let Some(error) = record.get("error") {
            let part = |name: &str| error[name].as_str().unwrap_or_default();
            rows.push(vec![label(record, k), format!("error: {}: {}", part("field"), part("message"))]);
            continue;
        }
        for (key, interpolation) in ANSWERS {
            if wanted.is_some_and(|w| w != interpolation) {
                continue;
            }
            let mut row = vec![label(record, k), key.to_string()];
            let number = |name: &str| record[key][name].as_f64().map_or("-".to_string(), short);
            row.extend(["z", "zx", "zy", "zxx", "zxy", "zyy"].map(number));
            rows.push(row);
        }
    }
    aligned(&["query", "interpolation", "z [m]", "zx", "zy", "zxx [1/m]", "zxy [1/m]", "zyy [1/m]"], &rows)
}

/// Names of the command line and of files agree.
#[cfg(test)]
#[test]
fn command_line_names_are_known_to_files() {
    for kind in Kind::value_variants() {
        let name = kind.to_possible_value().unwrap().get_name().to_string();
        assert!(map::INTERPOLATIONS.iter().any(|(known, _)| *known == name), "{name}");
    }
}

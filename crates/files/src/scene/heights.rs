//! # Heights of a scene: elevation maps from files, in place, or from a formula
//!
//! - **in**: `map = FILE`, or `dx, dy, x0, y0, z`, or `generated = { formula, size, spacing }`
//! - **out**: an [`ElevationMap`]; the fixed body that `[terrain]` stands for
//! - **not here**: file formats (`terrain`), interpolation (`fingerpad_contact`), formulas (`expression`)
//! - **start at** [`read`], then [`terrain`]

use super::error::Problem;
use super::expression::Formula;
use super::keys;
use super::section::{Range, Section};
use super::shapes::{SIZE, Shapes, each, size};
use super::tree::{Node, Value};
use crate::terrain::{self as file, Degrees, PngScale, TerrainOptions};
use crate::units::Dimension::Length;
use fingerpad_contact::surface::Shape;
use fingerpad_contact::surface::elevation::{ElevationMap, Grid, Interpolation, Samples};
use fingerpad_sim::Body;
use nalgebra::{Isometry3, Translation3};
use std::sync::Arc;

/// Names of interpolations.
pub(crate) const INTERPOLATIONS: [(&str, Interpolation); 5] = [
    ("cubic", Interpolation::Cubic),
    ("quintic", Interpolation::Quintic),
    ("quintic_corrected", Interpolation::Quintic),
    ("quintic_6x6", Interpolation::Quintic6),
    ("6x6", Interpolation::Quintic6),
];

/// Most nodes of a generated map.
const MOST_NODES: f64 = 4e6;

/// The map that a table describes.
pub(crate) fn read(section: &Section, interpolation: Interpolation, shapes: &mut Shapes) -> Option<ElevationMap> {
    let sources = ["map", "z", "generated"];
    let given: Vec<&str> = sources.into_iter().filter(|key| section.has(key)).collect();
    match given.as_slice() {
        ["map"] => from_file(section, interpolation, shapes),
        ["z"] => in_place(section, interpolation),
        ["generated"] => generated(section, interpolation),
        [] => {
            section.lacks("missing heights: expected `map`, `z` or `generated`");
            None
        }
        _ => {
            section.lacks("expected one of `map`, `z` and `generated`, got several");
            None
        }
    }
}

fn from_file(section: &Section, interpolation: Interpolation, shapes: &mut Shapes) -> Option<ElevationMap> {
    let node = section.get("map")?;
    let name = section.text_of(node)?;
    let mut options = TerrainOptions::default();
    if let Some(png) = section.get("png") {
        options.png = Some(png_scale(png, section)?);
    }
    if section.has("degrees") {
        options.degrees = section.choice("degrees", &[("refuse", Degrees::Refuse), ("local", Degrees::Local)])?;
    }
    let path = shapes.asset(name);
    (shapes.progress)(&format!("reading {name}"));
    let made = file::read(&path, &options).map_err(|e| e.to_string()).and_then(|map| {
        shapes.warnings.extend(map.warnings.iter().map(|w| format!("{}: {w}", path.display())));
        ElevationMap::with_scale(map.grid, map.samples, map.z_scale, map.z_offset, interpolation)
            .map_err(|e| format!("{}: {e}", path.display()))
    });
    made.map_err(|message| section.wrong(node, message)).ok()
}

fn png_scale(node: &Node, of: &Section) -> Option<PngScale> {
    let png = Section::new(node, keys::PNG, of.whose, of.problems())?;
    let coordinate = |key: &str| png.quantity(key, &format!("`{key}`"), Length, Range::Any);
    png.require("z_scale");
    Some(PngScale {
        dx: size(&png, "dx")?,
        dy: size(&png, "dy")?,
        x0: coordinate("x0").unwrap_or(0.0),
        y0: coordinate("y0").unwrap_or(0.0),
        z_scale: coordinate("z_scale")?,
        z_offset: coordinate("z_offset").unwrap_or(0.0),
    })
}

/// Rows of heights, row 0 in the south; nan where there are no data.
fn in_place(section: &Section, interpolation: Interpolation) -> Option<ElevationMap> {
    let node = section.get("z")?;
    let rows = section.list_of(node, "a list of rows of heights")?;
    let rows = each(rows, |row| {
        each(section.list_of(row, "a row of heights")?, |height| match height.value {
            Value::Number(x) if x.is_nan() => Some(f64::NAN),
            _ => section.quantity_of(height, "a height", Length, Range::Any),
        })
    })?;
    let nx = rows.first().map_or(0, Vec::len);
    if let Some(j) = rows.iter().position(|row| row.len() != nx) {
        section.wrong(node, format!("expected {nx} heights as in row 0, got {} in row {j}", rows[j].len()));
        return None;
    }
    let coordinate = |key: &str| section.quantity(key, &format!("`{key}`"), Length, Range::Any);
    let grid = Grid {
        nx,
        ny: rows.len(),
        dx: size(section, "dx")?,
        dy: size(section, "dy")?,
        x0: coordinate("x0").unwrap_or(0.0),
        y0: coordinate("y0").unwrap_or(0.0),
    };
    let made = ElevationMap::new(grid, Samples::F64(rows.concat()), interpolation);
    made.map_err(|e| section.wrong(node, e.to_string())).ok()
}

/// Samples of a formula in x and y around a centre.
fn generated(section: &Section, interpolation: Interpolation) -> Option<ElevationMap> {
    let node = section.get("generated")?;
    let section = Section::new(node, keys::GENERATED, section.whose, section.problems())?;
    let formula = section.require("formula")?;
    let text = section.text_of(formula)?;
    let formula_of = |text: &str| Formula::parse(text);
    let height = match formula_of(text) {
        Ok(height) => height,
        Err(error) => {
            let span = error.place(formula, text);
            section.problems().push(Problem::new(span, error.message).label(section.whose));
            return None;
        }
    };
    let [width, depth] = section.vector_of::<2>(section.require("size")?, "`size`", Length, SIZE)?;
    let spacing = size(&section, "spacing")?;
    let [cx, cy] = match section.get("center") {
        Some(node) => section.vector_of::<2>(node, "`center`", Length, Range::Any)?,
        None => [0.0; 2],
    };
    let (columns, rows) = ((width / spacing).round() + 1.0, (depth / spacing).round() + 1.0);
    if columns * rows > MOST_NODES || columns < 2.0 || rows < 2.0 {
        let message = format!("a generated map must have from 2 x 2 to {MOST_NODES} nodes, got {columns} x {rows}");
        section.wrong(node, message);
        return None;
    }
    let (nx, ny) = (columns as usize, rows as usize);
    let (x0, y0) = (cx - 0.5 * spacing * (columns - 1.0), cy - 0.5 * spacing * (rows - 1.0));
    let mut heights = Vec::with_capacity(nx * ny);
    for j in 0..ny {
        for i in 0..nx {
            heights.push(height.at(x0 + spacing * i as f64, y0 + spacing * j as f64));
        }
    }
    if heights.iter().any(|z| !z.is_finite()) {
        section.wrong(formula, "the formula must be finite at every node of the map");
        return None;
    }
    let grid = Grid { nx, ny, dx: spacing, dy: spacing, x0, y0 };
    let made = ElevationMap::new(grid, Samples::F64(heights), interpolation);
    made.map_err(|e| section.wrong(node, e.to_string())).ok()
}

/// The body that `[terrain]` stands for, without its class. The place of the map that `origin` names comes to the world's
/// origin: as its heights are placed (in place, generated), or the south-west node (files).
pub(crate) fn terrain(section: &Section, shapes: &mut Shapes) -> Option<Body> {
    let interpolation = section.choice("kind", &INTERPOLATIONS).unwrap_or_default();
    let map = read(section, interpolation, shapes)?;
    let grid = *map.grid();
    let origin = match section.get("origin") {
        None if section.has("map") => [grid.x0, grid.y0, 0.0],
        None => [0.0; 3],
        Some(node) => match &node.value {
            Value::Text(_) => {
                let middle = [
                    grid.x0 + 0.5 * grid.dx * (grid.nx - 1) as f64,
                    grid.y0 + 0.5 * grid.dy * (grid.ny - 1) as f64,
                    0.0,
                ];
                let named = [("center", middle), ("corner", [grid.x0, grid.y0, 0.0])];
                section.choice_of(node, "origin", &named)?
            }
            Value::List(list) if list.len() == 2 => {
                let [x, y] = section.vector_of::<2>(node, "`origin`", Length, Range::Any)?;
                [x, y, 0.0]
            }
            _ => section.vector_of::<3>(node, "`origin`", Length, Range::Any)?,
        },
    };
    let at = Translation3::new(grid.x0 - origin[0], grid.y0 - origin[1], -origin[2]);
    let body = Body { shape: Arc::new(Shape::Elevation(Arc::new(map))), ..Body::fixed("terrain", plane()) };
    Some(body.at(Isometry3::from(at)))
}

fn plane() -> Shape {
    Shape::HalfSpace(fingerpad_contact::surface::HalfSpace)
}

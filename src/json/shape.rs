//! # Shapes in records
//!
//! - **in**: `"shape": {"type": "sphere", "radius": 0.1}`, or `"shape": "sphere"` with the sizes beside it,
//!   or `semi_axes` alone (an ellipsoid)
//! - **out**: a [`Shape`] with its warnings
//! - **not here**: the shapes themselves (`fingerpad_contact::surface`)
//! - **start at** [`of_body`]; a new shape is one row in [`KINDS`] and one arm in [`build`]

use super::map::{self, Maps, Shared};
use super::mesh::Meshes;
use super::words::plain;
use super::{Field, FieldError};
use fingerpad_contact::surface::elevation::Interpolation;
use fingerpad_contact::surface::graph::{Rectangle, Term};
use fingerpad_contact::surface::{
    Capsule, Cylinder, Ellipsoid, Graph, HalfSpace, Revolution, RoundedBox, Shape, Sphere, Torus,
};
use fingerpad_files::nearest;
use nalgebra::Vector3;
use std::path::Path;
use std::sync::Arc;

/// Edges are never sharp: rounding where none is given, as a share of the smallest size.
pub const DEFAULT_EDGE: f64 = 0.01;

/// Kinds of shape with their sizes, as files spell them; hyphens may stand for underscores.
pub const KINDS: [(&str, &[&str]); 12] = [
    ("half_space", &[]),
    ("sphere", &["radius"]),
    ("ellipsoid", &["semi_axes"]),
    ("cylinder", &["radius", "half_length", "edge_radius"]),
    ("capsule", &["radius", "half_length"]),
    ("torus", &["major_radius", "minor_radius"]),
    ("rounded_box", &["half_extents", "edge_radius"]),
    ("box", &["half_extents", "edge_radius"]),
    ("revolution", &["profile"]),
    ("graph", &["terms", "domain"]),
    ("elevation", &["map", "png", "degrees", "dx", "dy", "x0", "y0", "z", "interpolation"]),
    ("mesh", &["mesh", "unit", "fillet_radius", "surface"]),
];

/// A shape with what should be known about it.
#[derive(Debug)]
pub struct ReadShape {
    /// The shape.
    pub shape: Shape,
    /// What the reader of a map or mesh warns of.
    pub warnings: Vec<String>,
}

/// Files that shapes come from, each read once.
#[derive(Debug)]
pub struct Sources {
    /// Elevation maps.
    pub maps: Maps,
    /// Meshes.
    pub meshes: Meshes,
}

impl Sources {
    /// Files whose names are relative to a folder.
    pub fn new(folder: &Path) -> Self {
        Sources { maps: Maps::new(folder), meshes: Meshes::new(folder) }
    }
}

/// The shape of a body.
pub fn of_body(body: &Field, sources: &mut Sources) -> Result<ReadShape, FieldError> {
    let Some(shape) = body.get("shape") else {
        if body.get("semi_axes").is_some() {
            return build("ellipsoid", body, sources);
        }
        let message = "expected `shape` or `semi_axes`, got neither";
        return Err(FieldError::new(body.child("shape"), message));
    };
    if shape.value.is_string() {
        // The sizes stand in the body, among keys that are not ours to judge.
        return build(kind_of(&shape)?, body, sources);
    }
    shape.object()?;
    let kind = kind_of(&shape.require("type")?)?;
    let sizes = KINDS.iter().find(|(k, _)| *k == kind).map_or(&[][..], |(_, sizes)| sizes);
    let known: Vec<&str> = sizes.iter().copied().chain(["type"]).collect();
    only(&shape, &known)?;
    build(kind, &shape, sources)
}

fn kind_of(field: &Field) -> Result<&'static str, FieldError> {
    let name = field.text()?;
    let wanted = plain(name);
    KINDS.iter().map(|(kind, _)| *kind).find(|kind| *kind == wanted).ok_or_else(|| {
        let known: Vec<&str> = KINDS.iter().map(|(kind, _)| *kind).collect();
        FieldError::new(&field.path, nearest::unknown("shape", name, &known))
    })
}

/// An error if the object has keys other than these.
pub fn only(object: &Field, known: &[&str]) -> Result<(), FieldError> {
    match object.object()?.keys().find(|key| !known.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => Err(FieldError::new(object.child(key), nearest::unknown("key", key, known))),
    }
}

/// The shape of a kind whose sizes stand in `from`.
fn build(kind: &str, from: &Field, sources: &mut Sources) -> Result<ReadShape, FieldError> {
    let size = |key: &str| from.require(key)?.size();
    let misfit = |e: fingerpad_contact::surface::ShapeError| FieldError::new(&from.path, e);
    let shape = match kind {
        "half_space" => Shape::HalfSpace(HalfSpace),
        "sphere" => Shape::Sphere(Sphere::new(size("radius")?).map_err(misfit)?),
        "ellipsoid" => Shape::Ellipsoid(Ellipsoid::new(sizes(from, "semi_axes")?).map_err(misfit)?),
        "cylinder" => {
            let (radius, half_length) = (size("radius")?, size("half_length")?);
            let edge = edge_radius(from, radius.min(half_length))?;
            Shape::Cylinder(Cylinder::new(radius, half_length, edge).map_err(misfit)?)
        }
        "capsule" => Shape::Capsule(Capsule::new(size("radius")?, size("half_length")?).map_err(misfit)?),
        "torus" => Shape::Torus(Torus::new(size("major_radius")?, size("minor_radius")?).map_err(misfit)?),
        "rounded_box" | "box" => {
            let half = Vector3::from(sizes(from, "half_extents")?);
            Shape::RoundedBox(RoundedBox::new(half, edge_radius(from, half.min())?).map_err(misfit)?)
        }
        "revolution" => revolution(&from.require("profile")?)?,
        "graph" => graph(from)?,
        "mesh" => {
            let super::mesh::Shared { surface, warnings } = sources.meshes.read(from)?;
            return Ok(ReadShape { shape: Shape::Mesh(surface), warnings });
        }
        _ => return elevation(from, sources),
    };
    Ok(ReadShape { shape, warnings: Vec::new() })
}

/// Three sizes.
fn sizes(from: &Field, key: &str) -> Result<[f64; 3], FieldError> {
    let field = from.require(key)?;
    let numbers = field.numbers::<3>()?;
    for part in field.list("a list of 3 numbers")? {
        part.size()?;
    }
    Ok(numbers)
}

fn edge_radius(from: &Field, smallest: f64) -> Result<f64, FieldError> {
    from.get("edge_radius").map_or(Ok(DEFAULT_EDGE * smallest), |f| f.size())
}

fn revolution(profile: &Field) -> Result<Shape, FieldError> {
    let mut points = Vec::new();
    for point in profile.list("a list of points [r, z]")? {
        points.push(point.coordinates::<2>()?);
    }
    let surface = Revolution::new(&points).map_err(|e| FieldError::new(&profile.path, e))?;
    Ok(Shape::Revolution(Arc::new(surface)))
}

fn graph(from: &Field) -> Result<Shape, FieldError> {
    let field = from.require("terms")?;
    let mut terms = Vec::new();
    for term in field.list("a list of terms [p, q, c]")? {
        let parts = term.list("a term [p, q, c]")?;
        let [p, q, c] = parts.as_slice() else { return Err(term.expected("a term [p, q, c]")) };
        terms.push(Term { p: p.whole()?, q: q.whole()?, c: c.coordinate()? });
    }
    let mut domain = Rectangle::PLANE;
    if let Some(limits) = from.get("domain") {
        let [x0, x1, y0, y1] = limits.coordinates::<4>()?;
        if !(x0 < x1 && y0 < y1) {
            return Err(FieldError::new(limits.path, "expected [x0, x1, y0, y1] with x0 < x1 and y0 < y1"));
        }
        domain = Rectangle { x: [x0, x1], y: [y0, y1] };
    }
    Graph::polynomial(terms, domain).map(Shape::Graph).map_err(|e| FieldError::new(field.path, e))
}

fn elevation(from: &Field, sources: &mut Sources) -> Result<ReadShape, FieldError> {
    let interpolation = match from.get("interpolation") {
        Some(name) => name.one_of(&map::INTERPOLATIONS)?,
        None => Interpolation::default(),
    };
    let Shared { map, warnings } = sources.maps.read(from, interpolation)?;
    Ok(ReadShape { shape: Shape::Elevation(map), warnings })
}

//! # Part files: outlines, pose, mass and obstacles, from which contacts are found
//!
//! - **in**: `body`, `pose`, `m` or `density`, `obstacles`, `mu`, `F` and `gravity`, `vel`, `tolerance`
//! - **out**: the case, with the place of each contact
//! - **not here**: how contacts are found (`fingerpad_planar::part`)
//! - **assumes**: outlines are straight sides and arcs of circles; a pose given by an angle is rounded to doubles, one by
//!   `tan_half` is not
//! - **start at** [`question`]

use super::record::{exact, exacts, optional};
use super::{Places, Question};
use crate::json::{Field, FieldError};
use fingerpad_planar::Rational;
use fingerpad_planar::part::{Found, Part, PartError, Shape, Side, find_contacts};
use std::cmp::Ordering;

/// Gap and overlap up to which surfaces touch, unless the file says otherwise (m).
const TOLERANCE: (i64, i64) = (1, 10_000_000);

/// A part as read: the outline where it is now, and what else [`find_contacts`] needs.
#[derive(Clone, Debug)]
pub struct PartRecord {
    /// For [`find_contacts`]; centre of mass and radius of gyration filled in.
    pub part: Part,
}

/// An outline: `{"polygon": [[x, y], …]}`, `{"disc": {"centre": [x, y], "radius": r}}`, or
/// `{"outline": [[x, y], {"via": [x, y]}, [x, y], …]}`, where a point `via` bends the side between its neighbours.
pub fn shape(field: &Field) -> Result<Shape, FieldError> {
    field.object()?;
    if let Some(polygon) = field.get("polygon") {
        let corners = polygon.list("a list of corners")?;
        if corners.len() < 3 {
            return Err(FieldError::new(&polygon.path, format!("expected 3 corners or more, got {}", corners.len())));
        }
        return Ok(Shape::Polygon(corners.iter().map(exacts).collect::<Result<_, _>>()?));
    }
    if let Some(outline) = field.get("outline") {
        return Ok(Shape::Outline(sides(&outline)?));
    }
    if let Some(disc) = field.get("disc") {
        let centre = disc.get("centre").map_or(Ok([Rational::ZERO; 2]), |c| exacts(&c))?;
        let radius = disc.require("radius")?;
        let value = exact(&radius)?;
        if value.sign() != Ordering::Greater {
            return Err(radius.expected("a positive number"));
        }
        return Ok(Shape::Disc { centre, radius: value });
    }
    Err(FieldError::new(&field.path, "expected an outline `polygon`, `outline` or `disc`, got none of them"))
}

/// Corners, with points `via` between them.
fn sides(outline: &Field) -> Result<Vec<Side>, FieldError> {
    let mut sides: Vec<Side> = Vec::new();
    for entry in outline.list("a list of corners and arcs")? {
        if !entry.value.is_object() {
            sides.push(Side { start: exacts(&entry)?, via: None });
            continue;
        }
        let via = exacts(&entry.require("via")?)?;
        match sides.last_mut() {
            Some(side) if side.via.is_none() => side.via = Some(via),
            _ => return Err(FieldError::new(&entry.path, "expected a corner [x, y] before `via`, got none")),
        }
    }
    match sides.len() {
        0 | 1 => Err(FieldError::new(&outline.path, format!("expected 2 corners or more, got {}", sides.len()))),
        _ => Ok(sides),
    }
}

/// A rotation, then a translation.
struct Pose {
    cos: Rational,
    sin: Rational,
    pos: [Rational; 2],
}

impl Pose {
    fn read(record: &Field) -> Result<Pose, FieldError> {
        let mut pose = Pose { cos: Rational::ONE, sin: Rational::ZERO, pos: [Rational::ZERO; 2] };
        let Some(field) = record.get("pose") else { return Ok(pose) };
        field.object()?;
        if let Some(pos) = field.get("pos") {
            pose.pos = exacts(&pos)?;
        }
        match (field.get("tan_half"), field.get("angle")) {
            (Some(t), None) => {
                // (1 − t², 2t)/(1 + t²) is a rotation in exact numbers.
                let t = exact(&t)?;
                let square = &t * &t;
                let length = &Rational::ONE + &square;
                pose.cos = &(&Rational::ONE - &square) / &length;
                pose.sin = &(&t + &t) / &length;
            }
            (None, Some(angle)) => {
                let value = exact(&angle)?.to_f64();
                let rounded = |x: f64| Rational::from_f64(x).map_err(|e| FieldError::new(&angle.path, e));
                (pose.cos, pose.sin) = (rounded(value.cos())?, rounded(value.sin())?);
            }
            (None, None) => {}
            (Some(_), Some(angle)) => {
                return Err(FieldError::new(angle.path, "expected one of `angle` and `tan_half`, got both"));
            }
        }
        Ok(pose)
    }

    fn place(&self, p: &[Rational; 2]) -> [Rational; 2] {
        let x = &(&self.cos * &p[0]) - &(&self.sin * &p[1]);
        let y = &(&self.sin * &p[0]) + &(&self.cos * &p[1]);
        [&x + &self.pos[0], &y + &self.pos[1]]
    }

    fn shape(&self, shape: &Shape) -> Shape {
        let Ok(moved) = shape.moved(|p| Ok::<_, std::convert::Infallible>(self.place(p)));
        moved
    }
}

/// The case of a part file.
pub fn question(record: &Field) -> Result<Question, FieldError> {
    let pose = Pose::read(record)?;
    let body = pose.shape(&shape(&record.require("body")?)?);
    let common = optional(record, "mu")?;
    let not_negative = |path: String, mu: &Rational| match mu.sign() {
        Ordering::Less => Err(FieldError::new(path, format!("expected a number not negative, got {mu}"))),
        _ => Ok(()),
    };
    common.as_ref().map_or(Ok(()), |mu| not_negative(record.child("mu"), mu))?;
    let mut obstacles = Vec::new();
    if let Some(list) = record.get("obstacles") {
        for field in list.list("a list of obstacles")? {
            let outline = shape(&field)?;
            let mu = match (optional(&field, "mu")?, &common) {
                (Some(mu), _) => mu,
                (None, Some(mu)) => mu.clone(),
                (None, None) => exact(&field.require("mu")?)?,
            };
            not_negative(field.child("mu"), &mu)?;
            obstacles.push((outline, mu));
        }
    }
    let mass = match (optional(record, "m")?, optional(record, "density")?) {
        (Some(m), None) => m,
        (None, Some(density)) => {
            let (area, _) = body.area_and_centroid().map_err(|e| FieldError::new("body", e))?;
            &density * &area
        }
        (None, None) => exact(&record.require("m")?)?,
        (Some(_), Some(_)) => return Err(FieldError::new("density", "expected one of `m` and `density`, got both")),
    };
    let mut force = record.get("F").map_or(Ok([Rational::ZERO; 3]), |f| exacts(&f))?;
    if let Some(gravity) = record.get("gravity") {
        let g: [Rational; 2] = exacts(&gravity)?;
        for i in 0..2 {
            force[i] = &force[i] + &(&mass * &g[i]);
        }
    }
    let part = Part {
        body,
        obstacles,
        mass,
        centre_of_mass: record.get("centre_of_mass").map(|c| exacts(&c)).transpose()?.map(|c| pose.place(&c)),
        gyration_sq: optional(record, "rho2")?,
        force,
        velocity: record.get("vel").map_or(Ok([Rational::ZERO; 3]), |v| exacts(&v))?,
        tolerance: optional(record, "tolerance")?
            .unwrap_or_else(|| Rational::new(TOLERANCE.0, TOLERANCE.1).unwrap_or(Rational::ZERO)),
    };
    asked(part).map_err(|e| {
        let field = match &e {
            PartError::Tolerance(_) => "tolerance".to_string(),
            PartError::Overlap { obstacle, .. } | PartError::Conforming { obstacle, .. } => {
                format!("obstacles[{obstacle}]")
            }
            PartError::Degenerate(name)
            | PartError::Radius(name)
            | PartError::FlatArc { name, .. }
            | PartError::CrossesItself { name, .. }
            | PartError::TooManySides { name, .. } => match name.strip_prefix("obstacle ") {
                Some(number) => format!("obstacles[{number}]"),
                None => "body".to_string(),
            },
        };
        FieldError::new(field, e)
    })
}

/// The question of a part where it is now.
pub fn asked(part: Part) -> Result<Question, PartError> {
    let Found { case, places, without_normal, rounded_normals } = find_contacts(&part)?;
    let mut warnings = Vec::new();
    if !without_normal.is_empty() {
        let n = without_normal.len();
        warnings.push(format!("{n} places where corners meet have no normal within the tolerance and were left out"));
    }
    if !rounded_normals.is_empty() {
        warnings.push(format!(
            "the normals of contacts {rounded_normals:?} are not rational and were rounded, within 1e-13 rad"
        ));
    }
    let points: Vec<[f64; 2]> = places.iter().map(|p| p.point.each_ref().map(Rational::to_f64)).collect();
    let centre = match (&part.centre_of_mass, places.first(), case.contacts.first()) {
        (Some(c), ..) => c.each_ref().map(Rational::to_f64),
        (None, Some(p), Some(c)) => std::array::from_fn(|i| (&p.point[i] + &c.to_com[i]).to_f64()),
        _ => middle(&part.body),
    };
    let places = Places {
        centre,
        points,
        body: Some(part.body.clone()),
        obstacles: part.obstacles.iter().map(|o| o.0.clone()).collect(),
    };
    Ok(Question { case, places, warnings, found: Some(PartRecord { part }) })
}

/// Centroid of an outline (m); the origin for one without area.
pub fn middle(shape: &Shape) -> [f64; 2] {
    shape.area_and_centroid().map_or([0.0; 2], |(_, c)| c.each_ref().map(Rational::to_f64))
}

//! # Linear pressure: how a flat contact carries a load off its centre
//!
//! - **in**: region of possible contact, load (N), the point where its line of action meets the plane
//! - **out**: p = p_o + g·r ≥ 0 on the part that stays in contact, with that resultant
//! - **assumes**: equal springs under both faces (Winkler), no tension
//! - **start at** [`LinearPressure::from_load`]
//!
//! With the centre in the kern of the region all of it stays in contact and the field is linear algebra. Otherwise part of
//! it opens, and the field makes a convex function of (p_o, g) least,
//!
//! ```text
//! Φ = ½ ∬ max(p, 0)² dA − P p(centre),     ∂Φ = 0:  ∬ max(p, 0) (1, r) dA = P (1, centre)
//! ```
//!
//! Newton's step is the linear problem on the part in contact now: P/A in the middle, slope Σ⁻¹ P (centre − middle).

use super::flat::FlatError;
use super::polygon::Polygon;
use nalgebra::{Matrix2, Vector2};

/// Pressure p(r) = at_origin + slope·r on a region where it is nowhere negative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearPressure {
    /// The part in contact.
    pub region: Polygon,
    /// Pressure at the origin of the coordinates (Pa), also where that is outside the region.
    pub at_origin: f64,
    /// Slope (Pa/m).
    pub slope: Vector2<f64>,
}

/// Rounds of Newton before giving up; 3 to 30 are taken.
const MOST_ROUNDS: u32 = 60;

/// What load and centre may be off by, relative; rounding near the rim of long regions leaves 1e-10.
const ACCURATE: f64 = 1e-9;

/// p_o + g·r in units of the search: origin at the centre of load, size 1, load 1.
#[derive(Clone, Copy)]
struct Field {
    o: f64,
    g: Vector2<f64>,
}

impl LinearPressure {
    /// A field given outright; the region is cut where it would be negative.
    pub fn new(region: &Polygon, at_origin: f64, slope: &Vector2<f64>) -> Result<Self, FlatError> {
        let region = region.cut(at_origin, slope).ok_or(FlatError::NoArea)?;
        let pressure = Self { region, at_origin, slope: *slope };
        if pressure.load() > 0.0 { Ok(pressure) } else { Err(FlatError::Load { load: pressure.load() }) }
    }

    /// The field with resultant `load` at `centre`, which must lie inside; found for depths down to 1e-4 of the size.
    pub fn from_load(polygon: &Polygon, load: f64, centre: &Vector2<f64>) -> Result<Self, FlatError> {
        if !(load > 0.0 && load.is_finite()) {
            return Err(FlatError::Load { load });
        }
        let depth = polygon.depth(centre);
        if depth.is_nan() || depth <= 0.0 {
            return Err(FlatError::CentreOutside { x: centre.x, y: centre.y, beyond: -depth });
        }
        let size = polygon.vertices().iter().map(|v| (v - centre).norm()).fold(0.0, f64::max);
        let unit = polygon.moved(centre, 1.0 / size);
        let lost = FlatError::NotFound { x: centre.x, y: centre.y, beyond: -depth };
        let field = settle(&unit).ok_or(lost)?;
        let pressure = load / (size * size);
        let slope = field.g * (pressure / size);
        let found = Self::new(polygon, field.o * pressure - slope.dot(centre), &slope)?;
        let off = (found.load() / load - 1.0).abs().max((found.centre() - centre).norm() / size);
        if off <= ACCURATE { Ok(found) } else { Err(lost) }
    }

    /// Resultant (N).
    pub fn load(&self) -> f64 {
        self.region.integrate(|r| [self.at(r)])[0]
    }

    /// Centre of pressure (m).
    pub fn centre(&self) -> Vector2<f64> {
        let [p, x, y] = self.region.integrate(|r| {
            let p = self.at(r);
            [p, p * r.x, p * r.y]
        });
        Vector2::new(x, y) / p
    }

    /// Pressure at a point of the region (Pa).
    pub fn at(&self, r: &Vector2<f64>) -> f64 {
        self.at_origin + self.slope.dot(r)
    }
}

/// The linear field with unit load at the origin over a region, and nothing else asked of it.
fn balanced(region: &Polygon) -> Option<Field> {
    let [area, x, y] = region.integrate(|r| [1.0, r.x, r.y]);
    let middle = Vector2::new(x, y) / area;
    let [xx, xy, yy] = region.integrate(|r| {
        let d = r - middle;
        [d.x * d.x, d.x * d.y, d.y * d.y]
    });
    let g = -(Matrix2::new(xx, xy, xy, yy).try_inverse()? * middle);
    let field = Field { o: 1.0 / area - g.dot(&middle), g };
    if field.o.is_finite() && g.iter().all(|c| c.is_finite()) { Some(field) } else { None }
}

/// Newton on Φ with halving; each round solves on the part in contact.
fn settle(polygon: &Polygon) -> Option<Field> {
    let merit = |f: &Field, part: &Polygon| part.integrate(|r| [(f.o + f.g.dot(r)).powi(2)])[0] * 0.5 - f.o;
    let mut field = balanced(polygon)?;
    let mut part = polygon.cut(field.o, &field.g)?;
    let mut value = merit(&field, &part);
    for _ in 0..MOST_ROUNDS {
        let target = balanced(&part)?;
        let step = Field { o: target.o - field.o, g: target.g - field.g };
        if step.o.abs() + step.g.norm() <= 1e-12 * (field.o.abs() + field.g.norm()) {
            return Some(target);
        }
        let mut share = 1.0;
        loop {
            let next = Field { o: field.o + share * step.o, g: field.g + step.g * share };
            if let Some(there) = polygon.cut(next.o, &next.g) {
                let reached = merit(&next, &there);
                // Φ is known to rounding only, which must not stop the last, small steps.
                if reached <= value + 1e-13 * value.abs() {
                    (field, part, value) = (next, there, reached);
                    break;
                }
            }
            share *= 0.5;
            if share < 1e-6 {
                // Rounding hides what is left of the descent.
                return Some(field);
            }
        }
    }
    Some(field)
}

//! # Surfaces: shapes of a robot as contact sees them
//!
//! - **in**: [`Geometry`]
//! - **out**: [`Shape`] of `fingerpad_contact`, edges rounded as scenes round them where nothing is said
//! - **not here**: meshes and height fields (they need choices that a scene makes)
//! - **start at** [`primitive`]

use super::description::Geometry;
use crate::scene::shapes::DEFAULT_EDGE;
use fingerpad_contact::surface::{Capsule, Cylinder, Ellipsoid, HalfSpace, RoundedBox, Shape, ShapeError, Sphere};

/// The surface of a primitive; none for meshes and height fields.
pub fn primitive(geometry: &Geometry) -> Option<Result<Shape, ShapeError>> {
    Some(match geometry {
        Geometry::Sphere { radius } => Sphere::new(*radius).map(Shape::Sphere),
        Geometry::Box { half } => RoundedBox::new(*half, DEFAULT_EDGE * half.min()).map(Shape::RoundedBox),
        Geometry::Cylinder { radius, half_length } => {
            Cylinder::new(*radius, *half_length, DEFAULT_EDGE * radius.min(*half_length)).map(Shape::Cylinder)
        }
        Geometry::Capsule { radius, half_length } => Capsule::new(*radius, *half_length).map(Shape::Capsule),
        Geometry::Ellipsoid { semi_axes } => Ellipsoid::new((*semi_axes).into()).map(Shape::Ellipsoid),
        Geometry::HalfSpace => Ok(Shape::HalfSpace(HalfSpace)),
        Geometry::Mesh(_) | Geometry::HeightField(_) | Geometry::Picture { .. } => return None,
    })
}

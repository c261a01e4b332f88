//! # Field: the body that has no curve, as its signed distance
//!
//! `surface` ──(shape)──▶ **here** ──([`Field::at`]: distance, normal)──▶ `section`, `circle`
//!
//! - **in**: points in the frame of the body
//! - **out**: what [`Surface::closest_point`] tells of them, of simple bodies in closed form
//! - **not here**: which points (`section`, `circle`)
//! - **assumes**: bodies with facets are convex
//! - **start at** [`Field::new`]
//!
//! A contact along a curve asks for some hundred distances in a step, so that they are kept short: the distance of tubes and
//! boxes is a root, and a facet on which a point's foot was is asked first for the next.

use crate::surface::mesh::polyhedron::Polyhedron;
use crate::surface::{Shape, Surface};
use crate::track::tips;
use nalgebra::{Isometry3, Point3, Vector3};
use std::cell::Cell;

/// Signed distance of a point of A, in A.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    /// Signed distance (m).
    pub gap: f64,
    /// Its gradient.
    pub n: Vector3<f64>,
}

/// A body that is a plane where the curve is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    /// Its normal.
    pub n: Vector3<f64>,
    /// The height of its points along the normal (m).
    height: f64,
    /// Where it ends: x from, x to, y from, y to (m).
    ends: Option<[f64; 4]>,
}

impl Plane {
    fn of(shape: &Shape) -> Option<Self> {
        let (z, slope, ends) = match shape {
            Shape::HalfSpace(_) => (0.0, [0.0; 2], None),
            Shape::Elevation(map) if map.is_plane() => {
                let plain = &map.plains()[0];
                (plain.z, plain.slope, plain.parts.first().copied())
            }
            _ => return None,
        };
        let n = Vector3::new(-slope[0], -slope[1], 1.0).normalize();
        Some(Self { n, height: z * n.z, ends })
    }

    /// Signed distance (m); none beyond where the plane ends.
    #[inline]
    pub fn distance(&self, p: &Vector3<f64>) -> Option<f64> {
        if let Some([x0, x1, y0, y1]) = self.ends
            && !((x0..=x1).contains(&p.x) && (y0..=y1).contains(&p.y))
        {
            return None;
        }
        Some(self.n.dot(p) - self.height)
    }
}

/// The kinds of bodies.
pub(super) enum Field<'a> {
    Plane(Plane),
    /// A core that is a box of these half extents, a segment along z or a point among them, and what it is grown by.
    Grown {
        core: Vector3<f64>,
        by: f64,
    },
    /// A cylinder: radius, half length of the straight part of its side, radius of its core.
    Round {
        radius: f64,
        half: f64,
        core: f64,
    },
    /// Convex, with facets; the facet of the last foot.
    Facets(&'a Polyhedron, Cell<Option<u32>>),
    /// A height over a plane.
    Height,
    Any,
}

impl<'a> Field<'a> {
    /// The distance from a shape; `X` is the pose from which it is asked, of which every number must be finite for short cuts.
    pub fn new(shape: &'a Shape, X: &Isometry3<f64>) -> Self {
        if let Some(plane) = Plane::of(shape) {
            return Self::Plane(plane);
        }
        if !(X.translation.vector.sum() + X.rotation.coords.sum()).is_finite() {
            return Self::Any;
        }
        match shape {
            Shape::Graph(_) | Shape::Elevation(_) => Self::Height,
            Shape::RoundedBox(body) => {
                let by = body.edge_radius();
                Self::Grown { core: body.half_extents().map(|half| half - by), by }
            }
            Shape::Capsule(body) => Self::Grown { core: Vector3::new(0.0, 0.0, body.half_length()), by: body.radius() },
            Shape::Sphere(body) => Self::Grown { core: Vector3::zeros(), by: body.radius() },
            Shape::Cylinder(body) => {
                let edge = body.edge_radius();
                Self::Round { radius: body.radius(), half: body.half_length() - edge, core: body.radius() - edge }
            }
            Shape::Mesh(mesh) => match mesh.polyhedron().filter(|body| body.is_convex()) {
                Some(body) => Self::Facets(body, Cell::new(None)),
                None => Self::Any,
            },
            _ => Self::Any,
        }
    }

    /// Signed distance of a point, and the normal of A under it; none where A has ended.
    #[inline]
    pub fn at(&self, shape: &Shape, p: &Vector3<f64>) -> Option<Near> {
        match self {
            Self::Plane(plane) => plane.distance(p).map(|gap| Near { gap, n: plane.n }),
            Self::Grown { core, by } => {
                let d = p.zip_map(core, |x, c| x - x.clamp(-c, c));
                let squared = d.norm_squared();
                if squared < 1e-24 * by * by {
                    return plain(shape, p);
                }
                let over = 1.0 / squared.sqrt();
                Some(Near { gap: squared * over - by, n: d * over })
            }
            Self::Round { radius, half, core } => {
                let squared = p.x * p.x + p.y * p.y;
                if squared <= core * core || p.z.abs() > *half || squared == 0.0 {
                    return plain(shape, p);
                }
                let over = 1.0 / squared.sqrt();
                let n = Vector3::new(p.x * over, p.y * over, 0.0);
                Some(Near { gap: squared * over - radius, n })
            }
            Self::Facets(body, last) => {
                if let Some(found) = last.get().and_then(|face| over_facet(body, face, p)) {
                    return Some(found);
                }
                let found = body.closest(&Point3::from(*p), last.get()).ok()?;
                last.set(Some(found.face));
                Some(Near { gap: found.foot.distance, n: found.foot.nhat })
            }
            Self::Height => {
                // The foot nearest to the place right below. Near contact it is the only one; further away, where hollows
                // are narrower than the gap, another may be nearer, and no station is pressed.
                let p = Point3::from(*p);
                tips::foot(shape, &p, Some(&p)).map(|(at, gap)| Near { gap, n: at.nhat })
            }
            Self::Any => plain(shape, p),
        }
    }
}

fn plain(shape: &Shape, p: &Vector3<f64>) -> Option<Near> {
    let foot = shape.closest_point(&Point3::from(*p)).ok()?;
    Some(Near { gap: foot.distance, n: foot.nhat })
}

/// The distance of a point right over a facet of the core: nothing of a convex body is nearer.
fn over_facet(body: &Polyhedron, face: u32, p: &Vector3<f64>) -> Option<Near> {
    let mesh = body.core().mesh();
    let [a, b, c] = mesh.faces()[face as usize].map(|v| mesh.vertices()[v as usize].coords);
    let (ab, bc, ca) = (b - a, c - b, a - c);
    let normal = ab.cross(&bc);
    let over = normal.norm().recip();
    let height = normal.dot(&(p - a)) * over;
    let inside = |edge: &Vector3<f64>, from: &Vector3<f64>| normal.dot(&edge.cross(&(p - from))) >= 0.0;
    if !(height >= 0.0 && inside(&ab, &a) && inside(&bc, &b) && inside(&ca, &c)) {
        return None;
    }
    let (n, _) = body.planes().nth(body.plane_of(face) as usize)?;
    Some(Near { gap: height - body.radius(), n })
}

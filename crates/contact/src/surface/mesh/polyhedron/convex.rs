//! # Convex: the core of a convex hull
//!
//! points of a mesh ──▶ **here** ──([`Convex`]: hull, core, ρ, bound)──▶ [`Polyhedron`](super::Polyhedron)
//!
//! - **in**: a mesh, closed or not, and the radius wanted (m)
//! - **out**: the facets of its hull, the core that a ball of radius ρ is added to, how far both are apart at most
//! - **not here**: cores of other meshes (`core`): the hull of a scan has thousands of thin facets, whose corners could
//!   not be moved one by one
//! - **start at** [`Convex::of`]
//!
//! The core is the hull eroded by the ball: all points that are ρ below every plane of the hull. Its corners are found
//! from the hull of the dual points n/(h − n·c), h the height of the plane lowered by ρ and c a point inside: a facet
//! of that hull in the plane a·x = 1 is the corner c + a.
//!
//! **Bound.** For convex bodies distances differ by no more than support functions do. With C the core, K the hull of
//! all points, and m the least depth of a corner of C below a facet of the hull as made here, which lies within K:
//!
//! ```text
//! h_C + ρ − h_K ≤ ρ − m;      h_K − h_C − ρ ≤ max over points of their distance from C − ρ
//! ```

use super::super::hull::{Corners, hull};
use super::super::smooth::SmoothError;
use super::super::{MassProperties, MeshSolid, TriangleMesh};
use super::core::{LOWER, OF_WIDTH, SHARE, TRIES, check};
use nalgebra::{Point3, Vector3};

/// Corners that a core should have at most: those of a scan are left out where others are near.
const MANY: usize = 300;
/// How far corners of the core may be left outside, over the diagonal: tried in turn until few enough are left.
const TOLERANCES: [f64; 7] = [0.0, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 4e-3];

/// A convex hull with its core.
pub(super) struct Convex {
    /// The facets of the hull.
    pub(super) outer: TriangleMesh,
    /// The facets of the core.
    pub(super) core: TriangleMesh,
    /// Radius of the ball (m).
    pub(super) radius: f64,
    /// How far distances to core ⊕ ball may be from those to the exact hull (m).
    pub(super) bound: f64,
}

impl Convex {
    /// The hull of a mesh for the radius wanted, or the largest that fits if none is asked for.
    pub(super) fn of(mesh: &TriangleMesh, wanted: Option<f64>) -> Result<Self, SmoothError> {
        check(wanted)?;
        let diagonal = 2.0 * mesh.bounds().radius();
        let flat = SmoothError::NoCore { radius: 0.0 };
        let outer = hull(mesh.vertices(), 0.0).map(made).ok_or(flat)?;
        let inside = MassProperties::of(&outer).map_err(|_| flat)?.centre;
        let planes: Vec<Plane> = (0..outer.faces().len()).map(|f| Plane::of(&outer, f)).collect();
        let thickness = planes.iter().map(|plane| plane.width).fold(f64::INFINITY, f64::min);
        let mut radius = wanted.unwrap_or((SHARE * diagonal).min(OF_WIDTH * thickness));
        for _ in 0..TRIES {
            let corners = eroded(&planes, &inside, radius);
            if let Some(core) = corners.and_then(|corners| few(&corners, diagonal)) {
                let least = |p: &Point3<f64>| planes.iter().map(|plane| plane.depth(p)).fold(f64::INFINITY, f64::min);
                let depth = core.vertices().iter().map(least).fold(f64::INFINITY, f64::min);
                let solid = MeshSolid::new(core);
                let away = |p: &Point3<f64>| solid.closest(p, None).map_or(f64::INFINITY, |at| at.foot.distance);
                let reach = mesh.vertices().iter().map(away).fold(0.0, f64::max);
                let bound = (reach - radius).max(radius - depth).max(0.0);
                // A pointed corner may lose 1 % of the diagonal, unless its radius was asked for.
                if wanted == Some(radius) || bound <= SHARE * diagonal {
                    return match wanted {
                        Some(got) if got != radius => Err(SmoothError::FilletTooLarge { got, limit: radius }),
                        _ => Ok(Self { outer, core: solid.mesh().clone(), radius, bound }),
                    };
                }
            }
            radius *= LOWER;
        }
        Err(SmoothError::NoCore { radius })
    }
}

/// A plane of the hull.
struct Plane {
    n: Vector3<f64>,
    /// n·x on the facet (m).
    facet: f64,
    /// The largest n·x of the hull (m): that of the facet, but for round-off and what the hull leaves out.
    support: f64,
    /// Extent of the hull along n (m).
    width: f64,
}

impl Plane {
    fn of(outer: &TriangleMesh, f: usize) -> Self {
        let n = outer.face_normal(f);
        let heights = outer.vertices().iter().map(|p| n.dot(&p.coords));
        let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        let facet = n.dot(&outer.vertices()[outer.faces()[f][0] as usize].coords);
        Self { n, facet, support: high, width: high - low }
    }

    fn depth(&self, p: &Point3<f64>) -> f64 {
        self.facet - self.n.dot(&p.coords)
    }
}

fn made((vertices, faces): Corners) -> TriangleMesh {
    TriangleMesh { vertices, faces, seams: Vec::new() }
}

/// The hull of corners, with as many of them as are needed; all of them if they are few.
fn few(corners: &[Point3<f64>], diagonal: f64) -> Option<TriangleMesh> {
    let hulls = TOLERANCES.iter().map(|tolerance| hull(corners, tolerance * diagonal).map(made));
    let mut last = None;
    for found in hulls {
        last = found;
        if last.as_ref().is_none_or(|core| core.vertices().len() <= MANY) {
            break;
        }
    }
    last
}

/// The corners of what is `radius` below all planes; nothing if `inside` is not.
fn eroded(planes: &[Plane], inside: &Point3<f64>, radius: f64) -> Option<Vec<Point3<f64>>> {
    let dual = |plane: &Plane| {
        let depth = plane.support - radius - plane.n.dot(&inside.coords);
        (depth > 0.0).then(|| Point3::from(plane.n / depth))
    };
    let dual: Vec<Point3<f64>> = planes.iter().map(dual).collect::<Option<_>>()?;
    let (points, faces) = hull(&dual, 0.0)?;
    let corner = |f: [u32; 3]| {
        let [a, b, c] = f.map(|v| points[v as usize]);
        let normal = (b - a).cross(&(c - a));
        let height = normal.dot(&a.coords);
        (height > 0.0).then(|| inside + normal / height)
    };
    faces.into_iter().map(corner).collect()
}

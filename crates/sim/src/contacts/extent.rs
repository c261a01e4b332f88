//! # Extent: how much room a body takes, and how far it may move unseen
//!
//! - **in**: a shape
//! - **out**: a box and a ball around it, in the body
//! - **start at** [`Extent`]

use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::{Shape, Surface};
use fingerpad_contact::track::faces_of;
use nalgebra::{Isometry3, Point3, Vector3};

/// Share of its radius that a body may move between two looks at who is near.
const ROOM: f64 = 0.125;

/// The space around a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// Middle of the box around the shape, in the body (m).
    pub p_BoE: Point3<f64>,
    /// Half of its sides (m).
    half: Vector3<f64>,
    /// Radius of a ball around the shape about the middle (m); infinite for a ground.
    pub radius: f64,
    /// How far turning moves the surface, per radian (m); 0 for a ball.
    arm: f64,
    /// Distance of the shape's furthest point from the origin of the body (m).
    pub reach: f64,
    /// How far the body may move before others are looked for again (m).
    pub room: f64,
    /// Half of the least way through the body (m): what moves further than that in one go may pass it unseen.
    pub thickness: f64,
    /// Bodies without end downwards: what is above this box, in the body, is apart.
    pub ground: Option<Ground>,
}

/// A body that reaches down without end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    low: Point3<f64>,
    high: Point3<f64>,
}

impl Extent {
    /// The extent of a shape; a body that rests needs no room.
    pub fn new(shape: &Shape, moves: bool) -> Self {
        let bounds = shape.bounds();
        let is_ground = matches!(shape, Shape::HalfSpace(_) | Shape::Graph(_) | Shape::Elevation(_));
        if is_ground || !bounds.is_finite() {
            // A ground that moves may be anywhere.
            let far = Point3::from(Vector3::repeat(f64::INFINITY));
            let high = if moves { far } else { bounds.max };
            let low = if moves { -far } else { Point3::new(bounds.min.x, bounds.min.y, f64::NEG_INFINITY) };
            let ground = Some(Ground { low, high });
            let half = Vector3::repeat(f64::INFINITY);
            let thickness = f64::INFINITY;
            return Self {
                p_BoE: Point3::origin(),
                half,
                radius: f64::INFINITY,
                arm: 0.0,
                reach: shape.reach(),
                room: 0.0,
                thickness,
                ground,
            };
        }
        let (p_BoE, radius, arm) = match shape {
            Shape::Sphere(ball) => (Point3::origin(), ball.radius(), 0.0),
            _ => {
                let reach = shape.reach();
                let radius = bounds.radius();
                // A ball about the origin is smaller for ellipsoids and the like.
                if reach < radius { (Point3::origin(), reach, reach) } else { (bounds.centre(), radius, radius) }
            }
        };
        let half = (bounds.max - p_BoE).sup(&(p_BoE - bounds.min));
        let room = if moves { ROOM * radius } else { 0.0 };
        if matches!(shape, Shape::Mesh(_)) {
            // Kept with the mesh: found here and not in the middle of a run.
            faces_of(shape);
        }
        let (reach, thickness) = (shape.reach(), thickness(shape, radius));
        Self { p_BoE, half, radius, arm, reach, room, thickness, ground: None }
    }

    /// A body that meets nothing it has to be looked for: it may move as it likes.
    pub fn let_go(&mut self) {
        self.room = f64::INFINITY;
    }

    /// Whether everything is near it, whatever the distance.
    pub fn is_everywhere(&self) -> bool {
        self.ground.is_some_and(|ground| {
            ground.low.iter().all(|x| *x == f64::NEG_INFINITY) && ground.high.iter().all(|x| *x == f64::INFINITY)
        })
    }

    /// Middle and half sides of a box in world axes around the shape (m).
    pub fn boxed(&self, X_WB: &Isometry3<f64>) -> (Point3<f64>, Vector3<f64>) {
        let R = X_WB.rotation.to_rotation_matrix();
        let half = (R.matrix().abs() * self.half).map(|x| x.min(self.radius));
        (X_WB * self.p_BoE, half)
    }

    /// How fast its points move at most (m/s), turning about the centre of mass taken as about the middle.
    pub fn speed(&self, V: &SpatialVelocity) -> f64 {
        V.v.norm() + V.w.norm() * self.arm
    }

    /// The same along a direction of length 1, in the world.
    pub fn speed_along(&self, V: &SpatialVelocity, nhat_W: &Vector3<f64>) -> f64 {
        V.v.dot(nhat_W).abs() + V.w.norm() * self.arm
    }

    /// The farthest that any point has moved between two poses (m).
    pub fn moved(&self, from: &Isometry3<f64>, to: &Isometry3<f64>) -> f64 {
        let turn = if self.arm > 0.0 { 2.0 * to.rotation.rotation_to(&from.rotation).vector().norm() } else { 0.0 };
        (to * self.p_BoE - from * self.p_BoE).norm() + turn * self.arm
    }
}

/// Half of the least way through a body, at right angles to its surface (m).
///
/// Closed forms where there are any. Else the way inwards from places spread over the surface, to where it comes out again;
/// the least of them, edges apart. Ways below [`SHEET`] count where two places have such a one: scans have flaps the size of
/// a facet that nothing passes.
fn thickness(shape: &Shape, radius: f64) -> f64 {
    match shape {
        Shape::Sphere(body) => body.radius(),
        Shape::Ellipsoid(body) => body.semi_axes().min(),
        Shape::RoundedBox(body) => body.half_extents().min(),
        Shape::Capsule(body) => body.radius(),
        Shape::Cylinder(body) => body.radius().min(body.half_length()),
        Shape::Torus(body) => body.minor_radius(),
        _ => {
            let mut ways: Vec<f64> = places(shape).iter().filter_map(|p| way_through(shape, p, radius)).collect();
            ways.sort_unstable_by(f64::total_cmp);
            let alone = ways.len() > 1 && ways[0] < SHEET * radius && ways[1] >= SHEET * radius;
            ways.into_iter().skip(usize::from(alone)).fold(radius, f64::min)
        }
    }
}

/// Half ways over a body's radius below which it is a sheet there, or a flaw of its mesh.
const SHEET: f64 = 2.5e-3;

/// Places spread over a surface, on it or near it.
fn places(shape: &Shape) -> Vec<Point3<f64>> {
    if let Shape::Mesh(mesh) = shape {
        let mesh = mesh.solid().mesh();
        let corners = |face: &[u32; 3]| face.map(|v| mesh.vertices()[v as usize].coords);
        let middle = |face: &[u32; 3]| Point3::from(corners(face).iter().sum::<Vector3<f64>>() / 3.0);
        // Facets in even steps, where bodies are shaped most; and in even steps of area: no sheet is left out for having few.
        let every = mesh.faces().len().div_ceil(96);
        let by_count = mesh.faces().iter().step_by(every).map(middle);
        let area = |face: &[u32; 3]| {
            let [a, b, c] = corners(face);
            (b - a).cross(&(c - a)).norm()
        };
        let step = mesh.faces().iter().map(area).sum::<f64>() / 96.0;
        let (mut sum, mut next) = (0.0, 0.5 * step);
        let by_area = mesh.faces().iter().filter(|face| {
            sum += area(face);
            let is_next = sum > next;
            if is_next {
                next = sum + step;
            }
            is_next
        });
        return by_count.chain(by_area.map(middle)).collect();
    }
    let Some(surface) = shape.as_parametric() else { return Vec::new() };
    let domain = surface.domain();
    // Around bodies of revolution one meridian tells all.
    (0..96)
        .map(|k| {
            let v = domain.v[0] + (domain.v[1] - domain.v[0]) * (f64::from(k) + 0.5) / 96.0;
            surface.point(domain.u[0], v)
        })
        .collect()
}

/// Half of the way through a body at right angles from a place of its surface (m), by steps as long as the distance from the
/// surface: they double on the way in and shrink on the way out, so that a sheet of any thickness is seen. Where both sides
/// are not about parallel, what is thinner than a sheet is an edge.
fn way_through(shape: &Shape, p: &Point3<f64>, radius: f64) -> Option<f64> {
    const OPPOSITE: f64 = -0.85;
    let foot = shape.closest_point(p).ok()?;
    let mut way = 1e-6 * radius;
    for _ in 0..64 {
        let at = shape.closest_point(&(foot.p - foot.nhat * way)).ok()?;
        if -at.distance <= 1e-2 * way {
            // Still at the edge it began at, or out on the other side.
            let (half, sides) = (0.5 * way, at.nhat.dot(&foot.nhat));
            let is_real = half > SHEET * radius || (half > 1e-5 * radius && sides < OPPOSITE);
            return is_real.then_some(half);
        }
        way -= at.distance;
    }
    // Along a wall beside it.
    None
}

impl Ground {
    /// How far a ball around a place is outside (m); negative inside.
    pub fn distance(&self, X_WG: &Isometry3<f64>, middle: &Point3<f64>, radius: f64) -> f64 {
        let p = X_WG.inverse_transform_point(middle);
        let sides = (self.low - p).sup(&(p - self.high));
        sides.max() - radius
    }
}

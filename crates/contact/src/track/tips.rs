//! # Tips: corners, rims and rings of one body on any surface of the other
//!
//! - **in**: a body with corners or rims, the surface of the other body, their pose
//! - **out**: a closest pair for each corner, rim or place of a ring that stands on the surface
//! - **not here**: corners on flat faces of boxes, cylinders and capsules ([`edged`](super::edged)); places between smooth
//!   parts ([`seed`](super::seed)); identity over time ([`contacts`](super::contacts))
//! - **assumes**: the surface bends less than the tip does, as ground under a corner
//! - **start at** [`Tips::of`], then [`Tips::place`]
//!
//! A corner is a ball fixed in its body, so that its contact is the foot of one point: nothing to search for, and
//! nothing that Newton's method could miss where the surface of the body has seams. Bodies that lie on uneven ground
//! stand on their corners; the ends of an edge that lies along the ground are two corners.
//!
//! | tip | where | counts while |
//! |---|---|---|
//! | corner | ball around a fixed point | it is near: the ball is part of the body whatever the normal |
//! | rim | the point of a circle that reaches furthest against the normal | the circle is not quite parallel to the surface |
//! | station | one of twelve places of a circle | the circle is nearly parallel to the surface |
//!
//! So a corner is there before it presses, at any angle: nothing begins in overlap where a body rocks from one corner to
//! the next.

use super::{ClosestPair, into_A};
use crate::surface::elevation::ElevationMap;
use crate::surface::height::{self, HeightFunction};
use crate::surface::{ParametricSurface, Revolution, Shape, SmoothSurface, Surface, SurfacePoint};
use nalgebra::{Isometry3, Matrix3, Point3, Vector3};
use std::f64::consts::TAU;

/// Places that stand for a ring which lies flat.
const STATIONS: usize = 12;
/// They count up to this angle between ring and surface (rad), and go on counting up to the second: 5° and 6°. Beyond it
/// the lowest point alone is near.
const NEARLY_FLAT: [f64; 2] = [0.0873, 0.1047];
/// The lowest point of a ring counts from this angle on (rad), and as long as it is above the second: 0.5° and 0.25°. Below,
/// it may be anywhere; the stations leave out less than R/4000 of the depth.
const TILTED: [f64; 2] = [0.00873, 0.00436];

/// Polyhedra with more corners touch as curved bodies do.
const MOST_CORNERS: usize = 400;

/// A corner, a rim or one place of a ring, in the frame of its body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Tip {
    /// A ball.
    Corner { centre: Point3<f64>, radius: f64 },
    /// Part of a torus around z at height `z`, towards `end` (0: both sides).
    Rim { z: f64, major: f64, minor: f64, end: f64 },
    /// A fixed place of a ring around z whose plane faces `end`.
    Station { centre: Point3<f64>, radius: f64, end: f64 },
}

/// The tips of a body.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Tips {
    list: Vec<Tip>,
}

/// A tip on a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    /// The points, with the body of the surface as A.
    pub pair: ClosestPair,
    /// Whether it counts: one that does not yet may not begin, one that does no longer ends.
    pub counts: Counts,
}

/// Whether a tip counts as a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Counts {
    /// It does not.
    No,
    /// If it was one.
    Still,
    /// It does.
    Yes,
}

/// The ball of a tip that reaches furthest along a direction.
struct Ball {
    centre: Point3<f64>,
    radius: f64,
    counts: Counts,
}

impl Tips {
    /// The tips of a shape; none for smooth bodies.
    pub fn of(shape: &Shape) -> Self {
        let mut tips = Self::default();
        match shape {
            Shape::RoundedBox(body) => {
                let radius = body.edge_radius();
                let core = body.half_extents().map(|half| half - radius);
                for k in 0..8_usize {
                    let side = Vector3::from_fn(|i, _| if k >> i & 1 == 0 { -1.0 } else { 1.0 });
                    // An axis without width has one corner, not two.
                    if (0..3).any(|i| core[i] == 0.0 && side[i] < 0.0) {
                        continue;
                    }
                    tips.list.push(Tip::Corner { centre: Point3::from(core.component_mul(&side)), radius });
                }
            }
            Shape::Capsule(body) => {
                for end in [-1.0, 1.0] {
                    let centre = Point3::new(0.0, 0.0, end * body.half_length());
                    tips.list.push(Tip::Corner { centre, radius: body.radius() });
                }
            }
            Shape::Cylinder(body) => {
                let minor = body.edge_radius();
                let (major, z) = (body.radius() - minor, body.half_length() - minor);
                for end in [-1.0, 1.0] {
                    tips.ring(end * z, major, minor, end);
                }
            }
            Shape::Torus(body) => {
                let (major, minor) = (body.major_radius(), body.minor_radius());
                tips.ring(0.0, major, minor, 0.0);
                for end in [-1.0, 1.0] {
                    tips.stations(0.0, major, minor, end);
                }
            }
            Shape::Revolution(body) => {
                for end in [-1.0, 1.0] {
                    if let Some((r, z, minor)) = foot_ring(body, end) {
                        tips.stations(z - end * minor, r, minor, end);
                    }
                }
            }
            Shape::Mesh(mesh) => {
                let body = mesh.polyhedron().filter(|body| body.radius() > 0.0 && body.corners().len() <= MOST_CORNERS);
                let corners =
                    body.iter().flat_map(|body| body.corners().iter().map(|corner| (corner.p, body.radius())));
                tips.list.extend(corners.map(|(centre, radius)| Tip::Corner { centre, radius }));
            }
            _ => {}
        }
        tips
    }

    fn ring(&mut self, z: f64, major: f64, minor: f64, end: f64) {
        self.list.push(Tip::Rim { z, major, minor, end });
        if end != 0.0 {
            self.stations(z, major, minor, end);
        }
    }

    fn stations(&mut self, z: f64, major: f64, minor: f64, end: f64) {
        for k in 0..STATIONS {
            let (sin, cos) = (TAU * k as f64 / STATIONS as f64).sin_cos();
            let centre = Point3::new(major * cos, major * sin, z);
            self.list.push(Tip::Station { centre, radius: minor, end });
        }
    }

    /// Whether the body has none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// A distance within which the tip lies of its body's origin (m), and its radius: to leave it out where it is far.
    pub fn centre(&self, tip: usize) -> Option<(Point3<f64>, f64)> {
        match self.list[tip] {
            Tip::Corner { centre, radius, .. } | Tip::Station { centre, radius, .. } => Some((centre, radius)),
            Tip::Rim { .. } => None,
        }
    }

    /// A tip of B on the surface of A; nothing if the surface ends before it, or its ring lies flat.
    ///
    /// `near` is a place on A from which the foot is looked for, the last one; without it the whole surface is searched.
    pub fn place(&self, tip: usize, a: &Shape, X_AB: &Isometry3<f64>, near: Option<&Point3<f64>>) -> Option<Placed> {
        let tip = &self.list[tip];
        // Where a rim is lowest depends on the normal under it, which changes little from place to place.
        let mut ball = match tip {
            Tip::Rim { .. } => {
                let up_A = match near {
                    Some(p) => a.point_near(p).ok()?.nhat,
                    None => foot(a, &(X_AB * Point3::origin()), None)?.0.nhat,
                };
                self.ball(tip, &(X_AB.rotation.inverse() * -up_A))?
            }
            _ => self.ball(tip, &Vector3::z())?,
        };
        let mut from = near.copied();
        for _ in 0..12 {
            let (at_A, _) = foot(a, &(X_AB * ball.centre), from.as_ref())?;
            let down_B = X_AB.rotation.inverse() * -at_A.nhat;
            let next = self.ball(tip, &down_B)?;
            let moved = (next.centre - ball.centre).norm();
            ball = next;
            from = Some(at_A.p);
            if moved <= 1e-13 * ball.centre.coords.amax() {
                let P = Matrix3::identity() - down_B * down_B.transpose();
                let point = ball.centre + down_B * ball.radius;
                let at_B = SurfacePoint { p: point, nhat: down_B, Dn: self.bend(tip, &down_B, &P) };
                let mut pair = ClosestPair::from_points(&at_A, &into_A(&at_B, X_AB), X_AB);
                pair.p_BCb = point;
                // A place of a ring stands for what lies between it and the next, which the edge of a face ends.
                let ends = matches!(tip, Tip::Station { .. }) && is_edge(a, &at_A);
                return Some(Placed { pair, counts: if ends { Counts::No } else { ball.counts } });
            }
        }
        None
    }

    /// The ball of a tip along the unit vector d.
    fn ball(&self, tip: &Tip, d: &Vector3<f64>) -> Option<Ball> {
        let when = |yes: bool, still: bool| match (yes, still) {
            (true, _) => Counts::Yes,
            (_, true) => Counts::Still,
            _ => Counts::No,
        };
        match *tip {
            Tip::Corner { centre, radius } => Some(Ball { centre, radius, counts: Counts::Yes }),
            Tip::Station { centre, radius, end } => {
                let tilt = d.xy().norm().atan2(d.z * end);
                Some(Ball { centre, radius, counts: when(tilt <= NEARLY_FLAT[0], tilt <= NEARLY_FLAT[1]) })
            }
            Tip::Rim { z, major, minor, end } => {
                let out = Vector3::new(d.x, d.y, 0.0);
                let radial = out.try_normalize(1e-9)?;
                let tilt = out.norm().min(1.0).asin();
                // Beyond the other side of a cylinder's end its rim is not the lowest.
                let faces = end == 0.0 || d.z * end > -0.5;
                let counts = when(faces && tilt >= TILTED[0], faces && tilt >= TILTED[1]);
                let centre = Point3::from(radial * major + Vector3::z() * z);
                Some(Ball { centre, radius: minor, counts })
            }
        }
    }

    /// Shape operator of a tip where its normal is d.
    fn bend(&self, tip: &Tip, d: &Vector3<f64>, P: &Matrix3<f64>) -> Matrix3<f64> {
        match *tip {
            Tip::Corner { radius, .. } | Tip::Station { radius, .. } => P / radius,
            Tip::Rim { major, minor, .. } => {
                let out = Vector3::new(d.x, d.y, 0.0);
                let (length, radial) = (out.norm(), out.try_normalize(1e-9).unwrap_or_else(Vector3::x));
                let around = Vector3::z().cross(&radial);
                let k_around = length / (major + minor * length);
                P / minor + around * around.transpose() * (k_around - 1.0 / minor)
            }
        }
    }

    /// Whether a pair of smooth places, with the body of these tips as B, lies on a ring whose stations count.
    pub fn hold(&self, p_B: &Point3<f64>, down_B: &Vector3<f64>) -> bool {
        self.list.iter().any(|tip| match *tip {
            Tip::Station { centre, radius, end } => {
                let ring = Vector3::new(centre.x, centre.y, 0.0).norm();
                let off = (p_B.coords.xy().norm() - ring).hypot(p_B.z - centre.z);
                off <= 1.5 * radius && down_B.xy().norm().atan2(down_B.z * end) <= TILTED[1]
            }
            _ => false,
        })
    }
}

/// Whether a place on a body with flat faces is on none of them.
fn is_edge(a: &Shape, at_A: &SurfacePoint) -> bool {
    matches!(a, Shape::RoundedBox(_) | Shape::Cylinder(_)) && at_A.Dn.amax() > 0.0
}

/// The ring on which a body of revolution stands with its axis upright, towards `end`: radius, height and meridian radius
/// of curvature (m). None if it stands on a pole, or its profile is not round there.
fn foot_ring(body: &Revolution, end: f64) -> Option<(f64, f64, f64)> {
    const SAMPLES: usize = 2000;
    let [v0, v1] = body.domain().v;
    let at = |k: usize| body.point(0.0, v0 + (v1 - v0) * k as f64 / SAMPLES as f64);
    let best = (0..=SAMPLES).max_by(|&i, &j| (at(i).z * end).total_cmp(&(at(j).z * end)))?;
    let size = body.bounds().radius();
    let point = body.point_near(&at(best)).ok()?;
    let r = point.p.coords.xy().norm();
    let meridian = Vector3::new(point.p.x, point.p.y, 0.0).try_normalize(1e-3 * size)?;
    let bend = meridian.dot(&(point.Dn * meridian));
    (r > 0.02 * size && bend > 0.1 / size).then(|| (r, point.p.z, 1.0 / bend))
}

/// The foot of a point on a surface, with curvature, and the signed distance (m). None where the surface has ended.
///
/// On heights Newton's method starts from `near`, else right below; where hollows are too narrow for that to be proof, the
/// whole map is searched.
pub(crate) fn foot(a: &Shape, c: &Point3<f64>, near: Option<&Point3<f64>>) -> Option<(SurfacePoint, f64)> {
    match a {
        Shape::Elevation(map) => {
            let found = on_height(map.as_ref(), c, near);
            match (near, found) {
                (None, Some(found)) if !is_only(map, c, found.1) => Some(everywhere(a, c).unwrap_or(found)),
                (_, found) => found,
            }
        }
        Shape::Graph(graph) => on_height(graph, c, near),
        _ => everywhere(a, c),
    }
}

fn everywhere(a: &Shape, c: &Point3<f64>) -> Option<(SurfacePoint, f64)> {
    let foot = a.closest_point(c).ok()?;
    let mut at = a.point_near(&foot.p).ok()?;
    (at.p, at.nhat) = (foot.p, foot.nhat);
    Some((at, foot.distance))
}

/// The foot on a height, by Newton; where that does not settle, the plane that touches the surface right below answers.
fn on_height<H: HeightFunction>(
    surface: &H,
    c: &Point3<f64>,
    near: Option<&Point3<f64>>,
) -> Option<(SurfacePoint, f64)> {
    let from = |x: f64, y: f64| height::foot(surface, c, x, y).ok();
    let found = near.and_then(|p| from(p.x, p.y)).or_else(|| from(c.x, c.y));
    let at = match found {
        Some(found) => found.jet.surface_point(found.x, found.y),
        None => surface.jet(c.x, c.y).ok()?.surface_point(c.x, c.y),
    };
    let distance = at.nhat.dot(&(c - at.p));
    let at = if found.is_some() { at } else { SurfacePoint { p: c - at.nhat * distance, ..at } };
    Some((at, distance))
}

/// Whether no hollow in reach is narrow enough for a second foot.
fn is_only(map: &ElevationMap, c: &Point3<f64>, distance: f64) -> bool {
    let blocks = map.bends_around(c.x, c.y, 2.0 * distance.abs());
    map.concave_curvature(&blocks) * distance.abs() < 1.0
}

/// Whether a point is certainly further than `reach` (m) outside a surface, by a bound that costs little.
pub(crate) fn is_clear(a: &Shape, c: &Point3<f64>, reach: f64) -> bool {
    match a {
        Shape::Elevation(map) => map.highest_around(c.x, c.y, reach) < c.z - reach,
        Shape::HalfSpace(_) => c.z > reach,
        Shape::Graph(_) => false,
        _ => {
            let bounds = a.bounds();
            let outside = (bounds.min - c).sup(&(c - bounds.max));
            outside.max() > reach
        }
    }
}

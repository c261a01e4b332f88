//! # Turned: curves of meshes that are bodies of revolution
//!
//! - **in**: a mesh
//! - **out**: the straight parts of its side as rods, the rings it stands on as tubes
//! - **not here**: bodies of revolution by their profile ([`carrier`](super::carrier))
//! - **assumes**: nothing of the mesh; what is no body of revolution has no curves here
//! - **start at** [`of_mesh`]
//!
//! Cans, glasses, bottles, bowls come as rings of vertices around an axis, each an even sample of a circle. On such a circle
//! every point of the body is as near to a plane as the next, so that points have no place to be: they wander, and the facets
//! between vertices are an accident of the sampling. The curves go through the vertices, which lie on what was sampled; a ring
//! bends across as the circle through it and the next rings of the profile does.
//!
//! A handle hides a part of the wall, and the wall goes on beside it. There vertices that are in no ring are left out, and a
//! side counts if all of it is surface or inside: pressed against it, no body is pushed by what is not there.

use super::carrier::{Curve, Part, Path};
use crate::surface::mesh::MeshSurface;
use nalgebra::{Isometry3, Matrix3, Point2, Point3, UnitQuaternion, Vector2, Vector3};
use std::f64::consts::TAU;

/// Vertices of a ring are this near to their circle, as a share of the diagonal.
const ROUND: f64 = 1e-5;
/// Fewer vertices make no ring: with 24 a polygon is within 1 % of its circle.
const LEAST: usize = 24;
/// Where a profile turns by more from one segment to the next, it has an edge (rad): 60°.
const SHARP: f64 = 1.05;
/// Share of the circle that the rings of a mesh that is turned in part must sample.
const COVERED: f64 = 0.75;
/// Vertices of one height, at most, among which a circle is looked for: scans have more.
const LEVEL: usize = 20_000;
/// From this turn on the side of a smooth mesh ends in an edge, with a fillet (rad): 40°.
const CREASE: f64 = 0.698;
/// Neighbouring segments of a profile that was sampled are of like length, by this factor.
const ALIKE: f64 = 4.0;

/// A ring of vertices.
#[derive(Clone, Copy, Debug)]
struct Ring {
    r: f64,
    z: f64,
    /// One of its vertices.
    vertex: u32,
    /// The angle between neighbours (rad).
    step: f64,
}

/// How much of a mesh is turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// All of it.
    Whole,
    /// Rings that something else may stand out of: a mug with a handle.
    Part,
}

/// The curves of a mesh.
pub fn of_mesh(mesh: &MeshSurface) -> Vec<Curve> {
    let vertices = mesh.solid().mesh().vertices();
    if vertices.len() < 2 * LEAST {
        return Vec::new();
    }
    let n = vertices.len() as f64;
    let middle = vertices.iter().fold(Vector3::zeros(), |sum, p| sum + p.coords) / n;
    let spread = vertices.iter().fold(Matrix3::zeros(), |sum, p| {
        let d = p.coords - middle;
        sum + d * d.transpose()
    });
    let axes = spread.symmetric_eigen().eigenvectors;
    let own = (0..3).map(|k| axes.column(k).into_owned());
    let given = [Vector3::z(), Vector3::y(), Vector3::x()];
    let near = ROUND * mesh.diagonal();
    for axis in given.into_iter().chain(own) {
        let X_MS = around(&axis, middle);
        if let Some(rings) = rings(vertices, &X_MS, near, Extent::Whole) {
            let body = Turned { mesh, X_MS, rings, extent: Extent::Whole };
            let ends = [-1.0, 1.0].into_iter().filter_map(|end| body.ring(end));
            return body.sides().into_iter().chain(ends).collect();
        }
    }
    // A handle takes nothing from the rest of the side.
    for axis in given {
        let Some(centre) = centre(vertices, &around(&axis, middle), near) else { continue };
        let X_MS = around(&axis, centre.coords);
        if let Some(rings) = rings(vertices, &X_MS, near, Extent::Part) {
            return Turned { mesh, X_MS, rings, extent: Extent::Part }.sides();
        }
    }
    Vec::new()
}

/// A frame at a place with z along an axis.
fn around(axis: &Vector3<f64>, place: Vector3<f64>) -> Isometry3<f64> {
    let turn = UnitQuaternion::rotation_between(&Vector3::z(), axis)
        .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::x_axis(), 0.5 * TAU));
    Isometry3::from_parts(place.into(), turn)
}

/// Places by their height in a frame, those of one height together.
fn levels(vertices: &[Point3<f64>], X_MS: &Isometry3<f64>) -> Vec<(Point3<f64>, u32)> {
    let place = |(k, p): (usize, &Point3<f64>)| (X_MS.inverse_transform_point(p), k as u32);
    let mut places: Vec<_> = vertices.iter().enumerate().map(place).collect();
    places.sort_by(|p, q| p.0.z.total_cmp(&q.0.z));
    places
}

/// Where the axis of circles around z of a frame is: the circle through three vertices of one height on which most of the
/// others lie, of the heights that have most vertices.
fn centre(vertices: &[Point3<f64>], X_MS: &Isometry3<f64>, near: f64) -> Option<Point3<f64>> {
    const HEIGHTS: usize = 4;
    const TRIES: usize = 96;
    let places = levels(vertices, X_MS);
    let mut levels: Vec<&[(Point3<f64>, u32)]> = places.chunk_by(|p, q| q.0.z - p.0.z <= near).collect();
    levels.retain(|level| (LEAST..=LEVEL).contains(&level.len()));
    levels.sort_by_key(|level| std::cmp::Reverse(level.len()));
    let mut best: Option<(usize, Point3<f64>)> = None;
    for level in levels.into_iter().take(HEIGHTS) {
        let mut number = 1_usize;
        let mut any = || {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            level[(number >> 33) % level.len()].0
        };
        for _ in 0..TRIES {
            let Some((middle, r)) = circle([any(), any(), any()].map(|p| p.xy())) else { continue };
            let on = level.iter().filter(|(p, _)| ((p.xy() - middle).norm() - r).abs() <= near).count();
            if on >= LEAST && best.is_none_or(|(most, _)| on > most) {
                best = Some((on, X_MS * Point3::new(middle.x, middle.y, 0.0)));
            }
        }
    }
    best.map(|(_, place)| place)
}

/// The circle through three points: its middle and radius; none on a line.
fn circle([p, q, r]: [Point2<f64>; 3]) -> Option<(Point2<f64>, f64)> {
    let (u, v) = (q - p, r - p);
    let twice = 2.0 * u.perp(&v);
    let to =
        Vector2::new(v.y * u.norm_squared() - u.y * v.norm_squared(), u.x * v.norm_squared() - v.x * u.norm_squared())
            / twice;
    (to.norm().is_finite() && twice.abs() > 1e-3 * u.norm() * v.norm()).then(|| (p + to, to.norm()))
}

/// The rings of vertices around z of a frame; nothing if a whole is asked for and some vertex is in none.
fn rings(vertices: &[Point3<f64>], X_MS: &Isometry3<f64>, near: f64, extent: Extent) -> Option<Vec<Ring>> {
    let polar = |(q, k): (Point3<f64>, u32)| ([q.x.hypot(q.y), q.z, q.y.atan2(q.x)], k);
    let mut polar: Vec<([f64; 3], u32)> = levels(vertices, X_MS).into_iter().map(polar).collect();
    let mut found = Vec::new();
    for level in polar.chunk_by_mut(|p, q| q.0[1] - p.0[1] <= near) {
        level.sort_by(|p, q| p.0[0].total_cmp(&q.0[0]));
        for ring in level.chunk_by_mut(|p, q| q.0[0] - p.0[0] <= near) {
            let ([r, z, _], vertex) = ring[0];
            // A pole is one vertex, or as many as there are facets around it.
            if r <= near {
                continue;
            }
            ring.sort_by(|p, q| p.0[2].total_cmp(&q.0[2]));
            let gaps = (0..ring.len()).map(|k| (ring[(k + 1) % ring.len()].0[2] - ring[k].0[2]).rem_euclid(TAU));
            match step(gaps.collect(), extent) {
                Some(step) if ring.len() >= LEAST => found.push(Ring { r, z, vertex, step }),
                _ if extent == Extent::Whole => return None,
                _ => {}
            }
        }
    }
    (found.len() >= 2).then_some(found)
}

/// The angle between neighbours of a ring that is an even sample of a circle, or of [`COVERED`] of one.
fn step(mut gaps: Vec<f64>, extent: Extent) -> Option<f64> {
    let apart = TAU / gaps.len() as f64;
    if extent == Extent::Whole {
        return gaps.iter().all(|gap| *gap <= 1.5 * apart).then_some(apart);
    }
    gaps.sort_by(f64::total_cmp);
    let usual = gaps[gaps.len() / 2];
    let covered: f64 = gaps.iter().filter(|gap| **gap <= 1.5 * usual).sum();
    (usual <= TAU / LEAST as f64 && covered >= COVERED * TAU).then_some(usual)
}

/// A mesh turned around z of a frame.
struct Turned<'a> {
    mesh: &'a MeshSurface,
    X_MS: Isometry3<f64>,
    rings: Vec<Ring>,
    extent: Extent,
}

impl Turned<'_> {
    fn near(&self) -> f64 {
        ROUND * self.mesh.diagonal()
    }

    /// The straight parts of the side as rods, the widest first: the wall of a mug, whatever is inside of it; the wall and the
    /// neck of a bottle. None where the mesh is taken by its facets: it lies on one of them.
    fn sides(&self) -> Vec<Curve> {
        if self.mesh.smooth().is_none() {
            return Vec::new();
        }
        let near = self.near();
        let widest = self.rings.iter().map(|ring| ring.r).fold(0.0, f64::max);
        // Rings are sorted by height; a stable sort keeps that among equals.
        let mut rings: Vec<&Ring> = self.rings.iter().collect();
        rings.sort_by(|p, q| q.r.total_cmp(&p.r));
        let mut found = Vec::new();
        for straight in rings.chunk_by_mut(|p, q| p.r - q.r <= near) {
            straight.sort_by(|p, q| p.z.total_cmp(&q.z));
            // Between two rings of a waist there is no facet.
            for run in straight.chunk_by(|low, high| self.extent == Extent::Part || self.is_joined(low, high)) {
                found.extend(self.side(run, widest));
            }
        }
        found
    }

    /// Rings of one radius as a rod, if they are a side of some length that faces outwards.
    fn side(&self, run: &[&Ring], widest: f64) -> Option<Curve> {
        let (low, high) = (run.first()?, run.last()?);
        let half = 0.5 * (high.z - low.z);
        if half < 0.02 * widest {
            return None;
        }
        let edge = self.mesh.fillet_radius().min(0.5 * low.r).min(0.5 * half);
        if edge <= 0.0 || !self.faces_outwards(low, [low.z, high.z], edge) {
            return None;
        }
        // The fillet of an edge takes its part; where the profile bends gently the side is straight up to the ring.
        let [below, above] =
            [(low, -1.0), (high, 1.0)].map(|(ring, end)| if self.bends(ring, end) { edge } else { 0.0 });
        let (from, to) = (low.z + below, high.z - above);
        if self.extent == Extent::Part && !self.is_filled(low, [from, to]) {
            return None;
        }
        let lift = Isometry3::translation(0.0, 0.0, 0.5 * (from + to));
        let path = Path::Rod { half: 0.5 * (to - from), core: low.r - edge, edge };
        Some(Curve { X_BS: self.X_MS * lift, path, part: Part::Side })
    }

    /// Signed distance from the facets of a place around the axis.
    fn distance(&self, r: f64, angle: f64, z: f64) -> f64 {
        let p = self.X_MS * Point3::new(r * angle.cos(), r * angle.sin(), z);
        self.mesh.solid().closest(&p, None).map_or(f64::INFINITY, |found| found.foot.distance)
    }

    /// Whether the body is inside of a ring of places, as at the outer wall of a mug; at the inner wall it is outside of it.
    fn faces_outwards(&self, ring: &Ring, [from, to]: [f64; 2], edge: f64) -> bool {
        let middle = 0.5 * (from + to);
        let outside = |k: &i32| self.distance(ring.r + 0.5 * edge, TAU * f64::from(*k) / 12.0, middle) > 0.0;
        (0..12).filter(outside).count() > 6
    }

    /// Whether all of a side is surface of the body or inside of it: nothing is cut out, whatever stands out.
    fn is_filled(&self, ring: &Ring, [from, to]: [f64; 2]) -> bool {
        const HEIGHTS: i32 = 9;
        const AROUND: i32 = 96;
        // Between vertices facets are chords of the circle.
        let most = ring.r * (1.0 - (0.5 * ring.step).cos()) + self.near();
        let height = |k: i32| from + (to - from) * f64::from(k) / f64::from(HEIGHTS - 1);
        let mut places =
            (0..HEIGHTS).flat_map(|i| (0..AROUND).map(move |k| (height(i), TAU * f64::from(k) / f64::from(AROUND))));
        places.all(|(z, angle)| self.distance(ring.r, angle, z) <= most)
    }

    /// A vertex by its distance from the axis and its height.
    fn place(&self, vertex: u32) -> Vector2<f64> {
        let q = self.X_MS.inverse_transform_point(&self.mesh.solid().mesh().vertices()[vertex as usize]);
        Vector2::new(q.x.hypot(q.y), q.z)
    }

    /// Whether facets join two rings.
    fn is_joined(&self, low: &Ring, high: &Ring) -> bool {
        let on = |v: &u32| (self.place(*v) - Vector2::new(high.r, high.z)).norm() <= 2.0 * self.near();
        self.mesh.neighbours(low.vertex).iter().any(on)
    }

    /// Whether the side has an edge at a ring, or ends there, towards an end of the axis.
    fn bends(&self, ring: &Ring, end: f64) -> bool {
        let here = Vector2::new(ring.r, ring.z);
        let to = self.mesh.neighbours(ring.vertex).iter().map(|&v| self.place(v) - here);
        // The least turn from the way along the axis, among what does not lie along the ring or back down the side.
        let mut turns = to.filter(|to| to.norm() > self.near()).map(|to| to.x.abs().atan2(to.y * end));
        turns.all(|turn| turn >= CREASE)
    }

    /// The ring on which it stands on one end of its axis, as a tube; none where it stands on a flat, a tip or a sharp edge.
    fn ring(&self, end: f64) -> Option<Curve> {
        let near = self.near();
        let lowest = self.rings.iter().max_by(|p, q| (p.z * end).total_cmp(&(q.z * end)))?;
        let place = |v: u32| self.place(v).component_mul(&Vector2::new(1.0, end));
        let here = Vector2::new(lowest.r, lowest.z * end);
        // The profile goes on to either side, away from the end.
        let mut sides = [None::<Vector2<f64>>; 2];
        for &v in self.mesh.neighbours(lowest.vertex) {
            let to = place(v) - here;
            if to.norm() <= near {
                continue;
            }
            if to.y > -near {
                return None;
            }
            sides[usize::from(to.x > 0.0)] = Some(to);
        }
        let [inward, outward] = [sides[0]?, sides[1]?];
        let (short, long) = (inward.norm().min(outward.norm()), inward.norm().max(outward.norm()));
        let turn = (-inward).perp(&outward).atan2((-inward).dot(&outward)).abs();
        if turn > SHARP || long > ALIKE * short {
            return None;
        }
        // The circle through three places: |u||w||u − w|/(2 |u × w|).
        let minor = inward.norm() * outward.norm() * (inward - outward).norm() / (2.0 * inward.perp(&outward).abs());
        if minor.is_nan() || minor >= 0.8 * lowest.r {
            return None;
        }
        let lift = Isometry3::translation(0.0, 0.0, lowest.z - end * minor);
        let path = Path::Tube { major: lowest.r, minor };
        Some(Curve { X_BS: self.X_MS * lift, path, part: Part::End(end) })
    }
}

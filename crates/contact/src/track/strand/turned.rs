//! # Turned: curves of meshes that are bodies of revolution
//!
//! - **in**: a mesh
//! - **out**: the side of its widest straight part as a rod, the rings it stands on as tubes
//! - **not here**: bodies of revolution by their profile ([`carrier`](super::carrier))
//! - **assumes**: nothing of the mesh; what is no body of revolution has no curves here
//! - **start at** [`of_mesh`]
//!
//! Cans, glasses, bottles, bowls come as rings of vertices around an axis, each an even sample of a circle. On such a circle
//! every point of the body is as near to a plane as the next, so that points have no place to be: they wander, and the facets
//! between vertices are an accident of the sampling. The curves go through the vertices, which lie on what was sampled; a ring
//! bends across as the circle through it and the next rings of the profile does.

use super::carrier::{Curve, Part, Path};
use crate::surface::mesh::MeshSurface;
use nalgebra::{Isometry3, Matrix3, Point3, UnitQuaternion, Vector2, Vector3};
use std::f64::consts::TAU;

/// Vertices of a ring are this near to their circle, as a share of the diagonal.
const ROUND: f64 = 1e-5;
/// Fewer vertices make no ring: with 24 a polygon is within 1 % of its circle.
const LEAST: usize = 24;
/// Where a profile turns by more from one segment to the next, it has an edge (rad): 60°.
const SHARP: f64 = 1.05;
/// Neighbouring segments of a profile that was sampled are of like length, by this factor.
const ALIKE: f64 = 4.0;

/// A ring of vertices.
#[derive(Clone, Copy, Debug)]
struct Ring {
    r: f64,
    z: f64,
    /// One of its vertices.
    vertex: u32,
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
    for axis in given.into_iter().chain(own) {
        let turn = UnitQuaternion::rotation_between(&Vector3::z(), &axis)
            .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::x_axis(), 0.5 * TAU));
        let X_MS = Isometry3::from_parts(middle.into(), turn);
        if let Some(rings) = rings(vertices, &X_MS, ROUND * mesh.diagonal()) {
            let body = Turned { mesh, X_MS, rings };
            let ends = [-1.0, 1.0].into_iter().filter_map(|end| body.ring(end));
            return body.side().into_iter().chain(ends).collect();
        }
    }
    Vec::new()
}

/// The rings of vertices around z of a frame; nothing if some vertex is in none.
fn rings(vertices: &[Point3<f64>], X_MS: &Isometry3<f64>, near: f64) -> Option<Vec<Ring>> {
    let polar = |(k, p): (usize, &Point3<f64>)| {
        let q = X_MS.inverse_transform_point(p);
        ([q.x.hypot(q.y), q.z, q.y.atan2(q.x)], k as u32)
    };
    let mut polar: Vec<([f64; 3], u32)> = vertices.iter().enumerate().map(polar).collect();
    polar.sort_by(|p, q| p.0[1].total_cmp(&q.0[1]));
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
            let apart = TAU / ring.len() as f64;
            let gap = |k: usize| (ring[(k + 1) % ring.len()].0[2] - ring[k].0[2]).rem_euclid(TAU);
            if ring.len() < LEAST || (0..ring.len()).any(|k| gap(k) > 1.5 * apart) {
                return None;
            }
            found.push(Ring { r, z, vertex });
        }
    }
    (found.len() >= 2).then_some(found)
}

/// A mesh turned around z of a frame.
struct Turned<'a> {
    mesh: &'a MeshSurface,
    X_MS: Isometry3<f64>,
    rings: Vec<Ring>,
}

impl Turned<'_> {
    fn near(&self) -> f64 {
        ROUND * self.mesh.diagonal()
    }

    /// The side as a rod: the straight part of the profile that is furthest from the axis. None where the mesh is taken by its
    /// facets: it lies on one of them.
    fn side(&self) -> Option<Curve> {
        self.mesh.smooth()?;
        let near = self.near();
        let widest = self.rings.iter().map(|ring| ring.r).fold(0.0, f64::max);
        // Rings are sorted by height.
        let straight: Vec<&Ring> = self.rings.iter().filter(|ring| widest - ring.r <= near).collect();
        let (low, high) = (straight.first()?, straight.last()?);
        let half = 0.5 * (high.z - low.z);
        // A waist between two of the widest rings is no straight part.
        let between = |ring: &&Ring| ring.z > low.z + near && ring.z < high.z - near;
        if half < 0.02 * widest || self.rings.iter().filter(between).any(|ring| widest - ring.r > near) {
            return None;
        }
        let edge = self.mesh.fillet_radius().min(0.5 * widest).min(0.5 * half);
        let lift = Isometry3::translation(0.0, 0.0, 0.5 * (low.z + high.z));
        let path = Path::Rod { half: half - edge, core: widest - edge, edge };
        (edge > 0.0).then_some(Curve { X_BS: self.X_MS * lift, path, part: Part::Side })
    }

    /// The ring on which it stands on one end of its axis, as a tube; none where it stands on a flat, a tip or a sharp edge.
    fn ring(&self, end: f64) -> Option<Curve> {
        let near = self.near();
        let lowest = self.rings.iter().max_by(|p, q| (p.z * end).total_cmp(&(q.z * end)))?;
        let place = |v: u32| {
            let q = self.X_MS.inverse_transform_point(&self.mesh.solid().mesh().vertices()[v as usize]);
            Vector2::new(q.x.hypot(q.y), q.z * end)
        };
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

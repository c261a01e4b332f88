//! # Local fit: curvature of a mesh at one point, paper B's way
//!
//! point, radius ──▶ **here** ──(class, normal, k1, k2, dir1)──▶ pressure patch
//!
//! - **in**: a mesh, a point on or near it (m), optionally a radius (m)
//! - **out**: [`LocalFit`]: what the place looks like (smooth, flat, edge, …), normal, principal curvatures (1/m)
//! - **not here**: a surface to move on ([`smooth`](super::smooth)): a fit that follows the contact is not one surface
//!   and does not conserve energy
//! - **assumes**: a contact with something flat; for two bodies add the shape operators first and classify the sum
//! - **start at** [`FitMesh::new`], then [`FitMesh::at`]
//!
//! ```text
//! three terms (Ciocarlie, §4.1, eq. 7):  z = A x² + B y² + C xy
//! six terms (default):                   z = A x² + B y² + C xy + D x + E y + G
//! ```
//!
//! in the frame of the facet, weights exp(−d²/r²). A point of a mesh lies a sagitta below the surface and the facet is
//! tilted against it; three terms put both into the curvature (24 % too much on a sphere when r is 1.4 edges, six
//! terms: 0.3 %). Six terms want a small r; with large r or noisy vertices three are as good or better.
//!
//! Departures: a fine mesh of a sphere also has all normals within 2° around a point. The place is called flat only
//! if the fitted rise over r does not stand out from the residual.

use super::smooth::{condition, frame, solve, triangulate};
use super::topology::Topology;
use super::{Bvh, closest_on_triangle};
use crate::surface::Bounds;
use nalgebra::{Matrix2, Matrix3, Point3, SymmetricEigen, Vector3};

/// Which surface is fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FitTerms {
    /// Curvature, tilt and height.
    Six,
    /// Curvature only, as printed in the paper.
    Three,
}

/// How to fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitOptions {
    /// Radius of the region to start with (m); `None` starts with the facet. It grows until the fit is sound.
    pub radius: Option<f64>,
    /// Terms of the surface.
    pub terms: FitTerms,
    /// Edges that bend by more are edges of the body (rad); 40° by default.
    pub crease_angle: f64,
    /// Normals within this angle may be flat (rad); 2° by default.
    pub flat_angle: f64,
    /// k2/k1 at or below which a contact is line-like; 0.01 by default.
    pub line_ratio: f64,
}

impl Default for FitOptions {
    fn default() -> Self {
        let (crease_angle, flat_angle) = (40.0_f64.to_radians(), 2.0_f64.to_radians());
        Self { radius: None, terms: FitTerms::Six, crease_angle, flat_angle, line_ratio: 0.01 }
    }
}

/// What a place of a mesh looks like to a flat partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FitClass {
    /// Convex in both directions: an elliptic patch.
    Smooth,
    /// No curvature.
    Flat,
    /// An edge of the body within the radius: nothing is fitted.
    Edge,
    /// Convex in one direction, straight or hollow in the other.
    LineLike,
    /// Convex in no direction.
    Conforming,
}

/// A local fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalFit {
    /// What the place looks like.
    pub class: FitClass,
    /// The point of the mesh closest to the given one (m).
    pub point: Point3<f64>,
    /// Unit outward normal: of the fitted surface, of the facet for three terms and edges.
    pub normal: Vector3<f64>,
    /// Larger principal curvature, positive for convex (1/m); absent at an edge.
    pub k1: Option<f64>,
    /// Smaller principal curvature (1/m); absent at an edge.
    pub k2: Option<f64>,
    /// Unit direction of k1; absent at an edge.
    pub dir1: Option<Vector3<f64>>,
    /// Radius used (m).
    pub radius: f64,
    /// Vertices used.
    pub vertices: usize,
    /// Standard deviation of those vertices about the surface (m); absent at an edge.
    pub std: Option<f64>,
    /// Condition number of the scaled columns; absent where nothing was fitted.
    pub condition: Option<f64>,
}

/// Why there is no fit.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// The mesh has no facet with an area.
    #[error("the mesh has no facet with an area")]
    NoFacets,
    /// The point is not finite, or the radius not positive.
    #[error("point and radius must be finite and the radius positive, got ({x}, {y}, {z}) m and {radius} m")]
    BadInput {
        /// The x coordinate (m).
        x: f64,
        /// The y coordinate (m).
        y: f64,
        /// The z coordinate (m).
        z: f64,
        /// The radius (m).
        radius: f64,
    },
    /// The mesh around the point has too few vertices, or they lie on a conic.
    #[error("a fit needs {needed} vertices in general position around the point, got {got} within {radius} m")]
    TooFew {
        /// Vertices asked for.
        needed: usize,
        /// Vertices found.
        got: usize,
        /// Radius reached (m).
        radius: f64,
    },
}

/// Vertices below which the region grows.
const ENOUGH: usize = 10;
/// Condition above which the region grows: 9 to 13 vertices of a grid can lie on a conic, and the fit is then wrong
/// without a sign of it.
const WORST_CONDITION: f64 = 30.0;
/// Growth of the radius. The least sound radius is the best one for six terms; with steps of a fifth it was
/// overshot, and errors on an ellipsoid of 1280 facets were 7.3 %.
const GROWTH: f64 = 1.05;

/// The part of a mesh around a point.
struct Region {
    /// Offsets of the vertices within the radius, in the frame of the facet (m).
    offsets: Vec<Vector3<f64>>,
    /// Largest angle between a facet and the first (rad).
    turn: f64,
    /// Distance to the nearest edge of the body among the facets seen, if within the radius (m).
    crease: Option<f64>,
    /// Facets seen.
    facets: usize,
    /// Their vertices.
    reachable: usize,
}

/// A mesh made ready for many fits.
#[derive(Clone, Debug)]
pub struct FitMesh<'a> {
    vertices: &'a [Point3<f64>],
    faces: &'a [[u32; 3]],
    topology: Topology,
    /// A tree over the facets with an area, if there are any.
    bvh: Option<Bvh>,
    /// Numbers of the facets with an area.
    numbers: Vec<u32>,
}

impl<'a> FitMesh<'a> {
    /// Makes the mesh with these vertices (m) and facets ready; indices must be in range.
    pub fn new(vertices: &'a [Point3<f64>], faces: &'a [[u32; 3]]) -> Self {
        let topology = Topology::new(vertices, faces);
        let has_area = |k: &u32| topology.face_normals[*k as usize].norm_squared() > 0.5;
        let numbers: Vec<u32> = (0..faces.len() as u32).filter(has_area).collect();
        let usable: Vec<[u32; 3]> = numbers.iter().map(|&k| faces[k as usize]).collect();
        let bvh = (!usable.is_empty()).then(|| Bvh::new(vertices, &usable));
        Self { vertices, faces, topology, bvh, numbers }
    }

    /// Fits the mesh around the point closest to `point` (m).
    pub fn at(&self, point: &Point3<f64>, options: &FitOptions) -> Result<LocalFit, FitError> {
        fit_at(self, point, options)
    }

    /// The facet closest to a point, the first of equally close ones, and its closest point; facets without area are
    /// left out.
    fn closest_facet(&self, point: &Point3<f64>) -> Option<(u32, Point3<f64>)> {
        let bvh = self.bvh.as_ref()?;
        let near = bvh.closest(self.vertices, point, f64::INFINITY, None)?;
        // The tree answers with any of equally close facets (a vertex has six), and all of them are within this box.
        let reach = near.distance_squared.sqrt() * (1.0 + 1e-9) + 1e-12 * point.coords.amax();
        let bounds = Bounds { min: point.map(|x| x - reach), max: point.map(|x| x + reach) };
        let mut best: Option<(f64, u32, Point3<f64>)> = None;
        bvh.overlapping(self.vertices, &bounds, |facet| {
            let number = self.numbers[facet as usize];
            let corners = self.faces[number as usize].map(|v| self.vertices[v as usize]);
            let p = closest_on_triangle(point, &corners).0;
            let distance = (p - point).norm_squared();
            if best.is_none_or(|b| (distance, number) < (b.0, b.1)) {
                best = Some((distance, number, p));
            }
        });
        best.map(|b| (b.1, b.2))
    }
}

fn fit_at(mesh: &FitMesh, point: &Point3<f64>, options: &FitOptions) -> Result<LocalFit, FitError> {
    let FitMesh { vertices, faces, topology, .. } = mesh;
    let given = options.radius.unwrap_or(1.0);
    if !(point.iter().all(|x| x.is_finite()) && given.is_finite() && given > 0.0) {
        return Err(FitError::BadInput { x: point.x, y: point.y, z: point.z, radius: given });
    }
    let (facet, p) = mesh.closest_facet(point).ok_or(FitError::NoFacets)?;
    let place = Place { vertices, faces, topology, facet, p, options };
    let corner = |&v: &u32| (vertices[v as usize] - p).norm();
    let mut radius = options.radius.unwrap_or_else(|| faces[facet as usize].iter().map(corner).fold(0.0, f64::max));
    let mut last = 0;
    loop {
        let region = place.region(radius);
        let plane = region.turn < 1e-6;
        match region.crease {
            // With a free choice of radius, a flat side is flat up to its border.
            Some(distance) if plane && options.radius.is_none() && distance > 1e-3 * radius => {
                return Ok(place.flat(&place.region(distance), distance));
            }
            Some(_) => return Ok(place.edge(&region, radius)),
            None if plane && region.facets > 1 => return Ok(place.flat(&region, radius)),
            None => {}
        }
        // A single facet says nothing about its surroundings, unless the caller asked about less than a facet.
        if region.facets == 1 && plane && options.radius.is_some() {
            return Ok(place.flat(&region, radius));
        }
        if region.offsets.len() >= ENOUGH
            && let Some(fit) = place.fit(&region, radius)
        {
            return Ok(fit);
        }
        // Nothing left to grow into: all facets within reach are seen, with all their vertices.
        if region.facets == last && region.offsets.len() == region.reachable {
            return Err(FitError::TooFew { needed: ENOUGH, got: region.offsets.len(), radius });
        }
        last = region.facets;
        radius *= GROWTH;
    }
}

struct Place<'a> {
    vertices: &'a [Point3<f64>],
    faces: &'a [[u32; 3]],
    topology: &'a Topology,
    facet: u32,
    p: Point3<f64>,
    options: &'a FitOptions,
}

impl Place<'_> {
    fn normal(&self) -> Vector3<f64> {
        self.topology.face_normals[self.facet as usize]
    }

    /// Facets within `radius` that are reached across smooth edges and do not face away.
    fn region(&self, radius: f64) -> Region {
        let n = self.normal();
        let mut seen = vec![self.facet];
        let mut known = std::collections::HashSet::from([self.facet]);
        let (mut turn, mut crease) = (0.0_f64, None::<f64>);
        let mut next = 0;
        while next < seen.len() {
            let f = seen[next] as usize;
            next += 1;
            let m = self.topology.face_normals[f];
            turn = turn.max(n.cross(&m).norm().atan2(n.dot(&m)));
            for &e in &self.topology.face_edges[f] {
                let edge = &self.topology.edges[e as usize];
                let [a, b] = edge.ends.map(|v| self.vertices[v as usize]);
                let distance = to_segment(&self.p, &a, &b);
                if distance >= radius {
                    continue;
                }
                if edge.bend.abs() > self.options.crease_angle {
                    crease = Some(crease.map_or(distance, |c| c.min(distance)));
                    continue;
                }
                for &g in self.topology.edge_faces.row(e) {
                    let faces_away = n.dot(&self.topology.face_normals[g as usize]) <= 0.0;
                    if !faces_away && known.insert(g) {
                        seen.push(g);
                    }
                }
            }
        }
        let mut used: Vec<u32> = seen.iter().flat_map(|&f| self.faces[f as usize]).collect();
        used.sort_unstable();
        used.dedup();
        let axes = frame(&n);
        let offset = |v: u32| axes.tr_mul(&(self.vertices[v as usize] - self.p));
        let reachable = used.len();
        let offsets = used.into_iter().map(offset).filter(|d| d.norm() < radius).collect();
        Region { offsets, turn, crease, facets: seen.len(), reachable }
    }

    fn edge(&self, region: &Region, radius: f64) -> LocalFit {
        LocalFit {
            class: FitClass::Edge,
            point: self.p,
            normal: self.normal(),
            k1: None,
            k2: None,
            dir1: None,
            radius,
            vertices: region.offsets.len(),
            std: None,
            condition: None,
        }
    }

    fn flat(&self, region: &Region, radius: f64) -> LocalFit {
        let heights = region.offsets.iter().map(|d| d.z * d.z).sum::<f64>();
        let std = (heights / region.offsets.len().max(1) as f64).sqrt();
        let dir1 = frame(&self.normal()).column(0).into();
        LocalFit {
            class: FitClass::Flat,
            k1: Some(0.0),
            k2: Some(0.0),
            dir1: Some(dir1),
            std: Some(std),
            ..self.edge(region, radius)
        }
    }

    /// The least-squares surface; `None` if the vertices do not determine it.
    fn fit(&self, region: &Region, radius: f64) -> Option<LocalFit> {
        let terms = if self.options.terms == FitTerms::Six { 6 } else { 3 };
        let columns = |d: &Vector3<f64>| {
            let (x, y, z) = (d.x / radius, d.y / radius, d.z / radius);
            [x * x, y * y, x * y, x, y, 1.0, z]
        };
        // Rows carry √w, so that squares carry w = exp(−d²/r²).
        let weight = |d: &Vector3<f64>| (-0.5 * d.norm_squared() / (radius * radius)).exp();
        let mut rows: Vec<[f64; 7]> = region.offsets.iter().map(|d| columns(d).map(|c| c * weight(d))).collect();
        let triangle = triangulate(&mut rows);
        let condition = condition(&triangle, terms);
        if condition.is_nan() || condition > WORST_CONDITION {
            return None;
        }
        let c = solve(&triangle, terms, &[0.0; 7]).0;
        let residual = |d: &Vector3<f64>| {
            let q = columns(d);
            (q[6] - (0..terms).map(|k| c[k] * q[k]).sum::<f64>()).powi(2)
        };
        let count = region.offsets.len();
        let std = (region.offsets.iter().map(residual).sum::<f64>() / count as f64).sqrt() * radius;
        Some(self.classify(&c, region, radius, std, condition))
    }

    /// Shape operator I⁻¹ II of the height function at the point, II = [[2A, C], [C, 2B]]/√(1 + D² + E²).
    fn classify(&self, c: &[f64; 7], region: &Region, radius: f64, std: f64, condition: f64) -> LocalFit {
        let axes = frame(&self.normal());
        let w = (1.0 + c[3] * c[3] + c[4] * c[4]).sqrt();
        let normal = axes * Vector3::new(-c[3], -c[4], 1.0) / w;
        // The 3 × 3 form P diag(−Hess, 0) P/w is symmetric and needs no inverse of I.
        let hess = Matrix2::new(2.0 * c[0], c[2], c[2], 2.0 * c[1]) / (-w * radius);
        let mut H = Matrix3::zeros();
        H.fixed_view_mut::<2, 2>(0, 0).copy_from(&hess);
        let local = axes.tr_mul(&normal);
        let P = Matrix3::identity() - local * local.transpose();
        let tangent = frame(&local);
        let E = tangent.fixed_columns::<2>(0);
        let eigen = SymmetricEigen::new(E.transpose() * (P * H * P) * E);
        let large = if eigen.eigenvalues[0] >= eigen.eigenvalues[1] { 0 } else { 1 };
        let (k1, k2) = (eigen.eigenvalues[large], eigen.eigenvalues[1 - large]);
        let dir1 = axes * (E * eigen.eigenvectors.column(large));
        let rise = 0.5 * k1.abs().max(k2.abs()) * radius * radius;
        let class = if region.turn <= self.options.flat_angle && rise <= (3.0 * std).max(1e-6 * radius) {
            return LocalFit { condition: Some(condition), ..self.flat(region, radius) };
        } else if k1 <= 0.0 {
            FitClass::Conforming
        } else if k2 <= self.options.line_ratio * k1 {
            FitClass::LineLike
        } else {
            FitClass::Smooth
        };
        LocalFit {
            class,
            point: self.p,
            normal,
            k1: Some(k1),
            k2: Some(k2),
            dir1: Some(dir1),
            radius,
            vertices: region.offsets.len(),
            std: Some(std),
            condition: Some(condition),
        }
    }
}

fn to_segment(p: &Point3<f64>, a: &Point3<f64>, b: &Point3<f64>) -> f64 {
    let d = b - a;
    let t = ((p - a).dot(&d) / d.norm_squared()).clamp(0.0, 1.0);
    (p - (a + d * t)).norm()
}

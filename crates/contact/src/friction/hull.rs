//! # Hull: points on the unit sphere and the facets of their convex hull
//!
//! - **in**: how many points and in which pattern
//! - **out**: points, facets n·x ≤ d, inradius
//! - **start at** [`SphereSampling::rings`], [`SphereSampling::fibonacci`]

use nalgebra::Vector3;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// One facet: n·x ≤ d with a unit normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facet {
    /// Unit normal, outward.
    pub normal: Vector3<f64>,
    /// Distance from the middle, positive.
    pub distance: f64,
}

/// Points on the unit sphere whose hull holds its middle.
#[derive(Clone, Debug, PartialEq)]
pub struct SphereSampling {
    points: Vec<Vector3<f64>>,
    facets: Vec<Facet>,
}

impl SphereSampling {
    /// Rings of `around` points at the latitudes ±j·90°/`up`, j = 0 … up − 1, and the two poles:
    /// around (2 up − 1) + 2 points. 8 × 3 has 42, 12 × 4 has 86.
    ///
    /// Sliding along the sampled directions and pure spin are exact. `around` ≥ 3 (even numbers make the set symmetric),
    /// `up` ≥ 1; smaller numbers count as these.
    pub fn rings(around: usize, up: usize) -> Self {
        let (around, up) = (around.max(3), up.max(1));
        let mut points = vec![Vector3::z(), -Vector3::z()];
        let top = up as isize - 1;
        for ring in -top..=top {
            let (height, reach) = (FRAC_PI_2 * ring as f64 / up as f64).sin_cos();
            points.extend((0..around).map(|i| {
                let (sin, cos) = (TAU * i as f64 / around as f64).sin_cos();
                Vector3::new(reach * cos, reach * sin, height)
            }));
        }
        Self::of(points)
    }

    /// Points on a spiral of the golden angle, heights 1 − (2i + 1)/u: u ≥ 4 points, smaller numbers count as 4.
    ///
    /// About one point in a hundred better than rings at equal u, but no direction is exact and the set is not symmetric.
    pub fn fibonacci(u: usize) -> Self {
        let u = u.max(4);
        let golden = PI * (3.0 - 5f64.sqrt());
        Self::of(
            (0..u)
                .map(|i| {
                    let z = 1.0 - (2 * i + 1) as f64 / u as f64;
                    let (sin, cos) = (golden * i as f64).sin_cos();
                    let reach = (1.0 - z * z).sqrt();
                    Vector3::new(reach * cos, reach * sin, z)
                })
                .collect(),
        )
    }

    fn of(points: Vec<Vector3<f64>>) -> Self {
        let facets = facets(&points);
        Self { points, facets }
    }

    /// The points.
    pub fn points(&self) -> &[Vector3<f64>] {
        &self.points
    }

    /// The facets of the hull.
    pub fn facets(&self) -> &[Facet] {
        &self.facets
    }

    /// Radius of the largest ball about the middle inside the hull.
    pub fn inradius(&self) -> f64 {
        self.facets.iter().map(|f| f.distance).fold(1.0, f64::min)
    }

    /// Largest share by which the hull falls short of the sphere: 1 − inradius, 3.6/u to 4.5/u for u ≥ 20.
    pub fn inner_error(&self) -> f64 {
        1.0 - self.inradius()
    }
}

/// Points nearer to a plane than this lie on it; rings make flat facets of four and more points.
const FLAT: f64 = 1e-9;

/// Gift wrapping (Chand-Kapur): from one facet across each of its edges to the next. All points are vertices.
fn facets(points: &[Vector3<f64>]) -> Vec<Facet> {
    let mut found: Vec<Facet> = Vec::new();
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut done = std::collections::BTreeSet::new();
    let Some(first) = first_edge(points) else { return found };
    open.push(first);
    while let Some((i, j)) = open.pop() {
        if !done.insert((i, j)) {
            continue;
        }
        let Some(normal) = wrap(points, i, j) else { continue };
        let distance = normal.dot(&points[i]);
        let corners = corners(points, &normal, distance);
        for (k, &from) in corners.iter().enumerate() {
            let to = corners[(k + 1) % corners.len()];
            done.insert((from, to));
            // The neighbour runs along the same edge the other way.
            if !done.contains(&(to, from)) {
                open.push((to, from));
            }
        }
        found.push(Facet { normal, distance });
    }
    found
}

/// The outward normal of the facet to the left of the edge i → j: no point lies beyond it.
fn wrap(points: &[Vector3<f64>], i: usize, j: usize) -> Option<Vector3<f64>> {
    let edge = points[j] - points[i];
    let mut best: Option<Vector3<f64>> = None;
    for (k, p) in points.iter().enumerate() {
        if k == i || k == j {
            continue;
        }
        let Some(normal) = edge.cross(&(p - points[i])).try_normalize(1e-12) else { continue };
        if best.is_none_or(|b: Vector3<f64>| b.dot(&(p - points[i])) > FLAT) {
            best = Some(normal);
        }
    }
    best
}

/// An edge of the hull: from a point to the one that makes a facet with some third point.
fn first_edge(points: &[Vector3<f64>]) -> Option<(usize, usize)> {
    // The nearest neighbour of a point on a sphere always shares an edge with it (Delaunay).
    let from = points.first()?;
    let near = |k: &usize| (points[*k] - from).norm_squared();
    (1..points.len()).min_by(|a, b| near(a).total_cmp(&near(b))).map(|k| (0, k))
}

/// The points on a facet, counter-clockwise seen from outside.
fn corners(points: &[Vector3<f64>], normal: &Vector3<f64>, distance: f64) -> Vec<usize> {
    let mut on: Vec<usize> = (0..points.len()).filter(|&k| (normal.dot(&points[k]) - distance).abs() <= FLAT).collect();
    let middle = on.iter().map(|&k| points[k]).sum::<Vector3<f64>>() / on.len() as f64;
    let right = on.first().map_or_else(Vector3::zeros, |&k| points[k] - middle);
    let up = normal.cross(&right);
    let angle = |k: &usize| (points[*k] - middle).dot(&up).atan2((points[*k] - middle).dot(&right));
    on.sort_by(|a, b| angle(a).total_cmp(&angle(b)));
    on
}

//! # Polygon: a convex region of the tangent plane, kept without the heap
//!
//! - **in**: up to 32 vertices (m)
//! - **out**: area integrals of cubic polynomials, cuts by a line
//! - **start at** [`Polygon::new`]

use super::flat::FlatError;
use nalgebra::Vector2;

/// Most vertices a polygon may be made with.
pub const MOST_VERTICES: usize = 32;

/// A convex polygon, counter-clockwise. A cut may add one vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Polygon {
    vertices: [Vector2<f64>; MOST_VERTICES + 1],
    count: usize,
}

impl Polygon {
    /// Checks that the vertices are finite, convex and not all on a line; either sense of turning.
    pub fn new(vertices: &[Vector2<f64>]) -> Result<Self, FlatError> {
        let n = vertices.len();
        if !(3..=MOST_VERTICES).contains(&n) {
            return Err(FlatError::Vertices { given: n });
        }
        let mut polygon = Self { vertices: [Vector2::zeros(); MOST_VERTICES + 1], count: n };
        polygon.vertices[..n].copy_from_slice(vertices);
        let doubled: f64 = (0..n).map(|i| vertices[i].perp(&vertices[(i + 1) % n])).sum();
        if doubled < 0.0 {
            polygon.vertices[..n].reverse();
        }
        let size2 = vertices.iter().map(|v| (v - vertices[0]).norm_squared()).fold(0.0, f64::max);
        if !(doubled.abs() > 1e-12 * size2 && doubled.is_finite()) {
            return Err(FlatError::NoArea);
        }
        let mut turned = 0.0;
        for i in 0..n {
            let p = |k: usize| polygon.vertices[(i + k) % n];
            let (u, v) = (p(1) - p(0), p(2) - p(1));
            // Straight corners are allowed, to rounding of the coordinates.
            if u.perp(&v) < -1e-12 * size2 {
                return Err(FlatError::NotConvex { vertex: (i + 1) % n });
            }
            turned += u.perp(&v).atan2(u.dot(&v));
        }
        // A star turns left at every corner too, but more than once around.
        if turned > 1.5 * std::f64::consts::TAU {
            return Err(FlatError::NotConvex { vertex: 0 });
        }
        Ok(polygon)
    }

    /// The vertices, counter-clockwise (m).
    pub fn vertices(&self) -> &[Vector2<f64>] {
        &self.vertices[..self.count]
    }

    /// The same polygon about another origin and in another unit: (r − origin) · scale.
    pub(super) fn moved(&self, origin: &Vector2<f64>, scale: f64) -> Self {
        let mut moved = *self;
        for v in &mut moved.vertices[..self.count] {
            *v = (*v - origin) * scale;
        }
        moved
    }

    /// Edges as pairs of ends.
    pub(super) fn edges(&self) -> impl Iterator<Item = (Vector2<f64>, Vector2<f64>)> + '_ {
        (0..self.count).map(|i| (self.vertices[i], self.vertices[(i + 1) % self.count]))
    }

    /// Distance (m) of a point into the polygon: to the nearest edge line, negative outside.
    pub fn depth(&self, point: &Vector2<f64>) -> f64 {
        self.edges()
            .filter(|(p, q)| p != q)
            .map(|(p, q)| (q - p).perp(&(point - p)) / (q - p).norm())
            .fold(f64::INFINITY, f64::min)
    }

    /// ∬ f dA, exact for polynomials of degree three.
    ///
    /// Triangles about the first vertex, each with the four points of (Strang-Fix): the centroid with −9/16 and three with
    /// 25/48.
    pub(super) fn integrate<const N: usize>(&self, f: impl Fn(&Vector2<f64>) -> [f64; N]) -> [f64; N] {
        let mut sum = [0.0; N];
        let o = self.vertices[0];
        for i in 1..self.count.saturating_sub(1) {
            let (p, q) = (self.vertices[i], self.vertices[i + 1]);
            let area = 0.5 * (p - o).perp(&(q - o));
            let mut add = |point: Vector2<f64>, weight: f64| {
                for (s, v) in sum.iter_mut().zip(f(&point)) {
                    *s += area * weight * v;
                }
            };
            add((o + p + q) / 3.0, -9.0 / 16.0);
            for (r, s, t) in [(o, p, q), (p, q, o), (q, o, p)] {
                add(r * 0.6 + s * 0.2 + t * 0.2, 25.0 / 48.0);
            }
        }
        sum
    }

    /// The part where a + g·r ≥ 0, if it has any area (Sutherland-Hodgman, one line).
    pub(super) fn cut(&self, a: f64, g: &Vector2<f64>) -> Option<Self> {
        let mut kept = Self { vertices: [Vector2::zeros(); MOST_VERTICES + 1], count: 0 };
        let mut push = |v: Vector2<f64>| {
            if kept.count <= MOST_VERTICES {
                kept.vertices[kept.count] = v;
                kept.count += 1;
            }
        };
        for (p, q) in self.edges() {
            let (at_p, at_q) = (a + g.dot(&p), a + g.dot(&q));
            if at_p >= 0.0 {
                push(p);
            }
            if (at_p > 0.0 && at_q < 0.0) || (at_p < 0.0 && at_q > 0.0) {
                push(p + (q - p) * (at_p / (at_p - at_q)));
            }
        }
        if kept.count >= 3 { Some(kept) } else { None }
    }
}

//! # Polytope: a convex hull in six dimensions that grows by support points
//!
//! support points ──▶ **here** ──(facets with distance and neighbours)──▶ `epsilon`, `volume`
//!
//! - **in**: points of a convex set, one at a time
//! - **out**: facets of their hull: unit normal, distance from the origin, neighbours
//! - **not here**: which point comes next (`epsilon`, `volume`)
//! - **assumes**: the set holds the origin, so that points drawn towards it by up to 1e-7 of themselves stay in the set
//! - **start at** [`Polytope::simplex`], then [`Polytope::add`]
//!
//! A new facet joins the new point p to a ridge between a facet that sees p and one that does not. Its plane lies in the
//! pencil of those two, so that its normal is a sum of theirs with positive weights, with no determinant and no
//! cancellation:
//!
//! ```text
//! n = a n_hidden + b n_seen,   a = n_seen·p − d_seen > 0,   b = d_hidden − n_hidden·p ≥ 0
//! ```

use nalgebra::{Matrix6, Vector6};

/// Largest share by which points are drawn in.
///
/// The unit loads of one contact span three dimensions only. Exact points would put many of them into one facet; drawn
/// in by shares that differ, they stand apart by far more than rounding.
const DRAWN: f64 = 1e-7;

/// No facet.
const NONE: u32 = u32::MAX;

/// A facet: six vertices in rising order, the neighbour opposite each.
#[derive(Clone, Copy, Debug)]
pub struct Facet {
    pub vertices: [u32; 6],
    pub neighbours: [u32; 6],
    pub normal: Vector6<f64>,
    /// Distance of its plane from the origin, negative where the origin is outside.
    pub distance: f64,
    pub alive: bool,
}

/// The hull.
#[derive(Clone, Debug)]
pub struct Polytope {
    pub points: Vec<Vector6<f64>>,
    pub facets: Vec<Facet>,
    /// Facets that the last point made.
    pub fresh: Vec<u32>,
    seen: Vec<u32>,
    /// Mark of each facet: the number of the point that saw it.
    marks: Vec<u32>,
    table: Vec<(u64, u32)>,
    /// Distance below which a point is on a plane.
    touch: f64,
}

impl Polytope {
    /// The first simplex, of points asked for one by one; none where the set is flat.
    pub fn simplex(mut support: impl FnMut(&Vector6<f64>) -> Vector6<f64>) -> Option<Self> {
        let first = Vector6::new(0.61, -0.23, 0.37, 0.41, -0.17, 0.49).normalize();
        let mut points = vec![support(&first)];
        let mut basis: Vec<Vector6<f64>> = Vec::new();
        let mut size: f64 = points[0].norm();
        for k in 0..6 {
            // A direction across what the points span, and the end of the set that is farther along it.
            let mut across = Vector6::from_fn(|i, _| ((1 + i + 7 * k) as f64 * 1.618).sin());
            for _ in 0..2 {
                basis.iter().for_each(|b| across -= b * b.dot(&across));
            }
            let across = across.normalize();
            let ends = [support(&across), support(&-across)];
            let reach = ends.map(|p| across.dot(&(p - points[0])).abs());
            let point = if reach[0] >= reach[1] { ends[0] } else { ends[1] };
            size = size.max(point.norm());
            let mut edge = point - points[0];
            basis.iter().for_each(|b| edge -= b * b.dot(&edge));
            if edge.norm() <= 1e-10 * size {
                return None;
            }
            basis.push(edge.normalize());
            points.push(point);
        }
        let mut hull = Self {
            points,
            facets: Vec::new(),
            fresh: Vec::new(),
            seen: Vec::new(),
            marks: Vec::new(),
            table: Vec::new(),
            touch: 1e-13 * size,
        };
        for apex in 0..7u32 {
            let vertices: Vec<u32> = (0..7).filter(|v| *v != apex).collect();
            let vertices: [u32; 6] = vertices.try_into().ok()?;
            let at = |k: usize| hull.points[vertices[k] as usize];
            let mut across = hull.points[apex as usize] - at(0);
            let mut plane: Vec<Vector6<f64>> = Vec::new();
            for k in 1..6 {
                let mut edge = at(k) - at(0);
                for _ in 0..2 {
                    plane.iter().for_each(|b| edge -= b * b.dot(&edge));
                }
                plane.push(edge.normalize());
            }
            for _ in 0..2 {
                plane.iter().for_each(|b| across -= b * b.dot(&across));
            }
            let normal = -across.normalize();
            let distance = normal.dot(&at(0));
            // Opposite vertex v lies the facet that lacks v.
            hull.facets.push(Facet { vertices, neighbours: vertices, normal, distance, alive: true });
        }
        hull.marks = vec![NONE; 7];
        hull.fresh = (0..7).collect();
        Some(hull)
    }

    /// Adds a point that facet `from` sees; false where rounding leaves no clean horizon (the hull is unchanged).
    pub fn add(&mut self, point: Vector6<f64>, from: u32) -> bool {
        let mark = self.points.len() as u32;
        let chance = f64::from(mark.wrapping_mul(2_654_435_761) >> 8) / f64::from(1u32 << 24);
        let point = point * (1.0 - DRAWN * chance);
        let above = |f: &Facet| f.normal.dot(&point) - f.distance;
        if above(&self.facets[from as usize]) <= self.touch {
            return false;
        }
        self.fresh.clear();
        self.seen.clear();
        self.seen.push(from);
        self.marks[from as usize] = mark;
        let begin = self.facets.len() as u32;
        let mut k = 0;
        while k < self.seen.len() {
            let own = self.seen[k];
            k += 1;
            let facet = self.facets[own as usize];
            let a = above(&facet);
            for slot in 0..6 {
                let other = facet.neighbours[slot];
                if self.marks[other as usize] == mark {
                    continue;
                }
                let hidden = self.facets[other as usize];
                let b = above(&hidden);
                if b > self.touch {
                    self.marks[other as usize] = mark;
                    self.seen.push(other);
                    continue;
                }
                // A ridge of the horizon.
                let normal = hidden.normal * a - facet.normal * b.min(0.0);
                let length = normal.norm();
                let distance = (hidden.distance * a - facet.distance * b.min(0.0)) / length;
                let (mut vertices, mut neighbours) = ([mark; 6], [NONE; 6]);
                for (place, v) in (0..6).filter(|v| *v != slot).enumerate() {
                    vertices[place] = facet.vertices[v];
                }
                neighbours[5] = other;
                self.facets.push(Facet { vertices, neighbours, normal: normal / length, distance, alive: true });
                self.marks.push(NONE);
                self.fresh.push(self.facets.len() as u32 - 1);
            }
        }
        if !self.link(begin) {
            self.facets.truncate(begin as usize);
            self.marks.truncate(begin as usize);
            self.seen.iter().for_each(|f| self.marks[*f as usize] = NONE);
            return false;
        }
        self.points.push(point);
        for k in 0..self.seen.len() {
            self.facets[self.seen[k] as usize].alive = false;
        }
        for f in begin..self.facets.len() as u32 {
            let fresh = self.facets[f as usize];
            let other = fresh.neighbours[5];
            // In the hidden facet the slot of the seen one: the vertex that is not on the shared ridge.
            let hidden = &mut self.facets[other as usize];
            let slot = (0..6).find(|s| !fresh.vertices[..5].contains(&hidden.vertices[*s]));
            if let Some(slot) = slot {
                hidden.neighbours[slot] = f;
            }
        }
        true
    }

    /// Neighbours among the new facets: two share all but one vertex of their ridges.
    fn link(&mut self, begin: u32) -> bool {
        let count = self.facets.len() - begin as usize;
        let size = (16 * count).next_power_of_two();
        self.table.clear();
        self.table.resize(size, (u64::MAX, 0));
        let mut open = 0usize;
        for f in begin..self.facets.len() as u32 {
            let vertices = self.facets[f as usize].vertices;
            for slot in 0..5 {
                // 16 bits a vertex: up to 65,535 points.
                let mut key = 0u64;
                for v in (0..5).filter(|v| *v != slot) {
                    key = key << 16 | u64::from(vertices[v]);
                }
                let mut place = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & (size - 1);
                loop {
                    let (found, other) = self.table[place];
                    if found == u64::MAX {
                        self.table[place] = (key, f * 8 + slot as u32);
                        open += 1;
                        break;
                    }
                    if found == key {
                        let (g, there) = (other / 8, (other % 8) as usize);
                        if self.facets[g as usize].neighbours[there] != NONE {
                            return false;
                        }
                        self.facets[g as usize].neighbours[there] = f;
                        self.facets[f as usize].neighbours[slot] = g;
                        open -= 1;
                        break;
                    }
                    place = (place + 1) & (size - 1);
                }
            }
        }
        open == 0
    }

    /// Facets that the last point did away with.
    pub fn removed(&self) -> &[u32] {
        &self.seen
    }

    /// Six times five times four … of the volume between a facet and the origin: its determinant.
    pub fn determinant(&self, facet: &Facet) -> f64 {
        let mut m = Matrix6::zeros();
        for (k, v) in facet.vertices.iter().enumerate() {
            m.set_column(k, &self.points[*v as usize]);
        }
        m.determinant().abs()
    }
}

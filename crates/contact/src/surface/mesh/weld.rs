//! # Weld: one vertex where several were stored
//!
//! - **in**: vertices (m) and triangles that may name different vertices at one place
//! - **out**: [`DistinctPoints`]: places without repetition; `join`: which stored vertices become one
//! - **not here**: tolerances; only equal bits are one place, −0.0 and 0.0 being equal
//! - **assumes**: finite coordinates
//! - **start at** [`DistinctPoints::index_of`], then `join`
//!
//! Vertices at one place are joined only where that closes an edge: one triangle on each side, in opposite
//! directions. What is closed as stored stays as it was stored. Joining by place alone would turn scans whose
//! surface touches itself (two of the YCB objects) from watertight into non-manifold.

use nalgebra::Point3;

use super::edges::{NONE, ends};

/// Points without repetition, numbered as they come; equal means equal bits, with −0.0 = 0.0.
#[derive(Clone, Debug, Default)]
pub struct DistinctPoints {
    points: Vec<Point3<f64>>,
    /// Open addressing; `NONE` is free. The length is a power of two, at least 3/2 of the number of points.
    slots: Vec<u32>,
}

impl DistinctPoints {
    /// No points, with room for this many.
    pub fn with_capacity(points: usize) -> Self {
        let slots = vec![NONE; (points + points / 2 + 2).next_power_of_two()];
        Self { points: Vec::with_capacity(points), slots }
    }

    /// The number of this point (m), which is added if it is new.
    ///
    /// # Panics
    /// With more than 2³² − 2 distinct points.
    pub fn index_of(&mut self, p: Point3<f64>) -> u32 {
        if self.slots.len() < self.points.len() + self.points.len() / 2 + 2 {
            self.grow();
        }
        // −0.0 + 0.0 = 0.0; every other number stays.
        let p = p.map(|x| x + 0.0);
        let mask = self.slots.len() - 1;
        let mut slot = hash(&p) & mask;
        loop {
            match self.slots[slot] {
                NONE => {
                    assert!(self.points.len() < NONE as usize, "more points than 32 bits can number");
                    let index = self.points.len() as u32;
                    self.slots[slot] = index;
                    self.points.push(p);
                    return index;
                }
                index if self.points[index as usize] == p => return index,
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The points in the order of their numbers (m).
    pub fn into_points(self) -> Vec<Point3<f64>> {
        self.points
    }

    fn grow(&mut self) {
        self.slots = vec![NONE; (2 * self.slots.len()).max(16)];
        let mask = self.slots.len() - 1;
        for (index, p) in self.points.iter().enumerate() {
            let mut slot = hash(p) & mask;
            while self.slots[slot] != NONE {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = index as u32;
        }
    }
}

/// Multiply and fold, so that the low bits depend on all bits (coordinates often end in zeros).
fn hash(p: &Point3<f64>) -> usize {
    let fold = |h: u64, x: f64| {
        let product = u128::from(h ^ x.to_bits()) * 0x9E37_79B9_7F4A_7C15;
        (product >> 64) as u64 ^ product as u64
    };
    fold(fold(fold(0x243F_6A88_85A3_08D3, p.x), p.y), p.z) as usize
}

/// For every stored vertex the vertex it becomes when half-edges and their partners by place, as far as they are
/// accepted, share their ends.
pub(super) fn join(
    vertices: usize,
    stored: &[[u32; 3]],
    by_place: &[u32],
    accept: impl Fn(usize, usize) -> bool,
) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..vertices as u32).collect();
    for (h, &t) in by_place.iter().enumerate() {
        if t != NONE && (h as u32) < t && accept(h, t as usize) {
            let [start, end] = ends(stored, h as u32);
            let [twin_start, twin_end] = ends(stored, t);
            unite(&mut parent, start, twin_end);
            unite(&mut parent, end, twin_start);
        }
    }
    (0..vertices as u32).map(|v| root(&mut parent, v)).collect()
}

fn root(parent: &mut [u32], mut v: u32) -> u32 {
    while parent[v as usize] != v {
        parent[v as usize] = parent[parent[v as usize] as usize];
        v = parent[v as usize];
    }
    v
}

/// The lower number leads, so that the result does not depend on the order of triangles.
fn unite(parent: &mut [u32], a: u32, b: u32) {
    let (a, b) = (root(parent, a), root(parent, b));
    parent[a.max(b) as usize] = a.min(b);
}

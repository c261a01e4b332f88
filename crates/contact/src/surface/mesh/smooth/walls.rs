//! # Walls: how far away the other side of a thin body is
//!
//! - **in**: vertices with normals, sheet by sheet
//! - **out**: for one vertex, the distance to the nearest vertex of its sheet that faces the other way (m)

use nalgebra::{Point3, Vector3};
use std::collections::HashMap;

/// Cosine below which two normals face different ways.
const OTHER_WAY: f64 = -0.2;

/// Vertices sorted into cells.
pub struct Walls<'a> {
    points: &'a [Point3<f64>],
    normals: &'a [Vector3<f64>],
    sheet: &'a [u32],
    cell: f64,
    ranges: HashMap<[i64; 3], (u32, u32)>,
    sorted: Vec<u32>,
}

impl<'a> Walls<'a> {
    /// Sorts the vertices into cells of this size (m).
    pub fn new(points: &'a [Point3<f64>], normals: &'a [Vector3<f64>], sheet: &'a [u32], cell: f64) -> Self {
        let mut keyed: Vec<([i64; 3], u32)> =
            points.iter().enumerate().map(|(k, p)| (key(p, cell), k as u32)).collect();
        keyed.sort_unstable();
        let mut ranges = HashMap::new();
        let mut start = 0;
        for group in keyed.chunk_by(|a, b| a.0 == b.0) {
            ranges.insert(group[0].0, (start, start + group.len() as u32));
            start += group.len() as u32;
        }
        Self { points, normals, sheet, cell, ranges, sorted: keyed.into_iter().map(|k| k.1).collect() }
    }

    /// Distance from vertex `v` to the nearest vertex of its sheet that faces the other way, if within `reach` (m).
    pub fn opposite(&self, v: u32, reach: f64) -> Option<f64> {
        let p = self.points[v as usize];
        let mut best = reach * reach;
        let mut found = false;
        let mut look = |candidates: &[u32]| {
            for &j in candidates {
                let k = j as usize;
                let distance = (self.points[k] - p).norm_squared();
                if distance < best
                    && self.sheet[k] == self.sheet[v as usize]
                    && self.normals[k].dot(&self.normals[v as usize]) < OTHER_WAY
                {
                    (best, found) = (distance, true);
                }
            }
        };
        let (low, high) = (key(&p.map(|x| x - reach), self.cell), key(&p.map(|x| x + reach), self.cell));
        let cells: i64 = (0..3).map(|k| high[k] - low[k] + 1).product();
        if cells as usize > self.sorted.len() {
            look(&self.sorted);
        } else {
            for i in low[0]..=high[0] {
                for j in low[1]..=high[1] {
                    for k in low[2]..=high[2] {
                        if let Some(&(a, b)) = self.ranges.get(&[i, j, k]) {
                            look(&self.sorted[a as usize..b as usize]);
                        }
                    }
                }
            }
        }
        found.then(|| best.sqrt())
    }
}

fn key(p: &Point3<f64>, cell: f64) -> [i64; 3] {
    [p.x, p.y, p.z].map(|x| (x / cell).floor() as i64)
}

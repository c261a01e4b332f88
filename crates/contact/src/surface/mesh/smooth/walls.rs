//! # Walls: how far away the other side of a thin body is
//!
//! - **in**: vertices with normals, sheet by sheet
//! - **out**: for one vertex, the distance to the nearest vertex of its sheet that faces the other way (m)

use super::cells::Cells;
use nalgebra::{Point3, Vector3};

/// Cosine below which two normals face different ways.
const OTHER_WAY: f64 = -0.2;

/// Vertices sorted into cells.
#[derive(Clone, Debug)]
pub struct Walls {
    cells: Cells,
    offsets: Vec<u32>,
    sorted: Vec<u32>,
}

/// What is asked about: the vertices with their normals and sheets.
#[derive(Clone, Copy)]
pub struct Sides<'a> {
    /// Positions (m).
    pub points: &'a [Point3<f64>],
    /// Unit normals.
    pub normals: &'a [Vector3<f64>],
    /// Sheet of each vertex.
    pub sheet: &'a [u32],
}

impl Walls {
    /// Sorts the vertices into cells of this size (m).
    pub fn new(points: &[Point3<f64>], size: f64) -> Self {
        let (low, high) = points.iter().fold((points[0], points[0]), |(l, h), p| (l.inf(p), h.sup(p)));
        let mut cells = Cells::new(&low, &high, size);
        let cell: Vec<u32> = points.iter().map(|p| cells.enter(cells.indices(p))).collect();
        let mut offsets = vec![0_u32; cells.len() + 1];
        cell.iter().for_each(|&c| offsets[c as usize + 1] += 1);
        for k in 0..cells.len() {
            offsets[k + 1] += offsets[k];
        }
        let mut next = offsets.clone();
        let mut sorted = vec![0; points.len()];
        for (v, &c) in cell.iter().enumerate() {
            sorted[next[c as usize] as usize] = v as u32;
            next[c as usize] += 1;
        }
        Self { cells, offsets, sorted }
    }

    /// Distance from vertex `v` to the nearest vertex of its sheet that faces the other way, if within `reach` (m).
    pub fn opposite(&self, sides: &Sides, v: u32, reach: f64) -> Option<f64> {
        let (p, normal) = (sides.points[v as usize], sides.normals[v as usize]);
        let mut best = reach * reach;
        let mut found = false;
        let mut look = |candidates: &[u32]| {
            for &j in candidates {
                let k = j as usize;
                let distance = (sides.points[k] - p).norm_squared();
                if distance < best
                    && sides.sheet[k] == sides.sheet[v as usize]
                    && sides.normals[k].dot(&normal) < OTHER_WAY
                {
                    (best, found) = (distance, true);
                }
            }
        };
        let (low, high) = (self.cells.indices(&p.map(|x| x - reach)), self.cells.indices(&p.map(|x| x + reach)));
        let cells: u64 = (0..3).map(|k| high[k] - low[k] + 1).product();
        if cells as usize > self.sorted.len() {
            look(&self.sorted);
        } else {
            for i in low[0]..=high[0] {
                for j in low[1]..=high[1] {
                    for k in low[2]..=high[2] {
                        if let Some(cell) = self.cells.find([i, j, k]) {
                            let cell = cell as usize;
                            look(&self.sorted[self.offsets[cell] as usize..self.offsets[cell + 1] as usize]);
                        }
                    }
                }
            }
        }
        found.then(|| best.sqrt())
    }
}

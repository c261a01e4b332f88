//! # Search on a map: where is some distance least?
//!
//! - **in**: a function φ of space that changes by at most 1 per metre (a signed distance to the other body)
//! - **out**: [`Candidate`] cells: local minima of φ over the map, least first
//! - **not here**: the exact minimum ([`height::foot`](crate::surface::height::foot), `track::refine`)
//! - **assumes**: φ(q) ≥ φ(centre) − |q − centre|; NaN means "not here"
//! - **start at** [`candidates`]
//!
//! Best first through the pyramid of height ranges: a block whose box cannot hold a value below the best
//! found, plus slack, is never opened. Exact for the least value, whatever the size of the map.

use super::ElevationMap;
use super::bounds::BLOCK;
use nalgebra::Point3;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A place on the map where φ has a local minimum among cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Local x of the middle of the cell (m).
    pub x: f64,
    /// Local y (m).
    pub y: f64,
    /// φ at the surface there (m).
    pub value: f64,
}

/// A block of the pyramid, ordered so that the heap gives the least lower bound first.
struct Open {
    bound: f64,
    level: usize,
    i: usize,
    j: usize,
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Open {}
impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        // Ties by place, so that the order never depends on the heap.
        let place = (other.level, other.j, other.i).cmp(&(self.level, self.j, self.i));
        other.bound.total_cmp(&self.bound).then(place)
    }
}

/// Local minima of φ over the map with values below `limit` and within `slack` of the least (m).
pub fn candidates(map: &ElevationMap, phi: impl Fn(&Point3<f64>) -> f64, limit: f64, slack: f64) -> Vec<Candidate> {
    let levels = &map.pyramid.levels;
    let (dx, dy) = (map.grid.dx, map.grid.dy);
    let (cells_x, cells_y) = (map.grid.nx - 1, map.grid.ny - 1);
    let block_bound = |level: usize, i: usize, j: usize| -> Option<f64> {
        let range = levels[level].range(i, j);
        if range.is_empty() {
            return None;
        }
        let side = BLOCK << level;
        let lo = Point3::new((i * side) as f64 * dx, (j * side) as f64 * dy, range.lo);
        let (i1, j1) = (((i + 1) * side).min(cells_x), ((j + 1) * side).min(cells_y));
        let hi = Point3::new(i1 as f64 * dx, j1 as f64 * dy, range.hi);
        let value = phi(&nalgebra::center(&lo, &hi)) - 0.5 * (hi - lo).norm();
        // "Not here" at the centre of a block says nothing of its rim.
        Some(if value.is_nan() { f64::NEG_INFINITY } else { value })
    };
    let mut heap = BinaryHeap::new();
    let push = |heap: &mut BinaryHeap<Open>, level: usize, i: usize, j: usize, best: f64| {
        if let Some(bound) = block_bound(level, i, j).filter(|b| *b <= best + slack && *b <= limit) {
            heap.push(Open { bound, level, i, j });
        }
    };
    let mut best = limit;
    // How much lower than at its middle φ can be in a cell of moderate slope.
    let reach = dx.hypot(dy);
    let mut visited: Vec<Visited> = Vec::new();
    let top = levels.len() - 1;
    for j in 0..levels[top].ny {
        for i in 0..levels[top].nx {
            push(&mut heap, top, i, j, best);
        }
    }
    while let Some(open) = heap.pop() {
        if open.bound > best + slack {
            break;
        }
        if open.level > 0 {
            let below = &levels[open.level - 1];
            for j in 2 * open.j..(2 * open.j + 2).min(below.ny) {
                for i in 2 * open.i..(2 * open.i + 2).min(below.nx) {
                    push(&mut heap, open.level - 1, i, j, best);
                }
            }
            continue;
        }
        for j in open.j * BLOCK..((open.j + 1) * BLOCK).min(cells_y) {
            for i in open.i * BLOCK..((open.i + 1) * BLOCK).min(cells_x) {
                let Ok(jet) = map.jet_in_cell(i, j, 0.5, 0.5) else { continue };
                let value = phi(&Point3::new((i as f64 + 0.5) * dx, (j as f64 + 0.5) * dy, jet.z));
                if value.is_nan() {
                    continue;
                }
                best = best.min(value);
                if value <= limit && value <= best + slack + reach {
                    visited.push(Visited { j, i, value });
                }
            }
        }
    }
    visited.retain(|v| v.value <= best + slack + reach);
    local_minima(visited, dx, dy)
}

/// A cell that was looked at; ordered by place, south-west first.
#[derive(Clone, Copy)]
struct Visited {
    j: usize,
    i: usize,
    value: f64,
}

/// Cells whose value is not above that of any visited neighbour, least first; at most 64. (Cells that were not
/// visited, or let go, have higher values.)
fn local_minima(mut visited: Vec<Visited>, dx: f64, dy: f64) -> Vec<Candidate> {
    visited.sort_by_key(|v| (v.j, v.i));
    let value_at =
        |j: usize, i: usize| visited.binary_search_by_key(&(j, i), |v| (v.j, v.i)).ok().map(|k| visited[k].value);
    let mut found: Vec<Visited> = Vec::new();
    for here in &visited {
        let beaten = (here.j.saturating_sub(1)..=here.j + 1).any(|j| {
            (here.i.saturating_sub(1)..=here.i + 1).any(|i| {
                // Equal neighbours: the first in reading order counts.
                let first = (j, i) < (here.j, here.i);
                value_at(j, i).is_some_and(|other| other < here.value || (other == here.value && first))
            })
        });
        if !beaten {
            found.push(*here);
        }
    }
    // A stable sort keeps the order by place among equals.
    found.sort_by(|a, b| a.value.total_cmp(&b.value));
    found.truncate(64);
    let centre = |v: &Visited| Candidate { x: (v.i as f64 + 0.5) * dx, y: (v.j as f64 + 0.5) * dy, value: v.value };
    found.iter().map(centre).collect()
}

//! # Plains: stretches of a map that are plane
//!
//! - **in**: the nodes of a map
//! - **out**: [`Plain`]s: a plane, and the rectangles of cells over which the surface is that plane to rounding
//! - **not here**: what lies on them ([`faces_of`](crate::track::faces_of))
//! - **start at** [`of_map`]
//!
//! A patch reproduces planes: where all nodes of a cell's stencil lie in one, the surface over the cell is that plane.
//! Cells are joined to runs along rows, runs to rectangles over rows, rectangles that touch to plains; the plane is the least
//! squares fit to their corners, and what leaves it by more than rounding is left out again. A surface that bends ever so
//! little over a long way is so no plain.

use super::ElevationMap;

/// Most plains of a map and most rectangles of one, the largest first: beyond, a map is uneven ground with flat spots.
const MOST_PLAINS: usize = 64;
const MOST_PARTS: usize = 32;
/// Most rectangles looked at.
const MOST_FOUND: usize = 4096;
/// Rounding: heights may be off by this share of the spacing.
const OFF: f64 = 1e-9;

/// A plane stretch of a map: z = `z` + `slope`·(x, y), in the map's own frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Plain {
    /// Height of the plane at x = y = 0 (m).
    pub z: f64,
    /// Its slopes along x and y.
    pub slope: [f64; 2],
    /// Rectangles of cells: x from, x to, y from, y to (m).
    pub parts: Vec<[f64; 4]>,
}

/// A rectangle of cells, ends not included.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cells {
    i: [usize; 2],
    j: [usize; 2],
}

impl Cells {
    fn count(&self) -> usize {
        (self.i[1] - self.i[0]) * (self.j[1] - self.j[0])
    }

    /// Whether two rectangles share more than a corner.
    fn touches(&self, other: &Self) -> bool {
        let over = |a: &[usize; 2], b: &[usize; 2]| a[1].min(b[1]) as isize - a[0].max(b[0]) as isize;
        let (x, y) = (over(&self.i, &other.i), over(&self.j, &other.j));
        x >= 0 && y >= 0 && x + y > 0
    }
}

/// The plane stretches of a map, the largest first.
pub fn of_map(map: &ElevationMap) -> Vec<Plain> {
    let mut rectangles = rectangles(map);
    rectangles.sort_by_key(|cells| std::cmp::Reverse(cells.count()));
    let mut plains = Vec::new();
    while !rectangles.is_empty() && plains.len() < MOST_PLAINS {
        // All that touch the largest one left, directly or by others, as long as one plane holds them.
        let mut group = vec![rectangles.remove(0)];
        let mut fit = Fit::of(map, &group);
        let mut next = 0;
        while next < group.len() {
            let mut k = 0;
            while k < rectangles.len() && group.len() < MOST_PARTS {
                if rectangles[k].touches(&group[next]) && fit.holds(map, &rectangles[k]) {
                    group.push(rectangles.remove(k));
                } else {
                    k += 1;
                }
            }
            next += 1;
        }
        fit = Fit::of(map, &group);
        group.retain(|cells| fit.holds(map, cells));
        if group.is_empty() {
            continue;
        }
        let (dx, dy) = (map.grid.dx, map.grid.dy);
        let metres = |cells: &Cells| {
            [cells.i[0] as f64 * dx, cells.i[1] as f64 * dx, cells.j[0] as f64 * dy, cells.j[1] as f64 * dy]
        };
        plains.push(Plain {
            z: fit.z,
            slope: [fit.per_node[0] / dx, fit.per_node[1] / dy],
            parts: group.iter().map(metres).collect(),
        });
    }
    plains
}

/// Rectangles of cells with plane stencils: runs along each row, joined with equal runs of the row before.
fn rectangles(map: &ElevationMap) -> Vec<Cells> {
    let (mut open, mut done): (Vec<Cells>, Vec<Cells>) = (Vec::new(), Vec::new());
    for j in 0..map.grid.ny - 1 {
        let (mut runs, mut from): (Vec<Cells>, Option<usize>) = (Vec::new(), None);
        for i in 0..map.grid.nx {
            let flat = i + 1 < map.grid.nx && is_plane(map, i, j);
            match (flat, from) {
                (true, None) => from = Some(i),
                (false, Some(first)) => {
                    runs.push(Cells { i: [first, i], j: [j, j + 1] });
                    from = None;
                }
                _ => {}
            }
        }
        for run in &mut runs {
            if let Some(k) = open.iter().position(|cells| cells.i == run.i) {
                run.j[0] = open.swap_remove(k).j[0];
            }
        }
        done.append(&mut open);
        open = runs;
        // Countless flat spots are no plains.
        if done.len() > MOST_FOUND {
            break;
        }
    }
    done.append(&mut open);
    done
}

/// Height of a node of a stencil (m), data or stand-in.
fn height(map: &ElevationMap, i: isize, j: isize) -> f64 {
    map.z_offset + map.z_scale * map.raw_or_fill(i, j)
}

/// How far heights of this size may be off their plane (m): rounding of the numbers the samples are kept in.
fn rounding(map: &ElevationMap, z: f64) -> f64 {
    OFF * map.grid.dx.min(map.grid.dy) + 3.0 * map.samples.resolution() * (z - map.z_offset).abs()
}

/// How many nodes stencils reach beyond a cell.
fn beyond(map: &ElevationMap) -> isize {
    if map.interpolation == super::Interpolation::Quintic6 { 2 } else { 1 }
}

/// Whether all nodes of the stencil of a cell lie in one plane.
fn is_plane(map: &ElevationMap, i: usize, j: usize) -> bool {
    if !map.cell_is_valid(i, j) {
        return false;
    }
    let (i, j, more) = (i as isize, j as isize, beyond(map));
    let z = |a: isize, b: isize| height(map, i + a, j + b);
    let corner = z(0, 0);
    let off = 16.0 * rounding(map, corner);
    let (gx, gy) = (z(1, 0) - corner, z(0, 1) - corner);
    // Most ground is uneven: its next node says so.
    (-more..=1 + more)
        .all(|b| (-more..=1 + more).all(|a| (z(a, b) - corner - gx * a as f64 - gy * b as f64).abs() <= off))
}

/// The plane nearest to the corners of rectangles: height at node (0, 0), rise per node along each axis.
struct Fit {
    z: f64,
    per_node: [f64; 2],
}

impl Fit {
    fn of(map: &ElevationMap, group: &[Cells]) -> Self {
        let corners = || group.iter().flat_map(|c| c.i.into_iter().flat_map(|i| c.j.into_iter().map(move |j| (i, j))));
        let at = |(i, j): (usize, usize)| [i as f64, j as f64, height(map, i as isize, j as isize)];
        let n = (4 * group.len()) as f64;
        let mean = corners().map(at).fold([0.0; 3], |sum, p| [sum[0] + p[0], sum[1] + p[1], sum[2] + p[2]]);
        let mean = mean.map(|sum| sum / n);
        let (mut xx, mut xy, mut yy, mut xz, mut yz) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for p in corners().map(at) {
            let [x, y, z] = [p[0] - mean[0], p[1] - mean[1], p[2] - mean[2]];
            (xx, xy, yy, xz, yz) = (xx + x * x, xy + x * y, yy + y * y, xz + x * z, yz + y * z);
        }
        // Rectangles have both widths.
        let det = xx * yy - xy * xy;
        let per_node = [(xz * yy - yz * xy) / det, (yz * xx - xz * xy) / det];
        Self { z: mean[2] - per_node[0] * mean[0] - per_node[1] * mean[1], per_node }
    }

    /// Whether every node that bears on a rectangle lies in the plane.
    fn holds(&self, map: &ElevationMap, cells: &Cells) -> bool {
        let more = beyond(map);
        let range = |of: &[usize; 2]| of[0] as isize - more..=of[1] as isize + more;
        range(&cells.j).all(|j| {
            range(&cells.i).all(|i| {
                let z = height(map, i, j);
                let plane = self.z + self.per_node[0] * i as f64 + self.per_node[1] * j as f64;
                // Stand-ins beyond the edge, 3a − 3b + c and 6a − 8b + 3c, are off by as much more.
                let inside = |k: isize, n: usize| (0..n as isize).contains(&k);
                let data = inside(i, map.grid.nx) && inside(j, map.grid.ny);
                (z - plane).abs() <= rounding(map, z) * if data { 1.0 } else { 20.0 }
            })
        })
    }
}

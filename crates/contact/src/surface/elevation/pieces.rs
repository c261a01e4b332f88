//! # Pieces of a map, each within a ball
//!
//! - **out**: blocks of the pyramid, groups of cells, cells, parts of cells; a ball around each; a point of the surface in each
//! - **not here**: what is searched for in them (`track::search`)
//! - **start at** [`MapPiece`]
//!
//! Over a part of a cell with half diagonal d around its middle, heights differ from that of the middle by no more than
//!
//! ```text
//! |∇h| d + ½ K d²,    K ≥ |Hess h| over the cell
//! ```

use super::bounds::{BLOCK, bend_bound};
use super::{ElevationMap, Interpolation};
use nalgebra::Point3;

/// Cells along the side of a group: between a block and its cells, so that not all of these are looked at where a few are near.
const GROUP: usize = 4;

/// A block of the pyramid, some cells of it, or a part of a cell.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MapPiece {
    /// Block (i, j) of a level.
    Block { level: usize, i: usize, j: usize },
    /// Cells from (i, j) on, within the heights of their block (m).
    Group { i: usize, j: usize, lo: f64, hi: f64 },
    /// The part of cell (i, j) between these shares of its sides; the bound K of the cell (1/m), NaN if nobody asked yet.
    Part { i: usize, j: usize, s: [f64; 2], t: [f64; 2], bend: f64 },
}

impl ElevationMap {
    /// The blocks that are all of the map.
    pub(crate) fn whole(&self, pieces: &mut Vec<MapPiece>) {
        let level = self.pyramid.levels.len() - 1;
        let top = &self.pyramid.levels[level];
        pieces.extend((0..top.ny).flat_map(|j| (0..top.nx).map(move |i| MapPiece::Block { level, i, j })));
    }

    /// A ball around a piece; a radius of −∞ where the piece has no surface.
    pub(crate) fn ball(&self, piece: &MapPiece) -> (Point3<f64>, f64) {
        let nothing = (Point3::origin(), f64::NEG_INFINITY);
        let (dx, dy) = (self.grid.dx, self.grid.dy);
        match *piece {
            MapPiece::Block { level, i, j } => {
                let range = self.pyramid.levels[level].range(i, j);
                if range.is_empty() {
                    return nothing;
                }
                let side = BLOCK << level;
                self.ball_around([i * side, j * side], side, [range.lo, range.hi])
            }
            MapPiece::Group { i, j, lo, hi } => self.ball_around([i, j], GROUP, [lo, hi]),
            MapPiece::Part { i, j, s, t, bend } => {
                let middle = |range: [f64; 2]| 0.5 * (range[0] + range[1]);
                let Ok(jet) = self.jet_in_cell(i, j, middle(s), middle(t)) else { return nothing };
                let d = 0.5 * ((s[1] - s[0]) * dx).hypot((t[1] - t[0]) * dy);
                let bend = if bend.is_nan() { self.bend(i, j) } else { bend };
                let rise = jet.zx.hypot(jet.zy) * d + 0.5 * bend * d * d;
                let centre = Point3::new((i as f64 + middle(s)) * dx, (j as f64 + middle(t)) * dy, jet.z);
                (centre, d.hypot(rise))
            }
        }
    }

    /// A ball around cells from (i, j) on, `side` of them along each axis, between two heights (m).
    fn ball_around(&self, [i, j]: [usize; 2], side: usize, [lo, hi]: [f64; 2]) -> (Point3<f64>, f64) {
        let (dx, dy) = (self.grid.dx, self.grid.dy);
        let (i1, j1) = ((i + side).min(self.grid.nx - 1), (j + side).min(self.grid.ny - 1));
        let low = Point3::new(i as f64 * dx, j as f64 * dy, lo);
        let high = Point3::new(i1 as f64 * dx, j1 as f64 * dy, hi);
        (nalgebra::center(&low, &high), 0.5 * (high - low).norm())
    }

    /// K of a cell (1/m).
    fn bend(&self, i: usize, j: usize) -> f64 {
        let bend = match self.interpolation {
            Interpolation::Quintic6 => self.stencil_with_fill::<6>(i, j).map(|z| bend_bound(self, &z, 3.0)),
            _ => self.stencil_with_fill::<4>(i, j).map(|z| bend_bound(self, &z, 1.4)),
        };
        bend.unwrap_or(f64::INFINITY)
    }

    /// The parts of a piece.
    pub(crate) fn split(&self, piece: &MapPiece, parts: &mut Vec<MapPiece>) {
        match *piece {
            MapPiece::Block { level: 0, i, j } => {
                let (cells_x, cells_y) = (self.grid.nx - 1, self.grid.ny - 1);
                let range = self.pyramid.levels[0].range(i, j);
                for j in (j * BLOCK..((j + 1) * BLOCK).min(cells_y)).step_by(GROUP) {
                    for i in (i * BLOCK..((i + 1) * BLOCK).min(cells_x)).step_by(GROUP) {
                        parts.push(MapPiece::Group { i, j, lo: range.lo, hi: range.hi });
                    }
                }
            }
            MapPiece::Group { i, j, .. } => {
                for j in j..(j + GROUP).min(self.grid.ny - 1) {
                    for i in i..(i + GROUP).min(self.grid.nx - 1) {
                        parts.push(MapPiece::Part { i, j, s: [0.0, 1.0], t: [0.0, 1.0], bend: f64::NAN });
                    }
                }
            }
            MapPiece::Block { level, i, j } => {
                let below = &self.pyramid.levels[level - 1];
                for j in 2 * j..(2 * j + 2).min(below.ny) {
                    for i in 2 * i..(2 * i + 2).min(below.nx) {
                        parts.push(MapPiece::Block { level: level - 1, i, j });
                    }
                }
            }
            MapPiece::Part { i, j, s, t, bend } => {
                let bend = if bend.is_nan() { self.bend(i, j) } else { bend };
                let halves = |range: [f64; 2]| {
                    let middle = 0.5 * (range[0] + range[1]);
                    [[range[0], middle], [middle, range[1]]]
                };
                for t in halves(t) {
                    for s in halves(s) {
                        parts.push(MapPiece::Part { i, j, s, t, bend });
                    }
                }
            }
        }
    }
}

//! # Elevation maps: sampled heights as one smooth surface
//!
//! samples ──▶ **here** ──([`HeightJet`])──▶ normal, shape operator, closest points
//!
//! - **in**: a [`Grid`] of nodes with heights (m), an [`Interpolation`]
//! - **out**: height, slopes and second derivatives anywhere on the map; feet of points; candidates for contact
//! - **not here**: file formats (`fingerpad-files`)
//! - **assumes**: one height per place; solid below
//! - **start at** [`ElevationMap::new`], then [`ElevationMap::jet`]; [`weights`] is the theory (PortDem, §III)
//!
//! The surface's own frame S has its origin at node (0, 0), x east, y north: queries never see the
//! georeferenced origin, so nothing is lost at 5·10⁵ m. A query reads one stencil: constant time.

mod bounds;
mod fill;
mod grid;
mod pieces;
mod plains;
mod search;
pub mod weights;

pub use grid::{Grid, Samples};
pub(crate) use pieces::MapPiece;
pub use plains::Plain;
pub use search::Candidate;

use super::height::{self, HeightFunction, HeightJet};
use super::{Bounds, Domain, Foot, ParametricSurface, SmoothSurface, Surface, SurfaceError, SurfacePoint, finite};
use bounds::Pyramid;
use fill::Fill;
use nalgebra::Point3;
use std::sync::OnceLock;
use weights::{CUBIC, QUINTIC, QUINTIC6, Table, patch};

/// How heights between nodes are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub enum Interpolation {
    /// Cubic patches on 4×4 nodes (PortDem, §III.A–B): C1; curvature jumps at cell edges.
    Cubic,
    /// Quintic patches on 4×4 nodes with the corrected second derivative: C2. The default.
    #[default]
    Quintic,
    /// Quintic patches on 6×6 nodes: C2, reproduces degree 4 away from edges.
    Quintic6,
}

/// Why a map could not be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MapError {
    /// Too few nodes.
    #[error("an elevation map needs at least 2 x 2 nodes, got {nx} x {ny}")]
    TooSmall {
        /// Columns received.
        nx: usize,
        /// Rows received.
        ny: usize,
    },
    /// The number of heights is not that of the nodes.
    #[error("a map of {nx} x {ny} nodes needs {} heights, got {got}", nx * ny)]
    WrongCount {
        /// Columns.
        nx: usize,
        /// Rows.
        ny: usize,
        /// Heights received.
        got: usize,
    },
    /// A spacing, origin or height scale is not usable.
    #[error("{what} must be {expected}, got {got}")]
    BadNumber {
        /// Which number.
        what: &'static str,
        /// The rule.
        expected: &'static str,
        /// What came.
        got: f64,
    },
    /// A height is infinite, or so large that differences of heights would be.
    #[error(
        "heights must be within ±1e30 (NaN marks a missing one), got {got} at node ({i}, {j}), counted from the south-west"
    )]
    InfiniteHeight {
        /// Column.
        i: usize,
        /// Row from the south.
        j: usize,
        /// What came.
        got: f64,
    },
    /// No cell has data at all four corners.
    #[error("no cell of the map has data at all four corners ({with_data} of {nodes} nodes have data)")]
    NoData {
        /// Nodes with data.
        with_data: usize,
        /// All nodes.
        nodes: usize,
    },
}

/// A sampled surface z = h(x, y), solid below.
#[derive(Debug)]
pub struct ElevationMap {
    grid: Grid,
    inv_dx: f64,
    inv_dy: f64,
    samples: Samples,
    z_scale: f64,
    z_offset: f64,
    interpolation: Interpolation,
    fill: Fill,
    pyramid: Pyramid,
    missing: usize,
    plains: OnceLock<Vec<Plain>>,
}

impl ElevationMap {
    /// A map whose heights are the samples themselves (m).
    pub fn new(grid: Grid, samples: Samples, interpolation: Interpolation) -> Result<Self, MapError> {
        Self::with_scale(grid, samples, 1.0, 0.0, interpolation)
    }

    /// A map whose heights are `z_offset + z_scale · sample` (m), as 16-bit images need.
    pub fn with_scale(
        grid: Grid,
        samples: Samples,
        z_scale: f64,
        z_offset: f64,
        interpolation: Interpolation,
    ) -> Result<Self, MapError> {
        let Grid { nx, ny, .. } = grid;
        check_numbers(&grid, z_scale, z_offset)?;
        if nx < 2 || ny < 2 {
            return Err(MapError::TooSmall { nx, ny });
        }
        if nx.checked_mul(ny) != Some(samples.len()) {
            return Err(MapError::WrongCount { nx, ny, got: samples.len() });
        }
        let mut missing = 0;
        for k in 0..samples.len() {
            let z = samples.get(k);
            if z.is_nan() {
                missing += 1;
            } else if z.abs() > 1e30 {
                return Err(MapError::InfiniteHeight { i: k % nx, j: k / nx, got: z });
            }
        }
        let fill = Fill::new(nx, ny, |j, out| out.extend((0..nx).map(|i| samples.get(j * nx + i))));
        let mut map = Self {
            grid,
            inv_dx: 1.0 / grid.dx,
            inv_dy: 1.0 / grid.dy,
            samples,
            z_scale,
            z_offset,
            interpolation,
            fill,
            pyramid: Pyramid::default(),
            missing,
            plains: OnceLock::new(),
        };
        map.pyramid = Pyramid::new(&map);
        if map.pyramid.is_empty() {
            return Err(MapError::NoData { with_data: nx * ny - missing, nodes: nx * ny });
        }
        Ok(map)
    }

    /// Where the nodes are, georeferenced.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// How heights between nodes are made.
    pub fn interpolation(&self) -> Interpolation {
        self.interpolation
    }

    /// The same samples with another interpolation.
    pub fn with_interpolation(mut self, interpolation: Interpolation) -> Self {
        self.interpolation = interpolation;
        self.plains = OnceLock::new();
        self
    }

    /// Stretches over which the surface is plane to rounding, the largest first; looked for once.
    pub fn plains(&self) -> &[Plain] {
        self.plains.get_or_init(|| plains::of_map(self))
    }

    /// Whether the whole map is one plane.
    pub fn is_plane(&self) -> bool {
        let (x, y) = self.extent();
        matches!(self.plains(), [Plain { parts, .. }] if *parts == [[0.0, x, 0.0, y]])
    }

    /// Number of nodes without data.
    pub fn missing_nodes(&self) -> usize {
        self.missing
    }

    /// Memory beyond the samples themselves (bytes).
    pub fn overhead_bytes(&self) -> usize {
        self.fill.len() * 16 + self.pyramid.bytes()
    }

    /// Least and greatest height of a node with data (m).
    pub fn height_range(&self) -> (f64, f64) {
        let mut range = (f64::INFINITY, f64::NEG_INFINITY);
        for k in 0..self.samples.len() {
            let z = self.z_offset + self.z_scale * self.samples.get(k);
            if !z.is_nan() {
                range = (range.0.min(z), range.1.max(z));
            }
        }
        range
    }

    /// Height of node (i, j) (m), `None` where there is no data.
    pub fn node(&self, i: usize, j: usize) -> Option<f64> {
        let z = self.samples.get(j * self.grid.nx + i);
        if z.is_nan() { None } else { Some(self.z_offset + self.z_scale * z) }
    }

    /// Whether all four corners of cell (i, j) have data.
    pub fn cell_is_valid(&self, i: usize, j: usize) -> bool {
        let nx = self.grid.nx;
        i + 1 < nx
            && j + 1 < self.grid.ny
            && [j * nx + i, j * nx + i + 1, (j + 1) * nx + i, (j + 1) * nx + i + 1]
                .iter()
                .all(|&k| !self.samples.get(k).is_nan())
    }

    /// Height and derivatives in cell (i, j) at s, t in [0, 1].
    #[inline]
    pub fn jet_in_cell(&self, i: usize, j: usize, s: f64, t: f64) -> Result<HeightJet, SurfaceError> {
        match self.interpolation {
            Interpolation::Quintic => self.patch::<4, 2>(&QUINTIC, i, j, s, t),
            Interpolation::Cubic => self.patch::<4, 2>(&CUBIC, i, j, s, t),
            Interpolation::Quintic6 => self.patch::<6, 4>(&QUINTIC6, i, j, s, t),
        }
    }

    /// The cell that holds the local point (x, y), with the position in it.
    #[inline]
    pub fn cell_at(&self, x: f64, y: f64) -> Result<(usize, usize, f64, f64), SurfaceError> {
        let (u, v) = (x * self.inv_dx, y * self.inv_dy);
        let (nx, ny) = (self.grid.nx, self.grid.ny);
        // One comparison per side; false also for NaN.
        if !(u >= 0.0 && v >= 0.0 && u <= (nx - 1) as f64 && v <= (ny - 1) as f64) {
            return Err(self.off_map(x, y));
        }
        let (i, j) = ((u as usize).min(nx - 2), (v as usize).min(ny - 2));
        Ok((i, j, u - i as f64, v - j as f64))
    }

    /// Height and derivatives at the local point (x, y) (m from node (0, 0)).
    #[inline]
    pub fn jet(&self, x: f64, y: f64) -> Result<HeightJet, SurfaceError> {
        let (i, j, s, t) = self.cell_at(x, y)?;
        self.jet_in_cell(i, j, s, t)
    }

    /// Height and derivatives at a georeferenced place (m).
    pub fn jet_georeferenced(&self, easting: f64, northing: f64) -> Result<HeightJet, SurfaceError> {
        // The large numbers meet here, once, before anything is interpolated.
        self.jet(easting - self.grid.x0, northing - self.grid.y0)
    }

    /// One patch: stencil, weights, sums, and the change from cell to metres.
    #[inline(always)]
    fn patch<const N: usize, const K: usize>(
        &self,
        table: &Table<K>,
        i: usize,
        j: usize,
        s: f64,
        t: f64,
    ) -> Result<HeightJet, SurfaceError> {
        let (nx, ny) = (self.grid.nx, self.grid.ny);
        let before = N / 2 - 1;
        let interior = i >= before && j >= before && i + N / 2 < nx && j + N / 2 < ny;
        let mut z = if interior {
            self.samples.block::<N>((j - before) * nx + (i - before), nx)
        } else {
            self.stencil_with_fill(i, j)?
        };
        let mut sums = patch(table, &z, s, t);
        if sums[0].is_nan() {
            // Some node of an interior stencil is missing (or s, t are NaN): rare, so asked only now.
            z = self.stencil_with_fill(i, j)?;
            sums = patch(table, &z, s, t);
            if sums[0].is_nan() {
                return Err(SurfaceError::NotFinite { x: s, y: t, z: 0.0 });
            }
        }
        let (kx, ky, kz) = (self.inv_dx, self.inv_dy, self.z_scale);
        let (sx, sy) = (kz * kx, kz * ky);
        Ok(HeightJet {
            z: self.z_offset + kz * (z[before][before] + sums[0]),
            zx: sums[1] * sx,
            zy: sums[2] * sy,
            zxx: sums[3] * (sx * kx),
            zxy: sums[4] * (sx * ky),
            zyy: sums[5] * (sy * ky),
        })
    }

    /// Places on the map where `phi`, a signed distance to some body, is locally least: the least of all and those
    /// within `slack` of it (m). NaN means that the body has no surface there.
    pub fn candidates(&self, phi: impl Fn(&Point3<f64>) -> f64, slack: f64) -> Vec<Candidate> {
        search::candidates(self, phi, f64::INFINITY, slack)
    }

    /// Upper bound of the curvature of hollows (1/m) over blocks, as told by [`bends_around`](Self::bends_around).
    pub(crate) fn concave_curvature(&self, blocks: &Blocks) -> f64 {
        self.pyramid.concave_curvature(self, blocks.i, blocks.j)
    }

    /// Whether a local point is in the outermost cells (m).
    pub(crate) fn is_at_rim(&self, x: f64, y: f64) -> bool {
        let (width, depth) = self.extent();
        let (dx, dy) = (self.grid.dx, self.grid.dy);
        x < dx || y < dy || x > width - dx || y > depth - dy
    }

    /// Upper bound of the height over the blocks that meet the square of half side `reach` around a local point (m).
    pub(crate) fn highest_around(&self, x: f64, y: f64, reach: f64) -> f64 {
        let Blocks { i, j } = self.blocks_around(x, y, reach, bounds::BLOCK);
        let blocks = (j[0]..=j[1]).flat_map(|j| (i[0]..=i[1]).map(move |i| (i, j)));
        blocks.map(|(i, j)| self.pyramid.levels[0].range(i, j).hi).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The blocks of which curvature is known that meet the square of half side `reach` around a local point (m).
    #[inline]
    pub(crate) fn bends_around(&self, x: f64, y: f64, reach: f64) -> Blocks {
        self.blocks_around(x, y, reach, bounds::BEND_BLOCK)
    }

    /// The blocks of `side` cells that meet the square of half side `reach` around a local point (m).
    #[inline]
    fn blocks_around(&self, x: f64, y: f64, reach: f64, side: usize) -> Blocks {
        let range = |at: f64, inv: f64, cells: usize| {
            let last = (cells - 1) / side;
            let block = |v: f64| ((v * inv).max(0.0) as usize / side).min(last);
            [block(at - reach), block(at + reach)]
        };
        Blocks { i: range(x, self.inv_dx, self.grid.nx - 1), j: range(y, self.inv_dy, self.grid.ny - 1) }
    }

    /// The stencil of a cell at the rim of the map or of a hole.
    #[cold]
    fn stencil_with_fill<const N: usize>(&self, i: usize, j: usize) -> Result<[[f64; N]; N], SurfaceError> {
        if i + 1 >= self.grid.nx || j + 1 >= self.grid.ny {
            let (x, y) = (i as f64 * self.grid.dx, j as f64 * self.grid.dy);
            return Err(self.off_map(x, y));
        }
        if !self.cell_is_valid(i, j) {
            return Err(SurfaceError::Hole { i, j });
        }
        let before = N as isize / 2 - 1;
        let mut z = [[0.0; N]; N];
        for (b, row) in z.iter_mut().enumerate() {
            for (a, height) in row.iter_mut().enumerate() {
                let (i, j) = (i as isize - before + a as isize, j as isize - before + b as isize);
                *height = self.raw_or_fill(i, j);
            }
        }
        Ok(z)
    }

    /// Raw height of a node of the widened map: data, stand-in, or NaN.
    fn raw_or_fill(&self, i: isize, j: isize) -> f64 {
        let (nx, ny) = (self.grid.nx, self.grid.ny);
        let inside = (0..nx as isize).contains(&i) && (0..ny as isize).contains(&j);
        let z = if inside { self.samples.get(j as usize * nx + i as usize) } else { f64::NAN };
        if z.is_nan() { self.fill.get(i, j, nx).unwrap_or(f64::NAN) } else { z }
    }

    #[cold]
    fn off_map(&self, x: f64, y: f64) -> SurfaceError {
        let (x_max, y_max) = self.extent();
        SurfaceError::OffMap { x, y, x_min: 0.0, x_max, y_min: 0.0, y_max }
    }

    /// Local coordinates of the north-east node (m).
    pub fn extent(&self) -> (f64, f64) {
        ((self.grid.nx - 1) as f64 * self.grid.dx, (self.grid.ny - 1) as f64 * self.grid.dy)
    }
}

/// A range of blocks of cells, ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Blocks {
    i: [usize; 2],
    j: [usize; 2],
}

fn check_numbers(grid: &Grid, z_scale: f64, z_offset: f64) -> Result<(), MapError> {
    for (what, got) in [("spacing dx (m)", grid.dx), ("spacing dy (m)", grid.dy)] {
        if !(got.is_finite() && got > 0.0) {
            return Err(MapError::BadNumber { what, expected: "positive and finite", got });
        }
    }
    for (what, got) in [("origin x0 (m)", grid.x0), ("origin y0 (m)", grid.y0), ("height offset (m)", z_offset)] {
        if !got.is_finite() {
            return Err(MapError::BadNumber { what, expected: "finite", got });
        }
    }
    if !(z_scale.is_finite() && z_scale != 0.0) {
        return Err(MapError::BadNumber { what: "height scale", expected: "finite and not zero", got: z_scale });
    }
    Ok(())
}

impl HeightFunction for ElevationMap {
    #[inline]
    fn jet(&self, x: f64, y: f64) -> Result<HeightJet, SurfaceError> {
        ElevationMap::jet(self, x, y)
    }
}

impl Surface for ElevationMap {
    /// The closest point of the whole map. A foot on the rim of the map or of a hole is no foot: the
    /// surface ends there, and the answer is [`SurfaceError::NoSmoothPoint`].
    fn closest_point(&self, p: &Point3<f64>) -> Result<Foot, SurfaceError> {
        finite(p)?;
        let candidates = self.candidates(|q| (q - p).norm(), 0.0);
        let mut best: Option<Foot> = None;
        for c in candidates {
            let Ok(step) = height::foot(self, p, c.x, c.y) else { continue };
            let foot = step.foot(p);
            if best.is_none_or(|b| foot.distance.abs() < b.distance.abs()) {
                best = Some(foot);
            }
        }
        best.ok_or(SurfaceError::NoSmoothPoint { x: p.x, y: p.y, z: p.z })
    }

    fn bounds(&self) -> Bounds {
        let (x, y) = self.extent();
        let (lo, hi) = self.pyramid.height_bounds();
        Bounds { min: Point3::new(0.0, 0.0, lo), max: Point3::new(x, y, hi) }
    }
}

impl SmoothSurface for ElevationMap {
    #[inline]
    fn point_near(&self, near: &Point3<f64>) -> Result<SurfacePoint, SurfaceError> {
        Ok(self.jet(near.x, near.y)?.surface_point(near.x, near.y))
    }
}

impl ParametricSurface for ElevationMap {
    fn domain(&self) -> Domain {
        let (x, y) = self.extent();
        Domain { u: [0.0, x], v: [0.0, y], u_wraps: false, v_wraps: false }
    }

    fn point(&self, u: f64, v: f64) -> Point3<f64> {
        Point3::new(u, v, self.jet(u, v).map_or(f64::NAN, |jet| jet.z))
    }
}

#[cfg(test)]
mod tests;

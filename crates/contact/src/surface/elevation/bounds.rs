//! # Bounds over blocks of a map: heights for searches, curvature for proofs of uniqueness
//!
//! - **in**: the nodes of a map
//! - **out**: a pyramid of height ranges over blocks of cells, and per block an upper bound of the surface's
//!   concave curvature (1/m)
//! - **not here**: the search itself ([`search`](super::search))
//! - **start at** [`Pyramid`]
//!
//! Patches overshoot their nodes: by Σ|w| ≤ [`LEBESGUE`] per axis, heights lie within
//! mid ± LEBESGUE² · half range of the stencil's nodes. Heights are kept for blocks of 16×16 cells only, so
//! that they cost a fraction of a byte per sample. Curvature is found when a block is first asked for; its blocks have
//! 8×8 cells, so that a body that comes over a new one waits for 64 cells and not for 256.

use super::weights::LEBESGUE;
use super::{ElevationMap, Interpolation};
use std::sync::atomic::{AtomicU32, Ordering};

/// Cells along the side of a block.
pub const BLOCK: usize = 16;
/// Cells along the side of a block of which curvature is known.
pub const BEND_BLOCK: usize = 8;

/// Height range of a block; empty when `lo > hi`.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// Lower bound of the surface's height (m).
    pub lo: f64,
    /// Upper bound (m).
    pub hi: f64,
}

impl Range {
    const EMPTY: Range = Range { lo: f64::INFINITY, hi: f64::NEG_INFINITY };

    fn join(self, other: Range) -> Range {
        Range { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// Whether the block has no valid cell.
    pub fn is_empty(&self) -> bool {
        self.lo > self.hi
    }
}

/// One level of the pyramid: blocks of `BLOCK << level` cells.
#[derive(Debug, Default)]
pub struct Level {
    /// Blocks along x.
    pub nx: usize,
    /// Blocks along y.
    pub ny: usize,
    ranges: Vec<Range>,
}

impl Level {
    /// Height range of block (i, j).
    pub fn range(&self, i: usize, j: usize) -> Range {
        self.ranges[j * self.nx + i]
    }
}

/// Height ranges from blocks up to the whole map, and curvature bounds of blocks.
#[derive(Debug, Default)]
pub struct Pyramid {
    /// Finest level first; the last has one block.
    pub levels: Vec<Level>,
    /// Bits of the curvature bound of each block of [`BEND_BLOCK`] cells, rounded up to 32 bits; NaN until asked for. Always
    /// the same value, so a race between threads is harmless.
    curvature: Vec<AtomicU32>,
    /// Such blocks along x.
    bend_nx: usize,
}

impl Pyramid {
    /// The pyramid of a map.
    pub fn new(map: &ElevationMap) -> Self {
        let blocks = |cells: usize| cells.div_ceil(BLOCK);
        let (nx, ny) = (blocks(map.grid.nx - 1), blocks(map.grid.ny - 1));
        let mut ranges = Vec::with_capacity(nx * ny);
        for j in 0..ny {
            for i in 0..nx {
                ranges.push(block_range(map, i, j));
            }
        }
        let mut levels = vec![Level { nx, ny, ranges }];
        while let Some(last) = levels.last().filter(|l| l.nx * l.ny > 1) {
            let (nx, ny) = (last.nx.div_ceil(2), last.ny.div_ceil(2));
            let mut ranges = vec![Range::EMPTY; nx * ny];
            for j in 0..last.ny {
                for i in 0..last.nx {
                    let parent = &mut ranges[(j / 2) * nx + i / 2];
                    *parent = parent.join(last.range(i, j));
                }
            }
            levels.push(Level { nx, ny, ranges });
        }
        let [bend_nx, bend_ny] = [map.grid.nx, map.grid.ny].map(|nodes| (nodes - 1).div_ceil(BEND_BLOCK));
        let unknown = || AtomicU32::new(f32::NAN.to_bits());
        Self { levels, curvature: (0..bend_nx * bend_ny).map(|_| unknown()).collect(), bend_nx }
    }

    /// Whether no cell of the map is valid.
    pub fn is_empty(&self) -> bool {
        self.levels.last().is_none_or(|top| top.ranges.iter().all(Range::is_empty))
    }

    /// Bounds of the surface's height over the whole map (m).
    pub fn height_bounds(&self) -> (f64, f64) {
        self.levels.last().map_or((0.0, 0.0), |top| (top.ranges[0].lo, top.ranges[0].hi))
    }

    /// Memory (bytes).
    pub fn bytes(&self) -> usize {
        self.levels.iter().map(|l| l.ranges.len() * size_of::<Range>()).sum::<usize>()
            + self.curvature.len() * size_of::<AtomicU32>()
    }

    /// Upper bound of the concave curvature (as a hollow, 1/m) over blocks `i` × `j` of [`BEND_BLOCK`] cells, both inclusive.
    pub fn concave_curvature(&self, map: &ElevationMap, i: [usize; 2], j: [usize; 2]) -> f64 {
        let mut worst = 0.0_f32;
        for bj in j[0]..=j[1] {
            for bi in i[0]..=i[1] {
                let slot = &self.curvature[bj * self.bend_nx + bi];
                let mut kappa = f32::from_bits(slot.load(Ordering::Relaxed));
                if kappa.is_nan() {
                    kappa = rounded_up(block_curvature(map, bi, bj));
                    slot.store(kappa.to_bits(), Ordering::Relaxed);
                }
                worst = worst.max(kappa);
            }
        }
        f64::from(worst)
    }
}

/// Height range over a block, overshoot included.
fn block_range(map: &ElevationMap, bi: usize, bj: usize) -> Range {
    let (nx, ny) = (map.grid.nx, map.grid.ny);
    let (i0, j0) = (bi * BLOCK, bj * BLOCK);
    let (i1, j1) = ((i0 + BLOCK).min(nx - 1), (j0 + BLOCK).min(ny - 1));
    let mut range = Range::EMPTY;
    let (mut data, mut all) = (0, 0);
    // Nodes of the block and of the stencils around it.
    let rim = 2_isize;
    for j in j0 as isize - rim..=j1 as isize + rim {
        for i in i0 as isize - rim..=i1 as isize + rim {
            let inside = i >= 0 && j >= 0 && (i as usize) < nx && (j as usize) < ny;
            let mut z = if inside { map.samples.get(j as usize * nx + i as usize) } else { f64::NAN };
            all += 1;
            if z.is_nan() {
                z = map.fill.get(i, j, nx).unwrap_or(f64::NAN);
            } else {
                data += 1;
            }
            if !z.is_nan() {
                range = range.join(Range { lo: z, hi: z });
            }
        }
    }
    // With nodes missing there may be no valid cell at all.
    if data < all && !(j0..j1).any(|j| (i0..i1).any(|i| map.cell_is_valid(i, j))) {
        return Range::EMPTY;
    }
    let (mid, half) = (0.5 * (range.lo + range.hi), 0.5 * (range.hi - range.lo) * LEBESGUE * LEBESGUE);
    let (a, b) = (map.z_offset + map.z_scale * (mid - half), map.z_offset + map.z_scale * (mid + half));
    Range { lo: a.min(b), hi: a.max(b) }
}

/// The least number of 32 bits that is not below a number that is not negative.
fn rounded_up(bound: f64) -> f32 {
    let near = bound as f32;
    if f64::from(near) < bound { near.next_up() } else { near }
}

/// Upper bound of the largest eigenvalue of Hess h over the valid cells of a block of [`BEND_BLOCK`] cells, at least 0 (1/m).
///
/// Second derivatives of a patch are sums of the second differences of its stencil with factors that add
/// to 1, so they exceed the largest difference by at most S·(max − min), S the sum of negative factors.
/// The normal curvature of a graph is h_tt/((1 + h_t²)√(1 + |∇h|²)) ≤ max(h_tt, 0).
fn block_curvature(map: &ElevationMap, bi: usize, bj: usize) -> f64 {
    let (i0, j0) = (bi * BEND_BLOCK, bj * BEND_BLOCK);
    let (i1, j1) = ((i0 + BEND_BLOCK).min(map.grid.nx - 1), (j0 + BEND_BLOCK).min(map.grid.ny - 1));
    let mut worst = 0.0_f64;
    for j in j0..j1 {
        for i in i0..i1 {
            let bound = match map.interpolation {
                Interpolation::Quintic6 => map.stencil_with_fill::<6>(i, j).map(|z| hessian_bound(map, &z, 3.0)),
                _ => map.stencil_with_fill::<4>(i, j).map(|z| hessian_bound(map, &z, 1.4)),
            };
            worst = worst.max(bound.unwrap_or(0.0));
        }
    }
    worst
}

/// Second differences of a stencil along x, along y and across.
fn second_differences<const N: usize>(z: &[[f64; N]; N]) -> [Range; 3] {
    let mut xx = Range::EMPTY;
    let mut yy = Range::EMPTY;
    let mut xy = Range::EMPTY;
    let point = |d: f64| Range { lo: d, hi: d };
    for b in 0..N {
        for a in 0..N {
            if a + 2 < N {
                xx = xx.join(point(z[b][a] - 2.0 * z[b][a + 1] + z[b][a + 2]));
            }
            if b + 2 < N {
                yy = yy.join(point(z[b][a] - 2.0 * z[b + 1][a] + z[b + 2][a]));
            }
            if a + 1 < N && b + 1 < N {
                xy = xy.join(point(z[b + 1][a + 1] - z[b + 1][a] - z[b][a + 1] + z[b][a]));
            }
        }
    }
    [xx, yy, xy]
}

/// Upper bound of |Hess h| over one cell from its stencil (1/m); `excess` as in [`hessian_bound`].
pub(super) fn bend_bound<const N: usize>(map: &ElevationMap, z: &[[f64; N]; N], excess: f64) -> f64 {
    let [xx, yy, xy] = second_differences(z).map(|r| r.hi.abs().max(r.lo.abs()) + excess * (r.hi - r.lo));
    let (kx, ky) = (map.inv_dx, map.inv_dy);
    ((xx * kx * kx).max(yy * ky * ky) + xy * kx * ky) * map.z_scale.abs()
}

/// Upper bound of λ_max(Hess h) over one cell from its stencil; `excess` is S of [`block_curvature`].
fn hessian_bound<const N: usize>(map: &ElevationMap, z: &[[f64; N]; N], excess: f64) -> f64 {
    let [xx, yy, xy] = second_differences(z);
    let scale = map.z_scale.abs();
    // A negative height scale turns hollows into humps.
    let most = |r: Range| {
        let high = if map.z_scale > 0.0 { r.hi } else { -r.lo };
        (high + excess * (r.hi - r.lo)).max(0.0) * scale
    };
    let mixed = (xy.hi.abs().max(xy.lo.abs()) + excess * (xy.hi - xy.lo)) * scale;
    let (kx, ky) = (map.inv_dx, map.inv_dy);
    (most(xx) * kx * kx).max(most(yy) * ky * ky) + mixed * kx * ky
}

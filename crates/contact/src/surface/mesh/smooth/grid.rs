//! # Search grid: which vertices have weight at a place
//!
//! - **in**: balls (centre, radius) (m)
//! - **out**: the balls that may hold a point, in increasing order, read from one cell
//! - **assumes**: balls are inserted in increasing order of their numbers
//!
//! Exact keys: two cells never share a list, so no ball is met twice (a vertex counted twice would break continuity).
//! Balls of very different size go to different [`Level`]s, each within a factor of four: a mesh with facets of 1 mm
//! and 100 mm would otherwise list each large ball in millions of cells.

use nalgebra::Point3;

/// One grid of equal cells.
#[derive(Clone, Debug)]
pub struct Level {
    origin: Point3<f64>,
    inv_cell: f64,
    cell: f64,
    /// Open addressing: key + 1 and number of the cell; 0 where free.
    table: Vec<(u64, u32)>,
    mask: usize,
    offsets: Vec<u32>,
    items: Vec<u32>,
}

/// A ball in the grid.
#[derive(Clone, Copy, Debug)]
pub struct Ball {
    /// Its number.
    pub index: u32,
    /// Centre (m).
    pub centre: Point3<f64>,
    /// Radius (m).
    pub radius: f64,
}

/// Cells over the mean radius.
const CELL: f64 = 0.7;

/// Cells per axis that a key has room for.
const MOST_CELLS: f64 = 2_097_151.0;

/// Grids for all balls; `touches(ball, centre of the cell, half its diagonal)` may say that a ball has nothing in a cell.
pub fn build(balls: &[Ball], touches: impl Fn(&Ball, &Point3<f64>, f64) -> bool) -> Vec<Level> {
    let largest = balls.iter().map(|b| b.radius).fold(0.0, f64::max);
    let level = |b: &Ball| ((largest / b.radius).log2() * 0.5 + 1e-9).floor() as u32;
    let mut numbers: Vec<u32> = balls.iter().map(level).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
        .into_iter()
        .map(|k| {
            let members: Vec<Ball> = balls.iter().copied().filter(|b| level(b) == k).collect();
            Level::new(&members, &touches)
        })
        .collect()
}

impl Level {
    fn new(balls: &[Ball], touches: &impl Fn(&Ball, &Point3<f64>, f64) -> bool) -> Self {
        let mean = balls.iter().map(|b| b.radius).sum::<f64>() / balls.len() as f64;
        let mut low = Point3::from([f64::INFINITY; 3]);
        let mut high = -low;
        for b in balls {
            low = low.inf(&(b.centre.map(|x| x - b.radius)));
            high = high.sup(&(b.centre.map(|x| x + b.radius)));
        }
        let cell = (CELL * mean).max((high - low).max() / (MOST_CELLS - 2.0));
        let mut grid = Self {
            origin: low.map(|x| x - 0.5 * cell),
            inv_cell: 1.0 / cell,
            cell,
            table: vec![(0, 0); 1024],
            mask: 1023,
            offsets: vec![0],
            items: Vec::new(),
        };
        // First how many, then which: lists come out in the order of the balls.
        let mut counts: Vec<u32> = Vec::new();
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for ball in balls {
            grid.visit(ball, touches, &mut counts, &mut pairs);
        }
        for count in &counts {
            grid.offsets.push(grid.offsets[grid.offsets.len() - 1] + count);
        }
        let mut next = grid.offsets.clone();
        grid.items = vec![0; pairs.len()];
        for (cell, ball) in pairs {
            grid.items[next[cell as usize] as usize] = ball;
            next[cell as usize] += 1;
        }
        grid
    }

    fn visit(
        &mut self,
        ball: &Ball,
        touches: &impl Fn(&Ball, &Point3<f64>, f64) -> bool,
        counts: &mut Vec<u32>,
        pairs: &mut Vec<(u32, u32)>,
    ) {
        // A hair more than the ball, so that rounding in the query cannot miss it.
        let (reach, half) = (ball.radius * (1.0 + 1e-9), 0.5 * self.cell);
        let bounds = |k: usize| {
            let at = |x: f64| ((x - self.origin[k]) * self.inv_cell).floor().max(0.0) as u64;
            (at(ball.centre[k] - reach), at(ball.centre[k] + reach))
        };
        let (x, y, z) = (bounds(0), bounds(1), bounds(2));
        for i in x.0..=x.1 {
            for j in y.0..=y.1 {
                for k in z.0..=z.1 {
                    let corner = nalgebra::Vector3::new(i as f64, j as f64, k as f64);
                    let centre = self.origin + corner.add_scalar(0.5) * self.cell;
                    let outside = (ball.centre - centre).map(|d| (d.abs() - half).max(0.0));
                    let diagonal = half * 3.0_f64.sqrt() * (1.0 + 1e-9);
                    if outside.norm() <= reach && touches(ball, &centre, diagonal) {
                        let cell = self.enter(pack(i, j, k), counts.len() as u32);
                        if cell as usize == counts.len() {
                            counts.push(0);
                        }
                        counts[cell as usize] += 1;
                        pairs.push((cell, ball.index));
                    }
                }
            }
        }
    }

    /// The number of a cell; a new cell gets `fresh`.
    fn enter(&mut self, key: u64, fresh: u32) -> u32 {
        let slot = self.slot(key);
        if self.table[slot].0 == 0 {
            self.table[slot] = (key + 1, fresh);
            if (fresh as usize + 1) * 2 > self.table.len() {
                self.double();
            }
            return fresh;
        }
        self.table[slot].1
    }

    fn double(&mut self) {
        let larger = vec![(0, 0); 2 * self.table.len()];
        let old = std::mem::replace(&mut self.table, larger);
        self.mask = self.table.len() - 1;
        for entry in old.into_iter().filter(|e| e.0 != 0) {
            let slot = self.slot(entry.0 - 1);
            self.table[slot] = entry;
        }
    }

    /// Where a key is, or would be.
    #[inline]
    fn slot(&self, key: u64) -> usize {
        let mut slot = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & self.mask;
        while self.table[slot].0 != 0 && self.table[slot].0 != key + 1 {
            slot = (slot + 1) & self.mask;
        }
        slot
    }

    /// The balls that may hold `x`, in increasing order.
    #[inline]
    pub fn near(&self, x: &Point3<f64>) -> &[u32] {
        let c = (x - self.origin) * self.inv_cell;
        let inside = |c: f64| (0.0..MOST_CELLS).contains(&c);
        if !(inside(c.x) && inside(c.y) && inside(c.z)) {
            return &[];
        }
        let (key, cell) = self.table[self.slot(pack(c.x as u64, c.y as u64, c.z as u64))];
        if key == 0 {
            return &[];
        }
        &self.items[self.offsets[cell as usize] as usize..self.offsets[cell as usize + 1] as usize]
    }

    /// Entries in all cells.
    pub fn entries(&self) -> usize {
        self.items.len()
    }
}

#[inline]
fn pack(i: u64, j: u64, k: u64) -> u64 {
    (i << 42) | (j << 21) | k
}

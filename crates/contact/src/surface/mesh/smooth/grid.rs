//! # Search grid: which vertices have weight at a place
//!
//! - **in**: balls (centre, radius) (m)
//! - **out**: the balls that may hold a point, in increasing order, read from one cell
//! - **assumes**: balls are inserted in increasing order of their numbers
//!
//! Exact keys: two cells never share a list, so no ball is met twice (a vertex counted twice would break continuity).
//! Balls of very different size go to different [`Level`]s, each within a factor of four: a mesh with facets of 1 mm
//! and 100 mm would otherwise list each large ball in millions of cells.

use super::cells::Cells;
use nalgebra::Point3;

/// One grid of equal cells.
#[derive(Clone, Debug)]
pub struct Level {
    cells: Cells,
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

/// Grids for all balls, which come with their numbers in increasing order; `done` hears how many were listed.
pub fn build(balls: impl Iterator<Item = Ball> + Clone, done: impl Fn(usize)) -> Vec<Level> {
    let largest = balls.clone().map(|b| b.radius).fold(0.0, f64::max);
    let level = move |b: &Ball| ((largest / b.radius).log2() * 0.5 + 1e-9).floor() as u32;
    let mut numbers: Vec<u32> = Vec::new();
    for k in balls.clone().map(|b| level(&b)) {
        if let Err(place) = numbers.binary_search(&k) {
            numbers.insert(place, k);
        }
    }
    numbers.into_iter().map(|k| Level::new(balls.clone().filter(move |b| level(b) == k), &done)).collect()
}

impl Level {
    fn new(balls: impl Iterator<Item = Ball> + Clone, done: &impl Fn(usize)) -> Self {
        let (mut sum, mut count) = (0.0, 0);
        let mut low = Point3::from([f64::INFINITY; 3]);
        let mut high = -low;
        for b in balls.clone() {
            sum += b.radius;
            count += 1;
            low = low.inf(&(b.centre.map(|x| x - b.radius)));
            high = high.sup(&(b.centre.map(|x| x + b.radius)));
        }
        let mut cells = Cells::new(&low, &high, CELL * sum / f64::from(count));
        // First how many, then which: cells are visited twice, but a list of pairs would take twice the memory of all
        // lists. They come out in the order of the balls.
        let mut counts: Vec<u32> = Vec::new();
        for (k, ball) in balls.clone().enumerate() {
            visit(&mut cells, &ball, |cells, indices| {
                let cell = cells.enter(indices) as usize;
                if cell == counts.len() {
                    counts.push(0);
                }
                counts[cell] += 1;
            });
            if k % 8192 == 8191 {
                done(4096);
            }
        }
        let mut offsets = Vec::with_capacity(counts.len() + 1);
        let mut total = 0;
        offsets.push(0);
        for count in &mut counts {
            // From here on `counts` tells where the next ball of a cell goes.
            let first = total;
            total += *count;
            offsets.push(total);
            *count = first;
        }
        let mut items = vec![0; total as usize];
        for (k, ball) in balls.enumerate() {
            visit(&mut cells, &ball, |cells, indices| {
                if let Some(cell) = cells.find(indices) {
                    let next = &mut counts[cell as usize];
                    items[*next as usize] = ball.index;
                    *next += 1;
                }
            });
            if k % 8192 == 8191 {
                done(4096);
            }
        }
        Self { cells, offsets, items }
    }

    /// Takes a ball out of the lists of cells where `touches(ball, middle of the cell, half its diagonal)` says that it
    /// has nothing.
    pub fn prune(&mut self, touches: impl Fn(u32, &Point3<f64>, f64) -> bool) {
        let half = 0.5 * self.cells.size * 3.0_f64.sqrt() * (1.0 + 1e-9);
        let mut middles = vec![Point3::origin(); self.cells.len()];
        self.cells.iter().for_each(|(indices, cell)| middles[cell as usize] = self.cells.middle(indices));
        let (mut start, mut kept) = (0, 0);
        for (cell, middle) in middles.iter().enumerate() {
            let end = self.offsets[cell + 1] as usize;
            for k in start..end {
                if touches(self.items[k], middle, half) {
                    self.items[kept] = self.items[k];
                    kept += 1;
                }
            }
            start = end;
            self.offsets[cell + 1] = kept as u32;
        }
        self.items.truncate(kept);
        self.items.shrink_to_fit();
    }

    /// The balls that may hold `x`, in increasing order.
    #[inline]
    pub fn near(&self, x: &Point3<f64>) -> &[u32] {
        let Some(cell) = self.cells.at(x) else { return &[] };
        &self.items[self.offsets[cell as usize] as usize..self.offsets[cell as usize + 1] as usize]
    }

    /// Entries in all cells.
    pub fn entries(&self) -> usize {
        self.items.len()
    }
}

/// Visits the cells that a ball touches.
fn visit(cells: &mut Cells, ball: &Ball, mut each: impl FnMut(&mut Cells, [u64; 3])) {
    // A hair more than the ball, so that rounding in the query cannot miss it.
    let (reach, half) = (ball.radius * (1.0 + 1e-9), 0.5 * cells.size);
    let size = cells.size;
    let (low, high) = (cells.indices(&ball.centre.map(|x| x - reach)), cells.indices(&ball.centre.map(|x| x + reach)));
    // Squared distance of the centre from the slab of cells with this index along an axis.
    let first = cells.middle([0; 3]);
    let outside = |axis: usize, index: u64| {
        let d = (ball.centre[axis] - (first[axis] + index as f64 * size)).abs() - half;
        if d > 0.0 { d * d } else { 0.0 }
    };
    let reach2 = reach * reach;
    for i in low[0]..=high[0] {
        let x = outside(0, i);
        for j in low[1]..=high[1] {
            let xy = x + outside(1, j);
            for k in low[2]..=high[2] {
                if xy + outside(2, k) <= reach2 {
                    each(cells, [i, j, k]);
                }
            }
        }
    }
}

//! # Cells: space cut into equal cubes, numbered as they are met
//!
//! - **in**: points (m)
//! - **out**: the number of the cell that holds a point
//! - **assumes**: at most 2²¹ cells along each axis, which `new` sees to
//!
//! A hash table with exact keys: two cells never share a number.

use nalgebra::{Point3, Vector3};

/// Cells per axis that a key has room for.
const MOST_CELLS: f64 = 2_097_151.0;

/// Occupied cells.
#[derive(Clone, Debug)]
pub struct Cells {
    origin: Point3<f64>,
    inv_size: f64,
    /// Edge of a cell (m).
    pub size: f64,
    /// Open addressing: key + 1 and number of the cell; 0 where free. At least half of the slots are free.
    table: Vec<(u64, u32)>,
    mask: usize,
    count: u32,
}

impl Cells {
    /// No cell occupied, in the box from `low` to `high` (m); cells of this size (m), or larger where keys need it.
    pub fn new(low: &Point3<f64>, high: &Point3<f64>, size: f64) -> Self {
        let size = size.max((high - low).max() / (MOST_CELLS - 2.0));
        let origin = low.map(|x| x - 0.5 * size);
        Self { origin, inv_size: 1.0 / size, size, table: vec![(0, 0); 1024], mask: 1023, count: 0 }
    }

    /// Number of occupied cells.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Indices along the axes of the cell that holds `x`, moved into the box.
    pub fn indices(&self, x: &Point3<f64>) -> [u64; 3] {
        let at = |k: usize| ((x[k] - self.origin[k]) * self.inv_size).floor().clamp(0.0, MOST_CELLS) as u64;
        [at(0), at(1), at(2)]
    }

    /// The middle of a cell (m).
    pub fn middle(&self, [i, j, k]: [u64; 3]) -> Point3<f64> {
        self.origin + Vector3::new(i as f64, j as f64, k as f64).add_scalar(0.5) * self.size
    }

    /// The occupied cells: indices and number.
    pub fn iter(&self) -> impl Iterator<Item = ([u64; 3], u32)> + '_ {
        const LOW: u64 = (1 << 21) - 1;
        let open = |key: u64| [key >> 42, key >> 21 & LOW, key & LOW];
        self.table.iter().filter(|entry| entry.0 != 0).map(move |&(key, cell)| (open(key - 1), cell))
    }

    /// The number of a cell, which becomes occupied.
    pub fn enter(&mut self, indices: [u64; 3]) -> u32 {
        let key = pack(indices);
        let slot = self.slot(key);
        if self.table[slot].0 != 0 {
            return self.table[slot].1;
        }
        let fresh = self.count;
        self.table[slot] = (key + 1, fresh);
        self.count += 1;
        if 2 * self.count as usize > self.table.len() {
            self.double();
        }
        fresh
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

    /// The number of an occupied cell.
    #[inline]
    pub fn find(&self, indices: [u64; 3]) -> Option<u32> {
        let (key, cell) = self.table[self.slot(pack(indices))];
        (key != 0).then_some(cell)
    }

    /// The number of the occupied cell that holds `x`.
    #[inline]
    pub fn at(&self, x: &Point3<f64>) -> Option<u32> {
        let c = (x - self.origin) * self.inv_size;
        let inside = |c: f64| (0.0..MOST_CELLS).contains(&c);
        if !(inside(c.x) && inside(c.y) && inside(c.z)) {
            return None;
        }
        self.find([c.x as u64, c.y as u64, c.z as u64])
    }
}

#[inline]
fn pack([i, j, k]: [u64; 3]) -> u64 {
    (i << 42) | (j << 21) | k
}

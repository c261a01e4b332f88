//! # Packed: the program as one solve reads it, rows in the order of the factor
//!
//! `program` ──▶ **here** ──▶ `interior`
//!
//! - **in**: a program
//! - **out**: the same numbers with rows sorted so that rows of few blocks come first; products with A and its transpose
//! - **not here**: grades, which are computed from the program itself
//! - **start at** [`Packed::gather`]
//!
//! Each block names its rows in rising order, so that products of its rows fill one triangle of the normal matrix.

use super::Socp;

/// Runs a body with the size of a block: sizes 4 and 1 as constants, so that loops over them unroll.
macro_rules! by_size {
    ($dim:expr, $d:ident => $body:expr) => {
        match $dim {
            4 => {
                let $d = 4usize;
                $body
            }
            1 => {
                let $d = 1usize;
                $body
            }
            $d => $body,
        }
    };
}
pub(super) use by_size;

/// A block of variables in one cone.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// First variable.
    pub first: usize,
    /// Variables.
    pub dim: usize,
    rows: [usize; 2],
    entries: [usize; 2],
    /// Whether the cost of one of its variables is not zero.
    pub costs: bool,
}

/// A program in the order of the factor.
#[derive(Clone, Debug, Default)]
pub struct Packed {
    /// Right sides.
    pub rhs: Vec<f64>,
    /// Columns of the free variables.
    pub columns: Vec<f64>,
    /// Blocks.
    pub blocks: Vec<Block>,
    /// Entries of all blocks, row by row.
    pub entries: Vec<f64>,
    row_of: Vec<usize>,
    /// Sorted place of each row.
    place: Vec<usize>,
    touches: Vec<usize>,
    order: Vec<usize>,
}

impl Block {
    /// Its part of a vector of variables.
    #[inline(always)]
    pub fn of<'a>(&self, v: &'a [f64], d: usize) -> &'a [f64] {
        &v[self.first..self.first + d]
    }

    /// Its part of a vector of variables, to be changed.
    #[inline(always)]
    pub fn of_mut<'a>(&self, v: &'a mut [f64], d: usize) -> &'a mut [f64] {
        &mut v[self.first..self.first + d]
    }

    /// The places of its rows, rising.
    #[inline(always)]
    pub fn rows<'a>(&self, packed: &'a Packed) -> &'a [usize] {
        &packed.row_of[self.rows[0]..self.rows[1]]
    }

    /// Where its entries are.
    #[inline(always)]
    pub fn range(&self) -> std::ops::Range<usize> {
        self.entries[0]..self.entries[1]
    }
}

impl Packed {
    /// Takes over a program.
    pub fn gather(&mut self, program: &Socp) {
        let m = program.rows();
        self.touches.clear();
        self.touches.resize(m, 0);
        program.row_of.iter().for_each(|row| self.touches[*row] += 1);
        self.order.clear();
        self.order.extend(0..m);
        let touches = &self.touches;
        self.order.sort_unstable_by_key(|row| (touches[*row], *row));
        self.place.clear();
        self.place.resize(m, 0);
        self.order.iter().enumerate().for_each(|(place, row)| self.place[*row] = place);
        self.rhs.clear();
        self.rhs.extend(self.order.iter().map(|row| program.rhs[*row]));
        self.columns.clear();
        for column in program.free.chunks_exact(m.max(1)) {
            self.columns.extend(self.order.iter().map(|row| column[*row]));
        }
        self.blocks.clear();
        self.row_of.clear();
        self.entries.clear();
        for block in &program.blocks {
            let (rows, entries) = (program.rows_of(block), program.entries_of(block));
            let begin = [self.row_of.len(), self.entries.len()];
            // The order of the rows by insertion: there are few, and most are sorted already.
            self.touches.clear();
            for (i, row) in rows.iter().enumerate() {
                let place = self.place[*row];
                let at = self.touches.iter().rposition(|j| self.place[rows[*j]] < place).map_or(0, |at| at + 1);
                self.touches.insert(at, i);
            }
            for i in &self.touches {
                self.row_of.push(self.place[rows[*i]]);
                self.entries.extend_from_slice(&entries[i * block.dim..(i + 1) * block.dim]);
            }
            let cost = &program.cost[block.first..block.first + block.dim];
            self.blocks.push(Block {
                first: block.first,
                dim: block.dim,
                rows: [begin[0], self.row_of.len()],
                entries: [begin[1], self.entries.len()],
                costs: cost.iter().any(|c| *c != 0.0),
            });
        }
    }

    /// Sorted rows in the order of the program.
    pub fn unsorted(&self, sorted: &[f64]) -> impl Iterator<Item = f64> {
        self.place.iter().map(|place| sorted[*place])
    }

    /// out ← A x + A_f x_f.
    pub fn times(&self, x: &[f64], free: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for block in &self.blocks {
            let (rows, entries) = (block.rows(self), &self.entries[block.range()]);
            by_size!(block.dim, d => add_times(d, rows, entries, block.of(x, d), out));
        }
        for (column, x) in self.columns.chunks_exact(self.rhs.len().max(1)).zip(free) {
            column.iter().zip(out.iter_mut()).for_each(|(a, out)| *out += a * x);
        }
    }
}

/// out += A_i x_i for one block.
#[inline(always)]
pub fn add_times(d: usize, rows: &[usize], entries: &[f64], x: &[f64], out: &mut [f64]) {
    for (row, entries) in rows.iter().zip(entries.chunks_exact(d)) {
        out[*row] += product(d, entries, x);
    }
}

/// out += A_iᵀ y for one block.
#[inline(always)]
pub fn add_transposed(d: usize, rows: &[usize], entries: &[f64], y: &[f64], out: &mut [f64]) {
    for (row, entries) in rows.iter().zip(entries.chunks_exact(d)) {
        let y = y[*row];
        for k in 0..d {
            out[k] += entries[k] * y;
        }
    }
}

/// a·b of d numbers.
#[inline(always)]
pub fn product(d: usize, a: &[f64], b: &[f64]) -> f64 {
    if d == 4 {
        return (a[0] * b[0] + a[2] * b[2]) + (a[1] * b[1] + a[3] * b[3]);
    }
    a[..d].iter().zip(&b[..d]).map(|(a, b)| a * b).sum()
}

//! # Program: the plain data of a second-order cone program, and how well an answer meets it
//!
//! - **in**: blocks of variables with the rows they touch
//! - **out**: products with A and its transpose; [`Grade`] of an answer or of a certificate
//! - **not here**: how it is solved (`interior`)
//! - **start at** [`Socp::block`]

/// A block of variables in one cone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// First variable.
    pub first: usize,
    /// Variables.
    pub dim: usize,
    /// First of its rows in `row_of`.
    pub rows: usize,
    /// How many rows it touches.
    pub touched: usize,
    /// First of its entries, row by row.
    pub entries: usize,
}

/// A second-order cone program (see the room's text for the form).
#[derive(Clone, Debug, Default)]
pub struct Socp {
    pub(super) rhs: Vec<f64>,
    pub(super) cost: Vec<f64>,
    pub(super) free_cost: Vec<f64>,
    /// Columns of the free variables, each as long as there are rows.
    pub(super) free: Vec<f64>,
    pub(super) blocks: Vec<Block>,
    pub(super) row_of: Vec<usize>,
    pub(super) entries: Vec<f64>,
}

/// How well an answer meets the conditions; each in the units of the program over 1 + its largest number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Grade {
    /// Largest |A x − b| over 1 + |b|; for certificates of infeasibility how far −Aᵀy is outside the cones.
    pub primal: f64,
    /// How far x and z = c − Aᵀy are outside their cones, over 1 + |c|.
    pub dual: f64,
    /// |c·x − b·y| over 1 + |c·x|.
    pub gap: f64,
}

impl Grade {
    /// The worst of the three.
    pub fn worst(&self) -> f64 {
        self.primal.max(self.dual).max(self.gap)
    }
}

impl Socp {
    /// A program with these right sides and no variables yet.
    pub fn new(rhs: &[f64]) -> Self {
        Self { rhs: rhs.to_vec(), ..Self::default() }
    }

    /// Number of equations.
    pub fn rows(&self) -> usize {
        self.rhs.len()
    }

    /// Number of variables in cones.
    pub fn variables(&self) -> usize {
        self.cost.len()
    }

    /// The right sides, to be changed between solves.
    pub fn rhs_mut(&mut self) -> &mut [f64] {
        &mut self.rhs
    }

    /// Adds a block in one cone, with the rows it touches; returns its first variable.
    ///
    /// Rows must be named once each and lie below [`Socp::rows`].
    pub fn block<const D: usize>(&mut self, cost: &[f64; D], rows: &[(usize, [f64; D])]) -> usize {
        let touched = rows.iter().map(|(row, entries)| (*row, entries.as_slice()));
        self.block_of(cost, touched)
    }

    /// [`Socp::block`] for a size that is known at run time.
    pub fn block_of<'a>(&mut self, cost: &[f64], rows: impl Iterator<Item = (usize, &'a [f64])>) -> usize {
        let first = self.cost.len();
        let mut block =
            Block { first, dim: cost.len(), rows: self.row_of.len(), touched: 0, entries: self.entries.len() };
        for (row, entries) in rows {
            debug_assert!(row < self.rhs.len() && entries.len() == cost.len());
            self.row_of.push(row);
            self.entries.extend_from_slice(entries);
            block.touched += 1;
        }
        self.cost.extend_from_slice(cost);
        self.blocks.push(block);
        first
    }

    /// Adds a variable x ≥ 0 that enters one row with a factor.
    pub fn slack(&mut self, row: usize, factor: f64) -> usize {
        self.block(&[0.0], &[(row, [factor])])
    }

    /// Adds a free variable with the rows it enters; returns its index among the free ones.
    pub fn free(&mut self, cost: f64, entries: &[(usize, f64)]) -> usize {
        let rows = self.rows();
        let start = self.free.len();
        self.free.resize(start + rows, 0.0);
        for (row, entry) in entries {
            self.free[start + row] += entry;
        }
        self.free_cost.push(cost);
        self.free_cost.len() - 1
    }

    pub(super) fn rows_of(&self, block: &Block) -> &[usize] {
        &self.row_of[block.rows..block.rows + block.touched]
    }

    pub(super) fn entries_of(&self, block: &Block) -> &[f64] {
        &self.entries[block.entries..block.entries + block.touched * block.dim]
    }

    /// out = A x + A_f x_f.
    pub(super) fn times(&self, x: &[f64], free: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for block in &self.blocks {
            let part = &x[block.first..block.first + block.dim];
            for (row, entries) in self.rows_of(block).iter().zip(self.entries_of(block).chunks_exact(block.dim)) {
                out[*row] += entries.iter().zip(part).map(|(a, x)| a * x).sum::<f64>();
            }
        }
        for (column, x) in self.free.chunks_exact(self.rows().max(1)).zip(free) {
            column.iter().zip(out.iter_mut()).for_each(|(a, out)| *out += a * x);
        }
    }

    /// out = Aᵀy over the variables in cones.
    pub(super) fn transposed(&self, y: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for block in &self.blocks {
            let part = &mut out[block.first..block.first + block.dim];
            for (row, entries) in self.rows_of(block).iter().zip(self.entries_of(block).chunks_exact(block.dim)) {
                let y = y[*row];
                entries.iter().zip(part.iter_mut()).for_each(|(a, out)| *out += a * y);
            }
        }
    }

    /// out = A_fᵀy over the free variables.
    pub(super) fn transposed_free(&self, y: &[f64], out: &mut [f64]) {
        for (column, out) in self.free.chunks_exact(self.rows().max(1)).zip(out.iter_mut()) {
            *out = dot(column, y);
        }
    }

    /// How far a vector is outside the cones.
    fn outside(&self, v: &[f64]) -> f64 {
        let off = |block: &Block| {
            let part = &v[block.first..block.first + block.dim];
            part[1..].iter().map(|x| x * x).sum::<f64>().sqrt() - part[0]
        };
        self.blocks.iter().map(off).fold(0.0, f64::max)
    }

    /// Grade of an answer.
    pub fn grade(&self, x: &[f64], free: &[f64], y: &[f64]) -> Grade {
        let mut row = vec![0.0; self.rows()];
        self.times(x, free, &mut row);
        let primal = row.iter().zip(&self.rhs).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let mut z = vec![0.0; x.len()];
        self.transposed(y, &mut z);
        z.iter_mut().zip(&self.cost).for_each(|(z, c)| *z = c - *z);
        let mut z_free = vec![0.0; free.len()];
        self.transposed_free(y, &mut z_free);
        let off_free = z_free.iter().zip(&self.free_cost).map(|(a, c)| (a - c).abs()).fold(0.0, f64::max);
        let costs = largest(&self.cost).max(largest(&self.free_cost));
        let value = self.value(x, free);
        let gap = (value - dot(&self.rhs, y)).abs() / (1.0 + value.abs());
        let sides = 1.0 + largest(&self.rhs);
        Grade {
            primal: primal / sides,
            dual: (self.outside(&z).max(off_free) / (1.0 + costs)).max(self.outside(x) / (1.0 + largest(x))),
            gap,
        }
    }

    /// Grade of a certificate y that no x exists: b·y = 1 is given, the rest is graded.
    pub fn grade_certificate(&self, y: &[f64]) -> Grade {
        let mut z = vec![0.0; self.variables()];
        self.transposed(y, &mut z);
        z.iter_mut().for_each(|z| *z = -*z);
        let mut z_free = vec![0.0; self.free_cost.len()];
        self.transposed_free(y, &mut z_free);
        let gap = (dot(&self.rhs, y) - 1.0).abs();
        Grade { primal: self.outside(&z).max(largest(&z_free)) / (1.0 + largest(&z)), dual: 0.0, gap }
    }

    /// Grade of a ray x along which the cost falls: c·x = −1 is given, the rest is graded.
    pub fn grade_ray(&self, x: &[f64], free: &[f64]) -> Grade {
        let mut row = vec![0.0; self.rows()];
        self.times(x, free, &mut row);
        let gap = (self.value(x, free) + 1.0).abs();
        Grade { primal: largest(&row) / (1.0 + largest(x)), dual: self.outside(x) / (1.0 + largest(x)), gap }
    }

    /// c·x.
    pub fn value(&self, x: &[f64], free: &[f64]) -> f64 {
        dot(&self.cost, x) + dot(&self.free_cost, free)
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(super) fn largest(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |most, x| f64::max(most, x.abs()))
}

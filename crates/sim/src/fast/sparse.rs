//! # Sparse: Cholesky's factor of a matrix of 6 × 6 blocks with the zeros of a contact graph
//!
//! - **in**: which bodies touch; blocks
//! - **out**: an order of elimination, the factor, solutions
//! - **start at** [`Pattern::analyse`], then [`Factor`]
//!
//! Bodies are eliminated in order of least degree, ties by index, so that equal graphs give equal orders. What one
//! elimination touches is listed beforehand; the numbers then only follow the list.
//!
//! Stacks, hands and small heaps fill in little, and the factor solves. In a heap of many bodies it would fill in with the
//! square of their number and more; there the factor keeps the zeros of the graph (incomplete) and leads conjugate
//! gradients.

use super::block::Block;

/// Where blocks are, and in which order they are eliminated.
#[derive(Clone, Debug, Default)]
pub struct Pattern {
    /// Place in the order of each body.
    pub place: Vec<u32>,
    /// First block below the diagonal of each column, one more at the end.
    starts: Vec<u32>,
    /// Row (place) of each block below the diagonal, rising within a column.
    rows: Vec<u32>,
    /// For each pair of blocks of a column, the block it is taken from; diagonals after all others.
    targets: Vec<u32>,
    /// Whether the factor leaves out what would fill in.
    pub incomplete: bool,
    neighbours: Vec<Vec<u32>>,
    order: Vec<u32>,
    done: Vec<bool>,
}

impl Pattern {
    /// Order and fill for `count` bodies and the pairs that touch.
    pub fn analyse(&mut self, count: usize, edges: impl Iterator<Item = (u32, u32)>) {
        while self.neighbours.len() < count {
            self.neighbours.push(Vec::new());
        }
        for list in &mut self.neighbours[..count] {
            list.clear();
        }
        for (i, j) in edges {
            insert(&mut self.neighbours[i as usize], j);
            insert(&mut self.neighbours[j as usize], i);
        }
        let touching = self.neighbours[..count].iter().map(Vec::len).sum::<usize>() / 2;
        self.incomplete = count > HEAP && 2 * touching > 3 * count;
        self.order.clear();
        if self.incomplete {
            self.order.extend(0..count as u32);
            for (i, list) in self.neighbours[..count].iter_mut().enumerate() {
                list.retain(|j| *j > i as u32);
            }
            return self.list(count);
        }
        self.done.clear();
        self.done.resize(count, false);
        for _ in 0..count {
            let mut best: Option<usize> = None;
            for i in 0..count {
                let degree = |i: usize| self.neighbours[i].len();
                if !self.done[i] && best.is_none_or(|b| degree(i) < degree(b)) {
                    best = Some(i);
                }
            }
            let Some(i) = best else { break };
            self.done[i] = true;
            self.order.push(i as u32);
            // Its neighbours become neighbours of each other; its own list stays as its column.
            let list = std::mem::take(&mut self.neighbours[i]);
            for &j in &list {
                let other = &mut self.neighbours[j as usize];
                if let Ok(at) = other.binary_search(&(i as u32)) {
                    other.remove(at);
                }
                for &k in &list {
                    if k != j {
                        insert(&mut self.neighbours[j as usize], k);
                    }
                }
            }
            self.neighbours[i] = list;
        }
        self.list(count);
    }

    /// Columns and what each elimination touches.
    fn list(&mut self, count: usize) {
        self.place.clear();
        self.place.resize(count, 0);
        for (place, &body) in self.order.iter().enumerate() {
            self.place[body as usize] = place as u32;
        }
        self.starts.clear();
        self.rows.clear();
        for &body in &self.order {
            self.starts.push(self.rows.len() as u32);
            let first = self.rows.len();
            self.rows.extend(self.neighbours[body as usize].iter().map(|j| self.place[*j as usize]));
            self.rows[first..].sort_unstable();
        }
        self.starts.push(self.rows.len() as u32);
        self.targets.clear();
        for column in 0..count {
            let (first, last) = (self.starts[column] as usize, self.starts[column + 1] as usize);
            for k in first..last {
                for i in k..last {
                    let target = self.find(self.rows[k], self.rows[i]);
                    self.targets.push(target.unwrap_or(NONE));
                }
            }
        }
    }

    /// Index of the block at two places, if there is one; diagonals after all others.
    pub fn find(&self, one: u32, other: u32) -> Option<u32> {
        let (column, row) = (one.min(other), one.max(other));
        if column == row {
            return Some(self.rows.len() as u32 + column);
        }
        let (first, last) = (self.starts[column as usize] as usize, self.starts[column as usize + 1] as usize);
        self.rows[first..last].binary_search(&row).ok().map(|at| (first + at) as u32)
    }

    /// Number of blocks, diagonals included.
    pub fn blocks(&self) -> usize {
        self.rows.len() + self.order.len()
    }
}

/// No block.
const NONE: u32 = u32::MAX;
/// Islands of more bodies, each touching more than three others on average, are heaps.
const HEAP: usize = 16;

fn insert(list: &mut Vec<u32>, x: u32) {
    if let Err(at) = list.binary_search(&x) {
        list.insert(at, x);
    }
}

/// Numbers of a matrix and then of its factor.
#[derive(Clone, Debug, Default)]
pub struct Factor {
    /// Blocks below the diagonal, then diagonals.
    pub blocks: Vec<Block>,
    /// The matrix itself, where the factor is incomplete.
    matrix: Vec<Block>,
    residual: Vec<[f64; 6]>,
    lead: Vec<[f64; 6]>,
    along: Vec<[f64; 6]>,
    image: Vec<[f64; 6]>,
}

/// Most iterations of conjugate gradients.
const ITERATIONS: u32 = 200;

impl Factor {
    /// The identity.
    pub fn reset(&mut self, pattern: &Pattern) {
        self.blocks.clear();
        self.blocks.resize(pattern.blocks(), [[0.0; 6]; 6]);
        for block in &mut self.blocks[pattern.rows.len()..] {
            for i in 0..6 {
                block[i][i] = 1.0;
            }
        }
    }

    /// Factors in place. `false` if the matrix is not positive.
    pub fn factor(&mut self, pattern: &Pattern) -> bool {
        let count = pattern.order.len();
        let diagonals = pattern.rows.len();
        if pattern.incomplete {
            self.matrix.clone_from(&self.blocks);
        }
        let mut next = 0;
        for column in 0..count {
            if !cholesky(&mut self.blocks[diagonals + column]) {
                if !pattern.incomplete {
                    return false;
                }
                // What was left out made it so: the matrix's own diagonal leads instead.
                self.blocks[diagonals + column] = self.matrix[diagonals + column];
                cholesky(&mut self.blocks[diagonals + column]);
            }
            let L = self.blocks[diagonals + column];
            let (first, last) = (pattern.starts[column] as usize, pattern.starts[column + 1] as usize);
            for block in &mut self.blocks[first..last] {
                divide(block, &L);
            }
            for k in first..last {
                let right = self.blocks[k];
                for i in k..last {
                    let target = pattern.targets[next];
                    next += 1;
                    if target != NONE {
                        let left = self.blocks[i];
                        subtract_product(&mut self.blocks[target as usize], &left, &right);
                    }
                }
            }
        }
        true
    }

    /// Solves for one right side, by places in the order of elimination, to a share of its size where the factor is
    /// incomplete.
    pub fn solve(&mut self, pattern: &Pattern, x: &mut [[f64; 6]], share: f64) {
        if !pattern.incomplete {
            return self.substitute(pattern, x);
        }
        let Self { residual, lead, along, image, .. } = &mut *self;
        for list in [&mut *residual, &mut *lead, &mut *along, &mut *image] {
            list.clear();
        }
        residual.extend_from_slice(x);
        lead.extend_from_slice(x);
        along.resize(x.len(), [0.0; 6]);
        image.resize(x.len(), [0.0; 6]);
        let (mut residual, mut lead) = (std::mem::take(residual), std::mem::take(lead));
        let (mut along, mut image) = (std::mem::take(along), std::mem::take(image));
        let enough = share * share * dot(&residual, &residual);
        x.fill([0.0; 6]);
        let mut before = 1.0;
        for i in 0..ITERATIONS {
            lead.copy_from_slice(&residual);
            self.substitute(pattern, &mut lead);
            let now = dot(&residual, &lead);
            let beta = if i == 0 { 0.0 } else { now / before };
            before = now;
            for (a, l) in along.iter_mut().zip(&lead) {
                for k in 0..6 {
                    a[k] = l[k] + beta * a[k];
                }
            }
            self.multiply(pattern, &along, &mut image);
            let alpha = now / dot(&along, &image);
            if !alpha.is_finite() {
                break;
            }
            for j in 0..x.len() {
                for k in 0..6 {
                    x[j][k] += alpha * along[j][k];
                    residual[j][k] -= alpha * image[j][k];
                }
            }
            if dot(&residual, &residual) <= enough {
                break;
            }
        }
        (self.residual, self.lead, self.along, self.image) = (residual, lead, along, image);
    }

    /// The matrix, kept beside its incomplete factor, times x.
    fn multiply(&self, pattern: &Pattern, x: &[[f64; 6]], y: &mut [[f64; 6]]) {
        let diagonals = pattern.rows.len();
        for column in 0..x.len() {
            let from = x[column];
            let block = &self.matrix[diagonals + column];
            let mut sum = [0.0; 6];
            for j in 0..6 {
                for i in 0..6 {
                    sum[i] += block[j][i] * from[j];
                }
            }
            y[column] = sum;
        }
        for column in 0..x.len() {
            let from = x[column];
            let mut sum = y[column];
            for k in pattern.starts[column] as usize..pattern.starts[column + 1] as usize {
                let (block, row) = (&self.matrix[k], pattern.rows[k] as usize);
                let below = x[row];
                let target = &mut y[row];
                for j in 0..6 {
                    for i in 0..6 {
                        target[i] += block[j][i] * from[j];
                        sum[j] += block[j][i] * below[i];
                    }
                }
            }
            y[column] = sum;
        }
    }

    /// By the factor.
    fn substitute(&self, pattern: &Pattern, x: &mut [[f64; 6]]) {
        let count = pattern.order.len();
        let diagonals = pattern.rows.len();
        for column in 0..count {
            let L = &self.blocks[diagonals + column];
            let mut y = x[column];
            for j in 0..6 {
                y[j] /= L[j][j];
                for i in j + 1..6 {
                    y[i] -= L[j][i] * y[j];
                }
            }
            x[column] = y;
            for k in pattern.starts[column] as usize..pattern.starts[column + 1] as usize {
                let block = &self.blocks[k];
                let target = &mut x[pattern.rows[k] as usize];
                for j in 0..6 {
                    for i in 0..6 {
                        target[i] -= block[j][i] * y[j];
                    }
                }
            }
        }
        for column in (0..count).rev() {
            let mut y = x[column];
            for k in pattern.starts[column] as usize..pattern.starts[column + 1] as usize {
                let block = &self.blocks[k];
                let below = &x[pattern.rows[k] as usize];
                for j in 0..6 {
                    for i in 0..6 {
                        y[j] -= block[j][i] * below[i];
                    }
                }
            }
            let L = &self.blocks[diagonals + column];
            for j in (0..6).rev() {
                for i in j + 1..6 {
                    y[j] -= L[j][i] * y[i];
                }
                y[j] /= L[j][j];
            }
            x[column] = y;
        }
    }
}

fn dot(a: &[[f64; 6]], b: &[[f64; 6]]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (0..6).map(|i| a[i] * b[i]).sum::<f64>()).sum()
}

/// Lower factor in place; the part above the diagonal is not read.
#[inline]
fn cholesky(m: &mut Block) -> bool {
    for j in 0..6 {
        let d = m[j][j];
        if d.is_nan() || d <= 0.0 {
            return false;
        }
        let r = d.sqrt();
        let over = 1.0 / r;
        m[j][j] = r;
        for i in j + 1..6 {
            m[j][i] *= over;
        }
        for k in j + 1..6 {
            let x = m[j][k];
            for i in k..6 {
                m[k][i] -= m[j][i] * x;
            }
        }
    }
    true
}

/// B ← B L⁻ᵀ.
#[inline]
fn divide(b: &mut Block, L: &Block) {
    for j in 0..6 {
        let over = 1.0 / L[j][j];
        for i in 0..6 {
            b[j][i] *= over;
        }
        let column = b[j];
        for k in j + 1..6 {
            let x = L[j][k];
            for i in 0..6 {
                b[k][i] -= column[i] * x;
            }
        }
    }
}

/// C ← C − A Bᵀ.
#[inline]
fn subtract_product(c: &mut Block, a: &Block, b: &Block) {
    for j in 0..6 {
        let mut column = c[j];
        for k in 0..6 {
            let x = b[k][j];
            for i in 0..6 {
                column[i] -= a[k][i] * x;
            }
        }
        c[j] = column;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};

    /// Against a dense solution: a ring with chords and a lone body, which the factor solves, and a heap, which conjugate
    /// gradients do. Random blocks made positive by their row sums.
    #[test]
    fn factor_solves_what_a_dense_matrix_solves() {
        let ring: Vec<(u32, u32)> = (0..8).map(|i| (i, (i + 1) % 8)).chain([(0, 4), (2, 7), (3, 6)]).collect();
        let heap: Vec<(u32, u32)> = (0..20).flat_map(|i| [1, 2, 5, 7].map(|d| (i, (i + d) % 20))).collect();
        for (count, edges, incomplete) in [(9, ring, false), (20, heap, true)] {
            solves(count, &edges, incomplete);
        }
    }

    fn solves(count: usize, edges: &[(u32, u32)], incomplete: bool) {
        let mut pattern = Pattern::default();
        pattern.analyse(count, edges.iter().copied());
        assert_eq!(pattern.incomplete, incomplete);
        let mut factor = Factor::default();
        factor.reset(&pattern);
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let mut dense = DMatrix::<f64>::identity(6 * count, 6 * count) * 20.0;
        for block in &mut factor.blocks[pattern.rows.len()..] {
            for i in 0..6 {
                block[i][i] = 20.0;
            }
        }
        for &(i, j) in edges {
            let (pi, pj) = (pattern.place[i as usize], pattern.place[j as usize]);
            let at = pattern.find(pi, pj).unwrap() as usize;
            // The block has the later place as its rows.
            let (row, column) = if pi > pj { (i, j) } else { (j, i) };
            for c in 0..6 {
                for r in 0..6 {
                    let x = random();
                    factor.blocks[at][c][r] += x;
                    dense[(6 * row as usize + r, 6 * column as usize + c)] += x;
                    dense[(6 * column as usize + c, 6 * row as usize + r)] += x;
                }
            }
        }
        let b = DVector::from_fn(6 * count, |_, _| random());
        let want = dense.clone().lu().solve(&b).unwrap();
        assert!(factor.factor(&pattern));
        let mut x = vec![[0.0; 6]; count];
        for body in 0..count {
            for r in 0..6 {
                x[pattern.place[body] as usize][r] = b[6 * body + r];
            }
        }
        factor.solve(&pattern, &mut x, 1e-15);
        for body in 0..count {
            for r in 0..6 {
                assert!((x[pattern.place[body] as usize][r] - want[6 * body + r]).abs() < 1e-12);
            }
        }
    }
}

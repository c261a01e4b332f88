//! # Sparse: Cholesky's factor of a matrix of 6 × 6 blocks with the zeros of a contact graph
//!
//! - **in**: which bodies touch; blocks
//! - **out**: an order of elimination, the factor, solutions
//! - **start at** [`Pattern::analyse`], then [`Factor`]
//!
//! Bodies are eliminated in order of least degree, ties by index, so that equal graphs give equal orders. What one
//! elimination touches is listed beforehand; the numbers then only follow the list.

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
        self.done.clear();
        self.done.resize(count, false);
        self.order.clear();
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
                    self.targets.push(target);
                }
            }
        }
    }

    /// Index of the block at two places; diagonals after all others.
    pub fn find(&self, one: u32, other: u32) -> u32 {
        let (column, row) = (one.min(other), one.max(other));
        if column == row {
            return self.rows.len() as u32 + column;
        }
        let (first, last) = (self.starts[column as usize] as usize, self.starts[column as usize + 1] as usize);
        // Every pair that is asked for has a block: it touches, or was filled.
        let at = self.rows[first..last].binary_search(&row).unwrap_or(0);
        (first + at) as u32
    }

    /// Number of blocks, diagonals included.
    pub fn blocks(&self) -> usize {
        self.rows.len() + self.order.len()
    }
}

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
}

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
        let mut next = 0;
        for column in 0..count {
            if !cholesky(&mut self.blocks[diagonals + column]) {
                return false;
            }
            let L = self.blocks[diagonals + column];
            let (first, last) = (pattern.starts[column] as usize, pattern.starts[column + 1] as usize);
            for block in &mut self.blocks[first..last] {
                divide(block, &L);
            }
            for k in first..last {
                let right = self.blocks[k];
                for i in k..last {
                    let left = self.blocks[i];
                    subtract_product(&mut self.blocks[pattern.targets[next] as usize], &left, &right);
                    next += 1;
                }
            }
        }
        true
    }

    /// Solves for one right side, by places in the order of elimination.
    pub fn solve(&self, pattern: &Pattern, x: &mut [[f64; 6]]) {
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

    /// Against a dense solution: a ring with chords and a lone body, random blocks made positive by their row sums.
    #[test]
    fn factor_solves_what_a_dense_matrix_solves() {
        let count = 9;
        let mut edges: Vec<(u32, u32)> = (0..7).map(|i| (i, (i + 1) % 8)).collect();
        edges.extend([(0, 4), (2, 7), (3, 6)]);
        let mut pattern = Pattern::default();
        pattern.analyse(count, edges.iter().copied());
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
        for &(i, j) in &edges {
            let (pi, pj) = (pattern.place[i as usize], pattern.place[j as usize]);
            let at = pattern.find(pi, pj) as usize;
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
        factor.solve(&pattern, &mut x);
        for body in 0..count {
            for r in 0..6 {
                assert!((x[pattern.place[body] as usize][r] - want[6 * body + r]).abs() < 1e-13);
            }
        }
    }
}

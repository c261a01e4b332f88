//! # Block LU: regular matrices of blocks, symmetric or not
//!
//! - **in**: pairs of nodes that meet; blocks by rows
//! - **out**: factors, solutions
//! - **assumes**: diagonal blocks that stay regular, as those of 1 + JᵀDJ with D ≥ 0 do; no pivots from other nodes
//! - **start at** [`BlockLu::analyse`], then [`BlockLu::own`], [`BlockLu::pair`], [`BlockLu::factor`], [`BlockLu::solve`]
//!
//! The [`Pattern`] is kept while the graph stays as it is.

use super::block::{Block, Six};
use super::pattern::{Fill, NONE, Pattern};

const EMPTY: Block = [[0.0; 6]; 6];

/// Order, blocks and factors.
#[derive(Clone, Debug, Default)]
pub struct BlockLu {
    /// Pairs of the last analysis, and room for the next.
    edges: Vec<(u32, u32)>,
    asked: Vec<(u32, u32)>,
    count: usize,
    pattern: Pattern,
    /// Blocks below the diagonal by column, and those above by row.
    lower: Vec<Block>,
    upper: Vec<Block>,
    diagonal: Vec<Block>,
    x: Vec<Six>,
}

impl BlockLu {
    /// Order and fill for `count` nodes and the pairs that meet; nothing is done where they are those of the last time. A
    /// pair with [`NONE`] or with itself is none.
    pub fn analyse(&mut self, count: usize, pairs: impl Iterator<Item = (u32, u32)>) {
        self.asked.clear();
        self.asked.extend(pairs.filter(|(i, j)| i != j && *i != NONE && *j != NONE).map(|(i, j)| (i.min(j), i.max(j))));
        self.asked.sort_unstable();
        self.asked.dedup();
        if count == self.count && self.asked == self.edges {
            return;
        }
        std::mem::swap(&mut self.edges, &mut self.asked);
        self.count = count;
        self.pattern.analyse(count, self.edges.iter().copied(), Fill::Complete);
    }

    /// Where the blocks of two nodes that meet are: index, and whether row and column change places.
    pub fn between(&self, i: u32, j: u32) -> (u32, bool) {
        let (p, q) = (self.pattern.place[i as usize], self.pattern.place[j as usize]);
        let at = self.pattern.find(p, q);
        debug_assert!(at.is_some() && p != q, "pairs were told beforehand");
        (at.unwrap_or(0), p > q)
    }

    /// The identity.
    pub fn reset(&mut self) {
        for list in [&mut self.lower, &mut self.upper] {
            list.clear();
            list.resize(self.pattern.structure.rows.len(), EMPTY);
        }
        self.diagonal.clear();
        self.diagonal.resize(self.count, EMPTY);
        self.diagonal.iter_mut().for_each(|block| (0..6).for_each(|i| block[i][i] = 1.0));
    }

    /// The block of a node with itself, by rows.
    pub fn own(&mut self, node: u32) -> &mut Block {
        &mut self.diagonal[self.pattern.place[node as usize] as usize]
    }

    /// Blocks (i, j) and (j, i) of two nodes by rows, as [`BlockLu::between`] told.
    pub fn pair(&mut self, (at, swapped): (u32, bool)) -> (&mut Block, &mut Block) {
        let (lower, upper) = (&mut self.lower[at as usize], &mut self.upper[at as usize]);
        if swapped { (lower, upper) } else { (upper, lower) }
    }

    /// Factors in place. `false` if a block is singular.
    pub fn factor(&mut self) -> bool {
        let Self { pattern, lower, upper, diagonal, .. } = self;
        let structure = &pattern.structure;
        let mut next = 0;
        for column in 0..diagonal.len() {
            let (done, later) = diagonal.split_at_mut(column + 1);
            let inverse = &mut done[column];
            if !invert(inverse) {
                return false;
            }
            // Blocks of this column come before all that they change.
            let own = structure.column(column);
            let (first, last) = (own.start, own.end);
            let (own_lower, later_lower) = lower.split_at_mut(last);
            let (own_upper, later_upper) = upper.split_at_mut(last);
            let (own_lower, own_upper) = (&mut own_lower[first..], &own_upper[first..]);
            own_lower.iter_mut().for_each(|block| multiply(block, inverse));
            for (k, (left, right)) in own_lower.iter().zip(own_upper).enumerate() {
                subtract(&mut later[structure.rows[first + k] as usize - column - 1], left, right);
                for (below, beside) in own_lower[k + 1..].iter().zip(&own_upper[k + 1..]) {
                    let target = structure.targets[next] as usize - last;
                    next += 1;
                    subtract(&mut later_lower[target], below, right);
                    subtract(&mut later_upper[target], left, beside);
                }
            }
        }
        true
    }

    /// Solves in place; b has one entry a node.
    pub fn solve(&mut self, b: &mut [Six]) {
        let Self { pattern, lower, upper, diagonal, x, .. } = self;
        let Pattern { order, structure, .. } = &*pattern;
        let rows = &structure.rows;
        x.clear();
        x.extend(order.iter().map(|node| b[*node as usize]));
        for column in 0..x.len() {
            let y = x[column];
            for k in structure.column(column) {
                take(&mut x[rows[k] as usize], &lower[k], &y);
            }
        }
        for column in (0..x.len()).rev() {
            let mut y = x[column];
            for k in structure.column(column) {
                let right = x[rows[k] as usize];
                take(&mut y, &upper[k], &right);
            }
            let inverse = &diagonal[column];
            x[column] = [0, 1, 2, 3, 4, 5].map(|r| dot(&inverse[r], &y));
        }
        for (node, x) in order.iter().zip(x) {
            b[*node as usize] = *x;
        }
    }
}

#[inline]
fn dot(a: &Six, b: &Six) -> f64 {
    (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5])
}

/// y ← y − A x.
#[inline]
fn take(y: &mut Six, a: &Block, x: &Six) {
    (0..6).for_each(|r| y[r] -= dot(&a[r], x));
}

/// A ← A B.
#[inline]
fn multiply(a: &mut Block, b: &Block) {
    for row in a {
        let mut sum = [0.0; 6];
        for k in 0..6 {
            let x = row[k];
            (0..6).for_each(|s| sum[s] += x * b[k][s]);
        }
        *row = sum;
    }
}

/// C ← C − A B.
#[inline]
fn subtract(c: &mut Block, a: &Block, b: &Block) {
    for r in 0..6 {
        let mut row = c[r];
        for k in 0..6 {
            let x = a[r][k];
            (0..6).for_each(|s| row[s] -= x * b[k][s]);
        }
        c[r] = row;
    }
}

/// Inverse in place, by Gauss and Jordan with pivots from the rows below; `false` where there is none.
pub(crate) fn invert(a: &mut Block) -> bool {
    let mut pivots = [0; 6];
    // Columns are known to the compiler, so that rows stay in registers.
    let found = eliminate::<0>(a, &mut pivots)
        && eliminate::<1>(a, &mut pivots)
        && eliminate::<2>(a, &mut pivots)
        && eliminate::<3>(a, &mut pivots)
        && eliminate::<4>(a, &mut pivots)
        && eliminate::<5>(a, &mut pivots);
    if found {
        // Rows that changed places are columns of the inverse that do.
        for k in (0..6).rev().filter(|k| pivots[*k] != *k) {
            a.iter_mut().for_each(|row| row.swap(k, pivots[k]));
        }
    }
    found
}

/// Column K is done, and makes room for that of the inverse.
#[inline(always)]
fn eliminate<const K: usize>(a: &mut Block, pivots: &mut [usize; 6]) -> bool {
    let mut best = K;
    (K + 1..6).for_each(|r| best = if a[r][K].abs() > a[best][K].abs() { r } else { best });
    let (mut pivot, other) = (a[best], a[K]);
    a[best] = other;
    pivots[K] = best;
    let inverse = 1.0 / pivot[K];
    if !inverse.is_finite() {
        return false;
    }
    pivot[K] = 1.0;
    pivot = pivot.map(|x| x * inverse);
    for r in 0..6 {
        if r != K {
            let mut row = a[r];
            let factor = row[K];
            row[K] = 0.0;
            (0..6).for_each(|c| row[c] -= factor * pivot[c]);
            a[r] = row;
        }
    }
    a[K] = pivot;
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A times the solution is the right side: a ring with chords and a lone node, blocks that are not symmetric; then the
    /// same again without one edge.
    #[test]
    fn blocks_are_eliminated() {
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let mut edges: Vec<(u32, u32)> = (0..8).map(|i| (i, (i + 1) % 8)).chain([(0, 4), (7, 2), (3, 6)]).collect();
        let mut solver = BlockLu::default();
        for _ in 0..2 {
            let count = 9;
            solver.analyse(count, edges.iter().copied().chain([(3, NONE)]));
            solver.reset();
            let n = 6 * count;
            let mut dense = vec![0.0; n * n];
            for i in 0..count {
                let own = solver.own(i as u32);
                for r in 0..6 {
                    for c in 0..6 {
                        own[r][c] = random() + if r == c { 20.0 } else { 0.0 };
                        dense[(6 * i + r) * n + 6 * i + c] = own[r][c];
                    }
                }
            }
            for &(i, j) in &edges {
                let at = solver.between(i, j);
                let (ij, ji) = solver.pair(at);
                for r in 0..6 {
                    for c in 0..6 {
                        (ij[r][c], ji[r][c]) = (random(), random());
                        dense[(6 * i as usize + r) * n + 6 * j as usize + c] = ij[r][c];
                        dense[(6 * j as usize + r) * n + 6 * i as usize + c] = ji[r][c];
                    }
                }
            }
            let b: Vec<Six> = (0..count).map(|_| [0; 6].map(|_| random())).collect();
            let mut x = b.clone();
            assert!(solver.factor());
            solver.solve(&mut x);
            for r in 0..n {
                let sum: f64 = (0..n).map(|c| dense[r * n + c] * x[c / 6][c % 6]).sum();
                assert!((sum - b[r / 6][r % 6]).abs() < 1e-13, "{r}");
            }
            edges.pop();
        }
    }

    /// A inverse times A is 1, with a zero on the diagonal; zeros have none.
    #[test]
    fn blocks_are_inverted() {
        let mut a = EMPTY;
        for r in 0..6 {
            for c in 0..6 {
                a[r][c] = ((3 * r + 5 * c) as f64).sin() + f64::from(u8::from((r + 1) % 6 == c)) * 3.0;
            }
        }
        a[0][0] = 0.0;
        let mut b = a;
        assert!(invert(&mut b));
        for r in 0..6 {
            for c in 0..6 {
                let sum: f64 = (0..6).map(|k| b[r][k] * a[k][c]).sum();
                assert!((sum - f64::from(u8::from(r == c))).abs() < 1e-13);
            }
        }
        assert!(!invert(&mut EMPTY.clone()));
    }
}

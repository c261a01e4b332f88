//! # Elimination: factors of a matrix of 6 × 6 blocks with the zeros of a contact graph
//!
//! - **in**: which bodies touch; blocks, symmetric or not
//! - **out**: an order of elimination, the factors, solutions
//! - **not here**: what the blocks are made of (`together`)
//! - **assumes**: diagonal blocks that stay regular, as those of 1 + JᵀDJ with D ≥ 0 do; no pivots from other bodies
//! - **start at** [`Elimination::analyse`], then [`Elimination::add`], [`Elimination::factor`], [`Elimination::solve`]
//!
//! Bodies are eliminated in order of least degree, ties by index, so that equal graphs give equal orders. What one
//! elimination touches is listed beforehand; the list is kept while the graph stays as it is.

pub(crate) type Six = [f64; 6];
pub(crate) type Block = [Six; 6];

/// No body: the world.
pub(crate) const WORLD: u32 = u32::MAX;
const EMPTY: Block = [[0.0; 6]; 6];

/// Order, blocks and factors.
#[derive(Clone, Debug, Default)]
pub(crate) struct Elimination {
    /// Pairs of the last analysis.
    edges: Vec<(u32, u32)>,
    asked: Vec<(u32, u32)>,
    count: usize,
    /// Place in the order of each body.
    place: Vec<u32>,
    order: Vec<u32>,
    /// First block off the diagonal of each column, one more at the end.
    starts: Vec<u32>,
    /// Row (place) of each of them, rising within a column.
    rows: Vec<u32>,
    /// For each pair of them, the block that it is taken from; diagonals after all others.
    targets: Vec<u32>,
    neighbours: Vec<Vec<u32>>,
    done: Vec<bool>,
    /// Blocks below the diagonal by column, and those above by row.
    lower: Vec<Block>,
    upper: Vec<Block>,
    diagonal: Vec<Block>,
    x: Vec<Six>,
}

impl Elimination {
    /// Order and fill for `count` bodies and the pairs that touch; nothing is done where they are those of the last time.
    pub(crate) fn analyse(&mut self, count: usize, pairs: impl Iterator<Item = [u32; 2]>) {
        let mut asked = std::mem::take(&mut self.asked);
        asked.clear();
        asked.extend(pairs.filter(|[i, j]| i != j && *i != WORLD && *j != WORLD).map(|[i, j]| (i.min(j), i.max(j))));
        asked.sort_unstable();
        asked.dedup();
        let same = count == self.count && asked == self.edges;
        std::mem::swap(&mut self.edges, &mut asked);
        self.asked = asked;
        if !same {
            self.count = count;
            self.put_in_order();
            self.list();
        }
    }

    fn put_in_order(&mut self) {
        let count = self.count;
        while self.neighbours.len() < count {
            self.neighbours.push(Vec::new());
        }
        self.neighbours[..count].iter_mut().for_each(Vec::clear);
        for &(i, j) in &self.edges {
            insert(&mut self.neighbours[i as usize], j);
            insert(&mut self.neighbours[j as usize], i);
        }
        self.order.clear();
        self.done.clear();
        self.done.resize(count, false);
        for _ in 0..count {
            let left = (0..count).filter(|i| !self.done[*i]);
            let Some(i) = left.min_by_key(|i| self.neighbours[*i].len()) else { break };
            self.done[i] = true;
            self.order.push(i as u32);
            // Its neighbours become neighbours of each other; its own list stays as its column.
            let list = std::mem::take(&mut self.neighbours[i]);
            for &j in &list {
                let other = &mut self.neighbours[j as usize];
                if let Ok(at) = other.binary_search(&(i as u32)) {
                    other.remove(at);
                }
                list.iter().filter(|k| **k != j).for_each(|k| insert(&mut self.neighbours[j as usize], *k));
            }
            self.neighbours[i] = list;
        }
    }

    /// Columns and what each elimination touches.
    fn list(&mut self) {
        self.place.clear();
        self.place.resize(self.count, 0);
        for (place, &body) in self.order.iter().enumerate() {
            self.place[body as usize] = place as u32;
        }
        self.starts.clear();
        self.rows.clear();
        for &body in &self.order {
            let first = self.rows.len();
            self.starts.push(first as u32);
            self.rows.extend(self.neighbours[body as usize].iter().map(|j| self.place[*j as usize]));
            self.rows[first..].sort_unstable();
        }
        self.starts.push(self.rows.len() as u32);
        self.targets.clear();
        for column in 0..self.count {
            let (first, last) = (self.starts[column] as usize, self.starts[column + 1] as usize);
            for k in first..last {
                for i in k + 1..last {
                    self.targets.push(self.find(self.rows[k], self.rows[i]));
                }
            }
        }
    }

    /// Index of the block at two places, the first before the second.
    fn find(&self, column: u32, row: u32) -> u32 {
        let (first, last) = (self.starts[column as usize] as usize, self.starts[column as usize + 1] as usize);
        first as u32 + self.rows[first..last].binary_search(&row).unwrap_or(0) as u32
    }

    /// Where the blocks of two bodies are: index, and whether row and column change places.
    pub(crate) fn between(&self, i: u32, j: u32) -> (u32, bool) {
        let (p, q) = (self.place[i as usize], self.place[j as usize]);
        (self.find(p.min(q), p.max(q)), p > q)
    }

    /// The identity.
    pub(crate) fn reset(&mut self) {
        for list in [&mut self.lower, &mut self.upper] {
            list.clear();
            list.resize(self.rows.len(), EMPTY);
        }
        self.diagonal.clear();
        self.diagonal.resize(self.count, EMPTY);
        self.diagonal.iter_mut().for_each(|block| (0..6).for_each(|i| block[i][i] = 1.0));
    }

    /// The block of a body with itself.
    pub(crate) fn own(&mut self, body: u32) -> &mut Block {
        &mut self.diagonal[self.place[body as usize] as usize]
    }

    /// Blocks (i, j) and (j, i) of two bodies, as [`Elimination::between`] told.
    pub(crate) fn pair(&mut self, (at, swapped): (u32, bool)) -> (&mut Block, &mut Block) {
        let (lower, upper) = (&mut self.lower[at as usize], &mut self.upper[at as usize]);
        if swapped { (lower, upper) } else { (upper, lower) }
    }

    /// Factors in place. `false` if a block is singular.
    pub(crate) fn factor(&mut self) -> bool {
        let Self { starts, rows, targets, lower, upper, diagonal, .. } = self;
        let mut next = 0;
        for column in 0..diagonal.len() {
            if !invert(&mut diagonal[column]) {
                return false;
            }
            let inverse = diagonal[column];
            let (first, last) = (starts[column] as usize, starts[column + 1] as usize);
            for k in first..last {
                lower[k] = product(&lower[k], &inverse);
            }
            for k in first..last {
                let (left, right) = (lower[k], upper[k]);
                subtract(&mut diagonal[rows[k] as usize], &left, &right);
                for i in k + 1..last {
                    let target = targets[next] as usize;
                    next += 1;
                    let (below, beside) = (lower[i], upper[i]);
                    subtract(&mut lower[target], &below, &right);
                    subtract(&mut upper[target], &left, &beside);
                }
            }
        }
        true
    }

    /// Solves in place.
    pub(crate) fn solve(&mut self, b: &mut [Six]) {
        let Self { order, starts, rows, lower, upper, diagonal, x, .. } = self;
        x.clear();
        x.extend(order.iter().map(|body| b[*body as usize]));
        for column in 0..x.len() {
            let y = x[column];
            for k in starts[column] as usize..starts[column + 1] as usize {
                take(&mut x[rows[k] as usize], &lower[k], &y);
            }
        }
        for column in (0..x.len()).rev() {
            let mut y = x[column];
            for k in starts[column] as usize..starts[column + 1] as usize {
                let right = x[rows[k] as usize];
                take(&mut y, &upper[k], &right);
            }
            let inverse = &diagonal[column];
            x[column] = [0, 1, 2, 3, 4, 5].map(|r| dot(&inverse[r], &y));
        }
        for (body, x) in order.iter().zip(x) {
            b[*body as usize] = *x;
        }
    }
}

fn insert(list: &mut Vec<u32>, x: u32) {
    if let Err(at) = list.binary_search(&x) {
        list.insert(at, x);
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

#[inline]
fn product(a: &Block, b: &Block) -> Block {
    let mut c = EMPTY;
    for r in 0..6 {
        for k in 0..6 {
            let x = a[r][k];
            (0..6).for_each(|s| c[r][s] += x * b[k][s]);
        }
    }
    c
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
    let mut b = EMPTY;
    (0..6).for_each(|k| b[k][k] = 1.0);
    for k in 0..6 {
        let mut best = k;
        (k + 1..6).for_each(|r| best = if a[r][k].abs() > a[best][k].abs() { r } else { best });
        a.swap(k, best);
        b.swap(k, best);
        let inverse = 1.0 / a[k][k];
        if !inverse.is_finite() {
            return false;
        }
        (0..6).for_each(|c| (a[k][c], b[k][c]) = (a[k][c] * inverse, b[k][c] * inverse));
        let (pivot, other) = (a[k], b[k]);
        for r in (0..6).filter(|r| *r != k) {
            let factor = a[r][k];
            (0..6).for_each(|c| {
                a[r][c] -= factor * pivot[c];
                b[r][c] -= factor * other[c];
            });
        }
    }
    *a = b;
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A times the solution is the right side: a ring with chords and a lone body, blocks that are not symmetric; then the
    /// same again without one edge.
    #[test]
    fn blocks_are_eliminated() {
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let mut edges: Vec<[u32; 2]> = (0..8).map(|i| [i, (i + 1) % 8]).chain([[0, 4], [7, 2], [3, 6]]).collect();
        let mut solver = Elimination::default();
        for _ in 0..2 {
            let count = 9;
            solver.analyse(count, edges.iter().copied().chain([[3, WORLD]]));
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
            for &[i, j] in &edges {
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

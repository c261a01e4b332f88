//! # Sparse: a matrix of 6 × 6 blocks with the zeros of a contact graph, solved
//!
//! `pattern`, `fingerpad_solve::sparse` ──(where blocks are, factors)──▶ **here** ──(solutions)──▶ `island_solver`
//!
//! - **in**: a [`Pattern`], blocks
//! - **out**: solutions
//! - **not here**: order and factors (`fingerpad_solve::sparse`)
//! - **start at** [`Numbers::factor`], then [`Numbers::solve`]
//!
//! Where the factor is complete it solves. In a heap conjugate gradients solve, led by a factor that keeps the zeros of
//! the graph, domain by domain, so that each domain is a thread's work.

use super::parallel::{BODIES, Cut, Even, Parallel, Span, Uneven, gather};
use super::pattern::Pattern;
use fingerpad_solve::sparse::block::{add, dot};
use fingerpad_solve::sparse::{Block, Domains, Six, cholesky};

/// Conjugate gradients at one body.
#[derive(Clone, Copy, Debug, Default)]
pub struct Search {
    /// The right side, then the solution.
    pub x: Six,
    residual: Six,
    along: Six,
    image: Six,
}

/// Numbers of a matrix and its factor, in order of the pattern.
pub struct Numbers<'a> {
    pub pattern: &'a Pattern,
    /// The matrix: blocks below the diagonal, then diagonals. A factor that is complete takes its place.
    pub blocks: &'a mut [Block],
    /// An incomplete factor.
    pub factors: &'a mut [Block],
    pub search: &'a mut [Search],
    pub lead: &'a mut [Six],
}

/// Most iterations of conjugate gradients.
const ITERATIONS: u32 = 200;

impl Numbers<'_> {
    /// Columns in parts: their place, blocks below the diagonal, diagonals.
    pub fn columns(&mut self) -> Columns<'_> {
        let (lower, diagonal) = self.blocks.split_at_mut(self.pattern.structure.rows.len());
        Columns { first: 0, starts: &self.pattern.structure.starts, lower, diagonal }
    }

    /// Factors. `false` if the matrix is not positive.
    pub fn factor(&mut self, parallel: Parallel) -> bool {
        if !self.pattern.incomplete {
            return cholesky::factor(self.pattern, self.blocks);
        }
        let (pattern, blocks) = (self.pattern, &*self.blocks);
        let Domains { ends, block_ends, .. } = &pattern.domains;
        let (lower, diagonal) = self.factors.split_at_mut(pattern.domains.structure.rows.len());
        let lower = Uneven { list: lower, ends: block_ends, from: 0 };
        let diagonal = Uneven { list: diagonal, ends, from: 0 };
        let each = |(lower, diagonal): (Uneven<Block>, Uneven<Block>)| {
            cholesky::factor_domain(pattern, blocks, diagonal.from as usize, lower.list, diagonal.list)
        };
        gather(parallel, (lower, diagonal), &each, &|a, b| a && b)
    }

    /// Solves for the right side in `search`, to a share of its size where the factor is incomplete; iterations.
    pub fn solve(&mut self, parallel: Parallel, share: f64) -> u64 {
        if !self.pattern.incomplete {
            cholesky::substitute(self.pattern, self.blocks, self.search, |at| &mut at.x);
            return 0;
        }
        let (mut size, mut now) = self.begin(parallel);
        let enough = share * share * size;
        let mut beta = 0.0;
        for i in 1..=ITERATIONS {
            let alpha = now / self.turn(parallel, beta);
            if !alpha.is_finite() {
                return u64::from(i);
            }
            let before = now;
            (size, now) = self.go(parallel, alpha);
            if size <= enough {
                return u64::from(i);
            }
            beta = now / before;
        }
        u64::from(ITERATIONS)
    }

    /// Residual of no solution, and what the factor makes of it.
    fn begin(&mut self, parallel: Parallel) -> (f64, f64) {
        self.by_domain(parallel, &|at| {
            at.residual = at.x;
            (at.x, at.along, at.image) = ([0.0; 6], [0.0; 6], [0.0; 6]);
        })
    }

    /// A step along the present direction.
    fn go(&mut self, parallel: Parallel, alpha: f64) -> (f64, f64) {
        self.by_domain(parallel, &|at| {
            for k in 0..6 {
                at.x[k] += alpha * at.along[k];
                at.residual[k] -= alpha * at.image[k];
            }
        })
    }

    /// Changes the residual and lets the factor lead: r·r and r·lead.
    fn by_domain(&mut self, parallel: Parallel, change: &(impl Fn(&mut Search) + Sync)) -> (f64, f64) {
        let pattern = self.pattern;
        let (lower, diagonal) = self.factors.split_at(pattern.domains.structure.rows.len());
        let ends = &pattern.domains.ends;
        let search = Uneven { list: &mut *self.search, ends, from: 0 };
        let lead = Uneven { list: &mut *self.lead, ends, from: 0 };
        let each = |(search, lead): (Uneven<Search>, Uneven<Six>)| {
            let mut size = 0.0;
            for (at, lead) in search.list.iter_mut().zip(lead.list.iter_mut()) {
                change(at);
                size += dot(&at.residual, &at.residual);
                *lead = at.residual;
            }
            cholesky::substitute_domain(pattern, lower, diagonal, lead.from as usize, lead.list);
            let led = search.list.iter().zip(lead.list.iter()).map(|(at, lead)| dot(&at.residual, lead)).sum::<f64>();
            (size, led)
        };
        gather(parallel, (search, lead), &each, &|a, b| (a.0 + b.0, a.1 + b.1))
    }

    /// The next direction, and its image by the matrix: that of the lead and of the last direction. Their product.
    fn turn(&mut self, parallel: Parallel, beta: f64) -> f64 {
        let (pattern, blocks, lead) = (self.pattern, &*self.blocks, &*self.lead);
        let list = (Span::new(lead.len(), BODIES), Even { list: &mut *self.search, size: BODIES });
        let each = |(span, search): (Span, Even<Search>)| {
            let mut sum = 0.0;
            for (place, at) in (span.from..).zip(search.list.iter_mut()) {
                let image = row_times(pattern, blocks, place, lead);
                for k in 0..6 {
                    at.along[k] = lead[place][k] + beta * at.along[k];
                    at.image[k] = image[k] + beta * at.image[k];
                }
                sum += dot(&at.along, &at.image);
            }
            sum
        };
        gather(parallel, list, &each, &|a, b| a + b)
    }
}

/// Columns of a matrix, to be filled.
pub struct Columns<'a> {
    /// Place of the first.
    pub first: usize,
    starts: &'a [u32],
    /// Blocks below the diagonal, one column after the other.
    pub lower: &'a mut [Block],
    /// Diagonals.
    pub diagonal: &'a mut [Block],
}

impl Cut for Columns<'_> {
    fn parts(&self) -> usize {
        self.diagonal.len().div_ceil(BODIES)
    }

    fn cut(self, at: usize) -> (Self, Self) {
        let at = (at * BODIES).min(self.diagonal.len());
        let middle = (self.starts[self.first + at] - self.starts[self.first]) as usize;
        let (lower, lower_rest) = self.lower.split_at_mut(middle);
        let (diagonal, rest) = self.diagonal.split_at_mut(at);
        let other = Self { first: self.first + at, starts: self.starts, lower: lower_rest, diagonal: rest };
        (Self { lower, diagonal, ..self }, other)
    }
}

/// A row of the matrix times x.
#[inline]
fn row_times(pattern: &Pattern, matrix: &[Block], place: usize, x: &[Six]) -> Six {
    let mut sum = [0.0; 6];
    add(&mut sum, &matrix[pattern.structure.rows.len() + place], &x[place]);
    let domains = &pattern.domains;
    for &(k, column) in
        &domains.across[domains.across_starts[place] as usize..domains.across_starts[place + 1] as usize]
    {
        add(&mut sum, &matrix[k as usize], &x[column as usize]);
    }
    for k in pattern.structure.column(place) {
        let (block, below) = (&matrix[k], &x[pattern.structure.rows[k] as usize]);
        for j in 0..6 {
            sum[j] += dot(&block[j], below);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};

    /// Against a dense solution: a ring with chords and a lone body, which the factor solves, and a heap, which conjugate
    /// gradients do, one whole and one in two domains. Random blocks made positive by their row sums.
    #[test]
    fn factor_solves_what_a_dense_matrix_solves() {
        let ring: Vec<(u32, u32)> = (0..8).map(|i| (i, (i + 1) % 8)).chain([(0, 4), (2, 7), (3, 6)]).collect();
        let heap = |count: u32| -> Vec<(u32, u32)> {
            (0..count).flat_map(|i| [1, 2, 5, 7].map(|d| (i, (i + d) % count))).collect()
        };
        for (count, edges, incomplete) in [(9, ring, false), (20, heap(20), true), (150, heap(150), true)] {
            solves(count, &edges, incomplete);
        }
    }

    fn solves(count: usize, edges: &[(u32, u32)], incomplete: bool) {
        let mut pattern = Pattern::default();
        pattern.analyse(count, edges.iter().copied());
        assert_eq!(pattern.incomplete, incomplete);
        let mut blocks = vec![[[0.0; 6]; 6]; pattern.blocks()];
        let mut factors = vec![[[0.0; 6]; 6]; pattern.factors()];
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let mut dense = DMatrix::<f64>::identity(6 * count, 6 * count) * 20.0;
        for block in &mut blocks[pattern.structure.rows.len()..] {
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
                    blocks[at][c][r] += x;
                    dense[(6 * row as usize + r, 6 * column as usize + c)] += x;
                    dense[(6 * column as usize + c, 6 * row as usize + r)] += x;
                }
            }
        }
        let b = DVector::from_fn(6 * count, |_, _| random());
        let want = dense.clone().lu().solve(&b).unwrap();
        let mut search = vec![Search::default(); count];
        let mut lead = vec![[0.0; 6]; count];
        for body in 0..count {
            for r in 0..6 {
                search[pattern.place[body] as usize].x[r] = b[6 * body + r];
            }
        }
        let (search, lead) = (&mut search[..], &mut lead[..]);
        let mut numbers = Numbers { pattern: &pattern, blocks: &mut blocks, factors: &mut factors, search, lead };
        assert!(numbers.factor(Parallel::default()));
        numbers.solve(Parallel::default(), 1e-15);
        for body in 0..count {
            for r in 0..6 {
                assert!((numbers.search[pattern.place[body] as usize].x[r] - want[6 * body + r]).abs() < 1e-12);
            }
        }
    }
}

//! # Blocks: runs of rows without entries are left out of sums over columns
//!
//! - **in**: an [`Lcp`]
//! - **out**: [`Blocks::add_columns`]: sums of columns
//! - **not here**: which columns and why (`path`)
//! - **start at** [`Blocks::find`]
//!
//! Contacts that share no body do not know each other: in the problems of the benchmark with 400 rows three runs of eight
//! rows in four are empty. Small problems and full ones are summed as they stand.

use crate::kernel::accumulate;
use crate::lcp::Lcp;

/// Rows of a block.
const ROWS: usize = 8;
/// Problems with fewer rows are summed as they stand.
const SMALL: usize = 64;

/// Blocks with entries, column after column.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blocks {
    /// Whether blocks are used.
    used: bool,
    starts: Vec<u32>,
    /// First row of each block.
    first: Vec<u32>,
}

impl Blocks {
    /// Room for n rows.
    pub(crate) fn reserve(&mut self, n: usize) {
        self.starts.reserve(n + 1);
        self.first.reserve(most(n));
    }

    /// Sums go over all rows from now on: right for any problem.
    pub(crate) fn forget(&mut self) {
        self.used = false;
    }

    /// Looks where a problem has entries.
    pub(crate) fn find(&mut self, lcp: &Lcp) {
        let n = lcp.n();
        self.starts.clear();
        self.first.clear();
        self.used = false;
        if n < SMALL {
            return;
        }
        self.starts.push(0);
        for j in 0..n {
            if self.first.len() + n / ROWS > most(n) {
                return;
            }
            for (block, x) in lcp.column(j).chunks_exact(ROWS).enumerate() {
                // Signs do not count: −0 is no entry.
                let bits = x.iter().fold(0, |bits, x| bits | x.to_bits()) << 1;
                if bits != 0 {
                    self.first.push((block * ROWS) as u32);
                }
            }
            self.starts.push(self.first.len() as u32);
        }
        self.used = true;
    }

    /// Adds factor × column to `out` for each (column, factor).
    pub(crate) fn add_columns(&self, lcp: &Lcp, terms: impl Iterator<Item = (usize, f64)>, out: &mut [f64]) {
        if !self.used {
            return accumulate(lcp.columns(), lcp.n(), terms, out);
        }
        let rest = lcp.n() / ROWS * ROWS;
        for (j, factor) in terms.filter(|(_, factor)| *factor != 0.0) {
            let column = lcp.column(j);
            for &first in &self.first[self.starts[j] as usize..self.starts[j + 1] as usize] {
                let rows = first as usize..first as usize + ROWS;
                // Whole arrays, loaded before anything is stored: the compiler takes lanes together.
                let mut sums = [0.0; ROWS];
                let (to, from) = (&mut out[rows.clone()], &column[rows]);
                for k in 0..ROWS {
                    sums[k] = to[k] + factor * from[k];
                }
                to.copy_from_slice(&sums);
            }
            crate::kernel::axpy(factor, &column[rest..], &mut out[rest..]);
        }
    }
}

/// Longest list: half of all blocks.
fn most(n: usize) -> usize {
    n * (n / ROWS) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against sums written out, for a matrix with few entries and one with all, and rows that fill no block.
    #[test]
    fn sums_are_those_of_the_columns() {
        let n = 83;
        for (every, used) in [(29, true), (1, false)] {
            let entry =
                |i: usize, j: usize| if (i * 7 + j * 3).is_multiple_of(every) { (i + 2 * j) as f64 } else { 0.0 };
            let columns = (0..n * n).map(|k| entry(k % n, k / n)).collect();
            let lcp = Lcp::from_columns(columns, vec![0.0; n]).unwrap();
            let mut blocks = Blocks::default();
            blocks.find(&lcp);
            assert_eq!(blocks.used, used);
            let mut out = vec![1.0; n];
            blocks.add_columns(&lcp, [(0, 2.0), (82, -1.0), (40, 0.0), (41, 3.0)].into_iter(), &mut out);
            for i in 0..n {
                assert_eq!(out[i], 1.0 + 2.0 * entry(i, 0) - entry(i, 82) + 3.0 * entry(i, 41));
            }
        }
    }
}

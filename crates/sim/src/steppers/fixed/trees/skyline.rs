//! # Skyline: Newton's matrix of an island with trees, as sparse as its trees
//!
//! - **in**: which unknowns are coupled, entries
//! - **out**: the matrix, its factor H = L Lᵀ without some columns, products, solutions
//! - **not here**: what the entries are (`dense`, `solve`)
//! - **assumes**: unknowns of bodies come first, then those of trees, depth first
//! - **start at** [`Skyline::begin`], [`Skyline::couple`], [`Skyline::close`]
//!
//! Unknowns are taken from the last to the first, so that leaves of trees come before what they hang on, and bodies come last.
//! Row p then reaches back to the first unknown that it is coupled with, and L reaches no further (George and Liu, *Computer
//! solution of large sparse positive definite systems*, ch. 4). For a tree these rows are its subtrees: not one entry is kept
//! that the elimination from the leaves would not have (Featherstone, §6.5). A contact of a link with the ground adds none;
//! one with a body fills the body's rows; one between two fingers fills the rows of the one that comes later.

use crate::coordinates::Matrix;

/// The matrix and its factor.
#[derive(Clone, Debug, Default)]
pub struct Skyline {
    n: usize,
    /// By row of the elimination's order: its first column, and where that is kept.
    first: Vec<usize>,
    start: Vec<usize>,
    H: Vec<f64>,
    L: Vec<f64>,
    y: Vec<f64>,
}

impl Skyline {
    /// A diagonal pattern of n unknowns.
    pub fn begin(&mut self, n: usize) {
        self.n = n;
        self.first.clear();
        self.first.extend(0..n);
    }

    /// Couples two unknowns.
    pub fn couple(&mut self, i: usize, j: usize) {
        let (p, q) = (self.n - 1 - i.min(j), self.n - 1 - i.max(j));
        self.first[p] = self.first[p].min(q);
    }

    /// The pattern is whole.
    pub fn close(&mut self) {
        self.start.clear();
        let mut at = 0;
        for (p, first) in self.first.iter().enumerate() {
            self.start.push(at);
            at += p - first + 1;
        }
        self.H.clear();
        self.H.resize(at, 0.0);
        self.L.resize(at, 0.0);
        self.y.resize(self.n, 0.0);
    }

    /// All entries zero.
    pub fn clear(&mut self) {
        self.H.fill(0.0);
    }

    /// Adds to the entry of two unknowns that are coupled.
    #[inline]
    pub fn add(&mut self, i: usize, j: usize, value: f64) {
        let (p, q) = (self.n - 1 - i.min(j), self.n - 1 - i.max(j));
        self.H[self.start[p] + q - self.first[p]] += value;
    }

    /// Entries that are kept.
    #[cfg(test)]
    pub fn entries(&self) -> usize {
        self.H.len()
    }

    #[inline]
    fn row<'a>(&self, of: &'a [f64], p: usize) -> &'a [f64] {
        &of[self.start[p]..self.start[p] + p - self.first[p] + 1]
    }
}

#[inline]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Matrix for Skyline {
    fn own(&self, k: usize) -> f64 {
        let p = self.n - 1 - k;
        self.H[self.start[p] + p - self.first[p]]
    }

    fn multiply(&self, x: &[f64], out: &mut [f64]) {
        let n = self.n;
        out.fill(0.0);
        for p in 0..n {
            let (row, first) = (self.row(&self.H, p), self.first[p]);
            let (xp, mut sum) = (x[n - 1 - p], 0.0);
            for (q, h) in (first..p).zip(row) {
                sum += h * x[n - 1 - q];
                out[n - 1 - q] += h * xp;
            }
            out[n - 1 - p] += sum + row[p - first] * xp;
        }
    }

    fn each_of_column(&self, k: usize, mut put: impl FnMut(usize, f64)) {
        let (n, p) = (self.n, self.n - 1 - k);
        for (q, h) in (self.first[p]..=p).zip(self.row(&self.H, p)) {
            put(n - 1 - q, *h);
        }
        for r in p + 1..n {
            if self.first[r] <= p {
                put(n - 1 - r, self.row(&self.H, r)[p - self.first[r]]);
            }
        }
    }

    fn factor_without(&mut self, out: &[bool]) -> bool {
        let n = self.n;
        let Self { first, start, H, L, .. } = self;
        for p in 0..n {
            let (from, at) = (first[p], start[p]);
            let own = H[at + p - from];
            let (above, below) = L.split_at_mut(at);
            let row = &mut below[..p - from + 1];
            if out[n - 1 - p] {
                row.fill(0.0);
                row[p - from] = own.sqrt();
                continue;
            }
            row.copy_from_slice(&H[at..at + p - from + 1]);
            for q in from..p {
                if out[n - 1 - q] {
                    row[q - from] = 0.0;
                    continue;
                }
                let other = &above[start[q]..start[q] + q - first[q] + 1];
                let common = from.max(first[q]);
                let sum = dot(&row[common - from..q - from], &other[common - first[q]..q - first[q]]);
                row[q - from] = (row[q - from] - sum) / other[q - first[q]];
            }
            let pivot = own - dot(&row[..p - from], &row[..p - from]);
            if pivot <= 0.0 || pivot.is_nan() {
                return false;
            }
            row[p - from] = pivot.sqrt();
        }
        true
    }

    fn solve(&self, x: &mut [f64]) {
        let n = self.n;
        x.reverse();
        for p in 0..n {
            let (row, first) = (self.row(&self.L, p), self.first[p]);
            x[p] = (x[p] - dot(&row[..p - first], &x[first..p])) / row[p - first];
        }
        for p in (0..n).rev() {
            let (row, first) = (self.row(&self.L, p), self.first[p]);
            let value = x[p] / row[p - first];
            x[p] = value;
            x[first..p].iter_mut().zip(row).for_each(|(x, l)| *x -= l * value);
        }
        x.reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A body, a trunk with two fingers, a contact of a finger with the body, one between the fingers: products and solutions
    /// are those of the full matrix, with columns left out and without; a tree alone keeps its paths and no more.
    #[test]
    fn solutions_are_those_of_the_full_matrix() {
        let n = 14;
        let paths: [&[usize]; 8] = [
            &[6],
            &[6, 7],
            &[6, 7, 8],
            &[6, 7, 8, 9],
            &[6, 7, 8, 9, 10],
            &[6, 7, 11],
            &[6, 7, 11, 12],
            &[6, 7, 11, 12, 13],
        ];
        let mut plain = Skyline::default();
        plain.begin(n);
        for path in paths {
            path.iter().for_each(|a| plain.couple(*a, path[path.len() - 1]));
        }
        plain.close();
        assert_eq!(plain.entries(), 6 + paths.iter().map(|path| path.len()).sum::<usize>());
        let mut sparse = plain.clone();
        sparse.begin(n);
        let contacts: [&[usize]; 2] = [&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], &[6, 7, 8, 9, 10, 11, 12]];
        for set in paths.iter().chain(&contacts) {
            set.iter().for_each(|i| set.iter().for_each(|j| sparse.couple(*i, *j)));
        }
        sparse.close();
        let mut full = vec![0.0; n * n];
        for (c, set) in paths.iter().chain(&contacts).enumerate() {
            let row = |i: usize| ((i * 7 + c * 3) as f64).sin();
            for &i in *set {
                for &j in *set {
                    full[i * n + j] += row(i) * row(j);
                    if i >= j {
                        sparse.add(i, j, row(i) * row(j));
                    }
                }
            }
        }
        for i in 0..n {
            full[i * n + i] += 0.5;
            sparse.add(i, i, 0.5);
        }
        for left_out in [vec![], vec![7, 12], vec![6, 9, 10, 2]] {
            let out: Vec<bool> = (0..n).map(|k| left_out.contains(&k)).collect();
            assert!(sparse.factor_without(&out));
            let truth: Vec<f64> = (0..n).map(|k| if out[k] { 0.0 } else { (k as f64).cos() }).collect();
            let mut x: Vec<f64> = (0..n).map(|i| (0..n).map(|j| full[i * n + j] * truth[j]).sum()).collect();
            let mut product = vec![0.0; n];
            sparse.multiply(&truth, &mut product);
            (0..n).for_each(|k| assert!((product[k] - x[k]).abs() < 1e-13, "{k}"));
            (0..n).filter(|k| out[*k]).for_each(|k| x[k] = 0.0);
            sparse.solve(&mut x);
            (0..n).for_each(|k| assert!((x[k] - truth[k]).abs() < 1e-12, "{k}: {} {}", x[k], truth[k]));
        }
        for k in 0..n {
            let mut column = vec![0.0; n];
            sparse.each_of_column(k, |i, h| column[i] += h);
            (0..n).for_each(|i| assert_eq!(column[i], full[i * n + k], "{i} {k}"));
        }
    }
}

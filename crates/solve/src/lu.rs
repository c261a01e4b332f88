//! # LU: factors of small dense matrices, those with sparse rows and columns first
//!
//! - **in**: a square matrix, row after row
//! - **out**: [`Lu`]: solves A x = b, and says how near to singular A is
//! - **not here**: what the matrix means
//! - **start at** [`Lu::factor`]
//!
//! Matrices of contact problems have a dense core and a border of rows and columns with two or three entries (friction
//! limits). Pivots in the border come first, as long as they are not small in their row or column: they cost a few entries
//! each, and the cubic work is left for the core alone.

/// A pivot in the border may be this much smaller than the largest entry of its line.
const SHARE: f64 = 0.1;
/// Lines with more entries than this belong to the core.
const SPARSE: u32 = 6;
/// Factors with fewer entries than this share are solved by lists of them.
const FEW: f64 = 0.25;

/// Factors of a square matrix with the order of rows and columns; storage is kept for the next matrix.
#[derive(Clone, Debug, Default)]
pub struct Lu {
    n: usize,
    a: Vec<f64>,
    rows: Vec<usize>,
    columns: Vec<usize>,
    row_count: Vec<u32>,
    column_count: Vec<u32>,
    work: Vec<f64>,
    /// Smallest pivot over the largest of its line, over all steps.
    ratio: f64,
    /// Entries of the factors beside the diagonal, where they are few.
    lists: Lists,
}

/// Entries of L and U row by row: those of row k in L from `starts[2k]` to `starts[2k + 1]`, in U on to `starts[2k + 2]`.
#[derive(Clone, Debug, Default)]
struct Lists {
    starts: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Lists {
    /// Sum of entries times numbers.
    fn dot(&self, part: usize, x: &[f64]) -> f64 {
        let range = self.starts[part] as usize..self.starts[part + 1] as usize;
        let (columns, values) = (&self.columns[range.clone()], &self.values[range]);
        columns.iter().zip(values).map(|(j, a)| a * x[*j as usize]).sum()
    }
}

impl Lu {
    /// Storage for matrices up to n × n.
    pub fn with_capacity(n: usize) -> Self {
        let mut lu = Lu { a: Vec::with_capacity(n * n), ..Lu::default() };
        lu.rows.reserve(n);
        lu.columns.reserve(n);
        lu.row_count.reserve(n);
        lu.column_count.reserve(n);
        lu.work.reserve(n);
        lu.lists.starts.reserve(2 * n + 1);
        lu.lists.columns.reserve(most_listed(n));
        lu.lists.values.reserve(most_listed(n));
        lu
    }

    /// Factors the n × n matrix that `fill` writes, row after row. False if a pivot is exactly zero.
    pub fn factor(&mut self, n: usize, fill: impl FnOnce(&mut [f64])) -> bool {
        self.n = n;
        self.a.clear();
        self.a.resize(n * n, 0.0);
        fill(&mut self.a);
        self.rows.clear();
        self.rows.extend(0..n);
        self.columns.clear();
        self.columns.extend(0..n);
        self.work.clear();
        self.work.resize(n, 0.0);
        let scale = crate::kernel::max_abs(&self.a);
        self.ratio = if n == 0 { 1.0 } else { f64::INFINITY };
        let core = self.border(scale);
        let whole = self.core(core, scale);
        self.list();
        whole
    }

    /// Lists the entries of the factors; leaves no lists where they are many.
    fn list(&mut self) {
        let (n, most) = (self.n, most_listed(self.n));
        let Lists { starts, columns, values } = &mut self.lists;
        starts.clear();
        columns.clear();
        values.clear();
        starts.push(0);
        for (k, row) in self.a.chunks_exact(n.max(1)).enumerate() {
            for part in [0..k, k + 1..n] {
                for j in part {
                    if row[j] != 0.0 {
                        if values.len() == most {
                            starts.clear();
                            return;
                        }
                        columns.push(j as u32);
                        values.push(row[j]);
                    }
                }
                starts.push(values.len() as u32);
            }
        }
    }

    /// Smallest pivot over the largest entry that the matrix had: near round-off, A is singular in working precision.
    pub fn ratio(&self) -> f64 {
        self.ratio
    }

    /// Eliminates sparse columns and rows; returns how many steps that took.
    fn border(&mut self, scale: f64) -> usize {
        let n = self.n;
        self.row_count.clear();
        self.row_count.resize(n, 0);
        self.column_count.clear();
        self.column_count.resize(n, 0);
        for (row, count) in self.a.chunks_exact(n.max(1)).zip(&mut self.row_count) {
            for (x, column) in row.iter().zip(&mut self.column_count) {
                *column += u32::from(*x != 0.0);
            }
            *count = row.iter().map(|x| u32::from(*x != 0.0)).sum();
        }
        for step in 0..n {
            let Some((i, j)) = self.border_pivot(step) else { return step };
            self.swap(step, i, j);
            self.eliminate_sparse(step);
            self.ratio = self.ratio.min(self.a[step * n + step].abs() / scale);
        }
        n
    }

    /// The cheapest acceptable pivot in a sparse line.
    fn border_pivot(&self, step: usize) -> Option<(usize, usize)> {
        let n = self.n;
        // Nothing is sparse where the rest is small.
        if n - step <= SPARSE as usize {
            return None;
        }
        let column = step + least(&self.column_count[step..]);
        let row = step + least(&self.row_count[step..]);
        if self.column_count[column].min(self.row_count[row]) > SPARSE {
            return None;
        }
        if self.column_count[column] <= self.row_count[row] {
            let most = (step..n).map(|i| self.a[i * n + column].abs()).fold(0.0, f64::max);
            let good = (step..n).filter(|i| self.a[i * n + column].abs() >= SHARE * most);
            good.min_by_key(|i| self.row_count[*i]).filter(|_| most > 0.0).map(|i| (i, column))
        } else {
            let most = (step..n).map(|j| self.a[row * n + j].abs()).fold(0.0, f64::max);
            let good = (step..n).filter(|j| self.a[row * n + j].abs() >= SHARE * most);
            good.min_by_key(|j| self.column_count[*j]).filter(|_| most > 0.0).map(|j| (row, j))
        }
    }

    fn swap(&mut self, step: usize, i: usize, j: usize) {
        let n = self.n;
        if i != step {
            let (upper, lower) = self.a.split_at_mut(i * n);
            upper[step * n..step * n + n].swap_with_slice(&mut lower[..n]);
            self.rows.swap(step, i);
            self.row_count.swap(step, i);
        }
        if j != step {
            for row in self.a.chunks_exact_mut(n) {
                row.swap(step, j);
            }
            self.columns.swap(step, j);
            self.column_count.swap(step, j);
        }
    }

    /// One step of elimination that keeps count of entries: exactly in rows, without fill in columns, where it is enough to
    /// know which were sparse.
    fn eliminate_sparse(&mut self, step: usize) {
        let n = self.n;
        let (upper, lower) = self.a.split_at_mut((step + 1) * n);
        let pivot_row = &upper[step * n..];
        let inverse = 1.0 / pivot_row[step];
        // Where the pivot row is sparse, only its entries are visited.
        let few = self.row_count[step] <= SPARSE;
        let mut places = [0usize; SPARSE as usize];
        let mut count = 0;
        for j in step + 1..n {
            if pivot_row[j] != 0.0 {
                self.column_count[j] = self.column_count[j].saturating_sub(1);
                if few {
                    places[count] = j;
                    count += 1;
                }
            }
        }
        for (k, row) in lower.chunks_exact_mut(n).enumerate() {
            if row[step] == 0.0 {
                continue;
            }
            let factor = row[step] * inverse;
            row[step] = factor;
            let row_count = &mut self.row_count[step + 1 + k];
            if few {
                *row_count -= 1;
                for &j in &places[..count] {
                    let was = u32::from(row[j] != 0.0);
                    row[j] -= factor * pivot_row[j];
                    *row_count = *row_count + u32::from(row[j] != 0.0) - was;
                }
            } else {
                crate::kernel::axpy(-factor, &pivot_row[step + 1..n], &mut row[step + 1..]);
                *row_count = row[step + 1..].iter().map(|x| u32::from(*x != 0.0)).sum();
            }
        }
    }

    /// Partial pivoting on what is left, two steps at a time.
    fn core(&mut self, from: usize, scale: f64) -> bool {
        let n = self.n;
        let mut step = from;
        while step < n {
            if !self.choose_row(step, scale) {
                return false;
            }
            if step + 1 == n {
                break;
            }
            // First column of the pair: factors, and the second column brought up to date.
            let (upper, lower) = self.a.split_at_mut((step + 1) * n);
            let first = &upper[step * n..];
            let inverse = 1.0 / first[step];
            for row in lower.chunks_exact_mut(n) {
                row[step] *= inverse;
                row[step + 1] -= row[step] * first[step + 1];
            }
            if !self.choose_row(step + 1, scale) {
                return false;
            }
            // The second pivot row, then both at once from all rows below.
            let (upper, lower) = self.a.split_at_mut((step + 2) * n);
            let (first, second) = upper[step * n..].split_at_mut(n);
            let factor = second[step];
            for j in step + 2..n {
                second[j] -= factor * first[j];
            }
            let inverse = 1.0 / second[step + 1];
            let (first, second) = (&first[step + 2..n], &second[step + 2..n]);
            for row in lower.chunks_exact_mut(n) {
                row[step + 1] *= inverse;
                let (fa, fb) = (row[step], row[step + 1]);
                for ((x, a), b) in row[step + 2..].iter_mut().zip(first).zip(second) {
                    *x -= fa * a + fb * b;
                }
            }
            step += 2;
        }
        true
    }

    /// Brings the largest entry of a column onto the diagonal.
    fn choose_row(&mut self, step: usize, scale: f64) -> bool {
        let n = self.n;
        let mut best = (step, 0.0);
        for i in step..n {
            let size = self.a[i * n + step].abs();
            if size > best.1 {
                best = (i, size);
            }
        }
        if best.1 <= 0.0 || !best.1.is_finite() {
            self.ratio = 0.0;
            return false;
        }
        self.ratio = self.ratio.min(best.1 / scale);
        self.swap(step, best.0, step);
        true
    }

    /// x with A x = b.
    pub fn solve(&mut self, b: &[f64], x: &mut [f64]) {
        let n = self.n;
        if self.lists.starts.is_empty() {
            for k in 0..n {
                let row = &self.a[k * n..k * n + k];
                self.work[k] = b[self.rows[k]] - crate::kernel::dot(row, &self.work);
            }
            for k in (0..n).rev() {
                let row = &self.a[k * n..(k + 1) * n];
                self.work[k] = (self.work[k] - crate::kernel::dot(&row[k + 1..], &self.work[k + 1..])) / row[k];
            }
        } else {
            for k in 0..n {
                self.work[k] = b[self.rows[k]] - self.lists.dot(2 * k, &self.work);
            }
            for k in (0..n).rev() {
                self.work[k] = (self.work[k] - self.lists.dot(2 * k + 1, &self.work)) / self.a[k * n + k];
            }
        }
        for k in 0..n {
            x[self.columns[k]] = self.work[k];
        }
    }
}

/// Longest lists of an n × n matrix.
fn most_listed(n: usize) -> usize {
    (FEW * (n * n) as f64) as usize
}

/// Place of the first of the least counts; a count of one or none ends the search.
fn least(counts: &[u32]) -> usize {
    let mut best = 0;
    for (k, count) in counts.iter().enumerate() {
        if *count < counts[best] {
            best = k;
        }
        if counts[best] <= 1 {
            break;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random dense and bordered matrices: A times the solution gives the right side back.
    #[test]
    fn solutions_solve() {
        let mut seed = 1u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        let mut lu = Lu::with_capacity(40);
        for n in [0usize, 1, 2, 3, 8, 17, 40] {
            for border in [0, n / 3] {
                let mut a: Vec<f64> = (0..n * n).map(|_| random()).collect();
                // A border: rows and columns with three entries.
                for i in n - border..n {
                    for j in 0..n {
                        let kept = (i + j) % n < 3;
                        a[i * n + j] *= f64::from(u8::from(kept));
                        a[j * n + i] *= f64::from(u8::from(kept));
                    }
                    a[i * n + (i + border) % n] = 1.0;
                    a[((i + border) % n) * n + i] = 1.0;
                }
                let b: Vec<f64> = (0..n).map(|_| random()).collect();
                let mut x = vec![0.0; n];
                if !lu.factor(n, |to| to.copy_from_slice(&a)) || lu.ratio() < 1e-12 {
                    continue;
                }
                lu.solve(&b, &mut x);
                for i in 0..n {
                    let sum: f64 = (0..n).map(|j| a[i * n + j] * x[j]).sum();
                    let size = crate::kernel::max_abs(&x);
                    assert!((sum - b[i]).abs() < 1e-13 * (1.0 + size) / lu.ratio().min(1.0), "{n} {border}");
                }
            }
        }
        assert!(!lu.factor(2, |a| a.copy_from_slice(&[1.0, 2.0, 2.0, 4.0])) || lu.ratio() < 1e-15);
    }
}

//! # Basis: which variables are basic, and the inverse of the rows that hold them
//!
//! `path` ──(who enters, who leaves)──▶ **here** ──(K⁻¹ a, bᵀK⁻¹)──▶ `path`
//!
//! - **in**: pivots
//! - **out**: [`Basis`]: rows whose w is 0 (nonbasic), columns whose z is basic, and K⁻¹ of the entries where they meet
//! - **not here**: which variable leaves (`path`); entries of the matrix (the caller hands them over)
//! - **start at** [`Basis`]
//!
//! With w = q + M z + d z0 a basis is a set of rows R (w_R = 0) and as many columns C among z and z0:
//!
//! ```text
//! K = (M d)_RC,   x_C = −K⁻¹ q_R,   w_i = q_i + (M d)_iC x_C
//! ```
//!
//! K is as large as there are basic z, often a quarter of n. A pivot borders K, swaps one of its rows or
//! columns, or takes a row and a column out: each is a product of two vectors added to K⁻¹.

use crate::kernel::{accumulate, axpy, dot};

/// No place.
pub(crate) const NONE: usize = usize::MAX;

/// Rows, columns and K⁻¹.
#[derive(Clone, Debug, Default)]
pub(crate) struct Basis {
    /// Room for columns of K⁻¹.
    stride: usize,
    /// Rows whose w is nonbasic.
    pub(crate) rows: Vec<usize>,
    /// Columns whose z is basic; n means z0.
    pub(crate) columns: Vec<usize>,
    /// Place of each row in `rows`.
    pub(crate) row_at: Vec<usize>,
    /// Place of each column in `columns`.
    pub(crate) column_at: Vec<usize>,
    /// K⁻¹ by columns: column p belongs to `rows[p]`, its entries to `columns`.
    inverse: Vec<f64>,
    /// Places where a row has entries.
    places: Vec<usize>,
}

impl Basis {
    /// Room for n rows and z0.
    pub(crate) fn reserve(&mut self, n: usize) {
        self.stride = n + 1;
        self.inverse.resize((n + 1) * (n + 1), 0.0);
        self.rows.reserve(n + 1);
        self.columns.reserve(n + 1);
        self.places.reserve(n + 1);
        self.clear(n);
    }

    /// All w basic.
    pub(crate) fn clear(&mut self, n: usize) {
        self.rows.clear();
        self.columns.clear();
        self.row_at.clear();
        self.row_at.resize(n, NONE);
        self.column_at.clear();
        self.column_at.resize(n + 1, NONE);
    }

    /// Size of K.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Lets a row and a column in without touching K⁻¹, which the caller rebuilds.
    pub(crate) fn add(&mut self, row: usize, column: usize) {
        self.row_at[row] = self.rows.len();
        self.rows.push(row);
        self.column_at[column] = self.columns.len();
        self.columns.push(column);
    }

    /// K⁻¹ a into `out`.
    pub(crate) fn solve(&self, a: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        accumulate(&self.inverse, self.stride, a.iter().enumerate().map(|(p, a)| (p, *a)), out);
    }

    /// bᵀK⁻¹ into `out`.
    pub(crate) fn solve_transposed(&mut self, b: &[f64], out: &mut [f64]) {
        let m = self.len();
        // Rows of contact problems have few entries.
        self.places.clear();
        self.places.extend((0..m).filter(|c| b[*c] != 0.0));
        let few = 4 * self.places.len() < m;
        for (out, column) in out.iter_mut().zip(self.inverse.chunks(self.stride)) {
            let column = &column[..m];
            *out = if few { self.places.iter().map(|c| column[*c] * b[*c]).sum() } else { dot(column, b) };
        }
    }

    /// Column of K⁻¹ that belongs to a row of the problem.
    pub(crate) fn inverse_column(&self, place: usize) -> &[f64] {
        &self.inverse[place * self.stride..place * self.stride + self.len()]
    }

    /// Writes one column of K⁻¹.
    pub(crate) fn set_inverse_column(&mut self, place: usize, values: &[f64]) {
        self.inverse[place * self.stride..place * self.stride + values.len()].copy_from_slice(values);
    }

    /// A row and a column come in: u = K⁻¹ a, v = bᵀK⁻¹, pivot s = corner − bᵀu.
    pub(crate) fn border(&mut self, row: usize, column: usize, u: &[f64], v: &[f64], s: f64) {
        let (m, stride) = (self.len(), self.stride);
        for p in 0..m {
            let factor = v[p] / s;
            let to = &mut self.inverse[p * stride..p * stride + m + 1];
            if factor != 0.0 {
                axpy(factor, u, &mut to[..m]);
            }
            to[m] = -factor;
        }
        let to = &mut self.inverse[m * stride..m * stride + m + 1];
        for (to, u) in to.iter_mut().zip(u) {
            *to = -u / s;
        }
        to[m] = 1.0 / s;
        self.add(row, column);
    }

    /// The column at `place` becomes another: u = K⁻¹ a.
    pub(crate) fn replace_column(&mut self, place: usize, column: usize, u: &[f64]) {
        let (m, stride) = (self.len(), self.stride);
        for p in 0..m {
            let to = &mut self.inverse[p * stride..p * stride + m];
            let share = to[place] / u[place];
            if share != 0.0 {
                axpy(-share, u, to);
            }
            to[place] = share;
        }
        self.column_at[self.columns[place]] = NONE;
        self.columns[place] = column;
        self.column_at[column] = place;
    }

    /// The row at `place` becomes another: v = bᵀK⁻¹.
    pub(crate) fn replace_row(&mut self, place: usize, row: usize, v: &[f64]) {
        let (m, stride) = (self.len(), self.stride);
        let inverse = 1.0 / v[place];
        self.inverse[place * stride..place * stride + m].iter_mut().for_each(|x| *x *= inverse);
        self.subtract_from_others(place, |q, _| v[q]);
        self.row_at[self.rows[place]] = NONE;
        self.rows[place] = row;
        self.row_at[row] = place;
    }

    /// A row and a column go out.
    pub(crate) fn remove(&mut self, row_place: usize, column_place: usize) {
        let (m, stride) = (self.len(), self.stride);
        let pivot = self.inverse[row_place * stride + column_place];
        self.subtract_from_others(row_place, |_, to| to[column_place] / pivot);
        // The last row and column take the empty places.
        let last = m - 1;
        if row_place != last {
            self.inverse.copy_within(last * stride..last * stride + m, row_place * stride);
        }
        for p in 0..last {
            self.inverse[p * stride + column_place] = self.inverse[p * stride + last];
        }
        self.row_at[self.rows[row_place]] = NONE;
        self.column_at[self.columns[column_place]] = NONE;
        self.rows.swap_remove(row_place);
        self.columns.swap_remove(column_place);
        if row_place < last {
            self.row_at[self.rows[row_place]] = row_place;
        }
        if column_place < last {
            self.column_at[self.columns[column_place]] = column_place;
        }
    }

    /// Takes a multiple of one column of K⁻¹ from each of the others.
    fn subtract_from_others(&mut self, place: usize, factor: impl Fn(usize, &[f64]) -> f64) {
        let (m, stride) = (self.len(), self.stride);
        let (before, rest) = self.inverse.split_at_mut(place * stride);
        let (own, after) = rest.split_at_mut(stride.min(rest.len()));
        let own = &own[..m];
        for q in 0..m {
            let to = match q.cmp(&place) {
                std::cmp::Ordering::Less => &mut before[q * stride..q * stride + m],
                std::cmp::Ordering::Equal => continue,
                std::cmp::Ordering::Greater => &mut after[(q - place - 1) * stride..(q - place - 1) * stride + m],
            };
            let factor = factor(q, to);
            if factor != 0.0 {
                axpy(-factor, own, to);
            }
        }
    }
}

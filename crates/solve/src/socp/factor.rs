//! # Factor: the small symmetric system of one iteration, with a border of free variables
//!
//! - **in**: M = A V Aᵀ (rows sorted so that rows of few blocks come first), columns of free variables
//! - **out**: solutions of the bordered system
//! - **not here**: what the right sides are (`interior`)
//! - **start at** [`Factor::refresh`]
//!
//! ```text
//! ( M    A_f ) (y  )   (r )
//! ( A_fᵀ  0  ) (x_f) = (r_f)
//! ```
//!
//! Bound rows touch one block and a slack each. They come first, so that their elimination fills only the dense rows at
//! the end.

/// Cholesky factors of M, and of the border's Schur complement.
#[derive(Clone, Debug, Default)]
pub struct Factor {
    rows: usize,
    free: usize,
    /// Upper triangle of M, then of its factor U with M = UᵀU, row by row.
    pub matrix: Vec<f64>,
    /// One over the diagonal of U.
    over: Vec<f64>,
    /// U⁻ᵀA_f, column by column.
    border: Vec<f64>,
    /// Factor of A_fᵀM⁻¹A_f, and one over its diagonal.
    schur: Vec<f64>,
    schur_over: Vec<f64>,
}

/// Upper factor in place; a pivot that rounding has eaten is replaced by its whole diagonal:
/// its unknown stays near zero. A small pivot there would turn rounding into a direction.
///
/// Each row is taken off the rows below where it is not zero: bound rows, which come first, cost next to nothing.
fn cholesky(a: &mut [f64], n: usize, over: &mut Vec<f64>) {
    // Diagonals of M, which tell what rounding may have eaten.
    over.clear();
    over.extend((0..n).map(|i| a[i * n + i]));
    for i in 0..n {
        let (above, below) = a.split_at_mut((i + 1) * n);
        let row = &mut above[i * n..];
        let (own, pivot) = (over[i], row[i]);
        let root = if pivot > 1e-30 * own && pivot > 0.0 {
            pivot.sqrt()
        } else if own > 0.0 {
            own.sqrt()
        } else {
            1.0
        };
        over[i] = 1.0 / root;
        row[i] = root;
        let by = over[i];
        row[i + 1..].iter_mut().for_each(|x| *x *= by);
        for (j, other) in (i + 1..n).zip(below.chunks_exact_mut(n)) {
            let along = row[j];
            if along != 0.0 {
                other[j..].iter_mut().zip(&row[j..]).for_each(|(x, y)| *x -= along * y);
            }
        }
    }
}

/// x ← U⁻ᵀ x.
#[inline]
fn forward(u: &[f64], over: &[f64], x: &mut [f64]) {
    let n = over.len();
    for (i, (row, over)) in u.chunks_exact(n.max(1)).zip(over).enumerate() {
        let (known, rest) = x[i..n].split_first_mut().expect("a row");
        *known *= over;
        let known = *known;
        rest.iter_mut().zip(&row[i + 1..]).for_each(|(x, u)| *x -= u * known);
    }
}

/// x ← U⁻¹ x.
#[inline]
fn backward(u: &[f64], over: &[f64], x: &mut [f64]) {
    let n = over.len();
    for (i, (row, over)) in u.chunks_exact(n.max(1)).zip(over).enumerate().rev() {
        let (own, known) = x[i..n].split_first_mut().expect("a row");
        // Two sums beside each other: one alone would wait for itself.
        let (pairs, factors) = (known.chunks_exact(2), row[i + 1..].chunks_exact(2));
        let mut sum = match (pairs.remainder(), factors.remainder()) {
            ([x], [u]) => [*own - x * u, 0.0],
            _ => [*own, 0.0],
        };
        for (x, u) in pairs.zip(factors) {
            sum = [sum[0] - x[0] * u[0], sum[1] - x[1] * u[1]];
        }
        *own = (sum[0] + sum[1]) * over;
    }
}

impl Factor {
    /// Room for a system of this size, with M = 0.
    pub fn clear(&mut self, rows: usize, free: usize) {
        (self.rows, self.free) = (rows, free);
        self.matrix.clear();
        self.matrix.resize(rows * rows, 0.0);
        self.schur.resize(free * free, 0.0);
    }

    /// Factors M, then the border (columns of A_f in the order of the sorted rows).
    pub fn refresh(&mut self, columns: &[f64]) {
        let (n, r) = (self.rows, self.free);
        cholesky(&mut self.matrix, n, &mut self.over);
        self.border.clear();
        self.border.extend_from_slice(columns);
        for column in self.border.chunks_exact_mut(n.max(1)) {
            forward(&self.matrix, &self.over, column);
        }
        for i in 0..r {
            for j in i..r {
                let product = |k: usize| self.border[i * n + k] * self.border[j * n + k];
                self.schur[i * r + j] = (0..n).map(product).sum();
            }
        }
        cholesky(&mut self.schur, r, &mut self.schur_over);
    }

    /// [`Factor::solve`] for two right sides beside each other: neither waits for the other.
    pub fn solve_both(&self, one: [&mut [f64]; 2], two: [&mut [f64]; 2]) {
        let n = self.rows;
        let ([y, free], [other, other_free]) = (one, two);
        for (i, (row, over)) in self.matrix.chunks_exact(n.max(1)).zip(&self.over).enumerate() {
            let (a, rest) = y[i..n].split_first_mut().expect("a row");
            let (b, other_rest) = other[i..n].split_first_mut().expect("a row");
            (*a, *b) = (*a * over, *b * over);
            let (a, b) = (*a, *b);
            for ((x, y), u) in rest.iter_mut().zip(other_rest).zip(&row[i + 1..]) {
                (*x, *y) = (*x - u * a, *y - u * b);
            }
        }
        self.through_border(y, free);
        self.through_border(other, other_free);
        for (i, (row, over)) in self.matrix.chunks_exact(n.max(1)).zip(&self.over).enumerate().rev() {
            let (a, known) = y[i..n].split_first_mut().expect("a row");
            let (b, other_known) = other[i..n].split_first_mut().expect("a row");
            let (mut sum, mut other_sum) = (*a, *b);
            for ((x, y), u) in known.iter().zip(other_known.iter()).zip(&row[i + 1..]) {
                (sum, other_sum) = (sum - u * x, other_sum - u * y);
            }
            (*a, *b) = (sum * over, other_sum * over);
        }
    }

    /// Solves in place: y takes the right side r, x_f takes r_f.
    pub fn solve(&self, y: &mut [f64], free: &mut [f64]) {
        forward(&self.matrix, &self.over, y);
        self.through_border(y, free);
        backward(&self.matrix, &self.over, y);
    }

    /// The free variables of a right side U⁻ᵀr, which loses their part.
    fn through_border(&self, y: &mut [f64], free: &mut [f64]) {
        let n = self.rows;
        if self.free == 0 {
            return;
        }
        for (column, right) in self.border.chunks_exact(n.max(1)).zip(free.iter_mut()) {
            *right = column.iter().zip(y.iter()).map(|(a, y)| a * y).sum::<f64>() - *right;
        }
        forward(&self.schur, &self.schur_over, free);
        backward(&self.schur, &self.schur_over, free);
        for (column, x) in self.border.chunks_exact(n.max(1)).zip(free.iter()) {
            column.iter().zip(y.iter_mut()).for_each(|(a, y)| *y -= a * x);
        }
    }
}

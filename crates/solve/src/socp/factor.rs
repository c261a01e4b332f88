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
    /// Lower triangle of M, then of its factor, row by row.
    pub matrix: Vec<f64>,
    /// L⁻¹A_f, column by column.
    border: Vec<f64>,
    /// Factor of A_fᵀM⁻¹A_f.
    schur: Vec<f64>,
    /// First entry of each row.
    begins: Vec<usize>,
}

/// Lower factor in place; a pivot that rounding has eaten is replaced by its whole diagonal:
/// its unknown stays near zero. A small pivot there would turn rounding into a direction.
///
/// Row by row with dot products that begin where both rows do (an envelope): bound rows cost next to nothing.
fn cholesky(a: &mut [f64], n: usize, begins: &mut Vec<usize>) {
    begins.clear();
    for i in 0..n {
        let (above, row) = a.split_at_mut(i * n);
        let row = &mut row[..=i];
        let begin = row.iter().position(|x| *x != 0.0).unwrap_or(i);
        begins.push(begin);
        let own = row[i];
        let mut square = 0.0;
        for j in begin..i {
            let other = &above[j * n..=j * n + j];
            let from = begin.max(begins[j]);
            let mut sum = 0.0;
            if from < j {
                sum = row[from..j].iter().zip(&other[from..j]).map(|(x, y)| x * y).sum();
            }
            let entry = (row[j] - sum) / other[j];
            row[j] = entry;
            square += entry * entry;
        }
        let pivot = own - square;
        row[i] = if pivot > 1e-30 * own && pivot > 0.0 {
            pivot.sqrt()
        } else if own > 0.0 {
            own.sqrt()
        } else {
            1.0
        };
    }
}

/// x ← L⁻¹ x.
fn forward(l: &[f64], n: usize, x: &mut [f64]) {
    for i in 0..n {
        let sum: f64 = l[i * n..i * n + i].iter().zip(&x[..i]).map(|(l, x)| l * x).sum();
        x[i] = (x[i] - sum) / l[i * n + i];
    }
}

/// x ← L⁻ᵀ x.
fn backward(l: &[f64], n: usize, x: &mut [f64]) {
    for i in (0..n).rev() {
        x[i] /= l[i * n + i];
        let known = x[i];
        for k in 0..i {
            x[k] -= l[i * n + k] * known;
        }
    }
}

impl Factor {
    /// Room for a system of this size, with M = 0.
    pub fn clear(&mut self, rows: usize, free: usize) {
        (self.rows, self.free) = (rows, free);
        self.matrix.clear();
        self.matrix.resize(rows * rows, 0.0);
        self.border.resize(rows * free, 0.0);
        self.schur.resize(free * free, 0.0);
    }

    /// Factors M, then the border (columns of A_f in the order of the sorted rows).
    pub fn refresh(&mut self, columns: &[f64]) {
        let (n, r) = (self.rows, self.free);
        cholesky(&mut self.matrix, n, &mut self.begins);
        self.border.copy_from_slice(columns);
        for column in self.border.chunks_exact_mut(n.max(1)) {
            forward(&self.matrix, n, column);
        }
        for i in 0..r {
            for j in 0..=i {
                let product = |k: usize| self.border[i * n + k] * self.border[j * n + k];
                self.schur[i * r + j] = (0..n).map(product).sum();
            }
        }
        let mut begins = Vec::new();
        cholesky(&mut self.schur, r, &mut begins);
    }

    /// Solves in place: y takes the right side r, x_f takes r_f.
    pub fn solve(&self, y: &mut [f64], free: &mut [f64]) {
        let (n, r) = (self.rows, self.free);
        forward(&self.matrix, n, y);
        if r > 0 {
            for (column, right) in self.border.chunks_exact(n.max(1)).zip(free.iter_mut()) {
                *right = column.iter().zip(y.iter()).map(|(a, y)| a * y).sum::<f64>() - *right;
            }
            forward(&self.schur, r, free);
            backward(&self.schur, r, free);
            for (column, x) in self.border.chunks_exact(n.max(1)).zip(free.iter()) {
                column.iter().zip(y.iter_mut()).for_each(|(a, y)| *y -= a * x);
            }
        }
        backward(&self.matrix, n, y);
    }
}

//! # Block: products of four rows of six numbers
//!
//! - **in / out**: rows J of a contact on one body, through the root of its inverse mass
//! - **start at** [`Rows`]
//!
//! Written out over fixed arrays: two numbers at a time fit the machine, and nothing is called.

pub use fingerpad_solve::sparse::{Block, Six};
use nalgebra::{Matrix4, Vector4, Vector6};

/// Four rows on one body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rows(pub [[f64; 6]; 4]);

/// A symmetric matrix on four rows, the first of which stands alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Weights {
    /// Each row by itself.
    Each(Vector4<f64>),
    /// All of them.
    Full(Matrix4<f64>),
}

impl Rows {
    /// No rows.
    pub const ZERO: Self = Self([[0.0; 6]; 4]);

    /// J x.
    #[inline]
    pub fn times(&self, x: &Vector6<f64>) -> Vector4<f64> {
        let dot = |row: &[f64; 6]| {
            let even = row[0] * x[0] + row[2] * x[2] + row[4] * x[4];
            let odd = row[1] * x[1] + row[3] * x[3] + row[5] * x[5];
            even + odd
        };
        Vector4::new(dot(&self.0[0]), dot(&self.0[1]), dot(&self.0[2]), dot(&self.0[3]))
    }

    /// Jᵀ f.
    #[inline]
    pub fn back(&self, f: &Vector4<f64>) -> Vector6<f64> {
        let mut sum = [0.0; 6];
        for (row, f) in self.0.iter().zip(f.iter()) {
            for i in 0..6 {
                sum[i] += row[i] * f;
            }
        }
        sum.into()
    }

    /// G ← G + J Jᵀ.
    #[inline]
    pub fn add_gram(&self, G: &mut Matrix4<f64>) {
        for i in 0..4 {
            for j in 0..=i {
                let (a, b) = (&self.0[i], &self.0[j]);
                let even = a[0] * b[0] + a[2] * b[2] + a[4] * b[4];
                let odd = a[1] * b[1] + a[3] * b[3] + a[5] * b[5];
                let sum = G[(i, j)] + (even + odd);
                G[(i, j)] = sum;
                G[(j, i)] = sum;
            }
        }
    }

    /// K J.
    #[inline]
    pub fn weighed(&self, K: &Weights) -> Self {
        let mut product = [[0.0; 6]; 4];
        let K = match K {
            Weights::Full(K) => K,
            Weights::Each(k) => {
                for (i, row) in product.iter_mut().enumerate() {
                    for j in 0..6 {
                        row[j] = k[i] * self.0[i][j];
                    }
                }
                return Self(product);
            }
        };
        for j in 0..6 {
            product[0][j] = K[(0, 0)] * self.0[0][j];
        }
        for (i, row) in product.iter_mut().enumerate().skip(1) {
            for k in 1..4 {
                let x = K[(k, i)];
                for j in 0..6 {
                    row[j] += x * self.0[k][j];
                }
            }
        }
        Self(product)
    }

    /// C ← C + Jᵀ B where that is symmetric, on and below the diagonal.
    #[inline]
    pub fn add_half_product(&self, B: &Self, C: &mut Block) {
        for (j, column) in C.iter_mut().enumerate() {
            // Two numbers at a time.
            let from = j / 2 * 2;
            for k in 0..4 {
                let x = B.0[k][j];
                for i in from..6 {
                    column[i] += self.0[k][i] * x;
                }
            }
        }
    }

    /// C ← C + Jᵀ B, C by columns.
    #[inline]
    pub fn add_product(&self, B: &Self, C: &mut Block) {
        for (j, column) in C.iter_mut().enumerate() {
            for k in 0..4 {
                let x = B.0[k][j];
                for i in 0..6 {
                    column[i] += self.0[k][i] * x;
                }
            }
        }
    }
}

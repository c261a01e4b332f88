//! # Pattern: where a basis has entries
//!
//! - **in**: entries of K, asked for place by place
//! - **out**: [`Pattern`]: products with K, over its entries alone; new values in the same places
//! - **not here**: what is outside the places; the residual of the problem shows what was left out
//! - **start at** [`Pattern::collect`], then [`Pattern::take_values`]
//!
//! A basis of a contact problem holds one entry in eight: contacts that share no body do not know each other.

/// Places and values, column after column.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pattern {
    starts: Vec<u32>,
    rows: Vec<u32>,
    values: Vec<f64>,
}

impl Pattern {
    /// Room for n × n.
    pub(crate) fn reserve(&mut self, n: usize) {
        self.starts.reserve(n + 1);
        self.rows.reserve(n * n);
        self.values.reserve(n * n);
    }

    /// No places.
    pub(crate) fn clear(&mut self) {
        self.starts.clear();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Places and values of an m × m matrix.
    pub(crate) fn collect(&mut self, m: usize, entry: impl Fn(usize, usize) -> f64) {
        self.starts.clear();
        self.rows.clear();
        self.values.clear();
        self.starts.push(0);
        for column in 0..m {
            for row in 0..m {
                let value = entry(row, column);
                if value != 0.0 {
                    self.rows.push(row as u32);
                    self.values.push(value);
                }
            }
            self.starts.push(self.rows.len() as u32);
        }
    }

    /// Values of another matrix in the same places.
    pub(crate) fn take_values(&mut self, entry: impl Fn(usize, usize) -> f64) {
        for (column, ends) in self.starts.windows(2).enumerate() {
            let places = ends[0] as usize..ends[1] as usize;
            for (value, row) in self.values[places.clone()].iter_mut().zip(&self.rows[places]) {
                *value = entry(*row as usize, column);
            }
        }
    }

    /// out += K x.
    pub(crate) fn add_product(&self, x: &[f64], out: &mut [f64]) {
        for (ends, x) in self.starts.windows(2).zip(x) {
            let places = ends[0] as usize..ends[1] as usize;
            for (value, row) in self.values[places.clone()].iter().zip(&self.rows[places]) {
                out[*row as usize] += value * x;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against sums written out; values change, places stay.
    #[test]
    fn products_are_those_of_the_matrix() {
        let matrix = [[1.0, 0.0, 2.0], [0.0, 0.0, 3.0], [4.0, 5.0, 0.0]];
        let mut pattern = Pattern::default();
        pattern.collect(3, |i, j| matrix[i][j]);
        let mut out = [1.0; 3];
        pattern.add_product(&[1.0, 10.0, 100.0], &mut out);
        assert_eq!(out, [202.0, 301.0, 55.0]);
        pattern.take_values(|_, _| 1.0);
        let mut out = [0.0; 3];
        pattern.add_product(&[1.0, 10.0, 100.0], &mut out);
        assert_eq!(out, [101.0, 100.0, 11.0]);
    }
}

//! # Anderson acceleration: a fixed point from the last few tries
//!
//! - **in**: a vector s and what came of it, F(s)
//! - **out**: the next s to try
//! - **start at** [`Anderson::next`]
//!
//! Of all mixtures of the last tries the one is taken whose F − s is least, if F were linear.

/// Tries that are remembered.
const DEPTH: usize = 6;

/// The last tries.
#[derive(Clone, Debug, Default)]
pub(crate) struct Anderson {
    /// Differences of s and of F − s from try to try, the oldest overwritten.
    steps: Vec<Vec<f64>>,
    changes: Vec<Vec<f64>>,
    /// The last s and F − s.
    s: Vec<f64>,
    rest: Vec<f64>,
    count: usize,
}

impl Anderson {
    /// Forgets all tries.
    pub(crate) fn clear(&mut self) {
        self.count = 0;
        self.steps.resize(DEPTH, Vec::new());
        self.changes.resize(DEPTH, Vec::new());
    }

    /// Replaces s, which led to `found`, by the next one.
    pub(crate) fn next(&mut self, s: &mut [f64], found: &[f64]) {
        if self.count > 0 {
            let slot = (self.count - 1) % DEPTH;
            let (step, change) = (&mut self.steps[slot], &mut self.changes[slot]);
            step.clear();
            change.clear();
            step.extend(s.iter().zip(&self.s).map(|(s, last)| s - last));
            change.extend(s.iter().zip(found).zip(&self.rest).map(|((s, f), last)| f - s - last));
        }
        self.s.clear();
        self.rest.clear();
        self.s.extend_from_slice(s);
        self.rest.extend(found.iter().zip(s.iter()).map(|(f, s)| f - s));
        let n = self.count.min(DEPTH);
        self.count += 1;
        // Least squares by normal equations with a little on the diagonal.
        let mut a = [[0.0; DEPTH + 1]; DEPTH];
        for i in 0..n {
            for j in 0..n {
                a[i][j] = crate::kernel::dot(&self.changes[i], &self.changes[j]);
            }
            a[i][DEPTH] = crate::kernel::dot(&self.changes[i], &self.rest);
        }
        let size = (0..n).fold(0.0, |most: f64, i| most.max(a[i][i]));
        (0..n).for_each(|i| a[i][i] += 1e-12 * size + f64::MIN_POSITIVE);
        for k in 0..n {
            for r in k + 1..n {
                let factor = a[r][k] / a[k][k];
                let pivot = a[k];
                (k..=DEPTH).for_each(|c| a[r][c] -= factor * pivot[c]);
            }
        }
        let mut shares = [0.0; DEPTH];
        for k in (0..n).rev() {
            let sum: f64 = (k + 1..n).map(|c| a[k][c] * shares[c]).sum();
            shares[k] = (a[k][DEPTH] - sum) / a[k][k];
        }
        s.copy_from_slice(found);
        for k in 0..n {
            for (i, s) in s.iter_mut().enumerate() {
                *s -= shares[k] * (self.steps[k][i] + self.changes[k][i]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// F(s) = A s + c with eigenvalues from −0.99 to 0.95: four tries more than there are numbers, where plain repetition would
    /// take hundreds.
    #[test]
    fn linear_maps_are_done_in_as_many_tries_as_numbers() {
        let rates = [-0.99, 0.5, 0.95, -0.3];
        let mut s = [1.0, 2.0, 3.0, 4.0];
        let mut anderson = Anderson::default();
        anderson.clear();
        for _ in 0..8 {
            let found = [0, 1, 2, 3].map(|k| rates[k] * s[k] + 1.0);
            anderson.next(&mut s, &found);
        }
        for k in 0..4 {
            assert!((s[k] - 1.0 / (1.0 - rates[k])).abs() < 1e-6, "{s:?}");
        }
    }
}

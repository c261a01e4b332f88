//! # Extrapolation: one step of an ordinary differential equation, of high order
//!
//! - **in**: y′ = f(t, y), a step, a scale for errors
//! - **out**: y at the end by the midpoint rule on 2, 4, 6, … parts, extrapolated to none; the error of each order
//! - **not here**: which step comes next (`accurate`)
//! - **start at** [`Table::attempt`]
//!
//! (Hairer, §II.9): the midpoint rule's error is a series in h²; column j has order 2j + 2 and its error is taken against
//! the column before. Any order is there without tables of coefficients, and tolerances of 1e-12 ask for a high one.

/// A differential equation.
pub trait System {
    /// Why a rate cannot be given.
    type Error;
    /// The next call of `rate` is near the start of the step again.
    fn rewind(&mut self);
    /// y′ at (t, y), into `rate`.
    fn rate(&mut self, t: f64, y: &[f64], rate: &mut [f64]) -> Result<(), Self::Error>;
}

/// Columns at most.
pub const COLUMNS: usize = 8;

/// Parts of the step in a column.
const fn parts(column: usize) -> usize {
    2 * (column + 1)
}

/// Rates asked for up to and with a column.
pub fn work(column: usize) -> f64 {
    // One at the start, and parts − 1 in each column.
    (1 + (0..=column).map(|j| parts(j) - 1).sum::<usize>()) as f64
}

/// Scratch of the extrapolation; `table[0]` holds the answer.
#[derive(Clone, Debug, Default)]
pub struct Table {
    table: Vec<Vec<f64>>,
    start_rate: Vec<f64>,
    rate: Vec<f64>,
    last: Vec<f64>,
    now: Vec<f64>,
}

/// What an attempt found.
#[derive(Clone, Copy, Debug)]
pub struct Attempt {
    /// The last column made.
    pub column: usize,
    /// Error over tolerance of each column from 1; infinite where not made.
    pub errors: [f64; COLUMNS],
    /// The component with the greatest error in the last column.
    pub worst: usize,
}

impl Table {
    /// Scratch for n components.
    pub fn new(n: usize) -> Self {
        let zeros = || vec![0.0; n];
        Self { table: vec![zeros(); COLUMNS], start_rate: zeros(), rate: zeros(), last: zeros(), now: zeros() }
    }

    /// Makes room for n components.
    pub fn resize(&mut self, n: usize) {
        let Self { table, start_rate, rate, last, now } = self;
        table.iter_mut().chain([start_rate, rate, last, now]).for_each(|numbers| numbers.resize(n, 0.0));
    }

    /// The state at the end of the last attempt.
    pub fn end(&self) -> &[f64] {
        &self.table[0]
    }

    /// Estimated error of a component at the end of the last attempt: what its last column changed.
    pub fn error(&self, i: usize) -> f64 {
        (self.table[0][i] - self.table[1][i]).abs()
    }

    /// Columns until the error is within tolerance, from `least` on, up to `most`.
    #[allow(clippy::too_many_arguments)] // the numbers of one step
    pub fn attempt<S: System>(
        &mut self,
        system: &mut S,
        t: f64,
        y: &[f64],
        h: f64,
        (least, most): (usize, usize),
        tolerance: impl Fn(usize, f64) -> f64,
    ) -> Result<Attempt, S::Error> {
        let mut found = Attempt { column: 0, errors: [f64::INFINITY; COLUMNS], worst: 0 };
        system.rewind();
        system.rate(t, y, &mut self.start_rate)?;
        for column in 0..=most {
            self.midpoint(system, t, y, h, column)?;
            found.column = column;
            if column == 0 {
                continue;
            }
            let mut error = 0.0_f64;
            for (i, (best, before)) in self.table[0].iter().zip(&self.table[1]).enumerate() {
                let ratio = (best - before).abs() / tolerance(i, y[i].abs().max(best.abs()));
                let ratio = if ratio.is_nan() { f64::INFINITY } else { ratio };
                if ratio > error {
                    (found.worst, error) = (i, ratio);
                }
            }
            found.errors[column] = error;
            if column >= least && error <= 1.0 {
                break;
            }
            // Hopeless: the next column could not gain that much.
            if column >= least && error > (parts(column + 1) as f64 / 2.0).powi(4) {
                break;
            }
        }
        Ok(found)
    }

    /// One column: the midpoint rule on its parts, and the extrapolation of all columns so far.
    fn midpoint<S: System>(
        &mut self,
        system: &mut S,
        t: f64,
        y: &[f64],
        h: f64,
        column: usize,
    ) -> Result<(), S::Error> {
        let count = parts(column);
        let part = h / count as f64;
        self.last.copy_from_slice(y);
        for (now, (y, rate)) in self.now.iter_mut().zip(y.iter().zip(&self.start_rate)) {
            *now = y + part * rate;
        }
        system.rewind();
        for i in 1..count {
            system.rate(t + part * i as f64, &self.now, &mut self.rate)?;
            for (last, rate) in self.last.iter_mut().zip(&self.rate) {
                *last += 2.0 * part * rate;
            }
            std::mem::swap(&mut self.last, &mut self.now);
        }
        self.table[column].copy_from_slice(&self.now);
        for j in (0..column).rev() {
            let ratio = count as f64 / parts(j) as f64;
            let factor = 1.0 / (ratio * ratio - 1.0);
            let (low, high) = self.table.split_at_mut(j + 1);
            for (rough, fine) in low[j].iter_mut().zip(&high[0]) {
                *rough = fine + (fine - *rough) * factor;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Turning;
    impl System for Turning {
        type Error = ();
        fn rewind(&mut self) {}
        fn rate(&mut self, _: f64, y: &[f64], rate: &mut [f64]) -> Result<(), ()> {
            rate.copy_from_slice(&[y[1], -y[0]]);
            Ok(())
        }
    }

    /// Sine and cosine: halving the step divides the error of column 3 (order 8) by 2⁹; would catch wrong factors.
    #[test]
    fn column_three_has_order_eight() {
        let mut table = Table::new(2);
        let mut error = |h: f64| {
            table.attempt(&mut Turning, 0.0, &[0.0, 1.0], h, (3, 3), |_, _| 1e-300).unwrap();
            (table.end()[0] - h.sin()).abs()
        };
        let ratio = error(1.0) / error(0.5);
        assert!((400.0..640.0).contains(&ratio), "{ratio}");
    }
}

//! # Kernels: sums over columns, four at a time
//!
//! - **in**: columns of a matrix, stored one after the other, and a factor for each
//! - **out**: their sum, added to a vector
//! - **not here**: which columns and why (`lemke`, `lcp`)
//! - **start at** [`accumulate`]
//!
//! Four columns are added in one pass, so that the sum is loaded and stored once for four products.

/// Adds factor × column to `out` for each (column, factor); columns lie `stride` apart and count as far as `out` is long.
pub(crate) fn accumulate(matrix: &[f64], stride: usize, terms: impl Iterator<Item = (usize, f64)>, out: &mut [f64]) {
    let len = out.len();
    let column = |j: usize| &matrix[j * stride..j * stride + len];
    let mut held = [(0usize, 0.0f64); 4];
    let mut count = 0;
    for (j, factor) in terms {
        if factor == 0.0 {
            continue;
        }
        held[count] = (j, factor);
        count += 1;
        if count == 4 {
            let [(ja, fa), (jb, fb), (jc, fc), (jd, fd)] = held;
            let (a, b, c, d) = (column(ja), column(jb), column(jc), column(jd));
            for i in 0..len {
                out[i] += (fa * a[i] + fb * b[i]) + (fc * c[i] + fd * d[i]);
            }
            count = 0;
        }
    }
    for (j, factor) in &held[..count] {
        axpy(*factor, column(*j), out);
    }
}

/// out += factor × x.
pub(crate) fn axpy(factor: f64, x: &[f64], out: &mut [f64]) {
    for (out, x) in out.iter_mut().zip(x) {
        *out += factor * x;
    }
}

/// x·y, in four partial sums.
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let len = x.len().min(y.len());
    let (x, y) = (&x[..len], &y[..len]);
    let mut sums = [0.0; 4];
    let (fours_x, fours_y) = (x.chunks_exact(4), y.chunks_exact(4));
    let rest: f64 = fours_x.remainder().iter().zip(fours_y.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in fours_x.zip(fours_y) {
        for k in 0..4 {
            sums[k] += x[k] * y[k];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// Largest absolute value, NaN left out; 0 of nothing.
pub(crate) fn max_abs(x: &[f64]) -> f64 {
    let mut most = [0.0f64; 4];
    let fours = x.chunks_exact(4);
    let rest = fours.remainder().iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    for x in fours {
        for k in 0..4 {
            most[k] = larger(most[k], x[k].abs());
        }
    }
    most.into_iter().fold(rest, f64::max)
}

/// Largest |x y|, NaN left out; 0 of nothing.
pub(crate) fn max_abs_product(x: &[f64], y: &[f64]) -> f64 {
    let mut most = [0.0f64; 4];
    let (fours_x, fours_y) = (x.chunks_exact(4), y.chunks_exact(4));
    let rest = fours_x.remainder().iter().zip(fours_y.remainder());
    let rest = rest.fold(0.0, |most: f64, (x, y)| larger(most, (x * y).abs()));
    for (x, y) in fours_x.zip(fours_y) {
        for k in 0..4 {
            most[k] = larger(most[k], (x[k] * y[k]).abs());
        }
    }
    most.into_iter().fold(rest, larger)
}

/// The larger of two, the first if the second is NaN: one instruction, which f64::max is not.
#[inline]
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// Least x/−g over all g < `below` (which is not positive); infinity if there is none.
pub(crate) fn least_ratio(x: &[f64], g: &[f64], below: f64) -> f64 {
    let ratio = |x: f64, g: f64| if g < below { x / -g } else { f64::INFINITY };
    let least = |a: f64, b: f64| if b < a { b } else { a };
    let mut held = [f64::INFINITY; 4];
    let (fours_x, fours_g) = (x.chunks_exact(4), g.chunks_exact(4));
    let rest = fours_x.remainder().iter().zip(fours_g.remainder());
    let rest = rest.fold(f64::INFINITY, |held, (x, g)| least(held, ratio(*x, *g)));
    for (x, g) in fours_x.zip(fours_g) {
        for k in 0..4 {
            held[k] = least(held[k], ratio(x[k], g[k]));
        }
    }
    held.into_iter().fold(rest, least)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against sums written out, with a number of columns that is no multiple of four and a factor of zero among them.
    #[test]
    fn columns_are_added() {
        let matrix: Vec<f64> = (0..30).map(f64::from).collect();
        let mut out = vec![1.0; 5];
        accumulate(&matrix, 5, [(0, 1.0), (5, 2.0), (1, 0.0), (3, -1.0), (2, 0.5), (4, 3.0)].into_iter(), &mut out);
        for i in 0..5 {
            let x = |j: usize| (j * 5 + i) as f64;
            assert_eq!(out[i], 1.0 + x(0) + 2.0 * x(5) - x(3) + 0.5 * x(2) + 3.0 * x(4));
        }
        assert_eq!(dot(&[1.0, 2.0, 3.0, 4.0, 5.0], &[1.0; 5]), 15.0);
        assert_eq!(max_abs(&[1.0, -3.0]), 3.0);
        assert_eq!(max_abs(&[1.0, -3.0, 0.0, -7.0, f64::NAN]), 7.0);
        assert_eq!(max_abs_product(&[1.0, -3.0, 0.0, 2.0, 5.0], &[1.0, 2.0, 9.0, -2.0, 1.1]), 6.0);
        let (x, g) = ([4.0, 1.0, 6.0, 8.0, 3.0, 0.0], [-2.0, 1.0, -2.0, -8.0, -6.0, -1e-12]);
        assert_eq!(least_ratio(&x, &g, -1e-10), 0.5);
        assert_eq!(least_ratio(&x[..2], &g[..2], -1e-10), 2.0);
        assert_eq!(least_ratio(&x[1..2], &g[1..2], -1e-10), f64::INFINITY);
    }
}

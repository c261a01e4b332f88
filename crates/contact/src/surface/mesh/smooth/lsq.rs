//! # Small least squares by Householder reflections
//!
//! - **in**: rows of (columns, right-hand side), at most a few hundred
//! - **out**: the triangular factor; solutions with or without ridge; condition of scaled columns
//! - **start at** [`triangulate`], then [`solve`]
//!
//! Rows are reduced once to a small triangle; ridge rows and shorter models (the first m columns) are solved from
//! the triangle. Normal equations would square the condition, which reaches 10³ here with columns such as z².

/// Reduces `rows` to upper triangular form in place by orthogonal transformations.
///
/// With W columns, the last being the right-hand side, the first W rows hold the result and the rest is zero;
/// entry (W−1, W−1) is ± the norm of the residual. Rows fewer than W are filled with zeros.
pub fn triangulate<const W: usize>(rows: &mut Vec<[f64; W]>) -> [[f64; W]; W] {
    if rows.len() < W {
        rows.resize(W, [0.0; W]);
    }
    reduce(rows);
    let mut triangle = [[0.0; W]; W];
    triangle.copy_from_slice(&rows[..W]);
    triangle
}

/// The reflections of [`triangulate`], for at least W rows.
pub fn reduce<const W: usize>(rows: &mut [[f64; W]]) {
    for k in 0..W {
        let (head, tail) = rows[k..].split_at_mut(1);
        let norm = (head[0][k] * head[0][k] + tail.iter().map(|r| r[k] * r[k]).sum::<f64>()).sqrt();
        reflect(&mut head[0], tail, k, norm);
    }
}

/// One reflection: column k of `head` and `tail` together, of length `norm`, becomes (∓norm, 0, …).
///
/// Columns before k are zero already; they are carried along, since loops of fixed length run faster.
#[inline(always)]
fn reflect<const W: usize>(head: &mut [f64; W], tail: &mut [[f64; W]], k: usize, norm: f64) {
    if norm == 0.0 {
        return;
    }
    // v = column − α e₁; H = I − v vᵀ/(α² − α column₁)
    let alpha = -norm.copysign(head[k]);
    let first = head[k] - alpha;
    let inv = 1.0 / (norm * norm - alpha * head[k]);
    let mut dots = head.map(|x| first * x);
    for row in tail.iter() {
        for j in 0..W {
            dots[j] += row[k] * row[j];
        }
    }
    dots = dots.map(|x| x * inv);
    for j in 0..W {
        head[j] -= first * dots[j];
    }
    head[k] = alpha;
    for row in tail {
        let v = row[k];
        for j in 0..W {
            row[j] -= v * dots[j];
        }
        row[k] = 0.0;
    }
}

/// Least-squares solution of the first `terms` columns with penalties `ridge[k]` on the coefficients, and the
/// sum of squared residuals of the data (without the penalties).
///
/// Coefficients of columns that vanish are zero.
pub fn solve<const W: usize>(triangle: &[[f64; W]; W], terms: usize, ridge: &[f64; W]) -> ([f64; W], f64) {
    let mut r = *triangle;
    // Penalty row k enters with column k, when the rows above it have filled in from there on.
    let mut penalties = [[0.0; W]; W];
    for k in 0..terms {
        penalties[k][k] = ridge[k];
        let squares = penalties[..=k].iter().map(|row| row[k] * row[k]).sum::<f64>();
        if squares > 0.0 {
            let norm = (r[k][k] * r[k][k] + squares).sqrt();
            reflect(&mut r[k], &mut penalties[..=k], k, norm);
        }
    }
    let mut x = [0.0; W];
    for k in (0..terms).rev() {
        let rest: f64 = (k + 1..terms).map(|j| r[k][j] * x[j]).sum();
        x[k] = if r[k][k] == 0.0 { 0.0 } else { (r[k][W - 1] - rest) / r[k][k] };
    }
    let residual = |row: &[f64; W]| row[W - 1] - (0..terms).map(|j| row[j] * x[j]).sum::<f64>();
    (x, triangle.iter().map(|row| residual(row).powi(2)).sum())
}

/// Most columns of which a condition is asked.
const SIDE: usize = 6;

/// The first `terms` ≤ 6 columns scaled to length one, beside ones on the diagonal.
fn scaled<const W: usize>(triangle: &[[f64; W]; W], terms: usize) -> [[f64; SIDE]; SIDE] {
    let mut scaled = std::array::from_fn(|i| std::array::from_fn(|j| if i == j { 1.0 } else { 0.0 }));
    for j in 0..terms {
        let norm = (0..=j).map(|i| triangle[i][j] * triangle[i][j]).sum::<f64>().sqrt();
        for i in 0..=j {
            scaled[i][j] = if norm > 0.0 { triangle[i][j] / norm } else { 0.0 };
        }
    }
    scaled
}

/// Condition number of the first `terms` ≤ 6 columns, each scaled to length one; infinite when they are dependent.
pub fn condition<const W: usize>(triangle: &[[f64; W]; W], terms: usize) -> f64 {
    // Columns of length one have singular values on both sides of 1: ones in place of the rest change nothing.
    let scaled = scaled(triangle, terms);
    let singular = nalgebra::Matrix6::from_fn(|i, j| scaled[i][j]).singular_values();
    singular.max() / singular.min()
}

/// Whether the condition number of the first six columns exceeds `limit`.
///
/// ‖U‖ ‖U⁻¹‖ by Frobenius norms is at least the condition and at most six times it: mostly that decides, for a
/// tenth of the cost of singular values.
pub fn is_ill_conditioned<const W: usize>(triangle: &[[f64; W]; W], limit: f64) -> bool {
    let u = scaled(triangle, SIDE);
    let mut squares = 0.0;
    for j in 0..SIDE {
        // Column j of the inverse, from the bottom.
        let mut x = [0.0; SIDE];
        for i in (0..=j).rev() {
            let rest: f64 = (i + 1..=j).map(|k| u[i][k] * x[k]).sum();
            x[i] = (if i == j { 1.0 } else { 0.0 } - rest) / u[i][i];
            squares += x[i] * x[i];
        }
    }
    // ‖U‖² is the number of columns. A zero on the diagonal gives infinity or NaN.
    let bound = (SIDE as f64 * squares).sqrt();
    if bound <= limit {
        false
    } else if bound.is_nan() || bound > SIDE as f64 * limit {
        true
    } else {
        condition(triangle, SIDE) > limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against nalgebra's SVD on a random full-rank problem; round-off of 12 rows and condition ~10.
    #[test]
    fn the_triangle_solves_like_the_svd() {
        let value = |i: usize, j: usize| ((i * 7 + j * 13) as f64 * 0.7).sin() + if i == j { 2.0 } else { 0.0 };
        let mut rows: Vec<[f64; 10]> = (0..12).map(|i| std::array::from_fn(|j| value(i, j))).collect();
        let A = nalgebra::DMatrix::from_fn(12, 9, value);
        let y = nalgebra::DVector::from_fn(12, |i, _| value(i, 9));
        let x = A.clone().svd(true, true).solve(&y, 0.0).unwrap();
        let triangle = triangulate(&mut rows);
        let (ours, residual) = solve(&triangle, 9, &[0.0; 10]);
        assert!((0..9).all(|k| (ours[k] - x[k]).abs() < 1e-12));
        assert!((residual - (A.clone() * x - y).norm_squared()).abs() < 1e-12);
        let first: nalgebra::DMatrix<f64> = A.columns(0, 6).into();
        let scaled = nalgebra::DMatrix::from_fn(12, 6, |i, j| first[(i, j)] / first.column(j).norm());
        let s = scaled.singular_values();
        assert!((condition(&triangle, 6) - s.max() / s.min()).abs() < 1e-12);
    }

    /// Penalties are rows like others: against the plain reduction of 19 rows.
    #[test]
    fn penalties_act_like_rows() {
        let value = |i: usize, j: usize| ((i * 5 + j * 11) as f64 * 0.9).sin() + if i == j { 1.5 } else { 0.0 };
        let mut rows: Vec<[f64; 10]> = (0..14).map(|i| std::array::from_fn(|j| value(i, j))).collect();
        let ridge: [f64; 10] = std::array::from_fn(|k| 0.1 * k as f64);
        for terms in [3, 6, 9] {
            let mut with_penalties: Vec<[f64; 10]> = rows.clone();
            with_penalties.iter_mut().for_each(|row| row[terms..9].fill(0.0));
            with_penalties.extend((0..terms).map(|k| {
                let mut row = [0.0; 10];
                row[k] = ridge[k];
                row
            }));
            let plain = triangulate(&mut with_penalties);
            let expected = solve(&plain, terms, &[0.0; 10]).0;
            let triangle = triangulate(&mut rows.clone());
            let ours = solve(&triangle, terms, &ridge).0;
            assert!((0..10).all(|k| (ours[k] - expected[k]).abs() < 1e-12), "{ours:?} {expected:?}");
        }
        // The bounds agree with the singular values on either side of the true condition.
        let triangle = triangulate(&mut rows);
        let truth = condition(&triangle, 6);
        for share in [0.1, 0.5, 0.999, 1.001, 3.0, 10.0] {
            assert_eq!(is_ill_conditioned(&triangle, share * truth), share < 1.0);
        }
        rows.iter_mut().for_each(|row| row[3] = 0.0);
        assert!(is_ill_conditioned(&triangulate(&mut rows), 60.0));
    }
}

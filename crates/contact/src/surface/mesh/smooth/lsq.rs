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
    for k in 0..W {
        let norm = rows[k..].iter().map(|r| r[k] * r[k]).sum::<f64>().sqrt();
        if norm == 0.0 {
            continue;
        }
        let alpha = -norm.copysign(rows[k][k]);
        // v = column − α e₁; H = I − v vᵀ/(α² − α column₁)
        let head = rows[k][k] - alpha;
        let inv = 1.0 / (norm * norm - alpha * rows[k][k]);
        let mut dots = [0.0; W];
        for (i, row) in rows[k..].iter().enumerate() {
            let v = if i == 0 { head } else { row[k] };
            for j in k + 1..W {
                dots[j] += v * row[j];
            }
        }
        for (i, row) in rows[k..].iter_mut().enumerate() {
            let v = if i == 0 { head } else { row[k] } * inv;
            for j in k + 1..W {
                row[j] -= v * dots[j];
            }
            row[k] = if i == 0 { alpha } else { 0.0 };
        }
    }
    let mut triangle = [[0.0; W]; W];
    triangle.copy_from_slice(&rows[..W]);
    triangle
}

/// Least-squares solution of the first `terms` columns with penalties `ridge[k]` on the coefficients, and the
/// sum of squared residuals of the data (without the penalties).
///
/// Coefficients of columns that vanish are zero.
pub fn solve<const W: usize>(
    triangle: &[[f64; W]; W],
    terms: usize,
    ridge: &[f64; W],
    rows: &mut Vec<[f64; W]>,
) -> ([f64; W], f64) {
    rows.clear();
    for row in triangle {
        let mut kept = [0.0; W];
        kept[..terms].copy_from_slice(&row[..terms]);
        kept[W - 1] = row[W - 1];
        rows.push(kept);
    }
    for k in 0..terms {
        let mut penalty = [0.0; W];
        penalty[k] = ridge[k];
        rows.push(penalty);
    }
    let r = triangulate(rows);
    let mut x = [0.0; W];
    for k in (0..terms).rev() {
        let rest: f64 = (k + 1..terms).map(|j| r[k][j] * x[j]).sum();
        x[k] = if r[k][k] == 0.0 { 0.0 } else { (r[k][W - 1] - rest) / r[k][k] };
    }
    let residual = |row: &[f64; W]| row[W - 1] - (0..terms).map(|j| row[j] * x[j]).sum::<f64>();
    (x, triangle.iter().map(|row| residual(row).powi(2)).sum())
}

/// Condition number of the first `terms` ≤ 6 columns, each scaled to length one; infinite when they are dependent.
pub fn condition<const W: usize>(triangle: &[[f64; W]; W], terms: usize) -> f64 {
    // Columns of length one have singular values on both sides of 1: ones in place of the rest change nothing.
    let mut scaled = nalgebra::Matrix6::<f64>::identity();
    for j in 0..terms {
        let norm = (0..=j).map(|i| triangle[i][j] * triangle[i][j]).sum::<f64>().sqrt();
        for i in 0..=j {
            scaled[(i, j)] = if norm > 0.0 { triangle[i][j] / norm } else { 0.0 };
        }
    }
    let singular = scaled.singular_values();
    singular.max() / singular.min()
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
        let (ours, residual) = solve(&triangle, 9, &[0.0; 10], &mut rows);
        assert!((0..9).all(|k| (ours[k] - x[k]).abs() < 1e-12));
        assert!((residual - (A.clone() * x - y).norm_squared()).abs() < 1e-12);
        let first: nalgebra::DMatrix<f64> = A.columns(0, 6).into();
        let scaled = nalgebra::DMatrix::from_fn(12, 6, |i, j| first[(i, j)] / first.column(j).norm());
        let s = scaled.singular_values();
        assert!((condition(&triangle, 6) - s.max() / s.min()).abs() < 1e-12);
    }
}

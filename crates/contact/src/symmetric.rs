//! # Symmetric 2 × 2 matrices: eigenvalues, eigenvectors, square root
//!
//! - **in / out**: tensors of the tangent plane (curvature, stiffness, friction)
//! - **start at** [`eigen`]
//!
//! Closed forms without trigonometry, accurate to rounding also where the eigenvalues are equal or far apart.

use nalgebra::{Matrix2, Vector2};

/// Eigenvalues in rising order with the unit eigenvector of the smaller one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eigen {
    /// The smaller eigenvalue.
    pub low: f64,
    /// The larger eigenvalue.
    pub high: f64,
    /// Unit eigenvector of `low`; that of `high` is (−y, x). The first axis where the eigenvalues are equal.
    pub axis: Vector2<f64>,
}

/// Eigenvalues and axes of a symmetric matrix (its lower left entry is not read).
#[inline]
pub fn eigen(m: &Matrix2<f64>) -> Eigen {
    let (a, b, c) = (m[(0, 0)], m[(0, 1)], m[(1, 1)]);
    let half = 0.5 * (a - c);
    let mean = 0.5 * (a + c);
    let radius = (half * half + b * b).sqrt();
    // The eigenvalue of smaller size comes from the determinant: a difference would lose its digits.
    let det = a * c - b * b;
    let (low, high) = if mean >= 0.0 {
        let high = mean + radius;
        (if high > 0.0 { (det / high).min(high) } else { 0.0 }, high)
    } else {
        let low = mean - radius;
        (low, det / low)
    };
    // (A − high) column, the longer of the two.
    let axis = if radius <= f64::EPSILON * mean.abs() || radius == 0.0 {
        Vector2::new(1.0, 0.0)
    } else if half >= 0.0 {
        Vector2::new(-b, half + radius).normalize()
    } else {
        Vector2::new(radius - half, -b).normalize()
    };
    Eigen { low, high, axis }
}

/// The matrix with these eigenvalues along `axis` and across it.
#[inline]
pub fn compose(along: f64, across: f64, axis: &Vector2<f64>) -> Matrix2<f64> {
    let (x, y) = (axis.x, axis.y);
    let off = (along - across) * x * y;
    Matrix2::new(along * x * x + across * y * y, off, off, along * y * y + across * x * x)
}

/// The symmetric square root of a matrix that is positive: S S = M, unique and continuous.
///
/// ```text
/// S = (M + √(det M) I) / √(tr M + 2 √(det M))
/// ```
#[inline]
pub fn square_root(m: &Matrix2<f64>) -> Matrix2<f64> {
    let root_det = (m[(0, 0)] * m[(1, 1)] - m[(0, 1)] * m[(0, 1)]).max(0.0).sqrt();
    let scale = (m[(0, 0)] + m[(1, 1)] + 2.0 * root_det).sqrt();
    if scale == 0.0 {
        return Matrix2::zeros();
    }
    (m + Matrix2::identity() * root_det) / scale
}

/// Whether a symmetric matrix is finite and positive definite.
pub fn is_positive(m: &Matrix2<f64>) -> bool {
    let det = m[(0, 0)] * m[(1, 1)] - m[(0, 1)] * m[(1, 0)];
    m.iter().all(|x| x.is_finite()) && m[(0, 1)] == m[(1, 0)] && m[(0, 0)] > 0.0 && det > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known eigenvalues, turned by many angles; would catch the wrong column or lost digits at ratio 1e12.
    #[test]
    fn eigenvalues_and_axes_survive_turning() {
        for (low, high) in [(1.0, 2.0), (1e-12, 1.0), (-3.0, 1.0), (-2.0, -1.0), (0.0, 5.0), (1.0, 1.0)] {
            for i in 0..24 {
                let angle = 0.1 + i as f64 * 0.27;
                let axis = Vector2::new(angle.cos(), angle.sin());
                let m = compose(low, high, &axis);
                let found = eigen(&m);
                let scale = low.abs().max(high.abs());
                // Rounding of the entries themselves moves eigenvalues by a few units of the largest.
                assert!((found.low - low).abs() <= 4e-16 * scale, "{found:?} {low} {high}");
                assert!((found.high - high).abs() <= 4e-16 * scale * 2.0, "{found:?} {low} {high}");
                let off = m * found.axis - found.axis * found.low;
                assert!(off.norm() <= 1e-15 * scale * 4.0, "{off:?}");
            }
        }
    }

    /// S·S gives the matrix back.
    #[test]
    fn square_root_squared_is_the_matrix() {
        for (low, high) in [(1.0, 2.0), (1e-6, 1.0), (4.0, 4.0)] {
            let m = compose(low, high, &Vector2::new(0.6, 0.8));
            let s = square_root(&m);
            assert!((s * s - m).amax() <= 4e-16 * high * 4.0);
        }
    }
}

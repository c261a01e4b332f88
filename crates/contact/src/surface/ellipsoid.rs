//! # Ellipsoid: x²/a² + y²/b² + z²/c² = 1
//!
//! - **in**: three semi-axes (m)
//! - **out**: feet, normals, shape operators, support points
//! - **not here**: two ellipsoids (`track::convex`)
//! - **start at** [`Ellipsoid::new`]

use super::{
    Bounds, ConvexSurface, Domain, Foot, ParametricSurface, ShapeError, SmoothSurface, Surface, SurfaceError,
    SurfacePoint, finite, positive,
};
use nalgebra::{Matrix3, Point3, Vector3};

/// An ellipsoid at the origin with its axes along x, y, z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipsoid {
    semi_axes: Vector3<f64>,
    squares: Vector3<f64>,
}

impl Ellipsoid {
    /// An ellipsoid from its semi-axes (m), each positive.
    pub fn new(semi_axes: [f64; 3]) -> Result<Self, ShapeError> {
        for a in semi_axes {
            positive("semi-axis of the ellipsoid", a)?;
        }
        let semi_axes = Vector3::from(semi_axes);
        Ok(Self { semi_axes, squares: semi_axes.component_mul(&semi_axes) })
    }

    /// Semi-axes (m).
    pub fn semi_axes(&self) -> Vector3<f64> {
        self.semi_axes
    }

    /// Squares of the semi-axes (m²).
    #[inline]
    pub(crate) fn squares(&self) -> Vector3<f64> {
        self.squares
    }
}

impl Surface for Ellipsoid {
    /// The foot x_i = a_i² p_i/(t + a_i²), with t the largest root of Σ (a_i p_i/(t + a_i²))² = 1.
    ///
    /// Left of the root the sum is convex and falling, so Newton from there climbs to it without overshoot. With
    /// c the least semi-axis, t = c (|p_c| − c) is left of it. (Eberly, "Distance from a point to an ellipse, an
    /// ellipsoid, or a hyperellipsoid", gives the same bound and bisects.)
    fn closest_point(&self, p: &Point3<f64>) -> Result<Foot, SurfaceError> {
        finite(p)?;
        let a = self.semi_axes;
        // In units of the largest semi-axis, so that squares neither vanish nor overflow.
        let scale = a.max();
        let e = a / scale;
        let y = p.coords.abs() / scale;
        let least = e.imin();
        let c = e[least];
        let inside = (0..3).map(|i| (y[i] / e[i]).powi(2)).sum::<f64>() < 1.0;

        let mut x = Vector3::zeros();
        let term = |i: usize, t: f64| {
            let d = t + e[i] * e[i];
            if y[i] == 0.0 { 0.0 } else { e[i] * y[i] / d }
        };
        let others_at_focus = (0..3).filter(|&i| i != least).map(|i| term(i, -c * c).powi(2)).sum::<f64>();
        if y[least] == 0.0 && others_at_focus < 1.0 {
            // In the focal region of the least axis the foot leaves the symmetry plane: two feet, we take the upper.
            for i in 0..3 {
                let d = e[i] * e[i] - c * c;
                x[i] = if y[i] == 0.0 { 0.0 } else { e[i] * e[i] * y[i] / d };
            }
            x[least] = c * (1.0 - others_at_focus).sqrt();
        } else {
            let mut t = c * (y[least] - c);
            for i in 0..3 {
                // Every single term gives a lower bound of the root; the largest is the best start.
                t = t.max(e[i] * (y[i] - e[i]));
            }
            for _ in 0..100 {
                let (mut g, mut dg) = (-1.0, 0.0);
                for i in 0..3 {
                    let d = t + e[i] * e[i];
                    let q = term(i, t);
                    g += q * q;
                    dg -= 2.0 * q * q / d;
                }
                let step = -g / dg;
                // Also stops when a step is NaN.
                let moves = step > 4.0 * f64::EPSILON * (t.abs() + e[least] * e[least]);
                if !moves {
                    break;
                }
                t += step;
            }
            for i in 0..3 {
                x[i] = if y[i] == 0.0 { 0.0 } else { e[i] * e[i] * y[i] / (t + e[i] * e[i]) };
            }
        }
        let foot = Point3::from(Vector3::from_fn(|i, _| (x[i] * scale).copysign(p[i])));
        let nhat = foot.coords.component_div(&self.squares).normalize();
        let length = (p - foot).norm();
        Ok(Foot { p: foot, nhat, distance: if inside { -length } else { length } })
    }

    fn bounds(&self) -> Bounds {
        Bounds::centred(self.semi_axes)
    }
}

impl SmoothSurface for Ellipsoid {
    /// Central retraction p/√F; Dn = P D P/|D p| with D = diag(1/a²).
    #[inline]
    fn point_near(&self, near: &Point3<f64>) -> Result<SurfacePoint, SurfaceError> {
        let f = near.coords.component_div(&self.semi_axes).norm();
        if !(f > 0.0 && f.is_finite()) {
            return Err(SurfaceError::NoSmoothPoint { x: near.x, y: near.y, z: near.z });
        }
        let p = near / f;
        let gradient = p.coords.component_div(&self.squares);
        let w = 1.0 / gradient.norm();
        let n = gradient * w;
        // P D P = D − n (Dn)ᵀ − (Dn) nᵀ + n (nᵀDn) nᵀ
        let d = Vector3::new(w, w, w).component_div(&self.squares);
        let dn = n.component_mul(&d);
        let a = dn - n * (0.5 * n.dot(&dn));
        let Dn = Matrix3::from_diagonal(&d) - n * a.transpose() - a * n.transpose();
        Ok(SurfacePoint { p, nhat: n, Dn })
    }
}

impl ParametricSurface for Ellipsoid {
    fn domain(&self) -> Domain {
        Domain { u: [0.0, std::f64::consts::TAU], v: [0.0, std::f64::consts::PI], u_wraps: true, v_wraps: false }
    }

    fn point(&self, u: f64, v: f64) -> Point3<f64> {
        let direction = Vector3::new(v.sin() * u.cos(), v.sin() * u.sin(), v.cos());
        Point3::from(self.semi_axes.component_mul(&direction))
    }
}

impl ConvexSurface for Ellipsoid {
    fn support(&self, d: &Vector3<f64>) -> Point3<f64> {
        let stretched = self.squares.component_mul(d);
        Point3::from(stretched / self.semi_axes.component_mul(d).norm())
    }

    /// c²/a, at the ends of the longest axis.
    fn least_radius(&self) -> f64 {
        self.semi_axes.min().powi(2) / self.semi_axes.max()
    }

    /// a²/c, at the ends of the shortest axis.
    fn largest_radius(&self) -> f64 {
        self.semi_axes.max().powi(2) / self.semi_axes.min()
    }
}

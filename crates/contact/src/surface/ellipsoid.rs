//! # Ellipsoid: x²/a² + y²/b² + z²/c² = 1
//!
//! - **in**: three semi-axes (m)
//! - **out**: feet, normals, shape operators, support points
//! - **not here**: two ellipsoids (`track::convex`)
//! - **start at** [`Ellipsoid::new`]

use super::sphere::direction;
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
    /// The foot x_i = a_i² p_i/(τ + a_i² − c²), with τ the largest root of Σ (a_i p_i/(τ + a_i² − c²))² = 1 and c the
    /// least semi-axis.
    ///
    /// Counting from the pole at −c² keeps the digits of τ where it is small, near the focal disc. Left of the root
    /// the sum is convex and falling, so Newton from there climbs to it without overshoot; each term alone gives
    /// a lower bound, a_i |p_i| − (a_i² − c²). (Eberly) starts a bisection from such a bound.
    fn closest_point(&self, p: &Point3<f64>) -> Result<Foot, SurfaceError> {
        finite(p)?;
        let a = self.semi_axes;
        // In units of the largest semi-axis, so that squares neither vanish nor overflow.
        let scale = a.max();
        if p.coords.amax() > 1e100 * scale {
            // From that far the foot is the support point, to the last digit; squares below could overflow.
            let foot = self.support(&p.coords);
            let (nhat, distance) = direction(&(p - foot)).unwrap_or((Vector3::x(), 0.0));
            return Ok(Foot { p: foot, nhat, distance });
        }
        let e = a / scale;
        let y = p.coords.abs() / scale;
        let least = e.imin();
        let c = e[least];
        let beyond = e.map(|e| (e - c) * (e + c));
        let inside = y.component_div(&e).norm_squared() < 1.0;

        // Below this a coordinate is as good as zero, and its product with c may not be a normal number.
        let present = |i: usize| y[i] > 1e-150;
        let term = |i: usize, tau: f64| if present(i) { e[i] * y[i] / (tau + beyond[i]) } else { 0.0 };
        let others_at_focus = (0..3).filter(|&i| i != least).map(|i| term(i, 0.0).powi(2)).sum::<f64>();
        let mut x = Vector3::zeros();
        if !present(least) && others_at_focus < 1.0 {
            // In the focal disc the foot leaves the symmetry plane: two feet, we take the upper.
            x = Vector3::from_fn(|i, _| e[i] * term(i, 0.0));
            x[least] = c * (1.0 - others_at_focus).sqrt();
        } else {
            let mut tau = (0..3).map(|i| e[i] * y[i] - beyond[i]).fold(f64::MIN_POSITIVE, f64::max);
            for _ in 0..200 {
                let (mut g, mut dg) = (-1.0, 0.0);
                for i in 0..3 {
                    let q = term(i, tau);
                    g += q * q;
                    dg -= 2.0 * q * q / (tau + beyond[i]);
                }
                let step = -g / dg;
                // Also stops when a step is NaN.
                let moves = step > 2.0 * f64::EPSILON * tau;
                if !moves {
                    break;
                }
                tau += step;
            }
            for i in 0..3 {
                x[i] = e[i] * term(i, tau);
            }
        }
        let foot = Point3::from(Vector3::from_fn(|i, _| (x[i] * scale).copysign(p[i])));
        let nhat = foot.coords.component_div(&self.squares).normalize();
        let length = direction(&(p - foot)).map_or(0.0, |(_, length)| length);
        Ok(Foot { p: foot, nhat, distance: if inside { -length } else { length } })
    }

    fn bounds(&self) -> Bounds {
        Bounds::centred(self.semi_axes)
    }
}

impl SmoothSurface for Ellipsoid {
    /// Central retraction p/√F; Dn = P D P/|D p| with D = diag(1/a²). The centre goes to the pole on +x.
    #[inline]
    fn point_near(&self, near: &Point3<f64>) -> Result<SurfacePoint, SurfaceError> {
        finite(near)?;
        let mut round = near.coords.component_div(&self.semi_axes);
        if !round.sum().is_finite() {
            // Too far for a small ellipsoid; only the direction counts.
            round = (near.coords / near.coords.amax()).component_div(&(self.semi_axes / self.semi_axes.min()));
        }
        let unit = direction(&round).map_or(Vector3::x(), |(unit, _)| unit);
        let p = Point3::from(self.semi_axes.component_mul(&unit));
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
        let unit = direction(d).map_or(Vector3::x(), |(unit, _)| unit);
        let stretched = self.semi_axes.component_mul(&unit);
        Point3::from(self.semi_axes.component_mul(&stretched) / stretched.norm())
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

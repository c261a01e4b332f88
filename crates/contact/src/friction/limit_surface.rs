//! # Limit surface: which loads an elliptic patch holds, exactly
//!
//! `patch` ──(a, b, k, P)──▶ **here** ──([`FrictionLimit`])──▶ `law`
//!
//! - **in**: semi-axes, exponent of the pressure p = p0 (1 − x²/a² − y²/b²)^k, load, one or two coefficients of friction
//! - **out**: load against a twist, dissipation and its curvature, gauge, projection in the energy metric
//! - **assumes**: Coulomb friction at every point, pressure fixed; k ≥ 0 (½ Hertz, 1 Winkler, 0 uniform)
//! - **start at** [`LimitSurface::new`]
//!
//! Force and moment are right to 1e-6 of the largest for a/b ≤ 10 (k = 0, 1, 2; 2e-7 for k = ½), to 1e-5 up to 100 : 1 for
//! k ≥ ½ (`tests/limit_surface.rs`); the [`super::Ellipsoid`] with the same two ends is up to 12 % too strong and 5 % too weak.
//! Exponents that are not multiples of ½ cost logarithms, five to ten times the time. −1 < k < 0 is answered, to 1e-3.
//! Origin: centre of the patch, x along a.
//!
//! (Goyal, §3) and (Howe-Cutkosky, §3) describe the surface; they find it by sums over cells of the patch. The sums here
//! run over directions about the centre of rotation, the integral along each being closed (`chords`).

use super::chords::Chords;
use super::image::{Image, Inner, ellipse};
use super::{Ellipsoid, FrictionLimit, Projection, TangentialStiffness};
use crate::patch::elliptic::perimeter;
use crate::patch::foundation::torsion_factor;
use nalgebra::{Matrix2, Matrix3, Vector2, Vector3};
use std::f64::consts::PI;

/// The exact limit of an elliptic patch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitSurface {
    load: f64,
    exponent: f64,
    /// Geometric mean of the coefficients.
    mu: f64,
    friction: Matrix2<f64>,
    moment_per_load: f64,
    image: Image,
    chords: Chords,
}

/// Thinner patches are counted as this thin (b/a): the torsion of a line is 2e-6 less.
const THINNEST: f64 = 1e-3;

impl LimitSurface {
    /// One coefficient μ. Semi-axes a (along x) and b (m) in any order, exponent k, load (N).
    ///
    /// Without load or friction nothing holds; with a = b = 0 no moment does.
    #[inline]
    pub fn new(a: f64, b: f64, exponent: f64, mu: f64, load: f64) -> Self {
        let friction = Matrix2::new(mu, 0.0, 0.0, mu);
        // The longer axis first; a quarter turn where that is b.
        let (map, long, short) =
            if b > a { (Matrix2::new(0.0, mu, -mu, 0.0), mu * b, mu * a) } else { (friction, mu * a, mu * b) };
        Self::of(friction, mu, map, long, short, exponent, load)
    }

    /// Two coefficients, along and across a direction of the tangent plane.
    ///
    /// The friction against a sliding velocity v is p |N v|, N = μ₁ d dᵀ + μ₂ (I − d dᵀ): largest dissipation with the
    /// ellipse of forces of semi-axes μ₁ p, μ₂ p at every point.
    pub fn anisotropic(
        (a, b): (f64, f64),
        exponent: f64,
        (mu_along, mu_across): (f64, f64),
        along: &Vector2<f64>,
        load: f64,
    ) -> Self {
        let friction = crate::symmetric::compose(mu_along, mu_across, &along.normalize());
        let (map, long, short) = ellipse(&friction, a, b);
        Self::of(friction, (mu_along * mu_across).sqrt(), map, long, short, exponent, load)
    }

    #[inline]
    fn of(friction: Matrix2<f64>, mu: f64, map: Matrix2<f64>, long: f64, short: f64, exponent: f64, load: f64) -> Self {
        let torsion = torsion_factor(exponent);
        let beta = if long > 0.0 { (short / long).max(THINNEST) } else { 1.0 };
        let share = torsion * perimeter(1.0, if long > 0.0 { short / long } else { 1.0 }) / (2.0 * PI);
        let inverse = map.try_inverse().unwrap_or_else(Matrix2::zeros);
        let known = beta >= 0.1 && (0.0..=1.0).contains(&exponent);
        let inner = if known { Inner::Ellipsoid } else { Inner::Cones };
        let image = Image { load, length: long, map, inverse, torsion: share, inner };
        let chords = Chords::new(beta, exponent, torsion);
        Self { load, exponent, mu, friction, moment_per_load: share * long, image, chords }
    }

    /// Normal load (N).
    pub fn load(&self) -> f64 {
        self.load
    }

    /// Exponent k of the pressure.
    pub fn exponent(&self) -> f64 {
        self.exponent
    }

    /// Largest moment per load (m): T_k L/2π with L the perimeter of the image (`image`), μ T_k L/2π for one coefficient.
    pub fn moment_per_load(&self) -> f64 {
        self.moment_per_load
    }

    /// Eccentricity: largest moment over μP (m), μ the geometric mean of two coefficients.
    pub fn e_n(&self) -> f64 {
        if self.mu > 0.0 { self.moment_per_load / self.mu } else { 0.0 }
    }

    /// The ellipsoid with the same largest forces and the same largest moment.
    pub fn ellipsoid(&self) -> Ellipsoid {
        let weights = self.friction.try_inverse().unwrap_or_else(Matrix2::zeros);
        let per_load = self.moment_per_load;
        let load = if self.mu > 0.0 { self.load } else { 0.0 };
        Ellipsoid { load, force: weights * weights, moment: 1.0 / (per_load * per_load) }
    }

    /// Whether friction carries a moment at all; where not, the ellipsoid is exact.
    #[inline]
    fn is_degenerate(&self) -> bool {
        !(self.load > 0.0 && self.mu > 0.0 && self.moment_per_load > 0.0)
    }

    /// Power that friction takes from a twist (W), h = −load · twist.
    pub fn dissipation(&self, twist: &Vector3<f64>) -> f64 {
        if self.is_degenerate() {
            return -self.load_against(twist).dot(twist);
        }
        self.image.dissipation(&self.chords, twist)
    }

    /// Hessian of the dissipation: how the load against a twist changes with it, singular along the twist.
    pub fn curvature(&self, twist: &Vector3<f64>) -> Matrix3<f64> {
        if self.is_degenerate() {
            return Matrix3::zeros();
        }
        self.image.curvature(&self.chords, twist)
    }

    /// [`FrictionLimit::project`] with a slip to start from, for example that of the step before.
    pub fn project_from(
        &self,
        trial: &Vector3<f64>,
        stiffness: &TangentialStiffness,
        guess: &Vector3<f64>,
    ) -> Projection {
        if self.is_degenerate() {
            return self.ellipsoid().project(trial, stiffness);
        }
        self.image.project(&self.chords, trial, stiffness, Some(guess))
    }
}

impl FrictionLimit for LimitSurface {
    fn gauge(&self, load: &Vector3<f64>) -> f64 {
        if self.is_degenerate() { self.ellipsoid().gauge(load) } else { self.image.gauge(&self.chords, load) }
    }

    fn load_against(&self, twist: &Vector3<f64>) -> Vector3<f64> {
        if self.is_degenerate() {
            return self.ellipsoid().load_against(twist);
        }
        self.image.load_against(&self.chords, twist)
    }

    fn project(&self, trial: &Vector3<f64>, stiffness: &TangentialStiffness) -> Projection {
        if self.is_degenerate() {
            return self.ellipsoid().project(trial, stiffness);
        }
        self.image.project(&self.chords, trial, stiffness, None)
    }
}

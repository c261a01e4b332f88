//! # Surfaces: points, outward normals and curvatures
//!
//! shape parameters, elevation samples ──▶ **here** ──(p, n, Dn)──▶ `track`
//!
//! - **in**: a point near the surface, or surface parameters, in the surface's own frame S (m)
//! - **out**: the point on the surface (m), its unit outward normal, its shape operator (1/m)
//! - **not here**: two surfaces at once (`track`); what they are made of (`material`, later)
//! - **assumes**: a closed body, or a sheet with one solid side; outward means away from the solid
//! - **start at** [`Surface`] and [`SmoothSurface`], then [`Shape`], which is any of them
//!
//! Traits are cut by what a caller may ask:
//!
//! | trait | question | who answers |
//! |---|---|---|
//! | [`Surface`] | how far is this point, and where is its foot; bounds | every shape |
//! | [`SmoothSurface`] | normal and shape operator at the surface point near here | every shape |
//! | [`ParametricSurface`] | where is the point with parameters (u, v) | every bounded shape |
//! | [`ConvexSurface`] | the point furthest along a direction | sphere, ellipsoid, cylinder, capsule, rounded box |
//!
//! **Curvature sign** (mechanics of contact need one): dn = Dn dp, so Dn is positive for convex bodies
//! (a sphere has Dn = P/r). Dn is projected on both sides, Dn = P (∂n/∂p) P with P = I − n nᵀ; without
//! the projection contact kinematics are wrong by up to 56 % (`docs/decisions/0002-errata.md`).

pub mod elevation;
pub mod ellipsoid;
pub mod graph;
pub mod height;
pub mod mesh;
mod shape;
pub use ellipsoid::Ellipsoid;
pub use graph::Graph;
pub use shape::Shape;

pub mod capsule;
pub use capsule::Capsule;
pub mod cylinder;
pub use cylinder::Cylinder;
pub mod half_space;
pub use half_space::HalfSpace;
pub mod revolution;
pub use revolution::Revolution;
pub mod rounded_box;
pub use rounded_box::RoundedBox;
pub mod sphere;
pub use sphere::Sphere;
pub mod torus;
pub use torus::Torus;

use nalgebra::{Matrix3, Point3, Vector3};

/// A point of a surface with its normal and curvature, in the surface's own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// The point (m).
    pub p: Point3<f64>,
    /// Unit outward normal.
    pub nhat: Vector3<f64>,
    /// Shape operator dn = Dn dp, symmetric, projected on the tangent plane (1/m); positive for convex.
    pub Dn: Matrix3<f64>,
}

/// The foot of a point on a surface: where the surface is closest to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Foot {
    /// The closest point of the surface (m).
    pub p: Point3<f64>,
    /// Unit outward normal there.
    pub nhat: Vector3<f64>,
    /// Signed distance of the queried point: positive outside, negative in the solid (m).
    pub distance: f64,
}

/// An axis-parallel box, possibly unbounded (infinite entries), in the surface's own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Least coordinates (m).
    pub min: Point3<f64>,
    /// Greatest coordinates (m).
    pub max: Point3<f64>,
}

impl Bounds {
    /// A box around the origin with these half extents (m).
    pub fn centred(half: Vector3<f64>) -> Self {
        Self { min: Point3::from(-half), max: Point3::from(half) }
    }

    /// Whether every extent is finite.
    pub fn is_finite(&self) -> bool {
        self.min.iter().chain(self.max.iter()).all(|x| x.is_finite())
    }

    /// Middle of the box (m); meaningless when unbounded.
    pub fn centre(&self) -> Point3<f64> {
        nalgebra::center(&self.min, &self.max)
    }

    /// Half of the diagonal (m).
    pub fn radius(&self) -> f64 {
        0.5 * (self.max - self.min).norm()
    }
}

/// Why a surface could not answer.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SurfaceError {
    /// A coordinate was NaN or infinite.
    #[error("coordinates must be finite, got ({x}, {y}, {z})")]
    NotFinite {
        /// The x coordinate received.
        x: f64,
        /// The y coordinate received.
        y: f64,
        /// The z coordinate received.
        z: f64,
    },
    /// The point is not above the map or the graph's domain.
    #[error(
        "({x}, {y}) m is outside the map, which covers x {x_min} to {x_max} m and y {y_min} to {y_max} m (local coordinates)"
    )]
    OffMap {
        /// Queried x (m, local).
        x: f64,
        /// Queried y (m, local).
        y: f64,
        /// Least x of the map (m, local).
        x_min: f64,
        /// Greatest x of the map (m, local).
        x_max: f64,
        /// Least y of the map (m, local).
        y_min: f64,
        /// Greatest y of the map (m, local).
        y_max: f64,
    },
    /// A corner of the map cell under the point has no data.
    #[error("cell ({i}, {j}) of the map has a corner without data")]
    Hole {
        /// Column of the cell.
        i: usize,
        /// Row of the cell, from the south.
        j: usize,
    },
    /// The surface has no normal or curvature at that place, or a search for the foot did not settle.
    #[error("the surface has no unique smooth point near ({x}, {y}, {z}) m")]
    NoSmoothPoint {
        /// The x coordinate (m).
        x: f64,
        /// The y coordinate (m).
        y: f64,
        /// The z coordinate (m).
        z: f64,
    },
}

/// Why a shape could not be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A size that must be positive and finite is not.
    #[error("{what} must be positive and finite, got {got} m")]
    NotPositive {
        /// Which size, in words ("radius of the sphere").
        what: &'static str,
        /// What came.
        got: f64,
    },
    /// Two sizes do not fit together.
    #[error("{what}: expected {expected}, got {got}")]
    Misfit {
        /// Which sizes, in words.
        what: &'static str,
        /// The rule.
        expected: String,
        /// What came.
        got: String,
    },
}

/// A size that must be positive and finite, or the error that says so.
pub(crate) fn positive(what: &'static str, got: f64) -> Result<f64, ShapeError> {
    if got.is_finite() && got > 0.0 { Ok(got) } else { Err(ShapeError::NotPositive { what, got }) }
}

/// The point itself if it is finite.
pub(crate) fn finite(p: &Point3<f64>) -> Result<(), SurfaceError> {
    // A sum is finite only if all its terms are; one test instead of three.
    if (p.x + p.y + p.z).is_finite() { Ok(()) } else { Err(SurfaceError::NotFinite { x: p.x, y: p.y, z: p.z }) }
}

/// Every surface: signed distance with foot, and bounds.
pub trait Surface {
    /// The closest point of the whole surface to `p`, with signed distance (m).
    ///
    /// Where several points are equally close (the centre of a sphere) one of them is chosen by a fixed rule.
    fn closest_point(&self, p: &Point3<f64>) -> Result<Foot, SurfaceError>;

    /// A box that holds the surface; infinite where the surface is.
    fn bounds(&self) -> Bounds;
}

/// A surface with normal and curvature.
pub trait SmoothSurface: Surface {
    /// The surface point near `near`, with normal and shape operator.
    ///
    /// `near` is off the surface by little (one Newton step). The way back to the surface is a smooth
    /// retraction: it moves a point p + ε t (p on the surface, t tangent) by O(ε²), but need not be the
    /// orthogonal projection.
    fn point_near(&self, near: &Point3<f64>) -> Result<SurfacePoint, SurfaceError>;

    /// A cheaper [`point_near`](Self::point_near) for Newton's method: right up to the square of how far `near` is off
    /// the surface; also gives that distance (m), or 0 if the point is exact.
    fn point_toward(&self, near: &Point3<f64>) -> Result<(SurfacePoint, f64), SurfaceError> {
        self.point_near(near).map(|point| (point, 0.0))
    }
}

/// The rectangle of parameters of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Domain {
    /// Range of u.
    pub u: [f64; 2],
    /// Range of v.
    pub v: [f64; 2],
    /// Whether u wraps around: the ends are the same curve.
    pub u_wraps: bool,
    /// Whether v wraps around.
    pub v_wraps: bool,
}

/// A surface that is the image of a rectangle.
pub trait ParametricSurface {
    /// The rectangle of parameters.
    fn domain(&self) -> Domain;

    /// The point with parameters (u, v) (m).
    fn point(&self, u: f64, v: f64) -> Point3<f64>;
}

/// The surface of a convex body.
pub trait ConvexSurface {
    /// The point of the body furthest along `d` (any length but zero) (m).
    fn support(&self, d: &Vector3<f64>) -> Point3<f64>;

    /// The least radius of curvature anywhere on the surface (m): a ball of this radius rolls freely inside.
    fn least_radius(&self) -> f64;

    /// The largest radius of curvature anywhere on the surface (m); infinite with flat or straight parts.
    fn largest_radius(&self) -> f64 {
        f64::INFINITY
    }
}

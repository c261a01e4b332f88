//! # Any shape: one type for all surfaces of a scene
//!
//! - **in**: any of the surfaces of this room
//! - **out**: the same questions, answered by the one inside
//! - **not here**: the shapes themselves (their own files)
//! - **start at** [`Shape`]
//!
//! An enum, not `dyn`: the tracker picks its method by pair of kinds, and the hot path stays inlined.

use super::elevation::{ElevationMap, Interpolation};
use super::mesh::MeshSurface;
use super::{
    Bounds, Capsule, ConvexSurface, Cylinder, Ellipsoid, Foot, Graph, HalfSpace, ParametricSurface, Revolution,
    RoundedBox, SmoothSurface, Sphere, Surface, SurfaceError, SurfacePoint, Torus,
};
use nalgebra::{Matrix3, Point3, Vector3};
use std::sync::Arc;

/// Any surface.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Shape {
    /// z ≤ 0.
    HalfSpace(HalfSpace),
    /// A ball.
    Sphere(Sphere),
    /// An ellipsoid.
    Ellipsoid(Ellipsoid),
    /// A cylinder with rounded rims.
    Cylinder(Cylinder),
    /// A cylinder with hemispherical ends.
    Capsule(Capsule),
    /// A ring with round section.
    Torus(Torus),
    /// A box with rounded edges and corners.
    RoundedBox(RoundedBox),
    /// A C2 spline profile turned around z.
    Revolution(Arc<Revolution>),
    /// z = h(x, y) from a formula.
    Graph(Graph),
    /// z = h(x, y) from samples.
    Elevation(Arc<ElevationMap>),
    /// A triangle mesh, smoothed.
    Mesh(Arc<MeshSurface>),
}

/// The same expression for whichever surface is inside.
macro_rules! each {
    ($shape:expr, $surface:ident => $answer:expr) => {
        match $shape {
            Shape::HalfSpace($surface) => $answer,
            Shape::Sphere($surface) => $answer,
            Shape::Ellipsoid($surface) => $answer,
            Shape::Cylinder($surface) => $answer,
            Shape::Capsule($surface) => $answer,
            Shape::Torus($surface) => $answer,
            Shape::RoundedBox($surface) => $answer,
            Shape::Revolution($surface) => $answer,
            Shape::Graph($surface) => $answer,
            Shape::Elevation($surface) => $answer,
            Shape::Mesh($surface) => $answer,
        }
    };
}

impl Shape {
    /// The name of the kind, as files spell it.
    pub fn kind(&self) -> &'static str {
        match self {
            Shape::HalfSpace(_) => "half_space",
            Shape::Sphere(_) => "sphere",
            Shape::Ellipsoid(_) => "ellipsoid",
            Shape::Cylinder(_) => "cylinder",
            Shape::Capsule(_) => "capsule",
            Shape::Torus(_) => "torus",
            Shape::RoundedBox(_) => "rounded_box",
            Shape::Revolution(_) => "revolution",
            Shape::Graph(_) => "graph",
            Shape::Elevation(_) => "elevation",
            Shape::Mesh(_) => "mesh",
        }
    }

    /// A distance from the origin beyond which the shape has no point (m).
    pub fn reach(&self) -> f64 {
        match self {
            Shape::Sphere(s) => s.radius(),
            Shape::Ellipsoid(s) => s.semi_axes().max(),
            Shape::Capsule(s) => s.half_length() + s.radius(),
            Shape::Torus(s) => s.major_radius() + s.minor_radius(),
            _ => {
                let bounds = self.bounds();
                bounds.min.coords.abs().sup(&bounds.max.coords.abs()).norm()
            }
        }
    }

    /// Whether its curvature changes along it by a derivative: not where it is constant piece by piece, nor on meshes, whose
    /// blended pieces are told by value only.
    pub fn bends(&self) -> bool {
        match self {
            Self::Ellipsoid(_) | Self::Torus(_) | Self::Revolution(_) | Self::Graph(_) => true,
            // The curvature of cubic patches jumps between cells.
            Self::Elevation(map) => map.interpolation() != Interpolation::Cubic && !map.is_plane(),
            _ => false,
        }
    }

    /// Derivative of the shape operator at a point of the surface along a unit tangent (1/m²); `None` where the surface ends
    /// or has a hole within the step.
    ///
    /// By a central difference over 2·10⁻⁵ of the radius of curvature, or of the spacing of a map: its error is 10⁻⁹ of the
    /// second derivative.
    pub fn bending(&self, p: &Point3<f64>, tangent: &Vector3<f64>) -> Option<Matrix3<f64>> {
        if !self.bends() {
            return Some(Matrix3::zeros());
        }
        let here = self.point_near(p).ok()?;
        let most = match self {
            Shape::Elevation(map) => map.grid().dx.min(map.grid().dy),
            Shape::Graph(_) => 1.0,
            _ => self.reach(),
        };
        let h = 2e-5 * most.min(1.0 / here.Dn.norm());
        let at = |s: f64| self.point_near(&(p + tangent * s)).ok().map(|point| point.Dn);
        Some((at(h)? - at(-h)?) / (2.0 * h))
    }

    /// The shape as a bounded convex body, if it is one.
    pub fn as_convex(&self) -> Option<&dyn ConvexSurface> {
        match self {
            Shape::Sphere(s) => Some(s),
            Shape::Ellipsoid(s) => Some(s),
            Shape::Cylinder(s) => Some(s),
            Shape::Capsule(s) => Some(s),
            Shape::RoundedBox(s) => Some(s),
            _ => None,
        }
    }

    /// The shape as the image of a rectangle, if it is bounded.
    pub fn as_parametric(&self) -> Option<&dyn ParametricSurface> {
        match self {
            Shape::HalfSpace(_) | Shape::Mesh(_) => None,
            Shape::Sphere(s) => Some(s),
            Shape::Ellipsoid(s) => Some(s),
            Shape::Cylinder(s) => Some(s),
            Shape::Capsule(s) => Some(s),
            Shape::Torus(s) => Some(s),
            Shape::RoundedBox(s) => Some(s),
            Shape::Revolution(s) => Some(s.as_ref()),
            Shape::Graph(s) => s.as_parametric(),
            Shape::Elevation(s) => Some(s.as_ref()),
        }
    }
}

impl Surface for Shape {
    fn closest_point(&self, p: &Point3<f64>) -> Result<Foot, SurfaceError> {
        each!(self, s => s.closest_point(p))
    }

    fn bounds(&self) -> Bounds {
        each!(self, s => s.bounds())
    }
}

impl SmoothSurface for Shape {
    #[inline]
    fn point_near(&self, near: &Point3<f64>) -> Result<SurfacePoint, SurfaceError> {
        each!(self, s => s.point_near(near))
    }

    #[inline]
    fn point_toward(&self, near: &Point3<f64>) -> Result<(SurfacePoint, f64), SurfaceError> {
        match self {
            Shape::Mesh(mesh) => mesh.point_toward(near),
            _ => self.point_near(near).map(|point| (point, 0.0)),
        }
    }
}

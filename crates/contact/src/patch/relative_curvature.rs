//! # Relative curvature: how fast two surfaces leave each other
//!
//! - **in**: curvatures of both surfaces in one tangent basis (1/m), each positive for convex
//! - **out**: the two principal curvatures of the gap and the direction of the smaller one
//! - **not here**: where the surfaces touch (`track`); what the load does (`hertz`, `foundation`)
//! - **start at** [`RelativeCurvature::new`]
//!
//! Close to the contact the gap is φ + (l₁ x² + l₂ y²)/2 (Johnson, §4.1); (Ciocarlie, eq. 8) writes R′ = 1/l₁ and
//! R″ = 1/l₂. (Stramigioli, eq. 28) adds "radius-curvatures" R₁ + R₂; curvatures add, radii do not, and read so the
//! equation is this one.

use crate::symmetric;
use nalgebra::{Matrix2, Vector2};

/// Principal curvatures of the gap between two surfaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RelativeCurvature {
    /// The smaller curvature l₁ = 1/R′ (1/m); the patch is longest along its direction.
    pub low: f64,
    /// The larger curvature l₂ = 1/R″ (1/m).
    pub high: f64,
    /// Unit vector along the smaller curvature, in the tangent basis.
    pub axis: Vector2<f64>,
}

/// What kind of contact the curvatures make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Both curvatures positive, ratio below 1e9: an elliptic patch.
    Elliptic,
    /// No curvature (or a hollow) in one direction: a line, which ends only where the bodies do.
    LineLike,
    /// No curvature in either direction: faces, which touch in a region.
    Flat,
    /// Hollow in both directions: the surfaces do not touch at this point.
    Conforming,
}

/// Ratio of curvatures below which a contact counts as a line.
pub const LINE_RATIO: f64 = 1e-9;

impl RelativeCurvature {
    /// From the curvatures of A and B in one tangent basis.
    #[inline]
    pub fn new(curvature_A: &Matrix2<f64>, curvature_B: &Matrix2<f64>) -> Self {
        let found = symmetric::eigen(&(curvature_A + curvature_B));
        Self { low: found.low, high: found.high, axis: found.axis }
    }

    /// From relative radii R′ and R″ in either order (m), along the axes of the basis; infinite where straight.
    pub fn from_radii(one: f64, other: f64) -> Self {
        let (long, short) = if one >= other { (one, other) } else { (other, one) };
        let axis = if one >= other { Vector2::x() } else { Vector2::y() };
        Self { low: 1.0 / long, high: 1.0 / short, axis }
    }

    /// Ratio l₁/l₂ = R″/R′.
    #[inline]
    pub fn ratio(&self) -> f64 {
        self.low / self.high
    }

    /// What kind of contact this is.
    pub fn kind(&self) -> Kind {
        if self.high > 0.0 {
            if self.low > LINE_RATIO * self.high { Kind::Elliptic } else { Kind::LineLike }
        } else if self.high == 0.0 && self.low == 0.0 {
            Kind::Flat
        } else {
            Kind::Conforming
        }
    }
}

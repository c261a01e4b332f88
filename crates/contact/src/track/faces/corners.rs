//! # Corners: where bodies with flats touch when they do not lie flat
//!
//! - **in**: rounded corners and rims of one body, faces of the other
//! - **out**: pairs of points, one per corner or rim that stands on a face
//! - **not here**: faces on faces ([`FaceContact`](super::FaceContact)); identity over time ([`contacts`](crate::track::contacts))
//! - **assumes**: half-spaces, rounded boxes, cylinders and capsules; other bodies have no corners of their own
//! - **start at** [`bumpers_of`], then [`touch`]
//!
//! A body tilted on a plane stands on a corner, or on an edge: a line of equally close points, whose middle is an
//! accident of round-off. A line is given by its two ends instead: each corner or rim near the plane is a pair of its own. So
//! both ends of an edge are there while it rocks from one to the other, and each keeps its identity.

use super::{Face, Outline};
use crate::surface::{Shape, Surface, SurfacePoint};
use crate::track::{ClosestPair, into_A};
use nalgebra::{Isometry3, Matrix3, Point2, Point3, Vector3};

/// A rounded corner or rim of a body, in the body's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Bumper {
    /// A ball: a corner of a box, an end of a capsule.
    Ball { centre: Point3<f64>, radius: f64 },
    /// Part of a torus around z at height `z`: a rim of a cylinder.
    Rim { z: f64, major: f64, minor: f64 },
}

/// The corners and rims of a shape.
pub(crate) fn bumpers_of(shape: &Shape) -> Vec<Bumper> {
    match shape {
        Shape::RoundedBox(body) => {
            let radius = body.edge_radius();
            let core = body.half_extents().map(|half| half - radius);
            let mut found = Vec::new();
            for k in 0..8_usize {
                let side = Vector3::from_fn(|i, _| if k >> i & 1 == 0 { -1.0 } else { 1.0 });
                // An axis without width has one corner, not two.
                if (0..3).any(|i| core[i] == 0.0 && side[i] < 0.0) {
                    continue;
                }
                let centre = Point3::from(core.component_mul(&side));
                found.push(Bumper::Ball { centre, radius });
            }
            found
        }
        Shape::Capsule(body) => [-1.0, 1.0]
            .map(|end| Bumper::Ball { centre: Point3::new(0.0, 0.0, end * body.half_length()), radius: body.radius() })
            .to_vec(),
        Shape::Cylinder(body) => {
            let minor = body.edge_radius();
            let (major, z) = (body.radius() - minor, body.half_length() - minor);
            [-1.0, 1.0].map(|end| Bumper::Rim { z: end * z, major, minor }).to_vec()
        }
        _ => Vec::new(),
    }
}

/// The bumper of B on a face of A, whatever the angle between them: its ball is part of B, and is there before it presses.
/// Nothing if it stands beside the face or is nearer to another part of A.
pub(crate) fn touch(a: &Shape, face: &Face, bumper: &Bumper, X_AB: &Isometry3<f64>, size: f64) -> Option<ClosestPair> {
    let n = face.nhat();
    let down = X_AB.rotation.inverse() * -n;
    let tip = bumper.along(&down)?;
    let centre_A = X_AB * tip.centre;
    let in_F = face.X_SF.inverse_transform_point(&centre_A);
    // A corner above the very corner of a face, as in a stack of equal boxes, stands on it whatever rounding says.
    let edge = 1e-4 * size;
    let beside = match &face.outline {
        Outline::Infinite => false,
        Outline::Disc(r) => in_F.xy().coords.norm() > *r + edge,
        Outline::Polygon(pieces) => {
            let place: Point2<f64> = in_F.xy();
            pieces.iter().all(|piece| piece.distance(&place) > edge)
        }
    };
    if beside {
        return None;
    }
    // Deep inside, another side of A is the nearer way out for the ball. Its lowest point does not tell: in a thin plate it is
    // nearer to the far side while the ball has hardly come in.
    let nearest = a.closest_point(&centre_A).ok()?;
    if (nearest.distance - in_F.z).abs() > 1e-6 * size {
        return None;
    }
    Some(tip.on(face, &down, X_AB))
}

/// The same pair whatever it misses by and wherever it is: the plane of the face has no end.
pub(crate) fn stand(face: &Face, bumper: &Bumper, X_AB: &Isometry3<f64>) -> Option<ClosestPair> {
    let down = X_AB.rotation.inverse() * -face.nhat();
    bumper.along(&down).map(|tip| tip.on(face, &down, X_AB))
}

/// The ball in a bumper that reaches furthest along a direction.
struct Tip {
    centre: Point3<f64>,
    radius: f64,
    Dn: Matrix3<f64>,
}

impl Tip {
    /// The tip of B on the plane of a face of A, whose normal is −`down` in B.
    fn on(&self, face: &Face, down: &Vector3<f64>, X_AB: &Isometry3<f64>) -> ClosestPair {
        let n = face.nhat();
        let centre_A = X_AB * self.centre;
        let height = face.X_SF.inverse_transform_point(&centre_A).z;
        let at_A = SurfacePoint { p: centre_A - n * height, nhat: n, Dn: Matrix3::zeros() };
        let at_B = SurfacePoint { p: self.centre + down * self.radius, nhat: *down, Dn: self.Dn };
        let mut pair = ClosestPair::from_points(&at_A, &into_A(&at_B, X_AB), X_AB);
        pair.p_BCb = at_B.p;
        pair
    }
}

impl Bumper {
    /// What of the bumper reaches furthest along the unit vector d.
    fn along(&self, d: &Vector3<f64>) -> Option<Tip> {
        let P = Matrix3::identity() - d * d.transpose();
        match *self {
            Self::Ball { centre, radius } => Some(Tip { centre, radius, Dn: P / radius }),
            Self::Rim { z, major, minor } => {
                // Upright, every point of the rim reaches as far.
                let out = Vector3::new(d.x, d.y, 0.0);
                let length = out.norm();
                let radial = out.try_normalize(1e-9)?;
                let around = Vector3::z().cross(&radial);
                let k_around = length / (major + minor * length);
                let Dn = P / minor + around * around.transpose() * (k_around - 1.0 / minor);
                let centre = Point3::from(radial * major + Vector3::z() * z);
                Some(Tip { centre, radius: minor, Dn })
            }
        }
    }
}

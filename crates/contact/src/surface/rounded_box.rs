//! # Rounded box: flat faces, every edge and corner rounded alike
//!
//! point (m) ──▶ **here** ──(foot, normal, Dn)──▶ `track`
//!
//! - **in**: a point in S; the box is centred, its faces square to the axes
//! - **out**: signed distance, foot, normal, shape operator (0 on faces, 1/e across edges, P/e on corners)
//! - **not here**: sharp boxes: an edge has no normal
//! - **assumes**: nothing more
//! - **start at** [`RoundedBox`]
//!
//! The body is its core, the box with half extents h − e, grown by e. Along each axis a point is beyond the
//! core or within it; which axes are beyond (the mask m) tells face, edge and corner apart:
//!
//! ```text
//! Dn = (diag(m) − n nᵀ)/e          one axis beyond: 0;  two: t tᵀ/e;  three: P/e
//! ```
//!
//! The surface is C1; on seams the flatter side answers.

use super::{
    Bounds, ConvexSurface, Domain, Foot, ParametricSurface, ShapeError, SmoothSurface, Surface, SurfaceError,
    SurfacePoint, finite, positive, sphere::direction,
};
use nalgebra::{Matrix3, Point3, Vector3};
use std::f64::consts::{PI, TAU};

/// A box around the origin with rounded edges and corners.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundedBox {
    half_extents: Vector3<f64>,
    edge_radius: f64,
}

impl RoundedBox {
    /// A box from its outer half extents (m) and the radius of its edges and corners (m),
    /// 0 < edge_radius ≤ least half extent.
    pub fn new(half_extents: Vector3<f64>, edge_radius: f64) -> Result<Self, ShapeError> {
        for half in &half_extents {
            positive("half extent of the rounded box", *half)?;
        }
        positive("edge radius of the rounded box", edge_radius)?;
        let largest = half_extents.min();
        if edge_radius > largest {
            return Err(ShapeError::Misfit {
                what: "edge radius of the rounded box",
                expected: format!("at most the least half extent, {largest} m"),
                got: format!("{edge_radius} m"),
            });
        }
        Ok(Self { half_extents, edge_radius })
    }

    /// Outer half extents (m).
    pub fn half_extents(&self) -> Vector3<f64> {
        self.half_extents
    }

    /// Radius of edges and corners (m).
    pub fn edge_radius(&self) -> f64 {
        self.edge_radius
    }

    /// Half extents of the core, which grown by the edge radius is the body.
    fn core(&self) -> Vector3<f64> {
        self.half_extents.map(|half| half - self.edge_radius)
    }

    /// The foot, and the mask of axes along which the point is beyond the core.
    fn foot(&self, p: &Point3<f64>) -> (Foot, Vector3<f64>) {
        let core = self.core();
        let on_core = p.coords.zip_map(&core, |x, c| x.clamp(-c, c));
        // A core without width along an axis has no faces of its own there: what looks flat is round.
        let mask = p.coords.zip_map(&core, |x, c| if x.abs() > c || c == 0.0 { 1.0 } else { 0.0 });
        if let Some((nhat, length)) = direction(&(p.coords - on_core)) {
            let e = self.edge_radius;
            return (Foot { p: Point3::from(on_core + nhat * e), nhat, distance: length - e }, mask);
        }
        // Within the core: the face with the least way to go, the first of several.
        let way = core - p.coords.abs();
        let axis = way.imin();
        let sign = if p[axis] < 0.0 { -1.0 } else { 1.0 };
        let mut foot = *p;
        foot[axis] = sign * self.half_extents[axis];
        let mut nhat = Vector3::zeros();
        nhat[axis] = sign;
        let mut mask = mask;
        mask[axis] = 1.0;
        (Foot { p: foot, nhat, distance: p[axis].abs() - self.half_extents[axis] }, mask)
    }
}

impl Surface for RoundedBox {
    fn closest_point(&self, p: &Point3<f64>) -> Result<Foot, SurfaceError> {
        finite(p)?;
        Ok(self.foot(p).0)
    }

    fn bounds(&self) -> Bounds {
        Bounds::centred(self.half_extents)
    }
}

impl SmoothSurface for RoundedBox {
    fn point_near(&self, near: &Point3<f64>) -> Result<SurfacePoint, SurfaceError> {
        finite(near)?;
        let (Foot { p, nhat, .. }, mask) = self.foot(near);
        let Dn = (Matrix3::from_diagonal(&mask) - nhat * nhat.transpose()) / self.edge_radius;
        Ok(SurfacePoint { p, nhat, Dn })
    }
}

impl ParametricSurface for RoundedBox {
    /// u: longitude (rad), v: angle from +z (rad), of a direction that is then stretched by the half extents.
    fn domain(&self) -> Domain {
        Domain { u: [0.0, TAU], v: [0.0, PI], u_wraps: true, v_wraps: false }
    }

    /// Where the ray t d from the centre leaves the box, d = (h_x cos u sin v, h_y sin u sin v, h_z cos v):
    ///
    /// ```text
    /// Σ over axes beyond the core of (t |dᵢ| − cᵢ)² = e²,   axis i beyond when t |dᵢ| > cᵢ
    /// ```
    ///
    /// The left side grows with t, so axes are let in one by one, in the order in which the ray passes them,
    /// until the root lies before the next.
    fn point(&self, u: f64, v: f64) -> Point3<f64> {
        let core = self.core();
        let way = Vector3::new(u.cos() * v.sin(), u.sin() * v.sin(), v.cos()).component_mul(&self.half_extents);
        let passes = |i: usize| if way[i] == 0.0 { f64::INFINITY } else { core[i] / way[i].abs() };
        let mut order = [0, 1, 2];
        order.sort_by(|&i, &j| passes(i).total_cmp(&passes(j)));

        let (mut dd, mut dc, mut cc, mut t) = (0.0, 0.0, -self.edge_radius * self.edge_radius, 0.0);
        for k in 0..3 {
            let (d, c) = (way[order[k]].abs(), core[order[k]]);
            dd += d * d;
            dc += d * c;
            cc += c * c;
            t = (dc + (dc * dc - dd * cc).max(0.0).sqrt()) / dd;
            if k == 2 || t <= passes(order[k + 1]) {
                break;
            }
        }
        // The root carries the round-off of a difference of squares; the projection takes it away.
        self.foot(&Point3::from(way * t)).0.p
    }
}

impl ConvexSurface for RoundedBox {
    /// Square to an edge the middle of that edge, square to a face the middle of that face.
    fn support(&self, d: &Vector3<f64>) -> Point3<f64> {
        let unit = direction(d).map_or(Vector3::x(), |(unit, _)| unit);
        let corner = unit.zip_map(&self.core(), |x, c| if x == 0.0 { 0.0 } else { c.copysign(x) });
        Point3::from(corner + unit * self.edge_radius)
    }

    fn least_radius(&self) -> f64 {
        self.edge_radius
    }
}

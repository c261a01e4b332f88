//! # Carrier: the curves of a body along which it can touch
//!
//! `surface` ──(shape)──▶ **here** ──(curve, points of its sections)──▶ `section`
//!
//! - **in**: a shape
//! - **out**: its [`Curve`]s; points of the surface by s (along the curve) and t (across it), with derivatives by t
//! - **not here**: what the other body is (`section`); where along the curve the bodies touch (`nodes`)
//! - **assumes**: curves are fixed in their body; s and t are square to each other on the surface
//! - **start at** [`curves_of`], then [`Curve::point`]
//!
//! | body | curve | along, s | across, t |
//! |---|---|---|---|
//! | capsule, side of a cylinder | [`Path::Rod`] | arc length of the profile, round ends included (m) | angle around the axis |
//! | torus | [`Path::Tube`] | angle around the axis | angle around the tube |
//! | edge of a box | [`Path::Rod`] | along the edge, its corners included (m) | angle around the edge |
//! | side of a mesh that is turned; ring it stands on | [`Path::Rod`]; [`Path::Tube`] | as above | as above |
//! | foot or mouth of a body of revolution | [`Path::Foot`] | angle around the axis | parameter of the profile |

use crate::surface::{ParametricSurface, Revolution, RoundedBox, Shape, SmoothSurface, Surface};
use crate::track::on_mesh;
use nalgebra::{Isometry3, Matrix3, Point3, Rotation3, UnitQuaternion, Vector3};
use std::f64::consts::{FRAC_PI_4, TAU};

/// The round end of a rod counts up to this angle from its side (rad): beyond, the end itself touches.
pub(super) const END: f64 = 1.1;
/// Largest part of a unit normal along the axis of a rod at which its side touches: to begin, and to go on.
const SIDE: [f64; 2] = [0.80, 0.86];
/// Least part of a unit normal along the axis of a ring at which a foot touches: to begin, and to go on.
const FLAT: [f64; 2] = [0.90, 0.86];

/// A curve fixed in its body, and the sections of the body across it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Curve {
    /// Pose in the body of the frame in which the curve runs along or around z.
    pub X_BS: Isometry3<f64>,
    /// Its kind and sizes.
    pub path: Path,
    /// What of the surface around it is the body's.
    pub part: Part,
}

/// Which part of the rod or tube around a curve is surface of its body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Part {
    /// All of it.
    Whole,
    /// An edge between two faces: outward normals within this angle of x, around z (rad).
    Edge(f64),
    /// The side of a mesh that is turned around z.
    Side,
    /// The ring on which such a mesh stands, towards this end of z.
    End(f64),
}

/// Largest part of a unit normal along the axis at which the side of a mesh touches: to begin, and to go on.
const MESH_SIDE: [f64; 2] = [0.05, 0.08];
/// Least part of a unit normal along the axis at which a mesh stands on its ring: 4° and 6°.
const MESH_END: [f64; 2] = [0.9976, 0.9945];
/// By how much an outward normal stays within the faces of an edge to begin, and may leave them to go on (rad).
const EDGE: [f64; 2] = [-0.01, 0.02];

/// The kinds of curves.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Path {
    /// Along the side of a straight rod around z.
    Rod {
        /// Half the length of the straight part (m).
        half: f64,
        /// Radius less that of its round edges (m): 0 for a capsule.
        core: f64,
        /// Radius of its round edges (m).
        edge: f64,
    },
    /// Around a torus.
    Tube {
        /// Radius of the central circle (m).
        major: f64,
        /// Radius of the tube (m).
        minor: f64,
    },
    /// Around the foot (`end` −1) or the mouth (+1) of a body of revolution.
    Foot {
        /// Which end of the axis.
        end: f64,
        /// Parameter of the profile where it reaches furthest.
        at: f64,
        /// Part of the profile that belongs to the foot.
        window: [f64; 2],
        /// Radius of the ring (m), and of its meridian (m).
        radius: [f64; 2],
    },
}

/// A point of the surface, and how it moves across the curve.
#[derive(Clone, Copy, Debug)]
pub(super) struct Jet {
    pub p: Vector3<f64>,
    /// First and second derivative by t.
    pub d1: Vector3<f64>,
    pub d2: Vector3<f64>,
    /// |∂p/∂s|.
    pub stretch: f64,
}

/// A part of a curve over which its surface is smooth.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub from: f64,
    pub to: f64,
    /// How many places are looked at to find what is near.
    pub looks: usize,
    /// Whether its ends are the same place.
    pub closed: bool,
}

/// The curves of a shape.
pub fn curves_of(shape: &Shape) -> Vec<Curve> {
    let X_BS = Isometry3::identity();
    let one = |path| vec![Curve { X_BS, path, part: Part::Whole }];
    match shape {
        Shape::Capsule(body) => one(Path::Rod { half: body.half_length(), core: 0.0, edge: body.radius() }),
        Shape::Cylinder(body) => {
            let edge = body.edge_radius();
            let half = body.half_length() - edge;
            if half <= 0.0 {
                return Vec::new();
            }
            one(Path::Rod { half, core: body.radius() - edge, edge })
        }
        Shape::Torus(body) => one(Path::Tube { major: body.major_radius(), minor: body.minor_radius() }),
        Shape::Revolution(body) => {
            let paths = [-1.0, 1.0].into_iter().filter_map(|end| foot(body, end));
            paths.map(|path| Curve { X_BS, path, part: Part::Whole }).collect()
        }
        Shape::Mesh(mesh) => on_mesh(mesh).curves.clone(),
        _ => Vec::new(),
    }
}

/// The edge of a box along an axis that has a point of its surface, corners included, as a rod between its corners, and its
/// number; none elsewhere.
pub(super) fn edge_at(body: &RoundedBox, p: &Point3<f64>, axis: usize) -> Option<(u32, Curve)> {
    let edge = body.edge_radius();
    let core = body.half_extents().map(|half| half - edge);
    let beyond = |k: usize| k == axis || p[k].abs() > core[k];
    if !(0..3).all(beyond) || core[axis] <= 0.0 || edge <= 0.0 {
        return None;
    }
    let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut centre = Vector3::zeros();
    let mut out = Vector3::zeros();
    for k in [i, j] {
        centre[k] = core[k].copysign(p[k]);
        out[k] = 1.0_f64.copysign(p[k]);
    }
    let mut along = Vector3::zeros();
    along[axis] = 1.0;
    let x = out.normalize();
    let axes = Rotation3::from_matrix_unchecked(Matrix3::from_columns(&[x, along.cross(&x), along]));
    let X_BS = Isometry3::from_parts(centre.into(), UnitQuaternion::from_rotation_matrix(&axes));
    let number = 4 * axis as u32 + 2 * u32::from(p[i] > 0.0) + u32::from(p[j] > 0.0);
    let path = Path::Rod { half: core[axis], core: 0.0, edge };
    Some((number, Curve { X_BS, path, part: Part::Edge(FRAC_PI_4) }))
}

/// The ring on which a body of revolution stands on one end of its axis, if it is one: where the profile reaches furthest,
/// away from the axis, and bends.
fn foot(body: &Revolution, end: f64) -> Option<Path> {
    const SAMPLES: usize = 2000;
    let [v0, v1] = body.domain().v;
    let v = |k: usize| v0 + (v1 - v0) * k as f64 / SAMPLES as f64;
    let best = (0..=SAMPLES).max_by(|&i, &j| {
        let z = |k: usize| body.point(0.0, v(k)).z * end;
        z(i).total_cmp(&z(j))
    })?;
    let mut at = v(best);
    for _ in 0..6 {
        let [_, d1, d2] = body.profile(at);
        if d2[1] * end < 0.0 {
            at -= (d1[1] / d2[1]).clamp(-1e-3 * (v1 - v0), 1e-3 * (v1 - v0));
        }
    }
    let size = body.bounds().radius();
    let [c, ..] = body.profile(at);
    let point = body.point_near(&body.point(0.0, at)).ok()?;
    let bend = point.Dn[(0, 0)];
    if c[0] < 0.02 * size || bend < 0.1 / size {
        return None;
    }
    // The foot goes as far as the profile bends the same way, by half a right angle at most.
    let bends = |v: f64| {
        let [_, d1, d2] = body.profile(v);
        let turned = (d1[1] / d1[0].hypot(d1[1])).abs() < 0.7;
        (d1[0] * d2[1] - d1[1] * d2[0]) > 0.0 && turned
    };
    let reach = |step: f64| {
        let mut v = at;
        let inside = |v: f64| if body.is_closed() { (v - at).abs() < 0.4 * (v1 - v0) } else { v0 < v && v < v1 };
        while inside(v + step) && bends(v + step) {
            v += step;
        }
        v
    };
    let step = (v1 - v0) / SAMPLES as f64;
    Some(Path::Foot { end, at, window: [reach(-step), reach(step)], radius: [c[0], 1.0 / bend] })
}

impl Curve {
    /// Whole length of the curve, round ends left out (m).
    pub fn length(&self) -> f64 {
        match self.path {
            Path::Rod { half, .. } => 2.0 * half,
            Path::Tube { major, .. } => TAU * major,
            Path::Foot { radius, .. } => TAU * radius[0],
        }
    }

    /// How far the surface goes per parameter along the curve, at most.
    pub(super) fn speed(&self) -> f64 {
        match self.path {
            Path::Rod { .. } => 1.0,
            Path::Tube { major, minor } => major + minor,
            Path::Foot { radius, .. } => radius[0] + radius[1],
        }
    }

    /// Parts over which the surface along the curve is smooth.
    pub(super) fn pieces(&self) -> ([Piece; 3], usize) {
        let piece = |from, to, looks| Piece { from, to, looks, closed: false };
        match self.path {
            Path::Rod { half, edge, .. } => {
                let round = edge * END;
                // What lies along an edge may be shorter than it.
                let looks = if matches!(self.part, Part::Edge(_)) { 16 } else { 8 };
                let ends = [piece(-half - round, -half, 3), piece(-half, half, looks), piece(half, half + round, 3)];
                // A ball has no straight part.
                if half > 0.0 { (ends, 3) } else { ([ends[0], ends[2], ends[2]], 2) }
            }
            Path::Tube { .. } | Path::Foot { .. } => {
                let ring = Piece { closed: true, ..piece(0.0, TAU, 32) };
                ([ring; 3], 1)
            }
        }
    }

    /// A point from which nothing of the section at s is further than the length given with it (m).
    pub(super) fn middle(&self, s: f64) -> (Vector3<f64>, f64) {
        match self.path {
            Path::Rod { half, core, edge } => {
                let (z, rho) = rod(half, core, edge, s);
                (Vector3::new(0.0, 0.0, z), rho)
            }
            Path::Tube { major, minor } => (Vector3::new(major * s.cos(), major * s.sin(), 0.0), minor),
            Path::Foot { radius, .. } => (Vector3::zeros(), 4.0 * radius[0]),
        }
    }

    /// Across parameter at which the profile of a foot reaches furthest, as a start for Newton's method.
    pub(super) fn profile_start(&self) -> f64 {
        if let Path::Foot { at, .. } = self.path { at } else { 0.0 }
    }

    /// The point at s along and t across, in the frame of the curve.
    pub(super) fn point(&self, body: &Shape, s: f64, t: f64) -> Jet {
        match self.path {
            Path::Rod { half, core, edge } => {
                let ((z, rho), (sin, cos)) = (rod(half, core, edge, s), t.sin_cos());
                Jet {
                    p: Vector3::new(rho * cos, rho * sin, z),
                    d1: Vector3::new(-rho * sin, rho * cos, 0.0),
                    d2: Vector3::new(-rho * cos, -rho * sin, 0.0),
                    stretch: 1.0,
                }
            }
            Path::Tube { major, minor } => {
                let (sin, cos) = t.sin_cos();
                turned(s, [major + minor * cos, minor * sin], [-minor * sin, minor * cos], [-minor * cos, -minor * sin])
            }
            Path::Foot { window, .. } => {
                let Shape::Revolution(body) = body else { return turned(s, [0.0; 2], [1.0, 0.0], [0.0; 2]) };
                let [c, d1, d2] = body.profile(t.clamp(window[0], window[1]));
                turned(s, c, d1, d2)
            }
        }
    }

    /// The across parameter within what belongs to the curve.
    pub(super) fn within(&self, t: f64) -> f64 {
        if let Path::Foot { window, .. } = self.path { t.clamp(window[0], window[1]) } else { t }
    }

    /// A step across that is small against how the section bends.
    pub(super) fn longest_step(&self) -> f64 {
        if let Path::Foot { radius, .. } = self.path { 0.3 * radius[1] } else { 0.5 }
    }

    /// Whether the curve is what touches where the outward normal of its body is n, in the frame of the curve: to begin, or
    /// to go on.
    pub(super) fn faces(&self, n: &Vector3<f64>, goes_on: bool) -> bool {
        let k = usize::from(goes_on);
        match self.part {
            Part::Whole => {}
            Part::Edge(angle) => return n.z.abs() <= SIDE[k] && n.y.atan2(n.x).abs() <= angle + EDGE[k],
            Part::Side => return n.z.abs() <= MESH_SIDE[k],
            Part::End(end) => return n.z * end >= MESH_END[k],
        }
        match self.path {
            Path::Rod { .. } => n.z.abs() <= SIDE[k],
            Path::Tube { .. } => true,
            Path::Foot { end, .. } => n.z * end >= FLAT[k],
        }
    }
}

/// Height and radius of a rod at arc length s of its profile.
fn rod(half: f64, core: f64, edge: f64, s: f64) -> (f64, f64) {
    let beyond = s.abs() - half;
    if beyond <= 0.0 {
        return (s, core + edge);
    }
    let (sin, cos) = (beyond / edge).sin_cos();
    ((half + edge * sin).copysign(s), core + edge * cos)
}

/// A profile (r, z) with its derivatives, turned to the azimuth s.
fn turned(s: f64, c: [f64; 2], d1: [f64; 2], d2: [f64; 2]) -> Jet {
    let (sin, cos) = s.sin_cos();
    let lift = |q: [f64; 2]| Vector3::new(q[0] * cos, q[0] * sin, q[1]);
    Jet { p: lift(c), d1: lift(d1), d2: lift(d2), stretch: c[0] }
}

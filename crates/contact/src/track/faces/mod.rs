//! # Faces: flat parts of bodies, and where two of them lie on each other
//!
//! `surface` ──(flat parts)──▶ **here** ──([`FaceContact`])──▶ patch, law
//!
//! - **in**: two shapes with flat parts and their pose
//! - **out**: per pair of facing parts one contact: the shared region with its moments, the gap over it as a plane
//! - **not here**: curved places ([`seed`](super::seed)); identity over time ([`contacts`](super::contacts))
//! - **assumes**: faces within a few degrees of parallel, see [`FaceLimits`]
//! - **start at** [`faces_of`], then [`FaceContact::between`]; `region` integrates, `flats` finds the flat parts of meshes
//!
//! | shape | faces | outline |
//! |---|---|---|
//! | half-space | 1 | infinite |
//! | rounded box | 6, fewer if the rounding leaves none | rectangle, inside the rounding |
//! | cylinder | 2 | disc, inside the rounding |
//! | mesh | groups of coplanar facets between creases | convex pieces, inside the fillet |
//! | elevation map | its plane stretches | rectangles of cells |
//! | everything else | none | |
//!
//! **Frame.** The region lies in the plane between both faces: its normal halves the angle between them, so that
//! exchanging the bodies changes nothing. Outlines are laid into it by the least turn and keep their lengths; their
//! places differ from a projection by less than 1 − cos(angle/2), 2.4e-4 of the size at 2.5°. On a face without end
//! and on a map the normal is that face's: the region goes with the other body, and sliding must not change a gap.
//!
//! **Gap.** Two planes: `gap(x) = pair.gap + tilt·x`, exactly, measured along the normal; x from the centroid. On a face
//! without end x is a place on the other face.

mod corners;
mod flats;
mod live;
pub mod region;

pub(crate) use corners::{Bumper, bumpers_of, stand, touch};
pub(crate) use flats::of_mesh as faces_of_mesh;
pub(crate) use live::{LiveFaces, Near};
pub use region::{Piece, Region, Sums};

use super::{ClosestPair, on_mesh, tangent_basis};
use crate::surface::Shape;
use crate::surface::elevation::Plain;
use nalgebra::{Isometry3, Matrix2, Matrix3, Matrix3x2, Point2, Point3, Rotation3, UnitQuaternion, Vector2, Vector3};

/// A flat part of a body, in the body's own frame S.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Face {
    /// Frame F of the face in S: origin in its plane, z the outward normal.
    pub X_SF: Isometry3<f64>,
    /// Its boundary, in x and y of F.
    pub outline: Outline,
    /// How far the rounding reaches beyond the outline (m): there the body is no longer flat.
    pub rim: f64,
    /// Whether it is the ground that others lie on: a contact takes its normal, as if it had no end.
    pub ground: bool,
}

/// The boundary of a face.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Outline {
    /// None: the face goes on for ever.
    Infinite,
    /// A disc around the origin of F with this radius (m).
    Disc(f64),
    /// Convex pieces side by side, straight edges only; together they may be of any form, with holes.
    Polygon(Vec<Piece>),
}

/// When faces count as lying on each other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FaceLimits {
    /// Whether faces on faces are contacts of their own; if not, their corners are.
    pub faces: bool,
    /// Whether curves are contacts of their own ([`strand`](super::strand)); if not, points along them are.
    pub strands: bool,
    /// Faces nearer to parallel than this become a contact (rad).
    pub angle_on: f64,
    /// A face contact with a wider angle ends (rad); above `angle_on`.
    pub angle_off: f64,
}

impl Default for FaceLimits {
    /// 2° and 2.5°; no contacts along curves, whose energy not every law has.
    fn default() -> Self {
        Self { faces: true, strands: false, angle_on: 2.0_f64.to_radians(), angle_off: 2.5_f64.to_radians() }
    }
}

/// Two faces on each other: one contact with an area.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FaceContact {
    /// Counts up from 0 within a set, together with the point contacts; never used twice.
    pub id: u64,
    /// Which faces, as numbered by [`faces_of`] for A and for B.
    pub faces: [usize; 2],
    /// The pair of points at the centroid of the region; its normal is that of the region, its curvatures are zero.
    ///
    /// Frame C of the contact: origin midway between both points, x and y the columns of `E_A`, z the normal.
    pub pair: ClosestPair,
    /// Area of the region (m²).
    pub area: f64,
    /// ∫ x xᵀ dA about the centroid, in C (m⁴): (∫x², ∫xy; ∫xy, ∫y²).
    pub second: Matrix2<f64>,
    /// Gradient of the gap over the region, in C: 0 for parallel faces, at most about [`FaceLimits::angle_off`].
    pub tilt: Vector2<f64>,
    /// Share of the tilt that is B's: ½ between two faces with an end, 1 where A's has none, 0 where B's has none.
    pub lean: f64,
    /// The region in C, its centroid at the origin (m).
    pub region: Region,
}

/// What is pressed together of a face contact: integrals over the part of the region with a negative gap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pressed {
    /// Its area (m²).
    pub area: f64,
    /// ∫ δ dA with the depth δ = −gap (m³): times a stiffness per area (N/m³) the normal force.
    pub volume: f64,
    /// ∫ δ x dA, in C (m⁴): times the same stiffness the moment, as (force times lever arm).
    pub moment: Vector2<f64>,
    /// Where the depth has its centre, ∫ δ x dA/∫ δ dA, in C (m).
    pub centre: Vector2<f64>,
    /// Centroid of the area, in C (m).
    pub middle: Vector2<f64>,
    /// ∫ x xᵀ dA about that centre, in C (m⁴).
    pub second: Matrix2<f64>,
}

/// The flat parts of a shape. Allocates; meant to be called once per body.
pub fn faces_of(shape: &Shape) -> Vec<Face> {
    match shape {
        Shape::HalfSpace(_) => {
            vec![Face { X_SF: Isometry3::identity(), outline: Outline::Infinite, rim: 0.0, ground: true }]
        }
        Shape::RoundedBox(body) => {
            let core = body.half_extents().map(|half| half - body.edge_radius());
            let signed = |axis: usize| [-1.0, 1.0].map(|sign| (axis, sign));
            (0..3)
                .flat_map(signed)
                .filter_map(|(axis, sign)| {
                    let (x, y) = (core[(axis + 1) % 3], core[(axis + 2) % 3]);
                    let corners = [(-x, -y), (x, -y), (x, y), (-x, y)].map(|(x, y)| Point2::new(x, y));
                    let mut n = Vector3::zeros();
                    n[axis] = sign;
                    // x of F along the next axis, y along the one after, turned over on the negative side.
                    let mut u = Vector3::zeros();
                    u[(axis + 1) % 3] = sign;
                    let X_SF = frame(Point3::from(n * body.half_extents()[axis]), &n, &u);
                    let piece = Piece::polygon(&corners).filter(|_| x > 0.0 && y > 0.0)?;
                    Some(Face { X_SF, outline: Outline::Polygon(vec![piece]), rim: body.edge_radius(), ground: false })
                })
                .collect()
        }
        Shape::Cylinder(body) => {
            let radius = body.radius() - body.edge_radius();
            let ends = [-1.0, 1.0].into_iter().filter(|_| radius > 0.0).map(|sign| {
                let n = Vector3::z() * sign;
                let X_SF = frame(Point3::from(n * body.half_length()), &n, &Vector3::x());
                Face { X_SF, outline: Outline::Disc(radius), rim: body.edge_radius(), ground: false }
            });
            ends.collect()
        }
        Shape::Mesh(mesh) => on_mesh(mesh).faces.clone(),
        Shape::Elevation(map) => map.plains().iter().map(plain).collect(),
        _ => Vec::new(),
    }
}

/// A plane stretch of a map.
fn plain(stretch: &Plain) -> Face {
    let [gx, gy] = stretch.slope;
    let at = |x: f64, y: f64| Point3::new(x, y, stretch.z + gx * x + gy * y);
    let [x0, x1, y0, y1] = stretch.parts.first().copied().unwrap_or_default();
    let (n, u) = (Vector3::new(-gx, -gy, 1.0).normalize(), Vector3::new(1.0, 0.0, gx).normalize());
    let X_SF = frame(at(0.5 * (x0 + x1), 0.5 * (y0 + y1)), &n, &u);
    let outline = |part: &[f64; 4]| {
        let [x0, x1, y0, y1] = *part;
        let corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)];
        Piece::polygon(&corners.map(|(x, y)| X_SF.inverse_transform_point(&at(x, y)).xy()))
    };
    let pieces = stretch.parts.iter().filter_map(outline).collect();
    Face { X_SF, outline: Outline::Polygon(pieces), rim: 0.0, ground: true }
}

/// The pose with this origin, z along the unit vector n and x along the unit vector u (square to n).
fn frame(origin: Point3<f64>, n: &Vector3<f64>, u: &Vector3<f64>) -> Isometry3<f64> {
    let axes = Rotation3::from_matrix_unchecked(Matrix3::from_columns(&[*u, n.cross(u), *n]));
    Isometry3::from_parts(origin.coords.into(), UnitQuaternion::from_rotation_matrix(&axes))
}

impl Face {
    /// Unit outward normal, in S.
    pub fn nhat(&self) -> Vector3<f64> {
        self.X_SF.rotation * Vector3::z()
    }
}

/// A face as seen from A, about to be laid into the plane of a contact.
struct Placed<'a> {
    outline: &'a Outline,
    origin: Point3<f64>,
    axes: [Vector3<f64>; 3],
}

impl<'a> Placed<'a> {
    fn new(face: &'a Face, X_AS: Option<&Isometry3<f64>>) -> Self {
        let X_AF = X_AS.map_or(face.X_SF, |X| X * face.X_SF);
        let axes = [Vector3::x(), Vector3::y(), Vector3::z()].map(|v| X_AF.rotation * v);
        Self { outline: &face.outline, origin: X_AF.translation.vector.into(), axes }
    }

    /// Turn and shift from the face's plane into that of the contact with normal ±z of the face.
    fn laid_into(&self, m: &Vector3<f64>, o: &Point3<f64>, E: &Matrix3x2<f64>) -> (Matrix2<f64>, Vector2<f64>) {
        // The least turn from z of F to m (or −m, whichever is near), as v + a × v + a × (a × v)/(1 + cos).
        let to = if self.axes[2].dot(m) < 0.0 { -m } else { *m };
        let a = self.axes[2].cross(&to);
        let scale = 1.0 / (1.0 + self.axes[2].dot(&to));
        let turned = |v: &Vector3<f64>| v + a.cross(v) + a.cross(&a.cross(v)) * scale;
        let [x, y] = [turned(&self.axes[0]), turned(&self.axes[1])].map(|v| E.tr_mul(&v));
        (Matrix2::from_columns(&[x, y]), E.tr_mul(&(self.origin - o)))
    }
}

/// Angle between two faces, 0 if they lie flat on each other (rad).
pub fn angle_between(a: &Face, b: &Face, X_AB: &Isometry3<f64>) -> f64 {
    let (n_A, n_B) = (a.nhat(), X_AB.rotation * b.nhat());
    n_A.cross(&n_B).norm().atan2(-n_A.dot(&n_B))
}

impl Default for FaceContact {
    /// Nothing yet: room for [`ContactSet::follow_face`](super::ContactSet::follow_face).
    fn default() -> Self {
        Self::blank([0, 0])
    }
}

impl FaceContact {
    /// The contact of face `a` of A with face `b` of B, whatever their gap; nothing if they do not face each other within
    /// `angle` (rad) or share no area.
    pub fn between(a: &Face, b: &Face, X_AB: &Isometry3<f64>, angle: f64) -> Option<Self> {
        let mut contact = Self::blank([0, 0]);
        contact.follow(a, b, X_AB, angle).then_some(contact)
    }

    pub(super) fn blank(faces: [usize; 2]) -> Self {
        let pair = ClosestPair {
            p_ACa: Point3::origin(),
            p_BCb: Point3::origin(),
            nhat_AB_A: Vector3::z(),
            gap: 0.0,
            E_A: tangent_basis(&Vector3::z()),
            curvature_A: Matrix2::zeros(),
            curvature_B: Matrix2::zeros(),
            residual: 0.0,
            steps: 0,
        };
        let (second, tilt) = (Matrix2::zeros(), Vector2::zeros());
        Self { id: u64::MAX, faces, pair, area: 0.0, second, tilt, lean: 0.5, region: Region::default() }
    }

    /// Computes the contact anew at a pose, in place; `false` (and meaningless values) if there is none.
    pub(super) fn follow(&mut self, a: &Face, b: &Face, X_AB: &Isometry3<f64>, angle: f64) -> bool {
        self.region.clear();
        if angle_between(a, b, X_AB) > angle {
            return false;
        }
        let (on_A, on_B) = (Placed::new(a, None), Placed::new(b, Some(X_AB)));
        let Some(middle) = (on_A.axes[2] - on_B.axes[2]).try_normalize(0.0) else { return false };
        let (m, lean) = match (a.ground, b.ground) {
            (true, _) => (on_A.axes[2], 1.0),
            (_, true) => (-on_B.axes[2], 0.0),
            _ => (middle, 0.5),
        };
        self.lean = lean;
        let E = tangent_basis(&m);
        // Coordinates around the face that lies on the ground.
        let o = if b.ground { on_A.origin } else { on_B.origin };
        self.fill(&on_A, &on_B, &m, &o, &E);
        let sums = self.region.sums();
        // A region narrower than round-off of its place has no centroid.
        if sums.area <= 1e-30 || sums.area.is_nan() {
            return false;
        }

        // Heights of both planes above o along m, as linear functions of x. On a face without end, x runs along the other.
        let along = if lean == 0.5 { 1.0 } else { on_A.axes[2].dot(&on_B.axes[2]).abs() };
        let height = |face: &Placed| {
            let n = face.axes[2];
            let inv = 1.0 / n.dot(&m);
            (n.dot(&(face.origin - o)) * inv, E.tr_mul(&n) * (-inv * along))
        };
        let ((z_A, slope_A), (z_B, slope_B)) = (height(&on_A), height(&on_B));
        let centroid = sums.centroid().coords;
        let (z_A, z_B) = (z_A + slope_A.dot(&centroid), z_B + slope_B.dot(&centroid));
        let base = o + E * centroid;
        self.pair = ClosestPair {
            p_ACa: base + m * z_A,
            p_BCb: X_AB.inverse_transform_point(&(base + m * z_B)),
            nhat_AB_A: m,
            gap: z_B - z_A,
            E_A: E,
            ..Self::blank(self.faces).pair
        };
        self.tilt = slope_B - slope_A;
        self.area = sums.area;
        self.region.shift(&-centroid);
        self.second = self.region.sums().second;
        true
    }

    /// The shared region in coordinates E around o.
    fn fill(&mut self, on_A: &Placed, on_B: &Placed, m: &Vector3<f64>, o: &Point3<f64>, E: &Matrix3x2<f64>) {
        let (turn_A, at_A) = on_A.laid_into(m, o, E);
        let (turn_B, at_B) = on_B.laid_into(m, o, E);
        let region = &mut self.region;
        match (on_A.outline, on_B.outline) {
            (Outline::Infinite, Outline::Infinite) => {}
            (Outline::Infinite, Outline::Disc(r)) => region.push(Piece::disc(at_B.into(), *r)),
            (Outline::Disc(r), Outline::Infinite) => region.push(Piece::disc(at_A.into(), *r)),
            (Outline::Infinite, Outline::Polygon(pieces)) => {
                pieces.iter().for_each(|piece| region.push(piece.placed(&turn_B, &at_B)));
            }
            (Outline::Polygon(pieces), Outline::Infinite) => {
                pieces.iter().for_each(|piece| region.push(piece.placed(&turn_A, &at_A)));
            }
            (Outline::Disc(r), Outline::Disc(s)) => {
                if let Some(lens) = Piece::lens([at_A.into(), at_B.into()], [*r, *s]) {
                    region.push(lens);
                }
            }
            (Outline::Disc(r), Outline::Polygon(pieces)) => {
                cut_disc(region, &at_A, *r, pieces, &turn_B, &at_B);
            }
            (Outline::Polygon(pieces), Outline::Disc(r)) => {
                cut_disc(region, &at_B, *r, pieces, &turn_A, &at_A);
            }
            (Outline::Polygon(pieces_A), Outline::Polygon(pieces_B)) => {
                for piece_A in pieces_A {
                    let placed_A = piece_A.placed(&turn_A, &at_A);
                    for piece_B in pieces_B {
                        let mut shared = placed_A;
                        shared.cut_by(&piece_B.placed(&turn_B, &at_B));
                        region.push(shared);
                    }
                }
            }
        }
    }

    /// Pose of the contact frame C in A: origin midway between both points, z along the normal.
    pub fn X_AC(&self) -> Isometry3<f64> {
        let origin = self.pair.p_ACa + self.pair.nhat_AB_A * (0.5 * self.pair.gap);
        frame(origin, &self.pair.nhat_AB_A, &self.pair.E_A.column(0).into())
    }

    /// The gap at a place of the region (m).
    pub fn gap_at(&self, x: &Point2<f64>) -> f64 {
        self.pair.gap + self.tilt.dot(&x.coords)
    }

    /// Axes of the region as laid into its plane, in A: outlines keep their lengths on the faces with an end, whose places are so
    /// shorter by cos θ along the tilt as seen on a face without; between two faces with an end longer by 1/cos²(θ/2).
    pub fn laid(&self) -> Matrix3x2<f64> {
        let squared = self.tilt.norm_squared();
        // (stretch − 1)/|tilt|², without cancellation.
        let stretch = if self.lean == 0.5 { 0.25 } else { -1.0 / (1.0 + (1.0 - squared).max(0.0).sqrt()) };
        let E = &self.pair.E_A;
        E + (E * self.tilt) * self.tilt.transpose() * stretch
    }

    /// The least gap over the region (m).
    pub fn least_gap(&self) -> f64 {
        self.pair.gap - self.region.support(&-self.tilt)
    }

    /// Integrals of the depth over the part that is pressed together, exact.
    ///
    /// ```text
    /// δ(x) = −gap − tilt·x,   ∫δ = −gap A' − tilt·S',   ∫δ x = −gap S' − J' tilt
    /// ```
    ///
    /// A', S', J': area, first and second moments of the part with δ > 0, about one of its corners.
    pub fn pressed(&self) -> Pressed {
        let (place, sums) = self.region.sums_within_part(&self.tilt, -self.pair.gap);
        let (gap, tilt) = (self.gap_at(&place.into()), &self.tilt);
        let volume = -gap * sums.area - tilt.dot(&sums.first);
        let moment = -sums.first * gap - sums.second * tilt;
        let over = |v: Vector2<f64>, by: f64| if by > 0.0 { v / by } else { Vector2::zeros() };
        let (centre, middle) = (over(moment, volume), over(sums.first, sums.area));
        Pressed {
            area: sums.area,
            volume,
            moment: moment + place * volume,
            centre: place + centre,
            middle: place + middle,
            second: sums.moved(&-centre).second,
        }
    }

    /// Whether a pair of points lies within this contact: same normal up to `angle` (rad), place in the region or
    /// within `margin` of it (m).
    pub(super) fn holds(&self, pair: &ClosestPair, angle: f64, margin: f64) -> bool {
        let turned = pair.nhat_AB_A.cross(&self.pair.nhat_AB_A).norm().atan2(pair.nhat_AB_A.dot(&self.pair.nhat_AB_A));
        let place = self.pair.E_A.tr_mul(&(pair.p_ACa - self.pair.p_ACa));
        turned <= angle && self.region.distance(&place.into()) <= margin
    }
}

/// What a disc shares with every piece.
fn cut_disc(
    region: &mut Region,
    centre: &Vector2<f64>,
    radius: f64,
    pieces: &[Piece],
    turn: &Matrix2<f64>,
    at: &Vector2<f64>,
) {
    for piece in pieces {
        let mut shared = Piece::disc((*centre).into(), radius);
        shared.cut_by(&piece.placed(turn, at));
        region.push(shared);
    }
}

//! # Rim: integrals over the pressed part of a face that are sums along its edges, and their rates
//!
//! - **in**: a face contact, its centre of load, how the depth changes over it
//! - **out**: ∫ δ |x − r_c| dA with its rate; rates of area and spread, as the line moves where the depth is zero
//! - **start at** [`Rim::new`]
//!
//! In polar coordinates about the centre of load, with R the distance of the rim and dA = R dR dφ, R² dφ = x × dx along an
//! edge: for a linear function f = f_c + g·x
//!
//! ```text
//! ∫ f |x| dA = Σ ∫ (f_c R/3 + (g·x) R/4) x × dx,      ∫ f x/|x| dA = Σ ∫ (x/R)(f_c/2 + g·x/3) x × dx
//! ```
//!
//! smooth along each edge; eight Gauss points. The line δ = 0 moves at δ′/|∇δ|: ∫ over the line of f δ′/|∇δ| ds is the rate
//! of ∫ f dA for a fixed f.

use crate::quadrature::gauss;
use crate::track::faces::FaceContact;
use nalgebra::{Point2, Vector2};

/// How the depth changes: δ′ = `centre` + `slope`·(x − r_c).
#[derive(Clone, Copy, Debug)]
pub struct DepthRate {
    pub centre: f64,
    pub slope: Vector2<f64>,
}

/// Sums along the rim of what is pressed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rim {
    /// ∫ δ |x − r_c| dA (m⁴).
    pub distance: f64,
    /// ∫ δ′ |x − r_c| dA (m⁴/s).
    pub distance_rate: f64,
    /// ∫ δ (x − r_c)/|x − r_c| dA (m³).
    pub drift: Vector2<f64>,
    /// Rate of the area (m²/s).
    pub area_rate: f64,
    /// Rate of ∫ |x − r_c|² dA about a fixed r_c (m⁴/s).
    pub spread_rate: f64,
}

/// ∫ δ |x − r_c| dA alone (m⁴).
pub fn distance(face: &FaceContact, centre: &Vector2<f64>) -> f64 {
    let depth = -face.gap_at(&Point2::from(*centre));
    let mut sum = 0.0;
    edges(face, centre, |from, to| {
        let place = |t: f64| from + (to - from) * t;
        let ray = |x: Vector2<f64>| x.norm() * (depth / 3.0 - face.tilt.dot(&x) / 4.0);
        sum += from.perp(&to) * gauss(0.0, 1.0, |t| ray(place(t)));
    });
    sum
}

/// The edges of what is pressed, both ends from the centre of load.
fn edges(face: &FaceContact, centre: &Vector2<f64>, mut edge: impl FnMut(Vector2<f64>, Vector2<f64>)) {
    for piece in face.region.pieces() {
        let mut part = *piece;
        part.cut(&face.tilt, -face.pair.gap);
        // Arcs in steps of 3°: chords fall short by 3e-4 of the radius.
        let (mut first, mut last) = (None, None);
        part.outline(0.05, |corner| {
            let corner = corner.coords - centre;
            if let Some(last) = last {
                edge(last, corner);
            }
            first = first.or(Some(corner));
            last = Some(corner);
        });
        if let (Some(last), Some(first)) = (last, first) {
            edge(last, first);
        }
    }
}

impl Rim {
    pub fn new(face: &FaceContact, centre: &Vector2<f64>, rate: &DepthRate) -> Self {
        let mut rim = Self::default();
        let depth = -face.gap_at(&Point2::from(*centre));
        let steep = face.tilt.norm();
        edges(face, centre, |from, to| rim.add(&from, &to, depth, &-face.tilt, steep, rate));
        rim
    }

    /// One edge, both ends from the centre of load.
    fn add(
        &mut self,
        from: &Vector2<f64>,
        to: &Vector2<f64>,
        depth: f64,
        slope: &Vector2<f64>,
        steep: f64,
        rate: &DepthRate,
    ) {
        let turn = from.perp(to);
        let place = |t: f64| from + (to - from) * t;
        let over = |f: &dyn Fn(&Vector2<f64>) -> f64| turn * gauss(0.0, 1.0, |t| f(&place(t)));
        self.distance += over(&|x| x.norm() * (depth / 3.0 + slope.dot(x) / 4.0));
        self.distance_rate += over(&|x| x.norm() * (rate.centre / 3.0 + rate.slope.dot(x) / 4.0));
        let ray = |x: &Vector2<f64>, k: usize| {
            let R = x.norm();
            if R > 0.0 { x[k] / R * (depth / 2.0 + slope.dot(x) / 3.0) } else { 0.0 }
        };
        self.drift += Vector2::new(over(&|x| ray(x, 0)), over(&|x| ray(x, 1)));
        // An edge on the line where the depth is zero moves; a cut leaves rounding there.
        let off = |x: &Vector2<f64>| (depth + slope.dot(x)).abs();
        let is_cut = steep > 0.0 && off(from).max(off(to)) <= 1e-9 * depth.abs();
        if is_cut {
            let length = (to - from).norm() / steep;
            let speed = |t: f64| rate.centre + rate.slope.dot(&place(t));
            // Linear and cubic along the edge: Simpson's rule is exact.
            let simpson = |f: &dyn Fn(f64) -> f64| length * (f(0.0) + 4.0 * f(0.5) + f(1.0)) / 6.0;
            self.area_rate += simpson(&speed);
            self.spread_rate += simpson(&|t| place(t).norm_squared() * speed(t));
        }
    }
}

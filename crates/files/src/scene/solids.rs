//! # Solids: volume, centre and inertia of shapes filled evenly
//!
//! [`Shape`] ──▶ **here** ──([`MassProperties`] for unit density)──▶ `bodies`
//!
//! - **in**: a shape
//! - **out**: closed forms for analytic solids, exact integrals for splines and meshes; none where the solid is unbounded
//! - **not here**: density and mass
//! - **start at** [`of`]

use fingerpad_contact::surface::mesh::MassProperties;
use fingerpad_contact::surface::{ParametricSurface, Revolution, Shape};
use nalgebra::{Matrix3, Point3, Vector3};
use std::f64::consts::PI;

/// Volume, centre and inertia of a solid of unit density; why there is none otherwise.
pub(crate) fn of(shape: &Shape) -> Result<MassProperties, String> {
    Ok(match shape {
        Shape::Sphere(s) => ellipsoid(&Vector3::repeat(s.radius())),
        Shape::Ellipsoid(s) => ellipsoid(&s.semi_axes()),
        Shape::Cylinder(s) => rounded_cylinder(s.radius(), s.half_length(), s.edge_radius()),
        Shape::Capsule(s) => rounded_cylinder(s.radius(), s.half_length() + s.radius(), s.radius()),
        Shape::Torus(s) => torus(s.major_radius(), s.minor_radius()),
        Shape::RoundedBox(s) => rounded_box(&s.half_extents(), s.edge_radius()),
        Shape::Revolution(s) => revolution(s),
        Shape::Mesh(s) => return MassProperties::of(s.mesh()).map_err(|e| e.to_string()),
        other => return Err(format!("a shape of type `{}` has no end and so no mass", other.kind())),
    })
}

/// From ∫ x² dV, ∫ y² dV, ∫ z² dV about the centre.
fn symmetric(volume: f64, second: &Vector3<f64>, centre: Point3<f64>) -> MassProperties {
    let inertia = Matrix3::from_diagonal(&(Vector3::repeat(second.sum()) - second));
    MassProperties { volume, centre, inertia }
}

pub(crate) fn ellipsoid(semi: &Vector3<f64>) -> MassProperties {
    let volume = 4.0 / 3.0 * PI * semi.product();
    symmetric(volume, &(semi.component_mul(semi) * (volume / 5.0)), Point3::origin())
}

/// ∫ cosⁿ θ from 0 to π/2 (Wallis).
fn wallis(n: usize) -> f64 {
    (2..=n).rev().step_by(2).map(|k| (k as f64 - 1.0) / k as f64).product::<f64>()
        * if n.is_multiple_of(2) { PI / 2.0 } else { 1.0 }
}

/// A cylinder whose rims are rounded by `edge`; a capsule where that is its radius.
///
/// At the rim ρ = R − e + e cos θ and z = H − e + e sin θ: every integrand is a polynomial in cos θ, times 1, sin θ or
/// sin² θ.
pub(crate) fn rounded_cylinder(radius: f64, half_length: f64, edge: f64) -> MassProperties {
    let (a, h, e) = (radius - edge, half_length - edge, edge);
    let mut volume = 2.0 * PI * radius.powi(2) * h;
    let mut axial = 2.0 * PI * radius.powi(2) * h.powi(3) / 3.0;
    let mut fourth = 2.0 * radius.powi(4) * h;
    // ρᵐ dz with dz = e cos θ dθ, both ends.
    for (k, binomial) in [1.0, 2.0, 1.0].into_iter().enumerate() {
        let share = 2.0 * PI * binomial * a.powi(2 - k as i32) * e.powi(k as i32) * e;
        let n = k + 1;
        volume += share * wallis(n);
        let (sine, sine2) = (1.0 / (n + 1) as f64, wallis(n) - wallis(n + 2));
        axial += share * (h * h * wallis(n) + 2.0 * h * e * sine + e * e * sine2);
    }
    for (k, binomial) in [1.0, 4.0, 6.0, 4.0, 1.0].into_iter().enumerate() {
        fourth += 2.0 * binomial * a.powi(4 - k as i32) * e.powi(k as i32) * e * wallis(k + 1);
    }
    let across = PI / 4.0 * fourth;
    symmetric(volume, &Vector3::new(across, across, axial), Point3::origin())
}

fn torus(major: f64, minor: f64) -> MassProperties {
    let volume = 2.0 * PI * PI * major * minor * minor;
    let across = volume * (major * major / 2.0 + 3.0 * minor * minor / 8.0);
    symmetric(volume, &Vector3::new(across, across, volume * minor * minor / 4.0), Point3::origin())
}

/// A box whose edges and corners are rounded: the inner box and a ball added (Minkowski).
///
/// One octant falls into 8 parts, by the axes along which a point is beyond the inner box; there it lies in an orthant of a
/// ball of as many dimensions.
pub(crate) fn rounded_box(half: &Vector3<f64>, e: f64) -> MassProperties {
    let b = half.map(|x| x - e);
    // Volume, ∫ u and ∫ u² over the positive orthant of a ball of 0 to 3 dimensions.
    let ball = [1.0, e, PI * e * e / 4.0, PI * e.powi(3) / 6.0];
    let first = [0.0, e * e / 2.0, e.powi(3) / 3.0, PI * e.powi(4) / 16.0];
    let square = [0.0, e.powi(3) / 3.0, PI * e.powi(4) / 16.0, PI * e.powi(5) / 30.0];
    let (mut volume, mut second) = (0.0, Vector3::zeros());
    for part in 0..8_usize {
        let beyond = |i: usize| part >> i & 1 == 1;
        let n = (0..3).filter(|i| beyond(*i)).count();
        let inner: f64 = (0..3).filter(|i| !beyond(*i)).map(|i| b[i]).product();
        volume += 8.0 * inner * ball[n];
        for i in 0..3 {
            let moment = if beyond(i) {
                b[i] * b[i] * ball[n] + 2.0 * b[i] * first[n] + square[n]
            } else {
                b[i] * b[i] / 3.0 * ball[n]
            };
            second[i] += 8.0 * inner * moment;
        }
    }
    symmetric(volume, &second, Point3::origin())
}

/// Nodes and weights of Gauss and Legendre with 8 points on −1..1, exact to degree 15.
const GAUSS: [(f64, f64); 4] = [
    (0.1834346424956498, 0.362_683_783_378_362),
    (0.525532409916329, 0.3137066458778873),
    (0.7966664774136267, 0.2223810344533745),
    (0.9602898564975363, 0.1012285362903763),
];

/// A solid of revolution by integrals along its profile: V = π ∮ r² dz and so on, of degree 14 at most.
fn revolution(solid: &Revolution) -> MassProperties {
    let at = |s: f64| {
        let p = solid.point(0.0, s);
        [p.x, p.z]
    };
    let [mut volume, mut first, mut axial, mut fourth] = [0.0; 4];
    for knots in solid.knots().windows(2) {
        let (middle, half) = (0.5 * (knots[0] + knots[1]), 0.5 * (knots[1] - knots[0]));
        // A cubic is known from four of its points.
        let points = [-1.0, -1.0 / 3.0, 1.0 / 3.0, 1.0].map(|x| at(middle + half * x));
        for (x, weight) in GAUSS.iter().flat_map(|(x, w)| [(*x, *w), (-*x, *w)]) {
            let ([r, z], dz) = cubic(&points, x);
            volume += weight * r * r * dz;
            first += weight * r * r * z * dz;
            axial += weight * r * r * z * z * dz;
            fourth += weight * r.powi(4) * dz;
        }
    }
    // The profile runs counter-clockwise around the solid: upward on the outside.
    let volume = PI * volume;
    let z = PI * first / volume;
    let second = Vector3::new(PI / 4.0 * fourth, PI / 4.0 * fourth, PI * axial - volume * z * z);
    symmetric(volume, &second, Point3::new(0.0, 0.0, z))
}

/// A cubic through points at −1, −1/3, 1/3 and 1: its value at x, and the slope of its second part.
fn cubic(points: &[[f64; 2]; 4], x: f64) -> ([f64; 2], f64) {
    let nodes = [-1.0, -1.0 / 3.0, 1.0 / 3.0, 1.0];
    let (mut value, mut slope) = ([0.0; 2], 0.0);
    for (i, point) in points.iter().enumerate() {
        let others = || (0..4).filter(|j| *j != i);
        let scale: f64 = others().map(|j| nodes[i] - nodes[j]).product();
        let weight = others().map(|j| x - nodes[j]).product::<f64>() / scale;
        value[0] += weight * point[0];
        value[1] += weight * point[1];
        let rate: f64 =
            others().map(|skip| others().filter(|j| *j != skip).map(|j| x - nodes[j]).product::<f64>()).sum::<f64>()
                / scale;
        slope += rate * point[1];
    }
    (value, slope)
}

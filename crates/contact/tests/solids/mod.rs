//! Random points and profiles that the tests of surfaces share.
#![allow(dead_code)] // each test file uses its part

use fingerpad_contact::surface::{ParametricSurface, SmoothSurface, SurfacePoint};
use nalgebra::{Point3, Vector3};

pub const SCALES: [f64; 3] = [1e-6, 1.0, 1e6];

/// splitmix64: the same points on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn point(&mut self, half: f64) -> Point3<f64> {
        Point3::new(self.between(-half, half), self.between(-half, half), self.between(-half, half))
    }

    pub fn on(&mut self, surface: &dyn Bounded) -> Point3<f64> {
        let domain = surface.domain();
        surface.point(self.between(domain.u[0], domain.u[1]), self.between(domain.v[0], domain.v[1]))
    }
}

pub trait Bounded: SmoothSurface + ParametricSurface {}
impl<T: SmoothSurface + ParametricSurface> Bounded for T {}

pub const PEAR: [[f64; 2]; 7] =
    [[0.0, -1.0], [0.45, -0.8], [0.6, -0.4], [0.42, 0.1], [0.25, 0.45], [0.2, 0.7], [0.0, 0.85]];
pub const RING: [[f64; 2]; 8] =
    [[0.4, -0.3], [0.7, -0.45], [1.0, -0.2], [0.8, 0.05], [1.0, 0.35], [0.7, 0.5], [0.45, 0.35], [0.5, 0.0]];

pub fn scaled(profile: &[[f64; 2]], s: f64) -> Vec<[f64; 2]> {
    profile.iter().map(|p| [p[0] * s, p[1] * s]).collect()
}

pub fn ring(s: f64) -> Vec<[f64; 2]> {
    let mut points = scaled(&RING, s);
    points.push(points[0]);
    points
}

/// Principal curvatures in ascending order: eigenvalues of Dn without the one of the normal.
pub fn principal(at: &SurfacePoint) -> [f64; 2] {
    let [e1, e2] = tangents(&at.nhat);
    let (a, b, c) = (e1.dot(&(at.Dn * e1)), e1.dot(&(at.Dn * e2)), e2.dot(&(at.Dn * e2)));
    let root = (0.25 * (a - c) * (a - c) + b * b).sqrt();
    [0.5 * (a + c) - root, 0.5 * (a + c) + root]
}

pub fn tangents(nhat: &Vector3<f64>) -> [Vector3<f64>; 2] {
    let e1 = nhat.cross(&Vector3::ith(nhat.iamin(), 1.0)).normalize();
    [e1, nhat.cross(&e1)]
}

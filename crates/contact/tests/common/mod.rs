//! What several tests share: a seeded source of random numbers, poses, and a list of all shapes.
#![allow(dead_code)] // each test file uses its part

use fingerpad_contact::surface::elevation::{ElevationMap, Grid, Interpolation, Samples};
use fingerpad_contact::surface::graph::{Rectangle, Term};
use fingerpad_contact::surface::{
    Capsule, Cylinder, Ellipsoid, Graph, HalfSpace, Revolution, RoundedBox, Shape, Sphere, Torus,
};
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};
use std::sync::Arc;

/// SplitMix64 (Steele, Lea, Flood 2014): small, seeded, the same everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Even in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn between(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.unit()
    }

    /// A vector in the cube [−1, 1]³.
    pub fn vector(&mut self) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.between(-1.0, 1.0))
    }

    /// An even direction.
    pub fn direction(&mut self) -> Vector3<f64> {
        loop {
            let v = self.vector();
            let n = v.norm();
            if n > 0.1 && n < 1.0 {
                return v / n;
            }
        }
    }

    /// An even rotation.
    pub fn rotation(&mut self) -> UnitQuaternion<f64> {
        loop {
            let q = Quaternion::new(
                self.between(-1.0, 1.0),
                self.between(-1.0, 1.0),
                self.between(-1.0, 1.0),
                self.between(-1.0, 1.0),
            );
            if q.norm() > 0.1 && q.norm() < 1.0 {
                return UnitQuaternion::new_normalize(q);
            }
        }
    }

    /// A pose with its origin in the cube of half side `reach` (m).
    pub fn pose(&mut self, reach: f64) -> Isometry3<f64> {
        Isometry3::from_parts(Translation3::from(self.vector() * reach), self.rotation())
    }
}

/// A gentle map around its middle, 41 × 31 nodes, 0.25 × 0.4 m: no hollow narrower than the test bodies.
pub fn gentle_map(interpolation: Interpolation) -> ElevationMap {
    let (nx, ny, dx, dy) = (41, 31, 0.25, 0.4);
    let mut z = Vec::with_capacity(nx * ny);
    for j in 0..ny {
        for i in 0..nx {
            let (x, y) = (i as f64 * dx - 5.0, j as f64 * dy - 6.0);
            z.push(0.2 * (0.9 * x).sin() + 0.15 * (0.7 * y + 0.3 * x).cos());
        }
    }
    let grid = Grid { nx, ny, dx, dy, x0: 5.0e5, y0: 4.4e6 };
    ElevationMap::new(grid, Samples::F64(z), interpolation).unwrap()
}

/// The profile of a waisted vase.
pub fn vase() -> Revolution {
    Revolution::new(&[[0.0, -0.6], [0.25, -0.55], [0.4, -0.3], [0.28, 0.0], [0.35, 0.3], [0.22, 0.5], [0.0, 0.56]])
        .unwrap()
}

/// One of every shape that is bounded, about half a metre in size.
pub fn bounded_shapes() -> Vec<Shape> {
    vec![
        Shape::Sphere(Sphere::new(0.4).unwrap()),
        Shape::Ellipsoid(Ellipsoid::new([0.5, 0.35, 0.25]).unwrap()),
        Shape::Cylinder(Cylinder::new(0.3, 0.4, 0.05).unwrap()),
        Shape::Capsule(Capsule::new(0.2, 0.3).unwrap()),
        Shape::Torus(Torus::new(0.4, 0.12).unwrap()),
        Shape::RoundedBox(RoundedBox::new(Vector3::new(0.4, 0.3, 0.2), 0.06).unwrap()),
        Shape::Revolution(Arc::new(vase())),
    ]
}

/// Grounds: unbounded, or much larger than the bodies.
pub fn grounds() -> Vec<Shape> {
    let bowl = vec![Term { p: 2, q: 0, c: 0.2 }, Term { p: 0, q: 2, c: 0.15 }, Term { p: 1, q: 1, c: 0.05 }];
    vec![
        Shape::HalfSpace(HalfSpace),
        Shape::Graph(Graph::polynomial(bowl, Rectangle::PLANE).unwrap()),
        Shape::Elevation(Arc::new(gentle_map(Interpolation::Quintic))),
    ]
}

/// A place above the middle of each ground.
pub fn above(ground: &Shape) -> Vector3<f64> {
    match ground {
        Shape::Elevation(_) => Vector3::new(5.0, 6.0, 0.5),
        _ => Vector3::new(0.0, 0.0, 0.5),
    }
}

//! # Level: where a mesh comes near a half-space
//!
//! - **in**: a mesh, the height of its points over the plane: a linear function
//! - **out**: vertices that no neighbour beats and that may be below a level, and samples of large facets there
//! - **not here**: meshes against anything else ([`Facets`](super::Facets))
//! - **start at** [`Level::samples`]
//!
//! Over a box of the tree the least height is that of one of its eight corners, over a facet that of one of its three. So
//! boxes above the level are left out with all that is in them, and a level that no vertex is below has no facet below it:
//! exact, where a ball around a piece would be a bound. Of all points of a facet its vertices are the lowest, so that a
//! local minimum of the facets is a vertex without a lower neighbour. A smooth surface may be lowest within a facet: where
//! facets are large against the bodies, places within them are samples too.

use super::{MOST, Sample, Samples};
use crate::surface::mesh::MeshSurface;
use nalgebra::{Isometry3, Point3, Vector3};

/// Heights of a mesh over a half-space.
pub(crate) struct Level<'a> {
    mesh: &'a MeshSurface,
    /// Normal of the half-space, in the mesh.
    up: Vector3<f64>,
    /// Height of the mesh's origin (m).
    origin: f64,
}

/// Which samples are wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Limit {
    /// Those up to a height (m).
    Below(f64),
    /// Those within this of the lowest (m).
    NearLeast(f64),
}

impl<'a> Level<'a> {
    /// A mesh at this pose of the half-space in its frame.
    pub fn new(mesh: &'a MeshSurface, X_MH: &Isometry3<f64>) -> Self {
        let up = X_MH.rotation * Vector3::z();
        Self { mesh, up, origin: -up.dot(&X_MH.translation.vector) }
    }

    fn height(&self, p: &Point3<f64>) -> f64 {
        self.up.dot(&p.coords) + self.origin
    }

    /// Height of the lowest vertex (m).
    pub fn least(&self) -> f64 {
        let solid = self.mesh.solid();
        let vertices = solid.mesh().vertices();
        let mut least = f64::INFINITY;
        solid.bvh().below(&self.up, f64::INFINITY, |corners| {
            least = corners.iter().map(|&v| self.up.dot(&vertices[v as usize].coords)).fold(least, f64::min);
            least
        });
        least + self.origin
    }

    /// Vertices without a lower neighbour and places of facets larger than `finest` (m), as far as they are below the limit.
    pub fn samples(&self, limit: Limit, finest: f64) -> Samples {
        let limit = match limit {
            Limit::Below(limit) => limit,
            Limit::NearLeast(slack) => self.least() + slack,
        };
        let solid = self.mesh.solid();
        let vertices = solid.mesh().vertices();
        let at = |v: u32| vertices[v as usize];
        let (mut samples, mut seen) = (Samples::default(), vec![0_u64; vertices.len().div_ceil(64)]);
        let mut large = Vec::new();
        solid.bvh().below(&self.up, limit - self.origin, |corners| {
            let heights = corners.map(|v| self.height(&at(v)));
            let low = heights.iter().any(|z| *z <= limit);
            let triangle = corners.map(at);
            let radius = radius(&triangle);
            if low && radius > finest {
                large.push(triangle);
            } else if low {
                samples.spacing = samples.spacing.max(radius);
            }
            for (v, value) in corners.into_iter().zip(heights) {
                let (word, bit) = (v as usize / 64, 1 << (v % 64));
                if value > limit || seen[word] & bit != 0 {
                    continue;
                }
                seen[word] |= bit;
                if self.mesh.neighbours(v).iter().all(|&other| self.height(&at(other)) >= value) {
                    samples.list.push(Sample { p: at(v), value });
                }
            }
            limit - self.origin
        });
        self.split(large, limit, finest, &mut samples);
        samples
    }

    /// Places of large facets below the limit, in parts no larger than `finest` (m).
    fn split(&self, mut open: Vec<[Point3<f64>; 3]>, limit: f64, finest: f64, samples: &mut Samples) {
        let mut looked = 0;
        while let Some(triangle) = open.pop() {
            looked += 1;
            if looked > MOST {
                samples.unresolved = true;
                return;
            }
            if triangle.iter().all(|p| self.height(p) > limit) {
                continue;
            }
            let [a, b, c] = triangle;
            let radius = radius(&triangle);
            if radius <= finest {
                let p = middle(&triangle);
                samples.list.push(Sample { p, value: self.height(&p) });
                samples.spacing = samples.spacing.max(radius);
                continue;
            }
            let [ab, bc, ca] = [nalgebra::center(&a, &b), nalgebra::center(&b, &c), nalgebra::center(&c, &a)];
            open.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
    }
}

fn middle(triangle: &[Point3<f64>; 3]) -> Point3<f64> {
    Point3::from((triangle[0].coords + triangle[1].coords + triangle[2].coords) / 3.0)
}

/// Radius of a ball around a triangle about its middle (m).
fn radius(triangle: &[Point3<f64>; 3]) -> f64 {
    let middle = middle(triangle);
    triangle.iter().map(|p| (p - middle).norm_squared()).fold(0.0, f64::max).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::mesh::TriangleMesh;
    use crate::surface::mesh::smooth::SmoothOptions;
    use nalgebra::UnitQuaternion;

    /// A ball with bumps, of 40 × 30 facets and two caps.
    fn bumpy() -> MeshSurface {
        let (around, along) = (40_u32, 30_u32);
        let at = |i: u32, j: u32| {
            let (u, v) =
                (f64::from(i % around) * 0.157_079_632_679, f64::from(j) * std::f64::consts::PI / f64::from(along));
            let r = 0.05 + 0.002 * (7.0 * u).sin() * (9.0 * v).sin() * v.sin();
            Point3::new(r * v.sin() * u.cos(), r * v.sin() * u.sin(), r * v.cos())
        };
        let mut vertices = vec![at(0, 0), at(0, along)];
        vertices.extend((1..along).flat_map(|j| (0..around).map(move |i| at(i, j))));
        let place = |i: u32, j: u32| 2 + (j - 1) * around + i % around;
        let mut faces = Vec::new();
        for i in 0..around {
            faces.push([0, place(i, 1), place(i + 1, 1)]);
            faces.push([1, place(i + 1, along - 1), place(i, along - 1)]);
            for j in 1..along - 1 {
                faces.push([place(i, j), place(i, j + 1), place(i + 1, j + 1)]);
                faces.push([place(i, j), place(i + 1, j + 1), place(i + 1, j)]);
            }
        }
        let (mesh, _) = TriangleMesh::new(vertices, faces).unwrap();
        MeshSurface::new(mesh, &SmoothOptions::default()).unwrap()
    }

    /// Against a look at every vertex: the lowest, and all below the limit that no neighbour beats. Would catch a box of the
    /// tree that is left out, and a vertex seen from one of its facets only.
    #[test]
    fn low_vertices_are_those_of_a_look_at_all() {
        let mesh = bumpy();
        let vertices = mesh.solid().mesh().vertices();
        for k in 0..20 {
            let turn = UnitQuaternion::from_euler_angles(0.3 * f64::from(k), 0.7 * f64::from(k), 0.1);
            let X_MH = Isometry3::from_parts(Vector3::new(0.01, -0.02, 0.003 * f64::from(k)).into(), turn);
            let height = |p: &Point3<f64>| X_MH.inverse_transform_point(p).z;
            let least = vertices.iter().map(height).fold(f64::INFINITY, f64::min);
            let level = Level::new(&mesh, &X_MH);
            assert!((level.least() - least).abs() < 1e-15, "{} {least}", level.least());
            for slack in [1e-4, 0.004, 0.03] {
                let limit = least + slack;
                let found = level.samples(Limit::Below(limit), 1.0).list;
                let lowest = |v: &u32| {
                    let z = height(&vertices[*v as usize]);
                    z <= limit && mesh.neighbours(*v).iter().all(|&o| height(&vertices[o as usize]) >= z)
                };
                let right = (0..vertices.len() as u32).filter(lowest).count();
                assert!(right > 0 && found.len() == right, "{} of {right} within {slack}", found.len());
                assert!(found.iter().all(|sample| (sample.value - height(&sample.p)).abs() < 1e-15));
            }
        }
    }
}

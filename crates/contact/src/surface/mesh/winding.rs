//! # Winding number: inside and outside of surfaces with holes
//!
//! - **in**: a tree over triangles, a point (m)
//! - **out**: how often the surface winds around the point: 1 in a solid, 0 outside, between them near holes
//! - **not here**: distances (`solid`)
//! - **assumes**: triangles mostly wound the same way
//! - **start at** [`Moments::winding_number`]
//!
//! The sum of the solid angles of all triangles over 4π (Jacobson 2013). A far node of the tree is taken as one dipole
//! (Barill 2018, first order): N·(c − p)/(4π |c − p|³) with N the sum of its area vectors and c their middle. A node is
//! far beyond [`FAR`] radii; where the answer comes out within [`DOUBT`] of ½, all triangles are summed instead.

use nalgebra::{Point3, Vector3};

use super::bvh::Bvh;

/// A node this many of its radii away is taken as a dipole.
const FAR: f64 = 3.0;
/// Nearer to ½ than this, the approximation does not decide.
const DOUBT: f64 = 0.1;

/// What each node looks like from afar.
#[derive(Clone, Debug)]
pub(super) struct Moments(Vec<Dipole>);

#[derive(Clone, Copy, Debug)]
struct Dipole {
    /// Sum of area vectors (m²).
    normal: Vector3<f64>,
    /// Middle, weighted by area (m).
    centre: Point3<f64>,
    /// Squared distance beyond which the node is far (m²).
    far_squared: f64,
}

impl Moments {
    pub(super) fn new(bvh: &Bvh, vertices: &[Point3<f64>]) -> Self {
        let mut dipoles =
            vec![Dipole { normal: Vector3::zeros(), centre: Point3::origin(), far_squared: 0.0 }; bvh.nodes.len()];
        let mut areas = vec![0.0; bvh.nodes.len()];
        // Children stand behind their parents.
        for (k, node) in bvh.nodes.iter().enumerate().rev() {
            let mut normal = Vector3::zeros();
            let mut weighted = Vector3::zeros();
            let mut area = 0.0;
            if node.count > 0 {
                for leaf in &bvh.leaves[node.first as usize..(node.first + node.count) as usize] {
                    let [a, b, c] = leaf.corners.map(|v| vertices[v as usize]);
                    let n = (b - a).cross(&(c - a)) * 0.5;
                    normal += n;
                    weighted += (a.coords + b.coords + c.coords) * (n.norm() / 3.0);
                    area += n.norm();
                }
            } else {
                for child in [node.first as usize, node.first as usize + 1] {
                    normal += dipoles[child].normal;
                    weighted += dipoles[child].centre.coords * areas[child];
                    area += areas[child];
                }
            }
            let centre = Point3::from(weighted / area);
            // The farthest corner of the box.
            let reach = (0..3).map(|i| (node.aabb.max[i] - centre[i]).max(centre[i] - node.aabb.min[i]).powi(2)).sum();
            let radius_squared: f64 = reach;
            dipoles[k] = Dipole { normal, centre, far_squared: FAR * FAR * radius_squared };
            areas[k] = area;
        }
        Self(dipoles)
    }

    /// How often the surface winds around `p`.
    pub(super) fn winding_number(&self, bvh: &Bvh, vertices: &[Point3<f64>], p: &Point3<f64>) -> f64 {
        let near = self.sum(bvh, vertices, p, 0, 1.0);
        if (near - 0.5).abs() > DOUBT { near } else { self.sum(bvh, vertices, p, 0, f64::INFINITY) }
    }

    /// The part of one node; recursion is as deep as the tree, at most 80.
    fn sum(&self, bvh: &Bvh, vertices: &[Point3<f64>], p: &Point3<f64>, k: usize, caution: f64) -> f64 {
        let dipole = &self.0[k];
        let to = dipole.centre - p;
        let d2 = to.norm_squared();
        if d2 > caution * dipole.far_squared {
            return dipole.normal.dot(&to) / (4.0 * std::f64::consts::PI * d2 * d2.sqrt());
        }
        let node = &bvh.nodes[k];
        let first = node.first as usize;
        if node.count == 0 {
            return self.sum(bvh, vertices, p, first, caution) + self.sum(bvh, vertices, p, first + 1, caution);
        }
        let leaves = &bvh.leaves[first..first + node.count as usize];
        leaves.iter().map(|leaf| turn(leaf.corners.map(|v| vertices[v as usize] - p))).sum()
    }
}

/// Solid angle of a triangle over 4π (van Oosterom and Strackee 1983).
fn turn([a, b, c]: [Vector3<f64>; 3]) -> f64 {
    let [la, lb, lc] = [a.norm(), b.norm(), c.norm()];
    let below = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
    a.dot(&b.cross(&c)).atan2(below) / (2.0 * std::f64::consts::PI)
}

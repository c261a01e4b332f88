//! # BVH: a tree of boxes over triangles
//!
//! vertices, faces ──▶ **here** ──(nearest facet, crossings, overlaps, near pairs)──▶ `solid`, `smooth`, `track`
//!
//! - **in**: vertices (m) and triangles; the tree keeps its own order of triangles but no vertices
//! - **out**: answers to "which triangles" questions, none of which allocates
//! - **not here**: inside and outside (`solid`)
//! - **assumes**: callers pass the vertices the tree was built on
//! - **start at** [`Bvh::new`] and [`Bvh::closest`]; `build` makes the tree
//!
//! Nodes are 56 bytes, children side by side; a leaf holds up to [`LEAF`] triangles, so that tree and order take
//! less than 64 bytes per triangle.

use nalgebra::{Isometry3, Point3, Vector3};

use super::Region;
use super::facet::closest_within;
use crate::surface::Bounds;

mod build;
pub use build::LEAF;

/// Deepest path from the root: `build` halves by count below level 48, and there are fewer than 2³¹ triangles.
const DEEPEST: usize = 80;

/// An axis-parallel box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Aabb {
    pub(super) min: [f64; 3],
    pub(super) max: [f64; 3],
}

/// A box with either two children or a range of triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Node {
    pub(super) aabb: Aabb,
    /// The first of two neighbouring children, or of the leaf's triangles.
    pub(super) first: u32,
    /// Number of triangles; 0 for an inner node.
    pub(super) count: u32,
}

/// A box of the tree and what is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Branch(u32);

impl Branch {
    /// All triangles.
    pub const ROOT: Self = Self(0);
}

/// A triangle in the tree's order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Leaf {
    pub(super) corners: [u32; 3],
    pub(super) face: u32,
}

/// A tree of boxes over the triangles of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Bvh {
    pub(super) nodes: Vec<Node>,
    pub(super) leaves: Vec<Leaf>,
    /// Where each triangle stands in `leaves`.
    place: Vec<u32>,
}

/// The facet point nearest to a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FacetPoint {
    /// Which triangle.
    pub face: u32,
    /// Which part of it.
    pub region: Region,
    /// The point (m).
    pub p: Point3<f64>,
    /// Squared distance from the query (m²).
    pub distance_squared: f64,
}

/// What a ray meets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Crossings {
    /// Triangles crossed.
    pub count: u32,
    /// Crossings from the inside out, less those from the outside in.
    pub outward: i32,
    /// Crossings so near an edge, or so flat, that round-off decides: ask again in another direction.
    pub doubtful: u32,
}

impl Aabb {
    pub(super) const EMPTY: Self = Self { min: [f64::INFINITY; 3], max: [f64::NEG_INFINITY; 3] };

    pub(super) fn add(&mut self, p: &Point3<f64>) {
        for k in 0..3 {
            self.min[k] = self.min[k].min(p[k]);
            self.max[k] = self.max[k].max(p[k]);
        }
    }

    pub(super) fn around(points: &[Point3<f64>]) -> Self {
        let mut aabb = Self::EMPTY;
        points.iter().for_each(|p| aabb.add(p));
        aabb
    }

    pub(super) fn join(&mut self, other: &Self) {
        for k in 0..3 {
            self.min[k] = self.min[k].min(other.min[k]);
            self.max[k] = self.max[k].max(other.max[k]);
        }
    }

    /// Squared distance of a point from the box, 0 inside (m²).
    #[inline]
    fn distance_squared(&self, p: &Point3<f64>) -> f64 {
        let mut sum = 0.0;
        for k in 0..3 {
            // Comparisons and not f64::max, which spends instructions on NaN.
            let (below, above) = (self.min[k] - p[k], p[k] - self.max[k]);
            let outside = if below > above { below } else { above };
            let d = if outside > 0.0 { outside } else { 0.0 };
            sum += d * d;
        }
        sum
    }

    /// Squared distance between two boxes, 0 where they overlap (m²).
    #[inline]
    fn gap_squared(&self, other: &Self) -> f64 {
        let mut sum = 0.0;
        for k in 0..3 {
            let d = (self.min[k] - other.max[k]).max(other.min[k] - self.max[k]).max(0.0);
            sum += d * d;
        }
        sum
    }

    fn size_squared(&self) -> f64 {
        (0..3).map(|k| (self.max[k] - self.min[k]).powi(2)).sum()
    }

    /// The box around this box after a change of frame.
    fn moved(&self, pose: &Pose) -> Self {
        let mut aabb = Self { min: [0.0; 3], max: [0.0; 3] };
        for k in 0..3 {
            let (mut middle, mut half) = (pose.p[k], 0.0);
            for j in 0..3 {
                middle += pose.R[(k, j)] * 0.5 * (self.min[j] + self.max[j]);
                half += pose.R_abs[(k, j)] * 0.5 * (self.max[j] - self.min[j]);
            }
            // Round-off must not let a box lose a corner of its triangle.
            let slack = 4.0 * f64::EPSILON * (middle.abs() + half + pose.p[k].abs());
            aabb.min[k] = middle - half - slack;
            aabb.max[k] = middle + half + slack;
        }
        aabb
    }
}

/// A change of frame with what moving a box needs.
struct Pose {
    R: nalgebra::Matrix3<f64>,
    R_abs: nalgebra::Matrix3<f64>,
    p: Vector3<f64>,
}

impl Bvh {
    /// The box around all triangles (m).
    pub fn bounds(&self) -> Bounds {
        let Aabb { min, max } = self.nodes[0].aabb;
        Bounds { min: Point3::from(min), max: Point3::from(max) }
    }

    /// Bytes on the heap.
    pub fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.leaves.capacity() * size_of::<Leaf>()
            + self.place.capacity() * size_of::<u32>()
    }

    /// A ball around the triangles of a branch (m).
    pub(crate) fn ball(&self, branch: Branch) -> (Point3<f64>, f64) {
        let Aabb { min, max } = self.nodes[branch.0 as usize].aabb;
        let (min, max) = (Point3::from(min), Point3::from(max));
        (nalgebra::center(&min, &max), 0.5 * (max - min).norm())
    }

    /// Both halves of a branch; none if it is a few triangles.
    pub(crate) fn children(&self, branch: Branch) -> Option<[Branch; 2]> {
        let node = &self.nodes[branch.0 as usize];
        (node.count == 0).then_some([Branch(node.first), Branch(node.first + 1)])
    }

    /// Corners of the triangles of a branch without halves.
    pub(crate) fn facets(&self, branch: Branch, visit: impl FnMut([u32; 3])) {
        self.leaf(&self.nodes[branch.0 as usize]).iter().map(|leaf| leaf.corners).for_each(visit);
    }

    fn leaf(&self, node: &Node) -> &[Leaf] {
        &self.leaves[node.first as usize..(node.first + node.count) as usize]
    }

    /// The nearest facet point, if any is nearer than `limit` (m).
    ///
    /// `hint` is a triangle that may be near, such as the last answer: it costs one triangle and saves most of the
    /// tree when it is. Among equally near triangles the hint is kept, else the first in the tree's order is taken.
    pub fn closest(
        &self,
        vertices: &[Point3<f64>],
        p: &Point3<f64>,
        limit: f64,
        hint: Option<u32>,
    ) -> Option<FacetPoint> {
        self.closest_of(vertices, p, limit, hint, |_| true)
    }

    /// The same among the triangles whose corners `counts` accepts.
    #[inline]
    pub fn closest_of(
        &self,
        vertices: &[Point3<f64>],
        p: &Point3<f64>,
        limit: f64,
        hint: Option<u32>,
        counts: impl Fn(&[Point3<f64>; 3]) -> bool,
    ) -> Option<FacetPoint> {
        let mut best = None;
        let mut bound = limit * limit;
        let mut try_leaf = |leaf: &Leaf, bound: &mut f64| {
            let corners = leaf.corners.map(|v| vertices[v as usize]);
            if !counts(&corners) {
                return;
            }
            match closest_within(p, &corners, *bound) {
                Some((foot, region, d2)) if d2 < *bound => {
                    *bound = d2;
                    best = Some(FacetPoint { face: leaf.face, region, p: foot, distance_squared: d2 });
                }
                _ => {}
            }
        };
        if let Some(&place) = hint.and_then(|face| self.place.get(face as usize)) {
            try_leaf(&self.leaves[place as usize], &mut bound);
        }
        // Depth first, the nearer child first; the farther one waits with its distance.
        let mut waiting = [(0_u32, 0.0_f64); DEEPEST + 1];
        let mut depth = 0;
        let mut node = &self.nodes[0];
        loop {
            if node.count > 0 {
                self.leaf(node).iter().for_each(|leaf| try_leaf(leaf, &mut bound));
            } else {
                let children = [node.first, node.first + 1];
                let [d0, d1] = children.map(|c| self.nodes[c as usize].aabb.distance_squared(p));
                let (near, far, d_near, d_far) =
                    if d0 <= d1 { (children[0], children[1], d0, d1) } else { (children[1], children[0], d1, d0) };
                if d_near < bound {
                    if d_far < bound {
                        waiting[depth] = (far, d_far);
                        depth += 1;
                    }
                    node = &self.nodes[near as usize];
                    continue;
                }
            }
            // Back to the last one that may still hold something nearer.
            loop {
                if depth == 0 {
                    return best;
                }
                depth -= 1;
                if waiting[depth].1 < bound {
                    node = &self.nodes[waiting[depth].0 as usize];
                    break;
                }
            }
        }
    }

    /// Visit nodes from the root; `enter` says whether to go into a box, `visit` gets triangles of the leaves.
    #[inline]
    fn walk(&self, mut enter: impl FnMut(&Aabb) -> bool, mut visit: impl FnMut(&Leaf)) {
        let mut waiting = [0_u32; DEEPEST + 1];
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let node = &self.nodes[waiting[depth] as usize];
            if !enter(&node.aabb) {
                continue;
            }
            if node.count > 0 {
                self.leaf(node).iter().for_each(&mut visit);
            } else {
                waiting[depth] = node.first + 1;
                waiting[depth + 1] = node.first;
                depth += 2;
            }
        }
    }

    /// Visit the corners of every triangle of which some corner may lie below a level: with up·x of at most `level` (m).
    ///
    /// `visit` returns the level from then on, lower or the same. The least up·x of a box is that of one of its corners.
    pub(crate) fn below(&self, up: &Vector3<f64>, mut level: f64, mut visit: impl FnMut([u32; 3]) -> f64) {
        let lowest = |aabb: &Aabb| {
            (0..3).map(|k| if up[k] > 0.0 { up[k] * aabb.min[k] } else { up[k] * aabb.max[k] }).sum::<f64>()
        };
        let mut waiting = [(0_u32, f64::NEG_INFINITY); DEEPEST + 2];
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let (node, low) = waiting[depth];
            if low > level {
                continue;
            }
            let node = &self.nodes[node as usize];
            if node.count > 0 {
                for leaf in self.leaf(node) {
                    level = visit(leaf.corners);
                }
                continue;
            }
            // The lower half first.
            let halves = [node.first, node.first + 1].map(|child| (child, lowest(&self.nodes[child as usize].aabb)));
            let [first, last] = if halves[0].1 <= halves[1].1 { halves } else { [halves[1], halves[0]] };
            for half in [last, first].into_iter().filter(|half| half.1 <= level) {
                waiting[depth] = half;
                depth += 1;
            }
        }
    }

    /// Visit every triangle whose box overlaps `bounds` (touching counts).
    pub fn overlapping(&self, vertices: &[Point3<f64>], bounds: &Bounds, mut visit: impl FnMut(u32)) {
        let target = Aabb { min: bounds.min.into(), max: bounds.max.into() };
        let meets = |aabb: &Aabb| (0..3).all(|k| aabb.min[k] <= target.max[k] && target.min[k] <= aabb.max[k]);
        self.walk(meets, |leaf| {
            if meets(&Aabb::around(&leaf.corners.map(|v| vertices[v as usize]))) {
                visit(leaf.face);
            }
        });
    }

    /// What the ray from `origin` along `direction` (any length but zero) crosses.
    ///
    /// Volumes o·(a × b) on the three sides have one sign where the ray passes inside (Möller and Trumbore 1997, in
    /// the form with triple products).
    pub fn crossings(&self, vertices: &[Point3<f64>], origin: &Point3<f64>, direction: &Vector3<f64>) -> Crossings {
        let mut found = Crossings::default();
        let enter = |aabb: &Aabb| {
            let (mut from, mut to) = (0.0_f64, f64::INFINITY);
            for k in 0..3 {
                let near = (aabb.min[k] - origin[k]) / direction[k];
                let far = (aabb.max[k] - origin[k]) / direction[k];
                // min and max pass over 0/0, from a ray that runs inside a face of the box.
                from = from.max(near.min(far));
                to = to.min(near.max(far));
            }
            from <= to * (1.0 + 1e-14)
        };
        self.walk(enter, |leaf| {
            let [a, b, c] = leaf.corners.map(|v| vertices[v as usize] - origin);
            let sides = [direction.dot(&a.cross(&b)), direction.dot(&b.cross(&c)), direction.dot(&c.cross(&a))];
            let size = a.norm().max(b.norm()).max(c.norm());
            let slack = 1e-13 * direction.norm() * size * size;
            let n = (b - a).cross(&(c - a));
            let outward = sides[0] + sides[1] + sides[2];
            let (all_out, all_in) = (sides.iter().all(|s| *s > -slack), sides.iter().all(|s| *s < slack));
            // Ahead, not behind: height of the plane over the origin has the sign of the ray's slope.
            if !(all_out || all_in) || n.dot(&a) * outward < 0.0 {
                return;
            }
            found.doubtful += u32::from(sides.iter().any(|s| s.abs() <= slack) || n.dot(&a).abs() <= slack);
            found.count += 1;
            found.outward += if outward > 0.0 { 1 } else { -1 };
        });
        found
    }

    /// Visit pairs of triangles, one of each tree, that may be nearer to each other than a bound (m).
    ///
    /// `X_AB` is the pose of the other mesh in this one's frame. The visitor gets a triangle of this tree and one of
    /// the other and returns the bound from then on: the smallest distance it has found, or the same bound to see
    /// all pairs. Depth first, nearer boxes first.
    pub fn pairs(
        &self,
        vertices: &[Point3<f64>],
        other: &Bvh,
        other_vertices: &[Point3<f64>],
        X_AB: &Isometry3<f64>,
        mut bound: f64,
        mut visit: impl FnMut(u32, u32) -> f64,
    ) {
        let R = *X_AB.rotation.to_rotation_matrix().matrix();
        let pose = Pose { R, R_abs: R.abs(), p: X_AB.translation.vector };
        let gap = |a: u32, b: u32| self.nodes[a as usize].aabb.gap_squared(&other.nodes[b as usize].aabb.moved(&pose));
        let mut waiting = [(0_u32, 0_u32, 0.0_f64); 2 * DEEPEST + 2];
        waiting[0] = (0, 0, gap(0, 0));
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let (a, b, d2) = waiting[depth];
            if d2 > bound * bound {
                continue;
            }
            let (node_a, node_b) = (&self.nodes[a as usize], &other.nodes[b as usize]);
            if node_a.count > 0 && node_b.count > 0 {
                for leaf_b in other.leaf(node_b) {
                    let box_b = Aabb::around(&leaf_b.corners.map(|v| X_AB * other_vertices[v as usize]));
                    for leaf_a in self.leaf(node_a) {
                        let box_a = Aabb::around(&leaf_a.corners.map(|v| vertices[v as usize]));
                        if box_a.gap_squared(&box_b) <= bound * bound {
                            bound = visit(leaf_a.face, leaf_b.face);
                        }
                    }
                }
                continue;
            }
            // Open the larger box, and put the nearer half on top.
            let open_a =
                node_b.count > 0 || (node_a.count == 0 && node_a.aabb.size_squared() > node_b.aabb.size_squared());
            let halves = if open_a {
                [(node_a.first, b), (node_a.first + 1, b)]
            } else {
                [(a, node_b.first), (a, node_b.first + 1)]
            };
            let mut halves = halves.map(|(a, b)| (a, b, gap(a, b)));
            if halves[0].2 < halves[1].2 {
                halves.swap(0, 1);
            }
            for half in halves {
                if half.2 <= bound * bound {
                    waiting[depth] = half;
                    depth += 1;
                }
            }
        }
    }
}

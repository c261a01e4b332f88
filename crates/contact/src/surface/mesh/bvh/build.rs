//! # Build: from triangles to a tree of boxes
//!
//! - **in**: vertices (m) and triangles
//! - **out**: [`Bvh`]
//! - **not here**: questions asked of the tree (`bvh`)
//! - **start at** [`Bvh::new`]
//!
//! Each node is cut across the longest side of the box of its triangles' centres, at the one of [`BINS`] places with
//! the least surface-area cost (Wald 2007). Triangles themselves are sorted along, not their numbers: each level then
//! reads memory in order.

use super::{Aabb, Bvh, Leaf, Node};
use nalgebra::Point3;

/// Most triangles in a leaf.
pub const LEAF: usize = 4;
/// Places at which a node may be cut.
const BINS: usize = 16;
/// From this level on nodes are halved by count, so that no input makes the tree deep.
const HALVE_BELOW: usize = 48;

/// A triangle while sorting: its box and where it came from.
#[derive(Clone, Copy)]
struct Item {
    aabb: Aabb,
    face: u32,
}

impl Item {
    /// Twice the middle of the box along an axis.
    #[inline]
    fn middle(&self, axis: usize) -> f64 {
        self.aabb.min[axis] + self.aabb.max[axis]
    }
}

impl Bvh {
    /// A tree over these triangles (m).
    ///
    /// # Panics
    /// Without triangles, or with 2³¹ or more.
    pub fn new(vertices: &[Point3<f64>], faces: &[[u32; 3]]) -> Self {
        assert!(!faces.is_empty() && faces.len() < 1 << 31, "a tree needs 1 to 2³¹ triangles");
        let item = |(face, corners): (usize, &[u32; 3])| Item {
            aabb: Aabb::around(&corners.map(|v| vertices[v as usize])),
            face: face as u32,
        };
        let mut items: Vec<Item> = faces.iter().enumerate().map(item).collect();
        let mut nodes = Vec::with_capacity(faces.len());
        nodes.push(Node { aabb: Aabb::EMPTY, first: 0, count: 0 });
        // (node, first item, number of items, level)
        let mut waiting = vec![(0_usize, 0_usize, items.len(), 0_usize)];
        while let Some((node, first, count, level)) = waiting.pop() {
            let part = &mut items[first..first + count];
            let (aabb, middles) = extents(part);
            if count <= LEAF {
                nodes[node] = Node { aabb, first: first as u32, count: count as u32 };
                continue;
            }
            let left = cut(part, &middles, level);
            let children = nodes.len();
            nodes[node] = Node { aabb, first: children as u32, count: 0 };
            nodes.extend([Node { aabb: Aabb::EMPTY, first: 0, count: 0 }; 2]);
            waiting.push((children + 1, first + left, count - left, level + 1));
            waiting.push((children, first, left, level + 1));
        }
        nodes.shrink_to_fit();
        let leaves: Vec<Leaf> =
            items.iter().map(|item| Leaf { corners: faces[item.face as usize], face: item.face }).collect();
        let mut place = vec![0; faces.len()];
        leaves.iter().enumerate().for_each(|(k, leaf)| place[leaf.face as usize] = k as u32);
        Self { nodes, leaves, place }
    }
}

/// The box of the items, and the box of their (doubled) middles.
fn extents(items: &[Item]) -> (Aabb, Aabb) {
    let (mut aabb, mut middles) = (Aabb::EMPTY, Aabb::EMPTY);
    for item in items {
        aabb.join(&item.aabb);
        middles.add(&Point3::new(item.middle(0), item.middle(1), item.middle(2)));
    }
    (aabb, middles)
}

/// Sort the items into two parts and tell the size of the first; neither is empty.
fn cut(items: &mut [Item], middles: &Aabb, level: usize) -> usize {
    let size = |k: usize| middles.max[k] - middles.min[k];
    let axis = (0..3).fold(0, |best, k| if size(k) > size(best) { k } else { best });
    let by_count = |items: &mut [Item]| {
        let half = items.len() / 2;
        items.select_nth_unstable_by(half, |a, b| a.middle(axis).total_cmp(&b.middle(axis)));
        half
    };
    let per_bin = BINS as f64 / size(axis);
    // Few items: a cut by count is as good. Middles in one place: nothing to choose from.
    if items.len() <= 2 * LEAF || level >= HALVE_BELOW || !per_bin.is_finite() {
        return by_count(items);
    }
    let bin_of = |item: &Item| (((item.middle(axis) - middles.min[axis]) * per_bin) as usize).min(BINS - 1);
    let mut bins = [(Aabb::EMPTY, 0_usize); BINS];
    for item in items.iter() {
        let bin = &mut bins[bin_of(item)];
        bin.0.join(&item.aabb);
        bin.1 += 1;
    }
    let Some(last) = cheapest(&bins) else { return by_count(items) };
    let mut left = 0;
    let mut right = items.len();
    while left < right {
        if bin_of(&items[left]) <= last {
            left += 1;
        } else {
            right -= 1;
            items.swap(left, right);
        }
    }
    left
}

/// The last bin of the left part with the least Σ area · count.
fn cheapest(bins: &[(Aabb, usize); BINS]) -> Option<usize> {
    let area = |aabb: &Aabb| {
        let [x, y, z] = [0, 1, 2].map(|k| aabb.max[k] - aabb.min[k]);
        x * y + y * z + z * x
    };
    let mut right = [(0.0, 0_usize); BINS];
    let mut part = (Aabb::EMPTY, 0);
    for k in (1..BINS).rev() {
        part.0.join(&bins[k].0);
        part.1 += bins[k].1;
        right[k - 1] = (if part.1 > 0 { area(&part.0) * part.1 as f64 } else { 0.0 }, part.1);
    }
    let mut best = None;
    let mut least = f64::INFINITY;
    let mut part = (Aabb::EMPTY, 0);
    for k in 0..BINS - 1 {
        part.0.join(&bins[k].0);
        part.1 += bins[k].1;
        if part.1 > 0 && right[k].1 > 0 {
            let cost = area(&part.0) * part.1 as f64 + right[k].0;
            if cost < least {
                (least, best) = (cost, Some(k));
            }
        }
    }
    best
}

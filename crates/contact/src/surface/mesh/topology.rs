//! # Topology: which facets and vertices of a mesh are neighbours
//!
//! vertices, facets ──▶ **here** ──(adjacency, edges, rings, normals)──▶ [`smooth`](super::smooth), [`fit`](super::fit)
//!
//! - **in**: vertex positions (m) and facets as vertex indices, counter-clockwise seen from outside
//! - **out**: facets and vertices around a vertex, edges with their facets and bend, k-rings, vertex normals,
//!   whether the mesh is closed and manifold
//! - **not here**: where creases cut the mesh into sheets (`smooth::sheets`); distances (`bvh`)
//! - **assumes**: indices in range (checked by whoever reads the mesh); bad meshes are described, not repaired
//! - **start at** [`Topology::new`]

use nalgebra::{Point3, Vector3};

/// A list of lists in two arrays: row i is `items[offsets[i]..offsets[i + 1]]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    offsets: Vec<u32>,
    items: Vec<u32>,
}

impl Rows {
    /// Rows from (row, item) pairs, each row sorted and freed of duplicates. Time is linear in the pairs.
    pub fn from_pairs(rows: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut offsets = vec![0_u32; rows + 1];
        for (row, _) in pairs.clone() {
            offsets[row as usize + 1] += 1;
        }
        for k in 0..rows {
            offsets[k + 1] += offsets[k];
        }
        let mut items = vec![0; offsets[rows] as usize];
        let mut next = offsets[..rows].to_vec();
        for (row, item) in pairs {
            items[next[row as usize] as usize] = item;
            next[row as usize] += 1;
        }
        // Each row is sorted where it is, and moved down over the duplicates dropped before it.
        let (mut start, mut kept) = (0, 0);
        for k in 0..rows {
            let end = offsets[k + 1] as usize;
            items[start..end].sort_unstable();
            let first = kept;
            for j in start..end {
                if kept == first || items[kept - 1] != items[j] {
                    items[kept] = items[j];
                    kept += 1;
                }
            }
            start = end;
            offsets[k + 1] = kept as u32;
        }
        items.truncate(kept);
        items.shrink_to_fit();
        Self { offsets, items }
    }

    /// The neighbours of every vertex: those it shares an edge with.
    pub fn neighbours(vertices: usize, faces: &[[u32; 3]]) -> Self {
        let sides = |f: &[u32; 3]| [(f[0], f[1]), (f[1], f[2]), (f[2], f[0]), (f[1], f[0]), (f[2], f[1]), (f[0], f[2])];
        Self::from_pairs(vertices, faces.iter().flat_map(sides))
    }

    /// Row `i`, in increasing order.
    pub fn row(&self, i: u32) -> &[u32] {
        &self.items[self.offsets[i as usize] as usize..self.offsets[i as usize + 1] as usize]
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// An edge of the mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// Its ends, the smaller index first.
    pub ends: [u32; 2],
    /// How many facets meet here: 1 on a boundary, 2 inside, more where the mesh is not a manifold.
    pub count: u32,
    /// Angle between the normals of its two facets (rad): positive over a ridge, negative in a groove,
    /// 0 when flat, on a boundary and where more than two facets meet.
    pub bend: f64,
}

/// Neighbourhoods of a triangle mesh.
#[derive(Clone, Debug)]
pub struct Topology {
    /// Facets around each vertex.
    pub vertex_faces: Rows,
    /// Vertices joined to each vertex by an edge.
    pub vertex_vertices: Rows,
    /// Edges, sorted by their ends.
    pub edges: Vec<Edge>,
    /// Facets at each edge.
    pub edge_faces: Rows,
    /// Edges of each facet: from corner 0 to 1, 1 to 2, 2 to 0.
    pub face_edges: Vec<[u32; 3]>,
    /// Unit facet normals; zero where the facet has no area.
    pub face_normals: Vec<Vector3<f64>>,
    /// Edges with one facet.
    pub boundary_edges: usize,
    /// Edges with three facets or more.
    pub crowded_edges: usize,
    /// Edges whose two facets run through them in the same sense: one of the two is inside out.
    pub reversed_edges: usize,
    /// Vertices whose facets do not form one fan.
    pub pinched_vertices: usize,
}

impl Topology {
    /// Neighbourhoods of the mesh with these vertices (m) and facets.
    pub fn new(vertices: &[Point3<f64>], faces: &[[u32; 3]]) -> Self {
        let n = vertices.len();
        let face_normals: Vec<_> = faces.iter().map(|&f| facet_normal(vertices, f)).collect();
        // Sides 3 f + c by the lower of their ends (a counting sort), then within these small buckets by the upper.
        let ends = |side: u32| {
            let (f, c) = (faces[side as usize / 3], side as usize % 3);
            [f[c], f[(c + 1) % 3]]
        };
        let sides = 3 * faces.len();
        let mut begin = vec![0_u32; n + 1];
        for side in 0..sides as u32 {
            let [a, b] = ends(side);
            begin[a.min(b) as usize + 1] += 1;
        }
        for v in 0..n {
            begin[v + 1] += begin[v];
        }
        let mut next = begin[..n].to_vec();
        // (upper end, side)
        let mut sorted = vec![(0_u32, 0_u32); sides];
        for side in 0..sides as u32 {
            let [a, b] = ends(side);
            let place = &mut next[a.min(b) as usize];
            sorted[*place as usize] = (a.max(b), side);
            *place += 1;
        }
        (0..n).for_each(|v| sorted[begin[v] as usize..begin[v + 1] as usize].sort_unstable());
        let lower = |side: u32| ends(side)[0].min(ends(side)[1]);
        let mut edges = Vec::with_capacity(sides / 2 + sides / 64);
        let mut edge_faces =
            Rows { offsets: Vec::with_capacity(edges.capacity() + 1), items: Vec::with_capacity(sides) };
        edge_faces.offsets.push(0);
        let mut face_edges = vec![[0; 3]; faces.len()];
        let (mut boundary_edges, mut crowded_edges, mut reversed_edges) = (0, 0, 0);
        for group in sorted.chunk_by(|a, b| a.0 == b.0 && lower(a.1) == lower(b.1)) {
            let index = edges.len() as u32;
            let first = edge_faces.items.len();
            for &(_, side) in group {
                face_edges[side as usize / 3][side as usize % 3] = index;
                // Sides come in the order of their facets.
                if edge_faces.items.len() == first || edge_faces.items.last() != Some(&(side / 3)) {
                    edge_faces.items.push(side / 3);
                }
            }
            edge_faces.offsets.push(edge_faces.items.len() as u32);
            let both = [lower(group[0].1), group[0].0];
            let mut bend = 0.0;
            match group {
                [_] => boundary_edges += 1,
                [s, t] => {
                    reversed_edges += usize::from(ends(s.1) == ends(t.1));
                    bend = bend_between(vertices, faces, &face_normals, both, s.1 / 3, t.1 / 3);
                }
                _ => crowded_edges += 1,
            }
            edges.push(Edge { ends: both, count: group.len() as u32, bend });
        }
        drop(sorted);
        let vertex_faces = Rows::from_pairs(n, faces.iter().enumerate().flat_map(|(k, f)| f.map(|v| (v, k as u32))));
        let both_ways = |e: &Edge| [(e.ends[0], e.ends[1]), (e.ends[1], e.ends[0])];
        let vertex_vertices = Rows::from_pairs(n, edges.iter().flat_map(both_ways));
        let mut topology = Self {
            vertex_faces,
            vertex_vertices,
            edges,
            edge_faces,
            face_edges,
            face_normals,
            boundary_edges,
            crowded_edges,
            reversed_edges,
            pinched_vertices: 0,
        };
        let mut seen = Vec::new();
        topology.pinched_vertices = (0..n as u32).filter(|&v| topology.is_pinched(v, &mut seen)).count();
        topology
    }

    /// Whether every edge has one or two facets and every vertex one fan.
    pub fn is_manifold(&self) -> bool {
        self.crowded_edges == 0 && self.pinched_vertices == 0
    }

    /// Whether every edge has two facets that agree on the outside: the mesh bounds a solid.
    pub fn is_watertight(&self) -> bool {
        self.boundary_edges == 0 && self.crowded_edges == 0 && self.reversed_edges == 0
    }

    /// Facets around `v` that cannot be reached from the first by edges at `v`.
    fn is_pinched(&self, v: u32, seen: &mut Vec<u32>) -> bool {
        let around = self.vertex_faces.row(v);
        let Some(&first) = around.first() else { return false };
        seen.clear();
        seen.push(first);
        let mut next = 0;
        while next < seen.len() {
            for &e in &self.face_edges[seen[next] as usize] {
                if self.edges[e as usize].ends.contains(&v) {
                    for &f in self.edge_faces.row(e) {
                        if !seen.contains(&f) {
                            seen.push(f);
                        }
                    }
                }
            }
            next += 1;
        }
        seen.len() < around.len()
    }

    /// Unit vertex normals by (Max 1999): Σ a×b/(|a|²|b|²) over the facets with edges a, b at the vertex.
    ///
    /// Exact for vertices on a sphere. Where the sum vanishes (two sides of a non-manifold vertex) the normal is
    /// that of one facet; zero for a vertex without facets.
    pub fn vertex_normals(&self, vertices: &[Point3<f64>], faces: &[[u32; 3]]) -> Vec<Vector3<f64>> {
        let mut sums = vec![Vector3::zeros(); vertices.len()];
        for f in faces {
            for c in 0..3 {
                let p = vertices[f[c] as usize];
                let (a, b) = (vertices[f[(c + 1) % 3] as usize] - p, vertices[f[(c + 2) % 3] as usize] - p);
                let scale = a.norm_squared() * b.norm_squared();
                if scale > 0.0 {
                    sums[f[c] as usize] += a.cross(&b) / scale;
                }
            }
        }
        let facet = |v: usize| {
            let around = self.vertex_faces.row(v as u32);
            around.iter().map(|&f| self.face_normals[f as usize]).find(|n| n.norm_squared() > 0.5).unwrap_or_default()
        };
        let longest = |v: usize| self.longest_edge(vertices, v as u32);
        (0..vertices.len())
            .map(|v| {
                let length = sums[v].norm();
                // The sum is of order 1/edge; far below that it is what round-off left of opposite facets.
                if length * longest(v) > 1e-9 { sums[v] / length } else { facet(v) }
            })
            .collect()
    }

    /// The longest edge at `v` (m); 0 for a vertex without edges.
    pub fn longest_edge(&self, vertices: &[Point3<f64>], v: u32) -> f64 {
        let p = vertices[v as usize];
        let squared = |&j: &u32| (vertices[j as usize] - p).norm_squared();
        self.vertex_vertices.row(v).iter().map(squared).fold(0.0, f64::max).sqrt()
    }
}

/// A walk outwards from a vertex, ring by ring; reusable, so that many walks allocate once.
///
/// What was reached is looked up in a small table of its own and not in one entry per vertex of the mesh: walks stay
/// in the nearest cache, and many walkers cost nothing.
#[derive(Clone, Debug, Default)]
pub struct RingWalk {
    /// Open addressing; an entry with another mark than the current one is free.
    slots: Vec<(u32, u32)>,
    mark: u32,
    reached: Vec<u32>,
    ring_start: usize,
}

impl RingWalk {
    /// Stands at `v`, with nothing reached but `v` itself.
    pub fn start(&mut self, v: u32) {
        self.reached.clear();
        self.ring_start = 0;
        if self.slots.is_empty() || self.mark == u32::MAX {
            self.clear(self.slots.len().max(128));
        }
        self.mark += 1;
        self.reach(v);
    }

    fn clear(&mut self, slots: usize) {
        self.slots.clear();
        self.slots.resize(slots, (0, 0));
        self.mark = 0;
    }

    /// Notes a vertex, unless it was reached before. At least half of the slots stay free.
    #[inline]
    fn reach(&mut self, v: u32) {
        if self.enter(v) {
            self.reached.push(v);
            if 2 * self.reached.len() > self.slots.len() {
                self.clear(2 * self.slots.len());
                self.mark = 1;
                (0..self.reached.len()).for_each(|k| _ = self.enter(self.reached[k]));
            }
        }
    }

    #[inline]
    fn enter(&mut self, v: u32) -> bool {
        let mask = self.slots.len() - 1;
        let mut slot = v.wrapping_mul(0x9E37_79B1).rotate_left(15) as usize & mask;
        while self.slots[slot].0 == self.mark {
            if self.slots[slot].1 == v {
                return false;
            }
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = (self.mark, v);
        true
    }

    /// Adds one ring.
    pub fn grow(&mut self, neighbours: &Rows) {
        let end = self.reached.len();
        for k in self.ring_start..end {
            for &j in neighbours.row(self.reached[k]) {
                self.reach(j);
            }
        }
        self.ring_start = end;
    }

    /// All vertices reached so far, nearest rings first.
    pub fn reached(&self) -> &[u32] {
        &self.reached
    }
}

/// Unit normal of a facet; zero if it has no area.
pub fn facet_normal(vertices: &[Point3<f64>], f: [u32; 3]) -> Vector3<f64> {
    let [a, b, c] = f.map(|v| vertices[v as usize]);
    (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_default()
}

/// Signed angle between the normals of two facets at an edge; the sign from where the second facet's far corner lies.
fn bend_between(
    vertices: &[Point3<f64>],
    faces: &[[u32; 3]],
    normals: &[Vector3<f64>],
    ends: [u32; 2],
    s: u32,
    t: u32,
) -> f64 {
    let (n, m) = (normals[s as usize], normals[t as usize]);
    let angle = n.cross(&m).norm().atan2(n.dot(&m));
    let far = faces[t as usize].into_iter().find(|v| !ends.contains(v));
    let below = far.is_none_or(|v| n.dot(&(vertices[v as usize] - vertices[ends[0] as usize])) <= 0.0);
    if below { angle } else { -angle }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tetrahedron() -> (Vec<Point3<f64>>, Vec<[u32; 3]>) {
        let p = [[1., 1., 1.], [1., -1., -1.], [-1., 1., -1.], [-1., -1., 1.]].map(Point3::from);
        (p.to_vec(), vec![[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]])
    }

    /// A regular tetrahedron has dihedral angle acos(1/3), so its normals turn by π − acos(1/3), outwards everywhere.
    #[test]
    fn a_tetrahedron_is_watertight_and_bends_by_the_textbook_angle() {
        let (p, f) = tetrahedron();
        let t = Topology::new(&p, &f);
        assert!(t.is_watertight() && t.is_manifold());
        assert_eq!(t.edges.len(), 6);
        let expected = std::f64::consts::PI - (1.0_f64 / 3.0).acos();
        assert!(t.edges.iter().all(|e| (e.bend - expected).abs() < 1e-14));
        assert!((0..4).all(|v| t.vertex_vertices.row(v).len() == 3 && t.vertex_faces.row(v).len() == 3));
        for (p, n) in p.iter().zip(t.vertex_normals(&p, &f)) {
            assert!((p.coords.normalize() - n).norm() < 1e-14); // Max: exact on a sphere
        }
    }

    #[test]
    fn holes_turned_facets_and_pinches_are_counted() {
        let (mut p, mut f) = tetrahedron();
        f.pop();
        assert_eq!(Topology::new(&p, &f).boundary_edges, 3);
        f.push([1, 2, 3]); // inside out
        assert_eq!(Topology::new(&p, &f).reversed_edges, 3);
        // A second tetrahedron on the tip of the first: one vertex, two fans.
        f[3] = [1, 3, 2];
        p.extend([[3., 3., 2.], [3., 2., 3.], [2., 3., 3.]].map(Point3::from));
        f.extend([[0, 5, 4], [0, 6, 5], [0, 4, 6], [4, 5, 6]]);
        let t = Topology::new(&p, &f);
        assert_eq!((t.boundary_edges, t.pinched_vertices), (0, 1));
        assert!(t.is_watertight() && !t.is_manifold());
    }

    #[test]
    fn rings_on_a_triangular_grid_have_1_6_12_vertices() {
        let n = 9_u32;
        let p: Vec<_> = (0..n * n).map(|k| Point3::new((k % n) as f64, (k / n) as f64, 0.0)).collect();
        let mut f = Vec::new();
        for j in 0..n - 1 {
            for i in 0..n - 1 {
                let a = j * n + i;
                f.extend([[a, a + 1, a + n + 1], [a, a + n + 1, a + n]]);
            }
        }
        let t = Topology::new(&p, &f);
        let mut walk = RingWalk::default();
        walk.start(4 * n + 4);
        walk.grow(&t.vertex_vertices);
        assert_eq!(walk.reached().len(), 7);
        walk.grow(&t.vertex_vertices);
        assert_eq!(walk.reached().len(), 19);
    }
}

//! # Edges: which triangles meet along which edge
//!
//! - **in**: triangles
//! - **out**: [`Edges`]: the partner of every half-edge, and counts of what has no single partner
//! - **not here**: rings and sheets around vertices
//! - **assumes**: no triangle names a vertex twice
//! - **start at** [`pair`]
//!
//! Half-edge h = 3 f + k runs from corner k of triangle f to its corner k + 1.

/// No partner, no vertex.
pub(super) const NONE: u32 = u32::MAX;

/// What meets along the edges of a mesh.
pub(super) struct Edges {
    /// The half-edge that runs the other way, if exactly two meet here and in opposite directions.
    pub(super) twin: Vec<u32>,
    /// Edges with one triangle.
    pub(super) open: usize,
    /// Edges with more than two triangles, or with two in the same direction.
    pub(super) non_manifold: usize,
    /// Edges which more triangles run along one way than the other way, open ones included.
    pub(super) unbalanced: usize,
    /// Whether two triangles run along some edge in the same direction.
    pub(super) repeated: bool,
}

/// The two ends of a half-edge.
pub(super) fn ends(faces: &[[u32; 3]], h: u32) -> [u32; 2] {
    let (f, k) = (h as usize / 3, h as usize % 3);
    [faces[f][k], faces[f][(k + 1) % 3]]
}

/// Find partners, in time linear in the number of triangles.
pub(super) fn pair(vertices: usize, faces: &[[u32; 3]]) -> Edges {
    // Counting sort of half-edges by the lower of their ends; a vertex has few edges, so its bucket is small.
    let mut begin = vec![0_u32; vertices + 1];
    for h in 0..3 * faces.len() as u32 {
        let [a, b] = ends(faces, h);
        begin[a.min(b) as usize + 1] += 1;
    }
    for v in 0..vertices {
        begin[v + 1] += begin[v];
    }
    let mut next = begin.clone();
    // (upper end, half-edge)
    let mut sorted = vec![(0_u32, 0_u32); 3 * faces.len()];
    for h in 0..3 * faces.len() as u32 {
        let [a, b] = ends(faces, h);
        let place = &mut next[a.min(b) as usize];
        sorted[*place as usize] = (a.max(b), h);
        *place += 1;
    }
    let mut edges =
        Edges { twin: vec![NONE; 3 * faces.len()], open: 0, non_manifold: 0, unbalanced: 0, repeated: false };
    for v in 0..vertices {
        let bucket = &mut sorted[begin[v] as usize..begin[v + 1] as usize];
        bucket.sort_unstable();
        for edge in bucket.chunk_by(|x, y| x.0 == y.0) {
            edges.note(faces, v as u32, edge);
        }
    }
    edges
}

impl Edges {
    fn note(&mut self, faces: &[[u32; 3]], lower: u32, edge: &[(u32, u32)]) {
        let up = edge.iter().filter(|(_, h)| ends(faces, *h)[0] == lower).count();
        let down = edge.len() - up;
        self.unbalanced += usize::from(up != down);
        self.repeated |= up > 1 || down > 1;
        match (up, down) {
            (1, 1) => {
                self.twin[edge[0].1 as usize] = edge[1].1;
                self.twin[edge[1].1 as usize] = edge[0].1;
            }
            (1, 0) | (0, 1) => self.open += 1,
            _ => self.non_manifold += 1,
        }
    }
}

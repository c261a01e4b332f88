//! # Sheets: a mesh cut along its creases
//!
//! facets, bends ──▶ **here** ──(one vertex list per sheet, and how sheets meet)──▶ quadrics, rounded joins
//!
//! - **in**: a mesh with its topology, the angle from which an edge is a crease (rad)
//! - **out**: [`Sheets`]: vertices repeated on both sides of each crease, numbered sheet by sheet
//! - **not here**: what happens across a crease (`join`)
//! - **assumes**: creases that do not close around a region do not cut it
//!
//! A small sheet is usually a few facets of a scan turned by noise: below [`SMALL`] facets it goes back to the
//! neighbour with the longest common border. It stays if it is 1 % of the area, or 0.1 % and an exact plane of
//! several facets: the six sides of a box of twelve triangles are small and real.

use super::super::topology::Topology;
use nalgebra::Point3;
use std::collections::BTreeMap;

/// Sheets with fewer facets are merged with a neighbour, unless they look made.
const SMALL: usize = 12;

/// How a sheet takes part in the solid: nested rounded joins, see `join`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Sheets connected through any crease.
    pub component: u32,
    /// Sheets connected through grooves.
    pub group: u32,
    /// Within a group, sheets that meet over ridges.
    pub subgroup: u32,
}

/// A mesh cut along its creases.
#[derive(Clone, Debug)]
pub struct Sheets {
    /// Vertices (m), sheet by sheet.
    pub points: Vec<Point3<f64>>,
    /// Facets in terms of `points`.
    pub faces: Vec<[u32; 3]>,
    /// The vertex of the given mesh behind each point.
    pub source: Vec<u32>,
    /// The sheet of each point.
    pub sheet: Vec<u32>,
    /// Place of each sheet in the solid.
    pub places: Vec<Place>,
    /// Points on a crease.
    pub on_crease: Vec<bool>,
    /// Points in a groove.
    pub in_groove: Vec<bool>,
}

/// Cut a mesh where normals turn by more than `crease` (rad) across an edge.
pub fn cut(vertices: &[Point3<f64>], faces: &[[u32; 3]], topology: &Topology, crease: f64) -> Sheets {
    let mut sets = Sets::new(faces.len());
    for (e, edge) in topology.edges.iter().enumerate() {
        let around = topology.edge_faces.row(e as u32);
        if edge.count == 2 && edge.bend.abs() <= crease {
            sets.join(around[0], around[1]);
        } else if edge.count > 2 {
            join_crowded(&mut sets, topology, around, crease);
        }
    }
    merge_small(&mut sets, vertices, faces, topology);
    let borders = borders(&mut sets, vertices, topology);
    let (order, places) = arrange(&mut sets, &borders);
    let rank: BTreeMap<u32, u32> = order.iter().enumerate().map(|(k, &root)| (root, k as u32)).collect();
    let face_sheet: Vec<u32> = (0..faces.len()).map(|f| rank[&sets.root(f as u32)]).collect();
    let mut corners: Vec<(u32, u32)> = faces.iter().zip(&face_sheet).flat_map(|(f, &s)| f.map(|v| (s, v))).collect();
    corners.sort_unstable();
    corners.dedup();
    // Most vertices have one corner: look there first.
    let mut home = vec![0_u32; vertices.len()];
    corners.iter().enumerate().for_each(|(k, &(_, v))| home[v as usize] = k as u32);
    let index = |s: u32, v: u32| match home[v as usize] {
        k if corners[k as usize] == (s, v) => k,
        _ => corners.binary_search(&(s, v)).expect("every corner was listed") as u32,
    };
    let cut_faces = faces.iter().zip(&face_sheet).map(|(f, &s)| f.map(|v| index(s, v))).collect();
    let (mut on_crease, mut in_groove) = (vec![false; corners.len()], vec![false; corners.len()]);
    for (e, edge) in topology.edges.iter().enumerate() {
        let sheets = topology.edge_faces.row(e as u32).iter().map(|&f| face_sheet[f as usize]);
        let (least, most) = sheets.clone().fold((u32::MAX, 0), |(a, b), s| (a.min(s), b.max(s)));
        if least < most {
            for s in sheets {
                for v in edge.ends {
                    on_crease[index(s, v) as usize] = true;
                    in_groove[index(s, v) as usize] |= edge.bend < 0.0;
                }
            }
        }
    }
    Sheets {
        points: corners.iter().map(|&(_, v)| vertices[v as usize]).collect(),
        faces: cut_faces,
        source: corners.iter().map(|&(_, v)| v).collect(),
        sheet: corners.iter().map(|&(s, _)| s).collect(),
        places,
        on_crease,
        in_groove,
    }
}

/// Where three facets or more meet, those that continue each other belong together.
fn join_crowded(sets: &mut Sets, topology: &Topology, around: &[u32], crease: f64) {
    for (k, &f) in around.iter().enumerate() {
        for &g in &around[k + 1..] {
            if topology.face_normals[f as usize].dot(&topology.face_normals[g as usize]) >= crease.cos() {
                sets.join(f, g);
            }
        }
    }
}

/// Facets, area, and whether all facets lie in one plane.
#[derive(Clone, Copy)]
struct Extent {
    facets: usize,
    area: f64,
    first: u32,
    plane: bool,
}

fn merge_small(sets: &mut Sets, vertices: &[Point3<f64>], faces: &[[u32; 3]], topology: &Topology) {
    loop {
        let mut extents: BTreeMap<u32, Extent> = BTreeMap::new();
        let mut total = 0.0;
        for (f, corners) in faces.iter().enumerate() {
            let [a, b, c] = corners.map(|v| vertices[v as usize]);
            let area = 0.5 * (b - a).cross(&(c - a)).norm();
            total += area;
            let start = Extent { facets: 0, area: 0.0, first: f as u32, plane: true };
            let extent = extents.entry(sets.root(f as u32)).or_insert(start);
            extent.facets += 1;
            extent.area += area;
            let turn = topology.face_normals[extent.first as usize] - topology.face_normals[f];
            extent.plane &= turn.norm() < 1e-6;
        }
        let made = |e: &Extent| e.area > 0.01 * total || (e.plane && e.facets > 1 && e.area > 1e-3 * total);
        let noise = |e: &Extent| e.facets < SMALL && !made(e);
        // The longest common border decides, the lower number in a tie. Large neighbours come first: small sheets
        // that join each other would end up as one that is large enough to stay.
        let mut best: BTreeMap<u32, (bool, f64, u32)> = BTreeMap::new();
        for ((a, b), border) in borders(sets, vertices, topology) {
            for (small, other) in [(a, b), (b, a)] {
                if noise(&extents[&small]) {
                    let large = !noise(&extents[&other]);
                    let entry = best.entry(small).or_insert((false, 0.0, other));
                    if (large, border.length) > (entry.0, entry.1) {
                        *entry = (large, border.length, other);
                    }
                }
            }
        }
        if best.is_empty() {
            return;
        }
        let any_large = best.values().any(|b| b.0);
        for (small, (large, _, other)) in best {
            if large || !any_large {
                sets.join(small, other);
            }
        }
    }
}

/// What two sheets have in common.
#[derive(Clone, Copy, Default)]
struct Border {
    length: f64,
    /// Length of ridges less length of grooves.
    ridge: f64,
}

fn borders(sets: &mut Sets, vertices: &[Point3<f64>], topology: &Topology) -> BTreeMap<(u32, u32), Border> {
    let mut found: BTreeMap<(u32, u32), Border> = BTreeMap::new();
    for (e, edge) in topology.edges.iter().enumerate() {
        let [v, w] = edge.ends.map(|v| vertices[v as usize]);
        let around = topology.edge_faces.row(e as u32);
        for (k, &f) in around.iter().enumerate() {
            for &g in &around[k + 1..] {
                let (a, b) = (sets.root(f), sets.root(g));
                if a != b {
                    let border = found.entry((a.min(b), a.max(b))).or_default();
                    border.length += (v - w).norm();
                    border.ridge += (v - w).norm() * edge.bend.signum();
                }
            }
        }
    }
    found
}

/// Roots of the sheets in the order of their places, and the places.
fn arrange(sets: &mut Sets, borders: &BTreeMap<(u32, u32), Border>) -> (Vec<u32>, Vec<Place>) {
    let faces = sets.parent.len();
    let mut roots: Vec<u32> = (0..faces as u32).map(|f| sets.root(f)).collect();
    roots.sort_unstable();
    roots.dedup();
    let (mut components, mut groups, mut ridges) = (Sets::new(faces), Sets::new(faces), Sets::new(faces));
    for (&(a, b), border) in borders {
        components.join(a, b);
        if border.ridge < 0.0 {
            groups.join(a, b);
        }
    }
    // Inside a group, sheets that meet over a ridge are joined first: a boss on a plate is
    // min(plate, max(sides)), and the plain min of plate and sides would be wrong.
    for (&(a, b), border) in borders {
        if border.ridge >= 0.0 && groups.root(a) == groups.root(b) {
            ridges.join(a, b);
        }
    }
    let mut placed: Vec<(Place, u32)> = roots
        .into_iter()
        .map(|s| (Place { component: components.root(s), group: groups.root(s), subgroup: ridges.root(s) }, s))
        .collect();
    placed.sort_unstable();
    (placed.iter().map(|p| p.1).collect(), placed.iter().map(|p| p.0).collect())
}

/// Disjoint sets; the least member is the root, so results do not depend on the order of joining.
struct Sets {
    parent: Vec<u32>,
}

impl Sets {
    fn new(n: usize) -> Self {
        Self { parent: (0..n as u32).collect() }
    }

    fn root(&mut self, k: u32) -> u32 {
        let mut k = k;
        while self.parent[k as usize] != k {
            let up = self.parent[self.parent[k as usize] as usize];
            self.parent[k as usize] = up;
            k = up;
        }
        k
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }
}

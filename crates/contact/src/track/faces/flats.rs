//! # Flats: the flat faces of a mesh
//!
//! - **in**: a mesh with its surface, smooth or polyhedral
//! - **out**: its flat faces as convex pieces, inside the rounding
//! - **not here**: scans and fine tessellated curves, unless taken by their facets: they touch as curved bodies do
//! - **start at** [`of_mesh`]
//!
//! **Polyhedral.** Every plane of the mesh is a face, its outline that of the core facets: the ball added to the core
//! rounds all that is beyond.
//!
//! **Smooth.** A facet is flat if each of its edges either does not bend (0.1°) or is a crease. Flat facets joined by edges that do
//! not bend are a face, if they lie in one plane and the smoothed surface agrees: smoothing bends small groups.
//! A convex outline is taken whole; others are put together from facets, neighbours being joined, longest edge first,
//! while they stay convex (Hertel and Mehlhorn 1983).
//! Along creases the outline steps back by the width of the fillet; at inward corners of an outline that is not convex
//! a sliver of that width stays.

use super::region::{MOST_CORNERS, Piece};
use super::{Face, Outline, frame};
use crate::surface::SmoothSurface;
use crate::surface::mesh::topology::Topology;
use crate::surface::mesh::{MeshSurface, Polyhedron};
use nalgebra::{Isometry3, Point2, Point3, Vector2, Vector3};
use std::collections::{BTreeMap, BTreeSet};

/// Edges that bend by less do not bend (rad): 0.1°.
const NO_BEND: f64 = 1.75e-3;
/// Edges that bend by more are creases (rad): the default of the smoothing, 40°.
const CREASE: f64 = 0.698;
/// Width of a fillet over its radius, at a right angle.
const FILLET_WIDTH: f64 = 1.78;
/// How far vertices of a face may be from its plane, as a share of its extent.
const OUT_OF_PLANE: f64 = 1e-4;
/// The smoothed surface may be tilted by this against a face (rad).
const AGREE: f64 = 0.01;

/// A hull of more planes has those as faces that are this share of its surface.
const MANY_PLANES: usize = 64;
const LEAST_SHARE: f64 = 0.02;

/// The flat faces of a mesh, in the order of their first facets.
pub fn of_mesh(mesh: &MeshSurface) -> Vec<Face> {
    if let Some(body) = mesh.polyhedron() {
        // The hull of a scan has hundreds of planes, of which most are slivers of something round.
        let least =
            if body.is_hull() && body.planes().len() > MANY_PLANES { LEAST_SHARE * area(body, None) } else { 0.0 };
        return body
            .planes()
            .filter(|(_, facets)| least == 0.0 || area(body, Some(facets)) >= least)
            .filter_map(|(n, facets)| Group::of_plane(body, &n, facets)?.face(body.radius()))
            .collect();
    }
    let faces = mesh.solid().mesh().faces();
    // Made for this search alone: large meshes do not carry it about.
    let topology = &Topology::new(mesh.solid().mesh().vertices(), faces);
    let bend = |e: u32| topology.edges[e as usize].bend.abs();
    let joins = |e: u32| topology.edges[e as usize].count == 2 && bend(e) <= NO_BEND;
    let flat = |f: usize| topology.face_edges[f].iter().all(|&e| bend(e) <= NO_BEND || bend(e) >= CREASE);
    let mut seen = vec![false; faces.len()];
    let mut found = Vec::new();
    for first in 0..faces.len() {
        if seen[first] || !flat(first) {
            continue;
        }
        // All flat facets reached over edges that do not bend.
        let (mut group, mut next) = (vec![first], 0);
        seen[first] = true;
        while next < group.len() {
            for &e in topology.face_edges[group[next]].iter().filter(|&&e| joins(e)) {
                for &other in topology.edge_faces.row(e) {
                    let other = other as usize;
                    if !seen[other] && flat(other) {
                        seen[other] = true;
                        group.push(other);
                    }
                }
            }
            next += 1;
        }
        let group = Group::new(mesh, topology, group).filter(|group| group.agrees(mesh));
        found.extend(group.and_then(|group| {
            let rim = group.border.values().fold(0.0_f64, |most, &step| most.max(step));
            group.face(rim)
        }));
    }
    found
}

/// Area of facets of a core, or of all (m²).
fn area(body: &Polyhedron, facets: Option<&[u32]>) -> f64 {
    let core = body.core().mesh();
    let one = |f: usize| {
        let [a, b, c] = core.faces()[f].map(|v| core.vertices()[v as usize]);
        0.5 * (b - a).cross(&(c - a)).norm()
    };
    facets
        .map_or_else(|| (0..core.faces().len()).map(one).sum(), |facets| facets.iter().map(|&f| one(f as usize)).sum())
}

/// Facets in one plane.
struct Group {
    facets: Vec<[u32; 3]>,
    X_SF: Isometry3<f64>,
    /// Vertices in the plane.
    places: BTreeMap<u32, Point2<f64>>,
    /// Edges with a facet on one side only, and how far the fillet reaches from them (m).
    border: BTreeMap<(u32, u32), f64>,
    extent: f64,
}

impl Group {
    /// The facets of one plane of a polyhedron.
    fn of_plane(body: &Polyhedron, n: &Vector3<f64>, plane: &[u32]) -> Option<Self> {
        let core = body.core().mesh();
        let facets: Vec<[u32; 3]> = plane.iter().map(|&f| core.faces()[f as usize]).collect();
        let X_SF = lie_in(facets.iter().map(|f| f.map(|v| core.vertices()[v as usize])), n, body.radius())?;
        let place = |v: u32| X_SF.inverse_transform_point(&core.vertices()[v as usize]).xy();
        let places: BTreeMap<_, _> = facets.iter().flatten().map(|&v| (v, place(v))).collect();
        let extent = places.values().map(|p| p.coords.norm()).fold(0.0, f64::max);
        let sides = |f: &[u32; 3]| [(f[0], f[1]), (f[1], f[2]), (f[2], f[0])];
        let inner: BTreeSet<_> = facets.iter().flat_map(sides).map(|(a, b)| (b, a)).collect();
        let border = facets.iter().flat_map(sides).filter(|side| !inner.contains(side)).map(|s| (s, 0.0)).collect();
        Some(Self { facets, X_SF, places, border, extent })
    }

    fn new(mesh: &MeshSurface, topology: &Topology, group: Vec<usize>) -> Option<Self> {
        let all = mesh.solid().mesh();
        let corners = |f: usize| all.faces()[f].map(|v| all.vertices()[v as usize]);
        let twice = |[a, b, c]: [Point3<f64>; 3]| (b - a).cross(&(c - a));
        let n = group.iter().map(|&f| twice(corners(f))).sum::<Vector3<f64>>().try_normalize(f64::MIN_POSITIVE)?;
        let X_SF = lie_in(group.iter().map(|&f| corners(f)), &n, 0.0)?;
        let mut places = BTreeMap::new();
        let (mut extent, mut height) = (0.0_f64, 0.0_f64);
        for v in group.iter().flat_map(|&f| all.faces()[f]) {
            let p = X_SF.inverse_transform_point(&all.vertices()[v as usize]);
            extent = extent.max(p.coords.norm());
            height = height.max(p.z.abs());
            places.insert(v, p.xy());
        }
        if height > OUT_OF_PLANE * extent {
            return None;
        }
        let inside: BTreeSet<usize> = group.iter().copied().collect();
        let mut border = BTreeMap::new();
        for &f in &group {
            for k in 0..3 {
                let e = topology.face_edges[f][k];
                if topology.edge_faces.row(e).iter().filter(|&&o| inside.contains(&(o as usize))).count() == 1 {
                    let bend = topology.edges[e as usize].bend.abs();
                    // The other sheet is ρ' below where it has fallen by that: ρ'/sin of the angle away.
                    let width = FILLET_WIDTH * mesh.fillet_radius() / bend.sin().max(0.5);
                    let step = if bend >= CREASE { width } else { 0.0 };
                    border.insert((all.faces()[f][k], all.faces()[f][(k + 1) % 3]), step);
                }
            }
        }
        let facets = group.iter().map(|&f| all.faces()[f]).collect();
        Some(Self { facets, X_SF, places, border, extent })
    }

    /// The face with this rounding beyond its outline (m).
    fn face(&self, rim: f64) -> Option<Face> {
        let pieces = self.outline();
        (!pieces.is_empty()).then_some(Face { X_SF: self.X_SF, outline: Outline::Polygon(pieces), rim, ground: false })
    }

    fn outline(&self) -> Vec<Piece> {
        let loops = match self.convex_outline() {
            Some(outline) => vec![outline],
            None => self.convex_parts(),
        };
        loops.iter().flat_map(|outline| self.pieces(outline)).collect()
    }

    /// Whether the smoothed surface is flat here too.
    fn agrees(&self, mesh: &MeshSurface) -> bool {
        self.outline().iter().all(|piece| {
            let middle = piece.sums().centroid();
            let p = self.X_SF * Point3::new(middle.x, middle.y, 0.0);
            mesh.point_near(&p).is_ok_and(|at| {
                at.nhat.cross(&(self.X_SF.rotation * Vector3::z())).norm() <= AGREE
                    && (at.p - p).norm() <= 10.0 * OUT_OF_PLANE * self.extent
            })
        })
    }

    fn place(&self, v: u32) -> Point2<f64> {
        // Every vertex of every facet was placed.
        self.places.get(&v).copied().unwrap_or(Point2::origin())
    }

    /// Whether the way a, b, c turns left or goes straight on.
    fn is_left(&self, a: u32, b: u32, c: u32) -> bool {
        let (u, w) = (self.place(b) - self.place(a), self.place(c) - self.place(b));
        u.perp(&w) >= -1e-9 * self.extent * self.extent
    }

    fn is_convex(&self, outline: &[u32]) -> bool {
        let n = outline.len();
        (0..n).all(|k| self.is_left(outline[k], outline[(k + 1) % n], outline[(k + 2) % n]))
    }

    /// The border as one loop, if it is one and convex.
    fn convex_outline(&self) -> Option<Vec<u32>> {
        let next: BTreeMap<u32, u32> = self.border.keys().copied().collect();
        let first = *next.keys().next()?;
        let mut outline = vec![first];
        loop {
            let v = *next.get(outline.last()?)?;
            if v == first {
                break;
            }
            if outline.len() > next.len() {
                return None;
            }
            outline.push(v);
        }
        // Left turns all the way can still wind twice; then the border has more edges than places.
        (outline.len() == self.border.len() && self.is_convex(&outline)).then_some(outline)
    }

    /// Facets joined while they stay convex.
    fn convex_parts(&self) -> Vec<Vec<u32>> {
        let mut parts: Vec<Vec<u32>> = self.facets.iter().map(|f| f.to_vec()).collect();
        let mut sides: BTreeMap<(u32, u32), usize> = BTreeMap::new();
        for (k, f) in self.facets.iter().enumerate() {
            sides.extend((0..3).map(|c| ((f[c], f[(c + 1) % 3]), k)));
        }
        // Which part a facet belongs to by now.
        let mut owner: Vec<usize> = (0..parts.len()).collect();
        let mut inner: Vec<(u32, u32)> =
            sides.keys().copied().filter(|&(a, b)| a < b && sides.contains_key(&(b, a))).collect();
        let length = |&(a, b): &(u32, u32)| (self.place(a) - self.place(b)).norm();
        inner.sort_by(|x, y| length(y).total_cmp(&length(x)).then(x.cmp(y)));
        for (a, b) in inner {
            let [p, q] = [sides[&(a, b)], sides[&(b, a)]].map(|f| owner[f]);
            if p == q {
                continue;
            }
            if let Some(whole) = joined(&parts[p], &parts[q], a, b).filter(|whole| self.is_convex(whole)) {
                parts[p] = whole;
                parts[q].clear();
                owner.iter_mut().filter(|o| **o == q).for_each(|o| *o = p);
            }
        }
        parts.retain(|part| !part.is_empty());
        parts
    }

    /// A convex outline as pieces of not too many corners, stepped back from the creases along it.
    fn pieces(&self, outline: &[u32]) -> Vec<Piece> {
        let n = outline.len();
        let straight = |k: usize| {
            let [a, b, c] = [outline[(k + n - 1) % n], outline[k], outline[(k + 1) % n]].map(|v| self.place(v));
            let (u, w) = (b - a, c - b);
            u.perp(&w).abs() <= 1e-6 * u.norm() * w.norm()
        };
        let corners: Vec<Point2<f64>> = (0..n).filter(|&k| !straight(k)).map(|k| self.place(outline[k])).collect();
        let mut found = Vec::new();
        let mut at = 1;
        while at + 1 < corners.len() {
            // A fan from the first corner.
            let stop = (at + MOST_CORNERS - 2).min(corners.len() - 1);
            let fan: Vec<Point2<f64>> = std::iter::once(corners[0]).chain(corners[at..=stop].iter().copied()).collect();
            at = stop;
            let Some(mut piece) = Piece::polygon(&fan) else { continue };
            for k in 0..n {
                let (v, w) = (outline[k], outline[(k + 1) % n]);
                let Some(step) = self.border.get(&(v, w)).filter(|step| **step > 0.0) else { continue };
                let along = (self.place(w) - self.place(v)).normalize();
                let outward = Vector2::new(along.y, -along.x);
                piece.cut(&outward, outward.dot(&self.place(v).coords) - step);
            }
            if piece.sums().area > 1e-9 * self.extent * self.extent {
                found.push(piece);
            }
        }
        found
    }
}

/// The frame at the centroid of triangles, z along n, raised by `height` (m).
fn lie_in(triangles: impl Iterator<Item = [Point3<f64>; 3]>, n: &Vector3<f64>, height: f64) -> Option<Isometry3<f64>> {
    let (mut area, mut middle) = (0.0, Vector3::zeros());
    for [a, b, c] in triangles {
        let twice = (b - a).cross(&(c - a)).norm();
        area += twice;
        middle += (a.coords + b.coords + c.coords) / 3.0 * twice;
    }
    let origin = Point3::from(middle / area + n * height);
    (area > 0.0).then(|| frame(origin, n, &super::tangent_basis(n).column(0).into()))
}

/// Two loops joined over the side a → b of the first, b → a of the second.
fn joined(p: &[u32], q: &[u32], a: u32, b: u32) -> Option<Vec<u32>> {
    let from = |outline: &[u32], v: u32, w: u32| {
        let n = outline.len();
        (0..n).find(|&k| outline[k] == v && outline[(k + 1) % n] == w)
    };
    let (i, j) = (from(p, a, b)?, from(q, b, a)?);
    // p from b around to a, then q from after a to before b.
    let mut whole: Vec<u32> = (0..p.len()).map(|k| p[(i + 1 + k) % p.len()]).collect();
    whole.extend((0..q.len() - 2).map(|k| q[(j + 2 + k) % q.len()]));
    // Sides shared beyond this one have become spikes.
    while let Some(k) = (0..whole.len()).find(|&k| whole.len() > 3 && whole[k] == whole[(k + 2) % whole.len()]) {
        let n = whole.len();
        let [x, y] = [(k + 1) % n, (k + 2) % n];
        let keep: Vec<u32> = (0..n).filter(|&i| i != x && i != y).map(|i| whole[i]).collect();
        whole = keep;
    }
    (whole.len() >= 3).then_some(whole)
}

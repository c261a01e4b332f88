//! # Set-up: from a mesh to its quadrics
//!
//! vertices, facets ──▶ **here** ──▶ [`SmoothMesh`]
//!
//! - **not here**: single fits (`stencil`), all of them (`fits`), ring count (`rings`), creases (`sheets`), search
//!   (`grid`)

use super::super::progress::{Stage, Watch};
use super::super::topology::Topology;
use super::super::weld::DistinctPoints;
use super::fits::{Fits, Kept, Source};
use super::grid::{self, Ball, Level};
use super::join::WIDTH;
use super::quadric::Quadric;
use super::sheets::{self, Sheets};
use super::walls::Walls;
use super::{SmoothError, SmoothMesh, SmoothOptions, rings};
use nalgebra::{Point3, Vector3};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(super) fn build(
    vertices: &[Point3<f64>],
    faces: &[[u32; 3]],
    options: &SmoothOptions,
    watch: &Watch,
) -> Result<SmoothMesh, SmoothError> {
    check(vertices, faces, options)?;
    watch(Stage::Neighbours, 0, 1);
    let faces = weld(vertices, faces);
    if faces.is_empty() {
        return Err(SmoothError::Empty);
    }
    let topology = Topology::new(vertices, &faces);
    watch(Stage::Neighbours, 1, 1);
    watch(Stage::Creases, 0, 1);
    let cut = sheets::cut(vertices, &faces, &topology, options.crease_angle);
    // Without creases the cut mesh is the mesh.
    let topology = if cut.faces == faces { topology } else { Topology::new(&cut.points, &cut.faces) };
    drop(faces);
    let normals = topology.vertex_normals(&cut.points, &cut.faces);
    let count = cut.points.len();
    let longest: Vec<f64> = (0..count as u32).map(|v| topology.longest_edge(&cut.points, v)).collect();
    let mean_edge = longest.iter().sum::<f64>() / count as f64;
    let fillet = fillet(&cut, &longest, options)?;
    let radius = radii(&cut, &longest, options.support);
    let neighbours = topology.vertex_vertices;
    watch(Stage::Creases, 1, 1);
    watch(Stage::Rings, 0, 1);
    let Sheets { points, source: vertex, sheet, places, .. } = cut;
    let (low, high) = points.iter().fold((points[0], points[0]), |(l, h), p| (l.inf(p), h.sup(p)));
    let kept = Kept { vertex, sheet, longest };
    let reach = 2.0 * options.support;
    let walls = Walls::new(&points, reach * mean_edge);
    let mut source = Source {
        points,
        normals,
        neighbours,
        radius,
        walls,
        rings: options.rings.unwrap_or(2),
        reach,
        wall: options.wall,
    };
    if options.rings.is_none() {
        source.rings = rings::choose(&mut source.judge(), count, mean_edge);
    }
    watch(Stage::Rings, 1, 1);
    let rings = source.rings;
    let (fits, levels) = if options.deferred {
        let levels = levels(&source, watch);
        (Fits::deferred(source), levels)
    } else {
        let (fits, mut levels) = Fits::make(&source, &kept, options.threads, watch, || levels(&source, watch));
        if let Fits::Made { quadrics, .. } = &fits {
            prune(&mut levels, quadrics);
        }
        (fits, levels)
    };
    Ok(SmoothMesh { fits, kept, places, levels, fillet, rings, diagonal: (high - low).norm() })
}

/// Which vertices may have weight where.
fn levels(source: &Source, watch: &Watch) -> Vec<Level> {
    let (points, radius) = (&source.points, &source.radius);
    let total = points.len();
    let done = AtomicUsize::new(0);
    let balls = (0..total).map(|v| Ball { index: v as u32, centre: points[v], radius: radius[v] });
    let levels = grid::build(balls, |more| watch(Stage::Grid, more + done.fetch_add(more, Ordering::Relaxed), total));
    watch(Stage::Grid, total, total);
    levels
}

/// Thin walls: takes vertices out of cells that their layer does not reach. It saves time and changes no answer.
fn prune(levels: &mut [Level], quadrics: &[Quadric]) {
    if quadrics.iter().any(|q| q.inv_t2 > 0.0) {
        for level in levels {
            level.prune(|v, middle, half| in_layer(&quadrics[v as usize], middle, half));
        }
    }
}

fn check(vertices: &[Point3<f64>], faces: &[[u32; 3]], options: &SmoothOptions) -> Result<(), SmoothError> {
    for (what, got) in [
        ("crease angle (rad)", options.crease_angle),
        ("support radius over edge", options.support),
        ("layer over wall thickness", options.wall),
    ] {
        if !(got.is_finite() && got > 0.0) {
            return Err(SmoothError::BadOption { what, got });
        }
    }
    // A facet point is within one longest edge of its corners: at 1 the weights there could vanish.
    if options.support < 1.2 {
        return Err(SmoothError::BadOption { what: "support radius over edge (at least 1.2)", got: options.support });
    }
    if let Some(vertex) = vertices.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
        return Err(SmoothError::NotFinite { vertex });
    }
    for (face, corners) in faces.iter().enumerate() {
        if let Some(&got) = corners.iter().find(|&&v| v as usize >= vertices.len()) {
            return Err(SmoothError::BadIndex { face, got, vertices: vertices.len() });
        }
    }
    Ok(())
}

/// Facets between the first of equal vertices; facets without area are dropped.
fn weld(vertices: &[Point3<f64>], faces: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut points = DistinctPoints::with_capacity(vertices.len());
    let mut first: Vec<u32> = Vec::with_capacity(vertices.len());
    let mut welded: Vec<u32> = Vec::with_capacity(vertices.len());
    for (k, p) in vertices.iter().enumerate() {
        let place = points.index_of(*p) as usize;
        if place == first.len() {
            first.push(k as u32);
        }
        welded.push(first[place]);
    }
    drop(points);
    let area = |f: &[u32; 3]| {
        let [a, b, c] = f.map(|v| vertices[v as usize]);
        (b - a).cross(&(c - a)).norm_squared() > 0.0
    };
    faces.iter().map(|f| f.map(|v| welded[v as usize])).filter(area).collect()
}

/// The fillet radius (m): as given, or 1 % of the size where the shortest crease facets have room for it.
fn fillet(cut: &Sheets, longest: &[f64], options: &SmoothOptions) -> Result<f64, SmoothError> {
    let edge = (0..longest.len()).filter(|&v| cut.on_crease[v]).map(|v| longest[v]).fold(f64::INFINITY, f64::min);
    let limit = 0.9 * edge / WIDTH;
    match options.fillet_radius {
        Some(got) if !(got.is_finite() && got >= 0.0) => Err(SmoothError::BadOption { what: "fillet radius (m)", got }),
        Some(got) if got > limit => Err(SmoothError::FilletTooLarge { got, limit }),
        Some(got) => Ok(got),
        None if edge.is_finite() => {
            let (low, high) = cut.points.iter().fold((cut.points[0], cut.points[0]), |(l, h), p| (l.inf(p), h.sup(p)));
            Ok(limit.min(0.01 * (high - low).norm()))
        }
        None => Ok(0.0),
    }
}

/// Radii of the weights (m): a share of the longest edge, and in a groove the same on both sides.
///
/// A sheet reaches past the groove as far as the vertices in it do. Beyond, min(this, other) must have both: with the
/// other absent the plane of one wall of an L-bracket would cut through the opposite arm.
fn radii(cut: &Sheets, longest: &[f64], support: f64) -> Vec<f64> {
    let mut largest: HashMap<u32, f64> = HashMap::new();
    for v in (0..longest.len()).filter(|&v| cut.in_groove[v]) {
        let entry = largest.entry(cut.source[v]).or_insert(0.0);
        *entry = entry.max(longest[v]);
    }
    let edge = |v: usize| if cut.in_groove[v] { largest[&cut.source[v]] } else { longest[v] };
    (0..longest.len()).map(|v| support * edge(v)).collect()
}

/// Whether |Q| < T may hold within `half` of `centre`: |Q| is at least |Q(centre)| − |∇Q| half − |A| half².
fn in_layer(quadric: &Quadric, centre: &Point3<f64>, half: f64) -> bool {
    if quadric.inv_t2 == 0.0 {
        return true;
    }
    let d = centre - Point3::from(quadric.p);
    let (q, g) = quadric.value(&[d.x, d.y, d.z]);
    let a = &quadric.a;
    let frobenius = (a[0] * a[0] + a[3] * a[3] + a[5] * a[5] + 2.0 * (a[1] * a[1] + a[2] * a[2] + a[4] * a[4])).sqrt();
    q.abs() - Vector3::from(g).norm() * half - frobenius * half * half < 1.0 / quadric.inv_t2.sqrt()
}

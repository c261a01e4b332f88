//! # Set-up: from a mesh to its quadrics
//!
//! vertices, facets ──▶ **here** ──▶ [`SmoothMesh`]
//!
//! - **not here**: single fits (`stencil`), ring count (`rings`), creases (`sheets`), search (`grid`)
//!
//! Every vertex is fitted on its own, so the work may be split between threads without changing a bit.

use super::super::topology::Topology;
use super::grid::{self, Ball};
use super::join::WIDTH;
use super::quadric::Quadric;
use super::sheets::{self, Sheets};
use super::stencil::{Fitted, Fitter, Mesh, Terms};
use super::walls::Walls;
use super::{SmoothError, SmoothMesh, SmoothOptions, VertexQuality, rings};
use nalgebra::{Point3, Vector3};
use std::collections::HashMap;

/// Spread over longest edge above which a vertex is not resolved.
const UNRESOLVED: f64 = 0.05;

pub(super) fn build(
    vertices: &[Point3<f64>],
    faces: &[[u32; 3]],
    options: &SmoothOptions,
) -> Result<SmoothMesh, SmoothError> {
    check(vertices, faces, options)?;
    let faces = weld(vertices, faces);
    if faces.is_empty() {
        return Err(SmoothError::Empty);
    }
    let topology = Topology::new(vertices, &faces);
    let cut = sheets::cut(vertices, &faces, &topology, options.crease_angle);
    let topology = Topology::new(&cut.points, &cut.faces);
    let normals = topology.vertex_normals(&cut.points, &cut.faces);
    let count = cut.points.len();
    let longest: Vec<f64> = (0..count as u32).map(|v| topology.longest_edge(&cut.points, v)).collect();
    let mean_edge = longest.iter().sum::<f64>() / count as f64;
    let fillet = fillet(&cut, &longest, options)?;
    let radius = radii(&cut, &longest, options.support);
    let mesh = Mesh { points: &cut.points, normals: &normals, neighbours: &topology.vertex_vertices };
    let rings = options.rings.unwrap_or_else(|| rings::choose(&mut Fitter::new(mesh), count, mean_edge));
    let walls = Walls::new(&cut.points, &normals, &cut.sheet, 2.0 * options.support * mean_edge);
    let one = |fitter: &mut Fitter, v: u32| {
        let edge = longest[v as usize];
        let mut fitted = fitter.fit(v, rings, false);
        // Feature guard: a wide stencil that does not fit spans something narrower than itself.
        if rings > 2 && fitted.sigma > UNRESOLVED * edge {
            fitted = fitter.fit(v, 2, false);
        }
        let opposite = walls.opposite(v, 2.0 * options.support * edge);
        let layer = opposite.map(|distance| (options.wall * distance).min(edge));
        (quadric(&cut.points[v as usize], &fitted, radius[v as usize], layer), fitted)
    };
    let fitted = in_parallel(count, options.threads, mesh, &one);
    let quality = (0..count)
        .map(|v| {
            let f = &fitted[v].1;
            // A plane through points that lie in a plane is no fall-back.
            let exact = f.terms >= Terms::Plane && f.sigma <= 1e-6 * longest[v];
            VertexQuality {
                vertex: cut.source[v],
                sheet: cut.sheet[v],
                rings: f.rings,
                terms: f.terms,
                sigma: f.sigma,
                longest_edge: longest[v],
                resolved: f.sigma <= UNRESOLVED * longest[v] && (f.terms == Terms::Nine || exact),
            }
        })
        .collect();
    let quadrics: Vec<Quadric> = fitted.into_iter().map(|f| f.0).collect();
    let balls: Vec<Ball> =
        (0..count).map(|v| Ball { index: v as u32, centre: cut.points[v], radius: radius[v] }).collect();
    let levels = grid::build(&balls, |ball, centre, half| in_layer(&quadrics[ball.index as usize], centre, half));
    let (low, high) = cut.points.iter().fold((cut.points[0], cut.points[0]), |(l, h), p| (l.inf(p), h.sup(p)));
    Ok(SmoothMesh {
        quadrics,
        sheet: cut.sheet,
        places: cut.places,
        levels,
        fillet,
        rings,
        diagonal: (high - low).norm(),
        quality,
    })
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
    let mut first: HashMap<[u64; 3], u32> = HashMap::with_capacity(vertices.len());
    let welded: Vec<u32> = vertices
        .iter()
        .enumerate()
        // + 0.0 makes one zero of the two.
        .map(|(k, p)| *first.entry([p.x, p.y, p.z].map(|x| (x + 0.0).to_bits())).or_insert(k as u32))
        .collect();
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

fn in_parallel<'a>(
    count: usize,
    threads: usize,
    mesh: Mesh<'a>,
    one: &(impl Fn(&mut Fitter<'a>, u32) -> (Quadric, Fitted) + Sync),
) -> Vec<(Quadric, Fitted)> {
    let run = |from: usize, to: usize| {
        let mut fitter = Fitter::new(mesh);
        (from..to).map(|v| one(&mut fitter, v as u32)).collect::<Vec<_>>()
    };
    let share = count.div_ceil(threads.max(1)).max(1);
    if share >= count {
        return run(0, count);
    }
    let run = &run;
    std::thread::scope(|scope| {
        let workers: Vec<_> =
            (0..count).step_by(share).map(|from| scope.spawn(move || run(from, (from + share).min(count)))).collect();
        // A panic in a worker is a panic here.
        workers.into_iter().flat_map(|w| w.join().expect("a worker fits vertices without panicking")).collect()
    })
}

fn quadric(p: &Point3<f64>, fitted: &Fitted, radius: f64, layer: Option<f64>) -> Quadric {
    let a = &fitted.a;
    Quadric {
        p: [p.x, p.y, p.z],
        inv_r2: 1.0 / (radius * radius),
        c: fitted.c,
        b: fitted.b.into(),
        a: [a[(0, 0)], a[(0, 1)], a[(0, 2)], a[(1, 1)], a[(1, 2)], a[(2, 2)]],
        inv_t2: layer.map_or(0.0, |t| 1.0 / (t * t)),
    }
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

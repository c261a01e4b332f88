//! The least gap of random pairs of every kind, against dense sampling of both surfaces.
//!
//! `FINGERPAD_CASES=10000 cargo test --release -p fingerpad-contact --test random_pairs -- --nocapture` tries that many (a part
//! if not given); `FINGERPAD_SEED` is where they begin.
//!
//! Every sample is a point of one surface with its distance from the other, so that no least gap can be above it. Apart,
//! the least gap cannot be below the least sample by more than samples are apart, since a distance changes by at most one
//! metre per metre.

mod coarse;
mod common;

use common::{Random, vase};
use fingerpad_contact::surface::elevation::{ElevationMap, Grid, Interpolation, Samples};
use fingerpad_contact::surface::graph::{Rectangle, Term};
use fingerpad_contact::surface::mesh::smooth::SmoothOptions;
use fingerpad_contact::surface::mesh::{MeshSurface, SurfaceChoice, TriangleMesh};
use fingerpad_contact::surface::{
    Capsule, Cylinder, Ellipsoid, Graph, HalfSpace, RoundedBox, Shape, SmoothSurface, Sphere, Surface, Torus,
};
use fingerpad_contact::track::closest_points;
use nalgebra::{Isometry3, Point3, Translation3, Vector3};
use std::sync::Arc;

/// A mesh of the list of coarse ones, eight times as large: as large as the other bodies.
fn mesh(name: &str, surface: SurfaceChoice) -> Shape {
    let (points, facets) = coarse::all().into_iter().find(|(other, _)| other == name).unwrap().1;
    let points = points.into_iter().map(|p| p * 8.0).collect();
    let (mesh, _) = TriangleMesh::new(points, facets).unwrap();
    Shape::Mesh(Arc::new(MeshSurface::new(mesh, &SmoothOptions { surface, ..SmoothOptions::default() }).unwrap()))
}

/// A map of a height over its middle at (3, 3).
fn map(interpolation: Interpolation, height: impl Fn(f64, f64) -> f64) -> Shape {
    let (n, d) = (61, 0.1);
    let grid = Grid { nx: n, ny: n, dx: d, dy: d, x0: 0.0, y0: 0.0 };
    let z = Samples::F64((0..n * n).map(|k| height((k % n) as f64 * d, (k / n) as f64 * d)).collect());
    Shape::Elevation(Arc::new(ElevationMap::new(grid, z, interpolation).unwrap()))
}

/// Waves shorter than the bodies are long.
fn waves(x: f64, y: f64) -> f64 {
    0.06 * (4.0 * x).sin() * (3.1 * y).cos() + 0.03 * (5.3 * x - 2.0 * y).sin()
}

/// The meshes, and the half of their least thickness (m; infinite where that is no limit): facets that count, surfaces that
/// are smoothed, hulls.
const MESHES: [(&str, SurfaceChoice, f64); 20] = [
    ("box12", SurfaceChoice::Auto, f64::INFINITY),
    ("cone24", SurfaceChoice::Auto, f64::INFINITY),
    ("nut24", SurfaceChoice::Auto, f64::INFINITY),
    ("ico320", SurfaceChoice::Auto, f64::INFINITY),
    ("torus32x13", SurfaceChoice::Auto, f64::INFINITY),
    ("glass24", SurfaceChoice::Auto, f64::INFINITY),
    ("tetra", SurfaceChoice::Auto, f64::INFINITY),
    ("wedge", SurfaceChoice::Auto, f64::INFINITY),
    ("finger", SurfaceChoice::Auto, 0.02),
    ("bracket", SurfaceChoice::Auto, 0.02),
    ("pin32", SurfaceChoice::Auto, 0.04),
    ("pyramid4", SurfaceChoice::Auto, f64::INFINITY),
    ("rod_thin12", SurfaceChoice::Auto, 0.016),
    ("plate_thin", SurfaceChoice::Auto, 0.008),
    ("chamfered32", SurfaceChoice::Auto, f64::INFINITY),
    ("ico80", SurfaceChoice::Facets, f64::INFINITY),
    ("torus32x13", SurfaceChoice::Smooth, f64::INFINITY),
    ("bracket", SurfaceChoice::Hull, f64::INFINITY),
    ("glass24", SurfaceChoice::Hull, f64::INFINITY),
    ("nut24", SurfaceChoice::Hull, f64::INFINITY),
];
/// Bodies by name; their sizes are random.
const BODIES: [&str; 8] = ["sphere", "ellipsoid", "cylinder", "capsule", "torus", "box", "revolution", "mesh"];
const GROUNDS: [&str; 7] = ["plane", "bowl", "saddle", "waves", "cubic waves", "steep", "slope"];

/// A body and half of its least thickness (m; infinite where overlaps of the test are far from it).
fn body(kind: &str, meshes: &[(Shape, f64)], random: &mut Random) -> (Shape, f64) {
    // Of four, one is thin or slender.
    let slim = if random.unit() < 0.25 { 0.1 } else { 1.0 };
    let mut size = |low, high| random.between(low, high);
    let shape = match kind {
        "sphere" => Shape::Sphere(Sphere::new(size(0.1, 0.5) * slim).unwrap()),
        "ellipsoid" => {
            let [a, b, c] = [0; 3].map(|_| size(0.1, 0.5));
            Shape::Ellipsoid(Ellipsoid::new([a, b, c * slim]).unwrap())
        }
        "cylinder" => {
            let (radius, half) = (size(0.1, 0.4), size(0.1, 0.5) * slim);
            Shape::Cylinder(Cylinder::new(radius, half, size(0.005, 0.05) * slim).unwrap())
        }
        "capsule" => Shape::Capsule(Capsule::new(size(0.05, 0.3) * slim, size(0.05, 0.4)).unwrap()),
        "torus" => Shape::Torus(Torus::new(size(0.25, 0.5), size(0.03, 0.2) * slim).unwrap()),
        "box" => {
            let half = Vector3::new(size(0.1, 0.4), size(0.1, 0.4), size(0.1, 0.4) * slim);
            Shape::RoundedBox(RoundedBox::new(half, size(0.005, 0.08) * slim).unwrap())
        }
        "revolution" => Shape::Revolution(Arc::new(vase())),
        _ => return meshes[(random.unit() * meshes.len() as f64) as usize].clone(),
    };
    let thin = match &shape {
        Shape::Ellipsoid(body) => body.semi_axes().min(),
        Shape::Cylinder(body) => body.radius().min(body.half_length()),
        Shape::Capsule(body) => body.radius(),
        Shape::Torus(body) => body.minor_radius(),
        Shape::RoundedBox(body) => body.half_extents().min(),
        _ => f64::INFINITY,
    };
    (shape, thin)
}

fn ground(kind: &str) -> Shape {
    let term = |p, q, c| Term { p, q, c };
    let graph = |terms| Shape::Graph(Graph::polynomial(terms, Rectangle::PLANE).unwrap());
    match kind {
        "plane" => Shape::HalfSpace(HalfSpace),
        "bowl" => graph(vec![term(2, 0, 0.4), term(0, 2, 0.3), term(1, 1, 0.1)]),
        "saddle" => graph(vec![term(2, 0, 0.5), term(0, 2, -0.4), term(1, 0, 0.2)]),
        "waves" => map(Interpolation::Quintic, waves),
        "cubic waves" => map(Interpolation::Cubic, waves),
        "steep" => map(Interpolation::Quintic6, |x, y| 0.3 * (2.5 * x).sin() + 0.25 * (2.2 * y + 0.4 * x).cos()),
        _ => map(Interpolation::Quintic, |x, y| 0.3 * x - 0.15 * y),
    }
}

/// Points of a surface in its own frame, and how far apart they are at most (m); on grounds those around a place.
fn points(shape: &Shape, n: usize, around: &Point3<f64>, reach: f64) -> (Vec<Point3<f64>>, f64) {
    let grid = |at: &dyn Fn(f64, f64) -> Option<Point3<f64>>| {
        let rows: Vec<Vec<Option<Point3<f64>>>> =
            (0..=n).map(|j| (0..=n).map(|i| at(i as f64 / n as f64, j as f64 / n as f64)).collect()).collect();
        let mut step = 0.0_f64;
        for (j, row) in rows.iter().enumerate() {
            for (i, p) in row.iter().enumerate() {
                let next = [(i < n).then(|| rows[j][i + 1]), (j < n).then(|| rows[j + 1][i])];
                for q in next.into_iter().flatten().flatten() {
                    step = p.map_or(step, |p| step.max((q - p).norm()));
                }
            }
        }
        (rows.into_iter().flatten().flatten().collect::<Vec<_>>(), step)
    };
    match shape {
        Shape::Mesh(mesh) => {
            // A lattice on every facet, brought onto the surface.
            let facets = mesh.solid().mesh();
            let most = (20 * n * n / facets.faces().len()).max(3).isqrt().clamp(2, 24);
            let (mut list, mut step) = (Vec::new(), 0.0_f64);
            for face in facets.faces() {
                let [a, b, c] = face.map(|v| facets.vertices()[v as usize]);
                step = step.max([b - a, c - b, a - c].map(|e| e.norm()).into_iter().fold(0.0, f64::max) / most as f64);
                for i in 0..=most {
                    for j in 0..=most - i {
                        let p = a + (b - a) * (i as f64 / most as f64) + (c - a) * (j as f64 / most as f64);
                        list.extend(shape.closest_point(&p).ok().map(|foot| foot.p));
                    }
                }
            }
            (list, step + 4.0 * mesh.fidelity().bound)
        }
        Shape::HalfSpace(_) | Shape::Graph(_) | Shape::Elevation(_) => {
            let place = |u: f64, v: f64| around + Vector3::new(2.0 * u - 1.0, 2.0 * v - 1.0, 0.0) * reach;
            grid(&|u, v| Some(shape.point_near(&place(u, v)).ok()?.p))
        }
        _ => {
            let surface = shape.as_parametric().unwrap();
            let domain = surface.domain();
            let along = |range: [f64; 2], t: f64| range[0] + (range[1] - range[0]) * t;
            grid(&|u, v| Some(surface.point(along(domain.u, u), along(domain.v, v))))
        }
    }
}

/// How far a mesh may be off from its facets (m).
fn departure(shape: &Shape) -> f64 {
    if let Shape::Mesh(mesh) = shape { mesh.fidelity().bound } else { 0.0 }
}

/// The least distance of samples of B from A, and of A from B (m), and how much less the true one may be.
fn sampled(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, n: usize) -> (f64, f64) {
    let reach = 1.5 * b.bounds().radius();
    let (of_B, step_B) = points(b, n, &Point3::origin(), 0.0);
    let (of_A, step_A) = points(a, n, &(X_AB * b.bounds().centre()), reach);
    let on_A = of_B.iter().filter_map(|p| a.closest_point(&(X_AB * p)).ok()).map(|foot| foot.distance);
    let X_BA = X_AB.inverse();
    let on_B = of_A.iter().filter_map(|p| b.closest_point(&(X_BA * p)).ok()).map(|foot| foot.distance);
    let [on_A, on_B] = [on_A.fold(f64::INFINITY, f64::min), on_B.fold(f64::INFINITY, f64::min)];
    (on_A.min(on_B), if on_A <= on_B { step_B } else { step_A.max(step_B) })
}

/// Would catch starts that miss a corner, a search that takes "Newton failed" for "nothing there", a far local minimum taken
/// for the least, a bound that is none.
#[test]
fn least_gaps_of_random_pairs_are_those_of_dense_samples() {
    let number = |name: &str, default| std::env::var(name).ok().and_then(|s| s.parse().ok()).unwrap_or(default);
    let (cases, seed): (u64, u64) = (number("FINGERPAD_CASES", 92), number("FINGERPAD_SEED", 0));
    judge(seed..seed + cases);
}

/// On formulas of which a grid of places missed the least gap by up to 2.9 % of the size: a search with proof finds it.
#[test]
fn least_gaps_on_formulas_are_proven() {
    judge([1098, 1190, 5322].into_iter());
}

/// Bodies whose edge or tip bends more sharply than it is deep: samples of the ground see its flank, at a place that is no common
/// normal. Told were depths 0.3 % and 0.7 % of the size too small, and a disc apart that cut 2.6 mm into a crest.
#[test]
fn edges_deeper_than_they_are_round_are_found_from_their_own_side() {
    judge([1311, 5100, 20358].into_iter());
}

/// Least gaps of some pairs against samples of both surfaces.
fn judge(cases: impl Iterator<Item = u64>) {
    let cases: Vec<u64> = cases.collect();
    let count = cases.len();
    let meshes = MESHES.map(|(name, surface, thin)| (mesh(name, surface), thin));
    let grounds = GROUNDS.map(ground);
    let mut kinds = Vec::new();
    for (i, one) in BODIES.iter().enumerate() {
        kinds.extend(BODIES[i..].iter().map(|other| (*one, *other)));
        kinds.extend(GROUNDS.iter().map(|ground| (*ground, *one)));
    }
    let (mut silent, mut said, mut worst) = (Vec::new(), Vec::new(), 0.0_f64);
    for case in cases {
        let mut random = Random(case.wrapping_mul(0x2545_F491_4F6C_DD1D));
        let (first, second) = kinds[case as usize % kinds.len()];
        let ground = GROUNDS.iter().position(|ground| *ground == first);
        let is_map = ground.is_some_and(|k| matches!(grounds[k], Shape::Elevation(_)));
        let (a, thin_A) = match ground {
            Some(k) => (grounds[k].clone(), f64::INFINITY),
            None => body(first, &meshes, &mut random),
        };
        let (b, thin_B) = body(second, &meshes, &mut random);
        let size = if ground.is_some() { b.bounds().radius() } else { a.bounds().radius().min(b.bounds().radius()) };
        // From far away along a direction, as near as wanted: gaps change by no more than the way.
        let target = [-0.02, 0.0, 0.01, 0.3, 3.0][random.bits() as usize % 5] * size;
        let (target, away) = (target.max(-0.2 * thin_A.min(thin_B)), 6.0 * size);
        let (along, rotation) = match (ground, random.direction()) {
            (Some(_), _) => (Vector3::z(), random.rotation()),
            (None, d) => (d, random.rotation()),
        };
        let over = if is_map { Vector3::new(3.0, 3.0, 0.0) } else { Vector3::zeros() };
        let aside = if ground.is_some() {
            Vector3::new(random.between(-0.5, 0.5), random.between(-0.5, 0.5), 0.0)
        } else {
            Vector3::zeros()
        };
        let mut far = away;
        let pose = |far: f64| Isometry3::from_parts(Translation3::from(over + aside + along * far), rotation);
        for n in [8, 8, 8, 12, 24] {
            far += target - sampled(&a, &b, &pose(far), n).0;
        }
        let X_AB = pose(far);
        let (least, apart) = sampled(&a, &b, &X_AB, 32);
        let what = format!("case {case}, {first} and {second}, samples {least:.3e} m, size {size:.2} m");
        // Either body may come first.
        let swapped = random.unit() < 0.5;
        let found = if swapped { closest_points(&b, &a, &X_AB.inverse()) } else { closest_points(&a, &b, &X_AB) };
        match found {
            Ok(pair) => {
                worst = worst.max((pair.gap - least) / size);
                // What is guaranteed (docs/finding-contacts.md): apart, exactly; in overlap, where deep has two meanings, to
                // a thousandth of the size, and what meshes depart from their facets.
                let slack = if least > 0.0 { 1e-6 * size } else { 1e-3 * size + departure(&a) + departure(&b) };
                if pair.gap > least + slack || (least > 0.0 && pair.gap < least - apart) {
                    silent.push(format!("{what}: {:.3e} m", pair.gap));
                }
            }
            Err(error) => said.push(format!("{what}: {error}")),
        }
    }
    println!(
        "{count} pairs: {} wrong, {} unresolved; gap above samples by at most {worst:.1e} of the size",
        silent.len(),
        said.len()
    );
    silent.iter().chain(&said).take(60).for_each(|line| println!("{line}"));
    assert!(silent.is_empty(), "{silent:#?}");
    assert!(said.len() as f64 <= 1e-4 * count as f64, "{said:#?}");
}

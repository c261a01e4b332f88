//! Curvature at a point of a raw mesh: six terms against the three of the paper, classes, growth of the region.
//!
//! Lengths in mm. The errors to reach were measured by an independent program on the same shapes and resolutions.

#[path = "mesh_smooth/meshes.rs"]
mod meshes;

use fingerpad_contact::surface::mesh::fit::{FitClass, FitError, FitMesh, FitOptions, FitTerms, LocalFit};
use fingerpad_contact::surface::mesh::topology::Topology;
use meshes::*;

const SIX: FitTerms = FitTerms::Six;
const THREE: FitTerms = FitTerms::Three;

fn options(terms: FitTerms, radius: Option<f64>) -> FitOptions {
    FitOptions { terms, radius, ..FitOptions::default() }
}

fn fit(m: &Raw, x: P, radius: Option<f64>) -> LocalFit {
    FitMesh::new(&m.p, &m.f).at(&x, &options(SIX, radius)).unwrap()
}

/// Median of |k1 − truth|/truth (%) over facet centroids: all, or about 600 of them.
fn median_error(m: &Raw, options: &FitOptions, truth: impl Fn(&P) -> f64, keep: impl Fn(&P) -> bool) -> f64 {
    let mesh = FitMesh::new(&m.p, &m.f);
    let mut found = Vec::new();
    let stride = if m.f.len() < 2000 { 1 } else { (m.f.len() / 600) | 1 };
    for f in m.f.iter().step_by(stride) {
        let [a, b, c] = f.map(|v| m.p[v as usize].coords);
        let x = P::from((a + b + c) / 3.0);
        if keep(&x) {
            let k1 = mesh.at(&x, options).unwrap().k1.unwrap_or(f64::INFINITY);
            found.push(100.0 * (k1 / truth(&x) - 1.0).abs());
        }
    }
    found.sort_by(f64::total_cmp);
    found[found.len() / 2]
}

fn row(name: &str, m: &Raw, truth: impl Fn(&P) -> f64, keep: impl Fn(&P) -> bool, design: f64) {
    let six = median_error(m, &options(SIX, None), &truth, &keep);
    let three = median_error(m, &options(THREE, None), &truth, &keep);
    println!("{name:16} six terms {six:6.2} %, design {design:5.2} %; three terms {three:6.2} %");
    // Half a digit of the printed value, or 3 %.
    assert!(six <= design * 1.03 + 0.005, "{name}: {six} against {design}");
}

#[test]
fn growing_fits_reach_the_errors_of_the_design() {
    let all = |_: &P| true;
    for (level, design) in [(2, 6.8), (3, 1.6), (4, 0.4)] {
        row(&format!("sphere ico{level}"), &ellipsoid(level, V::repeat(10.0)), |_| 0.1, all, design);
    }
    for (nu, design) in [(16, 9.5), (32, 2.3), (64, 0.6), (128, 0.14)] {
        let m = cylinder(10.0, 40.0, nu, nu * 2 / 3, 1);
        row(&format!("cylinder nu{nu}"), &m, |_| 0.1, |x: &P| x.z.abs() < 8.0, design);
    }
    for (nu, design) in [(32, 23.0), (64, 4.9), (128, 1.1)] {
        row(&format!("torus nu{nu}"), &torus(nu, 0.0, 1.0), |_| 0.125, all, design);
    }
    let axes = V::new(20.0, 10.0, 6.0);
    let truth = ellipsoid_truth(axes);
    for (level, design) in [(2, 32.0), (3, 6.8), (4, 2.6)] {
        row(&format!("ellipsoid ico{level}"), &ellipsoid(level, axes), |x| truth(x).k[0], all, design);
    }
}

/// With a given radius: three terms read the sagitta of the facet as curvature, and win only for large or noisy regions.
#[test]
fn three_terms_are_compared_with_six_at_given_radii() {
    let ico4 = ellipsoid(4, V::repeat(10.0));
    let edge = Topology::new(&ico4.p, &ico4.f).longest_edge(&ico4.p, 2000);
    let all = |_: &P| true;
    let both = |m: &Raw, r: f64| [THREE, SIX].map(|terms| median_error(m, &options(terms, Some(r)), |_| 0.1, all));
    let small = both(&ico4, 1.36 * edge);
    let large = both(&ico4, 5.0);
    let noise = both(&noisy(ico4.clone(), 0.02), 2.0);
    println!("r 1.36 edges: three {:.1} %, six {:.2} % (design 24, 0.3)", small[0], small[1]);
    println!("r R/2:        three {:.1} %, six {:.1} % (design 3.5, 6.2)", large[0], large[1]);
    println!("noise, r 2:   three {:.1} %, six {:.1} % (design 6, 9)", noise[0], noise[1]);
    assert!(small[1] < 0.5 && small[0] > 20.0 * small[1]);
    assert!(large[1] < 6.5 && large[0] < large[1]);
    assert!(noise[1] < 10.5);
}

#[test]
fn places_are_told_apart() {
    let block = block(40.0, 30.0, 20.0, 1);
    let top = fit(&block, P::new(20.0, 14.0, 20.5), None);
    assert_eq!((top.class, top.k1, top.k2), (FitClass::Flat, Some(0.0), Some(0.0)));
    assert!((top.normal - V::z()).norm() < 1e-15 && (top.point - P::new(20.0, 14.0, 20.0)).norm() < 1e-12);
    assert_eq!(fit(&block, P::new(20.0, 14.0, 20.0), Some(3.0)).class, FitClass::Flat);
    assert_eq!(fit(&block, P::new(20.0, 28.0, 20.0), Some(3.0)).class, FitClass::Edge);
    let pipe = cylinder(10.0, 40.0, 64, 40, 1);
    let side = fit(&pipe, P::new(10.0, 0.3, 0.3), None);
    assert_eq!(side.class, FitClass::LineLike);
    assert!(side.dir1.unwrap().z.abs() < 1e-6 && (side.k1.unwrap() - 0.1).abs() < 2e-3);
    let ball = ellipsoid(3, V::repeat(10.0));
    let outside = fit(&ball, P::new(1.0, 2.0, 9.6), None);
    assert_eq!(outside.class, FitClass::Smooth);
    assert!(outside.condition.unwrap() < 30.0 && outside.vertices >= 10 && outside.std.unwrap() < 0.02);
    // The same ball inside out is a socket.
    let socket = Raw { p: ball.p.clone(), f: ball.f.iter().map(|&[a, b, c]| [a, c, b]).collect() };
    let inside = fit(&socket, P::new(1.0, 2.0, 9.6), None);
    assert_eq!(inside.class, FitClass::Conforming);
    assert!((inside.k1.unwrap() + 0.1).abs() < 0.003);
    // The inner side of a torus is a saddle: convex one way only.
    assert_eq!(fit(&torus(64, 0.0, 1.0), P::new(12.0, 0.0, 0.0), None).class, FitClass::LineLike);
}

/// All normals of a fine ball are within 2° around a point; its curvature is still there.
#[test]
fn a_fine_ball_is_not_flat() {
    let m = ellipsoid(6, V::repeat(10.0));
    let got = fit(&m, P::new(3.0, 4.0, 8.6), None);
    assert_eq!(got.class, FitClass::Smooth);
    assert!((got.k1.unwrap() - 0.1).abs() < 1e-3);
    // A plane with 1 µm of noise is flat.
    let mut plane = block(40.0, 30.0, 20.0, 20);
    let mut random = Random(3);
    for p in &mut plane.p {
        p.z += random.normal() * 1e-3;
    }
    assert_eq!(fit(&plane, P::new(20.0, 14.0, 20.0), Some(5.0)).class, FitClass::Flat);
}

#[test]
fn questions_without_an_answer_are_refused() {
    let m = ellipsoid(2, V::repeat(10.0));
    let mesh = FitMesh::new(&m.p, &m.f);
    let ask = |x: P, r: Option<f64>| mesh.at(&x, &options(SIX, r));
    assert!(matches!(ask(P::new(f64::NAN, 0.0, 0.0), None), Err(FitError::BadInput { .. })));
    assert!(matches!(ask(P::origin(), Some(-1.0)), Err(FitError::BadInput { .. })));
    let bare = FitMesh::new(&m.p, &[]).at(&P::origin(), &options(SIX, None));
    assert_eq!(bare.unwrap_err(), FitError::NoFacets);
    let bent = Raw {
        p: [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [1., 1., 0.1]].map(P::from).to_vec(),
        f: vec![[0, 1, 2], [1, 3, 2]],
    };
    let few = FitMesh::new(&bent.p, &bent.f).at(&P::new(0.3, 0.3, 0.0), &options(SIX, None));
    assert!(matches!(few, Err(FitError::TooFew { needed: 10, got: 4, .. })));
}

/// The opinion is a plain scan over all facets, which takes the first of equally close ones. Vertices, where six
/// facets are equally close, centroids, places far away, and a facet without area in the list.
#[test]
fn the_tree_finds_the_facet_that_a_scan_finds() {
    let mut m = torus(32, 0.25, 1.0);
    m.f.insert(0, [0, 0, 1]);
    let mesh = FitMesh::new(&m.p, &m.f);
    let mut random = Random(13);
    for k in 0..400 {
        let x = match k % 4 {
            0 => m.p[k],
            1 => on_torus(0.1 * k as f64, 0.0) + random.vector(),
            2 => P::from(random.vector() * 50.0),
            _ => P::from(m.f[k].iter().map(|&v| m.p[v as usize].coords).sum::<V>() / 3.0),
        };
        let mut best = (f64::INFINITY, P::origin());
        for f in m.f.iter().filter(|&&f| m.area(f) > 0.0) {
            let corners = f.map(|v| m.p[v as usize]);
            let p = fingerpad_contact::surface::mesh::closest_on_triangle(&x, &corners).0;
            if (p - x).norm_squared() < best.0 {
                best = ((p - x).norm_squared(), p);
            }
        }
        assert_eq!(mesh.at(&x, &options(SIX, None)).unwrap().point, best.1, "{x}");
    }
}

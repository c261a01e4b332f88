//! Meshes with needles, seams, holes, crossings, thin walls or no thickness: a right answer or an error.

mod coarse;

use coarse::{Random, Raw, extrude, facet_distance};
use fingerpad_contact::surface::Surface;
use fingerpad_contact::surface::mesh::smooth::{SmoothError, SmoothOptions};
use fingerpad_contact::surface::mesh::{MeshSurface, Reason, SurfaceChoice, TriangleMesh};
use nalgebra::{Point3, Vector3};

fn made(raw: &Raw, choice: SurfaceChoice) -> Result<MeshSurface, SmoothError> {
    let (mesh, _) = TriangleMesh::new(raw.0.clone(), raw.1.clone()).unwrap();
    MeshSurface::new(mesh, &SmoothOptions { surface: choice, ..Default::default() })
}

/// A box from corner to corner.
fn block(low: [f64; 3], high: [f64; 3]) -> Raw {
    let (mut raw, low) = (
        extrude(
            &[(0.0, 0.0), (high[0] - low[0], 0.0), (high[0] - low[0], high[1] - low[1]), (0.0, high[1] - low[1])],
            high[2] - low[2],
        ),
        Vector3::from(low),
    );
    raw.0.iter_mut().for_each(|p| *p += low);
    raw
}

fn joined(a: Raw, b: Raw) -> Raw {
    let n = a.0.len() as u32;
    let faces = b.1.into_iter().map(|f| f.map(|v| v + n));
    ([a.0, b.0].concat(), a.1.into_iter().chain(faces).collect())
}

fn turned((p, f): Raw) -> Raw {
    (p, f.into_iter().map(|[a, b, c]| [a, c, b]).collect())
}

/// Largest error at points around and next to the mesh, and how many signs are wrong beyond the bound.
fn errors(raw: &Raw, surface: &MeshSurface) -> (f64, usize) {
    let mut random = Random(0x5851_F42D_4C95_7F2D);
    let bound = surface.fidelity().bound;
    let (mut worst, mut wrong) = (0.0_f64, 0);
    for k in 0..600 {
        let p = if k % 2 == 0 { random.around(raw, 0.3) } else { random.near(raw, 0.02) };
        let (d, truth) = (surface.closest_point(&p).unwrap().distance, facet_distance(raw, &p));
        worst = worst.max((d - truth).abs());
        wrong += usize::from(d * truth < 0.0 && truth.abs() > bound);
    }
    (worst, wrong)
}

fn keeps_to_its_bound(raw: &Raw, surface: &MeshSurface) {
    let (worst, wrong) = errors(raw, surface);
    let bound = surface.fidelity().bound;
    assert!(worst <= bound * (1.0 + 1e-9) && wrong == 0, "worst {worst:e}, bound {bound:e}, {wrong} signs wrong");
}

/// A sheet of facets back to back has no inside. Before, which of the two facets came first decided the sign.
#[test]
fn a_sheet_without_thickness_is_refused() {
    let n = 6_u32;
    let p: Vec<_> = (0..n * n).map(|k| Point3::new(0.01 * f64::from(k % n), 0.01 * f64::from(k / n), 0.0)).collect();
    let mut f = Vec::new();
    for j in 0..n - 1 {
        for i in 0..n - 1 {
            let a = j * n + i;
            f.extend([[a, a + 1, a + n + 1], [a, a + n + 1, a + n], [a, a + n + 1, a + 1], [a, a + n, a + n + 1]]);
        }
    }
    for choice in [SurfaceChoice::Auto, SurfaceChoice::Smooth, SurfaceChoice::Facets] {
        let error = made(&(p.clone(), f.clone()), choice).unwrap_err();
        assert!(matches!(error, SmoothError::NoThickness { .. }), "{choice:?}: {error}");
    }
    assert!(matches!(made(&(p, f), SurfaceChoice::Hull), Err(SmoothError::NoCore { .. })));
}

/// The same as a fin on a sound body: the rim of the fin is at z = 30 mm.
#[test]
fn a_fin_without_thickness_is_refused() {
    let (mut p, mut f) = block([0.0; 3], [0.04, 0.03, 0.02]);
    let n = p.len() as u32;
    // On the diagonal of the top, which is an edge of two facets.
    let top: Vec<u32> = (0..n).filter(|&v| p[v as usize].z == 0.02).collect();
    let diagonal = f.iter().flat_map(|f| [(f[0], f[1]), (f[1], f[2]), (f[2], f[0])]);
    let on_top = |v: u32| top.contains(&v);
    let long = |&(a, b): &(u32, u32)| on_top(a) && on_top(b) && (p[a as usize] - p[b as usize]).norm() > 0.045;
    let (a, b) = diagonal.into_iter().find(long).unwrap();
    p.extend([p[a as usize] + Vector3::z() * 0.01, p[b as usize] + Vector3::z() * 0.01]);
    for (x, y, z) in [(a, b, n + 1), (a, n + 1, n)] {
        f.extend([[x, y, z], [x, z, y]]);
    }
    for choice in [SurfaceChoice::Auto, SurfaceChoice::Smooth, SurfaceChoice::Facets] {
        let Err(SmoothError::NoThickness { z, .. }) = made(&(p.clone(), f.clone()), choice) else {
            panic!("{choice:?}: taken, or refused for another reason")
        };
        assert!((0.02..=0.03).contains(&z), "{choice:?}: {z}");
    }
}

/// A face cut into needles 10 nm wide is still one face: the radius of the edges does not shrink to the needles.
#[test]
fn needles_in_a_flat_face_change_nothing() {
    let (mut p, f) = block([0.0; 3], [0.04, 0.03, 0.02]);
    // A vertex 10 nm beside the edge of some facet, then the three parts of that facet.
    let mut faces = Vec::new();
    for (k, [a, b, c]) in f.into_iter().enumerate() {
        let [u, v, w] = [a, b, c].map(|v| p[v as usize].coords);
        let (n, inward) = ((v - u).cross(&(w - u)).normalize(), 1e-8);
        let along = u + (v - u) * (0.2 + 0.05 * k as f64);
        p.push(Point3::from(along + n.cross(&(v - u)).normalize() * inward));
        let m = p.len() as u32 - 1;
        faces.extend([[a, b, m], [b, c, m], [c, a, m]]);
    }
    let raw = (p, faces);
    let surface = made(&raw, SurfaceChoice::Auto).unwrap();
    let body = surface.polyhedron().expect("flat faces");
    assert_eq!((body.planes().len(), body.edges().len(), body.corners().len()), (6, 12, 8));
    assert!(body.radius() > 0.4e-3, "{:e}", body.radius());
    keeps_to_its_bound(&raw, &surface);
}

/// A vertex in the middle of a neighbour's edge, closed by a triangle without area, as exporters write it.
#[test]
fn a_seam_is_no_hole() {
    let (mut p, mut f) = block([0.0; 3], [0.04, 0.03, 0.02]);
    // The side y = 0 is cut at the middle of its lower edge, the bottom is not.
    let low: Vec<u32> = (0..8).filter(|&v| p[v as usize].y == 0.0 && p[v as usize].z == 0.0).collect();
    let (a, b) = (low[0], low[1]);
    let side = f.iter().position(|f| f.contains(&a) && f.contains(&b) && f.iter().all(|&v| p[v as usize].y == 0.0));
    let [x, y, z] = f[side.unwrap()];
    // Turned so that the lower edge comes first.
    let [x, y, z] =
        [[x, y, z], [y, z, x], [z, x, y]].into_iter().find(|t| low.contains(&t[0]) && low.contains(&t[1])).unwrap();
    p.push(nalgebra::center(&p[x as usize], &p[y as usize]));
    let m = 8;
    f[side.unwrap()] = [x, m, z];
    f.extend([[m, y, z], [x, y, m]]);
    let raw = (p, f);
    for choice in [SurfaceChoice::Auto, SurfaceChoice::Facets] {
        let surface = made(&raw, choice).unwrap();
        let body = surface.polyhedron().expect("flat faces");
        assert_eq!((body.planes().len(), body.corners().len()), (6, 8), "{choice:?}");
        // The brute force passes over the seam: it has no area.
        let plain = (raw.0.clone(), raw.1.iter().copied().filter(|t| *t != [x, y, m]).collect());
        keeps_to_its_bound(&plain, &surface);
    }
}

/// A box without its lid: facets with an inside are not to be had; the choice left to us says how far it may be off.
#[test]
fn an_open_box_has_no_facets_with_an_inside() {
    let (p, mut f) = block([0.0; 3], [0.04, 0.03, 0.02]);
    f.retain(|f| f.iter().any(|&v| p[v as usize].z != 0.02));
    let raw = (p, f);
    assert_eq!(made(&raw, SurfaceChoice::Facets).unwrap_err(), SmoothError::NotClosed);
    let surface = made(&raw, SurfaceChoice::Auto).unwrap();
    let bound = surface.fidelity().bound;
    let mut random = Random(7);
    for _ in 0..500 {
        let p = random.around(&raw, 0.3);
        let (d, truth) = (surface.closest_point(&p).unwrap().distance, facet_distance(&raw, &p));
        // Near the hole inside is a matter of definition.
        assert!((d.abs() - truth.abs()).abs() <= bound * (1.0 + 1e-9), "{d:e} for {truth:e}, bound {bound:e}");
    }
}

/// Two boxes through each other: inside one of them is inside. The nearest facet may be deep in the other box, and by
/// its normal the point would be outside.
#[test]
fn shells_that_cross_are_one_body() {
    let raw = joined(block([0.0; 3], [0.04, 0.03, 0.02]), block([0.03, 0.01, 0.005], [0.07, 0.02, 0.015]));
    assert!(matches!(made(&raw, SurfaceChoice::Facets), Err(SmoothError::NoCore { .. })));
    let surface = made(&raw, SurfaceChoice::Auto).unwrap();
    assert!(matches!(surface.fidelity().reason, Reason::NotRounded(_)), "{:?}", surface.fidelity());
    assert!(surface.fidelity().warning().unwrap().contains("crosses itself"));
    keeps_to_its_bound(&raw, &surface);
}

/// A box with a room whose corner comes within 0.2 mm of the outer wall: the core of 1 % of the diagonal would cross
/// itself there.
#[test]
fn a_thin_wall_keeps_its_thickness() {
    let outer = block([0.0; 3], [0.04, 0.03, 0.02]);
    let inner = turned(block([0.01, 0.01, 0.005], [0.0398, 0.02, 0.015]));
    let raw = joined(outer, inner);
    let surface = made(&raw, SurfaceChoice::Auto).unwrap();
    let body = surface.polyhedron().expect("flat faces");
    assert!(body.radius() < 0.1e-3 && body.radius() > 0.02e-3, "{:e}", body.radius());
    keeps_to_its_bound(&raw, &surface);
    // In the middle of the wall, and in the room.
    for (x, d) in [(0.0399, -1e-4), (0.03, 0.005)] {
        let found = surface.closest_point(&Point3::new(x, 0.015, 0.01)).unwrap().distance;
        assert!((found - d).abs() < 1e-9, "{found:e} for {d:e}");
    }
}

//! Fits made when first needed: the same surface, only where it was touched, and no memory taken once touched.

mod allocations;
#[path = "mesh_smooth/meshes.rs"]
mod meshes;

use fingerpad_contact::surface::mesh::smooth::{SmoothMesh, SmoothOptions};
use fingerpad_contact::surface::mesh::{MeshSurface, Stage, TriangleMesh};
use meshes::*;
use std::sync::Mutex;

fn made(m: &Raw, deferred: bool) -> SmoothMesh {
    SmoothMesh::new(&m.p, &m.f, &SmoothOptions { deferred, ..Default::default() }).unwrap()
}

/// The opinion is that of the mesh fitted beforehand, by other threads and in the order of its vertices. Shapes with
/// one sheet, noise, thin walls (where grids differ: only a fitted mesh can leave out what a layer does not reach),
/// and creases of both kinds.
#[test]
fn a_deferred_mesh_is_the_same_surface_to_the_bit() {
    let cases = [
        ("jittered torus", torus(32, 0.3, 1.0)),
        ("noisy torus", noisy(torus(32, 0.0, 1.0), 0.02)),
        ("thin wall", wall(1.5, 50.0, 30.0, 2.9)),
        ("box", block(40.0, 30.0, 20.0, 2)),
        ("bracket", bracket(4)),
    ];
    for (name, m) in &cases {
        let (now, later) = (made(m, false), made(m, true));
        assert_eq!(later.fitted(), 0, "{name}");
        assert_eq!(now.rings(), later.rings());
        let largest = m.largest_facet();
        let mut random = Random(31);
        let places: Vec<P> =
            (0..600).map(|_| random.on_facet(m, largest) + V::from_fn(|_, _| random.between(-0.5, 0.5))).collect();
        // Two threads ask in opposite orders and meet in the middle.
        let ask = |x: &P| assert_eq!(now.evaluate(x), later.evaluate(x), "{name} at {x}");
        std::thread::scope(|scope| {
            scope.spawn(|| places.iter().for_each(ask));
            scope.spawn(|| places.iter().rev().for_each(ask));
        });
        let qualities = |s: &SmoothMesh| s.quality().map(|q| ((q.vertex, q.sheet), q)).collect::<Vec<_>>();
        let all = qualities(&now);
        assert_eq!(all.len(), now.fitted());
        for (key, quality) in qualities(&later) {
            let other = all.iter().find(|q| q.0 == key).unwrap().1;
            assert_eq!(quality, other);
        }
    }
}

/// A path of 1 mm on a torus of 6528 vertices, edges of about 1 mm: the cells it crosses list some tens of vertices
/// each. A deferral that fitted a ring, a sheet or everything would be above 2 %.
#[test]
fn only_touched_regions_are_fitted() {
    let m = torus(128, 0.25, 1.0);
    let s = made(&m, true);
    for k in 0..100 {
        s.project(&on_torus(0.3 + 1e-2 * f64::from(k) / 28.0, 0.1)).unwrap();
    }
    let after_path = s.fitted();
    println!("{after_path} of {} vertices fitted", m.p.len());
    assert!(after_path > 10 && after_path < m.p.len() / 50);
    // The same path again touches nothing new; another place does.
    s.project(&on_torus(0.3, 0.1)).unwrap();
    assert_eq!(s.fitted(), after_path);
    s.project(&on_torus(3.0, 2.0)).unwrap();
    assert!(s.fitted() > after_path);
    assert_eq!(made(&m, false).fitted(), m.p.len());
}

#[test]
fn first_touches_take_memory_and_later_ones_none() {
    let m = torus(64, 0.25, 1.0);
    let (mesh, _) = TriangleMesh::new(m.p.clone(), m.f.clone()).unwrap();
    let s = MeshSurface::new(mesh, &SmoothOptions { deferred: true, ..Default::default() }).unwrap();
    let follow = || {
        let before = allocations::count();
        let mut last = on_torus(0.0, 0.4);
        for k in 0..300 {
            let x = on_torus(2e-3 * f64::from(k), 0.4 + 1e-3 * f64::from(k));
            let c = x + torus_truth(&x).n * 0.5;
            last = s.closest_from(&c, &last).unwrap().point.p;
        }
        allocations::count() - before
    };
    let (first, second) = (follow(), follow());
    println!("{first} allocations at first, {second} afterwards");
    assert!(first > 0 && second == 0);
}

/// Every stage is told of, never beyond its end, and to its end.
#[test]
fn a_set_up_tells_how_far_it_is() {
    let m = torus(64, 0.25, 1.0);
    for (threads, deferred) in [(1, false), (3, false), (1, true)] {
        let told: Mutex<Vec<(Stage, usize, usize)>> = Mutex::default();
        let (mesh, _) = TriangleMesh::new(m.p.clone(), m.f.clone()).unwrap();
        let options = SmoothOptions { threads, deferred, ..Default::default() };
        let watch = |stage, done, total| told.lock().unwrap().push((stage, done, total));
        MeshSurface::watched(mesh, &options, &watch).unwrap();
        let told = told.into_inner().unwrap();
        let mut stages = vec![Stage::Tree, Stage::Neighbours, Stage::Creases, Stage::Rings, Stage::Grid];
        stages.extend((!deferred).then_some(Stage::Fits));
        for stage in stages {
            let of: Vec<_> = told.iter().filter(|t| t.0 == stage).collect();
            assert!(of.iter().all(|t| t.1 <= t.2), "{stage}");
            assert!(of.iter().any(|t| t.1 == t.2), "{stage} did not end");
        }
        assert_eq!(told.iter().any(|t| t.0 == Stage::Fits), !deferred);
    }
}

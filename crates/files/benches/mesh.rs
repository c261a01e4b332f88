//! Times and memory of large meshes: `cargo bench -p fingerpad-files`.

use std::hint::black_box;
use std::time::Instant;

use fingerpad_contact::surface::mesh::{Bvh, MassProperties, MeshSolid, TriangleMesh};
use fingerpad_files::mesh::{self, MeshFormat, MeshOptions};
use nalgebra::Point3;

/// A bumpy torus of 2 n² triangles as a binary STL.
fn stl(n: u32) -> Vec<u8> {
    let point = |i: u32, j: u32| {
        let [u, v] = [i % n, j % n].map(|k| std::f64::consts::TAU * f64::from(k) / f64::from(n));
        let minor = 0.03 + 0.003 * (5.0 * u).sin() * (7.0 * v).cos();
        let r = 0.08 + minor * v.cos();
        [r * u.cos(), r * u.sin(), minor * v.sin()].map(|x| x as f32)
    };
    let mut bytes = vec![b' '; 80];
    bytes.extend((2 * n * n).to_le_bytes());
    for (i, j) in (0..n * n).map(|k| (k / n, k % n)) {
        let [a, b, c, d] = [point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)];
        for t in [[a, b, c], [a, c, d]] {
            bytes.extend([0; 12]);
            t.iter().flatten().for_each(|x| bytes.extend(x.to_le_bytes()));
            bytes.extend([0; 2]);
        }
    }
    bytes
}

fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let began = Instant::now();
    let answer = work();
    println!("  {what}: {:.1} ms", began.elapsed().as_secs_f64() * 1e3);
    answer
}

fn main() {
    for n in [90, 708] {
        let bytes = stl(n);
        println!("{} triangles, {} bytes", 2 * n * n, bytes.len());
        let file = timed("read binary STL", || mesh::read_bytes(&bytes, "torus", &MeshOptions::default()).unwrap());
        assert_eq!((file.format, file.vertices.len()), (MeshFormat::StlBinary, (n * n) as usize));
        let (mesh, warnings) = timed("check", || TriangleMesh::new(file.vertices, file.faces).unwrap());
        assert_eq!(warnings, []);
        timed("mass", || MassProperties::of(&mesh).unwrap());
        let bvh = timed("tree", || Bvh::new(mesh.vertices(), mesh.faces()));
        println!("  tree: {:.1} bytes per triangle", bvh.memory() as f64 / mesh.faces().len() as f64);
        drop(bvh);
        let solid = timed("solid (edges, tree, pseudo-normals)", || MeshSolid::new(mesh));
        println!("  solid: {:.1} bytes per triangle in all", solid.memory() as f64 / f64::from(2 * n * n));
        assert!(solid.is_manifold());

        let queries = 100_000;
        let per = |what: &str, began: Instant| {
            println!("  {what}: {:.0} ns", began.elapsed().as_secs_f64() * 1e9 / f64::from(queries));
        };
        let mut state = 1_u64;
        let mut unit = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        // Within 5 mm of the surface, anywhere.
        let mut near = |spread: f64| {
            let (u, v) = (std::f64::consts::TAU * unit(), std::f64::consts::TAU * unit());
            let minor = 0.03 + spread * (2.0 * unit() - 1.0);
            let r = 0.08 + minor * v.cos();
            Point3::new(r * u.cos(), r * u.sin(), minor * v.sin())
        };
        let points: Vec<Point3<f64>> = (0..queries).map(|_| near(0.005)).collect();
        let began = Instant::now();
        points.iter().for_each(|p| _ = black_box(solid.closest(p, None)));
        per("closest, random points within 5 mm, cold", began);
        // Along a path in steps of about 0.1 mm, off by some mm or so near that bumps reach it.
        for minor in [0.040, 0.0301] {
            let path = |k: i32| {
                let u = f64::from(k) * 1e-3;
                let v = 0.7 * u;
                let r = 0.08 + minor * v.cos();
                Point3::new(r * u.cos(), r * u.sin(), minor * v.sin())
            };
            let began = Instant::now();
            (0..queries).for_each(|k| _ = black_box(solid.closest(&path(k), None)));
            per(&format!("closest along a path {minor} m from the axis, cold"), began);
            let mut hint = None;
            let began = Instant::now();
            (0..queries).for_each(|k| hint = Some(solid.closest(&path(k), hint).unwrap().face));
            per("the same, warm", began);
        }
        let began = Instant::now();
        points.iter().for_each(|p| {
            black_box(solid.winding_number(p));
        });
        per("winding number", began);
    }
}

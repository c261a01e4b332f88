//! Smooth meshes: time per evaluation along a path and at random places, per closest point, and for the set-up.
//!
//! ```text
//! cargo bench -p fingerpad-contact --bench mesh
//! cargo bench -p fingerpad-contact --bench mesh -- 800     tori up to this many columns (800: half a million facets)
//! ```
//!
//! Median of 15 batches. The mesh is a torus 20/8 mm with nu × 0.4 nu vertices, in metres.

use fingerpad_contact::surface::mesh::smooth::{SmoothMesh, SmoothOptions};
use nalgebra::Point3;
use std::f64::consts::TAU;
use std::hint::black_box;
use std::time::Instant;

fn main() {
    // `cargo bench` passes `--bench`; a number asks for larger meshes.
    let largest = std::env::args().filter_map(|a| a.parse().ok()).next_back().unwrap_or(128);
    println!(
        "{:>9} {:>10} {:>10} {:>10} {:>10} {:>12} {:>10}",
        "facets", "path", "random", "project", "tracked", "set-up", "memory"
    );
    println!("{:>9} {:>10} {:>10} {:>10} {:>10} {:>12} {:>10}", "", "ns", "ns", "ns", "ns", "µs/vertex", "B/vertex");
    let mut nu = 64;
    while nu <= largest {
        row(nu);
        nu = if nu == 64 { 128 } else { nu * 5 / 2 };
    }
    threads();
}

fn at(u: f64, v: f64) -> Point3<f64> {
    let ring = 0.020 + 0.008 * v.cos();
    Point3::new(ring * u.cos(), ring * u.sin(), 0.008 * v.sin())
}

fn torus(nu: u32) -> (Vec<Point3<f64>>, Vec<[u32; 3]>) {
    let nv = (f64::from(nu) * 0.4).round() as u32;
    let mut vertices = Vec::new();
    let mut faces = Vec::new();
    for i in 0..nu {
        for j in 0..nv {
            vertices.push(at(TAU * f64::from(i) / f64::from(nu), TAU * f64::from(j) / f64::from(nv)));
            let (i1, j1) = ((i + 1) % nu, (j + 1) % nv);
            let (a, b, c, d) = (i * nv + j, i1 * nv + j, i1 * nv + j1, i * nv + j1);
            faces.extend([[a, b, c], [a, c, d]]);
        }
    }
    (vertices, faces)
}

/// Median time of one call (ns) over 15 batches.
fn time(count: usize, mut call: impl FnMut(usize)) -> f64 {
    let mut batches: Vec<f64> = (0..15)
        .map(|batch| {
            let start = Instant::now();
            for k in 0..count {
                call(batch * count + k);
            }
            start.elapsed().as_secs_f64() * 1e9 / count as f64
        })
        .collect();
    batches.sort_unstable_by(f64::total_cmp);
    batches[7]
}

fn row(nu: u32) {
    let (vertices, faces) = torus(nu);
    let start = Instant::now();
    let mesh = SmoothMesh::new(&vertices, &faces, &SmoothOptions::default()).expect("a torus is a good mesh");
    let setup = start.elapsed().as_secs_f64() * 1e6 / vertices.len() as f64;
    let path = |k: usize| at(2e-3 * k as f64, 0.7 + 1.1e-3 * k as f64);
    // Multiples of irrational numbers: as good as random, and the same each time.
    let random = |k: usize| {
        at(TAU * (k as f64 * 0.618_033_988_749_895).fract(), TAU * (k as f64 * 0.754_877_666_246_693).fract())
    };
    let along = time(2000, |k| {
        black_box(mesh.evaluate(&path(k))).expect("a place on the torus");
    });
    let anywhere = time(2000, |k| {
        black_box(mesh.evaluate(&random(k))).expect("a place on the torus");
    });
    let project = time(1000, |k| {
        black_box(mesh.project(&path(k))).expect("a place on the torus");
    });
    let mut last = path(0);
    let tracked = time(1000, |k| {
        let c = path(k) + (path(k) - Point3::origin()) * 0.05;
        last = mesh.closest(&c, &last).expect("the path stays near the mesh").point.p;
    });
    let bytes = mesh.bytes() as f64 / vertices.len() as f64;
    println!(
        "{:>9} {along:>10.0} {anywhere:>10.0} {project:>10.0} {tracked:>10.0} {setup:>12.1} {bytes:>10.0}",
        faces.len()
    );
}

fn threads() {
    let (vertices, faces) = torus(128);
    for threads in [1, 2] {
        let start = Instant::now();
        let options = SmoothOptions { threads, ..Default::default() };
        black_box(SmoothMesh::new(&vertices, &faces, &options).expect("a torus is a good mesh"));
        println!(
            "set-up of {} facets with {threads} threads: {:.0} ms",
            faces.len(),
            start.elapsed().as_secs_f64() * 1e3
        );
    }
}

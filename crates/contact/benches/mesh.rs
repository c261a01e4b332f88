//! Smooth meshes: time per evaluation along a path and at random places, per closest point, and for the set-up.
//!
//! ```text
//! cargo bench -p fingerpad-contact --bench mesh
//! cargo bench -p fingerpad-contact --bench mesh -- 800     tori up to this many columns (800: half a million facets)
//! ```
//!
//! Best of 60 batches: other work on the machine only adds. The mesh is a torus 20/8 mm with nu × 0.4 nu vertices, in
//! metres. Goals in brackets: 440 ns for an evaluation along a path, 610 ns at random places (what the prototype of
//! the design took on such a machine), 2 µs for a tracked closest point; ratios below 1 are within them.

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
        row(nu, false);
        row(nu, true);
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

const BATCH: usize = 500;
const CALLS: usize = 60 * BATCH;

/// Least time of one call (ns) over 60 batches.
fn time(mut call: impl FnMut(usize)) -> f64 {
    let batch = |batch: usize| {
        let start = Instant::now();
        for k in 0..BATCH {
            call(batch * BATCH + k);
        }
        start.elapsed().as_secs_f64() * 1e9 / BATCH as f64
    };
    (0..CALLS / BATCH).map(batch).fold(f64::INFINITY, f64::min)
}

fn row(nu: u32, deferred: bool) {
    let (vertices, faces) = torus(nu);
    let options = SmoothOptions { deferred, ..Default::default() };
    let start = Instant::now();
    let mesh = SmoothMesh::new(&vertices, &faces, &options).expect("a torus is a good mesh");
    let setup = start.elapsed().as_secs_f64() * 1e6 / vertices.len() as f64;
    let path = |k: usize| at(2e-3 * k as f64, 0.7 + 1.1e-3 * k as f64);
    // Multiples of irrational numbers: as good as random, and the same each time.
    let random = |k: usize| {
        at(TAU * (k as f64 * 0.618_033_988_749_895).fract(), TAU * (k as f64 * 0.754_877_666_246_693).fract())
    };
    // Made beforehand: sines take as long as a quarter of an evaluation.
    let (path, random): (Vec<_>, Vec<_>) = (0..CALLS).map(|k| (path(k), random(k))).unzip();
    let above: Vec<_> = path.iter().map(|p| p + (p - Point3::origin()) * 0.05).collect();
    let along = time(|k| {
        black_box(mesh.evaluate(&path[k])).expect("a place on the torus");
    });
    let anywhere = time(|k| {
        black_box(mesh.evaluate(&random[k])).expect("a place on the torus");
    });
    let project = time(|k| {
        black_box(mesh.project(&path[k])).expect("a place on the torus");
    });
    let mut last = path[0];
    let tracked = time(|k| {
        last = mesh.closest(&above[k], &last).expect("the path stays near the mesh").point.p;
    });
    let bytes = mesh.bytes() as f64 / vertices.len() as f64;
    println!(
        "{:>9} {along:>10.0} {anywhere:>10.0} {project:>10.0} {tracked:>10.0} {setup:>12.1} {bytes:>10.0}   \
         path {:.2} [440], random {:.2} [610], tracked {:.2} [2000]{}",
        faces.len(),
        along / 440.0,
        anywhere / 610.0,
        tracked / 2000.0,
        if deferred { ", fits deferred" } else { "" }
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

//! Times and memory of large meshes.
//!
//! ```text
//! cargo bench -p fingerpad-files --bench mesh                 reading, checking, trees, facet distances
//! cargo bench -p fingerpad-files --bench mesh -- --large      a million triangles from the file to the smooth body
//! ```

use std::hint::black_box;
use std::sync::Mutex;
use std::time::Instant;

use fingerpad_contact::surface::mesh::smooth::SmoothOptions;
use fingerpad_contact::surface::mesh::{Bvh, MassProperties, MeshSolid, MeshSurface, Stage, TriangleMesh};
use fingerpad_files::mesh::{self, MeshFormat, MeshOptions};
use nalgebra::Point3;

/// A bumpy torus of 2 n² triangles as a binary STL; vertices wander by up to `jitter` of a cell both ways.
fn stl(n: u32, jitter: f64) -> Vec<u8> {
    let point = |i: u32, j: u32| {
        let (i, j) = (i % n, j % n);
        // Multiples of irrational numbers: as good as random, and the same each time.
        let wander = |by: f64| jitter * (2.0 * (f64::from(i * n + j) * by).fract() - 1.0);
        let cells = [f64::from(i) + wander(0.754_877_666_246_693), f64::from(j) + wander(0.569_840_290_998_053)];
        let [u, v] = cells.map(|x| std::f64::consts::TAU * x / f64::from(n));
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

/// Goals for a million triangles from the file to the smooth body, on two cores.
const GOAL_SECONDS: f64 = 12.0;
const GOAL_BYTES: f64 = 900e6;

/// Most memory this process has had (bytes), where the system tells.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? * 1024.0)
}

/// A jittered torus of about a million triangles: from the file to a smooth body.
///
/// The mesh is written by another process, this program with `--write`, so that the peak is that of reading alone.
fn large(threads: usize, deferred: bool) {
    let path = std::env::temp_dir().join(format!("fingerpad-bench-{}.stl", std::process::id()));
    let me = std::env::current_exe().expect("a running program has a file");
    let status = std::process::Command::new(me).arg("--write").arg(&path).status();
    assert!(status.is_ok_and(|s| s.success()), "the mesh could not be written");
    println!("{threads} threads, fits {}", if deferred { "deferred" } else { "made" });
    let began = Instant::now();
    let file = timed("read binary STL", || mesh::read(&path, &MeshOptions::default()).unwrap());
    let (mesh, _) = timed("check", || TriangleMesh::new(file.vertices, file.faces).unwrap());
    let (faces, vertices) = (mesh.faces().len(), mesh.vertices().len());
    let started = Instant::now();
    let stages: Mutex<Vec<(Stage, f64, f64, usize)>> = Mutex::default();
    let watch = |stage: Stage, done: usize, total: usize| {
        let now = started.elapsed().as_secs_f64();
        let mut stages = stages.lock().unwrap();
        let known = stages.iter().position(|s| s.0 == stage);
        let place = known.unwrap_or_else(|| {
            stages.push((stage, now, now, 0));
            stages.len() - 1
        });
        stages[place].2 = now;
        stages[place].3 += 1;
        assert!(done <= total);
    };
    let options = SmoothOptions { threads, deferred, ..SmoothOptions::default() };
    let surface = timed("smooth body", || MeshSurface::watched(mesh, &options, &watch).unwrap());
    let seconds = began.elapsed().as_secs_f64();
    for (stage, from, to, calls) in stages.lock().unwrap().iter() {
        println!("    {stage}: from {from:.2} s to {to:.2} s, told {calls} times");
    }
    println!(
        "  {faces} triangles, {vertices} vertices, {} fitted",
        surface.smooth().map_or(0, |smooth| smooth.fitted())
    );
    println!("  in all {seconds:.2} s: {:.2} of the goal of {GOAL_SECONDS} s", seconds / GOAL_SECONDS);
    if let Some(bytes) = peak_memory() {
        println!("  peak {:.0} MB: {:.2} of the goal of {:.0} MB", bytes / 1e6, bytes / GOAL_BYTES, GOAL_BYTES / 1e6);
    }
    let _ = std::fs::remove_file(&path);
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let after = |word: &str| words.iter().position(|w| w == word).map(|k| words.get(k + 1));
    if let Some(Some(path)) = after("--write") {
        return std::fs::write(path, stl(708, 0.25)).expect("the temporary folder can be written");
    }
    if let Some(threads) = after("--large") {
        let threads = threads.and_then(|w| w.parse().ok());
        let threads = threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        return large(threads, words.iter().any(|w| w == "--deferred"));
    }
    for n in [90, 708] {
        let bytes = stl(n, 0.0);
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

//! Closest points along motions: time per evaluation (p50, p99.9), instructions, and a census of global answers.
//!
//! ```text
//! cargo bench -p fingerpad-contact                       the table
//! cargo bench -p fingerpad-contact -- --instructions     the same with instruction counts (valgrind, minutes)
//! cargo bench -p fingerpad-contact --bench closest -- --only mesh   rows whose name contains a word
//! cargo bench -p fingerpad-contact -- --census 1000000   random ellipsoid pairs against many starts
//! cargo bench -p fingerpad-contact -- --large            a map of 10,000 x 10,000 nodes: memory and time
//! ```
//!
//! Times are per evaluation, from batches of 32 in one run; p99.9 is over batches, so it shows what the machine
//! adds as well. Instructions are counted by valgrind where it is installed: the difference of two run lengths.

#[path = "../tests/mesh_smooth/meshes.rs"]
mod meshes;

use fingerpad_contact::surface::elevation::{ElevationMap, Grid, Interpolation, Samples};
use fingerpad_contact::surface::mesh::smooth::SmoothOptions;
use fingerpad_contact::surface::mesh::{MeshSurface, TriangleMesh};
use fingerpad_contact::surface::{Cylinder, Ellipsoid, HalfSpace, RoundedBox, Shape, Sphere, Surface, Torus};
use fingerpad_contact::track::{ContactLimits, ContactSet, Tracker, closest_points};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use std::f64::consts::TAU;
use std::hint::black_box;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

const BATCH: usize = 32;

/// One benchmark: its goal (ns), and a maker of a function that does one evaluation per call.
struct Case {
    name: &'static str,
    goal: Option<f64>,
    make: fn() -> Box<dyn FnMut()>,
}

const CASES: &[Case] = &[
    Case { name: "ellipsoid pair, warm, apart", goal: Some(300.0), make: || ellipsoids(0.75) },
    Case { name: "ellipsoid pair, warm, overlapping (shallow)", goal: Some(350.0), make: || ellipsoids(0.56) },
    Case { name: "ellipsoid pair, warm, overlapping (deep)", goal: Some(350.0), make: || ellipsoids(0.25) },
    Case { name: "ellipsoid pair, cold, apart", goal: None, make: || ellipsoids_cold(0.75) },
    Case { name: "ellipsoid pair, cold, overlapping (shallow)", goal: None, make: || ellipsoids_cold(0.56) },
    Case { name: "ellipsoid pair, cold, overlapping (deep)", goal: None, make: || ellipsoids_cold(0.25) },
    Case { name: "map patch, along a path, 1001x1001", goal: None, make: || patch(1001, false) },
    Case { name: "map patch, random places, 4001x4001", goal: None, make: || patch(4001, true) },
    Case { name: "ball on map 11x11, tracked", goal: Some(300.0), make: || ball_on_map(11) },
    Case { name: "ball on map 101x101, tracked", goal: Some(300.0), make: || ball_on_map(101) },
    Case { name: "ball on map 1001x1001, tracked", goal: Some(300.0), make: || ball_on_map(1001) },
    Case { name: "ball on map 4001x4001, tracked", goal: Some(300.0), make: || ball_on_map(4001) },
    Case { name: "ball on map 4001x4001, random places, from scratch", goal: None, make: || ball_anywhere(4001) },
    Case { name: "ellipsoid on map 1001x1001, tracked", goal: None, make: ellipsoid_on_map },
    Case { name: "torus on map 1001x1001, tracked", goal: None, make: torus_on_map },
    Case { name: "rounded box pair, tracked", goal: None, make: boxes },
    Case { name: "ball on mesh, 16k facets, tracked, 1 mm steps", goal: Some(2000.0), make: || ball_on_mesh(1e-3) },
    Case { name: "ball on mesh, 16k facets, tracked, 0.1 mm steps", goal: Some(2000.0), make: || ball_on_mesh(1e-4) },
    Case { name: "ball on mesh, 16k facets, from scratch", goal: None, make: ball_on_mesh_cold },
    Case { name: "mesh pair, four feet on a dome, 2 x 20k facets, set", goal: Some(50_000.0), make: four_feet },
    Case { name: "mesh pair, scanned mug and banana, 4 contacts, set", goal: Some(50_000.0), make: mug_and_banana },
    Case { name: "box on plane, face contact, set", goal: None, make: box_on_plane },
    Case { name: "cylinder on box, face contact, set", goal: None, make: can_on_box },
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize, otherwise: usize| arguments.get(k).and_then(|v| v.parse().ok()).unwrap_or(otherwise);
    match arguments.first().map(String::as_str) {
        Some("--census") => census(number(1, 1_000_000)),
        Some("--large") => large(),
        Some("--count") => count(number(1, 0), number(2, 1000)),
        Some("--only") => table(false, arguments.get(1).map_or("", String::as_str)),
        other => table(other == Some("--instructions"), ""),
    }
}

fn table(count_instructions: bool, only: &str) {
    println!("{}", machine());
    println!("{:<52} {:>8} {:>9} {:>7} {:>6} {:>13}", "", "p50 ns", "p99.9 ns", "goal", "ratio", "instructions");
    for (k, case) in CASES.iter().enumerate().filter(|(_, case)| case.name.contains(only)) {
        let mut evaluate = (case.make)();
        // Slow ones fewer times.
        let warm = Instant::now();
        (0..1000).for_each(|_| evaluate());
        let share = if warm.elapsed().as_secs_f64() > 4e-3 { 0.1 } else { 1.0 };
        for _ in 0..(20_000.0 * share) as u32 {
            evaluate();
        }
        let mut samples: Vec<f64> = (0..(12_000.0 * share) as u32)
            .map(|_| {
                let start = Instant::now();
                for _ in 0..BATCH {
                    evaluate();
                }
                start.elapsed().as_secs_f64() * 1e9 / BATCH as f64
            })
            .collect();
        samples.sort_by(f64::total_cmp);
        let at = |share: f64| samples[((samples.len() - 1) as f64 * share) as usize];
        let (goal, ratio) =
            case.goal.map_or((String::new(), String::new()), |g| (format!("{g:.0}"), format!("{:.2}", at(0.5) / g)));
        // Making the largest maps under valgrind takes minutes; their queries do what those on smaller maps do.
        let counted = count_instructions && !case.name.contains("4001");
        let instructions = if counted { instructions(k) } else { None };
        let instructions = instructions.map_or("-".to_string(), |n| format!("{n:.0}"));
        println!("{:<52} {:>8.0} {:>9.0} {:>7} {:>6} {:>13}", case.name, at(0.5), at(0.999), goal, ratio, instructions);
    }
}

/// Processor and compiler, for the record.
fn machine() -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model =
        cpu.lines().find(|l| l.starts_with("model name")).and_then(|l| l.split(": ").nth(1)).unwrap_or("unknown");
    let said = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output().ok().filter(|o| o.status.success());
        output.map_or("unknown".to_string(), |o| String::from_utf8_lossy(&o.stdout).trim().to_string())
    };
    format!("{model}; {}; commit {}", said("rustc", &["--version"]), said("git", &["rev-parse", "--short", "HEAD"]))
}

/// Instructions per evaluation: this program under valgrind for two run lengths.
fn instructions(case: usize) -> Option<f64> {
    let total = |n: usize| -> Option<f64> {
        let output = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(std::env::current_exe().ok()?)
            .args(["--count", &case.to_string(), &n.to_string()])
            .output()
            .ok()?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        said.lines().find(|l| l.contains("Collected :"))?.split(':').next_back()?.trim().parse().ok()
    };
    Some((total(3000)? - total(1000)?) / 2000.0)
}

fn count(case: usize, n: usize) {
    let mut evaluate = (CASES[case].make)();
    for _ in 0..n {
        evaluate();
    }
}

fn ellipsoid(axes: [f64; 3]) -> Shape {
    Shape::Ellipsoid(Ellipsoid::new(axes).unwrap())
}

fn two_ellipsoids() -> (Shape, Shape) {
    (ellipsoid([0.5, 0.35, 0.3]), ellipsoid([0.3, 0.25, 0.15]))
}

/// One body tumbles around the other; 5 ms a step.
fn tumble(step: u64, radius: f64) -> Isometry3<f64> {
    let t = 0.005 * step as f64;
    let orbit = Vector3::new((0.8 * t).cos(), (0.8 * t).sin(), 0.4 * (0.5 * t).sin()) * radius;
    Isometry3::from_parts(Translation3::from(orbit), UnitQuaternion::from_scaled_axis(Vector3::new(1.1, -0.7, 0.9) * t))
}

/// The poses of a motion, made before the clock starts.
fn poses(n: u64, pose: impl Fn(u64) -> Isometry3<f64>) -> impl FnMut() -> Isometry3<f64> {
    let all: Vec<_> = (0..n).map(pose).collect();
    let mut k = 0;
    move || {
        // There and back again, so that the motion stays smooth.
        let last = all.len() - 1;
        let at = if (k / last) % 2 == 0 { k % last } else { last - k % last };
        k += 1;
        all[at]
    }
}

fn follow(a: Shape, b: Shape, mut next: impl FnMut() -> Isometry3<f64> + 'static) -> Box<dyn FnMut()> {
    let mut tracker = Tracker::new(&a, &b, &next()).unwrap();
    Box::new(move || {
        black_box(tracker.update(&a, &b, black_box(&next())).unwrap());
        black_box(tracker.pair().gap);
    })
}

fn ellipsoids(radius: f64) -> Box<dyn FnMut()> {
    let (a, b) = two_ellipsoids();
    follow(a, b, poses(4000, move |k| tumble(k, radius)))
}

fn ellipsoids_cold(radius: f64) -> Box<dyn FnMut()> {
    let (a, b) = two_ellipsoids();
    let mut next = poses(4000, move |k| tumble(17 * k, radius));
    Box::new(move || {
        black_box(closest_points(&a, &b, black_box(&next())).unwrap().gap);
    })
}

/// Gentle hills at 0.1 m, n × n nodes.
fn hills(n: usize) -> ElevationMap {
    let d = 0.1;
    let z = (0..n * n).map(|k| {
        let (x, y) = ((k % n) as f64 * d, (k / n) as f64 * d);
        (0.05 * (1.7 * x).sin() + 0.04 * (1.3 * y + 0.5 * x).cos()) as f32
    });
    let grid = Grid { nx: n, ny: n, dx: d, dy: d, x0: 5.0e5, y0: 4.4e6 };
    ElevationMap::new(grid, Samples::F32(z.collect()), Interpolation::Quintic).unwrap()
}

/// A path of 1 mm steps around the middle of an n × n map.
fn path(n: usize, height: f64) -> impl Fn(u64) -> Isometry3<f64> {
    let half = 0.05 * (n - 1) as f64;
    let radius = 0.5 * half;
    move |k| {
        let angle = 1e-3 * k as f64 / radius;
        Isometry3::from_parts(
            Translation3::new(half + radius * angle.cos(), half + radius * angle.sin(), height),
            UnitQuaternion::from_scaled_axis(Vector3::new(0.3, 1.0, 0.2) * (1e-3 * k as f64 / 0.2)),
        )
    }
}

fn ball_on_map(n: usize) -> Box<dyn FnMut()> {
    let map = Shape::Elevation(Arc::new(hills(n)));
    follow(map, Shape::Sphere(Sphere::new(0.2).unwrap()), poses(20_000, path(n, 0.28)))
}

fn ellipsoid_on_map() -> Box<dyn FnMut()> {
    follow(Shape::Elevation(Arc::new(hills(1001))), ellipsoid([0.2, 0.17, 0.15]), poses(20_000, path(1001, 0.25)))
}

fn torus_on_map() -> Box<dyn FnMut()> {
    let torus = Shape::Torus(Torus::new(0.2, 0.06).unwrap());
    follow(Shape::Elevation(Arc::new(hills(1001))), torus, poses(20_000, path(1001, 0.35)))
}

fn boxes() -> Box<dyn FnMut()> {
    let make = || Shape::RoundedBox(RoundedBox::new(Vector3::new(0.3, 0.2, 0.1), 0.02).unwrap());
    follow(make(), make(), poses(4000, |k| tumble(k, 0.9)))
}

/// A torus 0.2/0.08 m with 144 × 57 vertices: 16,416 facets.
fn mesh_torus() -> Shape {
    let (nu, nv) = (144_u32, 57_u32);
    let (mut vertices, mut faces) = (Vec::new(), Vec::new());
    for i in 0..nu {
        for j in 0..nv {
            let (u, v) = (TAU * f64::from(i) / f64::from(nu), TAU * f64::from(j) / f64::from(nv));
            let ring = 0.2 + 0.08 * v.cos();
            vertices.push(Point3::new(ring * u.cos(), ring * u.sin(), 0.08 * v.sin()));
            let (i1, j1) = ((i + 1) % nu, (j + 1) % nv);
            let (a, b, c, d) = (i * nv + j, i1 * nv + j, i1 * nv + j1, i * nv + j1);
            faces.extend([[a, b, c], [a, c, d]]);
        }
    }
    let (mesh, _) = TriangleMesh::new(vertices, faces).unwrap();
    Shape::Mesh(Arc::new(MeshSurface::new(mesh, &SmoothOptions::default()).unwrap()))
}

/// A ball of 30 mm winds around the ring, its foot moving by `step` (m).
fn around_torus(step: f64) -> impl Fn(u64) -> Isometry3<f64> {
    move |k| {
        let (u, v) = (step * k as f64 / 0.25, 0.3 * step * k as f64 / 0.08);
        let ring = 0.2 + 0.109 * v.cos();
        Isometry3::translation(ring * u.cos(), ring * u.sin(), 0.109 * v.sin())
    }
}

fn ball_on_mesh(step: f64) -> Box<dyn FnMut()> {
    follow(mesh_torus(), Shape::Sphere(Sphere::new(0.03).unwrap()), poses(8000, around_torus(step)))
}

fn ball_on_mesh_cold() -> Box<dyn FnMut()> {
    let (mesh, ball) = (mesh_torus(), Shape::Sphere(Sphere::new(0.03).unwrap()));
    let mut next = poses(4000, around_torus(0.017));
    Box::new(move || {
        black_box(closest_points(&mesh, &ball, black_box(&next())).unwrap().gap);
    })
}

fn mesh(raw: meshes::Raw) -> Shape {
    let (mesh, _) = TriangleMesh::new(raw.p, raw.f).unwrap();
    Shape::Mesh(Arc::new(MeshSurface::new(mesh, &SmoothOptions::default()).unwrap()))
}

/// Updates of all contacts of a pair that has four of them; small turns and shifts around a pose.
fn four_contacts(a: Shape, b: Shape, at: Isometry3<f64>, limits: ContactLimits, size: f64) -> Box<dyn FnMut()> {
    let mut next = poses(4000, move |k| {
        let t = 0.01 * k as f64;
        let turn =
            UnitQuaternion::from_scaled_axis(Vector3::new(t.sin(), (1.3 * t).sin(), 2.0 * (0.7 * t).sin()) * 1e-4);
        let shift = Vector3::new((1.1 * t).sin(), (0.9 * t).sin(), 0.3 * (1.7 * t).sin()) * (1e-4 * size);
        Isometry3::from_parts(Translation3::from(shift), turn) * at
    });
    let mut set = ContactSet::new(&a, &b, &next(), limits).unwrap();
    Box::new(move || {
        set.update(&a, &b, black_box(&next())).unwrap();
        assert_eq!(set.contacts().len(), 4);
        black_box(set.contacts()[3].pair.gap);
    })
}

fn four_feet() -> Box<dyn FnMut()> {
    let dome = mesh(meshes::ellipsoid(5, Vector3::new(1.0, 1.0, 0.4)));
    let feet = mesh(meshes::feet(5, 0.2));
    let limits = ContactLimits { birth: 0.0, death: 2e-3, look_ahead: 0.02, merge: 1e-3 };
    // Down until all four are a millimetre deep.
    let mut height = 0.7;
    for _ in 0..30 {
        let gap = closest_points(&dome, &feet, &Isometry3::translation(0.0, 0.0, height)).unwrap().gap;
        height -= gap + 1e-3;
    }
    four_contacts(dome, feet, Isometry3::translation(0.0, 0.0, height), limits, 0.2)
}

/// A scanned object by name; where there is none the row is passed over.
fn scan(name: &str) -> Option<Shape> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/assets/objects/ycb");
    let text = std::fs::read_to_string(folder.join(format!("{name}.obj"))).ok()?;
    Some(mesh(meshes::from_obj(&text)))
}

/// Where in the sequence the search for four contacts begins: found once by trying from 0.
const FIRST_POSE: u64 = 207;

/// The banana against the mug, at the first of a sequence of poses where they touch in four places.
fn mug_and_banana() -> Box<dyn FnMut()> {
    let (Some(mug), Some(banana)) = (scan("mug"), scan("banana")) else {
        println!("no scanned objects there: the next row measures nothing");
        return Box::new(|| ());
    };
    let limits = ContactLimits { birth: 0.0, death: 5e-4, look_ahead: 2e-3, merge: 5e-4 };
    let middle = [&mug, &banana].map(|shape| shape.bounds().centre());
    let begin = Instant::now();
    for k in FIRST_POSE..4000_u64 {
        if begin.elapsed().as_secs() > 100 {
            println!("gave up at pose {k}");
            break;
        }
        let (u, v) = places(k);
        let (w, x) = places(3 * k + 17);
        let turn = UnitQuaternion::from_euler_angles(TAU * u, TAU * v, TAU * w);
        let away = UnitQuaternion::from_euler_angles(TAU * x, TAU * u, 0.0) * Vector3::z();
        // Approach along a line until about 3 mm deep.
        let mut distance = 0.2;
        let pose = |distance: f64| {
            let place = middle[0].coords + away * distance - turn * middle[1].coords;
            Isometry3::from_parts(Translation3::from(place), turn)
        };
        let Ok(gap) = (0..6).try_fold(0.0, |_, _| {
            closest_points(&mug, &banana, &pose(distance)).map(|pair| {
                distance -= pair.gap + 3e-3;
                pair.gap
            })
        }) else {
            continue;
        };
        if (gap + 3e-3).abs() > 1e-3 {
            continue;
        }
        let Ok(set) = ContactSet::new(&mug, &banana, &pose(distance), limits) else { continue };
        let found = set.contacts();
        if found.len() == 4 {
            let gaps = [0, 1, 2, 3].map(|i| (found[i].pair.gap * 1e5).round() / 100.0);
            let apart = |i: usize, j: usize| (found[i].pair.p_ACa - found[j].pair.p_ACa).norm() * 1e3;
            let nearest = (0..4).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| apart(i, j));
            println!("pose {k}: gaps {gaps:?} mm, {:.1} mm apart or more", nearest.fold(f64::INFINITY, f64::min));
            return four_contacts(mug, banana, pose(distance), limits, 0.05);
        }
    }
    println!("no pose with four contacts found: the next row measures nothing");
    Box::new(|| ())
}

fn rest(a: Shape, b: Shape, height: f64) -> Box<dyn FnMut()> {
    let mut next = poses(4000, move |k| {
        let t = 0.005 * k as f64;
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.01 * t.sin(), 0.01 * (1.3 * t).cos(), 0.1 * t));
        Isometry3::from_parts(Translation3::new(0.05 * t.sin(), 0.02 * t.cos(), height - 1e-3), turn)
    });
    let limits = ContactLimits { birth: 0.01, death: 0.02, look_ahead: 0.05, merge: 1e-4 };
    let mut set = ContactSet::new(&a, &b, &next(), limits).unwrap();
    Box::new(move || {
        set.update(&a, &b, black_box(&next())).unwrap();
        assert_eq!(set.faces().len(), 1);
        black_box(set.faces()[0].pressed());
    })
}

fn box_on_plane() -> Box<dyn FnMut()> {
    let body = Shape::RoundedBox(RoundedBox::new(Vector3::new(0.3, 0.2, 0.1), 0.02).unwrap());
    rest(Shape::HalfSpace(HalfSpace), body, 0.1)
}

fn can_on_box() -> Box<dyn FnMut()> {
    let table = Shape::RoundedBox(RoundedBox::new(Vector3::new(0.3, 0.2, 0.1), 0.02).unwrap());
    rest(table, Shape::Cylinder(Cylinder::new(0.2, 0.1, 0.02).unwrap()), 0.2)
}

/// A quick sequence of places (Weyl), even over the unit square.
fn places(k: u64) -> (f64, f64) {
    ((0.754_877_666_246_693 * k as f64).fract(), (0.569_840_290_998_053 * k as f64).fract())
}

fn patch(n: usize, random: bool) -> Box<dyn FnMut()> {
    let map = hills(n);
    let extent = 0.1 * (n - 1) as f64;
    let mut k = 0;
    Box::new(move || {
        k += 1;
        let (u, v) = if random { places(k) } else { (0.3 + 1e-5 * (k % 40_000) as f64, 0.4) };
        black_box(map.jet(black_box(u * extent), black_box(v * extent)).unwrap());
    })
}

fn ball_anywhere(n: usize) -> Box<dyn FnMut()> {
    let map = Shape::Elevation(Arc::new(hills(n)));
    let ball = Shape::Sphere(Sphere::new(0.2).unwrap());
    let extent = 0.1 * (n - 1) as f64;
    let mut k = 0;
    Box::new(move || {
        k += 1;
        let (u, v) = places(k);
        let place = Isometry3::translation((0.01 + 0.98 * u) * extent, (0.01 + 0.98 * v) * extent, 0.28);
        black_box(closest_points(&map, &ball, black_box(&place)).unwrap().gap);
    })
}

/// Memory and time of a map of 10⁸ samples.
fn large() {
    println!("{}", machine());
    let n = 10_000;
    let samples = (0..n * n).map(|k: usize| ((k % n) as f32 * 0.01).sin() + ((k / n) as f32 * 0.013).cos()).collect();
    let start = Instant::now();
    let grid = Grid { nx: n, ny: n, dx: 0.1, dy: 0.1, x0: 5.0e5, y0: 4.4e6 };
    let map = ElevationMap::new(grid, Samples::F32(samples), Interpolation::Quintic).unwrap();
    println!("made in {:.2} s", start.elapsed().as_secs_f64());
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find(|l| l.starts_with("VmHWM")).unwrap_or("VmHWM unknown");
    println!("samples {} MB, beyond them {:.1} MB; {peak}", 4 * n * n / 1_000_000, map.overhead_bytes() as f64 / 1e6);
    let extent = 0.1 * (n - 1) as f64;
    for (what, random) in [("along a path", false), ("random places", true)] {
        let count = 2_000_000_u64;
        let start = Instant::now();
        for k in 1..=count {
            let (u, v) = if random { places(k) } else { (0.3 + 1e-7 * k as f64, 0.4) };
            black_box(map.jet(black_box(u * extent), black_box(v * extent)).unwrap());
        }
        println!("patch {what}: {:.0} ns", start.elapsed().as_secs_f64() * 1e9 / count as f64);
    }
}

/// Random ellipsoid pairs, overlap included, each judged by other starts; counts invalid and local answers.
fn census(n: usize) {
    println!("{}", machine());
    let mut state = 2026_u64;
    let mut unit = move || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    };
    let (mut invalid, mut local, mut apart, mut shallow, mut deep, mut worst) = (0, 0, 0, 0, 0, 0.0_f64);
    let mut seconds = 0.0;
    for _ in 0..n {
        let mut axes = || Vector3::from_fn(|_, _| 10.0_f64.powf(unit() - 1.0));
        let (a, b) = (axes(), axes());
        let turn = Vector3::from_fn(|_, _| 2.0 * unit() - 1.0) * std::f64::consts::PI;
        let reach = 1.5 * unit();
        let shift = Vector3::from_fn(|_, _| 2.0 * unit() - 1.0) * reach;
        let X_AB = Isometry3::from_parts(Translation3::from(shift), UnitQuaternion::from_scaled_axis(turn));
        let (ea, eb) = (ellipsoid([a.x, a.y, a.z]), ellipsoid([b.x, b.y, b.z]));
        let start = Instant::now();
        let answer = closest_points(&ea, &eb, &X_AB);
        seconds += start.elapsed().as_secs_f64();
        let Ok(pair) = answer else {
            invalid += 1;
            continue;
        };
        let between = X_AB * pair.p_BCb - (pair.p_ACa + pair.nhat_AB_A * pair.gap);
        invalid += usize::from(between.norm() > 1e-11);
        let rho = a.min().powi(2) / a.max() + b.min().powi(2) / b.max();
        if pair.gap > 0.0 {
            apart += 1;
        } else if pair.gap > -rho {
            shallow += 1;
        } else {
            deep += 1;
        }
        // The judge: φ(n) on 200 random directions, then plain coordinate climbs from the best 10.
        let phi = |d: &Vector3<f64>| {
            d.dot(&shift) - a.component_mul(d).norm() - b.component_mul(&(X_AB.rotation.inverse() * d)).norm()
        };
        let mut starts: Vec<(f64, Vector3<f64>)> = (0..200)
            .map(|_| {
                let z = 2.0 * unit() - 1.0;
                let angle = std::f64::consts::TAU * unit();
                let r = (1.0 - z * z).sqrt();
                let d = Vector3::new(r * angle.cos(), r * angle.sin(), z);
                (phi(&d), d)
            })
            .collect();
        starts.sort_by(|x, y| y.0.total_cmp(&x.0));
        let mut best = f64::NEG_INFINITY;
        for (value, d) in &starts[..10] {
            let (mut value, mut d, mut stride) = (*value, *d, 0.2);
            while stride > 1e-6 {
                let e = fingerpad_contact::track::tangent_basis(&d);
                let steps = [e.column(0) * stride, e.column(1) * stride];
                let tries = [d + steps[0], d - steps[0], d + steps[1], d - steps[1]].map(|t| t.normalize());
                let next = tries.map(|t| (phi(&t), t)).into_iter().max_by(|x, y| x.0.total_cmp(&y.0)).unwrap();
                if next.0 > value {
                    (value, d) = next;
                } else {
                    stride *= 0.5;
                }
            }
            best = best.max(value);
        }
        if best > pair.gap + 1e-9 {
            local += 1;
            worst = worst.max(best - pair.gap);
        }
    }
    println!("{n} random ellipsoid pairs (axes 0.1 to 1 m): {apart} apart, {shallow} shallow, {deep} deep");
    println!("invalid {invalid}, local instead of global {local} (worst by {worst:.1e} m)");
    println!("from scratch, mean {:.0} ns", 1e9 * seconds / n as f64);
}

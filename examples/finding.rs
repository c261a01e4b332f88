//! What finding contacts costs: a search by itself, places beside closest points, a ball on a map of 16 million heights.
//!
//! `cargo run --release --example finding -- [search] [places] [large-map]` (all if none is named). Times are of the processor, and
//! the least of equal runs, so that what other programs do is left out.

use fingerpad_contact::surface::elevation::{ElevationMap, Grid, Interpolation, Samples};
use fingerpad_contact::surface::mesh::smooth::SmoothOptions;
use fingerpad_contact::surface::mesh::{MeshSurface, TriangleMesh};
use fingerpad_contact::surface::{RoundedBox, Shape, Surface};
use fingerpad_contact::track::{ContactLimits, ContactSet, closest_points};
use fingerpad_files::scene::{Built, Scene};
use fingerpad_sim::{FixedStep, FixedWorkspace, Stepper};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use std::path::Path;
use std::sync::Arc;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let wanted = |word: &str| words.is_empty() || words.iter().any(|given| given == word);
    if wanted("search") {
        searches();
    }
    if wanted("places") {
        places();
    }
    if wanted("large-map") {
        large_map();
    }
}

/// Processor time of this thread (s).
fn processor_time() -> f64 {
    let now = nix::time::clock_gettime(nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID).unwrap();
    now.tv_sec() as f64 + 1e-9 * now.tv_nsec() as f64
}

/// Waves with which the ground of the searches is bent (m).
fn waves(x: f64, y: f64) -> f64 {
    0.02 * (8.0 * x).sin() * (7.0 * y).cos()
}

/// The set of all places of a box of 100 × 80 × 60 mm at 300 poses a little above and in the ground, from nothing.
fn searches() {
    let body = Shape::RoundedBox(RoundedBox::new(Vector3::new(0.05, 0.04, 0.03), 0.004).unwrap());
    let n = 81_usize;
    let (spacing, half) = (0.05, 2.0);
    let at = |k: usize| spacing * k as f64 - half;
    let heights = (0..n * n).map(|k| waves(at(k % n), at(k / n))).collect();
    let grid = Grid { nx: n, ny: n, dx: spacing, dy: spacing, x0: 0.0, y0: 0.0 };
    let map = ElevationMap::new(grid, Samples::F64(heights), Interpolation::default()).unwrap();
    let slab = |n: usize, bent: bool| {
        let at = |k: usize| 4.0 * k as f64 / (n - 1) as f64 - 2.0;
        let mut vertices = Vec::new();
        for bottom in [false, true] {
            for k in 0..n * n {
                let (x, y) = (at(k % n), at(k / n));
                let top = if bent { waves(x, y) } else { 0.0 };
                vertices.push(Point3::new(x, y, if bottom { -0.2 } else { top }));
            }
        }
        let v = |bottom: bool, i: usize, j: usize| (usize::from(bottom) * n * n + j * n + i) as u32;
        let mut facets = Vec::new();
        let mut quad = |q: [u32; 4]| facets.extend([[q[0], q[1], q[2]], [q[0], q[2], q[3]]]);
        for j in 0..n - 1 {
            for i in 0..n - 1 {
                quad([v(false, i, j), v(false, i + 1, j), v(false, i + 1, j + 1), v(false, i, j + 1)]);
                quad([v(true, i, j), v(true, i, j + 1), v(true, i + 1, j + 1), v(true, i + 1, j)]);
            }
            quad([v(true, j, 0), v(true, j + 1, 0), v(false, j + 1, 0), v(false, j, 0)]);
            quad([v(false, j, n - 1), v(false, j + 1, n - 1), v(true, j + 1, n - 1), v(true, j, n - 1)]);
            quad([v(true, 0, j + 1), v(true, 0, j), v(false, 0, j), v(false, 0, j + 1)]);
            quad([v(false, n - 1, j), v(true, n - 1, j), v(true, n - 1, j + 1), v(false, n - 1, j + 1)]);
        }
        let (mesh, _) = TriangleMesh::new(vertices, facets).unwrap();
        Shape::Mesh(Arc::new(MeshSurface::new(mesh, &SmoothOptions::default()).unwrap()))
    };
    let grounds = [
        ("map of waves, 81 × 81", Shape::Elevation(Arc::new(map)), half),
        ("slab of 12 facets", slab(2, false), 0.0),
        ("slab with waves, 25,920 facets", slab(81, true), 0.0),
    ];
    for (name, ground, shift) in &grounds {
        let mut numbers = 0x2545_f491_4f6c_dd1d_u64;
        let mut unit = || {
            numbers ^= numbers << 13;
            numbers ^= numbers >> 7;
            numbers ^= numbers << 17;
            (numbers >> 11) as f64 / (1_u64 << 53) as f64
        };
        let (mut times, mut apart) = (Vec::new(), 0);
        for _ in 0..300 {
            let [x, y] = [0; 2].map(|_| 2.0 * unit() - 1.0);
            let turn = Vector3::from_fn(|_, _| 6.0 * unit() - 3.0);
            let rotation = UnitQuaternion::from_scaled_axis(turn);
            let mut X_AB = Isometry3::from_parts(Translation3::new(x + shift, y + shift, waves(x, y) + 0.2), rotation);
            // Down to 1 mm above or in it.
            let target = 0.002 * unit() - 0.001;
            for _ in 0..4 {
                X_AB.translation.z -= closest_points(ground, &body, &X_AB).unwrap().gap - target;
            }
            let limits = ContactLimits::for_size(body.bounds().radius());
            let limits = ContactLimits { birth: 0.4 * limits.look_ahead, death: 0.6 * limits.look_ahead, ..limits };
            let mut least = f64::INFINITY;
            for _ in 0..5 {
                let clock = processor_time();
                let set = ContactSet::new(ground, &body, &X_AB, limits).unwrap();
                least = least.min(processor_time() - clock);
                apart += usize::from(set.contacts().is_empty() && set.faces().is_empty());
            }
            times.push(1e6 * least);
        }
        times.sort_unstable_by(f64::total_cmp);
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        println!(
            "search, box on {name}: mean {mean:.1} µs, p50 {:.1}, p95 {:.1}, worst {:.1}; {apart} found nothing",
            times[150], times[285], times[299]
        );
    }
}

fn build(text: &str, sets: &[String]) -> Built {
    Scene::parse(text, "finding.toml", Path::new("."), sets).and_then(|scene| scene.build(&mut |_| {})).unwrap()
}

/// Scenes of balls with all places beside the same with closest points.
fn places() {
    let law = "k = 5e4\nn = 1.5\nc_hc = 0.4\nk_t = 2e4\nfriction = \"coulomb\"\nmu = 0.4\n";
    let balls = |count: usize, radius: f64, ring: f64| {
        let mut text = String::new();
        for k in 0..count {
            let (sin, cos) = (std::f64::consts::TAU * k as f64 / count as f64).sin_cos();
            let out = if count > 8 { ring * (0.4 + 0.6 * (k % 3) as f64 / 2.0) } else { ring };
            text += &format!(
                "[[body]]\nname = \"b{k}\"\nshape = {{ type = \"sphere\", radius = {radius} }}\nmass = 1\nmaterial = \"m\"\nposition = [{}, {}, {}]\nvelocity = [{}, {}, 0]\n[[pair]]\nbodies = [\"terrain\", \"b{k}\"]\n{law}",
                out * cos,
                out * sin,
                1.4 + radius,
                -0.5 * sin,
                0.5 * cos,
            );
        }
        text
    };
    let head = "[scene]\nname = \"places\"\nduration = 4\n[materials.m]\nyoung = 2e7\npoisson = 0.4\ndensity = 700\nfriction = 0.4\n[terrain]\nmaterial = \"m\"\n";
    let bowl = "generated = { formula = \"0.2*x^2 + 0.2*y^2\", size = [10, 10], spacing = 1 }\n";
    let hills =
        "generated = { formula = \"0.3*sin(x)*cos(0.8*y)\", size = [20, 20], spacing = 0.25 }\norigin = [0, 0]\n";
    let read = |name: &str| std::fs::read_to_string(format!("scenes/{name}.toml")).unwrap();
    let scenes = [
        ("bowl-map", read("bowl-map"), 1),
        ("bowl-roll", read("bowl-roll"), 1),
        ("8 balls in a bowl", format!("{head}{bowl}{}", balls(8, 0.3, 1.8)), 8),
        ("20 balls on a map", format!("{head}{hills}{}", balls(20, 0.3, 5.0)), 20),
    ];
    for (name, text, pairs) in scenes {
        let mut least = [f64::INFINITY; 2];
        let both = ["closest", "all"].map(|places| {
            let sets: Vec<String> = (0..pairs).map(|k| format!("pair.{k}.places=\"{places}\"")).collect();
            build(&text, &sets)
        });
        for _ in 0..9 {
            for (built, least) in both.iter().zip(&mut least) {
                let (model, stepper) = (&built.model, FixedStep { step: 1e-3, ..FixedStep::default() });
                let (mut state, mut work) = (model.start().unwrap(), FixedWorkspace::new(model).unwrap());
                let clock = processor_time();
                stepper.advance(model, &mut state, &mut work, 2.0).unwrap();
                *least = least.min((processor_time() - clock) / 2000.0);
            }
        }
        let [closest, all] = least.map(|time| 1e6 * time);
        println!("{name}: all {all:.2} µs a step, closest {closest:.2} µs, ratio {:.3}", all / closest);
    }
}

/// A ball that rolls over 4001 × 4001 heights, each step timed: the least of three runs, each on a map of its own.
fn large_map() {
    let folder = std::env::temp_dir().join(format!("fingerpad-finding-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut grid = "ncols 4001\nnrows 4001\nxllcorner 0\nyllcorner 0\ncellsize 1\n".to_string();
    for j in 0..4001 {
        let line: Vec<String> = (0..4001)
            .map(|i| {
                let (x, y) = (f64::from(i), f64::from(j));
                format!("{:.4}", 0.5 * (0.11 * x).sin() * (0.07 * y).cos() + 0.02 * x)
            })
            .collect();
        grid += &line.join(" ");
        grid += "\n";
    }
    std::fs::write(folder.join("large.asc"), grid).unwrap();
    let text = "[scene]\nname = \"large\"\nduration = 40\n[terrain]\nmap = \"large.asc\"\n[[body]]\nname = \"ball\"\nshape = { type = \"sphere\", radius = 0.5 }\nmass = 1\nposition = [1500, 2000, 31.5]\nvelocity = [-15, 4, 0]\n[[pair]]\nbodies = [\"terrain\", \"ball\"]\nk = 5e4\nn = 1.5\nc_hc = 0.4\nk_t = 2e4\nfriction = \"coulomb\"\nmu = 0.4\n";
    let steps = 20_000_usize;
    let mut least = vec![f64::INFINITY; steps];
    for _ in 0..3 {
        let scene = Scene::parse(text, "large.toml", &folder, &[]).and_then(|scene| scene.build(&mut |_| {}));
        let built = scene.unwrap_or_else(|error| panic!("{error}"));
        let (model, stepper) = (&built.model, FixedStep { step: 1e-3, ..FixedStep::default() });
        let (mut state, mut work) = (model.start().unwrap(), FixedWorkspace::new(model).unwrap());
        for (k, least) in least.iter_mut().enumerate() {
            let clock = processor_time();
            stepper.advance(model, &mut state, &mut work, 1e-3 * (k + 1) as f64).unwrap();
            *least = least.min(processor_time() - clock);
        }
        let p = state.bodies[1].X_WBcm.translation.vector;
        println!("ball at {:.1} {:.1} {:.2}, {} contacts", p.x, p.y, p.z, state.contacts.len());
    }
    std::fs::remove_dir_all(&folder).ok();
    least.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| 1e6 * least[(share * (steps - 1) as f64) as usize];
    println!(
        "ball on 4001 × 4001: p50 {:.2} µs, p99 {:.2}, p99.9 {:.2}, worst {:.2}; p99.9 is {:.1} × p50",
        at(0.5),
        at(0.99),
        at(0.999),
        at(1.0),
        at(0.999) / at(0.5)
    );
}

//! Thrown bodies and fast bodies, judged by geometry of their own: points of each body, from formulas of this file, against
//! the height of the ground under them.
//!
//! A body must never be through the ground. How deep it may be: with springs 1.5 times the depth at which the least round of
//! its corners, alone, has taken up all the energy that the body brings (Hertz: V = 8/15 E* √R δ^(5/2)); rigid, 1e-4 of its
//! size, and what a map of samples is off from its formula.

use fingerpad_files::scene::{Built, Scene};
use fingerpad_sim::{Accurate, FixedStep, FixedWorkspace, Rigid, RigidWorkspace, State, Stepper, Switching};
use nalgebra::{Isometry3, Point3, Vector3};
use std::f64::consts::TAU;
use std::path::Path;

/// What is thrown.
pub const SHAPES: [&str; 7] = ["box", "cylinder", "capsule", "torus", "ellipsoid", "revolution", "mesh"];
/// On what.
pub const GROUNDS: [&str; 4] = ["plane", "flat-map", "wavy-map", "slab"];

/// Young's modulus of both materials (Pa), and their Poisson's ratio.
const YOUNG: f64 = 2e7;
const POISSON: f64 = 0.4;
/// Rows of a throw are this far apart (s).
const PERIOD: f64 = 0.005;

/// Numbers of a seed, the same ones each time.
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d)
    }

    /// Evenly between two numbers.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        low + (high - low) * (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn vector(&mut self, most: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.between(-most, most))
    }
}

/// How a run ended.
#[derive(Debug, PartialEq)]
pub enum Fate {
    /// It came to its end; the deepest point of all rows (m).
    Ran(f64),
    /// It stopped and said why; the deepest point until then (m).
    Stopped(f64, String),
}

impl Fate {
    /// The deepest point (m).
    pub fn depth(&self) -> f64 {
        match self {
            Self::Ran(depth) | Self::Stopped(depth, _) => *depth,
        }
    }
}

/// A shape as scenes spell it, points of its surface, its least radius of curvature (m) and half of its least extent (m).
fn shape(kind: &str) -> (String, Vec<Point3<f64>>, f64, f64) {
    let mut points = Vec::new();
    let around = |n: usize| (0..n).map(move |k| (TAU * (k as f64 + 0.5) / n as f64).sin_cos());
    let (words, round, half) = match kind {
        "box" => {
            let (core, r) = ([0.046, 0.036, 0.026], 0.004);
            // The corners' balls, and faces and edges by convex combination: a box is their hull.
            for corner in 0..8 {
                let c = Vector3::from_fn(|i, _| if corner >> i & 1 == 0 { -core[i] } else { core[i] });
                for (s, z) in around(24) {
                    for k in 0..=12 {
                        let h = -1.0 + f64::from(k) / 6.0;
                        let w = (1.0 - h * h).max(0.0).sqrt();
                        points.push(Point3::from(c + Vector3::new(s * w, z * w, h) * r));
                    }
                }
            }
            for i in 0..=10 {
                for j in 0..=10 {
                    let (a, b) = (f64::from(i) / 5.0 - 1.0, f64::from(j) / 5.0 - 1.0);
                    for axis in 0..3 {
                        for side in [-1.0, 1.0] {
                            let mut p = Vector3::zeros();
                            (p[(axis + 1) % 3], p[(axis + 2) % 3]) =
                                (a * core[(axis + 1) % 3], b * core[(axis + 2) % 3]);
                            p[axis] = side * (core[axis] + r);
                            points.push(Point3::from(p));
                        }
                    }
                }
            }
            ("{ type = \"rounded_box\", half_extents = [0.05, 0.04, 0.03], edge_radius = 0.004 }".to_string(), r, 0.03)
        }
        "cylinder" => {
            for (s, c) in around(96) {
                for (t, u) in around(24) {
                    let out = 0.028 + 0.002 * t.abs();
                    points.push(Point3::new(out * c, out * s, (0.048 + 0.002 * u.abs()).copysign(u)));
                }
                points.extend((0..=10).map(|k| Point3::new(0.03 * c, 0.03 * s, -0.048 + 0.0096 * f64::from(k))));
            }
            ("{ type = \"cylinder\", radius = 0.03, half_length = 0.05, edge_radius = 0.002 }".to_string(), 0.002, 0.03)
        }
        "capsule" => {
            for (s, c) in around(64) {
                for (t, u) in around(64) {
                    let (out, z) = (0.02 * t.abs(), 0.02 * u + 0.04_f64.copysign(u));
                    points.push(Point3::new(out * c, out * s, z));
                }
                points.extend((0..=10).map(|k| Point3::new(0.02 * c, 0.02 * s, -0.04 + 0.008 * f64::from(k))));
            }
            ("{ type = \"capsule\", radius = 0.02, half_length = 0.04 }".to_string(), 0.02, 0.02)
        }
        "torus" => {
            for (s, c) in around(128) {
                for (t, u) in around(48) {
                    let out = 0.03 + 0.01 * t;
                    points.push(Point3::new(out * c, out * s, 0.01 * u));
                }
            }
            ("{ type = \"torus\", major_radius = 0.03, minor_radius = 0.01 }".to_string(), 0.01, 0.01)
        }
        "ellipsoid" => {
            for (s, c) in around(96) {
                for (t, u) in around(96) {
                    points.push(Point3::new(0.05 * t.abs() * c, 0.03 * t.abs() * s, 0.02 * u));
                }
            }
            ("{ type = \"ellipsoid\", semi_axes = [0.05, 0.03, 0.02] }".to_string(), 0.008, 0.02)
        }
        "revolution" => {
            // A body with a waist: it has hollows, and bends both ways.
            let profile = |t: f64| [t.sin() * (0.026 + 0.008 * (2.0 * t).cos()), -0.04 * t.cos()];
            for (s, c) in around(96) {
                for k in 0..=96 {
                    let [r, z] = profile(0.5 * TAU * f64::from(k) / 96.0);
                    points.push(Point3::new(r * c, r * s, z));
                }
            }
            let knots = (0..=32).map(|k| profile(0.5 * TAU * f64::from(k) / 32.0));
            let knots: Vec<String> = knots.map(|[r, z]| format!("[{}, {z}]", if r < 1e-9 { 0.0 } else { r })).collect();
            (format!("{{ type = \"revolution\", profile = [{}] }}", knots.join(", ")), 0.01, 0.025)
        }
        "sphere" => {
            for (s, c) in around(64) {
                for (t, u) in around(64) {
                    points.push(Point3::from(Vector3::new(t * c, t * s, u) * 0.03));
                }
            }
            ("{ type = \"sphere\", radius = 0.03 }".to_string(), 0.03, 0.03)
        }
        _ => {
            // A six-sided prism, its edges rounded by about a hundredth: sampled a little inside.
            let corner = |k: usize, z: f64| {
                let (s, c) = (TAU * k as f64 / 6.0).sin_cos();
                Point3::new(0.0394 * c, 0.0394 * s, 0.0294 * z)
            };
            for k in 0..6 {
                for z in [-1.0, 1.0] {
                    for part in 0..=10 {
                        let (p, q) = (corner(k, z), corner(k + 1, z));
                        points.push(p + (q - p) * (f64::from(part) / 10.0));
                        points.push(p * (f64::from(part) / 10.0));
                        points.push(p + (corner(k, -z) - p) * (f64::from(part) / 20.0));
                    }
                }
            }
            ("{ type = \"mesh\", mesh = \"prism.obj\" }".to_string(), 5e-4, 0.03)
        }
    };
    (words, points, round, half)
}

/// A ground as scenes spell it.
fn ground(kind: &str) -> String {
    let map = |formula: &str, spacing: f64| {
        format!(
            "[terrain]\ngenerated = {{ formula = \"{formula}\", size = [4, 4], spacing = {spacing}, center = [0, 0] }}\norigin = [0, 0]\nmaterial = \"m\"\n"
        )
    };
    let body = |shape: &str| format!("[[body]]\nname = \"ground\"\nshape = {shape}\nfixed = true\nmaterial = \"m\"\n");
    match kind {
        "plane" => body("\"half_space\""),
        "flat-map" => map("0*x", 0.1),
        "wavy-map" => map("0.02*sin(8*x)*cos(7*y)", 0.05),
        _ => body("{ type = \"mesh\", mesh = \"slab.obj\" }"),
    }
}

/// Height of a ground (m).
fn height(kind: &str, x: f64, y: f64) -> f64 {
    if kind == "wavy-map" { 0.02 * (8.0 * x).sin() * (7.0 * y).cos() } else { 0.0 }
}

/// Writes the meshes into a folder.
pub fn write_meshes(folder: &Path) {
    let prism = |n: usize| {
        let mut text = String::new();
        for z in [-0.03, 0.03] {
            for k in 0..n {
                let (s, c) = (TAU * k as f64 / n as f64).sin_cos();
                text += &format!("v {} {} {z}\n", 0.04 * c, 0.04 * s);
            }
        }
        for k in 0..n {
            let j = (k + 1) % n;
            text += &format!("f {} {} {}\nf {} {} {}\n", k + 1, j + 1, n + j + 1, k + 1, n + j + 1, n + k + 1);
        }
        for k in 1..n - 1 {
            text += &format!("f 1 {} {}\nf {} {} {}\n", k + 2, k + 1, n + 1, n + k + 1, n + k + 2);
        }
        text
    };
    std::fs::write(folder.join("prism.obj"), prism(6)).unwrap();
    let mut slab = String::new();
    for z in [-0.2, 0.0] {
        for y in [-2.0, 2.0] {
            for x in [-2.0, 2.0] {
                slab += &format!("v {x} {y} {z}\n");
            }
        }
    }
    for f in
        ["1 3 4", "1 4 2", "5 6 8", "5 8 7", "1 2 6", "1 6 5", "3 7 8", "3 8 4", "1 5 7", "1 7 3", "2 4 8", "2 8 6"]
    {
        slab += &format!("f {f}\n");
    }
    std::fs::write(folder.join("slab.obj"), slab).unwrap();
}

/// The scene of a throw.
pub fn scene(kind: &str, on: &str, seed: u64) -> String {
    let mut chance = Chance::new(seed);
    let (words, ..) = shape(kind);
    let q: Vec<f64> = (0..4).map(|_| chance.between(-1.0, 1.0)).collect();
    let n = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    let [x, y] = [0, 1].map(|_| chance.between(-0.3, 0.3));
    let (v, w, down) = (chance.vector(1.0), chance.vector(15.0), chance.between(-2.0, 0.0));
    format!(
        "[scene]\nname = \"throw\"\nduration = 1.0\n[materials.m]\nyoung = {YOUNG}\npoisson = {POISSON}\ndensity = 700\nfriction = 0.5\nhunt_crossley = 0.5\n{}[[body]]\nname = \"thrown\"\nshape = {words}\nmaterial = \"m\"\nposition = [{x}, {y}, 0.15]\norientation = {{ quaternion = [{}, {}, {}, {}] }}\nvelocity = [{}, {}, {down}]\nangular_velocity = [{}, {}, {}]\n",
        ground(on),
        q[0] / n,
        q[1] / n,
        q[2] / n,
        q[3] / n,
        v.x,
        v.y,
        w.x,
        w.y,
        w.z,
    )
}

/// What heaps are made of, and what they fall on.
pub const IN_HEAPS: [&str; 7] = ["box", "cylinder", "capsule", "torus", "sphere", "revolution", "mesh"];
pub const UNDER_HEAPS: [&str; 3] = ["plane", "wavy-map", "slab"];

/// A heap: three to ten bodies that fall on a ground and on each other; the scene, the ground, and the kinds of the bodies.
pub fn heap_scene(seed: u64) -> (String, &'static str, Vec<&'static str>) {
    let mut chance = Chance::new(seed.wrapping_add(77_000));
    // The first numbers of neighbouring seeds are alike.
    (0..8).for_each(|_| {
        chance.between(0.0, 1.0);
    });
    let on = UNDER_HEAPS[seed as usize % UNDER_HEAPS.len()];
    let count = chance.between(3.0, 11.0) as usize;
    let mut text = format!(
        "[scene]\nname = \"heap\"\nduration = 1.0\n[materials.m]\nyoung = {YOUNG}\npoisson = {POISSON}\ndensity = 700\nfriction = 0.5\nhunt_crossley = 0.5\n{}",
        ground(on)
    );
    let mut kinds = Vec::new();
    for k in 0..count {
        let kind = IN_HEAPS[(chance.between(0.0, 1.0) * IN_HEAPS.len() as f64) as usize % IN_HEAPS.len()];
        kinds.push(kind);
        let q: Vec<f64> = (0..4).map(|_| chance.between(-1.0, 1.0)).collect();
        let n = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        let [x, y] = [0, 1].map(|_| chance.between(-0.06, 0.06));
        // Far enough apart for any attitude: none begins inside another.
        let z = 0.12 + 0.13 * k as f64;
        let (v, w) = (chance.vector(0.5), chance.vector(8.0));
        text += &format!(
            "[[body]]\nname = \"b{k}\"\nshape = {}\nmaterial = \"m\"\nposition = [{x}, {y}, {z}]\norientation = {{ quaternion = [{}, {}, {}, {}] }}\nvelocity = [{}, {}, {}]\nangular_velocity = [{}, {}, {}]\n",
            shape(kind).0,
            q[0] / n,
            q[1] / n,
            q[2] / n,
            q[3] / n,
            v.x,
            v.y,
            v.z,
            w.x,
            w.y,
            w.z
        );
    }
    (text, on, kinds)
}

/// What became of a heap.
pub struct Heap {
    /// How many bodies it had.
    pub bodies: usize,
    /// Those of which a sampled point was deeper in the ground than half their least extent, or that ended elsewhere than
    /// above the ground.
    pub through: Vec<String>,
    /// Why it ended early.
    pub stopped: Option<String>,
    /// The deepest point in the ground (m).
    pub deepest: f64,
}

/// Lets a heap fall.
pub fn heap(seed: u64, stepper: &str, folder: &Path) -> Heap {
    let (text, on, kinds) = heap_scene(seed);
    let built = build(&text, folder);
    let model = &built.model;
    let shapes: Vec<_> = kinds.iter().map(|kind| shape(kind)).collect();
    let of_name = |name: &str| model.bodies().iter().position(|body| body.name == name).unwrap();
    let places: Vec<usize> = (0..kinds.len()).map(|k| of_name(&format!("b{k}"))).collect();
    let (mut deep, mut lost) = (vec![0.0_f64; kinds.len()], vec![false; kinds.len()]);
    let stopped = carry(&built, stepper, 1.0, 0.01, |state| {
        for (k, &body) in places.iter().enumerate() {
            let X_WB: Isometry3<f64> = model.frame(body, &state.bodies[body].X_WBcm);
            let inside = |p: &Point3<f64>| height(on, p.x, p.y) - p.z;
            let deepest = shapes[k].1.iter().map(|p| inside(&(X_WB * p))).fold(0.0, f64::max);
            deep[k] = deep[k].max(deepest);
            let t = X_WB.translation.vector;
            lost[k] |= !(t.x.abs() < 2.0 && t.y.abs() < 2.0 && t.z > -0.05 && t.z < 3.0);
        }
    });
    let through = (0..kinds.len()).filter(|&k| deep[k] >= shapes[k].3 || lost[k]);
    let through = through.map(|k| format!("b{k} ({}) on {on}: {:.2e} m", kinds[k], deep[k])).collect();
    Heap { bodies: kinds.len(), through, stopped, deepest: deep.into_iter().fold(0.0, f64::max) }
}

/// Reads a scene.
pub fn build(text: &str, folder: &Path) -> Built {
    Scene::parse(text, "throw.toml", folder, &[]).and_then(|scene| scene.build(&mut |_| {})).unwrap()
}

/// Carries a scene through its time by a stepper, in steps of 1 ms, and looks at rows of it; why it stopped.
pub fn carry(built: &Built, stepper: &str, end: f64, period: f64, look: impl FnMut(&State)) -> Option<String> {
    carry_by(built, stepper, 1e-3, end, period, look)
}

/// The same in steps of another length (s).
fn carry_by(
    built: &Built,
    stepper: &str,
    step: f64,
    end: f64,
    period: f64,
    mut look: impl FnMut(&State),
) -> Option<String> {
    let model = &built.model;
    let mut state = model.start().unwrap();
    let explicit = Accurate { relative: 1e-6, absolute: 1e-7, ..Accurate::default() };
    let accurate = Switching { accurate: explicit };
    let mut work = accurate.workspace(model, &state).unwrap();
    let mut fast_work = FixedWorkspace::new(model).unwrap();
    let mut rigid_work = RigidWorkspace::new(model, &state);
    let mut time = 0.0;
    while time < end {
        time = end.min(time + period);
        let stopped = match stepper {
            "accurate" => accurate.advance(model, &mut state, &mut work, time).err(),
            "fast" => FixedStep { step, ..FixedStep::default() }.advance(model, &mut state, &mut fast_work, time).err(),
            _ => Rigid::with_step(step).advance(model, &mut state, &mut rigid_work, time).err(),
        };
        look(&state);
        if let Some(error) = stopped {
            return Some(error.to_string());
        }
    }
    None
}

/// Throws a body; how it ended, and how deep it may be (m).
pub fn throw(kind: &str, on: &str, seed: u64, stepper: &str, folder: &Path) -> (Fate, f64) {
    let built = build(&scene(kind, on, seed), folder);
    let (_, points, round, thickness) = shape(kind);
    let model = &built.model;
    let (body, thrown) = model.bodies().iter().enumerate().find(|(_, body)| body.name == "thrown").unwrap();
    let start = model.start().unwrap();
    let V = start.bodies[body].V_WBcm;
    let energy = thrown.mass * (0.5 * V.v.norm_squared() + 9.81 * (0.15 + 0.05))
        + 0.5
            * (thrown.I_BBcm_B * (start.bodies[body].X_WBcm.rotation.inverse() * V.w))
                .dot(&(start.bodies[body].X_WBcm.rotation.inverse() * V.w));
    let modulus = 0.5 * YOUNG / (1.0 - POISSON * POISSON);
    let of_law = (energy / (8.0 / 15.0 * modulus * round.sqrt())).powf(0.4);
    // Samples of 50 mm of the wavy map are off from its formula by up to 30 µm.
    let of_map = if on == "wavy-map" { 3.5e-5 } else { 0.0 };
    let most = if stepper == "rigid" { 1e-4 * 2.0 * thickness + of_map } else { 1.5 * of_law + of_map };
    let mut deepest = 0.0_f64;
    let stopped = carry(&built, stepper, 1.0, PERIOD, |state| {
        let X_WB: Isometry3<f64> = model.frame(body, &state.bodies[body].X_WBcm);
        for p in &points {
            let q = X_WB * p;
            deepest = deepest.max(height(on, q.x, q.y) - q.z);
        }
    });
    (stopped.map_or(Fate::Ran(deepest), |why| Fate::Stopped(deepest, why)), most)
}

/// Half of a thrown body's least extent (m): deeper than that it is going through.
pub fn half_extent(kind: &str) -> f64 {
    shape(kind).3
}

/// What is shot, and what at.
pub const SHOTS: [&str; 3] = ["ball", "box", "capsule"];
pub const TARGETS: [&str; 3] = ["plate", "box", "mesh"];

/// Shoots a small body at a target of a thickness (m) with a speed (m/s), in steps of a length (s): why it stopped, if it did.
/// An error if it went on behind the target's middle. Springs cannot hold what brings more energy than they can take up
/// within the target: then a run has to stop and say so.
pub fn shoot(
    body: &str,
    target: &str,
    thick: f64,
    speed: f64,
    step: f64,
    stepper: &str,
    folder: &Path,
) -> Result<Option<String>, String> {
    let r = 0.002;
    let words = match body {
        "ball" => format!("{{ type = \"sphere\", radius = {r} }}"),
        "box" => format!("{{ type = \"rounded_box\", half_extents = [0.003, 0.004, {r}], edge_radius = 0.0005 }}"),
        _ => format!("{{ type = \"capsule\", radius = {r}, half_length = 0.004 }}"),
    };
    let half = 0.5 * thick;
    let at = match target {
        "plate" => {
            format!("{{ type = \"rounded_box\", half_extents = [0.5, 0.5, {half}], edge_radius = {} }}", 0.25 * half)
        }
        "box" => {
            format!("{{ type = \"rounded_box\", half_extents = [0.02, 0.02, {half}], edge_radius = {} }}", 0.25 * half)
        }
        _ => {
            let mut mesh = String::new();
            for z in [-half, half] {
                for y in [-0.5, 0.5] {
                    for x in [-0.5, 0.5] {
                        mesh += &format!("v {x} {y} {z}\n");
                    }
                }
            }
            for f in [
                "1 3 4", "1 4 2", "5 6 8", "5 8 7", "1 2 6", "1 6 5", "3 7 8", "3 8 4", "1 5 7", "1 7 3", "2 4 8",
                "2 8 6",
            ] {
                mesh += &format!("f {f}\n");
            }
            std::fs::write(folder.join("plate.obj"), mesh).unwrap();
            "{ type = \"mesh\", mesh = \"plate.obj\" }".to_string()
        }
    };
    // It meets the target after some fifty steps of 1 ms, or a fixed way where it is faster than that.
    let (far, time) = (0.05_f64.max(0.01 * speed).min(0.5) + half, 0.02 + 1.0 / speed);
    let text = format!(
        "[scene]\nname = \"shot\"\nduration = {time}\ngravity = 0\n[materials.m]\nyoung = 2e9\npoisson = 0.3\nfriction = 0.5\ndensity = 1000\n[[body]]\nname = \"target\"\nshape = {at}\nfixed = true\nmaterial = \"m\"\n[[body]]\nname = \"shot\"\nshape = {words}\nmaterial = \"m\"\nposition = [0.003, 0.001, {far}]\nvelocity = [0, 0, -{speed}]\n"
    );
    let built = build(&text, folder);
    let mut lowest = f64::INFINITY;
    let stopped = carry_by(&built, stepper, step, time, 1e-3, |state| {
        lowest = lowest.min(state.bodies[1].X_WBcm.translation.z);
    });
    if lowest > 0.0 || stopped.is_some() {
        return Ok(stopped);
    }
    Err(format!("{body} on {target} of {thick} m at {speed} m/s, {step} s, {stepper}: {lowest:e} m"))
}

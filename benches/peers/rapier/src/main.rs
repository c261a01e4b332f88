//! Fixed steps of 1 ms: Fingerpad beside Rapier on the same scenes, one table from one run.
//!
//! ```text
//! cargo run --release --manifest-path benches/peers/rapier/Cargo.toml
//! ```
//!
//! A word as argument picks the scenes whose names hold it. Time of the processor, one thread, no sleeping. Below the table the stacks and a pile again by complementarity.
//! Rapier's worlds are built from our models, body by body. It runs as it
//! comes, and with a length unit of 0.1 m, the size of the bodies, by which it measures how deep they may sink. What each
//! scene is judged by stands beside the time:
//!
//! - bowl: E(25 s)/E(5 s) of a ball that rolls, ideally 1 (a map of 1 m and 0.1 m spacing)
//! - box, stack: how far the top is from where rigid boxes would have it, after 10 s
//! - heap, pile: mean speed of the ball that moves furthest from 3 to 8 s; nothing resists rolling, so that this is not all
//!   creep in the heap

#[path = "../../../../crates/sim/benches/scenes/mod.rs"]
mod scenes;

use fingerpad_contact::surface::Shape;
use fingerpad_sim::{Stepper, Rigid, FixedStep, FixedWorkspace, Mobility, Model, RigidReport, RigidWorkspace};
use nalgebra::Vector3;
use rapier3d_f64::parry::shape::HeightFieldFlags;
use rapier3d_f64::parry::utils::Array2;
use rapier3d_f64::prelude::*;
use scenes::{bowl, boxes, cpu, energy, loose, map, pile};
use std::time::Instant;

/// What a scene is judged by.
#[derive(Clone, Copy)]
enum Judged {
    /// Energy kept.
    Kept,
    /// Distance of the last body from here (m).
    Off(Vector3<f64>),
    /// Fastest body (m/s).
    Creep,
}

/// A scene: coefficient of friction, times between which it is timed, what it is judged by.
struct Scene {
    name: &'static str,
    model: Model,
    friction: f64,
    from: f64,
    until: f64,
    judged: Judged,
    /// Spacing of the map.
    spacing: f64,
}

/// µs a step, contacts, what it is judged by.
type Found = (f64, f64, f64);

const STEP: f64 = 1e-3;

fn ours(scene: &Scene) -> Found {
    let (model, fast, clock) = (&scene.model, FixedStep { step: STEP, ..FixedStep::default() }, Instant::now());
    let mut work = FixedWorkspace::new(model).unwrap();
    let mut state = model.start().unwrap();
    fast.advance(model, &mut state, &mut work, scene.from).unwrap();
    let (before, start) = (state.clone(), cpu(clock));
    let report = fast.advance(model, &mut state, &mut work, scene.until).unwrap();
    let us = (cpu(clock) - start) / report.steps as f64 * 1e6;
    let places = |state: &fingerpad_sim::State| -> Vec<Vector3<f64>> {
        state.bodies.iter().map(|body| body.X_WBcm.translation.vector).collect()
    };
    let kept = || energy(model, &state) / energy(model, &before);
    let judged = judge(scene, &places(&before), &places(&state), kept);
    (us, report.contacts as f64 / report.steps as f64, judged)
}

/// The same by complementarity; the deepest overlap at the end (m); what all steps were like.
fn rigid(scene: &Scene) -> (Found, f64, RigidReport) {
    let (model, stepper, clock) = (&scene.model, Rigid::with_step(STEP), Instant::now());
    let mut state = model.start().unwrap();
    let mut work = RigidWorkspace::new(model, &state);
    let mut whole = stepper.advance(model, &mut state, &mut work, scene.from).unwrap();
    let (before, start) = (state.clone(), cpu(clock));
    let report = stepper.advance(model, &mut state, &mut work, scene.until).unwrap();
    let us = (cpu(clock) - start) / report.steps as f64 * 1e6;
    whole.add(&report);
    let overlap = stepper.contact_results(model, &state, &mut work).unwrap().iter().map(|view| -view.gap).fold(0.0, f64::max);
    let places = |state: &fingerpad_sim::State| -> Vec<Vector3<f64>> {
        state.bodies.iter().map(|body| body.X_WBcm.translation.vector).collect()
    };
    let judged = judge(scene, &places(&before), &places(&state), || f64::NAN);
    ((us, report.contacts as f64 / report.steps as f64, judged), overlap, whole)
}

fn judge(scene: &Scene, before: &[Vector3<f64>], now: &[Vector3<f64>], kept: impl Fn() -> f64) -> f64 {
    match scene.judged {
        Judged::Kept => kept(),
        Judged::Off(place) => now.last().map_or(f64::NAN, |top| (top - place).norm()),
        Judged::Creep => {
            let moved = before.iter().zip(now).map(|(a, b)| (a - b).norm());
            moved.fold(0.0, f64::max) / (scene.until - scene.from)
        }
    }
}

fn world(scene: &Scene, unit: f64) -> PhysicsWorld {
    let mut world = PhysicsWorld { gravity: Vector::new(0.0, 0.0, -9.81), ..PhysicsWorld::default() };
    world.integration_parameters.dt = STEP;
    world.integration_parameters.length_unit = unit;
    for body in scene.model.bodies() {
        let shape = match &*body.shape {
            Shape::Sphere(ball) => ColliderBuilder::ball(ball.radius()),
            Shape::RoundedBox(cuboid) => {
                let half = cuboid.half_extents();
                ColliderBuilder::cuboid(half.x, half.y, half.z)
            }
            Shape::HalfSpace(_) => ColliderBuilder::new(SharedShape::halfspace(Vector::Z)),
            Shape::Elevation(_) => field(scene.spacing),
            _ => unreachable!("no other shape is in these scenes"),
        };
        let shape = shape.friction(scene.friction).restitution(0.0).mass(body.mass);
        let fixed = matches!(body.mobility, Mobility::Fixed);
        let builder = if fixed { RigidBodyBuilder::fixed() } else { RigidBodyBuilder::dynamic() };
        let (p, turn) = (body.X_WB.translation.vector, body.X_WB.rotation.scaled_axis());
        let (v, w) = (body.V_WBcm.v, body.V_WBcm.w);
        let as_map = matches!(&*body.shape, Shape::Elevation(_));
        // The field is about its middle, and its y is up.
        let (p, turn) = if as_map { (Vector3::zeros(), Vector3::x() * std::f64::consts::FRAC_PI_2) } else { (p, turn) };
        let builder = builder
            .translation(Vector::new(p.x, p.y, p.z))
            .rotation(Vector::new(turn.x, turn.y, turn.z))
            .linvel(Vector::new(v.x, v.y, v.z))
            .angvel(Vector::new(w.x, w.y, w.z))
            .can_sleep(false);
        world.insert(builder, shape);
    }
    world
}

/// The bowl z = 0.2 x² + 0.2 y² as a field of triangles, internal edges mended.
fn field(spacing: f64) -> ColliderBuilder {
    let half = 10.0;
    let n = (2.0 * half / spacing).round() as usize + 1;
    let at = |i: usize| i as f64 * spacing - half;
    let heights = (0..n * n).map(|k| 0.2 * (at(k / n).powi(2) + at(k % n).powi(2))).collect();
    let scale = Vector::new(2.0 * half, 1.0, 2.0 * half);
    ColliderBuilder::heightfield_with_flags(Array2::new(n, n, heights), scale, HeightFieldFlags::FIX_INTERNAL_EDGES)
}

fn rapier(scene: &Scene, unit: f64) -> Found {
    let clock = Instant::now();
    let mut world = world(scene, unit);
    let steps = |from: f64, until: f64| ((until - from) / STEP).round() as u64;
    for _ in 0..steps(0.0, scene.from) {
        world.step();
    }
    let look = |world: &PhysicsWorld| {
        let (mut places, mut energy) = (Vec::new(), 0.0);
        for (_, body) in world.bodies.iter() {
            let p = body.translation();
            places.push(Vector3::new(p.x, p.y, p.z));
            if body.is_dynamic() {
                energy += body.kinetic_energy() + body.mass() * 9.81 * p.z;
            }
        }
        (places, energy)
    };
    let (before, start) = (look(&world), cpu(clock));
    let mut contacts = 0;
    let count = steps(scene.from, scene.until);
    for _ in 0..count {
        world.step();
    }
    let us = (cpu(clock) - start) / count as f64 * 1e6;
    for pair in world.contact_pairs() {
        contacts += pair.manifolds().iter().map(|manifold| manifold.data.solver_contacts.len()).sum::<usize>();
    }
    let now = look(&world);
    (us, contacts as f64, judge(scene, &before.0, &now.0, || now.1 / before.1))
}

fn main() {
    let stack = |name: &'static str, count: usize| Scene {
        name,
        model: boxes(count, 0.0),
        friction: 0.3,
        from: 1.0,
        until: 10.0,
        judged: Judged::Off(Vector3::new(0.0, 0.0, 0.05 * (2 * count - 1) as f64)),
        spacing: 0.0,
    };
    let rolling = |name, spacing: f64| Scene {
        name,
        model: bowl(map(spacing)),
        friction: 0.5,
        from: 5.0,
        until: 25.0,
        judged: Judged::Kept,
        spacing,
    };
    let balls = |name, model, (from, until)| Scene {
        name,
        model,
        friction: 0.5,
        from,
        until,
        judged: Judged::Creep,
        spacing: 0.0,
    };
    let scenes = [
        rolling("bowl, map of 1 m", 1.0),
        rolling("bowl, map of 0.1 m", 0.1),
        stack("box on a plane", 1),
        stack("stack of 5", 5),
        stack("stack of 50", 50),
        balls("heap of 50", loose(50), (3.0, 8.0)),
        balls("heap of 500", loose(500), (3.0, 5.0)),
        balls("pile of 50", pile(50), (1.0, 3.0)),
        balls("pile of 500", pile(500), (1.0, 3.0)),
    ];
    let word = std::env::args().nth(1).unwrap_or_default();
    let scenes: Vec<Scene> = scenes.into_iter().filter(|scene| scene.name.contains(&word)).collect();
    println!("Rapier 0.36.1; µs a step, time of the processor\n");
    println!(
        "| scene | judged by | Fingerpad | Rapier | Rapier, unit of 0.1 m | contacts |\n|---|---|---|---|---|---|"
    );
    for scene in &scenes {
        let judged = match scene.judged {
            Judged::Kept => "energy kept",
            Judged::Off(_) => "top off, m",
            Judged::Creep => "fastest, m/s",
        };
        let found = [ours(scene), rapier(scene, 1.0), rapier(scene, 0.1)];
        let digits = if matches!(scene.judged, Judged::Kept) { 5 } else { 2 };
        let cell = |(us, _, judged): &Found| match scene.judged {
            Judged::Kept => format!("{us:.1}; {judged:.digits$}"),
            _ => format!("{us:.1}; {judged:.1e}"),
        };
        let contacts: Vec<String> = found.iter().map(|(_, contacts, _)| format!("{contacts:.0}")).collect();
        let [a, b, c] = [0, 1, 2].map(|i| cell(&found[i]));
        println!("| {} | {judged} | {a} | {b} | {c} | {} |", scene.name, contacts.join(" / "));
    }
    println!("\nrigid contacts, by complementarity\n");
    println!(
        "| scene | µs a step; judged | contacts | places found anew | worst residual m/s | overlap m | steps unsolved |"
    );
    println!("|---|---|---|---|---|---|---|");
    for scene in scenes
        .iter()
        .filter(|scene| ["box on a plane", "stack of 5", "stack of 50", "pile of 50"].contains(&scene.name))
    {
        let ((us, contacts, judged), overlap, report) = rigid(scene);
        let found = report.found as f64 / report.steps as f64;
        println!(
            "| {} | {us:.1}; {judged:.1e} | {contacts:.0} | {found:.1} | {:.1e} | {overlap:.1e} | {} |",
            scene.name, report.residual, report.unsolved
        );
    }
}

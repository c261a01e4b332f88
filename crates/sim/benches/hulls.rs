//! Hulls of 20, 42 and 86 points against the friction ellipsoid itself: accuracy, size of the problem, time of a step.
//!
//! ```text
//! cargo bench -p fingerpad-sim --bench hulls
//! ```
//!
//! Accuracy: a disc whose radius of gyration is e_n slides and spins; it stops at √(v² + e² w²)/(μ g), here in steps of
//! 0.1 ms, least and most of twelve headings 7.3° apart. Size: rows of the LCP of an island with one contact and with
//! eight. Times: median over steps of 1 ms, one contact (the disc) and eight (a plate on four balls, pushed); nothing else
//! is counted out.

#[path = "../tests/common/mod.rs"]
mod common;

use common::{G, all_meet, ball, block, ground};
use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::{Shape, Sphere};
use fingerpad_sim::{Body, EventKind, Mobility, Model, Restriction, Rigid, RigidWorkspace, Solver, Stepper};
use nalgebra::{Isometry3, Matrix3, Vector3};
use std::time::Instant;

const SPEED: f64 = 0.5;
const SPIN: f64 = 25.0;
const MU: f64 = 0.4;
const E: f64 = 0.02;

fn rough(mu: f64, e_n: f64) -> ContactLaw {
    let constants = Constants { k: 1e6, n: 1.0, k_t: 1e6, k_theta: 1e3, e_n };
    let friction = Friction::Coulomb { mu };
    ContactLaw { stiffness: Stiffness::Constants(constants), damping: Damping::default(), friction, partial: None }
}

fn down() -> Vector3<f64> {
    Vector3::new(0.0, 0.0, -G)
}

/// A ball that stands upright: slides, and turns about the normal.
fn disc(heading: f64) -> Model {
    let mass = 0.5;
    let X_WB = Isometry3::translation(0.0, 0.0, 0.05);
    let upright = Restriction { X_WF: X_WB, slides: [true; 3], turns: [false, false, true] };
    let shape = Shape::Sphere(Sphere::new(0.05).unwrap());
    let v = Vector3::new(heading.cos(), heading.sin(), 0.0) * SPEED;
    let disc = Body::free("disc", shape, mass, Matrix3::identity() * (mass * E * E))
        .at(X_WB)
        .with(Mobility::Restricted(upright))
        .moving(SpatialVelocity::new(Vector3::z() * SPIN, v));
    all_meet(vec![ground(), disc], rough(MU, E), down())
}

/// A plate on four balls: eight contacts that know each other.
fn plate() -> Model {
    let mut bodies = vec![ground()];
    for (x, y) in [(-0.3, -0.3), (0.3, -0.3), (-0.3, 0.3), (0.3, 0.3)] {
        bodies.push(ball("ball", 0.1, 1.0).at(Isometry3::translation(x, y, 0.1)));
    }
    let push = SpatialVelocity::new(Vector3::z() * 0.5, Vector3::new(0.3, 0.1, 0.0));
    bodies.push(block([0.5, 0.5, 0.05], 0.005, 10.0).at(Isometry3::translation(0.0, 0.0, 0.25)).moving(push));
    all_meet(bodies, rough(0.5, 0.005), down())
}

/// How late the disc stops (%).
fn late(solver: Solver, heading: f64) -> f64 {
    let model = disc(heading);
    let mut state = model.start().unwrap();
    let mut work = RigidWorkspace::new(&model, &state);
    let stepper = Rigid { solver, ..Rigid::with_step(1e-4) };
    stepper.advance(&model, &mut state, &mut work, 0.25).unwrap();
    let stopped =
        work.events().iter().find(|event| event.kind == EventKind::Stick).map_or(f64::NAN, |event| event.time);
    let expected = (SPEED * SPEED + E * E * SPIN * SPIN).sqrt() / (MU * G);
    100.0 * (stopped / expected - 1.0)
}

/// Median time of a step (µs), and how many islands the ellipsoid had to take over.
fn time(model: &Model, solver: Solver, steps: u32) -> (f64, u64) {
    let mut state = model.start().unwrap();
    let mut work = RigidWorkspace::new(model, &state);
    let stepper = Rigid { solver, ..Rigid::with_step(1e-3) };
    let mut fallbacks = 0;
    let mut times: Vec<f64> = (1..=steps)
        .map(|k| {
            let start = Instant::now();
            fallbacks += stepper.advance(model, &mut state, &mut work, 1e-3 * f64::from(k)).unwrap().fallbacks;
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], fallbacks)
}

fn main() {
    println!(
        "{:<11} {:>16} {:>14} {:>12} {:>14} {:>10}",
        "friction", "stops late %", "rows, 1 and 8", "1 contact µs", "8 contacts µs", "fallbacks"
    );
    let hull = |around, up| Solver::Lemke { around, up };
    for (name, u, solver) in [
        ("u = 20", 20, hull(6, 2)),
        ("u = 42", 42, hull(8, 3)),
        ("u = 86", 86, hull(12, 4)),
        ("ellipsoid", 2, Solver::Cone),
    ] {
        let headings = (0..12).map(|k| late(solver, (7.3 * f64::from(k)).to_radians()));
        let (least, most) = headings.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
        let (one, eight) = (time(&disc(0.3), solver, 150), time(&plate(), solver, 100));
        let rows = if solver == Solver::Cone { (4, 32) } else { (u + 2, 8 * (u + 2)) };
        println!(
            "{name:<11} {:>16} {:>14} {:>12.1} {:>14.1} {:>10}",
            format!("{least:.2} to {most:.2}"),
            format!("{}, {}", rows.0, rows.1),
            one.0,
            eight.0,
            one.1 + eight.1
        );
    }
}

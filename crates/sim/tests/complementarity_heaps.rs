//! Rigid contacts by complementarity: towers and heaps of many bodies, judged by where the bodies are and by how much work a step is.

mod common;

use common::{G, ball, block, ground};
use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::surface::{HalfSpace, Shape};
use fingerpad_sim::{
    Body, Interactions, LawId, Model, PairLaw, Parts, Places, Report, Rigid, RigidReport, RigidWorkspace, Stepper,
};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

fn model(bodies: Vec<Body>, mu: f64, places: Places) -> Model {
    let constants = Constants { k: 1e5, n: 1.0, k_t: 1e5, k_theta: 0.0, e_n: 0.0 };
    let friction = Friction::Coulomb { mu };
    let law =
        ContactLaw { stiffness: Stiffness::Constants(constants), damping: Damping::default(), friction, partial: None };
    let law = PairLaw { places, ..PairLaw::even(law) };
    let interactions = Interactions { laws: vec![law], table: vec![vec![Some(LawId(0))]], ..Interactions::default() };
    Model::new(Parts { bodies, interactions, gravity_W: Vector3::new(0.0, 0.0, -G), ..Parts::default() }).unwrap()
}

/// Boxes of 0.1 m on each other's faces: each stays where geometry has it, and a step takes no more Newton steps the higher the
/// tower is. A tower of 100 swayed after a second, by corners that came and went along edges on edges, and then cost 100 times as
/// much.
#[test]
fn a_tower_of_a_hundred_boxes_on_faces_stands_at_no_cost() {
    let count = 100;
    let mut bodies = vec![ground()];
    for i in 0..count {
        let z = 0.05 * f64::from(2 * i + 1);
        bodies.push(block([0.05; 3], 0.005, 1.0).at(Isometry3::translation(0.0, 0.0, z)));
    }
    let model = model(bodies, 0.3, Places::All);
    let mut state = model.start().unwrap();
    let mut work = RigidWorkspace::new(&model, &state);
    let report = Rigid::with_step(1e-3).advance(&model, &mut state, &mut work, 1.2).unwrap();
    assert_eq!((report.unsolved, report.unprojected), (0, 0));
    // Four corners a face, at every step.
    assert_eq!(report.contacts, 4 * count as u64 * report.steps);
    assert!(report.newton < report.steps, "{} Newton steps in {} steps", report.newton, report.steps);
    for (i, body) in state.bodies.iter().enumerate().skip(1) {
        let expected = Vector3::new(0.0, 0.0, 0.05 * (2 * i - 1) as f64);
        let off = (body.X_WBcm.translation.vector - expected).norm();
        assert!(off < 1e-8, "box {i} is off by {off} m");
    }
}

/// 50 balls dropped into a bin of four walls, while they move: every step is of bounded work, and overlap as the distances of the
/// centres have it stays below a micrometre.
#[test]
fn fifty_balls_that_fall_into_a_bin_are_solved_in_bounded_work() {
    let (r, side) = (0.05, 5usize);
    let wide = 2.3 * r * side as f64;
    let mut bodies = vec![ground()];
    for inwards in [Vector3::x(), -Vector3::x(), Vector3::y(), -Vector3::y()] {
        let turn = UnitQuaternion::rotation_between(&Vector3::z(), &inwards).unwrap();
        let at = Isometry3::from_parts((inwards * (-0.5 * wide)).into(), turn);
        bodies.push(Body::fixed("wall", Shape::HalfSpace(HalfSpace)).at(at));
    }
    for i in 0..50 {
        let (layer, place) = (i / (side * side), i % (side * side));
        let at = |k: usize| 2.3 * r * (k as f64 + 0.5) - 0.5 * wide;
        let off = |k: usize| 0.02 * r * ((i * 7919 * k % 17) as f64 - 8.0) / 8.0;
        let p = Vector3::new(at(place % side) + off(1), at(place / side) + off(3), r * (1.2 + 2.3 * layer as f64));
        bodies.push(ball("ball", r, 0.2).at(Isometry3::translation(p.x, p.y, p.z)));
    }
    let model = model(bodies, 0.5, Places::Closest);
    let mut state = model.start().unwrap();
    let mut work = RigidWorkspace::new(&model, &state);
    let stepper = Rigid::with_step(1e-3);
    let (mut sum, mut most, mut deepest) = (RigidReport::default(), 0, 0.0_f64);
    for k in 1..=1000 {
        let report = stepper.advance(&model, &mut state, &mut work, 1e-3 * f64::from(k)).unwrap();
        most = most.max(report.newton);
        sum.add(&report);
        let centres: Vec<Vector3<f64>> = state.bodies[5..].iter().map(|ball| ball.X_WBcm.translation.vector).collect();
        for (i, p) in centres.iter().enumerate() {
            let wall = 0.5 * wide - p.x.abs().max(p.y.abs());
            deepest = deepest.max(r - p.z.min(wall));
            deepest = centres[..i].iter().fold(deepest, |most, q| most.max(2.0 * r - (p - q).norm()));
        }
    }
    println!(
        "{:.1} Newton steps a step, most {most}, unsolved {}, overlap {deepest:.1e} m",
        sum.newton as f64 / 1e3,
        sum.unsolved
    );
    assert!(deepest < 1e-6, "{deepest} m");
    // 60 rounds at most: each up to 40 steps of the convex problem, 17 after it.
    assert!(most <= 15 + 60 * 57, "{most}");
    assert!(sum.newton < 40_000 && sum.unsolved <= 5, "{} Newton steps, {} unsolved", sum.newton, sum.unsolved);
}

//! A box on its face under `Friction::Exact` slides and stops after v²/2μg, in every stepper.
//!
//! The accurate stepper let only Coulomb friction slip by turns: with the exact limit surface a face stuck for ever, with
//! 297 times the load that it can bear.

mod common;

use common::{G, all_meet, block, ground, linear};
use fingerpad_contact::law::{Damping, Friction};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_sim::{Accurate, FixedStep, FixedWorkspace, Model, Rigid, RigidWorkspace, State, Stepper, Workspace};
use nalgebra::{Isometry3, Vector3};

/// A cube of 105 mm that begins with 0.2 m/s.
fn slider(friction: Friction) -> (Model, State) {
    let (half, mass, k) = (0.0524, 1.15, 1e6);
    let law = linear(k, friction, Damping { normal: 300.0, ..Damping::default() });
    let moving = SpatialVelocity::new(Vector3::zeros(), Vector3::new(0.2, 0.0, 0.0));
    let cube = block([half; 3], 5e-4, mass).at(Isometry3::translation(0.0, 0.0, half - mass * G / k)).moving(moving);
    let model = all_meet(vec![ground(), cube], law, Vector3::new(0.0, 0.0, -G));
    let state = model.start().unwrap();
    (model, state)
}

/// v²/2μg = 11.326 mm; 1 % is the give of springs along the face, μmg/k_t, and the rocking at the start.
#[test]
fn a_face_with_the_exact_limit_slips_and_stops_where_coulomb_does() {
    let mu = 0.18;
    let expected = 0.04 / (2.0 * mu * G);
    let until = 0.2 / (mu * G) + 0.03;
    let (model, start) = slider(Friction::Exact { mu });
    let way = |state: &State| state.bodies[1].X_WBcm.translation.x;
    let mut ways = Vec::new();

    let mut state = start.clone();
    let mut work = Workspace::new(&model, &state);
    Accurate::default().advance(&model, &mut state, &mut work, until).unwrap();
    ways.push(("accurate", way(&state)));

    let mut state = start.clone();
    let mut work = FixedWorkspace::new(&model).unwrap();
    FixedStep::default().advance(&model, &mut state, &mut work, until).unwrap();
    ways.push(("fast", way(&state)));

    let mut state = start;
    let mut work = RigidWorkspace::new(&model, &state);
    Rigid::with_step(1e-3).advance(&model, &mut state, &mut work, until).unwrap();
    ways.push(("rigid", way(&state)));

    println!("{ways:?} against {expected}");
    for (stepper, way) in ways {
        assert!((way / expected - 1.0).abs() < 0.01, "{stepper}: {way} m against {expected} m");
    }
}

/// A coefficient that no friction can have is refused, as it is of Coulomb friction.
#[test]
fn a_negative_coefficient_is_refused() {
    let law = linear(1e6, Friction::Exact { mu: -0.2 }, Damping::default());
    let interactions = fingerpad_sim::Interactions::of_pairs(vec![(
        fingerpad_sim::BodyId(0),
        fingerpad_sim::BodyId(1),
        fingerpad_sim::PairLaw::even(law),
    )]);
    let bodies = vec![ground(), block([0.05; 3], 1e-3, 1.0)];
    let made = Model::new(fingerpad_sim::Parts { bodies, interactions, ..fingerpad_sim::Parts::default() });
    assert!(made.unwrap_err().to_string().contains("friction coefficient"));
}

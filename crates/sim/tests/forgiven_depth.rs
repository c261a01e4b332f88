//! A contact found late overlaps without having been pressed. Its depth is told as it is, and a large one stops the run.
//!
//! Before, what the law forgave was taken off the depth that tables and checks show: a body that sank in by its own size was
//! said to be 25 µm deep.

mod common;

use common::{all_meet, ball, ground, linear};
use fingerpad_contact::law::{Damping, Friction};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_sim::{FixedStep, FixedWorkspace, Model, RunError, State, Stop, Workspace};
use nalgebra::{Isometry3, Vector3};

/// A ball of 0.1 m that goes down at 0.1 m/s, put so deep into the ground behind the back of its contact, after a step of
/// 1 ms; without gravity.
fn late(depth: f64) -> (Model, State, Result<(), RunError>) {
    let down = SpatialVelocity::new(Vector3::zeros(), Vector3::new(0.0, 0.0, -0.1));
    let one = ball("ball", 0.1, 1.0).at(Isometry3::translation(0.3, 0.0, 0.101)).moving(down);
    let law = linear(1e5, Friction::None, Damping::default());
    let model = all_meet(vec![ground(), one], law, Vector3::zeros());
    let mut state = model.start().unwrap();
    state.bodies[1].X_WBcm.translation.z = 0.1 - depth;
    // Its place is that of before, and has to be looked at.
    state.contacts[0].fixed.far = 1e-12;
    let mut work = FixedWorkspace::new(&model).unwrap();
    let made = FixedStep::default().step(&model, &mut state, &mut work).map(|_| ());
    (model, state, made)
}

/// 20 µm of a ball of 0.2 m are forgiven; the depth shown is the overlap of the surfaces, by the pose of the ball.
#[test]
fn depth_is_that_of_the_surfaces() {
    let (model, state, made) = late(2e-5);
    made.unwrap();
    let view = Workspace::new(&model, &state).look(&model, &state).unwrap()[0];
    let overlap = 0.1 - state.bodies[1].X_WBcm.translation.z;
    assert!(overlap > 2e-5, "{overlap}");
    assert!((view.depth() - overlap).abs() < 1e-15, "{} {overlap}", view.depth());
    assert!((view.rest_offset - 2e-5).abs() < 1e-15, "{}", view.rest_offset);
    assert!((view.gap - (view.rest_offset - overlap)).abs() < 1e-15, "{}", view.gap);
}

/// 1e-3 of 0.2 m may be forgiven, 0.5 mm may not: pair, place and time are named.
#[test]
fn a_depth_above_the_bound_stops_the_run() {
    late(1.9e-4).2.unwrap();
    let error = late(5e-4).2.unwrap_err();
    assert!(
        matches!(error.cause, Stop::Forgiven { depth, most, .. } if (depth - 5e-4).abs() < 1e-12 && most == 2e-4),
        "{error:?}"
    );
    let text = error.to_string();
    println!("{text}");
    for part in ["`ground`–`ball`", "t = 0.001 s", "(0.300000, 0.000000,", "5.000e-4 m"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// What a scene gives at the start is not forgiven: 5 mm of overlap press with k δ.
#[test]
fn overlap_at_the_start_is_pressed() {
    let one = ball("ball", 0.1, 1.0).at(Isometry3::translation(0.0, 0.0, 0.095));
    let model = all_meet(vec![ground(), one], linear(1e5, Friction::None, Damping::default()), Vector3::zeros());
    let mut state = model.start().unwrap();
    let view = Workspace::new(&model, &state).look(&model, &state).unwrap()[0];
    assert!((view.normal - 500.0).abs() < 1e-9 && view.rest_offset == 0.0, "{view:?}");
    FixedStep::default().step(&model, &mut state, &mut FixedWorkspace::new(&model).unwrap()).unwrap();
    assert_eq!(state.contacts[0].rest_offset, 0.0);
}

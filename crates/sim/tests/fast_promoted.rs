//! A contact left aside at the start of a fixed step may come near within it, when its body is hit.
//!
//! Such a contact is promoted between two passes. Its room was one short where the workspace was new ("index out of
//! bounds"), and held the points of another contact where it was not; its place was that of an earlier pose.

mod common;

use common::{all_meet, ball, linear};
use fingerpad_contact::law::{Damping, Friction};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_sim::{FixedStep, FixedWorkspace, Model, State};
use nalgebra::{Isometry3, Vector3};

/// A ball at 30 m/s towards two at rest, 4 mm between these: the second is hit and meets the third in one step of 1 ms.
fn row() -> (Model, State) {
    let at = |name, x| ball(name, 0.02, 0.1).at(Isometry3::translation(x, 0.0, 0.0));
    let hits = at("first", -0.1).moving(SpatialVelocity::new(Vector3::zeros(), Vector3::new(30.0, 0.0, 0.0)));
    let law = linear(1e8, Friction::None, Damping::default());
    let model = all_meet(vec![hits, at("second", 0.0), at("third", 0.044)], law, Vector3::zeros());
    let state = model.start().unwrap();
    (model, state)
}

#[test]
fn a_contact_promoted_between_passes_has_room_of_its_own() {
    let fast = FixedStep { step: 1e-3, ..FixedStep::default() };
    let (model, mut state) = row();
    let mut work = FixedWorkspace::new(&model).unwrap();
    let (_, mut anew) = row();
    for _ in 0..10 {
        fast.step(&model, &mut state, &mut work).unwrap();
        // A workspace is scratch: one without a past gives the same bits.
        fast.step(&model, &mut anew, &mut FixedWorkspace::new(&model).unwrap()).unwrap();
        assert_eq!(state, anew);
    }
    // Nobody passes anybody, and the momentum of 3 kg m/s is kept.
    let [first, second, third] = [0, 1, 2].map(|i| &state.bodies[i]);
    let x = |body: &fingerpad_sim::BodyState| body.X_WBcm.translation.x;
    println!("{} {} {}", x(first), x(second), x(third));
    assert!(x(second) - x(first) > 0.0399 && x(third) - x(second) > 0.0399);
    let v = |body: &fingerpad_sim::BodyState| body.V_WBcm.v.x;
    let sum = v(first) + v(second) + v(third);
    assert!((sum - 30.0).abs() < 1e-9, "{sum}");
    assert!(v(third) > 10.0, "the third is hit: {} m/s", v(third));
}

//! Stepping allocates nothing after the first steps: counted by the allocator itself.

#[path = "../../contact/tests/allocations/mod.rs"]
mod allocations;
mod common;

use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::{HalfSpace, Shape, Sphere};
use fingerpad_sim::{
    Accurate, Body, BodyId, Interactions, Kick, Mobility, Model, PairLaw, Parts, Prescribed, Restriction, Stepper,
    Workspace, ledger,
};
use nalgebra::{Isometry3, Matrix3, Vector3};

/// A ball bounces, sticks and slips on a plane for a second, with and without dampers along the patch.
#[test]
fn bounces_with_stick_and_slip_allocate_nothing() {
    for tangential in [0.0, 5.0] {
        let law = ContactLaw {
            stiffness: Stiffness::Constants(Constants { k: 1e5, n: 1.5, k_t: 1e4, k_theta: 4.0, e_n: 0.02 }),
            damping: Damping { hunt_crossley: 0.4, tangential, torsional: 4e-4 * tangential, ..Damping::default() },
            friction: Friction::Coulomb { mu: 0.3 },
            partial: None,
        };
        let V = SpatialVelocity::new(Vector3::new(3.0, -5.0, 8.0), Vector3::new(1.0, 0.5, 0.0));
        let ball = Body::free("ball", Shape::Sphere(Sphere::new(0.1).unwrap()), 1.0, Matrix3::identity() * 4e-3)
            .at(Isometry3::translation(0.0, 0.0, 0.3))
            .moving(V);
        let model = Model::new(Parts {
            bodies: vec![Body::fixed("ground", Shape::HalfSpace(HalfSpace)), ball],
            interactions: Interactions::of_pairs(vec![(BodyId(0), BodyId(1), PairLaw::even(law))]),
            gravity_W: Vector3::new(0.0, 0.0, -9.81),
            ..Parts::default()
        })
        .unwrap();
        let mut state = model.start().unwrap();
        let mut work = Workspace::new(&model, &state);
        let mut events = 0;
        let before = allocations::count();
        for i in 1..=100 {
            Accurate::default().advance(&model, &mut state, &mut work, 0.01 * f64::from(i)).unwrap();
            events += work.events().len();
        }
        assert_eq!(allocations::count() - before, 0, "b {tangential}");
        assert!(events >= 4 && ledger(&model, &state, &mut work).unwrap().E_slip > 0.0, "{events}");
    }
}

/// A hinged paddle swings onto a shaken plane and is kicked.
#[test]
fn restricted_driven_and_kicked_bodies_allocate_nothing() {
    let law = ContactLaw {
        stiffness: Stiffness::Constants(Constants { k: 1e5, n: 1.5, k_t: 1e4, k_theta: 4.0, e_n: 0.02 }),
        damping: Damping { hunt_crossley: 0.4, ..Damping::default() },
        friction: Friction::Coulomb { mu: 0.3 },
        partial: None,
    };
    let amplitude_W = Vector3::new(1e-3, 0.0, 1e-3);
    let plane = Body::fixed("plane", Shape::HalfSpace(HalfSpace)).with(Mobility::Prescribed(Prescribed::Shaking {
        amplitude_W,
        frequency: 10.0,
        phase: 0.0,
    }));
    let X_WF = Isometry3::translation(0.0, 0.0, 0.25);
    let hinge = Restriction { X_WF, slides: [true, false, false], turns: [false, true, false] };
    let paddle = Body::free("paddle", Shape::Sphere(Sphere::new(0.1).unwrap()), 1.0, Matrix3::identity() * 4e-3)
        .at(Isometry3::translation(0.3, 0.0, 0.25))
        .with(Mobility::Restricted(hinge));
    let kick = |time| Kick { body: BodyId(1), time, p_W: Vector3::z(), L_W: Vector3::zeros(), p_BoQ: None };
    let model = Model::new(Parts {
        bodies: vec![plane, paddle],
        interactions: Interactions::of_pairs(vec![(BodyId(0), BodyId(1), PairLaw::even(law))]),
        gravity_W: Vector3::new(0.0, 0.0, -9.81),
        kicks: vec![kick(0.0), kick(0.505)],
        ..Parts::default()
    })
    .unwrap();
    let mut state = model.start().unwrap();
    let mut work = Workspace::new(&model, &state);
    let mut events = 0;
    let before = allocations::count();
    for i in 1..=100 {
        Accurate::default().advance(&model, &mut state, &mut work, 0.01 * f64::from(i)).unwrap();
        events += work.events().len();
    }
    assert_eq!(allocations::count() - before, 0);
    assert!(events >= 4 && state.kicks_done == 2, "{events}");
}

/// A box that slides and rocks on its face, and balls that lie in a box of walls: no allocation once lists have had their
/// size. Would catch lists made anew each step, regions and sets that are copied.
#[test]
fn faces_and_many_pairs_allocate_nothing_in_steady_state() {
    let law = common::linear(
        1e5,
        Friction::Coulomb { mu: 0.3 },
        Damping { normal: 20.0, tangential: 20.0, torsional: 0.02, ..Damping::default() },
    );
    let mut bodies = vec![common::ground()];
    let tilted = nalgebra::UnitQuaternion::from_scaled_axis(Vector3::new(0.01, 0.005, 0.2));
    let block = common::block([0.1, 0.08, 0.05], 0.005, 1.0);
    bodies.push(block.at(Isometry3::from_parts(nalgebra::Translation3::new(0.0, 0.0, 0.052), tilted)));
    for i in 0..6 {
        let at = Isometry3::translation(0.3 + 0.099 * f64::from(i), 0.0, 0.0499);
        bodies.push(common::ball(&format!("ball {i}"), 0.05, 0.2).at(at));
    }
    let model = common::all_meet(bodies, law, Vector3::new(0.3, 0.0, -9.81));
    let mut state = model.start().unwrap();
    let mut work = Workspace::new(&model, &state);
    let stepper = Accurate { relative: 1e-9, absolute: 1e-11, ..Accurate::default() };
    stepper.advance(&model, &mut state, &mut work, 0.1).unwrap();
    let before = allocations::count();
    let report = stepper.advance(&model, &mut state, &mut work, 0.2).unwrap();
    assert_eq!(allocations::count() - before, 0, "{report:?}, {} contacts", state.contacts.len());
    assert!(state.contacts.len() >= 7, "{}", state.contacts.len());
}

//! Steps by complementarity allocate nothing after the first ones: counted by the allocator itself.

#[path = "../../contact/tests/allocations/mod.rs"]
mod allocations;

use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::{HalfSpace, RoundedBox, Shape, Sphere};
use fingerpad_sim::{
    Body, Interactions, LawId, Model, PairLaw, Parts, Places, Rigid, RigidReport, RigidWorkspace, Stepper,
};
use nalgebra::{Isometry3, Matrix3, Vector3};

fn model(bodies: Vec<Body>, mu: f64, places: Places) -> Model {
    let law = ContactLaw {
        stiffness: Stiffness::Constants(Constants { k: 1e6, n: 1.0, k_t: 1e6, k_theta: 1.0, e_n: 0.002 }),
        damping: Damping::default(),
        friction: Friction::Coulomb { mu },
        partial: None,
    };
    let laws = vec![PairLaw { places, ..PairLaw::even(law) }];
    let interactions = Interactions { laws, table: vec![vec![Some(LawId(0))]], ..Interactions::default() };
    let gravity_W = Vector3::new(0.0, 0.0, -9.81);
    Model::new(Parts { bodies, interactions, gravity_W, ..Parts::default() }).unwrap()
}

/// Allocations from one time to another, after a warm-up to the first.
fn counted(model: &Model, from: f64, to: f64) -> (u64, RigidReport) {
    let mut state = model.start().unwrap();
    let mut work = RigidWorkspace::new(model, &state);
    let stepper = Rigid::with_step(1e-3);
    stepper.advance(model, &mut state, &mut work, from).unwrap();
    let before = allocations::count();
    let report = stepper.advance(model, &mut state, &mut work, to).unwrap();
    (allocations::count() - before, report)
}

/// A stack of boxes on corners, the whole of it sliding: islands are made and solved at every step.
#[test]
fn a_sliding_stack_allocates_nothing() {
    let shape = Shape::RoundedBox(RoundedBox::new(Vector3::repeat(0.05), 0.005).unwrap());
    let mut bodies = vec![Body::fixed("ground", Shape::HalfSpace(HalfSpace))];
    for i in 0..5 {
        let place = Isometry3::translation(0.0, 0.0, 0.05 + 0.1 * f64::from(i));
        let V = SpatialVelocity::new(Vector3::zeros(), Vector3::new(1.0, 0.0, 0.0));
        bodies.push(Body::free("box", shape.clone(), 1.0, Matrix3::identity() * 1.7e-3).at(place).moving(V));
    }
    let (count, report) = counted(&model(bodies, 0.05, Places::Points), 0.2, 1.0);
    assert_eq!(count, 0);
    assert!(report.contacts == 20 * report.steps && report.unsolved == 0, "{report:?}");
}

/// Balls that roll and slide apart on a plane.
#[test]
fn rolling_balls_allocate_nothing() {
    let mut bodies = vec![Body::fixed("ground", Shape::HalfSpace(HalfSpace))];
    for i in 0..6 {
        let place = Isometry3::translation(0.3 * f64::from(i), 0.0, 0.1);
        let V = SpatialVelocity::new(Vector3::new(1.0, -2.0, 3.0), Vector3::new(0.1 * f64::from(i), 0.3, 0.0));
        let shape = Shape::Sphere(Sphere::new(0.1).unwrap());
        bodies.push(Body::free("ball", shape, 1.0, Matrix3::identity() * 4e-3).at(place).moving(V));
    }
    let (count, report) = counted(&model(bodies, 0.3, Places::Closest), 0.2, 1.0);
    assert_eq!(count, 0);
    assert!(report.contacts >= 6 * report.steps && report.unsolved == 0, "{report:?}");
}

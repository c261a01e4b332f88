//! Fixed steps allocate nothing after the first ones: counted by the allocator itself.

#[path = "../../contact/tests/allocations/mod.rs"]
mod allocations;

use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::{HalfSpace, RoundedBox, Shape, Sphere};
use fingerpad_sim::{
    Body, BodyId, FixedStep, FixedWorkspace, Interactions, LawId, Model, PairLaw, Parts, Places, Stepper,
};
use nalgebra::{Isometry3, Matrix3, Vector3};

/// Five balls bounce on a plane and on each other, stick and slip: two seconds, the first of them to warm up.
#[test]
fn bouncing_balls_allocate_nothing() {
    assert_eq!(impacts_of_bouncing_balls(1e5, 0.1), 0);
}

/// The same with impacts of a few tenths of a millisecond, for which steps are cut, of some bodies or of all.
#[test]
fn short_impacts_allocate_nothing() {
    assert!(impacts_of_bouncing_balls(1e9, 0.01) > 5);
}

/// Short impacts in the second second, in which nothing may be allocated.
fn impacts_of_bouncing_balls(k: f64, hunt_crossley: f64) -> u64 {
    let law = ContactLaw {
        stiffness: Stiffness::Constants(Constants { k, n: 1.5, k_t: 1e4, k_theta: 4.0, e_n: 0.02 }),
        damping: Damping { hunt_crossley, ..Damping::default() },
        friction: Friction::Coulomb { mu: 0.3 },
        partial: None,
    };
    let mut bodies = vec![Body::fixed("ground", Shape::HalfSpace(HalfSpace))];
    for i in 0..5 {
        let V = SpatialVelocity::new(Vector3::new(3.0, -5.0, 8.0), Vector3::new(0.1, 0.05, 0.0));
        let shape = Shape::Sphere(Sphere::new(0.1).unwrap());
        let x = 0.02 * f64::from(i);
        let place = Isometry3::translation(x, 0.5 * x, 0.3 + 0.21 * f64::from(i));
        bodies.push(Body::free("ball", shape, 1.0, Matrix3::identity() * 4e-3).at(place).moving(V));
    }
    let mut pairs = Vec::new();
    for j in 1..bodies.len() {
        pairs.extend((0..j).map(|i| {
            let law = PairLaw { places: Places::Closest, ..PairLaw::even(law.clone()) };
            (BodyId(i), BodyId(j), law)
        }));
    }
    let model = Model::new(Parts {
        bodies,
        interactions: Interactions::of_pairs(pairs),
        gravity_W: Vector3::new(0.0, 0.0, -9.81),
        ..Parts::default()
    })
    .unwrap();
    let mut state = model.start().unwrap();
    let mut work = FixedWorkspace::new(&model).unwrap();
    let fast = FixedStep::default();
    fast.advance(&model, &mut state, &mut work, 1.0).unwrap();
    let before = allocations::count();
    let report = fast.advance(&model, &mut state, &mut work, 2.0).unwrap();
    assert_eq!(allocations::count() - before, 0);
    assert!(report.contacts > 100 && report.added.E_slip > 0.0, "{report:?}");
    report.impacts
}

/// Boxes that stand on corners, one on another, the lower one sliding slowly on the ground: lists of corners are looked
/// through again and again, and nothing is allocated.
#[test]
fn boxes_on_corners_allocate_nothing() {
    assert_eq!(allocations_of_sliding_boxes(Places::Points, 8), 0);
}

/// The same on their faces.
#[test]
fn boxes_on_faces_allocate_nothing() {
    assert_eq!(allocations_of_sliding_boxes(Places::All, 2), 0);
}

/// Allocations of a second of two boxes, whose steps have so many contacts.
fn allocations_of_sliding_boxes(places: Places, contacts: u64) -> u64 {
    let law = ContactLaw {
        stiffness: Stiffness::Constants(Constants { k: 1e6, n: 1.0, k_t: 7e5, k_theta: 280.0, e_n: 0.02 }),
        damping: Damping { normal: 1e3, ..Damping::default() },
        friction: Friction::Coulomb { mu: 0.02 },
        partial: None,
    };
    let shape = Shape::RoundedBox(RoundedBox::new(Vector3::repeat(0.05), 0.005).unwrap());
    let mut bodies = vec![Body::fixed("ground", Shape::HalfSpace(HalfSpace))];
    for i in 0..2 {
        let place = Isometry3::translation(0.0, 0.0, 0.05 + 0.1 * f64::from(i));
        let V = SpatialVelocity::new(Vector3::zeros(), Vector3::new(0.5, 0.0, 0.0));
        bodies.push(Body::free("box", shape.clone(), 1.0, Matrix3::identity() * 1.7e-3).at(place).moving(V));
    }
    let law = PairLaw { places, ..PairLaw::even(law) };
    let interactions = Interactions { laws: vec![law], table: vec![vec![Some(LawId(0))]], ..Interactions::default() };
    let gravity_W = Vector3::new(0.0, 0.0, -9.81);
    let model = Model::new(Parts { bodies, interactions, gravity_W, ..Parts::default() }).unwrap();
    let mut state = model.start().unwrap();
    let mut work = FixedWorkspace::new(&model).unwrap();
    let fast = FixedStep::default();
    fast.advance(&model, &mut state, &mut work, 0.5).unwrap();
    let before = allocations::count();
    let report = fast.advance(&model, &mut state, &mut work, 1.5).unwrap();
    let made = allocations::count() - before;
    assert!(report.contacts == contacts * report.steps && report.added.E_slip > 0.0, "{report:?}");
    made
}

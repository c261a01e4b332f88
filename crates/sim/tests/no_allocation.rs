//! Stepping allocates nothing after the first steps: counted by the allocator itself.

#[path = "../../contact/tests/allocations/mod.rs"]
mod allocations;

use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::{HalfSpace, Shape, Sphere};
use fingerpad_sim::{
    Accurate, Body, BodyId, Interactions, Kick, Mobility, Model, PairLaw, Parts, Prescribed, Restriction, Workspace,
    ledger,
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

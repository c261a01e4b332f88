//! Trees of joints in fixed steps and by rigid contacts allocate nothing after the first steps: counted by the allocator itself.

#[path = "../../contact/tests/allocations/mod.rs"]
mod allocations;

use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::surface::{HalfSpace, Shape, Sphere};
use fingerpad_sim::coordinates::{Joint, JointLaw};
use fingerpad_sim::nalgebra::{Isometry3, Matrix3, Unit, Vector3};
use fingerpad_sim::{
    Body, BodyId, Coupling, CouplingLaw, Drive, DriveKind, FixedStep, Interactions, JointId, Model, ModelJoint,
    PairLaw, Parts, Rigid, Stepper, Timeline,
};

const RADIUS: f64 = 0.01;

fn ball(name: &str, mass: f64, at: Vector3<f64>) -> Body {
    let I = Matrix3::identity() * (mass * 1e-4);
    Body::free(name, Shape::Sphere(Sphere::new(RADIUS).unwrap()), mass, I).at(Isometry3::from(at))
}

/// A hand of 24 joints that stretches over the ground at a height: each has friction loss, a damper and limits. Tips fall on
/// the ground, one of them on a ball.
fn hand(height: f64, driven: bool, coupled: bool) -> Model {
    let mut bodies = vec![Body::fixed("ground", Shape::HalfSpace(HalfSpace))];
    let (mut joints, mut drives) = (Vec::new(), Vec::new());
    let mut add = |parent: Option<usize>, p: Vector3<f64>, axis: Vector3<f64>, mass: f64| {
        let p = p + Vector3::new(0.0, 0.0, height);
        let body = ball(&format!("link {}", bodies.len()), mass, p + Vector3::new(0.02, 0.0, 0.0));
        let id = BodyId(bodies.len());
        let of_parent = parent.map(|i: usize| (BodyId(i), &bodies[i]));
        let joint = Joint::Revolute(Unit::new_normalize(axis));
        let mut made = ModelJoint::at(&format!("j{}", id.0), joint, of_parent, (id, &body), &Isometry3::from(p));
        made.armature = 2e-4;
        let (limit, damping) = (Some([-0.3, 0.6]), 2e-3);
        made.laws = vec![JointLaw { limit, damping, friction_loss: 1e-3, ..JointLaw::default() }];
        if driven {
            let kind = DriveKind::Position { stiffness: 0.3, damping: 3e-3 };
            let drive = Drive::new(&format!("d{}", id.0), JointId(joints.len()), kind, Timeline::constant(0.2));
            drives.push(if id.0.is_multiple_of(2) { drive.limited(0.05) } else { drive });
        }
        bodies.push(body);
        joints.push(made);
        id.0
    };
    let (y, z) = (Vector3::y(), Vector3::z());
    let wrist = add(None, Vector3::zeros(), z, 0.1);
    let palm = add(Some(wrist), Vector3::new(0.03, 0.0, 0.0), y, 0.1);
    for (finger, count) in [4, 4, 4, 5, 5].into_iter().enumerate() {
        let mut on = palm;
        for n in 0..count {
            let p = Vector3::new(0.06 + 0.03 * f64::from(n), 0.03 * (finger as f64 - 2.0), 0.0);
            on = add(Some(on), p, if n == 0 { z } else { y }, 0.02);
        }
    }
    let links = bodies.len();
    bodies.push(ball("ball", 0.05, Vector3::new(0.17, -0.06, RADIUS)));
    let stiffness = Stiffness::Constants(Constants { k: 2e3, n: 1.0, k_t: 2e3, k_theta: 0.0, e_n: 1e-3 });
    let damping = Damping { hunt_crossley: 5.0, ..Damping::default() };
    let law = ContactLaw { stiffness, damping, friction: Friction::Coulomb { mu: 0.6 }, partial: None };
    let with_ground = (1..=links).map(|i| (BodyId(0), BodyId(i), PairLaw::even(law.clone())));
    let with_ball = (3..links).map(|i| (BodyId(i), BodyId(links), PairLaw::even(law.clone())));
    let interactions = Interactions::of_pairs(with_ground.chain(with_ball).collect());
    let coupling = Coupling {
        name: "mimic".into(),
        joints: vec![JointId(4), JointId(5)],
        law: CouplingLaw::Linear { coefficients: vec![1.0, -1.0], offset: 0.0 },
    };
    let couplings = if coupled { vec![coupling] } else { Vec::new() };
    let gravity_W = Vector3::new(0.0, 0.0, -9.81);
    Model::new(Parts { bodies, joints, drives, couplings, interactions, gravity_W, ..Parts::default() }).unwrap()
}

/// Allocations in the second part of a run, and the contacts that press at its end.
fn allocated<S: Stepper>(stepper: &S, model: &Model) -> (usize, usize) {
    let mut state = model.start().unwrap();
    let mut work = stepper.workspace(model, &state).unwrap();
    stepper.advance(model, &mut state, &mut work, 0.5).unwrap();
    let before = allocations::count();
    stepper.advance(model, &mut state, &mut work, 0.8).unwrap();
    let counted = allocations::count() - before;
    let pressing = stepper.contact_results(model, &state, &mut work).unwrap();
    (counted as usize, pressing.iter().filter(|contact| contact.normal > 0.0).count())
}

/// In the air and on the ground, limp and driven, with a coupling and without.
#[test]
fn hands_allocate_nothing() {
    for (height, driven, coupled) in
        [(1.0, false, false), (0.03, false, false), (0.03, true, false), (0.03, true, true)]
    {
        let model = hand(height, driven, coupled);
        for (name, (counted, touching)) in
            [("fixed", allocated(&FixedStep::default(), &model)), ("rigid", allocated(&Rigid::default(), &model))]
        {
            let told =
                format!("{name} at {height}, driven {driven}, coupled {coupled}: {counted}, {touching} contacts");
            println!("{told}");
            assert_eq!(counted, 0, "{told}");
            // The ball lies on the ground in any case.
            assert!(if height > 0.5 { touching == 1 } else { touching >= 5 }, "{told}");
        }
    }
}

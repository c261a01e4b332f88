//! What contact results tell a controller: which bodies, and which action on the second one, in each stepper.

mod common;

use common::{G, all_meet, ball, ground, linear};
use fingerpad_contact::law::{Damping, Friction};
use fingerpad_contact::spatial::{SpatialForce, SpatialVelocity};
use fingerpad_sim::{Accurate, BodyId, FixedStep, Model, Rigid, State, Stepper};
use nalgebra::{Isometry3, Vector3};

const RADIUS: f64 = 0.05;
const MASS: f64 = 0.3;

/// A ball that slides along x and spins about z on the ground; its depth carries its weight where contacts give way.
fn sliding() -> Model {
    let k = 1e5;
    let law = linear(k, Friction::Coulomb { mu: 0.3 }, Damping { normal: 20.0, ..Damping::default() });
    let V = SpatialVelocity::new(Vector3::new(0.0, 0.0, 40.0), Vector3::new(1.0, 0.0, 0.0));
    let at = Isometry3::translation(0.0, 0.0, RADIUS - MASS * G / k);
    let one = ball("ball", RADIUS, MASS).at(at).moving(V);
    all_meet(vec![ground(), one], law, Vector3::new(0.0, 0.0, -G))
}

/// Action on the ball by its contact, about the centre of mass, and what the motion over the last millisecond asks for.
fn actions<S: Stepper>(stepper: &S, model: &Model) -> [SpatialForce; 2] {
    let ball = model.body_named("ball").unwrap();
    let mut state: State = model.start().unwrap();
    let mut work = stepper.workspace(model, &state).unwrap();
    let h = 1e-3;
    stepper.advance(model, &mut state, &mut work, 20.0 * h).unwrap();
    let before = state.bodies[ball.0].V_WBcm;
    stepper.advance(model, &mut state, &mut work, 21.0 * h).unwrap();
    let after = state.bodies[ball.0].V_WBcm;
    let centre = model.X_WB(&state, ball).translation.vector;
    let mut sum = SpatialForce::zero();
    for contact in stepper.contact_results(model, &state, &mut work).unwrap() {
        let on_b = contact.wrench_on_b();
        let at = on_b.shift(centre - contact.site.p_WC.coords);
        sum = sum + if contact.pair.b == ball { at } else { -at };
    }
    let inertia = 0.4 * MASS * RADIUS * RADIUS;
    let rate = (after - before).v / h + Vector3::z() * G;
    [sum, SpatialForce::new((after - before).w * (inertia / h), rate * MASS)]
}

/// Momentum and angular momentum change by what the results say. Would catch a wrench on the wrong body, and friction along axes
/// that are turned. Depth moves the arm of friction by 0.6 %; dampers and springs have not settled to better than 1 %.
fn agrees<S: Stepper>(stepper: &S) {
    let [told, asked] = actions(stepper, &sliding());
    assert!((told.f - asked.f).norm() < 0.01 * asked.f.norm(), "{told:?} {asked:?}");
    assert!((told.t - asked.t).norm() < 0.015 * asked.t.norm(), "{told:?} {asked:?}");
    assert!(told.f.x < -0.1 && told.f.z > 0.9 * MASS * G && told.t.z < 0.0, "{told:?}");
}

#[test]
fn the_wrench_on_b_is_what_moves_it() {
    agrees(&Accurate::default());
    agrees(&FixedStep { step: 1e-3, ..FixedStep::default() });
    agrees(&Rigid { step: 1e-3, ..Rigid::default() });
}

/// Numbers of loads and bodies that a model does not have are errors that say how many there are.
#[test]
fn commands_to_what_is_not_there_are_errors() {
    let mut model = sliding();
    let mut state = model.start().unwrap();
    let load = model.set_load(3, Vector3::zeros(), Vector3::zeros()).unwrap_err().to_string();
    assert!(load.contains("3 of 0"), "{load}");
    let body = model.set_velocity(BodyId(7), Vector3::zeros(), &mut state).unwrap_err().to_string();
    assert!(body.contains("7 of 2"), "{body}");
}

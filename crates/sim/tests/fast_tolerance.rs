//! Fixed steps with a tolerance: steps of their own length, against the accurate stepper and closed forms.

use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::{HalfSpace, RoundedBox, Shape, Sphere};
use fingerpad_sim::{
    Accurate, Body, FixedReport, FixedStep, Interactions, LawId, Model, PairLaw, Parts, Places, State, Stepper,
};
use nalgebra::{Isometry3, Matrix3, Vector3};

const G: f64 = 9.81;

fn on_floor(body: Body, law: ContactLaw, places: Places) -> Model {
    Model::new(Parts {
        bodies: vec![Body::fixed("floor", Shape::HalfSpace(HalfSpace)), body],
        interactions: Interactions {
            laws: vec![PairLaw { places, ..PairLaw::even(law) }],
            table: vec![vec![Some(LawId(0))]],
            ..Interactions::default()
        },
        gravity_W: Vector3::new(0.0, 0.0, -G),
        ..Parts::default()
    })
    .unwrap()
}

fn law(k: f64, n: f64, hunt_crossley: f64, mu: f64) -> ContactLaw {
    ContactLaw {
        stiffness: Stiffness::Constants(Constants { k, n, k_t: 0.7 * k.min(1e6), k_theta: 0.0, e_n: 0.0 }),
        damping: Damping { hunt_crossley, ..Damping::default() },
        friction: Friction::Coulomb { mu },
        partial: None,
    }
}

/// A ball of 1 kg and 0.1 m that is thrown and bounces.
fn thrown() -> Model {
    let V = SpatialVelocity::new(Vector3::new(0.0, 5.0, 2.0), Vector3::new(1.0, 0.0, 0.0));
    let ball = Body::free("ball", Shape::Sphere(Sphere::new(0.1).unwrap()), 1.0, Matrix3::identity() * 4e-3)
        .at(Isometry3::translation(0.0, 0.0, 0.3))
        .moving(V);
    on_floor(ball, law(1e6, 1.5, 0.1, 0.3), Places::Closest)
}

fn carried(model: &Model, tolerance: f64, until: f64) -> (State, FixedReport) {
    let stepper = FixedStep { step: 5e-3, tolerance: Some(tolerance), ..FixedStep::default() };
    let mut state = model.start().unwrap();
    let mut work = stepper.workspace(model, &state).unwrap();
    let before = stepper.ledger(model, &state, &mut work).unwrap().total();
    let report = stepper.advance(model, &mut state, &mut work, until).unwrap();
    let after = stepper.ledger(model, &state, &mut work).unwrap().total();
    assert!((after - before).abs() < 1e-10, "ledger {:e}", after - before);
    assert!(report.least_loss >= -1e-14, "{report:?}");
    assert_eq!(state.time, until);
    (state, report)
}

/// Four bounces: the error falls with the tolerance, to 1e-4 m at 1e-6. Without halves that are compared, impacts of 1.5 ms would
/// be lost in steps of 5 ms.
#[test]
fn bounces_come_as_near_as_asked_for() {
    let model = thrown();
    let until = 1.0;
    let stepper = Accurate { relative: 1e-10, absolute: 1e-11, ..Accurate::default() };
    let mut exact = model.start().unwrap();
    let mut work = stepper.workspace(&model, &exact).unwrap();
    stepper.advance(&model, &mut exact, &mut work, until).unwrap();
    let p = |state: &State| state.bodies[1].X_WBcm.translation.vector;
    let mut last = f64::INFINITY;
    for tolerance in [1e-3, 1e-4, 1e-5, 1e-6] {
        let (state, report) = carried(&model, tolerance, until);
        let off = (p(&state) - p(&exact)).norm();
        println!(
            "{tolerance:e}: off {off:.2e} m, {} steps, {} rejected, {} rough",
            report.steps, report.rejected, report.rough
        );
        assert!(off < 0.7 * last, "{tolerance:e}: {off:e} after {last:e}");
        last = off;
    }
    assert!(last < 1e-4, "{last:e}");
}

/// A box slides to its end: v²/2μg, in steps that are long where nothing happens.
#[test]
fn a_sliding_box_stops_where_coulomb_says() {
    let shape = Shape::RoundedBox(RoundedBox::new(Vector3::new(0.05, 0.05, 0.03), 0.005).unwrap());
    let inertia = Matrix3::from_diagonal(&Vector3::new(1.13e-3, 1.13e-3, 1.67e-3));
    let (v, mu, k) = (1.0, 0.3, 1e6);
    let sunk = G / (4.0 * k);
    let body = Body::free("box", shape, 1.0, inertia)
        .at(Isometry3::translation(0.0, 0.0, 0.03 - sunk))
        .moving(SpatialVelocity::new(Vector3::zeros(), Vector3::new(v, 0.0, 0.0)));
    let mut law = law(k, 1.0, 0.0, mu);
    law.damping.normal = 500.0;
    let model = on_floor(body, law, Places::Points);
    let (state, report) = carried(&model, 1e-5, 0.6);
    let (x, way) = (state.bodies[1].X_WBcm.translation.x, v * v / (2.0 * mu * G));
    println!("x {x:.6} m for {way:.6}, {} steps, {} rejected", report.steps, report.rejected);
    assert!((x / way - 1.0).abs() < 2e-3, "{x} for {way}");
    assert!(report.steps < 3000, "{report:?}");
}

/// The length of the next step belongs to the state.
#[test]
fn a_run_goes_on_bit_by_bit() {
    let model = thrown();
    let stepper = FixedStep { step: 5e-3, tolerance: Some(1e-4), ..FixedStep::default() };
    let mut state = model.start().unwrap();
    let mut work = stepper.workspace(&model, &state).unwrap();
    stepper.advance(&model, &mut state, &mut work, 0.2).unwrap();
    let mut other = state.clone();
    let mut anew = stepper.workspace(&model, &other).unwrap();
    stepper.advance(&model, &mut state, &mut work, 0.5).unwrap();
    stepper.advance(&model, &mut other, &mut anew, 0.5).unwrap();
    assert_eq!(state, other);
}

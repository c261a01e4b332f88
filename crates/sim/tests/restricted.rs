//! Hinges and sliders against closed forms; locked directions do not drift.

mod scene;

use fingerpad_contact::law::{Damping, Friction};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_sim::{Body, Mobility, Model, Parts, Restriction, Stepper};
use nalgebra::{Isometry3, Matrix3, Point3, UnitQuaternion, Vector3};
use scene::{G, Run, between, constants, down, law, parts, plane, sphere};
use std::f64::consts::FRAC_PI_2;

/// Complete elliptic integral K by the arithmetic-geometric mean.
fn elliptic_K(k: f64) -> f64 {
    let (mut a, mut b) = (1.0_f64, (1.0 - k * k).sqrt());
    for _ in 0..20 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    FRAC_PI_2 / a
}

/// A pendulum on a tilted hinge, swung out by 2 rad, its body frame away from hinge and centre of mass: after ten periods of
/// 4 √(I/mgl cos τ) K(sin θ/2) it is back, energy kept to 1e-10, the hinge where it was to rounding. Would catch a missing
/// w × (w × r), a wrong arm, drift of the hinge.
#[test]
fn a_pendulum_swings_with_the_elliptic_period_and_its_hinge_stays() {
    let (mass, tilt, out) = (0.7, 0.4_f64, 2.0_f64);
    // Hinge axis: y of F, tilted by τ out of the horizontal plane.
    let X_WF = Isometry3::from_parts(
        Vector3::new(0.3, -0.2, 1.0).into(),
        UnitQuaternion::from_axis_angle(&Vector3::x_axis(), tilt),
    );
    let I = Matrix3::new(0.02, 0.002, 0.001, 0.002, 0.03, -0.002, 0.001, -0.002, 0.025);
    let hanging = UnitQuaternion::from_euler_angles(0.5, 0.2, -0.7);
    // The centre of mass l below the axis, along −z of F, and 0.05 along it; then swung out.
    let (l, p_BoBcm) = (0.4, Point3::new(0.03, -0.06, 0.02));
    let swing = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), out);
    let attitude = X_WF.rotation * swing * X_WF.rotation.inverse() * hanging;
    let p_WBcm = X_WF * (swing * Point3::new(0.0, 0.05, -l));
    let mut body = Body::free("pendulum", sphere(0.05), mass, I);
    body.p_BoBcm = p_BoBcm;
    body.X_WB = Isometry3::from_parts((p_WBcm.coords - attitude * p_BoBcm.coords).into(), attitude);
    body.mobility = Mobility::Restricted(Restriction { X_WF, slides: [false; 3], turns: [false, true, false] });
    let axis = X_WF.rotation * Vector3::y();
    let axis_B = attitude.inverse() * axis;
    let about = axis_B.dot(&(I * axis_B)) + mass * l * l;
    let period = 4.0 * (about / (mass * G * tilt.cos() * l)).sqrt() * elliptic_K((0.5 * out).sin());
    let mut run = Run::new(parts(vec![body.clone()], vec![], down()));
    let first = run.ledger().total();
    let (mut energy, mut drift) = (0.0_f64, 0.0_f64);
    for i in 1..=100 {
        run.to(0.1 * f64::from(i) * period);
        energy = energy.max((run.ledger().total() - first).abs());
        // The point of the body that was at the hinge, and its axis.
        let X_WB = run.model.frame(0, &run.state.bodies[0].X_WBcm);
        let p_WP = X_WB * body.X_WB.inverse() * Point3::from(X_WF.translation.vector);
        drift = drift.max((p_WP.coords - X_WF.translation.vector).norm());
        drift = drift.max((X_WB.rotation * body.X_WB.rotation.inverse() * axis - axis).norm());
    }
    let back = (run.p(0) - p_WBcm.coords).norm();
    println!("after 10 periods off by {back:e} m, energy {energy:e} J, hinge {drift:e}, {:?}", run.report);
    // At the turning point the way is quadratic in the time; the speed is what tells.
    assert!(back < 1e-10 && run.V(0).w.norm() < 1e-9, "{back:e} {:e}", run.V(0).w.norm());
    assert!(energy < 1e-10 * mass * G * l, "{energy:e}");
    assert!(drift < 1e-14, "{drift:e}");
    assert!(run.report.position_error > 0.0 && run.report.position_error < 1e-8);
}

/// A pendulum whose pivot slides along x without friction: nothing pushes along x, so that its centre of mass keeps that
/// speed, and energy stays. Would catch a missing coupling of slide and turn.
#[test]
fn a_pendulum_on_a_free_rail_keeps_its_momentum_along_it() {
    let X_WF = Isometry3::translation(0.1, 0.0, 1.0);
    let kept = Restriction { X_WF, slides: [true, false, false], turns: [false, true, false] };
    let mut body = Body::free("pendulum", sphere(0.05), 0.7, Matrix3::identity() * 0.02);
    body.X_WB = Isometry3::translation(0.5, 0.0, 1.1);
    body.mobility = Mobility::Restricted(kept);
    // The pivot slides at 0.3 m/s while the body turns at 2 rad/s.
    let w = Vector3::new(0.0, 2.0, 0.0);
    let v = Vector3::new(0.3, 0.0, 0.0) + w.cross(&Vector3::new(0.4, 0.0, 0.1));
    let mut run = Run::new(parts(vec![body.moving(SpatialVelocity::new(w, v))], vec![], down()));
    let first = run.ledger().total();
    let mut low = f64::INFINITY;
    for i in 1..=100 {
        run.to(0.03 * f64::from(i));
        low = low.min(run.p(0).z);
        assert!((run.V(0).v.x - v.x).abs() < 1e-11, "{:e}", run.V(0).v.x - v.x);
        assert!((run.ledger().total() - first).abs() < 1e-11);
    }
    assert!(low < 0.7, "{low}");
}

/// A hinged paddle whose pivot also slides falls on a plane, slips and sticks: losses and energies add up.
#[test]
fn the_ledger_closes_on_a_restricted_body_in_contact() {
    let X_WF = Isometry3::translation(0.0, 0.0, 0.25);
    let kept = Restriction { X_WF, slides: [true, true, false], turns: [false, true, false] };
    let paddle = Body::free("paddle", sphere(0.1), 1.0, Matrix3::identity() * 4e-3)
        .at(Isometry3::translation(0.3, 0.0, 0.25))
        .with(Mobility::Restricted(kept))
        .moving(SpatialVelocity::new(Vector3::zeros(), Vector3::new(0.2, 0.5, 0.0)));
    let damping = Damping { hunt_crossley: 0.4, ..Damping::default() };
    let law = law(constants(1e5, 1.5, 1e4, 4.0, 0.02), damping, Friction::Coulomb { mu: 0.3 });
    let mut run = Run::new(parts(vec![plane(), paddle], vec![between(0, 1, law, 0.5)], down()));
    let mut last = run.ledger();
    let first = last.total();
    for i in 1..=100 {
        run.to(0.01 * f64::from(i));
        let now = run.ledger();
        assert!((now.total() - first).abs() < 1e-10, "{:e} at {}", now.total() - first, run.state.time);
        assert!(now.E_slip >= last.E_slip && now.E_visc >= last.E_visc);
        last = now;
    }
    assert!(last.E_slip > 1e-2 && last.E_visc > 1e-2 && run.events.len() > 3, "{last:?}");
}

/// A slider on a tilted rail runs down ½ g sin θ t², without inertia of its own, and does not turn or leave the rail at all.
#[test]
fn a_slider_runs_down_its_rail() {
    let angle = 0.3_f64;
    let X_WF = Isometry3::rotation(Vector3::new(0.0, angle, 0.0));
    let rail = Restriction { X_WF, slides: [true, false, false], turns: [false; 3] };
    let body = Body::free("slider", sphere(0.05), 2.0, Matrix3::zeros()).with(Mobility::Restricted(rail));
    let mut run = Run::new(parts(vec![body], vec![], down()));
    run.to(1.0);
    let along = X_WF.rotation * Vector3::x();
    let expected = along * (0.5 * G * angle.sin());
    assert!((run.p(0) - expected).norm() < 1e-12 * expected.norm());
    assert_eq!(run.p(0).y, 0.0);
    assert!(run.p(0).cross(&along).norm() < 1e-15);
    assert_eq!(run.state.bodies[0].X_WBcm.rotation, UnitQuaternion::identity());
    assert_eq!(run.V(0).w, Vector3::zeros());
}

/// A block (a ball that cannot turn) on an incline: it holds at μ just above tan θ, and slides with g (sin θ − μ cos θ)
/// below. Tolerance: the load comes at once and swings the springs to twice their 2.9 µm, and slips by what is beyond the
/// limit; a step of speed of 3 mm/s (2.9 µm at 1000 rad/s) for half a second is the worst that can do to the way, 1.5 mm.
#[test]
fn a_block_slides_on_an_incline_below_tan_theta() {
    let (angle, mass, k) = (0.3_f64, 1.0, 1e7);
    let gravity = Vector3::new(G * angle.sin(), 0.0, -G * angle.cos());
    for (mu, slides) in [(1.01 * angle.tan(), false), (0.5 * angle.tan(), true)] {
        let kept = Restriction { X_WF: Isometry3::identity(), slides: [true, false, true], turns: [false; 3] };
        let damping = Damping { tangential: 3e3, torsional: 1.0, ..Damping::default() };
        let law = law(constants(k, 1.0, 1e6, 1.0, 0.01), damping, Friction::Coulomb { mu });
        let block = Body::free("block", sphere(0.05), mass, Matrix3::zeros())
            .with(Mobility::Restricted(kept))
            .at(Isometry3::translation(0.0, 0.0, 0.05 - mass * G * angle.cos() / k));
        let mut run = Run::new(parts(vec![plane(), block], vec![between(0, 1, law, 0.5)], gravity));
        run.to(0.5);
        let expected = if slides { 0.125 * G * (angle.sin() - mu * angle.cos()) } else { 0.0 };
        println!("μ {mu}: {} against {expected}", run.p(1).x);
        let tolerance = if slides { 1.5e-3 } else { 2e-5 };
        assert!(slides || run.V(1).v.norm() < 1e-9);
        assert!((run.p(1).x - expected).abs() < tolerance, "μ {mu}: {} against {expected}", run.p(1).x);
    }
}

/// Starts and inertias that cannot be are refused, and say why.
#[test]
fn starts_off_the_motions_left_are_refused() {
    let kept = Restriction { X_WF: Isometry3::identity(), slides: [true, false, false], turns: [false, false, true] };
    let body = Body::free("arm", sphere(0.05), 1.0, Matrix3::identity()).with(Mobility::Restricted(kept));
    let refused = |body: Body| Model::new(Parts { bodies: vec![body], ..Parts::default() }).unwrap_err().to_string();
    let off = SpatialVelocity::new(Vector3::zeros(), Vector3::new(1.0, 0.1, 0.0));
    let said = refused(body.clone().moving(off));
    assert!(said.contains("`arm`") && said.contains("left to it"), "{said}");
    let said = refused(body.clone().moving(SpatialVelocity::new(Vector3::x(), Vector3::zeros())));
    assert!(said.contains("angular velocity of body `arm`"), "{said}");
    let mut weightless = body.clone();
    weightless.I_BBcm_B = Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, 0.0));
    let said = refused(weightless);
    assert!(said.contains("inertia about its axis"), "{said}");
    let thin = Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, 2.01));
    let said = refused(Body::free("ghost", sphere(0.05), 1.0, thin));
    assert!(said.contains("`ghost`") && said.contains("sum of the other two"), "{said}");
    // A flat plate is on the edge, and can be; turned axes change nothing.
    let R = UnitQuaternion::from_euler_angles(0.3, 0.8, -1.2).to_rotation_matrix();
    let plate = R.matrix() * Matrix3::from_diagonal(&Vector3::new(1.0, 1.5, 2.5)) * R.matrix().transpose();
    let plate = 0.5 * (plate + plate.transpose());
    Model::new(Parts { bodies: vec![Body::free("plate", sphere(0.05), 1.0, plate)], ..Parts::default() }).unwrap();
    // Poses too, where a start is asked for from elsewhere.
    let model = Model::new(Parts { bodies: vec![body], ..Parts::default() }).unwrap();
    let lifted = model.start_from(|_, body| (Isometry3::translation(0.2, 0.0, 0.1), body.V_WBcm));
    assert!(lifted.unwrap_err().to_string().contains("start pose"));
    model.start_from(|_, body| (Isometry3::new(Vector3::x(), Vector3::z()), body.V_WBcm)).unwrap();
}

/// Numbers beyond double precision stop a restricted body, too, with its name and the time.
#[test]
fn a_restricted_run_that_diverges_says_so() {
    let hinge = Restriction { X_WF: Isometry3::identity(), slides: [false; 3], turns: [false, true, false] };
    let mut body = Body::free("arm", sphere(0.05), 1.0, Matrix3::identity()).with(Mobility::Restricted(hinge));
    body.X_WB = Isometry3::translation(1.0, 0.0, 0.0);
    let model = Model::new(Parts { bodies: vec![body], gravity_W: Vector3::new(0.0, 0.0, -1e307), ..Parts::default() })
        .unwrap();
    let mut state = model.start().unwrap();
    let mut work = fingerpad_sim::Workspace::new(&model, &state);
    let error = fingerpad_sim::Accurate::default().advance(&model, &mut state, &mut work, 1e3).unwrap_err().to_string();
    assert!(error.contains("`arm`") && error.contains("at t = "), "{error}");
    assert!(state.bodies[0].V_WBcm.w.iter().all(|x| x.is_finite()));
}

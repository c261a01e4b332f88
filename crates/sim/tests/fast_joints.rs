//! Fixed steps of bodies on joints that turn: hinges, ball joints, rails with a pivot; against closed forms and the ledger.

mod fast_run;
mod scene;

use fast_run::{Run, mechanical};
use fingerpad_contact::law::{Damping, Friction};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_sim::{Body, Mobility, Model, Parts, Restriction};
use nalgebra::{Isometry3, Matrix3, UnitQuaternion, Vector3};
use scene::{G, between, constants, down, law, parts, plane, sphere};

fn on(joint: Restriction, at: Isometry3<f64>, I: Matrix3<f64>) -> Body {
    Body::free("arm", sphere(0.05), 1.0, I).with(Mobility::Restricted(joint)).at(at)
}

fn model(parts: Parts) -> Model {
    Model::new(parts).unwrap()
}

/// A pendulum swings from 1 rad for 20 s at 1 ms: energy to rounding, the hinge stays, and the period is
/// 2π √(I/mgl)/agm(1, cos θ/2) within 1e-5 (second order: (h ω)²/12 of it is 2e-6).
#[test]
fn a_pendulum_keeps_energy_and_period() {
    let X_WF = Isometry3::translation(0.2, 0.1, 1.0);
    let hinge = Restriction { X_WF, slides: [false; 3], turns: [false, true, false] };
    let (l, out) = (0.4, 1.0_f64);
    let at = Isometry3::from_parts(
        Vector3::new(0.2 - l * out.sin(), 0.1, 1.0 - l * out.cos()).into(),
        UnitQuaternion::from_axis_angle(&Vector3::y_axis(), out),
    );
    let I = Matrix3::from_diagonal(&Vector3::new(0.01, 0.03, 0.025));
    let mut run = Run::new(model(parts(vec![on(hinge, at, I)], vec![], down())), 1e-3);
    let scale = G * l;
    // Two crossings of the lowest point are half a period apart.
    let mut crossings = Vec::new();
    let mut last = run.state.bodies[0].X_WBcm.translation.x - 0.2;
    while run.state.time < 20.0 {
        run.to(run.state.time + 1e-3);
        let x = run.state.bodies[0].X_WBcm.translation.x - 0.2;
        if last * x < 0.0 {
            crossings.push(run.state.time - 1e-3 * x / (x - last));
        }
        last = x;
        let r = run.state.bodies[0].X_WBcm.translation.vector - X_WF.translation.vector;
        assert!((r.norm() - l).abs() < 1e-14 && r.y.abs() < 1e-15, "{r:?}");
    }
    // Gauss: the period of small swings over the mean of 1 and cos θ/2.
    let (mut a, mut g) = (1.0, (0.5 * out).cos());
    for _ in 0..6 {
        (a, g) = (0.5 * (a + g), f64::sqrt(a * g));
    }
    let period = std::f64::consts::TAU * ((0.03 + l * l) / (G * l)).sqrt() / a;
    let found = 2.0 * (crossings[10] - crossings[0]) / 10.0;
    println!("period {found} of {period}");
    assert!((found / period - 1.0).abs() < 1e-5, "{found} of {period}");
    run.check("pendulum", scale);
    let off = mechanical(&run.ledger()) - mechanical(&run.first);
    assert!(off.abs() < 1e-12 * scale, "{off:e}");
}

/// A spinning top on a ball joint: energy and the moment about the vertical stay.
#[test]
fn a_top_on_a_ball_joint_keeps_energy_and_moment() {
    let joint = Restriction { X_WF: Isometry3::identity(), slides: [false; 3], turns: [true; 3] };
    let tilt = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), 0.5);
    let at = Isometry3::from_parts((tilt * Vector3::new(0.0, 0.0, 0.1)).into(), tilt);
    let I = Matrix3::from_diagonal(&Vector3::new(0.002, 0.0025, 0.003));
    let w = tilt * Vector3::new(1.0, 0.5, 60.0);
    let V = SpatialVelocity::new(w, w.cross(&at.translation.vector));
    let mut run = Run::new(model(parts(vec![on(joint, at, I).moving(V)], vec![], down())), 1e-3);
    let moment = |run: &Run| {
        let now = &run.state.bodies[0];
        let w = now.X_WBcm.rotation.inverse() * now.V_WBcm.w;
        (now.X_WBcm.rotation * (I * w) + now.X_WBcm.translation.vector.cross(&now.V_WBcm.v)).z
    };
    let (first, L) = (mechanical(&run.first), moment(&run));
    run.to(5.0);
    println!("energy {:e}, moment {:e}", mechanical(&run.ledger()) / first - 1.0, moment(&run) / L - 1.0);
    run.check("top", first);
    assert!((mechanical(&run.ledger()) / first - 1.0).abs() < 1e-11);
    // The mean of both ends stands for the attitude in the moment: second order.
    assert!((moment(&run) / L - 1.0).abs() < 1e-4);
}

/// A pendulum whose pivot slides: its inertia changes on the way; momentum along the rail stays, and what the inertia
/// brings falls at least as h².
#[test]
fn a_pendulum_on_a_rail_keeps_momentum_and_books_the_rest() {
    let X_WF = Isometry3::translation(0.1, 0.0, 1.0);
    let rail = Restriction { X_WF, slides: [true, false, false], turns: [false, true, false] };
    let w = Vector3::new(0.0, 2.0, 0.0);
    let v = Vector3::new(0.3, 0.0, 0.0) + w.cross(&Vector3::new(0.4, 0.0, 0.1));
    let body = on(rail, Isometry3::translation(0.5, 0.0, 1.1), Matrix3::identity() * 0.02);
    let mut drifts = Vec::new();
    for step in [1e-3, 5e-4] {
        let body = body.clone().moving(SpatialVelocity::new(w, v));
        let mut run = Run::new(model(parts(vec![body], vec![], down())), step);
        let first = mechanical(&run.first);
        let mut worst = 0.0_f64;
        while run.state.time < 3.0 {
            run.quickly_to(run.state.time + 0.05);
            worst = worst.max((mechanical(&run.ledger()) - first).abs());
        }
        let total = (run.ledger().total() - run.first.total()).abs();
        println!("h {step}: energy {worst:e}, ledger {total:e}, momentum {:e}", run.state.bodies[0].V_WBcm.v.x - v.x);
        assert!(total < 1e-12 * G, "{total:e}");
        drifts.push((worst, (run.state.bodies[0].V_WBcm.v.x - v.x).abs()));
    }
    // Of 10 J; the swing passes at 9 rad/s.
    assert!(drifts[0].0 < 2e-3 && drifts[1].0 < 0.3 * drifts[0].0, "{drifts:?}");
    assert!(drifts[0].1 < 1e-4 && drifts[1].1 < 0.3 * drifts[0].1 + 1e-12, "{drifts:?}");
}

/// A hinged arm falls on a plane and comes to rest; another hits a free ball. Every step keeps its books.
#[test]
fn hinged_arms_hit_a_stop_and_a_ball() {
    let X_WF = Isometry3::translation(0.0, 0.0, 0.2);
    let hinge = Restriction { X_WF, slides: [false; 3], turns: [false, true, false] };
    for k in [1e5, 1e8] {
        let damping = Damping { hunt_crossley: 0.4, normal: 50.0, ..Damping::default() };
        let law = law(constants(k, 1.0, 0.5 * k, 4e-4 * k, 0.02), damping, Friction::Coulomb { mu: 0.3 });
        let arm = on(hinge, Isometry3::translation(0.4, 0.0, 0.2), Matrix3::identity() * 4e-3);
        let bodies = vec![plane(), arm.clone()];
        let mut run = Run::new(model(parts(bodies, vec![between(0, 1, law.clone(), 0.5)], down())), 1e-3);
        let end = run.to(3.0);
        println!("k {k:e}: KE {:e}, slip {:e}", end.KE, end.E_slip);
        run.check("stop", G * 0.4);
        assert!(end.KE < 1e-10 && end.E_visc > 0.0, "{end:?}");
        assert!((run.state.bodies[1].X_WBcm.translation.vector - X_WF.translation.vector).norm() - 0.4 < 1e-14);
        let ball =
            Body::free("ball", sphere(0.1), 1.0, Matrix3::identity() * 4e-3).at(Isometry3::translation(0.05, 0.0, 0.1));
        let high = Isometry3::translation(0.0, 0.0, 0.5);
        let hinge = Restriction { X_WF: high, ..hinge };
        let arm = on(hinge, Isometry3::translation(-0.4, 0.0, 0.5), Matrix3::identity() * 4e-3);
        let bodies = vec![plane(), arm, ball];
        let pairs = vec![between(0, 2, law.clone(), 0.5), between(1, 2, law, 0.5)];
        let mut run = Run::new(model(parts(bodies, pairs, down())), 1e-3);
        let end = run.to(1.0);
        println!("k {k:e}: ball at {}", run.state.bodies[2].X_WBcm.translation.x);
        run.check("ball", G * 0.4);
        assert!(run.state.bodies[2].X_WBcm.translation.x > 0.3 && end.E_visc > 0.0);
    }
}

//! Rigid contacts by complementarity against closed forms: slides, rolls, spins, bounces.

mod common;

use common::{G, all_meet, ball, block, ground, linear};
use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_sim::{
    ContactMode, EventKind, Ledger, Mobility, Model, Restriction, Rigid, RigidReport, RigidWorkspace, Solver, State,
    Stepper,
};
use nalgebra::{Isometry3, Matrix3, UnitQuaternion, Vector3};

struct Run {
    model: Model,
    state: State,
    work: RigidWorkspace,
    stepper: Rigid,
    first: Ledger,
}

impl Run {
    fn new(model: Model, step: f64) -> Self {
        let state = model.start().unwrap();
        let work = RigidWorkspace::new(&model, &state);
        let stepper = Rigid::with_step(step);
        let first = stepper.ledger(&model, &state);
        Self { model, state, work, stepper, first }
    }

    fn to(&mut self, until: f64) -> RigidReport {
        let report = self.stepper.advance(&self.model, &mut self.state, &mut self.work, until).unwrap();
        assert!(report.unsolved == 0 && report.unprojected == 0, "{report:?}");
        report
    }

    fn ledger(&self) -> Ledger {
        self.stepper.ledger(&self.model, &self.state)
    }

    fn v(&self, body: usize) -> Vector3<f64> {
        self.state.bodies[body].V_WBcm.v
    }
}

/// Coulomb friction on a patch of given e_n (m); stiffness is not read.
fn rough(mu: f64, e_n: f64) -> ContactLaw {
    let constants = Constants { k: 1e5, n: 1.0, k_t: 1e5, k_theta: 10.0 * e_n, e_n };
    let friction = Friction::Coulomb { mu };
    ContactLaw { stiffness: Stiffness::Constants(constants), damping: Damping::default(), friction, partial: None }
}

fn down() -> Vector3<f64> {
    Vector3::new(0.0, 0.0, -G)
}

/// Gravity as on an incline, along x.
fn incline(degrees: f64) -> Vector3<f64> {
    let (sin, cos) = degrees.to_radians().sin_cos();
    Vector3::new(G * sin, 0.0, -G * cos)
}

/// |v − max(0, g (sin − μ cos)) t| ≤ 1e-12 after 1 s: rounding of 1000 sums of solutions to 1e-12. The way is exact too, by
/// the mean velocity, and the balance of energy closes without a remainder. mechanics: 26.5° holds, 26.6° slides with
/// 0.0066901 m/s² at μ = 0.5.
#[test]
fn a_block_on_an_incline_holds_and_slides() {
    let mu = 0.5;
    for degrees in [0.0, 10.0, 26.5, 26.6, 35.0, 60.0_f64] {
        let body = block([0.1, 0.08, 0.03], 0.002, 1.3).at(Isometry3::translation(0.0, 0.0, 0.03));
        let mut run = Run::new(all_meet(vec![ground(), body], rough(mu, 0.02), incline(degrees)), 1e-3);
        let report = run.to(1.0);
        let (sin, cos) = degrees.to_radians().sin_cos();
        let a = (G * (sin - mu * cos)).max(0.0);
        let now = &run.state.bodies[1];
        assert!((now.V_WBcm.v - Vector3::x() * a).norm() <= 1e-12, "{degrees}: {:e}", (now.V_WBcm.v.x - a).abs());
        // The tolerance of the solver over an arm of 3 cm.
        assert!(now.V_WBcm.w.norm() < 4e-11, "{:e}", now.V_WBcm.w.norm());
        let x = now.X_WBcm.translation.vector.x;
        assert!((x - 0.5 * a).abs() < 1e-12, "{degrees}: {x}");
        if degrees == 26.6 {
            assert!((now.V_WBcm.v.x - 0.0066901).abs() < 5e-8, "{}", now.V_WBcm.v.x);
        }
        let ledger = run.ledger();
        assert!((ledger.total() - run.first.total()).abs() < 1e-11 && report.integration < 1e-11, "{report:?}");
        assert!((ledger.E_slip - mu * 1.3 * G * cos * 0.5 * a).abs() < 1e-11, "{}", ledger.E_slip);
        assert!(ledger.E_num.abs() < 1e-11);
        let mode = if a > 0.0 { ContactMode::Slip } else { ContactMode::Stick };
        assert_eq!(run.state.contacts[0].mode, mode);
        let view = run.stepper.contact_results(&run.model, &run.state, &mut run.work).unwrap()[0];
        assert!((view.normal - 1.3 * G * cos).abs() < 1e-9, "{}", view.normal);
        assert!((view.load.x - 1.3 * (G * sin - a)).abs() < 1e-9, "{}", view.load);
        assert!((view.used - (sin / (mu * cos)).min(1.0)).abs() < 1e-9, "{}", view.used);
    }
}

/// A block that holds stays where it is: 1e-10 m over 20 s. Springs, regularised friction and corrections by velocity creep.
#[test]
fn a_block_that_holds_does_not_creep() {
    let body = block([0.1, 0.08, 0.03], 0.002, 1.0).at(Isometry3::translation(0.0, 0.0, 0.03));
    let mut run = Run::new(all_meet(vec![ground(), body], rough(0.5, 0.02), incline(26.0)), 5e-3);
    let start = run.state.bodies[1].X_WBcm;
    run.to(20.0);
    let now = run.state.bodies[1].X_WBcm;
    assert!((now.translation.vector - start.translation.vector).norm() < 1e-10, "{now}");
    assert!(now.rotation.angle_to(&start.rotation) < 1e-9);
}

/// A ball that slides comes to roll with 5/7 v0, to the tolerance of the solver, after 2 v0/(7 μ g) = 0.194165 s, to a
/// step; x is exact up to the step in which slip ends: h v.
#[test]
fn a_sliding_ball_comes_to_roll() {
    let (v0, mu, radius, h) = (2.0, 0.3, 0.1, 1e-3);
    let body = ball("ball", radius, 0.8)
        .at(Isometry3::translation(0.0, 0.0, radius))
        .moving(SpatialVelocity::new(Vector3::zeros(), Vector3::x() * v0));
    let mut run = Run::new(all_meet(vec![ground(), body], rough(mu, 0.0), down()), h);
    let report = run.to(0.3);
    let rolls = run.work.events().iter().find(|event| event.kind == EventKind::Stick).unwrap().time;
    assert!((rolls - 2.0 * v0 / (7.0 * mu * G)).abs() <= h, "{rolls}");
    assert!((run.v(1).x - 5.0 / 7.0 * v0).abs() < 1e-12, "{:e}", run.v(1).x - 5.0 / 7.0 * v0);
    let (t, x) = (2.0 * v0 / (7.0 * mu * G), 12.0 * v0 * v0 / (49.0 * mu * G));
    let expected = x + (0.3 - t) * 5.0 / 7.0 * v0;
    assert!((run.state.bodies[1].X_WBcm.translation.vector.x - expected).abs() < 1e-4 * h / 1e-3);
    let ledger = run.ledger();
    // 2/7 of the kinetic energy goes; what the last step loses less is within the ledger.
    assert!((ledger.E_slip - 0.8 * v0 * v0 / 7.0).abs() < 1e-9, "{}", ledger.E_slip);
    assert!((ledger.total() - run.first.total()).abs() < 1e-12 && report.integration < 1e-12, "{report:?}");
}

/// Golden 23: μ = 0.2 with its digits; hoops, cylinders, shells of the same radius; a ball that spins along.
#[test]
fn golden_23_rollers_of_every_kind() {
    let (v0, mu, radius, h) = (2.0, 0.2, 0.1, 1e-3);
    for (share, w0, ratio) in
        [(0.4, 0.0, 5.0 / 7.0), (1.0, 0.0, 0.5), (0.5, 0.0, 2.0 / 3.0), (2.0 / 3.0, 0.0, 0.6), (0.4, 7.0, 57.0 / 70.0)]
    {
        let mut body = ball("roller", radius, 0.8).at(Isometry3::translation(0.0, 0.0, radius));
        body.I_BBcm_B = Matrix3::identity() * (share * 0.8 * radius * radius);
        body = body.moving(SpatialVelocity::new(Vector3::y() * w0, Vector3::x() * v0));
        let mut run = Run::new(all_meet(vec![ground(), body], rough(mu, 0.0), down()), h);
        run.to(0.6);
        let v = ratio * v0;
        let t = (v0 - v) / (mu * G);
        if share == 0.4 && w0 == 0.0 {
            assert!((v - 1.428571).abs() < 5e-7 && (t - 0.291248).abs() < 5e-7, "{v} {t}");
            assert!((0.5 * (v0 + v) * t - 0.499282).abs() < 5e-7);
        }
        let rolls = run.work.events().iter().find(|event| event.kind == EventKind::Stick).unwrap().time;
        assert!((rolls - t).abs() <= h, "{share}: rolls at {rolls}, expected {t}");
        assert!((run.v(1).x - v).abs() < 1e-12, "{share}: {:e}", run.v(1).x - v);
        let x = run.state.bodies[1].X_WBcm.translation.vector.x;
        assert!((x - (0.5 * (v0 + v) * t + (0.6 - t) * v)).abs() < 1e-4, "{share}: {x}");
    }
}

/// A ball on an incline rolls iff μ ≥ (2/7) tan θ, then with 5/7 g sin θ.
#[test]
fn a_ball_on_an_incline_rolls_or_slips() {
    let angle = 30.0_f64.to_radians();
    for share in [0.98, 1.02] {
        let mu = share * 2.0 / 7.0 * angle.tan();
        let body = ball("ball", 0.05, 0.3).at(Isometry3::translation(0.0, 0.0, 0.05));
        let mut run = Run::new(all_meet(vec![ground(), body], rough(mu, 0.0), incline(30.0)), 1e-3);
        run.to(1.0);
        let a = if share > 1.0 { 5.0 / 7.0 * G * angle.sin() } else { G * (angle.sin() - mu * angle.cos()) };
        assert!((run.v(1).x - a).abs() < 1e-11, "{share}: {}", run.v(1).x);
    }
}

/// A disc that slides and spins, its radius of gyration e_n: on the ellipsoid it stops after √(v0² + e²w0²)/(μ g) = 0.180201
/// s. Exact ellipsoid within 0.5 %, in any direction; hulls of 20, 42 and 86 points, along one of theirs, within 10 %, 5 % and 2 %.
#[test]
fn a_sliding_and_spinning_disc_stops() {
    let (v0, w0, mu, e) = (0.5_f64, 25.0, 0.4, 0.02);
    let expected = (v0 * v0 + e * e * w0 * w0).sqrt() / (mu * G);
    assert!((expected - 0.180201).abs() < 1e-6);
    let lemke = |around, up| Solver::Lemke { around, up };
    for (solver, heading, tolerance) in
        [(Solver::Auto, 0.3_f64, 0.005), (lemke(6, 2), 0.0, 0.1), (lemke(8, 3), 0.0, 0.05), (lemke(12, 4), 0.0, 0.02)]
    {
        let mass = 0.5;
        let mut body = ball("disc", 0.05, mass).at(Isometry3::translation(0.0, 0.0, 0.05));
        body.I_BBcm_B = Matrix3::identity() * (mass * e * e);
        // It stands upright: turns about the normal only.
        let upright = Restriction { X_WF: body.X_WB, slides: [true; 3], turns: [false, false, true] };
        body = body
            .with(Mobility::Restricted(upright))
            .moving(SpatialVelocity::new(Vector3::z() * w0, Vector3::new(heading.cos(), heading.sin(), 0.0) * v0));
        let mut run = Run::new(all_meet(vec![ground(), body], rough(mu, e), down()), 5e-4);
        run.stepper.solver = solver;
        let report = run.to(0.25);
        assert_eq!(report.fallbacks, 0);
        let stops = run.work.events().iter().find(|event| event.kind == EventKind::Stick).unwrap().time;
        println!("{solver:?}: stops at {stops}");
        assert!((stops / expected - 1.0).abs() < tolerance, "{solver:?}: {stops}");
        assert!(run.v(1).norm() < 1e-11 && run.state.bodies[1].V_WBcm.w.norm() < 1e-9);
        assert!((run.ledger().total() - run.first.total()).abs() < 1e-12, "{report:?}");
    }
}

/// A rigid ball bounces obliquely (no gravity): vn′ = e vn; gross slip iff |vt| > (7/2) μ (1 + e) vn, then vt′ = vt − μ (1 + e) vn,
/// else 5/7 vt; for e = 0 over two steps, as the gap closes first.
#[test]
fn a_ball_bounces_obliquely() {
    for e in [0.0, 0.5, 1.0_f64] {
        for (mu, vt, vn) in [(0.2, 3.0, 1.0), (0.2, 1.0, 1.0), (0.5, 0.4, 2.0), (0.1, 5.0, 0.5)] {
            let body = ball("ball", 0.03, 0.2)
                .at(Isometry3::translation(0.0, 0.0, 0.0407))
                .moving(SpatialVelocity::new(Vector3::zeros(), Vector3::new(vt, 0.0, -vn)));
            let mut run = Run::new(all_meet(vec![ground(), body], rough(mu, 0.0), Vector3::zeros()), 1e-3);
            run.stepper.restitution = vec![e];
            run.to(0.2);
            let slips = vt > 3.5 * mu * (1.0 + e) * vn;
            let expected = if slips { vt - mu * (1.0 + e) * vn } else { 5.0 / 7.0 * vt };
            assert!((run.v(1).z - e * vn).abs() < 1e-12, "{e} {mu} {vt}: {}", run.v(1).z);
            assert!((run.v(1).x - expected).abs() < 1e-12, "{e} {mu} {vt}: {} {expected}", run.v(1).x);
            let ledger = run.ledger();
            let impact = 0.5 * 0.2 * vn * vn * (1.0 - e * e);
            assert!((ledger.E_num - impact).abs() < 1e-13, "{} {impact}", ledger.E_num);
            assert!((ledger.total() - run.first.total()).abs() < 1e-13);
        }
    }
}

/// A ball dropped from 1 m with e = 0.5 comes to rest at √(2h/g) (1 + e)/(1 − e) = 1.354571 s, within a few steps per
/// bounce; energy never rises.
#[test]
fn a_dropped_ball_comes_to_rest() {
    let body = ball("ball", 0.05, 1.0).at(Isometry3::translation(0.0, 0.0, 1.05));
    let mut run = Run::new(all_meet(vec![ground(), body], rough(0.3, 0.0), down()), 2e-4);
    run.stepper.restitution = vec![0.5];
    let mut last = run.first.KE + run.first.PE;
    for i in 1..=300 {
        run.to(0.005 * f64::from(i));
        let ledger = run.ledger();
        assert!((ledger.total() - run.first.total()).abs() < 1e-10);
        assert!(ledger.KE + ledger.PE <= last + 1e-12, "{i}: {:e}", ledger.KE + ledger.PE - last);
        last = ledger.KE + ledger.PE;
        if run.state.time < 1.34 {
            assert!(run.state.time < 1.30 || run.v(1).norm() > 0.0);
        }
    }
    assert!(run.v(1).norm() < 1e-12, "{}", run.v(1));
    assert!((run.state.bodies[1].X_WBcm.translation.vector.z - 0.05).abs() < 1e-9);
}

/// A box that tumbles freely keeps its energy to rounding, and boxes that land and tip over lose and never gain.
#[test]
fn tumbling_boxes_never_gain() {
    let turn = UnitQuaternion::from_euler_angles(0.4, 0.7, 0.2);
    let body = block([0.1, 0.06, 0.03], 0.005, 1.0)
        .at(Isometry3::from_parts(Vector3::new(0.0, 0.0, 0.4).into(), turn))
        .moving(SpatialVelocity::new(Vector3::new(4.0, -3.0, 5.0), Vector3::new(0.5, 0.2, 1.0)));
    let mut run = Run::new(
        all_meet(vec![ground(), body], linear(1e5, Friction::Coulomb { mu: 0.4 }, Damping::default()), down()),
        1e-3,
    );
    let report = run.to(0.3);
    let ledger = run.ledger();
    assert!((ledger.KE + ledger.PE - run.first.KE - run.first.PE).abs() < 1e-11 && report.impacts == 0.0, "{report:?}");
    let mut last = ledger.KE + ledger.PE;
    for i in 1..=200 {
        let report = run.to(0.3 + 0.01 * f64::from(i));
        let ledger = run.ledger();
        assert!(ledger.KE + ledger.PE <= last + 1e-9, "{i}: gained {:e} {report:?}", ledger.KE + ledger.PE - last);
        assert!((ledger.total() - run.first.total()).abs() < 1e-9, "{report:?}");
        last = ledger.KE + ledger.PE;
    }
    assert!(run.state.bodies[1].V_WBcm.v.norm() < 1e-6, "{:?}", run.state.bodies[1]);
}

/// A box that spins on its face slows down under the moment of an even pressure, μ m g r̄, with r̄ = 0.382598 a the mean distance
/// from the middle of a square of side a. Would catch friction at the corners: 1.85 times as much.
#[test]
fn a_box_spins_down_on_its_face() {
    let (mu, mass, half, edge, w0) = (0.3, 0.7, 0.05, 0.002, 8.0);
    let body = block([half, half, 0.02], edge, mass)
        .at(Isometry3::translation(0.0, 0.0, 0.02))
        .moving(SpatialVelocity::new(Vector3::z() * w0, Vector3::zeros()));
    let I = body.I_BBcm_B[(2, 2)];
    let mut run = Run::new(all_meet(vec![ground(), body], rough(mu, 0.0), down()), 1e-3);
    let t = 0.05;
    let report = run.to(t);
    // Mean distance of a square from its middle: (√2 + asinh 1)/6 of its side.
    let mean = 2.0 * (half - edge) * (2.0_f64.sqrt() + 1.0_f64.asinh()) / 6.0;
    let expected = w0 - mu * mass * G * mean / I * t;
    let found = run.state.bodies[1].V_WBcm.w;
    // Simpson's rule with nine points for the distance.
    assert!((found - Vector3::z() * expected).norm() < 1e-5 * w0, "{found} {expected}");
    assert!((run.ledger().total() - run.first.total()).abs() < 1e-12, "{report:?}");
}

/// Two coefficients: along the rough direction the block holds, across it slides with g (sin − μ cos); in between, it drifts to
/// the side that is less rough. `Sticks` holds at any angle, `None` at none.
#[test]
fn friction_may_have_two_coefficients_none_or_no_limit() {
    let at = |friction: Friction, degrees: f64| {
        let body = block([0.1, 0.1, 0.01], 0.002, 1.0).at(Isometry3::translation(0.0, 0.0, 0.01));
        // Two coefficients ask for a damper, which is not read here.
        let damping = Damping { tangential: 1.0, torsional: 1.0, ..Damping::default() };
        let law = ContactLaw { friction, damping, ..rough(0.3, 0.0) };
        let mut run = Run::new(all_meet(vec![ground(), body], law, incline(degrees)), 1e-3);
        run.to(0.5);
        run.v(1)
    };
    let two = |direction_W| Friction::TwoCoefficients { along: 0.6, across: 0.2, direction_W };
    let (sin, cos) = 25.0_f64.to_radians().sin_cos();
    assert!(at(two(Vector3::x()), 25.0).norm() < 1e-11);
    let across = at(two(Vector3::y()), 25.0);
    assert!((across - Vector3::x() * (0.5 * G * (sin - 0.2 * cos))).norm() < 1e-11, "{across}");
    let between = at(two(Vector3::new(1.0, 1.0, 0.0)), 25.0);
    assert!(between.x > 0.1 && between.y < -0.1, "{between}");
    assert!(at(Friction::Sticks, 80.0).norm() < 1e-9, "{}", at(Friction::Sticks, 80.0));
    let free = at(Friction::None, 30.0);
    assert!((free - Vector3::x() * (0.25 * G)).norm() < 1e-11, "{free}");
}

/// A run that is continued from its state with new scratch is bit-equal to one that was not interrupted.
#[test]
fn a_continued_run_is_the_same() {
    let bodies = || {
        let turn = UnitQuaternion::from_euler_angles(0.4, 0.7, 0.2);
        let body =
            block([0.1, 0.06, 0.03], 0.005, 1.0).at(Isometry3::from_parts(Vector3::new(0.0, 0.0, 0.13).into(), turn));
        vec![ground(), body, ball("ball", 0.05, 0.5).at(Isometry3::translation(0.05, 0.02, 0.3))]
    };
    let mut run = Run::new(all_meet(bodies(), rough(0.4, 0.01), down()), 1e-3);
    // Fast enough for steps that are cut; times that are sums without rounding.
    run.stepper.step = 1.0 / 1024.0;
    run.state.bodies[2].V_WBcm.v.z = -5.0;
    let mut other = Run::new(all_meet(bodies(), rough(0.4, 0.01), down()), 1e-3);
    other.state.bodies[2].V_WBcm.v.z = -5.0;
    other.stepper.step = 1.0 / 1024.0;
    let report = run.stepper.advance(&run.model, &mut run.state, &mut run.work, 0.5).unwrap();
    assert!(report.shortened > 0, "{report:?}");
    for i in 1..=16 {
        other.work = RigidWorkspace::new(&other.model, &other.state);
        let until = f64::from(i) / 32.0;
        other.stepper.advance(&other.model, &mut other.state, &mut other.work, until).unwrap();
    }
    assert!(run.ledger().E_slip > 0.0);
    assert!(run.state == other.state);
}

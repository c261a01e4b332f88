//! Trees of joints in a model, against closed forms: pendulums, limits, dry friction, couplings, loops.

use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::surface::{HalfSpace, Shape, Sphere};
use fingerpad_sim::coordinates::{Joint, JointLaw, Spring};
use fingerpad_sim::nalgebra::{Isometry3, Matrix3, Point3, Vector3};
use fingerpad_sim::{
    Accurate, Body, BodyId, Coupling, CouplingLaw, FixedStep, Interactions, JointId, Ledger, Loop, LoopKind, Model,
    ModelJoint, PairLaw, Parts, Rigid, State, Stepper,
};
use std::f64::consts::{PI, TAU};

const G: f64 = 9.81;

/// A rod of 1 kg and of a length along x, its middle at a place.
fn rod(name: &str, x: f64, length: f64) -> Body {
    let shape = Shape::Sphere(Sphere::new(0.01).unwrap());
    let across = length * length / 12.0;
    let I = Matrix3::from_diagonal(&Vector3::new(1e-4, across, across));
    Body::free(name, shape, 1.0, I).at(Isometry3::translation(x, 0.0, 0.0))
}

fn at(x: f64) -> Isometry3<f64> {
    Isometry3::translation(x, 0.0, 0.0)
}

fn hinge() -> Joint {
    Joint::Revolute(Vector3::y_axis())
}

fn slide() -> Joint {
    Joint::Prismatic(Vector3::x_axis())
}

fn model(bodies: Vec<Body>, joints: Vec<ModelJoint>, gravity: f64) -> Model {
    Model::new(Parts { bodies, joints, gravity_W: Vector3::new(0.0, 0.0, -gravity), ..Parts::default() }).unwrap()
}

/// The state at a time, and by how much the total of the ledger changed on the way.
fn run<S: Stepper>(stepper: &S, model: &Model, until: f64) -> (State, f64, Ledger) {
    let mut state = model.start().unwrap();
    let mut work = stepper.workspace(model, &state).unwrap();
    let before = stepper.ledger(model, &state, &mut work).unwrap().total();
    stepper.advance(model, &mut state, &mut work, until).unwrap();
    let ledger = stepper.ledger(model, &state, &mut work).unwrap();
    (state, ledger.total() - before, ledger)
}

fn double_pendulum() -> Model {
    let (one, two) = (rod("one", 0.5, 1.0), rod("two", 1.5, 1.0));
    let joints = vec![
        ModelJoint::at("a", hinge(), None, (BodyId(0), &one), &at(0.0)).starting(&[0.3], &[2.0]),
        ModelJoint::at("b", hinge(), Some((BodyId(0), &one)), (BodyId(1), &two), &at(1.0)).starting(&[-0.4], &[-1.0]),
    ];
    model(vec![one, two], joints, G)
}

/// Closed equations of motion of two rods, by small steps of Runge–Kutta: angles from the horizontal, downwards positive about y.
fn two_rods(until: f64) -> [f64; 2] {
    let rate = |y: [f64; 4]| {
        let (a, b, u, w) = (y[0], y[0] + y[1], y[2], y[2] + y[3]);
        // Absolute angles a, b of rods of length 1 and mass 1: M = [[4/3, c/2], [c/2, 1/3]], c = cos(a − b).
        let (c, s) = ((a - b).cos(), (a - b).sin());
        let (m11, m12, m22) = (4.0 / 3.0, 0.5 * c, 1.0 / 3.0);
        let f1 = -0.5 * s * w * w + 1.5 * G * a.cos();
        let f2 = 0.5 * s * u * u + 0.5 * G * b.cos();
        let det = m11 * m22 - m12 * m12;
        let (du, dw) = ((m22 * f1 - m12 * f2) / det, (m11 * f2 - m12 * f1) / det);
        [y[2], y[3], du, dw - du]
    };
    let mut y = [0.3, -0.4, 2.0, -1.0];
    let steps = 100_000;
    let h = until / f64::from(steps);
    for _ in 0..steps {
        let step = |y: [f64; 4], k: [f64; 4], s: f64| [0, 1, 2, 3].map(|i| y[i] + s * k[i]);
        let k1 = rate(y);
        let k2 = rate(step(y, k1, 0.5 * h));
        let k3 = rate(step(y, k2, 0.5 * h));
        let k4 = rate(step(y, k3, h));
        y = [0, 1, 2, 3].map(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
    [y[0], y[1]]
}

#[test]
fn double_pendulum_follows_its_closed_equations() {
    let model = double_pendulum();
    let truth = two_rods(1.0);
    let (state, off, _) = run(&Accurate::default(), &model, 1.0);
    let error = (state.trees[0].q[0] - truth[0]).abs() + (state.trees[0].q[1] - truth[1]).abs();
    assert!(error < 1e-9 && off.abs() < 1e-10, "{error:e} {off:e}");
    // Poses and velocities of links follow from q and v.
    let tip = state.bodies[0].X_WBcm.translation.vector * 2.0;
    let expected = Vector3::new(state.trees[0].q[0].cos(), 0.0, -state.trees[0].q[0].sin());
    assert!((tip - expected).norm() < 1e-13);
    let rigid = |h: f64| {
        let (state, off, ledger) = run(&Rigid::with_step(h), &model, 1.0);
        assert!(off.abs() < 1e-11, "{off:e}");
        ((state.trees[0].q[0] - truth[0]).abs(), ledger.E_inertia.abs())
    };
    let ((a, e), (b, f)) = (rigid(1e-3), rigid(2.5e-4));
    assert!((a / b).log2() / 2.0 > 1.9 && (e / f).log2() / 2.0 > 1.9, "{a:e} {b:e} {e:e} {f:e}");
}

/// Small swings of a pendulum with armature: 2π √((I + a)/(m g l)), amplitude 1e-4 (period longer by 1e-9/16).
#[test]
fn armature_lengthens_the_period() {
    let one = rod("one", 0.5, 1.0);
    let mut joint = ModelJoint::at("a", hinge(), None, (BodyId(0), &one), &at(0.0));
    joint.armature = 0.2;
    let joint = joint.starting(&[PI / 2.0 + 1e-4], &[0.0]);
    let model = model(vec![one], vec![joint], G);
    let period = TAU * ((1.0 / 3.0 + 0.2) / (G * 0.5)).sqrt();
    let (state, off, _) = run(&Accurate::default(), &model, period);
    assert!((state.trees[0].q[0] - PI / 2.0 - 1e-4).abs() < 1e-4 * 1e-9, "{:e}", state.trees[0].q[0] - PI / 2.0 - 1e-4);
    assert!(off.abs() < 1e-12);
}

/// A mass on a spring with dry friction: its amplitude falls by 4 f/k a period, and it stops where the spring cannot move it.
#[test]
fn dry_friction_takes_four_f_over_k_a_period() {
    let law =
        JointLaw { friction_loss: 0.5, spring: Some(Spring { stiffness: 10.0, rest: 0.0 }), ..JointLaw::default() };
    let one = rod("one", 0.5, 1.0);
    let joint = ModelJoint::at("a", slide(), None, (BodyId(0), &one), &at(0.5)).with(law).starting(&[0.33], &[0.0]);
    let model = model(vec![one], vec![joint], G);
    let half = PI / 10.0_f64.sqrt();
    // 0.33 → −0.23 → 0.13 → −0.03, inside ±f/k = 0.05: it stays.
    let (state, off, ledger) = run(&Accurate::default(), &model, 2.0 * half);
    assert!((state.trees[0].q[0] - 0.13).abs() < 1e-9, "{}", state.trees[0].q[0]);
    assert!(off.abs() < 1e-11, "{off:e}");
    assert!((ledger.E_joint - 0.5 * (0.56 + 0.36)).abs() < 1e-9);
    let (state, _, _) = run(&Accurate::default(), &model, 4.0 * half);
    assert!((state.trees[0].q[0] + 0.03).abs() < 1e-9 && state.trees[0].v[0] == 0.0, "{}", state.trees[0].q[0]);
    let (state, off, _) = run(&Rigid::with_step(1e-4), &model, 4.0 * half);
    assert!((state.trees[0].q[0] + 0.03).abs() < 1e-5 && state.trees[0].v[0].abs() < 1e-12);
    assert!(off.abs() < 1e-11, "{off:e}");
}

/// A pendulum that falls on a limit bounces with e times its speed: speeds at the bottom are a geometric series.
#[test]
fn limits_bounce_by_newtons_rule() {
    let e = 0.7;
    let law = JointLaw { limit: Some([-1.0, PI / 2.0]), restitution: e, ..JointLaw::default() };
    let one = rod("one", 0.5, 1.0);
    let joint = ModelJoint::at("a", hinge(), None, (BodyId(0), &one), &at(0.0)).with(law).starting(&[0.5], &[0.0]);
    let model = model(vec![one], vec![joint], G);
    let stepper = Accurate::default();
    let mut state = model.start().unwrap();
    let mut work = stepper.workspace(&model, &state).unwrap();
    let fall = 0.5 * G * (1.0 - 0.5_f64.sin());
    let mut speeds = Vec::new();
    let mut last = 0.0;
    for k in 1..4000 {
        stepper.advance(&model, &mut state, &mut work, 1e-3 * f64::from(k)).unwrap();
        let v = state.trees[0].v[0];
        if v < 0.0 && last > 0.0 {
            // Speed at the bottom from the energy now.
            let q = state.trees[0].q[0];
            speeds.push((v * v + 2.0 * 0.5 * G * (1.0 - q.sin()) * 3.0).sqrt());
        }
        last = v;
    }
    let first = (2.0 * fall * 3.0).sqrt();
    assert!(speeds.len() >= 3, "{speeds:?}");
    for (k, v) in speeds.iter().take(3).enumerate() {
        let expected = first * e.powi(k as i32 + 1);
        assert!((v / expected - 1.0).abs() < 1e-10, "{k} {v} {expected}");
    }
    let ledger = stepper.ledger(&model, &state, &mut work).unwrap();
    assert!((ledger.total() + 0.5 * G * 0.5_f64.sin()).abs() < 1e-10, "{}", ledger.total());
    assert!(ledger.E_limit > 0.0);
    // Without restitution it stays at the limit, in each stepper.
    let law = JointLaw { restitution: 0.0, ..law };
    let one = rod("one", 0.5, 1.0);
    let joint = ModelJoint::at("a", hinge(), None, (BodyId(0), &one), &at(0.0)).with(law).starting(&[0.5], &[0.0]);
    let joint = ModelJoint { laws: vec![JointLaw { limit: Some([-1.0, 1.0]), ..law }], ..joint };
    let model = self::model(vec![one], vec![joint], G);
    for (state, off, ledger) in [run(&Accurate::default(), &model, 2.0), run(&Rigid::default(), &model, 2.0)] {
        assert!((state.trees[0].q[0] - 1.0).abs() < 1e-12 && state.trees[0].v[0].abs() < 1e-12, "{:?}", state.trees);
        assert!(
            off.abs() < 1e-10 && (ledger.E_limit - 0.5 * G * (1.0_f64.sin() - 0.5_f64.sin())).abs() < 1e-2,
            "{off}"
        );
    }
}

/// Two wheels, the second turns n times as far: the inertia that a moment on the first feels is I1 + n² I2.
#[test]
fn gears_feel_n_squared() {
    for polynomial in [false, true] {
        let n = 3.0;
        let wheel = |name: &str| {
            let mut body = rod(name, 0.0, 1.0);
            body.I_BBcm_B = Matrix3::from_diagonal(&Vector3::new(0.1, 0.15, 0.1));
            body
        };
        let (one, two) = (wheel("one"), wheel("two").at(at(3.0)));
        let law = JointLaw { spring: Some(Spring { stiffness: 40.0, rest: 0.2 }), ..JointLaw::default() };
        let joints = vec![
            ModelJoint::at("a", hinge(), None, (BodyId(0), &one), &at(0.0)).with(law),
            ModelJoint::at("b", hinge(), None, (BodyId(1), &two), &at(3.0)),
        ];
        let law = match polynomial {
            false => CouplingLaw::Linear { coefficients: vec![n, -1.0], offset: 0.0 },
            true => CouplingLaw::Polynomial { coefficients: vec![0.0, 1.0 / n] },
        };
        let coupling = Coupling { name: "gear".into(), joints: vec![JointId(0), JointId(1)], law };
        let parts = Parts { bodies: vec![one, two], joints, couplings: vec![coupling], ..Parts::default() };
        let model = Model::new(parts).unwrap();
        let pulse = (40.0 / (0.15 + n * n * 0.15)).sqrt();
        let q = |t: f64| 0.2 - 0.2 * (pulse * t).cos();
        let (state, off, _) = run(&Accurate::default(), &model, 1.3);
        let [a, b] = [state.trees[0].q[0], state.trees[0].q[1]];
        assert!((a - q(1.3)).abs() < 1e-11 && (b - n * a).abs() < 1e-12, "{a} {b} {}", q(1.3));
        assert!(off.abs() < 1e-11);
        let (state, off, _) = run(&Rigid::with_step(1e-4), &model, 1.3);
        let [a, b] = [state.trees[0].q[0], state.trees[0].q[1]];
        assert!((a - q(1.3)).abs() < 1e-6 && (b - n * a).abs() < 1e-12 && off.abs() < 1e-11, "{a} {b} {off:e}");
    }
}

/// A four-bar: crank, coupler and rocker, closed by a loop. Freudenstein's equation gives the rocker from the crank.
fn four_bar(weld: bool) -> Model {
    // Ground 2 m, crank 0.5 m, coupler 1.8 m, rocker 1.2 m (Grashof: 0.5 + 2 < 1.8 + 1.2).
    let (ground, crank, coupler, rocker) = (2.0, 0.5, 1.8, 1.2);
    let bar = |name: &str, length: f64| {
        let mut body = rod(name, 0.0, length);
        (body.mass, body.p_BoBcm) = (length, Point3::new(0.5 * length, 0.0, 0.0));
        body.I_BBcm_B *= length;
        body
    };
    let bodies = vec![bar("crank", crank), bar("coupler", coupler), bar("rocker", rocker)];
    let joint = |name: &str, parent: Option<usize>, child: usize, x: f64| ModelJoint {
        name: name.into(),
        parent: parent.map(BodyId),
        child: BodyId(child),
        kind: hinge(),
        X_PF: at(x),
        X_BF: at(0.0),
        armature: 0.0,
        laws: Vec::new(),
        q: Vec::new(),
        v: Vec::new(),
    };
    let joints = vec![
        joint("a", None, 0, 0.0).starting(&[-1.2], &[]),
        joint("b", Some(0), 1, crank).starting(&[0.7], &[]),
        joint("c", None, 2, ground).starting(&[-1.9], &[]),
    ];
    let kind = if weld { LoopKind::Weld } else { LoopKind::Connect };
    let end =
        Loop { name: "end".into(), kind, bodies: [Some(BodyId(1)), Some(BodyId(2))], X_BL: [at(coupler), at(rocker)] };
    let parts = Parts { bodies, joints, loops: vec![end], gravity_W: Vector3::new(0.0, 0.0, -G), ..Parts::default() };
    Model::new(parts).unwrap()
}

#[test]
fn four_bar_keeps_freudensteins_equation() {
    let model = four_bar(false);
    let (d, a, b, c) = (2.0, 0.5, 1.8, 1.2);
    let miss = |state: &State| {
        let q = &state.trees[0].q;
        let (tree, user) = (&model.trees()[0].tree, q);
        let _ = tree;
        let (alpha, gamma) = (user[0], user[2]);
        // |B − C|² = b², with B on the crank and C on the rocker.
        let (x, z) = (d + c * gamma.cos() - a * alpha.cos(), -c * gamma.sin() + a * alpha.sin());
        (x.hypot(z) - b).abs()
    };
    let start = model.start().unwrap();
    assert!(miss(&start) < 1e-12, "{:e}", miss(&start));
    let (state, off, ledger) = run(&Accurate::default(), &model, 2.0);
    assert!(miss(&state) < 1e-12 && off.abs() < 1e-10, "{:e} {off:e}", miss(&state));
    assert!(ledger.E_project.abs() < 1e-9, "{:e}", ledger.E_project);
    let moved = (state.trees[0].q[0] - start.trees[0].q[0]).abs();
    assert!(moved > 0.3, "{moved}");
    let rigid = |h: f64| {
        let (other, off, _) = run(&Rigid::with_step(h), &model, 2.0);
        assert!(miss(&other) < 1e-10 && off.abs() < 1e-9, "{:e} {off:e}", miss(&other));
        (other.trees[0].q[0] - state.trees[0].q[0]).abs()
    };
    let (one, two) = (rigid(1e-3), rigid(5e-4));
    assert!(one < 1e-3 && two < one, "{one:e} {two:e}");
}

#[test]
fn loops_that_cannot_close_are_refused() {
    let (one, two) = (rod("one", 0.5, 1.0), rod("two", 9.5, 1.0));
    let joints = vec![
        ModelJoint::at("a", hinge(), None, (BodyId(0), &one), &at(0.0)),
        ModelJoint::at("b", hinge(), None, (BodyId(1), &two), &at(9.0)),
    ];
    let end = Loop {
        name: "end".into(),
        kind: LoopKind::Connect,
        bodies: [Some(BodyId(0)), Some(BodyId(1))],
        X_BL: [at(0.5), at(0.5)],
    };
    let parts = Parts { bodies: vec![one, two], joints, loops: vec![end], ..Parts::default() };
    let error = Model::new(parts).unwrap_err().to_string();
    assert!(error.contains("end") && error.contains("cannot close"), "{error}");
}

fn fixed(h: f64) -> FixedStep {
    FixedStep { step: h, ..FixedStep::default() }
}

/// Fixed steps: second order, and the energy of 10 s stays to 1e-12 of itself.
#[test]
fn fixed_steps_keep_the_energy_of_a_double_pendulum() {
    let model = double_pendulum();
    let truth = two_rods(1.0);
    let error = |h: f64| {
        let (state, off, _) = run(&fixed(h), &model, 1.0);
        assert!(off.abs() < 1e-11, "{off:e}");
        (state.trees[0].q[0] - truth[0]).abs()
    };
    let (a, b) = (error(2e-3), error(5e-4));
    assert!((a / b).log2() / 2.0 > 1.9, "{a:e} {b:e}");
    let start = run(&fixed(1e-3), &model, 1e-3).2;
    let (_, _, ledger) = run(&fixed(1e-3), &model, 10.0);
    let energy = |ledger: &Ledger| ledger.KE + ledger.PE;
    assert!((energy(&ledger) - energy(&start)).abs() < 1e-12 * 30.0, "{:e}", energy(&ledger) - energy(&start));
}

/// Fixed steps: dry friction stops a spring where it must, a limit holds, gears and loops stay together.
#[test]
fn fixed_steps_hold_the_rows_of_joints() {
    let law =
        JointLaw { friction_loss: 0.5, spring: Some(Spring { stiffness: 10.0, rest: 0.0 }), ..JointLaw::default() };
    let one = rod("one", 0.5, 1.0);
    let joint = ModelJoint::at("a", slide(), None, (BodyId(0), &one), &at(0.5)).with(law).starting(&[0.33], &[0.0]);
    let model = self::model(vec![one], vec![joint], G);
    let (state, off, ledger) = run(&fixed(1e-4), &model, 4.0 * PI / 10.0_f64.sqrt());
    assert!((state.trees[0].q[0] + 0.03).abs() < 1e-5 && state.trees[0].v[0].abs() < 1e-10, "{:?}", state.trees[0]);
    assert!(off.abs() < 1e-11 && (ledger.E_joint - 0.5 * (0.56 + 0.36 + 0.16)).abs() < 1e-4, "{off:e} {ledger:?}");
    for e in [0.0, 0.6] {
        let law = JointLaw { limit: Some([-1.0, 1.0]), restitution: e, ..JointLaw::default() };
        let one = rod("one", 0.5, 1.0);
        let joint = ModelJoint::at("a", hinge(), None, (BodyId(0), &one), &at(0.0)).with(law).starting(&[0.5], &[0.0]);
        let model = self::model(vec![one], vec![joint], G);
        let (state, off, ledger) = run(&fixed(1e-3), &model, 4.0);
        assert!((state.trees[0].q[0] - 1.0).abs() < 1e-9 && state.trees[0].v[0].abs() < 1e-5, "{:?}", state.trees[0]);
        assert!(off.abs() < 1e-10, "{off:e}");
        assert!((ledger.E_limit - 0.5 * G * (1.0_f64.sin() - 0.5_f64.sin())).abs() < 0.02, "{ledger:?}");
    }
    let model = four_bar(false);
    let truth = run(&Accurate::default(), &model, 2.0).0.trees[0].q[0];
    let error = |h: f64| {
        let (state, off, ledger) = run(&fixed(h), &model, 2.0);
        assert!(off.abs() < 1e-9, "{off:e}");
        println!("four-bar {h} E_project {:e} E_inertia {:e}", ledger.E_project, ledger.E_inertia);
        (state.trees[0].q[0] - truth).abs()
    };
    let (a, b) = (error(1e-3), error(5e-4));
    assert!(a < 1e-3 && b < 0.6 * a, "{a:e} {b:e}");
}

/// A rod on a hinge leans on the ground with a ball at its end, without friction: the ground carries half its weight, whatever the angle.
fn leaning(friction: Friction) -> Model {
    let ground = Body::fixed("ground", Shape::HalfSpace(HalfSpace));
    let mut leg = rod("leg", 1.0, 1.0);
    leg.shape = std::sync::Arc::new(Shape::Sphere(Sphere::new(0.05).unwrap()));
    leg.X_WB.translation.vector.z = 0.3;
    leg.p_BoBcm = Point3::new(-0.5, 0.0, 0.0);
    let joint = ModelJoint::at("hip", hinge(), None, (BodyId(1), &leg), &Isometry3::translation(0.0, 0.0, 0.3))
        .starting(&[0.25_f64.asin() - 0.05], &[0.0]);
    let stiffness = Stiffness::Constants(Constants { k: 1e5, n: 1.0, k_t: 1e5, k_theta: 0.0, e_n: 1e-3 });
    let damping = Damping { hunt_crossley: 5.0, ..Damping::default() };
    let law = ContactLaw { stiffness, damping, friction, partial: None };
    let interactions = Interactions::of_pairs(vec![(BodyId(0), BodyId(1), PairLaw::even(law))]);
    let gravity_W = Vector3::new(0.0, 0.0, -G);
    Model::new(Parts { bodies: vec![ground, leg], joints: vec![joint], interactions, gravity_W, ..Parts::default() })
        .unwrap()
}

fn lean<S: Stepper>(stepper: &S, model: &Model) -> (f64, f64) {
    let mut state = model.start().unwrap();
    let mut work = stepper.workspace(model, &state).unwrap();
    let before = stepper.ledger(model, &state, &mut work).unwrap().total();
    stepper.advance(model, &mut state, &mut work, 3.0).unwrap();
    let results = stepper.contact_results(model, &state, &mut work).unwrap();
    let load: f64 = results.iter().map(|result| result.normal).sum();
    let depth = results.iter().map(|result| result.depth()).fold(0.0, f64::max);
    assert!(depth < 2e-4, "{depth:e}");
    let off = stepper.ledger(model, &state, &mut work).unwrap().total() - before;
    (load, off)
}

#[test]
fn a_leg_leans_with_half_its_weight() {
    let model = leaning(Friction::None);
    for (load, off) in [lean(&Accurate::default(), &model), lean(&fixed(1e-3), &model), lean(&Rigid::default(), &model)]
    {
        assert!((load - 0.5 * G).abs() < 1e-3 * G && off.abs() < 1e-8, "{load} {off:e}");
    }
    // With friction the tip sticks at its angle of landing, and hardly slides.
    let model = leaning(Friction::Coulomb { mu: 0.5 });
    for (load, off) in [lean(&Accurate::default(), &model), lean(&fixed(1e-3), &model), lean(&Rigid::default(), &model)]
    {
        assert!(load > 0.3 * G && load < 0.7 * G && off.abs() < 1e-8, "{load} {off:e}");
    }
}

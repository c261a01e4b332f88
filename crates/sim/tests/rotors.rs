//! Spinning bodies against closed forms: spin-down, tippe-top, a heavy top, Euler's disc.

mod scene;

use fingerpad_contact::law::{Damping, Friction, Stiffness};
use fingerpad_contact::material::{Material, Theory, pair};
use fingerpad_contact::surface::{Shape, Torus};
use fingerpad_sim::{Body, EventKind, Mobility, Restriction};
use nalgebra::{Isometry3, Matrix3, Point3, UnitQuaternion, Vector3};
use scene::{G, Run, between, constants, down, law, moving, parts, plane, solid_ball, sphere};
use std::f64::consts::{PI, TAU};

/// Golden 18: a spinning ball on its Hertz patch stops after I ω₀/τ = 0.327788 s. The springs wind up first: until they
/// slip, ω swings with √(k_θ/I), then it falls by τ/I; the turn at which they slip is read from the run, the rest is that
/// closed form. Would catch a wrong patch radius, largest moment or loss of spin.
#[test]
fn golden_18_spin_down_on_a_hertz_patch() {
    let (mass, radius, mu, w0) = (0.1, 0.025, 0.5, 10.0);
    let rubber = Material::elastic(0.75e6, 0.5).unwrap();
    let stiffness = Stiffness::Patch(pair(&rubber, &Material::rigid(), Theory::Auto).unwrap().theory);
    let law = law(stiffness, Damping::default(), Friction::Coulomb { mu });
    // δ = a²/R.
    let a = (0.75 * mass * G * radius / 1e6).cbrt();
    assert!((a - 2.639713e-3).abs() < 5e-10);
    let ball = solid_ball(radius, mass)
        .at(Isometry3::translation(0.0, 0.0, radius - a * a / radius))
        .moving(moving([0.0, 0.0, w0], [0.0; 3]));
    let parts = parts(vec![plane(), ball], vec![between(0, 1, law, 0.5)], down());
    let mut run = Run::new(parts.clone());
    let slip = run.until_event(EventKind::Slip, 1e-3, 1.0);
    let stop = run.until_event(EventKind::Stick, 1e-3, 1.0);
    let mut run = Run::new(parts);
    run.to(slip);
    let theta = run.views()[0].displacement.w;
    let I = 0.4 * mass * radius * radius;
    let torque = mu * mass * G * 3.0 * PI * a / 16.0;
    assert!((torque - 7.626880e-4).abs() < 5e-11);
    let swing = (torque / theta / I).sqrt();
    let left = (w0 * w0 - torque * theta / I).sqrt();
    let expected = (theta * swing / w0).asin() / swing + I * left / torque;
    println!("stop {stop} against {expected}, without wind-up {}; wound up {theta:e}", I * w0 / torque);
    assert!((stop / expected - 1.0).abs() < 1e-9, "{stop} against {expected}");
    // Wind-up takes half of θ/ω₀ longer.
    assert!((stop - 0.327788).abs() < theta / w0 + 5e-7, "{stop}");
}

/// A ball with its centre of mass off its middle, spinning and sliding. J = L·s, s from the centre of mass to the contact.
fn tippe_top(k_theta: f64) -> (Run, impl Fn(&mut Run) -> (f64, f64)) {
    let (mass, radius, off) = (0.02, 0.015, 0.003);
    let I = Vector3::new(1.0, 1.0, 0.8) * (0.4 * mass * radius * radius);
    let mut top = Body::free("top", sphere(radius), mass, Matrix3::from_diagonal(&I));
    top.p_BoBcm = Point3::new(0.0, 0.0, -off);
    let tilt = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.3);
    let k = 1e5;
    top.X_WB = Isometry3::from_parts(Vector3::new(0.0, 0.0, radius - mass * G / k).into(), tilt);
    let top = top.moving(moving([0.0, 0.0, 150.0], [0.0; 3]));
    let law = law(constants(k, 1.0, 1e4, k_theta, 1e-3), Damping::default(), Friction::Coulomb { mu: 0.3 });
    // The plane alone is soft: C stays on the ball.
    let run = Run::new(parts(vec![plane(), top], vec![between(0, 1, law, 1.0)], down()));
    let jellett = move |run: &mut Run| {
        let view = run.views()[0];
        let s = view.site.p_WC.coords - run.p(1);
        let R = run.state.bodies[1].X_WBcm.rotation;
        let L = R * (R.inverse() * run.V(1).w).component_mul(&I);
        (L.dot(&s), -k_theta * view.displacement.w * s.z)
    };
    (run, jellett)
}

/// Golden 30: Jellett's J stays with friction at a point, while the top rises and loses energy. 1e-10 is what the stepper
/// leaves of 10⁴ steps; without the arm of the contact point J would change by 10 %.
#[test]
fn golden_30_jellett_is_kept_by_point_friction() {
    let (mut run, jellett) = tippe_top(0.0);
    let (first, _) = jellett(&mut run);
    let mut worst = 0.0_f64;
    for i in 1..=50 {
        run.to(0.02 * f64::from(i));
        worst = worst.max((jellett(&mut run).0 / first - 1.0).abs());
    }
    let axis = run.axis(1, Vector3::z());
    println!("J off by {worst:e}; axis {:?}, slip {} J", axis, run.state.contacts[0].E_slip);
    assert!(worst < 1e-9, "{worst:e}");
    assert!(run.state.contacts[0].E_slip > 1e-5 && (axis.z - 0.3_f64.cos()).abs() > 0.1);
}

/// Golden 30 with torsion: dJ/dt = τ_z (s·z), summed by Simpson's rule over 20 µs, where springs of 2 ms swing.
#[test]
fn golden_30_jellett_falls_by_the_moment_about_the_normal() {
    let (mut run, jellett) = tippe_top(0.05);
    let (first, mut last) = jellett(&mut run);
    let (mut sum, dt) = (0.0, 2e-5);
    for i in 0..2500 {
        let t = dt * f64::from(i);
        run.to(t + 0.5 * dt);
        let middle = jellett(&mut run).1;
        run.to(t + dt);
        let end = jellett(&mut run).1;
        sum += dt / 6.0 * (last + 4.0 * middle + end);
        last = end;
    }
    let change = jellett(&mut run).0 - first;
    println!("J changed by {change:e} ({:e} of it), sum {sum:e}", change / first);
    assert!((change / first).abs() > 1e-3);
    assert!((change / sum - 1.0).abs() < 1e-4, "{change} against {sum}");
}

/// A heavy symmetric top on a ball joint: energy, angular momentum about the vertical and about its axis stay to 1e-11 over
/// 5 s, and the joint does not move.
#[test]
fn a_heavy_top_keeps_its_three_constants() {
    let (mass, l) = (0.5, 0.06);
    let I = Vector3::new(4e-4, 4e-4, 3e-4);
    let X_WF = Isometry3::translation(0.2, 0.1, 0.5);
    let tilt = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), 0.6);
    let mut top = Body::free("top", sphere(0.03), mass, Matrix3::from_diagonal(&I));
    top.p_BoBcm = Point3::new(0.0, 0.0, l);
    top.X_WB = Isometry3::from_parts(X_WF.translation, tilt);
    top.mobility = Mobility::Restricted(Restriction { X_WF, slides: [false; 3], turns: [true; 3] });
    let w = tilt * Vector3::new(1.0, 0.0, 120.0);
    let v = w.cross(&(tilt * Vector3::z() * l));
    top.V_WBcm = moving(w.into(), v.into());
    let mut run = Run::new(parts(vec![top], vec![], down()));
    let constants = |run: &mut Run| {
        let R = run.state.bodies[0].X_WBcm.rotation;
        let (arm, V) = (run.p(0) - X_WF.translation.vector, run.V(0));
        let L = R * (R.inverse() * V.w).component_mul(&I) + arm.cross(&V.v) * mass;
        [run.ledger().total(), L.z, L.dot(&(R * Vector3::z()))]
    };
    let first = constants(&mut run);
    let mut swung = 0.0_f64;
    for i in 1..=50 {
        run.to(0.1 * f64::from(i));
        for (now, first) in constants(&mut run).iter().zip(first) {
            assert!((now / first - 1.0).abs() < 1e-11, "{now} {first}");
        }
        let arm = run.p(0) - X_WF.translation.vector;
        assert!((arm.norm() - l).abs() < 1e-15);
        swung = swung.max((arm.z / l - 0.6_f64.cos()).abs());
    }
    assert!(swung > 1e-2, "{swung}");
}

/// Golden 31: Euler's disc goes round with Ω² sin α = 4 g/a, 102.3790 rad/s. A torus of small tube ρ rolls in its place, with
/// the inertia of a disc; steady motion of that, centre of mass at rest, w along the line to the contact:
///
/// ```text
/// Ω² sin α (A − C ρ sin α/(a + ρ sin α)) = m g a,    A = m a²/4, C = m a²/2
/// ```
///
/// Springs and depth are 1e-6 of the radius; the tube is 1e-3 of it, and changes Ω by 1e-4.
#[test]
fn golden_31_eulers_disc_goes_round() {
    let (mass, a, tube, alpha, k) = (0.4, 0.0375, 3.75e-5, 0.1_f64, 1e8);
    let (A, C) = (0.25 * mass * a * a, 0.5 * mass * a * a);
    let beyond = tube * alpha.sin() / (a + tube * alpha.sin());
    let rate = (mass * G * a / (alpha.sin() * (A - C * beyond))).sqrt();
    let shape = Shape::Torus(Torus::new(a, tube).unwrap());
    let tilt = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), alpha);
    let disc = Body::free("disc", shape, mass, Matrix3::from_diagonal(&Vector3::new(A, A, C)));
    // Lowest at +x: along (a cos α, 0, −a sin α − ρ), so that this is the line w follows.
    let to_contact = Vector3::new(a * alpha.cos(), 0.0, -a * alpha.sin() - tube);
    let w = to_contact * (-rate * alpha.sin() / (a + tube * alpha.sin()));
    let height = a * alpha.sin() + tube - mass * G / k;
    let disc =
        disc.at(Isometry3::from_parts(Vector3::new(0.0, 0.0, height).into(), tilt)).moving(moving(w.into(), [0.0; 3]));
    let law = law(constants(k, 1.0, 1e6, 0.0, 0.0), Damping::default(), Friction::Sticks);
    let mut run = Run::new(parts(vec![plane(), disc], vec![between(0, 1, law, 0.5)], down()));
    let turns = 3.0;
    run.to(turns * TAU / rate);
    let axis = run.axis(1, Vector3::z());
    let off = axis.y.atan2(axis.x);
    let found = rate * (1.0 + off / (turns * TAU));
    println!(
        "Ω {found} (disc 102.3790, torus {rate}), inclination {}, moved {:e}",
        axis.z.acos(),
        run.p(1).xy().norm()
    );
    assert!((found / rate - 1.0).abs() < 1e-5, "{found} against {rate}");
    assert!((found / 102.3790 - 1.0).abs() < 4.0 * tube / a * alpha.sin());
    assert!((axis.z.acos() - alpha).abs() < 1e-5 && run.p(1).xy().norm() < 1e-5 * a);
}

//! Impacts against closed forms: Hertz, Hunt–Crossley, a bouncing ball, an oblique bounce.

mod scene;

use fingerpad_contact::law::{Damping, Friction, Stiffness};
use fingerpad_contact::material::{Material, Theory, pair};
use fingerpad_sim::EventKind;
use nalgebra::{Isometry3, Vector3};
use scene::{G, Run, between, constants, down, law, moving, parts, plane, solid_ball};
use std::f64::consts::PI;

/// A ball that meets the plane at unit speed, without gravity.
fn thrown(stiffness: Stiffness, damping: Damping, (radius, mass): (f64, f64)) -> Run {
    let ball = solid_ball(radius, mass)
        .at(Isometry3::translation(0.0, 0.0, 1.001 * radius))
        .moving(moving([0.0; 3], [0.0, 0.0, -1.0]));
    let law = law(stiffness, damping, Friction::None);
    Run::new(parts(vec![plane(), ball], vec![between(0, 1, law, 0.5)], Vector3::zeros()))
}

/// Golden 1, 2, 3: a steel ball on steel at 1 m/s, patch from the materials. Would catch a wrong E*, radius or exponent, and
/// losses of the stepper. Tolerances: half of the last printed digit; 1e-10 for what the stepper leaves of e.
#[test]
fn golden_1_2_3_hertz_impact_of_a_steel_ball() {
    let radius = 0.01;
    let mass = 4.0 / 3.0 * PI * radius * radius * radius * 7800.0;
    let steel = Material::elastic(210e9, 0.3).unwrap();
    let patch = || Stiffness::Patch(pair(&steel, &steel, Theory::Auto).unwrap().theory);
    let mut run = thrown(patch(), Damping::default(), (radius, mass));
    let on = run.until_event(EventKind::On, 1e-5, 1e-3);
    let off = run.until_event(EventKind::Off, 1e-5, 1e-3);
    assert!((off - on - 68.93400e-6).abs() < 5e-12, "{:e}", off - on);
    let e = run.V(1).v.z;
    assert!((e - 1.0).abs() < 1e-10, "{e}");
    // Deepest halfway.
    let mut run = thrown(patch(), Damping::default(), (radius, mass));
    run.to(0.5 * (on + off));
    let view = run.views()[0];
    assert!((-view.gap - 23.42085e-6).abs() < 5e-12, "{:e}", view.gap);
    assert!((view.normal - 1743.776).abs() < 5e-4, "{}", view.normal);
    assert!(((off - on) / (2.943275184 * -view.gap) - 1.0).abs() < 1e-9);
    println!("T {:e} δ {:e} F {} e−1 {:e}", off - on, view.gap, view.normal, e - 1.0);
}

/// Golden 4: restitution of Hunt–Crossley depends on d v₀ alone. Six printed digits.
#[test]
fn golden_4_hunt_crossley_restitution_for_three_exponents() {
    let table =
        [(0.01, 0.993377), (0.1, 0.937476), (0.3, 0.832870), (1.0, 0.593624), (3.0, 0.306897), (10.0, 0.099982)];
    let mut worst = 0.0_f64;
    for (d, e) in table {
        for n in [1.0, 1.5, 2.0] {
            let damping = Damping { hunt_crossley: d, ..Damping::default() };
            let mut run = thrown(constants(1e5, n, 0.0, 0.0, 0.0), damping, (0.1, 1.0));
            run.until_event(EventKind::Off, 1e-2, 20.0);
            let found = run.V(1).v.z;
            worst = worst.max((found - e).abs());
            assert!((found - e).abs() < 5.1e-7, "d {d} n {n}: {found} against {e}");
            // Golden 5: no bounce is faster than 1/d.
            assert!(found < 1.0 / d);
            // The closed form itself, to what the stepper leaves; its slope in e is small where e d is near 1.
            let left = d * (1.0 + found) - ((1.0 + d) / (1.0 - found * d)).ln();
            assert!(left.abs() < 1e-8, "{left:e}");
        }
    }
    println!("worst against the table {worst:e}");
}

/// Golden 5: at small speeds e = 1 − (2/3) d v₀; the next term is 0.44 (d v₀)².
#[test]
fn golden_5_restitution_at_small_speed() {
    let d = 1e-4;
    let damping = Damping { hunt_crossley: d, ..Damping::default() };
    let mut run = thrown(constants(1e5, 1.5, 0.0, 0.0, 0.0), damping, (0.1, 1.0));
    run.until_event(EventKind::Off, 1e-2, 1.0);
    let e = run.V(1).v.z;
    assert!((e - (1.0 - 2.0 / 3.0 * d)).abs() < 0.5 * d * d, "{}", e - (1.0 - 2.0 / 3.0 * d));
}

/// Restitution of a mass on spring and damper that do not pull.
fn restitution(zeta: f64) -> f64 {
    let root = (1.0 - zeta * zeta).sqrt();
    (-zeta / root * (2.0 * zeta * root).atan2(2.0 * zeta * zeta - 1.0)).exp()
}

/// Golden 9: dropped from 1 m with e = 0.5 a ball stops bouncing after 1.354571 s. Spring and damper with e constant; the
/// tolerance is the length of all contacts, which the closed form does not have, and in which gravity acts.
#[test]
fn golden_9_bouncing_ball_stops() {
    let (mut low, mut high) = (0.01, 0.9);
    while high - low > 1e-15 {
        let middle = 0.5 * (low + high);
        if restitution(middle) > 0.5 { low = middle } else { high = middle }
    }
    let (mass, k) = (1.0, 1e10_f64);
    let damping = Damping { normal: 2.0 * low * (k * mass).sqrt(), ..Damping::default() };
    let ball = solid_ball(0.1, mass).at(Isometry3::translation(0.0, 0.0, 1.1));
    let law = law(constants(k, 1.0, 0.0, 0.0, 0.0), damping, Friction::None);
    let mut run = Run::new(parts(vec![plane(), ball], vec![between(0, 1, law, 0.5)], down()));
    run.to(1.5);
    assert!(run.V(1).v.norm() < 1e-9 && (run.p(1).z - (0.1 - mass * G / k)).abs() < 1e-12);
    let times = |kind| run.events.iter().filter(move |e| e.kind == kind).map(|e| e.time);
    let touchdowns: Vec<f64> = times(EventKind::On).collect();
    let in_contact: f64 = times(EventKind::Off).zip(&touchdowns).map(|(off, on)| off - on).sum();
    let last = touchdowns[touchdowns.len() - 1];
    let expected = (2.0 / G).sqrt() * 3.0;
    assert!((expected - 1.354571).abs() < 5e-7);
    assert!((last - expected).abs() < in_contact, "{last} against {expected}");
    assert!(touchdowns.len() > 10 && in_contact < 1e-3);
    // The first bounces one by one; gravity changes the speed by g times the 30 µs of a contact.
    let off: Vec<f64> = times(EventKind::Off).collect();
    for i in 1..4 {
        let ratio = (touchdowns[i + 1] - off[i]) / (touchdowns[i] - off[i - 1]);
        assert!((ratio - 0.5).abs() < G * 3e-5 / (0.5 * G * (touchdowns[i + 1] - off[i])), "{i}: {ratio}");
    }
    println!("{} bounces, stop {last}, in contact {in_contact:e}, off {:e}", off.len(), last - expected);
}

/// Golden 25 in gross slip: at 1.5 and 3 times the threshold the ball loses μ(1 + e) v_n along the plane and gains the spin
/// of that impulse. With the plane soft alone the arm is the radius.
#[test]
fn golden_25_oblique_bounce_in_gross_slip() {
    let (mu, d, e, radius) = (0.2, 1.0, 0.593624, 0.1);
    for times in [1.5, 3.0] {
        let vt = times * 3.5 * mu * (1.0 + e);
        let ball = solid_ball(radius, 1.0)
            .at(Isometry3::translation(0.0, 0.0, 1.001 * radius))
            .moving(moving([0.0; 3], [vt, 0.0, -1.0]));
        let damping = Damping { hunt_crossley: d, ..Damping::default() };
        let law = law(constants(1e8, 1.5, 1e6, 0.0, 0.0), damping, Friction::Coulomb { mu });
        let mut run = Run::new(parts(vec![plane(), ball], vec![between(0, 1, law, 1.0)], Vector3::zeros()));
        run.until_event(EventKind::Off, 1e-3, 1.0);
        let V = run.V(1);
        println!(
            "{times}: {:e}, spin {:e}",
            V.v.x - (vt - mu * (1.0 + e)),
            V.w.y * radius / (2.5 * mu * (1.0 + e)) - 1.0
        );
        // Digits of e.
        assert!((V.v.x - (vt - mu * (1.0 + e))).abs() < 2e-7, "{}", V.v.x);
        assert!((V.w.y * radius / (2.5 * mu * (1.0 + e)) - 1.0).abs() < 2e-7 / (mu * (1.0 + e)), "{}", V.w.y);
        assert!(run.events.iter().all(|event| event.kind != EventKind::Stick));
    }
}

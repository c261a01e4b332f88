//! A pinched ball under a side load that comes and goes: below the limit it does not creep, above it slips.

mod scene;

use fingerpad_contact::law::{Damping, Friction};
use fingerpad_contact::surface::{HalfSpace, Shape};
use fingerpad_sim::{Body, BodyId, EventKind, Load, Mobility, Profile, Restriction};
use nalgebra::{Isometry3, Matrix3, Vector3};
use scene::{Run, between, constants, law, parts, solid_ball};
use std::f64::consts::FRAC_PI_2;

const GRIP: f64 = 10.0;
const MU: f64 = 0.5;

/// A ball between two pads that slide along x and are pushed together; a side load along z of a share of the limit 2 μ N, at
/// 1 Hz.
fn pinch(share: f64) -> Run {
    let (radius, mass, k) = (0.02, 0.1, 1e5);
    // Pushed pads are in balance with the springs from the start.
    let place = radius - GRIP / k;
    let pad = |name: &str, side: f64| {
        let faces = Vector3::new(0.0, -side * FRAC_PI_2, 0.0);
        let X_WB = Isometry3::new(Vector3::new(side * place, 0.0, 0.0), faces);
        let kept = Restriction { X_WF: Isometry3::identity(), slides: [true, false, false], turns: [false; 3] };
        Body::free(name, Shape::HalfSpace(HalfSpace), 0.05, Matrix3::zeros()).with(Mobility::Restricted(kept)).at(X_WB)
    };
    let law = || law(constants(k, 1.0, k, 5.0, 1e-3), Damping::default(), Friction::Coulomb { mu: MU });
    let bodies = vec![pad("left", -1.0), pad("right", 1.0), solid_ball(radius, mass)];
    let mut scene = parts(bodies, vec![between(0, 2, law(), 0.5), between(1, 2, law(), 0.5)], Vector3::zeros());
    let push = |body, f_W, profile| Load { body: BodyId(body), f_W, t_W: Vector3::zeros(), p_BoQ: None, profile };
    let steady = Profile::Steady { t0: 0.0, t1: f64::INFINITY };
    let wave = Profile::Wave { t0: 0.0, t1: f64::INFINITY, frequency: 1.0, phase: 0.0 };
    scene.loads = vec![
        push(0, Vector3::new(GRIP, 0.0, 0.0), steady),
        push(1, Vector3::new(-GRIP, 0.0, 0.0), steady),
        push(2, Vector3::new(0.0, 0.0, share * 2.0 * MU * GRIP), wave),
    ];
    Run::new(scene)
}

/// Ten periods at 30 % of the limit: the mean over a period stays within 1e-9 m where the ball moves by 15 µm.
#[test]
fn a_pinched_ball_does_not_creep_below_the_limit() {
    let mut run = pinch(0.3);
    let first = run.ledger().total();
    let (count, mut means, mut widest) = (200, Vec::new(), 0.0_f64);
    for period in 0..10 {
        let mut sum = Vector3::zeros();
        for i in 0..count {
            run.to(f64::from(period) + f64::from(i + 1) / f64::from(count));
            sum += run.p(2);
            widest = widest.max(run.p(2).z);
        }
        means.push(sum / f64::from(count));
    }
    let drift = means.iter().map(|mean| (mean - means[0]).norm()).fold(0.0, f64::max);
    println!("drift {drift:e} m, widest {widest:e} m, ledger {:e}, {:?}", run.ledger().total() - first, run.report);
    assert!(drift <= 1e-9, "{drift:e}");
    assert!((widest / 15e-6 - 1.0).abs() < 0.01, "{widest:e}");
    assert!(run.events.is_empty(), "{:?}", run.events);
    assert!((run.ledger().total() - first).abs() < 1e-12);
}

/// At 110 % it slips, and both pads lose energy by it; at 99 % it holds.
#[test]
fn a_pinched_ball_slips_above_the_limit() {
    let mut run = pinch(0.99);
    run.to(1.0);
    assert!(run.events.iter().all(|event| event.kind != EventKind::Slip), "{:?}", run.events);
    let mut run = pinch(1.1);
    let first = run.ledger().total();
    let time = run.until_event(EventKind::Slip, 0.01, 1.0);
    // sin(2π t) = 1/1.1; the load starts with a corner and swings the springs of 1400 rad/s by 2π/1400 of it: 2 ms here.
    let expected = (1.0_f64 / 1.1).asin() / std::f64::consts::TAU;
    assert!((time - expected).abs() < 2e-3, "{time} against {expected}");
    run.to(0.5);
    let now = run.ledger();
    println!("slips at {time}, {expected}; fell by {} m, {now:?}", run.p(2).z);
    assert!(run.p(2).z > 1e-3 && now.E_slip > 1e-3 && (now.total() - first).abs() < 1e-10);
}

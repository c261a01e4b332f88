//! Bodies whose motion is given: turntable, shaker, conveyor; the work they do is in the ledger.

mod scene;

use fingerpad_contact::law::{Damping, Friction};
use fingerpad_contact::surface::{Ellipsoid, HalfSpace, Revolution, Shape};
use fingerpad_sim::{Accurate, Body, BodyId, EventKind, Mobility, Prescribed, Restriction, Stepper, Workspace};
use nalgebra::{Isometry3, Matrix3, Point3, Vector3};
use scene::{G, Run, between, constants, down, law, moving, parts, plane, solid_ball, sphere};
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

fn driven(motion: Prescribed) -> Body {
    plane().with(Mobility::Prescribed(motion))
}

/// A body that slides along x and z and does not turn.
fn block(mass: f64) -> Body {
    let kept = Restriction { X_WF: Isometry3::identity(), slides: [true, false, true], turns: [false; 3] };
    Body::free("block", sphere(0.05), mass, Matrix3::zeros()).with(Mobility::Restricted(kept))
}

/// Golden 26: a ball that rolls on a turntable runs in circles at 2/7 of its rate. After half a circle it is opposite, after
/// a whole one back. The plane alone is soft, so that the ball rolls on its radius; the springs
/// under the friction of 0.18 N turn over the table at 5/7 of its rate, and creep by 0.18 µm times that: 2.8 µm a circle.
#[test]
fn golden_26_ball_on_a_turntable_runs_in_circles() {
    let (rate, speed, radius, mass, k) = (TAU, 0.1, 0.05, 1.0, 1e6);
    let table = driven(Prescribed::Turning { p_WQ: Point3::origin(), axis_W: Vector3::z_axis(), rate });
    let start = Vector3::new(0.3, 0.1, radius - mass * G / k);
    // Rolling: v + w × (−R z) is the velocity of the table there.
    let slide = Vector3::new(speed, 0.0, 0.0) - Vector3::z().cross(&start) * rate;
    let w = Vector3::z().cross(&slide) / radius;
    let ball = solid_ball(radius, mass)
        .at(Isometry3::from_parts(start.into(), Default::default()))
        .moving(moving([w.x, w.y, 0.0], [speed, 0.0, 0.0]));
    let law = law(constants(k, 1.0, k, 0.0, 0.0), Damping::default(), Friction::Sticks);
    let mut run = Run::new(parts(vec![table, ball], vec![between(0, 1, law, 1.0)], down()));
    let first = run.ledger().total();
    let circle = TAU / (2.0 / 7.0 * rate);
    run.to(0.5 * circle);
    let half = run.p(1) - start;
    let given = run.ledger().W_injected;
    run.to(circle);
    let whole = run.p(1) - start;
    let (ledger, across) = (run.ledger(), 2.0 * speed / (2.0 / 7.0 * rate));
    println!("half {:e}, whole {:e}, ledger {:e}", half.norm() - across, whole.norm(), ledger.total() - first);
    assert!((half.y - across).abs() < 2.8e-6 && half.x.abs() < 2.8e-6, "{half}");
    assert!(whole.norm() < 2.8e-6, "{whole}");
    assert!((ledger.total() - first).abs() < 1e-10 && given.abs() > 1e-3, "{given} {ledger:?}");
}

/// Golden 26, second part: inside a vertical pipe a rolling ball bobs with √(2/7) of its rate of going round. The ball rolls
/// on a radius shorter by half its depth of 25 µm, 1e-4 of the way.
#[test]
fn golden_26_ball_in_a_pipe_bobs() {
    let (R, radius, mass, rate, k, up) = (0.3, 0.05, 1.0, 10.0, 1e7, 0.2);
    // A thick tube with straight inner wall; corners are far from where the ball runs.
    let mut profile = Vec::new();
    let wall: Vec<f64> = (0..=40).map(|i| -1.0 + 0.05 * f64::from(i)).collect();
    profile.extend(wall.iter().map(|z| [0.5, *z]));
    profile.extend(wall.iter().rev().map(|z| [R, *z]));
    profile.push(profile[0]);
    let pipe = Body::fixed("pipe", Shape::Revolution(Arc::new(Revolution::new(&profile).unwrap())));
    let out = R - radius;
    let depth = mass * rate * rate * out / k;
    let ball = solid_ball(radius, mass)
        .at(Isometry3::translation(out + depth, 0.0, 0.0))
        .moving(moving([0.0, up / radius, -rate * out / radius], [0.0, rate * out, up]));
    let law = law(constants(k, 1.0, k, 0.0, 0.0), Damping::default(), Friction::Sticks);
    let mut run = Run::new(parts(vec![pipe, ball], vec![between(0, 1, law, 0.5)], Vector3::zeros()));
    let omega = (2.0_f64 / 7.0).sqrt() * rate;
    run.to(0.5 * PI / omega);
    let top = run.p(1);
    run.to(PI / omega);
    let back = run.p(1).z;
    println!("top {} against {}, back {back:e}", top.z, up / omega);
    assert!((top.z / (up / omega) - 1.0).abs() < 1e-4, "{top}");
    assert!(back.abs() < 1e-4 * up / omega, "{back}");
    assert!((top.xy().norm() - out).abs() < 1e-4);
}

/// A block on a plane shaken sideways holds on while A (2π f)² < μ g and slips above. It starts with the plane's velocity;
/// springs of 10⁴ rad/s follow a drive of 31 rad/s to 0.3 %, so that 1 % below and above are told apart.
#[test]
fn a_block_on_a_shaken_plane_slips_above_mu_g() {
    let (mu, frequency, k) = (0.3, 5.0, 1e8);
    let pulse = TAU * frequency;
    for (share, slips) in [(0.99, false), (1.01, true)] {
        let amplitude = share * mu * G / (pulse * pulse);
        let motion = Prescribed::Shaking { amplitude_W: Vector3::x() * amplitude, frequency, phase: 0.0 };
        let block = block(1.0)
            .at(Isometry3::translation(0.0, 0.0, 0.05 - G / k))
            .moving(moving([0.0; 3], [amplitude * pulse, 0.0, 0.0]));
        let law = law(constants(k, 1.0, k, 0.0, 0.0), Damping::default(), Friction::Coulomb { mu });
        let mut run = Run::new(parts(vec![driven(motion), block], vec![between(0, 1, law, 0.5)], down()));
        let first = run.ledger().total();
        run.to(0.4);
        let slipped = run.events.iter().any(|event| event.kind == EventKind::Slip);
        assert_eq!(slipped, slips, "{share}: {:?}", run.events);
        let now = run.ledger();
        assert!((now.total() - first).abs() < 1e-10, "{:e}", now.total() - first);
        if !slips {
            let plane = amplitude * (pulse * 0.4).sin();
            assert!((run.p(1).x - plane).abs() < 1.1 * mu * G / k, "{}", run.p(1).x - plane);
        }
    }
}

/// A block put on a belt reaches its speed after v/(μ g), and the belt has done μ m g v t = m v² of work, half of it lost to
/// slip. The springs stretch to μ m g/k_t first: 0.3 µm, in a way of 0.17 m.
#[test]
fn a_block_on_a_conveyor_reaches_its_speed() {
    let (mu, speed, mass, k) = (0.3, 1.0, 1.0, 1e7);
    let belt = driven(Prescribed::Conveying { v_W: Vector3::new(speed, 0.0, 0.0) });
    let block = block(mass).at(Isometry3::translation(0.0, 0.0, 0.05 - mass * G / k));
    let law = law(constants(k, 1.0, k, 0.0, 0.0), Damping::default(), Friction::Coulomb { mu });
    let scene = || Run::new(parts(vec![belt.clone(), block.clone()], vec![between(0, 1, law.clone(), 0.5)], down()));
    let time = scene().until_event(EventKind::Stick, 1e-3, 1.0);
    let mut run = scene();
    let first = run.ledger().total();
    run.to(time);
    let now = run.ledger();
    let stretch = mu * mass * G / k;
    println!("{time} against {}, work {} J, slip {} J", speed / (mu * G), now.W_injected, now.E_slip);
    // Half the stretch is the way that is lost.
    assert!((time - speed / (mu * G)).abs() < stretch / speed, "{time}");
    assert!((now.W_injected / (mass * speed * speed) - 1.0).abs() < stretch * mu * G, "{now:?}");
    assert!((now.E_slip / (0.5 * mass * speed * speed) - 1.0).abs() < 2.0 * stretch * mu * G, "{now:?}");
    assert!((now.total() - first).abs() < 1e-10);
    // It goes on with the belt; the springs, let go at their limit, swing by 1 mm/s.
    let x = run.p(1).x;
    run.to(run.state.time + 0.1);
    assert!((run.p(1).x - x - 0.1 * speed).abs() < 2.1 * stretch);
    assert_eq!(run.state.bodies[0].V_WBcm.v, Vector3::zeros());
}

/// While a damped contact slips, its losses follow from the gap's acceleration, that of the driven body included: without
/// it the ledger would not close. A ball thrown on a plane that shakes, turns about a tilted axis, or moves along; and on an
/// ellipsoid that turns.
#[test]
fn the_ledger_closes_on_driven_bodies() {
    let axis_W = nalgebra::Unit::new_normalize(Vector3::new(0.1, 0.05, 1.0));
    let egg = Shape::Ellipsoid(Ellipsoid::new([0.3, 0.4, 0.2]).unwrap());
    let amplitude_W = Vector3::new(2e-3, 1e-3, 3e-3);
    let scenes = [
        (plane(), 0.0, Prescribed::Shaking { amplitude_W, frequency: 20.0, phase: 0.4 }),
        (plane(), 0.0, Prescribed::Turning { p_WQ: Point3::new(0.5, 0.0, 0.0), axis_W, rate: 0.8 }),
        (plane(), 0.0, Prescribed::Moving { v_W: Vector3::new(0.5, -0.3, 0.1) }),
        (plane(), 0.0, Prescribed::Conveying { v_W: Vector3::new(0.5, -0.3, 0.1) }),
        (
            Body::fixed("egg", egg.clone()),
            0.2,
            Prescribed::Turning { p_WQ: Point3::new(0.1, 0.0, 0.0), axis_W, rate: 5.0 },
        ),
        (Body::fixed("egg", egg), 0.2, Prescribed::Conveying { v_W: Vector3::new(0.5, -0.3, 0.1) }),
    ];
    for (ground, height, motion) in scenes {
        let ball = solid_ball(0.05, 0.3)
            .at(Isometry3::translation(0.01, 0.02, height + 0.055))
            .moving(moving([10.0, 20.0, 30.0], [0.5, 0.2, -0.5]));
        let damping = Damping { hunt_crossley: 0.3, ..Damping::default() };
        let law = law(constants(1e6, 1.5, 1e5, 10.0, 0.01), damping, Friction::Coulomb { mu: 0.3 });
        let bodies = vec![ground.with(Mobility::Prescribed(motion)), ball];
        for order in [(0, 1), (1, 0)] {
            let pairs = vec![between(order.0, order.1, law.clone(), 0.3)];
            let mut run = Run::new(parts(bodies.clone(), pairs, down()));
            let mut last = run.ledger();
            let first = last.total();
            let mut worst = 0.0_f64;
            for i in 1..=60 {
                run.to(0.005 * f64::from(i));
                let now = run.ledger();
                worst = worst.max((now.total() - first).abs() / first.abs());
                assert!(now.E_slip >= last.E_slip && now.E_visc >= last.E_visc, "{motion:?} at {}", run.state.time);
                last = now;
            }
            println!("{motion:?} {order:?}: {worst:e}, {last:?}");
            assert!(last.E_slip > 1e-3 && last.W_injected.abs() > 1e-4, "{motion:?}: {last:?}");
            assert!(worst < 1e-9, "{motion:?} {order:?}: {worst:e}");
        }
    }
}

/// A ball that floats over a plane shaken a thousand times a second is hit by its first stroke: a step of 5 ms would see the
/// plane where it started, at its start, its end and every fifth.
#[test]
fn a_fast_shaker_is_not_passed_over() {
    let motion = Prescribed::Shaking { amplitude_W: Vector3::z() * 1e-3, frequency: 1e3, phase: 0.0 };
    let ball = solid_ball(0.05, 1.0).at(Isometry3::translation(0.0, 0.0, 0.0509));
    let law = law(constants(1e6, 1.0, 0.0, 0.0, 0.0), Damping::default(), Friction::None);
    let mut run = Run::new(parts(vec![driven(motion), ball], vec![between(0, 1, law, 0.5)], Vector3::zeros()));
    run.state.accurate.stride.h = 5e-3;
    run.to(0.02);
    let expected = 0.9_f64.asin() / (TAU * 1e3);
    assert!((run.events[0].time - expected).abs() < 1e-12, "{:?}", run.events);
}

/// Driven bodies are where their formula says, to the bit, after any number of steps; where it leaves double precision the
/// run stops and says whose motion it was.
#[test]
fn driven_bodies_follow_their_formula() {
    let motion = Prescribed::Turning { p_WQ: Point3::new(0.1, 0.2, 0.3), axis_W: Vector3::y_axis(), rate: 3.0 };
    let shape = Shape::HalfSpace(HalfSpace);
    let start = Isometry3::new(Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.1, 0.2, 0.3));
    let mut paddle = Body::fixed("paddle", shape).at(start).with(Mobility::Prescribed(motion));
    paddle.p_BoBcm = Point3::new(0.3, 0.2, 0.1);
    let mut run = Run::new(parts(vec![paddle, solid_ball(0.1, 1.0)], vec![], down()));
    for i in 1..=10 {
        run.to(0.07 * f64::from(i));
    }
    let expected = motion.pose(&start, run.state.time) * Point3::new(0.3, 0.2, 0.1);
    assert_eq!(run.p(0), expected.coords);
    assert_eq!(run.V(0), motion.velocity_at(&expected, run.state.time));
    let runaway = driven(Prescribed::Moving { v_W: Vector3::new(1e308, 0.0, 0.0) });
    let model = Run::new(parts(vec![runaway, solid_ball(0.1, 1.0)], vec![], down())).model;
    let mut state = model.start().unwrap();
    let mut work = Workspace::new(&model, &state);
    let error = Accurate::default().advance(&model, &mut state, &mut work, 10.0).unwrap_err().to_string();
    assert!(error.contains("body `ground` at t = 1.7"), "{error}");
    assert!(state.bodies[0].X_WBcm.translation.x.is_finite());
}

/// A controller slows a pusher down and turns it back: each leg is its speed times its time. A ball that it struck without
/// loss at 1 m/s goes on at 2 m/s. Would catch a pose that jumps when the velocity is commanded.
#[test]
fn commanded_velocities_go_on_from_where_the_body_is() {
    let pusher =
        Body::fixed("pusher", sphere(0.1)).with(Mobility::Prescribed(Prescribed::Moving { v_W: Vector3::x() }));
    let mut ball = solid_ball(0.1, 1.0).at(Isometry3::translation(0.2, 0.0, 0.0));
    ball.name = "ball".to_string();
    let lossless = law(constants(1e6, 1.0, 0.0, 0.0, 0.0), Damping::default(), Friction::None);
    let mut model = Run::new(parts(vec![pusher, ball], vec![between(0, 1, lossless, 0.5)], Vector3::zeros())).model;
    let mut state = model.start().unwrap();
    let mut work = Workspace::new(&model, &state);
    let stepper = Accurate::default();
    let mut expected = 0.0;
    for (leg, speed) in [1.0, 0.5, -0.25].into_iter().enumerate() {
        model.set_velocity(BodyId(0), Vector3::new(speed, 0.0, 0.0), &mut state).unwrap();
        stepper.advance(&model, &mut state, &mut work, 0.4 * (leg + 1) as f64).unwrap();
        expected += 0.4 * speed;
        assert!((state.bodies[0].X_WBcm.translation.x - expected).abs() < 1e-12, "leg {leg}");
    }
    assert!((state.bodies[1].V_WBcm.v.x - 2.0).abs() < 1e-9, "{:?}", state.bodies[1].V_WBcm);
    let refused = model.set_velocity(BodyId(1), Vector3::x(), &mut state).unwrap_err().to_string();
    assert!(refused.contains("`ball`") && refused.contains("prescribed"), "{refused}");
}

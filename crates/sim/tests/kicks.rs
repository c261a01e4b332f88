//! Kicks: momentum changes at once, the work is booked, each is given once.

mod scene;

use fingerpad_contact::law::{Damping, Friction};
use fingerpad_sim::{
    Accurate, Body, BodyId, EventKind, Kick, Load, Mobility, Model, Prescribed, Profile, Restriction, Stepper,
    Workspace,
};
use nalgebra::{Isometry3, Matrix3, Point3, UnitQuaternion, Vector3};
use scene::{Run, between, constants, down, law, moving, parts, plane, solid_ball, sphere};

fn kick(body: usize, time: f64, p: [f64; 3]) -> Kick {
    Kick { body: BodyId(body), time, p_W: Vector3::from(p), L_W: Vector3::zeros(), p_BoQ: None }
}

/// Off its centre a kick p at r gives v = p/m and I w = r × p + L, at once at time 0 and later; ΔKE is the work. Would catch
/// an arm taken from the body origin, and ½ in the wrong place.
#[test]
fn a_kick_off_centre_changes_velocity_and_spin() {
    let I = Vector3::new(0.02, 0.03, 0.04);
    let attitude = UnitQuaternion::from_euler_angles(0.3, -0.4, 0.9);
    let mut body = Body::free("stone", sphere(0.1), 2.0, Matrix3::from_diagonal(&I));
    body.p_BoBcm = Point3::new(0.05, -0.02, 0.01);
    body.X_WB = Isometry3::from_parts(Vector3::new(1.0, 2.0, 3.0).into(), attitude);
    let (p, L, q) = (Vector3::new(1.0, -2.0, 0.5), Vector3::new(0.02, 0.01, -0.03), Point3::new(0.1, 0.2, -0.1));
    let hit = Kick { body: BodyId(0), time: 0.0, p_W: p, L_W: L, p_BoQ: Some(q) };
    let mut scene = parts(vec![body.clone()], vec![], Vector3::zeros());
    scene.kicks = vec![Kick { time: 0.25, ..hit }, hit];
    let mut run = Run::new(scene);
    let r = attitude * (q - body.p_BoBcm);
    let w = attitude * (attitude.inverse() * (r.cross(&p) + L)).component_div(&I);
    // Due at 0: given when the run starts, whatever its end.
    run.to(0.0);
    assert!((run.V(0).v - p / 2.0).norm() < 1e-15 && (run.V(0).w - w).norm() < 1e-14 * w.norm());
    let now = run.ledger();
    assert!(now.KE > 0.1 && now.total().abs() < 1e-14 * now.KE, "{now:?}");
    run.to(0.5);
    let now = run.ledger();
    assert!((run.V(0).v - p).norm() < 1e-13, "given twice, not more");
    assert!(now.total().abs() < 1e-11 * now.KE, "{:e}", now.total());
    assert_eq!(run.state.kicks_done, 2);
}

/// A hinged door kicked at its edge turns with r p/I about its hinge; what the hinge takes does no work. A slider takes what
/// is along its rail.
#[test]
fn a_kick_on_a_restricted_body_moves_what_is_left() {
    let hinge = Restriction { X_WF: Isometry3::identity(), slides: [false; 3], turns: [false, false, true] };
    let I = Matrix3::from_diagonal(&Vector3::new(0.1, 0.3, 0.35));
    let mut door = Body::free("door", sphere(0.1), 3.0, I).with(Mobility::Restricted(hinge));
    door.X_WB = Isometry3::translation(0.4, 0.0, 0.0);
    let rail = Restriction { X_WF: Isometry3::identity(), slides: [true, false, false], turns: [false; 3] };
    let bead = Body::free("bead", sphere(0.1), 0.5, Matrix3::zeros()).with(Mobility::Restricted(rail));
    let mut scene = parts(vec![door, bead], vec![], Vector3::zeros());
    let edge = Kick { p_BoQ: Some(Point3::new(0.4, 0.0, 0.2)), ..kick(0, 0.1, [5.0, 2.0, 7.0]) };
    scene.kicks = vec![edge, kick(1, 0.1, [1.0, 2.0, 3.0])];
    let mut run = Run::new(scene);
    run.to(0.1);
    let about = 0.35 + 3.0 * 0.16;
    let rate = 0.8 * 2.0 / about;
    assert!((run.V(0).w - Vector3::z() * rate).norm() < 1e-14);
    assert!((run.V(0).v - Vector3::y() * (0.4 * rate)).norm() < 1e-14);
    assert!((run.V(1).v.x - 2.0).abs() < 1e-15);
    assert_eq!(run.V(1).v.yz(), nalgebra::Vector2::zeros());
    let now = run.ledger();
    assert!((now.W_injected - 0.5 * about * rate * rate - 1.0).abs() < 1e-14 && now.total().abs() < 1e-14);
    run.to(1.0);
    assert!(run.ledger().total().abs() < 1e-12);
}

/// Kicks between and at the times where a run is stored: none is lost, none comes twice, all is equal bit by bit; in contact
/// that sticks and slips the ledger closes over them.
#[test]
fn kicks_survive_a_pause() {
    let damping = Damping { hunt_crossley: 0.2, ..Damping::default() };
    let law = law(constants(1e6, 1.5, 1e5, 10.0, 0.01), damping, Friction::Coulomb { mu: 0.3 });
    let ball = solid_ball(0.05, 0.3).at(Isometry3::translation(0.0, 0.0, 0.051));
    let mut scene =
        parts(vec![plane(), ball.moving(moving([0.0; 3], [0.2, 0.0, 0.0]))], vec![between(0, 1, law, 0.5)], down());
    scene.kicks = [0.0, 0.05, 0.1, 0.137, 0.2].map(|time| kick(1, time, [0.1, 0.05, -0.02])).to_vec();
    let model = Model::new(scene).unwrap();
    let run = |pause: bool| {
        let mut run = Run::from(model.clone(), model.start().unwrap());
        let first = run.ledger().total();
        for i in 1..=30 {
            run.to(0.01 * f64::from(i));
            if pause {
                run.state = run.state.clone();
                run.work = Workspace::new(&run.model, &run.state);
            }
            let now = run.ledger();
            assert!((now.total() - first).abs() < 1e-10, "{:e} at {}", now.total() - first, run.state.time);
        }
        run.state
    };
    let one = run(false);
    assert_eq!(one.kicks_done, 5);
    assert!(one.contacts[0].E_slip > 1e-3);
    assert_eq!(one, run(true));
}

/// A ball that rests on spring and damper is kicked up, along, back and down: the damper would pull, the patch slips the
/// other way, and its limit jumps while it slips; the ledger closes over all of it. Would catch springs that jump with the
/// limit: 11 mJ.
#[test]
fn kicks_in_contact_change_its_mode() {
    let damping = Damping { normal: 300.0, ..Damping::default() };
    let law = law(constants(1e6, 1.0, 1e5, 10.0, 0.01), damping, Friction::Coulomb { mu: 0.3 });
    let ball = solid_ball(0.05, 1.0).at(Isometry3::translation(0.0, 0.0, 0.05 - 9.81e-6));
    let mut scene = parts(vec![plane(), ball], vec![between(0, 1, law, 0.5)], down());
    scene.kicks = vec![
        kick(1, 0.01, [0.0, 0.0, 0.05]),
        kick(1, 0.10, [0.5, 0.0, 0.0]),
        kick(1, 0.11, [-1.0, 0.0, 0.0]),
        kick(1, 0.15, [0.0, 0.0, -0.5]),
        kick(1, 0.152, [0.0, 0.0, 0.02]),
    ];
    let mut run = Run::new(scene);
    let mut last = run.ledger();
    let first = last.total();
    for i in 1..=60 {
        run.to(0.005 * f64::from(i));
        let now = run.ledger();
        assert!((now.total() - first).abs() < 1e-10, "{:e} at {}", now.total() - first, run.state.time);
        let grown = (now.E_slip - last.E_slip).min(now.E_visc - last.E_visc);
        // Rounding of sums of 1e-3 J.
        assert!(grown > -1e-17, "{grown:e} at {}", run.state.time);
        last = now;
    }
    // The damper lets go at the first kick, within the quiet time after it.
    let clamped = run.events.iter().find(|event| event.kind == EventKind::Clamp).unwrap();
    assert!((clamped.time - 0.01).abs() < 1e-9, "{clamped:?}");
    // Slip turns round through sticking at the third.
    assert!(run.events.iter().any(|event| event.kind == EventKind::Stick && (0.11..0.12).contains(&event.time)));
}

/// A load off the centre with a moment beside it, in body axes that turn: force and moment act as told and their work is that
/// of the ledger. A steady moment about a principal axis gives ½ (t/I) T².
#[test]
fn loads_act_where_they_are_told() {
    let I = Vector3::new(0.02, 0.03, 0.04);
    let mut body = Body::free("stone", sphere(0.1), 2.0, Matrix3::from_diagonal(&I));
    body.p_BoBcm = Point3::new(0.05, -0.02, 0.01);
    let steady = Profile::Steady { t0: 0.1, t1: 0.6 };
    let load = |f: [f64; 3], t: [f64; 3], p_BoQ, profile| Load {
        body: BodyId(0),
        f_W: Vector3::from(f),
        t_W: Vector3::from(t),
        p_BoQ,
        profile,
    };
    // A force along x at a point 0.3 above the centre of mass, and the moment that undoes its turn, so that none is left.
    let at = Point3::new(0.05, -0.02, 0.31);
    let mut scene = parts(vec![body.clone()], vec![], Vector3::zeros());
    scene.loads = vec![load([1.0, 0.0, 0.0], [0.0, -0.3, 0.0], Some(at), steady)];
    let mut run = Run::new(scene.clone());
    run.to(1.0);
    assert!(run.V(0).w.norm() < 1e-13 && (run.V(0).v.x - 0.25).abs() < 1e-13, "{:?}", run.V(0));
    // A moment alone.
    scene.loads = vec![load([0.0; 3], [0.0, 0.0, 0.2], None, steady)];
    let mut run = Run::new(scene.clone());
    run.to(0.6);
    assert!((run.V(0).w.z - 0.2 / 0.04 * 0.5).abs() < 1e-12);
    let turned = run.state.bodies[0].X_WBcm.rotation.angle();
    assert!((turned - 0.5 * 0.2 / 0.04 * 0.25).abs() < 1e-12, "{turned}");
    // Everything at once while it tumbles: the ledger knows the arm turns with the body.
    let wave = Profile::Wave { t0: 0.0, t1: 0.9, frequency: 3.0, phase: 0.4 };
    scene.loads = vec![
        load([1.0, -2.0, 0.5], [0.1, 0.02, -0.05], Some(Point3::new(0.2, 0.1, -0.3)), wave),
        load([0.3, 0.1, 0.0], [0.0; 3], None, Profile::Ramp { t0: 0.2, t1: 0.4 }),
        load([0.0; 3], [0.2, 0.0, 0.1], None, Profile::Pulse { t0: 0.3, duration: 0.4 }),
    ];
    let mut run = Run::new(scene);
    run.to(1.0);
    let now = run.ledger();
    assert!(now.KE > 0.01 && now.total().abs() < 1e-11 * now.KE, "{now:?}");
    // The force that acts at its point gives the momentum of its integral: x of the wave, and of the ramp.
    let pulse = std::f64::consts::TAU * 3.0;
    let wave = (0.4_f64.cos() - (pulse * 0.9 + 0.4).cos()) / pulse;
    assert!((2.0 * run.V(0).v.x - (wave + 0.3 * (0.1 + 0.6))).abs() < 1e-12);
}

/// Forces on bodies that do not answer to them are refused; so is a kick that leaves double precision.
#[test]
fn forces_on_unmoved_bodies_are_refused() {
    let driven = plane().with(Mobility::Prescribed(Prescribed::Moving { v_W: Vector3::x() }));
    for (ground, how) in [(plane(), "fixed"), (driven, "driven")] {
        let mut scene = parts(vec![ground.clone()], vec![], down());
        scene.kicks = vec![kick(0, 0.0, [1.0, 0.0, 0.0])];
        let said = Model::new(scene).unwrap_err().to_string();
        assert!(said.contains("kick on `ground`") && said.contains(how), "{said}");
        let mut scene = parts(vec![ground], vec![], down());
        let profile = Profile::Steady { t0: 0.0, t1: 1.0 };
        scene.loads = vec![Load { body: BodyId(0), f_W: Vector3::x(), t_W: Vector3::zeros(), p_BoQ: None, profile }];
        let said = Model::new(scene).unwrap_err().to_string();
        assert!(said.contains("load on `ground`") && said.contains(how), "{said}");
    }
    let mut scene = parts(vec![solid_ball(1e-3, 1e-8)], vec![], down());
    scene.kicks = vec![kick(0, 0.1, [1e300, 0.0, 0.0])];
    let model = Model::new(scene).unwrap();
    let mut state = model.start().unwrap();
    let mut work = Workspace::new(&model, &state);
    let error = Accurate::default().advance(&model, &mut state, &mut work, 1.0).unwrap_err().to_string();
    assert!(error.contains("body `ball` at t = 0.1 s") && error.contains("kick"), "{error}");
    assert!(state.bodies[0].V_WBcm.v.norm().is_finite());
}

//! Fixed steps of boxes on corners: rest, slide, tip and stack, against closed forms and conserved sums.

mod common;
mod fast_run;

use common::{G, block, ground, linear};
use fast_run::{Run, mechanical};
use fingerpad_contact::law::{ContactLaw, Damping, Friction};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_sim::{Body, ContactMode, Interactions, LawId, Model, PairLaw, Parts, Places, State};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

/// Everything meets everything at points.
fn at_points(bodies: Vec<Body>, law: ContactLaw, gravity_W: Vector3<f64>) -> Model {
    let law = PairLaw { places: Places::Points, ..PairLaw::even(law) };
    let interactions = Interactions { laws: vec![law], table: vec![vec![Some(LawId(0))]], ..Interactions::default() };
    Model::new(Parts { bodies, interactions, gravity_W, ..Parts::default() }).unwrap()
}

fn down() -> Vector3<f64> {
    Vector3::new(0.0, 0.0, -G)
}

fn pressed(state: &State) -> usize {
    state.contacts.iter().filter(|c| c.mode != ContactMode::Free).count()
}

const HALF: f64 = 0.05;
const MASS: f64 = 1.0;

/// Boxes on each other, each `gap` above the one below.
fn stack(count: usize, k: f64, damper: f64, gap: f64) -> Run {
    let law = linear(k, Friction::Coulomb { mu: 0.5 }, Damping { normal: damper, ..Damping::default() });
    let mut bodies = vec![ground()];
    for i in 0..count {
        let z = (2 * i + 1) as f64 * HALF + (i + 1) as f64 * gap;
        let mut body = block([HALF; 3], 0.005, MASS).at(Isometry3::translation(0.0, 0.0, z));
        body.name = format!("box {i}");
        bodies.push(body);
    }
    Run::new(at_points(bodies, law, down()), 1e-3)
}

/// Height of the top box at rest: each level is pressed by the weights above on four corners.
fn top_at_rest(count: usize, k: f64) -> f64 {
    let sunk: f64 = (1..=count).map(|above| above as f64 * MASS * G / (4.0 * k)).sum();
    (2 * count - 1) as f64 * HALF - sunk
}

/// A box rests on four corners with a quarter of its weight each, does not move by a bit of rounding more in 10 s, and
/// on an incline holds below μ and slides with g (sin θ − μ cos θ) beyond.
#[test]
fn a_box_rests_and_slides_on_four_corners() {
    for k in [1e5, 1e7, 1e9] {
        let law = linear(k, Friction::Coulomb { mu: 0.5 }, Damping { normal: 100.0, ..Damping::default() });
        let at = Isometry3::translation(0.0, 0.0, 0.05 + 1e-3);
        let mut run =
            Run::new(at_points(vec![ground(), block([0.1, 0.08, 0.05], 0.005, 2.0).at(at)], law, down()), 1e-3);
        run.to(2.0);
        let z = run.state.bodies[1].X_WBcm.translation.z;
        let depth = 2.0 * G / (4.0 * k);
        println!("k {k:e}: depth {} of {depth}, KE {:e}", 0.05 - z, run.ledger().KE);
        run.check("box", 2.0 * G * 0.05);
        assert_eq!(pressed(&run.state), 4);
        assert!((0.05 - z - depth).abs() < 1e-6 * depth + 1e-15, "{:e}", 0.05 - z - depth);
        let before = run.state.bodies[1].X_WBcm;
        run.quickly_to(12.0);
        let after = run.state.bodies[1].X_WBcm;
        let moved =
            (after.translation.vector - before.translation.vector).norm() + after.rotation.angle_to(&before.rotation);
        println!("moved {moved:e}");
        assert!(moved < 1e-12, "{moved:e}");
    }
    let angle = 0.35_f64;
    for k in [1e5, 1e7] {
        for (share, holds) in [(0.99, true), (1.2, false)] {
            let mu = angle.tan() / share;
            let law = linear(k, Friction::Coulomb { mu }, Damping { normal: 300.0, ..Damping::default() });
            let gravity = Vector3::new(G * angle.sin(), 0.0, -G * angle.cos());
            let depth = MASS * G * angle.cos() / (4.0 * k);
            // Lower in front, so that it does not rock.
            let body = block([0.1, 0.1, 0.01], 0.002, MASS).at(Isometry3::translation(0.0, 0.0, 0.01 - depth));
            let V = SpatialVelocity::new(Vector3::zeros(), Vector3::new(if holds { 0.0 } else { 0.5 }, 0.0, 0.0));
            let mut run = Run::new(at_points(vec![ground(), body.moving(V)], law, gravity), 1e-3);
            let places = [0.5, 1.0, 1.5].map(|t| {
                run.to(t);
                run.state.bodies[1].X_WBcm.translation.x
            });
            let found = (places[2] - 2.0 * places[1] + places[0]) / 0.25;
            let expected = if holds { 0.0 } else { G * (angle.sin() - mu * angle.cos()) };
            println!("k {k:e}, {share}: {found} against {expected}, at {places:?}");
            run.check("incline", MASS * G);
            assert!((found - expected).abs() < 1e-3, "{found} against {expected}");
            if holds {
                // Gravity comes at once and swings the springs; then it holds.
                assert!((places[2] - places[1]).abs() < 1e-7, "{places:?}");
            }
        }
    }
}

/// Five boxes, dropped by 0.2 mm each: they settle at any stiffness, and every step keeps its books.
#[test]
fn a_stack_of_five_settles_at_any_stiffness() {
    for k in [1e5, 1e7, 1e9] {
        let mut run = stack(5, k, 200.0, 2e-4);
        let end = run.to(3.0);
        let top = run.state.bodies[5].X_WBcm.translation.z;
        println!("k {k:e}: KE {:e}, top off by {:e}", end.KE, top - top_at_rest(5, k));
        run.check("stack", 5.0 * MASS * G * 0.25);
        assert_eq!(pressed(&run.state), 20);
        assert!(end.KE < 1e-12, "{:e}", end.KE);
        assert!((top - top_at_rest(5, k)).abs() < 1e-6);
    }
}

/// Fifty boxes stand for 10 s, the top where the weights press it to, and do not creep.
#[test]
fn a_stack_of_fifty_stands() {
    let k = 1e7;
    let mut run = stack(50, k, 3000.0, 0.0);
    run.quickly_to(8.0);
    let before = run.state.bodies[50].X_WBcm;
    let end = run.quickly_to(10.0);
    let after = run.state.bodies[50].X_WBcm;
    let off = after.translation.vector - Vector3::new(0.0, 0.0, top_at_rest(50, k));
    let crept = (after.translation.vector - before.translation.vector).norm();
    println!("off {off:?}, crept {crept:e}, KE {:e}, {:?}", end.KE, run.sum);
    let scale = 50.0 * MASS * G * 2.5;
    assert!(off.norm() < 1e-4, "{off:?}");
    assert!(crept < 1e-9, "{crept:e}");
    assert!((end.total() - run.first.total()).abs() < 1e-12 * scale, "{:e}", end.total() - run.first.total());
    assert!(run.sum.least_loss >= -1e-14 * scale, "{:e}", run.sum.least_loss);
    assert_eq!(pressed(&run.state), 200);
}

/// A box dropped on a corner tumbles, bounces and comes to rest on a side: contacts are born and end on the way, and no
/// step gains.
#[test]
fn a_tumbling_box_keeps_its_books() {
    for k in [1e5, 1e7] {
        let law = linear(k, Friction::Coulomb { mu: 0.4 }, Damping { normal: 100.0, ..Damping::default() });
        let tilt = UnitQuaternion::from_euler_angles(0.5, 0.4, 0.2);
        let at = Isometry3::from_parts(Vector3::new(0.0, 0.0, 0.2).into(), tilt);
        let V = SpatialVelocity::new(Vector3::new(1.0, 2.0, 0.5), Vector3::new(0.5, 0.0, 0.0));
        let body = block([0.06, 0.05, 0.04], 0.005, MASS).at(at).moving(V);
        let mut run = Run::new(at_points(vec![ground(), body], law, down()), 1e-3);
        let start = mechanical(&run.first);
        let end = run.to(4.0);
        println!("k {k:e}: KE {:e}, E_num {:e}, z {}", end.KE, end.E_num, run.state.bodies[1].X_WBcm.translation.z);
        run.check("tumble", start);
        assert!(end.KE < 1e-9, "{:e}", end.KE);
        assert_eq!(pressed(&run.state), 4);
    }
}

//! Meshed bodies in motion: slides and rolls without loss keep their energy, and a meshed ball moves as a ball does.

#[path = "../../contact/tests/mesh_smooth/meshes.rs"]
mod meshes;
mod scene;
#[path = "../../contact/tests/common/skipped.rs"]
mod skipped;

use fingerpad_contact::law::{Damping, Friction};
use fingerpad_contact::surface::graph::{Rectangle, Term};
use fingerpad_contact::surface::mesh::smooth::SmoothOptions;
use fingerpad_contact::surface::mesh::{MassProperties, MeshSurface, TriangleMesh};
use fingerpad_contact::surface::{Graph, Shape};
use fingerpad_sim::{Body, BodyId, PairLaw};
use nalgebra::{Isometry3, Matrix3, Vector3};
use scene::{G, Run, constants, down, law, moving, parts, plane, solid_ball, sphere};
use std::sync::Arc;

fn mesh(raw: meshes::Raw) -> (Shape, MassProperties) {
    let (mesh, _) = TriangleMesh::new(raw.p, raw.f).unwrap();
    let mass = MassProperties::of(&mesh).unwrap();
    (Shape::Mesh(Arc::new(MeshSurface::new(mesh, &SmoothOptions::default()).unwrap())), mass)
}

fn scan(name: &str) -> Option<(Shape, MassProperties)> {
    let text = std::fs::read_to_string(skipped::asset(&format!("objects/ycb/{name}.obj"))?).unwrap();
    Some(mesh(meshes::from_obj(&text)))
}

fn pressed(a: Body, b: Body, k: f64, sticks: bool) -> Run {
    let friction = if sticks { Friction::Sticks } else { Friction::None };
    let law = law(constants(k, 1.5, 0.4 * k, 0.0, 0.0), Damping::default(), friction);
    Run::new(parts(vec![a, b], vec![(BodyId(0), BodyId(1), PairLaw::even(law))], down()))
}

/// Largest error of the ledger every 10 ms, relative to all energy that moves: at the start, above the lowest place so far.
fn ledger_error(run: &mut Run, end: f64) -> f64 {
    let first = run.ledger();
    let (mut error, mut lowest) = (0.0_f64, first.PE);
    for row in 1..=(end / 0.01).round() as u32 {
        run.to(f64::from(row) * 0.01);
        let now = run.ledger();
        lowest = lowest.min(now.PE);
        error = error.max((now.total() - first.total()).abs());
    }
    error / (first.KE + first.PE - lowest)
}

/// Rounding and steps of 1e-12 leave 1e-12 to 1e-9 after tens of impacts; the goal is 1e-6.
const LEDGER: f64 = 1e-8;

/// A ball slides or rolls up a sphere of 1 m, over its top and down, until it leaves it or 1.5 s have passed.
fn over_the_top(ground: Shape, sticks: bool) -> Run {
    let (R, r, m, k) = (1.0, 0.1, 0.5, 1e6);
    let angle = 25.0_f64.to_radians();
    let up = Vector3::new(-angle.sin(), 0.0, angle.cos());
    let along = Vector3::new(angle.cos(), 0.05, angle.sin());
    // Just enough to come over.
    let share = if sticks { 5.0 / 7.0 } else { 1.0 };
    let v = along * (2.0 * G * (R + r) * (1.0 - angle.cos()) * share + 0.1_f64).sqrt();
    let depth = (m * (G * up.z - v.norm_squared() / (R + r)) / k).powf(2.0 / 3.0);
    let c = up * (R + r - depth);
    let w = if sticks { up.cross(&v) / (r - 0.5 * depth) } else { Vector3::zeros() };
    let ball = solid_ball(r, m).at(Isometry3::translation(c.x, c.y, c.z)).moving(moving(w.into(), v.into()));
    pressed(Body::fixed("ground", ground), ball, k, sticks)
}

/// Ledger, and the way of a ball on an icosphere of 1280 facets against that on the sphere. Blended quadrics reproduce the
/// sphere to 1e-9 of its size; over the top, where neighbours part, that grows.
#[test]
fn a_ball_slides_and_rolls_over_a_meshed_sphere() {
    for sticks in [false, true] {
        let mut meshed = over_the_top(mesh(meshes::icosphere(3)).0, sticks);
        let mut smooth = over_the_top(sphere(1.0), sticks);
        let errors = [ledger_error(&mut meshed, 1.5), ledger_error(&mut smooth, 1.5)];
        let apart = (meshed.p(1) - smooth.p(1)).norm();
        println!("sticks {sticks}: ledgers {:.1e} {:.1e}, {apart:.1e} m apart", errors[0], errors[1]);
        assert!(errors[0] <= LEDGER && apart < 1e-7, "{errors:?} {apart:e}");
        assert_eq!(meshed.events.len(), smooth.events.len());
    }
}

/// Scene `bowl-roll` with a meshed ball: as above, the mesh being what moves and turns.
#[test]
fn a_meshed_ball_slides_and_rolls_in_a_bowl() {
    let run = |shape: Shape, sticks: bool| {
        let terms = vec![Term { p: 2, q: 0, c: 0.2 }, Term { p: 0, q: 2, c: 0.2 }];
        let bowl = Body::fixed("bowl", Shape::Graph(Graph::polynomial(terms, Rectangle::PLANE).unwrap()));
        let w = if sticks { [-2.2294816068526147, 0.0, -1.3376889641115688] } else { [0.0; 3] };
        let ball = Body::free("ball", shape, 1.0, Matrix3::identity() * 0.1)
            .at(Isometry3::translation(1.2444058607154638, 0.0, 0.8759902321408937))
            .moving(moving(w, [0.0, 1.3, 0.0]));
        pressed(bowl, ball, 5e4, sticks)
    };
    for sticks in [false, true] {
        let mut meshed = run(mesh(meshes::icosphere(3).scaled(0.5)).0, sticks);
        let mut smooth = run(sphere(0.5), sticks);
        let errors = [ledger_error(&mut meshed, 3.0), ledger_error(&mut smooth, 3.0)];
        let apart = (meshed.p(1) - smooth.p(1)).norm();
        println!("sticks {sticks}: ledgers {:.1e} {:.1e}, {apart:.1e} m apart", errors[0], errors[1]);
        assert!(errors[0] <= LEDGER && apart < 1e-7 && meshed.events.is_empty(), "{errors:?} {apart:e}");
    }
}

/// A ball of 16 mm falls into a scanned mug and goes on bouncing off its floor and wall, without loss where nothing rubs;
/// where it sticks, what the springs hold at each release is lost and booked.
#[test]
fn a_ball_bounces_in_a_scanned_mug() {
    let Some((shape, mass)) = scan("mug") else { return };
    for sticks in [false, true] {
        let ball = solid_ball(0.008, 0.005)
            .at(Isometry3::translation(mass.centre.x, mass.centre.y, 0.03))
            .moving(moving([0.0; 3], [0.15, 0.05, 0.0]));
        let mut run = pressed(Body::fixed("mug", shape.clone()), ball, 2e4, sticks);
        let error = ledger_error(&mut run, 1.0);
        let (now, events) = (run.ledger(), run.events.len());
        println!("sticks {sticks}: ledger {error:.1e}, {events} events, {now:?}");
        assert!(error <= LEDGER && events > 10, "{error:e} {events}");
        assert!(now.E_num.abs() < 1e-9 * now.KE && run.p(1).z > 0.0, "{now:?}");
    }
}

/// A scanned tennis ball lands on a plane, slides or rolls on for 2 s and 0.6 m, bouncing on its seams and bumps.
///
/// Pressed in by 15 µm under its weight, less than its bumps are high: places to touch come and go before they are pressed,
/// and lists of contacts that change move no energy. (At k = 2e4, pressed in by 1 mm, bumps are born under load, begin without
/// a force, and the ball sinks: 0.018 J in 2 s are booked as E_num.)
#[test]
#[ignore = "contacts of a scan that follow on each other take 7.9e-5 J of 0.02 J, above the bound"]
fn a_scanned_ball_slides_and_rolls_on_a_plane() {
    let Some((shape, mass)) = scan("tennis_ball") else { return };
    for sticks in [false, true] {
        let m = 0.058;
        let mut ball = Body::free("ball", shape.clone(), m, mass.inertia * (m / mass.volume));
        ball.p_BoBcm = mass.centre;
        let p = Vector3::new(0.0, 0.0, 0.0335) - mass.centre.coords;
        let w = if sticks { 0.3 / 0.033 } else { 0.0 };
        let ball = ball.at(Isometry3::translation(p.x, p.y, p.z)).moving(moving([0.0, w, 0.0], [0.3, 0.0, 0.0]));
        let mut run = pressed(plane(), ball, 1e7, sticks);
        let error = ledger_error(&mut run, 2.0);
        let (now, events) = (run.ledger(), run.events.len());
        println!("sticks {sticks}: ledger {error:.1e}, {events} events, {now:?}");
        assert!(error <= LEDGER && events > 50, "{error:e} {events}");
        assert!(now.E_num.abs() < 1e-9 * now.KE && run.p(1).z > 0.03, "{now:?} {}", run.p(1));
    }
}

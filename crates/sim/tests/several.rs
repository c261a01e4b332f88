//! Several contacts for one pair, several pairs at once: grooves, rows, rollers, piles.

mod common;

use common::{G, all_meet, ball, ground, linear};
use fingerpad_contact::law::{Damping, Friction};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::elevation::{ElevationMap, Grid, Interpolation, Samples};
use fingerpad_contact::surface::graph::{Rectangle, Term};
use fingerpad_contact::surface::{Cylinder, Graph, Shape};
use fingerpad_sim::{Accurate, Body, ContactMode, Model, State, Stepper, Workspace, ledger};
use nalgebra::{Isometry3, Matrix3, Translation3, UnitQuaternion, Vector3};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, TAU};
use std::sync::Arc;

fn map(h: impl Fn(f64, f64) -> f64) -> Body {
    let (n, d) = (101, 0.04);
    let z = (0..n * n).map(|k| h((k % n) as f64 * d - 2.0, (k / n) as f64 * d - 2.0)).collect();
    let grid = Grid { nx: n, ny: n, dx: d, dy: d, x0: 0.0, y0: 0.0 };
    let map = ElevationMap::new(grid, Samples::F64(z), Interpolation::Quintic).unwrap();
    Body::fixed("map", Shape::Elevation(Arc::new(map))).at(Isometry3::translation(-2.0, -2.0, 0.0))
}

/// A ball at rest in a groove with walls at 45° has two contacts with mg/√2 each, and the depths of both walls: closed
/// forms to 1e-6, what dampers leave after 2 s. Would catch a tracker that follows the closest wall alone.
#[test]
fn a_ball_in_a_groove_rests_on_both_walls() {
    let groove = map(|x, _| if x.abs() > 0.1 { x.abs() } else { 0.05 + 5.0 * x * x });
    let (radius, mass, k) = (0.5, 2.0, 1e5);
    let law = linear(k, Friction::None, Damping { normal: 300.0, ..Damping::default() });
    // On 45° walls the centre is √2 r above their line.
    let at = Isometry3::translation(0.0, 0.3, 2.0_f64.sqrt() * radius + 0.001);
    let model = all_meet(vec![groove, ball("ball", radius, mass).at(at)], law, Vector3::new(0.0, 0.0, -G));
    let mut state = model.start().unwrap();
    let mut work = Workspace::new(&model, &state);
    let first = ledger(&model, &state, &mut work).unwrap().total();
    Accurate::default().advance(&model, &mut state, &mut work, 2.0).unwrap();
    let now = ledger(&model, &state, &mut work).unwrap();
    assert!((now.total() - first).abs() < 1e-9 && now.E_num.abs() < 1e-12, "{now:?}");
    let pressed: Vec<_> = work.look(&model, &state).unwrap().iter().filter(|view| view.normal > 0.0).collect();
    assert_eq!(pressed.len(), 2);
    for view in pressed {
        assert!((view.normal / (mass * G * FRAC_1_SQRT_2) - 1.0).abs() < 1e-6, "{}", view.normal);
        assert!((view.gap * k / view.normal + 1.0).abs() < 1e-6, "{}", view.gap);
    }
}

/// Five balls in a row, the first strikes: momentum to 1e-12 of it, energy to 1e-9, and the last leaves with most.
#[test]
fn a_row_of_balls_passes_momentum_on() {
    let row = (0..5).map(|i| {
        let gap = if i == 0 { -0.02 } else { 1e-3 * f64::from(i) };
        let one = ball(&format!("ball {i}"), 0.05, 0.3).at(Isometry3::translation(0.1 * f64::from(i) + gap, 0.0, 0.0));
        one.moving(SpatialVelocity::new(Vector3::zeros(), Vector3::x() * if i == 0 { 2.0 } else { 0.0 }))
    });
    let model =
        all_meet(row.collect(), linear(1e7, Friction::Coulomb { mu: 0.2 }, Damping::default()), Vector3::zeros());
    let mut state = model.start().unwrap();
    let mut work = Workspace::new(&model, &state);
    let first = ledger(&model, &state, &mut work).unwrap().total();
    let mut most = 0;
    for i in 1..=50 {
        Accurate::default().advance(&model, &mut state, &mut work, 1e-3 * f64::from(i)).unwrap();
        most = most.max(state.near.len());
        let momentum: f64 = state.bodies.iter().map(|body| 0.3 * body.V_WBcm.v.x).sum();
        assert!((momentum - 0.6).abs() < 1e-12, "{momentum}");
        let now = ledger(&model, &state, &mut work).unwrap().total();
        assert!((now / first - 1.0).abs() < 1e-9, "{now}");
    }
    // Gaps of 1 mm: blow after blow, each passes all on.
    assert!((state.bodies[4].V_WBcm.v.x - 2.0).abs() < 1e-6, "{}", state.bodies[4].V_WBcm.v.x);
    assert!((3..=4).contains(&most), "{most}");
}

/// Golden 32: a cylinder that rolls on a plane keeps its speed, 0.9999 of it a turn at least; one of 64 facets that are
/// struck one by one keeps 0.814. It stands on its two rims, and both carry half.
#[test]
fn a_rolling_cylinder_keeps_its_speed() {
    let (radius, half, mass, k) = (0.1, 0.2, 2.0, 1e6);
    let shape = Shape::Cylinder(Cylinder::new(radius, half, 0.005).unwrap());
    let (across, along) = (mass * (radius * radius / 4.0 + half * half / 3.0), 0.5 * mass * radius * radius);
    let roller = Body::free("roller", shape, mass, Matrix3::from_diagonal(&Vector3::new(across, across, along)));
    let law = linear(k, Friction::Coulomb { mu: 0.5 }, Damping { normal: 100.0, ..Damping::default() });
    let model = all_meet(vec![ground(), roller], law, Vector3::new(0.0, 0.0, -G));
    let lying = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), FRAC_PI_2);
    let depth = mass * G / (2.0 * k);
    let (X_WB, speed) = (Isometry3::from_parts(Translation3::new(0.0, 0.0, radius - depth), lying), 1.0);
    let V = SpatialVelocity::new(Vector3::new(0.0, speed / radius, 0.0), Vector3::new(speed, 0.0, 0.0));
    let mut state = model.start_from(|_, _| (X_WB, V)).unwrap();
    let mut work = Workspace::new(&model, &state);
    let report = Accurate::default().advance(&model, &mut state, &mut work, TAU * radius / speed).unwrap();
    let kept = state.bodies[1].V_WBcm.v.x / speed;
    let views = work.look(&model, &state).unwrap();
    println!("kept {kept}, {report:?}, {:?}", views.iter().map(|v| v.normal).collect::<Vec<_>>());
    assert!((kept - 1.0).abs() < 1e-4, "{kept}");
    assert_eq!(views.len(), 2);
    assert!(views.iter().all(|v| (v.normal / (0.5 * mass * G) - 1.0).abs() < 1e-3));
}

fn bowl() -> Body {
    let c = 1.0;
    let shape = Graph::polynomial(vec![Term { p: 2, q: 0, c }, Term { p: 0, q: 2, c }], Rectangle::PLANE).unwrap();
    Body::fixed("bowl", Shape::Graph(shape))
}

/// Balls in layers above the bowl; `order` says which ball is which body.
fn pile(count: usize, friction: Friction, order: impl Fn(usize) -> usize) -> Model {
    let mut bodies = vec![bowl()];
    for k in 0..count {
        let i = order(k);
        let (layer, place) = (i / 9, i % 9);
        let jitter = |n: usize| ((i * n) % 17) as f64 * 2e-4;
        let x = 0.075 * ((place % 3) as f64 - 1.0) + jitter(7);
        let y = 0.075 * ((place / 3) as f64 - 1.0) + jitter(11);
        let radius = 0.025 + 0.005 * ((i % 3) as f64);
        let at = Isometry3::translation(x, y, 0.1 + 0.08 * layer as f64);
        bodies.push(ball(&format!("ball {i}"), radius, 0.1).at(at));
    }
    let damping = Damping { hunt_crossley: 0.5, normal: 3.0, tangential: 3.0, torsional: 1e-3 };
    all_meet(bodies, linear(1e4, friction, damping), Vector3::new(0.0, 0.0, -G))
}

/// Fifty balls fall into a bowl: at every look the pairs that touch are those that all pairs tried one by one give, and so
/// are the gaps. Would catch a sweep that loses a pair, and one that is late.
#[test]
fn a_pile_has_the_contacts_that_all_pairs_have() {
    // 1e-6 of each number in each of some thousand steps.
    watch_the_pile(Accurate { relative: 1e-6, absolute: 1e-8, ..Accurate::default() }, 1e-4);
}

/// The tolerance and the bound that were set first.
#[test]
fn a_pile_at_a_finer_tolerance_keeps_its_ledger() {
    watch_the_pile(Accurate { relative: 1e-8, absolute: 1e-10, ..Accurate::default() }, 1e-6);
}

fn watch_the_pile(stepper: Accurate, most: f64) {
    let model = pile(50, Friction::None, |k| k);
    let mut state = model.start().unwrap();
    let mut work = Workspace::new(&model, &state);
    let (clock, mut touching, mut steps) = (std::time::Instant::now(), 0, 0);
    let first = ledger(&model, &state, &mut work).unwrap().total();
    for i in 1..=16 {
        steps += stepper.advance(&model, &mut state, &mut work, 0.0125 * f64::from(i)).unwrap().steps;
        let radius = |b: usize| match &*model.bodies()[b].shape {
            Shape::Sphere(ball) => ball.radius(),
            _ => unreachable!(),
        };
        let mut expected = Vec::new();
        for a in 1..=50 {
            for b in a + 1..=50 {
                let apart = state.bodies[a].X_WBcm.translation.vector - state.bodies[b].X_WBcm.translation.vector;
                let gap = apart.norm() - radius(a) - radius(b);
                if gap < 0.0 {
                    expected.push((a, b, gap));
                }
            }
        }
        let views = work.look(&model, &state).unwrap();
        let listed = state.contacts.iter().zip(views).filter(|(c, v)| c.pair.order().0 > 0 && v.gap < 0.0);
        let found: Vec<_> = listed.map(|(c, v)| (c.pair.order().0, c.pair.order().1, v.gap)).collect();
        assert_eq!(found.len(), expected.len(), "at {}: {found:?} {expected:?}", state.time);
        for (one, two) in found.iter().zip(&expected) {
            assert!((one.0, one.1) == (two.0, two.1) && (one.2 - two.2).abs() < 1e-12, "{one:?} {two:?}");
        }
        touching += found.len();
    }
    let last = ledger(&model, &state, &mut work).unwrap();
    println!(
        "{touching} contacts seen, {steps} steps in {:?}, near {}, drift {:e}, {last:?}",
        clock.elapsed(),
        state.near.len(),
        (last.total() - first).abs()
    );
    assert!(touching > 60, "{touching}");
    assert!((last.total() - first).abs() < most && last.E_num.abs() < 1e-9, "{last:?}");
}

/// The same pile with its bodies listed the other way round goes the same way, as far as sums in another order allow:
/// rounding of 1e-16 grows, but not beyond 1e-9 m in the first blows.
#[test]
fn the_order_of_bodies_does_not_matter() {
    let run = |backwards: bool| {
        let count = 18;
        let model = pile(count, Friction::Coulomb { mu: 0.3 }, |k| if backwards { count - 1 - k } else { k });
        let mut state: State = model.start().unwrap();
        let mut work = Workspace::new(&model, &state);
        Accurate::default().advance(&model, &mut state, &mut work, 0.12).unwrap();
        let find = |i: usize| model.bodies().iter().position(|b| b.name == format!("ball {i}")).unwrap();
        let touches = state.contacts.iter().filter(|c| c.mode != ContactMode::Free).count();
        let places: Vec<_> = (0..count).map(|i| state.bodies[find(i)].X_WBcm.translation.vector).collect();
        (places, touches)
    };
    let (one, two) = (run(false), run(true));
    assert!(one.1 == two.1 && one.1 > 3, "{} {}", one.1, two.1);
    for (a, b) in one.0.iter().zip(&two.0) {
        assert!((a - b).norm() < 1e-9, "{a} {b}");
    }
}

//! Fixed steps of named scenes: time per step, median and 999th thousandth, with counts.
//!
//! ```text
//! cargo bench -p fingerpad-sim --bench step
//! ```
//!
//! Rows: scene, contacts in a step, Newton steps in a step, steps made again (%), median, p99.9 and 20th part of the times
//! (µs), searches without end; below piles, time per contact against that of the first. The ledger is kept in every step.
//! Goals: bowl 0.7 µs on every ground, box 2 µs at rest and 5 µs sliding, stack of 50 boxes 150 µs, loose heap of 50 balls
//! 120 µs. Where other work runs beside, p99.9 is the scheduler's and the 20th part nearest to the truth. Ratios are of one
//! run.

use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::elevation::{ElevationMap, Grid, Interpolation, Samples};
use fingerpad_contact::surface::graph::{Rectangle, Term};
use fingerpad_contact::surface::{Graph, HalfSpace, RoundedBox, Shape, Sphere};
use fingerpad_sim::{
    Body, BodyId, Fast, FastReport, FastWorkspace, Interactions, LawId, Load, Mobility, Model, PairLaw, Parts, Places,
    Profile, Restriction, State, Workspace, ledger,
};
use nalgebra::{Isometry3, Matrix3, UnitQuaternion, Vector3};
use std::sync::Arc;
use std::time::Instant;

fn ball(radius: f64, mass: f64) -> Body {
    let shape = Shape::Sphere(Sphere::new(radius).unwrap());
    Body::free("ball", shape, mass, Matrix3::identity() * (0.4 * mass * radius * radius))
}

fn law(k: f64, k_t: f64, mu: f64) -> ContactLaw {
    let e_n = 0.02;
    ContactLaw {
        stiffness: Stiffness::Constants(Constants { k, n: 1.5, k_t, k_theta: k_t * e_n * e_n, e_n }),
        damping: Damping { hunt_crossley: 0.4, ..Damping::default() },
        friction: Friction::Coulomb { mu },
        partial: None,
    }
}

/// A quarter of critical at the weight of a few balls.
fn damped() -> ContactLaw {
    let mut law = law(1e6, 2e4, 0.5);
    law.damping.normal = 30.0;
    law
}

fn model(bodies: Vec<Body>, pairs: Vec<(usize, usize)>, law: &ContactLaw) -> Model {
    let pairs = pairs
        .into_iter()
        .map(|(a, b)| (BodyId(a), BodyId(b), PairLaw { places: Places::Closest, ..PairLaw::even(law.clone()) }))
        .collect();
    let gravity_W = Vector3::new(0.0, 0.0, -9.81);
    Model::new(Parts { bodies, interactions: Interactions::of_pairs(pairs), gravity_W, ..Parts::default() }).unwrap()
}

/// The bowl dropped into: ball r 0.5 m, 1 kg, z = 0.2 x² + 0.2 y².
fn bowl(ground: Body) -> Model {
    let V = SpatialVelocity::new(Vector3::new(0.0, 10.0, 5.0), Vector3::zeros());
    let ball = ball(0.5, 1.0).at(Isometry3::translation(1.5, 0.0, 2.5)).moving(V);
    model(vec![ground, ball], vec![(0, 1)], &law(5e4, 2e4, 0.5))
}

fn graph() -> Body {
    let terms = vec![Term { p: 2, q: 0, c: 0.2 }, Term { p: 0, q: 2, c: 0.2 }];
    Body::fixed("bowl", Shape::Graph(Graph::polynomial(terms, Rectangle::PLANE).unwrap()))
}

fn map(spacing: f64) -> Body {
    let half = 10.0;
    let n = (2.0 * half / spacing).round() as usize + 1;
    let at = |i: usize| i as f64 * spacing - half;
    let mut heights = Vec::with_capacity(n * n);
    for row in 0..n {
        for column in 0..n {
            heights.push(0.2 * (at(row) * at(row) + at(column) * at(column)));
        }
    }
    let grid = Grid { nx: n, ny: n, dx: spacing, dy: spacing, x0: 0.0, y0: 0.0 };
    let map = ElevationMap::new(grid, Samples::F64(heights), Interpolation::Quintic).unwrap();
    Body::fixed("bowl", Shape::Elevation(Arc::new(map))).at(Isometry3::translation(-half, -half, 0.0))
}

/// Balls heaped on a bed of held ones, each in the hollow of four below; pairs that are near.
fn pile(count: usize) -> Model {
    let (r, m) = (0.05, 0.2);
    let base = (1..).find(|n: &usize| n * (n + 1) * (2 * n + 1) / 6 >= count).unwrap_or(1);
    let rise = 2.0_f64.sqrt() * r;
    let mut places = Vec::new();
    let mut held = 0;
    for layer in 0..=base {
        let side = base + 1 - layer;
        for i in 0..side {
            for j in 0..side {
                let shift = layer as f64 * r;
                let p = Vector3::new(2.0 * r * i as f64 + shift, 2.0 * r * j as f64 + shift, rise * layer as f64);
                if layer == 0 || places.len() < held + count {
                    places.push(p);
                }
            }
        }
        if layer == 0 {
            held = places.len();
        }
    }
    let body = |(i, p): (usize, &Vector3<f64>)| {
        let ball = ball(r, m).at(Isometry3::translation(p.x, p.y, p.z));
        if i < held { ball.with(Mobility::Fixed) } else { ball }
    };
    let bodies: Vec<Body> = places.iter().enumerate().map(body).collect();
    let mut pairs = Vec::new();
    for j in held..places.len() {
        pairs.extend((0..j).filter(|i| (places[*i] - places[j]).norm() < 2.6 * r).map(|i| (i, j)));
    }
    model(bodies, pairs, &damped())
}

/// Balls in a tower, kept up by nothing but symmetry.
fn tower(count: usize) -> Model {
    let (r, m) = (0.05, 0.2);
    let mut bodies = vec![Body::fixed("ground", Shape::HalfSpace(HalfSpace))];
    bodies.extend((0..count).map(|i| ball(r, m).at(Isometry3::translation(0.0, 0.0, r + 2.0 * r * i as f64))));
    model(bodies, (0..count).map(|i| (i, i + 1)).collect(), &damped())
}

/// Balls dropped together onto a plane within four walls, in a loose heap of about 2.4 contacts a ball.
fn loose(count: usize) -> Model {
    let (r, m) = (0.05, 0.2);
    let side = (1..).find(|n: &usize| n * n * 2 >= count).unwrap_or(1);
    let mut bodies = vec![Body::fixed("ground", Shape::HalfSpace(HalfSpace))];
    let wide = 2.3 * r * side as f64;
    for (axis, sign) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0)] {
        // z of the half-space leads inwards.
        let inwards = -Vector3::ith(axis, sign);
        let turn = UnitQuaternion::rotation_between(&Vector3::z(), &inwards).unwrap();
        let at = Isometry3::from_parts((inwards * (-0.5 * wide)).into(), turn);
        bodies.push(Body::fixed("wall", Shape::HalfSpace(HalfSpace)).at(at));
    }
    for i in 0..count {
        let (layer, place) = (i / (side * side), i % (side * side));
        let at = |k: usize| 2.3 * r * (k as f64 + 0.5) - 0.5 * wide;
        // A little out of line, each in its own way.
        let off = |k: usize| 0.02 * r * ((i * 7919 * k % 17) as f64 - 8.0) / 8.0;
        let p = Vector3::new(at(place % side) + off(1), at(place / side) + off(3), r * (1.2 + 2.3 * layer as f64));
        bodies.push(ball(r, m).at(Isometry3::translation(p.x, p.y, p.z)));
    }
    by_class(bodies, damped(), Places::Closest)
}

/// Everything meets everything by one law.
fn by_class(bodies: Vec<Body>, law: ContactLaw, places: Places) -> Model {
    let laws = vec![PairLaw { places, ..PairLaw::even(law) }];
    let interactions = Interactions { laws, table: vec![vec![Some(LawId(0))]], ..Interactions::default() };
    let gravity_W = Vector3::new(0.0, 0.0, -9.81);
    Model::new(Parts { bodies, interactions, gravity_W, ..Parts::default() }).unwrap()
}

/// Rounded boxes of 0.1 m and 1 kg on each other, on four corners each; the lowest moves at a speed.
fn boxes(count: usize, speed: f64) -> Model {
    let half = 0.05;
    let shape = Shape::RoundedBox(RoundedBox::new(Vector3::repeat(half), 0.005).unwrap());
    let inertia = Matrix3::identity() * (2.0 / 3.0 * half * half);
    let mut bodies = vec![Body::fixed("ground", Shape::HalfSpace(HalfSpace))];
    for i in 0..count {
        let V = SpatialVelocity::new(Vector3::zeros(), Vector3::new(speed, 0.0, 0.0));
        let z = half * (2 * i + 1) as f64;
        bodies.push(Body::free("box", shape.clone(), 1.0, inertia).at(Isometry3::translation(0.0, 0.0, z)).moving(V));
    }
    // Slippery where it slides, so that it goes on.
    let mut law = law(1e7, 7e6, if speed > 0.0 { 0.02 } else { 0.3 });
    law.stiffness = Stiffness::Constants(Constants { k: 1e7, n: 1.0, k_t: 7e6, k_theta: 2800.0, e_n: 0.02 });
    law.damping = Damping { normal: 3000.0, ..Damping::default() };
    by_class(bodies, law, Places::Points)
}

struct Row {
    name: String,
    contacts: f64,
    newton: f64,
    repeated: f64,
    median: f64,
    tail: f64,
}

fn time(name: &str, model: &Model, steps: usize, warm: usize) -> Row {
    let mut state: State = model.start().unwrap();
    let mut work = FastWorkspace::new(model).unwrap();
    let fast = Fast::default();
    let mut add = |state: &mut State| fast.step(model, state, &mut work).unwrap();
    for _ in 0..warm {
        add(&mut state);
    }
    let mut times = Vec::with_capacity(steps);
    let mut sum = FastReport::default();
    for _ in 0..steps {
        let start = Instant::now();
        let report = add(&mut state);
        times.push(start.elapsed().as_secs_f64() * 1e6);
        sum.contacts += report.contacts;
        sum.newton += report.newton;
        sum.repeated += report.repeated;
        sum.unconverged += report.unconverged;
    }
    times.sort_by(f64::total_cmp);
    let best = times[steps / 20];
    let per = |x: u64| x as f64 / steps as f64;
    let row = Row {
        name: name.to_string(),
        contacts: per(sum.contacts),
        newton: per(sum.newton),
        repeated: 100.0 * per(sum.repeated),
        median: times[steps / 2],
        tail: times[steps * 999 / 1000],
    };
    println!(
        "{:<22} {:>8.1} {:>8.2} {:>7.1} {:>10.3} {:>10.3} {:>10.3}  {}",
        row.name, row.contacts, row.newton, row.repeated, row.median, row.tail, best, sum.unconverged
    );
    row
}

/// Time that this thread has run (s): other work beside does not count. Wall clock where the system does not tell.
fn cpu(start: Instant) -> f64 {
    // Linux counts up to the last time it looked; giving way makes it look.
    std::thread::yield_now();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |t| t * 1e-9)
}

/// Mechanical energy (J).
fn energy(model: &Model, state: &State) -> f64 {
    let mut eyes = Workspace::new(model, state);
    let l = ledger(model, state, &mut eyes).unwrap();
    l.KE + l.PE + l.V_normal + l.V_tangential
}

/// Two tips on guides press a box of 60 × 30 × 20 mm and 50 g with 5 N each, 5 mm beside its centre.
fn pinch() -> Model {
    let (half, tip, k, push) = (Vector3::new(0.03, 0.015, 0.01), 0.008, 1e5, 5.0);
    let shape = Shape::RoundedBox(RoundedBox::new(half, 0.001).unwrap());
    let about = |a: f64, b: f64| 0.05 / 3.0 * (a * a + b * b);
    let inertia = Vector3::new(about(half.y, half.z), about(half.x, half.z), about(half.x, half.y));
    let mut bodies = vec![Body::free("box", shape, 0.05, Matrix3::from_diagonal(&inertia))];
    let guide = Restriction { X_WF: Isometry3::identity(), slides: [false, true, false], turns: [false; 3] };
    let mut loads = Vec::new();
    for (i, side) in [-1.0, 1.0].into_iter().enumerate() {
        let y = side * (half.y + tip - push / k);
        let joint = Restriction { X_WF: Isometry3::translation(0.005, y, 0.0), ..guide };
        bodies.push(ball(tip, 0.02).at(Isometry3::translation(0.005, y, 0.0)).with(Mobility::Restricted(joint)));
        loads.push(Load {
            body: BodyId(i + 1),
            f_W: Vector3::new(0.0, -side * push, 0.0),
            t_W: Vector3::zeros(),
            p_BoQ: None,
            profile: Profile::Steady { t0: -1.0, t1: f64::INFINITY },
        });
    }
    let e_n = 0.01;
    let law = ContactLaw {
        stiffness: Stiffness::Constants(Constants { k, n: 1.0, k_t: 0.7 * k, k_theta: 0.7 * k * e_n * e_n, e_n }),
        damping: Damping { normal: 30.0, tangential: 30.0, torsional: 30.0 * e_n * e_n, ..Damping::default() },
        friction: Friction::Coulomb { mu: 0.5 },
        partial: None,
    };
    let pair = |i: usize| (BodyId(0), BodyId(i), PairLaw { places: Places::Closest, ..PairLaw::even(law.clone()) });
    let interactions = Interactions::of_pairs(vec![pair(1), pair(2)]);
    let gravity_W = Vector3::new(0.0, 0.0, -9.81);
    Model::new(Parts { bodies, interactions, gravity_W, loads, ..Parts::default() }).unwrap()
}

/// Scenes that `benches/peers/steps.py` has too: one line of JSON each, times of the processor.
fn beside_peers() {
    let fast = Fast::default();
    let clock = Instant::now();
    let run = |model: &Model, state: &mut State, from: f64, until: f64| {
        let mut work = FastWorkspace::new(model).unwrap();
        fast.advance(model, state, &mut work, from).unwrap();
        let (before, start) = (state.clone(), cpu(clock));
        let report = fast.advance(model, state, &mut work, until).unwrap();
        let per_step = (cpu(clock) - start) / report.steps as f64;
        (before, per_step * 1e6, report.contacts as f64 / report.steps as f64)
    };
    for spacing in [1.0, 0.1] {
        let model = bowl(map(spacing));
        let mut state = model.start().unwrap();
        let (five, us, contacts) = run(&model, &mut state, 5.0, 25.0);
        let kept = energy(&model, &state) / energy(&model, &five);
        println!(r#"{{"scene": "bowl {spacing} m", "us": {us}, "contacts": {contacts}, "kept": {kept}}}"#);
    }
    let model = pinch();
    let mut state = model.start().unwrap();
    let (before, us, contacts) = run(&model, &mut state, 0.5, 2.5);
    let (from, to) = (&before.bodies[0].X_WBcm, &state.bodies[0].X_WBcm);
    let slip = (to.translation.vector - from.translation.vector).norm();
    let turn = to.rotation.angle_to(&from.rotation).to_degrees();
    println!(r#"{{"scene": "pinch", "us": {us}, "contacts": {contacts}, "slip": {slip}, "turn": {turn}}}"#);
    for count in [5, 50] {
        let model = boxes(count, 0.0);
        let mut state = model.start().unwrap();
        let (_, us, contacts) = run(&model, &mut state, 1.0, 10.0);
        let place = state.bodies[count].X_WBcm.translation.vector;
        let off = (place - Vector3::new(0.0, 0.0, 0.05 * (2 * count - 1) as f64)).norm();
        println!(r#"{{"scene": "stack of {count}", "us": {us}, "contacts": {contacts}, "off": {off}}}"#);
    }
    let model = loose(50);
    let mut state = model.start().unwrap();
    let (before, us, contacts) = run(&model, &mut state, 3.0, 8.0);
    let moved = before.bodies.iter().zip(&state.bodies);
    let moved = moved.map(|(a, b)| (a.X_WBcm.translation.vector - b.X_WBcm.translation.vector).norm());
    let creep = moved.fold(0.0, f64::max) / 5.0;
    println!(r#"{{"scene": "heap of 50", "us": {us}, "contacts": {contacts}, "creep": {creep}}}"#);
}

fn main() {
    if std::env::args().any(|argument| argument == "--peers") {
        return beside_peers();
    }
    // A word as argument picks the scenes whose names hold it.
    let word = std::env::args().skip(1).find(|a| !a.starts_with('-')).unwrap_or_default();
    let wanted = |name: &str| name.contains(&word);
    println!("scene                  contacts   newton again % median µs p99.9 µs    best µs  unconverged");
    for (name, ground) in [("bowl, graph", graph()), ("bowl, map 1 m", map(1.0)), ("bowl, map 0.1 m", map(0.1))] {
        if wanted(name) {
            time(name, &bowl(ground), 25_000, 0);
        }
    }
    for (name, count, speed, steps) in [
        ("box at rest", 1, 0.0, 5_000),
        ("box sliding at 1 m/s", 1, 1.0, 3_000),
        ("stack of 5", 5, 0.0, 2_000),
        ("stack of 50", 50, 0.0, 2_000),
    ] {
        if wanted(name) {
            time(name, &boxes(count, speed), steps, if speed > 0.0 { 100 } else { 1_000 });
        }
    }
    for count in [10, 50] {
        let name = format!("loose heap of {count}");
        if wanted(&name) {
            time(&name, &loose(count), 2_000, 3_000);
        }
    }
    let mut first = None;
    for count in [1, 2, 5, 10, 20, 50, 100, 200, 500] {
        let name = format!("pile of {count}");
        if wanted(&name) {
            let steps = (20_000 / count).clamp(100, 2_000);
            let row = time(&name, &pile(count), steps, 300);
            let per_contact = row.median / row.contacts.max(1.0);
            let ratio = per_contact / *first.get_or_insert(per_contact);
            println!("{per_contact:>60.3} µs a contact, ×{ratio:.2}");
        }
    }
    for count in [5, 20, 50] {
        let name = format!("tower of {count}");
        if wanted(&name) {
            time(&name, &tower(count), 1_000, 300);
        }
    }
}

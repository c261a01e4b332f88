//! Fixed steps of named scenes: time per step, median and 999th thousandth, with counts.
//!
//! ```text
//! cargo bench -p fingerpad-sim --bench step
//! ```
//!
//! Rows: scene, contacts in a step, Newton steps in a step, steps made again (%), median (µs), p99.9 (µs), time per contact
//! against that of the first row. The ledger is kept in every step. Goals: bowl 0.7 µs on every ground, pile of 50 balls
//! 120 µs. Ratios are of one run.

use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::elevation::{ElevationMap, Grid, Interpolation, Samples};
use fingerpad_contact::surface::graph::{Rectangle, Term};
use fingerpad_contact::surface::{Graph, HalfSpace, Shape, Sphere};
use fingerpad_sim::{
    Body, BodyId, Fast, FastReport, FastWorkspace, Interactions, Mobility, Model, PairLaw, Parts, Places, State,
};
use nalgebra::{Isometry3, Matrix3, Vector3};
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

fn main() {
    // A word as argument picks the scenes whose names hold it.
    let word = std::env::args().skip(1).find(|a| !a.starts_with('-')).unwrap_or_default();
    let wanted = |name: &str| name.contains(&word);
    println!("scene                  contacts   newton again % median µs p99.9 µs    best µs  unconverged");
    for (name, ground) in [("bowl, graph", graph()), ("bowl, map 1 m", map(1.0)), ("bowl, map 0.1 m", map(0.1))] {
        if wanted(name) {
            time(name, &bowl(ground), 25_000, 0);
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

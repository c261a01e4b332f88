//! # Scenes that are timed, and how
//!
//! - **out**: models by name; time of the processor; energy of a state
//! - **start at** [`bowl`], [`boxes`], [`loose`], [`pile`], [`pinch`], then [`cpu`]
//!
//! `benches/peers/rapier` builds the same scenes elsewhere.
#![allow(dead_code)] // each bench takes what it needs

use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::elevation::{ElevationMap, Grid, Interpolation, Samples};
use fingerpad_contact::surface::graph::{Rectangle, Term};
use fingerpad_contact::surface::{Graph, HalfSpace, RoundedBox, Shape, Sphere};
use fingerpad_sim::{
    Body, BodyId, Interactions, LawId, Load, Mobility, Model, PairLaw, Parts, Places, Profile, Restriction, State,
    Workspace, ledger,
};
use nalgebra::{Isometry3, Matrix3, UnitQuaternion, Vector3};
use std::sync::Arc;

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
pub fn bowl(ground: Body) -> Model {
    let V = SpatialVelocity::new(Vector3::new(0.0, 10.0, 5.0), Vector3::zeros());
    let ball = ball(0.5, 1.0).at(Isometry3::translation(1.5, 0.0, 2.5)).moving(V);
    model(vec![ground, ball], vec![(0, 1)], &law(5e4, 2e4, 0.5))
}

pub fn graph() -> Body {
    let terms = vec![Term { p: 2, q: 0, c: 0.2 }, Term { p: 0, q: 2, c: 0.2 }];
    Body::fixed("bowl", Shape::Graph(Graph::polynomial(terms, Rectangle::PLANE).unwrap()))
}

pub fn map(spacing: f64) -> Body {
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
pub fn pile(count: usize) -> Model {
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
pub fn tower(count: usize) -> Model {
    let (r, m) = (0.05, 0.2);
    let mut bodies = vec![Body::fixed("ground", Shape::HalfSpace(HalfSpace))];
    bodies.extend((0..count).map(|i| ball(r, m).at(Isometry3::translation(0.0, 0.0, r + 2.0 * r * i as f64))));
    model(bodies, (0..count).map(|i| (i, i + 1)).collect(), &damped())
}

/// Balls dropped together onto a plane within four walls, in a loose heap of about 2.4 contacts a ball.
pub fn loose(count: usize) -> Model {
    dropped(count, damped())
}

/// The same with a law of its own.
pub fn dropped(count: usize, law: ContactLaw) -> Model {
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
    by_class(bodies, law, Places::Closest)
}

/// Everything meets everything by one law.
fn by_class(bodies: Vec<Body>, law: ContactLaw, places: Places) -> Model {
    let laws = vec![PairLaw { places, ..PairLaw::even(law) }];
    let interactions = Interactions { laws, table: vec![vec![Some(LawId(0))]], ..Interactions::default() };
    let gravity_W = Vector3::new(0.0, 0.0, -9.81);
    Model::new(Parts { bodies, interactions, gravity_W, ..Parts::default() }).unwrap()
}

/// Rounded boxes of 0.1 m and 1 kg on each other, on four corners each; the lowest moves at a speed.
pub fn boxes(count: usize, speed: f64) -> Model {
    boxes_at(count, speed, Places::Points)
}

/// The same where they meet at these places.
pub fn boxes_at(count: usize, speed: f64, places: Places) -> Model {
    // Slippery where it slides, so that it goes on.
    let mut law = law(1e7, 7e6, if speed > 0.0 { 0.02 } else { 0.3 });
    law.stiffness = Stiffness::Constants(Constants { k: 1e7, n: 1.0, k_t: 7e6, k_theta: 2800.0, e_n: 0.02 });
    law.damping = Damping { normal: 3000.0, ..Damping::default() };
    stacked(count, speed, law, places)
}

/// The same with a law and places of its own.
pub fn stacked(count: usize, speed: f64, law: ContactLaw, places: Places) -> Model {
    let half = 0.05;
    let shape = Shape::RoundedBox(RoundedBox::new(Vector3::repeat(half), 0.005).unwrap());
    let inertia = Matrix3::identity() * (2.0 / 3.0 * half * half);
    let mut bodies = vec![Body::fixed("ground", Shape::HalfSpace(HalfSpace))];
    for i in 0..count {
        let V = SpatialVelocity::new(Vector3::zeros(), Vector3::new(speed, 0.0, 0.0));
        let z = half * (2 * i + 1) as f64;
        bodies.push(Body::free("box", shape.clone(), 1.0, inertia).at(Isometry3::translation(0.0, 0.0, z)).moving(V));
    }
    by_class(bodies, law, places)
}

/// Time that this thread has run (s): other work beside does not count.
pub fn cpu() -> f64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    now.tv_sec as f64 + 1e-9 * now.tv_nsec as f64
}

/// Mechanical energy (J).
pub fn energy(model: &Model, state: &State) -> f64 {
    let mut eyes = Workspace::new(model, state);
    let l = ledger(model, state, &mut eyes).unwrap();
    l.KE + l.PE + l.V_normal + l.V_tangential
}

/// Two tips on guides press a box of 60 × 30 × 20 mm and 50 g with 5 N each, 5 mm beside its centre.
pub fn pinch() -> Model {
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

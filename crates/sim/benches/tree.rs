//! Trees of joints: time of each part of the dynamics, and how it grows.
//!
//! ```text
//! cargo bench -p fingerpad-sim --bench tree
//! ```
//!
//! The hand is that of the articulated oracle (24 hinges: a wrist of 2 and five fingers). Trees of n joints have a trunk of
//! two joints and fingers of four, so that depth is bounded; chains are one joint after the other. Least time of 200
//! batches, one core, nothing else counted out.

#[path = "../tests/articulated_trees/mod.rs"]
mod articulated_trees;

use fingerpad_contact::spatial::SpatialForce;
use fingerpad_sim::coordinates::motion::{Fixed, FixedWork};
use fingerpad_sim::coordinates::{Arms, Base, Factor, Frame, Joint, Link, Mass, Tree, TreeState};
use nalgebra::{Isometry3, Matrix3, Point3, Unit, Vector3};
use std::hint::black_box;
use std::time::Instant;

/// Least time of one call (µs).
fn least(mut call: impl FnMut()) -> f64 {
    const BATCH: usize = 50;
    let mut best = f64::INFINITY;
    for _ in 0..200 {
        let start = Instant::now();
        (0..BATCH).for_each(|_| call());
        best = best.min(start.elapsed().as_secs_f64() / BATCH as f64);
    }
    best * 1e6
}

/// A hinge with a rod of 0.1 m; axes vary.
fn hinge(index: usize, parent: Option<usize>) -> Link {
    let axis = Vector3::new((index as f64).sin(), (1.7 * index as f64).cos(), 0.3);
    Link {
        name: format!("link {index}"),
        parent,
        joint: Joint::Revolute(Unit::new_normalize(axis)),
        X_PF: Isometry3::new(Vector3::new(0.02, 0.01, 0.1), Vector3::new(0.1 * index as f64, 0.2, -0.1)),
        mass: 0.1,
        p_BoBcm: Point3::new(0.0, 0.01, 0.05),
        I_BBcm_B: Matrix3::from_diagonal(&Vector3::new(1e-4, 1e-4, 2e-5)),
        armature: 1e-4,
        laws: Vec::new(),
    }
}

/// A trunk of two joints with fingers of four; or one chain.
fn grown(n: usize, finger: usize) -> Tree {
    let parent = |i: usize| match i {
        0 => None,
        1 => Some(0),
        i if (i - 2) % finger == 0 => Some(1),
        i => Some(i - 1),
    };
    Tree::new((0..n).map(|i| hinge(i, parent(i))).collect(), Vector3::new(0.0, 0.0, -9.81)).unwrap()
}

struct Parts {
    kinematics: f64,
    mass: f64,
    factor: f64,
    solve: f64,
    bias: f64,
    together: f64,
    with_bias: f64,
}

fn parts(tree: &Tree) -> Parts {
    let n = tree.nv();
    let mut state = TreeState::rest(tree);
    for k in 0..n {
        state.q[k] = 0.3 + 0.1 * (k as f64).sin();
        state.v[k] = (k as f64).cos();
    }
    let (mut frame, mut mass, mut factor) = (Frame::new(tree), Mass::new(tree), Factor::new(tree));
    let (mut x, mut bias) = (vec![1.0; n], vec![0.0; n]);
    let base = Base::default();
    let kinematics = least(|| frame.place(tree, black_box(&state.q), &base));
    let of_mass = least(|| mass.compute(tree, black_box(&frame)));
    let of_factor = least(|| factor.compute(tree, black_box(&mass)).unwrap());
    let solve = least(|| {
        x.fill(1.0);
        factor.solve(tree, black_box(&mut x));
    });
    let of_bias = least(|| {
        frame.set_velocities(tree, black_box(&state.v));
        frame.bias(tree, &state.v, &mut bias);
    });
    let mut all = |with_bias: bool| {
        frame.place(tree, black_box(&state.q), &base);
        mass.compute(tree, &frame);
        factor.compute(tree, &mass).unwrap();
        x.fill(1.0);
        if with_bias {
            frame.set_velocities(tree, &state.v);
            frame.bias(tree, &state.v, &mut bias);
        }
        factor.solve(tree, black_box(&mut x));
    };
    let (together, with_bias) = (least(|| all(false)), least(|| all(true)));
    Parts { kinematics, mass: of_mass, factor: of_factor, solve, bias: of_bias, together, with_bias }
}

fn told(name: &str, tree: &Tree) {
    let p = parts(tree);
    println!(
        "{name:<22} {:>4} {:>6} {:>7.2} {:>6.2} {:>6.2} {:>6.2} {:>6.2} {:>9.2} {:>9.2}",
        tree.nv(),
        tree.entries(),
        p.kinematics,
        p.mass,
        p.factor,
        p.solve,
        p.bias,
        p.together,
        p.with_bias
    );
}

/// Twelve contacts of four rows on the ends of the fingers.
fn rows(tree: &Tree) -> f64 {
    let (mut frame, mut mass, mut factor) = (Frame::new(tree), Mass::new(tree), Factor::new(tree));
    frame.place(tree, &tree.rest(), &Base::default());
    mass.compute(tree, &frame);
    factor.compute(tree, &mass).unwrap();
    let mut arms = Arms::new(tree);
    let mut out = Vec::with_capacity(64);
    let nodes = tree.nodes().len();
    let ends: Vec<usize> =
        (0..nodes).filter(|i| !tree.nodes().iter().any(|node| node.parent == Some(*i as u16))).collect();
    let wrenches = [0, 1, 2, 3].map(|k| {
        let mut F = SpatialForce::new(Vector3::new(0.1, 0.2, -0.1), Vector3::zeros());
        if k < 3 {
            F.f[k] = 1.0;
        }
        F
    });
    least(|| {
        out.clear();
        for contact in 0..12 {
            let first = out.len();
            arms.add(tree, &frame, &factor, ends[contact % ends.len()], black_box(&wrenches), 1.0, first, &mut out);
        }
    })
}

/// One fixed step, averaged over a swing.
fn step(tree: &Tree, fixed: &Fixed) -> f64 {
    let mut state = TreeState::rest(tree);
    state.v.iter_mut().enumerate().for_each(|(k, v)| *v = (k as f64).cos());
    let mut work = FixedWork::new(tree);
    least(|| {
        black_box(fixed.advance(tree, &mut state, &mut work, &[], 1e-3).unwrap());
    })
}

fn main() {
    let file = articulated_trees::oracle("trajectory-hand.json");
    let hand = articulated_trees::tree(&file, Joint::Free);
    println!("times in µs: place (kinematics and inertias), M, LTL, solve, bias; together without and with bias");
    println!(
        "{:<22} {:>4} {:>6} {:>7} {:>6} {:>6} {:>6} {:>6} {:>9} {:>9}",
        "tree", "nv", "of M", "place", "M", "LTL", "solve", "bias", "together", "with bias"
    );
    told("hand", &hand);
    for n in [10, 18, 30, 50, 74, 98] {
        told("trunk and fingers", &grown(n, 4));
    }
    for n in [10, 20, 40, 100] {
        told("chain", &grown(n, 1000));
    }
    println!("hand: rows of 12 contacts with L⁻¹ {:.2}", rows(&hand));
    for (name, fixed) in [
        ("1 round", Fixed { rounds: 1, ..Fixed::default() }),
        ("2 rounds", Fixed { rounds: 2, enough: 0.0, ..Fixed::default() }),
        ("default", Fixed::default()),
    ] {
        println!("hand: fixed step of 1 ms, {name} {:.2}", step(&hand, &fixed));
    }
}

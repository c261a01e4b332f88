//! Twenty random trees in three states each, against Pinocchio and the definitions of the oracle's README.
//!
//! Bound: 1e-10 of the largest number of each quantity, set before anything was measured.

mod articulated_trees;

use articulated_trees::{numbers, oracle, tree};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_sim::coordinates::{Base, Derivatives, Factor, Frame, Joint, Mass, Tree, TreeState};
use nalgebra::DMatrix;
use serde_json::Value;

const BOUND: f64 = 1e-10;

/// Largest difference over the largest number; absolute where the oracle has nothing but zeros.
fn apart(ours: &[f64], theirs: &[f64]) -> f64 {
    assert_eq!(ours.len(), theirs.len());
    let scale = theirs.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let worst = ours.iter().zip(theirs).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    if worst.is_nan() { f64::INFINITY } else { worst / if scale > 0.0 { scale } else { 1.0 } }
}

fn six(V: &SpatialVelocity) -> [f64; 6] {
    [V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z]
}

/// All quantities of one state in the user's order, by name.
fn answers(tree: &Tree, state: &Value) -> Vec<(&'static str, Vec<f64>)> {
    let n = tree.nv();
    let at = TreeState::from_user(tree, &numbers(&state["q"]), &numbers(&state["v"]));
    let mut frame = Frame::new(tree);
    frame.place(tree, &at.q, &Base::default());
    frame.set_velocities(tree, &at.v);
    let (mut mass, mut factor) = (Mass::new(tree), Factor::new(tree));
    mass.compute(tree, &frame);
    factor.compute(tree, &mass).unwrap();
    let of = tree.v_of_user();
    let dense = |entry: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
        of.iter().flat_map(|i| of.iter().map(|j| entry(*i as usize, *j as usize)).collect::<Vec<_>>()).collect()
    };
    let inner = |user: &Value| {
        let mut x = vec![0.0; n];
        tree.v_from_user(&numbers(user), &mut x);
        x
    };
    let mut found = vec![("M", dense(&|i, j| mass.entry(tree, i, j)))];
    let mut tau = vec![0.0; n];
    frame.bias(tree, &at.v, &mut tau);
    found.push(("bias", tree.v_to_user(&tau)));
    frame.gravity_force(tree, &mut tau);
    found.push(("gravity_force", tree.v_to_user(&tau)));
    let (mut forward, mut scratch) = (inner(&state["tau"]), vec![0.0; n]);
    frame.forward_dynamics(tree, &factor, &at.v, &mut forward, &mut scratch);
    found.push(("qdd", tree.v_to_user(&forward)));
    let vdot = inner(&state["inverse"]["qdd"]);
    frame.inverse_dynamics(tree, &at.v, &vdot, &mut tau);
    found.push(("inverse.tau", tree.v_to_user(&tau)));
    let mut slopes = Derivatives::new(tree);
    slopes.compute(tree, &mut frame, &at.v, &vdot);
    found.push(("inverse.dtau_dq", dense(&|i, j| slopes.dtau_dq[(i, j)])));
    found.push(("inverse.dtau_dv", dense(&|i, j| slopes.dtau_dv[(i, j)])));
    found.push(("kinetic", vec![frame.kinetic(tree, &at.v)]));
    found.push(("kinetic_of_armature", vec![frame.kinetic_of_armature(tree, &at.v)]));
    found.push(("potential", vec![frame.potential(tree)]));
    found.push(("centre_of_mass_W", frame.centre_of_mass(tree).coords.as_slice().to_vec()));
    let h = frame.momentum();
    found.push(("momentum_W", vec![h.t.x, h.t.y, h.t.z, h.f.x, h.f.y, h.f.z]));
    found
}

fn frames_apart(tree: &Tree, state: &Value, worst: &mut [f64; 5]) {
    let at = TreeState::from_user(tree, &numbers(&state["q"]), &numbers(&state["v"]));
    let mut frame = Frame::new(tree);
    frame.place(tree, &at.q, &Base::default());
    frame.set_velocities(tree, &at.v);
    frame.set_velocity_accelerations(tree, &at.v);
    let frames = state["frames"].as_array().unwrap();
    let (mut V, mut Jdot_v) = ((Vec::new(), Vec::new()), (Vec::new(), Vec::new()));
    for (i, theirs) in frames.iter().enumerate() {
        assert_eq!(theirs["body"].as_u64().unwrap() as usize, i);
        let pose = frame.pose(tree, i);
        worst[0] = worst[0].max(apart(pose.translation.vector.as_slice(), &numbers(&theirs["p_WBo"])));
        let (w, c) = (numbers(&theirs["quat_wxyz"]), pose.rotation.coords);
        let ours = [c.w, c.x, c.y, c.z];
        worst[1] = worst[1].max(apart(&ours, &w));
        let mut J = DMatrix::zeros(6, tree.nv());
        frame.jacobian(tree, i, |k, S| J.column_mut(k).copy_from_slice(&six(&S)));
        let ours: Vec<f64> =
            (0..6).flat_map(|r| tree.v_of_user().iter().map(move |k| (r, *k as usize))).map(|at| J[at]).collect();
        worst[2] = worst[2].max(apart(&ours, &numbers(&theirs["J"])));
        V.0.extend(six(&frame.velocity(tree, i)));
        V.1.extend(numbers(&theirs["V"]));
        Jdot_v.0.extend(six(&frame.acceleration(tree, i)));
        Jdot_v.1.extend(numbers(&theirs["Jdot_v"]));
    }
    worst[3] = worst[3].max(apart(&V.0, &V.1));
    worst[4] = worst[4].max(apart(&Jdot_v.0, &Jdot_v.1));
}

/// Would catch a wrong order of columns (the oracle's bodies are not depth first), axes of ball, planar and free joints,
/// gravity's sign, armature off the diagonal, merged links that lose mass.
#[test]
fn dynamics_of_random_trees_match_pinocchio() {
    let mut worst: Vec<(&str, f64)> = Vec::new();
    for number in 0..20 {
        let file = oracle(&format!("public-{number:02}.json"));
        let tree = tree(&file, Joint::FreeTwist);
        for (s, state) in file["states"].as_array().unwrap().iter().enumerate() {
            for (k, (name, ours)) in answers(&tree, state).into_iter().enumerate() {
                let theirs = name.split('.').fold(state, |value, key| &value[key]);
                let error = apart(&ours, &numbers(theirs));
                assert!(error <= BOUND, "public-{number:02}, state {s}, {name}: {error:.1e}");
                match worst.get_mut(k) {
                    Some((_, worst)) => *worst = worst.max(error),
                    None => worst.push((name, error)),
                }
            }
        }
    }
    println!("{worst:?}");
}

/// Would catch Jacobians at another point than Bo, J′v without its centripetal part, merged links without their pose.
#[test]
fn frames_of_random_trees_match_pinocchio() {
    let mut worst = [0.0; 5];
    for number in 0..20 {
        let file = oracle(&format!("public-{number:02}.json"));
        let tree = tree(&file, Joint::FreeTwist);
        for state in file["states"].as_array().unwrap() {
            frames_apart(&tree, state, &mut worst);
        }
        assert!(worst.iter().all(|x| *x <= BOUND), "public-{number:02}: {worst:?}");
    }
    println!("p, quat, J, V, J'v: {worst:?}");
}

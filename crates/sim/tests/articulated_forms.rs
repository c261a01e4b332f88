//! Trees against closed forms and second algorithms: what the oracle does not hold.

mod articulated_trees;

use articulated_trees::{oracle, tree};
use fingerpad_contact::spatial::{SpatialForce, SpatialVelocity};
use fingerpad_sim::coordinates::motion::{Accurate, AccurateWork};
use fingerpad_sim::coordinates::{Arm, Arms, Base, Factor, Frame, Joint, JointLaw, Link, Mass, Tree, TreeState};
use nalgebra::{DMatrix, DVector, Isometry3, Matrix3, Point3, Unit, UnitQuaternion, Vector3};
use std::f64::consts::PI;

const G: f64 = 9.81;

fn down() -> Vector3<f64> {
    Vector3::new(0.0, 0.0, -G)
}

/// A rod of length 1 that hangs down from its joint.
fn rod(name: &str, parent: Option<usize>, joint: Joint, z: f64) -> Link {
    Link {
        name: name.to_string(),
        parent,
        joint,
        X_PF: Isometry3::translation(0.0, 0.0, z),
        mass: 1.0,
        p_BoBcm: Point3::new(0.0, 0.0, -0.5),
        I_BBcm_B: Matrix3::from_diagonal(&Vector3::new(1.0 / 12.0, 1.0 / 12.0, 1e-3)),
        armature: 0.0,
        laws: Vec::new(),
    }
}

fn hinge() -> Joint {
    Joint::Revolute(Vector3::y_axis())
}

struct At {
    state: TreeState,
    frame: Frame,
    mass: Mass,
    factor: Factor,
}

fn at(tree: &Tree, q: &[f64], v: &[f64]) -> At {
    let state = TreeState::from_user(tree, q, v);
    let (mut frame, mut mass, mut factor) = (Frame::new(tree), Mass::new(tree), Factor::new(tree));
    frame.place(tree, &state.q, &Base::default());
    frame.set_velocities(tree, &state.v);
    mass.compute(tree, &frame);
    factor.compute(tree, &mass).unwrap();
    At { state, frame, mass, factor }
}

/// Two rods of mass m and length l: M₁₁ = m l² (5/3 + cos q₂), M₁₂ = m l² (1/3 + ½ cos q₂), M₂₂ = m l²/3,
/// b₁ = −m l² sin q₂ (v₁v₂ + ½ v₂²) + g m l (3/2 sin q₁ + ½ sin q₁₂), b₂ = ½ m l² sin q₂ v₁² + ½ g m l sin q₁₂.
#[test]
fn double_pendulum_has_its_closed_form() {
    let tree = Tree::new(vec![rod("a", None, hinge(), 0.0), rod("b", Some(0), hinge(), -1.0)], down()).unwrap();
    for (q, v) in [([0.3, -0.8], [1.0, 2.0]), ([-2.5, 1.9], [-3.0, 0.4]), ([0.0, 0.0], [5.0, -5.0])] {
        let mut at = at(&tree, &q, &v);
        let (s, c) = q[1].sin_cos();
        let m = [[5.0 / 3.0 + c, 1.0 / 3.0 + 0.5 * c], [1.0 / 3.0 + 0.5 * c, 1.0 / 3.0]];
        for i in 0..2 {
            for j in 0..2 {
                assert!((at.mass.entry(&tree, i, j) - m[i][j]).abs() < 1e-13);
            }
        }
        let mut b = [0.0; 2];
        at.frame.bias(&tree, &at.state.v, &mut b);
        let b1 = -s * (v[0] * v[1] + 0.5 * v[1] * v[1]) + G * (1.5 * q[0].sin() + 0.5 * (q[0] + q[1]).sin());
        let b2 = 0.5 * s * v[0] * v[0] + 0.5 * G * (q[0] + q[1]).sin();
        assert!((b[0] - b1).abs() < 1e-13 * 30.0 && (b[1] - b2).abs() < 1e-13 * 30.0, "{b:?} {b1} {b2}");
    }
}

/// Arithmetic–geometric mean.
fn agm(mut a: f64, mut b: f64) -> f64 {
    while (a - b).abs() > 1e-15 * a {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    a
}

/// A pendulum with armature a, released at rest from 1 rad, is back after T = 2π/(ω₀ agm(1, cos ½)), ω₀² = m g l/(I + a).
#[test]
fn armature_lengthens_the_period_of_a_pendulum() {
    for armature in [0.0, 0.7] {
        let mut link = rod("pendulum", None, hinge(), 0.0);
        link.armature = armature;
        let tree = Tree::new(vec![link], down()).unwrap();
        let mut state = TreeState::from_user(&tree, &[1.0], &[0.0]);
        let period = 2.0 * PI * ((1.0 / 3.0 + armature) / (0.5 * G)).sqrt() / agm(1.0, 0.5_f64.cos());
        Accurate::default().advance(&tree, &mut state, &mut AccurateWork::new(&tree), &[], period).unwrap();
        assert!((state.q[0] - 1.0).abs() < 1e-10 && state.v[0].abs() < 1e-10, "{} {}", state.q[0], state.v[0]);
    }
}

/// A heavy symmetric top keeps L_z, L_3 and E to 1e-9 over two seconds.
#[test]
fn heavy_top_keeps_its_three_integrals() {
    let file = oracle("trajectory-top.json");
    let tree = tree(&file, Joint::Free);
    let row = &file["rows"][0];
    let mut state =
        TreeState::from_user(&tree, &articulated_trees::numbers(&row["q"]), &articulated_trees::numbers(&row["v"]));
    let integrals = |state: &TreeState| {
        let mut frame = Frame::new(&tree);
        frame.place(&tree, &state.q, &Base::default());
        frame.set_velocities(&tree, &state.v);
        let L = frame.momentum().t;
        let axis = frame.pose(&tree, 0).rotation * Vector3::z();
        [L.z, L.dot(&axis), frame.kinetic(&tree, &state.v) + frame.potential(&tree)]
    };
    let before = integrals(&state);
    let mut work = AccurateWork::new(&tree);
    for _ in 0..20 {
        Accurate::default().advance(&tree, &mut state, &mut work, &[], 0.1).unwrap();
        let now = integrals(&state);
        for k in 0..3 {
            assert!((now[k] - before[k]).abs() <= 1e-9 * before[k].abs(), "{k}: {} {}", now[k], before[k]);
        }
    }
}

/// Steady precession of a heavy top at tilt θ: I₁Ω² cos θ − I₃ω₃Ω + m g l = 0 (I₁ about the pivot; its slow root is near
/// m g l/(I₃ω₃)). Started so, the axis stays on its cone and has gone half round after π/Ω.
#[test]
fn heavy_top_precesses_steadily() {
    let (m, l, I_cm, I3, theta, w3) = (0.5, 0.1, 1e-3, 6e-4, 0.6_f64, 600.0);
    let mut link = rod("top", None, Joint::Ball, 0.0);
    (link.mass, link.p_BoBcm) = (m, Point3::new(0.0, 0.0, l));
    link.I_BBcm_B = Matrix3::from_diagonal(&Vector3::new(I_cm, I_cm, I3));
    let tree = Tree::new(vec![link], down()).unwrap();
    let (a, b, c) = ((I_cm + m * l * l) * theta.cos(), -I3 * w3, m * G * l);
    let precession = 2.0 * c / (-b + (b * b - 4.0 * a * c).sqrt());
    assert!((precession / (m * G * l / (I3 * w3)) - 1.0).abs() < 0.03);
    let R = UnitQuaternion::from_scaled_axis(Vector3::y() * theta);
    let w_B = R.inverse() * (Vector3::z() * precession) + Vector3::z() * (w3 - precession * theta.cos());
    let k = R.coords;
    let mut state = TreeState::from_user(&tree, &[k.w, k.x, k.y, k.z], w_B.as_slice());
    let mut work = AccurateWork::new(&tree);
    Accurate::default().advance(&tree, &mut state, &mut work, &[], PI / precession).unwrap();
    let mut frame = Frame::new(&tree);
    frame.place(&tree, &state.q, &Base::default());
    let axis = frame.pose(&tree, 0).rotation * Vector3::z();
    let due = Vector3::new(-theta.sin(), 0.0, theta.cos());
    assert!((axis - due).norm() < 1e-9, "{axis} {due}");
}

/// Rows on unit-mass blocks: y·y′ of two contacts is J M⁻¹ J′ᵀ with a dense inverse, for contacts of one node, of nodes
/// that share a path, and for both sides of a contact within the tree.
#[test]
fn arms_multiply_to_the_delassus_operator() {
    let file = oracle("trajectory-hand.json");
    let tree = tree(&file, Joint::Free);
    assert!(tree.blocks() == 6, "{} blocks: a wrist and five fingers", tree.blocks());
    let n = tree.nv();
    let q: Vec<f64> = (0..n).map(|k| 0.4 * (k as f64).sin()).collect();
    let at = at(&tree, &q, &vec![0.0; n]);
    let M = DMatrix::from_fn(n, n, |i, j| at.mass.entry(&tree, i, j));
    let inverse = M.try_inverse().unwrap();
    let wrench = |k: usize| {
        let x = k as f64;
        let F = SpatialForce::new(Vector3::new(x.sin(), 0.1, 0.0), Vector3::new(1.0, x.cos(), -0.5));
        at.frame.about_origin(&F, &Point3::new(0.1, 0.05 * x, 0.2))
    };
    let mut scratch = Arms::new(&tree);
    // Sides (node, sign) of four contacts.
    let last = tree.nodes().len() - 1;
    let contacts = [vec![(last, 1.0)], vec![(5, 1.0)], vec![(1, 1.0)], vec![(last, 1.0), (5, -1.0)]];
    let mut rows: Vec<(Vec<Arm>, DVector<f64>)> = Vec::new();
    for (c, sides) in contacts.iter().enumerate() {
        let (mut arms, mut J) = (Vec::new(), DVector::zeros(n));
        for (node, sign) in sides {
            scratch.add(&tree, &at.frame, &at.factor, *node, &[wrench(c)], *sign, 0, &mut arms);
            let mut tau = vec![0.0; n];
            at.frame.add_wrench(&tree, *node, &wrench(c), &mut tau);
            J += DVector::from_vec(tau) * *sign;
        }
        rows.push((arms, J));
    }
    assert_eq!(rows.iter().map(|(arms, _)| arms.len()).collect::<Vec<_>>(), [2, 2, 1, 3]);
    for (arms, J) in &rows {
        for (other, other_J) in &rows {
            let same = |a: &Arm| other.iter().find(|b| b.block == a.block).copied();
            let dot = |a: &Arm, b: &Arm| (0..6).map(|k| a.rows[0][k] * b.rows[0][k]).sum::<f64>();
            let ours: f64 = arms.iter().filter_map(|a| same(a).map(|b| dot(a, &b))).sum();
            let dense = J.dot(&(&inverse * other_J));
            // Rounding of the dense inverse.
            assert!((ours - dense).abs() <= 1e-11 * dense.abs().max(1.0), "{ours} {dense}");
        }
    }
}

/// q ⊕ δ: V of a small motion is J δ, for every kind of joint (differences, h²).
#[test]
fn motions_of_coordinates_are_those_of_the_jacobian() {
    for (number, free) in [(1, Joint::Free), (1, Joint::FreeTwist), (5, Joint::Free), (9, Joint::FreeTwist)] {
        let file = oracle(&format!("public-{number:02}.json"));
        let tree = tree(&file, free);
        let q = articulated_trees::numbers(&file["states"][0]["q"]);
        let n = tree.nv();
        let v: Vec<f64> = (0..n).map(|k| (1.3 * k as f64).sin()).collect();
        let At { state, frame, .. } = at(&tree, &q, &v);
        let h = 1e-5;
        let placed = |scale: f64| {
            let (mut moved, mut frame) = (state.q.clone(), Frame::new(&tree));
            tree.add_motion(&state.q, &state.v, scale, &mut moved);
            frame.place(&tree, &moved, &Base::default());
            frame
        };
        let (ahead, behind) = (placed(h), placed(-h));
        for link in 0..tree.links().len() {
            let (a, b) = (ahead.pose(&tree, link), behind.pose(&tree, link));
            let V = frame.velocity(&tree, link);
            let v = (a.translation.vector - b.translation.vector) / (2.0 * h);
            let w = (a.rotation * b.rotation.inverse()).scaled_axis() / (2.0 * h);
            assert!((v - V.v).norm() < 1e-8 && (w - V.w).norm() < 1e-8, "{number} {link}: {v} {w} {V:?}");
        }
    }
}

/// A tree on a base that turns and accelerates feels what the same tree feels behind a joint that is moved so.
#[test]
fn a_moving_base_acts_as_a_driven_joint() {
    let axis = Unit::new_normalize(Vector3::new(0.3, -0.5, 0.8));
    let mut mast = rod("mast", None, Joint::Revolute(axis), 0.2);
    mast.X_PF = Isometry3::new(Vector3::new(0.1, 0.2, 0.3), Vector3::new(0.4, 0.1, -0.2));
    let arm = |parent, z| {
        vec![rod("a", parent, hinge(), z), rod("b", parent.map_or(Some(0), |p| Some(p + 1)), Joint::Ball, -1.0)]
    };
    let driven = Tree::new([vec![mast.clone()], arm(Some(0), -0.7)].concat(), down()).unwrap();
    let alone = Tree::new(arm(None, -0.7), down()).unwrap();
    let turned = UnitQuaternion::from_euler_angles(0.2, 0.5, -0.1).coords;
    let q = [0.6, 0.9, turned.w, turned.x, turned.y, turned.z];
    let (v, vdot) = ([2.0, -1.0, 0.3, 0.5, 0.7], [1.5, 0.4, -0.2, 0.8, 0.1]);
    let mut whole = at(&driven, &q, &v);
    let mut tau = [0.0; 5];
    whole.frame.inverse_dynamics(&driven, &v, &vdot, &mut tau);
    whole.frame.set_accelerations(&driven, &v, &vdot);
    let base = Base {
        X_WP: whole.frame.pose(&driven, 0),
        V_WP: whole.frame.velocity(&driven, 0),
        A_WP: whole.frame.acceleration(&driven, 0),
    };
    let state = TreeState::from_user(&alone, &q[1..], &v[1..]);
    let mut frame = Frame::new(&alone);
    frame.place(&alone, &state.q, &base);
    frame.set_velocities(&alone, &state.v);
    let mut found = [0.0; 4];
    frame.inverse_dynamics(&alone, &state.v, &vdot[1..], &mut found);
    for k in 0..4 {
        assert!((found[k] - tau[k + 1]).abs() < 1e-12 * 20.0, "{k}: {} {}", found[k], tau[k + 1]);
    }
    frame.set_accelerations(&alone, &state.v, &vdot[1..]);
    let (one, two): (SpatialVelocity, SpatialVelocity) =
        (frame.acceleration(&alone, 1), whole.frame.acceleration(&driven, 2));
    assert!((one.v - two.v).norm() < 1e-12 * 20.0 && (one.w - two.w).norm() < 1e-12 * 20.0);
}

/// What cannot be a tree says which link, which field and why.
#[test]
fn impossible_trees_are_refused() {
    let good =
        || vec![rod("a", None, hinge(), 0.0), rod("b", Some(0), hinge(), -1.0), rod("c", Some(1), hinge(), -1.0)];
    let refused = |change: &dyn Fn(&mut Vec<Link>), link: usize, field: &str, words: &str| {
        let mut links = good();
        change(&mut links);
        let error = Tree::new(links, down()).unwrap_err();
        assert_eq!((error.link, error.field), (link, field), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    };
    refused(&|l| l[0].parent = Some(2), 0, "parent", "a → c → b → a");
    refused(&|l| l[2].parent = Some(9), 2, "parent", "only 3 links");
    refused(
        &|l| l[1].I_BBcm_B = Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, 3.1)),
        1,
        "inertia_com",
        "exceed the sum",
    );
    refused(&|l| l[1].I_BBcm_B[(0, 1)] = 1e-3, 1, "inertia_com", "symmetric");
    refused(&|l| l[1].mass = f64::NAN, 1, "mass", "NaN");
    refused(&|l| l[1].armature = -1.0, 1, "joint.armature", "negative");
    refused(
        &|l| l[2].joint = Joint::Revolute(Unit::new_unchecked(Vector3::new(0.0, 2.0, 0.0))),
        2,
        "joint.axis",
        "length 1",
    );
    let law = |low, high| vec![JointLaw { limit: Some([low, high]), ..JointLaw::default() }];
    refused(&|l| l[1].laws = law(1.0, -1.0), 1, "joint.limit", "got 1 and -1");
    refused(&|l| l[1].laws = [law(-1.0, 1.0), law(-1.0, 1.0)].concat(), 1, "joint.laws", "each of 1");
    // A hinge at the end that moves no mass.
    refused(&|l| (l[2].mass, l[2].I_BBcm_B) = (0.0, Matrix3::zeros()), 2, "mass", "without moving any mass");
}

/// Numbers that would not fit are refused, not wrapped around: a chain whose M would not fit into memory.
#[test]
fn endless_chains_are_refused() {
    let link = |i: usize| rod("link", i.checked_sub(1), Joint::Free, -1.0);
    let error = Tree::new((0..3000).map(link).collect(), down()).unwrap_err();
    assert!(error.to_string().contains("too large"), "{error}");
}

/// Children told before their parents, and mixed, give the same motion: names and numbers stay in the user's order.
#[test]
fn the_order_of_links_is_the_users() {
    let mut links =
        vec![rod("a", None, hinge(), 0.0), rod("b", Some(0), hinge(), -1.0), rod("c", Some(0), hinge(), -0.5)];
    links[2].mass = 2.0;
    let one = Tree::new(links.clone(), down()).unwrap();
    // c, b, a: parents last.
    let mut turned: Vec<Link> = links.into_iter().rev().collect();
    (turned[0].parent, turned[1].parent) = (Some(2), Some(2));
    let two = Tree::new(turned, down()).unwrap();
    let force = |tree: &Tree, q: &[f64], v: &[f64]| {
        let mut at = at(tree, q, v);
        let mut bias = vec![0.0; 3];
        at.frame.bias(tree, &at.state.v, &mut bias);
        tree.v_to_user(&bias)
    };
    let (x, mut y) = (force(&one, &[0.1, 0.2, 0.3], &[1.0, 2.0, 3.0]), force(&two, &[0.3, 0.2, 0.1], &[3.0, 2.0, 1.0]));
    y.reverse();
    assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 1e-14 * 50.0), "{x:?} {y:?}");
    assert_eq!(two.links()[0].name, "c");
}

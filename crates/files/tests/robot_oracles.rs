//! Robots as we read them against MuJoCo (MJCF) and Pinocchio (URDF), which compile the same files: poses, masses, inertias,
//! ranges, laws of joints, gains of actuators, keyframes, M with armature, gravity.
//!
//! `./check` installs `mujoco` and `pin` from PyPI beside the readers of recordings; without them these tests are skipped
//! and counted, as are those of hands that are not part of the project.

#[path = "../../contact/tests/common/skipped.rs"]
mod skipped;

use fingerpad_files::robot::description::{JointKind, Transmission};
use fingerpad_files::robot::{self, Robot, RobotOptions, tree};
use fingerpad_sim::coordinates::{Base, Frame, Mass, Tree};
use nalgebra::{DMatrix, Isometry3, Matrix3, Quaternion, Translation3, UnitQuaternion, Vector3};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Bounds set by the issue of robots: relative to the largest number of a quantity.
const MJCF: f64 = 1e-9;
const URDF: f64 = 1e-10;

fn ours(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/robots").join(name)
}

/// What another program says; none, noted as skipped, where it is absent.
fn oracle(program: &str, path: &Path) -> Option<Value> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let named = std::env::var_os("FINGERPAD_PYTHON").map(PathBuf::from);
    let module = if program == "pin" { "pinocchio" } else { "mujoco" };
    let usable = |python: &PathBuf| {
        let asked = Command::new(python).args(["-c", &format!("import numpy, {module}")]).output();
        asked.is_ok_and(|output| output.status.success())
    };
    let venv = root.join("target/python/bin/python");
    let Some(python) = named.into_iter().chain([venv, PathBuf::from("python3")]).find(usable) else {
        skipped::because(&format!("no Python with {module}"));
        return None;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/robots.py");
    let output = Command::new(python).arg(script).arg(program).arg(path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// Largest difference, over the largest number.
fn apart(ours: &[f64], theirs: &[f64]) -> f64 {
    assert_eq!(ours.len(), theirs.len());
    let size = theirs.iter().fold(1e-300_f64, |m, x| m.max(x.abs()));
    ours.iter().zip(theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / size
}

fn near(what: &str, ours: &[f64], theirs: &[f64], bound: f64) {
    let d = apart(ours, theirs);
    assert!(d <= bound, "{what}: {d:e} apart\nours   {ours:?}\ntheirs {theirs:?}");
}

fn read(path: &Path) -> Robot {
    robot::read(path, &RobotOptions::default()).unwrap_or_else(|e| panic!("{e}"))
}

fn row_major(m: &Matrix3<f64>) -> Vec<f64> {
    m.transpose().as_slice().to_vec()
}

/// q of our joints from MuJoCo's `qpos`: free joints are told from where the file draws them.
fn coordinates(robot: &Robot, qpos: &[f64]) -> Vec<f64> {
    let mut q = qpos.to_vec();
    let mut at = 0;
    for joint in &robot.joints {
        if joint.kind == JointKind::Free {
            let turn = UnitQuaternion::new_normalize(Quaternion::new(q[at + 3], q[at + 4], q[at + 5], q[at + 6]));
            let X = joint.X_PF.inverse() * Isometry3::from_parts(Translation3::new(q[at], q[at + 1], q[at + 2]), turn);
            let (p, r) = (X.translation.vector, X.rotation);
            q[at..at + 7].copy_from_slice(&[p.x, p.y, p.z, r.w, r.i, r.j, r.k]);
        }
        at += joint.kind.nq();
    }
    q
}

/// M in the user's order of velocities.
fn mass_matrix(tree: &Tree, frame: &Frame) -> DMatrix<f64> {
    let mut mass = Mass::new(tree);
    mass.compute(tree, frame);
    let v_of = tree.v_of_user();
    DMatrix::from_fn(tree.nv(), tree.nv(), |i, j| mass.entry(tree, v_of[i] as usize, v_of[j] as usize))
}

/// v of our trees from MuJoCo's: a free joint's velocity comes first there, in axes of the world.
fn velocities(robot: &Robot) -> DMatrix<f64> {
    let nv = robot.joints.iter().map(|j| j.kind.nv()).sum();
    let mut T = DMatrix::identity(nv, nv);
    let mut at = 0;
    for joint in &robot.joints {
        if joint.kind == JointKind::Free {
            let R_FW = joint.X_PF.rotation.inverse().to_rotation_matrix();
            T.view_mut((at, at), (6, 6)).fill(0.0);
            T.view_mut((at, at + 3), (3, 3)).copy_from(&Matrix3::identity());
            T.view_mut((at + 3, at), (3, 3)).copy_from(R_FW.matrix());
        }
        at += joint.kind.nv();
    }
    T
}

fn against_mujoco(path: &Path) {
    let Some(theirs) = oracle("mujoco", path) else { return };
    let robot = read(path);
    let list = |key: &str| theirs[key].as_array().unwrap().clone();
    // Bodies in MuJoCo's order are ours, the world first where we list it.
    let skipped_world = usize::from(!robot.is_world(0));
    let bodies = &list("bodies")[skipped_world..];
    assert_eq!(bodies.len(), robot.links.len());
    for (body, link) in bodies.iter().zip(&robot.links) {
        if let Some(name) = body["name"].as_str() {
            assert_eq!(name, link.name);
        }
        if robot.is_world(0) && link.name == "world" {
            continue;
        }
        near(&link.name, &[link.inertial.mass], &[body["mass"].as_f64().unwrap()], MJCF);
        // Centres and moments count beside the size of the link: 1 mm.
        let com = numbers(&body["com"]);
        let d = (link.inertial.p_BoBcm.coords - Vector3::from_row_slice(&com)).amax();
        assert!(d <= MJCF * com.iter().fold(1e-3, |m: f64, x| m.max(x.abs())), "{}: centre {d:e} apart", link.name);
        if link.inertial.mass > 0.0 {
            near(&link.name, &row_major(&link.inertial.I_BBcm_B), &numbers(&body["inertia"]), MJCF);
        }
    }
    joints(&robot, &list("joints"));
    actuators(&robot, &list("actuators"));
    for (field, ours) in list("fields").iter().zip(&robot.height_fields) {
        // MuJoCo keeps heights in single precision.
        near(&ours.name, &ours.z, &numbers(&field["z"]), 1e-7);
        near(&ours.name, &[ours.half[0], ours.half[1]], &numbers(&field["size"])[..2], MJCF);
    }
    for (key, ours) in list("keys").iter().zip(&robot.keyframes) {
        assert_eq!(key["name"].as_str().unwrap(), ours.name);
        near(&ours.name, &ours.q, &coordinates(&robot, &numbers(&key["q"])), MJCF);
    }
    motion(&robot, &list("states"), skipped_world);
}

fn joints(robot: &Robot, theirs: &[Value]) {
    let moving: Vec<_> = robot.joints.iter().filter(|j| j.kind != JointKind::Fixed).collect();
    assert_eq!(moving.len(), theirs.len());
    for (joint, other) in moving.iter().zip(theirs) {
        if let Some(name) = other["name"].as_str() {
            assert_eq!(name, joint.name);
        }
        let number = |key: &str| other[key].as_f64().unwrap();
        let kind = [JointKind::Free, JointKind::Ball, JointKind::Prismatic, JointKind::Revolute];
        assert_eq!(joint.kind, kind[other["type"].as_u64().unwrap() as usize]);
        assert_eq!(joint.limits.is_some(), other["limited"].as_bool().unwrap(), "{}", joint.name);
        if let Some(limits) = joint.limits {
            near(&joint.name, &limits, &numbers(&other["range"]), MJCF);
        }
        if joint.kind.nq() == 1 {
            near(&joint.name, joint.axis.as_slice(), &numbers(&other["axis"]), MJCF);
            let laws = [joint.damping, joint.friction_loss, joint.spring.map_or(0.0, |s| s[0]), joint.reference];
            let others = [number("damping"), number("frictionloss"), number("stiffness"), number("ref")];
            near(&joint.name, &laws, &others, MJCF);
            if let Some([_, rest]) = joint.spring {
                near(&joint.name, &[rest], &[number("springref")], MJCF);
            }
        }
    }
}

fn actuators(robot: &Robot, theirs: &[Value]) {
    for actuator in &robot.actuators {
        let other = theirs.iter().find(|a| a["name"].as_str() == Some(&actuator.name)).unwrap();
        let numbers_of = [actuator.gain, actuator.gear, actuator.bias[0], actuator.bias[1], actuator.bias[2]];
        let bias = numbers(&other["bias"]);
        let others = [other["gain"].as_f64().unwrap(), other["gear"].as_f64().unwrap(), bias[0], bias[1], bias[2]];
        near(&actuator.name, &numbers_of, &others, MJCF);
        for (ours, key) in [(actuator.control_range, "ctrlrange"), (actuator.force_range, "forcerange")] {
            assert_eq!(ours.is_some(), !other[key].is_null(), "{} {key}", actuator.name);
            if let Some(range) = ours {
                near(&actuator.name, &range, &numbers(&other[key]), MJCF);
            }
        }
        assert!(matches!(actuator.transmission, Transmission::Joint(_) | Transmission::Tendon(_)));
    }
}

/// Poses of links and M, at several states.
fn motion(robot: &Robot, states: &[Value], skipped_world: usize) {
    let made = tree::links(robot);
    let tree = Tree::new(made.links, Vector3::new(0.0, 0.0, -9.81)).unwrap();
    let mut frame = Frame::new(&tree);
    let T = velocities(robot);
    for state in states {
        let user = coordinates(robot, &numbers(&state["q"]));
        let mut q = vec![0.0; tree.nq()];
        tree.q_from_user(&user, &mut q);
        frame.place(&tree, &q, &Base::default());
        let (p, quat) = (numbers(&state["p"]), numbers(&state["quat"]));
        for (k, link) in robot.links.iter().enumerate() {
            let X = frame.pose(&tree, made.link_at[k]);
            let at = 3 * (k + skipped_world);
            let d = (X.translation.vector - Vector3::from_row_slice(&p[at..at + 3])).amax();
            assert!(d <= MJCF, "{}: {d:e} m apart", link.name);
            let at = 4 * (k + skipped_world);
            let turn =
                UnitQuaternion::new_normalize(Quaternion::new(quat[at], quat[at + 1], quat[at + 2], quat[at + 3]));
            assert!(X.rotation.angle_to(&turn) <= 1e-7, "{}: {:e} rad", link.name, X.rotation.angle_to(&turn));
            let (R, S) = (X.rotation.to_rotation_matrix(), turn.to_rotation_matrix());
            assert!((R.matrix() - S.matrix()).amax() <= MJCF, "{}", link.name);
        }
        let M = T.transpose() * mass_matrix(&tree, &frame) * &T;
        near("M", M.as_slice(), &numbers(&state["M"]), MJCF);
    }
}

/// Would catch any slip in defaults, angles, references, frames, inertias from geoms, armature or the order of joints.
#[test]
fn every_element_of_mjcf_is_read_as_mujoco_reads_it() {
    against_mujoco(&ours("everything.xml"));
}

/// Would catch bounds, balance, groups or the total mass applied in another order, and capital Euler letters.
#[test]
fn masses_from_geoms_are_those_of_mujoco() {
    against_mujoco(&ours("masses.xml"));
}

#[test]
fn the_shadow_hand_is_read_as_mujoco_reads_it() {
    for name in ["right_hand.xml", "left_hand.xml", "scene_right.xml"] {
        let Some(path) = skipped::asset(&format!("hands/shadow_hand_mjcf/{name}")) else { return };
        against_mujoco(&path);
    }
}

fn against_pinocchio(path: &Path) {
    let Some(theirs) = oracle("pin", path) else { return };
    let robot = read(path);
    let made = tree::links(&robot);
    let tree = Tree::new(made.links, Vector3::new(0.0, 0.0, -9.81)).unwrap();
    let mut frame = Frame::new(&tree);
    let joints = theirs["joints"].as_array().unwrap();
    let nv = theirs["nv"].as_u64().unwrap() as usize;
    // Column of theirs for each of ours, by name.
    let scalar: Vec<usize> = (0..robot.joints.len()).filter(|j| robot.joints[*j].kind.nq() == 1).collect();
    let column = |j: &usize| {
        let found = joints.iter().find(|o| o["name"].as_str() == Some(&robot.joints[*j].name)).unwrap();
        if let (Some([low, high]), Some(1)) = (robot.joints[*j].limits, found["nq"].as_u64()) {
            near("limits", &[low, high], &[found["lower"].as_f64().unwrap(), found["upper"].as_f64().unwrap()], URDF);
        }
        found["idx_v"].as_u64().unwrap() as usize
    };
    let columns: Vec<usize> = scalar.iter().map(column).collect();
    assert_eq!((columns.len(), tree.nv()), (nv, nv));
    // What hangs on nothing has no inertia in Pinocchio's universe but its own.
    near("total mass", &[robot.total_mass()], &[theirs["total"].as_f64().unwrap()], URDF);
    for state in theirs["states"].as_array().unwrap() {
        let angles = numbers(&state["angles"]);
        let user: Vec<f64> = columns.iter().map(|c| angles[*c]).collect();
        let mut q = vec![0.0; tree.nq()];
        tree.q_from_user(&user, &mut q);
        frame.place(&tree, &q, &Base::default());
        for (k, link) in robot.links.iter().enumerate() {
            let X = frame.pose(&tree, made.link_at[k]).to_homogeneous();
            near(&link.name, X.transpose().as_slice(), &numbers(&state["frames"][&link.name]), URDF);
        }
        let M = mass_matrix(&tree, &frame);
        let other = numbers(&state["M"]);
        let turned: Vec<f64> = (0..nv * nv).map(|k| other[columns[k % nv] * nv + columns[k / nv]]).collect();
        near("M", M.as_slice(), &turned, URDF);
        let mut gravity = vec![0.0; nv];
        frame.gravity_force(&tree, &mut gravity);
        let other = numbers(&state["gravity"]);
        let ours = tree.v_to_user(&gravity);
        let sign = if ours.iter().zip(&columns).map(|(g, c)| g * other[*c]).sum::<f64>() < 0.0 { -1.0 } else { 1.0 };
        let ours: Vec<f64> = ours.iter().map(|g| g * sign).collect();
        near("gravity", &ours, &columns.iter().map(|c| other[*c]).collect::<Vec<_>>(), URDF);
    }
}

/// Would catch fixed-axis angles taken for moving ones, inertias left in their own axes, joints in the file's order.
#[test]
fn our_arm_is_read_as_pinocchio_reads_it() {
    against_pinocchio(&ours("arm.urdf"));
}

#[test]
fn the_allegro_hand_is_read_as_pinocchio_reads_it() {
    for name in ["allegro_hand_right.urdf", "allegro_hand_left.urdf"] {
        let Some(path) = skipped::asset(&format!("hands/allegro_hand_urdf/{name}")) else { return };
        against_pinocchio(&path);
    }
}

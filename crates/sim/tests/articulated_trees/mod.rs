//! Trees of the articulated oracle (`oracle/articulated`, format `articulated-oracle-1`), read for tests.
#![allow(dead_code)] // each test file uses its part

use fingerpad_sim::coordinates::{Joint, Link, Tree};
use nalgebra::{Isometry3, Matrix3, Point3, Quaternion, Unit, UnitQuaternion, Vector3};
use serde_json::Value;
use std::path::PathBuf;

/// A file of the oracle.
pub fn oracle(name: &str) -> Value {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/oracle/articulated").join(name);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The numbers of a list, of lists too: row by row.
pub fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(list) => list.iter().flat_map(numbers).collect(),
        other => vec![other.as_f64().unwrap()],
    }
}

pub fn vector(value: &Value) -> Vector3<f64> {
    Vector3::from_column_slice(&numbers(value))
}

fn link(body: &Value, free: Joint) -> Link {
    let joint = &body["joint"];
    let axis = || Unit::new_unchecked(vector(&joint["axis"]));
    let kind = match joint["kind"].as_str().unwrap() {
        "fixed" => Joint::Fixed,
        "revolute" => Joint::Revolute(axis()),
        "prismatic" => Joint::Prismatic(axis()),
        "planar" => Joint::Planar,
        "ball" => Joint::Ball,
        "free" => free,
        other => panic!("{other}"),
    };
    let w = numbers(&joint["X_PF"]["quat_wxyz"]);
    let turned = UnitQuaternion::from_quaternion(Quaternion::new(w[0], w[1], w[2], w[3]));
    let I = numbers(&body["inertia_com"]);
    Link {
        name: body["name"].as_str().unwrap().to_string(),
        parent: usize::try_from(body["parent"].as_i64().unwrap()).ok(),
        joint: kind,
        X_PF: Isometry3::from_parts(vector(&joint["X_PF"]["p"]).into(), turned),
        mass: body["mass"].as_f64().unwrap(),
        p_BoBcm: Point3::from(vector(&body["com"])),
        I_BBcm_B: Matrix3::new(I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]),
        armature: joint.get("armature").map_or(0.0, |a| numbers(a)[0]),
        laws: Vec::new(),
    }
}

/// Links of a file, free joints as told.
pub fn links(file: &Value, free: Joint) -> Vec<Link> {
    file["tree"]["bodies"].as_array().unwrap().iter().map(|body| link(body, free)).collect()
}

/// The tree of a file, free joints as told.
pub fn tree(file: &Value, free: Joint) -> Tree {
    Tree::new(links(file, free), vector(&file["tree"]["gravity"])).unwrap()
}

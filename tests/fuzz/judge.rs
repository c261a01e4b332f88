//! Whether the files of a run that ended well show what cannot be: numbers that are none, bodies below the ground, bodies
//! inside each other, joints apart, energy from nowhere. All of it is taken from poses and velocities, none from the ledger.

use super::Case;
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// What is wrong with the numbers of a run: never allowed.
pub fn numbers(out: &Path, summary: &Value) -> Option<String> {
    for (name, body) in summary["bodies"].as_object().into_iter().flatten() {
        let known = ["pos", "quat_wxyz", "vel_world", "omega_world"].map(|key| vector(&body[key]));
        if known.iter().any(Option::is_none) {
            return Some(format!("`{name}` has numbers that are none"));
        }
    }
    for table in ["bodies.csv", "contacts.csv", "energy.csv", "events.csv", "joints.csv", "drives.csv"] {
        let Ok(text) = fs::read_to_string(out.join(table)) else { continue };
        let none = |line: &&str| {
            line.split(',').skip(1).any(|word| ["nan", "inf", "-inf"].contains(&word.to_lowercase().as_str()))
        };
        if let Some(line) = text.lines().skip(1).find(none) {
            return Some(format!("{table} has a number that is none: {line}"));
        }
    }
    None
}

/// What cannot be, in a scene that the judge knows; allowed where the run says that it is not good.
pub fn motion(case: &Case, summary: &Value) -> Option<String> {
    let bodies = &summary["bodies"];
    let place = |name: &str| vector(&bodies[name]["pos"]).map(|p| Vector3::new(p[0], p[1], p[2]));
    for body in &case.round {
        let Some(p) = place(&body.name) else { continue };
        if case.on_plane && p.z < -body.outer {
            return Some(format!("`{}` is {} m below the ground, and {} m in radius", body.name, -p.z, body.outer));
        }
        if case.lowest.is_some_and(|z| p.x.abs().max(p.y.abs()) < 1.9 && p.z < z - body.outer) {
            return Some(format!("`{}` at {} m is below all of the terrain", body.name, p.z));
        }
    }
    for (k, a) in case.round.iter().enumerate() {
        for b in &case.round[..k] {
            let (Some(p), Some(q)) = (place(&a.name), place(&b.name)) else { continue };
            let least = a.inner.min(b.inner);
            if (p - q).norm() < least {
                return Some(format!("`{}` and `{}` are {} m apart, in each other", a.name, b.name, (p - q).norm()));
            }
        }
    }
    for joined in &case.joined {
        let [Some(p), Some(q)] = [0, 1].map(|k| {
            let name = &joined.bodies[k];
            let X = if name == "world" { Some(Isometry3::identity()) } else { pose(&bodies[name.as_str()]) };
            X.map(|X| X * Point3::from(joined.points[k]))
        }) else {
            continue;
        };
        if (p - q).norm() > 1e-4 * joined.size {
            let [a, b] = &joined.bodies;
            return Some(format!("`{a}` and `{b}` are {:e} m apart where they are joined", (p - q).norm()));
        }
    }
    energy(case, &|name| Some((place(name)?, vector(&bodies[name]["vel_world"])?)))
}

/// Place and velocity of a body.
type Motion = (Vector3<f64>, Vec<f64>);

/// What moves at the end came from what moved at the start, or fell.
fn energy(case: &Case, now: &dyn Fn(&str) -> Option<Motion>) -> Option<String> {
    let gravity = case.gravity?;
    let (mut had, mut has) = (0.0, 0.0);
    for body in &case.masses {
        let (p, v) = now(&body.name)?;
        had += body.mass * (body.start + gravity * (body.z - p.z));
        has += 0.5 * body.mass * v.iter().map(|v| v * v).sum::<f64>();
    }
    // What is stored in contacts at the end only lowers what moves.
    (has > 1.02 * had.max(0.0) + 1e-12).then(|| format!("{has} J move where at most {had} J can"))
}

fn vector(value: &Value) -> Option<Vec<f64>> {
    value.as_array()?.iter().map(Value::as_f64).collect()
}

fn pose(body: &Value) -> Option<Isometry3<f64>> {
    let (p, q) = (vector(&body["pos"])?, vector(&body["quat_wxyz"])?);
    let turn = UnitQuaternion::from_quaternion(Quaternion::new(q[0], q[1], q[2], q[3]));
    Some(Isometry3::from_parts(Translation3::new(p[0], p[1], p[2]), turn))
}

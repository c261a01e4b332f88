//! # Keyframes of MJCF: named states
//!
//! - **in**: `<keyframe>`
//! - **out**: coordinates of the joints in their order; free joints relative to where the file draws their body
//! - **start at** [`read`]

use super::super::description::{JointKind, Keyframe};
use super::super::reader::Reader;
use super::super::xml::Element;
use super::compiler::quaternion;
use super::{File, known};
use nalgebra::{Isometry3, Translation3};

pub(super) fn read(reader: &mut Reader<'_>, file: &mut File, root: &Element) {
    for e in root.named("keyframe").flat_map(|s| &s.children) {
        if e.name != "key" {
            reader.wrong(e, format!("<keyframe> holds <key>, got <{}>", e.name));
            continue;
        }
        if let Some(known) = known::of("key") {
            known.check(reader, e);
        }
        let name = e.value("name").map_or_else(|| format!("key_{}", file.robot.keyframes.len()), str::to_string);
        file.unique(reader, e, "keyframe", &name);
        let time = reader.number_or(e, "time", 0.0);
        let Some(q) = coordinates(reader, file, e) else { continue };
        let nv = file.robot.joints.iter().map(|j| j.kind.nv()).sum();
        let v = sized(reader, e, "qvel", nv);
        let controls = sized(reader, e, "ctrl", file.controls.len()).map(|all| {
            let modelled = file.controls.iter().zip(&all).filter(|(index, _)| index.is_some());
            modelled.map(|(_, u)| *u).collect()
        });
        file.robot.keyframes.push(Keyframe { name, time, q, v, controls });
    }
}

/// A list of so many numbers, if it is there.
fn sized(reader: &mut Reader<'_>, e: &Element, key: &str, count: usize) -> Option<Vec<f64>> {
    let attribute = e.get(key)?;
    let list = reader.list(e, attribute)?;
    if list.len() != count {
        reader.wrong_value(e, attribute, format!("expected {count} numbers for `{key}`, got {}", list.len()));
        return None;
    }
    Some(list)
}

fn coordinates(reader: &mut Reader<'_>, file: &File, e: &Element) -> Option<Vec<f64>> {
    let joints = &file.robot.joints;
    let count = joints.iter().map(|j| j.kind.nq()).sum();
    if e.get("qpos").is_none() {
        let rest = joints.iter().flat_map(|j| match j.kind {
            JointKind::Free => vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
            JointKind::Ball => vec![1.0, 0.0, 0.0, 0.0],
            kind => vec![j.reference; kind.nq()],
        });
        return Some(rest.collect());
    }
    let mut q = sized(reader, e, "qpos", count)?;
    let mut at = 0;
    for joint in joints {
        let n = joint.kind.nq();
        let turn = match joint.kind {
            JointKind::Ball => Some(&q[at..at + 4]),
            JointKind::Free => Some(&q[at + 3..at + 7]),
            _ => None,
        };
        if let Some(turn) = turn {
            let Some(turn) = quaternion([turn[0], turn[1], turn[2], turn[3]]) else {
                reader.wrong(e, format!("`qpos`: the quaternion of joint `{}` must not be zero", joint.name));
                return None;
            };
            let mut placed = turn;
            if joint.kind == JointKind::Free {
                let X_WB = Isometry3::from_parts(Translation3::new(q[at], q[at + 1], q[at + 2]), turn);
                let X_FB = joint.X_PF.inverse() * X_WB;
                q[at..at + 3].copy_from_slice(X_FB.translation.vector.as_slice());
                placed = X_FB.rotation;
            }
            q[at + n - 4..at + n].copy_from_slice(&[placed.w, placed.i, placed.j, placed.k]);
        }
        at += n;
    }
    Some(q)
}

//! # Start of a robot: where its joints are at time 0
//!
//! - **in**: the robot's keyframes; `keyframe` and `start` of its table
//! - **out**: coordinates and velocities of each joint ([`Start`])
//! - **start at** [`read`]
//!
//! A joint is where `start` puts it, else where the keyframe does, else where the file draws it: at zero, or at its `ref`. A
//! limit that does not allow that is where it starts, with a warning.

use super::super::section::{Range, Section};
use super::super::tree::{Node, Value};
use super::{Scope, TOLD, Table};
use crate::nearest::nearest;
use crate::robot::description::{Coupling, Joint, JointKind, Keyframe};
use crate::units::Dimension::{Angle, Length, Number};

/// Coordinates and velocities of the joints at time 0, as their kinds count them.
pub(super) struct Start {
    pub q: Vec<Vec<f64>>,
    pub v: Vec<Vec<f64>>,
    /// Controls of the actuators, where a keyframe gives them.
    pub controls: Option<Vec<f64>>,
}

/// Reads where the joints start.
pub(super) fn read(table: &Table, scope: &mut Scope) -> Start {
    let robot = &table.robot;
    let key = keyframe(table);
    let (mut at_q, mut at_v) = (0, 0);
    let mut start = Start { q: Vec::new(), v: Vec::new(), controls: key.and_then(|key| key.controls.clone()) };
    for joint in &robot.joints {
        let (nq, nv) = (joint.kind.nq(), joint.kind.nv());
        let told = key.map(|key| key.q[at_q..at_q + nq].to_vec());
        let speed = key.and_then(|key| key.v.as_ref()).map(|v| v[at_v..at_v + nv].to_vec());
        start.q.push(told.unwrap_or_else(|| rest(joint)));
        start.v.push(speed.unwrap_or_else(|| vec![0.0; nv]));
        (at_q, at_v) = (at_q + nq, at_v + nv);
    }
    let given = own(table, &mut start);
    let followers = follow(table, &given, &mut start);
    let mut moved = Vec::new();
    for (k, joint) in robot.joints.iter().enumerate().filter(|(k, _)| !given.contains(k) && !followers.contains(k)) {
        let (Some([low, high]), [q]) = (joint.limits, &mut start.q[k][..]) else { continue };
        if !(low..=high).contains(q) {
            *q = q.clamp(low, high);
            moved.push(format!("`{}`", joint.name));
        }
    }
    if !moved.is_empty() {
        let more = if moved.len() > TOLD { format!(" and {} more", moved.len() - TOLD) } else { String::new() };
        moved.truncate(TOLD);
        scope.shapes.warnings.push(format!(
            "robot `{}`: joints {}{more} start at a limit, which does not allow where its file has them",
            table.name,
            moved.join(", ")
        ));
    }
    start
}

/// Puts joints that a coupling leads where it has them, unless `start` names them; all that are led.
fn follow(table: &Table, given: &[usize], start: &mut Start) -> Vec<usize> {
    let couplings = &table.robot.couplings;
    let of = |start: &Start, joint: usize| start.q[joint].first().copied().unwrap_or(0.0);
    let mut led = Vec::new();
    // Leaders may be led themselves.
    for _ in 0..couplings.len().min(8) {
        for coupling in couplings {
            let (joint, q) = match coupling {
                Coupling::Linear { joints, coefficients, offset } => {
                    let Some((&joint, others)) = joints.split_first() else { continue };
                    let sum: f64 = others.iter().zip(&coefficients[1..]).map(|(j, c)| c * of(start, *j)).sum();
                    (joint, (offset - sum) / coefficients[0])
                }
                Coupling::Polynomial { joint, of: leader, coefficients } => {
                    let x = of(start, *leader);
                    (*joint, coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c))
                }
            };
            led.push(joint);
            let q = match (coupling, table.robot.joints[joint].limits) {
                // A limit of the follower moves a leader that may be moved.
                (Coupling::Linear { joints, coefficients, offset }, Some([low, high]))
                    if !(low..=high).contains(&q) && joints.len() == 2 && !given.contains(&joints[1]) =>
                {
                    let allowed = q.clamp(low, high);
                    if let [leader] = &mut start.q[joints[1]][..] {
                        *leader = (offset - coefficients[0] * allowed) / coefficients[1];
                    }
                    allowed
                }
                _ => q,
            };
            if let ([at], false) = (&mut start.q[joint][..], given.contains(&joint)) {
                *at = q;
            }
        }
    }
    led
}

fn rest(joint: &Joint) -> Vec<f64> {
    match joint.kind {
        JointKind::Revolute | JointKind::Prismatic => vec![joint.reference],
        JointKind::Ball => vec![1.0, 0.0, 0.0, 0.0],
        JointKind::Free => vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        kind => vec![0.0; kind.nq()],
    }
}

fn keyframe<'t>(table: &'t Table) -> Option<&'t Keyframe> {
    let node = table.section.get("keyframe")?;
    let name = table.section.text_of(node)?;
    let keys = &table.robot.keyframes;
    let found = keys.iter().find(|key| key.name == name);
    if found.is_none() {
        let known = keys.iter().map(|key| key.name.as_str());
        let hint = match nearest(name, known.clone()) {
            Some(near) => format!("; did you mean `{near}`?"),
            None if keys.is_empty() => "; its file has none".to_string(),
            None => format!("; its file has {}", known.collect::<Vec<_>>().join(", ")),
        };
        table.section.wrong(node, format!("the robot has no keyframe `{name}`{hint}"));
    }
    found
}

/// `start = { joint = value }`; the joints that it names.
fn own(table: &Table, start: &mut Start) -> Vec<usize> {
    let (section, robot) = (&table.section, &table.robot);
    let Some(given) = section.get("start").and_then(|node| Section::open(node, section.whose, section.problems()))
    else {
        return Vec::new();
    };
    let mut named = Vec::new();
    for entry in given.entries() {
        let Some(k) = robot.joint(&entry.key) else {
            let known: Vec<&str> = robot.joints.iter().map(|joint| joint.name.as_str()).collect();
            section.problems().no_such("joint", &entry.key, &entry.key_span, &known, section.whose);
            continue;
        };
        if let Some(q) = coordinates(&robot.joints[k], &entry.node, &given, "the start") {
            start.q[k] = q;
        }
        named.push(k);
    }
    named
}

/// The coordinates of a joint as a value tells them.
pub(super) fn coordinates(joint: &Joint, node: &Node, section: &Section, of: &str) -> Option<Vec<f64>> {
    let what = format!("{of} of joint `{}`", joint.name);
    let list = |node: &Node| match &node.value {
        Value::List(list) => Some(list.clone()),
        _ => None,
    };
    let one = |node: &Node, dimension| section.quantity_of(node, &what, dimension, Range::Any);
    match joint.kind {
        JointKind::Revolute => one(node, Angle).map(|q| vec![q]),
        JointKind::Prismatic => one(node, Length).map(|q| vec![q]),
        JointKind::Planar => match list(node).as_deref() {
            Some([x, y, angle]) => Some(vec![one(x, Length)?, one(y, Length)?, one(angle, Angle)?]),
            _ => {
                section.wrong(node, format!("expected a list [x, y, angle] for {what}"));
                None
            }
        },
        JointKind::Ball => match list(node).as_deref() {
            Some([w, x, y, z]) => {
                let q = [one(w, Number)?, one(x, Number)?, one(y, Number)?, one(z, Number)?];
                let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
                if !(norm > 1e-100 && norm.is_finite()) {
                    section.wrong(node, format!("{what}: a quaternion must have a length above zero"));
                    return None;
                }
                Some(q.iter().map(|x| x / norm).collect())
            }
            _ => {
                section.wrong(node, format!("expected a quaternion [w, x, y, z] for {what}"));
                None
            }
        },
        JointKind::Fixed => {
            section.wrong(node, format!("joint `{}` is fixed and does not move", joint.name));
            None
        }
        JointKind::Free => {
            section.wrong(node, format!("joint `{}` is free; `position` and a keyframe place it", joint.name));
            None
        }
    }
}

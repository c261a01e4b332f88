//! # Joints of MJCF: hinge, slide, ball, free
//!
//! - **in**: `<joint>` with its defaults, `<freejoint>`
//! - **out**: a [`Joint`] that hangs nowhere yet, and its anchor in the body
//! - **start at** [`read`]

use super::super::description::{Joint, JointKind};
use super::super::reader::Reader;
use super::super::xml::Element;
use super::{File, blank_joint, range};
use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};

/// A joint, and the pose of its anchor in the body.
pub(super) fn read(
    reader: &mut Reader<'_>,
    file: &mut File,
    e: &Element,
    X_BF: &Isometry3<f64>,
    fallback: &str,
) -> Option<(Joint, Isometry3<f64>)> {
    let free = e.name == "freejoint";
    let kind = match reader.choice(e, "type", &["hinge", "slide", "ball", "free"]) {
        _ if free => JointKind::Free,
        None if e.get("type").is_some() => return None,
        None | Some("hinge") => JointKind::Revolute,
        Some("slide") => JointKind::Prismatic,
        Some("ball") => JointKind::Ball,
        Some(_) => JointKind::Free,
    };
    let mut joint = blank_joint(name(reader, file, e, fallback), reader.place(e));
    joint.named = e.get("name").is_some();
    joint.kind = kind;
    if kind == JointKind::Free {
        return Some((joint, Isometry3::identity()));
    }
    let p = X_BF * nalgebra::Point3::from(reader.numbers::<3>(e, "pos").unwrap_or([0.0; 3]));
    let axis = X_BF * Vector3::from(reader.numbers::<3>(e, "axis").unwrap_or([0.0, 0.0, 1.0]));
    joint.axis = match Unit::try_new(axis, 1e-14) {
        Some(axis) => axis,
        None if kind == JointKind::Ball => Vector3::z_axis(),
        None => {
            reader.wrong(e, "the axis of a joint must not be zero");
            return None;
        }
    };
    let unit = if kind == JointKind::Prismatic { 1.0 } else { file.compiler.angle };
    joint.limits = range(reader, e, file.compiler.autolimits, "limited", "range", unit);
    if let (JointKind::Ball, Some([low, _])) = (kind, joint.limits)
        && low != 0.0
    {
        reader.wrong(e, "the range of a ball joint starts at 0");
    }
    laws(reader, e, &mut joint, unit);
    let effort = range(reader, e, file.compiler.autolimits, "actuatorfrclimited", "actuatorfrcrange", 1.0);
    joint.effort = effort.map(|[low, high]| high.max(-low));
    Some((joint, Isometry3::from_parts(Translation3::from(p.coords), UnitQuaternion::identity())))
}

fn name(reader: &mut Reader<'_>, file: &mut File, e: &Element, fallback: &str) -> String {
    if let Some(attribute) = e.get("name") {
        if file.joints.contains_key(&attribute.value) {
            let message = format!("the name `{}` of a joint is used twice", attribute.value);
            reader.wrong_value(e, attribute, message);
        }
        return attribute.value.clone();
    }
    let numbered = (2..).map(|k| format!("{fallback}{k}"));
    let mut names = std::iter::once(fallback.to_string()).chain(numbered);
    // There are more numbers than joints.
    names.find(|n| !file.joints.contains_key(n)).unwrap_or_default()
}

/// Springs, losses and inertia of a joint.
fn laws(reader: &mut Reader<'_>, e: &Element, joint: &mut Joint, unit: f64) {
    let scalar = joint.kind != JointKind::Ball;
    joint.armature = reader.not_negative(e, "armature", 0.0);
    joint.friction_loss = reader.not_negative(e, "frictionloss", 0.0);
    joint.damping = first(reader, e, "damping");
    let stiffness = first(reader, e, "stiffness");
    if scalar {
        joint.reference = reader.number_or(e, "ref", 0.0) * unit;
    }
    let rest = reader.number_or(e, "springref", 0.0) * unit;
    if stiffness > 0.0 {
        joint.spring = Some([stiffness, rest]);
    }
    if reader.numbers::<2>(e, "springdamper").is_some_and(|[time, ratio]| time > 0.0 && ratio > 0.0) {
        reader.wrong(e, "`springdamper` is not read: give `stiffness` and `damping`");
    }
    if reader.number(e, "springyield").is_some_and(|x| x != 0.0) {
        reader.ignore(e, "joint springyield".to_string(), "springs do not yield here");
    }
    if e.value("actuatorgravcomp") == Some("true") {
        reader.ignore(e, "joint actuatorgravcomp".to_string(), "gravity acts on every link");
    }
    if !scalar && (joint.friction_loss > 0.0 || joint.spring.is_some() || joint.damping > 0.0) {
        let why = "springs, damping and dry friction act along one coordinate: hinges and slides have them";
        reader.ignore(e, "joint (ball) laws".to_string(), why);
        (joint.friction_loss, joint.spring, joint.damping) = (0.0, None, 0.0);
    }
}

/// A coefficient; MuJoCo allows further ones for powers of the motion, which are refused unless zero.
fn first(reader: &mut Reader<'_>, e: &Element, key: &str) -> f64 {
    let Some(attribute) = e.get(key) else { return 0.0 };
    let Some(list) = reader.list(e, attribute) else { return 0.0 };
    match list.as_slice() {
        [x, rest @ ..] if *x >= 0.0 && rest.iter().all(|r| *r == 0.0) => *x,
        [x] => {
            reader.wrong_value(e, attribute, format!("`{key}` must not be negative, got {x}"));
            0.0
        }
        _ => {
            reader.wrong_value(e, attribute, format!("expected one number for `{key}`, got `{}`", attribute.value));
            0.0
        }
    }
}

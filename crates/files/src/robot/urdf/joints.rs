//! # Joints of URDF: kinds, axes, limits, mimic
//!
//! - **in**: `<joint>`
//! - **out**: [`Raw`] joints, then [`Joint`]s between links by index and [`Mimic`]s
//! - **start at** [`read`], then [`resolve`]

use super::super::description::{Coupling, Joint, JointKind};
use super::super::reader::Reader;
use super::super::xml::Element;
use super::origin;
use crate::nearest;
use nalgebra::{Unit, Vector3};
use std::collections::HashMap;

/// Children of a joint without effect.
const IGNORED: [(&str, &str); 3] = [
    ("safety_controller", "soft limits of a controller are not modelled"),
    ("calibration", "calibration of encoders is not modelled"),
    ("hardwareInterface", "set-up of controllers"),
];

/// A joint whose links are still names.
pub(super) struct Raw<'e> {
    pub joint: Joint,
    pub element: &'e Element,
}

/// One joint that follows another.
pub(super) struct Mimic {
    joint: usize,
    of: usize,
    multiplier: f64,
    offset: f64,
}

impl Mimic {
    /// q_joint − multiplier · q_of = offset.
    pub fn coupling(&self, at: &[usize]) -> Coupling {
        Coupling::Linear {
            joints: vec![at[self.joint], at[self.of]],
            coefficients: vec![1.0, -self.multiplier],
            offset: self.offset,
        }
    }
}

pub(super) fn read<'e>(reader: &mut Reader<'_>, element: &'e Element) -> Option<Raw<'e>> {
    reader.attributes(element, &["name", "type"], &[]);
    known_children(reader, element);
    let name = reader.name(element)?;
    reader.required(element, "type")?;
    let kinds = ["revolute", "continuous", "prismatic", "fixed", "floating", "planar", "spherical"];
    let word = reader.choice(element, "type", &kinds)?;
    let kind = match word {
        "revolute" | "continuous" => JointKind::Revolute,
        "prismatic" => JointKind::Prismatic,
        "fixed" => JointKind::Fixed,
        "floating" => JointKind::Free,
        "spherical" => JointKind::Ball,
        _ => JointKind::Planar,
    };
    let X_PF = origin(reader, element);
    let axis = axis(reader, element)?;
    if kind == JointKind::Planar && element.child("axis").is_none_or(|_| axis != Vector3::z_axis()) {
        reader.wrong(element, "a planar joint is read with <axis xyz=\"0 0 1\"/> alone; turn its <origin> instead");
    }
    let (limits, effort, speed) = limit(reader, element, word);
    let (damping, friction_loss) = dynamics(reader, element, kind);
    let place = reader.place(element);
    let joint = Joint {
        name,
        kind,
        parent: None,
        child: usize::MAX,
        X_PF,
        axis,
        limits,
        armature: 0.0,
        damping,
        friction_loss,
        spring: None,
        reference: 0.0,
        effort,
        speed,
        named: true,
        place,
    };
    Some(Raw { joint, element })
}

fn known_children(reader: &mut Reader<'_>, element: &Element) {
    for child in &element.children {
        let name = child.name.as_str();
        if let Some((_, why)) = IGNORED.iter().find(|(known, _)| *known == name) {
            reader.ignore_element(child, why);
        } else if name.contains(':') {
            reader.ignore_element(child, "of another namespace");
        } else {
            let known = ["parent", "child", "origin", "axis", "limit", "dynamics", "mimic"];
            if !known.contains(&name) {
                let known: Vec<&str> = known.into_iter().chain(IGNORED.iter().map(|(name, _)| *name)).collect();
                let message = nearest::unknown("element in <joint>", name, &known);
                reader.wrong(child, message);
            }
        }
    }
}

fn axis(reader: &mut Reader<'_>, element: &Element) -> Option<Unit<Vector3<f64>>> {
    let Some(e) = reader.only(element, "axis") else { return Some(Vector3::x_axis()) };
    reader.attributes(e, &["xyz"], &[]);
    let attribute = reader.required(e, "xyz")?;
    let axis = Vector3::from(reader.numbers::<3>(e, "xyz")?);
    let unit = Unit::try_new(axis, 1e-12);
    if unit.is_none() {
        reader.wrong_value(e, attribute, "an axis must not be zero");
    }
    unit
}

type Limit = (Option<[f64; 2]>, Option<f64>, Option<f64>);

fn limit(reader: &mut Reader<'_>, element: &Element, word: &str) -> Limit {
    let bounded = matches!(word, "revolute" | "prismatic");
    let Some(e) = reader.only(element, "limit") else {
        if bounded {
            let note = if word == "revolute" { "; a joint without limits is `continuous`" } else { "" };
            reader.wrong(element, format!("a {word} joint needs <limit lower=… upper=… effort=… velocity=…/>{note}"));
        }
        return (None, None, None);
    };
    reader.attributes(
        e,
        &["lower", "upper", "effort", "velocity"],
        &[("acceleration", "no limits of acceleration are modelled"), ("jerk", "no limits of jerk are modelled")],
    );
    let (lower, upper) = (reader.number_or(e, "lower", 0.0), reader.number_or(e, "upper", 0.0));
    if bounded && lower > upper {
        reader.wrong(e, format!("the lower limit must not be above the upper one, got {lower} and {upper}"));
    }
    let effort = reader.number(e, "effort");
    let speed = reader.number(e, "velocity");
    for (name, x) in [("effort", effort), ("velocity", speed)] {
        if let (Some(x), Some(attribute)) = (x.filter(|x| *x < 0.0), e.get(name)) {
            reader.wrong_value(e, attribute, format!("`{name}` must not be negative, got {x}"));
        }
    }
    if speed.is_some() && word != "fixed" {
        reader.ignore(
            e,
            "limit velocity".to_string(),
            "speeds of joints are not limited; drives have their own `speed`",
        );
    }
    (bounded.then_some([lower, upper]), effort, speed)
}

fn dynamics(reader: &mut Reader<'_>, element: &Element, kind: JointKind) -> (f64, f64) {
    let Some(e) = reader.only(element, "dynamics") else { return (0.0, 0.0) };
    reader.attributes(
        e,
        &["damping", "friction"],
        &[
            ("spring_reference", "of another simulator; use spring of [[joint]]"),
            ("spring_stiffness", "of another simulator; use spring of [[joint]]"),
        ],
    );
    let losses = (reader.not_negative(e, "damping", 0.0), reader.not_negative(e, "friction", 0.0));
    if losses != (0.0, 0.0) && !matches!(kind, JointKind::Revolute | JointKind::Prismatic) {
        reader.ignore_element(e, "losses act along one coordinate: only revolute and prismatic joints have them");
        return (0.0, 0.0);
    }
    losses
}

/// Finds links and leading joints by their names; none if some are missing.
pub(super) fn resolve(
    reader: &mut Reader<'_>,
    joints: &mut [Raw<'_>],
    links: &HashMap<String, usize>,
    names: &HashMap<String, usize>,
) -> Option<Vec<Mimic>> {
    let before = reader.problems.len();
    let mut mimics = Vec::new();
    for k in 0..joints.len() {
        let element = joints[k].element;
        let [parent, child] = ["parent", "child"].map(|end| {
            let Some(e) = reader.only(element, end) else {
                reader.wrong(element, format!("<joint> needs <{end} link=\"…\"/>"));
                return None;
            };
            reader.attributes(e, &["link"], &[]);
            let attribute = reader.required(e, "link")?;
            let found = links.get(attribute.value.trim()).copied();
            if found.is_none() {
                let known: Vec<&str> = links.keys().map(String::as_str).collect();
                let near = nearest::nearest(attribute.value.trim(), known);
                let hint = near.map(|n| format!("; the nearest is `{n}`")).unwrap_or_default();
                reader.wrong_value(e, attribute, format!("no link is called `{}`{hint}", attribute.value));
            }
            found
        });
        let (Some(parent), Some(child)) = (parent, child) else { continue };
        if parent == child {
            reader.wrong(element, "a joint must not hold a link to itself");
        }
        (joints[k].joint.parent, joints[k].joint.child) = (Some(parent), child);
        mimics.extend(mimic(reader, joints, k, names));
    }
    follows_itself(reader, joints, &mimics);
    (reader.problems.len() == before).then_some(mimics)
}

fn mimic(reader: &mut Reader<'_>, joints: &[Raw<'_>], joint: usize, names: &HashMap<String, usize>) -> Option<Mimic> {
    let element = joints[joint].element;
    let e = reader.only(element, "mimic")?;
    reader.attributes(e, &["joint", "multiplier", "offset"], &[]);
    let attribute = reader.required(e, "joint")?;
    let Some(&of) = names.get(attribute.value.trim()) else {
        reader.wrong_value(e, attribute, format!("no joint is called `{}`", attribute.value));
        return None;
    };
    let scalar = |k: usize| joints[k].joint.kind.nq() == 1;
    if !scalar(joint) || !scalar(of) {
        reader.wrong(e, "mimic needs two joints of one coordinate each: revolute, continuous or prismatic");
        return None;
    }
    let (multiplier, offset) = (reader.number_or(e, "multiplier", 1.0), reader.number_or(e, "offset", 0.0));
    Some(Mimic { joint, of, multiplier, offset })
}

/// Refuses joints that follow themselves, also around several.
fn follows_itself(reader: &mut Reader<'_>, joints: &[Raw<'_>], mimics: &[Mimic]) {
    let leader: HashMap<usize, usize> = mimics.iter().map(|m| (m.joint, m.of)).collect();
    for mimic in mimics {
        let mut at = mimic.of;
        for _ in 0..=mimics.len() {
            if at == mimic.joint {
                reader.wrong(joints[mimic.joint].element, "the joint mimics itself");
                return;
            }
            match leader.get(&at) {
                Some(next) => at = *next,
                None => break,
            }
        }
    }
}

//! # URDF: links and joints by name
//!
//! `<robot>` ──▶ **here** ──▶ [`Robot`]
//!
//! - **in**: the root element
//! - **out**: links sorted parents first (children in the order of their joints), mimic as couplings, transmissions as
//!   actuators; simulators' and controllers' extensions listed as ignored
//! - **not here**: `links` (inertials, shapes), `joints`; xacro, which must be run before
//! - **start at** [`read`]
//!
//! Angles are fixed-axis roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll). A file has exactly one root link.

mod joints;
mod links;

use super::description::{Actuator, Format, Joint, Link, Robot, Transmission};
use super::meshes::Meshes;
use super::reader::Reader;
use super::xml::Element;
use crate::nearest;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use std::collections::HashMap;

/// Elements of a robot that others put there, and why they have no effect here.
const EXTENSIONS: [(&str, &str); 12] = [
    ("material", "appearance"),
    ("gazebo", "an extension of Gazebo"),
    ("ros2_control", "set-up of controllers"),
    ("sensor", "sensors are not modelled"),
    ("plugin", "a plug-in of a simulator"),
    ("mujoco", "an extension of MuJoCo"),
    ("group", "a group of a motion planner"),
    ("disable_collisions", "belongs to an SRDF file; use [[ignore]] of a scene"),
    ("loop_joint", "an extension that closes loops; use [[loop]] of a scene"),
    ("self_collision_checking", "an extension of another simulator; use self_contact of [[robot]]"),
    ("verbose", "an extension of another simulator"),
    ("static", "an extension of another simulator; use base of [[robot]]"),
];

/// Reads a robot.
pub(super) fn read(reader: &mut Reader<'_>, root: &Element) -> Option<Robot> {
    reader.attributes(root, &["name", "version"], &[]);
    let name = reader.name(root).unwrap_or_else(|| "robot".to_string());
    let mut meshes = Meshes::default();
    let (mut links, mut joints, mut transmissions) = (Vec::new(), Vec::new(), Vec::new());
    let mut link_named: HashMap<String, usize> = HashMap::new();
    let mut joint_named: HashMap<String, usize> = HashMap::new();
    for element in &root.children {
        match element.name.as_str() {
            "link" => {
                let Some(link) = links::read(reader, element, &mut meshes) else { continue };
                unique(reader, element, &mut link_named, &link.name, links.len());
                links.push(link);
            }
            "joint" => {
                let Some(raw) = joints::read(reader, element) else { continue };
                unique(reader, element, &mut joint_named, &raw.joint.name, joints.len());
                joints.push(raw);
            }
            "transmission" => transmissions.push(element),
            other => extension(reader, root, element, other),
        }
    }
    let mimics = joints::resolve(reader, &mut joints, &link_named, &joint_named)?;
    let order = sort(reader, root, &links, &joints)?;
    let mut robot = assemble(name, links, joints, &order);
    robot.couplings = mimics.into_iter().map(|m| m.coupling(&order.joint_at)).collect();
    robot.meshes = meshes.list;
    robot.actuators = transmissions.into_iter().flat_map(|e| transmission(reader, e, &robot)).collect();
    Some(robot)
}

fn extension(reader: &mut Reader<'_>, root: &Element, element: &Element, name: &str) {
    if name.starts_with("xacro:") {
        reader.wrong(element, "this is a xacro source, not a URDF; run `xacro FILE > robot.urdf` first");
    } else if name.contains(':') {
        reader.ignore_element(element, "of another namespace");
    } else if let Some((_, why)) = EXTENSIONS.iter().find(|(known, _)| *known == name) {
        reader.ignore_element(element, why);
    } else {
        let known: Vec<&str> =
            ["link", "joint", "transmission"].into_iter().chain(EXTENSIONS.iter().map(|(name, _)| *name)).collect();
        let message = nearest::unknown(&format!("element in <{}>", root.name), name, &known);
        reader.wrong(element, message);
    }
}

/// Notes a name; a second one is a problem.
fn unique(reader: &mut Reader<'_>, element: &Element, named: &mut HashMap<String, usize>, name: &str, index: usize) {
    if named.insert(name.to_string(), index).is_some() {
        reader.wrong(element, format!("the name `{name}` of a <{}> is used twice", element.name));
    }
}

/// Links parents first, and where joints went.
struct Order {
    links: Vec<usize>,
    /// New index of each joint in the file's order.
    joint_at: Vec<usize>,
}

/// Sorts the links from the one root on; refuses two roots, two parents and loops.
fn sort(reader: &mut Reader<'_>, root: &Element, links: &[Link], joints: &[joints::Raw]) -> Option<Order> {
    if links.is_empty() {
        reader.wrong(root, "a robot needs at least one <link>");
        return None;
    }
    let mut parent_joint: Vec<Option<usize>> = vec![None; links.len()];
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); links.len()];
    for (k, raw) in joints.iter().enumerate() {
        let (Some(parent), child) = (raw.joint.parent, raw.joint.child) else { continue };
        if let Some(other) = parent_joint[child] {
            let (name, other) = (&links[child].name, &joints[other].joint.name);
            reader.wrong(raw.element, format!("link `{name}` has two parents: joint `{other}` holds it already"));
            return None;
        }
        parent_joint[child] = Some(k);
        children[parent].push(k);
    }
    let roots: Vec<usize> = (0..links.len()).filter(|l| parent_joint[*l].is_none()).collect();
    let (mut order, mut joint_at) = (Vec::new(), vec![usize::MAX; joints.len()]);
    let mut stack: Vec<usize> = roots.iter().rev().copied().collect();
    while let Some(link) = stack.pop() {
        order.push(link);
        stack.extend(children[link].iter().rev().map(|j| joints[*j].joint.child));
    }
    if roots.len() > 1 {
        let names: Vec<String> = roots.iter().take(5).map(|l| format!("`{}`", links[*l].name)).collect();
        let message = format!("a URDF has one root link, got {}: {}", roots.len(), names.join(", "));
        reader.wrong(root, format!("{message}; join them by a joint (fixed, or floating)"));
        return None;
    }
    if order.len() < links.len() {
        let mut reached = vec![false; links.len()];
        order.iter().for_each(|l| reached[*l] = true);
        let names = (0..links.len()).filter(|l| !reached[*l]).take(8).map(|l| format!("`{}`", links[l].name));
        let names: Vec<String> = names.collect();
        let at = (0..links.len()).find(|l| !reached[*l]).and_then(|l| parent_joint[l]);
        let message = format!("joints form a loop through the links {}", names.join(", "));
        reader.wrong(at.map_or(root, |j| joints[j].element), message);
        return None;
    }
    let mut next = 0;
    for link in &order {
        if let Some(joint) = parent_joint[*link] {
            joint_at[joint] = next;
            next += 1;
        }
    }
    Some(Order { links: order, joint_at })
}

fn assemble(name: String, links: Vec<Link>, joints: Vec<joints::Raw>, order: &Order) -> Robot {
    let mut link_at = vec![0; links.len()];
    order.links.iter().enumerate().for_each(|(new, old)| link_at[*old] = new);
    let mut sorted_joints: Vec<(usize, Joint)> =
        joints.into_iter().enumerate().map(|(k, r)| (order.joint_at[k], r.joint)).collect();
    sorted_joints.sort_by_key(|(at, _)| *at);
    let mut sorted_links: Vec<(usize, Link)> = links.into_iter().enumerate().map(|(k, l)| (link_at[k], l)).collect();
    sorted_links.sort_by_key(|(at, _)| *at);
    let mut links: Vec<Link> = sorted_links.into_iter().map(|(_, link)| link).collect();
    let mut joints: Vec<Joint> = sorted_joints.into_iter().map(|(_, joint)| joint).collect();
    for (k, joint) in joints.iter_mut().enumerate() {
        joint.child = link_at[joint.child];
        joint.parent = joint.parent.map(|p| link_at[p]);
        links[joint.child].parent = joint.parent;
        links[joint.child].joints = vec![k];
    }
    Robot {
        name,
        format: Format::Urdf,
        links,
        joints,
        frames: Vec::new(),
        couplings: Vec::new(),
        loops: Vec::new(),
        tendons: Vec::new(),
        actuators: Vec::new(),
        keyframes: Vec::new(),
        excludes: Vec::new(),
        pairs: Vec::new(),
        meshes: Vec::new(),
        height_fields: Vec::new(),
        ignored: Vec::new(),
        warnings: Vec::new(),
        files: Vec::new(),
    }
}

/// Joints of a transmission, as motors.
fn transmission(reader: &mut Reader<'_>, element: &Element, robot: &Robot) -> Vec<Actuator> {
    let reduction = element
        .children
        .iter()
        .find(|c| c.name == "actuator")
        .and_then(|a| a.child("mechanicalReduction"))
        .and_then(|e| e.text.trim().parse::<f64>().ok());
    let mut motors = Vec::new();
    for joint in element.named("joint") {
        let Some(name) = joint.value("name") else { continue };
        let Some(index) = robot.joint(name) else {
            reader.wrong(joint, format!("the transmission names joint `{name}`, which is not there"));
            continue;
        };
        motors.push(Actuator {
            name: element.value("name").unwrap_or(name).to_string(),
            kind: "transmission",
            transmission: Transmission::Joint(index),
            gear: 1.0,
            gain: 1.0,
            bias: [0.0; 3],
            damping_ratio: None,
            control_range: None,
            force_range: robot.joints[index].effort.map(|e| [-e, e]),
            place: reader.place(element),
        });
    }
    if reduction.is_some_and(|r| r != 1.0) {
        reader.ignore(
            element,
            "transmission mechanicalReduction".to_string(),
            "drives of scenes act on joints themselves",
        );
    }
    motors
}

/// `<origin xyz rpy>` of an element.
fn origin(reader: &mut Reader<'_>, parent: &Element) -> Isometry3<f64> {
    let Some(element) = reader.only(parent, "origin") else { return Isometry3::identity() };
    reader.attributes(element, &["xyz", "rpy"], &[("quat_xyzw", "not part of URDF; use rpy")]);
    let p = reader.numbers::<3>(element, "xyz").unwrap_or([0.0; 3]);
    let [roll, pitch, yaw] = reader.numbers::<3>(element, "rpy").unwrap_or([0.0; 3]);
    Isometry3::from_parts(Translation3::from(Vector3::from(p)), UnitQuaternion::from_euler_angles(roll, pitch, yaw))
}

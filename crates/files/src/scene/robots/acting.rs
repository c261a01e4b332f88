//! # Acting: actuators of a robot's file, and poses that follow each other
//!
//! - **in**: actuators, keyframes; `keyframe`, `poses`, `sequence`, `smooth`, `actuators` of a robot's table
//! - **out**: [`Acting`]: actuators with their controls over time, the way of each joint
//! - **not here**: the drives that they become (`drives::actuators`)
//! - **start at** [`read`]
//!
//! Control of an actuator: that of `keyframe`, 0 where it gives none; along a `sequence` that of each keyframe, or where a
//! pose gives none, the control at which an actuator with stiffness rests in it.

use super::super::error::Span;
use super::super::section::{Range, Section};
use super::super::tree::Node;
use super::start::{Start, coordinates};
use super::{Table, told};
use crate::nearest::nearest;
use crate::robot::description::{Actuator, Coupling, JointKind, Robot, Transmission};
use crate::robot::tree;
use crate::units::Dimension::Time;
use fingerpad_sim::coordinates::{Base, Frame, Mass, Tree};
use fingerpad_sim::{JointId, Smooth, Timeline};
use nalgebra::Vector3;

/// What a robot brings beside links and joints.
pub(crate) struct Acting {
    /// The robot.
    pub name: String,
    /// Where its name stands.
    pub span: Span,
    /// Joints with one coordinate that nothing leads, in the order of the file.
    pub joints: Vec<JointId>,
    pub actuators: Vec<ActuatorOf>,
    pub sequence: Option<Sequence>,
}

/// An actuator of a file.
pub(crate) struct ActuatorOf {
    /// `robot/actuator`.
    pub name: String,
    pub actuator: Actuator,
    /// Joints with the length per coordinate of each.
    pub along: Vec<(JointId, f64)>,
    /// Whether it pulls at one joint, by itself.
    pub on_joint: bool,
    /// Damping (force per rate of length): of the file, or by its damping ratio.
    pub damping: f64,
    /// Its control over time.
    pub controls: Vec<[f64; 2]>,
    /// Where it stands in the robot's file.
    pub place: String,
}

/// Poses over time.
#[derive(Clone)]
pub(crate) struct Sequence {
    pub smooth: Smooth,
    /// Times (s), and coordinates of the joints at each.
    pub points: Vec<(f64, Vec<(JointId, f64)>)>,
}

impl Sequence {
    /// The way of a weighted sum of joints.
    pub fn of(&self, along: &[(JointId, f64)]) -> Vec<[f64; 2]> {
        let at =
            |pose: &[(JointId, f64)], joint: JointId| pose.iter().find(|(id, _)| *id == joint).map_or(0.0, |p| p.1);
        let sum = |pose: &[(JointId, f64)]| along.iter().map(|(joint, share)| share * at(pose, *joint)).sum();
        self.points.iter().map(|(t, pose)| [*t, sum(pose)]).collect()
    }
}

/// A state of a robot by name: coordinates of its joints, and controls where it gives them.
struct Pose {
    name: String,
    q: Vec<Vec<f64>>,
    controls: Option<Vec<f64>>,
}

/// Reads what acts; `joint_at` tells which joint of the model each joint became.
pub(super) fn read(table: &Table, start: &Start, joint_at: &[Option<JointId>]) -> Acting {
    let robot = &table.robot;
    let smooth = [("cubic", Smooth::Cubic), ("quintic", Smooth::Quintic), ("none", Smooth::None)];
    let smooth = table.section.choice("smooth", &smooth).unwrap_or_default();
    let poses = poses(table, start);
    let steps = steps(table, &poses);
    let acts = table.section.flag("actuators").unwrap_or(true);
    let ratios = acts.then(|| dampings(robot)).unwrap_or_default();
    let mut actuators = Vec::new();
    for (k, actuator) in robot.actuators.iter().enumerate().filter(|_| acts) {
        let (along, on_joint) = match actuator.transmission {
            Transmission::Joint(joint) => (vec![(joint, actuator.gear)], true),
            Transmission::Tendon(tendon) => {
                let tendon = &robot.tendons[tendon];
                let shares = tendon.joints.iter().zip(&tendon.coefficients).map(|(j, c)| (*j, actuator.gear * c));
                (shares.filter(|(_, share)| *share != 0.0).collect(), false)
            }
        };
        let length = |q: &[Vec<f64>]| along.iter().map(|(j, share)| share * q[*j].first().unwrap_or(&0.0)).sum::<f64>();
        let clamp = |u: f64| actuator.control_range.map_or(u, |[low, high]| u.clamp(low, high));
        // Where a pose says nothing of controls, the one at which the actuator rests there.
        let rests = |pose: &Pose| match &pose.controls {
            Some(controls) => controls[k],
            None if actuator.bias[1] < 0.0 && actuator.gain != 0.0 => {
                -(actuator.bias[1] * length(&pose.q) + actuator.bias[0]) / actuator.gain
            }
            None => 0.0,
        };
        let controls = match &steps {
            Some(steps) => steps.iter().map(|(t, pose)| [*t, clamp(rests(pose))]).collect(),
            None => vec![[0.0, clamp(start.controls.as_ref().map_or(0.0, |controls| controls[k]))]],
        };
        let along: Option<Vec<(JointId, f64)>> = along.iter().map(|(j, share)| Some((joint_at[*j]?, *share))).collect();
        let Some(along) = along.filter(|along| !along.is_empty()) else { continue };
        let name = table.named(&actuator.name);
        let (damping, place) = (ratios[k], told(&actuator.place));
        actuators.push(ActuatorOf { name, actuator: actuator.clone(), along, on_joint, damping, controls, place });
    }
    let sequence = steps.map(|steps| {
        let at = |pose: &Pose| {
            let one = |(k, id): (usize, &Option<JointId>)| Some(((*id)?, *pose.q[k].first()?));
            joint_at.iter().enumerate().filter(|(k, _)| robot.joints[*k].kind.nq() == 1).filter_map(one).collect()
        };
        Sequence { smooth, points: steps.iter().map(|(t, pose)| (*t, at(pose))).collect() }
    });
    let led = led(robot);
    let moves =
        |k: &usize| matches!(robot.joints[*k].kind, JointKind::Revolute | JointKind::Prismatic) && !led.contains(k);
    let joints = (0..robot.joints.len()).filter(moves).filter_map(|k| joint_at[k]).collect();
    Acting { name: table.name.clone(), span: table.span.clone(), joints, actuators, sequence }
}

/// Joints that a coupling leads.
fn led(robot: &Robot) -> Vec<usize> {
    let first = |coupling: &Coupling| match coupling {
        Coupling::Linear { joints, .. } => joints.first().copied(),
        Coupling::Polynomial { joint, .. } => Some(*joint),
    };
    robot.couplings.iter().filter_map(first).collect()
}

/// Keyframes of the file, then poses of the scene, which go before them.
fn poses(table: &Table, start: &Start) -> Vec<Pose> {
    let (robot, section) = (&table.robot, &table.section);
    let mut all: Vec<Pose> = Vec::new();
    if let Some(own) = section.get("poses").and_then(|node| Section::open(node, section.whose, section.problems())) {
        for entry in own.entries() {
            let Some(pose) = Section::open(&entry.node, section.whose, section.problems()) else { continue };
            let mut q = start.q.clone();
            for entry in pose.entries() {
                let Some(k) = robot.joint(&entry.key) else {
                    let known: Vec<&str> = robot.joints.iter().map(|joint| joint.name.as_str()).collect();
                    section.problems().no_such("joint", &entry.key, &entry.key_span, &known, section.whose);
                    continue;
                };
                if robot.joints[k].kind.nq() != 1 {
                    section
                        .wrong(&entry.node, format!("poses place hinges and slides, and `{}` is neither", entry.key));
                } else if let Some(value) = coordinates(&robot.joints[k], &entry.node, &pose, "a pose") {
                    q[k] = value;
                }
            }
            all.push(Pose { name: entry.key.clone(), q, controls: None });
        }
    }
    for key in &robot.keyframes {
        let mut at = 0;
        let q = robot.joints.iter().map(|joint| (at..at + joint.kind.nq(), at += joint.kind.nq()).0);
        let q = q.map(|range| key.q[range].to_vec()).collect();
        all.push(Pose { name: key.name.clone(), q, controls: key.controls.clone() });
    }
    all.push(Pose { name: String::new(), q: start.q.clone(), controls: start.controls.clone() });
    all
}

/// `sequence = [[time, "pose"], …]`, from where the robot starts.
fn steps<'p>(table: &Table, poses: &'p [Pose]) -> Option<Vec<(f64, &'p Pose)>> {
    let section = &table.section;
    let Some(node) = section.get("sequence") else {
        for entry in ["poses", "smooth"].iter().filter_map(|key| section.entry(key)) {
            section.wrong(&entry.node, format!("`{}` stands beside `sequence`", entry.key));
        }
        return None;
    };
    let expected = "a point [time, \"pose\"]";
    let list = section.list_of(node, &format!("a list of points, each {expected}"))?;
    let mut steps = Vec::with_capacity(list.len() + 1);
    for point in list {
        let [t, name] = section.list_of(point, expected)? else {
            section.wrong(point, format!("expected {expected}"));
            return None;
        };
        let t = section.quantity_of(t, "the time of a point", Time, Range::Any)?;
        steps.push((t, named(name, section, poses)?));
    }
    let times: Vec<[f64; 2]> = steps.iter().map(|(t, _)| [*t, 0.0]).collect();
    if let Err(error) = Timeline::stops(&times, Smooth::None) {
        let message = error.message.replace("the timeline", "the sequence");
        section.wrong(list.get(error.point).unwrap_or(node), message);
        return None;
    }
    if steps[0].0 > 0.0 {
        // It begins where the robot starts.
        steps.insert(0, (0.0, poses.last()?));
    }
    Some(steps)
}

fn named<'p>(node: &Node, section: &Section, poses: &'p [Pose]) -> Option<&'p Pose> {
    let super::Value::Text(name) = &node.value else {
        section.wrong(node, format!("expected the name of a keyframe or of one of `poses`, got {}", node.kind()));
        return None;
    };
    let found = poses.iter().find(|pose| pose.name == *name && !name.is_empty());
    if found.is_none() {
        let known = || poses.iter().map(|pose| pose.name.as_str()).filter(|name| !name.is_empty());
        let hint = match nearest(name, known()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if known().next().is_none() => "its file has no keyframes; write `poses`".to_string(),
            None => format!("it has {}", known().collect::<Vec<_>>().join(", ")),
        };
        section.wrong(node, format!("the robot has no keyframe or pose `{name}`; {hint}"));
    }
    found
}

/// Damping of each actuator by its length's rate. A damping ratio ζ makes it 2 ζ √(k m), m the inertia that the actuator
/// feels where the file draws the robot: Σ M_jj/c_j², as MuJoCo does (engine_setconst.c).
fn dampings(robot: &Robot) -> Vec<f64> {
    let inertia = if robot.actuators.iter().any(|a| a.damping_ratio.is_some()) { inertias(robot) } else { Vec::new() };
    let of = |actuator: &Actuator| {
        let Some(ratio) = actuator.damping_ratio.filter(|_| actuator.gain == -actuator.bias[1]) else {
            return -actuator.bias[2];
        };
        let felt = |joint: usize, share: f64| {
            let square = (actuator.gear * share).powi(2);
            if square > 1e-15 { inertia.get(joint).copied().unwrap_or(0.0) / square } else { 0.0 }
        };
        let mass: f64 = match actuator.transmission {
            Transmission::Joint(joint) => felt(joint, 1.0),
            Transmission::Tendon(tendon) => {
                let tendon = &robot.tendons[tendon];
                tendon.joints.iter().zip(&tendon.coefficients).map(|(j, c)| felt(*j, *c)).sum()
            }
        };
        2.0 * ratio * (actuator.gain.max(0.0) * mass).sqrt()
    };
    robot.actuators.iter().map(of).collect()
}

/// The diagonal of the mass matrix where the file draws the robot, by joint; 0 for joints of several coordinates.
fn inertias(robot: &Robot) -> Vec<f64> {
    let made = tree::links(robot);
    let Ok(whole) = Tree::new(made.links, Vector3::zeros()) else { return vec![0.0; robot.joints.len()] };
    let mut q = whole.rest();
    let place = |joint: usize| {
        let before = &whole.links()[..made.joint_at[joint]];
        before.iter().fold((0, 0), |(q, v), link| (q + link.joint.nq(), v + link.joint.nv()))
    };
    for (k, joint) in robot.joints.iter().enumerate().filter(|(_, joint)| joint.kind.nq() == 1) {
        q[whole.q_of_user()[place(k).0] as usize] = joint.reference;
    }
    let (mut frame, mut mass) = (Frame::new(&whole), Mass::new(&whole));
    frame.place(&whole, &q, &Base::default());
    mass.compute(&whole, &frame);
    let diagonal = |k: usize| {
        let column = whole.v_of_user()[place(k).1] as usize;
        mass.entry(&whole, column, column)
    };
    let one =
        |(k, joint): (usize, &crate::robot::description::Joint)| if joint.kind.nv() == 1 { diagonal(k) } else { 0.0 };
    robot.joints.iter().enumerate().map(one).collect()
}

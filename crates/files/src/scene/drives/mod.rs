//! # Drives of a scene: `[[drive]]`
//!
//! - **in**: tables of drives; joints and bodies by name, whoever made them; recorded motion relative to the scene
//! - **out**: [`ReadDrives`]: drives and impedances of a model, and where each key stands in the file
//! - **not here**: what a drive does (`fingerpad_sim`); the file of a recording (`recorded`)
//! - **start at** [`read`]; then `impedance`, `table` (the keys, for editors)

mod actuators;
mod impedance;
pub(super) mod table;

use super::Asset;
use super::bodies::ReadBody;
use super::error::Span;
use super::joints::{NamedFrame, ReadJoints};
use super::keys;
use super::recorded::Recordings;
use super::robots::Acting;
use super::section::{Problems, Range, Section};
use super::tree::{Node, Value};
use crate::units::Dimension::{self, Angle, AngularVelocity, Force, Length, Moment, Number, Speed, Time};
use fingerpad_sim::coordinates::Joint;
use fingerpad_sim::{Drive, DriveKind, Impedance, JointId, ModelJoint, Smooth, Timeline};
use std::path::Path;

/// What the tables say, and where.
#[derive(Default)]
pub(crate) struct ReadDrives {
    pub drives: Vec<Drive>,
    pub impedances: Vec<Impedance>,
    /// By table: the name of its drive, where the table stands, and where its keys do.
    spans: Vec<(String, Span, Vec<(String, Span)>)>,
    /// Actuators of robots that tables command.
    commanded: Vec<String>,
}

impl ReadDrives {
    /// Where a key of a drive stands.
    pub fn span_of(&self, name: &str, key: &str) -> Option<Span> {
        let (_, span, keys) = self.spans.iter().rev().find(|(known, ..)| known == name)?;
        Some(keys.iter().find(|(known, _)| known == key).map_or(span, |(_, span)| span).clone())
    }
}

/// What a joint turns into numbers: angles, lengths, or both.
#[derive(Clone, Copy, PartialEq)]
enum Along {
    Turns,
    Slides,
    Both,
}

impl Along {
    fn pick(self, turning: Dimension, sliding: Dimension) -> Dimension {
        match self {
            Along::Turns => turning,
            Along::Slides => sliding,
            Along::Both => Number,
        }
    }
}

/// What stands around the table of a drive.
struct Known<'a> {
    joints: &'a [ModelJoint],
    bodies: &'a [ReadBody],
    frames: &'a [NamedFrame],
    acting: &'a [Acting],
    recordings: Recordings<'a>,
}

/// Reads all of them.
pub(crate) fn read(
    tables: &[Node],
    (tied, bodies): (&ReadJoints, &[ReadBody]),
    folder: &Path,
    (assets, warnings): (&mut Vec<Asset>, &mut Vec<String>),
    problems: &Problems,
) -> ReadDrives {
    let mut all = ReadDrives::default();
    let (joints, frames) = (&tied.joints[..], &tied.frames[..]);
    let acting = &tied.acting[..];
    let mut known = Known { joints, bodies, frames, acting, recordings: Recordings::new(folder, assets) };
    let mut robots = Vec::new();
    for (i, node) in tables.iter().enumerate() {
        let whose = match (node.get("name").or(node.get("joint")).map(|n| &n.value), i + 1) {
            (Some(Value::Text(name)), _) => format!("of drive `{name}`"),
            (_, number) => format!("of drive {number}"),
        };
        let Some(section) = Section::new(node, keys::DRIVE, &whose, problems) else { continue };
        if section.has("actuator") {
            if let Some(made) = controlled(&section, tied, &mut known) {
                all.commanded.push(made[0].name.clone());
                made.into_iter().for_each(|drive| all.add(drive, &section));
            }
            continue;
        }
        let kind = section.require("type").and_then(|node| section.choice_of(node, "drive", &KINDS));
        if kind == Some(IMPEDANCE) {
            if let Some(impedance) = impedance::read(&section, &mut known) {
                all.note(&impedance.name, &section);
                all.impedances.push(impedance);
            }
        } else if section.has("robot") {
            robots.push((node, whose, kind));
        } else if let Some(drive) = drive(&section, kind, &mut known) {
            all.add(drive, &section);
        }
    }
    for (node, whose, kind) in &robots {
        if let Some(section) = Section::open(node, whose, problems) {
            each_joint(&section, *kind, tied, &mut all);
        }
    }
    all.actuators(tied, warnings);
    all
}

impl ReadDrives {
    fn note(&mut self, name: &str, section: &Section) {
        let first = ["name", "joint", "frame", "robot", "actuator"].iter().find_map(|key| section.get(key));
        let span = first.map_or(section.span(), |node| &node.span).clone();
        let keys = section.entries().iter().map(|entry| (entry.key.clone(), entry.node.span.clone()));
        self.spans.push((name.to_string(), span, keys.collect()));
    }

    fn add(&mut self, drive: Drive, section: &Section) {
        self.note(&drive.name, section);
        self.drives.push(drive);
    }

    /// Adds the actuators of robots: those that no table commands, and whose joint no drive of the scene moves by itself.
    fn actuators(&mut self, tied: &ReadJoints, warnings: &mut Vec<String>) {
        let alone: Vec<JointId> = self.drives.iter().filter(|d| d.along.len() == 1).map(|d| d.along[0].0).collect();
        for robot in &tied.acting {
            let smooth = robot.sequence.as_ref().map_or(Smooth::default(), |sequence| sequence.smooth);
            let mut replaced = 0;
            for of in robot.actuators.iter().filter(|of| !self.commanded.contains(&of.name)) {
                if of.on_joint && alone.contains(&of.along[0].0) {
                    replaced += 1;
                    continue;
                }
                match actuators::drives(of, &of.controls, smooth) {
                    Ok(made) => {
                        for drive in made {
                            self.spans.push((drive.name.clone(), robot.span.clone(), Vec::new()));
                            self.drives.push(drive);
                        }
                    }
                    Err(why) => warnings.push(format!("actuator `{}` does not act: {why} ({})", of.name, of.place)),
                }
            }
            if replaced > 0 {
                let s = if replaced == 1 { "its joint has a [[drive]]" } else { "their joints have a [[drive]]" };
                warnings.push(format!("robot `{}`: {replaced} of its actuators do not act, since {s}", robot.name));
            }
        }
    }
}

/// An actuator of a robot's file, with its control from the table.
fn controlled(section: &Section, tied: &ReadJoints, known: &mut Known) -> Option<Vec<Drive>> {
    let taken = ["actuator", "timeline", "recording", "smooth"];
    for entry in section.entries().iter().filter(|entry| !taken.contains(&entry.key.as_str())) {
        let message = format!("the control of an actuator takes no `{}`: its robot's file says the rest", entry.key);
        section.wrong(&entry.node, message);
    }
    let node = section.require("actuator")?;
    let name = section.text_of(node)?;
    let Some(of) = actuators::named(&tied.acting, name) else {
        let names: Vec<&str> = tied.acting.iter().flat_map(|r| &r.actuators).map(|of| of.name.as_str()).collect();
        section.problems().no_such("actuator", name, &node.span, &names, section.whose);
        return None;
    };
    if !section.has("timeline") && !section.has("recording") {
        section.lacks("missing key `timeline`, or `recording`: the control over time");
        return None;
    }
    let smooth = smooth(section);
    let own = name.rsplit('/').next().unwrap_or(name);
    let points = match section.get("timeline") {
        Some(node) => points(section, node, Number)?,
        None => {
            let node = section.get("recording")?;
            let file = section.text_of(node)?;
            let read = known.recordings.column(file, &[name, own], Number);
            read.map_err(|message| section.wrong(node, message)).ok()?.0
        }
    };
    let node = section.get("timeline").or(section.get("recording"))?;
    if let Err(error) = Timeline::stops(&points, smooth) {
        let list = section.get("timeline").and_then(|node| section.list_of(node, ""));
        section.wrong(list.and_then(|list| list.get(error.point)).unwrap_or(node), error.message);
        return None;
    }
    let held = |u: f64| of.actuator.control_range.map_or(u, |[low, high]| u.clamp(low, high));
    let points: Vec<[f64; 2]> = points.into_iter().map(|[t, u]| [t, held(u)]).collect();
    actuators::drives(of, &points, smooth).map_err(|why| section.wrong(node, why)).ok()
}

/// A position drive on each joint of a robot that no other drive moves by itself.
fn each_joint(section: &Section, kind: Option<usize>, tied: &ReadJoints, all: &mut ReadDrives) {
    let (Some(kind), Some(node)) = (kind, section.get("robot")) else { return };
    let Some(name) = section.text_of(node) else { return };
    let Some(robot) = tied.acting.iter().find(|robot| robot.name == name) else {
        let names: Vec<&str> = tied.acting.iter().map(|robot| robot.name.as_str()).collect();
        section.problems().no_such("robot", name, &node.span, &names, section.whose);
        return;
    };
    if kind != POSITION {
        section.wrong(node, "a drive of a whole robot is of type \"position\"; others name a `joint`");
        return;
    }
    let own = ["joint", "joints", "coefficients", "name", "timeline", "recording", "smooth"];
    for entry in own.iter().filter_map(|key| section.entry(key)) {
        let message = format!("a drive of a whole robot takes no `{}`: `sequence` of the robot leads it", entry.key);
        section.wrong(&entry.node, message);
    }
    refuse_keys(section, kind);
    let taken: Vec<JointId> = all.drives.iter().flat_map(|drive| drive.along.iter().map(|one| one.0)).collect();
    for id in robot.joints.iter().filter(|id| !taken.contains(id)) {
        let joint = &tied.joints[id.0];
        let turns = matches!(joint.kind, Joint::Revolute(_));
        let of = if turns { Along::Turns } else { Along::Slides };
        let Some(stiffness) = gain(section, "stiffness", of, true) else { return };
        let damping = gain(section, "damping", of, false).unwrap_or(0.0);
        let limit = section.quantity("limit", "`limit`", of.pick(Moment, Force), Range::Positive);
        let rest = joint.q.first().copied().unwrap_or(0.0);
        let reference = actuators::sequence(&tied.acting, &[(*id, 1.0)]).unwrap_or_else(|| Timeline::constant(rest));
        let kind = DriveKind::Position { stiffness, damping };
        let (along, limit) = (vec![(*id, 1.0)], limit.unwrap_or(f64::INFINITY));
        all.add(Drive { name: joint.name.clone(), along, kind, limit, reference }, section);
    }
}

/// Stiffness or damping along joints.
fn gain(section: &Section, key: &str, of: Along, needed: bool) -> Option<f64> {
    if needed {
        section.require(key)?;
    }
    let dimension = match key {
        "stiffness" => of.pick(Dimension::TorsionalStiffness, Dimension::Stiffness { n: 1.0 }),
        _ => of.pick(Dimension::TorsionalDamping, Dimension::Damping),
    };
    section.quantity(key, &format!("`{key}`"), dimension, Range::NotNegative)
}

/// Kinds of drives by their names, and two of them by number.
const KINDS: [(&str, usize); 5] =
    [("position", 0), ("velocity", 1), ("torque", 2), ("grip", 3), ("impedance", IMPEDANCE)];
const POSITION: usize = 0;
const IMPEDANCE: usize = 4;

/// How the way between points is taken.
fn smooth(section: &Section) -> Smooth {
    let known = [("cubic", Smooth::Cubic), ("quintic", Smooth::Quintic), ("none", Smooth::None)];
    section.choice("smooth", &known).unwrap_or_default()
}

fn drive(section: &Section, kind: Option<usize>, known: &mut Known) -> Option<Drive> {
    let along = along(section, known.joints);
    let (kind, along) = (kind?, along?);
    let first = &known.joints[along[0].0.0];
    let turns = |(id, _): &(JointId, f64)| matches!(known.joints[id.0].kind, Joint::Revolute(_));
    let of = match along.iter().filter(|one| turns(one)).count() {
        0 => Along::Slides,
        n if n == along.len() => Along::Turns,
        _ => Along::Both,
    };
    let name = section.text("name").map_or_else(|| first.name.clone(), str::to_string);
    let damping = of.pick(Dimension::TorsionalDamping, Dimension::Damping);
    refuse_keys(section, kind);
    let (kind, value) = match kind {
        POSITION => {
            let damping = gain(section, "damping", of, false).unwrap_or(0.0);
            let stiffness = gain(section, "stiffness", of, true)?;
            (DriveKind::Position { stiffness, damping }, of.pick(Angle, Length))
        }
        1 => (DriveKind::Velocity { damping: gain(section, "damping", of, true)? }, of.pick(AngularVelocity, Speed)),
        2 => (DriveKind::Torque, of.pick(Moment, Force)),
        _ => {
            section.require("speed")?;
            let speed = section.quantity("speed", "`speed`", of.pick(AngularVelocity, Speed), Range::Any)?;
            let damping = section.quantity("damping", "`damping`", damping, Range::Positive);
            (DriveKind::Grip { speed, damping }, Force)
        }
    };
    let limit = section.quantity("limit", "`limit`", of.pick(Moment, Force), Range::Positive);
    // A position drive that is told nothing holds its joints where they start.
    let start = |(id, share): &(JointId, f64)| share * known.joints[id.0].q.first().copied().unwrap_or(0.0);
    let rest = match kind {
        DriveKind::Position { .. } => along.iter().map(start).sum(),
        DriveKind::Grip { .. } => grip_force(section)?,
        DriveKind::Velocity { .. } | DriveKind::Torque => 0.0,
    };
    let led = matches!(kind, DriveKind::Position { .. }) && !section.has("timeline") && !section.has("recording");
    let reference = match actuators::sequence(known.acting, &along).filter(|_| led && !section.has("smooth")) {
        Some(way) => way,
        None => reference(section, &name, &first.name, value, rest, &mut known.recordings)?,
    };
    Some(Drive { name, along, kind, limit: limit.unwrap_or(f64::INFINITY), reference })
}

/// The normal force of a grip: steady, or over time.
fn grip_force(section: &Section) -> Option<f64> {
    let over_time = section.has("timeline") || section.has("recording");
    match section.get("force") {
        Some(node) if over_time => {
            section.wrong(node, "a grip takes `force`, or a force over time in `timeline` or `recording`, got both");
            None
        }
        Some(node) => section.quantity_of(node, "`force`", Force, Range::Positive),
        None if over_time => Some(0.0),
        None => {
            section.lacks("missing key `force`, or a `timeline` of the force");
            None
        }
    }
}

/// Keys that a kind of drive does not take.
fn refuse_keys(section: &Section, kind: usize) {
    let (name, not) = match kind {
        0 => ("position", &["force", "speed"][..]),
        1 => ("velocity", &["stiffness", "force", "speed"][..]),
        2 => ("torque", &["stiffness", "damping", "force", "speed"][..]),
        _ => ("grip", &["stiffness"][..]),
    };
    for entry in not.iter().chain(&["frame", "to", "position", "orientation"]).filter_map(|key| section.entry(key)) {
        section.wrong(&entry.node, format!("a {name} drive takes no `{}`", entry.key));
    }
}

/// Joints with their shares.
fn along(section: &Section, joints: &[ModelJoint]) -> Option<Vec<(JointId, f64)>> {
    let names: Vec<&str> = joints.iter().map(|joint| joint.name.as_str()).collect();
    let find = |node: &Node| {
        let text = match &node.value {
            Value::Text(text) => text.as_str(),
            _ => {
                section.wrong(node, format!("expected the name of a joint, got {}", node.kind()));
                return None;
            }
        };
        let found = names.iter().position(|known| *known == text);
        if found.is_none() {
            section.problems().no_such("joint", text, &node.span, &names, section.whose);
        }
        found.map(JointId)
    };
    section.not_both("joint", "joints");
    let Some(node) = section.get("joints") else {
        if let Some(node) = section.get("coefficients") {
            section.wrong(node, "`coefficients` stand beside `joints`, a list; a drive on one `joint` has none");
        }
        return Some(vec![(find(section.require("joint")?)?, 1.0)]);
    };
    let list = section.list_of(node, "a list of joints")?;
    if list.is_empty() {
        section.wrong(node, "expected at least one joint");
        return None;
    }
    let found = list.iter().map(find).collect::<Option<Vec<_>>>()?;
    let Some(node) = section.get("coefficients") else { return Some(found.into_iter().map(|id| (id, 1.0)).collect()) };
    let shares = section.list_of(node, "a list of numbers, one for each joint")?;
    if shares.len() != found.len() {
        section.wrong(node, format!("expected one number for each of {} joints, got {}", found.len(), shares.len()));
        return None;
    }
    let share = |node| section.quantity_of(node, "`coefficients`", Number, Range::Any);
    found.into_iter().zip(shares).map(|(id, node)| Some((id, share(node)?))).collect()
}

/// Points [time, value].
fn points(section: &Section, node: &Node, value: Dimension) -> Option<Vec<[f64; 2]>> {
    let list = section.list_of(node, "a list of points [time, value]")?;
    let mut points = Vec::with_capacity(list.len());
    for point in list {
        let pair = section.list_of(point, "a point [time, value]")?;
        let [t, x] = pair else {
            section.wrong(point, format!("a point of a timeline is [time, value], got {} numbers", pair.len()));
            return None;
        };
        let t = section.quantity_of(t, "the time of a point", Time, Range::Any)?;
        points.push([t, section.quantity_of(x, "the value of a point", value, Range::Any)?]);
    }
    Some(points)
}

/// The reference over time.
fn reference(
    section: &Section,
    name: &str,
    joint: &str,
    value: Dimension,
    rest: f64,
    recordings: &mut Recordings,
) -> Option<Timeline> {
    let smooth = smooth(section);
    section.not_both("timeline", "recording");
    if let Some(node) = section.get("timeline") {
        let points = points(section, node, value)?;
        let list = section.list_of(node, "a list of points [time, value]")?;
        return match Timeline::stops(&points, smooth) {
            Ok(line) => Some(line),
            Err(error) => {
                section.wrong(list.get(error.point).unwrap_or(node), error.message);
                None
            }
        };
    }
    let Some(node) = section.get("recording") else {
        if let Some(node) = section.get("smooth") {
            section.wrong(node, "`smooth` stands beside `timeline` or `recording`");
        }
        return Some(Timeline::constant(rest));
    };
    let file = section.text_of(node)?;
    let read = recordings.column(file, &[name, joint], value);
    let made = read.and_then(|(points, lines)| {
        Timeline::through(&points, smooth).map_err(|e| format!("{file}:{}: {}", lines[e.point], e.message))
    });
    made.map_err(|message| section.wrong(node, message)).ok()
}

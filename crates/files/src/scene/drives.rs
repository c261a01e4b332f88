//! # Drives of a scene: `[[drive]]`
//!
//! - **in**: tables of drives; joints by name, whoever made them; recorded motion relative to the scene
//! - **out**: [`ReadDrives`]: drives of a model, and where each key stands in the file
//! - **not here**: what a drive does (`fingerpad_sim`); the file of a recording (`recorded`)
//! - **start at** [`read`]

use super::Asset;
use super::error::Span;
use super::keys;
use super::recorded::Recordings;
use super::schema::Quantity;
use super::section::{Problems, Range, Section};
use super::tree::{Node, Value};
use crate::units::Dimension::{self, Angle, AngularVelocity, Force, Length, Moment, Number, Speed, Time};
use fingerpad_sim::coordinates::Joint;
use fingerpad_sim::{Drive, DriveKind, JointId, ModelJoint, Smooth, Timeline};
use schemars::JsonSchema;
use std::path::Path;

/// What the tables say, and where.
#[derive(Default)]
pub(crate) struct ReadDrives {
    pub drives: Vec<Drive>,
    /// By drive: where the table stands, and where its keys do.
    spans: Vec<(Span, Vec<(String, Span)>)>,
}

impl ReadDrives {
    /// Where a key of a drive stands.
    pub fn span_of(&self, name: &str, key: &str) -> Option<Span> {
        let at = self.drives.iter().rposition(|drive| drive.name == name)?;
        let (span, keys) = self.spans.get(at)?;
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
    recordings: Recordings<'a>,
}

/// Reads all of them.
pub(crate) fn read(
    tables: &[Node],
    joints: &[ModelJoint],
    folder: &Path,
    assets: &mut Vec<Asset>,
    problems: &Problems,
) -> ReadDrives {
    let mut all = ReadDrives::default();
    let mut known = Known { joints, recordings: Recordings::new(folder, assets) };
    for (i, node) in tables.iter().enumerate() {
        let whose = match (node.get("name").or(node.get("joint")).map(|n| &n.value), i + 1) {
            (Some(Value::Text(name)), _) => format!("of drive `{name}`"),
            (_, number) => format!("of drive {number}"),
        };
        let Some(section) = Section::new(node, keys::DRIVE, &whose, problems) else { continue };
        if let Some(drive) = drive(&section, &mut known) {
            let span = section.get("name").or(section.get("joint")).map_or(section.span(), |node| &node.span).clone();
            let keys = section.entries().iter().map(|entry| (entry.key.clone(), entry.node.span.clone()));
            all.spans.push((span, keys.collect()));
            all.drives.push(drive);
        }
    }
    all
}

fn drive(section: &Section, known: &mut Known) -> Option<Drive> {
    let kinds = [("position", 0), ("velocity", 1), ("torque", 2), ("grip", 3)];
    let kind = section.require("type").and_then(|node| section.choice_of(node, "drive", &kinds));
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
    let gain = |key: &str, dimension: Dimension| {
        section.require(key)?;
        section.quantity(key, &format!("`{key}`"), dimension, Range::NotNegative)
    };
    let stiffness = of.pick(Dimension::TorsionalStiffness, Dimension::Stiffness { n: 1.0 });
    let damping = of.pick(Dimension::TorsionalDamping, Dimension::Damping);
    refuse_keys(section, kind);
    let (kind, value) = match kind {
        0 => {
            let damping = section.quantity("damping", "`damping`", damping, Range::NotNegative).unwrap_or(0.0);
            (DriveKind::Position { stiffness: gain("stiffness", stiffness)?, damping }, of.pick(Angle, Length))
        }
        1 => (DriveKind::Velocity { damping: gain("damping", damping)? }, of.pick(AngularVelocity, Speed)),
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
    let reference = reference(section, &name, &first.name, value, rest, &mut known.recordings)?;
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
    for entry in not.iter().filter_map(|key| section.entry(key)) {
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

/// The reference over time.
fn reference(
    section: &Section,
    name: &str,
    joint: &str,
    value: Dimension,
    rest: f64,
    recordings: &mut Recordings,
) -> Option<Timeline> {
    let smooth = [("cubic", Smooth::Cubic), ("quintic", Smooth::Quintic), ("none", Smooth::None)];
    let smooth = section.choice("smooth", &smooth).unwrap_or_default();
    section.not_both("timeline", "recording");
    if let Some(node) = section.get("timeline") {
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

/// A drive of a joint: what moves it as it is told.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)] // the schema
pub(super) struct DriveTable {
    /// For messages, commands and checks; the name of its joint if absent.
    name: Option<String>,
    /// The revolute or prismatic joint that it moves.
    joint: Option<String>,
    /// In place of `joint`: several, whose weighted sum it moves (a tendon).
    joints: Option<Vec<String>>,
    /// Weights of `joints`; 1 each if absent.
    coefficients: Option<Vec<f64>>,
    /// What it follows: a position (spring and damper), a velocity (damper), a force that is given, or a grip: it closes until a normal force, then holds that.
    #[schemars(rename = "type")]
    kind: DriveType,
    /// Of a position drive (N·m/rad or N/m).
    stiffness: Option<Quantity>,
    /// Of position and velocity drives (N·m·s/rad or N·s/m), on the way from the reference; 0 if absent for a position.
    damping: Option<Quantity>,
    /// Largest force (N·m or N); none if absent.
    limit: Option<Quantity>,
    /// Of a grip: the normal force that it holds (N). In place of `timeline`.
    force: Option<Quantity>,
    /// Of a grip: the velocity of the joint at which it closes (rad/s or m/s); its sign says which way.
    speed: Option<Quantity>,
    /// Points [time, value] at which the reference rests; it stays before the first and after the last. Where it starts, or 0, if absent.
    timeline: Option<Vec<[Quantity; 2]>>,
    /// In place of `timeline`: a CSV file with a column `t [s]` and one that is named as the joint or the drive.
    recording: Option<String>,
    /// The way between points; "cubic" if absent.
    smooth: Option<SmoothWay>,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[allow(dead_code)] // the schema
enum DriveType {
    Position,
    Velocity,
    Torque,
    Grip,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[allow(dead_code)] // the schema
enum SmoothWay {
    /// Rates of both ends are met.
    Cubic,
    /// Rates and accelerations of both ends are met.
    Quintic,
    /// Straight.
    None,
}

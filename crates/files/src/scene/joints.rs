//! # Joints of a scene: `[[joint]]`, `[[coupling]]`, `[[loop]]`
//!
//! - **in**: tables of joints, couplings and loops; bodies where the file puts them
//! - **out**: [`ReadJoints`]: joints of a model with q = 0 where bodies stand, and where each key stands in the file
//! - **not here**: what makes no tree (`fingerpad_sim`); drives
//! - **start at** [`read`]

use super::bodies::ReadBody;
use super::error::{Problem, Span};
use super::keys;
use super::pairs::body_named;
use super::poses::direction;
use super::robots::Acting;
use super::section::{Problems, Range, Section};
use super::tree::{Node, Value};
use crate::units::Dimension::{self, Angle, AngularVelocity, Length, Number, Speed};
use fingerpad_sim::coordinates::{Joint, JointLaw, Spring};
use fingerpad_sim::{BodyId, Coupling, CouplingLaw, JointId, Loop, LoopKind, ModelJoint};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use std::collections::{HashMap, HashSet};

/// What the tables say, and where.
#[derive(Default)]
pub(crate) struct ReadJoints {
    pub joints: Vec<ModelJoint>,
    pub couplings: Vec<Coupling>,
    pub loops: Vec<Loop>,
    /// Named frames of robots.
    pub frames: Vec<NamedFrame>,
    /// What robots bring that acts.
    pub acting: Vec<Acting>,
    /// By name: where the table stands, and where its keys do.
    spans: Vec<Place>,
    /// Joints of robots: where they stand in the robot's file.
    pub places: HashMap<String, String>,
}

/// A frame that a robot's file names, `robot/frame`: its body and its pose there.
pub(crate) type NamedFrame = (String, BodyId, Isometry3<f64>);

/// A name, where its table stands, and where its keys do.
type Place = (String, Span, Vec<(String, Span)>);

impl ReadJoints {
    /// Where a key of a joint, coupling or loop stands.
    pub fn span_of(&self, name: &str, key: &str) -> Option<Span> {
        let (_, span, keys) = self.spans.iter().find(|(known, ..)| known == name)?;
        Some(keys.iter().find(|(known, _)| known == key).map_or(span, |(_, span)| span).clone())
    }

    /// Bodies that share a joint, the lower first.
    pub fn neighbours(&self) -> HashSet<(usize, usize)> {
        let both = |joint: &ModelJoint| joint.parent.map(|p| (p.0.min(joint.child.0), p.0.max(joint.child.0)));
        self.joints.iter().filter_map(both).collect()
    }

    /// Adds a joint of a robot: where its robot and its start stand in the scene, and it in the robot's file.
    pub fn add(&mut self, joint: ModelJoint, span: &Span, start: Option<&Span>, place: String) {
        let keys = start.map(|span| ("start".to_string(), span.clone()));
        self.note_robot(&joint.name, span, keys.into_iter().collect(), place);
        self.joints.push(joint);
    }

    /// Notes where something of a robot stands.
    pub fn note_robot(&mut self, name: &str, span: &Span, keys: Vec<(String, Span)>, place: String) {
        self.spans.push((name.to_string(), span.clone(), keys));
        self.places.insert(name.to_string(), place);
    }

    fn note(&mut self, name: &str, section: &Section) {
        let span = section.get("name").map_or(section.span(), |node| &node.span).clone();
        let keys = section.entries().iter().map(|entry| (entry.key.clone(), entry.node.span.clone())).collect();
        self.spans.push((name.to_string(), span, keys));
    }
}

/// Reads all of them, beside those that robots have brought.
pub(crate) fn read(
    [joints, couplings, loops]: [&[Node]; 3],
    mut all: ReadJoints,
    bodies: &[ReadBody],
    problems: &Problems,
) -> ReadJoints {
    for (i, node) in joints.iter().enumerate() {
        let whose = whose(node, "joint", i);
        if let Some(section) = Section::new(node, keys::JOINT, &whose, problems)
            && let Some(joint) = joint(&section, bodies)
        {
            if let Some(other) = all.joints.iter().find(|other| other.name == joint.name) {
                section.lacks(format!("there is a joint `{}` already", other.name));
            }
            all.note(&joint.name, &section);
            all.joints.push(joint);
        }
    }
    for (i, node) in couplings.iter().enumerate() {
        let whose = whose(node, "coupling", i);
        if let Some(section) = Section::new(node, keys::COUPLING, &whose, problems)
            && let Some(coupling) = coupling(&section, i, &all.joints)
        {
            all.note(&coupling.name, &section);
            all.couplings.push(coupling);
        }
    }
    for (i, node) in loops.iter().enumerate() {
        let whose = whose(node, "loop", i);
        if let Some(section) = Section::new(node, keys::LOOP, &whose, problems)
            && let Some(one) = closed(&section, i, bodies)
        {
            all.note(&one.name, &section);
            all.loops.push(one);
        }
    }
    velocities(&all, bodies, problems);
    all
}

fn whose(node: &Node, what: &str, index: usize) -> String {
    match node.get("name").map(|n| &n.value) {
        Some(Value::Text(name)) => format!("of {what} `{name}`"),
        _ => format!("of {what} {}", index + 1),
    }
}

/// Velocities of bodies on joints are those of the joints.
fn velocities(all: &ReadJoints, bodies: &[ReadBody], problems: &Problems) {
    for joint in &all.joints {
        let body = &bodies[joint.child.0];
        for key in ["velocity", "angular_velocity"] {
            if let Some((_, span)) = body.keys.iter().find(|(known, _)| known == key) {
                let message =
                    format!("a body on a joint takes no `{key}`; give `start_velocity` of joint `{}`", joint.name);
                problems.push(Problem::new(span.clone(), message).label(format!("of body `{}`", body.body.name)));
            }
        }
    }
}

/// A body by name; the outer `None` is trouble, the inner one the world.
fn body_or_world(node: &Node, bodies: &[ReadBody], section: &Section) -> Option<Option<usize>> {
    if matches!(&node.value, Value::Text(name) if name == "world") {
        return Some(None);
    }
    let names: Vec<&str> = bodies.iter().map(|b| b.body.name.as_str()).collect();
    body_named(node, &names, section).map(Some)
}

fn joint(section: &Section, bodies: &[ReadBody]) -> Option<ModelJoint> {
    let kinds = [("fixed", 0), ("revolute", 1), ("prismatic", 2), ("planar", 3), ("ball", 4)];
    let name = section.require("name").and_then(|node| section.text_of(node)).map(str::to_string);
    let kind = section.require("type").and_then(|node| section.choice_of(node, "joint", &kinds));
    let parent = section.require("parent").and_then(|node| body_or_world(node, bodies, section));
    let child = section.require("child").and_then(|node| body_or_world(node, bodies, section));
    let (name, kind, parent, child) = (name?, kind?, parent?, child?);
    let Some(child) = child else {
        section.lacks("the world cannot hang on a joint; swap `parent` and `child`");
        return None;
    };
    let turned = |axis: &Vector3<f64>| {
        UnitQuaternion::rotation_between(&Vector3::z(), axis)
            .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI))
    };
    let axis = match (kind, section.get("axis")) {
        (1..=3, Some(node)) => direction(node, section, "`axis`")?,
        (1 | 2, None) => {
            section.lacks("missing key `axis`");
            return None;
        }
        (_, Some(node)) => {
            section.wrong(node, "a fixed or ball joint has no axis");
            return None;
        }
        (_, None) => Vector3::z_axis(),
    };
    let body = &bodies[child].body;
    let at = section.vector::<3>("position", "position", Length, Range::Any).map(Vector3::from);
    let mut X_WF = Isometry3::from(Translation3::from(at.unwrap_or(body.X_WB.translation.vector)));
    if kind == 3 {
        X_WF.rotation = turned(&axis);
    }
    let kind = match kind {
        0 => Joint::Fixed,
        1 => Joint::Revolute(axis),
        2 => Joint::Prismatic(axis),
        3 => Joint::Planar,
        _ => Joint::Ball,
    };
    let parent = parent.map(|p| (BodyId(p), &bodies[p].body));
    let mut joint = ModelJoint::at(&name, kind, parent, (BodyId(child), body), &X_WF);
    laws(section, &mut joint);
    start(section, &mut joint);
    Some(joint)
}

/// What acts along the coordinate of a hinge or a slide.
fn laws(section: &Section, joint: &mut ModelJoint) {
    let along = ["limits", "restitution", "armature", "damping", "friction_loss", "spring"];
    let turns = match joint.kind {
        Joint::Revolute(_) => true,
        Joint::Prismatic(_) => false,
        _ => {
            for key in along.iter().filter_map(|key| section.entry(key)) {
                let message =
                    format!("a {} joint takes no `{}`; it acts along a single coordinate", joint.kind.name(), key.key);
                section.problems().push(Problem::new(key.key_span.clone(), message).label(section.whose));
            }
            return;
        }
    };
    let pick = |turning: Dimension, sliding: Dimension| if turns { turning } else { sliding };
    let position = pick(Angle, Length);
    let damping = pick(Dimension::TorsionalDamping, Dimension::Damping);
    let stiffness = pick(Dimension::TorsionalStiffness, Dimension::Stiffness { n: 1.0 });
    let not_negative =
        |key: &str, dimension| section.quantity(key, &format!("`{key}`"), dimension, Range::NotNegative).unwrap_or(0.0);
    let mut law = JointLaw {
        limit: None,
        restitution: section
            .quantity("restitution", "`restitution`", Number, Range::Within(-f64::MIN_POSITIVE, 1.0, "from 0 to 1"))
            .unwrap_or(0.0),
        damping: not_negative("damping", damping),
        friction_loss: not_negative("friction_loss", pick(Dimension::Moment, Dimension::Force)),
        spring: None,
    };
    if let Some(node) = section.get("limits")
        && let Some([low, high]) = section.vector_of::<2>(node, "`limits`", position, Range::Any)
    {
        if low > high {
            section.wrong(node, format!("the lower limit must not be above the upper one, got {low} and {high}"));
        }
        law.limit = Some([low, high]);
    }
    if let Some(node) = section.get("spring")
        && let Some(spring) = Section::new(node, keys::SPRING, section.whose, section.problems())
    {
        spring.require("stiffness");
        let k = spring.quantity("stiffness", "`stiffness`", stiffness, Range::NotNegative).unwrap_or(0.0);
        let rest = spring.quantity("rest", "`rest`", position, Range::Any).unwrap_or(0.0);
        law.spring = Some(Spring { stiffness: k, rest });
    }
    joint.armature = not_negative("armature", pick(Dimension::Inertia, Dimension::Mass));
    joint.laws = vec![law];
}

/// Coordinates and velocities at time 0.
fn start(section: &Section, joint: &mut ModelJoint) {
    let one = |key: &str, dimension| section.quantity(key, &format!("`{key}`"), dimension, Range::Any).map(|x| vec![x]);
    let given = match joint.kind {
        Joint::Revolute(_) => (one("start", Angle), one("start_velocity", AngularVelocity)),
        Joint::Prismatic(_) => (one("start", Length), one("start_velocity", Speed)),
        Joint::Planar => {
            (planar(section, "start", Length, Angle), planar(section, "start_velocity", Speed, AngularVelocity))
        }
        Joint::Ball => (
            section.vector::<4>("start", "`start` as a quaternion [w, x, y, z]", Number, Range::Any).map(|q| {
                let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
                if let (0.0, Some(node)) = (norm, section.get("start")) {
                    section.wrong(node, "a quaternion must have a length above zero");
                    return vec![1.0, 0.0, 0.0, 0.0];
                }
                q.iter().map(|x| x / norm).collect()
            }),
            section.vector::<3>("start_velocity", "`start_velocity`", AngularVelocity, Range::Any).map(|v| v.to_vec()),
        ),
        _ => {
            for key in ["start", "start_velocity"].iter().filter_map(|key| section.get(key)) {
                section.wrong(key, "a fixed joint does not move");
            }
            (None, None)
        }
    };
    (joint.q, joint.v) = (given.0.unwrap_or_default(), given.1.unwrap_or_default());
}

/// `[x, y, angle]`.
fn planar(section: &Section, key: &str, along: Dimension, about: Dimension) -> Option<Vec<f64>> {
    let node = section.get(key)?;
    match section.list_of(node, &format!("a list [x, y, angle] for `{key}`"))? {
        [x, y, angle] => [(x, along), (y, along), (angle, about)]
            .into_iter()
            .map(|(node, dimension)| section.quantity_of(node, &format!("`{key}`"), dimension, Range::Any))
            .collect(),
        list => {
            section.wrong(node, format!("expected a list [x, y, angle] for `{key}`, got {} numbers", list.len()));
            None
        }
    }
}

fn coupling(section: &Section, index: usize, joints: &[ModelJoint]) -> Option<Coupling> {
    let name = section.text("name").map_or_else(|| format!("coupling {}", index + 1), str::to_string);
    let names: Vec<&str> = joints.iter().map(|joint| joint.name.as_str()).collect();
    let list = section.require("joints").and_then(|node| section.list_of(node, "a list of joints"))?;
    let mut found = Vec::new();
    for node in list {
        let text = section.text_of(node)?;
        match names.iter().position(|known| *known == text) {
            Some(at) => found.push(JointId(at)),
            None => {
                section.problems().no_such("joint", text, &node.span, &names, section.whose);
                return None;
            }
        }
    }
    section.not_both("coefficients", "polynomial");
    let numbers = |key: &str| {
        let list = section.list_of(section.get(key)?, "a list of numbers")?;
        list.iter()
            .map(|node| section.quantity_of(node, &format!("`{key}`"), Number, Range::Any))
            .collect::<Option<Vec<_>>>()
    };
    let law = if section.has("polynomial") {
        if let Some(offset) = section.entry("offset") {
            let message = "a polynomial has its constant term first; it takes no `offset`";
            section.problems().push(Problem::new(offset.key_span.clone(), message).label(section.whose));
        }
        CouplingLaw::Polynomial { coefficients: numbers("polynomial")? }
    } else {
        section.require("coefficients")?;
        // Angles and lengths may be mixed: SI.
        let offset = section.quantity("offset", "`offset`", Number, Range::Any).unwrap_or(0.0);
        CouplingLaw::Linear { coefficients: numbers("coefficients")?, offset }
    };
    Some(Coupling { name, joints: found, law })
}

fn closed(section: &Section, index: usize, bodies: &[ReadBody]) -> Option<Loop> {
    let name = section.text("name").map_or_else(|| format!("loop {}", index + 1), str::to_string);
    let kinds = [("connect", LoopKind::Connect), ("weld", LoopKind::Weld)];
    let kind = section.require("type").and_then(|node| section.choice_of(node, "loop", &kinds))?;
    let node = section.require("bodies")?;
    let [a, b] = section.list_of(node, "a list of two bodies")? else {
        section.wrong(node, "expected two bodies");
        return None;
    };
    let both = [body_or_world(a, bodies, section)?, body_or_world(b, bodies, section)?];
    let place = |k: usize| both[k].map(|i| bodies[i].body.X_WB.translation.vector);
    let at = section.vector::<3>("position", "position", Length, Range::Any).map(Vector3::from);
    let at = at.or_else(|| place(1)).or_else(|| place(0)).unwrap_or_default();
    let of = |k: usize| both[k].map(|i| (BodyId(i), &bodies[i].body));
    Some(Loop::at(&name, kind, [of(0), of(1)], &Isometry3::from(Translation3::from(at))))
}

//! # Robots of a scene: `[[robot]]`
//!
//! URDF, MJCF ──([`Robot`])──▶ **here** ──(bodies `robot/link`, joints `robot/joint`, couplings, loops, actuators)──▶ `build`
//!
//! - **in**: tables of robots; the files that they name; bodies and materials of the scene
//! - **out**: links and joints beside those of the scene; which of them do not touch ([`Touching`])
//! - **not here**: reading of robot files (`crate::robot`); motion (`fingerpad_sim`)
//! - **assumes**: bodies of the scene are read and stand where the file puts them
//! - **start at** [`read`], then `links`
//!
//! A link is one body at the link's own frame, which has its mass. Surfaces are bodies of their own without mass, fixed to
//! the link and named `robot/link#1`, `#2`, …; reports give them the link's name (`Body::part_of`).

mod acting;
mod contacts;
mod links;
mod start;
mod surfaces;

pub(crate) use acting::{Acting, ActuatorOf};
pub(crate) use contacts::Touching;

use super::bodies::{self, ReadBody};
use super::error::{Problem, Span};
use super::joints::ReadJoints;
use super::keys;
use super::materials::Materials;
use super::poses::pose;
use super::section::{Problems, Section};
use super::shapes::Shapes;
use super::tree::{Node, Value};
use crate::robot::description::Place;
use crate::robot::{self, Format, Robot, RobotOptions};
use fingerpad_contact::surface::mesh::SurfaceChoice;
use nalgebra::Isometry3;
use std::collections::HashSet;

/// Warnings about a robot's file that are told one by one.
const TOLD: usize = 3;

/// What the base of a robot stands on.
#[derive(Clone, Copy, PartialEq)]
enum Base {
    /// The world.
    Fixed,
    /// Nothing.
    Free,
    /// A body of the scene, or a link of a robot before this one.
    On(usize),
}

/// A `[[robot]]` as its table tells it, with the robot that its file describes.
struct Table<'a> {
    section: Section<'a>,
    name: String,
    /// Where its name stands.
    span: Span,
    robot: Robot,
    /// Pose of the base in the world, or in the body that it stands on.
    X_PR: Isometry3<f64>,
    base: Base,
    /// Whether links of this robot touch each other.
    self_contact: bool,
    meshes: SurfaceChoice,
}

/// What readers of a robot may change.
pub(crate) struct Scope<'s, 'p> {
    pub materials: &'s mut Materials,
    pub shapes: &'s mut Shapes<'p>,
    pub bodies: &'s mut Vec<ReadBody>,
    pub problems: &'s Problems,
}

/// Reads all robots: their links follow the bodies of the scene.
pub(crate) fn read(tables: &[Node], scope: &mut Scope) -> (ReadJoints, Touching) {
    let (mut tied, mut touching) = (ReadJoints::default(), Touching::default());
    let mut names: HashSet<String> = HashSet::new();
    let problems = scope.problems;
    for (i, node) in tables.iter().enumerate() {
        let whose = match node.get("name").map(|n| &n.value) {
            Some(Value::Text(name)) => format!("of robot `{name}`"),
            _ => format!("of robot {}", i + 1),
        };
        let Some(section) = Section::new(node, keys::ROBOT, &whose, problems) else { continue };
        let Some(table) = table(section, scope) else {
            // Whatever names its links or joints is not to blame.
            if let Some(Value::Text(name)) = node.get("name").map(|n| &n.value) {
                problems.excuse_all(name);
            }
            continue;
        };
        let taken = scope.bodies.iter().any(|body| body.body.name == table.name);
        if taken || !names.insert(table.name.clone()) {
            let message = format!("there is another {} `{}` already", if taken { "body" } else { "robot" }, table.name);
            problems.push(Problem::new(table.span.clone(), message).label(&whose));
            continue;
        }
        warn(&table, scope);
        if let Some(made) = links::make(&table, scope, &mut tied) {
            touching.add(&table, &made, scope.bodies);
        }
    }
    (tied, touching)
}

/// Reads a table and the file that it names.
fn table<'a>(section: Section<'a>, scope: &mut Scope) -> Option<Table<'a>> {
    let name = section.require("name").and_then(|node| bodies::name(node, &section, "robot"));
    let file = section.require("file").and_then(|node| Some((node, section.text_of(node)?)));
    let X_PR = pose(&section, "position");
    let base = base(&section, scope.bodies);
    let self_contact = section.flag("self_contact").unwrap_or(true);
    let (node, file) = file?;
    let path = scope.shapes.folder.join(file);
    let (folder, options) = (&scope.shapes.folder, RobotOptions::default());
    let at_hand = scope.shapes.at_hand.iter().find(|(name, _)| *name == file);
    let read = match at_hand {
        Some((name, text)) => robot::read_str(text, name, folder, &options),
        None => robot::read(&path, &options),
    };
    let robot = match read {
        Ok(robot) => robot,
        Err(error) => {
            section.wrong(node, format!("the robot in {file} cannot be used"));
            section.problems().adopt(error);
            return None;
        }
    };
    for path in &robot.files {
        scope.shapes.note_asset(file, path);
    }
    // MuJoCo touches the hull of a mesh: files are drawn with that in mind.
    let usual = if robot.format == Format::Mjcf { SurfaceChoice::Hull } else { SurfaceChoice::Auto };
    let chosen = section.choice("meshes", &SurfaceChoice::NAMES).filter(|choice| *choice != SurfaceChoice::Auto);
    let meshes = chosen.unwrap_or(usual);
    let span = section.get("name").map_or(section.span(), |node| &node.span).clone();
    Some(Table { section, name: name?, span, robot, X_PR, base: base?, self_contact, meshes })
}

/// `base = "fixed" | "free" | BODY`.
fn base(section: &Section, bodies: &[ReadBody]) -> Option<Base> {
    let Some(node) = section.get("base") else { return Some(Base::Fixed) };
    match section.text_of(node)? {
        "fixed" => Some(Base::Fixed),
        "free" => Some(Base::Free),
        name => {
            let found = bodies.iter().position(|body| body.body.name == name);
            if found.is_none() {
                let named = bodies.iter().filter(|body| body.body.part_of.is_none());
                let known: Vec<&str> =
                    ["fixed", "free"].into_iter().chain(named.map(|body| body.body.name.as_str())).collect();
                section.problems().no_such("body", name, &node.span, &known, section.whose);
            }
            found.map(Base::On)
        }
    }
}

impl Table<'_> {
    /// `robot/name`.
    fn named(&self, name: &str) -> String {
        format!("{}/{name}", self.name)
    }

    /// A problem with the robot's file that only the scene brings to light.
    fn problem(&self, place: &Place, message: impl Into<String>) {
        let span = self.section.get("file").map_or(self.section.span(), |node| &node.span).clone();
        let problem = Problem::new(span, message).label(self.section.whose);
        self.section.problems().push(problem.note(told(place)));
    }

    /// The link that a key names; one that is not there is told.
    fn link_named(&self, name: &str, span: &Span) -> Option<usize> {
        let found = self.robot.link(name);
        if found.is_none() {
            let known: Vec<&str> = self.robot.links.iter().map(|link| link.name.as_str()).collect();
            self.section.problems().no_such("link", name, span, &known, self.section.whose);
        }
        found
    }
}

/// A place in a robot's file, as notes tell it.
fn told(place: &Place) -> String {
    format!("it stands in {}:{}", place.file, place.line)
}

/// What a user should know of the robot.
fn warn(table: &Table, scope: &mut Scope) {
    let (name, robot) = (&table.name, &table.robot);
    let warnings = &mut scope.shapes.warnings;
    // A robot that came with the program lies nowhere: there the list itself is told.
    let listed = |all: Vec<&str>| match robot.files.first() {
        Some(path) => format!("listed by `fingerpad inspect {}`", path.display()),
        None => all.join(", "),
    };
    warnings.extend(robot.warnings.iter().take(TOLD).map(|warning| format!("robot `{name}`: {warning}")));
    if robot.warnings.len() > TOLD {
        let more = robot.warnings.len() - TOLD;
        let rest = robot.warnings[TOLD..].iter().map(String::as_str).collect();
        warnings.push(format!("robot `{name}`: {more} more warnings about its file: {}", listed(rest)));
    }
    if !robot.ignored.is_empty() {
        let elements = robot.ignored.iter().map(|ignored| ignored.element.as_str()).collect();
        let kinds = robot.ignored.len();
        warnings.push(format!("robot `{name}`: elements of its file have no effect ({kinds}): {}", listed(elements)));
    }
    for tendon in &robot.tendons {
        if tendon.limits.is_some() || tendon.stiffness > 0.0 || tendon.damping > 0.0 || tendon.friction_loss > 0.0 {
            warnings.push(format!(
                "robot `{name}`: limits, stiffness and losses of tendon `{}` have no effect",
                tendon.name
            ));
        }
    }
}

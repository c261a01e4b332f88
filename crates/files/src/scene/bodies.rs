//! # Bodies of a scene
//!
//! - **in**: `[[body]]`
//! - **out**: [`ReadBody`]s: bodies of a model, where they stand in the file, and where they are to be put
//! - **not here**: shapes (`shapes`), poses (`poses`), mass (`masses`), restricted and given motions (`motions`), putting bodies
//!   on others (`place`)
//! - **start at** [`read`]

use super::error::{Problem, Span};
use super::keys;
use super::masses::mass;
use super::materials::Materials;
use super::motions::{motion, restriction};
use super::place::{Placing, placing};
use super::poses::pose;
use super::section::{Problems, Range, Section};
use super::shapes::Shapes;
use super::tree::{Node, Value};
use crate::units::Dimension;
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::Shape;
use fingerpad_sim::{Body, Mobility};

/// Names that expressions and messages use for other things.
const TAKEN: [&str; 7] = ["contact", "energy", "t", "E", "ledger_error", "pi", "world"];

/// A body, and what only the file knows of it.
pub(crate) struct ReadBody {
    pub body: Body,
    /// Where its name stands, or its table.
    pub span: Span,
    /// Where a key of it stands, for messages about the model.
    pub keys: Vec<(String, Span)>,
    /// Index of its material.
    pub material: Option<usize>,
    /// Where it is to be put.
    pub place: Option<Placing>,
    /// Whether the frame of its motions is its own, and so goes where it is put.
    pub carries_frame: bool,
    /// Links of robots: where they stand in the robot's file.
    pub place_of_link: Option<String>,
}

impl ReadBody {
    /// Where a key stands, or else the name.
    pub fn span_of(&self, key: &str) -> Span {
        self.keys.iter().find(|(known, _)| known == key).map_or(&self.span, |(_, span)| span).clone()
    }
}

/// Reads one body; `None` if it cannot even stand in for itself.
pub(crate) fn read(
    node: &Node,
    index: usize,
    materials: &Materials,
    shapes: &mut Shapes,
    problems: &Problems,
) -> Option<ReadBody> {
    let label = match node.get("name").map(|n| &n.value) {
        Some(Value::Text(name)) => format!("of body `{name}`"),
        _ => format!("of body {}", index + 1),
    };
    let section = Section::new(node, keys::BODY, &label, problems)?;
    let name = section.require("name").and_then(|node| name(node, &section, "body"));
    let material = section.get("material").and_then(|node| materials.named(node, &section));
    let mobility_keys: Vec<&str> = ["fixed", "moves", "motion"].into_iter().filter(|key| section.has(key)).collect();
    if let [first, second, ..] = mobility_keys[..]
        && !(first == "fixed" && section.flag("fixed") == Some(false))
    {
        section.not_both(first, second);
    }
    let shape = section.require("shape").and_then(|node| shapes.read(node, &section));
    let X_WB = pose(&section, "position");
    let velocity = section.vector::<3>("velocity", "velocity", Dimension::Speed, Range::Any);
    let spin = section.vector::<3>("angular_velocity", "angular velocity", Dimension::AngularVelocity, Range::Any);
    let place = section.get("place").and_then(|node| placing(node, &section));
    section.not_both("place", "position");
    let name = name?;
    let Some(shape) = shape else {
        problems.excuse(&name);
        return None;
    };
    let mut body = Body { shape, ..Body::fixed(&name, plane()) };
    body.X_WB = X_WB;
    body.V_WBcm = SpatialVelocity::new(spin.unwrap_or_default().into(), velocity.unwrap_or_default().into());
    let prescribed = section.get("motion").map(|node| motion(node, &section, &body));
    let fixed = section.flag("fixed") == Some(true);
    if !fixed && prescribed.is_none() {
        // A material that is not there is told already.
        let told = section.has("material") && material.is_none();
        let density = material.and_then(|m| materials.list[m].material.density());
        mass(&mut body, &section, if told { Some(1.0) } else { density });
    }
    body.mobility = if fixed {
        Mobility::Fixed
    } else if let Some(motion) = prescribed {
        motion.map_or(Mobility::Fixed, Mobility::Prescribed)
    } else if let Some(node) = section.get("moves") {
        restriction(node, &section, &body).map_or(Mobility::Free, Mobility::Restricted)
    } else {
        Mobility::Free
    };
    if section.has("axes") && !section.has("moves") {
        section.lacks("`axes` says which motions `moves` leaves; missing key `moves`");
    }
    if !body.mobility.is_moved_by_forces() {
        for key in ["velocity", "angular_velocity"].iter().filter_map(|key| section.entry(key)) {
            let message = format!("a body that is fixed or has a motion takes no `{}`", key.key);
            problems.push(Problem::new(key.key_span.clone(), message).label(section.whose));
        }
    }
    body.class = material.unwrap_or(materials.list.len());
    body.touches = section.flag("touches").unwrap_or(true);
    let span = section.get("name").map_or(node.span.clone(), |node| node.span.clone());
    let keys = section.entries().iter().map(|entry| (entry.key.clone(), entry.node.span.clone())).collect();
    let carries_frame = section.get("axes").is_none_or(|axes| axes.get("origin").is_none())
        && section.get("motion").is_none_or(|m| m.get("point").is_none());
    Some(ReadBody { body, span, keys, material, place, carries_frame, place_of_link: None })
}

fn plane() -> Shape {
    Shape::HalfSpace(fingerpad_contact::surface::HalfSpace)
}

/// A name that expressions can use.
pub(crate) fn name(node: &Node, section: &Section, what: &str) -> Option<String> {
    let Value::Text(text) = &node.value else {
        section.wrong(node, format!("expected the name of the {what}, got {}", node.kind()));
        return None;
    };
    let good = text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
        && text.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && text.len() <= 64;
    if !good {
        section.wrong(node, "a name must begin with a letter and have letters, digits, `_` and `-`, at most 64");
        return None;
    }
    if TAKEN.contains(&text.as_str()) {
        section.wrong(node, format!("the name `{text}` means something else in checks; take another"));
        return None;
    }
    Some(text.clone())
}

/// A body that is already made, such as the terrain.
pub(crate) fn made(body: Body, material: Option<usize>, span: Span) -> ReadBody {
    ReadBody { body, span, keys: Vec::new(), material, place: None, carries_frame: false, place_of_link: None }
}

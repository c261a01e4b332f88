//! # Impedances of a scene: `[[drive]]` of type `"impedance"`
//!
//! - **in**: a table of a drive with a `frame`; bodies by name, named frames of robots, recorded motion
//! - **out**: an [`Impedance`] with one spring
//! - **not here**: what it does (`fingerpad_sim`); drives of joints (the folder's `mod.rs`)
//! - **start at** [`read`]
//!
//! The spring pulls `frame` to the frame `to` on another body, or to a reference that moves as the table tells: from a pose,
//! displacements and rotation vectors over time, both along axes of the world.

use super::super::keys;
use super::super::poses::pose;
use super::super::section::{Range, Section};
use super::super::tree::{Node, Value};
use super::{Known, smooth};
use crate::units::Dimension::{Angle, Damping, Length, Stiffness, Time, TorsionalDamping, TorsionalStiffness};
use fingerpad_sim::{BodyId, Impedance, PoseTimeline, Smooth, SpatialSpring, SpringStart, Timeline};
use nalgebra::Isometry3;

/// Columns of a recorded pose.
const COLUMNS: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

/// Reads the table of an impedance.
pub(super) fn read(section: &Section, known: &mut Known) -> Option<Impedance> {
    let own = ["joint", "joints", "coefficients", "limit", "force", "speed", "robot", "actuator"];
    for entry in own.iter().filter_map(|key| section.entry(key)) {
        section.wrong(&entry.node, format!("an impedance drive takes no `{}`", entry.key));
    }
    let frame = section.require("frame");
    let to = frame.and_then(|node| placed(node, "frame", section, known));
    let from = section.get("to").map(|node| placed(node, "to", section, known));
    let stiffness = pair(section, "stiffness", Stiffness { n: 1.0 }, TorsionalStiffness);
    let damping = pair(section, "damping", Damping, TorsionalDamping);
    if !section.has("stiffness") && !section.has("damping") {
        section.lacks("missing key `stiffness`: { translation, rotation }");
    }
    let name = match (section.text("name"), frame.map(|node| &node.value)) {
        (Some(name), _) => name.to_string(),
        (None, Some(Value::Text(name))) => name.clone(),
        (None, Some(_)) => frame?.get("on").and_then(|node| section.text_of(node)).unwrap_or_default().to_string(),
        (None, None) => String::new(),
    };
    let reference = match from {
        Some(_) => {
            for entry in
                ["position", "orientation", "timeline", "recording", "smooth"].iter().filter_map(|k| section.entry(k))
            {
                let message = format!("`{}` moves a reference, and this drive pulls to the frame `to`", entry.key);
                section.wrong(&entry.node, message);
            }
            PoseTimeline::still(Isometry3::identity())
        }
        None => reference(section, &name, known)?,
    };
    let held = from.is_none() && !section.has("position") && !section.has("orientation");
    let from = match from {
        Some(found) => {
            let (id, X_BE) = found?;
            SpringStart::Body(id, X_BE)
        }
        None => SpringStart::Reference(Isometry3::identity()),
    };
    let spring = SpatialSpring { from, to: to?, stiffness: stiffness?, damping: damping? };
    Some(Impedance { name, springs: vec![spring], reference, held })
}

/// `"BODY"`, `"ROBOT/LINK"`, a named frame of a robot, or `{ on, position, orientation }`.
fn placed(node: &Node, key: &str, section: &Section, known: &Known) -> Option<(BodyId, Isometry3<f64>)> {
    if let Value::Text(name) = &node.value {
        return named(name, node, section, known);
    }
    if node.entries().is_none() {
        section.wrong(
            node,
            format!("expected a body, a link or {{ on, position, orientation }} for `{key}`, got {}", node.kind()),
        );
        return None;
    }
    let table = Section::new(node, keys::FRAME, section.whose, section.problems())?;
    let on = table.require("on")?;
    let (id, X_BF) = named(table.text_of(on)?, on, &table, known)?;
    Some((id, X_BF * pose(&table, "position")))
}

fn named(name: &str, node: &Node, section: &Section, known: &Known) -> Option<(BodyId, Isometry3<f64>)> {
    let whole = |k: &usize| known.bodies[*k].body.name == name && known.bodies[*k].body.part_of.is_none();
    if let Some(k) = (0..known.bodies.len()).find(whole) {
        return Some((BodyId(k), Isometry3::identity()));
    }
    if let Some((_, id, X_BF)) = known.frames.iter().find(|(known, ..)| known == name) {
        return Some((*id, *X_BF));
    }
    let bodies = known.bodies.iter().filter(|body| body.body.part_of.is_none()).map(|body| body.body.name.as_str());
    let names: Vec<&str> = bodies.chain(known.frames.iter().map(|(name, ..)| name.as_str())).collect();
    section.problems().no_such("body or frame", name, &node.span, &names, section.whose);
    None
}

/// `{ translation, rotation }`, each 0 where it is absent.
fn pair(
    section: &Section,
    key: &str,
    translation: crate::units::Dimension,
    rotation: crate::units::Dimension,
) -> Option<[f64; 2]> {
    let Some(node) = section.get(key) else { return Some([0.0; 2]) };
    if node.entries().is_none() {
        let message = format!("`{key}` of an impedance is a table {{ translation, rotation }}, got {}", node.kind());
        section.wrong(node, message);
        return None;
    }
    let table = Section::new(node, keys::IMPEDANCE, section.whose, section.problems())?;
    let before = section.problems().count();
    let one = |part: &str, dimension| {
        table.quantity(part, &format!("`{part}` of `{key}`"), dimension, Range::NotNegative).unwrap_or(0.0)
    };
    let both = [one("translation", translation), one("rotation", rotation)];
    (section.problems().count() == before).then_some(both)
}

/// The reference over time.
fn reference(section: &Section, name: &str, known: &mut Known) -> Option<PoseTimeline> {
    let X_WR = pose(section, "position");
    let smooth = smooth(section);
    section.not_both("timeline", "recording");
    let [x, y, z, rx, ry, rz] = if let Some(node) = section.get("timeline") {
        told(section, node, smooth)?
    } else if let Some(node) = section.get("recording") {
        recorded(section, node, name, smooth, known)?
    } else {
        if let Some(node) = section.get("smooth") {
            section.wrong(node, "`smooth` stands beside `timeline` or `recording`");
        }
        return Some(PoseTimeline::still(X_WR));
    };
    Some(PoseTimeline { X_WR, moved: [x, y, z], turned: [rx, ry, rz] })
}

/// Points `[time, [x, y, z]]` or `[time, [x, y, z], [rx, ry, rz]]`.
fn told(section: &Section, node: &Node, smooth: Smooth) -> Option<[Timeline; 6]> {
    let expected = "a point [time, [x, y, z]] or [time, [x, y, z], [rx, ry, rz]]";
    let list = section.list_of(node, &format!("a list of points, each {expected}"))?;
    let mut rows = Vec::with_capacity(list.len());
    for point in list {
        let (t, moved, turned) = match section.list_of(point, expected)? {
            [t, moved] => (t, moved, None),
            [t, moved, turned] => (t, moved, Some(turned)),
            other => {
                section.wrong(point, format!("expected {expected}, got {} entries", other.len()));
                return None;
            }
        };
        let t = section.quantity_of(t, "the time of a point", Time, Range::Any)?;
        let [x, y, z] = section.vector_of::<3>(moved, "the displacement of a point", Length, Range::Any)?;
        let turned = match turned {
            Some(node) => section.vector_of::<3>(node, "the rotation vector of a point", Angle, Range::Any)?,
            None => [0.0; 3],
        };
        rows.push((t, [x, y, z, turned[0], turned[1], turned[2]]));
    }
    let line = |k: usize| {
        let points: Vec<[f64; 2]> = rows.iter().map(|(t, values)| [*t, values[k]]).collect();
        Timeline::stops(&points, smooth)
    };
    // Times are the same for all six: what is wrong with them is told once.
    let lines = (0..6).map(line).collect::<Result<Vec<_>, _>>();
    let lines = lines.map_err(|error| section.wrong(list.get(error.point).unwrap_or(node), error.message)).ok()?;
    lines.try_into().ok()
}

/// Columns `x`, `y`, `z`, `rx`, `ry`, `rz` of a file, or `NAME.x` and so on; those that are absent stay at 0.
fn recorded(section: &Section, node: &Node, name: &str, smooth: Smooth, known: &mut Known) -> Option<[Timeline; 6]> {
    let file = section.text_of(node)?;
    let (mut lines, mut found) = (Vec::with_capacity(6), 0);
    for (k, column) in COLUMNS.iter().enumerate() {
        let own = format!("{name}.{column}");
        let wanted = [own.as_str(), column];
        let there = known.recordings.has(file, &wanted);
        if !there.map_err(|message| section.wrong(node, message)).ok()? {
            lines.push(Timeline::constant(0.0));
            continue;
        }
        found += 1;
        let read = known.recordings.column(file, &wanted, if k < 3 { Length } else { Angle });
        let made = read.and_then(|(points, at)| {
            Timeline::through(&points, smooth).map_err(|e| format!("{file}:{}: {}", at[e.point], e.message))
        });
        lines.push(made.map_err(|message| section.wrong(node, message)).ok()?);
    }
    if found == 0 {
        section.wrong(node, format!("{file} has none of the columns {} that move a reference", COLUMNS.join(", ")));
        return None;
    }
    lines.try_into().ok()
}

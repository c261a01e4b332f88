//! # Check: inertias that no solid has, joints that move no mass
//!
//! - **in**: a robot as read
//! - **out**: problems at the link that is wrong
//! - **not here**: what a single number cannot be (the readers)
//! - **start at** [`inertias`]

use super::description::{Format, Inertial, JointKind, Place, Robot};
use super::reader::Reader;
use crate::scene::{Problem, Span};
use nalgebra::Matrix3;

/// Room for rounding in inertias that were computed elsewhere, relative; sim's trees allow as much.
pub(super) const ROUNDING: f64 = 1e-9;

/// A URDF may exceed what solids have by less than this factor, with a warning: robots in use do, and sim's trees move them.
const BEYOND_SOLIDS: f64 = 1.5;

/// Refuses what cannot move.
pub(super) fn inertias(reader: &mut Reader<'_>, robot: &Robot) {
    let mut carried: Vec<(f64, f64)> = robot.links.iter().map(|l| weight(&l.inertial)).collect();
    // Children stand behind parents.
    for i in (0..robot.links.len()).rev() {
        let link = &robot.links[i];
        let joints = || link.joints.iter().map(|j| &robot.joints[*j]);
        let strict = robot.format == Format::Mjcf;
        if let Some(message) = impossible(&link.inertial, if strict { 1.0 + ROUNDING } else { BEYOND_SOLIDS }) {
            at(reader, &link.place, format!("link `{}`: {message}", link.name));
            continue;
        }
        if let Some(message) = impossible(&link.inertial, 1.0 + ROUNDING) {
            let Place { file, line } = &link.place;
            reader.warnings.push(format!("{file}:{line}: link `{}`: {message}; taken as it is", link.name));
        }
        let (mass, inertia) = carried[i];
        for joint in joints() {
            let slides = matches!(joint.kind, JointKind::Prismatic | JointKind::Planar | JointKind::Free);
            let turns = !matches!(joint.kind, JointKind::Prismatic | JointKind::Fixed);
            let idle = (slides && mass <= 0.0) || (turns && inertia <= 0.0 && mass <= 0.0);
            if idle && joint.armature <= 0.0 {
                let what =
                    format!("joint `{}` moves link `{}`, which has no mass, and carries none", joint.name, link.name);
                at(reader, &joint.place, format!("{what}; give it an inertial, or armature to the joint"));
            }
        }
        if let Some(parent) = link.parent {
            carried[parent].0 += mass;
            carried[parent].1 += inertia;
        }
    }
}

fn weight(inertial: &Inertial) -> (f64, f64) {
    (inertial.mass, inertial.I_BBcm_B.trace())
}

/// What is wrong with an inertia: no moment may reach the sum of the other two times `most_share`, just above 1 for solids.
pub(super) fn impossible(inertial: &Inertial, most_share: f64) -> Option<String> {
    let I: &Matrix3<f64> = &inertial.I_BBcm_B;
    if !inertial.mass.is_finite() || !I.iter().chain(inertial.p_BoBcm.coords.iter()).all(|x| x.is_finite()) {
        return Some("mass and inertia must be finite".to_string());
    }
    if inertial.mass < 0.0 {
        return Some(format!("the mass must not be negative, got {} kg", inertial.mass));
    }
    if inertial.mass == 0.0 && I.amax() > 0.0 {
        return Some("a link without mass has no inertia, got some".to_string());
    }
    if inertial.mass == 0.0 {
        return None;
    }
    let moments = I.symmetric_eigenvalues();
    let (least, most, sum) = (moments.min(), moments.max(), moments.sum());
    let shown = format!("[{}, {}, {}]", moments[0], moments[1], moments[2]);
    if most <= 0.0 {
        let note = "no solid of some mass has none; a point mass needs a small inertia";
        return Some(format!("the inertia must be positive (kg m²), got {shown}: {note}"));
    }
    if least < -ROUNDING * most {
        return Some(format!("no principal moment of inertia can be negative (kg m²), got {shown}"));
    }
    if most >= most_share * (sum - most) {
        return Some(format!(
            "no principal moment of inertia can exceed the sum of the other two (kg m²), got {shown}"
        ));
    }
    None
}

fn at(reader: &mut Reader<'_>, place: &Place, message: String) {
    let source = reader.sources.iter().position(|s| s.name == place.file).unwrap_or(0);
    let text = reader.sources.get(source).map_or("", |s| s.text.as_str());
    let skipped = place.line.saturating_sub(2) as usize;
    let start = if place.line <= 1 { 0 } else { text.match_indices('\n').nth(skipped).map_or(0, |(k, _)| k + 1) };
    let line = text[start..].lines().next().unwrap_or_default();
    let range = start + line.len() - line.trim_start().len()..start + line.trim_end().len();
    reader.problem(Problem::new(Span { source, range }, message));
}

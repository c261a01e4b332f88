//! # Poses of a scene: positions, orientations, directions
//!
//! - **in**: `position`, `orientation` in any of its spellings
//! - **out**: an isometry
//! - **start at** [`pose`]

use super::keys;
use super::section::{Range, Section};
use super::tree::{Node, Value};
use crate::units::Dimension::{Angle, Length, Number};
use nalgebra::{Isometry3, Quaternion, Translation3, Unit, UnitQuaternion, Vector3};

/// Position and orientation of a table.
pub(crate) fn pose(section: &Section, position: &str) -> Isometry3<f64> {
    let p = section.vector::<3>(position, position, Length, Range::Within(-1e9 - 1.0, 1e9, "within ±1e9 m"));
    let rotation = section.get("orientation").and_then(|node| orientation(node, section)).unwrap_or_default();
    Isometry3::from_parts(Translation3::from(Vector3::from(p.unwrap_or_default())), rotation)
}

/// `[w, x, y, z]`, `{ axis, angle }`, `{ rotation_vector }` or `{ rpy }`.
fn orientation(node: &Node, of: &Section) -> Option<UnitQuaternion<f64>> {
    if matches!(node.value, Value::List(_)) {
        return quaternion(node, of);
    }
    let section = Section::new(node, keys::ORIENTATION, of.whose, of.problems())?;
    if let Some(node) = section.get("quaternion") {
        return quaternion(node, &section);
    }
    if let Some(node) = section.get("rotation_vector") {
        let v: [f64; 3] = section.vector_of(node, "the rotation vector", Angle, Range::Any)?;
        return Some(UnitQuaternion::from_scaled_axis(Vector3::from(v)));
    }
    if let Some(node) = section.get("rpy") {
        let [r, p, y] = section.vector_of(node, "roll, pitch and yaw", Angle, Range::Any)?;
        return Some(UnitQuaternion::from_euler_angles(r, p, y));
    }
    if section.has("axis") || section.has("angle") {
        let axis = direction(section.require("axis")?, &section, "the axis")?;
        section.require("angle")?;
        let angle = section.quantity("angle", "the angle", Angle, Range::Any)?;
        return Some(UnitQuaternion::from_axis_angle(&axis, angle));
    }
    section.wrong(node, "expected `quaternion`, `axis` and `angle`, `rotation_vector` or `rpy`");
    None
}

fn quaternion(node: &Node, section: &Section) -> Option<UnitQuaternion<f64>> {
    let [w, x, y, z] = section.vector_of(node, "the quaternion [w, x, y, z]", Number, Range::Any)?;
    let q = Quaternion::new(w, x, y, z);
    if !(q.norm() > 1e-100 && q.norm().is_finite()) {
        section.wrong(node, "a quaternion must have a length above zero");
        return None;
    }
    Some(UnitQuaternion::from_quaternion(q))
}

/// A direction: three numbers of any length but zero.
pub(crate) fn direction(node: &Node, section: &Section, what: &str) -> Option<Unit<Vector3<f64>>> {
    let v: [f64; 3] = section.vector_of(node, what, Number, Range::Any)?;
    let unit = Unit::try_new(Vector3::from(v), 1e-100).filter(|u| u.iter().all(|x| x.is_finite()));
    if unit.is_none() {
        section.wrong(node, format!("{what} must have a length above zero"));
    }
    unit
}

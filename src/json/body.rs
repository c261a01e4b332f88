//! # Bodies in records: shape, pose and motion
//!
//! - **in**: `{semi_axes | shape, quat_wxyz, pos, omega_world, vel_origin_world}`; pose absent = identity at 0,
//!   velocities absent = 0
//! - **out**: a [`Body`]; the quaternion is normalised
//! - **not here**: shapes ([`shape`])

use super::shape::{self, ReadShape, Sources};
use super::{Field, FieldError};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::Shape;
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};

/// A body: its surface, where it is, how it moves.
#[derive(Debug)]
pub struct Body {
    /// Surface.
    pub shape: Shape,
    /// Pose in the world.
    pub X_WB: Isometry3<f64>,
    /// Velocity, told at the body's origin, in world axes.
    pub V_WB: SpatialVelocity,
    /// What should be known about the shape.
    pub warnings: Vec<String>,
}

/// The body under a key of a record.
pub fn read(record: &Field, key: &str, sources: &mut Sources) -> Result<Body, FieldError> {
    let body = record.require(key)?;
    body.object()?;
    let ReadShape { shape, warnings } = shape::of_body(&body, sources)?;
    let warnings = warnings.into_iter().map(|w| format!("{key}: {w}")).collect();
    let rotation = match body.value.get("quat_wxyz") {
        None => UnitQuaternion::identity(),
        Some(value) => quaternion(&Field { value, path: body.child("quat_wxyz") })?,
    };
    let pos = vector(&body, "pos")?;
    if let Some(field) = body.get("pos") {
        field.coordinates::<3>()?;
    }
    let X_WB = Isometry3::from_parts(Translation3::from(pos), rotation);
    let V_WB = SpatialVelocity::new(vector(&body, "omega_world")?, vector(&body, "vel_origin_world")?);
    Ok(Body { shape, X_WB, V_WB, warnings })
}

/// Three numbers under a key, zero if the key is absent; null is not absent.
fn vector(body: &Field, key: &str) -> Result<Vector3<f64>, FieldError> {
    match body.value.get(key) {
        None => Ok(Vector3::zeros()),
        Some(value) => Ok(Field { value, path: body.child(key) }.numbers::<3>()?.into()),
    }
}

/// A quaternion wxyz, normalised.
pub fn quaternion(field: &Field) -> Result<UnitQuaternion<f64>, FieldError> {
    let [w, x, y, z] = field.numbers::<4>()?;
    // Largest part first to 1: neither tiny nor huge quaternions lose their direction in the norm.
    let largest = [w, x, y, z].iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    if largest == 0.0 {
        return Err(FieldError::new(&field.path, "expected a quaternion other than zero, got [0, 0, 0, 0]"));
    }
    // One that is a unit already keeps its bits but for the norm's round-off.
    let scale = if (1e-100..1e100).contains(&largest) { 1.0 } else { largest };
    Ok(UnitQuaternion::new_normalize(Quaternion::new(w / scale, x / scale, y / scale, z / scale)))
}

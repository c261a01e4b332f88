//! # Trees of joints as records
//!
//! `tree: {gravity, bodies}`, `states: [{q, v, tau, inverse}]` ──▶ **here** ──(`Tree`, numbers)──▶ `query tree`
//!
//! - **in**: bodies with parents by index (−1 is the world), joints, masses; numbers of a state
//! - **out**: a checked [`Tree`]; lists of the right length
//! - **not here**: what is computed (`fingerpad_sim::coordinates`)
//! - **start at** [`read`], then [`numbers`]

use super::body::quaternion;
use super::{Field, FieldError};
use fingerpad_sim::coordinates::{Joint, Link, Tree};
use nalgebra::{Isometry3, Matrix3, Point3, Unit, UnitQuaternion, Vector3};

/// The tree of a document; paths in errors start with `tree`.
pub fn read(tree: &Field) -> Result<Tree, FieldError> {
    let gravity = tree.require("gravity")?.numbers::<3>()?;
    let bodies = tree.require("bodies")?;
    let list = bodies.list("a list of bodies")?;
    let links = list.iter().map(link).collect::<Result<Vec<Link>, FieldError>>()?;
    Tree::new(links, Vector3::from(gravity))
        .map_err(|e| FieldError::new(format!("{}[{}].{}", bodies.path, e.link, e.field), &e))
}

/// One body and its joint.
fn link(body: &Field) -> Result<Link, FieldError> {
    let joint = body.require("joint")?;
    let [xx, yy, zz, xy, xz, yz] = body.require("inertia_com")?.numbers::<6>()?;
    let name = match body.get("name") {
        Some(name) => name.text()?.to_string(),
        None => body.path.clone(),
    };
    Ok(Link {
        name,
        parent: parent(&body.require("parent")?)?,
        joint: kind(&joint)?,
        X_PF: frame(&joint)?,
        mass: body.require("mass")?.number()?,
        p_BoBcm: Point3::from(body.require("com")?.coordinates::<3>()?),
        I_BBcm_B: Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz),
        armature: armature(&joint)?,
        laws: Vec::new(),
    })
}

/// −1 is the world.
fn parent(field: &Field) -> Result<Option<usize>, FieldError> {
    if field.number()? == -1.0 {
        return Ok(None);
    }
    field.whole().map(Some).map_err(|_| field.expected("the index of a body, or -1 for the world"))
}

fn kind(joint: &Field) -> Result<Joint, FieldError> {
    let known = ["fixed", "revolute", "prismatic", "planar", "ball", "free"].map(|name| (name, name));
    Ok(match joint.require("kind")?.one_of(&known)? {
        "fixed" => Joint::Fixed,
        "revolute" => Joint::Revolute(axis(joint)?),
        "prismatic" => Joint::Prismatic(axis(joint)?),
        "planar" => Joint::Planar,
        "ball" => Joint::Ball,
        _ => Joint::FreeTwist,
    })
}

/// An axis of length 1, to the digits that files carry.
fn axis(joint: &Field) -> Result<Unit<Vector3<f64>>, FieldError> {
    let field = joint.require("axis")?;
    let axis = Vector3::from(field.numbers::<3>()?);
    let length = axis.norm();
    if (length - 1.0).abs() <= 1e-14 {
        // Rounding of a unit vector: its bits stay.
        Ok(Unit::new_unchecked(axis))
    } else if (length - 1.0).abs() <= 1e-6 {
        Ok(Unit::new_normalize(axis))
    } else {
        Err(FieldError::new(&field.path, format!("expected an axis of length 1, got one of length {length}")))
    }
}

/// F in the parent: `X_PF`, the identity where it or a part of it is absent.
fn frame(joint: &Field) -> Result<Isometry3<f64>, FieldError> {
    let Some(pose) = joint.get("X_PF") else { return Ok(Isometry3::identity()) };
    pose.object()?;
    let p = pose.get("p").map_or(Ok([0.0; 3]), |p| p.coordinates::<3>())?;
    let turned = pose.get("quat_wxyz").map_or(Ok(UnitQuaternion::identity()), |q| quaternion(&q))?;
    Ok(Isometry3::from_parts(Vector3::from(p).into(), turned))
}

/// One number, alone or in a list.
fn armature(joint: &Field) -> Result<f64, FieldError> {
    match joint.get("armature") {
        None => Ok(0.0),
        Some(field) if field.value.is_array() => field.numbers::<1>().map(|[a]| a),
        Some(field) => field.number(),
    }
}

/// A list of `count` finite numbers.
pub fn numbers(field: &Field, count: usize, what: &str) -> Result<Vec<f64>, FieldError> {
    let list = field.list("a list of numbers")?;
    if list.len() != count {
        return Err(FieldError::new(&field.path, format!("expected {count} numbers ({what}), got {}", list.len())));
    }
    list.iter().map(Field::number).collect()
}

//! # Records of grasps: fields of JSON as contacts, wrenches, hands
//!
//! - **in**: a record as in `oracle/grasp`
//! - **out**: [`Question`], or an error that names the field
//! - **not here**: what is computed (`answer`)
//! - **start at** [`question`]

use crate::json::{Field, FieldError};
use fingerpad_contact::material::{Layer, Material, Theory, pair};
use fingerpad_contact::patch::RelativeCurvature;
use fingerpad_grasp::{Contact, Grasp, GraspError, Hand, PatchGrowth, Wrench};
use nalgebra::Vector3;

/// Standard gravity (m/s²).
const GRAVITY: f64 = 9.80665;

/// What a record asks.
#[derive(Clone, Debug)]
pub struct Question {
    /// The contacts.
    pub grasp: Grasp,
    /// Their names.
    pub names: Vec<String>,
    /// The finger, or other body, that each is on; its own name where nothing tells.
    pub fingers: Vec<String>,
    /// Torque limits.
    pub hand: Option<Hand>,
    /// What must be held.
    pub wrench: Option<Wrench>,
    /// Directions to push along.
    pub directions: Vec<Wrench>,
    /// Wrenches of a task.
    pub task: Vec<Wrench>,
    /// (k_n, k_t, k_θ) of every contact, where all give them.
    pub stiffness: Option<Vec<[f64; 3]>>,
}

/// An error of the library with its path within the record.
fn told(error: GraspError) -> FieldError {
    FieldError::new(error.place(), error.message())
}

/// Reads a record.
pub fn question(record: &Field) -> Result<Question, FieldError> {
    let list = record.require("contacts")?.list("a list of contacts")?;
    let contacts = list.iter().map(contact).collect::<Result<Vec<_>, _>>()?;
    let name = |(k, field): (usize, &Field)| match field.get("name") {
        Some(name) => name.text().map(str::to_string),
        None => Ok(k.to_string()),
    };
    let names = list.iter().enumerate().map(name).collect::<Result<Vec<_>, _>>()?;
    let finger = |(field, name): (&Field, &String)| match field.get("finger") {
        Some(finger) => finger.text().map(str::to_string),
        None => Ok(name.clone()),
    };
    let fingers = list.iter().zip(&names).map(finger).collect::<Result<Vec<_>, _>>()?;
    let reference = match record.get("reference") {
        Some(field) => Vector3::from(field.coordinates::<3>()?),
        None => Vector3::zeros(),
    };
    let torque_length = record.get("torque_length").map(|f| f.size()).transpose()?;
    let grasp = Grasp::new(contacts, reference, torque_length).map_err(told)?;
    let hand = record.get("hand").map(|f| hand(&f, grasp.contacts.len())).transpose()?;
    let wrench = match (record.get("wrench"), record.get("mass")) {
        (Some(field), _) => Some(Wrench::from(field.numbers::<6>()?)),
        (None, Some(mass)) => Some(Wrench::new(0.0, 0.0, -GRAVITY * mass.not_negative()?, 0.0, 0.0, 0.0)),
        (None, None) => None,
    };
    let wrenches = |key: &str| match record.get(key) {
        Some(field) => field.list("a list of wrenches")?.iter().map(|f| f.numbers::<6>().map(Wrench::from)).collect(),
        None => Ok(Vec::new()),
    };
    let stiffness = list.iter().map(|f| f.get("stiffness").map(|s| s.numbers::<3>()).transpose());
    let stiffness = stiffness.collect::<Result<Option<Vec<_>>, _>>()?;
    let (directions, task) = (wrenches("directions")?, wrenches("task")?);
    Ok(Question { grasp, names, fingers, hand, wrench, directions, task, stiffness })
}

fn contact(field: &Field) -> Result<Contact, FieldError> {
    let point = Vector3::from(field.require("point")?.coordinates::<3>()?);
    let normal = Vector3::from(field.require("normal")?.numbers::<3>()?);
    let friction = field.require("friction")?;
    let friction = match friction.value.is_number() {
        true => [friction.not_negative()?; 2],
        false => friction.numbers::<2>()?,
    };
    let patch = match (field.get("patch"), field.get("pad"), field.get("e_n")) {
        (Some(patch), _, _) => PatchGrowth::Power {
            e_n_at_1N: patch.require("e_n_at_1N")?.not_negative()?,
            exponent: patch.require("exponent")?.number()?,
        },
        (None, Some(pad), _) => self::pad(&pad)?,
        (None, None, Some(e_n)) => PatchGrowth::Fixed(e_n.not_negative()?),
        (None, None, None) => {
            let message =
                "expected `e_n` (m; 0 for a point), `patch {e_n_at_1N, exponent}` or `pad {radii, young}`, got none";
            return Err(FieldError::new(field.child("e_n"), message));
        }
    };
    let mut contact = Contact::new(point, normal, 0.0, patch);
    contact.friction = friction;
    if let Some(tangent) = field.get("tangent") {
        contact.tangent = Vector3::from(tangent.numbers::<3>()?);
    }
    contact.limit = field.get("limit").map(|f| f.not_negative()).transpose()?;
    Ok(contact)
}

/// A pad: relative radii of curvature, material, and where it ends.
fn pad(field: &Field) -> Result<PatchGrowth, FieldError> {
    let radii = field.require("radii")?;
    let radii = match radii.value.is_number() {
        true => [radii.size()?; 2],
        false => radii.numbers::<2>()?,
    };
    let wrong = |e: fingerpad_contact::material::MaterialError| FieldError::new(&field.path, e);
    let mut material = Material::rigid();
    if let Some(young) = field.get("young") {
        let poisson = field.get("poisson").map_or(Ok(0.5), |f| f.number())?;
        material = Material::elastic(young.positive()?, poisson).map_err(wrong)?;
    }
    if let Some(layer) = field.get("layer") {
        let (modulus, depth) = (layer.require("modulus")?.positive()?, layer.require("depth")?.positive()?);
        material = material.with_layer(Layer::new(modulus, depth).map_err(wrong)?);
    }
    let mut theory = pair(&material, &Material::rigid(), Theory::Auto).map_err(wrong)?.theory;
    if let Some(extent) = field.get("extent") {
        theory.extent = extent.size()?;
    }
    Ok(PatchGrowth::Pad { theory, curvature: RelativeCurvature::from_radii(radii[0], radii[1]) })
}

fn hand(field: &Field, contacts: usize) -> Result<Hand, FieldError> {
    let numbers = |f: &Field| f.list("a list of numbers")?.iter().map(|x| x.number()).collect::<Result<Vec<f64>, _>>();
    let rows = field.require("jacobian")?.list("a list of rows")?;
    let jacobian = rows.iter().map(numbers).collect::<Result<Vec<_>, _>>()?;
    let limits = numbers(&field.require("torque_limits")?)?;
    let bias = field.get("bias").map_or(Ok(vec![0.0; limits.len()]), |f| numbers(&f))?;
    Hand::new(jacobian, limits, bias, contacts).map_err(told)
}

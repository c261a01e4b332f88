//! # What a tree cannot be
//!
//! - **in**: links as told
//! - **out**: [`TreeError`]: the link, the field to blame, what was expected and what came
//! - **not here**: the order of links (`tree` finds loops while it sorts)
//! - **start at** [`check_link`]

use super::joint::{Joint, JointLaw};
use super::tree::Link;
use nalgebra::Matrix3;

/// Why links make no tree.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("link `{name}`: {message}")]
pub struct TreeError {
    /// Index of the link.
    pub link: usize,
    /// Its name.
    pub name: String,
    /// Which of its fields is to blame, as files spell it: `parent`, `mass`, `inertia_com`, `joint.axis` …
    pub field: &'static str,
    /// What was expected and what came.
    pub message: String,
}

/// Room for rounding in inertias that were computed elsewhere, relative.
const ROUNDING: f64 = 1e-9;

/// Robots in use carry inertias in which one moment exceeds the sum of the other two (1.39 times in the Allegro hand's
/// URDF). Their M is positive definite all the same, so they move as told; from this factor on a link is refused.
const BEYOND_SOLIDS: f64 = 1.5;

/// Everything about one link that needs no other link.
pub(super) fn check_link(index: usize, link: &Link) -> Result<(), TreeError> {
    let refuse = |field, message: String| Err(TreeError { link: index, name: link.name.clone(), field, message });
    let finite = |numbers: &[f64]| numbers.iter().all(|x| x.is_finite());
    if !(link.mass >= 0.0 && link.mass.is_finite()) {
        return refuse("mass", format!("the mass must not be negative, and be finite (kg), got {}", link.mass));
    }
    if !finite(link.p_BoBcm.coords.as_slice()) {
        return refuse(
            "com",
            format!("the centre of mass must be finite (m), got {}", list(link.p_BoBcm.coords.as_slice())),
        );
    }
    let pose = &link.X_PF;
    if !finite(pose.translation.vector.as_slice()) || !finite(pose.rotation.coords.as_slice()) {
        return refuse("joint.X_PF", "the joint's frame must be finite".to_string());
    }
    if let Some(message) = wrong_inertia(&link.I_BBcm_B, link.mass) {
        return refuse("inertia_com", message);
    }
    if let Joint::Revolute(axis) | Joint::Prismatic(axis) = &link.joint
        && ((axis.norm() - 1.0).abs() > 1e-9 || !finite(axis.as_slice()))
    {
        return refuse("joint.axis", format!("the axis must have length 1, got {}", axis.norm()));
    }
    if !(link.armature >= 0.0 && link.armature.is_finite()) {
        return refuse(
            "joint.armature",
            format!("armature must not be negative, and be finite, got {}", link.armature),
        );
    }
    let turns_as_one = link.joint.is_scalar() || link.joint == Joint::Ball;
    if link.armature > 0.0 && (!turns_as_one || link.joint == Joint::Fixed) {
        return refuse(
            "joint.armature",
            format!("a {} joint has no armature, got {}", link.joint.name(), link.armature),
        );
    }
    check_laws(link).or_else(|(field, message)| refuse(field, message))
}

/// Limits in order, losses not negative, one law for each scalar coordinate.
fn check_laws(link: &Link) -> Result<(), (&'static str, String)> {
    let (laws, joint) = (&link.laws, &link.joint);
    if laws.is_empty() {
        return Ok(());
    }
    if !joint.is_scalar() {
        let message =
            format!("limits, springs and dampers of a {} joint have no coordinate to act along", joint.name());
        return Err(("joint.laws", message));
    }
    if laws.len() != joint.nv() {
        let message = format!("expected a law for each of {} coordinates, got {}", joint.nv(), laws.len());
        return Err(("joint.laws", message));
    }
    laws.iter().try_for_each(check_law)
}

fn check_law(law: &JointLaw) -> Result<(), (&'static str, String)> {
    if let Some([low, high]) = law.limit
        && (low > high || low.is_nan() || high.is_nan())
    {
        let message = format!("the lower limit must not be above the upper one, got {low} and {high}");
        return Err(("joint.limit", message));
    }
    if !(0.0..=1.0).contains(&law.restitution) {
        return Err(("joint.restitution", format!("restitution must be from 0 to 1, got {}", law.restitution)));
    }
    let stiffness = law.spring.map_or(0.0, |spring| spring.stiffness);
    for (field, name, got) in [
        ("joint.damping", "damping", law.damping),
        ("joint.friction_loss", "friction loss", law.friction_loss),
        ("joint.spring", "the stiffness of a spring", stiffness),
    ] {
        if !(got >= 0.0 && got.is_finite()) {
            return Err((field, format!("{name} must not be negative, and be finite, got {got}")));
        }
    }
    if law.spring.is_some_and(|spring| !spring.rest.is_finite()) {
        return Err(("joint.spring", "the place at which a spring is relaxed must be finite".to_string()));
    }
    Ok(())
}

/// What is far from any solid. Principal moments are sums of m r² over two of three axes each: none is negative, none
/// exceeds the sum of the other two.
fn wrong_inertia(I: &Matrix3<f64>, mass: f64) -> Option<String> {
    if !I.iter().all(|x| x.is_finite()) {
        return Some(format!("the inertia must be finite (kg m²), got {}", list(I.as_slice())));
    }
    if (I - I.transpose()).amax() > 1e-12 * I.amax() {
        return Some(format!("the inertia must be symmetric (kg m²), got {}", list(I.as_slice())));
    }
    if mass == 0.0 && I.amax() > 0.0 {
        return Some("a link without mass has no inertia, got some".to_string());
    }
    let moments = I.symmetric_eigenvalues();
    let (least, most, sum) = (moments.min(), moments.max(), moments.sum());
    if least < -ROUNDING * most.abs() {
        return Some(format!(
            "no principal moment of inertia can be negative (kg m²), got {}",
            list(moments.as_slice())
        ));
    }
    if most > 0.0 && most >= BEYOND_SOLIDS * (sum - most) * (1.0 - ROUNDING) {
        return Some(format!(
            "no principal moment of inertia can exceed the sum of the other two (kg m²), got {}",
            list(moments.as_slice())
        ));
    }
    None
}

fn list(numbers: &[f64]) -> String {
    let words: Vec<String> = numbers.iter().map(|x| format!("{x}")).collect();
    format!("[{}]", words.join(", "))
}

//! # Checks of drives, and their places in trees
//!
//! - **in**: drives of a model with its joints
//! - **out**: columns and shares of each drive in its tree, or a [`ModelError`] that names the drive and the field
//! - **start at** [`check`], then [`place`]

use super::{Drive, DriveKind, Placed, Term};
use crate::coordinates::Joint;
use crate::model::Parts;
use crate::model::check::ModelError;
use crate::model::trees::{ModelTree, Places};

fn refuse(of: &Drive, field: &'static str, message: impl Into<String>) -> ModelError {
    ModelError::Drive { of: of.name.clone(), field, message: message.into() }
}

/// Checks all drives.
pub(crate) fn check(parts: &Parts) -> Result<(), ModelError> {
    for (i, drive) in parts.drives.iter().enumerate() {
        if parts.drives[..i].iter().any(|other| other.name == drive.name) {
            return Err(refuse(drive, "name", format!("there is a drive `{}` already", drive.name)));
        }
        if drive.along.is_empty() {
            return Err(refuse(drive, "joint", "a drive acts on a joint, got none"));
        }
        for (n, (id, share)) in drive.along.iter().enumerate() {
            let Some(joint) = parts.joints.get(id.0) else {
                return Err(refuse(
                    drive,
                    "joint",
                    format!("it names joint {}, and there are {}", id.0, parts.joints.len()),
                ));
            };
            if !matches!(joint.kind, Joint::Revolute(_) | Joint::Prismatic(_)) {
                let kind = joint.kind.name();
                let message = format!("`{}` is a {kind} joint; drives act on revolute and prismatic ones", joint.name);
                return Err(refuse(drive, "joint", message));
            }
            if !share.is_finite() || *share == 0.0 {
                return Err(refuse(drive, "coefficients", format!("must be finite and not zero, got {share}")));
            }
            if drive.along[..n].iter().any(|(other, _)| other == id) {
                return Err(refuse(drive, "joint", format!("joint `{}` is named twice", joint.name)));
            }
        }
        numbers(drive)?;
    }
    Ok(())
}

fn numbers(drive: &Drive) -> Result<(), ModelError> {
    let not_negative = |field: &'static str, value: f64| {
        if value.is_finite() && value >= 0.0 {
            return Ok(());
        }
        Err(refuse(drive, field, format!("must be zero or positive and finite, got {value}")))
    };
    match drive.kind {
        DriveKind::Position { stiffness, damping } => {
            not_negative("stiffness", stiffness)?;
            not_negative("damping", damping)?;
            if stiffness == 0.0 {
                return Err(refuse(drive, "stiffness", "a position drive needs a stiffness above 0, got 0"));
            }
        }
        DriveKind::Velocity { damping } => {
            not_negative("damping", damping)?;
            if damping == 0.0 {
                return Err(refuse(drive, "damping", "a velocity drive needs a damping above 0, got 0"));
            }
        }
        DriveKind::Torque => {}
        DriveKind::Grip { speed, damping } => {
            if !speed.is_finite() || speed == 0.0 {
                return Err(refuse(
                    drive,
                    "speed",
                    format!("a grip closes at a speed that is finite and not 0, got {speed}"),
                ));
            }
            damping.map_or(Ok(()), |damping| not_negative("damping", damping))?;
            if damping == Some(0.0) {
                return Err(refuse(drive, "damping", "a grip needs a damping above 0, got 0"));
            }
            if drive.along.len() > 1 {
                return Err(refuse(drive, "joint", "a grip closes one joint; couple others to it"));
            }
        }
    }
    if drive.limit.is_nan() || drive.limit <= 0.0 {
        return Err(refuse(drive, "limit", format!("the largest force must be positive, got {}", drive.limit)));
    }
    if !drive.reference.largest().is_finite() {
        return Err(refuse(drive, "timeline", "the reference must be finite"));
    }
    Ok(())
}

/// Puts the drives of a model, which are checked, into its trees.
pub(crate) fn place(parts: &Parts, trees: &mut [ModelTree], places: &Places) -> Result<(), ModelError> {
    for (number, drive) in parts.drives.iter().enumerate() {
        let mut terms = Vec::with_capacity(drive.along.len());
        let mut of = None;
        for (id, share) in &drive.along {
            let joint = &parts.joints[id.0];
            let Some((tree, link)) = places[id.0] else {
                return Err(refuse(drive, "joint", format!("nothing moves at joint `{}`", joint.name)));
            };
            if *of.get_or_insert(tree) != tree {
                let message = format!(
                    "`{}` is in another tree of joints than `{}`",
                    joint.name, parts.joints[drive.along[0].0.0].name
                );
                return Err(refuse(drive, "joint", message));
            }
            let (column, q) = trees[tree].first_of(link);
            terms.push(Term { column: column as u32, q: q as u32, share: *share });
        }
        if let Some(tree) = of {
            trees[tree].drives.push(Placed { drive: number, terms });
        }
    }
    Ok(())
}

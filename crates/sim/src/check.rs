//! # Checks of a model, and why one cannot be
//!
//! - **in**: bodies, pairs, numbers as they came
//! - **out**: nothing, or a [`ModelError`] that says what was expected, what came, and whose it was
//! - **start at** [`ModelError`]

use crate::accurate::Stop;
use crate::model::{Body, BodyId, Mobility, Pair};
use fingerpad_contact::law::{Friction, LawError, Stiffness};
use fingerpad_contact::track::TrackError;
use nalgebra::Matrix3;

/// Why a model or its start cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A number outside its range.
    #[error("{what} of {of} must be {expected}, got {got}")]
    Number {
        /// Which number.
        what: &'static str,
        /// Whose.
        of: String,
        /// The rule.
        expected: &'static str,
        /// What came.
        got: String,
    },
    /// A law that cannot be integrated accurately.
    #[error("{of}: {what} cannot be integrated by the accurate stepper{instead}")]
    Law {
        /// Which pair.
        of: String,
        /// What about it.
        what: &'static str,
        /// What to do.
        instead: &'static str,
    },
    /// Constants of a law outside their range.
    #[error("{of}: {error}")]
    Constants {
        /// Which pair.
        of: String,
        /// Why.
        error: LawError,
    },
    /// A contact that cannot be answered at the start.
    #[error("at the start: {0}")]
    Start(Stop),
    /// No closest points at the start.
    #[error("{of}: {error}")]
    Track {
        /// Which pair.
        of: String,
        /// Why.
        error: TrackError,
    },
}

pub(crate) fn rule(what: &'static str, of: &str, expected: &'static str, got: f64, ok: bool) -> Result<(), ModelError> {
    if ok && got.is_finite() {
        Ok(())
    } else {
        Err(ModelError::Number { what, of: of.to_string(), expected, got: got.to_string() })
    }
}

pub(crate) fn finite(what: &'static str, of: &str, got: &[f64]) -> Result<(), ModelError> {
    if got.iter().all(|x| x.is_finite()) {
        Ok(())
    } else {
        Err(ModelError::Number { what, of: of.to_string(), expected: "finite", got: format!("{got:?}") })
    }
}

pub(crate) fn check_body(body: &Body) -> Result<Matrix3<f64>, ModelError> {
    let of = format!("body `{}`", body.name);
    finite("centre of mass", &of, body.p_BoBcm.coords.as_slice())?;
    if body.mobility == Mobility::Fixed {
        return Ok(Matrix3::zeros());
    }
    rule("mass", &of, "positive and finite (kg)", body.mass, body.mass > 0.0)?;
    let I = &body.I_BBcm_B;
    let symmetric = (I - I.transpose()).amax() <= 1e-12 * I.amax();
    match I.cholesky() {
        Some(root) if symmetric && I.iter().all(|x| x.is_finite()) => Ok(root.inverse()),
        _ => Err(ModelError::Number {
            what: "inertia",
            of,
            expected: "symmetric, positive definite and finite (kg m²)",
            got: format!("{:?}", I.as_slice()),
        }),
    }
}

pub(crate) fn check_index(id: BodyId, whose: &str, bodies: &[Body]) -> Result<(), ModelError> {
    let got = id.0 as f64;
    rule("body", whose, "one of the model's", got, id.0 < bodies.len())
}

pub(crate) fn check_pair(pair: &Pair, bodies: &[Body]) -> Result<(), ModelError> {
    check_index(pair.a, "a pair", bodies)?;
    check_index(pair.b, "a pair", bodies)?;
    let of = format!("`{}`–`{}`", bodies[pair.a.0].name, bodies[pair.b.0].name);
    rule("alpha", &of, "between 0 and 1", pair.alpha, (0.0..=1.0).contains(&pair.alpha))?;
    rule("second body", &of, "another than the first", pair.b.0 as f64, pair.a != pair.b)?;
    let law = &pair.law;
    let refuse = |what, instead| Err(ModelError::Law { of: of.clone(), what, instead });
    if law.partial.is_some() {
        return refuse("partial slip", "");
    }
    let d = &law.damping;
    for (what, value) in [
        ("Hunt–Crossley damping", d.hunt_crossley),
        ("normal damping", d.normal),
        ("tangential damping", d.tangential),
        ("torsional damping", d.torsional),
    ] {
        rule(what, &of, "zero or positive, and finite", value, value >= 0.0)?;
    }
    if let Stiffness::Constants(constants) = &law.stiffness {
        constants.checked().map_err(|error| ModelError::Constants { of: of.clone(), error })?;
        if matches!(law.friction, Friction::Coulomb { .. }) && constants.k_theta > 0.0 {
            rule(
                "e_n",
                &of,
                "positive where friction is Coulomb and k_theta is not zero (m)",
                constants.e_n,
                constants.e_n > 0.0,
            )?;
        }
    }
    let friction_ends = !matches!(law.friction, Friction::None | Friction::Sticks);
    if friction_ends && (d.tangential > 0.0) != (d.torsional > 0.0) {
        return refuse(
            "friction with only one of tangential and torsional damping",
            "; give both or none: a load beyond the limit slips at the rate its dampers allow",
        );
    }
    match &law.friction {
        Friction::Coulomb { mu } => rule("friction coefficient", &of, "positive and finite", *mu, *mu > 0.0),
        Friction::TwoCoefficients { .. } | Friction::Rule(_) if d.tangential == 0.0 => {
            refuse("this friction without tangential damping", "; give tangential damping, or one coefficient")
        }
        _ => Ok(()),
    }
}

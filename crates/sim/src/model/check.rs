//! # Checks of a model, and why one cannot be
//!
//! - **in**: bodies, pairs, numbers as they came
//! - **out**: nothing, or a [`ModelError`] that says what was expected, what came, and whose it was
//! - **start at** [`ModelError`]

use crate::coordinates::inertia::felt_inertia;
use crate::model::Parts;
use crate::model::body::{Body, BodyId, Mobility, Prescribed, Restriction};
use crate::model::interactions::PairLaw;
use crate::model::load::Profile;
use crate::run::Stop;
use crate::state::BodyState;
use fingerpad_contact::law::{Friction, LawError, Stiffness};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::track::TrackError;
use nalgebra::{Isometry3, Matrix3, Translation3, Vector3};

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
    /// A force on a body that does not answer to forces.
    #[error("{what}: the body is {how} and does not answer to it")]
    Unmoved {
        /// The force.
        what: String,
        /// How the body moves instead.
        how: &'static str,
    },
    /// A law that no stepper knows.
    #[error("{of}: {what} cannot be simulated{instead}")]
    Law {
        /// Which pair.
        of: String,
        /// What about it.
        what: &'static str,
        /// What to do.
        instead: &'static str,
    },
    /// A velocity is commanded to a body whose motion is not prescribed.
    #[error("body `{of}`: its velocity can only be commanded if its motion is prescribed; give it one, or a load")]
    NotPrescribed {
        /// Which body.
        of: String,
    },
    /// A law that the fast stepper does not know.
    #[error("{of}: {what} cannot be stepped by the fast stepper")]
    Fixed {
        /// Which pair.
        of: String,
        /// What about it.
        what: &'static str,
    },
    /// A joint, a coupling or a loop that cannot be.
    #[error("joint `{of}`: {field}: {message}")]
    Joint {
        /// Which.
        of: String,
        /// Which of its fields is to blame.
        field: &'static str,
        /// What was expected and what came.
        message: String,
    },
    /// A drive, or a command to it, that cannot be.
    #[error("drive `{of}`: {field}: {message}")]
    Drive {
        /// Which.
        of: String,
        /// Which of its fields is to blame.
        field: &'static str,
        /// What was expected and what came.
        message: String,
    },
    /// A link that cannot be.
    #[error("body `{of}`: {message}")]
    Link {
        /// Which body.
        of: String,
        /// Which of its fields is to blame.
        field: &'static str,
        /// What was expected and what came.
        message: String,
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
    #[error("{of}, at the start: {cause}")]
    Start {
        /// Which pair or body.
        of: String,
        /// Why.
        cause: Box<Stop>,
    },
    /// No closest points at the start.
    #[error("{of}: {error}")]
    Track {
        /// Which pair.
        of: String,
        /// Why.
        error: TrackError,
    },
}

fn rule(what: &'static str, of: &str, expected: &'static str, got: f64, ok: bool) -> Result<(), ModelError> {
    if ok && got.is_finite() {
        Ok(())
    } else {
        Err(ModelError::Number { what, of: of.to_string(), expected, got: got.to_string() })
    }
}

fn finite(what: &'static str, of: &str, got: &[f64]) -> Result<(), ModelError> {
    if got.iter().all(|x| x.is_finite()) {
        Ok(())
    } else {
        Err(ModelError::Number { what, of: of.to_string(), expected: "finite", got: format!("{got:?}") })
    }
}

/// Checks everything; the inverse inertia of each body.
pub(crate) fn check_parts(parts: &Parts) -> Result<Vec<Matrix3<f64>>, ModelError> {
    let bodies = &parts.bodies;
    let inverse = bodies.iter().map(check_body).collect::<Result<Vec<_>, _>>()?;
    finite("gravity", "the model", parts.gravity_W.as_slice())?;
    for (i, law) in parts.interactions.laws.iter().enumerate() {
        check_law(law, &name_of_law(parts, i))?;
    }
    for body in bodies {
        if let Some(of) = body.part_of {
            check_index(of, &format!("body `{}`", body.name), bodies)?;
            let plain = bodies[of.0].part_of.is_none();
            rule("body that it is part of", &format!("body `{}`", body.name), "no part itself", of.0 as f64, plain)?;
        }
    }
    let laws = parts.interactions.laws.len();
    let named = parts.interactions.exceptions.values().flatten();
    for pair in named {
        check_index(pair.a, "a pair", bodies)?;
        check_index(pair.b, "a pair", bodies)?;
        let of = format!("`{}`–`{}`", bodies[pair.a.0].name, bodies[pair.b.0].name);
        rule("second body", &of, "another than the first", pair.b.0 as f64, pair.a != pair.b)?;
        rule("law", &of, "one of the model's", pair.law.0 as f64, pair.law.0 < laws)?;
    }
    for law in parts.interactions.table.iter().flatten().flatten() {
        rule("law", "a pair of classes", "one of the model's", law.0 as f64, law.0 < laws)?;
    }
    for load in &parts.loads {
        check_index(load.body, "a load", bodies)?;
        let of = format!("the load on `{}`", bodies[load.body.0].name);
        check_answers(&bodies[load.body.0], &of)?;
        finite("force", &of, load.f_W.as_slice())?;
        finite("moment", &of, load.t_W.as_slice())?;
        finite("point", &of, load.p_BoQ.unwrap_or_default().coords.as_slice())?;
        check_profile(&load.profile, &of)?;
    }
    for kick in &parts.kicks {
        check_index(kick.body, "a kick", bodies)?;
        let of = format!("the kick on `{}`", bodies[kick.body.0].name);
        check_answers(&bodies[kick.body.0], &of)?;
        finite("change of momentum", &of, kick.p_W.as_slice())?;
        finite("change of angular momentum", &of, kick.L_W.as_slice())?;
        finite("point", &of, kick.p_BoQ.unwrap_or_default().coords.as_slice())?;
        rule("time", &of, "zero or positive, and finite (s)", kick.time, kick.time >= 0.0)?;
    }
    Ok(inverse)
}

/// Checks force and moment that a load is set to.
pub(crate) fn check_command(body: &str, f_W: &Vector3<f64>, t_W: &Vector3<f64>) -> Result<(), ModelError> {
    let of = || format!("the load on `{body}`");
    if f_W.iter().chain(t_W).all(|x| x.is_finite()) {
        return Ok(());
    }
    finite("force", &of(), f_W.as_slice())?;
    finite("moment", &of(), t_W.as_slice())
}

/// Whether forces move the body.
fn check_answers(body: &Body, what: &str) -> Result<(), ModelError> {
    let how = match &body.mobility {
        Mobility::Free | Mobility::Restricted(_) | Mobility::Link { .. } => return Ok(()),
        Mobility::Fixed => "fixed",
        Mobility::Prescribed(_) => "driven",
    };
    Err(ModelError::Unmoved { what: what.to_string(), how })
}

/// A pair that a law acts between, for messages.
fn name_of_law(parts: &Parts, law: usize) -> String {
    let Parts { bodies, interactions, .. } = parts;
    let name = |id: BodyId| bodies.get(id.0).map_or("?", |body| body.name.as_str());
    match interactions.exceptions.values().flatten().find(|pair| pair.law.0 == law) {
        Some(pair) => format!("`{}`–`{}`", name(pair.a), name(pair.b)),
        None => format!("law {law}"),
    }
}

fn check_profile(profile: &Profile, of: &str) -> Result<(), ModelError> {
    let [t0, t1] = profile.breaks();
    finite("start", of, &[t0])?;
    match *profile {
        Profile::Pulse { duration, .. } => rule("duration", of, "positive and finite (s)", duration, duration > 0.0),
        Profile::Ramp { .. } => rule("end", of, "after the start, and finite (s)", t1, t1 > t0),
        Profile::Steady { .. } if t1 > t0 => Ok(()),
        Profile::Wave { frequency, phase, .. } if t1 > t0 => {
            finite("phase", of, &[phase])?;
            rule("frequency", of, "positive and finite (Hz)", frequency, frequency > 0.0)
        }
        _ => rule("end", of, "after the start (s)", f64::NAN, false),
    }
}

fn check_restriction(restriction: &Restriction, of: &str) -> Result<(), ModelError> {
    let Restriction { X_WF, slides, turns } = restriction;
    finite("frame of motions", of, X_WF.translation.vector.as_slice())?;
    finite("frame of motions", of, X_WF.rotation.coords.as_slice())?;
    let axes = turns.iter().filter(|x| **x).count();
    rule("number of axes to turn about", of, "0, 1 or 3", axes as f64, axes != 2)?;
    let left = axes + slides.iter().filter(|x| **x).count();
    rule("number of motions left", of, "at least 1 (or the body is fixed)", left as f64, left > 0)
}

fn check_motion(motion: &Prescribed, of: &str) -> Result<(), ModelError> {
    match motion {
        Prescribed::Turning { p_WQ, axis_W, rate } => {
            finite("point of the axis", of, p_WQ.coords.as_slice())?;
            finite("axis", of, axis_W.as_slice())?;
            finite("rate", of, &[*rate])
        }
        Prescribed::Shaking { amplitude_W, frequency, phase } => {
            finite("amplitude", of, amplitude_W.as_slice())?;
            finite("phase", of, &[*phase])?;
            rule("frequency", of, "positive and finite (Hz)", *frequency, *frequency > 0.0)
        }
        Prescribed::Moving { v_W } | Prescribed::Conveying { v_W } => finite("velocity", of, v_W.as_slice()),
    }
}

/// Pose and velocity at the start.
pub(crate) fn check_start(body: &Body, X_WB: &Isometry3<f64>, V_WBcm: &SpatialVelocity) -> Result<(), ModelError> {
    let of = format!("body `{}`", body.name);
    finite("position", &of, X_WB.translation.vector.as_slice())?;
    finite("attitude", &of, X_WB.rotation.coords.as_slice())?;
    finite("velocity", &of, V_WBcm.v.as_slice())?;
    finite("angular velocity", &of, V_WBcm.w.as_slice())?;
    if let Mobility::Restricted(restriction) = &body.mobility {
        let X_WBcm = Isometry3::from_parts(Translation3::from(X_WB * body.p_BoBcm), X_WB.rotation);
        check_left(body, restriction, &BodyState { X_WBcm, V_WBcm: *V_WBcm }, &of)?;
    }
    Ok(())
}

/// Pose and velocity are among those that are left to the body, to rounding.
fn check_left(body: &Body, restriction: &Restriction, now: &BodyState, of: &str) -> Result<(), ModelError> {
    let kept = restriction.keep(body, now);
    let (p, V) = (&now.X_WBcm.translation.vector, &now.V_WBcm);
    let refuse = |what, got: &[f64]| {
        let (of, got) = (of.to_string(), format!("{got:?}"));
        Err(ModelError::Number { what, of, expected: "among the motions that are left to it", got })
    };
    let size = p.norm() + restriction.X_WF.translation.vector.norm() + 1.0;
    if (kept.X_WBcm.translation.vector - p).norm() > ROUNDING * size
        || kept.X_WBcm.rotation.angle_to(&now.X_WBcm.rotation) > ROUNDING
    {
        return refuse("start pose", p.as_slice());
    }
    let arm = restriction.arm(body, &now.X_WBcm.rotation);
    let size = V.v.norm() + V.w.norm() * arm.norm();
    if (kept.V_WBcm.w - V.w).norm() > ROUNDING * V.w.norm() {
        return refuse("angular velocity", V.w.as_slice());
    }
    if (kept.V_WBcm.v - V.v).norm() > ROUNDING * size {
        return refuse("velocity of the centre of mass", V.v.as_slice());
    }
    Ok(())
}

/// What rounding of numbers that were written down may leave, relative.
const ROUNDING: f64 = 1e-9;

fn check_body(body: &Body) -> Result<Matrix3<f64>, ModelError> {
    let of = format!("body `{}`", body.name);
    finite("centre of mass", &of, body.p_BoBcm.coords.as_slice())?;
    match &body.mobility {
        Mobility::Fixed => return check_start(body, &body.X_WB, &body.V_WBcm).map(|()| Matrix3::zeros()),
        Mobility::Prescribed(motion) => {
            check_start(body, &body.X_WB, &body.V_WBcm)?;
            return check_motion(motion, &of).map(|()| Matrix3::zeros());
        }
        Mobility::Restricted(restriction) => check_restriction(restriction, &of)?,
        // Its tree has checked it.
        Mobility::Link { .. } => return check_start(body, &body.X_WB, &body.V_WBcm).map(|()| Matrix3::zeros()),
        Mobility::Free => {}
    }
    check_start(body, &body.X_WB, &body.V_WBcm)?;
    rule("mass", &of, "positive and finite (kg)", body.mass, body.mass > 0.0)?;
    match &body.mobility {
        Mobility::Restricted(restriction) => check_felt(body, restriction, &of).map(|()| Matrix3::zeros()),
        _ => check_inertia(&body.I_BBcm_B, &of),
    }
}

fn refuse_inertia(I: &Matrix3<f64>, of: &str, expected: &'static str) -> ModelError {
    ModelError::Number { what: "inertia", of: of.to_string(), expected, got: format!("{:?}", I.as_slice()) }
}

/// An inertia that a solid can have; its inverse.
///
/// Principal moments are sums of m r² over two of three axes each, so that none exceeds the sum of the others.
fn check_inertia(I: &Matrix3<f64>, of: &str) -> Result<Matrix3<f64>, ModelError> {
    let symmetric = (I - I.transpose()).amax() <= 1e-12 * I.amax();
    let inverse = match I.cholesky() {
        Some(root) if symmetric && I.iter().all(|x| x.is_finite()) => root.inverse(),
        _ => return Err(refuse_inertia(I, of, "symmetric, positive definite and finite (kg m²)")),
    };
    let moments = I.symmetric_eigenvalues();
    if 2.0 * moments.max() > moments.sum() * (1.0 + ROUNDING) {
        let expected = "that of a solid: no principal moment above the sum of the other two (kg m²)";
        return Err(refuse_inertia(I, of, expected));
    }
    Ok(inverse)
}

/// Of the inertia of a restricted body, what its turns feel is positive.
fn check_felt(body: &Body, restriction: &Restriction, of: &str) -> Result<(), ModelError> {
    let I = &body.I_BBcm_B;
    let axes = restriction.turns.iter().filter(|turns| **turns).count();
    let felt = felt_inertia(body, restriction);
    match axes {
        3 if restriction.slides.iter().any(|slides| *slides) => return check_inertia(I, of).map(|_| ()),
        3 if felt.cholesky().is_some() => {}
        0 => {}
        1 => {
            let turned = body.X_WB.rotation.inverse() * restriction.directions().0.iter().sum::<Vector3<f64>>();
            let about = turned.dot(&(felt * turned));
            rule("inertia about its axis", of, "positive and finite (kg m²)", about, about > 0.0)?;
        }
        _ => return Err(refuse_inertia(I, of, "positive definite about the point it turns about (kg m²)")),
    }
    finite("inertia", of, I.as_slice())
}

fn check_index(id: BodyId, whose: &str, bodies: &[Body]) -> Result<(), ModelError> {
    let got = id.0 as f64;
    rule("body", whose, "one of the model's", got, id.0 < bodies.len())
}

fn check_law(pair: &PairLaw, of: &str) -> Result<(), ModelError> {
    let of = of.to_string();
    rule("alpha", &of, "between 0 and 1", pair.alpha, (0.0..=1.0).contains(&pair.alpha))?;
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
        if matches!(law.friction, Friction::Coulomb { .. } | Friction::Exact { .. }) && constants.k_theta > 0.0 {
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
        Friction::Coulomb { mu } | Friction::Exact { mu } => {
            rule("friction coefficient", &of, "positive and finite", *mu, *mu > 0.0)
        }
        Friction::TwoCoefficients { .. } | Friction::Rule(_) if d.tangential == 0.0 => {
            refuse("this friction without tangential damping", "; give tangential damping, or one coefficient")
        }
        _ => Ok(()),
    }
}

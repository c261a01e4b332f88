//! # Drives of a robot's file: its actuators, and what drives all of its joints
//!
//! - **in**: actuators with their controls over time, `[[drive]]`s that stand for them or tell their control
//! - **out**: drives of the model, named as the actuators
//! - **not here**: which actuators there are (`robots::acting`)
//! - **start at** [`drives`]
//!
//! With length l, control u and force range [a, b], m = (a + b)/2:
//!
//! ```text
//! f = clamp(gain u + bias0 + bias1 l + bias2 l′, a, b)
//!   = m + C(−k (l − r) − d l′),  k = −bias1 > 0, d = −bias2 ≥ 0, r = (gain u + bias0 − m)/k     position
//!   = m + C(−d (l′ − w)),        w = (gain u + bias0 − m)/d                                     velocity, k = 0
//!   = clamp(gain u + bias0, a, b)                                                               torque, k = d = 0
//! ```
//!
//! C clamps to ± (b − a)/2; the constant m is a torque drive of its own. As in all drives the damper acts on l′ − r′, in MuJoCo
//! on l′: while a control moves, an actuator here is d r′ ahead of MuJoCo's.

use super::super::robots::{Acting, ActuatorOf};
use fingerpad_sim::{Drive, DriveKind, JointId, Smooth, Timeline};

/// An actuator as drives: one, or two where its force range does not lie about zero. Says why it cannot be one.
pub(super) fn drives(of: &ActuatorOf, controls: &[[f64; 2]], smooth: Smooth) -> Result<Vec<Drive>, String> {
    let actuator = &of.actuator;
    let (k, d) = (-actuator.bias[1], of.damping);
    if k < 0.0 || d < 0.0 || !(k.is_finite() && d.is_finite()) {
        return Err("its bias pushes away from where it rests".to_string());
    }
    let [low, high] = actuator.force_range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
    let (middle, limit) = match actuator.force_range {
        Some([low, high]) => (0.5 * (low + high), 0.5 * (high - low)),
        None => (0.0, f64::INFINITY),
    };
    let told = |u: f64| actuator.gain * u + actuator.bias[0];
    let line = |value: &dyn Fn(f64) -> f64| {
        let points: Vec<[f64; 2]> = controls.iter().map(|[t, u]| [*t, value(*u)]).collect();
        Timeline::stops(&points, smooth).map_err(|error| error.message)
    };
    let one = |name: &str, kind: DriveKind, limit: f64, reference: Timeline| Drive {
        name: name.to_string(),
        along: of.along.clone(),
        kind,
        limit,
        reference,
    };
    let drive = if k > 0.0 {
        let kind = DriveKind::Position { stiffness: k, damping: d };
        one(&of.name, kind, limit, line(&|u| (told(u) - middle) / k)?)
    } else if d > 0.0 {
        one(&of.name, DriveKind::Velocity { damping: d }, limit, line(&|u| (told(u) - middle) / d)?)
    } else {
        let largest = low.abs().max(high.abs());
        return Ok(vec![one(&of.name, DriveKind::Torque, largest, line(&|u| told(u).clamp(low, high))?)]);
    };
    if middle == 0.0 {
        return Ok(vec![drive]);
    }
    let rest = Timeline::constant(middle);
    Ok(vec![drive, one(&format!("{}#middle", of.name), DriveKind::Torque, f64::INFINITY, rest)])
}

/// The actuator of a name.
pub(super) fn named<'a>(robots: &'a [Acting], name: &str) -> Option<&'a ActuatorOf> {
    robots.iter().flat_map(|robot| &robot.actuators).find(|of| of.name == name)
}

/// The robot of a joint with a sequence of poses: the way of a weighted sum of its joints.
pub(super) fn sequence(robots: &[Acting], along: &[(JointId, f64)]) -> Option<Timeline> {
    let of = |robot: &&Acting| {
        let named =
            |id: &JointId| robot.sequence.iter().any(|all| all.points[0].1.iter().any(|(known, _)| known == id));
        along.iter().all(|(id, _)| named(id))
    };
    let sequence = robots.iter().find(of)?.sequence.as_ref()?;
    Timeline::stops(&sequence.of(along), sequence.smooth).ok()
}

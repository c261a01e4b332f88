//! # Events of a scene: kicks and loads
//!
//! - **in**: `[[event]]`
//! - **out**: [`Kick`]s and [`Load`]s of a model
//! - **start at** [`read`]

use super::keys;
use super::pairs::body_named;
use super::section::{Problems, Range, Section};
use super::tree::Node;
use crate::units::Dimension::{self, Angle, Length, Time};
use fingerpad_sim::{BodyId, Kick, Load, Profile};
use nalgebra::{Point3, Vector3};

/// What an event is.
pub(crate) enum Event {
    Kick(Kick),
    Load(Load),
}

/// Reads one event; `names` are those of the bodies.
pub(crate) fn read(node: &Node, index: usize, names: &[&str], problems: &Problems) -> Option<Event> {
    let whose = format!("of event {}", index + 1);
    let kinds: Vec<(&str, usize)> = keys::EVENTS.iter().enumerate().map(|(i, (name, _))| (*name, i)).collect();
    let open = Section::open(node, &whose, problems)?;
    let (kind, known) = keys::EVENTS[open.choice_of(open.require("type")?, "event", &kinds)?];
    let section = Section::new(node, known, &whose, problems)?;
    let body = BodyId(body_named(section.require("body")?, names, &section)?);
    let at = |what: &str| section.vector::<3>("at", what, Length, Range::Any).map(Point3::from);
    let vector = |key: &str, dimension| section.vector::<3>(key, &format!("`{key}`"), dimension, Range::Any);
    let p_BoQ = at("the point in the body");
    if kind == "impulse" {
        section.require("time");
        let time = section.quantity("time", "`time`", Time, Range::NotNegative);
        if !section.has("impulse") && !section.has("angular_impulse") {
            section.lacks("missing key `impulse` or `angular_impulse`");
        }
        let p_W = vector("impulse", Dimension::Impulse).unwrap_or_default().into();
        let L_W = vector("angular_impulse", Dimension::AngularImpulse).unwrap_or_default().into();
        return Some(Event::Kick(Kick { body, time: time?, p_W, L_W, p_BoQ }));
    }
    if !section.has("force") && !section.has("moment") {
        section.lacks("missing key `force` or `moment`");
    }
    let f_W: Vector3<f64> = vector("force", Dimension::Force).unwrap_or_default().into();
    let t_W = vector("moment", Dimension::Moment).unwrap_or_default().into();
    let profile = profile(kind, &section)?;
    Some(Event::Load(Load { body, f_W, t_W, p_BoQ, profile }))
}

fn profile(kind: &str, section: &Section) -> Option<Profile> {
    let t0 = match section.has("from") {
        true => section.quantity("from", "`from`", Time, Range::NotNegative)?,
        false => 0.0,
    };
    if kind == "pulse" {
        section.require("duration")?;
        let duration = section.quantity("duration", "`duration`", Time, Range::Positive)?;
        return Some(Profile::Pulse { t0, duration });
    }
    let t1 = match section.get("to") {
        Some(node) => {
            let t1 = section.quantity_of(node, "`to`", Time, Range::NotNegative)?;
            if t1 <= t0 {
                section.wrong(node, format!("`to` must be after `from`, got {t1} s after {t0} s"));
                return None;
            }
            t1
        }
        None if kind == "ramp" => {
            section.require("to")?;
            return None;
        }
        None => f64::INFINITY,
    };
    match kind {
        "push" => Some(Profile::Steady { t0, t1 }),
        "ramp" => Some(Profile::Ramp { t0, t1 }),
        _ => {
            section.require("frequency")?;
            let frequency = section.quantity("frequency", "`frequency`", Dimension::Frequency, Range::Positive)?;
            let phase = section.quantity("phase", "`phase`", Angle, Range::Any).unwrap_or(0.0);
            Some(Profile::Wave { t0, t1, frequency, phase })
        }
    }
}

//! # Motions of a scene: what is left to a body, and what is given
//!
//! - **in**: `moves` with `axes`; `motion`
//! - **out**: [`Restriction`], [`Prescribed`]
//! - **start at** [`restriction`], [`motion`]

use super::keys;
use super::poses::{direction, pose};
use super::section::{Range, Section};
use super::tree::Node;
use crate::units::Dimension::{self, Angle, Length};
use fingerpad_sim::{Body, Prescribed, Restriction};
use nalgebra::{Isometry3, Translation3, Vector3};

/// `moves = ["x", "rz"]` about `axes`.
pub(crate) fn restriction(node: &Node, section: &Section, body: &Body) -> Option<Restriction> {
    let (mut slides, mut turns) = ([false; 3], [false; 3]);
    let names = [("x", 0), ("y", 1), ("z", 2), ("rx", 3), ("ry", 4), ("rz", 5)];
    for item in section.list_of(node, "a list of motions such as [\"x\", \"rz\"]")? {
        match section.choice_of(item, "motion", &names)? {
            k @ 0..3 => slides[k] = true,
            k => turns[k - 3] = true,
        }
    }
    let count = turns.iter().filter(|x| **x).count();
    if count == 2 {
        section.wrong(node, "a body may turn about no axis, one, or all three, got two");
        return None;
    }
    if count == 0 && slides == [false; 3] {
        section.wrong(node, "expected at least one motion; a body without any is `fixed = true`");
        return None;
    }
    let mut X_WF = Isometry3::from(Translation3::from(body.X_WB * body.p_BoBcm));
    if let Some(axes) = section.get("axes") {
        let axes = Section::new(axes, keys::AXES, section.whose, section.problems())?;
        let frame = pose(&axes, "origin");
        X_WF.rotation = frame.rotation;
        if axes.has("origin") {
            X_WF.translation = frame.translation;
        }
    }
    let restriction = Restriction { X_WF, slides, turns };
    starts_within(&restriction, section, body);
    Some(restriction)
}

/// Tells of a velocity at the start that the restriction does not allow.
fn starts_within(restriction: &Restriction, section: &Section, body: &Body) {
    let Restriction { X_WF, slides, turns } = restriction;
    let p_BcmP_W = X_WF.translation.vector - (body.X_WB * body.p_BoBcm).coords;
    let V = body.V_WBcm.shift(p_BcmP_W);
    let (w_F, v_F) = (X_WF.rotation.inverse() * V.w, X_WF.rotation.inverse() * V.v);
    let scale = 1e-9 * (V.v.norm() + V.w.norm() * (1.0 + p_BcmP_W.norm()));
    for i in 0..3 {
        for (value, free, key) in [(v_F[i], slides[i], "velocity"), (w_F[i], turns[i], "angular_velocity")] {
            if !free && value.abs() > scale {
                let axis = ["x", "y", "z"][i];
                let way = if key == "velocity" { "along" } else { "about" };
                let message = format!("`moves` leaves no motion {way} {axis}, but the body starts with one");
                let node = section.get(key).or(section.get("velocity")).or(section.get("angular_velocity"));
                if let Some(node) = node {
                    section.wrong(node, message);
                    return;
                }
            }
        }
    }
}

/// `motion = { type = "turntable", rate = "33 rpm" }`.
pub(crate) fn motion(node: &Node, of: &Section, body: &Body) -> Option<Prescribed> {
    let kinds: Vec<(&str, usize)> = keys::MOTIONS.iter().enumerate().map(|(i, (name, _))| (*name, i)).collect();
    let open = Section::open(node, of.whose, of.problems())?;
    let (kind, known) = keys::MOTIONS[open.choice_of(open.require("type")?, "motion", &kinds)?];
    let section = Section::new(node, known, of.whose, of.problems())?;
    match kind {
        "turntable" => {
            let p_WQ = match section.get("point") {
                Some(node) => section.vector_of::<3>(node, "`point`", Length, Range::Any)?.into(),
                None => body.X_WB.translation.vector,
            };
            let axis_W = match section.get("axis") {
                Some(node) => direction(node, &section, "`axis`")?,
                None => Vector3::z_axis(),
            };
            section.require("rate")?;
            let rate = section.quantity("rate", "`rate`", Dimension::AngularVelocity, Range::Any)?;
            Some(Prescribed::Turning { p_WQ: p_WQ.into(), axis_W, rate })
        }
        "shaker" => {
            let amplitude = section.vector_of::<3>(section.require("amplitude")?, "`amplitude`", Length, Range::Any);
            section.require("frequency");
            let frequency = section.quantity("frequency", "`frequency`", Dimension::Frequency, Range::Positive);
            let phase = section.quantity("phase", "`phase`", Angle, Range::Any).unwrap_or(0.0);
            Some(Prescribed::Shaking { amplitude_W: amplitude?.into(), frequency: frequency?, phase })
        }
        _ => {
            let node = section.require("velocity")?;
            let v_W = section.vector_of::<3>(node, "`velocity`", Dimension::Speed, Range::Any)?.into();
            Some(if kind == "conveyor" { Prescribed::Conveying { v_W } } else { Prescribed::Moving { v_W } })
        }
    }
}

//! # Results: what contacts did over the last fixed step
//!
//! - **in**: a state that fixed steps left
//! - **out**: [`ContactResult`]s; forces are the mean ones of the last step, energies and places those of its end
//! - **start at** [`fill`]
//!
//! A contact that no fixed step has acted on yet, as at the start of a run, shows what its springs hold by themselves.

use super::FixedWorkspace;
use crate::contacts::look::look;
use crate::model::Model;
use crate::run::{ContactResult, Stop};
use crate::state::{ContactMode, ContactState, FixedContact, State};
use fingerpad_contact::law::{Friction, Grip};
use nalgebra::{Vector2, Vector3, Vector4};

/// Fills the results of a state, in the order of its contacts.
pub fn fill<'a>(model: &Model, state: &State, work: &'a mut FixedWorkspace) -> Result<&'a [ContactResult], Stop> {
    let FixedWorkspace { at, results, .. } = work;
    at.begin(model, state);
    results.clear();
    for (i, contact) in state.contacts.iter().enumerate() {
        let (meeting, grip) = look(model, state, at, i)?;
        let mut result = ContactResult::apart(contact, meeting.gap, meeting.site);
        if let (Some(grip), true) = (grip, contact.mode != ContactMode::Free) {
            result.offer(&grip);
            press(&mut result, contact, &grip, &model.law(&contact.pair).law.friction);
        }
        results.push(result);
    }
    Ok(results)
}

/// Loads of a pressed contact along the axes of its patch, and how much of its limit they use.
fn press(result: &mut ContactResult, contact: &ContactState, grip: &Grip, friction: &Friction) {
    let ea_W = result.site.E_W * grip.axis;
    let eb_W = result.site.E_W * Vector2::new(-grip.axis.y, grip.axis.x);
    let along = |v: &Vector3<f64>, turn: f64| Vector3::new(ea_W.dot(v), eb_W.dot(v), turn);
    let y = along(&contact.memory.x_W, contact.memory.x_theta);
    let root = Vector3::from(grip.k).map(f64::sqrt);
    let stretch = y.zip_map(&root, |y, root| if root > 0.0 { y / root } else { 0.0 });
    let in_plane = ea_W * stretch.x + eb_W * stretch.y;
    result.displacement = Vector4::new(in_plane.x, in_plane.y, in_plane.z, stretch.z);
    result.V_tangential = contact.memory.energy();
    let FixedContact { normal, f_W, moment, slips, .. } = &contact.fixed;
    let acted = *normal != 0.0 || *f_W != Vector3::zeros() || *moment != 0.0;
    result.normal = if acted { *normal } else { grip.load };
    result.load = if acted { along(f_W, *moment) } else { root.component_mul(&y) };
    if let Friction::Coulomb { mu } | Friction::Exact { mu } = friction {
        let reach = Vector3::new(*mu, *mu, mu * grip.e_n);
        let share = result.load.zip_map(&reach, |load, reach| if load == 0.0 { 0.0 } else { load / reach });
        result.used = if *slips { 1.0 } else { share.norm() / result.normal.max(f64::MIN_POSITIVE) };
    }
}

//! # Results: what rigid contacts carried over the last step
//!
//! - **in**: a state that the complementarity stepper left
//! - **out**: [`ContactResult`]s; forces are those of the last step, impulse over its length
//! - **start at** [`fill`]

use super::RigidWorkspace;
use super::constraint::least_corner;
use super::strands;
use crate::contacts::place::Place;
use crate::contacts::scratch::ContactScratch;
use crate::model::Model;
use crate::model::prescribed::surface_velocity;
use crate::run::{ContactResult, Stop};
use crate::state::State;
use fingerpad_contact::site::ContactSite;
use nalgebra::Vector3;

/// Fills the results of a state, in the order of its contacts. Nothing is stored, so energies and displacements are zero; the
/// load is along the tangent axes of the site.
pub(super) fn fill<'a>(
    model: &Model,
    state: &State,
    work: &'a mut RigidWorkspace,
) -> Result<&'a [ContactResult], Stop> {
    let RigidWorkspace { at, results, .. } = work;
    at.begin(model, state);
    results.clear();
    for (i, contact) in state.contacts.iter().enumerate() {
        let (gap, mut site) = look(model, state, at, i)?;
        site.v_t += site.E_W.tr_mul(&surface_velocity(model, &contact.pair));
        let mut result = ContactResult::apart(contact, gap, site);
        result.rest_offset = 0.0;
        let [n, t1, t2, spin] = contact.rigid.total;
        result.normal = n;
        result.load = -Vector3::new(t1, t2, spin);
        result.used = contact.rigid.used;
        result.patch = contact.rigid.patch;
        result.e_n = (contact.rigid.e_n > 0.0 && contact.rigid.e_n.is_finite()).then_some(contact.rigid.e_n);
        results.push(result);
    }
    Ok(results)
}

/// Least gap and site of a contact where its bodies are.
fn look(model: &Model, state: &State, at: &mut ContactScratch, contact: usize) -> Result<(f64, ContactSite), Stop> {
    let ContactScratch { starts, places, sets, faces, .. } = at;
    let pair = state.contacts[contact].pair;
    let (a, b) = (pair.a.0, pair.b.0);
    let shapes = (&*model.bodies()[a].shape, &*model.bodies()[b].shape);
    let set = sets[contact].and_then(|near| state.near[near].set());
    let (place, face) = (&mut places[contact], &mut faces[contact]);
    let stop = |error| Stop::Track { pair, error };
    let X_AB = starts[a].inv_mul(&starts[b]);
    match place {
        Place::Strand(curve) => strands::follow(curve, shapes, &X_AB, face),
        _ => {
            place.follow(set, shapes, &X_AB, face).map_err(stop)?;
        }
    }
    let [V_WA, V_WB] = [a, b].map(|i| {
        let now = &state.bodies[i];
        now.V_WBcm.shift(starts[i].translation.vector - now.X_WBcm.translation.vector)
    });
    let closest = place.pair().unwrap_or(&face.pair);
    let site = ContactSite::without_turning(closest, &starts[a], &V_WA, &starts[b], &V_WB, model.law(&pair).alpha);
    let least = match place {
        Place::Face(_) if face.area > 0.0 => least_corner(face),
        Place::Face(_) => f64::INFINITY,
        Place::Strand(_) => face.pair.gap,
        _ => site.gap,
    };
    Ok((least, site))
}

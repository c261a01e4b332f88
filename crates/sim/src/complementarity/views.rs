//! # Views: what rigid contacts look like
//!
//! - **in**: a state that the complementarity stepper left
//! - **out**: [`ContactView`]s as the compliant law gives them; forces are those of the last step, impulse over its length
//! - **start at** [`Complementarity::views`]

use super::Complementarity;
use super::spots::least_corner;
use crate::accurate::Stop;
use crate::given::surface_velocity;
use crate::model::Model;
use crate::place::Place;
use crate::state::State;
use crate::workspace::{ContactView, Scratch, Workspace};
use fingerpad_contact::site::ContactSite;
use nalgebra::Vector3;

impl Complementarity {
    /// What the contacts look like in a state, in the order of [`State::contacts`]. Nothing is stored, so energies and
    /// displacements are zero; the load is along the tangent axes of the site.
    pub fn views<'a>(&self, model: &Model, state: &State, work: &'a mut Workspace) -> Result<&'a [ContactView], Stop> {
        let scratch = &mut work.scratch;
        scratch.begin(model, state);
        scratch.views.clear();
        for (i, contact) in state.contacts.iter().enumerate() {
            let (gap, mut site) = look(model, state, scratch, i)?;
            site.v_t += site.E_W.tr_mul(&surface_velocity(model, &contact.pair));
            let mut view = ContactView::apart(gap, 0.0, site, None);
            let [n, t1, t2, spin] = contact.impulse.total;
            view.normal = n;
            view.load = -Vector3::new(t1, t2, spin);
            view.used = contact.impulse.used;
            view.patch = contact.impulse.patch;
            scratch.views.push(view);
        }
        Ok(&scratch.views)
    }
}

/// Least gap and site of a contact where its bodies are.
fn look(model: &Model, state: &State, scratch: &mut Scratch, contact: usize) -> Result<(f64, ContactSite), Stop> {
    let Scratch { starts, places, sets, faces, .. } = scratch;
    let pair = state.contacts[contact].pair;
    let (a, b) = (pair.a.0, pair.b.0);
    let shapes = (&*model.bodies()[a].shape, &*model.bodies()[b].shape);
    let set = sets[contact].and_then(|near| state.near[near].set());
    let (place, face) = (&mut places[contact], &mut faces[contact]);
    let stop = |error| Stop::Track { pair, error };
    place.follow(set, shapes, &starts[a].inv_mul(&starts[b]), face).map_err(stop)?;
    let [V_WA, V_WB] = [a, b].map(|i| {
        let now = &state.bodies[i];
        now.V_WBcm.shift(starts[i].translation.vector - now.X_WBcm.translation.vector)
    });
    let closest = place.pair().unwrap_or(&face.pair);
    let site = ContactSite::without_turning(closest, &starts[a], &V_WA, &starts[b], &V_WB, model.law(&pair).alpha);
    let least = match place {
        Place::Face(_) if face.area > 0.0 => least_corner(face),
        Place::Face(_) => f64::INFINITY,
        _ => site.gap,
    };
    Ok((least, site))
}

//! # Views: what rigid contacts look like
//!
//! - **in**: a state that the complementarity stepper left
//! - **out**: [`ContactView`]s as the compliant law gives them; forces are those of the last step, impulse over its length
//! - **start at** [`Complementarity::views`]

use super::{Complementarity, spots};
use crate::accurate::Stop;
use crate::given::surface_velocity;
use crate::model::Model;
use crate::state::State;
use crate::workspace::{ContactView, Workspace};
use nalgebra::Vector3;

impl Complementarity {
    /// What the contacts look like in a state, in the order of [`State::contacts`]. Nothing is stored, so energies and
    /// displacements are zero; the load is along the tangent axes of the site.
    pub fn views<'a>(&self, model: &Model, state: &State, work: &'a mut Workspace) -> Result<&'a [ContactView], Stop> {
        let Workspace { scratch, rigid, .. } = work;
        spots::find(model, state, scratch, &mut rigid.spots, &mut rigid.sites)?;
        scratch.views.clear();
        for (i, contact) in state.contacts.iter().enumerate() {
            let mut site = rigid.sites[i];
            site.v_t += site.E_W.tr_mul(&surface_velocity(model, &contact.pair));
            let least = rigid.spots.iter().filter(|spot| spot.contact == i).map(|spot| spot.gap);
            let mut view = ContactView::apart(least.fold(f64::INFINITY, f64::min), site, None);
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

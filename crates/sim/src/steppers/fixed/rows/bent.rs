//! # What changing curvature does in a step: an impulse beside the rows
//!
//! - **in**: a point contact at the start of the step, velocities as guessed
//! - **out**: impulses on both bodies; their work, which the springs give
//! - **not here**: the action itself (`ContactLaw::bending`)
//! - **assumes**: it is small beside the load, so that the place and the curvature of the start and the depth of mid-step do
//! - **start at** [`ContactConstraint::bend`]

use super::super::site::{Site, still_site};
use super::super::solver_body::SolverBody;
use super::ContactConstraint;
use crate::model::Model;
use crate::model::interactions::PairLaw;
use fingerpad_contact::law::Stiffness;
use fingerpad_contact::track::ClosestPair;
use nalgebra::Vector3;

/// An impulse on a body at mid-step: moment about its centre of mass, force (N·m·s, N·s), in the world.
pub type Impulse = (Vector3<f64>, Vector3<f64>);

/// None.
pub const NONE: [Impulse; 2] = [(Vector3::new(0.0, 0.0, 0.0), Vector3::new(0.0, 0.0, 0.0)); 2];

impl ContactConstraint {
    /// Whether there are any.
    #[inline]
    pub fn bends(&self) -> bool {
        self.bent[1] != NONE[1]
    }

    /// The impulses on A and B; nothing on links of trees, at a contact that begins in this step, or where nothing bends.
    pub fn bend(
        &mut self,
        model: &Model,
        (pair, gap): (&ClosestPair, f64),
        PairLaw { law, alpha, .. }: &PairLaw,
        (A, B): (&SolverBody, &SolverBody),
        h: f64,
    ) {
        self.bent = NONE;
        let bodies = model.bodies();
        let (a, b) = (&*bodies[self.a].shape, &*bodies[self.b].shape);
        let bends = matches!(law.stiffness, Stiffness::Patch(_)) && (a.bends() || b.bends());
        if !bends || gap >= 0.0 || A.link().is_some() || B.link().is_some() {
            return;
        }
        let (X_WA, X_WB) = (model.frame(self.a, &A.X), model.frame(self.b, &B.X));
        let place = Site::still((pair, gap), &X_WA, *alpha);
        let closing = A.speed_at(&place.c, &place.n0, h) - B.speed_at(&place.c, &place.n0, h);
        let depth = (0.5 * h * closing - gap).clamp(-0.5 * gap, -2.0 * gap);
        let mut site = still_site(&place, pair, -depth);
        site.alpha = *alpha;
        // A law that cannot answer here has stopped the step already.
        let Ok(grip) = law.stiffness.grip(&site) else { return };
        let action = law.bending(&grip, &site, pair, (a, b), &X_WA.inv_mul(&X_WB));
        self.bent = [(A, -h), (B, h)].map(|(body, share)| {
            let moment = action.t + (place.c - body.middle(h)).cross(&action.f);
            (moment * share, action.f * share)
        });
    }
}

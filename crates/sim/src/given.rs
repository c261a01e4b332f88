//! # Given motions: where driven bodies are, and what they do to the others
//!
//! - **in**: a model, a time, a contact
//! - **out**: pose and velocity of a driven body, never integrated; how fast a surface moves over its body; the power that
//!   driven bodies put in through a contact
//! - **not here**: the motions themselves ([`Prescribed`](crate::Prescribed))
//! - **start at** [`given_state`], [`Motion::given_power`]

use crate::accurate::Stop;
use crate::body::{BodyId, Mobility};
use crate::field::Motion;
use crate::interactions::Pair;
use crate::model::Model;
use crate::state::BodyState;
use crate::workspace::ContactView;
use fingerpad_contact::spatial::SpatialVelocity;
use nalgebra::{Isometry3, Point3, Translation3, Vector3};

/// A body that forces do not move, at a time; `now` is where it is if it never moves.
pub(crate) fn given_state(model: &Model, i: usize, now: &BodyState, t: f64) -> Result<BodyState, Stop> {
    let body = &model.bodies()[i];
    let Mobility::Prescribed(motion) = &body.mobility else { return Ok(*now) };
    let X_WB = motion.pose(&body.X_WB, t);
    let p_WBcm = X_WB * body.p_BoBcm;
    let V_WBcm = motion.velocity_at(&p_WBcm, t);
    let finite = |v: &Vector3<f64>| v.iter().all(|x| x.is_finite());
    if !(finite(&p_WBcm.coords) && finite(&V_WBcm.v) && X_WB.rotation.coords.iter().all(|x| x.is_finite())) {
        return Err(Stop::Given { body: i });
    }
    Ok(BodyState { X_WBcm: Isometry3::from_parts(Translation3::from(p_WBcm), X_WB.rotation), V_WBcm })
}

fn of_surface(model: &Model, id: BodyId) -> Vector3<f64> {
    match &model.bodies()[id.0].mobility {
        Mobility::Prescribed(motion) => motion.surface_velocity(),
        _ => Vector3::zeros(),
    }
}

/// Velocity of the surface of B over its body less that of A (m/s).
pub(crate) fn surface_velocity(model: &Model, pair: &Pair) -> Vector3<f64> {
    of_surface(model, pair.b) - of_surface(model, pair.a)
}

impl Motion<'_> {
    /// Power that driven bodies of a pair put in through their contact (W): what acts on each, against its motion there.
    pub fn given_power(&self, pair: &Pair, view: &ContactView) -> f64 {
        let Some(touch) = &view.touch else { return 0.0 };
        let site = &view.site;
        let power = |id: BodyId, sign: f64| {
            if !matches!(self.model.bodies()[id.0].mobility, Mobility::Prescribed(_)) {
                return 0.0;
            }
            let BodyState { X_WBcm, V_WBcm } = &self.scratch.bodies[id.0];
            let V_WQ = V_WBcm.shift(site.p_WC - Point3::from(X_WBcm.translation.vector));
            // Only along the patch: a surface that moves through its own body does no work there.
            let surface = of_surface(self.model, id);
            let along = surface - site.nhat_W * site.nhat_W.dot(&surface);
            sign * touch.F_Bc_W.power(&SpatialVelocity::new(V_WQ.w, V_WQ.v + along))
        };
        power(pair.a, 1.0) + power(pair.b, -1.0)
    }
}

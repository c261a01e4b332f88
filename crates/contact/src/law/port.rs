//! # Port: a contact as control people see it, twist in and wrench out, power accounted for
//!
//! - **in**: a site, its memory, poses and velocities of both bodies
//! - **out**: the wrench at each body's origin, and where the power goes
//! - **start at** [`ContactLaw::port`]
//!
//! The contact is an element with two ports, one at each body (Stramigioli, §5–6): the projection P of the relative twist
//! ([`ContactSite::project`], eq. 26) drives springs and dampers, its adjoint ([`ContactSite::embed`], eq. 27) brings
//! their loads back. What goes in is stored or lost: power in = dV/dt + dissipation.

use super::{ContactLaw, LawError, Memory, Mode};
use crate::site::ContactSite;
use crate::spatial::{SpatialForce, SpatialVelocity};
use nalgebra::Isometry3;

/// Wrenches at both bodies and the power balance of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Port {
    /// Action on A, about its origin, in world axes.
    pub F_Ao_W: SpatialForce,
    /// Action on B, about its origin, in world axes.
    pub F_Bo_W: SpatialForce,
    /// Power that both bodies put into the contact (W): minus the power of the two wrenches.
    pub power_in: f64,
    /// Rate of the energy stored along the normal at fixed curvature (W).
    pub stored_normal: f64,
    /// Rate of the energy stored along the patch (W).
    pub stored_tangential: f64,
    /// Power lost in dampers (W).
    pub viscous: f64,
    /// Power lost to slip (W).
    pub slip: f64,
}

impl Port {
    /// What the balance leaves over (W): rounding.
    pub fn residual(&self) -> f64 {
        self.power_in - self.stored_normal - self.stored_tangential - self.viscous - self.slip
    }
}

impl ContactLaw {
    /// Both ports of a contact at this instant; `mode` and `load_rate` as in [`ContactLaw::memory_rate`].
    #[allow(clippy::too_many_arguments)] // two bodies, each with pose and velocity
    pub fn port(
        &self,
        site: &ContactSite,
        memory: &Memory,
        mode: Mode,
        load_rate: f64,
        X_WA: &Isometry3<f64>,
        V_WA: &SpatialVelocity,
        X_WB: &Isometry3<f64>,
        V_WB: &SpatialVelocity,
    ) -> Result<Port, LawError> {
        let response = self.respond(site, memory)?;
        let rate = self.memory_rate(site, memory, mode, load_rate)?;
        let to = |X: &Isometry3<f64>| X.translation.vector - site.p_WC.coords;
        let F_Bo_W = response.F_Bc_W.shift(to(X_WB));
        let F_Ao_W = (-response.F_Bc_W).shift(to(X_WA));
        // x·x′: the turning of the frame does no work.
        let stored_tangential = memory.x_W.dot(&rate.x_W) + memory.x_theta * rate.x_theta;
        Ok(Port {
            F_Ao_W,
            F_Bo_W,
            power_in: -(F_Ao_W.power(V_WA) + F_Bo_W.power(V_WB)),
            stored_normal: -response.elastic * site.gap_rate,
            stored_tangential,
            viscous: response.viscous_power,
            slip: rate.slip_power,
        })
    }
}

//! # Contact results: what each contact does, as its stepper computed it
//!
//! `steppers` ──(own forces)──▶ **here** ──▶ rows, recordings, controllers, checks
//!
//! - **out**: [`ContactResult`], one for each contact of a state, in the state's order
//! - **not here**: forces; each stepper fills in those that it used
//! - **start at** [`ContactResult`]

use crate::model::interactions::Pair;
use crate::state::ContactState;
use fingerpad_contact::law::Grip;
use fingerpad_contact::site::ContactSite;
use fingerpad_contact::spatial::SpatialForce;
use nalgebra::{Vector2, Vector3, Vector4};

/// What a contact does at one instant, or did over the last fixed step.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ContactResult {
    /// Bodies A and B, and what acts between them.
    pub pair: Pair,
    /// Tells contacts of one pair apart, for as long as each lasts.
    pub id: u64,
    /// Signed gap as the law sees it (m): that of the surfaces, and the rest offset.
    pub gap: f64,
    /// Depth that the law forgives (m): [`ContactState::rest_offset`](crate::ContactState::rest_offset).
    pub rest_offset: f64,
    /// Normal force (N).
    pub normal: f64,
    /// Energy stored by pressing (J).
    pub V_normal: f64,
    /// Energy stored along the patch (J).
    pub V_tangential: f64,
    /// Elastic displacement of B over A, in the world (m), and turn (rad).
    pub displacement: Vector4<f64>,
    /// The place and the motion there.
    pub site: ContactSite,
    /// Load along the axes of the patch and about the normal (N, N, N·m); it acts on A, its negative on B.
    pub load: Vector3<f64>,
    /// Share of the friction limit in use, 0 to 1; 0 where there is no limit.
    pub used: f64,
    /// Semi-axes of the patch (m), where a theory gives them.
    pub patch: Option<(f64, f64)>,
    /// First axis of the patch in the tangent axes of the site.
    pub axis: Vector2<f64>,
    /// Eccentricity of the friction limit: largest moment over largest force (m), where there is one.
    pub e_n: Option<f64>,
}

impl ContactResult {
    /// A contact that presses nothing.
    pub(crate) fn apart(contact: &ContactState, gap: f64, site: ContactSite) -> Self {
        Self {
            pair: contact.pair,
            id: contact.id,
            gap,
            rest_offset: contact.rest_offset,
            normal: 0.0,
            V_normal: 0.0,
            V_tangential: 0.0,
            displacement: Vector4::zeros(),
            site,
            load: Vector3::zeros(),
            used: 0.0,
            patch: None,
            axis: Vector2::x(),
            e_n: None,
        }
    }

    /// Takes what a pressed patch offers: axes, eccentricity, energy of pressing.
    pub(crate) fn offer(&mut self, grip: &Grip) {
        self.V_normal = grip.energy;
        self.patch = grip.patch.map(|[a, b, _]| (a, b));
        self.axis = grip.axis;
        self.e_n = (grip.e_n.is_finite() && grip.e_n > 0.0).then_some(grip.e_n);
    }

    /// Action of the contact on B: force (N), and moment about the normal (N·m), at the contact point `site.p_WC`, in world axes.
    /// What acts on A is its negative.
    pub fn wrench_on_b(&self) -> SpatialForce {
        let n = self.site.nhat_W;
        let along = self.site.E_W * self.axis;
        let f = n * self.normal - along * self.load.x - n.cross(&along) * self.load.y;
        SpatialForce::new(n * -self.load.z, f)
    }

    /// Geometric overlap of the two surfaces here (m), whatever the law forgives; 0 where they are apart.
    pub fn depth(&self) -> f64 {
        (self.rest_offset - self.gap).max(0.0)
    }
}

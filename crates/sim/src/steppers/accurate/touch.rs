//! # One contact in a frozen mode: loads, and how its memory moves
//!
//! `site`, memory, mode ──▶ **here** ──(action on B, powers, quantities whose sign tells events)──▶ `field`
//!
//! - **in**: a site, the elastic state x or the slip direction z, the mode
//! - **out**: [`Touch`]; once accelerations are known, the rates of x or z
//! - **not here**: when the mode changes (`accurate`)
//! - **assumes**: while slipping, the direction z sees the patch change by approach alone, not by curvature; what that
//!   leaves of the energy balance is booked as modulation (`energy`)
//! - **start at** [`Touch::new`], then [`Touch::memory_rate`], [`Touch::slip_rate`]
//!
//! Within a mode everything is smooth, also a little beyond its end, so that steps may look over events: the normal
//! force is not held at zero (the mode [`ContactMode::Clamped`] has none), nor does contact end at gap 0.
//!
//! **Slip.** On the limit x = P S z with z a unit vector and S = diag(1/√(k_i w_i)), w the weights of the friction
//! ellipsoid, in the axes of the patch. Integrating x would drift off the limit; z stays on its sphere:
//!
//! ```text
//! z′ = a − (zᵀa)/(zᵀS⁻²z) S⁻²z,   a = S⁻¹N v/P − ((PS)′/(PS)) z          slip power γP²,
//! γP² = P (zᵀS⁻¹N v − P′ − P zᵀ(S′/S)z)/(zᵀS⁻²z)
//! ```

use crate::contacts::rules::{Offer, alternates, holds_unpressed};
use crate::state::ContactMode;
use fingerpad_contact::friction::TangentialStiffness;
use fingerpad_contact::law::{ContactLaw, FaceRates, Friction, Grip, LawError, Memory, Mode, Rocking};
use fingerpad_contact::site::ContactSite;
use fingerpad_contact::spatial::{SpatialForce, SpatialVelocity};
use nalgebra::{Vector2, Vector3, Vector4};

/// Contacts end at gap 0; whoever looks beyond sees this approach (m).
const LEAST_APPROACH: f64 = 1e-15;
/// μP/k_t below which the direction of slip no longer turns faster (m).
const LEAST_REACH: f64 = 1e-7;
/// Approach below which relative growth of the stiffness no longer rises (m).
const LEAST_GROWTH: f64 = 1e-9;

/// A contact at one instant.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// Its site, with the gap as the law sees it.
    pub site: ContactSite,
    /// What the patch offers.
    pub grip: Grip,
    /// How the grip changes.
    pub rates: FaceRates,
    /// Share of the friction limit in use.
    pub used: f64,
    ea_W: Vector3<f64>,
    eb_W: Vector3<f64>,
    root: Vector3<f64>,
    /// Velocity of B over A along the axes of the patch, and the spin.
    velocity: Vector3<f64>,
    /// x along the axes of the patch.
    y: Vector3<f64>,
    /// Load along the axes of the patch.
    load: Vector3<f64>,
    /// 1/√w: limit of the load over P along each axis; of Coulomb friction, and of the ellipsoid about the exact limit.
    reach: Vector3<f64>,
    /// Normal force before it is held at zero (N).
    pub raw: f64,
    /// Normal force (N).
    pub normal: f64,
    /// Power lost in dampers (W), those of rocking left out.
    viscous: f64,
    /// Power lost to rocking (W).
    rocking: f64,
    /// What a patch does to motions that change the curvature under it: action on B at C, and the power it takes (W).
    pub bending: SpatialForce,
    pub bending_power: f64,
    /// Action on B at C, in the world.
    pub F_Bc_W: SpatialForce,
}

impl Touch {
    /// Loads in a mode other than free; `memory` is x, or z while slipping.
    pub fn new(
        law: &ContactLaw,
        mode: ContactMode,
        mut site: ContactSite,
        offer: Option<Offer>,
        memory: &Vector4<f64>,
    ) -> Result<Self, LawError> {
        site.gap = site.gap.min(-LEAST_APPROACH);
        let rate = -site.gap_rate;
        let Offer { grip, rates } = match offer {
            Some(offer) => offer,
            None => {
                let grip = law.stiffness.grip(&site)?;
                // Stiffness and reach grow by powers of the approach.
                let (growth, over) = (&grip.growth, rate / (-site.gap).max(LEAST_GROWTH));
                let rates = FaceRates {
                    load: grip.normal_stiffness * rate,
                    tangential: growth.tangential * over,
                    torsional: growth.torsional * over,
                    e_n: growth.e_n * over,
                    normal_damping: 0.0,
                    centre_W: Vector3::zeros(),
                    rocking: Rocking::default(),
                };
                Offer { grip, rates }
            }
        };
        let axis = grip.axis;
        let raw =
            grip.load * (1.0 + law.damping.hunt_crossley * rate) + (law.damping.normal + grip.normal_damping) * rate;
        let normal = if mode == ContactMode::Clamped { 0.0 } else { raw };
        let mu = match law.friction {
            Friction::Coulomb { mu } | Friction::Exact { mu } => mu,
            // Nothing to reach: no load, no limit, or a limit that the law itself applies (`respond_with`).
            Friction::None | Friction::Sticks | Friction::TwoCoefficients { .. } | Friction::Rule(_) => 0.0,
        };
        // Beside each other, dampers also resist rocking about the centre of load.
        let rock = if mode == ContactMode::Clamped { 0.0 } else { law.damping.hunt_crossley };
        let mut touch = Self {
            site,
            ea_W: site.E_W * axis,
            eb_W: site.E_W * Vector2::new(-axis.y, axis.x),
            root: Vector3::from(grip.k).map(f64::sqrt),
            velocity: Vector3::new(
                axis.x * site.v_t.x + axis.y * site.v_t.y,
                axis.x * site.v_t.y - axis.y * site.v_t.x,
                site.w_n,
            ),
            y: Vector3::zeros(),
            load: Vector3::zeros(),
            reach: Vector3::new(mu, mu, mu * grip.e_n),
            raw,
            normal,
            viscous: (normal - grip.load) * rate,
            rocking: rock * rates.rocking.power,
            bending: SpatialForce::zero(),
            bending_power: 0.0,
            F_Bc_W: SpatialForce::zero(),
            grip,
            rates,
            used: 0.0,
        };
        touch.hold(law, mode, memory);
        let n = &site.nhat_W;
        let f = n * normal - touch.ea_W * touch.load.x - touch.eb_W * touch.load.y;
        touch.F_Bc_W = SpatialForce::new(n * -touch.load.z - rates.rocking.couple_W * rock, f);
        Ok(touch)
    }

    /// Adds the action on B at C of changing curvature; `V_ABc_W` is the velocity of B over A there.
    pub fn bend(&mut self, action: SpatialForce, V_ABc_W: &SpatialVelocity) {
        self.bending = action;
        self.bending_power = -action.power(V_ABc_W);
        self.F_Bc_W = self.F_Bc_W + action;
    }

    /// The load along the patch.
    fn hold(&mut self, law: &ContactLaw, mode: ContactMode, memory: &Vector4<f64>) {
        let split = self.split(memory);
        match (&law.friction, mode) {
            (Friction::None, _) | (_, ContactMode::Free) => {}
            (Friction::Sticks, _) => {
                self.y = split;
                let damped = dampers(law, &self.grip).times(&self.velocity);
                self.load = self.root.component_mul(&split) + damped;
                self.viscous += damped.dot(&self.velocity);
            }
            (_, ContactMode::Clamped) => {}
            (_, ContactMode::Slip) => {
                self.y = self.scale().component_mul(&split) * self.normal;
                self.load = self.root.component_mul(&self.y);
                self.used = 1.0;
            }
            _ if alternates(law) => {
                self.y = split;
                self.load = self.root.component_mul(&split);
                self.used = if self.normal > 0.0 { self.used(&self.load).norm() / self.normal } else { 0.0 };
            }
            _ => {
                // Dampers along the patch: the law itself says how fast the load beyond the limit slips away.
                self.y = split;
                let found = law.respond_with(&self.site, self.grip, &self.memory(memory));
                self.used = (1.0 - found.margin).clamp(0.0, 1.0);
                self.load = self.in_patch(&found.load);
                self.viscous += found.viscous_power - (found.normal - found.elastic) * -self.site.gap_rate;
            }
        }
    }

    fn memory(&self, x: &Vector4<f64>) -> Memory {
        Memory { x_W: x.xyz(), x_theta: x.w, nhat_W: self.site.nhat_W, sliders: Vec::new() }
    }

    fn split(&self, x: &Vector4<f64>) -> Vector3<f64> {
        let x_W = x.xyz();
        Vector3::new(self.ea_W.dot(&x_W), self.eb_W.dot(&x_W), x.w)
    }

    fn join(&self, y: &Vector3<f64>) -> Vector4<f64> {
        let x_W = self.ea_W * y.x + self.eb_W * y.y;
        Vector4::new(x_W.x, x_W.y, x_W.z, y.z)
    }

    fn in_patch(&self, v: &Vector3<f64>) -> Vector3<f64> {
        let axis = self.grip.axis;
        Vector3::new(axis.x * v.x + axis.y * v.y, axis.x * v.y - axis.y * v.x, v.z)
    }

    /// S = diag(1/√(k_i w_i)); zero where nothing resists.
    fn scale(&self) -> Vector3<f64> {
        self.reach.zip_map(&self.root, |reach, root| if root > 0.0 { reach / root } else { 0.0 })
    }

    /// Rate of the path of slip (m/s) from the slip power (W), where dampers say how fast it slips.
    pub fn slide(&self, law: &ContactLaw, slip_power: f64) -> f64 {
        let mu = match law.friction {
            Friction::Coulomb { mu } | Friction::Exact { mu } => mu,
            Friction::TwoCoefficients { along, across, .. } => (along * across).sqrt(),
            // No coefficient: by the load itself.
            _ => self.load.xy().norm() / self.normal,
        };
        let limit = mu * self.normal;
        if slip_power != 0.0 && limit > 0.0 { slip_power / limit } else { 0.0 }
    }

    /// The load along the axes of the patch and about the normal (N, N, N·m); it acts on A.
    pub fn load(&self) -> Vector3<f64> {
        self.load
    }

    /// Power lost in all dampers (W).
    pub fn viscous(&self) -> f64 {
        self.viscous + self.rocking
    }

    /// Energy held along the patch (J).
    pub fn energy(&self) -> f64 {
        0.5 * self.y.norm_squared()
    }

    /// Power that the motion along the patch puts into springs and slip, dampers left out (W).
    pub fn shear_power(&self) -> f64 {
        let damped = self.viscous - (self.normal - self.grip.load) * -self.site.gap_rate;
        self.load.dot(&self.velocity) - damped
    }

    /// x in the world, whatever the mode.
    pub fn x(&self) -> Vector4<f64> {
        self.join(&self.y)
    }

    /// Elastic displacement in the world (m) and turn (rad).
    pub fn displacement(&self) -> Vector4<f64> {
        self.join(&self.y.zip_map(&self.root, |y, root| if root > 0.0 { y / root } else { 0.0 }))
    }

    /// The load over its limit per load P (N): its length is P on the limit.
    fn used(&self, load: &Vector3<f64>) -> Vector3<f64> {
        load.zip_map(&self.reach, |load, reach| if load == 0.0 { 0.0 } else { load / reach })
    }

    /// How far the load is beyond `ceiling` of its limit (N); negative while it holds.
    pub fn excess(&self, ceiling: f64) -> f64 {
        self.used(&self.load).norm() - ceiling * self.raw
    }

    /// z of the present load.
    pub fn direction(&self) -> Vector4<f64> {
        self.join(&self.used(&self.load)).normalize()
    }

    /// z of a slip along the present motion: the load of largest dissipation.
    pub fn direction_of_motion(&self) -> Vector4<f64> {
        // Only along what resists: the rest carries no load.
        let z =
            self.velocity.component_mul(&self.reach).zip_map(&self.root, |z, root| if root > 0.0 { z } else { 0.0 });
        if z.norm_squared() > 0.0 { self.join(&z).normalize() } else { self.join(&Vector3::x()) }
    }

    /// Whether a contact that begins now holds: the load of a short time dt of sticking against its limit then, with
    /// stiffness that grows as δ^g: k v dt/(1 + g/2). Stiffness and load of faces both grow with the pressed area.
    pub fn begins_by_sticking(&self, law: &ContactLaw, is_face: bool) -> Result<bool, LawError> {
        let rate = -self.site.gap_rate;
        if is_face {
            return Ok(rate <= 0.0 || self.holds_while_growing(self.rates.load));
        }
        let approach = 1e-12;
        let site = ContactSite { gap: -approach, ..self.site };
        let ahead = Touch::new(law, ContactMode::Stick, site, None, &Vector4::zeros())?;
        if rate <= 0.0 {
            return Ok(true);
        }
        let growth = &ahead.grip.growth;
        let share =
            Vector3::new(1.0 + 0.5 * growth.tangential, 1.0 + 0.5 * growth.tangential, 1.0 + 0.5 * growth.torsional);
        let load = Vector3::from(ahead.grip.k).component_mul(&self.velocity).component_div(&share) * (approach / rate);
        Ok(ahead.used(&load).norm() <= ahead.raw)
    }

    /// Whether springs that start to stretch now stay behind a limit that grows at P′ (N/s).
    pub fn holds_while_growing(&self, load_rate: f64) -> bool {
        self.used(&Vector3::from(self.grip.k).component_mul(&self.velocity)).norm() <= load_rate
    }

    /// Rates of x while not slipping, and the power lost to slip (W).
    pub fn memory_rate(&self, law: &ContactLaw, mode: ContactMode, x: &Vector4<f64>) -> (Vector4<f64>, f64) {
        let holds = match (&law.friction, mode) {
            (Friction::None, _) => false,
            (Friction::Sticks, _) => true,
            (_, mode) => mode != ContactMode::Clamped,
        };
        if !holds {
            return (Vector4::zeros(), 0.0);
        }
        if holds_unpressed(law) || alternates(law) {
            return (self.join(&self.root.component_mul(&self.velocity)) + self.carried(x), 0.0);
        }
        let rate = law.memory_rate_with(&self.site, self.grip, &self.memory(x), Mode::Stick, 0.0);
        (Vector4::new(rate.x_W.x, rate.x_W.y, rate.x_W.z, rate.x_theta), rate.slip_power)
    }

    /// A vector of the tangent plane at rest in the tangent axes: −(x·n′) n + s n × x.
    fn carried(&self, x: &Vector4<f64>) -> Vector4<f64> {
        let (n, x_W) = (&self.site.nhat_W, x.xyz());
        let moved = n * -x_W.dot(&self.site.nhat_rate_W) + n.cross(&x_W) * self.site.frame_spin;
        Vector4::new(moved.x, moved.y, moved.z, 0.0)
    }

    /// P′ (N/s) from δ″ (m/s²).
    pub fn load_rate(&self, law: &ContactLaw, approach_acceleration: f64) -> f64 {
        let (rate, c) = (-self.site.gap_rate, law.damping.hunt_crossley);
        let by_rate = c * self.grip.load + law.damping.normal + self.grip.normal_damping;
        self.rates.load * (1.0 + c * rate) + self.rates.normal_damping * rate + by_rate * approach_acceleration
    }

    /// While slipping: z′, the slip power γP² (W), its path γP/μ (m/s), and γ's sign-carrying part (N/s), which ends slip
    /// where it ends.
    pub fn slip_rate(&self, z_W: &Vector4<f64>, load_rate: f64) -> (Vector4<f64>, f64, f64, f64) {
        let z = self.split(z_W);
        let P = self.normal;
        let inverse = self.scale().map(|s| if s > 0.0 { 1.0 / s } else { 0.0 });
        let drive = inverse.component_mul(&self.root).component_mul(&self.velocity);
        // S′/S: reach of the moment grows with e_n, stiffness with its own exponents.
        let tangential = -0.5 * self.rates.tangential;
        let relative = Vector3::new(tangential, tangential, self.rates.e_n - 0.5 * self.rates.torsional);
        let stiff = inverse.component_mul(&inverse).component_mul(&z);
        let resist = z.dot(&stiff);
        if resist <= 0.0 {
            // Faces about to part: nothing along the patch resists.
            return (Vector4::zeros(), 0.0, 0.0, 0.0);
        }
        let push = z.dot(&drive) - load_rate - P * z.dot(&relative.component_mul(&z));
        let power = P * push / resist;
        // The direction follows the motion within μP/(k_t v); regularised where that is too fast to matter.
        let k = match self.grip.k {
            [0.0, _, torsional] => torsional / (self.grip.e_n * self.grip.e_n),
            [along, ..] => along,
        };
        let least = LEAST_REACH * k / self.reach.x;
        let over = 1.0 / P.max(least);
        let a = drive * over - z * (load_rate * over) - relative.component_mul(&z);
        let turned = a - stiff * (z.dot(&a) / resist);
        (self.join(&turned) + self.carried(z_W), power, push / (resist * self.reach.x), push)
    }
}

/// Dampers along the axes of the patch.
fn dampers(law: &ContactLaw, grip: &Grip) -> TangentialStiffness {
    let mut b = grip.damping;
    b.k[(0, 0)] += law.damping.tangential;
    b.k[(1, 1)] += law.damping.tangential;
    b.k_theta += law.damping.torsional;
    b
}

//! # Compliant contact law: from where two bodies are and how they move to the wrench between them
//!
//! `site`, `patch`, `friction` ──▶ **here** ──(wrench, energy, dissipation, mode, tangent)──▶ any stepper
//!
//! - **in**: a [`ContactSite`] and the [`Memory`] of the contact
//! - **out**: a [`Response`]: wrench on B at C (on A its negative at the same point), energies, powers, margin
//! - **not here**: where the bodies touch (`track`); how they move (steppers)
//! - **assumes**: one patch per contact; no adhesion: the normal force never pulls
//! - **start at** [`ContactLaw`], then [`ContactLaw::advance`] (fixed steps) or [`ContactLaw::respond`] (rates)
//!
//! **Normal.** f_n = max(0, f_el (1 + c δ′) + b δ′), f_el = dV_n/dδ with δ = −gap from geometry, never integrated. The
//! viscous part takes (f_n − f_el) δ′ ≥ 0 also where the force is held at zero.
//!
//! **Tangential.** Elastic displacement and turn are kept behind the transformer N = K^½: the memory holds x with
//! x′ = N (v_t, w_n), the load is N x and the energy |x|²/2 (Stramigioli, eqs 34–36, with N* = Nᵀ and NᵀN = K; as printed
//! NᵀN = K⁻¹). So power balances exactly while K follows the approach, the curvature, or a field over the surface. K is
//! along the axes of the patch, N its symmetric root.
//!
//! **Slip.** The slip threshold of (Stramigioli, eqs 41–43) is the friction limit of the patch (Ciocarlie, eq. 1): with
//! V_slip = (|f|² + τ²/e_n²)/2k_t and S = (μP)²/2k_t, V_slip > S says that the load leaves the ellipsoid. A load beyond
//! the limit returns to it by the nearest way in the energy metric.

mod bending;
mod dissipation;
mod face;
mod face_rim;
mod field;
mod normal;
mod partial;
mod port;
mod pressure;
mod rule;
mod strand;
mod strand_elastic;
mod tangent;

pub use dissipation::{Damping, hunt_crossley_tensor};
pub use face::{FaceGrip, FacePress, FaceRates, Rocking};
pub use field::{FieldError, FieldPair, FieldSample, SurfaceTensor, TensorField, TensorFunction};
pub use normal::{Constants, Grip, NormalEnergy, Stiffness};
pub use partial::Sliders;
pub use port::Port;
pub use pressure::{PressureCell, PressureError};
pub use rule::{EllipsoidRule, SlipRule};
pub use strand::{Spring, StrandLoad};
pub use tangent::Tangent;

use crate::friction::{Ellipsoid, FrictionLimit, LimitSurface, Projection, TangentialStiffness};
use crate::patch::PatchError;
use crate::site::ContactSite;
use crate::spatial::SpatialForce;
use nalgebra::{Matrix2, Vector2, Vector3};
use std::sync::Arc;

/// How two bodies push on each other where they touch.
#[derive(Clone, Debug)]
pub struct ContactLaw {
    /// What resists.
    pub stiffness: Stiffness,
    /// What dampens.
    pub damping: Damping,
    /// What holds and slips along the patch.
    pub friction: Friction,
    /// Partial slip by parallel sliders; `None` sticks and slips as a whole.
    pub partial: Option<Sliders>,
}

/// Friction of a pair.
#[derive(Clone, Debug)]
pub enum Friction {
    /// No tangential load.
    None,
    /// Never slips.
    Sticks,
    /// Coulomb, one coefficient.
    Coulomb {
        /// μ.
        mu: f64,
    },
    /// Coulomb at every point of the patch: the exact limit surface in steps ([`ContactLaw::advance`]), a microsecond
    /// where it slips. Rates and tangents take its ellipsoid, which it lies inside by up to 6–12 %; so does a contact
    /// without a patch theory.
    Exact {
        /// μ.
        mu: f64,
    },
    /// Coulomb, two coefficients along and across a direction fixed in A.
    TwoCoefficients {
        /// μ along the direction.
        along: f64,
        /// μ across it.
        across: f64,
        /// The direction, in world axes (fixed in A by the caller); its part in the tangent plane counts.
        direction_W: Vector3<f64>,
    },
    /// A rule of the user's own (Stramigioli, eqs 41–43).
    Rule(Arc<dyn SlipRule>),
}

/// What a contact remembers: the elastic state behind the transformer, in world axes.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Memory {
    /// Tangential part of x (√J), in the world, perpendicular to the normal.
    pub x_W: Vector3<f64>,
    /// Torsional part of x (√J).
    pub x_theta: f64,
    /// The normal when x was last written.
    pub nhat_W: Vector3<f64>,
    /// States of parallel sliders, three numbers each in world axes plus the turn; empty without partial slip.
    pub sliders: Vec<(Vector3<f64>, f64)>,
}

/// Free, sticking or slipping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Apart.
    Free,
    /// The patch holds.
    Stick,
    /// The patch slides.
    Slip,
}

/// What a contact does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Response {
    /// Action on B at C, in world axes; on A its negative at the same point.
    pub F_Bc_W: SpatialForce,
    /// Normal force (N), not negative.
    pub normal: f64,
    /// Elastic part of the normal force (N).
    pub elastic: f64,
    /// Load carried along the patch, along the tangent axes of the site and about the normal (N, N, N·m); it acts on A,
    /// its negative on B.
    pub load: Vector3<f64>,
    /// Energy stored by pressing (J).
    pub energy_normal: f64,
    /// Energy stored along the patch (J).
    pub energy_tangential: f64,
    /// Power lost in dampers (W).
    pub viscous_power: f64,
    /// Slip of B over A beyond the springs: velocity (m/s, m/s, rad/s), or displacement where a step was made.
    pub slip: Vector3<f64>,
    /// Energy lost to slip in the step made (J); 0 for rates.
    pub slip_energy: f64,
    /// Tangential energy let go at release (J).
    pub released: f64,
    /// Free, stick or slip.
    pub mode: Mode,
    /// What is left of the friction limit: 1 without load, 0 at slip, negative where springs and dampers ask for more
    /// than holds.
    pub margin: f64,
}

/// Why a law could not answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LawError {
    /// No patch at this curvature.
    #[error(transparent)]
    Patch(#[from] PatchError),
    /// A tensor field that is not positive definite.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// A constant outside its range.
    #[error("{what} must be {expected}, got {got}")]
    Constant {
        /// Which constant.
        what: &'static str,
        /// The rule.
        expected: &'static str,
        /// What came.
        got: f64,
    },
}

impl Default for Memory {
    fn default() -> Self {
        Self { x_W: Vector3::zeros(), x_theta: 0.0, nhat_W: Vector3::zeros(), sliders: Vec::new() }
    }
}

impl Memory {
    /// Energy held in the tangential springs (J).
    pub fn energy(&self) -> f64 {
        if self.sliders.is_empty() {
            0.5 * (self.x_W.norm_squared() + self.x_theta * self.x_theta)
        } else {
            self.sliders.iter().map(|(x, theta)| 0.5 * (x.norm_squared() + theta * theta)).sum()
        }
    }

    /// Forgets everything, as at touchdown; keeps the storage.
    pub fn clear(&mut self) {
        self.x_W = Vector3::zeros();
        self.x_theta = 0.0;
        self.nhat_W = Vector3::zeros();
        self.sliders.fill((Vector3::zeros(), 0.0));
    }
}

impl Response {
    /// Bodies apart.
    pub fn free() -> Self {
        Self {
            F_Bc_W: SpatialForce::zero(),
            normal: 0.0,
            elastic: 0.0,
            load: Vector3::zeros(),
            energy_normal: 0.0,
            energy_tangential: 0.0,
            viscous_power: 0.0,
            slip: Vector3::zeros(),
            slip_energy: 0.0,
            released: 0.0,
            mode: Mode::Free,
            margin: 1.0,
        }
    }
}

/// A rotation about nothing but the way from one normal to the next: v is perpendicular to `from`.
#[inline]
pub fn transport(v: &Vector3<f64>, from: &Vector3<f64>, to: &Vector3<f64>) -> Vector3<f64> {
    // R v = v − (v·to)/(1 + from·to) (from + to) for v ⊥ from.
    let share = v.dot(to) / (1.0 + from.dot(to));
    v - (from + to) * share
}

/// Axes of the patch in the world and the numbers of the contact in them.
struct Local {
    grip: Grip,
    ea_W: Vector3<f64>,
    eb_W: Vector3<f64>,
    root: [f64; 3],
    normal: f64,
}

impl Local {
    #[inline]
    fn split(&self, x_W: &Vector3<f64>, x_theta: f64) -> Vector3<f64> {
        Vector3::new(self.ea_W.dot(x_W), self.eb_W.dot(x_W), x_theta)
    }

    #[inline]
    fn join(&self, y: &Vector3<f64>) -> Vector3<f64> {
        self.ea_W * y.x + self.eb_W * y.y
    }

    #[inline]
    fn through(&self, y: &Vector3<f64>) -> Vector3<f64> {
        Vector3::new(self.root[0] * y.x, self.root[1] * y.y, self.root[2] * y.z)
    }

    fn stiffness(&self) -> TangentialStiffness {
        let k = &self.grip.k;
        TangentialStiffness { k: Matrix2::new(k[0], 0.0, 0.0, k[1]), k_theta: k[2] }
    }

    /// Tangential axes of the site from axes of the patch.
    fn along_site(&self, v: &Vector3<f64>) -> Vector3<f64> {
        let axis = self.grip.axis;
        Vector3::new(axis.x * v.x - axis.y * v.y, axis.y * v.x + axis.x * v.y, v.z)
    }

    fn in_patch(&self, v: &Vector3<f64>) -> Vector3<f64> {
        let axis = self.grip.axis;
        Vector3::new(axis.x * v.x + axis.y * v.y, axis.x * v.y - axis.y * v.x, v.z)
    }
}

impl ContactLaw {
    /// The local numbers of the contact at a site in contact.
    #[inline]
    fn local(&self, site: &ContactSite) -> Result<Local, LawError> {
        Ok(self.local_with(site, self.stiffness.grip(site)?))
    }

    /// The same with a grip found elsewhere.
    #[inline]
    fn local_with(&self, site: &ContactSite, grip: Grip) -> Local {
        let rate = -site.gap_rate;
        let normal = self.damping.normal_force(&grip, rate);
        let ea_W = site.E_W * grip.axis;
        let eb_W = site.E_W * Vector2::new(-grip.axis.y, grip.axis.x);
        let root = grip.k.map(f64::sqrt);
        Local { grip, ea_W, eb_W, root, normal }
    }

    /// The friction limit at a local patch, in the axes of the patch. `None` without limit.
    #[inline]
    fn limit(&self, local: &Local) -> Option<Ellipsoid> {
        match &self.friction {
            Friction::Coulomb { mu } | Friction::Exact { mu } => {
                Some(Ellipsoid::isotropic(*mu, local.grip.e_n, local.normal))
            }
            Friction::TwoCoefficients { along, across, direction_W } => {
                let direction = Vector2::new(local.ea_W.dot(direction_W), local.eb_W.dot(direction_W));
                let moment = local.grip.moment_per_load(*along, *across, &direction);
                Some(Ellipsoid::anisotropic(*along, *across, &direction, moment, local.normal))
            }
            _ => None,
        }
    }

    /// Brings a load back to the limit (axes of the patch), K the stiffness it relaxes through. `moving` is the slip that
    /// steady sliding would make: a start for searches.
    #[inline]
    fn hold(
        &self,
        local: &Local,
        trial: &Vector3<f64>,
        stiffness: &TangentialStiffness,
        moving: &Vector3<f64>,
    ) -> (Projection, f64) {
        match &self.friction {
            Friction::None => {
                let slip = Vector3::zeros();
                (Projection { load: Vector3::zeros(), slip, iterations: 0 }, 1.0)
            }
            Friction::Sticks => (Projection { load: *trial, slip: Vector3::zeros(), iterations: 0 }, 1.0),
            Friction::Exact { mu } if local.grip.patch.is_some() => {
                let [a, b, exponent] = local.grip.patch.unwrap_or_default();
                let limit = LimitSurface::new(a, b, exponent, *mu, local.normal);
                let held = limit.project_from(trial, stiffness, moving);
                let margin = if held.slip == Vector3::zeros() { limit.margin(trial) } else { 0.0 };
                (held, margin)
            }
            Friction::Rule(rule) => rule::hold(rule.as_ref(), &local.grip, local.normal, trial, stiffness),
            _ => match self.limit(local) {
                Some(limit) => limit.project_with_margin(trial, stiffness),
                None => (Projection { load: *trial, slip: Vector3::zeros(), iterations: 0 }, 1.0),
            },
        }
    }

    /// Loads at this instant: springs as the memory has them, dampers as the site moves.
    ///
    /// With tangential dampers a load beyond the limit slips at the velocity `slip` at which the damper lets it. Without
    /// them the load is that of the springs, whatever the limit: whoever integrates [`ContactLaw::memory_rate`] keeps the
    /// memory on the limit, and needs a load that is smooth in it.
    pub fn respond(&self, site: &ContactSite, memory: &Memory) -> Result<Response, LawError> {
        if site.gap >= 0.0 {
            return Ok(Response::free());
        }
        Ok(self.respond_with(site, self.stiffness.grip(site)?, memory))
    }

    /// The same in contact, with a grip found elsewhere: that of a face, say.
    pub fn respond_with(&self, site: &ContactSite, grip: Grip, memory: &Memory) -> Response {
        let local = self.local_with(site, grip);
        if let Some(sliders) = &self.partial {
            return partial::respond(self, sliders, site, &local, memory);
        }
        let y = local.split(&memory.x_W, memory.x_theta);
        let velocity = local.in_patch(&Vector3::new(site.v_t.x, site.v_t.y, site.w_n));
        let spring = local.through(&y);
        let b = self.damping.along_the_patch(&local.grip);
        let damped = !b.is_none();
        let trial = spring + b.times(&velocity);
        let (held, margin) = if damped {
            self.hold(&local, &trial, &b, &velocity)
        } else {
            let none = matches!(self.friction, Friction::None);
            let load = if none { Vector3::zeros() } else { trial };
            let margin = match &self.friction {
                Friction::Rule(rule) => {
                    rule::hold(rule.as_ref(), &local.grip, local.normal, &load, &local.stiffness()).1
                }
                _ => self.limit(&local).map_or(1.0, |limit| limit.margin(&load)),
            };
            (Projection { load, slip: Vector3::zeros(), iterations: 0 }, margin)
        };
        let slip = held.slip;
        let carried = velocity - slip;
        // Without friction nothing along the patch is carried over.
        let rubs = !matches!(self.friction, Friction::None);
        let viscous = if rubs { carried.dot(&b.times(&carried)) } else { 0.0 };
        self.answer(site, &local, &held.load, memory.energy(), viscous, slip, 0.0, margin <= 0.0, margin)
    }

    /// One step of length `h` (s) with the motion the site has: the springs stretch, return to the limit, and the memory
    /// is written. First order in h; the springs' part of the ledger is exact: what goes into them comes out as energy
    /// stored or slip.
    #[inline]
    pub fn advance(&self, site: &ContactSite, memory: &mut Memory, h: f64) -> Result<Response, LawError> {
        if site.gap >= 0.0 {
            let released = memory.energy();
            memory.clear();
            return Ok(Response { released, ..Response::free() });
        }
        let local = self.local(site)?;
        Ok(self.step(site, &local, memory, h))
    }

    /// The step itself, in contact.
    #[inline]
    fn step(&self, site: &ContactSite, local: &Local, memory: &mut Memory, h: f64) -> Response {
        if let Some(sliders) = &self.partial {
            return partial::advance(self, sliders, site, local, memory, h);
        }
        // Carry x from the last normal to this one and turn it with the tangent axes.
        let x_W = carried(&memory.x_W, &memory.nhat_W, site, h);
        let velocity = local.in_patch(&Vector3::new(site.v_t.x, site.v_t.y, site.w_n));
        let increment = local.through(&(velocity * h));
        let y = local.split(&x_W, memory.x_theta) + increment;
        let b = self.damping.along_the_patch(&local.grip);
        // A slider in series with spring and damper relaxes both.
        let over_h = 1.0 / h;
        let mut through = local.stiffness();
        through.k += b.k * over_h;
        through.k_theta += b.k_theta * over_h;
        let (held, margin) = self.hold(local, &(local.through(&y) + b.times(&velocity)), &through, &(velocity * h));
        let kept = match self.friction {
            Friction::None => Vector3::zeros(),
            _ => y - local.through(&held.slip),
        };
        memory.x_W = local.join(&kept);
        memory.x_theta = kept.z;
        memory.nhat_W = site.nhat_W;
        let energy = 0.5 * kept.norm_squared();
        let carried = velocity - held.slip * over_h;
        // Without friction nothing along the patch is carried over.
        let rubs = !matches!(self.friction, Friction::None);
        let viscous = if rubs { carried.dot(&b.times(&carried)) } else { 0.0 };
        let slip_energy = match self.friction {
            Friction::None => 0.0,
            _ => 0.5 * y.norm_squared() - energy,
        };
        let slipping = held.slip != Vector3::zeros();
        self.answer(site, local, &held.load, energy, viscous, held.slip, slip_energy, slipping, margin)
    }

    #[inline]
    #[allow(clippy::too_many_arguments)] // each is one line of the answer
    fn answer(
        &self,
        site: &ContactSite,
        local: &Local,
        load: &Vector3<f64>,
        energy_tangential: f64,
        viscous: f64,
        slip: Vector3<f64>,
        slip_energy: f64,
        slipping: bool,
        margin: f64,
    ) -> Response {
        let n = &site.nhat_W;
        let force = n * local.normal - local.ea_W * load.x - local.eb_W * load.y;
        Response {
            F_Bc_W: SpatialForce::new(n * -load.z, force),
            normal: local.normal,
            elastic: local.grip.load,
            load: local.along_site(load),
            energy_normal: local.grip.energy,
            energy_tangential,
            viscous_power: viscous + (local.normal - local.grip.load) * -site.gap_rate,
            slip: local.along_site(&slip),
            slip_energy,
            released: 0.0,
            mode: if slipping { Mode::Slip } else { Mode::Stick },
            margin,
        }
    }

    /// How the memory moves at this instant, and the power lost to slip (W).
    ///
    /// ```text
    /// x′ = N (v − u) − (x·n′) n + s n × x        s: spin of the tangent axes
    /// ```
    ///
    /// Sticking, u = 0. With tangential dampers u is the slip velocity of [`ContactLaw::respond`]. Slipping without
    /// dampers, u = γ W f with γ from staying on the limit while it changes at `load_rate` = dP/dt (N/s):
    ///
    /// ```text
    /// γ = (yᵀQNv + ½ yᵀQ′y − P P′)/(yᵀQ²y),   Q = N W N,   dissipation γ P²
    /// ```
    pub fn memory_rate(
        &self,
        site: &ContactSite,
        memory: &Memory,
        mode: Mode,
        load_rate: f64,
    ) -> Result<MemoryRate, LawError> {
        if site.gap >= 0.0 || matches!(self.friction, Friction::None) {
            return Ok(MemoryRate::STILL);
        }
        Ok(self.memory_rate_with(site, self.stiffness.grip(site)?, memory, mode, load_rate))
    }

    /// The same in contact, with a grip found elsewhere: that of a face, say.
    pub fn memory_rate_with(
        &self,
        site: &ContactSite,
        grip: Grip,
        memory: &Memory,
        mode: Mode,
        load_rate: f64,
    ) -> MemoryRate {
        let n = &site.nhat_W;
        let x = &memory.x_W;
        let carried = n * -x.dot(&site.nhat_rate_W) + n.cross(x) * site.frame_spin;
        let local = self.local_with(site, grip);
        let nothing_presses = local.normal <= 0.0 && !matches!(self.friction, Friction::Sticks);
        if nothing_presses || matches!(self.friction, Friction::None) {
            return MemoryRate::STILL;
        }
        let velocity = local.in_patch(&Vector3::new(site.v_t.x, site.v_t.y, site.w_n));
        let mut slip = Vector3::zeros();
        let mut slip_power = 0.0;
        if !self.damping.along_the_patch(&local.grip).is_none() {
            let response = self.respond_with(site, local.grip, memory);
            slip = local.in_patch(&response.slip);
            slip_power = slip.dot(&local.in_patch(&response.load));
        } else if mode == Mode::Slip {
            let y = local.split(x, memory.x_theta);
            if let Some(limit) = self.limit(&local) {
                let f = local.through(&y);
                let wf = Vector3::new(
                    limit.force[(0, 0)] * f.x + limit.force[(0, 1)] * f.y,
                    limit.force[(1, 0)] * f.x + limit.force[(1, 1)] * f.y,
                    if f.z == 0.0 { 0.0 } else { limit.moment * f.z },
                );
                let k = Vector3::new(local.grip.k[0], local.grip.k[1], local.grip.k[2]);
                // ½ yᵀQ′y: f grows with N, the moment's weight falls with e_n.
                let rate = -site.gap_rate / site.approach();
                let growth = &local.grip.growth;
                let changing = rate
                    * (0.5 * growth.tangential * (wf.x * f.x + wf.y * f.y)
                        + (0.5 * growth.torsional - growth.e_n) * wf.z * f.z);
                let push = wf.dot(&k.component_mul(&velocity)) + changing - local.normal * load_rate;
                let resist = wf.dot(&k.component_mul(&wf));
                if push > 0.0 && resist > 0.0 {
                    let gamma = push / resist;
                    slip = wf * gamma;
                    slip_power = gamma * wf.dot(&f);
                }
            }
        }
        let rate = local.through(&(velocity - slip));
        MemoryRate { x_W: local.join(&rate) + carried, x_theta: rate.z, slip_power, slip: local.along_site(&slip) }
    }

    /// Elastic displacement and turn (m, m, rad) along the tangent axes of the site: N⁻¹ x.
    pub fn displacement(&self, site: &ContactSite, memory: &Memory) -> Result<Vector3<f64>, LawError> {
        if site.gap >= 0.0 {
            return Ok(Vector3::zeros());
        }
        let local = self.local(site)?;
        let y = local.split(&memory.x_W, memory.x_theta);
        let over = |x: f64, root: f64| if root > 0.0 { x / root } else { 0.0 };
        let d = Vector3::new(over(y.x, local.root[0]), over(y.y, local.root[1]), over(y.z, local.root[2]));
        Ok(local.along_site(&d))
    }
}

/// How the memory of a contact moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryRate {
    /// Rate of `x_W` (√J/s).
    pub x_W: Vector3<f64>,
    /// Rate of `x_theta` (√J/s).
    pub x_theta: f64,
    /// Power lost to slip (W).
    pub slip_power: f64,
    /// Slip velocity along the tangent axes of the site (m/s, m/s, rad/s).
    pub slip: Vector3<f64>,
}

impl MemoryRate {
    /// Nothing moves.
    const STILL: Self =
        Self { x_W: Vector3::new(0.0, 0.0, 0.0), x_theta: 0.0, slip_power: 0.0, slip: Vector3::new(0.0, 0.0, 0.0) };
}

/// x carried from the normal at which it was written to that of the site, and turned with the tangent axes over `h`.
#[inline]
fn carried(x_W: &Vector3<f64>, from: &Vector3<f64>, site: &ContactSite, h: f64) -> Vector3<f64> {
    if *x_W == Vector3::zeros() {
        return *x_W;
    }
    let moved = transport(x_W, from, &site.nhat_W);
    // Cayley's rotation by h s: length is kept to rounding without sine and cosine.
    let half = 0.5 * h * site.frame_spin;
    let turned = site.nhat_W.cross(&moved);
    let scale = 1.0 / (1.0 + half * half);
    moved * ((1.0 - half * half) * scale) + turned * (2.0 * half * scale)
}

//! # Rows: a contact at mid-step
//!
//! `candidates` ──(closest points at the start, bodies)──▶ **here** ──(four rows, frozen law)──▶ `single_contact`, `island_solver`
//!
//! - **in**: closest points at the start of the step, velocities over it as guessed
//! - **out**: [`ContactConstraint`]: rows J of (approach, two tangential displacements, turn), weights of the blend, the discrete law;
//!   of two faces twice ([`Role`])
//! - **assumes**: the normal turns and the place moves as contact kinematics say; no geometry is asked for
//! - **start at** [`ContactConstraint::prepare`]
//!
//! **Mid-step.** With the normal of the start a ball in a bowl gains 3.4 % of its energy in 20 s; with that of mid-step
//! it keeps it. **Secant normal.** The row of the approach is turned a little along the motion, so that h J₀ V is the
//! change of the gap to rounding: g = r/(h v²), r = change of the gap less h J₀ V, as far as known ([`Beyond`]).
//!
//! **Blend.** Where a row is stiff, z = h² k G ≫ 1, the step takes implicit Euler along it, by the share
//! s = z²/(1 + z²); else the midpoint rule. The velocity of the step is V₀ + ½ Y σ with
//!
//! ```text
//! ν = (I − T) σ,    T = Jᵀ diag(w) J,    w = s/(1 + s)/(G n λ)
//! ```
//!
//! n the number of contacts on the busier body, λ ≥ 1 a bound that keeps T ≤ ½: then ν·V_step = ΔKE + ½ σᵀ(I − T) T σ,
//! and the last part, which the step loses, is never negative. (The step could as well use σ = (I + S) ν. Then contacts
//! see not only their neighbours but those of their neighbours, and a pile's matrix loses its zeros.)

mod at_rest;
mod bent;
mod of_faces;

use super::block::{Rows, Weights};
use super::curve::Curve;
use super::law::{DiscreteLaw, Held, Hold, Loads, Pressed, Slope};
use super::site::{Carry, Site, still_site};
use super::solver_body::{SolverBody, join};
use crate::model::body::BodyId;
use crate::model::interactions::{LawId, Pair, PairLaw};
use crate::state::ContactState;
use at_rest::Kept;
use bent::Impulse;
use fingerpad_contact::law::{Friction, LawError, Stiffness};
use fingerpad_contact::track::{ClosestPair, tangent_basis};
use nalgebra::{Matrix3, Matrix4, Vector2, Vector3, Vector4, Vector6};

/// What the rows of a contact are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Approach, two displacements along the patch, turn.
    Point,
    /// Of the face with this number: nothing, approach at the centroid, two slopes. Its partner is the next contact.
    Presses(u32),
    /// Of a face: nothing, and the rest as of a point at the centre of load.
    Rubs,
}

/// A contact that may act in this step.
#[derive(Clone, Debug)]
pub struct ContactConstraint {
    /// What its rows are.
    pub role: Role,
    /// Its place in the state's list.
    pub slot: usize,
    /// Bodies.
    pub a: usize,
    /// Bodies.
    pub b: usize,
    /// The same, and what acts between them.
    pub pair: Pair,
    /// Rows on A, through its root.
    pub JA: Rows,
    /// Rows on B.
    pub JB: Rows,
    /// Rows of A and B as wrenches at their centres of mass at mid-step, where they are links of trees.
    pub raw: [Rows; 2],
    /// G = J Jᵀ of this contact alone.
    pub G: Matrix4<f64>,
    /// w: weights of T.
    pub w: Vector4<f64>,
    /// h J V₀: displacements with the velocities of the start.
    pub drift: Vector4<f64>,
    /// The part of it that given motions make.
    pub driven: Vector4<f64>,
    /// The law over this step.
    pub law: DiscreteLaw,
    /// Displacements.
    pub u: Vector4<f64>,
    /// Mean loads.
    pub f: Vector4<f64>,
    /// Tσ = Jᵀ (h blend): with the loads, that of the last step to begin with, and of this one once it is solved.
    pub blend: Vector4<f64>,
    /// Their normal part in detail.
    pub pressed: Pressed,
    /// What changing curvature does to A and to B.
    pub bent: [Impulse; 2],
    /// V at the end as geometry has it (J).
    pub met: f64,
    /// The normal at mid-step.
    pub n: Vector3<f64>,
    /// Axes of the patch at mid-step.
    pub ea: Vector3<f64>,
    /// Axes of the patch at mid-step.
    pub eb: Vector3<f64>,
    /// Half the turn of the tangent axes about the normal (rad).
    pub half_spin: f64,
    /// h J₀ V without the secant part is that of the plain normal: the secant part's factor g and direction.
    pub secant: Vector3<f64>,
    /// r: what the gap changed by beyond its row in this pass (m).
    pub off: f64,
    /// |E_geo| of this step beyond rounding (J).
    pub geo: f64,
    /// At rest: (h²/2) K − w as long as it holds.
    pub slope: Weights,
    /// At rest, and rows, weights and slope are those of the last step.
    pub stays: bool,
    /// What the rows are those of, where they may be kept.
    kept: Option<Kept>,
}

/// What is known of r, by which the gap changes beyond its row, before a pass.
#[derive(Clone, Copy, Debug)]
pub enum Beyond {
    /// As the first pass of the last step had it (m): the velocities guessed there are off by as much as here.
    Last(f64),
    /// How the approach changed in the last pass (m): r is what rows along its motion leave of that.
    Seen(f64),
}

impl ContactConstraint {
    /// A contact to be prepared.
    pub fn empty() -> Self {
        let zero = Vector3::zeros();
        Self {
            role: Role::Point,
            slot: 0,
            a: 0,
            b: 0,
            pair: Pair { a: BodyId(0), b: BodyId(0), law: LawId(0) },
            JA: Rows::ZERO,
            JB: Rows::ZERO,
            raw: [Rows::ZERO; 2],
            G: Matrix4::zeros(),
            w: Vector4::zeros(),
            drift: Vector4::zeros(),
            driven: Vector4::zeros(),
            law: DiscreteLaw {
                rate: 0.0,
                curve: Curve::Linear(0.0),
                factor: 0.0,
                d0: 0.0,
                rate0: 0.0,
                beta: 0.0,
                hunt_crossley: 0.0,
                damper: 0.0,
                hold: Hold::Nothing,
                root: zero,
                dampers: zero,
                weights: zero,
                y0: zero,
                gauge0: 0.0,
                slipped: false,
                theta: 0.5,
                held: Held::default(),
                borne: None,
            },
            u: Vector4::zeros(),
            f: Vector4::zeros(),
            blend: Vector4::zeros(),
            pressed: Pressed::default(),
            bent: bent::NONE,
            met: 0.0,
            n: zero,
            ea: zero,
            eb: zero,
            half_spin: 0.0,
            secant: zero,
            off: 0.0,
            geo: 0.0,
            slope: Weights::Each(Vector4::zeros()),
            stays: false,
            kept: None,
        }
    }

    /// Whether both bodies rest.
    #[inline]
    pub fn rests(&self) -> bool {
        self.kept.is_some()
    }

    /// (h²/2) K − w.
    #[inline]
    pub fn newton_slope(&self, loads: &Loads, h: f64) -> Weights {
        let half = 0.5 * h * h;
        match &loads.tangential {
            Slope::Holds(k) => Weights::Each(Vector4::new(loads.normal, k.x, k.y, k.z) * half - self.w),
            Slope::Slips(slope) => {
                let mut K = Matrix4::from_diagonal(&-self.w);
                K[(0, 0)] += half * loads.normal;
                for i in 0..3 {
                    for j in 0..3 {
                        K[(i + 1, j + 1)] += half * slope[(i, j)];
                    }
                }
                Weights::Full(K)
            }
        }
    }

    /// Rows and law of a contact.
    #[allow(clippy::too_many_arguments)] // what a contact is, in the order of the text above
    pub fn prepare(
        &mut self,
        slot: usize,
        contact: &ContactState,
        (pair, gap): (&ClosestPair, f64),
        pair_law: &PairLaw,
        frame: (&Matrix3<f64>, &Vector3<f64>),
        A: &SolverBody,
        B: &SolverBody,
        h: f64,
        beyond: Beyond,
        first: bool,
    ) -> Result<(), LawError> {
        let place = Site::new((pair, gap), frame, A, B, pair_law.alpha);
        let half = 0.5 * h;
        self.stand_for(Role::Point, slot, contact);
        self.n = (place.n0 + place.n_rate * half).normalize();
        self.half_spin = half * place.spin;
        let d0 = -gap;
        let ahead = d0 - h * place.gap_rate;
        let axis = self.freeze(pair_law, pair, &place, contact, (d0, ahead), h)?;
        let found = self.f;
        self.orient(contact, &place, &axis);
        if !first {
            // The axes hardly turn from pass to pass.
            self.f = found;
        }
        let c = place.c + place.c_rate * half;
        let off = match beyond {
            Beyond::Last(off) => off,
            Beyond::Seen(change) => change - h * (A.speed_at(&c, &self.n, h) - B.speed_at(&c, &self.n, h)),
        };
        self.aim(A, B, h, off);
        self.fill(A, B, &c, h, false);
        self.blend(pair_law, d0.max(ahead), h, A.contacts.max(B.contacts));
        Ok(())
    }

    /// Begins anew for a contact.
    #[inline]
    fn stand_for(&mut self, role: Role, slot: usize, contact: &ContactState) {
        self.kept = None;
        self.stays = false;
        self.role = role;
        self.bent = bent::NONE;
        self.law.borne = None;
        self.slot = slot;
        self.a = contact.pair.a.0;
        self.b = contact.pair.b.0;
        self.pair = contact.pair;
        self.blend = contact.fixed.blend;
    }

    /// Axes of the patch at mid-step, and the elastic state along them.
    #[inline]
    fn orient(&mut self, contact: &ContactState, place: &Site, axis: &Vector2<f64>) {
        if self.law.hold == Hold::Nothing {
            let E = tangent_basis(&self.n);
            (self.ea, self.eb) = (E.column(0).into(), E.column(1).into());
            self.law.y0 = Vector3::zeros();
            self.f = Vector4::new(contact.fixed.normal, 0.0, 0.0, 0.0);
            return;
        }
        let carry = Carry::after(&place.n0, &self.n, self.half_spin);
        self.ea = if self.law.root.x == self.law.root.y {
            tangent_basis(&self.n).column(0).into()
        } else {
            carry.of(&(place.E * axis)).normalize()
        };
        self.eb = self.n.cross(&self.ea);
        let x = carry.of(&contact.memory.x_W);
        let law = &mut self.law;
        law.y0 = Vector3::new(self.ea.dot(&x), self.eb.dot(&x), contact.memory.x_theta);
        let f = law.root.component_mul(&law.y0);
        law.gauge0 = law.weights.component_mul(&f).dot(&f).sqrt();
        law.slipped = contact.fixed.slips;
        // As the last step left it.
        let fast = &contact.fixed;
        let t_W = carry.of(&fast.f_W);
        self.f = Vector4::new(fast.normal, self.ea.dot(&t_W), self.eb.dot(&t_W), fast.moment);
    }

    /// The secant part of the row of the approach.
    #[inline]
    fn aim(&mut self, A: &SolverBody, B: &SolverBody, h: f64, off: f64) {
        self.secant = Vector3::zeros();
        let v = B.v_step - A.v_step;
        let squared = v.norm_squared();
        if off.abs() >= 1e-15 && squared > 1e-12 {
            let g = off / (h * squared);
            if g * g * squared < 0.05 * 0.05 {
                self.secant = v * g;
            }
        }
    }

    /// Rows at a place of mid-step, or of the anchors.
    #[inline]
    fn fill(&mut self, A: &SolverBody, B: &SolverBody, c: &Vector3<f64>, h: f64, anchored: bool) {
        let rows = [-self.n, self.ea, self.eb];
        self.drift = Vector4::zeros();
        self.driven = Vector4::zeros();
        let [raw_A, raw_B] = &mut self.raw;
        for (body, sign, J, raw) in [(A, -1.0, &mut self.JA, raw_A), (B, 1.0, &mut self.JB, raw_B)] {
            if body.stands {
                continue;
            }
            let is_link = body.link().is_some();
            let arm = c - if anchored { body.anchor.translation.vector } else { body.middle(h) };
            let (w, v) = (body.start_turning(), body.start_velocity());
            let mut drift = Vector4::zeros();
            for (i, row) in rows.iter().enumerate() {
                let turning = arm.cross(row);
                let linear = if i == 0 { row + self.secant } else { *row };
                drift[i] = (turning.dot(&w) + linear.dot(&v)) * (sign * h);
                if body.moves() {
                    J.0[i] = (body.row(&turning, &linear) * sign).into();
                }
                if is_link {
                    raw.0[i] = (join(&turning, &linear) * sign).into();
                }
                if i > 0 {
                    drift[i] += row.dot(&body.surface) * (sign * h);
                }
            }
            drift[3] = self.n.dot(&w) * (sign * h);
            if body.moves() {
                J.0[3] = (body.row(&self.n, &Vector3::zeros()) * sign).into();
            } else {
                self.driven += drift;
            }
            if is_link {
                raw.0[3] = (join(&self.n, &Vector3::zeros()) * sign).into();
            }
            self.drift += drift;
        }
        self.G = Matrix4::zeros();
        if A.moves() {
            self.JA.add_gram(&mut self.G);
        }
        if B.moves() {
            self.JB.add_gram(&mut self.G);
        }
        self.law.rate0 = self.drift[0] * self.law.rate;
    }

    /// β, θ and the weights of T.
    #[inline]
    fn blend(&mut self, pair_law: &PairLaw, deepest: f64, h: f64, busy: u32) {
        let k_n = self.law.curve.at(&pair_law.law.stiffness, deepest).2;
        let k = self.law.root.component_mul(&self.law.root);
        let s = self.weigh(&Vector4::new(k_n, k.x, k.y, k.z), h, busy);
        self.law.blend(&s);
    }

    /// Weights of T for rows of these stiffnesses; how stiff they are, 0 to 1.
    #[inline]
    fn weigh(&mut self, k: &Vector4<f64>, h: f64, busy: u32) -> Vector4<f64> {
        let stiff = |k: f64, G: f64| {
            let z = h * h * k * G;
            let z2 = z * z;
            if z2 < 1e30 { z2 / (1.0 + z2) } else { 1.0 }
        };
        let G = &self.G;
        let s = Vector4::new(
            stiff(k[0], G[(0, 0)]),
            stiff(k[1], G[(1, 1)]),
            stiff(k[2], G[(2, 2)]),
            stiff(k[3], G[(3, 3)]),
        );
        // λ: largest row sum of |G| made dimensionless, a bound of its largest eigenvalue.
        let over = G.diagonal().map(|g| if g > 0.0 { 1.0 / g.sqrt() } else { 0.0 });
        let mut bound = 1.0_f64;
        for i in 0..4 {
            let sum: f64 = (0..4).map(|j| G[(i, j)].abs() * over[i] * over[j]).sum();
            bound = bound.max(sum);
        }
        let share = 1.0 / (f64::from(busy.max(1)) * bound);
        self.w = s.zip_map(&over, |s, over| s / (1.0 + s) * over * over * share);
        s
    }

    /// Displacements from the σ of both bodies; none of a body that is held.
    #[inline]
    pub fn displace(&mut self, sigma: [Option<&Vector6<f64>>; 2], h: f64) {
        let mut moved = Vector4::zeros();
        if let Some(sigma) = sigma[0] {
            moved += self.JA.times(sigma);
        }
        if let Some(sigma) = sigma[1] {
            moved += self.JB.times(sigma);
        }
        self.u = self.drift + moved * (0.5 * h);
    }
}

impl ContactConstraint {
    /// The law with all that does not need the rows; the axis of the patch in the tangent axes of the pair.
    #[inline]
    fn freeze(
        &mut self,
        pair_law: &PairLaw,
        pair: &ClosestPair,
        place: &Site,
        contact: &ContactState,
        (d0, ahead): (f64, f64),
        h: f64,
    ) -> Result<Vector2<f64>, LawError> {
        let law = &pair_law.law;
        let damping = &law.damping;
        let mut dampers = Vector3::new(damping.tangential, damping.tangential, damping.torsional);
        let (k, e_n, axis, mut damper) = if let Stiffness::Constants(c) = &law.stiffness {
            self.law.curve = Curve::power(c.k, c.n);
            self.law.factor = 0.0;
            ([c.k_t, c.k_t, c.k_theta], c.e_n, Vector2::x(), 0.0)
        } else {
            // Approach in the middle of that part of the step that is in contact.
            let (from, to) = (d0.max(0.0), ahead.max(0.0));
            let site = still_site(place, pair, -(0.5 * (from + to)).max(1e-15));
            let grip = law.stiffness.grip(&site)?;
            let b = &grip.damping;
            dampers += Vector3::new(b.k[(0, 0)], b.k[(1, 1)], b.k_theta);
            let curve = Curve::of(&law.stiffness, &site, from.max(to).max(1e-15))?;
            // Curvature changes on the way: the factor goes on as it did in the last step.
            let (now, last) = (curve.factor(), contact.fixed.factor);
            let grown = if last > 0.0 && now > 0.0 { (0.5 * (now / last - 1.0)).clamp(-0.1, 0.1) } else { 0.0 };
            self.law.curve = curve.with_factor(now * (1.0 + grown));
            self.law.factor = now;
            (grip.k, grip.e_n, grip.axis, grip.normal_damping)
        };
        damper += damping.normal;
        let frozen = &mut self.law;
        frozen.rate = 1.0 / h;
        frozen.d0 = d0;
        frozen.hunt_crossley = damping.hunt_crossley;
        frozen.damper = damper;
        frozen.hold_by(&law.friction, &k, e_n, dampers);
        Ok(axis)
    }
}

impl DiscreteLaw {
    /// What holds along the patch: stiffness k and dampers along its axes and about the normal.
    #[inline]
    fn hold_by(&mut self, friction: &Friction, k: &[f64; 3], e_n: f64, dampers: Vector3<f64>) {
        let (hold, weights) = match *friction {
            Friction::None => (Hold::Nothing, Vector3::zeros()),
            Friction::Coulomb { mu } | Friction::Exact { mu } => {
                let w = 1.0 / (mu * mu);
                let moment = if k[2] > 0.0 || dampers.z > 0.0 { w / (e_n * e_n) } else { 0.0 };
                let damped = dampers != Vector3::zeros();
                (if damped { Hold::Damped } else { Hold::Limited }, Vector3::new(w, w, moment))
            }
            // The last two are refused with the workspace ([`ModelError::Fixed`](crate::ModelError)).
            Friction::Sticks | Friction::TwoCoefficients { .. } | Friction::Rule(_) => {
                (Hold::Springs, Vector3::zeros())
            }
        };
        self.hold = hold;
        self.root = Vector3::new(k[0].sqrt(), k[1].sqrt(), k[2].sqrt());
        self.dampers = dampers;
        self.weights = weights;
        self.gauge0 = 0.0;
    }

    /// β and θ of rows that are so stiff.
    #[inline]
    fn blend(&mut self, s: &Vector4<f64>) {
        self.beta = s[0];
        let s_t = s[1].max(s[2]).max(s[3]);
        self.theta = if self.hold == Hold::Damped { 1.0 } else { 0.5 + 0.5 * s_t };
    }
}

//! # Configuration space: what each contact allows and what it can push with
//!
//! `contact` ──(`Case`)──▶ **here** ──(gap and slip planes, cone edges)──▶ `modes`, `reaction`, `paper`
//!
//! - **in**: a checked [`Case`]
//! - **out**: [`Terms`] of each contact: configuration-space normal, friction vector, rates and accelerations
//! - **not here**: which contacts hold (`modes`)
//! - **assumes**: second-order contact geometry is given by the contact's [`Kind`]
//! - **start at** [`Terms`]
//!
//! (Erdmann, eq. 5) divides each normal by its length Δ but not the right side h of (6); mixing both violates the gap
//! equation. Here nothing is normalised: N = (nx, ny, nq), so numbers stay rational and h needs no factor.

use crate::contact::{Case, Contact, Error, Kind, Warning};
use crate::number::{Int, Rational};
use crate::polytope::Vec4;
use std::cmp::Ordering;
use std::rc::Rc;

/// What a contact does at this instant, by its velocity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// The gap opens: no force, letter `-`.
    Separating,
    /// The gap closes: an impact, outside these laws.
    Approaching,
    /// Touching and slipping along +ts.
    SlidingForward,
    /// Touching and slipping along −ts.
    SlidingBackward,
    /// Touching without slip: slip may start either way.
    Resting,
}

/// Kinematics of one contact. Three-vectors belong to (ax, ay, α) or (Fx, Fy, τ).
///
/// ```text
/// gap rate N·V,   gap acceleration  N·A + h,         N = (nx, ny, nq),   nq = nx ry − ny rx
/// slip     T·V,   slip acceleration T·A + ω² ts·r,   T = (ny, −nx, vq),  vq = nx rx + ny ry     (when T·V = 0)
/// cone edges N + μT, N − μT
/// ```
#[derive(Clone, Debug)]
pub struct Terms {
    /// Configuration-space normal, not normalised.
    pub normal: [Rational; 3],
    /// Configuration-space friction vector, of a unit force along +ts.
    pub friction: [Rational; 3],
    /// Rate of the gap (m/s).
    pub gap_rate: Rational,
    /// Slip velocity along +ts of the body's point (m/s).
    pub slip: Rational,
    /// Part of the gap's acceleration that does not depend on A (m/s²).
    pub gap_bias: Rational,
    /// Part of the slip acceleration that does not depend on A (m/s²), for contacts without slip.
    pub slip_bias: Rational,
    /// Coefficient of friction.
    pub mu: Rational,
    /// What the velocity says.
    pub motion: Motion,
}

fn dot3(a: &[Rational; 3], b: &[Rational; 3]) -> Rational {
    (0..3).map(|i| &a[i] * &b[i]).sum()
}

impl Terms {
    /// Kinematics of contact number `index` of `case`. Speeds below `tolerance` times the contact's own speed scale
    /// count as zero, with a warning.
    fn new(case: &Case, index: usize, tolerance: &Rational, warnings: &mut Vec<Warning>) -> Terms {
        let contact = &case.contacts[index];
        let ([nx, ny], [rx, ry]) = (&contact.normal, &contact.to_com);
        let normal = [nx.clone(), ny.clone(), &(nx * ry) - &(ny * rx)];
        let friction = [ny.clone(), -nx, &(nx * rx) + &(ny * ry)];
        let w = &case.velocity[2];
        let scale = &(&case.velocity[0].abs() + &case.velocity[1].abs()) + &(&w.abs() * &(&rx.abs() + &ry.abs()));
        let threshold = &scale * tolerance;
        let mut settle = |speed: Rational| {
            if !speed.is_zero() && speed.abs() <= threshold {
                warnings.push(Warning::SpeedTakenAsZero { contact: index, speed: speed.to_f64() });
                return Rational::ZERO;
            }
            speed
        };
        let gap_rate = settle(dot3(&normal, &case.velocity));
        let slip = settle(dot3(&friction, &case.velocity));
        let motion = match (gap_rate.sign(), slip.sign()) {
            (Ordering::Greater, _) => Motion::Separating,
            (Ordering::Less, _) => Motion::Approaching,
            (_, Ordering::Greater) => Motion::SlidingForward,
            (_, Ordering::Less) => Motion::SlidingBackward,
            _ => Motion::Resting,
        };
        let gap_bias = gap_bias(contact, &case.velocity, &slip);
        let slip_bias = &(w * w) * &(&(ny * rx) - &(nx * ry));
        Terms { normal, friction, gap_rate, slip, gap_bias, slip_bias, mu: contact.mu.clone(), motion }
    }

    /// Gap acceleration at the acceleration `a` (m/s²).
    pub fn gap_acceleration(&self, a: &[Rational; 3]) -> Rational {
        &dot3(&self.normal, a) + &self.gap_bias
    }

    /// Slip acceleration at the acceleration `a` (m/s²); meaningful where the slip is zero.
    pub fn slip_acceleration(&self, a: &[Rational; 3]) -> Rational {
        &dot3(&self.friction, a) + &self.slip_bias
    }

    /// Edge N + sign·μT of the friction cone: the wrench of a unit normal force with full friction along sign·ts.
    pub fn edge(&self, sign: i64) -> [Rational; 3] {
        let f = &self.mu * &Rational::from(sign);
        std::array::from_fn(|i| &self.normal[i] + &(&f * &self.friction[i]))
    }
}

/// h, the gap's acceleration when the centre of mass does not accelerate (m/s²).
///
/// ```text
/// VE: ω² n·r        EV: −ω² n·r + 2ω n⊥·v,  n⊥ = (−ny, nx)
/// CC: ω² n·r + (k₁k₂ s² − 2 k₂ s ω − ω²)/(k₁ + k₂)     k₁ body, k₂ obstacle, s slip
/// vertex on curve (k₁ → ∞): ω² n·r + k₂ s²     curve on vertex (k₂ → ∞): ω² n·r + k₁ s² − 2 s ω
/// ```
fn gap_bias(contact: &Contact, velocity: &[Rational; 3], slip: &Rational) -> Rational {
    let ([nx, ny], [rx, ry], [vx, vy, w]) = (&contact.normal, &contact.to_com, velocity);
    let w2 = w * w;
    let turning = &w2 * &(&(nx * rx) + &(ny * ry));
    match &contact.kind {
        // A vertex that stays: that of its point, whichever normal counts (`relaxed`).
        Kind::VertexOnEdge | Kind::VertexOnVertex { .. } => turning,
        Kind::EdgeOnVertex => {
            let across = &(nx * vy) - &(ny * vx);
            &(&(&Rational::from(2) * w) * &across) - &turning
        }
        Kind::Curved { k_body: k1, k_obstacle: k2 } => {
            let sliding = &(&(k1 * k2) * slip) - &(&(&Rational::from(2) * k2) * w);
            &turning + &(&(&(&sliding * slip) - &w2) / &(k1 + k2))
        }
        Kind::VertexOnCurve { k_obstacle } => &turning + &(k_obstacle * &(slip * slip)),
        Kind::CurveOnVertex { k_body } => &turning + &(&(&(k_body * slip) - &(&Rational::from(2) * w)) * slip),
    }
}

/// A contact ready for cutting: its planes in (1, A) and its cone edges, in whole numbers.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    /// Number in the case's list.
    pub(crate) index: usize,
    pub(crate) motion: Motion,
    pub(crate) gap: Rc<Vec4>,
    pub(crate) slip: Rc<Vec4>,
    /// The slip plane seen from its other side.
    pub(crate) slip_back: Rc<Vec4>,
    /// Edge used while slipping along +ts (friction pulls back), then along −ts; equal when μ = 0.
    pub(crate) edges: [Rc<Vec4>; 2],
    pub(crate) frictionless: bool,
}

impl Facts {
    fn new(index: usize, t: &Terms) -> Facts {
        let plane = |c: &Rational, v: &[Rational; 3]| Rc::new(Vec4::from_rationals([c, &v[0], &v[1], &v[2]]));
        let slip = plane(&t.slip_bias, &t.friction);
        Facts {
            index,
            motion: t.motion,
            gap: plane(&t.gap_bias, &t.normal),
            slip_back: Rc::new(slip.negated()),
            slip,
            edges: [-1, 1].map(|sign| plane(&Rational::ZERO, &t.edge(sign))),
            frictionless: t.mu.is_zero(),
        }
    }
}

/// A case with the kinematics of all its contacts.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(crate) terms: Vec<Terms>,
    /// Contacts that touch and do not separate by velocity.
    pub(crate) active: Vec<Facts>,
    pub(crate) warnings: Vec<Warning>,
    mass: [Rational; 3],
    force: [Rational; 3],
    /// Mass and force times their common denominator.
    scaled_mass: [Int; 3],
    scaled_force: [Int; 3],
}

impl Scene {
    pub(crate) fn new(case: &Case, speed_tolerance: &Rational) -> Result<Scene, Error> {
        let mut warnings = case.validate()?;
        let terms: Vec<Terms> =
            (0..case.contacts.len()).map(|i| Terms::new(case, i, speed_tolerance, &mut warnings)).collect();
        let touching = terms.iter().enumerate().filter(|(_, t)| t.motion != Motion::Separating);
        let active = touching.map(|(i, t)| Facts::new(i, t)).collect();
        let inertia = &case.mass * &case.gyration_sq;
        let mass = [case.mass.clone(), case.mass.clone(), inertia];
        let force = case.force.clone();
        let mut scale = Int::ONE;
        for x in mass.iter().chain(&force) {
            scale = &scale.exact_div(&scale.gcd(x.den())) * x.den();
        }
        let whole = |v: &[Rational; 3]| std::array::from_fn(|i| v[i].num() * &scale.exact_div(v[i].den()));
        let (scaled_mass, scaled_force) = (whole(&mass), whole(&force));
        Ok(Scene { terms, active, warnings, mass, force, scaled_mass, scaled_force })
    }

    /// Total contact wrench that the acceleration `a` asks for: M a − F.
    pub(crate) fn needed_wrench(&self, a: &[Rational; 3]) -> [Rational; 3] {
        std::array::from_fn(|i| &(&self.mass[i] * &a[i]) - &self.force[i])
    }

    /// The acceleration without any contact force.
    pub(crate) fn free_acceleration(&self) -> [Rational; 3] {
        std::array::from_fn(|i| &self.force[i] / &self.mass[i])
    }

    /// Diagonal of the mass matrix (kg, kg, kg·m²).
    pub(crate) fn mass_matrix(&self) -> &[Rational; 3] {
        &self.mass
    }

    /// The plane y·(M A − F) = 0 in (1, A), for a plane y of force space.
    pub(crate) fn force_plane(&self, y: &Vec4) -> Vec4 {
        let f = &self.scaled_force;
        let constant = &(&(&y.x[1] * &f[0]) + &(&y.x[2] * &f[1])) + &(&y.x[3] * &f[2]);
        let m = &self.scaled_mass;
        Vec4::new([-&constant, &y.x[1] * &m[0], &y.x[2] * &m[1], &y.x[3] * &m[2]])
    }
}

/// Kinematics of every contact of a case, in its order.
pub fn terms(case: &Case) -> Result<Vec<Terms>, Error> {
    Ok(Scene::new(case, &Rational::ZERO)?.terms)
}

//! # Short impacts: steps are cut into parts while a blow lasts that is shorter than some of them
//!
//! `step` ──(contacts that act, bodies as they begin)──▶ **here** ──(a shorter part, or none)──▶ `step`
//!
//! - **in**: contacts at the start of a part, how fast their bodies approach each other
//! - **out**: how long the part may be; in the state, which contacts are in a short impact ([`ShortImpact`])
//! - **not here**: parts in which bodies would pass each other (`contacts::advancement`)
//! - **assumes**: a contact follows the energy of its law at the place where it touches; bodies are rigid beside it
//! - **start at** [`plan`], then [`judge`]
//!
//! A contact that strikes with the speed v and the effective mass m is pressed to V(δ) = ½ m v² and lasts
//!
//! ```text
//! T = 2 ∫ dδ/√(v² − 2 V(δ)/m) = c δ/v,    c = π, 2.94, 2.80 for V ~ δ², δ^(5/2), δ³      (Johnson, §11.4)
//! ```
//!
//! Fixed steps keep its restitution to a hundredth where ten of them or more fall into that time. Else the step ends before the
//! touch, and goes on in parts of T/[`PARTS`] until the contact opens, or for 1.5 T, twice as long while it still opens. A blow
//! that reaches a pressed contact is an impact where it brings more energy than the springs hold. Whatever approaches more
//! slowly than gravity makes it in one step is none: bodies that lie on stiff springs have whole steps.

use super::candidates::{closing, points, still};
use super::faces::Face;
use super::solver_body::SolverBody;
use super::step::both;
use super::{FixedReport, FixedWorkspace, Part};
use crate::model::Model;
use crate::model::body::{Body, Mobility};
use crate::state::{ContactState, ShortImpact, State};
use fingerpad_contact::site::ContactSite;
use fingerpad_contact::track::ClosestPair;
use nalgebra::{Isometry3, Vector3};

/// Parts of the time that an impact lasts.
const PARTS: f64 = 20.0;
/// An impact is short if it lasts fewer steps than this.
const FEW: f64 = 10.0;
/// c above, for powers between 2 and 3.
const LASTS: f64 = 3.0;
/// For how many times T parts are cut, and for how many at most.
const WINDOW: [f64; 2] = [1.5, 4.0];
/// An approach is an impact above the speed that gravity gives in so many steps: one that comes back within two.
const FALL: f64 = 1.0;
/// … and above this share of a body's size a step.
const CREEP: f64 = 1e-6;
/// How many times the way of the fastest body others may be away and still be met.
const REACH: f64 = 4.0;
/// Within an impact, a part of up to this many times the length wanted is left as it is.
const SLACK: f64 = 1.25;

/// How the bodies of a contact come together.
#[derive(Clone, Copy, Debug)]
pub struct Approach<'a> {
    /// Gap as the law sees it (m).
    gap: f64,
    /// How fast it closes (m/s).
    speed: f64,
    /// Where, in the world.
    p: Vector3<f64>,
    /// Along which normal, out of A.
    n: Vector3<f64>,
    spring: Spring<'a>,
}

/// What presses against it.
#[derive(Clone, Copy, Debug)]
enum Spring<'a> {
    /// The law at a point.
    Point(&'a ClosestPair),
    /// Faces of this stiffness, all of them pressed (N/m).
    Face(f64),
    /// A curve that holds this energy (J) at this depth (m).
    Strand { depth: f64, energy: f64 },
}

/// What a contact asks for.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// Longest part (s).
    part: f64,
    /// What the contact is in from now on.
    impact: ShortImpact,
    /// An impact begins.
    begins: bool,
}

/// Whether a contact is to be judged at all.
#[inline]
pub fn asks(part: &Part) -> bool {
    part.may_cut
}

/// Speed up to which an approach is none (m/s).
#[inline]
fn slow(model: &Model, (A, B): (&SolverBody, &SolverBody), whole: f64) -> f64 {
    let size = A.size.min(B.size);
    let size = if size.is_finite() { size } else { 0.0 };
    FALL * whole * model.gravity_W().norm() + CREEP * size / whole
}

/// Approach at a point.
#[inline]
pub fn of_point<'a>(
    (pair, gap): (&'a ClosestPair, f64),
    X_WA: &Isometry3<f64>,
    (A, B): (&SolverBody, &SolverBody),
) -> Approach<'a> {
    let n = X_WA.rotation.transform_vector(&pair.nhat_AB_A);
    let p = (X_WA * pair.p_ACa).coords;
    Approach { gap, speed: speed(&p, &n, (A, B)), p, n, spring: Spring::Point(pair) }
}

/// How fast two bodies close at a place (m/s).
fn speed(p: &Vector3<f64>, n: &Vector3<f64>, (A, B): (&SolverBody, &SolverBody)) -> f64 {
    let at = |body: &SolverBody| body.v_step + body.turning().cross(&(p - body.X.translation.vector));
    n.dot(&(at(A) - at(B)))
}

/// Approach of two faces, or along a curve; none where they share nothing.
fn of_face<'a>(
    model: &Model,
    contact: &ContactState,
    face: &Face,
    bodies: (&SolverBody, &SolverBody),
) -> Option<Approach<'a>> {
    let (p, n, gap) = (face.centre(), face.n0, face.gap());
    let spring = match &face.strand {
        Some(along) => {
            let (depth, energy) = along.pressing();
            Spring::Strand { depth, energy }
        }
        None if face.start.area > 0.0 => {
            Spring::Face(model.law(&contact.pair).law.face_modulus(&face.start).ok()? * face.start.area)
        }
        None => return None,
    };
    Some(Approach { gap, speed: speed(&p, &n, bodies), p, n, spring })
}

/// Effective mass along the normal (kg): 1/(J M⁻¹ Jᵀ).
fn effective_mass(approach: &Approach, bodies: [&mut SolverBody; 2], h: f64) -> f64 {
    let mut inverse = 0.0;
    for body in bodies {
        if body.moves() {
            body.turn_half(h);
            let arm = approach.p - body.X.translation.vector;
            inverse += body.row(&arm.cross(&approach.n), &approach.n).norm_squared();
        }
    }
    1.0 / inverse
}

/// How long an impact of this speed and mass lasts (s); none where the law has no answer.
fn lasts(model: &Model, contact: &ContactState, approach: &Approach, mass: f64) -> Option<f64> {
    let (v, energy) = (approach.speed, 0.5 * mass * approach.speed * approach.speed);
    let depth = match approach.spring {
        Spring::Face(k) => v * (mass / k).sqrt(),
        Spring::Strand { depth, energy: at } => depth * (energy / at).powf(1.0 / 2.25),
        Spring::Point(pair) => {
            let (stiffness, site) = (&model.law(&contact.pair).law.stiffness, still(pair));
            let mut depth = 1e-4 * v;
            for _ in 0..6 {
                let grip = stiffness.grip(&ContactSite { gap: -depth, ..site }).ok()?;
                let ratio = energy / grip.energy;
                depth *= ratio.powf(grip.energy / (grip.load * depth));
                if (ratio - 1.0).abs() < 0.05 {
                    break;
                }
            }
            depth
        }
    };
    let time = LASTS * depth / v;
    (time.is_finite() && time > 0.0).then_some(time)
}

/// What a contact asks for in this part.
pub fn judge(
    model: &Model,
    contact: &ContactState,
    approach: &Approach,
    bodies: [&mut SolverBody; 2],
    part: &Part,
    time: f64,
) -> Found {
    let nothing = Found { part: f64::INFINITY, impact: ShortImpact::default(), begins: false };
    let slow = slow(model, (&*bodies[0], &*bodies[1]), part.whole);
    let Approach { gap, speed, .. } = *approach;
    let impact = contact.fixed.impact;
    if impact.part > 0.0 && gap < 0.0 {
        let lasts = time < impact.until || speed < -slow && time < impact.at_most;
        return if lasts { Found { part: impact.part, impact, begins: false } } else { nothing };
    }
    if speed <= slow || gap >= speed * part.h {
        return nothing;
    }
    let mass = effective_mass(approach, bodies, part.h);
    // The springs hold more than about half of load times depth.
    if gap < 0.0 && mass * speed * speed <= contact.fixed.normal * -gap {
        return nothing;
    }
    let Some(T) = lasts(model, contact, approach, mass) else { return nothing };
    if T >= FEW * part.whole {
        return nothing;
    }
    let (length, touch) = (T / PARTS, gap.max(0.0) / speed);
    if touch > length {
        // Up to the touch.
        return Found { part: touch - 0.5 * length, ..nothing };
    }
    let [until, at_most] = WINDOW.map(|times| time + touch + times * T);
    Found { part: length, impact: ShortImpact { part: length, until, at_most }, begins: impact.part == 0.0 }
}

/// Writes what a contact is in; the shorter part that it needs, if any.
pub fn settle(contact: &mut ContactState, found: Found, part: &Part, report: &mut FixedReport) -> Option<f64> {
    contact.fixed.impact = found.impact;
    report.impacts += u64::from(found.begins);
    let slack = if found.impact.part > 0.0 { SLACK } else { 1.0 };
    (part.h > slack * found.part).then_some(found.part)
}

/// Looks at all contacts near enough to act; the shorter part that they need, if any.
pub fn plan(
    model: &Model,
    state: &mut State,
    work: &mut FixedWorkspace,
    part: &Part,
    report: &mut FixedReport,
) -> Option<f64> {
    if !asks(part) {
        return None;
    }
    work.struck.clear();
    let mut shorter: Option<f64> = None;
    let mut linked = false;
    for k in 0..work.candidates.list().len() {
        let one = &work.candidates.list()[k];
        let (slot, forced) = (one.slot(), one.forced);
        let contact = &state.contacts[slot];
        let (a, b) = (contact.pair.a.0, contact.pair.b.0);
        let (A, B) = (&work.solver_bodies[a], &work.solver_bodies[b]);
        if !forced || A.lies() && B.lies() {
            continue;
        }
        if contact.fixed.impact.part == 0.0
            && closing(model, contact, &work.solver_bodies) <= slow(model, (A, B), part.whole)
        {
            continue;
        }
        if !linked && (A.link().is_some() || B.link().is_some()) {
            // Links answer as their trees do now that contacts are known.
            linked = true;
            work.forest.at_mid_step(model, state, &mut work.solver_bodies, part.h, |_| true).ok()?;
        }
        let (A, B) = (&work.solver_bodies[a], &work.solver_bodies[b]);
        let approach = match points(contact) {
            Some(at) => of_point(at, &model.frame(a, &A.X), (A, B)),
            None => match work.faces.of(k).and_then(|face| of_face(model, contact, face, (A, B))) {
                Some(approach) => approach,
                None => continue,
            },
        };
        let Some((A, B)) = both(&mut work.solver_bodies, a, b) else { continue };
        let found = judge(model, contact, &approach, [A, B], part, state.time);
        if let Some(length) = settle(&mut state.contacts[slot], found, part, report) {
            work.struck.extend([a as u32, b as u32]);
            shorter = Some(shorter.map_or(length, |other| other.min(length)));
        }
    }
    shorter
}

/// A part begins: what contacts remember of the last one is told for its length.
pub fn begin_part(state: &mut State, part: &Part, slots: impl Iterator<Item = usize>) {
    if !part.cuts && !state.fixed.cut {
        return;
    }
    for slot in slots {
        let contact = &mut state.contacts[slot].fixed;
        let last = if contact.part > 0.0 { contact.part } else { part.whole };
        if part.cuts || contact.part > 0.0 {
            let ratio = part.h / last;
            // A longer part would magnify rounding.
            contact.off *= if ratio <= 1.0 { ratio * ratio } else { 0.0 };
            contact.factor = if ratio == 1.0 { contact.factor } else { 0.0 };
        }
        contact.part = if part.cuts { part.h } else { 0.0 };
    }
    state.fixed.cut = part.cuts;
}

/// Holds the bodies that impacts strike in this part and all that these may reach within it, so that the others go on without
/// them; none where there are no others, or where bodies move that all may touch.
///
/// A body that is struck may come to move, and so may what it meets: within [`REACH`] times the way of the fastest of them.
pub fn split(model: &Model, h: f64, work: &mut FixedWorkspace) -> bool {
    let FixedWorkspace { struck, held, solver_bodies, islands, .. } = work;
    let moves_by_itself = |body: &Body| matches!(body.mobility, Mobility::Prescribed(_) | Mobility::Link { .. });
    if struck.is_empty() || model.bodies().iter().any(moves_by_itself) {
        return false;
    }
    let speed = |body: &SolverBody| body.v_step.norm() + body.size * body.w_step.norm();
    held.clear();
    held.resize(solver_bodies.len(), false);
    struck.retain(|&i| !solver_bodies[i as usize].is_held() && !std::mem::replace(&mut held[i as usize], true));
    let (mut at, mut fastest) = (0, 0.0_f64);
    while at < struck.len() {
        let one = &solver_bodies[struck[at] as usize];
        let own = speed(one);
        if own > fastest {
            // All of them are looked at again.
            (at, fastest) = (0, own);
            continue;
        }
        at += 1;
        for (j, other) in solver_bodies.iter().enumerate() {
            if held[j] || other.is_held() {
                continue;
            }
            let apart = (one.X.translation.vector - other.X.translation.vector).norm() - one.size - other.size;
            // Sizes may be infinite.
            let far = apart > REACH * h * (fastest + speed(other));
            if !far {
                held[j] = true;
                struck.push(j as u32);
            }
        }
    }
    let others = held.iter().zip(solver_bodies.iter()).any(|(held, body)| !held && !body.is_held());
    if others {
        islands.forget();
    } else {
        held.clear();
    }
    others
}

/// Holds the others in place of those held.
pub fn hold_others(work: &mut FixedWorkspace) {
    for (held, solver_body) in work.held.iter_mut().zip(&work.solver_bodies) {
        *held = !*held && !solver_body.is_held();
    }
    work.islands.forget();
}

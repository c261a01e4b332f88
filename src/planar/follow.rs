//! # Following a part: its motion for a short time, as long as it is the only one
//!
//! - **in**: a part with outlines, how many steps and how long each
//! - **out**: pose and velocity after each step, and why the path ends
//! - **not here**: impacts (the path ends there)
//! - **assumes**: steps so short that contacts move little; second order in the step, held contacts kept by projection
//! - **start at** [`path`]

use super::Question;
use super::part_file::{self, PartRecord};
use crate::json::FieldError;
use fingerpad_planar::cspace::{Terms, terms};
use fingerpad_planar::part::{Part, Shape};
use fingerpad_planar::{Letter, Options, Rational, Status, solve};
use nalgebra::{DMatrix, DVector};
use serde_json::{Value, json};

/// One instant of a path.
#[derive(Clone, Debug)]
pub struct Instant {
    /// Time (s).
    pub t: f64,
    /// Centre of mass (m, m) and angle turned since the start (rad).
    pub pose: [f64; 3],
    /// Velocity (m/s, m/s, rad/s).
    pub velocity: [f64; 3],
    /// What the contacts do from here on; empty at the end.
    pub mode: String,
}

/// A path and why it ends.
#[derive(Clone, Debug)]
pub struct Path {
    /// The instants, the start included.
    pub instants: Vec<Instant>,
    /// Why it ends.
    pub stopped: String,
}

impl Path {
    /// As records carry it.
    pub fn to_json(&self) -> Value {
        let rows: Vec<Value> = self
            .instants
            .iter()
            .map(|i| json!({"t": i.t, "pose": i.pose, "velocity": i.velocity, "mode": i.mode}))
            .collect();
        json!({"instants": rows, "stopped": self.stopped})
    }
}

/// Contacts count as touching within this share of the part's size: the gap drifts while the part moves.
const DRIFT: f64 = 1e-4;

/// A contact that is held during a step.
struct Held {
    point: [f64; 2],
    normal: [f64; 2],
    sticks: bool,
    slip: f64,
}

/// Follows the part of a question.
pub fn path(question: &Question, steps: usize, dt: f64) -> Result<Path, FieldError> {
    let Some(PartRecord { part }) = &question.found else {
        return Err(FieldError::new("body", "expected outlines to follow (`body`, without `contacts`), got contacts"));
    };
    let mut part = part.clone();
    part.centre_of_mass = Some(exact2(question.places.centre)?);
    part.gyration_sq = Some(question.case.gyration_sq.clone());
    let loose = Rational::from_f64(DRIFT * size(&part.body)).unwrap_or(Rational::ZERO);
    part.tolerance = part.tolerance.max(loose);
    let options = Options { speed_tolerance: small(), ..Options::default() };
    let mut instants = Vec::new();
    let mut angle = 0.0;
    for step in 0..=steps {
        let velocity = part.velocity.each_ref().map(Rational::to_f64);
        let centre = part.centre_of_mass.as_ref().map_or([0.0; 2], |c| c.each_ref().map(Rational::to_f64));
        let mut now =
            Instant { t: step as f64 * dt, pose: [centre[0], centre[1], angle], velocity, mode: String::new() };
        let here = match part_file::asked(part.clone()) {
            Ok(here) => here,
            Err(e) => return Ok(ended(instants, now, e.to_string())),
        };
        if step == steps {
            return Ok(ended(instants, now, format!("after the {steps} steps asked for")));
        }
        let answer = solve(&here.case, &options).map_err(|e| FieldError::new(e.field(), e))?;
        let (Status::Unique, Some(set)) = (answer.status, answer.sets.first()) else {
            let why = match answer.status {
                Status::Ambiguous => "more than one acceleration is possible",
                Status::Inconsistent => "no acceleration obeys the laws",
                Status::InvalidImpact => "a contact closes: an impact",
                _ => "the work limit was reached",
            };
            return Ok(ended(instants, now, why.to_string()));
        };
        now.mode = set.kinematic_mode.to_string();
        let a = set.region.vertices_f64()[0];
        let held = held(&here, &set.kinematic_mode.0)?;
        instants.push(now);
        let next: [f64; 3] = std::array::from_fn(|i| velocity[i] + a[i] * dt);
        let moved: [f64; 3] = std::array::from_fn(|i| 0.5 * (velocity[i] + next[i]) * dt);
        angle += moved[2];
        part.body = turned(&part.body, centre, moved)?;
        part.centre_of_mass = Some(exact2([centre[0] + moved[0], centre[1] + moved[1]])?);
        let kept = kept(&part, next, &held, reach(&moved, size(&part.body)))?;
        part.velocity = [exact(kept[0])?, exact(kept[1])?, exact(kept[2])?];
    }
    Ok(Path { instants, stopped: String::new() })
}

fn ended(mut instants: Vec<Instant>, now: Instant, stopped: String) -> Path {
    instants.push(now);
    Path { instants, stopped }
}

/// Speeds up to this share of a contact's own scale are rounding errors of the projection.
fn small() -> Rational {
    Rational::new(1, 1_000_000_000).unwrap_or(Rational::ZERO)
}

/// How far a contact may wander in a step (m).
fn reach(moved: &[f64; 3], size: f64) -> f64 {
    3.0 * (moved[0].hypot(moved[1]) + moved[2].abs() * size) + 10.0 * DRIFT * size
}

fn exact(x: f64) -> Result<Rational, FieldError> {
    Rational::from_f64(x).map_err(|e| FieldError::new("vel", e))
}

fn exact2(p: [f64; 2]) -> Result<[Rational; 2], FieldError> {
    Ok([exact(p[0])?, exact(p[1])?])
}

/// Largest distance of the outline from its centroid (m).
fn size(shape: &Shape) -> f64 {
    match shape {
        Shape::Disc { radius, .. } => radius.to_f64(),
        Shape::Polygon(corners) => {
            let c = part_file::middle(shape);
            let far = |p: &[Rational; 2]| (p[0].to_f64() - c[0]).hypot(p[1].to_f64() - c[1]);
            corners.iter().map(far).fold(0.0, f64::max)
        }
    }
}

/// The outline after turning about the centre of mass and moving.
fn turned(shape: &Shape, centre: [f64; 2], moved: [f64; 3]) -> Result<Shape, FieldError> {
    let (sin, cos) = moved[2].sin_cos();
    let place = |p: &[Rational; 2]| {
        let [x, y] = [p[0].to_f64() - centre[0], p[1].to_f64() - centre[1]];
        exact2([centre[0] + moved[0] + cos * x - sin * y, centre[1] + moved[1] + sin * x + cos * y])
    };
    Ok(match shape {
        Shape::Polygon(corners) => Shape::Polygon(corners.iter().map(place).collect::<Result<_, _>>()?),
        Shape::Disc { centre, radius } => Shape::Disc { centre: place(centre)?, radius: radius.clone() },
    })
}

fn kinematics(question: &Question) -> Result<Vec<Terms>, FieldError> {
    terms(&question.case).map_err(|e| FieldError::new(e.field(), e))
}

/// The contacts that the mode holds.
fn held(here: &Question, mode: &[Letter]) -> Result<Vec<Held>, FieldError> {
    let all = kinematics(here)?;
    let contacts = here.case.contacts.iter().zip(&here.places.points).zip(mode).zip(&all);
    let letters =
        contacts.filter(|((_, letter), _)| matches!(letter, Letter::Forward | Letter::Backward | Letter::Stick));
    Ok(letters
        .map(|(((contact, point), letter), terms)| Held {
            point: *point,
            normal: contact.normal.each_ref().map(Rational::to_f64),
            sticks: *letter == Letter::Stick,
            slip: terms.slip.to_f64(),
        })
        .collect())
}

/// The velocity nearest to `next` (by kinetic energy) that keeps held contacts held, and stops a slip that reversed.
fn kept(part: &Part, next: [f64; 3], held: &[Held], reach: f64) -> Result<[f64; 3], FieldError> {
    let mut there = part.clone();
    there.velocity = [exact(next[0])?, exact(next[1])?, exact(next[2])?];
    // An overlap is told at the next instant.
    let Ok(there) = part_file::asked(there) else { return Ok(next) };
    let mut rows: Vec<[f64; 3]> = Vec::new();
    for ((contact, point), terms) in there.case.contacts.iter().zip(&there.places.points).zip(kinematics(&there)?) {
        let n = contact.normal.each_ref().map(Rational::to_f64);
        let near = |h: &&Held| (h.point[0] - point[0]).hypot(h.point[1] - point[1]);
        let same = held.iter().filter(|h| near(h) <= reach && h.normal[0] * n[0] + h.normal[1] * n[1] > 0.9);
        let Some(before) = same.min_by(|a, b| near(a).total_cmp(&near(b))) else { continue };
        rows.push(terms.normal.each_ref().map(Rational::to_f64));
        if before.sticks || before.slip * terms.slip.to_f64() < 0.0 {
            rows.push(terms.friction.each_ref().map(Rational::to_f64));
        }
    }
    if rows.is_empty() {
        return Ok(next);
    }
    // In velocities scaled by √M the nearest one is a plain projection.
    let rho = part.gyration_sq.as_ref().map_or(1.0, |g| g.to_f64().sqrt());
    let scale = [1.0, 1.0, rho];
    let jacobian = DMatrix::from_fn(rows.len(), 3, |i, j| rows[i][j] / scale[j]);
    let scaled = DVector::from_fn(3, |j, _| next[j] * scale[j]);
    let violated = &jacobian * &scaled;
    let inverse = jacobian.pseudo_inverse(1e-9).map_err(|e| FieldError::new("", e))?;
    let corrected = scaled - inverse * violated;
    Ok(std::array::from_fn(|j| corrected[j] / scale[j]))
}

//! # Following a part: its motion for a short time, as long as it is the only one
//!
//! - **in**: a part with outlines, how many steps and how long each
//! - **out**: pose and velocity after each step and where a slip ends, and why the path ends
//! - **not here**: impacts (the path ends there)
//! - **assumes**: steps so short that contacts move little; second order in the step (the acceleration of its middle),
//!   held contacts kept by projection
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
    /// What happens here between steps; empty at an ordinary step.
    pub event: String,
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
        let row = |i: &Instant| {
            let mut row = json!({"t": i.t, "pose": i.pose, "velocity": i.velocity, "mode": i.mode});
            if !i.event.is_empty() {
                row["event"] = json!(i.event);
            }
            row
        };
        json!({"instants": self.instants.iter().map(row).collect::<Value>(), "stopped": self.stopped})
    }
}

/// Contacts count as touching within this share of the part's size: the gap drifts while the part moves.
const DRIFT: f64 = 1e-4;
/// Most events within one step; beyond, the rest of the step is taken at once.
const EVENTS: usize = 8;

/// A contact that is held during a step.
struct Held {
    contact: usize,
    point: [f64; 2],
    normal: [f64; 2],
    sticks: bool,
    slip: f64,
}

/// Where the part is and how it moves.
#[derive(Clone, Copy)]
struct State {
    pose: [f64; 3],
    velocity: [f64; 3],
}

/// The part as it was at the start, to be placed anywhere.
struct Mover {
    part: Part,
    centre: [f64; 2],
    size: f64,
}

impl Mover {
    /// The part where it is in a state: turned about its centre of mass at the start, then moved.
    fn at(&self, state: &State) -> Result<Part, FieldError> {
        let ([x0, y0], [x, y, angle]) = (self.centre, state.pose);
        let (sin, cos) = angle.sin_cos();
        let place = |p: &[Rational; 2]| {
            let [u, v] = [p[0].to_f64() - x0, p[1].to_f64() - y0];
            exact2([x + cos * u - sin * v, y + sin * u + cos * v])
        };
        let [vx, vy, w] = state.velocity;
        Ok(Part {
            // A part that has not moved keeps its exact numbers.
            body: if [x, y, angle] == [x0, y0, 0.0] { self.part.body.clone() } else { self.part.body.moved(place)? },
            centre_of_mass: Some(exact2([x, y])?),
            velocity: [exact(vx)?, exact(vy)?, exact(w)?],
            ..self.part.clone()
        })
    }

    /// The contacts after `h` seconds at the acceleration `a`, the state there, and the velocity that keeps `held`.
    fn after(
        &self,
        from: &State,
        a: [f64; 3],
        h: f64,
        held: &[Held],
        stopped: Option<usize>,
    ) -> Result<Landed, FieldError> {
        let pose: [f64; 3] = std::array::from_fn(|i| from.pose[i] + h * (from.velocity[i] + 0.5 * a[i] * h));
        let free: [f64; 3] = std::array::from_fn(|i| from.velocity[i] + a[i] * h);
        let moved: [f64; 3] = std::array::from_fn(|i| pose[i] - from.pose[i]);
        let state = State { pose, velocity: free };
        let part = self.at(&state)?;
        let Ok(there) = part_file::asked(part.clone()) else {
            return Ok(Landed { state, slips: Vec::new(), overlaps: true });
        };
        let (velocity, slips) = kept(&part, &there, free, held, stopped, reach(&moved, self.size))?;
        Ok(Landed { state: State { pose, velocity }, slips, overlaps: false })
    }
}

/// Where a step ends.
struct Landed {
    state: State,
    /// Slip of each held contact there, before projection, by its place in the list; absent where it was lost.
    slips: Vec<Option<f64>>,
    overlaps: bool,
}

/// What the part does in a state.
struct Motion {
    acceleration: [f64; 3],
    mode: Vec<Letter>,
    word: String,
    held: Vec<Held>,
}

/// Follows the part of a question.
pub fn path(question: &Question, steps: usize, dt: f64) -> Result<Path, FieldError> {
    let Some(PartRecord { part }) = &question.found else {
        return Err(FieldError::new("body", "expected outlines to follow (`body`, without `contacts`), got contacts"));
    };
    let centre = question.places.centre;
    let mut part = part.clone();
    let size = size(&part.body);
    part.gyration_sq = Some(question.case.gyration_sq.clone());
    part.tolerance = part.tolerance.max(Rational::from_f64(DRIFT * size).unwrap_or(Rational::ZERO));
    let velocity = part.velocity.each_ref().map(Rational::to_f64);
    let mover = Mover { part, centre, size };
    let mut state = State { pose: [centre[0], centre[1], 0.0], velocity };
    let mut instants = Vec::new();
    for step in 0..steps {
        let (mut left, mut event) = (dt, String::new());
        for substep in 0..=EVENTS {
            let mut now = instant(step as f64 * dt + (dt - left), &state);
            now.event = std::mem::take(&mut event);
            let motion = match motion(&mover, &state)? {
                Ok(motion) => motion,
                Err(why) => return Ok(ended(instants, now, why)),
            };
            now.mode = motion.word.clone();
            instants.push(now);
            let a = middle_acceleration(&mover, &state, &motion, left)?;
            let (landed, h, what) = advance(&mover, &state, a, left, &motion, substep == EVENTS)?;
            if h <= 0.0 {
                let now = instant(step as f64 * dt + (dt - left), &state);
                return Ok(ended(instants, now, "the part would overlap an obstacle: an impact".to_string()));
            }
            (state, event) = (landed.state, what);
            left -= h;
            if left <= 1e-9 * dt {
                break;
            }
        }
    }
    let now = instant(steps as f64 * dt, &state);
    Ok(ended(instants, now, format!("after the {steps} steps asked for")))
}

fn instant(t: f64, state: &State) -> Instant {
    Instant { t, pose: state.pose, velocity: state.velocity, mode: String::new(), event: String::new() }
}

fn ended(mut instants: Vec<Instant>, now: Instant, stopped: String) -> Path {
    instants.push(now);
    Path { instants, stopped }
}

/// The only motion in a state, or why there is none.
fn motion(mover: &Mover, state: &State) -> Result<Result<Motion, String>, FieldError> {
    let here = match part_file::asked(mover.at(state)?) {
        Ok(here) => here,
        Err(e) => return Ok(Err(e.to_string())),
    };
    let options = Options { speed_tolerance: small(), ..Options::default() };
    let answer = solve(&here.case, &options).map_err(|e| FieldError::new(e.field(), e))?;
    let (Status::Unique, Some(set)) = (answer.status, answer.sets.first()) else {
        let why = match answer.status {
            Status::Ambiguous => "more than one acceleration is possible".to_string(),
            Status::Inconsistent => "no acceleration obeys the laws".to_string(),
            Status::InvalidImpact => {
                let speeds =
                    answer.approaching.iter().map(|a| format!("contact {} at {:.3e} m/s", a.contact, a.speed.to_f64()));
                format!("a contact closes: an impact ({})", speeds.collect::<Vec<_>>().join(", "))
            }
            _ => "the work limit was reached".to_string(),
        };
        return Ok(Err(why));
    };
    let mode = set.kinematic_mode.0.clone();
    let held = held(&here, &mode)?;
    let acceleration = set.region.vertices_f64()[0];
    Ok(Ok(Motion { acceleration, word: set.kinematic_mode.to_string(), mode, held }))
}

/// The acceleration in the middle of a step of `h`: where the contacts do the same as now, it makes the step second order.
fn middle_acceleration(mover: &Mover, state: &State, now: &Motion, h: f64) -> Result<[f64; 3], FieldError> {
    let halfway = mover.after(state, now.acceleration, 0.5 * h, &now.held, None)?;
    if halfway.overlaps {
        return Ok(now.acceleration);
    }
    let there = motion(mover, &halfway.state)?;
    Ok(there.ok().filter(|m| m.mode == now.mode).map_or(now.acceleration, |m| m.acceleration))
}

/// Goes `h` seconds on, or up to the first slip that ends or the first overlap; says how far, and what happens there.
fn advance(
    mover: &Mover,
    state: &State,
    a: [f64; 3],
    h: f64,
    now: &Motion,
    all: bool,
) -> Result<(Landed, f64, String), FieldError> {
    let mut landed = mover.after(state, a, h, &now.held, None)?;
    let mut reached = h;
    if landed.overlaps {
        // The last place without an overlap; the contact there closes.
        let (mut low, mut high) = (0.0, h);
        for _ in 0..40 {
            let half = 0.5 * (low + high);
            if mover.after(state, a, half, &now.held, None)?.overlaps { high = half } else { low = half }
        }
        if low <= 0.0 {
            return Ok((landed, 0.0, String::new()));
        }
        reached = low;
        landed = mover.after(state, a, reached, &now.held, None)?;
    }
    if all {
        return Ok((landed, reached, String::new()));
    }
    let reversed = |(held, slip): (&Held, &Option<f64>)| slip.is_some_and(|s| s * held.slip < 0.0);
    let mut first: Option<(f64, usize)> = None;
    for (k, pair) in now.held.iter().zip(&landed.slips).enumerate() {
        if now.held[k].slip != 0.0 && reversed(pair) {
            let t = slip_ends(mover, state, a, reached, now, k)?;
            if first.is_none_or(|(best, _)| t < best) {
                first = Some((t, k));
            }
        }
    }
    match first {
        Some((t, k)) if t > 0.0 => {
            let landed = mover.after(state, a, t, &now.held, Some(k))?;
            Ok((landed, t, format!("contact {} stops slipping", now.held[k].contact)))
        }
        _ => Ok((landed, reached, String::new())),
    }
}

/// When the slip of the held contact `k` ends, before `h` (s): the root between two slips of different sign.
fn slip_ends(mover: &Mover, state: &State, a: [f64; 3], h: f64, now: &Motion, k: usize) -> Result<f64, FieldError> {
    let slip = |t: f64| -> Result<Option<f64>, FieldError> {
        Ok(mover.after(state, a, t, &now.held, None)?.slips.get(k).copied().flatten())
    };
    let (mut low, mut at_low) = (0.0, now.held[k].slip);
    let (mut high, mut at_high) = (h, slip(h)?.unwrap_or(-at_low));
    for _ in 0..30 {
        let t = (low * at_high - high * at_low) / (at_high - at_low);
        let Some(s) = slip(t)? else { break };
        // Illinois: halving the value of the end that stays keeps the other from creeping.
        if s * at_low > 0.0 {
            (low, at_low, at_high) = (t, s, 0.5 * at_high);
        } else {
            (high, at_high, at_low) = (t, s, 0.5 * at_low);
        }
        if s.abs() <= 1e-13 * now.held[k].slip.abs() || high - low <= 1e-14 * h {
            return Ok(t);
        }
    }
    Ok(0.5 * (low + high))
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
    let c = part_file::middle(shape);
    shape.points().iter().map(|p| (p[0] - c[0]).hypot(p[1] - c[1])).fold(0.0, f64::max)
}

fn kinematics(question: &Question) -> Result<Vec<Terms>, FieldError> {
    terms(&question.case).map_err(|e| FieldError::new(e.field(), e))
}

/// The contacts that the mode holds.
fn held(here: &Question, mode: &[Letter]) -> Result<Vec<Held>, FieldError> {
    let all = kinematics(here)?;
    let contacts = here.case.contacts.iter().zip(&here.places.points).zip(mode).zip(&all);
    let letters = contacts
        .enumerate()
        .filter(|(_, ((_, letter), _))| matches!(letter, Letter::Forward | Letter::Backward | Letter::Stick));
    Ok(letters
        .map(|(index, (((contact, point), letter), terms))| Held {
            contact: index,
            point: *point,
            normal: contact.normal.each_ref().map(Rational::to_f64),
            sticks: *letter == Letter::Stick,
            slip: terms.slip.to_f64(),
        })
        .collect())
}

/// A velocity, and the slip of each held contact.
type Kept = ([f64; 3], Vec<Option<f64>>);

/// The velocity nearest to `next` (by kinetic energy) that keeps held contacts held, sticking ones and `stopped` without
/// slip; and the slip of each held contact before that.
fn kept(
    part: &Part,
    there: &Question,
    next: [f64; 3],
    held: &[Held],
    stopped: Option<usize>,
    reach: f64,
) -> Result<Kept, FieldError> {
    let mut rows: Vec<[f64; 3]> = Vec::new();
    let mut slips = vec![None; held.len()];
    for ((contact, point), terms) in there.case.contacts.iter().zip(&there.places.points).zip(kinematics(there)?) {
        let n = contact.normal.each_ref().map(Rational::to_f64);
        let near = |h: &Held| (h.point[0] - point[0]).hypot(h.point[1] - point[1]);
        let same =
            held.iter().enumerate().filter(|(_, h)| near(h) <= reach && h.normal[0] * n[0] + h.normal[1] * n[1] > 0.9);
        let Some((k, before)) = same.min_by(|a, b| near(a.1).total_cmp(&near(b.1))) else { continue };
        rows.push(terms.normal.each_ref().map(Rational::to_f64));
        slips[k] = Some(terms.slip.to_f64());
        if before.sticks || stopped == Some(k) {
            rows.push(terms.friction.each_ref().map(Rational::to_f64));
        }
    }
    if rows.is_empty() {
        return Ok((next, slips));
    }
    // In velocities scaled by √M the nearest one is a plain projection.
    let rho = part.gyration_sq.as_ref().map_or(1.0, |g| g.to_f64().sqrt());
    let scale = [1.0, 1.0, rho];
    let jacobian = DMatrix::from_fn(rows.len(), 3, |i, j| rows[i][j] / scale[j]);
    let scaled = DVector::from_fn(3, |j, _| next[j] * scale[j]);
    let violated = &jacobian * &scaled;
    let inverse = jacobian.pseudo_inverse(1e-9).map_err(|e| FieldError::new("", e))?;
    let corrected = scaled - inverse * violated;
    Ok((std::array::from_fn(|j| corrected[j] / scale[j]), slips))
}

//! # A ball in a bowl as the machine interface spells it
//!
//! - **in**: a record `{friction, params, t_end, dt_out}`
//! - **out**: a [`Question`]: model, state at time 0, times of the rows
//! - **not here**: the answer (`cli::query::bowl`)
//! - **start at** [`question`]

use super::{Field, FieldError};
use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::graph::{Rectangle, Term};
use fingerpad_contact::surface::{Graph, Shape, Sphere};
use fingerpad_sim::{Body, BodyId, Interactions, Load, Model, PairLaw, Parts, Places, Profile, State};
use nalgebra::{Isometry3, Matrix3, Vector3};
use serde_json::Value;

/// Rows at most.
const MOST_ROWS: f64 = 200_000.0;

/// A case made ready.
pub struct Question {
    /// Ground and ball.
    pub model: Model,
    /// At time 0.
    pub state: State,
    /// Time of the last row (s).
    pub t_end: f64,
    /// Time between rows (s).
    pub dt_out: f64,
    /// What should be known before the numbers are used.
    pub warnings: Vec<String>,
}

/// What a record asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rubbing {
    None,
    Sticks,
    Slips,
}

const RUBBING: [(&str, Rubbing); 3] =
    [("frictionless", Rubbing::None), ("stick", Rubbing::Sticks), ("slip", Rubbing::Slips)];

/// Reads a record.
pub fn question(record: &Value) -> Result<Question, FieldError> {
    let record = Field::root(record);
    record.object()?;
    let friction = match (record.get("friction"), record.get("meta").and_then(|meta| meta.get("friction"))) {
        (Some(field), _) | (None, Some(field)) => field.one_of(&RUBBING)?,
        (None, None) => record.require("friction")?.one_of(&RUBBING)?,
    };
    let (t_end, dt_out) = times(&record)?;
    let p = record.require("params")?;
    let mut warnings = Vec::new();
    let law = law(&p, friction, &mut warnings)?;
    let bowl = p.require("bowl")?.coordinates::<2>()?;
    let terms = vec![Term { p: 2, q: 0, c: bowl[0] }, Term { p: 0, q: 2, c: bowl[1] }];
    let ground = Graph::polynomial(terms, Rectangle::PLANE).map_err(|e| FieldError::new("params.bowl", e))?;
    let radius = p.require("radius")?;
    let ball = Sphere::new(radius.size()?).map_err(|e| FieldError::new(&radius.path, e))?;
    let inertia = positive(&p, "inertia", "kg m²")?;
    let alpha = p.require("alpha")?;
    let share = alpha.number()?;
    if !(0.0..=1.0).contains(&share) {
        return Err(alpha.expected("a share between 0 and 1"));
    }
    let [x, y, z] = p.require("C0")?.coordinates::<3>()?;
    let vector = |key: &str| p.get(key).map_or(Ok([0.0; 3]), |f| f.coordinates::<3>()).map(Vector3::from);
    let velocity = SpatialVelocity::new(vector("w0")?, vector("V0")?);
    let mass = positive(&p, "mass", "kg")?;
    let ball = Body::free("ball", Shape::Sphere(ball), mass, Matrix3::identity() * inertia)
        .at(Isometry3::translation(x, y, z))
        .moving(velocity);
    let law = PairLaw { law, alpha: share, places: Places::Closest };
    let whole = |e: &dyn ToString| FieldError::new("params", e.to_string());
    let model = Model::new(Parts {
        bodies: vec![Body::fixed("ground", Shape::Graph(ground)), ball],
        interactions: Interactions::of_pairs(vec![(BodyId(0), BodyId(1), law)]),
        gravity_W: Vector3::new(0.0, 0.0, -p.require("g")?.number()?),
        loads: pulses(&p)?,
        kicks: Vec::new(),
        ..Parts::default()
    })
    .map_err(|e| whole(&e))?;
    let state = model.start().map_err(|e| whole(&e))?;
    Ok(Question { model, state, t_end, dt_out, warnings })
}

/// `t_end` and `dt_out`, or what the rows of an answered case say.
fn times(record: &Field) -> Result<(f64, f64), FieldError> {
    let time = |k: usize| record.value["rows"].as_array().and_then(|rows| rows.get(k)?.get(0)?.as_f64());
    let count = record.value["rows"].as_array().map_or(0, Vec::len);
    let of_rows = |key: &str, found: Option<f64>| match record.get(key) {
        None if found.is_some_and(|x| x > 0.0 && x.is_finite()) => Ok(found.unwrap_or_default()),
        _ => positive(record, key, "s"),
    };
    let t_end = of_rows("t_end", time(count.wrapping_sub(1)))?;
    let dt_out = of_rows("dt_out", time(1).zip(time(0)).map(|(b, a)| b - a))?;
    if t_end / dt_out > MOST_ROWS {
        let message = format!("expected at most {MOST_ROWS} rows, got {} of {dt_out} s in {t_end} s", t_end / dt_out);
        return Err(FieldError::new("dt_out", message));
    }
    Ok((t_end, dt_out))
}

fn positive(of: &Field, key: &str, unit: &str) -> Result<f64, FieldError> {
    let field = of.require(key)?;
    let x = field.number()?;
    if x > 0.0 { Ok(x) } else { Err(field.expected(&format!("a positive number ({unit})"))) }
}

/// A number that is not negative; 0 where it is absent and may be.
fn or_zero(of: &Field, key: &str, needed: bool) -> Result<f64, FieldError> {
    let field = match of.get(key) {
        Some(field) => field,
        None if needed => of.require(key)?,
        None => return Ok(0.0),
    };
    let x = field.number()?;
    if x >= 0.0 { Ok(x) } else { Err(field.expected("zero or a positive number")) }
}

fn law(p: &Field, rubbing: Rubbing, warnings: &mut Vec<String>) -> Result<ContactLaw, FieldError> {
    let n = p.require("n")?;
    let exponent = n.number()?;
    if exponent < 1.0 {
        return Err(n.expected("an exponent of at least 1"));
    }
    let rubs = rubbing != Rubbing::None;
    let mut constants = Constants { k: positive(p, "k", "N/m^n")?, n: exponent, k_t: 0.0, k_theta: 0.0, e_n: 0.0 };
    let mut damping =
        Damping { hunt_crossley: or_zero(p, "c_hc", false)?, normal: or_zero(p, "b_kv", false)?, ..Damping::default() };
    let mut friction = Friction::None;
    if rubs {
        constants.k_t = or_zero(p, "k_t", true)?;
        constants.k_theta = or_zero(p, "k_theta", true)?;
        damping.tangential = or_zero(p, "b_t", false)?;
        damping.torsional = or_zero(p, "b_theta", false)?;
        friction = Friction::Sticks;
    }
    if rubbing == Rubbing::Slips {
        constants.e_n = or_zero(p, "e_n", true)?;
        let mu = or_zero(p, "mu", true)?;
        if constants.e_n == 0.0 && (constants.k_theta > 0.0 || damping.torsional > 0.0) {
            warnings.push("e_n = 0: no moment about the normal is held, k_theta and b_theta do nothing".to_string());
            (constants.k_theta, damping.torsional) = (0.0, 0.0);
        }
        friction = Friction::Coulomb { mu };
        if mu == 0.0 {
            warnings.push("mu = 0: taken as frictionless".to_string());
            friction = Friction::None;
            (damping.tangential, damping.torsional) = (0.0, 0.0);
        }
    }
    Ok(ContactLaw { stiffness: Stiffness::Constants(constants), damping, friction, partial: None })
}

fn pulses(p: &Field) -> Result<Vec<Load>, FieldError> {
    let Some(pulse) = p.get("pulse") else { return Ok(Vec::new()) };
    let f_W = Vector3::from(pulse.require("peak_force")?.numbers::<3>()?);
    let t0 = pulse.require("t0")?.number()?;
    let profile = Profile::Pulse { t0, duration: positive(&pulse, "duration", "s")? };
    Ok(vec![Load { body: BodyId(1), f_W, t_W: Vector3::zeros(), p_BoQ: None, profile }])
}

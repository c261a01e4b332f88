//! # One record: from JSON to a case, from an answer to JSON
//!
//! - **in**: `m, rho2, F, vel, contacts: [{n, r, mu, kind, k1, k2}]`; numbers are JSON numbers (by their decimal text) or
//!   strings "p/q"
//! - **out**: `answer {status, family_dim, n_components, accel_sets, feasible_modes}`
//! - **not here**: outlines ([`part_file`])
//! - **start at** [`question`], then [`answer`]

use super::{Answered, Places, Question, follow, part_file};
use crate::json::{self, Field, FieldError};
use fingerpad_planar::cspace::{Terms, terms};
use fingerpad_planar::paper::{self, Agreement};
use fingerpad_planar::part::Shape;
use fingerpad_planar::{
    Case, Contact, Kind, Listing, Options, Range, Rational, Reaction, Region, Status, StrictMode, feasible_modes,
    set_reactions, solve, strict_modes,
};
use serde_json::{Map, Value, json};

/// Keys of `answer` that are ours: all of them go before a new answer is written.
const OURS: &[&str] = &[
    "status",
    "family_dim",
    "n_components",
    "accel_sets",
    "feasible_modes",
    "modes",
    "approaching",
    "case",
    "path",
    "complete",
    "paper",
];

/// What else to find out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// Strict kinematic modes.
    pub modes: bool,
    /// Contact forces.
    pub forces: bool,
    /// The paper's own procedure.
    pub paper: bool,
    /// What an LCP solver picks.
    pub lcp: bool,
    /// Steps to follow the part, and their length (s).
    pub steps: Option<(usize, f64)>,
}

/// An exact number: a JSON number by its decimal text, or a string with a decimal or a fraction.
pub fn exact(field: &Field) -> Result<Rational, FieldError> {
    let text = match field.value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        _ => return Err(field.expected("a number or a fraction \"p/q\"")),
    };
    text.parse().map_err(|e| FieldError::new(&field.path, e))
}

/// Exactly N exact numbers.
pub fn exacts<const N: usize>(field: &Field) -> Result<[Rational; N], FieldError> {
    let what = format!("a list of {N} numbers");
    let list = field.list(&what)?;
    let count = list.len();
    let parts = list.iter().map(exact).collect::<Result<Vec<Rational>, FieldError>>()?;
    parts.try_into().map_err(|_| FieldError::new(&field.path, format!("expected {what}, got {count} of them")))
}

/// The exact number under a key, if it is there.
pub fn optional(record: &Field, key: &str) -> Result<Option<Rational>, FieldError> {
    record.get(key).map(|f| exact(&f)).transpose()
}

/// What the record asks: contacts given, or found from the outlines of a part file.
pub fn question(record: &Value) -> Result<Question, FieldError> {
    let record = Field::root(record);
    record.object()?;
    if record.get("contacts").is_none() && record.get("body").is_some() {
        return part_file::question(&record);
    }
    let contacts = record.require("contacts")?.list("a list of contacts")?;
    let contacts = contacts.iter().map(contact).collect::<Result<Vec<Contact>, FieldError>>()?;
    let mass = exact(&record.require("m")?)?;
    let case = Case {
        gyration_sq: exact(&record.require("rho2")?)?,
        force: exacts(&record.require("F")?)?,
        velocity: record.get("vel").map_or(Ok([Rational::ZERO; 3]), |v| exacts(&v))?,
        mass,
        contacts,
    };
    // Outlines beside given contacts are for drawings only.
    let centre = record.get("centre_of_mass").map_or(Ok([Rational::ZERO; 2]), |c| exacts(&c))?;
    let centre = centre.map(|x| x.to_f64());
    let point = |c: &Contact| [centre[0] - c.to_com[0].to_f64(), centre[1] - c.to_com[1].to_f64()];
    let points = case.contacts.iter().map(point).collect();
    let body = record.get("body").map(|b| part_file::shape(&b)).transpose()?;
    let obstacles: Vec<Shape> = match record.get("obstacles") {
        Some(list) => list.list("a list of outlines")?.iter().map(part_file::shape).collect::<Result<_, _>>()?,
        None => Vec::new(),
    };
    let places = Places { centre, points, body, obstacles };
    Ok(Question { case, places, warnings: Vec::new(), found: None })
}

fn contact(field: &Field) -> Result<Contact, FieldError> {
    let kind = field.require("kind")?;
    let k = |key: &str| exact(&field.require(key)?);
    let kind = match kind.text()?.to_ascii_uppercase().as_str() {
        "VE" => Kind::VertexOnEdge,
        "EV" => Kind::EdgeOnVertex,
        "CC" => Kind::Curved { k_body: k("k1")?, k_obstacle: k("k2")? },
        "VC" => Kind::VertexOnCurve { k_obstacle: k("k2")? },
        "CV" => Kind::CurveOnVertex { k_body: k("k1")? },
        "VV" => {
            let side = |key: &str| match field.get(key) {
                None => Ok(Kind::VertexOnEdge),
                Some(side) => match side.text()?.to_ascii_uppercase().as_str() {
                    "VE" => Ok(Kind::VertexOnEdge),
                    "EV" => Ok(Kind::EdgeOnVertex),
                    "VC" => Ok(Kind::VertexOnCurve { k_obstacle: k("k2")? }),
                    "CV" => Ok(Kind::CurveOnVertex { k_body: k("k1")? }),
                    _ => Err(side.expected("a side VE, EV, VC or CV")),
                },
            };
            let sides = Box::new([side("side")?, side("side2")?]);
            Kind::VertexOnVertex { other: exacts(&field.require("n2")?)?, sides }
        }
        _ => return Err(kind.expected("a kind of contact VE, EV, CC, VC, CV or VV")),
    };
    Ok(Contact {
        normal: exacts(&field.require("n")?)?,
        to_com: exacts(&field.require("r")?)?,
        mu: exact(&field.require("mu")?)?,
        kind,
    })
}

/// Solves the question, with what else is wanted.
pub fn solved(question: Question, wanted: Wanted) -> Result<Answered, FieldError> {
    let options = Options::default();
    let refused = |e: fingerpad_planar::Error| FieldError::new(e.field(), e);
    let case = &question.case;
    let answer = solve(case, &options).map_err(refused)?;
    let impact = answer.status == Status::InvalidImpact;
    let modes: Option<Listing<StrictMode>> = match wanted.modes && !impact {
        true => Some(strict_modes(case, &options).map_err(refused)?),
        false => None,
    };
    let forces: Option<Vec<Vec<Reaction>>> = match wanted.forces {
        true => {
            let sets = answer.sets.iter().map(|s| set_reactions(case, s, &options)).collect::<Result<_, _>>();
            Some(sets.map_err(refused)?)
        }
        false => None,
    };
    let path = match wanted.steps {
        Some((count, dt)) => Some(follow::path(&question, count, dt)?),
        None => None,
    };
    let paper = match wanted.paper {
        true => Some(paper::compare(case, &answer, &options).map_err(refused)?),
        false => None,
    };
    let picked = match wanted.lcp {
        true => Some(fingerpad_planar::lcp::pick(case).map_err(refused)?),
        false => None,
    };
    Ok(Answered { question, answer, modes, forces, paper, picked, path })
}

/// The keys of `answer`, and warnings.
pub fn answer(solved: &Answered) -> Result<(Map<String, Value>, Vec<String>), FieldError> {
    let Answered { question, answer, .. } = solved;
    let mut warnings = question.warnings.clone();
    warnings.extend(answer.warnings.iter().map(ToString::to_string));
    let mut out = Map::new();
    out.insert("status".into(), json!(answer.status.name()));
    if answer.status == Status::InvalidImpact {
        let one = |a: &fingerpad_planar::Approach| json!({"contact": a.contact, "speed": a.speed.to_f64()});
        out.insert("approaching".into(), answer.approaching.iter().map(one).collect());
    } else {
        out.insert("family_dim".into(), json!(answer.dim.map_or(-1, |d| d as i64)));
        out.insert("n_components".into(), json!(answer.components));
        let mut sets = Vec::new();
        for (k, set) in answer.sets.iter().enumerate() {
            let mut entry = Map::new();
            entry.insert("component".into(), json!(set.component));
            entry.insert("kinematic_mode".into(), json!(set.kinematic_mode.to_string()));
            region(&mut entry, &set.region, &mut warnings);
            let exact = |v: &[Rational; 3]| json!(v.each_ref().map(ToString::to_string));
            entry.insert("vertices_exact".into(), set.region.vertices.iter().map(exact).collect());
            if let Some(forces) = &solved.forces {
                entry.insert("reactions".into(), forces[k].iter().map(reaction).collect());
            }
            sets.push(Value::Object(entry));
        }
        out.insert("accel_sets".into(), json!(sets));
        let listing = feasible_modes(&question.case, &Options::default());
        let listing = listing.map_err(|e| FieldError::new(e.field(), e))?;
        let modes = listing.items.iter().map(|m| {
            let mut entry = Map::new();
            entry.insert("mode".into(), json!(m.mode.to_string()));
            region(&mut entry, &m.region, &mut warnings);
            Value::Object(entry)
        });
        let modes: Vec<Value> = modes.collect();
        if !listing.complete {
            warnings.push(format!("feasible_modes was cut after {} modes", modes.len()));
        }
        out.insert("feasible_modes".into(), json!(modes));
    }
    if let Some(modes) = &solved.modes {
        let one = |m: &StrictMode| json!({"mode": m.mode.to_string(), "dim": m.dim});
        out.insert("modes".into(), modes.items.iter().map(one).collect());
        if !modes.complete {
            warnings.push(format!("modes was cut after {} modes", modes.items.len()));
        }
    }
    if !answer.complete {
        out.insert("complete".into(), json!(false));
    }
    if let Some(agreement) = &solved.paper {
        out.insert("paper".into(), agreement_json(&question.case, agreement));
    }
    if let Some(picked) = &solved.picked {
        let found = picked.as_ref().map(|p| {
            json!({
                "rows": p.rows,
                "status": match p.status {
                    fingerpad_solve::Status::Solved => "solved",
                    fingerpad_solve::Status::Infeasible => "infeasible",
                    fingerpad_solve::Status::NotFound => "not_found",
                },
                "acceleration": p.acceleration,
                "forces": p.forces,
                "residual": p.residual,
            })
        });
        out.insert("lcp".into(), json!(found));
    }
    if question.found.is_some() {
        out.insert("case".into(), found_case(question));
    }
    if let Some(path) = &solved.path {
        out.insert("path".into(), path.to_json());
    }
    Ok((out, warnings))
}

/// The paper's view: normals and cone edges in (Fx, Fy, τ), what each step found, and whether it agrees.
fn agreement_json(case: &Case, agreement: &Agreement) -> Value {
    let text = |v: &[Rational; 3]| json!(v.each_ref().map(ToString::to_string));
    let contact = |t: &Terms| json!({"normal": text(&t.normal), "edges": [text(&t.edge(1)), text(&t.edge(-1))]});
    let piece = |p: &paper::Piece| {
        let end = |e: &Option<[Rational; 3]>| e.as_ref().map_or(Value::Null, text);
        json!({"step": p.step.to_string(), "from": end(&p.ends[0]), "to": end(&p.ends[1])})
    };
    json!({
        "contacts": terms(case).unwrap_or_default().iter().map(contact).collect::<Value>(),
        "pieces": agreement.pieces.iter().map(piece).collect::<Value>(),
        "claims_all": agreement.gap.is_none(),
        "claims_not": agreement.gap.map(paper::Gap::words),
        "every_piece_is_an_answer": agreement.sound,
        "every_answer_is_found": agreement.whole,
        "agrees": agreement.holds(),
    })
}

/// The case that was made from a part, in the schema that goes in.
fn found_case(question: &Question) -> Value {
    let case = &question.case;
    let text = |v: &[Rational]| -> Value { v.iter().map(ToString::to_string).collect() };
    let contact = |(c, point): (&Contact, &[f64; 2])| {
        let mut entry =
            json!({"n": text(&c.normal), "r": text(&c.to_com), "mu": c.mu.to_string(), "kind": c.kind.code()});
        curvatures(&mut entry, &c.kind);
        if let Kind::VertexOnVertex { other, sides } = &c.kind {
            entry["n2"] = text(other);
            for (key, side) in ["side", "side2"].iter().zip(sides.iter()) {
                entry[*key] = json!(side.code());
                curvatures(&mut entry, side);
            }
        }
        entry["point"] = json!(point);
        entry
    };
    let contacts: Value = case.contacts.iter().zip(&question.places.points).map(contact).collect();
    json!({"m": case.mass.to_string(), "rho2": case.gyration_sq.to_string(), "F": text(&case.force),
        "vel": text(&case.velocity), "contacts": contacts})
}

fn curvatures(entry: &mut Value, kind: &Kind) {
    match kind {
        Kind::Curved { k_body, k_obstacle } => {
            entry["k1"] = json!(k_body.to_string());
            entry["k2"] = json!(k_obstacle.to_string());
        }
        Kind::VertexOnCurve { k_obstacle } => entry["k2"] = json!(k_obstacle.to_string()),
        Kind::CurveOnVertex { k_body } => entry["k1"] = json!(k_body.to_string()),
        Kind::VertexOnEdge | Kind::EdgeOnVertex | Kind::VertexOnVertex { .. } => {}
    }
}

fn region(entry: &mut Map<String, Value>, region: &Region, warnings: &mut Vec<String>) {
    let mut triples = |name: &str, list: Vec<[f64; 3]>| -> Value {
        let mut triple = |v: &[f64; 3]| -> Value { v.iter().map(|x| json::finite(name, *x, warnings)).collect() };
        list.iter().map(&mut triple).collect()
    };
    entry.insert("dim".into(), json!(region.dim));
    entry.insert("vertices".into(), triples("vertices", region.vertices_f64()));
    entry.insert("rays".into(), triples("rays", region.rays_f64()));
    entry.insert("lines".into(), triples("lines", region.lines_f64()));
}

fn reaction(r: &Reaction) -> Value {
    let range = |range: &Range| {
        json!([range.least.as_ref().map(|x| x.to_string()), range.most.as_ref().map(|x| x.to_string())])
    };
    json!({
        "acceleration": r.acceleration.each_ref().map(ToString::to_string),
        "mode": r.mode.to_string(),
        "indeterminacy": r.indeterminacy,
        "normal": r.normal_ranges.iter().map(range).collect::<Value>(),
        "friction": r.friction_ranges.iter().map(range).collect::<Value>(),
        "complete": r.complete,
    })
}

/// Puts an answer, or the error, into its record; foreign keys of an old answer stay.
pub fn fill(record: &mut Value, answer: Result<(Map<String, Value>, Vec<String>), FieldError>) {
    let Value::Object(fields) = record else {
        *record = json!({"record": record, "error": FieldError::new("", "expected an object").to_json()});
        return;
    };
    match answer {
        Ok((answer, warnings)) => {
            fields.shift_remove("error");
            if let Some(Value::Object(old)) = fields.get_mut("answer") {
                OURS.iter().for_each(|key| drop(old.shift_remove(*key)));
            }
            json::put(fields, "answer", answer);
            json::warn(fields, &warnings);
        }
        Err(error) => json::refuse(fields, &["answer"], &error),
    }
}

//! # Touching: the contacts of one body at a state of a run, as a grasp
//!
//! `run` ──([`Sight`]: model, state, contact views)──▶ **here** ──([`Touching`])──▶ `answer`
//!
//! - **in**: a state of a run and the body that is held
//! - **out**: [`Touching`]: a [`Question`] in world axes about the body's centre of mass, with its weight as the wrench;
//!   beside it what each contact carries now
//! - **not here**: how the state came about (`run::paused`); what is computed (`answer`)
//! - **assumes**: every body that touches counts as a finger, the ground too
//! - **start at** [`touching`]
//!
//! A contact whose pair has a patch theory keeps it: its e_n grows with the load. A pair with raw constants has a fixed e_n.
//! Two flat faces can press with any pressure between their corners, so a face counts as a point with friction at each corner
//! of its outline: their cones together hold exactly the wrenches that some pressure on the face can make.

use super::read::Question;
use fingerpad_contact::law::{Friction, Stiffness};
use fingerpad_contact::patch::{PatchTheory, Pressed, RelativeCurvature};
use fingerpad_contact::site::ContactSite;
use fingerpad_contact::track::FaceContact;
use fingerpad_contact::track::faces::Piece;
use fingerpad_files::nearest::nearest;
use fingerpad_grasp::{Contact, Grasp, PatchGrowth, Wrench};
use fingerpad_sim::{ContactMode, ContactResult, ContactState, Mobility, Model, Place, State};
use nalgebra::{Vector2, Vector3};
use serde_json::{Map, Value, json};

/// Longest piece of an arc in the outline of a face (rad).
const ARC: f64 = 0.3;

/// A run at one time.
#[derive(Clone, Copy)]
pub struct Sight<'a> {
    /// The model.
    pub model: &'a Model,
    /// Its state.
    pub state: &'a State,
    /// What the contacts look like.
    pub views: &'a [ContactResult],
}

/// The body of this name, or why there is none.
pub fn body(model: &Model, name: &str) -> Result<usize, String> {
    let names = || model.bodies().iter().map(|body| body.name.as_str());
    names().position(|known| known == name).ok_or_else(|| {
        let hint = nearest(name, names()).map(|near| format!("; did you mean `{near}`?"));
        let known = || format!("; bodies are {}", names().take(20).collect::<Vec<_>>().join(", "));
        format!("there is no body `{name}` in the scene{}", hint.unwrap_or_else(known))
    })
}

/// A body and what touches it.
#[derive(Clone, Debug)]
pub struct Touching {
    /// The grasp, and the weight that it must hold; no wrench in a scene without gravity.
    pub question: Question,
    /// What each contact carries now; none for corners of faces, whose share of the load is not told.
    pub now: Vec<Option<Now>>,
}

/// What a contact carries at the state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Now {
    /// Normal force (N).
    pub normal: f64,
    /// e_n of the patch under it (m).
    pub e_n: f64,
    /// Share of the friction limit in use.
    pub used: f64,
}

/// One contact of the object as the run has it, beside the [`Contact`] of the grasp.
struct Found {
    contact: Contact,
    name: String,
    finger: String,
    now: Option<Now>,
    /// (k_n, k_t, k_θ) at the present approach, where the law tells.
    stiffness: Option<[f64; 3]>,
}

/// The grasp that holds a body at a state; why there is none otherwise.
pub fn touching(sight: Sight, object: usize) -> Result<Touching, String> {
    let Sight { model, state, views } = sight;
    let held = &model.bodies()[object];
    if matches!(held.mobility, Mobility::Fixed | Mobility::Prescribed(_)) {
        return Err(format!("`{}` does not move by forces, so nothing has to hold it", held.name));
    }
    let reference = state.bodies[object].X_WBcm.translation.vector;
    let (mut found, mut warnings, mut room) = (Vec::new(), Vec::new(), FaceContact::default());
    for (contact, view) in state.contacts.iter().zip(views) {
        let touches = contact.pair.a.0 == object || contact.pair.b.0 == object;
        if touches && contact.mode != ContactMode::Free {
            found.extend(read(sight, object, contact, view, &mut room, &mut warnings)?);
        }
    }
    if found.is_empty() {
        return Err(format!("nothing touches `{}` at t = {} s", held.name, state.time));
    }
    named_apart(&mut found);
    let contacts = found.iter().map(|f| f.contact).collect();
    // (Miller, Allen): the farthest point of the surface from the centre of mass; `reach` bounds it from the origin.
    let farthest = held.shape.reach() + held.p_BoBcm.coords.norm();
    let length = Some(farthest).filter(|x| (1e-9..1e9).contains(x));
    let mut grasp = Grasp::new(contacts, reference, length).map_err(|e| e.to_string())?;
    warnings.append(&mut grasp.warnings);
    grasp.warnings = warnings;
    let weight = model.gravity_W() * held.mass;
    let question = Question {
        grasp,
        names: found.iter().map(|f| f.name.clone()).collect(),
        fingers: found.iter().map(|f| f.finger.clone()).collect(),
        hand: None,
        wrench: (weight.norm() > 0.0).then(|| Wrench::new(weight.x, weight.y, weight.z, 0.0, 0.0, 0.0)),
        directions: Vec::new(),
        task: Vec::new(),
        stiffness: found.iter().map(|f| f.stiffness).collect(),
    };
    Ok(Touching { question, now: found.iter().map(|f| f.now).collect() })
}

/// Contacts of one name get numbers: `table 1`, `table 2`.
fn named_apart(found: &mut [Found]) {
    let names: Vec<String> = found.iter().map(|f| f.name.clone()).collect();
    for (k, f) in found.iter_mut().enumerate() {
        let alike = |range: &[String]| range.iter().filter(|n| **n == f.name).count();
        if alike(&names) > 1 {
            f.name = format!("{} {}", names[k], alike(&names[..=k]));
        }
    }
}

/// A contact of the run as one contact of the grasp, or as one for each corner of a face.
fn read(
    sight: Sight,
    object: usize,
    contact: &ContactState,
    view: &ContactResult,
    room: &mut FaceContact,
    warnings: &mut Vec<String>,
) -> Result<Vec<Found>, String> {
    let model = sight.model;
    let law = &model.law(&contact.pair).law;
    let on_b = contact.pair.b.0 == object;
    let other = if on_b { contact.pair.a.0 } else { contact.pair.b.0 };
    let name = model.name(other).to_string();
    let normal = if on_b { view.site.nhat_W } else { -view.site.nhat_W };
    let axis = view.site.E_W * Vector2::x();
    let mut tell = |words: String| {
        if !warnings.contains(&words) {
            warnings.push(words);
        }
    };
    // The smaller coefficient comes first: it bounds the moment, so that the ellipsoid never promises too much.
    let (friction, tangent) = match &law.friction {
        Friction::None => ([0.0; 2], axis),
        Friction::Coulomb { mu } => ([*mu; 2], axis),
        Friction::Exact { mu } => {
            tell("the scene's exact friction limit is taken as its ellipsoid, which holds up to 12 % more".to_string());
            ([*mu; 2], axis)
        }
        Friction::TwoCoefficients { along, across, direction_W } => {
            let part = direction_W - normal * direction_W.dot(&normal);
            let along_W = part.try_normalize(1e-9).unwrap_or(axis);
            match along <= across {
                true => ([*along, *across], along_W),
                false => ([*across, *along], normal.cross(&along_W)),
            }
        }
        Friction::Sticks => {
            return Err(format!(
                "friction with `{name}` never slips, so it has no cone; give the pair `friction = \"coulomb\"`"
            ));
        }
        Friction::Rule(_) => return Err(format!("friction with `{name}` is a rule of its own, which has no cone")),
    };
    let whole =
        |point: Vector3<f64>, patch: PatchGrowth| Contact { point, normal, tangent, friction, patch, limit: None };
    let corners: Vec<[f64; 3]> =
        outlines(model, sight.state, contact, room).into_iter().flat_map(|(_, outline)| outline).collect();
    let centre = view.site.p_WC.coords;
    if !corners.is_empty() {
        tell(format!("the face on `{name}` counts as a point at each of its {} corners", corners.len()));
        let corner = |p: &[f64; 3]| Found {
            contact: whole(Vector3::from(*p), PatchGrowth::Fixed(0.0)),
            name: name.clone(),
            finger: name.clone(),
            now: None,
            stiffness: None,
        };
        return Ok(corners.iter().map(corner).collect());
    }
    let patch = match (&contact.place, &law.stiffness) {
        // A curve offers what it does under the load of the run.
        (Place::Strand(_), _) => Some(PatchGrowth::Fixed(view.e_n.unwrap_or(0.0))),
        (_, Stiffness::Patch(theory)) => live(theory, &view.site),
        (_, Stiffness::Constants(c) | Stiffness::Custom { tangential: c, .. }) => Some(PatchGrowth::Fixed(c.e_n)),
        (_, Stiffness::Field(sample)) => Some(PatchGrowth::Fixed(sample.e_n)),
    };
    let patch = patch.unwrap_or_else(|| {
        tell(format!("the curvature at `{name}` makes no patch: that contact counts as a point"));
        PatchGrowth::Fixed(0.0)
    });
    let pressed =
        (view.gap < 0.0).then(|| law.stiffness.grip(&ContactSite { gap: view.gap, ..view.site }).ok()).flatten();
    let stiffness = pressed.map(|grip| [grip.normal_stiffness, grip.k[0].min(grip.k[1]), grip.k[2]]);
    let normal_now = view.normal.max(0.0);
    let now = Now { normal: normal_now, e_n: patch.e_n(normal_now), used: view.used };
    Ok(vec![Found { contact: whole(centre, patch), finger: name.clone(), name, now: Some(now), stiffness }])
}

/// Area (m²) and outline in the world (m) of every piece of a face contact; none for points.
pub fn outlines(
    model: &Model,
    state: &State,
    contact: &ContactState,
    room: &mut FaceContact,
) -> Vec<(f64, Vec<[f64; 3]>)> {
    let Place::Face(faces) = contact.place else { return Vec::new() };
    let near = state.near.iter().find(|near| near.pair == contact.pair);
    let Some(set) = near.and_then(|near| near.set()) else { return Vec::new() };
    let pose = |body: usize| model.frame(body, &state.bodies[body].X_WBcm);
    let (X_WA, X_WB) = (pose(contact.pair.a.0), pose(contact.pair.b.0));
    if !set.follow_face(faces, &X_WA.inv_mul(&X_WB), room) || room.area <= 0.0 {
        return Vec::new();
    }
    let E_W = X_WA.rotation.to_rotation_matrix().matrix() * room.pair.E_A;
    let middle = X_WA * (room.pair.p_ACa + room.pair.nhat_AB_A * (0.5 * room.pair.gap));
    let drawn = |piece: &Piece| {
        let mut found = Vec::new();
        piece.outline(ARC, |p| found.push((middle + E_W * p.coords).coords.into()));
        (piece.sums().area, found)
    };
    room.region.pieces().iter().map(drawn).collect()
}

/// The patch of a theory at the curvature of a site, where there is one.
fn live(theory: &PatchTheory, site: &ContactSite) -> Option<PatchGrowth> {
    let curvature = site.relative_curvature();
    theory.under_load(&curvature, 1.0).ok()?;
    Some(PatchGrowth::Pad { theory: *theory, curvature })
}

/// A question as the record that `fingerpad grasp FILE` reads, so that it can be kept and asked again.
pub fn record(touching: &Touching) -> Map<String, Value> {
    let Touching { question, now } = touching;
    let grasp = &question.grasp;
    let contact = |k: usize| {
        let c = &grasp.contacts[k];
        let mut fields = json!({"name": question.names[k], "finger": question.fingers[k], "point": c.point.as_slice(), "normal": c.normal.as_slice(),
            "tangent": c.tangent.as_slice(), "friction": c.friction});
        match c.patch {
            PatchGrowth::Fixed(e_n) => fields["e_n"] = json!(e_n),
            PatchGrowth::Power { e_n_at_1N, exponent } => {
                fields["patch"] = json!({"e_n_at_1N": e_n_at_1N, "exponent": exponent});
            }
            PatchGrowth::Pad { theory, curvature } => match pad(&theory, &curvature) {
                Some(pad) => fields["pad"] = pad,
                None => fields["e_n"] = json!(c.patch.e_n(grasp.metric_load(k))),
            },
        }
        if let Some(stiffness) = &question.stiffness {
            fields["stiffness"] = json!(stiffness[k]);
        }
        if let Some(now) = now[k] {
            fields["now"] = json!({"normal": now.normal, "e_n": now.e_n, "used": now.used});
        }
        fields
    };
    let mut out = Map::new();
    out.insert("contacts".to_string(), (0..grasp.contacts.len()).map(contact).collect());
    out.insert("reference".to_string(), json!(grasp.reference.as_slice()));
    out.insert("torque_length".to_string(), json!(grasp.torque_length));
    if let Some(wrench) = &question.wrench {
        out.insert("wrench".to_string(), json!(wrench.as_slice()));
    }
    out
}

/// A theory as `pad` spells it, where that says the same e_n at every load: half-spaces on something rigid, linear layers.
fn pad(theory: &PatchTheory, curvature: &RelativeCurvature) -> Option<Value> {
    let radii = [1.0 / curvature.low, 1.0 / curvature.high];
    if !radii.iter().all(|r| r.is_finite() && *r > 0.0) {
        return None;
    }
    let mut pad = match theory.pressed {
        // At Poisson's ratio ½ the half-space has E* = E/(1 − ¼).
        Pressed::HalfSpaces { e_star, .. } => json!({"radii": radii, "young": 0.75 * e_star, "poisson": 0.5}),
        Pressed::Foundation { layer, .. } if layer.exponent == 1.0 => {
            json!({"radii": radii, "layer": {"modulus": layer.modulus, "depth": layer.depth}})
        }
        Pressed::Foundation { .. } => return None,
    };
    if theory.extent.is_finite() {
        pad["extent"] = json!(theory.extent);
    }
    Some(pad)
}

//! # Place: bodies put on others, and bodies that start inside each other
//!
//! - **in**: bodies with `place = "on terrain at (x, y)"`; a model at its start
//! - **out**: poses with the wanted gap; problems with bodies that overlap too deeply
//! - **assumes**: what a body is put on stands still, and has been put before
//! - **start at** [`put`], [`overlaps`]

use super::bodies::ReadBody;
use super::error::{Problem, Span};
use super::keys;
use super::section::{Problems, Range, Section, rounded};
use super::tree::{Node, Value};
use crate::units::{self, Dimension::Length};
use fingerpad_contact::law::Stiffness;
use fingerpad_contact::patch::Pressed;
use fingerpad_contact::surface::{Shape, Surface};
use fingerpad_contact::track::closest_points;
use fingerpad_sim::{Mobility, Model, Prescribed};
use nalgebra::{Isometry3, Translation3, Vector3};

/// Share of the smaller body that an overlap at the start may have.
const DEEPEST: f64 = 0.1;

/// `place = { on = "terrain", at = [x, y], gap = 0 }`.
pub(crate) struct Placing {
    pub on: String,
    pub at: [f64; 2],
    pub gap: f64,
    pub span: Span,
    pub on_span: Span,
}

/// `place = "on terrain at (x, y)"`, or the same as a table.
pub(crate) fn placing(node: &Node, of: &Section) -> Option<Placing> {
    let span = node.span.clone();
    if let Value::Text(text) = &node.value {
        let read = || {
            let (on, at) = text.trim().strip_prefix("on ")?.split_once(" at ")?;
            let (x, y) = at.trim().strip_prefix('(')?.strip_suffix(')')?.split_once(',')?;
            let length = |text: &str| units::parse(text, Length).ok();
            Some(Placing {
                on: on.trim().to_string(),
                at: [length(x)?, length(y)?],
                gap: 0.0,
                span: span.clone(),
                on_span: span.clone(),
            })
        };
        let placing = read();
        if placing.is_none() {
            of.wrong(node, "expected a place such as \"on terrain at (0.5, 1.2)\"");
        }
        return placing;
    }
    let section = Section::new(node, keys::PLACE, of.whose, of.problems())?;
    let on = section.require("on")?;
    let name = section.text_of(on)?.to_string();
    let at = section.vector_of::<2>(section.require("at")?, "`at`", Length, Range::Any)?;
    let gap = section.quantity("gap", "`gap`", Length, Range::Any).unwrap_or(0.0);
    Some(Placing { on: name, at, gap, span, on_span: on.span.clone() })
}

/// Puts each body that has a place.
pub(crate) fn put(bodies: &mut [ReadBody], problems: &Problems) {
    for i in 0..bodies.len() {
        let Some(place) = bodies[i].place.take() else { continue };
        let whose = format!("of body `{}`", bodies[i].body.name);
        let names: Vec<&str> = bodies.iter().map(|b| b.body.name.as_str()).collect();
        let Some(on) = names.iter().position(|name| *name == place.on) else {
            problems.no_such("body", &place.on, &place.on_span, &names, &whose);
            continue;
        };
        if on == i {
            problems.push(Problem::new(place.on_span, "a body cannot be put on itself").label(whose));
            continue;
        }
        if on > i && bodies[on].place.is_some() {
            let message = format!("`{}` is put after this body; write it before", place.on);
            problems.push(Problem::new(place.span, message).label(whose));
            continue;
        }
        let rotation = bodies[i].body.X_WB.rotation;
        let at = |z: f64| Isometry3::from_parts(Translation3::new(place.at[0], place.at[1], z), rotation);
        let (below, above) = (&bodies[on].body, &bodies[i].body);
        let gap = |z: f64| {
            let X_AB = below.X_WB.inv_mul(&at(z));
            closest_points(&below.shape, &above.shape, &X_AB)
                .map(|pair| pair.gap - place.gap)
                .map_err(|e| e.to_string())
        };
        match lowest(gap, start(&below.shape, &below.X_WB, &above.shape, place.at), above.shape.reach()) {
            Ok(z) => {
                let to = at(z);
                let d = to.translation.vector - bodies[i].body.X_WB.translation.vector;
                bodies[i].body.X_WB = to;
                if bodies[i].carries_frame {
                    carry(&mut bodies[i].body.mobility, &d);
                }
            }
            Err(why) => {
                let (x, y) = (place.at[0], place.at[1]);
                let message = format!("cannot put the body on `{}` at ({x}, {y}): {why}", place.on);
                problems.push(Problem::new(place.span, message).label(whose));
            }
        }
    }
}

fn carry(mobility: &mut Mobility, d: &Vector3<f64>) {
    match mobility {
        Mobility::Restricted(restriction) => restriction.X_WF.translation.vector += d,
        Mobility::Prescribed(Prescribed::Turning { p_WQ, .. }) => *p_WQ += d,
        _ => {}
    }
}

/// A height from which the body is surely above: the top of what it is put on.
fn start(below: &Shape, X_WA: &Isometry3<f64>, above: &Shape, at: [f64; 2]) -> f64 {
    let bounds = below.bounds();
    if bounds.is_finite() {
        let up_A = X_WA.rotation.inverse() * Vector3::z();
        let half = 0.5 * (bounds.max - bounds.min);
        let top = (X_WA * bounds.centre()).z + half.dot(&up_A.abs());
        return top + above.reach();
    }
    // Unbounded: above the place, by more than its slope can make of the way there.
    let near = X_WA.inverse_transform_point(&[at[0], at[1], X_WA.translation.z].into());
    let foot = below.closest_point(&near).map_or(0.0, |foot| (X_WA * foot.p).z);
    foot.max(X_WA.translation.z) + 4.0 * above.reach() + 1.0
}

/// The height at which a body that comes down from above first has no gap.
///
/// No motion closes a gap faster than it goes, so that going down by the gap passes nothing. Near the end the last two
/// heights give the slope, within the heights known to be above and below.
fn lowest(gap: impl Fn(f64) -> Result<f64, String>, from: f64, reach: f64) -> Result<f64, String> {
    let mut high = from;
    let mut at_high = gap(high)?;
    for _ in 0..60 {
        if at_high > 0.0 {
            break;
        }
        high += reach - at_high;
        at_high = gap(high)?;
    }
    if at_high <= 0.0 {
        return Err("it lies inside however high it starts".to_string());
    }
    let tolerance = 1e-14 * (high.abs() + reach);
    for _ in 0..2000 {
        if at_high <= 1e-3 * reach {
            break;
        }
        let next = high - at_high;
        if next < from - 1e9 {
            return Err("nothing is below it".to_string());
        }
        let there = gap(next)?;
        if there <= 0.0 {
            return root(&gap, (next, there), (high, at_high), tolerance);
        }
        (high, at_high) = (next, there);
    }
    // A bracket: a little more than the gap, further where the surface is steep.
    let mut step = at_high.max(tolerance);
    for _ in 0..200 {
        let low = high - step;
        let at_low = gap(low)?;
        if at_low <= 0.0 {
            return root(&gap, (low, at_low), (high, at_high), tolerance);
        }
        (high, at_high) = (low, at_low);
        step = at_high.max(tolerance) * 1.5;
    }
    Err(format!("it does not come to touch, the gap stays {} m", rounded(at_high)))
}

/// False position with the Illinois rule, ends halved where it stalls.
fn root(
    gap: &impl Fn(f64) -> Result<f64, String>,
    mut low: (f64, f64),
    mut high: (f64, f64),
    tolerance: f64,
) -> Result<f64, String> {
    for k in 0..200 {
        if low.1 == 0.0 {
            return Ok(low.0);
        }
        if high.0 - low.0 <= tolerance {
            break;
        }
        let mut z = high.0 - high.1 * (high.0 - low.0) / (high.1 - low.1);
        if k % 4 == 3 || !(z > low.0 && z < high.0) {
            z = 0.5 * (low.0 + high.0);
        }
        let there = gap(z)?;
        if there.abs() <= 0.0 {
            return Ok(z);
        }
        if there < 0.0 {
            low = (z, there);
            high.1 *= 0.5;
        } else {
            high = (z, there);
            low.1 *= 0.5;
        }
    }
    Ok(0.5 * (low.0 + high.0))
}

/// Tells of bodies that start too deep inside each other.
pub(crate) fn overlaps(model: &Model, bodies: &[ReadBody], problems: &Problems) {
    for (i, j) in not_apart(model) {
        let Some(pair) = model.between(i, j) else { continue };
        let (a, b) = (&bodies[pair.a.0], &bodies[pair.b.0]);
        let (name_a, name_b) = (model.name(pair.a.0), model.name(pair.b.0));
        let (shape_a, shape_b) = (&a.body.shape, &b.body.shape);
        let later = if pair.a.0 > pair.b.0 { a } else { b };
        // Joints may start elsewhere than where the file has their bodies.
        let at = |id: fingerpad_sim::BodyId| model.bodies()[id.0].X_WB;
        let X_AB = at(pair.a).inv_mul(&at(pair.b));
        let found = match closest_points(shape_a, shape_b, &X_AB) {
            Ok(found) => found,
            Err(error) => {
                let message = format!("`{name_a}` and `{name_b}`: {error}");
                problems.push(Problem::new(later.span_of("position"), message));
                continue;
            }
        };
        let depth = -found.gap;
        let smaller = size(shape_a).min(size(shape_b));
        let layer = match &model.law(&pair).law.stiffness {
            Stiffness::Patch(theory) => match theory.pressed {
                Pressed::Foundation { layer, .. } => layer.depth,
                _ => f64::INFINITY,
            },
            _ => f64::INFINITY,
        };
        let (limit, what) = if layer < DEEPEST * smaller {
            (layer, format!("the layer is {} m deep", rounded(layer)))
        } else {
            (DEEPEST * smaller, format!("10 % of the smaller body is {} m", rounded(DEEPEST * smaller)))
        };
        if depth > limit {
            let message = format!("`{name_a}` and `{name_b}` start {} m deep inside each other", rounded(depth));
            let whose = if pair.a.0 > pair.b.0 { name_a } else { name_b };
            let problem = Problem::new(later.span_of("position"), message).label(format!("of body `{whose}`"));
            let mut ways = vec!["move one of them".to_string()];
            let link = |id: fingerpad_sim::BodyId| matches!(model.bodies()[id.0].mobility, Mobility::Link { .. });
            if link(pair.a) || link(pair.b) {
                ways.push("`start` of a joint (of a robot: `start`, `keyframe`) elsewhere".to_string());
            }
            for (name, shape) in [(name_a, shape_a), (name_b, shape_b)] {
                if let Shape::Mesh(_) = **shape {
                    let across = 2.0 * shape.bounds().radius();
                    ways.push(format!("give the mesh of `{name}`, {} m across, its `unit`", rounded(across)));
                }
            }
            ways.push("write an [[ignore]]".to_string());
            problems.push(problem.note(format!("{what}; {}", ways.join(", or "))));
        }
    }
}

/// Two bodies each, the lower first, in order of the higher: all but those that lie in spheres which are apart.
///
/// Spheres in order of their lower ends along x: each is compared with those that begin before it ends.
fn not_apart(model: &Model) -> Vec<(usize, usize)> {
    let (mut bounded, mut unbounded) = (Vec::new(), Vec::new());
    for (i, body) in model.bodies().iter().enumerate() {
        let bounds = body.shape.bounds();
        match bounds.is_finite() {
            true => bounded.push((i, body.X_WB * bounds.centre(), bounds.radius())),
            false => unbounded.push(i),
        }
    }
    bounded.sort_by(|(_, p, r), (_, q, s)| (p.x - r).total_cmp(&(q.x - s)));
    let mut pairs = Vec::new();
    for (k, (i, p, r)) in bounded.iter().enumerate() {
        let soon = bounded[k + 1..].iter().take_while(|(_, q, s)| q.x - s <= p.x + r);
        pairs.extend(soon.filter(|(_, q, s)| (p - q).norm() <= r + s).map(|(j, ..)| (*i.min(j), *i.max(j))));
    }
    for (k, i) in unbounded.iter().enumerate() {
        let others = bounded.iter().map(|(j, ..)| j).chain(&unbounded[..k]);
        pairs.extend(others.map(|j| (*i.min(j), *i.max(j))));
    }
    pairs.sort_by_key(|(i, j)| (*j, *i));
    pairs
}

/// Least extent of a solid (m); infinite where it has no bottom.
fn size(shape: &Shape) -> f64 {
    match shape {
        Shape::HalfSpace(_) | Shape::Graph(_) | Shape::Elevation(_) => f64::INFINITY,
        _ => {
            let bounds = shape.bounds();
            (bounds.max - bounds.min).min()
        }
    }
}

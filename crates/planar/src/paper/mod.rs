//! # Paper: the same question the way (Erdmann) answers it
//!
//! `cspace` ──(normals, cone edges)──▶ **here** ──(points and segments)──▶ tests, `fingerpad planar --paper`
//!
//! - **in**: a [`Case`]
//! - **out**: [`Piece`]s of accelerations, each with the step of (Erdmann, §5.4.2) that found it
//! - **not here**: completeness; see below
//! - **assumes**: few contacts; the procedure looks at all 2ᵏ subsets
//! - **start at** [`procedure`]; [`compare`] holds it against the complete answer
//!
//! Where we leave the text: in §5.5.3 the reaction is −F − m h′ + c t_c (the text has +m h′ once); the right side of
//! (6) goes with unnormalised rows; in §5.4.3 a contact without slip but with a slip acceleration keeps one edge only;
//! §5.4.7 means a′ = a + h′. Two gaps of the text remain gaps here: several contacts with parallel normals (§5.4.5) and
//! a single contact whose cone dips below its tangent plane (§4.4) may have answers that no step finds.
//! [`crate::solve`] finds them; every piece found here is one of its answers.

mod agreement;

pub use agreement::{Agreement, Gap, compare};

use crate::contact::{Case, Error};
use crate::cspace::{Motion, Scene, Terms};
use crate::number::Rational;
use crate::polytope::{Budget, Side, Vec4, cone_facets};
use crate::relaxed::is_relaxed;
use crate::solve::Options;
use std::cmp::Ordering;
use std::rc::Rc;

/// Which step of (Erdmann, §5.4.2) found a piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// §5.4.3: no reaction force.
    ZeroReaction,
    /// §5.4.3: the reaction cancels the applied force.
    ZeroNet,
    /// §4.4: projection onto the cone of one contact.
    OnePoint(usize),
    /// §5.5: projection along the common tangent of contacts whose normals span a plane.
    PlaneOfNormals(Vec<usize>),
}

impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Step::ZeroReaction => f.write_str("zero reaction (§5.4.3)"),
            Step::ZeroNet => f.write_str("zero net force (§5.4.3)"),
            Step::OnePoint(contact) => write!(f, "projection onto the cone of contact {contact} (§4.4)"),
            Step::PlaneOfNormals(contacts) => {
                let names: Vec<String> = contacts.iter().map(ToString::to_string).collect();
                write!(f, "projection along the common tangent of contacts {} (§5.5)", names.join(", "))
            }
        }
    }
}

/// A point (both ends equal) or a segment of accelerations; an end at infinity is `None`, and then `along` leads there.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// The step that found it.
    pub step: Step,
    /// Ends (m/s², m/s², rad/s²).
    pub ends: [Option<[Rational; 3]>; 2],
    /// Direction from the first end to the second.
    pub along: [Rational; 3],
}

type V3 = [Rational; 3];

fn dot(a: &V3, b: &V3) -> Rational {
    (0..3).map(|i| &a[i] * &b[i]).sum()
}

fn cross(a: &V3, b: &V3) -> V3 {
    let c = |i: usize, j: usize| &(&a[i] * &b[j]) - &(&a[j] * &b[i]);
    [c(1, 2), c(2, 0), c(0, 1)]
}

fn add(a: &V3, f: &Rational, b: &V3) -> V3 {
    std::array::from_fn(|i| &a[i] + &(f * &b[i]))
}

fn is_zero(a: &V3) -> bool {
    a.iter().all(Rational::is_zero)
}

/// Most contacts the procedure takes on: 2¹² subsets.
pub const MAX_CONTACTS: usize = 12;

/// Runs the procedure; `None` for an impact, a vertex on a vertex (whose constraints the text only mentions) or more than
/// [`MAX_CONTACTS`] contacts.
pub fn procedure(case: &Case, options: &Options) -> Result<Option<Vec<Piece>>, Error> {
    let scene = Scene::new(case, &options.speed_tolerance)?;
    let k = scene.active.len();
    if k > MAX_CONTACTS || is_relaxed(case) || scene.terms.iter().any(|t| t.motion == Motion::Approaching) {
        return Ok(None);
    }
    let zero = [Rational::ZERO, Rational::ZERO, Rational::ZERO];
    let point = |step, a: V3| Piece { step, ends: [Some(a.clone()), Some(a)], along: zero.clone() };
    let mut pieces = Vec::new();
    let free = scene.free_acceleration();
    if holds(&scene, &free) {
        pieces.push(point(Step::ZeroReaction, free));
    }
    if zero_net(&scene) {
        pieces.push(point(Step::ZeroNet, zero.clone()));
    }
    for subset in 1..1usize << k {
        let chosen: Vec<usize> = (0..k).filter(|i| subset >> i & 1 == 1).map(|i| scene.active[i].index).collect();
        if let [single] = chosen[..] {
            let one = one_point(&scene, &scene.terms[single]).filter(|a| holds(&scene, a));
            pieces.extend(one.map(|a| point(Step::OnePoint(single), a)));
        } else if let Some(line) = Line::new(&scene, &chosen) {
            pieces.extend(line.project(&scene, &chosen));
        }
        // Normals that span all of space: nothing can move, which `zero_net` has answered (§5.4.6).
    }
    Ok(Some(pieces))
}

/// (5): no gap closes.
fn holds(scene: &Scene, a: &V3) -> bool {
    let open = |t: &Terms| t.motion == Motion::Separating || t.gap_acceleration(a).sign() != Ordering::Less;
    scene.terms.iter().all(open)
}

/// Signs of the edges N ± μT that a contact may use where its slip acceleration has the given sign (Table 1).
fn legal_edges(t: &Terms, slip_acceleration: Ordering) -> &'static [i64] {
    match (t.motion, slip_acceleration) {
        (Motion::SlidingForward, _) | (Motion::Resting, Ordering::Greater) => &[-1],
        (Motion::SlidingBackward, _) | (Motion::Resting, Ordering::Less) => &[1],
        _ => &[-1, 1],
    }
}

/// Planes of the cone of the given edges, as (y, whether equality).
fn cone(edges: &[V3]) -> Vec<(V3, bool)> {
    let whole = |e: &V3| Rc::new(Vec4::from_rationals([&Rational::ZERO, &e[0], &e[1], &e[2]]));
    let edges: Vec<Rc<Vec4>> = edges.iter().map(whole).collect();
    let facets = cone_facets(&edges, &mut Budget::new(u64::MAX));
    facets.into_iter().map(|(y, side)| (y.direction(), side == Side::Equal)).collect()
}

/// The composite friction cone (§5.1): edges of all contacts, from each contact's legal ones.
fn zero_net(scene: &Scene) -> bool {
    let zero = [Rational::ZERO, Rational::ZERO, Rational::ZERO];
    if !holds(scene, &zero) {
        return false;
    }
    let mut edges = Vec::new();
    for t in scene.terms.iter().filter(|t| t.motion != Motion::Separating && t.gap_bias.is_zero()) {
        edges.extend(legal_edges(t, t.slip_bias.sign()).iter().map(|s| t.edge(*s)));
    }
    let needed = scene.needed_wrench(&zero);
    cone(&edges).iter().all(|(y, equal)| match dot(y, &needed).sign() {
        Ordering::Less => false,
        Ordering::Greater => !equal,
        Ordering::Equal => true,
    })
}

/// §4.4: cancel the normal part and as much of the tangential part as the cone allows.
///
/// The text removes the t_r component and then slides along t_r⊥ to the edge; in M⁻¹ metric that is: hold the contact
/// with α N + β T, and where |β| > μ α keep only the gap equation with the edge on that side. With a velocity the gap
/// and slip equations get their right sides h and ω² ts·r; a slipping contact uses its edge at once.
fn one_point(scene: &Scene, t: &Terms) -> Option<V3> {
    let mass = scene.mass_matrix();
    let free = scene.free_acceleration();
    let gap = t.gap_acceleration(&free);
    if gap.sign() != Ordering::Less {
        return None; // the applied force does not press: zero reaction
    }
    let per_mass = |f: &V3| -> V3 { std::array::from_fn(|i| &f[i] / &mass[i]) };
    let sign = match t.motion {
        Motion::SlidingForward => -1,
        Motion::SlidingBackward => 1,
        _ => {
            let (n, f) = (per_mass(&t.normal), per_mass(&t.friction));
            let (nn, nt, tt) = (dot(&t.normal, &n), dot(&t.normal, &f), dot(&t.friction, &f));
            let slip = t.slip_acceleration(&free);
            // [nn nt; nt tt] (α, β) = −(gap, slip); N and T are independent, so the determinant is positive.
            let det = &(&nn * &tt) - &(&nt * &nt);
            let alpha = &(&(&nt * &slip) - &(&tt * &gap)) / &det;
            let beta = &(&(&nt * &gap) - &(&nn * &slip)) / &det;
            let most = &t.mu * &alpha;
            if beta.abs() <= most {
                let a = add(&free, &alpha, &n);
                return Some(add(&a, &beta, &f));
            }
            if beta.sign() == Ordering::Less { -1 } else { 1 }
        }
    };
    let edge = per_mass(&t.edge(sign));
    let rise = dot(&t.normal, &edge);
    if rise.sign() != Ordering::Greater {
        return None; // the edge lies below the tangent plane: outside what §4.4 covers
    }
    let a = add(&free, &(&(-&gap) / &rise), &edge);
    // The text trusts the edge; below the tangent plane it may be wrong, so ask Table 1.
    let legal = t.motion != Motion::Resting || legal_edges(t, t.slip_acceleration(&a).sign()).contains(&sign);
    legal.then_some(a)
}

/// The accelerations −h′ + c t_c that keep all chosen contacts, whose normals span a plane.
struct Line {
    start: V3,
    along: V3,
}

/// Closed interval of c; `None` is infinity.
type Interval = [Option<Rational>; 2];

impl Line {
    /// `None` when the normals do not span a plane or (6) has no solution.
    fn new(scene: &Scene, chosen: &[usize]) -> Option<Line> {
        let normals: Vec<&V3> = chosen.iter().map(|&i| &scene.terms[i].normal).collect();
        let (first, second) = (0..normals.len())
            .flat_map(|i| (0..i).map(move |j| (j, i)))
            .find(|&(j, i)| !is_zero(&cross(normals[j], normals[i])))?;
        let along = cross(normals[first], normals[second]);
        if normals.iter().any(|n| !dot(n, &along).is_zero()) {
            return None;
        }
        // A point on both gap planes: a = ((t × N₂) h₁ + (N₁ × t) h₂) · (−1/|t|²) … with t = N₁ × N₂.
        let (h1, h2) = (&scene.terms[chosen[first]].gap_bias, &scene.terms[chosen[second]].gap_bias);
        let (u, v) = (cross(normals[second], &along), cross(&along, normals[first]));
        let scale = &Rational::from(-1) / &dot(&along, &along);
        let start: V3 = std::array::from_fn(|i| &scale * &(&(h1 * &u[i]) + &(h2 * &v[i])));
        let kept = |&i: &usize| scene.terms[i].gap_acceleration(&start).is_zero();
        chosen.iter().all(kept).then_some(Line { start, along })
    }

    fn at(&self, c: &Rational) -> V3 {
        add(&self.start, c, &self.along)
    }

    /// §5.5.3: sort the c where a slip acceleration changes sign; on each interval and endpoint intersect the line of
    /// reactions with the cone of the legal edges; keep what satisfies (5) at the other contacts.
    fn project(&self, scene: &Scene, chosen: &[usize]) -> Vec<Piece> {
        let mut stops: Vec<Rational> = Vec::new();
        for t in chosen.iter().map(|&i| &scene.terms[i]).filter(|t| t.motion == Motion::Resting) {
            let slope = dot(&t.friction, &self.along);
            if !slope.is_zero() {
                stops.push(&(-&t.slip_acceleration(&self.start)) / &slope); // (10)
            }
        }
        stops.sort();
        stops.dedup();
        let mut parts: Vec<(Interval, Rational)> = Vec::new(); // with a c inside, for the signs
        for s in &stops {
            parts.push(([Some(s.clone()), Some(s.clone())], s.clone()));
        }
        let one = Rational::ONE;
        match (stops.first(), stops.last()) {
            (Some(first), Some(last)) => {
                parts.push(([None, Some(first.clone())], first - &one));
                parts.push(([Some(last.clone()), None], last + &one));
                for w in stops.windows(2) {
                    let middle = &(&w[0] + &w[1]) / &Rational::from(2);
                    parts.push(([Some(w[0].clone()), Some(w[1].clone())], middle));
                }
            }
            _ => parts.push(([None, None], Rational::ZERO)),
        }
        parts.into_iter().filter_map(|(part, inside)| self.piece(scene, chosen, part, &inside)).collect()
    }

    fn piece(&self, scene: &Scene, chosen: &[usize], part: Interval, inside: &Rational) -> Option<Piece> {
        let a = self.at(inside);
        let mut edges = Vec::new();
        for t in chosen.iter().map(|&i| &scene.terms[i]) {
            edges.extend(legal_edges(t, t.slip_acceleration(&a).sign()).iter().map(|s| t.edge(*s)));
        }
        let mut interval = Some(part);
        let (w0, mass) = (scene.needed_wrench(&self.start), scene.mass_matrix());
        let slope: V3 = std::array::from_fn(|i| &mass[i] * &self.along[i]);
        for (y, equal) in cone(&edges) {
            let (value, rate) = (dot(&y, &w0), dot(&y, &slope));
            interval = narrow(interval?, &value, &rate);
            if equal {
                interval = narrow(interval?, &-&value, &-&rate);
            }
        }
        for t in scene.terms.iter().filter(|t| t.motion != Motion::Separating) {
            interval = narrow(interval?, &t.gap_acceleration(&self.start), &dot(&t.normal, &self.along));
        }
        let ends = interval?.map(|c| c.map(|c| self.at(&c)));
        Some(Piece { step: Step::PlaneOfNormals(chosen.to_vec()), ends, along: self.along.clone() })
    }
}

/// The part of an interval where value + rate·c ≥ 0.
fn narrow([low, high]: Interval, value: &Rational, rate: &Rational) -> Option<Interval> {
    let (low, high) = match rate.sign() {
        Ordering::Equal if value.sign() == Ordering::Less => return None,
        Ordering::Equal => (low, high),
        Ordering::Greater => (Some(low.map_or(&(-value) / rate, |l| l.max(&(-value) / rate))), high),
        Ordering::Less => (low, Some(high.map_or(&(-value) / rate, |h| h.min(&(-value) / rate)))),
    };
    let empty = matches!((&low, &high), (Some(l), Some(h)) if l > h);
    (!empty).then_some([low, high])
}

/// §5.4.7: without friction, the reaction of contacts whose normals span a plane is the projection of the negative
/// effective force −(F + m h′) onto that plane. `None` when the normals do not span a plane, the gap equations
/// contradict each other, or the projection is not a positive sum of the normals.
pub fn frictionless_projection(case: &Case, contacts: &[usize], options: &Options) -> Result<Option<V3>, Error> {
    let scene = Scene::new(case, &options.speed_tolerance)?;
    if contacts.iter().any(|&i| i >= scene.terms.len()) {
        return Ok(None);
    }
    let Some(line) = Line::new(&scene, contacts) else { return Ok(None) };
    // The wrench M(−h′ + c t) − F is normal to t in the M⁻¹ metric of forces: t·(M a − F) = 0 gives c.
    let t = &line.along;
    let mass = scene.mass_matrix();
    let heavy: V3 = std::array::from_fn(|i| &mass[i] * &t[i]);
    let c = &(-&dot(t, &scene.needed_wrench(&line.start))) / &dot(t, &heavy);
    let wrench = scene.needed_wrench(&line.at(&c));
    let normals: Vec<V3> = contacts.iter().map(|&i| scene.terms[i].normal.clone()).collect();
    let inside = cone(&normals).iter().all(|(y, equal)| match dot(y, &wrench).sign() {
        Ordering::Less => false,
        Ordering::Greater => !equal,
        Ordering::Equal => true,
    });
    Ok(inside.then_some(wrench))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn q(text: &str) -> Rational {
        text.parse().unwrap()
    }

    /// Table 1, row by row: contact velocity, then (for none) slip acceleration; I⁺ belongs to the edge N + μT.
    #[test]
    fn legal_edges_follow_table_1() {
        let contact = crate::contact::Contact {
            normal: ["0", "1"].map(q),
            to_com: ["0", "1"].map(q),
            mu: q("1/2"),
            kind: crate::contact::Kind::VertexOnEdge,
        };
        let terms = |vx: &str| {
            let case = Case {
                mass: Rational::ONE,
                gyration_sq: Rational::ONE,
                force: ["0", "0", "0"].map(q),
                velocity: [vx, "0", "0"].map(q),
                contacts: vec![contact.clone()],
            };
            crate::cspace::terms(&case).unwrap().remove(0)
        };
        for acceleration in [Ordering::Less, Ordering::Equal, Ordering::Greater] {
            assert_eq!(legal_edges(&terms("1"), acceleration), [-1], "v·vf > 0: I⁺ empty, I⁻ everything");
            assert_eq!(legal_edges(&terms("-1"), acceleration), [1], "v·vf < 0: I⁺ everything, I⁻ empty");
        }
        assert_eq!(legal_edges(&terms("0"), Ordering::Greater), [-1]);
        assert_eq!(legal_edges(&terms("0"), Ordering::Less), [1]);
        assert_eq!(legal_edges(&terms("0"), Ordering::Equal), [-1, 1]);
    }

    #[test]
    fn an_interval_narrows_to_where_a_linear_function_is_positive() {
        let whole: Interval = [None, None];
        let above = narrow(whole, &q("-2"), &q("1")).unwrap();
        assert_eq!(above, [Some(q("2")), None]);
        let both = narrow(above, &q("6"), &q("-2")).unwrap();
        assert_eq!(both, [Some(q("2")), Some(q("3"))]);
        assert_eq!(narrow(both.clone(), &q("-4"), &q("1")), None);
        assert_eq!(narrow(both, &q("-1"), &q("0")), None);
    }
}

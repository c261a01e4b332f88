//! # Reaction: which contact forces produce an acceleration
//!
//! `solve` ──(an acceleration)──▶ **here** ──(all force distributions)──▶ program
//!
//! - **in**: a [`Case`] and one acceleration of its answer
//! - **out**: [`Reaction`]: the polyhedron of normal and friction forces, its dimension, a range per contact
//! - **not here**: which accelerations are possible (`solve`)
//! - **assumes**: friction as the strict mode at that acceleration allows
//! - **start at** [`reactions`]
//!
//! The wrench M A − F has three components and a body on k contacts up to 2k edge forces, so from three contacts on
//! the forces are rarely determined by rigid-body laws. We give the whole set: extreme distributions push with at
//! most three edges, and squeezes that cancel (a body wedged between walls) use at most four.

use crate::contact::{Case, Error};
use crate::cspace::Scene;
use crate::modes::{Letter, Mode, letters_at};
use crate::number::{Int, Rational};
use crate::polytope::{Budget, Side, Vec4, cone_facets, rank};
use crate::relaxed::{Branch, branches};
use crate::solve::{AccelerationSet, Options};
use std::cmp::Ordering;
use std::rc::Rc;

/// Force of one contact on the body (N).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContactForce {
    /// Along the normal, not negative.
    pub normal: Rational,
    /// Along ts = (ny, −nx).
    pub friction: Rational,
}

/// Smallest and largest value of a force (N); `None` where it has no bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// Smallest.
    pub least: Option<Rational>,
    /// Largest.
    pub most: Option<Rational>,
}

/// All contact forces behind one acceleration.
#[derive(Clone, Debug, PartialEq)]
pub struct Reaction {
    /// The acceleration (m/s², m/s², rad/s²).
    pub acceleration: [Rational; 3],
    /// What the contacts do there, in the strict sense.
    pub mode: Mode,
    /// Extreme force distributions, one force per contact of the case.
    pub vertices: Vec<Vec<ContactForce>>,
    /// Squeezes that cancel: any multiple can be added.
    pub rays: Vec<Vec<ContactForce>>,
    /// Degree of static indeterminacy: dimension of the set of force distributions; 0 means that they are known.
    pub indeterminacy: usize,
    /// Range of each contact's normal force.
    pub normal_ranges: Vec<Range>,
    /// Range of each contact's friction force.
    pub friction_ranges: Vec<Range>,
    /// `false` when the work limit cut the list of vertices or rays short; ranges and indeterminacy are then
    /// lower bounds.
    pub complete: bool,
}

/// Steps of [`Options::max_work`] that one combination of edges costs.
const STEPS_PER_COMBINATION: usize = 100;

/// An edge that may push: wrench = λ·whole, normal force = λ·unit, friction = sign·μ·normal.
struct Edge {
    contact: usize,
    whole: Vec4,
    unit: Rational,
    friction: Rational,
}

/// The forces that produce the acceleration `a`; `None` when no forces do, or a gap closes.
pub fn reactions(case: &Case, a: &[Rational; 3], options: &Options) -> Result<Option<Reaction>, Error> {
    for branch in &branches(case, &options.speed_tolerance)?.0 {
        if let Some(found) = in_branch(case, branch, a, options)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn in_branch(case: &Case, branch: &Branch, a: &[Rational; 3], options: &Options) -> Result<Option<Reaction>, Error> {
    let scene = Scene::new(&branch.case, &options.speed_tolerance)?;
    let closing = |t: &crate::cspace::Terms| match t.gap_rate.sign() {
        Ordering::Less => true,
        Ordering::Equal => t.gap_acceleration(a).sign() == Ordering::Less,
        Ordering::Greater => false,
    };
    if scene.terms.iter().any(closing) {
        return Ok(None);
    }
    let letters = letters_at(&scene, a).0.into_iter().zip(&branch.rules).map(|(l, rule)| rule.applied(l));
    let Some(letters) = letters.collect::<Option<Vec<Letter>>>() else { return Ok(None) };
    let mut mode = Mode(letters);
    let edges = edges(&scene, &mode);
    mode.0.truncate(case.contacts.len());
    let needed = scene.needed_wrench(a);
    let target = Vec4::from_rationals([&Rational::ZERO, &needed[0], &needed[1], &needed[2]]);
    let scale = ratio(&needed, &target);
    let mut budget = Budget::new(options.max_work);
    if !in_cone(&edges, &target, &mut budget) {
        return Ok(None);
    }
    let mut search =
        Search { edges: &edges, budget, solution_steps: STEPS_PER_COMBINATION * (1 + case.contacts.len()) };
    let vertices = search.vertices(&target, &scale);
    let rays = search.rays();
    let mut used: Vec<usize> = vertices.iter().chain(&rays).flatten().map(|(e, _)| *e).collect();
    used.sort_unstable();
    used.dedup();
    let columns = used.iter().map(|&e| edges[e].whole.x.clone()).collect();
    let forces = |solution: &Vec<(usize, Rational)>| {
        let all = distribution(&edges, solution, branch.case.contacts.len());
        if all.len() == case.contacts.len() { all } else { gathered(branch, all, case.contacts.len()) }
    };
    let (mut vertices, mut rays): (Vec<_>, Vec<_>) =
        (vertices.iter().map(forces).collect(), rays.iter().map(forces).collect());
    if branch.case.contacts.len() > case.contacts.len() {
        // Several ways to share one force among the cones of a corner are one way.
        for list in [&mut vertices, &mut rays] {
            list.sort();
            list.dedup();
        }
    }
    // The force of a corner has two components, however many edges share it.
    let owned = |owner: usize| used.iter().filter(|&&e| branch.owners[edges[e].contact] == owner).count().min(2);
    let components: usize = (0..case.contacts.len()).map(owned).sum();
    Ok(Some(Reaction {
        acceleration: a.clone(),
        mode,
        indeterminacy: components.saturating_sub(rank(columns)),
        normal_ranges: ranges(&vertices, &rays, |f| &f.normal),
        friction_ranges: ranges(&vertices, &rays, |f| &f.friction),
        vertices,
        rays,
        complete: !search.budget.is_spent(),
    }))
}

/// The forces behind a whole set: at each of its vertices, then (unless it is a point) at its inner point.
pub fn set_reactions(case: &Case, set: &AccelerationSet, options: &Options) -> Result<Vec<Reaction>, Error> {
    let inner = (set.region.dim > 0).then_some(&set.inner_point);
    let mut all = Vec::new();
    for a in set.region.vertices.iter().chain(inner) {
        all.extend(reactions(case, a, options)?);
    }
    Ok(all)
}

/// Whether the wrench is a sum of edges at all: polynomial, unlike the list of all ways to do it.
fn in_cone(edges: &[Edge], wrench: &Vec4, budget: &mut Budget) -> bool {
    let edges: Vec<Rc<Vec4>> = edges.iter().map(|e| Rc::new(e.whole.clone())).collect();
    cone_facets(&edges, budget).iter().all(|(y, side)| match y.dot_sign(wrench) {
        Ordering::Less => false,
        Ordering::Greater => *side == Side::AtLeast,
        Ordering::Equal => true,
    })
}

/// q such that `v` = q·`whole`; one for the zero vector.
fn ratio(v: &[Rational; 3], whole: &Vec4) -> Rational {
    let scaled = (0..3).find(|&i| !v[i].is_zero()).map(|i| &v[i] / &Rational::from(whole.x[i + 1].clone()));
    scaled.unwrap_or(Rational::ONE)
}

fn edges(scene: &Scene, mode: &Mode) -> Vec<Edge> {
    let mut all = Vec::new();
    for (contact, (t, letter)) in scene.terms.iter().zip(&mode.0).enumerate() {
        let signs: &[i64] = match letter {
            Letter::Apart | Letter::Separate => &[],
            Letter::Stick if t.mu.is_zero() => &[-1],
            Letter::Stick => &[-1, 1],
            Letter::Forward => &[-1],
            Letter::Backward => &[1],
        };
        for &sign in signs {
            let e = t.edge(sign);
            let whole = Vec4::from_rationals([&Rational::ZERO, &e[0], &e[1], &e[2]]);
            // The unit normal force gives e, and e = ratio·whole: so λ·whole needs a normal force λ/ratio.
            let unit = &Rational::ONE / &ratio(&e, &whole);
            all.push(Edge { contact, whole, unit, friction: &t.mu * &Rational::from(sign) });
        }
    }
    all
}

fn distribution(edges: &[Edge], solution: &[(usize, Rational)], contacts: usize) -> Vec<ContactForce> {
    let mut forces = vec![ContactForce { normal: Rational::ZERO, friction: Rational::ZERO }; contacts];
    for (e, lambda) in solution {
        let edge = &edges[*e];
        let normal = lambda * &edge.unit;
        let f = &mut forces[edge.contact];
        f.friction = &f.friction + &(&normal * &edge.friction);
        f.normal = &f.normal + &normal;
    }
    forces
}

/// Adds the forces of second contacts to their owners', in the owner's normal and tangent.
fn gathered(branch: &Branch, mut forces: Vec<ContactForce>, contacts: usize) -> Vec<ContactForce> {
    let extra = forces.split_off(contacts);
    for ((force, contact), owner) in extra.iter().zip(&branch.case.contacts[contacts..]).zip(&branch.owners[contacts..])
    {
        let ([mx, my], [nx, ny]) = (&contact.normal, &branch.case.contacts[*owner].normal);
        let x = &(&force.normal * mx) + &(&force.friction * my);
        let y = &(&force.normal * my) - &(&force.friction * mx);
        let f = &mut forces[*owner];
        f.normal = &f.normal + &(&(&x * nx) + &(&y * ny));
        f.friction = &f.friction + &(&(&x * ny) - &(&y * nx));
    }
    forces
}

fn ranges(
    vertices: &[Vec<ContactForce>],
    rays: &[Vec<ContactForce>],
    part: impl Fn(&ContactForce) -> &Rational,
) -> Vec<Range> {
    let contacts = vertices.first().map_or(0, Vec::len);
    let range = |c: usize| {
        let grows = |sign| rays.iter().any(|r| part(&r[c]).sign() == sign);
        let values = || vertices.iter().map(|v| part(&v[c]));
        Range {
            least: if grows(Ordering::Less) { None } else { values().min().cloned() },
            most: if grows(Ordering::Greater) { None } else { values().max().cloned() },
        }
    };
    (0..contacts).map(range).collect()
}

struct Search<'a> {
    edges: &'a [Edge],
    budget: Budget,
    /// What a found distribution costs: its forces are written out for every contact.
    solution_steps: usize,
}

type Solution = Vec<(usize, Rational)>;

impl Search<'_> {
    /// Independent edges, at most three, that make scale·target with positive forces.
    fn vertices(&mut self, target: &Vec4, scale: &Rational) -> Vec<Solution> {
        let mut found = Vec::new();
        let all = self.edges.len();
        self.subsets(all, 3, &mut |search, subset| {
            let edges: Vec<&Vec4> = subset.iter().map(|&e| &search.edges[e].whole).collect();
            let Some(lambda) = positive_combination(&edges, target) else { return false };
            found.push(subset.iter().copied().zip(lambda.iter().map(|l| l * scale)).collect());
            true
        });
        found
    }

    /// Minimal sets of edges, at most four, that cancel: the last against a positive combination of the others.
    fn rays(&mut self) -> Vec<Solution> {
        let mut found = Vec::new();
        for last in 0..self.edges.len() {
            let against = self.edges[last].whole.negated();
            self.subsets(last, 3, &mut |search, subset| {
                let edges: Vec<&Vec4> = subset.iter().map(|&e| &search.edges[e].whole).collect();
                let Some(lambda) = positive_combination(&edges, &against) else { return false };
                let mut ray: Solution = subset.iter().copied().zip(lambda).collect();
                ray.push((last, Rational::ONE));
                found.push(ray);
                true
            });
        }
        found
    }

    /// Calls `visit` with every subset of 0..n with up to `size` members, while the budget lasts; it says whether
    /// it kept something.
    fn subsets(&mut self, n: usize, size: usize, visit: &mut impl FnMut(&Self, &[usize]) -> bool) {
        fn grow<'a>(
            search: &mut Search<'a>,
            chosen: &mut Vec<usize>,
            n: usize,
            size: usize,
            visit: &mut impl FnMut(&Search<'a>, &[usize]) -> bool,
        ) {
            if search.budget.is_spent() {
                return;
            }
            search.budget.spend(STEPS_PER_COMBINATION);
            if visit(search, chosen) {
                search.budget.spend(search.solution_steps);
            }
            if chosen.len() < size {
                for next in chosen.last().map_or(0, |l| l + 1)..n {
                    chosen.push(next);
                    grow(search, chosen, n, size, visit);
                    chosen.pop();
                }
            }
        }
        grow(self, &mut Vec::new(), n, size, visit);
    }
}

fn cross(a: &Vec4, b: &Vec4) -> [Int; 3] {
    let c = |i: usize, j: usize| &(&a.x[i] * &b.x[j]) - &(&a.x[j] * &b.x[i]);
    [c(2, 3), c(3, 1), c(1, 2)]
}

fn dot(a: &[Int; 3], b: &Vec4) -> Int {
    &(&(&a[0] * &b.x[1]) + &(&a[1] * &b.x[2])) + &(&a[2] * &b.x[3])
}

fn dot3(a: &[Int; 3], b: &[Int; 3]) -> Int {
    &(&(&a[0] * &b[0]) + &(&a[1] * &b[1])) + &(&a[2] * &b[2])
}

/// The strictly positive λ with Σ λᵢ eᵢ = target, for independent edges; `None` when there is none.
fn positive_combination(edges: &[&Vec4], target: &Vec4) -> Option<Vec<Rational>> {
    let zero = |v: &[Int; 3]| v.iter().all(Int::is_zero);
    let (numerators, denominator) = match edges {
        [] => return target.x.iter().all(Int::is_zero).then(Vec::new),
        [a] => {
            let v = [a.x[1].clone(), a.x[2].clone(), a.x[3].clone()];
            if !zero(&cross(a, target)) {
                return None;
            }
            (vec![dot(&v, target)], dot(&v, a))
        }
        [a, b] => {
            let c = cross(a, b);
            if zero(&c) || !dot(&c, target).is_zero() {
                return None;
            }
            (vec![dot3(&cross(target, b), &c), dot3(&cross(a, target), &c)], dot3(&c, &c))
        }
        [a, b, c, ..] => {
            let bc = cross(b, c);
            let parts = vec![dot(&bc, target), dot(&cross(c, a), target), dot(&cross(a, b), target)];
            (parts, dot(&bc, a))
        }
    };
    let sign = denominator.sign();
    if sign == Ordering::Equal || numerators.iter().any(|n| n.sign() != sign) {
        return None;
    }
    Some(numerators.into_iter().map(|n| Rational::reduced(n, denominator.clone())).collect())
}

//! # Modes: which contacts hold, slide or part, without trying all 4ᵏ
//!
//! `cspace` ──(planes, edges)──▶ **here** ──(cells of acceleration space)──▶ `solve`
//!
//! - **in**: gap and slip planes of the contacts that touch
//! - **out**: [`strict_modes`] (kinematics only), [`feasible_modes`] (closed, with the forces that the mode allows)
//! - **not here**: which sets are maximal, connected, or unique (`solve`)
//! - **assumes**: three dimensions of acceleration, whence the counts below
//! - **start at** [`cells`]
//!
//! Accelerations are three numbers however many contacts there are. The set where no gap closes is one polyhedron; a
//! contact can slide or stick only on its faces, and each face is cut by the slip planes of its own contacts alone.
//! So the strict modes number O(k) for contacts in general position (at most 4k + 2 from rest), and finding them
//! takes polynomial time. (Erdmann, §5) expects exponential time, which holds for several bodies.

use crate::contact::{Case, Error};
use crate::cspace::{Facts, Motion, Scene};
use crate::number::Rational;
use crate::polytope::{Bits, Budget, Constraint, Polyhedron, Side, Vec4, cone_facets};
use crate::relaxed::{Branch, Rule, branches};
use crate::solve::{Options, Region};
use std::collections::HashSet;
use std::fmt;
use std::rc::Rc;

/// What one contact does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Letter {
    /// `-`: separating by velocity already; no force.
    Apart,
    /// `S`: the gap opens (closed sets: does not close); no force.
    Separate,
    /// `F`: no slip; any force inside the cone.
    Stick,
    /// `P`: slip along +ts; full friction along −ts.
    Forward,
    /// `N`: slip along −ts; full friction along +ts.
    Backward,
}

impl Letter {
    fn symbol(self) -> char {
        match self {
            Letter::Apart => '-',
            Letter::Separate => 'S',
            Letter::Stick => 'F',
            Letter::Forward => 'P',
            Letter::Backward => 'N',
        }
    }
}

/// One letter per contact of the case, printed as a word such as `SFP-`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mode(pub Vec<Letter>);

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word: String = self.0.iter().map(|l| l.symbol()).collect();
        f.pad(&word)
    }
}

/// A mode that motion alone allows, with the dimension of its set of accelerations.
#[derive(Clone, Debug, PartialEq)]
pub struct StrictMode {
    /// Letters in the strict sense: `S` opens, `P` and `N` start to slip, `F` does neither.
    pub mode: Mode,
    /// Dimension of the accelerations, 0 to 3.
    pub dim: usize,
}

/// A list that may have been cut short.
#[derive(Clone, Debug, PartialEq)]
pub struct Listing<T> {
    /// What was found.
    pub items: Vec<T>,
    /// Whether the list is whole; `false` when a limit of [`Options`] was reached.
    pub complete: bool,
}

/// A closed mode that has accelerations, and which.
#[derive(Clone, Debug, PartialEq)]
pub struct FeasibleMode {
    /// Letters in the closed sense: boundaries belong to every neighbour.
    pub mode: Mode,
    /// The accelerations.
    pub region: Region,
}

/// A piece of acceleration space where every contact does one thing. Letters are those of the active contacts.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) letters: Vec<Letter>,
    /// Closure of the piece.
    pub(crate) closure: Polyhedron,
    /// Number of the face it lies on, in [`Cells::faces`].
    pub(crate) face: usize,
}

/// All pieces.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    pub(crate) faces: Vec<Polyhedron>,
    pub(crate) cells: Vec<Cell>,
}

/// Every strict kinematic mode: faces of {gaps do not close}, each divided by the slip planes of its contacts.
pub(crate) fn cells(scene: &Scene, budget: &mut Budget) -> Cells {
    let mut allowed = Polyhedron::everything();
    let first = allowed.next_cut();
    for c in &scene.active {
        allowed = allowed.cut(&c.gap, Side::AtLeast, budget);
        if allowed.is_empty() || budget.is_spent() {
            return Cells { faces: Vec::new(), cells: Vec::new() };
        }
    }
    let mut found = Cells { faces: Vec::new(), cells: Vec::new() };
    for (face, tight) in faces(&allowed, first..first + scene.active.len(), budget) {
        let letters = (0..scene.active.len())
            .map(|i| if tight.contains(first + i) { slide_letter(&scene.active[i]) } else { Some(Letter::Separate) });
        let start = Partial { letters: letters.collect(), closure: face.clone() };
        divide(scene, start, found.faces.len(), &mut found.cells, budget);
        found.faces.push(face);
    }
    found
}

/// The faces that hold points, from the whole down to the vertices, with the planes each lies on.
fn faces(whole: &Polyhedron, cuts: std::ops::Range<usize>, budget: &mut Budget) -> Vec<(Polyhedron, Bits)> {
    let tight = whole.tight_everywhere();
    let mut seen = HashSet::from([tight.clone()]);
    let mut all = vec![(whole.clone(), tight)];
    let mut next = 0;
    while next < all.len() && !budget.is_spent() {
        for cut in cuts.clone() {
            if all[next].1.contains(cut) || !all[next].0.touches(cut) {
                continue;
            }
            let face = all[next].0.face(cut);
            budget.spend(face.size());
            let tight = face.tight_everywhere();
            if seen.insert(tight.clone()) {
                all.push((face, tight));
            }
        }
        next += 1;
    }
    all
}

/// Letter of a contact that holds, where the velocity decides it.
fn slide_letter(c: &Facts) -> Option<Letter> {
    match c.motion {
        Motion::SlidingForward => Some(Letter::Forward),
        Motion::SlidingBackward => Some(Letter::Backward),
        _ => None,
    }
}

struct Partial {
    letters: Vec<Option<Letter>>,
    closure: Polyhedron,
}

/// Decides the remaining letters one slip plane at a time; a plane through the inside makes three pieces.
fn divide(scene: &Scene, mut part: Partial, face: usize, cells: &mut Vec<Cell>, budget: &mut Budget) {
    while let Some(i) = part.letters.iter().position(Option::is_none) {
        let c = &scene.active[i];
        part.letters[i] = Some(match part.closure.signs(&c.slip) {
            (false, false) => Letter::Stick,
            (false, true) => Letter::Forward,
            (true, false) => Letter::Backward,
            (true, true) => {
                for (letter, plane, side) in [
                    (Letter::Stick, &c.slip, Side::Equal),
                    (Letter::Forward, &c.slip, Side::AtLeast),
                    (Letter::Backward, &c.slip_back, Side::AtLeast),
                ] {
                    if budget.is_spent() {
                        return;
                    }
                    let mut letters = part.letters.clone();
                    letters[i] = Some(letter);
                    let closure = part.closure.clone().cut(plane, side, budget);
                    divide(scene, Partial { letters, closure }, face, cells, budget);
                }
                return;
            }
        });
    }
    let letters = part.letters.into_iter().flatten().collect();
    cells.push(Cell { letters, closure: part.closure, face });
}

/// What a closed mode asks of the motion.
pub(crate) fn motion_constraints(c: &Facts, letter: Letter) -> Vec<Constraint> {
    let gap = |side| Constraint { plane: c.gap.clone(), side };
    let slip = |plane: &Rc<Vec4>, side| Constraint { plane: plane.clone(), side };
    let resting = c.motion == Motion::Resting;
    match letter {
        Letter::Apart => vec![],
        Letter::Separate => vec![gap(Side::AtLeast)],
        Letter::Stick => vec![gap(Side::Equal), slip(&c.slip, Side::Equal)],
        Letter::Forward if resting => vec![gap(Side::Equal), slip(&c.slip, Side::AtLeast)],
        Letter::Backward if resting => vec![gap(Side::Equal), slip(&c.slip_back, Side::AtLeast)],
        Letter::Forward | Letter::Backward => vec![gap(Side::Equal)],
    }
}

/// Edges of the friction cone that a letter lets a contact push with.
pub(crate) fn edges(c: &Facts, letter: Letter) -> &[Rc<Vec4>] {
    match letter {
        Letter::Apart | Letter::Separate => &[],
        Letter::Stick if c.frictionless => &c.edges[..1],
        Letter::Stick => &c.edges,
        Letter::Forward => &c.edges[..1],
        Letter::Backward => &c.edges[1..],
    }
}

/// What the forces of a mode ask of the acceleration: M A − F lies in the cone of the mode's edges.
pub(crate) fn force_constraints(scene: &Scene, letters: &[Letter], budget: &mut Budget) -> Vec<Constraint> {
    let all: Vec<Rc<Vec4>> = scene.active.iter().zip(letters).flat_map(|(c, l)| edges(c, *l).iter().cloned()).collect();
    cone_constraints(scene, &all, budget)
}

fn cone_constraints(scene: &Scene, edges: &[Rc<Vec4>], budget: &mut Budget) -> Vec<Constraint> {
    let facets = cone_facets(edges, budget);
    facets.into_iter().map(|(y, side)| Constraint { plane: Rc::new(scene.force_plane(&y)), side }).collect()
}

/// Letters for all contacts of the case from those of the active ones.
pub(crate) fn full_mode(scene: &Scene, letters: &[Letter]) -> Mode {
    let mut all = vec![Letter::Apart; scene.terms.len()];
    for (c, l) in scene.active.iter().zip(letters) {
        all[c.index] = *l;
    }
    Mode(all)
}

/// What every contact does at the acceleration `a`, in the strict sense.
pub(crate) fn letters_at(scene: &Scene, a: &[Rational; 3]) -> Mode {
    use std::cmp::Ordering::{Greater, Less};
    let at = |t: &crate::cspace::Terms| match (t.motion, t.gap_acceleration(a).sign()) {
        (Motion::Separating, _) => Letter::Apart,
        (_, Greater) => Letter::Separate,
        (Motion::SlidingForward, _) => Letter::Forward,
        (Motion::SlidingBackward, _) => Letter::Backward,
        _ => match t.slip_acceleration(a).sign() {
            Greater => Letter::Forward,
            Less => Letter::Backward,
            _ => Letter::Stick,
        },
    };
    Mode(scene.terms.iter().map(at).collect())
}

/// Every mode that motion alone allows, in the strict sense: which contacts can open, slip or stick together.
///
/// Forces play no part. A contact that approaches is treated as touching.
pub fn strict_modes(case: &Case, options: &Options) -> Result<Listing<StrictMode>, Error> {
    let (branches, whole) = branches(case, &options.speed_tolerance)?;
    let mut budget = Budget::new(options.max_work);
    let mut items: Vec<StrictMode> = Vec::new();
    for branch in &branches {
        let scene = Scene::new(&branch.case, &options.speed_tolerance)?;
        for c in &cells(&scene, &mut budget).cells {
            let Some(dim) = c.closure.dim() else { continue };
            let Some(mode) = ruled_mode(&scene, branch, &c.letters, case.contacts.len()) else { continue };
            match items.iter_mut().find(|m| branches.len() > 1 && m.mode == mode) {
                Some(same) => same.dim = same.dim.max(dim),
                None => items.push(StrictMode { mode, dim }),
            }
        }
    }
    Ok(Listing { items, complete: whole && !budget.is_spent() })
}

/// Letters of the case's own contacts by the rules of a branch; `None` where the branch has no say.
fn ruled_mode(scene: &Scene, branch: &Branch, letters: &[Letter], contacts: usize) -> Option<Mode> {
    let all = full_mode(scene, letters).0.into_iter().zip(&branch.rules);
    let mut ruled = all.map(|(l, rule)| rule.applied(l)).collect::<Option<Vec<Letter>>>()?;
    ruled.truncate(contacts);
    Some(Mode(ruled))
}

/// Every closed mode with accelerations and forces that obey it, in the order S, F, P, N of the letters.
///
/// Their number can be exponential (a body that rests on k contacts lists most of 4ᵏ), so the list stops at
/// `options.max_modes`; [`crate::solve`] does not need it. With an approaching contact the list is empty.
pub fn feasible_modes(case: &Case, options: &Options) -> Result<Listing<FeasibleMode>, Error> {
    let (branches, whole) = branches(case, &options.speed_tolerance)?;
    let mut items: Vec<FeasibleMode> = Vec::new();
    let (mut complete, mut budget) = (whole, Budget::new(options.max_work));
    for branch in &branches {
        let scene = Scene::new(&branch.case, &options.speed_tolerance)?;
        let limit = options.max_modes.saturating_sub(items.len());
        let mut walk = Walk { scene: &scene, rules: &branch.rules, limit, budget, items: Vec::new(), complete: true };
        if scene.active.len() > MAX_DEPTH {
            walk.complete = false;
        } else if scene.active.iter().all(|c| c.motion != Motion::Approaching) {
            walk.descend(&mut Vec::new(), Polyhedron::everything(), &mut Vec::new());
        }
        complete &= walk.complete;
        budget = walk.budget;
        for mut mode in walk.items {
            mode.mode.0.truncate(case.contacts.len());
            // A vertex on a vertex lists one word for each side it may take.
            if branches.len() == 1 || !items.contains(&mode) {
                items.push(mode);
            }
        }
    }
    Ok(Listing { complete, items })
}

/// Most contacts that the listing takes on: it descends one level per contact.
const MAX_DEPTH: usize = 1000;

/// Depth-first over the contacts, leaving a branch when its motions are empty or its forces out of reach.
struct Walk<'a> {
    scene: &'a Scene,
    rules: &'a [Rule],
    limit: usize,
    budget: Budget,
    items: Vec<FeasibleMode>,
    complete: bool,
}

impl Walk<'_> {
    fn descend(&mut self, letters: &mut Vec<Letter>, motions: Polyhedron, pushes: &mut Vec<Rc<Vec4>>) {
        if self.budget.is_spent() || self.items.len() >= self.limit {
            self.complete = false;
            return;
        }
        // The cone of what was chosen and of all that could still be chosen bounds every leaf below.
        let rest = self.scene.active[letters.len()..].iter().flat_map(|c| possible_edges(c).iter().cloned());
        let reach: Vec<Rc<Vec4>> = pushes.iter().cloned().chain(rest).collect();
        let forces = cone_constraints(self.scene, &reach, &mut self.budget);
        let possible = motions.clone().cut_all(&forces, &mut self.budget);
        if possible.is_empty() {
            return;
        }
        let Some(c) = self.scene.active.get(letters.len()) else {
            let mode = full_mode(self.scene, letters);
            self.items.push(FeasibleMode { mode, region: Region::new(&possible) });
            return;
        };
        for &letter in possible_letters(c) {
            // In a branch of a vertex on a vertex some letters belong to another branch.
            if self.rules[c.index].applied(letter) != Some(letter) {
                continue;
            }
            let cut = motions.clone().cut_all(&motion_constraints(c, letter), &mut self.budget);
            if cut.is_empty() {
                continue;
            }
            let before = pushes.len();
            pushes.extend(edges(c, letter).iter().cloned());
            letters.push(letter);
            self.descend(letters, cut, pushes);
            letters.pop();
            pushes.truncate(before);
        }
    }
}

fn possible_letters(c: &Facts) -> &'static [Letter] {
    use Letter::{Backward, Forward, Separate, Stick};
    match c.motion {
        Motion::SlidingForward => &[Separate, Forward],
        Motion::SlidingBackward => &[Separate, Backward],
        _ => &[Separate, Stick, Forward, Backward],
    }
}

fn possible_edges(c: &Facts) -> &[Rc<Vec4>] {
    edges(c, slide_letter(c).unwrap_or(Letter::Stick))
}

//! # Solve: all accelerations, and whether there is one, several or none
//!
//! `modes` ──(cells)──▶ **here** ──(`Answer`)──▶ program
//!
//! - **in**: a [`Case`] and [`Options`]
//! - **out**: [`Answer`]: sets maximal by inclusion among those of all closed modes, components, dimension, status
//! - **not here**: the forces behind an acceleration (`reaction`)
//! - **assumes**: the rigid-body laws; several answers or none are answers
//! - **start at** [`solve`]

use crate::contact::{Case, Error, Warning};
use crate::cspace::{Facts, Motion, Scene};
use crate::modes::{Cell, Cells, Letter, Mode, cells, force_constraints, full_mode, letters_at, motion_constraints};
use crate::number::Rational;
use crate::polytope::{Budget, Constraint, Polyhedron};
use crate::relaxed::{Rule, branches};

/// How much to do before giving a partial answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Steps of polyhedron work (one step: one generator looked at, some 0.2 µs); beyond, the answer is partial and
    /// marked so.
    pub max_work: u64,
    /// Most modes that [`crate::feasible_modes`] lists.
    pub max_modes: usize,
    /// A gap rate or slip up to this fraction of the contact's own speed scale counts as zero, with a warning.
    /// Decimals of sixteen digits need it; give zero for rationals meant literally.
    pub speed_tolerance: Rational,
}

impl Default for Options {
    fn default() -> Options {
        let speed_tolerance = Rational::new(1, 1_000_000_000_000).expect("not zero");
        Options { max_work: 20_000_000, max_modes: 10_000, speed_tolerance }
    }
}

/// What kind of answer it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Exactly one acceleration.
    Unique,
    /// More than one.
    Ambiguous,
    /// None: the laws contradict each other (Painlevé).
    Inconsistent,
    /// Some contact approaches: an impact comes first.
    InvalidImpact,
    /// The work limit was reached before one could tell; the sets found so far are valid, others may exist.
    Unfinished,
}

impl Status {
    /// The word used in files.
    pub fn name(self) -> &'static str {
        match self {
            Status::Unique => "unique",
            Status::Ambiguous => "ambiguous",
            Status::Inconsistent => "inconsistent",
            Status::InvalidImpact => "invalid_impact",
            Status::Unfinished => "unfinished",
        }
    }
}

/// A closed convex polyhedron of accelerations (ax, ay, α): hull of the vertices plus rays plus lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// Dimension, 0 (a point) to 3.
    pub dim: usize,
    /// Extreme points (m/s², m/s², rad/s²), sorted; with lines, one point per class.
    pub vertices: Vec<[Rational; 3]>,
    /// Directions to infinity, as whole numbers without common factor.
    pub rays: Vec<[Rational; 3]>,
    /// Directions unbounded both ways, likewise.
    pub lines: Vec<[Rational; 3]>,
}

impl Region {
    pub(crate) fn new(p: &Polyhedron) -> Region {
        let mut vertices: Vec<_> = p.points().map(|v| v.point()).collect();
        vertices.sort();
        let mut rays: Vec<_> = p.rays().map(|v| v.direction()).collect();
        rays.sort();
        let lines = p.lines().map(|v| v.direction()).collect();
        Region { dim: p.dim().unwrap_or(0), vertices, rays, lines }
    }

    /// Vertices as the nearest `f64`.
    pub fn vertices_f64(&self) -> Vec<[f64; 3]> {
        self.vertices.iter().map(|v| [v[0].to_f64(), v[1].to_f64(), v[2].to_f64()]).collect()
    }

    /// Rays of unit length.
    pub fn rays_f64(&self) -> Vec<[f64; 3]> {
        self.rays.iter().map(unit).collect()
    }

    /// Lines as directions of unit length.
    pub fn lines_f64(&self) -> Vec<[f64; 3]> {
        self.lines.iter().map(unit).collect()
    }
}

/// Unit vector along `v`; scaled first, since its whole numbers may exceed the range of `f64`.
fn unit(v: &[Rational; 3]) -> [f64; 3] {
    let largest = v.iter().map(Rational::abs).max().filter(|m| !m.is_zero()).unwrap_or(Rational::ONE);
    let s: [f64; 3] = std::array::from_fn(|i| (&v[i] / &largest).to_f64());
    let length = (s[0] * s[0] + s[1] * s[1] + s[2] * s[2]).sqrt();
    s.map(|x| x / length)
}

/// One maximal set of accelerations.
#[derive(Clone, Debug, PartialEq)]
pub struct AccelerationSet {
    /// Number of the connected component it belongs to, from 0.
    pub component: usize,
    /// A closed mode that produces the whole set: which contacts may push, and how.
    pub mode: Mode,
    /// What the contacts do at a point of the relative interior, in the strict sense.
    pub kinematic_mode: Mode,
    /// That point (m/s², m/s², rad/s²).
    pub inner_point: [Rational; 3],
    /// The accelerations.
    pub region: Region,
}

/// A contact that closes.
#[derive(Clone, Debug, PartialEq)]
pub struct Approach {
    /// Which contact.
    pub contact: usize,
    /// How fast the gap closes (m/s), positive.
    pub speed: Rational,
}

/// Every acceleration that the laws allow.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// One, several or none.
    pub status: Status,
    /// The complete set is the union of these; sets inside another are left out.
    pub sets: Vec<AccelerationSet>,
    /// Connected components of the union.
    pub components: usize,
    /// Largest dimension of a set; `None` when there is none.
    pub dim: Option<usize>,
    /// Contacts that approach; not empty only for [`Status::InvalidImpact`].
    pub approaching: Vec<Approach>,
    /// Strict kinematic modes looked at.
    pub modes_tried: usize,
    /// Steps of work spent, in the unit of [`Options::max_work`].
    pub work: u64,
    /// Whether the search ended; `false` means that there may be more sets.
    pub complete: bool,
    /// What else should be known.
    pub warnings: Vec<Warning>,
}

/// A set with the constraints that define it, for asking what lies inside.
struct Candidate {
    /// Number of its branch.
    branch: usize,
    letters: Vec<Letter>,
    set: Polyhedron,
    constraints: Vec<Constraint>,
}

impl Candidate {
    fn contains(&self, other: &Candidate) -> bool {
        self.constraints.iter().all(|c| other.set.satisfies(c))
    }
}

/// All accelerations of the body of `case`.
///
/// At an acceleration A each contact does one thing, which says with which cone edges it may push; A is an answer when
/// M A − F is a sum of those. Each cell of [`crate::strict_modes`] thus gives one closed polyhedron (perhaps empty),
/// and their union is the answer. A contact that holds without pushing may start to slip either way inside one closed
/// mode: such sets join cells of one face, and are built from pairs of cells that both have answers. (Pairs suffice:
/// on an edge slip planes are points, and on a facet they all pass through one point, so that the planes a convex set
/// crosses are those between its two outermost cells.)
///
/// ```
/// use fingerpad_planar::{Case, Contact, Kind, Options, Rational, Status, solve};
/// let q = |text: &str| text.parse::<Rational>().unwrap();
/// // Painlevé: a rod leaning at tan θ = 2 with μ = 1.4, pushed so that friction turns its tip into the floor.
/// let case = Case {
///     mass: q("1"),
///     gyration_sq: q("5/3"),
///     force: ["0", "-9.81", "0"].map(q),
///     velocity: ["-1", "0", "0"].map(q),
///     contacts: vec![Contact {
///         normal: ["0", "1"].map(q),
///         to_com: ["1", "2"].map(q),
///         mu: q("1.4"),
///         kind: Kind::VertexOnEdge,
///     }],
/// };
/// assert_eq!(solve(&case, &Options::default()).unwrap().status, Status::Inconsistent);
/// ```
pub fn solve(case: &Case, options: &Options) -> Result<Answer, Error> {
    let (branches, whole) = branches(case, &options.speed_tolerance)?;
    let mut scenes: Vec<Scene> = Vec::new();
    let mut budget = Budget::new(options.max_work);
    let (mut all, mut modes_tried) = (Vec::new(), 0);
    for (k, branch) in branches.iter().enumerate() {
        let scene = Scene::new(&branch.case, &options.speed_tolerance)?;
        // What the velocity says is the same in every branch.
        let approaching = approaching(&scene);
        if !approaching.is_empty() {
            return Ok(impact(approaching, scene.warnings));
        }
        let found = cells(&scene, &mut budget);
        all.extend(candidates(&scene, &found, (k, &branch.rules), &mut budget));
        modes_tried += found.cells.len();
        scenes.push(scene);
    }
    let candidates = maximal(all);
    let component = components(&candidates, &mut budget);
    let complete = whole && !budget.is_spent();
    let contacts = case.contacts.len();
    let set = |(c, component): (&Candidate, &usize)| {
        let inner_point = c.set.inner_point()?;
        let scene = &scenes[c.branch];
        let ruled = |(l, rule): (&Letter, &Rule)| rule.applied(*l).unwrap_or(*l);
        let strict = letters_at(scene, &inner_point).0;
        let strict = strict.iter().zip(&branches[c.branch].rules).map(ruled).take(contacts).collect();
        let mut mode = full_mode(scene, &c.letters);
        mode.0.truncate(contacts);
        Some(AccelerationSet {
            component: *component,
            mode,
            kinematic_mode: Mode(strict),
            inner_point,
            region: Region::new(&c.set),
        })
    };
    let sets: Vec<AccelerationSet> = candidates.iter().zip(&component).filter_map(set).collect();
    let dim = sets.iter().map(|s| s.region.dim).max();
    let mut warnings = scenes.into_iter().next().map_or_else(Vec::new, |s| s.warnings);
    warnings.retain(|w| w.contact().is_none_or(|c| c < contacts));
    if !complete {
        warnings.push(Warning::WorkLimit { contacts: case.contacts.len(), steps: budget.spent });
    }
    let status = match (sets.len(), dim) {
        (2.., _) | (1, Some(1..)) => Status::Ambiguous, // true even when there is more to find
        _ if !complete => Status::Unfinished,
        (1, _) => Status::Unique,
        _ => Status::Inconsistent,
    };
    Ok(Answer {
        status,
        sets,
        components: component.iter().max().map_or(0, |c| c + 1),
        dim,
        approaching: Vec::new(),
        modes_tried,
        work: budget.spent,
        complete,
        warnings,
    })
}

fn impact(approaching: Vec<Approach>, warnings: Vec<Warning>) -> Answer {
    Answer {
        status: Status::InvalidImpact,
        sets: Vec::new(),
        components: 0,
        dim: None,
        approaching,
        modes_tried: 0,
        work: 0,
        complete: true,
        warnings,
    }
}

fn approaching(scene: &Scene) -> Vec<Approach> {
    let closing = scene.terms.iter().enumerate().filter(|(_, t)| t.motion == Motion::Approaching);
    closing.map(|(contact, t)| Approach { contact, speed: t.gap_rate.abs() }).collect()
}

/// The sets of all cells, and of the joined cells of one face.
fn candidates(scene: &Scene, found: &Cells, (branch, rules): (usize, &[Rule]), budget: &mut Budget) -> Vec<Candidate> {
    let mut all = Vec::new();
    let mut feasible: Vec<(&Cell, Vec<Letter>)> = Vec::new();
    let ruled = |(l, c): (&Letter, &Facts)| rules[c.index].applied(*l);
    for cell in &found.cells {
        if budget.is_spent() {
            return all;
        }
        let letters: Option<Vec<Letter>> = cell.letters.iter().zip(&scene.active).map(ruled).collect();
        let Some(letters) = letters else { continue };
        if let Some(c) = candidate(scene, branch, letters.clone(), &cell.closure, budget) {
            all.push(c);
            feasible.push((cell, letters));
        }
    }
    for (i, (a, a_letters)) in feasible.iter().enumerate() {
        for (b, b_letters) in &feasible[..i] {
            if a.face != b.face || budget.is_spent() {
                continue;
            }
            let letters = joined(a_letters, b_letters);
            if letters == *a_letters || letters == *b_letters {
                continue;
            }
            let planes: Vec<Constraint> =
                scene.active.iter().zip(&letters).flat_map(|(c, l)| motion_constraints(c, *l)).collect();
            let closure = found.faces[a.face].clone().cut_all(&planes, budget);
            all.extend(candidate(scene, branch, letters, &closure, budget));
        }
    }
    all
}

/// The weakest mode that holds in both cells: opposite slips leave a contact that touches without pushing.
fn joined(a: &[Letter], b: &[Letter]) -> Vec<Letter> {
    let join = |(a, b): (&Letter, &Letter)| match (a, b) {
        (a, b) if a == b => *a,
        (Letter::Stick, other) | (other, Letter::Stick) => *other,
        _ => Letter::Separate,
    };
    a.iter().zip(b).map(join).collect()
}

fn candidate(
    scene: &Scene,
    branch: usize,
    letters: Vec<Letter>,
    closure: &Polyhedron,
    budget: &mut Budget,
) -> Option<Candidate> {
    let forces = force_constraints(scene, &letters, budget);
    let set = closure.clone().cut_all(&forces, budget);
    if set.is_empty() || budget.is_spent() {
        return None; // a set cut only in part would claim too much
    }
    let motions = scene.active.iter().zip(&letters).flat_map(|(c, l)| motion_constraints(c, *l));
    let constraints = motions.chain(forces).collect();
    Some(Candidate { branch, letters, set, constraints })
}

/// Leaves out every set inside another; of equal sets the first stays.
fn maximal(all: Vec<Candidate>) -> Vec<Candidate> {
    let mut kept: Vec<Candidate> = Vec::new();
    for c in all {
        if kept.iter().any(|k| k.contains(&c)) {
            continue;
        }
        kept.retain(|k| !c.contains(k));
        kept.push(c);
    }
    kept
}

/// Number of the connected component of each set: closed convex sets that meet are connected.
fn components(sets: &[Candidate], budget: &mut Budget) -> Vec<usize> {
    let mut root: Vec<usize> = (0..sets.len()).collect();
    for i in 0..sets.len() {
        for j in 0..i {
            if root[i] != root[j] && !sets[i].set.clone().cut_all(&sets[j].constraints, budget).is_empty() {
                let (old, new) = (root[i].max(root[j]), root[i].min(root[j]));
                root.iter_mut().filter(|r| **r == old).for_each(|r| *r = new);
            }
        }
    }
    let mut names: Vec<usize> = root.clone();
    names.sort_unstable();
    names.dedup();
    root.iter().map(|r| names.binary_search(r).unwrap_or(0)).collect()
}

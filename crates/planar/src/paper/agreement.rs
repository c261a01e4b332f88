//! # Agreement: the paper's procedure beside the complete answer
//!
//! `procedure`, `solve` ──▶ **here** ──([`Agreement`])──▶ program, tests
//!
//! - **in**: a [`Case`] and its complete [`Answer`]
//! - **out**: whether every piece of the procedure is an answer, whether every answer was found, and whether the text claims
//!   that it would be
//! - **not here**: either computation
//! - **assumes**: sets are compared at corners, an inner point and points between; rays at two points
//! - **start at** [`compare`]

use super::{Piece, V3, add, cross, dot, is_zero, procedure};
use crate::contact::{Case, Error};
use crate::cspace::{Motion, Scene, Terms};
use crate::number::Rational;
use crate::reaction::reactions;
use crate::relaxed::is_relaxed;
use crate::solve::{Answer, Options};
use std::cmp::Ordering;

/// Why the text does not claim to find everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// Two contacts with parallel normals in configuration space (§5.4.5 leaves them out).
    ParallelNormals,
    /// A friction cone that dips below its tangent plane (§4.4 excludes it).
    ConeBelowTangentPlane,
    /// A vertex on a vertex (footnotes 1 and 2 mention it).
    VertexOnVertex,
    /// An impact, or too many contacts for all subsets: the procedure was not run.
    NotRun,
}

impl Gap {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Gap::ParallelNormals => "two normals are parallel, which §5.4.5 leaves out",
            Gap::ConeBelowTangentPlane => "a friction cone dips below its tangent plane, which §4.4 excludes",
            Gap::VertexOnVertex => "a vertex touches a vertex, which the footnotes only mention",
            Gap::NotRun => "an impact, or too many contacts for all subsets",
        }
    }
}

/// The procedure's pieces, and how they compare.
#[derive(Clone, Debug, PartialEq)]
pub struct Agreement {
    /// What the procedure found.
    pub pieces: Vec<Piece>,
    /// Why the text does not claim to be complete; `None` where it does.
    pub gap: Option<Gap>,
    /// Every piece is an answer: forces exist for it.
    pub sound: bool,
    /// Every answer is on a piece.
    pub whole: bool,
}

impl Agreement {
    /// Whether the procedure keeps what it promises: nothing wrong, and nothing missed where it claims to be complete.
    pub fn holds(&self) -> bool {
        self.sound && (self.whole || self.gap.is_some())
    }
}

/// Runs the procedure beside the complete answer of the same case.
pub fn compare(case: &Case, answer: &Answer, options: &Options) -> Result<Agreement, Error> {
    let Some(pieces) = procedure(case, options)? else {
        let gap = if is_relaxed(case) { Gap::VertexOnVertex } else { Gap::NotRun };
        return Ok(Agreement { pieces: Vec::new(), gap: Some(gap), sound: true, whole: answer.sets.is_empty() });
    };
    let mut sound = true;
    for a in pieces.iter().flat_map(samples) {
        sound &= reactions(case, &a, options)?.is_some();
    }
    let found = |a: &V3| pieces.iter().any(|p| on(p, a));
    let mut whole = true;
    for set in &answer.sets {
        let corners = &set.region.vertices;
        whole &= corners.iter().all(found) && found(&set.inner_point) && set.region.lines.is_empty();
        for corner in corners {
            whole &= (1..4).all(|k| found(&between(corner, &set.inner_point, &quarter(k))));
            whole &=
                set.region.rays.iter().all(|r| [1, 1000].iter().all(|f| found(&add(corner, &Rational::from(*f), r))));
        }
    }
    Ok(Agreement { pieces, gap: gap(case, options)?, sound, whole })
}

fn quarter(k: i64) -> Rational {
    &Rational::from(k) / &Rational::from(4)
}

fn between(a: &V3, b: &V3, share: &Rational) -> V3 {
    std::array::from_fn(|i| &a[i] + &(share * &(&b[i] - &a[i])))
}

/// Ends of a piece, and points between or beyond.
fn samples(piece: &Piece) -> Vec<V3> {
    match &piece.ends {
        [Some(a), Some(b)] if a == b => vec![a.clone()],
        [Some(a), Some(b)] => (0..5).map(|k| between(a, b, &quarter(k))).collect(),
        [Some(a), None] => [0, 1, 1000].map(|f| add(a, &Rational::from(f), &piece.along)).to_vec(),
        [None, Some(b)] => [0, -1, -1000].map(|f| add(b, &Rational::from(f), &piece.along)).to_vec(),
        [None, None] => Vec::new(),
    }
}

/// Whether `a` lies on the piece: between its ends along its direction.
fn on(piece: &Piece, a: &V3) -> bool {
    let Some(start) = piece.ends[0].as_ref().or(piece.ends[1].as_ref()) else { return false };
    let d: V3 = std::array::from_fn(|i| &a[i] - &start[i]);
    if is_zero(&d) {
        return true;
    }
    if is_zero(&piece.along) || !is_zero(&cross(&d, &piece.along)) {
        return false;
    }
    let position = dot(a, &piece.along);
    let after = piece.ends[0].as_ref().is_none_or(|e| dot(e, &piece.along) <= position);
    let before = piece.ends[1].as_ref().is_none_or(|e| dot(e, &piece.along) >= position);
    after && before
}

/// Why the text does not claim to find everything.
fn gap(case: &Case, options: &Options) -> Result<Option<Gap>, Error> {
    let scene = Scene::new(case, &options.speed_tolerance)?;
    let touching: Vec<&Terms> = scene.terms.iter().filter(|t| t.motion != Motion::Separating).collect();
    // An edge e is above the tangent plane where N·M⁻¹e > 0.
    let mass = scene.mass_matrix();
    let above = |t: &&Terms| {
        [-1, 1].iter().all(|&s| {
            let e = t.edge(s);
            let per_mass: V3 = std::array::from_fn(|i| &e[i] / &mass[i]);
            dot(&t.normal, &per_mass).sign() == Ordering::Greater
        })
    };
    let parallel = |a: &Terms, b: &Terms| is_zero(&cross(&a.normal, &b.normal));
    if touching.iter().enumerate().any(|(i, a)| touching[..i].iter().any(|b| parallel(a, b))) {
        return Ok(Some(Gap::ParallelNormals));
    }
    Ok((!touching.iter().all(above)).then_some(Gap::ConeBelowTangentPlane))
}

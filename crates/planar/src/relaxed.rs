//! # Relaxed: a vertex on a vertex, where either of two constraints may hold
//!
//! `contact` ──(`Case`)──▶ **here** ──([`Branch`]: cases with plain contacts)──▶ `solve`, `modes`, `reaction`
//!
//! - **in**: a case, perhaps with contacts of kind `VV`
//! - **out**: cases without them, whose answers together are the answer
//! - **not here**: how a branch is answered (`solve`)
//! - **assumes**: a vertex parts from a vertex when its acceleration points away from either extreme side
//! - **start at** [`branches`]
//!
//! Two sharp corners that touch overlap only if the body's vertex enters the cone {d: n₁·d < 0 and n₂·d < 0}. So the
//! constraints (5) of (Erdmann) hold as "either", not as "both" (his footnote 2). While the vertex does not move there
//! are three ways on, each a case of its own: it leaves or slides along the side of n₁ (pushing only while it goes along
//! that side, not past its end), the same for n₂, or it stays, and may then push with both friction cones.

use crate::contact::{Case, Contact, Error, Kind};
use crate::cspace::{Scene, Terms};
use crate::modes::Letter;
use crate::number::Rational;
use std::cmp::Ordering;

/// What a plain contact of a branch may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// Anything.
    Free,
    /// It does not push while it slips this way: past the end of its side there is nothing.
    NoPush(Letter),
    /// It must stick.
    Stick,
}

impl Rule {
    /// The letter that a contact has where it moves as `letter` says; `None` where this branch has no say.
    pub(crate) fn applied(self, letter: Letter) -> Option<Letter> {
        match self {
            Rule::NoPush(forbidden) if forbidden == letter => Some(Letter::Separate),
            Rule::Stick if letter != Letter::Stick => None,
            _ => Some(letter),
        }
    }
}

/// One way on: contacts of the original case first, then second contacts of vertices that stay.
#[derive(Clone, Debug)]
pub(crate) struct Branch {
    pub(crate) case: Case,
    pub(crate) rules: Vec<Rule>,
    /// Contact of the original case that each belongs to.
    pub(crate) owners: Vec<usize>,
}

/// Branches are at most this many; a case with more is answered in part.
const MOST_BRANCHES: usize = 729;

/// The plain contact of one extreme normal.
fn plain(contact: &Contact, second: bool) -> Contact {
    match &contact.kind {
        Kind::VertexOnVertex { other, sides } => Contact {
            normal: if second { other.clone() } else { contact.normal.clone() },
            kind: sides[usize::from(second)].clone(),
            ..contact.clone()
        },
        _ => contact.clone(),
    }
}

/// Whether the case has contacts of kind `VV`.
pub(crate) fn is_relaxed(case: &Case) -> bool {
    case.contacts.iter().any(|c| matches!(c.kind, Kind::VertexOnVertex { .. }))
}

/// The branches of a case, and whether they are all; one for a case without `VV`.
pub(crate) fn branches(case: &Case, speed_tolerance: &Rational) -> Result<(Vec<Branch>, bool), Error> {
    let owners: Vec<usize> = (0..case.contacts.len()).collect();
    if !is_relaxed(case) {
        let rules = vec![Rule::Free; owners.len()];
        return Ok((vec![Branch { case: case.clone(), rules, owners }], true));
    }
    case.validate()?;
    let all =
        |second: bool| Case { contacts: case.contacts.iter().map(|c| plain(c, second)).collect(), ..case.clone() };
    let (first, last) = (all(false), all(true));
    let terms = |case: &Case| Scene::new(case, speed_tolerance).map(|s| s.terms);
    let (t1, t2) = (terms(&first)?, terms(&last)?);
    let mut found = vec![Branch { rules: vec![Rule::Free; owners.len()], case: first.clone(), owners }];
    let mut complete = true;
    for (i, contact) in case.contacts.iter().enumerate() {
        if !matches!(contact.kind, Kind::VertexOnVertex { .. }) {
            continue;
        }
        if let Some(second) = decided(&t1[i], &t2[i]) {
            found.iter_mut().for_each(|b| b.case.contacts[i] = plain(contact, second));
            continue;
        }
        if found.len() * 3 > MOST_BRANCHES {
            complete = false;
            break;
        }
        // ts₁ leads along the side of n₁, −ts₂ along that of n₂.
        let mut next = Vec::new();
        for b in &found {
            let mut stays = b.clone();
            stays.rules[i] = Rule::Stick;
            stays.case.contacts.push(plain(contact, true));
            stays.rules.push(Rule::Stick);
            stays.owners.push(i);
            next.push(stays);
            for (second, past) in [(false, Letter::Backward), (true, Letter::Forward)] {
                let mut leaves = b.clone();
                leaves.case.contacts[i] = plain(contact, second);
                leaves.rules[i] = Rule::NoPush(past);
                next.push(leaves);
            }
        }
        found = next;
    }
    Ok((found, complete))
}

/// Which of both normals counts where the vertex moves already: the one that opens, or the one it slides along.
fn decided(first: &Terms, second: &Terms) -> Option<bool> {
    match (first.gap_rate.sign(), second.gap_rate.sign()) {
        (Ordering::Equal, Ordering::Equal) => None,
        _ => Some(second.gap_rate > first.gap_rate),
    }
}

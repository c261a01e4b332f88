//! # Interactions: what acts between which bodies
//!
//! - **in**: laws, a table by class of body, exceptions by pair
//! - **out**: for two bodies, which is A, which is B, and the law between them, or none
//! - **start at** [`Interactions::between`]

use crate::model::body::BodyId;
use fingerpad_contact::law::ContactLaw;
use std::collections::BTreeMap;

/// A law of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LawId(pub usize);

/// What acts between two bodies that touch.
#[derive(Clone, Debug)]
pub struct PairLaw {
    /// The law.
    pub law: ContactLaw,
    /// Share of the deformation that A takes.
    pub alpha: f64,
    /// Where contacts are looked for.
    pub places: Places,
}

/// Where contacts of a pair are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Places {
    /// Wherever the shapes can touch: several points, faces on faces.
    #[default]
    All,
    /// Wherever the shapes can touch, at points: flat parts that lie on each other touch at their corners.
    Points,
    /// At the closest points alone.
    Closest,
}

/// Two bodies that can touch; the normal leads out of A into B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pair {
    /// Body A.
    pub a: BodyId,
    /// Body B.
    pub b: BodyId,
    /// What acts between them.
    pub law: LawId,
}

/// What acts between which bodies.
#[derive(Clone, Debug, Default)]
pub struct Interactions {
    /// The laws.
    pub laws: Vec<PairLaw>,
    /// Law between a body A of one class and a body B of another: `table[class of A][class of B]`. One order suffices.
    pub table: Vec<Vec<Option<LawId>>>,
    /// Pairs with a law of their own (or none), by the two bodies, the lower index first.
    pub exceptions: BTreeMap<(BodyId, BodyId), Option<Pair>>,
}

impl Pair {
    /// Indices of the bodies, the lower first.
    pub fn order(&self) -> (usize, usize) {
        (self.a.0.min(self.b.0), self.a.0.max(self.b.0))
    }
}

impl PairLaw {
    /// A law between bodies that deform alike, wherever they touch.
    pub fn even(law: ContactLaw) -> Self {
        Self { law, alpha: 0.5, places: Places::All }
    }
}

impl Interactions {
    /// Pairs named one by one; others do not touch.
    pub fn of_pairs(pairs: Vec<(BodyId, BodyId, PairLaw)>) -> Self {
        let mut all = Self::default();
        for (i, (a, b, law)) in pairs.into_iter().enumerate() {
            all.laws.push(law);
            all.exceptions.insert((a.min(b), a.max(b)), Some(Pair { a, b, law: LawId(i) }));
        }
        all
    }

    /// The pair that two bodies of these classes make; `None` if they pass through each other.
    pub fn between(&self, i: BodyId, j: BodyId, class_i: usize, class_j: usize) -> Option<Pair> {
        if let Some(exception) = self.exceptions.get(&(i.min(j), i.max(j))) {
            return *exception;
        }
        let entry = |a: usize, b: usize| self.table.get(a).and_then(|row| row.get(b).copied().flatten());
        let forward = entry(class_i, class_j).map(|law| Pair { a: i, b: j, law });
        forward.or_else(|| entry(class_j, class_i).map(|law| Pair { a: j, b: i, law }))
    }
}

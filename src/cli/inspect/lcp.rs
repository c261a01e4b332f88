//! # What is in a file of linear complementarity problems
//!
//! - **in**: the list of records
//! - **out**: sizes, symmetry, definiteness, counted over the records
//! - **not here**: whether they have solutions (`query lcp`)

use crate::json::{Field, lcp};
use fingerpad_solve::Definiteness;
use serde_json::{Value, json};

/// Matrices count as symmetric up to this share of their largest entry: what a round trip through ten digits leaves.
const SYMMETRIC: f64 = 1e-9;

/// Facts about the problems of a list.
pub fn facts(list: &[Value]) -> Vec<(&'static str, Value)> {
    let problems: Vec<_> = list.iter().filter_map(|record| lcp::read(&Field::root(record)).ok()).collect();
    let kinds: Vec<Definiteness> = problems.iter().map(|p| p.definiteness()).collect();
    let count = |kind: Definiteness| kinds.iter().filter(|k| **k == kind).count();
    vec![
        ("rows_least", json!(problems.iter().map(|p| p.n()).min())),
        ("rows_most", json!(problems.iter().map(|p| p.n()).max())),
        ("symmetric", json!(problems.iter().filter(|p| p.asymmetry() <= SYMMETRIC).count())),
        ("positive_definite", json!(count(Definiteness::Positive))),
        ("positive_semidefinite", json!(count(Definiteness::PositiveSemi))),
        ("not_definite", json!(count(Definiteness::Not))),
        ("unreadable", json!(list.len() - problems.len())),
    ]
}

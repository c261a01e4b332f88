//! # Checked: one number of the grasp that holds a body, for `[[check]]`
//!
//! - **in**: a state of a run, a body, the name of a quantity
//! - **out**: its value; what scenes compare must never look better than the grasp is
//! - **not here**: which names there are (`fingerpad_files::scene`); whole answers (`answer`)
//! - **start at** [`value`]
//!
//! | quantity | value | where the grasp is not closed | where nothing touches |
//! |---|---|---|---|
//! | `margin` | share of the sum of normal forces | zero or less; none if no balanced loads press | none |
//! | `closed` | 1 | 0 | 0 |
//! | `contacts` | how many | how many | 0 |
//! | `epsilon_l1`, `epsilon_linf` | best found | 0 | none |
//! | `grip`, `grip_sum` | least largest, least summed normal force that holds the weight (N) | the same; infinite if none holds it | none |

use super::touching::{Sight, touching};
use fingerpad_grasp::{GripError, Least, LiveOptions, Norm, Solver, best_found, closure, least_grip};

/// The value of a quantity now; not a number where it has none.
pub fn value(sight: Sight, body: usize, what: &str) -> f64 {
    let Ok(found) = touching(sight, body) else {
        return if matches!(what, "contacts" | "closed") { 0.0 } else { f64::NAN };
    };
    let (question, mut solver) = (&found.question, Solver::default());
    let grasp = &question.grasp;
    match what {
        "contacts" => grasp.contacts.len() as f64,
        "grip" | "grip_sum" => {
            let least = if what == "grip" { Least::Max } else { Least::Sum };
            let Some(wrench) = &question.wrench else { return 0.0 };
            match least_grip(grasp, None, wrench, least, LiveOptions::default(), &mut solver) {
                Ok(grip) => grip.value,
                Err(GripError::Impossible(_)) => f64::INFINITY,
                Err(GripError::NotFound) => f64::NAN,
            }
        }
        _ => {
            let closed = closure(grasp, &mut solver);
            let epsilon = |norm| {
                if closed.closed { best_found(grasp, norm).map_or(f64::NAN, |(value, _)| value) } else { 0.0 }
            };
            match what {
                "closed" => f64::from(u8::from(closed.closed)),
                "epsilon_l1" => epsilon(Norm::L1),
                "epsilon_linf" => epsilon(Norm::Linf),
                // Contacts that reach fewer than six directions may have a margin and are open all the same.
                _ => closed.margin.map_or(f64::NAN, |margin| if closed.closed { margin } else { margin.min(0.0) }),
            }
        }
    }
}

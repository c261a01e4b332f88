//! # The papers' figures and statements, computed again
//!
//! library calls ──▶ **here** ──([`Finding`]: theirs, ours, verdict, figures)──▶ `report`
//!
//! - **in**: nothing; every row makes its own input, seeded
//! - **out**: one [`Finding`] a row
//! - **not here**: the command (`cli::reproduce`), drawing (`report`)
//! - **assumes**: an outside opinion in every row: differences in time, brute force, a closed form, the printed formula
//! - **start at** [`all`]; a new row is an [`Experiment`] in the file of its theme, a new theme one line in [`all`]; a row
//!   that is a motion has a line in [`MOTIONS`]

mod bouncing;
mod compliance;
mod fits;
mod grasps;
mod hand;
mod impulses;
mod lifts;
mod manipulation;
mod patches;
mod patches_on_map;
mod planar;
mod random;
mod rolling;
mod torsion;
mod validity;

use serde_json::{Value, json};

/// One row: a paper's figure or statement, and how we compute it.
#[derive(Debug)]
pub struct Experiment {
    /// Name on the command line.
    pub name: &'static str,
    /// Which paper.
    pub paper: &'static str,
    /// Which figure, equation or section.
    pub figure: &'static str,
    /// What it says, in a few words.
    pub statement: &'static str,
    /// Computes our side.
    pub compute: fn() -> Result<Finding, String>,
}

const PAPER_A: &str = "A (Stramigioli)";
const PAPER_B: &str = "B (Ciocarlie)";
const PAPER_C: &str = "C (PortDem)";
const PAPER_D: &str = "D (Erdmann)";

/// The papers, as rows name them and in full.
pub const PAPERS: [(&str, &str); 4] = [
    (
        PAPER_A,
        "S. Stramigioli, V. Duindam, M. Visser: Modeling of Geometric Compliant Contacts for Grasping Applications",
    ),
    (
        PAPER_B,
        "M. Ciocarlie, C. Lackner, P. Allen: Soft Finger Model with Adaptive Contact Geometry for Grasping and Manipulation Tasks, \
         World Haptics 2007",
    ),
    (
        PAPER_C,
        "M. Wassink, R. Carloni, P. Poulakis, S. Stramigioli: Digital Elevation Map Reconstruction for Port-based Dynamic Simulation \
         of Contacts on Irregular Surfaces",
    ),
    (PAPER_D, "M. Erdmann: Multiple-Point Contact with Friction: Computing Forces and Motions in Configuration Space"),
];

/// A number or a few words.
#[derive(Clone, Debug)]
pub enum Quantity {
    /// A number in the row's unit.
    Number(f64),
    /// Words, where a paper gives no number.
    Text(&'static str),
}

impl Quantity {
    /// As JSON; null where a number is not finite.
    pub fn to_json(&self) -> Value {
        match self {
            Quantity::Number(x) => json!(x),
            Quantity::Text(words) => json!(words),
        }
    }

    /// As tables show it.
    pub fn shown(&self) -> String {
        match self {
            Quantity::Number(0.0) => "0".to_string(),
            Quantity::Number(x) if (1e-3..1e4).contains(&x.abs()) => {
                let text = format!("{x:.4}");
                text.trim_end_matches('0').trim_end_matches('.').to_string()
            }
            Quantity::Number(x) => format!("{x:.2e}"),
            Quantity::Text(words) => (*words).to_string(),
        }
    }
}

/// How a row came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The paper's statement holds, and ours with it.
    Agrees,
    /// As printed it does not hold; ours does.
    Corrects,
    /// It holds, and there is more to say.
    Extends,
    /// Ours does not hold.
    Fails,
}

impl Verdict {
    /// This verdict if the condition holds, else failure.
    pub fn or_fails(self, holds: bool) -> Self {
        if holds { self } else { Verdict::Fails }
    }

    /// As files and tables spell it.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Agrees => "agrees",
            Verdict::Corrects => "corrects the paper",
            Verdict::Extends => "extends the paper",
            Verdict::Fails => "fails",
        }
    }

    /// Whether the row failed.
    pub fn failed(self) -> bool {
        self == Verdict::Fails
    }
}

/// A drawing of a row.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The drawing, a whole SVG document.
    pub svg: String,
    /// What it shows.
    pub caption: String,
    /// Name of a file of its own in the report's folder.
    pub file: Option<&'static str>,
}

/// What a row found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The paper's value.
    pub theirs: Quantity,
    /// Ours.
    pub ours: Quantity,
    /// Unit of both.
    pub unit: &'static str,
    /// By how much ours may miss, in the unit; for a printed formula that is wrong, the error that proves it.
    pub tolerance: Option<f64>,
    /// How it came out.
    pub verdict: Verdict,
    /// How it was computed, and what the numbers say.
    pub note: String,
    /// Drawings.
    pub figures: Vec<Figure>,
}

impl Experiment {
    /// Computes the row; what cannot be computed has failed.
    pub fn run(&self) -> Finding {
        (self.compute)().unwrap_or_else(|why| Finding {
            theirs: Quantity::Text(self.statement),
            ours: Quantity::Text("not computed"),
            unit: "",
            tolerance: None,
            verdict: Verdict::Fails,
            note: why,
            figures: Vec::new(),
        })
    }
}

/// A shipped scene that shows the motion of a row.
#[derive(Debug, PartialEq, Eq)]
pub struct Motion {
    /// The row.
    pub row: &'static str,
    /// The scene.
    pub scene: &'static str,
    /// Overrides of the scene, as `run --set` takes them.
    pub sets: &'static [&'static str],
    /// What its replay shows.
    pub shows: &'static str,
}

/// Rows that are motions. Their reports stand beside the page, each scene once.
pub const MOTIONS: [Motion; 13] = [
    Motion { row: "bowl-benchmark", scene: "bowl-analytic", sets: &[], shows: "the ball in the exact bowl" },
    Motion { row: "bowl-bouncing", scene: "bowl-map", sets: &[], shows: "the ball in the bowl sampled at 1 m" },
    Motion {
        row: "bowl-bouncing-printed",
        scene: "bowl-analytic",
        sets: &[],
        shows: "the ball in the exact bowl, which the printed patches miss",
    },
    Motion { row: "bowl-track", scene: "bowl-map", sets: &[], shows: "the ball and the patches of the map under it" },
    Motion {
        row: "irregular-track",
        scene: "irregular-map",
        sets: &["solver.stepper=\"fast\""],
        shows: "the ball of this row, with an egg and a wheel beside it, in fixed steps",
    },
    Motion {
        row: "ellipsoid-in-motion",
        scene: "spinning-disc",
        sets: &[],
        shows: "a disc with the same speed, spin and friction, under the compliant law",
    },
    Motion {
        row: "lcp-step",
        scene: "pinch-sliders",
        sets: &["solver.formulation=\"complementarity\""],
        shows: "the pinched block with rigid contacts",
    },
    Motion {
        row: "ball-between-fingers",
        scene: "rolling-grip",
        sets: &["solver.stepper=\"fast\""],
        shows: "the ball between its fingers",
    },
    Motion {
        row: "ball-follows-reference",
        scene: "roll-ball",
        sets: &["solver.stepper=\"fast\""],
        shows: "the hand and its ball",
    },
    Motion {
        row: "lift-flat",
        scene: "lift-flat",
        sets: &["solver.formulation=\"complementarity\""],
        shows: "the flat object is lifted and turned upright",
    },
    Motion {
        row: "lift-curved",
        scene: "lift-curved",
        sets: &["solver.formulation=\"complementarity\""],
        shows: "the curved object slips in the tips and drags",
    },
    Motion {
        row: "pinch-pivots",
        scene: "pinch-pivot",
        sets: &["solver.formulation=\"complementarity\""],
        shows: "the plate turns when the tips press less",
    },
    Motion {
        row: "glass-in-hand",
        scene: "glass",
        sets: &["solver.formulation=\"complementarity\"", "solver.hull=20"],
        shows: "the hand and its glass, by Lemke",
    },
];

/// The motion of a row, if it is one.
pub fn motion_of(row: &str) -> Option<&'static Motion> {
    MOTIONS.iter().find(|motion| motion.row == row)
}

/// Every row, by paper.
pub fn all() -> Vec<&'static Experiment> {
    let mut rows: Vec<&'static Experiment> = [
        rolling::ROWS,
        validity::ROWS,
        compliance::ROWS,
        fits::ROWS,
        torsion::ROWS,
        grasps::ROWS,
        patches::ROWS,
        patches_on_map::ROWS,
        bouncing::ROWS,
        impulses::ROWS,
        lifts::ROWS,
        manipulation::ROWS,
        hand::ROWS,
        planar::ROWS,
    ]
    .into_iter()
    .flatten()
    .collect();
    rows.sort_by_key(|row| row.paper);
    rows
}

/// The larger of an error so far and a new one; NaN is larger than all.
fn worse(so_far: f64, error: f64) -> f64 {
    if so_far.is_nan() || error.is_nan() { f64::NAN } else { so_far.max(error.abs()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names choose rows on the command line: two rows of one name could not be told apart.
    #[test]
    fn names_are_unique_and_plain() {
        let mut names: Vec<&str> = all().iter().map(|e| e.name).collect();
        assert!(names.iter().all(|n| n.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    /// A motion whose row or scene was renamed would lose its replay without a word.
    #[test]
    fn motions_belong_to_rows_and_shipped_scenes() {
        for motion in &MOTIONS {
            assert!(all().iter().any(|e| e.name == motion.row), "{}", motion.row);
            assert!(crate::run::shipped::text(motion.scene).is_some(), "{}", motion.scene);
            // One folder a scene: rows that share a scene share its overrides.
            assert!(MOTIONS.iter().all(|other| other.scene != motion.scene || other.sets == motion.sets));
        }
    }

    /// A NaN on the way must not be lost by max: such a row would pass.
    #[test]
    fn nan_is_the_worst_error() {
        assert!(worse(1.0, f64::NAN).is_nan());
        assert!(worse(f64::NAN, 1.0).is_nan());
        assert_eq!(worse(1.0, -2.0), 2.0);
    }
}

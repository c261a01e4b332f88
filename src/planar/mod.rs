//! # Planar records: cases of a body with frictional contacts, as files and people write them
//!
//! record ──▶ [`record`] | [`part_file`] ──(`Case`)──▶ `fingerpad_planar` ──(`Answer`)──▶ [`record`], [`text`], [`picture`]
//!
//! - **in**: JSON or TOML records: contacts given, or a part file with outlines (numbers are decimals or fractions "p/q")
//! - **out**: the record's `answer`, text for people, drawings
//! - **not here**: the mechanics (`fingerpad_planar`); options and exit codes (`cli::planar`)
//! - **start at** [`record::question`], then [`record::answer`]; [`ready`] holds cases with names

pub mod follow;
pub mod part_file;
pub mod picture;
pub mod ready;
pub mod record;
pub mod text;
pub mod toml_file;

use fingerpad_planar::lcp::Picked;
use fingerpad_planar::paper::Agreement;
use fingerpad_planar::part::Shape;
use fingerpad_planar::{Answer, Case, Listing, Reaction, StrictMode};

/// What a record asks.
#[derive(Clone, Debug)]
pub struct Question {
    /// The case.
    pub case: Case,
    /// Where its things are, for drawings.
    pub places: Places,
    /// What should be known about the way from the record to the case.
    pub warnings: Vec<String>,
    /// Whether the contacts were found from shapes: the answer then tells the case.
    pub found: Option<part_file::PartRecord>,
}

/// Where things are (m).
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Centre of mass.
    pub centre: [f64; 2],
    /// The contacts.
    pub points: Vec<[f64; 2]>,
    /// Outline of the body, where known.
    pub body: Option<Shape>,
    /// Outlines of obstacles, where known.
    pub obstacles: Vec<Shape>,
}

/// A question with its answer.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The question.
    pub question: Question,
    /// Its answer.
    pub answer: Answer,
    /// The strict kinematic modes, where asked for.
    pub modes: Option<Listing<StrictMode>>,
    /// Contact forces behind each set, where asked for.
    pub forces: Option<Vec<Vec<Reaction>>>,
    /// The paper's procedure beside the answer, where asked for.
    pub paper: Option<Agreement>,
    /// What an LCP solver picks, where asked for; nothing inside for cases that are no LCP.
    pub picked: Option<Option<Picked>>,
    /// The motion followed, where asked for.
    pub path: Option<follow::Path>,
}

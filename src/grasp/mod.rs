//! # Grasps as the program reads, answers and shows them
//!
//! JSON records ──▶ [`read`] ─────────▶ [`answer`] (asks `fingerpad_grasp`) ──▶ [`text`], [`picture`], JSON
//! state of a run ──▶ [`touching`] ──┘
//!
//! - **in**: records of grasps, or a body and what touches it in a run; what is wanted
//! - **out**: [`answer::Answered`], its words, its drawing
//! - **not here**: options (`cli::grasp`), mechanics (`fingerpad_grasp`)
//! - **start at** [`answer::answered`]

pub mod answer;
pub mod checked;
pub mod picture;
pub mod read;
pub mod text;
pub mod touching;

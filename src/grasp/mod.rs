//! # Grasps as the program reads, answers and shows them
//!
//! JSON records ──▶ [`read`] ──▶ [`answer`] (asks `fingerpad_grasp`) ──▶ [`text`], [`picture`], JSON
//!
//! - **in**: records of grasps, what is wanted
//! - **out**: [`answer::Answered`], its words, its drawing
//! - **not here**: options (`cli::grasp`), mechanics (`fingerpad_grasp`)
//! - **start at** [`answer::answered`]

pub mod answer;
pub mod picture;
pub mod read;
pub mod text;

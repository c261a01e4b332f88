//! # Errors: questions about grasps that cannot be answered
//!
//! - **out**: what was expected, what came, and whose it was
//! - **start at** [`GraspError`]

/// Why a grasp cannot be analysed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GraspError {
    /// There is nothing that holds.
    #[error("expected at least one contact, got none")]
    NoContacts,
    /// A number is out of its range; the place is a path such as `contacts[2].normal`.
    #[error("{place}: expected {expected}, got {got}")]
    Number {
        /// Path of the number.
        place: String,
        /// What was expected.
        expected: &'static str,
        /// What came.
        got: String,
    },
}

impl GraspError {
    /// An error about a number or vector.
    pub fn number(place: impl Into<String>, expected: &'static str, got: impl std::fmt::Debug) -> Self {
        GraspError::Number { place: place.into(), expected, got: format!("{got:?}") }
    }

    /// Path of the input to blame.
    pub fn place(&self) -> &str {
        match self {
            GraspError::NoContacts => "contacts",
            GraspError::Number { place, .. } => place,
        }
    }

    /// The message without its path.
    pub fn message(&self) -> String {
        match self {
            GraspError::NoContacts => self.to_string(),
            GraspError::Number { expected, got, .. } => format!("expected {expected}, got {got}"),
        }
    }
}

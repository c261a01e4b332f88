//! # Steppers: three ways to carry a state through time
//!
//! | room | contacts | steps |
//! |---|---|---|
//! | [`accurate`] | compliant | error-controlled, events located |
//! | [`fixed`] | compliant | of one length; neither gain energy nor creep |
//! | [`rigid`] | rigid, by complementarity | of one length |
//!
//! No stepper imports another; what composes them is above ([`switching`](crate::switching)). All of them read the same model, state and contacts, and answer as
//! [`Stepper`](crate::run::Stepper).

pub(crate) mod accurate;
pub(crate) mod fixed;
pub(crate) mod rigid;

//! # Coordinates: trees of joints in their own numbers
//!
//! links and joints ──▶ **here** ──(M, bias, rows of contacts on unit-mass blocks)──▶ steppers, `query tree`
//!
//! - **in**: [`Link`]s with masses and [`Joint`]s, gravity, a [`Base`] that the roots hang on; q and v of a tree
//! - **out**: poses, velocities and Jacobians of links; M, its factor, bias, inverse and forward dynamics, derivatives,
//!   energies and momenta; contact rows as [`Arm`]s; motion of a tree without contacts ([`motion`])
//! - also: how single bodies answer to forces (`inertia`), and what is left to them to move (`restriction`)
//! - **not here**: contacts, limits and friction loss in motion (steppers); files
//! - **assumes**: open trees; loops and couplings are rows of the steppers
//! - **start at** [`Tree::new`], then [`Frame::place`], [`Mass::compute`], [`Factor::compute`], [`Frame::bias`]
//!
//! Everything is told in world axes, and spatial vectors about one common origin O at rest in the world, rotation first
//! (Featherstone, §2). Nothing is moved between frames of links then: sums over a subtree are sums of numbers.
//!
//! ```text
//! V_i = V_parent + Σ S_k v_k,    S_k′ = V_i × S_k,    A_i = A_parent + Σ (S_k v′_k + S_k′ v_k)
//! F_i = I_i A_i + V_i ×* I_i V_i,   tau_k = S_k · Σ_subtree F + armature_k v′_k,    M v′ + bias = tau
//! ```
//!
//! Each column S_k is fixed in its own node. Joints for which that would not hold are two nodes: a planar joint slides,
//! then turns; a free joint slides along F's axes, then turns as a ball. One rule therefore serves all of them: a motion
//! of coordinate j carries whatever is fixed in nodes at or below j's along S_j.

mod arms;
mod check;
mod derivative;
mod equations;
mod frame;
pub(crate) mod impact;
mod increment;
pub(crate) mod inertia;
pub(crate) mod intervals;
mod joint;
mod links;
mod locked;
mod mass;
pub mod motion;
mod newton_euler;
mod node;
mod order;
pub(crate) mod restriction;
mod rigid;
pub(crate) mod rotation;
mod state;
mod sums;
mod tree;

pub use arms::{Arm, Arms};
pub use check::TreeError;
pub use derivative::Derivatives;
pub use equations::{Equation, Equations, Guide, Held, Scalar};
pub use frame::{Base, Frame};
pub use impact::{AtLimit, Impact};
pub use intervals::Intervals;
pub use joint::{Joint, JointLaw, Spring};
pub(crate) use locked::{LockedColumns, Matrix, Softened};
pub use mass::{Factor, Mass, NotPositive};
pub use node::{Motion, Node};
pub use rigid::RigidInertia;
pub use state::{TreeState, TreeSums};
pub use tree::{Link, Ride, Tree};

//! # Grasp analysis: is a grasp closed, how good is it, how hard must it be held
//!
//! contacts ([`Grasp`]) ──▶ **here** ──(margin or proof, least forces, epsilon, pushes)──▶ the program
//!
//! - **in**: contacts with normals, friction and patches; a wrench, directions or a task; torque limits of a hand
//! - **out**: closure with its margin or with a twist that proves the opposite; least grip with patches that grow with the
//!   load; epsilon and volume with bounds on both sides; largest pushes; gradients
//! - **not here**: files and scenes (`fingerpad-files`), bodies in motion (`fingerpad-sim`), cone programs themselves
//!   (`fingerpad-solve`)
//! - **assumes**: a rigid object; friction as an ellipsoid with the patch's e_n; quasi-static loads
//! - **start at** [`Grasp`], then [`closure()`], [`least_grip`], [`epsilon`]
//!
//! Wrenches are (fx, fy, fz, tx, ty, tz) in N and N·m about [`Grasp::reference`] and act **on** the object. Twists are
//! their duals: the velocity of the object's point at the reference, then the angular velocity. This is the order of
//! grasp planners and of the machine interface; the rest of the workspace puts rotation first.

mod balance;
mod batch;
mod closure;
mod contact;
mod descent;
mod epsilon;
mod error;
mod gradient;
mod grasp;
mod grip;
mod hand;
mod live;
mod passive;
mod polytope;
mod push;
mod sampled;
mod screw;
mod statics;
mod support;
mod volume;

pub use batch::{closures, each};
pub use closure::{Closure, closure};
pub use contact::{Contact, PatchGrowth};
pub use epsilon::{Certify, Epsilon, Norm, best_found, epsilon, task_ellipsoid};
pub use error::GraspError;
pub use gradient::{ContactGradient, epsilon_gradient, margin_gradient};
pub use grasp::{DEFAULT_LIMIT, Grasp};
pub use grip::{Grip, GripError, Least, frozen_grip, least_grip};
pub use hand::Hand;
pub use live::{Bounded, LiveOptions};
pub use passive::{Passive, PassiveOptions, Preload, passive_push, preload};
pub use push::{Push, largest_push, task_scale};
pub use sampled::{GRASPIT_LOAD, graspit, graspit_patch};
pub use screw::Screw;
pub use statics::Solver;
pub use volume::{Volume, volume};

/// (fx, fy, fz, tx, ty, tz): N and N·m, on the object, about the reference.
pub type Wrench = nalgebra::Vector6<f64>;
/// (vx, vy, vz, wx, wy, wz): the dual of a [`Wrench`].
pub type Twist = nalgebra::Vector6<f64>;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadMe;

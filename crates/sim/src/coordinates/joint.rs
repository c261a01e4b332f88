//! # Joints: how a link may move against its parent, and what acts along its coordinates
//!
//! - **in**: what a robot file says of a joint
//! - **out**: [`Joint`], [`JointLaw`]: plain data
//! - **not here**: how joints become nodes (`tree`); limits and friction loss in motion (steppers)
//!
//! F is the joint's frame, fixed in the parent P; B is the frame of the link. With q = 0 both coincide.

use nalgebra::{Unit, Vector3};

/// How a link moves against its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Joint {
    /// B stays at F.
    Fixed,
    /// B turns about an axis through Fo by q (rad).
    Revolute(Unit<Vector3<f64>>),
    /// B slides along an axis of F by q (m).
    Prismatic(Unit<Vector3<f64>>),
    /// q = x, y (m) along F's axes, then an angle about z (rad); v are their rates.
    Planar,
    /// q = quaternion wxyz of B in F; v = angular velocity of B in F, in axes of B (rad/s).
    Ball,
    /// q = position of Bo in F (m), quaternion wxyz; v = angular velocity in axes of B, then the velocity of Bo in axes
    /// of F. Steppers use this one: free fall is exact, and a floating tree's error was 1.7 times smaller than with
    /// [`Joint::FreeTwist`] (fixed steps of 1 ms).
    Free,
    /// q as for [`Joint::Free`]; v = angular velocity and velocity of Bo, both in axes of B (Pinocchio's free flyer).
    FreeTwist,
}

impl Joint {
    /// Numbers of q.
    pub fn nq(&self) -> usize {
        match self {
            Joint::Fixed => 0,
            Joint::Revolute(_) | Joint::Prismatic(_) => 1,
            Joint::Planar => 3,
            Joint::Ball => 4,
            Joint::Free | Joint::FreeTwist => 7,
        }
    }

    /// Numbers of v.
    pub fn nv(&self) -> usize {
        match self {
            Joint::Ball => 3,
            Joint::Free | Joint::FreeTwist => 6,
            other => other.nq(),
        }
    }

    /// Whether v is the rate of q, so that limits, springs and dampers can be told in q.
    pub fn is_scalar(&self) -> bool {
        self.nq() == self.nv()
    }

    /// Its name in files.
    pub fn name(&self) -> &'static str {
        match self {
            Joint::Fixed => "fixed",
            Joint::Revolute(_) => "revolute",
            Joint::Prismatic(_) => "prismatic",
            Joint::Planar => "planar",
            Joint::Ball => "ball",
            Joint::Free | Joint::FreeTwist => "free",
        }
    }
}

/// A spring on one coordinate: f = −stiffness (q − rest).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Stiffness (N·m/rad, or N/m for slides).
    pub stiffness: f64,
    /// Where it is relaxed (rad or m).
    pub rest: f64,
}

/// What acts along one scalar coordinate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointLaw {
    /// Least and greatest q (rad or m).
    pub limit: Option<[f64; 2]>,
    /// Newton's restitution at the limits, 0 to 1.
    pub restitution: f64,
    /// f = −damping v (N·m·s/rad or N·s/m).
    pub damping: f64,
    /// Dry friction: largest force of a joint at rest, force of a moving one (N·m or N).
    pub friction_loss: f64,
    /// A spring.
    pub spring: Option<Spring>,
}

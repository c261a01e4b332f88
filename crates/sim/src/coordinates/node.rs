//! # Nodes: what moves as one
//!
//! - **in**: a joint, split so that every column is fixed in its own node
//! - **out**: [`Node`]: place in the parent node, inertia of all links that ride on it; [`Motion`]
//! - **not here**: sorting (`tree`); how a motion is carried out (`frame`, `increment`)

use nalgebra::{Matrix3, Vector3};

/// How a node moves against its parent node. The node's frame N is chosen so that turns and slides go along its z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// A turn about z.
    Turn,
    /// A slide along z.
    Slide,
    /// Slides along x and y.
    Plane,
    /// Slides along x, y and z.
    Space,
    /// Turns about No; q is a quaternion wxyz, v in axes of N.
    Ball,
    /// All six, in axes of N: turns about No, then slides; q is a position and a quaternion wxyz.
    Twist,
}

impl Motion {
    /// Numbers of q.
    pub const fn nq(self) -> usize {
        match self {
            Motion::Turn | Motion::Slide => 1,
            Motion::Plane => 2,
            Motion::Space => 3,
            Motion::Ball => 4,
            Motion::Twist => 7,
        }
    }

    /// Numbers of v.
    pub const fn nv(self) -> usize {
        match self {
            Motion::Turn | Motion::Slide => 1,
            Motion::Plane => 2,
            Motion::Space | Motion::Ball => 3,
            Motion::Twist => 6,
        }
    }
}

/// One node: a rigid set of links, and its motion against the parent node.
#[derive(Clone, Debug)]
pub struct Node {
    /// Parent node; `None` hangs on the base.
    pub parent: Option<u16>,
    /// Motion against it.
    pub motion: Motion,
    /// Axes of the joint's frame in the parent node.
    pub R_PF: Matrix3<f64>,
    /// Origin of the joint's frame in the parent node (m).
    pub p_PF: Vector3<f64>,
    /// Place of its first number in q.
    pub first_q: u32,
    /// Place of its first number in v.
    pub first_v: u32,
    /// Mass of all links that ride on it (kg).
    pub mass: f64,
    /// Their common centre of mass in N (m).
    pub p_NNcm: Vector3<f64>,
    /// Their inertia about it, axes of N, as xx, yy, zz, xy, xz, yz (kg·m²).
    pub I_NNcm_N: [f64; 6],
    /// The link whose joint moves it.
    pub link: u32,
}

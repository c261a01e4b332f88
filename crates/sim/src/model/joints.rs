//! # Joints of a model: which body hangs on which, and what ties joints together
//!
//! scene, robot file, code ──▶ **here** ──([`ModelJoint`]s, [`Coupling`]s, [`Loop`]s)──▶ `trees`
//!
//! - **in**: bodies of a model by [`BodyId`]; frames on them
//! - **out**: plain data of [`Parts`](crate::Parts)
//! - **not here**: how they become trees in coordinates of their own (`trees`)
//! - **start at** [`ModelJoint::at`]
//!
//! A body is the child of one joint at most. What has no joint above it and is free floats: it is the root of its tree.

use crate::coordinates::{Joint, JointLaw};
use crate::model::body::{Body, BodyId};
use nalgebra::Isometry3;

/// A joint of a model: an index of [`Parts::joints`](crate::Parts::joints).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JointId(pub usize);

/// A joint between two bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelJoint {
    /// Its name, for messages.
    pub name: String,
    /// The body that it hangs on; `None` is the world.
    pub parent: Option<BodyId>,
    /// The body that it carries.
    pub child: BodyId,
    /// How the child moves; axes are told in the frame F.
    pub kind: Joint,
    /// The joint's frame F in the frame of the parent, or in the world.
    pub X_PF: Isometry3<f64>,
    /// The frame on the child that meets F where q = 0, in the frame of the child.
    pub X_BF: Isometry3<f64>,
    /// Inertia of the drive as the joint feels it (kg·m², or kg for slides).
    pub armature: f64,
    /// What acts along its scalar coordinates: nothing, or one law for each.
    pub laws: Vec<JointLaw>,
    /// q at time 0; empty: zero.
    pub q: Vec<f64>,
    /// v at time 0; empty: zero.
    pub v: Vec<f64>,
}

impl ModelJoint {
    /// A joint at a frame F of the world, with q = 0 where the bodies stand: at their [`Body::X_WB`].
    pub fn at(
        name: &str,
        kind: Joint,
        parent: Option<(BodyId, &Body)>,
        child: (BodyId, &Body),
        X_WF: &Isometry3<f64>,
    ) -> Self {
        Self {
            name: name.to_string(),
            parent: parent.map(|(id, _)| id),
            child: child.0,
            kind,
            X_PF: parent.map_or(*X_WF, |(_, body)| body.X_WB.inv_mul(X_WF)),
            X_BF: child.1.X_WB.inv_mul(X_WF),
            armature: 0.0,
            laws: Vec::new(),
            q: Vec::new(),
            v: Vec::new(),
        }
    }

    /// The same with a law on its only coordinate.
    pub fn with(mut self, law: JointLaw) -> Self {
        self.laws = vec![law];
        self
    }

    /// The same that starts at these coordinates and velocities.
    pub fn starting(mut self, q: &[f64], v: &[f64]) -> Self {
        (self.q, self.v) = (q.to_vec(), v.to_vec());
        self
    }
}

/// An equation between coordinates of joints with one coordinate each.
#[derive(Clone, Debug, PartialEq)]
pub struct Coupling {
    /// Its name, for messages.
    pub name: String,
    /// The joints.
    pub joints: Vec<JointId>,
    /// What holds between them.
    pub law: CouplingLaw,
}

/// What holds between the coordinates of a coupling.
#[derive(Clone, Debug, PartialEq)]
pub enum CouplingLaw {
    /// Σ coefficients_k q_k = offset.
    Linear {
        /// One for each joint.
        coefficients: Vec<f64>,
        /// Their sum (rad or m).
        offset: f64,
    },
    /// q of the first joint = Σ coefficients_k (q of the second)^k.
    Polynomial {
        /// From the constant one up.
        coefficients: Vec<f64>,
    },
}

/// Frames on two bodies that stay together.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// Its name, for messages.
    pub name: String,
    /// What stays together.
    pub kind: LoopKind,
    /// The bodies; `None` is the world.
    pub bodies: [Option<BodyId>; 2],
    /// A frame on each, in its body, that meets that of the other.
    pub X_BL: [Isometry3<f64>; 2],
}

/// What a loop holds together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopKind {
    /// Origins: three equations.
    Connect,
    /// Origins and axes: six equations.
    Weld,
}

impl Loop {
    /// A loop at a frame of the world, between bodies where they stand: at their [`Body::X_WB`].
    pub fn at(name: &str, kind: LoopKind, bodies: [Option<(BodyId, &Body)>; 2], X_WL: &Isometry3<f64>) -> Self {
        let frame = |of: Option<(BodyId, &Body)>| of.map_or(*X_WL, |(_, body)| body.X_WB.inv_mul(X_WL));
        Self { name: name.to_string(), kind, bodies: bodies.map(|of| of.map(|(id, _)| id)), X_BL: bodies.map(frame) }
    }
}

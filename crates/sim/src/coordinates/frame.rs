//! # Frame: where everything is at one configuration, in world axes about one origin
//!
//! q ──▶ **here** ──(R, p, S, inertias)──▶ `mass`, `newton_euler`, `links`, `arms`; v ──▶ **here** ──▶ V
//!
//! - **in**: a tree, q and v in its order, the [`Base`] that its roots hang on
//! - **out**: [`Frame`]: axes and places of nodes, columns S, inertias about O, velocities
//! - **assumes**: quaternions of unit length
//! - **start at** [`Frame::place`], then [`Frame::set_velocities`]
//!
//! The origin O stands at the place of the first node: a robot far from the world's origin keeps its digits.

use super::node::Motion;
use super::rigid::{RigidInertia, add_scaled};
use super::tree::Tree;
use fingerpad_contact::spatial::{SpatialForce, SpatialVelocity};
use nalgebra::{Isometry3, Matrix3, Vector3};

/// What the roots hang on: the world, or a body P whose motion is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Base {
    /// Pose of P.
    pub X_WP: Isometry3<f64>,
    /// Velocity at Po, world axes.
    pub V_WP: SpatialVelocity,
    /// Angular acceleration, and acceleration of Po, world axes (rad/s², m/s²).
    pub A_WP: SpatialVelocity,
}

impl Default for Base {
    fn default() -> Self {
        Self { X_WP: Isometry3::identity(), V_WP: SpatialVelocity::zero(), A_WP: SpatialVelocity::zero() }
    }
}

/// Scratch at one configuration.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The origin O in the world (m).
    pub p_WO: Vector3<f64>,
    pub(super) base: Base,
    /// Axes of nodes in the world.
    pub(super) R: Vec<Matrix3<f64>>,
    /// Origins of nodes from O (m).
    pub(super) p: Vec<Vector3<f64>>,
    /// Columns about O.
    pub(super) S: Vec<SpatialVelocity>,
    /// Inertias of nodes about O.
    pub(super) inertia: Vec<RigidInertia>,
    /// Velocities of nodes about O, by the last `set_velocities`.
    pub(super) V: Vec<SpatialVelocity>,
    /// Accelerations and actions of the last pass.
    pub(super) A: Vec<SpatialVelocity>,
    pub(super) F: Vec<SpatialForce>,
}

impl Frame {
    /// Scratch for a tree.
    pub fn new(tree: &Tree) -> Self {
        let nodes = tree.nodes.len();
        Self {
            p_WO: Vector3::zeros(),
            base: Base::default(),
            R: vec![Matrix3::identity(); nodes],
            p: vec![Vector3::zeros(); nodes],
            S: vec![SpatialVelocity::zero(); tree.nv()],
            inertia: vec![RigidInertia::zero(); nodes],
            V: vec![SpatialVelocity::zero(); nodes],
            A: vec![SpatialVelocity::zero(); nodes],
            F: vec![SpatialForce::zero(); nodes],
        }
    }

    /// Axes, places, columns and inertias of all nodes.
    pub fn place(&mut self, tree: &Tree, q: &[f64], base: &Base) {
        self.base = *base;
        let R_base = *base.X_WP.rotation.to_rotation_matrix().matrix();
        let p_WP = base.X_WP.translation.vector;
        self.p_WO = origin(tree, q, &R_base, &p_WP);
        let p_base = p_WP - self.p_WO;
        for (i, node) in tree.nodes.iter().enumerate() {
            let (R_P, p_P) = match node.parent {
                Some(parent) => (&self.R[parent as usize], &self.p[parent as usize]),
                None => (&R_base, &p_base),
            };
            let (F, p) = (R_P * node.R_PF, p_P + R_P * node.p_PF);
            let (at, k) = (node.first_q as usize, node.first_v as usize);
            let S = &mut self.S[k..k + node.motion.nv()];
            let (R, p) = match node.motion {
                Motion::Turn => {
                    let (s, c) = q[at].sin_cos();
                    let (x, y, z) = (F.column(0), F.column(1), F.column(2).into_owned());
                    S[0] = turn(z, &p);
                    (Matrix3::from_columns(&[x * c + y * s, y * c - x * s, z]), p)
                }
                Motion::Slide => {
                    let z = F.column(2).into_owned();
                    S[0] = slide(z);
                    (F, p + z * q[at])
                }
                Motion::Plane | Motion::Space => {
                    let mut p = p;
                    for (j, S) in S.iter_mut().enumerate() {
                        let e = F.column(j).into_owned();
                        *S = slide(e);
                        p += e * q[at + j];
                    }
                    (F, p)
                }
                Motion::Ball => {
                    let R = F * matrix(&q[at..at + 4]);
                    (0..3).for_each(|j| S[j] = turn(R.column(j).into_owned(), &p));
                    (R, p)
                }
                Motion::Twist => {
                    let p = p + F * Vector3::new(q[at], q[at + 1], q[at + 2]);
                    let R = F * matrix(&q[at + 3..at + 7]);
                    for j in 0..3 {
                        S[j] = turn(R.column(j).into_owned(), &p);
                        S[3 + j] = slide(R.column(j).into_owned());
                    }
                    (R, p)
                }
            };
            self.inertia[i] = RigidInertia::placed(node.mass, &(p + R * node.p_NNcm), &node.I_NNcm_N, &R);
            (self.R[i], self.p[i]) = (R, p);
        }
    }

    /// A column S about O: what a unit of one velocity coordinate does to all that hangs on it.
    #[inline]
    pub fn column(&self, column: usize) -> &SpatialVelocity {
        &self.S[column]
    }

    /// Velocities of all nodes.
    pub fn set_velocities(&mut self, tree: &Tree, v: &[f64]) {
        let still = self.base_velocity();
        for (i, node) in tree.nodes.iter().enumerate() {
            let mut V = node.parent.map_or(still, |parent| self.V[parent as usize]);
            let first = node.first_v as usize;
            for k in first..first + node.motion.nv() {
                add_scaled(&mut V, &self.S[k], v[k]);
            }
            self.V[i] = V;
        }
    }

    /// Velocity of the base about O.
    pub(super) fn base_velocity(&self) -> SpatialVelocity {
        self.base.V_WP.shift(self.p_WO - self.base.X_WP.translation.vector)
    }

    /// Spatial acceleration of the base about O: the rate of the line above with O at rest.
    pub(super) fn base_acceleration(&self) -> SpatialVelocity {
        let (V, A) = (&self.base.V_WP, &self.base.A_WP);
        let p_OP = self.base.X_WP.translation.vector - self.p_WO;
        SpatialVelocity::new(A.w, A.v - A.w.cross(&p_OP) - V.w.cross(&V.v))
    }
}

/// The place of the first node.
fn origin(tree: &Tree, q: &[f64], R_base: &Matrix3<f64>, p_WP: &Vector3<f64>) -> Vector3<f64> {
    let Some(node) = tree.nodes.first() else { return *p_WP };
    let slid = match node.motion {
        Motion::Space | Motion::Twist => Vector3::new(q[0], q[1], q[2]),
        Motion::Plane => Vector3::new(q[0], q[1], 0.0),
        _ => Vector3::zeros(),
    };
    p_WP + R_base * (node.p_PF + node.R_PF * slid)
}

/// The column of a turn about an axis through p.
#[inline]
fn turn(axis: Vector3<f64>, p: &Vector3<f64>) -> SpatialVelocity {
    SpatialVelocity { w: axis, v: p.cross(&axis) }
}

/// The column of a slide.
#[inline]
fn slide(axis: Vector3<f64>) -> SpatialVelocity {
    SpatialVelocity { w: Vector3::zeros(), v: axis }
}

/// The rotation of a unit quaternion wxyz.
#[inline]
pub(super) fn matrix(q: &[f64]) -> Matrix3<f64> {
    let (w, x, y, z) = (q[0], q[1], q[2], q[3]);
    Matrix3::new(
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        1.0 - 2.0 * (x * x + y * y),
    )
}

//! # Description: a robot as its file tells it, in SI units and plain data
//!
//! `urdf`, `mjcf` ──▶ **here** ──▶ `inspect`, [`tree`](super::tree), `[[robot]]` of scenes
//!
//! - **in**: what the readers found
//! - **out**: [`Robot`]: links with masses and shapes, joints, what couples and drives them, everything that was left out
//! - **not here**: reading; what moves (`fingerpad_sim::coordinates`)
//! - **assumes**: links stand parents first; indices point into the lists of the same robot
//! - **start at** [`Robot`]
//!
//! Frames: link B hangs on its parent P by a chain of joints. Joint k has a frame F fixed in what stands before it (P, or
//! what joint k − 1 moves); its axis is told in F. With every coordinate at zero F and what the joint moves coincide. The
//! link's own frame is `X_FB` in what the last joint moves: the identity in URDF, the offset of the joint's anchor in MJCF.

use nalgebra::{Isometry3, Matrix3, Point3, Translation3, Unit, UnitQuaternion, Vector3};
use std::path::PathBuf;
use std::sync::Arc;

/// Which language a robot was written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Unified Robot Description Format.
    Urdf,
    /// MuJoCo's XML.
    Mjcf,
}

/// Where something stands in the files of a robot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, as it was named.
    pub file: String,
    /// From 1.
    pub line: u32,
}

/// A robot.
#[derive(Clone, Debug)]
pub struct Robot {
    /// Its name.
    pub name: String,
    /// Language of the file.
    pub format: Format,
    /// Links, parents first.
    pub links: Vec<Link>,
    /// Joints, those of a link in the order in which they act, links in their order.
    pub joints: Vec<Joint>,
    /// Named frames on links (MJCF sites).
    pub frames: Vec<NamedFrame>,
    /// Equations between joint coordinates (mimic, joint and tendon equality).
    pub couplings: Vec<Coupling>,
    /// Loops closed between two links (connect, weld).
    pub loops: Vec<Loop>,
    /// Weighted sums of joint coordinates (fixed tendons).
    pub tendons: Vec<Tendon>,
    /// Drives.
    pub actuators: Vec<Actuator>,
    /// Named states.
    pub keyframes: Vec<Keyframe>,
    /// Links that do not touch each other, beside adjacent ones.
    pub excludes: Vec<[usize; 2]>,
    /// Shapes that touch whatever their bits say.
    pub pairs: Vec<[ShapeIndex; 2]>,
    /// Meshes that were read: those of collision shapes, and those that carry mass.
    pub meshes: Vec<Mesh>,
    /// Height fields.
    pub height_fields: Vec<HeightField>,
    /// Everything in the files that has no effect.
    pub ignored: Vec<Ignored>,
    /// What a user should know.
    pub warnings: Vec<String>,
    /// Files that the robot was read from, its own first.
    pub files: Vec<PathBuf>,
}

/// A shape of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShapeIndex {
    /// The link.
    pub link: usize,
    /// Its shape.
    pub shape: usize,
}

/// A body.
#[derive(Clone, Debug)]
pub struct Link {
    /// Its name.
    pub name: String,
    /// The link that it hangs on; `None` is the base (URDF: only the root; MJCF: the world).
    pub parent: Option<usize>,
    /// Joints between the parent and this link, in order; none only for a root.
    pub joints: Vec<usize>,
    /// The link's frame in what its last joint moves.
    pub X_FB: Isometry3<f64>,
    /// What it weighs; zero for a link that is only a frame.
    pub inertial: Inertial,
    /// Shapes, to touch and to look at.
    pub shapes: Vec<Shape>,
    /// Where it stands.
    pub place: Place,
}

/// Mass and its distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertial {
    /// Mass (kg).
    pub mass: f64,
    /// Centre of mass in the link (m).
    pub p_BoBcm: Point3<f64>,
    /// Inertia about it, axes of the link (kg·m²).
    pub I_BBcm_B: Matrix3<f64>,
}

impl Default for Inertial {
    fn default() -> Self {
        Inertial { mass: 0.0, p_BoBcm: Point3::origin(), I_BBcm_B: Matrix3::zeros() }
    }
}

/// How a joint moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// Not at all.
    Fixed,
    /// About its axis (rad).
    Revolute,
    /// Along its axis (m).
    Prismatic,
    /// x, y and an angle about the axis, which is z of F.
    Planar,
    /// About a point.
    Ball,
    /// Freely.
    Free,
}

impl JointKind {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            JointKind::Fixed => "fixed",
            JointKind::Revolute => "revolute",
            JointKind::Prismatic => "prismatic",
            JointKind::Planar => "planar",
            JointKind::Ball => "ball",
            JointKind::Free => "free",
        }
    }

    /// Numbers of q.
    pub fn nq(self) -> usize {
        match self {
            JointKind::Fixed => 0,
            JointKind::Revolute | JointKind::Prismatic => 1,
            JointKind::Planar => 3,
            JointKind::Ball => 4,
            JointKind::Free => 7,
        }
    }

    /// Numbers of v.
    pub fn nv(self) -> usize {
        match self {
            JointKind::Ball => 3,
            JointKind::Free => 6,
            other => other.nq(),
        }
    }
}

/// A joint.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Its name; made from the link's where the file gives none.
    pub name: String,
    /// How it moves.
    pub kind: JointKind,
    /// The link before it; `None` is the base.
    pub parent: Option<usize>,
    /// The link behind it.
    pub child: usize,
    /// Its frame in the parent, or in what the joint before it moves.
    pub X_PF: Isometry3<f64>,
    /// Axis in F.
    pub axis: Unit<Vector3<f64>>,
    /// Least and greatest coordinate (rad or m); a ball joint: 0 and its greatest angle.
    pub limits: Option<[f64; 2]>,
    /// Inertia of the drive as the joint feels it (kg·m² or kg).
    pub armature: f64,
    /// f = −damping q̇ (N·m·s/rad or N·s/m).
    pub damping: f64,
    /// Dry friction (N·m or N).
    pub friction_loss: f64,
    /// Stiffness of a spring (N·m/rad or N/m), and where it is relaxed.
    pub spring: Option<[f64; 2]>,
    /// Coordinate at which the file draws the link (MJCF `ref`; 0 otherwise).
    pub reference: f64,
    /// Largest force of whatever drives it (N·m or N).
    pub effort: Option<f64>,
    /// Largest speed that the maker allows (rad/s or m/s); told, not enforced.
    pub speed: Option<f64>,
    /// Whether the file named it.
    pub named: bool,
    /// Where it stands.
    pub place: Place,
}

impl Joint {
    /// What a hinge or a slide does at a coordinate; other joints stay at zero.
    pub fn moved(&self, q: f64) -> Isometry3<f64> {
        let (mut p, mut R) = (Translation3::identity(), UnitQuaternion::identity());
        match self.kind {
            JointKind::Revolute => R = UnitQuaternion::from_axis_angle(&self.axis, q),
            JointKind::Prismatic => p = Translation3::from(*self.axis * q),
            _ => {}
        }
        Isometry3::from_parts(p, R)
    }
}

/// A shape on a link.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Its name, where the file has one.
    pub name: Option<String>,
    /// Whether it touches others.
    pub touches: bool,
    /// Bits of MJCF: two shapes touch if `contype` of one and `conaffinity` of the other share a bit.
    pub bits: [u32; 2],
    /// Its frame in the link.
    pub X_BS: Isometry3<f64>,
    /// What it is.
    pub geometry: Geometry,
    /// Friction coefficient of the file; has no effect (materials of the scene do).
    pub friction: Option<f64>,
    /// Where it stands.
    pub place: Place,
}

/// Kinds of shapes.
#[derive(Clone, Debug, PartialEq)]
pub enum Geometry {
    /// A ball.
    Sphere {
        /// (m)
        radius: f64,
    },
    /// A box.
    Box {
        /// (m)
        half: Vector3<f64>,
    },
    /// A cylinder along z.
    Cylinder {
        /// (m)
        radius: f64,
        /// (m)
        half_length: f64,
    },
    /// A cylinder along z with balls at its ends.
    Capsule {
        /// (m)
        radius: f64,
        /// Of the cylinder (m).
        half_length: f64,
    },
    /// An ellipsoid.
    Ellipsoid {
        /// (m)
        semi_axes: Vector3<f64>,
    },
    /// z ≤ 0.
    HalfSpace,
    /// A mesh of [`Robot::meshes`].
    Mesh(usize),
    /// A height field of [`Robot::height_fields`].
    HeightField(usize),
    /// A mesh that is only looked at, and was not read.
    Picture {
        /// As the file names it.
        file: String,
    },
}

impl Geometry {
    /// Its name in reports.
    pub fn kind(&self) -> &'static str {
        match self {
            Geometry::Sphere { .. } => "sphere",
            Geometry::Box { .. } => "box",
            Geometry::Cylinder { .. } => "cylinder",
            Geometry::Capsule { .. } => "capsule",
            Geometry::Ellipsoid { .. } => "ellipsoid",
            Geometry::HalfSpace => "half-space",
            Geometry::Mesh(_) | Geometry::Picture { .. } => "mesh",
            Geometry::HeightField(_) => "height field",
        }
    }
}

/// A mesh in the shape's frame.
#[derive(Clone, Debug)]
pub struct Mesh {
    /// Its name: of the asset, or of the file.
    pub name: String,
    /// The file; none for one that stands in the robot's own file.
    pub file: Option<PathBuf>,
    /// Vertices, scaled and placed (m).
    pub vertices: Arc<Vec<Point3<f64>>>,
    /// Triangles, counter-clockwise seen from outside.
    pub faces: Arc<Vec<[u32; 3]>>,
}

/// Heights over a rectangle about the origin.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {
    /// Its name.
    pub name: String,
    /// Nodes along x.
    pub columns: usize,
    /// Nodes along y.
    pub rows: usize,
    /// Half sizes along x and y (m).
    pub half: [f64; 2],
    /// Depth of the solid below z = 0 (m).
    pub depth: f64,
    /// Heights (m), rows from least y, each from least x.
    pub z: Vec<f64>,
}

/// A frame with a name.
#[derive(Clone, Debug)]
pub struct NamedFrame {
    /// Its name.
    pub name: String,
    /// Link that it is fixed in; `None` is the base.
    pub link: Option<usize>,
    /// Where.
    pub X_BF: Isometry3<f64>,
}

/// An equation between coordinates of joints.
#[derive(Clone, Debug, PartialEq)]
pub enum Coupling {
    /// Σ coefficient · q = offset.
    Linear {
        /// Joints.
        joints: Vec<usize>,
        /// One for each.
        coefficients: Vec<f64>,
        /// (rad or m)
        offset: f64,
    },
    /// q = Σ coefficients\[k\] · q_of^k.
    Polynomial {
        /// The joint that follows.
        joint: usize,
        /// The joint that leads.
        of: usize,
        /// From the constant on.
        coefficients: [f64; 5],
    },
}

/// Two links held to each other where the tree does not.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Its name, where the file has one.
    pub name: Option<String>,
    /// Whether the orientation is held as well as the point.
    pub weld: bool,
    /// Links; `None` is the base.
    pub links: [Option<usize>; 2],
    /// The frame held, in each link.
    pub X_BL: [Isometry3<f64>; 2],
}

/// A weighted sum of coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Tendon {
    /// Its name.
    pub name: String,
    /// Joints.
    pub joints: Vec<usize>,
    /// One for each.
    pub coefficients: Vec<f64>,
    /// Least and greatest length.
    pub limits: Option<[f64; 2]>,
    /// Stiffness of a spring along it.
    pub stiffness: f64,
    /// Damping along it.
    pub damping: f64,
    /// Dry friction along it.
    pub friction_loss: f64,
}

/// What an actuator pulls at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transmission {
    /// A joint.
    Joint(usize),
    /// A tendon.
    Tendon(usize),
}

/// An actuator: force f = gain·u + bias\[0\] + bias\[1\]·l + bias\[2\]·l′ with l = gear·q, which acts on q times gear.
#[derive(Clone, Debug, PartialEq)]
pub struct Actuator {
    /// Its name.
    pub name: String,
    /// As the file calls it: `motor`, `position`, `velocity`, `general`, `transmission`.
    pub kind: &'static str,
    /// What it pulls at.
    pub transmission: Transmission,
    /// Length per coordinate.
    pub gear: f64,
    /// Force per control.
    pub gain: f64,
    /// Constant, per length, per rate of length.
    pub bias: [f64; 3],
    /// Damping ratio asked for instead of damping (MJCF `dampratio`).
    pub damping_ratio: Option<f64>,
    /// Least and greatest control.
    pub control_range: Option<[f64; 2]>,
    /// Least and greatest force.
    pub force_range: Option<[f64; 2]>,
    /// Where it stands.
    pub place: Place,
}

/// A named state.
#[derive(Clone, Debug, PartialEq)]
pub struct Keyframe {
    /// Its name.
    pub name: String,
    /// Time (s).
    pub time: f64,
    /// Coordinates of the joints in their order, as the joints' kinds count them; free joints relative to F.
    pub q: Vec<f64>,
    /// Velocities in MuJoCo's order, if the file gives them.
    pub v: Option<Vec<f64>>,
    /// Controls of the actuators, if the file gives them.
    pub controls: Option<Vec<f64>>,
}

/// Something in a file that has no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// Element, or element and attribute.
    pub element: String,
    /// Where it stands first.
    pub place: Place,
    /// How often.
    pub count: usize,
    /// Why.
    pub why: String,
}

impl Robot {
    /// Index of a link.
    pub fn link(&self, name: &str) -> Option<usize> {
        self.links.iter().position(|l| l.name == name)
    }

    /// Index of a joint.
    pub fn joint(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|j| j.name == name)
    }

    /// Poses of the links in the base, every joint at zero.
    pub fn poses_at_zero(&self) -> Vec<Isometry3<f64>> {
        self.poses(|_| 0.0)
    }

    /// Poses of the links in the base as the file draws them: zero, but for joints with a `ref`.
    pub fn poses_at_reference(&self) -> Vec<Isometry3<f64>> {
        self.poses(|joint| joint.reference)
    }

    /// Poses of the links in the base; `q` tells the coordinate of hinges and slides, other joints are at zero.
    pub fn poses(&self, q: impl Fn(&Joint) -> f64) -> Vec<Isometry3<f64>> {
        let mut poses: Vec<Isometry3<f64>> = Vec::with_capacity(self.links.len());
        for link in &self.links {
            let before = link.parent.map_or_else(Isometry3::identity, |p| poses[p]);
            let joints = link.joints.iter().map(|j| &self.joints[*j]);
            let X_WF = joints.fold(before, |X, joint| X * joint.X_PF * joint.moved(q(joint)));
            poses.push(X_WF * link.X_FB);
        }
        poses
    }

    /// Mass of all links (kg).
    pub fn total_mass(&self) -> f64 {
        self.links.iter().map(|l| l.inertial.mass).sum()
    }

    /// Where the coordinates of each joint start, and how many there are.
    pub fn coordinates(&self) -> (Vec<usize>, usize) {
        let mut next = 0;
        let starts = self.joints.iter().map(|j| {
            next += j.kind.nq();
            next - j.kind.nq()
        });
        (starts.collect(), next)
    }

    /// Whether the joints allow two links to touch: they are not one link, not neighbours, not excluded. Links that fixed
    /// joints merge count as one. What hangs on the world of an MJCF file may touch it, as in MuJoCo.
    pub fn may_touch(&self, a: usize, b: usize) -> bool {
        let (A, B) = (self.carrier(a), self.carrier(b));
        if A == B || self.excludes.iter().any(|pair| *pair == [a, b] || *pair == [b, a]) {
            return false;
        }
        let above = |x: usize| self.links[x].parent.filter(|p| !self.is_world(*p)).map(|p| self.carrier(p));
        above(A) != Some(B) && above(B) != Some(A)
    }

    /// The uppermost link that fixed joints merge a link with, short of the world.
    pub fn carrier(&self, link: usize) -> usize {
        let mut at = link;
        loop {
            let moves = self.links[at].joints.iter().any(|j| self.joints[*j].kind != JointKind::Fixed);
            match self.links[at].parent {
                Some(parent) if !moves && !self.is_world(parent) => at = parent,
                _ => return at,
            }
        }
    }

    /// Whether a link is the world of an MJCF file, which is listed only if it has shapes.
    pub fn is_world(&self, link: usize) -> bool {
        self.format == Format::Mjcf && link == 0 && self.links[0].name == "world"
    }
}

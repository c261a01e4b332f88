//! # Tree: links and joints, checked, sorted and frozen
//!
//! links in the user's order ──▶ **here** ──(nodes depth first, columns, paths, blocks)──▶ everything else in this room
//!
//! - **in**: [`Link`]s in any order, gravity
//! - **out**: [`Tree`]: nodes with parents first and subtrees contiguous; links that are fixed ride on the node before
//! - **not here**: what a single link cannot be (`check`)
//! - **start at** [`Tree::new`]
//!
//! Depth first is no matter of taste: column k of M then has all its ancestors before it, and what lies below a node is
//! one range. (Featherstone, §6.4) calls it regular numbering.

use super::check::{TreeError, check_link};
use super::frame::{Base, Frame};
use super::joint::{Joint, JointLaw};
use super::mass::{Factor, Mass};
use super::node::{Motion, Node};
use super::order::depth_first;
use super::rigid::{RigidInertia, packed};
use nalgebra::{Isometry3, Matrix3, Point3, Rotation3, UnitQuaternion, Vector3};

/// Most velocity coordinates in a block.
pub(super) const BLOCK: usize = 6;

/// Columns are numbered by 16 bits.
const MOST_COLUMNS: usize = u16::MAX as usize;

/// Entries of M at most: a chain of 8,000 joints has as many.
const MOST_ENTRIES: usize = 1 << 25;

/// One link as a robot file tells it: body B, and the joint that holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Its name.
    pub name: String,
    /// Index of the parent link; `None` is the base.
    pub parent: Option<usize>,
    /// How it moves against the parent.
    pub joint: Joint,
    /// The joint's frame F in the parent P.
    pub X_PF: Isometry3<f64>,
    /// Mass (kg).
    pub mass: f64,
    /// Centre of mass in B (m).
    pub p_BoBcm: Point3<f64>,
    /// Inertia about the centre of mass, axes of B (kg·m²).
    pub I_BBcm_B: Matrix3<f64>,
    /// Inertia of the drive as the joint feels it, added to the diagonal of M (kg·m², or kg for slides).
    pub armature: f64,
    /// What acts along its scalar coordinates: nothing, or one law for each.
    pub laws: Vec<JointLaw>,
}

/// On which node a link rides, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ride {
    /// The node; `None` is the base.
    pub node: Option<u16>,
    /// The link's frame in that node.
    pub X_NB: Isometry3<f64>,
}

/// A tree of joints, frozen.
#[derive(Clone, Debug)]
pub struct Tree {
    pub(super) links: Vec<Link>,
    pub(super) rides: Vec<Ride>,
    pub(super) nodes: Vec<Node>,
    /// Gravity (m/s²).
    pub(super) gravity_W: Vector3<f64>,
    /// Node of each column.
    pub(super) node_of: Vec<u16>,
    /// Where each row of M starts in path-sparse storage; one more than columns.
    pub(super) rows: Vec<u32>,
    /// Columns on the path of each column, from the root to itself; in the layout of `rows`.
    pub(super) columns: Vec<u16>,
    pub(super) armature: Vec<f64>,
    pub(super) laws: Vec<JointLaw>,
    /// Place in q of each column that is a scalar coordinate.
    pub(super) scalar_q: Vec<Option<u32>>,
    /// Place in the tree's q and v of each number in the user's order.
    pub(super) q_of: Vec<u32>,
    pub(super) v_of: Vec<u32>,
    /// Block and place within it of each column.
    pub(super) block_of: Vec<(u16, u8)>,
    pub(super) blocks: usize,
    /// First columns of roots that move freely in space: six from each.
    pub(super) floating: Vec<u32>,
    /// Mass of links fixed to the base, about Po in axes of P.
    pub(super) fixed: RigidInertia,
}

impl Tree {
    /// Checks, sorts and freezes.
    pub fn new(links: Vec<Link>, gravity_W: Vector3<f64>) -> Result<Self, TreeError> {
        links.iter().enumerate().try_for_each(|(i, link)| check_link(i, link))?;
        let order = depth_first(&links)?;
        let mut tree = Tree {
            rides: vec![Ride { node: None, X_NB: Isometry3::identity() }; links.len()],
            nodes: Vec::new(),
            gravity_W,
            node_of: Vec::new(),
            rows: vec![0],
            columns: Vec::new(),
            armature: Vec::new(),
            laws: Vec::new(),
            scalar_q: Vec::new(),
            q_of: Vec::new(),
            v_of: Vec::new(),
            block_of: Vec::new(),
            blocks: 0,
            floating: Vec::new(),
            fixed: RigidInertia::zero(),
            links,
        };
        let mut firsts = vec![(0, 0); tree.links.len()];
        for index in order {
            firsts[index] = (tree.nq(), tree.nv());
            if tree.nv() + BLOCK > MOST_COLUMNS || tree.entries() > MOST_ENTRIES {
                let message =
                    "the tree is too large: at most 65,535 velocities, and 2²⁵ pairs of a joint and one above it";
                let name = tree.links[index].name.clone();
                return Err(TreeError { link: index, name, field: "parent", message: message.to_string() });
            }
            tree.add(index);
        }
        tree.load();
        tree.number_user(&firsts);
        tree.cut_blocks();
        tree.check_mass()?;
        Ok(tree)
    }

    /// A root that is to be held as told: corrections of energy need not spare it.
    pub(crate) fn ground(&mut self, column: usize) {
        self.floating.retain(|first| *first as usize != column);
    }

    /// Links in the user's order.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Where a link rides.
    pub fn ride(&self, link: usize) -> &Ride {
        &self.rides[link]
    }

    /// Nodes, depth first.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Gravity (m/s²).
    pub fn gravity_W(&self) -> &Vector3<f64> {
        &self.gravity_W
    }

    /// Numbers of q.
    pub fn nq(&self) -> usize {
        self.nodes.last().map_or(0, |node| node.first_q as usize + node.motion.nq())
    }

    /// Numbers of v.
    pub fn nv(&self) -> usize {
        self.node_of.len()
    }

    /// What acts along a column.
    pub fn law(&self, column: usize) -> &JointLaw {
        &self.laws[column]
    }

    /// Armature of a column.
    pub fn armature(&self, column: usize) -> f64 {
        self.armature[column]
    }

    /// Place in q of a column whose velocity is the rate of one coordinate.
    pub fn scalar_q(&self, column: usize) -> Option<usize> {
        self.scalar_q[column].map(|at| at as usize)
    }

    /// Blocks of at most six velocity coordinates that the tree is cut into.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// Block of a column, and its place within the block.
    pub fn block_of(&self, column: usize) -> (usize, usize) {
        let (block, place) = self.block_of[column];
        (block as usize, place as usize)
    }

    /// Columns from the root to a column and with it.
    pub fn path(&self, column: usize) -> &[u16] {
        &self.columns[self.row(column)]
    }

    /// Columns that move a node, from the root.
    pub fn path_of_node(&self, node: usize) -> &[u16] {
        let node = &self.nodes[node];
        self.path(node.first_v as usize + node.motion.nv() - 1)
    }

    /// Where row k of M stands in path-sparse storage.
    #[inline]
    pub(super) fn row(&self, k: usize) -> std::ops::Range<usize> {
        self.rows[k] as usize..self.rows[k + 1] as usize
    }

    /// Entries of M that are stored.
    pub fn entries(&self) -> usize {
        self.columns.len()
    }

    /// q with every joint at zero.
    pub fn rest(&self) -> Vec<f64> {
        let mut q = vec![0.0; self.nq()];
        for node in &self.nodes {
            match node.motion {
                Motion::Ball => q[node.first_q as usize] = 1.0,
                Motion::Twist => q[node.first_q as usize + 3] = 1.0,
                _ => {}
            }
        }
        q
    }

    /// Puts one link on its node, with new nodes for a joint that moves.
    fn add(&mut self, index: usize) {
        let link = &self.links[index];
        let before = link.parent.map_or(Ride { node: None, X_NB: Isometry3::identity() }, |p| self.rides[p]);
        let X_NF = before.X_NB * link.X_PF;
        let (armature, laws) = (link.armature, link.laws.clone());
        let law = |k: usize| laws.get(k).copied().unwrap_or_default();
        let turned = |axis: &Vector3<f64>| {
            let R = Rotation3::from_matrix_unchecked(along_z(axis));
            Isometry3::from_parts(Vector3::zeros().into(), UnitQuaternion::from_rotation_matrix(&R))
        };
        let none = Isometry3::identity();
        let (node, X_NB) = match link.joint {
            Joint::Fixed => (before.node, X_NF),
            Joint::Revolute(axis) => {
                let A = turned(&axis);
                (Some(self.push(index, before.node, Motion::Turn, X_NF * A, armature, &[law(0)])), A.inverse())
            }
            Joint::Prismatic(axis) => {
                let A = turned(&axis);
                (Some(self.push(index, before.node, Motion::Slide, X_NF * A, armature, &[law(0)])), A.inverse())
            }
            Joint::Planar => {
                let slides = self.push(index, before.node, Motion::Plane, X_NF, armature, &[law(0), law(1)]);
                (Some(self.push(index, Some(slides), Motion::Turn, none, armature, &[law(2)])), none)
            }
            Joint::Ball => (Some(self.push(index, before.node, Motion::Ball, X_NF, armature, &[])), none),
            Joint::Free => {
                let slides = self.push(index, before.node, Motion::Space, X_NF, 0.0, &[]);
                (Some(self.push(index, Some(slides), Motion::Ball, none, 0.0, &[])), none)
            }
            Joint::FreeTwist => (Some(self.push(index, before.node, Motion::Twist, X_NF, 0.0, &[])), none),
        };
        if matches!(self.links[index].joint, Joint::Free | Joint::FreeTwist) && before.node.is_none() {
            self.floating.push(self.nv() as u32 - 6);
        }
        self.rides[index] = Ride { node, X_NB };
    }

    /// A new node at the end.
    fn push(
        &mut self,
        link: usize,
        parent: Option<u16>,
        motion: Motion,
        X_PF: Isometry3<f64>,
        armature: f64,
        laws: &[JointLaw],
    ) -> u16 {
        let (first_q, first_v, index) = (self.nq() as u32, self.nv() as u32, self.nodes.len() as u16);
        let path: Vec<u16> = parent.map_or(Vec::new(), |p| self.path_of_node(p as usize).to_vec());
        for k in 0..motion.nv() {
            let column = first_v as usize + k;
            self.columns.extend(path.iter().copied().chain((first_v as usize..=column).map(|c| c as u16)));
            self.rows.push(self.columns.len() as u32);
            self.node_of.push(index);
            self.armature.push(armature);
            self.laws.push(laws.get(k).copied().unwrap_or_default());
            self.scalar_q.push((motion.nq() == motion.nv()).then_some(first_q + k as u32));
        }
        self.nodes.push(Node {
            parent,
            motion,
            R_PF: *X_PF.rotation.to_rotation_matrix().matrix(),
            p_PF: X_PF.translation.vector,
            first_q,
            first_v,
            mass: 0.0,
            p_NNcm: Vector3::zeros(),
            I_NNcm_N: [0.0; 6],
            link: link as u32,
        });
        index
    }

    /// Adds up the masses of the links that ride on each node.
    fn load(&mut self) {
        let mut sums = vec![RigidInertia::zero(); self.nodes.len()];
        let mut riders = vec![0; self.nodes.len()];
        for (link, ride) in self.links.iter().zip(&self.rides) {
            let c = (ride.X_NB * link.p_BoBcm).coords;
            let R = ride.X_NB.rotation.to_rotation_matrix();
            let placed = RigidInertia::placed(link.mass, &c, &packed(&link.I_BBcm_B), R.matrix());
            match ride.node {
                None => self.fixed += placed,
                Some(node) => {
                    sums[node as usize] += placed;
                    riders[node as usize] += 1;
                    let node = &mut self.nodes[node as usize];
                    // A single link keeps its numbers: shifting them to the origin and back costs digits.
                    (node.mass, node.p_NNcm) = (link.mass, c);
                    node.I_NNcm_N = super::rigid::turned(&packed(&link.I_BBcm_B), R.matrix());
                }
            }
        }
        for ((node, sum), riders) in self.nodes.iter_mut().zip(sums).zip(riders) {
            if riders > 1 {
                let c = if sum.m > 0.0 { sum.mc / sum.m } else { Vector3::zeros() };
                let away = RigidInertia::placed(sum.m, &c, &[0.0; 6], &Matrix3::identity());
                (node.mass, node.p_NNcm) = (sum.m, c);
                node.I_NNcm_N = std::array::from_fn(|k| sum.I[k] - away.I[k]);
            }
        }
    }

    /// Cuts the columns into blocks: a node goes on with the block of its parent where it is the only child and fits in.
    fn cut_blocks(&mut self) {
        let mut children = vec![0; self.nodes.len()];
        self.nodes.iter().filter_map(|node| node.parent).for_each(|p| children[p as usize] += 1);
        let mut sizes: Vec<usize> = Vec::new();
        self.block_of = vec![(0, 0); self.nv()];
        for node in &self.nodes {
            let (first, count) = (node.first_v as usize, node.motion.nv());
            let before = node.parent.filter(|p| children[*p as usize] == 1).map(|p| {
                let parent = &self.nodes[p as usize];
                self.block_of[parent.first_v as usize].0 as usize
            });
            let block = before.filter(|b| sizes[*b] + count <= BLOCK).unwrap_or_else(|| {
                sizes.push(0);
                sizes.len() - 1
            });
            for k in 0..count {
                self.block_of[first + k] = (block as u16, sizes[block] as u8);
                sizes[block] += 1;
            }
        }
        self.blocks = sizes.len();
    }

    /// Every coordinate moves some mass, at least with all joints at zero.
    fn check_mass(&self) -> Result<(), TreeError> {
        let (mut frame, mut mass, mut factor) = (Frame::new(self), Mass::new(self), Factor::new(self));
        frame.place(self, &self.rest(), &Base::default());
        mass.compute(self, &frame);
        factor.compute(self, &mass).map_err(|wrong| {
            let link = self.nodes[self.node_of[wrong.column] as usize].link as usize;
            let message = "its joint can move without moving any mass; a mass further out or armature is needed";
            TreeError { link, name: self.links[link].name.clone(), field: "mass", message: message.to_string() }
        })
    }
}

/// A rotation whose third column is the axis (Duff); exact for axes along x, y and z.
fn along_z(axis: &Vector3<f64>) -> Matrix3<f64> {
    let sign = 1.0_f64.copysign(axis.z);
    let a = -1.0 / (sign + axis.z);
    let b = axis.x * axis.y * a;
    let x = Vector3::new(1.0 + sign * axis.x * axis.x * a, sign * b, -sign * axis.x);
    let y = Vector3::new(b, sign + axis.y * axis.y * a, -axis.y);
    Matrix3::from_columns(&[x, y, *axis])
}

//! # Arms: contact rows on blocks of unit-mass coordinates
//!
//! node, contact wrenches ──▶ **here** ──(rows J L⁻¹, cut by block)──▶ solvers of contacts
//!
//! - **in**: a [`Frame`], its [`Factor`]; up to four wrenches on a node (normal, two tangents, spin)
//! - **out**: [`Arm`]s: for each block on the node's path four rows of six numbers
//! - **not here**: what the rows mean (`site`); solving
//! - **start at** [`Arms::add`]
//!
//! With x = L v the mass is 1: ½ vᵀM v = ½ |x|². A wrench row J becomes y = J L⁻¹ by one sweep along the path, and has
//! the zeros of J: the factor has no fill outside pairs of ancestors. Both sides of a contact within one tree are added
//! where their paths are common. Blocks with fewer than six coordinates are padded with zeros.

use super::frame::Frame;
use super::mass::Factor;
use super::tree::{BLOCK, Tree};
use fingerpad_contact::spatial::SpatialForce;
use nalgebra::Point3;

/// Rows of one contact on one block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arm {
    /// The block.
    pub block: u32,
    /// Up to four rows on its unit-mass coordinates.
    pub rows: [[f64; BLOCK]; 4],
}

/// Scratch for arms of one tree.
#[derive(Clone, Debug)]
pub struct Arms {
    row: Vec<f64>,
}

impl Arms {
    /// Scratch for a tree.
    pub fn new(tree: &Tree) -> Self {
        let longest = (0..tree.nv()).map(|k| tree.path(k).len()).max().unwrap_or(0);
        Self { row: vec![0.0; longest] }
    }

    /// Adds `sign` times the rows of wrenches on a node to the arms from `first` on; new blocks are appended, those of
    /// an earlier side of the same contact summed. Wrenches are told about O in world axes ([`Frame::about_origin`]).
    #[allow(clippy::too_many_arguments)] // one side of one contact
    pub fn add(
        &mut self,
        tree: &Tree,
        frame: &Frame,
        factor: &Factor,
        node: usize,
        wrenches: &[SpatialForce],
        sign: f64,
        first: usize,
        arms: &mut Vec<Arm>,
    ) {
        let path = tree.path_of_node(node);
        let column = path[path.len() - 1] as usize;
        for (r, wrench) in wrenches.iter().enumerate() {
            let row = &mut self.row[..path.len()];
            for (x, k) in row.iter_mut().zip(path) {
                *x = sign * wrench.power(&frame.S[*k as usize]);
            }
            factor.sweep(tree, column, row);
            let mut at = usize::MAX;
            for (x, k) in row.iter().zip(path) {
                let (block, place) = tree.block_of[*k as usize];
                if at == usize::MAX || arms[at].block != u32::from(block) {
                    at = find(arms, first, u32::from(block));
                }
                arms[at].rows[r][place as usize] += x;
            }
        }
    }
}

/// The arm of a block, new where there is none.
fn find(arms: &mut Vec<Arm>, first: usize, block: u32) -> usize {
    match arms[first..].iter().position(|arm| arm.block == block) {
        Some(at) => first + at,
        None => {
            arms.push(Arm { block, rows: [[0.0; BLOCK]; 4] });
            arms.len() - 1
        }
    }
}

impl Frame {
    /// A wrench at a point of the world, told about O.
    pub fn about_origin(&self, F: &SpatialForce, p_W: &Point3<f64>) -> SpatialForce {
        F.shift(self.p_WO - p_W.coords)
    }

    /// Adds Jᵀ F of a wrench on a node (about O) to forces along coordinates.
    pub fn add_wrench(&self, tree: &Tree, node: usize, F: &SpatialForce, tau: &mut [f64]) {
        for k in tree.path_of_node(node) {
            tau[*k as usize] += F.power(&self.S[*k as usize]);
        }
    }
}

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
    rows: Vec<[f64; 4]>,
}

impl Arms {
    /// Scratch for a tree.
    pub fn new(tree: &Tree) -> Self {
        let longest = (0..tree.nv()).map(|k| tree.path(k).len()).max().unwrap_or(0);
        Self { rows: vec![[0.0; 4]; longest] }
    }

    /// Adds `sign` times the rows of up to four wrenches on a node to the arms from `first` on; new blocks are appended, those of
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
        let mut signed = [SpatialForce::zero(); 4];
        signed.iter_mut().zip(wrenches).for_each(|(F, wrench)| (F.t, F.f) = (wrench.t * sign, wrench.f * sign));
        let rows = &mut self.rows[..path.len()];
        for (x, k) in rows.iter_mut().zip(path) {
            let S = &frame.S[*k as usize];
            *x = std::array::from_fn(|r| signed[r].power(S));
        }
        if let Some(last) = path.last() {
            factor.sweep_together(tree, *last as usize, rows);
        }
        // A path passes through each block once, from its first coordinate on.
        let mut rest = &*rows;
        let mut columns = path;
        while let Some(k) = columns.first() {
            let block = tree.block_of[*k as usize].0;
            let count = columns.iter().take_while(|k| tree.block_of[**k as usize].0 == block).count().min(BLOCK);
            let arm = find(arms, first, u32::from(block));
            for (place, y) in rest[..count].iter().enumerate() {
                (0..4).for_each(|r| arm.rows[r][place] += y[r]);
            }
            (rest, columns) = (&rest[count..], &columns[count..]);
        }
    }
}

/// The arm of a block, new where there is none.
fn find(arms: &mut Vec<Arm>, first: usize, block: u32) -> &mut Arm {
    let at = arms[first..].iter().position(|arm| arm.block == block).map_or(arms.len(), |at| first + at);
    if at == arms.len() {
        arms.push(Arm { block, rows: [[0.0; BLOCK]; 4] });
    }
    &mut arms[at]
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

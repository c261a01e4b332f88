//! # An island with trees as one list of unknowns
//!
//! - **in**: members of an island (trees and bodies), rows of its contacts
//! - **out**: J s and Jᵀ f over all unknowns; Newton's matrix ([`Skyline`])
//! - **not here**: what is solved (`solve`)
//! - **start at** [`IslandRoom::set_up`]

use super::super::block::Weights;
use super::super::law::Held;
use super::super::rows::ContactConstraint;
use super::super::solver_body::SolverBody;
use super::TreeStep;
use super::skyline::Skyline;
use crate::coordinates::{Intervals, LockedColumns};
use crate::model::Model;
use crate::model::body::Mobility;
use fingerpad_contact::spatial::SpatialForce;
use nalgebra::{Matrix4, Vector3, Vector4};

/// A tree or a body among the unknowns.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// The tree, or none for a body by itself.
    pub tree: Option<usize>,
    pub body: usize,
    /// Its first unknown, and how many it has.
    pub base: usize,
    pub len: usize,
}

/// Rows of the joints of an island's trees, along any direction.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    pub a: Vec<f64>,
    pub x: Vec<f64>,
    pub b: Vec<f64>,
    pub of: Intervals,
}

/// What a contact does to one unknown: four rows.
#[derive(Clone, Copy, Debug)]
struct Entry {
    column: u32,
    rows: [f64; 4],
}

/// The room.
#[derive(Clone, Debug, Default)]
pub struct IslandRoom {
    pub members: Vec<Member>,
    pub n: usize,
    entries: Vec<Entry>,
    /// Where the entries of each contact end.
    ends: Vec<usize>,
    /// Newton's matrix.
    pub H: Skyline,
    /// Limits and dry friction of the joints, by unknown.
    pub columns: LockedColumns,
    /// Rows of the joints where equations tie them.
    pub rows: Rows,
    pub by_rows: bool,
    pub renewed: Vec<Held>,
    pub scratch: Vec<f64>,
    pub s: Vec<f64>,
    pub start: Vec<f64>,
    pub r: Vec<f64>,
    pub d: Vec<f64>,
    /// Jᵀ (h f) and Jᵀ (w J s) over all unknowns.
    pub forced: Vec<f64>,
    pub blended: Vec<f64>,
}

impl IslandRoom {
    /// Members and rows of an island.
    pub fn set_up(
        &mut self,
        model: &Model,
        trees: &[TreeStep],
        bodies: &[SolverBody],
        members: &[u32],
        active: &[ContactConstraint],
    ) {
        self.members.clear();
        self.n = 0;
        // Bodies first: they are eliminated last.
        for trees in [false, true] {
            for body in members.iter().map(|body| *body as usize) {
                let (tree, len) = match model.bodies()[body].mobility {
                    Mobility::Link { tree, .. } => (Some(tree), model.trees()[tree].tree.nv()),
                    _ => (None, 6),
                };
                if tree.is_some() == trees {
                    self.members.push(Member { tree, body, base: self.n, len });
                    self.n += len;
                }
            }
        }
        let n = self.n;
        for list in [&mut self.s, &mut self.start, &mut self.r, &mut self.d, &mut self.forced, &mut self.blended] {
            list.clear();
            list.resize(n, 0.0);
        }
        self.entries.clear();
        self.ends.clear();
        for contact in active {
            for (side, body) in [contact.a, contact.b].into_iter().enumerate() {
                if bodies[body].moves() {
                    self.add_side(model, trees, bodies, contact, (side, body));
                }
            }
            self.ends.push(self.entries.len());
        }
        self.couple(model, trees);
    }

    /// Which unknowns are coupled.
    fn couple(&mut self, model: &Model, trees: &[TreeStep]) {
        self.H.begin(self.n);
        for member in &self.members {
            let Some(t) = member.tree else { continue };
            let tree = &model.trees()[t].tree;
            for k in 0..member.len {
                tree.path(k).iter().for_each(|a| self.H.couple(member.base + k, member.base + *a as usize));
            }
            trees[t].work.joints.each_pair(|i, j| self.H.couple(member.base + i, member.base + j));
        }
        let mut first = 0;
        for end in &self.ends {
            let entries = &self.entries[first..*end];
            first = *end;
            // Each with the last of them.
            if let Some(last) = entries.iter().map(|entry| entry.column).max() {
                entries.iter().for_each(|entry| self.H.couple(entry.column as usize, last as usize));
            }
        }
        self.H.close();
    }

    fn add_side(
        &mut self,
        model: &Model,
        trees: &[TreeStep],
        bodies: &[SolverBody],
        contact: &ContactConstraint,
        (side, body): (usize, usize),
    ) {
        let Mobility::Link { tree, link } = model.bodies()[body].mobility else {
            let Some(member) = self.members.iter().find(|m| m.tree.is_none() && m.body == body) else { return };
            let J = if side == 0 { &contact.JA } else { &contact.JB };
            for k in 0..6 {
                let rows = [0, 1, 2, 3].map(|r| J.0[r][k]);
                self.entries.push(Entry { column: (member.base + k) as u32, rows });
            }
            return;
        };
        let Some(base) = self.members.iter().find(|m| m.tree == Some(tree)).map(|m| m.base) else { return };
        let (made, step) = (&model.trees()[tree].tree, &trees[tree]);
        let (Some(node), Some(motion)) = (made.ride(link).node, bodies[body].link()) else { return };
        let frame = &step.work.mid;
        let raw = &contact.raw[side].0;
        let wrench = |row: &[f64; 6]| {
            let F = SpatialForce::new(Vector3::new(row[0], row[1], row[2]), Vector3::new(row[3], row[4], row[5]));
            frame.about_origin(&F, &motion.p_mid.into())
        };
        let wrenches = [wrench(&raw[0]), wrench(&raw[1]), wrench(&raw[2]), wrench(&raw[3])];
        for k in made.path_of_node(node as usize) {
            let S = frame.column(*k as usize);
            let rows = [0, 1, 2, 3].map(|r: usize| wrenches[r].power(S));
            self.entries.push(Entry { column: (base + *k as usize) as u32, rows });
        }
    }

    fn of(&self, contact: usize) -> std::ops::Range<usize> {
        let first = if contact == 0 { 0 } else { self.ends[contact - 1] };
        first..self.ends[contact]
    }

    /// J s of a contact.
    pub fn along(&self, contact: usize) -> Vector4<f64> {
        let mut z = [0.0; 4];
        for Entry { column, rows } in &self.entries[self.of(contact)] {
            let s = self.s[*column as usize];
            (0..4).for_each(|r| z[r] += rows[r] * s);
        }
        z.into()
    }

    /// Adds Jᵀ f of a contact to a list over the unknowns.
    pub fn back(&self, contact: usize, f: &Vector4<f64>, sum: &mut [f64]) {
        for Entry { column, rows } in &self.entries[self.of(contact)] {
            sum[*column as usize] += rows[0] * f[0] + rows[1] * f[1] + rows[2] * f[2] + rows[3] * f[3];
        }
    }

    /// Adds Jᵀ K J of a contact to the lower half of Newton's matrix.
    pub fn add_slope(&mut self, contact: usize, K: &Weights) {
        let K = match K {
            Weights::Full(K) => *K,
            Weights::Each(k) => Matrix4::from_diagonal(k),
        };
        let range = self.of(contact);
        for one in &self.entries[range.clone()] {
            let weighed: [f64; 4] = [0, 1, 2, 3].map(|r: usize| (0..4).map(|c| K[(c, r)] * one.rows[c]).sum::<f64>());
            for two in self.entries[range.clone()].iter().filter(|two| two.column <= one.column) {
                let product: f64 = (0..4).map(|r| weighed[r] * two.rows[r]).sum();
                self.H.add(one.column as usize, two.column as usize, product);
            }
        }
    }
}

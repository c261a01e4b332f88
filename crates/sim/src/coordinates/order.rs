//! # Order: depth first inside, the user's outside
//!
//! - **in**: links with parents by index, in any order
//! - **out**: an order with parents first and subtrees contiguous, or the loop that forbids one; q and v from the user's
//!   order into the tree's and back
//! - **start at** [`depth_first`]

use super::check::TreeError;
use super::joint::Joint;
use super::tree::{Link, Tree};

/// Links with parents first, depth first, siblings in the user's order; names what is in a loop.
pub(super) fn depth_first(links: &[Link]) -> Result<Vec<usize>, TreeError> {
    let refuse = |link: usize, message: String| {
        Err(TreeError { link, name: links[link].name.clone(), field: "parent", message })
    };
    let mut children = vec![Vec::new(); links.len()];
    let mut open = Vec::new();
    for (i, link) in links.iter().enumerate() {
        match link.parent {
            None => open.push(i),
            Some(p) if p >= links.len() => {
                return refuse(i, format!("its parent is link {p}, but there are only {} links", links.len()));
            }
            Some(p) => children[p].push(i),
        }
    }
    open.reverse();
    let mut order = Vec::with_capacity(links.len());
    while let Some(i) = open.pop() {
        order.push(i);
        open.extend(children[i].iter().rev());
    }
    if order.len() == links.len() {
        return Ok(order);
    }
    // Whoever was not reached from a root hangs on a loop: go up until a link comes again.
    let mut seen = vec![false; links.len()];
    order.iter().for_each(|i| seen[*i] = true);
    let mut at = seen.iter().position(|seen| !seen).unwrap_or_default();
    while !seen[at] {
        seen[at] = true;
        at = links[at].parent.unwrap_or_default();
    }
    let mut round = vec![links[at].name.clone()];
    let mut next = links[at].parent.unwrap_or(at);
    while next != at {
        round.push(links[next].name.clone());
        next = links[next].parent.unwrap_or(at);
    }
    round.push(links[at].name.clone());
    refuse(at, format!("parents go round in a loop: {}", round.join(" → ")))
}

impl Tree {
    /// Place in the tree's q of each number in the user's order.
    pub fn q_of_user(&self) -> &[u32] {
        &self.q_of
    }

    /// Place in the tree's v of each number in the user's order.
    pub fn v_of_user(&self) -> &[u32] {
        &self.v_of
    }

    /// q in the tree's order.
    pub fn q_from_user(&self, user: &[f64], q: &mut [f64]) {
        self.q_of.iter().zip(user).for_each(|(at, x)| q[*at as usize] = *x);
    }

    /// v, or a force along coordinates, in the tree's order.
    pub fn v_from_user(&self, user: &[f64], v: &mut [f64]) {
        self.v_of.iter().zip(user).for_each(|(at, x)| v[*at as usize] = *x);
    }

    /// q in the user's order.
    pub fn q_to_user(&self, q: &[f64]) -> Vec<f64> {
        self.q_of.iter().map(|at| q[*at as usize]).collect()
    }

    /// v, or a force along coordinates, in the user's order.
    pub fn v_to_user(&self, v: &[f64]) -> Vec<f64> {
        self.v_of.iter().map(|at| v[*at as usize]).collect()
    }

    /// Where each number of the user's order went. A free joint is slides, then turns here, and turns first for users.
    pub(super) fn number_user(&mut self, firsts: &[(usize, usize)]) {
        for (link, (first_q, first_v)) in self.links.iter().zip(firsts) {
            self.q_of.extend((0..link.joint.nq()).map(|k| (first_q + k) as u32));
            let swapped = link.joint == Joint::Free;
            let place = |k: usize| first_v + if swapped { (k + 3) % 6 } else { k };
            self.v_of.extend((0..link.joint.nv()).map(|k| place(k) as u32));
        }
    }
}

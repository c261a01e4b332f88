//! # Pattern: which blocks an island's matrix has, and which contacts make them
//!
//! - **in**: which bodies touch
//! - **out**: the order and blocks of `fingerpad_solve::sparse`; which contacts make which block
//! - **not here**: order and fill (`fingerpad_solve::sparse`), numbers (`sparse`)
//! - **start at** [`Pattern::analyse`]

use fingerpad_solve::sparse::{self, Fill};
use std::ops::Deref;

pub use fingerpad_solve::sparse::NONE;

/// Where blocks are, in which order bodies are, and which contacts make which block.
#[derive(Clone, Debug, Default)]
pub struct Pattern {
    graph: sparse::Pattern,
    /// First of `touches` of each body in order, one more at the end.
    touch_starts: Vec<u32>,
    touches: Vec<Touch>,
}

/// A contact on a body.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// Which of the island.
    pub contact: u32,
    /// It is its body B.
    pub is_b: bool,
    /// The block of this column that both bodies share, if the other comes later.
    pub block: u32,
}

/// Order and blocks without contacts.
impl Deref for Pattern {
    type Target = sparse::Pattern;

    fn deref(&self) -> &sparse::Pattern {
        &self.graph
    }
}

impl Pattern {
    /// Order and fill for `count` bodies and the contacts between them; a body that is held is none.
    pub fn analyse(&mut self, count: usize, contacts: impl Iterator<Item = (u32, u32)> + Clone) {
        self.graph.analyse(count, contacts.clone(), Fill::SparseInHeaps);
        self.touch(count, contacts);
    }

    /// Which contacts make the blocks of each column.
    fn touch(&mut self, count: usize, contacts: impl Iterator<Item = (u32, u32)> + Clone) {
        let placed = |body: u32| if body == NONE { NONE } else { self.graph.place[body as usize] };
        self.touch_starts.clear();
        self.touch_starts.resize(count + 1, 0);
        for body in contacts.clone().flat_map(|(a, b)| [a, b]).filter(|body| *body != NONE) {
            self.touch_starts[placed(body) as usize + 1] += 1;
        }
        for i in 0..count {
            self.touch_starts[i + 1] += self.touch_starts[i];
        }
        self.touches.clear();
        self.touches.resize(self.touch_starts[count] as usize, Touch { contact: 0, is_b: false, block: NONE });
        // Filled from the front; starts move on to ends, and back.
        for (contact, (a, b)) in contacts.enumerate() {
            let (a, b) = (placed(a), placed(b));
            for (is_b, own, other) in [(false, a, b), (true, b, a)] {
                if own == NONE {
                    continue;
                }
                let block =
                    if other != NONE && other > own { self.graph.find(own, other).unwrap_or(NONE) } else { NONE };
                let at = &mut self.touch_starts[own as usize];
                self.touches[*at as usize] = Touch { contact: contact as u32, is_b, block };
                *at += 1;
            }
        }
        self.touch_starts.rotate_right(1);
        self.touch_starts[0] = 0;
    }

    /// Contacts on the body at a place.
    #[inline]
    pub fn touches(&self, place: usize) -> &[Touch] {
        &self.touches[self.touch_starts[place] as usize..self.touch_starts[place + 1] as usize]
    }
}

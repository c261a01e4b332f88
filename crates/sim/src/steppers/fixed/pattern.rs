//! # Pattern: in which order bodies are eliminated, and which blocks that makes
//!
//! - **in**: which bodies touch
//! - **out**: an order of bodies; where blocks are; which contacts make which
//! - **not here**: numbers (`sparse`)
//! - **start at** [`Pattern::analyse`]
//!
//! Stacks, hands and small heaps fill in little: bodies are eliminated in order of least degree, ties by index, so that
//! equal graphs give equal orders. What one elimination touches is listed beforehand; the numbers then only follow the
//! list.
//!
//! In a heap of many bodies the factor would fill in with the square of their number and more; it keeps the zeros of the
//! graph (incomplete). Bodies are in order of their distance along contacts from one end of the heap. Large heaps are cut
//! along that order into domains, and the factor leaves out what joins two of them.

/// Where blocks are, and in which order bodies are.
#[derive(Clone, Debug, Default)]
pub struct Pattern {
    /// Place in the order of each body.
    pub place: Vec<u32>,
    /// Bodies in order.
    pub order: Vec<u32>,
    /// First block below the diagonal of each column, one more at the end.
    pub(super) starts: Vec<u32>,
    /// Row (place) of each block below the diagonal, rising within a column.
    pub(super) rows: Vec<u32>,
    /// For each pair of blocks of a column, the block it is taken from; diagonals after all others.
    pub(super) targets: Vec<u32>,
    /// Whether the factor leaves out what would fill in.
    pub incomplete: bool,
    /// First of `touches` of each body in order, one more at the end.
    touch_starts: Vec<u32>,
    touches: Vec<Touch>,
    pub(super) domains: Domains,
    neighbours: Vec<Vec<u32>>,
    done: Vec<bool>,
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

/// How the matrix of a heap is multiplied, and its incomplete factor.
#[derive(Clone, Debug, Default)]
pub(super) struct Domains {
    /// Where domains end, in places.
    pub(super) ends: Vec<u32>,
    /// Where their blocks below the diagonal end.
    pub(super) block_ends: Vec<u32>,
    /// First block of the factor of each column, one more at the end; rows and the matrix's blocks they are made from.
    pub(super) starts: Vec<u32>,
    pub(super) rows: Vec<u32>,
    pub(super) sources: Vec<u32>,
    /// As in [`Pattern`], without diagonals: these are found by their row.
    pub(super) targets: Vec<u32>,
    pub(super) target_starts: Vec<u32>,
    /// Blocks of the matrix in each row, with their columns.
    pub(super) across_starts: Vec<u32>,
    pub(super) across: Vec<(u32, u32)>,
}

/// No block.
pub const NONE: u32 = u32::MAX;
/// Islands of more bodies, each touching more than three others on average, are heaps.
const HEAP: usize = 16;
/// Heaps of at least twice as many bodies are cut into domains.
const DOMAIN: usize = 64;
/// Most domains.
const DOMAINS: usize = 16;

impl Pattern {
    /// Order and fill for `count` bodies and the contacts between them; a body that is held is none.
    pub fn analyse(&mut self, count: usize, contacts: impl Iterator<Item = (u32, u32)> + Clone) {
        while self.neighbours.len() < count {
            self.neighbours.push(Vec::new());
        }
        for list in &mut self.neighbours[..count] {
            list.clear();
        }
        for (i, j) in contacts.clone().filter(|(i, j)| *i != NONE && *j != NONE) {
            insert(&mut self.neighbours[i as usize], j);
            insert(&mut self.neighbours[j as usize], i);
        }
        let touching = self.neighbours[..count].iter().map(Vec::len).sum::<usize>() / 2;
        self.incomplete = count > HEAP && 2 * touching > 3 * count;
        self.order.clear();
        if self.incomplete {
            self.walk(count);
        } else {
            self.eliminate(count);
        }
        self.place.clear();
        self.place.resize(count, 0);
        for (place, &body) in self.order.iter().enumerate() {
            self.place[body as usize] = place as u32;
        }
        self.list(count);
        self.touch(count, contacts);
        if self.incomplete {
            self.cut(count);
        }
    }

    /// Order of least degree; what fills in.
    fn eliminate(&mut self, count: usize) {
        self.done.clear();
        self.done.resize(count, false);
        for _ in 0..count {
            let mut best: Option<usize> = None;
            for i in 0..count {
                let degree = |i: usize| self.neighbours[i].len();
                if !self.done[i] && best.is_none_or(|b| degree(i) < degree(b)) {
                    best = Some(i);
                }
            }
            let Some(i) = best else { break };
            self.done[i] = true;
            self.order.push(i as u32);
            // Its neighbours become neighbours of each other; its own list stays as its column.
            let list = std::mem::take(&mut self.neighbours[i]);
            for &j in &list {
                let other = &mut self.neighbours[j as usize];
                if let Ok(at) = other.binary_search(&(i as u32)) {
                    other.remove(at);
                }
                for &k in &list {
                    if k != j {
                        insert(&mut self.neighbours[j as usize], k);
                    }
                }
            }
            self.neighbours[i] = list;
        }
    }

    /// Order by distance along contacts from a body that is far from another.
    fn walk(&mut self, count: usize) {
        let mut from = 0;
        for _ in 0..2 {
            self.order.clear();
            self.done.clear();
            self.done.resize(count, false);
            self.order.push(from);
            self.done[from as usize] = true;
            let mut next = 0;
            while let Some(&i) = self.order.get(next) {
                next += 1;
                for &j in &self.neighbours[i as usize] {
                    if !self.done[j as usize] {
                        self.done[j as usize] = true;
                        self.order.push(j);
                    }
                }
            }
            from = self.order[self.order.len() - 1];
        }
        debug_assert_eq!(self.order.len(), count, "an island hangs together");
    }

    /// Columns and what each elimination touches.
    fn list(&mut self, count: usize) {
        self.starts.clear();
        self.rows.clear();
        for (column, &body) in self.order.iter().enumerate() {
            self.starts.push(self.rows.len() as u32);
            let first = self.rows.len();
            let places = self.neighbours[body as usize].iter().map(|j| self.place[*j as usize]);
            self.rows.extend(places.filter(|row| *row > column as u32));
            self.rows[first..].sort_unstable();
        }
        self.starts.push(self.rows.len() as u32);
        self.targets.clear();
        if self.incomplete {
            return;
        }
        for column in 0..count {
            let (first, last) = (self.starts[column] as usize, self.starts[column + 1] as usize);
            for k in first..last {
                for i in k..last {
                    // What fills in was listed.
                    let target = self.find(self.rows[k], self.rows[i]);
                    debug_assert!(target.is_some());
                    self.targets.push(target.unwrap_or_default());
                }
            }
        }
    }

    /// Which contacts make the blocks of each column.
    fn touch(&mut self, count: usize, contacts: impl Iterator<Item = (u32, u32)> + Clone) {
        let placed = |body: u32| if body == NONE { NONE } else { self.place[body as usize] };
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
                let block = if other != NONE && other > own { self.find(own, other).unwrap_or(NONE) } else { NONE };
                let at = &mut self.touch_starts[own as usize];
                self.touches[*at as usize] = Touch { contact: contact as u32, is_b, block };
                *at += 1;
            }
        }
        self.touch_starts.rotate_right(1);
        self.touch_starts[0] = 0;
    }

    /// Domains, the zeros of their factors, and the matrix by rows.
    fn cut(&mut self, count: usize) {
        let Self { domains, starts, rows, .. } = self;
        let parts = (count / DOMAIN).clamp(1, DOMAINS);
        // Powers of two share evenly among threads.
        let parts = 1 << parts.ilog2();
        domains.ends.clear();
        domains.ends.extend((1..=parts).map(|d| (d * count / parts) as u32));
        domains.starts.clear();
        domains.rows.clear();
        domains.sources.clear();
        domains.block_ends.clear();
        let mut domain = 0;
        for column in 0..count {
            if column as u32 == domains.ends[domain] {
                domains.block_ends.push(domains.rows.len() as u32);
                domain += 1;
            }
            domains.starts.push(domains.rows.len() as u32);
            for k in starts[column]..starts[column + 1] {
                if rows[k as usize] < domains.ends[domain] {
                    domains.rows.push(rows[k as usize]);
                    domains.sources.push(k);
                }
            }
        }
        domains.starts.push(domains.rows.len() as u32);
        domains.block_ends.push(domains.rows.len() as u32);
        domains.targets.clear();
        domains.target_starts.clear();
        for column in 0..count {
            domains.target_starts.push(domains.targets.len() as u32);
            let (first, last) = (domains.starts[column] as usize, domains.starts[column + 1] as usize);
            for k in first..last {
                let row = domains.rows[k] as usize;
                let (from, to) = (domains.starts[row] as usize, domains.starts[row + 1] as usize);
                for i in k + 1..last {
                    let found = domains.rows[from..to].binary_search(&domains.rows[i]);
                    domains.targets.push(found.map_or(NONE, |at| (from + at) as u32));
                }
            }
        }
        domains.across_starts.clear();
        domains.across_starts.resize(count + 1, 0);
        for &row in rows.iter() {
            domains.across_starts[row as usize + 1] += 1;
        }
        for i in 0..count {
            domains.across_starts[i + 1] += domains.across_starts[i];
        }
        domains.across.clear();
        domains.across.resize(rows.len(), (0, 0));
        for column in 0..count {
            for k in starts[column]..starts[column + 1] {
                let at = &mut domains.across_starts[rows[k as usize] as usize];
                domains.across[*at as usize] = (k, column as u32);
                *at += 1;
            }
        }
        domains.across_starts.rotate_right(1);
        domains.across_starts[0] = 0;
    }

    /// Index of the block at two places, if there is one; diagonals after all others.
    pub(super) fn find(&self, one: u32, other: u32) -> Option<u32> {
        let (column, row) = (one.min(other), one.max(other));
        if column == row {
            return Some(self.rows.len() as u32 + column);
        }
        let (first, last) = (self.starts[column as usize] as usize, self.starts[column as usize + 1] as usize);
        self.rows[first..last].binary_search(&row).ok().map(|at| (first + at) as u32)
    }

    /// Number of blocks, diagonals included.
    pub fn blocks(&self) -> usize {
        self.rows.len() + self.order.len()
    }

    /// Number of blocks of a factor kept beside the matrix, diagonals included.
    pub fn factors(&self) -> usize {
        if self.incomplete { self.domains.rows.len() + self.order.len() } else { 0 }
    }

    /// Contacts on the body at a place.
    #[inline]
    pub fn touches(&self, place: usize) -> &[Touch] {
        &self.touches[self.touch_starts[place] as usize..self.touch_starts[place + 1] as usize]
    }

    /// First block below the diagonal of each column.
    pub fn first_block(&self, column: usize) -> usize {
        self.starts[column] as usize
    }
}

fn insert(list: &mut Vec<u32>, x: u32) {
    if let Err(at) = list.binary_search(&x) {
        list.insert(at, x);
    }
}

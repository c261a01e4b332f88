//! # Pattern: in which order nodes are eliminated, and which blocks that makes
//!
//! - **in**: pairs of nodes that share a block
//! - **out**: an order of nodes; where blocks are; what each elimination touches
//! - **not here**: numbers (`cholesky`, `lu`)
//! - **start at** [`Pattern::analyse`]
//!
//! Stacks, hands and small heaps fill in little: nodes are eliminated in order of least degree (Tinney, scheme 2), ties
//! by index, so that equal graphs give equal orders. What one elimination touches is listed beforehand; the numbers then
//! only follow the list.
//!
//! In a heap of many nodes the factor would fill in with the square of their number and more. Where [`Fill::SparseInHeaps`]
//! is asked for, such a factor keeps the zeros of the graph (incomplete). Nodes are then in order of their distance along
//! pairs from one end of the heap. Large heaps are cut along that order into [`Domains`], and the factor leaves out what
//! joins two of them.

/// Where blocks are, and in which order nodes are.
#[derive(Clone, Debug, Default)]
pub struct Pattern {
    /// Place in the order of each node.
    pub place: Vec<u32>,
    /// Nodes in order.
    pub order: Vec<u32>,
    /// Blocks below the diagonal of the matrix, with what fills in where the factor is complete.
    pub structure: Structure,
    /// Whether the factor leaves out what would fill in.
    pub incomplete: bool,
    /// Parts of an incomplete factor.
    pub domains: Domains,
    neighbours: Vec<Vec<u32>>,
    done: Vec<bool>,
}

/// Blocks below the diagonal, column after column, and what eliminating each column changes.
#[derive(Clone, Debug, Default)]
pub struct Structure {
    /// First block of each column, one more at the end.
    pub starts: Vec<u32>,
    /// Row (place) of each block, rising within a column.
    pub rows: Vec<u32>,
    /// For each pair of blocks of a column, the first before the second, the block in whose column and row they meet;
    /// [`NONE`] where that is left out.
    pub targets: Vec<u32>,
    /// First target of each column.
    pub target_starts: Vec<u32>,
}

/// The incomplete factor of a heap, and how the matrix is multiplied.
#[derive(Clone, Debug, Default)]
pub struct Domains {
    /// Where domains end, in places.
    pub ends: Vec<u32>,
    /// Where their blocks below the diagonal end.
    pub block_ends: Vec<u32>,
    /// Blocks of the factor.
    pub structure: Structure,
    /// Block of the matrix that each of them begins as.
    pub sources: Vec<u32>,
    /// First of `across` of each row, one more at the end.
    pub across_starts: Vec<u32>,
    /// Blocks of the matrix in each row, with their columns.
    pub across: Vec<(u32, u32)>,
}

/// No node, no block.
pub const NONE: u32 = u32::MAX;
/// Graphs of more nodes, each meeting more than three others on average, are heaps.
const HEAP: usize = 16;
/// Heaps of at least twice as many nodes are cut into domains.
const DOMAIN: usize = 64;
/// Most domains.
const DOMAINS: usize = 16;

/// What becomes of blocks that elimination fills in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// They are kept, whatever the graph: the factor is complete.
    Complete,
    /// In heaps they are left out: the factor is a preconditioner there. Nodes of a heap must hang together.
    SparseInHeaps,
}

impl Pattern {
    /// Order and fill for `count` nodes and the pairs that meet; a pair with [`NONE`] or with itself is none.
    pub fn analyse(&mut self, count: usize, pairs: impl Iterator<Item = (u32, u32)>, fill: Fill) {
        while self.neighbours.len() < count {
            self.neighbours.push(Vec::new());
        }
        for list in &mut self.neighbours[..count] {
            list.clear();
        }
        for (i, j) in pairs.filter(|(i, j)| *i != NONE && *j != NONE && i != j) {
            insert(&mut self.neighbours[i as usize], j);
            insert(&mut self.neighbours[j as usize], i);
        }
        let meeting = self.neighbours[..count].iter().map(Vec::len).sum::<usize>() / 2;
        self.incomplete = match fill {
            Fill::Complete => false,
            Fill::SparseInHeaps => count > HEAP && 2 * meeting > 3 * count,
        };
        self.order.clear();
        if self.incomplete {
            self.walk(count);
        } else {
            self.eliminate(count);
        }
        self.place.clear();
        self.place.resize(count, 0);
        for (place, &node) in self.order.iter().enumerate() {
            self.place[node as usize] = place as u32;
        }
        self.list();
        if self.incomplete {
            self.cut(count);
        } else {
            self.structure.list_targets();
        }
    }

    /// Order of least degree; what fills in.
    fn eliminate(&mut self, count: usize) {
        self.done.clear();
        self.done.resize(count, false);
        for _ in 0..count {
            let left = (0..count).filter(|i| !self.done[*i]);
            let Some(i) = left.min_by_key(|i| self.neighbours[*i].len()) else { break };
            self.done[i] = true;
            self.order.push(i as u32);
            // The neighbours of an eliminated node become neighbours of each other; its own list stays as its column.
            let list = std::mem::take(&mut self.neighbours[i]);
            for &j in &list {
                let other = &mut self.neighbours[j as usize];
                if let Ok(at) = other.binary_search(&(i as u32)) {
                    other.remove(at);
                }
                list.iter().filter(|k| **k != j).for_each(|k| insert(other, *k));
            }
            self.neighbours[i] = list;
        }
    }

    /// Order by distance along pairs from a node that is far from another.
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

    /// Columns of the matrix, in order.
    fn list(&mut self) {
        let Structure { starts, rows, .. } = &mut self.structure;
        starts.clear();
        rows.clear();
        for (column, &node) in self.order.iter().enumerate() {
            let first = rows.len();
            starts.push(first as u32);
            let places = self.neighbours[node as usize].iter().map(|j| self.place[*j as usize]);
            rows.extend(places.filter(|row| *row > column as u32));
            rows[first..].sort_unstable();
        }
        starts.push(rows.len() as u32);
    }

    /// Domains, the zeros of their factors, and the matrix by rows.
    fn cut(&mut self, count: usize) {
        let Self { domains, structure: Structure { starts, rows, .. }, .. } = self;
        let parts = (count / DOMAIN).clamp(1, DOMAINS);
        // Powers of two share evenly among threads.
        let parts = 1 << parts.ilog2();
        domains.ends.clear();
        domains.ends.extend((1..=parts).map(|d| (d * count / parts) as u32));
        domains.structure.starts.clear();
        domains.structure.rows.clear();
        domains.sources.clear();
        domains.block_ends.clear();
        let mut domain = 0;
        for column in 0..count {
            let own = &mut domains.structure;
            if column as u32 == domains.ends[domain] {
                domains.block_ends.push(own.rows.len() as u32);
                domain += 1;
            }
            own.starts.push(own.rows.len() as u32);
            for k in starts[column]..starts[column + 1] {
                if rows[k as usize] < domains.ends[domain] {
                    own.rows.push(rows[k as usize]);
                    domains.sources.push(k);
                }
            }
        }
        domains.structure.starts.push(domains.structure.rows.len() as u32);
        domains.block_ends.push(domains.structure.rows.len() as u32);
        domains.structure.list_targets();
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
        // Filled from the front; starts move on to ends, and back.
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
    pub fn find(&self, one: u32, other: u32) -> Option<u32> {
        let (column, row) = (one.min(other), one.max(other));
        if column == row {
            return Some(self.structure.rows.len() as u32 + column);
        }
        self.structure.find(column, row)
    }

    /// Number of blocks, diagonals included.
    pub fn blocks(&self) -> usize {
        self.structure.rows.len() + self.order.len()
    }

    /// Number of blocks of a factor kept beside the matrix, diagonals included.
    pub fn factors(&self) -> usize {
        if self.incomplete { self.domains.structure.rows.len() + self.order.len() } else { 0 }
    }

    /// First block below the diagonal of each column.
    pub fn first_block(&self, column: usize) -> usize {
        self.structure.starts[column] as usize
    }
}

impl Structure {
    /// Blocks below the diagonal of a column.
    #[inline]
    pub fn column(&self, column: usize) -> std::ops::Range<usize> {
        self.starts[column] as usize..self.starts[column + 1] as usize
    }

    /// Index of the block in a column and a later row, if there is one.
    fn find(&self, column: u32, row: u32) -> Option<u32> {
        let own = self.column(column as usize);
        let found = self.rows[own.clone()].binary_search(&row);
        found.ok().map(|at| (own.start + at) as u32)
    }

    /// What each elimination touches.
    fn list_targets(&mut self) {
        let mut targets = std::mem::take(&mut self.targets);
        targets.clear();
        self.target_starts.clear();
        for column in 0..self.starts.len() - 1 {
            self.target_starts.push(targets.len() as u32);
            let own = self.column(column);
            for k in own.clone() {
                for i in k + 1..own.end {
                    targets.push(self.find(self.rows[k], self.rows[i]).unwrap_or(NONE));
                }
            }
        }
        self.targets = targets;
    }
}

fn insert(list: &mut Vec<u32>, x: u32) {
    if let Err(at) = list.binary_search(&x) {
        list.insert(at, x);
    }
}

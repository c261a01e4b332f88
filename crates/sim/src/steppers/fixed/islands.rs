//! # Grouping: which contacts and bodies make an island
//!
//! - **in**: which bodies contacts join, which of them move
//! - **out**: [`Islands`]: lists of bodies and contacts, island after island; the pattern of each island's matrix
//! - **not here**: their solution (`island_solver`, `single_contact`)
//! - **start at** [`Islands::sort`]

use super::parallel::CONTACTS;
use super::pattern::{NONE, Pattern};
use super::solver_body::SolverBody;

/// Which contacts and bodies make an island.
#[derive(Clone, Debug, Default)]
pub struct Islands {
    /// Bodies of all islands, one island after the other, in order of elimination.
    pub bodies: Vec<u32>,
    /// Contacts likewise: places in the list they were sorted from.
    pub contacts: Vec<u32>,
    /// Ends in both lists.
    pub ends: Vec<(u32, u32)>,
    /// Place of each body in `bodies`; none for those that touch nothing or are held.
    pub place: Vec<u32>,
    pub(super) patterns: Vec<Pattern>,
    /// Ends of the islands' blocks and factors.
    pub(super) room: Vec<(u32, u32)>,
    /// Islands in groups that are one thread's work: where each ends.
    pub(super) groups: Vec<u32>,
    edges: Vec<(u32, u32)>,
    parent: Vec<u32>,
    island: Vec<u32>,
    sorted: Vec<u32>,
    /// How often it was sorted.
    pub round: u64,
    /// The graph must be looked at again, whatever the contacts.
    pub stale: bool,
}

impl Islands {
    /// Sorts contacts between bodies into islands; nothing is done where the graph is that of the last time.
    pub fn sort(&mut self, solver_bodies: &[SolverBody], edges: impl ExactSizeIterator<Item = (u32, u32)> + Clone) {
        if !std::mem::take(&mut self.stale)
            && self.edges.len() == edges.len()
            && self.edges.iter().copied().eq(edges.clone())
        {
            return;
        }
        self.round += 1;
        self.edges.clear();
        self.edges.extend(edges);
        let (edges, count) = (&self.edges, solver_bodies.len());
        let moves = |body: u32| solver_bodies[body as usize].moves();
        // A body of the contact that moves.
        let lead = |(a, b): (u32, u32)| if moves(b) { b } else { a };
        self.parent.clear();
        self.parent.extend(0..count as u32);
        for &(a, b) in edges {
            if moves(a) && moves(b) {
                let (a, b) = (find(&mut self.parent, a), find(&mut self.parent, b));
                // The lower index leads, whatever the order of contacts.
                self.parent[a.max(b) as usize] = a.min(b);
            }
        }
        // Islands are numbered by their first contact.
        self.island.clear();
        self.island.resize(count, NONE);
        self.ends.clear();
        for &edge in edges {
            let lead = find(&mut self.parent, lead(edge)) as usize;
            if self.island[lead] == NONE {
                self.island[lead] = self.ends.len() as u32;
                self.ends.push((0, 0));
            }
            self.ends[self.island[lead] as usize].1 += 1;
        }
        // Ends of the lists from the counts, then the lists.
        let mut sum = 0;
        for end in &mut self.ends {
            (sum, end.1) = (sum + end.1, sum);
        }
        self.contacts.clear();
        self.contacts.resize(edges.len(), 0);
        for (i, &edge) in edges.iter().enumerate() {
            let lead = find(&mut self.parent, lead(edge)) as usize;
            let end = &mut self.ends[self.island[lead] as usize].1;
            self.contacts[*end as usize] = i as u32;
            *end += 1;
        }
        self.bodies.clear();
        self.place.clear();
        self.place.resize(count, NONE);
        let mut from = 0;
        for end in &mut self.ends {
            for &i in &self.contacts[from..end.1 as usize] {
                let (a, b) = edges[i as usize];
                for body in [a, b] {
                    if moves(body) && self.place[body as usize] == NONE {
                        self.place[body as usize] = self.bodies.len() as u32;
                        self.bodies.push(body);
                    }
                }
            }
            from = end.1 as usize;
            end.0 = self.bodies.len() as u32;
        }
        self.analyse();
    }

    /// Orders of elimination; then bodies are in that order.
    fn analyse(&mut self) {
        while self.patterns.len() < self.ends.len() {
            self.patterns.push(Pattern::default());
        }
        self.room.clear();
        self.groups.clear();
        let (mut room, mut grouped) = ((0, 0), 0);
        for island in 0..self.ends.len() {
            let (bodies, contacts) = self.range(island);
            grouped += contacts.len();
            if contacts.len() > 1 {
                let (place, all) = (&self.place, &self.edges);
                let local = |body: u32| match place[body as usize] {
                    NONE => NONE,
                    place => place - bodies.start as u32,
                };
                let edges = self.contacts[contacts].iter().map(|&i| all[i as usize]).map(|(a, b)| (local(a), local(b)));
                let pattern = &mut self.patterns[island];
                pattern.analyse(bodies.len(), edges);
                room = (room.0 + pattern.blocks() as u32, room.1 + pattern.factors() as u32);
                self.sorted.clear();
                self.sorted.extend(pattern.order.iter().map(|&i| self.bodies[bodies.start + i as usize]));
                self.bodies[bodies.clone()].copy_from_slice(&self.sorted);
                for (place, &body) in bodies.clone().zip(&self.bodies[bodies]) {
                    self.place[body as usize] = place as u32;
                }
            }
            self.room.push(room);
            if grouped >= CONTACTS || island + 1 == self.ends.len() {
                self.groups.push(island as u32 + 1);
                grouped = 0;
            }
        }
    }

    /// Bodies and contacts of an island.
    pub fn range(&self, island: usize) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
        let (b0, c0) = if island == 0 { (0, 0) } else { self.ends[island - 1] };
        let (b1, c1) = self.ends[island];
        (b0 as usize..b1 as usize, c0 as usize..c1 as usize)
    }
}

fn find(parent: &mut [u32], mut i: u32) -> u32 {
    while parent[i as usize] != i {
        parent[i as usize] = parent[parent[i as usize] as usize];
        i = parent[i as usize];
    }
    i
}

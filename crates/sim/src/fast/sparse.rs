//! # Sparse: a matrix of 6 × 6 blocks with the zeros of a contact graph, and how it is solved
//!
//! - **in**: which bodies touch; blocks
//! - **out**: an order of bodies, which contacts make which blocks, solutions
//! - **start at** [`Pattern::analyse`], then [`Numbers::solve`]
//!
//! Stacks, hands and small heaps fill in little: Cholesky's factor solves, bodies eliminated in order of least degree, ties
//! by index, so that equal graphs give equal orders. What one elimination touches is listed beforehand; the numbers then
//! only follow the list.
//!
//! In a heap of many bodies the factor would fill in with the square of their number and more. There conjugate gradients
//! solve, led by a factor that keeps the zeros of the graph (incomplete). Bodies are in order of their distance along
//! contacts from one end of the heap. Large heaps are cut along that order into domains; the factor leaves out what joins
//! two of them, so that each domain is a thread's work.

use super::block::Block;
use super::crew::{BODIES, Crew, Cut, Even, Span, Uneven, gather};

/// Six numbers of a body.
pub type Six = [f64; 6];

/// Where blocks are, and in which order bodies are.
#[derive(Clone, Debug, Default)]
pub struct Pattern {
    /// Place in the order of each body.
    pub place: Vec<u32>,
    /// Bodies in order.
    pub order: Vec<u32>,
    /// First block below the diagonal of each column, one more at the end.
    starts: Vec<u32>,
    /// Row (place) of each block below the diagonal, rising within a column.
    rows: Vec<u32>,
    /// For each pair of blocks of a column, the block it is taken from; diagonals after all others.
    targets: Vec<u32>,
    /// Whether the factor leaves out what would fill in.
    pub incomplete: bool,
    /// First of `touches` of each body in order, one more at the end.
    touch_starts: Vec<u32>,
    touches: Vec<Touch>,
    domains: Domains,
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
struct Domains {
    /// Where domains end, in places.
    ends: Vec<u32>,
    /// Where their blocks below the diagonal end.
    block_ends: Vec<u32>,
    /// First block of the factor of each column, one more at the end; rows and the matrix's blocks they are made from.
    starts: Vec<u32>,
    rows: Vec<u32>,
    sources: Vec<u32>,
    /// As in [`Pattern`], without diagonals: these are found by their row.
    targets: Vec<u32>,
    target_starts: Vec<u32>,
    /// Blocks of the matrix in each row, with their columns.
    across_starts: Vec<u32>,
    across: Vec<(u32, u32)>,
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
    fn find(&self, one: u32, other: u32) -> Option<u32> {
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

/// Conjugate gradients at one body.
#[derive(Clone, Copy, Debug, Default)]
pub struct Search {
    /// The right side, then the solution.
    pub x: Six,
    residual: Six,
    along: Six,
    image: Six,
}

/// Numbers of a matrix and its factor, in order of the pattern.
pub struct Numbers<'a> {
    pub pattern: &'a Pattern,
    /// The matrix: blocks below the diagonal, then diagonals. A factor that is complete takes its place.
    pub blocks: &'a mut [Block],
    /// An incomplete factor.
    pub factors: &'a mut [Block],
    pub search: &'a mut [Search],
    pub lead: &'a mut [Six],
}

/// Most iterations of conjugate gradients.
const ITERATIONS: u32 = 200;

impl Numbers<'_> {
    /// Columns in parts: their place, blocks below the diagonal, diagonals.
    pub fn columns(&mut self) -> Columns<'_> {
        let (lower, diagonal) = self.blocks.split_at_mut(self.pattern.rows.len());
        Columns { first: 0, starts: &self.pattern.starts, lower, diagonal }
    }

    /// Factors. `false` if the matrix is not positive.
    pub fn factor(&mut self, crew: Crew) -> bool {
        if !self.pattern.incomplete {
            return self.factor_whole();
        }
        let (pattern, blocks) = (self.pattern, &*self.blocks);
        let Domains { ends, block_ends, .. } = &pattern.domains;
        let (lower, diagonal) = self.factors.split_at_mut(pattern.domains.rows.len());
        let lower = Uneven { list: lower, ends: block_ends, from: 0 };
        let diagonal = Uneven { list: diagonal, ends, from: 0 };
        let each = |(lower, diagonal): (Uneven<Block>, Uneven<Block>)| {
            let (from, first) = (diagonal.from as usize, lower.from);
            factor_domain(pattern, blocks, from, first, lower.list, diagonal.list)
        };
        gather(crew, (lower, diagonal), &each, &|a, b| a && b)
    }

    fn factor_whole(&mut self) -> bool {
        let pattern = self.pattern;
        let diagonals = pattern.rows.len();
        let mut next = 0;
        for column in 0..pattern.order.len() {
            if !cholesky(&mut self.blocks[diagonals + column]) {
                return false;
            }
            let L = self.blocks[diagonals + column];
            let (first, last) = (pattern.starts[column] as usize, pattern.starts[column + 1] as usize);
            for block in &mut self.blocks[first..last] {
                divide(block, &L);
            }
            for k in first..last {
                for i in k..last {
                    let target = pattern.targets[next] as usize;
                    next += 1;
                    // Later columns come later, and diagonals at the end.
                    let (before, after) = self.blocks.split_at_mut(target);
                    if i == k {
                        subtract_square(&mut after[0], &before[k]);
                    } else {
                        subtract_product(&mut after[0], &before[i], &before[k]);
                    }
                }
            }
        }
        true
    }

    /// Solves for the right side in `search`, to a share of its size where the factor is incomplete; iterations.
    pub fn solve(&mut self, crew: Crew, share: f64) -> u64 {
        if !self.pattern.incomplete {
            self.substitute_whole();
            return 0;
        }
        let (mut size, mut now) = self.begin(crew);
        let enough = share * share * size;
        let mut beta = 0.0;
        for i in 1..=ITERATIONS {
            let alpha = now / self.turn(crew, beta);
            if !alpha.is_finite() {
                return u64::from(i);
            }
            let before = now;
            (size, now) = self.go(crew, alpha);
            if size <= enough {
                return u64::from(i);
            }
            beta = now / before;
        }
        u64::from(ITERATIONS)
    }

    /// Residual of no solution, and what the factor makes of it.
    fn begin(&mut self, crew: Crew) -> (f64, f64) {
        self.by_domain(crew, &|at| {
            at.residual = at.x;
            (at.x, at.along, at.image) = ([0.0; 6], [0.0; 6], [0.0; 6]);
        })
    }

    /// A step along the present direction.
    fn go(&mut self, crew: Crew, alpha: f64) -> (f64, f64) {
        self.by_domain(crew, &|at| {
            for k in 0..6 {
                at.x[k] += alpha * at.along[k];
                at.residual[k] -= alpha * at.image[k];
            }
        })
    }

    /// Changes the residual and lets the factor lead: r·r and r·lead.
    fn by_domain(&mut self, crew: Crew, change: &(impl Fn(&mut Search) + Sync)) -> (f64, f64) {
        let pattern = self.pattern;
        let (lower, diagonal) = self.factors.split_at(pattern.domains.rows.len());
        let ends = &pattern.domains.ends;
        let search = Uneven { list: &mut *self.search, ends, from: 0 };
        let lead = Uneven { list: &mut *self.lead, ends, from: 0 };
        let each = |(search, lead): (Uneven<Search>, Uneven<Six>)| {
            let mut size = 0.0;
            for (at, lead) in search.list.iter_mut().zip(lead.list.iter_mut()) {
                change(at);
                size += dot(&at.residual, &at.residual);
                *lead = at.residual;
            }
            substitute_domain(pattern, lower, diagonal, lead.from as usize, lead.list);
            let led = search.list.iter().zip(lead.list.iter()).map(|(at, lead)| dot(&at.residual, lead)).sum::<f64>();
            (size, led)
        };
        gather(crew, (search, lead), &each, &|a, b| (a.0 + b.0, a.1 + b.1))
    }

    /// The next direction, and its image by the matrix: that of the lead and of the last direction. Their product.
    fn turn(&mut self, crew: Crew, beta: f64) -> f64 {
        let (pattern, blocks, lead) = (self.pattern, &*self.blocks, &*self.lead);
        let list = (Span::new(lead.len(), BODIES), Even { list: &mut *self.search, size: BODIES });
        let each = |(span, search): (Span, Even<Search>)| {
            let mut sum = 0.0;
            for (place, at) in (span.from..).zip(search.list.iter_mut()) {
                let image = row_times(pattern, blocks, place, lead);
                for k in 0..6 {
                    at.along[k] = lead[place][k] + beta * at.along[k];
                    at.image[k] = image[k] + beta * at.image[k];
                }
                sum += dot(&at.along, &at.image);
            }
            sum
        };
        gather(crew, list, &each, &|a, b| a + b)
    }

    /// By the complete factor.
    fn substitute_whole(&mut self) {
        let (pattern, search) = (self.pattern, &mut *self.search);
        let (lower, diagonal) = self.blocks.split_at(pattern.rows.len());
        for column in 0..search.len() {
            let y = forward(&diagonal[column], search[column].x);
            search[column].x = y;
            for k in pattern.starts[column] as usize..pattern.starts[column + 1] as usize {
                take(&mut search[pattern.rows[k] as usize].x, &lower[k], &y);
            }
        }
        for column in (0..search.len()).rev() {
            let mut y = search[column].x;
            for k in pattern.starts[column] as usize..pattern.starts[column + 1] as usize {
                take_transposed(&mut y, &lower[k], &search[pattern.rows[k] as usize].x);
            }
            search[column].x = backward(&diagonal[column], y);
        }
    }
}

/// Columns of a matrix, to be filled.
pub struct Columns<'a> {
    /// Place of the first.
    pub first: usize,
    starts: &'a [u32],
    /// Blocks below the diagonal, one column after the other.
    pub lower: &'a mut [Block],
    /// Diagonals.
    pub diagonal: &'a mut [Block],
}

impl Cut for Columns<'_> {
    fn parts(&self) -> usize {
        self.diagonal.len().div_ceil(BODIES)
    }

    fn cut(self, at: usize) -> (Self, Self) {
        let at = (at * BODIES).min(self.diagonal.len());
        let middle = (self.starts[self.first + at] - self.starts[self.first]) as usize;
        let (lower, lower_rest) = self.lower.split_at_mut(middle);
        let (diagonal, rest) = self.diagonal.split_at_mut(at);
        let other = Self { first: self.first + at, starts: self.starts, lower: lower_rest, diagonal: rest };
        (Self { lower, diagonal, ..self }, other)
    }
}

/// The incomplete factor of a domain that begins at a place and whose blocks begin at `first`.
fn factor_domain(
    pattern: &Pattern,
    matrix: &[Block],
    from: usize,
    first: u32,
    lower: &mut [Block],
    diagonal: &mut [Block],
) -> bool {
    let domains = &pattern.domains;
    let diagonals = &matrix[pattern.rows.len()..];
    let first = first as usize;
    diagonal.copy_from_slice(&diagonals[from..from + diagonal.len()]);
    for (block, source) in lower.iter_mut().zip(&domains.sources[first..]) {
        *block = matrix[*source as usize];
    }
    let mut next = domains.target_starts.get(from).map_or(0, |at| *at as usize);
    for column in 0..diagonal.len() {
        if !cholesky(&mut diagonal[column]) {
            // What was left out made it so: the matrix's own diagonal leads instead.
            diagonal[column] = diagonals[from + column];
            if !cholesky(&mut diagonal[column]) {
                return false;
            }
        }
        let L = diagonal[column];
        let own = domains.starts[from + column] as usize - first..domains.starts[from + column + 1] as usize - first;
        for block in &mut lower[own.clone()] {
            divide(block, &L);
        }
        for k in own.clone() {
            let row = domains.rows[first + k] as usize - from;
            subtract_square(&mut diagonal[row], &lower[k]);
            for i in k + 1..own.end {
                let target = domains.targets[next];
                next += 1;
                if target != NONE {
                    // Later columns come later.
                    let (before, after) = lower.split_at_mut(target as usize - first);
                    subtract_product(&mut after[0], &before[i], &before[k]);
                }
            }
        }
    }
    true
}

/// By the factor of a domain that begins at a place.
fn substitute_domain(pattern: &Pattern, lower: &[Block], diagonal: &[Block], from: usize, x: &mut [Six]) {
    let domains = &pattern.domains;
    for column in 0..x.len() {
        let y = forward(&diagonal[from + column], x[column]);
        x[column] = y;
        for k in domains.starts[from + column] as usize..domains.starts[from + column + 1] as usize {
            take(&mut x[domains.rows[k] as usize - from], &lower[k], &y);
        }
    }
    for column in (0..x.len()).rev() {
        let mut y = x[column];
        for k in domains.starts[from + column] as usize..domains.starts[from + column + 1] as usize {
            take_transposed(&mut y, &lower[k], &x[domains.rows[k] as usize - from]);
        }
        x[column] = backward(&diagonal[from + column], y);
    }
}

/// A row of the matrix times x.
#[inline]
fn row_times(pattern: &Pattern, matrix: &[Block], place: usize, x: &[Six]) -> Six {
    let mut sum = [0.0; 6];
    add(&mut sum, &matrix[pattern.rows.len() + place], &x[place]);
    let domains = &pattern.domains;
    for &(k, column) in
        &domains.across[domains.across_starts[place] as usize..domains.across_starts[place + 1] as usize]
    {
        add(&mut sum, &matrix[k as usize], &x[column as usize]);
    }
    for k in pattern.starts[place] as usize..pattern.starts[place + 1] as usize {
        let (block, below) = (&matrix[k], &x[pattern.rows[k] as usize]);
        for j in 0..6 {
            sum[j] += dot(&block[j], below);
        }
    }
    sum
}

/// y ← y + B x.
#[inline]
fn add(y: &mut Six, block: &Block, x: &Six) {
    for j in 0..6 {
        for i in 0..6 {
            y[i] += block[j][i] * x[j];
        }
    }
}

/// y ← y − B x.
#[inline]
fn take(y: &mut Six, block: &Block, x: &Six) {
    for j in 0..6 {
        for i in 0..6 {
            y[i] -= block[j][i] * x[j];
        }
    }
}

/// y ← y − Bᵀ x.
#[inline]
fn take_transposed(y: &mut Six, block: &Block, x: &Six) {
    for j in 0..6 {
        y[j] -= dot(&block[j], x);
    }
}

/// L⁻¹ y.
#[inline]
fn forward(L: &Block, mut y: Six) -> Six {
    for j in 0..6 {
        y[j] *= L[j][j];
        for i in j + 1..6 {
            y[i] -= L[j][i] * y[j];
        }
    }
    y
}

/// L⁻ᵀ y.
#[inline]
fn backward(L: &Block, mut y: Six) -> Six {
    for j in (0..6).rev() {
        for i in j + 1..6 {
            y[j] -= L[j][i] * y[i];
        }
        y[j] *= L[j][j];
    }
    y
}

#[inline]
fn dot(a: &Six, b: &Six) -> f64 {
    let even = a[0] * b[0] + a[2] * b[2] + a[4] * b[4];
    let odd = a[1] * b[1] + a[3] * b[3] + a[5] * b[5];
    even + odd
}

/// Lower factor in place, with the inverse of its diagonal; the part above the diagonal is not read.
#[inline]
fn cholesky(m: &mut Block) -> bool {
    for j in 0..6 {
        let d = m[j][j];
        if d.is_nan() || d <= 0.0 {
            return false;
        }
        let r = d.sqrt();
        let over = 1.0 / r;
        m[j][j] = over;
        for i in j + 1..6 {
            m[j][i] *= over;
        }
        for k in j + 1..6 {
            let x = m[j][k];
            for i in k..6 {
                m[k][i] -= m[j][i] * x;
            }
        }
    }
    true
}

/// B ← B L⁻ᵀ.
#[inline]
fn divide(b: &mut Block, L: &Block) {
    for j in 0..6 {
        let over = L[j][j];
        for i in 0..6 {
            b[j][i] *= over;
        }
        let column = b[j];
        for k in j + 1..6 {
            let x = L[j][k];
            for i in 0..6 {
                b[k][i] -= column[i] * x;
            }
        }
    }
}

/// C ← C − A Bᵀ.
#[inline]
fn subtract_product(c: &mut Block, a: &Block, b: &Block) {
    for j in 0..6 {
        let mut column = c[j];
        for k in 0..6 {
            let x = b[k][j];
            for i in 0..6 {
                column[i] -= a[k][i] * x;
            }
        }
        c[j] = column;
    }
}

/// C ← C − A Aᵀ, the lower part.
#[inline]
fn subtract_square(c: &mut Block, a: &Block) {
    for j in 0..6 {
        // Two numbers at a time.
        let from = j / 2 * 2;
        let mut column = c[j];
        for k in 0..6 {
            let x = a[k][j];
            for i in from..6 {
                column[i] -= a[k][i] * x;
            }
        }
        c[j] = column;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};

    /// Against a dense solution: a ring with chords and a lone body, which the factor solves, and a heap, which conjugate
    /// gradients do, one whole and one in two domains. Random blocks made positive by their row sums.
    #[test]
    fn factor_solves_what_a_dense_matrix_solves() {
        let ring: Vec<(u32, u32)> = (0..8).map(|i| (i, (i + 1) % 8)).chain([(0, 4), (2, 7), (3, 6)]).collect();
        let heap = |count: u32| -> Vec<(u32, u32)> {
            (0..count).flat_map(|i| [1, 2, 5, 7].map(|d| (i, (i + d) % count))).collect()
        };
        for (count, edges, incomplete) in [(9, ring, false), (20, heap(20), true), (150, heap(150), true)] {
            solves(count, &edges, incomplete);
        }
    }

    fn solves(count: usize, edges: &[(u32, u32)], incomplete: bool) {
        let mut pattern = Pattern::default();
        pattern.analyse(count, edges.iter().copied());
        assert_eq!(pattern.incomplete, incomplete);
        let mut blocks = vec![[[0.0; 6]; 6]; pattern.blocks()];
        let mut factors = vec![[[0.0; 6]; 6]; pattern.factors()];
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let mut dense = DMatrix::<f64>::identity(6 * count, 6 * count) * 20.0;
        for block in &mut blocks[pattern.rows.len()..] {
            for i in 0..6 {
                block[i][i] = 20.0;
            }
        }
        for &(i, j) in edges {
            let (pi, pj) = (pattern.place[i as usize], pattern.place[j as usize]);
            let at = pattern.find(pi, pj).unwrap() as usize;
            // The block has the later place as its rows.
            let (row, column) = if pi > pj { (i, j) } else { (j, i) };
            for c in 0..6 {
                for r in 0..6 {
                    let x = random();
                    blocks[at][c][r] += x;
                    dense[(6 * row as usize + r, 6 * column as usize + c)] += x;
                    dense[(6 * column as usize + c, 6 * row as usize + r)] += x;
                }
            }
        }
        let b = DVector::from_fn(6 * count, |_, _| random());
        let want = dense.clone().lu().solve(&b).unwrap();
        let mut search = vec![Search::default(); count];
        let mut lead = vec![[0.0; 6]; count];
        for body in 0..count {
            for r in 0..6 {
                search[pattern.place[body] as usize].x[r] = b[6 * body + r];
            }
        }
        let (search, lead) = (&mut search[..], &mut lead[..]);
        let mut numbers = Numbers { pattern: &pattern, blocks: &mut blocks, factors: &mut factors, search, lead };
        assert!(numbers.factor(Crew::default()));
        numbers.solve(Crew::default(), 1e-15);
        for body in 0..count {
            for r in 0..6 {
                assert!((numbers.search[pattern.place[body] as usize].x[r] - want[6 * body + r]).abs() < 1e-12);
            }
        }
    }
}

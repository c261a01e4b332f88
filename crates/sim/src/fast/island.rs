//! # Island: bodies that contacts join, solved together
//!
//! - **in**: the active contacts of an island, its bodies
//! - **out**: displacements, loads, σ and ν
//! - **start at** [`Islands::sort`], then [`solve`]
//!
//! With the friction limit held the step is the gradient of a convex function of σ,
//!
//! ```text
//! (I − T) σ − push + h Jᵀ f(h J V₀ + (h/2) J σ) = 0,      Newton's matrix I + Jᵀ ((h²/2) K − w) J
//! ```
//!
//! with K the slopes of the loads: positive, and zero where bodies do not touch. Steps are searched along their
//! direction by the slope alone; the limit is renewed only where Newton has ended, since renewed on the way it may hold a
//! block on an incline too steep for it.

use super::Tally;
use super::block::Rows;
use super::mover::Mover;
use super::rows::Active;
use super::sparse::{Factor, Pattern};
use crate::model::Model;
use crate::state::State;
use nalgebra::{Matrix4, Vector6};

/// Rounds of Newton steps, the friction limit held in each.
const ROUNDS: u32 = 20;
/// Newton steps in a round.
const STEPS: u32 = 60;
/// How well the friction limit is met, as a share of the impulse.
const LIMIT: f64 = 1e-5;

/// Which contacts and bodies make an island.
#[derive(Clone, Debug, Default)]
pub struct Islands {
    /// Bodies of all islands, one island after the other, by index.
    pub bodies: Vec<u32>,
    /// Contacts likewise: places in the list of active contacts.
    pub contacts: Vec<u32>,
    /// Ends in both lists.
    pub ends: Vec<(u32, u32)>,
    /// Place of each body in its island.
    pub place: Vec<u32>,
    patterns: Vec<Pattern>,
    edges: Vec<(u32, u32)>,
    parent: Vec<u32>,
    island: Vec<u32>,
}

/// Numbers of one island.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    factor: Factor,
    slopes: Vec<Matrix4<f64>>,
    residual: Vec<Vector6<f64>>,
    direction: Vec<[f64; 6]>,
    start: Vec<Vector6<f64>>,
}

impl Islands {
    /// Sorts active contacts into islands; nothing is done where the graph is that of the last time.
    pub fn sort(&mut self, movers: &[Mover], active: &[Active]) {
        let edge = |c: &Active| (c.a as u32, c.b as u32);
        if self.edges.len() == active.len() && self.edges.iter().zip(active).all(|(e, c)| *e == edge(c)) {
            return;
        }
        self.edges.clear();
        self.edges.extend(active.iter().map(edge));
        let count = movers.len();
        self.parent.clear();
        self.parent.extend(0..count as u32);
        for c in active {
            if movers[c.a].moves() && movers[c.b].moves() {
                let (a, b) = (find(&mut self.parent, c.a as u32), find(&mut self.parent, c.b as u32));
                // The lower index leads, whatever the order of contacts.
                self.parent[a.max(b) as usize] = a.min(b);
            }
        }
        // Islands are numbered by their first contact.
        const NONE: u32 = u32::MAX;
        self.island.clear();
        self.island.resize(count, NONE);
        self.ends.clear();
        for c in active {
            let lead = find(&mut self.parent, lead(movers, c)) as usize;
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
        self.contacts.resize(active.len(), 0);
        for (i, c) in active.iter().enumerate() {
            let lead = find(&mut self.parent, lead(movers, c)) as usize;
            let end = &mut self.ends[self.island[lead] as usize].1;
            self.contacts[*end as usize] = i as u32;
            *end += 1;
        }
        self.bodies.clear();
        self.place.clear();
        self.place.resize(count, NONE);
        let mut from = 0;
        for end in &mut self.ends {
            let first = self.bodies.len();
            for &i in &self.contacts[from..end.1 as usize] {
                let c = &active[i as usize];
                for body in [c.a, c.b] {
                    if movers[body].moves() && self.place[body] == NONE {
                        self.place[body] = (self.bodies.len() - first) as u32;
                        self.bodies.push(body as u32);
                    }
                }
            }
            from = end.1 as usize;
            end.0 = self.bodies.len() as u32;
        }
        self.analyse(movers, active);
    }

    fn analyse(&mut self, movers: &[Mover], active: &[Active]) {
        while self.patterns.len() < self.ends.len() {
            self.patterns.push(Pattern::default());
        }
        for island in 0..self.ends.len() {
            let (bodies, contacts) = self.range(island);
            if contacts.len() < 2 {
                continue;
            }
            let place = &self.place;
            let edges = self.contacts[contacts].iter().filter_map(|&i| {
                let c = &active[i as usize];
                let both = movers[c.a].moves() && movers[c.b].moves();
                both.then(|| (place[c.a], place[c.b]))
            });
            self.patterns[island].analyse(bodies.len(), edges);
        }
    }

    /// Bodies and contacts of an island.
    pub fn range(&self, island: usize) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
        let (b0, c0) = if island == 0 { (0, 0) } else { self.ends[island - 1] };
        let (b1, c1) = self.ends[island];
        (b0 as usize..b1 as usize, c0 as usize..c1 as usize)
    }
}

/// A body of the contact that moves.
fn lead(movers: &[Mover], c: &Active) -> u32 {
    if movers[c.b].moves() { c.b as u32 } else { c.a as u32 }
}

fn find(parent: &mut [u32], mut i: u32) -> u32 {
    while parent[i as usize] != i {
        parent[i as usize] = parent[parent[i as usize] as usize];
        i = parent[i as usize];
    }
    i
}

/// An island at work.
struct Work<'a> {
    model: &'a Model,
    state: &'a State,
    movers: &'a mut [Mover],
    active: &'a mut [Active],
    bodies: &'a [u32],
    contacts: &'a [u32],
    place: &'a [u32],
    pattern: &'a Pattern,
    h: f64,
}

/// Solves an island; the energy that the blend loses, and what Newton leaves over (J).
#[allow(clippy::too_many_arguments)] // the rooms it works with
pub fn solve(
    model: &Model,
    state: &State,
    movers: &mut [Mover],
    active: &mut [Active],
    islands: &Islands,
    island: usize,
    numbers: &mut Numbers,
    h: f64,
    first: bool,
    tally: &mut Tally,
) -> (f64, f64) {
    let (bodies, contacts) = islands.range(island);
    let mut work = Work {
        model,
        state,
        movers,
        active,
        bodies: &islands.bodies[bodies],
        contacts: &islands.contacts[contacts],
        place: &islands.place,
        pattern: &islands.patterns[island],
        h,
    };
    if first {
        work.guess();
    }
    work.displace();
    for &c in work.contacts {
        let contact = &work.active[c as usize];
        let held = contact.law.refresh(work.stiffness(c), contact.f[0], &contact.u, false);
        work.active[c as usize].law.held = held;
    }
    for round in 0..ROUNDS {
        work.newton(numbers, tally);
        tally.rounds += 1;
        let open = work.renew(numbers, round);
        if !open {
            break;
        }
        if round + 1 == ROUNDS {
            tally.open += 1;
        }
    }
    work.left(numbers)
}

impl Work<'_> {
    fn stiffness(&self, c: u32) -> &fingerpad_contact::law::Stiffness {
        let slot = self.active[c as usize].slot;
        &self.model.law(&self.state.contacts[slot].pair).law.stiffness
    }

    /// σ from the loads of the last step.
    fn guess(&mut self) {
        self.settle();
        for &b in self.bodies {
            let body = &mut self.movers[b as usize];
            body.sigma = body.nu;
        }
    }

    fn displace(&mut self) {
        for &c in self.contacts {
            let contact = &mut self.active[c as usize];
            contact.displace(&self.movers[contact.a], &self.movers[contact.b], self.h);
        }
    }

    /// Loads, slopes and residual at the present displacements; the sizes of residual and impulses.
    fn evaluate(&mut self, numbers: &mut Numbers) -> (f64, f64) {
        numbers.residual.clear();
        numbers.slopes.clear();
        let mut size = 0.0;
        for &b in self.bodies {
            let body = &self.movers[b as usize];
            size += body.push.norm_squared();
            numbers.residual.push(body.sigma - body.push);
        }
        let (h, half) = (self.h, 0.5 * self.h * self.h);
        for &c in self.contacts {
            let slot = self.active[c as usize].slot;
            let stiffness = &self.model.law(&self.state.contacts[slot].pair).law.stiffness;
            let contact = &mut self.active[c as usize];
            let loads = contact.law.loads(stiffness, &contact.u);
            contact.f = loads.f;
            contact.pressed = loads.pressed;
            let z = (contact.u - contact.drift) * (2.0 / h);
            let back = loads.f * h - contact.w.component_mul(&z);
            for (body, J) in [(contact.a, &contact.JA), (contact.b, &contact.JB)] {
                if self.movers[body].moves() {
                    let through = J.back(&back);
                    size += through.norm_squared();
                    numbers.residual[self.place[body] as usize] += through;
                }
            }
            let mut K = Matrix4::from_diagonal(&-contact.w);
            K[(0, 0)] += half * loads.normal;
            for i in 0..3 {
                for j in 0..3 {
                    K[(i + 1, j + 1)] += half * loads.tangential[(i, j)];
                }
            }
            numbers.slopes.push(K);
        }
        let residual = numbers.residual.iter().map(Vector6::norm_squared).sum::<f64>();
        (residual.sqrt(), size.sqrt())
    }

    fn newton(&mut self, numbers: &mut Numbers, tally: &mut Tally) {
        let (mut size, mut scale) = self.evaluate(numbers);
        let mut last = f64::INFINITY;
        for _ in 0..STEPS {
            // Momentum and springs are exact whatever is left here; it costs accuracy of the loads alone.
            let enough = if self.pattern.incomplete { 1e-9 } else { 1e-13 } * scale;
            if size <= enough || (size <= (100.0 * enough).max(1e-9 * scale) && size > 0.25 * last) {
                return;
            }
            last = size;
            self.aim(numbers, (0.3 * enough / size).clamp(1e-3, 0.1));
            tally.newton += 1;
            numbers.start.clear();
            numbers.start.extend(self.bodies.iter().map(|&b| self.movers[b as usize].sigma));
            let slope = self.along(numbers);
            self.go(numbers, 1.0);
            (size, scale) = self.evaluate(numbers);
            let ahead = self.along(numbers);
            if ahead > 0.5 * slope.abs() || !ahead.is_finite() {
                let (mut low, mut at_low, mut high, mut at_high) = (0.0, slope, 1.0, ahead);
                for i in 0..40 {
                    let share = if i % 3 == 2 { 0.5 } else { at_low / (at_low - at_high) };
                    let middle = low + (high - low) * share.clamp(0.02, 0.98);
                    self.go(numbers, middle);
                    (size, scale) = self.evaluate(numbers);
                    let value = self.along(numbers);
                    if value.abs() <= 0.1 * slope.abs() {
                        break;
                    }
                    if value > 0.0 {
                        (high, at_high) = (middle, value);
                    } else {
                        (low, at_low) = (middle, value);
                    }
                }
            }
        }
        tally.unconverged += 1;
    }

    fn go(&mut self, numbers: &Numbers, share: f64) {
        for (i, &b) in self.bodies.iter().enumerate() {
            let d = Vector6::from(numbers.direction[self.pattern.place[i] as usize]);
            self.movers[b as usize].sigma = numbers.start[i] + d * share;
        }
        self.displace();
    }

    /// Slope along the direction.
    fn along(&self, numbers: &Numbers) -> f64 {
        let pairs = numbers.residual.iter().enumerate();
        pairs.map(|(i, r)| r.dot(&Vector6::from(numbers.direction[self.pattern.place[i] as usize]))).sum()
    }

    /// Newton's direction, to a share of the residual where it is searched.
    fn aim(&mut self, numbers: &mut Numbers, share: f64) {
        let Numbers { factor, slopes, residual, direction, .. } = numbers;
        factor.reset(self.pattern);
        for (&c, K) in self.contacts.iter().zip(slopes.iter()) {
            let contact = &self.active[c as usize];
            let (moves_a, moves_b) = (self.movers[contact.a].moves(), self.movers[contact.b].moves());
            let place = |body: usize| self.pattern.place[self.place[body] as usize];
            let (KA, KB) = (contact.JA.weighed(K), contact.JB.weighed(K));
            // Every pair that touches has a block.
            let mut add = |one: u32, other: u32, J: &Rows, K: &Rows| {
                if let Some(at) = self.pattern.find(one, other) {
                    J.add_product(K, &mut factor.blocks[at as usize]);
                }
            };
            if moves_a {
                add(place(contact.a), place(contact.a), &contact.JA, &KA);
            }
            if moves_b {
                add(place(contact.b), place(contact.b), &contact.JB, &KB);
            }
            if moves_a && moves_b {
                // The later place has the rows.
                let (pa, pb) = (place(contact.a), place(contact.b));
                if pa > pb {
                    add(pa, pb, &contact.JA, &KB);
                } else {
                    add(pa, pb, &contact.JB, &KA);
                }
            }
        }
        let ok = factor.factor(self.pattern);
        debug_assert!(ok, "the matrix is at least half the identity");
        direction.clear();
        direction.resize(self.bodies.len(), [0.0; 6]);
        for (i, r) in residual.iter().enumerate() {
            direction[self.pattern.place[i] as usize] = (-r).into();
        }
        factor.solve(self.pattern, direction, share);
    }

    /// Renews friction limits and gyroscopic moments; whether that changes anything. The last time they stay.
    fn renew(&mut self, numbers: &mut Numbers, round: u32) -> bool {
        let last = round + 1 == ROUNDS;
        let mut changed = 0.0;
        let mut scale = 0.0;
        let mut wary = false;
        for &b in self.bodies {
            let body = &self.movers[b as usize];
            scale += body.push.norm_squared();
        }
        self.settle();
        for (k, &c) in self.contacts.iter().enumerate() {
            let slot = self.active[c as usize].slot;
            let stiffness = &self.model.law(&self.state.contacts[slot].pair).law.stiffness;
            let contact = &mut self.active[c as usize];
            let before = contact.law.held;
            let held = contact.law.renew(stiffness, contact.f[0], &contact.u, round);
            let weight = |f: &nalgebra::Vector4<f64>| f.component_mul(f).dot(&contact.G.diagonal()) * self.h * self.h;
            scale += weight(&contact.f);
            if contact.law.differs(&held, &contact.u, LIMIT) {
                contact.law.held = held;
                let df = contact.law.loads(stiffness, &contact.u).f - contact.f;
                contact.law.held = before;
                changed += weight(&df);
            }
            wary |= held.wary && !before.wary;
            // Kept aside in the slopes, which are no longer needed.
            numbers.slopes[k][(0, 0)] = held.load;
            numbers.slopes[k][(1, 1)] = held.share;
            numbers.slopes[k][(2, 2)] = held.theta;
            numbers.slopes[k][(3, 3)] = f64::from(held.wary);
        }
        let mut turned = 0.0;
        for &b in self.bodies {
            let body = &mut self.movers[b as usize];
            if body.is_gyroscopic() {
                let before = body.push;
                body.gather_push(self.h);
                turned += (body.push - before).norm_squared();
                if last {
                    body.push = before;
                }
            }
        }
        let open = wary || changed.sqrt() > LIMIT * scale.sqrt() || turned.sqrt() > 1e-13;
        if open && !last {
            for (k, &c) in self.contacts.iter().enumerate() {
                let K = &numbers.slopes[k];
                let (load, share, theta) = (K[(0, 0)], K[(1, 1)], K[(2, 2)]);
                self.active[c as usize].law.held = super::law::Held { load, share, theta, wary: K[(3, 3)] != 0.0 };
            }
        }
        open
    }

    /// ν from the loads: momentum to rounding.
    fn settle(&mut self) {
        for &b in self.bodies {
            let body = &mut self.movers[b as usize];
            body.settle(body.push);
        }
        for &c in self.contacts {
            let contact = &self.active[c as usize];
            let f = contact.f * self.h;
            for (body, J) in [(contact.a, &contact.JA), (contact.b, &contact.JB)] {
                if self.movers[body].moves() {
                    self.movers[body].nu -= J.back(&f);
                }
            }
        }
    }

    /// What the blend loses, ½ σᵀ(I − T) T σ, and what Newton leaves: with F = σ − Tσ − ν, −½ F·(σ − 2Tσ − F).
    fn left(&self, numbers: &mut Numbers) -> (f64, f64) {
        let back = &mut numbers.residual;
        back.clear();
        back.resize(self.bodies.len(), Vector6::zeros());
        let mut lost = 0.0;
        for &c in self.contacts {
            let contact = &self.active[c as usize];
            let z = (contact.u - contact.drift) * (2.0 / self.h);
            let through = contact.w.component_mul(&z);
            lost += through.dot(&z);
            for (body, J) in [(contact.a, &contact.JA), (contact.b, &contact.JB)] {
                if self.movers[body].moves() {
                    back[self.place[body] as usize] += J.back(&through);
                }
            }
        }
        let mut left = 0.0;
        for (&b, T) in self.bodies.iter().zip(back.iter()) {
            let Mover { sigma, nu, .. } = &self.movers[b as usize];
            lost -= T.norm_squared();
            let F = sigma - T - nu;
            left -= 0.5 * F.dot(&(sigma - T * 2.0 - F));
        }
        (0.5 * lost, left)
    }
}

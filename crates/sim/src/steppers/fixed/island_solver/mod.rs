//! # Island: bodies that contacts join, solved together
//!
//! - **in**: the active contacts in order of their islands, their bodies, faces
//! - **out**: displacements, loads, σ and ν
//! - **not here**: which contacts make an island (`islands`)
//! - **start at** [`solve`]
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
//!
//! Loops go over contacts, each of which writes what it does to its bodies into its own room, then over bodies, each of
//! which adds up its contacts in their order. Both are cut into fixed parts for threads ([`parallel`](super::parallel)).
//!
//! **Length.** `solve` shares the island out to threads; what each part borrows is listed once, with it.

mod newton;

use super::Tally;
use super::block::{Block, Rows, Six, Weights};
use super::faces::Face;
use super::islands::Islands;
use super::law::{Held, Loads};
use super::parallel::{BODIES, CONTACTS, Cut, Even, Parallel, Span, gather, spread};
use super::pattern::NONE;
use super::rows::{ContactConstraint, Role};
use super::solver_body::SolverBody;
use super::sparse::{self, Search};
use crate::model::Model;
use nalgebra::{Vector4, Vector6};

/// Rounds of Newton steps, the friction limit held in each.
const ROUNDS: u32 = 20;
/// Newton steps in a round.
const STEPS: u32 = 60;
/// How well the friction limit is met, as a share of the impulse.
const LIMIT: f64 = 1e-5;
/// The same where one face is all there is: as well as of one contact.
const LIMIT_OF_ONE: f64 = 1e-9;

/// A body in its island.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub sigma: Vector6<f64>,
    pub nu: Vector6<f64>,
    pub push: Vector6<f64>,
    /// Gyroscopic impulse, or bias of a joint, in `push`, and the one that ν came from.
    pub turned: Vector6<f64>,
    pub turned_done: Vector6<f64>,
    start: Vector6<f64>,
    residual: Vector6<f64>,
    body: u32,
    gyroscopic: bool,
}

/// What a contact does, beside the contact.
#[derive(Clone, Copy, Debug)]
struct Side {
    slope: Weights,
    through: [Vector6<f64>; 2],
    held: Held,
}

/// Numbers of all islands, one after the other.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    pub nodes: Vec<Node>,
    sides: Vec<Side>,
    search: Vec<Search>,
    lead: Vec<Six>,
    blocks: Vec<Block>,
    factors: Vec<Block>,
    /// Islands whose matrix and factor are those of their contacts at rest, and the sorting that they belong to.
    solid: Vec<bool>,
    round: u64,
}

/// What an island leaves: the energy that the blend loses, and what Newton leaves over (J).
pub type Left = (f64, f64);

/// Some islands, with all that is theirs.
struct Share<'a> {
    islands: &'a Islands,
    /// Groups of islands, and the first island of them.
    groups: &'a [u32],
    first: usize,
    active: &'a mut [ContactConstraint],
    nodes: &'a mut [Node],
    sides: &'a mut [Side],
    search: &'a mut [Search],
    lead: &'a mut [Six],
    blocks: &'a mut [Block],
    factors: &'a mut [Block],
    left: &'a mut [Left],
    solid: &'a mut [bool],
}

impl Share<'_> {
    /// The islands up to one, and the rest.
    fn up_to(self, island: usize) -> (Self, Self) {
        let at = |island: usize| match island {
            0 => ((0, 0), (0, 0)),
            _ => (self.islands.ends[island - 1], self.islands.room[island - 1]),
        };
        let (((b0, c0), (m0, f0)), ((b1, c1), (m1, f1))) = (at(self.first), at(island));
        let (bodies, contacts) = ((b1 - b0) as usize, (c1 - c0) as usize);
        let (active, active_rest) = self.active.split_at_mut(contacts);
        let (nodes, nodes_rest) = self.nodes.split_at_mut(bodies);
        let (sides, sides_rest) = self.sides.split_at_mut(contacts);
        let (search, search_rest) = self.search.split_at_mut(bodies);
        let (lead, lead_rest) = self.lead.split_at_mut(bodies);
        let (blocks, blocks_rest) = self.blocks.split_at_mut((m1 - m0) as usize);
        let (factors, factors_rest) = self.factors.split_at_mut((f1 - f0) as usize);
        let (left, left_rest) = self.left.split_at_mut(island - self.first);
        let (solid, solid_rest) = self.solid.split_at_mut(island - self.first);
        let rest = Self {
            islands: self.islands,
            groups: self.groups,
            first: island,
            active: active_rest,
            nodes: nodes_rest,
            sides: sides_rest,
            search: search_rest,
            lead: lead_rest,
            blocks: blocks_rest,
            factors: factors_rest,
            left: left_rest,
            solid: solid_rest,
        };
        (Self { active, nodes, sides, search, lead, blocks, factors, left, solid, ..self }, rest)
    }
}

impl Cut for Share<'_> {
    fn parts(&self) -> usize {
        self.groups.len()
    }

    fn cut(self, at: usize) -> (Self, Self) {
        let (groups, rest) = self.groups.split_at(at);
        let island = groups.last().map_or(self.first, |end| *end as usize);
        let (one, other) = self.up_to(island);
        (Self { groups, ..one }, Self { groups: rest, ..other })
    }
}

/// Solves all islands of several contacts whose bodies are open; what each leaves goes to `left`. The contacts are in order
/// of their islands. Afterwards the nodes have what bodies do.
#[allow(clippy::too_many_arguments)] // the rooms it works with
pub fn solve(
    model: &Model,
    solver_bodies: &[SolverBody],
    active: &mut [ContactConstraint],
    faces: &[Face],
    islands: &Islands,
    numbers: &mut Numbers,
    open: &[bool],
    left: &mut [Left],
    (h, first): (f64, bool),
    parallel: Parallel,
) -> Tally {
    let (blocks, factors) = islands.room.last().copied().unwrap_or_default();
    let empty = Node::of(0, None);
    numbers.nodes.resize(islands.bodies.len(), empty);
    let side = Side { slope: Weights::Each(Vector4::zeros()), through: [Vector6::zeros(); 2], held: Held::default() };
    numbers.sides.resize(active.len(), side);
    numbers.search.resize(islands.bodies.len(), Search::default());
    numbers.lead.resize(islands.bodies.len(), [0.0; 6]);
    numbers.blocks.resize(blocks as usize, [[0.0; 6]; 6]);
    numbers.factors.resize(factors as usize, [[0.0; 6]; 6]);
    if numbers.round != islands.round {
        numbers.round = islands.round;
        numbers.solid.clear();
        numbers.solid.resize(islands.ends.len(), false);
    }
    let bodies = (Span::new(islands.bodies.len(), BODIES), Even { list: &mut numbers.nodes, size: BODIES });
    spread(parallel, bodies, &|(span, nodes): (Span, Even<Node>)| {
        for (node, &body) in nodes.list.iter_mut().zip(&islands.bodies[span.from..]) {
            *node = Node::of(body, Some(&solver_bodies[body as usize]));
        }
    });
    let share = Share {
        islands,
        groups: &islands.groups,
        first: 0,
        active,
        nodes: &mut numbers.nodes,
        sides: &mut numbers.sides,
        search: &mut numbers.search,
        lead: &mut numbers.lead,
        blocks: &mut numbers.blocks,
        factors: &mut numbers.factors,
        left,
        solid: &mut numbers.solid,
    };
    let each = |mut share: Share| {
        let mut tally = Tally::default();
        while !share.left.is_empty() {
            let island = share.first;
            let (one, rest) = share.up_to(island + 1);
            // Islands with trees of joints are solved elsewhere.
            let link = |node: &Node| solver_bodies[node.body as usize].link().is_some();
            let lives = one.nodes.first().is_some_and(|node| open[node.body as usize]) && !one.nodes.iter().any(link);
            if one.active.len() > 1 && lives {
                let from = islands.range(island).0.start as u32;
                let mut work = Work {
                    model,
                    solver_bodies,
                    faces,
                    place: &islands.place,
                    from,
                    active: one.active,
                    nodes: one.nodes,
                    sides: one.sides,
                    numbers: sparse::Numbers {
                        pattern: &islands.patterns[island],
                        blocks: one.blocks,
                        factors: one.factors,
                        search: one.search,
                        lead: one.lead,
                    },
                    solid: &mut one.solid[0],
                    h,
                    parallel,
                };
                one.left[0] = work.solve(first, &mut tally);
            }
            share = rest;
        }
        tally
    };
    gather(parallel, share, &each, &Tally::and)
}

impl Node {
    fn of(body: u32, solver_body: Option<&SolverBody>) -> Self {
        let zero = Vector6::zeros();
        let (sigma, nu, push, turned) = solver_body.map_or((zero, zero, zero, zero), |solver_body| {
            (solver_body.sigma, solver_body.nu, solver_body.push, solver_body.turned())
        });
        let gyroscopic = solver_body.is_some_and(SolverBody::is_gyroscopic);
        Self { sigma, nu, push, turned, turned_done: turned, start: zero, residual: zero, body, gyroscopic }
    }
}

/// An island at work.
struct Work<'a> {
    model: &'a Model,
    solver_bodies: &'a [SolverBody],
    /// Faces of all islands.
    faces: &'a [Face],
    /// Place of each body among all nodes, and the first that is here.
    place: &'a [u32],
    from: u32,
    active: &'a mut [ContactConstraint],
    nodes: &'a mut [Node],
    sides: &'a mut [Side],
    numbers: sparse::Numbers<'a>,
    /// Matrix and factor are those of the contacts at rest.
    solid: &'a mut bool,
    h: f64,
    parallel: Parallel,
}

/// How contacts find their bodies.
#[derive(Clone, Copy)]
struct Find<'a> {
    place: &'a [u32],
    from: u32,
}

impl Find<'_> {
    /// Nodes of A and B; none for a body that is held.
    #[inline]
    fn of<'n>(&self, contact: &ContactConstraint, nodes: &'n [Node]) -> [Option<&'n Node>; 2] {
        [contact.a, contact.b].map(|body| match self.place[body] {
            NONE => None,
            place => Some(&nodes[(place - self.from) as usize]),
        })
    }
}

impl Work<'_> {
    fn solve(&mut self, first: bool, tally: &mut Tally) -> Left {
        if first {
            self.guess();
        }
        self.bear(true);
        let mut found = self.evaluate(true);
        for round in 0..ROUNDS {
            self.newton(found, tally);
            tally.rounds += 1;
            self.bear(false);
            let last = round + 1 == ROUNDS;
            if !self.renew_limits(round) {
                break;
            }
            if last {
                tally.open += 1;
                break;
            }
            found = self.evaluate(false);
        }
        self.left()
    }

    /// Tells what holds faces along each other how they press.
    fn bear(&mut self, first: bool) {
        if self.faces.is_empty() {
            return;
        }
        let (find, h) = (Find { place: self.place, from: self.from }, self.h);
        for i in 1..self.active.len() {
            let [contact, next] = &mut self.active[i - 1..=i] else { continue };
            let Role::Presses(face) = contact.role else { continue };
            if first {
                contact.displace(find.of(contact, self.nodes).map(|node| node.map(|node| &node.sigma)), h);
            }
            let face = &self.faces[face as usize];
            next.law.borne = Some(face.press.bears(face.bed(), &contact.u));
        }
    }

    /// Does something for each contact, with what is beside it and the nodes of all bodies.
    fn each_contact<R: Send>(
        &mut self,
        each: impl Fn(&mut ContactConstraint, &mut Side, [Option<&Node>; 2], &mut R) + Sync,
        none: impl Fn() -> R + Sync,
        add: impl Fn(R, R) -> R + Sync,
    ) -> R {
        let find = Find { place: self.place, from: self.from };
        let nodes = &*self.nodes;
        let list = (Even { list: &mut *self.active, size: CONTACTS }, Even { list: &mut *self.sides, size: CONTACTS });
        let part = |(active, sides): (Even<ContactConstraint>, Even<Side>)| {
            let mut sum = none();
            for (contact, side) in active.list.iter_mut().zip(sides.list.iter_mut()) {
                let bodies = find.of(contact, nodes);
                each(contact, side, bodies, &mut sum);
            }
            sum
        };
        gather(self.parallel, list, &part, &add)
    }

    /// Does something for each body, with the sum of what its contacts do to it, from a start.
    fn each_body<R: Send>(
        &mut self,
        start: impl Fn(&Node) -> Vector6<f64> + Sync,
        each: impl Fn(&mut Node, Vector6<f64>, &mut R) + Sync,
        none: impl Fn() -> R + Sync,
        add: impl Fn(R, R) -> R + Sync,
    ) -> R {
        let (pattern, sides) = (self.numbers.pattern, &*self.sides);
        let list = (Span::new(self.nodes.len(), BODIES), Even { list: &mut *self.nodes, size: BODIES });
        let part = |(span, nodes): (Span, Even<Node>)| {
            let mut sum = none();
            for (place, node) in (span.from..).zip(nodes.list.iter_mut()) {
                let mut total = start(node);
                for touch in pattern.touches(place) {
                    total += sides[touch.contact as usize].through[usize::from(touch.is_b)];
                }
                each(node, total, &mut sum);
            }
            sum
        };
        gather(self.parallel, list, &part, &add)
    }

    /// σ from the loads of the last step and what its blend added: that of this step where the motion is steady.
    fn guess(&mut self) {
        let h = self.h;
        self.each_contact(
            |contact, side, nodes, ()| side.act(contact, nodes, &((contact.blend - contact.f) * h)),
            || (),
            |(), ()| (),
        );
        self.each_body(
            |node| node.push,
            |node, nu, ()| {
                node.settle(nu);
                node.sigma = nu;
            },
            || (),
            |(), ()| (),
        );
    }

    /// Displacements, loads, slopes and residual at the present σ; the sizes of residual and impulses.
    fn evaluate(&mut self, refresh: bool) -> (f64, f64) {
        let (h, model, faces) = (self.h, self.model, self.faces);
        let through = self.each_contact(
            |contact, side, nodes, size: &mut f64| {
                let stiffness = &model.law(&contact.pair).law.stiffness;
                contact.displace(nodes.map(|node| node.map(|node| &node.sigma)), h);
                let loads = if let Role::Presses(face) = contact.role {
                    press(&faces[face as usize], contact)
                } else {
                    let pressed = contact.law.normal(stiffness, contact.u[0]);
                    if refresh {
                        contact.law.held = contact.law.refresh(stiffness, &pressed, &contact.u, false);
                    }
                    contact.law.loads_pressed(pressed, &contact.u)
                };
                contact.f = loads.f;
                contact.pressed = loads.pressed;
                let z = (contact.u - contact.drift) * (2.0 / h);
                side.act(contact, nodes, &(loads.f * h - contact.w.component_mul(&z)));
                *size += side.through[0].norm_squared() + side.through[1].norm_squared();
                side.slope = contact.newton_slope(&loads, h);
            },
            || 0.0,
            |a, b| a + b,
        );
        let (residual, push) = self.each_body(
            |node| node.sigma - node.push,
            |node, residual, sum: &mut (f64, f64)| {
                node.residual = residual;
                sum.0 += residual.norm_squared();
                sum.1 += node.push.norm_squared();
            },
            || (0.0, 0.0),
            |a, b| (a.0 + b.0, a.1 + b.1),
        );
        (residual.sqrt(), (push + through).sqrt())
    }

    /// Renews friction limits and gyroscopic moments; whether that changes anything. The last time they stay.
    fn renew_limits(&mut self, round: u32) -> bool {
        let last = round + 1 == ROUNDS;
        let (h, model, solver_bodies) = (self.h, self.model, self.solver_bodies);
        let one = self.active.len() == 2 && self.active[1].role == Role::Rubs;
        let limit = if one { LIMIT_OF_ONE } else { LIMIT };
        let (changed, weighed, wary) = self.each_contact(
            |contact, side, nodes, sum: &mut (f64, f64, bool)| {
                side.act(contact, nodes, &(contact.f * -h));
                let stiffness = &model.law(&contact.pair).law.stiffness;
                let before = contact.law.held;
                let held = contact.law.renew_limit(stiffness, &contact.pressed, &contact.u, round);
                let weight = |f: &Vector4<f64>| f.component_mul(f).dot(&contact.G.diagonal()) * h * h;
                sum.1 += weight(&contact.f);
                if contact.law.differs(&held, &contact.u, limit) {
                    contact.law.held = held;
                    let df = contact.law.loads(stiffness, &contact.u).f - contact.f;
                    contact.law.held = before;
                    sum.0 += weight(&df);
                }
                sum.2 |= held.wary && !before.wary;
                side.held = held;
            },
            || (0.0, 0.0, false),
            |a, b| (a.0 + b.0, a.1 + b.1, a.2 || b.2),
        );
        // ν from the loads: momentum to rounding.
        let (turned, pushed) = self.each_body(
            |node| node.push,
            |node, nu, sum: &mut (f64, f64)| {
                sum.1 += node.push.norm_squared();
                node.settle(nu);
                if node.gyroscopic {
                    let (push, turned) = solver_bodies[node.body as usize].pushed(&node.sigma, &node.nu, h);
                    sum.0 += (push - node.push).norm_squared();
                    if !last {
                        (node.push, node.turned) = (push, turned);
                    }
                }
            },
            || (0.0, 0.0),
            |a, b| (a.0 + b.0, a.1 + b.1),
        );
        let open = wary || changed.sqrt() > limit * (pushed + weighed).sqrt() || turned.sqrt() > 1e-13;
        if open && !last {
            self.each_contact(|contact, side, _, ()| contact.law.held = side.held, || (), |(), ()| ());
        }
        open
    }

    /// What the blend loses, ½ σᵀ(I − T) T σ, and what Newton leaves: with F = σ − Tσ − ν, −½ F·(σ − 2Tσ − F).
    fn left(&mut self) -> Left {
        let h = self.h;
        let lost = self.each_contact(
            |contact, side, nodes, lost: &mut f64| {
                let z = (contact.u - contact.drift) * (2.0 / h);
                let through = contact.w.component_mul(&z);
                *lost += through.dot(&z);
                contact.blend = through / h;
                side.act(contact, nodes, &through);
            },
            || 0.0,
            |a, b| a + b,
        );
        let (twice, left) = self.each_body(
            |_| Vector6::zeros(),
            |node, T, sum: &mut (f64, f64)| {
                sum.0 += T.norm_squared();
                let F = node.sigma - T - node.nu;
                sum.1 -= 0.5 * F.dot(&(node.sigma - T * 2.0 - F));
            },
            || (0.0, 0.0),
            |a, b| (a.0 + b.0, a.1 + b.1),
        );
        (0.5 * (lost - twice), left)
    }
}

/// The least share of its residual to which a direction is searched.
const LEAST: f64 = 1e-5;

impl Node {
    fn settle(&mut self, nu: Vector6<f64>) {
        self.nu = nu;
        self.turned_done = self.turned;
    }
}

/// Loads of two faces.
#[cold]
fn press(face: &Face, contact: &ContactConstraint) -> Loads {
    face.press.loads(face.bed(), &contact.u)
}

impl Side {
    /// What loads of a contact do to its bodies.
    #[inline]
    fn act(&mut self, contact: &ContactConstraint, nodes: [Option<&Node>; 2], f: &Vector4<f64>) {
        let back = |node: Option<&Node>, J: &Rows| if node.is_some() { J.back(f) } else { Vector6::zeros() };
        self.through = [back(nodes[0], &contact.JA), back(nodes[1], &contact.JB)];
    }
}

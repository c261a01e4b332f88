//! Balls dropped between walls, moved by the cone solver alone: what its problems cost while a heap forms and comes to rest.
//!
//! ```text
//! cargo bench -p fingerpad-solve --bench heap -- [COUNT [SECONDS]]
//! ```
//!
//! The balls, walls, friction, steps and starts of the `complementarity` bench of `fingerpad-sim` (r 50 mm, 0.2 kg, μ 0.5, 1 ms, impulses of
//! the last step), islands with more than 60 contacts to 1e-8 m/s and smaller ones to 1e-9; 50 balls and 2 s if not told. A row
//! for each second: contacts and Newton steps in a step, steps with a problem that was left unsolved, worst residual (m/s), median,
//! mean and p99.9 of the time of the processor in a step (µs). Overlap is moved apart by problems without friction, which are not
//! timed.

use fingerpad_solve::Status;
use fingerpad_solve::cone::{Arm, ConeContact, ConeOperator, ConeOptions, ConeProblem, ConeSolver, Set, Span};
use std::collections::BTreeMap;

type Vector = [f64; 3];

const RADIUS: f64 = 0.05;
const MASS: f64 = 0.2;
const INERTIA: f64 = 0.4 * MASS * RADIUS * RADIUS;
const FRICTION: f64 = 0.5;
const STEP: f64 = 1e-3;
/// Gap that counts as none (m).
const SLOP: f64 = 1e-9;

/// Ball `a` on ball `b` or, beyond the number of balls, on a wall; n leads to `a`.
struct Contact {
    a: usize,
    b: usize,
    axes: [Vector; 3],
    gap: f64,
}

#[derive(Default)]
struct Heap {
    places: Vec<Vector>,
    /// (w, v) of each ball.
    velocities: Vec<[f64; 6]>,
    wide: f64,
    /// Impulses of the last step by pair, in the world.
    last: BTreeMap<(usize, usize), Vector>,
    solver: ConeSolver,
}

/// What a step took.
#[derive(Default)]
struct Cost {
    contacts: usize,
    newton: usize,
    unsolved: bool,
    residual: f64,
    time: f64,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let number = |k: usize, default| words.get(k).and_then(|word| word.parse().ok()).unwrap_or(default);
    let (count, seconds): (usize, usize) = (number(0, 50), number(1, 2));
    let mut heap = Heap::dropped(count);
    println!("balls   s  contacts  newton  unsolved  residual   median     mean    p99.9");
    for second in 0..seconds {
        let costs: Vec<Cost> = (0..1000).map(|_| heap.step()).collect();
        let mut times: Vec<f64> = costs.iter().map(|cost| 1e6 * cost.time).collect();
        times.sort_by(f64::total_cmp);
        let mean = |of: &dyn Fn(&Cost) -> f64| costs.iter().map(of).sum::<f64>() / costs.len() as f64;
        println!(
            "{count:>5} {:>3} {:>9.1} {:>7.1} {:>9} {:>9.1e} {:>8.0} {:>8.0} {:>8.0}",
            second + 1,
            mean(&|cost| cost.contacts as f64),
            mean(&|cost| cost.newton as f64),
            costs.iter().filter(|cost| cost.unsolved).count(),
            costs.iter().map(|cost| cost.residual).fold(0.0, f64::max),
            times[times.len() / 2],
            mean(&|cost| 1e6 * cost.time),
            times[times.len() * 999 / 1000],
        );
    }
}

impl Heap {
    fn dropped(count: usize) -> Self {
        let side = (1..).find(|n: &usize| n * n * 2 >= count).unwrap_or(1);
        let wide = 2.3 * RADIUS * side as f64;
        let place = |i: usize| {
            let (layer, within) = (i / (side * side), i % (side * side));
            let at = |k: usize| 2.3 * RADIUS * (k as f64 + 0.5) - 0.5 * wide;
            // A little out of line, each in its own way.
            let off = |k: usize| 0.02 * RADIUS * ((i * 7919 * k % 17) as f64 - 8.0) / 8.0;
            [at(within % side) + off(1), at(within / side) + off(3), RADIUS * (1.2 + 2.3 * layer as f64)]
        };
        let places = (0..count).map(place).collect();
        Self { places, velocities: vec![[0.0; 6]; count], wide, ..Self::default() }
    }

    fn step(&mut self) -> Cost {
        let before = self.velocities.clone();
        self.velocities.iter_mut().for_each(|V| V[5] -= 9.81 * STEP);
        let speeds: Vec<f64> =
            before.iter().zip(&self.velocities).map(|(was, now)| speed(was).max(speed(now))).collect();
        let reach = |i: usize| speeds.get(i).copied().unwrap_or(0.0);
        let near = self.contacts(|a, b| 2.0 * STEP * (reach(a) + reach(b)) + 1e-6);
        let (mut cost, mut next) = (Cost { contacts: near.len(), ..Cost::default() }, BTreeMap::new());
        for island in self.islands(&near) {
            let velocities = &self.velocities;
            let b = |contact: &Contact| {
                let mut b = [0.0; 4];
                for (body, rows) in arms(contact, velocities.len()) {
                    (0..4).for_each(|r| b[r] += (0..6).map(|c| rows[r][c] * velocities[body][c]).sum::<f64>());
                }
                b[0] += (contact.gap - SLOP).max(0.0) / STEP;
                b
            };
            let problem = self.problem(&near, &island, FRICTION, b);
            let start = |k: &usize| {
                let f = self.last.get(&(near[*k].a, near[*k].b)).copied().unwrap_or_default();
                let [n, t1, t2] = near[*k].axes.map(|axis| dot(&axis, &f));
                [n, t1, t2, 0.0]
            };
            let mut impulses: Vec<[f64; 4]> = island.iter().map(start).collect();
            let tolerance = if island.len() > 60 { 1e-8 } else { 1e-9 };
            let began = own_time();
            self.solver.options = options(tolerance);
            let report = self.solver.solve(&problem, &mut impulses).unwrap();
            cost.time += own_time() - began;
            cost.newton += report.newton;
            cost.unsolved |= report.status != Status::Solved;
            cost.residual = cost.residual.max(report.residual);
            for (k, f) in island.iter().zip(&impulses) {
                let contact = &near[*k];
                next.insert((contact.a, contact.b), [0, 1, 2].map(|c| (0..3).map(|r| contact.axes[r][c] * f[r]).sum()));
                for (body, rows) in arms(contact, self.places.len()) {
                    (0..6).for_each(|c| {
                        let push: f64 = (0..4).map(|r| rows[r][c] * f[r]).sum();
                        self.velocities[body][c] += push / if c < 3 { INERTIA } else { MASS };
                    });
                }
            }
        }
        self.last = next;
        for (place, (was, now)) in self.places.iter_mut().zip(before.iter().zip(&self.velocities)) {
            (0..3).for_each(|c| place[c] += 0.5 * STEP * (was[3 + c] + now[3 + c]));
        }
        self.move_apart();
        cost
    }

    /// What overlaps, along its normals, by the least motion.
    fn move_apart(&mut self) {
        let deepest = self.contacts(|_, _| 0.0).iter().map(|contact| -contact.gap).fold(0.0, f64::max);
        if deepest <= SLOP {
            return;
        }
        let near = self.contacts(|_, _| 4.0 * deepest);
        for island in self.islands(&near) {
            let problem = self.problem(&near, &island, 0.0, |contact| [contact.gap, 0.0, 0.0, 0.0]);
            let mut ways = Vec::new();
            self.solver.options = options(0.1 * SLOP);
            self.solver.solve(&problem, &mut ways).unwrap();
            for (k, way) in island.iter().zip(&ways) {
                for (body, rows) in arms(&near[*k], self.places.len()) {
                    (0..3).for_each(|c| self.places[body][c] += rows[0][3 + c] * way[0] / MASS);
                }
            }
        }
    }

    /// All pairs nearer than told.
    fn contacts(&self, reach: impl Fn(usize, usize) -> f64) -> Vec<Contact> {
        let count = self.places.len();
        let half = -0.5 * self.wide;
        let walls = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0]];
        let mut found = Vec::new();
        for (a, x) in self.places.iter().enumerate() {
            for (wall, n) in walls.iter().enumerate() {
                let gap = dot(n, x) - if wall == 0 { 0.0 } else { half } - RADIUS;
                if gap <= reach(a, count + wall) {
                    found.push(Contact { a, b: count + wall, axes: axes(*n), gap });
                }
            }
            for (b, y) in self.places[..a].iter().enumerate() {
                let apart = [x[0] - y[0], x[1] - y[1], x[2] - y[2]];
                let way = dot(&apart, &apart).sqrt();
                if way - 2.0 * RADIUS <= reach(a, b) {
                    found.push(Contact { a, b, axes: axes(apart.map(|c| c / way)), gap: way - 2.0 * RADIUS });
                }
            }
        }
        found
    }

    /// Contacts that move the same balls.
    fn islands(&self, contacts: &[Contact]) -> Vec<Vec<usize>> {
        let mut lead: Vec<usize> = (0..self.places.len()).collect();
        fn root(lead: &[usize], mut i: usize) -> usize {
            while lead[i] != i {
                i = lead[i];
            }
            i
        }
        for contact in contacts.iter().filter(|contact| contact.b < self.places.len()) {
            let (a, b) = (root(&lead, contact.a), root(&lead, contact.b));
            lead[a.max(b)] = a.min(b);
        }
        let mut lists = BTreeMap::<usize, Vec<usize>>::new();
        for (k, contact) in contacts.iter().enumerate() {
            lists.entry(root(&lead, contact.a)).or_default().push(k);
        }
        lists.into_values().collect()
    }

    fn problem(
        &self,
        contacts: &[Contact],
        island: &[usize],
        mu: f64,
        b: impl Fn(&Contact) -> [f64; 4],
    ) -> ConeProblem {
        let mut blocks = BTreeMap::new();
        let (mut all, mut spans, mut cones) = (Vec::new(), Vec::new(), Vec::new());
        for contact in island.iter().map(|k| &contacts[*k]) {
            let first = all.len() as u32;
            for (body, rows) in arms(contact, self.places.len()) {
                let next = blocks.len() as u32;
                let block = *blocks.entry(body).or_insert(next);
                let root = |c: usize| (if c < 3 { INERTIA } else { MASS }).sqrt();
                all.push(Arm { block, rows: rows.map(|row| [0, 1, 2, 3, 4, 5].map(|c| row[c] / root(c))) });
            }
            spans.push(Span { first, count: all.len() as u32 - first });
            let set = Set::Ellipsoid { friction: [mu, mu, 0.0] };
            cones.push(ConeContact { set, b: b(contact), compliance: [0.0; 4] });
        }
        ConeProblem { operator: ConeOperator::Blocks { count: blocks.len(), arms: all, spans }, contacts: cones }
    }
}

/// As the rigid stepper sets them for many contacts.
fn options(tolerance: f64) -> ConeOptions {
    ConeOptions { tolerance, sweeps: 1000, newton_contacts: 20, patience: 4, proximal: 80 }
}

/// The balls of a contact, and its rows on (w, v) of each.
fn arms(contact: &Contact, count: usize) -> impl Iterator<Item = (usize, [[f64; 6]; 4])> {
    let [n, t1, t2] = contact.axes;
    let sides = [(contact.a, 1.0), (contact.b, -1.0)];
    sides.into_iter().filter(move |(body, _)| *body < count).map(move |(body, sign)| {
        let arm = n.map(|x| -sign * RADIUS * x);
        let row = |t: Vector, f: Vector| [t[0], t[1], t[2], f[0], f[1], f[2]].map(|x| sign * x);
        (body, [row(cross(&arm, &n), n), row(cross(&arm, &t1), t1), row(cross(&arm, &t2), t2), row(n, [0.0; 3])])
    })
}

fn axes(n: Vector) -> [Vector; 3] {
    let other = if n[0].abs() < 0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let t = cross(&n, &other);
    let size = dot(&t, &t).sqrt();
    let t = t.map(|x| x / size);
    [n, t, cross(&n, &t)]
}

/// Time that this thread has run (s): other work beside does not count.
fn own_time() -> f64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    now.tv_sec as f64 + 1e-9 * now.tv_nsec as f64
}

fn speed(V: &[f64; 6]) -> f64 {
    (V[3] * V[3] + V[4] * V[4] + V[5] * V[5]).sqrt()
}

fn dot(a: &Vector, b: &Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

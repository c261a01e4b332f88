//! The bank of problems: random scenes of bodies in contact, and the LCPs with polygonal friction that they lead to.
//!
//! ```text
//! z = (c_n, β, λ):  M = [[NᵀM⁻¹N, NᵀM⁻¹B, 0], [BᵀM⁻¹N, BᵀM⁻¹B, E], [μ, −Eᵀ, 0]],  q = [Nᵀv, Bᵀv, 0]
//! ```
//!
//! Impulses (N·s); v is the velocity without contacts. Rows of a contact: normal, two tangents, spin; rotation first.
#![allow(dead_code)] // each user takes its part

pub mod hand;

use fingerpad_solve::Lcp;
use fingerpad_solve::cone::{Arm, ConeContact, ConeOperator, ConeProblem, Span};

/// Random numbers from a seed (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }
    /// From 0 to 1.
    pub fn share(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }
    pub fn between(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * self.share()
    }
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n.max(1) as u64) as usize
    }
    /// From −1 to 1.
    pub fn signed(&mut self) -> f64 {
        self.between(-1.0, 1.0)
    }
}

/// What is special about a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Bodies thrown at each other and the ground.
    Thrown,
    /// Boxes at rest on a floor: four coplanar contacts each, only weight.
    AtRest,
    /// Every contact twice.
    Doubled,
    /// Some contacts without friction, or all.
    Frictionless,
    /// Bodies that do not move at all: many rows of q are 0.
    Still,
    /// Masses from 1e-3 to 1e3.
    Uneven,
    /// Bodies between walls that face each other.
    Wedged,
}

pub const FAMILIES: [Family; 7] = [
    Family::Thrown,
    Family::AtRest,
    Family::Doubled,
    Family::Frictionless,
    Family::Still,
    Family::Uneven,
    Family::Wedged,
];

/// One body: mass, moments of inertia (world axes), velocity (w; v) before contacts act.
#[derive(Clone, Debug)]
pub struct Body {
    pub inverse: [f64; 6],
    pub velocity: [f64; 6],
    pub place: [f64; 3],
}

/// One contact: bodies (A may be the ground), rows of each body, friction.
#[derive(Clone, Debug)]
pub struct Contact {
    pub a: Option<usize>,
    pub b: usize,
    pub rows_a: [[f64; 6]; 4],
    pub rows_b: [[f64; 6]; 4],
    pub mu: f64,
    /// Spin moment per force (m).
    pub e: f64,
}

/// Bodies and contacts.
#[derive(Clone, Debug)]
pub struct Scene {
    pub bodies: Vec<Body>,
    pub contacts: Vec<Contact>,
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(a: [f64; 3]) -> [f64; 3] {
    let size = a.iter().map(|x| x * x).sum::<f64>().sqrt();
    a.map(|x| x / size)
}

fn tangents(n: [f64; 3]) -> [[f64; 3]; 2] {
    let other = if n[0].abs() < 0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let t = unit(cross(n, other));
    [t, cross(n, t)]
}

/// Rows of the velocity at `arm` from the body's centre: along the normal and tangents, and spin about the normal.
fn rows(arm: [f64; 3], n: [f64; 3], sign: f64) -> [[f64; 6]; 4] {
    let [t, s] = tangents(n);
    let line = |d: [f64; 3]| {
        let turn = cross(arm, d);
        [turn[0], turn[1], turn[2], d[0], d[1], d[2]].map(|x| sign * x)
    };
    [line(n), line(t), line(s), [n[0], n[1], n[2], 0.0, 0.0, 0.0].map(|x| sign * x)]
}

impl Scene {
    /// A scene with so many contacts.
    pub fn random(family: Family, contacts: usize, random: &mut Random) -> Scene {
        let count = match family {
            Family::AtRest => contacts.div_ceil(4),
            _ => (2 * contacts).div_ceil(5),
        };
        let bodies = (0..count.max(1)).map(|k| body(family, k, random)).collect();
        let mut scene = Scene { bodies, contacts: Vec::new() };
        while scene.contacts.len() < contacts {
            let k = scene.contacts.len();
            let contact = scene.contact(family, k, random);
            scene.contacts.push(contact);
        }
        scene
    }

    fn contact(&self, family: Family, k: usize, random: &mut Random) -> Contact {
        if family == Family::Doubled && k % 2 == 1 {
            return self.contacts[k - 1].clone();
        }
        let count = self.bodies.len();
        let b = if family == Family::AtRest { k / 4 } else { k % count };
        let other = random.below(count + 1);
        let a = (other < count && other != b && family != Family::AtRest && family != Family::Wedged).then_some(other);
        let size = 0.1;
        let (arm, n) = match family {
            Family::AtRest => {
                let corner = k % 4;
                let x = if corner & 1 == 0 { size } else { -size };
                let y = if corner & 2 == 0 { size } else { -size };
                ([x, y, -0.05], [0.0, 0.0, 1.0])
            }
            Family::Wedged => {
                let side = if (k / count).is_multiple_of(2) { 1.0 } else { -1.0 };
                let n = unit([side, 0.2 * random.signed(), 0.1 * random.signed()]);
                (n.map(|x| -x * size), n)
            }
            _ => {
                let n = unit([random.signed(), random.signed(), 0.3 + random.signed().abs()]);
                let off = [random.signed(), random.signed(), random.signed()];
                ([0, 1, 2].map(|c| -size * n[c] + 0.3 * size * off[c]), n)
            }
        };
        let arm_a =
            a.map_or([0.0; 3], |a| [0, 1, 2].map(|c| self.bodies[b].place[c] + arm[c] - self.bodies[a].place[c]));
        let slippery = family == Family::Frictionless && (self.contacts.len() < 3 || random.share() < 0.6);
        Contact {
            a,
            b,
            rows_a: if a.is_some() { rows(arm_a, n, -1.0) } else { [[0.0; 6]; 4] },
            rows_b: rows(arm, n, 1.0),
            mu: if slippery { 0.0 } else { random.between(0.1, 1.0) },
            e: random.between(0.001, 0.02),
        }
    }

    /// Entry of the contact-space inverse inertia: rows r, s of contacts i, j.
    pub fn delassus(&self, i: usize, r: usize, j: usize, s: usize) -> f64 {
        let mut sum = 0.0;
        let (ci, cj) = (&self.contacts[i], &self.contacts[j]);
        for (bi, ri) in [(ci.a, &ci.rows_a[r]), (Some(ci.b), &ci.rows_b[r])] {
            for (bj, rj) in [(cj.a, &cj.rows_a[s]), (Some(cj.b), &cj.rows_b[s])] {
                if let (Some(bi), true) = (bi, bi == bj) {
                    let inverse = &self.bodies[bi].inverse;
                    sum += (0..6).map(|k| ri[k] * inverse[k] * rj[k]).sum::<f64>();
                }
            }
        }
        sum
    }

    /// Velocity of a contact's row without contact.
    pub fn free_velocity(&self, i: usize, r: usize) -> f64 {
        let c = &self.contacts[i];
        let part = |body: Option<usize>, row: &[f64; 6]| {
            body.map_or(0.0, |b| (0..6).map(|k| row[k] * self.bodies[b].velocity[k]).sum())
        };
        part(c.a, &c.rows_a[r]) + part(Some(c.b), &c.rows_b[r])
    }

    /// The LCP with `facets` directions of sliding per contact.
    pub fn lcp(&self, facets: usize) -> Lcp {
        let directions: Vec<Vec<f64>> = (0..facets)
            .map(|f| {
                let angle = std::f64::consts::TAU * f as f64 / facets as f64;
                vec![0.0, angle.cos(), angle.sin(), 0.0]
            })
            .collect();
        self.lcp_along(&directions)
    }

    /// The LCP with friction along given directions, each as factors of the four rows.
    pub fn lcp_along(&self, directions: &[Vec<f64>]) -> Lcp {
        let (k, u) = (self.contacts.len(), directions.len());
        let n = k * (u + 2);
        let mut m = vec![0.0; n * n];
        let mut q = vec![0.0; n];
        let mut normal = vec![0.0; 4];
        normal[0] = 1.0;
        // Lines: normal of each contact, then its directions.
        let line = |at: usize| if at < k { (at, &normal) } else { ((at - k) / u, &directions[(at - k) % u]) };
        for i in 0..k {
            for j in 0..k {
                let mut block = [[0.0; 4]; 4];
                for r in 0..4 {
                    for s in 0..4 {
                        block[r][s] = self.delassus(i, r, j, s);
                    }
                }
                let places = |c: usize| std::iter::once(c).chain(k + c * u..k + (c + 1) * u);
                for row in places(i) {
                    for column in places(j) {
                        let (a, b) = (line(row).1, line(column).1);
                        let sum: f64 = (0..4).map(|r| (0..4).map(|s| a[r] * block[r][s] * b[s]).sum::<f64>()).sum();
                        m[column * n + row] = sum;
                    }
                }
            }
        }
        for row in 0..k * (u + 1) {
            let (i, d) = line(row);
            q[row] = (0..4).map(|r| d[r] * self.free_velocity(i, r)).sum();
        }
        for i in 0..k {
            let lambda = k * (u + 1) + i;
            m[i * n + lambda] = self.contacts[i].mu;
            for f in 0..u {
                let beta = k + i * u + f;
                m[lambda * n + beta] = 1.0;
                m[beta * n + lambda] = -1.0;
            }
        }
        Lcp::from_columns(m, q).unwrap()
    }
}

fn body(family: Family, k: usize, random: &mut Random) -> Body {
    let mass = match family {
        Family::Uneven => 10f64.powf(random.between(-3.0, 3.0)),
        _ => random.between(0.2, 2.0),
    };
    let gyration = 0.06f64;
    let mut inverse = [1.0 / mass; 6];
    for x in &mut inverse[..3] {
        *x = 1.0 / (mass * gyration * gyration * random.between(0.7, 1.4));
    }
    let mut velocity = [0.0; 6];
    match family {
        Family::AtRest => velocity[5] = -0.00981,
        Family::Still if !k.is_multiple_of(3) => {}
        _ => {
            for c in 0..3 {
                velocity[c] = 2.0 * random.signed();
                velocity[3 + c] = 0.5 * random.signed();
            }
            velocity[5] -= 0.3;
        }
    }
    let place = [random.signed(), random.signed(), random.signed()].map(|x| 0.2 * x);
    Body { inverse, velocity, place }
}

/// The k-th contact LCP of the census: n from 5 to 400, all families, 3 to 8 directions.
pub fn census_problem(k: u64) -> (Family, Lcp) {
    let mut random = Random(0x51_7e_ed + 7919 * k);
    let family = FAMILIES[(k % FAMILIES.len() as u64) as usize];
    let facets = [3, 4, 6, 8][random.below(4)];
    // Small ones are common, n = 400 is one in fifty.
    let most = 400 / (facets + 2);
    let share = random.share();
    let contacts = (1.0 + (most - 1) as f64 * share.powi(6)).round() as usize;
    (family, Scene::random(family, contacts, &mut random).lcp(facets))
}

/// Contact LCPs of one size, as benchmarks take them: 8 directions, bodies thrown together.
pub fn bench_problem(n: usize, seed: u64) -> Lcp {
    bench_scene(n, seed).lcp(8)
}

pub fn bench_scene(n: usize, seed: u64) -> Scene {
    Scene::random(Family::Thrown, n / 10, &mut Random(1000 * n as u64 + seed))
}

/// The scene a little later along a motion: velocities and arms turn and grow smoothly with time t (s).
pub fn moved(scene: &Scene, t: f64) -> Scene {
    let mut scene = scene.clone();
    for (k, body) in scene.bodies.iter_mut().enumerate() {
        for c in 0..6 {
            body.velocity[c] += 0.3 * t * ((3 * k + c) as f64).sin();
        }
    }
    for (k, contact) in scene.contacts.iter_mut().enumerate() {
        for r in 0..3 {
            for c in 0..3 {
                let change = 0.02 * t * ((7 * k + 3 * r + c) as f64).cos();
                contact.rows_b[r][c] += change;
                if contact.a.is_some() {
                    contact.rows_a[r][c] -= change;
                }
            }
        }
    }
    scene
}

/// The scene as a problem on exact cones.
pub fn cone_problem(scene: &Scene) -> ConeProblem {
    let (mut arms, mut spans) = (Vec::new(), Vec::new());
    for c in &scene.contacts {
        let first = arms.len() as u32;
        for (body, rows) in [(c.a, &c.rows_a), (Some(c.b), &c.rows_b)] {
            let Some(body) = body else { continue };
            // Inverse masses are diagonal here, and so are their roots.
            let inverse = &scene.bodies[body].inverse;
            let rows = rows.map(|row| [0, 1, 2, 3, 4, 5].map(|k| row[k] * inverse[k].sqrt()));
            arms.push(Arm { block: body as u32, rows });
        }
        spans.push(Span { first, count: arms.len() as u32 - first });
    }
    let contacts = (0..scene.contacts.len())
        .map(|i| {
            let c = &scene.contacts[i];
            ConeContact::new(c.mu, c.e, [0, 1, 2, 3].map(|r| scene.free_velocity(i, r)))
        })
        .collect();
    ConeProblem { operator: ConeOperator::Blocks { count: scene.bodies.len(), arms, spans }, contacts }
}

/// The same with the matrix written out.
pub fn dense_cone_problem(scene: &Scene) -> ConeProblem {
    let n = 4 * scene.contacts.len();
    let a = (0..n * n).map(|k| scene.delassus(k / n / 4, k / n % 4, k % n / 4, k % n % 4)).collect();
    ConeProblem { operator: ConeOperator::Dense(a), ..cone_problem(scene) }
}

/// Balls of radius 0.1 m in layers on a floor, each resting on those below it, one step of 1 ms under weight with small
/// velocities.
pub fn pile(layers: usize, across: usize, random: &mut Random) -> Scene {
    let radius = 0.1;
    let mut scene = Scene { bodies: Vec::new(), contacts: Vec::new() };
    // A square lattice, every other layer shifted by half a cell: four contacts below each ball.
    let rise = radius * 2f64.sqrt();
    let mut index = std::collections::BTreeMap::new();
    for layer in 0..layers {
        let count = across - layer.min(across - 1);
        for x in 0..count {
            for y in 0..count {
                let at = |x: usize| (2 * x + layer) as f64 * radius;
                let mass = random.between(0.8, 1.2);
                let turn = 2.5 / (mass * radius * radius);
                let mut velocity = [0, 1, 2, 3, 4, 5].map(|_| 1e-3 * random.signed());
                velocity[5] -= 0.00981;
                index.insert((layer, x, y), scene.bodies.len());
                let inverse = [turn, turn, turn, 1.0 / mass, 1.0 / mass, 1.0 / mass];
                scene.bodies.push(Body { inverse, velocity, place: [at(x), at(y), radius + layer as f64 * rise] });
            }
        }
    }
    for ((layer, x, y), &b) in &index {
        let mut touch = |a: Option<usize>, n: [f64; 3]| {
            scene.contacts.push(Contact {
                a,
                b,
                rows_a: if a.is_some() { rows(n.map(|c| c * radius), n, -1.0) } else { [[0.0; 6]; 4] },
                rows_b: rows(n.map(|c| -c * radius), n, 1.0),
                mu: 0.5,
                e: 0.002,
            });
        };
        if *layer == 0 {
            touch(None, [0.0, 0.0, 1.0]);
            continue;
        }
        for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            if let Some(a) = index.get(&(layer - 1, x + dx, y + dy)) {
                let n = [1.0 - 2.0 * dx as f64, 1.0 - 2.0 * dy as f64, 2f64.sqrt()];
                touch(Some(*a), unit(n));
            }
        }
    }
    scene
}

/// A wall of bricks, each on the two below it by two contacts each, one step of 1 ms under weight with small velocities.
pub fn wall(layers: usize, across: usize, random: &mut Random) -> Scene {
    let (half_length, half_width, half_height) = (0.1, 0.05, 0.03);
    let mut scene = Scene { bodies: Vec::new(), contacts: Vec::new() };
    for layer in 0..layers {
        for x in 0..across {
            let mass = 2.0;
            let square = |a: f64, b: f64| 3.0 / (mass * (a * a + b * b));
            let inverse = [
                square(half_width, half_height),
                square(half_length, half_height),
                square(half_length, half_width),
                1.0 / mass,
                1.0 / mass,
                1.0 / mass,
            ];
            let mut velocity = [0, 1, 2, 3, 4, 5].map(|_| 1e-3 * random.signed());
            velocity[5] -= 0.00981;
            let place =
                [2.0 * half_length * (x as f64 + 0.5 * (layer % 2) as f64), 0.0, half_height * (2 * layer + 1) as f64];
            scene.bodies.push(Body { inverse, velocity, place });
        }
    }
    let n = [0.0, 0.0, 1.0];
    for layer in 0..layers {
        for x in 0..across {
            let b = layer * across + x;
            for (end, side) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
                let arm = [0.8 * end * half_length, side * half_width, -half_height];
                // Odd layers stand half a brick to the right.
                let below = match (layer % 2, end > 0.0) {
                    (1, true) => x + 1,
                    (1, false) | (0, true) => x,
                    _ => x.wrapping_sub(1),
                };
                if layer > 0 && below >= across {
                    continue;
                }
                let a = (layer > 0).then(|| (layer - 1) * across + below);
                let arm_a = a.map_or([0.0; 3], |a| {
                    [0, 1, 2].map(|c| scene.bodies[b].place[c] + arm[c] - scene.bodies[a].place[c])
                });
                scene.contacts.push(Contact {
                    a,
                    b,
                    rows_a: if a.is_some() { rows(arm_a, n, -1.0) } else { [[0.0; 6]; 4] },
                    rows_b: rows(arm, n, 1.0),
                    mu: 0.6,
                    e: 0.005,
                });
            }
        }
    }
    scene
}

//! Reading the oracle's case schema, and seeded random cases: shared by the tests.
#![allow(dead_code)]

pub mod simplex;

use fingerpad_planar::{Case, Contact, Kind, Rational};
use serde_json::Value;

/// `"p/q"` strings and JSON numbers, the latter by their decimal text.
pub fn number(v: &Value) -> Rational {
    match v {
        Value::String(s) => s.parse().unwrap(),
        other => other.to_string().parse().unwrap(),
    }
}

pub fn numbers<const N: usize>(v: &Value) -> [Rational; N] {
    std::array::from_fn(|i| number(&v[i]))
}

pub fn case(v: &Value) -> Case {
    let contact = |c: &Value| Contact {
        normal: numbers(&c["n"]),
        to_com: numbers(&c["r"]),
        mu: number(&c["mu"]),
        kind: match c["kind"].as_str().unwrap() {
            "VE" => Kind::VertexOnEdge,
            "EV" => Kind::EdgeOnVertex,
            _ => Kind::Curved { k_body: number(&c["k1"]), k_obstacle: number(&c["k2"]) },
        },
    };
    Case {
        mass: number(&v["m"]),
        gyration_sq: number(&v["rho2"]),
        force: numbers(&v["F"]),
        velocity: numbers(&v["vel"]),
        contacts: v["contacts"].as_array().unwrap().iter().map(contact).collect(),
    }
}

pub fn oracle() -> Vec<Value> {
    let text = include_str!("../oracle/planar_contact_cases.json");
    let whole: Value = serde_json::from_str(text).unwrap();
    whole["cases"].as_array().unwrap().clone()
}

pub fn q(text: &str) -> Rational {
    text.parse().unwrap()
}

/// A vertex of the body on an edge, with numbers as text.
pub fn vertex(n: [&str; 2], r: [&str; 2], mu: &str) -> Contact {
    Contact { normal: n.map(q), to_com: r.map(q), mu: q(mu), kind: Kind::VertexOnEdge }
}

/// A unit mass with unit radius of gyration, at rest.
pub fn at_rest(force: [&str; 3], contacts: Vec<Contact>) -> Case {
    Case {
        mass: Rational::ONE,
        gyration_sq: Rational::ONE,
        force: force.map(q),
        velocity: ["0", "0", "0"].map(q),
        contacts,
    }
}

/// Splitmix64: the same cases on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: i64) -> i64 {
        (self.next() % n as u64) as i64
    }

    /// Eighths between −limit and limit.
    pub fn eighths(&mut self, limit: i64) -> Rational {
        Rational::new(self.below(16 * limit + 1) - 8 * limit, 8).unwrap()
    }

    /// A unit vector with rational components: ((1 − t²), 2t)/(1 + t²) turned by a quarter some times.
    pub fn unit(&mut self) -> [Rational; 2] {
        let (p, q) = (self.below(7), self.below(6) + 1);
        let d = p * p + q * q;
        let (c, s) = (Rational::new(q * q - p * p, d).unwrap(), Rational::new(2 * p * q, d).unwrap());
        match self.below(4) {
            0 => [c, s],
            1 => [-&s, c],
            2 => [-&c, -&s],
            _ => [s, -&c],
        }
    }

    fn kind(&mut self) -> Kind {
        match self.below(3) {
            0 => Kind::VertexOnEdge,
            1 => Kind::EdgeOnVertex,
            _ => {
                let (a, b) = (self.below(16) + 1, self.below(16) + 1);
                Kind::Curved { k_body: Rational::new(a, 8).unwrap(), k_obstacle: Rational::new(b, 8).unwrap() }
            }
        }
    }

    /// k contacts. Family 0: scattered, at rest; 1: on a flat floor; 2: between two walls; 3: moving so that every
    /// contact is kept by velocity (one in four also without slip); 4: scattered above a floor; 5: on a coarse grid, with
    /// many common lines of action; 6: the same between two walls, sliding along them.
    pub fn case(&mut self, k: usize, family: u64) -> Case {
        let mut velocity = [Rational::ZERO, Rational::ZERO, Rational::ZERO];
        if family == 3 {
            let turning = ["-1", "1", "1/2"][self.below(3) as usize];
            velocity = [self.eighths(2), self.eighths(2), q(turning)];
        }
        if family == 6 {
            velocity[1] = Rational::from(self.below(3) - 1);
        }
        let contacts: Vec<Contact> = (0..k)
            .map(|i| {
                let mut to_com = [self.eighths(2), self.eighths(2)];
                let mut normal = self.unit();
                let mut kind = self.kind();
                match family {
                    1 => {
                        normal = [Rational::ZERO, Rational::ONE];
                        to_com[1] = Rational::ONE;
                        kind = Kind::VertexOnEdge;
                    }
                    2 => {
                        let side = Rational::from(if i % 2 == 0 { 1 } else { -1 });
                        to_com = [side.clone(), Rational::from(self.below(3) - 1)];
                        normal = [side, Rational::ZERO];
                        kind = Kind::VertexOnEdge;
                    }
                    3 => to_com = self.kept_by_velocity(&normal, &velocity, to_com),
                    4 => normal[1] = normal[1].abs(),
                    5 | 6 => {
                        let side = Rational::from(2 * self.below(2) - 1);
                        let upright = family == 5 && self.below(3) == 0;
                        normal = if upright { [Rational::ZERO, side] } else { [side, Rational::ZERO] };
                        to_com = [Rational::from(self.below(5) - 2), Rational::from(self.below(2))];
                    }
                    _ => {}
                }
                let mu = Rational::new(self.below(17), 8).unwrap();
                Contact { normal, to_com, mu, kind }
            })
            .collect();
        let mass = Rational::new(self.below(4) + 1, 2).unwrap();
        let gyration_sq = Rational::new(self.below(6) + 1, 2).unwrap();
        let mut force = [self.eighths(5), self.eighths(5), self.eighths(4)];
        if family >= 5 {
            force = [5, 5, 3].map(|n| Rational::from(self.below(n) - n / 2));
        }
        Case { mass, gyration_sq, force, velocity, contacts }
    }

    /// Moves the contact along so that n·v + ω nq = 0 (and sometimes the slip too), with nq = nx ry − ny rx.
    fn kept_by_velocity(&mut self, n: &[Rational; 2], v: &[Rational; 3], r: [Rational; 2]) -> [Rational; 2] {
        if v[2].is_zero() {
            return r;
        }
        let nq = &(-&(&(&n[0] * &v[0]) + &(&n[1] * &v[1]))) / &v[2];
        let still = &(&(&n[0] * &v[1]) - &(&n[1] * &v[0])) / &v[2]; // vq without slip: ts·v + ω vq = 0
        let vq = if self.below(4) == 0 { still } else { &(&n[0] * &r[0]) + &(&n[1] * &r[1]) };
        // r = vq n + nq n⊥ with n⊥ = (−ny, nx)
        [&(&vq * &n[0]) - &(&nq * &n[1]), &(&vq * &n[1]) + &(&nq * &n[0])]
    }
}

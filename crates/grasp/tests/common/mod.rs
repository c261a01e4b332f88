//! Grasps for tests: those of the oracle, rings, pinches and random ones.
#![allow(dead_code)]

use fingerpad_grasp::{Contact, Grasp, Hand, PatchGrowth, Wrench};
use nalgebra::Vector3;
use serde_json::Value;

/// A case of the oracle.
pub struct Case {
    pub id: u64,
    pub grasp: Grasp,
    pub hand: Option<Hand>,
    pub wrench: Option<Wrench>,
    pub directions: Vec<Wrench>,
    pub task: Vec<Wrench>,
    pub expected: Value,
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn vector(value: &Value) -> Vector3<f64> {
    Vector3::from_vec(numbers(value))
}

fn wrench(value: &Value) -> Wrench {
    Wrench::from_vec(numbers(value))
}

/// Every case of the oracle.
pub fn oracle() -> Vec<Case> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/oracle/grasp_cases.json");
    let document: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    document["cases"].as_array().unwrap().iter().map(case).collect()
}

fn case(value: &Value) -> Case {
    let contacts: Vec<Contact> = value["contacts"].as_array().unwrap().iter().map(contact).collect();
    let hand = value.get("hand").map(|hand| {
        let jacobian = hand["jacobian"].as_array().unwrap().iter().map(numbers).collect();
        Hand::new(jacobian, numbers(&hand["torque_limits"]), numbers(&hand["bias"]), contacts.len()).unwrap()
    });
    let list = |key: &str| value[key].as_array().into_iter().flatten().map(wrench).collect();
    Case {
        id: value["id"].as_u64().unwrap(),
        grasp: Grasp::new(contacts, vector(&value["reference"]), value["torque_length"].as_f64()).unwrap(),
        hand,
        wrench: value.get("wrench").map(wrench),
        directions: list("directions"),
        task: list("task"),
        expected: value["expected"].clone(),
    }
}

fn contact(value: &Value) -> Contact {
    let patch = match value.get("patch") {
        Some(patch) => PatchGrowth::Power {
            e_n_at_1N: patch["e_n_at_1N"].as_f64().unwrap(),
            exponent: patch["exponent"].as_f64().unwrap(),
        },
        None => PatchGrowth::Fixed(value["e_n"].as_f64().unwrap()),
    };
    let friction = numbers(&value["friction"]);
    Contact {
        point: vector(&value["point"]),
        normal: vector(&value["normal"]),
        tangent: vector(&value["tangent"]),
        friction: [friction[0], friction[1]],
        patch,
        limit: value.get("limit").and_then(Value::as_f64),
    }
}

/// Seeded numbers.
pub struct Random(pub u64);

impl Random {
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mut x = self.0 ^ (self.0 >> 33);
        x = x.wrapping_mul(0xff51_afd7_ed55_8ccd);
        ((x ^ (x >> 33)) >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    pub fn normal(&mut self) -> f64 {
        (-2.0 * self.unit().max(1e-300).ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }

    pub fn direction(&mut self) -> Vector3<f64> {
        Vector3::new(self.normal(), self.normal(), self.normal()).normalize()
    }

    /// Contacts on a sphere of 30 mm with normals near the radius.
    pub fn on_sphere(&mut self, contacts: usize, tilt: f64) -> Grasp {
        let one = |random: &mut Random| {
            let out = random.direction();
            let normal = (-out + random.direction() * (tilt * random.unit())).normalize();
            let e_n = random.range(1e-3, 6e-3);
            Contact::new(out * 0.03, normal, random.range(0.2, 0.9), PatchGrowth::Fixed(e_n))
        };
        let contacts = (0..contacts).map(|_| one(self)).collect();
        Grasp::new(contacts, Vector3::zeros(), Some(0.03)).unwrap()
    }
}

/// Contacts at equal angles around the z axis, normals to the axis, tangents along it.
pub fn ring(contacts: usize, radius: f64, friction: f64, patch: PatchGrowth) -> Grasp {
    let one = |k: usize| {
        let angle = std::f64::consts::TAU * k as f64 / contacts as f64;
        let out = Vector3::new(angle.cos(), angle.sin(), 0.0);
        Contact { tangent: Vector3::z(), ..Contact::new(out * radius, -out, friction, patch) }
    };
    Grasp::new((0..contacts).map(one).collect(), Vector3::zeros(), Some(radius)).unwrap()
}

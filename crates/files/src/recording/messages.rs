//! # Messages: frames as the bytes of a recording
//!
//! - **in**: a [`Frame`]
//! - **out**: messages of `/tf`, `/poses`, `/contacts`, `/energy`, `/state`, `/scene`, `/log`
//! - **not here**: what they are made of ([`schema`](super::schema)); the file ([`writer`](super::writer))
//! - **start at** [`Transforms::fill`]
//!
//! Poses go into a template: the bytes of a message whose doubles and timestamps are written over in place, so that a
//! step of 20 bodies costs well under a microsecond.

use super::frame::{ContactFrame, Frame, Mode};
use super::wire::{STAMP, bytes, double, fixed, message, number, stamp, text};

/// Time of a frame in nanoseconds, as files count it.
pub fn nanoseconds(t: f64) -> u64 {
    (t.max(0.0) * 1e9).round() as u64
}

/// `foxglove.FrameTransforms` of some bodies.
#[derive(Clone, Debug, Default)]
pub struct Transforms {
    bytes: Vec<u8>,
    /// Body, place of its timestamp, of its position, of its quaternion.
    places: Vec<(usize, usize, usize, usize)>,
}

impl Transforms {
    /// A template for these bodies.
    pub fn new<'a>(bodies: impl Iterator<Item = (usize, &'a str)>) -> Self {
        let mut all = Self::default();
        for (body, name) in bodies {
            let mut one = Vec::new();
            bytes(&mut one, 1, &[0; STAMP]);
            let at = one.len() - STAMP;
            text(&mut one, 2, "world");
            text(&mut one, 3, name);
            let mut p = Vec::new();
            (1..=3).for_each(|k| _ = double(&mut p, k, 0.0));
            bytes(&mut one, 4, &p);
            let position = one.len() - 27;
            let mut q = Vec::new();
            (1..=4).for_each(|k| _ = double(&mut q, k, 0.0));
            bytes(&mut one, 5, &q);
            let turn = one.len() - 36;
            bytes(&mut all.bytes, 1, &one);
            let begin = all.bytes.len() - one.len();
            all.places.push((body, begin + at, begin + position, begin + turn));
        }
        all
    }

    /// The message of a frame.
    pub fn fill(&mut self, frame: &Frame, time: u64) -> &[u8] {
        let mut now = [0; STAMP];
        stamp(&mut now, time);
        for (body, at, position, turn) in &self.places {
            let body = &frame.bodies[*body];
            self.bytes[*at..at + STAMP].copy_from_slice(&now);
            let p = &mut self.bytes[*position..position + 27];
            (0..3).for_each(|k| p[9 * k + 1..9 * k + 9].copy_from_slice(&body.p[k].to_le_bytes()));
            let q = &mut self.bytes[*turn..turn + 36];
            // The schema has x, y, z, w.
            (0..4).for_each(|k| q[9 * k + 1..9 * k + 9].copy_from_slice(&body.q[(k + 1) % 4].to_le_bytes()));
        }
        &self.bytes
    }
}

/// `foxglove.PosesInFrame` of the bodies that move.
pub fn poses(out: &mut Vec<u8>, frame: &Frame, moving: &[bool], time: u64) {
    write_stamp(out, 1, time);
    text(out, 2, "world");
    for (body, _) in frame.bodies.iter().zip(moving).filter(|(_, moving)| **moving) {
        message(out, 3, |pose| write_pose(pose, &body.p, &body.q));
    }
}

fn write_stamp(out: &mut Vec<u8>, field: u32, time: u64) {
    let mut now = [0; STAMP];
    stamp(&mut now, time);
    bytes(out, field, &now);
}

fn write_pose(out: &mut Vec<u8>, p: &[f64; 3], q: &[f64; 4]) {
    message(out, 1, |v| (0..3).for_each(|k| _ = double(v, k as u32 + 1, p[k])));
    message(out, 2, |v| (0..4).for_each(|k| _ = double(v, k as u32 + 1, q[(k + 1) % 4])));
}

/// `fingerpad.Contacts`.
pub fn contacts(out: &mut Vec<u8>, frame: &Frame, names: &[String], one: &mut Vec<u8>) {
    double(out, 1, frame.time);
    for contact in &frame.contacts {
        one.clear();
        write_contact(one, contact, names);
        bytes(out, 2, one);
    }
}

fn write_contact(out: &mut Vec<u8>, c: &ContactFrame, names: &[String]) {
    text(out, 1, &names[c.a]);
    text(out, 2, &names[c.b]);
    number(out, 3, c.id);
    number(out, 4, u64::from(c.mode.code()));
    let (a, b) = c.patch.unwrap_or((0.0, 0.0));
    let tangential = c.load[0].hypot(c.load[1]);
    let numbers = [
        c.p[0],
        c.p[1],
        c.p[2],
        c.n[0],
        c.n[1],
        c.n[2],
        c.gap,
        c.depth,
        c.normal,
        tangential,
        c.load[2].abs(),
        1.0 - c.used,
        a,
        b,
        c.slid,
    ];
    for (k, x) in numbers.iter().enumerate() {
        double(out, k as u32 + 5, *x);
    }
}

/// `fingerpad.Energy`.
pub fn energy(out: &mut Vec<u8>, frame: &Frame) {
    double(out, 1, frame.time);
    for (k, x) in frame.energy.iter().enumerate() {
        double(out, k as u32 + 2, *x);
    }
}

/// `fingerpad.State`: the exact time, and a digest of all numbers of the frame that `/tf` does not have.
pub fn state(out: &mut Vec<u8>, frame: &Frame) {
    double(out, 1, frame.time);
    fixed(out, 2, digest(frame));
}

/// A digest of velocities, contacts and energies: equal frames have equal ones, others almost surely not.
pub fn digest(frame: &Frame) -> u64 {
    let mut sum = 0x9e37_79b9_7f4a_7c15_u64;
    let mut add = |x: f64| sum = (sum.rotate_left(23) ^ x.to_bits()).wrapping_mul(0xff51_afd7_ed55_8ccd);
    for body in &frame.bodies {
        body.v.iter().chain(&body.w).for_each(|x| add(*x));
    }
    frame.energy.iter().for_each(|x| add(*x));
    for c in &frame.contacts {
        [c.gap, c.normal, c.used, c.slid].iter().chain(&c.load).chain(&c.p).for_each(|x| add(*x));
    }
    sum ^ (sum >> 29)
}

/// A shape of the scene, as triangles in its body's frame.
pub struct Model<'a> {
    /// Name of the body.
    pub name: &'a str,
    /// Points (m).
    pub points: Vec<[f64; 3]>,
    /// Triangles.
    pub faces: Vec<[u32; 3]>,
    /// Red, green, blue from 0 to 1.
    pub colour: [f64; 3],
}

/// `foxglove.SceneUpdate` with the shapes of all bodies.
pub fn models(out: &mut Vec<u8>, models: &[Model], time: u64) {
    for model in models {
        message(out, 2, |entity| {
            write_stamp(entity, 1, time);
            text(entity, 2, model.name);
            text(entity, 3, model.name);
            number(entity, 5, 1);
            message(entity, 12, |list| {
                message(list, 1, |pose| write_pose(pose, &[0.0; 3], &[1.0, 0.0, 0.0, 0.0]));
                for p in &model.points {
                    message(list, 2, |point| (0..3).for_each(|k| _ = double(point, k as u32 + 1, p[k])));
                }
                write_colour(list, 3, &model.colour);
                let indices: Vec<u8> = model.faces.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
                bytes(list, 5, &indices);
            });
        });
    }
}

fn write_colour(out: &mut Vec<u8>, field: u32, colour: &[f64; 3]) {
    message(out, field, |c| {
        (0..3).for_each(|k| _ = double(c, k as u32 + 1, colour[k]));
        double(c, 4, 1.0);
    });
}

/// `foxglove.SceneUpdate` with the normal forces as arrows of `scale` metres per newton.
pub fn arrows(out: &mut Vec<u8>, frame: &Frame, scale: f64, time: u64) {
    message(out, 2, |entity| {
        write_stamp(entity, 1, time);
        text(entity, 2, "world");
        text(entity, 3, "contact forces");
        for contact in &frame.contacts {
            let length = contact.normal * scale;
            let colour = if contact.mode == Mode::Slip { [0.84, 0.37, 0.0] } else { [0.0, 0.45, 0.7] };
            message(entity, 7, |arrow| {
                message(arrow, 1, |pose| write_pose(pose, &contact.p, &along(&contact.n)));
                double(arrow, 2, 0.8 * length);
                double(arrow, 3, 0.06 * length);
                double(arrow, 4, 0.2 * length);
                double(arrow, 5, 0.14 * length);
                write_colour(arrow, 6, &colour);
            });
        }
    });
}

/// The turn (wxyz) that takes x to a unit vector.
fn along([x, y, z]: &[f64; 3]) -> [f64; 4] {
    let w = 1.0 + x;
    if w < 1e-9 {
        return [0.0, 0.0, 0.0, 1.0];
    }
    let size = (w * w + y * y + z * z).sqrt();
    [w / size, 0.0, -z / size, y / size]
}

/// `foxglove.Log`, level INFO (2) or WARNING (3).
pub fn log(out: &mut Vec<u8>, time: u64, level: u64, words: &str) {
    write_stamp(out, 1, time);
    number(out, 2, level);
    text(out, 3, words);
    text(out, 4, "fingerpad");
}

#[cfg(test)]
mod tests {
    use super::super::frame::BodyFrame;
    use super::super::wire::Fields;
    use super::*;

    fn frame() -> Frame {
        let body = |k: f64| BodyFrame { p: [k, k + 0.1, k + 0.2], q: [0.5, -0.5, 0.5, 0.5], v: [k; 3], w: [0.0; 3] };
        Frame {
            time: 1.25,
            bodies: (0..3).map(|k| body(f64::from(k))).collect(),
            energy: vec![1.0; 22],
            ..Frame::default()
        }
    }

    /// What the template says is what the frame has: decoded by the general reader.
    #[test]
    fn templates_hold_the_frame() {
        let names = [
            "zero",
            "a rather long name, longer than seven bits can count: ääääääääääääääääääääääääääääääääääääää",
            "two",
        ];
        let mut all = Transforms::new([(0, names[0]), (2, names[1])].into_iter());
        for _ in 0..2 {
            let found: Vec<_> = Fields(all.fill(&frame(), 1_250_000_000)).map(|(_, v)| v.bytes().to_vec()).collect();
            assert_eq!(found.len(), 2);
            let second: Vec<_> = Fields(&found[1]).collect();
            assert_eq!(second[2].1.text(), names[1]);
            let p: Vec<f64> = Fields(second[3].1.bytes()).map(|(_, v)| v.double()).collect();
            assert_eq!(p, [2.0, 2.1, 2.2]);
            let q: Vec<f64> = Fields(second[4].1.bytes()).map(|(_, v)| v.double()).collect();
            assert_eq!(q, [-0.5, 0.5, 0.5, 0.5]);
            let t: Vec<u64> = Fields(second[0].1.bytes()).map(|(_, v)| v.number()).collect();
            assert_eq!(t, [1, 250_000_000]);
        }
    }

    /// The last bit of a velocity changes the digest, and so does the order of bodies.
    #[test]
    fn digests_see_every_bit() {
        let one = frame();
        let mut other = one.clone();
        other.bodies[1].v[2] = f64::from_bits(other.bodies[1].v[2].to_bits() ^ 1);
        let mut swapped = one.clone();
        swapped.bodies.swap(0, 1);
        assert_eq!(digest(&one), digest(&one.clone()));
        assert!(digest(&one) != digest(&other) && digest(&one) != digest(&swapped));
    }

    /// Arrows point along their vector: x turned by the quaternion, by its definition.
    #[test]
    fn arrows_turn_x_to_the_normal() {
        for n in [[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.6, -0.8, 0.0], [1.0, 0.0, 0.0]] {
            let [w, x, y, z] = along(&n);
            let turned = [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)];
            (0..3).for_each(|k| assert!((turned[k] - n[k]).abs() < 1e-12, "{n:?} {turned:?}"));
        }
    }
}

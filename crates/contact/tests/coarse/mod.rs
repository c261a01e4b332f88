//! Coarse meshes as CAD programs and lathes make them, and the distance to their facets by brute force.

// Each test takes some of them.
#![allow(dead_code)]

use nalgebra::{Point3, Vector3};
use std::f64::consts::{PI, TAU};

/// Vertices (m) and facets, counter-clockwise seen from outside.
pub type Raw = (Vec<Point3<f64>>, Vec<[u32; 3]>);

/// A profile (r, z) from the bottom axis to the top axis, turned around z in n steps.
pub fn lathe(profile: &[(f64, f64)], n: u32) -> Raw {
    let (mut vertices, mut rings) = (Vec::new(), Vec::new());
    for &(r, z) in profile {
        let first = vertices.len() as u32;
        let count = if r == 0.0 { 1 } else { n };
        rings.push((first, count));
        let angle = |k: u32| TAU * f64::from(k) / f64::from(n);
        vertices.extend((0..count).map(|k| Point3::new(r * angle(k).cos(), r * angle(k).sin(), z)));
    }
    let mut faces = Vec::new();
    for pair in rings.windows(2) {
        let ((a, na), (b, nb)) = (pair[0], pair[1]);
        for k in 0..n {
            let j = (k + 1) % n;
            match (na, nb) {
                (1, 1) => {}
                (1, _) => faces.push([a, b + j, b + k]),
                (_, 1) => faces.push([a + k, a + j, b]),
                _ => faces.extend([[a + k, a + j, b + j], [a + k, b + j, b + k]]),
            }
        }
    }
    (vertices, faces)
}

/// A simple polygon, counter-clockwise, from z = 0 to h; ears are cut off its caps.
pub fn extrude(polygon: &[(f64, f64)], h: f64) -> Raw {
    let n = polygon.len();
    let cross = |o: usize, a: usize, b: usize| {
        let (o, a, b) = (polygon[o], polygon[a], polygon[b]);
        (a.0 - o.0) * (b.1 - o.1) - (a.1 - o.1) * (b.0 - o.0)
    };
    let (mut left, mut caps) = ((0..n).collect::<Vec<_>>(), Vec::new());
    while left.len() > 3 {
        let m = left.len();
        let ear = |q: usize| {
            let (i, j, k) = (left[(q + m - 1) % m], left[q], left[(q + 1) % m]);
            let within = |v: usize| cross(i, j, v) >= 0.0 && cross(j, k, v) >= 0.0 && cross(k, i, v) >= 0.0;
            cross(i, j, k) > 0.0 && !left.iter().any(|&v| v != i && v != j && v != k && within(v))
        };
        let q = (0..m).find(|&q| ear(q)).expect("a simple polygon has an ear");
        caps.push([left[(q + m - 1) % m], left[q], left[(q + 1) % m]]);
        left.remove(q);
    }
    caps.push([left[0], left[1], left[2]]);
    let level = |z: f64| polygon.iter().map(move |&(x, y)| Point3::new(x, y, z));
    let vertices = level(0.0).chain(level(h)).collect();
    let below = caps.iter().map(|c| [c[2], c[1], c[0]]);
    let above = caps.iter().map(|c| c.map(|v| v + n));
    let sides = (0..n).flat_map(|k| {
        let j = (k + 1) % n;
        [[k, j, j + n], [k, j + n, k + n]]
    });
    (vertices, below.chain(above).chain(sides).map(|f| f.map(|v| v as u32)).collect())
}

/// A hexagonal nut with a round hole of n sides (a multiple of 6); `across` its flats (m).
pub fn nut(across: f64, hole: f64, h: f64, n: u32) -> Raw {
    let ring = |r: f64, n: u32| (0..n).map(move |k| (r, TAU * f64::from(k) / f64::from(n)));
    let mut vertices = Vec::new();
    for z in [0.0, h] {
        let outline = ring(across / 3.0_f64.sqrt(), 6).chain(ring(hole, n));
        vertices.extend(outline.map(|(r, a)| Point3::new(r * a.cos(), r * a.sin(), z)));
    }
    let (s, m) = (6 + n, n / 6);
    let mut faces = Vec::new();
    for k in 0..6 {
        let j = (k + 1) % 6;
        faces.extend([[k, j, j + s], [k, j + s, k + s]]);
    }
    for k in 0..n {
        let j = (k + 1) % n;
        faces.extend([[6 + j, 6 + k, 6 + k + s], [6 + j, 6 + k + s, 6 + j + s]]);
    }
    for k in 0..6 {
        let j = (k + 1) % 6;
        let mut cap: Vec<[u32; 3]> = (0..m)
            .map(|q| {
                let (a, b) = ((k * m + q) % n, (k * m + q + 1) % n);
                [if 2 * q < m { k } else { j }, 6 + b, 6 + a]
            })
            .collect();
        cap.push([k, j, 6 + (k * m + m / 2) % n]);
        faces.extend(cap.iter().map(|f| f.map(|v| v + s)));
        faces.extend(cap.iter().map(|f| [f[2], f[1], f[0]]));
    }
    (vertices, faces)
}

/// An icosahedron, each facet quartered `times` times, on a sphere of radius r (m).
pub fn ico(r: f64, times: u32) -> Raw {
    let t = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let corners = [
        [-1.0, t, 0.0],
        [1.0, t, 0.0],
        [-1.0, -t, 0.0],
        [1.0, -t, 0.0],
        [0.0, -1.0, t],
        [0.0, 1.0, t],
        [0.0, -1.0, -t],
        [0.0, 1.0, -t],
        [t, 0.0, -1.0],
        [t, 0.0, 1.0],
        [-t, 0.0, -1.0],
        [-t, 0.0, 1.0],
    ];
    let mut vertices: Vec<Vector3<f64>> = corners.iter().map(|c| Vector3::from(*c).normalize()).collect();
    #[rustfmt::skip]
    let mut faces: Vec<[u32; 3]> = vec![
        [0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11], [1, 5, 9], [5, 11, 4], [11, 10, 2], [10, 7, 6],
        [7, 1, 8], [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9], [4, 9, 5], [2, 4, 11], [6, 2, 10],
        [8, 6, 7], [9, 8, 1],
    ];
    for _ in 0..times {
        let mut middles = std::collections::HashMap::new();
        let mut finer = Vec::new();
        for [a, b, c] in faces {
            let mut middle = |a: u32, b: u32| {
                *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                    vertices.push((vertices[a as usize] + vertices[b as usize]).normalize());
                    vertices.len() as u32 - 1
                })
            };
            let (x, y, z) = (middle(a, b), middle(b, c), middle(c, a));
            finer.extend([[a, x, z], [b, y, x], [c, z, y], [x, y, z]]);
        }
        faces = finer;
    }
    (vertices.iter().map(|v| Point3::from(v * r)).collect(), faces)
}

/// A ring of n × m quads.
pub fn torus(big: f64, small: f64, n: u32, m: u32) -> Raw {
    let mut vertices = Vec::new();
    for i in 0..n {
        for j in 0..m {
            let (a, b) = (TAU * f64::from(i) / f64::from(n), TAU * f64::from(j) / f64::from(m));
            let r = big + small * b.cos();
            vertices.push(Point3::new(r * a.cos(), r * a.sin(), small * b.sin()));
        }
    }
    let at = |i: u32, j: u32| (i % n) * m + j % m;
    let quad =
        |i: u32, j: u32| [[at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)]];
    (vertices, (0..n).flat_map(|i| (0..m).flat_map(move |j| quad(i, j))).collect())
}

/// A drinking glass: ring below, thin wall.
pub fn glass(n: u32) -> Raw {
    let profile = [
        (0.0, 0.004),
        (0.02, 0.004),
        (0.022, 0.0),
        (0.025, 0.0),
        (0.028, 0.01),
        (0.034, 0.1),
        (0.032, 0.1),
        (0.026, 0.012),
        (0.0, 0.009),
    ];
    lathe(&profile, n)
}

/// A rectangle centred on the origin.
fn rectangle(x: f64, y: f64) -> [(f64, f64); 4] {
    [(-x, -y), (x, -y), (x, y), (-x, y)]
}

/// The 31 meshes that a surface must not be wrong about.
pub fn all() -> Vec<(String, Raw)> {
    let mut found: Vec<(String, Raw)> = Vec::new();
    let mut add = |name: &str, raw: Raw| found.push((name.to_string(), raw));
    add("box12", extrude(&rectangle(0.03, 0.02), 0.03));
    for n in [8, 12, 24, 32, 64] {
        add(&format!("prism{n}"), lathe(&[(0.0, 0.0), (0.03, 0.0), (0.03, 0.08), (0.0, 0.08)], n));
    }
    add("tube_thin32", lathe(&[(0.0, 0.0), (0.005, 0.0), (0.005, 0.2), (0.0, 0.2)], 32));
    add("rod_thin12", lathe(&[(0.0, 0.0), (0.002, 0.0), (0.002, 0.2), (0.0, 0.2)], 12));
    for n in [12, 24, 48, 72] {
        add(&format!("cone{n}"), lathe(&[(0.0, 0.0), (0.03, 0.0), (0.0, 0.1)], n));
    }
    add("frustum48", lathe(&[(0.0, 0.0), (0.03, 0.0), (0.015, 0.1), (0.0, 0.1)], 48));
    let shaft = [(0.0, 0.0), (0.015, 0.0), (0.015, 0.04), (0.008, 0.04), (0.008, 0.1), (0.0, 0.1)];
    add("shaft32", lathe(&shaft, 32));
    let chamfered = [(0.0, 0.0), (0.018, 0.0), (0.02, 0.002), (0.02, 0.038), (0.018, 0.04), (0.0, 0.04)];
    add("chamfered32", lathe(&chamfered, 32));
    add("pin32", lathe(&[(0.0, 0.0), (0.005, 0.0), (0.005, 0.03), (0.0, 0.04)], 32));
    add("nut24", nut(0.024, 0.0075, 0.012, 24));
    let finger = [
        (0.0, 0.0),
        (0.02, 0.0),
        (0.02, 0.05),
        (0.012, 0.058),
        (0.012, 0.08),
        (0.004, 0.08),
        (0.004, 0.06),
        (0.0, 0.055),
    ];
    add("finger", extrude(&finger, 0.02));
    let bracket = [(0.0, 0.0), (0.06, 0.0), (0.06, 0.01), (0.01, 0.01), (0.01, 0.05), (0.0, 0.05)];
    add("bracket", extrude(&bracket, 0.03));
    let beam = [
        (-0.02, 0.0),
        (0.02, 0.0),
        (0.02, 0.005),
        (0.003, 0.005),
        (0.003, 0.035),
        (0.02, 0.035),
        (0.02, 0.04),
        (-0.02, 0.04),
        (-0.02, 0.035),
        (-0.003, 0.035),
        (-0.003, 0.005),
        (-0.02, 0.005),
    ];
    add("beam", extrude(&beam, 0.1));
    add("wedge", extrude(&[(0.0, 0.0), (0.06, 0.0), (0.0, 0.02)], 0.03));
    let tetra = [[0.0, 0.0, 0.0], [0.05, 0.0, 0.0], [0.0, 0.05, 0.0], [0.0, 0.0, 0.05]];
    add("tetra", (tetra.map(Point3::from).to_vec(), vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]));
    add("pyramid4", lathe(&[(0.0, 0.0), (0.03, 0.0), (0.0, 0.05)], 4));
    for (times, count) in [(0, 20), (1, 80), (2, 320)] {
        add(&format!("ico{count}"), ico(0.03, times));
    }
    for (n, m) in [(8, 6), (16, 8), (32, 13)] {
        add(&format!("torus{n}x{m}"), torus(0.03, 0.01, n, m));
    }
    add("glass24", glass(24));
    add("plate_thin", extrude(&rectangle(0.1, 0.1), 0.002));
    found
}

/// The signed distance to the facets, all of them tried: regions of the plane of each (Ericson, §5.1.5), inside by the
/// sum of solid angles. Shares no code with the crate.
pub fn facet_distance(raw: &Raw, p: &Point3<f64>) -> f64 {
    let (mut least, mut angle) = (f64::INFINITY, 0.0);
    for f in &raw.1 {
        let [a, b, c] = f.map(|v| raw.0[v as usize] - p);
        least = least.min(distance_to_origin(&a, &b, &c));
        let [la, lb, lc] = [a.norm(), b.norm(), c.norm()];
        let below = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
        angle += 2.0 * a.dot(&b.cross(&c)).atan2(below);
    }
    if angle > 2.0 * PI { -least } else { least }
}

fn distance_to_origin(a: &Vector3<f64>, b: &Vector3<f64>, c: &Vector3<f64>) -> f64 {
    let n = (b - a).cross(&(c - a));
    let inside = [(a, b), (b, c), (c, a)].iter().all(|(u, v)| n.dot(&(*v - *u).cross(&-*u)) >= 0.0);
    if inside {
        return n.dot(a).abs() / n.norm();
    }
    let to_side = |u: &Vector3<f64>, v: &Vector3<f64>| {
        let e = v - u;
        (u + e * (-u.dot(&e) / e.norm_squared()).clamp(0.0, 1.0)).norm()
    };
    to_side(a, b).min(to_side(b, c)).min(to_side(c, a))
}

/// Numbers in [0, 1), the same in every run (xorshift).
pub struct Random(pub u64);

impl Random {
    pub fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A place in the box around the mesh, grown by `room` of its diagonal.
    pub fn around(&mut self, raw: &Raw, room: f64) -> Point3<f64> {
        let (low, high) = raw.0.iter().fold((raw.0[0], raw.0[0]), |(l, h), p| (l.inf(p), h.sup(p)));
        let grow = Vector3::repeat(room * (high - low).norm());
        let (low, size) = (low - grow, high - low + 2.0 * grow);
        low + Vector3::new(size.x * self.unit(), size.y * self.unit(), size.z * self.unit())
    }

    /// A place on a facet, moved along its normal by at most `off` of the diagonal either way.
    pub fn near(&mut self, raw: &Raw, off: f64) -> Point3<f64> {
        let f = raw.1[(self.unit() * raw.1.len() as f64) as usize];
        let [a, b, c] = f.map(|v| raw.0[v as usize]);
        let (mut s, mut t) = (self.unit(), self.unit());
        if s + t > 1.0 {
            (s, t) = (1.0 - s, 1.0 - t);
        }
        let (low, high) = raw.0.iter().fold((raw.0[0], raw.0[0]), |(l, h), p| (l.inf(p), h.sup(p)));
        let n = (b - a).cross(&(c - a)).normalize();
        a + (b - a) * s + (c - a) * t + n * (off * (high - low).norm() * (2.0 * self.unit() - 1.0))
    }
}

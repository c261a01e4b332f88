//! Meshes with known truth (mm), made by code: spheres, ellipsoids, tori, cylinder, box, L-bracket, double sheet.
#![allow(dead_code)] // each test file uses its part

use nalgebra::{Point3, Vector3};
use std::collections::BTreeMap;
use std::f64::consts::TAU;

pub type P = Point3<f64>;
pub type V = Vector3<f64>;

/// Vertices and facets.
#[derive(Clone)]
pub struct Raw {
    pub p: Vec<P>,
    pub f: Vec<[u32; 3]>,
}

impl Raw {
    pub fn area(&self, f: [u32; 3]) -> f64 {
        let [a, b, c] = f.map(|v| self.p[v as usize]);
        0.5 * (b - a).cross(&(c - a)).norm()
    }

    pub fn largest_facet(&self) -> f64 {
        self.f.iter().map(|&f| self.area(f)).fold(0.0, f64::max)
    }

    pub fn scaled(&self, by: f64) -> Raw {
        Raw { p: self.p.iter().map(|p| p * by).collect(), f: self.f.clone() }
    }
}

/// SplitMix64: seeded, the same everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn between(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.unit()
    }

    /// Normal with standard deviation 1 (Box-Muller).
    pub fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.unit()).ln()).sqrt() * (TAU * self.unit()).cos()
    }

    pub fn vector(&mut self) -> V {
        V::new(self.normal(), self.normal(), self.normal())
    }

    /// A point of the mesh, even in its area (facets are chosen by rejection).
    pub fn on_facet(&mut self, m: &Raw, largest: f64) -> P {
        let f = loop {
            let f = m.f[(self.unit() * m.f.len() as f64) as usize];
            if self.unit() * largest <= m.area(f) {
                break f;
            }
        };
        let (mut s, mut t) = (self.unit(), self.unit());
        if s + t > 1.0 {
            (s, t) = (1.0 - s, 1.0 - t);
        }
        let [a, b, c] = f.map(|v| m.p[v as usize]);
        a + (b - a) * s + (c - a) * t
    }
}

/// Unit icosphere after `level` subdivisions, every vertex on the sphere.
pub fn icosphere(level: u32) -> Raw {
    let g = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let mut p: Vec<V> = Vec::new();
    for (a, b) in [(-1.0, g), (1.0, g), (-1.0, -g), (1.0, -g)] {
        p.push(V::new(a, b, 0.0));
    }
    for (a, b) in [(-1.0, g), (1.0, g), (-1.0, -g), (1.0, -g)] {
        p.push(V::new(0.0, a, b));
    }
    for (a, b) in [(-1.0, g), (1.0, g), (-1.0, -g), (1.0, -g)] {
        p.push(V::new(b, 0.0, a));
    }
    // All facets of the convex hull: triples of mutual neighbours (edge 2), turned outwards.
    let mut f: Vec<[u32; 3]> = Vec::new();
    for i in 0..12 {
        for j in i + 1..12 {
            for k in j + 1..12 {
                let near = |a: usize, b: usize| (p[a] - p[b]).norm() < 2.1;
                if near(i, j) && near(j, k) && near(i, k) {
                    let out = (p[j] - p[i]).cross(&(p[k] - p[i])).dot(&p[i]) > 0.0;
                    f.push(if out { [i, j, k] } else { [i, k, j] }.map(|v| v as u32));
                }
            }
        }
    }
    for v in &mut p {
        v.normalize_mut();
    }
    for _ in 0..level {
        let mut middle: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        let mut next = Vec::new();
        for [a, b, c] in f {
            let [ab, bc, ca] = [(a, b), (b, c), (c, a)].map(|(i, j)| {
                *middle.entry((i.min(j), i.max(j))).or_insert_with(|| {
                    p.push((p[i as usize] + p[j as usize]).normalize());
                    p.len() as u32 - 1
                })
            });
            next.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        f = next;
    }
    Raw { p: p.into_iter().map(P::from).collect(), f }
}

pub fn ellipsoid(level: u32, axes: V) -> Raw {
    let mut m = icosphere(level);
    for p in &mut m.p {
        p.coords.component_mul_assign(&axes);
    }
    m
}

/// An icosphere whose vertices wander on the sphere by up to `share` of an edge in each tangent direction.
pub fn irregular_sphere(level: u32, radius: f64, share: f64) -> Raw {
    let mut m = icosphere(level);
    let mut random = Random(7);
    let edge = 1.1 / f64::from(1 << level);
    for p in &mut m.p {
        let d = V::from_fn(|_, _| random.between(-1.0, 1.0)) * (share * edge);
        *p = P::from((p.coords + d).normalize() * radius);
    }
    m
}

pub const TORUS: (f64, f64) = (20.0, 8.0);

pub fn on_torus(u: f64, v: f64) -> P {
    let (big, small) = TORUS;
    let ring = big + small * v.cos();
    P::new(ring * u.cos(), ring * u.sin(), small * v.sin())
}

/// Torus 20/8 with nu × round(nu·8/20) vertices, each moved by up to `jitter` of a cell along u and v; the part of
/// the ring given by `share` (1: closed).
pub fn torus(nu: u32, jitter: f64, share: f64) -> Raw {
    torus_seeded(nu, jitter, share, 11)
}

/// The same with other random numbers.
pub fn torus_seeded(nu: u32, jitter: f64, share: f64, seed: u64) -> Raw {
    let nv = (f64::from(nu) * 0.4).round() as u32;
    let closed = share >= 1.0;
    let columns = if closed { nu } else { (f64::from(nu) * share) as u32 + 1 };
    let mut random = Random(seed);
    let mut p = Vec::new();
    for i in 0..columns {
        for j in 0..nv {
            let (s, t) = (random.between(-jitter, jitter), random.between(-jitter, jitter));
            p.push(on_torus(TAU * (f64::from(i) + s) / f64::from(nu), TAU * (f64::from(j) + t) / f64::from(nv)));
        }
    }
    let mut f = Vec::new();
    for i in 0..if closed { nu } else { columns - 1 } {
        for j in 0..nv {
            let (i1, j1) = ((i + 1) % columns, (j + 1) % nv);
            let (a, b, c, d) = (i * nv + j, i1 * nv + j, i1 * nv + j1, i * nv + j1);
            f.extend([[a, b, c], [a, c, d]]);
        }
    }
    Raw { p, f }
}

pub fn noisy(m: Raw, sigma: f64) -> Raw {
    noisy_seeded(m, sigma, 23)
}

/// The same with other random numbers.
pub fn noisy_seeded(mut m: Raw, sigma: f64, seed: u64) -> Raw {
    let mut random = Random(seed);
    for p in &mut m.p {
        *p += random.vector() * sigma;
    }
    m
}

/// Cylinder about z with caps as fans: `nu` around, `nz` rows of quads.
pub fn cylinder(radius: f64, height: f64, nu: u32, nz: u32, rings: u32) -> Raw {
    let mut m = Raw { p: Vec::new(), f: Vec::new() };
    let circle = |m: &mut Raw, r: f64, z: f64| {
        let first = m.p.len() as u32;
        for i in 0..nu {
            let u = TAU * f64::from(i) / f64::from(nu);
            m.p.push(P::new(r * u.cos(), r * u.sin(), z));
        }
        first
    };
    let mut bands = Vec::new();
    for k in 1..rings {
        bands.push(circle(&mut m, radius * f64::from(k) / f64::from(rings), -height / 2.0));
    }
    for k in 0..=nz {
        bands.push(circle(&mut m, radius, height * (f64::from(k) / f64::from(nz) - 0.5)));
    }
    for k in (1..rings).rev() {
        bands.push(circle(&mut m, radius * f64::from(k) / f64::from(rings), height / 2.0));
    }
    for w in bands.windows(2) {
        for i in 0..nu {
            let j = (i + 1) % nu;
            m.f.extend([[w[0] + i, w[0] + j, w[1] + j], [w[0] + i, w[1] + j, w[1] + i]]);
        }
    }
    for (band, z, top) in [(bands[0], -height / 2.0, false), (bands[bands.len() - 1], height / 2.0, true)] {
        let centre = m.p.len() as u32;
        m.p.push(P::new(0.0, 0.0, z));
        for i in 0..nu {
            let j = (i + 1) % nu;
            m.f.push(if top { [band + i, band + j, centre] } else { [band + j, band + i, centre] });
        }
    }
    m
}

/// A polygon in the xy plane (counter-clockwise, cut into the given quads) extruded along z, quads cut n × n.
pub fn extrude(corners: &[[f64; 2]], caps: &[[usize; 4]], height: f64, n: u32) -> Raw {
    let mut soup: Vec<[P; 4]> = Vec::new();
    let at = |k: usize, z: f64| P::new(corners[k][0], corners[k][1], z);
    for k in 0..corners.len() {
        let l = (k + 1) % corners.len();
        soup.push([at(k, 0.0), at(l, 0.0), at(l, height), at(k, height)]);
    }
    for &[a, b, c, d] in caps {
        soup.push([at(a, height), at(b, height), at(c, height), at(d, height)]);
        soup.push([at(a, 0.0), at(d, 0.0), at(c, 0.0), at(b, 0.0)]);
    }
    let mut m = Raw { p: Vec::new(), f: Vec::new() };
    let mut known: BTreeMap<[i64; 3], u32> = BTreeMap::new();
    for quad in soup {
        let mut point = |i: u32, j: u32| {
            let (s, t) = (f64::from(i) / f64::from(n), f64::from(j) / f64::from(n));
            let bottom = quad[0] + (quad[1] - quad[0]) * s;
            let top = quad[3] + (quad[2] - quad[3]) * s;
            let p = bottom + (top - bottom) * t;
            let key = [p.x, p.y, p.z].map(|x| (x * 1e6).round() as i64);
            *known.entry(key).or_insert_with(|| {
                m.p.push(p);
                m.p.len() as u32 - 1
            })
        };
        let mut facets = Vec::new();
        for i in 0..n {
            for j in 0..n {
                let (a, b, c, d) = (point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1));
                facets.extend([[a, b, c], [a, c, d]]);
            }
        }
        m.f.extend(facets);
    }
    m
}

/// A tube about z, flattened to a wall: two planes `thick` apart and `wide`, joined by half circles, open at the ends.
pub fn wall(thick: f64, wide: f64, height: f64, edge: f64) -> Raw {
    let half = 0.5 * thick;
    let flats = (wide / edge).round() as u32;
    let mut outline = Vec::new();
    for side in [1.0, -1.0] {
        for k in 0..=flats {
            outline.push([side * (0.5 * wide - wide * f64::from(k) / f64::from(flats)), side * half]);
        }
        for k in 1..6 {
            let angle = TAU * (0.25 + f64::from(k) / 12.0);
            outline.push([side * (-0.5 * wide + half * angle.cos()), side * half * angle.sin()]);
        }
    }
    let (n, rows) = (outline.len() as u32, (height / edge).round() as u32);
    let mut m = Raw { p: Vec::new(), f: Vec::new() };
    for j in 0..=rows {
        let z = height * f64::from(j) / f64::from(rows);
        m.p.extend(outline.iter().map(|q| P::new(q[0], q[1], z)));
    }
    for j in 0..rows {
        for i in 0..n {
            let (a, b) = (j * n + i, j * n + (i + 1) % n);
            m.f.extend([[a, b, b + n], [a, b + n, a + n]]);
        }
    }
    m
}

/// A box from the origin.
pub fn block(x: f64, y: f64, z: f64, n: u32) -> Raw {
    extrude(&[[0.0, 0.0], [x, 0.0], [x, y], [0.0, y]], &[[0, 1, 2, 3]], z, n)
}

/// L-bracket: 30 × 30 mm, arms 12 mm thick, 20 mm high; the groove along z at (12, 12).
pub fn bracket(n: u32) -> Raw {
    let corners =
        [[0.0, 0.0], [30.0, 0.0], [30.0, 12.0], [12.0, 12.0], [12.0, 30.0], [0.0, 30.0], [0.0, 12.0], [12.0, 0.0]];
    // Corners 6 and 7 only cut the caps; the outline has all eight points in order.
    let outline = [corners[0], corners[7], corners[1], corners[2], corners[3], corners[4], corners[5], corners[6]];
    extrude(&outline, &[[0, 1, 4, 7], [1, 2, 3, 4], [7, 4, 5, 6]], 20.0, n)
}

/// Truth at the point of the surface closest to x: signed distance, normal, largest and least curvature.
pub struct Truth {
    pub distance: f64,
    pub n: V,
    pub k: [f64; 2],
}

pub fn sphere_truth(radius: f64) -> impl Fn(&P) -> Truth {
    move |x| Truth { distance: x.coords.norm() - radius, n: x.coords.normalize(), k: [1.0 / radius; 2] }
}

pub fn torus_truth(x: &P) -> Truth {
    let (big, small) = TORUS;
    let ring = (x.x * x.x + x.y * x.y).sqrt();
    let out = V::new(x.x / ring, x.y / ring, 0.0);
    let d = out * (ring - big) + V::new(0.0, 0.0, x.z);
    let n = d.normalize();
    let cosine = n.dot(&out);
    Truth { distance: d.norm() - small, n, k: [1.0 / small, cosine / (big + small * cosine)] }
}

/// Closest point of an ellipsoid by Newton on its implicit form.
pub fn ellipsoid_truth(axes: V) -> impl Fn(&P) -> Truth {
    move |x| {
        let inv = axes.map(|a| 1.0 / (a * a));
        // x = q + s·inv∘q → q = x/(1 + s inv); solve Σ inv q² = 1 for s
        let mut s = 0.0;
        for _ in 0..50 {
            let q = V::from_fn(|k, _| x[k] / (1.0 + s * inv[k]));
            let value: f64 = (0..3).map(|k| inv[k] * q[k] * q[k]).sum::<f64>() - 1.0;
            let slope: f64 = (0..3).map(|k| -2.0 * inv[k] * inv[k] * q[k] * q[k] / (1.0 + s * inv[k])).sum();
            s -= value / slope;
        }
        let q = V::from_fn(|k, _| x[k] / (1.0 + s * inv[k]));
        let g = inv.component_mul(&q);
        let n = g.normalize();
        let P = nalgebra::Matrix3::identity() - n * n.transpose();
        let shape = P * nalgebra::Matrix3::from_diagonal(&inv) * P / g.norm();
        let mut k: Vec<f64> = shape.symmetric_eigenvalues().iter().copied().collect();
        k.sort_by(f64::total_cmp);
        // One eigenvalue is 0 (the normal); both curvatures of an ellipsoid are positive.
        Truth { distance: (x.coords - q).dot(&n), n, k: [k[2], k[1]] }
    }
}

/// Larger and smaller eigenvalue of a shape operator, the zero along the normal left out.
pub fn curvatures(Dn: &nalgebra::Matrix3<f64>, n: &V) -> [f64; 2] {
    let trace = Dn.trace();
    let e1 = n.cross(&if n.x.abs() < 0.6 { V::x() } else { V::y() }).normalize();
    let e2 = n.cross(&e1);
    let (a, b, c) = (e1.dot(&(Dn * e1)), e1.dot(&(Dn * e2)), e2.dot(&(Dn * e2)));
    let half = (0.25 * (a - c) * (a - c) + b * b).sqrt();
    [0.5 * trace + half, 0.5 * trace - half]
}

/// A ball with four feet, 90° apart, pointing down and out: radius r(1 + 0.5 e^(−(angle/0.25)²)) around each.
pub fn feet(level: u32, radius: f64) -> Raw {
    let mut m = icosphere(level);
    for p in &mut m.p {
        let n = p.coords.normalize();
        let foot: f64 = (0..4)
            .map(|k| {
                let u = TAU * (f64::from(k) / 4.0 + 0.03);
                let d = V::new(0.7 * u.cos(), 0.7 * u.sin(), -0.714).normalize();
                (-(n.dot(&d).clamp(-1.0, 1.0).acos() / 0.25).powi(2)).exp()
            })
            .sum();
        *p = P::from(n * (radius * (1.0 + 0.5 * foot)));
    }
    m
}

/// A handle: a tube of radius `tube` along an ellipse in the xy plane with semi-axes a and b, nu × nv vertices.
pub fn handle(a: f64, b: f64, tube: f64, nu: u32, nv: u32) -> Raw {
    let (mut p, mut f) = (Vec::new(), Vec::new());
    for i in 0..nu {
        let u = TAU * f64::from(i) / f64::from(nu);
        let n = V::new(b * u.cos(), a * u.sin(), 0.0).normalize();
        for j in 0..nv {
            let v = TAU * f64::from(j) / f64::from(nv);
            p.push(P::new(a * u.cos(), b * u.sin(), 0.0) + n * (tube * v.cos()) + V::z() * (tube * v.sin()));
            let (i1, j1) = ((i + 1) % nu, (j + 1) % nv);
            let (c, d, e, g) = (i * nv + j, i1 * nv + j, i1 * nv + j1, i * nv + j1);
            f.extend([[c, d, e], [c, e, g]]);
        }
    }
    Raw { p, f }
}

/// Vertices (m in the file) and triangles of an OBJ file in millimetres, if it is there.
pub fn read_obj(path: &std::path::Path) -> Option<Raw> {
    let mut m = from_obj(&std::fs::read_to_string(path).ok()?);
    for p in &mut m.p {
        *p *= 1e3;
    }
    Some(m)
}

/// Vertices and triangles of an OBJ text, in its own unit.
pub fn from_obj(text: &str) -> Raw {
    let mut m = Raw { p: Vec::new(), f: Vec::new() };
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.first() {
            Some(&"v") => m.p.push(P::from([1, 2, 3].map(|k| words[k].parse::<f64>().unwrap()))),
            Some(&"f") => {
                m.f.push([1, 2, 3].map(|k| words[k].split('/').next().unwrap().parse::<u32>().unwrap() - 1));
            }
            _ => {}
        }
    }
    m
}

//! # Stencils: the quadric of one vertex from its neighbours
//!
//! rings of vertices ──▶ **here** ──([`Fitted`])──▶ [`Quadric`](super::quadric::Quadric)s
//!
//! - **in**: a vertex, its sheet, how many rings to use
//! - **out**: a general quadric near the vertex with gradient 1 there, the spread of its neighbours about it
//! - **not here**: how many rings (`rings`); what is done with thin walls and weights (`setup`)
//!
//! ```text
//! z = c0 + c1 x + c2 y + c3 x² + c4 xy + c5 y² + c6 xz + c7 yz + c8 z²     (coordinates over h, z along the normal)
//! ```
//!
//! Nine unknowns with the coefficient of z fixed to one: exact for spheres, ellipsoids, cylinders, cones and
//! planes. A ridge in proportion to the residual variance holds c6..c8 where noise would choose them; a fixed one ruins
//! exactness. After each of three passes the frame is turned to the normal found.

use super::super::topology::{RingWalk, Rows};
use super::lsq;
use nalgebra::{Matrix3, Point3, Vector3};

/// Points below which one more ring is taken, and nine terms are not fitted.
const ENOUGH: usize = 12;
/// Condition of the six polynomial columns above which one more ring is taken.
const WORST_CONDITION: f64 = 60.0;
/// Rings beyond which the search for a better stencil stops.
const MOST_RINGS: usize = 4;
/// Least cosine between the normals of a vertex and a neighbour that is used.
const SAME_SIDE: f64 = 0.3;

/// What a vertex was fitted with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Terms {
    /// The general quadric.
    Nine,
    /// A quadratic height function: too few points, or the quadric had a second branch nearby.
    Six,
    /// A plane through too few points for a curvature.
    Plane,
    /// The plane of the vertex normal.
    Normal,
}

/// The quadric of one vertex in body axes, with how well it fits.
#[derive(Clone, Copy, Debug)]
pub struct Fitted {
    /// Value at the vertex (m).
    pub c: f64,
    /// Gradient at the vertex (unit).
    pub b: Vector3<f64>,
    /// Half of the Hessian (1/m).
    pub a: Matrix3<f64>,
    /// Terms used.
    pub terms: Terms,
    /// Rings used.
    pub rings: usize,
    /// Standard deviation of the neighbours about the quadric (m).
    pub sigma: f64,
    /// Standard deviation of the curvature from that spread (1/m); infinite unless nine terms were fitted.
    pub curvature_std: f64,
}

/// Read-only view of the cut mesh.
#[derive(Clone, Copy)]
pub struct Mesh<'a> {
    /// Positions (m).
    pub points: &'a [Point3<f64>],
    /// Unit vertex normals.
    pub normals: &'a [Vector3<f64>],
    /// Neighbours in the same sheet.
    pub neighbours: &'a Rows,
}

/// Scratch space for fits, one per thread.
pub struct Fitter<'a> {
    mesh: Mesh<'a>,
    /// Ridge of c6..c8 over the spread of the points about the surface.
    pub stiffness: f64,
    walk: RingWalk,
    offsets: Vec<Vector3<f64>>,
    weights: Vec<f64>,
    rows: Vec<[f64; 10]>,
}

/// One least-squares pass in a frame.
struct Pass {
    coefficients: [f64; 10],
    /// Residual variance over h².
    s2: f64,
    ridge: [f64; 10],
}

impl<'a> Fitter<'a> {
    /// A fitter for this mesh.
    pub fn new(mesh: Mesh<'a>) -> Self {
        Self {
            mesh,
            stiffness: 1.0,
            walk: RingWalk::default(),
            offsets: Vec::new(),
            weights: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// The quadric of vertex `v` from `rings` rings, more if they do not suffice.
    pub fn fit(&mut self, v: u32, rings: usize, want_std: bool) -> Fitted {
        let normal = self.mesh.normals[v as usize];
        self.walk.start(v);
        for _ in 0..rings {
            self.walk.grow(self.mesh.neighbours);
        }
        let mut used = rings;
        loop {
            let h = self.collect(v);
            if self.offsets.len() < 4 || h == 0.0 {
                if used < MOST_RINGS && self.offsets.len() > 1 {
                    self.walk.grow(self.mesh.neighbours);
                    used += 1;
                    continue;
                }
                return plain(normal, used, &self.offsets, self.walk.reached().len());
            }
            let fitted = self.fit_offsets(normal, h, used, used < MOST_RINGS, want_std);
            match fitted {
                Some(fitted) => return fitted,
                None => {
                    self.walk.grow(self.mesh.neighbours);
                    used += 1;
                }
            }
        }
    }

    /// Offsets of the usable neighbours from `v`, itself included; returns the largest distance.
    fn collect(&mut self, v: u32) -> f64 {
        let (p, n) = (self.mesh.points[v as usize], self.mesh.normals[v as usize]);
        self.offsets.clear();
        for &j in self.walk.reached() {
            if j == v || self.mesh.normals[j as usize].dot(&n) > SAME_SIDE {
                self.offsets.push(self.mesh.points[j as usize] - p);
            }
        }
        self.offsets.iter().map(|d| d.norm_squared()).fold(0.0, f64::max).sqrt()
    }

    /// Three aiming passes; `None` asks for one more ring.
    fn fit_offsets(
        &mut self,
        normal: Vector3<f64>,
        h: f64,
        rings: usize,
        may_grow: bool,
        want_std: bool,
    ) -> Option<Fitted> {
        let count = self.offsets.len();
        if count < ENOUGH && may_grow {
            return None;
        }
        let mut terms = match count {
            ENOUGH.. => Terms::Nine,
            8.. => Terms::Six,
            _ => Terms::Plane,
        };
        let first_frame = frame(&normal);
        let first = self.triangle(&first_frame, h);
        let loose = lsq::is_ill_conditioned(&first, WORST_CONDITION);
        if may_grow && loose {
            return None;
        }
        loop {
            let (mut frame, mut triangle) = (first_frame, first);
            let mut pass = self.pass(&triangle, terms);
            // Where the points leave the surface open (two rows of long strips: any quadric through two circles),
            // the ridge picks one, and aiming at its normal would run away from the vertex normal.
            for _ in 1..if loose { 1 } else { 3 } {
                let c = &pass.coefficients;
                let aimed = self::frame(&(frame * Vector3::new(-c[1], -c[2], 1.0).normalize()));
                triangle = turned(&triangle, &aimed.tr_mul(&frame));
                frame = aimed;
                pass = self.pass(&triangle, terms);
            }
            let mut fitted = in_body_axes(&pass, &frame, h, terms, rings);
            // A second branch of the quadric near the stencil shows in the gradient there.
            let steep = |d: &Vector3<f64>| {
                let g = (fitted.b + 2.0 * fitted.a * d).norm();
                !(0.3..=3.0).contains(&g)
            };
            if terms == Terms::Nine && self.offsets.iter().any(steep) {
                terms = Terms::Six;
                continue;
            }
            if want_std && terms == Terms::Nine {
                fitted.curvature_std = self.curvature_std(&pass, &frame, h);
            }
            return Some(fitted);
        }
    }

    /// The triangle of the weighted columns in a frame, coordinates over h.
    fn triangle(&mut self, frame: &Matrix3<f64>, h: f64) -> [[f64; 10]; 10] {
        let inv_h = 1.0 / h;
        self.weights.clear();
        self.weights.extend(self.offsets.iter().map(|d| (-3.0 * d.norm_squared() * inv_h * inv_h).exp()));
        self.rows.clear();
        self.rows.extend(self.offsets.iter().zip(&self.weights).map(|(d, w)| columns(frame, d, inv_h).map(|c| c * w)));
        lsq::triangulate(&mut self.rows)
    }

    /// Least squares from a triangle; with nine terms the ridge is set by the residual of a first solution.
    fn pass(&self, triangle: &[[f64; 10]; 10], terms: Terms) -> Pass {
        let count = self.offsets.len();
        let weights: f64 = self.weights.iter().map(|w| w * w).sum();
        let m = match terms {
            Terms::Nine => 9,
            Terms::Six => 6,
            Terms::Plane | Terms::Normal => 3,
        };
        let root = (count as f64).sqrt();
        let mut ridge = [1e-7 * root; 10];
        // c4² counts twice in c3² + c4²/2 + c5²: with this factor the penalty does not depend on the axes chosen.
        ridge[4] *= std::f64::consts::FRAC_1_SQRT_2;
        let variance = |squares: f64| squares / weights * (count as f64) / count.saturating_sub(m).max(1) as f64;
        for k in 6..9 {
            ridge[k] = 1e-6 * root;
        }
        let (mut coefficients, mut squares) = lsq::solve(triangle, m, &ridge);
        let s2 = variance(squares);
        // Without the division by the weights the ridge is a third of this: a third better on clean tori, but
        // half as bad again under noise.
        if m == 9 && s2 > 1e-12 {
            for k in 6..9 {
                ridge[k] = s2.sqrt() * root * self.stiffness;
            }
            (coefficients, squares) = lsq::solve(triangle, m, &ridge);
        }
        Pass { coefficients, s2: variance(squares), ridge }
    }

    /// s = 2 √C33/h with C = s² G Bᵀ diag(w²) B G, G = (BᵀB + ridge²)⁻¹, B the weighted columns.
    fn curvature_std(&self, pass: &Pass, frame: &Matrix3<f64>, h: f64) -> f64 {
        type Matrix9 = nalgebra::SMatrix<f64, 9, 9>;
        let (mut normal, mut middle) = (Matrix9::zeros(), Matrix9::zeros());
        for (d, w) in self.offsets.iter().zip(&self.weights) {
            let b = nalgebra::SVector::<f64, 9>::from_column_slice(&columns(frame, d, 1.0 / h)[..9]) * *w;
            normal += b * b.transpose();
            middle += b * b.transpose() * (w * w);
        }
        for k in 0..9 {
            normal[(k, k)] += pass.ridge[k] * pass.ridge[k];
        }
        let mut unit = nalgebra::SVector::<f64, 9>::zeros();
        unit[3] = 1.0;
        let Some(g) = normal.cholesky().map(|c| c.solve(&unit)) else { return f64::INFINITY };
        2.0 * (pass.s2 * g.dot(&(middle * g))).max(0.0).sqrt() / h
    }
}

/// The ten columns at an offset from the vertex, the right-hand side z last.
#[inline]
fn columns(frame: &Matrix3<f64>, d: &Vector3<f64>, inv_h: f64) -> [f64; 10] {
    let q = frame.tr_mul(d) * inv_h;
    let (x, y, z) = (q.x, q.y, q.z);
    [1.0, x, y, x * x, x * y, y * y, x * z, y * z, z * z, z]
}

/// The triangle in a frame turned by T: new coordinates are T times the old.
///
/// Constant, linear and quadratic columns are combined among themselves and weights depend on distance only, so the
/// points need not be visited again: ten rows are reduced instead of nineteen and more.
fn turned(triangle: &[[f64; 10]; 10], T: &Matrix3<f64>) -> [[f64; 10]; 10] {
    const LINEAR: [usize; 3] = [1, 2, 9];
    // Pairs of axes of the quadratic columns 3 to 8.
    const SQUARES: [(usize, usize); 6] = [(0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)];
    let mut mix = [[0.0; 6]; 6];
    for (new, &(a, b)) in SQUARES.iter().enumerate() {
        for (old, &(i, j)) in SQUARES.iter().enumerate() {
            let cross = T[(a, i)] * T[(b, j)];
            mix[old][new] = if i == j { cross } else { cross + T[(a, j)] * T[(b, i)] };
        }
    }
    let mut rows = [[0.0; 10]; 10];
    for (row, old) in rows.iter_mut().zip(triangle) {
        row[0] = old[0];
        for (k, &new) in LINEAR.iter().enumerate() {
            row[new] = (0..3).map(|i| T[(k, i)] * old[LINEAR[i]]).sum();
        }
        for (k, from) in mix.iter().enumerate() {
            for new in 0..6 {
                row[3 + new] += old[3 + k] * from[new];
            }
        }
    }
    lsq::reduce(&mut rows);
    rows
}

/// The right-handed frame with the unit vector n as third axis (Duff).
pub fn frame(n: &Vector3<f64>) -> Matrix3<f64> {
    let sign = 1.0_f64.copysign(n.z);
    let a = -1.0 / (sign + n.z);
    let b = n.x * n.y * a;
    let e1 = Vector3::new(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x);
    let e2 = Vector3::new(b, sign + n.y * n.y * a, -n.y);
    Matrix3::from_columns(&[e1, e2, *n])
}

/// The plane of the vertex normal; its spread is that of the neighbours it has. Where neighbours were thrown out (the tip
/// of a cone, whose rim faces elsewhere) too few are left to say anything.
fn plain(normal: Vector3<f64>, rings: usize, offsets: &[Vector3<f64>], reached: usize) -> Fitted {
    let mean = offsets.iter().map(|d| normal.dot(d).powi(2)).sum::<f64>() / offsets.len().max(1) as f64;
    let sigma = if offsets.len() < reached { f64::INFINITY } else { mean.sqrt() };
    let curvature_std = f64::INFINITY;
    Fitted { c: 0.0, b: normal, a: Matrix3::zeros(), terms: Terms::Normal, rings, sigma, curvature_std }
}

/// From scaled coefficients in the frame to c + b·d + dᵀA d in body axes, with a unit gradient at the vertex.
fn in_body_axes(pass: &Pass, frame: &Matrix3<f64>, h: f64, terms: Terms, rings: usize) -> Fitted {
    let c = &pass.coefficients;
    let unit = 1.0 / (1.0 + c[1] * c[1] + c[2] * c[2]).sqrt();
    let (xy, xz, yz) = (-0.5 * c[4], -0.5 * c[6], -0.5 * c[7]);
    let local = Matrix3::new(-c[3], xy, xz, xy, -c[5], yz, xz, yz, -c[8]) * (unit / h);
    Fitted {
        c: -c[0] * h * unit,
        b: frame * Vector3::new(-c[1], -c[2], 1.0) * unit,
        a: frame * local * frame.transpose(),
        terms,
        rings,
        sigma: pass.s2.sqrt() * h * unit,
        curvature_std: f64::INFINITY,
    }
}

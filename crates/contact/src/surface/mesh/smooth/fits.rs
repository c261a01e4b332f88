//! # Fits: the quadrics of all vertices, made beforehand or when first needed
//!
//! - **in**: [`Source`]: the cut mesh with all that a fit needs
//! - **out**: the quadric of a vertex, and how well it fits
//! - **not here**: single fits (`stencil`), which vertices are needed (`grid`)
//! - **start at** [`Fits`]
//!
//! The fit of a vertex depends on the mesh alone. So neither the number of threads nor the order in which places are
//! asked about changes a bit, and a deferred mesh is the same surface as one fitted beforehand.

use super::super::topology::Rows;
use super::super::{Stage, Watch};
use super::quadric::Quadric;
use super::stencil::{Fitted, Fitter, Mesh, Terms};
use super::walls::{Sides, Walls};
use nalgebra::{Point3, Vector3};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Spread over longest edge above which a vertex is not resolved.
pub const UNRESOLVED: f64 = 0.05;
/// Vertices that a thread takes at a time.
const SHARE: usize = 512;

/// What is kept of every vertex, sheet by sheet.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The vertex of the given mesh.
    pub vertex: Vec<u32>,
    /// Its sheet.
    pub sheet: Vec<u32>,
    /// Longest edge at it, in its sheet (m).
    pub longest: Vec<f64>,
}

/// What fits are made from.
#[derive(Clone, Debug)]
pub struct Source {
    /// Positions (m).
    pub points: Vec<Point3<f64>>,
    /// Unit vertex normals.
    pub normals: Vec<Vector3<f64>>,
    /// Neighbours in the same sheet.
    pub neighbours: Rows,
    /// Radii of the weights (m).
    pub radius: Vec<f64>,
    /// Where the other side of thin walls is.
    pub walls: Walls,
    /// Rings of neighbours in each fit.
    pub rings: usize,
    /// How far the other side is looked for, over the longest edge.
    pub reach: f64,
    /// Half thickness of the layer where a quadric counts, over the distance to the other side.
    pub wall: f64,
}

/// How one vertex was fitted.
#[derive(Clone, Copy, Debug)]
pub struct Grade {
    /// Standard deviation of the neighbours about the quadric (m).
    pub sigma: f64,
    /// Rings used.
    pub rings: u8,
    /// Terms used.
    pub terms: Terms,
}

impl Source {
    /// A fitter for this mesh.
    ///
    /// With two rings the mesh is clean, and what the fit leaves is the shape itself: a soft ridge lets the quadric
    /// follow it (normals of tori 20 % better, curvatures 25 %, than with a factor of 1; distance up to 2 % worse).
    /// With more it is noise, and a stiff ridge is better by 5 to 10 %.
    pub fn fitter(&self) -> Fitter<'_> {
        let mut fitter = self.judge();
        fitter.stiffness = if self.rings <= 2 { 0.6 } else { 2.0 };
        fitter
    }

    /// The fitter by which the number of rings is chosen.
    pub fn judge(&self) -> Fitter<'_> {
        Fitter::new(Mesh { points: &self.points, normals: &self.normals, neighbours: &self.neighbours })
    }

    fn fit(&self, kept: &Kept, fitter: &mut Fitter, v: u32) -> (Quadric, Grade) {
        let edge = kept.longest[v as usize];
        let mut fitted = fitter.fit(v, self.rings, false);
        // Feature guard: a wide stencil that does not fit spans something narrower than itself.
        if self.rings > 2 && fitted.sigma > UNRESOLVED * edge {
            fitted = fitter.fit(v, 2, false);
        }
        let sides = Sides { points: &self.points, normals: &self.normals, sheet: &kept.sheet };
        let opposite = self.walls.opposite(&sides, v, self.reach * edge);
        let layer = opposite.map(|distance| (self.wall * distance).min(edge));
        let grade = Grade { sigma: fitted.sigma, rings: fitted.rings as u8, terms: fitted.terms };
        (quadric(&self.points[v as usize], &fitted, self.radius[v as usize], layer), grade)
    }
}

fn quadric(p: &Point3<f64>, fitted: &Fitted, radius: f64, layer: Option<f64>) -> Quadric {
    let a = &fitted.a;
    Quadric {
        p: [p.x, p.y, p.z],
        inv_r2: 1.0 / (radius * radius),
        c: fitted.c,
        b: fitted.b.into(),
        a: [a[(0, 0)], a[(0, 1)], a[(0, 2)], a[(1, 1)], a[(1, 2)], a[(2, 2)]],
        inv_t2: layer.map_or(0.0, |t| 1.0 / (t * t)),
    }
}

/// The quadrics of all vertices.
#[derive(Clone, Debug)]
pub enum Fits {
    /// All made.
    Made {
        /// Quadrics.
        quadrics: Vec<Quadric>,
        /// How well they fit.
        grades: Vec<Grade>,
    },
    /// Made when first needed.
    Deferred {
        /// What was made so far; boxed, so that a vertex nobody asked about takes 16 bytes.
        fits: Vec<OnceLock<Box<(Quadric, Grade)>>>,
        /// What the others will be made from.
        source: Box<Source>,
    },
}

impl Fits {
    /// Makes none yet.
    pub fn deferred(source: Source) -> Self {
        let fits = (0..source.points.len()).map(|_| OnceLock::new()).collect();
        Self::Deferred { fits, source: Box::new(source) }
    }

    /// Makes all with this many threads, while the calling one first does `meanwhile`.
    pub fn make<T>(
        source: &Source,
        kept: &Kept,
        threads: usize,
        watch: &Watch,
        meanwhile: impl FnOnce() -> T,
    ) -> (Self, T) {
        let total = source.points.len();
        let mut quadrics = vec![Quadric::default(); total];
        let mut grades = vec![Grade { sigma: 0.0, rings: 0, terms: Terms::Normal }; total];
        let shares = Mutex::new(quadrics.chunks_mut(SHARE).zip(grades.chunks_mut(SHARE)).enumerate());
        let done = AtomicUsize::new(0);
        let work = || {
            let mut fitter = source.fitter();
            loop {
                let next = shares.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((k, (quadrics, grades))) = next else { return };
                for (j, (quadric, grade)) in quadrics.iter_mut().zip(grades).enumerate() {
                    (*quadric, *grade) = source.fit(kept, &mut fitter, (k * SHARE + j) as u32);
                }
                let before = done.fetch_add(quadrics.len(), Ordering::Relaxed);
                watch(Stage::Fits, before + quadrics.len(), total);
            }
        };
        let meanwhile = std::thread::scope(|scope| {
            (1..threads).for_each(|_| _ = scope.spawn(work));
            let answer = meanwhile();
            work();
            answer
        });
        (Self::Made { quadrics, grades }, meanwhile)
    }

    /// How vertex `v` was fitted, if it was.
    pub fn grade(&self, v: usize) -> Option<Grade> {
        match self {
            Self::Made { grades, .. } => Some(grades[v]),
            Self::Deferred { fits, .. } => fits[v].get().map(|fit| fit.1),
        }
    }

    /// Vertices fitted so far.
    pub fn count(&self) -> usize {
        match self {
            Self::Made { quadrics, .. } => quadrics.len(),
            Self::Deferred { fits, .. } => fits.iter().filter(|fit| fit.get().is_some()).count(),
        }
    }

    /// Bytes of the quadrics.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Made { quadrics, grades } => size_of_val(&quadrics[..]) + size_of_val(&grades[..]),
            Self::Deferred { fits, .. } => size_of_val(&fits[..]) + self.count() * size_of::<(Quadric, Grade)>(),
        }
    }
}

/// The quadric of a vertex of a deferred mesh, made if it is the first time.
#[inline]
pub fn first_touch<'a>(
    fits: &'a [OnceLock<Box<(Quadric, Grade)>>],
    source: &Source,
    kept: &Kept,
    v: u32,
) -> &'a Quadric {
    &fits[v as usize].get_or_init(|| Box::new(source.fit(kept, &mut source.fitter(), v))).0
}

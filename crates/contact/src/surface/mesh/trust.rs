//! # Trust: how far a smooth surface may be from the facets it was made from
//!
//! mesh, [`SmoothMesh`] ──▶ **here** ──([`Trust`])──▶ which surface a mesh stands for ([`MeshSurface`](super::MeshSurface))
//!
//! - **in**: a mesh and its smooth surface
//! - **out**: which facets the surface departs from by more than their shape explains, and a bound on the departure
//! - **not here**: what happens then (`surface`); how well single vertices are fitted (`smooth::quality`)
//! - **assumes**: an edge within a sheet stands for a curve, one between two sheets for a crease
//! - **start at** [`Trust::of`]
//!
//! A facet T between bends θ stands for a piece of surface with curvature θ/d, where d is the distance of the two
//! centroids square to the edge. Its sagitta is about
//!
//! ```text
//! s_T = max over edges that are no creases of (θ/d) r²/2, at most a quarter of the least altitude
//! ```
//!
//! with r = ⅔ h of the altitude h over the edge (exact for equal triangles on a sphere), or ½ h for strips, which bend
//! in one direction alone. At 15 places of T (a lattice of order 4) the surface must be
//! reached along T's normal, or by the shortest way, within 1.5 s_T + 1e-5 of the diagonal + three times the spread of T's
//! vertices about their quadrics (at most 0.3 % of the diagonal), its normal within the largest bend and 12° of T's.
//! Next to creases, where the fillet turns away, the shortest way counts, the set-back of the fillet is granted as well,
//! and normals do not count. If not, T and its neighbours are not trusted.

use super::TriangleMesh;
use super::smooth::{SmoothMesh, Terms};
use super::topology::{Rows, Topology};
use nalgebra::{Point3, Vector3};

/// Departure over sagitta that is granted.
const SAGITTAS: f64 = 1.5;
/// Departure over the diagonal that is granted anywhere.
const FLOOR: f64 = 1e-5;
/// Departure over the spread of vertices about their quadrics that is granted: a surface through noise leaves it out.
const SPREADS: f64 = 3.0;
/// Largest departure that is granted to noise, over the diagonal: beyond it a spread is shape that was not resolved.
const NOISE: f64 = 3e-3;
/// Set-back of a fillet over ρ/cos(θ/2), at corners.
const SET_BACK: f64 = 0.75;
/// How much the normal may deviate beyond the bends (rad): 12°.
const TURN: f64 = 0.21;
/// How much the normal may deviate in any case (rad): 75°.
const MOST_TURN: f64 = 1.31;
/// Reach of a fillet over its radius.
const FILLET_REACH: f64 = 3.6;
/// Departure beyond what is granted that is too much even for a small part of a mesh, over the diagonal.
const FAR: f64 = 0.01;
/// Facets above which the lattice is of order 2 in place of 4.
const MANY: usize = 60_000;

/// Where the surface departs most from the facets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worst {
    /// The facet.
    pub face: u32,
    /// The place on it (m).
    pub place: Point3<f64>,
    /// The departure there (m); infinite if the surface is not reached.
    pub departure: f64,
}

/// How a smooth surface agrees with its facets.
#[derive(Clone, Debug)]
pub(super) struct Trust {
    /// Share of the area that is not trusted.
    pub(super) untrusted: f64,
    /// The facet with the largest departure beyond what is granted, or else with the largest departure.
    pub(super) worst: Worst,
    /// Share of the area that departs by more than 1 % of the diagonal beyond what is granted.
    pub(super) astray: f64,
    /// Bound on the departure, where facets that depart by more than granted count with what is granted (m).
    pub(super) bound: f64,
}

/// What was found on one facet.
#[derive(Clone, Copy)]
struct Look {
    granted: f64,
    departure: f64,
    place: Point3<f64>,
    /// Largest departure within what is granted (m).
    within: f64,
    /// What the surface may do between the places of the lattice (m).
    between: f64,
    trusted: bool,
}

/// The mesh with what every look needs.
struct Judge<'a> {
    mesh: &'a TriangleMesh,
    topology: &'a Topology,
    smooth: &'a SmoothMesh,
    /// Which edges are creases: no sheet has facets on both sides.
    is_crease: Vec<bool>,
    /// The sharpest crease at each vertex (rad); 0 where there is none.
    creases: Vec<f64>,
    /// Spread of the neighbours about the quadric of each vertex (m).
    spread: Vec<f64>,
    diagonal: f64,
    order: u32,
}

impl Trust {
    /// Judges a smooth surface.
    pub(super) fn of(mesh: &TriangleMesh, topology: &Topology, smooth: &SmoothMesh, threads: usize) -> Self {
        let count = mesh.vertices().len();
        let mut spread = vec![0.0_f64; count];
        for vertex in smooth.quality().filter(|q| q.terms == Terms::Nine) {
            let most = &mut spread[vertex.vertex as usize];
            *most = most.max(vertex.sigma);
        }
        let sheets =
            Rows::from_pairs(count, smooth.quality().map(|q| (q.vertex, q.sheet)).collect::<Vec<_>>().into_iter());
        let is_crease: Vec<bool> =
            (0..topology.edges.len() as u32).map(|e| is_crease(mesh, topology, &sheets, e)).collect();
        let mut creases = vec![0.0_f64; count];
        for (edge, _) in topology.edges.iter().zip(&is_crease).filter(|(_, crease)| **crease) {
            edge.ends.iter().for_each(|&v| creases[v as usize] = creases[v as usize].max(edge.bend.abs()));
        }
        let order = if mesh.faces().len() > MANY { 2 } else { 4 };
        let judge = Judge { mesh, topology, smooth, is_crease, creases, spread, diagonal: smooth.diagonal(), order };
        let share = mesh.faces().len().div_ceil(threads.max(1)).max(64);
        let mut looks: Vec<Option<Look>> = vec![None; mesh.faces().len()];
        std::thread::scope(|scope| {
            for (k, part) in looks.chunks_mut(share).enumerate() {
                let judge = &judge;
                let mut work =
                    move || part.iter_mut().enumerate().for_each(|(j, look)| *look = Some(judge.look(k * share + j)));
                if threads > 1 { _ = scope.spawn(work) } else { work() }
            }
        });
        judge.sum_up(&looks.into_iter().flatten().collect::<Vec<_>>())
    }
}

/// Whether the facets of an edge have no sheet in common.
fn is_crease(mesh: &TriangleMesh, topology: &Topology, sheets: &Rows, e: u32) -> bool {
    // Vertices may have been welded: those without a sheet say nothing.
    let has = |v: u32, sheet: u32| sheets.row(v).is_empty() || sheets.row(v).contains(&sheet);
    let around = topology.edge_faces.row(e);
    let all = |sheet: u32| around.iter().all(|&f| mesh.faces()[f as usize].iter().all(|&v| has(v, sheet)));
    around.len() > 1 && !sheets.row(topology.edges[e as usize].ends[0]).iter().any(|&sheet| all(sheet))
}

impl Judge<'_> {
    fn corners(&self, f: usize) -> [Point3<f64>; 3] {
        self.mesh.faces()[f].map(|v| self.mesh.vertices()[v as usize])
    }

    /// Sagitta of a facet (m) and the largest bend of its edges that are no creases (rad).
    fn sagitta(&self, f: usize) -> (f64, f64) {
        let altitude = |f: usize, [p, q]: [Point3<f64>; 2]| {
            let [a, b, c] = self.corners(f);
            (b - a).cross(&(c - a)).norm() / (q - p).norm()
        };
        // Bend, altitude and distance of the centroids square to the edge, of each edge that is no crease.
        let mut bent = [(0.0_f64, 0.0_f64, f64::INFINITY); 3];
        let mut least = f64::INFINITY;
        for (k, &e) in self.topology.face_edges[f].iter().enumerate() {
            let edge = &self.topology.edges[e as usize];
            let ends = edge.ends.map(|v| self.mesh.vertices()[v as usize]);
            let h = altitude(f, ends);
            least = least.min(h);
            let other = self.topology.edge_faces.row(e).iter().find(|&&o| o as usize != f);
            if let Some(&other) = other.filter(|_| !self.is_crease[e as usize]) {
                bent[k] = (edge.bend.abs(), h, (h + altitude(other as usize, ends)) / 3.0);
            }
        }
        let turn = bent.iter().map(|b| b.0).fold(0.0, f64::max);
        // A strip bends over its long edges alone, half of its width on either side of its middle.
        let round = bent.iter().filter(|b| b.0 > 0.25 * turn).count() > 1;
        let reach = |h: f64| if round { 2.0 * h / 3.0 } else { 0.5 * h };
        let sagitta = bent.iter().map(|&(bend, h, d)| bend / d * reach(h).powi(2) / 2.0).fold(0.0, f64::max);
        (sagitta.min(0.25 * least), turn)
    }

    fn look(&self, f: usize) -> Look {
        let (sagitta, turn) = self.sagitta(f);
        let fillet = self.smooth.fillet_radius();
        let sharpest = self.mesh.faces()[f].iter().map(|&v| self.creases[v as usize]).fold(0.0, f64::max);
        let set_back = if sharpest > 0.0 { SET_BACK * fillet / (0.5 * sharpest).cos().max(0.1) } else { 0.0 };
        let spread = self.mesh.faces()[f].iter().map(|&v| self.spread[v as usize]).fold(0.0, f64::max);
        let noise = (SPREADS * spread).min(NOISE * self.diagonal);
        let on_flat = SAGITTAS * sagitta + FLOOR * self.diagonal + noise;
        let [a, b, c] = self.corners(f);
        let n = self.mesh.face_normal(f);
        let steps = [b - a, c - b, a - c].map(|side| side / f64::from(self.order));
        let mut look = Look { granted: on_flat, departure: 0.0, place: a, within: 0.0, between: 0.0, trusted: true };
        for i in 0..=self.order {
            for j in 0..=self.order - i {
                let [u, v] = [i, j].map(|k| f64::from(k) / f64::from(self.order));
                let x = a + (b - a) * u + (c - a) * v;
                let beside = self.is_beside_crease(f, &x, FILLET_REACH * fillet);
                let granted = if beside { on_flat + set_back } else { on_flat };
                let (departure, normal) = self.departure(&x, &n, beside, granted);
                if departure - granted > look.departure - look.granted || (i, j) == (0, 0) {
                    look = Look { granted, departure, place: x, ..look };
                }
                if !beside && departure.is_finite() {
                    look.trusted &= n.cross(&normal).norm().atan2(n.dot(&normal)) <= (turn + TURN).min(MOST_TURN);
                    // Half a step away the surface is as much further off as it is inclined that way.
                    let slope = |step: &Vector3<f64>| (normal.dot(step) / normal.dot(&n)).abs();
                    look.between = steps.iter().map(slope).fold(look.between, |most, rise| most.max(0.5 * rise));
                }
                look.within = look.within.max(departure.min(granted));
                look.trusted &= departure <= granted;
            }
        }
        look
    }

    /// Whether a place of a facet is within `reach` of a crease: of one of its edges, or of a corner on one.
    fn is_beside_crease(&self, f: usize, x: &Point3<f64>, reach: f64) -> bool {
        self.topology.face_edges[f].iter().any(|&e| {
            let edge = &self.topology.edges[e as usize];
            let [p, q] = edge.ends.map(|v| self.mesh.vertices()[v as usize]);
            let near =
                |v: u32| self.creases[v as usize] > 0.0 && (self.mesh.vertices()[v as usize] - x).norm() <= reach;
            let way = (q - p).normalize();
            let along = self.is_crease[e as usize] && (x - p).cross(&way).norm() <= reach;
            along || edge.ends.iter().any(|&v| near(v))
        })
    }

    /// How far the surface is from `x` along ±n, or by the shortest way where it is not met along n, and its normal there.
    fn departure(&self, x: &Point3<f64>, n: &Vector3<f64>, shortest: bool, granted: f64) -> (f64, Vector3<f64>) {
        let by_shortest = || self.smooth.project(x).map_or((f64::INFINITY, *n), |at| ((at.p - x).norm(), at.nhat));
        if shortest {
            return by_shortest();
        }
        let mut t = 0.0_f64;
        for _ in 0..12 {
            let Some(jet) = self.smooth.evaluate(&(x + n * t)) else { return by_shortest() };
            let slope = jet.grad.dot(n);
            if slope <= 0.1 * jet.grad.norm() {
                return by_shortest();
            }
            let step = -jet.f / slope;
            t += step;
            // A twentieth of what is granted decides nothing.
            if step.abs() <= 0.05 * granted {
                return (t.abs(), jet.grad.normalize());
            }
        }
        by_shortest()
    }

    fn sum_up(&self, looks: &[Look]) -> Trust {
        let mut trusted: Vec<bool> = looks.iter().map(|look| look.trusted).collect();
        for (e, _) in self.topology.edges.iter().enumerate() {
            let around = self.topology.edge_faces.row(e as u32);
            if around.iter().any(|&f| !looks[f as usize].trusted) {
                around.iter().for_each(|&f| trusted[f as usize] = false);
            }
        }
        let (mut area, mut doubtful, mut astray, mut bound) = (0.0, 0.0, 0.0, 0.0_f64);
        let mut worst = (f64::NEG_INFINITY, 0);
        for (f, look) in looks.iter().enumerate() {
            let [a, b, c] = self.corners(f);
            let here = (b - a).cross(&(c - a)).norm();
            area += here;
            doubtful += if trusted[f] { 0.0 } else { here };
            astray += if look.departure > look.granted + FAR * self.diagonal { here } else { 0.0 };
            // A facet that is not trusted is the guard's: between places, too, it has what is granted.
            bound = bound.max(look.within + if look.trusted { look.between } else { 0.0 });
            // Beyond what is granted comes before all that is not.
            let beyond = (look.departure - look.granted).max(0.0) * 1e6 + look.departure;
            if beyond > worst.0 {
                worst = (beyond, f);
            }
        }
        let look = &looks[worst.1];
        let worst = Worst { face: worst.1 as u32, place: look.place, departure: look.departure };
        Trust { untrusted: doubtful / area, worst, astray: astray / area, bound }
    }
}

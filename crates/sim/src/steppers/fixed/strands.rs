//! # Strands: a contact along a curve over a fixed step
//!
//! `faces` ──(which contacts are curves)──▶ **here** ──(stations frozen for the step, rows)──▶ `press`, `rows`
//!
//! - **in**: a curve of one body, poses and velocities of both
//! - **out**: [`Along`]: its [`Stations`] over the step, three rows that move them, the gap at the start and at the end
//! - **not here**: mean loads of the stations (`press`); what holds along the curve (`law`)
//! - **assumes**: over a step the curve is pressed where it is at its deeper end; normals turn little along it
//! - **start at** [`Along::begin`], [`Along::place`], [`Along::look`]
//!
//! The depth of a station changes by j·ξ, with j = (−r × n, −n) about the centre of load and ξ the motion of B over A. Where all
//! normals are parallel the j span three dimensions: approach, and two slopes. So they do where all normals meet in one
//! point, as those of a ball on a ring. The rows are the approach along the mean normal and the two directions that carry
//! most of the rest.

use super::faces::Bodies;
use crate::model::Model;
use crate::model::interactions::{Pair, PairLaw};
use fingerpad_contact::law::{FaceGrip, Spring, StrandLoad};
use fingerpad_contact::surface::Shape;
use fingerpad_contact::track::strand::{STATIONS, Station};
use fingerpad_contact::track::{ClosestPair, PlacedStrand, StrandPlace, tangent_basis};
use nalgebra::{Isometry3, Matrix6, Vector3, Vector6};

/// Springs along a curve, frozen for a step.
#[derive(Clone, Debug)]
pub struct Stations {
    /// How the depth of each follows the rows.
    arms: [Vector3<f64>; STATIONS],
    /// The axis of the curve along the rows: a body that turns about it stays as it is, and is not damped.
    axis: Vector3<f64>,
    /// Depth at the start (m).
    depths: [f64; STATIONS],
    /// Energy at the start (J).
    pub energies: [f64; STATIONS],
    springs: [Spring; STATIONS],
    count: usize,
    /// What the potential has beyond the sum over these stations, at the start (J).
    pub offset: f64,
}

impl Stations {
    fn empty() -> Self {
        Self {
            arms: [Vector3::zeros(); STATIONS],
            axis: Vector3::zeros(),
            depths: [0.0; STATIONS],
            energies: [0.0; STATIONS],
            springs: [Spring::default(); STATIONS],
            count: 0,
            offset: 0.0,
        }
    }

    /// What of an arm the damper of its station follows.
    pub fn damped(&self, arm: &Vector3<f64>) -> Vector3<f64> {
        arm - self.axis * self.axis.dot(arm)
    }

    /// Depths `base` and what displacements q lead them to: the start of a step, and the energy there (J).
    fn start_from(&mut self, base: &[f64; STATIONS], q: &Vector3<f64>) -> f64 {
        let mut sum = self.offset;
        for k in 0..self.count {
            self.depths[k] = base[k] + self.arms[k].dot(q);
            self.energies[k] = self.springs[k].energy(self.depths[k]);
            sum += self.energies[k];
        }
        sum
    }

    /// The energy where displacements q lead depths `base` to (J), and these depths.
    fn led(&self, base: &[f64; STATIONS], q: &Vector3<f64>, depths: &mut [f64; STATIONS]) -> f64 {
        let mut sum = self.offset;
        for k in 0..self.count {
            depths[k] = base[k] + self.arms[k].dot(q);
            sum += self.springs[k].energy(depths[k]);
        }
        sum
    }

    /// Arm, depth at the start and spring of each.
    pub fn iter(&self) -> impl Iterator<Item = (&Vector3<f64>, f64, &Spring)> {
        let list = self.arms.iter().zip(&self.depths).zip(&self.springs);
        list.take(self.count).map(|((arm, depth), spring)| (arm, *depth, spring))
    }
}

/// A contact along a curve over one step.
#[derive(Clone, Debug)]
pub struct Along {
    pub curve: StrandPlace,
    /// Whether its stations pull on each other.
    coupled: bool,
    /// Where it is pressed at the start; the stations of the step; these at mid-step; where it is pressed at the end.
    start: Box<PlacedStrand>,
    nodes: Box<PlacedStrand>,
    mid: Box<PlacedStrand>,
    end: Box<PlacedStrand>,
    /// What was found at the start and at the end.
    known: [Option<Known>; 2],
    /// What stations and rows of the last pass hang on, and what they came to.
    last: Option<(Poses, Mid)>,
    /// Pose for which the depths of the stations at the end are.
    ended: Option<Isometry3<f64>>,
    /// Both bodies rest: all is told at their anchors, and led from there by the rows.
    rests: bool,
    /// Whether it has stations in this step.
    placed: bool,
    /// Depths of the stations at the anchors (m).
    anchored: [f64; STATIONS],
    pub stations: Stations,
    /// Depths of the stations of the step at its end (m).
    ends: [f64; STATIONS],
    /// Energy at the start and at the end (J).
    pub stored: [f64; 2],
    pub gaps: [f64; 2],
    /// Rows about the centre: on turning, on the velocity there.
    pub rows: [(Vector3<f64>, Vector3<f64>); 3],
    centre: Vector3<f64>,
}

/// Where a curve was found, between which bodies, and what it carries there once that was asked for. Whoever asks for the same
/// again takes it from here: the end of a step is the start of the next.
#[derive(Clone, Copy, Debug)]
struct Known {
    pair: Pair,
    curve: StrandPlace,
    X_AB: Isometry3<f64>,
    /// Energy (J), and the pair of points at the centre of load.
    told: Option<(f64, ClosestPair)>,
}

/// Poses of both bodies at the start, at mid-step and at the end as guessed. The same again give the same stations: bodies that
/// have come to rest stay where they are to the last digit.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Poses {
    pair: Pair,
    curve: StrandPlace,
    X: [[Isometry3<f64>; 2]; 3],
    rests: bool,
}

/// Where a curve is at mid-step.
#[derive(Clone, Copy, Debug)]
pub struct Mid {
    pub n: Vector3<f64>,
    /// Centre of load.
    pub c: Vector3<f64>,
    pub grip: Option<FaceGrip>,
    /// From there to the surface of A, along the normal (m).
    pub to_A: f64,
    /// Gap there (m).
    pub gap: f64,
}

/// What the contact is between.
#[derive(Clone, Copy)]
pub struct Between<'a> {
    pub model: &'a Model,
    pub pair: &'a Pair,
    pub law: &'a PairLaw,
}

impl<'a> Between<'a> {
    fn shapes(&self) -> (&'a Shape, &'a Shape) {
        let bodies = self.model.bodies();
        (&bodies[self.pair.a.0].shape, &bodies[self.pair.b.0].shape)
    }

    fn frames(&self, X_A: &Isometry3<f64>, X_B: &Isometry3<f64>) -> (Isometry3<f64>, Isometry3<f64>) {
        (self.model.frame(self.pair.a.0, X_A), self.model.frame(self.pair.b.0, X_B))
    }
}

impl Along {
    pub fn empty(curve: StrandPlace) -> Self {
        let zero = Vector3::zeros();
        Self {
            curve,
            coupled: false,
            start: Box::default(),
            nodes: Box::default(),
            mid: Box::default(),
            end: Box::default(),
            known: [None; 2],
            last: None,
            ended: None,
            rests: false,
            placed: false,
            anchored: [0.0; STATIONS],
            stations: Stations::empty(),
            ends: [0.0; STATIONS],
            stored: [0.0; 2],
            gaps: [f64::INFINITY; 2],
            rows: [(zero, zero); 3],
            centre: zero,
        }
    }

    /// Whether the curve was found there last.
    fn is_known(&self, between: Between, X_AB: &Isometry3<f64>, at_end: bool) -> bool {
        let known = self.known[usize::from(at_end)].as_ref();
        known.is_some_and(|known| known.pair == *between.pair && known.X_AB == *X_AB && known.curve == self.curve)
    }

    /// Finds the curve at poses of the bodies, at the start or the end of the step; the least gap.
    fn locate(&mut self, between: Between, X: [&Isometry3<f64>; 2], at_end: bool) -> f64 {
        let (a, b) = between.shapes();
        let (X_WA, X_WB) = between.frames(X[0], X[1]);
        let X_AB = X_WA.inv_mul(&X_WB);
        let (pair, curve) = (*between.pair, self.curve);
        let is_known = self.is_known(between, &X_AB, at_end);
        let room = if at_end { &mut self.end } else { &mut self.start };
        if !is_known {
            room.strand.coupled = self.coupled;
            self.curve.find(a, b, &X_AB, 0.0, room);
            self.known[usize::from(at_end)] = Some(Known { pair, curve, X_AB, told: None });
        }
        room.strand.least.gap
    }

    /// Energy and the pair of points at the centre of load, where it was found last.
    fn tell(&mut self, law: &PairLaw, at_end: bool) -> Option<(f64, ClosestPair)> {
        let room = if at_end { &self.end } else { &self.start };
        let known = self.known[usize::from(at_end)].as_mut()?;
        let told = known.told.unwrap_or_else(|| {
            let load = law.law.strand_carried(room, &self.curve.curve);
            let X_AB = &known.X_AB;
            let pair =
                load.map_or_else(|| room.pair_at(&room.strand.least, X_AB), |load| load.pair(room.swapped, X_AB));
            (load.map_or(0.0, |load| load.energy), pair)
        });
        known.told = Some(told);
        Some(told)
    }

    /// Finds the curve at poses of the bodies; the pair of points that stands for it.
    fn find(&mut self, between: Between, X: [&Isometry3<f64>; 2], at_end: bool) -> ClosestPair {
        let gap = self.locate(between, X, at_end);
        let told = self.tell(between.law, at_end);
        let (energy, pair) = told.unwrap_or_else(|| (0.0, PlacedStrand::default().pair_at(&Station::default(), X[0])));
        (self.stored[usize::from(at_end)], self.gaps[usize::from(at_end)]) = (energy, gap);
        pair
    }

    /// The curve at the start of a step: the pair of points that stands for it. Of bodies at rest, where their anchors are.
    pub fn begin(&mut self, between: Between, (A, B): Bodies) -> ClosestPair {
        self.rests = A.lies() && B.lies();
        let X = if self.rests { [&A.anchor, &B.anchor] } else { [&A.X, &B.X] };
        self.coupled = between.law.law.couples_stations();
        self.placed = false;
        // As a rule the start is where the last step ended.
        let (X_WA, X_WB) = between.frames(X[0], X[1]);
        if self.is_known(between, &X_WA.inv_mul(&X_WB), true) {
            std::mem::swap(&mut self.start, &mut self.end);
            self.known.swap(0, 1);
        }
        self.find(between, X, false)
    }

    /// The curve at the end of a step: the pair of points that stands for it, and whether it goes on as a contact.
    pub fn look(&mut self, between: Between, X: [&Isometry3<f64>; 2]) -> (ClosestPair, bool) {
        let pair = self.find(between, X, true);
        let (a, b) = between.shapes();
        let (X_WA, X_WB) = between.frames(X[0], X[1]);
        let X_AB = X_WA.inv_mul(&X_WB);
        let goes_on = self.curve.goes_on(&self.end, &X_AB);
        if self.last.is_some() && self.ended == Some(X_AB) {
            return (pair, goes_on);
        }
        // At mid-step is room now.
        self.ended = Some(X_AB);
        self.curve.moved(&self.nodes, a, b, &X_AB, &mut self.mid);
        for (depth, station) in self.ends.iter_mut().zip(self.mid.strand.stations()) {
            *depth = -station.gap;
        }
        (pair, goes_on)
    }

    /// Whether rows and stations are those of the anchors.
    pub fn rests(&self) -> bool {
        self.rests && self.placed
    }

    /// The same of bodies at rest: where the rows lead, without a look at the surfaces.
    pub fn stay(&mut self, bodies: Bodies, X: [&Isometry3<f64>; 2]) -> Option<ClosestPair> {
        if !(self.rests && self.placed && self.last.is_some() && bodies.0.lies() && bodies.1.lies()) {
            return None;
        }
        let (q, at_anchor) = (self.strayed(bodies, X), self.known[0]?.told?);
        self.stored[1] = self.stations.led(&self.anchored, &q, &mut self.ends);
        self.gaps[1] = self.start.strand.least.gap - q[0];
        (self.ended, self.known[1]) = (None, None);
        Some(at_anchor.1)
    }

    /// How far bodies at poses are from their anchors, along the rows.
    fn strayed(&self, (A, B): Bodies, X: [&Isometry3<f64>; 2]) -> Vector3<f64> {
        let mut q = Vector3::zeros();
        for (body, X, sign) in [(A, X[0], -1.0), (B, X[1], 1.0)] {
            let turned = X.rotation * body.anchor.rotation.inverse();
            let turn = turned.imag() * (2.0 * sign * turned.w.signum());
            let moved = (X.translation.vector - body.anchor.translation.vector) * sign;
            let arm = self.centre - body.anchor.translation.vector;
            for (q, (turning, along)) in q.iter_mut().zip(&self.rows) {
                *q += (turning + arm.cross(along)).dot(&turn) + along.dot(&moved);
            }
        }
        q
    }

    /// A depth (m) and the energy there (J): at the start where it is pressed then, else as velocities guessed the end.
    pub fn pressing(&self) -> (f64, f64) {
        let at = usize::from(self.gaps[0] >= 0.0);
        (-self.gaps[at], self.stored[at])
    }

    /// The greatest depth at the end as the velocities guessed would have it (m).
    pub fn expected_approach(&mut self, between: Between, (A, B): Bodies, h: f64) -> f64 {
        self.find(between, [&A.end_pose(h), &B.end_pose(h)], true);
        -self.gaps[1]
    }

    /// Stations, rows and springs of the step.
    pub fn place(&mut self, between: Between, (A, B): Bodies, h: f64) -> Mid {
        let (a, b) = between.shapes();
        let law = &between.law.law;
        let whole = self.curve.curve.length();
        let rests = self.rests && A.lies() && B.lies() && self.gaps[0] < 0.0;
        if self.rests && !rests {
            // It was told at the anchors.
            self.find(between, [&A.X, &B.X], false);
        }
        (self.rests, self.placed) = (rests, true);
        let at = |t: f64| if rests { [A.anchor, B.anchor] } else { [A.end_pose(t), B.end_pose(t)] };
        let X0 = if rests { [A.anchor, B.anchor] } else { [A.X, B.X] };
        let ([X_Am, X_Bm], [X_A1, X_B1]) = (at(0.5 * h), at(h));
        let poses = Poses { pair: *between.pair, curve: self.curve, X: [X0, [X_Am, X_Bm], [X_A1, X_B1]], rests };
        if let Some((_, mid)) = self.last.filter(|(last, _)| *last == poses) {
            self.lead((A, B));
            return mid;
        }
        (self.last, self.ended) = (None, None);
        let gap1 = self.locate(between, [&X_A1, &X_B1], true);
        // Where it is deeper of both ends.
        let deeper = if gap1 < self.gaps[0] { &self.end } else { &self.start };
        self.nodes.copy_from(deeper);
        if self.nodes.strand.stations().is_empty() {
            let (X_WA, X_WB) = between.frames(&X_A1, &X_B1);
            let within = gap1.max(0.0) * (1.0 + 1e-6) + 1e-6 * whole;
            self.nodes.strand.coupled = self.coupled;
            self.curve.find(a, b, &X_WA.inv_mul(&X_WB), within, &mut self.nodes);
        }
        let (X_WA, X_WB) = between.frames(&X_Am, &X_Bm);
        self.curve.moved(&self.nodes, a, b, &X_WA.inv_mul(&X_WB), &mut self.mid);
        let mid = self.mid_of(law.strand_load(&self.mid, &self.curve.curve), &X_WA, &X_WB);
        let weights = self.span(&mid, &X_WA, &X_WB);

        // Depths at the start; the rest of what the start stores.
        let (X_WA0, X_WB0) = between.frames(&X0[0], &X0[1]);
        self.curve.moved(&self.nodes, a, b, &X_WA0.inv_mul(&X_WB0), &mut self.mid);
        let stations = &mut self.stations;
        stations.count = weights;
        law.springs(&self.nodes, &self.curve.curve, &mut stations.springs);
        for (depth, begun) in self.anchored.iter_mut().zip(self.mid.strand.stations()) {
            *depth = if begun.gap.is_finite() { -begun.gap } else { -1.0 };
        }
        stations.offset = 0.0;
        stations.offset = self.stored[0] - stations.start_from(&self.anchored, &Vector3::zeros());
        self.centre = mid.c;
        self.last = Some((poses, mid));
        self.lead((A, B));
        mid
    }

    /// Where bodies at rest are from their anchors as the step begins.
    fn lead(&mut self, bodies: Bodies) {
        if !self.rests {
            return;
        }
        let q = self.strayed(bodies, [&bodies.0.X, &bodies.1.X]);
        self.stored[0] = self.stations.start_from(&self.anchored, &q);
        self.gaps[0] = self.start.strand.least.gap - q[0];
    }

    /// Normal and centre of load at mid-step, in the world.
    fn mid_of(&self, load: Option<StrandLoad>, X_WA: &Isometry3<f64>, X_WB: &Isometry3<f64>) -> Mid {
        let other = if self.mid.swapped { X_WB } else { X_WA };
        let sign = if self.mid.swapped { -1.0 } else { 1.0 };
        let least = &self.mid.strand.least;
        let (n, p, gap) =
            load.map_or((least.nhat_A, least.p_A, least.gap), |load| (load.nhat, load.centre, -load.depth));
        let n = other.rotation * n * sign;
        Mid {
            n,
            c: (other * nalgebra::Point3::from(p)).coords,
            grip: load.map(|load| load.face_grip()),
            to_A: if self.mid.swapped { 0.0 } else { -gap },
            gap,
        }
    }

    /// Rows that move the stations, and how each follows them; how many there are.
    fn span(&mut self, mid: &Mid, X_WA: &Isometry3<f64>, X_WB: &Isometry3<f64>) -> usize {
        let other = if self.mid.swapped { X_WB } else { X_WA };
        let sign = if self.mid.swapped { -1.0 } else { 1.0 };
        let list = self.mid.strand.stations();
        let size = self.curve.curve.length() * 0.25;
        let scaled = |k: usize| {
            let n = other.rotation * list[k].nhat_A * sign;
            let r = (other * nalgebra::Point3::from(list[k].p_A)).coords - mid.c;
            let turn = -r.cross(&n) / size;
            Vector6::new(turn.x, turn.y, turn.z, -n.x, -n.y, -n.z)
        };
        let first = Vector6::new(0.0, 0.0, 0.0, -mid.n.x, -mid.n.y, -mid.n.z);
        let mut spread = 0.0_f64;
        for station in list {
            spread = spread.max((other.rotation * station.nhat_A * sign - mid.n).norm_squared());
        }
        let E = tangent_basis(&mid.n);
        let mut axes = [0, 1].map(|i| {
            let x = E.column(i);
            Vector6::new(x[0], x[1], x[2], 0.0, 0.0, 0.0)
        });
        if spread > 1e-12 {
            let mut M = Matrix6::zeros();
            for k in 0..list.len() {
                let j = scaled(k);
                let rest = j - first * first.dot(&j);
                M += rest * rest.transpose() * self.nodes.strand.stations()[k].length;
            }
            let eigen = M.symmetric_eigen();
            let mut order = [0, 1, 2, 3, 4, 5];
            order.sort_by(|i, j| eigen.eigenvalues[*j].total_cmp(&eigen.eigenvalues[*i]));
            axes = [0, 1].map(|i| {
                let axis: Vector6<f64> = eigen.eigenvectors.column(order[i]).into();
                (axis - first * first.dot(&axis)).normalize()
            });
        }
        let rows = [first, axes[0], axes[1]];
        for k in 0..list.len() {
            let j = scaled(k);
            self.stations.arms[k] = Vector3::new(rows[0].dot(&j), rows[1].dot(&j), rows[2].dot(&j));
        }
        let count = list.len();
        let carrier = if self.mid.swapped { X_WA } else { X_WB };
        let axis = carrier.rotation * (self.curve.curve.X_BS.rotation * Vector3::z());
        self.stations.axis = Vector3::from(rows.map(|row| row[0] * axis.x + row[1] * axis.y + row[2] * axis.z));
        self.rows = rows.map(|row| (Vector3::new(row[0], row[1], row[2]) * size, Vector3::new(row[3], row[4], row[5])));
        count
    }

    /// How much further the stations came along the first row than displacements u led them, by their stiffness (m).
    pub fn beyond(&self, u: &Vector3<f64>) -> f64 {
        let (mut sum, mut weight) = (0.0, 0.0);
        for ((arm, depth, spring), end) in self.stations.iter().zip(&self.ends) {
            let stiff = spring.load(depth.max(*end));
            if stiff > 0.0 && end.is_finite() {
                sum += stiff * (end - depth - arm.dot(u));
                weight += stiff * arm[0];
            }
        }
        if weight > 0.0 { sum / weight } else { 0.0 }
    }
}

/// Energy of pressing of a curve at poses of the bodies (J).
pub fn energy(between: Between, curve: &StrandPlace, X: [&Isometry3<f64>; 2]) -> f64 {
    let (a, b) = between.shapes();
    let (X_WA, X_WB) = between.frames(X[0], X[1]);
    let mut room = between.law.law.strand_room();
    curve.find(a, b, &X_WA.inv_mul(&X_WB), 0.0, &mut room);
    between.law.law.strand_carried(&room, &curve.curve).map_or(0.0, |load| load.energy)
}

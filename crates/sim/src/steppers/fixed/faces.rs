//! # Faces: flat parts on each other over a fixed step
//!
//! `candidates` ──(which contacts are faces)──▶ **here** ──(region at mid-step, depth over it, frozen laws)──▶ `rows`, `press`
//!
//! - **in**: two faces, poses and velocities of their bodies
//! - **out**: [`Face`]: the shared region and its depth at the start, at mid-step and at the end
//! - **not here**: loads (`press`); points (`candidates`)
//! - **assumes**: over a step the region is that of mid-step as velocities guess it
//! - **start at** [`Face::begin`], [`Face::place`], [`Face::look`]
//!
//! Depth is told by q: at the centroid, and its slopes along two axes that go with the region. The centroid goes with the face
//! that has an end; between two of them with the mean of both bodies, whose normal the region has. What the region does by
//! itself, where a block slides over an edge say, is no motion's doing: it shows in the ledger as modulation.

use super::candidates::{Candidate, set_of};
use super::press::{Bed, Press, radius};
use super::site::Carry;
use super::solver_body::SolverBody;
use super::strands::{Along, Between, energy};
use crate::contacts::place::Place;
use crate::model::Model;
use crate::model::interactions::PairLaw;
use crate::run::Stop;
use crate::state::{ContactState, State};
use fingerpad_contact::law::{FaceGrip, LawError};
use fingerpad_contact::track::{ContactSet, FaceContact, StrandPlace, tangent_basis};
use nalgebra::{Isometry3, Matrix3x2, Vector2, Vector3};

/// Two faces over one step.
#[derive(Clone, Debug)]
pub struct Face {
    /// Place in the list of contacts to look at.
    pub k: usize,
    /// Place in the state's list.
    pub slot: usize,
    /// At the start, at mid-step, at the end.
    pub start: FaceContact,
    pub mid: FaceContact,
    pub end: FaceContact,
    /// The law over this step.
    pub press: Press,
    /// What they offer along each other, in the middle of that part of the step that is in contact.
    pub grip: Option<FaceGrip>,
    /// Normal and axes at the start.
    pub n0: Vector3<f64>,
    pub E0: Matrix3x2<f64>,
    /// Centroid at the start.
    c0: Vector3<f64>,
    /// At mid-step: normal, axes, centroid, centre of load.
    pub n: Vector3<f64>,
    pub E: Matrix3x2<f64>,
    pub c: Vector3<f64>,
    pub p: Vector3<f64>,
    /// Half the turn of the axes about the normal (rad).
    half_spin: f64,
    /// Axes across which turning changes the slopes: those of the faces themselves, laid into the plane of the region.
    pub along: Matrix3x2<f64>,
    /// Depth at the end as geometry has it, in the axes of mid-step.
    pub q1: Vector3<f64>,
    /// Rows about the centroid, or the centre of load of a curve: on turning, on the velocity there.
    pub rows: [(Vector3<f64>, Vector3<f64>); 3],
    /// A curve in place of faces.
    pub strand: Option<Box<Along>>,
}

/// The faces of a step, the first `count` of them.
#[derive(Clone, Debug, Default)]
pub struct Faces {
    list: Vec<Face>,
    count: usize,
}

impl Faces {
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub fn list(&self) -> &[Face] {
        &self.list[..self.count]
    }

    pub fn list_mut(&mut self) -> &mut [Face] {
        &mut self.list[..self.count]
    }

    /// The face that is the contact at a place in the list of contacts to look at.
    pub fn of(&self, k: usize) -> Option<&Face> {
        let list = self.list();
        list.binary_search_by_key(&k, |face| face.k).ok().map(|i| &list[i])
    }

    /// All faces among contacts to look at, where they are at the start.
    pub fn begin(
        &mut self,
        model: &Model,
        state: &State,
        solver_bodies: &[SolverBody],
        candidates: &[Candidate],
        sets: impl Fn(usize) -> u32,
    ) {
        self.count = 0;
        for (k, slot) in candidates.iter().map(Candidate::slot).enumerate() {
            let contact = &state.contacts[slot];
            let faces = match contact.place {
                Place::Face(faces) => faces,
                Place::Strand(_) => [0; 2],
                _ => continue,
            };
            if self.list.len() == self.count {
                self.list.push(Face::empty());
            }
            let face = &mut self.list[self.count];
            self.count += 1;
            (face.k, face.slot) = (k, slot);
            if let Place::Strand(curve) = contact.place {
                face.begin_strand(model, curve, contact, solver_bodies);
                continue;
            }
            face.strand = None;
            let set = set_of(state, sets(slot));
            face.begin(model, set, faces, contact, solver_bodies);
        }
    }
}

/// Which bodies move how, as far as guessed.
pub type Bodies<'a> = (&'a SolverBody, &'a SolverBody);

impl Face {
    fn empty() -> Self {
        let zero = Vector3::zeros();
        Self {
            k: 0,
            slot: 0,
            start: FaceContact::default(),
            mid: FaceContact::default(),
            end: FaceContact::default(),
            press: Press::NONE,
            grip: None,
            n0: zero,
            E0: Matrix3x2::zeros(),
            c0: zero,
            n: zero,
            E: Matrix3x2::zeros(),
            c: zero,
            p: zero,
            half_spin: 0.0,
            along: Matrix3x2::zeros(),
            q1: zero,
            rows: [(zero, zero); 3],
            strand: None,
        }
    }

    /// Whether this is a curve of bodies at rest, told at their anchors.
    pub fn is_anchored(&self) -> bool {
        self.strand.as_ref().is_some_and(|along| along.rests())
    }

    /// What is pressed.
    pub fn bed(&self) -> Bed<'_> {
        match &self.strand {
            Some(along) => Bed::Stations(&along.stations),
            None => Bed::Region(&self.mid.region),
        }
    }

    fn begin_strand(
        &mut self,
        model: &Model,
        curve: StrandPlace,
        contact: &ContactState,
        solver_bodies: &[SolverBody],
    ) {
        let pair = &contact.pair;
        let along = self.strand.get_or_insert_with(|| Box::new(Along::empty(curve)));
        along.curve = curve;
        let (a, b) = (pair.a.0, pair.b.0);
        let between = Between { model, pair, law: model.law(pair) };
        let bodies = (&solver_bodies[a], &solver_bodies[b]);
        self.start.pair = along.begin(between, bodies);
        (self.start.area, self.end.area) = (1.0, 1.0);
        let X_WA = model.frame(a, &bodies.0.X);
        self.n0 = X_WA.rotation * self.start.pair.nhat_AB_A;
        self.E0 = X_WA.rotation.to_rotation_matrix() * self.start.pair.E_A;
        self.c0 = (X_WA * self.start.pair.p_ACa).coords;
    }

    /// A curve over the step: stations, rows, springs.
    fn place_strand(&mut self, model: &Model, contact: &ContactState, pair_law: &PairLaw, bodies: Bodies, h: f64) {
        let (PairLaw { law, alpha, .. }, Some(along)) = (pair_law, &mut self.strand) else { return };
        let between = Between { model, pair: &contact.pair, law: pair_law };
        let mid = along.place(between, bodies, h);
        (self.n, self.c, self.E) = (mid.n, mid.c, tangent_basis(&mid.n));
        (self.along, self.rows, self.grip) = (self.E, along.rows, mid.grip);
        self.p = self.c + self.n * (mid.to_A + alpha * mid.gap);
        let press = &mut self.press;
        *press = Press {
            area: 1.0,
            radius: along.curve.curve.length(),
            hunt_crossley: law.damping.hunt_crossley,
            damper: law.damping.normal,
            rate: 1.0 / h,
            ..Press::NONE
        };
        press.start = press.at(Bed::Stations(&along.stations), &Vector3::zeros());
        let c = self.c;
        let begun = |body: &SolverBody| {
            let (w, v) = (body.start_turning(), body.start_velocity());
            (w, v + w.cross(&(c - body.middle(h))))
        };
        let ((w_A, v_A), (w_B, v_B)) = (begun(bodies.0), begun(bodies.1));
        press.rate0 = Vector3::from(self.rows.map(|(turn, along)| turn.dot(&(w_B - w_A)) + along.dot(&(v_B - v_A))));
    }

    fn begin(
        &mut self,
        model: &Model,
        set: Option<&ContactSet>,
        faces: [usize; 2],
        contact: &ContactState,
        solver_bodies: &[SolverBody],
    ) {
        let (a, b) = (contact.pair.a.0, contact.pair.b.0);
        let X_WA = model.frame(a, &solver_bodies[a].X);
        follow(set, faces, &X_WA.inv_mul(&model.frame(b, &solver_bodies[b].X)), contact.rest_offset, &mut self.start);
        let pair = &self.start.pair;
        self.n0 = X_WA.rotation * pair.nhat_AB_A;
        self.E0 = X_WA.rotation.to_rotation_matrix() * pair.E_A;
        self.c0 = (X_WA * pair.p_ACa).coords;
    }

    /// Centroid at the start, in the world.
    pub fn centre(&self) -> Vector3<f64> {
        self.c0
    }

    /// Least gap at the start as the law sees it (m).
    pub fn gap(&self) -> f64 {
        self.strand.as_ref().map_or_else(|| least_gap(&self.start), |along| along.gaps[0])
    }

    /// Depth of the deepest point at the end of the step as the velocities guessed would have it (m).
    pub fn expected_approach(&mut self, between: Between, (A, B): Bodies, h: f64) -> f64 {
        if let Some(along) = &mut self.strand {
            return along.expected_approach(between, (A, B), h);
        }
        if self.start.area <= 0.0 {
            return f64::NEG_INFINITY;
        }
        let at = |body: &SolverBody| {
            let w = body.turning();
            (w, body.v_step + w.cross(&(self.c0 - body.X.translation.vector)))
        };
        let ahead = rates(&self.n0, &self.E0, at(A), at(B)) * h;
        let slope = Vector2::new(ahead[1], ahead[2]) - self.start.tilt;
        ahead[0] - self.start.pair.gap + self.start.region.support(&slope)
    }

    /// The region at mid-step and the law over it.
    pub fn place(
        &mut self,
        model: &Model,
        set: Option<&ContactSet>,
        contact: &ContactState,
        pair_law: &PairLaw,
        (A, B): Bodies,
        h: f64,
    ) -> Result<(), LawError> {
        if self.strand.is_some() {
            self.place_strand(model, contact, pair_law, (A, B), h);
            return Ok(());
        }
        let PairLaw { law, alpha, .. } = pair_law;
        let half = 0.5 * h;
        let [X_WA, X_WB] =
            [(contact.pair.a.0, A), (contact.pair.b.0, B)].map(|(i, body)| model.frame(i, &body.end_pose(half)));
        if !follow(set, self.start.faces, &X_WA.inv_mul(&X_WB), contact.rest_offset, &mut self.mid) {
            self.mid.clone_from(&self.start);
        }
        let mid = &mut self.mid;
        self.n = X_WA.rotation * mid.pair.nhat_AB_A;
        self.E = X_WA.rotation.to_rotation_matrix() * mid.pair.E_A;
        self.c = (X_WA * mid.pair.p_ACa).coords;
        self.along = X_WA.rotation.to_rotation_matrix() * mid.laid();
        self.half_spin = half * spin(mid, &self.n, &self.E, &A.turning(), &B.turning());
        let tilt = Carry::after(&self.n0, &self.n, self.half_spin).of(&(self.E0 * self.start.tilt));
        let slope = -self.E.tr_mul(&tilt);
        // Where the centroid of mid-step was at the start.
        let back =
            if mid.lean == 0.5 { self.c - middling(&self.c, (A, B), h) * half - self.c0 } else { Vector3::zeros() };
        let gap = self.start.gap_at(&self.E0.tr_mul(&back).into());
        let press = &mut self.press;
        *press = Press {
            kappa: law.face_modulus(mid)?,
            area: mid.area,
            second: mid.second,
            radius: radius(&mid.region),
            q0: Vector3::new(-gap, slope.x, slope.y),
            hunt_crossley: law.damping.hunt_crossley,
            damper: law.damping.normal,
            rate: 1.0 / h,
            ..Press::NONE
        };
        press.start = press.at(Bed::Region(&mid.region), &press.q0);
        let turns = [0, 1].map(|i| (self.n.cross(&self.along.column(i)), Vector3::zeros()));
        self.rows = [(Vector3::zeros(), -self.n), turns[0], turns[1]];
        let c = self.c;
        let at = |body: &SolverBody, w: Vector3<f64>, v: Vector3<f64>| (w, v + w.cross(&(c - body.middle(h))));
        let guess = |body: &SolverBody| at(body, body.turning(), body.v_step);
        let begun = |body: &SolverBody| at(body, body.start_turning(), body.start_velocity());
        let step = rates(&self.n, &self.along, guess(A), guess(B)) * h;
        press.rate0 = rates(&self.n, &self.along, begun(A), begun(B));

        // What friction has, in the middle of that part of the step that is in contact.
        let bed = Bed::Region(&mid.region);
        let (d0, d1) = (press.deepest(bed, &press.q0), press.deepest(bed, &(press.q0 + step)));
        let share = match (d0 > 0.0, d1 > 0.0) {
            (true, true) => 0.5,
            (false, true) => 0.5 * (1.0 + d0 / (d0 - d1)),
            (true, false) => 0.5 * d0 / (d0 - d1),
            (false, false) => 1.0,
        };
        let q = press.q0 + step * share;
        mid.pair.gap = -q[0];
        mid.tilt = -Vector2::new(q[1], q[2]);
        self.grip = law.face_grip(mid)?;
        press.centre = self.grip.map_or(Vector2::zeros(), |grip| grip.centre);
        self.p = self.c + self.along * press.centre + self.n * (alpha * mid.gap_at(&press.centre.into()));
        Ok(())
    }

    /// Stiffness by which rows of (depth, slopes) are judged: the larger of start and end as guessed.
    pub fn stiffest(&self, u: &Vector3<f64>) -> Vector3<f64> {
        let end = self.press.at(self.bed(), &(self.press.q0 + u));
        let found = self.press.start.slope.diagonal().sup(&end.slope.diagonal());
        if found[0] > 0.0 || self.strand.is_some() { found } else { self.press.whole().diagonal() }
    }

    /// Where the faces are at the end of the step; whether they go on as a contact.
    pub fn look(
        &mut self,
        model: &Model,
        set: Option<&ContactSet>,
        contact: &ContactState,
        (bodies, h): (Bodies, f64),
        ends: &[Isometry3<f64>],
    ) -> bool {
        let (a, b) = (contact.pair.a.0, contact.pair.b.0);
        if let Some(along) = &mut self.strand {
            let between = Between { model, pair: &contact.pair, law: model.law(&contact.pair) };
            let X = [&ends[a], &ends[b]];
            if let Some(pair) = along.stay(bodies, X) {
                self.end.pair = pair;
                return true;
            }
            let (pair, goes_on) = along.look(between, X);
            self.end.pair = pair;
            return goes_on;
        }
        let X_WA = model.frame(a, &ends[a]);
        let X_AB = X_WA.inv_mul(&model.frame(b, &ends[b]));
        let found = follow(set, self.start.faces, &X_AB, contact.rest_offset, &mut self.end);
        let pair = &self.end.pair;
        let n1 = X_WA.rotation * pair.nhat_AB_A;
        let tilt = X_WA.rotation * (pair.E_A * self.end.tilt);
        // Back to mid-step.
        let slope = -self.E.tr_mul(&Carry::after(&n1, &self.n, -self.half_spin).of(&tilt));
        let ahead = match self.end.lean == 0.5 {
            // Where the centroid of mid-step is at the end, with the motions found.
            true => self.c + middling(&self.c, bodies, h) * (0.5 * h) - (X_WA * pair.p_ACa).coords,
            false => Vector3::zeros(),
        };
        let place = pair.E_A.tr_mul(&X_WA.rotation.inverse_transform_vector(&ahead));
        self.q1 = Vector3::new(-self.end.gap_at(&place.into()), slope.x, slope.y);
        found && set.is_some_and(|set| set.face_goes_on(&self.end))
    }

    /// Least gap at the end as the law sees it (m); infinite where there was nothing at the start, and the list is out of date.
    pub fn end_gap(&self) -> f64 {
        if let Some(along) = &self.strand {
            return along.gaps[1];
        }
        if self.start.area > 0.0 { least_gap(&self.end) } else { f64::INFINITY }
    }
}

fn least_gap(face: &FaceContact) -> f64 {
    if face.area > 0.0 { face.least_gap() } else { f64::INFINITY }
}

/// Mean velocity of both bodies at a place of mid-step.
fn middling(p: &Vector3<f64>, (A, B): Bodies, h: f64) -> Vector3<f64> {
    let at = |body: &SolverBody| body.v_step + body.turning().cross(&(p - body.middle(h)));
    (at(A) + at(B)) * 0.5
}

/// The faces at a pose, their gap as the law sees it; no area where they share nothing.
fn follow(
    set: Option<&ContactSet>,
    faces: [usize; 2],
    X_AB: &Isometry3<f64>,
    rest_offset: f64,
    room: &mut FaceContact,
) -> bool {
    room.faces = faces;
    if set.is_some_and(|set| set.follow_face(faces, X_AB, room)) {
        room.pair.gap += rest_offset;
        return true;
    }
    room.area = 0.0;
    false
}

/// How fast the axes of a region turn about its normal n (rad/s). It is laid into its plane by the least turn of the faces
/// with an end: with t the tilt, θ the angle and Δw = w_B − w_A, a face of B on one without end by
///
/// ```text
/// w_B·n − Δw·t/(1 + cos θ),    |t| = sin θ
/// ```
fn spin(face: &FaceContact, n: &Vector3<f64>, E: &Matrix3x2<f64>, w_A: &Vector3<f64>, w_B: &Vector3<f64>) -> f64 {
    let cos = (1.0 - face.tilt.norm_squared()).max(0.0).sqrt();
    let across = (w_B - w_A).dot(&(E * face.tilt));
    if face.lean == 0.5 {
        0.5 * n.dot(&(w_A + w_B)) - across / 8.0
    } else {
        n.dot(if face.lean > 0.5 { w_B } else { w_A }) - across / (1.0 + cos)
    }
}

/// Turning of a body, and its velocity at some place.
type Motion = (Vector3<f64>, Vector3<f64>);

/// Rates of depth and slopes from the motions of both bodies at the centroid.
fn rates(n: &Vector3<f64>, E: &Matrix3x2<f64>, (w_A, v_A): Motion, (w_B, v_B): Motion) -> Vector3<f64> {
    let slopes = E.tr_mul(&(w_B - w_A).cross(n));
    Vector3::new(-n.dot(&(v_B - v_A)), slopes.x, slopes.y)
}

/// Energy of pressing of all faces of a state (J), by place in its list; nothing is done where there are none.
pub fn energies(model: &Model, state: &State, room: &mut FaceContact, list: &mut Vec<f64>) -> Result<(), Stop> {
    list.clear();
    for (i, contact) in state.contacts.iter().enumerate() {
        if let Place::Strand(curve) = &contact.place {
            list.resize(state.contacts.len(), 0.0);
            let (pair, X) = (&contact.pair, |i: usize| &state.bodies[i].X_WBcm);
            let between = Between { model, pair, law: model.law(pair) };
            list[i] = energy(between, curve, [X(pair.a.0), X(pair.b.0)]);
        }
        let Place::Face(faces) = contact.place else { continue };
        list.resize(state.contacts.len(), 0.0);
        let order = contact.pair.order();
        let near = state.near.binary_search_by_key(&order, |pair| pair.order()).ok();
        let set = near.and_then(|i| state.near[i].set());
        let frame = |i: usize| model.frame(i, &state.bodies[i].X_WBcm);
        let X_AB = frame(contact.pair.a.0).inv_mul(&frame(contact.pair.b.0));
        if follow(set, faces, &X_AB, contact.rest_offset, room) {
            let law = &model.law(&contact.pair).law;
            let grip = law.face_grip(room).map_err(|error| Stop::Law { pair: contact.pair, error })?;
            list[i] = grip.map_or(0.0, |grip| grip.energy);
        }
    }
    Ok(())
}

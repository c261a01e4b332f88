//! # Contact update: near pairs and contacts after a step
//!
//! - **in**: a state whose bodies have moved; what its contacts store
//! - **out**: the same state with its lists up to date
//! - **start at** [`update_contacts`]
//!
//! Contacts that end leave their sums to [`Spent`](crate::state::Spent). What points still hold along the patch goes to those
//! born pressed in their stead, the nearest first, as where a place runs off over a ridge; else it is let go. What they
//! change of the energy of pressing is no motion's doing and has a line of its own.
//!
//! **Length.** What dies leaves its springs to what is born in its stead, so that deaths, births and inheritance are one pass (`update_lists`).

use super::advancement::{AHEAD, RESERVE, ahead, closing, enough};
use super::rules::{has_modulation, pressed_mode};
use super::through::{self, OPPOSITE};
use super::{BroadPhase, NearPair, Tracked, is_closest, limits};
use crate::contacts::place::{Carrier, Place, meet};
use crate::model::Model;
use crate::model::interactions::{Pair, PairLaw, Places};
use crate::run::Stop;
use crate::state::{ContactMode, ContactState, Spent, State};
use fingerpad_contact::law::{Memory, transport};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::track::seed::body_size;
use fingerpad_contact::track::{Contact, ContactSet, FaceContact, FaceLimits, StrandContact, TrackError, Tracker};
use nalgebra::{Isometry3, Point3, Vector3};

/// Gaps that differ by less than this share are those of the same place.
const SAME: f64 = 1e-9;
/// And by this much (m), as places round.
const ROUNDING: f64 = 1e-12;

/// What to make of contacts that are born pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overlap {
    /// So they are given: at the start.
    Given,
    /// They take over from others: see [`ContactState::rest_offset`].
    TakesOver,
    /// Nothing: contacts are rigid and store nothing.
    Rigid,
}

/// Which pairs a renewal looks at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scope {
    /// All of them.
    All,
    /// Those whose budget does not last for a step of this length (s); others where the broad phase looks.
    Due {
        /// Length of the step (s).
        h: f64,
        /// Whether the broad phase looks.
        look: bool,
    },
}

/// Renews near pairs and contacts at the present poses. `held` says what the contact of an index in the list so far
/// stores by pressing and along the patch (J), at these poses.
///
/// Allocates only where lists grow beyond what they were, where pairs with several contacts become near, and where those
/// are searched for.
pub(crate) fn update_contacts(
    model: &Model,
    state: &mut State,
    broad: &mut BroadPhase,
    overlap: Overlap,
    scope: Scope,
    held: impl Fn(usize, &ContactState) -> (f64, f64),
) -> Result<(), Stop> {
    // Bodies that move far in a step are looked for as far.
    let h = if let Scope::Due { h, .. } = scope { h } else { 0.0 };
    if let Scope::Due { look: false, .. } = scope {
        broad.place(model, &state.bodies);
    } else {
        let rooms = model.extents().iter().zip(&state.bodies);
        let rooms = rooms.map(|(extent, now)| extent.room.max(AHEAD * h * extent.speed(&now.V_WBcm)));
        state.rooms.clear();
        state.rooms.extend(rooms);
        broad.look(model, &state.bodies, &state.rooms);
    }
    // Rigid contacts have no energy: a face is enough for its corners.
    let rigid = overlap == Overlap::Rigid;
    state.near.iter_mut().filter_map(NearPair::set_mut).for_each(|set| set.join_corners(!rigid));
    update_pairs(model, state, broad, scope)?;
    let renewed = update_lists(model, state, broad, overlap, held);
    // Only of this renewal: no part of what a state remembers.
    state.near.iter_mut().for_each(|near| near.fresh = false);
    renewed
}

/// Looks at one pair where it is due, and gives it a new budget.
fn look_at(
    model: &Model,
    state: &State,
    near: &mut NearPair,
    frames: &[Isometry3<f64>],
    scope: Scope,
) -> Result<(), Stop> {
    let pair = near.pair;
    near.fresh = false;
    let Tracked::Several(set) = &mut near.tracked else { return Ok(()) };
    if let Scope::Due { h, .. } = scope {
        let way = h * closing(model, state, &pair);
        if near.budget >= enough(way, set.size()) {
            return Ok(());
        }
        set.look_further(ahead(way, set.size()));
    }
    let (a, b) = (&model.bodies()[pair.a.0].shape, &model.bodies()[pair.b.0].shape);
    let X_AB = frames[pair.a.0].inv_mul(&frames[pair.b.0]);
    set.update(a, b, &X_AB).map_err(|error| Stop::Track { pair, error })?;
    near.budget = set.clearance(RESERVE * set.size());
    near.fresh = true;
    Ok(())
}

fn update_pairs(model: &Model, state: &mut State, broad: &mut BroadPhase, scope: Scope) -> Result<(), Stop> {
    if let Scope::Due { look: false, .. } = scope {
        let mut near = std::mem::take(&mut state.near);
        let looked = near.iter_mut().try_for_each(|near| look_at(model, state, near, &broad.frames, scope));
        state.near = near;
        return looked;
    }
    std::mem::swap(&mut state.near, &mut broad.near);
    state.near.clear();
    let mut old = broad.near.drain(..).peekable();
    for &(i, j, within) in &broad.found {
        // Both lists are in order of the bodies.
        while old.next_if(|near| near.order() < (i, j)).is_some() {}
        let before = old.next_if(|near| near.order() == (i, j));
        if !within && before.is_none() {
            continue;
        }
        let Some(pair) = model.between(i, j) else { continue };
        let (a, b) = (&model.bodies()[pair.a.0].shape, &model.bodies()[pair.b.0].shape);
        let X_AB = broad.frames[pair.a.0].inv_mul(&broad.frames[pair.b.0]);
        let stop = |error: TrackError| Stop::Track { pair, error };
        let near = match before {
            Some(mut near) => {
                look_at(model, state, &mut near, &broad.frames, scope)?;
                near
            }
            None if is_closest(model.law(&pair).places, a, b) => {
                NearPair { pair, tracked: Tracked::Closest, budget: f64::INFINITY, fresh: true }
            }
            None => {
                let PairLaw { places, law, .. } = model.law(&pair);
                let all = *places == Places::All;
                let faces = FaceLimits { faces: all, strands: all && law.has_strands(), ..FaceLimits::default() };
                let mut limits = limits(a, b);
                if let Scope::Due { h, .. } = scope {
                    limits.birth = limits.birth.max(ahead(h * closing(model, state, &pair), body_size(a, b)));
                    limits.death = limits.death.max(1.5 * limits.birth);
                }
                let set = ContactSet::with_face_limits(a, b, &X_AB, limits, faces).map_err(stop)?;
                let budget = set.clearance(RESERVE * set.size());
                NearPair { pair, tracked: Tracked::Several(Box::new(set)), budget, fresh: true }
            }
        };
        state.near.push(near);
    }
    Ok(())
}

fn update_lists(
    model: &Model,
    state: &mut State,
    broad: &mut BroadPhase,
    overlap: Overlap,
    held: impl Fn(usize, &ContactState) -> (f64, f64),
) -> Result<(), Stop> {
    let State { near, contacts, spent, .. } = state;
    let BroadPhase { frames, contacts: last, room, born, ended, .. } = broad;
    std::mem::swap(contacts, last);
    contacts.clear();
    let mut old = last.drain(..).enumerate().peekable();
    // Takes the sums of a contact that ends; the energy of pressing that it leaves.
    let end = |spent: &mut Spent, ended: &mut Vec<Ended>, (i, contact): (usize, ContactState)| {
        let (law, held) = (&model.law(&contact.pair).law, held(i, &contact));
        spent.take(&contact, held, has_modulation(law, &contact.place));
        if let (Overlap::TakesOver, Some(pair), true) = (overlap, contact.place.pair(), held.1 > 0.0) {
            let Memory { x_W, x_theta, nhat_W, .. } = contact.memory;
            ended.push(Ended { p_ACa: pair.p_ACa, x_W, x_theta, nhat_W, energy: held.1 });
        }
        held.0
    };
    for near in near.iter() {
        let (a, b) = near.order();
        while let Some(one) = old.next_if(|(_, c)| c.pair.order() < (a, b)) {
            end(spent, ended, one);
        }
        ended.clear();
        if !near.fresh {
            // Nothing was looked at: all is as it was.
            while let Some((_, contact)) = old.next_if(|(_, c)| c.pair.order() == (a, b)) {
                contacts.push(contact);
            }
            continue;
        }
        let mut here = Here { model, frames, near, room };
        let mut left = 0.0;
        let mut deepest = None;
        born.clear();
        for (id, place) in Listed::of(near) {
            while let Some(one) = old.next_if(|(_, c)| c.order() < (a, b, id)) {
                here.leave(&one.1, &mut deepest);
                here.leave_face(&one.1, &mut deepest);
                left += end(spent, ended, one);
            }
            match old.next_if(|(_, c)| c.order() == (a, b, id)) {
                Some((i, mut contact)) => {
                    let before = held(i, &contact).0;
                    let last = contact.place.pair().map(|pair| (pair.gap, pair.nhat_AB_A));
                    here.leave(&contact, &mut deepest);
                    contact.place = place.unwrap_or(contact.place);
                    if overlap != Overlap::Rigid
                        && let Some(depth) = here.go_on(&mut contact, last, before, spent)?
                    {
                        born.push((contacts.len(), depth));
                    }
                    contacts.push(contact);
                }
                None => {
                    let place = place.map_or_else(|| here.closest(), Ok)?;
                    let mut contact = ContactState::free(near.pair, id, place);
                    if overlap != Overlap::Rigid {
                        let (gap, energy) = here.pressing(&contact)?;
                        let joined = near.set().is_some_and(ContactSet::is_joined);
                        if gap < 0.0 && (joined || matches!(contact.place, Place::Strand(_))) {
                            // The energy is that of the pose: nothing of the depth is forgiven.
                            contact.stored += energy;
                            spent.E_num -= energy;
                            contact.mode = pressed_mode(&model.law(&near.pair).law);
                        } else if gap < 0.0 {
                            born.push((contacts.len(), -gap));
                        }
                    }
                    contacts.push(contact);
                }
            }
        }
        while let Some(one) = old.next_if(|(_, c)| c.pair.order() == (a, b)) {
            here.leave(&one.1, &mut deepest);
            here.leave_face(&one.1, &mut deepest);
            left += end(spent, ended, one);
        }
        if overlap != Overlap::Given {
            here.check_sides(deepest)?;
        }
        let most = if overlap == Overlap::Given { f64::INFINITY } else { left };
        here.press(contacts, born, most, spent)?;
        ended.iter().for_each(|one| here.inherit(one, contacts, born, spent));
    }
    old.for_each(|one| {
        end(spent, ended, one);
    });
    Ok(())
}

/// What a contact between points held along its patch when it ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended {
    p_ACa: Point3<f64>,
    /// As in its [`Memory`].
    x_W: Vector3<f64>,
    x_theta: f64,
    nhat_W: Vector3<f64>,
    /// In its springs (J).
    energy: f64,
}

/// A near pair at the present poses.
struct Here<'a> {
    model: &'a Model,
    frames: &'a [Isometry3<f64>],
    near: &'a NearPair,
    room: &'a mut FaceContact,
}

impl Here<'_> {
    /// Notes the deepest pressed contact between points as it was followed to here: depth (m) and normal, in A.
    fn leave(&self, contact: &ContactState, deepest: &mut Option<(f64, Vector3<f64>)>) {
        let Some(pair) = contact.place.pair().filter(|_| contact.mode != ContactMode::Free) else { return };
        if deepest.is_none_or(|(depth, _)| -pair.gap > depth) {
            *deepest = Some((-pair.gap, pair.nhat_AB_A));
        }
    }

    /// Notes a pressed contact between faces that ended, as it would be here, if it is the deepest.
    fn leave_face(&mut self, contact: &ContactState, deepest: &mut Option<(f64, Vector3<f64>)>) {
        let (Place::Face(faces), Some(set)) = (&contact.place, self.near.set()) else { return };
        if contact.mode == ContactMode::Free {
            return;
        }
        let Pair { a, b, .. } = self.near.pair;
        let X_AB = self.frames[a.0].inv_mul(&self.frames[b.0]);
        if set.follow_face(*faces, &X_AB, self.room) && deepest.is_none_or(|(depth, _)| -self.room.least_gap() > depth)
        {
            *deepest = Some((-self.room.least_gap(), self.room.pair.nhat_AB_A));
        }
    }

    /// Whether the deepest contact now is on the opposite side of the deepest before, or nothing is left of it.
    fn check_sides(&self, deepest: Option<(f64, Vector3<f64>)>) -> Result<(), Stop> {
        let (Some((depth, before)), Tracked::Several(set)) = (deepest, &self.near.tracked) else { return Ok(()) };
        let pair = self.near.pair;
        let now = set.contacts().iter().min_by(|a, b| a.pair.gap.total_cmp(&b.pair.gap));
        let Some(now) = now.filter(|now| now.pair.gap < 0.0) else {
            if set.faces().iter().any(|face| face.least_gap() < 0.0) {
                return Ok(());
            }
            let p_W = || self.frames[pair.b.0] * Point3::origin();
            return through::check_gone(self.model, pair, depth, p_W);
        };
        let p_W = || self.frames[pair.a.0] * now.pair.p_ACa;
        through::check(self.model, pair, depth, (&before, &now.pair.nhat_AB_A), p_W)
    }

    /// The place of the closest points, found from scratch.
    fn closest(&self) -> Result<Place, Stop> {
        let Pair { a, b, .. } = self.near.pair;
        let (shape_A, shape_B) = (&self.model.bodies()[a.0].shape, &self.model.bodies()[b.0].shape);
        let X_AB = self.frames[a.0].inv_mul(&self.frames[b.0]);
        let found = Tracker::new(shape_A, shape_B, &X_AB);
        found.map(Place::Closest).map_err(|error| Stop::Track { pair: self.near.pair, error })
    }

    /// Gap as the law sees it (m) and energy of pressing (J) of a contact whose place belongs to these poses.
    fn pressing(&mut self, contact: &ContactState) -> Result<(f64, f64), Stop> {
        let (model, pair) = (self.model, self.near.pair);
        let [a, b] = [pair.a.0, pair.b.0].map(|i| Carrier {
            shape: &model.bodies()[i].shape,
            X_WB: self.frames[i],
            V_WB: SpatialVelocity::zero(),
        });
        let mut place = contact.place;
        if matches!(place, Place::Face(_)) {
            let X_AB = a.X_WB.inv_mul(&b.X_WB);
            let followed = place.follow(self.near.set(), (a.shape, b.shape), &X_AB, self.room);
            followed.map_err(|error| Stop::Track { pair, error })?;
        }
        let law = model.law(&pair);
        let stop = |error| Stop::Law { pair, error };
        let meeting = meet(&place, self.room, contact.rest_offset, law, &a, &b).map_err(stop)?;
        if meeting.gap >= 0.0 {
            return Ok((meeting.gap, 0.0));
        }
        let grip = meeting.offer.map_or_else(|| law.law.stiffness.grip(&meeting.site), |offer| Ok(offer.grip));
        Ok((meeting.gap, grip.map_err(stop)?.energy))
    }

    /// A contact that stays, with the gap and normal of its points and `before` (J) stored by pressing where it was followed to.
    /// The depth (m) of one that is free and overlaps all the same, forgiven or at another place than it was followed to: as good
    /// as born there.
    fn go_on(
        &mut self,
        contact: &mut ContactState,
        last: Option<(f64, Vector3<f64>)>,
        before: f64,
        spent: &mut Spent,
    ) -> Result<Option<f64>, Stop> {
        // The set found what was followed, but for rounding and places that were lost on the way.
        let jumped = match (last, contact.place.pair()) {
            (Some((gap, nhat_A)), Some(pair)) => {
                let jump = gap - pair.gap;
                let rounding = SAME * (gap.abs() + pair.gap.abs()) + ROUNDING;
                (jump.abs() > rounding).then_some((jump, nhat_A, pair.nhat_AB_A))
            }
            _ => None,
        };
        if contact.mode == ContactMode::Free {
            if contact.rest_offset <= 0.0 && jumped.is_none() {
                return Ok(None);
            }
            contact.rest_offset = 0.0;
            let gap = self.pressing(contact)?.0;
            return Ok((gap < 0.0).then_some(-gap));
        }
        if !matches!(contact.place, Place::Closest(_)) {
            // Pressed ones take over from where they were thought to be.
            if let Some((jump, from, to)) = jumped {
                contact.rest_offset += jump.max(0.0);
                let R_WA = &self.frames[self.near.pair.a.0].rotation;
                let (from, to) = (R_WA * from, R_WA * to);
                if from.dot(&to) > OPPOSITE {
                    contact.memory.x_W = transport(&contact.memory.x_W, &from, &to);
                    contact.memory.nhat_W = to;
                } else {
                    // Another side of the body: nothing of what held along the patch is left.
                    let held = contact.memory.energy();
                    contact.memory.clear();
                    contact.stored -= held;
                    spent.E_release += held;
                    if contact.mode == ContactMode::Slip {
                        contact.mode = pressed_mode(&self.model.law(&contact.pair).law);
                    }
                }
            }
            let jump = self.pressing(contact)?.1 - before;
            contact.stored += jump;
            spent.E_num -= jump;
        }
        Ok(None)
    }

    /// Contacts born at some depth (index, m), all of them pressed with at most the energy `most` (J): all by the same
    /// share of their depths.
    fn press(
        &mut self,
        contacts: &mut [ContactState],
        born: &[(usize, f64)],
        most: f64,
        spent: &mut Spent,
    ) -> Result<(), Stop> {
        if most <= 0.0 {
            born.iter().for_each(|&(i, depth)| contacts[i].rest_offset = depth);
        }
        if born.is_empty() || most <= 0.0 {
            return Ok(());
        }
        let mut energy = |share: f64| {
            let mut sum = 0.0;
            for &(i, depth) in born {
                contacts[i].rest_offset = (1.0 - share) * depth;
                sum += self.pressing(&contacts[i])?.1;
            }
            Ok(sum)
        };
        let mut share = 1.0;
        if energy(share)? > most {
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if energy(middle)? > most { high = middle } else { low = middle }
            }
            share = low;
        }
        spent.E_num -= energy(share)?;
        for &(i, _) in born.iter().filter(|_| share > 0.0) {
            contacts[i].stored += self.pressing(&contacts[i])?.1;
            contacts[i].mode = pressed_mode(&self.model.law(&contacts[i].pair).law);
        }
        Ok(())
    }
}

impl Here<'_> {
    /// Hands what an ended contact held to the nearest of those born pressed, if one has nothing yet. A load beyond its
    /// limit there is for the next step.
    fn inherit(&self, ended: &Ended, contacts: &mut [ContactState], born: &[(usize, f64)], spent: &mut Spent) {
        let far = |contact: &ContactState| {
            let has = contact.mode == ContactMode::Free || contact.memory.energy() > 0.0;
            contact.place.pair().filter(|_| !has).map(|pair| (pair.p_ACa - ended.p_ACa).norm())
        };
        let heirs = born.iter().filter_map(|&(i, _)| Some((far(&contacts[i])?, i)));
        let Some((_, heir)) = heirs.min_by(|one, other| one.0.total_cmp(&other.0)) else { return };
        let heir = &mut contacts[heir];
        let Some(pair) = heir.place.pair() else { return };
        let to = self.frames[self.near.pair.a.0].rotation * pair.nhat_AB_A;
        if ended.nhat_W.dot(&to) > ALIKE {
            heir.memory.x_W = transport(&ended.x_W, &ended.nhat_W, &to);
            (heir.memory.x_theta, heir.memory.nhat_W) = (ended.x_theta, to);
            heir.stored += ended.energy;
            spent.E_release -= ended.energy;
        }
    }
}

/// Cosine between normals up to which a load along one patch is one along another.
const ALIKE: f64 = 0.8;

/// The contacts of a near pair in order of their identities; no place for the one that has its own tracker.
struct Listed<'a> {
    single: bool,
    points: &'a [Contact],
    faces: &'a [FaceContact],
    strands: &'a [StrandContact],
}

impl<'a> Listed<'a> {
    fn of(near: &'a NearPair) -> Self {
        match &near.tracked {
            Tracked::Closest => Self { single: true, points: &[], faces: &[], strands: &[] },
            Tracked::Several(set) => {
                Self { single: false, points: set.contacts(), faces: set.faces(), strands: set.strands() }
            }
        }
    }
}

impl Iterator for Listed<'_> {
    type Item = (u64, Option<Place>);

    fn next(&mut self) -> Option<Self::Item> {
        if std::mem::take(&mut self.single) {
            return Some((0, None));
        }
        // The least identity of three lists comes next.
        let point = self.points.first().map_or(u64::MAX, |point| point.id);
        let face = self.faces.first().map_or(u64::MAX, |face| face.id);
        let strand = self.strands.first().map_or(u64::MAX, |strand| strand.id);
        if point < face.min(strand) {
            let (point, rest) = self.points.split_first()?;
            self.points = rest;
            return Some((point.id, Some(Place::Point(*point))));
        }
        if strand < face {
            let (strand, rest) = self.strands.split_first()?;
            self.strands = rest;
            return Some((strand.id, Some(Place::Strand(strand.place))));
        }
        let (face, rest) = self.faces.split_first()?;
        self.faces = rest;
        Some((face.id, Some(Place::Face(face.faces))))
    }
}

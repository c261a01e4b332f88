//! # Midway: rows of loaded contacts in the middle of the step
//!
//! `cache` ──(points at the start of the step)──▶ **here** ──(rows midway, what they turn by)──▶ `step`, `warm_start`
//!
//! - **in**: points, velocities before the step
//! - **out**: [`Scratch::go_midway`]: points whose rows are those of the middle of the step; [`ContactPoint::bend`]; [`Scratch::go_back`]
//! - **not here**: rows of faces, strands, links and guided bodies, of two bodies that both move by forces, and of bodies that are held
//!   by several contacts: these stay those of the start
//! - **assumes**: contact kinematics of the start hold over the step (`fingerpad_contact::track::rolling`)
//! - **start at** [`Scratch::go_midway`]
//!
//! Impulses along the rows J₀ of the start make rolling an affair of first order: a ball that rolls in a bowl has J₀V⁺ = 0 and
//! leaves the surface by the turn of its normal. A contact that carries load acts along the rows of the middle of the step, and is asked
//! for at its end:
//!
//! ```text
//! M (V⁺ − V) = h F + Σ J½ᵀ f,      J½ V⁺ + β in place of J₀ V⁺,      β = (J₁ − J½) V
//! ```
//!
//! The work of a contact that rolls is f·J½(V + V⁺)/2 = f·(J½V − β)/2, where J₀V = 0 leaves J₁ − 2J½ + J₀, the square of the step. Rows
//! J(τ) follow from the motion of the point, the turn of the normal and the spin of the axes at the start, and from V. Where inertia
//! turns with the body its velocity turns along after the step, so that moments are turned back to the axes of the start.
//!
//! **One contact.** Conditions J½V⁺ + β ≥ 0 along the normals of a ball that is wedged between walls could exclude each other, since β
//! follows from velocities that meet them only to the order of the step. So the body that moves must have no other loaded contact.
//! Where both move, as balls of a heap, gaps that are off by h³ to either side would be moved apart, and gain 1e-9 of the energy.

use super::constraint::{ContactPoint, dot};
use super::gyroscopic::is_even;
use super::step::Scratch;
use crate::model::Model;
use crate::model::body::Mobility;
use crate::state::State;
use fingerpad_contact::spatial::SpatialVelocity;
use nalgebra::{Matrix2, UnitQuaternion, Vector2, Vector3};

/// Axes that turn by more than this in a step (rad) stay those of its start.
const FAR: f64 = 0.2;
/// Bodies that come nearer to each other than by this share of the way of their point are landing.
const LANDS: f64 = 0.01;

/// Points as they were at the start of the step.
#[derive(Clone, Debug, Default)]
pub(super) struct Midway {
    start: Vec<(usize, ContactPoint)>,
    /// By body: how many of its points carried load in the last step.
    loaded: Vec<u32>,
}

impl Scratch {
    /// Takes rows of contacts that carry load to the middle of the step. Velocities before and without contacts are known.
    pub(super) fn go_midway(&mut self, model: &Model, state: &State, keep: f64, h: f64) {
        let mut room = std::mem::take(&mut self.midway);
        room.start.clear();
        room.loaded.clear();
        room.loaded.resize(state.bodies.len(), 0);
        let is_loaded = |point: &ContactPoint| {
            state.contacts[point.contact].rigid.points.get(point.slot).is_some_and(|force| force[0] > 0.0)
        };
        for point in self.cache.points.iter().filter(|point| is_loaded(point)) {
            point.bodies.into_iter().for_each(|body| room.loaded[body] += 1);
        }
        for k in 0..self.cache.points.len() {
            let point = &self.cache.points[k];
            let Some(curvatures) = point.curvatures.filter(|_| is_loaded(point)) else { continue };
            if !point.bodies.into_iter().all(|body| !self.moves[body] || room.loaded[body] == 1) {
                continue;
            }
            let Some(turning) = self.turning(point, &curvatures) else { continue };
            if !turning.turns(point, h, keep) {
                continue;
            }
            let [mut midway, end] = [0.5 * h, h].map(|time| self.carried(model, point, &turning, time));
            for side in 0..2 {
                let V = self.expected(side, point);
                (0..4).for_each(|r| midway.bend[r] += dot(&end.rows[side][r], V) - dot(&midway.rows[side][r], V));
            }
            room.start.push((k, *point));
            self.cache.points[k] = midway;
        }
        self.midway = room;
    }

    /// Takes all rows back to the start of the step, where the cache knows them.
    pub(super) fn go_back(&mut self) {
        for (k, point) in self.midway.start.drain(..) {
            self.cache.points[k] = point;
        }
    }

    /// The velocity that rows turn by: before the step, or as it is prescribed.
    fn expected(&self, side: usize, point: &ContactPoint) -> &SpatialVelocity {
        let body = point.bodies[side];
        if self.moves[body] { &self.before[body] } else { &self.after[body] }
    }

    /// Contact kinematics of a point.
    fn turning(&self, point: &ContactPoint, [A, B]: &[Matrix2<f64>; 2]) -> Option<Turning> {
        let [n, t1, t2] = &point.axes_W;
        let along = |x: &Vector3<f64>| Vector2::new(t1.dot(x), t2.dot(x));
        let [V_WA, V_WB] = [0, 1].map(|side| self.expected(side, point));
        let at = |side: usize, V: &SpatialVelocity| V.shift(point.p_W - self.cache.centre(point.bodies[side])).v;
        let (v_A, v_B) = (at(0, V_WA), at(1, V_WB));
        let M = A + B + B * A * point.found;
        // x_A = M⁻¹ (a + B s): the way of the point over A.
        let x_A = M.try_inverse()? * (along(&(V_WB.w - V_WA.w).cross(n)) + B * along(&(v_B - v_A)));
        let back = |x: Vector2<f64>| t1 * x.x + t2 * x.y;
        let n_rate = V_WA.w.cross(n) + back(A * x_A);
        let spin = 0.5 * n.dot(&(V_WA.w + V_WB.w));
        let closes = n.dot(&(v_B - v_A)).abs();
        let turning = Turning { closes, p_rate: v_A + back(x_A), w: n.cross(&n_rate) + n * spin };
        turning.p_rate.iter().chain(&turning.w).all(|x| x.is_finite()).then_some(turning)
    }

    /// A point after some time, by the kinematics of the start.
    fn carried(&self, model: &Model, point: &ContactPoint, turning: &Turning, time: f64) -> ContactPoint {
        let turn = UnitQuaternion::from_scaled_axis(turning.w * time);
        let (p_W, axes_W) = (point.p_W + turning.p_rate * time, point.axes_W.map(|axis| turn * axis));
        let mut carried = ContactPoint { p_W, q_W: p_W, axes_W, ..*point };
        for side in 0..2 {
            let (body, V) = (point.bodies[side], self.expected(side, point));
            carried.rows[side] = carried.jacobian(side, &(self.cache.centre(body) + V.v * time));
            if self.moves[body] && !is_even(&model.bodies()[body].I_BBcm_B) {
                let back = UnitQuaternion::from_scaled_axis(-V.w * time);
                for row in &mut carried.rows[side] {
                    let t = back * Vector3::new(row[0], row[1], row[2]);
                    (row[0], row[1], row[2]) = (t.x, t.y, t.z);
                }
            }
        }
        carried
    }
}

/// How fast the gap changes, motion of a point and turn of its axes (m/s, rad/s).
struct Turning {
    closes: f64,
    p_rate: Vector3<f64>,
    w: Vector3<f64>,
}

impl Turning {
    /// Whether rows turn at all in a step, and not too far.
    fn turns(&self, point: &ContactPoint, h: f64, keep: f64) -> bool {
        let turn = h * self.w.norm();
        // Ways are held against the arms of the rows.
        let arm =
            point.rows.iter().map(|rows| Vector3::new(rows[1][0], rows[1][1], rows[1][2]).norm()).fold(0.0, f64::max);
        let lands = self.closes > LANDS * self.p_rate.norm();
        turn <= FAR && !lands && (turn > keep || h * self.p_rate.norm() > keep * arm)
    }
}

/// Whether the rows of two bodies' contacts may be taken to the middle of the step: one is free, and none moves the other.
pub(super) fn may_turn(bodies: [&Mobility; 2]) -> bool {
    let given = |mobility: &Mobility| matches!(mobility, Mobility::Fixed | Mobility::Prescribed(_));
    match bodies {
        [Mobility::Free, other] | [other, Mobility::Free] => given(other),
        _ => false,
    }
}

//! # Rows at rest: bodies that hardly move keep the rows of their contacts
//!
//! - **in**: a contact between bodies at rest, at their linearisation poses
//! - **out**: the rows of the last step where nothing has changed, else new ones
//! - **not here**: which bodies rest (`resting`)
//! - **start at** [`ContactConstraint::rest`]

use super::super::law::Hold;
use super::super::site::Site;
use super::super::solver_body::SolverBody;
use super::{ContactConstraint, Role};
use crate::model::interactions::{Pair, PairLaw};
use crate::state::ContactState;
use fingerpad_contact::law::{LawError, Stiffness};
use fingerpad_contact::track::ClosestPair;
use nalgebra::{Isometry3, Matrix4, Point3, Vector3, Vector4};

/// What rows at rest hang on: the same again gives the same rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Kept {
    pub pair: Pair,
    pub id: u64,
    /// Anchors of both bodies.
    pub eras: (u64, u64),
    /// Its place.
    pub n: Vector3<f64>,
    pub p: Point3<f64>,
    pub gap: f64,
    pub rest_offset: f64,
    /// Length of the step, contacts on the busier body: for the blend.
    pub h: f64,
    pub busy: u32,
}

impl ContactConstraint {
    /// The same between bodies that rest: rows at their anchors, those of the last step where nothing has changed. `frame`
    /// gives the anchor of A.
    #[allow(clippy::too_many_arguments)] // as above
    pub fn rest(
        &mut self,
        slot: usize,
        contact: &ContactState,
        (pair, gap): (&ClosestPair, f64),
        pair_law: &PairLaw,
        frame: impl Fn() -> Isometry3<f64>,
        A: &SolverBody,
        B: &SolverBody,
        h: f64,
        first: bool,
    ) -> Result<(), LawError> {
        let key = Kept {
            pair: contact.pair,
            id: contact.id,
            eras: (A.era, B.era),
            n: pair.nhat_AB_A,
            p: pair.p_ACa,
            gap: pair.gap,
            rest_offset: contact.rest_offset,
            h,
            busy: A.contacts.max(B.contacts),
        };
        // Faces keep nothing.
        let stays = self.kept == Some(key);
        (self.role, self.law.borne) = (Role::Point, None);
        self.stays = stays;
        let at_place = pair.gap + contact.rest_offset;
        let found = self.f;
        self.slot = slot;
        self.blend = contact.fixed.blend;
        if !stays || !matches!(pair_law.law.stiffness, Stiffness::Constants(_)) {
            let X_WA = frame();
            let place = Site::still((pair, at_place), &X_WA, pair_law.alpha);
            let (ea, eb) = (self.ea, self.eb);
            (self.a, self.b, self.pair) = (contact.pair.a.0, contact.pair.b.0, contact.pair);
            self.n = place.n0;
            (self.half_spin, self.secant) = (0.0, Vector3::zeros());
            let axis = self.freeze(pair_law, pair, &place, contact, (-gap, -gap), h)?;
            self.orient(contact, &place, &axis);
            if !stays || ea != self.ea || eb != self.eb {
                self.stays = false;
                self.stand(A, B, &place.c);
            }
            self.blend(pair_law, -at_place, h, key.busy);
            self.kept = Some(key);
            self.law.d0 = -at_place;
            let slope = self.newton_slope(&self.law.sticking(&pair_law.law.stiffness), h);
            self.stays &= slope == self.slope;
            self.slope = slope;
        } else {
            self.hold(contact);
        }
        if !first {
            self.f = found;
        }
        self.law.d0 = -gap;
        self.driven = Vector4::zeros();
        self.drift = Vector4::zeros();
        for (body, J) in [(A, &self.JA), (B, &self.JB)] {
            if body.rests {
                self.drift += J.times(&body.start) * h;
            }
        }
        self.law.rate0 = self.drift[0] * self.law.rate;
        Ok(())
    }

    /// Rows of bodies at their anchors.
    pub(super) fn stand(&mut self, A: &SolverBody, B: &SolverBody, c: &Vector3<f64>) {
        let rows = [-self.n, self.ea, self.eb];
        self.G = Matrix4::zeros();
        for (body, sign, J) in [(A, -1.0, &mut self.JA), (B, 1.0, &mut self.JB)] {
            if body.rests {
                let arm = c - body.anchor.translation.vector;
                for (i, row) in rows.iter().enumerate() {
                    J.0[i] = (body.row(&arm.cross(row), row) * sign).into();
                }
                J.0[3] = (body.row(&self.n, &Vector3::zeros()) * sign).into();
                J.add_gram(&mut self.G);
            }
        }
    }

    /// Elastic state and last loads along axes that have not turned.
    #[inline]
    pub(super) fn hold(&mut self, contact: &ContactState) {
        let (memory, fast, law) = (&contact.memory, &contact.fixed, &mut self.law);
        self.f = Vector4::new(fast.normal, 0.0, 0.0, 0.0);
        if law.hold != Hold::Nothing {
            let x = &memory.x_W;
            law.y0 = Vector3::new(self.ea.dot(x), self.eb.dot(x), memory.x_theta);
            let f = law.root.component_mul(&law.y0);
            law.gauge0 = law.weights.component_mul(&f).dot(&f).sqrt();
            law.slipped = fast.slips;
            (self.f[1], self.f[2], self.f[3]) = (self.ea.dot(&fast.f_W), self.eb.dot(&fast.f_W), fast.moment);
        }
    }
}

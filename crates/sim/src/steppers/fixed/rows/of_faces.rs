//! # Rows of faces: what presses two faces, and what holds them along each other
//!
//! - **in**: two faces at mid-step (`faces`), their bodies
//! - **out**: two [`ContactConstraint`]s, one of each [`Role`]
//! - **not here**: rows of points (`rows`); how faces press (`press`)
//! - **start at** [`ContactConstraint::press`], then [`ContactConstraint::rub`]

use super::super::block::Rows;
use super::super::curve::Curve;
use super::super::faces::Face;
use super::super::law::{Borne, Hold, Pressed};
use super::super::site::Site;
use super::super::solver_body::{SolverBody, join};
use super::{Beyond, ContactConstraint, Role};
use crate::model::interactions::PairLaw;
use crate::state::ContactState;
use nalgebra::{Matrix4, Vector2, Vector3, Vector4};

impl ContactConstraint {
    /// Rows and law of two faces that press: nothing, approach at the centroid, two slopes. `index` is the number of the face.
    #[allow(clippy::too_many_arguments)] // as above
    pub fn press(
        &mut self,
        contact: &ContactState,
        (face, index): (&mut Face, usize),
        A: &SolverBody,
        B: &SolverBody,
        h: f64,
        beyond: Beyond,
        first: bool,
    ) {
        self.stand_for(Role::Presses(index as u32), face.slot, contact);
        (self.n, self.ea, self.eb) = (face.n, face.E.column(0).into(), face.E.column(1).into());
        self.law.hold = Hold::Nothing;
        // That of the last step is the partner's.
        self.blend = Vector4::zeros();
        let off = match beyond {
            Beyond::Last(off) => off,
            Beyond::Seen(change) => change - h * (A.speed_at(&face.c, &self.n, h) - B.speed_at(&face.c, &self.n, h)),
        };
        self.aim(A, B, h, off);
        (self.drift, self.driven, self.G) = (Vector4::zeros(), Vector4::zeros(), Matrix4::zeros());
        let [raw_A, raw_B] = &mut self.raw;
        for (body, sign, J, raw) in [(A, -1.0, &mut self.JA, raw_A), (B, 1.0, &mut self.JB, raw_B)] {
            (*J, *raw) = (Rows::ZERO, Rows::ZERO);
            if body.stands {
                continue;
            }
            let (w, v) = (body.start_turning(), body.start_velocity());
            let middle = if face.is_anchored() { body.anchor.translation.vector } else { body.middle(h) };
            let mut drift = Vector4::zeros();
            for (i, (turn, along)) in face.rows.iter().enumerate() {
                let turning = turn + (face.c - middle).cross(along);
                let linear = if i == 0 { along + self.secant } else { *along };
                drift[i + 1] = (turning.dot(&w) + linear.dot(&v)) * (sign * h);
                if body.moves() {
                    J.0[i + 1] = (body.row(&turning, &linear) * sign).into();
                }
                if body.link().is_some() {
                    raw.0[i + 1] = (join(&turning, &linear) * sign).into();
                }
            }
            if body.moves() {
                J.add_gram(&mut self.G);
            } else {
                self.driven += drift;
            }
            self.drift += drift;
        }
        let k = face.stiffest(&Vector3::new(self.drift[1], self.drift[2], self.drift[3]));
        let s = self.weigh(&Vector4::new(0.0, k[0], k[1], k[2]), h, A.contacts.max(B.contacts));
        face.press.beta = s[1].max(s[2]).max(s[3]);
        if first {
            let f = &face.press.start.load;
            self.f = Vector4::new(0.0, f[0], f[1], f[2]);
        }
    }

    /// Rows and law of what holds two faces along each other, at their centre of load.
    #[allow(clippy::too_many_arguments)] // as above
    pub fn rub(
        &mut self,
        contact: &ContactState,
        face: &Face,
        pair_law: &PairLaw,
        A: &SolverBody,
        B: &SolverBody,
        h: f64,
        first: bool,
    ) {
        self.stand_for(Role::Rubs, face.slot, contact);
        self.law.borne = Some(Borne::default());
        self.n = face.n;
        let alpha = pair_law.alpha;
        let spin = alpha * self.n.dot(&A.turning()) + (1.0 - alpha) * self.n.dot(&B.turning());
        self.half_spin = 0.5 * h * spin;
        let damping = &pair_law.law.damping;
        // Nothing holds before anything presses.
        let (k, e_n, dampers) = match face.grip {
            Some(grip) => (grip.k, grip.e_n, Vector3::new(damping.tangential, damping.tangential, damping.torsional)),
            None => ([0.0; 3], 0.0, Vector3::zeros()),
        };
        self.law.curve = Curve::Linear(0.0);
        (self.law.factor, self.law.d0, self.law.rate0, self.law.rate) = (0.0, 0.0, 0.0, 1.0 / h);
        (self.law.hunt_crossley, self.law.damper) = (0.0, 0.0);
        self.law.hold_by(&pair_law.law.friction, &k, e_n, dampers);
        let found = self.f;
        let zero = Vector3::zeros();
        let place = Site { n0: face.n0, E: face.E0, c: face.p, n_rate: zero, c_rate: zero, gap_rate: 0.0, spin: 0.0 };
        self.orient(contact, &place, &Vector2::x());
        self.f[0] = 0.0;
        if !first {
            self.f = found;
        }
        self.secant = zero;
        self.fill(A, B, &face.p, h, face.is_anchored());
        // No row of the approach.
        let [raw_A, raw_B] = &mut self.raw;
        for J in [&mut self.JA, &mut self.JB, raw_A, raw_B] {
            J.0[0] = [0.0; 6];
        }
        (self.drift[0], self.driven[0]) = (0.0, 0.0);
        self.G.row_mut(0).fill(0.0);
        self.G.column_mut(0).fill(0.0);
        let root = &self.law.root;
        let k = root.component_mul(root);
        let s = self.weigh(&Vector4::new(0.0, k.x, k.y, k.z), h, A.contacts.max(B.contacts));
        self.law.blend(&s);
        (self.pressed, self.off, self.met, self.geo) = (Pressed::default(), 0.0, 0.0, 0.0);
    }
}

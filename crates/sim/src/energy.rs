//! # Energy: the ledger of a state
//!
//! - **in**: a state, and what its contacts store
//! - **out**: [`Ledger`], whose total stays constant
//! - **start at** [`ledger`]
//!
//! Losses and work are integrated together with the motion. A live patch over changing curvature changes V_n at equal
//! approach; what no force answers for, V_n − ∫ (f_el δ′ − power of `ContactLaw::bending`), is its own line. So is what a
//! changing curvature does to the load of a slipping patch, V_t − ∫ (load·v − slip); sticking, that is zero.

use crate::contacts::rules::{has_modulation, holds_unpressed};
use crate::drive;
use crate::model::Model;
use crate::model::body::Body;
use crate::run::{ContactResult, Stop};
use crate::state::{BodyState, ContactMode, ContactState, State};
use crate::steppers::accurate::Workspace;
use fingerpad_contact::law::ContactLaw;

/// Where the energy is (J).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ledger {
    /// Kinetic.
    pub KE: f64,
    /// Potential, of gravity, from the world's origin.
    pub PE: f64,
    /// Stored by pressing.
    pub V_normal: f64,
    /// Stored along the patches.
    pub V_tangential: f64,
    /// Lost in dampers.
    pub E_visc: f64,
    /// Lost to slip.
    pub E_slip: f64,
    /// Tangential energy let go where contacts ended.
    pub E_release: f64,
    /// Work of loads, kicks and given motions.
    pub W_injected: f64,
    /// Lost to the numbers of fixed steps, and what lists of contacts that change do to the energy of pressing (old less
    /// new). With rigid contacts: what impacts take, and what integration leaves.
    pub E_num: f64,
    /// Given to the springs by changing curvature under live patches where no force answers for it, and by faces whose shared
    /// area changes.
    pub modulation: f64,
    /// Gaps at the end of fixed steps against what their rows led to; either sign.
    pub E_geo: f64,
    /// What iterations of fixed steps left; either sign.
    pub E_solver: f64,
    /// Lost to impulses of rigid contacts that slip drives and that do not vanish with the step (Painlevé).
    pub E_painleve: f64,
    /// Stored in springs of joints and drives.
    pub V_drive: f64,
    /// Stored in limits of joints: nothing, while these are rigid.
    pub V_limit: f64,
    /// Lost in dampers and torque limits of drives.
    pub E_drive: f64,
    /// Lost in dampers and dry friction of joints.
    pub E_joint: f64,
    /// Lost at limits of joints.
    pub E_limit: f64,
    /// Work of drives.
    pub W_drive: f64,
    /// What inertia and gravity of trees did in fixed steps beyond the rows of the step; either sign.
    pub E_inertia: f64,
    /// What bringing loops and couplings of joints together took; either sign.
    pub E_project: f64,
}

impl Ledger {
    /// What stays constant: stored and lost, less what was put in.
    pub fn total(&self) -> f64 {
        let stored = self.KE + self.PE + self.V_normal + self.V_tangential;
        let lost = self.E_visc + self.E_slip + self.E_release + self.E_num + self.E_painleve;
        let of_joints = self.V_drive + self.V_limit + self.E_drive + self.E_joint + self.E_limit - self.W_drive
            + self.E_inertia
            + self.E_project;
        stored + lost - self.W_injected - self.modulation - self.E_geo - self.E_solver + of_joints
    }
}

/// The ledger of a state under the compliant law.
pub fn ledger(model: &Model, state: &State, work: &mut Workspace) -> Result<Ledger, Stop> {
    let mut sum = without_springs(model, state);
    for (contact, result) in state.contacts.iter().zip(work.look(model, state)?) {
        add_springs(&mut sum, &model.law(&contact.pair).law, contact, result);
    }
    Ok(sum)
}

/// Adds what the springs of a contact store.
pub(crate) fn add_springs(sum: &mut Ledger, law: &ContactLaw, contact: &ContactState, result: &ContactResult) {
    sum.V_normal += result.V_normal;
    let clamped = contact.mode == ContactMode::Clamped && !holds_unpressed(law);
    sum.V_tangential += if clamped { 0.0 } else { result.V_tangential };
    if has_modulation(law, &contact.place) {
        sum.modulation += result.V_normal + result.V_tangential - contact.stored;
    }
}

/// The ledger of a state whose contacts store nothing.
pub(crate) fn without_springs(model: &Model, state: &State) -> Ledger {
    let (spent, fixed) = (&state.spent, &state.fixed.sums);
    let mut sum = Ledger {
        // What bodies that move as told supply moves the roots that stand for them too; these are in no sum.
        W_injected: state.W_injected - model.trees().iter().map(|made| made.energy_of_bases(state.time)).sum::<f64>(),
        E_visc: spent.E_visc,
        E_slip: spent.E_slip,
        E_release: spent.E_release,
        E_num: spent.E_num + fixed.E_num(),
        E_geo: fixed.E_geo,
        E_solver: fixed.E_solver,
        E_painleve: spent.E_painleve,
        modulation: spent.modulation,
        ..Ledger::default()
    };
    for (body, now) in model.bodies().iter().zip(&state.bodies) {
        if !body.mobility.is_moved_by_forces() {
            continue;
        }
        sum.KE += kinetic(body, now);
        sum.PE -= body.mass * model.gravity_W().dot(&now.X_WBcm.translation.vector);
    }
    for (made, now) in model.trees().iter().zip(&state.trees) {
        let tree = &made.tree;
        for k in 0..tree.nv() {
            sum.KE += 0.5 * tree.armature(k) * now.v[k] * now.v[k];
            if let (Some(spring), Some(q)) = (tree.law(k).spring, tree.scalar_q(k)) {
                sum.V_drive += 0.5 * spring.stiffness * (now.q[q] - spring.rest).powi(2);
            }
        }
        sum.V_drive += drive::stored(model.drives(), &made.drives, &state.drives, now, state.time);
        sum.E_drive += now.sums.E_drive;
        sum.E_joint += now.sums.E_joint;
        sum.E_limit += now.sums.E_limit;
        sum.W_drive += now.sums.W_drive;
        sum.E_inertia += now.sums.E_inertia;
        sum.E_project += now.sums.E_project;
        sum.E_num += now.sums.E_num;
        sum.E_geo += now.sums.E_geo;
    }
    sum.V_drive += drive::impedance::stored(model, state);
    for contact in &state.contacts {
        sum.E_visc += contact.E_visc;
        sum.E_slip += contact.E_slip;
        sum.E_release += contact.E_release;
    }
    sum
}

/// Kinetic energy of a body (J).
pub(crate) fn kinetic(body: &Body, now: &BodyState) -> f64 {
    let w_B = now.X_WBcm.rotation.inverse() * now.V_WBcm.w;
    0.5 * body.mass * now.V_WBcm.v.norm_squared() + 0.5 * w_B.dot(&(body.I_BBcm_B * w_B))
}

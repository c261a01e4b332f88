//! # Frame: one recorded row as plain numbers, for the recording and the report
//!
//! `row` ──([`Row`]: model, state, views)──▶ **here** ──([`Frame`])──▶ `recording`, `kept`
//!
//! - **in**: a row
//! - **out**: poses of the body frames, contacts with their patch axes and friction limit, energies
//! - **not here**: files (`fingerpad_files::recording`), what the report keeps ([`kept`](super::kept))
//! - **start at** [`take`], the one place where contacts of the simulation become contacts of a picture

use super::row::Row;
use crate::grasp::touching::outlines;
use fingerpad_contact::law::Friction;
use fingerpad_contact::track::FaceContact;
use fingerpad_files::recording::{BodyFrame, ContactFrame, Frame, Mode};
use fingerpad_sim::{ContactMode, ContactResult, ContactState};
use nalgebra::Vector3;

/// Fills a frame from a row; `room` is scratch for faces.
pub fn take(frame: &mut Frame, row: &Row, room: &mut FaceContact) {
    frame.time = row.state.time;
    frame.bodies.clear();
    frame.bodies.extend(row.state.bodies.iter().enumerate().map(|(i, body)| {
        let X_WB = row.model.frame(i, &body.X_WBcm);
        let (q, V) = (X_WB.rotation, &body.V_WBcm);
        BodyFrame { p: X_WB.translation.vector.into(), q: [q.w, q.i, q.j, q.k], v: V.v.into(), w: V.w.into() }
    }));
    frame.energy.clear();
    frame.energy.extend(row.energy);
    frame.contacts.clear();
    frame.near.clear();
    for (contact, view) in row.state.contacts.iter().zip(row.results) {
        if contact.mode != ContactMode::Free {
            frame.contacts.push(contact_of(row, contact, view, room));
        } else if view.gap.is_finite() {
            let [a, b] = [contact.pair.a, contact.pair.b].map(|id| row.model.owner(id.0));
            frame.near.push((a, b, view.gap - view.rest_offset));
        }
    }
}

fn contact_of(row: &Row, contact: &ContactState, view: &ContactResult, room: &mut FaceContact) -> ContactFrame {
    let law = &row.model.law(&contact.pair).law;
    let e1: Vector3<f64> = view.site.E_W * view.axis;
    let mu = match law.friction {
        Friction::Coulomb { mu } | Friction::Exact { mu } => Some(mu),
        Friction::TwoCoefficients { along, across, .. } => Some((along * across).sqrt()),
        _ => None,
    };
    let normal = view.normal.max(0.0);
    ContactFrame {
        a: row.model.owner(contact.pair.a.0),
        b: row.model.owner(contact.pair.b.0),
        id: contact.id,
        mode: mode(contact.doing()),
        p: view.site.p_WC.coords.into(),
        n: view.site.nhat_W.into(),
        e1: e1.into(),
        gap: view.gap - view.rest_offset,
        depth: view.depth(),
        normal,
        load: view.load.into(),
        used: view.used,
        mu,
        e_n: view.e_n,
        patch: view.patch,
        slid: contact.slid,
        outline: outline(row, contact, room),
    }
}

fn mode(mode: ContactMode) -> Mode {
    match mode {
        ContactMode::Stick => Mode::Stick,
        ContactMode::Slip => Mode::Slip,
        ContactMode::Clamped => Mode::Clamped,
        ContactMode::Free | ContactMode::Contact => Mode::Contact,
    }
}

/// The outline of a face contact in the world (m); empty for points. The largest piece stands for regions of several.
fn outline(row: &Row, contact: &ContactState, room: &mut FaceContact) -> Vec<[f64; 3]> {
    let pieces = outlines(row.model, row.state, contact, room);
    pieces.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).map_or(Vec::new(), |(_, outline)| outline)
}

//! # Frame: one recorded row as plain numbers, for the recording and the report
//!
//! `row` ──([`Row`]: model, state, views)──▶ **here** ──([`Frame`])──▶ `recording`, `kept`
//!
//! - **in**: a row
//! - **out**: poses of the body frames, contacts with their patch axes and friction limit, energies
//! - **not here**: files (`fingerpad_files::recording`), what the report keeps ([`kept`](super::kept))
//! - **start at** [`take`], the one place where contacts of the simulation become contacts of a picture

use super::row::Row;
use fingerpad_contact::law::Friction;
use fingerpad_contact::site::ContactSite;
use fingerpad_contact::track::FaceContact;
use fingerpad_files::recording::{BodyFrame, ContactFrame, Frame, Mode};
use fingerpad_sim::{ContactMode, ContactState, ContactView, Place};
use nalgebra::{Vector2, Vector3};

/// Longest piece of an arc in the outline of a face (rad).
const ARC: f64 = 0.3;

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
    for (contact, view) in row.state.contacts.iter().zip(row.views) {
        if contact.mode != ContactMode::Free {
            frame.contacts.push(contact_of(row, contact, view, room));
        } else if view.gap.is_finite() {
            frame.near.push((contact.pair.a.0, contact.pair.b.0, view.gap - view.rest_offset));
        }
    }
}

fn contact_of(row: &Row, contact: &ContactState, view: &ContactView, room: &mut FaceContact) -> ContactFrame {
    let law = &row.model.law(&contact.pair).law;
    let rigid = contact.impulse.total != [0.0; 4];
    // The patch axes of a point follow from its site; those of rigid contacts and of faces are the tangent axes.
    let point = contact.place.pair().is_some() && !rigid && view.gap < 0.0;
    let grip = point.then(|| law.stiffness.grip(&ContactSite { gap: view.gap, ..view.site }).ok()).flatten();
    let axis = grip.map_or(Vector2::new(1.0, 0.0), |grip| grip.axis);
    let e1: Vector3<f64> = view.site.E_W * axis;
    let mu = match law.friction {
        Friction::Coulomb { mu } | Friction::Exact { mu } => Some(mu),
        Friction::TwoCoefficients { along, across, .. } => Some((along * across).sqrt()),
        _ => None,
    };
    let normal = view.normal.max(0.0);
    let e_n = match &contact.place {
        _ if rigid => Some(contact.impulse.e_n),
        Place::Face(_) => mu.and_then(|mu| eccentricity(&view.load, view.used, mu * normal)),
        _ => grip.map(|grip| grip.e_n),
    };
    ContactFrame {
        a: contact.pair.a.0,
        b: contact.pair.b.0,
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
        e_n: e_n.filter(|e| e.is_finite() && *e > 0.0),
        patch: view.patch,
        slid: contact.slid,
        outline: outline(row, contact, room),
    }
}

/// The eccentricity that makes a load use this share of a friction ellipsoid (m), where its moment tells.
fn eccentricity(load: &Vector3<f64>, used: f64, most: f64) -> Option<f64> {
    let left = used * used - load.xy().norm_squared() / (most * most);
    (most > 0.0 && left > 1e-6).then(|| load.z.abs() / (most * left.sqrt()))
}

fn mode(mode: ContactMode) -> Mode {
    match mode {
        ContactMode::Stick => Mode::Stick,
        ContactMode::Slip => Mode::Slip,
        ContactMode::Clamped => Mode::Clamped,
        ContactMode::Free | ContactMode::Contact => Mode::Contact,
    }
}

/// The outline of a face contact from its contact point, in world axes (m); empty for points.
fn outline(row: &Row, contact: &ContactState, room: &mut FaceContact) -> Vec<[f64; 3]> {
    let Place::Face(faces) = contact.place else { return Vec::new() };
    let near = row.state.near.iter().find(|near| near.pair == contact.pair);
    let Some(set) = near.and_then(|near| near.set()) else { return Vec::new() };
    let pose = |body: usize| row.model.frame(body, &row.state.bodies[body].X_WBcm);
    let (X_WA, X_WB) = (pose(contact.pair.a.0), pose(contact.pair.b.0));
    if !set.follow_face(faces, &X_WA.inv_mul(&X_WB), room) || room.area <= 0.0 {
        return Vec::new();
    }
    let E_W = X_WA.rotation.to_rotation_matrix().matrix() * room.pair.E_A;
    let middle = X_WA * (room.pair.p_ACa + room.pair.nhat_AB_A * (0.5 * room.pair.gap));
    let mut found = Vec::new();
    // The largest piece stands for regions of several.
    if let Some(piece) = room.region.pieces().iter().max_by(|a, b| a.sums().area.total_cmp(&b.sums().area)) {
        piece.outline(ARC, |p| found.push((middle + E_W * p.coords).coords.into()));
    }
    found
}

//! # Events: where a contact changes its mode, and what it becomes
//!
//! - **in**: what a contact looks like at the end of a step in its frozen mode
//! - **out**: how far beyond the end of the mode it is; the next mode, with what is let go
//! - **start at** [`beyond`], then [`change`]

use super::touch::Touch;
use super::workspace::View;
use crate::contacts::rules::{alternates, holds_unpressed, pressed_mode};
use crate::run::{EventKind, Stop};
use crate::state::{ContactMode, ContactState};
use fingerpad_contact::law::{ContactLaw, LawError};
use nalgebra::Vector4;

/// How far the contact is beyond the end of its mode, in whatever unit; not positive while the mode goes on.
pub fn beyond(contact: &ContactState, law: &ContactLaw, view: &View) -> f64 {
    let Some(touch) = &view.touch else { return -view.shown.gap };
    let ends = match contact.mode {
        ContactMode::Free => -view.shown.gap,
        ContactMode::Contact => -touch.raw,
        ContactMode::Clamped => touch.raw,
        ContactMode::Stick if alternates(law) => (-touch.raw).max(touch.excess(contact.accurate.ceiling)),
        ContactMode::Stick => -touch.raw,
        ContactMode::Slip => (-touch.raw).max(-view.push),
    };
    ends.max(view.shown.gap)
}

/// The mode after an event, with the contact's memory made ready for it.
pub fn change(contact: &mut ContactState, law: &ContactLaw, view: &View) -> Result<EventKind, Stop> {
    let pair = contact.pair;
    let law_error = |error: LawError| Stop::Law { pair, error };
    let pressed = pressed_mode(law);
    let is_face = view.offer.is_some();
    let Some(touch) = &view.touch else {
        // Touchdown: a contact without history.
        contact.memory.clear();
        contact.mode = pressed;
        contact.accurate.ceiling = 1.0;
        let touch = Touch::new(law, pressed, view.shown.site, view.offer, &Vector4::zeros()).map_err(law_error)?;
        if alternates(law) && !touch.begins_by_sticking(law, is_face).map_err(law_error)? {
            contact.mode = ContactMode::Slip;
            contact.accurate.slip = touch.direction_of_motion();
        }
        return Ok(EventKind::On);
    };
    if view.shown.gap >= 0.0 {
        contact.E_release += view.shown.V_tangential;
        contact.stored -= view.shown.V_tangential;
        contact.memory.clear();
        contact.mode = ContactMode::Free;
        return Ok(EventKind::Off);
    }
    if contact.mode == ContactMode::Clamped {
        contact.mode = pressed;
        contact.accurate.ceiling = 1.0;
        if alternates(law) {
            // The load grows from nothing: by sticking if the limit grows faster than the springs would.
            let fresh = Touch::new(law, ContactMode::Stick, view.shown.site, view.offer, &Vector4::zeros())
                .map_err(law_error)?;
            if !fresh.holds_while_growing(view.load_rate) {
                contact.mode = ContactMode::Slip;
                contact.accurate.slip = fresh.direction_of_motion();
            }
        }
        return Ok(EventKind::Unclamp);
    }
    if touch.raw <= 0.0 {
        contact.mode = ContactMode::Clamped;
        if !holds_unpressed(law) {
            contact.E_slip += view.shown.V_tangential;
            contact.stored -= view.shown.V_tangential;
            contact.memory.clear();
        }
        return Ok(EventKind::Clamp);
    }
    if contact.mode == ContactMode::Stick {
        // Onto the limit; what lies beyond, by rounding or by a quiet time, is slip.
        contact.accurate.slip = touch.direction();
        contact.mode = ContactMode::Slip;
        let on = Touch::new(law, ContactMode::Slip, view.shown.site, view.offer, &contact.accurate.slip)
            .map_err(law_error)?;
        let lost = (view.shown.V_tangential - on.energy()).max(0.0);
        contact.E_slip += lost;
        contact.stored -= lost;
        remember(contact, &on);
        return Ok(EventKind::Slip);
    }
    remember(contact, touch);
    contact.mode = ContactMode::Stick;
    contact.accurate.ceiling = 1.0 + ROUNDING;
    Ok(EventKind::Stick)
}

/// Writes what the springs of a contact hold into its memory.
pub fn remember(contact: &mut ContactState, touch: &Touch) {
    let x = touch.x();
    (contact.memory.x_W, contact.memory.x_theta) = (x.xyz(), x.w);
    contact.memory.nhat_W = touch.site.nhat_W;
}

/// What rounding may leave above the limit where slip ends.
const ROUNDING: f64 = 1e-11;

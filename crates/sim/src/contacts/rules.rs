//! # Rules: how each kind of friction slips, for every stepper
//!
//! - **in**: the law of a pair
//! - **out**: the mode in which a contact presses, whether it sticks and slips in turns, what it keeps unpressed
//! - **not here**: loads (`fingerpad_contact::law`)
//! - **start at** [`pressed_mode`]

use super::place::Place;
use crate::state::ContactMode;
use fingerpad_contact::law::{ContactLaw, FaceRates, Friction, Grip, Stiffness};

/// What a place offers that the law cannot tell from its site: faces.
#[derive(Clone, Copy, Debug)]
pub struct Offer {
    pub grip: Grip,
    pub rates: FaceRates,
}

/// The mode in which a contact begins that overlaps already: springs along the patch at rest.
pub fn pressed_mode(law: &ContactLaw) -> ContactMode {
    let limited = !matches!(law.friction, Friction::None | Friction::Sticks);
    if limited { ContactMode::Stick } else { ContactMode::Contact }
}

/// Whether the springs of a contact get energy by other ways than its motion: changing curvature or area.
pub fn has_modulation(law: &ContactLaw, place: &Place) -> bool {
    matches!(law.stiffness, Stiffness::Patch(_)) || matches!(place, Place::Face(_) | Place::Strand(_))
}

/// Whether friction has a limit and no dampers: the contact sticks and slips in turns.
pub fn alternates(law: &ContactLaw) -> bool {
    let limited = matches!(law.friction, Friction::Coulomb { .. } | Friction::Exact { .. });
    limited && law.damping.tangential == 0.0 && law.damping.torsional == 0.0
}

/// Whether the springs along the patch stay where no normal force presses.
pub fn holds_unpressed(law: &ContactLaw) -> bool {
    matches!(law.friction, Friction::Sticks)
}

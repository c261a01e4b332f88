//! # Place: where a contact is, followed from pose to pose
//!
//! `update` ──(place)──▶ **here** ──([`Meeting`]: gap, site, what faces offer)──▶ any stepper
//!
//! - **in**: a place of a frozen list of contacts, poses and velocities of its bodies
//! - **out**: the place at these poses; the site there
//! - **not here**: which contacts there are ([`update`](crate::contacts::update)); what they do ([`touch`](crate::steppers::accurate::touch))
//! - **assumes**: bodies move little from one look to the next
//! - **start at** [`Place`], then [`Place::follow`], [`meet`]

use super::rules::Offer;
use crate::model::interactions::PairLaw;
use fingerpad_contact::friction::TangentialStiffness;
use fingerpad_contact::law::{ContactLaw, FaceRates, Grip, LawError, Rocking};
use fingerpad_contact::patch::Growth;
use fingerpad_contact::site::ContactSite;
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::Shape;
use fingerpad_contact::track::{
    ClosestPair, Contact, ContactSet, FaceContact, PlacedStrand, StrandPlace, TrackError, Tracker, TrackerEvent,
};
use nalgebra::{Isometry3, Vector2, Vector3};

/// Where a contact is: all that is needed to follow it while the list of contacts stays as it is.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // most are trackers, and copies must not allocate
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Place {
    /// At the closest points.
    Closest(Tracker),
    /// At one of several places.
    Point(Contact),
    /// Where two faces lie on each other, as numbered by [`faces_of`](fingerpad_contact::track::faces_of).
    Face([usize; 2]),
    /// Along a curve of one body.
    Strand(StrandPlace),
}

/// How a place came to a pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Followed.
    Followed,
    /// By a search that later looks may start from.
    Searched,
    /// Not at all: it is no more, and its points stay with their bodies until the list is renewed.
    Lost,
}

/// A body of a pair at one instant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Carrier<'a> {
    pub shape: &'a Shape,
    /// Pose of the body frame.
    pub X_WB: Isometry3<f64>,
    /// Velocity at the origin of the body frame.
    pub V_WB: SpatialVelocity,
}

/// A contact's place at one instant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meeting {
    /// Least gap as the law sees it (m).
    pub gap: f64,
    pub site: ContactSite,
    /// What two faces offer; points offer what the law says of their site.
    pub offer: Option<Offer>,
}

impl Place {
    /// The pair of points; none for faces and curves.
    pub fn pair(&self) -> Option<&ClosestPair> {
        match self {
            Self::Closest(tracker) => Some(tracker.pair()),
            Self::Point(contact) => Some(&contact.pair),
            Self::Face(_) | Self::Strand(_) => None,
        }
    }

    /// Goes to a pose; `room` then has the faces.
    pub(crate) fn follow(
        &mut self,
        set: Option<&ContactSet>,
        (a, b): (&Shape, &Shape),
        X_AB: &Isometry3<f64>,
        room: &mut FaceContact,
    ) -> Result<Way, TrackError> {
        let Self::Face(faces) = self else { return self.follow_points(set, (a, b), X_AB) };
        if !set.is_some_and(|set| set.follow_face(*faces, X_AB, room)) {
            room.area = 0.0;
        }
        Ok(Way::Followed)
    }

    /// The same for points; faces stay.
    #[inline]
    pub(crate) fn follow_points(
        &mut self,
        set: Option<&ContactSet>,
        (a, b): (&Shape, &Shape),
        X_AB: &Isometry3<f64>,
    ) -> Result<Way, TrackError> {
        match self {
            Self::Closest(tracker) => {
                let event = tracker.update(a, b, X_AB)?;
                Ok(if event == TrackerEvent::Followed { Way::Followed } else { Way::Searched })
            }
            Self::Point(contact) => {
                // A list that does not belong to its near pairs has no set.
                if set.is_some_and(|set| set.follow_point(contact, a, b, X_AB)) {
                    return Ok(Way::Followed);
                }
                contact.pair = carried(&contact.pair, X_AB);
                Ok(Way::Lost)
            }
            Self::Face(_) | Self::Strand(_) => Ok(Way::Followed),
        }
    }
}

/// A pair whose place is lost: its points stay where they are on their bodies until the list is renewed.
fn carried(pair: &ClosestPair, X_AB: &Isometry3<f64>) -> ClosestPair {
    ClosestPair { gap: pair.nhat_AB_A.dot(&(X_AB * pair.p_BCb - pair.p_ACa)), ..*pair }
}

/// What a followed place is like: gap, motion, and what faces offer. `face` is the room given to [`Place::follow`]; its
/// gap changes by the rest offset ([`ContactState::rest_offset`](crate::ContactState::rest_offset)), as does the gap that the
/// law sees.
pub(crate) fn meet(
    place: &Place,
    face: &mut FaceContact,
    rest_offset: f64,
    PairLaw { law, alpha, .. }: &PairLaw,
    a: &Carrier,
    b: &Carrier,
) -> Result<Meeting, LawError> {
    if let Some(pair) = place.pair() {
        let mut site = ContactSite::new(pair, &a.X_WB, &a.V_WB, &b.X_WB, &b.V_WB, *alpha);
        site.gap += rest_offset;
        return Ok(Meeting { gap: site.gap, site, offer: None });
    }
    if let Place::Strand(strand) = place {
        return Ok(meet_strand(strand, law, *alpha, a, b));
    }
    face.pair.gap += rest_offset;
    let apart = face.area <= 0.0;
    let gap = if apart { f64::INFINITY } else { face.least_gap() };
    let pressed = if apart { None } else { law.press_face(face, &a.X_WB, &a.V_WB, &b.X_WB, &b.V_WB, *alpha)? };
    if let Some(found) = pressed {
        let offer = Offer { grip: found.grip, rates: found.rates };
        return Ok(Meeting { gap, site: found.site, offer: Some(offer) });
    }
    let site = ContactSite::without_turning(&face.pair, &a.X_WB, &a.V_WB, &b.X_WB, &b.V_WB, *alpha);
    let offer = nothing();
    Ok(Meeting { gap: gap.max(0.0), site, offer: Some(offer) })
}

/// A contact along a curve: all of it belongs to the pose, so that nothing was followed.
fn meet_strand(strand: &StrandPlace, law: &ContactLaw, alpha: f64, a: &Carrier, b: &Carrier) -> Meeting {
    let mut room = PlacedStrand::default();
    let shapes = (a.shape, b.shape);
    let pressed = law.press_strand(strand, shapes, &a.X_WB, &a.V_WB, &b.X_WB, &b.V_WB, alpha, &mut room);
    let gap = room.strand.least.gap;
    if let Some(found) = pressed {
        let offer = Offer { grip: found.grip, rates: found.rates };
        return Meeting { gap, site: found.site, offer: Some(offer) };
    }
    let pair = room.pair_at(&room.strand.least, &a.X_WB.inv_mul(&b.X_WB));
    let site = ContactSite::without_turning(&pair, &a.X_WB, &a.V_WB, &b.X_WB, &b.V_WB, alpha);
    Meeting { gap: gap.max(0.0), site, offer: Some(nothing()) }
}

/// What faces offer that do not press.
fn nothing() -> Offer {
    let grip = Grip {
        load: 0.0,
        normal_stiffness: 0.0,
        energy: 0.0,
        axis: Vector2::new(1.0, 0.0),
        k: [0.0; 3],
        damping: TangentialStiffness::none(),
        normal_damping: 0.0,
        growth: Growth { tangential: 0.0, torsional: 0.0, e_n: 0.0 },
        e_n: 0.0,
        patch: None,
    };
    let rates = FaceRates {
        load: 0.0,
        tangential: 0.0,
        torsional: 0.0,
        e_n: 0.0,
        normal_damping: 0.0,
        centre_W: Vector3::zeros(),
        rocking: Rocking::default(),
    };
    Offer { grip, rates }
}

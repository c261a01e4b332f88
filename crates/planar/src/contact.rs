//! # Contact: the question, and whether it can be answered
//!
//! program ──(numbers)──▶ **here** ──(`Case`, checked)──▶ `cspace`
//!
//! - **in**: mass, radius of gyration, applied force and torque, velocity, contacts
//! - **out**: [`Case`]; [`Error`] that names the contact and the number
//! - **not here**: what a contact does to the motion (`cspace`)
//! - **assumes**: nothing; [`Case::validate`] says what is wrong
//! - **start at** [`Case`]

use crate::number::Rational;
use std::cmp::Ordering;

/// One rigid planar body, what pushes it, how it moves now, and where it touches fixed obstacles.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Mass (kg), positive.
    pub mass: Rational,
    /// Square of the radius of gyration about the centre of mass (m²), positive.
    pub gyration_sq: Rational,
    /// Applied force and torque (Fx, Fy, τ) at the centre of mass (N, N, N·m); contact forces excluded.
    pub force: [Rational; 3],
    /// Velocity (vx, vy, ω) of the centre of mass (m/s, m/s, rad/s).
    pub velocity: [Rational; 3],
    /// Points of contact, in any order.
    pub contacts: Vec<Contact>,
}

/// A point where the body touches an obstacle.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// Unit normal, from the obstacle into the body.
    pub normal: [Rational; 2],
    /// From the contact point to the centre of mass (m).
    pub to_com: [Rational; 2],
    /// Coefficient of friction, not negative.
    pub mu: Rational,
    /// What touches what: decides how the gap accelerates while the body turns.
    pub kind: Kind,
}

/// What touches what.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A vertex of the body on an edge of the obstacle (`VE`).
    VertexOnEdge,
    /// An edge of the body on a vertex of the obstacle (`EV`).
    EdgeOnVertex,
    /// Two smooth outlines (`CC`).
    Curved {
        /// Curvature of the body (1/m), positive where convex.
        k_body: Rational,
        /// Curvature of the obstacle (1/m), positive where convex; the sum of both must be positive.
        k_obstacle: Rational,
    },
    /// A vertex of the body on a smooth outline of the obstacle: `Curved` with infinite body curvature.
    VertexOnCurve {
        /// Curvature of the obstacle (1/m), positive where convex.
        k_obstacle: Rational,
    },
    /// A smooth outline of the body on a vertex of the obstacle: `Curved` with infinite obstacle curvature.
    CurveOnVertex {
        /// Curvature of the body (1/m), positive where convex.
        k_body: Rational,
    },
    /// A sharp vertex of the body on a sharp vertex of the obstacle. Any normal from the contact's own to `other` (turning
    /// left, by less than 180°) separates them; the gap opens where either of the two says so (Erdmann, footnote 2).
    VertexOnVertex {
        /// The other extreme unit normal.
        other: [Rational; 2],
        /// What it becomes where the vertex slides along the side of the contact's normal, and of `other`.
        sides: Box<[Kind; 2]>,
    },
}

impl Kind {
    /// Two letters, body first: `VE`, `EV`, `CC`, `VC` (vertex on curve), `CV` (curve on vertex), `VV`.
    pub fn code(&self) -> &'static str {
        match self {
            Kind::VertexOnEdge => "VE",
            Kind::EdgeOnVertex => "EV",
            Kind::Curved { .. } => "CC",
            Kind::VertexOnCurve { .. } => "VC",
            Kind::CurveOnVertex { .. } => "CV",
            Kind::VertexOnVertex { .. } => "VV",
        }
    }
}

/// How far a normal's squared length may be from one: sixteen digits of a decimal leave 1e-15.
const UNIT_TOLERANCE: (i64, i64) = (1, 1_000_000_000);

/// Why a case has no answer. Contacts are counted from 0, as in the list given.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// Zero or negative mass.
    #[error("the mass must be positive, got {0} kg")]
    Mass(Rational),
    /// Zero or negative squared radius of gyration.
    #[error("the squared radius of gyration must be positive, got {0} m²")]
    Gyration(Rational),
    /// Friction below zero.
    #[error("the coefficient of friction must not be negative, got {mu} (contact {contact})")]
    Friction {
        /// Which contact.
        contact: usize,
        /// What was given.
        mu: Rational,
    },
    /// A normal that is not a unit vector.
    #[error("the normal must have length 1, got ({}, {}) of length {length} (contact {contact})", n[0], n[1])]
    Normal {
        /// Which contact.
        contact: usize,
        /// What was given.
        n: Box<[Rational; 2]>,
        /// Its length.
        length: f64,
    },
    /// Extreme normals of a vertex on a vertex that do not turn left.
    #[error(
        "the second normal of a vertex on a vertex must be of length 1 and lie to the left of the first, by less than \
         180°, got ({}, {}) after ({}, {}) (contact {contact})", other[0], other[1], n[0], n[1]
    )]
    Vertices {
        /// Which contact.
        contact: usize,
        /// The first normal.
        n: Box<[Rational; 2]>,
        /// The second.
        other: Box<[Rational; 2]>,
    },
    /// Two outlines that cannot touch in one point.
    #[error("the curvatures must have a positive sum, got {} and {} 1/m (contact {contact})", k[0], k[1])]
    Curvature {
        /// Which contact.
        contact: usize,
        /// Of the body and of the obstacle (1/m).
        k: Box<[Rational; 2]>,
    },
}

impl Error {
    /// Name of the field at fault, as in the case files: `m`, `rho2`, `contacts[2].mu`, …
    pub fn field(&self) -> String {
        match self {
            Error::Mass(_) => "m".into(),
            Error::Gyration(_) => "rho2".into(),
            Error::Friction { contact, .. } => format!("contacts[{contact}].mu"),
            Error::Normal { contact, .. } => format!("contacts[{contact}].n"),
            Error::Curvature { contact, .. } => format!("contacts[{contact}].k1"),
            Error::Vertices { contact, .. } => format!("contacts[{contact}].n2"),
        }
    }
}

/// Something worth saying beside an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Warning {
    /// A normal whose length is 1 only to rounding; the answer is exact for the normal as given.
    NormalNotExact {
        /// Which contact.
        contact: usize,
        /// |n|² − 1.
        excess: f64,
    },
    /// A gap rate or slip that differs from zero by rounding only, and was taken for zero.
    SpeedTakenAsZero {
        /// Which contact.
        contact: usize,
        /// Gap rate or slip (m/s).
        speed: f64,
    },
    /// The search stopped at its work limit: every set given is an answer, but there may be others.
    WorkLimit {
        /// Contacts of the case.
        contacts: usize,
        /// Steps spent.
        steps: u64,
    },
}

impl Warning {
    /// The contact it is about.
    pub(crate) fn contact(&self) -> Option<usize> {
        match self {
            Warning::NormalNotExact { contact, .. } | Warning::SpeedTakenAsZero { contact, .. } => Some(*contact),
            Warning::WorkLimit { .. } => None,
        }
    }
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Warning::NormalNotExact { contact, excess } => {
                write!(
                    f,
                    "|n|² − 1 = {excess:e}, not 0: the answer is exact for the normal as given (contact {contact})"
                )
            }
            Warning::SpeedTakenAsZero { contact, speed } => {
                write!(f, "a speed of {speed:e} m/s was taken for rounding and set to 0 (contact {contact})")
            }
            Warning::WorkLimit { contacts, steps } => write!(
                f,
                "stopped after {steps} steps of work on {contacts} contacts: the sets given are answers, \
                 but there may be others"
            ),
        }
    }
}

impl Case {
    /// Says what cannot be answered, and what deserves a warning.
    pub fn validate(&self) -> Result<Vec<Warning>, Error> {
        if self.mass.sign() != Ordering::Greater {
            return Err(Error::Mass(self.mass.clone()));
        }
        if self.gyration_sq.sign() != Ordering::Greater {
            return Err(Error::Gyration(self.gyration_sq.clone()));
        }
        let mut warnings = Vec::new();
        for (contact, c) in self.contacts.iter().enumerate() {
            warnings.extend(c.validate(contact)?);
        }
        Ok(warnings)
    }
}

impl Contact {
    fn validate(&self, contact: usize) -> Result<Option<Warning>, Error> {
        if self.mu.sign() == Ordering::Less {
            return Err(Error::Friction { contact, mu: self.mu.clone() });
        }
        if let Kind::Curved { k_body, k_obstacle } = &self.kind
            && (k_body + k_obstacle).sign() != Ordering::Greater
        {
            return Err(Error::Curvature { contact, k: Box::new([k_body.clone(), k_obstacle.clone()]) });
        }
        let [nx, ny] = &self.normal;
        let length_sq = &(nx * nx) + &(ny * ny);
        let excess = &length_sq - &Rational::ONE;
        let tolerance = Rational::new(UNIT_TOLERANCE.0, UNIT_TOLERANCE.1).expect("not zero");
        if let Kind::VertexOnVertex { other: [mx, my], .. } = &self.kind {
            let turns_left = (&(nx * my) - &(ny * mx)).sign() == Ordering::Greater;
            let long = (&(&(mx * mx) + &(my * my)) - &Rational::ONE).abs() > tolerance;
            if long || !turns_left {
                let other = Box::new([mx.clone(), my.clone()]);
                return Err(Error::Vertices { contact, n: Box::new(self.normal.clone()), other });
            }
        }
        if excess.abs() > tolerance {
            let length = length_sq.to_f64().sqrt();
            return Err(Error::Normal { contact, n: Box::new(self.normal.clone()), length });
        }
        Ok((!excess.is_zero()).then(|| Warning::NormalNotExact { contact, excess: excess.to_f64() }))
    }
}

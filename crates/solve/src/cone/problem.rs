//! # Cone problems as plain data
//!
//! - **in**: numbers
//! - **out**: [`ConeProblem`], checked by [`ConeProblem::check`]
//! - **not here**: solving
//! - **start at** [`ConeProblem`]; the conventions are in [`cone`](super)

use crate::lcp::InputError;

/// One contact: friction, velocity without contacts, compliance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConeContact {
    /// Semi-axes of the section per unit of normal impulse: (μ, μ, μ e); e in m.
    pub friction: [f64; 3],
    /// Velocity of the four rows without these contacts (m/s, m/s, m/s, rad/s).
    pub b: [f64; 4],
    /// Added to the diagonal of the operator: velocity per impulse of each row, zero for rigid contacts.
    pub compliance: [f64; 4],
}

impl ConeContact {
    /// Coulomb friction μ with spin moment μ e P, rigid.
    pub fn new(mu: f64, e: f64, b: [f64; 4]) -> Self {
        ConeContact { friction: [mu, mu, mu * e], b, compliance: [0.0; 4] }
    }
}

/// Which bodies a contact moves, and how: v += J V for each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Bodies, the second or both absent where the world does not move.
    pub bodies: [Option<usize>; 2],
    /// Rows n, t1, t2, s of the Jacobian of each body, with signs: relative velocity = J₀ V₀ + J₁ V₁.
    pub jacobian: [[[f64; 6]; 4]; 2],
}

/// How impulses change velocities.
#[derive(Clone, Debug, PartialEq)]
pub enum ConeOperator {
    /// Free bodies: 6 × 6 inverse masses in the coordinates of the Jacobians (fewer degrees of freedom: rows of zeros), and a
    /// link per contact.
    Bodies {
        /// Symmetric, positive semidefinite.
        inverse_mass: Vec<[[f64; 6]; 6]>,
        /// One per contact.
        links: Vec<Link>,
    },
    /// The matrix A itself, 4k × 4k, symmetric: row 4i + r for row r of contact i.
    Dense(Vec<f64>),
}

/// Contacts and how they couple.
#[derive(Clone, Debug, PartialEq)]
pub struct ConeProblem {
    /// How impulses change velocities.
    pub operator: ConeOperator,
    /// The contacts.
    pub contacts: Vec<ConeContact>,
}

impl ConeProblem {
    /// Whether numbers are finite, friction and compliance not negative, and sizes and indices agree.
    pub fn check(&self) -> Result<(), InputError> {
        let k = self.contacts.len();
        let length = |what: &str, expected: usize, got: usize| {
            if expected == got { Ok(()) } else { Err(InputError::Length { what: what.into(), expected, got }) }
        };
        match &self.operator {
            ConeOperator::Dense(a) => {
                length("the operator", 16 * k * k, a.len())?;
                finite("the operator", a.iter())?;
            }
            ConeOperator::Bodies { inverse_mass, links } => {
                length("the list of links", k, links.len())?;
                finite("inverse masses", inverse_mass.iter().flatten().flatten())?;
                finite("Jacobians", links.iter().flat_map(|l| l.jacobian.iter().flatten().flatten()))?;
                let out = |l: &Link| l.bodies.iter().flatten().find(|b| **b >= inverse_mass.len()).copied();
                if let Some((i, body)) = links.iter().enumerate().find_map(|(i, l)| Some((i, out(l)?))) {
                    let what = format!("a body of contact {i}");
                    return Err(InputError::Range { what, expected: "an index of a body", value: body as f64 });
                }
            }
        }
        for (i, c) in self.contacts.iter().enumerate() {
            finite("b", c.b.iter())?;
            let numbers =
                c.friction.iter().map(|x| ("friction", x)).chain(c.compliance.iter().map(|x| ("compliance", x)));
            for (name, x) in numbers {
                if !(x.is_finite() && *x >= 0.0) {
                    let what = format!("{name} of contact {i}");
                    return Err(InputError::Range { what, expected: "zero or a positive number", value: *x });
                }
            }
        }
        Ok(())
    }
}

fn finite<'a>(what: &'static str, mut numbers: impl Iterator<Item = &'a f64>) -> Result<(), InputError> {
    match numbers.by_ref().enumerate().find(|(_, x)| !x.is_finite()) {
        Some((k, x)) => Err(InputError::NotFinite { what, at: format!("place {k}"), value: *x }),
        None => Ok(()),
    }
}

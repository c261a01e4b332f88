//! # Cone problems as plain data
//!
//! - **in**: numbers
//! - **out**: [`ConeProblem`], checked by [`ConeProblem::check`]
//! - **not here**: solving
//! - **start at** [`ConeProblem`]; the conventions are in [`cone`](super)

use crate::lcp::InputError;

/// Which impulses a constraint may give, and at which velocities.
///
/// A contact has four rows. The others have one, which is the first: what the other three rows say is not read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Set {
    /// A contact: 0 ≤ P ⊥ v_n ≥ 0, and friction against the slip on an ellipsoid that grows with P.
    Ellipsoid {
        /// Semi-axes of the section per unit of normal impulse: (μ, μ, μ e); e in m.
        friction: [f64; 3],
    },
    /// A limit: 0 ≤ λ ⊥ v ≥ 0.
    AtLeast,
    /// Dry friction with a fixed limit f ≥ 0: |λ| ≤ f, v = 0 inside, λ = −f sign(v) where it moves.
    Within(f64),
    /// An equation: v = 0, whatever λ.
    Free,
}

impl Set {
    /// Whether the constraint has four rows, as contacts have; others have one.
    #[inline]
    pub(crate) fn is_contact(&self) -> bool {
        matches!(self, Set::Ellipsoid { .. })
    }
}

/// One constraint, a contact as a rule: its set, velocity without constraints, compliance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConeContact {
    /// Which impulses it may give.
    pub set: Set,
    /// Velocity of the four rows without these constraints (m/s, m/s, m/s, rad/s).
    pub b: [f64; 4],
    /// Added to the diagonal of the operator: velocity per impulse of each row, zero for rigid constraints. Equations that
    /// follow from others take 1e-12 of their own diagonal entry.
    pub compliance: [f64; 4],
}

impl ConeContact {
    /// Coulomb friction μ with spin moment μ e P, rigid.
    pub fn new(mu: f64, e: f64, b: [f64; 4]) -> Self {
        Self { set: Set::Ellipsoid { friction: [mu, mu, mu * e] }, b, compliance: [0.0; 4] }
    }

    /// A constraint of one row, rigid.
    pub fn row(set: Set, b: f64) -> Self {
        Self { set, b: [b, 0.0, 0.0, 0.0], compliance: [0.0; 4] }
    }
}

/// Rows of a contact on one block: at most six velocity coordinates in which the mass is 1.
///
/// The caller folds masses into the rows. For a free body with inverse mass W and Jacobian J they are J L with W = L Lᵀ
/// ([`root`]); for a tree of joints with M = LᵀL they are J L⁻¹. Impulses f then leave the block with x = Σ rowsᵀ f and
/// the contact with v = Σ rows x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arm {
    /// Which block.
    pub block: u32,
    /// Rows n, t1, t2, s, with signs; coordinates that the block lacks are zero.
    pub rows: [[f64; 6]; 4],
}

/// Arms of one contact: a part of the list of all arms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The first.
    pub first: u32,
    /// How many: none where nothing moves; no two on the same block.
    pub count: u32,
}

impl Span {
    /// Indices of its arms.
    #[inline]
    pub fn range(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

/// How impulses change velocities.
#[derive(Clone, Debug, PartialEq)]
pub enum ConeOperator {
    /// A = Ĵ Ĵᵀ with rows Ĵ on blocks of unit mass, never formed.
    Blocks {
        /// Number of blocks.
        count: usize,
        /// Arms, contact after contact.
        arms: Vec<Arm>,
        /// Arms of each contact.
        spans: Vec<Span>,
    },
    /// The matrix A itself, 4k × 4k, symmetric: row 4i + r for row r of contact i.
    Dense(Vec<f64>),
}

impl ConeOperator {
    /// Blocks without contacts.
    pub fn blocks(count: usize) -> Self {
        ConeOperator::Blocks { count, arms: Vec::new(), spans: Vec::new() }
    }
}

/// L with L Lᵀ = W, lower triangular (Cholesky); zero columns where W, positive semidefinite, has none.
pub fn root(w: &[[f64; 6]; 6]) -> [[f64; 6]; 6] {
    let mut l = [[0.0; 6]; 6];
    for a in 0..6 {
        for b in 0..=a {
            let sum = w[a][b] - (0..b).map(|k| l[a][k] * l[b][k]).sum::<f64>();
            if a == b {
                l[a][a] = if sum > 1e-14 * w[a][a] { sum.sqrt() } else { 0.0 };
            } else if l[b][b] > 0.0 {
                l[a][b] = sum / l[b][b];
            }
        }
    }
    l
}

/// Rows through the [`root`] of an inverse mass: J L.
#[inline]
pub fn through(rows: &[[f64; 6]; 4], root: &[[f64; 6]; 6]) -> [[f64; 6]; 4] {
    let mut out = [[0.0; 6]; 4];
    for (out, row) in out.iter_mut().zip(rows) {
        for i in 0..6 {
            for c in 0..=i {
                out[c] += row[i] * root[i][c];
            }
        }
    }
    out
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
    /// Whether there are constraints of one row, as joints have them.
    pub(crate) fn has_scalar_rows(&self) -> bool {
        self.contacts.iter().any(|contact| !contact.set.is_contact())
    }

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
            ConeOperator::Blocks { count, arms, spans } => {
                length("the list of spans", k, spans.len())?;
                finite("rows", arms.iter().flat_map(|arm| arm.rows.as_flattened()))?;
                for (i, span) in spans.iter().enumerate() {
                    let what = |what: &str| format!("{what} of contact {i}");
                    let Some(own) = arms.get(span.range()) else {
                        let (what, value) = (what("the last arm"), span.range().end as f64);
                        return Err(InputError::Range { what, expected: "within the list of arms", value });
                    };
                    if let Some(arm) = own.iter().find(|arm| arm.block as usize >= *count) {
                        let (what, value) = (what("a block"), f64::from(arm.block));
                        return Err(InputError::Range { what, expected: "an index of a block", value });
                    }
                    let twice = |(n, arm): &(usize, &Arm)| own[..*n].iter().any(|other| other.block == arm.block);
                    if let Some((_, arm)) = own.iter().enumerate().find(twice) {
                        let (what, value) = (what("a block"), f64::from(arm.block));
                        return Err(InputError::Range { what, expected: "in one arm only", value });
                    }
                }
            }
        }
        for (i, c) in self.contacts.iter().enumerate() {
            finite("b", c.b.iter())?;
            let set: &[f64] = match &c.set {
                Set::Ellipsoid { friction } => friction,
                Set::Within(limit) => std::slice::from_ref(limit),
                Set::AtLeast | Set::Free => &[],
            };
            let numbers = set.iter().map(|x| ("friction", x)).chain(c.compliance.iter().map(|x| ("compliance", x)));
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

//! # Cone problems: contacts on the exact friction ellipsoid, limits, dry friction and equations of joints
//!
//! blocks, contacts ([`ConeProblem`]) ──▶ **here** ──(impulses, velocities, residual)──▶ a time stepper
//!
//! - **in**: four rows per contact, one per limit, equation or dry friction ([`Set`]); how they couple (rows on blocks of unit mass, or a dense matrix), b, friction, compliance
//! - **out**: [`ConeSolver::solve`] turns impulses into better ones; [`ConeReport`] grades them; [`ConeSolver::velocities`]
//! - **not here**: polygonal friction (`lemke`); islands, time, what the rows mean in space (the caller)
//! - **assumes**: the operator is symmetric and positive semidefinite
//! - **start at** [`ConeProblem`], then [`ConeSolver`]; inside, `local` solves one constraint,
//!   `newton_velocity` all at once, `sets` tells sets apart
//!
//! Rows of a contact are n, t1, t2, s (normal, two tangents, spin); f are impulses (N·s; N·m·s for spin) or forces, v velocities
//! (m/s; rad/s for spin) after they have acted:
//!
//! ```text
//! v = A f + C f + b,   A = Ĵ Ĵᵀ (Ĵ: rows on blocks of unit mass; the solver knows no masses),   C ≥ 0 diagonal (compliance)
//! 0 ≤ P ⊥ v_n ≥ 0,   P = f_n
//! (f_t1/a1)² + (f_t2/a2)² + (f_s/a3)² ≤ P²,   friction a = (μ, μ, μ e)
//! f_t = −P a∘(a∘v_t)/|a∘v_t|   wherever a∘v_t ≠ 0     (maximum dissipation within the section at P)
//! ```
//!
//! Constraints of one row λ, v (a joint's limit, its friction loss, a coupling of joints) are the first of four rows, and the
//! other three are zero:
//!
//! ```text
//! AtLeast     0 ≤ λ ⊥ v ≥ 0
//! Within(f)   |λ| ≤ f,   v = 0 inside,   λ = −f sign(v) where v ≠ 0
//! Free        v = 0
//! ```
//!
//! A positive v_n opens the contact; f acts on the velocity with the sign that J has. b is the velocity without these contacts plus
//! whatever the caller wants at the end of the step (gap over step size, restitution). An axis with a = 0 is frictionless.
//!
//! **Residual** of a contact, in m/s: with m the largest of a, ȳ = f_t∘m/a, ū = v_t∘a/m (for a = (μ, μ, μe) these are the tangential
//! impulse with f_s/e, and the velocity with e v_s), and D the contact's own block in these coordinates,
//!
//! ```text
//! normal      |min(D_nn P, v_n)|
//! tangential  |ȳ − Π(ȳ − ū/δ)| δ,   Π: onto the ball of radius m P,   δ: largest diagonal entry of D_tt
//! ```
//!
//! and of one row with G its own entry of A + C: |min(G λ, v)| (AtLeast), G |λ − Π(λ − v/G)| (Within, Π: onto ±f), |v| (Free).
//! They are zero exactly at solutions. The residual of a problem is its largest, and velocities are computed anew for it.

mod anderson;
mod delassus;
mod globalisation;
mod interior;
mod local;
mod newton_impulse;
mod newton_velocity;
mod problem;
mod proximal;
mod sets;
mod solver;

pub use problem::{Arm, ConeContact, ConeOperator, ConeProblem, Set, Span, root, through};
pub use sets::Gauge;
pub use solver::{ConeOptions, ConeReport, ConeSolver};

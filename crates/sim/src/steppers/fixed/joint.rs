//! # Joint: a body that turns about some axes, over one step
//!
//! `solver_body` ──▶ **here** ──(root of the inverse mass at mid-step, bias, poses on the joint)──▶ `solver_body`
//!
//! - **in**: a restriction with turns, the state at the start, a guess of the turning over the step
//! - **out**: Y with Y Yᵀ = J (Jᵀ M J)⁻¹ Jᵀ at mid-step; poses and velocities that the joint allows
//! - **not here**: bodies that only slide, or are free (`solver_body`)
//! - **start at** [`Joint::place`]
//!
//! Motions are u = (w, s): turning in own axes (those of the body where it turns about all, else those of F), and the
//! slide of P along the axes of F. With r from P to the centre of mass and r̄ the mean of its start and end, a step moves
//! the centre of mass by h (s + w × r̄) without remainder, since cay(h w) turns r₀ into r₁ = r₀ + h w × r̄. So gravity and
//! contacts do the work that their rows say. The inertia Jᵀ M J is that of the attitude halfway; for hinges and ball
//! joints without slides it is the same everywhere, and energy is kept as by a free body. Elsewhere the energy that comes
//! with its change is booked ([`Joint::carry`]).

use super::solver_body::{cayley, join, renormalized, split};
use crate::model::body::{Body, Restriction};
use crate::state::BodyState;
use fingerpad_contact::spatial::SpatialVelocity;
use nalgebra::{Isometry3, Matrix3, Matrix6, Translation3, UnitQuaternion, Vector3, Vector6};

/// A body on a joint, over one step.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    mass: f64,
    I_BBcm_B: Matrix3<f64>,
    /// From P to the centre of mass, in the body (m).
    r_B: Vector3<f64>,
    /// Turns about all axes.
    ball: bool,
    turns: [bool; 3],
    slides: [bool; 3],
    /// Axes of F in the world; zero where locked.
    turning: Matrix3<f64>,
    sliding: Matrix3<f64>,
    /// At the start: pose, velocity, (w, s).
    X: Isometry3<f64>,
    V: SpatialVelocity,
    u: Vector6<f64>,
    u_step: Vector6<f64>,
    /// At mid-step: own axes in the world, r̄, r halfway, root L of Jᵀ M J, Yᵀ.
    A: Matrix3<f64>,
    r_mean: Vector3<f64>,
    r_half: Vector3<f64>,
    I_P: Matrix3<f64>,
    L: Matrix6<f64>,
    Yt: Matrix6<f64>,
    /// Impulse of the bias in the push, and the one that ν came from.
    pub bias: Vector6<f64>,
    bias_done: Vector6<f64>,
}

impl Joint {
    /// A body on its joint, to be placed.
    pub fn new(body: &Body, restriction: &Restriction) -> Self {
        let (turns, slides) = restriction.directions();
        let zero = Vector3::zeros();
        Self {
            mass: body.mass,
            I_BBcm_B: body.I_BBcm_B,
            r_B: restriction.arm(body, &UnitQuaternion::identity()),
            ball: restriction.turns == [true; 3],
            turns: restriction.turns,
            slides: restriction.slides,
            turning: Matrix3::from_columns(&turns),
            sliding: Matrix3::from_columns(&slides),
            X: Isometry3::identity(),
            V: SpatialVelocity::zero(),
            u: Vector6::zeros(),
            u_step: Vector6::zeros(),
            A: Matrix3::zeros(),
            r_mean: zero,
            r_half: zero,
            I_P: Matrix3::zeros(),
            L: Matrix6::identity(),
            Yt: Matrix6::zeros(),
            bias: Vector6::zeros(),
            bias_done: Vector6::zeros(),
        }
    }

    /// Begins a step; the turning in own axes.
    pub fn begin(&mut self, now: &BodyState) -> Vector3<f64> {
        (self.X, self.V) = (now.X_WBcm, now.V_WBcm);
        let SpatialVelocity { w, v } = self.V;
        let own = if self.ball { self.X.rotation.inverse() * w } else { self.turning.tr_mul(&w) };
        let s = self.sliding.tr_mul(&(v - w.cross(&(self.X.rotation * self.r_B))));
        self.u = join(&own, &s);
        self.u_step = self.u;
        own
    }

    /// A turning in the world.
    pub fn turning(&self, own: &Vector3<f64>) -> Vector3<f64> {
        if self.ball { self.X.rotation * own } else { self.turning * own }
    }

    /// Inertia and motions at mid-step, for a guess of the turning; own axes in the world there.
    pub fn place(&mut self, own: &Vector3<f64>, h: f64) -> Matrix3<f64> {
        let theta = self.turning(own) * h;
        let R0 = self.X.rotation;
        let half = cayley(&(theta * 0.5)) * R0;
        let R = half.to_rotation_matrix();
        let R = R.matrix();
        self.r_half = R * self.r_B;
        self.r_mean = (R0 * self.r_B + cayley(&theta) * (R0 * self.r_B)) * 0.5;
        self.A = if self.ball { *R } else { self.turning };
        let r = &self.r_half;
        let about = (Matrix3::identity() * r.norm_squared() - r * r.transpose()) * self.mass;
        self.I_P = R * self.I_BBcm_B * R.transpose() + about;
        let turned = self.A.tr_mul(&(self.I_P * self.A));
        let mut M = Matrix6::identity();
        let mut Jt = Matrix6::zeros();
        for i in 0..3 {
            let a: Vector3<f64> = self.A.column(i).into();
            if self.turns[i] {
                for j in (0..3).filter(|j| self.turns[*j]) {
                    M[(i, j)] = turned[(i, j)];
                }
                for j in (0..3).filter(|j| self.slides[*j]) {
                    let coupled = self.mass * self.sliding.column(j).dot(&a.cross(r));
                    (M[(i, j + 3)], M[(j + 3, i)]) = (coupled, coupled);
                }
            }
            if self.slides[i] {
                M[(i + 3, i + 3)] = self.mass;
            }
            let swept = a.cross(&self.r_mean);
            for k in 0..3 {
                Jt[(i, k)] = a[k];
                Jt[(i, k + 3)] = swept[k];
                Jt[(i + 3, k + 3)] = self.sliding[(k, i)];
            }
        }
        // Checked to be positive where the model was made; numbers beyond double precision show as such.
        self.L = M.cholesky().map_or(Matrix6::repeat(f64::NAN), |root| root.l());
        self.Yt = self.L.solve_lower_triangular(&Jt).unwrap_or(Matrix6::repeat(f64::NAN));
        self.A
    }

    /// L⁻ᵀ x.
    fn through(&self, x: &Vector6<f64>) -> Vector6<f64> {
        self.L.tr_solve_lower_triangular(x).unwrap_or(Vector6::repeat(f64::NAN))
    }

    /// Given impulse (moment, force) and bias through Yᵀ and L⁻¹, for σ and ν; the bias.
    ///
    /// ```text
    /// bias = h (A·(w × I_P w), m s·(w × (w × r)))        I_P about P
    /// ```
    ///
    /// With both turnings w as of the step and as their mean, the moment of a ball joint does no work.
    pub fn pushed(
        &self,
        given: &Vector6<f64>,
        sigma: &Vector6<f64>,
        nu: &Vector6<f64>,
        h: f64,
    ) -> (Vector6<f64>, Vector6<f64>) {
        let w_of = |x: &Vector6<f64>| self.A * split(&(self.u + self.through(x) * 0.5)).0;
        let (w_step, w_mean) = (w_of(sigma), w_of(nu));
        let moment = self.A.tr_mul(&w_step.cross(&(self.I_P * w_mean)));
        let swing = self.sliding.tr_mul(&w_step.cross(&w_mean.cross(&self.r_half))) * self.mass;
        let bias = join(&moment, &swing) * h;
        let resisted = self.L.solve_lower_triangular(&bias).unwrap_or(Vector6::repeat(f64::NAN));
        (self.Yt * given - resisted, bias)
    }

    /// ν is made of a push with the present bias.
    pub fn settle(&mut self) {
        self.bias_done = self.bias;
    }

    /// ν is made of a push with this bias.
    pub fn settle_with(&mut self, bias: Vector6<f64>) {
        self.bias_done = bias;
    }

    /// A row on (turning in the world, velocity) through Yᵀ.
    pub fn row(&self, row: &Vector6<f64>) -> Vector6<f64> {
        self.Yt * row
    }

    /// Velocity of the centre of mass that motions make at mid-step.
    fn velocity(&self, u: &Vector6<f64>) -> Vector3<f64> {
        let (w, s) = split(u);
        self.sliding * s + (self.A * w).cross(&self.r_mean)
    }

    /// Velocity of the centre of mass at the start as rows at mid-step see it.
    pub fn start_velocity(&self) -> Vector3<f64> {
        self.velocity(&self.u)
    }

    /// Turning in own axes and velocity of the centre of mass over the step.
    pub fn step(&mut self, sigma: &Vector6<f64>) -> (Vector3<f64>, Vector3<f64>) {
        self.u_step = self.u + self.through(sigma) * 0.5;
        (split(&self.u_step).0, self.velocity(&self.u_step))
    }

    /// Pose at the end of the step.
    pub fn end_pose(&self, own: &Vector3<f64>, h: f64) -> Isometry3<f64> {
        let R0 = self.X.rotation;
        let R1 = renormalized(&(cayley(&(self.turning(own) * h)) * R0));
        let slid = self.sliding * split(&self.u_step).1 * h;
        let p = self.X.translation.vector - R0 * self.r_B + slid + R1 * self.r_B;
        Isometry3::from_parts(Translation3::from(p), R1)
    }

    /// Velocity at the end of the step, at the pose there.
    pub fn end_velocity(&self, nu: &Vector6<f64>, X: &Isometry3<f64>) -> SpatialVelocity {
        let (own, s) = split(&(self.u + self.through(nu)));
        let w = if self.ball { X.rotation * own } else { self.turning * own };
        SpatialVelocity::new(w, self.sliding * s + w.cross(&(X.rotation * self.r_B)))
    }

    /// Kinetic energy at the start (J).
    pub fn kinetic(&self) -> f64 {
        self.energy(&self.X, &self.V)
    }

    fn energy(&self, X: &Isometry3<f64>, V: &SpatialVelocity) -> f64 {
        let w = X.rotation.inverse() * V.w;
        0.5 * (self.mass * V.v.norm_squared() + w.dot(&(self.I_BBcm_B * w)))
    }

    /// Kinetic energy gained beyond what the inertia halfway accounts for, with the work of the bias (J).
    pub fn carry(&self, nu: &Vector6<f64>, X: &Isometry3<f64>) -> f64 {
        let gained = self.energy(X, &self.end_velocity(nu, X)) - self.kinetic();
        let halfway = self.L.tr_mul(&self.u).dot(nu) + 0.5 * nu.norm_squared();
        gained - halfway - self.bias_done.dot(&self.u_step)
    }
}

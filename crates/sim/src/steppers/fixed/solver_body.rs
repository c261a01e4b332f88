//! # Solver body: a body over one step, in coordinates in which its mass is 1
//!
//! `state` ──▶ **here** ──(root of the inverse mass, push, step velocity)──▶ `rows`, `single_contact`, `island_solver`
//!
//! - **in**: a body with its pose and velocity, forces on it, a guess of its velocity over the step
//! - **out**: Y with Y Yᵀ = M⁻¹; what a solution σ makes of pose and velocity
//! - **not here**: contacts (`rows`)
//! - **start at** [`SolverBody`]
//!
//! A change of velocity is dV = Y ν. The step moves the body with V_step = V₀ + ½ Y σ, and σ = ν for a body without
//! contacts: the midpoint rule. Turning is told in the body's own axes, in which the inertia stays what it is (in those
//! of the world where all axes are alike). With R₁ = R₀ cay(h w_step) and the gyroscopic moment −w_step × I w̄, w̄ the
//! mean of start and end, a free body keeps energy and angular momentum to rounding.
//!
//! **Length.** One body in its own coordinates: places, velocities and their derivatives are each a few lines of one formula.

use super::inverse_mass::InverseMassRoot;
use super::trees::LinkMotion;
use crate::model::body::{Body, Mobility};
use crate::state::BodyState;
use fingerpad_contact::spatial::SpatialVelocity;
use nalgebra::{Isometry3, Matrix3, Quaternion, Translation3, UnitQuaternion, Vector3, Vector6};

/// A body over one step.
#[derive(Clone, Debug)]
pub struct SolverBody {
    /// Root of the inverse mass.
    pub root: InverseMassRoot,
    /// Mass (kg).
    pub mass: f64,
    /// Energy of a fall over its own size (J).
    pub fall: f64,
    /// Distance of its farthest point from the centre of mass (m).
    pub size: f64,
    /// It hardly moves: its rows are those of the anchor.
    pub rests: bool,
    /// Where rows are kept while it rests.
    pub anchor: Isometry3<f64>,
    /// How often the anchor has changed.
    pub era: u64,
    /// The era whose anchor the axes at mid-step are those of; 0 for none.
    mid: u64,
    /// At rest: Y⁻¹ V₀.
    pub start: Vector6<f64>,
    /// Pose at the start.
    pub X: Isometry3<f64>,
    /// Velocity of the centre of mass at the start, in the world (m/s).
    pub v: Vector3<f64>,
    /// Angular velocity at the start, in the body's own axes (rad/s); of a joint, in its axes.
    pub w: Vector3<f64>,
    /// Velocity of its surface over it, in the world (m/s).
    pub surface: Vector3<f64>,
    /// Guess of the velocity over the step: centre of mass, in the world (m/s).
    pub v_step: Vector3<f64>,
    /// Guess of the angular velocity over the step, in the body's own axes (rad/s).
    pub w_step: Vector3<f64>,
    /// Own axes at mid-step, in the world.
    pub R_mid: Matrix3<f64>,
    /// Root of the inverse inertia of a free body, on moments in the world at mid-step.
    pub Y_mid: Matrix3<f64>,
    /// Impulse of given forces: moment in the world, force (N·m·s, N·s), gravity included.
    pub given: (Vector3<f64>, Vector3<f64>),
    /// The same and the gyroscopic moment, through Yᵀ.
    pub push: Vector6<f64>,
    /// Gyroscopic impulse in it, in the body's own axes (N·m·s).
    pub gyroscopic: Vector3<f64>,
    /// The one that ν came from.
    pub gyroscopic_done: Vector3<f64>,
    /// σ.
    pub sigma: Vector6<f64>,
    /// ν.
    pub nu: Vector6<f64>,
    /// Neither forces nor anything else move it.
    pub stands: bool,
    /// It is left where it is.
    pub sleeps: bool,
    /// … for this part, since its island is carried apart from the others (`impact`).
    pub held: bool,
    /// Contacts that act on it.
    pub contacts: u32,
    /// Energy that came with a joint and that another pass would make smaller (J).
    pub carried: f64,
}

impl SolverBody {
    /// A body at rest, to be placed.
    pub fn new(root: InverseMassRoot, mass: f64, fall: f64, size: f64) -> Self {
        let zero = Vector3::zeros();
        Self {
            root,
            mass,
            fall,
            size,
            rests: false,
            anchor: Isometry3::identity(),
            era: 1,
            mid: 0,
            start: Vector6::zeros(),
            X: Isometry3::identity(),
            v: zero,
            w: zero,
            surface: zero,
            v_step: zero,
            w_step: zero,
            R_mid: Matrix3::identity(),
            Y_mid: Matrix3::identity(),
            given: (zero, zero),
            push: Vector6::zeros(),
            gyroscopic: zero,
            gyroscopic_done: zero,
            sigma: Vector6::zeros(),
            nu: Vector6::zeros(),
            stands: false,
            sleeps: false,
            held: false,
            contacts: 0,
            carried: 0.0,
        }
    }

    /// Begins a step of length h at a state and a time.
    #[inline]
    pub fn begin(&mut self, body: &Body, now: &BodyState, t: f64, h: f64) {
        self.X = now.X_WBcm;
        self.stands = matches!(body.mobility, Mobility::Fixed);
        if self.stands {
            // Its velocities stay what they were made as: nothing.
            return;
        }
        self.v = now.V_WBcm.v;
        self.w = match &mut self.root {
            InverseMassRoot::Free(..) => now.X_WBcm.rotation.inverse_transform_vector(&now.V_WBcm.w),
            InverseMassRoot::Joint(joint) => joint.begin(now),
            _ => now.V_WBcm.w,
        };
        if let Mobility::Prescribed(motion) = &body.mobility {
            // What the body does over the step, as a mean.
            let from = crate::steppers::fixed::candidates::centre(body, &motion.pose(&body.X_WB, t));
            let to = crate::steppers::fixed::candidates::centre(body, &motion.pose(&body.X_WB, t + h));
            self.X = from;
            self.v = (to.translation.vector - from.translation.vector) / h;
            self.w = (to.rotation * from.rotation.inverse()).scaled_axis() / h;
            self.surface = motion.surface_velocity();
        }
        self.v_step = self.v;
        self.w_step = self.w;
    }

    /// Whether forces move it.
    #[inline]
    pub fn moves(&self) -> bool {
        !matches!(self.root, InverseMassRoot::Held) && !self.sleeps
    }

    /// Whether forces never move it.
    #[inline]
    pub fn is_held(&self) -> bool {
        matches!(self.root, InverseMassRoot::Held)
    }

    /// Left where it is for this step, or not.
    #[inline]
    pub fn lie(&mut self, sleeps: bool) {
        self.sleeps = sleeps;
        if sleeps {
            let zero = Vector3::zeros();
            (self.v, self.w, self.v_step, self.w_step) = (zero, zero, zero, zero);
            (self.sigma, self.nu) = (Vector6::zeros(), Vector6::zeros());
        }
    }

    /// Whether it does nothing in this step, nor does its surface.
    #[inline]
    pub fn is_still(&self) -> bool {
        let zero = Vector3::zeros();
        self.sleeps || self.stands || (!self.moves() && self.v == zero && self.w == zero && self.surface == zero)
    }

    /// A link with the mean velocity of the motion at hand.
    pub fn ride(&mut self, V: &SpatialVelocity) {
        (self.v_step, self.w_step) = (V.v, V.w);
    }

    /// The same, to be told.
    #[inline]
    pub fn link_mut(&mut self) -> Option<&mut LinkMotion> {
        match &mut self.root {
            InverseMassRoot::Link(link) => Some(link),
            _ => None,
        }
    }

    /// How it rides on a tree, if it does.
    #[inline]
    pub fn link(&self) -> Option<&LinkMotion> {
        match &self.root {
            InverseMassRoot::Link(link) => Some(link),
            _ => None,
        }
    }

    /// Centre of mass at mid-step.
    #[inline]
    pub fn middle(&self, h: f64) -> Vector3<f64> {
        if let Some(link) = self.link() {
            return link.p_mid;
        }
        self.X.translation.vector + self.v_step * (0.5 * h)
    }

    /// How fast a place on it goes along a direction at mid-step (m/s).
    #[inline]
    pub fn speed_at(&self, p: &Vector3<f64>, n: &Vector3<f64>, h: f64) -> f64 {
        if self.stands {
            return 0.0;
        }
        n.dot(&(self.v_step + self.turning().cross(&(p - self.middle(h)))))
    }

    /// Angular velocity over the step, in the world.
    #[inline]
    pub fn turning(&self) -> Vector3<f64> {
        match &self.root {
            // cay(h w) leaves w where it is.
            InverseMassRoot::Free(..) => self.X.rotation.transform_vector(&self.w_step),
            InverseMassRoot::Joint(joint) => joint.turning(&self.w_step),
            _ => self.w_step,
        }
    }

    /// Places the own axes at mid-step.
    #[inline]
    pub fn turn_half(&mut self, h: f64) {
        if self.rests {
            self.turn_to_anchor();
            return;
        }
        self.mid = 0;
        if let InverseMassRoot::Free(Y, ..) = &self.root {
            let half = self.X.rotation * cayley(&(self.w_step * (0.5 * h)));
            self.R_mid = *half.to_rotation_matrix().matrix();
            self.Y_mid = Y * self.R_mid.transpose();
        }
        if let InverseMassRoot::Joint(joint) = &mut self.root {
            self.R_mid = joint.place(&self.w_step, h);
        }
    }

    /// Places the own axes at the anchor, and tells the velocity of the start through the root.
    #[inline]
    fn turn_to_anchor(&mut self) {
        let (t, f) = match &self.root {
            InverseMassRoot::Held | InverseMassRoot::Joint(_) | InverseMassRoot::Link(_) => {
                (Vector3::zeros(), Vector3::zeros())
            }
            InverseMassRoot::Round(i, m) => (self.w / *i, self.v / *m),
            InverseMassRoot::Sliding(Y) => (Vector3::zeros(), Y * self.v * self.mass),
            InverseMassRoot::Free(Y, m, I) => {
                if self.mid != self.era {
                    self.mid = self.era;
                    self.R_mid = *self.anchor.rotation.to_rotation_matrix().matrix();
                    self.Y_mid = Y * self.R_mid.transpose();
                }
                (Y * (I * self.w), self.v / *m)
            }
        };
        self.start = join(&t, &f);
    }

    /// Given impulse and gyroscopic moment through Yᵀ, for the present σ and ν.
    #[inline]
    pub fn gather_push(&mut self, h: f64) {
        let (push, turned) = self.pushed(&self.sigma, &self.nu, h);
        self.push = push;
        match &mut self.root {
            InverseMassRoot::Free(..) => self.gyroscopic = split(&turned).0,
            InverseMassRoot::Joint(joint) => joint.bias = turned,
            _ => {}
        }
    }

    /// The same for any σ and ν, and the gyroscopic impulse or the bias of a joint in it.
    #[inline]
    pub fn pushed(&self, sigma: &Vector6<f64>, nu: &Vector6<f64>, h: f64) -> (Vector6<f64>, Vector6<f64>) {
        let (t, f) = &self.given;
        let plain = match &self.root {
            InverseMassRoot::Held | InverseMassRoot::Link(_) => Vector6::zeros(),
            InverseMassRoot::Round(i, m) => join(&(t * *i), &(f * *m)),
            InverseMassRoot::Sliding(Y) => join(&Vector3::zeros(), &(Y * f)),
            InverseMassRoot::Free(Y, m, I) => {
                let (wide, _) = split(nu);
                let w_mean = self.w + Y * wide * 0.5;
                let (turn, _) = split(sigma);
                let w_step = self.w + Y * turn * 0.5;
                let gyroscopic = w_step.cross(&(I * w_mean)) * h;
                let push = join(&(Y * (self.R_mid.tr_mul(t) - gyroscopic)), &(f * *m));
                return (push, join(&gyroscopic, &Vector3::zeros()));
            }
            InverseMassRoot::Joint(joint) => return joint.pushed(&join(t, f), sigma, nu, h),
        };
        (plain, Vector6::zeros())
    }

    /// Gyroscopic impulse or bias of a joint in the present push.
    #[inline]
    pub fn turned(&self) -> Vector6<f64> {
        match &self.root {
            InverseMassRoot::Free(..) => join(&self.gyroscopic, &Vector3::zeros()),
            InverseMassRoot::Joint(joint) => joint.bias,
            _ => Vector6::zeros(),
        }
    }

    /// Takes over σ and ν, with what ν came from.
    #[inline]
    pub fn take(&mut self, sigma: &Vector6<f64>, nu: &Vector6<f64>, turned: &Vector6<f64>) {
        (self.sigma, self.nu) = (*sigma, *nu);
        match &mut self.root {
            InverseMassRoot::Free(..) => self.gyroscopic_done = split(turned).0,
            InverseMassRoot::Joint(joint) => joint.settle_with(*turned),
            _ => {}
        }
    }

    /// Push of a body without contacts: the gyroscopic moment of its own motion.
    #[inline]
    pub fn fly(&mut self, h: f64) {
        self.sigma = Vector6::zeros();
        self.nu = Vector6::zeros();
        self.gather_push(h);
        if self.is_gyroscopic() {
            for _ in 0..12 {
                let before = self.push;
                self.settle(before);
                self.sigma = self.nu;
                if self.contacts == 0 && matches!(self.root, InverseMassRoot::Joint(_)) {
                    // No rows hang on where it was placed.
                    self.solve();
                    self.turn_half(h);
                }
                self.gather_push(h);
                if (self.push - before).norm() <= 1e-16 * before.norm() {
                    break;
                }
            }
        }
        self.settle(self.push);
        self.sigma = self.nu;
    }

    /// ν, before contacts take their part.
    #[inline]
    pub fn settle(&mut self, push: Vector6<f64>) {
        self.nu = push;
        self.gyroscopic_done = self.gyroscopic;
        if let InverseMassRoot::Joint(joint) = &mut self.root {
            joint.settle();
        }
    }

    /// Work of given forces over the step (J), and what the gyroscopic moment did, which should be nothing.
    #[inline]
    pub fn work(&self, gravity: &Vector3<f64>, h: f64) -> (f64, f64) {
        let (t, f) = &self.given;
        let given = self.work_of(&(*t, f - gravity * (self.mass * h)));
        (given, -self.gyroscopic_done.dot(&self.w_step))
    }

    /// Work of an impulse (moment, force) over the step (J).
    #[inline]
    pub fn work_of(&self, (t, f): &(Vector3<f64>, Vector3<f64>)) -> f64 {
        let turning = match self.root {
            InverseMassRoot::Free(..) | InverseMassRoot::Joint(_) => self.R_mid * self.w_step,
            _ => self.w_step,
        };
        f.dot(&self.v_step) + t.dot(&turning)
    }

    /// Takes an impulse (moment, force) beside those given.
    #[inline]
    pub fn take_impulse(&mut self, (t, f): &(Vector3<f64>, Vector3<f64>)) {
        self.given.0 += t;
        self.given.1 += f;
    }

    /// Whether the gyroscopic moment depends on the motion.
    #[inline]
    pub fn is_gyroscopic(&self) -> bool {
        matches!(self.root, InverseMassRoot::Free(..) | InverseMassRoot::Joint(_))
    }

    /// A row on (turning in the world, velocity) through Yᵀ.
    #[inline]
    pub fn row(&self, turning: &Vector3<f64>, linear: &Vector3<f64>) -> Vector6<f64> {
        match &self.root {
            InverseMassRoot::Held => Vector6::zeros(),
            InverseMassRoot::Round(i, m) => join(&(turning * *i), &(linear * *m)),
            InverseMassRoot::Sliding(Y) => join(&Vector3::zeros(), &(Y * linear)),
            InverseMassRoot::Free(_, m, _) => join(&(self.Y_mid * turning), &(linear * *m)),
            InverseMassRoot::Joint(joint) => joint.row(&join(turning, linear)),
            InverseMassRoot::Link(link) => link.root.tr_mul(&join(turning, linear)),
        }
    }

    /// Angular velocity at the start as rows at mid-step see it, in the world.
    #[inline]
    pub fn start_turning(&self) -> Vector3<f64> {
        match self.root {
            InverseMassRoot::Free(..) | InverseMassRoot::Joint(_) => self.R_mid * self.w,
            InverseMassRoot::Link(ref link) => link.V_start.w,
            _ => self.w,
        }
    }

    /// Velocity of the centre of mass at the start as rows at mid-step see it, in the world.
    #[inline]
    pub fn start_velocity(&self) -> Vector3<f64> {
        match &self.root {
            InverseMassRoot::Joint(joint) => joint.start_velocity(),
            InverseMassRoot::Link(link) => link.V_start.v,
            _ => self.v,
        }
    }

    /// Step velocity from σ.
    #[inline]
    pub fn solve(&mut self) {
        let (turn, move_) = split(&self.sigma);
        match &mut self.root {
            InverseMassRoot::Held | InverseMassRoot::Link(_) => {}
            InverseMassRoot::Round(i, m) => {
                self.v_step = self.v + move_ * (0.5 * *m);
                self.w_step = self.w + turn * (0.5 * *i);
            }
            InverseMassRoot::Sliding(Y) => self.v_step = self.v + *Y * move_ * 0.5,
            InverseMassRoot::Free(Y, m, _) => {
                self.v_step = self.v + move_ * (0.5 * *m);
                self.w_step = self.w + *Y * turn * 0.5;
            }
            InverseMassRoot::Joint(joint) => (self.w_step, self.v_step) = joint.step(&self.sigma),
        }
    }

    /// Pose at the end of the step.
    #[inline]
    pub fn end_pose(&self, h: f64) -> Isometry3<f64> {
        if let InverseMassRoot::Joint(joint) = &self.root {
            return joint.end_pose(&self.w_step, h);
        }
        let p = self.X.translation.vector + self.v_step * h;
        if let InverseMassRoot::Sliding(_) = &self.root {
            return Isometry3::from_parts(Translation3::from(p), self.X.rotation);
        }
        let turn = cayley(&(self.w_step * h));
        let rotation = match self.root {
            InverseMassRoot::Free(..) => self.X.rotation * turn,
            _ => turn * self.X.rotation,
        };
        Isometry3::from_parts(Translation3::from(p), renormalized(&rotation))
    }

    /// Velocity at the end of the step, `X` the pose there.
    #[inline]
    pub fn end_velocity(&self, X: &Isometry3<f64>) -> SpatialVelocity {
        let (turn, move_) = split(&self.nu);
        match &self.root {
            // Trees tell those of their links.
            InverseMassRoot::Held | InverseMassRoot::Link(_) => SpatialVelocity::new(self.w, self.v),
            InverseMassRoot::Round(i, m) => SpatialVelocity::new(self.w + turn * *i, self.v + move_ * *m),
            InverseMassRoot::Sliding(Y) => SpatialVelocity::new(self.w, self.v + Y * move_),
            InverseMassRoot::Free(Y, m, _) => {
                SpatialVelocity::new(X.rotation.transform_vector(&(self.w + Y * turn)), self.v + move_ * *m)
            }
            InverseMassRoot::Joint(joint) => joint.end_velocity(&self.nu, X),
        }
    }

    /// Energy that comes with a joint (J), `X` the pose at the end of the step: by an inertia that changes, and by a way
    /// that another pass would make shorter.
    #[inline]
    pub fn carry(&self, X: &Isometry3<f64>, gravity: &Vector3<f64>, h: f64) -> (f64, f64) {
        match &self.root {
            InverseMassRoot::Joint(joint) => {
                let fallen = X.translation.vector - self.X.translation.vector - self.v_step * h;
                (joint.carry(&self.nu, X), -gravity.dot(&fallen) * self.mass)
            }
            _ => (0.0, 0.0),
        }
    }

    /// An energy to measure small ones by (J): kinetic at the start, and that of a fall over its own size.
    #[inline]
    pub fn reference(&self) -> f64 {
        let turning = match &self.root {
            InverseMassRoot::Held => return 0.0,
            InverseMassRoot::Sliding(_) => 0.0,
            InverseMassRoot::Round(i, _) => self.w.norm_squared() / (i * i),
            InverseMassRoot::Free(_, _, I) => self.w.dot(&(I * self.w)),
            InverseMassRoot::Joint(joint) => return joint.kinetic() + self.fall,
            InverseMassRoot::Link(link) => return link.scale + self.fall,
        };
        0.5 * (self.mass * self.v.norm_squared() + turning) + self.fall
    }
}

/// (turning, linear) as one.
#[inline]
pub fn join(turning: &Vector3<f64>, linear: &Vector3<f64>) -> Vector6<f64> {
    Vector6::new(turning.x, turning.y, turning.z, linear.x, linear.y, linear.z)
}

#[inline]
pub fn split(x: &Vector6<f64>) -> (Vector3<f64>, Vector3<f64>) {
    (Vector3::new(x[0], x[1], x[2]), Vector3::new(x[3], x[4], x[5]))
}

/// Cayley's rotation: r₁ − r₀ = θ × (r₀ + r₁)/2.
#[inline]
pub fn cayley(theta: &Vector3<f64>) -> UnitQuaternion<f64> {
    let scale = 1.0 / (1.0 + 0.25 * theta.norm_squared()).sqrt();
    let v = theta * (0.5 * scale);
    UnitQuaternion::new_unchecked(Quaternion::new(scale, v.x, v.y, v.z))
}

/// Length 1 to rounding, for a quaternion that is nearly so. (A factor of its own would round lengths above 1 otherwise
/// than those below, and spin would lose 1e-16 a step.)
#[inline]
pub fn renormalized(q: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
    let c = q.coords;
    UnitQuaternion::new_unchecked(Quaternion::from(c + c * (0.5 - 0.5 * c.norm_squared())))
}

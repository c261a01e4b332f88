//! # Discrete law: mean loads of a contact over a step, from its displacements
//!
//! `rows` ──(numbers of one contact, frozen)──▶ **here** ──(mean loads, slopes, energies)──▶ `single_contact`, `island_solver`
//!
//! - **in**: displacements u over the step: approach, two along the axes of the patch, turn
//! - **out**: mean loads on those displacements, their slopes; where the springs end; what is stored and lost
//! - **not here**: how faces press (`press`); which limit holds (`friction_limit`)
//! - **assumes**: the friction limit (P, share φ of the step in contact, θ) is held while u is searched
//! - **start at** [`DiscreteLaw::loads`], then [`DiscreteLaw::refresh`], [`DiscreteLaw::account`]
//!
//! **Normal.** f_el = (1 − β) (V(δ₁) − V(δ₀))/u₀ + β V′(δ₁): the mean force, and as far as the contact is stiff (β) the
//! force at the end. Dampers act beside it; f_n ≥ 0.
//!
//! **Along the patch.** y = N ξ is the elastic state. It goes to y_tr = y₀ + φ N u, returns to the limit, y₁, and
//! the load is φ N ((1 − θ) y₀ + θ y₁). Then, with no remainder,
//!
//! ```text
//! load · u = ½|y₁|² − ½|y₀|² + (θ − ½)|y₁ − y₀|² + ((1 − θ) y₀ + θ y₁)·(y_tr − y₁)
//!            stored            numerical, ≥ 0       slip, ≥ 0 for θ ≥ γ₀/(γ₀ + P), and where y₀·(y_tr − y₁) ≥ 0
//! ```
//!
//! with γ₀ the load P for which y₀ would just hold. Within that, θ and the limit of y₁ are what the mean of the load on its
//! way needs: where the contact slips all the step, its impulse is μ times that of the normal force, whatever the step
//! ([`DiscreteLaw::weigh`]). Touchdown and release need no sub-step: φ is the part of the step in contact.
//!
//! Where dampers lie beside springs that can slip, the slider is in series with both; then θ = 1.

mod friction_limit;

use super::curve::Curve;
use fingerpad_contact::friction::return_map::multiplier;
use fingerpad_contact::law::Stiffness;
use nalgebra::{Matrix3, Vector3, Vector4};

/// What holds along the patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// Nothing.
    Nothing,
    /// Springs without limit.
    Springs,
    /// Springs up to the friction limit.
    Limited,
    /// Springs and dampers beside them, up to the friction limit.
    Damped,
}

/// One contact over one step.
#[derive(Clone, Copy, Debug)]
pub struct DiscreteLaw {
    /// 1/h (1/s).
    pub rate: f64,
    /// Elastic normal force.
    pub curve: Curve,
    /// Its factor at the start, where curvature may change it; else 0.
    pub factor: f64,
    /// Approach at the start (m).
    pub d0: f64,
    /// Its rate there (m/s).
    pub rate0: f64,
    /// How stiff the normal direction is, 0 to 1.
    pub beta: f64,
    /// Hunt–Crossley (s/m).
    pub hunt_crossley: f64,
    /// Kelvin–Voigt, normal (N·s/m).
    pub damper: f64,
    /// What holds along the patch.
    pub hold: Hold,
    /// N: roots of the stiffness along the axes of the patch.
    pub root: Vector3<f64>,
    /// Dampers along them.
    pub dampers: Vector3<f64>,
    /// Weights w of the friction limit Σ w f² ≤ P².
    pub weights: Vector3<f64>,
    /// Elastic state at the start.
    pub y0: Vector3<f64>,
    /// γ₀.
    pub gauge0: f64,
    /// Whether it slipped in the last step.
    pub slipped: bool,
    /// Least θ.
    pub theta: f64,
    /// What is held while u is searched.
    pub held: Held,
    /// The normal force that friction follows, where it is another's: that of two faces.
    pub borne: Option<Borne>,
}

/// A normal force over a step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Borne {
    /// At the end of the step (N).
    pub load: f64,
    /// Mean of the whole step (N).
    pub mean: f64,
    /// Share of the step in contact.
    pub share: f64,
    /// At the start, or where contact begins (N).
    pub first: f64,
}

/// The friction limit of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Held {
    /// Normal force whose friction bounds the springs at the end (N).
    pub load: f64,
    /// Share of the step in contact.
    pub share: f64,
    /// θ.
    pub theta: f64,
    /// Slip may lead against the springs: θ then has its least value for which no slip gains, whatever it does.
    pub wary: bool,
}

/// Mean loads and their slopes.
#[derive(Clone, Copy, Debug)]
pub struct Loads {
    /// On (approach, along, across, turn).
    pub f: Vector4<f64>,
    /// ∂f₀/∂u₀.
    pub normal: f64,
    /// ∂f_t/∂u_t.
    pub tangential: Slope,
    /// The normal part in detail.
    pub pressed: Pressed,
}

/// Slope of the loads along the patch.
#[derive(Clone, Copy, Debug)]
pub enum Slope {
    /// As long as it holds: each axis by itself.
    Holds(Vector3<f64>),
    /// As it slips, symmetric.
    Slips(Matrix3<f64>),
}

/// The normal part of a contact's loads.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pressed {
    /// Mean force (N).
    pub force: f64,
    /// Its slope (N/m).
    pub slope: f64,
    /// Its elastic part f_el (N).
    pub elastic: f64,
    /// V at the end (J).
    pub stored: f64,
    /// V′ at the end less the mean of V′ (N).
    pub above: f64,
}

/// Energies of a step (J), and where the springs end.
#[derive(Clone, Copy, Debug)]
pub struct Account {
    /// Numerical loss, normal.
    pub numerical_n: f64,
    /// Numerical loss, tangential.
    pub numerical_t: f64,
    /// Lost in dampers.
    pub viscous: f64,
    /// Lost to slip.
    pub slip: f64,
    /// Elastic state at the end.
    pub y1: Vector3<f64>,
    /// Whether the load was beyond its limit.
    pub slips: bool,
}

/// The return to the limit: the state, and its slope by the trial state where that was beyond.
struct Return {
    y: Vector3<f64>,
    slope: Option<Matrix3<f64>>,
}

impl Slope {
    /// K.
    pub fn matrix(&self) -> Matrix3<f64> {
        match self {
            Self::Holds(k) => Matrix3::from_diagonal(k),
            Self::Slips(K) => *K,
        }
    }

    #[inline]
    fn scaled(self, by: f64) -> Self {
        match self {
            Self::Holds(k) => Self::Holds(k * by),
            Self::Slips(K) => Self::Slips(K * by),
        }
    }
}

impl DiscreteLaw {
    /// Loads for displacements u, the friction limit as held.
    #[inline]
    pub fn loads(&self, stiffness: &Stiffness, u: &Vector4<f64>) -> Loads {
        self.loads_pressed(self.normal(stiffness, u[0]), u)
    }

    /// The same where the normal part is known.
    #[inline]
    pub fn loads_pressed(&self, pressed: Pressed, u: &Vector4<f64>) -> Loads {
        let u_t = Vector3::new(u[1], u[2], u[3]);
        let (f, tangential) = self.along(&u_t);
        Loads { f: Vector4::new(pressed.force, f.x, f.y, f.z), normal: pressed.slope, tangential, pressed }
    }

    /// Loads without displacement, for as long as it holds.
    pub fn sticking(&self, stiffness: &Stiffness) -> Loads {
        let held = Held { load: f64::INFINITY, share: 1.0, theta: self.theta, wary: false };
        Self { held, ..*self }.loads(stiffness, &Vector4::zeros())
    }

    /// The normal part.
    #[inline]
    pub fn normal(&self, stiffness: &Stiffness, u: f64) -> Pressed {
        let d1 = self.d0 + u;
        let (mean, mean_slope) = self.curve.mean(stiffness, self.d0, d1);
        let (stored, f1, k1) = self.curve.at(stiffness, d1);
        let (beta, above) = (self.beta, f1 - mean);
        let elastic = mean + beta * above;
        let slope = mean_slope + beta * (k1 - mean_slope);
        let grown = 1.0 + self.hunt_crossley * u * self.rate;
        let damper = self.damper * self.rate;
        let force = elastic * grown + damper * (d1.max(0.0) - self.d0.max(0.0));
        if force <= 0.0 || grown <= 0.0 {
            return Pressed { force: 0.0, slope: 0.0, elastic, stored, above };
        }
        let by_damper = if d1 > 0.0 { damper } else { 0.0 };
        let slope = slope * grown + elastic * self.hunt_crossley * self.rate + by_damper;
        Pressed { force, slope, elastic, stored, above }
    }

    #[inline]
    fn along(&self, u: &Vector3<f64>) -> (Vector3<f64>, Slope) {
        let Held { share, theta, .. } = self.held;
        if self.hold == Hold::Nothing || share == 0.0 {
            return (Vector3::zeros(), Slope::Holds(Vector3::zeros()));
        }
        if self.hold == Hold::Damped {
            let (F, slope, _) = self.in_series(u);
            return (F * share, slope.scaled(share));
        }
        let trial = self.y0 + self.root.component_mul(u) * share;
        let back = self.back(&trial);
        let blended = self.y0 + (back.y - self.y0) * theta;
        let damped = self.dampers * (share * self.rate);
        let f = self.root.component_mul(&blended) * share + damped.component_mul(u);
        let Some(slope) = back.slope else {
            let k = self.root.component_mul(&self.root) * (share * share * theta);
            return (f, Slope::Holds(k + damped));
        };
        let mut K = slope * (share * share * theta);
        for i in 0..3 {
            for j in 0..3 {
                K[(i, j)] *= self.root[i] * self.root[j];
            }
            K[(i, i)] += damped[i];
        }
        (f, Slope::Slips(K))
    }

    /// Brings a state back to the limit.
    #[inline]
    fn back(&self, trial: &Vector3<f64>) -> Return {
        let inside = Return { y: *trial, slope: None };
        if self.hold == Hold::Springs {
            return inside;
        }
        let P = self.held.load;
        let q = self.root.component_mul(&self.root).component_mul(&self.weights);
        let used = q.component_mul(trial).dot(trial);
        if used <= P * P {
            return inside;
        }
        if P <= 0.0 {
            return Return { y: Vector3::zeros(), slope: Some(Matrix3::zeros()) };
        }
        let (shrink, slope) = returned(trial, &q, &q, P, used);
        Return { y: shrink, slope: Some(slope) }
    }

    /// Spring and damper in series with a slider: load F = N y₁ + b (u − s)/h, its slope, the slip s.
    fn in_series(&self, u: &Vector3<f64>) -> (Vector3<f64>, Slope, Vector3<f64>) {
        let k = self.root.component_mul(&self.root) * self.held.share + self.dampers * self.rate;
        let trial = self.root.component_mul(&self.y0) + k.component_mul(u);
        let P = self.held.load;
        let used = self.weights.component_mul(&trial).dot(&trial);
        if used <= P * P {
            return (trial, Slope::Holds(k), Vector3::zeros());
        }
        let mut F = Vector3::zeros();
        let mut slope = Matrix3::zeros();
        if P > 0.0 {
            let (load, by_trial) = returned(&trial, &self.weights, &k.component_mul(&self.weights), P, used);
            F = load;
            slope = by_trial * Matrix3::from_diagonal(&k);
            // Symmetric but for rounding.
            slope = (slope + slope.transpose()) * 0.5;
        }
        let slip = (trial - F).zip_map(&k, |f, k| if k > 0.0 { f / k } else { 0.0 });
        (F, Slope::Slips(slope), slip)
    }

    /// The normal force by itself: u = a − B f(u), by a few Newton steps from a first force; the last one looked at, with
    /// its displacement.
    #[inline]
    pub fn press(&self, stiffness: &Stiffness, a: f64, B: f64, first: f64) -> (Pressed, f64) {
        let mut u = a - B * first;
        let mut pressed = self.normal(stiffness, u);
        for _ in 0..3 {
            let off = u - a + B * pressed.force;
            if off.abs() <= 1e-10 * (a - u).abs() {
                break;
            }
            u -= off / (1.0 + B * pressed.slope);
            pressed = self.normal(stiffness, u);
        }
        (pressed, u)
    }

    /// What a step with displacements u stores and loses; `pressed` is the normal part of its loads.
    #[inline]
    pub fn account(&self, pressed: &Pressed, u: &Vector4<f64>) -> Account {
        let mut account = Account {
            numerical_n: self.beta * pressed.above * u[0],
            numerical_t: 0.0,
            viscous: (pressed.force - pressed.elastic) * u[0],
            slip: 0.0,
            y1: self.y0,
            slips: false,
        };
        let Held { share, theta, .. } = self.held;
        if self.hold == Hold::Nothing || share == 0.0 {
            return account;
        }
        let u_t = Vector3::new(u[1], u[2], u[3]);
        if self.hold == Hold::Damped {
            let (F, _, slip) = self.in_series(&u_t);
            let kept = u_t - slip;
            account.y1 = self.y0 + self.root.component_mul(&kept) * share;
            account.numerical_t = 0.5 * (account.y1 - self.y0).norm_squared();
            account.viscous += share * self.rate * self.dampers.component_mul(&kept).dot(&kept);
            account.slip = share * F.dot(&slip);
            account.slips = slip != Vector3::zeros();
            return account;
        }
        let trial = self.y0 + self.root.component_mul(&u_t) * share;
        let back = self.back(&trial);
        let moved = back.y - self.y0;
        account.y1 = back.y;
        account.numerical_t = (theta - 0.5) * moved.norm_squared();
        account.viscous += share * self.rate * self.dampers.component_mul(&u_t).dot(&u_t);
        account.slips = back.slope.is_some();
        account.slip = if account.slips { (self.y0 + moved * theta).dot(&(trial - back.y)) } else { 0.0 };
        account
    }
}

/// The point x of Σ w x² = P² nearest to a trial point in the metric w/q, and its slope: x_i = trial_i/(1 + λ q_i).
///
/// ```text
/// ∂x/∂trial = D − (D q̂)(D ŵ)ᵀ/(ŵᵀ D q̂),    D = diag 1/(1 + λ q),   ŵ = w x,   q̂ = q x
/// ```
#[inline]
pub(super) fn returned(
    trial: &Vector3<f64>,
    w: &Vector3<f64>,
    q: &Vector3<f64>,
    P: f64,
    used: f64,
) -> (Vector3<f64>, Matrix3<f64>) {
    let largest = q.max();
    let even = (q.min() - largest).abs() <= 1e-14 * largest;
    let mut D = Vector3::repeat(P / used.sqrt());
    if !even {
        let over = 1.0 / (P * P);
        let shares = [0, 1, 2].map(|i| w[i] * trial[i] * trial[i] * over);
        let relative = [0, 1, 2].map(|i| q[i] / largest);
        let (lambda, _) = multiplier(&shares, &relative);
        D = Vector3::new(relative[0], relative[1], relative[2]).map(|r| 1.0 / (1.0 + r * lambda));
    }
    let x = D.component_mul(trial);
    let by_w = D.component_mul(w).component_mul(&x);
    let by_q = D.component_mul(q).component_mul(&x);
    let resist = w.component_mul(&x).dot(&by_q);
    let mut slope = Matrix3::from_diagonal(&D);
    if resist > 0.0 {
        slope -= by_q * by_w.transpose() / resist;
    }
    (x, slope)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fingerpad_contact::law::Constants;

    /// Whatever a step does to springs that were loaded before, slip takes energy: turned back, let go, pressed anew.
    #[test]
    fn slip_never_gains() {
        let constants = Constants { k: 2e4, n: 1.0, k_t: 1e4, k_theta: 4.0, e_n: 0.02 };
        let stiffness = Stiffness::Constants(constants);
        let mut seed = 7_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64
        };
        let (mut wary, mut slipped) = (0, 0);
        for _ in 0..200_000 {
            let mut around = |size: f64| (2.0 * random() - 1.0) * size;
            let root = Vector3::new(100.0, 100.0, 2.0);
            let weights = Vector3::new(6.25, 6.25, 6.25 / 4e-4);
            let y0 = Vector3::new(around(1.0), around(1.0), around(0.02));
            let f = root.component_mul(&y0);
            let mut law = DiscreteLaw {
                rate: 1e3,
                curve: Curve::Linear(2e4),
                factor: 0.0,
                d0: around(5e-3),
                rate0: around(1.0),
                beta: 0.1,
                hunt_crossley: 0.2,
                damper: 20.0,
                hold: Hold::Limited,
                root,
                dampers: Vector3::zeros(),
                weights,
                y0,
                gauge0: weights.component_mul(&f).dot(&f).sqrt(),
                slipped: around(1.0) > 0.0,
                theta: 0.55,
                held: Held::default(),
                borne: None,
            };
            let u = Vector4::new(around(5e-3), around(0.05), around(0.05), around(0.5));
            law.held = law.refresh(&stiffness, &law.normal(&stiffness, u[0]), &u, false);
            let account = law.account(&law.normal(&stiffness, u[0]), &u);
            slipped += u32::from(account.slips);
            wary += u32::from(law.held.wary);
            assert!(account.slip >= -1e-14 && account.numerical_t >= 0.0, "{account:?} {law:?} {u:?}");
        }
        assert!(slipped > 10_000 && wary > 1_000, "{slipped} {wary}");
    }
}

//! # Turning: what friction takes from a motion, from what it takes from turns about a point
//!
//! `chords`, `polygon` ──(H(c), ∇H, ∇²H)──▶ **here** ──(h(t), ∇h, ∇²h)──▶ `nearest`
//!
//! - **in**: for a patch of unit load and unit friction, the mean distance H(c) to a centre of rotation c
//! - **out**: the dissipation h of any twist with its gradient (minus the load) and Hessian
//! - **start at** [`Turning`], then [`support`]
//!
//! A twist t = (v, w) moves the point r of B with v + w J r = w J (r − c), c = J v/w, J a quarter turn. With p the pressure
//!
//! ```text
//! h(t) = ∬ p |v + w J r| dA = |w| H(c),    H(c) = ∬ p |r − c| dA
//! ∂h/∂v = ± Jᵀ∇H,    ∂h/∂w = ± (H − c·∇H),    ∇²h = BᵀH″B/|w| with B = [J, −c]          (± the sign of w)
//! ```
//!
//! by the chain rule. h is the support function of the friction limit: convex, of degree one, and the load on B is −∇h
//! (Goyal, §3). For c far away these lose digits, and the series of |v + w J r| in w replaces them.

use nalgebra::{Matrix2, Matrix3, Vector2, Vector3};

/// H, its gradient and its Hessian at a centre of rotation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    pub value: f64,
    pub gradient: Vector2<f64>,
    pub hessian: Matrix2<f64>,
}

/// A patch of unit load, unit friction and a size of about one.
pub(super) trait Turning {
    /// H and its derivatives at c.
    fn turn(&self, c: &Vector2<f64>) -> Turn;
    /// ∬ p r dA.
    fn first(&self) -> Vector2<f64>;
    /// ∬ p r rᵀ dA.
    fn second(&self) -> Matrix2<f64>;
}

/// The dissipation of a twist with its gradient and Hessian.
#[derive(Clone, Copy, Debug)]
pub(super) struct Support {
    pub value: f64,
    pub gradient: Vector3<f64>,
    pub hessian: Matrix3<f64>,
}

/// Distance of the centre of rotation, in sizes of the patch, beyond which the series in w is the better: its error is
/// 1/c³ of the largest moment for an even pressure, 1/c² otherwise, while H − c·∇H loses digits as c grows.
const FAR: f64 = 1e4;

/// h, ∇h and ∇²h; zero for the twist zero.
#[inline]
pub(super) fn support<T: Turning>(patch: &T, twist: &Vector3<f64>) -> Support {
    let (v, w) = (twist.xy(), twist.z);
    let speed = v.norm();
    if speed >= FAR * w.abs() {
        return sliding(patch, &v, speed, w);
    }
    let c = Vector2::new(-v.y / w, v.x / w);
    let turn = patch.turn(&c);
    let sign = w.signum();
    let g = turn.gradient * sign;
    let gradient = Vector3::new(g.y, -g.x, sign * turn.value - c.dot(&g));
    let h = turn.hessian / w.abs();
    let hc = h * c;
    let hessian = Matrix3::new(
        h[(1, 1)],
        -h[(0, 1)],
        -hc.y, //
        -h[(0, 1)],
        h[(0, 0)],
        hc.x, //
        -hc.y,
        hc.x,
        c.dot(&hc),
    );
    Support { value: w.abs() * turn.value, gradient, hessian }
}

/// The series for small w, with v̂ = v/|v|, s = ∬ p r dA and Σ = ∬ p r rᵀ dA:
///
/// ```text
/// h = |v| + w v̂·J s + (w²/2|v|) v̂ᵀΣ v̂ + …
/// ```
fn sliding<T: Turning>(patch: &T, v: &Vector2<f64>, speed: f64, w: f64) -> Support {
    if speed == 0.0 {
        return Support { value: 0.0, gradient: Vector3::zeros(), hessian: Matrix3::zeros() };
    }
    let unit = v / speed;
    let across = Vector2::new(-unit.y, unit.x);
    let (s, sigma) = (patch.first(), patch.second());
    let turned = Vector2::new(-s.y, s.x);
    let slow = w / speed;
    let along = sigma * unit;
    let spread = unit.dot(&along);
    // d v̂ = (I − v̂v̂ᵀ) dv/|v|; the quadratic term has degree −1 in v, so its gradient is (Σv̂ − (3/2) v̂ v̂ᵀΣv̂) w²/|v|².
    let force = unit + across * (slow * across.dot(&turned)) + (along - unit * (1.5 * spread)) * (slow * slow);
    let moment = unit.dot(&turned) + slow * spread;
    let mixed = (across * across.dot(&turned) + (along * 2.0 - unit * (3.0 * spread)) * slow) / speed;
    let vv = across * across.transpose() / speed;
    let hessian = Matrix3::new(
        vv[(0, 0)],
        vv[(0, 1)],
        mixed.x, //
        vv[(1, 0)],
        vv[(1, 1)],
        mixed.y, //
        mixed.x,
        mixed.y,
        spread / speed,
    );
    let gradient = Vector3::new(force.x, force.y, moment);
    Support { value: force.dot(v) + moment * w, gradient, hessian }
}

//! # Single: one contact by itself, solved in its own four displacements
//!
//! - **in**: an [`ContactConstraint`] whose bodies touch nothing else
//! - **out**: displacements, loads, σ and ν of both bodies
//! - **start at** [`solve`]
//!
//! Without other contacts the step is u = a − B f(u), with
//!
//! ```text
//! B = (h²/2) (G⁻¹ − w)⁻¹,   a = h J V₀ + (h/2) Q J push,   Q = (I − G w)⁻¹ = I + (2/h²) B w
//! ```
//!
//! B is symmetric and positive. Most steps end after one of Newton's for u itself, with the matrix I + B K. Where they do
//! not, B = L Lᵀ and u = a + L t make it t + Lᵀ f(a + L t) = 0, the gradient of a convex function of four numbers, whose
//! steps are searched along; |t|² is an energy.

use super::Tally;
use super::law::{Loads, Pressed, Slope};
use super::rows::ContactConstraint;
use super::solver_body::SolverBody;
use fingerpad_contact::law::Stiffness;
use nalgebra::{Matrix4, Vector4};

/// Rounds of Newton steps, the friction limit held in each.
const ROUNDS: u32 = 20;
/// Newton steps in a round.
const STEPS: u32 = 60;

/// Solves one contact; the energy that the blend loses, ½ σᵀ(I − T) T σ, and what is left over (J).
pub fn solve(
    active: &mut ContactConstraint,
    A: &mut SolverBody,
    B: &mut SolverBody,
    stiffness: &Stiffness,
    h: f64,
    tally: &mut Tally,
) -> (f64, f64) {
    let moved = [A.moves(), B.moves()];
    let gyroscopic = A.is_gyroscopic() || B.is_gyroscopic();
    let inertia = inertia(active, h);
    let mut a = offset(active, A, B, &inertia, h);
    // The normal force by itself first: the rows along the patch hardly change it, and the friction limit follows it.
    let (mut pressed, u_n) = active.law.press(stiffness, a[0], inertia[(0, 0)], active.f[0]);
    active.f[0] = pressed.force;
    let expected = Vector4::new(u_n, a[1], a[2], a[3]);
    active.law.held = active.law.refresh(stiffness, &pressed, &expected, false);
    active.u = a - inertia * active.f;
    active.u[0] = u_n;
    active.blend = Vector4::zeros();
    let (mut lost, mut left) = (0.0, 0.0);
    for round in 0..ROUNDS {
        let (u, loads, F) = quick(active, stiffness, pressed, &a, &inertia, tally)
            .unwrap_or_else(|| search(active, stiffness, &a, &inertia, tally));
        let f = loads.f;
        pressed = loads.pressed;
        active.u = u;
        active.f = f;
        active.pressed = pressed;
        left = f.dot(&F);
        lost = finish(active, A, B, &(a - inertia * f), moved, h);
        tally.rounds += 1;
        // Does the limit that this leads to change the loads?
        let held = active.law.renew_limit(stiffness, &pressed, &active.u, round);
        let turned = if gyroscopic { turn(A, h) + turn(B, h) } else { 0.0 };
        if !active.law.differs(&held, &active.u, LIMIT) && turned <= GYRO {
            break;
        }
        if round + 1 == ROUNDS {
            tally.open += 1;
            break;
        }
        active.law.held = held;
        if gyroscopic {
            A.gather_push(h);
            B.gather_push(h);
            a = offset(active, A, B, &inertia, h);
        }
    }
    (lost, left)
}

/// Displacements, loads, and what is left of u − a + B f.
type Found = (Vector4<f64>, Loads, Vector4<f64>);

/// B: the weights of the blend enter one by one, each by an update of rank 1.
#[inline]
fn inertia(active: &ContactConstraint, h: f64) -> Matrix4<f64> {
    let mut B = active.G;
    for i in 0..4 {
        let w = active.w[i];
        if w > 0.0 {
            let g = [B[(0, i)], B[(1, i)], B[(2, i)], B[(3, i)]];
            // w G ≤ ½.
            let scale = w / (1.0 - w * g[i]);
            for c in 0..4 {
                let by = scale * g[c];
                for r in 0..4 {
                    B[(r, c)] += g[r] * by;
                }
            }
        }
    }
    B * (0.5 * h * h)
}

/// Newton's steps for u as long as they lead to the end quickly; `pressed` is the normal part where they start.
#[inline]
fn quick(
    active: &ContactConstraint,
    stiffness: &Stiffness,
    pressed: Pressed,
    a: &Vector4<f64>,
    B: &Matrix4<f64>,
    tally: &mut Tally,
) -> Option<Found> {
    let over = B.diagonal().map(|b| if b > 0.0 { 1.0 / b } else { 0.0 });
    let size = |x: &Vector4<f64>| over.component_mul(x).dot(x);
    let mut u = active.u;
    let mut last = f64::INFINITY;
    let mut loads = active.law.loads_pressed(pressed, &u);
    for _ in 0..QUICK {
        let by_load = B * loads.f;
        let F = u - a + by_load;
        let (off, whole) = (size(&F), size(&by_load));
        // As small as rounding lets it, or no longer getting smaller; squares.
        if off <= 4e-28 * whole || (off <= 1e-22 * whole && off > 0.06 * last) || whole == 0.0 && off == 0.0 {
            return Some((u, loads, F));
        }
        if off > 0.06 * last || !off.is_finite() {
            return None;
        }
        last = off;
        tally.newton += 1;
        u -= resist(B, &loads, &F);
        loads = active.law.loads(stiffness, &u);
    }
    None
}

/// Newton's steps that are tried quickly.
const QUICK: u32 = 4;

/// (I + B K)⁻¹ F without a choice of pivots: 1 is in each of them, and a bad one would show in what is left.
#[inline]
fn resist(B: &Matrix4<f64>, loads: &Loads, F: &Vector4<f64>) -> Vector4<f64> {
    let mut M = [[0.0; 4]; 4];
    let mut x = [F[0], F[1], F[2], F[3]];
    match &loads.tangential {
        Slope::Holds(k) => {
            for (r, row) in M.iter_mut().enumerate() {
                let scale = [loads.normal, k.x, k.y, k.z];
                for c in 0..4 {
                    row[c] = B[(r, c)] * scale[c];
                }
                row[r] += 1.0;
            }
        }
        Slope::Slips(K) => {
            for (r, row) in M.iter_mut().enumerate() {
                let (p, q, s) = (B[(r, 1)], B[(r, 2)], B[(r, 3)]);
                row[0] = B[(r, 0)] * loads.normal;
                for c in 0..3 {
                    row[c + 1] = p * K[(0, c)] + q * K[(1, c)] + s * K[(2, c)];
                }
                row[r] += 1.0;
            }
        }
    }
    for i in 0..4 {
        let over = 1.0 / M[i][i];
        for r in i + 1..4 {
            let share = M[r][i] * over;
            for c in i + 1..4 {
                M[r][c] -= share * M[i][c];
            }
            x[r] -= share * x[i];
        }
        M[i][i] = over;
    }
    for i in (0..4).rev() {
        for c in i + 1..4 {
            x[i] -= M[i][c] * x[c];
        }
        x[i] *= M[i][i];
    }
    x.into()
}

/// Newton's steps with a search along each.
#[cold]
fn search(
    active: &ContactConstraint,
    stiffness: &Stiffness,
    a: &Vector4<f64>,
    B: &Matrix4<f64>,
    tally: &mut Tally,
) -> Found {
    let L = root(B);
    let mut t = -L.tr_mul(&active.f);
    let (loads, F) = newton(active, stiffness, a, &L, &mut t, tally);
    (a + L * t, loads, L * F)
}

/// How well the friction limit is met, as a share of the impulse.
const LIMIT: f64 = 1e-9;
/// How well the gyroscopic impulse is met (√J).
const GYRO: f64 = 1e-13;

/// How far the gyroscopic impulse is from what the motion found asks for.
fn turn(body: &mut SolverBody, h: f64) -> f64 {
    let (push, gyroscopic) = (body.push, body.gyroscopic);
    body.gather_push(h);
    let off = (body.push - push).norm();
    (body.push, body.gyroscopic) = (push, gyroscopic);
    off
}

#[inline]
fn offset(active: &ContactConstraint, A: &SolverBody, B: &SolverBody, inertia: &Matrix4<f64>, h: f64) -> Vector4<f64> {
    let mut pushed = Vector4::zeros();
    if A.moves() {
        pushed += active.JA.times(&A.push);
    }
    if B.moves() {
        pushed += active.JB.times(&B.push);
    }
    active.drift + pushed * (0.5 * h) + inertia * active.w.component_mul(&pushed) / h
}

/// Newton's steps with the limit held: loads and residual at the end.
#[inline]
fn newton(
    active: &ContactConstraint,
    stiffness: &Stiffness,
    a: &Vector4<f64>,
    L: &Matrix4<f64>,
    t: &mut Vector4<f64>,
    tally: &mut Tally,
) -> (Loads, Vector4<f64>) {
    let at = |t: &Vector4<f64>| {
        let loads = active.law.loads(stiffness, &(a + L * t));
        let F = t + L.tr_mul(&loads.f);
        (loads, F)
    };
    let (mut loads, mut F) = at(t);
    let mut last = f64::INFINITY;
    for _ in 0..STEPS {
        let size = F.norm();
        // As small as rounding lets it, or no longer getting smaller.
        let whole = t.norm();
        if size <= 2e-14 * whole || (size <= 1e-11 * whole && size > 0.25 * last) || whole == 0.0 {
            return (loads, F);
        }
        last = size;
        let d = direction(&loads, L, &F);
        let slope = F.dot(&d);
        let mut try_t = *t + d;
        let mut tried = at(&try_t);
        tally.newton += 1;
        let ahead = tried.1.dot(&d);
        if ahead > 0.5 * slope.abs() || !ahead.is_finite() {
            // Beyond the least value along d: between here and there by false position.
            let (mut low, mut at_low, mut high, mut at_high) = (0.0, slope, 1.0, ahead);
            for i in 0..40 {
                let share = if i % 3 == 2 { 0.5 } else { at_low / (at_low - at_high) };
                let middle = low + (high - low) * share.clamp(0.02, 0.98);
                try_t = *t + d * middle;
                tried = at(&try_t);
                let value = tried.1.dot(&d);
                if value.abs() <= 0.1 * slope.abs() {
                    break;
                }
                if value > 0.0 {
                    (high, at_high) = (middle, value);
                } else {
                    (low, at_low) = (middle, value);
                }
            }
        }
        *t = try_t;
        (loads, F) = tried;
    }
    tally.unconverged += 1;
    (loads, F)
}

/// −(I + Lᵀ K L)⁻¹ F.
#[inline]
fn direction(loads: &Loads, L: &Matrix4<f64>, F: &Vector4<f64>) -> Vector4<f64> {
    let mut K = Matrix4::zeros();
    K[(0, 0)] = loads.normal;
    K.fixed_view_mut::<3, 3>(1, 1).copy_from(&loads.tangential.matrix());
    let mut A = L.tr_mul(&(K * L));
    for i in 0..4 {
        A[(i, i)] += 1.0;
    }
    let C = root(&A);
    // Forward, then back.
    let mut x = -F;
    for i in 0..4 {
        for j in 0..i {
            x[i] -= C[(i, j)] * x[j];
        }
        x[i] /= C[(i, i)];
    }
    for i in (0..4).rev() {
        for j in i + 1..4 {
            x[i] -= C[(j, i)] * x[j];
        }
        x[i] /= C[(i, i)];
    }
    x
}

/// ν and σ of both bodies from the loads, momentum to rounding; ½ σᵀ(I − T) T σ (J).
#[inline]
fn finish(
    active: &ContactConstraint,
    A: &mut SolverBody,
    B: &mut SolverBody,
    done: &Vector4<f64>,
    moved: [bool; 2],
    h: f64,
) -> f64 {
    let f = active.f * h;
    // What the bodies do differs from u by what Newton left. z = J σ.
    let z = (done - active.drift) * (2.0 / h);
    let back = active.w.component_mul(&z);
    let mut lost = back.dot(&z);
    for (body, J, moves) in [(A, &active.JA, moved[0]), (B, &active.JB, moved[1])] {
        if moves {
            let through = J.back(&back);
            lost -= through.norm_squared();
            body.settle(body.push);
            body.nu -= J.back(&f);
            body.sigma = body.nu + through;
        }
    }
    0.5 * lost
}

/// Lower Cholesky factor of a symmetric matrix that is not negative; directions without any are left out.
#[inline]
fn root(m: &Matrix4<f64>) -> Matrix4<f64> {
    let mut L = Matrix4::zeros();
    for j in 0..4 {
        let mut d = m[(j, j)];
        for k in 0..j {
            d -= L[(j, k)] * L[(j, k)];
        }
        if d <= 0.0 {
            continue;
        }
        let r = d.sqrt();
        let over = 1.0 / r;
        L[(j, j)] = r;
        for i in j + 1..4 {
            let mut x = m[(i, j)];
            for k in 0..j {
                x -= L[(i, k)] * L[(j, k)];
            }
            L[(i, j)] = x * over;
        }
    }
    L
}

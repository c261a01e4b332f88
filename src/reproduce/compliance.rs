//! # Paper A, §5 and §6: where the contact lies, springs behind a transformer, damping of several dimensions
//!
//! - **out**: eqs 32, 34 and 40, as printed and as they should read
//! - **outside opinion**: balance of forces; the stiffness K itself; the sign of a power
//! - **start at** [`ROWS`]

use super::random::Random;
use super::{Experiment, Figure, Finding, PAPER_A, Quantity, Verdict, worse};
use crate::report::chart::{Axis, Chart, Mark};
use fingerpad_contact::law::hunt_crossley_tensor;
use fingerpad_contact::material::{Material, Theory, pair};
use fingerpad_contact::symmetric::{compose, square_root};
use nalgebra::{Matrix2, Matrix3, Vector2, Vector3};

/// Rows of this theme.
pub const ROWS: &[Experiment] = &[
    Experiment {
        name: "contact-share",
        paper: PAPER_A,
        figure: "eq. 32",
        statement: "the contact point lies at the share α = Pn(K₁)/Pn(K) between the closest points",
        compute: contact_share,
    },
    Experiment {
        name: "spring-transformer",
        paper: PAPER_A,
        figure: "eqs 34, 35",
        statement: "N = R̄ (tx ty tn rn) makes the stiffness K a unit",
        compute: spring_transformer,
    },
    Experiment {
        name: "damping-tensor",
        paper: PAPER_A,
        figure: "eq. 40",
        statement: "Hunt-Crossley damping of several dimensions: B N⁻¹ diag(xⁿ, yⁿ, …) N",
        compute: damping_tensor,
    },
];

/// α as printed, from both stiffnesses: K₁ over K = K₁K₂/(K₁ + K₂).
fn printed_share(k1: f64, k2: f64) -> f64 {
    (k1 + k2) / k2
}

fn contact_share() -> Result<Finding, String> {
    // A quotient of two sums: some rounding errors.
    const TOLERANCE: f64 = 1e-14;
    let material = |young: f64, poisson: f64| Material::elastic(young, poisson).map_err(|e| e.to_string());
    let share = |a: &Material, b: &Material| pair(a, b, Theory::Auto).map(|p| p.alpha).map_err(|e| e.to_string());
    let mut random = Random(32);
    let (mut imbalance, mut least_printed) = (0.0, f64::INFINITY);
    for _ in 0..200 {
        let mut draw = || (10.0_f64.powf(random.between(5.0, 11.0)), random.between(0.0, 0.5));
        let (one, other) = (draw(), draw());
        let stiffness = |(young, poisson): (f64, f64)| young / (1.0 - poisson * poisson);
        let (k1, k2) = (stiffness(one), stiffness(other));
        let alpha = share(&material(one.0, one.1)?, &material(other.0, other.1)?)?;
        // What is between the bodies pushes on both alike: K₁ α = K₂ (1 − α).
        imbalance = worse(imbalance, (k1 * alpha - k2 * (1.0 - alpha)) / (k1 * alpha));
        least_printed = least_printed.min(printed_share(k1, k2));
    }
    let equal = material(1e6, 0.4)?;
    let ours = share(&equal, &equal)?;
    // 1 − α loses the digits of a small share: 1e6 roundings of 1e-16 at a ratio of 1e6.
    let holds = ours == 0.5 && imbalance <= 1e6 * TOLERANCE && least_printed > 1.0;
    let softness: Vec<f64> = (-30..=30).map(|k| 10.0_f64.powf(0.1 * f64::from(k))).collect();
    let line = |share: &dyn Fn(f64) -> f64| softness.iter().map(|k1| [*k1, share(*k1)]).collect();
    let svg = Chart::new(Axis::logarithmic("K₁/K₂"), Axis::logarithmic("share α"))
        .series("as printed", Mark::Dashes, line(&|k1| printed_share(k1, 1.0)))
        .series("its inverse", Mark::Line, line(&|k1| 1.0 / printed_share(k1, 1.0)))
        .svg();
    Ok(Finding {
        theirs: Quantity::Number(printed_share(1.0, 1.0)),
        ours: Quantity::Number(ours),
        unit: "share at K₁ = K₂",
        tolerance: Some(TOLERANCE),
        verdict: Verdict::Corrects.or_fails(holds),
        note: format!(
            "Printed, α = 1 + K₁/K₂ is never below 1: the contact would lie outside the bodies' overlap. The inverse, \
             K₂/(K₁ + K₂), is meant; over 200 random pairs of materials the forces of both bodies then agree to \
             {imbalance:.1e}, and the least printed value is {least_printed:.4}."
        ),
        figures: vec![Figure {
            svg,
            caption: "Equal bodies share the deformation evenly; as printed the share is 2.".to_string(),
            file: None,
        }],
    })
}

/// A random stiffness: two directions of the tangent plane (N/m) and the turn (N·m/rad), over three and two decades.
fn random_stiffness(random: &mut Random) -> (Matrix2<f64>, f64) {
    let mut decade = |from: f64, to: f64| 10.0_f64.powf(random.between(from, to));
    let (along, across, turning) = (decade(3.0, 6.0), decade(3.0, 6.0), decade(-1.0, 1.0));
    let angle = random.between(0.0, std::f64::consts::TAU);
    (compose(along, across, &Vector2::new(angle.cos(), angle.sin())), turning)
}

fn block(k: &Matrix2<f64>, turning: f64) -> Matrix3<f64> {
    Matrix3::new(k[(0, 0)], k[(0, 1)], 0.0, k[(1, 0)], k[(1, 1)], 0.0, 0.0, 0.0, turning)
}

fn spring_transformer() -> Result<Finding, String> {
    // Products of 3 × 3 matrices with roots: tens of roundings.
    const TOLERANCE: f64 = 1e-13;
    let mut random = Random(34);
    let (mut printed, mut ours) = (Vec::new(), 0.0);
    for _ in 0..200 {
        let (k, turning) = random_stiffness(&mut random);
        let K = block(&k, turning);
        let off = |N: &Matrix3<f64>| (N.transpose() * N - K).norm() / K.norm();
        // Columns that are orthonormal in K, EᵀKE = 1, from K = LLᵀ: E = L⁻ᵀ. The paper's N is E itself.
        let lower = K.cholesky().ok_or("a stiffness that is not positive")?.l();
        let E = lower.transpose().try_inverse().ok_or("a stiffness without inverse")?;
        printed.push(off(&E));
        ours = worse(ours, off(&block(&square_root(&k), turning.sqrt())));
    }
    let theirs = printed.iter().fold(0.0, |w, e| worse(w, *e));
    let least = printed.iter().copied().fold(f64::INFINITY, f64::min);
    Ok(Finding {
        theirs: Quantity::Number(theirs),
        ours: Quantity::Number(ours),
        unit: "|NᵀN − K| / |K|",
        tolerance: Some(TOLERANCE),
        verdict: Verdict::Corrects.or_fails(ours <= TOLERANCE && least > 0.99),
        note: format!(
            "200 random stiffnesses K over three decades. With columns that are orthonormal in K, N as printed has NᵀN = K⁻¹: \
             10⁵ N/m becomes 10⁻⁵, and the load Nᵀ N v misses K v by all of it (relative error {least:.3} at least). N must be the \
             inverse of those columns, NᵀN = K; the library takes the symmetric root K^½, which does not jump where two \
             stiffnesses are equal."
        ),
        figures: Vec::new(),
    })
}

fn damping_tensor() -> Result<Finding, String> {
    // A power of zero in a direction without damping may round to either side.
    const TOLERANCE: f64 = 1e-12;
    const REACH: f64 = 10.0;
    let B = Matrix3::new(2.0, 0.9, 0.0, 0.9, 0.5, 0.0, 0.0, 0.0, 1.0);
    let mut random = Random(40);
    let (mut printed, mut ours) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..20_000 {
        let (x, v) = (random.vector(REACH), random.direction());
        // N = 1: eq. 40 reads B D, which is not symmetric.
        let D = Matrix3::from_diagonal(&x.map(|x| x * x));
        printed = printed.min(v.dot(&(B * D * v)));
        let turned = Matrix3::from_fn(|_, _| random.between(-1.0, 1.0)) + Matrix3::identity() * 2.0;
        for N in [Matrix3::identity(), turned] {
            let damping = hunt_crossley_tensor(&N, &B, &x, 2.0).ok_or("a transformer without inverse")?;
            ours = ours.min(v.dot(&(damping * v)) / damping.norm());
        }
    }
    // One direction, x³ and compression: the sign alone.
    let odd: Vector3<f64> = -Vector3::x();
    let printed_odd = B[(0, 0)] * odd.x.powi(3);
    let passive = hunt_crossley_tensor(&Matrix3::identity(), &B, &odd, 3.0).ok_or("no inverse")?;
    let holds = printed < -1.0 && printed_odd < 0.0 && passive[(0, 0)] > 0.0 && ours >= -TOLERANCE;
    Ok(Finding {
        theirs: Quantity::Number(printed),
        ours: Quantity::Number(ours.min(0.0)),
        unit: "least power / |v|²",
        tolerance: Some(TOLERANCE),
        verdict: Verdict::Corrects.or_fails(holds),
        note: format!(
            "B = [2 0.9; 0.9 0.5] is positive, yet B diag(x²) is not symmetric: over 20,000 states within ±{REACH} the damper as \
             printed gives up to {:.1} |v|² back. With x³ it does so in one dimension, since compression makes x³ negative. The \
             congruence Nᵀ D^½ B̄ D^½ N with |x|ⁿ never does; ours is the least power over the tensor's size, where \
             negative.",
            -printed
        ),
        figures: Vec::new(),
    })
}

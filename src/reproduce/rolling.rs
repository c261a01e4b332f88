//! # Paper A, eq. 22: how the closest points of two moving bodies travel
//!
//! - **out**: the relative error of the equation as printed, of its 4×4 form by pseudo-inverse, and of ours
//! - **outside opinion**: differences in time of closest points found anew at each instant
//! - **start at** [`ROWS`], then [`errors`]
//!
//! ```text
//! (g₁* + H₁² g₂* H₂¹ (I + Δ g₁*)) ṗ₂ = T̃₂¹·¹ g₁ + H₁² g₂* (Δ̇ g₂ − T̃₁²·² p₂)        (22) as printed, first line
//! ```
//!
//! and the second line with 1 and 2 exchanged. The first line's solution is ṗ₁, the second's ṗ₂: (25) inserted in
//! itself gives the names the other way round. [`Line`] writes one line; which name it gets is the row's matter.

use super::random::Random;
use super::{Experiment, Figure, Finding, PAPER_A, Quantity, Verdict, worse};
use crate::report::chart::{Axis, Chart, Mark};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::{Ellipsoid, Shape, SmoothSurface};
use fingerpad_contact::track::{ClosestPair, closest_points, rates, rolling::relative_velocity};
use nalgebra::{Isometry3, Matrix3, Matrix4, Translation3, UnitQuaternion, Vector3, Vector4};

/// Rows of this theme.
pub const ROWS: &[Experiment] = &[
    Experiment {
        name: "rolling-printed",
        paper: PAPER_A,
        figure: "eq. 22",
        statement: "velocities of the contact points, as printed",
        compute: printed,
    },
    Experiment {
        name: "rolling-corrected",
        paper: PAPER_A,
        figure: "eq. 22",
        statement: "the same with the two velocities exchanged, in a tangent basis",
        compute: corrected,
    },
    Experiment {
        name: "rolling-pinv",
        paper: PAPER_A,
        figure: "eq. 22, 4x4",
        statement: "the corrected equation in homogeneous coordinates, by pseudo-inverse",
        compute: pseudo_inverse,
    },
];

const PAIRS: usize = 60;
/// Half of what an exchange of two unrelated velocities costs on average: less would not prove it.
const WRONG: f64 = 0.5;
/// Differences in time are good to about 1e-10 here (see [`STEP`]).
const TOLERANCE: f64 = 1e-8;
/// Step of the differences (s): truncation h⁴f⁽⁵⁾/30 and round-off 1e-15/h meet near here.
const STEP: f64 = 2e-4;

fn printed() -> Result<Finding, String> {
    let errors = errors()?;
    let printed = Spread::of(&errors, |e| e.printed);
    let exchanged = Spread::of(&errors, |e| e.exchanged);
    Ok(Finding {
        theirs: Quantity::Text("exact"),
        ours: Quantity::Number(printed.worst),
        unit: "relative error",
        tolerance: Some(WRONG),
        verdict: Verdict::Corrects.or_fails(printed.median > WRONG && exchanged.worst <= TOLERANCE),
        note: format!(
            "{PAIRS} random pairs of ellipsoids, apart and slightly overlapping, with random twists. Eq. 22 solved in its \
             3×3 block exactly as printed misses the true velocities by a factor: {:.2} in the median, {:.2} at worst. \
             With ṗ₁ and ṗ₂ exchanged, and nothing else changed, the same code is right to {:.1e}. The row's tolerance \
             is the median error above which the printed equation counts as wrong.",
            printed.median, printed.worst, exchanged.worst
        ),
        figures: vec![figure(&errors)],
    })
}

fn corrected() -> Result<Finding, String> {
    let errors = errors()?;
    let ours = Spread::of(&errors, |e| e.ours);
    Ok(Finding {
        theirs: Quantity::Text("exact"),
        ours: Quantity::Number(ours.worst),
        unit: "relative error",
        tolerance: Some(TOLERANCE),
        verdict: Verdict::Agrees.or_fails(ours.worst <= TOLERANCE),
        note: format!(
            "The library's 2×2 form against fourth-order differences in time (step {STEP} s) of closest points found \
             anew at each instant: {:.1e} in the median. What is left is the differences' own error.",
            ours.median
        ),
        figures: Vec::new(),
    })
}

fn pseudo_inverse() -> Result<Finding, String> {
    let errors = errors()?;
    let pinv = Spread::of(&errors, |e| e.pinv);
    Ok(Finding {
        theirs: Quantity::Text("used as it stands"),
        ours: Quantity::Number(pinv.worst),
        unit: "relative error",
        tolerance: Some(1e-3),
        verdict: Verdict::Corrects.or_fails(pinv.worst > 1e-3),
        note: format!(
            "Even with the names exchanged, the 4×4 matrix of eq. 22 must not be pseudo-inverted: H carries the translation, \
             and the shortest solution leaks into the fourth component (median error {:.3}). The 3×3 block, or our \
             2×2 form, has no such trap.",
            pinv.median
        ),
        figures: Vec::new(),
    })
}

/// Relative errors of one pair.
#[derive(Clone, Copy, Debug)]
struct Errors {
    printed: f64,
    exchanged: f64,
    pinv: f64,
    ours: f64,
}

#[derive(Clone, Copy, Debug)]
struct Spread {
    median: f64,
    worst: f64,
}

impl Spread {
    fn of(errors: &[Errors], which: impl Fn(&Errors) -> f64) -> Self {
        let mut list: Vec<f64> = errors.iter().map(which).collect();
        list.sort_by(f64::total_cmp);
        Spread { median: list[list.len() / 2], worst: list.iter().fold(0.0, |w, e| worse(w, *e)) }
    }
}

/// A body that turns and travels at constant world velocities.
#[derive(Debug)]
struct Mover {
    shape: Shape,
    X_WB: Isometry3<f64>,
    V_WB: SpatialVelocity,
}

impl Mover {
    fn random(random: &mut Random) -> Result<Self, String> {
        let axes = [0; 3].map(|_| random.between(0.3, 1.0));
        let shape = Shape::Ellipsoid(Ellipsoid::new(axes).map_err(|e| e.to_string())?);
        let X_WB = Isometry3::from_parts(Translation3::identity(), random.rotation());
        Ok(Mover { shape, X_WB, V_WB: SpatialVelocity::new(random.vector(3.0), random.vector(1.5)) })
    }

    fn pose(&self, time: f64) -> Isometry3<f64> {
        let turn = UnitQuaternion::from_scaled_axis(self.V_WB.w * time);
        let to = self.X_WB.translation.vector + self.V_WB.v * time;
        Isometry3::from_parts(to.into(), turn * self.X_WB.rotation)
    }
}

/// Both velocities of the contact points, each in the axes of its body.
type Velocities = [Vector3<f64>; 2];

fn errors() -> Result<Vec<Errors>, String> {
    let mut random = Random(22);
    (0..PAIRS).map(|k| pair_errors(&mut random, k)).collect()
}

fn pair_errors(random: &mut Random, k: usize) -> Result<Errors, String> {
    let a = Mover::random(random)?;
    let mut b = Mover::random(random)?;
    // Two in three apart by up to 0.3 m, one in three overlapping by up to 0.05 m.
    let wanted = if k % 3 == 2 { random.between(-0.05, -0.001) } else { random.between(0.01, 0.3) };
    b.X_WB.translation.vector = random.direction() * 2.2;
    for _ in 0..8 {
        let pair = closest(&a, &b, 0.0)?;
        b.X_WB.translation.vector += a.X_WB.rotation * pair.nhat_AB_A * (wanted - pair.gap);
    }
    let truth = by_differences(&a, &b)?;
    let equation = Equation::new(&a, &b)?;
    let [one, two] = equation.lines();
    let miss = |v: Velocities| {
        let square = |v: &Velocities| v[0].norm_squared() + v[1].norm_squared();
        (square(&[v[0] - truth[0], v[1] - truth[1]]) / square(&truth)).sqrt()
    };
    let rates =
        rates(&equation.pair, &equation.X_AB, &equation.V_AB).ok_or("closest points of ellipsoids are isolated")?;
    let solve = |line: &Line| line.in_block().ok_or("the 3×3 block is singular".to_string());
    Ok(Errors {
        printed: miss([solve(&two)?, solve(&one)?]),
        exchanged: miss([solve(&one)?, solve(&two)?]),
        pinv: miss([one.by_pseudo_inverse()?, two.by_pseudo_inverse()?]),
        ours: miss([rates.p_ACa_dot, rates.p_BCb_dot]),
    })
}

fn closest(a: &Mover, b: &Mover, time: f64) -> Result<ClosestPair, String> {
    let X_AB = a.pose(time).inv_mul(&b.pose(time));
    closest_points(&a.shape, &b.shape, &X_AB).map_err(|e| e.to_string())
}

/// ṗ ≈ (8 (p₊₁ − p₋₁) − (p₊₂ − p₋₂))/12h, error O(h⁴).
fn by_differences(a: &Mover, b: &Mover) -> Result<Velocities, String> {
    let at = |steps: f64| closest(a, b, steps * STEP);
    let (p1, m1, p2, m2) = (at(1.0)?, at(-1.0)?, at(2.0)?, at(-2.0)?);
    let rate = |of: fn(&ClosestPair) -> Vector3<f64>| ((of(&p1) - of(&m1)) * 8.0 - (of(&p2) - of(&m2))) / (12.0 * STEP);
    Ok([rate(|p| p.p_ACa.coords), rate(|p| p.p_BCb.coords)])
}

/// Everything eq. 22 speaks of, for A as body 1 and B as body 2.
#[derive(Debug)]
struct Equation {
    pair: ClosestPair,
    X_AB: Isometry3<f64>,
    V_AB: SpatialVelocity,
    Dn: [Matrix3<f64>; 2],
}

impl Equation {
    fn new(a: &Mover, b: &Mover) -> Result<Self, String> {
        let X_AB = a.X_WB.inv_mul(&b.X_WB);
        let pair = closest(a, b, 0.0)?;
        let V_AB = relative_velocity(&a.X_WB, &a.V_WB, &b.X_WB, &b.V_WB).map_err(|e| e.to_string())?;
        let Dn1 = a.shape.point_near(&pair.p_ACa).map_err(|e| e.to_string())?.Dn;
        let Dn2 = b.shape.point_near(&pair.p_BCb).map_err(|e| e.to_string())?.Dn;
        Ok(Equation { pair, X_AB, V_AB, Dn: [Dn1, Dn2] })
    }

    /// The first line, and the second: the first with 1 and 2 exchanged.
    fn lines(&self) -> [Line; 2] {
        let X_BA = self.X_AB.inverse();
        // The velocity of A relative to B, told at the origin of B, in the axes of B.
        let at_Bo = self.V_AB.shift(self.X_AB.translation.vector);
        let V_BA = SpatialVelocity::new(-(X_BA.rotation * at_Bo.w), -(X_BA.rotation * at_Bo.v));
        let n1 = self.pair.nhat_AB_A;
        let n2 = -(X_BA.rotation * n1);
        let q = (self.X_AB * self.pair.p_BCb).coords;
        let gap_dot = n1.dot(&self.V_AB.shift(q).v);
        let [Dn1, Dn2] = self.Dn;
        let (p1, p2) = (self.pair.p_ACa.coords, self.pair.p_BCb.coords);
        let line = |H,
                    Dn_here,
                    Dn_there,
                    n_here,
                    n_there,
                    p_there,
                    T_here: SpatialVelocity,
                    T_there: SpatialVelocity| {
            Line { H, Dn_here, Dn_there, n_here, n_there, p_there, T_here, T_there, gap: self.pair.gap, gap_dot }
        };
        [line(self.X_AB, Dn1, Dn2, n1, n2, p2, self.V_AB, V_BA), line(X_BA, Dn2, Dn1, n2, n1, p1, V_BA, self.V_AB)]
    }
}

/// One line of eq. 22: "here" is the body whose frame it is written in, "there" the other.
#[derive(Debug)]
struct Line {
    H: Isometry3<f64>,
    Dn_here: Matrix3<f64>,
    Dn_there: Matrix3<f64>,
    n_here: Vector3<f64>,
    n_there: Vector3<f64>,
    p_there: Vector3<f64>,
    T_here: SpatialVelocity,
    T_there: SpatialVelocity,
    gap: f64,
    gap_dot: f64,
}

/// T̃ as a 4×4 matrix: (w×, v; 0, 0).
fn tilde(T: &SpatialVelocity) -> Matrix4<f64> {
    let mut M = Matrix4::zeros();
    M.fixed_view_mut::<3, 3>(0, 0).copy_from(&T.w.cross_matrix());
    M.fixed_view_mut::<3, 1>(0, 3).copy_from(&T.v);
    M
}

fn widened(D: &Matrix3<f64>) -> Matrix4<f64> {
    let mut M = Matrix4::zeros();
    M.fixed_view_mut::<3, 3>(0, 0).copy_from(D);
    M
}

fn direction(n: &Vector3<f64>) -> Vector4<f64> {
    n.push(0.0)
}

impl Line {
    /// Matrix and right-hand side in homogeneous coordinates, letter by letter.
    fn homogeneous(&self) -> (Matrix4<f64>, Vector4<f64>) {
        let (H, H_back) = (self.H.to_homogeneous(), self.H.inverse().to_homogeneous());
        let (g_here, g_there) = (widened(&self.Dn_here), widened(&self.Dn_there));
        let M = g_here + H * g_there * H_back * (Matrix4::identity() + g_here * self.gap);
        let slide = direction(&self.n_there) * self.gap_dot - tilde(&self.T_there) * self.p_there.push(1.0);
        (M, tilde(&self.T_here) * direction(&self.n_here) + H * g_there * slide)
    }

    /// The solution in the tangent plane, from the 3×3 block: the block has rank two, its null space is the normal.
    fn in_block(&self) -> Option<Vector3<f64>> {
        let (M, right) = self.homogeneous();
        let block = M.fixed_view::<3, 3>(0, 0) + self.n_here * self.n_here.transpose();
        block.lu().solve(&right.xyz())
    }

    /// The shortest solution of the whole 4×4 system.
    fn by_pseudo_inverse(&self) -> Result<Vector3<f64>, String> {
        let (M, right) = self.homogeneous();
        let inverse = M.pseudo_inverse(1e-10).map_err(str::to_string)?;
        Ok((inverse * right).xyz())
    }
}

fn figure(errors: &[Errors]) -> Figure {
    let series = |which: fn(&Errors) -> f64| -> Vec<[f64; 2]> {
        // A pair that is exact has no place on a logarithmic axis; round-off is where it belongs.
        errors.iter().enumerate().map(|(k, e)| [k as f64 + 1.0, which(e).max(1e-16)]).collect()
    };
    let svg = Chart::new(Axis::linear("pair"), Axis::logarithmic("relative error of velocities"))
        .series("as printed", Mark::Points, series(|e| e.printed))
        .series("exchanged, pinv of 4×4", Mark::Points, series(|e| e.pinv))
        .series("ours, 2×2", Mark::Points, series(|e| e.ours))
        .svg();
    let caption = "Eq. 22 of paper A on 60 random ellipsoid pairs, against differences in time; exchanged, its 3×3 block falls on ours.".to_string();
    Figure { svg, caption, file: None }
}

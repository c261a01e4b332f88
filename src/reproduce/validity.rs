//! # Paper A, §4.2: the gaps for which contact kinematics hold
//!
//! - **out**: the widest gap of a ball above a bowl, which the paper does not name
//! - **outside opinion**: brute force over the bowl: at which gap does the nearest place leave the bottom

use super::{Experiment, Figure, Finding, PAPER_A, Quantity, Verdict};
use crate::report::chart::{Axis, Chart, Mark};
use fingerpad_contact::surface::graph::{Rectangle, Term};
use fingerpad_contact::surface::{Graph, Shape, Sphere};
use fingerpad_contact::track::closest_points;
use nalgebra::Isometry3;

/// Rows of this theme.
pub const ROWS: &[Experiment] = &[Experiment {
    name: "gap-interval",
    paper: PAPER_A,
    figure: "§4.2",
    statement: "closest points move smoothly for any Δ above some Δ_min < 0",
    compute: gap_interval,
}];

/// Steepness of the bowl of paper C (1/m).
const BOWL: f64 = 0.2;
/// Radius of the ball (m).
const BALL: f64 = 0.5;
/// The closed form is reached by solving a quadratic: some rounding errors of 2 m.
const TOLERANCE: f64 = 1e-12;

fn gap_interval() -> Result<Finding, String> {
    let terms = vec![Term { p: 2, q: 0, c: BOWL }, Term { p: 0, q: 2, c: BOWL }];
    let bowl = Shape::Graph(Graph::polynomial(terms, Rectangle::PLANE).map_err(|e| e.to_string())?);
    let ball = Shape::Sphere(Sphere::new(BALL).map_err(|e| e.to_string())?);
    let X_AB = Isometry3::translation(0.0, 0.0, BALL + 0.1);
    let pair = closest_points(&bowl, &ball, &X_AB).map_err(|e| e.to_string())?;
    let ours = pair.validity().max;
    // Radius of the bowl at its bottom less that of the ball.
    let closed_form = 1.0 / (2.0 * BOWL) - BALL;
    let forced = leaves_the_bottom();
    let holds = (ours - closed_form).abs() <= TOLERANCE && (ours - forced).abs() <= 2e-3;
    Ok(Finding {
        theirs: Quantity::Text("no upper limit"),
        ours: Quantity::Number(ours),
        unit: "m",
        tolerance: Some(TOLERANCE),
        verdict: Verdict::Extends.or_fails(holds),
        note: format!(
            "A ball of radius {BALL} m above the bowl z = {BOWL}(x² + y²). The paper's Δ_min is for convex bodies; a hollow \
             also has a Δ_max, here R − r = {closed_form} m. Brute force over the bowl sees the nearest place leave the \
             bottom at {forced:.3} m."
        ),
        figures: vec![figure(ours)],
    })
}

/// Distance from the axis (m) of the place of the bowl nearest to a ball's centre at this gap above the bottom.
fn nearest_place(gap: f64) -> f64 {
    let centre = BALL + gap;
    let square = |k: usize| {
        let rho = k as f64 * 1e-3;
        rho * rho + (centre - BOWL * rho * rho).powi(2)
    };
    let best = (0..4000).min_by(|a, b| square(*a).total_cmp(&square(*b))).unwrap_or(0);
    best as f64 * 1e-3
}

/// Least gap (m), in steps of 1 mm, at which the nearest place is not the bottom.
fn leaves_the_bottom() -> f64 {
    (0..4000).map(|k| k as f64 * 1e-3).find(|gap| nearest_place(*gap) > 0.0).unwrap_or(f64::INFINITY)
}

fn figure(limit: f64) -> Figure {
    let places: Vec<[f64; 2]> = (0..=160).map(|k| k as f64 * 0.02).map(|gap| [gap, nearest_place(gap)]).collect();
    let highest = places.iter().fold(0.0_f64, |m, p| m.max(p[1]));
    let svg = Chart::new(Axis::linear("gap Δ above the bottom [m]"), Axis::linear("nearest place, from the axis [m]"))
        .series("nearest place of the bowl (brute force)", Mark::Line, places)
        .series("Δ_max of the library", Mark::Dashes, vec![[limit, 0.0], [limit, highest]])
        .svg();
    let caption = "Above Δ_max the nearest place leaves the bottom, in every direction at once.".to_string();
    Figure { svg, caption, file: None }
}

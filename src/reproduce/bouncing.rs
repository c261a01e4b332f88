//! # Paper C, §IV–V: a ball that bounces on a formula, on the same ground sampled, on irregular ground
//!
//! - **out**: how far the ball on the map strays from the ball on the formula; the tracks of figs 6a and 6b; what a model
//!   calculation costs
//! - **outside opinion**: the bowl's closed form, its foot points by a search of their own; two balls that start a little apart; the sum of all energies
//! - **not here**: the scenes' numbers (`scenes/`), patches alone (`patches`)
//! - **start at** [`ROWS`], then [`Course`]

use super::{Experiment, Figure, Finding, PAPER_C, Quantity, Verdict, worse};
use crate::report::chart::{Axis, Chart, Mark};
use crate::report::oblique::Scene as Drawing;
use crate::run::clock::Stopwatch;
use crate::run::shipped;
use fingerpad_contact::surface::elevation::weights::{Table, patch};
use fingerpad_contact::surface::graph::Rectangle;
use fingerpad_contact::surface::height::HeightJet;
use fingerpad_contact::surface::{Graph, Shape};
use fingerpad_files::scene::{Built, Scene};
use fingerpad_sim::{Accurate, Body, BodyId, EventKind, Interactions, Model, Parts, State, Stepper, Workspace, ledger};
use nalgebra::{Point3, Vector3};
use std::path::Path;

/// Rows of this theme.
pub const ROWS: &[Experiment] = &[
    Experiment {
        name: "bowl-benchmark",
        paper: PAPER_C,
        figure: "fig. 5a",
        statement: "a ball bounces in a bowl given by its formula; its closest points are followed all the time",
        compute: benchmark,
    },
    Experiment {
        name: "bowl-bouncing",
        paper: PAPER_C,
        figure: "fig. 5b",
        statement: "a ball bounces for 25 s in a bowl sampled at 1 m as in the exact bowl",
        compute: bouncing_on_a_map,
    },
    Experiment {
        name: "bowl-bouncing-printed",
        paper: PAPER_C,
        figure: "§III.C, fig. 5b",
        statement: "the same with fifth-order patches and the second derivative as printed",
        compute: bouncing_as_printed,
    },
    Experiment {
        name: "bowl-track",
        paper: PAPER_C,
        figure: "fig. 6a",
        statement: "a ball bounces around the bowl, pushed after 2.2 s",
        compute: track_in_the_bowl,
    },
    Experiment {
        name: "irregular-track",
        paper: PAPER_C,
        figure: "fig. 6b",
        statement: "a ball bounces on an irregular map",
        compute: track_on_irregular_ground,
    },
    Experiment {
        name: "model-calculation",
        paper: PAPER_C,
        figure: "§V",
        statement: "102,000 model calculations in 1.4 s; a map adds 10 µs for the patch and 100 µs for candidates",
        compute: cost,
    },
];

/// Steepness of the paper's bowl (1/m).
const BOWL: f64 = 0.2;
/// Time between two looks (s).
const LOOK: f64 = 0.05;
/// The same where a track is drawn (s).
const FINE: f64 = 0.01;

/// A shipped scene, its fixed ground first and the ball alone on it.
fn ball_alone(name: &str) -> Result<Parts, String> {
    let text = shipped::text(name).ok_or("the scene is shipped")?;
    let scene = Scene::parse(text, name, Path::new("."), &[]).map_err(|e| e.to_string())?;
    let Built { model, .. } = scene.build(&mut |_| {}).map_err(|e| e.to_string())?;
    let bodies = model.bodies();
    let ball = bodies.iter().position(|b| b.name == "ball").ok_or("the scene has a ball")?;
    let ground = bodies.iter().position(|b| !b.mobility.is_moved_by_forces()).ok_or("the scene has a ground")?;
    let pair = model.between(ground.min(ball), ground.max(ball)).ok_or("the ball touches the ground")?;
    let loads = model.loads().iter().filter(|load| load.body == BodyId(ball));
    Ok(Parts {
        bodies: vec![bodies[ground].clone(), bodies[ball].clone()],
        interactions: Interactions::of_pairs(vec![(BodyId(0), BodyId(1), model.law(&pair).clone())]),
        gravity_W: model.gravity_W(),
        loads: loads.map(|load| fingerpad_sim::Load { body: BodyId(1), ..*load }).collect(),
        kicks: Vec::new(),
        ..Parts::default()
    })
}

/// Bends of a quintic whose second derivative at a node is half of the second difference: (z₊ − 2z + z₋)/2Δ at Δ = 1 m.
const PRINTED: Table<2> = [[0.0, 0.0], [-0.5, 0.0], [0.25, 0.0], [2.25, -1.75], [-3.25, 3.0], [1.25, -1.25]];

/// The bowl by patches of 1 m as §III.C prints them.
fn printed_bowl() -> Result<Body, String> {
    let height = |x: f64, y: f64| {
        let (i, j) = (x.floor(), y.floor());
        let node = |a: usize, from: f64| (from + a as f64 - 1.0).powi(2);
        let z: [[f64; 4]; 4] = std::array::from_fn(|b| std::array::from_fn(|a| BOWL * (node(a, i) + node(b, j))));
        let [f, zx, zy, zxx, zxy, zyy] = patch(&PRINTED, &z, x - i, y - j);
        HeightJet { z: z[1][1] + f, zx, zy, zxx, zxy, zyy }
    };
    let graph = Graph::closure(height, Rectangle::PLANE).map_err(|e| e.to_string())?;
    Ok(Body::fixed("bowl", Shape::Graph(graph)))
}

/// A run and what it left.
struct Course {
    model: Model,
    /// Places of the ball's centre at each look, from the start (m).
    track: Vec<Point3<f64>>,
    /// Time (s) of each look at which the closest points are known, and their gap (m).
    gaps: Vec<[f64; 2]>,
    /// The ball's centre at the look after each touchdown (m).
    touchdowns: Vec<Point3<f64>>,
    /// Largest error of the ledger, relative to the energy at the start.
    ledger_error: f64,
    /// Greatest depth seen at a look (m).
    depth: f64,
    /// Speed at the end (m/s).
    speed: f64,
    evaluations: u64,
    steps: u64,
    /// Time the processor took (s).
    cpu: f64,
}

fn place(state: &State) -> Point3<f64> {
    Point3::from(state.bodies[1].X_WBcm.translation.vector)
}

impl Course {
    fn of(parts: Parts, look: f64, end: f64) -> Result<Self, String> {
        Self::from(parts, Vector3::zeros(), look, end)
    }

    /// A run whose ball starts `aside` (m) of where it should.
    fn from(parts: Parts, aside: Vector3<f64>, look: f64, end: f64) -> Result<Self, String> {
        let told = |e: &dyn std::fmt::Display| e.to_string();
        let model = Model::new(parts).map_err(|e| told(&e))?;
        let start = |_: BodyId, body: &Body| {
            let mut X_WB = body.X_WB;
            if body.mobility.is_moved_by_forces() {
                X_WB.translation.vector += aside;
            }
            (X_WB, body.V_WBcm)
        };
        let mut state = model.start_from(start).map_err(|e| told(&e))?;
        let mut work = Workspace::new(&model, &state);
        let first = ledger(&model, &state, &mut work).map_err(|e| told(&e))?;
        let mut course = Course {
            track: vec![place(&state)],
            gaps: Vec::new(),
            touchdowns: Vec::new(),
            ledger_error: 0.0,
            depth: 0.0,
            speed: 0.0,
            evaluations: 0,
            steps: 0,
            cpu: 0.0,
            model,
        };
        let rows = (end / look).round() as u32;
        for row in 1..=rows {
            let watch = Stopwatch::start();
            let made = Accurate::default().advance(&course.model, &mut state, &mut work, f64::from(row) * look);
            let report = made.map_err(|e| told(&e))?;
            course.cpu += watch.cpu();
            course.evaluations += report.evaluations;
            course.steps += report.steps;
            let on = work.events().iter().filter(|event| event.kind == EventKind::On);
            course.touchdowns.extend(on.map(|_| place(&state)));
            let now = ledger(&course.model, &state, &mut work).map_err(|e| told(&e))?;
            course.ledger_error = worse(course.ledger_error, (now.total() - first.total()) / (first.KE + first.PE));
            let views = work.look(&course.model, &state).map_err(|e| told(&e))?;
            course.depth = views.iter().fold(course.depth, |depth, view| worse(depth, view.depth()));
            course.gaps.extend(views.first().map(|view| [state.time, view.gap]));
            course.track.push(place(&state));
        }
        course.speed = state.bodies[1].V_WBcm.v.norm();
        Ok(course)
    }

    /// Distance to another course at each look (s, m).
    fn apart(&self, other: &Course) -> Vec<[f64; 2]> {
        let distance = |(k, (a, b)): (usize, (&Point3<f64>, &Point3<f64>))| [k as f64 * LOOK, (a - b).norm()];
        self.track.iter().zip(&other.track).enumerate().map(distance).collect()
    }
}

fn largest(apart: &[[f64; 2]]) -> f64 {
    apart.iter().fold(0.0, |so_far, [_, d]| worse(so_far, *d))
}

/// Distance of the ball's centre from the bowl z = BOWL (x² + y²) (m) and the place nearest to it, as the least over a fine row of
/// places, refined by Newton's method on the cubic of its foot: no tracker, no contact law.
fn distance_from_the_bowl(centre: &Point3<f64>) -> (f64, f64) {
    let (rho, z) = (centre.x.hypot(centre.y), centre.z);
    let squared = |s: f64| (s - rho).powi(2) + (BOWL * s * s - z).powi(2);
    let mut foot =
        (0..=4000).map(|k| 1e-3 * f64::from(k)).min_by(|a, b| squared(*a).total_cmp(&squared(*b))).unwrap_or(rho);
    for _ in 0..4 {
        let slope = foot - rho + 2.0 * BOWL * foot * (BOWL * foot * foot - z);
        foot -= slope / (1.0 + 6.0 * (BOWL * foot).powi(2) - 2.0 * BOWL * z);
    }
    let above = z - BOWL * foot * foot;
    (squared(foot).sqrt().copysign(above), foot)
}

fn benchmark() -> Result<Finding, String> {
    // Poses are right to some 1e-12 m, and the closest points are refined to rounding.
    const TOLERANCE: f64 = 1e-11;
    // Positions at rows are right to 1e-12 m each: their second difference over 10 ms.
    const FALL: f64 = 4.0 * 1e-12 / (FINE * FINE);
    let course = Course::of(ball_alone("bowl-analytic")?, FINE, 25.0)?;
    let Shape::Sphere(ball) = &*course.model.bodies()[1].shape else { return Err("the ball is a sphere".to_string()) };
    let own: Vec<(f64, f64)> = course.track.iter().map(distance_from_the_bowl).collect();
    let gap = |k: usize| own[k].0 - ball.radius();
    let at = |t: f64| (t / FINE).round() as usize;
    let off = course.gaps.iter().fold(0.0, |off, [t, followed]| worse(off, followed - gap(at(*t))));
    // Free flight: three looks in a row well above the bowl, without the push at 2.2 s.
    let (mut flights, mut fall) = (0, 0.0);
    for k in 1..course.track.len() - 1 {
        let pushed = (2.1..2.4).contains(&(k as f64 * FINE));
        // Between looks it may touch and come back: it is too high for that.
        if !pushed && (k - 1..=k + 1).all(|k| gap(k) > 0.06) {
            let [before, now, after] = [k - 1, k, k + 1].map(|k| course.track[k].coords);
            let error = (after - 2.0 * now + before) / (FINE * FINE) - course.model.gravity_W();
            (flights, fall) = (flights + 1, worse(fall, error.norm()));
        }
    }
    let line = |f: &dyn Fn(usize) -> f64| -> Vec<[f64; 2]> {
        (0..course.track.len()).map(|k| [k as f64 * FINE, f(k)]).collect()
    };
    // The foot lies on the ray from the axis through the ball.
    let beside = |k: usize, axis: usize| {
        let p = &course.track[k];
        own[k].1 * p[axis] / p.x.hypot(p.y).max(f64::MIN_POSITIVE)
    };
    let svg = Chart::new(Axis::linear("time [s]"), Axis::linear("[m]"))
        .series("least distance d", Mark::Line, line(&gap))
        .series("u", Mark::Dashes, line(&|k| beside(k, 0)))
        .series("v", Mark::Line, line(&|k| beside(k, 1)))
        .svg();
    Ok(Finding {
        theirs: Quantity::Text("the expected bouncing"),
        ours: Quantity::Number(off),
        unit: "m, gap followed against gap found anew",
        tolerance: Some(TOLERANCE),
        verdict: Verdict::Extends.or_fails(
            off <= TOLERANCE && fall <= FALL && flights > 20 && course.gaps.len() > 100 && course.touchdowns.len() > 8,
        ),
        note: format!(
            "The paper plots the distance d, the place (u, v) of the closest point on the bowl and the ball's position, without \
             numbers; mass, stiffness and the start are ours. The gap of the closest points that are followed differs by {off:.1e} m at \
             most from the least distance to the formula, found anew at {} looks. {} touchdowns. In {flights} triples of looks in \
             free flight the ball falls with g to {fall:.1e} m/s².",
            course.gaps.len(),
            course.touchdowns.len()
        ),
        figures: vec![Figure {
            svg,
            caption:
                "Least distance of ball and bowl, and the closest point (u, v) on the bowl. Compare paper C, fig. 5a."
                    .to_string(),
            file: None,
        }],
    })
}

fn bouncing_on_a_map() -> Result<Finding, String> {
    // Sums of steps' errors are 1e-12 m for each run, and neighbours part by less than ten times.
    const TOLERANCE: f64 = 2e-11;
    const ASIDE: f64 = 1e-9;
    let formula = Course::of(ball_alone("bowl-analytic")?, LOOK, 25.0)?;
    let map = Course::of(ball_alone("bowl-map")?, LOOK, 25.0)?;
    let aside = Course::from(ball_alone("bowl-analytic")?, Vector3::new(ASIDE, 0.0, 0.0), LOOK, 25.0)?;
    let apart = formula.apart(&map);
    let worst = largest(&apart);
    let growth = largest(&formula.apart(&aside)) / ASIDE;
    let series = |axis: usize| -> Vec<[f64; 2]> {
        formula.track.iter().enumerate().map(|(k, p)| [k as f64 * LOOK, p[axis]]).collect()
    };
    let motion = Chart::new(Axis::linear("time [s]"), Axis::linear("place of the ball [m]"))
        .series("x", Mark::Line, series(0))
        .series("y", Mark::Dashes, series(1))
        .series("z", Mark::Line, series(2))
        .svg();
    let visible = apart.iter().skip(1).map(|[t, d]| [*t, d.max(1e-17)]).collect();
    let difference = Chart::new(Axis::linear("time [s]"), Axis::logarithmic("distance [m]"))
        .series("ball on the map to ball on the formula", Mark::Line, visible)
        .svg();
    Ok(Finding {
        theirs: Quantity::Text("minor numerical differences"),
        ours: Quantity::Number(worst),
        unit: "m, largest distance in 25 s",
        tolerance: Some(TOLERANCE),
        verdict: Verdict::Agrees.or_fails(worst <= TOLERANCE && growth < 10.0),
        note: format!(
            "Scenes bowl-analytic and bowl-map: the paper gives the bowl, its sampling at 1 m and the push after 2.2 s; mass, \
             stiffness and the start are ours. {} touchdowns, then the ball rolls. A ball that starts {ASIDE:.0e} m aside ends {growth:.1} \
             times as far aside: the motion does not magnify differences, and patches reproduce this bowl exactly, so that \
             the figure tests the stepper and the change from patch to patch, not the patches' accuracy.",
            formula.touchdowns.len()
        ),
        figures: vec![
            Figure {
                svg: motion,
                caption: "The ball in the bowl: (x, y, z) of paper C, fig. 5a.".to_string(),
                file: None,
            },
            Figure {
                svg: difference,
                caption: "What the sampled bowl changes. Compare paper C, fig. 5b.".to_string(),
                file: None,
            },
        ],
    })
}

fn bouncing_as_printed() -> Result<Finding, String> {
    // A centimetre is no numerical difference.
    const WRONG: f64 = 0.01;
    let formula = Course::of(ball_alone("bowl-analytic")?, LOOK, 25.0)?;
    let mut parts = ball_alone("bowl-analytic")?;
    parts.bodies[0] = printed_bowl()?;
    let printed = Course::of(parts, LOOK, 25.0)?;
    let apart = formula.apart(&printed);
    let (first, worst) = (largest(&apart[..=20]), largest(&apart));
    Ok(Finding {
        theirs: Quantity::Text("a good choice"),
        ours: Quantity::Number(worst),
        unit: "m, largest distance in 25 s",
        tolerance: Some(WRONG),
        verdict: Verdict::Corrects.or_fails(worst > WRONG),
        note: format!(
            "Fifth-order patches with (z₊ − 2z + z₋)/2Δ at the nodes join with continuous curvature, of the wrong size: at Δ = 1 m \
             the bowl becomes a quilt of hollows and flats. The ball is {first:.3} m off after one second and {worst:.3} m at worst. \
             With the corrected difference row bowl-bouncing has rounding errors. The paper's own fig. 5b is of cubic \
             patches (eq. 6), which this does not touch. The tolerance is the distance above which the printed one counts as wrong."
        ),
        figures: Vec::new(),
    })
}

fn track_in_the_bowl() -> Result<Finding, String> {
    const TOLERANCE: f64 = 1e-9;
    let course = Course::of(ball_alone("bowl-map")?, FINE, 25.0)?;
    let turns = turns_about_the_middle(&course.track);
    let bounces = course.touchdowns.len();
    Ok(Finding {
        theirs: Quantity::Text("bounces as expected"),
        ours: Quantity::Number(course.ledger_error),
        unit: "largest error of the ledger, relative",
        tolerance: Some(TOLERANCE),
        verdict: Verdict::Agrees.or_fails(course.ledger_error <= TOLERANCE && bounces > 8 && course.depth < 0.05),
        note: format!(
            "Scene bowl-map. {bounces} touchdowns, {:.1} mm deep at most (looked at every 10 ms); then the ball rolls, {turns:.1} turns about the middle \
             in all, {:.2} m/s at the end: the law has no loss in rolling. All energy is accounted for.",
            1e3 * course.depth,
            course.speed
        ),
        figures: vec![Figure {
            svg: draw(&course, View { reach: 2.0, lines: 1.0, zoom: 128.0, size: [880.0, 560.0] })?,
            caption: "Track of the ball's centre in the bowl sampled at 1 m (wire: rows and columns of nodes, as the patches bend \
                      between them); dots are touchdowns. Compare paper C, fig. 6a."
                .to_string(),
            file: Some("bowl-track.svg"),
        }],
    })
}

/// Turns about the vertical axis.
fn turns_about_the_middle(track: &[Point3<f64>]) -> f64 {
    let angle = |pair: &[Point3<f64>]| {
        let (a, b) = (pair[0].coords.xy(), pair[1].coords.xy());
        (a.perp(&b)).atan2(a.dot(&b))
    };
    track.windows(2).map(angle).sum::<f64>().abs() / std::f64::consts::TAU
}

fn track_on_irregular_ground() -> Result<Finding, String> {
    const TOLERANCE: f64 = 1e-9;
    let course = Course::of(ball_alone("irregular-map")?, FINE, 5.0)?;
    let bounces = course.touchdowns.len();
    Ok(Finding {
        theirs: Quantity::Text("bounces"),
        ours: Quantity::Number(course.ledger_error),
        unit: "largest error of the ledger, relative",
        tolerance: Some(TOLERANCE),
        verdict: Verdict::Agrees.or_fails(course.ledger_error <= TOLERANCE && bounces > 3 && course.depth < 0.05),
        note: format!(
            "The paper's irregular map is not printed; ours has hills from 10 m to 0.4 m long, 301 × 301 heights at 0.1 m (scene \
             irregular-map, the ball alone). {bounces} touchdowns in 5 s, {:.1} mm deep at most (looked at every 10 ms); all energy is accounted for.",
            1e3 * course.depth
        ),
        figures: vec![Figure {
            svg: draw(&course, View { reach: 2.0, lines: 0.2, zoom: 145.0, size: [880.0, 620.0] })?,
            caption: "Track of the ball's centre on irregular ground (wire every second node); dots are touchdowns. Compare paper C, \
                      fig. 6b."
                .to_string(),
            file: Some("irregular-track.svg"),
        }],
    })
}

fn cost() -> Result<Finding, String> {
    // 1.4 s for 102,000, and 10 + 100 µs.
    const THEIRS: f64 = 1.4e6 / 102_000.0 + 110.0;
    let micro = |course: &Course| 1e6 * course.cpu / course.evaluations as f64;
    let formula = Course::of(ball_alone("bowl-analytic")?, LOOK, 25.0)?;
    let map = Course::of(ball_alone("bowl-map")?, LOOK, 25.0)?;
    Ok(Finding {
        theirs: Quantity::Number(THEIRS),
        ours: Quantity::Number(micro(&map)),
        unit: "µs per model calculation on the map",
        tolerance: None,
        verdict: Verdict::Extends.or_fails(micro(&map) < THEIRS),
        note: format!(
            "Processor time of this run, so it changes from run to run and machine to machine; theirs is from an ordinary PC of the time. On the \
             formula {:.2} µs (theirs {:.1} µs). 25 s on the map: {} steps, {} model calculations (closest points, law, \
             accelerations), {:.2} s, at errors of 1e-12 a step; the paper does not tell its own.",
            micro(&formula),
            1.4e6 / 102_000.0,
            map.steps,
            map.evaluations,
            map.cpu
        ),
        figures: Vec::new(),
    })
}

/// What a drawing shows.
#[derive(Clone, Copy, Debug)]
struct View {
    /// Half side of the square of ground (m).
    reach: f64,
    /// Distance of the lines of the wire (m).
    lines: f64,
    /// Pixels per metre.
    zoom: f64,
    /// Width and height (px).
    size: [f64; 2],
}

/// Wire of the ground about the middle of the track, the track and its touchdowns.
fn draw(course: &Course, view: View) -> Result<String, String> {
    let ground = &course.model.bodies()[0];
    let Shape::Elevation(map) = &*ground.shape else { return Err("the ground is a map".to_string()) };
    // Half way between the ends of the track along each axis; lines of the wire lie on nodes.
    let half_way = |axis: usize| {
        let ends = course.track.iter().fold([f64::MAX, f64::MIN], |[lo, hi], p| [lo.min(p[axis]), hi.max(p[axis])]);
        0.5 * (ends[0] + ends[1])
    };
    let whole = |x: f64| (x / view.lines).round() * view.lines;
    let middle = Point3::new(whole(half_way(0)), whole(half_way(1)), half_way(2));
    let on_ground = |x: f64, y: f64| -> Result<Point3<f64>, String> {
        let p = ground.X_WB.inverse_transform_point(&Point3::new(x, y, 0.0));
        let z = map.jet(p.x, p.y).map_err(|e| e.to_string())?.z;
        Ok(ground.X_WB * Point3::new(p.x, p.y, z))
    };
    let mut drawing = Drawing::looking_at(view.size[0], view.size[1], middle, view.zoom);
    let count = (2.0 * view.reach / view.lines).round() as i32;
    for k in 0..=count {
        let across = f64::from(k) * view.lines - view.reach;
        for east in [true, false] {
            let mut line = Vec::new();
            for m in 0..=96 {
                let along = f64::from(m) / 48.0 * view.reach - view.reach;
                let (dx, dy) = if east { (along, across) } else { (across, along) };
                line.push(on_ground(middle.x + dx, middle.y + dy)?);
            }
            drawing.polyline(&line, "#8d94a1", 0.9);
        }
    }
    drawing.polyline(&course.track, "#b3123c", 1.8);
    for p in &course.touchdowns {
        drawing.dot(p, 3.5, "#b3123c");
    }
    if let Shape::Sphere(ball) = &*course.model.bodies()[1].shape
        && let (Some(first), Some(last)) = (course.track.first(), course.track.last())
    {
        drawing.ball(first, ball.radius());
        drawing.ball(last, ball.radius());
    }
    Ok(drawing.svg("Track of a ball on an elevation map"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The printed table is what its constraint says: slopes by central differences, half of the second difference at both
    /// nodes, heights kept; to round-off of a few terms.
    #[test]
    fn printed_bends_satisfy_the_printed_constraint() {
        let node = |x: f64| BOWL * x * x;
        let z: [[f64; 4]; 4] = std::array::from_fn(|_| std::array::from_fn(|a| node(a as f64 - 1.0)));
        for (s, x) in [(0.0, 0.0), (1.0, 1.0)] {
            let [f, zx, _, zxx, _, _] = patch(&PRINTED, &z, s, 0.5);
            assert!((f - node(x)).abs() < 1e-14 && (zx - 0.5 * (node(x + 1.0) - node(x - 1.0))).abs() < 1e-14);
            assert!((zxx - 0.5 * (node(x + 1.0) - 2.0 * node(x) + node(x - 1.0))).abs() < 1e-14);
        }
    }
}

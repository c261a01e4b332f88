//! # Paper C, §III: polynomial patches on an elevation map
//!
//! - **out**: continuity, the second derivative, absolute coordinates, and the bowl of fig. 5
//! - **outside opinion**: the printed systems of equations, solved as they stand; the bowl's closed form
//! - **start at** [`ROWS`]

use super::random::Random;
use super::{Experiment, Figure, Finding, PAPER_C, Quantity, Verdict, worse};
use crate::report::chart::{Axis, Chart, Mark};
use fingerpad_contact::surface::elevation::{ElevationMap, Grid, Interpolation, Samples};
use fingerpad_contact::surface::height::HeightJet;
use nalgebra::{Matrix4, Matrix6, Vector4, Vector6};

/// Rows of this theme.
pub const ROWS: &[Experiment] = &[
    Experiment {
        name: "patch-continuity",
        paper: PAPER_C,
        figure: "§III.C",
        statement: "fifth-order patches join with continuous curvature (C2)",
        compute: continuity,
    },
    Experiment {
        name: "patch-second-derivative",
        paper: PAPER_C,
        figure: "§III.C",
        statement: "second derivative at a node: (z₊ − 2z + z₋)/2Δ",
        compute: second_derivative,
    },
    Experiment {
        name: "patch-absolute-coordinates",
        paper: PAPER_C,
        figure: "eqs 2, 5",
        statement: "coefficients from powers of map coordinates",
        compute: absolute_coordinates,
    },
    Experiment {
        name: "patch-bowl",
        paper: PAPER_C,
        figure: "fig. 5b",
        statement: "a bowl sampled at 1 m: patches against the exact surface",
        compute: bowl_on_a_grid,
    },
];

/// Steepness of the paper's bowl (1/m).
const BOWL: f64 = 0.2;

fn map(grid: Grid, z: impl Fn(usize, usize) -> f64, kind: Interpolation) -> Result<ElevationMap, String> {
    let heights = (0..grid.nx * grid.ny).map(|k| z(k % grid.nx, k / grid.nx)).collect();
    ElevationMap::new(grid, Samples::F64(heights), kind).map_err(|e| e.to_string())
}

/// The six numbers of a jet.
fn parts(jet: &HeightJet) -> [f64; 6] {
    [jet.z, jet.zx, jet.zy, jet.zxx, jet.zxy, jet.zyy]
}

fn rough(kind: Interpolation) -> Result<ElevationMap, String> {
    let grid = Grid { nx: 9, ny: 8, dx: 0.5, dy: 2.0, x0: 0.0, y0: 0.0 };
    let mut random = Random(3);
    let z: Vec<f64> = (0..grid.nx * grid.ny).map(|_| random.between(-1.0, 1.0)).collect();
    map(grid, |i, j| z[j * grid.nx + i], kind)
}

/// Largest jump over all inner edges, of each of the six numbers, as a share of its largest size.
fn jumps(map: &ElevationMap) -> Result<[f64; 6], String> {
    let (nx, ny) = (map.grid().nx, map.grid().ny);
    let (mut jump, mut size) = ([0.0; 6], [0.0; 6]);
    let mut compare = |one: HeightJet, two: HeightJet| {
        for (k, (a, b)) in parts(&one).into_iter().zip(parts(&two)).enumerate() {
            jump[k] = worse(jump[k], a - b);
            size[k] = worse(size[k], a);
        }
    };
    let jet = |i, j, s, t| map.jet_in_cell(i, j, s, t).map_err(|e| e.to_string());
    for j in 0..ny - 1 {
        for i in 0..nx - 1 {
            for step in 0..=16 {
                let along = f64::from(step) / 16.0;
                if i + 2 < nx {
                    compare(jet(i, j, 1.0, along)?, jet(i + 1, j, 0.0, along)?);
                }
                if j + 2 < ny {
                    compare(jet(i, j, along, 1.0)?, jet(i, j + 1, along, 0.0)?);
                }
            }
        }
    }
    Ok(std::array::from_fn(|k| jump[k] / size[k]))
}

fn continuity() -> Result<Finding, String> {
    // Sums of 16 terms of size 1, differentiated twice: about a hundred rounding errors.
    const TOLERANCE: f64 = 1e-12;
    let (quintic, cubic) = (rough(Interpolation::Quintic)?, rough(Interpolation::Cubic)?);
    let worst = jumps(&quintic)?.into_iter().fold(0.0, worse);
    let [_, _, _, zxx, _, zyy] = jumps(&cubic)?;
    let cubic_jump = zxx.max(zyy);
    let line = |map: &ElevationMap| -> Vec<[f64; 2]> {
        let places = (1..6).flat_map(|i| (0..=40).map(move |k| (i, f64::from(k) / 40.0)));
        let value = |(i, s): (usize, f64)| Some([(i as f64 + s) * 0.5, map.jet_in_cell(i, 3, s, 0.3).ok()?.zxx]);
        places.filter_map(value).collect()
    };
    let svg = Chart::new(Axis::linear("x [m], nodes every 0.5 m"), Axis::linear("z_xx [1/m]"))
        .series("cubic: C1", Mark::Dashes, line(&cubic))
        .series("quintic: C2", Mark::Line, line(&quintic))
        .svg();
    Ok(Finding {
        theirs: Quantity::Text("C2"),
        ours: Quantity::Number(worst),
        unit: "largest jump, relative",
        tolerance: Some(TOLERANCE),
        verdict: Verdict::Agrees.or_fails(worst <= TOLERANCE && cubic_jump > 0.1),
        note: format!(
            "A random map of 9 × 8 nodes, 0.5 m × 2 m: z, both slopes and all three second derivatives are compared across \
             every inner edge. The cubic patches of §III.A–B jump in curvature by {cubic_jump:.2} of its largest value, \
             as the paper says of them."
        ),
        figures: vec![Figure {
            svg,
            caption: "Second derivative along a line of a random map: cubic patches jump at every node.".to_string(),
            file: None,
        }],
    })
}

/// z″ inside a cell of the line z = BOWL x², by a quintic whose node data are the paper's, at s in the cell (Δ = 1 m).
fn printed_second_derivative(s: f64) -> Option<f64> {
    let z = |x: f64| BOWL * x * x;
    let slope = |x: f64| 0.5 * (z(x + 1.0) - z(x - 1.0));
    let bend = |x: f64| 0.5 * (z(x + 1.0) - 2.0 * z(x) + z(x - 1.0));
    // Rows: f(0), f(1), f′(0), f′(1), f″(0), f″(1) of a polynomial with coefficients of s⁰…s⁵.
    #[rustfmt::skip]
    let M = Matrix6::new(
        1.0, 0.0, 0.0, 0.0, 0.0, 0.0,
        1.0, 1.0, 1.0, 1.0, 1.0, 1.0,
        0.0, 1.0, 0.0, 0.0, 0.0, 0.0,
        0.0, 1.0, 2.0, 3.0, 4.0, 5.0,
        0.0, 0.0, 2.0, 0.0, 0.0, 0.0,
        0.0, 0.0, 2.0, 6.0, 12.0, 20.0,
    );
    let c = M.lu().solve(&Vector6::new(z(0.0), z(1.0), slope(0.0), slope(1.0), bend(0.0), bend(1.0)))?;
    Some(2.0 * c[2] + 6.0 * c[3] * s + 12.0 * c[4] * s * s + 20.0 * c[5] * s.powi(3))
}

fn bowl(interpolation: Interpolation) -> Result<ElevationMap, String> {
    let grid = Grid { nx: 11, ny: 11, dx: 1.0, dy: 1.0, x0: -5.0, y0: -5.0 };
    let z = |i: usize, j: usize| {
        let (x, y) = (i as f64 - 5.0, j as f64 - 5.0);
        BOWL * (x * x + y * y)
    };
    map(grid, z, interpolation)
}

fn second_derivative() -> Result<Finding, String> {
    // Second differences of heights up to 10 m: some tens of their rounding errors.
    const TOLERANCE: f64 = 1e-13;
    let truth = 2.0 * BOWL;
    let ours = bowl(Interpolation::Quintic)?.jet_georeferenced(0.0, 0.0).map_err(|e| e.to_string())?.zxx;
    let theirs = printed_second_derivative(0.0).ok_or("the printed system is singular")?;
    let places: Vec<f64> = (0..=60).map(|k| f64::from(k) / 60.0).collect();
    let printed: Vec<[f64; 2]> =
        places.iter().filter_map(|s| printed_second_derivative(*s).map(|zxx| [*s, zxx])).collect();
    let map = bowl(Interpolation::Quintic)?;
    let corrected = places.iter().filter_map(|s| Some([*s, map.jet_georeferenced(*s, 0.0).ok()?.zxx])).collect();
    let svg = Chart::new(Axis::linear("place in the cell [m]"), Axis::linear("z_xx [1/m]"))
        .series("as printed", Mark::Dashes, printed)
        .series("ours (and exact)", Mark::Line, corrected)
        .svg();
    Ok(Finding {
        theirs: Quantity::Number(theirs),
        ours: Quantity::Number(ours),
        unit: "1/m",
        tolerance: Some(TOLERANCE),
        verdict: Verdict::Corrects.or_fails((ours - truth).abs() <= TOLERANCE && (theirs - truth).abs() > 0.1 * truth),
        note: format!(
            "z_xx of the bowl 0.2(x² + y²) sampled at Δ = 1 m; exact is {truth}. The printed constraint divides by 2Δ where a \
             difference of two slopes Δ/2 apart on either side asks for Δ²: half the curvature at this Δ, and its units are those of a slope. \
             The two agree only at Δ = 2 m."
        ),
        figures: vec![Figure {
            svg,
            caption: "Second derivative of the bowl inside one cell, by the printed constraint and by ours."
                .to_string(),
            file: None,
        }],
    })
}

/// X (or Y) of eq. 2: values and slopes of 1, x, x², x³ at both ends of a cell.
fn hermite_matrix(x: f64) -> Matrix4<f64> {
    let (a, b) = (x, x + 1.0);
    #[rustfmt::skip]
    let X = Matrix4::new(
        1.0, a, a * a, a * a * a,
        1.0, b, b * b, b * b * b,
        0.0, 1.0, 2.0 * a, 3.0 * a * a,
        0.0, 1.0, 2.0 * b, 3.0 * b * b,
    );
    X
}

/// How the coefficients of eq. 5 are had from its matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coefficients {
    /// C = Y⁻¹ Z X⁻ᵀ with the inverses formed, as printed.
    ByInverse,
    /// Two solves, as one should.
    BySolving,
}

/// Largest error (m) of the patch of eqs 2–6 with absolute powers, on a bowl whose bottom is at (corner, corner).
fn error_with_absolute_powers(corner: f64, how: Coefficients) -> Option<f64> {
    let z = |i: i32, j: i32| BOWL * f64::from(i * i + j * j);
    // z̄_j: heights and slopes at both ends of row j, eq. 2; Δ = 1.
    let row = |j: i32| Vector4::new(z(0, j), z(1, j), 0.5 * (z(1, j) - z(-1, j)), 0.5 * (z(2, j) - z(0, j)));
    let Z = Matrix4::from_rows(&[
        row(0).transpose(),
        row(1).transpose(),
        (row(1) - row(-1)).transpose() * 0.5,
        (row(2) - row(0)).transpose() * 0.5,
    ]);
    let X = hermite_matrix(corner);
    let C = match how {
        Coefficients::ByInverse => {
            let inverse = X.lu().try_inverse()?;
            inverse * Z * inverse.transpose()
        }
        Coefficients::BySolving => {
            let left = X.lu().solve(&Z)?;
            X.lu().solve(&left.transpose())?.transpose()
        }
    };
    let mut worst = 0.0;
    for (u, v) in places_in_a_cell() {
        let powers = |x: f64| Vector4::new(1.0, x, x * x, x * x * x);
        let height = powers(corner + v).dot(&(C * powers(corner + u)));
        worst = worse(worst, height - BOWL * (u * u + v * v));
    }
    Some(worst)
}

fn places_in_a_cell() -> impl Iterator<Item = (f64, f64)> {
    // Sixteenths are exact in binary, also after a large number is added.
    (0..=16).flat_map(|j| (0..=16).map(move |i| (f64::from(i) / 16.0, f64::from(j) / 16.0)))
}

/// The same through the library's map.
fn error_with_local_powers(corner: f64) -> Result<f64, String> {
    let grid = Grid { nx: 4, ny: 4, dx: 1.0, dy: 1.0, x0: corner - 1.0, y0: corner - 1.0 };
    let z = |i: usize, j: usize| BOWL * ((i as f64 - 1.0).powi(2) + (j as f64 - 1.0).powi(2));
    let map = map(grid, z, Interpolation::Cubic)?;
    let mut worst = 0.0;
    for (u, v) in places_in_a_cell() {
        let jet = map.jet_georeferenced(corner + u, corner + v).map_err(|e| e.to_string())?;
        worst = worse(worst, jet.z - BOWL * (u * u + v * v));
    }
    Ok(worst)
}

fn absolute_coordinates() -> Result<Finding, String> {
    const TOLERANCE: f64 = 1e-14;
    const CORNER: f64 = 1e3;
    let singular = "eq. 2 is singular at 1000 m";
    let theirs = error_with_absolute_powers(CORNER, Coefficients::ByInverse).ok_or(singular)?;
    let solved = error_with_absolute_powers(CORNER, Coefficients::BySolving).ok_or(singular)?;
    let ours = error_with_local_powers(CORNER)?;
    let corners: Vec<f64> = (0..=23).map(|k| 10.0_f64.powf(f64::from(k) / 4.0)).map(f64::round).collect();
    let visible = |x: f64, error: f64| [x, error.max(1e-17)];
    let printed = |how| -> Vec<[f64; 2]> {
        corners.iter().filter_map(|x| error_with_absolute_powers(*x, how).map(|e| visible(*x, e))).collect()
    };
    let local = corners.iter().filter_map(|x| error_with_local_powers(*x).ok().map(|e| visible(*x, e))).collect();
    let svg = Chart::new(
        Axis::logarithmic("distance from the origin of coordinates [m]"),
        Axis::logarithmic("error of height [m]"),
    )
    .series("powers of map coordinates, as printed", Mark::Points, printed(Coefficients::ByInverse))
    .series("the same, solved not inverted", Mark::Points, printed(Coefficients::BySolving))
    .series("ours, powers within the cell", Mark::Points, local)
    .svg();
    Ok(Finding {
        theirs: Quantity::Number(theirs),
        ours: Quantity::Number(ours),
        unit: "m, error of height",
        tolerance: Some(TOLERANCE),
        verdict: Verdict::Corrects.or_fails(ours <= TOLERANCE && theirs > 1e-3),
        note: format!(
            "The bowl, {CORNER} m from the origin of coordinates, with X⁻¹ and Y⁻¹ of eqs 2 and 5 formed as printed, in double \
             precision. Solving instead of inverting still loses {solved:.1e} m there, and more with every metre; projected \
             maps lie at 5·10⁵ m and beyond. Powers within the cell lose nothing."
        ),
        figures: vec![Figure {
            svg,
            caption: "Error of a cubic patch on a bowl, by distance from the origin of coordinates.".to_string(),
            file: None,
        }],
    })
}

fn bowl_on_a_grid() -> Result<Finding, String> {
    // Heights up to 10 m: some rounding errors of them.
    const TOLERANCE: f64 = 2e-14;
    let map = bowl(Interpolation::Quintic)?;
    let mut random = Random(5);
    let mut worst = 0.0;
    for _ in 0..2000 {
        let (x, y) = (random.between(-5.0, 5.0), random.between(-5.0, 5.0));
        let jet = map.jet_georeferenced(x, y).map_err(|e| e.to_string())?;
        worst = worse(worst, jet.z - BOWL * (x * x + y * y));
    }
    Ok(Finding {
        theirs: Quantity::Text("small errors"),
        ours: Quantity::Number(worst),
        unit: "m, error of height",
        tolerance: Some(TOLERANCE),
        verdict: Verdict::Agrees.or_fails(worst <= TOLERANCE),
        note: "2000 random places of the bowl 0.2(x² + y²) sampled at 1 m, edges included. Patches reproduce parabolas: what \
               fig. 5b shows cannot be interpolation error, and says little about rough ground."
            .to_string(),
        figures: Vec::new(),
    })
}

//! # Paper C, fig. 4: patches on a map, under a ball that passes over them
//!
//! - **out**: the patches that the ball's contact points visit, drawn on the map's wire; how their normals and
//!   curvatures join
//! - **outside opinion**: each edge evaluated from both of its patches
//! - **not here**: projection and painter's order (`report::oblique`)
//! - **start at** [`patches_on_map`]

use super::{Experiment, Figure, Finding, PAPER_C, Quantity, Verdict, worse};
use crate::report::oblique::{Scene, shade};
use fingerpad_contact::surface::elevation::{ElevationMap, Grid, Interpolation, Samples};
use fingerpad_contact::surface::{Shape, Sphere, SurfacePoint};
use fingerpad_contact::track::closest_points;
use nalgebra::{Isometry3, Point3, Vector3};
use std::sync::Arc;

/// Rows of this theme.
pub const ROWS: &[Experiment] = &[Experiment {
    name: "patches-on-map",
    paper: PAPER_C,
    figure: "fig. 4",
    statement: "patches f12, f22, f21, f32 and f33 on an arbitrary map join smoothly",
    compute: patches_on_map,
}];

/// Radius of the ball (m).
const BALL: f64 = 0.3;
/// Curvatures of about 1/m from heights of 1 m on cells of 1 m: a hundred rounding errors.
const TOLERANCE: f64 = 1e-12;

/// The map: 6 × 6 nodes at 1 m as in the figure, heights of some overlapping hills and hollows.
fn hills(interpolation: Interpolation) -> Result<ElevationMap, String> {
    // Place (m), height (m) and width (m) of each hill.
    const HILLS: [[f64; 4]; 8] = [
        [0.6, 4.4, 0.75, 0.9],
        [3.1, 4.6, 0.55, 0.8],
        [4.6, 2.9, 0.85, 0.8],
        [2.1, 2.3, 0.55, 0.75],
        [0.5, 1.2, 0.45, 0.8],
        [3.6, 0.8, 0.5, 0.7],
        [1.7, 3.4, -0.35, 0.7],
        [2.9, 1.7, -0.3, 0.6],
    ];
    let grid = Grid { nx: 6, ny: 6, dx: 1.0, dy: 1.0, x0: 0.0, y0: 0.0 };
    let mut heights = Vec::new();
    for j in 0..grid.ny {
        for i in 0..grid.nx {
            let (x, y) = (i as f64, j as f64);
            let hill = |[cx, cy, h, w]: [f64; 4]| h * (-((x - cx).powi(2) + (y - cy).powi(2)) / (w * w)).exp();
            // A little roughness that is the same everywhere: a fractional part of multiples.
            let rough = 0.25 * (((7 * i + 13 * j) as f64 * 0.618_034).fract() - 0.5);
            heights.push(0.5 + rough + HILLS.into_iter().map(hill).sum::<f64>());
        }
    }
    ElevationMap::new(grid, Samples::F64(heights), interpolation).map_err(|e| e.to_string())
}

/// The ball at one place of its way.
#[derive(Clone, Copy, Debug)]
struct Stop {
    centre: Point3<f64>,
    contact: Point3<f64>,
    cell: (usize, usize),
}

/// The way of the ball's centre over the map: a curve through places (m).
fn way() -> Vec<[f64; 2]> {
    const THROUGH: [[f64; 2]; 8] =
        [[1.1, 2.9], [1.35, 2.6], [1.9, 2.45], [2.45, 1.75], [2.95, 2.1], [3.5, 2.6], [3.6, 3.3], [3.3, 3.95]];
    let mut places = Vec::new();
    for k in 1..THROUGH.len() - 2 {
        for step in 0..14 {
            let t = f64::from(step) / 14.0;
            let at = |axis: usize| {
                let [a, b, c, d] = [k - 1, k, k + 1, k + 2].map(|k| THROUGH[k][axis]);
                // Catmull-Rom.
                b + 0.5 * t * (c - a + t * (2.0 * a - 5.0 * b + 4.0 * c - d + t * (3.0 * (b - c) + d - a)))
            };
            places.push([at(0), at(1)]);
        }
    }
    places
}

/// The ball lowered onto the map along its way.
fn roll(map: &Arc<ElevationMap>) -> Result<Vec<Stop>, String> {
    let ground = Shape::Elevation(Arc::clone(map));
    let ball = Shape::Sphere(Sphere::new(BALL).map_err(|e| e.to_string())?);
    let mut stops = Vec::new();
    for [x, y] in way() {
        let mut z = map.jet(x, y).map_err(|e| e.to_string())?.z + BALL;
        let mut contact = Point3::origin();
        // Lower by the gap until there is none: Newton's way, since the gap falls by n_z per metre.
        for _ in 0..8 {
            let pair = closest_points(&ground, &ball, &Isometry3::translation(x, y, z)).map_err(|e| e.to_string())?;
            contact = pair.p_ACa;
            z -= pair.gap / pair.nhat_AB_A.z;
        }
        let (i, j, _, _) = map.cell_at(contact.x, contact.y).map_err(|e| e.to_string())?;
        stops.push(Stop { centre: Point3::new(x, y, z), contact, cell: (i, j) });
    }
    Ok(stops)
}

/// Cells in the order of the first visit.
fn visited(stops: &[Stop]) -> Vec<(usize, usize)> {
    let mut cells = Vec::new();
    for stop in stops {
        if !cells.contains(&stop.cell) {
            cells.push(stop.cell);
        }
    }
    cells
}

/// Largest jump of the normal, and of the shape operator (1/m), over edges that two of the cells share.
fn jumps(map: &ElevationMap, cells: &[(usize, usize)]) -> Result<(f64, f64, usize), String> {
    let at = |i: usize, j: usize, s: f64, t: f64| -> Result<SurfacePoint, String> {
        Ok(map.jet_in_cell(i, j, s, t).map_err(|e| e.to_string())?.surface_point(i as f64 + s, j as f64 + t))
    };
    let (mut normal, mut curvature, mut edges) = (0.0, 0.0, 0);
    for &(i, j) in cells {
        for (east, next) in [(true, (i + 1, j)), (false, (i, j + 1))] {
            if !cells.contains(&next) {
                continue;
            }
            edges += 1;
            for step in 0..=64 {
                let along = f64::from(step) / 64.0;
                let [(s, t), (s2, t2)] = if east { [(1.0, along), (0.0, along)] } else { [(along, 1.0), (along, 0.0)] };
                let (one, two) = (at(i, j, s, t)?, at(next.0, next.1, s2, t2)?);
                normal = worse(normal, (one.nhat - two.nhat).norm());
                curvature = worse(curvature, (one.Dn - two.Dn).norm());
            }
        }
    }
    Ok((normal, curvature, edges))
}

fn patches_on_map() -> Result<Finding, String> {
    let map = Arc::new(hills(Interpolation::Quintic)?);
    let stops = roll(&map)?;
    let cells = visited(&stops);
    let (normal, curvature, edges) = jumps(&map, &cells)?;
    let (_, cubic, _) = jumps(&hills(Interpolation::Cubic)?, &cells)?;
    let names: Vec<String> = cells.iter().map(|(i, j)| format!("f{i}{j}")).collect();
    let names = names.join(", ");
    Ok(Finding {
        theirs: Quantity::Text("smooth (C2)"),
        ours: Quantity::Number(curvature.max(normal)),
        unit: "1/m, jump of curvature",
        tolerance: Some(TOLERANCE),
        verdict: Verdict::Agrees.or_fails(curvature <= TOLERANCE && normal <= TOLERANCE && edges > 0),
        note: format!(
            "The figure's map is not printed; ours has the same 6 × 6 nodes at 1 m. A ball of {BALL} m radius is lowered onto it \
             along a curve; its contact points visit {names}. Over the {edges} edges these share, normals jump by {normal:.1e} \
             and shape operators by {curvature:.1e} /m; cubic patches would jump by {cubic:.2} /m."
        ),
        figures: vec![Figure {
            svg: draw(&map, &stops, &cells)?,
            caption: format!(
                "Patches {names} (coloured) on an arbitrary elevation map (grey wire), built under the contact points of a \
                 passing ball. Compare paper C, fig. 4."
            ),
            file: Some("patches-on-map.svg"),
        }],
    })
}

/// Colours of patches, in the order of their visit.
const COLOURS: [[u8; 3]; 6] =
    [[66, 133, 214], [38, 166, 154], [139, 195, 74], [255, 179, 64], [239, 108, 87], [156, 108, 200]];
/// Colour of the map where no patch was built.
const STONE: [u8; 3] = [226, 229, 234];

fn draw(map: &ElevationMap, stops: &[Stop], cells: &[(usize, usize)]) -> Result<String, String> {
    let mut scene = Scene::new(880.0, 560.0);
    let (nx, ny) = (map.grid().nx, map.grid().ny);
    let node = |i: usize, j: usize| Point3::new(i as f64, j as f64, map.node(i, j).unwrap_or(f64::NAN));
    let base = map.height_range().0 - 0.55;
    scene.skirt((0..nx).map(|i| node(i, 0)).collect(), base);
    scene.skirt((0..ny).map(|j| node(0, j)).collect(), base);
    axes(&mut scene, base, nx - 1, ny - 1);
    // Far cells first; within a cell, far pieces first.
    for (i, j) in scene.far_first((0..nx - 1).flat_map(|i| (0..ny - 1).map(move |j| (i, j))).collect(), 1.0) {
        match cells.iter().position(|cell| *cell == (i, j)) {
            Some(k) => patch(&mut scene, map, (i, j), COLOURS[k % COLOURS.len()])?,
            None => {
                let corners = [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)];
                for [a, b, c] in [[0, 1, 2], [0, 2, 3]] {
                    let triangle = [corners[a], corners[b], corners[c]];
                    let n = (triangle[1] - triangle[0]).cross(&(triangle[2] - triangle[0])).normalize();
                    let fill = shade(STONE, &n);
                    scene.polygon(&triangle, &fill, &fill, 0.4);
                }
                scene.polyline(&[corners[0], corners[1], corners[2], corners[3], corners[0]], "#8d94a1", 0.9);
            }
        }
    }
    track(&mut scene, map, stops, cells);
    Ok(scene.svg("Patches on an elevation map under a rolling ball"))
}

/// One smooth patch in pieces, shaded, with its edges.
fn patch(scene: &mut Scene, map: &ElevationMap, (i, j): (usize, usize), colour: [u8; 3]) -> Result<(), String> {
    const PIECES: usize = 16;
    let at = |s: f64, t: f64| -> Result<SurfacePoint, String> {
        Ok(map.jet_in_cell(i, j, s, t).map_err(|e| e.to_string())?.surface_point(i as f64 + s, j as f64 + t))
    };
    let share = |k: usize| k as f64 / PIECES as f64;
    // Between the true edges and their chords, where the wire's facets end, one would look through the map.
    for side in 0..4 {
        let mut edge = Vec::new();
        for m in 0..=PIECES {
            let (a, b) = (share(m), if side % 2 == 0 { 0.0 } else { 1.0 });
            edge.push(if side < 2 { at(a, b)? } else { at(b, a)? }.p);
        }
        scene.polygon(&edge, "#aab0bb", "#aab0bb", 0.5);
    }
    for (a, b) in scene.far_first((0..PIECES).flat_map(|a| (0..PIECES).map(move |b| (a, b))).collect(), 1.0) {
        let corners = [(a, b), (a + 1, b), (a + 1, b + 1), (a, b + 1)];
        let mut points = Vec::new();
        for (a, b) in corners {
            points.push(at(share(a), share(b))?.p);
        }
        let middle = at(share(a) + 0.5 / PIECES as f64, share(b) + 0.5 / PIECES as f64)?;
        let fill = shade(colour, &middle.nhat);
        scene.polygon(&points, &fill, &fill, 0.5);
    }
    // Fine lines within the patch show its bend; the rim is the true edge, not the chord.
    for k in 0..=4 {
        let at_share = f64::from(k) / 4.0;
        let (line, width) = if k % 4 == 0 { ("#26303d", 1.3) } else { ("#ffffff66", 0.7) };
        for across in [true, false] {
            let mut curve = Vec::new();
            for m in 0..=PIECES {
                curve.push(if across { at(at_share, share(m))? } else { at(share(m), at_share)? }.p);
            }
            scene.polyline(&curve, line, width);
        }
    }
    Ok(())
}

/// Contact points, the ball at some stops, names of patches.
fn track(scene: &mut Scene, map: &ElevationMap, stops: &[Stop], cells: &[(usize, usize)]) {
    let height = |p: &Point3<f64>| map.jet(p.x, p.y).map_or(f64::NEG_INFINITY, |jet| jet.z);
    let seen: Vec<Point3<f64>> = stops.iter().map(|s| s.contact).filter(|p| scene.is_seen(p, height)).collect();
    scene.polyline(&seen, "#ffffff", 3.4);
    scene.polyline(&seen, "#b3123c", 1.8);
    for p in seen.iter().step_by(7) {
        scene.dot(p, 3.0, "#b3123c");
    }
    for k in [0, stops.len() / 2, stops.len() - 1] {
        scene.ball(&stops[k].centre, BALL);
    }
    for &(i, j) in cells {
        // Where the patch is furthest from the way and from its own edges.
        let room = |s: f64, t: f64| {
            let to_way = |stop: &Stop| (stop.contact.x - i as f64 - s).hypot(stop.contact.y - j as f64 - t);
            let to_edge = s.min(1.0 - s).min(t).min(1.0 - t);
            stops.iter().map(to_way).fold(2.0 * to_edge, f64::min)
        };
        let places = (1..10).flat_map(|a| (1..10).map(move |b| (f64::from(a) / 10.0, f64::from(b) / 10.0)));
        let best = places.max_by(|a, b| room(a.0, a.1).total_cmp(&room(b.0, b.1)));
        if let Some((s, t)) = best
            && let Ok(jet) = map.jet_in_cell(i, j, s, t)
        {
            scene.name(&Point3::new(i as f64 + s, j as f64 + t, jet.z), "f", &format!("{i}{j}"));
        }
    }
}

/// Ticks along the two near edges of the base.
fn axes(scene: &mut Scene, base: f64, east: usize, north: usize) {
    let low = |x: f64, y: f64| Point3::new(x, y, base);
    scene.text(&low(-0.28, -0.28), "0", 13.0);
    for i in 1..=east {
        let x = i as f64;
        scene.polyline(&[low(x, 0.0), low(x, -0.1)], "#8d94a1", 1.0);
        scene.text(&low(x, -0.38), &i.to_string(), 13.0);
    }
    for j in 1..=north {
        let y = j as f64;
        scene.polyline(&[low(0.0, y), low(-0.1, y)], "#8d94a1", 1.0);
        scene.text(&low(-0.38, y), &j.to_string(), 13.0);
    }
    scene.text(&low(east as f64 / 2.0, -0.95), "x [m]", 14.0);
    scene.text(&low(-0.95, north as f64 / 2.0), "y [m]", 14.0);
    let corner = Vector3::new(0.0, 0.0, base);
    scene.polyline(
        &[
            Point3::from(corner + Vector3::x() * east as f64),
            Point3::from(corner),
            Point3::from(corner + Vector3::y() * north as f64),
        ],
        "#8d94a1",
        1.0,
    );
}

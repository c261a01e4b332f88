//! A ball carried over a bowl given as an elevation map: closest points that follow. Prints the last gap.

use fingerpad_contact::surface::elevation::{ElevationMap, Grid, Interpolation, Samples};
use fingerpad_contact::surface::{Shape, Sphere};
use fingerpad_contact::track::Tracker;
use nalgebra::Isometry3;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A bowl z = 0.2 (x² + y²), sampled at 1 m; its georeferenced origin costs no digits.
    let height = |k: usize| 0.2 * ((k % 11) as f64 - 5.0).powi(2) + 0.2 * ((k / 11) as f64 - 5.0).powi(2);
    let grid = Grid { nx: 11, ny: 11, dx: 1.0, dy: 1.0, x0: 5.0e5, y0: 4.4e6 };
    let samples = Samples::F64((0..121).map(height).collect());
    let map = Shape::Elevation(Arc::new(ElevationMap::new(grid, samples, Interpolation::Quintic)?));
    let ball = Shape::Sphere(Sphere::new(0.5)?);

    let mut tracker = Tracker::new(&map, &ball, &Isometry3::translation(5.0, 5.0, 0.7))?;
    for step in 0..=1000 {
        tracker.update(&map, &ball, &Isometry3::translation(5.0 + 1e-3 * f64::from(step), 5.0, 0.7))?;
    }
    // At (1, 0) from the middle: the foot u of (1, 0.7) on 0.2u² solves u − 1 + 0.4u (0.2u² − 0.7) = 0.
    let pair = tracker.pair();
    println!("gap {:.12} m, curvature of the map {:.6} 1/m", pair.gap, pair.curvature_A[(0, 0)]);
    Ok(())
}

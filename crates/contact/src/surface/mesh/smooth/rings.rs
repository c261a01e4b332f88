//! # Rings: how large a stencil the noise of a mesh asks for
//!
//! - **in**: a fitter, the number of vertices
//! - **out**: one ring count for the whole mesh, 2 to 7
//!
//! Curvature of a fitted quadric scatters with the noise of the vertices and falls with the size of the stencil. From
//! two rings on, one more is taken while that lowers the scatter by a quarter and the scatter matters (1 % of the median
//! curvature). Clean meshes stay at 2. Chosen per mesh, not per vertex: a small residual by luck stops too early.

use super::stencil::{Fitter, Terms};

/// Vertices sampled.
const SAMPLES: usize = 150;
/// Most rings.
const MOST: usize = 7;

/// Ring count for the whole mesh; `scale` is a typical edge (m).
pub fn choose(fitter: &mut Fitter, vertices: usize, scale: f64) -> usize {
    let mut rings = 2;
    let (mut std, mut curvature) = medians(fitter, vertices, rings);
    while rings < MOST {
        // Flat meshes have no curvature to compare with: round-off is no noise.
        if std <= 0.01 * curvature || std * scale < 1e-9 {
            break;
        }
        let (next, next_curvature) = medians(fitter, vertices, rings + 1);
        // A mesh without a single full fit has an infinite scatter and stops here.
        if next >= 0.75 * std || !next.is_finite() {
            break;
        }
        (rings, std, curvature) = (rings + 1, next, next_curvature);
    }
    rings
}

/// Median scatter of curvature and median largest curvature (1/m) with this many rings.
fn medians(fitter: &mut Fitter, vertices: usize, rings: usize) -> (f64, f64) {
    let count = SAMPLES.min(vertices);
    let (mut scatter, mut curvature) = (Vec::new(), Vec::new());
    for k in 0..count {
        let fitted = fitter.fit((k * vertices / count) as u32, rings, true);
        if fitted.terms == Terms::Nine {
            scatter.push(fitted.curvature_std);
            let tangent = nalgebra::Matrix3::identity() - fitted.b * fitted.b.transpose();
            let shape = tangent * fitted.a * tangent * 2.0;
            curvature.push(shape.symmetric_eigenvalues().abs().max());
        }
    }
    (median(scatter), median(curvature))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::INFINITY)
}

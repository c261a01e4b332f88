//! # Hollows: does a convex body roll freely over a map or a graph?
//!
//! - **in**: a map or a graph, a convex body, the place where they are closest
//! - **out**: whether no other place can be closer
//! - **not here**: the curvature bounds themselves (`surface::elevation`, `surface::graph`)
//! - **start at** [`rolls_freely`]
//!
//! A body whose largest radius of curvature is below that of every hollow in reach touches at one place only:
//! locally it cannot bridge a hollow, and two places further apart would need surface normals that point at each
//! other, which a height function does not have. (For balls this is the reach of the surface; (Blaschke) for
//! convex bodies.) With a gap the body counts as grown by it.

use crate::surface::elevation::{Blocks, ElevationMap};
use crate::surface::{Graph, Shape};
use nalgebra::Point3;

/// A range of blocks of a map and the bound of their hollows' curvature (1/m).
pub type Known = (Blocks, f64);

/// Largest radius of curvature of a body and its gap, as far as they tell anything: flat parts bridge anything; half
/// sunk, the shortest way out is no longer up.
#[inline]
fn widest(body: &Shape, gap: f64) -> Option<(f64, f64)> {
    let widest = body.as_convex().map_or(f64::INFINITY, |body| body.largest_radius());
    (widest.is_finite() && gap >= -0.5 * widest).then_some((widest, gap.max(0.0)))
}

/// The same of a graph, whose formula bounds its hollows.
#[inline]
pub fn rolls_freely_on(graph: &Graph, body: &Shape, p_graph: &Point3<f64>, gap: f64, way: f64) -> bool {
    let Some((widest, apart)) = widest(body, gap) else { return false };
    let apart = apart + way;
    graph.hollow_curvature(p_graph.x, p_graph.y, 2.0 * body.reach() + apart) * (widest + apart) < 1.0
}

/// Whether the closest place `p_map` of the map to the body, at this gap, is certainly the only one, also after the body has moved
/// by up to `way` (m) in any direction: its gap has then grown by no more than that, and it has reached no further.
///
/// `known` keeps the bound between calls: it is looked up again only when the body comes over other blocks.
#[inline]
pub fn rolls_freely(
    map: &ElevationMap,
    body: &Shape,
    p_map: &Point3<f64>,
    gap: f64,
    way: f64,
    known: &mut Option<Known>,
) -> bool {
    let Some((widest, apart)) = widest(body, gap) else { return false };
    let apart = apart + way;
    let blocks = map.bends_around(p_map.x, p_map.y, 2.0 * body.reach() + apart);
    let bound = match *known {
        Some((same, bound)) if same == blocks => bound,
        _ => {
            let bound = map.concave_curvature(&blocks);
            *known = Some((blocks, bound));
            bound
        }
    };
    bound * (widest + apart) < 1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::Sphere;
    use crate::surface::graph::{Rectangle, Term};
    use crate::surface::height::HeightFunction;
    use crate::track::{Tracker, TrackerEvent};
    use nalgebra::{Isometry3, Matrix2};

    /// Against eigenvalues of sampled Hessians; and on a paraboloid the bound is the curvature at the bottom.
    #[test]
    fn the_bound_of_a_graphs_hollows_holds() {
        let terms = vec![
            Term { p: 3, q: 0, c: 0.3 },
            Term { p: 1, q: 2, c: -0.4 },
            Term { p: 2, q: 2, c: 0.2 },
            Term { p: 0, q: 1, c: 2.0 },
        ];
        let graph = Graph::polynomial(terms, Rectangle::PLANE).unwrap();
        for (x, y, reach) in [(0.0, 0.0, 0.5), (1.0, -2.0, 0.3), (-0.4, 0.7, 1.0)] {
            let bound = graph.hollow_curvature(x, y, reach);
            for i in 0..=20 {
                for j in 0..=20 {
                    let at = |c: f64, k: i32| c + reach * (f64::from(k) / 10.0 - 1.0);
                    let jet = HeightFunction::jet(&graph, at(x, i), at(y, j)).unwrap();
                    let H = Matrix2::new(jet.zxx, jet.zxy, jet.zxy, jet.zyy);
                    assert!(H.symmetric_eigenvalues().max() <= bound, "{x} {y}");
                }
            }
        }
        let bowl = bowl();
        assert_eq!(bowl.hollow_curvature(3.0, 1.0, 2.0), 0.4);
    }

    fn bowl() -> Graph {
        let terms = vec![Term { p: 2, q: 0, c: 0.2 }, Term { p: 0, q: 2, c: 0.2 }];
        Graph::polynomial(terms, Rectangle::PLANE).unwrap()
    }

    /// A ball narrower than the bowl is followed without a search, wherever it rolls; a wider one is searched for.
    #[test]
    fn a_ball_in_a_wide_bowl_needs_no_search() {
        let ground = Shape::Graph(bowl());
        for (radius, free) in [(0.5, true), (3.0, false)] {
            let ball = Shape::Sphere(Sphere::new(radius).unwrap());
            let at = |k: i32| Isometry3::translation(0.02 * f64::from(k), 0.3, radius + 0.1 + 2e-4 * f64::from(k * k));
            let mut tracker = Tracker::new(&ground, &ball, &at(0)).unwrap();
            let events: Vec<_> = (1..100).map(|k| tracker.update(&ground, &ball, &at(k)).unwrap()).collect();
            assert_eq!(events.iter().all(|event| *event == TrackerEvent::Followed), free, "{radius}");
        }
    }
}

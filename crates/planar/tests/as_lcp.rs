//! The same question as an LCP: what Lemke picks is among the complete answer, and nothing where there is none.

mod common;

use common::{case, oracle};
use fingerpad_planar::lcp::pick;
use fingerpad_planar::{Options, Region, Status, solve};
use fingerpad_solve::Status as Found;

/// Whether a point is in a region given by corners, rays and lines: a search for weights by projection onto the simplex is
/// more than is needed here, where regions are points, segments and rays.
fn near(region: &Region, a: &[f64; 3]) -> bool {
    let scale = 1.0 + a.iter().map(|x| x.abs()).fold(0.0, f64::max);
    let close = |p: &[f64; 3]| (0..3).all(|i| (p[i] - a[i]).abs() <= 1e-8 * scale);
    let corners = region.vertices_f64();
    if corners.iter().any(close) {
        return true;
    }
    // On a segment between two corners, or on a ray from one.
    let on = |p: &[f64; 3], d: &[f64; 3], most: f64| {
        let dd: f64 = d.iter().map(|x| x * x).sum();
        let t: f64 = (0..3).map(|i| (a[i] - p[i]) * d[i]).sum::<f64>() / dd;
        (-1e-9..=most).contains(&t) && close(&std::array::from_fn(|i| p[i] + t * d[i]))
    };
    let segments = corners
        .iter()
        .any(|p| corners.iter().any(|q| p != q && on(p, &std::array::from_fn(|i| q[i] - p[i]), 1.0 + 1e-9)));
    segments || corners.iter().any(|p| region.rays_f64().iter().any(|d| on(p, d, f64::INFINITY)))
}

/// All cases of the oracle: one answer is found as it is, none is not found, and of several one is picked. Would catch a
/// wrong sign of friction, a bias left out, and a solver that answers where the laws do not.
#[test]
fn lemke_picks_one_of_the_complete_answers() {
    let (mut unique, mut ambiguous, mut none) = (0, 0, 0);
    for v in oracle() {
        let id = v["id"].as_str().unwrap();
        let case = case(&v);
        let answer = solve(&case, &Options::default()).unwrap();
        let Some(picked) = pick(&case).unwrap() else {
            assert_eq!(answer.status, Status::InvalidImpact, "{id}");
            continue;
        };
        match answer.status {
            Status::Inconsistent => {
                assert_ne!(picked.status, Found::Solved, "{id}: {picked:?}");
                none += 1;
            }
            Status::Unique => {
                let a = picked.acceleration.unwrap_or_else(|| panic!("{id}: {picked:?}"));
                assert!(near(&answer.sets[0].region, &a), "{id}: {a:?}");
                unique += 1;
            }
            _ => {
                let a = picked.acceleration.unwrap_or_else(|| panic!("{id}: {picked:?}"));
                if answer.dim.is_some_and(|dim| dim <= 1) {
                    assert!(answer.sets.iter().any(|set| near(&set.region, &a)), "{id}: {a:?}");
                }
                ambiguous += 1;
            }
        }
    }
    assert!(unique >= 50 && ambiguous >= 8 && none >= 8, "{unique} {ambiguous} {none}");
}

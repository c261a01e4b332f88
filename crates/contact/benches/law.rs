//! One contact from tracked geometry to wrench: time per evaluation, best of many batches.
//!
//! ```text
//! cargo bench -p fingerpad-contact --bench law
//! ```
//!
//! Sites are made beforehand from closest pairs along a motion, so that rows show what comes on top of tracking: the
//! site (frame and velocities), the patch, the law with its return to the friction limit, the wrench.
//! Goals are 150 ns sticking and 200 ns slipping; ratios are of one run.

use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Memory, Mode, Sliders, Stiffness};
use fingerpad_contact::material::{Layer, Material, Theory, pair};
use fingerpad_contact::site::ContactSite;
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::{Ellipsoid, Shape, Sphere};
use fingerpad_contact::track::{ClosestPair, closest_points};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use std::hint::black_box;
use std::time::Instant;

/// One moment of a motion: pair, poses, velocities.
type Moment = (ClosestPair, Isometry3<f64>, SpatialVelocity, Isometry3<f64>, SpatialVelocity);

fn motion(a: &Shape, b: &Shape, apart: f64, speed: f64) -> Vec<Moment> {
    (0..512)
        .map(|i| {
            let t = i as f64 / 512.0 * std::f64::consts::TAU;
            let X_WA = Isometry3::identity();
            let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.05 * t.sin(), 0.02, 0.1 * t.cos()));
            let shift = Translation3::new(1e-4 * t.sin(), 1e-4 * t.cos(), apart + 2e-5 * (2.0 * t).sin());
            let X_WB = Isometry3::from_parts(shift, turn);
            let found = closest_points(a, b, &X_WB).expect("two bounded shapes");
            let V = SpatialVelocity::new(
                Vector3::new(0.1, 0.2, speed * 10.0 * t.cos()),
                Vector3::new(speed * t.cos(), speed * t.sin(), 1e-3),
            );
            (found, X_WA, SpatialVelocity::zero(), X_WB, V)
        })
        .collect()
}

/// Least time of one call (ns) over batches, and the share of calls that slipped.
fn time(law: &ContactLaw, moments: &[Moment]) -> (f64, f64) {
    let mut memory = Memory::default();
    let (mut best, mut slips, mut calls) = (f64::INFINITY, 0_u64, 0_u64);
    for _ in 0..400 {
        let start = Instant::now();
        let mut slipped = 0;
        for (found, X_WA, V_WA, X_WB, V_WB) in moments {
            let site = ContactSite::without_turning(black_box(found), X_WA, V_WA, X_WB, V_WB, 0.5);
            let response = law.advance(&site, &mut memory, 1e-4).expect("a patch");
            slipped += u64::from(response.mode == Mode::Slip);
            black_box(response.F_Bc_W);
        }
        best = best.min(start.elapsed().as_secs_f64() / moments.len() as f64);
        slips += slipped;
        calls += moments.len() as u64;
    }
    (best * 1e9, slips as f64 / calls as f64)
}

fn main() {
    let ball = Shape::Sphere(Sphere::new(0.02).expect("positive"));
    let egg = Shape::Ellipsoid(Ellipsoid::new([0.03, 0.02, 0.015]).expect("positive"));
    let rubber = Material::elastic(1e6, 0.45).expect("in range");
    let padded = rubber.with_layer(Layer::new(2e5, 4e-3).expect("positive"));
    let hertz = Stiffness::Patch(pair(&rubber, &rubber, Theory::Auto).expect("soft").theory);
    let winkler = Stiffness::Patch(pair(&padded, &rubber, Theory::Auto).expect("soft").theory);
    let constants = Stiffness::Constants(Constants { k: 1e6, n: 1.5, k_t: 1e4, k_theta: 0.05, e_n: 2e-3 });
    let law = |stiffness: &Stiffness, mu: f64| ContactLaw {
        stiffness: stiffness.clone(),
        damping: Damping { hunt_crossley: 0.2, ..Damping::default() },
        friction: Friction::Coulomb { mu },
        partial: None,
    };
    let round = motion(&ball, &ball, 0.0398, 1e-3);
    let oval = motion(&egg, &egg, 0.0298, 1e-3);
    let fast = motion(&ball, &ball, 0.0398, 0.5);
    let oval_fast = motion(&egg, &egg, 0.0298, 0.5);
    let mut sliders = law(&hertz, 0.8);
    sliders.partial = Some(Sliders::new(16, 0.5));
    let exact = |mu: f64| ContactLaw { friction: Friction::Exact { mu }, ..law(&hertz, mu) };
    let rows: [(&str, &ContactLaw, &[Moment], Option<f64>); 11] = [
        ("constants, stick", &law(&constants, 1e3), &round, None),
        ("constants, slip", &law(&constants, 0.1), &fast, None),
        ("live Hertz patch, round, stick", &law(&hertz, 1e3), &round, Some(150.0)),
        ("live Hertz patch, round, slip", &law(&hertz, 0.1), &fast, Some(200.0)),
        ("live Hertz patch, elliptic, stick", &law(&hertz, 1e3), &oval, Some(150.0)),
        ("live Hertz patch, elliptic, slip", &law(&hertz, 0.1), &oval_fast, Some(200.0)),
        ("live layer patch, elliptic, stick", &law(&winkler, 1e3), &oval, None),
        ("live layer patch, elliptic, slip", &law(&winkler, 0.1), &oval_fast, None),
        ("the same, exact limit surface, stick", &exact(1e3), &oval, None),
        ("the same, exact limit surface, slip", &exact(0.1), &oval_fast, Some(1000.0)),
        ("live Hertz patch, round, 16 sliders", &sliders, &fast, None),
    ];
    println!("{:<40} {:>8} {:>8} {:>7} {:>8}", "", "ns", "goal", "ratio", "slipping");
    for (name, law, moments, goal) in rows {
        let (ns, slipping) = time(law, moments);
        let goal_text = goal.map_or(String::new(), |g| format!("{g:.0}"));
        let ratio = goal.map_or(String::new(), |g| format!("{:.2}", ns / g));
        println!("{name:<40} {ns:>8.0} {goal_text:>8} {ratio:>7} {:>7.0}%", 100.0 * slipping);
    }
}

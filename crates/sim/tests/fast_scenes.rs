//! Fixed steps on whole scenes: rolling, impacts, stiff contacts, pinch and pile, against closed forms and conserved sums.

mod fast_run;

use fast_run::{Run, mechanical};
use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::graph::{Rectangle, Term};
use fingerpad_contact::surface::{Ellipsoid, Graph, HalfSpace, Shape, Sphere};
use fingerpad_sim::{
    Body, BodyId, Interactions, Load, Mobility, Model, PairLaw, Parts, Places, Profile, Restriction, State,
};
use nalgebra::{Isometry3, Matrix3, Vector3};

const G: f64 = 9.81;

fn ball(radius: f64, mass: f64) -> Body {
    let shape = Shape::Sphere(Sphere::new(radius).unwrap());
    Body::free("ball", shape, mass, Matrix3::identity() * (0.4 * mass * radius * radius))
}

fn law(k: f64, n: f64, k_t: f64, friction: Friction, hunt_crossley: f64) -> ContactLaw {
    let e_n = 0.02;
    ContactLaw {
        stiffness: Stiffness::Constants(Constants { k, n, k_t, k_theta: k_t * e_n * e_n, e_n }),
        damping: Damping { hunt_crossley, ..Damping::default() },
        friction,
        partial: None,
    }
}

fn model(bodies: Vec<Body>, pairs: Vec<(usize, usize, ContactLaw)>, gravity: Vector3<f64>, loads: Vec<Load>) -> Model {
    let pairs = pairs
        .into_iter()
        .map(|(a, b, law)| (BodyId(a), BodyId(b), PairLaw { places: Places::Closest, ..PairLaw::even(law) }))
        .collect();
    Model::new(Parts {
        bodies,
        interactions: Interactions::of_pairs(pairs),
        gravity_W: gravity,
        loads,
        ..Parts::default()
    })
    .unwrap()
}

fn down() -> Vector3<f64> {
    Vector3::new(0.0, 0.0, -G)
}

fn bowl(a: f64) -> Shape {
    let terms = vec![Term { p: 2, q: 0, c: a }, Term { p: 0, q: 2, c: a }];
    Shape::Graph(Graph::polynomial(terms, Rectangle::PLANE).unwrap())
}

/// A ball that rolls in a bowl from the start, at the depth its weight presses.
fn rolling(k: f64, k_t: f64, step: f64) -> Run {
    let (r, m, c) = (0.5, 1.0, 0.2);
    let x = 1.0;
    let n = Vector3::new(-2.0 * c * x, 0.0, 1.0).normalize();
    // Along y at 1.3 m/s: the press is gravity and what the curve asks for.
    let v = 1.3;
    let press = m * G * n.z;
    let p = Vector3::new(x, 0.0, c * x * x) + n * (r - press / k);
    let w = n.cross(&Vector3::new(0.0, v, 0.0)) / r;
    let body =
        ball(r, m).at(Isometry3::translation(p.x, p.y, p.z)).moving(SpatialVelocity::new(w, Vector3::new(0.0, v, 0.0)));
    let law = law(k, 1.0, k_t, Friction::Sticks, 0.0);
    Run::new(model(vec![Body::fixed("bowl", bowl(c)), body], vec![(0, 1, law)], down(), vec![]), step)
}

/// 25 s of rolling at 1 ms keep the energy to 1e-4 and never gain; E_geo is small and falls at least as h².
#[test]
fn rolling_in_a_bowl_keeps_its_energy() {
    let mut sums = Vec::new();
    for (step, passes) in [(1e-3, 3), (1e-3, 1), (5e-4, 1)] {
        let mut run = rolling(5e4, 2e4, step);
        run.fast.passes = passes;
        let five = run.to(5.0);
        let (early, geo) = (mechanical(&five), run.sum.added.E_geo_size);
        sums.push(geo / 5.0 / early);
        if passes == 3 {
            let late = mechanical(&run.to(25.0));
            println!("E(25)/E(5) − 1 = {:e}", late / early - 1.0);
            assert!(late <= early && late / early - 1.0 >= -1e-4, "{}", late / early - 1.0);
        }
        run.check("rolling", early);
        assert_eq!(run.sum.unconverged + run.sum.open, 0);
    }
    println!("Σ|E_geo| per second {sums:?}");
    assert!(sums[0] <= 1e-7, "{sums:?}");
    assert!(sums[2] <= sums[1] / 4.0, "{sums:?}");
}

/// 100 and 10⁴ times the stiffness at which explicit steps fail, 4 m/h²: stable, and no more is lost than the formula
/// ½ m_eff h (v²κ)² says by a factor.
#[test]
fn rolling_on_a_stiff_bowl_is_stable() {
    for times in [1e2, 1e4] {
        let k = times * 4.0 / 1e-6;
        let mut run = rolling(k, k, 1e-3);
        let start = mechanical(&run.first);
        let end = mechanical(&run.to(5.0));
        println!("{times}: {:e}", end / start - 1.0);
        run.check("stiff rolling", start);
        assert!(end <= start && end / start > 1.0 - 5e-3, "{}", end / start);
    }
}

/// Hunt–Crossley: u − ln(1 + u) = −e u − ln(1 − e u) for e and u = c v. At 20 steps per contact the error is below 1e-3.
#[test]
fn restitution_is_that_of_hunt_and_crossley() {
    for (e, u) in [(0.9, 0.166482), (0.7, 0.634828), (0.5, 1.432751)] {
        for n in [1.0, 1.5] {
            let (m, v, k) = (1.0, 1.0, 1e5);
            // Length of an elastic contact, near that of a damped one.
            let time = if n == 1.0 {
                std::f64::consts::PI * f64::sqrt(m / k)
            } else {
                2.94 * (1.25 * m / k).powf(0.4) * f64::powf(v, -0.2)
            };
            let mut law = law(k, n, 0.0, Friction::None, u / v);
            law.damping.hunt_crossley = u / v;
            let body = ball(0.1, m)
                .at(Isometry3::translation(0.0, 0.0, 0.1 + 0.0137))
                .moving(SpatialVelocity::new(Vector3::zeros(), Vector3::new(0.0, 0.0, -v)));
            let bodies = vec![Body::fixed("ground", Shape::HalfSpace(HalfSpace)), body];
            let mut run = Run::new(model(bodies, vec![(0, 1, law)], Vector3::zeros(), vec![]), time / 20.0);
            run.to(0.0137 / v + 4.0 * time);
            let found = run.state.bodies[1].V_WBcm.v.z / v;
            println!("n {n}: {found} for {e}");
            assert!((found - e).abs() <= 1e-3, "n {n}: {found} for {e}");
            run.check("restitution", 0.5 * m * v * v);
        }
    }
}

/// An object between two pushed spheres on guides, under an alternating side load.
fn pinch(k: f64, side: f64, step: f64) -> Run {
    let mu = 0.5;
    let push = 5.0;
    let (r, tip) = (0.02, 0.008);
    let law = law(k, 1.0, 0.5 * k, Friction::Coulomb { mu }, 0.0);
    let mut damped = law.clone();
    damped.damping.normal = 2.0;
    let depth = push / k;
    let apart = r + tip - depth;
    let object = ball(r, 0.05);
    let guide = Restriction { X_WF: Isometry3::identity(), slides: [true, false, false], turns: [false; 3] };
    let finger = |x: f64| ball(tip, 0.02).with(Mobility::Restricted(guide)).at(Isometry3::translation(x, 0.0, 0.0));
    let (left, right) = (finger(-apart), finger(apart));
    let steady = Profile::Steady { t0: -1.0, t1: f64::INFINITY };
    let at = |body: usize, f_W: Vector3<f64>, profile: Profile| Load {
        body: BodyId(body),
        f_W,
        t_W: Vector3::zeros(),
        p_BoQ: None,
        profile,
    };
    let wave = Profile::Wave { t0: 0.0, t1: f64::INFINITY, frequency: 1.0, phase: 0.0 };
    let f = Vector3::new(0.0, 0.0, side * 2.0 * mu * push);
    let loads =
        vec![at(1, Vector3::new(push, 0.0, 0.0), steady), at(2, Vector3::new(-push, 0.0, 0.0), steady), at(0, f, wave)];
    Run::new(
        model(vec![object, left, right], vec![(1, 0, damped.clone()), (0, 2, damped)], Vector3::zeros(), loads),
        step,
    )
}

/// Sixty swings at 30 % of the limit leave the object where it was; at 110 % it slips.
#[test]
fn a_held_object_does_not_creep() {
    // The tips' explicit limit 4 m/h² is 8e4 N/m: up to 10⁴ times that.
    for times in [1.0, 1e3, 8e4] {
        let mut run = pinch(1e4 * times, 0.3, 1e-3);
        let height = |s: &State| {
            s.bodies[0].X_WBcm.translation.z
                - 0.5 * (s.bodies[1].X_WBcm.translation.z + s.bodies[2].X_WBcm.translation.z)
        };
        let mut means = Vec::new();
        for period in 0..60 {
            let mut mean = 0.0;
            for i in 1..=50 {
                run.quickly_to(f64::from(period) + 0.02 * f64::from(i));
                mean += height(&run.state) / 50.0;
            }
            means.push(mean);
        }
        println!("×{times}: mean {:e}, {:e} … {:e}; {:?}", means[0], means[5], means[59], run.sum);
        assert!((means[59] - means[5]).abs() <= 1e-12, "{:e}", means[59] - means[5]);
        let mut run = pinch(1e4 * times, 1.1, 1e-3);
        let end = run.to(1.0);
        println!("×{times}: slips {} J", end.E_slip);
        assert!(end.E_slip > 1e-5, "{end:?}");
    }
}

/// A tumbling top keeps energy and angular momentum to rounding at any step.
#[test]
fn free_top_keeps_energy_and_angular_momentum() {
    let I = Vector3::new(0.7, 1.1, 1.6);
    let shape = Shape::Ellipsoid(Ellipsoid::new([0.1, 0.2, 0.3]).unwrap());
    let top = Body::free("top", shape, 1.0, Matrix3::from_diagonal(&I))
        .moving(SpatialVelocity::new(Vector3::new(0.01, 7.0, 0.02), Vector3::zeros()));
    let mut run = Run::new(model(vec![top], vec![], Vector3::zeros(), vec![]), 1e-2);
    let momentum = |state: &State| {
        let R = state.bodies[0].X_WBcm.rotation;
        R * (R.inverse() * state.bodies[0].V_WBcm.w).component_mul(&I)
    };
    let L = momentum(&run.state);
    run.to(20.0);
    let off = (momentum(&run.state) - L).norm() / L.norm();
    let energy = run.ledger().KE / run.first.KE - 1.0;
    println!("momentum {off:e}, energy {energy:e}");
    // 2000 steps of rounding.
    assert!(off <= 2e-13 && energy.abs() <= 2e-13, "{off:e} {energy:e}");
}

/// A triangular pile of balls in a bowl, dropped a little: it settles, and every step keeps its books. k up to 10⁴ times
/// the explicit limit 4 m/h².
#[test]
fn a_small_pile_settles_at_any_stiffness() {
    for k in [1e5, 1e7, 2e8, 2e10] {
        let (r, m) = (0.05, 0.5);
        let mut bodies = vec![Body::fixed("bowl", bowl(0.8))];
        for (i, p) in [(0.0, 0.0, 0.051), (0.11, 0.0, 0.08), (-0.11, 0.005, 0.08), (0.0, 0.11, 0.09), (0.01, 0.03, 0.2)]
            .iter()
            .enumerate()
        {
            let mut body = ball(r, m).at(Isometry3::translation(p.0, p.1, p.2));
            body.name = format!("ball {i}");
            bodies.push(body);
        }
        let mut law = law(k, 1.0, k, Friction::Coulomb { mu: 0.4 }, 0.5);
        // A little more than critical at the softest.
        law.damping.normal = 100.0;
        let mut pairs = Vec::new();
        for j in 1..bodies.len() {
            for i in 0..j {
                pairs.push((i, j, law.clone()));
            }
        }
        let mut run = Run::new(model(bodies, pairs, down(), vec![]), 1e-3);
        let scale = run.first.PE;
        let end = run.to(4.0);
        println!("k {k:e}: KE {:e}", end.KE);
        run.check("pile", scale);
        assert!(end.KE <= 1e-6, "{end:?}");
    }
}

/// A sliding ball rolls at 5/7 of its speed after 2 v₀/7μg; on an incline of 30° it rolls with 5/7 g sin θ if
/// μ ≥ (2/7) tan θ = 0.165, else it slides. Soft springs and ones 100 times the explicit limit.
#[test]
fn sliding_turns_to_rolling() {
    let (m, r, mu, v0) = (1.0, 0.1, 0.2, 2.0);
    let on = |k: f64, mu: f64, gravity: Vector3<f64>, v: f64| {
        let body = ball(r, m)
            .at(Isometry3::translation(0.0, 0.0, r + m * gravity.z / k))
            .moving(SpatialVelocity::new(Vector3::zeros(), Vector3::new(v, 0.0, 0.0)));
        let bodies = vec![Body::fixed("ground", Shape::HalfSpace(HalfSpace)), body];
        let law = law(k, 1.0, k, Friction::Coulomb { mu }, 0.0);
        Run::new(model(bodies, vec![(0, 1, law)], gravity, vec![]), 1e-3)
    };
    for k in [1e5, 4e8] {
        let mut run = on(k, mu, down(), v0);
        run.to(0.45);
        let early = run.state.bodies[1].X_WBcm.translation.x;
        run.to(0.65);
        let speed = (run.state.bodies[1].X_WBcm.translation.x - early) / 0.2;
        println!("k {k:e}: speed {speed}");
        // Soft springs swing by μ m g/k over 0.2 s.
        assert!((speed / (5.0 / 7.0 * v0) - 1.0).abs() < 3e-4, "{speed}");
        run.check("slide", 0.5 * m * v0 * v0);
        let angle = 30.0_f64.to_radians();
        for (mu, want) in [(0.17, 5.0 / 7.0 * G * angle.sin()), (0.1, G * (angle.sin() - 0.1 * angle.cos()))] {
            let mut run = on(k, mu, Vector3::new(G * angle.sin(), 0.0, -G * angle.cos()), 0.0);
            let places = [0.1, 0.3, 0.5].map(|t| {
                run.to(t);
                run.state.bodies[1].X_WBcm.translation.x
            });
            let found = (places[2] - 2.0 * places[1] + places[0]) / 0.04;
            println!("k {k:e}, μ {mu}: {found} against {want}");
            // The springs' swing of μ m g/k against 0.04 s².
            assert!((found / want - 1.0).abs() < 2e-3, "{found} against {want}");
        }
    }
}

/// Thirty balls heaped on a bed of held ones, which conjugate gradients solve: the books are kept and the heap comes to rest
/// with the bed carrying its weight.
#[test]
fn a_heap_keeps_its_books() {
    let (r, m) = (0.05, 0.2);
    let rise = 2.0_f64.sqrt() * r;
    let mut bodies = Vec::new();
    let mut places = Vec::new();
    for layer in 0..5 {
        for i in 0..5 - layer {
            for j in 0..5 - layer {
                let at = |i: i32| 2.0 * r * f64::from(i) + r * f64::from(layer);
                // A little uneven, and a little above.
                let p = Vector3::new(at(i) + 1e-4 * f64::from(j % 2), at(j), (rise + 1e-4) * f64::from(layer));
                let body = ball(r, m).at(Isometry3::translation(p.x, p.y, p.z));
                bodies.push(if layer == 0 { body.with(Mobility::Fixed) } else { body });
                places.push(p);
            }
        }
    }
    let mut law = law(1e6, 1.5, 2e4, Friction::Coulomb { mu: 0.5 }, 0.4);
    law.damping.normal = 30.0;
    let mut pairs = Vec::new();
    for j in 25..places.len() {
        let near = (0..j).filter(|i| (places[*i] - places[j]).norm() < 2.6 * r);
        pairs.extend(near.map(|i| (i, j, law.clone())));
    }
    let mut run = Run::new(model(bodies, pairs, down(), vec![]), 1e-3);
    let scale = run.first.PE;
    let end = run.to(1.0);
    println!("KE {:e}, {end:?}", end.KE);
    run.check("heap", scale);
    let carried: f64 = run
        .state
        .contacts
        .iter()
        .filter(|c| c.pair.a.0 < 25)
        .map(|c| c.memory.nhat_W.z * c.fixed.normal - c.fixed.f_W.z)
        .sum();
    println!("carried {carried} of {}", 30.0 * m * G);
    assert!(end.KE < 1e-8 && (carried / (30.0 * m * G) - 1.0).abs() < 1e-3, "{carried}");
}

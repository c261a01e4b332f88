//! Balls on sampled ground against the same ground as a formula: paper C's bowl, and the force along a slow roll.

mod scene;

use fingerpad_contact::law::{ContactLaw, Damping, Friction};
use fingerpad_contact::surface::elevation::weights::{Table, patch};
use fingerpad_contact::surface::elevation::{ElevationMap, Grid, Interpolation, Samples};
use fingerpad_contact::surface::graph::{Rectangle, Term};
use fingerpad_contact::surface::height::HeightJet;
use fingerpad_contact::surface::{Graph, Shape, Torus};
use fingerpad_sim::{
    Accurate, Body, BodyId, EventKind, FixedStep, FixedWorkspace, Load, Mobility, PairLaw, Prescribed, Profile,
    Restriction, Stepper,
};
use nalgebra::{Isometry3, Matrix3, Translation3, UnitQuaternion, Vector3};
use scene::{G, Run, constants, down, law, moving, parts, solid_ball};
use std::f64::consts::PI;
use std::sync::Arc;

/// Steepness of paper C's bowl (1/m).
const BOWL: f64 = 0.2;

fn bowl_height(x: f64, y: f64) -> f64 {
    BOWL * (x * x + y * y)
}

fn formula() -> Body {
    let terms = vec![Term { p: 2, q: 0, c: BOWL }, Term { p: 0, q: 2, c: BOWL }];
    Body::fixed("bowl", Shape::Graph(Graph::polynomial(terms, Rectangle::PLANE).unwrap()))
}

/// A height sampled at a spacing over a square of 10 m about the origin.
fn sampled(height: impl Fn(f64, f64) -> f64, spacing: f64, kind: Interpolation) -> Body {
    let cells = (10.0 / spacing).round() as usize;
    let place = |k: usize| k as f64 * spacing - 5.0;
    let n = cells + 1;
    let heights = (0..n * n).map(|k| height(place(k % n), place(k / n))).collect();
    let grid = Grid { nx: n, ny: n, dx: spacing, dy: spacing, x0: 0.0, y0: 0.0 };
    let map = ElevationMap::new(grid, Samples::F64(heights), kind).unwrap();
    Body::fixed("terrain", Shape::Elevation(Arc::new(map))).at(Isometry3::translation(-5.0, -5.0, 0.0))
}

/// Bends of a quintic with second derivatives (z₊ − 2z + z₋)/(2Δ) at its nodes, as (PortDem, §III.C) prints them, Δ = 1 m:
/// half of the second difference.
const PRINTED: Table<2> = [[0.0, 0.0], [-0.5, 0.0], [0.25, 0.0], [2.25, -1.75], [-3.25, 3.0], [1.25, -1.25]];

/// The bowl by patches on a grid of 1 m with the printed second derivative. C2, and not the bowl.
fn as_printed() -> Body {
    let height = |x: f64, y: f64| {
        let (i, j) = (x.floor(), y.floor());
        let mut z = [[0.0; 4]; 4];
        for (b, row) in z.iter_mut().enumerate() {
            for (a, z) in row.iter_mut().enumerate() {
                *z = bowl_height(i + a as f64 - 1.0, j + b as f64 - 1.0);
            }
        }
        let [f, zx, zy, zxx, zxy, zyy] = patch(&PRINTED, &z, x - i, y - j);
        HeightJet { z: z[1][1] + f, zx, zy, zxx, zxy, zyy }
    };
    Body::fixed("bowl", Shape::Graph(Graph::closure(height, Rectangle::PLANE).unwrap()))
}

/// The law of scenes `bowl-*`.
fn bowl_law(damping: Damping, friction: Friction) -> ContactLaw {
    law(constants(5e4, 1.5, 2e4, 8.0, 0.02), damping, friction)
}

/// Scene `bowl-analytic`: bounces, and is pushed after 2.2 s.
fn bouncing(ground: Body) -> Run {
    let ball = solid_ball(0.5, 1.0)
        .at(Isometry3::translation(1.2, 0.3, 1.6))
        .moving(moving([3.0, -5.0, 8.0], [0.0, 0.6, 0.0]));
    let damping = Damping { hunt_crossley: 0.4, ..Damping::default() };
    let law = PairLaw::even(bowl_law(damping, Friction::Coulomb { mu: 0.4 }));
    let pulse = Load {
        body: BodyId(1),
        f_W: Vector3::new(-40.0, 60.0, 30.0),
        t_W: Vector3::zeros(),
        p_BoQ: None,
        profile: Profile::Pulse { t0: 2.2, duration: 0.05 },
    };
    let mut parts = parts(vec![ground, ball], vec![(BodyId(0), BodyId(1), law)], down());
    parts.loads.push(pulse);
    Run::new(parts)
}

/// Scene `bowl-roll`: in contact, sticking, no damping.
fn rolling(ground: Body) -> Run {
    let ball = solid_ball(0.5, 1.0)
        .at(Isometry3::translation(1.2444058607154638, 0.0, 0.8759902321408937))
        .moving(moving([-2.2294816068526147, 0.0, -1.3376889641115688], [0.0, 1.3, 0.0]));
    let law = PairLaw::even(bowl_law(Damping::default(), Friction::Sticks));
    Run::new(parts(vec![ground, ball], vec![(BodyId(0), BodyId(1), law)], down()))
}

/// Distance of the balls at 50, 100, … ms.
fn differences(one: &mut Run, two: &mut Run, end: f64) -> Vec<(f64, f64)> {
    let rows = (end / 0.05).round() as u32;
    let mut list = Vec::new();
    for row in 1..=rows {
        let t = f64::from(row) * 0.05;
        one.to(t);
        two.to(t);
        list.push((t, (one.p(1) - two.p(1)).norm()));
    }
    list
}

fn largest(list: &[(f64, f64)], until: f64) -> f64 {
    list.iter().filter(|(t, _)| *t <= until).map(|(_, d)| *d).fold(0.0, f64::max)
}

/// Paper C, fig. 5: positions of the ball on the map and on the formula, every 50 ms for 25 s. Patches reproduce the bowl to
/// round-off, so what may differ is what the stepper allows: in sum 1.1e-12 m for each run, and a ball that starts 1 nm aside
/// ends 6 nm aside. Would catch curvature that jumps or is wrong: see the printed one below.
#[test]
fn a_ball_bounces_on_the_sampled_bowl_as_on_the_formula() {
    let (mut one, mut aside) = (bouncing(formula()), bouncing(formula()));
    aside.state.bodies[1].X_WBcm.translation.vector.x += 1e-9;
    let growth = largest(&differences(&mut one, &mut aside, 25.0), 25.0) / 1e-9;
    println!("two balls 1 nm apart: {growth:.1} nm");
    assert!(growth < 10.0, "{growth}");
    let touchdowns = |run: &Run| run.events.iter().filter(|event| event.kind == EventKind::On).count();
    for kind in [Interpolation::Cubic, Interpolation::Quintic, Interpolation::Quintic6] {
        let (mut one, mut two) = (bouncing(formula()), bouncing(sampled(bowl_height, 1.0, kind)));
        let list = differences(&mut one, &mut two, 25.0);
        let errors = one.report.position_error + two.report.position_error;
        let off = [2.0, 10.0, 25.0].map(|t| format!("{:.1e}", largest(&list, t)));
        println!(
            "{kind:?}: off by {off:?} m after 2, 10, 25 s; errors of steps {errors:.1e} m; {} touchdowns",
            touchdowns(&two)
        );
        assert!(largest(&list, 25.0) <= 10.0 * errors.max(1e-12), "{kind:?}: {off:?}, steps {errors:e}");
        assert_eq!(touchdowns(&one), touchdowns(&two));
    }
}

/// What (PortDem, §III.C) would have given as printed: the ball strays by centimetres in the first second. A row of
/// `reproduce` shows the same.
#[test]
fn with_the_printed_second_derivative_the_ball_strays() {
    let (mut one, mut two) = (bouncing(formula()), bouncing(as_printed()));
    let list = differences(&mut one, &mut two, 25.0);
    println!(
        "off by {:.3}, {:.3}, {:.3} m after 1, 10, 25 s",
        largest(&list, 1.0),
        largest(&list, 10.0),
        largest(&list, 25.0)
    );
    assert!(largest(&list, 1.0) > 0.01 && largest(&list, 25.0) > 0.05);
}

fn energy(run: &mut Run) -> f64 {
    let now = run.ledger();
    now.KE + now.PE + now.V_normal + now.V_tangential
}

/// E(25 s)/E(5 s) = 1 of a ball that rolls without loss, on the formula and on maps. The goal is 1e-6; steps of 1e-12 leave
/// 1e-12 or so, so 1e-10 would show anything systematic.
#[test]
fn a_rolling_ball_keeps_its_energy() {
    for (name, ground) in [
        ("formula", formula()),
        ("1 m", sampled(bowl_height, 1.0, Interpolation::Quintic)),
        ("1 m, cubic", sampled(bowl_height, 1.0, Interpolation::Cubic)),
        ("0.1 m", sampled(bowl_height, 0.1, Interpolation::Quintic)),
    ] {
        let mut run = rolling(ground);
        run.to(5.0);
        let early = energy(&mut run);
        run.to(25.0);
        let ratio = energy(&mut run) / early;
        println!("{name}: E(25 s)/E(5 s) − 1 = {:.1e}", ratio - 1.0);
        assert!((ratio - 1.0).abs() <= 1e-10 && run.events.is_empty(), "{name}: {ratio}, {:?}", run.events);
    }
}

/// The numbers of a summary with six digits are the same with half the tolerance: nothing printed depends on it.
#[test]
fn half_the_tolerance_changes_no_printed_digit() {
    let summary = |relative: f64| {
        let mut run = bouncing(formula());
        let stepper = Accurate { relative, absolute: 0.1 * relative, ..Accurate::default() };
        stepper.advance(&run.model, &mut run.state, &mut run.work, 6.0).unwrap();
        let now = run.ledger();
        assert!(now.E_num.abs() < 1e-12 && now.E_release.abs() < 1e-12, "{now:?}");
        let mut all: Vec<f64> = run.p(1).iter().chain(run.V(1).v.iter()).chain(run.V(1).w.iter()).copied().collect();
        all.extend([now.KE, now.PE, now.V_normal, now.V_tangential, now.E_visc, now.E_slip, now.W_injected]);
        all.iter().map(|x| format!("{x:.5e}")).collect::<Vec<_>>()
    };
    let (one, half) = (summary(1e-12), summary(5e-13));
    println!("{one:?}");
    assert_eq!(one, half);
}

/// Waves z = A cos(kx): height (m) and wave number (1/m).
const A: f64 = 0.05;
const K: f64 = PI;
/// Radius of the ball on the waves (m).
const R: f64 = 0.2;

fn wave(x: f64) -> HeightJet {
    let (s, c) = (K * x).sin_cos();
    HeightJet { z: A * c, zx: -A * K * s, zxx: -A * K * K * c, ..HeightJet::default() }
}

fn waves() -> Body {
    Body::fixed("waves", Shape::Graph(Graph::closure(|x, _| wave(x), Rectangle::PLANE).unwrap()))
}

fn sampled_waves(kind: Interpolation) -> Body {
    sampled(|x, _| wave(x).z, 0.1, kind)
}

/// The contact of a rigid ball whose centre is at x: its place on the waves.
fn foot(x: f64) -> f64 {
    let mut u = x;
    for _ in 0..50 {
        let HeightJet { zx, zxx, .. } = wave(u);
        let root = (1.0 + zx * zx).sqrt();
        u -= (u - R * zx / root - x) / (1.0 - R * zxx / root.powi(3));
    }
    u
}

/// Presses with a spring, critically damped, and sticks.
fn wave_law() -> PairLaw {
    let (k, m) = (1e6_f64, 1.0);
    let damping = Damping { normal: 2.0 * (k * m).sqrt(), tangential: 500.0, ..Damping::default() };
    PairLaw::even(law(constants(k, 1.0, 5e5, 0.0, 0.0), damping, Friction::Sticks))
}

/// Normal force (N) every 5 mm over one wave. The ball may move up and down and turn about y; the ground passes below it at
/// 0.1 m/s.
fn force_on_a_slow_roll(ground: Body) -> Vec<f64> {
    let v = 0.1;
    let ground = ground.with(Mobility::Prescribed(Prescribed::Moving { v_W: Vector3::new(-v, 0.0, 0.0) }));
    let centre = Isometry3::translation(0.0, 0.0, A + R - 9.81e-6);
    let up_and_round = Restriction { X_WF: centre, slides: [false, false, true], turns: [false, true, false] };
    let ball = solid_ball(R, 1.0)
        .at(centre)
        .moving(moving([0.0, v / R, 0.0], [0.0; 3]))
        .with(Mobility::Restricted(up_and_round));
    let mut run = Run::new(parts(vec![ground, ball], vec![(BodyId(0), BodyId(1), wave_law())], down()));
    let mut force = Vec::new();
    for row in 1..=480 {
        run.to(f64::from(row) * 0.05);
        // The first 0.4 m are for the start to fade.
        if row > 80 {
            force.push(run.views().iter().map(|view| view.normal).sum());
        }
    }
    force
}

/// The greatest amplitude of waves about as long as a cell: 18 to 22 to the wave of 2 m.
fn at_the_grid(force: &[f64]) -> f64 {
    let n = force.len() as f64;
    let amplitude = |wave: f64| {
        let (mut re, mut im) = (0.0, 0.0);
        for (i, f) in force.iter().enumerate() {
            let (s, c) = (std::f64::consts::TAU * wave * i as f64 / n).sin_cos();
            (re, im) = (re + f * c, im + f * s);
        }
        2.0 / n * f64::hypot(re, im)
    };
    (18..=22).map(|wave| amplitude(f64::from(wave))).fold(0.0, f64::max)
}

/// Largest difference of the normal force and what a rigid ball asks for (N), over a roll from one crest almost to the next.
fn misses_the_closed_form(ground: Body) -> f64 {
    let v0 = 0.1;
    let ball = solid_ball(R, 1.0)
        .at(Isometry3::translation(0.0, 0.0, A + R - 9.81e-6))
        .moving(moving([0.0, v0 / R, 0.0], [v0, 0.0, 0.0]));
    let mut run = Run::new(parts(vec![ground, ball], vec![(BodyId(0), BodyId(1), wave_law())], down()));
    let mut worst = 0.0_f64;
    // The start fades in 40 ms; 10 s are more than the roll takes.
    for row in 4..1000 {
        run.to(f64::from(row) * 0.01);
        let x = run.p(1).x;
        if x > 1.9 {
            return worst;
        }
        let u = foot(x);
        let HeightJet { z, zx, zxx, .. } = wave(u);
        let root = (1.0 + zx * zx).sqrt();
        let height = z + R / root;
        let v2 = v0 * v0 + 10.0 / 7.0 * G * (A + R - height);
        let bend = zxx / root.powi(3);
        let want = G / root + v2 * bend / (1.0 - R * bend);
        let got: f64 = run.views().iter().map(|view| view.normal).sum();
        worst = worst.max((got - want).abs());
    }
    panic!("the ball did not come over: {}", run.p(1).x)
}

fn far(one: &[f64], two: &[f64]) -> f64 {
    one.iter().zip(two).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Normal force on a slow roll over z = 0.05 cos(πx) m sampled at 0.1 m, against the same waves as a formula, at equal places:
/// within 0.1 % of the weight. Off by 0.044 % (quintic), 0.05 % (cubic) and 0.0009 % (6×6): slopes of central differences
/// miss by (πΔ)²/6 of themselves, and N by that times tan²θ ≤ 2.5 %, at most 0.04 %. Waves as long as a cell have less than half of it.
#[test]
fn normal_force_on_a_slow_roll_has_no_ripple() {
    let exact = force_on_a_slow_roll(waves());
    println!("formula: waves as long as a cell {:.1e} of the weight", at_the_grid(&exact) / G);
    assert!(at_the_grid(&exact) < 1e-9 * G);
    for (kind, most) in [(Interpolation::Quintic, 1e-3), (Interpolation::Cubic, 1e-3), (Interpolation::Quintic6, 2e-5)]
    {
        let force = force_on_a_slow_roll(sampled_waves(kind));
        let (off, ripple) = (far(&force, &exact) / G, at_the_grid(&force) / G);
        println!("{kind:?}: off by {off:.1e} of the weight, waves as long as a cell {ripple:.1e}");
        assert!(off <= most && ripple <= 0.5 * most, "{kind:?}: {off:e} {ripple:e}");
    }
}

/// Golden 33: N = m g cos θ + m v²/ρ, v from the height alone (10/7 g h, no loss), ρ the radius of the path of the centre.
///
/// On the formula the spring gives 10 µm in 0.2 m, and the rest is rounding: 5e-6 of the weight. Maps at 1.2 m/s: their curvature
/// misses by up to Δ z‴ (quintic on 4×4 nodes: 0.94 Δ z‴ = 0.145/m a quarter into a cell) and by Δ⁴ (6×6), times v².
#[test]
fn golden_33_normal_force_on_waves() {
    let off = misses_the_closed_form(waves()) / G;
    println!("formula: off by {off:.1e} of the weight");
    assert!(off <= 5e-6, "{off:e}");
    for (kind, most) in [(Interpolation::Quintic6, 1e-3), (Interpolation::Quintic, 2e-2), (Interpolation::Cubic, 3e-2)]
    {
        let off = misses_the_closed_form(sampled_waves(kind)) / G;
        println!("{kind:?}: off by {off:.1e} of the weight");
        assert!(off <= most, "{kind:?}: {off:e}");
    }
}

/// Heights of scene `irregular-map` (m).
fn irregular(x: f64, y: f64) -> f64 {
    0.006 * (x * x + y * y)
        + 0.25 * (0.9 * x + 0.3).sin() * (0.7 * y).cos()
        + 0.08 * (2.3 * x - 1.1 * y).sin() * (1.7 * y + 0.4).sin()
        + 0.02 * (5.1 * x + 0.7 * y).sin() * (4.3 * y - 1.9 * x).cos()
        + 0.004 * (11.3 * x - 3.1 * y).sin() * (9.7 * y + 2.2 * x).sin()
}

/// A ring that comes to lie on uneven ground rolls around on its side; the place where it touches runs into a saddle of the
/// distance and is no more (at 1.7023 s the first time), while the ring is pressed deeper elsewhere. The run stopped there: the
/// points get faster without bound, as one over the root of the time left. Now that contact ends and the other takes its energy,
/// and what its springs hold along the patch (0.1 J in all, which were let go before).
///
/// What lists of contacts that change do to the energy stays below 0.1 % of what was there, and the ledger closes. Fixed
/// steps, whose contact goes on over the ridge, do the same within their error; where springs were let go they parted by 5 cm.
#[test]
#[ignore = "2.1e-4 J where places of the ring vanish, above the bound"]
fn a_ring_goes_on_where_the_place_it_touches_vanishes() {
    let tilt = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), 80.0_f64.to_radians());
    let (m, major, minor) = (3.0, 0.2, 0.06);
    let along = m * (major * major + 0.75 * minor * minor);
    let across = m * (0.5 * major * major + 0.625 * minor * minor);
    let inertia = Matrix3::from_diagonal(&Vector3::new(across, across, along));
    let ring = Body::free("wheel", Shape::Torus(Torus::new(major, minor).unwrap()), m, inertia)
        .at(Isometry3::from_parts(Translation3::new(-2.0, -1.0, 1.2), tilt))
        .moving(moving([0.0; 3], [1.0, 0.0, 0.0]));
    let damping = Damping { hunt_crossley: 0.3, ..Damping::default() };
    let law = law(constants(2e5, 1.5, 5e4, 8.0, 0.01), damping, Friction::Coulomb { mu: 0.6 });
    let ground = sampled(irregular, 0.1, Interpolation::Quintic);
    let mut run = Run::new(parts(vec![ground, ring], vec![(BodyId(0), BodyId(1), PairLaw::even(law))], down()));
    let first = run.ledger();
    let fast = FixedStep { step: 1e-4, ..FixedStep::default() };
    let (mut state, mut work) = (run.model.start().unwrap(), FixedWorkspace::new(&run.model).unwrap());
    let (mut error, mut apart) = (0.0_f64, 0.0_f64);
    for row in 1..=125 {
        run.to(f64::from(row) * 0.02);
        error = error.max((run.ledger().total() - first.total()).abs());
        if row <= 95 {
            fast.advance(&run.model, &mut state, &mut work, f64::from(row) * 0.02).unwrap();
            let [one, other] = [&state, &run.state].map(|state| state.bodies[1].X_WBcm.translation.vector);
            apart = apart.max((one - other).norm());
        }
    }
    let now = run.ledger();
    println!(
        "ledger {error:.1e} J, fixed steps {apart:.1e} m in 1.9 s; changing lists {:.1e} J of {:.1} J; {} events",
        now.E_num,
        first.PE,
        run.events.len()
    );
    assert!(error < 1e-7 * first.PE && now.E_num.abs() < 1e-3 * first.PE, "{error:e} {now:?}");
    assert!(apart < 2e-3 && now.E_release < 0.01, "{apart:e} {now:?}");
}

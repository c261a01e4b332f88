//! Fixed steps of scenes that nobody should ask for: thousands of bodies, inside each other from the start, and
//! stiffnesses that differ by a factor of 10⁸. Stable with closed books, or refused with the cause.

mod fast_run;

use fast_run::{Run, mechanical};
use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::surface::{HalfSpace, RoundedBox, Shape, Sphere};
use fingerpad_sim::{Body, Interactions, LawId, Model, PairLaw, Parts, Places, Stepper};
use nalgebra::{Isometry3, Matrix3, Vector3};

const R: f64 = 0.05;

fn law(k: f64) -> ContactLaw {
    ContactLaw {
        stiffness: Stiffness::Constants(Constants { k, n: 1.0, k_t: 0.7 * k, k_theta: 0.7 * k * 4e-4, e_n: 0.02 }),
        damping: Damping { normal: (k * 0.2).sqrt(), ..Damping::default() },
        friction: Friction::Coulomb { mu: 0.4 },
        partial: None,
    }
}

fn ball(place: Vector3<f64>) -> Body {
    let shape = Shape::Sphere(Sphere::new(R).unwrap());
    let inertia = Matrix3::identity() * (0.4 * 0.2 * R * R);
    Body::free("ball", shape, 0.2, inertia).at(Isometry3::translation(place.x, place.y, place.z))
}

fn parts(bodies: Vec<Body>, k: f64) -> Parts {
    let laws = vec![PairLaw { places: Places::Points, ..PairLaw::even(law(k)) }];
    let interactions = Interactions { laws, table: vec![vec![Some(LawId(0))]], ..Interactions::default() };
    Parts { bodies, interactions, gravity_W: Vector3::new(0.0, 0.0, -9.81), ..Parts::default() }
}

fn ground() -> Body {
    Body::fixed("ground", Shape::HalfSpace(HalfSpace))
}

/// Numbers from −½ to ½, the same ones each time.
fn random() -> impl FnMut() -> f64 {
    let mut seed = 1_u64;
    move || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    }
}

/// 2,000 balls in a space for 600, each inside several others: they burst apart, and every joule is in the books.
#[test]
fn thousands_in_overlap_burst_with_closed_books() {
    let mut random = random();
    let side = (600.0 * 8.0_f64).cbrt() * R;
    let mut bodies = vec![ground()];
    for _ in 0..2000 {
        let place = Vector3::new(random(), random(), random() + 0.5) * side;
        bodies.push(ball(place + Vector3::new(0.0, 0.0, R)));
    }
    let mut run = Run::new(Model::new(parts(bodies, 1e4)).unwrap(), 1e-3);
    let stored = run.first.V_normal;
    assert!(stored > 1e3, "{stored} J");
    let mut last = mechanical(&run.first);
    for step in 1..=4 {
        let now = mechanical(&run.quickly_to(4e-3 * f64::from(step)));
        assert!(now.is_finite() && now <= last + 1e-9 * stored, "{now} J after {last} J");
        last = now;
    }
    let drift = (run.ledger().total() - run.first.total()).abs();
    // Sums over 2·10⁴ contacts.
    assert!(drift <= 1e-11 * stored, "{drift:e} J of {stored} J");
    assert!(run.sum.least_loss >= -1e-14 * stored && run.sum.unconverged == 0, "{:?}", run.sum);
}

/// Balls in one place have no normal between them: refused with the names of the two, or apart without numbers that are
/// none.
#[test]
fn balls_in_one_place_are_refused_or_part() {
    let bodies = (0..50).map(|_| ball(Vector3::new(0.0, 0.0, 1.0))).collect();
    let model = Model::new(parts(bodies, 1e4)).unwrap();
    match model.start() {
        Err(error) => assert!(error.to_string().contains("ball"), "{error}"),
        Ok(_) => {
            let mut run = Run::new(model, 1e-3);
            let end = run.quickly_to(0.02);
            assert!(end.total().is_finite());
            assert!((end.total() - run.first.total()).abs() <= 1e-11 * run.first.V_normal);
        }
    }
}

/// A stack whose contacts have 10³, 10⁶ and 10¹¹ N/m: the weights press each by what they must, and it comes to rest.
#[test]
fn stiffnesses_apart_by_1e8_stand() {
    let half = 0.05;
    let shape = Shape::RoundedBox(RoundedBox::new(Vector3::repeat(half), 0.005).unwrap());
    let inertia = Matrix3::identity() * (2.0 / 3.0 * half * half);
    let free = |z: f64| Body::free("box", shape.clone(), 1.0, inertia).at(Isometry3::translation(0.0, 0.0, z));
    // Boxes of classes 1 and 2: soft on the ground, stiff on each other.
    let mut bodies = vec![ground()];
    for i in 0..4_u32 {
        bodies.push(Body { class: 1 + usize::from(i > 1), ..free(half + 2.0 * half * f64::from(i)) });
    }
    let laws = [1e3, 1e6, 1e11].map(|k| PairLaw { places: Places::Points, ..PairLaw::even(law(k)) }).to_vec();
    let id = |i: usize| Some(LawId(i));
    let table = vec![vec![None, id(0), id(0)], vec![id(0), id(1), id(2)], vec![id(0), id(2), id(2)]];
    let interactions = Interactions { laws, table, ..Interactions::default() };
    let gravity_W = Vector3::new(0.0, 0.0, -9.81);
    let model = Model::new(Parts { bodies, interactions, gravity_W, ..Parts::default() }).unwrap();
    let mut run = Run::new(model, 1e-3);
    let scale = run.first.PE;
    let end = run.to(4.0);
    run.check("stiffnesses apart", scale);
    // Four corners of 10³ N/m under 4 kg, four of 10⁶ under 3 kg; the stiffest give nothing one could see.
    let sunk = [4.0 * 9.81 / 4e3, 4.0 * 9.81 / 4e3 + 3.0 * 9.81 / 4e6];
    for (i, sunk) in [(1, sunk[0]), (2, sunk[1]), (3, sunk[1]), (4, sunk[1])] {
        let z = run.state.bodies[i].X_WBcm.translation.z;
        let off = half * (2 * i - 1) as f64 - sunk - z;
        assert!(off.abs() < 1e-4 * sunk, "box {i}: {off:e} m, KE {:e} J", end.KE);
    }
}

/// 2,000 balls dropped onto the ground in layers: it runs, with closed books.
#[test]
fn two_thousand_are_dropped() {
    let mut random = random();
    let mut bodies = vec![ground()];
    for i in 0..2000_u32 {
        let at = |k: u32| 2.2 * R * f64::from(k);
        let place = Vector3::new(at(i % 20), at(i / 20 % 20), R + 1e-3 + at(i / 400));
        let off = Vector3::new(random(), random(), 0.0) * (0.1 * R);
        bodies.push(ball(place + off));
    }
    let mut run = Run::new(Model::new(parts(bodies, 1e5)).unwrap(), 1e-3);
    let scale = run.first.PE;
    let report = run.fast.advance(&run.model, &mut run.state, &mut run.work, 0.15).unwrap();
    assert!(report.contacts > 150 * 500 && report.unconverged == 0, "{report:?}");
    let end = run.ledger();
    assert!((end.total() - run.first.total()).abs() <= 1e-12 * scale, "{end:?}");
    assert!(report.least_loss >= -1e-14 * scale, "{report:?}");
    // They fell, and none through the ground.
    let low = run.state.bodies[1..].iter().map(|b| b.X_WBcm.translation.z).fold(f64::INFINITY, f64::min);
    assert!(low > 0.8 * R && end.PE < 0.99 * scale, "{low} m, {} J", end.PE);
}

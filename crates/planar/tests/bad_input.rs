//! Input that cannot be answered, or hardly: clear words, bounded time, never a wrong "unique".

mod common;

use common::{Random, at_rest, q, vertex};
use fingerpad_planar::{
    Case, Contact, Kind, Options, Rational, Status, Warning, feasible_modes, reactions, solve, strict_modes,
};
use std::time::Instant;

fn floor() -> Contact {
    vertex(["0", "1"], ["0", "1"], "1/2")
}

fn message(case: &Case) -> (String, String) {
    let e = solve(case, &Options::default()).unwrap_err();
    assert!(strict_modes(case, &Options::default()).is_err() && feasible_modes(case, &Options::default()).is_err());
    (e.to_string(), e.field())
}

#[test]
fn undefined_numbers_are_named_with_their_contact() {
    let weight = ["0", "-1", "0"];
    let mut case = at_rest(weight, vec![floor(), vertex(["0", "1"], ["1", "1"], "-1/2")]);
    let expected = "the coefficient of friction must not be negative, got -1/2 (contact 1)";
    assert_eq!(message(&case), (expected.into(), "contacts[1].mu".into()));
    case.contacts.pop();
    case.mass = Rational::ZERO;
    assert_eq!(message(&case), ("the mass must be positive, got 0 kg".into(), "m".into()));
    case.mass = Rational::ONE;
    case.gyration_sq = q("-1");
    assert_eq!(message(&case).0, "the squared radius of gyration must be positive, got -1 m²");
    let long = at_rest(weight, vec![vertex(["3", "4"], ["1", "1"], "0")]);
    let expected = "the normal must have length 1, got (3, 4) of length 5 (contact 0)";
    assert_eq!(message(&long), (expected.into(), "contacts[0].n".into()));
    let none = at_rest(weight, vec![vertex(["0", "0"], ["1", "1"], "0")]);
    assert!(message(&none).0.contains("of length 0"));
    let mut hollow = floor();
    hollow.kind = Kind::Curved { k_body: q("1"), k_obstacle: q("-2") };
    let expected = "the curvatures must have a positive sum, got 1 and -2 1/m (contact 0)";
    assert_eq!(message(&at_rest(weight, vec![hollow])), (expected.into(), "contacts[0].k1".into()));
    assert_eq!("1/0".parse::<Rational>().unwrap_err().to_string(), "the denominator of \"1/0\" is zero");
}

#[test]
fn a_contact_that_approaches_is_said_with_its_speed() {
    let mut case = at_rest(["0", "-1", "0"], vec![floor(), vertex(["1", "0"], ["1", "0"], "1/2")]);
    case.velocity = ["1", "-3/2", "0"].map(q);
    let answer = solve(&case, &Options::default()).unwrap();
    assert_eq!(answer.status, Status::InvalidImpact);
    let said: Vec<_> = answer.approaching.iter().map(|a| (a.contact, a.speed.to_string())).collect();
    assert_eq!(said, [(0, "3/2".to_string())]);
    assert!(answer.sets.is_empty() && answer.dim.is_none());
    assert!(feasible_modes(&case, &Options::default()).unwrap().items.is_empty());
}

#[test]
fn no_contacts_means_free_flight() {
    let answer = solve(&at_rest(["1", "-2", "3"], vec![]), &Options::default()).unwrap();
    assert_eq!(answer.status, Status::Unique);
    assert_eq!(answer.sets[0].region.vertices, vec![["1", "-2", "3"].map(q)]);
}

/// Sixteen digits of a slanted normal: unit to rounding, and a sliding velocity that keeps contact to rounding.
#[test]
fn decimals_from_a_computer_get_a_warning_and_the_right_answer() {
    let angle = 0.3f64;
    let exact = |x: f64| Rational::from_f64(x).unwrap();
    let (s, c) = angle.sin_cos();
    let contact = Contact {
        normal: [exact(-s), exact(c)],
        to_com: [exact(-s), exact(c)],
        mu: q("0.1"),
        kind: Kind::VertexOnEdge,
    };
    let mut case = at_rest(["0", "-9.81", "0"], vec![contact]);
    case.velocity = [exact(0.7 * c), exact(0.7 * s), Rational::ZERO];
    let answer = solve(&case, &Options::default()).unwrap();
    assert!(
        answer.warnings.iter().any(|w| matches!(w, Warning::SpeedTakenAsZero { .. } | Warning::NormalNotExact { .. }))
    );
    assert_eq!(answer.status, Status::Unique);
    // A block that slides up a slope while it turns freely: α = μ N r/ρ² in size, N = g cos θ.
    let a = answer.sets[0].region.vertices_f64()[0];
    assert!((a[2].abs() - 0.1 * 9.81 * c).abs() < 1e-12);
}

#[test]
fn five_hundred_contacts_end_soon_and_say_whether_they_are_whole() {
    for family in 0..5 {
        let case = Random(500 + family).case(500, family);
        let start = Instant::now();
        let answer = solve(&case, &Options::default()).unwrap();
        let modes = feasible_modes(&case, &Options { max_modes: 50, ..Options::default() }).unwrap();
        let strict = strict_modes(&case, &Options::default()).unwrap();
        println!(
            "family {family}: {} ({} sets, {} cells, {} steps, whole {}), {} of the closed modes, {} strict, {:?}",
            answer.status.name(),
            answer.sets.len(),
            answer.modes_tried,
            answer.work,
            answer.complete,
            modes.items.len(),
            strict.items.len(),
            start.elapsed()
        );
        assert!(start.elapsed().as_secs() < 30);
        assert!(answer.complete || answer.status != Status::Unique);
        for set in &answer.sets {
            let start = Instant::now();
            let r = reactions(&case, &set.inner_point, &Options { max_work: 2_000_000, ..Options::default() }).unwrap();
            println!("  reactions: complete {:?} in {:?}", r.map(|r| r.complete), start.elapsed());
        }
    }
}

/// A tiny work limit must never turn "I do not know" into "unique" or "inconsistent".
#[test]
fn a_partial_answer_is_marked_and_claims_no_uniqueness() {
    let mut random = Random(8);
    let mut partial = 0;
    for i in 0..200 {
        let case = random.case(4, i % 5);
        let whole = solve(&case, &Options::default()).unwrap();
        for max_work in [1, 10, 50, 100, 200, 400, 800, 1600] {
            let answer = solve(&case, &Options { max_work, ..Options::default() }).unwrap();
            if answer.complete {
                assert_eq!(answer.status, whole.status);
                continue;
            }
            partial += 1;
            assert!(matches!(answer.status, Status::Unfinished | Status::Ambiguous));
            assert!(answer.status == Status::Unfinished || whole.status == Status::Ambiguous);
        }
    }
    assert!(partial > 100, "{partial}");
}

/// 400 gap planes in convex position: the polyhedron has 400 facets, the most there can be.
#[test]
fn many_contacts_in_convex_position_are_answered_whole_or_marked() {
    for k in [50, 100, 400] {
        let contacts = (0..k).map(|i| {
            let t = Rational::new(2 * i - k, 2 * k).unwrap();
            let d = &Rational::ONE + &(&t * &t);
            let (x, y) = (&(&q("2") * &t) / &d, &(&Rational::ONE - &(&t * &t)) / &d);
            let nq = &x * &x; // (x, y, x²) lie on a parabola in the plane y = 1
            let to_com = [&(-&nq) * &y, &nq * &x]; // nq n⊥
            Contact { normal: [x, y], to_com, mu: q("1/2"), kind: Kind::VertexOnEdge }
        });
        let case = at_rest(["1", "-3", "1/5"], contacts.collect());
        let start = Instant::now();
        let answer = solve(&case, &Options::default()).unwrap();
        println!(
            "k {k}: {} {} cells, {} steps, whole {} in {:?}",
            answer.status.name(),
            answer.modes_tried,
            answer.work,
            answer.complete,
            start.elapsed()
        );
        assert!(start.elapsed().as_secs() < 30);
        assert!(answer.complete || answer.warnings.iter().any(|w| matches!(w, Warning::WorkLimit { .. })));
        assert!(answer.modes_tried <= 4 * k as usize + 2);
    }
}

/// As a computer would write them: 500 normals of 53 bits each, where exact corners have hundreds of digits.
#[test]
fn five_hundred_contacts_in_sixteen_digits_end_soon() {
    let exact = |x: f64| Rational::from_f64(x).unwrap();
    let contacts = (0..500).map(|i| {
        let angle = (f64::from(i) - 249.5) * 0.002;
        let (x, y) = angle.sin_cos();
        let to_com = [exact(-x * x * y), exact(x * x * x)];
        Contact { normal: [exact(x), exact(y)], to_com, mu: q("0.3"), kind: Kind::VertexOnEdge }
    });
    let case = at_rest(["1", "-3", "0.2"], contacts.collect());
    let start = Instant::now();
    let answer = solve(&case, &Options::default()).unwrap();
    println!("{} whole {}, {} steps, {:?}", answer.status.name(), answer.complete, answer.work, start.elapsed());
    assert!(start.elapsed().as_secs() < 60);
    assert!(answer.complete || answer.status != Status::Unique);
}

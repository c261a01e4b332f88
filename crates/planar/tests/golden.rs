//! Numbers from elsewhere: the Painlevé rod, counts of contact modes, the paper's example and its errata.

mod common;

use common::{at_rest, q, vertex};
use fingerpad_planar::cspace::terms;
use fingerpad_planar::{Case, Contact, Kind, Options, Rational, Status, reactions, solve, strict_modes};

/// A uniform rod touching the floor with its lower end, leaning over its centre at slope `t` = tan θ, sliding at
/// `speed` without turning. Half length √(1 + t²), so that everything is rational; the load does not depend on size.
fn rod(t: &Rational, mu: &str, speed: i64) -> Case {
    let one = Rational::ONE;
    let length_sq = &one + &(t * t);
    Case {
        mass: one.clone(),
        gyration_sq: &length_sq / &Rational::from(3),
        force: ["0", "-1", "0"].map(q),
        velocity: [Rational::from(speed), Rational::ZERO, Rational::ZERO],
        contacts: vec![Contact {
            normal: [Rational::ZERO, one.clone()],
            to_com: [one, t.clone()],
            mu: q(mu),
            kind: Kind::VertexOnEdge,
        }],
    }
}

fn status(case: &Case) -> Status {
    solve(case, &Options::default()).unwrap().status
}

/// Golden 34: the paradox needs μ > 4/3 and appears between the roots of tan²θ − 3μ tan θ + 4.
/// Angles are printed to 1e-4 °; twice that on either side must decide.
#[test]
fn the_painleve_window_of_the_rod_has_the_published_edges() {
    for (mu, low, high) in [("1.4", 55.5858, 69.9519), ("1.5", 50.6416, 73.0485), ("2", 37.3774, 79.1877)] {
        let at = |degrees: f64| {
            let t = Rational::from_f64(degrees.to_radians().tan()).unwrap();
            status(&rod(&t, mu, -1))
        };
        assert_eq!(at(low - 2e-4), Status::Unique, "μ {mu}");
        assert_eq!(at(low + 2e-4), Status::Inconsistent, "μ {mu}");
        assert_eq!(at(high - 2e-4), Status::Inconsistent, "μ {mu}");
        assert_eq!(at(high + 2e-4), Status::Unique, "μ {mu}");
    }
    for sixteenths in 1..200 {
        let t = Rational::new(sixteenths, 16).unwrap();
        assert_eq!(status(&rod(&t, "133/100", -1)), Status::Unique, "below 4/3 there is no paradox");
    }
    assert_eq!(status(&rod(&q("2"), "4/3", -1)), Status::Inconsistent, "at 4/3 and tan θ = 2 the edge is level");
}

/// Golden 35: loads at tan θ = 2: 25 and .316456 N for μ 1.3; none and .304878 N for μ 1.4.
#[test]
fn the_rod_at_slope_two_carries_the_published_loads() {
    let load = |mu: &str, speed: i64| {
        let case = rod(&q("2"), mu, speed);
        let answer = solve(&case, &Options::default()).unwrap();
        let a = &answer.sets.first()?.region.vertices[0];
        let r = reactions(&case, a, &Options::default()).unwrap().unwrap();
        assert_eq!((answer.status, r.indeterminacy, r.vertices.len()), (Status::Unique, 0, 1));
        Some(r.vertices[0][0].normal.clone())
    };
    assert_eq!(load("1.3", -1), Some(q("25")));
    assert!((load("1.3", 1).unwrap().to_f64() - 0.316456).abs() < 5e-7);
    assert_eq!(load("1.4", -1), None);
    assert!((load("1.4", 1).unwrap().to_f64() - 0.304878).abs() < 5e-7);
}

/// Golden 36: strict kinematic modes, of 4ᵏ.
#[test]
fn strict_modes_are_as_many_as_counted_elsewhere() {
    let floor = |x| vertex(["0", "1"], [x, "1"], "1/2");
    let wall = |y| vertex(["1", "0"], ["1", y], "1/2");
    let far_wall = |y| vertex(["-1", "0"], ["-1", y], "1/2");
    let scenes = [
        ("point on line", vec![floor("0")], 4),
        ("block on floor", vec![floor("1"), floor("-1")], 10),
        ("block in corner, 2 floor + 1 wall", vec![floor("1"), floor("-1"), wall("1")], 8),
        ("block in corner, 2 floor + 2 wall", vec![floor("1"), floor("-1"), wall("1"), wall("-1")], 10),
        ("opposed points", vec![wall("0"), far_wall("0")], 9),
        ("offset opposed points", vec![wall("1/2"), far_wall("-1/2")], 10),
        ("parallel jaws", vec![wall("1"), wall("-1"), far_wall("1"), far_wall("-1")], 3),
        (
            "disc in a right-angled V",
            vec![vertex(["1", "0"], ["1", "0"], "1"), vertex(["0", "1"], ["0", "1"], "1")],
            10,
        ),
    ];
    for (name, contacts, count) in scenes {
        let modes = strict_modes(&at_rest(["0", "0", "0"], contacts), &Options::default()).unwrap();
        assert!(modes.complete);
        let words: Vec<String> = modes.items.iter().map(|m| m.mode.to_string()).collect();
        assert_eq!(words.len(), count, "{name}: {words:?}");
    }
}

/// (Erdmann, §5.2): three points on a line, μ = 1/4, ρ = 1.
fn three_points(force: [&str; 3]) -> Case {
    let floor = |x| vertex(["0", "1"], [x, "1"], "1/4");
    at_rest(force, vec![floor("1"), floor("-1"), floor("0")])
}

#[test]
fn the_papers_example_has_its_printed_edges_and_its_motions() {
    let case = three_points(["0", "0", "0"]);
    let edges: Vec<[String; 3]> =
        terms(&case).unwrap().iter().flat_map(|t| [t.edge(1), t.edge(-1)]).map(|e| e.map(|x| x.to_string())).collect();
    // (μ, 1, (μ − 1)/ρ), (−μ, 1, −(μ + 1)/ρ); (μ, 1, (μ + 1)/ρ), (−μ, 1, −(μ − 1)/ρ); (±μ, 1, ±μ/ρ)
    let printed = [
        ["1/4", "1", "-3/4"],
        ["-1/4", "1", "-5/4"],
        ["1/4", "1", "5/4"],
        ["-1/4", "1", "3/4"],
        ["1/4", "1", "1/4"],
        ["-1/4", "1", "-1/4"],
    ];
    assert_eq!(edges, printed.map(|e| e.map(String::from)));
    for (force, a, mode) in [
        (["1", "0", "0"], ["1", "0", "0"], "PPP"),
        (["1", "-1", "0"], ["3/4", "0", "0"], "PPP"),
        (["0", "-1", "3"], ["-4/9", "7/9", "7/9"], "PSS"),
        (["0", "-1", "0"], ["0", "0", "0"], "FFF"),
    ] {
        let answer = solve(&three_points(force), &Options::default()).unwrap();
        assert_eq!(answer.status, Status::Unique);
        assert_eq!(answer.sets[0].region.vertices, vec![a.map(q)]);
        assert_eq!(answer.sets[0].kinematic_mode.to_string(), mode);
    }
}

/// E-D4: the paper's test accepts a = 0 here, but the contact point accelerates at (1, 0) and slips.
#[test]
fn a_turning_contact_without_slip_does_not_get_its_whole_cone() {
    let mut case = at_rest(["0", "-1", "1"], vec![vertex(["0", "1"], ["1", "0"], "1/2")]);
    case.velocity = ["0", "1", "1"].map(q);
    let answer = solve(&case, &Options::default()).unwrap();
    assert_eq!(answer.status, Status::Unique);
    assert_eq!(answer.sets[0].region.vertices, vec![["-1/2", "0", "0"].map(q)]);
    assert_eq!(answer.sets[0].kinematic_mode.to_string(), "P");
}

/// E-D5: a peg between two walls, pressed by nothing known: it may fall at any rate up to g.
#[test]
fn a_peg_between_walls_falls_at_any_rate_up_to_free_fall() {
    let walls = vec![vertex(["1", "0"], ["1", "0"], "1/2"), vertex(["-1", "0"], ["-1", "0"], "1/2")];
    let case = at_rest(["0", "-10", "0"], walls);
    let answer = solve(&case, &Options::default()).unwrap();
    assert_eq!((answer.status, answer.components, answer.dim), (Status::Ambiguous, 1, Some(1)));
    assert_eq!(answer.sets[0].region.vertices, vec![["0", "-10", "0"].map(q), ["0", "0", "0"].map(q)]);
    // At rest the squeeze can be any; it needs at least W/2μ on each wall.
    let rest = reactions(&case, &["0", "0", "0"].map(q), &Options::default()).unwrap().unwrap();
    assert_eq!(rest.indeterminacy, 1);
    assert_eq!((rest.normal_ranges[0].least.clone(), rest.normal_ranges[0].most.clone()), (Some(q("10")), None));
}

/// Where the edge is level (μ = 4/3, tan θ = 2) and nothing presses, every load keeps the contact: a ray of answers.
#[test]
fn a_level_edge_gives_a_ray_of_accelerations() {
    let mut case = rod(&q("2"), "4/3", -1);
    case.force = ["0", "0", "0"].map(q);
    let answer = solve(&case, &Options::default()).unwrap();
    assert_eq!((answer.status, answer.components, answer.dim), (Status::Ambiguous, 1, Some(1)));
    let region = &answer.sets[0].region;
    assert_eq!(region.vertices, vec![["0", "0", "0"].map(q)]);
    // M⁻¹(μ, 1, 2μ − 1) with ρ² = 5/3: along (4/3, 1, 1)
    assert_eq!(region.rays, vec![["4", "3", "3"].map(q)]);
    let length: f64 = region.rays_f64()[0].iter().map(|x| x * x).sum();
    assert!((length - 1.0).abs() < 1e-15);
}

/// Golden 38 (Reuleaux, Somov): three frictionless contacts never hold a planar body, four can.
#[test]
fn form_closure_needs_four_contacts() {
    // Floor and ceiling would turn the body one way, the walls the other.
    let square = vec![
        vertex(["0", "1"], ["1/2", "1"], "0"),
        vertex(["-1", "0"], ["-1", "-1/2"], "0"),
        vertex(["0", "-1"], ["-1/2", "-1"], "0"),
        vertex(["1", "0"], ["1", "1/2"], "0"),
    ];
    let holds = |contacts: Vec<Contact>| {
        let modes = strict_modes(&at_rest(["0", "0", "0"], contacts), &Options::default()).unwrap();
        modes.items.iter().all(|m| m.dim == 0)
    };
    assert!(holds(square.clone()));
    for missing in 0..4 {
        let mut three = square.clone();
        three.remove(missing);
        assert!(!holds(three));
    }
    let mut random = common::Random(38);
    for _ in 0..200 {
        assert!(!holds(random.case(3, 0).contacts));
    }
}

//! Contacts found from shapes, against cases written by hand.

mod common;

use common::q;
use fingerpad_planar::part::{Found, Part, PartError, Shape, Side, find_contacts};
use fingerpad_planar::{Kind, Options, Rational, Status, reactions, solve, strict_modes};

fn polygon(corners: &[[&str; 2]]) -> Shape {
    Shape::Polygon(corners.iter().map(|c| c.map(q)).collect())
}

fn square() -> Shape {
    polygon(&[["0", "0"], ["2", "0"], ["2", "2"], ["0", "2"]])
}

fn part(body: Shape, obstacles: Vec<Shape>) -> Part {
    Part {
        body,
        obstacles: obstacles.into_iter().map(|o| (o, q("1/2"))).collect(),
        mass: Rational::ONE,
        centre_of_mass: None,
        gyration_sq: None,
        force: ["0", "-10", "0"].map(q),
        velocity: ["0", "0", "0"].map(q),
        tolerance: q("1e-9"),
    }
}

fn modes(found: &Found) -> usize {
    strict_modes(&found.case, &Options::default()).unwrap().items.len()
}

#[test]
fn a_block_on_a_wide_floor_touches_with_two_corners_and_rests() {
    let floor = polygon(&[["-5", "-1"], ["5", "-1"], ["5", "0"], ["-5", "0"]]);
    let found = find_contacts(&part(square(), vec![floor])).unwrap();
    assert_eq!(found.case.contacts.len(), 2);
    assert!(found.case.contacts.iter().all(|c| c.kind == Kind::VertexOnEdge && c.normal == ["0", "1"].map(q)));
    assert_eq!(found.case.gyration_sq, q("2/3")); // (a² + b²)/12 of a 2 × 2 square
    assert_eq!(modes(&found), 10); // golden 36
    let answer = solve(&found.case, &Options::default()).unwrap();
    assert_eq!((answer.status, answer.sets[0].kinematic_mode.to_string()), (Status::Unique, "FF".into()));
}

#[test]
fn a_block_on_a_narrow_post_touches_with_its_face() {
    let post = polygon(&[["1/2", "-1"], ["3/2", "-1"], ["3/2", "0"], ["1/2", "0"]]);
    let found = find_contacts(&part(square(), vec![post])).unwrap();
    assert_eq!(found.case.contacts.len(), 2);
    assert!(found.case.contacts.iter().all(|c| c.kind == Kind::EdgeOnVertex && c.normal == ["0", "1"].map(q)));
}

/// Golden 36 again: 8 modes for floor and wall (3 contacts), 10 when the wall holds two corners.
#[test]
fn a_block_in_a_corner_has_the_modes_counted_elsewhere() {
    // One hollow outline: floor and a low wall of height 1 that ends half way up the block.
    let low = polygon(&[["-1", "-1"], ["5", "-1"], ["5", "0"], ["0", "0"], ["0", "2"], ["-1", "2"]]);
    let found = find_contacts(&part(square(), vec![low])).unwrap();
    assert_eq!(found.case.contacts.len(), 4);
    assert_eq!(modes(&found), 10);
    let floor = polygon(&[["-5", "-1"], ["5", "-1"], ["5", "0"], ["-5", "0"]]);
    let pin = Shape::Disc { centre: ["-1/2", "1"].map(q), radius: q("1/2") };
    let found = find_contacts(&part(square(), vec![floor, pin])).unwrap();
    assert_eq!(found.case.contacts.len(), 3);
    assert_eq!(found.case.contacts[2].kind, Kind::Curved { k_body: q("0"), k_obstacle: q("2") });
    assert_eq!(found.case.contacts[2].normal, ["1", "0"].map(q));
}

#[test]
fn a_disc_in_a_slanted_v_touches_both_sides_and_rests() {
    // Sides of slope 3/4: normals (±3/5, 4/5), disc of radius 1 with its centre 5/4 above the corner.
    let v = polygon(&[["-8", "6"], ["-8", "-1"], ["8", "-1"], ["8", "6"], ["0", "0"]]);
    let disc = Shape::Disc { centre: ["0", "5/4"].map(q), radius: q("1") };
    let found = find_contacts(&part(disc, vec![v])).unwrap();
    assert_eq!((found.case.contacts.len(), found.rounded_normals.len()), (2, 0));
    assert_eq!(found.case.gyration_sq, q("1/2"));
    let mut normals: Vec<_> = found.case.contacts.iter().map(|c| c.normal.clone()).collect();
    normals.sort();
    assert_eq!(normals, [["-3/5", "4/5"].map(q), ["3/5", "4/5"].map(q)]);
    assert_eq!(modes(&found), 10); // golden 36: disc in a V
    assert_eq!(solve(&found.case, &Options::default()).unwrap().status, Status::Unique);
}

#[test]
fn an_irrational_slope_gets_an_exact_unit_normal_and_flush_faces_stay_flush() {
    // A right-angled triangle resting with its hypotenuse on a slope of 45°.
    let slope = polygon(&[["0", "0"], ["9", "0"], ["9", "9"]]);
    let body = polygon(&[["2", "2"], ["4", "4"], ["2", "4"]]);
    let found = find_contacts(&part(body, vec![slope])).unwrap();
    assert_eq!((found.case.contacts.len(), found.rounded_normals.len()), (2, 2));
    let n = &found.case.contacts[0].normal;
    assert_eq!(&(&n[0] * &n[0]) + &(&n[1] * &n[1]), Rational::ONE);
    assert!((n[1].to_f64() - 0.5f64.sqrt()).abs() < 1e-13 && (n[0].to_f64() + 0.5f64.sqrt()).abs() < 1e-13);
    let answer = solve(&found.case, &Options::default()).unwrap();
    // tan 45° > μ = 1/2: it slides down with g (sin − μ cos) = 10/√2 · 1/2 unless it tips; it must not stay.
    assert_eq!(answer.status, Status::Unique);
    let a = answer.sets[0].region.vertices_f64()[0];
    assert!((a[0].hypot(a[1]) - 5.0 * 0.5f64.sqrt()).abs() < 1e-9 && a[2].abs() < 1e-9, "{a:?}");
}

#[test]
fn corners_on_corners_are_said_and_overlaps_refused() {
    let wedge = polygon(&[["2", "0"], ["4", "-1"], ["4", "-2"], ["2", "-2"]]);
    let found = find_contacts(&part(square(), vec![wedge])).unwrap();
    assert_eq!((found.case.contacts.len(), found.without_normal.len()), (1, 0));
    assert_eq!(found.case.contacts[0].kind.code(), "VV");
    let inside = polygon(&[["1/2", "1/2"], ["1", "1/2"], ["1", "1"]]);
    assert!(matches!(find_contacts(&part(square(), vec![inside])), Err(PartError::Overlap { obstacle: 0, .. })));
    let bar = polygon(&[["-1", "1/2"], ["3", "1/2"], ["3", "1"], ["-1", "1"]]);
    assert!(matches!(find_contacts(&part(square(), vec![bar])), Err(PartError::Overlap { .. })));
    let flat = polygon(&[["0", "0"], ["1", "1"], ["2", "2"]]);
    let message = find_contacts(&part(flat, vec![])).unwrap_err().to_string();
    assert_eq!(message, "the body needs at least 3 corners that do not lie on one line");
}

/// A disc that rolls over a corner, and a corner that slides over a disc: the limits of the curved formula.
#[test]
fn corner_and_curve_are_limits_of_two_curves() {
    let base = |kind| fingerpad_planar::Contact {
        normal: ["3/5", "4/5"].map(q),
        to_com: ["1", "1/2"].map(q),
        mu: q("1/2"),
        kind,
    };
    let h = |kind| {
        let mut case = common::at_rest(["0", "0", "0"], vec![base(kind)]);
        case.velocity = ["3", "-2", "1/2"].map(q);
        fingerpad_planar::cspace::terms(&case).unwrap()[0].gap_bias.to_f64()
    };
    let (k, sharp) = (q("3/2"), q("1e12"));
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-10, "{a} {b}"); // error of order 1/sharp
    let curved = |a: &Rational, b: &Rational| h(Kind::Curved { k_body: a.clone(), k_obstacle: b.clone() });
    near(h(Kind::VertexOnCurve { k_obstacle: k.clone() }), curved(&sharp, &k));
    near(h(Kind::CurveOnVertex { k_body: k.clone() }), curved(&k, &sharp));
    near(h(Kind::VertexOnEdge), curved(&sharp, &q("0")));
    near(h(Kind::EdgeOnVertex), curved(&q("0"), &sharp));
}

/// Corners, and where the third and fourth number are given a point of the arc to the next corner.
fn outline(sides: &[&[&str]]) -> Shape {
    let point = |s: &[&str]| [q(s[0]), q(s[1])];
    let side = |s: &&[&str]| Side { start: point(s), via: (s.len() == 4).then(|| point(&s[2..])) };
    Shape::Outline(sides.iter().map(side).collect())
}

/// Half a circle of radius 3 about the origin, open above.
fn bowl() -> Shape {
    outline(&[&["-4", "-4"], &["4", "-4"], &["4", "0"], &["3", "0", "0", "-3"], &["-3", "0"], &["-4", "0"]])
}

fn disc(x: &str, y: &str, radius: &str) -> Shape {
    Shape::Disc { centre: [x, y].map(q), radius: q(radius) }
}

/// The gap of a disc in a bowl is R − r − |c|: along the wall at speed v it accelerates by −v²/(R − r), turning or not.
#[test]
fn a_disc_in_a_bowl_touches_with_the_curvature_of_both() {
    let mut asked = part(disc("6/5", "-8/5", "1"), vec![bowl()]);
    asked.velocity = ["4/5", "3/5", "7/3"].map(q);
    let found = find_contacts(&asked).unwrap();
    assert_eq!((found.case.contacts.len(), found.rounded_normals.len()), (1, 0));
    let c = &found.case.contacts[0];
    assert_eq!((&c.normal, &found.places[0].point), (&["-3/5", "4/5"].map(q), &["9/5", "-12/5"].map(q)));
    assert_eq!(c.kind, Kind::Curved { k_body: q("1"), k_obstacle: q("-1/3") });
    let terms = fingerpad_planar::cspace::terms(&found.case).unwrap();
    assert_eq!((&terms[0].gap_rate, &terms[0].gap_bias), (&q("0"), &q("-1/2")));
}

#[test]
fn a_half_disc_rocks_on_its_arc_like_a_disc_and_lies_on_its_flat_side_like_a_block() {
    let floor = || polygon(&[["-5", "-1"], ["5", "-1"], ["5", "0"], ["-5", "0"]]);
    let cup = outline(&[&["-1", "1", "0", "0"], &["1", "1"]]);
    let found = find_contacts(&part(cup, vec![floor()])).unwrap();
    assert_eq!(found.case.contacts.len(), 1);
    assert_eq!(found.case.contacts[0].kind, Kind::Curved { k_body: q("1"), k_obstacle: q("0") });
    assert_eq!(found.places[0].point, ["0", "0"].map(q));
    let cap = outline(&[&["1", "0", "0", "1"], &["-1", "0"]]);
    let found = find_contacts(&part(cap, vec![floor()])).unwrap();
    assert_eq!(found.case.contacts.len(), 2);
    assert!(found.case.contacts.iter().all(|c| c.kind == Kind::VertexOnEdge && c.normal == ["0", "1"].map(q)));
}

/// A stadium lies on its flat side; its ends are smooth, so when it tips it rolls on an arc (h = −ω²/k + ω² n·r).
#[test]
fn a_stadium_touches_with_the_ends_of_its_flat_side_and_rolls_on_its_arcs() {
    let floor = polygon(&[["-9", "-1"], ["9", "-1"], ["9", "0"], ["-9", "0"]]);
    let stadium = outline(&[&["-1", "0"], &["1", "0", "2", "1"], &["1", "2"], &["-1", "2", "-2", "1"]]);
    let mut asked = part(stadium, vec![floor]);
    let found = find_contacts(&asked).unwrap();
    assert_eq!(found.case.contacts.len(), 2);
    let answer = solve(&found.case, &Options::default()).unwrap();
    assert_eq!((answer.status, answer.sets[0].kinematic_mode.to_string()), (Status::Unique, "FF".into()));
    // Turning to the right it rolls on the right arc without slip: the centre of the arc moves at ω r.
    asked.velocity = ["1", "1", "-1"].map(q); // of the centre of mass, 1 to the left of the arc's centre
    let found = find_contacts(&asked).unwrap();
    let terms = fingerpad_planar::cspace::terms(&found.case).unwrap();
    let right = found.places.iter().position(|p| p.point == ["1", "0"].map(q)).unwrap();
    assert_eq!(found.case.contacts[right].kind, Kind::Curved { k_body: q("1"), k_obstacle: q("0") });
    // The arc's centre goes straight on: its height, and the gap with it, does not accelerate by the turning.
    assert_eq!((&terms[right].slip, &terms[right].gap_bias), (&q("0"), &q("0")));
    assert!(terms[1 - right].gap_rate > q("0"));
}

#[test]
fn corners_on_arcs_and_arcs_on_arcs_have_rational_normals_where_they_can() {
    // A hill of radius 5 about the origin; a square with a corner on it at (3, 4), whose sides stay outside.
    let hill = || outline(&[&["5", "0", "0", "5"], &["-5", "0"]]);
    let body = polygon(&[["3", "4"], ["5", "4"], ["5", "6"], ["3", "6"]]);
    let found = find_contacts(&part(body, vec![hill()])).unwrap();
    assert_eq!((found.case.contacts.len(), found.rounded_normals.len()), (1, 0));
    assert_eq!(found.case.contacts[0].kind, Kind::VertexOnCurve { k_obstacle: q("1/5") });
    assert_eq!(found.case.contacts[0].normal, ["3/5", "4/5"].map(q));
    // A lens (arcs of radius 5) lying on the top of the hill.
    let lens = outline(&[&["-3", "6", "0", "5"], &["3", "6", "0", "7"]]);
    let found = find_contacts(&part(lens, vec![hill()])).unwrap();
    assert_eq!(found.case.contacts.len(), 1);
    assert_eq!(found.case.contacts[0].kind, Kind::Curved { k_body: q("1/5"), k_obstacle: q("1/5") });
    assert_eq!(found.case.contacts[0].normal, ["0", "1"].map(q));
    // A bridge with a hollow of radius 13 below, over a post with a round top of radius 1.
    let bridge = outline(&[&["-5", "-1", "0", "0"], &["5", "-1"], &["5", "2"], &["-5", "2"]]);
    let post = outline(&[&["1", "-1", "0", "0"], &["-1", "-1"]]);
    let found = find_contacts(&part(bridge, vec![post])).unwrap();
    assert_eq!(found.case.contacts.len(), 1);
    assert_eq!(found.case.contacts[0].kind, Kind::Curved { k_body: q("-1/13"), k_obstacle: q("1") });
    assert_eq!(found.case.contacts[0].normal, ["0", "1"].map(q));
}

#[test]
fn outlines_that_cross_themselves_and_arcs_that_overlap_are_refused() {
    let refused = |body: Shape, obstacles: Vec<Shape>| find_contacts(&part(body, obstacles)).unwrap_err();
    let crosses = |body: Shape| assert!(matches!(refused(body, vec![]), PartError::CrossesItself { .. }));
    crosses(polygon(&[["0", "0"], ["2", "2"], ["3", "0"], ["0", "2"]])); // loops of equal area
    crosses(polygon(&[["0", "0"], ["2", "2"], ["3", "0"], ["0", "3"]]));
    crosses(polygon(&[["0", "0"], ["4", "0"], ["2", "0"], ["2", "3"]])); // turns back
    crosses(polygon(&[["0", "0"], ["4", "0"], ["4", "4"], ["2", "0"], ["0", "4"]])); // touches its own side
    crosses(outline(&[&["0", "0"], &["4", "0"], &["4", "2", "2", "-1"], &["0", "2"]])); // an arc through the bottom
    crosses(outline(&[&["0", "0", "1", "2"], &["2", "0", "3", "1"], &["4", "0", "2", "3/2"]])); // arc through arc
    let flat = refused(outline(&[&["0", "0", "1", "0"], &["2", "0"], &["0", "2"]]), vec![]).to_string();
    assert_eq!(
        flat,
        "an arc of the body needs three points that do not lie on one line, got (1, 0) m between its ends"
    );
    let deep =
        |body: Shape, obstacle: Shape| assert!(matches!(refused(body, vec![obstacle]), PartError::Overlap { .. }));
    deep(disc("0", "-5/2", "1"), bowl());
    deep(disc("0", "-7/2", "1/4"), bowl()); // inside the bowl's wall
    deep(disc("0", "0", "1"), disc("0", "0", "1"));
    deep(disc("0", "0", "1"), disc("1/4", "0", "3"));
    // Two lenses across each other: no corner of one is inside the other.
    let upright = outline(&[&["0", "-3", "1", "0"], &["0", "3", "-1", "0"]]);
    let level = outline(&[&["-3", "0", "0", "-1"], &["3", "0", "0", "1"]]);
    deep(upright, level);
    // Far apart though on the circles of each other, and free inside the bowl.
    assert_eq!(find_contacts(&part(disc("0", "-1", "1"), vec![bowl()])).unwrap().case.contacts.len(), 0);
    assert!(matches!(refused(disc("0", "0", "3"), vec![bowl()]), PartError::Conforming { .. }));
}

/// Shallow overlaps within the tolerance are contacts and not crossings.
#[test]
fn arcs_may_overlap_by_the_tolerance() {
    for y in ["-8/5", "-1.6000000005", "-1.5999999995"] {
        let found = find_contacts(&part(disc("6/5", y, "1"), vec![bowl()])).unwrap();
        assert_eq!(found.case.contacts.len(), 1, "{y}");
    }
    let floor = polygon(&[["-5", "-1"], ["5", "-1"], ["5", "0"], ["-5", "0"]]);
    for y in ["1", "0.9999999995"] {
        let cup = outline(&[&["-1", y, "0", "-0.0000000005"], &["1", y]]);
        assert_eq!(find_contacts(&part(cup, vec![floor.clone()])).unwrap().case.contacts.len(), 1);
    }
}

/// (Erdmann, footnote 1): a vertex on a vertex has several motions even without friction. A square with its lower left
/// corner on the upper right corner of an obstacle can, worked out by hand: fall past it; turn about the corner (α = −3/4
/// of g/side); slide to the left over the top (N = 2/5, α = −6/5).
#[test]
fn a_corner_on_a_corner_may_fall_turn_or_slide() {
    let square = polygon(&[["0", "0"], ["1", "0"], ["1", "1"], ["0", "1"]]);
    let block = polygon(&[["0", "0"], ["-2", "0"], ["-2", "-2"], ["0", "-2"]]);
    let mut asked = part(square, vec![block]);
    asked.force = ["0", "-1", "0"].map(q);
    asked.obstacles[0].1 = q("0");
    let found = find_contacts(&asked).unwrap();
    let [c] = &found.case.contacts[..] else { panic!() };
    assert_eq!(c.normal, ["1", "0"].map(q));
    assert!(matches!(&c.kind, Kind::VertexOnVertex { other, .. } if *other == ["0", "1"].map(q)));
    let options = Options::default();
    let answer = solve(&found.case, &options).unwrap();
    assert_eq!((answer.status, answer.components), (Status::Ambiguous, 3));
    let mut points: Vec<_> = answer.sets.iter().flat_map(|s| s.region.vertices.clone()).collect();
    points.sort();
    points.dedup();
    let expected = [["0", "-1", "0"], ["0", "-3/5", "-6/5"], ["3/8", "-3/8", "-3/4"]];
    assert_eq!(points, expected.map(|e| e.map(q)));
    // The forces: 5/8 up and 3/8 to the right at the corner that stays; and with constraints joined by "and" no fall.
    let stays = reactions(&found.case, &points[2], &options).unwrap().unwrap();
    assert_eq!((&stays.vertices[0][0].normal, &stays.vertices[0][0].friction), (&q("3/8"), &q("-5/8")));
    assert!(reactions(&found.case, &["0", "-1/2", "0"].map(q), &options).unwrap().is_none());
    // Going down, the body touches the right side of the obstacle with its corner; going left, the top with its corner.
    asked.velocity = ["0", "-1", "0"].map(q);
    let down = solve(&find_contacts(&asked).unwrap().case, &options).unwrap();
    assert_eq!((down.status, down.sets[0].kinematic_mode.to_string()), (Status::Unique, "P".into()));
    asked.velocity = ["-1", "-1", "0"].map(q);
    assert_eq!(solve(&find_contacts(&asked).unwrap().case, &options).unwrap().status, Status::InvalidImpact);
    asked.velocity = ["-1", "1", "0"].map(q);
    let away = solve(&find_contacts(&asked).unwrap().case, &options).unwrap();
    assert_eq!((away.status, away.sets[0].kinematic_mode.to_string()), (Status::Unique, "-".into()));
}

//! Contacts found from shapes, against cases written by hand.

mod common;

use common::q;
use fingerpad_planar::part::{Found, Part, PartError, Shape, find_contacts};
use fingerpad_planar::{Kind, Options, Rational, Status, solve, strict_modes};

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
    assert_eq!((found.case.contacts.len(), found.corner_on_corner.len()), (0, 1));
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

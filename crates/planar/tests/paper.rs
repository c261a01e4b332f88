//! The paper's own procedure against the complete solver, on random cases.

mod common;

use common::{Random, at_rest, q, vertex};
use fingerpad_planar::cspace::{Motion, Terms, terms};
use fingerpad_planar::paper::{Piece, Step, frictionless_projection, procedure};
use fingerpad_planar::{Case, Options, Rational, Status, reactions, solve};
use std::cmp::Ordering;

type V3 = [Rational; 3];

fn dot(a: &V3, b: &V3) -> Rational {
    (0..3).map(|i| &a[i] * &b[i]).sum()
}

/// Whether the text itself claims to cover the case: no two parallel normals, no cone below its tangent plane.
fn covered(case: &Case) -> bool {
    let all: Vec<Terms> = terms(case).unwrap().into_iter().filter(|t| t.motion != Motion::Separating).collect();
    let inverse = [Rational::ONE, Rational::ONE, &Rational::ONE / &case.gyration_sq];
    let above = |t: &Terms| {
        [-1, 1].iter().all(|&s| {
            let e = t.edge(s);
            let scaled: V3 = std::array::from_fn(|i| &e[i] * &inverse[i]);
            dot(&t.normal, &scaled).sign() == Ordering::Greater
        })
    };
    let parallel = |a: &Terms, b: &Terms| {
        let c = |i: usize, j: usize| &(&a.normal[i] * &b.normal[j]) - &(&a.normal[j] * &b.normal[i]);
        c(0, 1).is_zero() && c(1, 2).is_zero() && c(2, 0).is_zero()
    };
    all.iter().all(above) && all.iter().enumerate().all(|(i, a)| all[..i].iter().all(|b| !parallel(a, b)))
}

/// Whether `a` lies on the piece: between its ends along its direction.
fn on(piece: &Piece, a: &V3) -> bool {
    let Some(start) = piece.ends[0].as_ref().or(piece.ends[1].as_ref()) else { return false };
    let d: V3 = std::array::from_fn(|i| &a[i] - &start[i]);
    if d.iter().all(Rational::is_zero) {
        return true;
    }
    if piece.along.iter().all(Rational::is_zero) {
        return false;
    }
    let c = |i: usize, j: usize| &(&d[i] * &piece.along[j]) - &(&d[j] * &piece.along[i]);
    if !(c(0, 1).is_zero() && c(1, 2).is_zero() && c(2, 0).is_zero()) {
        return false;
    }
    let position = dot(a, &piece.along);
    let after = piece.ends[0].as_ref().is_none_or(|e| dot(e, &piece.along) <= position);
    let before = piece.ends[1].as_ref().is_none_or(|e| dot(e, &piece.along) >= position);
    after && before
}

/// The 75 oracle cases: 74 without impact; every piece is an answer, and where the text applies all is found.
#[test]
fn the_oracles_cases_agree_with_the_paper_where_it_applies() {
    let options = Options::default();
    let mut compared = 0;
    for v in common::oracle() {
        let (case, id) = (common::case(&v), &v["id"]);
        let answer = solve(&case, &options).unwrap();
        let Some(pieces) = procedure(&case, &options).unwrap() else { continue };
        for a in pieces.iter().flat_map(|p| p.ends.iter().flatten()) {
            assert!(reactions(&case, a, &options).unwrap().is_some(), "{id}");
        }
        if covered(&case) {
            let found = |a: &V3| pieces.iter().any(|p| on(p, a));
            assert!(answer.sets.iter().all(|s| s.region.vertices.iter().all(found) && found(&s.inner_point)), "{id}");
            compared += 1;
        }
    }
    println!("{compared} oracle cases compared");
    assert!(compared > 30, "{compared}");
}

/// E-D4: without the correction the text accepts zero net force here.
#[test]
fn zero_net_force_is_refused_where_the_contact_would_slip() {
    let mut case = at_rest(["0", "-1", "1"], vec![vertex(["0", "1"], ["1", "0"], "1/2")]);
    case.velocity = ["0", "1", "1"].map(q);
    let pieces = procedure(&case, &Options::default()).unwrap().unwrap();
    assert!(pieces.iter().all(|p| p.step != Step::ZeroNet));
    assert!(pieces.iter().any(|p| p.ends[0] == Some(["-1/2", "0", "0"].map(q))));
}

#[test]
fn every_piece_is_an_answer_and_where_the_text_applies_nothing_is_missing() {
    let options = Options::default();
    let mut random = Random(21);
    let (mut pieces_seen, mut complete, mut moving, mut missing) = (0, 0, 0, 0);
    for i in 0..600 {
        let case = random.case(1 + i % 4, i as u64 % 5);
        let answer = solve(&case, &options).unwrap();
        let Some(pieces) = procedure(&case, &options).unwrap() else {
            assert_eq!(answer.status, Status::InvalidImpact);
            continue;
        };
        pieces_seen += pieces.len();
        for p in &pieces {
            let ends: Vec<&V3> = p.ends.iter().flatten().collect();
            let middle: Option<V3> = match ends[..] {
                [a, b] => Some(std::array::from_fn(|i| &(&a[i] + &b[i]) / &Rational::from(2))),
                _ => None,
            };
            for a in ends.into_iter().chain(&middle) {
                assert!(reactions(&case, a, &options).unwrap().is_some(), "{:?} at {a:?} of {case:?}", p.step);
            }
        }
        let found = |a: &V3| pieces.iter().any(|p| on(p, a));
        let whole = answer.sets.iter().all(|s| s.region.vertices.iter().all(found) && found(&s.inner_point));
        if covered(&case) {
            assert!(whole, "{:?} against {pieces:?} of {case:?}", answer.sets);
            complete += 1;
            moving += usize::from(case.velocity.iter().any(|v| !v.is_zero()));
        } else {
            missing += usize::from(!whole);
        }
    }
    println!("{pieces_seen} pieces, {complete} cases compared ({moving} moving); {missing} not covered and incomplete");
    assert!(complete > 100 && moving > 10 && missing > 0);
}

/// §5.4.7: without friction the 2-D projection is the whole answer for two floor contacts.
#[test]
fn the_frictionless_projection_gives_the_reaction_of_a_block_that_slides() {
    let floor = |x| vertex(["0", "1"], [x, "1"], "0");
    let case = at_rest(["1", "-6", "2"], vec![floor("1"), floor("-1")]);
    let r = frictionless_projection(&case, &[0, 1], &Options::default()).unwrap().unwrap();
    assert_eq!(r, ["0", "6", "-2"].map(q));
    let answer = solve(&case, &Options::default()).unwrap();
    assert_eq!(answer.sets[0].region.vertices, vec![["1", "0", "0"].map(q)]);
    let tipping = at_rest(["1", "-6", "7"], vec![floor("1"), floor("-1")]);
    assert_eq!(frictionless_projection(&tipping, &[0, 1], &Options::default()).unwrap(), None);
}

/// E-D5: the peg's segment is what the text leaves out; its two ends are found as zero reaction and zero net force.
#[test]
fn the_peg_between_walls_shows_the_gap_of_section_5_4_5() {
    let walls = vec![vertex(["1", "0"], ["1", "0"], "1/2"), vertex(["-1", "0"], ["-1", "0"], "1/2")];
    let pieces = procedure(&at_rest(["0", "-10", "0"], walls), &Options::default()).unwrap().unwrap();
    let steps: Vec<&Step> = pieces.iter().map(|p| &p.step).collect();
    assert_eq!(steps, [&Step::ZeroReaction, &Step::ZeroNet]);
}

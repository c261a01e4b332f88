//! Forces behind accelerations, judged by summing forces and moments in real space.

mod common;

use common::{Random, at_rest, q, vertex};
use fingerpad_planar::{Case, ContactForce, Options, Rational, reactions, set_reactions, solve};

/// Force and moment about the centre of mass of contact forces: f = fn n + ft ts at −r from the centre.
fn wrench(case: &Case, forces: &[ContactForce]) -> [Rational; 3] {
    let mut sum = [Rational::ZERO, Rational::ZERO, Rational::ZERO];
    for (c, f) in case.contacts.iter().zip(forces) {
        let ([nx, ny], [rx, ry]) = (&c.normal, &c.to_com);
        let fx = &(&f.normal * nx) + &(&f.friction * ny);
        let fy = &(&f.normal * ny) - &(&f.friction * nx);
        let moment = &(&(-rx) * &fy) - &(&(-ry) * &fx);
        sum = [&sum[0] + &fx, &sum[1] + &fy, &sum[2] + &moment];
    }
    sum
}

#[test]
fn every_extreme_force_balances_and_stays_in_its_cone() {
    let mut random = Random(5);
    let (mut points, mut indeterminate) = (0, 0);
    for i in 0..200 {
        let case = random.case(1 + i % 5, i as u64 % 5);
        for set in solve(&case, &Options::default()).unwrap().sets {
            for r in set_reactions(&case, &set, &Options::default()).unwrap() {
                points += 1;
                indeterminate += usize::from(r.indeterminacy > 0);
                assert!(r.complete && !r.vertices.is_empty());
                assert_eq!(r.indeterminacy > 0, r.vertices.len() > 1 || !r.rays.is_empty());
                let mass = [&case.mass, &case.mass, &(&case.mass * &case.gyration_sq)];
                let needed: [Rational; 3] = std::array::from_fn(|i| &(mass[i] * &r.acceleration[i]) - &case.force[i]);
                let zero = [Rational::ZERO, Rational::ZERO, Rational::ZERO];
                let all = r.vertices.iter().map(|v| (v, &needed)).chain(r.rays.iter().map(|v| (v, &zero)));
                for (forces, sum) in all {
                    assert_eq!(&wrench(&case, forces), sum);
                    for (c, f) in case.contacts.iter().zip(forces) {
                        assert!(f.normal >= Rational::ZERO && f.friction.abs() <= &c.mu * &f.normal);
                    }
                }
            }
        }
    }
    assert!(points > 150 && indeterminate > 30, "{points} accelerations, {indeterminate} with unknown forces");
}

/// A table on three legs in a line: 6 edge forces, 3 equations.
#[test]
fn a_block_on_three_points_has_three_unknown_forces() {
    let floor = |x| vertex(["0", "1"], [x, "1"], "1/2");
    let case = at_rest(["0", "-6", "0"], vec![floor("1"), floor("-1"), floor("0")]);
    let r = reactions(&case, &["0", "0", "0"].map(q), &Options::default()).unwrap().unwrap();
    assert_eq!(r.indeterminacy, 3);
    // The middle leg may carry nothing or all; an outer leg at most its half, and friction inside needs its share.
    assert_eq!((r.normal_ranges[2].least.clone(), r.normal_ranges[2].most.clone()), (Some(q("0")), Some(q("6"))));
    assert_eq!((r.normal_ranges[0].least.clone(), r.normal_ranges[0].most.clone()), (Some(q("0")), Some(q("3"))));
}

#[test]
fn an_acceleration_that_is_not_an_answer_has_no_forces() {
    let case = at_rest(["0", "-6", "0"], vec![vertex(["0", "1"], ["0", "1"], "1/2")]);
    for a in [["0", "-1", "0"], ["0", "1", "0"], ["1", "0", "0"], ["0", "0", "1/1000"]] {
        assert!(reactions(&case, &a.map(q), &Options::default()).unwrap().is_none(), "{a:?}");
    }
    assert!(reactions(&case, &["0", "0", "0"].map(q), &Options::default()).unwrap().is_some());
}

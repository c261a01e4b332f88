//! The answer must not depend on where, how large or in which order the case is written.

mod common;

use common::{Random, q};
use fingerpad_planar::{Case, Kind, Options, Rational, Status, solve};

type V3 = [Rational; 3];
type Summary = (Status, usize, Vec<(Vec<V3>, usize, String)>);

/// Sets as (vertices, dimension, closed mode at the inner point), sorted; and the status.
fn summary(case: &Case) -> Summary {
    let answer = solve(case, &Options::default()).unwrap();
    let mut sets: Vec<_> =
        answer.sets.iter().map(|s| (s.region.vertices.clone(), s.region.dim, s.kinematic_mode.to_string())).collect();
    sets.sort();
    (answer.status, answer.components, sets)
}

fn mapped(case: &Case, map: impl Fn(&V3) -> V3) -> Summary {
    let (status, components, mut sets) = summary(case);
    for s in &mut sets {
        s.0 = s.0.iter().map(&map).collect();
        s.0.sort();
    }
    sets.sort();
    (status, components, sets)
}

fn turn(x: &Rational, y: &Rational) -> [Rational; 2] {
    let (c, s) = (q("3/5"), q("4/5"));
    [&(&c * x) - &(&s * y), &(&s * x) + &(&c * y)]
}

fn turn3(v: &V3) -> V3 {
    let [x, y] = turn(&v[0], &v[1]);
    [x, y, v[2].clone()]
}

fn cases() -> impl Iterator<Item = Case> {
    let mut random = Random(99);
    (0..100).map(move |i| random.case(1 + i % 5, i as u64 % 5))
}

#[test]
fn turning_the_world_turns_the_answer() {
    for case in cases() {
        let mut turned = case.clone();
        turned.force = turn3(&case.force);
        turned.velocity = turn3(&case.velocity);
        for c in &mut turned.contacts {
            c.normal = turn(&c.normal[0], &c.normal[1]);
            c.to_com = turn(&c.to_com[0], &c.to_com[1]);
        }
        assert_eq!(summary(&turned), mapped(&case, turn3));
    }
}

/// Lengths times L, masses times M: accelerations times L, angular ones unchanged.
#[test]
fn other_units_of_length_and_mass_scale_the_answer() {
    let (l, m) = (q("7/3"), q("11/5"));
    for case in cases() {
        let mut scaled = case.clone();
        scaled.mass = &case.mass * &m;
        scaled.gyration_sq = &case.gyration_sq * &(&l * &l);
        let ml = &m * &l;
        scaled.force = [&case.force[0] * &ml, &case.force[1] * &ml, &case.force[2] * &(&ml * &l)];
        scaled.velocity = [&case.velocity[0] * &l, &case.velocity[1] * &l, case.velocity[2].clone()];
        for c in &mut scaled.contacts {
            c.to_com = [&c.to_com[0] * &l, &c.to_com[1] * &l];
            if let Kind::Curved { k_body, k_obstacle } = &mut c.kind {
                *k_body = &*k_body / &l;
                *k_obstacle = &*k_obstacle / &l;
            }
        }
        assert_eq!(summary(&scaled), mapped(&case, |v| [&v[0] * &l, &v[1] * &l, v[2].clone()]));
    }
}

#[test]
fn the_order_of_contacts_only_permutes_letters() {
    for case in cases() {
        let mut reversed = case.clone();
        reversed.contacts.reverse();
        let (status, components, mut sets) = summary(&reversed);
        for s in &mut sets {
            s.2 = s.2.chars().rev().collect();
        }
        sets.sort();
        assert_eq!((status, components, sets), summary(&case));
    }
}

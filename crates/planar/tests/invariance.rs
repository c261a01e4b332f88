//! The answer must not depend on where, how large or in which order the case is written.

mod common;

use common::{Random, q};
use fingerpad_planar::part::{Part, Shape, Side, find_contacts};
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

/// Seconds that are T times as long: velocities over T, forces and accelerations over T².
#[test]
fn another_unit_of_time_scales_the_answer() {
    let t = q("5/7");
    let t2 = &t * &t;
    let scale = |v: &V3, by: &Rational| -> V3 { std::array::from_fn(|i| &v[i] / by) };
    let mut moving = 0;
    for case in cases() {
        let mut scaled = case.clone();
        scaled.force = scale(&case.force, &t2);
        scaled.velocity = scale(&case.velocity, &t);
        moving += usize::from(case.velocity.iter().any(|v| !v.is_zero()));
        assert_eq!(summary(&scaled), mapped(&case, |v| scale(v, &t2)));
    }
    assert!(moving > 10, "{moving}");
}

/// A part and its obstacles turned by an exact angle and moved far away: the same contacts, the answer turned.
#[test]
fn moving_part_and_obstacles_together_turns_the_answer() {
    let polygon = |c: &[[&str; 2]]| Shape::Polygon(c.iter().map(|p| p.map(q)).collect());
    let corner = |x: &str, y: &str, via: Option<[&str; 2]>| Side { start: [x, y].map(q), via: via.map(|v| v.map(q)) };
    let bowl = Shape::Outline(vec![
        corner("-4", "-4", None),
        corner("4", "-4", None),
        corner("4", "0", None),
        corner("3", "0", Some(["0", "-3"])),
        corner("-3", "0", None),
        corner("-4", "0", None),
    ]);
    let part = Part {
        body: polygon(&[["9/5", "-12/5"], ["12/5", "-9/5"], ["0", "2"]]),
        obstacles: vec![(bowl, q("1/3"))],
        mass: q("2"),
        centre_of_mass: None,
        gyration_sq: None,
        force: ["1", "-5", "1/2"].map(q),
        velocity: ["0", "0", "0"].map(q),
        tolerance: q("1e-9"),
    };
    let far = |p: &[Rational; 2]| {
        let [x, y] = turn(&p[0], &p[1]);
        Ok::<_, ()>([&x + &q("1000001/3"), &y - &q("77777")])
    };
    let mut there = part.clone();
    there.body = part.body.moved(far).unwrap();
    there.obstacles[0].0 = part.obstacles[0].0.moved(far).unwrap();
    there.force = turn3(&part.force);
    let (here, there) = (find_contacts(&part).unwrap(), find_contacts(&there).unwrap());
    assert_eq!((here.case.contacts.len(), here.rounded_normals.len()), (2, 0));
    assert_eq!(summary(&there.case), mapped(&here.case, turn3));
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

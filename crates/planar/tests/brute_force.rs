//! Random cases against all 4ᵏ modes, each mode by an exact linear program of its own (tests/common/simplex.rs).

mod common;

use common::Random;
use common::simplex::{ModeProgram, inside};
use fingerpad_planar::cspace::{Motion, terms};
use fingerpad_planar::{Case, Options, Rational, Region, Status, feasible_modes, solve};
use std::collections::BTreeMap;

fn all_modes(case: &Case) -> Vec<String> {
    let terms = terms(case).unwrap();
    let mut words = vec![String::new()];
    for t in &terms {
        let letters = if t.motion == Motion::Separating { "-" } else { "SFPN" };
        words = words.iter().flat_map(|w| letters.chars().map(move |l| format!("{w}{l}"))).collect();
    }
    words
}

fn region_support(r: &Region, d: &[Rational; 3]) -> Option<Rational> {
    let dot = |v: &[Rational; 3]| (0..3).map(|i| &v[i] * &d[i]).sum::<Rational>();
    let zero = Rational::ZERO;
    if r.rays.iter().any(|v| dot(v) > zero) || r.lines.iter().any(|v| dot(v) != zero) {
        return None;
    }
    r.vertices.iter().map(dot).max()
}

fn directions(random: &mut Random) -> Vec<[Rational; 3]> {
    let (one, zero) = (Rational::ONE, Rational::ZERO);
    let mut all = vec![
        [one.clone(), zero.clone(), zero.clone()],
        [-&one, zero.clone(), zero.clone()],
        [zero.clone(), one.clone(), zero.clone()],
        [zero.clone(), zero.clone(), -&one],
    ];
    all.extend((0..3).map(|_| [random.eighths(3), random.eighths(3), random.eighths(3)]));
    all
}

/// What a comparison met.
#[derive(Default, Debug)]
struct Tally {
    impacts: usize,
    none: usize,
    several: usize,
    continuous: usize,
    unbounded: usize,
}

/// Compares one case, and counts its kind.
fn compare(case: &Case, random: &mut Random, tally: &mut Tally) {
    let options = Options { max_modes: 5000, speed_tolerance: Rational::ZERO, ..Options::default() };
    let answer = solve(case, &options).unwrap();
    let listed = feasible_modes(case, &options).unwrap();
    assert!(answer.complete && listed.complete);
    if answer.status == Status::InvalidImpact {
        assert!(listed.items.is_empty());
        tally.impacts += 1;
        return;
    }
    // The same modes are feasible, and each has the same extent in seven directions.
    let listed: BTreeMap<String, &Region> = listed.items.iter().map(|m| (m.mode.to_string(), &m.region)).collect();
    let directions = directions(random);
    for mode in all_modes(case) {
        let program = ModeProgram::new(case, &mode);
        assert_eq!(program.is_some(), listed.contains_key(&mode), "{mode} of {case:?}");
        if let Some(mut program) = program {
            for d in &directions {
                assert_eq!(program.support(d), region_support(listed[&mode], d), "{mode} of {case:?}");
            }
        }
    }
    // The answer's sets are those of modes, every mode's set lies in one of them, and none lies in another.
    for s in &answer.sets {
        let same = |r: &Region| *r == s.region || (inside(r, &s.region) && inside(&s.region, r));
        assert!(listed.values().any(|r| same(r)), "{s:?} of {case:?}");
        assert_eq!(answer.sets.iter().filter(|o| inside(&s.region, &o.region)).count(), 1, "{case:?}");
    }
    let mut distinct: Vec<&Region> = Vec::new();
    for r in listed.values().copied() {
        if !distinct.contains(&r) {
            distinct.push(r);
        }
    }
    for r in distinct {
        assert!(answer.sets.iter().any(|s| inside(r, &s.region)), "{r:?} of {case:?}");
    }
    assert_eq!(answer.status == Status::Inconsistent, listed.is_empty());
    tally.none += usize::from(answer.sets.is_empty());
    tally.several += usize::from(answer.sets.len() > 1);
    tally.continuous += usize::from(answer.dim > Some(0));
    tally.unbounded += usize::from(answer.sets.iter().any(|s| !s.region.rays.is_empty() || !s.region.lines.is_empty()));
}

fn run(seed: u64, counts: &[(usize, usize)]) -> Tally {
    let mut random = Random(seed);
    let mut tally = Tally::default();
    for &(k, cases) in counts {
        for i in 0..cases {
            let case = random.case(k, i as u64 % 7);
            compare(&case, &mut random, &mut tally);
        }
    }
    tally
}

/// 300 cases of seven families, k = 1 … 6; the counts show that the hard kinds do occur. More by one command:
/// `FINGERPAD_CASES=10000 cargo test --release -p fingerpad-planar --test brute_force`.
#[test]
fn random_cases_equal_brute_force_over_all_modes() {
    let cases = std::env::var("FINGERPAD_CASES").ok().and_then(|n| n.parse::<usize>().ok()).unwrap_or(300);
    let counts = [(1, 60), (2, 100), (3, 80), (4, 45), (5, 10), (6, 5)].map(|(k, of_300)| (k, of_300 * cases / 300));
    let tally = run(36, &counts);
    println!("{cases} cases: {tally:?}");
    assert!(cases < 300 || (tally.none >= 3 && tally.several >= 10 && tally.continuous >= 5));
}

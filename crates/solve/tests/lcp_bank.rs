//! Problems of others and random ones: every answer graded by a residual written here, small ones by enumeration.

mod bank;

use bank::{FAMILIES, Family, Random, Scene, bench_scene, census_problem, moved};
use fingerpad_solve::{Lcp, Lemke, Status, enumerate, solve};
use serde_json::Value;

/// The residual, by rows and without the library.
fn residual(lcp: &Lcp, z: &[f64]) -> f64 {
    let n = lcp.n();
    (0..n).fold(0.0, |most: f64, i| {
        let w = lcp.q()[i] + (0..n).map(|j| lcp.entry(i, j) * z[j]).sum::<f64>();
        most.max(z[i].min(w).abs()).max(-w).max(-z[i])
    })
}

fn tolerance(lcp: &Lcp) -> f64 {
    1e-10 * (1.0 + lcp.q().iter().fold(0.0, |m: f64, q| m.max(q.abs())))
}

/// y ≥ 0, Mᵀy ≤ 0, q·y = −1, each to 1e-9.
fn is_certificate(lcp: &Lcp, y: &[f64]) -> bool {
    let n = lcp.n();
    let along: f64 = (0..n).map(|i| lcp.q()[i] * y[i]).sum();
    let down = (0..n).all(|j| (0..n).map(|i| lcp.entry(i, j) * y[i]).sum::<f64>() <= 1e-9);
    y.len() == n && y.iter().all(|y| *y >= 0.0) && (along + 1.0).abs() <= 1e-9 && down
}

fn read(case: &Value) -> Lcp {
    let numbers = |v: &Value| v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect::<Vec<f64>>();
    let rows: Vec<Vec<f64>> = case["M"].as_array().unwrap().iter().map(numbers).collect();
    Lcp::from_rows(&rows, numbers(&case["q"])).unwrap()
}

/// Thirty problems by an independent program: solvable ones solved, infeasible ones proved, the others said to have none.
#[test]
fn reference_problems_are_answered() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/oracle/lcp_cases.json")).unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    let cases = document["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 30);
    for case in cases {
        let (id, lcp) = (&case["id"], read(case));
        let answer = solve(&lcp);
        match case["status"].as_str().unwrap() {
            "solvable" => {
                assert_eq!(answer.status, Status::Solved, "{id}: {}", answer.residual);
                assert!(residual(&lcp, &answer.z) <= tolerance(&lcp), "{id}");
            }
            "infeasible" => {
                assert_eq!(answer.status, Status::Infeasible, "{id}");
                assert!(is_certificate(&lcp, &answer.farkas.unwrap()), "{id}");
            }
            _ => {
                assert_eq!(answer.status, Status::NotFound, "{id}");
                assert!(answer.proved_no_solution, "{id}");
            }
        }
        // The judge finds what the reference lists.
        if let (true, Some(theirs)) = (lcp.n() <= 10, case["all_solutions"].as_array()) {
            let ours = enumerate(&lcp).unwrap();
            assert_eq!(ours.undecided, 0, "{id}");
            assert_eq!(ours.solutions.is_empty(), theirs.is_empty(), "{id}");
        }
    }
}

/// Contact problems of seven families, 500 here and 10,000 with FINGERPAD_CASES=10000: none wrong, none unsolved.
#[test]
fn every_contact_problem_is_solved() {
    let count = std::env::var("FINGERPAD_CASES").ok().and_then(|c| c.parse().ok()).unwrap_or(500);
    let mut lemke = Lemke::default();
    let mut worst = 0.0f64;
    let mut more = 0;
    for k in 0..count {
        let (family, lcp) = census_problem(k);
        let report = lemke.solve(&lcp);
        let ours = residual(&lcp, lemke.z());
        assert_eq!(report.status, Status::Solved, "{k} {family:?} n = {}: {report:?}", lcp.n());
        assert!(ours <= tolerance(&lcp), "{k} {family:?}: {ours} against {report:?}");
        worst = worst.max(ours / tolerance(&lcp));
        more += usize::from(report.attempts > 1);
    }
    println!("{count} problems, worst residual {worst:.1e} of the tolerance, {more} with more than one path");
}

/// Small whole numbers make every kind of degeneracy: Lemke and enumeration agree on whether there is a solution.
#[test]
fn small_problems_agree_with_enumeration() {
    let mut random = Random(42);
    let (mut solved, mut proved, mut none) = (0, 0, 0);
    for k in 0..3000 {
        let n = 1 + k % 6;
        let spread = [1.0, 2.0, 5.0][k % 3];
        let mut whole = |s: f64| (s * random.signed()).round();
        let rows: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| whole(spread)).collect()).collect();
        let q = (0..n).map(|_| whole(spread)).collect();
        let lcp = Lcp::from_rows(&rows, q).unwrap();
        let all = enumerate(&lcp).unwrap();
        assert_eq!(all.undecided, 0, "{k}: {lcp:?}");
        for z in &all.solutions {
            assert!(residual(&lcp, z) <= tolerance(&lcp));
        }
        let answer = solve(&lcp);
        match answer.status {
            Status::Solved => {
                assert!(!all.solutions.is_empty() && residual(&lcp, &answer.z) <= tolerance(&lcp), "{k}: {lcp:?}");
                solved += 1;
            }
            Status::Infeasible => {
                assert!(all.solutions.is_empty() && is_certificate(&lcp, &answer.farkas.unwrap()), "{k}: {lcp:?}");
                proved += 1;
            }
            Status::NotFound => {
                assert!(all.solutions.is_empty() && answer.proved_no_solution, "{k}: {lcp:?}");
                none += 1;
            }
        }
    }
    // All three kinds occur.
    println!("{solved} solved, {proved} infeasible, {none} without solution");
    assert!(solved > 500 && proved > 300 && none > 30, "{solved} {proved} {none}");
}

/// Lemke alone, without enumeration behind it, solves small contact problems, and enumeration knows its solution.
#[test]
fn lemke_alone_solves_small_contact_problems() {
    let mut lemke = Lemke::default();
    for k in 0..70 {
        let family = FAMILIES[k % 7];
        let lcp = Scene::random(family, 1 + k % 2, &mut Random(k as u64)).lcp(3);
        let report = lemke.solve(&lcp);
        assert_eq!((report.status, report.attempts <= 1), (Status::Solved, true), "{k} {family:?}");
        assert!(!enumerate(&lcp).unwrap().solutions.is_empty(), "{k}");
    }
}

/// Problems along a motion, each from the basis and the factors of the one before, graded by the residual written here. Now
/// and then the matrix jumps, or gains an entry where it had none. (A cold solve may find another solution: with friction
/// there are several.)
#[test]
fn warm_answers_are_those_of_the_problem_at_hand() {
    let mut held = 0;
    for (seed, family) in FAMILIES.iter().enumerate() {
        let scene = match family {
            Family::Thrown => bench_scene(200, 3),
            family => Scene::random(*family, 12, &mut Random(seed as u64)),
        };
        let mut warm = Lemke::default();
        warm.solve(&scene.lcp(6));
        for k in 1..60 {
            let mut lcp = moved(&scene, 1e-3 * f64::from(k)).lcp(6);
            if k % 10 == 7 {
                lcp = jumped(&lcp, k % 20 == 7, warm.support());
            }
            let report = warm.resolve(&lcp);
            assert_eq!(report.status, Status::Solved, "{family:?} {k}");
            assert!(residual(&lcp, warm.z()) <= tolerance(&lcp), "{family:?} {k}");
            held += usize::from(report.warm && report.pivots == 0);
        }
    }
    assert!(held > 150, "{held}");
}

/// The same q with a matrix three times as large, or with an entry among basic rows and columns that had none.
fn jumped(lcp: &Lcp, larger: bool, support: &[usize]) -> Lcp {
    let n = lcp.n();
    let mut columns: Vec<f64> = (0..n * n).map(|k| lcp.entry(k % n, k / n) * if larger { 3.0 } else { 1.0 }).collect();
    if !larger {
        let pairs = || support.iter().flat_map(|i| support.iter().map(move |j| (*i, *j)));
        if let Some((i, j)) = pairs().find(|(i, j)| lcp.entry(*i, *j) == 0.0 && *i != *j) {
            columns[j * n + i] = 0.01;
        }
    }
    Lcp::from_columns(columns, lcp.q().to_vec()).unwrap()
}

//! The four sets of constraints, alone and mixed, on blocks with one to three arms: against closed forms, against every
//! combination of modes, against Lemke, against the matrix written out, and by conditions written here.

mod bank;

use bank::Random;
use bank::hand::{Hand, matrix};
use fingerpad_solve::cone::{Arm, ConeContact, ConeOperator, ConeOptions, ConeProblem, ConeSolver, Gauge, Set, Span};
use fingerpad_solve::{Lcp, Lemke, Status};

/// Solves A x = b by elimination with row pivots; none where A is singular to 1e-12 of its size.
fn linear(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let n = b.len();
    let size = a.iter().flatten().fold(0.0, |m: f64, x| m.max(x.abs()));
    for k in 0..n {
        let best = (k..n).max_by(|i, j| a[*i][k].abs().total_cmp(&a[*j][k].abs()))?;
        a.swap(k, best);
        b.swap(k, best);
        if a[k][k].abs() <= 1e-12 * size {
            return None;
        }
        for r in k + 1..n {
            let factor = a[r][k] / a[k][k];
            for c in k..n {
                a[r][c] -= factor * a[k][c];
            }
            b[r] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|c| a[k][c] * b[c]).sum();
        b[k] = (b[k] - sum) / a[k][k];
    }
    Some(b)
}

/// Impulses of constraints of one row by trying every combination of modes: each is held (v = 0) or at an end of its set.
fn by_modes(g: &[Vec<f64>], b: &[f64], sets: &[Set]) -> Vec<f64> {
    let n = b.len();
    let ends = |set: &Set| match set {
        Set::AtLeast => vec![None, Some(0.0)],
        Set::Within(f) => vec![None, Some(*f), Some(-f)],
        Set::Free => vec![None],
        Set::Ellipsoid { .. } => panic!("one row each"),
    };
    let choices: Vec<Vec<Option<f64>>> = sets.iter().map(ends).collect();
    let total: usize = choices.iter().map(Vec::len).product();
    for mut code in 0..total {
        let mode: Vec<Option<f64>> = choices
            .iter()
            .map(|c| {
                let at = code % c.len();
                code /= c.len();
                c[at]
            })
            .collect();
        // Held rows: Σ G λ + b = 0; others: λ at its end.
        let line = |i: usize| match mode[i] {
            None => (g[i].clone(), -b[i]),
            Some(end) => ((0..n).map(|j| f64::from(u8::from(i == j))).collect(), end),
        };
        let (a, rhs): (Vec<_>, Vec<_>) = (0..n).map(line).unzip();
        let Some(lambda) = linear(a, rhs) else { continue };
        let v = |i: usize| (0..n).map(|j| g[i][j] * lambda[j]).sum::<f64>() + b[i];
        let fits = (0..n).all(|i| match (sets[i], mode[i]) {
            (Set::AtLeast, None) => lambda[i] >= -1e-12,
            (Set::AtLeast, Some(_)) => v(i) >= -1e-12,
            (Set::Within(f), None) => lambda[i].abs() <= f + 1e-12,
            (Set::Within(_), Some(end)) => end * v(i) <= 1e-12,
            _ => true,
        });
        if fits {
            return lambda;
        }
    }
    panic!("no combination fits");
}

/// Largest violation of the conditions of each set (velocity), at impulses f and the velocities that A and b give.
fn violation(problem: &ConeProblem, a: &[f64], f: &[[f64; 4]]) -> f64 {
    let n = 4 * f.len();
    let mut most = 0.0f64;
    for (i, contact) in problem.contacts.iter().enumerate() {
        let v = [0, 1, 2, 3].map(|r| {
            let row = &a[(4 * i + r) * n..(4 * i + r + 1) * n];
            let sum: f64 = row.iter().zip(f.as_flattened()).map(|(a, f)| a * f).sum();
            sum + contact.compliance[r] * f[i][r] + contact.b[r]
        });
        let own = a[4 * i * n + 4 * i];
        let ([p, f1, f2, spin], outside) = (f[i], f64::INFINITY);
        if !matches!(contact.set, Set::Ellipsoid { .. }) && [f1, f2, spin] != [0.0; 3] {
            return outside;
        }
        most = most.max(match contact.set {
            Set::Free => v[0].abs(),
            Set::Within(limit) if p.abs() > limit => outside,
            // Zero velocity, or the limit against it.
            Set::Within(limit) => v[0].abs().min(own * (p + limit * v[0].signum()).abs()),
            Set::AtLeast | Set::Ellipsoid { .. } if p < 0.0 => outside,
            Set::AtLeast => v[0].min(own * p).abs(),
            Set::Ellipsoid { friction: [mu, _, torsion] } => {
                let e = if mu > 0.0 { torsion / mu } else { 1.0 };
                let size = (f1 * f1 + f2 * f2 + (spin / e).powi(2)).sqrt();
                let speed = (v[1] * v[1] + v[2] * v[2] + (e * v[3]).powi(2)).sqrt();
                let power = f1 * v[1] + f2 * v[2] + spin * v[3];
                let slides = if mu * p > 1e-9 { (speed + power / (mu * p)).abs() } else { 0.0 };
                if size > mu * p * (1.0 + 1e-12) { outside } else { v[0].min(own * p).abs().max(slides) }
            }
        });
    }
    most
}

/// One row on one block: λ = −b/(G + c), kept within the set; a gauge grades it as solved and others as not.
#[test]
fn one_row_matches_its_closed_form() {
    let mut random = Random(5);
    let mut solver = ConeSolver::default();
    let mut kinds = [0; 3];
    for k in 0..600 {
        let row = [0; 6].map(|_| random.signed());
        let (g, b, c) = (row.iter().map(|x| x * x).sum::<f64>(), random.signed(), 0.5 * (k % 2) as f64);
        let limit = random.between(0.0, 0.4);
        let stops = -b / (g + c);
        let (set, want) =
            [(Set::AtLeast, stops.max(0.0)), (Set::Within(limit), stops.clamp(-limit, limit)), (Set::Free, stops)]
                [k % 3];
        let arms = vec![Arm { block: 0, rows: [row, [0.0; 6], [0.0; 6], [0.0; 6]] }];
        let operator = ConeOperator::Blocks { count: 1, arms, spans: vec![Span { first: 0, count: 1 }] };
        let contact = ConeContact { compliance: [c, 0.0, 0.0, 0.0], ..ConeContact::row(set, b) };
        let problem = ConeProblem { operator, contacts: vec![contact] };
        let mut f = Vec::new();
        assert_eq!(solver.solve(&problem, &mut f).unwrap().status, Status::Solved, "{k}");
        assert!((f[0][0] - want).abs() <= 1e-14 * (1.0 + want.abs()) && f[0][1..] == [0.0; 3], "{k}: {f:?} {want}");
        let v = (g + c) * want + b;
        let gauge = Gauge::new(&set, &[g + c, 0.0, 0.0, 0.0]);
        let graded = |lambda: f64| {
            let f = gauge.onto_set(&[lambda, 0.0, 0.0, 0.0]);
            gauge.residual(&f, &[(g + c) * f[0] + b, 0.0, 0.0, 0.0])
        };
        assert!(graded(want) <= 1e-14, "{k}: {}", graded(want));
        // Off by 0.1 within the set: graded by the velocity that is off.
        let off = gauge.onto_set(&[want - 0.1, 0.0, 0.0, 0.0])[0];
        assert!((graded(off) - (g + c) * (want - off)).abs() <= 1e-13 || v.abs() > 1e-12, "{k}");
        kinds[k % 3] += usize::from(v.abs() > 1e-12);
    }
    // Limits that open and friction that slips occur, and equations hold.
    assert!(kinds[0] > 50 && kinds[1] > 50 && kinds[2] == 0, "{kinds:?}");
}

/// Limits, dry friction and equations of joints on a hand, coupled through the wrist: the one combination of modes that fits.
#[test]
fn rows_of_joints_match_every_combination_of_modes() {
    let mut solver = ConeSolver::default();
    for seed in 0..60 {
        let joints = 1 + seed as usize % 8;
        let problem = Hand { contacts: 0, joints, friction: false }.problem(&mut Random(900 + seed));
        let a = matrix(&problem);
        let n = 4 * joints;
        let g: Vec<Vec<f64>> = (0..joints).map(|i| (0..joints).map(|j| a[4 * i * n + 4 * j]).collect()).collect();
        let b: Vec<f64> = problem.contacts.iter().map(|c| c.b[0]).collect();
        let sets: Vec<Set> = problem.contacts.iter().map(|c| c.set).collect();
        let want = by_modes(&g, &b, &sets);
        for problem in [problem.clone(), ConeProblem { operator: ConeOperator::Dense(a), ..problem }] {
            let mut f = Vec::new();
            let report = solver.solve(&problem, &mut f).unwrap();
            assert_eq!(report.status, Status::Solved, "{seed}: {report:?}");
            for (f, want) in f.iter().zip(&want) {
                assert!((f[0] - want).abs() <= 1e-9 * (1.0 + want.abs()), "{seed}: {f:?} {want}");
            }
        }
    }
}

/// Hands with friction, two and three arms a contact, and rows of joints of every set: the conditions hold to 1e-11, and
/// the matrix written out grades the answer of the blocks as they grade its own.
#[test]
fn hands_are_solved_on_blocks_as_by_the_matrix() {
    let mut solver = ConeSolver::default();
    let (mut slides, mut sticks) = (0, 0);
    for seed in 0..60 {
        let hand = Hand { contacts: 1 + seed as usize % 9, joints: seed as usize % 7, friction: true };
        let problem = hand.problem(&mut Random(300 + seed));
        let a = matrix(&problem);
        let dense = ConeProblem { operator: ConeOperator::Dense(a.clone()), ..problem.clone() };
        let (mut f, mut g) = (Vec::new(), Vec::new());
        let report = solver.solve(&problem, &mut f).unwrap();
        assert_eq!(report.status, Status::Solved, "{seed} {hand:?}: {report:?}");
        for (f, v) in f.iter().zip(solver.velocities()).take(hand.contacts).filter(|(f, _)| f[0] > 1e-6) {
            let slips = v[1].hypot(v[2]) > 1e-9;
            (slides, sticks) = (slides + usize::from(slips), sticks + usize::from(!slips && f[1] != 0.0));
        }
        let report = solver.solve(&dense, &mut g).unwrap();
        assert_eq!(report.status, Status::Solved, "{seed} {hand:?}: {report:?}");
        assert!(solver.residual(&dense, &f).unwrap() <= 2e-12, "{seed}");
        assert!(solver.residual(&problem, &g).unwrap() <= 2e-12, "{seed}");
        for f in [&f, &g] {
            assert!(violation(&problem, &a, f) <= 1e-11, "{seed} {hand:?}: {}", violation(&problem, &a, f));
        }
    }
    assert!(slides > 20 && sticks > 20, "{slides} slide, {sticks} stick");
}

/// Contacts without friction, limits, dry friction and equations as a linear complementarity problem, by Lemke: the same
/// velocities. Dry friction is λ = z − f with 0 ≤ z ⊥ v + w ≥ 0, 0 ≤ w ⊥ 2f − z ≥ 0; an equation is that with its f far beyond
/// what it carries.
#[test]
fn hands_without_friction_match_lemke() {
    let mut solver = ConeSolver::default();
    for seed in 0..40 {
        let hand = Hand { contacts: 1 + seed as usize % 5, joints: 1 + seed as usize % 6, friction: false };
        let problem = hand.problem(&mut Random(7000 + seed));
        let mut f = Vec::new();
        let report = solver.solve(&problem, &mut f).unwrap();
        assert_eq!(report.status, Status::Solved, "{seed}: {report:?}");
        let (a, k) = (matrix(&problem), problem.contacts.len());
        let entry = |i: usize, j: usize| a[4 * i * 4 * k + 4 * j];
        let far = 1e3 + 10.0 * f.iter().fold(0.0, |m: f64, f| m.max(f[0].abs()));
        let limits: Vec<(usize, f64)> = (0..k)
            .filter_map(|i| match problem.contacts[i].set {
                Set::Within(limit) => Some((i, limit)),
                Set::Free => Some((i, far)),
                _ => None,
            })
            .collect();
        let n = k + limits.len();
        let (mut m, mut q) = (vec![0.0; n * n], vec![0.0; n]);
        for i in 0..k {
            q[i] = problem.contacts[i].b[0] - limits.iter().map(|(j, limit)| entry(i, *j) * limit).sum::<f64>();
            (0..k).for_each(|j| m[j * n + i] = entry(i, j));
        }
        for (w, (i, limit)) in limits.iter().enumerate() {
            (m[(k + w) * n + i], m[i * n + k + w], q[k + w]) = (1.0, -1.0, 2.0 * limit);
        }
        let mut lemke = Lemke::default();
        assert_eq!(lemke.solve(&Lcp::from_columns(m, q).unwrap()).status, Status::Solved, "{seed}");
        let mut lambda = lemke.z()[..k].to_vec();
        limits.iter().for_each(|(i, limit)| lambda[*i] -= limit);
        for i in 0..k {
            let v = (0..k).map(|j| entry(i, j) * lambda[j]).sum::<f64>() + problem.contacts[i].b[0];
            assert!((v - solver.velocities()[i][0]).abs() <= 1e-9, "{seed} row {i}: {v} {:?}", solver.velocities()[i]);
        }
    }
}

/// Equations that follow from others: each told twice and one the sum of two, rigid, and with 1e-12 of their own entry as
/// compliance. They hold to 1e-11 and the motion is that of the independent ones alone. Rigid ones are solved to 1e-12 as
/// all are; compliant ones to 1e-11, since what the compliance itself yields, 1e-12 G λ, is of the size of the tolerance.
#[test]
fn redundant_equations_do_no_harm() {
    for seed in 0..40 {
        let share = [0.0, 1e-12][seed as usize % 2];
        let tolerance = if share > 0.0 { 1e-11 } else { 1e-12 };
        let mut solver = ConeSolver::new(ConeOptions { tolerance, ..ConeOptions::default() });
        let hand = Hand { contacts: 4, joints: 8, friction: false };
        let plain = hand.problem(&mut Random(4000 + seed));
        let ConeOperator::Blocks { arms, spans, .. } = &plain.operator else { panic!("blocks are asked for") };
        let mut more = plain.clone();
        let equations: Vec<usize> = (0..plain.contacts.len()).filter(|i| plain.contacts[*i].set == Set::Free).collect();
        let ConeOperator::Blocks { arms: all, spans: of, .. } = &mut more.operator else { panic!("as above") };
        // Once more each, and the sum of the first two.
        let mut sum = std::collections::BTreeMap::<u32, [f64; 6]>::new();
        let mut b = 0.0;
        for &i in &equations {
            of.push(spans[i]);
            more.contacts.push(plain.contacts[i]);
        }
        for &i in &equations[..2] {
            b += plain.contacts[i].b[0];
            for arm in &arms[spans[i].range()] {
                let row = sum.entry(arm.block).or_default();
                (0..6).for_each(|c| row[c] += arm.rows[0][c]);
            }
        }
        of.push(Span { first: all.len() as u32, count: sum.len() as u32 });
        all.extend(sum.into_iter().map(|(block, row)| Arm { block, rows: [row, [0.0; 6], [0.0; 6], [0.0; 6]] }));
        more.contacts.push(ConeContact::row(Set::Free, b));
        let (a, n) = (matrix(&more), 4 * more.contacts.len());
        for (i, contact) in more.contacts.iter_mut().enumerate().filter(|(_, c)| c.set == Set::Free) {
            contact.compliance[0] = share * a[4 * i * n + 4 * i];
        }
        let (mut f, mut g) = (Vec::new(), Vec::new());
        assert_eq!(solver.solve(&plain, &mut f).unwrap().status, Status::Solved, "{seed}");
        let want = solver.velocities().to_vec();
        let report = solver.solve(&more, &mut g).unwrap();
        assert_eq!(report.status, Status::Solved, "{seed}: {report:?}");
        assert!(violation(&more, &a, &g) <= 1e-11, "{seed}: {}", violation(&more, &a, &g));
        for (want, got) in want.iter().zip(solver.velocities()) {
            assert!((want[0] - got[0]).abs() <= 1e-9, "{seed}: {want:?} {got:?}");
        }
    }
}

/// Numbers that make no sense are told with their place.
#[test]
fn bad_rows_are_told() {
    let told = |change: fn(&mut ConeProblem)| {
        let mut problem = Hand { contacts: 2, joints: 2, friction: true }.problem(&mut Random(1));
        change(&mut problem);
        ConeSolver::default().solve(&problem, &mut Vec::new()).unwrap_err().to_string()
    };
    fn parts(problem: &mut ConeProblem) -> (&mut Vec<Arm>, &mut Vec<Span>) {
        let ConeOperator::Blocks { arms, spans, .. } = &mut problem.operator else { panic!("blocks are asked for") };
        (arms, spans)
    }
    assert!(told(|p| p.contacts[3].set = Set::Within(-1.0)).contains("friction of contact 3"));
    assert!(told(|p| p.contacts[3].set = Set::Within(f64::NAN)).contains("friction of contact 3"));
    assert!(told(|p| parts(p).0[1].block = 7).contains("a block of contact 0"));
    assert!(told(|p| parts(p).0[1].block = parts(p).0[0].block).contains("in one arm only"));
    assert!(told(|p| parts(p).1[1].count = 100).contains("the last arm of contact 1"));
    assert!(told(|p| parts(p).0[2].rows[0][0] = f64::NAN).contains("rows"));
}

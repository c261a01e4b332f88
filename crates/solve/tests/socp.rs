//! Our interior point on second-order cone programs: closed forms, certificates, and Clarabel's answers (feature `clarabel`).

use fingerpad_solve::socp::{InteriorPoint, Socp, SocpSolver, SocpStatus};

/// Seeded numbers in (−1, 1).
struct Random(u64);
impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// A program that has a solution by construction: b = A x with x inside its cones, c = Aᵀy + z with z inside.
fn solvable(random: &mut Random, rows: usize, blocks: usize, free: usize) -> Socp {
    let mut inside = || {
        let tail: Vec<f64> = (0..3).map(|_| random.next()).collect();
        let norm = tail.iter().map(|x| x * x).sum::<f64>().sqrt();
        [norm + 0.2 + random.next().abs(), tail[0], tail[1], tail[2]]
    };
    let (x, z): (Vec<_>, Vec<_>) = (0..blocks).map(|_| (inside(), inside())).unzip();
    let y: Vec<f64> = (0..rows).map(|_| random.next()).collect();
    let a: Vec<Vec<[f64; 4]>> =
        (0..blocks).map(|_| (0..rows).map(|_| [0; 4].map(|_| random.next())).collect()).collect();
    let loose: Vec<Vec<f64>> = (0..free).map(|_| (0..rows).map(|_| random.next()).collect()).collect();
    let mut rhs = vec![0.0; rows];
    for (block, x) in a.iter().zip(&x) {
        for (r, row) in block.iter().enumerate() {
            rhs[r] += (0..4).map(|k| row[k] * x[k]).sum::<f64>();
        }
    }
    for column in &loose {
        let value = random.next();
        column.iter().zip(&mut rhs).for_each(|(a, b)| *b += a * value);
    }
    let mut program = Socp::new(&rhs);
    for (block, z) in a.iter().zip(&z) {
        let cost = [0, 1, 2, 3].map(|k| z[k] + (0..rows).map(|r| block[r][k] * y[r]).sum::<f64>());
        let touched: Vec<(usize, [f64; 4])> = block.iter().copied().enumerate().collect();
        program.block(&cost, &touched);
    }
    for column in &loose {
        let entries: Vec<(usize, f64)> = column.iter().copied().enumerate().collect();
        program.free(column.iter().zip(&y).map(|(a, y)| a * y).sum(), &entries);
    }
    program
}

/// min t so that (t, x − p) is in the cone and a·x = β: the distance of p from a plane.
#[test]
fn distance_from_a_plane() {
    // x₁..x₃ are the tail of the block: a·(x + p) = β.
    let (a, p, beta) = ([1.0, 2.0, -2.0], [0.3, -0.4, 0.5], 4.0);
    let reached: f64 = (0..3).map(|k| a[k] * p[k]).sum();
    let mut program = Socp::new(&[beta - reached]);
    program.block(&[1.0, 0.0, 0.0, 0.0], &[(0, [0.0, a[0], a[1], a[2]])]);
    let found = InteriorPoint::default().solve(&program);
    assert_eq!(found.status, SocpStatus::Solved);
    assert!((found.value - (beta - reached).abs() / 3.0).abs() < 1e-10, "{found:?}");
}

/// Random programs with an answer: conditions hold to 1e-9 by the program's own grade.
#[test]
fn random_programs_are_solved_to_nine_digits() {
    let mut random = Random(1);
    for k in 0..300 {
        let (rows, blocks, free) = (2 + k % 9, 3 + k % 12, k % 3);
        if rows > 4 * blocks || free > rows {
            continue;
        }
        let program = solvable(&mut random, rows, blocks, free);
        let found = InteriorPoint::default().solve(&program);
        assert_eq!(found.status, SocpStatus::Solved, "{k}: {found:?}");
        assert!(found.grade.worst() <= 1e-9 && found.iterations < 40, "{k}: {:?} {}", found.grade, found.iterations);
    }
}

/// x₀ ≥ |x₁| and x₀ = −1 has no solution; min −x₀ with x₁ = 0 alone has no end. Both are proved.
#[test]
fn infeasible_and_unbounded_programs_are_proved() {
    let mut none = Socp::new(&[-1.0]);
    none.block(&[0.0; 4], &[(0, [1.0, 0.0, 0.0, 0.0])]);
    let found = InteriorPoint::default().solve(&none);
    assert_eq!(found.status, SocpStatus::Infeasible);
    assert!(found.grade.worst() <= 1e-9 && (found.y[0] + 1.0).abs() < 1e-8, "{found:?}");
    let mut open = Socp::new(&[0.0]);
    open.block(&[-1.0, 0.0, 0.0, 0.0], &[(0, [0.0, 1.0, 0.0, 0.0])]);
    let found = InteriorPoint::default().solve(&open);
    assert_eq!(found.status, SocpStatus::Unbounded);
    assert!(found.grade.worst() <= 1e-9, "{found:?}");
}

/// The second opinion: values of Clarabel on random programs.
#[cfg(feature = "clarabel")]
#[test]
fn values_agree_with_clarabel() {
    use fingerpad_solve::socp::Clarabel;
    let mut random = Random(2);
    for k in 0..60 {
        let program = solvable(&mut random, 6 + k % 3, 3 + k % 8, k % 2);
        let (ours, theirs) = (InteriorPoint::default().solve(&program), Clarabel::default().solve(&program));
        assert_eq!((ours.status, theirs.status), (SocpStatus::Solved, SocpStatus::Solved));
        assert!(
            (ours.value - theirs.value).abs() <= 1e-8 * (1.0 + theirs.value.abs()),
            "{k}: {} {}",
            ours.value,
            theirs.value
        );
        assert!(theirs.grade.worst() <= 1e-8, "{:?}", theirs.grade);
    }
}

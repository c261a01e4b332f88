//! Contacts on exact friction ellipsoids: graded by conditions written here, against closed forms, against Lemke with
//! many facets.

mod bank;

use bank::{FAMILIES, Family, Random, Scene, cone_problem, dense_cone_problem, pile};
use fingerpad_solve::cone::{ConeContact, ConeOperator, ConeOptions, ConeProblem, ConeSolver, Link};
use fingerpad_solve::{Lemke, Status};

/// Velocities of all rows, summed from the bodies without the library.
fn velocities(scene: &Scene, f: &[[f64; 4]]) -> Vec<[f64; 4]> {
    let mut change = vec![[0.0; 6]; scene.bodies.len()];
    for (c, f) in scene.contacts.iter().zip(f) {
        for (body, rows) in [(c.a, &c.rows_a), (Some(c.b), &c.rows_b)] {
            if let Some(body) = body {
                for k in 0..6 {
                    change[body][k] += scene.bodies[body].inverse[k] * (0..4).map(|r| rows[r][k] * f[r]).sum::<f64>();
                }
            }
        }
    }
    (0..f.len())
        .map(|i| {
            let c = &scene.contacts[i];
            [0, 1, 2, 3].map(|r| {
                let part = |body: Option<usize>, row: &[f64; 6]| {
                    body.map_or(0.0, |b| (0..6).map(|k| row[k] * change[b][k]).sum::<f64>())
                };
                scene.free_velocity(i, r) + part(c.a, &c.rows_a[r]) + part(Some(c.b), &c.rows_b[r])
            })
        })
        .collect()
}

/// Largest violation (m/s) of the conditions themselves: no approach; impulse only where v_n = 0; inside the ellipsoid; where it
/// slides, the power of friction is the most negative that the section allows, in velocity: |v| + f·v/(μP).
fn violation(scene: &Scene, f: &[[f64; 4]]) -> f64 {
    let v = velocities(scene, f);
    let mut most = 0.0f64;
    for (i, c) in scene.contacts.iter().enumerate() {
        let ([p, f1, f2, spin], v) = (f[i], v[i]);
        most = most.max(-v[0]);
        if p < 0.0 {
            return f64::INFINITY;
        }
        let own = scene.delassus(i, 0, i, 0);
        most = most.max(v[0].min(own * p).abs());
        let size = if c.mu > 0.0 {
            (f1 * f1 + f2 * f2 + (spin / c.e).powi(2)).sqrt() / c.mu
        } else {
            (f1 * f1 + f2 * f2 + spin * spin).sqrt()
        };
        if size > p * (1.0 + 1e-12) {
            return f64::INFINITY;
        }
        if c.mu > 0.0 && p * own > most {
            let speed = (v[1] * v[1] + v[2] * v[2] + (c.e * v[3]).powi(2)).sqrt();
            let power = f1 * v[1] + f2 * v[2] + spin * v[3];
            most = most.max((speed + power / (c.mu * p)).abs());
        }
    }
    most
}

/// Seven families, 1 to 40 contacts: 1e-12 m/s by the solver's residual, and by the conditions.
#[test]
fn tens_of_contacts_are_solved_to_1e_12() {
    let mut solver = ConeSolver::default();
    let mut most = (0, 0.0f64);
    for k in 0..210 {
        let family = FAMILIES[k % 7];
        let contacts = 1 + (k * k) % 40;
        let scene = Scene::random(family, contacts, &mut Random(k as u64));
        let mut f = Vec::new();
        let report = solver.solve(&cone_problem(&scene), &mut f).unwrap();
        assert_eq!(report.status, Status::Solved, "{k} {family:?} {contacts}: {report:?}");
        let off = violation(&scene, &f);
        assert!(off <= 1e-11, "{k} {family:?} {contacts}: {off} {report:?}");
        most = (most.0.max(report.sweeps), most.1.max(off));
    }
    println!("at most {} sweeps, worst violation {:.1e} m/s", most.0, most.1);
}

/// A pyramid of a thousand balls, thousands of contacts: 1e-8 m/s.
#[test]
fn thousands_of_contacts_are_solved_to_1e_8() {
    let scene = pile(14, 14, &mut Random(3));
    let mut solver = ConeSolver::new(ConeOptions { tolerance: 1e-8, ..ConeOptions::default() });
    let mut f = Vec::new();
    let start = std::time::Instant::now();
    let report = solver.solve(&cone_problem(&scene), &mut f).unwrap();
    println!("{} balls, {} contacts: {report:?} in {:?}", scene.bodies.len(), scene.contacts.len(), start.elapsed());
    assert!(scene.contacts.len() > 2000);
    assert_eq!(report.status, Status::Solved, "{report:?}");
    assert!(violation(&scene, &f) <= 1e-7);
}

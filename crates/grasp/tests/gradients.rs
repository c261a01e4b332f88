//! Gradients of margin and epsilon against central differences of the values themselves.

mod common;

use common::Random;
use fingerpad_grasp::{
    Certify, Contact, ContactGradient, Grasp, Norm, PatchGrowth, Solver, best_found, closure, epsilon,
    epsilon_gradient, margin_gradient,
};
use nalgebra::{Rotation3, Vector3};

/// The change of one contact that a number makes: point, normal (with the shortest turn of its tangents), friction, e_n.
fn changed(grasp: &Grasp, k: usize, what: usize, by: f64) -> Grasp {
    let mut changed = grasp.clone();
    let c: &mut Contact = &mut changed.contacts[k];
    match what {
        0..3 => c.point[what] += by * 0.03,
        3..5 => {
            // Towards a tangent: a turn about n × that tangent.
            let towards = if what == 3 { c.tangent } else { c.tangent2() };
            let turn = Rotation3::new(c.normal.cross(&towards) * by);
            (c.normal, c.tangent) = (turn * c.normal, turn * c.tangent);
        }
        5..7 => c.friction[what - 5] += by,
        _ => {
            let PatchGrowth::Fixed(e_n) = c.patch else { panic!() };
            c.patch = PatchGrowth::Fixed(e_n + by * 0.03);
        }
    }
    changed
}

fn along(gradient: &ContactGradient, contact: &Contact, what: usize) -> f64 {
    match what {
        0..3 => gradient.point[what] * 0.03,
        3 => gradient.normal.dot(&contact.tangent),
        4 => gradient.normal.dot(&contact.tangent2()),
        5..7 => gradient.friction[what - 5],
        _ => gradient.e_n * 0.03,
    }
}

fn agree(grasp: &Grasp, gradients: &[ContactGradient], value: impl Fn(&Grasp) -> f64, step: f64, name: &str) {
    let most = gradients
        .iter()
        .flat_map(|g| g.point.iter().copied().collect::<Vec<_>>())
        .fold(0.0, |m: f64, x| m.max(x.abs()))
        * 0.03;
    let scale = most.max(value(grasp));
    for (k, gradient) in gradients.iter().enumerate() {
        assert!(gradient.normal.dot(&grasp.contacts[k].normal).abs() < 1e-9 * (1.0 + gradient.normal.norm()));
        for what in 0..8 {
            let differences =
                (value(&changed(grasp, k, what, step)) - value(&changed(grasp, k, what, -step))) / (2.0 * step);
            let ours = along(gradient, &grasp.contacts[k], what);
            // Step squared, and rounding of the values over the step.
            assert!((ours - differences).abs() <= 2e-4 * scale, "{name}, contact {k}, {what}: {ours} {differences}");
        }
    }
}

/// Random grasps have one best load and one weakest direction: there both derivatives exist.
#[test]
fn gradients_agree_with_differences() {
    let mut random = Random(61);
    let (mut solver, mut seen) = (Solver::default(), 0);
    while seen < 4 {
        let grasp = random.on_sphere(4, 0.3);
        let found = closure(&grasp, &mut solver);
        if !found.closed || found.margin.unwrap() < 0.03 {
            continue;
        }
        seen += 1;
        let margin = |g: &Grasp| closure(g, &mut Solver::default()).margin.unwrap();
        agree(&grasp, &margin_gradient(&grasp, &found).unwrap(), margin, 1e-5, "margin");
        for norm in [Norm::L1, Norm::Linf] {
            let e = epsilon(&grasp, norm, Certify::default()).unwrap();
            let value = |g: &Grasp| best_found(g, norm).unwrap().0;
            agree(&grasp, &epsilon_gradient(&grasp, &e, norm), value, 1e-5, &format!("{norm:?}"));
        }
    }
}

/// The turn that carries a normal carries its tangents: differences of `changed` stay unit and across.
#[test]
fn changed_contacts_stay_orthonormal() {
    let grasp = common::ring(3, 0.03, 0.5, PatchGrowth::Fixed(3e-3));
    let c = changed(&grasp, 1, 3, 0.1).contacts[1];
    assert!(c.normal.dot(&c.tangent).abs() < 1e-15 && (c.normal.norm() - 1.0).abs() < 1e-15);
    assert!((c.normal - grasp.contacts[1].normal).dot(&grasp.contacts[1].tangent) > 0.09);
    assert_ne!(c.tangent, Vector3::zeros());
}

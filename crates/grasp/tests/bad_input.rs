//! Grasps that are hardly any: a clear error or the right answer, never a panic and never a bare −1.

mod common;

use common::{Random, ring};
use fingerpad_grasp::{
    Contact, Grasp, GraspError, GripError, Hand, Least, LiveOptions, Norm, PatchGrowth, Push, Solver, Wrench, closure,
    epsilon, largest_push, least_grip,
};
use nalgebra::Vector3;

fn grip(grasp: &Grasp, wrench: &Wrench) -> Result<f64, GripError> {
    least_grip(grasp, None, wrench, Least::Max, LiveOptions::default(), &mut Solver::default()).map(|g| g.value)
}

const WEIGHT: [f64; 6] = [0.0, 0.0, -1.0, 0.0, 0.0, 0.0];

/// None, zero normals, NaN, negative friction: errors that name the field.
#[test]
fn impossible_numbers_are_refused_by_name() {
    let good = ring(3, 0.03, 0.5, PatchGrowth::Fixed(3e-3)).contacts;
    let broken = |change: fn(&mut Contact)| {
        let mut contacts = good.clone();
        change(&mut contacts[1]);
        Grasp::new(contacts, Vector3::zeros(), None).unwrap_err()
    };
    assert_eq!(Grasp::new(Vec::new(), Vector3::zeros(), None).unwrap_err(), GraspError::NoContacts);
    let cases: [(GraspError, &str); 8] = [
        (broken(|c| c.normal = Vector3::zeros()), "contacts[1].normal"),
        (broken(|c| c.point.x = f64::NAN), "contacts[1].point"),
        (broken(|c| c.tangent = c.normal), "contacts[1].tangent"),
        (broken(|c| c.friction[1] = -0.1), "contacts[1].friction[1]"),
        (broken(|c| c.limit = Some(-1.0)), "contacts[1].limit"),
        (broken(|c| c.patch = PatchGrowth::Fixed(-1e-3)), "contacts[1].e_n"),
        (broken(|c| c.patch = PatchGrowth::Power { e_n_at_1N: 1e-3, exponent: 1.5 }), "contacts[1].patch.exponent"),
        (Grasp::new(good.clone(), Vector3::zeros(), Some(0.0)).unwrap_err(), "torque_length"),
    ];
    for (error, place) in cases {
        assert_eq!(error.place(), place, "{error}");
        assert!(error.to_string().contains("expected") && error.to_string().contains("got"), "{error}");
    }
    assert!(Hand::new(vec![vec![0.0; 2]; 11], vec![1.0; 2], vec![0.0; 2], 3).is_err());
}

/// One contact: four directions, no balanced loads; a push against its normal is held, the weight is not.
#[test]
fn one_contact_is_open_and_says_why() {
    let full = ring(3, 0.03, 0.5, PatchGrowth::Fixed(3e-3));
    let one = Grasp::new(full.contacts[..1].to_vec(), Vector3::zeros(), None).unwrap();
    let found = closure(&one, &mut Solver::default());
    assert!(!found.closed && found.rank == 4 && found.margin.is_none() && found.proof.is_some());
    assert!(matches!(grip(&one, &Wrench::from(WEIGHT)), Err(GripError::Impossible(_))));
    // Its normal is −x: a push along +x is answered by the same force.
    assert!((grip(&one, &Wrench::new(2.0, 0.0, 0.0, 0.0, 0.0, 0.0)).unwrap() - 2.0).abs() < 1e-9);
}

/// Two contacts at one place with one normal act as one.
#[test]
fn coincident_contacts_act_as_one() {
    let full = ring(2, 0.03, 0.5, PatchGrowth::Fixed(3e-3));
    let both = Grasp::new(vec![full.contacts[0]; 2], Vector3::zeros(), None).unwrap();
    assert!(!closure(&both, &mut Solver::default()).closed);
    let doubled = [full.contacts[0], full.contacts[0], full.contacts[1]].to_vec();
    let three = Grasp::new(doubled, Vector3::zeros(), Some(0.03)).unwrap();
    assert!(closure(&three, &mut Solver::default()).closed);
    // The pinch needs 1/2μ = 1 N each; the doubled side shares it, the other side cannot.
    assert!((grip(&three, &Wrench::from(WEIGHT)).unwrap() - 1.0).abs() < 1e-9);
    assert!(epsilon(&three, Norm::L1, Default::default()).unwrap().value > 0.0);
}

/// Friction 0, limits 0, wrench 0.
#[test]
fn zeros_are_answered() {
    let slick = ring(4, 0.03, 0.0, PatchGrowth::Fixed(3e-3));
    let found = closure(&slick, &mut Solver::default());
    assert!(!found.closed && found.proof.is_some(), "{found:?}");
    assert!(matches!(grip(&slick, &Wrench::from(WEIGHT)), Err(GripError::Impossible(Some(_)))));
    let mut weak = ring(4, 0.03, 0.5, PatchGrowth::Fixed(3e-3));
    weak.contacts.iter_mut().for_each(|c| c.limit = Some(0.0));
    assert!(matches!(grip(&weak, &Wrench::from(WEIGHT)), Err(GripError::Impossible(_))));
    let d = Wrench::from(WEIGHT);
    let push = largest_push(&weak, None, &Wrench::zeros(), &d, LiveOptions::default(), &mut Solver::default());
    assert!(push.value().is_none_or(|x| x.abs() < 1e-8), "{push:?}");
    let good = ring(4, 0.03, 0.5, PatchGrowth::Fixed(3e-3));
    assert_eq!(grip(&good, &Wrench::zeros()), Ok(0.0));
    let push = largest_push(&good, None, &Wrench::zeros(), &d, LiveOptions::default(), &mut Solver::default());
    assert!(matches!(push, Push::Unlimited), "{push:?}");
}

/// 200 contacts: a ring of 200 has its closed form.
#[test]
fn two_hundred_contacts_are_answered() {
    let grasp = ring(200, 0.05, 0.4, PatchGrowth::Fixed(2e-3));
    assert!(closure(&grasp, &mut Solver::default()).closed);
    let found = grip(&grasp, &Wrench::from(WEIGHT)).unwrap();
    assert!((found - 1.0 / (200.0 * 0.4)).abs() < 1e-9, "{found}");
}

/// Millimetres among metres are told; a reference kilometres away costs digits, not answers.
#[test]
fn mixed_units_and_far_references_are_told() {
    let mut contacts = ring(3, 0.03, 0.5, PatchGrowth::Fixed(3e-3)).contacts;
    contacts.iter_mut().for_each(|c| c.patch = PatchGrowth::Fixed(3.0));
    let mixed = Grasp::new(contacts, Vector3::zeros(), None).unwrap();
    assert!(mixed.warnings.iter().any(|w| w.contains("units")), "{:?}", mixed.warnings);
    let near = ring(3, 0.03, 0.5, PatchGrowth::Fixed(3e-3));
    let far = Grasp::new(near.contacts.clone(), Vector3::new(1000.0, 0.0, 0.0), Some(0.03)).unwrap();
    assert!(!far.warnings.is_empty());
    assert!(closure(&far, &mut Solver::default()).closed);
    // The weight acts at the object, 1 km from the reference: moment r × f about it.
    let moved = Wrench::new(0.0, 0.0, -1.0, 0.0, -1000.0, 0.0);
    let value = grip(&far, &moved).unwrap();
    assert!((value - grip(&near, &Wrench::from(WEIGHT)).unwrap()).abs() < 1e-6, "{value}");
}

/// Numbers at the ends of ranges: no panic, no NaN in what is called closed.
#[test]
fn wild_numbers_end_in_answers() {
    let mut random = Random(77);
    for _ in 0..300 {
        let contacts = 1 + (random.unit() * 5.0) as usize;
        let mut grasp = random.on_sphere(contacts, 2.0);
        for c in &mut grasp.contacts {
            c.point *= 10f64.powf(random.range(-4.0, 4.0));
            c.friction = [10f64.powf(random.range(-6.0, 2.0)), 10f64.powf(random.range(-6.0, 2.0))];
            c.patch = PatchGrowth::Fixed(10f64.powf(random.range(-9.0, 1.0)));
        }
        let found = closure(&grasp, &mut Solver::default());
        assert!(found.margin.is_none_or(f64::is_finite), "{found:?}");
        let _ = grip(&grasp, &Wrench::new(1e-3, 0.0, -5.0, 0.0, 0.1, 0.0));
    }
}

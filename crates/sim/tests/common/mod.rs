//! Bodies, laws and models that several tests share.
#![allow(dead_code)] // each test takes what it needs

use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::surface::{HalfSpace, RoundedBox, Shape, Sphere};
use fingerpad_sim::{Body, Interactions, LawId, Model, PairLaw, Parts};
use nalgebra::{Matrix3, Vector3};

pub const G: f64 = 9.81;

/// k δ along the normal, k_t and k_theta along the patch.
pub fn linear(k: f64, friction: Friction, damping: Damping) -> ContactLaw {
    let constants = Constants { k, n: 1.0, k_t: 0.7 * k, k_theta: 1e-3 * k, e_n: 0.02 };
    ContactLaw { stiffness: Stiffness::Constants(constants), damping, friction, partial: None }
}

/// Everything meets everything by one law.
pub fn all_meet(bodies: Vec<Body>, law: ContactLaw, gravity_W: Vector3<f64>) -> Model {
    let interactions =
        Interactions { laws: vec![PairLaw::even(law)], table: vec![vec![Some(LawId(0))]], ..Interactions::default() };
    Model::new(Parts { bodies, interactions, gravity_W, ..Parts::default() }).unwrap()
}

pub fn ground() -> Body {
    Body::fixed("ground", Shape::HalfSpace(HalfSpace))
}

pub fn ball(name: &str, radius: f64, mass: f64) -> Body {
    let shape = Shape::Sphere(Sphere::new(radius).unwrap());
    Body::free(name, shape, mass, Matrix3::identity() * (0.4 * mass * radius * radius))
}

/// A box with rounded edges; its inertia is that of the sharp one.
pub fn block(half: [f64; 3], edge: f64, mass: f64) -> Body {
    let shape = Shape::RoundedBox(RoundedBox::new(half.into(), edge).unwrap());
    let [x, y, z] = half.map(|h| h * h * mass / 3.0);
    Body::free("block", shape, mass, Matrix3::from_diagonal(&Vector3::new(y + z, x + z, x + y)))
}

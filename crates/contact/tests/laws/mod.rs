//! Sites and laws that the tests of contact laws share.
#![allow(dead_code)] // each test file uses its part

use fingerpad_contact::law::{ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::material::{Material, Theory, pair};
use fingerpad_contact::site::ContactSite;
use nalgebra::{Matrix2, Matrix3x2, Point3, UnitQuaternion, Vector2, Vector3};

/// A site on a flat frame: what a law sees, without bodies.
pub fn flat_site(gap: f64, gap_rate: f64, v_t: Vector2<f64>, w_n: f64) -> ContactSite {
    ContactSite {
        p_WC: Point3::origin(),
        nhat_W: Vector3::z(),
        E_W: Matrix3x2::identity(),
        gap,
        gap_rate,
        v_t,
        w_n,
        nhat_rate_W: Vector3::zeros(),
        frame_spin: 0.0,
        curvature: Matrix2::new(60.0, 15.0, 15.0, 140.0),
        alpha: 0.5,
    }
}

pub fn rubber_law(mu: f64) -> ContactLaw {
    let rubber = Material::elastic(1e6, 0.45).unwrap().with_friction(mu).unwrap();
    let material = pair(&rubber, &rubber, Theory::Auto).unwrap();
    ContactLaw {
        stiffness: Stiffness::Patch(material.theory),
        damping: Damping { hunt_crossley: 0.3, ..Damping::default() },
        friction: Friction::Coulomb { mu },
        partial: None,
    }
}

/// A turn by an angle (rad) about an axis, whose length counts.
pub fn turning(axis: Vector3<f64>, angle: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_scaled_axis(axis * angle)
}

//! The compliant law: returns to the limit, objectivity, tangent, ports, rules and fields.

mod laws;

use fingerpad_contact::friction::{Ellipsoid, FrictionLimit, TangentialStiffness};
use fingerpad_contact::law::{
    Constants, ContactLaw, Damping, EllipsoidRule, FieldPair, Friction, Memory, Mode, Stiffness, SurfaceTensor,
    TensorField,
};
use fingerpad_contact::site::ContactSite;
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::{Ellipsoid as EllipsoidShape, Shape, Sphere};
use fingerpad_contact::track::closest_points;
use laws::{flat_site, rubber_law, turning};
use nalgebra::{Isometry3, Matrix2, Matrix3, Translation3, Vector2, Vector3};
use serde_json::Value;
use std::sync::Arc;

/// 200 returns by an independent program, 1e-12 relative, at most 8 iterations.
#[test]
fn reference_returns_are_met() {
    let data: Value = serde_json::from_str(include_str!("oracle/return_map.json")).unwrap();
    let cases = data["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 200);
    for case in cases {
        let number = |key: &str| case[key].as_f64().unwrap();
        let (k_t, k_theta) = (number("k_t"), number("k_theta"));
        let limit = Ellipsoid::isotropic(number("mu"), number("e_n"), number("P"));
        let xi = |key: &str, i: usize| case[key][i].as_f64().unwrap();
        let trial = Vector3::new(k_t * xi("xi_trial", 0), k_t * xi("xi_trial", 1), k_theta * number("theta_trial"));
        let found = limit.project(&trial, &TangentialStiffness::isotropic(k_t, k_theta));
        assert!(found.iterations <= 8, "{}", found.iterations);
        for (ours, theirs) in [
            (found.load.x / k_t, xi("xi", 0)),
            (found.load.y / k_t, xi("xi", 1)),
            (found.load.z / k_theta, number("theta")),
        ] {
            assert!((ours - theirs).abs() <= 1e-12 * theirs.abs(), "{ours} {theirs}");
        }
        assert_eq!(found.slip.norm() > 0.0, case["slipping"].as_bool().unwrap());
        let work = found.load.dot(&found.slip);
        assert!((work - number("work_at_end_load")).abs() <= 2e-12 * work.abs().max(1e-300));
    }
}

/// A million random returns: dissipation is never negative, the load is on the limit, iterations stay few.
#[test]
fn a_million_returns_never_give_energy() {
    let mut seed = 1_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut most = 0;
    for _ in 0..1_000_000 {
        let k_t = 10.0_f64.powf(2.0 + 6.0 * random());
        let e_n = 10.0_f64.powf(-5.0 + 3.0 * random());
        let rho = 10.0_f64.powf(-1.5 + 3.0 * random());
        let k_theta = rho * k_t * e_n * e_n;
        let limit = Ellipsoid::isotropic(0.1 + random(), e_n, 10.0_f64.powf(4.0 * random() - 2.0));
        let size = 10.0_f64.powf(3.0 * random() - 1.0) * limit.load;
        let angle = std::f64::consts::TAU * random();
        let trial = Vector3::new(size * angle.cos(), size * angle.sin(), e_n * size * (2.0 * random() - 1.0) * 3.0);
        let found = limit.project(&trial, &TangentialStiffness::isotropic(k_t, k_theta));
        let lost = found.load.dot(&found.slip);
        assert!(lost >= 0.0);
        if found.slip != Vector3::zeros() {
            assert!((limit.gauge(&found.load) - 1.0).abs() < 1e-13);
        }
        most = most.max(found.iterations);
    }
    assert!(most <= 8, "{most}");
}

// ---- objectivity ----

/// A contact stepped with all three: moved rigidly, bodies exchanged, tangent basis turned.
#[test]
fn wrench_does_not_depend_on_the_observer_the_order_or_the_basis() {
    let law = rubber_law(0.5);
    let a = Shape::Ellipsoid(EllipsoidShape::new([0.04, 0.03, 0.02]).unwrap());
    let b = Shape::Ellipsoid(EllipsoidShape::new([0.02, 0.015, 0.03]).unwrap());
    let observer = Isometry3::from_parts(Translation3::new(0.3, -0.2, 0.7), turning(Vector3::new(0.3, 1.0, -0.5), 1.3));
    let pose_a = |t: f64| Isometry3::from_parts(Translation3::new(0.0, 0.0, 0.001 * t), turning(Vector3::z(), 0.2 * t));
    let pose_b = |t: f64| {
        Isometry3::from_parts(
            Translation3::new(0.002 * t, 0.001, 0.0492 - 0.0004 * t),
            turning(Vector3::new(0.5, -0.2, 1.0), 0.3 * t),
        )
    };
    let h = 1e-3;
    let step = |k: usize| {
        let t = k as f64 * h;
        (pose_a(t), pose_b(t))
    };
    let velocity = |from: &Isometry3<f64>, to: &Isometry3<f64>| {
        SpatialVelocity::new(
            (to.rotation * from.rotation.inverse()).scaled_axis() / h,
            (to.translation.vector - from.translation.vector) / h,
        )
    };
    let mut memories: [Memory; 4] = Default::default();
    let mut slipped = 0;
    for k in 0..400 {
        let ((A0, B0), (A, B)) = (step(k), step(k + 1));
        let (V_A, V_B) = (velocity(&A0, &A), velocity(&B0, &B));
        let found = closest_points(&a, &b, &(A.inverse() * B)).unwrap();
        let site = ContactSite::new(&found, &A, &V_A, &B, &V_B, 0.4);
        let plain = law.advance(&site, &mut memories[0], h).unwrap();
        slipped += usize::from(plain.mode == Mode::Slip);
        // Another observer, at rest.
        let turn = |V: &SpatialVelocity| V.re_express(&observer.rotation.to_rotation_matrix());
        let moved = ContactSite::new(&found, &(observer * A), &turn(&V_A), &(observer * B), &turn(&V_B), 0.4);
        let seen = law.advance(&moved, &mut memories[1], h).unwrap();
        let back = seen.F_Bc_W.re_express(&observer.rotation.inverse().to_rotation_matrix());
        // The bodies exchanged.
        let other = closest_points(&b, &a, &(B.inverse() * A)).unwrap();
        let exchanged = ContactSite::new(&other, &B, &V_B, &A, &V_A, 0.6);
        let reaction = law.advance(&exchanged, &mut memories[2], h).unwrap();
        // Another tangent basis each step.
        let mut turned = site;
        let (c, s) = ((0.7 * k as f64).cos(), (0.7 * k as f64).sin());
        let R = Matrix2::new(c, -s, s, c);
        turned.E_W = site.E_W * R;
        turned.v_t = R.transpose() * site.v_t;
        turned.curvature = R.transpose() * site.curvature * R;
        let rebased = law.advance(&turned, &mut memories[3], h).unwrap();
        let scale = plain.F_Bc_W.f.norm();
        if scale == 0.0 {
            continue;
        }
        for (name, F) in [("observer", back), ("exchange", -reaction.F_Bc_W), ("basis", rebased.F_Bc_W)] {
            let shift = if name == "exchange" { site.p_WC - exchanged.p_WC } else { Vector3::zeros() };
            let F = F.shift(shift);
            assert!(
                (F.f - plain.F_Bc_W.f).norm() <= 1e-12 * scale,
                "{name} {k}: {:e}",
                (F.f - plain.F_Bc_W.f).norm() / scale
            );
            assert!((F.t - plain.F_Bc_W.t).norm() <= 1e-12 * scale * 0.02, "{name} {k}");
        }
    }
    assert!(slipped > 10 && slipped < 390, "{slipped}");
}

/// Both bodies turn as one about the contact normal, with a stored displacement: the force turns with them.
#[test]
fn stored_displacement_turns_with_the_bodies() {
    let law = ContactLaw {
        stiffness: Stiffness::Constants(Constants { k: 1e5, n: 1.0, k_t: 1e4, k_theta: 1.0, e_n: 1e-3 }),
        damping: Damping::default(),
        friction: Friction::Sticks,
        partial: None,
    };
    let mut memory = Memory { x_W: Vector3::new(0.1, 0.0, 0.0), nhat_W: Vector3::z(), ..Memory::default() };
    let n = 1000;
    let h = std::f64::consts::FRAC_PI_2 / n as f64;
    let mut site = flat_site(-1e-4, 0.0, Vector2::zeros(), 0.0);
    site.frame_spin = 1.0;
    let mut last = law.advance(&site, &mut memory, h).unwrap();
    for _ in 1..n {
        last = law.advance(&site, &mut memory, h).unwrap();
    }
    // Cayley's angle errs by h²/12 of each step.
    assert!((last.F_Bc_W.f - Vector3::new(0.0, -10.0, 10.0)).norm() < 1e-5, "{:?}", last.F_Bc_W.f);
    assert!((memory.energy() - 0.005).abs() < 1e-15);
}

/// The rule of the turning frame against its definition: ξ is the difference of two anchors, one fixed in each body.
/// Planar motion about the normal; integration in the axes of body 1 is right only for α = 1 (errs by θ/2 ≈ 15 %).
#[test]
fn elastic_displacement_is_the_difference_of_two_anchors() {
    for alpha in [0.0, 0.25, 0.5, 1.0] {
        // Anchors at the origin of both bodies at start. Body 1 still, body 2 turns to θ and moves.
        let theta = |t: f64| 0.3 * (1.3 * t).sin();
        let origin = |t: f64| Vector2::new(2e-3 * t, 1e-3 * (2.0 * t).sin());
        let k_t: f64 = 1e4;
        let law = ContactLaw {
            stiffness: Stiffness::Constants(Constants { k: 1e5, n: 1.0, k_t, k_theta: 1.0, e_n: 1e-3 }),
            damping: Damping::default(),
            friction: Friction::Sticks,
            partial: None,
        };
        // The contact rides between the anchors, c = (1−α) a1 + α a2, in the frame that turns with (1−α)·w2.
        let rate = |t: f64, xi: &Vector2<f64>| {
            let e = 1e-5;
            let w = (theta(t + e) - theta(t - e)) / (2.0 * e);
            let v_origin = (origin(t + e) - origin(t - e)) / (2.0 * e);
            // Velocity of body 2's point under c: its anchor is at origin(t), c = α·(a2 − a1) from a1 = 0.
            let c = origin(t) * alpha;
            let arm = c - origin(t);
            let v = v_origin + Vector2::new(-arm.y, arm.x) * w;
            let mut site = flat_site(-1e-4, 0.0, v, w);
            site.frame_spin = (1.0 - alpha) * w;
            let memory = Memory { x_W: Vector3::new(xi.x, xi.y, 0.0), nhat_W: Vector3::z(), ..Memory::default() };
            law.memory_rate(&site, &memory, Mode::Stick, 0.0).unwrap().x_W.xy()
        };
        let (n, t_end) = (2000, 1.0);
        let h = t_end / n as f64;
        let mut xi = Vector2::zeros();
        for i in 0..n {
            let t = i as f64 * h;
            let k1 = rate(t, &xi);
            let k2 = rate(t + 0.5 * h, &(xi + k1 * (0.5 * h)));
            let k3 = rate(t + 0.5 * h, &(xi + k2 * (0.5 * h)));
            let k4 = rate(t + h, &(xi + k3 * h));
            xi += (k1 + k2 * 2.0 + k3 * 2.0 + k4) * (h / 6.0);
        }
        // In world axes x/√k is the difference of the anchors itself.
        let anchors = origin(t_end);
        assert!((xi / k_t.sqrt() - anchors).norm() < 1e-9 * anchors.norm() + 1e-12, "α {alpha}");
    }
}

// ---- tangent ----

/// Every slope against central differences, sticking and slipping, live patch, dampers, two coefficients.
#[test]
fn tangent_matches_differences() {
    let h = 1e-3;
    let mut checked = [0, 0];
    for (mu, tangential) in [(0.3, 0.0), (3.0, 0.0), (0.3, 2.0), (3.0, 2.0)] {
        for two in [false, true] {
            let mut law = rubber_law(mu);
            law.damping.tangential = tangential;
            law.damping.torsional = 1e-6 * tangential;
            law.damping.normal = 0.7;
            if two {
                law.friction =
                    Friction::TwoCoefficients { along: mu, across: 0.6 * mu, direction_W: Vector3::new(0.8, 0.6, 0.0) };
            }
            let memory = Memory {
                x_W: Vector3::new(0.004, -0.002, 0.0),
                x_theta: 0.001,
                nhat_W: Vector3::z(),
                ..Memory::default()
            };
            let base = flat_site(-3e-4, -0.01, Vector2::new(0.05, 0.02), 4.0);
            // Loads as a function of approach, displacement within the step, rate and velocity, all apart: dampers see v,
            // springs see d; a damper's part is added to the trial by shifting x.
            let loads = |delta: f64, d: Vector3<f64>, rate: f64, v: Vector3<f64>| {
                let mut site = base;
                site.gap = -delta;
                site.gap_rate = -rate;
                site.v_t = v.xy();
                site.w_n = v.z;
                // advance() stretches by v h; the rest of d goes into the memory through N.
                let grip = law.stiffness.grip(&site).unwrap();
                let extra = d - v * h;
                let axis = grip.axis;
                let along = Vector3::new(axis.x, axis.y, 0.0);
                let across = Vector3::new(-axis.y, axis.x, 0.0);
                let mut memory = memory.clone();
                memory.x_W += along * (grip.k[0].sqrt() * along.dot(&Vector3::new(extra.x, extra.y, 0.0)))
                    + across * (grip.k[1].sqrt() * across.dot(&Vector3::new(extra.x, extra.y, 0.0)));
                memory.x_theta += grip.k[2].sqrt() * extra.z;
                let response = law.advance(&site, &mut memory, h).unwrap();
                nalgebra::Vector4::new(response.normal, response.load.x, response.load.y, response.load.z)
            };
            let v0 = Vector3::new(base.v_t.x, base.v_t.y, base.w_n);
            let (delta0, rate0, d0) = (base.approach(), -base.gap_rate, v0 * h);
            let tangent = law.tangent(&base, &memory, h).unwrap();
            let mode = law.advance(&base, &mut memory.clone(), h).unwrap().mode;
            checked[usize::from(mode == Mode::Slip)] += 1;
            for j in 0..4 {
                let size = [1e-9, 1e-9, 1e-9, 1e-7][j];
                let slope = |stiff: bool| {
                    let at = |s: f64| {
                        let mut d = d0;
                        let mut v = v0;
                        let (mut delta, mut rate) = (delta0, rate0);
                        match (j, stiff) {
                            (0, true) => delta += s * size,
                            (0, false) => rate += s * size * 1e3,
                            (j, true) => d[j - 1] += s * size,
                            (j, false) => v[j - 1] += s * size * 1e3,
                        }
                        loads(delta, d, rate, v)
                    };
                    (at(1.0) - at(-1.0)) / (2.0 * size * if stiff { 1.0 } else { 1e3 })
                };
                for (ours, theirs, name) in
                    [(tangent.stiffness.column(j), slope(true), "K"), (tangent.damping.column(j), slope(false), "B")]
                {
                    let scale = theirs.amax().max(1e-3);
                    let off = (ours - theirs).amax();
                    // Differences: rounding 1e-16·1 N/1e-9 m = 1e-7 N/m against 1e3 N/m.
                    assert!(
                        off <= 1e-6 * scale,
                        "{name} column {j}, μ {mu}, b {tangential}, two {two}: {ours} {theirs}"
                    );
                }
            }
        }
    }
    assert!(checked[0] >= 2 && checked[1] >= 2, "{checked:?}");
}

// ---- rules, ports, fields ----

/// The patch-derived slip rule of paper A answers like the ellipsoid where ρ = 1.
#[test]
fn slip_rule_of_paper_a_is_the_ellipsoid() {
    let constants = Constants { k: 1e6, n: 1.5, k_t: 1e4, k_theta: 1e4 * 4e-6, e_n: 2e-3 };
    let law = |friction: Friction| ContactLaw {
        stiffness: Stiffness::Constants(constants),
        damping: Damping::default(),
        friction,
        partial: None,
    };
    let (one, other) = (law(Friction::Coulomb { mu: 0.5 }), law(Friction::Rule(Arc::new(EllipsoidRule { mu: 0.5 }))));
    let (mut m1, mut m2) = (Memory::default(), Memory::default());
    for k in 0..300 {
        let t = k as f64 * 0.02;
        let site = flat_site(-1e-4 * (1.5 + t.sin()), 0.0, Vector2::new(0.1 * t.cos(), 0.05), 10.0 * (2.0 * t).sin());
        let (a, b) = (one.advance(&site, &mut m1, 1e-3).unwrap(), other.advance(&site, &mut m2, 1e-3).unwrap());
        assert_eq!(a.mode, b.mode);
        assert!((a.load - b.load).norm() <= 1e-12 * a.load.norm());
        assert!((a.margin - b.margin).abs() < 1e-12);
    }
}

/// Projection and embedding are adjoint: power is conserved between the port and the contact (eqs 26, 27).
#[test]
fn port_is_power_conserving() {
    let site = flat_site(-1e-4, 0.0, Vector2::zeros(), 0.0);
    let V = SpatialVelocity::new(Vector3::new(0.3, -2.0, 1.0), Vector3::new(0.1, 0.4, -0.6));
    let W = nalgebra::Vector4::new(3.0, -1.0, 0.5, 0.02);
    assert!((W.dot(&site.project(&V)) - site.embed(&W).power(&V)).abs() < 1e-15);
}

/// Both ports of a turning, sliding contact, with and without dampers, sticking and slipping: the wrenches at the bodies'
/// origins take the power that springs, dampers and slip account for one by one.
#[test]
fn both_ports_balance_without_remainder() {
    let a = Shape::Ellipsoid(EllipsoidShape::new([0.04, 0.03, 0.02]).unwrap());
    let b = Shape::Ellipsoid(EllipsoidShape::new([0.02, 0.015, 0.03]).unwrap());
    let X_WA = Isometry3::from_parts(Translation3::new(0.1, 0.2, -0.3), turning(Vector3::new(0.2, 0.1, 1.0), 0.7));
    let X_WB = X_WA * Isometry3::from_parts(Translation3::new(0.002, 0.001, 0.0492), turning(Vector3::x(), 0.2));
    let V_WA = SpatialVelocity::new(Vector3::new(0.3, -0.2, 0.9), Vector3::new(0.01, 0.03, -0.02));
    let V_WB = SpatialVelocity::new(Vector3::new(-0.5, 0.4, 2.0), Vector3::new(0.02, -0.05, 0.01));
    let found = closest_points(&a, &b, &(X_WA.inverse() * X_WB)).unwrap();
    let site = ContactSite::new(&found, &X_WA, &V_WA, &X_WB, &V_WB, 0.3);
    for (tangential, mode, stretched) in [(0.0, Mode::Stick, 0.01), (0.0, Mode::Slip, 0.01), (3.0, Mode::Stick, 0.01)] {
        let mut law = rubber_law(0.5);
        law.damping.tangential = tangential;
        law.damping.torsional = 1e-5 * tangential;
        // Stretched the way it moves: on the limit it slips.
        let tangent = site.E_W * site.v_t.normalize();
        let mut memory = Memory {
            x_W: tangent * stretched,
            x_theta: 0.001 * site.w_n.signum(),
            nhat_W: site.nhat_W,
            ..Memory::default()
        };
        if mode == Mode::Slip {
            // On the limit, as an integrator would keep it.
            let used = 1.0 - law.respond(&site, &memory).unwrap().margin;
            memory.x_W /= used;
            memory.x_theta /= used;
        }
        let port = law.port(&site, &memory, mode, -0.1, &X_WA, &V_WA, &X_WB, &V_WB).unwrap();
        let scale = port.power_in.abs() + port.stored_normal.abs() + port.viscous + port.slip;
        assert!(port.residual().abs() < 1e-12 * scale, "{mode:?} {tangential}: {port:?}");
        assert!(port.viscous > 0.0 && (mode != Mode::Slip || port.slip > 0.0), "{port:?}");
    }
}

/// Without friction a tangential damper has nothing to pull on: no load, no loss.
#[test]
fn no_friction_means_no_tangential_loss() {
    let mut law = rubber_law(0.5);
    law.friction = Friction::None;
    law.damping = Damping { tangential: 3.0, torsional: 1e-3, ..Damping::default() };
    let site = flat_site(-3e-4, 0.0, Vector2::new(0.5, 0.1), 3.0);
    for response in
        [law.respond(&site, &Memory::default()).unwrap(), law.advance(&site, &mut Memory::default(), 1e-3).unwrap()]
    {
        assert_eq!((response.load, response.viscous_power), (Vector3::zeros(), 0.0));
    }
}

/// Fields that are not positive definite are refused with body and place.
#[test]
fn fields_must_be_positive() {
    let good = SurfaceTensor { tangential: Matrix3::identity(), torsional: 1.0, normal: 1.0 };
    let bad = SurfaceTensor { tangential: Matrix3::from_diagonal(&Vector3::new(1.0, -1.0, 1.0)), ..good };
    let a = Shape::Sphere(Sphere::new(0.03).unwrap());
    let X_AB = Isometry3::translation(0.0, 0.0, 0.059);
    let found = closest_points(&a, &a, &X_AB).unwrap();
    let fields = FieldPair {
        stiffness: [TensorField::Constant(good), TensorField::Constant(bad)],
        damping: None,
        exponent: 1.0,
        e_n: 1e-3,
    };
    let error = fields.sample(&found, &X_AB).unwrap_err().to_string();
    assert!(error.contains("stiffness of body B") && error.contains("positive"), "{error}");
}

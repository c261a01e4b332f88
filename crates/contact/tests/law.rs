//! The compliant law: power balance, objectivity, tangent, golden numbers of impact and of partial slip.

use fingerpad_contact::friction::{Ellipsoid, FrictionLimit, TangentialStiffness};
use fingerpad_contact::law::{
    Constants, ContactLaw, Damping, EllipsoidRule, FieldPair, Friction, Memory, Mode, Sliders, Stiffness,
    SurfaceTensor, TensorField,
};
use fingerpad_contact::material::{Material, Theory, pair};
use fingerpad_contact::site::ContactSite;
use fingerpad_contact::spatial::{SpatialForce, SpatialVelocity};
use fingerpad_contact::surface::{Ellipsoid as EllipsoidShape, Shape, Sphere};
use fingerpad_contact::track::closest_points;
use nalgebra::{Isometry3, Matrix2, Matrix3, Matrix3x2, Point3, Translation3, UnitQuaternion, Vector2, Vector3};
use serde_json::Value;
use std::sync::Arc;

/// A site on a flat frame: what a law sees, without bodies.
fn flat_site(gap: f64, gap_rate: f64, v_t: Vector2<f64>, w_n: f64) -> ContactSite {
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

fn rubber_law(mu: f64) -> ContactLaw {
    let rubber = Material::elastic(1e6, 0.45).unwrap().with_friction(mu).unwrap();
    let material = pair(&rubber, &rubber, Theory::Auto).unwrap();
    ContactLaw {
        stiffness: Stiffness::Patch(material.theory),
        damping: Damping { hunt_crossley: 0.3, ..Damping::default() },
        friction: Friction::Coulomb { mu },
        partial: None,
    }
}

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

// ---- a driven contact ----

/// Two bodies on prescribed paths.
struct Drive {
    a: Shape,
    b: Shape,
    pose_a: fn(f64) -> Isometry3<f64>,
    pose_b: fn(f64) -> Isometry3<f64>,
    alpha: f64,
    fields: Option<FieldPair>,
}

fn twist(pose: fn(f64) -> Isometry3<f64>, t: f64) -> SpatialVelocity {
    // Five-point differences of the pose: h⁴ and rounding meet near 1e-12.
    let h = 2e-4;
    let at = |i: f64| pose(t + i * h);
    let v = (at(-2.0).translation.vector - at(2.0).translation.vector
        + (at(1.0).translation.vector - at(-1.0).translation.vector) * 8.0)
        / (12.0 * h);
    let turn = |i: f64| (at(i).rotation * at(0.0).rotation.inverse()).scaled_axis();
    let w = (turn(-2.0) - turn(2.0) + (turn(1.0) - turn(-1.0)) * 8.0) / (12.0 * h);
    SpatialVelocity::new(w, v)
}

impl Drive {
    fn site(&self, t: f64) -> (ContactSite, Option<Stiffness>) {
        let (X_WA, X_WB) = ((self.pose_a)(t), (self.pose_b)(t));
        let X_AB = X_WA.inverse() * X_WB;
        let found = closest_points(&self.a, &self.b, &X_AB).unwrap();
        let sample = self.fields.as_ref().map(|f| f.sample(&found, &X_AB).unwrap());
        let site = ContactSite::new(
            &found,
            &X_WA,
            &twist(self.pose_a, t),
            &X_WB,
            &twist(self.pose_b, t),
            sample.map_or(self.alpha, |_| self.alpha),
        );
        (site, sample.map(Stiffness::Field))
    }

    /// Power that the bodies put into the contact.
    fn power(&self, t: f64, site: &ContactSite, F_Bc_W: &SpatialForce) -> f64 {
        let at = |pose: fn(f64) -> Isometry3<f64>| {
            twist(pose, t).shift(site.p_WC - Point3::from(pose(t).translation.vector))
        };
        -(F_Bc_W.power(&at(self.pose_b)) + (-*F_Bc_W).power(&at(self.pose_a)))
    }
}

#[derive(Clone, Copy, Default)]
struct Ledger {
    work: f64,
    viscous: f64,
    slip: f64,
    released: f64,
    exchanged: f64,
}

/// Integrates the memory with its ledger by RK4, stick and slip located by halving the step.
fn drive(law: &ContactLaw, drive: &Drive, t_end: f64, steps: usize) -> (Ledger, f64, [usize; 3]) {
    type Numbers = [f64; 8]; // x (3), θ, work, viscous, slip, exchanged
    let h = t_end / steps as f64;
    let with = |t: f64| {
        let (site, stiffness) = drive.site(t);
        let mut law = law.clone();
        if let Some(stiffness) = stiffness {
            law.stiffness = stiffness;
        }
        (law, site)
    };
    let memory_of = |y: &Numbers, site: &ContactSite| Memory {
        x_W: Vector3::new(y[0], y[1], y[2]),
        x_theta: y[3],
        nhat_W: site.nhat_W,
        sliders: Vec::new(),
    };
    let rate = |t: f64, y: &Numbers, mode: Mode| -> Numbers {
        let (law, site) = with(t);
        let memory = memory_of(y, &site);
        let response = law.respond(&site, &memory).unwrap();
        let load_rate = if mode == Mode::Slip {
            let e = 1e-5;
            let load = |t: f64| {
                let (law, site) = with(t);
                law.respond(&site, &Memory::default()).unwrap().normal
            };
            (load(t - 2.0 * e) - load(t + 2.0 * e) + 8.0 * (load(t + e) - load(t - e))) / (12.0 * e)
        } else {
            0.0
        };
        let mut moved = law.memory_rate(&site, &memory, mode, load_rate).unwrap();
        if mode == Mode::Free {
            (moved.x_W, moved.x_theta) = (Vector3::zeros(), 0.0);
        }
        let power = drive.power(t, &site, &response.F_Bc_W);
        [
            moved.x_W.x,
            moved.x_W.y,
            moved.x_W.z,
            moved.x_theta,
            power,
            response.viscous_power,
            moved.slip_power,
            power.abs(),
        ]
    };
    let rk4 = |t: f64, y: &Numbers, h: f64, mode: Mode| -> Numbers {
        let add = |y: &Numbers, k: &Numbers, s: f64| -> Numbers { std::array::from_fn(|i| y[i] + s * k[i]) };
        let k1 = rate(t, y, mode);
        let k2 = rate(t + 0.5 * h, &add(y, &k1, 0.5 * h), mode);
        let k3 = rate(t + 0.5 * h, &add(y, &k2, 0.5 * h), mode);
        let k4 = rate(t + h, &add(y, &k3, h), mode);
        std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]))
    };
    let mut y: Numbers = [0.0; 8];
    let (mut t, mut mode) = (0.0, Mode::Free);
    let mut released = 0.0;
    let mut seen = [0; 3];

    // Bodies may overlap without a force between them, where a damper holds it at zero: nothing sticks then. The limit
    // shrinks to nothing on the way there; below 10 nN what is left (1e-18 J) counts as released.
    let presses = |t: f64| {
        let (law, site) = with(t);
        law.respond(&site, &Memory::default()).unwrap().normal > 1e-8
    };
    let gauge = |t: f64, y: &Numbers| {
        let (law, site) = with(t);
        1.0 - law.respond(&site, &memory_of(y, &site)).unwrap().margin
    };
    if presses(0.0) {
        mode = Mode::Stick;
    }
    let mut last_slip = 0.0;
    // A contact that has just slipped starts to stick on the limit, give or take what integration left.
    let mut ceiling = 1.0;
    let mut rounds = 0;
    while t < t_end - 1e-12 {
        rounds += 1;
        assert!(
            rounds < 2 * steps + 2000,
            "stick and slip alternate without end at {t}: {mode:?} {:e} {:e}",
            gauge(t, &y),
            with(t).1.gap
        );
        let mut step = h.min(t_end - t);
        let was = mode;
        // Stiffness begins as a root of the approach: start small after touchdown.
        let (_, here) = with(t);
        if was != Mode::Free && here.gap_rate < 0.0 {
            step = step.min((0.1 * here.gap / here.gap_rate).max(1e-9));
        }
        // Under a small load the direction of slip follows the motion within load/(stiffness · speed): resolve it.
        if was == Mode::Slip && drive.fields.is_none() {
            let size = (y[0] * y[0] + y[1] * y[1] + y[2] * y[2] + y[3] * y[3]).sqrt();
            let k = rate(t, &y, Mode::Stick);
            let speed = (k[0] * k[0] + k[1] * k[1] + k[2] * k[2] + k[3] * k[3]).sqrt();
            step = step.min((0.05 * size / speed).max(1e-10));
        }
        // Where does the mode end? Touchdown and release by the gap, slip by the gauge, stick by the slip power.
        let changes = |step: f64| -> bool {
            let loose = !presses(t + step);
            match was {
                // Overlapping without force ends where the overlap does.
                Mode::Free => !loose || (here.gap < 0.0 && with(t + step).1.gap >= 0.0),
                Mode::Stick => loose || gauge(t + step, &rk4(t, &y, step, was)) > ceiling,
                Mode::Slip => loose || rate(t + step, &rk4(t, &y, step, was), was)[6] <= 0.0,
            }
        };
        let mut changed = false;
        if changes(step) {
            let (mut low, mut high) = (0.0, step);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if changes(middle) { high = middle } else { low = middle }
            }
            step = high.max(1e-9 * h);
            changed = true;
        }
        // A damper's force begins with a jump: integrate up to just before it.
        let until = if changed && was == Mode::Free { step - 1e-12 * h } else { step };
        y = rk4(t, &y, until, was);
        t += step;
        // Sliding without dampers stays on the limit; what integration left is slip.
        let used = if was == Mode::Slip && drive.fields.is_none() && presses(t) { gauge(t, &y) } else { 0.0 };
        if used > 1.0 {
            let before: f64 = y[..4].iter().map(|x| 0.5 * x * x).sum();
            y[..4].iter_mut().for_each(|x| *x /= used);
            y[6] += before * (1.0 - 1.0 / (used * used));
        }
        assert!(y[6] >= last_slip, "slip loss fell from {last_slip} to {}", y[6]);
        last_slip = y[6];
        if changed {
            if !presses(t) {
                released += 0.5 * (y[0] * y[0] + y[1] * y[1] + y[2] * y[2] + y[3] * y[3]);
                y[..4].fill(0.0);
                mode = Mode::Free;
                seen[0] += usize::from(was != Mode::Free);
            } else {
                mode = match was {
                    Mode::Free | Mode::Slip => Mode::Stick,
                    Mode::Stick => Mode::Slip,
                };
                seen[if mode == Mode::Slip { 2 } else { 1 }] += 1;
                ceiling = gauge(t, &y).max(1.0) + 1e-14;
            }
        }
    }
    let (law, site) = with(t);
    let stored = if site.gap < 0.0 {
        let memory = memory_of(&y, &site);
        let response = law.respond(&site, &memory).unwrap();
        response.energy_normal + memory.energy()
    } else {
        0.0
    };
    (Ledger { work: y[4], viscous: y[5], slip: y[6], released, exchanged: y[7] }, stored, seen)
}

fn turning(axis: Vector3<f64>, angle: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_scaled_axis(axis * angle)
}

/// Rolling, spinning, sliding ball on a turning ball, live Hertz patch, sticking: the ledger closes to 1e-10.
#[test]
fn power_balances_while_sticking_on_a_live_patch() {
    let mut law = rubber_law(1.0);
    law.friction = Friction::Sticks;
    let drive_ = Drive {
        a: Shape::Sphere(Sphere::new(0.03).unwrap()),
        b: Shape::Sphere(Sphere::new(0.02).unwrap()),
        pose_a: |t| {
            Isometry3::from_parts(
                Translation3::new(0.001 * (3.0 * t).sin(), 0.0, 0.0005 * t),
                turning(Vector3::new(0.2, 1.0, 0.3), 0.4 * (2.0 * t).sin()),
            )
        },
        pose_b: |t| {
            let up = 0.0495 - 0.0004 * (5.0 * t).sin();
            let dir = turning(Vector3::new(1.0, 0.3, 0.0), 0.05 * (1.5 * t).sin()) * Vector3::z();
            Isometry3::from_parts(
                Translation3::from(dir * up),
                turning(Vector3::new(0.5, -0.2, 1.0), 0.06 * (4.0 * t).sin()),
            )
        },
        alpha: 0.5,
        fields: None,
    };
    let (ledger, stored, _) = drive(&law, &drive_, 2.0, 4000);
    let before = {
        let (site, _) = drive_.site(0.0);
        law.respond(&site, &Memory::default()).unwrap().energy_normal
    };
    let residual = ledger.work - (stored - before) - ledger.viscous;
    assert!(ledger.exchanged > 1e-4 && ledger.viscous > 0.0);
    assert!(residual.abs() <= 1e-10 * ledger.exchanged, "{residual:e} of {:e}", ledger.exchanged);
}

/// The same with slip, separation and re-contact: bounces of a spinning ball dragged over another.
#[test]
fn power_balances_through_slip_separation_and_contact() {
    for partner in [0.5, 1.0] {
        let mut law = rubber_law(0.4);
        law.damping.normal = 0.05;
        let drive_ = Drive {
            a: Shape::Sphere(Sphere::new(0.03).unwrap()),
            b: Shape::Sphere(Sphere::new(0.02).unwrap()),
            pose_a: |t| Isometry3::from_parts(Translation3::identity(), turning(Vector3::z(), 0.03 * (2.0 * t).sin())),
            pose_b: |t| {
                let up = 0.0499 - 0.0003 * (12.0 * t).sin();
                let dir = turning(Vector3::new(1.0, 0.3, 0.0), 0.03 * (2.5 * t).sin()) * Vector3::z();
                Isometry3::from_parts(
                    Translation3::from(dir * up),
                    turning(Vector3::new(0.5, -0.2, 1.0), 0.05 * (4.0 * t).sin()),
                )
            },
            alpha: partner,
            fields: None,
        };
        let (ledger, stored, seen) = drive(&law, &drive_, 1.5, 12000);
        assert!(seen.iter().all(|n| *n > 1), "free, stick and slip must all occur: {seen:?}");
        let before = {
            let (site, _) = drive_.site(0.0);
            law.respond(&site, &Memory::default()).unwrap().energy_normal
        };
        let residual = ledger.work - (stored - before) - ledger.viscous - ledger.slip - ledger.released;
        assert!(ledger.slip > 0.0 && ledger.released >= 0.0 && ledger.viscous > 0.0);
        assert!(residual.abs() <= 1e-10 * ledger.exchanged, "{residual:e} of {:e} ({seen:?})", ledger.exchanged);
    }
}

/// Anisotropic stiffness and damping that vary over both surfaces, on ellipsoids: the transformer keeps the balance.
/// Integrating the displacement instead and taking V = ½ ξᵀK(t)ξ leaves a third of the energy unaccounted.
#[test]
fn power_balances_on_anisotropic_fields_over_ellipsoids() {
    let field = |scale: f64| {
        TensorField::Function(Arc::new(move |p: &Point3<f64>, _: &Vector3<f64>| {
            let s = scale * (1.0 + 0.5 * (80.0 * p.x).sin() + 0.3 * (60.0 * p.y).cos());
            SurfaceTensor {
                tangential: Matrix3::new(3.0, 0.8, 0.1, 0.8, 1.0, 0.0, 0.1, 0.0, 2.0) * s,
                torsional: 1e-5 * s,
                normal: 2.0 * scale,
            }
        }))
    };
    let fields = FieldPair {
        stiffness: [field(2000.0), field(3000.0)],
        // Dampers that relax in milliseconds: RK4 at 0.25 ms resolves them.
        damping: Some([field(60.0), field(40.0)]),
        exponent: 1.0,
        e_n: 2e-3,
    };
    let law = ContactLaw {
        stiffness: Stiffness::Constants(Constants { k: 1.0, n: 1.0, k_t: 0.0, k_theta: 0.0, e_n: 0.0 }),
        damping: Damping { hunt_crossley: 0.4, ..Damping::default() },
        friction: Friction::Coulomb { mu: 0.3 },
        partial: None,
    };
    let drive_ = Drive {
        a: Shape::Ellipsoid(EllipsoidShape::new([0.04, 0.03, 0.02]).unwrap()),
        b: Shape::Ellipsoid(EllipsoidShape::new([0.02, 0.015, 0.03]).unwrap()),
        pose_a: |t| {
            Isometry3::from_parts(Translation3::identity(), turning(Vector3::new(0.1, 0.2, 1.0), 0.3 * (2.0 * t).sin()))
        },
        pose_b: |t| {
            Isometry3::from_parts(
                Translation3::new(0.004 * (3.0 * t).sin(), 0.003 * (2.0 * t).sin(), 0.0485 - 0.0008 * (4.0 * t).sin()),
                turning(Vector3::new(0.5, -0.2, 1.0), 0.2 * (5.0 * t).sin()),
            )
        },
        alpha: 0.4,
        fields: Some(fields),
    };
    let (ledger, stored, _) = drive(&law, &drive_, 1.0, 4000);
    let before = {
        let (site, stiffness) = drive_.site(0.0);
        ContactLaw { stiffness: stiffness.unwrap(), ..law.clone() }
            .respond(&site, &Memory::default())
            .unwrap()
            .energy_normal
    };
    let residual = ledger.work - (stored - before) - ledger.viscous - ledger.slip - ledger.released;
    assert!(ledger.slip > 0.0, "the load must slip somewhere");
    assert!(residual.abs() <= 1e-10 * ledger.exchanged, "{residual:e} of {:e}", ledger.exchanged);
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

// ---- golden numbers ----

/// A mass on the law, one axis, no gravity, by RK4 until it leaves; (speed out, time in contact, largest approach, force).
fn bounce(law: &ContactLaw, curvature: Matrix2<f64>, mass: f64, speed: f64, h: f64) -> (f64, f64, f64, f64) {
    let force = |delta: f64, rate: f64| {
        let mut site = flat_site(-delta, -rate, Vector2::zeros(), 0.0);
        site.curvature = curvature;
        law.respond(&site, &Memory::default()).unwrap().normal
    };
    let acc = |delta: f64, rate: f64| -force(delta, rate) / mass;
    // Just in contact: a damper pushes from the first instant.
    let (mut delta, mut rate, mut t) = (f64::MIN_POSITIVE, speed, 0.0);
    let (mut deepest, mut most) = (0.0_f64, 0.0_f64);
    loop {
        let (k1x, k1v) = (rate, acc(delta, rate));
        let (k2x, k2v) = (rate + 0.5 * h * k1v, acc(delta + 0.5 * h * k1x, rate + 0.5 * h * k1v));
        let (k3x, k3v) = (rate + 0.5 * h * k2v, acc(delta + 0.5 * h * k2x, rate + 0.5 * h * k2v));
        let (k4x, k4v) = (rate + h * k3v, acc(delta + h * k3x, rate + h * k3v));
        let next = delta + h / 6.0 * (k1x + 2.0 * k2x + 2.0 * k3x + k4x);
        if next <= 0.0 && t > 0.0 {
            // Free flight over the last part of the step.
            return (-rate, t + delta / -rate, deepest, most);
        }
        rate += h / 6.0 * (k1v + 2.0 * k2v + 2.0 * k3v + k4v);
        delta = next;
        t += h;
        deepest = deepest.max(delta);
        most = most.max(force(delta, 0.0));
    }
}

/// Golden 1, 2, 3: steel ball on steel.
#[test]
fn golden_1_2_3_hertz_impact() {
    let steel = Material::elastic(210e9, 0.3).unwrap();
    let material = pair(&steel, &steel, Theory::Auto).unwrap();
    let law = ContactLaw {
        stiffness: Stiffness::Patch(material.theory),
        damping: Damping::default(),
        friction: Friction::None,
        partial: None,
    };
    let curvature = Matrix2::identity() / 10e-3;
    let mass = 7800.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-6;
    assert!((mass - 0.032673).abs() < 5e-7);
    let (out, time, deepest, most) = bounce(&law, curvature, mass, 1.0, 2e-9);
    assert!((deepest - 23.42085e-6).abs() < 5e-11, "{deepest}");
    assert!((most - 1743.776).abs() < 5e-3, "{most}");
    assert!((time - 68.93400e-6).abs() < 2e-9, "{time}");
    assert!((time / deepest - 2.943275184).abs() < 2e-4);
    assert!((out - 1.0).abs() < 1e-8, "{out}");
}

/// Golden 4 and 5: restitution of Hunt–Crossley does not depend on k, n or mass.
#[test]
fn golden_4_5_hunt_crossley_restitution() {
    for (dv, e) in
        [(0.01, 0.993377), (0.1, 0.937476), (0.3, 0.832870), (1.0, 0.593624), (3.0, 0.306897), (10.0, 0.099982)]
    {
        for (k, n, mass) in [(1e5, 1.0, 1.0), (3e6, 1.5, 0.2), (1e8, 2.0, 0.7)] {
            let law = ContactLaw {
                stiffness: Stiffness::Constants(Constants { k, n, k_t: 0.0, k_theta: 0.0, e_n: 0.0 }),
                damping: Damping { hunt_crossley: dv, ..Damping::default() },
                friction: Friction::None,
                partial: None,
            };
            let (out, ..) = bounce(&law, Matrix2::identity(), mass, 1.0, 2e-6);
            assert!((out - e).abs() < 2e-6, "d v {dv}, n {n}: {out} against {e}");
        }
        if dv <= 0.01 {
            assert!((e - (1.0 - 2.0 / 3.0 * dv)).abs() < 1e-4);
        }
    }
}

/// Kelvin–Voigt with a force that never pulls: the closed form of the clamped restitution; unclamped it would be 0.163.
#[test]
fn kelvin_voigt_restitution_is_the_clamped_one() {
    let (k, mass) = (1e4_f64, 1.0);
    for zeta in [0.05_f64, 0.2, 0.5] {
        let law = ContactLaw {
            stiffness: Stiffness::Constants(Constants { k, n: 1.0, k_t: 0.0, k_theta: 0.0, e_n: 0.0 }),
            damping: Damping { normal: 2.0 * zeta * (k * mass).sqrt(), ..Damping::default() },
            friction: Friction::None,
            partial: None,
        };
        let root = (1.0 - zeta * zeta).sqrt();
        let closed = (-zeta / root * (2.0 * zeta * root).atan2(2.0 * zeta * zeta - 1.0)).exp();
        let (out, ..) = bounce(&law, Matrix2::identity(), mass, 1.0, 1e-6);
        assert!((out - closed).abs() < 1e-6, "ζ {zeta}: {out} against {closed}");
    }
}

/// Golden 20 and 22: Cattaneo–Mindlin and the loop of fretting, by driving the bank of sliders. The error falls with the
/// square of their number.
#[test]
fn golden_20_22_partial_slip_driven() {
    let rubber = Material::elastic(1e6, 0.3).unwrap();
    let material = pair(&rubber, &rubber, Theory::Auto).unwrap();
    let mu = 0.6;
    let curvature = Matrix2::identity() / 0.02;
    let approach = 2e-4;
    let drive_to = |count: usize, path: &[f64]| {
        let law = ContactLaw {
            stiffness: Stiffness::Patch(material.theory),
            damping: Damping::default(),
            friction: Friction::Coulomb { mu },
            partial: Some(Sliders::new(count, 0.5)),
        };
        let mut memory = Memory::default();
        let mut x = 0.0;
        let (mut lost, mut work, mut last) = (0.0, 0.0, 0.0);
        let mut loads = Vec::new();
        for target in path {
            let n = 4000;
            let (step, mut loop_lost) = ((target - x) / n as f64, 0.0);
            for _ in 0..n {
                let mut site = flat_site(-approach, 0.0, Vector2::new(step, 0.0), 0.0);
                site.curvature = curvature;
                let response = law.advance(&site, &mut memory, 1.0).unwrap();
                work += 0.5 * (last + response.load.x) * step;
                last = response.load.x;
                lost += response.slip_energy;
                loop_lost += response.slip_energy;
            }
            x = *target;
            loads.push((last, loop_lost));
        }
        (loads, lost, work, memory.energy())
    };
    // Closed forms.
    let patch = material
        .theory
        .at_approach(&fingerpad_contact::patch::RelativeCurvature::from_radii(0.02, 0.02), approach)
        .unwrap();
    let (a, P) = (patch.a, patch.load);
    let g = 1e6 / 2.6;
    let s = 2.0 * (2.0 - 0.3) / g;
    let displacement = |q: f64| 3.0 * mu * P * s / (16.0 * a) * (1.0 - (1.0 - q).powf(2.0 / 3.0));
    let mut errors = Vec::new();
    for count in [16, 64, 2000] {
        let mut worst = 0.0_f64;
        for q in [0.1_f64, 0.5, 0.9] {
            let (loads, ..) = drive_to(count, &[displacement(q)]);
            worst = worst.max((loads[0].0 / (q * mu * P) - 1.0).abs());
        }
        errors.push(worst);
    }
    // 2000 sliders: 1e-6; a factor of 4 in number is one of 16 in error, less at the ends of the polygon's pieces.
    assert!(errors[2] < 1e-6 && errors[1] < errors[0] / 6.0, "{errors:?}");
    for q in [0.1_f64, 0.5, 0.9] {
        let amplitude = displacement(q);
        let (loads, lost, work, stored) = drive_to(2000, &[amplitude, -amplitude, amplitude]);
        let closed = 0.9 * mu * mu * P * P * s / a
            * (1.0 - (1.0 - q).powf(5.0 / 3.0) - 5.0 * q / 6.0 * (1.0 + (1.0 - q).powf(2.0 / 3.0)));
        let loop_lost = loads[1].1 + loads[2].1;
        assert!((loop_lost / closed - 1.0).abs() < 1e-3, "q {q}: {loop_lost} against {closed}");
        // What went in is stored or lost.
        assert!((work - stored - lost).abs() < 1e-3 * work.abs().max(lost), "{work} {stored} {lost}");
        assert!((loads[1].0 + q * mu * P).abs() < 1e-5 * mu * P);
    }
}

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

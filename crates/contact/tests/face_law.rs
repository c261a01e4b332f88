//! The law of faces: load and its centre, energy, eccentricity, power; and the exact limit surface inside the law.

use fingerpad_contact::friction::{
    FlatContact, FrictionLimit, LimitSurface, LinearPressure, Polygon, TangentialStiffness,
};
use fingerpad_contact::law::{ContactLaw, Damping, Friction, Memory, Mode, Stiffness};
use fingerpad_contact::material::{Layer, Material, Theory, pair};
use fingerpad_contact::site::ContactSite;
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::{HalfSpace, RoundedBox, Shape};
use fingerpad_contact::track::{FaceContact, faces_of};
use nalgebra::{Isometry3, Matrix2, Matrix3x2, Point3, Translation3, UnitQuaternion, Vector2, Vector3};

const HALF: Vector3<f64> = Vector3::new(0.03, 0.02, 0.01);

fn padded_law(mu: f64) -> ContactLaw {
    let pad = Material::rigid().with_layer(Layer::new(2e5, 4e-3).unwrap().with_shear(8e4).unwrap());
    ContactLaw {
        stiffness: Stiffness::Patch(pair(&pad, &Material::rigid(), Theory::Auto).unwrap().theory),
        damping: Damping { hunt_crossley: 0.2, ..Damping::default() },
        friction: Friction::Coulomb { mu },
        partial: None,
    }
}

/// A box with its lower face on the ground, sunk by `depth` and tilted.
fn resting(depth: f64, tilt: Vector2<f64>) -> (FaceContact, Isometry3<f64>) {
    let floor = Shape::HalfSpace(HalfSpace);
    let block = Shape::RoundedBox(RoundedBox::new(HALF, 1e-4).unwrap());
    let turn = UnitQuaternion::from_scaled_axis(Vector3::new(tilt.x, tilt.y, 0.0));
    let X_AB = Isometry3::from_parts(Translation3::new(0.0, 0.0, HALF.z - depth), turn);
    let (ground, sides) = (faces_of(&floor), faces_of(&block));
    let found = sides.iter().find_map(|side| FaceContact::between(&ground[0], side, &X_AB, 0.03)).unwrap();
    (found, X_AB)
}

/// Load, centre and energy of a tilted box on a layer against a sum over cells of the face; part of it may be lifted.
#[test]
fn load_centre_and_energy_match_a_sum_over_cells() {
    let law = padded_law(0.5);
    let still = SpatialVelocity::zero();
    for (depth, tilt) in [(2e-4, [0.0, 0.0]), (2e-4, [0.004, 0.003]), (1e-4, [0.006, -0.008])] {
        let (face, X_WB) = resting(depth, Vector2::from(tilt));
        let A = Isometry3::identity();
        let mut memory = Memory::default();
        let (site, response) = law.advance_face(&face, &A, &still, &X_WB, &still, 1.0, &mut memory, 1e-3).unwrap();
        let n = 800;
        let kappa = 2e5 / 4e-3;
        let (mut load, mut moment, mut energy) = (0.0, Vector3::zeros(), 0.0);
        let core = HALF.map(|x| x - 1e-4);
        for i in 0..n {
            for j in 0..n {
                let corner = Point3::new(
                    core.x * ((2 * i + 1) as f64 / n as f64 - 1.0),
                    core.y * ((2 * j + 1) as f64 / n as f64 - 1.0),
                    -HALF.z,
                );
                let p = X_WB * corner;
                let deep = (-p.z).max(0.0);
                let cell = 4.0 * core.x * core.y / (n * n) as f64;
                load += kappa * deep * cell;
                moment += p.coords * (kappa * deep * cell);
                energy += 0.5 * kappa * deep * deep * cell;
            }
        }
        // The region lies in the plane between both faces: lengths differ by 1 − cos(angle/2), 1e-5 at 0.6°; cells 1e-6.
        assert!((response.elastic / load - 1.0).abs() < 5e-5, "{} {load}", response.elastic);
        assert!((response.energy_normal / energy - 1.0).abs() < 1e-4);
        let centre = site.unwrap().p_WC;
        assert!((centre.coords - moment / load).xy().norm() < 2e-4 * HALF.x, "{centre} {}", moment / load);
    }
}

/// e_n of a face against the exact limit of the same region and pressure: its largest moment is that about the median,
/// a little below the mean distance from the centre of load; equal where the pressure is even.
#[test]
fn eccentricity_of_a_face_bounds_the_exact_moment() {
    for tilt in [[0.0, 0.0], [0.003, 0.002]] {
        let (face, X_WB) = resting(2e-4, Vector2::from(tilt));
        let mu = 0.5;
        let law = padded_law(mu);
        let still = SpatialVelocity::zero();
        let spinning = SpatialVelocity::new(Vector3::z() * 1e3, Vector3::zeros());
        let A = Isometry3::identity();
        // Spin about the centre of load far beyond the limit: what is left is the largest moment.
        let mut memory = Memory::default();
        let (site, _) = law.advance_face(&face, &A, &still, &X_WB, &still, 1.0, &mut memory, 1e-3).unwrap();
        let arm = site.unwrap().p_WC - Point3::from(X_WB.translation.vector);
        let about = SpatialVelocity::new(spinning.w, -spinning.w.cross(&arm));
        let (_, response) = law.advance_face(&face, &A, &still, &X_WB, &about, 1.0, &mut memory, 1.0).unwrap();
        assert_eq!(response.mode, Mode::Slip);
        let corners: Vec<Vector2<f64>> = face.region.pieces()[0].corners().iter().map(|c| c.coords).collect();
        let kappa = 2e5 / 4e-3;
        let pressure =
            LinearPressure::new(&Polygon::new(&corners).unwrap(), -kappa * face.pair.gap, &(face.tilt * -kappa))
                .unwrap();
        assert!((pressure.load() / response.elastic - 1.0).abs() < 1e-9);
        let exact = FlatContact::new(pressure, mu).max_moment();
        let ratio = response.load.z / exact;
        let most = if tilt == [0.0, 0.0] { 1.0 + 1e-6 } else { 1.03 };
        assert!((1.0 - 1e-6..=most).contains(&ratio), "{ratio}");
    }
}

/// A box rocked, sunk and slid a little on its pad and brought back: what the motion put in is stored or lost.
#[test]
fn power_of_a_face_balances() {
    let mut law = padded_law(0.6);
    law.friction = Friction::Sticks;
    let pose = |t: f64| {
        Isometry3::from_parts(
            Translation3::new(1e-4 * t.sin(), 2e-4 * (2.0 * t).sin(), HALF.z - 3e-4 - 1e-4 * (3.0 * t).sin()),
            UnitQuaternion::from_scaled_axis(Vector3::new(0.004 * (2.0 * t).sin(), 0.006 * t.sin(), 0.02 * t.sin())),
        )
    };
    let floor = Shape::HalfSpace(HalfSpace);
    let block = Shape::RoundedBox(RoundedBox::new(HALF, 1e-4).unwrap());
    let (ground, sides) = (faces_of(&floor), faces_of(&block));
    let A = Isometry3::identity();
    let still = SpatialVelocity::zero();
    let residual = |n: usize| {
        let h = std::f64::consts::TAU / n as f64;
        let mut memory = Memory::default();
        let (mut work, mut viscous, mut exchanged) = (0.0, 0.0, 0.0);
        let mut last: Option<f64> = None;
        let mut stored = [0.0; 2];
        for i in 0..=n {
            let t = i as f64 * h;
            let X = pose(t);
            let e = 1e-5;
            let (before, after) = (pose(t - e), pose(t + e));
            let V = SpatialVelocity::new(
                (after.rotation * before.rotation.inverse()).scaled_axis() / (2.0 * e),
                (after.translation.vector - before.translation.vector) / (2.0 * e),
            );
            let side = sides.iter().find_map(|side| FaceContact::between(&ground[0], side, &X, 0.03)).unwrap();
            let (site, response) = law.advance_face(&side, &A, &still, &X, &V, 1.0, &mut memory, h).unwrap();
            let arm = site.unwrap().p_WC - Point3::from(X.translation.vector);
            let power = -response.F_Bc_W.power(&V.shift(arm));
            // Trapezoid over whole steps.
            if let Some(last) = last {
                work += 0.5 * (last + power) * h;
                exchanged += 0.5 * (f64::abs(last) + power.abs()) * h;
                viscous += response.viscous_power * h;
            } else {
                stored[0] = response.energy_normal;
            }
            last = Some(power);
            stored[1] = response.energy_normal + memory.energy();
        }
        (work - viscous - (stored[1] - stored[0])).abs() / exchanged
    };
    // First order in the step, since the springs move on with each step's velocity.
    let (coarse, fine) = (residual(2000), residual(8000));
    assert!(fine < 2e-3 && fine < 0.4 * coarse, "{coarse} {fine}");
}

/// At a lean of 1.2°, on a floor and on another box, whole and in part: the power of the elastic load is the change of the
/// energy. Would catch a load that acts along the picture of the faces in the plane between them: 2e-4. Between two boxes
/// the gap is measured along the middle, depth/cos(θ/2), and what that changes is no power: depth·θ/4 against an arm of 3 mm.
#[test]
fn power_of_a_face_that_leans_is_the_change_of_its_energy() {
    let mut law = padded_law(0.6);
    law.damping = Damping::default();
    law.friction = Friction::None;
    let floor = Shape::HalfSpace(HalfSpace);
    let table = Shape::RoundedBox(RoundedBox::new(Vector3::new(0.1, 0.1, 0.01), 1e-4).unwrap());
    let block = faces_of(&Shape::RoundedBox(RoundedBox::new(HALF, 1e-4).unwrap()));
    for (ground, height, off) in [(faces_of(&floor), 0.0, 1e-8), (faces_of(&table), 0.01, 4e-3)] {
        for depth in [1e-3, 1e-4] {
            // A turn about the centre of the face, so that the region stays where it is between two boxes too.
            let pose = |t: f64| {
                let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.02 + 0.3 * t, 0.006 - 0.2 * t, 0.1));
                let foot = Vector3::new(0.0, 0.0, height - depth);
                Isometry3::from_parts((foot + turn * Vector3::new(0.0, 0.0, HALF.z)).into(), turn)
            };
            let still = SpatialVelocity::zero();
            let at = |t: f64, V: &SpatialVelocity| {
                let (A, X) = (Isometry3::identity(), pose(t));
                let all = ground.iter().flat_map(|a| block.iter().map(move |b| (a, b)));
                let mut found = all.filter_map(|(a, b)| FaceContact::between(a, b, &X, 0.03));
                let face = found.find(|face| face.pair.gap.abs() < 2e-3).unwrap();
                law.press_face(&face, &A, &still, &X, V, 0.5).unwrap().unwrap()
            };
            let e = 1e-6;
            let (before, after) = (pose(-e), pose(e));
            let V = SpatialVelocity::new(
                (after.rotation * before.rotation.inverse()).scaled_axis() / (2.0 * e),
                (after.translation.vector - before.translation.vector) / (2.0 * e),
            );
            let change = (at(e, &still).grip.energy - at(-e, &still).grip.energy) / (2.0 * e);
            let now = at(0.0, &V);
            let power = -now.grip.load * now.site.gap_rate;
            assert!((power / change - 1.0).abs() < off, "{height} {depth}: {power} {change}");
        }
    }
}

/// The law with the exact limit slips where the exact surface says, inside the ellipsoid, and on the surface afterwards.
#[test]
fn exact_friction_in_the_law_is_the_limit_surface() {
    let rubber = Material::elastic(1e6, 0.45).unwrap();
    let theory = pair(&rubber, &rubber, Theory::Auto).unwrap().theory;
    let mu = 0.5;
    let law = |friction| ContactLaw {
        stiffness: Stiffness::Patch(theory),
        damping: Damping::default(),
        friction,
        partial: None,
    };
    let site = ContactSite {
        p_WC: Point3::origin(),
        nhat_W: Vector3::z(),
        E_W: Matrix3x2::identity(),
        gap: -3e-4,
        gap_rate: 0.0,
        v_t: Vector2::new(0.02, 0.05),
        w_n: 15.0,
        nhat_rate_W: Vector3::zeros(),
        frame_spin: 0.0,
        curvature: Matrix2::new(40.0, 0.0, 0.0, 150.0),
        alpha: 0.5,
    };
    let (mut exact, mut round) = (Memory::default(), Memory::default());
    let mut last = None;
    for _ in 0..60 {
        let one = law(Friction::Exact { mu }).advance(&site, &mut exact, 1e-3).unwrap();
        let other = law(Friction::Coulomb { mu }).advance(&site, &mut round, 1e-3).unwrap();
        last = Some((one, other));
    }
    let (one, other) = last.unwrap();
    assert_eq!((one.mode, other.mode), (Mode::Slip, Mode::Slip));
    let patch = theory.at_approach(&site.relative_curvature(), 3e-4).unwrap();
    let limit = LimitSurface::new(patch.a, patch.b, 0.5, mu, patch.load);
    assert!((limit.gauge(&one.load) - 1.0).abs() < 1e-5, "{}", limit.gauge(&one.load));
    // Steady sliding: the load against the twist itself.
    let steady = -limit.load_against(&Vector3::new(0.02, 0.05, 15.0));
    let scale = Vector3::new(1.0, 1.0, 1.0 / patch.e_n);
    assert!((one.load - steady).component_mul(&scale).norm() < 1e-3 * mu * patch.load, "{} {steady}", one.load);
    assert!((other.load - steady).component_mul(&scale).norm() > 1e-2 * mu * patch.load);
    // A load that clearly holds is left alone.
    let held = limit.project(&(steady * 0.5), &TangentialStiffness::isotropic(1e4, 0.05));
    assert_eq!(held.load, steady * 0.5);
}

/// Rates of what pressed faces offer against differences over 2 µs of the same motion, with a part lifted and without:
/// load, stiffness, eccentricity, centre of load, to 1e-4, the square of the tilt. Would catch a normal that halves the
/// angle between box and floor, by which sliding lifts (0.3 %), and a rate that leaves out the moving line between pressed and lifted.
#[test]
fn rates_of_a_face_are_the_slopes_of_what_it_offers() {
    let law = padded_law(0.5);
    let (still, A) = (SpatialVelocity::zero(), Isometry3::identity());
    let V = SpatialVelocity::new(Vector3::new(0.05, -0.08, 0.3), Vector3::new(0.02, 0.01, -0.003));
    for (depth, tilt) in [(4e-4, [0.004, 0.003]), (1e-4, [0.006, -0.008]), (2e-5, [0.004, 0.006])] {
        let (_, X_WB) = resting(depth, Vector2::from(tilt));
        let floor = faces_of(&Shape::HalfSpace(HalfSpace));
        let sides = faces_of(&Shape::RoundedBox(RoundedBox::new(HALF, 1e-4).unwrap()));
        let at = |t: f64| {
            let turn = UnitQuaternion::from_scaled_axis(V.w * t) * X_WB.rotation;
            let X = Isometry3::from_parts(Translation3::from(X_WB.translation.vector + V.v * t), turn);
            let face = sides.iter().find_map(|side| FaceContact::between(&floor[0], side, &X, 0.03)).unwrap();
            let found = law.press_face(&face, &A, &still, &X, &V, 1.0).unwrap().unwrap();
            // Where the load is in the box: its region goes with it.
            (found, X.inverse_transform_point(&found.site.p_WC))
        };
        let h = 1e-6;
        let ((before, c0), (now, _), (after, c1)) = (at(-h), at(0.0), at(h));
        let slope = |of: fn(&fingerpad_contact::law::Grip) -> f64| (of(&after.grip) - of(&before.grip)) / (2.0 * h);
        let close = |what: &str, found: f64, want: f64, scale: f64| {
            assert!((found - want).abs() <= 1e-4 * want.abs() + 1e-5 * scale, "{what} at {depth}: {found} {want}");
        };
        let (g, r) = (&now.grip, &now.rates);
        close("load", r.load, slope(|g| g.load), g.load);
        close("tangential", r.tangential * g.k[0], slope(|g| g.k[0]), g.k[0]);
        close("torsional", r.torsional * g.k[2], slope(|g| g.k[2]), g.k[2]);
        close("e_n", r.e_n * g.e_n, slope(|g| g.e_n), g.e_n);
        let moved = X_WB.rotation * ((c1 - c0) / (2.0 * h));
        assert!((moved - r.centre_W).xy().norm() < 2e-3 * moved.norm() + 1e-4, "{moved} {}", r.centre_W);
    }
}

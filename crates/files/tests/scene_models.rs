//! What a scene becomes: numbers of the model against closed forms and meshes.

use fingerpad_contact::law::{Friction, Stiffness};
use fingerpad_contact::patch::Pressed;
use fingerpad_contact::surface::mesh::SurfaceChoice;
use fingerpad_contact::surface::{Shape, Surface};
use fingerpad_contact::track::closest_points;
use fingerpad_files::scene::{Built, Formulation, Scene, Stepper};
use fingerpad_sim::{Mobility, Places, Prescribed, Profile};
use nalgebra::{Matrix3, Point3, Vector3};
use std::f64::consts::PI;
use std::path::Path;

fn built(text: &str) -> Built {
    let scene = Scene::parse(text, "t.toml", Path::new("tests/scenes"), &[]).unwrap_or_else(|e| panic!("{e}"));
    scene.build(&mut |_| {}).unwrap_or_else(|e| panic!("{e}"))
}

fn near(a: f64, b: f64, relative: f64) -> bool {
    (a - b).abs() <= relative * a.abs().max(b.abs())
}

#[test]
fn a_simple_scene_becomes_the_model_it_describes() {
    let built = built(include_str!("scenes/bounce.toml"));
    assert_eq!((built.name.as_str(), built.duration, built.record.period), ("bounce", 2.0, 0.005));
    assert_eq!(built.description.as_deref(), Some("a rubber ball on a steel table"));
    assert!(built.warnings.is_empty(), "{:?}", built.warnings);
    let model = &built.model;
    assert_eq!(model.gravity_W(), Vector3::new(0.0, 0.0, -9.81));
    let ball = &model.bodies()[1];
    let mass = 1100.0 * 4.0 / 3.0 * PI * 0.02_f64.powi(3);
    assert!(near(ball.mass, mass, 1e-15) && near(ball.I_BBcm_B[(0, 0)], 0.4 * mass * 4e-4, 1e-15));
    assert_eq!(ball.V_WBcm.v, Vector3::new(0.5, 0.0, 0.0));
    assert!(near(ball.V_WBcm.w.y, 2.0 * PI, 1e-15));
    assert_eq!(model.pairs().count(), 1);
    let law = &model.law(&model.pairs().next().unwrap()).law;
    assert!(matches!(law.friction, Friction::Coulomb { mu: 0.7 }));
    let Stiffness::Patch(theory) = &law.stiffness else { panic!("not a patch") };
    let Pressed::HalfSpaces { e_star, .. } = theory.pressed else { panic!("not Hertz") };
    let e = 1.0 / ((1.0 - 0.48 * 0.48) / 2e6 + (1.0 - 0.09) / 210e9);
    assert!(near(e_star, e, 1e-15));
    // Nearly all of the deformation is the rubber's, and so is the dissipation.
    assert!(near(law.damping.hunt_crossley, 0.2, 1e-4));
    assert_eq!((model.kicks()[0].time, model.kicks()[0].p_W.y), (1.0, 0.001));
    assert_eq!(built.checks.len(), 2);
    model.start().unwrap();
}

#[test]
fn every_kind_of_table_is_read() {
    let built = built(include_str!("scenes/arena.toml"));
    let model = &built.model;
    let body = |name: &str| model.bodies().iter().find(|b| b.name == name).unwrap();
    assert_eq!((built.solver.formulation, built.solver.stepper), (Formulation::Compliant, Stepper::Accurate));
    assert_eq!((built.solver.tolerance, built.solver.longest_step), (Some(1e-10), Some(0.01)));
    assert!(!built.record.contacts && built.record.bodies == Some(vec!["marble".into(), "pill".into()]));
    let Mobility::Restricted(left) = body("crate").mobility else { panic!("not restricted") };
    assert_eq!((left.slides, left.turns), ([false, false, true], [true; 3]));
    assert_eq!(left.X_WF.translation.vector, Vector3::new(0.0, 0.0, 1.0));
    let Mobility::Prescribed(Prescribed::Turning { p_WQ, rate, .. }) = body("plate").mobility else { panic!() };
    assert_eq!(p_WQ, Point3::new(2.0, 0.0, 1.0));
    assert!(near(rate, 33.0 * PI / 30.0, 1e-15));
    assert!(matches!(body("belt").mobility, Mobility::Prescribed(Prescribed::Conveying { v_W }) if v_W.x == 0.2));
    assert_eq!(body("ring").I_BBcm_B, Matrix3::from_diagonal(&Vector3::new(0.003, 0.003, 0.005)));
    let named = |a: &str, b: &str| {
        let pair = model.pairs().find(|p| {
            let names = [&model.bodies()[p.a.0].name, &model.bodies()[p.b.0].name];
            names.contains(&&a.to_string()) && names.contains(&&b.to_string())
        });
        pair.map(|pair| (pair, model.law(&pair)))
    };
    let (pair, law) = named("ring", "terrain").unwrap();
    assert_eq!((model.bodies()[pair.a.0].name.as_str(), law.alpha, law.places), ("ring", 0.2, Places::Closest));
    let Stiffness::Constants(c) = &law.law.stiffness else { panic!("not constants") };
    assert_eq!((c.k, c.n, c.k_t, c.k_theta, c.e_n), (1e5, 1.5, 5e3, 0.1, 1e-3));
    assert!(named("ring", "marble").is_none());
    assert!(matches!(named("marble", "vase").unwrap().1.law.friction, Friction::Exact { mu: 0.2 }));
    let (_, soft) = named("marble", "terrain").unwrap();
    assert!(matches!(soft.law.friction, Friction::Coulomb { mu: 0.9 }));
    // A layer on one body alone: all of the deformation, and all of its damper.
    assert_eq!(soft.law.damping.normal, 2.0);
    assert!(matches!(model.loads()[0].profile, Profile::Pulse { t0: 0.1, duration: 0.02 }));
    assert!(matches!(model.loads()[1].profile, Profile::Steady { t0: 0.0, t1: 0.5 }));
    assert!(matches!(model.loads()[2].profile, Profile::Wave { frequency: 5.0, t1: f64::INFINITY, .. }));
    assert!(matches!(model.loads()[3].profile, Profile::Ramp { t0: 0.0, t1: 1.0 }));
    assert_eq!(model.loads()[3].p_BoQ, Some(Point3::new(0.0, 0.0, 0.01)));
    assert!(built.warnings.is_empty(), "{:?}", built.warnings);
    model.start().unwrap();
}

/// The gap is asked of the closest points again: 1e-12 m is round-off of heights around 1 m, amplified by the search.
#[test]
fn bodies_are_put_on_the_terrain() {
    let built = built(include_str!("scenes/arena.toml"));
    let bodies = built.model.bodies();
    for (name, at, gap) in [("marble", [0.3, 0.2], 0.0), ("pill", [1.0, 1.0], 1e-3)] {
        let body = bodies.iter().find(|b| b.name == name).unwrap();
        assert_eq!([body.X_WB.translation.x, body.X_WB.translation.y], at);
        let X_AB = bodies[0].X_WB.inv_mul(&body.X_WB);
        let found = closest_points(&bodies[0].shape, &body.shape, &X_AB).unwrap().gap;
        assert!((found - gap).abs() < 1e-12, "{name}: {found}");
    }
    // The middle of the generated map is the world's origin: z = 0.05 sin(2x) cos(y) there.
    let terrain = &bodies[0];
    let foot = terrain.shape.closest_point(&(terrain.X_WB.inverse() * Point3::new(0.5, 0.3, 0.05))).unwrap();
    let p = terrain.X_WB * foot.p;
    let z = 0.05 * (2.0 * p.x).sin() * p.y.cos();
    // Cells of 0.1 m: the interpolation misses by h⁶ times the sixth derivative.
    assert!((p.z - z).abs() < 1e-6, "{p} {z}");
}

/// Volume, centre and second moments by counting cells inside, a second opinion on every closed form.
#[test]
fn inertia_of_solids_matches_a_sum_over_cells() {
    let shapes = [
        "{ type = \"sphere\", radius = 0.1 }",
        "{ type = \"ellipsoid\", semi_axes = [0.1, 0.08, 0.05] }",
        "{ type = \"cylinder\", radius = 0.1, half_length = 0.06, edge_radius = 0.03 }",
        "{ type = \"capsule\", radius = 0.05, half_length = 0.06 }",
        "{ type = \"torus\", major_radius = 0.08, minor_radius = 0.03 }",
        "{ type = \"box\", half_extents = [0.1, 0.08, 0.05], edge_radius = 0.02 }",
        "{ type = \"revolution\", profile = [[0, -0.05], [0.04, -0.02], [0.025, 0.02], [0.01, 0.05], [0, 0.055]] }",
        "{ type = \"revolution\", profile = [[0.06, 0], [0.09, 0.03], [0.12, 0], [0.09, -0.03], [0.06, 0]] }",
    ];
    for shape in shapes {
        let text =
            format!("[scene]\nname = \"s\"\nduration = 1\n[[body]]\nname = \"b\"\nshape = {shape}\ndensity = 1000\n");
        let built = built(&text);
        let body = &built.model.bodies()[0];
        let (mass, centre, inertia) = count(&body.shape, 1000.0);
        // 70 cells along: what is told of a cell on the boundary is wrong by a tenth of it, with either sign.
        assert!(near(body.mass, mass, 2e-3), "{shape}: {} {mass}", body.mass);
        assert!((body.p_BoBcm - centre).norm() < 1e-4, "{shape}: {} {centre}", body.p_BoBcm);
        assert!((body.I_BBcm_B - inertia).amax() < 4e-3 * inertia.amax(), "{shape}: {} {inertia}", body.I_BBcm_B);
    }
}

fn count(shape: &Shape, density: f64) -> (f64, Point3<f64>, Matrix3<f64>) {
    let bounds = shape.bounds();
    let extent = bounds.max - bounds.min;
    let cell = extent.max() / 70.0;
    let n = extent.map(|x| (x / cell).ceil() as usize + 2);
    let volume = cell.powi(3) * density;
    let (mut mass, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
    for k in 0..n.product() {
        let at = Vector3::new((k % n.x) as f64, (k / n.x % n.y) as f64, (k / n.x / n.y) as f64);
        let p = bounds.min + at.add_scalar(-0.7) * cell;
        let distance = shape.closest_point(&p).unwrap().distance;
        // The share of a cell that a plane at this distance cuts off, nearly.
        let share = (0.5 - distance / cell).clamp(0.0, 1.0);
        mass += volume * share;
        first += p.coords * (volume * share);
        second += p.coords * p.coords.transpose() * (volume * share);
    }
    let centre = first / mass;
    let about = second - centre * centre.transpose() * mass;
    (mass, Point3::from(centre), Matrix3::identity() * about.trace() - about)
}

/// A box as a mesh has the inertia of the box: m (b² + c²)/12, here with its corner at the origin.
#[test]
fn a_mesh_has_the_mass_of_what_it_encloses() {
    let folder = tempfile::tempdir().unwrap();
    let mut obj = String::new();
    for k in 0..8 {
        obj.push_str(&format!("v {} {} {}\n", 20 * (k & 1), 30 * (k >> 1 & 1), 40 * (k >> 2)));
    }
    for quad in [[1, 3, 4, 2], [5, 6, 8, 7], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 4, 8, 6]] {
        let [a, b, c, d] = quad;
        obj.push_str(&format!("f {a} {b} {c}\nf {a} {c} {d}\n"));
    }
    std::fs::write(folder.path().join("brick.obj"), obj).unwrap();
    let text = "[scene]\nname = \"m\"\nduration = 1\n[[body]]\nname = \"brick\"\nmass = 0.6\n\
                shape = { type = \"mesh\", mesh = \"brick.obj\", unit = \"mm\" }\n";
    let scene = Scene::parse(text, "m.toml", folder.path(), &[]).unwrap();
    let mut heard = Vec::new();
    let built = scene.build(&mut |what| heard.push(what.to_string())).unwrap_or_else(|e| panic!("{e}"));
    let brick = &built.model.bodies()[0];
    assert_eq!(heard, ["reading brick.obj"]);
    // Without its unit it is 40 m tall, and the ball beside it starts inside: the error says what to look at.
    let huge = text.replace(", unit = \"mm\"", "");
    let ball = "[[body]]\nname = \"ball\"\nmass = 1\nposition = [10, 10, 10]\n\
                shape = { type = \"sphere\", radius = 0.1 }\n\
                [[pair]]\nbodies = [\"brick\", \"ball\"]\nk = 1e5\nn = 1\nmu = 0.5\nk_t = 1e5\n";
    let scene = Scene::parse(&(huge + ball), "m.toml", folder.path(), &[]).unwrap();
    let said = scene.build(&mut |_| {}).unwrap_err().to_string();
    // The diagonal of 20 × 30 × 40 is 53.85.
    assert!(said.contains("m deep inside each other") && said.contains("the mesh of `brick`, 53.85"), "{said}");
    assert!(said.contains("its `unit`") && !said.contains("`start` of a joint"), "{said}");
    // Flat faces between creases: by its facets, unless something else is asked for.
    let surface = |text: &str| {
        let built = Scene::parse(text, "m.toml", folder.path(), &[]).unwrap().build(&mut |_| {}).unwrap();
        let Shape::Mesh(mesh) = &*built.model.bodies()[0].shape else { panic!("no mesh") };
        mesh.fidelity().surface
    };
    assert_eq!(surface(text), SurfaceChoice::Facets);
    for (name, choice) in SurfaceChoice::NAMES.into_iter().skip(1) {
        assert_eq!(surface(&text.replace("unit = ", &format!("surface = \"{name}\", unit = "))), choice);
    }
    assert!((brick.p_BoBcm - Point3::new(0.01, 0.015, 0.02)).norm() < 1e-15);
    let wanted = Vector3::new(0.03_f64.powi(2) + 0.04_f64.powi(2), 0.02_f64.powi(2) + 0.04_f64.powi(2), 0.0013) * 0.05;
    assert!((brick.I_BBcm_B - Matrix3::from_diagonal(&wanted)).amax() < 1e-12 * wanted.amax(), "{}", brick.I_BBcm_B);
}

/// What nobody says of friction is told.
#[test]
fn sliding_without_friction_is_told() {
    let text = include_str!("scenes/bounce.toml");
    let silent = text.replace("friction = { steel = 0.7, default = 0.9 }\n", "");
    assert!(built(&silent).warnings[0].contains("`rubber` and `steel` slide without friction"));
    let said = format!("{silent}\n[[pair]]\nmaterials = [\"steel\", \"rubber\"]\nfriction = \"none\"\n");
    assert!(built(&said).warnings.is_empty());
}

/// Three ways to write one rotation.
#[test]
fn orientations_have_several_spellings() {
    let q = |orientation: &str| {
        let text = format!(
            "[scene]\nname = \"o\"\nduration = 1\n[[body]]\nname = \"b\"\nmass = 1\n\
             shape = {{ type = \"sphere\", radius = 1 }}\norientation = {orientation}\n"
        );
        built(&text).model.bodies()[0].X_WB.rotation
    };
    let wanted = q("[1, 0, 0, 1]");
    for other in [
        "{ quaternion = [2, 0, 0, 2] }",
        "{ axis = [0, 0, 3], angle = \"90 deg\" }",
        "{ rotation_vector = [0, 0, \"90 deg\"] }",
        "{ rpy = [0, 0, 1.5707963267948966] }",
    ] {
        assert!(q(other).angle_to(&wanted) < 1e-15, "{other}");
    }
    // Roll first, then pitch, then yaw, about axes of the world, as URDF has it.
    let turned = q("{ rpy = [\"90 deg\", 0, \"90 deg\"] }") * Vector3::y();
    assert!((turned - Vector3::z()).norm() < 1e-15, "{turned}");
}

/// Maps in place and from a file stand where `origin` says.
#[test]
fn terrain_stands_where_its_origin_says() {
    let folder = tempfile::tempdir().unwrap();
    let asc = "ncols 3\nnrows 3\nxllcenter 1000\nyllcenter 2000\ncellsize 10\n1 2 3\n1 2 3\n1 2 3\n";
    std::fs::write(folder.path().join("hill.asc"), asc).unwrap();
    let height = |terrain: &str, x: f64, y: f64| {
        let text = format!(
            "[scene]\nname = \"t\"\nduration = 1\n[materials.m]\nyoung = 1e6\npoisson = 0.3\nfriction = 0.5\n\
             [terrain]\nmaterial = \"m\"\n{terrain}\n[[body]]\nname = \"b\"\nmaterial = \"m\"\nmass = 1\n\
             shape = {{ type = \"sphere\", radius = 0.01 }}\nposition = [0, 0, 50]\n"
        );
        let scene = Scene::parse(&text, "t.toml", folder.path(), &[]).unwrap();
        let built = scene.build(&mut |_| {}).unwrap_or_else(|e| panic!("{e}"));
        let body = &built.model.bodies()[0];
        assert_eq!(body.name, "terrain");
        let Shape::Elevation(map) = body.shape.as_ref() else { panic!("no map") };
        let p = body.X_WB.inverse() * Point3::new(x, y, 0.0);
        map.jet(p.x, p.y).unwrap().z + body.X_WB.translation.z
    };
    let close = |got: f64, wanted: f64| assert!((got - wanted).abs() < 1e-12, "{got} {wanted}");
    close(height("map = \"hill.asc\"", 10.0, 5.0), 2.0);
    close(height("map = \"hill.asc\"\norigin = \"center\"", 0.0, 0.0), 2.0);
    close(height("map = \"hill.asc\"\norigin = [1005, 2000]", 10.0, 5.0), 2.5);
    close(height("map = \"hill.asc\"\norigin = [1000, 2000, 2]", 10.0, 5.0), 0.0);
    close(height("z = [[0, 1, 2], [0, 1, 2], [0, 1, 2]]\ndx = 1\ndy = 1\nx0 = -1\ny0 = -1", 0.0, 0.0), 1.0);
}

/// Bodies on bodies of every kind: closed forms for balls, the gap again for the rest.
#[test]
fn bodies_are_put_on_each_other() {
    let scene = |below: &str, above: &str, place: &str| {
        format!(
            "[scene]\nname = \"p\"\nduration = 1\n[materials.m]\nyoung = 1e6\npoisson = 0.3\nfriction = 0.5\n\
             [[body]]\nname = \"below\"\nmaterial = \"m\"\nfixed = true\n{below}\n\
             [[body]]\nname = \"above\"\nmaterial = \"m\"\nmass = 1\nplace = {place}\n{above}\n"
        )
    };
    let ball = "shape = { type = \"sphere\", radius = 0.1 }";
    let z = |below: &str, above: &str, place: &str| {
        let built = built(&scene(below, above, place));
        let [a, b] = built.model.bodies() else { panic!("two bodies") };
        let gap = closest_points(&a.shape, &b.shape, &a.X_WB.inv_mul(&b.X_WB)).unwrap().gap;
        assert!(gap.abs() < 1e-12, "{below} {above}: {gap}");
        b.X_WB.translation.z
    };
    let on = "\"on below at (0.05, 0)\"";
    assert!((z("shape = \"half_space\"", ball, on) - 0.1).abs() < 1e-14);
    assert!((z("shape = \"half_space\"\nposition = [0, 0, -7]", ball, on) + 6.9).abs() < 1e-13);
    // A flat map: the way down is the gap, exactly. The answer was the middle of the way, 0.75 m for a ball of 0.5 m.
    let map = "shape = { type = \"elevation\", generated = { formula = \"0*x\", size = [40, 40], spacing = 1, center = [0, 0] } }";
    let large = "shape = { type = \"sphere\", radius = 0.5 }";
    assert!((z(map, large, "\"on below at (0.3, 0.2)\"") - 0.5).abs() < 1e-9);
    assert!((z(&format!("{map}\nposition = [0, 0, 1400]"), large, "\"on below at (0.3, 0.2)\"") - 1400.5).abs() < 1e-9);
    // Over a slope of 30°: r/cos 30° above the plane under the centre, which is at −x tan 30°.
    let slope = "shape = \"half_space\"\norientation = { axis = [0, 1, 0], angle = \"30 deg\" }";
    let up = 0.1 / 30_f64.to_radians().cos() - 0.05 * 30_f64.to_radians().tan();
    assert!((z(slope, ball, on) - up).abs() < 1e-13);
    // Beside the top of a ball: centres 0.3 apart, 0.05 sideways.
    let round = "shape = { type = \"sphere\", radius = 0.2 }\nposition = [0, 0, 3]";
    assert!((z(round, ball, on) - (3.0 + (0.09_f64 - 0.0025).sqrt())).abs() < 1e-13);
    // Far out on the ball, where it is steep: 0.29 of 0.3 sideways.
    assert!((z(round, ball, "\"on below at (0, 0.29)\"") - (3.0 + (0.09_f64 - 0.0841).sqrt())).abs() < 1e-12);
    let bowl = "shape = { type = \"graph\", terms = [[2, 0, 1.5], [0, 2, 0.5]] }";
    z(bowl, ball, on);
    z(bowl, "shape = { type = \"box\", half_extents = [0.1, 0.2, 0.05] }\norientation = { rpy = [0.3, 0.2, 0.1] }", on);
    z(bowl, "shape = { type = \"torus\", major_radius = 0.1, minor_radius = 0.02 }", on);
    z(
        "shape = { type = \"box\", half_extents = [0.1, 0.2, 0.05] }",
        "shape = { type = \"capsule\", radius = 0.02, half_length = 0.1 }",
        on,
    );
    let refused = |text: String| {
        let scene = Scene::parse(&text, "t.toml", Path::new("."), &[]).unwrap();
        scene.build(&mut |_| {}).unwrap_err().to_string()
    };
    let beside = refused(scene(round, ball, "\"on below at (5, 0)\""));
    assert!(beside.contains("cannot put the body on `below` at (5, 0)"), "{beside}");
    let itself = refused(scene(round, ball, "\"on above at (5, 0)\""));
    assert!(itself.contains("a body cannot be put on itself"), "{itself}");
}

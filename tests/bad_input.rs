//! Input that no one means and everyone brings: what comes of it is right or said, never a body that is somewhere else without
//! a word.

mod program;
#[allow(dead_code)] // its campaigns are those of other files
mod throws;

use fingerpad_files::scene::Scene;
use program::run;
use std::f64::consts::TAU;
use throws::{build, carry};

/// A scene of one body over a ground, and where the body is after a while (m); why it stopped.
fn dropped(ground: &str, shape: &str, at: &str, stepper: &str, time: f64) -> (f64, Option<String>) {
    let folder = tempfile::tempdir().unwrap();
    let built = build(&scene(ground, shape, at), folder.path());
    let body = built.model.bodies().iter().position(|body| body.name == "b").unwrap();
    let mut z = f64::NAN;
    let stopped = carry(&built, stepper, time, 0.01, |state| z = state.bodies[body].X_WBcm.translation.z);
    (z, stopped)
}

/// A scene of one body over a ground.
fn scene(ground: &str, shape: &str, at: &str) -> String {
    format!(
        "[scene]\nname = \"drop\"\nduration = 1\n[materials.m]\nyoung = 2e7\npoisson = 0.4\ndensity = 700\nfriction = 0.5\nhunt_crossley = 0.5\n{ground}\nmaterial = \"m\"\n[[body]]\nname = \"b\"\nshape = {shape}\nmaterial = \"m\"\n{at}\n"
    )
}

const BALL: &str = "{ type = \"sphere\", radius = 0.03 }";
const BOX: &str = "{ type = \"rounded_box\", half_extents = [0.05, 0.04, 0.03], edge_radius = 0.004 }";
const CYLINDER: &str = "{ type = \"cylinder\", radius = 0.03, half_length = 0.05, edge_radius = 0.002 }";
const PLANE: &str = "[[body]]\nname = \"ground\"\nshape = \"half_space\"\nfixed = true";

fn map(formula: &str, size: f64, spacing: f64) -> String {
    format!(
        "[terrain]\ngenerated = {{ formula = \"{formula}\", size = [{size}, {size}], spacing = {spacing}, center = [0, 0] }}\norigin = [0, 0]"
    )
}

/// A thousand kilometres a second: the run ends soon, above the ground or with its cause.
#[test]
fn a_million_metres_a_second_end_above_the_ground_or_with_a_cause() {
    for ground in [PLANE.to_string(), map("0*x", 4.0, 0.1)] {
        for shape in [BALL, BOX, CYLINDER] {
            for stepper in ["fast", "rigid"] {
                let at = "position = [0, 0, 0.5]\nvelocity = [0, 0, -1e6]";
                let (z, stopped) = dropped(&ground, shape, at, stepper, 0.01);
                assert!(stopped.is_some() || z > 0.0, "{shape} on {ground}, {stepper}: {z}");
            }
        }
    }
}

/// A map whose height falls by 0.4 m within two of its cells: what comes down beside the step stays above the lower ground, or
/// the run says that it could not follow. Named, not met: a box stops there, and a cylinder in fixed steps.
#[test]
fn nothing_falls_through_at_a_cliff() {
    let cliff = map("0.2*x/sqrt(x*x+0.000004)", 2.0, 0.01);
    let at = "position = [0.02, 0, 0.35]\nvelocity = [-0.3, 0, 0]\nangular_velocity = [1, 2, 0]";
    for shape in [BALL, BOX, CYLINDER] {
        for stepper in ["fast", "rigid"] {
            let (z, stopped) = dropped(&cliff, shape, at, stepper, 1.0);
            println!("{shape}, {stepper}: {z} m, {stopped:?}");
            assert!(stopped.is_some() || z > -0.2, "{shape}, {stepper}: {z}");
            assert!(shape != BALL || stopped.is_none(), "{stopped:?}");
        }
    }
}

/// A body inside another has no way out that could be meant: refused before the first step, with the names of both.
#[test]
fn nested_bodies_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (outer, inner) in [("{ type = \"sphere\", radius = 0.1 }", BALL), (BOX, BALL), (BOX, BOX)] {
        let text = format!(
            "[scene]\nname = \"nested\"\nduration = 1\n[materials.m]\nyoung = 2e7\npoisson = 0.4\ndensity = 700\nfriction = 0.5\n[[body]]\nname = \"outer\"\nshape = {outer}\nmaterial = \"m\"\n[[body]]\nname = \"inner\"\nshape = {inner}\nmaterial = \"m\"\n"
        );
        let built = Scene::parse(&text, "nested.toml", folder.path(), &[]).and_then(|scene| scene.build(&mut |_| {}));
        let error = built.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains("outer") && error.contains("inner"), "{error}");
    }
}

/// Numbers of vertices and facets as an OBJ file.
fn obj(vertices: &[[f64; 3]], facets: &[[usize; 3]]) -> String {
    let lines = vertices.iter().map(|[x, y, z]| format!("v {x:?} {y:?} {z:?}\n"));
    lines.chain(facets.iter().map(|[a, b, c]| format!("f {} {} {}\n", a + 1, b + 1, c + 1))).collect()
}

/// A box of 100 × 80 × 60 mm, each facet cut at a place of one of its edges into needles: 10 nm wide where `wide` is 1e-8.
fn needles(wide: f64) -> String {
    let mut vertices: Vec<[f64; 3]> = (0..8_usize)
        .map(|k| {
            let side = |i: usize, half: f64| if k >> i & 1 == 0 { -half } else { half };
            [side(0, 0.05), side(1, 0.04), side(2, 0.03)]
        })
        .collect();
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let mut facets = Vec::new();
    for (k, [a, b, c, d]) in sides.into_iter().enumerate() {
        for [a, b, c] in [[a, b, c], [a, c, d]] {
            // Beside the side from a to b, towards c.
            let (p, q, r) = (vertices[a], vertices[b], vertices[c]);
            let t = 0.2 + 0.05 * k as f64;
            vertices.push([0, 1, 2].map(|i| p[i] + t * (q[i] - p[i]) + wide * (r[i] - p[i])));
            let m = vertices.len() - 1;
            facets.extend([[a, b, m], [b, c, m], [c, a, m]]);
        }
    }
    obj(&vertices, &facets)
}

/// A box whose facets are needles lies on a plane, on a map and on another such box as a box does: its middle 30 mm above, to the
/// depth of the springs and the radius of its edges.
#[test]
fn a_box_of_needles_lies_as_a_box() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = "{ type = \"mesh\", mesh = \"needles.obj\" }";
    let under = format!("[[body]]\nname = \"ground\"\nshape = {mesh}\nfixed = true\nposition = [0, 0, -0.03]");
    for wide in [1e-3, 1e-8] {
        std::fs::write(folder.path().join("needles.obj"), needles(wide)).unwrap();
        for ground in [PLANE.to_string(), map("0*x", 2.0, 0.1), under.clone()] {
            for stepper in ["fast", "rigid"] {
                let text = scene(&ground, mesh, "position = [0.003, 0.002, 0.0305]");
                let built = build(&text, folder.path());
                let body = built.model.bodies().iter().position(|body| body.name == "b").unwrap();
                let mut z = f64::NAN;
                let stopped = carry(&built, stepper, 0.5, 0.01, |state| z = state.bodies[body].X_WBcm.translation.z);
                assert!(
                    stopped.is_none() && (z - 0.03).abs() < 3e-4,
                    "{wide} on {ground}, {stepper}: {z}, {stopped:?}"
                );
            }
        }
    }
}

/// A turned body with n sides from the bottom of its axis to the top: one vertex at each end of the axis.
fn turned(profile: &[[f64; 2]], n: usize) -> (Vec<[f64; 3]>, Vec<[usize; 3]>) {
    let (first, last) = (profile[0], profile[profile.len() - 1]);
    let rings = &profile[1..profile.len() - 1];
    let mut vertices = vec![[0.0, 0.0, first[1]]];
    for [r, z] in rings {
        vertices.extend((0..n).map(|k| {
            let (s, c) = (TAU * k as f64 / n as f64).sin_cos();
            [r * c, r * s, *z]
        }));
    }
    vertices.push([0.0, 0.0, last[1]]);
    let (top, at) = (vertices.len() - 1, |ring: usize, k: usize| 1 + ring * n + k % n);
    let mut facets = Vec::new();
    for k in 0..n {
        facets.push([0, at(0, k + 1), at(0, k)]);
        for ring in 1..rings.len() {
            let [a, b, c, d] = [at(ring - 1, k), at(ring - 1, k + 1), at(ring, k + 1), at(ring, k)];
            facets.extend([[a, b, c], [a, c, d]]);
        }
        facets.push([at(rings.len() - 1, k), at(rings.len() - 1, k + 1), top]);
    }
    (vertices, facets)
}

/// A tin whose rims are bands of slivers, 10 µm to 1 nm wide and 4 mm long, with facets without area beside them, stands on a plane,
/// on a map and on another such tin as a cylinder does.
#[test]
fn a_tin_with_rims_of_slivers_stands_as_a_cylinder() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = "{ type = \"mesh\", mesh = \"slivers.obj\" }";
    let under = format!("[[body]]\nname = \"ground\"\nshape = {mesh}\nfixed = true\nposition = [0, 0, -0.04]");
    for wide in [1e-5, 1e-9] {
        let (r, h) = (0.03, 0.04);
        let [side, cap] = [h - wide, r - wide];
        let profile = [[0.0, -h], [cap, -h], [r, -h], [r, -side], [r, side], [r, h], [cap, h], [0.0, h]];
        let (vertices, mut facets) = turned(&profile, 48);
        // Without area: the same vertex twice.
        facets.extend((1..40).map(|k| [k, k + 1, k]));
        std::fs::write(folder.path().join("slivers.obj"), obj(&vertices, &facets)).unwrap();
        for ground in [PLANE.to_string(), map("0*x", 2.0, 0.1), under.clone()] {
            for stepper in ["fast", "rigid"] {
                let built = build(&scene(&ground, mesh, "position = [0.003, 0.002, 0.0405]"), folder.path());
                let body = built.model.bodies().iter().position(|body| body.name == "b").unwrap();
                let mut z = f64::NAN;
                let stopped = carry(&built, stepper, 0.5, 0.01, |state| z = state.bodies[body].X_WBcm.translation.z);
                assert!(stopped.is_none() && (z - h).abs() < 3e-4, "{wide} on {ground}, {stepper}: {z}, {stopped:?}");
            }
        }
    }
}

/// A million facets: an egg of them stands on its pole on a plane and on a map. On another such egg more facets are near than one search
/// may look at: it stands or the scene is refused with this cause, at once.
#[test]
fn a_million_facets_are_held_and_hold() {
    let folder = tempfile::tempdir().unwrap();
    let (n, [r, h]) = (708_usize, [0.05, 0.04]);
    let profile: Vec<[f64; 2]> = (0..=n)
        .map(|k| {
            let (sin, cos) = (0.5 * TAU * k as f64 / n as f64).sin_cos();
            [r * sin, -h * cos]
        })
        .collect();
    let (vertices, facets) = turned(&profile, n);
    assert!(facets.len() > 1_000_000);
    std::fs::write(folder.path().join("egg.obj"), obj(&vertices, &facets)).unwrap();
    let mesh = "{ type = \"mesh\", mesh = \"egg.obj\" }";
    let under = format!("[[body]]\nname = \"ground\"\nshape = {mesh}\nfixed = true\nposition = [0, 0, -0.04]");
    for ground in [PLANE.to_string(), map("0*x", 2.0, 0.1), under] {
        let text = scene(&ground, mesh, &format!("position = [0, 0, {}]", h + 1e-4));
        let built = Scene::parse(&text, "egg.toml", folder.path(), &[]).and_then(|scene| scene.build(&mut |_| {}));
        let built = match built {
            Ok(built) => built,
            Err(error) => {
                assert!(ground.contains("egg.obj") && error.to_string().contains("not resolved"), "{error}");
                continue;
            }
        };
        let body = built.model.bodies().iter().position(|body| body.name == "b").unwrap();
        for stepper in ["fast", "rigid"] {
            let mut z = f64::NAN;
            let stopped = carry(&built, stepper, 0.1, 0.01, |state| z = state.bodies[body].X_WBcm.translation.z);
            assert!(stopped.is_none() && (z - h).abs() < 3e-4, "{ground}, {stepper}: {z}, {stopped:?}");
        }
    }
}

/// A mesh without thickness is refused before the first step, by its name.
#[test]
fn a_sheet_without_thickness_is_refused_in_a_scene() {
    let folder = tempfile::tempdir().unwrap();
    let corners = [[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.1, 0.1, 0.0], [0.0, 0.1, 0.0]];
    let sheet = obj(&corners, &[[0, 1, 2], [0, 2, 3], [0, 2, 1], [0, 3, 2]]);
    std::fs::write(folder.path().join("sheet.obj"), sheet).unwrap();
    let text = scene(PLANE, "{ type = \"mesh\", mesh = \"sheet.obj\" }", "mass = 1\nposition = [0, 0, 0.1]");
    let file = folder.path().join("scene.toml");
    std::fs::write(&file, text).unwrap();
    let out = folder.path().join("out");
    let (code, _, said) = run(&["run", file.to_str().unwrap(), "--out", out.to_str().unwrap()], "");
    assert!(code == 2 && said.contains("sheet.obj"), "{code}: {said}");
}

/// A ball and a box larger than the map that they fall on: held, or told, in fixed steps and with rigid contacts.
#[test]
fn bodies_larger_than_the_map_are_held_or_told() {
    let folder = tempfile::tempdir().unwrap();
    let large = [
        ("{ type = \"sphere\", radius = 0.8 }", 0.8),
        ("{ type = \"rounded_box\", half_extents = [2, 2, 0.5], edge_radius = 0.05 }", 0.5),
    ];
    for (shape, half) in large {
        for formulation in ["compliant", "complementarity"] {
            let at = format!("position = [0.1, 0, {}]", half + 0.05);
            let text = scene(&map("0*x", 1.0, 0.1), shape, &at);
            let text = text.replace("duration = 1", "duration = 1\n[solver]\nstepper = \"fast\"");
            let file = folder.path().join("scene.toml");
            std::fs::write(&file, text).unwrap();
            let out = folder.path().join(format!("{formulation}{half}"));
            let words = ["run", file.to_str().unwrap(), "--out", out.to_str().unwrap(), "--json"];
            let formulated = [&words[..], &["--formulation", formulation]].concat();
            let (code, summary, said) = run(&formulated, "");
            let told = code != 0 || said.contains("`b`");
            let z = if code == 0 { last_height(&out) } else { f64::NAN };
            println!("{shape}, {formulation}: exit {code}, {z} m, {said}");
            assert!(told || (z - half).abs() < 0.05, "{shape}, {formulation}: {z} m, {summary} {said}");
        }
    }
}

/// Height of the body `b` in the last row of a run (m).
fn last_height(out: &std::path::Path) -> f64 {
    let text = std::fs::read_to_string(out.join("bodies.csv")).unwrap();
    let mut rows = text.lines().filter(|line| !line.starts_with('#'));
    let names: Vec<&str> = rows.next().unwrap().split(',').collect();
    let column = |name: &str| names.iter().position(|x| *x == name).unwrap();
    let (body, z) = (column("body [-]"), column("z [m]"));
    let mut last = f64::NAN;
    for row in rows {
        let cells: Vec<&str> = row.split(',').collect();
        if cells[body] == "b" {
            last = cells[z].parse().unwrap();
        }
    }
    last
}

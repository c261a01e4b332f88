//! Bodies that touch along a curve, run from outside: depths, tilts and spins by closed form, in fixed steps and as rigid bodies.

mod program;

use program::run;

/// A layer of 5e8 N/m³, or rubber, on `part`; what it lies on is hard.
fn scene(material: &str, ground: &str, part: &str, checks: &[(&str, &str)]) -> String {
    let mut text = format!(
        r#"
[scene]
name = "strand"
duration = "0.6 s"
[record]
period = "5 ms"
[materials.hard]
friction = 0.5
[materials.pad]
{material}
friction = 0.5
[[body]]
name = "ground"
material = "hard"
fixed = true
{ground}
[[body]]
name = "part"
material = "pad"
mass = 0.2
{part}
"#
    );
    for (steppers, expression) in checks {
        text += &format!("[[check]]\nexpression = \"{expression}\"\nsteppers = [{steppers}]\n");
    }
    text
}

const LAYER: &str = "layer = { modulus = 1e6, depth = 2e-3 }\nhunt_crossley = 20";
const RUBBER: &str = "young = 2e6\npoisson = 0.45\nhunt_crossley = 10";
const SOFT: &str = "\"accurate\", \"fast\"";
const RIGID: &str = "\"rigid\"";

/// Runs a scene by fixed steps of 0.5 ms and with rigid contacts; its checks must hold.
fn holds(name: &str, text: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scene.toml");
    std::fs::write(&file, text).unwrap();
    let out = folder.path().join("out");
    let plain = ["run", file.to_str().unwrap(), "--out", out.to_str().unwrap(), "--set", "solver.step=0.0005"];
    for more in [&["--set", "solver.stepper=fast"][..], &["--formulation", "complementarity"]] {
        let (code, out, err) = run(&[&plain[..], more].concat(), "");
        assert_eq!(code, 0, "{name} {more:?}: {out} {err}");
    }
}

const LYING: &str = "orientation = { axis = [0, 1, 0], angle = 1.5707963267948966 }";

/// Rings: dropped with a tilt of 3° and level at the depth of a ring, on a layer; on rubber δ = (2p/πE*)(ln(16R/b) + ½).
#[test]
fn rings_lie_flat() {
    let torus = "shape = { type = \"torus\", major_radius = 0.03, minor_radius = 0.006 }";
    let tilted = format!("{torus}\nposition = [0, 0, 0.0076]\norientation = {{ axis = [0, 1, 0], angle = 0.0523 }}");
    // (0.2/0.25)^⅔ of 31.662 µm.
    let checks = [(SOFT, "last(part.z) == 0.00597271 +- 5e-7"), (RIGID, "last(part.z) == 0.006 +- 2e-6")];
    holds("tilted ring", &scene(LAYER, "shape = \"half-space\"", &tilted, &checks));
    let flat = format!("{torus}\nposition = [0, 0, 0.006]");
    let checks = [(SOFT, "last(part.z) == 0.00597781 +- 4e-7"), (RIGID, "last(part.z) == 0.006 +- 1e-9")];
    holds("rubber ring", &scene(RUBBER, "shape = \"half-space\"", &flat, &checks));
}

/// A cylinder on its side spins down by μPL/4: 20 rad/s less 0.05 s of 151 rad/s² are 12.4 rad/s.
#[test]
fn lines_resist_turning_by_a_quarter_of_their_length() {
    let part = format!(
        "shape = {{ type = \"cylinder\", radius = 0.02, half_length = 0.04, edge_radius = 0.001 }}\nposition = [0, 0, 0.019967]\n{LYING}\nangular_velocity = [0, 0, 20]\ninertia = [1.2667e-4, 1.2667e-4, 4e-5]"
    );
    let checks = [
        (SOFT, "at(part.wz, 0.05) == 12.45 +- 0.4"),
        (RIGID, "at(part.wz, 0.05) == 12.45 +- 0.4"),
        (SOFT, "last(part.z) == 0.0199672 +- 1e-6"),
    ];
    holds("spinning line", &scene(LAYER, "shape = \"half-space\"", &part, &checks));
}

/// Tubes along tubes, a cylinder that is longer than the box it lies on, a ball on a ring.
#[test]
fn curves_lie_along_bodies() {
    let part = format!(
        "shape = {{ type = \"capsule\", radius = 0.02, half_length = 0.04 }}\nposition = [0, 0, 0.035]\n{LYING}\nmoves = [\"z\"]"
    );
    let ground =
        format!("shape = {{ type = \"cylinder\", radius = 0.015, half_length = 0.08, edge_radius = 0.001 }}\n{LYING}");
    let checks = [(SOFT, "last(part.z) == 0.0349576 +- 4e-7"), (RIGID, "last(part.z) == 0.035 +- 2e-6")];
    holds("tubes", &scene(LAYER, &ground, &part, &checks));

    let part = format!(
        "shape = {{ type = \"cylinder\", radius = 0.02, half_length = 0.07, edge_radius = 0.001 }}\nposition = [0, 0, 0.02]\n{LYING}"
    );
    let ground =
        "shape = { type = \"box\", half_extents = [0.05, 0.05, 0.02], edge_radius = 0.001 }\nposition = [0, 0, -0.02]";
    let checks = [(SOFT, "last(part.z) == 0.0199718 +- 4e-7"), (RIGID, "last(part.z) == 0.02 +- 2e-6")];
    holds("overhanging cylinder", &scene(LAYER, ground, &part, &checks));

    let part = "shape = { type = \"sphere\", radius = 0.025 }\nposition = [0, 0, 0.0223606797]";
    let ground = "shape = { type = \"torus\", major_radius = 0.02, minor_radius = 0.005 }";
    let checks = [(SOFT, "last(part.z) == 0.0222862 +- 1.5e-6"), (RIGID, "last(part.z) == 0.02236068 +- 2e-6")];
    holds("ball on ring", &scene(LAYER, ground, part, &checks));
}

/// Every station of a line has its own damper, p (1 + c δ′): a capsule that pitches is a damped oscillator,
///
/// ```text
/// I θ″ + c S θ′ + k θ = 0,   S = ∫ p′ s² ds = 1.081685e-3 N·m²,   k = ∫ (dp′/dδ) s² ds = 51.55701 N·m/rad
/// ```
///
/// integrals over the straight part and both caps at the depth of 31.98873 µm at which it rests.
#[test]
fn rocking_is_damped_at_every_station() {
    let text = scene(
        LAYER,
        "shape = \"half-space\"",
        &format!(
            "shape = {{ type = \"capsule\", radius = 0.02, half_length = 0.04 }}\nposition = [0, 0, 0.019968011]\n{LYING}\ninertia = [1e-4, 1e-4, 4e-5]\nangular_velocity = [0, 0.02, 0]"
        ),
        &[],
    );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scene.toml");
    std::fs::write(&file, text.replace("friction = 0.5", "friction = 0").replace("5 ms", "1 ms")).unwrap();
    let out = folder.path().join("out");
    let plain = [
        "run",
        file.to_str().unwrap(),
        "--out",
        out.to_str().unwrap(),
        "--duration",
        "0.02",
        "--set",
        "solver.step=1e-4",
    ];
    let (I, gamma) = (1e-4, 20.0 * 1.081_685e-3 / 2e-4);
    let omega = (51.557_01_f64 / I - gamma * gamma).sqrt();
    for stepper in ["accurate", "fast"] {
        let (code, _, err) = run(&[&plain[..], &["--set", &format!("solver.stepper={stepper}")]].concat(), "");
        assert_eq!(code, 0, "{err}");
        let rows = std::fs::read_to_string(out.join("bodies.csv")).unwrap();
        let mut worst = 0.0_f64;
        let rows: Vec<Vec<&str>> =
            rows.lines().map(|row| row.split(',').collect()).filter(|row: &Vec<&str>| row[1] == "part").collect();
        assert_eq!(rows.len(), 21);
        for row in rows {
            let (t, w): (f64, f64) = (row[0].parse().unwrap(), row[13].parse().unwrap());
            let (sin, cos) = (omega * t).sin_cos();
            let expected = 0.02 * (-gamma * t).exp() * (cos - gamma / omega * sin);
            worst = worst.max((w - expected).abs() / 0.02);
        }
        println!("{stepper}: off by {worst:.1e} of the first rate");
        // The pitch reaches 9 % of what lifts an end.
        assert!(worst < 5e-3, "{stepper}: {worst}");
    }
}

/// A torus let go on an incline beyond its friction, at the depth of rest: the springs along the ring, k_t = (G/h) 2πR 2b, hold
/// less than friction until they are stretched by x_l = μN/k_t, and the slide begins with v_l² = x_l (2 g_x − μ g_z):
///
/// ```text
/// x = x_l + v_l (t − t_l) + ½ (g_x − μ g_z)(t − t_l)²,   t_l = √(m/k_t) acos(1 − μ g_z/g_x)
/// ```
///
/// Coulomb friction alone, as rigid contacts have it: ½ (g_x − μ g_z) t².
#[test]
fn a_slide_begins_when_the_springs_are_stretched() {
    let (mu, m, kappa, t) = (0.5_f64, 0.2_f64, 5e8_f64, 0.5_f64);
    let (gx, gz) = (4.793_199_049_f64, 8.559_284_016_f64);
    for (R, r) in [(0.03_f64, 0.006_f64), (0.05, 0.01), (0.015, 0.004)] {
        let whole = std::f64::consts::TAU * R;
        let depth = (m * gz / (whole * 4.0 / 3.0 * kappa * (2.0 * r).sqrt())).powf(2.0 / 3.0);
        let k_t = kappa / 3.0 * whole * 2.0 * (2.0 * r * depth).sqrt();
        let (far, slope) = (mu * m * gz / k_t, gx - mu * gz);
        let begun = (m / k_t).sqrt() * (1.0 - mu * gz / gx).acos();
        let (speed, rest) = ((far * (2.0 * gx - mu * gz)).sqrt(), t - begun);
        let sprung = far + speed * rest + 0.5 * slope * rest * rest;
        let rigid = 0.5 * slope * t * t;
        let part = format!(
            "shape = {{ type = \"torus\", major_radius = {R}, minor_radius = {r} }}\nposition = [0, 0, {:.12}]",
            r - depth
        );
        let checks = [
            (SOFT, format!("last(part.x) == {sprung} +- {}", 3e-3 * sprung)),
            (RIGID, format!("last(part.x) == {rigid} +- {}", 5e-3 * rigid)),
        ];
        let checks = checks.each_ref().map(|(steppers, text)| (*steppers, text.as_str()));
        let text = scene(LAYER, "shape = \"half-space\"", &part, &checks)
            .replace("duration = \"0.6 s\"", &format!("duration = {t}\ngravity = [{gx}, 0, {}]", -gz));
        holds("slide from rest", &text);
    }
}

/// What spins on its ring, its line or its face slows down evenly by μPR, μPL/4, 2μPR/3: half of the spin is left after half of the
/// time that I ω takes, to 1 %: springs along the patch are stretched first.
#[test]
fn spins_end_as_closed_forms_say() {
    let (mu, m, g, kappa, spin) = (0.5_f64, 0.2_f64, 9.81_f64, 5e8_f64, 20.0_f64);
    let layer = |area: f64| m * g / (kappa * area);
    let line = |length: f64, r: f64| (m * g / (length * 4.0 / 3.0 * kappa * (2.0 * r).sqrt())).powf(2.0 / 3.0);
    let (ring, rod, disc) = (0.03_f64, 0.08_f64, 0.03_f64);
    let shapes = [
        (
            "ring",
            format!(
                "shape = {{ type = \"torus\", major_radius = {ring}, minor_radius = 0.006 }}\nposition = [0, 0, {:.12}]\ninertia = [9e-5, 9e-5, 1.8e-4]",
                0.006 - line(std::f64::consts::TAU * ring, 0.006)
            ),
            1.8e-4,
            ring,
        ),
        (
            "line",
            format!(
                "shape = {{ type = \"cylinder\", radius = 0.02, half_length = {}, edge_radius = 1e-6 }}\nposition = [0, 0, {:.12}]\n{LYING}\ninertia = [1e-4, 1e-4, 4e-5]",
                0.5 * rod,
                0.02 - line(rod, 0.02)
            ),
            1e-4,
            0.25 * rod,
        ),
        (
            "disc",
            format!(
                "shape = {{ type = \"cylinder\", radius = {disc}, half_length = 0.005, edge_radius = 1e-5 }}\nposition = [0, 0, {:.12}]\ninertia = [4.5e-5, 4.5e-5, 9e-5]",
                0.005 - layer(std::f64::consts::PI * disc * disc)
            ),
            9e-5,
            2.0 / 3.0 * disc,
        ),
    ];
    for (name, part, inertia, lever) in shapes {
        let half = 0.5 * inertia * spin / (mu * m * g * lever);
        let part = format!("{part}\nangular_velocity = [0, 0, {spin}]");
        let check = format!("last(part.wz) == {} +- {}", 0.5 * spin, 0.005 * spin);
        let text = scene(LAYER, "shape = \"half-space\"", &part, &[("\"fast\", \"rigid\"", &check)])
            .replace("duration = \"0.6 s\"", &format!("duration = {half}"));
        holds(name, &text);
    }
}

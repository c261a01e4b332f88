//! Defects that scenes out of chance found (`examples/fuzz_scenes.rs`), each in an ordinary scene of its own, in every stepper.

mod program;

use program::run;
use serde_json::Value;

const STEPPERS: [(&str, &[&str]); 3] = [
    ("accurate", &["--set", "solver.stepper=accurate"]),
    ("fast", &["--set", "solver.stepper=fast"]),
    ("rigid", &["--formulation", "complementarity"]),
];

/// Place and velocity of a body at the end of a run that must be good.
fn good(scene: &str, options: &[&str], body: &str) -> [[f64; 3]; 2] {
    let folder = tempfile::tempdir().unwrap();
    let [file, out] = ["scene.toml", "out"].map(|name| folder.path().join(name).to_str().unwrap().to_string());
    std::fs::write(&file, scene).unwrap();
    let (code, text, err) = run(&[&["run", &file, "--out", &out, "--json"], options].concat(), "");
    assert_eq!(code, 0, "{options:?}: {err}");
    let got: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(got["quality"]["verdict"], "good", "{options:?}: {err}");
    ["pos", "vel_world"].map(|key| [0, 1, 2].map(|i| got["bodies"][body][key][i].as_f64().unwrap()))
}

/// A table that shakes under two balls without friction leaves them where they are. A plane that moves had no room around it:
/// rigid contacts refused the first step, and the accurate stepper made no way, wherever it carried more than one body.
#[test]
fn a_table_that_moves_carries_several_bodies() {
    let mut scene = "[scene]\nname = \"table\"\nduration = 0.2\n[solver]\nstep = 0.001\ntolerance = 1e-9\n\
         [[body]]\nname = \"table\"\nshape = \"half_space\"\n\
         motion = { type = \"shaker\", amplitude = [0.01, 0, 0], frequency = 5 }\n"
        .to_string();
    for (name, x) in [("a", -0.2), ("b", 0.3)] {
        scene += &format!(
            "[[body]]\nname = \"{name}\"\nshape = {{ type = \"sphere\", radius = 0.05 }}\nmass = 1\nposition = [{x}, 0, 0.05]\n\
             [[pair]]\nbodies = [\"table\", \"{name}\"]\nk = 1e6\nn = 1\nb_kv = 2000\nfriction = \"none\"\n"
        );
    }
    scene += "[[ignore]]\nbodies = [\"a\", \"b\"]\n";
    for (stepper, options) in STEPPERS {
        // Sunk by m g/k at most.
        for (name, x) in [("a", -0.2), ("b", 0.3)] {
            let [p, v] = good(&scene, options, name);
            assert!((p[0] - x).abs() < 1e-12 && (p[2] - 0.05).abs() < 1.1e-5, "{stepper}: {p:?}");
            assert!(v.iter().all(|v| v.abs() < 1e-6), "{stepper}: {v:?}");
        }
    }
}

/// A body that slides and turns in a plane and is held at a point of it is a pendulum. The third row of such a loop is
/// rounding: scaled to the size of the others, it moved the body by centimetres, and the run called itself good.
#[test]
fn a_loop_across_a_plane_holds_its_point() {
    // 1 kg and 0.01 kg m², 10 mm from the pin.
    let scene = "[scene]\nname = \"pin\"\nduration = 0.4\n[solver]\nstep = 0.001\n\
         [[body]]\nname = \"b\"\nshape = { type = \"sphere\", radius = 0.02 }\nmass = 1\ninertia = [0.01, 0.01, 0.01]\n\
         position = [0.1, -0.02, 0.6]\norientation = [0.7071067811865476, 0.12348196170639399, 0.6962414847832185, 0]\n\
         [[joint]]\nname = \"plane\"\ntype = \"planar\"\nparent = \"world\"\nchild = \"b\"\nposition = [0, 0, 0.6]\naxis = [1, 0, 0]\n\
         [[loop]]\ntype = \"connect\"\nbodies = [\"b\", \"world\"]\nposition = [0.2, -0.03, 0.6]\n";
    // θ″ = −(m g d/I) cos θ from rest, by Runge and Kutta's rule.
    let (mut angle, mut rate, h) = (0.0_f64, 0.0_f64, 1e-4);
    for _ in 0..4000 {
        let bend = |angle: f64| -9.81 * 0.01 / (0.01 + 1e-4) * angle.cos();
        let k1 = [rate, bend(angle)];
        let k2 = [rate + 0.5 * h * k1[1], bend(angle + 0.5 * h * k1[0])];
        let k3 = [rate + 0.5 * h * k2[1], bend(angle + 0.5 * h * k2[0])];
        let k4 = [rate + h * k3[1], bend(angle + h * k3[0])];
        angle += h / 6.0 * (k1[0] + 2.0 * k2[0] + 2.0 * k3[0] + k4[0]);
        rate += h / 6.0 * (k1[1] + 2.0 * k2[1] + 2.0 * k3[1] + k4[1]);
    }
    let expected = [0.1, -0.03 + 0.01 * angle.cos(), 0.6 + 0.01 * angle.sin()];
    for ((stepper, options), most) in STEPPERS.into_iter().zip([1e-9, 1e-5, 1e-5]) {
        let [p, _] = good(scene, options, "b");
        let off = (0..3).map(|i| (p[i] - expected[i]).abs()).fold(0.0, f64::max);
        assert!(off < most, "{stepper}: {off:e} m from {expected:?}");
    }
}

/// A body that a fixed joint holds may be part of a loop that says so again: a tree of no coordinates, which was a panic.
#[test]
fn a_loop_on_a_body_that_cannot_move_is_no_panic() {
    let scene = "[scene]\nname = \"held\"\nduration = 0.05\n\
         [[body]]\nname = \"b\"\nshape = { type = \"sphere\", radius = 0.02 }\nmass = 1\nposition = [0.1, 0, 0.6]\n\
         [[joint]]\nname = \"j\"\ntype = \"fixed\"\nparent = \"world\"\nchild = \"b\"\n\
         [[loop]]\ntype = \"connect\"\nbodies = [\"b\", \"world\"]\nposition = [0.2, 0, 0.6]\n";
    let scene = format!(
        "{scene}[[body]]\nname = \"falls\"\nshape = {{ type = \"sphere\", radius = 0.02 }}\nmass = 1\n\
         [[ignore]]\nbodies = [\"b\", \"falls\"]\n"
    );
    for (stepper, options) in STEPPERS {
        let [p, v] = good(&scene, options, "falls");
        // Half a step of fall is what a rigid step may be off.
        assert!((v[2] + 0.4905).abs() < 1e-9 && (p[2] + 0.01226).abs() < 3e-4, "{stepper}: {p:?} {v:?}");
    }
}

/// A thrown box of which corners let go while it slides: friction jumps within the shortest implicit step, which changed its
/// velocity by more than ten times 1e-12 and ended the run. It goes on, says how many steps are above the tolerance, and comes
/// to where fixed steps come, to 1e-3 of its width.
#[test]
fn a_thrown_box_at_the_finest_tolerance_goes_on() {
    let scene = "[scene]\nname = \"toss\"\nduration = 0.413\n\
         [materials.acrylic]\nyoung = 1e7\npoisson = 0.35\nfriction = 0.18\nhunt_crossley = 5\n\
         [[body]]\nname = \"table\"\nshape = \"half_space\"\nfixed = true\nmaterial = \"acrylic\"\n\
         [[body]]\nname = \"cube\"\nmaterial = \"acrylic\"\nmass = 0.37\ninertia = [0.00081, 0.00081, 0.00081]\n\
         shape = { type = \"rounded_box\", half_extents = [0.0524, 0.0524, 0.0524], edge_radius = 0.0005 }\n\
         center_of_mass = [0, 0, 0]\nposition = [0.209874111, 0.195842567, 0.125733504]\n\
         orientation = [0.431994844, 0.230275872, 0.871298657, -0.034527201]\n\
         velocity = [-1.047517988, -0.849450358, -0.059011065]\n\
         angular_velocity = [4.273355381, -2.965758214, 0.038088919]\n";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scene.toml").to_str().unwrap().to_string();
    let out = folder.path().join("out").to_str().unwrap().to_string();
    std::fs::write(&file, scene).unwrap();
    let place = |options: &[&str]| {
        let (code, text, err) = run(&[&["run", &file, "--out", &out, "--json"], options].concat(), "");
        assert_eq!(code, 0, "{options:?}: {err}");
        let got: Value = serde_json::from_str(&text).unwrap();
        [0, 1, 2].map(|i| got["bodies"]["cube"]["pos"][i].as_f64().unwrap())
    };
    let finest = place(&["--set", "solver.tolerance=1e-12"]);
    let fixed = place(&["--set", "solver.stepper=fast", "--set", "solver.step=5e-5"]);
    let apart = (0..3).map(|i| (finest[i] - fixed[i]).powi(2)).sum::<f64>().sqrt();
    assert!(apart < 1e-3 * 0.1048, "{apart:e} m: {finest:?}, {fixed:?}");
}

//! Hands of others with their actuators and drives: they stand still, follow keyframes, and no contact between links is missed.
//! Skipped, and counted, where the files are absent.

#[path = "../../contact/tests/common/skipped.rs"]
mod skipped;

use fingerpad_contact::surface::{Shape, Surface};
use fingerpad_files::scene::{Built, Scene};
use fingerpad_sim::{ContactMode, FixedStep, JointId, Model, Rigid, State, Stepper, Switching};
use nalgebra::{Isometry3, Point3};
use std::fs;
use std::path::Path;

const HEAD: &str = r#"
[scene]
name = "hand"
duration = 1
[materials.plastic]
young = "2 GPa"
poisson = 0.4
friction = 0.5
hunt_crossley = 5
"#;

fn built(text: &str, folder: &Path) -> Built {
    let scene =
        Scene::parse(&format!("{HEAD}{text}"), "hand.toml", folder, &[]).and_then(|scene| scene.build(&mut |_| {}));
    scene.unwrap_or_else(|e| panic!("{e}"))
}

/// A stepper whose kind is chosen while the test runs, at these times.
fn states(stepper: &str, model: &Model, times: &[f64]) -> Vec<State> {
    fn run<S: Stepper>(stepper: &S, model: &Model, times: &[f64]) -> Vec<State> {
        let mut state = model.start().unwrap();
        let mut work = stepper.workspace(model, &state).unwrap();
        let mut to = |t: &f64| {
            stepper.advance(model, &mut state, &mut work, *t).unwrap_or_else(|e| panic!("{t}: {e}"));
            state.clone()
        };
        times.iter().map(&mut to).collect()
    }
    match stepper {
        "accurate" => run(&Switching::default(), model, times),
        "fast" => run(&FixedStep { step: 1e-3, ..FixedStep::default() }, model, times),
        _ => run(&Rigid::with_step(1e-3), model, times),
    }
}

fn q(model: &Model, state: &State, joint: &str) -> f64 {
    let id = model.joints().iter().position(|known| known.name == joint).unwrap_or_else(|| panic!("no joint {joint}"));
    model.joint_state(state, JointId(id)).0[0]
}

/// Feet of a lattice on the box around a shape, 2 mm apart: they cover a convex surface.
fn samples(shape: &Shape) -> Vec<Point3<f64>> {
    let bounds = shape.bounds();
    let (low, size) = (bounds.min, bounds.max - bounds.min);
    let mut points = Vec::new();
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let count = |k: usize| (size[k] / 2e-3).ceil().max(1.0) as usize;
        let (n, m) = (count(u), count(v));
        for (i, j, side) in (0..=n).flat_map(|i| (0..=m).flat_map(move |j| [(i, j, 0.0), (i, j, 1.0)])) {
            let mut p = low;
            p[u] += size[u] * i as f64 / n as f64;
            p[v] += size[v] * j as f64 / m as f64;
            p[axis] += size[axis] * side;
            points.extend(shape.closest_point(&p).ok().map(|foot| foot.p));
        }
    }
    points
}

/// How deep samples of B lie in A (m).
fn deepest(a: &Shape, of_b: &[Point3<f64>], X_AB: &Isometry3<f64>) -> f64 {
    let bounds = a.bounds();
    let inside = |p: &Point3<f64>| (0..3).all(|k| p[k] > bounds.min[k] && p[k] < bounds.max[k]);
    let feet = of_b.iter().map(|p| X_AB * p).filter(inside).filter_map(|p| a.closest_point(&p).ok());
    feet.map(|foot| -foot.distance).fold(0.0, f64::max)
}

/// Every two links whose samples overlap by more than `least` have a contact; the deepest overlap of all (m).
fn no_contact_is_missed(model: &Model, state: &State, samples: &[Vec<Point3<f64>>], least: f64, what: &str) -> f64 {
    let pose = |k: usize| model.frame(k, &state.bodies[k].X_WBcm);
    let mut worst = 0.0_f64;
    for pair in model.pairs() {
        let (i, j) = (pair.a.0, pair.b.0);
        let [a, b] = [i, j].map(|k| &model.bodies()[k].shape);
        let ball = |k: usize, shape: &Shape| (pose(k) * shape.bounds().centre(), shape.bounds().radius());
        let ((p, r), (q, s)) = (ball(i, a), ball(j, b));
        if (p - q).norm() > r + s {
            continue;
        }
        let X_AB = pose(i).inv_mul(&pose(j));
        let depth = deepest(a, &samples[j], &X_AB).max(deepest(b, &samples[i], &X_AB.inverse()));
        worst = worst.max(depth);
        let listed = state.contacts.iter().any(|contact| {
            let (k, l) = (contact.pair.a.0, contact.pair.b.0);
            (k, l) == (i, j) || (l, k) == (i, j)
        });
        assert!(listed || depth <= least, "{what}: `{}` and `{}` overlap by {depth:e} m", model.name(i), model.name(j));
    }
    worst
}

fn all_samples(model: &Model) -> Vec<Vec<Point3<f64>>> {
    model.bodies().iter().map(|body| if body.touches { samples(&body.shape) } else { Vec::new() }).collect()
}

/// The Shadow Hand in a folder of its own, with its keyframes.
fn shadow(folder: &Path) -> bool {
    let Some(hand) = skipped::asset("hands/shadow_hand_mjcf/right_hand.xml") else { return false };
    let from = hand.parent().unwrap();
    fs::create_dir(folder.join("assets")).unwrap();
    for name in ["right_hand.xml", "keyframes.xml"] {
        fs::copy(from.join(name), folder.join(name)).unwrap();
    }
    for file in fs::read_dir(from.join("assets")).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), folder.join("assets").join(file.file_name())).unwrap();
    }
    let text = "<mujoco model=\"shadow\"><include file=\"right_hand.xml\"/><include file=\"keyframes.xml\"/></mujoco>";
    fs::write(folder.join("hand.xml"), text).unwrap();
    true
}

/// Held at a reference, the joints of a hand move by less than `most` in the last tenth of a second.
fn stands(model: &Model, states: &[State], joints: &[&str], most: f64, what: &str) {
    let [.., before, now] = states else { panic!() };
    for joint in joints {
        let moved = (q(model, now, joint) - q(model, before, joint)).abs();
        assert!(moved < most, "{what}: {joint} moves by {moved:e}");
    }
}

/// Standing with its actuators at 0, then along keyframes in which fingers close on the palm, and two open again. What is left
/// between actuator and joint where a finger is free is weight and dry friction over stiffness: at most 0.05 N·m over the 10
/// N·m/rad of the wrist rounded up to 0.05 rad, and 0.02 + 0.01 N·m over 1 N·m/rad at the fingers' roots, rounded up to 0.1 rad.
/// The accurate stepper is asked to stand alone: contacts of links cost it minutes.
#[test]
fn the_shadow_hand_stands_and_follows_its_keyframes() {
    let folder = tempfile::tempdir().unwrap();
    if !shadow(folder.path()) {
        return;
    }
    let of = built(
        "[[robot]]\nname = \"hand\"\nfile = \"hand.xml\"\nposition = [0, 0, 0.3]\nmaterials = { default = \"plastic\" }\n\
         sequence = [[0.4, \"open hand\"], [0.8, \"rock\"], [1.2, \"scissors\"]]\nsmooth = \"quintic\"\n",
        folder.path(),
    );
    let (model, samples) = (&of.model, all_samples(&of.model));
    assert_eq!(model.drives().len(), 20);
    let free = [("WRJ2", 0.05), ("FFJ3", 0.1), ("MFJ3", 0.1)];
    let names: Vec<String> = free.iter().map(|(name, _)| format!("hand/rh_{name}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let times: Vec<f64> = (1..=32).map(|k| 0.05 * f64::from(k)).collect();
    for (stepper, rows) in [("accurate", 8), ("fast", 32), ("rigid", 32)] {
        let states = states(stepper, model, &times[..rows]);
        let (mut worst, mut pressed) = (0.0_f64, 0);
        for (t, state) in times.iter().zip(&states) {
            worst = worst.max(no_contact_is_missed(model, state, &samples, 2e-5, &format!("{stepper} at {t}")));
            pressed = pressed.max(state.contacts.iter().filter(|c| c.mode != ContactMode::Free).count());
        }
        println!("{stepper}: deepest sampled overlap {worst:e}, at most {pressed} contacts press");
        assert!(rows < 32 || pressed >= 4, "{stepper}: fingers that close do not touch");
        for end in [8, 32].into_iter().filter(|end| *end <= rows) {
            stands(model, &states[..end], &names, 1e-3, stepper);
            for (joint, (name, most)) in names.iter().zip(&free) {
                let actuator = format!("hand/rh_A_{name}");
                let drive = model.drives().iter().find(|drive| drive.name == actuator).unwrap();
                let off = q(model, &states[end - 1], joint) - drive.reference.at(times[end - 1]).0;
                println!("{stepper} {joint} at {}: off by {off:e}", times[end - 1]);
                assert!(off.abs() < *most, "{stepper}: {joint} is off by {off}");
            }
        }
    }
}

/// The Allegro Hand with one drive for its joints along poses of the scene, in one of which fingers press on each other.
#[test]
fn the_allegro_hand_stands_and_follows_poses() {
    let Some(path) = skipped::asset("hands/allegro_hand_urdf/allegro_hand_right.urdf") else { return };
    let of = built(
        "[[robot]]\nname = \"hand\"\nfile = \"allegro_hand_right.urdf\"\nposition = [0, 0, 0.3]\nmaterials = { default = \"plastic\" }\n\
         sequence = [[0.3, \"open\"], [0.6, \"fist\"], [0.9, \"fist\"], [1.2, \"cross\"]]\nsmooth = \"quintic\"\n\
         poses.open = { \"joint_12.0\" = 0.6 }\n\
         poses.fist = { \"joint_1.0\" = 1.0, \"joint_2.0\" = 1.0, \"joint_5.0\" = 1.0, \"joint_6.0\" = 1.0, \"joint_9.0\" = 1.0, \"joint_10.0\" = 1.0, \"joint_12.0\" = 0.6 }\n\
         poses.cross = { \"joint_0.0\" = 0.45, \"joint_1.0\" = 1.3, \"joint_4.0\" = -0.45, \"joint_5.0\" = 1.3, \"joint_8.0\" = 0.45, \"joint_9.0\" = 1.3, \"joint_12.0\" = 0.6 }\n\
         [[drive]]\nrobot = \"hand\"\ntype = \"position\"\nstiffness = 10\ndamping = 0.3\nlimit = 2\n",
        path.parent().unwrap(),
    );
    let (model, samples) = (&of.model, all_samples(&of.model));
    let joints: Vec<String> = model.drives().iter().map(|drive| drive.name.clone()).collect();
    assert_eq!(joints.len(), 16);
    let joints: Vec<&str> = joints.iter().map(String::as_str).collect();
    let times: Vec<f64> = (1..=28).map(|k| 0.05 * f64::from(k)).collect();
    for (stepper, rows) in [("accurate", 18), ("fast", 28), ("rigid", 28)] {
        let states = states(stepper, model, &times[..rows]);
        let (mut worst, mut touching) = (0.0_f64, 0);
        for (t, state) in times.iter().zip(&states) {
            worst = worst.max(no_contact_is_missed(model, state, &samples, 2e-5, &format!("{stepper} at {t}")));
            touching = touching.max(state.contacts.len());
        }
        println!("{stepper}: deepest sampled overlap {worst:e}, {touching} contacts");
        for end in [6, 18] {
            for drive in model.drives() {
                let off = q(model, &states[end - 1], &drive.name) - drive.reference.at(times[end - 1]).0;
                assert!(off.abs() < 0.03, "{stepper} at {end}: {} is off by {off}", drive.name);
            }
        }
        stands(model, &states[..18], &joints, 1e-4, stepper);
        assert!(rows < 28 || touching > 0, "{stepper}: fingers that cross do not touch");
    }
}

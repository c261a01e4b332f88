//! Five scanned objects fall on a plane, one step after the other timed: the mean, and the worst step.
//!
//! `cargo run --release --example scans -- [SURFACE [RUNS [END]]]` (`auto`, 5 and 2 s if not given). Scans are those of the
//! folder that `FINGERPAD_ASSETS` names. Times are of the processor; of each step the least of all runs counts, so that
//! what other programs do is left out.

use fingerpad_files::scene::{Built, Scene};
use fingerpad_sim::{FixedStep, FixedWorkspace, Stepper};
use std::path::Path;

/// Name, mass (kg) and middle in the file's frame (m).
const SCANS: [(&str, f64, [f64; 3]); 5] = [
    ("mug", 0.118, [-0.01775, 0.01717, 0.03601]),
    ("banana", 0.066, [-0.00994, 0.00407, 0.01713]),
    ("cracker_box", 0.411, [-0.01485, -0.01421, 0.1022]),
    ("tennis_ball", 0.058, [0.00823, -0.04419, 0.03289]),
    ("tomato_soup_can", 0.349, [-0.00929, 0.08417, 0.05257]),
];
/// Length of a step (s).
const STEP: f64 = 1e-3;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let word = |k: usize, default: &str| words.get(k).cloned().unwrap_or_else(|| default.to_string());
    let (surface, runs, end) = (word(0, "auto"), word(1, "5"), word(2, "2"));
    let (runs, end): (usize, f64) = (runs.parse().unwrap(), end.parse().unwrap());
    let Ok(assets) = std::env::var("FINGERPAD_ASSETS") else {
        println!("FINGERPAD_ASSETS names no folder: skipped");
        return;
    };
    let only = std::env::var("FINGERPAD_SCAN").unwrap_or_default();
    let built = build(&Path::new(&assets).join("objects/ycb"), &surface, &only);
    let steps = (end / STEP).round() as usize;
    let mut least = vec![f64::INFINITY; steps];
    for run in 0..runs {
        let (model, stepper) = (&built.model, FixedStep { step: STEP, ..FixedStep::default() });
        let (mut state, mut work) = (model.start().unwrap(), FixedWorkspace::new(model).unwrap());
        for (k, least) in least.iter_mut().enumerate() {
            let clock = processor_time();
            let stopped = stepper.advance(model, &mut state, &mut work, STEP * (k + 1) as f64).err();
            *least = least.min(processor_time() - clock);
            if let Some(why) = stopped {
                println!("stopped after {k} steps: {why}");
                return;
            }
        }
        if run == 0 {
            for (i, body) in model.bodies().iter().enumerate() {
                let touching = state.contacts.iter().filter(|c| c.pair.a.0 == i || c.pair.b.0 == i).count();
                let p = model.frame(i, &state.bodies[i].X_WBcm) * nalgebra::Point3::origin();
                println!("{:16} {touching:3} contacts at the end, origin {:.4} {:.4} {:.4}", body.name, p.x, p.y, p.z);
            }
        }
    }
    let mean = least.iter().sum::<f64>() / steps as f64;
    let tenths: Vec<String> = least
        .chunks(steps.div_ceil(10))
        .map(|part| format!("{:.0}", 1e6 * part.iter().sum::<f64>() / part.len() as f64))
        .collect();
    let mut order: Vec<usize> = (0..steps).collect();
    order.sort_by(|i, j| least[*j].total_cmp(&least[*i]));
    let worst: Vec<String> = order.iter().take(5).map(|k| format!("{:.2} ms at {k}", 1e3 * least[*k])).collect();
    println!(
        "{surface}: mean {:.1} µs a step, p50 {:.1} µs; worst {}",
        1e6 * mean,
        1e6 * least[order[steps / 2]],
        worst.join(", ")
    );
    println!("mean of each tenth (µs): {}", tenths.join(" "));
}

/// The scene: each scan tilted, 20 mm and more above the plane.
fn build(folder: &Path, surface: &str, only: &str) -> Built {
    let mut text = "[scene]\nname = \"scans\"\nduration = 2.0\n[materials.m]\nyoung = 2e7\npoisson = 0.4\ndensity = 700\nfriction = 0.5\nhunt_crossley = 0.5\n[[body]]\nname = \"ground\"\nshape = \"half_space\"\nfixed = true\nmaterial = \"m\"\n".to_string();
    for (k, (name, mass, _)) in SCANS.iter().enumerate().filter(|(_, scan)| only.is_empty() || scan.0 == only) {
        let x = 0.4 * k as f64;
        text += &format!(
            "[[body]]\nname = \"{name}\"\nshape = {{ type = \"mesh\", mesh = \"{name}.obj\", surface = \"{surface}\" }}\nmass = {mass}\nmaterial = \"m\"\nposition = [{x}, 0, 0.06]\norientation = {{ axis = [1, 0.5, 0], angle = \"10 deg\" }}\n"
        );
    }
    Scene::parse(&text, "scans.toml", folder, &[]).and_then(|scene| scene.build(&mut |_| {})).unwrap()
}

/// Processor time of this thread (s).
fn processor_time() -> f64 {
    let now = nix::time::clock_gettime(nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID).unwrap();
    now.tv_sec() as f64 + 1e-9 * now.tv_nsec() as f64
}

//! What a hand costs: processor time of a step of 1 ms, without contacts and with them, in fixed steps and by rigid contacts.
//!
//! ```text
//! cargo run --release --example hand_cost                    the kernel, hands of ours, the Shadow Hand where it is at hand
//! cargo run --release --example hand_cost -- table           10 to 100 joints × 0 to 100 contacts
//! cargo run --release --example hand_cost -- chain           serial chains up to 1,000 joints
//! cargo run --release --example hand_cost -- SCENE STEPPER   one scene file for many steps: for profilers
//! ```
//!
//! A hand of ours has a wrist of two hinges and fingers of four or five, each with friction loss and damping; balls on its
//! links lie on a table. `FINGERPAD_ASSETS` names the folder with the Shadow Hand. Times are those of the processor (user
//! time of this thread's process), the least of several runs, contact geometry included unless told otherwise.

use fingerpad_files::scene::Scene;
use fingerpad_sim::coordinates::{Base, Factor, Frame, Joint, Link, Mass, Tree};
use fingerpad_sim::{FixedStep, Model, Rigid, State, Stepper};
use nalgebra::{Isometry3, Matrix3, Point3, Unit, Vector3};
use std::fmt::Write as _;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

type Failed = Box<dyn std::error::Error>;

/// Steps that are run before any is timed, steps of a run, and runs of which the least counts.
const WARM: usize = 300;
const STEPS: usize = 3000;
const RUNS: usize = 4;

/// Time of the processor in this process (s), in ticks of some ms; where the system does not tell it, that of the clock.
fn clock(start: &Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/self/schedstat").ok();
    let spent = told.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    spent.map_or_else(|| start.elapsed().as_secs_f64(), |ns| ns * 1e-9)
}

/// Least time of one call (µs).
fn least(calls: usize, runs: usize, mut call: impl FnMut()) -> f64 {
    let (begun, mut best) = (Instant::now(), f64::INFINITY);
    for _ in 0..runs {
        let start = clock(&begun);
        (0..calls).for_each(|_| call());
        best = best.min((clock(&begun) - start) / calls as f64);
    }
    best * 1e6
}

/// A hinge with a rod of 0.1 m; axes vary.
fn hinge(index: usize, parent: Option<usize>) -> Link {
    let axis = Vector3::new((index as f64).sin(), (1.7 * index as f64).cos(), 0.3);
    Link {
        name: format!("link {index}"),
        parent,
        joint: Joint::Revolute(Unit::new_normalize(axis)),
        X_PF: Isometry3::new(Vector3::new(0.02, 0.01, 0.1), Vector3::new(0.1 * index as f64, 0.2, -0.1)),
        mass: 0.1,
        p_BoBcm: Point3::new(0.0, 0.01, 0.05),
        I_BBcm_B: Matrix3::from_diagonal(&Vector3::new(1e-4, 1e-4, 2e-5)),
        armature: 1e-4,
        laws: Vec::new(),
    }
}

/// Lengths of the fingers of a hand with n joints: a wrist of two, then fours and fives.
fn fingers(joints: usize) -> Vec<usize> {
    let count = joints.saturating_sub(2) / 4;
    let mut left = joints.saturating_sub(2) - 4 * count;
    let mut lengths = vec![4; count];
    for length in lengths.iter_mut().rev() {
        let more = left.min(1);
        *length += more;
        left -= more;
    }
    lengths
}

/// Kinematics, mass matrix, factor and a solution; the same with the bias (µs).
fn kernel(joints: usize) -> Result<[f64; 2], Failed> {
    let mut links = vec![hinge(0, None), hinge(1, Some(0))];
    for length in fingers(joints) {
        for k in 0..length {
            let parent = if k == 0 { 1 } else { links.len() - 1 };
            links.push(hinge(links.len(), Some(parent)));
        }
    }
    let tree = Tree::new(links, Vector3::new(0.0, 0.0, -9.81))?;
    let n = tree.nv();
    let q: Vec<f64> = (0..n).map(|k| 0.3 + 0.1 * (k as f64).sin()).collect();
    let v: Vec<f64> = (0..n).map(|k| (k as f64).cos()).collect();
    let (mut frame, mut mass, mut factor) = (Frame::new(&tree), Mass::new(&tree), Factor::new(&tree));
    let (mut x, mut bias) = (vec![1.0; n], vec![0.0; n]);
    let mut all = |with_bias: bool| {
        frame.place(&tree, black_box(&q), &Base::default());
        mass.compute(&tree, &frame);
        let found = factor.compute(&tree, &mass);
        x.fill(1.0);
        if with_bias {
            frame.set_velocities(&tree, &v);
            frame.bias(&tree, &v, &mut bias);
        }
        factor.solve(&tree, black_box(&mut x));
        black_box(found.is_ok());
    };
    Ok([least(100_000, RUNS, || all(false)), least(100_000, RUNS, || all(true))])
}

/// A hand of ours as MJCF: its fingers lie over a table, with balls on `contacts` of the links that touch it first.
fn hand(joints: usize, contacts: usize) -> String {
    let lengths = fingers(joints);
    let links: usize = lengths.iter().sum();
    // The k-th of all links, tips first, carries the k-th ball; further balls stand beside the first ones.
    let balls = |from_tip: usize, finger: usize| {
        let place = from_tip * lengths.len() + finger;
        (0..).take_while(|more| place + more * links < contacts).count()
    };
    let mut text = String::from(
        "<mujoco model=\"hand\"><compiler angle=\"radian\" autolimits=\"true\"/>\n<default><joint damping=\"0.002\" \
         armature=\"0.0002\" frictionloss=\"0.001\"/></default>\n<worldbody>\n<body name=\"wrist\"><inertial pos=\"0 0 0\" \
         mass=\"0.1\" diaginertia=\"1e-4 1e-4 1e-4\"/><joint name=\"wrist_x\" axis=\"1 0 0\" range=\"-0.7 0.5\" damping=\"0.5\" \
         stiffness=\"5\"/>\n<body name=\"palm\"><inertial pos=\"0.04 0 0\" mass=\"0.3\" diaginertia=\"3e-4 3e-4 3e-4\"/>\
         <joint name=\"wrist_y\" axis=\"0 1 0\" range=\"-0.5 0.2\" damping=\"0.5\" stiffness=\"5\"/>\n",
    );
    for (f, length) in lengths.iter().enumerate() {
        let y = 0.022 * (f as f64 - 0.5 * (lengths.len() as f64 - 1.0));
        for k in 0..*length {
            let axis = if k == 0 { "0 0 1" } else { "0 1 0" };
            let range = if k == 0 { "-0.35 0.35" } else { "-0.4 1.5" };
            let (x, y) = if k == 0 { (0.08, y) } else { (0.03, 0.0) };
            let _ = write!(
                text,
                "<body name=\"f{f}_{k}\" pos=\"{x} {y} 0\"><inertial pos=\"0.015 0 0\" mass=\"0.02\" diaginertia=\"3e-6 3e-6 \
                 3e-6\"/><joint name=\"f{f}_{k}\" axis=\"{axis}\" range=\"{range}\"/>"
            );
            for ball in 0..balls(length - 1 - k, f) {
                let across = [0.0, 0.006, -0.006, 0.003, -0.003][ball % 5];
                let along = 0.028 - 0.004 * (ball / 5) as f64;
                let _ = write!(text, "<geom type=\"sphere\" size=\"0.01\" pos=\"{along} {across} 0\" mass=\"0\"/>");
            }
            text.push('\n');
        }
        text.push_str(&"</body>".repeat(*length));
        text.push('\n');
    }
    text + "</body></body></worldbody></mujoco>\n"
}

/// A scene of a serial chain of n hinges: robot files do not nest that deep.
fn chain(joints: usize) -> String {
    let mut text = String::from(
        "[scene]\nname = \"chain\"\nduration = \"1 s\"\n[materials.rubber]\nyoung = \"2 MPa\"\npoisson = 0.45\nfriction = 0.8\n",
    );
    for k in 0..joints {
        let axis = if k % 2 == 0 { "[0, 1, 0]" } else { "[0, 0, 1]" };
        let x = 0.02 * k as f64;
        let parent = if k == 0 { "world".to_string() } else { format!("l{}", k - 1) };
        let _ = writeln!(
            text,
            "[[body]]\nname = \"l{k}\"\nshape = {{ type = \"sphere\", radius = 0.002 }}\nmass = 0.01\nmaterial = \"rubber\"\n\
             inertia = [1e-6, 1e-6, 1e-6]\nposition = [{}, 0, 0]\n[[joint]]\nname = \"j{k}\"\ntype = \"revolute\"\n\
             parent = \"{parent}\"\nchild = \"l{k}\"\nposition = [{x}, 0, 0]\naxis = {axis}\ndamping = 1e-4",
            x + 0.01
        );
    }
    text
}

/// A scene with a robot's file, over a table where there are contacts.
fn scene(file: &Path, table: bool) -> String {
    let table = if table {
        "[[body]]\nname = \"table\"\nshape = \"half-space\"\nmaterial = \"rubber\"\nfixed = true\n"
    } else {
        ""
    };
    format!(
        "[scene]\nname = \"hand\"\nduration = \"1 s\"\n[materials.rubber]\nyoung = \"2 MPa\"\npoisson = 0.45\nfriction = 0.8\n\
         hunt_crossley = 5.0\n{table}[[robot]]\nname = \"hand\"\nfile = {:?}\nposition = [0, 0, \"10 mm\"]\nself_contact = false\n\
         materials = {{ default = \"rubber\" }}\n",
        file.display().to_string()
    )
}

/// What a stepper takes for a step (µs), and how many contacts act at the end.
fn cost<S: Stepper>(stepper: &S, model: &Model, steps: usize) -> Result<(f64, usize), Failed> {
    let mut state: State = model.start()?;
    let mut work = stepper.workspace(model, &state)?;
    let mut ticks = 0;
    let mut failed = None;
    let mut advance = |state: &mut State, count: usize| {
        for _ in 0..count {
            ticks += 1;
            if let Err(error) = stepper.advance(model, state, &mut work, 1e-3 * f64::from(ticks)) {
                failed.get_or_insert(error.to_string());
            }
        }
    };
    advance(&mut state, steps.min(WARM));
    let us = least(1, RUNS, || advance(&mut state, steps)) / steps as f64;
    if let Some(failed) = failed {
        return Err(failed.into());
    }
    let results = stepper.contact_results(model, &state, &mut work)?;
    Ok((us, results.iter().filter(|contact| contact.normal > 0.0).count()))
}

/// A row of the table: fixed steps and rigid contacts.
fn told(name: &str, folder: &Path, text: &str, steps: usize) -> Result<[f64; 2], Failed> {
    let path = folder.join("scene.toml");
    std::fs::write(&path, text)?;
    let built = Scene::read(&path, &[])?.build(&mut |_| {})?;
    let (fast, touching) = cost(&FixedStep::default(), &built.model, steps)?;
    let (rigid, held) = cost(&Rigid::default(), &built.model, steps)?;
    println!("{name:<34} fast {fast:>8.2} µs ({touching} contacts)   rigid {rigid:>8.2} µs ({held} contacts)");
    Ok([fast, rigid])
}

/// A robot of ours over its table.
fn ours(folder: &Path, joints: usize, contacts: usize) -> Result<String, Failed> {
    let file = folder.join("hand.xml");
    std::fs::write(&file, hand(joints, contacts))?;
    Ok(scene(&file, contacts > 0))
}

fn work(words: &[String], folder: &Path) -> Result<(), Failed> {
    match words.first().map(String::as_str) {
        Some("table") => {
            for joints in [10, 26, 50, 74, 98] {
                for contacts in [0, 1, 3, 10, 30, 100] {
                    let name = format!("{joints} joints, {contacts} balls");
                    told(&name, folder, &ours(folder, joints, contacts)?, 1000)?;
                }
            }
        }
        Some("chain") => {
            for joints in [10, 30, 100, 300, 1000] {
                let steps = if joints < 200 { 1000 } else { 3 };
                told(&format!("chain of {joints} joints"), folder, &chain(joints), steps)?;
            }
        }
        Some(path) => {
            let built = Scene::read(Path::new(path), &[])?.build(&mut |_| {})?;
            let (us, contacts) = match words.get(1).map(String::as_str) {
                Some("rigid") => cost(&Rigid::default(), &built.model, STEPS)?,
                _ => cost(&FixedStep::default(), &built.model, STEPS)?,
            };
            println!("{us:.2} µs, {contacts} contacts");
        }
        None => {
            for joints in [24, 30] {
                let [plain, with_bias] = kernel(joints)?;
                println!(
                    "kernel, {joints} joints: kinematics, mass, factor, solution {plain:.2} µs; with bias {with_bias:.2} µs"
                );
            }
            told("hand of 24 joints, no contacts", folder, &ours(folder, 24, 0)?, STEPS)?;
            told("hand of 24 joints, 12 contacts", folder, &ours(folder, 24, 12)?, STEPS)?;
            let assets = std::env::var_os("FINGERPAD_ASSETS").map(PathBuf::from);
            let shadow = assets.map(|at| at.join("hands/shadow_hand_mjcf/right_hand.xml")).filter(|at| at.exists());
            match shadow {
                Some(file) => {
                    told("Shadow Hand, no contacts", folder, &scene(&file.canonicalize()?, false), STEPS)?;
                }
                None => println!("skipped: the Shadow Hand (FINGERPAD_ASSETS names no folder that has it)"),
            }
        }
    }
    Ok(())
}

fn main() -> Result<(), Failed> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let folder = std::env::temp_dir().join(format!("fingerpad-hand-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let done = work(&words, &folder);
    if std::env::var_os("FINGERPAD_KEEP").is_none() {
        std::fs::remove_dir_all(&folder).ok();
    }
    done
}

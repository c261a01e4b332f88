//! Scenes out of chance that are run by the program, 50 steps in each stepper: loose bodies, trees of joints with drives,
//! robots, and shipped scenes and files in which something was changed. Some numbers are such as nobody would choose.
//!
//! A scene may be refused, and a run may stop with a cause. What may not happen: a panic, a run that does not end or cannot
//! be ended, numbers that are none, and motion that cannot be (`judge`) in a run that calls itself good.

mod chance;
mod judge;
mod loose;
mod machine;
mod mutation;

use chance::Chance;
use nalgebra::{Isometry3, Vector3};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Steps of the steppers with fixed steps; the accurate one runs for the same time.
#[allow(dead_code)] // the example tells it
pub const STEPS: u32 = 50;
/// Names of the steppers.
pub const STEPPERS: [&str; 3] = ["accurate", "fast", "rigid"];
/// A run that takes longer than this is interrupted, as by Ctrl-C, and counted as slow.
pub const PATIENCE: Duration = Duration::from_secs(2);
/// One that has not ended this long after that hangs. A machine that does other work may take long.
const HANGS: Duration = Duration::from_secs(30);

/// A scene with the files that it names, and what is known of it without running it.
#[derive(Default)]
pub struct Case {
    pub scene: String,
    /// Names and contents of files beside it.
    pub files: Vec<(String, Vec<u8>)>,
    /// The plane z = 0 holds all bodies up.
    on_plane: bool,
    /// Least height of a terrain around the origin (m).
    lowest: Option<f64>,
    round: Vec<Round>,
    joined: Vec<Joined>,
    /// Poses of bodies as the file has them.
    placed: Vec<(String, Isometry3<f64>)>,
    masses: Vec<Mass>,
    masses_known: bool,
    /// Free fall (m/s²), where nothing else does work and nothing is stored at the start.
    gravity: Option<f64>,
}

/// A body between two balls around its origin.
struct Round {
    name: String,
    outer: f64,
    inner: f64,
}

/// Points of two bodies, in their frames, that stay together.
struct Joined {
    bodies: [String; 2],
    points: [Vector3<f64>; 2],
    /// Length of a link (m).
    size: f64,
}

/// A body that moves freely.
struct Mass {
    name: String,
    mass: f64,
    /// Height at the start (m).
    z: f64,
    /// At most what moves at the start, over the mass (m²/s²).
    start: f64,
}

impl Case {
    fn new(head: &str) -> Self {
        let scene = format!("[scene]\nname = \"fuzz\"\nduration = 0.05\n{head}[solver]\nstep = 0.001\n");
        Self { scene, masses_known: true, ..Self::default() }
    }
}

/// The case of a seed.
pub fn case(seed: u64) -> Case {
    let c = &mut Chance::new(seed);
    match c.below(10) {
        0..=3 => loose::scene(c),
        4 | 5 => machine::tree(c),
        6 => machine::robot(c),
        7 | 8 => mutation::shipped(c),
        _ => mutation::files(c),
    }
}

/// Where the project is.
fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// What became of a case in one stepper.
#[derive(Clone, Debug, PartialEq)]
pub enum Fate {
    /// It was refused when it was read.
    Refused,
    /// It made its steps.
    Ran,
    /// It made its steps, and calls itself bad.
    Bad,
    /// It stopped with a cause.
    Stopped(String),
    /// It was interrupted, and ended this long after.
    Slow(Duration),
    /// It did what it may not.
    Wrong(String),
}

/// Writes a case into a folder.
pub fn write(case: &Case, folder: &Path) {
    for (name, bytes) in &case.files {
        fs::write(folder.join(name), bytes).unwrap();
    }
    fs::write(folder.join("fuzz.toml"), &case.scene).unwrap();
}

/// Runs a case in one stepper by the program.
pub fn fate(program: &Path, case: &Case, stepper: &str) -> Fate {
    let folder = tempfile::tempdir().unwrap();
    write(case, folder.path());
    let how: &[&str] = match stepper {
        "accurate" => &["solver.stepper=accurate", "solver.formulation=compliant", "solver.tolerance=1e-6"],
        "fast" => &["solver.stepper=fast", "solver.formulation=compliant"],
        _ => &["solver.formulation=complementarity"],
    };
    let mut sets = vec!["scene.duration=0.05", "solver.step=0.001", "record.period=0.01"];
    sets.extend(how);
    let mut command = Command::new(program);
    command.args(["run", "fuzz.toml", "--json", "--out", "out"]);
    command.args(sets.iter().flat_map(|set| ["--set", set]));
    let [out, err] = ["stdout", "stderr"].map(|name| folder.path().join(name));
    let mut child = command
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(fs::File::create(&out).unwrap())
        .stderr(fs::File::create(&err).unwrap())
        .spawn()
        .unwrap();
    let began = Instant::now();
    let mut interrupted = None;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        match interrupted {
            None if began.elapsed() > PATIENCE => {
                assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
                interrupted = Some(Instant::now());
            }
            Some(since) if since.elapsed() > HANGS => {
                child.kill().unwrap();
                child.wait().unwrap();
                return Fate::Wrong("it hangs".to_string());
            }
            _ => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    let text = |path: &Path| String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
    judged(case, &folder.path().join("out"), status.code(), (&text(&out), &text(&err)), interrupted)
}

fn judged(case: &Case, out: &Path, code: Option<i32>, (said, told): (&str, &str), since: Option<Instant>) -> Fate {
    let wrong =
        |why: &str| Fate::Wrong(format!("{why}; exit code {code:?}; {}", told.lines().next().unwrap_or_default()));
    if told.contains("internal error") || told.contains("panicked") {
        return wrong("panic");
    }
    match code {
        Some(2) if said.is_empty() && told.starts_with("error: ") => return Fate::Refused,
        Some(0 | 1) => {}
        Some(130) => match since {
            Some(since) => return Fate::Slow(since.elapsed()),
            None => return wrong("interrupted by nobody"),
        },
        _ => return wrong("it ended otherwise"),
    }
    let Ok(summary) = serde_json::from_str::<Value>(said) else { return wrong("no summary") };
    if let Some(why) = judge::numbers(out, &summary) {
        return wrong(&why);
    }
    let [status, verdict] = [&summary["status"], &summary["quality"]["verdict"]].map(|x| x.as_str().unwrap_or(""));
    let why = summary["message"].as_str().unwrap_or("without a word");
    match (status, verdict) {
        ("completed", "good") => judge::motion(case, &summary).map_or(Fate::Ran, |why| wrong(&why)),
        ("completed", "poor") if told.contains("warning: ") => Fate::Ran,
        ("completed", "bad") if code == Some(1) && told.contains("warning: ") => Fate::Bad,
        // The cause is told, and the run does not call itself good.
        ("stopped" | "diverged", "bad") if code == Some(1) && told.contains(why) => Fate::Stopped(why.to_string()),
        _ => wrong(&format!("{status}, {verdict}: {why}")),
    }
}

//! `run.mcap` from outside: what is in it, the way back bit by bit, crashes, other readers, bad files.

mod program;
#[path = "program/skip.rs"]
mod skip;

use serde_json::Value;
use skip::skipped;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

fn fingerpad(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = program::fingerpad().args(arguments).current_dir(folder).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn inspected(folder: &Path, file: &str) -> Value {
    let (code, out, told) = fingerpad(folder, &["inspect", file, "--json"]);
    assert_eq!(code, 0, "{told}");
    serde_json::from_str(&out).unwrap()
}

fn rows(folder: &Path, file: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(folder.join(file)).unwrap();
    text.lines().skip(1).map(|line| line.split(',').map(str::to_string).collect()).collect()
}

/// A recorded run comes out again bit for bit under every stepper; one bit of one pose more, and its time and body are
/// told with exit code 1.
#[test]
fn recorded_runs_come_out_bit_for_bit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let steppers: [&[&str]; 3] = [&[], &["--set", "solver.stepper=\"fast\""], &["--formulation", "complementarity"]];
    for (k, options) in steppers.into_iter().enumerate() {
        let out = format!("run{k}");
        let (code, _, told) =
            fingerpad(path, &[&["run", "bowl-roll", "--duration", "1 s", "--out", &out], options].concat());
        assert!(code < 2, "{told}");
        let file = format!("{out}/run.mcap");
        let (code, out, told) = fingerpad(path, &["run", "--verify", &file]);
        assert_eq!(code, 0, "{out}{told}");
        assert!(out.contains("bit for bit"), "{out}");
    }
    // The height of the ball at some row, by its bits, in the file.
    let bodies = rows(path, "run0/bodies.csv");
    let row = &bodies[bodies.len() / 2];
    let ball = bodies.iter().filter(|r| r[1] == "ball").nth(7).unwrap_or(row);
    let z: f64 = ball[4].parse().unwrap();
    let mut bytes = std::fs::read(path.join("run0/run.mcap")).unwrap();
    let at = bytes.windows(8).position(|w| w == z.to_le_bytes()).expect("the height is in the file");
    bytes[at] ^= 1;
    std::fs::write(path.join("wrong.mcap"), bytes).unwrap();
    let (code, out, _) = fingerpad(path, &["run", "--verify", "wrong.mcap", "--json"]);
    let answer: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &answer["ok"]), (1, &Value::Bool(false)), "{out}");
    assert_eq!(answer["t"].as_f64().unwrap(), ball[0].parse::<f64>().unwrap());
    assert!(answer["differs"].as_str().unwrap().contains("ball"), "{out}");
}

/// `inspect` tells what a recording is of; its counts are those of the rows.
#[test]
fn inspect_tells_what_is_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let (code, ..) = fingerpad(folder.path(), &["run", "bouncing-ball", "--out", "o"]);
    assert_eq!(code, 0);
    let facts = inspected(folder.path(), "o/run.mcap");
    let summary: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.path().join("o/summary.json")).unwrap()).unwrap();
    assert_eq!(facts["states"], summary["rows"]);
    assert_eq!((&facts["hash"], &facts["version"]), (&summary["hash"], &summary["version"]));
    assert_eq!(facts["complete"], true);
    assert!(facts["program_sha256"].as_str().unwrap().len() == 64);
}

/// Python's own readers see what we wrote: counts, poses and energies of the last row, the scene, its hash, and our
/// descriptions of Foxglove's messages against the published ones.
#[test]
fn python_reads_recordings() {
    let Some(python) = python() else {
        return skipped("python_reads_recordings", "no Python with mcap and mcap-protobuf-support (set-up: ./check)");
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let (code, _, told) = fingerpad(path, &["run", "pinch-sliders", "--duration", "1 s", "--out", "o"]);
    assert!(code < 2, "{told}");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/read_recording.py");
    let output = Command::new(python).arg(script).arg(path.join("o/run.mcap")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let bodies = rows(path, "o/bodies.csv");
    let times: Vec<f64> = bodies.iter().filter(|r| r[1] == "object").map(|r| r[0].parse().unwrap()).collect();
    assert_eq!(program::numbers(&found["times"]), times);
    assert_eq!(found["topics"]["/energy"].as_u64().unwrap(), times.len() as u64);
    for row in bodies.iter().rev().take(3) {
        let pose: Vec<f64> = row[2..9].iter().map(|x| x.parse().unwrap()).collect();
        assert_eq!(program::numbers(&found["poses"][&row[1]]), pose, "{}", row[1]);
    }
    let energy = rows(path, "o/energy.csv");
    assert_eq!(found["energy"]["KE"].as_f64().unwrap(), energy.last().unwrap()[1].parse::<f64>().unwrap());
    let contact = &found["contact"];
    let same = rows(path, "o/contacts.csv")
        .into_iter()
        .find(|r| r[0].parse::<f64>().unwrap() == contact["t"].as_f64().unwrap());
    assert_eq!(contact["normal"].as_f64().unwrap(), same.unwrap()[12].parse::<f64>().unwrap());
    assert!(found["attachments"]["scene.toml"].as_str().unwrap().contains("pinch-sliders"));
    assert!(found["schemas_compared"].as_u64().unwrap() > 20, "{}", found["schemas_compared"]);
    assert_eq!(found["triangles"], 3);
}

fn python() -> Option<PathBuf> {
    let venv = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/python/bin/python");
    let named = std::env::var_os("FINGERPAD_PYTHON").map(PathBuf::from);
    let usable = |python: &PathBuf| {
        let asked = Command::new(python).args(["-c", "import mcap, mcap_protobuf, foxglove_schemas_protobuf"]).output();
        asked.is_ok_and(|output| output.status.success())
    };
    named.into_iter().chain([venv, PathBuf::from("python3")]).find(usable)
}

/// A run killed at some moment leaves a recording that `recover` makes whole; what it has comes out bit for bit. Set
/// FINGERPAD_KILLS for more than five moments.
#[test]
fn killed_runs_can_be_recovered() {
    let kills = std::env::var("FINGERPAD_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(5);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let python = python();
    let mut states = Vec::new();
    for k in 0..kills {
        let arguments = [
            "run",
            "bowl-map",
            "--out",
            "k",
            "--set",
            "record.period=1ms",
            "--duration",
            "2000 s",
            "--set",
            "solver.stepper=\"fast\"",
        ];
        let _ = std::fs::remove_dir_all(path.join("k"));
        let mut child = Command::new(env!("CARGO_BIN_EXE_fingerpad"))
            .args(arguments)
            .current_dir(path)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Moments within 1.2 s of the first bytes, spread by the golden ratio; every seventh time within the first 50 ms
        // of the program, before there is anything.
        let share = (f64::from(k) * 0.618_034).fract();
        if k % 7 == 3 {
            std::thread::sleep(Duration::from_secs_f64(0.05 * share));
        } else {
            let begun = || std::fs::metadata(path.join("k/run.mcap")).is_ok_and(|file| file.len() > 0);
            let waiting = std::time::Instant::now();
            while !begun() && waiting.elapsed() < Duration::from_secs(120) {
                std::thread::sleep(Duration::from_millis(5));
            }
            std::thread::sleep(Duration::from_secs_f64(1.2 * share));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let (code, out, told) = fingerpad(path, &["recover", "k/run.mcap", "--out", "whole.mcap", "--json"]);
        if code != 0 {
            // Killed before the first byte was flushed: there is nothing, and it says so.
            assert!(told.contains("not a recording") || !path.join("k/run.mcap").exists(), "{told}");
            continue;
        }
        let answer: Value = serde_json::from_str(&out).unwrap();
        assert!(answer["broken"].is_string(), "the run ended before it was killed: {out}");
        let facts = inspected(path, "whole.mcap");
        assert_eq!(facts["complete"], true);
        states.push(facts["states"].as_u64().unwrap());
        if k == 0 {
            let (code, out, told) = fingerpad(path, &["run", "--verify", "whole.mcap"]);
            assert_eq!(code, 0, "{out}{told}");
        }
        if let Some(python) = &python {
            let count = "import sys; from mcap.reader import make_reader; print(sum(1 for _ in make_reader(open(sys.argv[1], 'rb')).iter_messages()))";
            let output = Command::new(python).args(["-c", count]).arg(path.join("whole.mcap")).output().unwrap();
            let seen: u64 = String::from_utf8_lossy(&output.stdout).trim().parse().unwrap();
            assert_eq!(seen, answer["messages"].as_u64().unwrap());
            // Whatever had been flushed is there: Python's reader of streams counts it in the file as the crash left it.
            let flushed = "import sys\nfrom mcap.stream_reader import StreamReader\nfrom mcap.records import Message\ncount = 0\n\
                           try:\n for r in StreamReader(open(sys.argv[1], 'rb')).records: count += isinstance(r, Message)\n\
                           except Exception: pass\nprint(count)";
            let output = Command::new(python).args(["-c", flushed]).arg(path.join("k/run.mcap")).output().unwrap();
            let flushed: u64 = String::from_utf8_lossy(&output.stdout).trim().parse().unwrap();
            assert!(seen >= flushed && (flushed > 0) == (seen > 0), "{seen} of {flushed}");
        }
    }
    println!("states after each kill: {states:?}");
    // A second of running is ten flushes.
    assert!(states.iter().any(|n| *n > 0), "{states:?}");
}

/// Cut anywhere, a recording gives what is there or says what is wrong; it never panics.
#[test]
fn cut_recordings_are_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let (code, ..) = fingerpad(path, &["run", "bouncing-ball", "--out", "o"]);
    assert_eq!(code, 0);
    let bytes = std::fs::read(path.join("o/run.mcap")).unwrap();
    for part in [0, 3, 8, 20, 200, bytes.len() / 3, bytes.len() / 2, bytes.len() - 9, bytes.len() - 1] {
        std::fs::write(path.join("cut.mcap"), &bytes[..part]).unwrap();
        let (code, _, told) = fingerpad(path, &["recover", "cut.mcap"]);
        assert!(code == 0 || (code == 2 && told.contains("not a recording")), "{part}: {code} {told}");
        let (code, _, told) = fingerpad(path, &["run", "--verify", "cut.mcap"]);
        assert!(code == 0 || code == 2, "{part}: {code} {told}");
        assert!(!told.contains("internal error"), "{told}");
    }
    std::fs::write(path.join("text.mcap"), "no recording at all").unwrap();
    for arguments in
        [&["recover", "text.mcap"][..], &["run", "--verify", "text.mcap"], &["run", "--verify", "absent.mcap"]]
    {
        let (code, out, told) = fingerpad(path, arguments);
        assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}");
        assert!(told.starts_with("error: ") && told.contains(".mcap"), "{told}");
    }
}

/// A recording of another version is told from one that differs.
#[test]
fn recordings_of_other_versions_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let (code, ..) = fingerpad(path, &["run", "bouncing-ball", "--out", "o"]);
    assert_eq!(code, 0);
    let mut bytes = std::fs::read(path.join("o/run.mcap")).unwrap();
    // The value of the fact "version", by its length and text.
    let version = env!("CARGO_PKG_VERSION");
    let key = [b"version".as_slice(), &(version.len() as u32).to_le_bytes(), version.as_bytes()].concat();
    let at = bytes.windows(key.len()).position(|w| w == key).unwrap() + key.len() - 1;
    bytes[at] = b'7';
    std::fs::write(path.join("other.mcap"), bytes).unwrap();
    let (code, _, told) = fingerpad(path, &["run", "--verify", "other.mcap"]);
    assert_eq!(code, 2);
    assert!(told.contains("recorded by version"), "{told}");
    assert!(inspected(path, "other.mcap")["warnings"].to_string().contains("recorded by version"));
}

/// A full disk ends a run with the file and the reason.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    std::fs::create_dir(path.join("o")).unwrap();
    std::os::unix::fs::symlink("/dev/full", path.join("o/run.mcap")).unwrap();
    let (code, _, told) = fingerpad(path, &["run", "bouncing-ball", "--out", "o"]);
    assert_eq!(code, 2, "{told}");
    assert!(told.contains("run.mcap") && told.contains("No space left"), "{told}");
}

//! Reports in a real browser: Debian's chromium driven by playwright-core (`viewer/test/report.mjs`).

mod program;
#[path = "program/skip.rs"]
mod skip;

use skip::skipped;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const HOSTILE: &str = r#"
[scene]
name = "<b>bold</b> \"quoted\" 'single' & 球"
description = "</script><script>alert(2)</script>"
duration = "0.3 s"
[record]
period = "10 ms"
[solver]
stepper = "fast"
[[body]]
name = "球"
shape = { type = "sphere", radius = "50 mm" }
mass = "1 kg"
position = [0, 0, 0.06]
[[body]]
name = "Ωмега"
shape = { type = "half_space" }
fixed = true
[[pair]]
bodies = ["Ωмега", "球"]
k = 1e5
n = 1.5
c_hc = 0.3
k_t = 5e4
k_theta = 8
e_n = "10 mm"
friction = "coulomb"
mu = 0.6
[[check]]
name = "<img src=x onerror=alert(1)> \"q\" 'p'"
expression = "t > 0"
"#;

/// An octahedron.
const PART: &str = "v 1 0 0\nv -1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nv 0 0 -1\n\
    f 1 3 5\nf 3 2 5\nf 2 4 5\nf 4 1 5\nf 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n";

/// A map of a hill.
const HILL: &str = "ncols 5\nnrows 5\nxllcenter 0\nyllcenter 0\ncellsize 1\n\
    0 0 0 0 0\n0 0.3 0.6 0.3 0\n0 0.6 1 0.6 0\n0 0.3 0.6 0.3 0\n0 0 0 0 0\n";

fn chromium() -> Option<PathBuf> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let known = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].map(PathBuf::from);
    named.into_iter().chain(known).find(|path| path.exists())
}

/// playwright-core, axe-core and typescript under target/, as the lockfile has them; fetched once.
fn packages() -> Option<PathBuf> {
    static FETCHED: OnceLock<Option<PathBuf>> = OnceLock::new();
    FETCHED.get_or_init(fetch).clone()
}

fn fetch() -> Option<PathBuf> {
    let viewer = Path::new(env!("CARGO_MANIFEST_DIR")).join("viewer");
    let room = Path::new(env!("CARGO_TARGET_TMPDIR")).join("viewer-test");
    let lock = std::fs::read(viewer.join("package-lock.json")).ok()?;
    if room.join("node_modules/playwright-core").exists() && std::fs::read(room.join("package-lock.json")).ok()? == lock
    {
        return Some(room);
    }
    std::fs::create_dir_all(&room).ok()?;
    for file in ["package.json", "package-lock.json"] {
        std::fs::copy(viewer.join(file), room.join(file)).ok()?;
    }
    let done =
        Command::new("npm").args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(&room).output();
    done.is_ok_and(|output| output.status.success()).then_some(room)
}

fn run(folder: &Path, arguments: &[&str]) {
    let output = program::fingerpad().arg("run").args(arguments).current_dir(folder).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Opens from disk, plays, seeks, picks a contact, dark, keyboard, no request, no error, nothing that axe-core calls
/// serious; whole without scripts; names with markup stay text. Set FINGERPAD_DOC_IMAGES to a folder for screenshots.
#[test]
fn reports_work_in_a_browser() {
    look("reports_work_in_a_browser", "replay");
}

/// What a frame costs (draw calls and triangles are bounded, times are printed), 200 %, print.
#[test]
fn reports_zoom_and_print() {
    look("reports_zoom_and_print", "layout");
}

/// One part of `viewer/test/report.mjs`.
fn look(test: &str, part: &str) {
    let Some(chromium) = chromium() else { return skipped(test, "no chromium") };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    run(path, &["irregular-map", "--out", "plain", "--set", "solver.stepper=\"fast\"", "--duration", "2.6s"]);
    std::fs::write(path.join("hostile.toml"), HOSTILE).unwrap();
    run(path, &["hostile.toml", "--out", "hostile"]);
    if !std::fs::read_to_string(path.join("plain/report.html")).unwrap().contains("id=\"run\"") {
        return skipped(test, "the program was built without npm");
    }
    std::fs::write(path.join("part.obj"), PART).unwrap();
    std::fs::write(path.join("hill.asc"), HILL).unwrap();
    for (file, name) in [("part.obj", "mesh"), ("hill.asc", "map")] {
        std::fs::create_dir(path.join(name)).unwrap();
        let page = format!("{name}/report.html");
        let output = program::fingerpad().args(["inspect", file, "--html", &page]).current_dir(path).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let Some(packages) = packages() else { return skipped(test, "npm cannot fetch playwright-core") };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("viewer/test/report.mjs");
    let mut node = Command::new("node");
    node.arg(script).arg(part).args([&packages, &chromium]).arg(path).args(std::env::var_os("FINGERPAD_DOC_IMAGES"));
    let Ok(output) = node.output() else { return skipped(test, "no node") };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.code() == Some(3) {
        return skipped(test, "chromium does not start or has no WebGL");
    }
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    println!("{said}");
}

/// The sources of the replay are typed.
#[test]
fn the_viewer_has_no_type_errors() {
    let test = "the_viewer_has_no_type_errors";
    let Some(packages) = packages() else { return skipped(test, "npm cannot fetch typescript") };
    let viewer = Path::new(env!("CARGO_MANIFEST_DIR")).join("viewer");
    std::fs::copy(viewer.join("tsconfig.json"), packages.join("tsconfig.json")).unwrap();
    let sources = packages.join("src");
    let _ = std::fs::remove_dir_all(&sources);
    std::fs::create_dir_all(&sources).unwrap();
    for entry in std::fs::read_dir(viewer.join("src")).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, sources.join(path.file_name().unwrap())).unwrap();
    }
    let output =
        Command::new("node").arg("node_modules/typescript/bin/tsc").arg("--noEmit").current_dir(&packages).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

//! Builds `viewer/` (the 3-D replay inside reports) with npm, if npm is there.
//!
//! 1. `FINGERPAD_VIEWER=path`: takes that bundle.
//! 2. npm found and `FINGERPAD_NO_NPM` unset: copies `viewer/` into `OUT_DIR`, `npm ci`, esbuild; what comes out is kept
//!    in `target/viewer-cache` by the hash of its sources.
//! 3. Otherwise nothing is embedded: reports are whole but for the replay.
//!
//! Nothing is written into the source tree. A failure is a warning, not an error.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

/// Longest time for one command of npm.
const PATIENCE: Duration = Duration::from_secs(240);

fn main() {
    let source = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("viewer");
    println!("cargo:rerun-if-changed=build.rs");
    for part in ["src", "package.json", "package-lock.json"] {
        println!("cargo:rerun-if-changed=viewer/{part}");
    }
    println!("cargo:rerun-if-env-changed=FINGERPAD_VIEWER");
    println!("cargo:rerun-if-env-changed=FINGERPAD_NO_NPM");
    let out = PathBuf::from(env::var("OUT_DIR").unwrap_or_default());
    let bundle = out.join("viewer.js");
    let text = match find(&source, &out) {
        Ok(text) => text,
        Err(why) => {
            println!("cargo:warning=reports will have no 3-D replay: {why}");
            String::new()
        }
    };
    if let Err(e) = fs::write(&bundle, text) {
        println!("cargo:warning={} cannot be written: {e}", bundle.display());
    }
}

/// The bundle, or why there is none.
fn find(source: &Path, out: &Path) -> Result<String, String> {
    if let Ok(path) = env::var("FINGERPAD_VIEWER") {
        println!("cargo:rerun-if-changed={path}");
        return fs::read_to_string(&path).map_err(|e| format!("FINGERPAD_VIEWER={path}: {e}"));
    }
    if env::var_os("FINGERPAD_NO_NPM").is_some() {
        return Err("FINGERPAD_NO_NPM is set".to_string());
    }
    if env::var_os("DOCS_RS").is_some() {
        return Ok(String::new());
    }
    let files = sources(source)?;
    let mut hasher = DefaultHasher::new();
    files.hash(&mut hasher);
    let name = format!("{:016x}.js", hasher.finish());
    // OUT_DIR is target/PROFILE/build/PACKAGE/out.
    let cache = out.ancestors().nth(4).map(|target| target.join("viewer-cache"));
    let cached = cache.as_ref().map(|cache| cache.join(&name));
    if let Some(text) = cached.as_ref().and_then(|path| fs::read_to_string(path).ok()) {
        return Ok(text);
    }
    let room = out.join("viewer");
    let _ = fs::remove_dir_all(&room);
    for (path, bytes) in &files {
        let to = room.join(path);
        let made = to.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&to, bytes));
        made.map_err(|e| format!("{}: {e}", to.display()))?;
    }
    npm(&room, &["ci", "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund", "--loglevel=error"])?;
    npm(&room, &["run", "--silent", "build"])?;
    let made = room.join("dist/viewer.js");
    let text = fs::read_to_string(&made).map_err(|e| format!("{}: {e}", made.display()))?;
    // 35 MB of packages are of no more use.
    let _ = fs::remove_dir_all(room.join("node_modules"));
    if let (Some(cache), Some(cached)) = (cache, cached) {
        let _ = fs::create_dir_all(cache).and_then(|()| fs::write(cached, &text));
    }
    Ok(text)
}

/// Sources of the bundle by path, in order.
fn sources(folder: &Path) -> Result<Vec<(String, Vec<u8>)>, String> {
    let mut names = vec!["package.json".to_string(), "package-lock.json".to_string()];
    let listed = fs::read_dir(folder.join("src")).map_err(|e| format!("viewer/src: {e}"))?;
    names.extend(listed.filter_map(|entry| Some(format!("src/{}", entry.ok()?.file_name().to_str()?))));
    names.sort();
    let read = |name: String| {
        fs::read(folder.join(&name)).map(|b| (name.clone(), b)).map_err(|e| format!("viewer/{name}: {e}"))
    };
    names.into_iter().map(read).collect()
}

/// Runs npm; what it says is told only when it fails.
fn npm(folder: &Path, arguments: &[&str]) -> Result<(), String> {
    let program = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("npm cannot be run: {e}"))?;
    let began = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(_)) => break,
            Ok(None) if began.elapsed() > PATIENCE => {
                let _ = child.kill();
                return Err(format!("npm {} took more than {} s", arguments[0], PATIENCE.as_secs()));
            }
            Ok(None) => std::thread::sleep(Duration::from_millis(50)),
            Err(e) => return Err(format!("npm {}: {e}", arguments[0])),
        }
    }
    let mut said = String::new();
    if let Some(mut stderr) = child.stderr.take() {
        let _ = std::io::Read::read_to_string(&mut stderr, &mut said);
    }
    let line = said.lines().find(|l| l.contains("rror")).or(said.lines().last()).unwrap_or("no message");
    Err(format!("npm {} failed: {line}", arguments[0]))
}

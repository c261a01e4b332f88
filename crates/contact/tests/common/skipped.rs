//! Tests that need what is not part of the project: they say so, and are counted as skipped instead of as passed.
//!
//! libtest knows no test that finds out while it runs that it cannot. So each notes itself in the file that the variable
//! `FINGERPAD_SKIPPED` names, a line a test, and `./check` takes these from what passed.
#![allow(dead_code)] // each test file uses its part

use std::io::Write;
use std::path::{Path, PathBuf};

/// Notes that the test which runs now cannot do its work.
pub fn because(reason: &str) {
    let test = std::thread::current().name().unwrap_or("a test").to_string();
    println!("skipped: {test}: {reason}");
    let Some(file) = std::env::var_os("FINGERPAD_SKIPPED") else { return };
    let opened = std::fs::File::options().append(true).create(true).open(&file);
    // One write for a line, so that tests of several processes do not mix theirs.
    let noted = opened.and_then(|mut file| file.write_all(format!("{test}\t{reason}\n").as_bytes()));
    noted.unwrap_or_else(|e| panic!("{} cannot be written: {e}", Path::new(&file).display()));
}

/// A file of others: maps, scanned objects. `FINGERPAD_ASSETS` names their folder.
pub fn asset(name: &str) -> Option<PathBuf> {
    let crate_ = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = crate_.ancestors().find(|folder| folder.join("Cargo.lock").exists()).unwrap_or(crate_);
    let beside = || root.join("../shared/assets");
    let folder = std::env::var_os("FINGERPAD_ASSETS").map_or_else(beside, PathBuf::from);
    let path = folder.join(name);
    if path.exists() {
        return Some(path);
    }
    because(&format!(
        "{name} is not here (files of others are not part of the project; FINGERPAD_ASSETS names their folder)"
    ));
    None
}

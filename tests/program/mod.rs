//! What whole-program tests share: the program, the oracle's files, JSON in and out.
#![allow(dead_code)] // each test file uses its part

use assert_cmd::Command;
use serde_json::Value;
use std::path::PathBuf;

/// The program under test.
pub fn fingerpad() -> Command {
    Command::new(env!("CARGO_BIN_EXE_fingerpad"))
}

/// A file of reference data.
pub fn oracle(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("crates/contact/tests/oracle").join(name)
}

/// A file of reference data as JSON.
pub fn oracle_json(name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(oracle(name)).unwrap()).unwrap()
}

/// Exit code, stdout and stderr of the program with these arguments and this stdin.
pub fn run(args: &[&str], stdin: &str) -> (i32, String, String) {
    let output = fingerpad().args(args).write_stdin(stdin).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// Exit code and the JSON document on stdout.
pub fn answered(args: &[&str], input: &Value) -> (i32, Value) {
    let (code, stdout, stderr) = run(args, &input.to_string());
    let document = serde_json::from_str(&stdout).unwrap_or_else(|e| panic!("{e}: {stdout:?}, stderr {stderr}"));
    (code, document)
}

/// The numbers of a list.
pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap_or_else(|| panic!("{value} is no list")).iter().map(|x| x.as_f64().unwrap()).collect()
}

/// Largest difference of two lists.
pub fn distance(a: &Value, b: &Value) -> f64 {
    let (a, b) = (numbers(a), numbers(b));
    assert_eq!(a.len(), b.len());
    a.iter().zip(&b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

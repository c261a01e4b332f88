//! Tests that need something of the machine say so and are counted by `./check` when it is absent.

use std::io::Write;

/// Tells that a test was skipped; past the capture of test output, so that `./check` can count it.
pub fn skipped(test: &str, why: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: {why}");
}

//! Every crate we build on may be used in closed and open products alike: licences are read from cargo, not by hand.

use serde_json::Value;
use std::process::Command;

/// Licences without conditions on what is linked to them.
const PERMISSIVE: [&str; 14] = [
    "MIT",
    "MIT-0",
    "Apache-2.0",
    "BSD-1-Clause",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "0BSD",
    "ISC",
    "Zlib",
    "BSL-1.0",
    "Unlicense",
    "CC0-1.0",
    "Unicode-3.0",
    "Unicode-DFS-2016",
];

/// Exceptions that only add permissions.
const EXCEPTIONS: [&str; 1] = ["LLVM-exception"];

/// Whether an SPDX expression leaves a permissive choice. `/` is cargo's old spelling of OR.
///
/// ```text
/// or   = and { "OR" and }        and = atom { "AND" atom }
/// atom = "(" or ")" | licence [ "WITH" exception ]
/// ```
fn is_permissive(expression: &str) -> Result<bool, String> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    let answer = any_of(&mut rest)?;
    if rest.is_empty() { Ok(answer) } else { Err(format!("unexpected `{}` in `{expression}`", rest[0])) }
}

fn take(rest: &mut &[&str], word: &str) -> bool {
    let found = rest.first().is_some_and(|w| w.eq_ignore_ascii_case(word));
    if found {
        *rest = &rest[1..];
    }
    found
}

fn any_of(rest: &mut &[&str]) -> Result<bool, String> {
    let mut answer = all_of(rest)?;
    while take(rest, "OR") {
        answer |= all_of(rest)?;
    }
    Ok(answer)
}

fn all_of(rest: &mut &[&str]) -> Result<bool, String> {
    let mut answer = atom(rest)?;
    while take(rest, "AND") {
        answer &= atom(rest)?;
    }
    Ok(answer)
}

fn atom(rest: &mut &[&str]) -> Result<bool, String> {
    if take(rest, "(") {
        let answer = any_of(rest)?;
        return if take(rest, ")") { Ok(answer) } else { Err("a parenthesis is not closed".to_string()) };
    }
    let (licence, after) = rest.split_first().ok_or("a licence is missing")?;
    if ["OR", "AND", "WITH", ")"].contains(licence) {
        return Err(format!("expected a licence, got `{licence}`"));
    }
    *rest = after;
    let mut answer = PERMISSIVE.contains(licence);
    if take(rest, "WITH") {
        let (exception, after) = rest.split_first().ok_or("an exception is missing")?;
        answer &= EXCEPTIONS.contains(exception);
        *rest = after;
    }
    Ok(answer)
}

/// Choices, duties, exceptions and the old slash; copyleft passes only as one of several choices.
#[test]
fn expressions_are_judged_as_spdx_means_them() {
    let yes = [
        "MIT",
        "MIT OR Apache-2.0",
        "MIT/Apache-2.0",
        "Apache-2.0 WITH LLVM-exception",
        "GPL-3.0-only OR MIT",
        "(MIT OR Apache-2.0) AND Unicode-3.0",
        "Unlicense OR (MIT AND BSD-3-Clause)",
    ];
    let no = [
        "GPL-3.0-only",
        "AGPL-3.0-or-later",
        "LGPL-2.1",
        "MPL-2.0",
        "MIT AND GPL-2.0",
        "(MIT OR Apache-2.0) AND LGPL-3.0",
        "GPL-2.0 WITH Classpath-exception-2.0",
        "Proprietary",
    ];
    for expression in yes {
        assert_eq!(is_permissive(expression), Ok(true), "{expression}");
    }
    for expression in no {
        assert_eq!(is_permissive(expression), Ok(false), "{expression}");
    }
    for broken in ["", "MIT OR", "(MIT", "MIT Apache-2.0", "AND MIT", "MIT WITH"] {
        assert!(is_permissive(broken).is_err(), "{broken}");
    }
}

/// Would catch a dependency, however deep, that binds those who link to us.
#[test]
fn every_crate_in_the_lock_file_has_a_permissive_licence() {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 10);
    let judge = |package: &Value| -> Option<String> {
        let (name, version) = (package["name"].as_str()?, package["version"].as_str()?);
        let verdict = match package["license"].as_str() {
            None => Err("no licence expression".to_string()),
            Some(licence) => is_permissive(licence).map(|ok| (ok, licence)),
        };
        match verdict {
            Ok((true, _)) => None,
            Ok((false, licence)) => {
                Some(format!("{name} {version}: {licence} is not on the list of permissive licences"))
            }
            Err(why) => Some(format!("{name} {version}: {why}")),
        }
    };
    let offenders: Vec<String> = packages.iter().filter_map(judge).collect();
    assert!(offenders.is_empty(), "{}", offenders.join("\n"));
}

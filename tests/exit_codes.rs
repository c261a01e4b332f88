//! How the program ends: codes, empty stdout where nothing was done, closed pipes, Ctrl-C.

mod program;

use program::{oracle, run};
use std::process::{Command, Stdio};

/// Unreadable, not JSON, no list, bad options: 2, a message on stderr, nothing on stdout.
#[test]
fn nothing_done_is_two_with_an_empty_stdout() {
    let cases: [(&[&str], &str, &str); 12] = [
        (&["query", "closest", "/no/such/file.json", "--json"], "", "/no/such/file.json"),
        (&["query", "closest", "-", "--json"], "", "standard input:1:0"),
        (&["query", "closest", "-", "--json"], "{\"pairs\": [\n  {\"id\": nan}]}", "standard input:2:11: not JSON"),
        (&["query", "closest", "-", "--json"], "[]", "expected a JSON object"),
        (&["query", "closest", "-", "--json"], "{\"pair\": []}", "expected a list `pairs`"),
        (&["query", "closest", "-", "--json"], "{\"pairs\": 3}", "got 3"),
        (&["query", "closest", "-", "--json"], "{\"pairs\": [{\"x\": 1e999}]}", "standard input:1"),
        (&["query", "closest", "-", "--threads", "0"], "", "threads"),
        (&["query", "closest"], "", "required"),
        (&["query", "closest", "--shape1", "sphere radius=ten=2", "--shape2", "half_space", "-"], "", "cannot be used"),
        (&["query", "nothing"], "", "unrecognized"),
        (&["reproduce", "--out"], "", "--out"),
    ];
    for (args, stdin, message) in cases {
        let (code, out, err) = run(args, stdin);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {err}");
        assert!(err.contains(message), "{args:?}: {err}");
    }
}

/// An empty list is answered in full.
#[test]
fn an_empty_list_is_all_answered() {
    let (code, out, err) = run(&["query", "closest", "-", "--json"], "{\"pairs\": []}");
    assert_eq!((code, out.as_str(), err.as_str()), (0, "{\n  \"pairs\": []\n}\n", ""));
}

/// Every command explains itself with an example; version and completions work.
#[test]
fn help_has_an_example_everywhere() {
    let commands: [&[&str]; 14] = [
        &[],
        &["grasp"],
        &["run"],
        &["query", "bowl"],
        &["query", "closest"],
        &["query", "elevation"],
        &["query", "fit"],
        &["query", "patch"],
        &["query", "limit-surface"],
        &["query", "slip"],
        &["query", "lcp"],
        &["inspect"],
        &["reproduce"],
        &["completions"],
    ];
    for command in commands {
        let (code, out, _) = run(&[command, &["--help"]].concat(), "");
        assert!(code == 0 && out.contains("Example") && out.contains("fingerpad "), "{command:?}: {out}");
    }
    assert_eq!(run(&["--version"], "").1, format!("fingerpad {}\n", env!("CARGO_PKG_VERSION")));
    for shell in ["bash", "zsh", "fish"] {
        let (code, out, _) = run(&["completions", shell], "");
        assert!(code == 0 && out.contains("fingerpad"));
    }
}

/// `| head` leaves early: no panic, no complaint.
#[test]
fn a_closed_pipe_is_no_panic() {
    let oracle = oracle("ellipsoid_pairs.json");
    let commands: [&[&str]; 3] =
        [&["query", "closest", oracle.to_str().unwrap(), "--json"], &["completions", "bash"], &["--help"]];
    for args in commands {
        let mut child = Command::new(env!("CARGO_BIN_EXE_fingerpad"))
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(0) && err.is_empty(), "{args:?}: {:?} {err}", output.status);
    }
}

/// Ctrl-C ends with 130, also while waiting for stdin.
#[cfg(unix)]
#[test]
fn an_interrupt_ends_with_130() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_fingerpad"))
        .args(["query", "closest", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // Held until the end: `wait` closes it, and an end of input would race with the signal.
    let stdin = child.stdin.take();
    // The handler stands once the program waits for input; it starts in milliseconds, we give it a second.
    std::thread::sleep(std::time::Duration::from_secs(1));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    drop(stdin);
}

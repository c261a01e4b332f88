//! Every command and code block of README and docs does what its page says: commands are run by the program under test in
//! a folder of their own, scenes are read, JSON is parsed.
//!
//! A fenced block may carry a note behind its language:
//!
//! - `sh exit-1`: its last command ends with exit code 1;
//! - `sh not-run WHY`: it is not run, and counted;
//! - `toml NAME`, `text NAME`, `json NAME`: it is saved as the file NAME, which later blocks of the page use;
//! - `toml part`: all such blocks of a page, one after the other, are one scene, which runs in two steppers and meets its checks.

mod pages;
mod program;
#[path = "program/skip.rs"]
mod skip;

use pages::{Block, blocks, pages, root, text};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

/// Commands of a page may take this long together; on a free machine none takes more than a few seconds.
const PATIENCE: Duration = Duration::from_secs(600);

/// What happened to the lines of the blocks.
#[derive(Default)]
struct Count {
    /// Lines that were run.
    run: usize,
    /// Lines that only name something (a test, a benchmark, an example), which was found.
    named: usize,
    /// Lines of blocks that say they are not run.
    not_run: usize,
    /// Files that were saved, documents that were read.
    read: usize,
    wrong: Vec<String>,
}

/// A folder for the commands of one page: the program on the path, the folders of the project by their names.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["examples", "scenes", "crates", "docs", "benches", "robots"] {
        link(&root().join(name), &folder.path().join(name));
    }
    std::fs::create_dir(folder.path().join(".bin")).unwrap();
    link(Path::new(env!("CARGO_BIN_EXE_fingerpad")), &folder.path().join(".bin/fingerpad"));
    folder
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) {
    std::os::unix::fs::symlink(from, to).unwrap();
}

#[cfg(not(unix))]
fn link(from: &Path, to: &Path) {
    let _ = (from, to);
}

/// The program that `cargo run --example NAME` would start, where the tests have built it.
fn example(name: &str) -> Option<PathBuf> {
    let program = Path::new(env!("CARGO_BIN_EXE_fingerpad")).parent()?.join("examples").join(name);
    program.exists().then_some(program)
}

/// What a line of a block is.
enum Line {
    /// A command for the shell.
    Run(String),
    /// It names something that is there and is not run.
    Named,
    /// It names something that is not there.
    Missing(String),
}

/// A line such as `cargo test -p fingerpad-sim --test bowl`: are its package and its targets there?
fn named(line: &str) -> Line {
    let words: Vec<&str> = line.split_whitespace().take_while(|w| !w.starts_with('#') && *w != "--").collect();
    let value = |option: &str| {
        words.iter().zip(words.iter().skip(1)).filter(|(w, _)| **w == option).map(|(_, v)| *v).collect::<Vec<_>>()
    };
    let package =
        value("-p").first().map_or_else(root, |p| root().join("crates").join(p.trim_start_matches("fingerpad-")));
    let manifest = std::fs::read_to_string(package.join("Cargo.toml")).unwrap_or_default();
    if manifest.is_empty() {
        return Line::Missing(format!("no package {}", package.display()));
    }
    for (option, place) in [("--test", "tests"), ("--bench", "benches"), ("--example", "examples")] {
        for name in value(option) {
            let there = package.join(place).join(format!("{name}.rs")).exists()
                || package.join(place).join(name).join("main.rs").exists()
                || manifest.contains(&format!("name = \"{name}\""));
            if !there {
                return Line::Missing(format!("{} has no {place}/{name}.rs", package.display()));
            }
        }
    }
    Line::Named
}

fn understood(line: &str) -> Line {
    if let Some(rest) = line.strip_prefix("cargo run --release -- ") {
        return Line::Run(format!("fingerpad {rest}"));
    }
    if let Some(rest) = line.strip_prefix("cargo run --release --example ") {
        let (name, options) = rest.split_once(" -- ").unwrap_or((rest, ""));
        let name = name.split_whitespace().next().unwrap_or("");
        let quick = ["patch", "limit_surface", "closed_loop", "ball_over_a_map", "grasp", "drive_a_scene"];
        return match example(name).filter(|_| quick.contains(&name)) {
            Some(program) => Line::Run(format!("{} {options}", program.display())),
            None => named(line),
        };
    }
    let first = line.split_whitespace().find(|w| !w.contains('=')).unwrap_or("");
    match first {
        "cargo" => named(line),
        "./check" => Line::Named,
        "python3" => {
            let file = line.split_whitespace().skip_while(|w| *w != "python3").nth(1).unwrap_or("");
            if root().join(file).exists() { Line::Named } else { Line::Missing(format!("no file {file}")) }
        }
        "mdbook" => Line::Named,
        _ => Line::Run(line.to_string()),
    }
}

/// Commands of a block, one a line; a line that ends with `\` goes on.
fn commands(block: &Block) -> Vec<String> {
    let joined = block.body.replace("\\\n", " ");
    joined.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')).map(String::from).collect()
}

fn shell(command: &str, folder: &Path) -> (i32, String) {
    let path = format!("{}:{}", folder.join(".bin").display(), std::env::var("PATH").unwrap_or_default());
    let output = assert_cmd::Command::new("sh")
        .args(["-c", command])
        .current_dir(folder)
        .env("PATH", path)
        .timeout(PATIENCE)
        .output()
        .unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    (output.status.code().unwrap_or(-1), said)
}

fn try_shell(page: &Path, block: &Block, folder: &Path, count: &mut Count) {
    let lines = commands(block);
    if let Some(why) = block.note.strip_prefix("not-run") {
        assert!(!why.trim().is_empty(), "{}:{}: say why it is not run", page.display(), block.line);
        count.not_run += lines.len();
        return;
    }
    for (at, line) in lines.iter().enumerate() {
        let expected = if block.note == "exit-1" && at + 1 == lines.len() { 1 } else { 0 };
        match understood(line) {
            Line::Named => count.named += 1,
            Line::Missing(why) => count.wrong.push(format!("{}:{}: {line}: {why}", page.display(), block.line)),
            Line::Run(command) => {
                let (code, said) = shell(&command, folder);
                count.run += 1;
                if code != expected {
                    let place = format!("{}:{}", page.display(), block.line);
                    count.wrong.push(format!("{place}: {line}: exit code {code}, expected {expected}\n{said}"));
                }
            }
        }
    }
}

/// Runs the scene that the `part` blocks of a page make together.
fn try_parts(page: &Path, blocks: &[Block], folder: &Path, count: &mut Count) {
    let parts: Vec<&str> =
        blocks.iter().filter(|block| block.note == "part").map(|block| block.body.as_str()).collect();
    if parts.is_empty() {
        return;
    }
    let scene = parts.join("\n");
    let asked = scene.matches("[[check]]").count();
    assert!(asked > 0, "{}: a scene of parts asks nothing", page.display());
    std::fs::write(folder.join("parts.toml"), scene).unwrap();
    for stepper in ["fast", "rigid"] {
        let (code, said) =
            shell(&format!("fingerpad run parts.toml --out parts --set solver.stepper={stepper}"), folder);
        count.run += 1;
        // Lines of checks that are met begin with `ok`.
        let met = said.lines().filter(|line| line.starts_with("ok ")).count();
        if code != 0 || met != asked {
            count.wrong.push(format!("{}: its parts, {stepper}: exit code {code}\n{said}", page.display()));
        }
    }
}

/// Saves blocks that are files, reads scenes and JSON.
fn try_file(page: &Path, block: &Block, folder: &Path, count: &mut Count) {
    let place = format!("{}:{}", page.display(), block.line);
    if !block.note.is_empty() {
        std::fs::write(folder.join(&block.note), &block.body).unwrap();
        count.read += 1;
        // A file that is shipped as well is the same there.
        let shipped = root().join("examples/grasps").join(&block.note);
        if std::fs::read_to_string(&shipped).is_ok_and(|kept| kept != block.body) {
            count.wrong.push(format!("{place}: differs from {}", shipped.display()));
        }
    }
    if block.language == "json" && serde_json::from_str::<serde_json::Value>(&block.body).is_err() {
        count.wrong.push(format!("{place}: not JSON"));
    }
    if block.language == "toml" {
        if let Err(error) = toml::de::DeTable::parse(&block.body) {
            count.wrong.push(format!("{place}: {error}"));
        } else if block.body.contains("[scene]") {
            let name = if block.note.is_empty() { "block.toml" } else { &block.note };
            std::fs::write(folder.join(name), &block.body).unwrap();
            let (code, said) = shell(&format!("fingerpad inspect {name}"), folder);
            count.read += 1;
            if code != 0 {
                count.wrong.push(format!("{place}: the scene cannot be read: {said}"));
            }
        }
    }
}

fn try_page(page: &Path) -> Count {
    let mut count = Count::default();
    let blocks = blocks(&text(page));
    if blocks.is_empty() {
        return count;
    }
    let folder = folder();
    for block in &blocks {
        match block.language.as_str() {
            "sh" => try_shell(page, block, folder.path(), &mut count),
            "toml" if block.note == "part" => count.read += 1,
            "toml" | "json" | "text" | "obj" => try_file(page, block, folder.path(), &mut count),
            // Doc tests of the crates run Rust; what has no language shows output or a sketch.
            "rust" | "python" | "" => {}
            other => count.wrong.push(format!("{}:{}: what is `{other}`?", page.display(), block.line)),
        }
        // Commands of people stand in blocks that are run.
        if block.language.is_empty() && block.body.lines().any(|line| line.starts_with("fingerpad ")) {
            count.wrong.push(format!("{}:{}: commands in a block without `sh`", page.display(), block.line));
        }
    }
    try_parts(page, &blocks, folder.path(), &mut count);
    count
}

/// All blocks of all pages.
#[cfg(unix)]
#[test]
fn every_block_of_the_pages_does_what_it_says() {
    let left = Mutex::new(pages());
    let all = Mutex::new(Count::default());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(page) = left.lock().unwrap().pop() else { break };
                    let one = try_page(&page);
                    let mut all = all.lock().unwrap();
                    all.run += one.run;
                    all.named += one.named;
                    all.not_run += one.not_run;
                    all.read += one.read;
                    all.wrong.extend(one.wrong);
                }
            });
        }
    });
    let all = all.into_inner().unwrap();
    println!(
        "{} commands run, {} name tests and the like that are there, {} not run, {} files and scenes read",
        all.run, all.named, all.not_run, all.read
    );
    assert!(all.wrong.is_empty(), "{}", all.wrong.join("\n"));
    assert!(all.run >= 40 && all.read >= 5, "{} run, {} read: is the reader of blocks broken?", all.run, all.read);
    if all.not_run > 0 {
        skip::skipped("lines of documentation", &format!("{} lines stand in blocks marked not-run", all.not_run));
    }
}

/// Inline code such as `fingerpad run bowl-map` names commands that exist.
#[test]
fn commands_named_in_running_text_exist() {
    let (code, help, _) = program::run(&["--help"], "");
    assert_eq!(code, 0);
    let known: Vec<&str> = help
        .lines()
        .skip_while(|l| !l.starts_with("Commands:"))
        .take_while(|l| !l.starts_with("Options:"))
        .filter_map(|l| l.strip_prefix("  ")?.split_whitespace().next())
        .collect();
    assert!(known.contains(&"run") && known.contains(&"man"), "{known:?}");
    for page in pages() {
        let text = text(&page);
        for (number, line) in pages::prose(&text) {
            for code in line.split('`').skip(1).step_by(2) {
                let mut words = code.split_whitespace();
                if words.next() == Some("fingerpad")
                    && let Some(word) = words.next().filter(|w| !w.starts_with('-'))
                {
                    assert!(known.contains(&word), "{}:{number}: `{code}`: no command {word}", page.display());
                }
            }
        }
    }
}

/// `--help` of every command has an example.
#[test]
fn help_of_every_command_has_an_example() {
    let queries = ["closest", "elevation", "fit", "patch", "limit-surface", "slip", "lcp", "bowl", "tree"];
    let mut commands: Vec<Vec<&str>> =
        ["run", "planar", "grasp", "inspect", "recover", "reproduce", "completions", "man", "query"]
            .iter()
            .map(|c| vec![*c])
            .collect();
    commands.extend(queries.iter().map(|q| vec!["query", q]));
    for mut command in commands {
        command.push("--help");
        let (code, help, _) = program::run(&command, "");
        assert_eq!(code, 0);
        assert!(help.contains("Example") && help.contains("fingerpad "), "{command:?}: {help}");
    }
}

/// Manual pages and completions name every command; pages are roff.
#[test]
fn manual_pages_and_completions_know_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("man1");
    let (code, said, err) = program::run(&["man", "--out", out.to_str().unwrap()], "");
    assert_eq!((code, err.as_str()), (0, ""), "{said}");
    for name in ["fingerpad", "fingerpad-run", "fingerpad-query-patch", "fingerpad-man"] {
        let page = std::fs::read_to_string(out.join(format!("{name}.1"))).unwrap();
        assert!(page.contains(".TH") && page.contains(".SH OPTIONS"), "{name}: {page}");
    }
    let (code, page, _) = program::run(&["man"], "");
    assert_eq!(code, 0);
    assert!(page.contains("fingerpad\\-reproduce") && page.contains("fingerpad run bowl"), "{page}");
    for shell in ["bash", "zsh", "fish"] {
        let (code, script, _) = program::run(&["completions", shell], "");
        assert!(code == 0 && script.contains("limit-surface") && script.contains("reproduce"), "{shell}");
    }
}

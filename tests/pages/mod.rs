//! Pages of documentation as tests see them: files, fenced blocks, headings, links.
#![allow(dead_code)] // each test file uses its part

use std::path::{Component, Path, PathBuf};

/// The folder of the project.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every page that people read: those of `docs/` and the ones beside it, by their path from the root.
pub fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> =
        ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md"].iter().map(PathBuf::from).collect();
    for folder in ["docs", "docs/decisions"] {
        let mut found: Vec<PathBuf> = std::fs::read_dir(root().join(folder))
            .unwrap()
            .map(|entry| Path::new(folder).join(entry.unwrap().file_name()))
            .filter(|path| path.extension().is_some_and(|e| e == "md"))
            .collect();
        found.sort();
        pages.extend(found);
    }
    pages
}

/// The text of a page.
pub fn text(page: &Path) -> String {
    std::fs::read_to_string(root().join(page)).unwrap_or_else(|e| panic!("{}: {e}", page.display()))
}

/// A fenced block.
#[derive(Debug)]
pub struct Block {
    /// First word behind the fence: `sh`, `toml`, …
    pub language: String,
    /// What follows it: a file name, or how the block is to be run.
    pub note: String,
    /// Number of its first line.
    pub line: usize,
    /// What is between the fences.
    pub body: String,
}

/// The fenced blocks of a page.
pub fn blocks(text: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    for (number, line) in text.lines().enumerate() {
        let Some(info) = line.trim_start().strip_prefix("```") else {
            if let Some(block) = &mut open {
                block.body.push_str(line);
                block.body.push('\n');
            }
            continue;
        };
        match open.take() {
            Some(block) => found.push(block),
            None => {
                let (language, note) = info.trim().split_once(' ').unwrap_or((info.trim(), ""));
                let (language, note) = (language.to_string(), note.trim().to_string());
                open = Some(Block { language, note, line: number + 2, body: String::new() });
            }
        }
    }
    assert!(open.is_none(), "a fenced block is not closed");
    found
}

/// The lines of a page outside of fenced blocks, with their numbers.
pub fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut inside = false;
    let mut lines = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
        } else if !inside {
            lines.push((number + 1, line));
        }
    }
    lines
}

/// The anchors of a page's headings, as GitHub and mdbook make them.
pub fn anchors(text: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    for (_, line) in prose(text) {
        let Some(heading) = line.strip_prefix('#').map(|rest| rest.trim_start_matches('#')) else { continue };
        let anchor: String = heading
            .trim()
            .to_lowercase()
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
            .map(|c| if c == ' ' { '-' } else { c })
            .collect();
        anchors.push(anchor);
    }
    anchors
}

/// The targets of the links of one line, `[text](target)`.
pub fn links(line: &str) -> Vec<&str> {
    // Code between backticks holds no links.
    let plain = line.split('`').step_by(2);
    plain.flat_map(|part| part.split("](").skip(1).filter_map(|rest| rest.split(')').next())).collect()
}

/// `a/b/../c` as `a/c`, without asking the disk.
pub fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

//! The pages of documentation hang together: links lead somewhere, the summary names every page.

mod pages;

use pages::{anchors, links, pages, plain, prose, root, text};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Every link from a page to a file leads to one that is there, and every `#anchor` to a heading of its page.
#[test]
fn every_link_between_pages_leads_somewhere() {
    let mut wrong = Vec::new();
    let mut checked = 0;
    for page in pages() {
        let text = text(&page);
        for (number, line) in prose(&text) {
            for link in links(line).into_iter().filter(|l| !l.starts_with("http") && !l.starts_with("mailto:")) {
                checked += 1;
                let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
                let target = if file.is_empty() { page.clone() } else { plain(&page.parent().unwrap().join(file)) };
                let place = format!("{}:{number}: {link}", page.display());
                if !root().join(&target).exists() {
                    wrong.push(format!("{place}: no such file"));
                } else if !anchor.is_empty()
                    && target.extension().is_some_and(|e| e == "md")
                    && !anchors(&pages::text(&target)).iter().any(|known| known == anchor)
                {
                    wrong.push(format!("{place}: no such heading"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(checked > 100, "only {checked} links were found: is the reader of links broken?");
}

/// Every page of `docs/` stands in the summary, or a page does that links it; the summary names nothing that is not there.
#[test]
fn the_summary_leads_to_every_page() {
    let summary = text(Path::new("docs/SUMMARY.md"));
    let to = |page: &Path, link: &str| plain(&page.parent().unwrap().join(link.split('#').next().unwrap()));
    let named: Vec<PathBuf> = summary.lines().flat_map(links).map(|l| to(Path::new("docs/SUMMARY.md"), l)).collect();
    let once: BTreeSet<&PathBuf> = named.iter().collect();
    assert_eq!(once.len(), named.len(), "a page stands twice in docs/SUMMARY.md");
    let mut reached: BTreeSet<PathBuf> = named.iter().cloned().collect();
    for page in &named {
        assert!(root().join(page).exists(), "docs/SUMMARY.md names {}, which is not there", page.display());
        let text = text(page);
        reached.extend(prose(&text).into_iter().flat_map(|(_, line)| links(line)).map(|link| to(page, link)));
    }
    for page in pages().iter().filter(|p| p.starts_with("docs") && !p.ends_with("SUMMARY.md")) {
        assert!(reached.contains(page), "{} is not in docs/SUMMARY.md, nor linked by a page that is", page.display());
    }
}

/// Tables are whole: every row of a table has as many cells as its head.
#[test]
fn every_row_of_a_table_has_the_cells_of_its_head() {
    let cells = |line: &str| line.replace("\\|", "").matches('|').count();
    let mut wrong = Vec::new();
    for page in pages() {
        let text = text(&page);
        let mut head: Option<usize> = None;
        for (number, line) in prose(&text) {
            if !line.starts_with('|') {
                head = None;
                continue;
            }
            let here = cells(line);
            match head {
                Some(count) if count != here => wrong.push(format!(
                    "{}:{number}: {} cells where the head of the table has {}",
                    page.display(),
                    here - 1,
                    count - 1
                )),
                _ => head = Some(here),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Papers are called by letters only on pages that say which paper that is, or that link the page which does.
#[test]
fn letters_of_papers_are_explained() {
    for page in pages().into_iter().filter(|p| p.starts_with("docs") && p.parent() == Some(Path::new("docs"))) {
        let text = text(&page);
        let by_letter = ["paper A", "paper B", "paper C", "paper D"].iter().any(|name| text.contains(name));
        let explained = text.contains("papers.md") || ["papers.md", "references.md"].iter().any(|n| page.ends_with(n));
        assert!(
            !by_letter || explained,
            "{} speaks of a paper by its letter without linking papers.md",
            page.display()
        );
    }
}

/// All Rust files of the program and its crates as one text, with texts that go on over a line joined.
fn sources(folder: &Path, text: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            sources(&entry, text);
        } else if entry.extension().is_some_and(|e| e == "rs") {
            let lines = std::fs::read_to_string(&entry).unwrap();
            for line in lines.lines() {
                match line.trim_start().strip_suffix('\\') {
                    Some(part) => text.push_str(part),
                    None => {
                        text.push_str(line.trim_start());
                        text.push('\n');
                    }
                }
            }
        }
    }
}

/// Words of messages that docs/troubleshooting.md explains are words that the program says.
#[test]
fn messages_that_are_explained_exist() {
    let mut said = String::new();
    sources(&root().join("src"), &mut said);
    for one in std::fs::read_dir(root().join("crates")).unwrap() {
        sources(&one.unwrap().path().join("src"), &mut said);
    }
    let page = text(Path::new("docs/troubleshooting.md"));
    let mut count = 0;
    for (number, line) in prose(&page).into_iter().filter(|(_, line)| line.starts_with("| `")) {
        let first = line[2..].split(" | ").next().unwrap();
        for piece in first.split('`').skip(1).step_by(2).flat_map(|words| words.split('…')).map(str::trim) {
            assert!(said.contains(piece), "docs/troubleshooting.md:{number}: the program never says `{piece}`");
            count += 1;
        }
    }
    assert!(count > 30, "only {count} messages were found");
}

//! The pages of documentation as a site: `mdbook` builds it without complaint, and every link of the built site leads
//! to a file and a heading that are in it.

mod pages;
#[path = "program/skip.rs"]
mod skip;

use pages::{root, text};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The `mdbook` of the path, or the one that `./check` installed.
fn mdbook() -> Option<PathBuf> {
    let installed = root().join("target/mdbook/bin/mdbook");
    let found = |program: &Path| Command::new(program).arg("--version").output().is_ok_and(|o| o.status.success());
    [PathBuf::from("mdbook"), installed].into_iter().find(|program| found(program))
}

/// Values of `key="…"` in a page.
fn values<'a>(page: &'a str, key: &str) -> Vec<&'a str> {
    let opening = format!(" {key}=\"");
    page.split(opening.as_str()).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// Every HTML file below a folder, by its path from there.
fn built_pages(folder: &Path, below: &Path, found: &mut BTreeMap<PathBuf, String>) {
    for entry in std::fs::read_dir(folder.join(below)).unwrap().map(|entry| entry.unwrap()) {
        let path = below.join(entry.file_name());
        if entry.path().is_dir() {
            built_pages(folder, &path, found);
        } else if path.extension().is_some_and(|e| e == "html") {
            let page = std::fs::read_to_string(entry.path()).unwrap();
            found.insert(path, page);
        }
    }
}

#[test]
fn mdbook_builds_a_site_whose_links_lead_somewhere() {
    let Some(mdbook) = mdbook() else {
        skip::skipped(
            "mdbook_builds_a_site_whose_links_lead_somewhere",
            "mdbook is not installed (cargo install mdbook)",
        );
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let built = Command::new(mdbook).args(["build", "--dest-dir"]).arg(folder.path()).arg(root()).output().unwrap();
    let said = String::from_utf8_lossy(&built.stderr).into_owned();
    assert!(built.status.success() && !said.contains("ERROR") && !said.contains("WARN"), "{said}");

    let mut site = BTreeMap::new();
    built_pages(folder.path(), Path::new(""), &mut site);
    let summary = text(Path::new("docs/SUMMARY.md"));
    for chapter in summary.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
        // mdbook calls the page of a folder's README its index.
        let page = chapter.replace("README.md", "index.md").replace(".md", ".html");
        assert!(site.contains_key(Path::new(&page)), "docs/SUMMARY.md names {chapter}, the site has no {page}");
    }

    let anchors: BTreeMap<&PathBuf, BTreeSet<&str>> =
        site.iter().map(|(path, page)| (path, values(page, "id").into_iter().collect())).collect();
    let (mut wrong, mut checked) = (Vec::new(), 0);
    // `print.html` holds every page once more, with the links of pages in other folders; `404.html` is served anywhere.
    for (path, page) in site.iter().filter(|(path, _)| !path.ends_with("print.html") && !path.ends_with("404.html")) {
        for link in values(page, "href").into_iter().chain(values(page, "src")) {
            if ["http:", "https:", "mailto:", "data:"].iter().any(|scheme| link.starts_with(scheme)) {
                continue;
            }
            checked += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => path.clone(),
                file => pages::plain(&path.parent().unwrap_or(Path::new("")).join(file)),
            };
            if !folder.path().join(&target).exists() {
                wrong.push(format!("{}: {link}: no such file in the site", path.display()));
            } else if !anchor.is_empty() && anchors.get(&target).is_some_and(|known| !known.contains(anchor)) {
                wrong.push(format!("{}: {link}: no such heading in the site", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(checked > 500, "only {checked} links were found: is the reader of links broken?");
}

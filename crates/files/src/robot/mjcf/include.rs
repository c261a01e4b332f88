//! # Includes: other files in place of `<include>`
//!
//! - **in**: the root element of the robot's own file
//! - **out**: one tree of elements; each still knows its own file
//! - **assumes**: paths are relative to the folder of the robot's own file, as in MuJoCo; no file is included twice
//! - **start at** [`expand`]

use super::super::LONGEST;
use super::super::paths::NoFile;
use super::super::reader::Reader;
use super::super::xml::{self, DEEPEST, Element};
use crate::input;
use crate::scene::error::Source;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Most files of one robot.
const MOST_FILES: usize = 500;

/// Puts included elements in place.
pub(super) fn expand(reader: &mut Reader<'_>, root: Element) -> Element {
    let mut seen: HashSet<PathBuf> = reader.files.iter().filter_map(|f| f.canonicalize().ok()).collect();
    inside(reader, root, &mut seen, 0)
}

fn inside(reader: &mut Reader<'_>, mut element: Element, seen: &mut HashSet<PathBuf>, depth: usize) -> Element {
    if depth > DEEPEST {
        reader.wrong(&element, format!("elements are nested deeper than {DEEPEST}"));
        element.children.clear();
        return element;
    }
    let mut children = Vec::with_capacity(element.children.len());
    for child in element.children {
        if child.name != "include" {
            children.push(inside(reader, child, seen, depth + 1));
            continue;
        }
        if let Some(included) = load(reader, &child, seen) {
            let included = inside(reader, included, seen, depth);
            children.extend(included.children);
        }
    }
    element.children = children;
    element
}

fn load(reader: &mut Reader<'_>, element: &Element, seen: &mut HashSet<PathBuf>) -> Option<Element> {
    reader.attributes(element, &["file"], &[("prefix", "has no effect")]);
    let attribute = reader.required(element, "file")?;
    let path = match reader.resolve(&attribute.value, Path::new("")) {
        Ok(path) => path,
        Err(NoFile::Absent(why) | NoFile::Refused(why)) => {
            reader.wrong_value(element, attribute, why);
            return None;
        }
    };
    if !seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone())) {
        let message = format!("{} is included already; a file can be included once", path.display());
        reader.wrong_value(element, attribute, message);
        return None;
    }
    if reader.sources.len() >= MOST_FILES {
        reader.wrong(element, format!("more than {MOST_FILES} files make one robot"));
        return None;
    }
    let text = match input::read_text(&path, LONGEST) {
        Ok(text) => text,
        Err(e) => {
            reader.wrong_value(element, attribute, format!("{}: {e}", path.display()));
            return None;
        }
    };
    let parsed = xml::parse(&text, reader.sources.len());
    reader.sources.push(Source { name: path.display().to_string(), text });
    reader.files.push(path);
    parsed.map_err(|problem| reader.problem(problem)).ok()
}

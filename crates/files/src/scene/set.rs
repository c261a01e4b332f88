//! # Set: a value of a scene replaced from outside
//!
//! `body.ball.velocity=[1, 0, 0]`, `pair.0.mu=0.3`, `materials.rubber.young=0.3 MPa` ──▶ **here** ──▶ the document
//!
//! - **in**: a document, and `path=value`
//! - **out**: the document with the value in its place; its span points into the option
//! - **not here**: whether keys and values make sense: the readers see them as if they stood in the file
//! - **start at** [`apply`]

use super::error::{Problem, Span};
use super::tree::{self, Entry, Node, Value};
use crate::nearest::nearest;

/// Most names of a path.
const DEEPEST: usize = 20;

/// Applies one `path=value`; `source` is the number of its text.
pub(crate) fn apply(root: &mut Node, option: &str, source: usize) -> Result<(), Vec<Problem>> {
    let all = Span { source, range: 0..option.len() };
    let one = |problem: Problem| vec![problem];
    let Some((path, value)) = option.split_once('=') else {
        return Err(one(Problem::new(all, "expected path=value, such as `scene.duration=2`")));
    };
    if path.matches('.').count() >= DEEPEST {
        return Err(one(Problem::new(all, format!("a path has at most {DEEPEST} names"))));
    }
    let value = read(option, path, value, source)?;
    let mut at = root;
    let mut start = 0;
    let segments: Vec<&str> = path.split('.').collect();
    for (i, raw) in segments.iter().enumerate() {
        let segment = raw.trim();
        let span = Span { source, range: start..start + raw.len() };
        start += raw.len() + 1;
        if segment.is_empty() {
            return Err(one(Problem::new(all, "expected names between dots, such as `scene.duration=2`")));
        }
        let last = i + 1 == segments.len();
        at = step(at, segment, span, last).map_err(one)?;
    }
    *at = value;
    Ok(())
}

/// The value as TOML, or as text where it is none: `0.3 MPa`, `fast`.
fn read(option: &str, path: &str, value: &str, source: usize) -> Result<Node, Vec<Problem>> {
    // A key as long as the path, so that places in it are places in the option.
    let text = format!("v{}={value}", " ".repeat(path.len().saturating_sub(1)));
    let span = Span { source, range: path.len() + 1..option.len() };
    match tree::parse(&text, source) {
        Ok(Node { value: Value::Table(mut entries), .. }) if entries.len() == 1 => {
            Ok(entries.pop().map_or(Node { span, value: Value::Date }, |entry| entry.node))
        }
        Ok(_) => Err(vec![Problem::new(span, "expected one value")]),
        Err(problems) => {
            let bare = value.trim();
            let like_toml = bare.is_empty() || bare.starts_with(['[', '{', '"', '\'']) || bare.contains('\n');
            if like_toml { Err(problems) } else { Ok(Node { span, value: Value::Text(bare.to_string()) }) }
        }
    }
}

/// The node one step further; a table gains a key that it lacks.
fn step<'a>(node: &'a mut Node, segment: &str, span: Span, last: bool) -> Result<&'a mut Node, Problem> {
    let kind = node.kind();
    match &mut node.value {
        Value::Table(entries) => {
            let found = entries.iter().position(|entry| entry.key == segment);
            let k = found.unwrap_or_else(|| {
                let value = if last { Value::Date } else { Value::Table(Vec::new()) };
                entries.push(Entry {
                    key: segment.to_string(),
                    key_span: span.clone(),
                    node: Node { span: span.clone(), value },
                });
                entries.len() - 1
            });
            Ok(&mut entries[k].node)
        }
        Value::List(list) => {
            // A drive without a name has that of its joint.
            let name = |node: &Node| match node.get("name").or_else(|| node.get("joint")).map(|n| &n.value) {
                Some(Value::Text(name)) => Some(name.clone()),
                _ => None,
            };
            let names: Vec<String> = list.iter().filter_map(name).collect();
            let by_name = list.iter().position(|item| name(item).as_deref() == Some(segment));
            let index = by_name.or_else(|| segment.parse::<usize>().ok().filter(|k| *k < list.len()));
            match index {
                Some(k) => Ok(&mut list[k]),
                None => {
                    let count = list.len();
                    let problem = Problem::new(span, format!("there is no `{segment}` in this list of {count}"));
                    Err(match nearest(segment, names.iter().map(String::as_str)) {
                        Some(near) => problem.note(format!("did you mean `{near}`?")),
                        None => problem.note("items go by their name, or by their number from 0"),
                    })
                }
            }
        }
        _ => Err(Problem::new(span, format!("`{segment}` is asked of {kind}, which has no parts"))),
    }
}

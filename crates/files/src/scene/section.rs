//! # Section: a table of a scene, read key by key
//!
//! [`Node`] ──▶ **here** ──(numbers in SI, texts, lists)──▶ the readers of bodies, materials, …
//!
//! - **in**: a table, the keys it may have, whose it is
//! - **out**: values; what is wrong goes to [`Problems`], so that reading goes on and all of it is told
//! - **not here**: what keys mean
//! - **assumes**: a reader that gets `None` for a key that is there goes on as if it were absent; nothing is built in the
//!   end if there are problems
//! - **start at** [`Section::new`], [`Section::quantity`]

use super::error::{Problem, SceneError, Source, Span};
use super::tree::{Entry, Node, Value};
use crate::nearest::nearest;
use crate::units::{self, Dimension};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// What was found wrong so far.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    list: RefCell<Vec<Problem>>,
    /// Names that are there but could not be read: nobody is blamed for using them.
    unread: RefCell<BTreeSet<String>>,
    /// Texts of other files that problems point into, numbered from `sources` on.
    foreign: RefCell<Vec<Source>>,
    sources: usize,
}

impl Problems {
    /// None yet; the scene and its options are this many texts.
    pub fn new(sources: usize) -> Self {
        Self { sources, ..Self::default() }
    }

    /// Takes over what is wrong with another file.
    pub fn adopt(&self, error: SceneError) {
        let (problems, sources) = error.into_parts();
        let mut foreign = self.foreign.borrow_mut();
        let shift = self.sources + foreign.len();
        foreign.extend(sources);
        for mut problem in problems {
            if let Some(span) = &mut problem.span {
                span.source += shift;
            }
            self.push(problem);
        }
    }

    /// Texts of other files that problems point into.
    pub fn foreign(&self) -> Vec<Source> {
        std::mem::take(&mut self.foreign.borrow_mut())
    }

    pub fn push(&self, problem: Problem) {
        self.list.borrow_mut().push(problem);
    }

    pub fn is_empty(&self) -> bool {
        self.list.borrow().is_empty()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.list.borrow().len()
    }

    /// Notes a name that is there but could not be read.
    pub fn excuse(&self, name: &str) {
        self.unread.borrow_mut().insert(name.to_string());
    }

    /// Notes a robot that could not be read: nobody is blamed for naming its links and joints.
    pub fn excuse_all(&self, robot: &str) {
        self.unread.borrow_mut().insert(format!("{robot}/"));
    }

    /// Whether a name, or the robot that it begins with, is there but could not be read.
    pub fn is_excused(&self, name: &str) -> bool {
        let unread = self.unread.borrow();
        unread.contains(name) || name.match_indices('/').any(|(k, _)| unread.contains(&name[..=k]))
    }

    pub fn unread(&self) -> BTreeSet<String> {
        self.unread.borrow().clone()
    }

    /// Tells of a name that is not there, with the nearest that is.
    pub fn no_such(&self, what: &str, name: &str, span: &Span, known: &[&str], whose: &str) {
        if !self.is_excused(name) {
            self.push(unknown_name(what, name, span, known, whose));
        }
    }

    pub fn take(&self) -> Vec<Problem> {
        std::mem::take(&mut self.list.borrow_mut())
    }
}

/// Which numbers are allowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Range {
    Any,
    Positive,
    NotNegative,
    /// Greater than the first, at most the second, with the rule in words.
    Within(f64, f64, &'static str),
}

/// Greatest size of any number, so that squares and products stay finite.
const GREATEST: f64 = 1e100;

impl Range {
    fn holds(self, x: f64) -> bool {
        x.abs() <= GREATEST
            && match self {
                Range::Any => true,
                Range::Positive => x > 0.0,
                Range::NotNegative => x >= 0.0,
                Range::Within(low, high, _) => x > low && x <= high,
            }
    }

    fn rule(self) -> &'static str {
        match self {
            Range::Any => "finite",
            Range::Positive => "positive and finite",
            Range::NotNegative => "zero or positive, and finite",
            Range::Within(_, _, rule) => rule,
        }
    }
}

/// A table that is being read.
#[derive(Clone, Copy)]
pub(crate) struct Section<'a> {
    entries: &'a [Entry],
    /// Where the table stands: its header or name.
    span: &'a Span,
    /// Whose the table is, as labels say: "of body `ball`".
    pub whose: &'a str,
    problems: &'a Problems,
}

impl<'a> Section<'a> {
    /// A table; keys that are not known are told.
    pub fn new(node: &'a Node, known: &[&str], whose: &'a str, problems: &'a Problems) -> Option<Self> {
        let section = Self::open(node, whose, problems)?;
        for entry in section.entries {
            if !known.contains(&entry.key.as_str()) {
                problems.push(unknown_key(entry, known, whose));
            }
        }
        Some(section)
    }

    /// A table with keys of the user's own.
    pub fn open(node: &'a Node, whose: &'a str, problems: &'a Problems) -> Option<Self> {
        match node.entries() {
            Some(entries) => Some(Self { entries, span: &node.span, whose, problems }),
            None => {
                let message = format!("expected a table, got {}", node.kind());
                problems.push(Problem::new(node.span.clone(), message).label(whose));
                None
            }
        }
    }

    pub fn span(&self) -> &'a Span {
        self.span
    }

    pub fn entries(&self) -> &'a [Entry] {
        self.entries
    }

    pub fn problems(&self) -> &'a Problems {
        self.problems
    }

    pub fn entry(&self, key: &str) -> Option<&'a Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    pub fn get(&self, key: &str) -> Option<&'a Node> {
        self.entry(key).map(|entry| &entry.node)
    }

    pub fn has(&self, key: &str) -> bool {
        self.entry(key).is_some()
    }

    /// Tells what is wrong with a value.
    pub fn wrong(&self, node: &Node, message: impl Into<String>) {
        self.problems.push(Problem::new(node.span.clone(), message).label(self.whose));
    }

    /// Tells what is wrong with the table as a whole.
    pub fn lacks(&self, message: impl Into<String>) {
        self.problems.push(Problem::new(self.span.clone(), message).label(self.whose));
    }

    /// The value of a key that must be there.
    pub fn require(&self, key: &str) -> Option<&'a Node> {
        let found = self.get(key);
        if found.is_none() {
            self.lacks(format!("missing key `{key}`"));
        }
        found
    }

    /// Tells if two keys that exclude each other are both there.
    pub fn not_both(&self, key: &str, other: &str) {
        if let (Some(_), Some(second)) = (self.entry(key), self.entry(other)) {
            let message = format!("expected either `{key}` or `{other}`, got both");
            self.problems.push(Problem::new(second.key_span.clone(), message).label(self.whose));
        }
    }

    pub fn text(&self, key: &str) -> Option<&'a str> {
        self.text_of(self.get(key)?)
    }

    pub fn text_of(&self, node: &'a Node) -> Option<&'a str> {
        match &node.value {
            Value::Text(text) => Some(text),
            _ => {
                self.wrong(node, format!("expected text, got {}", node.kind()));
                None
            }
        }
    }

    pub fn flag(&self, key: &str) -> Option<bool> {
        let node = self.get(key)?;
        match node.value {
            Value::Bool(yes) => Some(yes),
            _ => {
                self.wrong(node, format!("expected true or false, got {}", node.kind()));
                None
            }
        }
    }

    pub fn list_of(&self, node: &'a Node, what: &str) -> Option<&'a [Node]> {
        match &node.value {
            Value::List(list) => Some(list),
            _ => {
                self.wrong(node, format!("expected {what}, got {}", node.kind()));
                None
            }
        }
    }

    /// One of several names; hyphens may stand for underscores.
    pub fn choice<T: Copy>(&self, key: &str, names: &[(&str, T)]) -> Option<T> {
        let node = self.get(key)?;
        self.choice_of(node, key, names)
    }

    pub fn choice_of<T: Copy>(&self, node: &'a Node, what: &str, names: &[(&str, T)]) -> Option<T> {
        let text = self.text_of(node)?;
        let plain = text.to_ascii_lowercase().replace(['-', ' '], "_");
        if let Some((_, value)) = names.iter().find(|(name, _)| *name == plain) {
            return Some(*value);
        }
        let known: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        let mut problem =
            Problem::new(node.span.clone(), format!("unknown {what} `{text}`, expected {}", listed(&known)));
        if let Some(near) = nearest(&plain, known) {
            problem = problem.note(format!("did you mean `{near}`?"));
        }
        self.problems.push(problem.label(self.whose));
        None
    }

    /// A number in SI units from a number or a text with a unit.
    pub fn quantity(&self, key: &str, what: &str, dimension: Dimension, range: Range) -> Option<f64> {
        self.quantity_of(self.get(key)?, what, dimension, range)
    }

    pub fn quantity_of(&self, node: &Node, what: &str, dimension: Dimension, range: Range) -> Option<f64> {
        let (x, got) = match &node.value {
            Value::Number(x) => (*x, told(*x)),
            Value::Whole(x) => (*x as f64, x.to_string()),
            Value::Text(text) => match units::parse(text, dimension) {
                Ok(x) => (x, told(x)),
                Err(error) => {
                    self.wrong(node, format!("{what}: {error}"));
                    return None;
                }
            },
            _ => {
                let with_unit = if dimension == Dimension::Number { "" } else { " or text with a unit" };
                self.wrong(node, format!("{what} must be a number{with_unit}, got {}", node.kind()));
                return None;
            }
        };
        if range.holds(x) {
            return Some(x);
        }
        let symbol = dimension.symbol();
        let unit = if symbol.is_empty() { String::new() } else { format!(" {symbol}") };
        if x.is_finite() && x.abs() > GREATEST && !matches!(range, Range::Within(..)) {
            self.wrong(node, format!("{what} must be within ±{GREATEST:e}{unit}, got {got}{unit}"));
            return None;
        }
        self.wrong(node, format!("{what} must be {}, got {got}{unit}", range.rule()));
        None
    }

    /// N quantities in a list.
    pub fn vector<const N: usize>(
        &self,
        key: &str,
        what: &str,
        dimension: Dimension,
        range: Range,
    ) -> Option<[f64; N]> {
        self.vector_of(self.get(key)?, what, dimension, range)
    }

    pub fn vector_of<const N: usize>(
        &self,
        node: &'a Node,
        what: &str,
        dimension: Dimension,
        range: Range,
    ) -> Option<[f64; N]> {
        let list = self.list_of(node, &format!("a list of {N} numbers for {what}"))?;
        if list.len() != N {
            self.wrong(node, format!("expected a list of {N} numbers for {what}, got {}", list.len()));
            return None;
        }
        let mut out = [0.0; N];
        let before = self.problems.count();
        for (x, item) in out.iter_mut().zip(list) {
            *x = self.quantity_of(item, what, dimension, range).unwrap_or(0.0);
        }
        (self.problems.count() == before).then_some(out)
    }
}

/// A number as messages print it: short, with an exponent where it is far from 1.
pub(crate) fn told(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 || !x.is_finite() || (1e-4..1e5).contains(&size) { format!("{x}") } else { format!("{x:e}") }
}

/// A number that was computed, to six digits.
pub(crate) fn rounded(x: f64) -> String {
    told(format!("{x:.5e}").parse().unwrap_or(x))
}

fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}

/// A key that we do not know, with the nearest that we do.
pub(crate) fn unknown_key(entry: &Entry, known: &[&str], whose: &str) -> Problem {
    let problem = Problem::new(entry.key_span.clone(), format!("unknown key `{}`", entry.key)).label(whose);
    match nearest(&entry.key, known.iter().copied()) {
        Some(near) => problem.note(format!("did you mean `{near}`?")),
        None => problem.note(format!("known keys are {}", known.join(", "))),
    }
}

/// A name that is not there, with the nearest that is.
fn unknown_name(what: &str, name: &str, span: &Span, known: &[&str], whose: &str) -> Problem {
    let problem = Problem::new(span.clone(), format!("there is no {what} `{name}`")).label(whose);
    match nearest(name, known.iter().copied()) {
        Some(near) => problem.note(format!("did you mean `{near}`?")),
        None if known.is_empty() => problem.note(format!("the scene has no {what} at all")),
        None => problem.note(format!("the scene has {}", listed(known))),
    }
}

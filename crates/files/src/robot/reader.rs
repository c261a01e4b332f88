//! # Reader: what every reader of robots needs — numbers with places, problems, the list of what is ignored
//!
//! - **in**: [`Element`]s
//! - **out**: numbers and words, or a [`Problem`] at the value that is wrong
//! - **not here**: what elements mean (`urdf`, `mjcf`)
//! - **start at** [`Reader`]

use super::description::{Ignored, Place};
use super::xml::{Attribute, Element};
use super::{RobotError, RobotOptions};
use crate::nearest;
use crate::scene::error::{SceneError, Source};
use crate::scene::{Problem, Span};
use std::collections::HashMap;
use std::path::PathBuf;

/// Problems kept at most: nobody reads more, and mutated files can have one a word.
const MOST_PROBLEMS: usize = 200;

/// What is common to a whole reading.
pub(super) struct Reader<'a> {
    pub options: &'a RobotOptions,
    /// Folder of the robot's own file.
    pub folder: PathBuf,
    pub sources: Vec<Source>,
    pub problems: Vec<Problem>,
    pub warnings: Vec<String>,
    pub files: Vec<PathBuf>,
    ignored: Vec<Ignored>,
    /// Place in `ignored` of an attribute or element with its reason.
    known: HashMap<(String, String), usize>,
}

impl<'a> Reader<'a> {
    pub fn new(options: &'a RobotOptions, folder: PathBuf) -> Self {
        Reader {
            options,
            folder,
            sources: Vec::new(),
            problems: Vec::new(),
            warnings: Vec::new(),
            files: Vec::new(),
            ignored: Vec::new(),
            known: HashMap::new(),
        }
    }

    pub fn problem(&mut self, problem: Problem) {
        // A wrong default is met by every element that uses it.
        if self.problems.len() < MOST_PROBLEMS && !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// A problem with an element.
    pub fn wrong(&mut self, element: &Element, message: impl Into<String>) {
        let label = element.value("name").map(|name| format!("`{name}`")).unwrap_or_default();
        self.problem(Problem::new(element.span.clone(), message).label(label));
    }

    /// A problem with a value.
    pub fn wrong_value(&mut self, element: &Element, attribute: &Attribute, message: impl Into<String>) {
        let label = match element.value("name") {
            Some(name) if attribute.name != "name" => format!("of <{}> `{name}`", element.name),
            _ => format!("of <{}>", element.name),
        };
        self.problem(Problem::new(attribute.span.clone(), message).label(label));
    }

    pub fn finish(&mut self) -> Result<(), RobotError> {
        if self.problems.is_empty() {
            return Ok(());
        }
        Err(self.error())
    }

    pub fn error(&mut self) -> RobotError {
        SceneError::new(std::mem::take(&mut self.problems), &self.sources)
    }

    pub fn place(&self, element: &Element) -> Place {
        let file = self.sources.get(element.span.source).map(|s| s.name.clone()).unwrap_or_default();
        Place { file, line: element.line }
    }

    /// Notes that something has no effect.
    pub fn ignore(&mut self, element: &Element, what: String, why: &str) {
        let place = self.place(element);
        let at = *self.known.entry((what.clone(), why.to_string())).or_insert_with(|| {
            self.ignored.push(Ignored { element: what, place, count: 0, why: why.to_string() });
            self.ignored.len() - 1
        });
        self.ignored[at].count += 1;
    }

    /// Notes that an element has no effect.
    pub fn ignore_element(&mut self, element: &Element, why: &str) {
        self.ignore(element, element.name.clone(), why);
    }

    pub fn ignored(&mut self) -> Vec<Ignored> {
        std::mem::take(&mut self.ignored)
    }

    /// Attributes of an element: those that are read, those that are known and have no effect; all others are problems.
    pub fn attributes(&mut self, element: &Element, read: &[&str], without_effect: &[(&str, &str)]) {
        for attribute in &element.attributes {
            let name = attribute.name.as_str();
            if read.contains(&name) {
                continue;
            }
            if let Some((_, why)) = without_effect.iter().find(|(known, _)| *known == name) {
                self.ignore(element, format!("{} {name}", element.name), why);
                continue;
            }
            if name.contains(':') || name == "xmlns" {
                self.ignore(element, format!("{} {name}", element.name), "of another namespace");
                continue;
            }
            let known: Vec<&str> = read.iter().copied().chain(without_effect.iter().map(|(name, _)| *name)).collect();
            let message = nearest::unknown(&format!("attribute of <{}>", element.name), name, &known);
            self.problem(Problem::new(attribute.name_span.clone(), message));
        }
    }

    /// The value of an attribute that must be there.
    pub fn required<'e>(&mut self, element: &'e Element, name: &str) -> Option<&'e Attribute> {
        let found = element.get(name);
        if found.is_none() {
            self.wrong(element, format!("<{}> needs `{name}`", element.name));
        }
        found
    }

    /// A name that must be there and not be empty.
    pub fn name(&mut self, element: &Element) -> Option<String> {
        let attribute = self.required(element, "name")?;
        let name = attribute.value.trim();
        if name.is_empty() {
            self.wrong_value(element, attribute, "a name must not be empty");
            return None;
        }
        Some(name.to_string())
    }

    /// All numbers of a value.
    pub fn list(&mut self, element: &Element, attribute: &Attribute) -> Option<Vec<f64>> {
        let mut numbers = Vec::new();
        for word in attribute.value.split_whitespace() {
            match word.parse::<f64>() {
                Ok(x) if x.is_finite() => numbers.push(x),
                _ => {
                    let span = self.part(attribute, word);
                    let label = format!("`{}` of <{}>", attribute.name, element.name);
                    self.problem(Problem::new(span, format!("expected a finite number, got `{word}`")).label(label));
                    return None;
                }
            }
        }
        Some(numbers)
    }

    /// Where a word of a value stands; the whole value where entities make that unknown.
    fn part(&self, attribute: &Attribute, word: &str) -> Span {
        let range = &attribute.span.range;
        let raw = self.sources.get(attribute.span.source).and_then(|s| s.text.get(range.clone()));
        let inside = (raw == Some(attribute.value.as_str()))
            .then(|| word.as_ptr() as usize - attribute.value.as_ptr() as usize)
            .map(|at| range.start + at..range.start + at + word.len());
        Span { source: attribute.span.source, range: inside.unwrap_or(range.clone()) }
    }

    /// A number, if the attribute is there.
    pub fn number(&mut self, element: &Element, name: &str) -> Option<f64> {
        Some(self.numbers::<1>(element, name)?[0])
    }

    /// A number with a value for its absence.
    pub fn number_or(&mut self, element: &Element, name: &str, default: f64) -> f64 {
        self.number(element, name).unwrap_or(default)
    }

    /// A number that must not be negative.
    pub fn not_negative(&mut self, element: &Element, name: &str, default: f64) -> f64 {
        let Some(x) = self.number(element, name) else { return default };
        if x < 0.0 {
            // The number was read from it, so it is there.
            if let Some(attribute) = element.get(name) {
                self.wrong_value(element, attribute, format!("`{name}` must not be negative, got {x}"));
            }
            return default;
        }
        x
    }

    /// So many numbers, if the attribute is there.
    pub fn numbers<const N: usize>(&mut self, element: &Element, name: &str) -> Option<[f64; N]> {
        let attribute = element.get(name)?;
        let list = self.list(element, attribute)?;
        match <[f64; N]>::try_from(list.as_slice()) {
            Ok(numbers) => Some(numbers),
            Err(_) => {
                let words = if N == 1 { "a number".to_string() } else { format!("{N} numbers") };
                let message = format!("expected {words}, got {} (`{}`)", list.len(), shortened(&attribute.value));
                self.wrong_value(element, attribute, message);
                None
            }
        }
    }

    /// A word out of several.
    pub fn choice<'w>(&mut self, element: &Element, name: &str, words: &[&'w str]) -> Option<&'w str> {
        let attribute = element.get(name)?;
        let found = words.iter().find(|w| **w == attribute.value.trim());
        if found.is_none() {
            let message = nearest::unknown(&format!("`{name}`"), attribute.value.trim(), words);
            self.wrong_value(element, attribute, message);
        }
        found.copied()
    }

    /// Children that may occur at most once.
    pub fn only<'e>(&mut self, element: &'e Element, name: &str) -> Option<&'e Element> {
        let mut found = element.children.iter().filter(|c| c.name == name);
        let first = found.next();
        if let Some(second) = found.next() {
            self.wrong(second, format!("a second <{name}> in <{}>", element.name));
        }
        first
    }
}

/// A value for messages.
pub(super) fn shortened(value: &str) -> String {
    let mut text: String = value.chars().take(60).collect();
    if text.len() < value.len() {
        text.push('…');
    }
    text
}

//! # Tree: a TOML document in memory, every key and value with its place in the text
//!
//! text ──▶ **here** ──([`Node`])──▶ `section`
//!
//! - **in**: TOML text, and which of several texts it is (the file, or an option that changes it)
//! - **out**: [`Node`]s that own what they hold
//! - **not here**: what keys mean
//! - **start at** [`parse`]

use super::error::{Problem, Span};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub span: Span,
    pub value: Value,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Text(String),
    Number(f64),
    /// A whole number, also as it was written: seeds and counts.
    Whole(i64),
    Bool(bool),
    Date,
    List(Vec<Node>),
    Table(Vec<Entry>),
}

/// A key with its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub key: String,
    pub key_span: Span,
    pub node: Node,
}

impl Node {
    /// What it is, in words.
    pub fn kind(&self) -> &'static str {
        match &self.value {
            Value::Text(_) => "text",
            Value::Number(_) | Value::Whole(_) => "a number",
            Value::Bool(_) => "true or false",
            Value::Date => "a date",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }

    /// The entries, if it is a table.
    pub fn entries(&self) -> Option<&[Entry]> {
        if let Value::Table(entries) = &self.value { Some(entries) } else { None }
    }

    /// The value of a key, if it is a table that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries()?.iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }
}

/// Reads a text; all that is wrong with it otherwise.
pub(crate) fn parse(text: &str, source: usize) -> Result<Node, Vec<Problem>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        return Err(errors.iter().map(|error| problem(error, text, source)).collect());
    }
    let convert = Convert { source };
    let mut problems = Vec::new();
    let entries = convert.table(table.get_ref(), &mut problems);
    let span = Span { source, range: 0..0 };
    if problems.is_empty() { Ok(Node { span, value: Value::Table(entries) }) } else { Err(problems) }
}

fn problem(error: &toml::de::Error, text: &str, source: usize) -> Problem {
    let mut lines = error.message().lines().filter(|line| !line.trim().is_empty());
    let mut message = lines.next().unwrap_or("not TOML").trim().to_string();
    for line in lines {
        message.push_str("; ");
        message.push_str(line.trim());
    }
    let range = error.span().unwrap_or(text.len()..text.len());
    let problem = Problem::new(Span { source, range }, message.clone());
    if message.contains("duplicate") { problem } else { problem.note("the file is no valid TOML here") }
}

struct Convert {
    source: usize,
}

impl Convert {
    fn span(&self, range: Range<usize>) -> Span {
        Span { source: self.source, range }
    }

    fn table(&self, table: &DeTable<'_>, problems: &mut Vec<Problem>) -> Vec<Entry> {
        let each = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| Entry {
            key: std::borrow::Cow::to_string(key.get_ref()),
            key_span: self.span(key.span()),
            node: self.value(value, problems),
        };
        table.iter().map(each).collect()
    }

    fn value(&self, value: &Spanned<DeValue<'_>>, problems: &mut Vec<Problem>) -> Node {
        let span = self.span(value.span());
        let value = match value.get_ref() {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Integer(whole) => match i64::from_str_radix(whole.as_str(), whole.radix()) {
                Ok(x) => Value::Whole(x),
                Err(_) => self.float(whole.as_str(), &span, problems),
            },
            DeValue::Float(float) => self.float(float.as_str(), &span, problems),
            DeValue::Boolean(yes) => Value::Bool(*yes),
            DeValue::Datetime(_) => Value::Date,
            DeValue::Array(list) => Value::List(list.iter().map(|item| self.value(item, problems)).collect()),
            DeValue::Table(table) => Value::Table(self.table(table, problems)),
        };
        Node { span, value }
    }

    fn float(&self, text: &str, span: &Span, problems: &mut Vec<Problem>) -> Value {
        match text.parse::<f64>() {
            Ok(x) => Value::Number(x),
            Err(_) => {
                problems.push(Problem::new(span.clone(), format!("expected a number, got `{text}`")));
                Value::Number(0.0)
            }
        }
    }
}

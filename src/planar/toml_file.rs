//! # TOML part files: the keys of a JSON record, with the line of every value
//!
//! text ──▶ **here** ──(the record as JSON, [`Lines`])──▶ `record`, `part_file`; errors ──▶ file:line:column
//!
//! - **in**: TOML text; numbers by their text, or strings with fractions "p/q"
//! - **out**: the document as JSON would hold it, and where each field stands
//! - **not here**: what fields mean (`part_file`)
//! - **start at** [`read`]

use crate::json::FieldError;
use crate::outcome::Failure;
use fingerpad_files::nearest::nearest;
use fingerpad_planar::Rational;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Where the fields of a document stand.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    places: HashMap<String, (usize, usize)>,
}

impl Lines {
    /// Line and column of a field, or of the nearest one around it that was written.
    pub fn of(&self, field: &str) -> Option<(usize, usize)> {
        let mut path = field;
        loop {
            if let Some(place) = self.places.get(path) {
                return Some(*place);
            }
            path = &path[..path.rfind(['.', '['])?];
        }
    }
}

/// Reads a document.
pub fn read(text: &str, name: &str) -> Result<(Map<String, Value>, Lines), Failure> {
    let table = DeTable::parse(text).map_err(|e| {
        let (line, column) = e.span().map_or((1, 1), |span| place(text, &span));
        Failure(format!("{name}:{line}:{column}: not TOML: {}", e.message().replace('\n', "; ")))
    })?;
    let mut lines = Lines::default();
    let converter = Converter { text, name };
    let root = converter.table(table.get_ref(), "", &mut lines)?;
    Ok((root, lines))
}

/// Keys of a case or part.
const KEYS: [&str; 14] = [
    "m",
    "rho2",
    "F",
    "vel",
    "contacts",
    "body",
    "obstacles",
    "centre_of_mass",
    "pose",
    "density",
    "gravity",
    "tolerance",
    "mu",
    "id",
];
/// Keys of a contact.
const OF_CONTACT: [&str; 10] = ["n", "r", "mu", "kind", "k1", "k2", "n2", "side", "side2", "point"];

/// Keys that are no known ones, but nearly: a line for each. Others are the user's own, and kept.
pub fn slips(record: &Value, path: &str, name: &str, lines: &Lines) -> Vec<String> {
    let mut found = Vec::new();
    let mut look = |fields: &Map<String, Value>, path: &str, known: &[&str]| {
        for key in fields.keys().filter(|key| key.len() > 2 && !known.contains(&key.as_str())) {
            let Some(near) = nearest(key, known.iter().copied().filter(|known| known.len() > 2)) else { continue };
            let field = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            let (line, column) = lines.of(&field).unwrap_or((1, 1));
            found.push(format!("{name}:{line}:{column}: `{key}` is no known key; did you mean `{near}`?"));
        }
    };
    let Some(fields) = record.as_object() else { return found };
    look(fields, path, &KEYS);
    for (k, contact) in fields.get("contacts").and_then(Value::as_array).into_iter().flatten().enumerate() {
        if let Some(fields) = contact.as_object() {
            let part = format!("contacts[{k}]");
            look(fields, &if path.is_empty() { part.clone() } else { format!("{path}.{part}") }, &OF_CONTACT);
        }
    }
    found
}

/// Line and column of the start of a span, from 1.
fn place(text: &str, span: &Range<usize>) -> (usize, usize) {
    let before = text.get(..span.start).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |k| k + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

struct Converter<'a> {
    text: &'a str,
    name: &'a str,
}

impl Converter<'_> {
    fn table(&self, table: &DeTable<'_>, path: &str, lines: &mut Lines) -> Result<Map<String, Value>, Failure> {
        let mut out = Map::new();
        for (key, value) in table {
            let name = key.get_ref().to_string();
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            out.insert(name, self.value(value, &path, lines)?);
        }
        Ok(out)
    }

    fn value(&self, value: &Spanned<DeValue<'_>>, path: &str, lines: &mut Lines) -> Result<Value, Failure> {
        let (line, column) = place(self.text, &value.span());
        lines.places.insert(path.to_string(), (line, column));
        let refused = |what: &str| Failure(format!("{}:{line}:{column}: {path}: {what}", self.name));
        Ok(match value.get_ref() {
            DeValue::String(text) => Value::String(text.to_string()),
            DeValue::Integer(whole) if whole.radix() == 10 => number(whole.as_str()),
            DeValue::Integer(_) => return Err(refused("expected a decimal number, got one in another base")),
            DeValue::Float(float) => number(float.as_str()),
            DeValue::Boolean(yes) => Value::Bool(*yes),
            DeValue::Datetime(_) => return Err(refused("expected a number, text, list or table, got a date")),
            DeValue::Array(list) => {
                let each = |(k, item): (usize, &Spanned<DeValue<'_>>)| self.value(item, &format!("{path}[{k}]"), lines);
                Value::Array(list.iter().enumerate().map(each).collect::<Result<_, _>>()?)
            }
            DeValue::Table(table) => Value::Object(self.table(table, path, lines)?),
        })
    }
}

/// A JSON number where it says the same, else the text: no digit is lost.
fn number(text: &str) -> Value {
    let kept = |value: &Value| value.is_number() && value.to_string().parse::<Rational>() == text.parse::<Rational>();
    let whole = text.parse::<i64>().map(Value::from);
    let value = whole.or_else(|_| text.parse::<f64>().map(Value::from)).unwrap_or(Value::Null);
    if kept(&value) { value } else { Value::String(text.to_string()) }
}

/// An error with the line of its field, as editors read it.
pub fn with_line(error: &FieldError, record: &str, name: &str, lines: &Lines) -> String {
    let (line, column) = lines.of(&path(error, record)).unwrap_or((1, 1));
    format!("{name}:{line}:{column}: {error}")
}

/// Line of the field that an error blames.
pub fn line(error: &FieldError, record: &str, lines: &Lines) -> Option<usize> {
    lines.of(&path(error, record)).map(|(line, _)| line)
}

fn path(error: &FieldError, record: &str) -> String {
    match (record.is_empty(), error.field.is_empty()) {
        (true, _) => error.field.clone(),
        (false, true) => record.to_string(),
        (false, false) => format!("{record}.{}", error.field),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_every_digit_and_fields_their_line() {
        let text = "m = 1\n[body]\npolygon = [[0, 0],\n  [0.1, 1e-3], [0.12345678901234567890123, \"1/3\"]]\n";
        let (root, lines) = read(text, "t").unwrap();
        let polygon = &root["body"]["polygon"];
        assert_eq!(polygon.to_string(), r#"[[0,0],[0.1,0.001],["0.12345678901234567890123","1/3"]]"#);
        assert_eq!(lines.of("body.polygon[1][1]"), Some((4, 9)));
        assert_eq!(lines.of("body.polygon[7]"), Some((3, 11)));
        assert_eq!(lines.of("nothing"), None);
    }

    #[test]
    fn what_is_not_toml_says_where() {
        for (text, place) in
            [("m = ", "t:1:"), ("m = 1\nm = 2", "t:2:"), ("a = 1\nm = 0x10", "t:2:5"), ("d = 2020-01-01", "t:1:5")]
        {
            let said = read(text, "t").unwrap_err().0;
            assert!(said.starts_with(place), "{said}");
        }
    }
}

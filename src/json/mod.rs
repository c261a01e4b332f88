//! # Records: what JSON means, with errors that name the field
//!
//! JSON text ──▶ **here** ──(shapes, poses, twists)──▶ `fingerpad_contact`; answers ──▶ records ──▶ JSON text
//!
//! - **in**: a document with a list of records; each record's fields, SI units, radians, quaternions wxyz
//! - **out**: shapes and bodies; records with their answer, or `"error": {"message", "field"}`
//! - **not here**: what is computed (`cli::query`)
//! - **assumes**: nothing; unknown keys and the order of keys are kept
//! - **start at** [`Field`], then [`body`], [`shape`], [`map`] and [`mesh`]; [`lcp`]; [`tree`] (joints); [`document`] reads and writes whole files

pub mod body;
pub mod bowl;
pub mod document;
pub mod lcp;
pub mod map;
pub mod mesh;
pub mod shape;
pub mod tree;
pub mod words;

use fingerpad_files::nearest;
use serde_json::{Map, Value, json};

/// Least size of anything (m). Squares and products of sizes must stay far from the ends of double precision.
pub const SHORTEST: f64 = 1e-9;
/// Greatest size and coordinate of anything (m).
pub const LONGEST: f64 = 1e9;

/// Why a record could not be answered, and which of its fields is to blame.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{field}: {message}")]
pub struct FieldError {
    /// What was expected and what came.
    pub message: String,
    /// Path of the field within the record, as `body1.shape.radius`.
    pub field: String,
}

impl FieldError {
    /// An error about a field.
    pub fn new(field: impl Into<String>, message: impl ToString) -> Self {
        FieldError { field: field.into(), message: message.to_string() }
    }

    /// As records carry it.
    pub fn to_json(&self) -> Value {
        json!({"message": self.message, "field": self.field})
    }
}

/// A value together with its path within the record.
#[derive(Clone, Debug)]
pub struct Field<'a> {
    /// The value.
    pub value: &'a Value,
    /// Its path.
    pub path: String,
}

impl<'a> Field<'a> {
    /// A record itself: paths start below it.
    pub fn root(value: &'a Value) -> Self {
        Field { value, path: String::new() }
    }

    /// An error about this field: what was expected, and the value that came.
    pub fn expected(&self, what: &str) -> FieldError {
        FieldError::new(&self.path, format!("expected {what}, got {}", brief(self.value)))
    }

    /// The fields of an object.
    pub fn object(&self) -> Result<&'a Map<String, Value>, FieldError> {
        self.value.as_object().ok_or_else(|| self.expected("an object"))
    }

    /// The field under a key, if it is there and not null.
    pub fn get(&self, key: &str) -> Option<Field<'a>> {
        self.value.get(key).filter(|v| !v.is_null()).map(|value| Field { value, path: self.child(key) })
    }

    /// The field under a key, or an error which looks for a misspelling among the keys that are there.
    pub fn require(&self, key: &str) -> Result<Field<'a>, FieldError> {
        self.object()?;
        self.get(key).ok_or_else(|| {
            let here = self.value.as_object().into_iter().flatten().map(|(k, _)| k.as_str());
            let hint = match nearest::nearest(key, here.filter(|k| *k != key)) {
                Some(near) => format!(" (is `{near}` meant for it?)"),
                None => String::new(),
            };
            FieldError::new(self.child(key), format!("expected `{key}`, got nothing{hint}"))
        })
    }

    /// The path of the field under a key.
    pub fn child(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_string() } else { format!("{}.{key}", self.path) }
    }

    /// Elements of a list, each with its path.
    pub fn list(&self, what: &str) -> Result<Vec<Field<'a>>, FieldError> {
        let list = self.value.as_array().ok_or_else(|| self.expected(what))?;
        Ok(list.iter().enumerate().map(|(k, value)| Field { value, path: format!("{}[{k}]", self.path) }).collect())
    }

    /// A finite number.
    pub fn number(&self) -> Result<f64, FieldError> {
        self.value.as_f64().filter(|x| x.is_finite()).ok_or_else(|| self.expected("a finite number"))
    }

    /// A size: a length from [`SHORTEST`] to [`LONGEST`] (m).
    pub fn size(&self) -> Result<f64, FieldError> {
        let x = self.number()?;
        if (SHORTEST..=LONGEST).contains(&x) {
            Ok(x)
        } else if x > 0.0 {
            Err(self.expected(&format!("a length from {SHORTEST:e} to {LONGEST:e} m")))
        } else {
            Err(self.expected("a positive number"))
        }
    }

    /// A number above zero.
    pub fn positive(&self) -> Result<f64, FieldError> {
        self.number()?;
        self.value.as_f64().filter(|x| *x > 0.0).ok_or_else(|| self.expected("a positive number"))
    }

    /// A number that is zero or above.
    pub fn not_negative(&self) -> Result<f64, FieldError> {
        self.number()?;
        self.value.as_f64().filter(|x| *x >= 0.0).ok_or_else(|| self.expected("zero or a positive number"))
    }

    /// A coordinate: a number up to [`LONGEST`] in size (m).
    pub fn coordinate(&self) -> Result<f64, FieldError> {
        let x = self.number()?;
        if x.abs() <= LONGEST { Ok(x) } else { Err(self.expected(&format!("a coordinate within ±{LONGEST:e} m"))) }
    }

    /// Exactly N coordinates (m).
    pub fn coordinates<const N: usize>(&self) -> Result<[f64; N], FieldError> {
        let numbers = self.numbers::<N>()?;
        for part in self.list("a list")? {
            part.coordinate()?;
        }
        Ok(numbers)
    }

    /// A whole number that is not negative.
    pub fn whole(&self) -> Result<usize, FieldError> {
        let x = self.number()?;
        // 3.0 is a whole number too; beyond 2⁵³ doubles skip some.
        if x >= 0.0 && x.fract() == 0.0 && x < 9e15 {
            Ok(x as usize)
        } else {
            Err(self.expected("a whole number, not negative"))
        }
    }

    /// Text.
    pub fn text(&self) -> Result<&'a str, FieldError> {
        self.value.as_str().ok_or_else(|| self.expected("text"))
    }

    /// Exactly N finite numbers.
    pub fn numbers<const N: usize>(&self) -> Result<[f64; N], FieldError> {
        let what = format!("a list of {N} numbers");
        let list = self.list(&what)?;
        if list.len() != N {
            return Err(FieldError::new(&self.path, format!("expected {what}, got {} of them", list.len())));
        }
        let mut out = [0.0; N];
        for (x, field) in out.iter_mut().zip(&list) {
            *x = field.number()?;
        }
        Ok(out)
    }

    /// One of some names; hyphens count as underscores, case does not count.
    pub fn one_of<T: Copy>(&self, names: &[(&str, T)]) -> Result<T, FieldError> {
        let name = words::plain(self.text()?);
        names.iter().find(|(known, _)| *known == name).map(|(_, value)| *value).ok_or_else(|| {
            let known: Vec<&str> = names.iter().map(|(n, _)| *n).collect();
            FieldError::new(&self.path, nearest::unknown("name", self.text().unwrap_or_default(), &known))
        })
    }
}

/// A value as messages show it: short.
fn brief(value: &Value) -> String {
    let text = match value {
        Value::Object(_) => return "an object".to_string(),
        Value::Array(list) => return format!("a list of {}", list.len()),
        _ => value.to_string(),
    };
    if text.chars().count() > 40 { format!("{}…", text.chars().take(40).collect::<String>()) } else { text }
}

/// Puts an answer into a record: under `key`, into the object already there, whose other keys stay.
pub fn put(record: &mut Map<String, Value>, key: &str, answer: Map<String, Value>) {
    match record.get_mut(key) {
        Some(Value::Object(old)) => old.extend(answer),
        _ => {
            record.insert(key.to_string(), Value::Object(answer));
        }
    }
}

/// Sets or clears a record's `warnings`.
pub fn warn(record: &mut Map<String, Value>, warnings: &[String]) {
    if warnings.is_empty() {
        record.shift_remove("warnings");
    } else {
        record.insert("warnings".to_string(), json!(warnings));
    }
}

/// Turns a record into one with an error: its old answers go, they are not answers to this input.
pub fn refuse(record: &mut Map<String, Value>, answers: &[&str], error: &FieldError) {
    for key in answers.iter().chain(&["warnings"]) {
        record.shift_remove(*key);
    }
    record.insert("error".to_string(), error.to_json());
}

/// A number for JSON: null, with a warning, where it is not finite.
pub fn finite(name: &str, x: f64, warnings: &mut Vec<String>) -> Value {
    if x.is_finite() {
        json!(x)
    } else {
        warnings.push(format!("{name} is not finite ({x})"));
        Value::Null
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Would catch paths without indices and errors that do not say what came.
    #[test]
    fn errors_name_the_path_and_what_came() {
        let value = json!({"a": {"b": [1.0, "x", 3.0]}, "radus": 1});
        let root = Field::root(&value);
        let error = root.get("a").unwrap().require("b").unwrap().numbers::<3>().unwrap_err();
        assert_eq!(error, FieldError::new("a.b[1]", "expected a finite number, got \"x\""));
        let missing = root.require("radius").unwrap_err();
        assert!(missing.message.contains("`radus`") && missing.field == "radius", "{missing}");
    }

    /// Answers replace answers in place: order and foreign keys survive, stale answers do not survive an error.
    #[test]
    fn answers_keep_the_order_of_keys() {
        let Value::Object(mut record) = json!({"z": 1, "expected": {"note": "n", "Delta": 9}, "a": 2}) else {
            panic!()
        };
        let Value::Object(answer) = json!({"Delta": 0.5}) else { panic!() };
        put(&mut record, "expected", answer);
        let text = Value::Object(record.clone()).to_string();
        assert_eq!(text, r#"{"z":1,"expected":{"note":"n","Delta":0.5},"a":2}"#);
        refuse(&mut record, &["expected"], &FieldError::new("f", "m"));
        let text = Value::Object(record).to_string();
        assert_eq!(text, r#"{"z":1,"a":2,"error":{"message":"m","field":"f"}}"#);
    }
}

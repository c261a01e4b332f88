//! # Batches: every record of a document answered by itself
//!
//! document ──▶ **here** ──(record)──▶ a query's `answer` ──▶ **here** ──▶ table, JSON, exit code
//!
//! - **in**: a document, and what a query does with one record
//! - **out**: records with their answer or an error; the rest of them as it came
//! - **not here**: what is answered (one file a query)
//! - **start at** [`Batch::run`]

use super::{Answers, count_errors, label};
use crate::cli::table::{aligned, short};
use crate::json::document::Document;
use crate::json::{self, Field, FieldError};
use crate::outcome::{self, Failure, Outcome};
use serde_json::{Map, Value, json};

/// The keys of an answer, and warnings.
pub type Answer = (Map<String, Value>, Vec<String>);

/// A query that answers one record at a time.
pub struct Batch {
    /// Keys that its list of records may have, the usual one first.
    pub lists: &'static [&'static str],
    /// Keys of its answers; those of an object are filled in beside what the object holds.
    pub answers: &'static [&'static str],
    /// Keys inside those objects that not every answer has.
    pub optional: &'static [&'static str],
    /// Answers one record.
    pub answer: fn(&Field) -> Result<Answer, FieldError>,
    /// Columns of the table, after the record's label.
    pub header: &'static [&'static str],
    /// Rows of the table for one answered record.
    pub rows: fn(&Value) -> Vec<Vec<String>>,
}

impl Batch {
    /// Answers every record and hands the document over.
    pub fn run(&self, mut document: Document, answers: &Answers, quiet: bool) -> Result<Outcome, Failure> {
        let key = document.list_key(self.lists)?;
        let name = document.name.clone();
        let records = document.list(&key)?;
        for record in records.iter_mut() {
            let answer = outcome::guarded(|| {
                let field = Field::root(record);
                field.object()?;
                (self.answer)(&field)
            });
            self.fill(record, answer.unwrap_or_else(|bug| Err(FieldError::new("", bug))));
        }
        let failed = count_errors(&name, &key, records, answers.json && !quiet);
        answers.deliver(&document, || self.table(&document, &key), failed)
    }

    /// Puts an answer, or the error, into its record; answers to an earlier question go.
    fn fill(&self, record: &mut Value, answer: Result<Answer, FieldError>) {
        let Value::Object(fields) = record else {
            *record = json!({"record": record, "error": FieldError::new("", "expected an object").to_json()});
            return;
        };
        let (answer, warnings) = match answer {
            Ok(answer) => answer,
            Err(error) => return json::refuse(fields, self.answers, &error),
        };
        fields.shift_remove("error");
        for key in self.answers.iter().filter(|key| !answer.contains_key(**key)) {
            fields.shift_remove(*key);
        }
        for (key, value) in answer {
            match value {
                Value::Object(parts) => {
                    if let Some(Value::Object(old)) = fields.get_mut(&key) {
                        self.optional.iter().for_each(|key| drop(old.shift_remove(*key)));
                    }
                    json::put(fields, &key, parts);
                }
                value => drop(fields.insert(key, value)),
            }
        }
        json::warn(fields, &warnings);
    }

    /// The answers for people.
    fn table(&self, document: &Document, key: &str) -> String {
        let list = document.root[key].as_array().map(Vec::as_slice).unwrap_or_default();
        let mut rows = Vec::new();
        // Each warning once, with the records it is for.
        let mut warnings: Vec<(&str, Vec<String>)> = Vec::new();
        for (k, record) in list.iter().enumerate() {
            let name = label(record, k);
            if let Some(error) = record.get("error") {
                let part = |name: &str| error[name].as_str().unwrap_or_default();
                rows.push(vec![name, format!("error: {}: {}", part("field"), part("message"))]);
                continue;
            }
            for row in (self.rows)(record) {
                rows.push([vec![name.clone()], row].concat());
            }
            for warning in record["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                match warnings.iter_mut().find(|(told, _)| *told == warning) {
                    Some((_, names)) => names.push(name.clone()),
                    None => warnings.push((warning, vec![name.clone()])),
                }
            }
        }
        let mut text = without_empty_columns(&[&["id"], self.header].concat(), rows);
        for (warning, names) in warnings {
            text.push_str(&format!("warning ({}): {warning}\n", listed(&names)));
        }
        text
    }
}

/// The table less the columns in which no record has anything.
fn without_empty_columns(header: &[&str], rows: Vec<Vec<String>>) -> String {
    let holds = |k: usize| rows.is_empty() || rows.iter().any(|row| row.get(k).is_some_and(|cell| cell != "-"));
    let kept: Vec<usize> = (0..header.len()).filter(|k| holds(*k)).collect();
    let header: Vec<&str> = kept.iter().map(|k| header[*k]).collect();
    let pick = |row: &Vec<String>| kept.iter().filter_map(|k| row.get(*k).cloned()).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(pick).collect();
    aligned(&header, &rows)
}

/// Some names of records: all if they are few.
fn listed(names: &[String]) -> String {
    match names {
        [first, .., last] if names.len() > 3 => format!("{} records, {first} to {last}", names.len()),
        _ => names.join(", "),
    }
}

/// A number as tables show it, times a factor that changes its unit; `-` where there is none.
pub fn cell(value: &Value, factor: f64) -> String {
    value.as_f64().map_or("-".to_string(), |x| short(x * factor))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A column that says nothing goes, its neighbours stay in step; the words of an error stay whole.
    #[test]
    fn empty_columns_are_left_out() {
        let row = |cells: &[&str]| cells.iter().map(|c| c.to_string()).collect::<Vec<_>>();
        let rows = vec![row(&["0", "1", "-", "3"]), row(&["1", "error: P: expected"]), row(&["2", "-", "-", "-"])];
        let text = without_empty_columns(&["id", "a", "b", "c"], rows);
        assert_eq!(
            text,
            "id  a                   c\n0   1                   3\n1   error: P: expected\n2   -                   -\n"
        );
        assert_eq!(without_empty_columns(&["id", "a"], Vec::new()), "id  a\n");
    }

    /// Many records are told of by their first and last.
    #[test]
    fn many_names_are_counted() {
        let names: Vec<String> = (0..5).map(|k| k.to_string()).collect();
        assert_eq!(listed(&names), "5 records, 0 to 4");
        assert_eq!(listed(&names[..3]), "0, 1, 2");
    }
}

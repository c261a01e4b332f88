//! # Documents: a JSON file with a list of records, read whole and written whole
//!
//! - **in**: a path, or `-` for stdin
//! - **out**: the document, its list, and the folder that file names inside it are relative to
//! - **not here**: records ([`Field`](super::Field))

use crate::outcome::Failure;
use fingerpad_files::input;
use serde_json::{Map, Value};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A JSON document and where it came from.
#[derive(Debug)]
pub struct Document {
    /// The outermost object.
    pub root: Map<String, Value>,
    /// Its name, for messages.
    pub name: String,
    /// Folder that file names in it are relative to.
    pub folder: PathBuf,
}

impl Document {
    /// Reads a file, or stdin for `-`.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        if path == Path::new("-") {
            return Self::parse(&standard_input()?, "standard input", PathBuf::new());
        }
        let bytes = file(path)?;
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        Self::parse(&bytes, &path.display().to_string(), folder)
    }

    /// A document from options on the command line.
    pub fn of_options(root: Map<String, Value>) -> Self {
        Document { root, name: "options".to_string(), folder: PathBuf::new() }
    }

    /// A document from bytes.
    pub fn parse(bytes: &[u8], name: &str, folder: PathBuf) -> Result<Self, Failure> {
        let value: Value = serde_json::from_slice(bytes).map_err(|e| {
            // serde_json ends its messages with the place; we put it where editors look for it.
            let message = e.to_string();
            let what = message.split(" at line ").next().unwrap_or_default();
            Failure(format!("{name}:{}:{}: not JSON: {what}", e.line(), e.column()))
        })?;
        match value {
            Value::Object(root) => Ok(Document { root, name: name.to_string(), folder }),
            other => Err(Failure(format!("{name}: expected a JSON object, got {}", super::brief(&other)))),
        }
    }

    /// The list of records under a key.
    pub fn list(&mut self, key: &str) -> Result<&mut Vec<Value>, Failure> {
        let name = &self.name;
        match self.root.get_mut(key) {
            Some(Value::Array(list)) => Ok(list),
            Some(other) => Err(Failure(format!("{name}: expected a list under `{key}`, got {}", super::brief(other)))),
            None => Err(Failure(format!("{name}: expected a list `{key}`, got nothing"))),
        }
    }

    /// The key of the list of records: the first of `known` that holds a list, else the only list there is.
    pub fn list_key(&self, known: &[&str]) -> Result<String, Failure> {
        let is_list = |key: &str| self.root.get(key).is_some_and(Value::is_array);
        if let Some(key) = known.iter().find(|key| is_list(key)) {
            return Ok(key.to_string());
        }
        let mut lists = self.root.keys().filter(|key| is_list(key));
        match (lists.next(), lists.next()) {
            (Some(key), None) => Ok(key.clone()),
            _ => {
                let known: Vec<String> = known.iter().map(|key| format!("`{key}`")).collect();
                Err(Failure(format!(
                    "{}: expected a list of records under {}, got none",
                    self.name,
                    known.join(" or ")
                )))
            }
        }
    }

    /// The document as text.
    pub fn to_text(&self) -> String {
        text(&self.root)
    }
}

/// Longest document that is read (bytes).
const LONGEST: u64 = 1 << 30;

/// The bytes of standard input, to its end.
pub fn standard_input() -> Result<Vec<u8>, Failure> {
    input::bounded(std::io::stdin().lock(), LONGEST).map_err(|e| Failure(format!("standard input: {e}")))
}

/// The bytes of a document on disk.
pub fn file(path: &Path) -> Result<Vec<u8>, Failure> {
    input::read(path, LONGEST).map_err(|e| {
        let hint = if e.kind() == ErrorKind::InvalidInput { "; `-` reads standard input" } else { "" };
        Failure::of_file(path, format_args!("{e}{hint}"))
    })
}

/// JSON as we write it: indented, one line feed at the end.
pub fn text(value: &impl serde::Serialize) -> String {
    // Maps of strings, numbers and lists always serialise; serde_json fails only on non-string keys.
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}

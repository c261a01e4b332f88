//! # Reference: every key of a scene as a page for people
//!
//! `schema` ──▶ **here** ──▶ `docs/scene-reference.md`
//!
//! - **in**: the JSON Schema of scenes, with the meaning of each key
//! - **out**: the same as Markdown, an example and one table for each part; a test keeps the page up to date
//! - **not here**: what the keys mean (`schema`, beside each key); the examples (`examples`); how checks are written
//!   (`docs/checks.md`)
//! - **start at** [`text`]

use super::{examples, schema};
use serde_json::Value;
use std::fmt::Write;

const HEAD: &str = "\
# Scene reference

Every key of a scene file, made from the schema that the program reads by: `UPDATE=1 cargo test -p fingerpad-files --test scene_schema` \
writes this page. A first scene, step by step: [Getting started](getting-started.md). How to write checks: \
[Checks](checks.md). How to change values from the command line, and what a run leaves: [Files and JSON](formats.md#scene-files).

A scene is TOML. A *quantity* is a number in SI units or text with a unit: `\"8 mm\"`, `\"0.3 MPa\"`, `\"30 deg\"`, `\"33 rpm\"`, \
`\"2 N s/m\"`, `\"1.2 g/cm^3\"`. Lengths are in m, masses in kg, times in s, angles in rad where no unit is written. Unknown keys are \
errors with the nearest known one. With the first line `#:schema docs/scene.schema.json` editors complete the keys.

Each part has an example. All of them, one after the other, are one scene that runs; a test does so.
";

/// The page, ending with a new line.
pub fn text() -> String {
    // The schema is our own: it parses, and a page without parts would fail its test.
    let root: Value = serde_json::from_str(&schema::text()).unwrap_or_default();
    let mut page = Page { root: &root, text: HEAD.to_string(), written: Vec::new() };
    for (key, part) in entries(&root["properties"]) {
        let (list, inner) = match page.plain(part) {
            array if is(array, "array") => (true, page.plain(&array["items"])),
            map if map.get("additionalProperties").is_some_and(Value::is_object) => {
                (false, page.plain(&map["additionalProperties"]))
            }
            table => (false, table),
        };
        let name = if key == "materials" { "materials.NAME" } else { key };
        let heading = if list { format!("[[{name}]]") } else { format!("[{name}]") };
        let _ = write!(page.text, "\n## `{heading}`\n");
        page.body(inner, examples::of(key));
    }
    page.text
}

struct Page<'a> {
    root: &'a Value,
    text: String,
    /// Definitions that have a section already.
    written: Vec<String>,
}

fn entries(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().into_iter().flatten().map(|(key, value)| (key.as_str(), value))
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

/// Whether the type of a schema is or may be this one.
fn is(schema: &Value, kind: &str) -> bool {
    schema["type"] == kind || list(schema, "type").iter().any(|one| one == kind)
}

/// Text for one cell.
fn cell(text: &str) -> String {
    text.replace('\n', " ").replace('|', "\\|")
}

impl<'a> Page<'a> {
    fn definition(&self, schema: &'a Value) -> Option<(&'a str, &'a Value)> {
        let name = schema["$ref"].as_str()?.rsplit('/').next()?;
        Some((name, &self.root["$defs"][name]))
    }

    /// A schema without the choice of being absent, references followed.
    fn plain(&self, schema: &'a Value) -> &'a Value {
        let only = list(schema, "anyOf").iter().filter(|one| one["type"] != "null").collect::<Vec<_>>();
        match (self.definition(schema), only.as_slice()) {
            (Some((_, inner)), _) => self.plain(inner),
            (None, [one]) => self.plain(one),
            _ => schema,
        }
    }

    /// What may stand for a key, in words.
    fn value(&self, schema: &'a Value) -> String {
        if let Some((name, inner)) = self.definition(schema) {
            return if name == "Quantity" { "quantity".to_string() } else { self.value(inner) };
        }
        let choices: Vec<&Value> = list(schema, "anyOf").iter().filter(|one| one["type"] != "null").collect();
        if !choices.is_empty() {
            let mut words: Vec<String> = choices.into_iter().map(|one| self.value(one)).collect();
            words.dedup();
            return words.join(", or ");
        }
        if !list(schema, "enum").is_empty() || schema["const"].is_string() {
            let names: Vec<String> =
                list(schema, "enum").iter().chain(schema.get("const")).map(Value::to_string).collect();
            return names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        }
        // Choices of one word each, with a meaning.
        let named = list(schema, "oneOf");
        if !named.is_empty() {
            let words = named.iter().all(|one| is(one, "string"));
            let names: Vec<String> = named.iter().filter(|_| words).map(|one| self.value(one)).collect();
            return if words { names.join(", ") } else { "table by `type`, below".to_string() };
        }
        if is(schema, "array") {
            let items = self.value(&schema["items"]);
            let items = if items.starts_with("list") { format!("({items})") } else { items };
            return match schema["minItems"].as_u64().filter(|_| schema["minItems"] == schema["maxItems"]) {
                Some(count) => format!("list of {count}: {items}"),
                None => format!("list: {items}"),
            };
        }
        if let Some(inner) = schema.get("additionalProperties").filter(|inner| inner.is_object()) {
            return format!("table: {} by name", self.value(inner));
        }
        let kinds =
            [("boolean", "`true` or `false`"), ("integer", "whole number"), ("number", "number"), ("string", "text")];
        let found = kinds.iter().find(|(kind, _)| is(schema, kind)).map(|(_, words)| *words);
        found.unwrap_or("table, below").to_string()
    }

    /// The meaning of a key: its own, or that of what may stand for it.
    fn meaning(&self, schema: &'a Value) -> String {
        let own = schema["description"].as_str();
        let inner = || self.plain(schema)["description"].as_str();
        let mut text = cell(own.or_else(inner).unwrap_or_default());
        for one in list(self.plain(schema), "oneOf").iter().filter(|one| is(one, "string")) {
            if let Some(meaning) = one["description"].as_str() {
                let _ = write!(text, " `{}`: {}", one["const"], cell(meaning));
            }
        }
        text
    }

    fn row(&mut self, before: &str, key: &str, schema: &'a Value, of: &Value) {
        let needed = if list(of, "required").iter().any(|one| one == key) { "yes" } else { "" };
        let (value, meaning) = (self.value(schema), self.meaning(schema));
        let _ = writeln!(self.text, "| {before}`{key}` | {value} | {needed} | {meaning} |");
    }

    /// What a part is, its example, its table, then the tables that stand inside of it.
    fn body(&mut self, schema: &'a Value, example: Option<&str>) {
        if let Some(meaning) = schema["description"].as_str() {
            let _ = writeln!(self.text, "{meaning}");
        }
        if let Some(example) = example {
            let _ = write!(self.text, "\n```toml part\n{example}```\n");
        }
        let mut inner: Vec<(&'a str, &'a Value)> = Vec::new();
        let kinds = list(schema, "oneOf");
        if kinds.is_empty() {
            self.text.push_str("\n| key | value | needed | meaning |\n|---|---|---|---|\n");
            for (key, property) in entries(&schema["properties"]) {
                self.row("", key, property, schema);
                self.inside(key, property, &mut inner);
            }
        } else {
            self.text.push_str("\n| type | key | value | needed | meaning |\n|---|---|---|---|---|\n");
            for kind in kinds {
                let name = kind["properties"]["type"]["const"].to_string();
                let about = cell(kind["description"].as_str().unwrap_or_default());
                let _ = writeln!(self.text, "| `{name}` | | | | {about} |");
                for (key, property) in entries(&kind["properties"]).filter(|(key, _)| *key != "type") {
                    self.row("| ", key, property, kind);
                    self.inside(key, property, &mut inner);
                }
            }
        }
        for (key, table) in inner {
            let _ = write!(self.text, "\n### `{key}`\n");
            self.body(table, None);
        }
    }

    /// Tables that may stand for a key and have no section yet.
    fn inside(&mut self, key: &'a str, schema: &'a Value, found: &mut Vec<(&'a str, &'a Value)>) {
        if let Some((name, inner)) = self.definition(schema) {
            let tagged = list(inner, "oneOf").iter().any(|one| one.get("properties").is_some());
            if (inner.get("properties").is_some() || tagged) && !self.written.iter().any(|one| one == name) {
                self.written.push(name.to_string());
                found.push((key, inner));
                return;
            }
            list(inner, "anyOf").iter().for_each(|one| self.inside(key, one, found));
        }
        list(schema, "anyOf").iter().for_each(|one| self.inside(key, one, found));
        if let Some(items) = schema.get("items") {
            self.inside(key, items, found);
        }
    }
}

//! The schema in the repository is that of the program, and scenes keep to it.

use fingerpad_files::scene::{reference, schema};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Run with `UPDATE=1` to write the file anew.
#[test]
fn the_kept_schema_is_up_to_date() {
    let path = root().join("docs/scene.schema.json");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, schema::text()).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap();
    assert!(kept == schema::text(), "docs/scene.schema.json is old: run this test with UPDATE=1");
}

/// The page for people is made of the schema. Run with `UPDATE=1` to write it anew.
#[test]
fn the_kept_reference_is_up_to_date() {
    let path = root().join("docs/scene-reference.md");
    let text = reference::text();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap();
    assert!(kept == text, "docs/scene-reference.md is old: run this test with UPDATE=1");
    // Every key has a meaning: its last cell is not empty.
    for line in text.lines().filter(|line| line.starts_with("| ") && line.contains("` | ")) {
        assert!(!line.ends_with("|  |"), "no meaning: {line}");
    }
    for part in
        ["## `[scene]`", "## `[materials.NAME]`", "## `[[body]]`", "### `shape`", "### `layer`", "| `\"torus\"` |"]
    {
        assert!(text.contains(part), "{part}");
    }
}

/// Every scene that we ship, and those of the tests, keep to the schema.
#[test]
fn scenes_keep_to_the_schema() {
    let schema: Value = serde_json::from_str(&schema::text()).unwrap();
    let mut count = 0;
    for folder in [root().join("scenes"), root().join("crates/files/tests/scenes")] {
        let Ok(files) = std::fs::read_dir(&folder) else { continue };
        for path in files.map(|file| file.unwrap().path()).filter(|p| p.extension().is_some_and(|e| e == "toml")) {
            let text = std::fs::read_to_string(&path).unwrap();
            let table = toml::de::DeTable::parse(&text).unwrap();
            let document = of_table(table.get_ref());
            check(&document, &schema, &schema).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
            count += 1;
        }
    }
    assert!(count >= 2);
}

/// Would catch a validator that accepts everything.
#[test]
fn the_validator_refuses_what_is_wrong() {
    let schema: Value = serde_json::from_str(&schema::text()).unwrap();
    let good = include_str!("scenes/arena.toml");
    for (from, to) in [
        ("duration = 1", "duration = true"),
        ("name = \"arena\"", "nam = \"arena\""),
        ("type = \"sphere\"", "type = \"spere\""),
        ("gravity = [0, 0, -9.81]", "gravity = [0, 0]"),
        ("radius = \"8 mm\"", "radius = \"8 mm\", other = 1"),
        ("friction = \"exact\"", "friction = \"glue\""),
    ] {
        let text = good.replacen(from, to, 1);
        let table = toml::de::DeTable::parse(&text).unwrap();
        assert!(check(&of_table(table.get_ref()), &schema, &schema).is_err(), "{to}");
    }
}

fn of_table(table: &toml::de::DeTable<'_>) -> Value {
    Value::Object(table.iter().map(|(key, value)| (key.get_ref().to_string(), of_value(value.get_ref()))).collect())
}

fn of_value(value: &toml::de::DeValue<'_>) -> Value {
    use toml::de::DeValue;
    match value {
        DeValue::String(text) => Value::from(text.to_string()),
        DeValue::Integer(x) => Value::from(x.as_str().parse::<f64>().unwrap()),
        DeValue::Float(x) => Value::from(x.as_str().parse::<f64>().unwrap()),
        DeValue::Boolean(x) => Value::from(*x),
        DeValue::Datetime(_) => Value::Null,
        DeValue::Array(list) => list.iter().map(|item| of_value(item.get_ref())).collect(),
        DeValue::Table(table) => of_table(table),
    }
}

/// The words of JSON Schema that ours uses.
fn check(value: &Value, schema: &Value, root: &Value) -> Result<(), String> {
    let refuse = |why: &str| Err(format!("{why}: {value}"));
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let pointer = reference.strip_prefix('#').unwrap();
        check(value, root.pointer(pointer).unwrap(), root)?;
    }
    for word in ["anyOf", "oneOf"] {
        if let Some(list) = schema.get(word).and_then(Value::as_array)
            && !list.iter().any(|one| check(value, one, root).is_ok())
        {
            return refuse("none of the alternatives");
        }
    }
    if let Some(kinds) = schema.get("type") {
        let is = |kind: &Value| match kind.as_str().unwrap() {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "number" => value.is_number(),
            // As JSON Schema has it: 20.0 is an integer.
            "integer" => value.as_f64().is_some_and(|x| x.fract() == 0.0),
            "boolean" => value.is_boolean(),
            "null" => value.is_null(),
            other => panic!("type {other}"),
        };
        let fits = kinds.as_array().map_or_else(|| is(kinds), |list| list.iter().any(is));
        if !fits {
            return refuse("wrong type");
        }
    }
    if schema.get("const").is_some_and(|c| c != value) {
        return refuse("another constant");
    }
    if let Some(list) = schema.get("enum").and_then(Value::as_array)
        && !list.contains(value)
    {
        return refuse("another name");
    }
    if let Some(object) = value.as_object() {
        let properties = schema.get("properties").and_then(Value::as_object);
        for key in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
            if !object.contains_key(key.as_str().unwrap()) {
                return refuse(&format!("missing {key}"));
            }
        }
        for (key, inner) in object {
            match (properties.and_then(|p| p.get(key)), schema.get("additionalProperties")) {
                (Some(one), _) => check(inner, one, root)?,
                (None, Some(Value::Bool(false))) => return refuse(&format!("unknown key {key}")),
                (None, Some(one)) if one.is_object() => check(inner, one, root)?,
                _ => {}
            }
        }
    }
    if let Some(list) = value.as_array() {
        let bound = |word: &str| schema.get(word).and_then(Value::as_u64);
        if bound("minItems").is_some_and(|n| (list.len() as u64) < n)
            || bound("maxItems").is_some_and(|n| list.len() as u64 > n)
        {
            return refuse("wrong length");
        }
        if let Some(items) = schema.get("items").filter(|items| items.is_object()) {
            for item in list {
                check(item, items, root)?;
            }
        }
    }
    Ok(())
}

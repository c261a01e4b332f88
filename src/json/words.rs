//! # Words of the command line: lengths with units, lists, shapes in one line
//!
//! - **in**: `10mm`, `0,0,0.2`, `sphere radius=10mm`
//! - **out**: metres, vectors, the JSON object that a file would hold
//! - **not here**: what the shapes are ([`shape`](super::shape)); units (`fingerpad_files::units`)

use fingerpad_files::units::{self, Dimension};
use serde_json::{Map, Value, json};

/// A name as we compare it: lower case, hyphens as underscores.
pub fn plain(name: &str) -> String {
    name.to_ascii_lowercase().replace('-', "_")
}

/// A length: a number, with a unit or in metres.
pub fn length(text: &str) -> Result<f64, String> {
    units::parse(text, Dimension::Length).map_err(|e| e.to_string())
}

/// N lengths between commas.
pub fn lengths<const N: usize>(text: &str) -> Result<[f64; N], String> {
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() != N {
        return Err(format!("expected {N} numbers between commas, got `{text}`"));
    }
    let mut out = [0.0; N];
    for (x, part) in out.iter_mut().zip(parts) {
        *x = length(part)?;
    }
    Ok(out)
}

/// A shape in one line, as `cylinder radius=20mm half_length=0.1`, as the object a file would hold.
///
/// Values are lengths, lists of lengths between commas, JSON in brackets, or else text (file names).
pub fn shape(text: &str) -> Result<Value, String> {
    let mut words = text.split_whitespace();
    let kind = words.next().ok_or("expected a shape such as `sphere radius=10mm`, got nothing")?;
    let mut object = Map::new();
    object.insert("type".to_string(), json!(kind));
    for word in words {
        let (key, value) =
            word.split_once('=').ok_or_else(|| format!("expected key=value after `{kind}`, got `{word}`"))?;
        object.insert(plain(key), self::value(value)?);
    }
    Ok(Value::Object(object))
}

fn value(text: &str) -> Result<Value, String> {
    if text.starts_with(['[', '{']) {
        return serde_json::from_str(text).map_err(|e| format!("expected JSON in brackets, got `{text}`: {e}"));
    }
    if let Ok(x) = length(text) {
        return Ok(json!(x));
    }
    let list: Result<Vec<f64>, String> = text.split(',').map(length).collect();
    Ok(match list {
        Ok(list) => json!(list),
        Err(_) => json!(text),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `m` ends `mm`, `cm` and `um`: would catch stripping the short unit first.
    #[test]
    fn lengths_take_their_units() {
        for (text, metres) in [("10mm", 0.01), ("1.5 cm", 0.015), ("2m", 2.0), ("-3um", -3e-6), ("0.25", 0.25)] {
            let got = length(text).unwrap();
            assert!((got - metres).abs() <= 1e-15 * metres.abs(), "{text} gave {got}");
        }
        assert!(length("ten").is_err() && length("inf").is_err() && length("").is_err());
    }

    /// The same object as a file would hold.
    #[test]
    fn shapes_in_one_line_become_objects() {
        assert_eq!(shape("sphere radius=10mm").unwrap(), json!({"type": "sphere", "radius": 0.01}));
        let boxed = shape("rounded-box half-extents=1,2,3cm edge_radius=1mm").unwrap();
        assert_eq!(boxed["half_extents"], json!([1.0, 2.0, 0.03]));
        let map = shape("elevation map=dem.asc png={\"dx\":1}").unwrap();
        assert_eq!((&map["map"], &map["png"]["dx"]), (&json!("dem.asc"), &json!(1)));
        assert!(shape("sphere 3").is_err() && shape("").is_err());
    }
}

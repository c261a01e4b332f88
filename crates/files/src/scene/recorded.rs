//! # Recorded motion: columns of a CSV file over time
//!
//! - **in**: a CSV file: a line of names, a column `t [s]`, one column for each joint
//! - **out**: points (time, value) of one column in SI, and the line of each; or why not, with file and line
//! - **not here**: the way between points (`fingerpad_sim::Timeline`)
//! - **start at** [`Recordings::column`]
//!
//! Units stand in brackets after a name, `elbow [deg]`, and are SI where none is given. Empty lines and lines that begin with
//! `#` are passed over.

use super::Asset;
use crate::input;
use crate::nearest::nearest;
use crate::units::{self, Dimension};
use std::collections::HashMap;
use std::path::Path;

/// Longest file of a recording (bytes).
const LONGEST: u64 = 256 << 20;

/// A file as it stands: names with units, and fields line by line.
struct Table {
    /// Line of the names, from 1.
    line: usize,
    names: Vec<(String, Option<String>)>,
    /// Number of the line, and its fields.
    rows: Vec<(usize, Vec<String>)>,
}

/// Files that were read.
pub(crate) struct Recordings<'a> {
    folder: &'a Path,
    assets: &'a mut Vec<Asset>,
    files: HashMap<String, Result<Table, String>>,
}

/// Points, and the line of each.
type Points = (Vec<[f64; 2]>, Vec<usize>);

impl<'a> Recordings<'a> {
    pub fn new(folder: &'a Path, assets: &'a mut Vec<Asset>) -> Self {
        Self { folder, assets, files: HashMap::new() }
    }

    /// Whether a file has one of these columns.
    pub fn has(&mut self, file: &str, wanted: &[&str]) -> Result<bool, String> {
        Ok(self.table(file)?.names.iter().any(|(name, _)| wanted.contains(&name.as_str())))
    }

    /// A file, read once.
    fn table(&mut self, file: &str) -> Result<&Table, String> {
        if !self.files.contains_key(file) {
            let path = self.folder.join(file);
            if self.assets.iter().all(|known| known.path != path) {
                self.assets.push(Asset { name: file.to_string(), path: path.clone() });
            }
            let text = input::read_text(&path, LONGEST).map_err(|e| format!("{file}: {e}"));
            self.files.insert(file.to_string(), text.and_then(|text| table(file, &text)));
        }
        self.files[file].as_ref().map_err(String::clone)
    }

    /// The first of these columns that a file has.
    pub fn column(&mut self, file: &str, wanted: &[&str], value: Dimension) -> Result<Points, String> {
        let table = self.table(file)?;
        let names: Vec<&str> = table.names.iter().map(|(name, _)| name.as_str()).collect();
        let find = |name: &&str| names.iter().position(|known| known == name);
        let time = find(&"t").ok_or_else(|| table.lacks(file, "t"))?;
        let at = wanted.iter().find_map(find).ok_or_else(|| table.lacks(file, wanted[0]))?;
        let (of_time, of_value) = (table.unit(file, time, Dimension::Time)?, table.unit(file, at, value)?);
        let (mut points, mut lines) = (Vec::with_capacity(table.rows.len()), Vec::with_capacity(table.rows.len()));
        for (line, row) in &table.rows {
            let number = |column: usize| {
                let text = row.get(column).map_or("", String::as_str);
                let parsed = text.parse::<f64>().ok().filter(|x| x.is_finite());
                parsed.ok_or_else(|| {
                    let name = names[column];
                    if text.is_empty() {
                        format!("{file}:{line}: expected a number in column `{name}`, got nothing")
                    } else {
                        format!("{file}:{line}: expected a finite number in column `{name}`, got `{text}`")
                    }
                })
            };
            points.push([number(time)? * of_time, number(at)? * of_value]);
            lines.push(*line);
        }
        if points.is_empty() {
            return Err(format!("{file}:{}: expected rows of numbers below the names, got none", table.line));
        }
        Ok((points, lines))
    }
}

fn table(file: &str, text: &str) -> Result<Table, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let used = |(_, line): &(usize, &str)| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let mut lines = text.lines().enumerate().map(|(i, line)| (i + 1, line)).filter(used);
    let Some((line, header)) = lines.next() else {
        return Err(format!("{file}: expected a line of names such as `t [s],elbow [deg]`, got an empty file"));
    };
    let field = |text: &str| text.trim().trim_matches('"').trim().to_string();
    let name = |text: &str| {
        let text = field(text);
        match text.strip_suffix(']').and_then(|rest| rest.rsplit_once('[')) {
            Some((name, unit)) => (name.trim().to_string(), Some(unit.trim().to_string())),
            None => (text, None),
        }
    };
    let names: Vec<(String, Option<String>)> = header.split(',').map(name).collect();
    if let Some((k, (name, _))) =
        names.iter().enumerate().find(|(k, (name, _))| names[..*k].iter().any(|(n, _)| n == name))
    {
        return Err(format!("{file}:{line}: column {} is named `{name}` as one before it is", k + 1));
    }
    let rows = lines.map(|(line, row)| (line, row.split(',').map(field).collect())).collect();
    Ok(Table { line, names, rows })
}

impl Table {
    fn lacks(&self, file: &str, name: &str) -> String {
        let known: Vec<&str> = self.names.iter().map(|(name, _)| name.as_str()).collect();
        let near = nearest(name, known.iter().copied()).map(|near| format!("; did you mean `{near}`?"));
        let near = near.unwrap_or_else(|| format!("; it has {}", known.join(", ")));
        format!("{file}:{}: there is no column `{name}`{near}", self.line)
    }

    /// What one of a column's unit is in SI.
    fn unit(&self, file: &str, column: usize, dimension: Dimension) -> Result<f64, String> {
        let (name, unit) = &self.names[column];
        let Some(unit) = unit else { return Ok(1.0) };
        units::parse(&format!("1 {unit}"), dimension)
            .map_err(|error| format!("{file}:{}: unit of column `{name}`: {error}", self.line))
    }
}

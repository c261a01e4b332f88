//! # Linear complementarity problems as records and as plain text
//!
//! record `{n, M, q}`, or text ──▶ **here** ──(`Lcp`)──▶ `query lcp`, `inspect`
//!
//! - **in**: a record with M by rows; or a text of numbers: n, the rows of M, q
//! - **out**: a checked [`Lcp`]; a document with one case
//! - **not here**: solving (`fingerpad_solve`)
//! - **start at** [`read`], then [`is_text`] and [`document`]

use super::document::Document;
use super::{Field, FieldError};
use crate::outcome::Failure;
use fingerpad_solve::Lcp;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// The problem in a record. `n` may be left out; if it is there, M and q must have that size.
pub fn read(record: &Field) -> Result<Lcp, FieldError> {
    let q = record.require("q")?;
    let q_list = q.list("a list of numbers")?;
    let n = match record.get("n") {
        Some(n) => n.whole()?,
        None => q_list.len(),
    };
    let counted = |field: &Field, what: &str, got: usize| {
        if got == n { Ok(()) } else { Err(FieldError::new(&field.path, format!("expected {n} {what}, got {got}"))) }
    };
    counted(&q, "numbers", q_list.len())?;
    let m = record.require("M")?;
    let rows = m.list("a list of rows")?;
    counted(&m, "rows", rows.len())?;
    let mut columns = vec![0.0; n * n];
    for (i, row) in rows.iter().enumerate() {
        let numbers = row.list("a row of numbers")?;
        counted(row, "numbers", numbers.len())?;
        for (j, x) in numbers.iter().enumerate() {
            columns[j * n + i] = x.number()?;
        }
    }
    let q = q_list.iter().map(Field::number).collect::<Result<Vec<f64>, FieldError>>()?;
    Lcp::from_columns(columns, q).map_err(|e| FieldError::new("M", e))
}

/// Whether bytes are a problem as plain text: they start with a number, or with a comment and then one.
pub fn is_text(start: &[u8]) -> bool {
    let text = String::from_utf8_lossy(start);
    let first =
        text.lines().map(|line| line.split('#').next().unwrap_or_default().trim()).find(|line| !line.is_empty());
    first.is_some_and(|line| line.split_whitespace().next().is_some_and(|word| word.parse::<usize>().is_ok()))
}

/// The document that a plain text stands for: one case. `#` begins a comment.
pub fn document(bytes: &[u8], name: &str) -> Result<Document, Failure> {
    let text = std::str::from_utf8(bytes).map_err(|_| Failure(format!("{name}: expected text, got other bytes")))?;
    let mut numbers = Vec::new();
    for (k, line) in text.lines().enumerate() {
        for word in line.split('#').next().unwrap_or_default().split_whitespace() {
            let number = word.parse::<f64>().ok().filter(|x| x.is_finite());
            let number =
                number.ok_or_else(|| Failure(format!("{name}:{}: expected a finite number, got `{word}`", k + 1)))?;
            numbers.push(number);
        }
    }
    let n = numbers.first().copied().unwrap_or(f64::NAN);
    if !(n >= 0.0 && n.fract() == 0.0 && n < 1e6) {
        return Err(Failure(format!("{name}: expected the number of rows first, a whole number below 1e6, got {n}")));
    }
    let n = n as usize;
    if numbers.len() != 1 + n * n + n {
        let (wanted, got) = (n * n + n, numbers.len() - 1);
        return Err(Failure(format!("{name}: expected {n} rows of {n} numbers and {n} of q ({wanted}), got {got}")));
    }
    let rows: Vec<&[f64]> = numbers[1..1 + n * n].chunks(n.max(1)).collect();
    let case = json!({"id": 0, "n": n, "M": rows, "q": numbers[1 + n * n..]});
    let root = Map::from_iter([("cases".to_string(), Value::Array(vec![case]))]);
    Ok(Document { root, name: name.to_string(), folder: PathBuf::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows stay rows, comments are skipped, and what is missing is counted.
    #[test]
    fn text_is_read() {
        let read_text = |text: &str| document(text.as_bytes(), "t");
        let got = read_text("# two\n2\n1 2\n3 4  # row\n-5 6\n").unwrap();
        assert_eq!(got.root["cases"], json!([{"id": 0, "n": 2, "M": [[1.0, 2.0], [3.0, 4.0]], "q": [-5.0, 6.0]}]));
        assert!(
            read_text("2 1 2 3 4 5").unwrap_err().to_string().contains("2 rows of 2 numbers and 2 of q (6), got 5")
        );
        assert!(read_text("1\nx 2").unwrap_err().to_string().contains("t:2: expected a finite number, got `x`"));
        assert!(read_text("").is_err() && read_text("1.5 2").is_err() && read_text("0").is_ok());
        assert!(is_text(b"# c\n 3\n") && !is_text(b"ncols 3") && !is_text(b"{") && !is_text(b"solid 3"));
    }
}

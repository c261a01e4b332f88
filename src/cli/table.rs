//! # Tables for people: columns as wide as their widest cell
//!
//! - **in**: rows of text
//! - **out**: aligned lines
//! - **not here**: tables of the HTML report (`report`)

/// Rows under a header, columns two spaces apart; the last column is not padded.
pub fn aligned(header: &[&str], rows: &[Vec<String>]) -> String {
    let mut lines: Vec<Vec<&str>> = vec![header.to_vec()];
    lines.extend(rows.iter().map(|row| row.iter().map(String::as_str).collect()));
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = |k: usize| lines.iter().filter_map(|l| l.get(k)).map(|cell| cell.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for line in &lines {
        let mut row = String::new();
        for (k, cell) in line.iter().enumerate() {
            let pad = widths[k] - cell.chars().count();
            row.push_str(cell);
            row.push_str(&" ".repeat(pad + 2));
        }
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}

/// A number with six significant digits, in plain notation where that is short.
pub fn short(x: f64) -> String {
    if x == 0.0 {
        return "0".to_string();
    }
    let size = x.abs().log10().floor();
    if !(-4.0..7.0).contains(&size) {
        return format!("{x:.5e}");
    }
    let decimals = (5.0 - size).max(0.0) as usize;
    let text = format!("{x:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Would catch trimming zeros of whole numbers (1200000 → 12) and lost digits of small ones.
    #[test]
    fn short_numbers_keep_six_digits_and_their_size() {
        let cases =
            [(1.2e6, "1200000"), (0.5, "0.5"), (-0.000123456789, "-0.000123457"), (1e-15, "1.00000e-15"), (0.0, "0")];
        for (x, text) in cases {
            assert_eq!(short(x), text);
        }
    }

    /// Columns line up by characters, not bytes: Δ is one column wide.
    #[test]
    fn columns_line_up_under_a_header_with_greek() {
        let text = aligned(&["Δ", "b"], &[vec!["1".into(), "2".into()]]);
        assert_eq!(text, "Δ  b\n1  2\n");
    }
}

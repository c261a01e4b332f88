//! # Quantities as people write them: a number, an SI prefix, a unit
//!
//! `"0.3 MPa"`, `"10mm"`, `"1N..20N:20"` ──▶ **here** ──(SI numbers)──▶ options, files
//!
//! - **in**: text and the [`Dimension`] it should have
//! - **out**: a finite number in SI units and radians, or a [`UnitError`] that says what was expected and what came
//! - **not here**: which values make sense (a negative modulus is a quantity all the same)
//! - **assumes**: a number without a unit is in SI already
//! - **start at** [`parse`], then [`parse_range`]

use std::str::FromStr;

/// What a quantity measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code)] // angles and dissipation come with scene files; their tests are here
pub enum Dimension {
    /// m.
    Length,
    /// N.
    Force,
    /// Pa.
    Pressure,
    /// rad or deg.
    Angle,
    /// s/m: Hunt–Crossley dissipation.
    Dissipation,
    /// No unit.
    Number,
}

/// A unit's symbol, what it measures, its size in SI, and whether SI prefixes go with it.
struct Unit {
    symbol: &'static str,
    dimension: Dimension,
    size: f64,
    prefixed: bool,
}

const fn unit(symbol: &'static str, dimension: Dimension, size: f64, prefixed: bool) -> Unit {
    Unit { symbol, dimension, size, prefixed }
}

const UNITS: [Unit; 7] = [
    unit("m", Dimension::Length, 1.0, true),
    unit("N", Dimension::Force, 1.0, true),
    unit("Pa", Dimension::Pressure, 1.0, true),
    unit("rad", Dimension::Angle, 1.0, true),
    unit("deg", Dimension::Angle, std::f64::consts::PI / 180.0, false),
    unit("°", Dimension::Angle, std::f64::consts::PI / 180.0, false),
    unit("s/m", Dimension::Dissipation, 1.0, true),
];

/// SI prefixes as powers of ten; micro has three spellings (u, U+00B5, U+03BC).
const PREFIXES: [(char, i32); 10] = [
    ('n', -9),
    ('u', -6),
    ('\u{b5}', -6),
    ('\u{3bc}', -6),
    ('m', -3),
    ('c', -2),
    ('d', -1),
    ('k', 3),
    ('M', 6),
    ('G', 9),
];

/// Most values of a range: a table of more is a mistyped one.
const MOST: usize = 100_000;

impl Dimension {
    /// A name for messages, with its article.
    fn name(self) -> &'static str {
        match self {
            Dimension::Length => "a length",
            Dimension::Force => "a force",
            Dimension::Pressure => "a pressure",
            Dimension::Angle => "an angle",
            Dimension::Dissipation => "a dissipation",
            Dimension::Number => "a number without unit",
        }
    }

    /// What to write.
    fn example(self) -> &'static str {
        match self {
            Dimension::Length => "`10mm` or `0.01` (m, with an SI prefix)",
            Dimension::Force => "`5N` (N, with an SI prefix)",
            Dimension::Pressure => "`0.3MPa` or `3e5` (Pa, with an SI prefix)",
            Dimension::Angle => "`30deg` or `0.52` (rad, deg)",
            Dimension::Dissipation => "`0.5s/m` (s/m, with an SI prefix)",
            Dimension::Number => "`0.5`",
        }
    }
}

/// Why a text is no such quantity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnitError {
    /// No number, or none that is finite.
    #[error("expected {} such as {}, got `{got}`", .expected.name(), .expected.example())]
    NotANumber {
        /// What was wanted.
        expected: Dimension,
        /// What came.
        got: String,
    },
    /// A unit that we do not know.
    #[error("expected {} such as {}, got `{got}` with the unknown unit `{unit}`", .expected.name(), .expected.example())]
    Unknown {
        /// What was wanted.
        expected: Dimension,
        /// What came.
        got: String,
        /// Its unit.
        unit: String,
    },
    /// A unit of something else.
    #[error("expected {} such as {}, got `{got}`, which is {}", .expected.name(), .expected.example(), .is.name())]
    Other {
        /// What was wanted.
        expected: Dimension,
        /// What came.
        got: String,
        /// What its unit measures.
        is: Dimension,
    },
    /// A range that is none.
    #[error("expected a value, or a range `from..to:count` with a count from 2 to {MOST}, got `{got}`")]
    Range {
        /// What came.
        got: String,
    },
}

/// A quantity in SI units: a number, then a unit of the dimension or none.
pub fn parse(text: &str, dimension: Dimension) -> Result<f64, UnitError> {
    let text = text.trim();
    let (mantissa, exponent, unit) = split(text);
    let (power, size) = scale(text, unit, dimension)?;
    // Powers of ten move into the text, so that 0.3 MPa is the double nearest to 3e5.
    let number = f64::from_str(&format!("{mantissa}e{}", exponent.saturating_add(power))).ok().map(|x| x * size);
    number.filter(|x| x.is_finite()).ok_or_else(|| UnitError::NotANumber { expected: dimension, got: text.to_string() })
}

/// One quantity, or evenly spaced ones: `from..to:count`. A `from` without unit has that of `to`.
pub fn parse_range(text: &str, dimension: Dimension) -> Result<Vec<f64>, UnitError> {
    let Some((from, rest)) = text.split_once("..") else { return Ok(vec![parse(text, dimension)?]) };
    let wrong = || UnitError::Range { got: text.trim().to_string() };
    let (to, count) = rest.split_once(':').ok_or_else(wrong)?;
    let count: usize = count.trim().parse().ok().filter(|n| (2..=MOST).contains(n)).ok_or_else(wrong)?;
    let last = parse(to, dimension)?;
    let bare = split(from.trim()).2.is_empty();
    let first =
        if bare { parse(&format!("{from} {}", split(to.trim()).2), dimension)? } else { parse(from, dimension)? };
    let pieces = (count - 1) as f64;
    Ok((0..count).map(|i| if i + 1 == count { last } else { first + (last - first) * i as f64 / pieces }).collect())
}

/// Decimal digits with sign and point, the power of ten behind `e`, and the rest.
fn split(text: &str) -> (&str, i32, &str) {
    let digits = text.find(|c: char| !c.is_ascii_digit() && !"+-.".contains(c)).unwrap_or(text.len());
    let (mantissa, rest) = text.split_at(digits);
    if let Some(tail) = rest.strip_prefix(['e', 'E']) {
        let sign = usize::from(tail.starts_with(['+', '-']));
        let end = tail[sign..].find(|c: char| !c.is_ascii_digit()).map_or(tail.len(), |k| k + sign);
        if end > sign {
            // Beyond i32 the number is 0 or infinite either way.
            let huge = if tail.starts_with('-') { i32::MIN / 2 } else { i32::MAX / 2 };
            return (mantissa, tail[..end].parse().unwrap_or(huge), tail[end..].trim());
        }
    }
    (mantissa, 0, rest.trim())
}

/// Power of ten and size of a unit, if it measures what is wanted.
fn scale(text: &str, unit: &str, wanted: Dimension) -> Result<(i32, f64), UnitError> {
    if unit.is_empty() {
        return Ok((0, 1.0));
    }
    // The unit itself first: `m` is a metre, not a prefix.
    let whole = UNITS.iter().find(|u| u.symbol == unit).map(|u| (u, 0));
    let found = whole.or_else(|| {
        let mut letters = unit.chars();
        let first = letters.next()?;
        let (_, power) = PREFIXES.iter().find(|(letter, _)| *letter == first)?;
        UNITS.iter().find(|u| u.prefixed && u.symbol == letters.as_str()).map(|u| (u, *power))
    });
    let got = text.to_string();
    match found {
        Some((u, power)) if u.dimension == wanted => Ok((power, u.size)),
        Some((u, _)) => Err(UnitError::Other { expected: wanted, got, is: u.dimension }),
        None if text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) => {
            Err(UnitError::Unknown { expected: wanted, got, unit: unit.to_string() })
        }
        None => Err(UnitError::NotANumber { expected: wanted, got }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Would catch taking the `m` of `mm` for the unit, an `e` of a unit for an exponent, and 0.3 MPa that misses 3e5
    /// by a rounding.
    #[test]
    fn quantities_are_the_doubles_nearest_to_what_is_written() {
        use Dimension::*;
        let cases = [
            ("10mm", Length, 0.01),
            ("1.5 cm", Length, 0.015),
            ("2m", Length, 2.0),
            ("-3um", Length, -3e-6),
            ("7µm", Length, 7e-6),
            ("7\u{3bc}m", Length, 7e-6),
            ("1 km", Length, 1000.0),
            ("0.25", Length, 0.25),
            (" .5e-3 m ", Length, 5e-4),
            ("0.3MPa", Pressure, 3e5),
            ("1.1 GPa", Pressure, 1.1e9),
            ("3e5Pa", Pressure, 3e5),
            ("5N", Force, 5.0),
            ("2 kN", Force, 2000.0),
            ("1E2mN", Force, 0.1),
            ("180deg", Angle, std::f64::consts::PI),
            ("90°", Angle, std::f64::consts::FRAC_PI_2),
            ("5 mrad", Angle, 0.005),
            ("0.5 s/m", Dissipation, 0.5),
            ("20ms/m", Dissipation, 0.02),
            ("0.8", Number, 0.8),
        ];
        for (text, dimension, want) in cases {
            assert_eq!(parse(text, dimension), Ok(want), "{text}");
        }
    }

    /// Each error says what was expected and what came.
    #[test]
    fn errors_say_what_was_expected_and_what_came() {
        let told = |text: &str, dimension| parse(text, dimension).unwrap_err().to_string();
        assert_eq!(
            told("5N", Dimension::Length),
            "expected a length such as `10mm` or `0.01` (m, with an SI prefix), got `5N`, which is a force"
        );
        assert!(told("0.3mpa", Dimension::Pressure).ends_with("got `0.3mpa` with the unknown unit `mpa`"));
        assert!(told("0.5 kg", Dimension::Number).contains("unknown unit `kg`"));
        for text in ["", "ten", "inf", "nan", "1e999", "1e99999999999", "--3", "1.2.3", "mm", "1+1", "-", "e5"] {
            let error = parse(text, Dimension::Length).unwrap_err();
            assert!(matches!(error, UnitError::NotANumber { .. }), "{text}: {error}");
        }
        assert!(matches!(parse("3ddeg", Dimension::Angle), Err(UnitError::Unknown { .. })));
    }

    /// Even steps with both ends exact; a bare start takes the unit of the end, since 1..20mm never means one metre.
    #[test]
    fn ranges_have_both_ends_and_even_steps() {
        let loads = parse_range("1N..20N:20", Dimension::Force).unwrap();
        assert_eq!(loads, (1..=20).map(f64::from).collect::<Vec<_>>());
        assert_eq!(parse_range("1..3mm:3", Dimension::Length).unwrap(), [0.001, 0.002, 0.003]);
        assert_eq!(parse_range("5N", Dimension::Force).unwrap(), [5.0]);
        assert_eq!(parse_range("0.3..0.1:2", Dimension::Number).unwrap(), [0.3, 0.1]);
        for text in ["1..2", "1..2:1", "1..2:x", "1..2:200000", "1..2:-3"] {
            assert!(matches!(parse_range(text, Dimension::Force), Err(UnitError::Range { .. })), "{text}");
        }
        assert!(matches!(parse_range("1m..2N:3", Dimension::Force), Err(UnitError::Other { .. })));
        assert!(parse_range("..:3", Dimension::Force).is_err());
    }
}

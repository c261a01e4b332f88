//! # Quantities as people write them: a number and a unit
//!
//! `"0.3 MPa"`, `"10mm"`, `"2 N s/m"`, `"1N..20N:20"` ──▶ **here** ──(SI numbers)──▶ options, files
//!
//! - **in**: text and the [`Dimension`] it should have
//! - **out**: a finite number in SI units and radians, or a [`UnitError`] that says what was expected and what came
//! - **not here**: which values make sense (a negative modulus is a quantity all the same)
//! - **assumes**: a number without a unit is in SI already
//! - **start at** [`parse`], then [`parse_range`]
//!
//! A unit is a product of symbols with SI prefixes and powers: `kg/m^3`, `N m s/rad`, `mm²`; each `/` divides by the one
//! symbol behind it. Angles count as a dimension, so that a frequency in Hz is not taken for a rate in rad/s.

use std::str::FromStr;

/// What a quantity measures.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Dimension {
    /// No unit.
    Number,
    /// m.
    Length,
    /// kg.
    Mass,
    /// s.
    Time,
    /// rad or deg.
    Angle,
    /// m/s.
    Speed,
    /// m/s².
    Acceleration,
    /// rad/s or rpm.
    AngularVelocity,
    /// Hz.
    Frequency,
    /// kg/m³.
    Density,
    /// kg·m².
    Inertia,
    /// N.
    Force,
    /// N·m.
    Moment,
    /// N·s.
    Impulse,
    /// N·m·s.
    AngularImpulse,
    /// J.
    Energy,
    /// Pa.
    Pressure,
    /// N/mⁿ.
    Stiffness {
        /// Exponent of the approach.
        n: f64,
    },
    /// N·m/rad.
    TorsionalStiffness,
    /// N·s/m.
    Damping,
    /// N·m·s/rad.
    TorsionalDamping,
    /// s/m: Hunt–Crossley dissipation.
    Dissipation,
}

/// Powers of kg, m, s and rad.
pub(crate) type Powers = [f64; 4];

/// Dimensions by name, in the order in which a unit of something else is named.
const NAMED: [Dimension; 21] = [
    Dimension::Length,
    Dimension::Mass,
    Dimension::Time,
    Dimension::Angle,
    Dimension::Speed,
    Dimension::Acceleration,
    Dimension::AngularVelocity,
    Dimension::Frequency,
    Dimension::Density,
    Dimension::Inertia,
    Dimension::Force,
    // N m and J have the same powers.
    Dimension::Moment,
    Dimension::Impulse,
    Dimension::AngularImpulse,
    Dimension::Pressure,
    Dimension::Stiffness { n: 1.0 },
    Dimension::TorsionalStiffness,
    Dimension::Damping,
    Dimension::TorsionalDamping,
    Dimension::Dissipation,
    Dimension::Number,
];

/// A unit's symbol, its powers, its size in SI as factor and power of ten, and whether SI prefixes go with it.
struct Unit {
    symbol: &'static str,
    powers: Powers,
    size: f64,
    ten: i32,
    prefixed: bool,
}

const fn unit(symbol: &'static str, powers: Powers, size: f64, ten: i32, prefixed: bool) -> Unit {
    Unit { symbol, powers, size, ten, prefixed }
}

const TURN: f64 = std::f64::consts::TAU;

const UNITS: [Unit; 16] = [
    unit("m", [0.0, 1.0, 0.0, 0.0], 1.0, 0, true),
    unit("g", [1.0, 0.0, 0.0, 0.0], 1.0, -3, true),
    unit("s", [0.0, 0.0, 1.0, 0.0], 1.0, 0, true),
    unit("N", [1.0, 1.0, -2.0, 0.0], 1.0, 0, true),
    unit("Pa", [1.0, -1.0, -2.0, 0.0], 1.0, 0, true),
    unit("J", [1.0, 2.0, -2.0, 0.0], 1.0, 0, true),
    unit("Hz", [0.0, 0.0, -1.0, 0.0], 1.0, 0, true),
    unit("rad", [0.0, 0.0, 0.0, 1.0], 1.0, 0, true),
    unit("deg", [0.0, 0.0, 0.0, 1.0], TURN / 360.0, 0, false),
    unit("°", [0.0, 0.0, 0.0, 1.0], TURN / 360.0, 0, false),
    unit("rev", [0.0, 0.0, 0.0, 1.0], TURN, 0, false),
    unit("rpm", [0.0, 0.0, -1.0, 1.0], TURN / 60.0, 0, false),
    unit("min", [0.0, 0.0, 1.0, 0.0], 60.0, 0, false),
    unit("h", [0.0, 0.0, 1.0, 0.0], 3600.0, 0, false),
    unit("in", [0.0, 1.0, 0.0, 0.0], 0.0254, 0, false),
    unit("1", [0.0; 4], 1.0, 0, false),
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
    /// Powers of kg, m, s and rad.
    fn powers(self) -> Powers {
        match self {
            Dimension::Number => [0.0; 4],
            Dimension::Length => [0.0, 1.0, 0.0, 0.0],
            Dimension::Mass => [1.0, 0.0, 0.0, 0.0],
            Dimension::Time => [0.0, 0.0, 1.0, 0.0],
            Dimension::Angle => [0.0, 0.0, 0.0, 1.0],
            Dimension::Speed => [0.0, 1.0, -1.0, 0.0],
            Dimension::Acceleration => [0.0, 1.0, -2.0, 0.0],
            Dimension::AngularVelocity => [0.0, 0.0, -1.0, 1.0],
            Dimension::Frequency => [0.0, 0.0, -1.0, 0.0],
            Dimension::Density => [1.0, -3.0, 0.0, 0.0],
            Dimension::Inertia => [1.0, 2.0, 0.0, 0.0],
            Dimension::Force => [1.0, 1.0, -2.0, 0.0],
            Dimension::Moment | Dimension::Energy => [1.0, 2.0, -2.0, 0.0],
            Dimension::Impulse => [1.0, 1.0, -1.0, 0.0],
            Dimension::AngularImpulse => [1.0, 2.0, -1.0, 0.0],
            Dimension::Pressure => [1.0, -1.0, -2.0, 0.0],
            Dimension::Stiffness { n } => [1.0, 1.0 - n, -2.0, 0.0],
            Dimension::TorsionalStiffness => [1.0, 2.0, -2.0, -1.0],
            Dimension::Damping => [1.0, 0.0, -1.0, 0.0],
            Dimension::TorsionalDamping => [1.0, 2.0, -1.0, -1.0],
            Dimension::Dissipation => [0.0, -1.0, 1.0, 0.0],
        }
    }

    /// The SI unit, as messages write it.
    pub fn symbol(self) -> String {
        match self {
            Dimension::Number => "",
            Dimension::Length => "m",
            Dimension::Mass => "kg",
            Dimension::Time => "s",
            Dimension::Angle => "rad",
            Dimension::Speed => "m/s",
            Dimension::Acceleration => "m/s^2",
            Dimension::AngularVelocity => "rad/s",
            Dimension::Frequency => "Hz",
            Dimension::Density => "kg/m^3",
            Dimension::Inertia => "kg m^2",
            Dimension::Force => "N",
            Dimension::Moment => "N m",
            Dimension::Energy => "J",
            Dimension::Impulse => "N s",
            Dimension::AngularImpulse => "N m s",
            Dimension::Pressure => "Pa",
            Dimension::Stiffness { n: 1.0 } => "N/m",
            Dimension::Stiffness { n } => return format!("N/m^{n}"),
            Dimension::TorsionalStiffness => "N m/rad",
            Dimension::Damping => "N s/m",
            Dimension::TorsionalDamping => "N m s/rad",
            Dimension::Dissipation => "s/m",
        }
        .to_string()
    }

    /// A name for messages, with its article.
    pub fn name(self) -> &'static str {
        match self {
            Dimension::Number => "a number without unit",
            Dimension::Length => "a length",
            Dimension::Mass => "a mass",
            Dimension::Time => "a time",
            Dimension::Angle => "an angle",
            Dimension::Speed => "a speed",
            Dimension::Acceleration => "an acceleration",
            Dimension::AngularVelocity => "an angular velocity",
            Dimension::Frequency => "a frequency",
            Dimension::Density => "a density",
            Dimension::Inertia => "a moment of inertia",
            Dimension::Force => "a force",
            Dimension::Moment => "a moment",
            Dimension::Energy => "an energy",
            Dimension::Impulse => "an impulse",
            Dimension::AngularImpulse => "an angular impulse",
            Dimension::Pressure => "a pressure",
            Dimension::Stiffness { .. } => "a stiffness",
            Dimension::TorsionalStiffness => "a torsional stiffness",
            Dimension::Damping => "a damping",
            Dimension::TorsionalDamping => "a torsional damping",
            Dimension::Dissipation => "a dissipation",
        }
    }

    /// What to write.
    fn example(self) -> String {
        match self {
            Dimension::Number => "`0.5`",
            Dimension::Length => "`10mm` or `0.01` (m, with an SI prefix)",
            Dimension::Mass => "`20 g` or `0.02` (kg)",
            Dimension::Time => "`5 ms` or `0.005` (s)",
            Dimension::Angle => "`30deg` or `0.52` (rad, deg)",
            Dimension::Speed => "`20 mm/s` or `0.02` (m/s)",
            Dimension::Acceleration => "`9.81 m/s^2` or `9.81`",
            Dimension::AngularVelocity => "`33 rpm`, `90 deg/s` or `1.57` (rad/s)",
            Dimension::Frequency => "`50 Hz` or `50`",
            Dimension::Density => "`1.2 g/cm^3` or `1200` (kg/m^3)",
            Dimension::Force => "`5N` (N, with an SI prefix)",
            Dimension::Pressure => "`0.3MPa` or `3e5` (Pa, with an SI prefix)",
            Dimension::Dissipation => "`0.5s/m` (s/m, with an SI prefix)",
            other => return format!("`1 {}`", other.symbol()),
        }
        .to_string()
    }
}

/// Why a text is no such quantity.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
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
    #[error("expected {} such as {}, got `{got}`, which is {is}", .expected.name(), .expected.example())]
    Other {
        /// What was wanted.
        expected: Dimension,
        /// What came.
        got: String,
        /// What its unit measures, with its article.
        is: &'static str,
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
    number(mantissa, exponent, power, size)
        .ok_or_else(|| UnitError::NotANumber { expected: dimension, got: text.to_string() })
}

/// A quantity of whatever its unit measures, in SI units; powers of kg, m, s and rad of the unit, none where there is none.
pub(crate) fn parse_any(text: &str) -> Result<(f64, Option<Powers>), UnitError> {
    let (mantissa, exponent, unit) = split(text.trim());
    let got = || text.trim().to_string();
    let expected = Dimension::Number;
    let found = compose(unit).map_err(|symbol| UnitError::Unknown { expected, got: got(), unit: symbol })?;
    let value = number(mantissa, exponent, found.ten, found.size);
    let value = value.ok_or_else(|| UnitError::NotANumber { expected, got: got() })?;
    Ok((value, (!unit.is_empty()).then_some(found.powers)))
}

/// What powers of kg, m, s and rad measure, with its article.
pub(crate) fn name_of(powers: &Powers) -> String {
    let near = |a: &Powers, b: &Powers| a.iter().zip(b).all(|(x, y)| (x - y).abs() < 1e-9);
    if let Some(known) = NAMED.iter().find(|d| near(powers, &d.powers())) {
        // N m and J have the same powers.
        return if *known == Dimension::Moment { "an energy or a moment" } else { known.name() }.to_string();
    }
    let factors: Vec<String> = ["kg", "m", "s", "rad"]
        .iter()
        .zip(powers)
        .filter(|(_, p)| **p != 0.0)
        .map(|(unit, p)| if *p == 1.0 { (*unit).to_string() } else { format!("{unit}^{p}") })
        .collect();
    format!("something in {}", factors.join(" "))
}

/// Powers of ten move into the text, so that 0.3 MPa is the double nearest to 3e5.
fn number(mantissa: &str, exponent: i32, ten: i32, size: f64) -> Option<f64> {
    let x = f64::from_str(&format!("{mantissa}e{}", exponent.saturating_add(ten))).ok()? * size;
    x.is_finite().then_some(x)
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
    let got = text.to_string();
    let found = compose(unit).map_err(|symbol| {
        if text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) {
            UnitError::Unknown { expected: wanted, got: got.clone(), unit: symbol }
        } else {
            UnitError::NotANumber { expected: wanted, got: got.clone() }
        }
    })?;
    let near = |a: &Powers, b: &Powers| a.iter().zip(b).all(|(x, y)| (x - y).abs() < 1e-9);
    let powers = wanted.powers();
    // An angle may go unsaid (N m for N m/rad, 1/s for rad/s), but a frequency is no rate in rad/s.
    let silent = Powers::from([powers[0], powers[1], powers[2], 0.0]);
    if near(&found.powers, &powers) || (near(&found.powers, &silent) && !unit.contains("Hz")) {
        return Ok((found.ten, found.size));
    }
    let is = NAMED.iter().find(|d| near(&found.powers, &d.powers())).map_or("something else", |d| d.name());
    Err(UnitError::Other { expected: wanted, got, is })
}

/// A product of units.
struct Composed {
    powers: Powers,
    size: f64,
    ten: i32,
}

/// Multiplies the units of a text such as `kg/m^3`; the symbol that we do not know otherwise.
fn compose(text: &str) -> Result<Composed, String> {
    let mut product = Composed { powers: [0.0; 4], size: 1.0, ten: 0 };
    let mut rest = text.trim_start();
    let mut sign = 1.0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| c.is_whitespace() || "/*·^²³".contains(c)).unwrap_or(rest.len());
        let (symbol, tail) = rest.split_at(end);
        let (power, tail) = exponent(tail).ok_or_else(|| text.to_string())?;
        let (unit, prefix) = find(symbol).ok_or_else(|| text.to_string())?;
        let power = sign * power;
        for (sum, p) in product.powers.iter_mut().zip(unit.powers) {
            *sum += p * power;
        }
        let ten = f64::from(unit.ten + prefix) * power;
        if ten.fract() == 0.0 {
            product.ten += ten as i32;
        } else {
            product.size *= 10f64.powf(ten);
        }
        product.size *= if power == 1.0 { unit.size } else { unit.size.powf(power) };
        let after = tail.trim_start();
        let divided = after.strip_prefix('/');
        sign = if divided.is_some() { -1.0 } else { 1.0 };
        rest = divided.or_else(|| after.strip_prefix(['*', '·'])).unwrap_or(after).trim_start();
        if rest.is_empty() && after != rest {
            return Err(text.to_string());
        }
    }
    Ok(product)
}

/// A power behind a symbol, 1 if there is none, and what follows.
fn exponent(tail: &str) -> Option<(f64, &str)> {
    if let Some(rest) = tail.strip_prefix('²') {
        return Some((2.0, rest));
    }
    if let Some(rest) = tail.strip_prefix('³') {
        return Some((3.0, rest));
    }
    let Some(rest) = tail.strip_prefix('^') else { return Some((1.0, tail)) };
    let end = rest.find(|c: char| !c.is_ascii_digit() && !"-.".contains(c)).unwrap_or(rest.len());
    let power: f64 = rest[..end].parse().ok()?;
    (power.abs() <= 10.0).then_some((power, &rest[end..]))
}

/// A unit by its symbol, with the power of ten of its prefix.
fn find(symbol: &str) -> Option<(&'static Unit, i32)> {
    // The unit itself first: `m` is a metre, not a prefix.
    if let Some(unit) = UNITS.iter().find(|u| u.symbol == symbol) {
        return Some((unit, 0));
    }
    let mut letters = symbol.chars();
    let first = letters.next()?;
    let (_, power) = PREFIXES.iter().find(|(letter, _)| *letter == first)?;
    UNITS.iter().find(|u| u.prefixed && u.symbol == letters.as_str()).map(|u| (u, *power))
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
            ("20 g", Mass, 0.02),
            ("1.5kg", Mass, 1.5),
            ("3 ms", Time, 0.003),
            ("2 min", Time, 120.0),
            ("20 mm/s", Speed, 0.02),
            ("9.81 m/s^2", Acceleration, 9.81),
            ("9.81 m/s²", Acceleration, 9.81),
            ("1.2 g/cm^3", Density, 1200.0),
            ("60 rpm", AngularVelocity, std::f64::consts::TAU),
            ("2 1/s", AngularVelocity, 2.0),
            ("50 Hz", Frequency, 50.0),
            ("3 N s", Impulse, 3.0),
            ("3 mN*s", Impulse, 0.003),
            ("2 N·m·s", AngularImpulse, 2.0),
            ("1e6 N/m^1.5", Stiffness { n: 1.5 }, 1e6),
            ("2 N/mm", Stiffness { n: 1.0 }, 2000.0),
            ("4 N m/rad", TorsionalStiffness, 4.0),
            ("4 N m", TorsionalStiffness, 4.0),
            ("5 N s/m", Damping, 5.0),
            ("5 N m s/rad", TorsionalDamping, 5.0),
            ("7 kg m^2", Inertia, 7.0),
            ("1 in", Length, 0.0254),
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
        assert!(told("0.5 kg", Dimension::Number).ends_with("got `0.5 kg`, which is a mass"));
        assert!(told("50 Hz", Dimension::AngularVelocity).ends_with("which is a frequency"));
        assert!(told("1 N/m", Dimension::Stiffness { n: 1.5 }).ends_with("got `1 N/m`, which is a stiffness"));
        assert!(told("1 N m^3", Dimension::Length).ends_with("which is something else"));
        for text in ["1 N/", "1 /m", "1 m^", "1 m^99", "1 N//m", "1 m*"] {
            assert!(matches!(parse(text, Dimension::Length), Err(UnitError::Unknown { .. })), "{text}");
        }
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

//! # Numbers: exact rationals that stay small while they can
//!
//! text, `f64` ──▶ **here** ──(`Rational`, `Int`)──▶ every other room
//!
//! - **in**: `"p/q"`, decimals such as `"-9.81"` or `"2.5e-3"`, exact values of `f64`
//! - **out**: [`Rational`], always reduced, denominator positive; [`Int`] inside
//! - **not here**: vectors and their floating-point filter (`polytope`)
//! - **assumes**: nothing; every operation is exact, at any size
//! - **start at** [`Rational`]
//!
//! `Int` is an `i128` until a result does not fit, then a `dashu` big integer: the cases people write stay in
//! the first form, where a product costs a few nanoseconds and no allocation.

use dashu_base::{BitTest, DivRem, Gcd, Sign};
use dashu_int::IBig;
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::str::FromStr;

/// A whole number of any size. `Big` is used only where `i128` does not suffice, so equality is structural.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Int {
    Small(i128),
    Big(IBig),
}

impl Int {
    pub(crate) const ZERO: Int = Int::Small(0);
    pub(crate) const ONE: Int = Int::Small(1);

    fn big(&self) -> IBig {
        match self {
            Int::Small(a) => IBig::from(*a),
            Int::Big(a) => a.clone(),
        }
    }

    fn canonical(a: IBig) -> Int {
        match i128::try_from(&a) {
            Ok(small) => Int::Small(small),
            Err(_) => Int::Big(a),
        }
    }

    pub(crate) fn is_zero(&self) -> bool {
        matches!(self, Int::Small(0))
    }

    pub(crate) fn is_one(&self) -> bool {
        matches!(self, Int::Small(1))
    }

    /// Sign, as the ordering against zero.
    pub(crate) fn sign(&self) -> Ordering {
        match self {
            Int::Small(a) => a.cmp(&0),
            Int::Big(a) if a.sign() == Sign::Negative => Ordering::Less,
            Int::Big(_) => Ordering::Greater,
        }
    }

    /// Nearest `f64`; ±∞ beyond its range (the filter then asks for the exact value).
    pub(crate) fn to_f64(&self) -> f64 {
        match self {
            Int::Small(a) => *a as f64,
            Int::Big(a) => a.to_f64().value(),
        }
    }

    /// Whether the number fits in half of an `i128`, so that products of two do not leave it.
    pub(crate) fn is_short(&self) -> bool {
        matches!(self, Int::Small(a) if i64::try_from(*a).is_ok())
    }

    /// Size in words of 64 bits, at least one.
    pub(crate) fn words(&self) -> usize {
        match self {
            Int::Small(_) => 1,
            Int::Big(a) => 1 + a.bit_len() / 64,
        }
    }

    pub(crate) fn gcd(&self, other: &Int) -> Int {
        match (self, other) {
            (Int::Small(a), Int::Small(b)) => from_u128(gcd_u128(a.unsigned_abs(), b.unsigned_abs())),
            (a, b) if a.is_zero() => b.abs(),
            (a, b) if b.is_zero() => a.abs(),
            (a, b) => Int::canonical(IBig::from(a.big().gcd(b.big()))),
        }
    }

    pub(crate) fn abs(&self) -> Int {
        if self.sign() == Ordering::Less { -self } else { self.clone() }
    }

    /// Quotient where the division is known to leave no remainder.
    pub(crate) fn exact_div(&self, by: &Int) -> Int {
        match (self, by) {
            (a, Int::Small(1)) => a.clone(),
            (Int::Small(a), Int::Small(b)) if *b != -1 => match (i64::try_from(*a), i64::try_from(*b)) {
                // Hardware division of 64 bits is several times cheaper than the 128-bit routine.
                (Ok(a), Ok(b)) => Int::Small(i128::from(a / b)),
                _ => Int::Small(a / b),
            },
            (a, b) => Int::canonical(a.big() / b.big()),
        }
    }

    fn pow10(e: u32) -> Int {
        Int::canonical(IBig::from(10).pow(e as usize))
    }
}

fn from_u128(a: u128) -> Int {
    i128::try_from(a).map_or_else(|_| Int::canonical(IBig::from(a)), Int::Small)
}

fn gcd_u128(mut a: u128, mut b: u128) -> u128 {
    if a == 0 || b == 0 {
        return a | b;
    }
    let shift = (a | b).trailing_zeros();
    a >>= a.trailing_zeros();
    // Binary steps in 128 bits only until both fit in 64.
    while b != 0 {
        b >>= b.trailing_zeros();
        if let (Ok(x), Ok(y)) = (u64::try_from(a), u64::try_from(b)) {
            return u128::from(gcd_odd_u64(x, y)) << shift;
        }
        if a > b {
            std::mem::swap(&mut a, &mut b);
        }
        b -= a;
    }
    a << shift
}

fn gcd_odd_u64(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        b >>= b.trailing_zeros();
        if a > b {
            std::mem::swap(&mut a, &mut b);
        }
        b -= a;
    }
    a
}

macro_rules! int_op {
    ($trait:ident, $method:ident, $checked:ident) => {
        impl $trait<&Int> for &Int {
            type Output = Int;
            fn $method(self, other: &Int) -> Int {
                if let (Int::Small(a), Int::Small(b)) = (self, other)
                    && let Some(c) = a.$checked(*b)
                {
                    return Int::Small(c);
                }
                Int::canonical($trait::$method(self.big(), other.big()))
            }
        }
    };
}
int_op!(Add, add, checked_add);
int_op!(Sub, sub, checked_sub);
int_op!(Mul, mul, checked_mul);

impl Neg for &Int {
    type Output = Int;
    fn neg(self) -> Int {
        match self {
            Int::Small(a) => a.checked_neg().map_or_else(|| Int::canonical(-IBig::from(*a)), Int::Small),
            Int::Big(a) => Int::canonical(-a.clone()),
        }
    }
}

impl PartialOrd for Int {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Int {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Int::Small(a), Int::Small(b)) => a.cmp(b),
            (a, b) => a.big().cmp(&b.big()),
        }
    }
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Int::Small(a) => a.fmt(f),
            Int::Big(a) => a.fmt(f),
        }
    }
}

/// An exact fraction, reduced, with positive denominator.
///
/// Read from text (`"3/4"`, `"-9.81"`, `"1e-3"`) or from the exact value of an `f64`; printed as `p/q` or `p`.
/// Note that 0.1 as text is one tenth, and as an `f64` is 3602879701896397/36028797018963968.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rational {
    num: Int,
    den: Int,
}

/// Why a text is not a number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NumberError {
    /// Neither a decimal nor a fraction.
    #[error("expected a decimal or a fraction \"p/q\", got \"{0}\"")]
    NotANumber(String),
    /// `p/0`.
    #[error("the denominator of \"{0}\" is zero")]
    ZeroDenominator(String),
    /// NaN or an infinity.
    #[error("expected a finite number, got {0}")]
    NotFinite(String),
    /// More digits or a larger exponent than we are willing to expand.
    #[error("the number \"{0}…\" has more than {MAX_DIGITS} digits or an exponent beyond ±{MAX_EXPONENT}")]
    TooLong(String),
}

const MAX_DIGITS: usize = 1100; // the exact decimal of any f64 fits
const MAX_EXPONENT: i64 = 400;

impl Rational {
    /// Zero.
    pub const ZERO: Rational = Rational { num: Int::ZERO, den: Int::ONE };
    /// One.
    pub const ONE: Rational = Rational { num: Int::ONE, den: Int::ONE };

    /// The fraction `num / den`; `None` when `den` is zero.
    pub fn new(num: i64, den: i64) -> Option<Rational> {
        (den != 0).then(|| Rational::reduced(Int::Small(num.into()), Int::Small(den.into())))
    }

    /// `den` must not be zero.
    pub(crate) fn reduced(num: Int, den: Int) -> Rational {
        let mut g = num.gcd(&den);
        if den.sign() == Ordering::Less {
            g = -&g;
        }
        if g.is_one() { Rational { num, den } } else { Rational { num: num.exact_div(&g), den: den.exact_div(&g) } }
    }

    /// The exact value of a finite `f64`.
    pub fn from_f64(x: f64) -> Result<Rational, NumberError> {
        if !x.is_finite() {
            return Err(NumberError::NotFinite(x.to_string()));
        }
        let bits = x.to_bits();
        let biased = ((bits >> 52) & 0x7ff) as i64;
        let fraction = bits & ((1 << 52) - 1);
        let (mantissa, exponent) = if biased == 0 { (fraction, -1074) } else { (fraction | (1 << 52), biased - 1075) };
        let signed = if x < 0.0 { -i128::from(mantissa) } else { i128::from(mantissa) };
        let scale = Int::canonical(IBig::from(1) << exponent.unsigned_abs() as usize);
        let num = Int::Small(signed);
        Ok(if exponent < 0 { Rational::reduced(num, scale) } else { Rational { num: &num * &scale, den: Int::ONE } })
    }

    pub(crate) fn num(&self) -> &Int {
        &self.num
    }

    pub(crate) fn den(&self) -> &Int {
        &self.den
    }

    /// Whether this is zero.
    pub fn is_zero(&self) -> bool {
        self.num.is_zero()
    }

    /// Sign, as the ordering against zero.
    pub fn sign(&self) -> Ordering {
        self.num.sign()
    }

    /// Magnitude.
    pub fn abs(&self) -> Rational {
        Rational { num: self.num.abs(), den: self.den.clone() }
    }

    /// The nearest `f64` (ties to even; below the normal range the last bit may be off).
    pub fn to_f64(&self) -> f64 {
        const EXACT: u128 = 1 << 53;
        if let (Int::Small(n), Int::Small(d)) = (&self.num, &self.den)
            && n.unsigned_abs() <= EXACT
            && d.unsigned_abs() <= EXACT
        {
            return *n as f64 / *d as f64; // both exact, one rounding
        }
        // A quotient of 65 or 66 bits with the remainder folded into the last one rounds like the true value.
        let (n, d) = (self.num.abs().big(), self.den.big());
        let shift = 66 + d.bit_len() as i64 - n.bit_len() as i64;
        let scaled = if shift >= 0 { (n << shift as usize, d) } else { (n, d << (-shift) as usize) };
        let (q, r) = scaled.0.div_rem(scaled.1);
        let sticky = u128::from(r != IBig::ZERO);
        let q = u128::try_from(&q).expect("the shift leaves at most 67 bits") | sticky;
        let half = (shift / 2) as i32;
        let magnitude = q as f64 * 2f64.powi(-half) * 2f64.powi(-(shift as i32 - half));
        if self.sign() == Ordering::Less { -magnitude } else { magnitude }
    }
}

impl From<i64> for Rational {
    fn from(a: i64) -> Rational {
        Rational { num: Int::Small(a.into()), den: Int::ONE }
    }
}

impl From<Int> for Rational {
    fn from(num: Int) -> Rational {
        Rational { num, den: Int::ONE }
    }
}

impl FromStr for Rational {
    type Err = NumberError;

    fn from_str(text: &str) -> Result<Rational, NumberError> {
        let text = text.trim();
        let short = || text.chars().take(40).collect::<String>();
        match text.split_once('/') {
            None => decimal(text),
            Some((p, q)) => {
                let (p, q) = (decimal(p.trim())?, decimal(q.trim())?);
                if q.is_zero() { Err(NumberError::ZeroDenominator(short())) } else { Ok(&p / &q) }
            }
        }
    }
}

/// Reads `[+-]digits[.digits][e[+-]digits]` exactly.
fn decimal(text: &str) -> Result<Rational, NumberError> {
    let short = || text.chars().take(40).collect::<String>();
    let bad = || NumberError::NotANumber(short());
    if text.len() > MAX_DIGITS {
        return Err(NumberError::TooLong(short()));
    }
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        None => (text, 0),
        Some((m, e)) => {
            let digits = e.strip_prefix(['+', '-']).unwrap_or(e);
            if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
                return Err(bad());
            }
            (m, e.parse::<i64>().map_err(|_| NumberError::TooLong(short()))?)
        }
    };
    if exponent.abs() > MAX_EXPONENT {
        return Err(NumberError::TooLong(short()));
    }
    let unsigned = mantissa.strip_prefix(['+', '-']).unwrap_or(mantissa);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(bad());
    }
    let mut num = Int::canonical(IBig::from_str(&digits).map_err(|_| bad())?);
    if mantissa.starts_with('-') {
        num = -&num;
    }
    let power = exponent - fraction.len() as i64;
    let scale = Int::pow10(power.unsigned_abs() as u32);
    Ok(if power < 0 { Rational::reduced(num, scale) } else { Rational::from(&num * &scale) })
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.den.is_one() { self.num.fmt(f) } else { write!(f, "{}/{}", self.num, self.den) }
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        (&self.num * &other.den).cmp(&(&other.num * &self.den))
    }
}

impl Add<&Rational> for &Rational {
    type Output = Rational;
    fn add(self, o: &Rational) -> Rational {
        Rational::reduced(&(&self.num * &o.den) + &(&o.num * &self.den), &self.den * &o.den)
    }
}

impl Sub<&Rational> for &Rational {
    type Output = Rational;
    fn sub(self, o: &Rational) -> Rational {
        Rational::reduced(&(&self.num * &o.den) - &(&o.num * &self.den), &self.den * &o.den)
    }
}

impl Mul<&Rational> for &Rational {
    type Output = Rational;
    fn mul(self, o: &Rational) -> Rational {
        Rational::reduced(&self.num * &o.num, &self.den * &o.den)
    }
}

/// Panics when the divisor is zero, as integer division does.
impl Div<&Rational> for &Rational {
    type Output = Rational;
    fn div(self, o: &Rational) -> Rational {
        assert!(!o.is_zero(), "division of {self} by zero");
        Rational::reduced(&self.num * &o.den, &self.den * &o.num)
    }
}

impl Neg for &Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        Rational { num: -&self.num, den: self.den.clone() }
    }
}

impl std::iter::Sum for Rational {
    fn sum<I: Iterator<Item = Rational>>(terms: I) -> Rational {
        terms.fold(Rational::ZERO, |a, b| &a + &b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn r(text: &str) -> Rational {
        text.parse().unwrap()
    }

    #[test]
    fn decimals_fractions_and_exponents_are_read_exactly() {
        assert_eq!(r("0.25"), Rational::new(1, 4).unwrap());
        assert_eq!(r("-9.81").to_string(), "-981/100");
        assert_eq!(r("25e-2"), r("1/4"));
        assert_eq!(r("1.5/-3").to_string(), "-1/2");
        assert_eq!(r("2e3").to_string(), "2000");
        assert_eq!(Rational::from_f64(0.1).unwrap().to_string(), "3602879701896397/36028797018963968");
        assert_eq!(Rational::from_f64(-3.0).unwrap(), r("-3"));
    }

    #[test]
    fn what_is_not_a_number_is_an_error_and_not_a_panic() {
        for text in ["", "/", "1/", "a", "1e", "1e+", "--1", "1.2.3", ".", "1/2/3", "NaN", "inf", "1e5000", "0x10"] {
            assert!(text.parse::<Rational>().is_err(), "{text}");
        }
        assert!(matches!("3/0".parse::<Rational>(), Err(NumberError::ZeroDenominator(_))));
        assert!(Rational::from_f64(f64::NAN).is_err());
        assert!("1".repeat(5000).parse::<Rational>().is_err());
    }

    /// Would catch a double rounding: the standard library's own parser is the outside opinion.
    #[test]
    fn conversion_to_f64_rounds_correctly() {
        let mut state = 7u64;
        for _ in 0..2000 {
            let x = loop {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let x = f64::from_bits(state);
                if x.is_finite() && x.abs() > 1e-300 && x.abs() < 1e300 {
                    break x;
                }
            };
            assert_eq!(Rational::from_f64(x).unwrap().to_f64(), x);
        }
        for text in ["0.1", "123456789.123456789123456789123456789", "1e-30", "9007199254740993", "3.3e100"] {
            assert_eq!(r(text).to_f64(), text.parse::<f64>().unwrap(), "{text}");
        }
    }

    #[test]
    fn arithmetic_survives_the_step_from_small_to_big_and_back() {
        let big = r("170141183460469231731687303715884105727"); // i128::MAX
        let more = &big + &Rational::ONE;
        assert_eq!(&more - &Rational::ONE, big);
        assert_eq!(&(&more * &more) / &more, more);
        assert_eq!(&(&big * &r("1/3")) * &r("3"), big);
        assert!(more > big && (-&more) < big);
        assert_eq!((-&more).to_string(), "-170141183460469231731687303715884105728");
        assert_eq!(&(-&more) - &r("-1"), -&big);
    }
}

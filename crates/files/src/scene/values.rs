//! # Values of expressions over the rows of a run
//!
//! - **in**: terms, and a [`Series`]
//! - **out**: one number, or one for each row
//! - **start at** [`Term::value`]

use super::expression::{Function, Term};
use std::collections::BTreeSet;

/// Rows of a run.
pub trait Series {
    /// Times of the rows (s), ascending.
    fn times(&self) -> &[f64];
    /// The values of a quantity at those times; `None` if it was not recorded.
    fn series(&self, path: &str) -> Option<Vec<f64>>;
}

/// What became of a check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// Value of the left side.
    pub value: f64,
    /// Whether the expectation holds.
    pub ok: bool,
}

/// One number, or one for each row.
pub(crate) enum Values {
    One(f64),
    Rows(Vec<f64>),
}

impl Values {
    pub fn last(&self) -> Result<f64, String> {
        match self {
            Values::One(x) => Ok(*x),
            Values::Rows(rows) => rows.last().copied().ok_or_else(|| "the run has no rows".to_string()),
        }
    }

    fn rows(self) -> Result<Vec<f64>, String> {
        match self {
            Values::One(x) => Ok(vec![x]),
            Values::Rows(rows) if rows.is_empty() => Err("the run has no rows".to_string()),
            Values::Rows(rows) => Ok(rows),
        }
    }

    fn map(self, f: impl Fn(f64) -> f64) -> Values {
        match self {
            Values::One(x) => Values::One(f(x)),
            Values::Rows(rows) => Values::Rows(rows.into_iter().map(f).collect()),
        }
    }

    fn join(self, other: Values, f: impl Fn(f64, f64) -> f64) -> Values {
        match (self, other) {
            (Values::One(a), b) => b.map(|b| f(a, b)),
            (a, Values::One(b)) => a.map(|a| f(a, b)),
            (Values::Rows(a), Values::Rows(b)) => Values::Rows(a.into_iter().zip(b).map(|(a, b)| f(a, b)).collect()),
        }
    }
}

fn binary(sign: char) -> fn(f64, f64) -> f64 {
    match sign {
        '+' => |a, b| a + b,
        '-' => |a, b| a - b,
        '*' => |a, b| a * b,
        '/' => |a, b| a / b,
        _ => f64::powf,
    }
}

fn single(function: Function) -> fn(f64) -> f64 {
    match function {
        Function::Abs => f64::abs,
        Function::Sqrt => f64::sqrt,
        Function::Sin => f64::sin,
        Function::Cos => f64::cos,
        Function::Tan => f64::tan,
        Function::Log => f64::ln,
        Function::Exp => f64::exp,
        _ => |x| x,
    }
}

impl Term {
    pub fn paths(&self, found: &mut BTreeSet<String>) {
        match self {
            Term::Number(..) => {}
            Term::Path(path) => {
                found.insert(path.clone());
            }
            Term::Minus(inner) => inner.paths(found),
            Term::Binary(_, a, b) => [a, b].into_iter().for_each(|term| term.paths(found)),
            Term::Call(_, arguments) => arguments.iter().for_each(|term| term.paths(found)),
        }
    }

    pub fn value(&self, rows: &dyn Series) -> Result<Values, String> {
        match self {
            Term::Number(x, _) => Ok(Values::One(*x)),
            Term::Path(path) => {
                let count = rows.times().len();
                match rows.series(path) {
                    Some(series) if series.len() == count => Ok(Values::Rows(series)),
                    Some(series) => Err(format!("`{path}` has {} rows where the run has {count}", series.len())),
                    None => Err(format!("`{path}` was not recorded")),
                }
            }
            Term::Minus(inner) => Ok(inner.value(rows)?.map(|x| -x)),
            Term::Binary(sign, a, b) => Ok(a.value(rows)?.join(b.value(rows)?, binary(*sign))),
            Term::Call(function, arguments) => call(*function, arguments, rows),
        }
    }

    /// The value of a formula at a place.
    pub fn at(&self, x: f64, y: f64) -> f64 {
        match self {
            Term::Number(value, _) => *value,
            Term::Path(path) => {
                if path == "x" {
                    x
                } else {
                    y
                }
            }
            Term::Minus(inner) => -inner.at(x, y),
            Term::Binary(sign, a, b) => binary(*sign)(a.at(x, y), b.at(x, y)),
            Term::Call(Function::Atan2, arguments) => arguments[0].at(x, y).atan2(arguments[1].at(x, y)),
            Term::Call(function, arguments) => single(*function)(arguments[0].at(x, y)),
        }
    }
}

fn call(function: Function, arguments: &[Term], rows: &dyn Series) -> Result<Values, String> {
    let first = arguments[0].value(rows)?;
    let fold = |values: Values, f: fn(f64, f64) -> f64| -> Result<Values, String> {
        // A row that is no number makes the whole no number: nothing is left out in silence.
        let rows = values.rows()?;
        let all = rows.iter().copied().reduce(|a, b| if a.is_nan() || b.is_nan() { f64::NAN } else { f(a, b) });
        Ok(Values::One(all.unwrap_or(f64::NAN)))
    };
    match function {
        Function::Min => fold(first, f64::min),
        Function::Max => fold(first, f64::max),
        Function::Mean => {
            let rows = first.rows()?;
            Ok(Values::One(rows.iter().sum::<f64>() / rows.len() as f64))
        }
        Function::First => Ok(Values::One(first.rows()?[0])),
        Function::Last => Ok(Values::One(first.last()?)),
        Function::At => interpolate(first, arguments[1].value(rows)?.last()?, rows.times()),
        Function::Atan2 => Ok(first.join(arguments[1].value(rows)?, f64::atan2)),
        other => Ok(first.map(single(other))),
    }
}

/// The value at a time, on the line between the rows around it.
fn interpolate(values: Values, time: f64, times: &[f64]) -> Result<Values, String> {
    let Values::Rows(rows) = values else { return Ok(values) };
    let (Some(start), Some(end)) = (times.first(), times.last()) else { return Err("the run has no rows".to_string()) };
    // A run ends at its duration but for rounding.
    let slack = 1e-9 * (end - start).abs();
    if !(time >= start - slack && time <= end + slack) {
        return Err(format!("the run has rows from {start} s to {end} s, not at {time} s"));
    }
    let after = times.partition_point(|t| *t < time).min(times.len() - 1);
    let before = after.saturating_sub(1);
    let (t0, t1) = (times[before], times[after]);
    let share = if t1 > t0 { ((time - t0) / (t1 - t0)).clamp(0.0, 1.0) } else { 0.0 };
    let value = if share == 1.0 { rows[after] } else { rows[before] + (rows[after] - rows[before]) * share };
    Ok(Values::One(value))
}

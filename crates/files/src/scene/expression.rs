//! # Expressions: what a check expects of a run, and heights as formulas
//!
//! `"max(contact.depth) < 0.1 mm"` ──▶ **here** ──([`Expression`])──▶ verdicts on a [`Series`]
//!
//! - **in**: a text; the names of bodies and pairs; rows of a run
//! - **out**: an [`Expression`] with the paths it needs; a [`Verdict`]
//! - **not here**: what the quantities are (the recorder of a run)
//! - **start at** [`Expression::parse`], then [`Expression::evaluate`]
//!
//! Every expression has a value at each row; what is compared is the last one. `first`, `last`, `min`, `max`, `mean` and
//! `at(…, time)` make one number of all rows.

use super::error::Span;
use super::lexer::{Token, Tokens};
use super::tree::Node;
use crate::nearest::nearest;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;

/// Quantities of a body.
pub const OF_BODY: [&str; 19] = [
    "x", "y", "z", "height", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "speed", "wx", "wy", "wz", "spin", "rx", "ry",
    "rz",
];
/// Quantities of contacts, of all or of one pair.
pub const OF_CONTACT: [&str; 7] = ["slip", "depth", "normal", "count", "time", "touchdowns", "margin"];
/// Lines of the energy ledger.
pub const OF_ENERGY: [&str; 13] = [
    "KE",
    "PE",
    "V_normal",
    "V_tangential",
    "E_visc",
    "E_slip",
    "E_release",
    "E_num",
    "E_geo",
    "E_solver",
    "W_injected",
    "modulation",
    "total",
];
/// Quantities of the run.
pub const OF_RUN: [&str; 3] = ["t", "ledger_error", "E"];

/// Longest text of an expression (bytes).
const LONGEST: usize = 4000;
/// Deepest nesting.
const DEEPEST: usize = 60;

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

/// A comparison of two values.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    text: String,
    left: Term,
    relation: Relation,
    right: Term,
    /// For `==`: how far the sides may differ.
    tolerance: Option<Term>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
}

#[derive(Clone, Debug, PartialEq)]
enum Term {
    Number(f64),
    Path(String),
    Minus(Box<Term>),
    Binary(char, Box<Term>, Box<Term>),
    Call(Function, Vec<Term>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Min,
    Max,
    Mean,
    First,
    Last,
    At,
    Abs,
    Sqrt,
    Sin,
    Cos,
    Tan,
    Atan2,
    Log,
    Exp,
}

const FUNCTIONS: [(&str, Function, usize); 14] = [
    ("min", Function::Min, 1),
    ("max", Function::Max, 1),
    ("mean", Function::Mean, 1),
    ("first", Function::First, 1),
    ("last", Function::Last, 1),
    ("at", Function::At, 2),
    ("abs", Function::Abs, 1),
    ("sqrt", Function::Sqrt, 1),
    ("sin", Function::Sin, 1),
    ("cos", Function::Cos, 1),
    ("tan", Function::Tan, 1),
    ("atan2", Function::Atan2, 2),
    ("log", Function::Log, 1),
    ("exp", Function::Exp, 1),
];

/// What an expression may name.
#[derive(Clone, Debug, Default)]
pub struct Names {
    bodies: BTreeSet<String>,
    /// Pairs that can touch, each under both orders of its names.
    pairs: BTreeMap<(String, String), String>,
}

impl Names {
    /// Bodies by name, and pairs of them that can touch, A first.
    pub fn new<'a>(
        bodies: impl IntoIterator<Item = &'a str>,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let mut names = Self { bodies: bodies.into_iter().map(str::to_string).collect(), pairs: BTreeMap::new() };
        for (a, b) in pairs {
            let name = format!("{a}-{b}");
            names.pairs.insert((a.to_string(), b.to_string()), name.clone());
            names.pairs.insert((b.to_string(), a.to_string()), name);
        }
        names
    }

    /// The path as recorders know it: pairs with A first.
    fn canonical(&self, path: &str) -> Option<String> {
        let Some((head, quantity)) = path.rsplit_once('.') else {
            return (OF_RUN.contains(&path) || path == "pi").then(|| path.to_string());
        };
        if let Some(pair) = head.strip_prefix("contact.") {
            let name = self.pair(pair)?;
            return OF_CONTACT.contains(&quantity).then(|| format!("contact.{name}.{quantity}"));
        }
        let known = match head {
            "contact" => OF_CONTACT.contains(&quantity),
            "energy" => OF_ENERGY.contains(&quantity),
            body => self.bodies.contains(body) && OF_BODY.contains(&quantity),
        };
        known.then(|| path.to_string())
    }

    fn pair(&self, text: &str) -> Option<&String> {
        let cuts = text.match_indices('-').map(|(k, _)| (text[..k].to_string(), text[k + 1..].to_string()));
        cuts.filter_map(|names| self.pairs.get(&names)).next()
    }

    /// Why a path is not known.
    fn refuse(&self, path: &str) -> (String, Option<String>) {
        let offer = |word: &str, known: &[&str]| {
            let near = nearest(word, known.iter().copied());
            Some(near.map_or_else(|| format!("known are {}", known.join(", ")), |n| format!("did you mean `{n}`?")))
        };
        let Some((head, quantity)) = path.rsplit_once('.') else {
            let message = if self.bodies.contains(path) {
                return (format!("`{path}` is a body; expected one of its quantities"), offer("", &OF_BODY));
            } else {
                format!("unknown quantity `{path}`")
            };
            let functions = FUNCTIONS.iter().map(|(name, _, _)| *name);
            let known: Vec<&str> = OF_RUN.into_iter().chain(["pi"]).chain(functions).collect();
            return (message, offer(path, &known));
        };
        let quantity_of =
            |what: String, known: &[&str]| (format!("unknown quantity `{quantity}` of {what}"), offer(quantity, known));
        if let Some(pair) = head.strip_prefix("contact.") {
            if self.pair(pair).is_some() {
                return quantity_of(format!("the contact `{pair}`"), &OF_CONTACT);
            }
            let both: Vec<String> = self.pairs.keys().take(200).map(|(a, b)| format!("{a}-{b}")).collect();
            let known: Vec<&str> = both.iter().map(String::as_str).collect();
            let note = if known.is_empty() { Some("no two bodies can".to_string()) } else { offer(pair, &known) };
            return (format!("there is no pair `{pair}` that can touch"), note);
        }
        match head {
            "contact" => quantity_of("contacts".to_string(), &OF_CONTACT),
            "energy" => quantity_of("the energy".to_string(), &OF_ENERGY),
            body if self.bodies.contains(body) => quantity_of(format!("body `{body}`"), &OF_BODY),
            other => {
                let bodies: Vec<&str> = self.bodies.iter().map(String::as_str).chain(["contact", "energy"]).collect();
                (format!("there is no body `{other}`"), offer(other, &bodies[..bodies.len().min(22)]))
            }
        }
    }
}

/// Why a text is no expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionError {
    /// What was expected and what came.
    pub message: String,
    /// Which bytes of the text.
    pub range: Range<usize>,
    /// What else helps.
    pub note: Option<String>,
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let note = self.note.as_ref().map_or(String::new(), |n| format!("; {n}"));
        write!(f, "{}{note} (at character {})", self.message, self.range.start + 1)
    }
}

impl std::error::Error for ExpressionError {}

impl ExpressionError {
    pub(crate) fn new(range: Range<usize>, message: impl Into<String>) -> Self {
        Self { message: message.into(), range, note: None }
    }

    /// Where it stands in the file, if the text stands there letter by letter.
    pub(crate) fn place(&self, node: &Node, text: &str) -> Span {
        let whole = node.span.range.len();
        // One or three quotes on each side, and nothing escaped.
        let quotes = match whole.checked_sub(text.len()) {
            Some(2) => 1,
            Some(6) => 3,
            _ => return node.span.clone(),
        };
        let start = node.span.range.start + quotes;
        let range = start + self.range.start..start + self.range.end.max(self.range.start + 1).min(text.len().max(1));
        Span { source: node.span.source, range }
    }
}

impl Expression {
    /// Reads a comparison such as `ball.height > 0.1` or `max(contact.depth) == 2e-5 +- 1e-9`.
    pub fn parse(text: &str, names: &Names) -> Result<Self, ExpressionError> {
        let named = |error: ExpressionError| match text.get(error.range.clone()) {
            Some(path) if error.message == UNKNOWN => {
                let (message, note) = names.refuse(path);
                ExpressionError { message, note, ..error }
            }
            _ => error,
        };
        let parse = || {
            let mut parser = Parser::new(text, &|path| names.canonical(path))?;
            let left = parser.sum(0)?;
            let relation = parser.relation()?;
            let right = parser.sum(0)?;
            let tolerance = if relation == Relation::Equal && parser.tokens.take(&Token::PlusMinus) {
                Some(parser.sum(0)?)
            } else {
                None
            };
            parser.end()?;
            Ok(Self { text: text.to_string(), left, relation, right, tolerance })
        };
        parse().map_err(named)
    }

    /// The text it was read from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The quantities it needs.
    pub fn paths(&self) -> Vec<String> {
        let mut paths = BTreeSet::new();
        for term in [Some(&self.left), Some(&self.right), self.tolerance.as_ref()].into_iter().flatten() {
            term.paths(&mut paths);
        }
        paths.into_iter().collect()
    }

    /// Compares, at the last row.
    pub fn evaluate(&self, rows: &dyn Series) -> Result<Verdict, String> {
        let last = |term: &Term| term.value(rows)?.last();
        let (left, right) = (last(&self.left)?, last(&self.right)?);
        let ok = match self.relation {
            Relation::Less => left < right,
            Relation::LessOrEqual => left <= right,
            Relation::Greater => left > right,
            Relation::GreaterOrEqual => left >= right,
            Relation::Equal => {
                let tolerance = self.tolerance.as_ref().map_or(Ok(0.0), last)?;
                (left - right).abs() <= tolerance
            }
        };
        Ok(Verdict { value: left, ok })
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A height as a formula in x and y (m).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Formula {
    term: Term,
}

impl Formula {
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        let known = |path: &str| ["x", "y", "pi"].contains(&path).then(|| path.to_string());
        let named = |error: ExpressionError| match text.get(error.range.clone()) {
            Some(path) if error.message == UNKNOWN => {
                ExpressionError { message: format!("unknown name `{path}` in a formula of x and y"), ..error }
            }
            _ => error,
        };
        let parse = || {
            let mut parser = Parser::new(text, &known)?;
            let term = parser.sum(0)?;
            parser.end()?;
            Ok(Self { term })
        };
        parse().map_err(named)
    }

    pub fn at(&self, x: f64, y: f64) -> f64 {
        self.term.at(x, y)
    }
}

const UNKNOWN: &str = "unknown name";

struct Parser<'a> {
    tokens: Tokens<'a>,
}

type Parsed = Result<Term, ExpressionError>;

impl<'a> Parser<'a> {
    fn new(text: &'a str, known: &dyn Fn(&str) -> Option<String>) -> Result<Self, ExpressionError> {
        if text.len() > LONGEST {
            return Err(ExpressionError::new(0..0, format!("an expression has at most {LONGEST} characters")));
        }
        let is_function = |name: &str| FUNCTIONS.iter().any(|(known, _, _)| *known == name);
        Ok(Self { tokens: Tokens::read(text, known, &is_function, UNKNOWN)? })
    }

    fn end(&self) -> Result<(), ExpressionError> {
        if self.tokens.is_empty() { Ok(()) } else { Err(self.tokens.expected("the end")) }
    }

    fn relation(&mut self) -> Result<Relation, ExpressionError> {
        match self.tokens.peek() {
            Some(Token::Relation(relation)) => {
                let relation = *relation;
                self.tokens.skip();
                Ok(relation)
            }
            _ => Err(self.tokens.expected("a comparison (<, <=, >, >=, ==)")),
        }
    }

    fn sum(&mut self, depth: usize) -> Parsed {
        if depth > DEEPEST {
            return Err(self.tokens.expected("less nesting"));
        }
        let mut left = self.product(depth)?;
        loop {
            let sign = match self.tokens.peek() {
                Some(Token::Sign(sign @ ('+' | '-'))) => *sign,
                _ => return Ok(left),
            };
            self.tokens.skip();
            left = Term::Binary(sign, Box::new(left), Box::new(self.product(depth)?));
        }
    }

    fn product(&mut self, depth: usize) -> Parsed {
        let mut left = self.signed(depth)?;
        loop {
            let sign = match self.tokens.peek() {
                Some(Token::Sign(sign @ ('*' | '/'))) => *sign,
                _ => return Ok(left),
            };
            self.tokens.skip();
            left = Term::Binary(sign, Box::new(left), Box::new(self.signed(depth)?));
        }
    }

    fn signed(&mut self, depth: usize) -> Parsed {
        if depth > DEEPEST {
            return Err(self.tokens.expected("less nesting"));
        }
        if self.tokens.take(&Token::Sign('-')) {
            return Ok(Term::Minus(Box::new(self.signed(depth + 1)?)));
        }
        if self.tokens.take(&Token::Sign('+')) {
            return self.signed(depth + 1);
        }
        let base = self.atom(depth)?;
        if self.tokens.take(&Token::Sign('^')) {
            return Ok(Term::Binary('^', Box::new(base), Box::new(self.signed(depth + 1)?)));
        }
        Ok(base)
    }

    fn atom(&mut self, depth: usize) -> Parsed {
        let Some(token) = self.tokens.peek().cloned() else { return Err(self.tokens.expected("a value")) };
        match token {
            Token::Number(x) => {
                self.tokens.skip();
                Ok(Term::Number(x))
            }
            Token::Path(path) => {
                self.tokens.skip();
                Ok(if path == "pi" { Term::Number(std::f64::consts::PI) } else { Term::Path(path) })
            }
            Token::Sign('(') => {
                self.tokens.skip();
                let inner = self.sum(depth + 1)?;
                self.close()?;
                Ok(inner)
            }
            Token::Function(name) => self.call(&name, depth),
            _ => Err(self.tokens.expected("a value")),
        }
    }

    fn call(&mut self, name: &str, depth: usize) -> Parsed {
        let range = self.tokens.range();
        self.tokens.skip();
        if !self.tokens.take(&Token::Sign('(')) {
            return Err(self.tokens.expected(&format!("`(` behind `{name}`")));
        }
        let mut arguments = vec![self.sum(depth + 1)?];
        while self.tokens.take(&Token::Sign(',')) {
            arguments.push(self.sum(depth + 1)?);
        }
        self.close()?;
        match FUNCTIONS.iter().find(|(known, _, _)| *known == name) {
            Some((_, function, count)) if *count == arguments.len() => Ok(Term::Call(*function, arguments)),
            Some((_, _, count)) => {
                let s = if *count == 1 { "" } else { "s" };
                let message = format!("`{name}` takes {count} argument{s}, got {}", arguments.len());
                Err(ExpressionError::new(range, message))
            }
            None => Err(ExpressionError::new(range, format!("unknown function `{name}`"))),
        }
    }

    fn close(&mut self) -> Result<(), ExpressionError> {
        if self.tokens.take(&Token::Sign(')')) { Ok(()) } else { Err(self.tokens.expected("`)`")) }
    }
}

/// One number, or one for each row.
enum Values {
    One(f64),
    Rows(Vec<f64>),
}

impl Values {
    fn last(&self) -> Result<f64, String> {
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
    fn paths(&self, found: &mut BTreeSet<String>) {
        match self {
            Term::Number(_) => {}
            Term::Path(path) => {
                found.insert(path.clone());
            }
            Term::Minus(inner) => inner.paths(found),
            Term::Binary(_, a, b) => [a, b].into_iter().for_each(|term| term.paths(found)),
            Term::Call(_, arguments) => arguments.iter().for_each(|term| term.paths(found)),
        }
    }

    fn value(&self, rows: &dyn Series) -> Result<Values, String> {
        match self {
            Term::Number(x) => Ok(Values::One(*x)),
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
    fn at(&self, x: f64, y: f64) -> f64 {
        match self {
            Term::Number(value) => *value,
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

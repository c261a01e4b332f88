//! # Expressions: what a check expects of a run, and heights as formulas
//!
//! `"max(contact.depth) < 0.1 mm"` ──▶ **here** ──([`Expression`])──▶ verdicts on a [`Series`]
//!
//! - **in**: a text; the names of bodies and pairs; rows of a run
//! - **out**: an [`Expression`] with the paths it needs; a [`Verdict`]
//! - **not here**: what may be named (`names`), values over rows (`values`), words (`lexer`)
//! - **start at** [`Expression::parse`], then [`Expression::evaluate`]
//!
//! Every expression has a value at each row; what is compared is the last one. `first`, `last`, `min`, `max`, `mean` and
//! `at(…, time)` make one number of all rows.

use super::dimensions;
use super::error::Span;
use super::lexer::{Token, Tokens};
use super::names::Names;
use super::tree::Node;
use super::values::{Series, Verdict};
use crate::units::Powers;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

/// Longest text of an expression (bytes).
const LONGEST: usize = 4000;
/// Deepest nesting.
const DEEPEST: usize = 60;

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
pub(crate) enum Term {
    /// A number in SI, and what its unit measures if it has one.
    Number(f64, Option<Powers>),
    Path(String),
    Minus(Box<Term>),
    Binary(char, Box<Term>, Box<Term>),
    Call(Function, Vec<Term>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
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

pub(crate) const FUNCTIONS: [(&str, Function, usize); 14] = [
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
            let measured = |a: &Term, b: &Term| dimensions::same(a.dimension()?, b.dimension()?);
            let sides =
                measured(&left, &right).and_then(|_| tolerance.as_ref().map_or(Ok(None), |t| measured(&left, t)));
            sides.map_err(|message| ExpressionError::new(0..text.len(), message))?;
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
            term.dimension().map_err(|message| ExpressionError::new(0..text.len(), message))?;
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
            Token::Number(x, powers) => {
                self.tokens.skip();
                Ok(Term::Number(x, powers))
            }
            Token::Path(path) => {
                self.tokens.skip();
                Ok(if path == "pi" { Term::Number(std::f64::consts::PI, Some([0.0; 4])) } else { Term::Path(path) })
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

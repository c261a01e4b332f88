//! # Tokens of an expression
//!
//! - **in**: a text, and which names are known
//! - **out**: [`Tokens`] with their places; a name that is not known is an error
//! - **start at** [`Tokens::read`]
//!
//! Names of bodies may hold hyphens, which elsewhere are minus signs, and links of robots a slash, which elsewhere divides:
//! of a run of letters, digits, dots, hyphens and slashes the longest part that is known counts.

use super::expression::{ExpressionError, Relation};
use crate::units::{self, Powers};
use std::ops::Range;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    /// A number in SI, and what its unit measures if it has one.
    Number(f64, Option<Powers>),
    Path(String),
    Function(String),
    Relation(Relation),
    PlusMinus,
    /// `+ - * / ^ ( ) ,`
    Sign(char),
}

pub(crate) struct Tokens<'a> {
    text: &'a str,
    list: Vec<(Token, Range<usize>)>,
    next: usize,
}

impl<'a> Tokens<'a> {
    /// Splits a text. `unknown` is the message for names that are not known.
    pub fn read(
        text: &'a str,
        known: &dyn Fn(&str) -> Option<String>,
        is_function: &dyn Fn(&str) -> bool,
        unknown: &str,
    ) -> Result<Self, ExpressionError> {
        let mut list = Vec::new();
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            let rest = &text[at..];
            if c.is_whitespace() {
                at += c.len_utf8();
                continue;
            }
            let (token, length) = if c.is_ascii_digit() || c == '.' {
                number(rest).map_err(|message| ExpressionError::new(at..at + 1, message))?
            } else if c == '"' {
                quoted(rest).map_err(|message| ExpressionError::new(at..text.len(), message))?
            } else if c.is_alphabetic() || c == '_' {
                name(rest, known, is_function).map_err(|length| ExpressionError::new(at..at + length, unknown))?
            } else {
                sign(rest).ok_or_else(|| {
                    ExpressionError::new(at..at + c.len_utf8(), format!("unexpected `{c}` in an expression"))
                })?
            };
            list.push((token, at..at + length));
            at += length;
        }
        Ok(Self { text, list, next: 0 })
    }

    pub fn is_empty(&self) -> bool {
        self.next >= self.list.len()
    }

    pub fn peek(&self) -> Option<&Token> {
        self.list.get(self.next).map(|(token, _)| token)
    }

    /// Where the next token stands.
    pub fn range(&self) -> Range<usize> {
        self.list.get(self.next).map_or(self.text.len()..self.text.len(), |(_, range)| range.clone())
    }

    pub fn skip(&mut self) {
        self.next += 1;
    }

    /// Goes past a token if it is next.
    pub fn take(&mut self, token: &Token) -> bool {
        let found = self.peek() == Some(token);
        self.next += usize::from(found);
        found
    }

    /// What should have been next.
    pub fn expected(&self, what: &str) -> ExpressionError {
        let range = self.range();
        let got = match self.text.get(range.clone()) {
            Some(text) if !text.is_empty() => format!("`{text}`"),
            _ => "the end".to_string(),
        };
        ExpressionError::new(range, format!("expected {what}, got {got}"))
    }
}

/// A number, with a simple unit behind it if there is one: `0.1 mm`.
fn number(rest: &str) -> Result<(Token, usize), String> {
    let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let mut end = digits(rest);
    if rest[end..].starts_with('.') {
        end += 1 + digits(&rest[end + 1..]);
    }
    if let Some(tail) = rest[end..].strip_prefix(['e', 'E']) {
        let sign = usize::from(tail.starts_with(['+', '-']));
        let count = digits(&tail[sign..]);
        if count > 0 {
            end += 1 + sign + count;
        }
    }
    let unit = rest[end..].trim_start();
    let skipped = rest.len() - end - unit.len();
    let length = unit.find(|c: char| !c.is_alphabetic() && c != '°').unwrap_or(unit.len());
    if length > 0 {
        let whole = end + skipped + length;
        return units::parse_any(&rest[..whole])
            .map(|(x, of)| (Token::Number(x, of), whole))
            .map_err(|e| e.to_string());
    }
    match rest[..end].parse::<f64>() {
        Ok(x) if x.is_finite() => Ok((Token::Number(x, None), end)),
        _ => Err(format!("expected a number, got `{}`", &rest[..end])),
    }
}

/// A quantity with any unit in quotes: `"2 m/s"`.
fn quoted(rest: &str) -> Result<(Token, usize), String> {
    let end = rest[1..].find('"').ok_or("expected a closing quote")?;
    let inner = &rest[1..1 + end];
    units::parse_any(inner).map(|(x, of)| (Token::Number(x, of), end + 2)).map_err(|e| e.to_string())
}

/// A known name; the length of what is not known otherwise.
fn name(
    rest: &str,
    known: &dyn Fn(&str) -> Option<String>,
    is_function: &dyn Fn(&str) -> bool,
) -> Result<(Token, usize), usize> {
    let in_name = |c: char| c.is_alphanumeric() || "_.-/".contains(c);
    let run = &rest[..rest.find(|c: char| !in_name(c)).unwrap_or(rest.len())];
    let cuts = run.char_indices().filter(|(_, c)| "-./".contains(*c)).map(|(k, _)| k);
    let mut ends: Vec<usize> = cuts.chain([run.len()]).collect();
    ends.reverse();
    for end in &ends {
        let part = &run[..*end];
        if rest[*end..].trim_start().starts_with('(') && is_function(part) {
            return Ok((Token::Function(part.to_string()), *end));
        }
        if let Some(path) = known(part) {
            return Ok((Token::Path(path), *end));
        }
    }
    // The name that was meant ends before a minus sign or a quotient, unless it is that of a pair or of a link.
    let ends = |c: char| c == '-' || (c == '/' && !run.starts_with("joint.") && run.find('/') > run.find('.'));
    let end = if run.starts_with("contact.") { run.len() } else { run.find(ends).unwrap_or(run.len()) };
    Err(end.max(1))
}

fn sign(rest: &str) -> Option<(Token, usize)> {
    let two = [
        ("<=", Token::Relation(Relation::LessOrEqual)),
        (">=", Token::Relation(Relation::GreaterOrEqual)),
        ("==", Token::Relation(Relation::Equal)),
        ("+-", Token::PlusMinus),
        ("±", Token::PlusMinus),
        ("<", Token::Relation(Relation::Less)),
        (">", Token::Relation(Relation::Greater)),
    ];
    if let Some((text, token)) = two.into_iter().find(|(text, _)| rest.starts_with(text)) {
        return Some((token, text.len()));
    }
    let c = rest.chars().next()?;
    "+-*/^(),".contains(c).then_some((Token::Sign(c), 1))
}

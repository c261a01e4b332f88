//! # Errors of a scene: what is wrong, where it stands, drawn under the text
//!
//! - **in**: [`Problem`]s with a [`Span`] each, the texts they point into
//! - **out**: [`SceneError`], which prints as compilers do: file, line, column, the text underlined
//! - **not here**: what is right and wrong (the readers)
//! - **start at** [`SceneError::render`]

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use std::fmt;
use std::ops::Range;

/// Most problems that are told at once.
const MOST: usize = 10;

/// A part of one of the texts that a scene is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Which text: 0 is the file, the others are options that change it.
    pub source: usize,
    /// Which bytes of it.
    pub range: Range<usize>,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// What was expected and what came.
    pub message: String,
    /// Where.
    pub span: Option<Span>,
    /// Words beside the underlined text: whose it is.
    pub label: Option<String>,
    /// What else helps.
    pub note: Option<String>,
}

/// A text that spans point into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    /// Name of the file, or of the option.
    pub name: String,
    pub text: String,
}

/// Why a scene cannot be used: everything that was found wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneError {
    problems: Vec<Problem>,
    sources: Vec<Source>,
}

impl Problem {
    /// A problem with the text at a place.
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Self { message: message.into(), span: Some(span), label: None, note: None }
    }

    /// A problem without a place.
    pub fn bare(message: impl Into<String>) -> Self {
        Self { message: message.into(), span: None, label: None, note: None }
    }

    /// The same with words beside the underlined text.
    pub fn label(self, label: impl Into<String>) -> Self {
        let label = label.into();
        Self { label: (!label.is_empty()).then_some(label), ..self }
    }

    /// The same with a note.
    pub fn note(self, note: impl Into<String>) -> Self {
        Self { note: Some(note.into()), ..self }
    }
}

impl SceneError {
    pub(crate) fn new(problems: Vec<Problem>, sources: &[Source]) -> Self {
        Self { problems, sources: sources.to_vec() }
    }

    pub(crate) fn into_parts(self) -> (Vec<Problem>, Vec<Source>) {
        (self.problems, self.sources)
    }

    /// What is wrong, in the order in which it was found.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Line and column of a problem, from 1, if it has a place.
    pub fn place(&self, problem: &Problem) -> Option<(usize, usize)> {
        let span = problem.span.as_ref()?;
        let text = &self.sources.get(span.source)?.text;
        let before = text.get(..span.range.start).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |k| k + 1);
        Some((before.matches('\n').count() + 1, before[line_start..].chars().count() + 1))
    }

    /// The problems as text, with colours for a terminal if asked for.
    pub fn render(&self, coloured: bool) -> String {
        let renderer = if coloured { Renderer::styled() } else { Renderer::plain() }.decor_style(DecorStyle::Ascii);
        let shown: Vec<String> = self.problems.iter().take(MOST).map(|p| self.draw(p, &renderer)).collect();
        let mut text = shown.join("\n\n");
        if self.problems.len() > MOST {
            text.push_str(&format!("\n\nand {} more", self.problems.len() - MOST));
        }
        text
    }

    fn draw(&self, problem: &Problem, renderer: &Renderer) -> String {
        let mut group =
            Level::ERROR.primary_title(problem.message.as_str()).elements(None::<annotate_snippets::Padding>);
        if let Some((span, source)) = problem.span.as_ref().and_then(|s| Some((s, self.sources.get(s.source)?))) {
            let label = problem.label.as_deref();
            let mark = AnnotationKind::Primary.span(in_text(&source.text, &span.range)).label(label);
            group = group.element(Snippet::source(source.text.as_str()).path(source.name.as_str()).annotation(mark));
        }
        if let Some(note) = &problem.note {
            group = group.element(Level::NOTE.message(note.as_str()));
        }
        renderer.render(&[group])
    }
}

/// A range cut to the text, on borders of characters, at most to the end of its first line.
fn in_text(text: &str, range: &Range<usize>) -> Range<usize> {
    let border = |mut k: usize| {
        k = k.min(text.len());
        while !text.is_char_boundary(k) {
            k -= 1;
        }
        k
    };
    let start = border(range.start);
    let end = border(range.end).max(start);
    let line = text[start..end].find('\n').map_or(end, |k| start + k);
    start..line
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for SceneError {}

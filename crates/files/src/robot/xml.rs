//! # XML: elements with the place of every name and value
//!
//! text ──▶ **here** ──([`Element`])──▶ `urdf`, `mjcf`, `mesh::collada`
//!
//! - **in**: the text of one file
//! - **out**: a tree of elements that own their names and values; each says where it stands
//! - **not here**: what elements mean; files that a file includes (`mjcf::include`)
//! - **assumes**: nothing: document types (and with them entities that grow) are refused, nesting and counts are bounded
//! - **start at** [`parse`]

use crate::scene::{Problem, Span};
use roxmltree::{Document, Node, ParsingOptions};

/// Deepest nesting of elements: a chain of 200 bodies is deeper than any hand.
pub(crate) const DEEPEST: usize = 250;
/// Most nodes (elements, texts, comments) in one file.
const MOST_NODES: u32 = 2_000_000;

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Attribute {
    pub name: String,
    pub value: String,
    /// The value, within its quotes.
    pub span: Span,
    /// The name.
    pub name_span: Span,
}

/// One element.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Element {
    /// Its name, with the prefix of its namespace where it has one.
    pub name: String,
    pub attributes: Vec<Attribute>,
    pub children: Vec<Element>,
    /// Its own text, without that of its children.
    pub text: String,
    /// The name behind `<`.
    pub span: Span,
    /// From 1.
    pub line: u32,
}

impl Element {
    /// An attribute by its name.
    pub fn get(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|a| a.name == name)
    }

    /// The value of an attribute.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.get(name).map(|a| a.value.as_str())
    }

    /// The element without its attributes and children.
    pub fn clone_head(&self) -> Element {
        Element {
            name: self.name.clone(),
            attributes: Vec::new(),
            children: Vec::new(),
            text: String::new(),
            span: self.span.clone(),
            line: self.line,
        }
    }

    /// Children of one name.
    pub fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |c| c.name == name)
    }

    /// The first child of one name.
    pub fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|c| c.name == name)
    }
}

/// The root element of a text; `source` is its number among the texts of a robot.
pub(crate) fn parse(text: &str, source: usize) -> Result<Element, Problem> {
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|e| {
        let at = offset(text, e.pos().row, e.pos().col);
        let end = text[at..].chars().next().map_or(at, |c| at + c.len_utf8());
        let span = Span { source, range: at..end };
        match e {
            roxmltree::Error::DtdDetected => {
                Problem::new(span, "a document type (<!DOCTYPE>) is not read: robots need none, and entities can grow")
            }
            roxmltree::Error::NodesLimitReached => {
                Problem::new(span, format!("more than {MOST_NODES} elements and texts in one file"))
            }
            other => Problem::new(span, format!("not well-formed XML: {other}")),
        }
    })?;
    let lines = Lines::new(text);
    element(document.root_element(), source, text, &lines, 0)
}

/// Where lines start (bytes).
struct Lines(Vec<usize>);

impl Lines {
    fn new(text: &str) -> Self {
        Lines(std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect())
    }

    fn line(&self, at: usize) -> u32 {
        self.0.partition_point(|start| *start <= at) as u32
    }
}

fn offset(text: &str, row: u32, column: u32) -> usize {
    let line_start = match row {
        0 | 1 => 0,
        row => text.match_indices('\n').nth(row as usize - 2).map_or(text.len(), |(at, _)| at + 1),
    };
    let inside = text[line_start..].char_indices().nth(column.saturating_sub(1) as usize);
    inside.map_or(text.len(), |(at, _)| line_start + at)
}

fn element(node: Node<'_, '_>, source: usize, text: &str, lines: &Lines, depth: usize) -> Result<Element, Problem> {
    let start = node.range().start + 1;
    let length = text[start..].find(|c: char| c.is_whitespace() || matches!(c, '>' | '/')).unwrap_or(0);
    let span = Span { source, range: start..start + length };
    if depth > DEEPEST {
        return Err(Problem::new(span, format!("elements are nested deeper than {DEEPEST}")));
    }
    let attribute = |a: roxmltree::Attribute<'_, '_>| Attribute {
        name: text[a.range_qname()].to_string(),
        value: a.value().to_string(),
        span: Span { source, range: a.range_value() },
        name_span: Span { source, range: a.range_qname() },
    };
    let children = node.children().filter(Node::is_element);
    Ok(Element {
        name: text[start..start + length].to_string(),
        attributes: node.attributes().map(attribute).collect(),
        children: children.map(|c| element(c, source, text, lines, depth + 1)).collect::<Result<_, _>>()?,
        text: node.children().filter(Node::is_text).filter_map(|c| c.text()).collect(),
        line: lines.line(start),
        span,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spans count bytes of the text, lines from 1, whatever stands before.
    #[test]
    fn names_and_values_know_their_place() {
        let text = "<?xml version=\"1.0\"?>\n<a>\n  <b x='1 &lt; 2' y=\"é\"/>text\n</a>";
        let root = parse(text, 3).unwrap();
        let b = &root.children[0];
        assert_eq!((root.name.as_str(), root.line, b.line, b.value("x")), ("a", 2, 3, Some("1 < 2")));
        let y = b.get("y").unwrap();
        assert_eq!((&text[y.span.range.clone()], y.span.source, root.text.trim()), ("é", 3, "text"));
        assert_eq!(&text[b.span.range.clone()], "b");
    }

    /// Would catch a parser that recurses without bound, and entities that are expanded.
    #[test]
    fn deep_nesting_and_document_types_are_refused() {
        for depth in [1_000, 100_000] {
            let deep = format!("{}{}", "<a>".repeat(depth), "</a>".repeat(depth));
            assert!(parse(&deep, 0).unwrap_err().message.contains("nested deeper"), "{depth}");
        }
        let bomb = "<!DOCTYPE a [<!ENTITY b \"xx\"><!ENTITY c \"&b;&b;\">]><a>&c;</a>";
        assert!(parse(bomb, 0).unwrap_err().message.contains("DOCTYPE"));
        assert!(parse("<a><b></a>", 0).unwrap_err().message.contains("not well-formed"));
        assert!(parse("", 0).is_err());
    }
}

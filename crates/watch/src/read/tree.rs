//! The tree of a YAML text.
//!
//! In: text. Out: nodes with their places, or the first error. Limits: [`DEPTH_MAX`], [`NODES_MAX`]. Anchors, aliases
//! and tags are refused: a rule says what it means where it stands.

use super::{
    fault::{RuleError, RuleFault},
    node::{Content, Node, Quoting},
};
use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput};

/// Deepest nesting of lists and maps.
const DEPTH_MAX: usize = 16;
/// Most nodes.
const NODES_MAX: usize = 1_000_000;

/// Parses a text with one document.
pub(crate) fn parse(text: &str) -> Result<Node, RuleError> {
    let mut reader = Reader { parser: Parser::new_from_str(text), nodes: 0 };
    let root = loop {
        match reader.next()? {
            (Event::StreamStart | Event::DocumentStart(_) | Event::Nothing, _) => {}
            (Event::StreamEnd, span) => return Err(at(&span, RuleFault::NoRules)),
            first => break reader.node(first, 0)?,
        }
    };
    loop {
        match reader.next()? {
            (Event::DocumentEnd | Event::Nothing, _) => {}
            (Event::StreamEnd, _) => return Ok(root),
            (_, span) => return Err(at(&span, RuleFault::SecondDocument)),
        }
    }
}

fn at(span: &Span, fault: RuleFault) -> RuleError {
    RuleError { line: span.start.line(), column: span.start.col() + 1, fault }
}

struct Reader<'a> {
    parser: Parser<'a, StrInput<'a>>,
    nodes: usize,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<(Event<'a>, Span), RuleError> {
        match self.parser.next() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => Err(RuleError {
                line: error.marker().line(),
                column: error.marker().col() + 1,
                fault: RuleFault::Yaml { reason: error.info().to_owned() },
            }),
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    /// Reads the node that begins with an event.
    fn node(&mut self, first: (Event<'a>, Span), depth: usize) -> Result<Node, RuleError> {
        let (event, span) = first;
        self.nodes += 1;
        if depth > DEPTH_MAX || self.nodes > NODES_MAX {
            return Err(at(&span, RuleFault::TooLarge));
        }
        let mut end = span.end.index();
        let content = match event {
            Event::Alias(_) => return Err(at(&span, RuleFault::Anchor)),
            Event::Scalar(_, _, anchor, ref tag)
            | Event::SequenceStart(anchor, ref tag)
            | Event::MappingStart(anchor, ref tag)
                if anchor != 0 || tag.is_some() =>
            {
                return Err(at(&span, RuleFault::Anchor));
            }
            Event::Scalar(text, style, ..) => {
                let quoting = match style {
                    ScalarStyle::Plain => Quoting::Plain,
                    ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => Quoting::Quoted,
                    ScalarStyle::Literal | ScalarStyle::Folded => Quoting::Block,
                };
                Content::Text { text: text.into_owned(), quoting }
            }
            Event::SequenceStart(..) => {
                let (list, last) = self.list(depth)?;
                end = last;
                Content::List(list)
            }
            Event::MappingStart(..) => {
                let (map, last) = self.map(depth)?;
                end = last;
                Content::Map(map)
            }
            _ => return Err(at(&span, RuleFault::NoRules)),
        };
        let start = span.start;
        Ok(Node { line: start.line(), column: start.col() + 1, start: start.index(), end, content })
    }

    fn list(&mut self, depth: usize) -> Result<(Vec<Node>, usize), RuleError> {
        let mut list = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, span) => return Ok((list, span.end.index())),
                event => list.push(self.node(event, depth + 1)?),
            }
        }
    }

    fn map(&mut self, depth: usize) -> Result<(Vec<(Node, Node)>, usize), RuleError> {
        let mut map: Vec<(Node, Node)> = Vec::new();
        loop {
            let key = match self.next()? {
                (Event::MappingEnd, span) => return Ok((map, span.end.index())),
                event => self.node(event, depth + 1)?,
            };
            if map.iter().any(|(known, _)| known.content == key.content) {
                return Err(key.fault(RuleFault::SameKey { key: key.shown() }));
            }
            let value = self.next()?;
            map.push((key, self.node(value, depth + 1)?));
        }
    }
}

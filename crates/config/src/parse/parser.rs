//! The reader of tokens, used by every part of the grammar.
//!
//! In: a lexer. Out: tokens, names, lists between braces; errors for parts that cannot be read.
//! Holds: one token of look-ahead, the blocks defined so far.
//! Limits: `NESTING_MAX` levels. After an error, reading continues after the next `;` or before the `}` of its level.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::record::Record;
use crate::diagnostic::Diagnostic;
use crate::lexer::Lexer;
use crate::lexer::token::{Kind, Token};
use crate::limits::NESTING_MAX;
use crate::text::Span;
use crate::tree::{self, Application, Block};
use crate::tree::{Name, Unread};

/// Error of a part that could not be read. The diagnostic is already in the report.
#[derive(Debug)]
pub(super) struct Failed;

pub(super) type Parsed<T> = Result<T, Failed>;

/// The state of reading one configuration.
pub(super) struct Parser<'a> {
    pub(super) lexer: Lexer<'a>,
    pub(super) ahead: Option<Token>,
    pub(super) blocks: BTreeMap<(String, String), Arc<Block>>,
    pub(super) applications: Vec<Arc<Application>>,
    pub(super) nesting: usize,
    /// The text read so far, when it must be written out again.
    pub(super) record: Option<Record>,
    /// The object whose statement is being read.
    pub(super) object: Option<(tree::Kind, Name)>,
    pub(super) unread: Vec<Unread>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(lexer: Lexer<'a>, record: Option<Record>) -> Parser<'a> {
        Parser {
            lexer,
            ahead: None,
            blocks: BTreeMap::new(),
            applications: Vec::new(),
            nesting: 0,
            record,
            object: None,
            unread: Vec::new(),
        }
    }

    pub(super) fn peek(&mut self) -> &Token {
        let lexer = &mut self.lexer;
        self.ahead.get_or_insert_with(|| lexer.next())
    }

    pub(super) fn next(&mut self) -> Token {
        let token = match self.ahead.take() {
            Some(token) => token,
            None => self.lexer.next(),
        };
        if let Some(record) = &mut self.record {
            record.token(&token.kind, self.lexer.texts.slice(token.span));
        }
        token
    }

    /// Returns the current length of the record.
    pub(super) fn mark(&self) -> usize {
        self.record.as_ref().map_or(0, Record::mark)
    }

    /// Drops the text recorded after a mark: the definition or the use of a block.
    pub(super) fn take_back(&mut self, mark: usize) {
        if let Some(record) = &mut self.record {
            record.take_back(mark);
        }
    }

    /// Returns the span of a body up to and with its closing brace, to be parsed later.
    pub(super) fn raw_body(&mut self) -> Parsed<Span> {
        let opening = self.expect('{')?;
        let span = self.lexer.raw(b'}', opening).ok_or(Failed)?;
        Ok(self.recorded(span))
    }

    /// Reads code in Python between braces, whose strings and comments are those of Python.
    pub(super) fn python_body(&mut self) -> Parsed<Span> {
        let opening = self.expect('{')?;
        let span = self.lexer.raw_python(opening).ok_or(Failed)?;
        Ok(self.recorded(span))
    }

    fn recorded(&mut self, span: Span) -> Span {
        if let Some(record) = &mut self.record {
            record.raw(self.lexer.texts.slice(span));
        }
        span
    }

    pub(super) fn at(&mut self, mark: char) -> bool {
        self.peek().is(mark)
    }

    /// Consumes a mark if it is next.
    pub(super) fn take(&mut self, mark: char) -> bool {
        let found = self.at(mark);
        if found {
            self.next();
        }
        found
    }

    pub(super) fn at_end(&mut self) -> bool {
        self.peek().kind == Kind::End
    }

    pub(super) fn error(&mut self, diagnostic: Diagnostic) -> Failed {
        self.lexer.report.push(diagnostic);
        Failed
    }

    pub(super) fn warn(&mut self, diagnostic: Diagnostic) {
        self.lexer.report.push(diagnostic);
    }

    /// Reports that the next token is not what belongs there.
    pub(super) fn unexpected(&mut self, wanted: &str) -> Failed {
        let token = self.peek().clone();
        if token.kind == Kind::Bad {
            self.next();
            return Failed;
        }
        self.error(
            Diagnostic::error(token.span, format!("expected {wanted}, found {}", token.describe()))
                .label(format!("expected {wanted}")),
        )
    }

    pub(super) fn expect(&mut self, mark: char) -> Parsed<Span> {
        if self.at(mark) { Ok(self.next().span) } else { Err(self.unexpected(&format!("`{mark}`"))) }
    }

    /// Reads the `;` after an item. When it is missing and another item follows, reading continues with that item.
    pub(super) fn expect_semicolon(&mut self) -> Parsed<()> {
        if self.take(';') {
            return Ok(());
        }
        let failed = self.unexpected("`;`");
        if matches!(self.peek().kind, Kind::Word(_)) || self.at('}') { Ok(()) } else { Err(failed) }
    }

    /// Reads a name: a word, a string or a number.
    pub(super) fn name(&mut self, wanted: &str) -> Parsed<Name> {
        let token = self.peek().clone();
        let text = match token.kind {
            Kind::Word(text) | Kind::Text(text) => text,
            Kind::Number(_) | Kind::Float(_) => self.lexer.texts.slice(token.span).to_string(),
            _ => return Err(self.unexpected(wanted)),
        };
        self.next();
        Ok(Name { text, span: token.span })
    }

    /// Skips a part that cannot be read: up to and including the next `;`, or up to the `}` that closes the current
    /// level.
    pub(super) fn recover(&mut self) {
        let mut depth = 0usize;
        loop {
            match &self.peek().kind {
                Kind::End => return,
                Kind::Mark('{') => depth += 1,
                Kind::Mark('}') if depth == 0 => return,
                Kind::Mark('}') => depth -= 1,
                Kind::Mark(';') if depth == 0 => {
                    self.next();
                    return;
                }
                _ => {}
            }
            self.next();
        }
    }

    /// Reads something one level deeper.
    pub(super) fn deeper<T>(&mut self, at: Span, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= NESTING_MAX {
            self.lexer.stop(at, format!("this is nested more than {NESTING_MAX} levels deep"));
            self.ahead = None;
            return Err(Failed);
        }
        self.nesting += 1;
        let result = read(self);
        self.nesting -= 1;
        result
    }

    /// Reads the items between braces: `item; item; }`. The opening brace has been consumed; the closing one is, here.
    pub(super) fn braced<T>(
        &mut self,
        opening: Span,
        mut item: impl FnMut(&mut Self, &mut Vec<T>) -> Parsed<()>,
    ) -> Parsed<(Vec<T>, Span)> {
        let mut items = Vec::new();
        loop {
            if self.take(';') {
                continue;
            }
            if self.at('}') {
                return Ok((items, self.next().span));
            }
            if self.at_end() {
                return Err(self.not_closed(opening, '}'));
            }
            if item(self, &mut items).is_err() {
                self.recover();
            }
        }
    }

    /// Reports a pair that is open at the end of everything.
    pub(super) fn not_closed(&mut self, opening: Span, close: char) -> Failed {
        let open = if close == '}' { '{' } else { '(' };
        let end = self.peek().span;
        self.error(
            Diagnostic::error(end, format!("expected `{close}`, found end of the configuration"))
                .related(opening, format!("this `{open}` is not closed")),
        )
    }

    /// Replaces a use of a block of this context, a word followed by `(`, by the block's body. Returns false when it is
    /// none.
    pub(super) fn expand(&mut self, contexts: &[&str], name: &Name) -> Parsed<bool> {
        let key = name.key();
        let found = contexts.iter().find_map(|context| self.blocks.get(&(context.to_string(), key.clone())));
        let Some(block) = found.map(Arc::clone) else { return Ok(false) };
        let mark = self.mark().saturating_sub(1);
        let opening = self.expect('(')?;
        self.use_block(&block, name, opening)?;
        self.take_back(mark);
        Ok(true)
    }
}

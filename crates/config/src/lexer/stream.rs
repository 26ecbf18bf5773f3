//! The stream of tokens.
//!
//! In: a root file and its surroundings. Out: tokens with positions.
//! Holds: the stack of texts, defines, and the report.
//! Limits: `TOKENS_MAX` tokens; blocks in blocks `EXPANSION_DEPTH_MAX` deep.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use super::literal;
use super::reader::{Frame, Nature, Reader, Values};
use super::token::{Kind, Token};
use super::word::ends_word;
use crate::diagnostic::{Diagnostic, Report};
use crate::limits::{EXPANSION_DEPTH_MAX, TOKENS_MAX};
use crate::surroundings::Surroundings;
use crate::text::{Origin, Span, Texts};
use crate::tree::{Block, Module, Version};

/// The reader of one configuration with its includes.
pub(crate) struct Lexer<'a> {
    pub(super) surroundings: &'a dyn Surroundings,
    pub(super) root_folder: PathBuf,
    pub(crate) texts: Texts,
    pub(crate) report: Report,
    pub(super) reader: Reader,
    pub(crate) defines: BTreeMap<String, String>,
    pub(super) undefined_told: BTreeSet<String>,
    pub(crate) version: Option<Version>,
    pub(crate) modules: Vec<Module>,
    /// The built-in files that were included.
    pub(crate) includes: BTreeSet<&'static str>,
    pub(super) tokens: usize,
    pub(super) stopped: bool,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(surroundings: &'a dyn Surroundings) -> Self {
        Lexer {
            surroundings,
            root_folder: PathBuf::new(),
            texts: Texts::default(),
            report: Report::default(),
            reader: Reader::default(),
            defines: BTreeMap::new(),
            undefined_told: BTreeSet::new(),
            version: None,
            modules: Vec::new(),
            includes: BTreeSet::new(),
            tokens: 0,
            stopped: false,
        }
    }

    /// Returns the next token.
    pub(crate) fn next(&mut self) -> Token {
        loop {
            if self.stopped || !self.skip_blank() {
                return Token { kind: Kind::End, span: self.here() };
            }
            self.tokens += 1;
            if self.tokens > TOKENS_MAX {
                self.stop(
                    self.here(),
                    format!("the configuration has more than {TOKENS_MAX} words and marks"),
                );
                continue;
            }
            let start = self.reader.start();
            let Some(byte) = self.reader.peek() else { continue };
            let kind = match byte {
                byte if self.reader.in_expression() => self.expression_token(byte),
                b'@' => {
                    self.pragma();
                    continue;
                }
                b'`' if !self.reader.in_value() => {
                    self.substitute();
                    continue;
                }
                b'"' | b'\'' => self.string(byte),
                b'(' | b')' | b'{' | b'}' | b'[' | b']' | b';' | b':' | b',' | b'|' => {
                    self.reader.bump();
                    Kind::Mark(char::from(byte))
                }
                b'.' => self.dots(),
                byte if ends_word(byte) => {
                    let character = self.reader.next_char().unwrap_or('\u{fffd}');
                    let span = self.reader.span(start);
                    self.report.push(Diagnostic::error(span, format!("unexpected character `{character}`")));
                    Kind::Bad
                }
                _ => self.word(),
            };
            return Token { kind, span: self.reader.span(start) };
        }
    }

    /// Returns the position of the reader, as an empty span.
    pub(crate) fn here(&self) -> Span {
        self.reader.span(self.reader.start())
    }

    /// Ends the token stream with an error: a limit is reached.
    pub(crate) fn stop(&mut self, span: Span, message: String) {
        if !self.stopped {
            self.stopped = true;
            self.report.push(Diagnostic::error(span, message));
        }
    }

    /// Skips white space and comments. False at the end of everything.
    fn skip_blank(&mut self) -> bool {
        while self.reader.settle() {
            match self.reader.peek() {
                Some(b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c) => self.reader.bump(),
                Some(b'#') if !self.reader.in_expression() => {
                    let rest = self.reader.rest();
                    let length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                    self.reader.advance(length);
                }
                Some(_) => return true,
                None => {}
            }
        }
        false
    }

    /// Reads `..`, `...`, or a word that starts with a dot, such as `.SDATA.meta`.
    fn dots(&mut self) -> Kind {
        self.reader.bump();
        if self.reader.peek() == Some(b'.') {
            self.reader.bump();
            if self.reader.peek() != Some(b'.') {
                return Kind::Range;
            }
            self.reader.bump();
            return Kind::Word("...".to_string());
        }
        match self.word() {
            Kind::Word(word) => Kind::Word(format!(".{word}")),
            _ => Kind::Word(".".to_string()),
        }
    }

    /// Reads a bare word or a number. Single dots are inside words, two dots end one.
    fn word(&mut self) -> Kind {
        let start = self.reader.start();
        let mut word = String::new();
        while let Some(byte) = self.reader.peek() {
            match byte {
                b'`' if !self.reader.in_value() => self.substitute(),
                b'.' => match self.reader.peek_second() {
                    Some(next) if !word.is_empty() && (!ends_word(next) || next == b'`') => {
                        self.reader.bump();
                        word.push('.');
                    }
                    _ => break,
                },
                byte if ends_word(byte) => break,
                _ => match self.reader.next_char() {
                    Some(character) => word.push(character),
                    None => break,
                },
            }
        }
        let kind = literal::classify(word);
        if kind == Kind::Bad {
            let span = self.reader.span(start);
            self.report.push(
                Diagnostic::error(span, "number is too large")
                    .help("numbers are at most 9223372036854775807"),
            );
        }
        kind
    }

    /// Continues reading in the body of a block, then returns.
    pub(crate) fn expand(&mut self, block: &Block, values: Values, at: Span) {
        if self.reader.depth(|nature| matches!(nature, Nature::Block(_))) >= EXPANSION_DEPTH_MAX {
            self.stop(
                at,
                format!(
                    "block `{}` is used {EXPANSION_DEPTH_MAX} levels deep; does it use itself?",
                    block.name.text
                ),
            );
            return;
        }
        let what = format!("block `{}()`", block.name.text);
        self.push(block.body.span, Origin::Expansion { what, at }, Nature::Block(Arc::new(values)));
    }

    /// Continues reading in a region: one of the pieces that replace a use.
    pub(crate) fn read_on(&mut self, region: Span, what: &str, at: Span) {
        let origin = Origin::Expansion { what: what.to_string(), at };
        self.push(region, origin, Nature::Piece);
    }

    /// Reads on in a region of a text that is already known, seen through a new origin.
    pub(super) fn push(&mut self, region: Span, origin: Origin, nature: Nature) {
        let at = match &origin {
            Origin::Include(at) | Origin::Expansion { at, .. } => *at,
            Origin::Root => region,
        };
        match self.texts.share(region.text, origin) {
            Ok(text) => {
                let content = self.texts.content(text);
                self.reader.push(Frame::new(
                    text,
                    content,
                    region.start as usize..region.end as usize,
                    nature,
                ));
            }
            Err(_) => self.stop(at, "the configuration expands to too much text".to_string()),
        }
    }
}

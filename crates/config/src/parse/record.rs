//! The configuration as one text: includes inserted, blocks expanded, backticks replaced.
//!
//! In: the tokens that the parser consumes. Out: text of the language that reads as the same tree.
//! Holds: the tokens so far; those of a definition or a use of a block are removed.

use std::fmt::Write;

use crate::lexer::token::Kind;
use crate::lexer::{is_bare, reads_as};
use crate::tree::Tree;

/// One piece of the text.
enum Piece {
    Token(Kind),
    /// A number as it was written: `0640`, `8Ki`.
    Written(String),
    /// A body that is not parsed, with its closing brace.
    Raw(String),
}

/// The pieces of a configuration in reading order.
#[derive(Default)]
pub(super) struct Record {
    pieces: Vec<Piece>,
}

impl Record {
    pub(super) fn token(&mut self, kind: &Kind, written: &str) {
        // A token that was assembled from several texts is not written as a whole anywhere.
        let is_number = matches!(kind, Kind::Number(_) | Kind::Float(_));
        self.pieces.push(match is_number && reads_as(written, kind) {
            true => Piece::Written(written.to_string()),
            false => Piece::Token(kind.clone()),
        });
    }

    pub(super) fn raw(&mut self, text: &str) {
        self.pieces.push(Piece::Raw(format!("{text}}}")));
    }

    /// Returns the length of the record.
    pub(super) fn mark(&self) -> usize {
        self.pieces.len()
    }

    /// Drops the tokens after a mark.
    pub(super) fn take_back(&mut self, mark: usize) {
        self.pieces.truncate(mark);
    }

    /// Returns the text, with the pragmas that still have an effect.
    pub(super) fn text(&self, tree: &Tree) -> String {
        let mut page = Page::default();
        if let Some(version) = tree.version {
            page.out.push_str(&format!("@version: {version}\n"));
        }
        for (name, value) in &tree.defines {
            page.out.push_str(&format!("@define {name} {}\n", quoted(value)));
        }
        self.pieces.iter().for_each(|piece| page.add(piece));
        if !page.out.ends_with('\n') {
            page.out.push('\n');
        }
        page.out
    }
}

/// Lays pieces out: one statement or option list entry a line, four spaces a brace.
#[derive(Default)]
struct Page {
    out: String,
    depth: usize,
}

impl Page {
    fn add(&mut self, piece: &Piece) {
        match piece {
            Piece::Written(text) => self.word(text),
            Piece::Raw(text) => {
                self.out.truncate(self.out.trim_end_matches('\n').len());
                self.out.push_str(text);
                self.depth = self.depth.saturating_sub(1);
            }
            Piece::Token(Kind::Mark(mark)) => self.mark(*mark),
            Piece::Token(kind) => {
                let text = shown(kind);
                self.word(&text);
            }
        }
    }

    fn at_line_start(&self) -> bool {
        self.out.is_empty() || self.out.ends_with('\n')
    }

    fn indent(&mut self) {
        if self.at_line_start() {
            self.out.push_str(&"    ".repeat(self.depth));
        }
    }

    fn word(&mut self, text: &str) {
        self.indent();
        if !self.out.ends_with([' ', '(', '[', '\n', '!']) && !self.out.is_empty() {
            self.out.push(' ');
        }
        self.out.push_str(text);
    }

    fn mark(&mut self, mark: char) {
        match mark {
            // Definitions and uses that were removed leave their semicolons.
            ';' if self.at_line_start() => {}
            ';' => self.out.push_str(";\n"),
            '{' => {
                self.word("{");
                self.out.push('\n');
                self.depth += 1;
            }
            '}' => {
                if !self.at_line_start() {
                    self.out.push('\n');
                }
                self.depth = self.depth.saturating_sub(1);
                self.indent();
                self.out.push('}');
            }
            mark => {
                self.indent();
                self.out.push(mark);
            }
        }
    }
}

fn shown(kind: &Kind) -> String {
    let mut out = String::new();
    let _ = match kind {
        Kind::Word(word) if is_bare(word) => write!(out, "{word}"),
        Kind::Word(text) | Kind::Text(text) => write!(out, "{}", quoted(text)),
        Kind::Number(number) => write!(out, "{number}"),
        Kind::Float(number) => write!(out, "{number:?}"),
        Kind::Mark(mark) => write!(out, "{mark}"),
        Kind::Range => write!(out, ".."),
        Kind::Arrow => write!(out, "=>"),
        Kind::Bad | Kind::End => Ok(()),
    };
    out
}

/// Returns a string in double quotes that reads as `text`.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '`' => out.push_str("``"),
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

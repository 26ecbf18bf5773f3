//! The tokens of a standalone filter expression: the condition of `$(if ...)`, of a rule, of a tap.
//!
//! In: a text. Out: the tokens of the language. Such a text was in quotes, so its words may contain more characters
//! than those of a file: addresses, `${NAME}`; an operator ends a word. It has no comments, pragmas, includes and
//! backticks.
//! Limits: none of its own.

use super::reader::{Frame, Nature};
use super::stream::Lexer;
use super::token::Kind;
use crate::text::Origin;

/// The name of the text in diagnostics.
const NAME: &str = "expression";

/// Operators; the longer ones first.
const OPERATORS: [&str; 8] = ["===", "!==", "==", "!=", "<=", ">=", "<", ">"];

impl Lexer<'_> {
    /// Reads a text as an expression. Places in it are bytes from its start.
    pub(crate) fn open_expression(&mut self, text: &str) {
        match self.texts.add(NAME, text.to_owned(), Origin::Root) {
            Ok(id) => {
                let content = self.texts.content(id);
                self.reader.push(Frame::new(id, content, 0..text.len(), Nature::Expression));
            }
            Err(_) => self.stop(self.here(), "the expression is too large".to_owned()),
        }
    }

    /// Returns true when the text being read is a standalone expression, whose words are read in any case.
    pub(crate) fn in_expression(&self) -> bool {
        self.reader.in_expression()
    }

    /// Reads one token.
    pub(super) fn expression_token(&mut self, first: u8) -> Kind {
        if let quote @ (b'"' | b'\'') = first {
            return self.string(quote);
        }
        let rest = self.reader.rest();
        if let mark @ (b'(' | b')' | b',' | b';') = first {
            self.reader.bump();
            return Kind::Mark(char::from(mark));
        }
        if rest.starts_with(b"..") {
            self.reader.advance(2);
            return Kind::Range;
        }
        if let Some(operator) = OPERATORS.into_iter().find(|operator| rest.starts_with(operator.as_bytes())) {
            self.reader.advance(operator.len());
            return Kind::Word(operator.to_owned());
        }
        let word = String::from_utf8_lossy(&rest[..word_length(rest)]).into_owned();
        self.reader.advance(word.len());
        classify(&word)
    }
}

/// Returns the token of a bare word: a decimal number or a word.
fn classify(word: &str) -> Kind {
    match (word.parse(), word.parse()) {
        (Ok(whole), _) => Kind::Number(whole),
        (_, Ok(fraction)) => Kind::Float(fraction),
        _ => Kind::Word(word.to_owned()),
    }
}

/// Returns the length of a word: up to a blank, a parenthesis, a comma, an operator or `..`. Braces keep their contents
/// together.
fn word_length(bytes: &[u8]) -> usize {
    let mut in_braces = false;
    let end = bytes.iter().enumerate().position(|(at, byte)| match byte {
        b'{' => {
            in_braces = true;
            false
        }
        b'}' => {
            in_braces = false;
            false
        }
        _ if in_braces => false,
        b'.' => bytes.get(at + 1) == Some(&b'.'),
        b'!' => bytes.get(at + 1) == Some(&b'='),
        b'(' | b')' | b',' | b';' | b'<' | b'>' | b'=' | b'"' | b'\'' => true,
        byte => byte.is_ascii_whitespace(),
    });
    // A sign that starts no operator is a token of its own.
    end.unwrap_or(bytes.len()).max(1)
}

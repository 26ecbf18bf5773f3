//! Strings.
//!
//! In: the characters from the opening quote on. Out: a token with the value.
//! Limits: an unterminated string is an error at its opening quote.

use super::literal::{coded, simple};
use super::stream::Lexer;
use super::token::Kind;
use crate::diagnostic::Diagnostic;

impl Lexer<'_> {
    /// Reads a string with escapes in double quotes, or a raw one in single quotes. Backticks are substituted in both.
    pub(super) fn string(&mut self, quote: u8) -> Kind {
        let start = self.reader.start();
        self.reader.bump();
        let opening = self.reader.span(start);
        let mut value = String::new();
        loop {
            match self.reader.peek() {
                None => {
                    self.report.push(
                        Diagnostic::error(opening, "string is not terminated")
                            .label("opened here")
                            .help(format!("close it with {}", char::from(quote))),
                    );
                    return Kind::Bad;
                }
                Some(byte) if byte == quote => {
                    self.reader.bump();
                    return Kind::Text(value);
                }
                Some(b'\\') if quote == b'"' => {
                    self.reader.bump();
                    self.escape(&mut value);
                }
                Some(b'`') if !self.reader.in_value() => self.substitute_in_string(quote, &mut value),
                Some(_) => value.extend(self.reader.next_char()),
            }
        }
    }

    /// Reads the rest of an escape after its backslash. An unknown escape is the character itself.
    fn escape(&mut self, value: &mut String) {
        if self.reader.peek().is_none() {
            return;
        }
        let rest =
            String::from_utf8_lossy(self.reader.rest().get(..8).unwrap_or(self.reader.rest())).into_owned();
        match coded(&rest) {
            Some((character, length)) => {
                value.push(character);
                self.reader.advance(length);
            }
            None => value.extend(self.reader.next_char().map(simple)),
        }
    }
}

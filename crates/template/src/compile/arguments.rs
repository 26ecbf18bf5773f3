//! Splits the inside of `$(...)` into words.
//!
//! In: the text after `$(`. Out: the words, quotes removed, and where the closing parenthesis is.
//! A backslash outside of quotes keeps the next character; inside quotes it is an ordinary character, except that if
//! that leaves a quote open it escapes the quote after it.
//! Holds nothing. Limits: parentheses inside of words must be balanced or quoted.

use super::error::TemplateError;

/// One word of a function call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Word {
    /// The word without its quotes.
    pub(super) text: String,
    /// Offset of its first byte, counted from after the `$(`.
    pub(super) offset: usize,
    /// True when quotes were removed.
    pub(super) quoted: bool,
}

/// The meaning of a backslash before a quote inside quotes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Backslash {
    Plain,
    KeepsQuote,
}

/// Splits up to the closing parenthesis; the second result counts the bytes read, that parenthesis included.
pub(super) fn split(text: &str) -> Result<(Vec<Word>, usize), TemplateError> {
    split_where(text, Backslash::Plain).or_else(|_| split_where(text, Backslash::KeepsQuote))
}

fn split_where(text: &str, backslash: Backslash) -> Result<(Vec<Word>, usize), TemplateError> {
    let bytes = text.as_bytes();
    let mut words = Vec::new();
    let mut at = 0;
    loop {
        while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        match bytes.get(at) {
            None => return Err(TemplateError::at(0, "the ')' of this function is missing")),
            Some(b')') => return Ok((words, at + 1)),
            Some(_) => {
                let (word, end) = word(text, at, backslash)?;
                let quoted = word.len() < end - at;
                words.push(Word { text: word, offset: at, quoted });
                at = end;
            }
        }
    }
}

/// Reads one word: it ends at a blank or a closing parenthesis outside of quotes and parentheses.
fn word(text: &str, start: usize, backslash: Backslash) -> Result<(String, usize), TemplateError> {
    let mut word = String::new();
    let mut open = 0;
    let mut chars = text[start..].char_indices();
    while let Some((offset, char)) = chars.next() {
        match char {
            '\\' => word.extend(chars.next().map(|(_, next)| next)),
            ' ' | '\t' | '\n' | '\r' if open == 0 => return Ok((word, start + offset)),
            ')' if open == 0 => return Ok((word, start + offset)),
            '\'' | '"' if open == 0 => quoted(char, &mut chars, backslash, &mut word)
                .ok_or_else(|| TemplateError::at(start + offset, "this quote is not closed"))?,
            '\'' | '"' => {
                // Inside of parentheses quotes are kept: they belong to an inner function or condition.
                let from = start + offset;
                let mut skipped = String::new();
                quoted(char, &mut chars, backslash, &mut skipped)
                    .ok_or_else(|| TemplateError::at(from, "this quote is not closed"))?;
                let to = start + chars.offset();
                word.push_str(&text[from..to]);
            }
            _ => {
                open = match char {
                    '(' => open + 1,
                    ')' => open - 1,
                    _ => open,
                };
                word.push(char);
            }
        }
    }
    Err(TemplateError::at(0, "the ')' of this function is missing"))
}

/// Reads up to the closing quote.
fn quoted(
    quote: char,
    chars: &mut std::str::CharIndices<'_>,
    backslash: Backslash,
    word: &mut String,
) -> Option<()> {
    loop {
        match chars.next()?.1 {
            '\\' if backslash == Backslash::KeepsQuote && chars.as_str().starts_with(quote) => {
                word.extend(chars.next().map(|(_, next)| next));
            }
            char if char == quote => return Some(()),
            char => word.push(char),
        }
    }
}

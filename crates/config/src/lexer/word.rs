//! Bare words: where they end, and which texts are one.
//!
//! In: bytes, texts. Out: answers. Holds: nothing.

use super::literal;
use super::token::Kind;

/// Returns true for bytes that end a bare word.
pub(super) fn ends_word(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t'
            | b'\r'
            | b'\n'
            | b'#'
            | b'"'
            | b'\''
            | b'('
            | b')'
            | b'{'
            | b'}'
            | b'['
            | b']'
            | b'\\'
            | b';'
            | b','
            | b'|'
            | b'.'
            | b'@'
            | b':'
            | b'`'
    )
}

/// Returns true when a text reads as one word or number without quotes, and as no operator.
pub(crate) fn is_bare(text: &str) -> bool {
    let dots = text.starts_with('.') || text.ends_with('.') || text.contains("..");
    !text.is_empty() && !dots && text.bytes().all(|byte| byte == b'.' || !ends_word(byte)) && text != "=>"
}

/// Returns true when a bare text reads as this token.
pub(crate) fn reads_as(text: &str, kind: &Kind) -> bool {
    is_bare(text) && literal::classify(text.to_string()) == *kind
}

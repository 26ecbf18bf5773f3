//! Keys, and texts with places for them: `host:${key}`.
//!
//! In: a text of a configuration; keys of messages. Out: the text with a key in it, encoded as its place requires. Holds: the parts.
//! Limits: `${key}` is the only name: what else a message has goes into `selector()`.

use std::fmt;

/// A key: the bytes that a selector gives.
pub(crate) type Key = Box<[u8]>;

/// A text with places for the key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyText {
    parts: Vec<Piece>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Piece {
    Text(String),
    Key,
}

/// A text that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KeyTextError {
    /// A `$` that begins something else than the key.
    OtherName {
        /// The text from there on.
        rest: String,
    },
}

impl fmt::Display for KeyTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyTextError::OtherName { rest } => {
                write!(f, "`{rest}`: only ${{key}} stands for something here, and $$ for a dollar sign")
            }
        }
    }
}

impl std::error::Error for KeyTextError {}

impl KeyText {
    /// Reads a text. `$$` is a dollar sign.
    pub fn parse(text: &str) -> Result<KeyText, KeyTextError> {
        let (mut parts, mut open, mut rest) = (Vec::new(), String::new(), text);
        while let Some(at) = rest.find('$') {
            open.push_str(&rest[..at]);
            let after = &rest[at..];
            if let Some(after) = after.strip_prefix("$$") {
                open.push('$');
                rest = after;
            } else if let Some(after) = after.strip_prefix("${key}") {
                parts.push(Piece::Text(std::mem::take(&mut open)));
                parts.push(Piece::Key);
                rest = after;
            } else {
                return Err(KeyTextError::OtherName { rest: after.to_owned() });
            }
        }
        open.push_str(rest);
        parts.push(Piece::Text(open));
        Ok(KeyText { parts })
    }

    /// Returns the text before the first place of the key; `None` when it has no place for it.
    pub fn before_key(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Piece::Text(text), Piece::Key, ..] => Some(text),
            _ => None,
        }
    }

    /// Returns the text with a key in its places, as `encode` writes it.
    pub(crate) fn fill(&self, key: &[u8], encode: impl Fn(&[u8], &mut Vec<u8>)) -> Vec<u8> {
        let mut out = Vec::new();
        for part in &self.parts {
            match part {
                Piece::Text(text) => out.extend_from_slice(text.as_bytes()),
                Piece::Key => encode(key, &mut out),
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    //! Texts and keys.

    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str, before: Option<&str>) {
        let text = KeyText::parse(text).unwrap();
        assert_eq!(text.fill(b"a b", |key, out| out.extend_from_slice(key)), want.as_bytes());
        assert_eq!(text.before_key(), before);
    }

    #[test]
    fn the_key_stands_where_it_is_written() {
        check("host:${key}", "host:a b", Some("host:"));
        check("${key}", "a b", Some(""));
        check("${key}-${key}!", "a b-a b!", Some(""));
        check("a$$b", "a$b", None);
        check("$${key}", "${key}", None);
        check("", "", None);
    }

    #[test]
    fn other_names_are_refused() {
        for text in ["$HOST", "a${HOST}", "$key", "${key", "a$"] {
            let rest = text[text.find('$').unwrap()..].to_owned();
            assert_eq!(KeyText::parse(text), Err(KeyTextError::OtherName { rest }));
        }
    }
}

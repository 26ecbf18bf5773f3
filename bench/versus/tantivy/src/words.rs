//! Words as our manual defines them: letters, digits, `_`, and inside a word `.` and `-`; in lower case.
//!
//! In: text. Out: tantivy's tokens, made in one reused buffer.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// The tokenizer.
#[derive(Clone, Default)]
pub(crate) struct Words {
    token: Token,
}

/// The words of one text.
pub(crate) struct Stream<'a> {
    text: &'a str,
    /// Offset at which the next word may begin.
    place: usize,
    token: &'a mut Token,
}

impl Tokenizer for Words {
    type TokenStream<'a> = Stream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Stream<'a> {
        self.token.reset();
        Stream { text, place: 0, token: &mut self.token }
    }
}

impl TokenStream for Stream<'_> {
    fn advance(&mut self) -> bool {
        let bytes = self.text.as_bytes();
        let Some(start) = bytes.iter().skip(self.place).position(|byte| is_letter(*byte)) else {
            return false;
        };
        let start = self.place + start;
        let run = bytes.iter().skip(start).position(|byte| !is_letter(*byte) && !is_joint(*byte));
        let run = run.map_or(bytes.len(), |length| start + length);
        let last = bytes[start..run].iter().rposition(|byte| is_letter(*byte)).unwrap_or(0);
        let end = start + last + 1;
        self.place = run;
        self.token.text.clear();
        // A word ends before or after ASCII, so never inside a character.
        self.token.text.push_str(self.text.get(start..end).unwrap_or_default());
        self.token.text.make_ascii_lowercase();
        (self.token.offset_from, self.token.offset_to) = (start, end);
        self.token.position = self.token.position.wrapping_add(1);
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn is_joint(byte: u8) -> bool {
    matches!(byte, b'.' | b'-')
}

#[cfg(test)]
mod tests {
    //! Rows for the words.

    use super::*;

    #[track_caller]
    fn check(text: &str, want: &[&str]) {
        let mut words = Words::default();
        let mut stream = words.token_stream(text);
        let mut found = Vec::new();
        while stream.advance() {
            found.push(stream.token().text.clone());
        }
        assert_eq!(found, want);
    }

    #[test]
    fn joints_are_inside_words_only() {
        check(
            "Failed for root@Db-01.example.com. (x_1)",
            &["failed", "for", "root", "db-01.example.com", "x_1"],
        );
        check("--a- .b.. é", &["a", "b", "é"]);
        check("", &[]);
        check("...", &[]);
    }
}

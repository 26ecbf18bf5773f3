//! Text of strangers for a terminal: nothing in it can move the cursor, change colours or reorder what is read.
//!
//! In: text of messages, names, configurations. Out: the same, with control characters as escapes: C0 (but tab and,
//! where lines are meant, line feeds), DEL, C1 and the marks and overrides of bidirectional text.
//! Holds nothing. Limits: text without them is borrowed, not copied.

use std::borrow::Cow;

/// Text of one line: a line feed in it is escaped, too.
pub(crate) fn line(text: &str) -> Cow<'_, str> {
    escaped(text, |char| is_control(char) && char != '\t')
}

/// Text of several lines: line feeds stay.
pub(crate) fn lines(text: &str) -> Cow<'_, str> {
    escaped(text, |char| is_control(char) && !matches!(char, '\t' | '\n'))
}

/// Bytes of one line; those that are not UTF-8 are escaped as well, so that none is lost.
pub(crate) fn bytes(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return line(text);
    }
    let mut out = String::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        out.push_str(&line(chunk.valid()));
        chunk.invalid().iter().for_each(|byte| out.push_str(&format!("\\x{byte:02x}")));
    }
    Cow::Owned(out)
}

/// Bytes of several lines.
pub(crate) fn multiline_bytes(text: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(text) {
        return lines(text);
    }
    let shown: Vec<Cow<'_, str>> = text.split(|byte| *byte == b'\n').map(bytes).collect();
    Cow::Owned(shown.join("\n"))
}

/// Text that is JSON already: what its own escapes leave becomes `\\uXXXX`, which means the same to who reads it.
pub(crate) fn json(text: &str) -> Cow<'_, str> {
    if !text.contains(is_control) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for char in text.chars() {
        match char {
            // Line breaks between values.
            '\n' | '\t' => out.push(char),
            char if is_control(char) => out.push_str(&format!("\\u{:04x}", u32::from(char))),
            char => out.push(char),
        }
    }
    Cow::Owned(out)
}

/// Whether a terminal or a reader could be misled by a character.
pub(crate) fn is_control(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for char in text.chars() {
        match char {
            char if !is_escaped(char) => out.push(char),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            char if u32::from(char) < 0x80 => out.push_str(&format!("\\x{:02x}", u32::from(char))),
            char => out.push_str(&format!("\\u{{{:x}}}", u32::from(char))),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    //! What is escaped, and what stays.

    #[test]
    fn m8_no_control_character_is_left() {
        let rows: [(&[u8], &str); 9] = [
            (b"plain \xc3\xa4 \tx", "plain \u{e4} \tx"),
            (b"\x1b[31mred\x1b[0m\x07", "\\x1b[31mred\\x1b[0m\\x07"),
            (b"a\r\nb\0", "a\\r\\nb\\x00"),
            (b"\x7f", "\\x7f"),
            ("\u{9b}2J\u{85}".as_bytes(), "\\u{9b}2J\\u{85}"),
            (b"raw \x9b2J", "raw \\x9b2J"),
            ("\u{202e}exe.txt\u{2069}".as_bytes(), "\\u{202e}exe.txt\\u{2069}"),
            ("\u{200e}\u{200f}\u{61c}".as_bytes(), "\\u{200e}\\u{200f}\\u{61c}"),
            ("zero\u{200d}width \u{1f469}".as_bytes(), "zero\u{200d}width \u{1f469}"),
        ];
        for (input, want) in rows {
            assert_eq!(super::bytes(input), want);
        }
        assert_eq!(super::lines("a\nb\u{1b}"), "a\nb\\x1b");
        assert_eq!(super::multiline_bytes(b"a\n\xff\x1b\n"), "a\n\\xff\\x1b\n");
        assert_eq!(super::json("{\"a\":\"\u{7f}\u{9b}\u{202e}\"}\n"), "{\"a\":\"\\u007f\\u009b\\u202e\"}\n");
        for code in (0..0xa0).chain(0x2000..0x2070).chain([0x61c]) {
            let Some(char) = char::from_u32(code) else { continue };
            let shown = super::line(&char.to_string()).into_owned();
            let is_control = super::is_control(char) && char != '\t';
            assert_eq!(is_control, shown.starts_with('\\') && char != '\\', "{code:x} {shown}");
        }
    }
}

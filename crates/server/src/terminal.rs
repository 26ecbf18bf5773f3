//! Escapes foreign text for a terminal: none of it can move the cursor, change colours or reorder the output.
//!
//! In: text of messages, names, configurations. Out: the same, with control characters as escapes: C0 (except
//! tab and, in text of several lines, line feeds), DEL, C1 and the marks and overrides of bidirectional text.
//! All that the program prints goes through here: `outln!` and `errln!`, `out!` and `err!` without a line feed at the end.
//! Holds nothing. Limits: text without them is borrowed, not copied.

use std::{
    borrow::Cow,
    fmt,
    io::{self, IsTerminal, Write},
};

/// Prints lines on standard output.
macro_rules! outln {
    ($($words:tt)*) => { $crate::terminal::print(format_args!("{}\n", format_args!($($words)*))) };
}

/// Prints text on standard output.
macro_rules! out {
    ($($words:tt)*) => { $crate::terminal::print(format_args!($($words)*)) };
}

/// Prints lines on standard error.
macro_rules! errln {
    ($($words:tt)*) => { $crate::terminal::complain(format_args!("{}\n", format_args!($($words)*))) };
}

/// Prints text on standard error.
macro_rules! err {
    ($($words:tt)*) => { $crate::terminal::complain(format_args!($($words)*)) };
}

/// Returns standard output.
#[cfg(not(test))]
pub(crate) fn output() -> io::StdoutLock<'static> {
    io::stdout().lock()
}

/// Returns standard error.
#[cfg(not(test))]
pub(crate) fn errors() -> io::StderrLock<'static> {
    io::stderr().lock()
}

#[cfg(test)]
pub(crate) use testing::{errors, output};

/// Prints text on standard output. An error is ignored, because the reader has closed the pipe.
pub(crate) fn print(words: fmt::Arguments<'_>) {
    let _ = output().write_all(lines(&words.to_string()).as_bytes());
}

/// Prints text on standard error.
pub(crate) fn complain(words: fmt::Arguments<'_>) {
    let _ = errors().write_all(lines(&words.to_string()).as_bytes());
}

/// Prints text for a program: unchanged, except on a terminal.
pub(crate) fn print_exactly(text: &str) {
    let shown = if io::stdout().is_terminal() { lines(text) } else { Cow::Borrowed(text) };
    let _ = output().write_all(shown.as_bytes());
}

/// Prints text with colours on standard error.
pub(crate) fn complain_styled(text: &str) {
    let _ = errors().write_all(styled(text).as_bytes());
}

/// Prints a line over the one before it.
pub(crate) fn print_over(words: fmt::Arguments<'_>) {
    let text = words.to_string();
    let _ = errors().write_all(format!("{}\r", line(&text)).as_bytes());
}

/// Escapes text of several lines, except colours (`ESC [ 1 ; 31 m`).
pub(crate) fn styled(text: &str) -> String {
    let mut pieces = text.split("\x1b[");
    let mut out = lines(pieces.next().unwrap_or_default()).into_owned();
    for piece in pieces {
        let end = piece.find(|char: char| !char.is_ascii_digit() && char != ';').unwrap_or(piece.len());
        let is_colour = piece[end..].starts_with('m');
        out.push_str(if is_colour { "\x1b[" } else { "\\x1b[" });
        out.push_str(&lines(piece));
    }
    out
}

/// Escapes text of one line, including line feeds.
pub(crate) fn line(text: &str) -> Cow<'_, str> {
    escaped(text, |char| is_control(char) && char != '\t')
}

/// Escapes text of several lines; line feeds stay.
pub(crate) fn lines(text: &str) -> Cow<'_, str> {
    escaped(text, |char| is_control(char) && !matches!(char, '\t' | '\n'))
}

/// Escapes bytes of one line; those that are not UTF-8 are escaped as well, so that none is lost.
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

/// Escapes bytes of several lines.
pub(crate) fn multiline_bytes(text: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(text) {
        return lines(text);
    }
    let shown: Vec<Cow<'_, str>> = text.split(|byte| *byte == b'\n').map(bytes).collect();
    Cow::Owned(shown.join("\n"))
}

/// Escapes JSON: remaining control characters become `\\uXXXX`, which means the same to a parser.
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

/// Returns true if a character could mislead a terminal or a reader.
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
pub(crate) mod testing;

#[cfg(test)]
mod tests {
    //! Rows about characters that are escaped, and those that stay.

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
        assert_eq!(
            super::styled("\u{1b}[1;31ma\u{1b}[2J\u{1b}]0;x\u{7}\u{1b}[0m\n"),
            "\u{1b}[1;31ma\\x1b[2J\\x1b]0;x\\x07\u{1b}[0m\n"
        );
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

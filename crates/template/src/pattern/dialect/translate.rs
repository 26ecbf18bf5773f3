//! Translates the common part of PCRE2's language for the linear-time engine.
//!
//! In: a pattern that PCRE2 accepts. Out: an equivalent one, or nothing.
//! Holds: the position in the pattern. Limits: look-around, back-references, possessive and atomic groups, Unicode
//! properties and other rare constructs are not translated.

use crate::pattern::options::PatternFlags;
use std::fmt::Write;

/// A pattern for the linear-time engine.
pub(super) struct Translated {
    pub(super) text: String,
    /// It holds `$`, which here is only the very end of the text.
    pub(super) dollar: bool,
}

/// The surroundings of an escape, which decide what some escapes mean.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Pattern,
    Class,
}

/// Translates a pattern; `None` when only PCRE2 can answer it.
pub(super) fn translate(text: &str, flags: PatternFlags) -> Option<Translated> {
    if flags.newline || flags.dupnames {
        return None;
    }
    let mode = if flags.ignore_case { "(?i-u)" } else { "(?-u)" };
    let bytes = text.as_bytes();
    let wide = flags.utf8;
    if wide && (flags.ignore_case || !text.is_ascii()) {
        return None;
    }
    let mut reader = Reader { bytes, at: 0, out: mode.to_owned(), dollar: false, wide };
    while let Some(byte) = reader.take() {
        reader.item(byte)?;
    }
    Some(Translated { text: reader.out, dollar: reader.dollar })
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    out: String,
    dollar: bool,
    /// Characters may be wider than a byte: what counts characters stays with PCRE2.
    wide: bool,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn take(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    /// Appends one byte so that it means itself.
    fn literal(&mut self, byte: u8) {
        if byte.is_ascii_alphanumeric() || byte == b' ' || byte == b'_' {
            self.out.push(byte as char);
        } else {
            // Writing to a string cannot fail.
            let _ = write!(self.out, "\\x{byte:02X}");
        }
    }

    fn item(&mut self, byte: u8) -> Option<()> {
        match byte {
            b'\\' => self.escape(Within::Pattern)?,
            b'[' => self.class()?,
            b'(' => self.group()?,
            b')' | b'|' | b'^' => self.out.push(byte as char),
            b'.' => {
                if self.wide {
                    return None;
                }
                self.out.push('.');
            }
            b'*' | b'+' | b'?' => {
                self.out.push(byte as char);
                self.lazy()?;
            }
            b'{' => self.braces()?,
            b'$' => {
                self.dollar = true;
                self.out.push_str("\\z");
            }
            _ => self.literal(byte),
        }
        Some(())
    }

    /// Translates the suffix of a quantifier: `?` is lazy; `+`, possessive, is left to PCRE2.
    fn lazy(&mut self) -> Option<()> {
        match self.peek() {
            Some(b'+') => return None,
            Some(b'?') => {
                self.at += 1;
                self.out.push('?');
            }
            _ => {}
        }
        Some(())
    }

    /// Translates `{2}`, `{2,}`, `{2,3}`, or a brace that is only a brace.
    fn braces(&mut self) -> Option<()> {
        let rest = &self.bytes[self.at..];
        let Some(end) = rest.iter().position(|byte| *byte == b'}') else {
            self.literal(b'{');
            return Some(());
        };
        let inside = std::str::from_utf8(&rest[..end]).ok()?;
        let (least, most) = inside.split_once(',').unwrap_or((inside, ""));
        let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if number(least) && (most.is_empty() || number(most)) {
            let _ = write!(self.out, "{{{inside}}}");
            self.at += end + 1;
            return self.lazy();
        }
        // Newer versions of PCRE2 read more forms than older ones.
        if inside.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b',' | b' ')) {
            return None;
        }
        self.literal(b'{');
        Some(())
    }

    fn group(&mut self) -> Option<()> {
        let rest = &self.bytes[self.at..];
        match rest {
            [b'*', ..] => return None,
            [b'?', tail @ ..] => {
                let end = tail.iter().position(|byte| matches!(byte, b':' | b')' | b'>'))?;
                let head = std::str::from_utf8(&tail[..end]).ok()?;
                let flags = head.bytes().all(|byte| matches!(byte, b'i' | b's' | b'-'));
                let dots = head.contains('s');
                let named = head.strip_prefix("P<").or_else(|| head.strip_prefix('<'));
                let name = named.is_some_and(|name| {
                    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                });
                match tail[end] {
                    b'>' if name => {}
                    b':' | b')' if flags && !dots && !self.wide && !head.ends_with('-') => {}
                    b':' if head.is_empty() => {}
                    _ => return None,
                }
                let _ = write!(self.out, "(?{head}{}", tail[end] as char);
                self.at += end + 2;
            }
            _ => self.out.push('('),
        }
        Some(())
    }

    /// Translates an escape after its backslash.
    fn escape(&mut self, within: Within) -> Option<()> {
        let byte = self.take()?;
        match byte {
            b'd' | b'w' | b's' => {
                self.out.push('\\');
                self.out.push(byte as char);
            }
            b'D' | b'W' | b'S' if !self.wide => {
                self.out.push('\\');
                self.out.push(byte as char);
            }
            b'b' if within == Within::Class => self.literal(8),
            b'b' | b'B' if within == Within::Pattern => {
                self.out.push('\\');
                self.out.push(byte as char);
            }
            b'A' if within == Within::Pattern => self.out.push('^'),
            b'z' if within == Within::Pattern => self.out.push_str("\\z"),
            b'Z' if within == Within::Pattern => {
                self.dollar = true;
                self.out.push_str("\\z");
            }
            b'n' => self.literal(b'\n'),
            b'r' => self.literal(b'\r'),
            b't' => self.literal(b'\t'),
            b'f' => self.literal(12),
            b'e' => self.literal(27),
            b'a' => self.literal(7),
            b'x' => {
                let digits = self.bytes.get(self.at..self.at + 2)?;
                let value = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
                if !digits.iter().all(u8::is_ascii_hexdigit) || self.wide && value > 127 {
                    return None;
                }
                self.at += 2;
                self.literal(value);
            }
            _ if byte.is_ascii_punctuation() || byte == b' ' => self.literal(byte),
            _ => return None,
        }
        Some(())
    }

    fn class(&mut self) -> Option<()> {
        self.out.push('[');
        if self.peek() == Some(b'^') {
            if self.wide {
                return None;
            }
            self.at += 1;
            self.out.push('^');
        }
        let first = self.at;
        // True after a single byte, which may open a range.
        let mut opens = false;
        loop {
            let at = self.at;
            let byte = self.take()?;
            match byte {
                b']' if at > first => break,
                b'[' => match self.peek() {
                    Some(b':') => {
                        let length = self.bytes[self.at..].windows(2).position(|two| two == b":]")?;
                        let name = std::str::from_utf8(&self.bytes[self.at + 1..self.at + length]).ok()?;
                        let known = [
                            "alnum", "alpha", "digit", "lower", "punct", "space", "upper", "xdigit", "blank",
                            "cntrl", "word",
                        ];
                        if !known.contains(&name) {
                            return None;
                        }
                        let _ = write!(self.out, "[:{name}:]");
                        self.at += length + 2;
                        opens = false;
                    }
                    Some(b'.' | b'=') => return None,
                    _ => {
                        self.literal(b'[');
                        opens = true;
                    }
                },
                b'-' if opens && self.peek() != Some(b']') => {
                    self.out.push('-');
                    match self.take()? {
                        // The end of the range must be one byte too.
                        b'\\' if !matches!(self.peek()?, b'd' | b'w' | b's' | b'D' | b'W' | b'S') => {
                            self.escape(Within::Class)?
                        }
                        b'\\' | b'[' => return None,
                        end => self.literal(end),
                    }
                    opens = false;
                }
                b'\\' => {
                    opens = !matches!(self.peek()?, b'd' | b'w' | b's' | b'D' | b'W' | b'S');
                    self.escape(Within::Class)?;
                }
                _ => {
                    self.literal(byte);
                    opens = true;
                }
            }
        }
        self.out.push(']');
        Some(())
    }
}

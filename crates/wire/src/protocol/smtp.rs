//! Answers of mail servers (RFC 5321, section 4.2).
//!
//! In: the bytes of a server so far. Out: its next answer, of one line or of many, and where it ends.
//! Holds: nothing. Limits: an answer has at most [`ANSWER_BYTES_MAX`]; a line that does not begin with three digits is
//! an error, after which a connection is unusable.

use std::fmt;

/// Longest answer.
const ANSWER_BYTES_MAX: usize = 64 << 10;
/// Most bytes of a server's text that are shown.
const SHOWN_BYTES: usize = 200;

/// An answer of a server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SmtpAnswer {
    /// 200 to 599.
    pub code: u16,
    /// Its words, one text per line.
    pub lines: Vec<String>,
}

/// Error in the answer of a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SmtpError {
    /// Not a code of three digits, or a different one than in the previous lines.
    Code,
    /// It does not end.
    Length,
}

impl fmt::Display for SmtpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SmtpError::Code => "what the server says is no answer of SMTP",
            SmtpError::Length => "the answer of the server is too long",
        })
    }
}

impl std::error::Error for SmtpError {}

impl SmtpAnswer {
    /// Returns true when the server accepted the command, or waits for more.
    pub fn is_yes(&self) -> bool {
        self.code < 400
    }

    /// Returns true when the refusal is permanent.
    pub fn is_never(&self) -> bool {
        self.code >= 500
    }

    /// Returns the parameters of a keyword in the answer to `EHLO`. `None` when the server does not offer it.
    pub fn offer(&self, keyword: &str) -> Option<&str> {
        self.lines.iter().skip(1).find_map(|line| {
            let (name, rest) = line.split_once([' ', '=']).unwrap_or((line, ""));
            name.eq_ignore_ascii_case(keyword).then_some(rest)
        })
    }
}

impl fmt::Display for SmtpAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text: String = self.lines.join(" ").chars().filter(|c| !c.is_control()).collect();
        let end = (0..=SHOWN_BYTES.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
        write!(f, "{} {}", self.code, &text[..end.unwrap_or(0)])
    }
}

/// Reads the next answer, and returns it with the number of its bytes; `None` while it is not complete.
pub fn smtp_answer(bytes: &[u8]) -> Result<Option<(SmtpAnswer, usize)>, SmtpError> {
    let mut answer: Option<SmtpAnswer> = None;
    let mut at = 0;
    loop {
        let Some(size) = memchr::memchr(b'\n', &bytes[at..]) else {
            return if bytes.len() > ANSWER_BYTES_MAX { Err(SmtpError::Length) } else { Ok(None) };
        };
        let line = &bytes[at..at + size];
        at += size + 1;
        if at > ANSWER_BYTES_MAX {
            return Err(SmtpError::Length);
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let (code, more, text) = split(line).ok_or(SmtpError::Code)?;
        let answer = answer.get_or_insert(SmtpAnswer { code, lines: Vec::new() });
        if answer.code != code {
            return Err(SmtpError::Code);
        }
        answer.lines.push(String::from_utf8_lossy(text).into_owned());
        if !more {
            return Ok(Some((answer.clone(), at)));
        }
    }
}

/// Splits a line into its code, a flag that another line follows, and its text.
fn split(line: &[u8]) -> Option<(u16, bool, &[u8])> {
    let (digits, rest) = line.split_at_checked(3)?;
    let code =
        std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?;
    let code = code.parse().ok().filter(|code| (200..600).contains(code))?;
    match rest.split_first() {
        None => Some((code, false, rest)),
        Some((b' ', text)) => Some((code, false, text)),
        Some((b'-', text)) => Some((code, true, text)),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests;

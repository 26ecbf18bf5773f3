//! The protocol of NATS: lines, some of which have a text behind them.
//!
//! In: bytes of a server. Out: what a line says; the headers of a message. Holds: nothing.
//! Limits: a line has at most [`LINE_BYTES_MAX`] bytes; who reads the text behind it bounds that.

use crate::endpoint::Breach;

/// Longest line: the greeting of a cluster lists its servers.
pub const LINE_BYTES_MAX: usize = 256 << 10;
/// The first word of headers.
const VERSION: &[u8] = b"NATS/1.0";

/// The content of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line<'a> {
    /// `INFO`, with JSON.
    Greeting(&'a [u8]),
    /// `PING`: it asks if we are there.
    Ping,
    /// `PONG`: it is there.
    Pong,
    /// `+OK`
    Done,
    /// `-ERR`, with its words.
    Refused(String),
    /// `MSG` or `HMSG`: a message follows.
    Message(MessageHead<'a>),
}

/// The line before a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MessageHead<'a> {
    /// The subject that it was published to.
    pub subject: &'a str,
    /// The subject that an answer is published to.
    pub reply: Option<&'a str>,
    /// Bytes of its headers; 0 without any.
    pub header_bytes: usize,
    /// Bytes of headers and text.
    pub bytes: usize,
}

fn message<'a>(verb: &[u8], words: &'a [u8]) -> Result<MessageHead<'a>, Breach> {
    let words = std::str::from_utf8(words).map_err(|_| Breach("a line is no text"))?;
    let mut words = words.split_ascii_whitespace();
    let size = |word: Option<&str>| word.and_then(|word| word.parse::<usize>().ok());
    let bytes = size(words.next_back()).ok_or(Breach("a text has no length"))?;
    let header_bytes = match verb {
        b"HMSG" => size(words.next_back()).filter(|size| *size <= bytes),
        _ => Some(0),
    };
    let header_bytes = header_bytes.ok_or(Breach("a head has no length"))?;
    let (Some(subject), Some(_), reply) = (words.next(), words.next(), words.next()) else {
        return Err(Breach("a message has no subject"));
    };
    Ok(MessageHead { subject, reply, header_bytes, bytes })
}

/// Reads a line from the beginning of some bytes, and returns its size; `None` when it is not whole.
pub fn decode_line(bytes: &[u8]) -> Result<Option<(Line<'_>, usize)>, Breach> {
    let Some(end) = bytes.iter().take(LINE_BYTES_MAX).position(|byte| *byte == b'\n') else {
        return if bytes.len() < LINE_BYTES_MAX { Ok(None) } else { Err(Breach("a line has no end")) };
    };
    let line = bytes[..end].strip_suffix(b"\r").ok_or(Breach("a line has another end"))?;
    let (verb, words) = line.split_at(line.iter().position(|byte| *byte == b' ').unwrap_or(line.len()));
    let words = words.trim_ascii();
    let line = match verb {
        b"INFO" => Line::Greeting(words),
        b"PING" => Line::Ping,
        b"PONG" => Line::Pong,
        b"+OK" => Line::Done,
        b"-ERR" => Line::Refused(String::from_utf8_lossy(words).trim_matches('\'').to_owned()),
        b"MSG" | b"HMSG" => Line::Message(message(verb, words)?),
        _ => return Err(Breach("this is no server of NATS")),
    };
    Ok(Some((line, end + 1)))
}

/// A header: its name and its value.
pub type Header<'a> = (&'a [u8], &'a [u8]);

/// The headers of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Headers<'a> {
    /// The number of a status, which servers send instead of a message.
    pub status: Option<u16>,
    /// The words of the status.
    pub words: &'a [u8],
    /// The lines behind the first one.
    lines: &'a [u8],
}

/// Reads headers; `None` when they are none.
pub fn headers(block: &[u8]) -> Option<Headers<'_>> {
    let rest = block.strip_prefix(VERSION)?;
    let end = rest.windows(2).position(|bytes| bytes == b"\r\n")?;
    let first = rest[..end].trim_ascii();
    let (number, words) = first.split_at_checked(3).unwrap_or((b"", b""));
    let status = std::str::from_utf8(number).ok().and_then(|number| number.parse().ok());
    Some(Headers { status, words: words.trim_ascii(), lines: &rest[end + 2..] })
}

impl<'a> Headers<'a> {
    /// Returns the headers that are whole, in their order.
    pub fn iter(&self) -> impl Iterator<Item = Header<'a>> + use<'a> {
        let mut rest = self.lines;
        std::iter::from_fn(move || {
            let end = rest.windows(2).position(|bytes| bytes == b"\r\n")?;
            let line = &rest[..end];
            rest = &rest[end + 2..];
            let colon = line.iter().position(|byte| *byte == b':')?;
            Some((&line[..colon], line[colon + 1..].trim_ascii()))
        })
    }

    /// Returns a header that is a number.
    pub fn number(&self, name: &str) -> Option<usize> {
        let (_, value) = self.iter().find(|(found, _)| found.eq_ignore_ascii_case(name.as_bytes()))?;
        std::str::from_utf8(value).ok()?.parse().ok()
    }
}

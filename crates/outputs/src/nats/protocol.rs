//! The protocol of NATS: lines, some of which have a text behind them.
//!
//! In: names and texts; bytes of lines. Out: bytes; what a line says. Holds: nothing.
//! Limits: a line has at most [`LINE_BYTES_MAX`] bytes, a text at most [`ANSWER_BYTES_MAX`].

use crate::link::dialogue::{ANSWER_BYTES_MAX, Breach};
use message::RecordId;

/// Longest line: the greeting of a cluster lists its servers.
const LINE_BYTES_MAX: usize = 256 << 10;
/// Text before the status of an answer.
const STATUS: &[u8] = b"NATS/1.0 ";

/// The content of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Line<'a> {
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
    /// The answer to a publication: its number, and JSON.
    Answer(usize, &'a [u8]),
    /// An answer that is a status alone, such as 503: nobody listens.
    Status(usize, u16),
}

/// Appends a publication whose answer has a number. A stream that has stored one of the same id does not store it again.
pub(super) fn publish_to_stream(
    (subject, text): (&[u8], &[u8]),
    id: RecordId,
    inbox: &str,
    number: usize,
    out: &mut Vec<u8>,
) {
    let head = format!("NATS/1.0\r\nNats-Msg-Id: {:016x}{:016x}\r\n\r\n", id.incarnation, id.sequence);
    out.extend_from_slice(b"HPUB ");
    out.extend_from_slice(subject);
    out.extend_from_slice(
        format!(" {inbox}{number} {} {}\r\n{head}", head.len(), head.len() + text.len()).as_bytes(),
    );
    out.extend_from_slice(text);
    out.extend_from_slice(b"\r\n");
}

/// Appends a publication without an answer.
pub(super) fn publish(subject: &[u8], text: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(b"PUB ");
    out.extend_from_slice(subject);
    out.extend_from_slice(format!(" {}\r\n", text.len()).as_bytes());
    out.extend_from_slice(text);
    out.extend_from_slice(b"\r\n");
}

/// Reads a line, and the text behind it, from the beginning of some bytes. Returns its size; `None` when it is not whole.
pub(super) fn decode<'a>(bytes: &'a [u8], inbox: &str) -> Result<Option<(Line<'a>, usize)>, Breach> {
    let Some(end) = bytes.iter().take(LINE_BYTES_MAX).position(|byte| *byte == b'\n') else {
        return if bytes.len() < LINE_BYTES_MAX { Ok(None) } else { Err(Breach("a line has no end")) };
    };
    let line = bytes[..end].strip_suffix(b"\r").ok_or(Breach("a line has another end"))?;
    let rest = &bytes[end + 1..];
    let (verb, words) = line.split_at(line.iter().position(|byte| *byte == b' ').unwrap_or(line.len()));
    let words = words.trim_ascii();
    let alone = |line| Ok(Some((line, end + 1)));
    match verb {
        b"INFO" => alone(Line::Greeting(words)),
        b"PING" => alone(Line::Ping),
        b"PONG" => alone(Line::Pong),
        b"+OK" => alone(Line::Done),
        b"-ERR" => alone(Line::Refused(String::from_utf8_lossy(words).trim_matches('\'').to_owned())),
        b"MSG" | b"HMSG" => {
            let words = std::str::from_utf8(words).map_err(|_| Breach("a line is no text"))?;
            let words: Vec<&str> = words.split_ascii_whitespace().collect();
            let number = words.first().and_then(|name| name.strip_prefix(inbox)?.parse().ok());
            let number = number.ok_or(Breach("it answers what was not published"))?;
            let size = |place: Option<&&str>| place.and_then(|word| word.parse::<usize>().ok());
            let whole = size(words.last()).ok_or(Breach("a text has no length"))?;
            if whole > ANSWER_BYTES_MAX {
                return Err(Breach("its answer is too long"));
            }
            let Some((text, after)) = rest.split_at_checked(whole) else { return Ok(None) };
            if after.len() < 2 {
                return Ok(None);
            }
            if !after.starts_with(b"\r\n") {
                return Err(Breach("a text is longer than it says"));
            }
            let size_of_all = end + 1 + whole + 2;
            if verb == b"MSG" {
                return Ok(Some((Line::Answer(number, text), size_of_all)));
            }
            let head = words.len().checked_sub(2).and_then(|place| size(words.get(place)));
            let head = head.filter(|head| *head <= whole).ok_or(Breach("a head has no length"))?;
            let status = text[..head].strip_prefix(STATUS).and_then(|status| status.get(..3));
            let status = status.and_then(|status| std::str::from_utf8(status).ok()?.trim().parse().ok());
            Ok(Some(match status {
                Some(status) => (Line::Status(number, status), size_of_all),
                None => (Line::Answer(number, &text[head..]), size_of_all),
            }))
        }
        _ => Err(Breach("this is no server of NATS")),
    }
}

//! The protocol of NATS: lines, some of which have a text behind them.
//!
//! In: names and texts; bytes of lines. Out: bytes; what a line says. Holds: nothing.
//! Limits: those of lines; a text has at most [`ANSWER_BYTES_MAX`] bytes.

use crate::link::dialogue::{ANSWER_BYTES_MAX, Breach};
use message::RecordId;
use transport::nats;

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
    let Some((line, size)) = nats::decode_line(bytes)? else { return Ok(None) };
    let head = match line {
        nats::Line::Greeting(json) => return Ok(Some((Line::Greeting(json), size))),
        nats::Line::Ping => return Ok(Some((Line::Ping, size))),
        nats::Line::Pong => return Ok(Some((Line::Pong, size))),
        nats::Line::Done => return Ok(Some((Line::Done, size))),
        nats::Line::Refused(words) => return Ok(Some((Line::Refused(words), size))),
        nats::Line::Message(head) => head,
    };
    let number = head.subject.strip_prefix(inbox).and_then(|number| number.parse().ok());
    let number = number.ok_or(Breach("it answers what was not published"))?;
    if head.bytes > ANSWER_BYTES_MAX {
        return Err(Breach("its answer is too long"));
    }
    let Some((text, after)) = bytes[size..].split_at_checked(head.bytes) else { return Ok(None) };
    if after.len() < 2 {
        return Ok(None);
    }
    if !after.starts_with(b"\r\n") {
        return Err(Breach("a text is longer than it says"));
    }
    let (headers, text) = text.split_at(head.header_bytes);
    let line = match nats::headers(headers).and_then(|headers| headers.status) {
        Some(status) => Line::Status(number, status),
        None => Line::Answer(number, text),
    };
    Ok(Some((line, size + head.bytes + 2)))
}

//! Lines and messages of a connection, of which long ones are cut.
//!
//! In: bytes of a server, split anywhere. Out: lines, and messages that are whole. Holds: how much of a long message was left
//! out. Limits: of a text no more is kept than the limit, of headers [`HEADER_BYTES_MAX`].

use transport::{
    endpoint::Breach,
    nats::{Line, MessageHead, decode_line},
};

/// Most bytes of headers that are kept.
pub(super) const HEADER_BYTES_MAX: usize = 64 << 10;
const END: &[u8] = b"\r\n";

/// A line, or a message with its headers and its text.
#[derive(Debug)]
pub(super) enum Packet<'a> {
    Line(Line<'a>),
    Message(Message<'a>),
}

/// A message. Its lengths are those it had.
#[derive(Debug)]
pub(super) struct Message<'a> {
    pub(super) head: MessageHead<'a>,
    pub(super) headers: &'a [u8],
    pub(super) text: &'a [u8],
}

/// Splits a stream into lines and messages.
#[derive(Default)]
pub(super) struct Packets {
    /// Bytes of the message at the end of the stream that were left out.
    cut: usize,
}

impl Packets {
    /// Returns what comes behind `start`, and where it ends; `None` when it is not whole.
    pub(super) fn next<'a>(
        &mut self,
        received: &'a mut Vec<u8>,
        start: usize,
        text_max: usize,
    ) -> Result<Option<(Packet<'a>, usize)>, Breach> {
        let (head_bytes, header_bytes, text_bytes) = match decode_line(&received[start..])? {
            None => return Ok(None),
            Some((Line::Message(head), size)) => (size, head.header_bytes, head.bytes - head.header_bytes),
            Some(_) => {
                let line = decode_line(&received[start..])?;
                return Ok(line.map(|(line, size)| (Packet::Line(line), start + size)));
            }
        };
        let begin = start + head_bytes;
        let (kept_headers, kept_text) = (header_bytes.min(HEADER_BYTES_MAX), text_bytes.min(text_max));
        let of_headers = header_bytes - kept_headers;
        let left_out = of_headers + (text_bytes - kept_text);
        self.drop_until(received, begin + kept_headers, of_headers);
        self.drop_until(received, begin + kept_headers + kept_text, left_out);
        let text_at = begin + kept_headers;
        let end = text_at + kept_text;
        if self.cut < left_out || received.len() < end + END.len() {
            return Ok(None);
        }
        self.cut = 0;
        if received[end..end + END.len()] != *END {
            return Err(Breach("a text is longer than it says"));
        }
        let Some((Line::Message(head), _)) = decode_line(&received[start..])? else { return Ok(None) };
        let (headers, text) = (&received[begin..text_at], &received[text_at..end]);
        Ok(Some((Packet::Message(Message { head, headers, text }), end + END.len())))
    }

    /// Leaves out what has arrived behind `place`, until so much was left out.
    fn drop_until(&mut self, received: &mut Vec<u8>, place: usize, left_out: usize) {
        let more = received.len().saturating_sub(place).min(left_out.saturating_sub(self.cut));
        if more > 0 {
            received.drain(place..place + more);
            self.cut += more;
        }
    }
}

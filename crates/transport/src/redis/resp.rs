//! RESP, the protocol of Redis (version 2): commands and replies as bytes.
//!
//! In: arguments; bytes of replies. Out: the bytes of a command; what a reply says, as parts of its bytes. Holds: nothing.
//! Limits: a text is no longer than [`REPLY_BYTES_MAX`], and lists in lists are no deeper than [`DEPTH_MAX`].

use crate::endpoint::Breach;

/// Longest text of a reply.
pub const REPLY_BYTES_MAX: usize = 1 << 20;
/// Deepest lists of a reply.
const DEPTH_MAX: usize = 8;
/// Longest line: an error, or a length.
const LINE_BYTES_MAX: usize = 64 << 10;
/// Elements for which memory is reserved before they come: a list may claim any length.
const ELEMENTS_LIKELY_MAX: usize = 64;

/// The content of a reply.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reply<'a> {
    /// There is no such value.
    Nothing,
    /// A text, or a number as text.
    Text(&'a [u8]),
    /// The command was not executed.
    Refused(&'a [u8]),
    /// Several of them.
    List(Vec<Reply<'a>>),
}

/// Appends a command.
pub fn encode<'a>(arguments: impl ExactSizeIterator<Item = &'a [u8]>, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("*{}\r\n", arguments.len()).as_bytes());
    for argument in arguments {
        out.extend_from_slice(format!("${}\r\n", argument.len()).as_bytes());
        out.extend_from_slice(argument);
        out.extend_from_slice(b"\r\n");
    }
}

/// Reads a reply from the beginning of some bytes, and returns its size; `None` when it is not whole.
pub fn decode(bytes: &[u8]) -> Result<Option<(Reply<'_>, usize)>, Breach> {
    let mut rest = bytes;
    let Some(reply) = value(&mut rest, 0)? else { return Ok(None) };
    Ok(Some((reply, bytes.len() - rest.len())))
}

fn value<'a>(rest: &mut &'a [u8], depth: usize) -> Result<Option<Reply<'a>>, Breach> {
    let Some(line) = line(rest)? else { return Ok(None) };
    let (kind, text) = line.split_first().ok_or(Breach("an empty reply"))?;
    match kind {
        b'+' | b':' => Ok(Some(Reply::Text(text))),
        b'-' => Ok(Some(Reply::Refused(text))),
        b'$' => {
            let Some(size) = length(text)? else { return Ok(Some(Reply::Nothing)) };
            if size > REPLY_BYTES_MAX {
                return Err(Breach("its answer is too long"));
            }
            let Some((text, after)) = rest.split_at_checked(size + 2) else { return Ok(None) };
            let text = text.strip_suffix(b"\r\n").ok_or(Breach("a text is longer than it says"))?;
            *rest = after;
            Ok(Some(Reply::Text(text)))
        }
        b'*' if depth < DEPTH_MAX => {
            let Some(count) = length(text)? else { return Ok(Some(Reply::Nothing)) };
            let mut list = Vec::with_capacity(count.min(ELEMENTS_LIKELY_MAX));
            for _ in 0..count {
                let Some(element) = value(rest, depth + 1)? else { return Ok(None) };
                list.push(element);
            }
            Ok(Some(Reply::List(list)))
        }
        _ => Err(Breach("this is no reply of Redis")),
    }
}

/// Returns a length; `None` for that of nothing.
fn length(text: &[u8]) -> Result<Option<usize>, Breach> {
    let text = std::str::from_utf8(text).map_err(|_| Breach("a length is no number"))?;
    match text {
        "-1" => Ok(None),
        _ => text.parse().map(Some).map_err(|_| Breach("a length is no number")),
    }
}

fn line<'a>(rest: &mut &'a [u8]) -> Result<Option<&'a [u8]>, Breach> {
    let Some(end) = rest.iter().take(LINE_BYTES_MAX).position(|byte| *byte == b'\n') else {
        return if rest.len() < LINE_BYTES_MAX { Ok(None) } else { Err(Breach("a line has no end")) };
    };
    let line = rest[..end].strip_suffix(b"\r").ok_or(Breach("a line has another end"))?;
    *rest = &rest[end + 1..];
    Ok(Some(line))
}

//! RESP, the protocol of Redis (version 2): commands and replies as bytes.
//!
//! In: arguments; bytes of replies. Out: the bytes of a command; what a reply says. Holds: nothing.
//! Limits: a reply is no longer than [`ANSWER_BYTES_MAX`], and tables in tables are no deeper than [`DEPTH_MAX`].

use crate::link::dialogue::{ANSWER_BYTES_MAX, Breach, Dialogue};

/// Deepest tables of a reply.
const DEPTH_MAX: usize = 8;
/// Most bytes of an error that are kept.
const ERROR_BYTES_MAX: usize = 1 << 10;
/// Longest line: an error, or a length.
const LINE_BYTES_MAX: usize = 64 << 10;

/// The content of a reply.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Reply {
    /// The command was executed; its result is of no interest.
    Done,
    /// It was not.
    Refused(String),
}

/// Appends a command.
pub(super) fn encode<'a>(arguments: impl ExactSizeIterator<Item = &'a [u8]>, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("*{}\r\n", arguments.len()).as_bytes());
    for argument in arguments {
        out.extend_from_slice(format!("${}\r\n", argument.len()).as_bytes());
        out.extend_from_slice(argument);
        out.extend_from_slice(b"\r\n");
    }
}

/// Reads a reply from the beginning of some bytes, and returns its size; `None` when it is not whole.
pub(super) fn decode(bytes: &[u8]) -> Result<Option<(Reply, usize)>, Breach> {
    let mut rest = bytes;
    let Some(reply) = value(&mut rest, 0)? else { return Ok(None) };
    Ok(Some((reply, bytes.len() - rest.len())))
}

fn value(rest: &mut &[u8], depth: usize) -> Result<Option<Reply>, Breach> {
    let Some(line) = line(rest)? else { return Ok(None) };
    let (kind, text) = line.split_first().ok_or(Breach("an empty reply"))?;
    match kind {
        b'+' | b':' => Ok(Some(Reply::Done)),
        b'-' => {
            let text = &text[..text.len().min(ERROR_BYTES_MAX)];
            Ok(Some(Reply::Refused(String::from_utf8_lossy(text).into_owned())))
        }
        b'$' => {
            let Some(size) = length(text)? else { return Ok(Some(Reply::Done)) };
            if size > ANSWER_BYTES_MAX {
                return Err(Breach("its answer is too long"));
            }
            let Some((text, after)) = rest.split_at_checked(size + 2) else { return Ok(None) };
            if !text.ends_with(b"\r\n") {
                return Err(Breach("a text is longer than it says"));
            }
            *rest = after;
            Ok(Some(Reply::Done))
        }
        b'*' if depth < DEPTH_MAX => {
            for _ in 0..length(text)?.unwrap_or(0) {
                if value(rest, depth + 1)?.is_none() {
                    return Ok(None);
                }
            }
            Ok(Some(Reply::Done))
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

/// Reads the replies to some commands.
#[derive(Default)]
pub(super) struct Replies {
    /// How many are still to come.
    pub(super) awaited: usize,
    /// Those that came, in the order of the commands.
    pub(super) found: Vec<Reply>,
}

impl Dialogue for Replies {
    fn take(&mut self, received: &[u8], _out: &mut Vec<u8>) -> Result<usize, Breach> {
        let mut used = 0;
        while self.awaited > 0
            && let Some((reply, size)) = decode(&received[used..])?
        {
            used += size;
            self.awaited -= 1;
            self.found.push(reply);
        }
        Ok(used)
    }

    fn awaited(&self) -> usize {
        self.awaited
    }
}

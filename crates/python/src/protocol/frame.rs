//! The protocol on the pipes between us and the process.
//!
//! In: bytes of the pipes. Out: frames. Holds: nothing.
//! Limits: a frame of the process has at most [`FRAME_BYTES_MAX`].
//!
//! A frame is the length of its body in four bytes, one byte that says its kind, and the body. All numbers are little-endian.
//! One batch is one frame there, and mostly one frame back: what it costs does not grow with its messages.
//!
//! | from us | body |
//! |---|---|
//! | `H` | JSON: the class and its options, once, at first |
//! | `B` | a byte: 1 asks for each result at once, 0 lets them gather; the number of the batch in four bytes; each message, its length in four bytes before it, as in `message` |
//! | `G` | for headers of a request: the number of headers that it has in four bytes, each with its length in four bytes before it, and the body |
//! | `R` | the status of an answer to a request in two bytes |
//! | `V` | the answer to `g`: a byte, as in [`How`]; a byte, the type of the value; the value |
//!
//! | `s`, `p`, `w` | nothing: a source is to end, to pause, to continue |
//! | `a` | runs of acknowledged messages of a source: the number of the first in eight bytes, their number in four |
//!
//! | from the process | body |
//! |---|---|
//! | `h` | nothing: the class is ready |
//! | `e` | why it is not; then the process ends |
//! | `r` | results of the next messages, in runs: the number of messages in four bytes, a code, a text with its length in four bytes before it |
//! | `f` | a code and a text: the result of `flush()`, for all messages before it that are queued |
//! | `s` | nothing: a parser begins with the next message; when each result is asked for at once |
//! | `p` | what a parser made of the next messages, as in `changes` |
//! | `g` | the number of a message of the batch in four bytes; `n` for a name or `t` for a template, its length in four bytes before it; what user code has changed in the message, as in `changes` |
//! | `m` | messages of a source: a byte, 1 when a text with its length in four bytes before it follows; what is set in the message, as in `changes` |
//! | `q` | a text that a source wants to have read as a message; the answer is a `V` with that message, or without anything |
//! | `t` | the name of the transport of a source |
//! | `x` | a source has ended: a fault, or nothing |
//! | `l` | headers for a request, each with its length in four bytes before it |
//! | `n` | why there are none, or what was wrong with an answer to a request |
//! | `d` | nothing: the batch is done, or the answer to a request was noted; messages without a result were not tried |

use std::io;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Longest frame of the process: its texts are short, and results of the same kind are one run.
pub(crate) const FRAME_BYTES_MAX: usize = 8 << 20;
/// The length and the kind.
const HEADER_BYTES: usize = 5;

/// The first byte of an answer to the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum How {
    /// There is nothing, or what is wrong.
    Nothing = 0,
    /// A value.
    Value = 1,
    /// The name is that of another value.
    Alias = 2,
}

/// Reads a frame into `body`. Returns its kind.
pub(crate) async fn read(input: &mut (impl AsyncRead + Unpin + Send), body: &mut Vec<u8>) -> io::Result<u8> {
    let mut header = [0; HEADER_BYTES];
    input.read_exact(&mut header).await?;
    let [length @ .., kind] = header;
    let length = u32::from_le_bytes(length) as usize;
    if length > FRAME_BYTES_MAX {
        return Err(io::Error::other(format!("an answer of {length} bytes")));
    }
    body.clear();
    body.resize(length, 0);
    input.read_exact(body).await?;
    Ok(kind)
}

/// Begins a frame in `out`; its length follows with [`end`].
pub(crate) fn begin(kind: u8, out: &mut Vec<u8>) {
    out.clear();
    out.extend_from_slice(&[0, 0, 0, 0, kind]);
}

/// Ends a frame that is all of `out`.
pub(crate) fn end(out: &mut [u8]) {
    let length = (out.len() - HEADER_BYTES) as u32;
    out[..4].copy_from_slice(&length.to_le_bytes());
}

/// Writes a frame.
pub(crate) async fn write(
    output: &mut (impl AsyncWrite + Unpin + Send),
    kind: u8,
    body: &[u8],
) -> io::Result<()> {
    let mut frame = Vec::with_capacity(HEADER_BYTES + body.len());
    begin(kind, &mut frame);
    frame.extend_from_slice(body);
    end(&mut frame);
    output.write_all(&frame).await
}

#[cfg(test)]
mod tests;

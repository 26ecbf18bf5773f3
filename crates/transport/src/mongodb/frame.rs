//! Messages of MongoDB's protocol (OP_MSG, since version 3.6).
//!
//! In: a command and its documents; bytes of a server. Out: bytes; the document of an answer. Holds: nothing.
//! Limits: who decodes says how long an answer may be. Compression is never offered, so an answer with it is a breach.

use super::{document::Document, writer::Writer};
use crate::endpoint::Breach;

/// Bytes of the head of a message: its size, its number, that of the message it answers, its kind.
pub const HEAD_BYTES: usize = 16;
const OP_MSG: u32 = 2013;
/// The answer of servers before version 3.6.
const OP_REPLY: u32 = 1;
/// Flags of a message: a checksum follows; more answers will come.
const CHECKSUM: u32 = 1;
const MORE_TO_COME: u32 = 1 << 1;
/// Flags that a receiver must know.
const REQUIRED: u32 = 0xffff;
/// Kinds of sections: a document, a sequence of documents.
const BODY: u8 = 0;
const SEQUENCE: u8 = 1;

/// An answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reply<'a> {
    /// The number of the command that it answers.
    pub to: u32,
    /// Its document.
    pub body: Document<'a>,
}

/// Appends a command of a number; `documents` are whole documents of the argument with this name.
pub fn command(
    number: u32,
    out: &mut Vec<u8>,
    documents: Option<(&str, &[u8])>,
    fill: impl FnOnce(&mut Writer<'_>),
) {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    for word in [number, 0, OP_MSG, 0] {
        out.extend_from_slice(&word.to_le_bytes());
    }
    out.push(BODY);
    Writer::whole(out, fill);
    if let Some((name, documents)) = documents {
        out.push(SEQUENCE);
        let size = (4 + name.len() + 1 + documents.len()) as u32;
        out.extend_from_slice(&size.to_le_bytes());
        out.extend_from_slice(name.as_bytes());
        out.push(0);
        out.extend_from_slice(documents);
    }
    let size = (out.len() - start) as u32;
    out[start..start + 4].copy_from_slice(&size.to_le_bytes());
}

/// Reads an answer of at most `limit` bytes from the beginning of some bytes, and returns its size; `None` when it is not whole.
pub fn decode(bytes: &[u8], limit: usize) -> Result<Option<(Reply<'_>, usize)>, Breach> {
    let Some(head) = bytes.first_chunk::<HEAD_BYTES>() else { return Ok(None) };
    let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    match word(12) {
        OP_MSG => {}
        OP_REPLY => return Err(Breach("it is older than MongoDB 3.6")),
        _ => return Err(Breach("this is no answer of MongoDB")),
    }
    let size = word(0) as usize;
    if size > limit {
        return Err(Breach("its answer is too long"));
    }
    if size < HEAD_BYTES {
        return Err(Breach("an answer is too short"));
    }
    let Some(message) = bytes.get(HEAD_BYTES..size) else { return Ok(None) };
    Ok(Some((Reply { to: word(8), body: body(message)? }, size)))
}

fn body(message: &[u8]) -> Result<Document<'_>, Breach> {
    let (flags, mut rest) = message.split_first_chunk::<4>().ok_or(Breach("an answer is too short"))?;
    let flags = u32::from_le_bytes(*flags);
    if flags & REQUIRED & !CHECKSUM != 0 || flags & MORE_TO_COME != 0 {
        return Err(Breach("an answer has flags that nobody asked for"));
    }
    if flags & CHECKSUM != 0 {
        rest = rest.split_last_chunk::<4>().ok_or(Breach("an answer is too short"))?.0;
    }
    match rest.split_first() {
        Some((&BODY, rest)) => match Document::split(rest)? {
            (document, []) => Ok(document),
            _ => Err(Breach("an answer is longer than its document")),
        },
        _ => Err(Breach("an answer has no document")),
    }
}

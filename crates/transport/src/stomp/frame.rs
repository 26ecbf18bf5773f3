//! Frames of STOMP 1.2.
//!
//! In: commands with headers; bytes of a server. Out: bytes; frames that lie in them. Holds: nothing.
//! Limits: [`HEADERS_MAX`] headers; who decodes says how long a frame may be. No header can have a NUL, so callers check.

use crate::endpoint::Breach;
use std::borrow::Cow;

/// Most headers of a frame of a server.
pub const HEADERS_MAX: usize = 256;

/// The name and the value of a header, resolved.
pub type Header<'a> = (Cow<'a, [u8]>, Cow<'a, [u8]>);

/// A frame of a server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame<'a> {
    /// Its command.
    pub command: &'a [u8],
    /// Its headers in their order.
    pub headers: Vec<Header<'a>>,
    /// Its text.
    pub body: &'a [u8],
}

impl Frame<'_> {
    /// Returns the first header of a name, which is the one that counts.
    pub fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers.iter().find(|(found, _)| **found == *name.as_bytes()).map(|(_, value)| &**value)
    }
}

/// Appends a header. In a login nothing is escaped, so that servers of every version read it.
pub fn login_header(name: &str, value: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(name.as_bytes());
    out.push(b':');
    out.extend(value.bytes().filter(|byte| !matches!(byte, b'\n' | b'\r' | 0)));
    out.push(b'\n');
}

/// Appends a header.
pub fn header(name: &[u8], value: &[u8], out: &mut Vec<u8>) {
    escape(name, out);
    out.push(b':');
    escape(value, out);
    out.push(b'\n');
}

/// Appends the end of a frame, after its headers.
pub fn body(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'\n');
    out.extend_from_slice(text);
    out.push(0);
}

fn escape(text: &[u8], out: &mut Vec<u8>) {
    for &byte in text {
        match byte {
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b':' => out.extend_from_slice(b"\\c"),
            b'\\' => out.extend_from_slice(b"\\\\"),
            byte => out.push(byte),
        }
    }
}

/// Reads a frame of at most `limit` bytes from the beginning of some bytes, and returns how many bytes it had with the line ends
/// before it. `None` when it is not whole.
pub fn decode(bytes: &[u8], limit: usize) -> Result<Option<(Frame<'_>, usize)>, Breach> {
    let mut rest = bytes;
    // Line ends between frames are signs of life.
    while let Some(after) = rest.strip_prefix(b"\n").or_else(|| rest.strip_prefix(b"\r\n")) {
        rest = after;
    }
    match frame(&mut rest) {
        Ok(Some(frame)) => Ok(Some((frame, bytes.len() - rest.len()))),
        Ok(None) if bytes.len() > limit => Err(Breach("its answer is too long")),
        Ok(None) => Ok(None),
        Err(breach) => Err(breach),
    }
}

fn frame<'a>(rest: &mut &'a [u8]) -> Result<Option<Frame<'a>>, Breach> {
    let Some(command) = line(rest) else {
        let is_command = rest.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'\r');
        return if is_command { Ok(None) } else { Err(Breach("this is no server of STOMP")) };
    };
    if command.is_empty() || !command.iter().all(u8::is_ascii_uppercase) {
        return Err(Breach("this is no server of STOMP"));
    }
    let mut headers = Vec::new();
    let mut size = None;
    loop {
        let Some(line) = line(rest) else { return Ok(None) };
        if line.is_empty() {
            break;
        }
        let colon = line.iter().position(|byte| *byte == b':').ok_or(Breach("a header has no colon"))?;
        let (name, value) = (unescaped(&line[..colon])?, unescaped(&line[colon + 1..])?);
        if headers.len() >= HEADERS_MAX {
            return Err(Breach("a frame has too many headers"));
        }
        if *name == *b"content-length" && size.is_none() {
            let number = std::str::from_utf8(&value).ok().and_then(|text| text.parse::<usize>().ok());
            size = Some(number.ok_or(Breach("a length is no number"))?);
        }
        headers.push((name, value));
    }
    let size = match size.or_else(|| rest.iter().position(|byte| *byte == 0)) {
        Some(size) => size,
        None => return Ok(None),
    };
    let Some((body, after)) = rest.split_at_checked(size) else { return Ok(None) };
    match after.split_first() {
        None => Ok(None),
        Some((0, after)) => {
            *rest = after;
            Ok(Some(Frame { command, headers, body }))
        }
        Some(_) => Err(Breach("a text is longer than it says")),
    }
}

/// Takes a line without its end; `None` when it is not whole.
fn line<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    let line = &rest[..end];
    *rest = &rest[end + 1..];
    Some(line.strip_suffix(b"\r").unwrap_or(line))
}

fn unescaped(text: &[u8]) -> Result<Cow<'_, [u8]>, Breach> {
    if !text.contains(&b'\\') {
        return Ok(Cow::Borrowed(text));
    }
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.iter();
    while let Some(&byte) = bytes.next() {
        out.push(match (byte, byte == b'\\') {
            (byte, false) => byte,
            (_, true) => match bytes.next() {
                Some(b'r') => b'\r',
                Some(b'n') => b'\n',
                Some(b'c') => b':',
                Some(b'\\') => b'\\',
                _ => return Err(Breach("a header has an unknown escape")),
            },
        });
    }
    Ok(Cow::Owned(out))
}

//! RELP, the Reliable Event Logging Protocol: frames with answers.
//!
//! In: the bytes of one connection, split anywhere. Out: its frames `TXNR SP COMMAND SP DATALEN [SP DATA] LF`, and
//! in the other direction; the offers of `open`; the code of a response.
//! Holds: the rest of an oversized frame to skip. Never allocates per frame.
//! Limits: numbers of nine digits, commands of [`COMMAND_BYTES_MAX`] letters; data above the reader's limit is cut and
//! skipped, so that a sender does not send the same frame forever. Every other violation
//! is an error, after which the connection must be closed: RELP does not negotiate.

use std::{fmt, io::Write, ops::Range};

/// Longest command.
pub(crate) const COMMAND_BYTES_MAX: usize = 32;

/// Largest transaction number; the next one is 1.
pub(crate) const TXNR_MAX: u32 = 999_999_999;

/// Frames that may be in flight without an answer, as in the reference library.
pub const WINDOW: usize = 128;

/// Digits of a number.
const DIGITS_MAX: usize = 9;

/// The command of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RelpCommand {
    /// The sender begins a session and offers its features.
    Open,
    /// One message.
    Syslog,
    /// The sender ends the session.
    Close,
    /// An answer.
    Response,
    /// The receiver is about to end the session (a hint, number 0).
    ServerClose,
    /// Anything else, for instance `starttls`.
    Other,
}

impl RelpCommand {
    fn of(word: &[u8]) -> RelpCommand {
        match word {
            b"open" => RelpCommand::Open,
            b"syslog" => RelpCommand::Syslog,
            b"close" => RelpCommand::Close,
            b"rsp" => RelpCommand::Response,
            b"serverclose" => RelpCommand::ServerClose,
            _ => RelpCommand::Other,
        }
    }

    /// Returns the word on the wire; `None` for what we never send.
    fn word(self) -> Option<&'static str> {
        Some(match self {
            RelpCommand::Open => "open",
            RelpCommand::Syslog => "syslog",
            RelpCommand::Close => "close",
            RelpCommand::Response => "rsp",
            RelpCommand::ServerClose => "serverclose",
            RelpCommand::Other => return None,
        })
    }
}

/// One frame; its data is a range of the caller's buffer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RelpFrame {
    /// Transaction number; 0 is a hint, which is never answered.
    pub txnr: u32,
    /// The command.
    pub command: RelpCommand,
    /// Range of its data in the buffer.
    pub data: Range<usize>,
    /// The data was longer than the limit: this is its beginning.
    pub cut: bool,
}

/// Error in the bytes of a connection, which must be closed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RelpError {
    /// No number of one to nine digits where the transaction number belongs.
    Number,
    /// Not a command of letters.
    Command,
    /// No length of one to nine digits.
    Length,
    /// No line feed after the data.
    Trailer,
}

impl fmt::Display for RelpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RelpError::Number => "a frame does not begin with a transaction number",
            RelpError::Command => "a frame has no command",
            RelpError::Length => "a frame has no length",
            RelpError::Trailer => "a frame does not end with a line feed",
        })
    }
}

impl std::error::Error for RelpError {}

/// Reads the frames of one connection.
#[derive(Clone, Debug)]
pub struct RelpReader {
    data_bytes_max: usize,
    /// Bytes of a cut frame that are still to come, without its trailer.
    skip: usize,
    /// True while the trailer of a cut frame is expected.
    trailer: bool,
}

/// The fixed part of a frame.
struct Head {
    txnr: u32,
    command: RelpCommand,
    /// Offset of the first byte of data.
    start: usize,
    size: usize,
}

impl RelpReader {
    /// Makes a reader that returns at most `data_bytes_max` bytes of a frame's data.
    pub fn new(data_bytes_max: usize) -> RelpReader {
        RelpReader { data_bytes_max: data_bytes_max.max(1), skip: 0, trailer: false }
    }

    /// Returns the next frame at or after `at`, and the offset after it. Without a whole frame it returns `None` and the
    /// offset of the bytes that must be at the start of the next buffer.
    pub fn next(&mut self, bytes: &[u8], at: usize) -> Result<(Option<RelpFrame>, usize), RelpError> {
        let mut at = at;
        let here = self.skip.min(bytes.len().saturating_sub(at));
        self.skip -= here;
        at += here;
        if self.trailer && self.skip == 0 {
            match bytes.get(at) {
                None => return Ok((None, at)),
                Some(b'\n') => at += 1,
                Some(_) => return Err(RelpError::Trailer),
            }
            self.trailer = false;
        }
        if self.trailer {
            return Ok((None, at));
        }
        let Some(head) = head(bytes, at)? else { return Ok((None, at)) };
        let Head { txnr, command, start, size } = head;
        let kept = size.min(self.data_bytes_max);
        if bytes.len() < start + kept {
            return Ok((None, at));
        }
        let frame = RelpFrame { txnr, command, data: start..start + kept, cut: kept < size };
        let end = start + kept;
        if frame.cut {
            self.skip = size - kept;
            self.trailer = true;
            return Ok((Some(frame), end));
        }
        match bytes.get(end) {
            None => Ok((None, at)),
            Some(b'\n') => Ok((Some(frame), end + 1)),
            Some(_) => Err(RelpError::Trailer),
        }
    }
}

/// Reads up to the data; `None` while that is incomplete.
fn head(bytes: &[u8], at: usize) -> Result<Option<Head>, RelpError> {
    let Some((txnr, at)) = number(bytes, at).map_err(|()| RelpError::Number)? else { return Ok(None) };
    let at = match bytes.get(at) {
        Some(b' ') => at + 1,
        _ => return Err(RelpError::Number),
    };
    let word = bytes[at..].iter().take(COMMAND_BYTES_MAX + 1).take_while(|byte| byte.is_ascii_alphabetic());
    let size = word.count();
    let command = match bytes.get(at + size) {
        _ if size > COMMAND_BYTES_MAX => return Err(RelpError::Command),
        None => return Ok(None),
        Some(b' ') if size > 0 => RelpCommand::of(&bytes[at..at + size]),
        Some(_) => return Err(RelpError::Command),
    };
    let at = at + size + 1;
    let Some((size, at)) = number(bytes, at).map_err(|()| RelpError::Length)? else { return Ok(None) };
    let start = match bytes.get(at) {
        Some(b' ') => at + 1,
        // Without data the blank is left out.
        Some(b'\n') if size == 0 => at,
        _ => return Err(RelpError::Length),
    };
    Ok(Some(Head { txnr, command, start, size: size as usize }))
}

/// Reads a number and returns the offset after it; `None` when its end has not arrived.
fn number(bytes: &[u8], at: usize) -> Result<Option<(u32, usize)>, ()> {
    let digits = bytes.get(at..).unwrap_or_default();
    let count = digits.iter().take(DIGITS_MAX + 1).take_while(|byte| byte.is_ascii_digit()).count();
    if count > DIGITS_MAX {
        return Err(());
    }
    if count == digits.len() {
        return Ok(None);
    }
    if count == 0 {
        return Err(());
    }
    let value = digits[..count].iter().fold(0, |value: u32, digit| value * 10 + u32::from(digit - b'0'));
    Ok(Some((value, at + count)))
}

/// Appends a frame. `Other` is never sent and appends nothing.
pub fn append_relp(txnr: u32, command: RelpCommand, data: &[u8], out: &mut Vec<u8>) {
    let Some(word) = command.word() else { return };
    // Writing to a vector cannot fail.
    let _ = write!(out, "{txnr} {word} {}", data.len());
    if !data.is_empty() {
        out.push(b' ');
        out.extend_from_slice(data);
    }
    out.push(b'\n');
}

/// Returns the number after this one.
pub fn next_txnr(txnr: u32) -> u32 {
    if txnr >= TXNR_MAX { 1 } else { txnr + 1 }
}

/// Version of the protocol that a sender offers. The text of the protocol calls it experimental, and the reference
/// library has never offered another: its sender even refuses an answer with 1.
pub const RELP_VERSION: u8 = 0;

/// Returns the offers of an `open` and of its answer: protocol version, our name, the one command that matters.
pub fn relp_offers(relp: u8, software: &str) -> String {
    format!("relp_version={relp}\nrelp_software=duramen,{software}\ncommands=syslog")
}

/// Error in an `open` or its answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OfferError {
    /// `relp_version` is missing or neither 0 nor 1.
    Version,
    /// `commands` does not have `syslog`.
    NoSyslog,
}

impl fmt::Display for OfferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OfferError::Version => "the peer speaks no version of RELP that is known here",
            OfferError::NoSyslog => "the peer does not offer the command syslog",
        })
    }
}

/// Checks that the peer's offers, one per line, `NAME=VALUE[,VALUE]`, are acceptable. Returns the protocol version.
pub fn check_offers(data: &[u8]) -> Result<u8, OfferError> {
    let value = |name: &str| {
        data.split(|byte| *byte == b'\n').find_map(|line| {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            line.strip_prefix(name.as_bytes())?.strip_prefix(b"=")
        })
    };
    let version = match value("relp_version") {
        Some(b"0") => 0,
        Some(b"1") => 1,
        _ => return Err(OfferError::Version),
    };
    let has_syslog = |commands: &[u8]| commands.split(|byte| *byte == b',').any(|word| word == b"syslog");
    match value("commands") {
        Some(commands) if has_syslog(commands) => Ok(version),
        _ => Err(OfferError::NoSyslog),
    }
}

/// Returns the code and the rest of a response: `200 OK[LF data]`. No code counts as an error.
pub fn relp_response(data: &[u8]) -> (u16, &[u8]) {
    let digits = data.iter().take(3).take_while(|byte| byte.is_ascii_digit()).count();
    let code = data[..digits].iter().fold(0, |code, digit| code * 10 + u16::from(digit - b'0'));
    let rest = &data[digits..];
    (if digits == 3 { code } else { 500 }, rest.strip_prefix(b" ").unwrap_or(rest))
}

#[cfg(test)]
mod tests;

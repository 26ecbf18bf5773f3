//! Frames: where one message ends and the next begins.
//!
//! In: the bytes of one connection, split anywhere, or one datagram. Out: ranges of complete frames in the caller's
//! buffer, and the number of bytes used; the caller keeps the rest in front of the next read.
//! Holds: the part of an oversized frame that is still to be skipped, and how far a partial line was searched.
//! Limits: a frame is at most `message_bytes_max` bytes; a longer one is cut and marked, and its rest is
//! skipped unless [`Oversize::Split`] is set. The rest that a caller must carry never exceeds that limit
//! plus [`COUNT_DIGITS_MAX`] + 1 bytes.

mod blocks;
mod count;
mod counted;
mod datagram;
mod delimiter;
mod joined;
mod joining;
mod lines;
mod multiline;
mod record;

use delimiter::Delimiter;
use joining::Joining;
use message::{Mark, Marks};
use std::sync::Arc;

pub use count::{COUNT_DIGITS_MAX, COUNT_MAX};
pub use multiline::{Joined, Joiner, LinePattern, LineUse, MultiLine, Preceding};
pub use record::split_record;

/// Default of `log-msg-size()`.
pub const MESSAGE_BYTES_MAX: usize = 65_536;

/// How messages are separated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Framing {
    /// `COUNT SP MESSAGE` (RFC 6587, section 3.4.1; RFC 5425).
    OctetCounted,
    /// A line feed or a NUL after each (RFC 6587, section 3.4.2): syslog-ng's `transport(tcp)`.
    Newline,
    /// A line feed after each, and NULs within are text: `transport(text-with-nuls)`.
    NewlineOnly,
    /// A NUL after each, and line feeds within are text: `transport(nul-terminated)`.
    Nul,
    /// Octet-counted or newline, decided for each frame: on a connection that begins with a count, anything may be
    /// counted; on others, a number is a count only before `<`, because many lines without PRI begin with a number.
    Auto,
    /// One message in each block of `n` bytes, padded with zero bytes.
    Blocks(usize),
    /// One message in each record of `n` bytes.
    Records(usize),
    /// One message is one datagram (RFC 5426).
    Datagram,
}

/// The treatment of a line above the limit. With [`Framing::OctetCounted`] and [`Framing::Auto`] frames are always cut:
/// the bytes after a cut could be taken for a count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Oversize {
    /// The first part is the message, the rest is skipped (`trim-large-messages(yes)`).
    #[default]
    Cut,
    /// The rest becomes further messages.
    Split,
}

/// One whole frame: a range of the caller's buffer, without its framing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// Oddities of the framing.
    pub marks: Marks,
}

/// Splits the bytes of one connection into frames.
#[derive(Clone, Debug)]
pub struct Framer {
    framing: Framing,
    message_bytes_max: usize,
    oversize: Oversize,
    skip: Skip,
    /// With [`Framing::Auto`]: true when the connection began with a count; `None` before its first frame.
    began_counted: Option<bool>,
    /// Number of bytes of the partial line at the start of the next buffer that are known to hold no delimiter.
    searched: usize,
    /// True when frames without text are messages, too.
    keeps_empty: bool,
    /// Lines are joined to messages.
    joining: Option<Box<Joining>>,
}

/// The part of a cut frame that is still to be skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Skip {
    Nothing,
    /// Up to and including the next delimiter.
    Line,
    /// This number of bytes.
    Bytes(u64),
}

impl Framer {
    /// Makes a framer for one connection. A limit of 0 counts as 1.
    pub fn new(framing: Framing, message_bytes_max: usize, oversize: Oversize) -> Framer {
        let message_bytes_max = message_bytes_max.max(1);
        let oversize = match framing {
            Framing::OctetCounted | Framing::Auto => Oversize::Cut,
            _ => oversize,
        };
        Framer {
            framing,
            message_bytes_max,
            oversize,
            skip: Skip::Nothing,
            began_counted: None,
            searched: 0,
            keeps_empty: false,
            joining: None,
        }
    }

    /// Takes empty lines and empty counted frames as messages: `flags(empty-lines)`.
    pub fn keeping_empty(self) -> Framer {
        Framer { keeps_empty: true, ..self }
    }

    /// Joins lines to messages. Only for [`Framing::Newline`]: elsewhere a frame has its own end.
    pub fn joining(mut self, mode: Arc<MultiLine>) -> Framer {
        if self.framing == Framing::Newline {
            self.joining = Some(Box::new(Joining::new(Joiner::new(mode))));
        }
        self
    }

    /// Appends the complete frames of `bytes`, and returns the number of bytes used. The rest must be at the
    /// start of `bytes` in the next call, followed by what was read since.
    pub fn split(&mut self, bytes: &[u8], frames: &mut Vec<Frame>) -> usize {
        if let Some(mut joining) = self.joining.take() {
            let done = self.split_joined(&mut joining, bytes, frames);
            self.joining = Some(joining);
            return done;
        }
        match self.framing {
            Framing::Newline => self.split_lines(bytes, Delimiter::Either, frames),
            Framing::NewlineOnly => self.split_lines(bytes, Delimiter::LineFeed, frames),
            Framing::Nul => self.split_lines(bytes, Delimiter::Nul, frames),
            Framing::OctetCounted | Framing::Auto => self.split_counted(bytes, frames),
            Framing::Blocks(size) => self.split_blocks(bytes, size, frames),
            Framing::Records(size) => self.split_records(bytes, size, frames),
            Framing::Datagram => self.split_datagram(bytes, frames),
        }
    }

    /// Ends the connection: the bytes that `split` left are the last frame, marked when its end is missing.
    pub fn finish(&mut self, rest: &[u8], frames: &mut Vec<Frame>) {
        let skip = std::mem::replace(&mut self.skip, Skip::Nothing);
        self.searched = 0;
        if let Some(mut joining) = self.joining.take() {
            if skip == Skip::Nothing {
                self.finish_joined(&mut joining, rest, frames);
            }
            self.joining = Some(joining);
            return;
        }
        if skip != Skip::Nothing || self.framing == Framing::Datagram || rest.is_empty() {
            return;
        }
        if let Framing::Blocks(_) = self.framing {
            return self.push_padded(rest, 0, rest.len(), frames);
        }
        if let Framing::Records(_) = self.framing {
            let mut marks = Marks::NONE;
            marks.add(Mark::Truncated);
            return frames.push(Frame { start: 0, end: rest.len(), marks });
        }
        let mut marks = Marks::NONE;
        if matches!(self.framing, Framing::OctetCounted | Framing::Auto) {
            if let count::Count::Of { header, .. } = self.count_at(rest) {
                marks.add(Mark::Truncated);
                return self.push_block(rest, header, rest.len(), marks, frames);
            }
            if self.framing == Framing::OctetCounted {
                marks.add(Mark::BadFrame);
            }
        }
        self.push_line(rest, 0, rest.len(), marks, frames);
    }

    /// Adds a line without its carriage return and trailing NULs.
    #[inline]
    fn push_line(&self, bytes: &[u8], start: usize, end: usize, marks: Marks, frames: &mut Vec<Frame>) {
        self.push(Frame { start, end, marks }, bytes, frames, |byte| matches!(byte, b'\r' | b'\n' | 0));
    }

    /// Adds a frame of known size. Line feeds and NULs at its end are dropped.
    #[inline]
    fn push_block(&self, bytes: &[u8], start: usize, end: usize, marks: Marks, frames: &mut Vec<Frame>) {
        self.push(Frame { start, end, marks }, bytes, frames, |byte| matches!(byte, b'\n' | 0));
    }

    /// Cuts a frame at the limit, trims and adds it; empty ones carry no message and are left out unless they are kept.
    #[inline]
    fn push(&self, frame: Frame, bytes: &[u8], frames: &mut Vec<Frame>, trims: fn(u8) -> bool) {
        let mut frame = frame;
        if frame.end - frame.start > self.message_bytes_max {
            frame.end = frame.start + self.message_bytes_max;
            frame.marks.add(Mark::Truncated);
        }
        while frame.end > frame.start && trims(bytes[frame.end - 1]) {
            frame.end -= 1;
        }
        if frame.end > frame.start || self.keeps_empty {
            frames.push(frame);
        }
    }
}

#[cfg(test)]
mod tests;

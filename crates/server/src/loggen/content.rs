//! The messages to send: generated ones, or the lines of a file.
//!
//! In: options. Out: framed messages, appended to a buffer. Holds: the file's lines in memory.
//! Limits: a file of at most [`FILE_BYTES_MAX`]; generated messages of at most 1 MiB.

use super::Options;
use std::{
    fs,
    io::{self, Read, Write},
    path::Path,
    process,
};

/// Largest file that is read: it is held in memory.
const FILE_BYTES_MAX: u64 = 4 << 30;
/// Largest generated message.
const SIZE_MAX: usize = 1 << 20;
/// Text that fills a message up to its size.
const PADDING: &[u8] = b"PADD";

/// The messages of a run, shared by its connections.
pub(super) struct Content {
    kind: Kind,
    framing: Framing,
}

/// The form in which messages follow each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Framing {
    /// An octet count before each (RFC 6587, 3.4.1).
    OctetCount,
    /// A line feed after each.
    LineFeed,
    /// A datagram for each: no framing at all.
    Datagram,
}

impl Framing {
    fn of(options: &Options) -> Framing {
        match (options.dgram, options.syslog_proto && !options.no_framing) {
            (true, _) => Framing::Datagram,
            (false, true) => Framing::OctetCount,
            (false, false) => Framing::LineFeed,
        }
    }
}

enum Kind {
    /// Lines, framed when read, back to back with their ends.
    File(Lines),
    /// Messages made as they are sent.
    Generated(Shape),
}

/// The lines of a file.
struct Lines {
    framed: Vec<u8>,
    ends: Vec<usize>,
    /// True to start again at the end.
    repeat: bool,
}

/// The position of one connection in the content.
pub(super) struct Cursor {
    thread: usize,
    sequence: u64,
    line: usize,
}

impl Content {
    pub(super) fn new(options: &Options) -> io::Result<Content> {
        let framing = Framing::of(options);
        let kind = match &options.read_file {
            Some(path) => {
                // Lines that are sent unchanged have their own framing.
                let is_own = options.dont_parse && framing == Framing::OctetCount;
                Kind::File(Lines::read(path, options, if is_own { Framing::LineFeed } else { framing })?)
            }
            None => Kind::Generated(Shape {
                size: options.size.min(SIZE_MAX),
                rfc5424: options.syslog_proto,
                sdata: options.sdata.clone().unwrap_or_else(|| "-".into()),
                run: process::id(),
            }),
        };
        Ok(Content { kind, framing })
    }

    /// Returns the start, for one connection.
    pub(super) fn cursor(&self, thread: usize) -> Cursor {
        Cursor { thread, sequence: 0, line: 0 }
    }

    /// Appends up to `count` messages, or as many as `bytes` allow, and returns their number. 0 means the end
    /// of the file.
    pub(super) fn append(&self, cursor: &mut Cursor, count: u64, bytes: usize, out: &mut Vec<u8>) -> u64 {
        match &self.kind {
            Kind::File(lines) => lines.append(cursor, count, bytes, out),
            Kind::Generated(shape) => {
                let limit = out.len() + bytes;
                let now = jiff::Zoned::now().strftime("%Y-%m-%dT%H:%M:%S%:z").to_string();
                let mut made = 0;
                while made < count && (out.len() < limit || made == 0) {
                    frame(&shape.message(cursor, &now), self.framing, out);
                    made += 1;
                }
                made
            }
        }
    }
}

/// The form of generated messages.
struct Shape {
    size: usize,
    rfc5424: bool,
    sdata: String,
    run: u32,
}

impl Shape {
    /// Returns the next message of a connection, padded or cut to the size.
    fn message(&self, cursor: &mut Cursor, now: &str) -> Vec<u8> {
        let (thread, sequence, run) = (cursor.thread, cursor.sequence, self.run);
        cursor.sequence += 1;
        let tail =
            format!("seq: {sequence:010}, thread: {thread:04}, runid: {run:<10}, stamp: {:<19} ", &now[..19]);
        let header = match self.rfc5424 {
            true => format!("<38>1 {now} localhost prg{thread:05} 1234 - {} \u{feff}{tail}", self.sdata),
            false => format!("<38>{} localhost prg{thread:05}[1234]: {tail}", &now[..19]),
        };
        let mut message = header.into_bytes();
        while message.len() < self.size {
            let rest = (self.size - message.len()).min(PADDING.len());
            message.extend_from_slice(&PADDING[..rest]);
        }
        message.truncate(self.size.max(1));
        message
    }
}

fn frame(message: &[u8], framing: Framing, out: &mut Vec<u8>) {
    if framing == Framing::OctetCount {
        // Writing to a vector cannot fail.
        let _ = write!(out, "{} ", message.len());
    }
    out.extend_from_slice(message);
    if framing == Framing::LineFeed {
        out.push(b'\n');
    }
}

impl Lines {
    /// Reads a file and frames its lines.
    fn read(path: &Path, options: &Options, framing: Framing) -> io::Result<Lines> {
        let mut text = Vec::new();
        let named = |error: io::Error| {
            io::Error::new(error.kind(), format!("cannot read {}: {error}", path.display()))
        };
        if path == Path::new("-") {
            io::stdin().take(FILE_BYTES_MAX).read_to_end(&mut text)?;
        } else {
            fs::File::open(path)
                .map_err(named)?
                .take(FILE_BYTES_MAX)
                .read_to_end(&mut text)
                .map_err(named)?;
        }
        let (mut framed, mut ends) = (Vec::with_capacity(text.len() + text.len() / 64), Vec::new());
        for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let line = skip_tokens(line, options.skip_tokens);
            if options.dont_parse || line.starts_with(b"<") {
                frame(line, framing, &mut framed);
            } else {
                let mut message = match options.syslog_proto {
                    true => b"<38>1 - localhost loggen - - - ".to_vec(),
                    false => b"<38>".to_vec(),
                };
                message.extend_from_slice(line);
                frame(&message, framing, &mut framed);
            }
            ends.push(framed.len());
        }
        if ends.is_empty() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("{} has no lines", path.display()),
            ));
        }
        Ok(Lines { framed, ends, repeat: options.loop_reading })
    }

    /// Appends whole lines from the cursor on.
    fn append(&self, cursor: &mut Cursor, count: u64, bytes: usize, out: &mut Vec<u8>) -> u64 {
        let Lines { framed, ends, repeat } = self;
        if cursor.line == ends.len() {
            if !*repeat {
                return 0;
            }
            cursor.line = 0;
        }
        let start = cursor.line.checked_sub(1).map_or(0, |before| ends[before]);
        let by_bytes = ends.partition_point(|end| *end <= start + bytes);
        let by_count = cursor.line.saturating_add(usize::try_from(count).unwrap_or(usize::MAX));
        let last = by_bytes.min(by_count).clamp(cursor.line + 1, ends.len());
        out.extend_from_slice(&framed[start..ends[last - 1]]);
        let sent = last - cursor.line;
        cursor.line = last;
        sent as u64
    }
}

fn skip_tokens(mut line: &[u8], count: usize) -> &[u8] {
    for _ in 0..count {
        match line.iter().position(|byte| *byte == b' ') {
            Some(blank) => line = &line[blank + 1..],
            None => return b"",
        }
    }
    line
}

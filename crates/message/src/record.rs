//! One message: a fixed-size record of spans in its batch.
//!
//! In: what a decoder found. Out: the same. Holds: no bytes of its own.

mod list;
mod marks;
mod priority;
mod span;
mod stamp;
mod value;

pub use list::{append_after as list_append, elements as list_elements};
pub use marks::{Mark, Marks};
pub use priority::{Facility, Priority, Severity};
pub use span::Span;
pub use stamp::{Stamp, ZoneQuality};
pub use value::{Value, ValueKind};

/// The dialect in which a message was read (`${MSGFORMAT}`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
#[repr(u8)]
pub enum Format {
    /// Not parsed (`flags(no-parse)`): the whole frame is the text.
    #[default]
    Raw,
    /// RFC 3164 or what resembles it.
    Rfc3164,
    /// RFC 5424.
    Rfc5424,
    /// Made by Duramen itself.
    Internal,
    /// A record of the kernel (`/dev/kmsg`).
    DevKmsg,
    /// An entry of the systemd journal.
    Journal,
}

impl Format {
    /// Returns the text of `${MSGFORMAT}`.
    pub fn name(self) -> &'static str {
        match self {
            Format::Raw => "raw",
            Format::Rfc3164 => "rfc3164",
            Format::Rfc5424 => "rfc5424",
            Format::Internal => "internal",
            Format::DevKmsg => "linux:devkmsg",
            Format::Journal => "linux:journald",
        }
    }
}

/// A decoded message. All spans point into the batch that holds it.
#[derive(Clone, Debug, Default)]
pub struct Message {
    /// The frame as received, without its framing.
    pub raw: Span,
    /// `${HOST}`; empty when unknown.
    pub host: Span,
    /// `${PROGRAM}`, APP-NAME in RFC 5424.
    pub program: Span,
    /// `${PID}`, PROCID in RFC 5424.
    pub pid: Span,
    /// `${MSGID}`.
    pub msgid: Span,
    /// `${LEGACY_MSGHDR}`: the tag as received, with its colon and blank. Empty when it must be built from program and
    /// pid.
    pub msghdr: Span,
    /// `${SDATA}` as received, brackets included; empty for NIL. Read it with [`crate::sd_params`].
    pub sdata: Span,
    /// `${MESSAGE}`.
    pub text: Span,
    /// The sender's time.
    pub event: Stamp,
    /// Facility and severity.
    pub pri: Priority,
    /// Dialect.
    pub format: Format,
    /// Oddities that the decoder found.
    pub marks: Marks,
    /// True when the text is known to be UTF-8: it began with a BOM, or was checked, or the source says so.
    pub utf8: bool,
    /// Index of the sender in the batch's origins.
    pub origin: u16,
    /// Index of the message's newest name-value pair in the batch's list, plus one; 0 when there is none.
    pub(crate) values: u32,
}

impl Message {
    /// Returns all its spans in the batch, to move them.
    pub(crate) fn spans_mut(&mut self) -> [&mut Span; 8] {
        [
            &mut self.raw,
            &mut self.host,
            &mut self.program,
            &mut self.pid,
            &mut self.msgid,
            &mut self.msghdr,
            &mut self.sdata,
            &mut self.text,
        ]
    }
}

//! What was odd about a message: a set of marks, each shown as the tag that syslog-ng gives it.
//!
//! In: marks. Out: tag names. Holds: 32 bits. No input is refused; it is marked.

/// One oddity. The discriminant is the bit, stored on disk: append only.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum Mark {
    /// No `<PRI>`; 13 was assumed.
    MissingPri = 0,
    /// `<PRI>` is there but is not 0 to 191.
    InvalidPri = 1,
    /// No time in the header; the received time was used.
    MissingTimestamp = 2,
    /// RFC 3164 text without host and program.
    MissingHeader = 3,
    /// The host name holds characters that `check-hostname()` refuses.
    InvalidHostname = 4,
    /// RFC 5424 structured data is malformed.
    InvalidSdata = 5,
    /// RFC 5424 was expected, RFC 3164 was found.
    NotRfc5424 = 6,
    /// The message was longer than the limit and was cut.
    Truncated = 7,
    /// Bytes that are not UTF-8 were replaced.
    Utf8Sanitized = 8,
    /// The frame's octet count was wrong.
    BadFrame = 9,
    /// The bytes are not valid UTF-8 (kept as they are).
    InvalidUtf8 = 10,
    /// The header could not be read at all.
    ParseError = 11,
    /// A blank was missing after the PRI's version, or another separator of RFC 5424 was wrong.
    UnexpectedFraming = 12,
    /// NUL bytes are in the message.
    Nul = 13,
    /// RFC 3164 text with a time but without host or program.
    MissingMessage = 14,
    /// The time of RFC 5424 could not be read.
    InvalidTimestamp = 15,
}

const TAGS: [(Mark, &str); 16] = [
    (Mark::MissingPri, "syslog.missing_pri"),
    (Mark::InvalidPri, "syslog.invalid_pri"),
    (Mark::MissingTimestamp, "syslog.missing_timestamp"),
    (Mark::MissingHeader, "syslog.rfc3164_missing_header"),
    (Mark::InvalidHostname, "syslog.invalid_hostname"),
    (Mark::InvalidSdata, "syslog.rfc5424_invalid_sdata"),
    (Mark::NotRfc5424, "syslog.rfc5424_missing_header"),
    (Mark::Truncated, "syslog.truncated"),
    (Mark::Utf8Sanitized, "message.utf8_sanitized"),
    (Mark::BadFrame, "syslog.unexpected_framing"),
    (Mark::InvalidUtf8, "syslog.invalid_utf8"),
    (Mark::ParseError, "message.parse_error"),
    (Mark::UnexpectedFraming, "syslog.unexpected_framing"),
    (Mark::Nul, "syslog.nul"),
    (Mark::MissingMessage, "syslog.missing_message"),
    (Mark::InvalidTimestamp, "syslog.rfc5424_unquoted_sdata_value"),
];

/// The set of marks of one message.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Marks(pub u32);

impl Marks {
    /// No mark.
    pub const NONE: Marks = Marks(0);

    /// Adds one.
    #[inline]
    pub fn add(&mut self, mark: Mark) {
        self.0 |= 1 << mark as u8;
    }

    /// Whether it is there.
    #[inline]
    pub fn has(self, mark: Mark) -> bool {
        self.0 & (1 << mark as u8) != 0
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The tags of the set, in bit order.
    pub fn tags(self) -> impl Iterator<Item = &'static str> {
        TAGS.iter().filter(move |(mark, _)| self.has(*mark)).map(|(_, tag)| *tag)
    }
}

impl std::fmt::Debug for Marks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.tags()).finish()
    }
}

//! The oddities of a message: a set of marks, each shown as the tag that syslog-ng uses for it.
//!
//! In: marks. Out: tag names. Holds: 32 bits. No input is refused; it is marked.

/// One oddity. The discriminant is the bit, stored on disk: append only.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum Mark {
    /// No `<PRI>`; 13 was assumed.
    MissingPri = 0,
    /// `<PRI>` is there but is not 0 to 191; 13 was assumed.
    InvalidPri = 1,
    /// No time in the header; the received time was used.
    MissingTimestamp = 2,
    /// RFC 3164 text without time and host.
    MissingHeader = 3,
    /// The bytes at the position of the host name are not a host name.
    InvalidHostname = 4,
    /// RFC 5424 structured data is malformed.
    InvalidSdata = 5,
    /// The tag holds characters that `check-program()` refuses.
    InvalidProgram = 6,
    /// The message was longer than the limit and was cut.
    Truncated = 7,
    /// Bytes that are not UTF-8 were replaced.
    Utf8Sanitized = 8,
    /// The stream should have been octet-counted, but there was no usable count before the message.
    BadFrame = 9,
    /// With `validate-utf8`: the text is not valid UTF-8 (kept as it is).
    InvalidUtf8 = 10,
    /// The header could not be read at all.
    ParseError = 11,
    /// The message itself begins with an octet count: its sender uses framing, its source does not.
    UnexpectedFraming = 12,
    /// RFC 5424 ends before the structured data.
    MissingSdata = 13,
    /// No blank between the structured data and the message of RFC 5424.
    MissingMessage = 14,
    /// A value in the structured data of RFC 5424 has no quotes.
    UnquotedSdata = 15,
    /// RFC 5424 ends before the host name.
    MissingHostname = 16,
    /// RFC 5424 ends before APP-NAME.
    MissingAppName = 17,
    /// RFC 5424 ends before PROCID.
    MissingProcid = 18,
    /// RFC 5424 ends before MSGID.
    MissingMsgid = 19,
    /// A parser found more values than a message may have, or nested too deeply; the rest was left out.
    ValuesCut = 20,
}

/// The tags in the order in which syslog-ng lists them in `${TAGS}`.
const TAGS: [(Mark, &str); 21] = [
    (Mark::Utf8Sanitized, "message.utf8_sanitized"),
    (Mark::ParseError, "message.parse_error"),
    (Mark::MissingPri, "syslog.missing_pri"),
    (Mark::MissingTimestamp, "syslog.missing_timestamp"),
    (Mark::InvalidHostname, "syslog.invalid_hostname"),
    (Mark::UnexpectedFraming, "syslog.unexpected_framing"),
    (Mark::MissingHeader, "syslog.rfc3164_missing_header"),
    (Mark::UnquotedSdata, "syslog.rfc5424_unquoted_sdata_value"),
    (Mark::InvalidPri, "syslog.invalid_pri"),
    (Mark::InvalidProgram, "syslog.rfc3164_invalid_program"),
    (Mark::InvalidSdata, "syslog.rfc5424_invalid_sdata"),
    (Mark::MissingMessage, "syslog.missing_message"),
    (Mark::MissingHostname, "syslog.rfc5424_missing_hostname"),
    (Mark::MissingAppName, "syslog.rfc5424_missing_app_name"),
    (Mark::MissingProcid, "syslog.rfc5424_missing_procid"),
    (Mark::MissingMsgid, "syslog.rfc5424_missing_msgid"),
    (Mark::MissingSdata, "syslog.rfc5424_missing_sdata"),
    (Mark::Truncated, "syslog.truncated"),
    (Mark::BadFrame, "syslog.bad_frame"),
    (Mark::InvalidUtf8, "syslog.invalid_utf8"),
    (Mark::ValuesCut, "parser.values_cut"),
];

/// The set of marks of one message.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Marks(pub u32);

impl Marks {
    /// No mark.
    pub const NONE: Marks = Marks(0);

    /// Adds a mark.
    #[inline]
    pub fn add(&mut self, mark: Mark) {
        self.0 |= 1 << mark as u8;
    }

    /// Returns true when the mark is set.
    #[inline]
    pub fn has(self, mark: Mark) -> bool {
        self.0 & (1 << mark as u8) != 0
    }

    /// Returns true when no mark is set.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns true when a tag is the tag of a mark.
    pub fn has_tag(tag: &str) -> bool {
        TAGS.iter().any(|(_, known)| *known == tag)
    }

    /// Returns the tags of the set, in the order of syslog-ng.
    pub fn tags(self) -> impl Iterator<Item = &'static str> {
        TAGS.iter().filter(move |(mark, _)| self.has(*mark)).map(|(_, tag)| *tag)
    }
}

impl std::fmt::Debug for Marks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.tags()).finish()
    }
}

//! The `flags()` of a source that change how its bytes are read.
//!
//! In: names, with `-` or `_`. Out: a set. Holds: 32 bits, so that any number is a valid set.
//! Limits: flags that concern the connection (`threaded`, `ignore-aux-data`) belong to the listener.

/// A set of parse flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct ParseFlags(pub u32);

/// A name that is not a parse flag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownFlag;

impl std::fmt::Display for UnknownFlag {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("unknown source flag")
    }
}

impl std::error::Error for UnknownFlag {}

impl ParseFlags {
    /// The whole frame is the text.
    pub const NO_PARSE: ParseFlags = ParseFlags(1);
    /// RFC 5424 is expected; a message that does not begin like that is read as RFC 3164.
    pub const SYSLOG_PROTOCOL: ParseFlags = ParseFlags(1 << 1);
    /// After the PRI comes the text at once (RFC 3164 only).
    pub const NO_HEADER: ParseFlags = ParseFlags(1 << 2);
    /// RFC 3164 has a host name after the time. On by default.
    pub const EXPECT_HOSTNAME: ParseFlags = ParseFlags(1 << 3);
    /// Line ends within the text become blanks.
    pub const NO_MULTI_LINE: ParseFlags = ParseFlags(1 << 4);
    /// The sender's text is UTF-8, unchecked.
    pub const ASSUME_UTF8: ParseFlags = ParseFlags(1 << 5);
    /// Checks the text; valid text is known to be UTF-8 from then on.
    pub const VALIDATE_UTF8: ParseFlags = ParseFlags(1 << 6);
    /// Like validate-utf8, but escapes the bytes of text that is not UTF-8.
    pub const SANITIZE_UTF8: ParseFlags = ParseFlags(1 << 7);
    /// Host names hold letters, digits and `-_.:@/` only.
    pub const CHECK_HOSTNAME: ParseFlags = ParseFlags(1 << 8);
    /// Programs hold letters, digits and `.-_()/` only, and at least one letter.
    pub const CHECK_PROGRAM: ParseFlags = ParseFlags(1 << 9);
    /// `${RAWMSG}` is shown. The raw bytes are in the batch anyway.
    pub const STORE_RAW_MESSAGE: ParseFlags = ParseFlags(1 << 10);
    /// `${LEGACY_MSGHDR}` holds the tag as received. On by default.
    pub const STORE_LEGACY_MSGHDR: ParseFlags = ParseFlags(1 << 11);
    /// The zone is guessed from the difference between the sender's clock and ours.
    pub const GUESS_TIMEZONE: ParseFlags = ParseFlags(1 << 12);
    /// With syslog-protocol: other messages than RFC 5424 are not read as RFC 3164 either.
    pub const NO_RFC3164_FALLBACK: ParseFlags = ParseFlags(1 << 13);
    /// A line that cannot be parsed becomes an error message of our own that quotes it. On by default.
    pub const PIGGYBACK_ERRORS: ParseFlags = ParseFlags(1 << 14);
    /// The kernel's own messages: without PRI they are kern.notice, without time their program is `kernel`.
    pub const KERNEL: ParseFlags = ParseFlags(1 << 15);
    /// The source is on this machine: facility kern without time is program `kernel`.
    pub const LOCAL: ParseFlags = ParseFlags(1 << 16);

    const NAMES: [(&'static str, ParseFlags, bool); 19] = [
        ("no-parse", ParseFlags::NO_PARSE, true),
        ("syslog-protocol", ParseFlags::SYSLOG_PROTOCOL, true),
        ("no-header", ParseFlags::NO_HEADER, true),
        ("expect-hostname", ParseFlags::EXPECT_HOSTNAME, true),
        ("no-hostname", ParseFlags::EXPECT_HOSTNAME, false),
        ("no-multi-line", ParseFlags::NO_MULTI_LINE, true),
        ("assume-utf8", ParseFlags::ASSUME_UTF8, true),
        ("validate-utf8", ParseFlags::VALIDATE_UTF8, true),
        ("sanitize-utf8", ParseFlags::SANITIZE_UTF8, true),
        ("check-hostname", ParseFlags::CHECK_HOSTNAME, true),
        ("check-program", ParseFlags::CHECK_PROGRAM, true),
        ("store-raw-message", ParseFlags::STORE_RAW_MESSAGE, true),
        ("store-legacy-msghdr", ParseFlags::STORE_LEGACY_MSGHDR, true),
        ("dont-store-legacy-msghdr", ParseFlags::STORE_LEGACY_MSGHDR, false),
        ("guess-timezone", ParseFlags::GUESS_TIMEZONE, true),
        ("no-rfc3164-fallback", ParseFlags::NO_RFC3164_FALLBACK, true),
        ("piggyback-errors", ParseFlags::PIGGYBACK_ERRORS, true),
        ("no-piggyback-errors", ParseFlags::PIGGYBACK_ERRORS, false),
        ("kernel", ParseFlags::KERNEL, true),
    ];

    /// Returns true when all flags of `other` are set.
    #[inline]
    pub fn has(self, other: ParseFlags) -> bool {
        self.0 & other.0 == other.0
    }

    /// This set and those of `other`.
    pub const fn with(self, other: ParseFlags) -> ParseFlags {
        ParseFlags(self.0 | other.0)
    }

    /// This set without those of `other`.
    pub const fn without(self, other: ParseFlags) -> ParseFlags {
        ParseFlags(self.0 & !other.0)
    }

    /// Applies one name of `flags()`.
    pub fn apply(&mut self, name: &str) -> Result<(), UnknownFlag> {
        let name = name.replace('_', "-");
        let (_, flag, on) = ParseFlags::NAMES.iter().find(|row| row.0 == name).ok_or(UnknownFlag)?;
        *self = if *on { self.with(*flag) } else { self.without(*flag) };
        Ok(())
    }

    /// Returns every name that `apply` knows.
    pub fn names() -> impl Iterator<Item = &'static str> {
        ParseFlags::NAMES.iter().map(|row| row.0)
    }
}

impl Default for ParseFlags {
    fn default() -> ParseFlags {
        ParseFlags::EXPECT_HOSTNAME.with(ParseFlags::STORE_LEGACY_MSGHDR).with(ParseFlags::PIGGYBACK_ERRORS)
    }
}

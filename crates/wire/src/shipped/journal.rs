//! The export format of the systemd journal, as `systemd-journal-upload` sends it.
//!
//! In: complete entries at the start of some bytes. Out: a message per entry, every field of it a pair `.journald.NAME`
//! that is a slice of the bytes. Holds: nothing.
//! Limits: a body may end inside an entry: the number of bytes read is returned.

use super::{
    ShippedReader,
    entry::known::KnownField,
    entry::{Datum, Entries},
};
use message::{Batch, Format, Span, Stamp};
use std::ops::Range;

type Fields = Vec<(Range<usize>, Range<usize>)>;

impl ShippedReader {
    /// Reads the complete entries, and returns their length in bytes. Call it with bytes that end with a complete
    /// entry, as [`ShippedReader::journal_size`] finds it, so that the batch holds no more than its messages.
    pub fn journal(&mut self, batch: &mut Batch, origin: u16) -> usize {
        let body = batch.received_bytes.clone();
        let mut entries = self.entries(batch, origin);
        let mut at = 0;
        while let Some((fields, end)) = entry(&body, at) {
            if !fields.is_empty() {
                push(&body, at..end, &fields, &mut entries);
            }
            at = end;
        }
        at
    }

    /// Returns the length of the complete entries.
    pub fn journal_size(bytes: &[u8]) -> usize {
        let mut at = 0;
        while let Some((_, end)) = entry(bytes, at) {
            at = end;
        }
        at
    }
}

/// Reads the fields of the entry at `at`, and returns the offset after it; `None` when its end has not arrived.
fn entry(bytes: &[u8], mut at: usize) -> Option<(Fields, usize)> {
    let mut fields = Fields::new();
    loop {
        let end = at + memchr::memchr(b'\n', bytes.get(at..)?)?;
        let line = at..end;
        at = end + 1;
        if line.is_empty() {
            return Some((fields, at));
        }
        if let Some(equals) = memchr::memchr(b'=', &bytes[line.clone()]) {
            let equals = line.start + equals;
            fields.push((line.start..equals, equals + 1..line.end));
            continue;
        }
        // A value with line feeds: its size in eight bytes, least first, then the value and a line feed.
        let size = usize::try_from(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?)).ok()?;
        let start = at + 8;
        let end = start.checked_add(size)?;
        bytes.get(start..end.checked_add(1)?)?;
        fields.push((line, start..end));
        at = end + 1;
    }
}

fn push(bytes: &[u8], raw: Range<usize>, fields: &Fields, entries: &mut Entries<'_>) {
    entries.begin(Span::received(raw.start, raw.len()));
    entries.message().format = Format::Journal;
    let find = |name: &str| fields.iter().find(|(known, _)| bytes[known.clone()] == *name.as_bytes());
    let datum = |range: &Range<usize>| Datum::text(Span::received(range.start, range.len()));
    let mut put = |place, names: &[&str]| {
        if let Some((_, value)) = names.iter().find_map(|name| find(name)) {
            entries.put(place, datum(value));
        }
    };
    put(KnownField::Text, &["MESSAGE"]);
    put(KnownField::Host, &["_HOSTNAME"]);
    put(KnownField::Program, &["SYSLOG_IDENTIFIER", "_COMM"]);
    put(KnownField::Pid, &["SYSLOG_PID", "_PID"]);
    put(KnownField::Severity, &["PRIORITY"]);
    put(KnownField::Facility, &["SYSLOG_FACILITY"]);
    let number = |name: &str| {
        let (_, value) = find(name)?;
        std::str::from_utf8(&bytes[value.clone()]).ok()?.parse::<i64>().ok()
    };
    if let Some(unix_us) = number("_SOURCE_REALTIME_TIMESTAMP").or_else(|| number("__REALTIME_TIMESTAMP")) {
        let offset_s = entries.batch.received.offset_s;
        entries.set_time(Stamp::known(unix_us, offset_s));
    }
    // Messages of the kernel name no facility: it is `kern`. Entries without a severity are `info`, as in journald.
    if find("_TRANSPORT").is_some_and(|(_, value)| &bytes[value.clone()] == b"kernel") {
        entries.set_facility(message::Facility::KERNEL);
    }
    entries.set_severity(message::Severity::INFORMATIONAL);
    let mut name = b".journald.".to_vec();
    for (key, value) in fields {
        name.truncate(b".journald.".len());
        name.extend_from_slice(&bytes[key.clone()]);
        entries.value(&name, datum(value));
    }
    entries.end();
}

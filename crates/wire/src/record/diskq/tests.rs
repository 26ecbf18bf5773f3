//! Messages and headers are made here byte by byte, as syslog-ng lays them out.

use super::*;
use ::message::{Ack, Batch, FieldName, Stamp, ValueKind};
use std::sync::Arc;

/// Writes what syslog-ng would: a message and its table.
#[derive(Clone)]
struct Saved {
    version: u8,
    magic: &'static [u8; 4],
    flags: u32,
    address: Vec<u8>,
    zone: i32,
    tags: Vec<&'static [u8]>,
    sdata: Vec<u32>,
    table_flags: u8,
    fixed: [Option<&'static [u8]>; 8],
    named: Vec<Named>,
}

#[derive(Clone)]
struct Named {
    handle: u32,
    name: Vec<u8>,
    flags: u8,
    kind: u8,
    value: Value,
}

#[derive(Clone)]
enum Value {
    Own(Vec<u8>),
    /// A part of another value: its handle, where it begins, how long it is.
    Part(u32, u32, u32),
}

impl Saved {
    fn new() -> Saved {
        Saved {
            version: 26,
            magic: b"2TVN",
            flags: 1,
            address: [&2u16.to_be_bytes()[..], &[192, 0, 2, 7], &514u16.to_le_bytes()].concat(),
            zone: 7200,
            tags: vec![b"first", b"second"],
            sdata: Vec::new(),
            table_flags: 2,
            fixed: [
                Some(b"web1"),
                Some(b"relay"),
                Some(b"hello world"),
                Some(b"app"),
                Some(b"42"),
                None,
                Some(b"s_net"),
                Some(b"app[42]: "),
            ],
            named: Vec::new(),
        }
    }

    fn with(mut self, handle: u32, name: &str, value: &[u8]) -> Saved {
        let value = Value::Own(value.to_vec());
        self.named.push(Named { handle, name: name.as_bytes().to_vec(), flags: 0, kind: 0, value });
        self
    }

    fn typed(mut self, handle: u32, name: &str, value: &[u8], flags: u8, kind: u8) -> Saved {
        self = self.with(handle, name, value);
        if let Some(last) = self.named.last_mut() {
            (last.flags, last.kind) = (flags, kind);
        }
        self
    }

    fn part(mut self, handle: u32, name: &str, of: u32, from: u32, length: u32) -> Saved {
        let value = Value::Part(of, from, length);
        self.named.push(Named { handle, name: name.as_bytes().to_vec(), flags: 1, kind: 0, value });
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let mut out = vec![self.version];
        out.extend(7u64.to_be_bytes());
        out.extend(self.flags.to_be_bytes());
        out.extend(165u16.to_be_bytes());
        out.extend(&self.address);
        for seconds in [1_700_000_000u64, 1_700_000_001, 1_700_000_002] {
            out.extend(seconds.to_be_bytes());
            out.extend(123_456u32.to_be_bytes());
            out.extend(self.zone.to_be_bytes());
        }
        out.extend(9u32.to_be_bytes());
        for tag in self.tags.iter().chain([&&b""[..]]) {
            out.extend((tag.len() as u32).to_be_bytes());
            out.extend(*tag);
        }
        out.extend([1, 0, self.sdata.len() as u8, self.sdata.len() as u8]);
        self.sdata.iter().for_each(|handle| out.extend(handle.to_be_bytes()));
        self.table(&mut out);
        out
    }

    fn table(&self, out: &mut Vec<u8>) {
        // Entries grow downwards: each is put before those that are there.
        let mut entries: Vec<u8> = Vec::new();
        let mut put = |flags: u8, kind: u8, name: &[u8], value: &Value| -> u32 {
            let mut entry = vec![flags, name.len() as u8, kind, 0, 0, 0, 0, 0];
            match value {
                Value::Own(value) => {
                    entry.extend((value.len() as u32).to_le_bytes());
                    entry.extend([name, b"\0", value, b"\0"].concat());
                }
                Value::Part(handle, from, length) => {
                    [handle, from, length].iter().for_each(|number| entry.extend(number.to_le_bytes()));
                    entry.push(0);
                    entry.extend([name, b"\0"].concat());
                }
            }
            entry.resize(entry.len().next_multiple_of(4), 0);
            let length = entry.len() as u32;
            entry[4..8].copy_from_slice(&length.to_le_bytes());
            entries.splice(..0, entry);
            entries.len() as u32
        };
        let fixed: Vec<u32> = (self.fixed.iter())
            .map(|value| value.map_or(0, |value| put(0, 0, b"", &Value::Own(value.to_vec()))))
            .collect();
        let named: Vec<(u32, u32)> = (self.named.iter())
            .map(|named| (named.handle, put(named.flags, named.kind, &named.name, &named.value)))
            .collect();
        out.extend(self.magic);
        out.push(self.table_flags);
        out.extend((entries.len() as u32 + 200).to_be_bytes());
        out.extend((entries.len() as u32).to_be_bytes());
        out.extend((named.len() as u16).to_be_bytes());
        out.push(fixed.len() as u8);
        fixed.iter().for_each(|offset| out.extend(offset.to_be_bytes()));
        named.iter().for_each(|(handle, offset)| {
            out.extend(handle.to_be_bytes());
            out.extend(offset.to_be_bytes());
        });
        out.extend(entries);
    }
}

fn batch() -> Batch {
    Batch::new(Arc::default(), Vec::new(), Stamp::default(), Ack::none())
}

/// Reads a message, and returns the value of each name.
fn values(saved: &Saved, names: &[&str]) -> Vec<String> {
    let (bytes, mut batch) = (saved.bytes(), batch());
    let read = push_saved_message(&bytes, &mut batch);
    assert_eq!(read, Ok(bytes.len()));
    let value = |name: &&str| {
        let value = batch.typed_field(0, &FieldName::parse(name));
        value.map_or("-".to_owned(), |(value, kind)| match kind {
            ValueKind::String => String::from_utf8_lossy(&value).into_owned(),
            kind => format!("{kind:?} {}", String::from_utf8_lossy(&value)),
        })
    };
    names.iter().map(value).collect()
}

#[test]
fn header_fields_and_times_are_read() {
    let (bytes, mut batch) = (Saved::new().bytes(), batch());
    assert_eq!(push_saved_message(&bytes, &mut batch), Ok(bytes.len()));
    assert_eq!(push_saved_message(&bytes, &mut batch), Ok(bytes.len()));
    let message = &batch.messages[1];
    let shown = |span| String::from_utf8_lossy(batch.bytes(span)).into_owned();
    assert_eq!(
        [message.host, message.program, message.pid, message.msgid, message.msghdr, message.text].map(shown),
        ["web1", "app", "42", "", "app[42]: ", "hello world"]
    );
    assert_eq!((message.pri.0, message.utf8), (165, true));
    assert_eq!(message.event, Stamp::known(1_700_000_000_123_456, 7200));
    assert_eq!(batch.received_of(1), Stamp::known(1_700_000_001_123_456, 7200));
    assert_eq!(batch.origins.len(), 1);
    let origin = batch.origin(1);
    assert_eq!((origin.source.as_str(), origin.host_from.as_str()), ("s_net", "relay"));
    assert_eq!(origin.peer.map(|peer| peer.to_string()), Some("192.0.2.7:514".to_owned()));
    assert_eq!(batch.tags(1), ["first", "second"]);
}

#[test]
fn pairs_are_read() {
    let long = "n".repeat(200);
    let rows: &[(Saved, &str, &str)] = &[
        (Saved::new().with(300, ".csv.c1", b"one"), ".csv.c1", "one"),
        (Saved::new().with(300, "empty", b""), "empty", ""),
        (Saved::new().with(300, "RAWMSG", b"<165>x"), "RAWMSG", "<165>x"),
        (Saved::new().with(300, "TRANSPORT", b"rfc3164+tcp"), "TRANSPORT", "rfc3164+tcp"),
        (Saved::new().typed(300, "n", b"5", 8, 4), "n", "Integer 5"),
        (Saved::new().typed(300, "n", b"5", 8, 3), "n", "Integer 5"),
        (Saved::new().typed(300, "j", b"{}", 8, 1), "j", "Json {}"),
        // Without the bit that says so, the type is whatever was in memory.
        (Saved::new().typed(300, "n", b"5", 0, 4), "n", "5"),
        (Saved::new().typed(300, "n", b"5", 4, 0), "n", "-"),
        // Before version 3.18 the bits beside the first were not set to zero.
        (Saved { table_flags: 0, ..Saved::new() }.typed(300, "n", b"5", 0xfc, 4), "n", "5"),
        (Saved::new().part(300, "part", 3, 6, 5), "part", "world"),
        (Saved::new().with(300, "a", b"abcdef").part(301, "b", 300, 2, 3), "b", "cde"),
        (Saved::new().part(300, "part", 3, 6, 50), "part", "world"),
        (Saved::new().part(300, "part", 3, 60, 5), "part", ""),
        (Saved::new().part(300, "part", 999, 0, 5), "part", ""),
        (Saved::new().with(300, &long, b"cut"), &long[..128], "cut"),
    ];
    for (saved, name, wanted) in rows {
        assert_eq!(values(saved, &[name]), [*wanted], "{name}");
    }
}

#[test]
fn structured_data_is_put_together_in_its_order() {
    let rows: &[(&[(&str, &str)], &str)] = &[
        (&[("ex@1.a", "1"), ("ex@1.b", "2"), ("o.c", "3")], r#"[ex@1 a="1" b="2"][o c="3"]"#),
        (&[("ex@1.a", r#"q"x]y\"#)], r#"[ex@1 a="q\"x\]y\\"]"#),
        (&[("a.b.c", "1")], r#"[a.b c="1"]"#),
        (&[("alone", "")], "[alone]"),
    ];
    for (params, wanted) in rows {
        let mut saved = Saved::new();
        for (place, (name, value)) in params.iter().enumerate() {
            // The table is sorted by number; the order of the message is another one.
            let handle = 400 - place as u32;
            saved = saved.with(handle, &format!(".SDATA.{name}"), value.as_bytes());
            saved.sdata.push(handle);
        }
        let mut batch = batch();
        assert!(push_saved_message(&saved.bytes(), &mut batch).is_ok());
        let sdata = batch.messages[0].sdata;
        assert_eq!(String::from_utf8_lossy(batch.bytes(sdata)), *wanted);
        let first = FieldName::parse(&format!(".SDATA.{}", params[0].0));
        let value = batch.field(0, &first).map(|value| String::from_utf8_lossy(&value).into_owned());
        assert!(params[0].1.is_empty() || value.as_deref() == Some(params[0].1), "{value:?}");
    }
}

#[test]
fn what_cannot_be_read_is_refused_and_adds_nothing() {
    let rows: &[(Saved, SavedMessageError)] = &[
        (Saved { version: 25, ..Saved::new() }, SavedMessageError::Version(25)),
        (Saved { version: 27, ..Saved::new() }, SavedMessageError::Version(27)),
        (Saved { magic: b"NVT2", table_flags: 3, ..Saved::new() }, SavedMessageError::BigEndian),
        (Saved { magic: b"NVT2", ..Saved::new() }, SavedMessageError::Table),
        (Saved { address: vec![0, 99], ..Saved::new() }, SavedMessageError::Address(99)),
        (Saved::new().part(300, "a", 3, 0, 1).part(301, "b", 300, 0, 1), SavedMessageError::Table),
    ];
    for (saved, wanted) in rows {
        let mut batch = batch();
        assert_eq!(push_saved_message(&saved.bytes(), &mut batch), Err(*wanted));
        assert!(batch.is_empty());
    }
}

#[test]
fn no_cut_and_no_changed_byte_makes_it_panic() {
    let saved = Saved::new().with(300, "name", b"value").part(301, "part", 300, 1, 2);
    let bytes = saved.bytes();
    for end in 0..bytes.len() {
        assert_eq!(push_saved_message(&bytes[..end], &mut batch()), Err(SavedMessageError::Short), "{end}");
    }
    for at in 0..bytes.len() {
        for byte in [0, 1, 0x7f, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[at] = byte;
            let mut batch = batch();
            let read = push_saved_message(&changed, &mut batch);
            assert_eq!(read.is_ok(), !batch.is_empty(), "{at} {byte}");
        }
    }
}

/// A header with little-endian numbers at their offsets.
fn header(magic: &[u8; 4], version: u8, numbers: &[(usize, u64)]) -> [u8; DISKQ_HEADER_BYTES] {
    let mut bytes = [0; DISKQ_HEADER_BYTES];
    bytes[..4].copy_from_slice(magic);
    bytes[4] = version;
    for (at, number) in numbers {
        bytes[*at..*at + 8].copy_from_slice(&number.to_le_bytes());
    }
    bytes
}

#[test]
fn headers_say_where_the_records_are() {
    let positions = [(8, 5000), (16, 9000), (24, 7), (80, 4096), (88, 2)];
    let reliable =
        DiskqHeader::read(&header(b"SLRQ", 2, &positions)).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((reliable.kind, reliable.first, reliable.end), (DiskqKind::Reliable, 4096, 9000));
    assert_eq!((reliable.records, reliable.messages()), (9, 9));
    let saved =
        [(8, 5000), (16, 9000), (24, 7), (32, 9000), (40, 3 << 32 | 300), (64, 9300), (72, 1 << 32 | 90)];
    let normal = DiskqHeader::read(&header(b"SLQF", 1, &saved)).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((normal.kind, normal.first, normal.records), (DiskqKind::Normal, 5000, 7));
    assert_eq!(normal.messages(), 11);
    assert_eq!(normal.before[1], SavedQueue { offset: 9000, bytes: 300, messages: 3 });
    assert_eq!(normal.after, SavedQueue { offset: 9300, bytes: 90, messages: 1 });
}

#[test]
fn records_continue_behind_the_header() {
    let ring = [(8, 8000), (16, 6000), (24, 7), (80, 8000)];
    let with = |version: u8, more: &[(usize, u64)]| {
        DiskqHeader::read(&header(b"SLRQ", version, &[&ring, more].concat()))
            .map_err(|error| error.to_string())
    };
    let capacity = [(104, 9000)];
    // The position, the size of the file, the position of the record.
    let rows = [
        (with(3, &capacity), 8990, 20_000, 8990),
        (with(3, &capacity), 9000, 20_000, 4096),
        (with(3, &capacity), 5000, 20_000, 5000),
        // Without the capacity, and with the older rule, the end of the file decides.
        (with(2, &[]), 9990, 10_000, 9990),
        (with(2, &[]), 10_000, 10_000, 4096),
        (with(3, &[(96, 1), (104, 9000)]), 9500, 10_000, 9500),
    ];
    for (header, at, file_bytes, wanted) in rows {
        assert_eq!(header.map(|header| header.next_record(at, file_bytes)), Ok(wanted), "{at}");
    }
}

#[test]
fn other_headers_are_refused() {
    let positions = [(8, 4096), (16, 9000), (24, 7)];
    let mut big = header(b"SLQF", 2, &positions);
    big[5] = 1;
    let rows = [
        (header(b"ELFF", 1, &positions), DiskqHeaderError::NotAQueue),
        (header(b"SLQF", 4, &positions), DiskqHeaderError::Version(4)),
        (big, DiskqHeaderError::BigEndian),
        (header(b"SLQF", 2, &[(8, 100), (16, 9000), (24, 7)]), DiskqHeaderError::Inconsistent),
        (header(b"SLQF", 2, &[(8, 9000), (16, 9000), (24, 7)]), DiskqHeaderError::Inconsistent),
        (header(b"SLQF", 2, &[(8, 4096), (16, u64::MAX), (24, 7)]), DiskqHeaderError::Inconsistent),
        (header(b"SLQF", 2, &[(8, 4096), (16, 9000), (24, 7), (32, 8)]), DiskqHeaderError::Inconsistent),
    ];
    for (bytes, wanted) in rows {
        assert_eq!(DiskqHeader::read(&bytes), Err(wanted));
    }
    // The first version has its numbers in the order of the network.
    let mut first = [0; DISKQ_HEADER_BYTES];
    first[..4].copy_from_slice(b"SLQF");
    for (at, number) in [(8, 4096u64), (16, 9000), (24, 7)] {
        first[at..at + 8].copy_from_slice(&number.to_be_bytes());
    }
    assert_eq!(DiskqHeader::read(&first).map(|header| header.records), Ok(7));
}

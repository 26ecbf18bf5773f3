//! Rows of bytes as `docs/format/batch.md` describes them, on both sides of every limit.

use super::*;
use crate::{Batch, FieldName, Origin, Selection, Transport, codec::encode};

/// An empty origin: local, no addresses, four empty texts, no tags, no values.
const NOBODY: [u8; 9] = [0; 9];

/// A batch in bytes with the parts given, received at 1,000,000 us in a zone an hour east.
fn bytes(count: u32, origins: &[&[u8]], records: &[u8], received: &[u8], made: &[u8]) -> Vec<u8> {
    let origin_bytes = origins.concat();
    let mut out = vec![1, 0];
    out.extend((origins.len() as u16).to_le_bytes());
    for number in [count as usize, origin_bytes.len(), records.len(), received.len(), made.len()] {
        out.extend((number as u32).to_le_bytes());
    }
    out.extend(0x0102_0304_0506_0708_u64.to_le_bytes());
    out.extend(1_000_000_i64.to_le_bytes());
    out.extend(3600_i32.to_le_bytes());
    out.extend([2, 0, 0, 0]);
    [&out, &origin_bytes, records, received, made].concat()
}

fn show(batch: &Batch) -> String {
    let messages = batch.messages.iter().enumerate().map(|(index, message)| {
        let names = ["raw", "host", "program", "pid", "msgid", "msghdr", "sdata", "text"];
        let mut shown = Vec::new();
        for (name, span) in names.into_iter().zip(message.clone().spans_mut()) {
            if !span.is_empty() {
                shown.push(format!("{name}={span:?}"));
            }
        }
        for (name, value, kind) in batch.values(index) {
            let text = String::from_utf8_lossy;
            shown.push(format!("{}={}:{kind:?}", text(name), text(value)));
        }
        let Message { event, pri, origin, utf8, format, marks, .. } = message;
        format!(
            "{} {event:?} {} {origin}{} {} {marks:?}",
            shown.join(" "),
            pri.0,
            if *utf8 { "u" } else { "" },
            format.name()
        )
    });
    messages.collect::<Vec<_>>().join("; ")
}

/// Decodes records over ten received bytes, `0123456789`, and ten added ones, `abcdefghij`, with two origins.
#[track_caller]
fn check(count: u32, records: &[u8], want: &str) {
    let bytes = bytes(count, &[&NOBODY, &NOBODY], records, b"0123456789", b"abcdefghij");
    let shown = decode(&bytes).map_or_else(|error| error.to_string(), |batch| show(&batch));
    assert_eq!(shown, want, "{records:?}");
}

#[test]
fn a_record_has_only_what_differs() {
    let time = "1000000us+3600s/ZoneGuessed";
    check(0, &[], "");
    check(1, &[0, 0, 0], &format!(" {time} 0 0 raw {{}}"));
    check(1, &[0, 2, 3], " 999998us+3600s/ZoneGuessed 0 0 rfc5424 {}");
    check(1, &[0, 8 | 5, 4, 1, 1], " 1000002us-1s/Known 0 0 linux:journald {}");
    check(1, &[0, 16, 0, 3], &format!(" {time} 0 0 raw {{\"syslog.missing_pri\", \"syslog.invalid_pri\"}}"));
    check(1, &[0, 32, 0, 3], &format!(" {time} 0 1u raw {{}}"));
    check(1, &[0, 128, 0, 0xbf, 1], &format!(" {time} 191 0 raw {{}}"));
    let all = [0, 8 | 32 | 128 | 1, 2, 5, 3, 7, 1, 0, 0, 0];
    let first = "1000001us-3s/YearGuessed 7 0u";
    check(2, &all, &format!(" {first} rfc3164 {{}};  {first} raw {{}}"));
}

#[test]
fn places_are_in_the_frame_or_among_the_made_bytes() {
    let rest = "1000000us+3600s/ZoneGuessed 0 0 raw {}";
    // A frame of the bytes 2 to 7, with host and text in it.
    check(1, &[0b1000_0011, 0, 4, 5, 2, 3, 8, 1, 0], &format!("raw=2..7 host=3..6 text=6..7 {rest}"));
    // Each field in its bit, one byte each.
    let each = [255, 0, 0, 8, 0, 1, 2, 1, 4, 1, 6, 1, 8, 1, 10, 1, 12, 1, 0];
    let want = "raw=0..8 host=0..1 program=1..2 pid=2..3 msgid=3..4 msghdr=4..5 sdata=5..6 text=6..7";
    check(1, &each, &format!("{want} {rest}"));
    // A frame and another span of added bytes; then one that repeats the first.
    let made = [0b11, 0, 1, 4, 1, 3, 0, 0b11, 0, 15, 4, 1, 3, 0];
    check(2, &made, &format!("raw=+0..4 host=+4..7 {rest}; raw=+0..4 host=+7..10 {rest}"));
    // The next frame counts from the end of the one before.
    check(2, &[1, 0, 2, 3, 0, 1, 0, 4, 4, 0], &format!("raw=1..4 {rest}; raw=6..10 {rest}"));
    // Up to the end of the frame, of the received and of the added bytes, and one byte further.
    check(1, &[0b11, 0, 4, 5, 2, 4, 0], &format!("raw=2..7 host=3..7 {rest}"));
    check(1, &[0b11, 0, 4, 5, 2, 5, 0], "malformed batch");
    check(1, &[0b10, 0, 0, 0, 0], &format!(" {rest}"));
    check(1, &[0b10, 0, 0, 1, 0], "malformed batch");
    check(1, &[0b11, 0, 1, 4, 0, 3, 0], "malformed batch");
    check(1, &[1, 0, 0, 10, 0], &format!("raw=0..10 {rest}"));
    check(1, &[1, 0, 0, 11, 0], "malformed batch");
    check(1, &[1, 0, 1, 10, 0], &format!("raw=+0..10 {rest}"));
    check(1, &[1, 0, 1, 11, 0], "malformed batch");
    check(1, &[1, 0, 3, 1, 0], "malformed batch");
}

#[test]
fn pairs_follow_newest_first() {
    let rest = "1000000us+3600s/ZoneGuessed 0 0 raw {}";
    check(1, &[0, 64, 0, 1, 1, 1, 1, 1, 1], &format!("a=b:Integer {rest}"));
    // Two pairs of one message, the second with its value in the frame.
    let two = [1, 64, 0, 3, 0, 2, 0, 1, 1, 1, 1, 2, 1, 1, 4, 1];
    check(1, &two, &format!("raw=0..3 a=b:String c=2:Double {rest}"));
    // A later pair of the same name hides the older one.
    let hidden = [0, 64, 0, 2, 0, 1, 1, 1, 1, 10, 5, 1, 1, 1];
    check(1, &hidden, &format!("a=b:String {rest}"));
    // Pairs belong to their own message only.
    let apart = [0, 64, 0, 1, 0, 1, 1, 1, 1, 0, 64, 0, 1, 3, 1, 1, 1, 1];
    check(2, &apart, &format!("a=b:String {rest}; c=d:Boolean {rest}"));
    check(1, &[0, 64, 0, 0], "malformed batch");
    check(1, &[0, 64, 0, 1, 11, 1, 1, 1, 1], "malformed batch");
    check(1, &[0, 64, 0, 1, 0, 1, 1, 1], "malformed batch");
    check(1, &[0, 64, 0, 2, 0, 1, 1, 1, 1], "malformed batch");
    check(1, &[0, 64, 0, 1, 0, 1, 11, 1, 1], "malformed batch");
}

#[test]
fn what_no_version_writes_is_malformed() {
    let malformed: [(u32, &[u8]); 14] = [
        (1, &[]),
        (2, &[0, 0, 0]),
        (1, &[0, 0, 0, 0]),
        (0, &[0, 0, 0]),
        (1, &[0, 6, 0]),
        (1, &[0, 8, 0, 0, 4]),
        (1, &[0, 32, 0, 4]),
        (1, &[0, 32, 0, 0xff, 0xff, 0xff, 0xff, 0xff]),
        (1, &[0, 128, 0, 0x80, 0x80, 4]),
        (1, &[0, 16, 0, 0x80, 0x80, 0x80, 0x80, 0x10]),
        (1, &[0, 0, 0x80]),
        (1, &[0, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1]),
        (1, &[0, 128, 0]),
        (u32::MAX, &[0, 0, 0]),
    ];
    for (count, records) in malformed {
        check(count, records, "malformed batch");
    }
}

#[test]
fn lengths_add_up_to_the_bytes() {
    let whole = bytes(1, &[&NOBODY], &[0, 0, 0], b"01", b"abc");
    let batch = decode(&whole).unwrap();
    assert_eq!((batch.rcptid, batch.received), (0x0102_0304_0506_0708, batch.messages[0].event));
    assert_eq!((&batch.received_bytes[..], &batch.extra[..]), (&b"01"[..], &b"abc"[..]));
    for cut in 1..whole.len() {
        assert_eq!(decode(&whole[..cut]).unwrap_err(), CodecError::Malformed, "{cut} bytes");
    }
    assert_eq!(decode(&[&whole[..], &[0]].concat()).unwrap_err(), CodecError::Malformed);
    // A message must have an existing origin; the quality of a zone has four values.
    for (at, byte) in [(2, 0), (44, 4)] {
        let mut changed = whole.clone();
        changed[at] = byte;
        assert_eq!(decode(&changed).unwrap_err(), CodecError::Malformed, "{byte} at {at}");
    }
    assert_eq!(decode(&[7]).unwrap_err().to_string(), "batch of format version 7");
}

/// Decodes a batch of one message with an origin given in bytes, and encodes it again.
#[track_caller]
fn check_origin(origin: &[u8], want: &str) {
    let before = bytes(1, &[origin], &[0, 0, 0], &[], &[]);
    let shown = match decode(&before) {
        Err(error) => error.to_string(),
        Ok(batch) => {
            let mut after = Vec::new();
            encode(&batch, &Selection::all(1), &mut after);
            assert_eq!(after, before);
            let Origin { source, transport, peer, local, host_from, file_name, tags, transport_name, values } =
                batch.origin(0);
            format!(
                "{transport:?} {peer:?} {local:?} {source},{host_from},{file_name},{transport_name} {tags:?} {values:?}"
            )
        }
    };
    assert_eq!(shown, want, "{origin:?}");
}

#[test]
fn origins_are_read_as_described() {
    check_origin(&NOBODY, "Local None None ,,, [] []");
    for (number, transport) in [
        Transport::Local,
        Transport::Udp,
        Transport::Tcp,
        Transport::Tls,
        Transport::UnixDgram,
        Transport::UnixStream,
    ]
    .into_iter()
    .enumerate()
    {
        check_origin(&[number as u8, 0, 0, 0, 0, 0, 0, 0, 0], &format!("{transport:?} None None ,,, [] []"));
    }
    check_origin(&[6, 0, 0, 0, 0, 0, 0, 0, 0], "malformed batch");
    check_origin(&[0, 5, 0, 0, 0, 0, 0, 0, 0], "malformed batch");
    check_origin(
        &[1, 4, 10, 0, 0, 1, 0x82, 4, 4, 127, 0, 0, 1, 80, 1, b's', 1, b'h', 1, b'f', 1, b't', 0, 0],
        "Udp Some(10.0.0.1:514) Some(127.0.0.1:80) s,h,f,t [] []",
    );
    check_origin(&[1, 4, 10, 0, 0, 1, 0x80, 0x80, 4, 0, 0, 0, 0, 0, 0, 0], "malformed batch");
    let mut six = vec![3, 6, 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
    six.extend([7, 2, 0xf2, 50, 0, 0, 0, 0, 0, 2, 1, b'a', 0, 1, 1, b'n', 2, b'v', b'w']);
    check_origin(&six, "Tls Some([fe80::1%2]:6514) None ,,, [\"a\", \"\"] [(\"n\", [118, 119])]");
    let batch = decode(&bytes(1, &[&six], &[0, 0, 0], &[], &[])).unwrap();
    assert!(matches!(batch.origin(0).peer, Some(std::net::SocketAddr::V6(peer)) if peer.flowinfo() == 7));
    assert_eq!(batch.field(0, &FieldName::parse("n")).as_deref(), Some(&b"vw"[..]));
}

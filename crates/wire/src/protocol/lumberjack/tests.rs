//! Streams that are cut anywhere, compressed frames, and what breaks the protocol.

use super::*;
use flate2::{Compression, write::ZlibEncoder};
use std::io::Write;

fn window(count: u32) -> Vec<u8> {
    [b"2W".as_slice(), &count.to_be_bytes()].concat()
}

fn event(sequence: u32, text: &str) -> Vec<u8> {
    let size = u32::try_from(text.len()).unwrap();
    [b"2J".as_slice(), &sequence.to_be_bytes(), &size.to_be_bytes(), text.as_bytes()].concat()
}

fn packed(content: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).unwrap();
    let bytes = encoder.finish().unwrap();
    [b"2C".as_slice(), &u32::try_from(bytes.len()).unwrap().to_be_bytes(), &bytes].concat()
}

/// Reads a stream that comes in parts of a size, and shows its events, the ends of windows, and the error.
fn read(stream: &[u8], size: usize, limit: usize, room: usize) -> Vec<String> {
    let (mut reader, mut shown) = (LumberjackReader::new(limit), Vec::new());
    let mut open = LumberjackBatch::default();
    for part in stream.chunks(size) {
        let mut at = 0;
        while at < part.len() || reader.has_more() {
            match reader.next(part, at, room, &mut open) {
                Ok(next) => at = next,
                Err(error) => {
                    shown.push(format!("! {}", error.0));
                    return shown;
                }
            }
            assert!(open.bytes.len() <= room + limit, "{} bytes are kept", open.bytes.len());
            if open.ends.is_none() && !open.is_full(room) {
                continue;
            }
            let whole = reader.split(&mut open);
            for event in whole.events {
                let text = String::from_utf8_lossy(&whole.bytes[event.range]).into_owned();
                shown.push(text + if event.is_cut { "~" } else { "" });
            }
            shown.extend(whole.ends.map(|sequence| format!("= {sequence}")));
        }
    }
    shown
}

#[track_caller]
fn check(stream: &[&[u8]], want: &[&str]) {
    let stream = stream.concat();
    for (size, room) in [(stream.len(), 1 << 20), (1, 1 << 20), (7, 1)] {
        assert_eq!(read(&stream, size, 20, room), want, "parts of {size} bytes");
    }
}

#[test]
fn windows_have_events_that_may_be_compressed() {
    check(
        &[&window(2), &event(1, "{}"), &event(2, "[]"), &window(1), &event(1, "")],
        &["{}", "[]", "= 2", "", "= 1"],
    );
    let inside = [event(1, "a"), event(2, "b")].concat();
    check(&[&window(3), &packed(&inside), &event(3, "c")], &["a", "b", "c", "= 3"]);
    check(&[&window(0), &packed(b""), &window(1), &event(1, "a")], &["a", "= 1"]);
    check(&[&window(2), &packed(&inside), &window(2), &packed(&inside)], &["a", "b", "= 2", "a", "b", "= 2"]);
}

#[test]
fn long_events_are_cut() {
    check(&[&window(1), &event(7, &"x".repeat(50))], &[&("x".repeat(20) + "~"), "= 7"]);
    check(&[&window(1), &packed(&event(7, &"x".repeat(500_000)))], &[&("x".repeat(20) + "~"), "= 7"]);
}

#[track_caller]
fn breaks(stream: &[&[u8]], want: &str) {
    let stream = stream.concat();
    for size in [stream.len(), 1, 7] {
        assert_eq!(read(&stream, size, 20, 1).pop(), Some(format!("! {want}")), "parts of {size} bytes");
    }
}

#[test]
fn what_breaks_the_protocol_is_said() {
    breaks(&[b"1W"], "version 1 is not spoken");
    breaks(&[b"GET /"], "a frame begins with something else than its version");
    breaks(&[b"2X"], "the kind of a frame is unknown");
    breaks(&[b"2D"], "events that are no JSON are of version 1");
    breaks(&[&event(1, "a")], "an event comes that no window has announced");
    breaks(&[&window(1), &window(1)], "a window begins before the last one is complete");
    breaks(&[&window(1), &packed(&window(1))], "a compressed frame has more than events");
    breaks(&[&window(1), &packed(&packed(b""))], "a compressed frame has more than events");
    breaks(&[&window(1), &packed(b"2J\0\0"), b"2"], "a compressed frame ends within an event");
    breaks(&[&window(1), b"2C\0\0\0\x03abc"], "a compressed frame cannot be unpacked");
    let mut short = packed(&event(1, "a"));
    short[5] -= 4;
    breaks(&[&window(2), &short], "a compressed frame ends before its content");
    let mut long = packed(&event(1, "a"));
    long[5] += 1;
    long.push(0);
    breaks(&[&window(2), &long], "a compressed frame is longer than its content");
}

#[test]
fn a_bomb_is_read_in_pieces() {
    let inside: Vec<u8> = (1..=100_000).flat_map(|sequence| event(sequence, "{}")).collect();
    let shown = read(&[window(100_000), packed(&inside)].concat(), usize::MAX, 100, 1_000);
    assert_eq!((shown.len(), shown.last().map(String::as_str)), (100_001, Some("= 100000")));
}

#[test]
fn a_stream_may_be_cut_anywhere() {
    let inside = [event(2, "bb"), event(3, "ccc")].concat();
    let stream = [window(4), event(1, "a"), packed(&inside), event(4, "dddd")].concat();
    for size in 1..=stream.len() {
        for room in [1, 40, 1 << 20] {
            assert_eq!(read(&stream, size, 9, room), ["a", "bb", "ccc", "dddd", "= 4"], "{size} {room}");
        }
    }
}

#[test]
fn acknowledgements_have_the_sequence() {
    let mut out = Vec::new();
    append_lumberjack_ack(0, &mut out);
    append_lumberjack_ack(258, &mut out);
    assert_eq!(out, b"2A\0\0\0\x002A\0\0\x01\x02");
}

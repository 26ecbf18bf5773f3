//! Rows and properties of framing.

use super::{count::Count, *};
use proptest::prelude::*;

/// Frames of a stream that arrives in pieces, as `text` or `text!tag`.
fn run(framing: Framing, limit: usize, oversize: Oversize, pieces: &[&[u8]]) -> Vec<String> {
    let mut framer = Framer::new(framing, limit, oversize);
    let (mut rest, mut shown) = (Vec::new(), Vec::new());
    let mut show = |bytes: &[u8], frames: &mut Vec<Frame>| {
        for frame in frames.drain(..) {
            assert!(frame.end - frame.start <= limit);
            let tags: Vec<&str> = frame.marks.tags().collect();
            let text = String::from_utf8_lossy(&bytes[frame.start..frame.end]);
            shown.push(if tags.is_empty() { text.into() } else { format!("{text}!{}", tags.join(",")) });
        }
    };
    let mut frames = Vec::new();
    for piece in pieces {
        rest.extend_from_slice(piece);
        let used = framer.split(&rest, &mut frames);
        show(&rest, &mut frames);
        rest.drain(..used);
        assert!(rest.len() <= limit + COUNT_DIGITS_MAX + 1, "carries {} bytes", rest.len());
    }
    framer.finish(&rest, &mut frames);
    show(&rest, &mut frames);
    shown
}

#[track_caller]
fn check(framing: Framing, stream: &str, want: &[&str]) {
    assert_eq!(run(framing, 10, Oversize::Cut, &[stream.as_bytes()]), want);
    let bytes: Vec<&[u8]> = stream.as_bytes().chunks(1).collect();
    assert_eq!(run(framing, 10, Oversize::Cut, &bytes), want, "byte by byte");
}

const CUT: &str = "0123456789!syslog.truncated";

#[test]
fn splits_lines() {
    check(Framing::Newline, "", &[]);
    check(Framing::Newline, "a\nbc\r\n\n\r\nd", &["a", "bc", "d"]);
    check(Framing::Newline, "0123456789\nx\n", &["0123456789", "x"]);
    check(Framing::Newline, "0123456789abc\nx\n", &[CUT, "x"]);
    check(Framing::Newline, "0123456789abc", &[CUT]);
    check(Framing::Newline, "a\0b\0\n\0c", &["a", "b", "c"]);
    check(Framing::NewlineOnly, "a\0b\0\n", &["a\0b"]);
    check(Framing::Nul, "a\nb\0c\0", &["a\nb", "c"]);
    check(Framing::Nul, "a\nb\0\nc\0\n", &["a\nb", "c"]);
    check(Framing::Nul, "a\0\n\r\n0123456789\0b", &["a", "0123456789", "b"]);
    check(Framing::Nul, "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\na", &["a"]);
}

#[test]
fn splits_blocks() {
    check(Framing::Blocks(4), "a\n\0\0bcdefg\0\0\0\0\0\0h", &["a", "bcde", "fg", "h"]);
    check(Framing::Blocks(12), "0123456789ab", &[CUT]);
    check(Framing::Blocks(4), "", &[]);
}

#[test]
fn empty_lines_are_messages_where_they_are_kept() {
    let mut framer = Framer::new(Framing::Newline, 10, Oversize::Cut).keeping_empty();
    let mut frames = Vec::new();
    let stream = b"a\n\n\r\nb\n";
    assert_eq!(framer.split(stream, &mut frames), stream.len());
    framer.finish(b"", &mut frames);
    let texts: Vec<&[u8]> = frames.iter().map(|frame| &stream[frame.start..frame.end]).collect();
    assert_eq!(texts, [&b"a"[..], b"", b"", b"b"]);
}

#[test]
fn splits_long_lines_into_several() {
    let want = [CUT, "ABCDEFGHIJ!syslog.truncated", "klm", "x"];
    let stream = b"0123456789ABCDEFGHIJklm\nx\n";
    for size in 1..stream.len() {
        let pieces: Vec<&[u8]> = stream.chunks(size).collect();
        assert_eq!(run(Framing::Newline, 10, Oversize::Split, &pieces), want);
    }
}

#[test]
fn reads_octet_counts() {
    check(Framing::OctetCounted, "3 abc2 d\n5 e fgh", &["abc", "d", "e fgh"]);
    check(Framing::OctetCounted, "3 abc\n3 de\r\n", &["abc", "de\r"]);
    check(Framing::OctetCounted, "0 2 ab", &["ab"]);
    check(Framing::OctetCounted, "0000000002 ab", &["ab"]);
    check(Framing::OctetCounted, "13 0123456789abc1 x", &[CUT, "x"]);
    check(Framing::OctetCounted, "5 ab", &["ab!syslog.truncated"]);
}

#[test]
fn bad_counts_make_marked_lines() {
    check(Framing::OctetCounted, "<13>x\n1 y", &["<13>x!syslog.bad_frame", "y"]);
    check(
        Framing::OctetCounted,
        "12345678901 x\n1 y",
        &["1234567890!syslog.truncated,syslog.bad_frame", "y"],
    );
    check(Framing::OctetCounted, "9999999999 \n1 y", &["9999999999!syslog.truncated,syslog.bad_frame", "y"]);
    check(Framing::OctetCounted, "77", &["77!syslog.bad_frame"]);
}

#[test]
fn auto_decides_for_every_frame() {
    check(Framing::Auto, "<1>a\n6 <1>b\nc\n4 <1>d5 e\n", &["<1>a", "<1>b\nc", "<1>d", "5 e"]);
    check(Framing::Auto, "<1>a\n99 x\n<1>b", &["<1>a", "99 x", "<1>b"]);
    check(Framing::Auto, "2 ab3 cde<1>f\n1 g", &["ab", "cde", "<1>f", "g"]);
    check(Framing::Auto, "99", &["99"]);
}

#[test]
fn a_datagram_is_a_frame() {
    let run = |bytes: &[u8]| run(Framing::Datagram, 10, Oversize::Cut, &[bytes]);
    assert_eq!(run(b"a\nb\r\n\0"), ["a\nb\r"]);
    assert_eq!(run(b"0123456789abc"), [CUT]);
    assert!(run(b"").is_empty());
}

#[test]
fn a_huge_line_costs_no_memory() {
    let mut framer = Framer::new(Framing::Auto, 100, Oversize::Cut);
    let (piece, mut frames) = (vec![b'x'; 1 << 20], Vec::new());
    for _ in 0..1024 {
        assert_eq!(framer.split(&piece, &mut frames), piece.len());
    }
    framer.split(b"\n<1>y\n", &mut frames);
    assert_eq!(frames.len(), 2);
}

fn framing() -> impl Strategy<Value = (Framing, Oversize)> {
    use Framing::*;
    let framings = [OctetCounted, Newline, NewlineOnly, Nul, Auto];
    (prop::sample::select(framings.to_vec()), prop::sample::select(vec![Oversize::Cut, Oversize::Split]))
}

proptest! {
    #[test]
    fn any_split_gives_the_same_frames(
        (framing, oversize) in framing(),
        stream in "(([0-9]{1,3} )?[<>a\\n\\r\\x00 0-9]{0,12}){0,6}",
        cuts in prop::collection::vec(0usize..70, 0..12),
    ) {
        let stream = stream.as_bytes();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(stream.len())).collect();
        cuts.extend([0, stream.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&[u8]> = cuts.windows(2).map(|cut| &stream[cut[0]..cut[1]]).collect();
        prop_assert_eq!(run(framing, 7, oversize, &[stream]), run(framing, 7, oversize, &pieces));
    }
}

#[track_caller]
fn check_record(record: &str, want: &[&str]) {
    let mut frames = Vec::new();
    split_record(record.as_bytes(), 10, &mut frames);
    let shown = frames.iter().map(|frame| {
        let cut = if frame.marks.has(Mark::Truncated) { "!" } else { "" };
        format!("{}{cut}", &record[frame.start..frame.end])
    });
    assert_eq!(shown.collect::<Vec<_>>(), want);
}

#[test]
fn a_record_holds_whole_messages() {
    check_record("", &[]);
    check_record("5 <13>a", &["<13>a"]);
    check_record("5 <13>a6 <13>bc", &["<13>a", "<13>bc"]);
    check_record("6 <13>a\n\n6 <13>bc\n", &["<13>a", "<13>bc"]);
    check_record("<13>a", &["<13>a"]);
    check_record("<13>a\r\n\0", &["<13>a"]);
    check_record("\n\0", &[]);
    check_record("3 apples", &["3 apples"]);
    check_record("7 <13>a", &["<13>a!"]);
    check_record("5 <13>a9999999999999 <", &["<13>a", "9999999999!"]);
    check_record("12 <13>4567890X5 <13>a", &["<13>456789!", "<13>a"]);
    check_record("<13>4567890X", &["<13>456789!"]);
}

#[test]
fn records_are_complete_whatever_they_contain() {
    check(Framing::Records(4), "ab\n\0cdef", &["ab\n\0", "cdef"]);
    check(Framing::Records(4), "abcdef", &["abcd", "ef!syslog.truncated"]);
    check(Framing::Records(4), "abc", &["abc!syslog.truncated"]);
    check(Framing::Records(4), "", &[]);
    check(Framing::Records(0), "ab", &["a", "b"]);
    check(Framing::Blocks(0), "ab", &["a", "b"]);
}

#[test]
fn counts_are_believed_up_to_a_limit() {
    for (text, want) in [
        ("7 ", Count::Of { header: 2, size: 7 }),
        ("7", Count::Partial),
        ("", Count::Partial),
        (" ", Count::Absent),
        ("7x", Count::Absent),
        ("0000000007 ", Count::Of { header: 11, size: 7 }),
        ("0000000007", Count::Partial),
        ("00000000007 ", Count::Absent),
        ("1073741824 ", Count::Of { header: 11, size: 1 << 30 }),
        ("1073741825 ", Count::Absent),
        ("1073741825", Count::Absent),
    ] {
        assert_eq!(Count::read(text.as_bytes()), want, "{text}");
    }
}

/// Frames of lines that are joined, whatever the pieces they come in.
#[track_caller]
fn check_joined(oversize: Oversize, stream: &str, want: &[&str]) {
    for size in 1..=stream.len() {
        let mut framer = Framer::new(Framing::Newline, 10, oversize).joining(Arc::new(MultiLine::Indented));
        let (mut rest, mut shown, mut frames) = (Vec::new(), Vec::new(), Vec::new());
        let mut show = |bytes: &[u8], frames: &mut Vec<Frame>| {
            for frame in frames.drain(..) {
                let cut = if frame.marks.has(Mark::Truncated) { "!" } else { "" };
                shown.push(format!("{}{cut}", String::from_utf8_lossy(&bytes[frame.start..frame.end])));
            }
        };
        for piece in stream.as_bytes().chunks(size) {
            rest.extend_from_slice(piece);
            let used = framer.split(&rest, &mut frames);
            show(&rest, &mut frames);
            rest.drain(..used);
            assert!(rest.len() <= 11, "carries {} bytes", rest.len());
        }
        framer.finish(&rest, &mut frames);
        show(&rest, &mut frames);
        assert_eq!(shown, want, "{stream:?} in pieces of {size}");
    }
}

#[test]
fn no_line_is_lost_behind_a_message_of_the_longest_length() {
    for text in ["a\n 345\n 78", "a\n 345\n 7", "a\n 345\n 7\r", "0123456789", "012345678"] {
        for next in ["c", "c\n d", "c\nd"] {
            let stream = format!("{text}\n{next}\n");
            let want: Vec<&str> = std::iter::once(text.trim_end())
                .chain(next.split("\nd"))
                .filter(|text| !text.is_empty())
                .collect();
            for size in 1..=stream.len() {
                let mut framer =
                    Framer::new(Framing::Newline, 10, Oversize::Cut).joining(Arc::new(MultiLine::Indented));
                let (mut rest, mut shown, mut frames) = (Vec::new(), Vec::new(), Vec::new());
                for piece in stream.as_bytes().chunks(size) {
                    rest.extend_from_slice(piece);
                    let used = framer.split(&rest, &mut frames);
                    shown.extend(frames.drain(..).map(|frame| rest[frame.start..frame.end].to_vec()));
                    rest.drain(..used);
                    assert!(rest.len() <= 11, "carries {} bytes", rest.len());
                }
                framer.finish(&rest, &mut frames);
                shown.extend(frames.drain(..).map(|frame| rest[frame.start..frame.end].to_vec()));
                let shown: Vec<String> =
                    shown.iter().map(|text| String::from_utf8_lossy(text).into_owned()).collect();
                assert!(
                    want.iter().all(|text| shown.iter().any(|shown| shown == text)),
                    "{stream:?} in pieces of {size}: {shown:?}"
                );
            }
        }
    }
}

#[test]
fn joined_lines_are_one_frame() {
    for oversize in [Oversize::Cut, Oversize::Split] {
        check_joined(oversize, "a\n b\nc\n", &["a\n b", "c"]);
        check_joined(oversize, "a\r\n b\r\n\r\nc", &["a\r\n b", "c"]);
        check_joined(oversize, " a\n b\nc\n d", &[" a\n b", "c\n d"]);
        check_joined(oversize, "\n\n", &[]);
    }
    check_joined(Oversize::Cut, "0123456789a\n b\nc\n", &["0123456789!", "c"]);
    check_joined(Oversize::Cut, "01234\n 789abc\n d\nc\n", &["01234\n 789!", "c"]);
}

#[test]
fn a_limit_of_nothing_is_one_byte() {
    let mut frames = Vec::new();
    Framer::new(Framing::Newline, 0, Oversize::Cut).split(b"ab\n", &mut frames);
    assert_eq!(frames.iter().map(|frame| (frame.start, frame.end)).collect::<Vec<_>>(), [(0, 1)]);
}

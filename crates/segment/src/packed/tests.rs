//! Columns, frames and times come back as they were.

use super::{
    column::{self, Cursor, Streams},
    skeleton::{Split, Splitter, join},
    time,
    values::Values,
};
use crate::{documents::text::TextLocation, format::FileSlice, terms::frequent::Frequent};
use lookup::Document;
use message::{Stamp, ZoneQuality};
use proptest::prelude::*;

/// The columns of some rows, written and read back; returns the forms they took and the bytes.
fn written(columns: &[Values]) -> Streams {
    let mut streams = Streams::default();
    column::begin(columns.len(), &mut streams);
    for (at, values) in columns.iter().enumerate() {
        column::encode(values, &columns[..at], &mut streams);
    }
    let [heads, text, small, packed] =
        [&streams.heads, &streams.text, &streams.small, &streams.packed].map(|part| FileSlice::loose(part));
    let rows = columns.first().map_or(0, Values::len);
    let read = Cursor::new(heads, text, small, packed).read_all(rows).unwrap();
    assert_eq!(read, columns);
    let mut cursor = Cursor::new(heads, text, small, packed);
    cursor.skip_all(rows).unwrap();
    assert!(cursor.heads.is_done() && cursor.text.is_done() && cursor.small.is_done());
    assert!(cursor.packed.is_done());
    streams
}

fn values(strings: &[&str]) -> Values {
    let mut values = Values::default();
    strings.iter().for_each(|string| values.push(string.as_bytes()));
    values
}

/// The form of a column, and whether its values are packed.
#[track_caller]
fn check(strings: &[&str], form: u8) {
    let streams = written(&[values(strings)]);
    assert_eq!(streams.heads[1], form, "{strings:?}: {streams:?}");
}

#[test]
fn columns_take_the_form_that_suits_them() {
    check(&["a", "b\n", ""], 1);
    check(&["same", "same"], 2);
    check(&["", "", ""], 2);
    check(&["00ff12ab", "deadbeef", "01234567"], 3);
    check(&["x-00FF12AB", "x-DEADBEEF"], 4);
    check(&["10.0.0.1", "10.0.0.17", "10.255.0.3"], 5);
    check(&["07:00", "12:59", "23:01"], 5);
    check(&["18446744073709551615", "1"], 0);
    check(&["007", "7", "07"], 0);
    check(&["word", "other", "third"], 0);
    check(&["a", "a", "b", "a", "b", "a", "a", "b", "a", "a", "b", "b"], 6);
    let twice = values(&["q1", "r2", "s3"]);
    assert_eq!(written(&[twice.clone(), twice]).heads.last(), Some(&0));
}

#[test]
fn large_numbers_and_long_columns_come_back() {
    let counter: Vec<String> =
        (0..300u64).map(|at| (999_999_999_999_000_000 - at * at).to_string()).collect();
    let many: Vec<String> = (0..600u64).map(|at| format!("w{}x", at * at % 401)).collect();
    for strings in [counter, many] {
        written(&[values(&strings.iter().map(String::as_str).collect::<Vec<_>>())]);
    }
}

/// Each form is chosen where it needs less space than those before.
#[test]
fn the_smallest_form_is_taken() {
    let many = |count: u64, make: &dyn Fn(u64) -> String| (0..count).map(make).collect::<Vec<_>>();
    let letters = |mut number: u64| -> String {
        number = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (0..9).map(|at| char::from(b'g' + ((number >> (at * 5)) % 20) as u8)).collect()
    };
    for (strings, form) in [
        // Different words are text; words of which a third are different are numbered, few in bytes, many in bits.
        (many(30, &letters), 0),
        (many(90, &|at| letters(at % 30)), 6),
        (many(900, &|at| letters(at % 300)), 6),
        (many(8, &|at| letters(at % 6)), 0),
        (many(8, &|at| letters(at % 5)), 6),
        // Five digits after the common prefix are hexadecimal, four are not.
        (vec!["q-a0b1c".to_owned(), "q-f2d3e".to_owned()], 3),
        (vec!["q-a0b1".to_owned(), "q-f2d3".to_owned()], 0),
        (vec!["q-a0b1c".to_owned(), "q-f2d3eE".to_owned()], 0),
        (vec!["q-a0b1c".to_owned(), "q-F2D3E".to_owned()], 0),
        // Numbers that grow evenly are steps, numbers within 256 are bytes.
        (many(200, &|at| (1_000_000_000_000 + at * 1_000_003).to_string()), 5),
        (many(200, &|at| format!("n{}", 7_000 + at * at % 251)), 5),
    ] {
        check(&strings.iter().map(String::as_str).collect::<Vec<_>>(), form);
    }
}

/// The form of the numbers of a column with one number in each value, and its bytes behind the heads.
fn number_form(numbers: &[u64]) -> (u8, usize) {
    let strings: Vec<String> = numbers.iter().map(u64::to_string).collect();
    let streams = written(&[values(&strings.iter().map(String::as_str).collect::<Vec<_>>())]);
    // One column, its form, one number, two empty texts, no pad; then the form of the numbers.
    assert_eq!(streams.heads[..6], [1, 5, 1, 0, 0, 0], "{streams:?}");
    (streams.heads[6], streams.small.len() + streams.packed.len())
}

#[test]
fn numbers_take_the_form_that_suits_them() {
    // Spread evenly: their difference from the smallest in as many bits as it needs.
    let spread: Vec<u64> = (0..64).map(|at: u64| 5_000 + at * 2_654_435_761 % 1_024).collect();
    assert_eq!(number_form(&spread).0, 0);
    // A counter: steps of two bits instead of numbers of many.
    let counter: Vec<u64> = (0..1_000).map(|at| 4_000_000_000 + at).collect();
    assert_eq!(number_form(&counter), (1, 999 * 2 / 8 + 1));
    let down: Vec<u64> = counter.iter().rev().copied().collect();
    assert_eq!(number_form(&down), (1, 999 / 8 + 1));
    // Most of them the same: bytes that are compressed later.
    let rare: Vec<u64> = (0..500).map(|at| if at % 100 == 7 { 300 } else { 200 }).collect();
    assert_eq!(number_form(&rare), (2, 500));
}

/// Checks that a column of damaged streams is refused; the heads begin with the number of columns.
#[track_caller]
fn check_damaged(heads: &[u8], text: &[u8], small: &[u8], rows: usize, want: &str) {
    let [heads, text, small, packed] = [heads, text, small, &[]].map(FileSlice::loose);
    let what = |damage: crate::format::Damage| damage.what;
    let read = Cursor::new(heads, text, small, packed).read_all(rows).map_err(what);
    assert_eq!(read.map(|_| ()), Err(want));
}

#[test]
fn damaged_columns_are_refused() {
    check_damaged(&[1, 9], &[], &[], 2, "unknown form of a column");
    check_damaged(&[1, 7, 0], &[], &[], 2, "a column like one that is not there");
    check_damaged(&[2, 0, 2, 7, 1], b"a\n", &[], 1, "a column like one that is not there");
    // Text has a line for each row, and nothing after the last.
    for text in [&b"a\nb"[..], b"a\n", b"a\nb\nc\n", b"a\nb\nc"] {
        check_damaged(&[1, 0, text.len() as u8], text, &[], 2, "wrong number of values");
    }
    // A shape has at most twelve numbers.
    check_damaged(&[1, 5, 13], &[], &[], 2, "more numbers than a value can have");
    check_damaged(&[1, 5, 1, 0, 0, 0, 3, 0], &[], &[], 2, "unknown form of numbers");
    check_damaged(&[1, 5, 1, 0, 0, 0, 0, 0, 65], &[], &[], 2, "numbers of more than 64 bits");
    // Different values are not numbered once more, and each number is one of theirs.
    check_damaged(&[1, 6, 2, 6, 2], &[], &[0, 1], 2, "unknown form of a column");
    check_damaged(&[1, 6, 2, 0, 4], b"a\nb\n", &[0, 2], 2, "a value that the column does not have");
}

#[test]
fn columns_are_bounded() {
    // A value of a mebibyte, 64 times: the most that a column may have.
    let text = vec![b'x'; 1 << 20];
    let size = [0x80, 0x80, 0x40];
    let heads = [&[1, 2][..], &size].concat();
    let read = |heads: &[u8], small: &[u8], rows: usize| {
        let [heads, text, small, packed] = [heads, text.as_slice(), small, &[]].map(FileSlice::loose);
        let read = Cursor::new(heads, text, small, packed).read_all(rows);
        read.map(|columns| columns.iter().map(Values::size).sum::<usize>()).map_err(|damage| damage.what)
    };
    assert_eq!(read(&heads, &[], 64), Ok(64 << 20));
    assert_eq!(read(&heads, &[], 65), Err("a column is larger than it can be"));
    let numbered = [&[1, 6, 1, 2][..], &size].concat();
    assert_eq!(read(&numbered, &[0; 64], 64), Ok(64 << 20));
    assert_eq!(read(&numbered, &[0; 65], 65), Err("a column is larger than it can be"));
    let twice = [&[2, 2][..], &size, &[7, 0]].concat();
    assert_eq!(read(&twice, &[], 32), Ok(64 << 20));
    assert_eq!(read(&twice, &[], 33), Err("columns are larger than they can be"));
}

fn string() -> impl Strategy<Value = String> {
    prop_oneof![
        "[0-9]{1,19}",
        "[0-9a-f]{6}",
        "[A-F0-9]{9}",
        "[0-9]{1,3}\\.[0-9]{1,3}",
        "[a-z]{0,3}[0-9]{0,2}",
        "\\PC{0,5}",
        Just("\n".to_owned()),
    ]
}

proptest! {
    #[test]
    fn any_columns_come_back(
        rows in prop::collection::vec((string(), "[0-9a-f]{8}", 0u64..u64::MAX, "[ab]"), 1..60),
    ) {
        let column = |pick: &dyn Fn(usize) -> String| {
            let strings: Vec<String> = (0..rows.len()).map(pick).collect();
            values(&strings.iter().map(String::as_str).collect::<Vec<_>>())
        };
        written(&[
            column(&|at| rows[at].0.clone()),
            column(&|at| rows[at].1.clone()),
            column(&|at| rows[at].2.to_string()),
            column(&|at| format!("{}-{:06}", rows[at].3, rows[at].2 % 1000)),
            column(&|at| rows[at].1.clone()),
        ]);
    }

    #[test]
    fn any_bytes_are_read_without_panic(
        parts in prop::array::uniform4(prop::collection::vec(any::<u8>(), 0..40)),
        rows in 0usize..300,
    ) {
        let [heads, text, small, packed] = parts.each_ref().map(|part| FileSlice::loose(part));
        let _ = Cursor::new(heads, text, small, packed).read_all(rows);
        let _ = Cursor::new(heads, text, small, packed).skip_all(rows);
        let mut document = Document::default();
        let mut values = parts.iter().map(Vec::as_slice).cycle();
        let _ = join(&parts[0], &mut values, &mut document);
    }

    #[test]
    fn any_frame_comes_back(
        head in "<13>[ -~]{0,30}",
        body in prop::collection::vec(prop_oneof![Just(0x11u8), any::<u8>(), 0x61u8..0x7a], 0..60),
        cut in 0usize..90,
        apart in any::<bool>(),
    ) {
        let raw = [head.as_bytes(), &body].concat();
        let cut = cut.min(raw.len());
        let document = Document {
            text: if apart { b"not a part \x11 of it".to_vec() } else { raw[cut..].to_vec() },
            raw,
            pri: 13,
            host: head.get(5..9).unwrap_or_default().into(),
            ..Document::default()
        };
        let frequent = Frequent::new(vec![b"part".to_vec()]);
        let mut split = Split::default();
        Splitter::new(&frequent).split(&document, (!apart).then_some(cut), &mut split);
        let mut joined = Document { raw: b"?".to_vec(), ..document.clone() };
        let text = join(&split.skeleton, &mut split.values.iter(), &mut joined).unwrap();
        prop_assert_eq!(text == TextLocation::Apart, apart);
        prop_assert_eq!(joined, document);
    }
}

/// A time that is recognised is written as it was.
#[track_caller]
fn check_time(text: &str, offset_s: i32, unix_us: i64, size: Option<usize>) {
    let stamp = Stamp { unix_us, offset_s, quality: ZoneQuality::Known };
    let mut buffer = Vec::new();
    let found = time::recognise(text.as_bytes(), stamp, &mut buffer);
    assert_eq!(found.map(|(_, size)| size), size, "{text}: {}", String::from_utf8_lossy(&buffer));
    if let Some((form, size)) = found {
        buffer.clear();
        time::put(&mut buffer, form, stamp);
        assert_eq!(buffer, text.as_bytes()[..size]);
    }
}

#[test]
fn times_are_spelled_as_they_were() {
    let us = 1_793_523_600_123_456;
    check_time("Nov  1 09:00:00 web-1", 0, us, Some(15));
    check_time("Nov  1 10:00:00 web-1", 3600, us, Some(15));
    check_time("Nov  1 10:00:00 web-1", 0, us, None);
    check_time("2026-11-01T09:00:00Z x", 0, us, Some(20));
    check_time("2026-11-01T09:00:00.123456Z", 0, us, Some(27));
    check_time("2026-11-01T09:00:00.123Z", 0, us, Some(24));
    check_time("2026-11-01T04:30:00.1-04:30 x", -16_200, us, Some(27));
    check_time("2026-11-01T09:00:00.123456789Z", 0, us, None);
    check_time("2026-11-01", 0, us, None);
    check_time("Feb 29 00:00:00", 0, 1_709_164_800_000_000, Some(15));
    // Every part of a time, at the ends of what it can be.
    for (text, unix_us) in [
        ("1970-01-01T00:00:00Z", 0),
        ("1969-12-31T23:59:59.999999Z", -1),
        ("1999-12-31T23:59:59.9Z", 946_684_799_900_000),
        ("2000-02-29T12:34:56.78Z", 951_827_696_780_000),
        ("2000-03-01T00:00:00.012Z", 951_868_800_012_000),
        ("2023-03-01T10:20:30.1234Z", 1_677_666_030_123_400),
        ("2024-12-31T09:08:07.12345Z", 1_735_636_087_123_450),
        ("2100-02-28T23:00:00Z", 4_107_538_800_000_000),
        ("2100-03-01T00:00:00Z", 4_107_542_400_000_000),
        ("0001-01-01T00:00:00Z", -62_135_596_800_000_000),
    ] {
        check_time(text, 0, unix_us, Some(text.len()));
        check_time(text, 0, unix_us + 1_000_000, None);
    }
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let days = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    for (month, before) in months.iter().zip(days) {
        for day in [1, 9, 10, 28] {
            let unix_us = (before + day - 1) * 86_400_000_000 + 47_105_000_000;
            check_time(&format!("{month} {day:2} 13:05:05 web"), 0, unix_us, Some(15));
        }
    }
    // Zones: signs, half hours, a stamp of another zone.
    for (text, offset_s) in [
        ("1970-01-01T10:30:00+10:30", 37_800),
        ("1969-12-31T20:15:00-03:45", -13_500),
        ("1970-01-01T00:00:00+00:00", 0),
        ("1970-01-01T14:00:00+14:00", 50_400),
    ] {
        check_time(text, offset_s, 0, Some(25));
        check_time(text, offset_s + 3_600, 0, None);
    }
    check_time("1970-01-01T00:00:00.1234567Z", 0, 123_456, None);
    check_time("1970-01-01T00:00:00", 0, 0, None);
    check_time("nov  1 09:00:00 web-1", 0, us, None);
    check_time("", 0, i64::MIN, None);
    check_time("2026-", 0, i64::MAX, None);
}

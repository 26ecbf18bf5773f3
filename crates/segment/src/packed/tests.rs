//! Columns, frames and times come back as they were.

use super::{
    column::{self, Cursor, Streams},
    skeleton::{Split, Splitter, join},
    time,
    values::Values,
};
use crate::{documents::text::TextPlace, format::FileSlice, terms::frequent::Frequent};
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
        prop_assert_eq!(text == TextPlace::Apart, apart);
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
    check_time("", 0, i64::MIN, None);
    check_time("2026-", 0, i64::MAX, None);
}

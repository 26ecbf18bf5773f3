//! Rows for `date-parser()`.

use super::{batch, renderer, shown};
use crate::parser::{Date, DateFormat, DateTarget, Input, Parser};
use jiff::tz::TimeZone;
use message::{FieldName, Selection, Stamp};

/// 2026-01-10T12:00:00Z.
const RECEIVED_S: i64 = 1_768_046_400;

#[track_caller]
fn check(formats: &[&str], text: &str, want: &str) {
    check_in("UTC", false, formats, text, want);
}

#[track_caller]
fn check_in(zone: &str, guesses_zone: bool, formats: &[&str], text: &str, want: &str) {
    let date = Date {
        formats: formats.iter().map(|format| DateFormat::parse(format).unwrap()).collect(),
        input: Input::message(),
        zone: TimeZone::get(zone).unwrap(),
        guesses_zone,
        into: DateTarget::Event,
    };
    let mut batch = batch(&[text.as_bytes()]);
    batch.received = Stamp::known(RECEIVED_S * 1_000_000, 0);
    let read = date.parse(&mut batch, &Selection::all(1), &mut renderer());
    let event = batch.messages[0].event;
    let civil = wire::Civil::of(event.unix_s(), event.offset_s);
    let got = format!(
        "{}-{:02}-{:02} {:02}:{:02}:{:02}.{:06} {:+}",
        civil.year,
        civil.month,
        civil.day,
        civil.hour,
        civil.minute,
        civil.second,
        event.micros(),
        event.offset_s
    );
    assert_eq!(if read.has(0) { got } else { "stopped".into() }, want, "{text}");
}

#[test]
fn formats_read_times() {
    check(&["%Y-%m-%dT%H:%M:%S%z"], "2025-06-30T23:59:59+02:00", "2025-06-30 23:59:59.000000 +7200");
    check(&["%F %T.%f"], "2025-06-30 01:02:03.0456789", "2025-06-30 01:02:03.045678 +0");
    check(&["%d/%b/%Y:%H:%M:%S %z"], "01/Mar/2024:10:11:12 -0530", "2024-03-01 10:11:12.000000 -19800");
    check(&["%a, %d %B %y %I:%M %p %Z"], "Sat, 2 march 24 12:05 am GMT", "2024-03-02 00:05:00.000000 +0");
    check(&["%c"], "Thu Jan  8 09:07:05 2026", "2026-01-08 09:07:05.000000 +0");
    check(&["%s"], "1700000000", "2023-11-14 22:13:20.000000 +0");
    check(&["%s.%f"], "1700000000.25", "2023-11-14 22:13:20.250000 +0");
    check(&["%Y %j"], "2024 060", "2024-02-29 00:00:00.000000 +0");
    check(&["%D %R"], "12/31/99 23:59", "1999-12-31 23:59:00.000000 +0");
    check(&["%d.%m.%Y %r"], "1.2.2023 11:00:00 PM", "2023-02-01 23:00:00.000000 +0");
    check(&["%F %T %Z"], "2025-07-01 12:00:00 Europe/Budapest", "2025-07-01 12:00:00.000000 +7200");
    check(&["100%% %Y"], "100% 2020", "2020-01-01 00:00:00.000000 +0");
    check(&["%F %T"], "2016-12-31 23:59:60", "2017-01-01 00:00:00.000000 +0");
    check(&["%F%n%T"], "2025-06-30 \t 01:02:03", "2025-06-30 01:02:03.000000 +0");
    check(&["%u %U %w %V %F"], "1 26 1 27 2025-06-30", "2025-06-30 00:00:00.000000 +0");
    check(&["%-d.%_m.%Ey %k %M"], "1.2.23 4 05", "2023-02-01 04:05:00.000000 +0");
    check(&["%F %T%z"], "2025-06-30 01:02:03Z", "2025-06-30 01:02:03.000000 +0");
    check_in("Asia/Tokyo", false, &["%F %T %z"], "2025-06-30 01:02:03 z", "2025-06-30 01:02:03.000000 +0");
    check(&["%F %T %z"], "2025-06-30 01:02:03 CEST", "2025-06-30 01:02:03.000000 +7200");
    check(&["%F %T %z!"], "2025-06-30 01:02:03 -03!", "2025-06-30 01:02:03.000000 -10800");
    check(&["%F %T %z"], "2025-06-30 01:02:03 +15:59", "2025-06-30 01:02:03.000000 +57540");
    check(&["%F %I %p"], "2025-06-30 12 PM", "2025-06-30 12:00:00.000000 +0");
    check(&["%F %T.%f"], "2025-06-30 23:59:59.9999999", "2025-06-30 23:59:59.999999 +0");
    check(&["%s"], "253402300799", "9999-12-31 23:59:59.000000 +0");
    check(&["%j %G"], "366 2024", "2024-12-31 00:00:00.000000 +0");
    check(&["%C"], "18", "1800-01-01 00:00:00.000000 +0");
    check(&["%y %C"], "99 18", "1899-01-01 00:00:00.000000 +0");
    check(&["%y"], "68", "2068-01-01 00:00:00.000000 +0");
    check(&["%y"], "69", "1969-01-01 00:00:00.000000 +0");
}

#[test]
fn missing_parts_are_assumed() {
    check(&["%b %d %T"], "Jan  9 01:02:03", "2026-01-09 01:02:03.000000 +0");
    check(&["%b %d %T"], "Dec 31 23:00:00", "2025-12-31 23:00:00.000000 +0");
    check(&["%H:%M"], "07:08", "2026-01-10 07:08:00.000000 +0");
    check(&["%Y-%m"], "2020-05", "2020-05-01 00:00:00.000000 +0");
    check_in("Europe/Budapest", false, &["%F %T"], "2025-07-01 12:00:00", "2025-07-01 12:00:00.000000 +7200");
    check_in("UTC", true, &["%F %T"], "2026-01-10 14:00:05", "2026-01-10 14:00:05.000000 +7200");
}

#[test]
fn texts_without_a_format_are_stopped() {
    for text in
        ["", "2025", "2025-13-01", "2025-02-30", "2025-01-01 ", "2025-01-01x", "x2025-01-01", "2025-é1-01"]
    {
        check(&["%Y-%m-%d"], text, "stopped");
    }
    check(&["%Y", "%m/%d", "%H h"], "3 h", "2026-01-10 03:00:00.000000 +0");
    check(&["%z"], "+25:00", "stopped");
    for (format, text) in [
        ("%F %I", "2025-06-30 0"),
        ("%F %I", "2025-06-30 13"),
        ("%F %H", "2025-06-30 24"),
        ("%F %H:%M", "2025-06-30 23:60"),
        ("%F %T", "2025-06-30 23:59:61"),
        ("%F %I %p", "2025-06-30 12 xm"),
        ("%F %H.%f", "2025-06-30 12."),
        ("%F %z", "2025-06-30 +16:00"),
        ("%F %z", "2025-06-30 +02:60"),
        ("%F %z", "2025-06-30 +"),
        ("%Y-%m-%d", "2025-00-01"),
        ("%Y-%m-%d", "2025-01-00"),
        ("%Y-%m-%d", "2025-01-32"),
        ("%Y", "0"),
        ("%j", "367"),
        ("%j", "0"),
        ("%u", "x"),
        ("%s", "253402300800"),
    ] {
        check(&[format], text, "stopped");
    }
    check(&["%Z"], "Mars/Olympus", "stopped");
    check(&["%s"], "99999999999999999999", "stopped");
    assert_eq!(DateFormat::parse("%Q").unwrap_err().to_string(), "`%Q` is no part of a format of times");
    assert!(DateFormat::parse("x%").is_err());
}

#[test]
fn a_value_may_get_the_time() {
    let date = Date {
        formats: vec![DateFormat::parse("%F %T.%f").unwrap()],
        input: Input::message(),
        zone: TimeZone::UTC,
        guesses_zone: false,
        into: DateTarget::Value(FieldName::parse("when")),
    };
    let mut batch = batch(&[b"2023-11-14 22:13:20.5"]);
    date.parse(&mut batch, &Selection::all(1), &mut renderer());
    assert_eq!(shown(&batch, 0), "when:Datetime=1700000000.500000");
    assert_eq!(batch.messages[0].event, Stamp::default());
}

#[test]
fn a_time_may_be_that_of_receiving() {
    let date = Date {
        formats: vec![DateFormat::parse("%F %T %z").unwrap()],
        input: Input::message(),
        zone: TimeZone::UTC,
        guesses_zone: false,
        into: DateTarget::Received,
    };
    let mut batch = batch(&[b"2025-07-01 12:00:00 -0130", b"no time"]);
    batch.received = Stamp::known(RECEIVED_S * 1_000_000, 0);
    let read = date.parse(&mut batch, &Selection::all(2), &mut renderer());
    assert_eq!((read.has(0), read.has(1)), (true, false));
    let mut printed = Vec::new();
    let template = template::Template::parse("$R_ISODATE $ISODATE", &crate::Definitions::default()).unwrap();
    for index in 0..2 {
        template.render(&batch, index, &mut renderer(), &mut printed);
        printed.push(b'|');
    }
    assert_eq!(
        String::from_utf8_lossy(&printed),
        "2025-07-01T12:00:00-01:30 1970-01-01T00:00:00+00:00|2026-01-10T12:00:00+00:00 1970-01-01T00:00:00+00:00|"
    );
    // It stays with its message.
    let copy = batch.copy_of(&Selection::all(2));
    assert_eq!(copy.received_of(0), batch.received_of(0));
    assert_eq!(copy.received_of(1).unix_s(), RECEIVED_S);
}

//! Rows of headers as `docs/format/package.md` describes them, on both sides of every limit.

use super::*;

/// 2026-11-22T18:00:00Z.
const RECEIVED_US: i64 = 1_795_370_400_000_000;
const HOUR_US: i64 = 3_600_000_000;
const DAY_US: i64 = 24 * HOUR_US;

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Shows the fields as `pri time host|program|pid|msgid|message` and the values.
#[track_caller]
fn check_at(form: &str, raw: &[u8], received_us: i64, want: &str) {
    let reading = Reading::of(form, ReceivedBytes { raw, received_us, peer: "" });
    let shown = reading.map_or("none".to_owned(), |reading| {
        let priority = reading.priority.map_or("-".to_owned(), |number| number.to_string());
        let time = match reading.time {
            Time::Absent => "-".to_owned(),
            Time::Known(us) => format!("{:+}", us - received_us),
            Time::Local(us) => format!("local{:+}", us - received_us),
        };
        let fields = [reading.host, reading.program, reading.pid, reading.msgid, reading.message].map(text);
        let values = reading.values.iter().map(|(name, value)| format!(" {name}={}", text(value)));
        format!("{priority} {time} {}{}", fields.join("|"), values.collect::<String>())
    });
    assert_eq!(shown, want, "{form} {}", text(raw));
}

#[track_caller]
fn check(form: &str, raw: &str, want: &str) {
    check_at(form, raw.as_bytes(), RECEIVED_US, want);
}

#[test]
fn a_priority_has_up_to_three_digits() {
    for (raw, want) in [
        ("<0>x", "0 - |x|||"),
        ("<191>x", "191 - |x|||"),
        ("<192>x", "- - |<192>x|||"),
        ("<013>x", "13 - |x|||"),
        ("<0013>x", "- - |<0013>x|||"),
        ("<>x", "- - |<>x|||"),
        ("<1a>x", "- - |<1a>x|||"),
        ("<13x", "- - |<13x|||"),
        ("x<13>", "- - |x<13>|||"),
    ] {
        check("rfc3164", raw, want);
    }
    check("rfc5424", "1 - - - - - -", "none");
}

#[test]
fn trailing_line_ends_do_not_count() {
    check("text", "a\n\0\n", "- - ||||a");
    check("text", "a\n b", "- - ||||a\n b");
    check("text", "\n\n", "- - ||||");
    check("text", "a \r", "- - ||||a \r");
    check("unknown", "<13>a", "- - ||||<13>a");
}

#[test]
fn rfc5424_has_six_words_and_a_message() {
    check("rfc5424", "<13>1 - h a p m - text", "13 - h|a|p|m|text");
    check("rfc5424", "<13>1 - - - - - -", "13 - ||||");
    check("rfc5424", "<13>1 - - - - - - ", "13 - ||||");
    check("rfc5424", "<13>1 - h a p m -text", "none");
    check("rfc5424", "<13>1 - h a p m", "none");
    check("rfc5424", "<13>2 - h a p m - x", "none");
    check("rfc5424", "<13>1  h a p m - x", "none");
    check("rfc5424", "<13>1 2026-11-22T18:00:00Zx h a p m - x", "none");
    check("rfc5424", "<13>1 2026-11-22T18:00:01Z h a p m - \u{feff}x", "13 +1000000 h|a|p|m|x");
    check("rfc5424", "<13>1 - h a p m -  x", "13 - h|a|p|m| x");
    for (length, field) in [(48, 0), (128, 1), (32, 2)] {
        for more in [0, 1] {
            let mut words = ["-".to_owned(), "-".to_owned(), "-".to_owned()];
            words[field] = "w".repeat(length + more);
            let mut want = [String::new(), String::new(), String::new()];
            want[field] = "w".repeat(length);
            check(
                "rfc5424",
                &format!("<13>1 - h {} - x", words.join(" ")),
                &format!("13 - h|{}|x", want.join("|")),
            );
        }
    }
}

#[test]
fn structured_data_is_of_the_rfc() {
    let check = |sdata: &str, want: &str| {
        let want = if want == "none" { want.to_owned() } else { format!("13 - h|a|||x{want}") };
        check("rfc5424", &format!("<13>1 - h a - - {sdata} x"), &want);
    };
    check("[a]", "");
    check("[a b=\"c\"]", " .SDATA.a.b=c");
    check("[a b=\"\"][c d=\"e\" f=\"g\"]", " .SDATA.a.b= .SDATA.c.d=e .SDATA.c.f=g");
    check("[a b=\"c\\\"\\]\\\\ d\"]", " .SDATA.a.b=c\"]\\ d");
    check("[a b=\"\\\"]", "none");
    for wrong in [
        "[]",
        "[ a]",
        "[a ]",
        "[a  b=\"c\"]",
        "[a b]",
        "[a b=c]",
        "[a b=\"c\"",
        "[a b=\"c]\"]",
        "[a b=\"c\" ]",
        "[a=]",
        "[a\"]",
        "[a =\"c\"]",
        "[a b\"c\"]",
        "[\u{e4}]",
        "a",
        "[a]b",
        "[a][",
        "[a b=\"c\"d=\"e\"]",
    ] {
        check(wrong, "none");
    }
}

#[test]
fn rfc3164_has_a_time_a_host_a_program_and_a_pid() {
    let time = "Nov 22 18:00:00";
    for (raw, want) in [
        (format!("<34>{time} h p[1]: m"), "34 local+0 h|p|1||m"),
        (format!("{time} h p: m"), "- local+0 h|p|||m"),
        (format!("<34>{time}: h p: m"), "34 local+0 h|p|||m"),
        (format!("<34>{time}h p: m"), "34 local+0 h|p|||m"),
        (format!("<34>{time}   h   p: m"), "34 local+0 h|p|||m"),
        (format!("<34>{time} p[1]: m"), "34 local+0 |p|1||m"),
        (format!("<34>{time} p: m"), "34 local+0 |p|||m"),
        (format!("<34>{time} h"), "34 local+0 |h|||"),
        (format!("<34>{time} h p[1 m"), "34 local+0 h|p|1||m"),
        (format!("<34>{time} h p[1:m"), "34 local+0 h|p|1||m"),
        (format!("<34>{time} h p[1]m"), "34 local+0 h|p|1||m"),
        (format!("<34>{time} h p[1"), "none"),
        (format!("<34>{time} h p m"), "34 local+0 h|p|||m"),
        (format!("<34>{time} h p:m"), "34 local+0 h|p|||m"),
        (format!("<34>{time} h p:  m"), "34 local+0 h|p||| m"),
        (format!("<34>{time} h : m"), "34 local+0 h||||m"),
        ("<34>h p: m".to_owned(), "34 - |h|||p: m"),
    ] {
        check("rfc3164", &raw, want);
    }
    check("rfc3164-nohost", &format!("<34>{time} h p: m"), "34 local+0 |h|||p: m");
    check("rfc3164-nohost", "<34>h p: m", "none");
}

#[test]
fn a_time_of_rfc3164_is_of_the_calendar() {
    let row = |time: &str, offset: i64| {
        check("rfc3164", &format!("{time} h p: m"), &format!("- local{offset:+} h|p|||m"));
    };
    row("Nov 22 18:00:00", 0);
    row("Nov  2 18:00:00", -20 * DAY_US);
    row("Nov 02 18:00:00", -20 * DAY_US);
    row("Nov 22 18:00:00.5", 500_000);
    row("Nov 22 18:00:00.000001", 1);
    row("Nov 22 18:00:00.0000019", 1);
    row("Nov 22 17:59:59", -1_000_000);
    row("Jan  1 00:00:00", -325 * DAY_US - 18 * HOUR_US);
    row("Feb 28 00:00:00", -267 * DAY_US - 18 * HOUR_US);
    row("Dec 31 18:00:00", 39 * DAY_US);
    for wrong in [
        "Nov 31 18:00:00",
        "Feb 29 00:00:00",
        "Nov 22 24:00:00",
        "Nov 22 18:60:00",
        "Nov 22 18:00:61",
        "nov 22 18:00:00",
        "Nov-22 18:00:00",
        "Nov 22-18:00:00",
        "Nov 22 18-00:00",
        "Nov 22 18:00-00",
        "Nov 22 1x:00:00",
        "Nov x2 18:00:00",
        "Nov 22 18:00:00.",
        "Nov 22 18:00:0",
        "Nov  0 18:00:00",
    ] {
        let raw = format!("{wrong} h p: m");
        let reading =
            Reading::of("rfc3164", ReceivedBytes { raw: raw.as_bytes(), received_us: RECEIVED_US, peer: "" });
        assert_eq!(reading.unwrap().time, Time::Absent, "{wrong}");
    }
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let days = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    for (month, before) in months.iter().zip(days) {
        row(&format!("{month}  1 18:00:00"), (before - 325) * DAY_US);
    }
}

#[test]
fn the_year_of_a_time_is_the_nearest_around_new_year() {
    // 2026-01-01T00:30:00Z and 2026-12-31T23:30:00Z.
    let (january, december) = (1_767_227_400_000_000, 1_798_759_800_000_000);
    for (received_us, time, want) in [
        (january, "Dec 31 23:30:00", -HOUR_US),
        (january, "Jan  1 00:30:00", 0),
        (january, "Nov 30 00:30:00", 333 * DAY_US),
        (december, "Jan  1 00:30:00", HOUR_US),
        (december, "Dec 31 23:30:00", 0),
        (december, "Feb  1 23:30:00", -333 * DAY_US),
    ] {
        check_at(
            "rfc3164",
            format!("{time} h p: m").as_bytes(),
            received_us,
            &format!("- local{want:+} h|p|||m"),
        );
    }
}

#[test]
fn a_time_of_iso_8601_has_a_zone_or_none() {
    let row = |time: &str, want: &str| check("rfc5424", &format!("<1>1 {time} h - - - -"), want);
    for (time, want) in [
        ("2026-11-22T18:00:00Z", "1 +0 h||||"),
        ("2026-11-22T18:00:00", "1 local+0 h||||"),
        ("2026-11-22T18:00:00.25", "1 local+250000 h||||"),
        ("2026-11-22T18:00:00.25Z", "1 +250000 h||||"),
        ("2026-11-22T18:00:00.1234567Z", "1 +123456 h||||"),
        ("2026-11-22T19:30:00+01:30", "1 +0 h||||"),
        ("2026-11-22T16:30:00-01:30", "1 +0 h||||"),
        ("2026-11-22T18:00:00.5+00:00", "1 +500000 h||||"),
        ("1969-12-31T23:59:59Z", "1 -1795370401000000 h||||"),
        ("2026-11-22t18:00:00Z", "none"),
        ("2026/11-22T18:00:00Z", "none"),
        ("2026-11/22T18:00:00Z", "none"),
        ("2026-13-22T18:00:00Z", "none"),
        ("2026-11-31T18:00:00Z", "none"),
        ("2026-11-22T24:00:00Z", "none"),
        ("202x-11-22T18:00:00Z", "none"),
        ("2026-11-22T18:00:00.Z", "none"),
        ("2026-11-22T18:00:00+01", "none"),
        ("2026-11-22T18:00:00+0130", "none"),
        ("2026-11-22T18:00:00+01-30", "none"),
        ("2026-11-22T18:00:00+xx:30", "none"),
        ("2026-11-22T18:00:0", "none"),
    ] {
        row(time, want);
    }
    check("rfc3164", "2026-11-22T18:00:00+01:00 h p: m", "- -3600000000 h|p|||m");
}

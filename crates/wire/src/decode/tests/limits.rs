//! Rows on both sides of the limits of headers, and for each form of time that devices send.

use super::*;

const AT: &str = "2026-11-21T08:59:01+00:00";

/// A line of RFC 3164 with a time before the given text.
#[track_caller]
fn check_after_time(names: &str, rest: &str, want: &str) {
    check_with(names, &format!("<9>Nov 21 08:59:01 {rest}"), &format!("9 {AT} {want}"));
}

#[test]
fn a_host_name_has_a_longest_length() {
    let (longest, longer) = ("h".repeat(255), "h".repeat(256));
    check_after_time("", &format!("{longest} p: t"), &format!("host={longest} prog=p text=t"));
    check_after_time("", &format!("{longer} p: t"), &format!("prog={longer} text=p: t !invalid_hostname"));
    check_after_time("", "h[1] p: t", "prog=h pid=1 text=p: t !invalid_hostname");
    check_after_time("", "h", "prog=h !invalid_hostname");
    check_after_time("", "  h   p: t", "host=h prog=p text=t");
}

#[test]
fn a_host_may_be_an_address_with_colons() {
    for host in ["::1", "fe80::1:2", "1:2:3:4:5:6:7:8", "2001:db8::abcd", "::ffff:10.0.0.1", "a:b"] {
        check_after_time("", &format!("{host} p: t"), &format!("host={host} prog=p text=t"));
    }
    for (text, program) in
        [("12345:1", "12345"), ("g::1", "g"), ("1:2:3:4:5:6:7:8:9", "1"), ("a:12345:", "a")]
    {
        let rest = &text[program.len() + 1..];
        let want = format!("prog={program} text={rest} p: t !invalid_hostname");
        check_after_time("", &format!("{text} p: t"), &want);
    }
    check_after_time("", "a:b", "prog=a text=b !invalid_hostname");
    check_after_time("", "a:b[1] p: t", "prog=a text=b[1] p: t !invalid_hostname");
}

#[test]
fn names_are_checked_when_that_is_asked_for() {
    check_after_time("check-hostname", "a-Z_9.:@/ p: t", "prog=a-Z_9. text=@/ p: t !invalid_hostname");
    check_after_time("check-hostname", "a-Z_9.@/ p: t", "host=a-Z_9.@/ prog=p text=t");
    check_after_time("check-hostname", "h,1 p: t", "prog=h,1 text=p: t !invalid_hostname");
    check_after_time("", "h,1 p: t", "host=h,1 prog=p text=t");
    for program in ["a", "a.-_()/9", "9a", "A"] {
        check_after_time(
            "check-program",
            &format!("h {program}: t"),
            &format!("host=h prog={program} text=t"),
        );
    }
    for program in ["9", "", "a,b", "a\u{e4}", "."] {
        let want = format!("host=h text={program}: t !rfc3164_invalid_program");
        check_after_time("check-program", &format!("h {program}: t"), &want);
    }
}

#[test]
fn a_tag_ends_where_it_is_closed() {
    for (rest, want) in [
        ("h p[1]: t", "host=h prog=p pid=1 text=t"),
        ("h p[1]t", "host=h prog=p pid=1 text=t"),
        ("h p[1] t", "host=h prog=p pid=1 text=t"),
        ("h p[1:t", "host=h prog=p pid=1 text=t"),
        ("h p[1 t", "host=h prog=p pid=1 text=t"),
        ("h p[1", "host=h prog=p"),
        ("h p[]: t", "host=h prog=p text=t"),
        ("h p:t", "host=h prog=p text=t"),
        ("h p:  t", "host=h prog=p text= t"),
        ("h p  t", "host=h prog=p text= t"),
        ("h p]: t", "host=h prog=p] text=t"),
        ("h p", "host=h prog=p"),
        ("h : t", "host=h text=t"),
        ("last message repeated", "host=last prog=message text=repeated"),
        ("last message repeated ", "text=last message repeated "),
        ("Message forwarded from aix7:  su[3]: t", "host=aix7 prog=su pid=3 text=t"),
        ("Message forwarded from aix7: : t", "host=aix7 prog=t"),
        ("Message forwarded from aix7", "host=aix7"),
        (
            "Message forwarded from aix7: last message repeated 2 times",
            "host=aix7 text=last message repeated 2 times",
        ),
    ] {
        check_after_time("", rest, want);
    }
}

#[test]
fn an_octet_count_in_front_is_skipped() {
    let missing = "!missing_pri !missing_timestamp";
    for (line, want) in [
        (
            "1234567890 p: t",
            format!("13 prog=p text=t {missing} !unexpected_framing !rfc3164_missing_header"),
        ),
        ("12345678901 p: t", format!("13 prog=12345678901 text=p: t {missing} !rfc3164_missing_header")),
        ("7p: t", format!("13 prog=7p text=t {missing} !rfc3164_missing_header")),
        ("7", format!("13 prog=7 {missing} !rfc3164_missing_header")),
    ] {
        check(line, &want);
    }
    check_5424(
        "12 <9>1 - h p - - - t",
        "13 prog=<9>1 text=- h p - - - t !missing_pri !missing_timestamp !unexpected_framing !rfc3164_missing_header",
    );
}

#[test]
fn a_priority_is_read_to_its_end() {
    let header = "!missing_timestamp !rfc3164_missing_header";
    for (line, want) in [
        ("<0>p: t", format!("0 prog=p text=t {header}")),
        ("<191>p: t", format!("191 prog=p text=t {header}")),
        ("<192>p: t", format!("13 prog=p text=t {header} !invalid_pri")),
        ("<000191>p: t", format!("191 prog=p text=t {header}")),
        ("<100013>p: t", format!("13 prog=p text=t {header} !invalid_pri")),
        ("<1/>p: t", "13 text=<1/>p: t !invalid_pri".to_owned()),
        ("<1:>p: t", "13 text=<1:>p: t !invalid_pri".to_owned()),
        ("<=>p: t", "13 text=<=>p: t !invalid_pri".to_owned()),
    ] {
        check(line, &want);
    }
}

#[test]
fn messages_of_the_kernel_are_known_without_a_time() {
    check_with("kernel", "<0>up", "0 prog=kernel text=up !missing_timestamp");
    check_with("kernel", "<7>up", "7 prog=kernel text=up !missing_timestamp");
    check_with("kernel", "<8>up", "8 prog=up !missing_timestamp !rfc3164_missing_header");
    check("<0>up", "0 prog=up !missing_timestamp !rfc3164_missing_header");
    let mut options = DecodeOptions::default();
    options.flags = options.flags.with(ParseFlags::LOCAL);
    assert_eq!(show(&decoded(b"<0>up", options)), "0 prog=kernel text=up !missing_timestamp");
}

#[test]
fn sequence_numbers_and_clock_marks_are_structured_data() {
    let sdata = |sequence: &str, synced: &str| match (sequence, synced) {
        ("-", synced) => format!("sd=[timeQuality isSynced=\"{synced}\"]"),
        (sequence, "-") => format!("sd=[meta sequenceId=\"{sequence}\"]"),
        (sequence, synced) => {
            format!("sd=[meta sequenceId=\"{sequence}\"][timeQuality isSynced=\"{synced}\"]")
        }
    };
    for (prefix, want) in [
        ("45: ", sdata("45", "-")),
        ("45:  ", sdata("45", "-")),
        ("45: *", sdata("45", "0")),
        ("45: .", sdata("45", "1")),
        ("*", sdata("-", "0")),
        (".", sdata("-", "1")),
        (" *", sdata("-", "0")),
    ] {
        check(&format!("<9>{prefix}Nov 21 08:59:01 h p: t"), &format!("9 {AT} host=h prog=p {want} text=t"));
    }
    check("<9> Nov 21 08:59:01 h p: t", &format!("9 {AT} host=h prog=p text=t"));
    let options = DecodeOptions { keep_timestamp: false, ..DecodeOptions::default() };
    let shown = show(&decoded(b"<9>4: *Nov 21 08:59:01 h p: t", options));
    assert_eq!(shown, "9 host=h prog=p sd=[meta sequenceId=\"4\"] text=t");
}

/// A time of RFC 3164 and its meaning; `-` when it is not a time.
#[track_caller]
fn check_time(time: &str, want: &str) {
    let shown = show(&decoded(format!("<9>{time} h p: t").as_bytes(), DecodeOptions::default()));
    let want =
        if want == "-" { "!missing_timestamp".to_owned() } else { format!("9 {want} host=h prog=p text=t") };
    let is_as_wanted = if want.starts_with('!') { shown.contains(&want) } else { shown == want };
    assert!(is_as_wanted, "{time}: {shown}");
}

#[test]
fn times_of_devices_have_their_forms() {
    for (time, want) in [
        ("Nov 21 2024 08:59:01", "2024-11-21T08:59:01+00:00"),
        ("Nov  1 2024 08:59:01", "2024-11-01T08:59:01+00:00"),
        ("Nov 21 2024 08:59:01:", "2024-11-21T08:59:01+00:00"),
        ("Nov 21 2o24 08:59:01", "-"),
        ("Nov 21 2024-08:59:01", "-"),
        ("Nov 21 2024 08-59:01", "-"),
        ("Nov 21 2024 08:59-01", "-"),
        ("Nov 21 2024 08:59:01x", "-"),
        ("Nov 21 08:59:01 2024", "2024-11-21T08:59:01+00:00"),
        ("Nov 1 08:59:01", "2026-11-01T08:59:01+00:00"),
        ("Nov 1 08-59:01", "-"),
        ("Nov 1 08:59-01", "-"),
        ("Nov x 08:59:01", "-"),
        ("Nov 21 08-59:01", "-"),
        ("Nov 21 08:59-01", "-"),
        ("Nov 21 08:5x:01", "-"),
        ("Nov 2x 08:59:01", "-"),
        ("Nov 21 x8:59:01", "-"),
        ("Nov 21 08:59:x1", "-"),
        ("nov 21 08:59:01", "-"),
        ("Nox 21 08:59:01", "-"),
        ("nOV 21 08:59:01", "-"),
        ("Nov-21 08:59:01", "-"),
        ("Nov 21-08:59:01", "-"),
        ("2024-02-03T04:05:06Z", "2024-02-03T04:05:06+00:00"),
        ("2024-02-03 04:05:06", "2024-02-03T04:05:06+00:00"),
        ("2024-02-03T04:05:06-01:30", "2024-02-03T04:05:06-01:30"),
        ("2024-02-03T04:05:06.5+10:00", "2024-02-03T04:05:06.500000+10:00"),
        ("2024-02-03T04:05:06.000001+12:45", "2024-02-03T04:05:06.000001+12:45"),
        ("2024-02-03x04:05:06", "-"),
        ("2024/02-03T04:05:06", "-"),
        ("2024-02/03T04:05:06", "-"),
        ("2024-02-03T04-05:06", "-"),
        ("2024-02-03T04:05-06", "-"),
        ("2024-02-0xT04:05:06", "-"),
        ("x024-02-03T04:05:06", "-"),
        ("Nov 21 08:59:01.", "2026-11-21T08:59:01+00:00"),
        ("Nov 21 08:59:01.9", "2026-11-21T08:59:01.900000+00:00"),
        ("Nov 21 08:59:01,000009", "2026-11-21T08:59:01.000009+00:00"),
        ("Nov 21 08:59:01.0000009", "2026-11-21T08:59:01+00:00"),
        ("Nov 21 08:59:01:", "2026-11-21T08:59:01+00:00"),
    ] {
        check_time(time, want);
    }
    for (after, year) in
        [(' ', 2024), ('\t', 2024), ('\n', 2024), ('\x0b', 2024), ('\x0c', 2024), ('\r', 2024), ('x', 2026)]
    {
        let shown = show(&decoded(
            format!("<9>Nov 21 08:59:01 2024{after}p: t").as_bytes(),
            DecodeOptions::default(),
        ));
        assert!(shown.starts_with(&format!("9 {year}-11-21T08:59:01+00:00")), "{after:?}: {shown}");
    }
    // A zone that is invalid, or followed by a digit, belongs to the text after the time.
    for (time, rest) in [
        ("2024-02-03T04:05:06+01:300", "+01"),
        ("2024-02-03T04:05:06+0130", "+0130"),
        ("2024-02-03T04:05:06*01:30", "*01"),
        ("2024-02-03T04:05:06+0x:30", "+0x"),
        ("2024-02-03T04:05:06+01:3", "+01"),
    ] {
        let shown = show(&decoded(format!("<9>{time} p: t").as_bytes(), DecodeOptions::default()));
        assert!(shown.starts_with("9 2024-02-03T04:05:06+00:00") && shown.contains(rest), "{time}: {shown}");
    }
}

#[test]
fn rfc5424_cuts_its_columns() {
    for (length, column) in [(48, 0), (128, 1), (32, 2)] {
        for more in [0, 1] {
            let mut columns = ["-".to_owned(), "-".to_owned(), "-".to_owned()];
            columns[column] = "x".repeat(length + more);
            let name = ["prog", "pid", "id"][column];
            let want = format!("9 {AT} host=h {name}={} text=t", "x".repeat(length));
            check_5424(&format!("<9>1 2026-11-21T08:59:01Z h {} - t", columns.join(" ")), &want);
        }
    }
    check_5424("<9>1 2026-11-21T08:59:01Z - -- -x x- - t", &format!("9 {AT} prog=-- pid=-x id=x- text=t"));
    check_5424("<9>001 2026-11-21T08:59:01Z h p - - - t", &format!("9 {AT} host=h prog=p text=t"));
    check_5424("<9>1 2026-11-21T08:59:01Z h p - - ", &format!("9 {AT} host=h prog=p"));
    check_5424("<9>1 2026-11-21T08:59:01Z h p - - - ", &format!("9 {AT} host=h prog=p"));
    check_5424("<9>1 2026-11-21T08:59:01Z h p - - -  t", &format!("9 {AT} host=h prog=p text= t"));
    check_5424("<9>1 2026-11-21T08:59:01Z h p - - - \u{feff}", &format!("9 {AT} host=h prog=p"));
    assert!(decoded("<9>1 - h p - - - \u{feff}t".as_bytes(), with_flags("syslog-protocol")).messages[0].utf8);
    assert!(!decoded(b"<9>1 - h p - - - t", with_flags("syslog-protocol")).messages[0].utf8);
    // Other versions, or none, are read as RFC 3164.
    for version in ["2", "11", "01x", "", "0"] {
        let shown = show(&decoded(format!("<9>{version} - h").as_bytes(), with_flags("syslog-protocol")));
        assert!(shown.contains("!rfc3164_missing_header"), "{version}: {shown}");
    }
}

#[test]
fn an_error_names_its_place_and_what_is_missing() {
    let time = "2026-11-21T08:59:01Z";
    let missing = "rfc5424_missing";
    for (line, place, marks) in [
        ("<9>1".to_owned(), "<9>>@<1", ""),
        ("<9>1 x".to_owned(), "<9>1>@< x", "!missing_timestamp"),
        (format!("<9>1 {time}"), &*format!("<9>1 {}>@<Z", &time[..19]), &*format!("!{missing}_hostname")),
        (
            format!("<9>1 {time} h"),
            &*format!("<9>1 {time} >@<h"),
            &*format!("!invalid_hostname !{missing}_app_name"),
        ),
        (format!("<9>1 {time} h p"), &*format!("<9>1 {time} h >@<p"), &*format!("!{missing}_procid")),
        (format!("<9>1 {time} h p 1"), &*format!("<9>1 {time} h p >@<1"), &*format!("!{missing}_msgid")),
        (format!("<9>1 {time} h p 1 m"), &*format!("<9>1 {time} h p 1 >@<m"), &*format!("!{missing}_sdata")),
        (format!("<9>1 {time} h p 1 m x"), &*format!("<9>1 {time} h p 1 m>@< x"), "!missing_message"),
        (format!("<9>1 {time} h p 1 m -x"), &*format!("<9>1 {time} h p 1 m >@<-x"), "!missing_message"),
    ] {
        let tags = if marks.is_empty() { String::new() } else { format!(" {marks}") };
        let want = format!(
            "43 prog=syslog-ng text=Error processing log message: {place} !message.parse_error{tags}"
        );
        check_5424(&line, &want);
    }
}

/// Structured data and what is kept of it; `-` when it is invalid.
#[track_caller]
fn check_sdata(sdata: &str, want: &str) {
    let shown = show(&decoded(format!("<9>1 - h p - - {sdata} t").as_bytes(), with_flags("syslog-protocol")));
    let want = match want {
        "-" => "!rfc5424_invalid_sdata".to_owned(),
        "" => "9 host=h prog=p text=t !missing_timestamp".to_owned(),
        want => format!("9 host=h prog=p sd={want} text=t !missing_timestamp"),
    };
    let is_as_wanted = if want.starts_with('!') { shown.contains(&want) } else { shown.starts_with(&want) };
    assert!(is_as_wanted, "{sdata}: {shown}");
}

#[test]
fn structured_data_is_of_the_grammar() {
    for sdata in [
        "[a]",
        "[a b=\"\"]",
        "[a b=\"c\" d=\"e\"][f]",
        "[a b=\"\\\"\\]\\\\\"]",
        "[a b=\"=\"]",
        "[a b=\"\\x\"]",
    ] {
        check_sdata(sdata, sdata);
    }
    for sdata in [
        "[]",
        "[ ]",
        "[=]",
        "[a=]",
        "[a\"]",
        "[a ]",
        "[a  b=\"c\"]",
        "[a b]",
        "[a b =\"c\"]",
        "[a b=\"c]\"]",
        "[\u{e4}]",
        "[a b=\"c\"x]",
        "[a",
        "[a b=\"c",
    ] {
        check_sdata(sdata, "-");
    }
    check_sdata("[a b=c d=\"e\" f=g]", "[a b=\"c\" d=\"e\" f=\"g\"]");
    check_sdata("[a b=x\"y\\z]", "[a b=\"x\\\"y\\\\z\"]");
    check_sdata("[a b=]", "[a b=\"\"]");
    // The names of an element and of a parameter have 248 bytes together.
    let (id, name) = ("i".repeat(200), "n".repeat(48));
    check_sdata(&format!("[{id} {name}=\"v\"]"), &format!("[{id} {name}=\"v\"]"));
    check_sdata(&format!("[{id} {name}n=\"v\"]"), "-");
    let longest = "i".repeat(248);
    check_sdata(&format!("[{longest}]"), &format!("[{longest}]"));
    check_sdata(&format!("[{longest}i]"), "-");
}

#[test]
fn control_characters_are_escaped_and_line_ends_made_blanks() {
    let text = |names: &str, line: &[u8]| {
        let batch = decoded(&[b"<9>p: ", line].concat(), with_flags(names));
        String::from_utf8_lossy(batch.fixed(0, Field::Message)).into_owned()
    };
    let all: Vec<u8> = (1..33).chain([127, 0xff]).collect();
    let want = "\\x01\\x02\\x03\\x04\\x05\\x06\\x07\\b\\t\\n\\x0b\\f\\r\\x0e\\x0f\\x10\\x11\\x12\\x13\\x14\\x15\\x16\\x17\
                \\x18\\x19\\x1a\\x1b\\x1c\\x1d\\x1e\\x1f \u{7f}\\xff";
    assert_eq!(text("sanitize-utf8", &all), want);
    assert_eq!(text("sanitize-utf8", b"a\x01"), "a\x01", "it is UTF-8");
    assert_eq!(text("sanitize-utf8 assume-utf8", b"a\xff"), "a\u{fffd}", "nothing is checked");
    assert_eq!(text("no-multi-line", b"a\rb\nc\0d"), "a b c d");
    assert_eq!(text("no-multi-line sanitize-utf8", b"a\n\xff"), "a\\n\\xff");
    for (names, line, utf8, is_marked) in [
        ("validate-utf8", &b"a"[..], true, false),
        ("validate-utf8", b"\xff", false, true),
        ("sanitize-utf8", b"a", true, false),
        ("sanitize-utf8", b"\xff", true, false),
        ("", b"a", false, false),
    ] {
        let batch = decoded(&[b"<9>p: ", line].concat(), with_flags(names));
        let message = &batch.messages[0];
        assert_eq!(
            (message.utf8, message.marks.has(Mark::InvalidUtf8)),
            (utf8, is_marked),
            "{names} {line:?}"
        );
    }
}

#[test]
fn frames_become_messages_of_their_origin() {
    let text = b"<9>a: one\n<9>b: two\n\0";
    let mut batch = batch_of(text);
    batch.origins.push(Arc::new(Origin::default()));
    let frame = |start, end, marks| Frame { start, end, marks };
    let mut marks = Marks::NONE;
    marks.add(Mark::Truncated);
    let frames = [frame(0, 9, marks), frame(10, text.len(), Marks::NONE)];
    Decoder::new(DecodeOptions::default()).decode_frames(&mut batch, &frames, 1);
    let shown: Vec<(String, u16, bool)> = batch
        .messages
        .iter()
        .map(|message| {
            let raw = String::from_utf8_lossy(batch.bytes(message.raw)).into_owned();
            (raw, message.origin, message.marks.has(Mark::Truncated))
        })
        .collect();
    assert_eq!(shown, [("<9>a: one".to_owned(), 1, true), ("<9>b: two".to_owned(), 1, false)]);
}

#[test]
fn flags_have_their_names() {
    for name in ParseFlags::names() {
        for spelled in [name.to_owned(), name.replace('-', "_")] {
            let mut flags = ParseFlags::default();
            flags.apply(&spelled).unwrap();
            let mut off = ParseFlags(0);
            off.apply(name).unwrap();
            let (positive, negative) = (off != ParseFlags(0), flags != ParseFlags::default());
            assert!(positive || negative, "{name} changes something");
            assert!(!positive || flags.has(off), "{name} is set");
        }
    }
    assert_eq!(UnknownFlag.to_string(), "unknown source flag");
    let both = ParseFlags::KERNEL.with(ParseFlags::LOCAL);
    assert!(both.has(ParseFlags::LOCAL) && !ParseFlags::LOCAL.has(both));
    assert_eq!(both.without(ParseFlags::KERNEL), ParseFlags::LOCAL);
}

#[test]
fn marks_of_a_text_inside_are_added_to_those_of_its_message() {
    let mut batch = decoded(b"a: b: c", DecodeOptions::default());
    let before = batch.messages[0].marks;
    batch.messages[0].marks.add(Mark::Truncated);
    assert!(Decoder::new(DecodeOptions::default()).decode_into(&mut batch, 0, Span::received(3, 4)));
    let mut want = before;
    want.add(Mark::Truncated);
    assert_eq!((batch.messages[0].marks, show(&batch).split(' ').nth(1)), (want, Some("prog=b")));
}

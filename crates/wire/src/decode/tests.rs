//! Rows for both dialects and every flag; properties: decoding is total, spans lie within the batch.

mod limits;

use super::*;
use crate::{Dialect, EncodeOptions, Encoder, Framing};
use jiff::tz::TimeZone;
use message::{Ack, Field, FieldName, Origin, Stamp};
use proptest::prelude::*;
use std::sync::Arc;

/// 2026-11-21T09:00:00Z.
const NOW_S: i64 = 1_795_251_600;

fn batch_of(line: &[u8]) -> Batch {
    let received = Stamp::known(NOW_S * 1_000_000, 0);
    Batch::new(Arc::new(line.to_vec()), vec![Arc::new(Origin::default())], received, Ack::none())
}

fn decoded(line: &[u8], options: DecodeOptions) -> Batch {
    let mut batch = batch_of(line);
    Decoder::new(options).decode(&mut batch, Span::received(0, line.len()), Marks::NONE, 0);
    batch
}

/// Shows in a fixed order how a message differs from an empty one.
fn show(batch: &Batch) -> String {
    let message = &batch.messages[0];
    let mut shown = format!("{}", message.pri.0);
    if message.event.quality != message::ZoneQuality::Absent {
        let mut text = Vec::new();
        let digits = if message.event.micros() == 0 { 0 } else { 6 };
        crate::StampText::new(crate::StampFormat::Iso, digits, None).append(message.event, &mut text);
        shown += &format!(" {}", String::from_utf8_lossy(&text));
    }
    let spans = [
        ("host", message.host),
        ("prog", message.program),
        ("pid", message.pid),
        ("id", message.msgid),
        ("sd", message.sdata),
        ("text", message.text),
    ];
    for (name, span) in spans {
        if !span.is_empty() {
            shown += &format!(" {name}={}", String::from_utf8_lossy(batch.bytes(span)));
        }
    }
    let tags: Vec<&str> = message.marks.tags().map(|tag| tag.trim_start_matches("syslog.")).collect();
    if tags.is_empty() { shown } else { format!("{shown} !{}", tags.join(" !")) }
}

fn with_flags(names: &str) -> DecodeOptions {
    let mut options = DecodeOptions::default();
    names.split_whitespace().for_each(|name| options.flags.apply(name).unwrap());
    options
}

#[track_caller]
fn check_with(names: &str, line: &str, want: &str) {
    assert_eq!(show(&decoded(line.as_bytes(), with_flags(names))), want);
}

#[track_caller]
fn check(line: &str, want: &str) {
    check_with("", line, want);
}

#[track_caller]
fn check_5424(line: &str, want: &str) {
    check_with("syslog-protocol", line, want);
}

#[test]
fn reads_ordinary_lines() {
    check(
        "<38>Nov 21 08:59:01 web1 sshd[77]: hello",
        "38 2026-11-21T08:59:01+00:00 host=web1 prog=sshd pid=77 text=hello",
    );
    check("<38>Nov  1 08:59:01 web1 a/b: x", "38 2026-11-01T08:59:01+00:00 host=web1 prog=a/b text=x");
    check("<38>Nov 1 08:59:01 web1 cron: x\n", "38 2026-11-01T08:59:01+00:00 host=web1 prog=cron text=x");
    check(
        "<0>Nov 21 08:59:01 fe80::1:2 kernel: x",
        "0 2026-11-21T08:59:01+00:00 host=fe80::1:2 prog=kernel text=x",
    );
    check("<13>Nov 21 08:59:01 user@host x y", "13 2026-11-21T08:59:01+00:00 host=user@host prog=x text=y");
}

#[test]
fn reads_what_is_missing() {
    check("", "13 !missing_pri !missing_timestamp !rfc3164_missing_header");
    check("hello world", "13 prog=hello text=world !missing_pri !missing_timestamp !rfc3164_missing_header");
    check("<12>su[5]: x", "12 prog=su pid=5 text=x !missing_timestamp !rfc3164_missing_header");
    check("<12>Nov 21 08:59:01 su: x", "12 2026-11-21T08:59:01+00:00 prog=su text=x !invalid_hostname");
    check("<12>Nov 21 08:59:01 ", "12 2026-11-21T08:59:01+00:00 !invalid_hostname");
    check("<12", "12 !missing_timestamp !rfc3164_missing_header");
    check("<>x", "0 prog=x !missing_timestamp !rfc3164_missing_header");
}

#[test]
fn marks_bad_priorities() {
    check("<999>Nov 21 08:59:01 h p: x", "13 2026-11-21T08:59:01+00:00 host=h prog=p text=x !invalid_pri");
    check("<4294967309>p: x", "13 prog=p text=x !missing_timestamp !rfc3164_missing_header !invalid_pri");
    check("<a>x", "13 text=<a>x !invalid_pri");
    check(
        "7 <13>x",
        "13 prog=<13>x !missing_pri !missing_timestamp !unexpected_framing !rfc3164_missing_header",
    );
}

#[test]
fn every_month_has_its_name() {
    let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    for (month, name) in (1..).zip(names) {
        // The year is the one in which the month is nearest: now it is November 2026.
        let year = if month < 5 { 2027 } else { 2026 };
        for name in [name.to_owned(), name.to_uppercase()] {
            let shown =
                show(&decoded(format!("<8>{name} 12 08:59:01 h p: t").as_bytes(), DecodeOptions::default()));
            let want = format!("-{month:02}-12T08:59:01+00:00 host=h prog=p text=t");
            assert!(shown.ends_with(&want), "{name} of about {year}: {shown}");
        }
    }
}

#[test]
fn names_of_structured_data_have_a_longest_length() {
    // The name of an element and that of a parameter have 255 bytes together with `.SDATA.` before them.
    let line = |id: usize| format!("<8>1 2026-11-21T09:00:00Z h p - - [{} a=\"1\"] t", "x".repeat(id));
    let is_marked =
        |id: usize| show(&decoded(line(id).as_bytes(), with_flags("syslog-protocol"))).contains('!');
    let longest = (1..300).rev().find(|id| !is_marked(*id));
    let longest = longest.expect("some length is possible");
    assert!((1..=longest).all(|id| !is_marked(id)) && is_marked(longest + 1), "{longest}");
    assert_eq!(longest, 255 - ".SDATA.".len() - 1, "one byte is left for the parameter");
}

#[test]
fn reads_times_of_devices() {
    check(
        "<8>Nov 21 2024 08:59:01: %X-1: t",
        "8 2024-11-21T08:59:01+00:00 prog=%X-1 text=t !invalid_hostname",
    );
    check("<8>Nov 21 08:59:01 2024 h p: t", "8 2024-11-21T08:59:01+00:00 host=h prog=p text=t");
    check("<8>Nov 21 08:59:01.25 h p: t", "8 2026-11-21T08:59:01.250000+00:00 host=h prog=p text=t");
    check("<8>NOV 21 08:59:01,1234567 h p: t", "8 2026-11-21T08:59:01.123456+00:00 host=h prog=p text=t");
    check("<8>2024-02-30T25:61:01Z h p: t", "8 2024-03-02T02:01:01+00:00 host=h prog=p text=t");
    check("<8>2024-02-03 04:05:06+01:30 h p: t", "8 2024-02-03T04:05:06+01:30 host=h prog=p text=t");
    check("<8>Dec 31 08:59:01 h p: t", "8 2026-12-31T08:59:01+00:00 host=h prog=p text=t");
    check("<8>Jan 31 08:59:01 h p: t", "8 2026-01-31T08:59:01+00:00 host=h prog=p text=t");
}

#[test]
fn reads_cisco_headers() {
    check(
        "<9>45: *Nov 21 08:59:01: %A-5-B: t",
        "9 2026-11-21T08:59:01+00:00 prog=%A-5-B \
           sd=[meta sequenceId=\"45\"][timeQuality isSynced=\"0\"] text=t !invalid_hostname",
    );
    check(
        "<9>: .Nov 21 08:59:01 h p: t",
        "9 2026-11-21T08:59:01+00:00 host=h prog=p sd=[meta sequenceId=\"\"][timeQuality isSynced=\"1\"] text=t",
    );
    check("<9>45:x", "9 prog=45 text=x !missing_timestamp !rfc3164_missing_header");
}

#[test]
fn reads_forwarded_and_repeated_lines() {
    check(
        "<9>Nov 21 08:59:01 Message forwarded from aix7: su: t",
        "9 2026-11-21T08:59:01+00:00 host=aix7 prog=su text=t",
    );
    check(
        "<9>Nov 21 08:59:01 last message repeated 3 times",
        "9 2026-11-21T08:59:01+00:00 text=last message repeated 3 times",
    );
}

#[test]
fn reads_rfc5424() {
    check_5424(
        "<9>1 2024-02-03T04:05:06.5Z h p 1 m [a b=\"c\"] text",
        "9 2024-02-03T04:05:06.500000+00:00 host=h prog=p pid=1 id=m sd=[a b=\"c\"] text=text",
    );
    check_5424("<9>1 - - - - - -", "9 !missing_timestamp");
    check_5424(
        "<9>1 - h p - - [a][b c=\"\\]\\\"\"]\u{feff}",
        "43 prog=syslog-ng text=Error processing log message: \
        <9>1 - h p - - [a][b c=\"\\]\\\"\">@<]\u{feff} !message.parse_error !missing_timestamp !missing_message",
    );
    check_5424("<9>1 - h p - - - \u{feff}x", "9 host=h prog=p text=x !missing_timestamp");
    check_5424(
        "<9>1 - h p - - [a b=c] x",
        "9 host=h prog=p sd=[a b=\"c\"] text=x !missing_timestamp !rfc5424_unquoted_sdata_value",
    );
    check_5424(
        "<9>1 - h p - - no data",
        "43 prog=syslog-ng text=Error processing log message: \
        <9>1 - h p - ->@< no data !message.parse_error !missing_timestamp !missing_message",
    );
}

#[test]
fn what_is_not_rfc5424_is_read_as_rfc3164() {
    check_5424("<9>Nov 21 08:59:01 h p: t", "9 2026-11-21T08:59:01+00:00 host=h prog=p text=t");
    check_with(
        "syslog-protocol no-rfc3164-fallback",
        "<9>p: t",
        "43 prog=syslog-ng text=Error processing log message: <9>p: t !message.parse_error",
    );
    check_with(
        "syslog-protocol no-rfc3164-fallback no-piggyback-errors",
        "<9>p: t",
        "13 text=<9>p: t !message.parse_error",
    );
}

#[test]
fn obeys_flags() {
    check_with("no-parse", "<9>p: t", "13 text=<9>p: t");
    check_with("no-header", "<9>Nov 21 08:59:01 h p: t", "9 text=Nov 21 08:59:01 h p: t");
    check_with("no_hostname", "<9>Nov 21 08:59:01 p: t", "9 2026-11-21T08:59:01+00:00 prog=p text=t");
    check_with(
        "no-multi-line",
        "<9>p: a\nb\0c",
        "9 prog=p text=a b c !missing_timestamp !rfc3164_missing_header",
    );
    check_with(
        "check-hostname",
        "<9>Nov 21 08:59:01 h|1 p: t",
        "9 2026-11-21T08:59:01+00:00 prog=h|1 text=p: t !invalid_hostname",
    );
    check_with(
        "check-program",
        "<9>Nov 21 08:59:01 h 1.2: t",
        "9 2026-11-21T08:59:01+00:00 host=h text=1.2: t !rfc3164_invalid_program",
    );
    check_with("kernel", "[ 1.0] up", "5 prog=kernel text=[ 1.0] up !missing_pri !missing_timestamp");
    check_with(
        "guess-timezone",
        "<9>Nov 21 10:59:58 h p: t",
        "9 2026-11-21T10:59:58+02:00 host=h prog=p text=t",
    );
    assert_eq!(ParseFlags::default().apply("no-such"), Err(UnknownFlag));
}

#[test]
fn treats_encodings() {
    let line = b"<9>Nov 21 08:59:01 h p: a\xff\\\x01";
    let shown = |names| {
        let batch = decoded(line, with_flags(names));
        let message = &batch.messages[0];
        (batch.bytes(message.text).to_vec(), message.utf8, message.marks.has(Mark::Utf8Sanitized))
    };
    assert_eq!(shown(""), (b"a\xff\\\x01".to_vec(), false, false));
    assert_eq!(shown("assume-utf8"), (b"a\xff\\\x01".to_vec(), true, false));
    assert_eq!(shown("validate-utf8"), (b"a\xff\\\x01".to_vec(), false, false));
    assert_eq!(shown("sanitize-utf8"), (b"a\\xff\\\\\\x01".to_vec(), true, true));
    assert!(decoded("<9>p: é".as_bytes(), with_flags("validate-utf8")).messages[0].utf8);
}

#[test]
fn legacy_header_is_kept_as_received() {
    let header = |names| {
        let batch = decoded(b"<9>Nov 21 08:59:01 h p[1] t", with_flags(names));
        String::from_utf8_lossy(batch.fixed(0, Field::LegacyMsghdr)).into_owned()
    };
    assert_eq!(header(""), "p[1] ");
    assert_eq!(header("dont-store-legacy-msghdr"), "");
}

#[test]
fn obeys_options() {
    let line = b"<9>Jul 21 08:59:01 badhost p: t";
    let zone = TimeZone::get("Europe/Budapest").unwrap();
    let options = DecodeOptions { zone: zone.clone(), ..DecodeOptions::default() };
    assert_eq!(show(&decoded(line, options)), "9 2026-07-21T08:59:01+02:00 host=badhost prog=p text=t");
    let bad: HostnameTest = Arc::new(|name| name.starts_with(b"bad"));
    let options = DecodeOptions { bad_hostname: Some(bad), ..DecodeOptions::default() };
    assert_eq!(
        show(&decoded(line, options)),
        "9 2026-07-21T08:59:01+00:00 prog=badhost text=p: t !invalid_hostname"
    );
    let options = DecodeOptions { default_pri: Some(message::Priority(165)), ..DecodeOptions::default() };
    assert_eq!(decoded(b"p: t", options).messages[0].pri.0, 165);
    let options = DecodeOptions { keep_timestamp: false, zone, ..DecodeOptions::default() };
    let event = decoded(line, options).messages[0].event;
    assert_eq!((event.unix_s(), event.offset_s), (NOW_S, 3600));
}

#[test]
fn the_year_turns() {
    let year_of = |line: &str, now_s: i64| {
        let mut batch = batch_of(line.as_bytes());
        batch.received = Stamp::known(now_s * 1_000_000, 0);
        Decoder::new(DecodeOptions::default()).decode(
            &mut batch,
            Span::received(0, line.len()),
            Marks::NONE,
            0,
        );
        crate::Civil::of(batch.messages[0].event.unix_s(), 0).year
    };
    let (december, january) = (1_798_700_000, 1_798_800_000);
    assert_eq!(year_of("<9>Dec 31 23:59:59 h p: t", january), 2026);
    assert_eq!(year_of("<9>Jan  1 00:00:00 h p: t", december), 2027);
    assert_eq!(year_of("<9>Jan  1 00:00:00 h p: t", january), 2027);
}

#[test]
fn kept_seconds_do_not_mix() {
    let lines = ["<9>Nov 21 08:59:01 h p: t", "<9>Oct 21 08:59:01 h p: t", "<9>2024-02-03T04:05:01Z h p: t"];
    let text = lines.join("\n");
    let mut batch = batch_of(text.as_bytes());
    let mut decoder = Decoder::new(DecodeOptions::default());
    let mut want = Vec::new();
    for _ in 0..2 {
        let mut at = 0;
        for line in lines {
            decoder.decode(&mut batch, Span::received(at, line.len()), Marks::NONE, 0);
            at += line.len() + 1;
            want.push(decoded(line.as_bytes(), DecodeOptions::default()).messages[0].event);
        }
    }
    assert_eq!(batch.messages.iter().map(|message| message.event).collect::<Vec<_>>(), want);
}

#[test]
fn decodes_into_a_message() {
    let line = b"outer <9>Nov 21 08:59:01 h p: t";
    let mut batch = batch_of(line);
    let mut decoder = Decoder::new(with_flags("syslog-protocol no-rfc3164-fallback"));
    Decoder::new(with_flags("no-parse")).decode(&mut batch, Span::received(0, line.len()), Marks::NONE, 0);
    batch.set_field(0, &FieldName::parse("HOST"), b"kept", message::ValueKind::String);
    assert!(!decoder.decode_into(&mut batch, 0, Span::received(6, line.len() - 6)));
    assert_eq!(show(&batch), "13 host=kept text=outer <9>Nov 21 08:59:01 h p: t");
    assert!(Decoder::new(with_flags("no-hostname")).decode_into(
        &mut batch,
        0,
        Span::received(6, line.len() - 6)
    ));
    assert_eq!(show(&batch), "9 2026-11-21T08:59:01+00:00 host=kept prog=h text=p: t");
}

#[test]
fn decodes_made_text() {
    let mut batch = decoded(b"outer: x", DecodeOptions::default());
    let made = batch.add_extra(b"..<9>7: Nov 21 08:59:01 h p: t");
    let text = made.part(2, made.len());
    assert!(Decoder::new(DecodeOptions::default()).decode_into(&mut batch, 0, text));
    batch.messages[0].marks = Marks::NONE;
    assert_eq!(show(&batch), "9 2026-11-21T08:59:01+00:00 host=h prog=p sd=[meta sequenceId=\"7\"] text=t");
    assert_eq!(batch.fixed(0, Field::Raw), b"outer: x");
}

#[test]
fn a_read_becomes_a_batch_without_a_copy() {
    let mut framer = crate::Framer::new(crate::Framing::Auto, 100, crate::Oversize::Cut);
    let mut decoder = Decoder::new(DecodeOptions::default());
    let (mut carried, mut programs) = (Vec::new(), Vec::new());
    for read in ["<9>one: a\n13 <9>t", "wo: b c\nd<9>th", "ree: e\n"] {
        let mut buffer: Vec<u8> = std::mem::take(&mut carried);
        buffer.extend_from_slice(read.as_bytes());
        let mut frames = Vec::new();
        let used = framer.split(&buffer, &mut frames);
        carried.extend_from_slice(&buffer[used..]);
        let place = buffer.as_ptr();
        let mut batch = batch_of(b"");
        batch.received_bytes = Arc::new(buffer);
        decoder.decode_frames(&mut batch, &frames, 0);
        for message in &batch.messages {
            assert_eq!(batch.bytes(message.raw).as_ptr(), place.wrapping_add(message.raw.start()));
            programs.push(String::from_utf8_lossy(batch.bytes(message.program)).into_owned());
        }
        assert!(batch.extra.is_empty());
    }
    assert_eq!(programs, ["one", "two", "three"]);
}

/// Bytes that resemble messages more often than random ones would.
fn line() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"<13>".to_vec()),
        Just(b"<34>1 ".to_vec()),
        Just(b"Nov 21 08:59:01".to_vec()),
        Just(b"2026-11-21T08:59:01".to_vec()),
        Just(b".123456+01:00 ".to_vec()),
        Just(b"[a b=\"c\\\"\"]".to_vec()),
        Just(b"[a b=".to_vec()),
        Just(b"- ".to_vec()),
        Just(b"12: *".to_vec()),
        Just(b"fe80::1 ".to_vec()),
        Just(b"prog[1]: ".to_vec()),
        Just(b"Message forwarded from ".to_vec()),
        Just(b"last message repeated".to_vec()),
        Just(b"\xEF\xBB\xBF".to_vec()),
        prop::collection::vec(any::<u8>(), 0..8),
        "[ -~]{0,12}".prop_map(String::into_bytes),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn decoding_is_total(line in line(), flags in any::<u32>(), keep_timestamp in any::<bool>(), renames in any::<bool>()) {
        let sdata_prefix = renames.then(|| "sd.".to_owned());
        let options =
            DecodeOptions { flags: ParseFlags(flags), keep_timestamp, sdata_prefix, ..DecodeOptions::default() };
        let batch = decoded(&line, options);
        prop_assert_eq!(batch.len(), 1);
        let m = &batch.messages[0];
        for span in [m.raw, m.host, m.program, m.pid, m.msgid, m.msghdr, m.sdata, m.text] {
            let area = if span.is_extra() { batch.extra.len() } else { batch.received_bytes.len() };
            prop_assert!(span.start() + span.len() <= area);
        }
        prop_assert!(m.pri.0 <= message::Priority::MAX);
        for dialect in [Dialect::Rfc3164, Dialect::Rfc5424] {
            let mut out = Vec::new();
            Encoder::new(EncodeOptions::new(dialect, Framing::OctetCounted)).append(&batch, 0, &mut out);
            prop_assert!(out.len() >= batch.bytes(m.text).len());
        }
    }

    #[test]
    fn no_text_is_lost(line in line()) {
        let batch = decoded(&line, DecodeOptions::default());
        let m = &batch.messages[0];
        prop_assert!(batch.bytes(m.raw) == &line[..stripped_length(&line)]);
        prop_assert!(batch.bytes(m.raw).ends_with(batch.bytes(m.text)));
    }
}

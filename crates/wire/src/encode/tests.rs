//! Rows for both dialects and all framings; property: what was encoded decodes to the same.

#![expect(clippy::disallowed_methods, reason = "a bound on time")]

use super::*;
use crate::{DecodeOptions, Decoder, ParseFlags};
use message::{Ack, Field, FieldName, Marks, Origin, Span, Stamp, ValueKind};
use proptest::prelude::*;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn decoded(line: &[u8], syslog_protocol: bool) -> Batch {
    let received = Stamp::known(1_795_251_600_000_000, 0);
    let mut batch =
        Batch::new(Arc::new(line.to_vec()), vec![Arc::new(Origin::default())], received, Ack::none());
    let mut flags = ParseFlags::default();
    if syslog_protocol {
        flags = flags.with(ParseFlags::SYSLOG_PROTOCOL);
    }
    let options = DecodeOptions { flags, ..DecodeOptions::default() };
    Decoder::new(options).decode(&mut batch, Span::received(0, line.len()), Marks::NONE, 0);
    batch
}

fn encoded(batch: &Batch, options: EncodeOptions) -> String {
    let mut out = b"before".to_vec();
    Encoder::new(options).append(batch, 0, &mut out);
    String::from_utf8_lossy(out.strip_prefix(b"before").unwrap()).into_owned()
}

const RFC3164: &str = "<38>Nov  1 08:59:01 web1 sshd[77] hello";
const RFC5424: &str = "<38>1 2026-11-01T08:59:01.250000+01:00 web1 sshd 77 - [a b=\"c\"] \u{feff}hello";

#[track_caller]
fn check(line: &str, dialect: Dialect, framing: Framing, want: &str) {
    let options = EncodeOptions { fraction_digits: 6, ..EncodeOptions::new(dialect, framing) };
    assert_eq!(encoded(&decoded(line.as_bytes(), true), options), want);
}

#[test]
fn writes_what_it_read() {
    let options = EncodeOptions::new(Dialect::Rfc3164, Framing::Datagram);
    assert_eq!(encoded(&decoded(RFC3164.as_bytes(), false), options), RFC3164);
    check(RFC5424, Dialect::Rfc5424, Framing::Datagram, RFC5424);
}

#[test]
fn writes_the_other_dialect() {
    check(RFC5424, Dialect::Rfc3164, Framing::Datagram, "<38>Nov  1 08:59:01.250000 web1 sshd[77]: hello");
    check(
        RFC3164,
        Dialect::Rfc5424,
        Framing::Datagram,
        "<38>1 2026-11-01T08:59:01.000000+00:00 web1 sshd 77 - - hello",
    );
    check(
        "<9>1 - - - - - -",
        Dialect::Rfc5424,
        Framing::Datagram,
        "<9>1 2026-11-21T09:00:00.000000+00:00 - - - - -",
    );
}

#[test]
fn frames_lines() {
    let line = "<9>1 2026-11-01T08:59:01.000000Z h p - - - x";
    let want = "<9>1 2026-11-01T08:59:01.000000+00:00 h p - - - x";
    check(line, Dialect::Rfc5424, Framing::Newline, &format!("{want}\n"));
    check(line, Dialect::Rfc5424, Framing::Nul, &format!("{want}\0"));
    check(line, Dialect::Rfc5424, Framing::OctetCounted, &format!("{} {want}", want.len()));
    let mut out = b"1 a".to_vec();
    Encoder::new(EncodeOptions::new(Dialect::Rfc3164, Framing::OctetCounted)).append_text(b"", &mut out);
    assert_eq!(out, b"1 a0 ");
}

#[test]
fn stands_in_for_an_unknown_host() {
    let options = EncodeOptions {
        unknown_host: b"me".to_vec(),
        ..EncodeOptions::new(Dialect::Rfc3164, Framing::Datagram)
    };
    assert_eq!(encoded(&decoded(b"<9>Nov  1 08:59:01 p: x", false), options), "<9>Nov  1 08:59:01 me p: x");
}

#[test]
fn a_blank_in_a_field_ends_it() {
    let mut batch = decoded(RFC5424.as_bytes(), true);
    batch.set_field(0, &FieldName::Fixed(Field::Program), b"two words", ValueKind::String);
    batch.set_field(0, &FieldName::Fixed(Field::Msgid), b" ", ValueKind::String);
    let line = encoded(&batch, EncodeOptions::new(Dialect::Rfc5424, Framing::Datagram));
    assert_eq!(line, "<38>1 2026-11-01T08:59:01+01:00 web1 two 77 - [a b=\"c\"] \u{feff}hello");
}

#[track_caller]
fn check_sdata(received: &str, set: &[(&str, Option<&str>)], want: &str) {
    let mut batch = decoded(format!("<9>1 - h p - - {received} x").as_bytes(), true);
    for (name, value) in set {
        let name = FieldName::parse(name);
        match value {
            Some(value) => batch.set_field(0, &name, value.as_bytes(), ValueKind::String),
            None => batch.unset_field(0, &name),
        }
    }
    let mut out = Vec::new();
    append_sdata(&batch, 0, &mut out);
    assert_eq!(String::from_utf8_lossy(&out), want);
}

#[test]
fn completes_structured_data() {
    check_sdata("-", &[], "");
    check_sdata("[a b=\"c\"][e]", &[("other", Some("x"))], "[a b=\"c\"][e]");
    check_sdata("[a b=\"c\"][e]", &[(".SDATA.a.b", Some("n\"]\\"))], "[a b=\"n\\\"\\]\\\\\"][e]");
    check_sdata("[a@1.2 b=\"c\"][e]", &[(".SDATA.a@1.2.d", Some("1"))], "[a@1.2 b=\"c\" d=\"1\"][e]");
    check_sdata(
        "[a b=\"c\"]",
        &[(".SDATA.x@1.2.y", Some("1")), (".SDATA.x@1.2.z", Some("2"))],
        "[a b=\"c\"][x@1.2 y=\"1\" z=\"2\"]",
    );
    check_sdata("[a b=\"c\" d=\"e\"]", &[(".SDATA.a.b", None)], "[a d=\"e\"]");
    check_sdata("[a b=\"c\"]", &[(".SDATA.a.b", None)], "");
    check_sdata("-", &[(".SDATA.a=.b c", Some("1"))], "[a%3D b%20c=\"1\"]");
    // Section 6.3.3: a name may occur in an element more than once.
    check_sdata("[a ip=\"1\" ip=\"2\"]", &[(".SDATA.b.c", Some("3"))], "[a ip=\"1\" ip=\"2\"][b c=\"3\"]");
    check_sdata("[a ip=\"1\" ip=\"2\"]", &[(".SDATA.a.ip", Some("3"))], "[a ip=\"3\" ip=\"3\"]");
    check_sdata(
        "[a b=\"c\"][a.x d=\"e\"]",
        &[(".SDATA.a.x.y", Some("1"))],
        "[a b=\"c\"][a.x d=\"e\" y=\"1\"]",
    );
}

#[test]
fn many_parameters_cost_their_number_not_its_square() {
    const COUNT: usize = 30_000;
    let params: String = (0..COUNT).map(|number| format!(" p{number}=\"\"")).collect();
    let mut batch = decoded(format!("<9>1 - h p - - [a{params}] x").as_bytes(), true);
    for number in 0..COUNT / 10 {
        let name = FieldName::parse(&format!(".SDATA.b{number}.c"));
        batch.set_field(0, &name, b"1", ValueKind::String);
    }
    let (start, mut out) = (Instant::now(), Vec::new());
    append_sdata(&batch, 0, &mut out);
    // This takes some hundredths of a second without optimisation; comparing all with all would take minutes.
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    assert_eq!(batch.sd_params_now(0).len(), COUNT);
    assert!(out.ends_with(format!("[b{} c=\"1\"]", COUNT / 10 - 1).as_bytes()));
}

#[track_caller]
fn check_numbered(received: &str, want: &str) {
    let batch = decoded(format!("<9>1 - h p - - {received} x").as_bytes(), true);
    let mut out = b"x".to_vec();
    append_sdata_numbered(&batch, 0, 7, &mut out);
    assert_eq!(String::from_utf8_lossy(&out[1..]), want);
}

#[test]
fn numbers_messages() {
    check_numbered("-", "[meta sequenceId=\"7\"]");
    check_numbered("[a b=\"[meta c\"]", "[a b=\"[meta c\"][meta sequenceId=\"7\"]");
    check_numbered("[a b=\"c\"]", "[a b=\"c\"][meta sequenceId=\"7\"]");
    check_numbered("[meta][a]", "[meta sequenceId=\"7\"][a]");
    check_numbered("[a][meta sysUpTime=\"1\"]", "[a][meta sequenceId=\"7\" sysUpTime=\"1\"]");
    check_numbered("[meta sequenceId=\"3\"]", "[meta sequenceId=\"3\"]");
    let batch = decoded(b"<9>1 2026-11-01T08:59:01Z h p - - - x", true);
    let mut out = Vec::new();
    Encoder::new(EncodeOptions::new(Dialect::Rfc5424, Framing::Nul)).append_numbered(
        &batch,
        0,
        Some(2),
        &mut out,
    );
    assert!(String::from_utf8_lossy(&out).ends_with(" - - [meta sequenceId=\"2\"] x\0"));
}

proptest! {
    #[test]
    fn decodes_to_the_same(
        pri in 0u16..192, year in 1970i32..2100, micros in 0u32..1_000_000,
        fields in prop::collection::vec("[0-9A-Za-z._@/-]{1,30}", 4),
        sdata in "(\\[[a-z]{1,8}(@[0-9]{1,5})?( [a-z]{1,8}=\"([ !#-Z^-~]|\\\\[\"\\\\\\]]){0,9}\"){0,3}\\]){0,3}",
        text in "([ -~é€]{1,60})?",
    ) {
        let sdata = if sdata.is_empty() { "-".to_owned() } else { sdata };
        let fields = fields.join(" ");
        let line = format!("<{pri}>1 {year}-07-08T09:10:11.{micros:06}+02:00 {fields} {sdata} {text}");
        let first = decoded(line.as_bytes(), true);
        let options = EncodeOptions { fraction_digits: 6, ..EncodeOptions::new(Dialect::Rfc5424, Framing::Datagram) };
        let again = decoded(encoded(&first, options).as_bytes(), true);
        let fields = |batch: &Batch| {
            let m = &batch.messages[0];
            let spans = [m.host, m.program, m.pid, m.msgid, m.sdata, m.text];
            (m.pri, m.event, spans.map(|span| batch.bytes(span).to_vec()))
        };
        prop_assert_eq!(fields(&first), fields(&again));
    }
}

//! Rows for small parsers: patterns, audit records, structured data, tags, syslog headers.

use super::{batch, parsed, renderer, shown};
use crate::parser::{
    Input, Kv, Parser, Probe, Probes, Reader, Regexp, Sdata, Snmptrapd, Syslog, Tags, TextParser, Unreadable,
};
use jiff::tz::TimeZone;
use message::{Field, FieldName, Selection};
use std::sync::Arc;
use template::pattern::{Pattern, PatternFlags, PatternKind};
use wire::{DecodeOptions, ParseFlags};

#[track_caller]
fn check(reader: impl Reader + 'static, prefix: &str, text: &str, want: &str) {
    let parser = TextParser::new(reader, Input::message(), prefix);
    assert_eq!(parsed(&parser, text.as_bytes()), want, "{text}");
}

#[test]
fn patterns_give_their_groups() {
    let patterns = |list: &[&str]| {
        let compile = |text: &&str| {
            Arc::new(Pattern::compile(text, PatternKind::Pcre, PatternFlags::default()).unwrap())
        };
        Regexp::new(list.iter().map(compile).collect())
    };
    check(
        patterns(&["(?<user>\\w+)@(?<host>\\w+)"]),
        "",
        "to anna@web now",
        "0=anna@web|1=anna|2=web|user=anna|host=web",
    );
    check(patterns(&["x(y)", "(?<w>a)|(b)"]), ".re.", "b", "0=b|2=b");
    check(patterns(&["x(y)", "(?<w>a)|(b)"]), ".re.", "a", "0=a|1=a|.re.w=a");
    check(patterns(&["x"]), "", "abc", "stopped");
    let mut batch = batch(&[b"abcd"]);
    for list in [&["(a)(b)(c)"], &["(d)"]] {
        TextParser::new(patterns(list), Input::message(), "").parse(
            &mut batch,
            &Selection::all(1),
            &mut renderer(),
        );
    }
    assert_eq!(shown(&batch, 0), "0=d|1=d");
}

#[test]
fn audit_records_are_decoded() {
    check(
        Kv::linux_audit(),
        "",
        "type=EXECVE msg=audit(1.2:3): argc=2 a0=\"sh\" a1=2D6C20C3A9 a2=ab a3=6162",
        "type=EXECVE|msg=audit(1.2:3):|argc=2|a0=sh|a1=-l é|a2=ab|a3=6162",
    );
    check(Kv::linux_audit(), "", "proctitle=2F62696E2F7368002D63 uid=4120", "proctitle=/bin/sh\t-c|uid=4120");
    check(Kv::linux_audit(), "", "comm=20FF comm=2 comm=", "comm=");
}

#[test]
fn structured_data_is_read_anywhere() {
    check(Sdata, ".SDATA.", "[a@1 b=\"x\\\"y\" c=z][d]", ".SDATA.a@1.b=x\"y|.SDATA.a@1.c=z");
    for text in ["", "x", "[", "[a", "[a b]", "[a b=\"c]", "[a b=c] x", "[ b=c]", "[a =c]"] {
        check(Sdata, "", text, "stopped");
    }
}

#[test]
fn tags_are_added() {
    let mut batch = batch(&[b"one,\"two, three\",one"]);
    TextParser::new(Tags, Input::message(), "").parse(&mut batch, &Selection::all(1), &mut renderer());
    assert_eq!(batch.tags(0), ["one", "two, three"]);
    let many = (0..300).map(|n| format!("t{n},")).collect::<String>();
    check(Tags, "", &many, " (cut)");
}

#[test]
fn a_text_becomes_a_message() {
    let check = |flags: ParseFlags, unreadable: Unreadable, text: &str, want: &str| {
        let parser =
            Syslog::new(DecodeOptions { flags, ..DecodeOptions::default() }, Input::message(), unreadable);
        let mut batch = batch(&[text.as_bytes()]);
        let read = parser.parse(&mut batch, &Selection::all(1), &mut renderer());
        let field = |field: Field| String::from_utf8_lossy(batch.fixed(0, field)).into_owned();
        let sdata = batch.field(0, &FieldName::parse(".SDATA.a.b")).unwrap_or_default();
        let got = [
            field(Field::Host),
            field(Field::Program),
            field(Field::Message),
            String::from_utf8_lossy(&sdata).into_owned(),
            batch.tags(0).join(","),
        ];
        assert_eq!(if read.has(0) { got.join("|") } else { "stopped".into() }, want, "{text}");
    };
    let protocol = ParseFlags::default().with(ParseFlags::SYSLOG_PROTOCOL);
    check(ParseFlags::default(), Unreadable::Marks, "<13>Nov 21 10:00:00 web su: hi", "web|su|hi||");
    check(
        protocol,
        Unreadable::Marks,
        "<13>1 2026-11-21T10:00:00Z web su - - [a b=\"c\"] hi",
        "web|su|hi|c|",
    );
    check(protocol.with(ParseFlags::NO_RFC3164_FALLBACK), Unreadable::Stops, "no header", "stopped");
    check(
        protocol.with(ParseFlags::NO_RFC3164_FALLBACK),
        Unreadable::Marks,
        "no header",
        "||no header||message.parse_error",
    );
}

#[test]
fn probes_count_by_labels() {
    let template =
        |text: &str| Arc::new(template::Template::parse(text, &crate::Definitions::default()).unwrap());
    let probes = Arc::<Probes>::default();
    let count = |label: &str, increment: Option<&str>, texts: &[&[u8]]| {
        let probe = Probe {
            key: Probe::name("9 lines-total"),
            labels: vec![("text".to_owned(), template(label)), ("same".to_owned(), template("x"))],
            increment: increment.map(&template),
            probes: probes.clone(),
        };
        let all = Selection::all(texts.len());
        assert_eq!(probe.parse(&mut batch(texts), &all, &mut renderer()).count(), texts.len());
        let shown = |((key, labels), count): ((String, Vec<(String, String)>), u64)| {
            let labels: Vec<String> = labels.iter().map(|(name, value)| format!("{name}={value}")).collect();
            format!("{key}{{{}}} {count}", labels.join(","))
        };
        probes.list().into_iter().map(shown).collect::<Vec<_>>().join("; ")
    };
    let two = "__lines_total{text=a,same=x} 2; __lines_total{text=b\u{fffd},same=x} 1";
    assert_eq!(count("$MSG", None, &[b"a", b"b\xfe", b"a"]), two);
    let more = "__lines_total{same=x} 7; ";
    assert_eq!(count("", Some("$MSG"), &[b"5", b"2", b"-1", b"many"]), format!("{more}{two}"));
    probes.reset();
    assert!(probes.list().iter().all(|(_, count)| *count == 0));
}

fn traps() -> Snmptrapd {
    Snmptrapd::new(TimeZone::UTC)
}

#[test]
fn traps_are_read_with_their_variables() {
    let head = "2026-03-01 10:20:30 router.example [UDP: [10.0.0.1]:40000->[10.0.0.2]:162]";
    let want = "hostname=router.example|transport_info=UDP: [10.0.0.1]:40000->[10.0.0.2]:162";
    let rows = [
        (":", ""),
        (":\n", ""),
        (":\nA.1 = STRING: \"a \\\"b\\\"\tc\\n\"\tB = \"\"\tC = Gauge32: 7", "|A.1=a \"b\"\tc\n|B=|C=7"),
        (
            " : \n UP-MIB::up.0 = Timeticks: (42) 0:00:00.42 \tA:::b: = OID: X-MIB::y",
            "|UP-MIB_up.0=(42) 0:00:00.42|A_b_=X-MIB::y",
        ),
        (":\nA = INTEGER: up(1)   B = NULL\t C=plain text\nD = INTEGER: 1", "|A=up(1)|B=NULL|C=plain text"),
        (":\nA = STRING: \"two\nlines\"\tB = STRING: it's", "|A=two\nlines|B=it's"),
        (":\nA = Hex-STRING: 41 42 \n43 44 \tB = INTEGER: 1\n45 = no", "|A=41 42 \n43 44|B=1"),
        // Only lines that begin with two digits and a blank continue the one before, and only of this type.
        (":\nA = Hex-STRING: 41\nB = INTEGER: 1", "|A=41"),
        (":\nA = Hex-STRING: 41\n42", "|A=41\n42"),
        (":\nA = Hex-STRING: 41\nB2x = INTEGER: 1", "|A=41"),
        (":\nA = Hex-STRING: 41\ng2 = INTEGER: 1", "|A=41"),
        (":\nA = Hex-STRING: 41\nx y", "|A=41"),
        (":\nA = OID: 41\n42", "|A=41"),
        (":\nA.\"b c\".1 = STRING: x\t* lost B = INTEGER: 2", "|A.\"b c\".1=x|B=2"),
        (":\nA = STRING: \"open B = INTEGER: 2", "|A=\"open|B=2"),
        (
            ":\nA = Wrong Type (should be INTEGER): STRING: \"q\"",
            "|A=Wrong Type (should be INTEGER): STRING: \"q\"",
        ),
        (": A = STRING: \"[x]:\"\tB = \"y\"", "|A=[x]:|B=y"),
        // Version 1: the enterprise after the header, the kind on a line of its own.
        (
            ": 1.3.6.1.4\n\t Enterprise Specific Trap (.17) Uptime: 1:02:03.04\nA = INTEGER: 5",
            "|enterprise_oid=1.3.6.1.4|type=Enterprise Specific Trap|subtype=.17|uptime=1:02:03.04|A=5",
        ),
        (
            ":\n\tCold Start Trap (0) Uptime: 22 days, 3:01",
            "|type=Cold Start Trap|subtype=0|uptime=22 days, 3:01",
        ),
        (":\n\tA = INTEGER: 5", "|A=5"),
    ];
    for (text, values) in rows {
        check(traps().without_message(), "", &format!("{head}{text}"), &format!("{want}{values}"));
    }
    check(
        traps().without_message(),
        ".snmp.",
        "2026-03-01 10:20:30 0.0.0.0(via UDP: [10.0.0.1]:40000->[10.0.0.2]:162) TRAP, SNMP v1, community public\n\
         \t1.3.6.1.4.1.9 Enterprise Specific Trap (.17) Uptime: 1:02:03.04\n\t1.3.6.1 = INTEGER: 5",
        ".snmp.hostname=0.0.0.0|.snmp.transport_info=UDP: [10.0.0.1]:40000->[10.0.0.2]:162|\
         .snmp.enterprise_oid=1.3.6.1.4.1.9|.snmp.type=Enterprise Specific Trap|.snmp.subtype=.17|\
         .snmp.uptime=1:02:03.04|.snmp.1.3.6.1=5",
    );
}

#[test]
fn texts_that_are_not_traps_are_stopped() {
    for text in [
        "",
        "NET-SNMP version 5.9",
        "2026-03-01 10:20:30",
        "2026-03-01 10:20:30 h",
        "2026-03-01 10:20:30 h [",
        "2026-03-01 10:20:30 h [x] A = STRING: y",
        "2026-03-01 10:20:30 NET-SNMP version 5.9 Stopped.\nStopping snmptrapd",
        "2026-13-01 10:20:30 h [UDP: x]:",
        "h [UDP: x]: A = STRING: y",
        "2026-03-01 10:20:30 h(via x) SNMP v1",
    ] {
        check(traps(), "", text, "stopped");
    }
}

#[test]
fn traps_become_a_message_of_one_line() {
    let parse = |reader: Snmptrapd| {
        let text =
            b"2026-03-01 10:20:30 h [UDP: [1]:1->[2]:2]:\nA::b = STRING: \"it's\n\\\\\x01\x08\x0c\r\x1f \"";
        let mut batch = batch(&[text]);
        TextParser::new(reader, Input::message(), "").parse(&mut batch, &Selection::all(1), &mut renderer());
        let field = |field: Field| String::from_utf8_lossy(batch.fixed(0, field)).into_owned();
        format!("{} {} {}", field(Field::Program), batch.messages[0].event.unix_s(), field(Field::Message))
    };
    let want = "hostname='h', transport_info='UDP: [1]:1->[2]:2', A::b='it\\'s\\n\\\\\\x01\\b\\f\\r\\x1f '";
    assert_eq!(parse(traps()), format!("snmptrapd 1772360430 {want}"));
    assert_eq!(parse(traps().without_message()), "snmptrapd 1772360430 ");
}

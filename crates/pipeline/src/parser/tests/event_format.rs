//! Rows for CEF and LEEF.

use super::parsed;
use crate::parser::{Cef, Input, Leef, Reader, TextParser};

#[track_caller]
fn check(reader: impl Reader + 'static, text: &str, want: &str) {
    let parser = TextParser::new(reader, Input::message(), "");
    assert_eq!(parsed(&parser, text.as_bytes()), want, "{text}");
}

#[test]
fn cef_events_are_read() {
    let head = "version=0|device_vendor=Oak|device_product=gate|device_version=1.2|device_event_class_id=7|name=too|slow|agent_severity=5";
    check(Cef, "CEF:0|Oak|gate|1.2|7|too\\|slow|5|", head);
    check(
        Cef,
        "host CEF: 0|Oak|gate|1.2|7|too\\|slow|5| src=10.0.0.1 msg=two words\\=2 \\\\ path=C:\\n url=http://x?a=b&c=d dst= x=1 ",
        &format!(
            "{head}|extensions.src=10.0.0.1|extensions.msg=two words=2 \\|extensions.path=C:\n|extensions.url=http://x?a=b&c=d|extensions.dst=|extensions.x=1"
        ),
    );
    for text in ["", "CEF:", "CEF:0|a|b|c|d|e", "CEF:0|a|b|c|d|e|", "LEEF:1.0|a|b|c|d|"] {
        check(Cef, text, "stopped");
    }
}

/// A text whose header is `head`, and its pairs.
#[track_caller]
fn pairs(reader: impl Reader + 'static, text: &str, head: &str, want: &[&str]) {
    let want = want.iter().fold(head.to_owned(), |want, value| format!("{want}|extensions.{value}"));
    check(reader, text, &want);
}

#[test]
fn cef_keys_follow_blanks() {
    let head = "version=0|device_vendor=a|device_product=b|device_version=c|device_event_class_id=d|name=e|agent_severity=5";
    let rows: &[(&str, &[&str])] = &[
        ("words only", &[]),
        ("=x", &[]),
        ("some words src=1 2", &["src=1 2"]),
        (
            "msg=see http://h/?q=1 end cs1=v cs1Label=a label",
            &["msg=see http://h/?q=1 end", "cs1=v", "cs1Label=a label"],
        ),
        ("a=1\nb=2\tc=3", &["a=1", "b=2", "c=3"]),
        ("a=one\ntwo b=2", &["a=one\ntwo", "b=2"]),
        ("a=  1  b=  c=\\", &["a=1", "b=", "c=\\"]),
        ("ad.list[0]=x _k-1=y", &["ad.list[0]=x", "_k-1=y"]),
        ("a=x\\=1 b\\=2 c=\\|\\r\\t", &["a=x=1 b=2", "c=|\r\\t"]),
        ("msg=\"a b\" é=1 n=2", &["msg=\"a b\" é=1", "n=2"]),
    ];
    for (text, want) in rows {
        pairs(Cef, &format!("CEF:0|a|b|c|d|e|5|{text}"), head, want);
    }
    check(Cef, "CEF:0|a|b|c|d|e|5", head);
    check(Cef, "<13>Nov  1 10:00:00 h CEF:0|a|b|c|d|e|5|", head);
}

#[test]
fn leef_events_are_read() {
    check(
        Leef,
        "LEEF:1.0|Oak|gate|1.2|login|user=anna\tsrc=10.0.0.1\tq=a=b",
        "version=1.0|vendor=Oak|product_name=gate|product_version=1.2|event_id=login|extensions.user=anna|extensions.src=10.0.0.1|extensions.q=a=b",
    );
    let rest = "version=2.0|vendor=Oak|product_name=gate|product_version=1.2|event_id=login|extensions.a=1|extensions.b=2";
    check(Leef, "LEEF:2.0|Oak|gate|1.2|login|^|a=1^b=2", &format!("leef_delimiter=^|{rest}"));
    check(Leef, "LEEF:2.0|Oak|gate|1.2|login|0x3B|a=1;b=2", &format!("leef_delimiter=0x3B|{rest}"));
    check(Leef, "LEEF:2.0|Oak|gate|1.2|login||a=1\tb=2", rest);
    check(
        Leef,
        "LEEF:1.0|O\\|k|gate|1.2|login|path=C:\\new\tu=\\\\h\\s\te=a\\=b",
        "version=1.0|vendor=O|k|product_name=gate|product_version=1.2|event_id=login|extensions.path=C:\\new|extensions.u=\\\\h\\s|extensions.e=a=b",
    );
    for text in ["", "LEEF:", "LEEF:1.0|a|b", "LEEF:1.0|a|b|c|", "CEF:0|a|b|c|d|e|5|"] {
        check(Leef, text, "stopped");
    }
}

#[test]
fn leef_pairs_are_between_delimiters() {
    let head = "vendor=a|product_name=b|product_version=c|event_id=d";
    let rows: &[(&str, &str, &[&str])] = &[
        ("1.0", "", &[]),
        ("1.0", "words", &[]),
        ("1.0", "a=1\tmore text\tb=2\t", &["a=1\tmore text", "b=2"]),
        ("1.0", "junk\ta=1\t\tb=\tc = 3", &["a=1", "b=", "c= 3"]),
        ("1.0", "a=1|b=2", &["a=1|b=2"]),
        ("2.0", "", &[]),
        ("2.0", "a=1\tb=x|\tc=3", &["a=1", "b=x|", "c=3"]),
        ("2.0", "none|a=1\tb=2", &["a=1", "b=2"]),
        ("2.0", "x+9|a=1", &["a=1"]),
        ("2.0", "x1234|a=1\tb=2", &["a=1", "b=2"]),
    ];
    for (version, text, want) in rows {
        let head = format!("version={version}|{head}");
        pairs(Leef, &format!("LEEF:{version}|a|b|c|d|{text}"), &head, want);
    }
    for code in ["x09", "0x09", "X9", "x0009", "0X09"] {
        let head = format!("leef_delimiter={code}|version=2.0|{head}");
        pairs(Leef, &format!("LEEF:2.0|a|b|c|d|{code}|a=1\tb=2"), &head, &["a=1", "b=2"]);
    }
    check(Leef, "LEEF:1.0|a|b|c|d", &format!("version=1.0|{head}"));
}

//! Rows about CEF and LEEF.

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
    for text in [
        "",
        "CEF:",
        "CEF:0|a|b|c|d|e|f",
        "LEEF:1.0|a|b|c|d|",
        "CEF:0|a|b|c|d|e|5|words",
        "CEF:0|a|b|c|d|e|5|=x",
    ] {
        check(Cef, text, "stopped");
    }
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
    for text in [
        "",
        "LEEF:",
        "LEEF:1.0|a|b",
        "LEEF:2.0|a|b|c|d|",
        "LEEF:2.0|a|b|c|d|long|a=1",
        "LEEF:1.0|a|b|c|d|words",
    ] {
        check(Leef, text, "stopped");
    }
}

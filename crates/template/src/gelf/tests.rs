//! Messages sent as GELF are received unchanged.

use super::append_gelf;
use message::{Ack, Batch, FieldName, Origin, Stamp};
use std::sync::Arc;
use wire::{DecodeOptions, ShippedReader};

fn read(text: &str) -> Batch {
    let received = Stamp::known(1_800_000_000_000_000, 0);
    let bytes = Arc::new(text.as_bytes().to_vec());
    let mut batch = Batch::new(bytes, vec![Arc::new(Origin::default())], received, Ack::none());
    ShippedReader::new(DecodeOptions::default(), "").gelf(&mut batch, 0).unwrap();
    batch
}

fn write(batch: &Batch) -> String {
    let mut out = Vec::new();
    append_gelf(batch, 0, &mut out);
    String::from_utf8(out).unwrap()
}

/// Fields of GELF that must come back as they are, whatever their order.
#[track_caller]
fn check(text: &str) {
    let sent: serde_json::Value = serde_json::from_str(text).unwrap();
    let once = write(&read(text));
    let got: serde_json::Value = serde_json::from_str(&once).unwrap();
    assert_eq!(write(&read(&once)), once, "the second hop changes nothing");
    for (name, value) in sent.as_object().unwrap() {
        assert_eq!(got.get(name), Some(value), "{name} of {once}");
    }
}

#[test]
fn l7_a_message_is_returned_complete() {
    check(
        r#"{"version":"1.1","host":"web","short_message":"it failed","full_message":"it failed\n\tat line \"1\"","timestamp":1385053862.307225,
            "level":3,"_facility":"local4","_color":"green","_user_id":9001,"_ratio":-0.5,"_done":true,"_list":[1,{"a":"b"}],
            "_some.dotted-name":"x","_empty":"","_program":"app","_pid":77,"_msgid":"ID47","_level":"high","_time":"noon","_host":"inner",
            "_unicode":"grün","_SDATA":"plain"}"#,
    );
    check(r#"{"version":"1.1","host":"web","short_message":"x","timestamp":0.5,"level":7}"#);
    check(
        r#"{"version":"1.1","host":"web","short_message":"x","timestamp":-1.25,"level":0,"_program":"a","_PROGRAM":"b"}"#,
    );
}

#[test]
fn l7_names_and_texts_that_gelf_cannot_hold_are_changed() {
    let mut batch = read(r#"{"version":"1.1","host":"web","short_message":"x","timestamp":1}"#);
    batch.set_field(0, &FieldName::parse(".dot.one"), b"1", message::ValueKind::String);
    batch.set_field(0, &FieldName::parse("a b/ü"), b"nan", message::ValueKind::Double);
    batch.set_field(0, &FieldName::parse("id"), b"7", message::ValueKind::Integer);
    batch.set_field(0, &FieldName::parse("_own"), b"\xff", message::ValueKind::String);
    batch.set_field(0, &FieldName::parse("1"), b"match", message::ValueKind::String);
    batch.set_field(0, &FieldName::parse(".SDATA.ex@1.k"), b"v", message::ValueKind::String);
    let want = r#"{"version":"1.1","host":"web","short_message":"x","timestamp":1,"level":5,"_facility":"user","_dot.one":"1","_a_b__":"nan","__id":7,"_own":"\\xff","_SDATA.ex_1.k":"v"}"#;
    assert_eq!(write(&batch), want);
    // Structured data of the header is sent under its names, unless a value has the same name.
    batch.set_field(0, &FieldName::parse(".SDATA.ex@1.n"), b"w", message::ValueKind::String);
    assert!(
        write(&batch).contains(r#""_SDATA.ex_1.k":"v""#) && write(&batch).contains(r#""_SDATA.ex_1.n":"w""#)
    );
    let empty = write(&read(r#"{"timestamp":1}"#));
    assert!(
        empty.starts_with(r#"{"version":"1.1","host":"-","short_message":"{\"timestamp\":1}""#),
        "{empty}"
    );
}

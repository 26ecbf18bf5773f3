//! Messages that are written as records and read again.

use super::*;
use crate::{DecodeOptions, OtlpNames, ShippedReader};
use message::{Ack, FieldName, Origin, Priority, Span, Stamp};
use proptest::prelude::*;
use std::sync::Arc;

const RECEIVED: Stamp =
    Stamp { unix_us: 1_795_000_000_000_000, offset_s: 3600, quality: message::ZoneQuality::Known };

fn batch(body: Vec<u8>) -> Batch {
    let origin = Origin { peer: Some("192.0.2.7:99".parse().unwrap()), ..Origin::default() };
    Batch::new(Arc::new(body), vec![Arc::new(origin)], RECEIVED, Ack::none())
}

/// Makes a message with these fields and pairs.
fn message(fields: &[(&str, &[u8], ValueKind)]) -> Batch {
    let mut batch = batch(Vec::new());
    let mut message = message::Message::default();
    message.pri = Priority(34);
    message.event = RECEIVED;
    batch.messages.push(message);
    for (name, value, kind) in fields {
        batch.set_field(0, &FieldName::parse(name), value, *kind);
    }
    batch
}

/// Shows the fields and the pairs of a message, each with its type.
fn shown(batch: &Batch, index: usize) -> String {
    let text = |bytes: &[u8]| bytes.escape_ascii().to_string();
    let fixed = [Field::Host, Field::Program, Field::Pid, Field::Message]
        .map(|field| text(batch.fixed(index, field)));
    let mut pairs: Vec<String> = batch
        .values(index)
        .iter()
        .map(|(name, value, kind)| format!("{}={}:{kind:?}", text(name), text(value)))
        .collect();
    pairs.sort();
    let message = &batch.messages[index];
    format!("{} {} {} {}", message.pri.0, message.event.unix_us, fixed.join("|"), pairs.join(" "))
}

fn read(request: Vec<u8>, names: OtlpNames) -> Batch {
    let mut batch = batch(request);
    let mut reader = ShippedReader::new(DecodeOptions::default(), "").with_otlp_names(names);
    reader.otlp_protobuf(&mut batch, 0).unwrap();
    batch
}

fn request(parts: &[OtlpParts]) -> Vec<u8> {
    otlp_request(parts.iter().map(|parts| [&parts.resource[..], &parts.scope, &parts.record]))
}

#[track_caller]
fn check(fields: &[(&str, &[u8], ValueKind)], want: &str) {
    let parts = OtlpParts::of(&message(fields), 0);
    assert_eq!(shown(&read(request(&[parts]), OtlpNames::Plain), 0), want);
}

#[test]
fn a_message_becomes_a_record() {
    use ValueKind::*;
    let event = RECEIVED.unix_us;
    check(
        &[
            ("HOST", b"web", String),
            ("PROGRAM", b"shop", String),
            ("PID", b"41", String),
            ("MESSAGE", b"paid", String),
            ("n", b"5", Integer),
            ("f", b"0.5", Double),
            ("ok", b"true", Boolean),
            ("list", b"a,\"b c\"", List),
            ("json", b"{\"a\":[1,null,\"x\\n\"],\"b\":{\"c\":1.5}}", Json),
            ("raw", b"\xff", String),
            ("nothing", b"", Null),
            (".internal", b"no", String),
            ("1", b"match", String),
        ],
        &format!(
            "10 {event} web|shop|41|paid f=0.5:Double json={{\\\"a\\\":[1,null,\\\"x\\\\n\\\"],\\\"b\\\":{{\\\"c\\\":1.5}}}}:Json \
             list=[\\\"a\\\",\\\"b c\\\"]:Json n=5:Integer nothing=:Null ok=true:Boolean raw=\\xff:Bytes \
             resource.host.name=web:String resource.process.pid=41:Integer resource.service.name=shop:String \
             severity_number=18:Integer"
        ),
    );
    // What does not fit its type is text.
    check(
        &[("MESSAGE", b"\xfe", String), ("n", b"x", Integer), ("j", b"{", Json), ("j2", b"1 2", Json)],
        &format!("10 {event} |||\\xfe j2=1 2:String j={{:String n=x:String severity_number=18:Integer"),
    );
    let deep = "[".repeat(40) + &"]".repeat(40);
    check(
        &[("deep", deep.as_bytes(), Json)],
        &format!("10 {event} ||| deep={deep}:String severity_number=18:Integer"),
    );
}

#[test]
fn a_record_becomes_the_same_record() {
    let mut pair = Vec::new();
    value::push_pair(6, b"a", (b"1", ValueKind::Integer), &mut pair);
    let mut record = Vec::new();
    push_fixed64(1, 1_767_323_045_000_000_007, &mut record);
    push_varint(2, 13, &mut record);
    push_bytes(3, b"W", &mut record);
    push_message(5, &mut record, |out| push_bytes(1, b"paid", out));
    record.extend_from_slice(&pair);
    push_varint(7, 3, &mut record);
    protobuf::push_fixed32(8, 1, &mut record);
    push_bytes(9, &[7; 16], &mut record);
    push_bytes(10, &[8; 8], &mut record);
    push_fixed64(11, 9, &mut record);
    push_bytes(12, b"e", &mut record);
    let mut resource = Vec::new();
    push_message(1, &mut resource, |out| value::push_pair(1, b"host.name", (b"web", ValueKind::String), out));
    push_bytes(3, b"r", &mut resource);
    let mut scope = Vec::new();
    push_message(1, &mut scope, |out| {
        push_bytes(1, b"lib", out);
        push_bytes(2, b"2", out);
    });
    push_bytes(3, b"s", &mut scope);
    let first = request(&[OtlpParts { resource, scope, record }]);
    let batch = read(first.clone(), OtlpNames::Dotted);
    assert_eq!(batch.fixed(0, Field::Host), b"web");
    let body = FieldName::parse(".otel.log.body");
    assert_eq!(batch.field(0, &body).as_deref(), Some(b"paid".as_slice()));
    let again = read(request(&[OtlpParts::of(&batch, 0)]), OtlpNames::Dotted);
    assert_eq!(shown(&again, 0), shown(&batch, 0));
    let plain = read(request(&[OtlpParts::of(&batch, 0)]), OtlpNames::Plain);
    assert_eq!(shown(&plain, 0), shown(&read(first, OtlpNames::Plain), 0));
}

#[test]
fn neighbours_share_what_is_equal() {
    let one = OtlpParts {
        resource: b"\x1a\x01r".to_vec(),
        scope: b"\x1a\x01s".to_vec(),
        record: b"\x10\x01".to_vec(),
    };
    let other_scope = OtlpParts { scope: Vec::new(), ..one.clone() };
    let other = OtlpParts { resource: Vec::new(), ..one.clone() };
    let whole = request(&[one.clone(), one.clone(), other_scope.clone(), other.clone()]);
    assert_eq!(whole.iter().filter(|byte| **byte == b'r').count(), 1);
    assert_eq!(whole.iter().filter(|byte| **byte == b's').count(), 2);
    assert_eq!(read(whole, OtlpNames::Plain).len(), 4);
    assert!(request(&[]).is_empty());
}

#[test]
fn a_whole_message_is_the_same_at_the_other_end() {
    let mut sent = message(&[
        ("HOST", b"web", ValueKind::String),
        ("PROGRAM", b"shop", ValueKind::String),
        ("MESSAGE", b"paid\xff", ValueKind::String),
        ("LEGACY_MSGHDR", b"shop: ", ValueKind::String),
        ("n", b"5", ValueKind::Integer),
        (".SDATA.a@1.b", b"c", ValueKind::String),
        ("7", b"match", ValueKind::String),
        ("SOURCE", b"s_a", ValueKind::String),
    ]);
    sent.add_tag(0, "one");
    sent.add_tag(0, "t w,o");
    let got = read(request(&[OtlpParts::whole(&sent, 0)]), OtlpNames::Plain);
    assert_eq!(
        shown(&got, 0),
        format!(
            "34 {} web|shop||paid\\xff .SDATA.a@1.b=c:String .otlp.source_ip=192.0.2.7:String \
             .received=1795000000.000000+01:00:Datetime n=5:Integer",
            RECEIVED.unix_us
        )
    );
    assert_eq!(got.tags(0), ["one", "t w,o"]);
    assert_eq!(got.fixed(0, Field::LegacyMsghdr), b"shop: ");
    assert_eq!(got.messages[0].event.offset_s, 3600);
    assert_ne!(got.messages[0].text, Span::EMPTY);
}

#[test]
fn a_receiver_says_how_many_it_did_not_take() {
    let check = |bytes: &[u8], records, text: &str| {
        let text = text.to_owned();
        assert_eq!(OtlpRejection::read(bytes).unwrap(), OtlpRejection { records, text });
    };
    check(&[], 0, "");
    check(&[10, 0], 0, "");
    check(&[10, 6, 8, 3, 18, 2, b'n', b'\n'], 3, "n ");
    check(&[10, 4, 18, 2, b'o', b'k'], 0, "ok");
    assert!(OtlpRejection::read(&[10, 5, 8]).is_err());
}

proptest! {
    #[test]
    fn pairs_of_any_content_arrive(
        pairs in proptest::collection::vec(("[a-z]{1,9}\\PC{0,9}", proptest::collection::vec(any::<u8>(), 0..40)), 0..9)
    ) {
        let fields: Vec<(&str, &[u8], ValueKind)> =
            pairs.iter().map(|(name, value)| (name.as_str(), value.as_slice(), ValueKind::Bytes)).collect();
        let sent = message(&fields);
        let got = read(request(&[OtlpParts::whole(&sent, 0)]), OtlpNames::Plain);
        for (name, value, kind) in sent.values(0) {
            let name = FieldName::parse(std::str::from_utf8(name).unwrap());
            let (found, found_kind) = got.typed_field(0, &name).unwrap();
            prop_assert_eq!((found.as_ref(), found_kind), (value, kind));
        }
    }
}

//! Rows for the accessors of a batch: fields, types, pairs, tags, copies.

use crate::*;
use std::sync::Arc;

const TEXT: &[u8] = b"h1 prog 42 ID7 [x@1 y=\"5\" z=\"q\\\"\" y=\"6\"][e] tag: text";

/// A message with every field set, from an origin with tags and values; `RCPTID` starts at 30.
fn batch() -> Batch {
    let origin = Origin {
        source: "s_net#0".into(),
        host_from: "relay".into(),
        file_name: "/dev/log".into(),
        transport_name: "rfc3164+tcp".into(),
        tags: vec!["given".into(), ".source.s_net".into()],
        values: vec![(".unix.pid".into(), b"17".to_vec()), (".unix.uid".into(), b"0".to_vec())],
        ..Origin::default()
    };
    let received = Stamp::known(5_000_000, 0);
    let mut batch = Batch::new(Arc::new(TEXT.to_vec()), vec![Arc::new(origin)], received, Ack::none());
    batch.rcptid = 30;
    batch.messages.push(Message {
        raw: Span::received(0, TEXT.len()),
        host: Span::received(0, 2),
        program: Span::received(3, 4),
        pid: Span::received(8, 2),
        msgid: Span::received(11, 3),
        sdata: Span::received(15, 28),
        msghdr: Span::received(44, 5),
        text: Span::received(49, 4),
        ..Message::default()
    });
    batch
}

fn name(name: &str) -> FieldName {
    FieldName::parse(name)
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Value and type of a field through every accessor: they have to agree.
#[track_caller]
fn check(batch: &Batch, field: &str, want: Option<(&str, ValueKind)>) {
    let field = name(field);
    assert_eq!(field, name(field.as_str()));
    let typed = batch.typed_field(0, &field).map(|(value, kind)| (lossy(&value), kind));
    assert_eq!(typed, want.map(|(value, kind)| (value.to_owned(), kind)), "{field:?}");
    assert_eq!(batch.field(0, &field).map(|value| lossy(&value)), want.map(|(value, _)| value.to_owned()));
    if let Some((value, kind)) = want {
        assert_eq!(batch.kind(0, &field), kind, "{field:?}");
        if let Some(span) = batch.span(0, &field) {
            assert_eq!(lossy(batch.bytes(span)), value, "{field:?}");
        }
    }
}

#[test]
fn every_field_is_found_by_its_name() {
    let batch = batch();
    let rows = [
        ("HOST", "h1", true),
        ("HOST_FROM", "relay", false),
        ("PROGRAM", "prog", true),
        ("PID", "42", true),
        ("MSGID", "ID7", true),
        ("MESSAGE", "text", true),
        ("MSG", "text", true),
        ("MSGONLY", "text", true),
        ("LEGACY_MSGHDR", "tag: ", true),
        ("SOURCE", "s_net", false),
        ("RAWMSG", std::str::from_utf8(TEXT).unwrap(), true),
        ("TRANSPORT", "rfc3164+tcp", false),
        ("FILE_NAME", "/dev/log", false),
        (".unix.pid", "17", false),
        (".SDATA.x@1.y", "5", false),
        (".SDATA.x@1.z", "q\"", false),
    ];
    for (field, want, is_in_batch) in rows {
        check(&batch, field, Some((want, ValueKind::String)));
        assert_eq!(batch.span(0, &name(field)).is_some(), is_in_batch, "{field}");
    }
    let absent = [
        "host",
        ".unix",
        ".unix.pid2",
        "",
        "HOSTS",
        ".SDATA.x@1",
        ".SDATA.x@1.",
        ".SDATA.x@1.w",
        ".SDATA.x@2.y",
        ".SDATA.x@1-y",
        ".SDATA.x.y",
        ".SDATA.e.",
        ".SDATA.e",
        ".SDATA.x@1.yy",
    ];
    for field in absent {
        check(&batch, field, None);
        assert_eq!(batch.span(0, &name(field)), None, "{field}");
        assert_eq!(batch.kind(0, &name(field)), ValueKind::String, "{field}");
    }
}

#[test]
fn every_field_can_be_set_and_unset() {
    let fixed = [
        "HOST",
        "HOST_FROM",
        "PROGRAM",
        "PID",
        "MSGID",
        "MESSAGE",
        "LEGACY_MSGHDR",
        "SOURCE",
        "RAWMSG",
        "TRANSPORT",
        "FILE_NAME",
    ];
    for field in fixed.into_iter().chain([".unix.pid", ".SDATA.x@1.y", "user"]) {
        for kind in [ValueKind::String, ValueKind::Integer] {
            let mut batch = batch();
            batch.set_field(0, &name("other"), b"1", ValueKind::Integer);
            batch.set_field(0, &name(field), b"12", kind);
            check(&batch, field, Some(("12", kind)));
            check(&batch, "other", Some(("1", ValueKind::Integer)));
            check(&batch, "otter", None);
            let is_typed = kind != ValueKind::String;
            let is_pair = !matches!(name(field), FieldName::Fixed(_))
                || Field::from_name(field.as_bytes()).is_some_and(Field::is_of_origin);
            assert_eq!(batch.set_names(0).count(), 1 + usize::from(is_pair || is_typed), "{field}");
            let is_in_pairs = field.starts_with(['.', 'u', 'S', 'T', 'F']) || field == "HOST_FROM";
            let pairs = batch.values(0).iter().map(|(name, _, _)| lossy(name)).collect::<Vec<_>>();
            let want: &[&str] = if is_in_pairs { &[field, "other"] } else { &["other"] };
            assert_eq!(pairs, want);
            batch.unset_field(0, &name(field));
            let is_fixed = matches!(name(field), FieldName::Fixed(_));
            check(&batch, field, is_fixed.then_some(("", ValueKind::String)));
        }
    }
}

#[test]
fn an_origin_is_hidden_only_by_a_pair_of_its_name() {
    let mut batch = batch();
    batch.set_field(0, &name("user"), b"anna", ValueKind::String);
    batch.add_tag(0, "SOURCE");
    check(&batch, "SOURCE", Some(("s_net", ValueKind::String)));
    batch.set_value(0, "SOURCE", Span::EMPTY, ValueKind::Unset);
    check(&batch, "SOURCE", Some(("", ValueKind::String)));
    batch.set_field(0, &name("SOURCE"), b"7", ValueKind::Double);
    check(&batch, "SOURCE", Some(("7", ValueKind::Double)));
}

#[test]
fn a_tag_is_not_a_field_and_a_field_is_not_a_tag() {
    let mut batch = batch();
    batch.set_field(0, &name("user"), b"", ValueKind::String);
    batch.add_tag(0, "admin");
    assert!(!batch.has_tag(0, "user") && batch.has_tag(0, "admin") && !batch.has_tag(0, "adminx"));
    check(&batch, "admin", None);
    assert_eq!(batch.values(0), [(&b"user"[..], &b""[..], ValueKind::String)]);
    let names = |batch: &Batch| batch.set_names(0).map(lossy).collect::<Vec<_>>();
    assert_eq!(names(&batch), ["user"]);
    batch.unset_field(0, &name(".unix.pid"));
    assert_eq!(names(&batch), [".unix.pid", "user"]);
}

#[test]
fn tags_are_set_once_and_cleared() {
    let mut batch = batch();
    assert_eq!(batch.tags(0), ["given", ".source.s_net"]);
    let bytes = batch.held_bytes();
    for tag in ["given", ".source.s_net"] {
        batch.add_tag(0, tag);
        assert_eq!(batch.held_bytes(), bytes, "{tag} was there");
    }
    batch.clear_tag(0, "absent");
    assert_eq!(batch.held_bytes(), bytes, "nothing was cleared");
    batch.add_tag(0, "new");
    batch.clear_tag(0, "given");
    assert!(!batch.has_tag(0, "given"));
    assert_eq!(batch.tags(0), ["new", ".source.s_net"]);
    batch.messages[0].marks.add(Mark::Truncated);
    assert!(batch.has_tag(0, "syslog.truncated"));
    batch.clear_tag(0, "syslog.truncated");
    assert_eq!(batch.tags(0), ["new", ".source.s_net"]);
}

#[test]
fn structured_data_shows_its_present_values() {
    let mut batch = batch();
    let show = |batch: &Batch| {
        let params = batch.sd_params_now(0).into_iter().map(|(param, value)| {
            let value = value.map_or("unset".to_owned(), |value| lossy(&value));
            format!("{}.{}={value}", lossy(param.id), lossy(param.name))
        });
        params.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(show(&batch), "x@1.y=5 x@1.z=q\" x@1.y=6 e.=");
    batch.set_field(0, &name(".SDATA.x@1.z"), b"old", ValueKind::String);
    batch.set_field(0, &name(".SDATA.x@1.z"), b"new", ValueKind::String);
    batch.set_field(0, &name(".SDATA.w.z"), b"not received", ValueKind::String);
    batch.add_tag(0, ".SDATA.x@1.y");
    assert_eq!(show(&batch), "x@1.y=5 x@1.z=new x@1.y=6 e.=");
    batch.unset_field(0, &name(".SDATA.x@1.y"));
    assert_eq!(show(&batch), "x@1.y=unset x@1.z=new x@1.y=unset e.=");
}

#[test]
fn received_pairs_are_those_that_nothing_hides() {
    let show = |batch: &Batch| {
        let mut shown = Vec::new();
        batch.each_received(0, |name, value| shown.push(format!("{name}={}", lossy(value))));
        shown.join(" ")
    };
    let mut batch = batch();
    let sdata = ".SDATA.x@1.y=5 .SDATA.x@1.z=q\" .SDATA.x@1.y=6";
    assert_eq!(show(&batch), format!("{sdata} .unix.pid=17 .unix.uid=0"));
    batch.add_tag(0, ".unix.uid");
    batch.set_field(0, &name(".unix.pid"), b"18", ValueKind::Integer);
    assert_eq!(show(&batch), format!("{sdata} .unix.uid=0"));
    batch.unset_field(0, &name(".SDATA.x@1.y"));
    assert_eq!(show(&batch), ".SDATA.x@1.z=q\" .unix.uid=0");
    batch.messages[0].sdata = Span::EMPTY;
    assert_eq!(show(&batch), ".unix.uid=0");
    batch.origins[0] = Arc::default();
    assert_eq!(show(&batch), "");
    batch.messages[0].sdata = Span::received(15, 28);
    assert_eq!(show(&batch), ".SDATA.x@1.z=q\"");
}

#[test]
fn values_of_a_match_are_found_by_number() {
    let mut batch = batch();
    let numbers = |batch: &Batch, from| batch.numbered(0, from).collect::<Vec<_>>();
    assert_eq!(numbers(&batch, 0), []);
    for text in
        ["0", "1", "63", "64", "65", "127", "128", "200", "255", "256", "01", "00", "", "-1", "+1", "x", "1x"]
    {
        batch.set_field(0, &FieldName::Named(text.into()), b"v", ValueKind::String);
    }
    assert_eq!(numbers(&batch, 0), [0, 1, 63, 64, 65, 127, 128, 200, 255]);
    assert_eq!(numbers(&batch, 64), [64, 65, 127, 128, 200, 255]);
    assert_eq!(numbers(&batch, 256), []);
    batch.unset_field(0, &name("65"));
    batch.unset_field(0, &name("0"));
    batch.set_field(0, &name("0"), b"again", ValueKind::Integer);
    batch.add_tag(0, "7");
    batch.unset_field(0, &name("127"));
    batch.add_tag(0, "128");
    assert_eq!(numbers(&batch, 0), [0, 1, 63, 64, 128, 200, 255]);
}

#[test]
fn a_message_may_have_a_time_of_receiving_of_its_own() {
    let mut batch = batch();
    batch.messages.push(Message::default());
    assert_eq!(batch.received_of(0), Stamp::known(5_000_000, 0));
    batch.set_received(0, Stamp::known(9_000_001, -7200));
    assert_eq!(batch.received_of(0), Stamp::known(9_000_001, -7200));
    assert_eq!(batch.received_of(1), Stamp::known(5_000_000, 0));
    batch.set_field(1, &name(OWN_RECEIVED), b"1.000000+00:00", ValueKind::String);
    assert_eq!(batch.received_of(1), Stamp::known(5_000_000, 0), "a pair of a sender is not a time of ours");
}

#[test]
fn ids_follow_that_of_the_first_message() {
    let mut batch = batch();
    assert!(!batch.is_empty() && Batch::default().is_empty());
    assert_eq!((0..3).map(|index| batch.rcptid_of(index)).collect::<Vec<_>>(), [30, 31, 32]);
    batch.rcptid = 0;
    assert_eq!(batch.rcptid_of(2), 0);
    let held = batch.held_bytes();
    batch.push_value(0, Span::EMPTY, Span::EMPTY, ValueKind::Null);
    assert_eq!(batch.held_bytes(), held + size_of::<Value>());
}

/// Copies a message whose program is at a span, with 10 to 20 as its frame; shows the span in the copy.
#[track_caller]
fn check_copy(raw: Span, program: Span, want: &str) {
    let mut batch = Batch::new(Arc::new(vec![b'x'; 30]), vec![Arc::default()], Stamp::default(), Ack::none());
    batch.extra = vec![b'x'; 30];
    batch.messages.push(Message { raw: Span::received(0, 7), ..Message::default() });
    batch.messages.push(Message { raw, program, ..Message::default() });
    let copy = batch.copy_of(&Selection::all(2));
    let message = &copy.messages[1];
    let sizes = (copy.received_bytes.len(), copy.extra.len());
    assert_eq!(format!("{:?} {:?} {sizes:?}", message.raw, message.program), want);
}

#[test]
fn a_copy_holds_each_byte_of_a_frame_once() {
    let raw = Span::received(10, 10);
    check_copy(raw, Span::received(10, 10), "7..17 7..17 (17, 0)");
    check_copy(raw, Span::received(12, 3), "7..17 9..12 (17, 0)");
    check_copy(raw, Span::received(9, 3), "7..17 +0..3 (17, 3)");
    check_copy(raw, Span::received(19, 1), "7..17 16..17 (17, 0)");
    check_copy(raw, Span::received(19, 2), "7..17 +0..2 (17, 2)");
    check_copy(raw, Span::received(0, 25), "7..17 +0..25 (17, 25)");
    check_copy(raw, Span::extra(12, 3), "7..17 +0..3 (17, 3)");
    check_copy(Span::extra(10, 10), Span::extra(12, 3), "+0..10 +10..13 (7, 13)");
    check_copy(Span::extra(10, 10), Span::received(12, 3), "+0..10 +10..13 (7, 13)");
    check_copy(raw, Span::received(12, 0), "7..17 12..12 (17, 0)");
}

#[test]
fn a_changed_message_is_adopted_whole() {
    let mut original = batch();
    original.extra = b"made".to_vec();
    original.messages[0].host = Span::extra(0, 4);
    let mut changed = original.clone();
    changed.add_extra(b"more");
    changed.set_field(0, &name("PROGRAM"), b"sudo", ValueKind::String);
    changed.set_field(0, &name("user"), b"anna", ValueKind::String);
    changed.set_field(0, &name("user"), b"7", ValueKind::Integer);
    changed.push_value(0, Span::received(3, 4), Span::received(8, 2), ValueKind::String);
    original.set_field(0, &name("lost"), b"x", ValueKind::String);
    original.adopt(0, &changed);
    for (field, want) in [("HOST", "made"), ("PROGRAM", "sudo"), ("PID", "42"), ("prog", "42")] {
        check(&original, field, Some((want, ValueKind::String)));
    }
    check(&original, "lost", None);
    assert_eq!(original.values(0), changed.values(0));
    let other = std::panic::catch_unwind(|| batch().adopt(0, &batch()));
    assert!(other.is_err(), "a message of another batch was adopted");
}

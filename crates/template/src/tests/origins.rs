//! Rows for macros of a message's origin, and of matches in it.

use super::*;
use message::Transport;

/// Renders a template for a message of an origin.
fn render(origin: Origin, template: &str) -> String {
    let mut batch = Batch::new(Arc::default(), vec![Arc::new(origin)], Stamp::default(), Ack::none());
    batch.messages.push(Message::default());
    let template = Template::parse(template, &Known::default()).unwrap();
    let mut renderer = renderer(RenderOptions::default());
    renderer.context_id = b"ctx".to_vec();
    let mut out = Vec::new();
    template.render(&batch, 0, &mut renderer, &mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn transports_have_numbers_and_names() {
    let rows = [
        (Transport::Tcp, "6 tcp"),
        (Transport::Tls, "6 tcp"),
        (Transport::Udp, "17 udp"),
        (Transport::default(), "0 "),
    ];
    for (transport, want) in rows {
        let origin = Origin { transport, ..Origin::default() };
        assert_eq!(render(origin, "$PROTO $PROTO_NAME"), want, "{transport:?}");
    }
}

#[test]
fn addresses_have_families_and_ports() {
    let rows = [
        (Some("192.0.2.9:4000"), "4 192.0.2.9 4000 192.0.2.9 4000"),
        (Some("[2001:db8::1]:99"), "6 2001:db8::1 99 2001:db8::1 99"),
        (None, "0 127.0.0.1 0 127.0.0.1 0"),
    ];
    for (peer, want) in rows {
        let peer = peer.map(|peer| peer.parse().unwrap());
        let origin = Origin { peer, ..Origin::default() };
        assert_eq!(render(origin, "$IP_PROTO $SOURCEIP $SOURCEPORT $PEERIP $PEERPORT"), want, "{peer:?}");
    }
}

#[test]
fn a_proxy_is_the_peer_and_not_the_source() {
    let peer = "192.0.2.9:4000".parse().ok();
    let values = |port: &str| {
        vec![
            (".proxy.peer_ip".to_owned(), b"198.51.100.7".to_vec()),
            (".proxy.peer_port".to_owned(), port.as_bytes().to_vec()),
        ]
    };
    let behind = |port: &str| Origin { peer, values: values(port), ..Origin::default() };
    assert_eq!(
        render(behind("77"), "$PEERIP:$PEERPORT $SOURCEIP:$SOURCEPORT"),
        "198.51.100.7:77 192.0.2.9:4000"
    );
    assert_eq!(render(behind("x"), "$PEERPORT"), "0");
}

#[test]
fn groups_of_the_last_match_are_a_list() {
    let mut batch = batch();
    for (name, value) in [("1", "a"), ("2", "b,c"), ("4", "d")] {
        batch.set_field(0, &FieldName::parse(name), value.as_bytes(), ValueKind::String);
    }
    let mut out = Vec::new();
    let template = Template::parse("$*|$(list-count $*)", &Known::default()).unwrap();
    template.render(&batch, 0, &mut renderer(RenderOptions::default()), &mut out);
    assert_eq!(String::from_utf8(out).unwrap(), "a,\"b,c\"|2");
}

#[test]
fn the_rest_of_a_message_is_there_too() {
    assert_eq!(render(Origin::default(), "$CONTEXT_ID [$RCPTID] [$UNIQID]"), "ctx [] []");
    assert_eq!(String::from_utf8(crate::header(&batch(), 0)).unwrap(), "cron[77]: ");
    for (name, want) in [("ISODATE", true), ("PRI", true), ("*", true), ("HOST", false), ("user", false)] {
        assert_eq!(crate::is_macro(name), want, "{name}");
    }
}

#[test]
fn a_sequence_number_comes_from_the_destination_or_the_message() {
    let template = Template::parse("$(format-json SEQNUM)", &Known::default()).unwrap();
    let show = |batch: &Batch, seqnum: u32| {
        let mut renderer = renderer(RenderOptions::default());
        renderer.seqnum = seqnum;
        let mut out = Vec::new();
        template.render(batch, 0, &mut renderer, &mut out);
        String::from_utf8(out).unwrap()
    };
    let mut numbered = batch();
    let name = FieldName::Sdata(".SDATA.meta.sequenceId".to_owned());
    numbered.set_field(0, &name, b"41", ValueKind::String);
    assert_eq!(show(&numbered, 0), "{\"SEQNUM\":41}");
    assert_eq!(show(&numbered, 7), "{\"SEQNUM\":7}");
    assert_eq!(show(&batch(), 0), "{\"SEQNUM\":\"\"}");
}

#[test]
fn another_way_of_printing_is_only_for_a_while() {
    let mut renderer = renderer(RenderOptions::default());
    let template = Template::parse("$HOUR", &Known::default()).unwrap();
    let show = |renderer: &mut Renderer| {
        let mut out = Vec::new();
        template.render(&batch(), 0, renderer, &mut out);
        String::from_utf8(out).unwrap()
    };
    assert_eq!(show(&mut renderer), "23");
    let tokyo = RenderOptions {
        zone: TimeZone::get("Asia/Tokyo").ok(),
        fraction_digits: 4,
        ..RenderOptions::default()
    };
    renderer.with_options(&tokyo, |renderer| {
        assert_eq!((show(renderer), renderer.options().fraction_digits), ("07".to_owned(), 4));
    });
    assert_eq!((show(&mut renderer), renderer.options().fraction_digits), ("23".to_owned(), 0));
}

#[test]
fn values_are_borrowed_where_nothing_changes_them() {
    let (batch, mut renderer) = (batch(), renderer(RenderOptions::default()));
    for (text, plain, escaped) in [
        ("", "", ""),
        ("a'b", "a'b", "a'b"),
        ("$HOST", "gate", "gate"),
        ("$user", "o'neil", "o\\'neil"),
        ("${none:-'}", "'", "\\'"),
        ("${none}", "", ""),
        ("$HOST-", "gate-", "gate-"),
        ("${none:-\n\u{1f}}", "\n\u{1f}", "\\012\\037"),
    ] {
        let template = Template::parse(text, &Known::default()).unwrap();
        assert_eq!(String::from_utf8_lossy(&template.value(&batch, 0, &mut renderer)), plain, "{text}");
        let template = template.escaped();
        assert_eq!(String::from_utf8_lossy(&template.value(&batch, 0, &mut renderer)), escaped, "{text}");
    }
    let mut quoted = batch.clone();
    quoted.set_field(0, &FieldName::Fixed(message::Field::Host), b"o'host", ValueKind::String);
    let host = Template::parse("$HOST", &Known::default()).unwrap().escaped();
    assert_eq!(&*host.value(&quoted, 0, &mut renderer), b"o\\'host");
}

#[test]
fn bytes_are_printed_only_where_they_are_asked_for() {
    let mut batch = batch();
    batch.set_field(0, &FieldName::parse("blob"), b"\x00\x01", ValueKind::Bytes);
    let mut renderer = renderer(RenderOptions::default());
    let plain = Template::parse("${blob}", &Known::default()).unwrap();
    let mut out = Vec::new();
    assert_eq!(
        (plain.render_typed(&batch, 0, &mut renderer, &mut out), out.as_slice()),
        (ValueKind::Null, &b""[..])
    );
    let bytes = plain.hinted(TypeHint::Kind(ValueKind::Bytes));
    assert_eq!(bytes.render_typed(&batch, 0, &mut renderer, &mut out), ValueKind::Bytes);
    assert_eq!(out, b"\x00\x01");
    assert_eq!(&*bytes.value(&batch, 0, &mut renderer), b"\x00\x01");
}

//! Packets and topics.

use super::{
    login::{MqttLogin, MqttQos, MqttSession},
    packet::{self, Packet, Publication},
    topic,
};

#[test]
fn packets_are_those_of_the_standard() {
    let login = MqttLogin {
        client: "me".to_owned(),
        user: Some("u".to_owned()),
        password: Some("p".to_owned()),
        keep_alive: 60,
    };
    assert_eq!(
        packet::connect(&login, MqttSession::Clean),
        b"\x10\x14\0\x04MQTT\x04\xc2\0\x3c\0\x02me\0\x01u\0\x01p"
    );
    let bare = MqttLogin { client: "me".to_owned(), ..MqttLogin::default() };
    assert_eq!(packet::connect(&bare, MqttSession::Clean), b"\x10\x0e\0\x04MQTT\x04\x02\0\0\0\x02me");
    let published = |qos, payload: &[u8]| {
        let mut out = Vec::new();
        packet::publish(qos, 258, b"a/b", payload, &mut out);
        out
    };
    assert_eq!(published(MqttQos::Nothing, b"x\0"), b"\x30\x07\0\x03a/bx\0");
    assert_eq!(published(MqttQos::AtLeastOnce, b"x"), b"\x32\x08\0\x03a/b\x01\x02x");
    assert_eq!(published(MqttQos::ExactlyOnce, b"x"), b"\x34\x08\0\x03a/b\x01\x02x");
    // Lengths of two and of three bytes.
    assert_eq!(published(MqttQos::Nothing, &[b'x'; 123])[..3], [0x30, 0x80, 1]);
    assert_eq!(published(MqttQos::Nothing, &[b'x'; 16379])[..4], [0x30, 0x80, 0x80, 1]);
}

#[test]
fn what_a_subscriber_says_is_that_of_the_standard() {
    let login = MqttLogin { client: "me".to_owned(), ..MqttLogin::default() };
    assert_eq!(packet::connect(&login, MqttSession::Kept), b"\x10\x0e\0\x04MQTT\x04\0\0\0\0\x02me");
    let said = |say: &dyn Fn(&mut Vec<u8>)| {
        let mut out = Vec::new();
        say(&mut out);
        out
    };
    let once = MqttQos::AtLeastOnce;
    assert_eq!(said(&|out| packet::subscribe(1, "a/#", once, out)), b"\x82\x08\0\x01\0\x03a/#\x01");
    assert_eq!(said(&|out| packet::acknowledge(258, out)), b"\x40\x02\x01\x02");
    assert_eq!(said(&|out| packet::receive(258, out)), b"\x50\x02\x01\x02");
    assert_eq!(said(&|out| packet::complete(258, out)), b"\x70\x02\x01\x02");
}

#[track_caller]
fn check_packet(bytes: &[u8], want: Result<Option<(Packet<'_>, usize)>, &str>) {
    assert_eq!(packet::decode(bytes, 1 << 20).map_err(|breach| breach.0), want, "{bytes:?}");
}

#[test]
fn answers_are_read_whatever_they_are() {
    check_packet(b"", Ok(None));
    check_packet(b"\x20", Ok(None));
    check_packet(b"\x20\x02\0", Ok(None));
    check_packet(b"\x20\x02\0\x05", Ok(Some((Packet::Connected { code: 5, has_session: false }, 4))));
    check_packet(b"\x40\x02\x01\x02\x40", Ok(Some((Packet::Taken(258), 4))));
    check_packet(b"\x50\x02\0\x01", Ok(Some((Packet::Received(1), 4))));
    check_packet(b"\x70\x02\0\x01", Ok(Some((Packet::Completed(1), 4))));
    check_packet(b"\xd0\0", Ok(Some((Packet::Alive, 2))));
    check_packet(b"\x20\x02\x01\0", Ok(Some((Packet::Connected { code: 0, has_session: true }, 4))));
    check_packet(b"\x62\x02\0\x07", Ok(Some((Packet::Released(7), 4))));
    check_packet(b"\x90\x03\0\x01\x80", Ok(Some((Packet::Subscribed(None), 5))));
    check_packet(b"\x90\x03\0\x01\x01", Ok(Some((Packet::Subscribed(Some(MqttQos::AtLeastOnce)), 5))));
    check_packet(b"\x90\x03\0\x01\x03", Err("the answer to a subscription has another form"));
    let plain =
        Publication { topic: b"a", qos: MqttQos::Nothing, number: 0, is_repeated: false, payload: b"x\0" };
    check_packet(b"\x31\x05\0\x01ax\0", Ok(Some((Packet::Publication(plain), 7))));
    let twice = Publication { qos: MqttQos::ExactlyOnce, number: 258, is_repeated: true, ..plain };
    check_packet(b"\x3c\x07\0\x01a\x01\x02x\0", Ok(Some((Packet::Publication(twice), 9))));
    check_packet(b"\x30\x03\0\x09a", Err("a publication is shorter than it says"));
    check_packet(b"\x30\x01\0", Err("a publication is shorter than it says"));
    check_packet(b"\x32\x04\0\x01a\0", Err("a publication is shorter than it says"));
    check_packet(b"\x32\x05\0\x01a\0\0", Err("a publication has no number"));
    check_packet(b"\x36\x05\0\x01a\0\x01", Err("a publication has no level of acknowledgement"));
    check_packet(b"\x40\x03\0\x01\0", Err("an acknowledgement has another length"));
    check_packet(b"\x20\x00", Err("its greeting has another length"));
    check_packet(b"\x30\xff\xff\xff\x7f", Err("its answer is too long"));
    check_packet(b"\x30\xff\xff\xff\xff\x01", Err("the length of a packet has no end"));
    check_packet(b"HTTP/1.1", Ok(None));
    check_packet(b"\x10\x00", Err("this is no packet of MQTT 3.1.1"));
}

#[test]
fn no_topic_ends_the_connection() {
    let found = |text: &[u8]| topic::check(text).map(str::to_owned).map_err(|error| error.to_string());
    assert_eq!(found("log/wéb/$x".as_bytes()), Ok("log/wéb/$x".to_owned()));
    for (text, words) in [
        (&b""[..], "is empty"),
        (b"a/+", "has a + or a #"),
        (b"#", "has a + or a #"),
        (b"a\0b", "control character"),
        (b"a\nb", "control character"),
        ("a\u{ffff}".as_bytes(), "control character"),
        (b"a\xff", "is not UTF-8"),
        (&[b'a'; 65_536], "more than 65,535 bytes"),
    ] {
        assert!(found(text).is_err_and(|error| error.contains(words)), "{text:?}");
    }
}

#[test]
fn a_filter_has_wildcards_for_whole_levels() {
    let found = |text: &[u8]| topic::check_filter(text).err().map(|error| error.to_string());
    for good in ["#", "+", "a/+/b", "a/#", "/", "$SYS/#", "$share/group/a/+"] {
        assert_eq!(found(good.as_bytes()), None, "{good}");
    }
    for (bad, words) in [
        ("", "is empty"),
        ("a/#/b", "a + stands for"),
        ("a#", "a + stands for"),
        ("a+/b", "a + stands for"),
        ("a\tb", "control character"),
    ] {
        assert!(found(bad.as_bytes()).is_some_and(|error| error.contains(words)), "{bad}");
    }
}

#[test]
fn no_bytes_make_decoding_fail() {
    // Every kind with every length up to that of all fields, cut anywhere.
    for first in 0..=255_u8 {
        for rest in 0..8_u8 {
            let bytes = [&[first, rest][..], &[0, 1, 2, 0, 1, 2, 0, 1]].concat();
            for end in 0..bytes.len() {
                if let Ok(Some((_, size))) = packet::decode(&bytes[..end], 100) {
                    assert!(size <= end && size == usize::from(rest) + 2);
                }
            }
        }
    }
}

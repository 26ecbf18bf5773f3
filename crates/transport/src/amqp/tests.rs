//! Messages that are delivered: their places, properties and headers, whatever they are.

use super::{
    frame::{long_text, short_text, text_entry, true_entry},
    *,
};

#[test]
fn a_delivery_says_where_a_message_is_from() {
    let payload = b"\0\x3c\0\x3c\x03tag\0\0\0\0\0\0\0\x09\x01\x01e\x02k\xff";
    let delivery = Delivery { tag: 9, is_repeated: true, exchange: b"e", routing_key: b"k\xff" };
    assert_eq!(decode_delivery(payload), Ok(Some(delivery)));
    assert_eq!(decode_delivery(b"\0\x3c\0\x50\0\0"), Ok(None));
    assert!(decode_delivery(&payload[..20]).is_err() && decode_delivery(b"\0\x3c").is_err());
}

/// Makes a header with these entries of a table.
fn header(entries: &[u8]) -> Vec<u8> {
    let mut payload = b"\0\x3c\0\0\0\0\0\0\0\0\0\x05".to_vec();
    payload.extend_from_slice(&(1_u16 << 15 | 1 << 13 | 1 << 12 | 1 << 7 | 1 << 6).to_be_bytes());
    short_text(b"text/plain", &mut payload);
    long_text(entries, &mut payload);
    payload.push(2);
    short_text(b"id", &mut payload);
    payload.extend_from_slice(&77_u64.to_be_bytes());
    payload
}

/// Compares the headers of a table.
#[track_caller]
fn check(entries: &[u8], want: &str) {
    let payload = header(entries);
    let header = ContentHeader::decode(&payload).unwrap();
    let mut found = Vec::new();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let read = header.headers(&mut |name, value| found.push(format!("{}={}", text(name), text(value))));
    if let Err(breach) = read {
        found.push(breach.0.to_owned());
    }
    assert_eq!(found.join(","), want);
}

#[test]
fn headers_of_every_type_have_a_text() {
    let mut entries = Vec::new();
    text_entry(b"a", b"v\0", &mut entries);
    true_entry(b"b", &mut entries);
    entries.extend_from_slice(
        b"\x01cb\xff\x01dB\xff\x01es\xff\xfe\x01fu\xff\xfe\x01gI\xff\xff\xff\xfd\x01hi\xff\xff\xff\xff",
    );
    entries.extend_from_slice(b"\x01il\0\0\0\0\0\0\0\x07\x01jT\0\0\0\0\0\0\0\x08\x01kd\x3f\xf8\0\0\0\0\0\0\x01lD\x02\0\0\0\x7b\x01mV");
    check(&entries, "a=v\0,b=true,c=-1,d=255,e=-2,f=65534,g=-3,h=4294967295,i=7,j=8,k=1.5,l=1.23,m=");
}

#[test]
fn headers_within_others_have_names_of_both() {
    let inner = b"\x01xS\0\0\0\x01y";
    let mut entries = b"\x07x-deathA\0\0\0\x0d".to_vec();
    entries.push(b'F');
    long_text(inner, &mut entries);
    entries.extend_from_slice(b"t\0");
    check(&entries[..], "x-death.0.x=y,a frame is too short");
    entries[12] = 0x0f;
    check(&entries[..], "x-death.0.x=y,x-death.1=false");
}

#[test]
fn hostile_headers_end_where_they_are_wrong() {
    check(b"\x01a?", "a header has an unknown type");
    check(b"\x01aS\xff\xff\xff\xffx", "a frame is too short");
    check(b"\x05a", "a frame is too short");
    let mut deep = b"t\x01".to_vec();
    for _ in 0..9 {
        let mut outer = b"A".to_vec();
        long_text(&deep, &mut outer);
        deep = outer;
    }
    check(&[b"\x01a", &deep[..]].concat(), "its headers are too deep");
    let many = b"\x01at\0".repeat(1001);
    let payload = header(&many);
    let mut count = 0;
    let read = ContentHeader::decode(&payload).unwrap().headers(&mut |_, _| count += 1);
    assert_eq!((read.map_err(|breach| breach.0), count), (Err("a message has too many headers"), 1000));
    for size in 0..payload.len() {
        if let Ok(header) = ContentHeader::decode(&payload[..size]) {
            let _ = header.headers(&mut |_, _| {});
        }
    }
}

#[test]
fn properties_are_read_by_their_flags() {
    let mut count = b"\x10x-delivery-countl".to_vec();
    count.extend_from_slice(&3_u64.to_be_bytes());
    let payload = header(&count);
    let header = ContentHeader::decode(&payload).unwrap();
    assert_eq!((header.bytes, header.timestamp, header.message_id()), (5, Some(77), Some(&b"id"[..])));
    assert_eq!(header.delivery_count(), Some(3));
    let properties: Vec<_> = header.properties().collect();
    assert_eq!(properties, [("content-type", &b"text/plain"[..]), ("message-id", b"id")]);
}

#[test]
fn both_sides_agree_on_the_smaller_limits() {
    let check = |offer: (u32, u16), ours: (usize, u16), want: Option<(u32, u16)>| {
        let tune = Tune { channels: 7, frame_bytes: offer.0, heartbeat: offer.1 };
        let found = tune.agree(ours.0, ours.1).ok().map(|tune| (tune.frame_bytes, tune.heartbeat));
        assert_eq!(found, want);
    };
    check((0, 0), (5000, 60), Some((5000, 60)));
    check((4096, 30), (5000, 60), Some((4096, 30)));
    check((9000, 60), (5000, 0), Some((5000, 0)));
    check((4095, 60), (5000, 60), None);
}

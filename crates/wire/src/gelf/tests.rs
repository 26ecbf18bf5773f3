//! Rows for chunks: in and out of order, repeated, hostile, too late.

use super::*;

const NOW: Duration = Duration::from_secs(100);

fn chunk(id: u8, number: u8, count: u8, data: &str) -> Vec<u8> {
    let mut chunk = vec![0x1e, 0x0f, id, 0, 0, 0, 0, 0, 0, 0, number, count];
    chunk.extend_from_slice(data.as_bytes());
    chunk
}

#[track_caller]
fn check(datagrams: &[Vec<u8>], want: &str) {
    let mut chunks = Chunks::default();
    let shown: Vec<String> = datagrams
        .iter()
        .map(|datagram| match chunks.take(datagram, None, NOW) {
            Payload::Whole(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            Payload::Joined(bytes) => String::from_utf8_lossy(&bytes).into_owned() + "!",
            Payload::Waiting => ".".to_owned(),
            Payload::Broken => "broken".to_owned(),
        })
        .collect();
    assert_eq!(shown.join(" "), want);
}

#[test]
fn puts_chunks_together() {
    check(&[b"{}".to_vec()], "{}");
    check(&[chunk(1, 0, 1, "one")], "one");
    check(
        &[chunk(1, 1, 2, "b"), chunk(2, 0, 2, "c"), chunk(1, 0, 2, "a"), chunk(2, 1, 2, "d")],
        ". . ab! cd!",
    );
    check(&[chunk(1, 0, 2, "a"), chunk(1, 0, 2, "x"), chunk(1, 1, 2, "b")], ". . ab!");
    check(&[chunk(1, 0, 2, ""), chunk(1, 1, 2, "")], ". !");
}

#[test]
fn refuses_incomplete_bytes() {
    check(&[chunk(1, 2, 2, "a"), chunk(1, 0, 0, "a"), chunk(1, 0, 129, "a")], "broken broken broken");
    check(&[chunk(1, 0, 2, "a"), chunk(1, 1, 3, "b"), chunk(1, 1, 2, "b")], ". broken ab!");
    check(&[chunk(1, 0, 2, "a")[..11].to_vec()], "broken");
}

#[test]
fn senders_do_not_mix() {
    let mut chunks = Chunks::default();
    let sender = |port| Some(SocketAddr::from(([127, 0, 0, 1], port)));
    assert_eq!(chunks.take(&chunk(1, 0, 2, "a"), sender(1), NOW), Payload::Waiting);
    assert_eq!(chunks.take(&chunk(1, 1, 2, "b"), sender(2), NOW), Payload::Waiting);
    assert_eq!(chunks.take(&chunk(1, 1, 2, "b"), sender(1), NOW), Payload::Joined(b"ab".to_vec()));
}

#[test]
fn room_for_the_missing_chunks_counts() {
    for count in [2, 128] {
        let mut chunks = Chunks::default();
        chunks.take(&chunk(1, 0, count, "abc"), None, NOW);
        // A pointer and a length for each of them.
        let slots = usize::from(count) * 2 * size_of::<usize>();
        let besides = chunks.bytes() - "abc".len() - slots;
        assert!((1..500).contains(&besides), "{count}: {} bytes", chunks.bytes());
        chunks.take(&chunk(1, 1, count, "de"), None, NOW);
        assert_eq!(chunks.bytes(), if count == 2 { 0 } else { besides + slots + "abcde".len() });
    }
}

#[test]
fn late_chunks_are_given_up() {
    let mut chunks = Chunks::default();
    chunks.take(&chunk(1, 0, 2, "a"), None, NOW);
    chunks.expire(NOW + WAIT);
    assert_eq!((chunks.take_lost(), chunks.bytes() > 0), (0, true));
    assert_eq!(chunks.take(&chunk(1, 1, 2, "b"), None, NOW + WAIT * 2), Payload::Waiting);
    assert_eq!(chunks.take_lost(), 1);
    chunks.expire(NOW + WAIT * 4);
    assert_eq!((chunks.take_lost(), chunks.bytes()), (1, 0));
}

#[test]
fn a_flood_of_first_chunks_is_bounded() {
    let mut chunks = Chunks::default();
    let data = "x".repeat(60_000);
    for number in 0..20_000_u32 {
        let mut first = chunk(0, 0, 128, if number % 2 == 0 { "" } else { &data });
        first[2..6].copy_from_slice(&number.to_be_bytes());
        assert_eq!(chunks.take(&first, None, NOW), Payload::Waiting);
        assert!(chunks.bytes() <= PENDING_BYTES_MAX + data.len());
    }
    assert!(chunks.take_lost() > 15_000);
    assert_eq!(chunks.take(b"{}", None, NOW), Payload::Whole(b"{}"));
}

#[test]
fn payloads_are_cut() {
    let payload: Vec<u8> = (0..=255).cycle().take(1000).collect();
    for size in [20, 100, 999, 1000, 2000] {
        let (mut chunks, mut whole) = (Chunks::default(), None);
        let sent = gelf_chunks(&payload, 7, size, |datagram| {
            assert!(datagram.len() <= size);
            match chunks.take(datagram, None, NOW) {
                Payload::Whole(bytes) => whole = Some(bytes.to_vec()),
                Payload::Joined(bytes) => whole = Some(bytes),
                other => assert_eq!(other, Payload::Waiting),
            }
            Ok::<(), ()>(())
        });
        assert_eq!((sent, whole), (Ok(true), Some(payload.clone())), "in pieces of {size}");
    }
    assert_eq!(gelf_chunks(&payload, 7, 13, |_| Ok::<(), ()>(())), Ok(false));
}

//! Round trips of every frame; hostile bytes; bodies that lie.

use super::*;
use proptest::prelude::*;

fn text() -> impl Strategy<Value = String> {
    "[a-z/0-9.]{0,20}"
}

fn level() -> impl Strategy<Value = Level> {
    prop_oneof![Just(Level::Received), Just(Level::Durable), Just(Level::Delivered)]
}

fn hello() -> impl Strategy<Value = Hello> {
    let streams = prop::collection::vec((any::<u64>(), any::<u64>(), any::<u64>()), 1..STREAMS_MAX);
    let token = prop::collection::vec(any::<u8>(), 0..40);
    ("[a-z0-9.-]{1,30}", streams, level(), prop::collection::vec(any::<u32>(), 0..5), token, text()).prop_map(
        |(sender, streams, level, dictionaries, token, software)| Hello {
            versions: (1, 3),
            sender,
            run: 77,
            streams: (0..)
                .zip(streams)
                .map(|(stream, (epoch, one, two))| StreamOffer { stream, epoch, lowest: one, fresh: two })
                .collect(),
            level,
            codecs: vec![Codec::ZstdDictionary, Codec::Zstd, Codec::Plain],
            dictionaries,
            token,
            software,
        },
    )
}

fn welcome() -> impl Strategy<Value = Welcome> {
    let streams = prop::collection::vec((any::<u8>(), any::<u64>()), 0..STREAMS_MAX);
    (streams, level(), any::<u32>(), any::<u64>(), any::<u32>(), text()).prop_map(
        |(streams, level, number, window_bytes, frame_bytes_max, software)| Welcome {
            version: 1,
            streams,
            level,
            codec: if number & 1 == 0 { Codec::Plain } else { Codec::Zstd },
            dictionary: number,
            window_bytes,
            message_bytes_max: number ^ 77,
            frame_bytes_max,
            software,
        },
    )
}

/// Frames a payload, and returns what is read from the frame.
fn carried(kind: FrameKind, encode: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = b"before".to_vec();
    append_frame(kind, &mut bytes, encode);
    let reader = FrameReader::new(1 << 20);
    for cut in 6..bytes.len() {
        assert_eq!(reader.next(&bytes[..cut], 6), Ok(None), "cut at {cut}");
    }
    assert_eq!(reader.wanted(&bytes, 6), Some(bytes.len() - 6));
    let (frame, end) = reader.next(&bytes, 6).unwrap().unwrap();
    assert_eq!((frame.kind, end), (kind, bytes.len()));
    bytes[frame.payload].to_vec()
}

/// A frame of messages, some of whose numbers are skipped in the sparse layout.
fn frame_of(layout: DataLayout, from: u64, messages: &[(u32, Vec<u8>)]) -> (Data, Vec<u8>) {
    let mut frame = Vec::new();
    begin_data(&mut frame);
    let mut until = from;
    for (step, text) in messages {
        let step = (layout == DataLayout::Sparse).then_some(*step);
        append_item(&mut frame, step, |out| out.extend_from_slice(text));
        until += 1 + u64::from(step.unwrap_or(0));
    }
    let size = (frame.len() - FRAME_HEAD_BYTES - DATA_HEAD_BYTES) as u32;
    let count = messages.len() as u32;
    let head = Data { stream: 3, codec: Codec::Plain, layout, count, size, from, until };
    finish_data(&mut frame, &head);
    (head, frame)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn handshakes_come_back(hello in hello(), welcome in welcome()) {
        let payload = carried(FrameKind::Hello, |out| hello.encode(out));
        prop_assert_eq!(Hello::decode(&payload).unwrap(), hello);
        let payload = carried(FrameKind::Welcome, |out| welcome.encode(out));
        prop_assert_eq!(Welcome::decode(&payload).unwrap(), welcome);
    }

    #[test]
    fn control_frames_come_back(streams in prop::collection::vec((any::<u8>(), any::<u64>()), 0..8), number in any::<u64>(), byte in any::<u8>(), text in text()) {
        let ack = Ack { window_bytes: number, streams };
        prop_assert_eq!(Ack::decode(&carried(FrameKind::Ack, |out| ack.encode(out))).unwrap(), ack);
        let reason = GapReason::Damaged;
        let gap = Gap { stream: byte, reason, from: number / 2, until: number, count: 9, severities: [number; 8] };
        prop_assert_eq!(Gap::decode(&carried(FrameKind::Gap, |out| gap.encode(out))).unwrap(), gap);
        let bye = Bye { reason: ByeReason::Failed, text: text.clone() };
        prop_assert_eq!(Bye::decode(&carried(FrameKind::Bye, |out| bye.encode(out))).unwrap(), bye);
        for code in [RefusalCode::Epoch, RefusalCode::Other(300)] {
            let refusal = Refusal { code, text: text.clone() };
            prop_assert_eq!(Refusal::decode(&carried(FrameKind::Refuse, |out| refusal.encode(out))).unwrap(), refusal);
        }
    }

    #[test]
    fn messages_come_back(is_sparse in any::<bool>(), from in 0..u64::MAX / 2, messages in prop::collection::vec((0_u32..9, prop::collection::vec(any::<u8>(), 0..90)), 0..20)) {
        let layout = if is_sparse { DataLayout::Sparse } else { DataLayout::Dense };
        let (head, frame) = frame_of(layout, from, &messages);
        let (raw, _) = FrameReader::new(1 << 20).next(&frame, 0).unwrap().unwrap();
        let payload = &frame[raw.payload];
        prop_assert_eq!(&Data::decode(payload).unwrap(), &head);
        let body = &payload[DATA_HEAD_BYTES..];
        let items = items(&head, body).unwrap();
        prop_assert_eq!(items.len(), messages.len());
        let mut number = from;
        for (item, (step, text)) in items.iter().zip(&messages) {
            number += if is_sparse { u64::from(*step) } else { 0 };
            prop_assert_eq!((item.number, &body[item.range.clone()]), (number, &text[..]));
            number += 1;
        }
        prop_assert_eq!(rewrite_body(&head, Codec::Plain, body), frame);
    }

    #[test]
    fn survives_any_bytes(hello in hello(), changes in prop::collection::vec((any::<u16>(), any::<u8>()), 1..6)) {
        let mut payload = Vec::new();
        hello.encode(&mut payload);
        for (place, byte) in changes {
            let place = place as usize % payload.len();
            payload[place] = byte;
            for bytes in [&payload[..], &payload[..place]] {
                let _ = (Hello::decode(bytes), Welcome::decode(bytes), Ack::decode(bytes), Gap::decode(bytes));
                if let Ok(head) = Data::decode(bytes) {
                    let _ = items(&head, &bytes[DATA_HEAD_BYTES..]);
                }
            }
        }
    }
}

/// Reads the first frame of bytes with a limit of 64 bytes.
#[track_caller]
fn check_frame(bytes: &[u8], want: Result<Option<FrameKind>, FrameError>) {
    let read = FrameReader::new(64).next(bytes, 0);
    assert_eq!(read.map(|frame| frame.map(|(frame, _)| frame.kind)), want);
}

#[test]
fn refuses_what_is_no_frame() {
    let mut ping = Vec::new();
    append_frame(FrameKind::Ping, &mut ping, |out| out.extend_from_slice(b"12345678"));
    check_frame(&ping, Ok(Some(FrameKind::Ping)));
    check_frame(&[], Ok(None));
    check_frame(b"GET / HTTP/1.1\r\n", Err(FrameError::Kind(b'/')));
    check_frame(&[65, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0], Err(FrameError::TooLong(65)));
    check_frame(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], Err(FrameError::Kind(0)));
    for place in [4, 5, 9, 13] {
        let mut broken = ping.clone();
        broken[place] ^= 1;
        check_frame(&broken, Err(FrameError::Checksum));
    }
    let mut later = Vec::new();
    append_frame(FrameKind::Unknown, &mut later, |out| out.push(1));
    check_frame(&later, Ok(Some(FrameKind::Unknown)));
}

#[test]
fn fields_of_later_versions_are_skipped_unless_they_are_critical() {
    let hello = Hello {
        versions: (1, 1),
        sender: "host1".into(),
        run: 1,
        streams: vec![StreamOffer { stream: 0, epoch: 1, lowest: 0, fresh: 0 }],
        level: Level::Durable,
        codecs: Vec::new(),
        dictionaries: Vec::new(),
        token: Vec::new(),
        software: "x".into(),
    };
    for (field, want) in [(900_u16, None), (0x8384, Some(FrameError::UnknownField(0x8384)))] {
        let mut payload = Vec::new();
        hello.encode(&mut payload);
        payload.extend_from_slice(&field.to_le_bytes());
        payload.extend_from_slice(&[2, 0, 0, 0, 1, 1]);
        assert_eq!(Hello::decode(&payload).err(), want);
    }
}

/// Changes the head of a frame with two messages of three bytes; its body must then be refused, or the head.
#[track_caller]
fn check_lie(change: impl FnOnce(&mut Data), want: Result<usize, FrameError>) {
    let (mut head, frame) = frame_of(DataLayout::Dense, 5, &[(0, b"one".to_vec()), (0, b"two".to_vec())]);
    change(&mut head);
    let body = frame[FRAME_HEAD_BYTES + DATA_HEAD_BYTES..].to_vec();
    let frame = rewrite_body(&head, head.codec, &body);
    let read = Data::decode(&frame[FRAME_HEAD_BYTES..]);
    assert_eq!(read.and_then(|head| items(&head, &body)).map(|items| items.len()), want);
}

#[test]
fn a_body_is_what_its_head_says() {
    let malformed = Err(FrameError::Malformed(FrameKind::Data));
    check_lie(|_| {}, Ok(2));
    check_lie(|head| (head.count, head.until) = (3, 8), malformed);
    check_lie(|head| (head.count, head.until) = (1, 6), malformed);
    check_lie(|head| head.until = 8, malformed);
    check_lie(|head| head.until = 4, malformed);
    check_lie(|head| head.size += 1, malformed);
    check_lie(|head| (head.from, head.until) = (u64::MAX - 2, u64::MAX), Ok(2));
    // A count that would take more memory than the body has.
    check_lie(|head| (head.count, head.until) = (u32::MAX, 5 + u64::from(u32::MAX)), malformed);
}

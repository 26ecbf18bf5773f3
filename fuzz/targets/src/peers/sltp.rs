//! Frames of SLTP: whatever the bytes, a frame lies inside them, and messages lie inside their frame.

use wire::sltp::{
    Ack, Bye, Codec, DATA_HEAD_BYTES, Data, FrameKind, FrameReader, Gap, Hello, Refusal, Welcome,
    append_frame, items,
};

/// Runs the target: the bytes as a connection, and as the payload of each kind of frame, whose checksum a fuzzer would
/// never find.
pub(crate) fn run(bytes: &[u8]) {
    let reader = FrameReader::new(1 << 16);
    let mut at = 0;
    while let Ok(Some((frame, end))) = reader.next(bytes, at) {
        assert!(frame.payload.end == end && end <= bytes.len() && end > at);
        payload(frame.kind, &bytes[frame.payload]);
        at = end;
    }
    let kinds = [
        FrameKind::Hello,
        FrameKind::Welcome,
        FrameKind::Refuse,
        FrameKind::Data,
        FrameKind::Ack,
        FrameKind::Gap,
        FrameKind::Bye,
    ];
    kinds.into_iter().for_each(|kind| payload(kind, bytes));
}

fn payload(kind: FrameKind, payload: &[u8]) {
    match kind {
        FrameKind::Hello => {
            if let Ok(hello) = Hello::decode(payload) {
                let mut again = Vec::new();
                append_frame(kind, &mut again, |out| hello.encode(out));
                let (frame, _) = FrameReader::new(1 << 20).next(&again, 0).expect("its own").expect("whole");
                assert_eq!(Hello::decode(&again[frame.payload]), Ok(hello));
            }
        }
        FrameKind::Data => {
            let Ok(head) = Data::decode(payload) else { return };
            let body = &payload[DATA_HEAD_BYTES..];
            if head.codec != Codec::Plain {
                return;
            }
            let Ok(items) = items(&head, body) else { return };
            assert_eq!(items.len(), head.count as usize);
            for item in items {
                assert!(item.range.end <= body.len() && (head.from..head.until).contains(&item.number));
            }
        }
        FrameKind::Welcome => drop(Welcome::decode(payload)),
        FrameKind::Refuse => drop(Refusal::decode(payload)),
        FrameKind::Ack => drop(Ack::decode(payload)),
        FrameKind::Gap => drop(Gap::decode(payload)),
        FrameKind::Bye => drop(Bye::decode(payload)),
        FrameKind::Ping | FrameKind::Pong | FrameKind::Dictionary | FrameKind::Unknown => {}
    }
}

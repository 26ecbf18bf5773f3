//! Frames of AMQP brokers: whatever the bytes, payloads lie inside them, and names of headers are short.

use transport::amqp::{ContentHeader, FrameKind, decode, decode_delivery, decode_frame};

/// Most bytes of a frame.
const LIMIT: usize = 4096;
/// Longest name: tables within tables, eight deep, each with a name of 255 bytes and a dot.
const NAME_BYTES_MAX: usize = 9 * 256;

/// Runs the target.
pub(crate) fn run(bytes: &[u8]) {
    let mut rest = bytes;
    while let Ok(Some((frame, size))) = decode_frame(rest, LIMIT) {
        assert!(size <= rest.len() && frame.payload.len() < size && size <= LIMIT);
        match frame.kind {
            FrameKind::Method => {
                let _ = decode(frame.payload);
                if let Ok(Some(delivery)) = decode_delivery(frame.payload) {
                    assert!(delivery.exchange.len() <= 255 && delivery.routing_key.len() <= 255);
                }
            }
            FrameKind::Header => {
                if let Ok(header) = ContentHeader::decode(frame.payload) {
                    let mut count = 0;
                    let _ = header.headers(&mut |name, value| {
                        count += 1;
                        assert!(name.len() <= NAME_BYTES_MAX && value.len() <= LIMIT);
                    });
                    assert!(count <= 1000);
                    let _ = (header.delivery_count(), header.message_id(), header.properties().count());
                }
            }
            FrameKind::Body | FrameKind::Heartbeat => {}
        }
        rest = &rest[size..];
    }
}

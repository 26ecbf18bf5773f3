//! Packets of MQTT brokers: whatever the bytes, a packet lies inside them.

use transport::mqtt::{Packet, decode_body, decode_head};

/// Runs the target.
pub(crate) fn run(bytes: &[u8]) {
    let mut rest = bytes;
    while let Ok(Some(head)) = decode_head(rest) {
        assert!(head.bytes > 0 && head.bytes <= rest.len());
        let body = &rest[head.bytes..];
        let Some((body, after)) = body.split_at_checked(head.rest) else { return };
        if let Ok(Packet::Publication(found)) = decode_body(head.first, body) {
            assert!(found.topic.len() + found.payload.len() <= body.len());
        }
        rest = after;
    }
}

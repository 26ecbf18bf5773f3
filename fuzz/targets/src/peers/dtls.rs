//! The unencrypted part of DTLS: whatever the datagram, reading it ends; an answer to a hello is a record;
//! the frames of a record lie inside it, in order.

use wire::dtls::{Start, append_verify_request, start};

/// Runs the target.
pub(crate) fn run(input: (u16, Vec<u8>)) {
    let (limit, bytes) = input;
    if let Start::Hello(hello) = start(&bytes) {
        assert!(hello.cookie.len() < bytes.len());
        let mut answer = Vec::new();
        append_verify_request(hello.sequence, &[7; 16], &mut answer);
        assert!(matches!(start(&answer), Start::Record(record) if record.epoch == 0));
    }
    let (mut frames, mut at) = (Vec::new(), 0);
    wire::split_record(&bytes, usize::from(limit).max(1), &mut frames);
    for frame in frames {
        assert!(frame.start >= at && frame.start < frame.end && frame.end <= bytes.len());
        assert!(frame.end - frame.start <= usize::from(limit).max(1));
        at = frame.end;
    }
}

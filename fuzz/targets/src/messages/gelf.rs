//! GELF: chunks of any kind stay within their bounds, and frames of any bytes yield a message each.

use message::{Ack, Batch, Origin, Stamp};
use std::{sync::Arc, time::Duration};
use wire::{Chunks, DecodeOptions, Frame, Payload, ShippedReader};

/// Runs the target.
pub(crate) fn run(input: Vec<(u8, Vec<u8>)>) {
    let (mut chunks, mut now) = (Chunks::default(), Duration::ZERO);
    let mut reader = ShippedReader::new(DecodeOptions::default(), "");
    for (pause, datagram) in &input {
        now += Duration::from_millis(u64::from(*pause) * 50);
        let payload = match chunks.take(datagram, None, now) {
            Payload::Whole(bytes) => bytes.to_vec(),
            Payload::Joined(bytes) => bytes,
            Payload::Waiting | Payload::Broken => continue,
        };
        assert!(chunks.bytes() < 17 << 20);
        let frame = Frame { start: 0, end: payload.len(), marks: message::Marks::NONE };
        let origins = vec![Arc::new(Origin::default())];
        let mut batch = Batch::new(Arc::new(payload), origins, Stamp::known(0, 0), Ack::none());
        reader.gelf_frames(&mut batch, &[frame], 0);
        assert_eq!(batch.len(), 1);
    }
}

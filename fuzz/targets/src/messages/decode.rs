//! Decoding: any bytes with any flags yield a message whose parts lie inside the batch, and which can be
//! encoded.

use message::{Ack, Batch, Marks, Origin, Span, Stamp};
use std::sync::Arc;
use wire::{DecodeOptions, Decoder, Dialect, EncodeOptions, Encoder, Framing, ParseFlags};

/// Runs the target.
pub(crate) fn run(input: (u32, Vec<u8>)) {
    let (flags, bytes) = input;
    let length = bytes.len();
    let received = Stamp::known(1_795_000_000_000_000, 3600);
    let origins = vec![Arc::new(Origin::default())];
    let mut batch = Batch::new(Arc::new(bytes), origins, received, Ack::none());
    let mut decoder = Decoder::new(DecodeOptions { flags: ParseFlags(flags), ..DecodeOptions::default() });
    decoder.decode(&mut batch, Span::received(0, length), Marks::NONE, 0);
    for dialect in [Dialect::Rfc3164, Dialect::Rfc5424] {
        let mut out = Vec::new();
        let mut encoder = Encoder::new(EncodeOptions::new(dialect, Framing::OctetCounted));
        (0..batch.len()).for_each(|index| encoder.append(&batch, index, &mut out));
    }
}

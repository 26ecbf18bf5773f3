//! Bodies that shippers post: any bytes, read as any of the formats, yield messages that lie inside the
//! batch, or one error.

use message::{Ack, Batch, Field, Origin, Stamp};
use std::sync::Arc;
use wire::{DecodeOptions, HecMeta, OtlpNames, OtlpParts, ShippedReader, otlp_request};

/// Runs the target.
pub(crate) fn run(input: (u8, Vec<u8>)) {
    let (format, bytes) = input;
    let received = Stamp::known(1_795_000_000_000_000, 0);
    let mut batch = Batch::new(Arc::new(bytes), vec![Arc::new(Origin::default())], received, Ack::none());
    let names = if format < 128 { OtlpNames::Plain } else { OtlpNames::Dotted };
    let mut reader = ShippedReader::new(DecodeOptions::default(), "").with_otlp_names(names);
    let refused = match format % 11 {
        0 => reader.bulk(&mut batch, 0).is_err(),
        1 => reader.loki_json(&mut batch, 0).is_err(),
        2 => reader.loki_protobuf(&mut batch, 0).is_err(),
        3 => reader.otlp_protobuf(&mut batch, 0).is_err(),
        4 => reader.otlp_json(&mut batch, 0).is_err(),
        5 => reader.hec_events(&mut batch, 0).is_err(),
        6 => reader.gelf(&mut batch, 0).is_err(),
        7 => reader.documents(&mut batch, 0).is_err(),
        8 => {
            reader.hec_raw(&mut batch, 0, &HecMeta { host: Some("h".to_owned()), ..HecMeta::default() });
            false
        }
        9 => {
            let size = ShippedReader::journal_size(&batch.received_bytes);
            assert_eq!(reader.journal(&mut batch, 0), size);
            false
        }
        _ => {
            reader.lines(&mut batch, 0);
            false
        }
    };
    assert!(!refused || batch.is_empty(), "a refused body left messages");
    for index in 0..batch.len() {
        for span in [batch.messages[index].raw, batch.messages[index].text] {
            assert_eq!(batch.bytes(span).len(), span.len());
        }
        let _ = batch.fixed(index, Field::Host);
        assert!(batch.values(index).iter().all(|(name, _, _)| (1..=128).contains(&name.len())));
        check_sent(&batch, index, received);
    }
}

/// Checks that a message can be read again when it is sent as a record of OpenTelemetry.
fn check_sent(batch: &Batch, index: usize, received: Stamp) {
    for parts in [OtlpParts::of(batch, index), OtlpParts::whole(batch, index)] {
        let request = otlp_request([[&parts.resource[..], &parts.scope, &parts.record]]);
        let origins = vec![Arc::new(Origin::default())];
        let mut again = Batch::new(Arc::new(request), origins, received, Ack::none());
        let read = ShippedReader::new(DecodeOptions::default(), "").otlp_protobuf(&mut again, 0);
        assert!(read.is_ok() && again.len() == 1, "a record that cannot be read: {read:?}");
    }
}

//! Records of process accounting: any bytes yield one message.

use message::{Ack, Batch, Field, Origin, Priority, Span, Stamp};
use std::sync::Arc;
use wire::{ACCOUNTING_BYTES, push_accounting};

/// Runs the target.
pub(crate) fn run(record: Vec<u8>) {
    let size = record.len();
    let origins = vec![Arc::new(Origin::default())];
    let mut batch = Batch::new(Arc::new(record), origins, Stamp::known(0, 0), Ack::none());
    push_accounting(&mut batch, Span::received(0, size), Priority(13), 0);
    assert_eq!(batch.len(), 1);
    let values = batch.values(0);
    assert!(values.is_empty() || size == ACCOUNTING_BYTES && values.len() == 18);
    assert_eq!(values.is_empty(), !batch.fixed(0, Field::Message).is_empty());
}

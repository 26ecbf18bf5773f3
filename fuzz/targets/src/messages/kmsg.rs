//! Records of the kernel: any bytes yield one message.

use message::{Ack, Batch, Field, Origin, Span, Stamp};
use std::sync::Arc;
use wire::push_kmsg;

/// Runs the target.
pub(crate) fn run(record: Vec<u8>) {
    let size = record.len();
    let origins = vec![Arc::new(Origin::default())];
    let mut batch = Batch::new(Arc::new(record), origins, Stamp::known(0, 0), Ack::none());
    let _ = push_kmsg(&mut batch, Span::received(0, size), Some(0), 0);
    assert_eq!(batch.len(), 1);
    assert!(batch.fixed(0, Field::Message).len() <= size);
    assert!(batch.values(0).len() <= size + 8);
}

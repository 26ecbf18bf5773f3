//! Messages in the queue files of syslog-ng: any bytes yield one message or an error, and a message uses bytes that are there.

use message::{Ack, Batch, Selection, Stamp, codec};
use std::sync::Arc;
use wire::{DISKQ_HEADER_BYTES, DiskqHeader, push_saved_message};

/// Runs the target.
pub(crate) fn run(bytes: &[u8]) {
    let mut batch = Batch::new(Arc::default(), Vec::new(), Stamp::default(), Ack::none());
    match push_saved_message(bytes, &mut batch) {
        Ok(read) => {
            assert!(read <= bytes.len() && batch.len() == 1);
            let mut encoded = Vec::new();
            codec::encode(&batch, &Selection::all(1), &mut encoded);
            let again = codec::decode(&encoded).expect("what is queued can be read");
            assert_eq!(again.values(0), batch.values(0));
        }
        Err(_) => assert!(batch.is_empty()),
    }
    let mut header = [0; DISKQ_HEADER_BYTES];
    let length = bytes.len().min(DISKQ_HEADER_BYTES);
    header[..length].copy_from_slice(&bytes[..length]);
    if let Ok(header) = DiskqHeader::read(&header) {
        for at in [header.first, header.end, u64::MAX] {
            let next = header.next_record(at, bytes.len() as u64);
            assert!(next == at || next == DISKQ_HEADER_BYTES as u64);
        }
        assert!(header.messages() >= header.records);
    }
}

//! Evidence: any bytes are read as a chain of records, a time-stamp, a key or the envelope of a segment, or
//! are an error.

use evidence::{Chain, Identity, Keys, PublicKey, Record, Stamp, root_of};
use segment::SegmentInspector;

/// Runs the target.
pub(crate) fn run(bytes: &[u8]) {
    let chain = Chain::parse(bytes);
    for record in chain.records() {
        assert_eq!(Record::parse(&record.print()).as_ref(), Some(record));
    }
    let _ = Stamp::read(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = (Identity::parse(text, None), Identity::from_line(text), PublicKey::from_pem(text));
    }
    if let Ok(inspector) = SegmentInspector::from_bytes(bytes.to_vec(), &Keys::default()) {
        for chunk in 0..inspector.chunks() {
            let _ = inspector.examine(chunk);
        }
        let _ = (inspector.record(), inspector.recipients(), inspector.extent());
    }
    let numbers = bytes.chunks_exact(9).map(|chunk| (u64::from(chunk[0]), evidence::Digest::of(chunk)));
    let known: Vec<_> = numbers.collect();
    let _ = root_of(bytes.len() as u64 * 7, &known, &[evidence::Digest::of(bytes)]);
}

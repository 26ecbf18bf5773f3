//! Rows for the limits of a segment.

use super::*;

#[test]
fn a_segment_is_full_at_either_limit() {
    for (length, bytes, want) in [
        (0, 0, false),
        (DOCUMENTS_MAX - 1, BYTES_MAX - 1, false),
        (DOCUMENTS_MAX, 0, true),
        (0, BYTES_MAX, true),
        (DOCUMENTS_MAX + 1, BYTES_MAX + 1, true),
    ] {
        let mut builder = Builder::new(0, None);
        (builder.length, builder.bytes) = (length, bytes);
        assert_eq!(builder.is_full(), want, "{length} documents, {bytes} bytes");
    }
}

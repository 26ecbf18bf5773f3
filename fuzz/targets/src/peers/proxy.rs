//! PROXY headers: whatever the bytes, a header lies inside them, and fewer bytes never change its meaning.

use wire::proxy::{HEADER_BYTES_MAX, Start, start};

/// Runs the target.
pub(crate) fn run(bytes: &[u8]) {
    match start(bytes) {
        Start::Header(header) => {
            assert!(header.size <= bytes.len() && header.size <= HEADER_BYTES_MAX);
            assert_eq!(start(&bytes[..header.size]), Start::Header(header));
            assert_eq!(start(&bytes[..header.size - 1]), Start::Partial);
        }
        Start::Partial => assert!(bytes.len() < HEADER_BYTES_MAX),
        Start::Other => {}
    }
}

//! Rows for errors at startup.

use super::*;
use std::error::Error;

#[test]
fn says_what_cannot_start_and_why() {
    let (id, source) = (|| "d#0".to_owned(), || io::Error::from(io::ErrorKind::AddrInUse));
    for (error, want, has_source) in [
        (StageError::Twice { id: id() }, "cannot start d#0: two drivers have this id", false),
        (
            StageError::Thread { id: id(), source: source() },
            "cannot start a thread for d#0: address in use",
            true,
        ),
        (
            StageError::Tls { id: id(), source: TlsError::Missing("set key-file()") },
            "cannot use the tls() of d#0: set key-file()",
            true,
        ),
        (
            StageError::Open { id: id(), what: "tcp 127.0.0.1:514".to_owned(), source: source() },
            "cannot open tcp 127.0.0.1:514 for d#0: address in use",
            true,
        ),
    ] {
        assert_eq!((error.to_string().as_str(), error.source().is_some()), (want, has_source));
    }
}

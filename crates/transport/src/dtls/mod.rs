//! DTLS 1.2 of listeners and senders (RFC 6347; RFC 6012 for syslog): settings, cookies, associations over datagrams.
//!
//! In: the options of `tls()`, the same as over TCP. Out: [`ServerDtls`] and [`ClientDtls`], read once from their files,
//! and associations. Holds: keys and certificates; a reload reads them again while associations keep the old ones.
//! Limits: OpenSSL shakes hands and encrypts, nothing else: files, passwords, the check of peers and its words are those
//! of [`crate::tls`]. Version 1.2 only, without resumption, renegotiation and compression.

mod association;
mod cookies;
mod error;
mod settings;

pub use association::{Association, AssociationState, Datagrams};
pub use cookies::Cookies;
pub use error::AssociationError;
pub use settings::{ClientDtls, ListenerDtls, SenderDtls, ServerDtls};

/// Longest text of a record, whatever the path.
pub const RECORD_TEXT_BYTES_MAX: usize = 16 << 10;

/// Bytes of a record in addition to its text: header, number, tag of AES-GCM.
pub const RECORD_OVERHEAD_BYTES: usize = 13 + 8 + 16;

#[cfg(test)]
mod tests;

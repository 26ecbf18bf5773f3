//! Files that hold secrets: private keys, bundles of a key and its certificates, the secrets of sessions for Wireshark.
//!
//! In: paths, passwords. Out: keys. Holds: the open file of session secrets. Limits: see each.

pub(super) mod key;
mod keylog;
pub(super) mod pkcs12;

pub(crate) use keylog::KeyLogFile;

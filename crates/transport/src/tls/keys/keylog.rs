//! `keylog-file()`: the secrets of sessions, for decrypting recorded traffic.
//!
//! In: secrets. Out: lines of the form that Wireshark reads. Holds: an open file. Limits: its mode is 0600.

use super::super::error::TlsError;
use rustls::KeyLog;
use std::{
    fmt,
    fs::{File, OpenOptions},
    io::Write,
    os::unix::fs::OpenOptionsExt,
    path::Path,
    sync::{Mutex, PoisonError},
};

/// An open file of secrets.
pub(crate) struct KeyLogFile(Mutex<File>);

impl KeyLogFile {
    pub(crate) fn open(path: &Path) -> Result<KeyLogFile, TlsError> {
        let opened = OpenOptions::new().append(true).create(true).mode(0o600).open(path);
        let file = opened.map_err(|source| TlsError::Read { path: path.to_owned(), source })?;
        Ok(KeyLogFile(Mutex::new(file)))
    }
}

impl KeyLog for KeyLogFile {
    fn log(&self, label: &str, client_random: &[u8], secret: &[u8]) {
        self.write(&format!("{label} {} {}\n", digits(client_random), digits(secret)));
    }
}

impl KeyLogFile {
    /// Writes a line with its line feed.
    pub(crate) fn write(&self, line: &str) {
        // A full disk must not end a session: the line is missing then.
        let _ = self.0.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
    }
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl fmt::Debug for KeyLogFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyLogFile")
    }
}

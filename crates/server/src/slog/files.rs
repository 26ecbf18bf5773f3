//! The files that belong to an encrypted log: the host's key and the MAC of all lines.
//!
//! In: bytes. Out: keys and MACs that were checked. Holds nothing.
//! A key file, the master key's too, has 32 bytes of key, 16 of a CMAC of the number of lines, and that number in 8
//! bytes, the lowest first. A MAC file has 16 bytes of MAC, and 16 of a CMAC that shows that they are intact.

use super::{
    error::SlogError,
    scheme::{HostKey, KEY_BYTES, MAC_BYTES, Mac, cmac_of},
};
use std::{
    fs::{self, OpenOptions},
    io::Write,
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

/// Reads a whole file.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, SlogError> {
    fs::read(path).map_err(|source| SlogError::Read { path: path.to_owned(), source })
}

/// Writes a whole file, which only its owner may read.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), SlogError> {
    let written = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path).and_then(
        |mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        },
    );
    written.map_err(|source| SlogError::Write { path: path.to_owned(), source })
}

impl HostKey {
    /// Reads a key file.
    pub(super) fn read(path: &Path) -> Result<HostKey, SlogError> {
        let bytes = read(path)?;
        HostKey::parse(&bytes).ok_or_else(|| SlogError::NoKey { path: path.to_owned() })
    }

    pub(super) fn parse(bytes: &[u8]) -> Option<HostKey> {
        let (key, rest) = bytes.split_first_chunk::<KEY_BYTES>()?;
        let (check, rest) = rest.split_first_chunk::<MAC_BYTES>()?;
        let lines: &[u8; 8] = rest.try_into().ok()?;
        (cmac_of(key, &[lines]) == *check).then(|| HostKey { key: *key, lines: u64::from_le_bytes(*lines) })
    }

    /// Writes a key file.
    pub(super) fn write(&self, path: &Path) -> Result<(), SlogError> {
        write(path, &self.print())
    }

    pub(super) fn print(&self) -> Vec<u8> {
        let lines = self.lines.to_le_bytes();
        [&self.key[..], &cmac_of(&self.key, &[&lines]), &lines].concat()
    }
}

/// Returns a CMAC of nothing with the MAC as its key: it shows that the file is intact, but protects nothing.
fn check_of(mac: &Mac) -> Mac {
    let mut key = [0; KEY_BYTES];
    key[..MAC_BYTES].copy_from_slice(mac);
    cmac_of(&key, &[&[0; MAC_BYTES]])
}

/// Reads a MAC file.
pub(super) fn read_mac(path: &Path) -> Result<Mac, SlogError> {
    let bytes = read(path)?;
    let whole = bytes.split_first_chunk::<MAC_BYTES>().filter(|(mac, check)| check_of(mac) == **check);
    whole.map(|(mac, _)| *mac).ok_or_else(|| SlogError::NoMac { path: path.to_owned() })
}

/// Writes a MAC file.
pub(super) fn write_mac(path: &Path, mac: &Mac) -> Result<(), SlogError> {
    write(path, &print_mac(mac))
}

/// The bytes of a MAC file.
pub(super) fn print_mac(mac: &Mac) -> Vec<u8> {
    [&mac[..], &check_of(mac)].concat()
}

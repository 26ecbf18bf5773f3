//! Encrypts the contents of the journal of an encrypted logspace.
//!
//! In: encoded batches on their way to the journal, and from it. Out: the same encrypted, under a key that has a
//! file of its own until every message it covers is sealed; then the key is overwritten and removed, and what is
//! left in old journal files is unreadable. `docs/decisions/006-sealing.md` says what this promises and what it
//! does not.
//! Holds: the keys. Limits: when the file of a key is damaged, its messages are lost, and reported.

use aws_lc_rs::{
    aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    rand,
};
use evidence::KEY_BYTES;
use journal::Disk;
use std::{
    borrow::Cow,
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

/// Folder of the keys in a logspace's directory.
const KEYS_DIR: &str = "journal-keys";
const KEY_ENDING: &str = ".key";
/// First byte of an encrypted payload; the first byte of a plain batch is its version.
const ENCRYPTED: u8 = 0x80;
/// Bytes before the ciphertext: the mark, the key's number, the record's number under that key.
const HEAD_BYTES: usize = 17;

/// The keys of a journal.
pub(crate) struct JournalCipher {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Keys, by the first sequence number that each may cover.
    keys: BTreeMap<u64, LessSafeKey>,
    /// Number of records under the newest key.
    count: u64,
    /// True when the newest key may be used.
    is_ready: bool,
}

impl JournalCipher {
    /// Reads the existing keys.
    pub(crate) fn open(disk: Arc<dyn Disk>, dir: &Path) -> io::Result<JournalCipher> {
        let dir = dir.join(KEYS_DIR);
        let mut state = State::default();
        for name in disk.list(&dir).or_else(none_when_missing)? {
            let number = name.strip_suffix(KEY_ENDING).and_then(|digits| digits.parse().ok());
            let Some(number) = number else { continue };
            let mut key = [0; KEY_BYTES];
            let read = disk.open(&dir.join(&name))?.read_at(0, &mut key)?;
            // All zeros: a removal that was interrupted.
            if read == KEY_BYTES && key != [0; KEY_BYTES] {
                state.keys.extend(key_of(&key).map(|key| (number, key)));
            }
        }
        Ok(JournalCipher { disk, dir, state: Mutex::new(state) })
    }

    /// Generates a key for records from `first` on. Called at every start, and when a segment was sealed.
    pub(crate) fn renew(&self, first: u64) -> io::Result<()> {
        let mut key = [0; KEY_BYTES];
        rand::fill(&mut key).map_err(|_| io::Error::other("no randomness"))?;
        let cipher = key_of(&key).ok_or_else(|| io::Error::other("no key"))?;
        self.disk.create_dir_all(&self.dir)?;
        let path = self.path(first);
        match self.disk.remove(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let file = self.disk.create(&path)?;
        file.write_at(0, &key)?;
        file.sync()?;
        self.disk.sync_dir(&self.dir)?;
        if let Some(parent) = self.dir.parent() {
            self.disk.sync_dir(parent)?;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.keys.insert(first, cipher);
        (state.count, state.is_ready) = (0, true);
        Ok(())
    }

    /// Appends an encrypted record to `out`: the bytes that `encode` appends, for this sequence number.
    pub(crate) fn seal(&self, sequence: u64, out: &mut Vec<u8>, encode: &mut dyn FnMut(&mut Vec<u8>)) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { keys, count, .. } = &mut *state;
        let (number, key) = keys.last_key_value().expect("a key was drawn before the first record");
        debug_assert!(*number <= sequence, "a key covers only what comes behind it");
        let record = *count;
        *count += 1;
        out.extend_from_slice(&head(*number, record));
        let start = out.len();
        encode(out);
        let tag = key.seal_in_place_separate_tag(nonce(record), bound(sequence), &mut out[start..]);
        out.extend_from_slice(tag.expect("a record is shorter than the cipher's limit").as_ref());
    }

    /// Decrypts a record; `None` when its key is gone or its bytes were changed.
    pub(crate) fn open_record<'a>(&self, sequence: u64, payload: &'a [u8]) -> Option<Cow<'a, [u8]>> {
        if payload.first() != Some(&ENCRYPTED) {
            return Some(Cow::Borrowed(payload));
        }
        let number = u64::from_le_bytes(payload.get(1..9)?.try_into().ok()?);
        let record = u64::from_le_bytes(payload.get(9..HEAD_BYTES)?.try_into().ok()?);
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let key = state.keys.get(&number)?;
        let mut plain = payload[HEAD_BYTES..].to_vec();
        let length = key.open_in_place(nonce(record), bound(sequence), &mut plain).ok()?.len();
        plain.truncate(length);
        Some(Cow::Owned(plain))
    }

    /// Returns true when a key was generated since the start.
    pub(crate) fn is_ready(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).is_ready
    }

    /// Destroys the keys that cover only numbers below `below`.
    pub(crate) fn forget(&self, below: u64) -> io::Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let numbers: Vec<u64> = state.keys.keys().copied().collect();
        for pair in numbers.windows(2).filter(|pair| pair[1] <= below) {
            let path = self.path(pair[0]);
            let file = self.disk.open(&path)?;
            file.write_at(0, &[0; KEY_BYTES])?;
            file.sync()?;
            self.disk.remove(&path)?;
            state.keys.remove(&pair[0]);
        }
        debug_assert_eq!(state.keys.keys().last(), numbers.last(), "the newest key stays");
        Ok(())
    }

    fn path(&self, number: u64) -> PathBuf {
        self.dir.join(format!("{number:020}{KEY_ENDING}"))
    }
}

fn none_when_missing(error: io::Error) -> io::Result<Vec<String>> {
    if error.kind() == io::ErrorKind::NotFound { Ok(Vec::new()) } else { Err(error) }
}

fn key_of(key: &[u8]) -> Option<LessSafeKey> {
    UnboundKey::new(&AES_256_GCM, key).ok().map(LessSafeKey::new)
}

fn head(number: u64, record: u64) -> [u8; HEAD_BYTES] {
    let mut head = [ENCRYPTED; HEAD_BYTES];
    head[1..9].copy_from_slice(&number.to_le_bytes());
    head[9..].copy_from_slice(&record.to_le_bytes());
    head
}

fn nonce(record: u64) -> Nonce {
    let mut nonce = [0; NONCE_LEN];
    nonce[..8].copy_from_slice(&record.to_le_bytes());
    Nonce::assume_unique_for_key(nonce)
}

fn bound(sequence: u64) -> Aad<[u8; 8]> {
    Aad::from(sequence.to_le_bytes())
}

#[cfg(test)]
mod tests;

//! The options of a store of dead letters, and its errors.
//!
//! In: options of a configuration. Out: limits; keys, from their files. Holds: them. Limits: a store whose keys cannot be read
//! does not open: nothing is stored in another way than configured.

use evidence::{Identity, IdentityError, Keys, Recipient, RecipientError};
use journal::{Disk, OsDisk};
use std::{fmt, io, path::PathBuf, sync::Arc, time::Duration};

/// The reaction to a full store.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OnFull {
    /// The destination stops until space is made. Nothing is lost.
    #[default]
    Hold,
    /// The oldest letters are removed and counted.
    DropOldest,
    /// The new letter is not stored, and counted.
    DropNewest,
}

/// `dead-letters()`: storage of messages that a receiver will never accept.
#[derive(Clone)]
pub struct DeadLetterOptions {
    /// The folder of this store alone.
    pub folder: PathBuf,
    /// `capacity-bytes()`: most bytes of its files.
    pub capacity_bytes: u64,
    /// `max-age()`: older letters are removed; `None` keeps them.
    pub max_age: Option<Duration>,
    /// `on-full()`
    pub on_full: OnFull,
    /// `encrypt-certificate()`: who may open letters, as files with a certificate or public key, or `age1...`. Without any,
    /// letters are in clear text.
    pub recipients: Vec<String>,
    /// `decrypt-key()`: the file of a private key, so that the server reads what it has encrypted.
    pub decrypt_key: Option<PathBuf>,
    /// The file system.
    pub disk: Arc<dyn Disk>,
    keys: Option<(Vec<Recipient>, Keys)>,
}

impl fmt::Debug for DeadLetterOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeadLetterOptions({}, capacity={})", self.folder.display(), self.capacity_bytes)
    }
}

impl DeadLetterOptions {
    /// Least value of `capacity-bytes()`.
    pub const CAPACITY_BYTES_MIN: u64 = 1 << 20;

    /// Returns the defaults: one gibibyte, no maximum age, and nothing is lost when it is full.
    pub fn new(folder: PathBuf) -> DeadLetterOptions {
        DeadLetterOptions {
            folder,
            capacity_bytes: 1 << 30,
            max_age: None,
            on_full: OnFull::Hold,
            recipients: Vec::new(),
            decrypt_key: None,
            disk: Arc::new(OsDisk),
            keys: None,
        }
    }

    /// Reads the files of the keys, unless that was done. Returns the recipients, and the private keys.
    pub fn load_keys(&mut self) -> Result<&(Vec<Recipient>, Keys), StoreError> {
        if self.keys.is_none() {
            let load = |text: &String| Recipient::load(text).map_err(StoreError::Recipient);
            let recipients = self.recipients.iter().map(load).collect::<Result<_, _>>()?;
            let keys = match &self.decrypt_key {
                Some(path) => {
                    let unusable = |source| StoreError::DecryptKey { path: path.clone(), source };
                    Keys::of(vec![Identity::load(path, None).map_err(unusable)?])
                }
                None => Keys::default(),
            };
            self.keys = Some((recipients, keys));
        }
        Ok(self.keys.as_ref().expect("they were just read"))
    }
}

/// An error of the store.
#[derive(Debug)]
pub enum StoreError {
    /// Its files cannot be used.
    Io {
        /// Its folder.
        folder: PathBuf,
        /// The error of the system, or of the journal.
        source: io::Error,
    },
    /// It is full, and with `on-full(hold)` nothing may be lost.
    Full {
        /// Its folder.
        folder: PathBuf,
        /// `capacity-bytes()`
        capacity_bytes: u64,
    },
    /// A recipient of `encrypt-certificate()` cannot be used.
    Recipient(RecipientError),
    /// The private key of `decrypt-key()` cannot be used.
    DecryptKey {
        /// Its file.
        path: PathBuf,
        /// Why.
        source: IdentityError,
    },
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::Io { folder, source } => {
                write!(f, "cannot store dead letters in {}: {source}", folder.display())
            }
            StoreError::Full { folder, capacity_bytes } => write!(
                f,
                "the {capacity_bytes} bytes for dead letters in {} are full: replay or drop some (duramen queue dead)",
                folder.display()
            ),
            StoreError::Recipient(error) => error.fmt(f),
            StoreError::DecryptKey { path, source } => write!(f, "{}: {source}", path.display()),
        }
    }
}

impl std::error::Error for StoreError {}

impl From<StoreError> for io::Error {
    fn from(error: StoreError) -> io::Error {
        io::Error::other(error)
    }
}

//! The signed head of a ledger: how many entries there were, and the digest of the last one.
//!
//! In: the ledger, a key. Out: `FILE.head` beside it, replaced in one step, after the entries that it names are durable.
//! Holds nothing. Limits: a head is never signed over entries that do not continue those of the previous head:
//! someone who cut or changed them must not get a signature for that.

use super::{Entry, Ledger};
use crate::{
    digest::Digest,
    record::LedgerHead,
    sign::{PublicKey, SigningKey},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use std::{
    fmt,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::PathBuf,
};

const TITLE: &str = "duramen ledger head 1";

/// The contents of the file beside a ledger.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignedHead {
    /// Entries, and the last one.
    pub head: LedgerHead,
    /// Bytes of the ledger up to its end.
    pub bytes: u64,
    /// When it was signed, microseconds since 1970.
    pub at_us: i64,
    /// Fingerprint of the key; empty when the server has no key.
    pub signer: String,
    signature: Vec<u8>,
}

/// The reason why a head was not signed.
#[derive(Debug)]
pub enum HeadError {
    /// A file cannot be read or written.
    Io(io::Error),
    /// The head that is there cannot be read.
    Unreadable,
    /// The ledger does not continue from the previous head.
    Changed {
        /// Entries of the head before.
        entries: u64,
    },
    /// The key does not sign.
    Unsigned,
}

impl fmt::Display for HeadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HeadError::Io(error) => error.fmt(f),
            HeadError::Unreadable => f.write_str("its signed head cannot be read"),
            HeadError::Changed { entries } => {
                write!(f, "its first {entries} entries are not those that were signed: it was cut or changed")
            }
            HeadError::Unsigned => f.write_str("its head cannot be signed"),
        }
    }
}

impl std::error::Error for HeadError {}

impl From<io::Error> for HeadError {
    fn from(error: io::Error) -> HeadError {
        HeadError::Io(error)
    }
}

impl SignedHead {
    fn statement(&self) -> String {
        let LedgerHead { entries, last } = self.head;
        let signer = if self.signer.is_empty() { "none" } else { &self.signer };
        format!(
            "{TITLE}\nentries {entries}\nlast {last}\nbytes {}\nat {}\nsigner {signer}\n",
            self.bytes, self.at_us
        )
    }

    fn print(&self) -> String {
        format!("{}signature {}\n", self.statement(), STANDARD.encode(&self.signature))
    }

    fn parse(text: &str) -> Option<SignedHead> {
        let mut lines = text.strip_prefix(TITLE)?.strip_prefix('\n')?.lines();
        let mut take = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ');
        let entries = take("entries")?.parse().ok()?;
        let last = Digest::parse(take("last")?)?;
        let bytes = take("bytes")?.parse().ok()?;
        let at_us = take("at")?.parse().ok()?;
        let signer = take("signer").filter(|signer| *signer != "none").unwrap_or_default().to_owned();
        let signature = STANDARD.decode(take("signature")?).ok()?;
        let head = SignedHead { head: LedgerHead { entries, last }, bytes, at_us, signer, signature };
        // A head has exactly one valid text, so that nothing can be hidden in another spelling.
        (head.print() == text).then_some(head)
    }

    /// Returns true when a key signed it.
    pub fn is_signed_by(&self, key: &PublicKey) -> bool {
        self.signer == key.fingerprint() && key.verify(self.statement().as_bytes(), &self.signature)
    }
}

impl Ledger {
    fn head_path(&self) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(".head");
        PathBuf::from(name)
    }

    /// The signed head; none when there is no file, an error when the file is not a head.
    pub fn signed_head(&self) -> Result<Option<SignedHead>, HeadError> {
        match fs::read_to_string(self.head_path()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(HeadError::Unreadable),
            Err(error) => Err(error.into()),
            Ok(text) => SignedHead::parse(&text).map(Some).ok_or(HeadError::Unreadable),
        }
    }

    /// Signs the end of the ledger as it is now; returns the entries since the head before. Without a key the head has
    /// no signature.
    pub fn sign_head(&self, key: Option<&SigningKey>, at_us: i64) -> Result<Vec<Entry>, HeadError> {
        let before = self.signed_head()?;
        if self.head()?.is_none() {
            return before
                .map_or(Ok(Vec::new()), |before| Err(HeadError::Changed { entries: before.head.entries }));
        }
        let fresh = self.entries_after(before.as_ref())?;
        let signer = key.map(|key| key.public().fingerprint()).unwrap_or_default();
        let Some(last) = fresh.last() else { return Ok(fresh) };
        let entries = before.as_ref().map_or(0, |before| before.head.entries) + fresh.len() as u64;
        let head = LedgerHead { entries, last: last.digest };
        let mut signed = SignedHead { head, bytes: last.end, at_us, signer, signature: Vec::new() };
        if let Some(key) = key {
            signed.signature = key.sign(signed.statement().as_bytes()).ok_or(HeadError::Unsigned)?;
        }
        self.write_head(&signed)?;
        Ok(fresh)
    }

    /// Returns the complete lines after those of a head, which must still exist.
    fn entries_after(&self, before: Option<&SignedHead>) -> Result<Vec<Entry>, HeadError> {
        let mut entries = self.entries()?;
        if let Some(before) = before {
            let changed = || HeadError::Changed { entries: before.head.entries };
            if fs::metadata(&self.path)?.len() < before.bytes {
                return Err(changed());
            }
            entries.skip_to(self.line_start(before.bytes)?)?;
            let known = entries.next().transpose()?;
            let is_there =
                known.is_some_and(|known| known.digest == before.head.last && known.end == before.bytes);
            if !is_there {
                return Err(changed());
            }
        }
        let whole = |entry: &io::Result<Entry>| entry.as_ref().map_or(true, |entry| entry.is_whole);
        Ok(entries.take_while(whole).collect::<io::Result<_>>()?)
    }

    /// Returns the start of the line that ends at an offset.
    fn line_start(&self, end: u64) -> io::Result<u64> {
        use std::os::unix::fs::FileExt;
        let file = File::open(&self.path)?;
        let start = end.saturating_sub(super::LINE_BYTES_MAX);
        let mut bytes = vec![0; (end - start) as usize];
        file.read_exact_at(&mut bytes, start)?;
        let body = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        Ok(start + memchr::memrchr(b'\n', body).map_or(0, |at| at as u64 + 1))
    }

    /// Replaces the head in one step, durably.
    fn write_head(&self, head: &SignedHead) -> io::Result<()> {
        debug_assert!(SignedHead::parse(&head.print()).is_some(), "a head that cannot be read back");
        let path = self.head_path();
        let mut fresh = path.clone().into_os_string();
        fresh.push(".new");
        let mut out = OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&fresh)?;
        out.write_all(head.print().as_bytes())?;
        out.sync_all()?;
        fs::rename(&fresh, &path)?;
        File::open(path.parent().unwrap_or(&path))?.sync_all()
    }
}

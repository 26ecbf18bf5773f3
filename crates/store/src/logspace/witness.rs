//! Keeps a logspace's chain of evidence.
//!
//! In: what was sealed, what was removed. Out: signed records, durable before anybody relies on them.
//! Holds: the chain and the signing key. Limits: a record that cannot be written holds back what it is about: a
//! segment stays in the journal, a removal waits.

use super::{
    OpenLogspaceError,
    options::{Notice, Notices},
};
use crate::{
    evidence::{Chain, EVIDENCE_DIR, Event, Facts, Record, SigningKey},
    ledger::Ledger,
};
use aws_lc_rs::rand;
use journal::Disk;
use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

/// Name of the key that is drawn when none is given.
const SIGN_KEY_NAME: &str = "sign.key";
/// Digits of a key's digest in the name of its file.
const KEY_DIGITS: usize = 16;

/// Where the key lies that signs for the logspace in a directory, given the one that the configuration names.
pub(crate) fn sign_key(dir: &Path, given: Option<&Path>) -> PathBuf {
    given.map_or_else(|| dir.join(EVIDENCE_DIR).join(SIGN_KEY_NAME), Path::to_owned)
}

/// The chain and who signs it.
pub(crate) struct Witness {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    chain: Chain,
    key: SigningKey,
    logspace: [u8; 16],
    /// Whose end each record names.
    ledger: Option<Ledger>,
}

impl Witness {
    /// Reads the chain; draws a key when none is given and none was drawn before.
    pub(crate) fn open(
        disk: Arc<dyn Disk>,
        dir: &Path,
        sign_key: Option<&Path>,
        notices: &dyn Notices,
    ) -> Result<Witness, OpenLogspaceError> {
        let folder = dir.join(EVIDENCE_DIR);
        let failed = |source| OpenLogspaceError::Io { path: folder.clone(), source };
        disk.create_dir_all(&folder).map_err(failed)?;
        fs::create_dir_all(&folder).map_err(failed)?;
        fs::File::open(dir).and_then(|dir| dir.sync_all()).map_err(failed)?;
        let mut chain = Chain::read(&*disk, dir).map_err(failed)?;
        let cut = chain.mend(&*disk, dir).map_err(failed)?;
        for damage in chain.damages().iter().copied().chain(cut) {
            notices.notice(Notice::ChainDamaged { offset: damage.offset, bytes: damage.bytes });
        }
        let path = self::sign_key(dir, sign_key);
        let key = match sign_key {
            Some(_) => SigningKey::load(&path),
            None => SigningKey::load_or_draw(&path),
        };
        let key = key.map_err(OpenLogspaceError::SignKey)?;
        publish(&folder, &key).map_err(failed)?;
        let mut logspace = [0; 16];
        match chain.records().first() {
            Some(record) => logspace = record.logspace,
            None => rand::fill(&mut logspace).map_err(|_| failed(io::Error::other("no randomness")))?,
        }
        Ok(Witness { disk, dir: dir.to_owned(), chain, key, logspace, ledger: None })
    }

    /// From now on each record names the end of a ledger.
    pub(crate) fn tie(&mut self, ledger: Option<Ledger>) {
        self.ledger = ledger;
    }

    /// What happened so far.
    pub(crate) fn chain(&self) -> &Chain {
        &self.chain
    }

    /// The next record, signed; not yet part of the chain.
    pub(crate) fn record(&self, event: Event, segment: Facts, at_us: i64) -> Option<Record> {
        let mut record = Record {
            number: self.chain.next_number(),
            logspace: self.logspace,
            previous: self.chain.head(),
            at_us,
            event,
            segment,
            // A ledger that cannot be read must not keep messages from being sealed; its verification tells.
            ledger: self.ledger.as_ref().and_then(|ledger| ledger.head().ok().flatten()),
            signer: self.key.public().fingerprint(),
            signature: Vec::new(),
        };
        record.signature = self.key.sign(record.statement().as_bytes())?;
        Some(record)
    }

    /// Makes a record part of the chain, durably.
    pub(crate) fn append(&mut self, record: Record) -> io::Result<()> {
        self.chain.append(&*self.disk, &self.dir, record)
    }

    /// Says that a segment is gone, unless the chain says so already or never knew it.
    pub(crate) fn remove(&mut self, first: u64, reason: &str, at_us: i64) -> io::Result<()> {
        let Some(known) = self.chain.current(first) else { return Ok(()) };
        let event = Event::Removal(reason.to_owned());
        let record = self.record(event, known.segment.clone(), at_us);
        self.append(record.ok_or_else(|| io::Error::other("the record cannot be signed"))?)
    }

    /// Says that a segment's file has another place.
    pub(crate) fn relocate(&mut self, first: u64, event: Event, at_us: i64) -> io::Result<()> {
        let unknown = || io::Error::other("the chain does not know the segment");
        let known = self.chain.current(first).ok_or_else(unknown)?;
        let record = self.record(event, known.segment.clone(), at_us);
        self.append(record.ok_or_else(|| io::Error::other("the record cannot be signed"))?)
    }

    /// The id of the logspace.
    pub(crate) fn logspace(&self) -> [u8; 16] {
        self.logspace
    }

    /// Takes in the record of a segment that a crash kept out of the chain. What the chain should know and does not
    /// is told.
    pub(crate) fn adopt(&mut self, record: &Record, path: &Path, notices: &dyn Notices) -> io::Result<()> {
        if self.chain.has(record) {
            return Ok(());
        }
        if record.number < self.chain.next_number() {
            notices.notice(Notice::ForeignSegment { path: path.to_owned() });
            return Ok(());
        }
        if !self.chain.continues(record) {
            notices.notice(Notice::ChainBroken { path: path.to_owned() });
        }
        if self.chain.records().is_empty() {
            self.logspace = record.logspace;
        }
        self.append(record.clone())
    }
}

/// Puts the public half of a key where verification finds it.
fn publish(folder: &Path, key: &SigningKey) -> io::Result<()> {
    let fingerprint = key.public().fingerprint();
    let digits = fingerprint.rsplit(':').next().unwrap_or_default();
    let path = folder.join(format!("key-{}.pem", &digits[..digits.len().min(KEY_DIGITS)]));
    let text = key.public().to_pem();
    // A power cut may have left half of it.
    if fs::read(&path).is_ok_and(|there| there == text.as_bytes()) {
        return Ok(());
    }
    let unfinished = path.with_extension("unfinished");
    let mut file = fs::File::create(&unfinished)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&unfinished, &path)?;
    fs::File::open(folder)?.sync_all()
}

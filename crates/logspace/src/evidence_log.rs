//! Keeps a logspace's chain of evidence.
//!
//! In: what was sealed, what was removed. Out: signed records, durable before anything relies on them.
//! Holds: the chain and the signing key. Limits: when a record cannot be written, the change it describes is held
//! back: a segment stays in the journal, a removal waits.

mod open_error;

pub use open_error::OpenEvidenceError;

use crate::{
    files::{
        chain_file::{CHAIN_NAME, EVIDENCE_DIR, append_record, mend_chain, read_chain},
        layout::{SEGMENT_ENDING, files_ending},
    },
    options::{EvidenceNotice, Notice, Notices},
};
use aws_lc_rs::rand;
use evidence::{Chain, Event, Facts, Ledger, PublicKey, Record, SigningKey};
use journal::{Disk, create_private, make_private_folders};
use lookup::Locked;
use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

/// File name of the key that is generated when none is configured.
const SIGN_KEY_NAME: &str = "sign.key";
/// Name of the file that holds the path of the configured key, so that commands beside the server find it.
const SIGN_KEY_PLACE: &str = "sign.key.place";
/// Digits of a key's digest that its file name has.
const KEY_DIGITS: usize = 16;

/// Returns the path of the key that signs for the logspace in a directory, given the one that the configuration names.
pub(crate) fn sign_key(dir: &Path, given: Option<&Path>) -> PathBuf {
    given.map_or_else(|| dir.join(EVIDENCE_DIR).join(SIGN_KEY_NAME), Path::to_owned)
}

/// Returns the path of the key that signs for the logspace in a directory, as its server used it last.
pub fn sign_key_of(dir: &Path) -> PathBuf {
    sign_key(dir, configured_key(dir).as_deref())
}

/// Returns the path of the key that the configuration of the server named last.
pub(crate) fn configured_key(dir: &Path) -> Option<PathBuf> {
    let place = fs::read_to_string(dir.join(EVIDENCE_DIR).join(SIGN_KEY_PLACE)).ok()?;
    place.strip_suffix('\n').map(PathBuf::from)
}

/// Saves the path of the configured key, or that there is none.
fn keep_place(folder: &Path, given: Option<&Path>) -> io::Result<()> {
    let path = folder.join(SIGN_KEY_PLACE);
    let Some(given) = given else {
        return match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
    };
    let text = format!("{}\n", std::path::absolute(given)?.display());
    if fs::read(&path).is_ok_and(|there| there == text.as_bytes()) {
        return Ok(());
    }
    fs::write(&path, text)
}

/// The chain and the key that signs it.
pub(crate) struct EvidenceLog {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    chain: Chain,
    key: SigningKey,
    /// Keys that signed earlier records of the chain; their public halves are beside it.
    earlier: Vec<PublicKey>,
    logspace: [u8; 16],
    /// A change of key that the previous key did not sign, in words.
    key_trouble: Option<String>,
    /// The ledger whose end each record names.
    ledger: Option<Ledger>,
}

impl EvidenceLog {
    /// Reads the chain; generates a key when none is configured and none was generated before.
    pub(crate) fn open(
        disk: Arc<dyn Disk>,
        dir: &Path,
        sign_key: Option<&Path>,
        now_us: i64,
        notices: &dyn Notices,
    ) -> Result<EvidenceLog, OpenEvidenceError> {
        let folder = dir.join(EVIDENCE_DIR);
        let failed = |source| OpenEvidenceError::Io { path: folder.clone(), source };
        disk.create_dir_all(&folder).map_err(failed)?;
        make_private_folders(&folder).map_err(failed)?;
        fs::File::open(dir).and_then(|dir| dir.sync_all()).map_err(failed)?;
        let mut chain = read_chain(&*disk, dir).map_err(failed)?;
        if chain.is_newer() {
            return Err(OpenEvidenceError::Newer { path: folder.join(CHAIN_NAME) });
        }
        let cut = mend_chain(&mut chain, &*disk, dir).map_err(failed)?;
        for damage in chain.damages().iter().copied().chain(cut) {
            notices
                .notice(EvidenceNotice::ChainDamaged { offset: damage.offset, bytes: damage.bytes }.into());
        }
        let path = self::sign_key(dir, sign_key);
        let key = match sign_key {
            Some(_) => SigningKey::load(&path),
            None if path.exists() => SigningKey::load(&path),
            None => {
                refuse_another_key(dir, &chain, &path)?;
                SigningKey::load_or_draw(&path)
            }
        };
        let key = key.map_err(OpenEvidenceError::SignKey)?;
        publish(&folder, &key).map_err(failed)?;
        keep_place(&folder, sign_key).map_err(failed)?;
        let mut logspace = [0; 16];
        match chain.records().first() {
            Some(record) => logspace = record.logspace,
            None => rand::fill(&mut logspace).map_err(|_| failed(io::Error::other("no randomness")))?,
        }
        let earlier = keys_beside(dir).map_err(failed)?;
        let earlier = earlier.into_iter().filter(|key| {
            let fingerprint = key.fingerprint();
            chain.records().iter().any(|record| record.signer == fingerprint)
        });
        let earlier = earlier.collect();
        let mut evidence_log = EvidenceLog {
            disk,
            dir: dir.to_owned(),
            chain,
            key,
            earlier,
            logspace,
            key_trouble: None,
            ledger: None,
        };
        evidence_log.record_change_of_key(now_us, notices).map_err(failed)?;
        Ok(evidence_log)
    }

    /// Records a change of the signing key in the chain, signed by the previous key if that is available.
    fn record_change_of_key(&mut self, now_us: i64, notices: &dyn Notices) -> io::Result<()> {
        let new = self.key.public().fingerprint();
        let before = self.chain.records().last().map(|record| match &record.event {
            // It was announced, and the server ended before it signed anything.
            Event::Key(named) => named.clone(),
            _ => record.signer.clone(),
        });
        let Some(before) = before.filter(|before| *before != new) else { return Ok(()) };
        let drawn = SigningKey::load(&self::sign_key(&self.dir, None)).ok();
        let old = drawn.filter(|drawn| drawn.public().fingerprint() == before);
        let is_vouched = old.is_some();
        let key = self.key.clone();
        self.key = old.unwrap_or_else(|| key.clone());
        let told = self.tell(Event::Key(new.clone()), now_us);
        self.key = key;
        let notice: Notice = EvidenceNotice::KeyChanged { before, now: new, is_vouched }.into();
        self.key_trouble = (!is_vouched).then(|| notice.to_string());
        notices.notice(notice);
        told
    }

    /// Returns, in words, a change of key that the previous key did not sign.
    pub(crate) fn key_trouble(&self) -> Option<&str> {
        self.key_trouble.as_deref()
    }

    /// Returns true when one of this logspace's keys signed a record.
    pub(crate) fn has_signed(&self, record: &Record) -> bool {
        let mut keys = std::iter::once(self.key.public()).chain(&self.earlier);
        keys.any(|key| record.is_signed_by(key))
    }

    /// Returns true when a record belongs to this logspace.
    pub(crate) fn is_own(&self, record: &Record) -> bool {
        record.logspace == self.logspace && self.has_signed(record)
    }

    /// Adopts the id of existing segments whose chain is gone.
    pub(crate) fn set_logspace(&mut self, logspace: [u8; 16]) {
        assert!(self.chain.records().is_empty(), "the chain has an id");
        self.logspace = logspace;
    }

    /// Makes each record name the end of a ledger from now on.
    pub(crate) fn tie(&mut self, ledger: Option<Ledger>) {
        self.ledger = ledger;
    }

    /// Returns the chain so far.
    pub(crate) fn chain(&self) -> &Chain {
        &self.chain
    }

    /// Makes and signs the next record, which is not yet part of the chain.
    pub(crate) fn record(&self, event: Event, segment: Facts, at_us: i64) -> Option<Record> {
        let mut record = Record {
            number: self.chain.next_number(),
            logspace: self.logspace,
            previous: self.chain.head(),
            at_us,
            event,
            segment,
            // A ledger that cannot be read must not keep messages from being sealed; its verification reports that.
            ledger: self.ledger.as_ref().and_then(|ledger| ledger.head().ok().flatten()),
            signer: self.key.public().fingerprint(),
            signature: Vec::new(),
        };
        record.signature = self.key.sign(record.statement().as_bytes())?;
        Some(record)
    }

    /// Appends a record to the chain, durably.
    pub(crate) fn append(&mut self, record: Record) -> io::Result<()> {
        append_record(&mut self.chain, &*self.disk, &self.dir, record)
    }

    /// Records that a segment is gone, unless the chain says so already or never knew it.
    pub(crate) fn remove(&mut self, first: u64, reason: &str, at_us: i64) -> io::Result<()> {
        let Some(known) = self.chain.current(first) else { return Ok(()) };
        let event = Event::Removal(reason.to_owned());
        let record = self.record(event, known.segment.clone(), at_us);
        self.append(record.ok_or_else(|| io::Error::other("the record cannot be signed"))?)
    }

    /// Appends a record of an event that concerns the chain and not a segment.
    pub(crate) fn tell(&mut self, event: Event, at_us: i64) -> io::Result<()> {
        debug_assert!(!event.is_of_contents(), "an event of a segment");
        // It carries the facts of an existing segment, as every record does.
        let mut known = self.chain.records().iter().rev().map(|record| record.segment.first);
        let segment = known.find_map(|first| self.chain.current(first)).map(|record| record.segment.clone());
        let record = self.record(event, segment.unwrap_or_default(), at_us);
        self.append(record.ok_or_else(|| io::Error::other("the record cannot be signed"))?)
    }

    /// Records that a segment's file was moved.
    pub(crate) fn relocate(&mut self, first: u64, event: Event, at_us: i64) -> io::Result<()> {
        debug_assert!(matches!(event, Event::Archive(_) | Event::Restore), "no move");
        let unknown = || io::Error::other("the chain does not know the segment");
        let known = self.chain.current(first).ok_or_else(unknown)?;
        let record = self.record(event, known.segment.clone(), at_us);
        self.append(record.ok_or_else(|| io::Error::other("the record cannot be signed"))?)
    }

    /// Returns the messages that the journal lost, as recorded in the chain.
    pub(crate) fn losses(&self) -> Vec<Locked> {
        let gaps = self.chain.records().iter().filter(|record| record.event == Event::Gap);
        let extent = |record: &Record| {
            let Facts { first, count, received_us, .. } = record.segment;
            Locked { first, count, received_us }
        };
        gaps.map(extent).collect()
    }

    /// Returns the id of the logspace.
    pub(crate) fn logspace(&self) -> [u8; 16] {
        self.logspace
    }
}

/// Refuses to generate a key for a logspace in which something was signed already.
fn refuse_another_key(dir: &Path, chain: &Chain, path: &Path) -> Result<(), OpenEvidenceError> {
    let failed = |source| OpenEvidenceError::Io { path: dir.to_owned(), source };
    let has_segments = !files_ending(dir, SEGMENT_ENDING).map_err(failed)?.is_empty();
    let signer = chain.records().last().map(|record| record.signer.clone());
    match signer {
        None if !has_segments => Ok(()),
        signer => Err(OpenEvidenceError::SignKeyGone { path: path.to_owned(), signer }),
    }
}

/// Returns the public keys beside the chain.
pub(super) fn keys_beside(dir: &Path) -> io::Result<Vec<PublicKey>> {
    let mut keys = Vec::new();
    let folder = match fs::read_dir(dir.join(EVIDENCE_DIR)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(keys),
        opened => opened?,
    };
    for entry in folder {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "pem") {
            keys.extend(PublicKey::load(&path).ok());
        }
    }
    Ok(keys)
}

/// Writes the public half of a key where verification finds it.
fn publish(folder: &Path, key: &SigningKey) -> io::Result<()> {
    let fingerprint = key.public().fingerprint();
    let digits = fingerprint.rsplit(':').next().unwrap_or_default();
    let path = folder.join(format!("key-{}.pem", &digits[..digits.len().min(KEY_DIGITS)]));
    let text = key.public().to_pem();
    // A power cut may have left an incomplete file.
    if fs::read(&path).is_ok_and(|there| there == text.as_bytes()) {
        return Ok(());
    }
    let unfinished = path.with_extension("unfinished");
    let mut file = create_private(&unfinished)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&unfinished, &path)?;
    fs::File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests;

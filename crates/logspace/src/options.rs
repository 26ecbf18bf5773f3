//! The options of a logspace, and the notices that it sends.
//!
//! In: the configuration. Out: the same, typed, with defaults. Limits: each option says its own.

mod authority;
mod commit_turns;
mod evidence_notice;

pub use authority::{Authority, AuthorityError};
pub(crate) use commit_turns::CommitTurn;
pub use commit_turns::CommitTurns;
pub use evidence_notice::EvidenceNotice;

use crate::files::clock::ClockEvent;
use evidence::{Digest, Keys, Ledger, Recipient};
use lookup::Locked;
use segment::{DamagedChunk, NAMED_MAX};
use std::{fmt, path::PathBuf, sync::Arc, time::Duration};

/// The options of a logspace.
#[derive(Clone, Debug)]
pub struct LogspaceOptions {
    /// Most bytes that wait for the journal on paths without flow control; further messages are dropped and counted.
    pub queue_bytes_max: u64,
    /// Most bytes written to the journal between two syncs.
    pub commit_bytes_max: u64,
    /// Least time between two commits, unless `commit_bytes_max` wait: spares disks that sync slowly.
    pub commit_gap: Duration,
    /// The turns of its commits, which it shares with other logspaces.
    pub commit_turns: Arc<CommitTurns>,
    /// Largest size of a journal file.
    pub journal_file_bytes_max: u64,
    /// Kind of failure that acknowledged messages survive.
    pub durability: journal::Durability,
    /// Most bytes in memory between the journal and the builder of the active segment.
    pub unbuilt_bytes_max: u64,
    /// Messages after which a segment is sealed.
    pub segment_messages_max: u64,
    /// Received bytes after which a segment is sealed.
    pub segment_bytes_max: u64,
    /// Estimated bytes of memory of the segment being built after which it is sealed. Up to three segments are in
    /// memory at once: one is built, one waits and one is sealed.
    pub segment_memory_max: u64,
    /// The delay within which new messages become searchable.
    pub refresh: Duration,
    /// Age of its newest message at which a segment is removed.
    pub retention_age: Option<Duration>,
    /// Size of all sealed segments at which the oldest is removed.
    pub retention_bytes: Option<u64>,
    /// The directory of the archive; the logspace has a folder of its name in it.
    pub archive_to: Option<PathBuf>,
    /// Age of its newest message at which a segment goes to the archive; none: only on request.
    pub archive_after: Option<Duration>,
    /// How long the clock must show a new time after a jump before segments are removed by age again.
    pub clock_wait: Duration,
    /// How often the retention is checked, besides at every seal.
    pub retention_check: Duration,
    /// How long to wait before a failed write is tried again.
    pub retry: Duration,
    /// Recipients that may open sealed segments; when empty, segments are not encrypted.
    pub recipients: Vec<Recipient>,
    /// Private keys that the server holds: segments sealed for them are searched without being unlocked.
    pub keys: Keys,
    /// The private key that signs the records of the chain; none: one is generated and stored in the logspace.
    pub sign_key: Option<PathBuf>,
    /// The server's ledger: each record of the chain names its end at that time.
    pub ledger: Option<Ledger>,
    /// The authority that time-stamps the chain; none: it is not stamped.
    pub authority: Option<Arc<dyn Authority>>,
    /// Least time between two time-stamps.
    pub timestamp_gap: Duration,
    /// True when nothing may be removed, whatever the retention says.
    pub legal_hold: bool,
    /// True when sealed segments are made smaller in the background.
    pub recode: bool,
    /// Age of its newest message at which a segment is recoded.
    pub recode_after: Duration,
    /// Age of its newest message at which a recoded segment is aged; none: never.
    pub age_after: Option<Duration>,
    /// How often to check whether there is one.
    pub recode_look: Duration,
    /// Bytes read per second to look for damage in sealed segments; 0: no scrubbing.
    pub scrub_bytes_a_second: u64,
    /// How long after opening scrubbing begins.
    pub scrub_wait: Duration,
    /// How often every sealed segment is read.
    pub scrub_interval: Duration,
    /// How long opening waits until messages are read back from the journal; after that, reading continues in the
    /// background.
    pub replay_wait: Duration,
}

impl Default for LogspaceOptions {
    fn default() -> LogspaceOptions {
        LogspaceOptions {
            queue_bytes_max: 64 << 20,
            commit_bytes_max: 8 << 20,
            commit_gap: Duration::from_millis(2),
            commit_turns: Arc::default(),
            journal_file_bytes_max: 128 << 20,
            durability: journal::Durability::Device,
            unbuilt_bytes_max: 64 << 20,
            segment_messages_max: 1_000_000,
            segment_bytes_max: 1 << 30,
            segment_memory_max: 512 << 20,
            refresh: Duration::from_millis(250),
            retention_age: None,
            retention_bytes: None,
            archive_to: None,
            archive_after: None,
            clock_wait: Duration::from_secs(3600),
            retention_check: Duration::from_secs(60),
            retry: Duration::from_secs(1),
            recipients: Vec::new(),
            keys: Keys::default(),
            sign_key: None,
            ledger: None,
            authority: None,
            timestamp_gap: Duration::ZERO,
            legal_hold: false,
            recode: true,
            recode_after: Duration::from_secs(60),
            age_after: None,
            recode_look: Duration::from_secs(5),
            scrub_bytes_a_second: 8 << 20,
            scrub_wait: Duration::from_secs(600),
            scrub_interval: Duration::from_secs(7 * 86_400),
            replay_wait: Duration::from_secs(30),
        }
    }
}

/// An event that an operator should know about.
#[derive(Clone, Debug)]
pub enum Notice {
    /// Opening found a torn end, as after a crash; nothing acknowledged was in it.
    TailCut {
        /// How many bytes were cut.
        bytes: u64,
    },
    /// Journal bytes that can no longer be read.
    Damage(journal::Damage),
    /// A record of the journal that is intact but holds no batch.
    Undecodable {
        /// Its first sequence number.
        sequence: u64,
        /// The fault, in words.
        error: message::codec::CodecError,
    },
    /// A record of the journal that is encrypted with a key that is gone.
    Undecipherable {
        /// Its first sequence number.
        sequence: u64,
    },
    /// The journal cannot be written: sources are held back until it can.
    JournalStalled {
        /// Why.
        error: String,
    },
    /// The journal can be written again.
    JournalResumed,
    /// A segment cannot be sealed: its messages stay in the journal until it can.
    SealStalled {
        /// Why.
        error: String,
    },
    /// A record was time-stamped, and all earlier ones with it.
    Stamped {
        /// Its number.
        number: u64,
    },
    /// A segment was sealed.
    Sealed {
        /// Its first sequence number.
        first: u64,
        /// How many messages it holds.
        messages: u64,
        /// Digest of its record: a copy saved elsewhere can prove later what was sealed up to here.
        record: Digest,
    },
    /// The segment being built has as many columns for names as allowed: values of further names share one.
    NamesCapped {
        /// Its first sequence number.
        first: u64,
    },
    /// A segment was recoded: the same messages in a smaller file.
    Recoded {
        /// Its first sequence number.
        first: u64,
        /// Size of the old file.
        before: u64,
        /// Size of the new one.
        bytes: u64,
    },
    /// A segment was not recoded; it is unchanged.
    NotRecoded {
        /// The file.
        path: PathBuf,
        /// Why.
        error: String,
    },
    /// Retention removed a segment.
    Removed {
        /// Its first sequence number.
        first: u64,
        /// How many messages it held.
        messages: u64,
    },
    /// A segment went to the archive, or came back.
    Moved {
        /// Its first sequence number.
        first: u64,
        /// How many messages it holds.
        messages: u64,
        /// True when it is in the archive now.
        is_archived: bool,
    },
    /// A segment file that cannot be used; it is left alone.
    BadSegment {
        /// The file.
        path: PathBuf,
        /// Why.
        error: String,
    },
    /// A chunk of a sealed segment is damaged; the others can still be read.
    DamagedChunk {
        /// The file.
        path: PathBuf,
        /// The chunk and its damage.
        trouble: DamagedChunk,
    },
    /// A segment that the catalog names is missing.
    MissingSegment {
        /// The file.
        path: PathBuf,
    },
    /// The catalog was missing or damaged and was rebuilt from the segments.
    CatalogRebuilt,
    /// Something is wrong with the evidence, or changed in it.
    Evidence(EvidenceNotice),
    /// Acknowledged messages are neither in a segment nor in the journal: at most those of an extent.
    Lost {
        /// Their numbers, and the received times around them.
        extent: Locked,
    },
    /// The clock jumped: nothing is removed by age for the time being.
    ClockJumped {
        /// By how much, in microseconds.
        by_us: i64,
    },
    /// Removal by age continues after a jump of the clock.
    ClockRight {
        /// True when the new time was accepted; false when the clock went back to the old one.
        is_accepted: bool,
    },
    /// A thread ended because of a defect in the program: nothing more is stored until a restart.
    Broken {
        /// Name of the thread.
        thread: &'static str,
    },
    /// The catalog or files cannot be changed; this is tried again.
    UpkeepFailed {
        /// Why.
        error: String,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Notice::TailCut { bytes } => {
                write!(f, "cut {bytes} bytes of an unfinished write from the journal")
            }
            Notice::Damage(damage) => damage.fmt(f),
            Notice::Undecodable { sequence, error } => {
                write!(f, "the journal's record {sequence} cannot be read: {error}")
            }
            Notice::Undecipherable { sequence } => {
                write!(f, "the journal's record {sequence} is encrypted and its key is gone")
            }
            Notice::JournalStalled { error } => write!(f, "holding sources back: {error}"),
            Notice::JournalResumed => f.write_str("the journal can be written again"),
            Notice::SealStalled { error } => write!(f, "keeping messages in the journal: {error}"),
            Notice::Sealed { first, messages, record } => {
                write!(f, "sealed {messages} messages from {first} on, record {record}")
            }
            Notice::Stamped { number } => write!(f, "record {number} was time-stamped"),
            Notice::Evidence(notice) => notice.fmt(f),
            Notice::Lost { extent: Locked { first, count, .. } } => write!(
                f,
                "up to {count} acknowledged messages are lost, with the numbers {first} to {}: neither a segment nor the journal has them",
                first + count.saturating_sub(1)
            ),
            Notice::ClockJumped { by_us } => ClockEvent::Jumped(*by_us).fmt(f),
            Notice::ClockRight { is_accepted: true } => ClockEvent::Accepted.fmt(f),
            Notice::ClockRight { is_accepted: false } => ClockEvent::Returned.fmt(f),
            Notice::NamesCapped { first } => write!(
                f,
                "messages from {first} on have more than {NAMED_MAX} different names of fields: values of further names share one column until the next segment; they are kept and found, but more slowly"
            ),
            Notice::Recoded { first, before, bytes } => {
                write!(f, "recoded the segment from {first} on: {bytes} bytes instead of {before}")
            }
            Notice::NotRecoded { path, error } => {
                write!(f, "{} is not recoded and stays as it is: {error}", path.display())
            }
            Notice::Removed { first, messages } => write!(f, "removed {messages} messages from {first} on"),
            Notice::Moved { first, messages, is_archived } => {
                let what = if *is_archived { "archived" } else { "restored" };
                write!(f, "{what} {messages} messages from {first} on")
            }
            Notice::BadSegment { path, error } => write!(f, "cannot use {}: {error}", path.display()),
            Notice::DamagedChunk { path, trouble: DamagedChunk { chunk, place, what, parts, messages } } => {
                write!(
                    f,
                    "{} is damaged in chunk {chunk} at {}: {what}, in {}; concerns messages {} to {}",
                    path.display(),
                    place.start,
                    parts.join(", "),
                    messages.start,
                    messages.end.saturating_sub(1),
                )
            }
            Notice::MissingSegment { path } => write!(f, "{} is not there", path.display()),
            Notice::CatalogRebuilt => f.write_str("made the catalog again from the segments"),
            Notice::Broken { thread } => {
                write!(f, "the thread {thread} ended unexpectedly: restart to go on")
            }
            Notice::UpkeepFailed { error } => write!(f, "will try again: {error}"),
        }
    }
}

impl From<EvidenceNotice> for Notice {
    fn from(notice: EvidenceNotice) -> Notice {
        Notice::Evidence(notice)
    }
}

/// Receiver of notices: the program's own log.
pub trait Notices: Send + Sync {
    /// Called from the logspace's threads; must not block.
    fn notice(&self, notice: Notice);
}

/// Discards all notices.
#[derive(Clone, Copy, Default, Debug)]
pub struct Unheard;

impl Notices for Unheard {
    fn notice(&self, _notice: Notice) {}
}

#[cfg(test)]
mod tests;

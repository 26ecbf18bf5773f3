//! A logspace: takes messages in, acknowledges them once they are durable, makes them searchable within a second,
//! seals them, and finally removes them.
//!
//! In: deliveries of the pipeline. Out: acknowledgements, snapshots for queries, a live tail, evidence packages, the
//! verification of a logspace from outside.
//! Holds: journal, active segment, sealed segments, catalog, chain of evidence. Touches files and threads.
//! Limits: see [`LogspaceOptions`].
//!
//! Modules in reading order, the lowest last:
//! - `logspace`: an open logspace; starts and ends its threads.
//! - `rebuild`: rebuilds the index of a sealed segment.
//! - `package`: makes evidence packages.
//! - `audit`: verifies a logspace from outside.
//! - `threads`: writer, builder, sealer, and the threads that recode, scrub and stamp.
//! - `opening`: finds what exists when a logspace is opened: its segments, and files that are not its own.
//! - `shared`: what the threads share: queues, published segments, counters.
//! - `evidence_log`: continues and signs the chain of evidence.
//! - `segments`: the operations that a logspace needs of segments, and their implementation.
//! - `options`: the options of a logspace, and the notices to its operator.
//! - `files`: the other files: paths, catalog, chain, archive, clock.

mod audit;
mod evidence_log;
mod files;
mod logspace;
mod opening;
mod options;
mod package;
mod rebuild;
mod segments;
mod shared;
mod threads;

pub use audit::{Audit, AuditError, AuditReport, Finding, FindingKind, Verdict};
pub use evidence_log::{OpenEvidenceError, sign_key_of};
pub use files::archive::{SegmentPlace, locate as locate_segment};
pub use files::chain_file::{EVIDENCE_DIR, read_chain};
pub use files::clock::{Clock, OsClock};
pub use files::layout::{segment_files, segment_path as segment_file};
pub use logspace::{Host, Logspace};
pub use opening::OpenLogspaceError;
pub use options::{
    Authority, AuthorityError, CommitTurns, EvidenceNotice, LogspaceOptions, Notice, Notices, Unheard,
};
pub use package::{ExportError, Exported, MessageSelector, PackagePart, document_json, export_package};
pub use rebuild::{RebuildIndex, RebuildIndexError};
pub use segments::{Growing, MakeDraftError, Outline, Recoded, Segments, Unlocked};
pub use shared::Retention;
pub use shared::live::{LIVE_BATCHES_MAX, LIVE_BYTES_MAX, Live, Subscription};
pub use shared::moves::{MoveError, Moved};
pub use shared::stats::LogspaceStats;

pub use threads::scrub::scrub_file;

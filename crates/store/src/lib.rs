//! The store: batches in, sealed and indexed segments out, and the answers to what a query asks of them.
//!
//! In: deliveries of the pipeline. Out: acknowledgements, snapshots of segments.
//! Holds: journal, active segment, sealed segments, catalog. Touches files and threads.

mod bitmap;
mod der;
mod document;
mod evidence;
mod ledger;
mod lock;
mod logspace;
mod package;
mod pattern;
mod segment;
mod tokens;
mod view;

pub use bitmap::Bitmap;
pub use evidence::{
    CHAIN_NAME, Chain, ChainDamage, Digest, EVIDENCE_DIR, Event, Facts, KeyError, LedgerHead, PublicKey,
    Record, SigningKey, Stamp, StampError, StampRequest, StampRoots, StampRootsError, hex, root_of, unhex,
};
pub use ledger::{
    Entries, Entry, HeadError, Ledger, LedgerAudit, LedgerEntry, LedgerFinding, LedgerReport, LedgerTie,
    SignedHead,
};
pub use lock::{Identity, IdentityError, Keys, Recipient, RecipientError};
pub use logspace::{
    Audit, AuditError, AuditReport, Authority, EvidenceNotice, Finding, FindingKind, Growing,
    LIVE_BATCHES_MAX, LIVE_BYTES_MAX, Live, Logspace, LogspaceOptions, LogspaceStats, Moved, Notice, Notices,
    OpenLogspaceError, Outline, RebuildIndex, RebuildIndexError, Recoded, SealFailed, SegmentPlace, Segments,
    Subscription, Unheard, Unlocked, Verdict, locate_segment, scrub_file, segment_file, segment_files,
    sign_key_of,
};
pub use package::{
    ExportError, Exported, FieldReport, PackageAudit, PackageError, PackageReport, PackageStamp, Part,
    Question, View, Wanted, document_json, export_package,
};
pub use segment::{
    Active, BYTES_MAX, DOCUMENTS_MAX, Draft, Learned, RebuildError, RecodeError, RecodeReport, Recoding,
    SealError, SealReport, Sealed, Sealing, Shell, Trouble, VerifyReport,
};
pub use view::{
    Bound, Column, ColumnUse, Document, Locked, Pace, Pattern, Phrase, PhraseAnswer, ReadCost, ReadError,
    SegmentView, Snapshot, Stop, Together, Watch, WordUse,
};

//! The store: batches in, sealed and indexed segments out, and the answers to what a query asks of them.
//!
//! In: deliveries of the pipeline. Out: acknowledgements, snapshots of segments.
//! Holds: journal, active segment, sealed segments, catalog. Touches files and threads.

mod bitmap;
mod document;
mod logspace;
mod pattern;
mod segment;
mod tokens;
mod view;

pub use bitmap::Bitmap;
pub use logspace::{
    Audit, AuditError, AuditReport, Authority, EVIDENCE_DIR, EvidenceNotice, ExportError, Exported, Finding,
    FindingKind, Growing, LIVE_BATCHES_MAX, LIVE_BYTES_MAX, Live, Logspace, LogspaceOptions, LogspaceStats,
    Moved, Notice, Notices, OpenLogspaceError, Outline, Part, RebuildIndex, RebuildIndexError, Recoded,
    SealFailed, SegmentPlace, Segments, Subscription, Unheard, Unlocked, Verdict, Wanted, document_json,
    export_package, locate_segment, read_chain, scrub_file, segment_file, segment_files, sign_key_of,
};
pub use segment::{
    Active, BYTES_MAX, DOCUMENTS_MAX, Draft, Learned, RebuildError, RecodeError, RecodeReport, Recoding,
    SealError, SealReport, Sealed, Sealing, Shell, Trouble, VerifyReport,
};
pub use view::{
    Bound, Column, ColumnUse, Document, Locked, Pace, Pattern, Phrase, PhraseAnswer, ReadCost, ReadError,
    SegmentView, Snapshot, Stop, Together, Watch, WordUse,
};

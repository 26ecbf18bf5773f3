//! Notices to the operator about the evidence.
//!
//! In: what opening and sealing found. Out: sentences. Limits: none.

use std::{fmt, path::PathBuf};

/// Something is wrong with the evidence, or changed in it.
#[derive(Clone, Debug)]
pub enum EvidenceNotice {
    /// Bytes of the chain of evidence that are no record.
    ChainDamaged {
        /// Offset of the first of them in the file.
        offset: u64,
        /// How many.
        bytes: u64,
    },
    /// A segment's file that is not the logspace's own: it is left as it is and never searched.
    ForeignSegment {
        /// The file.
        path: PathBuf,
        /// Why it is not.
        why: String,
    },
    /// A segment that the catalog names and the chain of evidence does not know.
    UnknownSegment {
        /// The file.
        path: PathBuf,
    },
    /// A file that was not the logspace's own was where a segment belongs, and was renamed.
    SetAside {
        /// Its new name.
        path: PathBuf,
    },
    /// The chain of evidence lacks records before that of a segment; it continues after them.
    ChainBroken {
        /// The file whose record does not follow.
        path: PathBuf,
    },
    /// The chain of evidence had lost records; it continues with those that segments still had.
    ChainRecovered {
        /// How many records were recovered from segments.
        records: u64,
    },
    /// Another key signs from now on.
    KeyChanged {
        /// Fingerprint of the key that signed before.
        before: String,
        /// Fingerprint of the new one.
        now: String,
        /// True when the previous key signed the change.
        is_vouched: bool,
    },
}

impl fmt::Display for EvidenceNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvidenceNotice::ChainDamaged { offset, bytes } => {
                write!(f, "{bytes} bytes at {offset} of the chain of evidence are no record")
            }
            EvidenceNotice::ForeignSegment { path, why } => {
                let path = path.display();
                write!(f, "{path} is not this logspace's own and is left alone, not searched: {why}")
            }
            EvidenceNotice::UnknownSegment { path } => {
                let path = path.display();
                write!(f, "the catalog names {path}, which the chain of evidence does not know")
            }
            EvidenceNotice::SetAside { path } => {
                write!(f, "a file was where a segment belongs; it is {} now", path.display())
            }
            EvidenceNotice::ChainBroken { path } => {
                write!(f, "the chain of evidence lacks the records before that of {}", path.display())
            }
            EvidenceNotice::ChainRecovered { records } => {
                write!(
                    f,
                    "the chain of evidence was cut or removed: {records} of its records were found in segments again, \
                     the others are lost, and a record says so"
                )
            }
            EvidenceNotice::KeyChanged { before, now, is_vouched } => {
                let how = match is_vouched {
                    true => "the key before signed that",
                    false => "the key before is not here to sign that, so verify needs --trust",
                };
                write!(
                    f,
                    "the chain of evidence is signed with {now} from now on, before with {before}; {how}"
                )
            }
        }
    }
}

//! The findings of a verification.
//!
//! In: findings. Out: the same in order, and the overall verdict. Limits: none.

use evidence::Digest;
use std::{ops::Range, path::PathBuf};

/// The kinds of findings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FindingKind {
    /// Bytes differ from what was written.
    Damaged,
    /// Something that should be there is not.
    Missing,
    /// A file is not the one that was sealed under its path.
    Foreign,
    /// The chain of evidence is interrupted.
    Chain,
    /// A signature or a time-stamp is not right.
    Signature,
    /// A clock went back, or was not where a time-stamp says it was.
    Clock,
    /// Sequence numbers that no segment has.
    Gap,
    /// Not wrong, but worth knowing.
    Note,
}

impl FindingKind {
    /// Returns the name used in output.
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::Damaged => "damaged",
            FindingKind::Missing => "missing",
            FindingKind::Foreign => "foreign",
            FindingKind::Chain => "chain",
            FindingKind::Signature => "signature",
            FindingKind::Clock => "clock",
            FindingKind::Gap => "gap",
            FindingKind::Note => "note",
        }
    }
}

/// One finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Its kind.
    pub kind: FindingKind,
    /// The finding, in words.
    pub text: String,
    /// The file concerned.
    pub path: Option<PathBuf>,
    /// The chunk concerned, from 0.
    pub chunk: Option<usize>,
    /// Offset in the file, bytes.
    pub offset: Option<u64>,
    /// Sequence numbers of the messages concerned.
    pub messages: Option<Range<u64>>,
}

/// Verdict of a verification as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Everything that is sealed and not removed was read, and nothing is wrong.
    Complete,
    /// Nothing is wrong with what was read; segments in an archive that is not attached were not read.
    GoodForWhatIsHere,
    /// Something is wrong.
    NotGood,
}

impl Finding {
    /// Returns true when the finding means that something is wrong.
    pub fn is_wrong(&self) -> bool {
        self.kind != FindingKind::Note
    }

    /// Makes a finding without a location.
    pub fn new(kind: FindingKind, text: impl Into<String>) -> Finding {
        Finding { kind, text: text.into(), path: None, chunk: None, offset: None, messages: None }
    }
}

/// The result of a verification.
#[derive(Clone, Default, Debug)]
pub struct AuditReport {
    /// Findings in the order in which they were made.
    pub findings: Vec<Finding>,
    /// Segment files checked.
    pub segments: u64,
    /// How many of these are encrypted and could not be opened.
    pub locked: u64,
    /// Segments in an archive that is not attached: nothing is known about them.
    pub away: u64,
    /// Messages read back and hashed.
    pub messages: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Records of the chain.
    pub records: u64,
    /// Valid time-stamps.
    pub stamps: u64,
    /// Digest of the last record.
    pub head: Digest,
}

impl AuditReport {
    /// Returns the verdict of the verification as a whole.
    pub fn verdict(&self) -> Verdict {
        if !self.is_good() {
            Verdict::NotGood
        } else if self.away > 0 {
            Verdict::GoodForWhatIsHere
        } else {
            Verdict::Complete
        }
    }

    /// Returns true when nothing wrong was found in what could be read.
    pub fn is_good(&self) -> bool {
        !self.findings.iter().any(Finding::is_wrong)
    }

    pub(crate) fn add(&mut self, finding: Finding) {
        self.findings.push(finding);
    }
}

#[cfg(test)]
mod tests {
    //! Verdicts over findings.

    use super::*;

    #[test]
    fn one_finding_that_is_no_note_spoils_a_verdict() {
        let kinds = [
            (FindingKind::Damaged, "damaged"),
            (FindingKind::Missing, "missing"),
            (FindingKind::Foreign, "foreign"),
            (FindingKind::Chain, "chain"),
            (FindingKind::Signature, "signature"),
            (FindingKind::Clock, "clock"),
            (FindingKind::Gap, "gap"),
            (FindingKind::Note, "note"),
        ];
        for (kind, name) in kinds {
            for away in [0, 1] {
                let mut report = AuditReport { away, ..AuditReport::default() };
                report.add(Finding::new(FindingKind::Note, "x"));
                report.add(Finding::new(kind, "y"));
                let want = match (kind, away) {
                    (FindingKind::Note, 0) => Verdict::Complete,
                    (FindingKind::Note, _) => Verdict::GoodForWhatIsHere,
                    _ => Verdict::NotGood,
                };
                assert_eq!((report.verdict(), kind.name()), (want, name), "{away} away");
                assert_eq!(report.findings.len(), 2);
            }
        }
    }
}

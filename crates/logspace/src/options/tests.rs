//! What an operator reads.

use super::*;
use crate::{evidence_log::OpenEvidenceError, opening::OpenLogspaceError, segments::MakeDraftError};
use std::io;

#[test]
fn notices_are_sentences() {
    let path = || PathBuf::from("/l/x.ds");
    let extent = Locked { first: 10, count: 3, received_us: (0, 1) };
    let trouble = DamagedChunk {
        chunk: 2,
        place: 40..50,
        what: "checksum",
        parts: vec!["rows", "words"],
        messages: 5..9,
    };
    let error = || "why".to_owned();
    let rows: [(Notice, &str); 19] = [
        (
            Notice::Undecodable { sequence: 5, error: message::codec::CodecError::Version(9) },
            "the journal's record 5 cannot be read: batch of format version 9",
        ),
        (Notice::TailCut { bytes: 7 }, "cut 7 bytes of an unfinished write from the journal"),
        (Notice::Undecipherable { sequence: 5 }, "the journal's record 5 is encrypted and its key is gone"),
        (Notice::JournalStalled { error: error() }, "holding sources back: why"),
        (Notice::JournalResumed, "the journal can be written again"),
        (Notice::SealStalled { error: error() }, "keeping messages in the journal: why"),
        (Notice::Stamped { number: 4 }, "record 4 was time-stamped"),
        (
            Notice::Lost { extent },
            "up to 3 acknowledged messages are lost, with the numbers 10 to 12: neither a segment nor the journal has them",
        ),
        (
            Notice::Recoded { first: 10, before: 99, bytes: 33 },
            "recoded the segment from 10 on: 33 bytes instead of 99",
        ),
        (
            Notice::NotRecoded { path: path(), error: error() },
            "/l/x.ds is not recoded and stays as it is: why",
        ),
        (Notice::Removed { first: 10, messages: 3 }, "removed 3 messages from 10 on"),
        (Notice::Moved { first: 10, messages: 3, is_archived: true }, "archived 3 messages from 10 on"),
        (Notice::Moved { first: 10, messages: 3, is_archived: false }, "restored 3 messages from 10 on"),
        (Notice::BadSegment { path: path(), error: error() }, "cannot use /l/x.ds: why"),
        (
            Notice::DamagedChunk { path: path(), trouble },
            "/l/x.ds is damaged in chunk 2 at 40: checksum, in rows, words; concerns messages 5 to 8",
        ),
        (Notice::MissingSegment { path: path() }, "/l/x.ds is not there"),
        (Notice::CatalogRebuilt, "made the catalog again from the segments"),
        (Notice::Broken { thread: "sealer" }, "the thread sealer ended unexpectedly: restart to go on"),
        (Notice::UpkeepFailed { error: error() }, "will try again: why"),
    ];
    for (notice, want) in rows {
        assert_eq!(notice.to_string(), want);
    }
}

#[test]
fn notices_of_evidence_are_sentences() {
    let path = || PathBuf::from("/l/x.ds");
    let key = |is_vouched| EvidenceNotice::KeyChanged { before: "a".into(), now: "b".into(), is_vouched };
    let signed = "the chain of evidence is signed with b from now on, before with a; ";
    let rows = [
        (
            EvidenceNotice::ChainDamaged { offset: 5, bytes: 7 },
            "7 bytes at 5 of the chain of evidence are no record".to_owned(),
        ),
        (
            EvidenceNotice::ForeignSegment { path: path(), why: "why".into() },
            "/l/x.ds is not this logspace's own and is left alone, not searched: why".to_owned(),
        ),
        (
            EvidenceNotice::UnknownSegment { path: path() },
            "the catalog names /l/x.ds, which the chain of evidence does not know".to_owned(),
        ),
        (
            EvidenceNotice::SetAside { path: path() },
            "a file was where a segment belongs; it is /l/x.ds now".to_owned(),
        ),
        (
            EvidenceNotice::ChainBroken { path: path() },
            "the chain of evidence lacks the records before that of /l/x.ds".to_owned(),
        ),
        (key(true), format!("{signed}the key before signed that")),
        (key(false), format!("{signed}the key before is not here to sign that, so verify needs --trust")),
    ];
    for (notice, want) in rows {
        assert_eq!(Notice::from(notice).to_string(), want);
    }
}

#[test]
fn errors_name_their_file() {
    let (path, source) = (|| PathBuf::from("/l"), || io::Error::other("why"));
    let opening = OpenLogspaceError::Io { path: path(), source: source() };
    assert_eq!(opening.to_string(), "cannot open logspace /l: why");
    let evidence = OpenEvidenceError::Io { path: path(), source: source() };
    assert_eq!(evidence.to_string(), "cannot open logspace /l: why");
    assert_eq!(OpenLogspaceError::Evidence(evidence).to_string(), "cannot open logspace /l: why");
    let draft = MakeDraftError::OtherRecipients { path: path() };
    assert_eq!(draft.to_string(), "/l was sealed for others than the configuration names now");
}

#[test]
fn other_errors_are_those_of_their_cause() {
    use crate::{AuditError, shared::draft::PlaceError};
    let (path, why) = (|| PathBuf::from("/l/x.ds"), || io::Error::other("why"));
    let locked = || lookup::ReadError::Locked { path: path() };
    let rows = [
        (AuditError::from(why()).to_string(), "why".to_owned()),
        (AuditError::from(lookup::Stop::Cancelled).to_string(), "stopped".to_owned()),
        (PlaceError::Unknown.to_string(), "the chain of evidence does not have the segment".to_owned()),
        (PlaceError::Removed.to_string(), "the segment was removed".to_owned()),
        (PlaceError::Archived.to_string(), "the segment was archived".to_owned()),
        (
            PlaceError::OtherMessages.to_string(),
            "its messages are not those that the chain of evidence says were sealed".to_owned(),
        ),
        (PlaceError::Unsigned.to_string(), "the record cannot be signed".to_owned()),
        (PlaceError::Locked.to_string(), "no key is there that opens the recoded segment".to_owned()),
        (PlaceError::Read(locked()).to_string(), locked().to_string()),
        (PlaceError::Io { path: path(), source: why() }.to_string(), "cannot make /l/x.ds: why".to_owned()),
        (MakeDraftError::from(locked()).to_string(), segment::RecodeError::from(locked()).to_string()),
    ];
    for (said, want) in rows {
        assert_eq!(said, want);
    }
    assert!(MakeDraftError::from(locked()).is_locked());
    assert!(!MakeDraftError::OtherRecipients { path: path() }.is_locked());
    let damaged = lookup::ReadError::Corrupt { path: path(), offset: 1, what: "x" };
    assert!(!MakeDraftError::from(damaged).is_locked());
}

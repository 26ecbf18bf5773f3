//! The sealed messages of a logspace on disk, one after the other.
//!
//! In: a logspace's directory, keys, a range of received times. Out: messages in the order of their sequence numbers,
//! and the segments that cannot be read, in their places. Limits: one message in memory; messages that are not
//! sealed yet are not among them.

use super::super::{error::VerbError, keys::KeyFiles, location::Location};
use evidence::{Chain, Facts, Keys};
use logspace::{locate_segment, read_chain, segment_file};
use lookup::{CancelToken, Document, ReadError, SegmentView};
use segment::Sealed;
use std::path::PathBuf;

/// A part of the sealed messages.
pub(in crate::data_folder) enum SealedPart<'a> {
    /// A message.
    Message(&'a Document),
    /// A segment that cannot be read, or not to its end.
    Unread(Unread<'a>),
}

/// A segment that cannot be read.
pub(in crate::data_folder) struct Unread<'a> {
    /// Its numbers and times.
    pub(in crate::data_folder) facts: &'a Facts,
    /// The reason, for the user.
    pub(in crate::data_folder) reason: UnreadReason,
}

/// The reason why a segment cannot be read.
pub(in crate::data_folder) enum UnreadReason {
    /// Its file is elsewhere.
    Away {
        /// The file.
        path: PathBuf,
        /// The reason, in words.
        why: &'static str,
    },
    /// It is damaged or locked.
    Read(ReadError),
}

impl std::fmt::Display for UnreadReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            UnreadReason::Away { path, why } => write!(f, "cannot read {}: {why}", path.display()),
            UnreadReason::Read(error) => error.fmt(f),
        }
    }
}

/// Decides whether a walk goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::data_folder) enum Walk {
    /// It goes on.
    On,
    /// It ends here.
    Ended,
}

/// The sealed messages of a logspace, received in a range of times.
pub(in crate::data_folder) struct SealedMessages {
    dir: PathBuf,
    keys: Keys,
    chain: Chain,
    from_us: i64,
    to_us: i64,
}

impl SealedMessages {
    /// Opens a logspace.
    pub(in crate::data_folder) fn open(
        location: &Location,
        keys: &KeyFiles,
        range: (Option<i64>, Option<i64>),
    ) -> Result<SealedMessages, VerbError> {
        let dir = location.dir()?;
        let keys = keys.load()?;
        let chain = read_chain(&journal::OsDisk, &dir).map_err(VerbError::reading(&dir))?;
        let (from_us, to_us) = (range.0.unwrap_or(i64::MIN), range.1.unwrap_or(i64::MAX));
        Ok(SealedMessages { dir, keys, chain, from_us, to_us })
    }

    /// Sequence number after the last sealed message.
    pub(in crate::data_folder) fn end(&self) -> u64 {
        self.chain.end()
    }

    /// Received time of the last sealed message, whatever the range; none when there is none.
    pub(in crate::data_folder) fn last_us(&self) -> Option<i64> {
        let records = self.chain.firsts().into_iter().filter_map(|first| self.chain.current(first));
        records.map(|record| record.segment.received_us.1).max()
    }

    /// Calls `visit` with each part, until it ends the walk.
    pub(in crate::data_folder) fn walk(&self, visit: &mut dyn FnMut(SealedPart<'_>) -> Walk) {
        for record in self.chain.firsts().into_iter().filter_map(|first| self.chain.current(first)) {
            let facts = &record.segment;
            let (first_us, last_us) = facts.received_us;
            if last_us < self.from_us || first_us >= self.to_us {
                continue;
            }
            let walk = match self.read(facts, visit) {
                Ok(walk) => walk,
                Err(reason) => visit(SealedPart::Unread(Unread { facts, reason })),
            };
            if walk == Walk::Ended {
                return;
            }
        }
    }

    /// Reads the messages of a segment.
    fn read(
        &self,
        facts: &Facts,
        visit: &mut dyn FnMut(SealedPart<'_>) -> Walk,
    ) -> Result<Walk, UnreadReason> {
        let path = segment_file(facts.received_us.0, facts.first);
        let place = locate_segment(&self.dir, &path, &self.chain);
        let Some(file) = place.file(&self.dir, &path) else {
            return Err(UnreadReason::Away { path: self.dir.join(path), why: place.why_unread() });
        };
        let sealed = Sealed::unlock(&file, &self.keys).map_err(UnreadReason::Read)?;
        let mut range = sealed.received_between(self.from_us, self.to_us);
        let mut walk = Walk::On;
        let read = sealed.read(&mut range, &CancelToken::unlimited(), &mut |_, document| {
            walk = visit(SealedPart::Message(document));
            walk == Walk::On
        });
        read.map(|()| walk).map_err(UnreadReason::Read)
    }
}

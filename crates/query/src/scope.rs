//! The scope of a query: one logspace or several, each perhaps within a boundary.
//!
//! In: snapshots. Out: their segments, the newest first. Holds: the snapshots, so that everything that is shown of an
//! answer is of one moment. Limits: [`MEMBERS_MAX`] members; sequence numbers below 2^52.

pub(crate) mod boundary;
pub(crate) mod browse;

use crate::answer::{Search, Unread, UnreadReason};
use lookup::{ReadError, SegmentView, Snapshot};
use std::sync::Arc;

/// Most members of a scope: a member's number is in the bits above the 52 of a sequence number, and a
/// snapshot has a block for each in the addresses of the API.
pub const MEMBERS_MAX: usize = 1024;
/// Bits of a sequence number within its member.
const SEQUENCE_BITS: u32 = 52;

/// The searched logspaces at one moment.
#[derive(Clone, Default)]
pub struct SearchScope {
    /// The members, each a logspace of its own.
    pub members: Vec<SearchedLogspace>,
}

/// A logspace of a search.
#[derive(Clone)]
pub struct SearchedLogspace {
    /// The name under which its rows are shown.
    pub name: Arc<str>,
    /// Its segments.
    pub snapshot: Arc<Snapshot>,
    /// True when some of its messages are hidden: then nothing that would count them is shown, such as sequence
    /// numbers.
    pub is_bounded: bool,
}

impl From<Arc<Snapshot>> for SearchScope {
    fn from(snapshot: Arc<Snapshot>) -> SearchScope {
        SearchScope { members: vec![SearchedLogspace { name: "".into(), snapshot, is_bounded: false }] }
    }
}

impl From<Snapshot> for SearchScope {
    fn from(snapshot: Snapshot) -> SearchScope {
        Arc::new(snapshot).into()
    }
}

impl SearchScope {
    /// Returns true if this is one whole logspace, whose own sequence numbers may be shown.
    pub fn is_plain(&self) -> bool {
        matches!(self.members.as_slice(), [member] if !member.is_bounded)
    }

    /// The sequence number after the newest message of each member.
    pub(crate) fn ends(&self, search: &Search) -> Vec<u64> {
        let asked = |index: usize| search.until.get(index).copied().unwrap_or(u64::MAX);
        let members = self.members.iter().enumerate();
        members.map(|(index, member)| asked(index).min(member.snapshot.sequence)).collect()
    }

    /// The segments that a search may see, newest first.
    pub(crate) fn visible<'a>(&'a self, search: &Search) -> Vec<VisibleSegment<'a>> {
        let mut seen = Vec::new();
        for (index, (member, end)) in self.members.iter().zip(self.ends(search)).enumerate() {
            let views = member.snapshot.segments.iter().enumerate().rev();
            let views = views.filter(|(_, view)| !view.is_empty() && view.first_sequence() < end);
            let of_segment = |(segment, view): (usize, &'a Arc<dyn SegmentView>)| VisibleSegment {
                view: view.as_ref(),
                member: index,
                segment,
                end,
                is_bounded: member.is_bounded,
            };
            seen.extend(views.map(of_segment));
        }
        if self.members.len() > 1 {
            seen.sort_by_key(|seen| std::cmp::Reverse(seen.view.received_range().1));
        }
        seen
    }

    /// Returns a segment by its index in the snapshot of its member.
    pub(crate) fn segment_at(&self, member: usize, segment: usize) -> Option<VisibleSegment<'_>> {
        let of = self.members.get(member)?;
        let view = of.snapshot.segments.get(segment)?.as_ref();
        Some(VisibleSegment { view, member, segment, end: of.snapshot.sequence, is_bounded: of.is_bounded })
    }
}

/// A segment that a search may see.
#[derive(Clone, Copy)]
pub(crate) struct VisibleSegment<'s> {
    pub(crate) view: &'s dyn SegmentView,
    /// Index of the member that it belongs to.
    pub(crate) member: usize,
    /// Its index in the member's snapshot.
    pub(crate) segment: usize,
    /// Sequence number after the newest message of the member.
    pub(crate) end: u64,
    /// True when messages of it are hidden.
    pub(crate) is_bounded: bool,
}

impl VisibleSegment<'_> {
    /// Returns the note for the answer when the segment cannot be read; the error itself when the search has
    /// to stop.
    pub(crate) fn unread(&self, error: ReadError) -> Result<Unread, ReadError> {
        let reason = match error {
            ReadError::Stopped(_) => return Err(error),
            ReadError::Locked { .. } if self.is_bounded => UnreadReason::Locked,
            // The name of the file would reveal something about messages outside the boundary.
            _ if self.is_bounded => UnreadReason::Damaged,
            error => UnreadReason::Unreadable(error.to_string()),
        };
        let first = self.view.first_sequence();
        let messages = first..first + u64::from(self.view.len());
        let messages = (!self.is_bounded).then_some(messages);
        Ok(Unread { member: self.member, messages, received_us: self.view.received_range(), reason })
    }
}

/// Returns the number of a row in a scope: the member's number above the sequence number. In a scope of one member
/// it is the sequence number.
pub fn row_number(member: usize, sequence: u64) -> u64 {
    (member as u64) << SEQUENCE_BITS | sequence
}

/// Returns the member and the sequence number of a row.
pub fn member_of(number: u64) -> (usize, u64) {
    ((number >> SEQUENCE_BITS) as usize, number & ((1 << SEQUENCE_BITS) - 1))
}

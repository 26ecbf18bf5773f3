//! A choice of letters.
//!
//! In: heads of letters, letters. Out: whether they are chosen. Holds: what they must have, and private keys that open those which
//! are encrypted. Limits: none of its own.

use crate::letter::{Letter, LetterHead};
use evidence::Keys;
use message::RecordId;
use transport::DeadReason;

/// Chooses letters. Fields that are not set match all.
#[derive(Clone, Debug, Default)]
pub struct DeadFilter {
    /// Only those that died for this reason.
    pub reason: Option<DeadReason>,
    /// Only those for this table, topic or index.
    pub group: Option<String>,
    /// Only the one with this id.
    pub id: Option<RecordId>,
    /// Only those that died before this time, microseconds since 1970.
    pub before_us: Option<i64>,
}

impl DeadFilter {
    /// Returns whether a letter is chosen.
    pub fn chooses(&self, letter: &Letter) -> bool {
        self.may_choose(&letter.head()) && self.group.as_ref().is_none_or(|group| *group == letter.group)
    }

    /// Returns whether a letter with this head is chosen, if it is for the right table, topic or index.
    pub fn may_choose(&self, head: &LetterHead) -> bool {
        self.reason.is_none_or(|reason| reason == head.reason)
            && self.id.is_none_or(|id| id == head.id)
            && self.before_us.is_none_or(|before| head.died_us < before)
    }
}

/// Chosen letters, and private keys that open them if they are encrypted.
#[derive(Clone, Debug, Default)]
pub struct LetterSelection {
    /// Which letters.
    pub filter: DeadFilter,
    /// Keys besides the server's own.
    pub keys: Keys,
}

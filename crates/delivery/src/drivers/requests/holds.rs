//! Holds: groups of which a receiver accepts nothing until an operator fixes the cause.
//!
//! In: reasons, times, groups that work again. Out: whether a group may be tried again. Holds: one entry for each
//! held group, and one for all. Limits: [`DESCRIBED_MAX`] groups are named; there is at most one entry for each group
//! with rows.

use receivers::contract::HoldReason;
use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};

/// Most held groups that are named to people.
const DESCRIBED_MAX: usize = 5;

/// A change that our log tells.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum HoldEvent {
    /// Messages wait. The group is empty when all do.
    Held { group: Arc<str>, reason: HoldReason, answer: String },
    /// They are sent again.
    Resumed { group: Arc<str> },
    /// Some are retried after a pause.
    Postponed { group: Arc<str>, answer: String, rows: usize, pause: Duration },
}

#[derive(Clone, Debug)]
struct Hold {
    reason: HoldReason,
    answer: String,
    /// When the next try is due.
    until: Instant,
}

/// The holds of a destination.
#[derive(Debug, Default)]
pub(super) struct Holds {
    all: Option<Hold>,
    groups: BTreeMap<Arc<str>, Hold>,
}

impl Holds {
    /// Holds a group, or everything when the reason is about everything. Returns an event when that is new.
    pub(super) fn begin(
        &mut self,
        group: &Arc<str>,
        reason: HoldReason,
        answer: &str,
        until: Instant,
    ) -> Option<HoldEvent> {
        let hold = Hold { reason, answer: answer.to_owned(), until };
        let (group, before) = if reason.is_of_all() {
            (Arc::from(""), self.all.replace(hold))
        } else {
            (group.clone(), self.groups.insert(group.clone(), hold))
        };
        let is_new = before.is_none_or(|before| before.reason != reason);
        is_new.then(|| HoldEvent::Held { group, reason, answer: answer.to_owned() })
    }

    /// Ends the hold on a group, of which a row was delivered.
    pub(super) fn end(&mut self, group: &Arc<str>) -> Vec<HoldEvent> {
        let all = self.all.take().map(|_| Arc::from(""));
        let one = self.groups.remove(group).map(|_| group.clone());
        all.into_iter().chain(one).map(|group| HoldEvent::Resumed { group }).collect()
    }

    /// Ends the hold on a group without waiting rows: nothing can be sent that would end it.
    pub(super) fn end_group(&mut self, group: &Arc<str>) -> Option<HoldEvent> {
        self.groups.remove(group).map(|_| HoldEvent::Resumed { group: group.clone() })
    }

    /// Returns whether a request of a group may be sent: it is not held, or an attempt is due and none is in flight.
    pub(super) fn allow(&self, group: &Arc<str>, now: Instant, is_tried: impl Fn() -> bool) -> bool {
        let mut holds = self.all.iter().chain(self.groups.get(group));
        holds.all(|hold| hold.until <= now && !is_tried())
    }

    /// Returns whether something holds everything.
    pub(super) fn is_of_all(&self) -> bool {
        self.all.is_some()
    }

    /// Returns when a group may be tried; `None` when nothing holds it.
    pub(super) fn until(&self, group: &Arc<str>) -> Option<Instant> {
        self.all.iter().chain(self.groups.get(group)).map(|hold| hold.until).max()
    }

    /// Returns, for users, what is held and why.
    pub(super) fn describe(&self) -> Option<String> {
        if let Some(all) = &self.all {
            return Some(format!("messages wait ({}): {}", all.reason.name(), all.answer));
        }
        let named = self.groups.iter().take(DESCRIBED_MAX);
        let mut texts: Vec<String> =
            named.map(|(group, hold)| format!("{group} ({}): {}", hold.reason.name(), hold.answer)).collect();
        if self.groups.len() > DESCRIBED_MAX {
            texts.push(format!("and {} others", self.groups.len() - DESCRIBED_MAX));
        }
        (!texts.is_empty()).then(|| format!("messages wait for {}", texts.join(", ")))
    }
}

#[cfg(test)]
mod tests;

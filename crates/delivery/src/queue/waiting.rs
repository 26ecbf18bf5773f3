//! The messages that wait in a queue, and the choice of those to drop when it is full.
//!
//! In: deliveries. Out: all of them, in order, except dropped messages. Holds: them, and the number of messages of
//! each severity, so that absent ones are not searched. Limits: those that the queue passes; a delivery that loses
//! most of its messages is copied, so that the rest does not keep the whole batch in memory.

use crate::options::Victim;
use message::{Ack, Delivery, Selection};
use std::collections::VecDeque;
use transport::stats::SEVERITIES;

/// Deliveries that wait, oldest first.
#[derive(Default)]
pub(super) struct Waiting {
    items: VecDeque<Item>,
    messages: usize,
    bytes: usize,
    severities: [usize; SEVERITIES],
}

/// Messages that were dropped to make space.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Shed {
    /// Messages of the arriving delivery.
    pub(super) incoming: usize,
    /// Waiting messages.
    pub(super) waiting: usize,
    /// Bytes of the waiting messages.
    pub(super) bytes: usize,
    /// Messages of both by severity.
    pub(super) severities: [usize; SEVERITIES],
}

impl Shed {
    /// Counts the severities of messages that are dropped.
    pub(super) fn count(&mut self, delivery: &Delivery, dropped: &Selection) {
        for (sum, count) in self.severities.iter_mut().zip(severities_of(delivery, dropped)) {
            *sum += count;
        }
    }
}

/// A queued delivery.
pub(crate) struct Item {
    pub(crate) delivery: Delivery,
    pub(crate) count: usize,
    bytes: usize,
    /// Number of messages by severity, if the queue needs them.
    severities: [u32; SEVERITIES],
}

impl Item {
    pub(super) fn new(delivery: Delivery, count: usize) -> Item {
        Item { bytes: delivery.batch.held_bytes(), delivery, count, severities: [0; SEVERITIES] }
    }

    /// An item of a queue that drops by severity.
    pub(super) fn with_severities(delivery: Delivery, count: usize) -> Item {
        let mut item = Item::new(delivery, count);
        for index in item.delivery.selection.iter() {
            item.severities[severity_of(&item.delivery, index)] += 1;
        }
        item
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the item without some of its messages; `None` when nothing is left.
    fn without(self, dropped: &Selection) -> Option<Item> {
        let Item { mut delivery, mut severities, .. } = self;
        if severities != [0; SEVERITIES] {
            dropped.iter().for_each(|index| severities[severity_of(&delivery, index)] -= 1);
        }
        delivery.selection.subtract(dropped);
        let count = delivery.selection.count();
        delivery.copy_if_sparse(count);
        (count > 0).then(|| Item { severities, ..Item::new(delivery, count) })
    }

    /// Returns the token of an item that is not kept for its source any more; those with an id keep theirs.
    pub(crate) fn let_go(&mut self) -> Option<Ack> {
        self.may_shed().then(|| std::mem::replace(&mut self.delivery.ack, Ack::none()))
    }

    /// Returns true when its messages may be dropped: those with an id are stored elsewhere until their token is
    /// released.
    fn may_shed(&self) -> bool {
        self.delivery.first.is_none()
    }
}

/// Returns how many messages of a delivery have each severity.
pub(crate) fn severities_of(delivery: &Delivery, selection: &Selection) -> [usize; SEVERITIES] {
    let mut severities = [0; SEVERITIES];
    selection.iter().for_each(|index| severities[severity_of(delivery, index)] += 1);
    severities
}

fn severity_of(delivery: &Delivery, index: usize) -> usize {
    usize::from(delivery.batch.messages[index].pri.severity().0)
}

impl Waiting {
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    #[cfg(test)]
    pub(super) fn messages(&self) -> usize {
        self.messages
    }

    /// Exchanges the waiting items for an empty list.
    pub(super) fn swap(&mut self, empty: &mut VecDeque<Item>) {
        debug_assert!(empty.is_empty());
        std::mem::swap(&mut self.items, empty);
        (self.messages, self.bytes, self.severities) = (0, 0, [0; SEVERITIES]);
    }

    pub(super) fn push(&mut self, item: Item) {
        self.count(&item);
        self.items.push_back(item);
    }

    /// Takes the tokens of everything that waits, in a queue which drops these from now on.
    pub(super) fn let_go(&mut self, victim: Victim) -> Vec<Ack> {
        let mut items = VecDeque::new();
        self.swap(&mut items);
        let mut tokens = Vec::new();
        for mut item in items {
            tokens.extend(item.let_go());
            self.push(match victim {
                Victim::LeastSevere => Item::with_severities(item.delivery, item.count),
                Victim::Newest | Victim::Oldest => item,
            });
        }
        tokens
    }

    fn count(&mut self, item: &Item) {
        self.messages += item.count;
        self.bytes += item.bytes;
        for (sum, count) in self.severities.iter_mut().zip(item.severities) {
            *sum += count as usize;
        }
    }

    /// Subtracts an item from the counters, before it is changed or removed.
    fn uncount(&mut self, item: &Item) {
        self.messages -= item.count;
        self.bytes -= item.bytes;
        for (sum, count) in self.severities.iter_mut().zip(item.severities) {
            *sum -= count as usize;
        }
    }

    /// Drops the oldest waiting messages until a delivery fits. One that does not fit at all loses its own first
    /// messages.
    pub(super) fn shed_oldest(
        &mut self,
        delivery: &mut Delivery,
        wanted: usize,
        (messages_max, bytes_max): (usize, usize),
    ) -> Shed {
        let mut shed = Shed { incoming: wanted.saturating_sub(messages_max), ..Shed::default() };
        if shed.incoming > 0 {
            let first = delivery.selection.first(shed.incoming);
            shed.count(delivery, &first);
            delivery.selection.subtract(&first);
        }
        let bytes = delivery.batch.held_bytes();
        let mut index = 0;
        loop {
            let over = (self.messages + wanted - shed.incoming).saturating_sub(messages_max);
            let is_large = self.bytes + bytes > bytes_max;
            if over == 0 && !is_large {
                return shed;
            }
            match self.items.get(index) {
                None => return shed,
                Some(item) if !item.may_shed() => index += 1,
                Some(item) => {
                    let gone = if is_large { item.count } else { over.min(item.count) };
                    let dropped = item.delivery.selection.first(gone);
                    self.shed_at(index, &dropped, &mut shed);
                }
            }
        }
    }

    /// Drops the least severe messages, those of the delivery before waiting ones, until it fits.
    pub(super) fn shed_least_severe(
        &mut self,
        delivery: &mut Delivery,
        wanted: usize,
        (messages_max, bytes_max): (usize, usize),
    ) -> Shed {
        let mut shed = Shed::default();
        if self.bytes >= bytes_max {
            let all = std::mem::replace(&mut delivery.selection, Selection::none(delivery.batch.len()));
            shed.count(delivery, &all);
            return Shed { incoming: wanted, ..shed };
        }
        let mut over = (self.messages + wanted).saturating_sub(messages_max);
        for severity in (0..SEVERITIES).rev() {
            if over == 0 {
                return shed;
            }
            let dropped = last_of(delivery, severity, over);
            let gone = dropped.count();
            shed.count(delivery, &dropped);
            delivery.selection.subtract(&dropped);
            shed.incoming += gone;
            over -= gone;
            over -= self.shed_severity(severity, over, &mut shed);
        }
        // Items that waited before severities were configured cannot be dropped.
        let left = delivery.selection.count().saturating_sub(over);
        shed.incoming += delivery.selection.count() - left;
        let first = delivery.selection.first(left);
        let mut rest = std::mem::replace(&mut delivery.selection, first);
        rest.subtract(&delivery.selection);
        shed.count(delivery, &rest);
        shed
    }

    /// Drops the newest waiting messages of a severity. Returns how many.
    fn shed_severity(&mut self, severity: usize, most: usize, shed: &mut Shed) -> usize {
        let mut left = most.min(self.severities[severity]);
        let total = left;
        for index in (0..self.items.len()).rev() {
            if left == 0 {
                break;
            }
            let item = &self.items[index];
            if item.severities[severity] > 0 && item.may_shed() {
                let dropped = last_of(&item.delivery, severity, left);
                left -= dropped.count();
                self.shed_at(index, &dropped, shed);
            }
        }
        total - left
    }

    /// Drops some messages of an item.
    fn shed_at(&mut self, index: usize, dropped: &Selection, shed: &mut Shed) {
        let Some(item) = self.items.remove(index) else { return };
        self.uncount(&item);
        shed.count(&item.delivery, dropped);
        shed.waiting += dropped.count();
        shed.bytes += item.bytes;
        if let Some(rest) = item.without(dropped) {
            shed.bytes -= rest.bytes;
            self.count(&rest);
            self.items.insert(index, rest);
        }
    }
}

/// Returns the last messages of a severity, at most `most`.
fn last_of(delivery: &Delivery, severity: usize, most: usize) -> Selection {
    let found: Vec<usize> =
        delivery.selection.iter().filter(|index| severity_of(delivery, *index) == severity).collect();
    let mut last = Selection::none(delivery.batch.len());
    found.iter().rev().take(most).for_each(|index| last.add(*index));
    last
}

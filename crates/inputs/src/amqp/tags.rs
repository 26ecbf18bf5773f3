//! Which delivery is which message, also over another connection.
//!
//! In: deliveries with their tags, which begin at one with each connection, and fingerprints. Out: a key for each message; tags to
//! acknowledge. Holds: the tags of what is not acknowledged, and the keys of what was not when a connection ended.
//! Limits: [`LEFT_MAX`] of the latter; beyond that, what comes again is read again.
//!
//! A broker sends again what was not acknowledged, and says so, but not which message it is. One that still waits here and has
//! the same content is taken for it: where several are the same, it does not matter which of them is which.

use std::collections::HashMap;

/// Most messages that are remembered over the end of connections.
const LEFT_MAX: usize = 65_536;

/// The messages of a queue that are not acknowledged.
#[derive(Default)]
pub(super) struct Tags {
    /// The last key.
    last: u64,
    /// By key: the tag over this connection, and the fingerprint.
    open: HashMap<u64, (u64, u64)>,
    /// By fingerprint: keys of earlier connections.
    left: HashMap<u64, Vec<u64>>,
    left_count: usize,
}

impl Tags {
    /// Begins a connection: tags of the last one are of no use any more.
    pub(super) fn begin(&mut self) {
        if self.left_count + self.open.len() > LEFT_MAX {
            self.left.clear();
            self.left_count = 0;
        }
        self.left_count += self.open.len();
        for (key, (_, fingerprint)) in self.open.drain() {
            self.left.entry(fingerprint).or_default().push(key);
        }
    }

    /// Returns the key of an earlier delivery of the same content, and takes it.
    pub(super) fn take_known(&mut self, fingerprint: u64) -> Option<u64> {
        let keys = self.left.get_mut(&fingerprint)?;
        let key = keys.pop();
        if keys.is_empty() {
            self.left.remove(&fingerprint);
        }
        self.left_count -= usize::from(key.is_some());
        key
    }

    /// Returns a new key.
    pub(super) fn next_key(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Notes the tag of a message.
    pub(super) fn add(&mut self, key: u64, tag: u64, fingerprint: u64) {
        self.open.insert(key, (tag, fingerprint));
    }

    /// Returns the tag of a message that is acknowledged now, once.
    pub(super) fn take(&mut self, key: u64) -> Option<u64> {
        self.open.remove(&key).map(|(tag, _)| tag)
    }
}

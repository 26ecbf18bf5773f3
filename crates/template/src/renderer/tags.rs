//! `$TAGS`: the tags of a message as a list, in an order that does not depend on when they were first set.
//!
//! In: the tags that a configuration names, once; the tags of a message, often. Out: a list, appended.
//! syslog-ng numbers a tag when its name first occurs, and prints tags by number: tags of decoding, tags that the
//! configuration names, in its order, tags of sources, and last those that only messages have.
//! Limits: none of its own.

use crate::value::list_append;
use message::{Batch, Marks};
use std::{collections::HashMap, sync::Arc};

/// The tags that a configuration names, by the order of their first mention.
#[derive(Clone, Debug, Default)]
pub struct TagOrder(Arc<HashMap<String, usize>>);

/// A kind of tags: one class is printed after the other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TagClass {
    Mark,
    Named(usize),
    Source,
    Other,
}

impl TagOrder {
    /// Makes the order of some mentions: the first of each name counts.
    pub fn new(mentions: impl IntoIterator<Item = String>) -> TagOrder {
        let mut order = HashMap::new();
        for name in mentions {
            let ordinal = order.len();
            order.entry(name).or_insert(ordinal);
        }
        TagOrder(Arc::new(order))
    }

    fn class(&self, tag: &str) -> TagClass {
        match self.0.get(tag) {
            _ if Marks::has_tag(tag) => TagClass::Mark,
            Some(ordinal) => TagClass::Named(*ordinal),
            None if tag.starts_with(".source.") => TagClass::Source,
            None => TagClass::Other,
        }
    }

    /// Appends the tags of a message. Within a class they stay in the order in which they were set.
    pub(crate) fn append(&self, batch: &Batch, index: usize, out: &mut Vec<u8>) {
        let start = out.len();
        let mut tags = batch.tags(index);
        tags.sort_by_cached_key(|tag| self.class(tag));
        tags.iter().for_each(|tag| list_append(tag.as_bytes(), start, out));
    }
}

#[cfg(test)]
mod tests;

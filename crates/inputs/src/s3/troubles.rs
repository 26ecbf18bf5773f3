//! Why something cannot be read at present.
//!
//! In: what each task has met, and that it is over. Out: one of them, for the health of the server. Holds: a text for each. Limits: one
//! for each task.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::Notify;

/// Who has met something; the first ones matter most.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Subject {
    /// The record of what was read.
    Register,
    /// The list of objects.
    List,
    /// A worker, by its number.
    Worker(usize),
    /// Objects that the server does not give, while it gives others.
    Objects,
}

/// The troubles of all tasks of a source.
pub(super) struct Troubles {
    texts: Mutex<BTreeMap<Subject, String>>,
    changed: Arc<Notify>,
}

impl Troubles {
    /// Makes one without any; changes are notified.
    pub(super) fn new(changed: Arc<Notify>) -> Troubles {
        Troubles { texts: Mutex::default(), changed }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Subject, String>> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the trouble of a task; `None` when it is over.
    pub(super) fn set(&self, subject: Subject, text: Option<String>) {
        let mut texts = self.lock();
        let before = match text.clone() {
            Some(text) => texts.insert(subject, text),
            None => texts.remove(&subject),
        };
        if before != text {
            self.changed.notify_one();
        }
    }

    /// Returns the one that matters most.
    pub(super) fn first(&self) -> Option<String> {
        self.lock().values().next().cloned()
    }
}

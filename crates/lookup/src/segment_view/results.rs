//! Results of searches that a segment holds, so that they end with it.
//!
//! In: results by name. Out: the same. Holds: the results until they are removed, or the segment is gone: removed,
//! locked, or written in another form. Limits: those of who puts results in.

use std::{
    any::Any,
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// A result of any type.
pub type AnyResult = Arc<dyn Any + Send + Sync>;

/// The results of a segment whose messages do not change.
#[derive(Default)]
pub struct SegmentResults(Mutex<HashMap<Arc<str>, AnyResult>>);

impl SegmentResults {
    /// Returns a result.
    pub fn get(&self, name: &str) -> Option<AnyResult> {
        self.locked().get(name).cloned()
    }

    /// Keeps a result; returns the one that it replaces.
    pub fn insert(&self, name: Arc<str>, result: AnyResult) -> Option<AnyResult> {
        self.locked().insert(name, result)
    }

    /// Removes a result if it is still this one; returns it.
    pub fn remove(&self, name: &str, result: &AnyResult) -> Option<AnyResult> {
        let mut known = self.locked();
        match known.get(name).is_some_and(|known| Arc::ptr_eq(known, result)) {
            true => known.remove(name),
            false => None,
        }
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<Arc<str>, AnyResult>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

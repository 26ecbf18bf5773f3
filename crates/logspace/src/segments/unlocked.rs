//! Keys that open what is locked for one asker, and nobody else.
//!
//! In: keys; the files of locked segments. Out: segments. Holds: the keys and what they opened, until it is dropped.
//! Limits: those of open segments.

use super::Segments;
use evidence::Keys;
use lookup::SegmentView;
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

/// Keys of one asker, with what they opened.
pub struct Unlocked {
    keys: Keys,
    opened: Mutex<HashMap<PathBuf, Arc<dyn SegmentView>>>,
}

impl Unlocked {
    /// Makes the set of segments that these keys open.
    pub fn with(keys: Keys) -> Unlocked {
        Unlocked { keys, opened: Mutex::default() }
    }

    /// The keys themselves.
    pub(crate) fn keys(&self) -> &Keys {
        &self.keys
    }

    /// The segment in a file, when the keys open it.
    pub(crate) fn open(&self, segments: &dyn Segments, path: &Path) -> Option<Arc<dyn SegmentView>> {
        let known = |opened: &HashMap<PathBuf, Arc<dyn SegmentView>>| opened.get(path).cloned();
        if let Some(view) = known(&self.opened.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Some(view);
        }
        // Opening takes time: nobody waits for it.
        let view = segments.open(path, &self.keys).ok()?;
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        Some(Arc::clone(opened.entry(path.to_owned()).or_insert(view)))
    }

    /// How many segments are open.
    pub fn count(&self) -> usize {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

//! Keys that open locked segments for one caller only.
//!
//! In: keys; the files of locked segments. Out: segments. Holds: the keys and the segments that they opened, until
//! dropped.
//! Limits: those of open segments.

use super::Segments;
use evidence::Keys;
use lookup::SegmentView;
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

/// Keys of one caller, with the segments that they opened.
pub struct Unlocked {
    keys: Keys,
    opened: Mutex<HashMap<PathBuf, Arc<dyn SegmentView>>>,
}

impl Unlocked {
    /// Creates an empty set of segments opened with these keys.
    pub fn with(keys: Keys) -> Unlocked {
        Unlocked { keys, opened: Mutex::default() }
    }

    /// Returns the keys.
    pub(crate) fn keys(&self) -> &Keys {
        &self.keys
    }

    /// Returns the segment in a file, when the keys open it.
    pub(crate) fn open(&self, segments: &dyn Segments, path: &Path) -> Option<Arc<dyn SegmentView>> {
        let known = |opened: &HashMap<PathBuf, Arc<dyn SegmentView>>| opened.get(path).cloned();
        if let Some(view) = known(&self.opened.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Some(view);
        }
        // Opening takes time, so the lock is not held.
        let view = segments.open(path, &self.keys).ok()?;
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        Some(Arc::clone(opened.entry(path.to_owned()).or_insert(view)))
    }

    /// Returns the number of open segments.
    pub fn count(&self) -> usize {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

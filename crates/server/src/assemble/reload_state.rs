//! State that continues across a reload: contexts of correlations, the last good database, counters, taps.
//!
//! In: names. Out: the state of that name, or a new one. Holds: weak references: state that no configuration
//! uses any more is dropped. Limits: none of its own; the owners limit their state.

use std::{
    any::{Any, type_name},
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak},
};

/// Shared state by name and type, each alive for as long as it is in use.
#[derive(Clone, Default)]
pub(crate) struct ReloadState(Arc<Mutex<HashMap<String, Weak<dyn Any + Send + Sync>>>>);

impl ReloadState {
    /// Returns the state of a name and a type, new if there is none.
    pub(crate) fn get<T: Default + Send + Sync + 'static>(&self, name: &str) -> Arc<T> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, thing| thing.strong_count() > 0);
        let key = format!("{} {name}", type_name::<T>());
        let thing = known.get(&key).and_then(Weak::upgrade).and_then(|thing| thing.downcast::<T>().ok());
        thing.unwrap_or_else(|| {
            let new = Arc::new(T::default());
            let shared: Arc<dyn Any + Send + Sync> = new.clone();
            known.insert(key, Arc::downgrade(&shared));
            new
        })
    }
}

//! Places for what lasts long: so many at once, and so many for one user.
//!
//! In: who asks. Out: a place, kept until it is dropped, or a refusal. Holds: how many each user has.
//! Limits: both numbers; who finds no place is told at once and may come again.

use crate::error::ApiError;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// When somebody who found no place may try again.
const RETRY_AFTER: Duration = Duration::from_secs(10);

/// The places.
pub(crate) struct Slots {
    most: usize,
    most_per_user: usize,
    taken: Arc<Mutex<HashMap<String, usize>>>,
}

/// A place.
pub(crate) struct Slot {
    user: String,
    taken: Arc<Mutex<HashMap<String, usize>>>,
}

impl Slots {
    /// So many places, of which one user may have `most_per_user`.
    pub(crate) fn new(most: usize, most_per_user: usize) -> Slots {
        Slots { most, most_per_user, taken: Arc::default() }
    }

    /// A place for a user.
    pub(crate) fn take(&self, user: &str) -> Result<Slot, ApiError> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let own = taken.get(user).copied().unwrap_or_default();
        if own >= self.most_per_user {
            let text = format!(
                "{own} exports of {user} are running, and one user may have {}: wait for one to end",
                self.most_per_user
            );
            return Err(ApiError::busy(text, RETRY_AFTER));
        }
        let all: usize = taken.values().sum();
        if all >= self.most {
            return Err(ApiError::busy(format!("{all} exports are running; try again later"), RETRY_AFTER));
        }
        *taken.entry(user.to_owned()).or_default() += 1;
        Ok(Slot { user: user.to_owned(), taken: Arc::clone(&self.taken) })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = taken.get_mut(&self.user) {
            *own -= 1;
            if *own == 0 {
                taken.remove(&self.user);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    //! Rows for places.

    use super::*;

    #[test]
    fn m7_one_user_leaves_places_for_others() {
        let slots = Slots::new(3, 2);
        let first = slots.take("eva").unwrap();
        let _second = slots.take("eva").unwrap();
        assert!(slots.take("eva").is_err());
        let third = slots.take("bob").unwrap();
        assert!(slots.take("ann").is_err(), "all are taken");
        drop(third);
        assert!(slots.take("ann").is_ok());
        drop(first);
        assert!(slots.take("eva").is_ok());
        assert_eq!(slots.taken.lock().unwrap().len(), 1);
    }
}
